"""Throughput beside the floor and beside the splitters of others, in one run.

    python -m tests.benchmarks.throughput [--quick] [--only KIND ...] [--with FOLDER ...]
        [--corpus FOLDER [--fetch]] [--compiled FOLDER] [--contestants NAME ...]
        [--json FILE] [--profile] [FILE_OR_FOLDER ...]

The floor is what every structure-aware splitter with a token budget has to do: parse the document
once and tokenise it once, with tiktoken. Ours stand there with tiktoken and, where it is installed
(extra ``fast``), with gigatoken, and so does a floor; the ratios of all of them are to the first.
It parses code as structchunk must: through a callback, so that a grammar that hangs can be stopped,
which takes about a twentieth longer than plain bytes do. Every round takes all contestants in turn,
so that what slows the machine down slows all of them; a ratio is the median over the rounds, in
processor time. That of ours in characters (1500 of them) is one to parsing alone, where there is a
parser. Peers that are not installed (extra ``bench``), and those without an answer to a kind of
document, are left out; those that split by headings alone tokenise nothing. ``mixed`` holds a part
of each kind. Peak memory is that of a process of its own that chunks all of the documents.
Without arguments: what the standard library and the installed packages have of each kind, and what
the folders behind ``--with`` have; a sample of each folder, the same in every run. ``--corpus``
takes a folder with the repositories that the benchmark of retrieval asks about, the same documents
everywhere, and of each repository in turn; ``--fetch`` brings those that are missing there. With
``--compiled``, a folder with a compiled wheel (``pip install --target``), ours stand there once
more as it runs them, in a process of its own. ``growth`` measures how cost grows with a document's
length.
"""

from __future__ import annotations

import argparse
import cProfile
import gc
import json
import pstats
import statistics
import subprocess
import sys
import sysconfig
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

from structchunk_core import Chunker, choosing, detect
from tests.benchmarks.contestants import (
    CONTESTANTS,
    RECORDS,
    SIZE,
    Contestant,
    Document,
    seconds_of,
    warm_up,
    works_of,
)
from tests.benchmarks.elsewhere import Installation
from tests.benchmarks.growth import peak_memory
from tests.benchmarks.retrieval.corpus import fetch, sources

_MEGABYTE = 1_000_000
_MIXED = "mixed"
_SHOWN = 30  # functions of a profile

_Run = Callable[[], float]
"""Cuts all documents and tells the processor time that it took."""


class Corpus(NamedTuple):
    """Documents of one kind, or of several in the row ``mixed``.

    Attributes:
        files: where they come from.
        parts: the documents by their kind.
    """

    files: tuple[Path, ...]
    parts: Mapping[str, Sequence[Document]]

    @property
    def length(self) -> int:
        """How many characters there are."""
        return sum(len(text) for documents in self.parts.values() for _, text in documents)


def main() -> None:
    """Measure and print."""
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("paths", nargs="*", type=Path, help="instead of Python's own files")
    parser.add_argument("--with", nargs="+", type=Path, default=[], help="beside them", dest="more")
    parser.add_argument("--corpus", type=Path, help="holds the repositories to measure instead")
    parser.add_argument("--fetch", action="store_true", help="bring those that are missing there")
    parser.add_argument("--compiled", type=Path, help="holds a compiled package to measure as well")
    parser.add_argument("--contestants", nargs="+", choices=CONTESTANTS, metavar="NAME")
    parser.add_argument("--megabytes", type=float, help="of each kind")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--only", nargs="+", default=[], help="kinds of documents to measure")
    parser.add_argument("--quick", action="store_true", help="less text: done within a minute")
    parser.add_argument("--json", type=Path, help="write the results there")
    parser.add_argument("--profile", action="store_true", help="where the time of ours goes")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        print(_peak_of(json.load(sys.stdin)))
        return
    megabytes = arguments.megabytes or (0.1 if arguments.quick else 2.0)
    rounds = arguments.rounds or (3 if arguments.quick else 5)
    most = int(megabytes * _MEGABYTE)
    corpora = corpora_of(_paths(arguments), most, in_turn=arguments.corpus is not None)
    print("the package is", "pure Python" if choosing.__file__.endswith(".py") else "compiled")
    asked = _asked_for(arguments.contestants or CONTESTANTS)
    compiled = None
    if arguments.compiled:
        compiled = Installation(arguments.compiled)
        print("beside it stands that of", compiled.package())
    results: dict[str, Any] = {}
    for name, corpus in corpora.items():
        if arguments.only and name not in arguments.only:
            continue
        if arguments.profile:
            _print_profile(name, corpus)
            continue
        results[name] = result = measured(corpus, rounds, asked, compiled)
        _print_result(name, result)
    if compiled is not None:
        compiled.close()
    if results:
        print(table(results))
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1))


