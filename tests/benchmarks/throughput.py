"""Throughput beside the floor and beside the frameworks' own splitters, in one run.

    python -m tests.benchmarks.throughput [--seconds N] [FILE_OR_FOLDER ...]

The floor is what every structure-aware splitter with a token budget has to do: parse the document
once and tokenise it once. Every round takes all contestants in turn, so that what slows the
machine down slows all of them; the ratio to the floor is the median over the rounds.
Without arguments: the standard library's Python, C from the repository's headers if there is a
compiler's include folder, and Markdown and CSV made from them.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import sysconfig
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from structchunk_core import Chunker, detect
from structchunk_core.grammars import find_grammar, parse_bytes
from structchunk_core.sizing import load_encoding

_SIZE = 512
_MEGABYTE = 1_000_000
Document = tuple[str, str]


def main() -> None:
    """Measure and print."""
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--megabytes", type=float, default=2.0, help="of each language")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    corpora = _corpora(arguments.paths or _default_paths(), int(arguments.megabytes * _MEGABYTE))
    print(f"{'':<12}{'MB':>6}  " + "".join(f"{name:>24}" for name in _CONTESTANTS))
    for name, documents in corpora.items():
        _measure(name, documents, arguments.rounds)


def _default_paths() -> list[Path]:
    here = Path(sysconfig.get_path("stdlib"))
    packages = Path(sysconfig.get_path("purelib"))
    return [here, Path(sysconfig.get_path("include")), packages]


def _corpora(paths: Iterable[Path], most: int) -> dict[str, list[Document]]:
    """Language or format -> documents of it, up to so many characters."""
    corpora: dict[str, list[Document]] = {}
    sizes: dict[str, int] = {}
    for root in paths:
        files = sorted(root.rglob("*")) if root.is_dir() else [root]
        for path in files:
            if path.suffix not in _SUFFIXES or not path.is_file():
                continue
            found = detect("", path.name)
            name = found.language or found.format
            if sizes.get(name, 0) >= most:
                continue
            try:
                text = path.read_bytes().decode()
            except UnicodeDecodeError:
                continue
            if not 2_000 <= len(text) <= most // 2:
                continue
            corpora.setdefault(name, []).append((path.name, text))
            sizes[name] = sizes.get(name, 0) + len(text)
    return {name: corpora[name] for name in sorted(corpora) if sizes[name] >= most // 20}


_SUFFIXES = frozenset(
    {".py", ".c", ".h", ".js", ".ts", ".java", ".go", ".rs", ".cpp", ".rb", ".md", ".csv", ".txt"}
)


def _measure(name: str, documents: Sequence[Document], rounds: int) -> None:
    total = sum(len(text) for _, text in documents)
    run = {label: make(name) for label, make in _CONTESTANTS.items()}
    times: dict[str, list[float]] = {label: [] for label in run}
    gc.collect()
    gc.freeze()  # what the frameworks have loaded shall cost none of the contestants anything
    for number in range(rounds + 1):
        for label, work in run.items():
            if work is None:
                continue
            gc.collect()
            begin = time.perf_counter()
            work(documents)
            if number:  # the first round warms caches up
                times[label].append(time.perf_counter() - begin)
    floor = times["floor"]
    cells = []
    for label, taken in times.items():
        if not taken:
            cells.append(f"{'-':>24}")
            continue
        speed = total / _MEGABYTE / statistics.median(taken)
        ratio = statistics.median(a / b for a, b in zip(floor, taken, strict=True))
        cells.append(
            f"{f'{speed:.2f} MB/s {ratio:5.2f}x' if label != 'floor' else f'{speed:.2f} MB/s':>24}"
        )
    print(f"{name:<12}{total / _MEGABYTE:>6.2f}  " + "".join(cells), flush=True)


Work = Callable[[Sequence[Document]], None]


def _floor(name: str) -> Work:
    encoding = load_encoding("cl100k_base")
    if name == "markdown":
        import pyromark

        def parse(text: str) -> Any:
            return list(pyromark.events_with_range(text))
    elif name in {"delimited", "text"}:

        def parse(text: str) -> Any:
            return text.split("\n")
    else:
        grammar = find_grammar(name)

        def parse(text: str) -> Any:
            return parse_bytes(text.encode(), grammar, 60)

    def work(documents: Sequence[Document]) -> None:
        for _, text in documents:
            parse(text)
            encoding.encode_ordinary(text)

    return work


def _structchunk(name: str) -> Work:
    chunker = Chunker(chunk_size=_SIZE)

    def work(documents: Sequence[Document]) -> None:
        for path, text in documents:
            chunker.chunk(text, path=path)

    return work


def _code_splitter(name: str) -> Work | None:
    if name in {"markdown", "delimited", "text"}:
        return None
    from llama_index.core.node_parser import CodeSplitter
    from tree_sitter import Parser

    splitter = CodeSplitter(language=name, max_chars=1500, parser=Parser(find_grammar(name)))

    def work(documents: Sequence[Document]) -> None:
        for _, text in documents:
            try:
                splitter.split_text(text)
            except ValueError:
                continue  # it refuses documents with a syntax error

    return work


def _recursive(name: str) -> Work:
    from langchain_text_splitters import Language, RecursiveCharacterTextSplitter

    known = {"javascript": "js", "typescript": "ts", "csharp": "csharp"}.get(name, name)
    separators = (
        RecursiveCharacterTextSplitter.get_separators_for_language(Language(known))
        if known in {language.value for language in Language}
        else None
    )
    encoding = load_encoding("cl100k_base")
    splitter = RecursiveCharacterTextSplitter(
        separators=separators,
        is_separator_regex=separators is not None,
        chunk_size=_SIZE,
        chunk_overlap=0,
        length_function=lambda text: len(encoding.encode_ordinary(text)),
    )

    def work(documents: Sequence[Document]) -> None:
        for _, text in documents:
            splitter.split_text(text)

    return work


_CONTESTANTS: dict[str, Callable[[str], Work | None]] = {
    "floor": _floor,
    "structchunk": _structchunk,
    "LlamaIndex CodeSplitter": _code_splitter,
    "LangChain recursive": _recursive,
}


if __name__ == "__main__":
    main()
