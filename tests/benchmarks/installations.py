"""How much faster one installation is than another: the sources beside a compiled wheel.

    python -m tests.benchmarks.installations FOLDER OTHER [--contestant NAME] [--only KIND ...]
        [--megabytes 0.5] [--of FILE_OR_FOLDER ...]

Both folders hold ``structchunk_core``; each is used in a process of its own. In every round both
chunk all documents of a kind, one after the other, so that what slows the machine down slows both;
a speed-up is the median over the rounds, in processor time. The floor is that of ``throughput``, in
the same process. Documents are those of the standard library and the installed packages, unless
files or folders are named behind ``--of``.
"""

from __future__ import annotations

import argparse
import statistics
import sysconfig
from pathlib import Path

from tests.benchmarks.elsewhere import Installation
from tests.benchmarks.throughput import corpora_of

_MEGABYTE = 1_000_000
_KINDS = ("python", "c", "markdown", "html", "delimited", "json", "text")
_FLOOR = "floor"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folders", nargs=2, type=Path, help="two that hold structchunk_core")
    parser.add_argument("--contestant", default="structchunk", help="of ours in throughput")
    parser.add_argument("--of", nargs="+", type=Path, default=[], help="files and folders to chunk")
    parser.add_argument("--megabytes", type=float, default=0.5, help="of each kind")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", nargs="+", default=list(_KINDS), help="kinds of documents")
    arguments = parser.parse_args()
    paths = arguments.of or [Path(sysconfig.get_path(name)) for name in ("stdlib", "purelib")]
    corpora = corpora_of(paths, int(arguments.megabytes * _MEGABYTE))
    both = [Installation(folder) for folder in arguments.folders]
    print(f"{'':<12}{'of floor':>10}{'of floor':>10}{'speed-up':>10}")
    for kind in arguments.only:
        if kind not in corpora:
            continue
        for one in both:
            one.take(corpora[kind].parts)
        asked = (_FLOOR, arguments.contestant)
        if not all(one.is_able(label) for one in both for label in asked):
            continue
        rounds = range(arguments.rounds)
        taken = [[[one.seconds(label) for label in asked] for one in both] for _ in rounds]
        shares = [statistics.median(pair[n][0] / pair[n][1] for pair in taken) for n in (0, 1)]
        gain = statistics.median(pair[0][1] / pair[1][1] for pair in taken)
        print(f"{kind:<12}{shares[0]:>10.2f}{shares[1]:>10.2f}{gain:>10.2f}", flush=True)
    for one in both:
        one.close()


if __name__ == "__main__":
    main()
