"""Auditing: each rule finds what it is about, and nothing in chunks of our own."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.documents import Document
from llama_index.core.schema import TextNode

from structchunk_core import Chunker, ConfigurationError, assert_chunks_whole, audit
from structchunk_core.auditing.rules import PROMISE_RULES, RULES, rules_named
from structchunk_core.writing import json_line
from tests.generators import code, delimited, html, markdown, rst

CODE = '''"""Prices."""


class Prices:
    """What things cost."""

    # The price in a country, or
    # the price abroad.
    @cached
    def shipping(self, country):
        """What a parcel costs."""
        rate = self.rates.get(country)
        return rate if rate else self.abroad

    def discount(self, voucher):
        return self.vouchers.get(voucher, 0)
'''
GUIDE = """# Guide

## Install

Unpack it:

```sh
tar xf shop.tar.gz
cd shop
```

1. Print the label.
2. Stick it on the box.

## Rates

Table 1: parcels within Europe.

| Country | Price |
|---|---:|
| Austria | 9.90 |
| Belgium | 9.90 |

- Rates hold until May, unless the carrier says so.
"""
LONGER = GUIDE.replace(
    "| Belgium", "".join(f"| Land{number} | 1 |\n" for number in range(9)) + "| Belgium"
)


def cut(text: str, *borders: str) -> list[str]:
    """The text cut in front of each of the strings, without the blanks around the pieces."""
    places = [0, *(text.index(border) for border in borders), len(text)]
    return [text[start:end].strip("\n") for start, end in pairwise(places)]


# What a person sees in these chunks: document, where it is cut, budget in characters, findings.
SEEN: list[tuple[str, str, Sequence[str], int, dict[str, list[int]]]] = [
    ("a.py", CODE, ["class Prices"], 400, {}),
    ("a.py", CODE, ["    # The price", "    def discount"], 400, {"missing-scope": [7, 15]}),
    ("a.py", CODE, ["        rate ="], 400, {"cut-definition": [7]}),
    ("a.py", CODE, ["    @cached"], 400, {"torn-comment": [7]}),
    ("a.py", CODE, ["    def shipping"], 400, {"torn-comment": [7]}),
    (
        "a.py",
        CODE,
        ["    @cached", '        """What a parcel', "    def discount"],
        150,
        {"lone-signature": [9], "missing-signature": [11], "missing-scope": [15]},
    ),
    (
        "a.py",
        CODE,
        ["    @cached", "        rate =", "    def discount"],
        215,
        {
            "cut-definition": [9],
            "missing-signature": [12],
            "missing-scope": [15],
        },
    ),
    (
        "a.py",
        "# What things cost.\n" + CODE[CODE.index("class") :],
        ["class Prices", "    # The price", "    def discount"],
        300,
        {"torn-comment": [1], "missing-scope": [5, 13]},
    ),
    ("a.md", GUIDE, ["## Rates"], 400, {}),
    ("a.md", GUIDE, ["cd shop"], 400, {"cut-fence": [7], "open-fence": [1, 9]}),
    ("a.md", GUIDE, ["2. Stick", "## Rates"], 400, {"cut-procedure": [12]}),
    ("a.md", GUIDE, ["Unpack", "## Rates"], 400, {"lone-heading": [3]}),
    ("a.md", GUIDE, ["## Rates", "unless"], 400, {"cut-item": [24]}),
    ("a.md", GUIDE, ["## Rates", "ustria"], 400, {"cut-table": [19], "cut-word": [21]}),
    ("a.md", GUIDE, ["## Rates", "within"], 400, {"cut-block": [17]}),
    ("a.md", LONGER, ["## Rates", "| Land7 "], 120, {"headless-rows": [29]}),
    ("a.csv", "name,price\nAustria,9.90\nBelgium,9.90\n", [",9.90\nB"], 22, {"cut-record": [2]}),
]
_ALSO = {"over-budget", "tiny-chunk", "headless-rows", "captionless-rows", "missing-heading"}


