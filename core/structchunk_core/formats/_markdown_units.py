"""From the blocks of a Markdown text to units: where they begin, how they hold on, how they open.

A unit begins where the line of its block begins, so that indentation and the marks of quotes
and lists belong to it, and reaches to the next one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from structchunk_core.formats._glue import SHORT
from structchunk_core.formats._markdown_blocks import Block, Inside, Region
from structchunk_core.formats._markdown_document import (
    NODE_TYPES,
    Document,
    Place,
    inner_blocks,
    place_of,
    plain_unit,
    with_references,
)
from structchunk_core.formats._markdown_fences import (
    behind_options,
    closing_line,
    directive_of,
    fence_of,
    may_be_another,
    opening_mark,
)
from structchunk_core.formats._markdown_reader import read_blocks
from structchunk_core.formats._markdown_regions import column_of, read_with_regions
from structchunk_core.formats._markdown_tables import bars_of, html_of, may_have_bars, table_of
from structchunk_core.formats._markdown_ties import blank_above, tie_of
from structchunk_core.source import line_start
from structchunk_core.unit import Repeat, Tie, Unit, make_repeat, make_unit

_MAX_REGIONS = 5
"""How often a region is read again for the regions in it; deeper ones are plain blocks."""


class Siblings:
    """Opens into the units of sibling blocks, and can tell what they are without making them.

    Args:
        document: what the blocks were read from.
        blocks: the siblings, in order.
        start: where the first unit begins, in characters of the source text.
        end: where the last one ends.
    """

    __slots__ = ("_blocks", "_document", "_end", "_start")

    def __init__(self, document: Document, blocks: Sequence[Block], start: int, end: int) -> None:
        self._document = document
        self._blocks = blocks
        self._start = start
        self._end = end

    def __call__(self) -> Iterator[Unit]:
        """The units."""
        return units_of(self._document, self._blocks, self._start, self._end)

    def survey(self) -> Iterator[tuple[str, int]]:
        """What :meth:`Unit.survey` says."""
        document = self._document
        stack = [(self._blocks, self._start, self._end)]
        while stack:
            kept, starts = _starts(document, *stack.pop())
            for block, start, end in zip(kept, starts, starts[1:], strict=False):
                kind = block.kind
                if kind == "section":
                    stack.append((block.children, start, end))
                elif block.region is not None:
                    yield block.region.kind, end - start
                elif kind == "fence" and may_be_another(block.label):
                    unit = _fence(
                        document, block, place_of((start, end, Tie.FREE, None, None, None))
                    )
                    yield unit.kind, end - start
                elif kind == "paragraph" and may_have_bars(document, block):
                    place = place_of((start, end, Tie.FREE, None, None, None))
                    for unit in bars_of(document, block, place):
                        yield unit.kind, unit.end - unit.start
                else:
                    yield kind, end - start


def units_of(
    document: Document,
    blocks: Sequence[Block],
    start: int,
    end: int,
    *,
    first: Tie = Tie.FREE,
    second: Tie = Tie.FREE,
) -> Iterator[Unit]:
    """The units of sibling blocks; they tile the half-open span.

    Args:
        document: what the blocks were read from.
        blocks: the siblings, in order.
        start: where the first unit begins, in characters of the source text.
        end: where the last one ends.
        first: the tie of the first unit.
        second: the weakest tie of the second unit.
    """
    kept, starts = _starts(document, blocks, start, end)
    previous: Block | None = None
    for number, block in enumerate(kept):
        begin, behind = starts[number], starts[number + 1]
        following = kept[number + 1] if number + 1 < len(kept) else None
        if previous is None:
            tie = first
        else:
            tie = tie_of(document, previous, block, begin, following)
            if number == 1:
                tie = max(tie, second)
        kind = block.kind
        beyond = kept[number + 2] if number + 2 < len(kept) else None
        if kind == "paragraph" and may_have_bars(document, block):
            place = place_of((begin, behind, tie, previous, following, beyond))
            yield from bars_of(document, block, place)
        elif kind in _MAKERS:
            place = place_of((begin, behind, tie, previous, following, beyond))
            yield _MAKERS[kind](document, block, place)
        else:
            node_type = NODE_TYPES[kind]
            yield make_unit(kind, begin, behind, "", True, tie, "", None, None, None, node_type)
        previous = block


def _starts(
    document: Document, blocks: Sequence[Block], start: int, end: int
) -> tuple[list[Block], list[int]]:
    """The blocks that begin on a line of their own, and where each begins; then the end."""
    kept = list(blocks[:1])
    starts = [start]
    view = document.view
    find_line_end = document.text.rfind
    last = start
    for block in blocks[1:]:
        position = view.base + block.start if view.lines is None else view.to_source(block.start)
        position = find_line_end("\n", 0, position) + 1
        if last < position < end:
            kept.append(block)
            starts.append(position)
            last = position
    starts.append(end)
    return kept, starts


def _container(document: Document, block: Block, place: Place) -> Unit:
    """A unit that opens into the blocks in it."""
    if not block.inside:
        return plain_unit(block.kind, place)
    start, end, tie = place[:3]
    opener = partial(_contained, document, block, start, end, tie)
    return plain_unit(block.kind, place, _carried(document, block), opener)


def _contained(document: Document, block: Block, start: int, end: int, tie: Tie) -> Iterator[Unit]:
    inner = tuple(inner_blocks(document, block))
    second = Tie.CLOSE if block.kind == "item" else Tie.FREE
    return units_of(document, inner, start, end, first=tie, second=second)


def _carried(document: Document, block: Block) -> Repeat | None:
    """What the parts of a block carry: marks of quotes, the head of an alert or of an item."""
    text = document.view.text
    lead = document.lead(block)
    if block.kind in {"admonition", "quote"}:
        head = ""
        if block.kind == "admonition":
            line = text[block.start : block.end].partition("\n")[0].rstrip("\r")
            head = f"{lead}{line}\n"
        return make_repeat(before=head, mark=f"{lead}> ")
    if block.kind == "item" and len(block.children) > 1:
        first, second = block.children[:2]
        head = text[block.start : line_start(text, second.start)]
        if first.kind == "paragraph" and 0 < len(head) <= SHORT:
            return make_repeat(before=lead + head)
    return None


def _section(document: Document, block: Block, place: Place) -> Unit:
    start, end, tie = place[:3]
    return make_unit(
        "section",
        start,
        end,
        block.label,
        False,  # atomic
        tie,
        "",  # language
        None,  # definition
        None,  # repeat
        Siblings(document, block.children, start, end),
        "section",
        block.level,
    )


def _list(document: Document, block: Block, place: Place) -> Unit:
    """A list opens into its items."""
    return make_unit(
        block.kind,
        place.start,
        place.end,
        "",
        block.kind != "list",  # atomic
        place.tie,
        "",  # language
        None,  # definition
        _intro(document, block, place) if block.kind == "procedure" else None,
        partial(_items, document, block, place) if block.inside else None,
        NODE_TYPES[block.kind],
    )


def _items(document: Document, block: Block, place: Place) -> Iterator[Unit]:
    kept, starts = _starts(document, block.children, place.start, place.end)
    for number, item in enumerate(kept):
        start, end = starts[number], starts[number + 1]
        blank = number > 0 and blank_above(document.text, start)
        tie = _LOOSE if blank else _NEXT
        inside = item.inside
        if isinstance(inside, Inside) and inside.is_one:  # as most have: it need not be looked at
            opener = partial(_contained, document, item, start, end, tie)
            node_type = NODE_TYPES[item.kind]
            yield make_unit(item.kind, start, end, "", True, tie, "", None, None, opener, node_type)
        else:
            yield _container(document, item, place_of((start, end, tie, None, None, None)))


_LOOSE, _NEXT = Tie.LOOSE, Tie.NEXT  # members of an enum are slow to reach


def _intro(document: Document, block: Block, place: Place) -> Repeat | None:
    """The short paragraph above a procedure, which its later parts carry.

    One that begins behind the mark of an item is carried with that.
    """
    previous = place.previous
    if previous is None or previous.kind != "paragraph" or document.lead(block).strip():
        return None
    text, start = document.text, document.at(previous.start)
    lead = text[line_start(text, start) : start].lstrip("\ufeff")
    words = document.words(previous)
    return make_repeat(f"{lead}{words}\n\n") if len(words) <= SHORT and not lead.strip() else None


_DIRECTIVE_KINDS = {
    "csv-table": "table",
    "figure": "figure",
    "image": "figure",
    "list-table": "table",
    "table": "table",
}


def _fence(document: Document, block: Block, place: Place) -> Unit:
    """A fence of code, or a directive of MyST, which is written as one."""
    name = directive_of(block.label) if block.label else ""
    mark = opening_mark(document, block, place.end) if name else ""
    if not mark:
        return fence_of(document, block, place)
    return _directive(document, block, place, name, mark)


def _directive(document: Document, block: Block, place: Place, name: str, mark: str) -> Unit:
    """A fence around Markdown opens as a container does, and its parts are closed."""
    text = document.view.text
    begin = text.find("\n", block.start, block.end) + 1 or block.end
    stop = block.start + len(text[block.start : block.end].rstrip())
    close = closing_line(text, begin, stop, stop, mark)
    lead = document.lead(block)
    region = Region(
        _DIRECTIVE_KINDS.get(name, "admonition"),
        block.start,
        stop,
        min(behind_options(text, begin, close), close),
        close,
        column_of(text, block.start),
    )
    opening = text[block.start : begin].rstrip()
    return Unit(
        region.kind,
        place.start,
        place.end,
        tie=place.tie,
        node_type=name,
        repeat=make_repeat(f"{lead}{opening}\n", f"\n{lead}{mark}", required=True),
        opener=lambda: _region_units(document, region, place),
    )


def _region(document: Document, block: Block, place: Place) -> Unit:
    """A region opens into its opening line, the blocks between, and its closing line."""
    region = block.region
    assert region is not None
    unit = Unit(
        region.kind, place.start, place.end, tie=place.tie, node_type=NODE_TYPES[region.kind]
    )
    if region.kind == "math":
        return unit
    return replace(
        unit,
        repeat=_region_head(document, region),
        opener=lambda: _region_units(document, region, place),
    )


def _region_head(document: Document, region: Region) -> Repeat | None:
    """What the parts of a region carry: its opening line, and its closing line when it has one."""
    text = document.view.text
    lead = text[line_start(text, region.start) : region.start]
    last = text[region.inner_end : region.end].strip()
    if region.kind == "html":
        return _element_head(text, region, lead, last)
    first = text[region.start : region.inner_start].rstrip("\r\n")
    closing = f"\n{lead}{last}" if last else ""
    return make_repeat(before=f"{lead}{first}\n", after=closing)


_SUMMARY_END = re.compile(r"</summary>[^\n]*+", re.IGNORECASE)
_NAMED = re.compile(r"<(?:details\b|[A-Z])")


def _element_head(text: str, region: Region, lead: str, last: str) -> Repeat | None:
    """The tags of a component, or of details with their summary; a ``div`` says nothing."""
    if not _NAMED.match(text, region.start) or not last.startswith("</"):
        return None
    end = region.inner_start
    if summary := _SUMMARY_END.search(text, region.start, end + SHORT):
        end = summary.end()
    first = text[region.start : end].rstrip()
    if len(first) > SHORT:
        return None
    return make_repeat(before=f"{lead}{first}\n\n", after=f"\n\n{lead}{last}")


def _region_units(document: Document, region: Region, place: Place) -> Iterator[Unit]:
    """The opening line of a region, the units of the blocks in it, and its closing line."""
    text = document.text
    end = place.end
    if region.inner_end < region.end:
        end = line_start(text, document.at(region.inner_end))
    view = document.view.inner(region.inner_start, region.inner_end, region.columns)
    depth = document.depth + 1
    read = (read_blocks if depth > _MAX_REGIONS else read_with_regions)(view.text)
    inner = Document(text, view, read.text, document.options, depth)
    blocks = tuple(with_references(read.text, read.blocks, 0))
    start = line_start(text, inner.at(blocks[0].start)) if blocks else end
    if not place.start < start < end:
        start = end
    mark = "html" if region.kind == "html" else "mark"
    if start < place.end:
        yield Unit(mark, place.start, start, tie=place.tie)
        if start < end:
            yield from units_of(inner, blocks, start, end, first=Tie.HEAD)
        if end < place.end:
            yield Unit(mark, end, place.end, tie=Tie.HEAD)


# Of blocks that open; the others are leaves.
_MAKERS: dict[str, Callable[[Document, Block, Place], Unit]] = {
    **dict.fromkeys(("quote", "admonition", "footnote", "item", "definition"), _container),
    **dict.fromkeys(("list", "procedure", "definition_list"), _list),
    "section": _section,
    "table": table_of,
    "html": html_of,
    "fence": _fence,
    "region": _region,
}
