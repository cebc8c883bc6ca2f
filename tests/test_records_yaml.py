"""YAML: what is found in it agrees with PyYAML."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from structchunk_core import Chunk, Chunker
from structchunk_core.formats._records_yaml_scan import scan_yaml
from structchunk_core.unit import Unit
from tests.generators import valid_yaml, yaml_text


def cut(text: str, size: int = 200, **others: Any) -> list[Chunk]:
    """The chunks of a document, by characters."""
    chunker = Chunker(tokenizer="characters", chunk_size=size, table_profile=False, **others)
    return chunker.chunk(text, path="a.yaml")


def load(text: str) -> Any:
    """What a document says, every plain value as it is written."""
    return yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506  # it makes strings only


def spread(unit: Unit) -> list[Unit]:
    """What is in a unit, without the units that only hold several of them."""
    found: list[Unit] = []
    for child in unit.open():
        found += child.open() if child.kind in {"pairs", "values", "records"} else (child,)
    return found


def value_of(unit: Unit, text: str) -> Any:
    """What an entry says: a pair of key and value, or a value."""
    start = text.rfind("\n", 0, unit.start) + 1
    lead = " " * (unit.start - start) if text[start : unit.start].strip() else ""
    children = [child for child in spread(unit) if child.kind not in {"head", "close", "comment"}]
    head = next((text[one.start : one.end] for one in unit.open() if one.kind == "head"), "")
    is_flow = head.rstrip().endswith(("[", "{", '"'))
    if unit.kind in {"pair", "value"} or is_flow:
        whole = load(lead + text[unit.start : unit.end])
        if isinstance(whole, dict) and unit.label and unit.kind != "record":
            ((key, value),) = whole.items()
            assert unit.label.removesuffix("\u2026") in key
            return key, value
        is_item = text[unit.start : unit.end].lstrip().startswith("-")
        return whole[0] if is_item and isinstance(whole, list) else whole
    inner = [value_of(child, text) for child in children]
    value = inner if unit.kind == "sequence" else dict(inner)
    return (unit.label, value) if unit.label and unit.kind != "record" else value


@settings(deadline=None)
@given(valid_yaml())
def test_the_units_say_what_the_document_says(text: str) -> None:
    expected = load(text)
    assume(isinstance(expected, dict | list) and expected)
    parsed = Chunker().parse(text, path="a.yaml")
    assert parsed.problems == ()
    units = [unit for unit in spread(parsed.root) if unit.kind not in {"head", "comment"}]
    found = [value_of(unit, text) for unit in units]
    if len(units) == 1 and not units[0].label and text[units[0].start] in "[{":
        assert found == [expected]
    elif isinstance(expected, list):
        assert found == expected
    else:
        assert dict(found) == expected


@settings(deadline=None)
@given(valid_yaml(), st.integers(30, 300))
def test_a_part_is_yaml_again_unless_a_value_is_cut(text: str, size: int) -> None:
    leaves = [
        (unit.start, unit.end)
        for _, unit in Chunker().parse(text, path="a.yaml").root.walk()
        if unit.kind in {"pair", "value"}
    ]
    for chunk in cut(text, size, context="none"):
        if any(a < edge < b for a, b in leaves for edge in chunk.span if text[edge:b].strip()):
            continue
        starts_line = not text[text.rfind("\n", 0, chunk.span.start) + 1 : chunk.span.start].strip()
        if not chunk.problems and starts_line:
            load(chunk.text)


SAMPLE = """\
# What it is about.
name: shop
url: http://example.org/a:b#c

# Where it stands,
# in two lines.
places:
- "a": b
  'it''s': 1.10
- plain text: it's fine
  over: one
    two lines
  block: |
    - not an item
    key: not a key

    # not a comment
  folded: >-  # a comment
    words
- - nested
  - list
flow: {a: it's, b: [1,
  2], "c": "x]}"}
base: &base
  size: 007
other:
  <<: *base
  empty:
  tagged: !thing
    a: 1
last: "two
  lines: of"
