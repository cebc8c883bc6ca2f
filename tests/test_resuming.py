"""Outputs that are taken up again: always what a run from nothing writes, whatever was left."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from structchunk_core import Chunk, Chunker, commands, parquet, resuming, writing
from structchunk_core.arrow import chunk_batch, chunk_schema
from structchunk_core.parquet import ParquetInput, ParquetOutput, ipc_stream
from tests.corpus import write

SETTINGS = ("--tokenizer", "characters", "--chunk-size", "300")
ENDINGS = pytest.mark.parametrize("ending", ["jsonl", "parquet"])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "files"
    root.mkdir()
    write(root)
    (root / "empty.md").touch()
    (root / "last.md").write_text("The last words.")
    (root / "image.png").write_bytes(b"\x89PNG\0\0")
    return root


@pytest.fixture
def chunked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that are chunked."""
    names: list[str] = []
    chunk = Chunker.chunk

    def noting(self: Chunker, text: str, **more: Any) -> list[Chunk]:
        names.append(more["path"])
        return chunk(self, text, **more)

    monkeypatch.setattr(Chunker, "chunk", noting)
    return names


def invoke(folder: Path, output: Path, *more: object) -> Any:
    arguments = ["chunk", folder, "-o", output, *SETTINGS, *more]
    return CliRunner().invoke(commands.application, list(map(str, arguments)))


def unchanged(result: Any) -> int:
    (count,) = re.findall(r"^unchanged +(\d+) of them", result.stdout, re.MULTILINE)
    return int(count)


def content(output: Path) -> object:
    if output.suffix == ".parquet":
        table = pq.read_table(output)
        assert table.schema.equals(chunk_schema())
        return table.to_pylist()
    return output.read_bytes()


def fresh(folder: Path, output: Path) -> object:
    other = output.with_name(f"fresh{output.suffix}")
    assert invoke(folder, other).exit_code == 0
    return content(other)


@ENDINGS
def test_a_resumed_output_is_that_of_a_run_from_nothing(
    folder: Path, tmp_path: Path, chunked: list[str], ending: str
) -> None:
    output = tmp_path / f"out.{ending}"
    first = invoke(folder, output, "--resume")
    assert (first.exit_code, first.stderr) == (0, "")
    assert len(chunked) == 5
    assert content(output) == fresh(folder, output)
    chunked.clear()
    second = invoke(folder, output, "--resume")
    assert chunked == []
    assert unchanged(second) == 5
    lines = second.stdout.splitlines()
    assert [line for line in lines if "unchanged" not in line] == first.stdout.splitlines()
    assert content(output) == fresh(folder, output)
    chunked.clear()
    (folder / "guide.md").write_text("# Other words")
    (folder / "cities.csv").unlink()
    (folder / "new.md").write_text("New words.")
    (folder / "last.md").rename(folder / "first.md")
    assert invoke(folder, output, "--resume").exit_code == 0
    assert chunked == ["first.md", "guide.md", "new.md"]
    assert content(output) == fresh(folder, output)
    chunked.clear()
    assert invoke(folder, output, "--resume", "--quiet").output == ""
    assert chunked == []
    assert {path.name for path in tmp_path.iterdir()} == {
        "files",
        f"fresh.{ending}",
        f"out.{ending}",
        f"out.{ending}.manifest",
    }


@ENDINGS
def test_other_settings_are_another_output(
    folder: Path, tmp_path: Path, chunked: list[str], ending: str
) -> None:
    output = tmp_path / f"out.{ending}"
    invoke(folder, output, "--resume")
    for more in (["--chunk-size", 400], ["--format", "text"], ["--language", "python"]):
        chunked.clear()
        assert invoke(folder, output, "--resume", *more).exit_code == 0
        assert len(chunked) == 5
        chunked.clear()
        invoke(folder, output, "--resume", *more)
        assert chunked == []


def broken_after(count: int) -> Any:
    """A run that ends in the middle of its work, after so many files."""
    add = resuming.ResumableOutput._add
    left = [count]

    def failing(self: Any, *arguments: Any) -> None:
        if not left[0]:
            raise KeyboardInterrupt
        left[0] -= 1
        add(self, *arguments)

    return failing


