"""Formats that have to be rendered: chunks are cut from that text, their spans are the source's."""

from __future__ import annotations

import pytest

from structchunk_core import Chunker, Problem
from structchunk_core import formats as registry
from structchunk_core.formats import ParseOptions
from structchunk_core.rendering import Rendering
from structchunk_core.source import Source
from structchunk_core.unit import Facts, Parsed, Tie, Unit
from tests.promises import check_nothing_that_fits_is_cut, check_promises

TEXT = "[a]  <b>one one</b>\n[x] dropped\n[a] two &amp; two\n[a] three"


def parse_marked(source: Source, options: ParseOptions) -> Parsed:
    """Keep the lines that begin with ``[a]``, without that mark and without tags."""
    del options
    text = ""
    places: list[tuple[int, int]] = []
    lines: list[tuple[int, int]] = []
    position = 0
    for line in source.text.split("\n"):
        if line.startswith("[a]"):
            begin = len(text)
            places.append((begin, position))
            text += line[3:].strip().replace("<b>", "").replace("</b>", "").replace("&amp;", "&")
            text += "\n"
            places.append((len(text), position + len(line)))
            lines.append((begin, len(text)))
        position += len(line) + 1
    root = Unit(
        "document",
        0,
        len(text),
        atomic=False,
        opener=lambda: [Unit("line", begin, end, tie=Tie.NEXT) for begin, end in lines],
    )
    dropped = source.text.find("[x]")
    problem = Problem("dropped", "a line was dropped", dropped, dropped + 3)
    rendering = Rendering(text, places, len(source.text))
    facts = Facts(anchor=lambda start, end: text[start:end].split()[0])
    return Parsed(root, (problem,), facts=facts, rendering=rendering)


@pytest.fixture(autouse=True)
def _marked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        registry, "FORMATS", {**registry.FORMATS, "marked": f"{__name__}:parse_marked"}
    )


@pytest.mark.parametrize("size", [4, 8, 12, 40, 200])
def test_spans_lines_and_problems_are_those_of_the_source(size: int) -> None:
    chunker = Chunker(tokenizer="characters", chunk_size=size, context="none")
    chunks = chunker.chunk(TEXT, format="marked")
    check_promises(TEXT, chunks, chunker)
    parsed = chunker.parse(TEXT, format="marked")
    check_nothing_that_fits_is_cut(TEXT, chunks, chunker, parsed)
    assert all(chunk.rendered and not chunk.verbatim for chunk in chunks)
    assert "".join("".join(chunk.text.split()) for chunk in chunks) == "oneonetwo&twothree"


def test_what_is_left_out_lies_in_the_span_before_it() -> None:
    chunks = Chunker(tokenizer="characters", chunk_size=12, context="none").chunk(
        TEXT, format="marked"
    )
    assert [chunk.text for chunk in chunks] == ["one one", "two & two", "three"]
    assert [TEXT[chunk.span.start : chunk.span.end] for chunk in chunks] == [
        "[a]  <b>one one</b>\n[x] dropped",
        "[a] two &amp; two",
        "[a] three",
    ]
    assert [(chunk.start_line, chunk.end_line) for chunk in chunks] == [(1, 2), (3, 3), (4, 4)]
    assert [[one.code for one in chunk.problems] for chunk in chunks] == [["dropped"], [], []]


def test_the_anchor_is_what_the_format_calls_the_place() -> None:
    chunks = Chunker(tokenizer="characters", chunk_size=12, context="none").chunk(
        TEXT, format="marked"
    )
    assert [chunk.anchor for chunk in chunks] == ["one", "two", "three"]
    assert [chunk.metadata()["anchor"] for chunk in chunks] == ["one", "two", "three"]


def test_where_there_are_no_anchors_the_key_is_there_and_empty() -> None:
    (chunk,) = Chunker().chunk("# Guide\n\nWords.\n", path="guide.md")
    assert chunk.anchor == chunk.metadata()["anchor"] == ""


def test_a_rendering_with_nothing_to_see_gives_no_chunk() -> None:
    assert Chunker().chunk("[x] nothing", format="marked") == []


def test_positions_between_places_stay_inside_them() -> None:
    rendering = Rendering("abcdef", [(2, 10), (4, 11), (1, 3)], 20)
    assert [rendering.origin(position) for position in range(7)] == [0, 1, 10, 11, 11, 12, 20]
