"""Tables of Markdown as units: with pipes, with bars that are meant as a table, and of HTML."""

from __future__ import annotations

import re
from dataclasses import replace

from structchunk_core.formats._bars import bar_table
from structchunk_core.formats._glue import Caption, caption_of
from structchunk_core.formats._html_rows import html_table
from structchunk_core.formats._markdown_blocks import Block
from structchunk_core.formats._markdown_document import NODE_TYPES, Document, Place, plain_unit
from structchunk_core.formats._markdown_ties import FOLLOWERS
from structchunk_core.formats._pipe_table import pipe_table
from structchunk_core.source import line_start
from structchunk_core.unit import Unit


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


def bars_of(document: Document, block: Block, place: Place) -> Unit:
    """A paragraph of rows between bars as the table that it is meant to be."""
    text, start = document.text, line_start(document.text, document.at(block.start))
    lead = document.lead(block)
    found = bar_table(text, start, place.end, lead.strip())
    if found is None or text[place.start : start].strip():
        return plain_unit("paragraph", place)
    written, is_below = _caption(document, block, place)
    unit = pipe_table(
        text,
        (place.start, place.end),
        row_starts=found.row_starts,
        head=lead + text[document.at(block.start) : found.row_starts[0]],
        lead=lead,
        captions=("", f"\n\n{written}") if is_below else (written and f"{written}\n\n", ""),
        tie=place.tie,
        node_type=NODE_TYPES["table"],
    )
    return replace(unit, problems=found.problems)


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
