"""TOML: what is found in it agrees with tomllib."""

from __future__ import annotations

import sysconfig
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from structchunk_core import Chunk, Chunker
from structchunk_core.unit import Unit
from tests.generators import toml_text, valid_toml

_PROFILES = Path(__file__).parent.parent / "core" / "structchunk_core" / "languages"
_REAL = [*_PROFILES.glob("*.toml"), *Path(sysconfig.get_path("purelib")).rglob("*.toml")]


def cut(text: str, size: int = 200, path: str = "a.toml", **others: Any) -> list[Chunk]:
    """The chunks of a document, by characters."""
    chunker = Chunker(tokenizer="characters", chunk_size=size, table_profile=False, **others)
    return chunker.chunk(text, path=path)


def statements(root: Unit, text: str) -> Iterator[str]:
    """The headers and pairs that the units are, in order."""
    stack = [root]
    while stack:
        unit = stack.pop()
        repeat = unit.repeat.before.strip() if unit.repeat else ""
        if repeat.startswith("["):
            yield repeat
        elif unit.label and text[unit.start : unit.end].strip() and _is_pair(unit, text):
            yield text[unit.start : unit.end]
            continue
        stack.extend(reversed([one for one in unit.open() if one.kind not in {"head", "comment"}]))


def _is_pair(unit: Unit, text: str) -> bool:
    lines = (line.strip() for line in text[unit.start : unit.end].splitlines())
    first = next(line for line in lines if line and not line.startswith("#"))
    return not first.startswith("[")


def check(text: str) -> None:
    """Each statement is one, and all together say what the document says."""
    parsed = Chunker().parse(text, path="a.toml")
    assert parsed.problems == ()
    found = list(statements(parsed.root, text))
    for statement in found:
        one = tomllib.loads(statement)
        assert len(one) <= 1
    assert tomllib.loads("\n".join(found)) == tomllib.loads(text)


@settings(deadline=None)
@given(valid_toml())
def test_the_units_say_what_the_document_says(text: str) -> None:
    check(text)


@pytest.mark.parametrize("path", _REAL, ids=lambda path: path.name)
def test_real_files_are_read_as_tomllib_does(path: Path) -> None:
    check(path.read_text("utf-8"))


SAMPLE = '''\
# The file.

# Its name.
name = "shop"
words = """
[not a table]
# not a comment
a = 1
"""
list = [
  "a]", # one
  [1, 2],
]

[tool]
site."a.b" = {x = 1, y = "]"}

# Of the linter.
[tool.lint]
rules = ["E", 'F"']

[[package]]
name = "one"
size = 007_0
[package.metadata]
of = "one"
[[package]]
name = "two"
'''


def test_the_sample_is_read_as_it_is_meant() -> None:
    root = Chunker().parse(SAMPLE, path="a.toml").root
    assert [(unit.kind, unit.label) for unit in root.open()] == [
        ("comment", ""),
        ("pair", "name"),
        ("pair", "words"),
        ("sequence", "list"),
        ("mapping", "tool"),
        ("sequence", "package"),
    ]
    tool = root.open()[4].open()
    assert [unit.label for unit in tool] == ["", "lint"]
    assert SAMPLE[tool[1].start :].startswith("# Of the linter.\n[tool.lint]\n")
    packages = root.open()[5].open()
    assert [(unit.kind, unit.label) for unit in packages] == [("record", "one"), ("record", "two")]
    assert packages[0].open()[-1].label == "metadata"


def test_parts_have_the_header_above_them() -> None:
    pairs = "".join(f'key{n} = "some words"\n' for n in range(20))
    chunks = cut(f"[a.b]\n{pairs}\n[c]\nd = 1\n", 120)
    merged: dict[str, str] = {}
    for chunk in chunks:
        merged |= tomllib.loads(chunk.text)["a"]["b"]
    assert len(merged) == 20
    assert [chunk.path for chunk in chunks[:3]] == [("a", "b")] * 3


def test_a_part_of_a_long_list_is_a_list() -> None:
    items = "".join(f'  "item {n}",\n' for n in range(30))
    text = f"[project]\nitems = [\n{items}]\n"
    chunks = cut(text, 150, context="none")
    found = [one for chunk in chunks for one in tomllib.loads(chunk.text)["project"]["items"]]
    assert found == [f"item {n}" for n in range(30)]


def test_records_of_a_lock_file_are_whole() -> None:
    record = (
        '[[package]]\nname = "p{0}"\nversion = "1.{0}"\n\n[package.extras]\nall = ["a", "b"]\n\n'
    )
    text = "version = 1\n\n" + "".join(record.format(n) for n in range(30))
    chunks = cut(text, 220)
    for chunk in chunks:
        assert chunk.text.count("[[package]]") == chunk.text.count("[package.extras]")
    assert sum(chunk.text.count("[[package]]") for chunk in chunks) == 30


