"""What the command does when reading or writing fails, and what it writes into."""

from __future__ import annotations

import io
import os
import re
import stat
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from rich.progress import Progress

from structchunk_core import Chunk, Chunker, running, writing
from structchunk_core.report import Summary, summary_of
from tests.command_runs import ORDERS, invoke, project_in, records, run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return project_in(tmp_path)


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs the files of Linux")
def test_a_file_that_the_system_cannot_read_gives_1_in_a_process() -> None:
    done = run("chunk", "/proc/self/mem", "--quiet")
    assert done.returncode == 1
    assert done.stderr.startswith(b"could not be read: mem: ")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["chunk"], "Missing argument"),
        (["chunk", "no/such/folder"], "does not exist"),
        (["chunk", ".", "--chunk-size", "3"], "chunk_size must be at least 8 tokens, got 3"),
        (["chunk", ".", "--chunk-size", "many"], "'--chunk-size'"),
        (["chunk", ".", "--tokenizer", "nope"], "nope"),
        (["chunk", ".", "--granularity", "fine"], "fine"),
        (["chunk", ".", "--context", "beside"], "beside"),
        (["chunk", ".", "--overlap", "600"], "600"),
        (["chunk", ".", "--target-size", "600"], "600"),
        (["chunk", "src/orders.py", "--format", "nothing"], "nothing"),
        (["chunk", ".", "-o", "no/such/folder/out.jsonl"], "cannot write to"),
        (["chunk", ".", "-o", "no/such/folder/out.jsonl"], "there is no folder"),
        (["chunk", ".", "-o", "src"], "cannot write to src: Is a directory"),
        (["chunk", ""], "must not be empty"),
        (["chunk", "src", ""], "must not be empty"),
        (["chunk", ".", "-o", ""], "must not be empty"),
        (["show", ""], "must not be empty"),
        (["chunk", "empty", "--format", "nope"], "'nope'"),
        (["chunk", "empty", "--format", ""], "got ''"),
        (["chunk", "empty", "--language", ""], "got ''"),
        (["chunk", "empty", "--language", "a/b"], "got 'a/b'"),
        (["show", "empty.py", "--language", ""], "got ''"),
        (["show", "."], "is a directory"),
        (["show", "src/orders.py", "--chunk-size", "0"], "got 0"),
        (["shout"], "shout"),
    ],
)
def test_wrong_usage_gives_2_and_says_what_is_wrong(
    folder: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    monkeypatch.chdir(folder)
    (folder / "empty").mkdir()
    result = invoke(*arguments)
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())
    assert ".part" not in result.stderr
    assert "Traceback" not in result.stderr


def test_a_defect_does_not_leave_half_a_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    output = folder / "out.jsonl"
    output.write_text("as it was")

    def failing(*_: object) -> Summary:
        raise RuntimeError("a defect")

    monkeypatch.setattr(Summary, "__add__", failing)
    assert isinstance(invoke("chunk", folder, "-o", output).exception, RuntimeError)
    assert output.read_text() == "as it was"
    assert not list(folder.glob(".structchunk*"))


