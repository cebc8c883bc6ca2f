"""``python -m tests.benchmarks.retrieval FOLDER``: what is found, with our chunks and others."""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks.retrieval.ablations import ABLATIONS
from tests.benchmarks.retrieval.corpus import SOURCES, documents, fetch, sources
from tests.benchmarks.retrieval.questions import Task
from tests.benchmarks.retrieval.scoring import Result, interval, interval_of_means, oracle, result
from tests.benchmarks.retrieval.search import Vectors
from tests.benchmarks.retrieval.splitters import CONTESTANTS, SIZES, Contestant, given, missing
from tests.benchmarks.retrieval.tasks import ABOUT, TASKS

_ORACLE = "oracle"
_OURS = ("structchunk", "structchunk, entries", "structchunk, both forms")


class _Run(NamedTuple):
    """What is measured.

    Attributes:
        folder: holds the repositories.
        sources: the file that names them.
        characters: how much text each task has at most.
        questions: how many it asks at most.
        meaning: whether an embedding model ranks too, which takes most of the time.
        ablations: whether settings of ours are compared instead of contestants.
        splitters: further contestants, by what names them.
        size: of the chunks that each contestant is asked for; None: the better of ``SIZES``.
    """

    folder: Path
    sources: Path
    characters: int
    questions: int
    meaning: bool
    ablations: bool
    splitters: tuple[str, ...]
    size: int | None = None


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.retrieval")
    parser.add_argument("folder", type=Path, help="holds the repositories, as OWNER/NAME")
    parser.add_argument("--fetch", action="store_true", help="fetch those that are not there")
    parser.add_argument(
        "--sources", type=Path, default=SOURCES, help="a file that names others, as sources.toml"
    )
    parser.add_argument("--quick", action="store_true", help="less text and fewer questions")
    parser.add_argument("--characters", type=int, help="of the text that a task has at most")
    parser.add_argument("--questions", type=int, help="that a task asks at most")
    parser.add_argument("--meaning", action="store_true", help="rank by an embedding model too")
    parser.add_argument("--ablations", action="store_true", help="our settings instead of peers")
    parser.add_argument("--task", action="append", choices=[*TASKS], help="may be given again")
    parser.add_argument(
        "--splitter",
        action="append",
        default=[],
        help="one more, as `structchunk audit` takes it: MODULE:CALLABLE, a function of text and "
        "path; may be given again",
    )
    parser.add_argument(
        "--size", type=int, choices=SIZES, help="of all chunks, in tokens, instead of the better"
    )
    parser.add_argument("--workers", type=int, default=2, help="tasks at the same time")
    arguments = parser.parse_args()
    said = sources(arguments.sources)
    if arguments.fetch:
        fetch(arguments.folder, said)
    characters, questions = 1_200_000, 400
    if arguments.quick or arguments.meaning:
        characters, questions = 100_000, 100
    if arguments.quick and arguments.meaning:
        characters, questions = 20_000, 40
    run = _Run(
        arguments.folder,
        arguments.sources,
        arguments.characters or characters,
        arguments.questions or questions,
        arguments.meaning,
        arguments.ablations,
        tuple(arguments.splitter),
        arguments.size,
    )
    contests = _contests(run)
    for name, contestant in CONTESTANTS.items():
        if not run.ablations and missing(contestant):
            print(f"{name} does not take part: pip install {missing(contestant)}")
    names = arguments.task or [name for name in TASKS if ABOUT.get(name, name) in said]
    with ProcessPoolExecutor(arguments.workers) as pool:
        columns = dict(zip(names, pool.map(partial(_column, run), names), strict=True))
    for way in next(iter(columns.values()))[_ORACLE].marks:
        make = _ablations if run.ablations else _table
        print("\n" + "\n".join(make(way, [*contests, _ORACLE], columns)))


def _contests(run: _Run) -> Mapping[str, Contestant]:
    if run.ablations:
        return ABLATIONS
    contests = {
        **{name: one for name, one in CONTESTANTS.items() if not missing(one)},
        **{name: given(name) for name in run.splitters},
    }
    if run.size is None:
        return contests
    number = SIZES.index(run.size)
    return {name: one._replace(splits=[one.splits[number]]) for name, one in contests.items()}


