"""The command: chunks, summaries, settings, trees, and what it lists."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any

import pytest
from tiktoken import list_encoding_names

from structchunk_core import Chunk, Chunker, Problem, Span, batch, commands
from structchunk_core.definition import Definition, Head
from structchunk_core.files import read_bytes
from structchunk_core.printing import visible
from structchunk_core.profiles import others, profile, profiled_languages
from structchunk_core.report import SplitDefinition, Summary, summary_of
from structchunk_core.writing import json_line
from tests.command_runs import ORDERS, invoke, project_in, records, run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return project_in(tmp_path)


def test_chunks_go_to_the_file_and_the_summary_to_standard_output(folder: Path) -> None:
    output = folder / "out.jsonl"
    done = run("chunk", folder, "--output", output)
    assert (done.returncode, done.stderr) == (0, b"")
    written = records(output.read_bytes())
    sources = [record["source"] for record in written]
    assert sources == sorted(sources)
    assert set(sources) == {".gitignore", "big.py", "notes.txt", "src/orders.py"}
    lines = done.stdout.decode().splitlines()
    summary = {line[:10].strip(): line[12:] for line in lines}
    assert summary["files"] == "5"
    assert summary["chunks"] == str(len(written))
    counted = sum(Chunker().count(record["embed_text"]) for record in written)
    assert summary["tokens"].replace(",", "") == str(counted)
    assert summary["written to"] == str(output)
    text = done.stdout.decode()
    assert "1 binary" in text
    assert "1 ignored by .gitignore" in text
    assert "1 link" in text
    assert "guessed-encoding in 1 file" in text
    assert "big at big.py:1" in text


def test_records_hold_what_the_core_says(folder: Path) -> None:
    output = folder.parent / "out.jsonl"
    assert run("chunk", folder / "src", "-o", output, "--chunk-size", 100).returncode == 0
    chunks = Chunker(chunk_size=100).chunk(ORDERS, path="orders.py")
    assert output.read_bytes() == b"".join(map(json_line, chunks))
    for record, chunk in zip(records(output.read_bytes()), chunks, strict=True):
        assert record == json.loads(json.dumps(chunk.record()))
        assert record["text"] == chunk.text


def test_a_second_run_gives_the_same_bytes_and_does_not_read_the_first(folder: Path) -> None:
    output = folder / "chunks.jsonl"
    written = []
    for seed in ("1", "2"):
        run("chunk", folder, "-o", output, env={**os.environ, "PYTHONHASHSEED": seed})
        written.append(output.read_bytes())
    assert written[0] == written[1]
    assert written[0]
    assert sorted(path.name for path in folder.iterdir() if "chunks" in path.name) == [output.name]


def test_a_dash_prints_the_chunks_and_nothing_else(folder: Path) -> None:
    done = run("chunk", folder, "-o", "-")
    assert done.returncode == 0
    assert records(done.stdout)
    assert b"files" in done.stderr
    assert run("chunk", folder, "-o", "-", "--quiet").stderr == b""


def test_without_output_there_is_only_the_summary(folder: Path) -> None:
    before = sorted(folder.rglob("*"))
    result = invoke("chunk", folder)
    assert result.exit_code == 0
    assert "files" in result.stdout
    assert sorted(folder.rglob("*")) == before
    assert invoke("chunk", folder, "--quiet").output == ""


def test_settings_reach_the_chunker(folder: Path) -> None:
    output = folder.parent / "out.jsonl"
    file = folder / "src" / "orders.py"
    settings = {
        "--chunk-size": 90,
        "--target-size": 60,
        "--tokenizer": "characters",
        "--granularity": "packed",
        "--context": "inline",
        "--overlap": 20,
    }
    arguments = [str(part) for pair in settings.items() for part in pair]
    result = invoke("chunk", file, "-o", output, *arguments)
    assert result.exit_code == 0
    assert "characters" in result.stdout
    chunker = Chunker(
        chunk_size=90,
        target_size=60,
        tokenizer="characters",
        granularity="packed",
        context="inline",
        chunk_overlap=20,
    )
    chunks = chunker.chunk(ORDERS, path="orders.py")
    assert output.read_bytes() == b"".join(map(json_line, chunks))


def test_format_and_language_win_over_the_name(folder: Path) -> None:
    output = folder.parent / "out.jsonl"
    invoke("chunk", folder / "src" / "orders.py", "-o", output, "--format", "text")
    assert {record["metadata"]["chunk_format"] for record in records(output.read_bytes())} == {
        "text"
    }
    invoke("chunk", folder / "notes.txt", "-o", output, "--language", "ruby")
    assert {record["metadata"]["chunk_language"] for record in records(output.read_bytes())} == {
        "ruby"
    }


def test_what_could_not_be_read_is_named_and_the_code_is_1(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refusing(file: Path) -> object:
        if file.name == "big.py":
            raise PermissionError(13, "Permission denied", str(file))
        return read_bytes(file)

    monkeypatch.setattr(batch, "read_bytes", refusing)
    output = folder.parent / "out.jsonl"
    result = invoke("chunk", folder, "-o", output)
    assert result.exit_code == 1
    assert result.stderr == "could not be read: big.py: Permission denied\n"
    assert "unreadable" in result.stdout
    assert {record["source"] for record in records(output.read_bytes())} == {
        ".gitignore",
        "notes.txt",
        "src/orders.py",
    }


def test_show_prints_the_tree_and_every_chunk(folder: Path) -> None:
    result = invoke("show", folder / "src" / "orders.py", "--chunk-size", 60)
    assert result.exit_code == 0
    assert "class 'Order'" in result.stdout
    chunks = Chunker(chunk_size=60).chunk(ORDERS, path="orders.py")
    assert result.stdout.count("=== ") == len(chunks)
    for chunk in chunks:
        for line in chunk.text.splitlines():
            assert line in result.stdout


def test_show_tells_what_was_added(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    chunk = Chunk(
        text="head\nbody\ntail",
        span=Span(5, 10),
        embed_text="",
        context="where",
        prefix="head\n",
        suffix="tail",
        verbatim=False,
    )
    monkeypatch.setattr(Chunker, "chunk", lambda *_, **__: [chunk])
    (folder / "x.txt").write_text("12345body\n")
    shown = invoke("show", folder / "x.txt").stdout
    assert "\x1b[2mwhere\x1b[0m" in shown
    assert "\x1b[33mhead\x1b[0m" in shown
    assert "\nbody\n" in shown
    assert "\x1b[33mtail\x1b[0m" in shown


def test_show_obeys_nothing_that_stands_in_the_file(folder: Path) -> None:
    file = folder / "trap.py"
    file.write_text('x = "\x1b[31m [bold]\\[/bold] \x07\u202e"\r\n', newline="")
    shown = run("show", file)
    assert shown.returncode == 0
    assert b"\x1b" not in shown.stdout
    assert b"\x07" not in shown.stdout
    assert 'x = "␛[31m [bold]\\[/bold] ␇\ufffd"'.encode() in shown.stdout


def test_a_terminal_that_cannot_print_a_character_gets_an_escape(folder: Path) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    shown = run("show", folder / "notes.txt", env=environment)
    assert shown.returncode == 0
    assert b"Gr\\xf6\\xdfe" in shown.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="names that are not UTF-8 are a thing of Linux")
def test_a_name_that_is_not_utf_8_breaks_nothing(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9.py")
    (tmp_path / name).write_text("x = 1\n")
    output = tmp_path / "out.jsonl"
    done = run("chunk", tmp_path, "-o", output)
    assert (done.returncode, done.stderr) == (0, b"")
    assert records(output.read_bytes())[0]["source"] == name
    assert run("show", tmp_path / name).returncode == 0


def test_a_record_is_one_line_whatever_is_in_it() -> None:
    text = 'a\u2028b\u2029c\x85d\ud800e\udcff"\\\r\n\x0b\x0c\x1c\x1d\x1eß✓'
    line = json_line(Chunk(text=text, span=Span(0, len(text)), embed_text=text))
    assert json.loads(line)["text"] == text
    assert line.decode().splitlines() == [line.decode().removesuffix("\n")]
    assert "ß✓" in line.decode()


def test_visible_text_keeps_its_lines() -> None:
    assert visible("a\r\nb\tc\rd\x00\x7f\x9b\ud800") == "a\nb\tc␍d␀␡\ufffd\ufffd"


def test_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "version", lambda name: f"1.2.3 of {name}")
    assert invoke("--version").output == "1.2.3 of structchunk-parsers\n"


def test_without_metadata_of_a_distribution_there_is_no_version(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(commands, "version", missing)
    result = invoke("--version")
    assert result.exit_code == 0
    assert result.output == "unknown: structchunk-parsers runs here without being installed\n"


def test_tokenizers_are_listed_with_what_reads_them(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = dict(line.split(maxsplit=1) for line in invoke("tokenizers").output.splitlines())
    assert list(listed) == sorted(list_encoding_names())
    assert listed["cl100k_base"].startswith("gigatoken, from 1,000,000 characters")
    monkeypatch.setitem(sys.modules, "gigatoken", None)
    assert "cl100k_base    tiktoken: gigatoken is not installed" in invoke("tokenizers").output


def test_formats_and_help() -> None:
    listed = invoke("formats").output.split()
    assert listed == sorted(listed)
    assert {"code", "markdown", "delimited", "text"} <= set(listed)
    assert run("--help").returncode == 0


def test_languages_are_a_table_of_what_is_known_about_each() -> None:
    head, *lines = invoke("languages").output.splitlines()
    assert head.split() == ["language", "comment", "knows", "defines"]
    rows = {line.split()[0]: line for line in lines}
    assert [line.split()[0] for line in lines] == sorted(rows)
    assert set(rows) == {*others(), *profiled_languages()}
    starts = [head.index(word) for word in head.split()]
    python = [rows["python"][at:].split("  ")[0].rstrip() for at in starts]
    assert python == ["python", "#", "imports calls docstrings", "class function"]
    assert rows["cobol"].endswith("by general rules")
    assert "guarded" in rows["cobol"]
    assert "constructor" in rows["groovy"]  # told by patterns
    assert "/* */" in rows["css"]
    assert all(profile(name).generic for name in rows if "general rules" in rows[name])


def test_without_the_extra_it_says_what_to_install() -> None:
    hide = "import sys; sys.modules['rich'] = None; import importlib.util as u; "
    hide += "find = u.find_spec; u.find_spec = lambda n: None if n == 'rich' else find(n); "
    done = subprocess.run(
        [sys.executable, "-c", hide + "from structchunk_core.cli import main; main()", "--help"],
        check=False,
        capture_output=True,
    )
    assert done.returncode == 2
    assert done.stdout == b""
    assert b"structchunk needs rich" in done.stderr
    assert b"pip install 'structchunk-parsers[cli]'" in done.stderr


def chunk_of(size: int, **facts: Any) -> Chunk:
    return Chunk("", Span(0, 1), "x" * size, size_at_most=size + 5, _count=len, **facts)


def test_a_summary_adds_up() -> None:
    guessed = Problem("guessed-encoding", "")
    broken = Problem("syntax-error", "", 0, 1)
    part = {
        "source": "b.py",
        "_symbols": ("f",),
        "definition": Definition("f", head=Head("def f()")),
        "parent_id": "1",
        "parts": 2,
    }
    first = summary_of(
        [chunk_of(100, problems=(guessed, broken)), chunk_of(50, problems=(broken,))]
    )
    second = summary_of(
        [chunk_of(10), chunk_of(200, part=1, start_line=7, **part), chunk_of(90, part=2, **part)],
    )
    total = Summary() + first + second
    assert (total.files, total.chunks, total.size) == (2, 5, 450)
    assert total.problems == Counter({"guessed-encoding": 1, "syntax-error": 1})
    assert total.split == (SplitDefinition("b.py", 7, "f", 2, 290),)
    assert total.fill(100) == pytest.approx(0.9)
    assert Summary().fill(100) == 0


def test_a_summary_names_the_five_largest() -> None:
    chunks = [
        chunk_of(
            size,
            parts=2,
            parent_id=str(size),
            _symbols=(f"f{size}",),
            definition=Definition("f", head=Head("s")),
        )
        for size in range(1, 10)
    ]
    halves = summary_of(chunks[:5]) + summary_of(chunks[5:])
    assert [split.symbol for split in halves.split] == ["f9", "f8", "f7", "f6", "f5"]
