"""XML: what is found in it agrees with expat."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any
from xml.parsers import expat

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from structchunk_core import Chunk, Chunker
from structchunk_core.formats import _records_xml_check
from structchunk_core.formats._records_xml_scan import scan_xml
from tests.generators import valid_xml, xml_text


def cut(text: str, size: int = 200, **others: Any) -> list[Chunk]:
    """The chunks of a document, by characters."""
    chunker = Chunker(tokenizer="characters", chunk_size=size, table_profile=False, **others)
    return chunker.chunk(text, path="a.xml")


def is_xml(text: str) -> bool:
    """Whether expat reads all of it, without a look at namespaces."""
    parser = expat.ParserCreate()
    try:
        parser.Parse(text.encode("utf-8"), True)
    except expat.ExpatError:
        return False
    return True


def elements_of(text: str) -> list[tuple[str, str, bool]]:
    """Name, own words and whether there are elements inside, of each element as we find it."""
    found = scan_xml(text)
    listed = []
    for number, name in enumerate(found.names):
        inside = found.behind[number] > number + 1
        listed.append((name, text[found.starts[number] : found.ends[number]], inside))
    return listed


@settings(deadline=None)
@given(valid_xml())
def test_the_elements_are_those_of_expat(text: str) -> None:
    expected = list(ET.fromstring(text).iter())  # noqa: S314  # it is our own
    assert Chunker().parse(text, path="a.xml").problems == ()
    found = elements_of(text)
    assert [name for name, _, _ in found] == [one.tag for one in expected]
    for (_, written, inside), one in zip(found, expected, strict=True):
        alone = ET.fromstring(written.replace("&own;", "'&amp;'"))  # noqa: S314  # it is our own
        assert alone.attrib == one.attrib
        assert "".join(alone.itertext()) == "".join(one.itertext())
        assert inside == bool(len(one))


@settings(deadline=None)
@given(xml_text())
def test_what_expat_refuses_has_a_problem_and_nothing_else_has(text: str) -> None:
    assume(text.startswith("<"))  # any other document is no XML at all
    assert (not Chunker().parse(text, path="a.xml").problems) == is_xml(text)


@settings(deadline=None)
@given(valid_xml(), st.integers(60, 400))
def test_a_part_is_xml_again_unless_words_are_cut(text: str, size: int) -> None:
    parsed = Chunker().parse(text, path="a.xml")
    whole = {"records", "mapping", "record", "pair"}
    edges = {0, len(text)}
    for _, unit in parsed.root.walk():
        if unit.kind in whole:
            edges |= {unit.start, unit.end}
    for chunk in cut(text, size, context="none"):
        start, end = chunk.span
        begins = any(not text[edge:start].strip() for edge in edges if edge <= start)
        stops = any(not text[end:edge].strip() for edge in edges if edge >= end)
        if chunk.kind == "comment" or "&own;" in chunk.text:
            continue  # above the one element, or without what defines the entity
        if begins and stops and not chunk.problems:
            ET.fromstring(chunk.text)  # noqa: S314  # it is our own


SAMPLE = """\
<?xml version="1.0"?>
<!DOCTYPE shop [ <!ENTITY own "a <b>word</b>"> ]>
<!-- All of it. -->
<shop xmlns:x="urn:x">
  <!-- The first one. -->
  <item id="i1" note='a>b'>
    <name>One &own; more</name>
    <x:price>1.10</x:price>
    <words>Some <b>bold</b> words, <i>more</i>.</words>
    <code><![CDATA[ <no tag> ]]></code>
  </item>
  <item id="i2"/>
  <last>end</last>