def test_a_defect_costs_the_file_that_it_meets(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chunk = Chunker.chunk

    def failing(self: Chunker, text: str, **more: Any) -> object:
        if more["path"] == "big.py":
            raise RuntimeError("a defect\nof ours")
        return chunk(self, text, **more)

    monkeypatch.setattr(Chunker, "chunk", failing)
    output = folder / "out.jsonl"
    result = invoke("chunk", folder, "-o", output)
    assert result.exit_code == 1
    assert result.stderr.startswith("could not be chunked: big.py: RuntimeError: a defect of ours")
    assert result.stderr.count("\n") == 1
    assert re.search(r"^failed +1$", result.stdout, re.MULTILINE)
    written = {record["source"] for record in records(output.read_bytes())}
    assert written == {".gitignore", "notes.txt", "src/orders.py"}


@pytest.mark.parametrize("name", ["out", "new.jsonl"])
def test_the_unfinished_output_is_a_file_that_nobody_else_has(folder: Path, name: str) -> None:
    output = folder / name
    others = {folder / f"{name}{ending}": ending for ending in (".part", ".tmp", "~")}
    for other, content in others.items():
        other.write_text(content)
    before = set(folder.iterdir())
    assert invoke("chunk", folder / "src", "-o", output).exit_code == 0
    assert set(folder.iterdir()) == before | {output}
    assert {other: other.read_text() for other in others} == others


@pytest.mark.skipif(os.name == "nt", reason="needs the permissions of Unix")
def test_the_output_keeps_its_permissions(folder: Path) -> None:
    output = folder.parent / "out.jsonl"
    invoke("chunk", folder, "-o", output)
    usual = folder.parent / "usual"
    usual.touch()
    assert output.stat().st_mode == usual.stat().st_mode
    output.chmod(0o600)
    invoke("chunk", folder, "-o", output)
    assert stat.S_IMODE(output.stat().st_mode) == 0o600


def hard_link(link: Path, target: Path) -> None:
    link.hardlink_to(target)


def soft_link(link: Path, target: Path) -> None:
    link.symlink_to(target)


@pytest.mark.parametrize("link", [hard_link, soft_link])
@pytest.mark.parametrize("name", ["orders.py", "data.jsonl", "empty.py"])
def test_the_output_is_never_a_file_that_is_chunked(
    folder: Path, monkeypatch: pytest.MonkeyPatch, link: Callable[[Path, Path], None], name: str
) -> None:
    monkeypatch.chdir(folder)
    file = folder / "src" / name
    file.write_text("" if name == "empty.py" else ORDERS)
    before = file.read_bytes()
    link(folder.parent / "other", file)
    for given, output in (
        (file, file),
        (file, f"src/../src/{name}"),
        (f"src/{name}", file),
        (folder.parent / "other", file),
        (file, folder.parent / "other"),
    ):
        for arguments in ([given], ["big.py", given], [".", given]):
            result = invoke("chunk", *arguments, "-o", output)
            assert result.exit_code == 2
            assert "must be another file than those that are chunked" in result.stderr
            assert str(output) in result.stderr
    assert file.read_bytes() == before


def test_an_output_in_a_chunked_folder_is_an_earlier_output(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    link = folder.parent / "link"
    link.symlink_to(folder / "big.py")
    (folder.parent / "same").symlink_to(folder, target_is_directory=True)
    for searched in (folder, ".", "../same"):
        for output in ("big.py", "src/orders.py", folder / "notes.txt", link, "../same/x.log"):
            before = Path(output).read_bytes()
            result = invoke("chunk", searched, "-o", output)
            assert result.exit_code == 2
            assert "is a file in a folder that is chunked" in result.stderr
            assert Path(output).read_bytes() == before
    for output in ("src/empty", "old.jsonl", "old.JSON", "src/new.txt", "../outside"):
        if output != "src/new.txt":
            Path(output).write_text("" if output == "src/empty" else "{}\n")
        assert invoke("chunk", ".", "-o", output).exit_code == 0
        assert records(Path(output).read_bytes())
        Path(output).unlink()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize(
    "arguments",
    [
        ["chunk", "."],
        ["chunk", ".", "-o", "-"],
        ["chunk", ".", "-o", "/dev/full"],
        ["show", "src/orders.py"],
        ["formats"],
        ["--help"],
    ],
)
def test_an_output_that_takes_nothing_gives_1_and_a_message(
    folder: Path, arguments: list[str]
) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "structchunk_core", *arguments],
            check=False,
            cwd=folder,
            stdout=subprocess.PIPE if "/dev/full" in arguments else full,
            stderr=subprocess.PIPE,
            timeout=60,
        )
    assert done.returncode == 1
    assert done.stderr.startswith(b"Error: cannot write to ")
    assert done.stderr.endswith(b"No space left on device\n")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_leaves_the_output_as_it_was(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = folder / "out.jsonl"
    output.write_text("as it was")
    full = writing._File("/dev/full", "wb")
    monkeypatch.setattr(writing, "opened", lambda *_: io.BufferedWriter(full))
    result = invoke("chunk", folder, "-o", output)
    assert result.exit_code == 1
    assert result.stderr == f"Error: cannot write to {output}: No space left on device\n"
    assert output.read_text() == "as it was"


def test_a_closed_standard_output_is_no_traceback(folder: Path) -> None:
    command = f'"{sys.executable}" -m structchunk_core chunk . '
    for more, code in (("", 0), ("-o -", 1)):
        done = subprocess.run(  # noqa: S602  # only a shell closes it
            f"{command} {more} >&-", shell=True, check=False, cwd=folder, stderr=subprocess.PIPE
        )
        assert done.returncode == code
        assert b"Traceback" not in done.stderr


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are a thing of Unix")
def test_a_pipe_that_is_named_gives_1_and_is_not_opened(folder: Path) -> None:
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    for command in ("chunk", "show"):
        result = invoke(command, pipe)
        assert result.exit_code == 1
        assert result.stderr.startswith("could not be read: ")
        assert result.stderr.endswith("pipe: no regular file\n")
    assert invoke("chunk", folder).exit_code == 0
    done = run("chunk", "/dev/stdin", input=b"text")
    assert (done.returncode, done.stderr) == (1, b"could not be read: stdin: no regular file\n")


def test_sizes_are_counted_for_the_summary_alone(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[str] = []

    def summed(chunks: Sequence[Chunk]) -> Summary:
        counted.extend(chunk.source for chunk in chunks)
        return summary_of(chunks)

    monkeypatch.setattr(writing, "summary_of", summed)
    invoke("chunk", folder / "big.py", "--quiet")
    assert counted == []
    invoke("chunk", folder / "big.py")
    assert counted


@pytest.mark.skipif(not Path(os.devnull).is_char_device(), reason="needs a device to write to")
def test_a_device_stays_a_device(folder: Path) -> None:
    assert invoke("chunk", folder, "-o", os.devnull).exit_code == 0
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)


def test_an_output_that_is_a_link_is_written_where_it_leads(folder: Path) -> None:
    target = folder.parent / "real.jsonl"
    target.touch()
    link = folder / "out.jsonl"
    link.symlink_to(target)
    assert invoke("chunk", folder, "-o", link).exit_code == 0
    assert link.is_symlink()
    assert records(target.read_bytes())


def test_a_reader_that_leaves_early_is_no_traceback(folder: Path) -> None:
    (folder / "long.py").write_text("x = 1\n" * 200_000)
    arguments = ["chunk", folder, "-o", "-", "--tokenizer", "characters", "--chunk-size", "64"]
    process = subprocess.Popen(
        [sys.executable, "-m", "structchunk_core", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    assert b"Traceback" not in process.stderr.read()
    process.stderr.close()
    assert process.wait(timeout=60) == 1


def test_the_progress_bar_is_for_long_work_on_a_terminal(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[str] = []
    monkeypatch.setattr(Progress, "start", lambda _: shown.append("bar"))
    invoke("chunk", folder)
    assert shown == []
    monkeypatch.setattr(running, "_LONG_WORK", 1)
    invoke("chunk", folder)
    assert shown == []
    monkeypatch.setattr(Console, "is_terminal", True)
    invoke("chunk", folder, "--quiet")
    assert shown == []
    invoke("chunk", folder)
    assert shown == ["bar"]