@ENDINGS
def test_a_run_that_was_cut_short_is_gone_on_with(
    folder: Path,
    tmp_path: Path,
    chunked: list[str],
    monkeypatch: pytest.MonkeyPatch,
    ending: str,
) -> None:
    output = tmp_path / f"out.{ending}"
    for count, redone in ((2, 3), (4, 3), (5, 2)):
        with monkeypatch.context() as patched:
            patched.setattr(resuming.ResumableOutput, "_add", broken_after(count))
            chunked.clear()
            result = invoke(folder, output, "--resume")
            assert result.exit_code == (130 if count < 5 else 0)
            assert len(chunked) <= redone
            assert output.exists() == (count == 5)
    assert content(output) == fresh(folder, output)
    assert not list(tmp_path.glob(".*"))


@ENDINGS
@pytest.mark.parametrize("damage", ["torn manifest", "torn part", "other bytes", "no manifest"])
def test_what_is_half_written_is_made_again(
    folder: Path,
    tmp_path: Path,
    chunked: list[str],
    monkeypatch: pytest.MonkeyPatch,
    ending: str,
    damage: str,
) -> None:
    output = tmp_path / f"out.{ending}"
    with monkeypatch.context() as patched:
        patched.setattr(resuming.ResumableOutput, "_add", broken_after(4))
        invoke(folder, output, "--resume")
    part = tmp_path / f".out.{ending}.part-1"
    manifest = tmp_path / f".out.{ending}.part-1.manifest"
    if damage == "torn manifest":
        manifest.write_bytes(manifest.read_bytes()[:-10])
    elif damage == "torn part":
        os.truncate(part, part.stat().st_size - 10)
    elif damage == "other bytes":
        data = bytearray(part.read_bytes())
        data[10] ^= 1
        part.write_bytes(data)
    else:
        manifest.unlink()
    chunked.clear()
    assert invoke(folder, output, "--resume").exit_code == 0
    assert len(chunked) == (5 if damage == "no manifest" else 2)
    assert content(output) == fresh(folder, output)
    assert not list(tmp_path.glob(".*"))


@ENDINGS
def test_an_output_that_was_replaced_is_not_trusted(
    folder: Path, tmp_path: Path, chunked: list[str], ending: str
) -> None:
    output = tmp_path / f"out.{ending}"
    invoke(folder, output, "--resume")
    for other in (b"", b"something else"):
        output.write_bytes(other)
        chunked.clear()
        assert invoke(folder, output, "--resume").exit_code == 0
        assert len(chunked) >= 4  # an empty file has no chunks that could be wrong
        assert content(output) == fresh(folder, output)
    chunked.clear()
    invoke(folder / "guide.md", output)  # the same settings, other files, no manifest
    assert invoke(folder, output, "--resume").exit_code == 0
    assert len(chunked) >= 5
    assert content(output) == fresh(folder, output)
    for nonsense in ("", "[]", '{"structchunk": 9}\n', "\x00"):
        (tmp_path / f"out.{ending}.manifest").write_text(nonsense)
        assert invoke(folder, output, "--resume").exit_code == 0
        assert content(output) == fresh(folder, output)


@ENDINGS
def test_workers_resume_too(folder: Path, tmp_path: Path, ending: str) -> None:
    output = tmp_path / f"out.{ending}"
    assert invoke(folder, output, "--resume", "--workers", 2).exit_code == 0
    before = output.stat().st_mtime_ns
    (folder / "last.md").write_text("Other last words.")
    second = invoke(folder, output, "--resume", "--workers", 2)
    assert unchanged(second) == 4
    assert content(output) == fresh(folder, output)
    assert output.stat().st_mtime_ns > before


@ENDINGS
@pytest.mark.skipif(os.name == "nt", reason="the test ends a process by a signal")
def test_a_killed_run_is_gone_on_with(tmp_path: Path, ending: str) -> None:
    files = tmp_path / "files"
    files.mkdir()
    for number in range(60):
        (files / f"{number:03}.txt").write_text("Some words. " * 2_000)
    output = tmp_path / f"out.{ending}"
    command = [sys.executable, "-m", "structchunk_core", "chunk", str(files), "-o", str(output)]
    process = subprocess.Popen(
        [*command, "--resume", "--workers", "2", *SETTINGS],
        stdout=subprocess.DEVNULL,
    )
    manifest = tmp_path / f".out.{ending}.part-1.manifest"
    while not manifest.exists() or manifest.read_bytes().count(b"\n") < 5:
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not output.exists()
    taken = manifest.read_bytes().count(b"\n") - 1
    result = invoke(files, output, "--resume")
    assert result.exit_code == 0
    assert unchanged(result) == taken
    assert content(output) == fresh(files, output)


