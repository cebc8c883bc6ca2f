"""How much faster one installation is than another: the sources beside a compiled wheel.

    python -m tests.benchmarks.installations FOLDER OTHER [--only KIND ...] [--megabytes 0.5]

Both folders hold ``structchunk_core``; each is used in a process of its own. In every round both
chunk all documents of a kind, one after the other, so that what slows the machine down slows both;
a speed-up is the median over the rounds, in processor time. The floor is that of ``throughput``, in
the same process. Documents are those of the standard library and the installed packages, unless
files or folders are named behind ``--of``.
"""

from __future__ import annotations

import argparse
import gc
import os
import statistics
import subprocess
import sys
import sysconfig
import time
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from tests.benchmarks.contestants import CONTESTANTS
from tests.benchmarks.throughput import Corpus, corpora_of

_MEGABYTE = 1_000_000
_KINDS = ("python", "c", "markdown", "html", "delimited", "json", "text")
_ASKED = ("floor", "structchunk")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path, help="two that hold structchunk_core")
    parser.add_argument("--of", nargs="+", type=Path, default=[], help="files and folders to chunk")
    parser.add_argument("--megabytes", type=float, default=0.5, help="of each kind")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", nargs="+", default=list(_KINDS), help="kinds of documents")
    arguments = parser.parse_args()
    paths = arguments.of or [Path(sysconfig.get_path(name)) for name in ("stdlib", "purelib")]
    if len(arguments.folders) == 1:  # in a process that main has started
        _serve(corpora_of(paths, int(arguments.megabytes * _MEGABYTE)))
        return
    given = ["--megabytes", str(arguments.megabytes), "--of", *map(str, paths)]
    processes = [_process(folder, given) for folder in arguments.folders[:2]]
    print(f"{'':<12}{'of floor':>10}{'of floor':>10}{'speed-up':>10}")
    for kind in arguments.only:
        rounds = [[_times(one, kind) for one in processes] for _ in range(arguments.rounds + 1)]
        taken = [pair for pair in rounds[1:] if pair[0] and pair[1]]  # the first warms caches up
        if not taken:
            continue
        shares = [statistics.median(pair[n][0] / pair[n][1] for pair in taken) for n in (0, 1)]
        gain = statistics.median(pair[0][1] / pair[1][1] for pair in taken)
        print(f"{kind:<12}{shares[0]:>10.2f}{shares[1]:>10.2f}{gain:>10.2f}", flush=True)
    for one in processes:
        one.terminate()


def _process(folder: Path, given: Sequence[str]) -> subprocess.Popen[str]:
    """A process that has the package of a folder and waits for kinds of documents."""
    command = [sys.executable, "-m", __spec__.name, str(folder), *given]
    here = os.pathsep.join([str(folder.resolve()), str(Path.cwd())])
    return subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": here},
    )


def _times(process: subprocess.Popen[str], kind: str) -> list[float]:
    """The processor time of the floor and of ours, in seconds; nothing of an unknown kind."""
    _stream(process.stdin).write(f"{kind}\n")
    _stream(process.stdin).flush()
    return [float(time) for time in _stream(process.stdout).readline().split()]


def _stream(stream: IO[str] | None) -> IO[str]:
    assert stream is not None
    return stream


def _serve(corpora: Mapping[str, Corpus]) -> None:
    """For each kind that is read, print how long each of those asked took."""
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        kind = line.strip()
        times = []
        for name in _ASKED if kind in corpora else ():
            work = CONTESTANTS[name].make(kind)
            assert work is not None
            gc.collect()
            begin = time.process_time()
            work(corpora[kind].parts[kind])
            times.append(time.process_time() - begin)
        print(*times, flush=True)


if __name__ == "__main__":
    main()
