"""One table model for every format that has tables.

A table is a head and rows. Its parts carry the head again, so that each part is still a valid
table in its own syntax.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, pairwise

from structchunk_core.unit import Repeat, Tie, Unit


def table_unit(
    text: str,
    span: tuple[int, int],
    *,
    head_end: int,
    row_starts: Sequence[int],
    cell_starts: Callable[[int, int], Iterable[int]],
    short_head: str = "",
    label: str = "",
    tie: Tie = Tie.LOOSE,
    caption: str = "",
    head: str | None = None,
) -> Unit:
    """A table as a unit: its head, then its rows, each with its cells.

    Args:
        text: the source text.
        span: the table in it, half-open, in characters.
        head_end: one past the last character of caption and header rows (with the delimiter row
            and the line end); equal to the start of the span when there is no header.
        row_starts: where each body row begins, ascending; the first is ``head_end``, and each
            row reaches to the next or to the end of the table.
        cell_starts: where the cells of the row at the half-open span begin, ascending; the first
            is the start of the row.
        short_head: a head of names only, for budgets that the whole head would eat.
        label: the name of the table in the path, or ``""``.
        tie: how it holds on to what is above.
        caption: text that every part carries in front of the header rows.
        head: the header rows as parts carry them, where that is not the text up to ``head_end``
            (a byte order mark or title lines in front of them).
    """
    start, end = span

    def children() -> Iterator[Unit]:
        if head_end > start:
            yield Unit("table_head", start, head_end, tie=tie)
        row_tie = Tie.HEAD if head_end > start else Tie.NEXT
        for row_start, row_end in pairwise(chain(row_starts, (end,))):
            cells = partial(_cells, row_start, row_end, cell_starts)
            yield Unit("row", row_start, row_end, tie=row_tie, opener=cells)
            row_tie = Tie.NEXT

    if head is None:
        head = text[start:head_end]
    shorter = tuple(part for part in (head if caption else "", short_head) if part)
    return Unit(
        "table",
        start,
        end,
        label=label,
        tie=tie,
        repeat=Repeat(caption + head, shorter=shorter) if head or caption else None,
        opener=children,
    )


def _cells(
    start: int, end: int, cell_starts: Callable[[int, int], Iterable[int]]
) -> Iterator[Unit]:
    starts = list(cell_starts(start, end))
    for number, cell_start in enumerate(starts):
        cell_end = starts[number + 1] if number + 1 < len(starts) else end
        yield Unit("cell", cell_start, cell_end, tie=Tie.INSIDE)
