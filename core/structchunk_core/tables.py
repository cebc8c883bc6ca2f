"""Tables as units: one way for every format that has tables.

A table is a head and rows. Its parts carry the head again, so that each part is still a valid
table in its own syntax; a part that begins inside a row carries the names of the columns from
there on.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, pairwise
from zlib import crc32

from structchunk_core.table_model import Table
from structchunk_core.unit import Repeat, Tie, Unit, make_unit

_STRETCH = 2048
"""Rows from which on a border is looked for at which a table is cut in any case."""
_MARKED = 64  # one row in so many may begin a stretch
_SHORT_CAPTION = 60  # characters of one where the whole does not fit


@dataclass(frozen=True, slots=True)
class Carried:
    """What the parts of a table carry, each as it stands in the text.

    Attributes:
        head: the header rows.
        caption: what stands in front of them, with the blank line behind it, or ``""``.
        short_heads: heads of short names, for budgets that the whole head would eat; fullest first.
        names: the names alone, for budgets that any head would eat; or ``""``.
        narrowed: the head from a column on (counted from 0), as part of a row has it; the
            fullest first.
        after: what closes every part but the last.
        below: a caption below the table, which stands behind every part but the last as it does
            behind that, with the blank line in front, or ``""``.
        mark: put in front of a part that begins inside a line.
    """

    head: str = ""
    caption: str = ""
    short_heads: Sequence[str] = ()
    names: str = ""
    narrowed: Callable[[int], Sequence[str]] | None = None
    after: str = ""
    below: str = ""
    mark: str = ""


def table_unit(
    span: tuple[int, int],
    table: Table,
    carried: Carried,
    *,
    head_end: int,
    cell_starts: Callable[[int, int], Iterable[int]],
    tie: Tie = Tie.LOOSE,
    node_type: str = "",
) -> Unit:
    """A table as a unit: its head, then its rows, each with its cells.

    Args:
        span: the table, half-open, in characters of the text.
        table: what it says. The first of its rows begins at ``head_end``, and each reaches to
            the next or to the end of the span.
        carried: what its parts carry.
        head_end: one past the last character of caption and header rows (with the delimiter row
            and the line end); equal to the start of the span when there is no header.
        cell_starts: where the cells of the row at the half-open span begin, ascending; the first
            is the start of the row.
        tie: how it holds on to what is above.
        node_type: the parser's own name for it.
    """
    start, end = span

    def children() -> Iterator[Unit]:
        if head_end > start:
            yield make_unit("table_head", start, head_end, tie=tie)
        if len(table) <= 2 * _STRETCH or table.row_ends is not None:
            yield from row_units(
                chain(table.row_starts, (end,)), cell_starts, is_first=head_end <= start
            )
            return
        borders = [*_stretches(table), len(table)]
        hold = Tie.NEXT if head_end <= start else Tie.HEAD
        for first, behind in pairwise(borders):
            begin = table.row_starts[first]
            over = table.row_starts[behind] if behind < len(table) else end
            opener = partial(_rows_between, table, first, behind, over, cell_starts)
            yield make_unit("rows", begin, over, atomic=False, tie=hold, opener=opener)
            hold = Tie.NEXT

    heads = [carried.head]
    heads += [one for one in carried.short_heads if one and len(one) < len(carried.head)]
    before, *shorter = _fullest_first(carried.caption, heads)
    broken = _fullest_first(carried.caption, [carried.names]) if carried.names else []
    inside = None
    if carried.narrowed is not None and carried.head:
        inside = _HeadsInside(table, end, cell_starts, carried.narrowed, carried.caption)
    below = tuple(shortened_caption(carried.below)) if carried.below else ()
    named = len(heads) * len(shortened_caption(carried.caption)) if carried.caption else 0
    repeat = Repeat(
        before,
        carried.after,
        (*shorter, *broken),
        mark=carried.mark,
        inside=inside,
        below=below,
        named=named,
        broken=len(broken),
    )
    return make_unit(
        "table",
        start,
        end,
        tie=tie,
        repeat=repeat if before or repeat.below else None,
        opener=children if table.row_starts else None,
        node_type=node_type,
        table=table,
    )


def _stretches(table: Table) -> Iterator[int]:
    """The rows at which a long table is cut in any case, so that none is looked at as one.

    They are told by what stands in them, so that a row that is put in front of others moves no
    border but the next: the first marked row behind so many, or else the last of as many again.
    """
    number = 0
    while True:
        yield number
        least = number + _STRETCH
        if least + _STRETCH > len(table):
            return
        number = least + _STRETCH
        for found, row in enumerate(table.rows(least, number), least):
            if _is_marked(row.values):
                number = found
                break
        if number >= len(table):
            return


def _is_marked(values: Sequence[str]) -> bool:
    """Whether a row is one of the few at which a stretch may begin; by its content alone."""
    return crc32("\n".join(values).encode("utf-8", "surrogatepass")) % _MARKED == 0


def _rows_between(
    table: Table,
    first: int,
    behind: int,
    end: int,
    cell_starts: Callable[[int, int], Iterable[int]],
) -> Iterator[Unit]:
    """The rows from a number up to, and without, another."""
    starts = map(table.row_starts.__getitem__, range(first, behind))
    return row_units(chain(starts, (end,)), cell_starts, is_first=True)


class _RowOpener:
    """Makes the cells of a row; in a long table there are many, and few are asked."""

    __slots__ = ("_cell_starts", "_end", "_start")

    def __init__(
        self, start: int, end: int, cell_starts: Callable[[int, int], Iterable[int]]
    ) -> None:
        self._start = start
        self._end = end
        self._cell_starts = cell_starts

    def __call__(self) -> Iterator[Unit]:
        return _cells(self._start, self._end, self._cell_starts)


def row_units(
    borders: Iterable[int], cell_starts: Callable[[int, int], Iterable[int]], *, is_first: bool
) -> Iterator[Unit]:
    """The rows of a table, each with its cells.

    Args:
        borders: where each begins, and where the last one ends.
        cell_starts: as for :func:`table_unit`.
        is_first: whether nothing of the table stands above them.
    """
    tie = Tie.NEXT if is_first else Tie.HEAD
    for start, end in pairwise(borders):
        yield make_unit("row", start, end, tie=tie, opener=_RowOpener(start, end, cell_starts))
        tie = Tie.NEXT


def _fullest_first(caption: str, heads: Sequence[str]) -> list[str]:
    """What a part may carry: caption and head, each whole as long as there is room.

    The head gives way before the caption does, since the caption is what is searched for.
    """
    captions = [
        caption,
        *(f"{cut.rstrip()}\n\n" for cut in shortened_caption(caption)[1:]),
    ]
    if caption:
        captions.append("")
    found = [words + head for words in captions for head in heads if head or words]
    return list(dict.fromkeys(found)) or [""]


def shortened_caption(caption: str) -> list[str]:
    """The caption, and its beginning where it is long; ``""`` comes as it is."""
    if len(caption) <= _SHORT_CAPTION:
        return [caption]
    cut = caption[:_SHORT_CAPTION].rpartition(" ")[0] or caption[:_SHORT_CAPTION]
    return [caption, cut.rstrip() + " \u2026"]


class _HeadsInside:
    """Gives what a part carries that begins inside a row, the fullest first; nothing at its start.

    Parts of one row are asked about one behind the other, so the cells of the last row are kept:
    a row of very many cells is read once, and not once for each part.
    """

    __slots__ = ("_caption", "_cell_starts", "_end", "_narrowed", "_row", "_table")

    def __init__(
        self,
        table: Table,
        end: int,
        cell_starts: Callable[[int, int], Iterable[int]],
        narrowed: Callable[[int], Sequence[str]],
        caption: str,
    ) -> None:
        self._table = table
        self._end = end
        self._cell_starts = cell_starts
        self._narrowed = narrowed
        self._caption = caption
        self._row: tuple[int, array[int]] | None = None  # the last one: its number, its cells

    def __call__(self, position: int) -> Sequence[str]:
        starts = self._table.row_starts
        number = bisect_right(starts, position) - 1
        if number < 0 or starts[number] == position:
            return ()
        kept = self._row
        if kept is None or kept[0] != number:
            stop = starts[number + 1] if number + 1 < len(starts) else self._end
            kept = self._row = number, array("q", self._cell_starts(starts[number], stop))
        column = bisect_right(kept[1], position) - 1
        return _fullest_first(self._caption, self._narrowed(column)) if column >= 0 else ()


def _cells(
    start: int, end: int, cell_starts: Callable[[int, int], Iterable[int]]
) -> Iterator[Unit]:
    starts = list(cell_starts(start, end))
    for number, cell_start in enumerate(starts):
        cell_end = starts[number + 1] if number + 1 < len(starts) else end
        yield make_unit("cell", cell_start, cell_end, tie=Tie.INSIDE)
