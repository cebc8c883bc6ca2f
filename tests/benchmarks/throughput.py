"""Throughput beside the floor and beside the splitters of others, in one run.

    python -m tests.benchmarks.throughput [--only FORMAT ...] [FILE_OR_FOLDER ...]

The floor is what every structure-aware splitter with a token budget has to do: parse the document
once and tokenise it once. It parses code as structchunk must: through a callback, so that a grammar
that hangs can be stopped, which takes about a twentieth longer than plain bytes do. Every round
takes all contestants in turn, so that what slows the machine down slows all of them; the ratio to
the floor is the median over the rounds, in processor time. Peers that are not installed (extra
``bench``), and those without an answer to a format, are left out; those that split by headings
alone tokenise nothing.
Without arguments: what the standard library and the installed packages have of each format.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import importlib.util
import json
import statistics
import sysconfig
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
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
    parser.add_argument("--only", nargs="+", default=[], help="languages and formats to measure")
    arguments = parser.parse_args()
    corpora = _corpora(arguments.paths or _default_paths(), int(arguments.megabytes * _MEGABYTE))
    print(f"{'':<12}{'MB':>6}  " + "".join(f"{name:>24}" for name in _CONTESTANTS))
    for name, documents in corpora.items():
        if arguments.only and name not in arguments.only:
            continue
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
            if name == "records":
                name = _RECORDS.get(path.suffix, name)
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
    {
        *(".py", ".c", ".h", ".js", ".ts", ".java", ".go", ".rs", ".cpp", ".rb"),
        *(".md", ".html", ".rst", ".csv", ".txt"),
    }
)
_RECORDS = {".json": "json", ".toml": "toml", ".xml": "xml", ".yaml": "yaml", ".yml": "yaml"}
_SUFFIXES |= _RECORDS.keys()
_DOCUMENTS = frozenset({"delimited", "html", "markdown", "rst", "text", *_RECORDS.values()})


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
            begin = time.process_time()
            work(documents)
            if number:  # the first round warms caches up
                times[label].append(time.process_time() - begin)
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
    elif name == "html":
        from selectolax.lexbor import LexborHTMLParser

        def parse(text: str) -> Any:
            return LexborHTMLParser(text)
    elif name == "json":

        def parse(text: str) -> Any:
            try:
                return json.loads(text)
            except ValueError:
                return None  # a file made to test a parser of JSON
    elif name in _DOCUMENTS:

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


def _llamaindex(name: str) -> Work | None:
    """CodeSplitter, which counts characters; headings of Markdown; sentences of all else."""
    from llama_index.core.node_parser import CodeSplitter, MarkdownNodeParser, SentenceSplitter
    from llama_index.core.schema import Document as Loaded
    from tree_sitter import Parser

    if name == "markdown":
        parser = MarkdownNodeParser()
        return _each(lambda text: parser.get_nodes_from_documents([Loaded(text=text)]))
    if name in _DOCUMENTS:
        encoding = load_encoding("cl100k_base")
        sentences = SentenceSplitter(
            chunk_size=_SIZE, chunk_overlap=0, tokenizer=encoding.encode_ordinary
        )
        return _each(sentences.split_text)
    code = CodeSplitter(language=name, max_chars=1500, parser=Parser(find_grammar(name)))

    def split(text: str) -> None:
        with suppress(ValueError):  # it refuses documents with a syntax error
            code.split_text(text)

    return _each(split)


def _by_headings(name: str) -> Work | None:
    from langchain_text_splitters import HTMLHeaderTextSplitter, MarkdownHeaderTextSplitter

    if name == "markdown":
        levels = [("#" * level, f"h{level}") for level in range(1, 7)]
        return _each(MarkdownHeaderTextSplitter(levels).split_text)
    if name == "html":
        return _each(HTMLHeaderTextSplitter([(f"h{n}", f"h{n}") for n in range(1, 7)]).split_text)
    return None


def _semantic(name: str) -> Work | None:
    if importlib.util.find_spec("semantic_text_splitter") is None:
        return None
    module = importlib.import_module("semantic_text_splitter")
    if name == "markdown":
        return _each(module.MarkdownSplitter.from_tiktoken_model("gpt-4", _SIZE).chunks)
    if name in _DOCUMENTS:
        return _each(module.TextSplitter.from_tiktoken_model("gpt-4", _SIZE).chunks)
    from tree_sitter_language_pack import get_binding

    binding = get_binding(name)  # type: ignore[arg-type]  # any name, that is the question
    return _each(module.CodeSplitter.from_tiktoken_model(binding, "gpt-4", _SIZE).chunks)


def _chonkie(name: str) -> Work | None:
    if name not in _DOCUMENTS or importlib.util.find_spec("chonkie") is None:
        return None
    chunker = importlib.import_module("chonkie").RecursiveChunker
    return _each(chunker(tokenizer=load_encoding("cl100k_base"), chunk_size=_SIZE).chunk)


def _each(split: Callable[[str], object]) -> Work:
    def work(documents: Sequence[Document]) -> None:
        for _, text in documents:
            split(text)

    return work


def _recursive(name: str) -> Work:
    from langchain_text_splitters import Language, RecursiveCharacterTextSplitter

    known = {"javascript": "js", "typescript": "ts"}.get(name, name)
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

    return _each(splitter.split_text)


_CONTESTANTS: dict[str, Callable[[str], Work | None]] = {
    "floor": _floor,
    "structchunk": _structchunk,
    "LlamaIndex": _llamaindex,
    "LangChain recursive": _recursive,
    "LangChain headings": _by_headings,
    "semantic-text-splitter": _semantic,
    "chonkie": _chonkie,
}


if __name__ == "__main__":
    main()
