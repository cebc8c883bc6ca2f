"""Entries for records: each value with all keys above it, as texts that lead to their chunk.

In a chunk of JSON a key stands once above what it holds, in the chunk or only in its context. A
question asks for one value by its keys, so an index finds it better where they stand beside it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace

from structchunk_core.blocks import trim
from structchunk_core.chunks import Chunk, Entry, chunk_id
from structchunk_core.scopes import Budget
from structchunk_core.source import Source
from structchunk_core.unit import Unit

KEYS = "keys"
"""The kind of these entries."""

_SEPARATOR = " > "
_NO_VALUES = frozenset({"head", "close"})


def with_key_paths(
    chunks: Sequence[Chunk], root: Unit, source: Source, budget: Budget
) -> list[Chunk]:
    """The chunks of a document of records with entries that spell out the keys of their values.

    An entry has the path of the document and, for each value, a line of keys and value. A chunk
    has as many as its lines need within the budget, and none where no value has a key above its
    own. Values too long for an entry are left out.

    Args:
        chunks: in order.
        root: the unit tree that was packed.
        source: the document that spans of chunks and units speak of.
        budget: no entry exceeds its limit.
    """
    lines: list[list[str]] = [[] for _ in chunks]
    nested: set[int] = set()
    starts = [chunk.span.start for chunk in chunks]
    for unit, names in _values(root):
        start, end = trim(source.text, unit.start, unit.end - unit.tail)
        number = max(0, bisect_right(starts, start) - 1)
        words = " ".join(source.text[start:end].split())
        if words:
            lines[number].append(_SEPARATOR.join((*names, words)))
        if names:
            nested.add(number)
    seen: dict[str, int] = {}
    found = list(chunks)
    for number in sorted(nested):
        chunk = chunks[number]
        entries = []
        for text in _texts(lines[number], source.path, budget):
            occurrence = seen[text] = seen.get(text, -1) + 1
            identity = chunk_id(source.path, (KEYS,), text, occurrence)
            entries.append(Entry(text, KEYS, "", chunk.id, chunk.parent_id, identity))
        found[number] = replace(chunk, entries=(*chunk.entries, *entries))
    return found


def _values(root: Unit) -> Iterator[tuple[Unit, tuple[str, ...]]]:
    """What has nothing inside it, in order, each with the labels of what it is in."""
    stack: list[tuple[Unit, tuple[str, ...]]] = [(root, ())]
    while stack:
        unit, names = stack.pop()
        children = unit.open()
        if children:
            inside = (*names, unit.label) if unit.label and unit is not root else names
            stack.extend((child, inside) for child in reversed(children))
        elif unit.kind not in _NO_VALUES:
            yield unit, names


def _texts(lines: Sequence[str], head: str, budget: Budget) -> Iterator[str]:
    """The lines under a head, in as few texts as the budget allows, none of them above it."""
    count, limit = budget.measure.count, budget.limit
    if not head or count(f"{head}\n") * 2 > limit:
        head = ""
    above = f"{head}\n" if head else ""
    room = limit - (count(above) if above else 0)
    row: list[str] = []
    used = 0
    for line in lines:
        size = count(f"{line}\n")
        if row and used + size > room:
            yield from _within(row, above, budget)
            row, used = [], 0
        row.append(line)
        used += size
    if row:
        yield from _within(row, above, budget)


def _within(row: Sequence[str], above: str, budget: Budget) -> Iterator[str]:
    """The lines as one text, or as several where together they measure more than they did apart."""
    stack = [row]
    while stack:
        part = stack.pop()
        text = above + "\n".join(part)
        if budget.measure.count(text) <= budget.limit:
            yield text
        elif len(part) > 1:
            middle = len(part) // 2
            stack += [part[middle:], part[:middle]]
