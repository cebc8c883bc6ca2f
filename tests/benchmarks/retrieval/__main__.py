"""``python -m tests.benchmarks.retrieval FOLDER``: what is found, with our chunks and others."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from tests.benchmarks.retrieval.corpus import documents, fetch
from tests.benchmarks.retrieval.questions import TASKS, Task, code_task
from tests.benchmarks.retrieval.scoring import Result, interval, oracle, result
from tests.benchmarks.retrieval.search import Vectors
from tests.benchmarks.retrieval.splitters import CODE, CONTESTANTS, Contestant, missing, ours

_ORACLE = "oracle"
_ABLATIONS: Mapping[str, Mapping[str, Any]] = {
    "as it is": {},
    "context none": {"context": "none"},
    "granularity packed": {"granularity": "packed"},
    "target 128": {"target_size": 128},
    "target 512": {"target_size": 512},
    "chunk 256": {"chunk_size": 256},
    "chunk 1024": {"chunk_size": 1024},
    "overlap 64": {"chunk_overlap": 64},
    "outline split": {"outline": "split"},
    "outline all": {"outline": "all"},
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.retrieval")
    parser.add_argument("folder", type=Path, help="holds the repositories, as OWNER/NAME")
    parser.add_argument("--fetch", action="store_true", help="fetch those that are not there")
    parser.add_argument("--quick", action="store_true", help="fewer questions, words alone")
    parser.add_argument("--words", action="store_true", help="rank by words alone")
    parser.add_argument("--ablations", action="store_true", help="our settings instead of peers")
    parser.add_argument("--task", action="append", help="only this one; may be given again")
    arguments = parser.parse_args()
    if arguments.fetch:
        fetch(arguments.folder)
    names = arguments.task or [*CODE, *TASKS]
    characters, most = (60_000, 30) if arguments.quick else (200_000, 100)
    vectors = None if arguments.quick or arguments.words else Vectors()
    tasks = [_task(name, arguments.folder, characters, most) for name in names]
    if arguments.ablations:
        contests = {
            name: Contestant((partial(ours, **settings),), frozenset(names))
            for name, settings in _ABLATIONS.items()
        }
    else:
        contests = _contests()
    _run(tasks, contests, vectors)


def _task(name: str, folder: Path, characters: int, most: int) -> Task:
    source = "docs" if name == "prose" else name
    found = documents(folder, source, characters)
    return code_task(name, found, most) if name in CODE else TASKS[name](found, most)


def _contests() -> dict[str, Contestant]:
    found = {}
    for name, contestant in CONTESTANTS.items():
        package = missing(contestant)
        if package:
            print(f"{name} does not take part: pip install {package}")
        else:
            found[name] = contestant
    return found


def _run(
    tasks: Iterable[Task], contests: Mapping[str, Contestant], vectors: Vectors | None
) -> None:
    columns: dict[str, dict[str, Result]] = {}
    for task in tasks:
        column = columns[task.name] = {}
        print(f"\n{task.name}: {len(task.documents)} documents, {len(task.questions)} questions")
        for name, contestant in contests.items():
            if task.name in contestant.kinds:
                begin = time.process_time()
                column[name] = _best(task, contestant, vectors)
                _print(name, column, time.process_time() - begin)
        column[_ORACLE] = oracle(task, vectors)
        _print(_ORACLE, column, 0)
    print("\n| | " + " | ".join(columns) + " |")
    print("|---|" + "---|" * len(columns))
    for name in (*contests, _ORACLE):
        cells = (
            f"{100 * column[name].share(_last_way(column[name])):.0f}" if name in column else ""
            for column in columns.values()
        )
        print(f"| {name} | " + " | ".join(cells) + " |")


def _best(task: Task, contestant: Contestant, vectors: Vectors | None) -> Result:
    """The result with the size that suits the task best."""
    found = [result(task, split, vectors) for split in contestant.splits]
    return max(found, key=lambda one: one.share(_last_way(one)))


def _last_way(one: Result) -> str:
    return list(one.marks)[-1]


def _print(name: str, column: Mapping[str, Result], seconds: float) -> None:
    """A line about one contestant, and how far the first one is ahead of it."""
    first, one = next(iter(column.values())), column[name]
    shares = "  ".join(f"{way} {one.share(way):6.1%}" for way in one.marks)
    way = _last_way(one)
    low, high = interval(first.marks[way], one.marks[way])
    print(
        f"  {name:24} {shares}  ahead by {low:+6.1%} to {high:+6.1%}  "
        f"{one.pieces:5} chunks  {seconds:5.0f} s",
        flush=True,
    )


if __name__ == "__main__":
    main()