@pytest.mark.parametrize(("path", "text", "borders", "size", "expected"), SEEN)
def test_every_kind_of_broken_unit_is_found_where_it_is(
    path: str, text: str, borders: Sequence[str], size: int, expected: dict[str, list[int]]
) -> None:
    report = audit(text, cut(text, *borders), path=path, tokenizer="characters", chunk_size=size)
    found: dict[str, list[int]] = {}
    for finding in report.findings:
        if finding.rule not in _ALSO or finding.rule in expected:
            found.setdefault(finding.rule, []).append(finding.line)
    assert found == expected, [str(finding) for finding in report.findings]


def test_rows_need_header_and_caption_of_their_table() -> None:
    table = "<table><caption>Parcels</caption><tr><th>Country<th>Price" + "".join(
        f"<tr><td>Land{number}<td>{number}" for number in range(40)
    )
    chunker = Chunker(tokenizer="characters", chunk_size=300)
    chunks = chunker.chunk(table, path="a.html")
    assert len(chunks) > 2
    assert not audit(table, chunks, path="a.html", chunker=chunker).broken
    chunks = [chunk for chunk in chunks if not chunk.derived]
    bare = [chunk.text[len(chunk.prefix) :] for chunk in chunks]
    found = audit(table, bare, path="a.html", chunker=chunker)
    missing = list(range(1, len(chunks)))
    assert [one.chunk for one in found.of("headless-rows")] == missing
    assert [one.chunk for one in found.of("captionless-rows")] == missing
    uncaptioned = [text.replace("Parcels", "") for text in (chunk.text for chunk in chunks)]
    found = audit(table, uncaptioned, path="a.html", chunker=chunker)
    assert [one.chunk for one in found.of("captionless-rows")] == missing
    assert not found.of("headless-rows")


def test_parts_of_a_fence_need_its_lines() -> None:
    text = "# T\n\n```python\n" + "".join(f"value_{n} = {n}\n" for n in range(60)) + "```\n"
    chunker = Chunker(tokenizer="characters", chunk_size=300)
    chunks = chunker.chunk(text, path="a.md")
    assert len(chunks) > 3
    assert not audit(text, chunks, path="a.md", chunker=chunker).broken
    written = [chunk.text for chunk in chunks]  # as strings: the lines are known no longer
    assert not audit(text, written, path="a.md", chunker=chunker).of("open-fence", "invented-text")
    bare = [text[slice(*chunk.span)] for chunk in chunks]
    found = audit(text, bare, path="a.md", chunker=chunker).of("open-fence")
    last = len(chunks) - 1
    assert sorted(one.chunk for one in found) == sorted([*range(last), *range(1, last + 1)])


def test_what_is_lost_repeated_and_invented_is_counted() -> None:
    text = "One two three.\n\nFour five six.\n\nSeven eight nine.\n"
    said = "six.\n\nSeven eight nine, they said to everybody who"
    heard = " would hear it, and that was all."
    report = audit(said_by_all := f"Four five {said}{heard}\n", [f"{said} came and{heard}"])
    assert [(one.rule, said_by_all[slice(*one.span)]) for one in report.broken] == [
        ("lost-text", "Four five"),
        ("invented-text", said + heard),
    ]
    assert "hold: 'came'" in report.broken[1].message
    report = audit(text, ["One two three.\n\nFour five six.", text[24:]])
    (repeated,) = report.of("repeated-text")
    assert text[slice(*repeated.span)] == "e six."
    assert "5 visible characters" in repeated.message
    report = audit(text, [text[:32], text[32:], text[32:]])
    assert report.counts == {"duplicate-chunk": 1}


def test_blank_tiny_and_large_chunks_are_found() -> None:
    text = "".join(f"Sentence number {number} of many.\n\n" for number in range(20))
    chunks = [text[:200], "  \n", text[200:204], text[204:]]
    report = audit(text, chunks, tokenizer="characters", chunk_size=250)
    assert report.sizes == (200, 3, 4, len(text) - 204)
    assert [one.chunk for one in report.of("blank-chunk")] == [1]
    assert [one.chunk for one in report.of("tiny-chunk")] == [2]
    assert [one.chunk for one in report.of("over-budget")] == [3]
    assert report.fill == sum(report.sizes) / 1000


