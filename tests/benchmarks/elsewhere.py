"""Contestants in a process of their own, which has the package of another folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from tests.benchmarks.contestants import CONTESTANTS, Document, Works, seconds_of, warm_up, works_of


class Installation:
    """A process that has the ``structchunk_core`` of a folder. It ends with ``close``.

    Args:
        folder: holds the package, as ``pip install --target`` leaves it.
    """

    def __init__(self, folder: Path) -> None:
        found = folder / "structchunk_core"
        if not found.is_dir():
            raise FileNotFoundError(f"there is no {found}: pip install --target makes one")
        paths = [str(folder.resolve()), str(Path(__file__).parents[2])]
        self._process = subprocess.Popen(
            [sys.executable, "-m", __spec__.name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        )

    def take(self, parts: Mapping[str, Sequence[Document]]) -> None:
        """Give it documents, by their kind, in the place of those before."""
        self._ask({"take": parts})

    def is_able(self, label: str) -> bool:
        """Whether a contestant can cut all of them; fills its caches."""
        return bool(self._ask({"warm up": label}))

    def seconds(self, label: str) -> float:
        """The processor time that a contestant takes for them, which is able to cut them."""
        return float(self._ask({"run": label}))

    def package(self) -> str:
        """Where the package is that it has."""
        return str(self._ask({"package": ""}))

    def close(self) -> None:
        """End the process."""
        self._process.communicate()

    def _ask(self, question: Mapping[str, Any]) -> Any:
        _stream(self._process.stdin).write(json.dumps(question) + "\n")
        _stream(self._process.stdin).flush()
        return json.loads(_stream(self._process.stdout).readline())


def _stream(stream: IO[str] | None) -> IO[str]:
    assert stream is not None
    return stream


def _serve() -> None:
    """Answer what is asked on the lines of stdin."""
    import structchunk_core

    warnings.simplefilter("ignore")
    parts: dict[str, list[Document]] = {}
    made: dict[str, Works] = {}
    for line in sys.stdin:
        [(asked, said)] = json.loads(line).items()
        answer: object = None
        match asked:
            case "take":
                parts, made = said, {}
            case "package":
                answer = structchunk_core.__file__
            case "warm up":
                made[said] = works_of(CONTESTANTS[said], parts)
                warm_up(made[said])
                answer = len(made[said])
            case _:
                answer = seconds_of(made[said])
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    _serve()
