"""Tables of Markdown as units: with pipes, with bars that are meant as a table, and of HTML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from structchunk_core.formats._bars import bar_table
from structchunk_core.formats._glue import Caption, caption_of
from structchunk_core.formats._html_rows import html_table
from structchunk_core.formats._markdown_blocks import Block
from structchunk_core.formats._markdown_document import NODE_TYPES, Document, Place, plain_unit
from structchunk_core.formats._markdown_ties import FOLLOWERS
from structchunk_core.formats._pipe_table import pipe_table
from structchunk_core.source import line_start
from structchunk_core.unit import Tie, Unit


def table_of(document: Document, block: Block, place: Place) -> Unit:
    """A table, of which every part carries its head and its caption."""
    assert block.rows is not None
    starts: list[int] = []
    for row in block.rows.row_starts():
        position = line_start(document.text, document.at(row))
        if (starts or [place.start])[-1] < position < place.end:
            starts.append(position)
    lead, (written, is_below) = document.lead(block), _caption(document, block, place)
    text, head_end = document.text, starts[0] if starts else place.end
    return pipe_table(
        text,
        (place.start, place.end),
        row_starts=starts,
        head=lead + text[document.at(block.start) : head_end],
        lead=lead,
        captions=("", f"\n\n{written}") if is_below else (written and f"{written}\n\n", ""),
        tie=place.tie,
        node_type=NODE_TYPES["table"],
    )


_ROW = re.compile(r"\n[ \t>]*+(?:\||\+[-=])")
"""The beginning of a row between bars, or of a rule of such a table, below another line."""


def may_have_bars(document: Document, block: Block) -> bool:
    """Whether a paragraph begins with a row between bars, or one is below its first line."""
    text = document.view.text
    return text[block.start] in "|+" or _ROW.search(text, block.start, block.end) is not None


def bars_of(document: Document, block: Block, place: Place) -> Iterator[Unit]:
    """A paragraph that is, or ends in, rows between bars as the table that they are meant to be.

    Words right above the rows introduce them, as in plain text.
    """
    text, at = document.text, document.at(block.start)
    start = rows = line_start(text, at)
    if text[at] not in "|+":
        row = _ROW.search(text, at, place.end)
        rows = row.start() + 1 if row else place.end
    lead = document.lead(block)
    found = bar_table(text, rows, place.end, lead.strip())
    if found is None or text[place.start : start].strip():
        yield plain_unit("paragraph", place)
        return
    head = lead + text[at : found.row_starts[0]]
    written, is_below = _caption(document, block, place)
    if rows > start:
        yield plain_unit("paragraph", place._replace(end=rows))
        place = place._replace(start=rows, tie=Tie.CLOSE)
        words = "" if lead.strip() else text[at:rows].strip()
        written, is_below = caption_of(words, "", is_leading=False)
        head = text[rows : found.row_starts[0]]
    unit = pipe_table(
        text,
        (place.start, place.end),
        row_starts=found.row_starts,
        bar=found.bar,
        head=head,
        lead=lead,
        captions=("", f"\n\n{written}") if is_below else (written and f"{written}\n\n", ""),
        tie=place.tie,
        node_type=NODE_TYPES["table"],
    )
    yield replace(unit, problems=found.problems)


_HTML_TABLE = re.compile(r"\s*<table[\s>]", re.IGNORECASE)


def html_of(document: Document, block: Block, place: Place) -> Unit:
    """A block of HTML, which opens when it is a table."""
    if _HTML_TABLE.match(document.text, place.start, place.end):
        words, is_below = _caption(document, block, place)
        unit = html_table(
            document.text,
            (place.start, place.end),
            "" if is_below else words,
            tie=place.tie,
            node_type=NODE_TYPES["html"],
        )
        if unit is not None:
            return unit
    return plain_unit("html", place)


def _caption(document: Document, block: Block, place: Place) -> Caption:
    """The words beside a table that name or introduce it; none inside other blocks."""
    if document.lead(block).strip():
        return Caption()
    above, below, beyond = place.previous, place.following, place.beyond
    return caption_of(
        document.words(above) if above is not None and above.kind == "paragraph" else "",
        document.words(below) if below is not None and below.kind == "paragraph" else "",
        is_leading=beyond is not None and beyond.kind in FOLLOWERS,
    )
