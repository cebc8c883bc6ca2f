"""Processes that work through a sequence of tasks, any of which may end its process.

Native code can crash, hang or fill the memory, and nothing inside the process helps then. The
executors of the standard library give up all work when one process dies, and cannot stop one that
hangs. Here each worker has a pipe of its own, at most one task in work and one in wait, so it is
always known which task a process died of: that task is tried once more while nothing else runs,
then given up, and the rest goes on.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import time
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any, Generic, TypeVar

from structchunk_core.errors import ConfigurationError, WorkerError

_READY, _DONE, _RAISED = b"r", b"d", b"e"
_OUT_OF_MEMORY = 77  # the exit code of a worker that noticed it itself
_HELD = 64 << 20  # bytes of results that wait for an earlier one, above which nothing new begins
_AHEAD = 4096  # tasks that may have begun behind the one whose result is due
_QUEUED = 2  # tasks of one worker: in work, and in wait behind it
_START_SECONDS = 120.0
_STARTS = 3  # failures to start in a row, above which there is no point in another try
_OOM_SCORE = b"500"  # the system shall rather end a worker than the process that keeps the results

Task = TypeVar("Task")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Known(Generic[Result]):
    """In the place of a task: a result that is there already and keeps its place in the order."""

    result: Result


@dataclass(frozen=True, slots=True)
class Lost(Generic[Task]):
    """A task that ended its process, or did not end in time, twice; and what happened."""

    task: Task
    reason: str


def work_through(
    work: Callable[[Task], Result],
    tasks: Iterable[Task | Known[Result]],
    *,
    workers: int,
    seconds: float,
) -> Generator[Result | Lost[Task], None, None]:
    """What ``work`` makes of each task, in the order of the tasks, made in worker processes.

    Tasks are taken as they are needed. Results that wait for an earlier one take some 64 MB and
    those of the tasks in work; beyond that no task begins until they are taken. When the iterator
    is closed or interrupted, the processes are ended at once.

    The processes are spawned: they import the main module of the program under another name, as
    those of :mod:`multiprocessing` do.

    Args:
        work: called in the workers; it has to be picklable, and its results too. What it raises
            is raised here, with its traceback as a note; MemoryError counts as a lost process.
        tasks: picklable, small.
        workers: how many processes.
        seconds: that a task may take, by the clock, before its process is ended.

    Raises:
        ConfigurationError: ``work`` cannot be pickled.
        WorkerError: no process could be started.
    """
    crew: _Crew[Task, Result] = _Crew(_pickled(work), workers, seconds)
    try:
        yield from crew.results(iter(tasks))
    finally:
        crew.stop()


def _pickled(work: object) -> bytes:
    try:
        return pickle.dumps(work, pickle.HIGHEST_PROTOCOL)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise ConfigurationError(
            f"what worker processes are given must be picklable: {error}; use functions that are "
            "defined at the top of a module, or no workers"
        ) from error


@dataclass(slots=True, eq=False)
class _Place(Generic[Task, Result]):
    """A task and what has become of it.

    Attributes:
        task: None when the result was known from the start.
        answer: the pickled result; None until there is one.
        known: a result that needs no unpickling, instead.
        reason: why the process of the first try was lost.
    """

    task: Task | None = None
    answer: bytes | None = None
    known: Result | Lost[Task] | None = None
    reason: str = ""

    @property
    def is_settled(self) -> bool:
        return self.answer is not None or self.known is not None


@dataclass(slots=True, eq=False)
class _Worker(Generic[Task, Result]):
    """A process, the tasks it has (the first in work), and since when the first is."""

    process: SpawnProcess
    pipe: Connection[Any, Any]
    since: float
    is_ready: bool = False
    places: deque[_Place[Task, Result]] = field(default_factory=deque)


class _Crew(Generic[Task, Result]):
    """The workers of one run, and the tasks between being taken and being handed out."""

    def __init__(self, work: bytes, workers: int, seconds: float) -> None:
        self._work = work
        self._most = workers
        self._seconds = seconds
        self._workers: list[_Worker[Task, Result]] = []
        self._order: deque[_Place[Task, Result]] = deque()
        self._waiting: deque[_Place[Task, Result]] = deque()  # taken back from a lost process
        self._again: deque[_Place[Task, Result]] = deque()  # to be tried alone
        self._held = 0
        self._failed_starts = 0
        self._has_started = False

    def results(self, tasks: Iterator[Task | Known[Result]]) -> Iterator[Result | Lost[Task]]:
        more = True
        while True:
            more = more and self._hand_out(tasks)
            while self._order and self._order[0].is_settled:
                place = self._order.popleft()
                if place.answer is None:
                    assert place.known is not None
                    yield place.known
                else:
                    self._held -= len(place.answer)
                    yield pickle.loads(place.answer)  # noqa: S301  # from a process of ours
            if self._order:
                self._hand_out_again()
                self._listen()
            elif not more:
                return

    def stop(self) -> None:
        """End all processes, whatever they are doing."""
        for worker in self._workers:
            worker.process.kill()
        for worker in self._workers:
            worker.process.join()
            worker.process.close()
            worker.pipe.close()
        self._workers.clear()

    def _hand_out(self, tasks: Iterator[Task | Known[Result]]) -> bool:
        """Give tasks to workers as long as they and the memory have room; False at their end."""
        while self._held < _HELD and len(self._order) < _AHEAD:
            if self._is_pausing or self._waiting or not self._has_room:
                return True
            task = next(tasks, self)
            if task is self:
                return False
            if isinstance(task, Known):
                self._order.append(_Place(known=task.result))
                continue
            place: _Place[Task, Result] = _Place(task)  # type: ignore[arg-type]  # not Known, self
            self._order.append(place)
            self._give(self._free_worker(), place)
        return True

    def _hand_out_again(self) -> None:
        """Give away what lost processes have left: the innocent first, the others alone."""
        if self._again and not any(worker.places for worker in self._workers):
            self._give(self._new_worker(), self._again.popleft())
        while self._waiting and self._has_room and not self._is_pausing:
            self._give(self._free_worker(), self._waiting.popleft())

    @property
    def _is_pausing(self) -> bool:
        """Whether something has to run alone, or does."""
        return bool(self._again) or any(
            place.reason for worker in self._workers for place in worker.places
        )

    @property
    def _has_room(self) -> bool:
        """Whether some worker, of those that may be, can take a task."""
        return len(self._workers) < self._most or any(
            len(worker.places) < _QUEUED for worker in self._workers
        )

    def _free_worker(self) -> _Worker[Task, Result]:
        """An idle worker, or a new one, or the one with the least to do; there must be room."""
        idle = next((worker for worker in self._workers if not worker.places), None)
        if idle is not None:
            return idle
        if len(self._workers) < self._most:
            return self._new_worker()
        return min(self._workers, key=lambda worker: len(worker.places))

    def _new_worker(self) -> _Worker[Task, Result]:
        """A new process; of too many, an idle one goes."""
        if len(self._workers) >= self._most:
            idle = next(worker for worker in self._workers if not worker.places)
            self._dismiss(idle)
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs, self._work), daemon=True)
        with _interrupts_held_back():
            process.start()
        theirs.close()
        worker: _Worker[Task, Result] = _Worker(process, ours, time.monotonic())
        self._workers.append(worker)
        return worker

    def _give(self, worker: _Worker[Task, Result], place: _Place[Task, Result]) -> None:
        if not worker.places and worker.is_ready:
            worker.since = time.monotonic()
        worker.places.append(place)
        with suppress(OSError):  # it has died: noticed in a moment
            worker.pipe.send(place.task)

    def _listen(self) -> None:
        """Wait until something happens, and take note of it."""
        pipes = [worker.pipe for worker in self._workers]
        ends = [worker.process.sentinel for worker in self._workers]
        heard = set(wait([*pipes, *ends], self._patience()))
        for worker, pipe, end in zip(list(self._workers), pipes, ends, strict=True):
            if pipe in heard:
                try:
                    kind = pipe.recv_bytes()
                    content = b"" if kind == _READY else pipe.recv_bytes()
                except (EOFError, OSError):
                    self._lose(worker, _ending(worker.process))
                else:
                    self._note(worker, kind, content)
            elif end in heard:
                self._lose(worker, _ending(worker.process))
            elif self._overdue(worker) >= 0:
                self._lose(worker, f"it took more than {self._seconds:g} seconds")

    def _patience(self) -> float | None:
        """Seconds until the first worker is overdue."""
        left = [-self._overdue(one) for one in self._workers if one.places or not one.is_ready]
        return max(0.0, min(left)) if left else None

    def _overdue(self, worker: _Worker[Task, Result]) -> float:
        """For how many seconds the worker should have been done; negative before."""
        if worker.is_ready and not worker.places:
            return -1.0
        allowed = self._seconds if worker.is_ready else _START_SECONDS
        return time.monotonic() - worker.since - allowed

    def _note(self, worker: _Worker[Task, Result], kind: bytes, content: bytes) -> None:
        worker.since = time.monotonic()
        if kind == _READY:
            worker.is_ready = self._has_started = True
            self._failed_starts = 0
        elif kind == _DONE:
            place = worker.places.popleft()
            place.answer = content
            self._held += len(content)
        else:
            error, trace = pickle.loads(content)  # noqa: S301  # from a process of ours
            error.add_note(f"in a worker process:\n{trace}")
            raise error

    def _lose(self, worker: _Worker[Task, Result], reason: str) -> None:
        """Go on without a process: its first task is to blame if it had begun."""
        self._dismiss(worker)
        if not worker.is_ready:
            self._failed_starts += 1
            if not self._has_started or self._failed_starts >= _STARTS:
                raise WorkerError(
                    f"a worker process did not start: {reason}. A script has to call this under "
                    '`if __name__ == "__main__":`, since each worker imports it'
                )
        elif worker.places:
            place = worker.places.popleft()
            if not place.reason:
                place.reason = reason
                self._again.append(place)
            else:
                assert place.task is not None
                told = reason if reason == place.reason else f"{place.reason}; {reason}"
                place.known = Lost(place.task, f"{told}, and again when tried alone")
        for place in reversed(worker.places):
            (self._again if place.reason else self._waiting).appendleft(place)

    def _dismiss(self, worker: _Worker[Task, Result]) -> None:
        self._workers.remove(worker)
        worker.process.kill()
        worker.process.join()
        worker.process.close()
        worker.pipe.close()


def _ending(process: SpawnProcess) -> str:
    """How a process that has closed its pipe came to its end."""
    process.join(1)
    code = process.exitcode
    if code is None:
        return "its process no longer answered"
    if code == _OUT_OF_MEMORY:
        return "its process ran out of memory"
    if code >= 0:
        return f"its process ended with exit code {code}"
    with suppress(ValueError):
        name = signal.Signals(-code).name
        hint = " (the system may have been out of memory)" if name == "SIGKILL" else ""
        return f"its process was ended by {name}{hint}"
    return f"its process was ended by signal {-code}"


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """A process that is started here is never reached by Ctrl-C: this process ends it then.

    What a process inherits holds from its first moment on, before it could say so itself.
    """
    if not hasattr(signal, "pthread_sigmask"):  # not on Windows
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # which would let interrupts through when it starts
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(pipe: Connection[Any, Any], work: bytes) -> None:
    """A worker's whole life: tasks come, results go, until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(OSError):  # there is no such file but on Linux
        Path("/proc/self/oom_score_adj").write_bytes(_OOM_SCORE)
    with suppress(EOFError, BrokenPipeError):  # nobody is there any more
        try:
            function = pickle.loads(work)  # noqa: S301  # from the process that started this one
            pipe.send_bytes(_READY)
            while True:
                task = pipe.recv()
                _send(pipe, _DONE, pickle.dumps(function(task), pickle.HIGHEST_PROTOCOL))
                del task
        except (EOFError, BrokenPipeError):
            raise
        except MemoryError:
            os._exit(_OUT_OF_MEMORY)
        except Exception as error:  # noqa: BLE001  # it is raised in the other process
            _send(pipe, _RAISED, _pickled_error(error))


def _send(pipe: Connection[Any, Any], kind: bytes, content: bytes) -> None:
    """Two messages rather than one, of which a large content would have to be copied."""
    pipe.send_bytes(kind)
    pipe.send_bytes(content)


def _pickled_error(error: Exception) -> bytes:
    trace = "".join(traceback.format_exception(error))
    try:
        sent = pickle.dumps((error, trace), pickle.HIGHEST_PROTOCOL)
        pickle.loads(sent)  # noqa: S301  # some errors can be pickled, but not back
    except Exception:  # noqa: BLE001  # whatever its class does
        return pickle.dumps((WorkerError(str(error)), trace), pickle.HIGHEST_PROTOCOL)
    return sent
