"""Chunking many files: the same outcomes whatever does the work, and one bad file at a time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from structchunk_core import Chunk, Chunker, ConfigurationError, commands
from structchunk_core.batch import (
    ChunkedFile,
    FailedFile,
    Outcome,
    Skipped,
    UnchangedFile,
    Unreadable,
    chunk_files,
)
from structchunk_core.files import BINARY
from structchunk_core.writing import json_line
from tests.corpus import write
from tests.unruly import UnrulyLines, unruly_length

COMMAND = [sys.executable, "-m", "structchunk_core", "chunk"]
UNRULY = Chunker(length_function=unruly_length, chunk_size=200, context="none")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "files"
    root.mkdir()
    write(root)
    (root / "empty.md").touch()
    (root / "image.png").write_bytes(b"\x89PNG\0\0")
    return root


def outcomes(*paths: Path, **arguments: Any) -> list[Outcome[list[Chunk]]]:
    return list(chunk_files(paths, **arguments))


def total(chunks: list[Chunk]) -> int:
    return len(chunks)


def test_workers_make_what_a_plain_loop_makes(folder: Path) -> None:
    missing = folder / "zz.md"
    plain = outcomes(folder, missing)
    assert outcomes(folder, missing, workers=2) == plain
    assert [one.name for one in plain] == sorted(one.name for one in plain)
    assert [one for one in plain if not isinstance(one, ChunkedFile)] == [
        Skipped("image.png", BINARY),
        Unreadable("zz.md", "No such file or directory"),
    ]
    chunked = {one.name: one.result for one in plain if isinstance(one, ChunkedFile)}
    assert chunked["empty.md"] == []
    for name, chunks in chunked.items():
        assert chunks == Chunker().chunk((folder / name).read_text("utf-8"), path=name)
    assert sum(map(len, chunked.values())) >= 3


def test_what_is_made_of_chunks_is_made_where_they_are(folder: Path) -> None:
    counted = list(chunk_files([str(folder)], convert=total))
    assert list(chunk_files([folder], convert=total, workers=1)) == counted
    plain = outcomes(folder)
    assert [one.result for one in counted if isinstance(one, ChunkedFile)] == [
        len(one.result) for one in plain if isinstance(one, ChunkedFile)
    ]


@pytest.mark.parametrize("workers", [None, 1])
def test_a_file_that_is_known_is_not_chunked(folder: Path, workers: int | None) -> None:
    first = [one for one in outcomes(folder) if isinstance(one, ChunkedFile)]
    known = {one.name: one.content for one in first}
    (folder / first[0].name).write_text("changed")
    second = outcomes(folder, known=known, workers=workers)
    changed = [one.name for one in second if isinstance(one, ChunkedFile)]
    assert changed == [first[0].name]
    unchanged = [one.name for one in second if isinstance(one, UnchangedFile)]
    assert unchanged == [one.name for one in first[1:]]


@pytest.mark.skipif(os.name == "nt", reason="the test ends processes by signals")
def test_a_file_that_ends_its_process_is_named_and_the_rest_is_there(tmp_path: Path) -> None:
    texts = {"a.md": "Words.", "b.md": "CRASH", "c.md": "HANG", "d.md": "DEFECT", "e.md": "End."}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    found = outcomes(tmp_path, chunker=UNRULY, workers=2, file_seconds=5)
    assert [one.name for one in found] == list(texts)
    assert [one.name for one in found if isinstance(one, ChunkedFile)] == ["a.md", "e.md"]
    failed = {one.name: one for one in found if isinstance(one, FailedFile)}
    again = ", and again when tried alone"
    assert failed["b.md"].reason == "its process was ended by SIGSEGV" + again
    assert failed["c.md"].reason == "it took more than 5 seconds" + again
    assert failed["d.md"].reason.startswith("LookupError: a defect (unruly.py:")
    assert "Traceback" in failed["d.md"].details


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"workers": 0}, "workers must be at least 1 process"),
        ({"workers": 1.5}, "workers must be a whole number"),
        ({"file_seconds": 0}, "file_seconds must be a positive"),
        ({"file_seconds": "1"}, "file_seconds must be a positive"),
        ({"format": "nope"}, "nope"),
        ({"language": "a/b"}, "a/b"),
    ],
)
def test_wrong_settings_are_refused_at_once(
    tmp_path: Path, arguments: dict[str, Any], said: str
) -> None:
    with pytest.raises(ConfigurationError, match=said):
        chunk_files([tmp_path], **arguments)


def test_a_single_path_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path, str(tmp_path)):
        with pytest.raises(ConfigurationError, match="paths must be several"):
            chunk_files(path)  # type: ignore[arg-type, unused-ignore]  # a str is iterable


def test_settings_that_cannot_be_sent_are_refused(folder: Path) -> None:
    chunker = Chunker(length_function=lambda text: 2 * len(text))
    with pytest.raises(ConfigurationError, match="must be picklable"):
        outcomes(folder, chunker=chunker, workers=1)


def test_a_missing_installation_ends_the_run(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (folder / "a.nothing").write_text("x")
    chunker = Chunker(on_missing_grammar="error")
    with pytest.raises(ImportError, match="no_such_language"):
        outcomes(folder / "a.nothing", chunker=chunker, language="no_such_language", workers=1)


def invoke(*arguments: object) -> Any:
    return CliRunner().invoke(commands.application, [str(argument) for argument in arguments])


def test_the_command_writes_the_same_with_workers(folder: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "1.jsonl", tmp_path / "2.jsonl"
    plain = invoke("chunk", folder, "-o", first)
    result = invoke("chunk", folder, "-o", second, "--workers", 2)
    assert (result.exit_code, result.stderr) == (0, "")
    assert second.read_bytes() == first.read_bytes() != b""
    assert result.stdout.replace("2.jsonl", "1.jsonl") == plain.stdout
    assert invoke("chunk", folder, "--workers", 0).exit_code == 2
    assert invoke("chunk", folder, "--file-seconds", -1).exit_code == 2


@pytest.mark.skipif(os.name == "nt", reason="the test ends processes by signals")
def test_the_command_names_what_failed_and_writes_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "AsLines", UnrulyLines)
    for name in ("a.md", "crash.md", "hang.md", "z.md"):
        (tmp_path / name).write_text(f"Words of {name}.")
    output = tmp_path / "out.jsonl"
    slow = ("--workers", 2, "--file-seconds", 5, "--tokenizer", "characters")
    result = invoke("chunk", tmp_path, "-o", output, *slow)
    assert result.exit_code == 1
    assert result.stderr.splitlines() == [
        f"could not be chunked: {name}: {what}, and again when tried alone"
        for name, what in (
            ("crash.md", "its process was ended by SIGSEGV"),
            ("hang.md", "it took more than 5 seconds"),
        )
    ]
    chunker = Chunker(tokenizer="characters")
    chunks = [
        chunk
        for name in ("a.md", "z.md")
        for chunk in chunker.chunk(f"Words of {name}.", path=name)
    ]
    assert output.read_bytes() == b"".join(map(json_line, chunks))


def children(process: int) -> list[int]:
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(status.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if parent == process:
            found.append(int(status.parent.name))
    return found


def wait_until(what: Callable[[], Any]) -> Any:
    for _ in range(3000):
        if found := what():
            return found
        time.sleep(0.01)
    raise AssertionError("it has not happened")


def _interruptible() -> None:
    """Have a process hear Ctrl-C where a shell has put the tests into the background."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at running processes")