def _paths(arguments: argparse.Namespace) -> list[Path]:
    if arguments.corpus is None:
        return arguments.paths or [*arguments.more, *_default_paths()]
    said = sources()
    if arguments.fetch:
        fetch(arguments.corpus, said)
    return [arguments.corpus / name for name in said["commits"]]


def _asked_for(labels: Iterable[str]) -> dict[str, Contestant]:
    """Those of the names, and what they stand beside, in their order."""
    named = set(labels)
    named |= {CONTESTANTS[label].beside for label in named}
    return {label: one for label, one in CONTESTANTS.items() if label in named}


def _default_paths() -> list[Path]:
    here = Path(sysconfig.get_path("stdlib"))
    packages = Path(sysconfig.get_path("purelib"))
    return [here, Path(sysconfig.get_path("include")), packages]


_SUFFIXES = frozenset(
    {
        *(".py", ".c", ".h", ".js", ".ts", ".java", ".go", ".rs", ".cpp", ".rb"),
        *(".md", ".html", ".rst", ".csv", ".txt", *RECORDS),
    }
)


def corpora_of(paths: Iterable[Path], most: int, *, in_turn: bool = False) -> dict[str, Corpus]:
    """Kind -> documents of it, up to so many characters; and ``mixed``, where there are several.

    Args:
        paths: files and folders.
        most: how many characters of each kind are taken.
        in_turn: take a document of each folder, then another of each, instead of all of the first.
    """
    files: dict[str, list[Path]] = {}
    documents: dict[str, list[Document]] = {}
    sizes: dict[str, int] = {}
    for name, path in _of_each_in_turn(paths) if in_turn else _kinds(paths):
        if sizes.get(name, 0) >= most:
            continue
        text = _read_or_none(path)
        if text is None or not 2_000 <= len(text) <= most // 2:
            continue
        files.setdefault(name, []).append(path)
        documents.setdefault(name, []).append((path.name, text))
        sizes[name] = sizes.get(name, 0) + len(text)
    kinds = [name for name in sorted(sizes) if sizes[name] >= most // 20]
    found = {name: Corpus(tuple(files[name]), {name: documents[name]}) for name in kinds}
    if len(kinds) > 1:
        found[_MIXED] = _mixed(found, most // len(kinds))
    return found


def _kinds(paths: Iterable[Path]) -> Iterator[tuple[str, Path]]:
    """The files of kinds that are measured, each with its kind."""
    for root in paths:
        for path in _strewn(root):
            if path.suffix in _SUFFIXES and path.is_file():
                yield _kind_of(path), path


def _of_each_in_turn(folders: Iterable[Path]) -> Iterator[tuple[str, Path]]:
    """Of each kind a file of each folder, then another of each that has more."""
    found: dict[str, list[list[Path]]] = {}
    for folder in folders:
        here: dict[str, list[Path]] = {}
        for name, path in _kinds([folder]):
            here.setdefault(name, []).append(path)
        for name, files in here.items():
            found.setdefault(name, []).append(files)
    for name, rows in found.items():
        for turn in zip_longest(*rows):
            yield from ((name, path) for path in turn if path is not None)


def _strewn(root: Path) -> list[Path]:
    """What is in a folder, in an order that is always the same and mixes all of its parts.

    The first megabytes by name would be those of one package, and its habits the result.
    """
    if not root.is_dir():
        return [root]
    names = {path.relative_to(root).as_posix(): path for path in root.rglob("*")}
    return [names[name] for name in sorted(names, key=lambda name: (crc32(name.encode()), name))]


def _kind_of(path: Path) -> str:
    found = detect("", path.name)
    name = found.language or found.format
    return RECORDS.get(path.suffix, name) if name == "records" else name


def _read_or_none(path: Path) -> str | None:
    try:
        return path.read_bytes().decode()
    except UnicodeDecodeError:
        return None


def _mixed(corpora: Mapping[str, Corpus], each: int) -> Corpus:
    """The first documents of each kind, about so many characters."""
    files: list[Path] = []
    parts: dict[str, list[Document]] = {}
    for name, corpus in corpora.items():
        taken = parts[name] = []
        size = 0
        for path, document in zip(corpus.files, corpus.parts[name], strict=True):
            if size >= each:
                break
            files.append(path)
            taken.append(document)
            size += len(document[1])
    return Corpus(tuple(files), parts)


def measured(
    corpus: Corpus,
    rounds: int,
    contestants: Mapping[str, Contestant] = CONTESTANTS,
    compiled: Installation | None = None,
) -> dict[str, Any]:
    """The speed of each contestant, in MB/s of processor time, and what else is told.

    Args:
        corpus: the documents.
        rounds: how often all of them are cut.
        contestants: who cuts them.
        compiled: runs those of them that have a compiled package.
    """
    if compiled is not None:
        compiled.take(corpus.parts)
    runs: dict[str, _Run] = {}
    for label, one in contestants.items():
        run = _run_or_none(one, corpus, compiled)
        if run is not None:
            runs[label] = run
    times: dict[str, list[float]] = {label: [] for label in runs}
    gc.collect()
    gc.freeze()  # what the frameworks have loaded shall cost none of the contestants anything
    for _ in range(rounds):
        for label, taken in times.items():
            taken.append(runs[label]())
    gc.unfreeze()
    megabytes = corpus.length / _MEGABYTE
    speeds = {}
    for label, taken in times.items():
        beside = contestants[label].beside
        speeds[label] = {"megabytes_per_second": megabytes / statistics.median(taken)}
        if beside in times:
            pairs = zip(times[beside], taken, strict=True)
            speeds[label]["ratio"] = statistics.median(least / own for least, own in pairs)
    return {
        "megabytes": megabytes,
        "documents": len(corpus.files),
        "longest": max(len(text) for part in corpus.parts.values() for _, text in part),
        "peak_memory": _peak_in_a_process(corpus),
        "contestants": speeds,
    }


def _run_or_none(
    contestant: Contestant, corpus: Corpus, compiled: Installation | None
) -> _Run | None:
    """What cuts the documents and tells how long it took; with caches that are filled."""
    if contestant.compiled:
        if compiled is None or not compiled.is_able(contestant.compiled):
            return None
        return partial(compiled.seconds, contestant.compiled)
    works = works_of(contestant, corpus.parts)
    if not works:
        return None
    warm_up(works)
    return partial(seconds_of, works)


def _peak_in_a_process(corpus: Corpus) -> int:
    """The most memory, in bytes, of a process that chunks the documents one after the other."""
    command = [sys.executable, "-m", "tests.benchmarks.throughput", "--child"]
    files = json.dumps([str(path) for path in corpus.files])
    return int(subprocess.run(command, check=True, input=files, stdout=-1, text=True).stdout)


def _peak_of(files: Iterable[str]) -> int:
    chunker = Chunker(chunk_size=SIZE)
    for name in files:
        path = Path(name)
        chunker.chunk(path.read_bytes().decode(), path=path.name)
    return peak_memory()


def _print_result(name: str, result: Mapping[str, Any]) -> None:
    longest = result["longest"] / _MEGABYTE
    print(
        f"{name}: {result['megabytes']:.2f} MB, {result['documents']} documents, the longest "
        f"{longest:.2f} MB; peak memory {result['peak_memory'] / _MEGABYTE:.0f} MB"
    )
    for label, told in result["contestants"].items():
        line = f"  {label:<34}{told['megabytes_per_second']:>8.2f} MB/s"
        if "ratio" in told:
            line += f"{told['ratio']:>8.2f} of {CONTESTANTS[label].beside}"
        print(line, flush=True)


def table(results: Mapping[str, Any]) -> str:
    """The results as a table of Markdown: a row for each kind, a column for each contestant."""
    labels = [
        label
        for label in CONTESTANTS
        if any(label in result["contestants"] for result in results.values())
    ]
    lines = [f"\n| | {' | '.join(labels)} |", f"|---|{'---|' * len(labels)}"]
    for name, result in results.items():
        cells = [_cell(result["contestants"].get(label)) for label in labels]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(told: Mapping[str, float] | None) -> str:
    if told is None:
        return ""
    speed = f"{told['megabytes_per_second']:.1f} MB/s"
    return f"{speed}, {told['ratio']:.2f}x" if "ratio" in told else speed


def _print_profile(name: str, corpus: Corpus) -> None:
    """Where the time of ours goes, all facts included."""
    works = works_of(CONTESTANTS["structchunk, all facts"], corpus.parts)
    warm_up(works)
    profile = cProfile.Profile()
    for work, documents in works:
        profile.runcall(work, documents)
    print(f"{name}: {corpus.length / _MEGABYTE:.2f} MB, {len(corpus.files)} documents")
    pstats.Stats(profile).strip_dirs().sort_stats("tottime").print_stats(_SHOWN)


if __name__ == "__main__":
    main()
