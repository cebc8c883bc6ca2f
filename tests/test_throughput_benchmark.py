"""The benchmark of throughput: what it takes in, how it sets beside the floor, what it writes.

How fast anything is, is not asserted: only that what is told is about the right thing.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from structchunk_core import choosing
from structchunk_core.encoding_files import load_encoding
from structchunk_core.fast_tokens import PAYS_FROM
from tests.benchmarks import contestants, throughput
from tests.benchmarks.contestants import CONTESTANTS, Contestant
from tests.benchmarks.elsewhere import Installation

_OURS = ["structchunk", "structchunk, all facts", "structchunk, characters"]
_WITH_GIGATOKEN = ["structchunk, gigatoken", "structchunk, gigatoken, all facts"]
_PYTHON = 'def name_{0}(value):\n    """What {0} does."""\n    return value + {0}\n\n\n'
_PROSE = "Paragraph {0} says something about parcels that no other says.\n\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number in range(3):
        code = "".join(_PYTHON.format(number * 100 + part) for part in range(60))
        (tmp_path / f"module_{number}.py").write_text(code)
        prose = "".join(_PROSE.format(number * 100 + part) for part in range(60))
        (tmp_path / f"notes_{number}.txt").write_text(prose)
    (tmp_path / "short.py").write_text("x = 1\n")
    (tmp_path / "broken.txt").write_bytes(b"\xff" * 5000)
    return tmp_path


def test_corpora_hold_what_is_asked_for_of_each_kind_and_a_mixture_of_all(folder: Path) -> None:
    corpora = throughput.corpora_of([folder], 11_000)
    assert list(corpora) == ["python", "text", "mixed"]
    names = [path.name for path in corpora["text"].files]
    assert sorted(names) == [f"notes_{n}.txt" for n in range(3)]
    assert corpora["python"].length >= 11_000
    assert {kind: len(part) for kind, part in corpora["mixed"].parts.items()} == {
        "python": 2,
        "text": 2,
    }


def test_a_part_of_a_folder_is_a_sample_of_it_and_always_the_same(tmp_path: Path) -> None:
    for package in "abc":
        for number in range(20):
            (tmp_path / package).mkdir(exist_ok=True)
            (tmp_path / package / f"{number}.txt").write_text(_PROSE.format(number) * 50)
    chosen = throughput.corpora_of([tmp_path], 30_000)["text"].files
    assert len(chosen) < 20  # one package could have filled it
    assert {path.parent.name for path in chosen} == {"a", "b", "c"}
    assert throughput.corpora_of([tmp_path], 30_000)["text"].files == chosen


def test_of_several_folders_one_does_not_crowd_out_another(tmp_path: Path) -> None:
    for folder, count in (("large", 30), ("small", 3), ("empty", 0)):
        (tmp_path / folder).mkdir()
        for number in range(count):
            (tmp_path / folder / f"{number}.txt").write_text(_PROSE.format(number) * 50)
    folders = [tmp_path / name for name in ("large", "small", "empty")]
    chosen = throughput.corpora_of(folders, 40_000, in_turn=True)["text"].files
    first = [path.parent.name for path in chosen][:8]
    assert first == ["large", "small", "large", "small", "large", "small", "large", "large"]
    assert len(set(chosen)) == len(chosen)


def test_another_installation_runs_what_is_compiled_and_no_other_does(
    folder: Path, tmp_path: Path
) -> None:
    """In a process of its own, which has the package of that folder and not this one's."""
    (tmp_path / "installed").mkdir()
    package = Path(choosing.__file__).parent
    (tmp_path / "installed" / "structchunk_core").symlink_to(package)
    corpora = throughput.corpora_of([folder], 20_000)
    compiled = ["compiled", "compiled, characters"]
    some = {name: CONTESTANTS[name] for name in ("floor", "structchunk", *compiled)}
    there = Installation(tmp_path / "installed")
    assert Path(there.package()).is_relative_to(tmp_path)
    for kind in ("python", "mixed"):
        told = throughput.measured(corpora[kind], 1, some, there)["contestants"]
        assert list(told) == list(some)
        assert told["compiled"]["ratio"] > 0
    assert not there.is_able("LlamaIndex, tokens")  # nothing in it cuts text
    there.close()
    alone = throughput.measured(corpora["text"], 1, some)["contestants"]
    assert list(alone) == ["floor", "structchunk"]
    with pytest.raises(FileNotFoundError, match="structchunk_core"):
        Installation(folder)


