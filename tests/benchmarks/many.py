"""Many files in one worker process and in several: speed, who computes how much, and memory.

    python -m tests.benchmarks.many [--megabytes N] [--workers N] [FILE_OR_FOLDER ...]

Without paths: the standard library and the installed packages, source code and documents. What is
written is JSON Lines, as by ``structchunk chunk``. Megabytes for each second of processor time of
the workers say what a core does, also on a busy machine; how much of the processor time the main
process takes bounds how many workers it can feed.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from structchunk_core.batch import ChunkedFile, FoundFile, chunk_files, iter_files
from structchunk_core.writing import AsLines

_MEGABYTE = 1_000_000
_TERABYTE = 1e12
_SUFFIXES = frozenset({".c", ".css", ".h", ".html", ".js", ".md", ".py", ".rst", ".ts", ".txt"})


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--megabytes", type=float, default=100.0, help="of files")
    parser.add_argument("--workers", type=int, default=2, help="beside one")
    arguments = parser.parse_args()
    paths = arguments.paths or [
        Path(sysconfig.get_path("stdlib")),
        Path(sysconfig.get_path("purelib")),
    ]
    files, total = _files(paths, arguments.megabytes * _MEGABYTE)
    largest = max(file.size for file in files) / _MEGABYTE
    print(f"{len(files):,} files, {total / _MEGABYTE:.1f} MB, the largest {largest:.2f} MB")
    print(
        f"{'workers':>8}{'seconds':>9}{'MB/s':>8}{'MB/s a core':>13}{'main':>7}{'peak of one':>13}"
    )
    first = 0.0
    for workers in (1, arguments.workers):
        seconds, own, others = _run(files, workers)
        core = total / _MEGABYTE / others
        print(
            f"{workers:>8}{seconds:>9.1f}{total / _MEGABYTE / seconds:>8.2f}{core:>13.2f}"
            f"{own / (own + others):>7.1%}{_peak_of_children() / _MEGABYTE:>10.0f} MB"
            + (f"  {first / seconds:.2f}x as fast" if first else ""),
            flush=True,
        )
        first = first or seconds
    hours = _TERABYTE / _MEGABYTE / core / 3600
    print(f"1 TB like this: {hours:.0f} hours of one core, or one hour of {hours:.0f} cores")


def _files(paths: Iterable[Path], most: float) -> tuple[list[FoundFile], int]:
    """Files of text up to so many bytes, and how many bytes they are."""
    files: list[FoundFile] = []
    total = 0
    for found in iter_files(list(paths)):
        wanted = isinstance(found, FoundFile) and found.file.suffix in _SUFFIXES and found.size
        if wanted and total < most:
            assert isinstance(found, FoundFile)
            files.append(found)
            total += found.size
    return files, total


def _run(files: list[FoundFile], workers: int) -> tuple[float, float, float]:
    """Seconds by the clock, of this process and of the workers."""
    begin, own, others = time.perf_counter(), time.process_time(), _seconds_of_children()
    with tempfile.TemporaryFile() as output:
        convert = AsLines(writes=True, counts=False)
        for done in chunk_files([found.file for found in files], workers=workers, convert=convert):
            if isinstance(done, ChunkedFile):
                output.write(done.result.data)
            else:
                print("not chunked:", done, file=sys.stderr)
    return (
        time.perf_counter() - begin,
        time.process_time() - own,
        _seconds_of_children() - others,
    )


def _seconds_of_children() -> float:
    """Of processor time, of the processes that have ended."""
    times = os.times()
    return times.children_user + times.children_system


def _peak_of_children() -> int:
    """The most memory that one of the processes which have ended had, in bytes."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * unit


if __name__ == "__main__":
    main()
