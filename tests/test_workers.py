"""Worker processes: what goes wrong in one costs its task, and nothing else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from structchunk_core import ConfigurationError, workers
from structchunk_core.errors import WorkerError
from structchunk_core.workers import Known, Lost, work_through
from tests.unruly import Unruly

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the tests end processes by signals")


def through(folder: Path, *tasks: Any, processes: int = 2, seconds: float = 60) -> list[object]:
    return list(work_through(Unruly(folder), tasks, workers=processes, seconds=seconds))


def tries(folder: Path, task: str) -> int:
    return len(list(folder.glob(f"began {task} *")))


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"


def test_results_come_in_the_order_of_the_tasks(tmp_path: Path) -> None:
    quick = [f"quick {number}" for number in range(20)]
    tasks = ["wait-for quick 5", Known("known"), *quick, Known("last")]
    wanted = ["wait-for quick 5", "known", *quick, "last"]
    assert through(tmp_path, *tasks) == wanted
    assert through(tmp_path) == []
    assert through(tmp_path, Known(1), Known(2)) == [1, 2]


def test_a_lost_process_costs_its_task_which_is_tried_twice(tmp_path: Path) -> None:
    tasks = ["a 1", "crash 1", "a 2", "exit 1", "fill 1", "crash-once 1", "a 3"]
    results = through(tmp_path, *tasks)
    lost = {one.task: one.reason for one in results if isinstance(one, Lost)}
    again = ", and again when tried alone"
    assert lost == {
        "crash 1": "its process was ended by SIGSEGV" + again,
        "exit 1": "its process ended with exit code 3" + again,
        "fill 1": "its process ran out of memory" + again,
    }
    assert [one.task if isinstance(one, Lost) else one for one in results] == tasks
    assert all(tries(tmp_path, task) == 2 for task in ("crash 1", "exit 1", "crash-once 1"))
    assert all(tries(tmp_path, task) == 1 for task in ("a 1", "a 2", "a 3"))


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="looks at running processes")
def test_the_second_try_is_alone(tmp_path: Path) -> None:
    tasks = [f"a {number}" for number in range(30)]
    tasks[3:3] = ["crash-in-company"]
    assert through(tmp_path, *tasks, processes=3) == tasks


def test_what_does_not_end_in_time_is_ended(tmp_path: Path) -> None:
    before, hung, after = through(tmp_path, "a 1", "hang", "a 2", processes=1, seconds=2)
    assert (before, after) == ("a 1", "a 2")
    assert isinstance(hung, Lost)
    assert hung.reason == "it took more than 2 seconds, and again when tried alone"


def test_a_worker_that_somebody_kills_costs_nothing(tmp_path: Path) -> None:
    def kill() -> None:
        (begun,) = wait_until(lambda: list(tmp_path.glob("began wait-for*")))
        os.kill(int(begun.name.rpartition(" ")[2]), signal.SIGKILL)
        (tmp_path / "ended a 3 by hand").touch()

    killer = threading.Thread(target=kill)
    killer.start()
    results = through(tmp_path, "a 1", "a 2", "wait-for a 3", "a 4", "a 5", processes=1)
    killer.join()
    assert results == ["a 1", "a 2", "wait-for a 3", "a 4", "a 5"]
    assert (tries(tmp_path, "wait-for a 3"), tries(tmp_path, "a 4")) == (2, 1)


def wait_until(what: Any) -> Any:
    for _ in range(3000):
        if found := what():
            return found
        time.sleep(0.01)
    raise AssertionError("it has not happened")


@pytest.mark.parametrize(
    ("limit", "most", "last"), [("_AHEAD", 3, "large 1"), ("_HELD", 2 << 20, "large 3")]
)
def test_no_more_is_begun_than_there_is_room_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, most: int, last: str
) -> None:
    monkeypatch.setattr(workers, limit, most)
    taken: list[str] = []

    def tasks() -> Iterator[str]:
        for number in range(60):
            task = f"large {number}" if number else f"wait-for {last}"
            taken.append(task)
            yield task

    running = work_through(Unruly(tmp_path), tasks(), workers=2, seconds=60)
    with closing(running):
        assert next(running) == f"wait-for {last}"
        assert 3 <= len(taken) <= 7
    assert len(taken) <= 7


def test_a_closed_iterator_leaves_no_process(tmp_path: Path) -> None:
    running = work_through(Unruly(tmp_path), ["a 1", "hang 1", "hang 2"], workers=2, seconds=60)
    assert next(running) == "a 1"
    wait_until(lambda: list(tmp_path.glob("began hang*")))
    running.close()
    processes = [int(path.name.rpartition(" ")[2]) for path in tmp_path.glob("began *")]
    assert processes
    assert not any(map(is_alive, processes))


def test_what_the_work_raises_is_raised_here(tmp_path: Path) -> None:
    with pytest.raises(LookupError, match="raise 1") as raised:
        through(tmp_path, "a 1", "raise 1", "a 2")
    assert "in _do" in raised.value.__notes__[0]


def test_work_that_cannot_be_sent_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="must be picklable"):
        list(work_through(lambda task: task, ["a"], workers=1, seconds=60))


SCRIPT = """
import sys
from structchunk_core.workers import work_through
{guard}
    print(list(work_through(str, [1, 2, 3], workers=2, seconds=60)))
"""


def test_a_script_needs_its_guard_and_is_told_so(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(guard='if __name__ == "__main__":'))
    guarded = run(script)
    assert (guarded.returncode, guarded.stdout) == (0, "['1', '2', '3']\n"), guarded.stderr
    script.write_text(SCRIPT.format(guard="if True:"))
    bare = run(script)
    assert bare.returncode == 1
    assert "WorkerError: a worker process did not start" in bare.stderr
    assert 'if __name__ == "__main__"' in bare.stderr.splitlines()[-1]


def run(script: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, script], check=False, capture_output=True, timeout=120, text=True
    )


def test_a_process_that_never_starts_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "_START_SECONDS", 0.0)
    with pytest.raises(WorkerError, match="did not start"):
        through(tmp_path, "a 1")