@settings(deadline=None)
@given(toml_text())
def test_what_tomllib_refuses_has_a_problem_and_nothing_else_has(text: str) -> None:
    try:
        tomllib.loads(text.removeprefix("\ufeff"))
        is_toml = True
    except ValueError:
        is_toml = False
    assert (not Chunker().parse(text, path="a.toml").problems) == is_toml
    for size in (8, 512):
        chunks = Chunker(chunk_size=size).chunk(text, path="a.toml")
        codes = {problem.code for chunk in chunks for problem in chunk.problems}
        assert not chunks or ("syntax-error" not in codes) == is_toml


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a =\nb = 1\n", "="),
        ("\ufeffa = 1\na = 2\n", "2"),
        ("a = 1\nb = \n\nc = 2\n", "="),
        ("x = 1\r\nb = yes # é\r\n", "yes # é\r"),
        ("[t]\n[t]\n", "]"),
        ("b = [1, x]\n", "x]"),
        ("d = 1979-13-27\n", "-13-27"),
    ],
)
def test_a_fault_is_where_tomllib_finds_it(text: str, words: str) -> None:
    (problem,) = Chunker().parse(text, path="a.toml").problems
    assert problem.code == "syntax-error"
    assert text[problem.start : problem.end] == words


@pytest.mark.parametrize("key", ["a", "'a b'", '"="', '"\\""'])
@pytest.mark.parametrize("around", ["{} = 1\n", "[{}]\n", "[[ {} ]]\n", "x = {{y=1,{} = 1}}\n"])
def test_keys_of_many_parts_take_no_more_time_than_others(
    key: str, around: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tomllib, "loads", None)
    text = around.format(" . ".join([key] * 5000))
    (problem,) = Chunker().parse(text, path="a.toml").problems
    assert (problem.code, problem.is_everywhere) == ("not-checked", True)
    assert "so many parts" in problem.message


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("[" * 5000 + "]" * 5000, "nested deeper than tomllib reads"),
        ("1" * 5000, "more digits than tomllib reads"),
    ],
)
def test_what_tomllib_cannot_read_is_said_not_to_be_checked(value: str, why: str) -> None:
    (problem,) = Chunker().parse(f"a = 1\nb = {value}\nc = 2\n", path="a.toml").problems
    assert (problem.code, problem.is_everywhere) == ("not-checked", True)
    assert why in problem.message


def test_what_has_a_fault_needs_no_word_about_the_check() -> None:
    parts = ".".join(["a"] * 5000)
    parsed = Chunker().parse(f"words\n{parts} = 1\n", path="a.toml")
    assert [problem.code for problem in parsed.problems] == ["syntax-error"]


@pytest.mark.parametrize(
    "value", ['"{}"'.format("A" * 400_000), "1" * 400_000, '"{}"'.format('\\" ' * 100_000)]
)
def test_long_values_are_not_taken_for_such_keys(value: str) -> None:
    # It would take minutes if it were tried from each of their characters.
    Chunker().parse(f"x = {value}\n", path="a.toml")


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("a = [1, 2\nb = 3\n", ["a", "b"]),
        ("a = {x = 1\n[t]\nb = 3\n", ["a", "t"]),
        ('a = "x\nb = 3\n', ["a", "b"]),
        ('a = """x\nb = 3\n', ["a", "b"]),
        ("words\nb = 3\n", ["", "b"]),
        ("= 1\nb = 3\n", ["", "b"]),
    ],
)
def test_what_is_broken_is_told_and_ends_early(text: str, labels: list[str]) -> None:
    parsed = Chunker().parse(text, path="a.toml")
    assert [problem.code for problem in parsed.problems] == ["syntax-error"]
    assert [unit.label for unit in parsed.root.open()] == labels


@pytest.mark.parametrize(
    "text",
    [
        (
            'deps = ["alpha>=1", # because of a\n  "beta>=2", # because of b\n'
            '  "gamma>=3", # because of c\n  "delta>=4", # d\n]\n'
        ),
        (
            'deps = [\n  ["alpha>=1", # because of a\n  "beta>=2", # because of b\n'
            '  "gamma>=3", # because of c\n  "delta>=4"], # d\n]\n'
        ),
    ],
    ids=["outer", "inner"],
)
def test_what_closes_a_part_is_not_in_a_comment(text: str) -> None:
    chunks = cut(text, 80, context="none")
    assert len(chunks) > 1
    found: list[str] = []
    for chunk in chunks:
        for item in tomllib.loads(chunk.text)["deps"]:
            found += item if isinstance(item, list) else [item]
    assert found == ["alpha>=1", "beta>=2", "gamma>=3", "delta>=4"]