def test_only_what_has_an_answer_to_each_kind_is_measured(folder: Path) -> None:
    corpora = throughput.corpora_of([folder], 20_000)
    names = ["floor", "parse alone", *_OURS]
    some = {name: CONTESTANTS[name] for name in names}
    result = throughput.measured(corpora["python"], 1, some)
    assert list(result["contestants"]) == names
    assert "ratio" not in result["contestants"]["floor"]
    assert all(result["contestants"][name]["ratio"] > 0 for name in _OURS)
    assert result["peak_memory"] > 10_000_000  # nothing runs Python in less
    assert result["documents"] == 3
    mixed = throughput.measured(corpora["mixed"], 1, some)
    assert "parse alone" not in mixed["contestants"]  # nothing parses text
    assert "ratio" not in mixed["contestants"]["structchunk, characters"]


def test_ratios_are_to_the_contestant_that_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = iter([0, 1, 1, 5, 5, 15])  # they take 1, 4 and 10
    monkeypatch.setattr("tests.benchmarks.contestants.time.process_time", lambda: next(seconds))

    def idle(_kind: str) -> contestants.Work:
        return lambda _documents: None

    some = {
        "floor": Contestant(idle, ""),
        "other": Contestant(idle),
        "third": Contestant(idle, "other"),
    }
    corpus = throughput.corpora_of([folder], 20_000)["text"]
    told = throughput.measured(corpus, 1, some)["contestants"]
    assert told["other"]["ratio"] == 1 / 4
    assert told["third"]["ratio"] == 4 / 10
    assert told["floor"]["megabytes_per_second"] == corpus.length / 1_000_000


def test_ours_are_timed_over_all_that_is_asked_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    class Told:
        def metadata(self) -> None:
            asked.append("facts")

    class Chunker:
        def __init__(self, **settings: object) -> None:
            asked.append(str(settings["tokenizer"]))

        def count(self, text: str) -> None:
            assert len(text) > PAYS_FROM

        def chunk(self, text: str, *, path: str) -> list[Told]:
            asked.append(path + text)
            return [Told()]

    monkeypatch.setattr(contestants, "Chunker", Chunker)
    for name in (*_OURS, *_WITH_GIGATOKEN):
        work = CONTESTANTS[name].make("python")
        assert work is not None
        work([("a.py", "x")])
    tiktoken = str(load_encoding("cl100k_base"))
    assert asked == [
        *(tiktoken, "a.pyx", tiktoken, "a.pyx", "facts", "characters", "a.pyx"),
        *("cl100k_base", "a.pyx", "cl100k_base", "a.pyx", "facts"),
    ]


def test_both_floors_parse_and_tokenise(monkeypatch: pytest.MonkeyPatch) -> None:
    """And without gigatoken nothing stands there in its place."""
    parsed: list[str] = []
    monkeypatch.setattr(contestants, "_parsing", lambda _: parsed.append)
    for name in ("floor", "floor, gigatoken"):
        work = CONTESTANTS[name].make("text")
        assert work is not None
        work([("a.txt", name)])
    assert parsed == ["floor", "floor, gigatoken"]
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    for name in ("floor, gigatoken", *_WITH_GIGATOKEN):
        assert CONTESTANTS[name].make("text") is None


def test_the_command_writes_a_table_and_json_and_profiles(folder: Path, tmp_path: Path) -> None:
    written = tmp_path / "results.json"
    command = [sys.executable, "-m", "tests.benchmarks.throughput", str(folder), "--only", "text"]
    command += ["--megabytes", "0.02"]
    options = ["--rounds", "1", "--json", str(written)]
    done = subprocess.run([*command, *options], check=True, capture_output=True, text=True)
    results = json.loads(written.read_text())
    assert list(results) == ["text"]
    assert set(results["text"]["contestants"]) >= {"floor", *_OURS, "LangChain recursive"}
    assert "peak memory" in done.stdout
    rows = [line for line in done.stdout.splitlines() if line.startswith("|")]
    assert len(rows) == 3
    assert len({row.count("|") for row in rows}) == 1
    named = ["--contestants", "structchunk", "--rounds", "1"]
    few = subprocess.run([*command, *named], check=True, capture_output=True, text=True)
    assert "| | floor | structchunk |" in few.stdout
    profile = subprocess.run([*command, "--profile"], check=True, capture_output=True, text=True)
    assert "function calls" in profile.stdout
    assert re.search(r"[a-z]+\.py:\d+\(\w+\)", profile.stdout)
