"""``python -m tests.benchmarks.retrieval FOLDER``: what is found, with our chunks and others."""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from tests.benchmarks.retrieval.corpus import documents, fetch
from tests.benchmarks.retrieval.questions import TASKS, Task, code_task
from tests.benchmarks.retrieval.scoring import Result, interval, oracle, result
from tests.benchmarks.retrieval.search import Vectors
from tests.benchmarks.retrieval.splitters import CODE, CONTESTANTS, Contestant, missing, ours

_ORACLE = "oracle"
_ABLATIONS: Mapping[str, Mapping[str, Any]] = {
    "defaults": {},
    'context="none"': {"context": "none"},
    'granularity="packed"': {"granularity": "packed"},
    "target_size=128": {"target_size": 128},
    "target_size=512": {"target_size": 512},
    "chunk_size=256": {"chunk_size": 256},
    "chunk_size=1024": {"chunk_size": 1024},
    "chunk_overlap=64": {"chunk_overlap": 64},
    'outline="split"': {"outline": "split"},
    'outline="all"': {"outline": "all"},
    'table_rows="linked"': {"table_rows": "linked"},
    "table_profile=False": {"table_profile": False},
}


class _Run(NamedTuple):
    """What is measured.

    Attributes:
        folder: holds the repositories.
        characters: how much text each task has at most, about.
        questions: how many it asks at most.
        meaning: whether an embedding model ranks too, which takes most of the time.
        ablations: whether settings of ours are compared instead of contestants.
    """

    folder: Path
    characters: int
    questions: int
    meaning: bool
    ablations: bool


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.retrieval")
    parser.add_argument("folder", type=Path, help="holds the repositories, as OWNER/NAME")
    parser.add_argument("--fetch", action="store_true", help="fetch those that are not there")
    parser.add_argument("--quick", action="store_true", help="less text and fewer questions")
    parser.add_argument("--meaning", action="store_true", help="rank by an embedding model too")
    parser.add_argument("--ablations", action="store_true", help="our settings instead of peers")
    parser.add_argument("--task", action="append", help="only this one; may be given again")
    parser.add_argument("--workers", type=int, default=2, help="tasks at the same time")
    arguments = parser.parse_args()
    if arguments.fetch:
        fetch(arguments.folder)
    small = arguments.quick or arguments.meaning
    run = _Run(
        arguments.folder,
        80_000 if small else 500_000,
        60 if small else 250,
        arguments.meaning,
        arguments.ablations,
    )
    for name, contestant in CONTESTANTS.items():
        if not run.ablations and missing(contestant):
            print(f"{name} does not take part: pip install {missing(contestant)}")
    names = arguments.task or [*CODE, *TASKS]
    with ProcessPoolExecutor(arguments.workers) as pool:
        columns = dict(zip(names, pool.map(partial(_column, run), names), strict=True))
    print("\n| | " + " | ".join(columns) + " |")
    print("|---|" + "---|" * len(columns))
    for name in (*_contests(run), _ORACLE):
        cells = (
            f"{100 * column[name].share(_last_way(column[name])):.0f}" if name in column else ""
            for column in columns.values()
        )
        print(f"| {name} | " + " | ".join(cells) + " |")


def _contests(run: _Run) -> Mapping[str, Contestant]:
    if run.ablations:
        everywhere = frozenset({*CODE, *TASKS})
        return {
            name: Contestant((partial(ours, **settings),), everywhere)
            for name, settings in _ABLATIONS.items()
        }
    return {name: one for name, one in CONTESTANTS.items() if not missing(one)}


def _column(run: _Run, name: str) -> dict[str, Result]:
    """How all do in one task; printed when it is done."""
    warnings.simplefilter("ignore")  # what peers say about themselves is not about the result
    task = _task(name, run)
    vectors = Vectors() if run.meaning else None
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


def _task(name: str, run: _Run) -> Task:
    found = documents(run.folder, "docs" if name == "prose" else name, run.characters)
    return (
        code_task(name, found, run.questions) if name in CODE else TASKS[name](found, run.questions)
    )


def _best(task: Task, contestant: Contestant, vectors: Vectors | None) -> Result:
    """The result with the size that suits the task best."""
    found = [result(task, split, vectors) for split in contestant.splits]
    return max(found, key=lambda one: one.share(_last_way(one)))


def _last_way(one: Result) -> str:
    return list(one.marks)[-1]


def _line(name: str, column: Mapping[str, Result], seconds: float) -> str:
    """One contestant, and how far it is ahead of the first one, in 95 of 100 cases."""
    first, one = next(iter(column.values())), column[name]
    shares = "  ".join(f"{way} {one.share(way):6.1%}" for way in one.marks)
    low, high = interval(one.marks[_last_way(one)], first.marks[_last_way(one)])
    return (
        f"  {name:24} {shares}  ahead by {low:+6.1%} to {high:+6.1%}  "
        f"{one.pieces:5} chunks  {seconds:5.0f} s"
    )


if __name__ == "__main__":
    main()