def full_disk(*_: object) -> io.BufferedWriter:
    return io.BufferedWriter(writing._File("/dev/full", "wb"))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@ENDINGS
@pytest.mark.parametrize("resume", [True, False])
def test_a_full_disk_leaves_the_output_as_it_was(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    ending: str,
    resume: bool,
) -> None:
    output = tmp_path / f"out.{ending}"
    output.write_bytes(b"as it was")
    with monkeypatch.context() as patched:
        for module in (writing, resuming):
            patched.setattr(module, "opened", full_disk)
        result = invoke(folder, output, *(["--resume"] if resume else []))
    assert result.exit_code == 1
    assert result.stderr == f"Error: cannot write to {output}: No space left on device\n"
    assert output.read_bytes() == b"as it was"
    assert invoke(folder, output, "--resume").exit_code == 0
    assert content(output) == fresh(folder, output)


@pytest.mark.parametrize(
    ("output", "said"),
    [
        (None, "--resume needs an --output that is a file"),
        ("-", "--resume needs an --output that is a file, got -"),
        (os.devnull, "--resume needs an --output that is a file"),
        ("no/such/folder/out.jsonl", "cannot write to no/such/folder/out.jsonl"),
    ],
)
def test_what_cannot_be_resumed_is_refused(folder: Path, output: str | None, said: str) -> None:
    arguments = ["chunk", str(folder), "--resume", *(["-o", output] if output else [])]
    result = CliRunner().invoke(commands.application, arguments)
    assert result.exit_code == 2
    assert said in result.stderr


@ENDINGS
def test_what_a_run_leaves_is_not_chunked(
    folder: Path, chunked: list[str], monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    output = folder / f"out.{ending}"
    with monkeypatch.context() as patched:
        patched.setattr(resuming.ResumableOutput, "_add", broken_after(3))
        invoke(folder, output, "--resume")
    for _ in range(2):
        assert invoke(folder, output, "--resume").exit_code == 0
    assert {name for name in chunked if "out" in name} == set()


def test_a_manifest_tells_what_is_where(folder: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    invoke(folder, output, "--resume")
    _, *entries = map(json.loads, (tmp_path / "out.jsonl.manifest").read_text().splitlines())
    data = output.read_bytes()
    for entry in entries:
        lines = data[entry["start"] : entry["start"] + entry["length"]].splitlines()
        assert {json.loads(line)["source"] for line in lines} <= {entry["name"]}
    assert sum(entry["length"] for entry in entries) == len(data)


def chunks_of(number: int) -> list[Chunk]:
    return Chunker(chunk_size=50).chunk(
        f"# Part {number}\n\n" + "Words. " * 300, path=f"{number}.md"
    )


@pytest.fixture
def rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, list[Any]]:
    """A file of several row groups, and the batches that were written."""
    monkeypatch.setattr(parquet, "_ROW_GROUP", 60_000)
    batches = [chunk_batch(chunks_of(number)) for number in range(7)]
    path = tmp_path / "rows.parquet"
    with path.open("wb") as file:
        output = ParquetOutput(file, "key")
        assert output.write(b"") == 0
        assert [output.write(ipc_stream(batch)) for batch in batches] == [
            batch.num_rows for batch in batches
        ]
        output.finish()
    assert pq.ParquetFile(path).num_row_groups > 1
    return path, batches


def test_rows_come_back_from_any_place(rows: tuple[Path, list[Any]]) -> None:
    path, batches = rows
    table = pa.Table.from_batches(batches)
    assert pq.read_table(path).to_pylist() == table.to_pylist()
    stored = ParquetInput(path, "key")
    for start, count in ((0, 1), (5, 40), (table.num_rows - 1, 1), (0, table.num_rows)):
        with pa.ipc.open_stream(stored.rows(start, count)) as reader:
            assert reader.read_all().equals(table.slice(start, count))
    assert stored.rows(3, 0) == b""
    with pytest.raises(ValueError, match="there are no 2 rows"):
        stored.rows(table.num_rows - 1, 2)
    stored.close()
    with pytest.raises(ValueError, match="is not the file"):
        ParquetInput(path, "other")
