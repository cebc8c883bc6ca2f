"""Outline entries: what a definition is, as a text of its own that leads to the definition."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace

from structchunk_core.blocks import trim
from structchunk_core.chunks import Chunk, Entry, chunk_id
from structchunk_core.context import written
from structchunk_core.profiles import profile
from structchunk_core.scopes import Budget
from structchunk_core.source import Source
from structchunk_core.unit import Outline


def with_entries(
    chunks: Sequence[Chunk],
    outlines: Iterable[Outline],
    source: Source,
    budget: Budget,
    *,
    only_split: bool,
) -> list[Chunk]:
    """The chunks of a document with the outlines of its definitions as entries.

    An entry stands at the chunk in which its definition begins.

    Args:
        chunks: in order.
        outlines: of all definitions.
        source: the document that spans of chunks and outlines speak of.
        budget: no entry exceeds its limit.
        only_split: leave out definitions that are whole in one chunk, and containers.
    """
    starts = [chunk.span.start for chunk in chunks]
    entries: dict[int, list[Entry]] = {}
    seen: dict[str, int] = {}
    for outline in outlines:
        start, end = trim(source.text, *outline.span)
        number = max(0, bisect_right(starts, start) - 1)
        chunk = chunks[number]
        if only_split and (not outline.atomic or end <= chunk.span.end):
            continue
        text = _text(outline, source, budget)
        if not text:
            continue
        occurrence = seen[text] = seen.get(text, -1) + 1
        identity = chunk_id(source.path, ("outline", *outline.names), text, occurrence)
        symbol = profile(source.language).scope_separator.join(outline.names)
        parent = chunk.parent_id if end > chunk.span.end else ""
        entry = Entry(text, "outline", symbol, chunk.id, parent, identity)
        entries.setdefault(number, []).append(entry)
    return [
        replace(chunk, entries=tuple(entries[number])) if number in entries else chunk
        for number, chunk in enumerate(chunks)
    ]


def _text(outline: Outline, source: Source, budget: Budget) -> str:
    """Scope, signature and as many lines of the documentation as there is room for."""
    scope = [source.path, *outline.names] if source.path else outline.names
    head = "\n".join(filter(None, (written([scope], source), outline.signature)))
    if budget.measure.count(head) > budget.limit:
        head = outline.signature
    if budget.measure.count(head) > budget.limit:
        return ""
    lines = outline.doc.split("\n")
    low, high = 0, len(lines)
    while low < high:  # the most lines that fit
        middle = (low + high + 1) // 2
        text = "\n".join((head, *lines[:middle]))
        if budget.measure.count(text) <= budget.limit:
            low = middle
        else:
            high = middle - 1
    return "\n".join((head, *lines[:low])).rstrip()
