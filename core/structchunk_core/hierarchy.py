"""Small to big: the chunks of a document, and the larger units that they belong to.

What is searched is small; what is read may be the class around a method, the section around a
paragraph, or the whole file.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from structchunk_core.blocks import trim
from structchunk_core.chunks import Chunk, chunk_id, make_chunk
from structchunk_core.context import context_candidates, written
from structchunk_core.describing import Description
from structchunk_core.scales import Scale
from structchunk_core.sizing import Measure
from structchunk_core.source import LineNumbers, Source
from structchunk_core.symbols import qualified_name
from structchunk_core.unit import Parsed, Span, Unit

_GROUPS = frozenset(
    {
        "admonition",
        "code_cell",
        "definition_list",
        "fence",
        "list",
        "procedure",
        "quote",
        "section",
        "table",
    }
)
_CONTAINERS = frozenset({"document", "file"})


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """The chunks of a document and their parents.

    A parent is a file, section, class, function, table, ... that holds at least two chunks, as one
    chunk that may be larger than ``chunk_size``. Each chunk and each parent lies in at most one
    nearest parent, the smallest that holds all of it; parents and chunks together form trees. A
    parent whose parts share an id (``Chunk.parent_id``) has that id. What holds the end of one
    table and the beginning of the next has the id of the first, and lies in what is around both.

    Attributes:
        chunks: what :meth:`Chunker.chunk` gives.
        parents: in order of their starts, outer ones in front of what they hold.
        parent_of_chunk: for each chunk the number of its nearest parent, or -1.
        parent_of_parent: for each parent the number of the next one around it, or -1.
    """

    chunks: tuple[Chunk, ...] = ()
    parents: tuple[Chunk, ...] = ()
    parent_of_chunk: tuple[int, ...] = ()
    parent_of_parent: tuple[int, ...] = ()

    def rows(self) -> list[tuple[Chunk, int]]:
        """Parents and chunks in reading order, parents in front of what they hold.

        Each with the number, in this list, of its nearest parent, or -1.
        """
        rows: list[tuple[Chunk, int]] = []
        places: list[int] = []  # of the parents
        for chunk, above in zip(self.chunks, self.parent_of_chunk, strict=True):
            while len(places) < len(self.parents):
                parent = self.parents[len(places)]
                if parent.span.start > chunk.span.start:
                    break
                outer = self.parent_of_parent[len(places)]
                places.append(len(rows))
                rows.append((parent, places[outer] if outer >= 0 else -1))
            rows.append((chunk, places[above] if above >= 0 else -1))
        return rows


def hierarchy_of(
    chunks: Sequence[Chunk],
    parsed: Parsed,
    source: Source,
    scale: Scale,
    limit: int,
    embedded: Callable[[str, str], str],
    measure: Measure,
) -> Hierarchy:
    """The hierarchy over the chunks of a document.

    Args:
        chunks: of the document, in order, and behind them those that are derived from it.
        parsed: its tree; spans of units and chunks speak of the same text.
        source: that text.
        scale: measures it.
        limit: what no parent exceeds; units beyond it are no parents, and what they hold has
            parents of its own.
        embedded: from a context and a text to what is embedded.
        measure: counts a text, and made the scale.
    """
    # What is derived from a place stands behind the chunks, with a span that is in theirs.
    row = [chunk for chunk in chunks if not is_derived(chunk)]
    found = _holders(row, parsed.root, source.text, scale, limit)
    lines = LineNumbers(source.text)
    seen = {chunk.id: 0 for chunk in chunks}
    parents = []
    for holder in found:
        inside = row[holder.first : holder.behind]
        parent = _parent(holder, inside, parsed, source, lines)
        identity = _shared_id(holder.unit, inside) or parent.id
        occurrence = seen[identity] = seen.get(identity, -1) + 1
        if occurrence:
            names = "", parent.kind, *parent.path
            identity = chunk_id(source.path, names, parent.text, occurrence)
        whole = embedded(parent.context, parent.text)
        about = scale.high(parent.span.end) - scale.low(parent.span.start)
        about += measure.count(embedded(parent.context, "x"))
        about += measure.slack(about)
        parents.append(
            replace(parent, id=identity, embed_text=whole, size_at_most=about, _count=measure.count)
        )
    above = tuple(holder.above for holder in found)
    starts = [parent.span.start for parent in parents]
    nearest = []
    for chunk in chunks:
        number = bisect_right(starts, chunk.span.start) - 1
        while number >= 0 and parents[number].span.end < chunk.span.end:
            number = above[number]
        nearest.append(number)
    return Hierarchy(tuple(chunks), tuple(parents), tuple(nearest), above)


def is_derived(chunk: Chunk) -> bool:
    """Whether it stands beside the text of the document, such as the profile of a table."""
    return chunk.derived


def _shared_id(unit: Unit, inside: Sequence[Chunk]) -> str:
    """The id that the chunks in a unit share as its parts, or ``""``.

    Those of a list of records may also be parts of one record, and have the id of that.
    """
    if not unit.atomic and unit.as_table() is None:
        return ""
    shared = {chunk.parent_id for chunk in inside if unit.atomic or not chunk.part}
    return shared.pop() if len(shared) == 1 else ""


class _Holder(NamedTuple):
    """A unit that holds several chunks.

    Attributes:
        unit: the unit.
        first: the number of the first chunk in it.
        behind: one past the number of the last.
        above: the number of the next holder around it, or -1.
        around: the units with a label around it, outermost first.
    """

    unit: Unit
    first: int
    behind: int
    above: int
    around: tuple[Unit, ...]


def _holders(
    chunks: Sequence[Chunk], root: Unit, text: str, scale: Scale, limit: int
) -> list[_Holder]:
    """What may be a parent, outer ones first; of two that hold the same chunks the inner one."""
    starts = [chunk.span.start for chunk in chunks]
    ends = [chunk.span.end for chunk in chunks]
    found: list[_Holder] = []
    stack = [_Holder(root, 0, len(chunks), -1, ())] if len(chunks) > 1 else []
    while stack:
        holder = stack.pop()
        unit, first, behind, above, around = holder
        is_holder = unit is root or bool(unit.label) or unit.kind in _GROUPS
        if is_holder and scale.high(unit.end) - scale.low(unit.start) <= limit:
            outer = found[above] if above >= 0 else None
            if outer is not None and (outer.first, outer.behind) == (first, behind):
                found[above] = holder._replace(above=outer.above)
            else:
                found.append(holder)
                above = len(found) - 1
        if unit.label:
            around = (*around, unit)
        inner = []
        for child in unit.open():
            start, end = trim(text, child.start, child.end)
            low = max(first, bisect_left(starts, start))
            high = min(behind, bisect_right(ends, end))
            if high - low > 1:
                inner.append(_Holder(child, low, high, above, around))
        stack.extend(reversed(inner))
    return found


def _parent(
    holder: _Holder,
    inside: Sequence[Chunk],
    parsed: Parsed,
    source: Source,
    lines: LineNumbers,
) -> Chunk:
    """The unit as a chunk; what is embedded of it, and how often it was there, is not known yet."""
    unit = holder.unit
    start, end = trim(source.text, unit.start, unit.end)
    text = source.text[start:end]
    named = (*holder.around, unit) if unit.label else holder.around
    path = tuple(one.label for one in named)
    defining = [one.label for one in named if one.definition is not None]
    languages = {chunk.language for chunk in inside}
    language = unit.language or (languages.pop() if len(languages) == 1 else "")
    symbols = (qualified_name(language, defining),) if unit.definition is not None else ()
    types = _element_types(inside)
    description = Description(
        unit.kind,
        types,
        language,
        path,
        symbols,
        unit.definition,
        "",
        "",
        unit.node_type,
        None,
        tuple((one.level, one.label) for one in named if one.level),
    )
    fullest = next(context_candidates(description, source, parsed.title, 0), ())
    whole = source.text[unit.start : unit.end]
    problems = dict.fromkeys(problem for chunk in inside for problem in chunk.problems)
    return make_chunk(
        text,
        Span(start, end),
        "",
        written(fullest, source),
        unit.kind,
        types[0],
        source.format,
        language,
        source.path,
        path,
        symbols,
        definition=unit.definition,
        node_type=unit.node_type,
        start_line=lines.line_at(start),
        end_line=lines.line_at(end - 1),
        problems=tuple(problems),
        id=chunk_id(source.path, ("", unit.kind, unit.label), whole, 0),
        element_types=types,
        headings=description.headings,
        gap_before=inside[0].gap_before if inside[0].span.start == start else "",
        gap_after=inside[-1].gap_after if inside[-1].span.end == end else "",
        _facts=parsed.facts,
        _inside=Span(start, end),
    )


def _element_types(chunks: Sequence[Chunk]) -> tuple[str, ...]:
    lengths: dict[str, int] = {}
    for chunk in chunks:
        length = chunk.span.end - chunk.span.start
        lengths[chunk.element_type] = lengths.get(chunk.element_type, 0) + length
    return tuple(sorted(lengths, key=lambda element: (-lengths[element], element)))
