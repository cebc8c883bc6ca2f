"""JSON and what is close to it: what is found in it agrees with the json module."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from structchunk_core import Chunk, Chunker
from structchunk_core.formats._records_units import DEEPEST
from structchunk_core.unit import Unit
from tests.generators import json_text, valid_json


def cut(text: str, size: int = 200, path: str = "a.json", **others: Any) -> list[Chunk]:
    """The chunks of a document, by characters."""
    chunker = Chunker(tokenizer="characters", chunk_size=size, table_profile=False, **others)
    return chunker.chunk(text, path=path)


def value_of(unit: Unit, text: str) -> Any:
    """What the units say: lists, and lists of pairs for objects."""
    inner = list(unit.open())
    body = text[unit.start : unit.end - unit.tail]
    if unit.kind == "pair":
        ((key, value),) = json.loads("{" + body + "}", object_pairs_hook=list)
        assert key.startswith(unit.label.removesuffix("\u2026"))
        return key, value
    if unit.kind == "value":
        return json.loads(body)
    members = []
    for child in inner:
        if child.kind in {"pairs", "values", "records"}:
            members += [value_of(one, text) for one in child.open()]
        elif child.kind not in {"head", "close"}:
            members.append(value_of(child, text))
    if not inner or inner[0].kind != "head":  # the document of a plain value
        return members[0]
    head = text[inner[0].start : inner[0].end].strip()
    key = ""
    if head[0] != head[-1:]:
        key = json.loads(head[:-1].rstrip().removesuffix(":"))
        assert key.startswith(unit.label.removesuffix("\u2026"))
        return key, members if members or head[-1] == "[" else []
    return members


@settings(deadline=None)
@given(valid_json())
def test_the_units_say_what_the_document_says(text: str) -> None:
    parsed = Chunker().parse(text, path="a.json")
    assert parsed.problems == ()
    assume(text.strip())
    assert value_of(parsed.root, text) == json.loads(text, object_pairs_hook=list)


def _is_json(text: str) -> bool:
    try:
        json.loads(text, parse_constant=_no_constant)
    except ValueError:
        return False
    return True


def _no_constant(name: str) -> None:
    raise ValueError(name)


@settings(deadline=None)
@given(json_text())
def test_a_problem_is_noted_exactly_when_it_is_no_json(text: str) -> None:
    assume(text.strip() and not text.startswith("\ufeff"))
    assert (not Chunker().parse(text, path="a.json").problems) == _is_json(text)


@settings(deadline=None)
@given(valid_json(), st.integers(30, 400), st.sampled_from(("definition", "packed")))
def test_a_part_is_json_again_unless_a_string_is_cut(
    text: str, size: int, granularity: str
) -> None:
    strings = [match.span() for match in _STRING.finditer(text)]
    for chunk in cut(text, size, context="none", granularity=granularity):
        if any(a < edge < b for a, b in strings for edge in chunk.span):
            continue
        if not chunk.problems:  # there is room for the keys
            json.loads(chunk.text)


_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


def test_a_long_string_is_cut_into_strings() -> None:
    lines = [f"Line {n} has some words and ends here." for n in range(20)]
    text = json.dumps({"doc": {"title": "T", "text": "\n".join(lines)}})
    chunks = cut(text, 200)
    found = [json.loads(chunk.text)["doc"] for chunk in chunks]
    assert "".join(one.get("text", "") for one in found) == "\n".join(lines)
    assert {chunk.path for chunk in chunks[1:]} == {("doc", "text")}
    assert len({chunk.parent_id for chunk in chunks[1:]}) == 1


@pytest.mark.parametrize("indent", [None, 2])
def test_a_record_in_front_leaves_the_others_as_they_are(indent: int | None) -> None:
    records = [{"name": f"Number {n}", "words": "of it " * 12} for n in range(30)]
    before = cut(json.dumps({"list": records}, indent=indent), 150)
    assert len(before) == 30
    records.insert(0, {"name": "Another", "words": "that is new " * 6})
    after = cut(json.dumps({"list": records}, indent=indent), 150)
    kept = {chunk.id for chunk in before} & {chunk.id for chunk in after}
    assert len(kept) >= 29  # the first one had what opens the document


def test_a_part_of_a_record_says_which_record_it_is() -> None:
    record = {"id": "A-7", "values": {f"key {n}": "some words" for n in range(20)}}
    chunks = cut(json.dumps({"all": [record, {"id": "A-8"}]}), 250)
    assert len(chunks) > 2
    assert all(chunk.path[:2] == ("all", "A-7") for chunk in chunks[:-1])
    assert all("all > A-7" in chunk.context for chunk in chunks[:-1])


def test_keys_are_names_in_paths() -> None:
    text = json.dumps({"\u00e9\n": {"a > b": {"x": "word " * 30}}, "k" * 500: "word " * 30})
    chunks = cut(text, 120, target_size=60)
    assert {chunk.path[:1] for chunk in chunks} == {("\u00e9\n",), ("k" * 119 + "\u2026",)}
    assert chunks[0].path[1] == "a > b"


def test_duplicate_keys_and_numbers_stay_as_they_are() -> None:
    text = '{"a": 1.10, "a": 1e400, "b": 007, "c": 123456789012345678901234567890}'
    (chunk,) = cut(text)
    assert chunk.text == text
    assert [problem.code for problem in chunk.problems] == ["syntax-error"]  # 007
    labels = [unit.label for unit in Chunker().parse(text, path="a.json").root.open()]
    assert labels == ["", "a", "a", "b", "c", ""]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1, 2,]", "no comma behind the last"),
        ('{"a": 1,}', "no comma behind the last"),
        ("[1, // one\n2]", "no comments"),
        ('{"a": NaN}', "no such number"),
        ("{'a': 1}", "single quotes"),
        ("{a: 1}", "without quotes"),
        ('{"a": [1, 2', "not closed"),
        ('{"a": "x', "not JSON"),
        ('{"a": 1}]', "not opened"),
        ("[1 2]", "not JSON"),
        ("[1] [2]", "not JSON"),
    ],
)
def test_what_is_wrong_is_told(text: str, message: str) -> None:
    problems = Chunker().parse(text, path="a.json").problems
    assert all(problem.code == "syntax-error" for problem in problems)
    assert any(message in problem.message for problem in problems)
    assert all(0 <= problem.start < problem.end <= len(text) for problem in problems)


@settings(deadline=None)
@given(
    values=st.lists(
        st.sampled_from(('{"a": 1}', "[]", '["b", {}]', "5", '"c"', "null")), min_size=1
    ),
    ends=st.lists(st.sampled_from(("\n", "\r\n", " \n\n", " ")), min_size=30, max_size=30),
    path=st.sampled_from(("a.jsonl", "a.ndjson")),
)
def test_each_line_of_json_lines_holds_one_value(
    values: list[str], ends: list[str], path: str
) -> None:
    text = "".join(map("".join, zip(values, ends, strict=False)))
    lines = [line for line in text.splitlines() if line.strip()]
    assert (not Chunker().parse(text, path=path).problems) == all(map(_is_json, lines))


def test_a_second_value_in_a_line_is_told_where_it_begins() -> None:
    text = '{"a": 1}\n{"b": 2}{"c": 3}\n[4] [5]\n{"d": 6} 7\n{\n"e": 8\n}\n'
    problems = Chunker().parse(text, path="a.jsonl").problems
    assert {problem.message for problem in problems} == {"a line holds a second value"}
    places = [text[problem.start : problem.end] for problem in problems]
    assert places == ["}{", "] ", " 7\n"]


def test_only_the_broken_place_has_the_problem() -> None:
    records = [json.dumps({"id": n, "words": "of some length, to fill it"}) for n in range(20)]
    records[9] = '{"id": 9, "words": tru, "list": [1, 2}'
    chunks = cut("[" + ",\n".join(records) + "]", 200)
    broken = [chunk for chunk in chunks if chunk.problems]
    assert len(broken) == 1
    assert '"id": 9' in broken[0].text
    assert [chunk.path for chunk in cut(records[9], 20)] != []


def test_comments_are_allowed_where_the_name_says_so() -> None:
    text = "// all\n{\n  a: 1, // one\n  /* two */ 'b': [2,],\n}\n"
    for path in ("a.jsonc", "a.json5", "x.code-workspace"):
        parsed = Chunker().parse(text, path=path)
        assert parsed.problems == ()
        assert [unit.label for unit in parsed.root.open()] == ["", "a", "b", ""]


def test_deep_nesting_is_one_leaf_from_some_depth_on() -> None:
    depth = DEEPEST + 20
    text = "[" * depth + "1" + "]" * depth
    deepest = max(level for level, _ in Chunker().parse(text, path="a.json").root.walk())
    assert deepest == DEEPEST + 1
    codes = {problem.code for chunk in cut(text, 30) for problem in chunk.problems}
    assert "nested-too-deep" in codes


def test_what_is_a_record_is_one_for_filters() -> None:
    for text in ('{"a": {"b": 1}}', "[1, 2]", '[{"a": 1}]', "17"):
        (chunk,) = cut(text)
        assert chunk.element_types == ("record",)
        assert chunk.language == "json"
        assert chunk.symbols == ()


def test_what_closes_a_part_is_not_in_a_comment() -> None:
    text = (
        '{"a": "alpha one", // because of a\n "b": "beta two", // because of b\n'
        ' "c": "gamma", // because of c\n "d": 1}\n'
    )
    chunks = cut(text, 80, path="a.jsonc", context="none")
    assert len(chunks) > 1
    found: dict[str, Any] = {}
    for chunk in chunks:
        bare = re.sub("//[^\\n]*", "", chunk.text)
        found |= json.loads(re.sub(r",(\s*\})", r"\1", bare))
    assert found == {"a": "alpha one", "b": "beta two", "c": "gamma", "d": 1}


def test_commas_without_a_value_are_in_a_chunk() -> None:
    for text in ("[1,,\n2]", "[1,,2,,,3]", "[,,1]"):
        chunks = Chunker(chunk_size=8).chunk(text, path="a.json")
        spans = [chunk.span for chunk in chunks]
        between = [text[one.end : two.start] for one, two in pairwise(spans)]
        assert all(part.strip() in {"", ","} for part in between), spans


@pytest.mark.parametrize("text", ['[{"x": 1} {"x": 2}]', '[\n {"x": 1}\n {"x": 2}\n]\n'])
def test_a_comma_that_is_missing_where_a_cut_falls_is_a_problem(text: str) -> None:
    chunker = Chunker(tokenizer="characters", chunk_size=20, context="none")
    first, second = chunker.chunk(text, path="a.json")
    assert [problem.code for problem in first.problems] == ["syntax-error"]
    assert json.loads(first.text) == [{"x": 1}]
    assert json.loads(second.text) == [{"x": 2}]


def test_no_part_ends_with_a_comma_that_something_stood_behind() -> None:
    inner = {f"k{n}": {"title": f"Title {n}", "type": "string"} for n in range(24)}
    text = json.dumps({"a": {"b": inner, "c": [inner]}, "d": 1}, indent=2)
    parts = 0
    for size in range(600, 2600, 100):
        chunker = Chunker(tokenizer="characters", chunk_size=size, table_profile=False)
        for chunk in chunker.chunk(text, path="a.json"):
            assert not chunk.problems
            assert json.loads(chunk.text)
            parts += 1
    assert parts > 60
