"""Running the tasks: which contestants take part, and how each does in every way of ranking."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from sys import maxsize
from typing import NamedTuple

from tests.benchmarks.retrieval.ablations import ABLATIONS
from tests.benchmarks.retrieval.corpus import documents, sources
from tests.benchmarks.retrieval.extents import POOL, Extent, sample_size, sampled
from tests.benchmarks.retrieval.questions import Task
from tests.benchmarks.retrieval.reporting import ORACLE, Column, line
from tests.benchmarks.retrieval.scoring import best, oracle, result
from tests.benchmarks.retrieval.search import Vectors
from tests.benchmarks.retrieval.splitters import CONTESTANTS, SIZES, Contestant, given, missing
from tests.benchmarks.retrieval.tasks import ABOUT, TASKS


class Run(NamedTuple):
    """What is measured.

    Attributes:
        folder: holds the repositories, and the vectors that have been made.
        sources: the file that names them.
        extent: how much is asked.
        meaning: whether an embedding model ranks too, which takes most of the time.
        ablations: whether settings of ours are compared instead of contestants.
        splitters: further contestants, by what names them.
        size: of the chunks that each contestant is asked for; None: the better of ``SIZES``.
    """

    folder: Path
    sources: Path
    extent: Extent
    meaning: bool
    ablations: bool = False
    splitters: tuple[str, ...] = ()
    size: int | None = None


class _Job(NamedTuple):
    """A task, by words over all text or in every way of ranking over a sample of it."""

    name: str
    is_sample: bool


def contests(run: Run) -> Mapping[str, Contestant]:
    """Who takes part, by name."""
    if run.ablations:
        return ABLATIONS
    found = {
        **{name: one for name, one in CONTESTANTS.items() if not missing(one)},
        **{name: given(name) for name in run.splitters},
    }
    if run.size is None:
        return found
    number = SIZES.index(run.size)
    return {name: one._replace(splits=[one.splits[number]]) for name, one in found.items()}


def columns(run: Run, names: Sequence[str], workers: int) -> Mapping[str, Mapping[str, Column]]:
    """For each way of ranking and each task how all do; lines are printed as tasks are done.

    Tasks of which the documents ask nothing are left out.

    Args:
        run: what is measured.
        names: of the tasks.
        workers: tasks at the same time.
    """
    jobs = [_Job(name, is_sample=False) for name in names]
    if run.meaning:
        said = sources(run.sources)
        longest = sorted(names, key=lambda name: -sample_size(said, name, run.extent))
        # What takes longest begins, so that no worker is left with it in the end.
        jobs = [*(_Job(name, is_sample=True) for name in longest), *jobs]
    with ProcessPoolExecutor(workers) as pool:
        done = dict(zip(jobs, pool.map(partial(_column, run), jobs), strict=True))
    found: dict[str, dict[str, Column]] = {}
    for way in ("words", "meaning", "both") if run.meaning else ("words",):
        own = {name: done[_Job(name, is_sample=way != "words")] for name in names}
        found[way] = {name: column for name, column in own.items() if column}
    return found


def _column(run: Run, job: _Job) -> Column:
    """How all do in one task, of nobody where nothing is asked; printed when it is done."""
    warnings.simplefilter("ignore")  # what peers say about themselves is not about the result
    task = _task(run, job)
    vectors = Vectors(run.folder / "vectors.sqlite") if job.is_sample else None
    part = "sample" if job.is_sample else "all text"
    size = sum(len(document.text) for document in task.documents)
    said = f"{len(task.documents)} documents, {size:,} characters"
    lines = [f"\n{job.name}, {part}: {said}, {len(task.questions)} questions"]
    column: Column = {}
    if not task.questions:
        print(*lines, sep="\n", flush=True)
        return column
    for one, contestant in contests(run).items():
        if job.name in contestant.kinds:
            begin = time.process_time()
            column[one] = best([result(task, split, vectors) for split in contestant.splits])
            lines.append(line(one, column, time.process_time() - begin))
    begin = time.process_time()
    column[ORACLE] = oracle(task, vectors)
    lines.append(line(ORACLE, column, time.process_time() - begin))
    print("\n".join(lines), flush=True)
    return column


def _task(run: Run, job: _Job) -> Task:
    said = sources(run.sources)
    about = said[ABOUT.get(job.name, job.name)]
    if not job.is_sample:
        found = documents(run.folder, about, run.extent.characters)
        return TASKS[job.name](found, run.extent.questions)
    whole = TASKS[job.name](documents(run.folder, about, POOL), maxsize)
    return sampled(whole, sample_size(said, job.name, run.extent), run.extent.questions)