def _column(run: _Run, name: str) -> dict[str, Result]:
    """How all do in one task; printed when it is done."""
    warnings.simplefilter("ignore")  # what peers say about themselves is not about the result
    said = sources(run.sources)[ABOUT.get(name, name)]
    task = TASKS[name](documents(run.folder, said, run.characters), run.questions)
    vectors = Vectors(run.folder / "vectors.sqlite") if run.meaning else None
    lines = [f"\n{name}: {len(task.documents)} documents, {len(task.questions)} questions"]
    column: dict[str, Result] = {}
    for one, contestant in _contests(run).items():
        if name in contestant.kinds:
            begin = time.process_time()
            column[one] = _best(task, contestant, vectors)
            lines.append(_line(one, column, time.process_time() - begin))
    column[_ORACLE] = oracle(task, vectors)
    lines.append(_line(_ORACLE, column, 0))
    print("\n".join(lines), flush=True)
    return column


def _best(task: Task, contestant: Contestant, vectors: Vectors | None) -> Result:
    """The result with the size that suits the task best, when words are ranked."""
    tried = [(result(task, split, None), split) for split in contestant.splits]
    best, split = max(tried, key=lambda one: one[0].share("words"))
    return best if vectors is None else result(task, split, vectors)


def _line(name: str, column: Mapping[str, Result], seconds: float) -> str:
    """One contestant, and how far it is ahead of the first one, in 95 of 100 cases."""
    first, one = next(iter(column.values())), column[name]
    found = [
        f"{way} {one.share(way):6.1%} ({low:+6.1%} to {high:+6.1%})"
        for way in one.marks
        for low, high in [interval(one.marks[way], first.marks[way])]
    ]
    costs = f"{one.pieces:5} chunks  {one.tokens:8,} tokens  {seconds:5.0f} s"
    return f"  {name:24} {'  '.join(found)}  {costs}"


def _table(
    way: str,
    rows: Sequence[str],
    columns: Mapping[str, Mapping[str, Result]],
) -> Iterator[str]:
    """What all found with one way of ranking, as a table of Markdown, in percent."""
    yield f"| by {way} | " + " | ".join(columns) + " |"
    yield "|---|" + "---|" * len(columns)
    for name in rows:
        yield f"| {name} | " + " | ".join(_shares(way, name, columns)) + " |"
    others = [name for name in rows if name not in {*_OURS, _ORACLE}]
    for ours in _OURS:
        leads = (_lead(way, ours, others, column) for column in columns.values())
        yield f"| {ours}: ahead of the best other | " + " | ".join(leads) + " |"


def _ablations(
    way: str,
    rows: Sequence[str],
    columns: Mapping[str, Mapping[str, Result]],
) -> Iterator[str]:
    """As the other table, with what each setting changes in the mean over the tasks that it is in.

    In 95 of 100 cases it is between the two numbers.
    """
    yield f"| by {way} | " + " | ".join(columns) + " | against the defaults |"
    yield "|---|" + "---|" * (len(columns) + 1)
    first, *others = rows
    yield f"| {first} | " + " | ".join(_shares(way, first, columns)) + " | |"
    for name in others:
        there = [column for column in columns.values() if name in column]
        marks = [(column[name].marks[way], column[first].marks[way]) for column in there]
        change = _between(*interval_of_means(marks)) if marks else ""
        yield f"| {name} | " + " | ".join(_shares(way, name, columns)) + f" | {change} |"


def _shares(way: str, name: str, columns: Mapping[str, Mapping[str, Result]]) -> Iterator[str]:
    """What one found in each task, in percent; nothing where it does not take part."""
    for column in columns.values():
        yield f"{100 * column[name].share(way):.0f}" if name in column else ""


def _between(low: float, high: float) -> str:
    return f"{100 * low:+.1f} to {100 * high:+.1f}"


def _lead(way: str, ours: str, others: Sequence[str], column: Mapping[str, Result]) -> str:
    """How far one of ours is ahead of the best of the others, in 95 of 100 cases."""
    there = [name for name in others if name in column]
    if ours not in column or not there:
        return ""
    best = max(there, key=lambda name: column[name].share(way))
    low, high = interval(column[ours].marks[way], column[best].marks[way])
    return f"{100 * low:+.0f} to {100 * high:+.0f}"


if __name__ == "__main__":
    main()