</shop>
"""


def test_the_sample_is_read_as_it_is_meant() -> None:
    parsed = Chunker().parse(SAMPLE, path="a.xml")
    assert parsed.problems == ()
    prolog, shop = parsed.root.open()
    assert (prolog.kind, shop.label) == ("comment", "shop")
    inside = shop.open()
    assert [(unit.kind, unit.label) for unit in inside] == [
        ("head", ""),
        ("record", "item i1"),
        ("pair", "item i2"),
        ("pair", "last"),
        ("close", ""),
    ]
    assert SAMPLE[inside[1].start :].startswith("  <!-- The first one. -->\n  <item id")
    assert [unit.label for unit in inside[1].open()] == [
        "",
        "name",
        "x:price",
        "words",
        "code",
        "",
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<a>\n <b>\n <c>\n</a>", ["<b>", "<c>"]),
        ("<a><b><c></a>", ["<b><c>"]),
    ],
)
def test_elements_that_are_not_closed_are_told_from_the_inside_out(
    text: str, words: list[str]
) -> None:
    problems = Chunker().parse(text, path="a.xml").problems
    assert sorted(text[one.start : one.end] for one in problems) == words


def test_entities_are_never_expanded() -> None:
    bomb = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 30))
    text = f'<!DOCTYPE x [<!ENTITY a0 "ha">{bomb}]>\n<x><y>&a29;</y><y>&a28;</y></x>'
    chunks = cut(text, 3000)
    assert "".join(chunk.text for chunk in chunks) == text


def test_records_are_whole_and_parts_have_the_tags_around_them() -> None:
    items = "".join(
        f'    <item id="i{n}">\n      <of>word {n}</of>\n    </item>\n' for n in range(20)
    )
    text = f'<all lang="en">\n  <items>\n{items}  </items>\n</all>\n'
    chunks = cut(text, 200)
    assert len(chunks) > 4
    found = []
    for chunk in chunks:
        root = ET.fromstring(chunk.text)  # noqa: S314  # it is our own
        assert root.attrib == {"lang": "en"}
        found += [item.attrib["id"] for item in root.iter("item")]
        assert chunk.path[:2] == ("all", "items")
    assert found == [f"i{n}" for n in range(20)]


def test_a_huge_attribute_is_left_out_of_the_parts() -> None:
    items = "".join(f"<of>word {n} and more of them</of>\n" for n in range(30))
    text = f'<all d="{"x " * 60}">\n{items}</all>'
    chunks = cut(text, 200, context="none")
    assert all(chunk.prefix == "<all>\n" for chunk in chunks if chunk.text.count("<of>") > 2)
    assert {problem.code for chunk in chunks for problem in chunk.problems} == {"head-shortened"}


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("<a><b>x</a>", ["b"]),
        ("<a><b></c></b><d/></a>", ["b", "d"]),
        ("<a><b>x</b><d>", ["b", "d"]),
        ("<a><b x='1>y</b><c/><d/><e/><f/><g/></a>", ["c", "d", "e", "f", "g"]),
        ("<a><b/><!-- <c/><d/></a>", ["b", "c", "d"]),
        ("<a><b>1 < 2</b><d/></a>", ["b", "d"]),
    ],
)
def test_what_is_broken_is_told_and_does_not_take_the_rest_along(
    text: str, labels: list[str]
) -> None:
    parsed = Chunker().parse(text, path="a.xml")
    assert {problem.code for problem in parsed.problems} == {"syntax-error"}
    names = [unit.label for _, unit in parsed.root.walk() if unit.label]
    assert [name for name in names if name != "a"] == labels


@pytest.mark.parametrize(
    "text", ["<a>\n<a>\n ", "<root>\n  <item><n>1</n></item>\n  <item>\n  "], ids=["one", "two"]
)
def test_blanks_behind_what_is_never_closed_are_cut_once(text: str) -> None:
    for size in range(8, 40):
        chunks = cut(text, size, context="none")
        covered = [chunks[0].span.start, *(chunk.span.end for chunk in chunks)]
        assert covered == sorted(covered)


def test_an_expat_without_a_guard_is_not_asked_about_entities(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_records_xml_check, "_HAS_GUARD", False)
    entities = '<!DOCTYPE a [<!ENTITY e "x">]>\n<a b="&e;">&none;</a>\n'
    (problem,) = Chunker().parse(entities, path="a.xml").problems
    assert (problem.code, problem.is_everywhere) == ("not-checked", True)
    assert "expat" in problem.message
    (fault,) = Chunker().parse("<a>&none;</a>\n", path="a.xml").problems
    assert fault.code == "syntax-error"
    torn = [problem.code for problem in Chunker().parse(f"{entities}<b>", path="a.xml").problems]
    assert torn == ["not-checked", "syntax-error"]


def test_an_element_among_words_that_is_not_closed_ends_with_what_is_around_it() -> None:
    text = (
        "<a>\n  <p>\n    some <b>bold\n      <i>words</i>\n      <c>\n        more\n  </p>\n"
        "  <q/>\n</a>\n"
    )
    parsed = Chunker().parse(text, path="a.xml")
    for _, unit in parsed.root.walk():  # all of it tiles
        assert unit.end <= len(text)
    for size in range(4, 90):
        chunks = cut(text, size)
        assert "".join(chunk.text for chunk in chunks).count("more") == 1