def test_places_that_chunks_name_are_held_against_their_text() -> None:
    text = "The same.\n\nOther.\n\nThe same.\n"
    nodes = [
        TextNode(text="The same.", start_char_idx=0, end_char_idx=9),
        TextNode(text="Other.", start_char_idx=11, end_char_idx=17),
        TextNode(text="The same.", start_char_idx=0, end_char_idx=9),  # found by searching
        TextNode(text="The same."),
    ]
    report = audit(text, nodes)
    assert [one.chunk for one in report.of("wrong-position")] == [2]
    assert [one.chunk for one in report.of("missing-position")] == [3]
    text = "x = 0\nif one:\n    a = 1\n\nif one:\n    b = 2\n"
    nodes = [
        TextNode(text=text[:23], start_char_idx=0, end_char_idx=23),
        TextNode(text="if one:", start_char_idx=6, end_char_idx=13),  # the chunk before has one
        TextNode(text="b = 2", start_char_idx=37, end_char_idx=42),
    ]
    report = audit(text, nodes, path="a.txt")
    assert [one.chunk for one in report.of("wrong-position")] == [1]
    assert not report.of("lost-text", "repeated-text")
    text = "The same.\n\nOther.\n\nThe same.\n"
    right = [Document("The same.", metadata={"start_index": 0}), Document("Other.")]
    report = audit(text, right)
    assert not report.of("wrong-position")
    assert [one.chunk for one in report.of("missing-position")] == [1]
    assert not audit(text, ["The same.", "Other."]).of("missing-position")  # strings have none


@pytest.mark.parametrize(("length", "missing"), [(60, [1]), (110, [])])
def test_a_row_that_leaves_no_room_for_the_header_is_better_whole_than_cut(
    length: int, missing: list[int]
) -> None:
    header = "| Country | Remarks |\n|---|---|\n"
    rows = [f"| Land{number} | {'x ' * (length // 2)}|\n" for number in range(2)]
    report = audit(
        header + "".join(rows),
        [header + rows[0], rows[1]],
        path="a.md",
        tokenizer="characters",
        chunk_size=130,
    )
    assert [one.chunk for one in report.of("headless-rows")] == missing


@pytest.mark.parametrize(
    ("behind", "path", "is_word"),
    [
        (r"one two\n", "a.json", False),
        (r"one two\\\n", "a.json", False),
        (r"one two\\n", "a.json", True),  # a backslash and a letter
        (r"one two\u00e9", "a.json", True),
        ("one twon", "a.json", True),
        (r"one two\n", "a.md", True),  # prose escapes nothing
    ],
)
def test_an_escaped_line_end_is_no_part_of_the_word_behind_it(
    behind: str, path: str, is_word: bool
) -> None:
    text = f'["{behind}function three"]'
    border = text.index("function")
    report = audit(text, [text[:border], text[border:]], path=path)
    assert [one.span.start for one in report.of("cut-word")] == [border] * is_word


@pytest.mark.parametrize(
    "rewritten",
    [
        str.strip,
        lambda text: "\n".join(line.strip() for line in text.split("\n")),
        lambda text: " ".join(text.split()),
        lambda text: "# shop/prices.py > Prices, about what things cost here\n" + text,
        lambda text: text.replace("\n", "  \r\n"),
    ],
)
def test_rewritten_chunks_are_found_where_they_were_taken_from(
    rewritten: Callable[[str], str],
) -> None:
    text = "".join(
        f"def function_{n}(a):\n    value = {n}\n    return a + value\n\n" for n in range(99)
    )
    chunks = Chunker(tokenizer="characters", chunk_size=400).chunk(text, path="a.py")
    report = audit(text, [rewritten(chunk.text) for chunk in chunks], path="a.py")
    assert [span.start if span else -1 for span in report.spans] == [
        chunk.span.start for chunk in chunks
    ]
    assert not report.of("lost-text", "repeated-text", "cut-definition")