@pytest.mark.parametrize("way", ["interrupt", "reader leaves"])
def test_a_run_that_is_ended_leaves_nothing_behind(tmp_path: Path, way: str) -> None:
    files = tmp_path / "files"
    files.mkdir()
    for number in range(400):
        (files / f"{number:03}.txt").write_text("Some words. " * 20_000)
    output = tmp_path / "out.jsonl"
    output.write_text("as it was")
    target = str(output) if way == "interrupt" else "-"
    process = subprocess.Popen(
        [*COMMAND, str(files), "--workers", "2", "-q", "-o", target],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=_interruptible,  # noqa: PLW1509  # the tests have no threads here
    )
    assert process.stdout is not None
    if way == "interrupt":
        (beside,) = wait_until(lambda: list(tmp_path.glob(".structchunk-*.part")))
        wait_until(lambda: beside.stat().st_size)
        workers = children(process.pid)
        os.killpg(process.pid, signal.SIGINT)
    else:
        process.stdout.readline()
        workers = children(process.pid)
        process.stdout.close()
    assert process.stderr is not None
    said = process.stderr.read()
    process.stderr.close()
    process.stdout.close()
    code = process.wait(60)
    assert code == (130 if way == "interrupt" else 1)
    assert b"Traceback" not in said
    assert len(workers) >= 2
    wait_until(lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["files", "out.jsonl"]
    assert output.read_text() == "as it was"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at running processes")
def test_workers_end_when_the_run_is_killed(tmp_path: Path) -> None:
    for number in range(40):
        (tmp_path / f"{number}.txt").write_text("Some words. " * 20_000)
    process = subprocess.Popen(
        [*COMMAND, str(tmp_path), "--workers", "2", "-o", "-"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdout is not None
    process.stdout.readline()
    workers = children(process.pid)
    assert len(workers) >= 2
    process.kill()
    process.stdout.close()
    process.wait()
    wait_until(lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers))