"""


def test_the_sample_is_read_as_it_is_meant() -> None:
    parsed = Chunker().parse(SAMPLE, path="a.yml")
    assert parsed.problems == ()
    labels = [unit.label for unit in parsed.root.open()]
    assert labels == ["name", "url", "places", "flow", "base", "other", "last"]
    items = [unit for unit in parsed.root.open()[2].open() if unit.kind != "head"]
    assert [unit.kind for unit in items] == ["record", "record", "sequence"]
    assert [unit.label for unit in items[1].open()] == [
        "",
        "plain text",
        "over",
        "block",
        "folded",
    ]


def test_comments_stay_with_the_key_below() -> None:
    chunks = cut(SAMPLE, 100, target_size=40)
    (holder,) = [chunk for chunk in chunks if "in two lines" in chunk.text]
    assert "# Where it stands,\n# in two lines.\nplaces:\n" in holder.text


def test_parts_have_the_keys_above_them() -> None:
    items = "".join(f"      - name: item {n}\n        size: {n}\n" for n in range(20))
    text = f"all:\n  of:\n    things:\n{items}"
    chunks = cut(text, 150)
    assert len(chunks) > 3
    found = [one for chunk in chunks for one in load(chunk.text)["all"]["of"]["things"]]
    assert found == load(text)["all"]["of"]["things"]
    assert {chunk.path[:3] for chunk in chunks} == {("all", "of", "things")}


def test_a_part_of_a_record_is_an_item_again() -> None:
    keys = "".join(f"  key{n}: some words here\n" for n in range(20))
    chunks = cut(f"all:\n- name: Oslo\n{keys}- name: Bergen\n", 150)
    merged: dict[str, str] = {}
    for chunk in chunks:
        merged |= load(chunk.text)["all"][0]
    assert len(merged) == 21
    assert chunks[1].path == ("all", "Oslo")


def test_documents_are_records() -> None:
    one = "kind: Service\nmetadata:\n  name: web{}\nspec:\n  ports: [80, 443]\n"
    text = "---\n".join(one.format(n) for n in range(5)) + "...\n"
    parsed = Chunker().parse(text, path="a.yaml")
    assert [unit.kind for unit in parsed.root.open()] == ["record"] * 5
    chunks = cut(text, 120)
    assert [chunk.text.count("kind: Service") for chunk in chunks] == [1] * 5


@pytest.mark.parametrize(
    "text",
    [
        "a: [1, 2\nb: 3\n",
        'a: "x\nb: y\n',
        "a: {b: [\nc: 1\nd: 2\n",
        "a:\n\tb: 1\n",
        "'a: 1\nb: 2\n",
    ],
)
def test_what_is_not_closed_ends_at_the_next_key(text: str) -> None:
    parsed = Chunker().parse(text, path="a.yaml")
    assert [problem.code for problem in parsed.problems] == ["syntax-error"]
    assert parsed.root.open()[-1].label in {"b", "d"} or "\t" in text


@settings(deadline=None)
@given(yaml_text())
def test_what_libyaml_refuses_has_a_problem_and_nothing_else_has(text: str) -> None:
    try:
        list(yaml.parse(text.removeprefix("\ufeff"), Loader=yaml.CSafeLoader))
        is_yaml = True
    except yaml.YAMLError:
        is_yaml = False
    assert (not Chunker().parse(text, path="a.yaml").problems) == is_yaml
    for size in (8, 512):
        chunks = Chunker(chunk_size=size).chunk(text, path="a.yaml")
        codes = {problem.code for chunk in chunks for problem in chunk.problems}
        assert not chunks or ("syntax-error" not in codes) == is_yaml


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a:\n  b: 1\n c: é\n", "c: é"),
        ("\ufeffa: b: c\n", ": c"),
        ("é: 1\n- b\n", "- b"),
        ("é: \x01 b\n", "\x01 b"),
        ("é: \ud800 @\nb: @c", "@c"),
        ("a: 1\nb", "b"),
        ("- 1\n- {a: 'b}\n", "}"),
    ],
)
def test_a_fault_is_where_libyaml_finds_it(text: str, words: str) -> None:
    (problem,) = Chunker().parse(text, path="a.yaml").problems
    assert problem.code == "syntax-error"
    assert text[problem.start : problem.end] == words


def test_a_thousand_tags_take_no_more_time_than_their_length(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(yaml, "CSafeLoader", None)
    text = "".join(f"%TAG !a{n}! b\n" for n in range(1000)) + "---\na: 1\n"
    (problem,) = Chunker().parse(text, path="a.yaml").problems
    assert (problem.code, problem.is_everywhere) == ("not-checked", True)
    assert "%TAG" in problem.message


def test_without_libyaml_each_chunk_says_that_yaml_was_not_checked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = "".join(f"key{n}: [value, {n}]\n" for n in range(40))
    assert not any(chunk.problems for chunk in cut(text, 200))
    monkeypatch.setattr(yaml, "__with_libyaml__", False)
    chunks = cut(text, 200)
    assert len(chunks) > 2
    assert {chunk.metadata()["problems"] for chunk in chunks} == {"not-checked"}
    assert "without libyaml" in chunks[0].problems[0].message


def test_an_indented_line_is_part_of_what_it_continues() -> None:
    text = "a: one\n  - two\n  three: four\nb: 1\n"
    assert [unit.label for unit in Chunker().parse(text, path="a.yaml").root.open()] == ["a", "b"]


def test_parts_of_an_item_in_brackets_are_items_too() -> None:
    names = ["main", "develop", "release", "staging", "feature-one", "feature-two", "three"]
    text = f"m:\n  - [{', '.join(names)}]\n  - b\n"
    found: list[str] = []
    for chunk in cut(text, 60, context="none"):
        (inner,) = load(chunk.text).values() if chunk.text.startswith("m:") else (load(chunk.text),)
        for item in inner:
            found += item if isinstance(item, list) else [item]
    assert found == [*names, "b"]


def test_parts_of_a_string_behind_a_dash_are_indented_as_it_is() -> None:
    lines = [f"line number {number} of it" for number in range(6)]
    whole = "\\n".join(lines)
    text = f'm:\n  - text: "{whole}"\n    more: x\n'
    found = ""
    for chunk in cut(text, 70, context="none"):
        ((item,),) = load(chunk.text).values()
        found += item.get("text", "")
    assert found.split("\n") == lines


def test_what_closes_a_part_is_not_in_a_comment() -> None:
    text = (
        "k:\n  m: [alpha-one-one, # because of a\n    beta-two-two, # because of b\n"
        "    gamma-three, # because of c\n    delta] # d\n"
    )
    chunks = cut(text, 80, context="none")
    assert len(chunks) > 1
    found = [item for chunk in chunks for item in load(chunk.text)["k"]["m"]]
    assert found == ["alpha-one-one", "beta-two-two", "gamma-three", "delta"]


def test_what_ends_a_document_does_not_copy_the_rest() -> None:
    copied: list[int] = []

    class Counted(str):
        __slots__ = ()

        def __getitem__(self, key: Any) -> str:
            found = super().__getitem__(key)
            copied.append(len(found))
            return found

    text = Counted("---\na: 1\n...\n" * 200 + "\n \n")
    found = scan_yaml(text)
    assert len(found.documents) == 200
    assert sum(copied) < 4 * len(text)