def test_chunks_of_every_kind_say_the_same() -> None:
    chunker = Chunker(tokenizer="characters", chunk_size=200)
    chunks = chunker.chunk(GUIDE, path="a.md")
    kinds: list[list[Any]] = [
        chunks,
        [json.loads(json_line(chunk)) for chunk in chunks],
        [Document(chunk.text, metadata=chunk.metadata(positions=True)) for chunk in chunks],
        [
            TextNode(
                text=chunk.text,
                metadata=chunk.metadata(),
                start_char_idx=chunk.span.start,
                end_char_idx=chunk.span.end,
                excluded_embed_metadata_keys=list(chunk.metadata()),
            )
            for chunk in chunks
        ],
    ]
    for given_chunks in kinds:
        report = audit(GUIDE, given_chunks, path="a.md", chunker=chunker)
        assert not report.broken, [str(one) for one in report.broken]
        assert report.spans == tuple(chunk.span for chunk in chunks)
    with pytest.raises(ConfigurationError, match="got 7"):
        audit(GUIDE, [7])
    with pytest.raises(ConfigurationError, match="the keys"):
        audit(GUIDE, [{"body": "x"}])


@pytest.mark.parametrize("settings", [{}, {"context": "inline"}, {"chunk_overlap": 40}])
@pytest.mark.parametrize("size", [120, 300])
@pytest.mark.parametrize(("path", "text"), [("a.py", CODE), ("a.md", GUIDE)])
def test_our_chunks_break_no_promise(
    path: str, text: str, size: int, settings: dict[str, Any]
) -> None:
    chunker = Chunker(tokenizer="characters", chunk_size=size, **settings)
    report = audit(text, chunker.chunk(text, path=path), path=path, chunker=chunker)
    assert not report.broken, [str(one) for one in report.broken]


DOCUMENTS = st.one_of(
    st.tuples(st.just("a.py"), code("python")),
    st.tuples(st.just("a.md"), markdown()),
    st.tuples(st.just("a.rst"), rst()),
    st.tuples(st.just("a.html"), html()),
    st.tuples(st.just("a.csv"), delimited()),
)


@given(document=DOCUMENTS, size=st.integers(40, 400))
def test_promises_2_and_3_hold_under_audit(document: tuple[str, str], size: int) -> None:
    path, text = document
    chunker = Chunker(tokenizer="characters", chunk_size=size)
    report = audit(text, chunker.chunk(text, path=path), path=path, chunker=chunker)
    assert not report.of("over-budget", "lost-text", "repeated-text", "invented-text")


@given(text=st.text(max_size=300), chunks=st.lists(st.text(max_size=80), max_size=6))
def test_nothing_that_is_handed_in_is_fatal(text: str, chunks: list[str]) -> None:
    report = audit(text, chunks, tokenizer="characters", chunk_size=50)
    for finding in report.findings:
        assert 0 <= finding.span.start <= finding.span.end <= len(text)
        assert finding.line == text.count("\n", 0, finding.span.start) + 1 or not text
        assert finding.rule in RULES


def test_what_is_derived_from_a_document_is_left_out() -> None:
    table = "name,price\n" + "".join(f"item{number},{number * 3}.50\n" for number in range(80))
    chunker = Chunker(chunk_size=240)
    chunks = chunker.chunk(table, path="a.csv")
    slices = [chunk for chunk in chunks if not chunk.derived]
    assert len(slices) == len(chunks) - 1  # the profile of the table
    for given_chunks in (chunks, [json.loads(json_line(chunk)) for chunk in chunks]):
        report = audit(table, given_chunks, path="a.csv", chunker=chunker)
        assert report.spans == tuple(chunk.span for chunk in slices)
        assert not report.findings


def test_a_broken_chunk_fails_a_test_of_users() -> None:
    assert_chunks_whole(GUIDE, [GUIDE], path="guide.md", chunk_size=300)
    with pytest.raises(AssertionError, match=r"guide\.md:7: cut-fence: fence measures \d+ of 300"):
        assert_chunks_whole(GUIDE, cut(GUIDE, "cd shop"), path="guide.md", chunk_size=300)
    assert_chunks_whole(
        GUIDE, cut(GUIDE, "cd shop"), path="guide.md", chunk_size=300, rules=["lost-text"]
    )
    with pytest.raises(ConfigurationError, match="got 'cut-fences'"):
        assert_chunks_whole(GUIDE, [GUIDE], path="guide.md", rules=["lost-text", "cut-fences"])


def test_rules_are_named_by_id_or_together() -> None:
    assert rules_named("promises") == PROMISE_RULES
    assert rules_named("cut-word, all")[0] == "cut-word"
    assert set(rules_named("all")) == set(RULES)
    with pytest.raises(ConfigurationError, match="got 'cut'"):
        rules_named("cut-word,cut")
