"""Work for worker processes that does what content can make native code do: crash, hang, ..."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from structchunk_core import Chunk
from structchunk_core.writing import AsLines, Written


@dataclass(frozen=True, slots=True)
class Unruly:
    """Does what the name of its task says; marks in the folder when it begins and ends."""

    folder: Path

    def __call__(self, task: str) -> object:
        earlier = len(list(self.folder.glob(f"began {task} *")))
        others = self._running()
        begun = self.folder / f"began {task} {earlier} {os.getpid()}"
        begun.touch()
        result = self._do(task, earlier, others)
        begun.with_name(begun.name.replace("began", "ended")).touch()
        return result

    def _running(self) -> set[str]:
        """What has begun and neither ended nor lost its process."""
        names = {path.name.partition(" ")[2] for path in self.folder.glob("began *")}
        names -= {path.name.partition(" ")[2] for path in self.folder.glob("ended *")}
        return {name for name in names if Path(f"/proc/{name.rpartition(' ')[2]}/cmdline").exists()}

    def _do(self, task: str, earlier: int, others: set[str]) -> object:
        word = task.partition(" ")[0]
        if word in {"crash", "crash-once", "crash-in-company"}:
            spared = word != "crash" and earlier and not (word == "crash-in-company" and others)
            if not spared:
                end_process()
        elif word == "hang":
            time.sleep(600)
        elif word == "wait-for":
            while not list(self.folder.glob(f"ended {task.partition(' ')[2]} *")):
                time.sleep(0.01)
            time.sleep(0.5)  # so that more would be done meanwhile, if it were allowed
        elif word == "exit":
            os._exit(3)
        elif word == "fill":
            raise MemoryError
        elif word == "raise":
            raise LookupError(task)
        elif word == "large":
            return bytes(1 << 20)
        return task


def end_process() -> None:
    """End this process as a crash in native code would."""
    os.kill(os.getpid(), signal.SIGSEGV)
    time.sleep(60)


def unruly_length(text: str) -> int:
    """A length function that texts can crash and hang."""
    if "CRASH" in text:
        end_process()
    if "HANG" in text:
        time.sleep(600)
    if "DEFECT" in text:
        raise LookupError("a defect")
    return len(text)


@dataclass(frozen=True, slots=True)
class UnrulyLines(AsLines):
    """Makes lines of chunks, unless the name of the file says otherwise."""

    def __call__(self, chunks: Sequence[Chunk]) -> Written:
        if chunks[0].source.startswith("crash"):
            end_process()
        if chunks[0].source.startswith("hang"):
            time.sleep(600)
        return AsLines.__call__(self, chunks)
