from __future__ import annotations

import io
import json
import os
import re
import stat
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from rich.progress import Progress
from tiktoken import list_encoding_names
from typer.testing import CliRunner

from structchunk_core import Chunk, Chunker, Problem, Span, batch, commands, running, writing
from structchunk_core.commands import application
from structchunk_core.definition import Definition, Head
from structchunk_core.files import read_bytes
from structchunk_core.printing import visible
from structchunk_core.profiles import others, profile, profiled_languages
from structchunk_core.report import SplitDefinition, Summary, summary_of
from structchunk_core.writing import json_line

ORDERS = '''"""Orders."""

import decimal


class Order:
    """An order."""

    def total(self) -> decimal.Decimal:
        """What is to be paid."""
        return decimal.Decimal(1)
'''
BIG = "def big(numbers):\n" + "".join(f"    numbers.append({n} * {n})\n" for n in range(400))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (root / "src" / "orders.py").write_text(ORDERS)
    (root / "big.py").write_text(BIG)
    (root / "notes.txt").write_text("Größe zählt.\n" * 3, encoding="latin-1")
    (root / "image.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0")
    (root / "empty.py").touch()
    (root / ".gitignore").write_text("*.log\n")
    (root / "x.log").write_text("nothing")
    (root / "link.py").symlink_to(root / "big.py")
    return root


def invoke(*arguments: object) -> Any:
    """Run the command in this process."""
    return CliRunner().invoke(application, [str(argument) for argument in arguments])


def run(*arguments: object, **options: Any) -> subprocess.CompletedProcess[bytes]:
    """Run the command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "structchunk_core", *map(str, arguments)],
        check=False,
        capture_output=True,
        timeout=120,
        **options,
    )


def records(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data.decode().splitlines()]


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
