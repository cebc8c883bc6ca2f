"""What records of each syntax say, held against the parsers of others."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from html import escape, unescape
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from structchunk_core import Chunker
from structchunk_core.formats._records_values import Written, flattened
from structchunk_core.formats._records_xml_words import without_tags
from structchunk_core.table_model import Table
from tests.test_record_tables import tables

ROWS = 6


def rows_of(text: str, path: str) -> list[dict[str, str]]:
    """The one table of a document, its rows as mappings without empty cells."""
    (table,) = (table for _, table in tables(text, path))
    return list(_told(table))


def _told(table: Table) -> Iterator[dict[str, str]]:
    for row in table.rows():
        yield {name: value for name, value in zip(table.names, row.values, strict=True) if value}


def on_one_line(words: str) -> str:
    return " ".join(words.split())


# YAML, as PyYAML's nodes say it: their text, before a type is made of it.


class _Reader:
    """The nodes of PyYAML as the cells of a record."""

    def __init__(self, node: yaml.Node) -> None:
        self.cells: dict[str, str] = {}
        self._read("", node)

    def _read(self, name: str, node: yaml.Node) -> None:
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                self._read(f"{name}.{_words(key)}" if name else _words(key), value)
        elif isinstance(node, yaml.SequenceNode):
            told = [_words(item) for item in node.value]
            self._take(name, ", ".join(told))
        else:
            self._take(name, _words(node))

    def _take(self, name: str, value: str) -> None:
        before = self.cells.get(name, "")
        self.cells[name] = f"{before}, {value}" if before else value


def _words(node: yaml.Node) -> str:
    assert isinstance(node, yaml.ScalarNode)
    is_null = node.style is None and node.tag == "tag:yaml.org,2002:null"
    return "" if is_null else on_one_line(node.value)


def yaml_rows(text: str) -> list[dict[str, str]]:
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    assert isinstance(root, yaml.SequenceNode)
    return [
        {key: value for key, value in _Reader(node).cells.items() if value} for node in root.value
    ]


_WORDS = st.sampled_from(
    ["word", "two words", "it's", 'say "x"', "a#b", "a:b", "x, y", "null", "~", "- x", "#", "é",
     "[1]", "{a}", "12", "1.50", "0x1F", "true", "http://host/#part", "back\\slash", "a: b", "? a",
     "& b", "* c", "! d", "| e", "> f", "% g", "@ h", "tab\there", "line\nend", "a  b", "-", ":"]
)  # fmt: skip
_PLAIN = st.sampled_from(
    ["word", "two words", "it's", 'say "x"', "a#b", "a:b", "null", "~", "", "12", "1.50", "0x1F",
     "true", "http://host/#part", "back\\slash", "R&D", "Wow!", "a - b", "007", "2024-05-03",
     "NULL"]
)  # fmt: skip
_COMMENTS = st.sampled_from(
    ["", "", "  # it's a comment", ' # with "quotes" and: marks', " # [x] {y}", " #"]
)


@st.composite
def _scalars(draw: st.DrawFn, indent: str, *, is_flow: bool) -> str:
    """A scalar as it is written behind a colon, with what may follow on its line."""
    comment = "" if is_flow else draw(_COMMENTS)
    style = draw(st.integers(0, 2 if is_flow else 5))
    if style == 0:
        plain = draw(_PLAIN)
        return plain + comment
    words = draw(_WORDS)
    if style == 1:
        return json.dumps(words, ensure_ascii=draw(st.booleans())) + comment
    if style == 2:
        return "'" + words.replace("'", "''").replace("\n", " ") + "'" + comment
    lines = draw(
        st.lists(
            _WORDS.filter(lambda one: "\n" not in one and "\t" not in one), min_size=1, max_size=3
        )
    )
    if style == 3:
        mark = draw(st.sampled_from(["|", ">", "|-", ">+", "|2-", ">-2"]))
        return f"{mark}{comment}\n" + "\n".join(f"{indent}  {line}" for line in lines)
    first = draw(_PLAIN.filter(lambda one: one not in ("", "null", "~", "NULL")))
    more = draw(
        st.sampled_from(["- more", "more words", "'quoted", '"quoted', "[more", "#no"[1:], "- - x"])
    )
    if style == 4:
        return f"{first}\n{indent}  {more}" + comment
    properties = draw(st.sampled_from(["!!str ", "&name ", "!tag ", "!!str &name ", "&name !tag "]))
    tagged = draw(st.sampled_from(["word", "null", '"x"', "'y'"]))
    return f"{properties}{tagged}{comment}"


@st.composite
def _flows(draw: st.DrawFn, indent: str) -> str:
    """A list or mapping in brackets, on one line or several."""
    glue = draw(st.sampled_from([", ", ",", f",\n{indent}    ", f',  # it\'s "so"\n{indent}    ']))
    is_list = draw(st.booleans())
    items = draw(st.lists(_scalars(indent, is_flow=True).filter(bool), min_size=1, max_size=3))
    if is_list:
        return f"[{glue.join(items)}]"
    pairs = [f"k{number}: {item}" for number, item in enumerate(items)]
    pairs += draw(st.lists(st.just("\"q\": 'a #b'"), max_size=1))
    return f"{{{glue.join(pairs)}}}"


@st.composite
def _yaml_records(draw: st.DrawFn) -> str:
    lines: list[str] = []
    keys = ["a", "b", "'c d'", '"e\\x66"', "g-h", "i"]
    for number, key in enumerate(keys):
        lead = "- " if number == 0 else "  "
        kind = draw(st.integers(0, 4))
        if draw(st.integers(0, 5)) == 0 and number:
            lines.append(
                draw(st.sampled_from(["  # it's a comment", "# - a: 1", "", "      # deep"]))
            )
        if kind == 0:
            lines.append(f"{lead}{key}: {draw(_flows('  '))}{draw(_COMMENTS)}")
        elif kind == 1:
            items = draw(st.lists(_scalars("    ", is_flow=False), min_size=1, max_size=3))
            lines.append(f"{lead}{key}:{draw(_COMMENTS)}")
            lines += [f"    - {item}" for item in items]
        elif kind == 2:
            lines.append(f"{lead}{key}:")
            lines.append(f"    x: {draw(_scalars('    ', is_flow=False))}")
        else:
            lines.append(f"{lead}{key}: {draw(_scalars('  ', is_flow=False))}")
    return "\n".join(lines) + "\n"


FILLED = "".join(f"  filled_{number}: x\n" for number in range(20))
"""So that the list is a table, however empty the rest is."""


@settings(max_examples=250, deadline=None)
@given(_yaml_records())
def test_values_of_yaml_are_what_pyyaml_reads(record: str) -> None:
    text = (record + FILLED) * ROWS
    try:
        expected = yaml_rows(text)
    except yaml.YAMLError:
        return  # the parts do not fit together
    assert rows_of(text, "a.yaml") == expected


@settings(max_examples=150, deadline=None)
@given(_flows(""))
def test_mappings_of_yaml_in_brackets_are_what_pyyaml_reads(value: str) -> None:
    filled = ", ".join(f"filled_{number}: x" for number in range(9))
    text = f"- {{b: {value}, {filled}}}\n" * ROWS
    try:
        expected = yaml_rows(text)
    except yaml.YAMLError:
        return
    assert rows_of(text, "a.yaml") == expected


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("some text\n      - more", "some text - more"),
        ("some text\n      'more\n      [more", "some text 'more [more"),
        ("one\n\n      two  # end", "one two"),
        ("[a, 'b #c', \"d #e\"]", "a, b #c, d #e"),
        ("{x: 'b #c', y: \"it's\"}", ""),
        ("'word'  # it's \"so\"", "word"),
        ('"\\u00e9\\x41\\t\\\\ \\/ \\N a\\\n      b"', "\u00e9A \\ / ab"),
        ("'null'", "null"),
        ('"~"', "~"),
        ("''", ""),
        ("null", ""),
        ("!!str null", "null"),
        ("!!str", ""),
        ("*name", "*name"),
        ("|\n      # no comment\n      b\n    # a comment\n", "# no comment b"),
        ('"\\ud800 \\U00110000"', "\\ud800 \\U00110000"),
    ],
)
def test_a_value_of_yaml_says_what_it_says(value: str, told: str) -> None:
    """Half a character, and one beyond all, stay escapes: nobody could send or store them."""
    filled = "".join(f"    filled_{number}: x\n" for number in range(9))
    text = f"list:\n  - a: 1\n    b: {value}\n{filled}" + f"  - a: 1\n{filled}" * 5
    assert next(iter(rows_of(text, "a.yaml"))).get("b", "") == told


# TOML, as tomllib reads it, with numbers and times as they are written.

_TOML_WRITTEN = st.sampled_from(
    ["0xFF", "1_000", "0o17", "0b11", "+1.50", "1e6", "-0.0", "inf", "nan", "1979-05-27T07:32:00Z",
     "1979-05-27 07:32:00", "07:32:00.5", "1979-05-27", "true", "false"]
)  # fmt: skip
_TOML_TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=9)


@st.composite
def _toml_values(draw: st.DrawFn) -> tuple[str, Any]:
    """A value as it is written, and what it says."""
    kind = draw(st.integers(0, 5))
    if kind == 0:
        written = draw(_TOML_WRITTEN)
        return written, Written(written)
    if kind == 1:
        told = [draw(_toml_values()) for _ in range(draw(st.integers(1, 3)))]
        glue = draw(st.sampled_from([", ", ',\n   # it\'s, "so" ]\n ']))
        return f"[{glue.join(one for one, _ in told)}]", [said for _, said in told]
    if kind == 2:
        told = [draw(_toml_values()) for _ in range(draw(st.integers(1, 3)))]
        pairs = [f'k{number}."a b" = {one}' for number, (one, _) in enumerate(told)]
        return (
            f"{{{', '.join(pairs)}}}",
            tuple((f"k{number}.a b", said) for number, (_, said) in enumerate(told)),
        )
    words = draw(_TOML_TEXT)
    if kind == 3 and "'" not in words:
        return f"'{words}'", words
    if kind == 4:
        escaped = json.dumps(words)[1:-1].replace("\\/", "/")
        if "\\ud" not in escaped:
            return f'"""\n{escaped}\\\n   more"""', f"{words}more"
    return json.dumps(words, ensure_ascii=False), words


@settings(max_examples=100, deadline=None)
@given(st.lists(_toml_values(), min_size=1, max_size=4))
def test_values_of_toml_are_what_they_are_written_as(values: list[tuple[str, Any]]) -> None:
    pairs = "".join(f"v{number} = {written}  # 'x'\n" for number, (written, _) in enumerate(values))
    plain = "x" * 50  # what is mostly nested is no table
    filled = "".join(f"filled_{number} = '{plain}'\n" for number in range(20))
    row = f"[[row]]\n{pairs}{filled}[row.below]\ninner = 0xA\n[[row.many]]\n"
    text = row * ROWS
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    said = [(f"v{number}", said) for number, (_, said) in enumerate(values)]
    expected = {name: told for name, told in flattened(said) if told}
    for told in rows_of(text, "a.toml"):
        assert {name: told[name] for name in told if name[0] == "v"} == expected
        assert told["below.inner"] == "0xA"
        assert told["filled_3"] == plain


# JSON5: what JSON says, written loosely.


@st.composite
def _loose_json(draw: st.DrawFn, value: Any) -> str:
    """The value with comments, trailing commas, loose keys and single quotes."""
    nothing = st.sampled_from(["", " ", "\n", " // it's {a: [1\n", '/* ], } " */'])
    if isinstance(value, dict):
        pairs = [
            f"{draw(nothing)}{draw(_loose_key(key))}{draw(nothing)}:{draw(_loose_json(one))}"
            for key, one in value.items()
        ]
        end = draw(st.sampled_from(["", ","])) if pairs else ""
        return f"{{{','.join(pairs)}{end}{draw(nothing)}}}"
    if isinstance(value, list):
        items = [f"{draw(nothing)}{draw(_loose_json(one))}" for one in value]
        end = draw(st.sampled_from(["", ","])) if items else ""
        return f"[{','.join(items)}{end}{draw(nothing)}]"
    return draw(nothing) + draw(_loose_key(value)) + draw(nothing)


def _loose_key(value: Any) -> st.SearchStrategy[str]:
    written = json.dumps(value)
    if not isinstance(value, str):
        return st.just(written)
    single = "'" + written[1:-1].replace('\\"', '"').replace("'", "\\'") + "'"
    return st.sampled_from([written, single])


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)


@settings(max_examples=100, deadline=None)
@given(st.data(), _JSON)
def test_values_of_loose_json_are_those_of_json(data: st.DataObject, value: Any) -> None:
    row = {"value": value, **{f"filled {number}": "x" * 40 for number in range(20)}}
    text = f"[ // first\n{','.join(data.draw(_loose_json(row)) for _ in range(ROWS))}, /* end */]"
    strict = rows_of(json.dumps([row] * ROWS), "a.json")
    assert rows_of(text, "a.json5") == strict
    assert rows_of(text, "a.json") == strict


def test_numbers_of_json5_stay_as_they_are_written() -> None:
    row = "{a: 0xFF, b: +.5, c: -Infinity, d: 1., $e_1: 'it\\'s \\\n\\x41\\u0042', 'f g': NaN}"
    assert rows_of(f"[{', '.join([row] * ROWS)}]", "a.json5")[0] == {
        "a": "0xFF",
        "b": "+.5",
        "c": "-Infinity",
        "d": "1.",
        "$e_1": "it's AB",
        "f g": "NaN",
    }


@pytest.mark.parametrize(
    "row",
    [
        "{a: 1, ? b : 2}",
        "{? a: 1, b: {? 'c d' : 2}}",
        "{?\n  a : 1, ? # which\n  b : 2}",
        "{? !!str a : x, b: '? c'}",
        "{? a, b: 2}",
        "{a: 1, b: 2, ?}",
    ],
)
def test_a_mark_in_front_of_a_key_in_brackets_is_not_part_of_it(row: str) -> None:
    told = yaml.safe_load(row)
    expected = {
        name: str(value)
        for key, one in told.items()
        for name, value in (
            [(f"{key}.{inner}", value) for inner, value in one.items()]
            if isinstance(one, dict)
            else [(key, one)]
        )
        if value is not None
    }
    assert rows_of(f"- {row}\n" * ROWS, "a.yaml")[0] == expected


# XML, as ElementTree reads it.

_XML_TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=9)


@settings(max_examples=60, deadline=None)
@given(st.lists(_XML_TEXT, min_size=3, max_size=3), st.data())
def test_words_of_xml_are_what_elementtree_reads(words: list[str], data: st.DataObject) -> None:
    def written(told: str) -> str:
        return "".join(
            data.draw(st.sampled_from([escape(mark), f"&#{ord(mark)};", f"&#x{ord(mark):X};"]))
            if mark != "\xa0" and ord(mark) < 0xFFFE
            else "x"
            for mark in told
        )

    first, second, third = map(written, words)
    row = f'<row a="{first}"><b>{second}</b><c><![CDATA[x&#65;]]>{third}</c><d>&co;</d></row>\n'
    head = '<?xml version="1.0"?>\n<!DOCTYPE rows [<!ENTITY co "Caf&#233;">]>\n'
    text = f"{head}<rows>\n{row * ROWS}</rows>\n"
    element = ET.fromstring(text)[0]  # noqa: S314 -- it is ours
    found = {"a": element.get("a", ""), **{one.tag: one.text or "" for one in element}}
    expected = {name: told for name, one in found.items() if (told := on_one_line(one))}
    assert rows_of(text, "a.xml")[0] == expected


_XML_PIECES = (
    *("p ", " q", "&amp;", ">", '"', "]]", "--", "<b>x</b>", "<b/>", '<b t="x>y">s</b>'),
    *("<b t='&gt; \">' u=\"'\">r</b>", "<!-- a -->", "<!-- <![CDATA[ -->", "<!-- ]]> <b> -->"),
    *(
        "<![CDATA[s]]>",
        "<![CDATA[<!-- ]]>",
        "<![CDATA[ --> <b> &lt;]]>",
        "<?do a>b?>",
        "<?do <!--?>",
    ),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(_XML_PIECES), max_size=12))
def test_words_among_tags_comments_and_cdata_are_what_elementtree_reads(pieces: list[str]) -> None:
    written = "".join(pieces).replace("]]>", "\0").replace("]]", "").replace("\0", "]]>")
    element = ET.fromstring(f"<a>{written}</a>")  # noqa: S314 -- it is ours
    told = re.sub(r"\s", "", "".join(element.itertext()))
    assert re.sub(r"\s", "", unescape(without_tags(written))) == told


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("p<!-- <![CDATA[ --> q <![CDATA[s]]> <!-- z --> t", "p q s t"),
        ('p <b t="x>y">q</b>', "p q"),
        ("p <?do a>b?> q", "p q"),
        ("p <!-- q", "p <!-- q"),
    ],
)
def test_a_mark_inside_a_comment_or_attribute_is_none(written: str, told: str) -> None:
    text = f"<r><i><a>{written}</a></i>{'<i><a>y</a></i>' * ROWS}</r>"
    assert rows_of(text, "a.xml")[0] == {"a": told}


def test_what_closes_no_comment_is_looked_for_once() -> None:
    sought: list[str] = []

    class Counted(str):
        __slots__ = ()

        def find(self, *given: Any) -> int:
            sought.append(given[0])
            return super().find(*given)

    text = "<![CDATA[<!--<?" * 100
    assert without_tags(Counted(text)) == text
    assert without_tags(Counted(f"<!--{'<![CDATA[' * 100}-->x")) == " x"
    assert len(sought) <= 4


def test_a_profile_shows_values_as_they_are_written() -> None:
    text = "".join(
        f"[[port]]\nname = 'p{n}'\ncode = 0x{n:02X}\nsince = 07:32:00\n" for n in range(30)
    )
    chunks = Chunker(tokenizer="characters", chunk_size=400).chunk(text, path="a.toml")
    (profile,) = (chunk for chunk in chunks if chunk.derived)
    assert "most frequent: 07:32:00 (30)" in profile.text
    assert "- code: text;" in profile.text
