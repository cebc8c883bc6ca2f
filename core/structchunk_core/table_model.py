"""What a table says, whatever it is written in: names of columns, rows of values, a caption.

A table of a million rows is not kept as values: its rows are read when they are asked for.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import NamedTuple

JOINED = " / "
_SHORT_NAME = 12  # characters


class Row(NamedTuple):
    """A body row of a table.

    Attributes:
        start: its first character, in characters of the text that the table stands in.
        end: one past its last character.
        values: what its cells say, in order; fewer or more than there are columns in a ragged row.
    """

    start: int
    end: int
    values: Sequence[str]


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    Attributes:
        names: of the columns, all different, none empty.
        row_starts: where each body row begins, in characters of the text, ascending; a row
            reaches to the next one.
        end: where the last row ends.
        read: from the half-open span of a row to what its cells say, unescaped, without white
            space around it and otherwise as written. A cell that spans several is told for each.
        caption: the words that name it, on one line, or ``""``.
        has_header: whether the names were read from it, and not made up.
        row_ends: where each body row ends, where that is not where the next one begins: of a list
            of records, whose rows tell the names of their columns themselves.
        read_rows: from the numbers of a first row and of one behind the last to what the cells of
            each say, read at once; None where they have to be read one by one.
        asides: from the half-open span of a row to the words in it that are in no cell, those of
            comments above all, on one line; None where rows have none.
    """

    names: tuple[str, ...]
    row_starts: Sequence[int]
    end: int
    read: Callable[[int, int], Sequence[str]]
    caption: str = ""
    has_header: bool = True
    row_ends: Sequence[int] | None = None
    read_rows: Callable[[int, int], Sequence[Sequence[str]] | None] | None = None
    asides: Callable[[int, int], str] | None = None

    def __len__(self) -> int:
        """How many body rows there are."""
        return len(self.row_starts)

    def rows(self, first: int = 0, behind: int | None = None) -> Iterator[Row]:
        """The rows from a number up to, and without, another; read one by one."""
        behind = len(self.row_starts) if behind is None else behind
        if behind <= first:
            return
        if self.row_ends is not None:
            for number in range(first, behind):
                start, end = self.row_starts[number], self.row_ends[number]
                yield Row(start, end, self.read(start, end))
            return
        starts = map(self.row_starts.__getitem__, range(first, behind))  # no walk from the first
        last = self.row_starts[behind] if behind < len(self.row_starts) else self.end
        for start, end in pairwise(chain(starts, (last,))):
            yield Row(start, end, self.read(start, end))

    def values(self, first: int, behind: int) -> Sequence[Sequence[str]]:
        """What the rows say from a number up to, and without, another."""
        if self.read_rows is not None and (read := self.read_rows(first, behind)) is not None:
            return read
        return [row.values for row in self.rows(first, behind)]

    def row_numbers(self, start: int, end: int) -> range:
        """The numbers of the rows that begin in the half-open span."""
        return range(bisect_left(self.row_starts, start), bisect_left(self.row_starts, end))

    def row_end(self, number: int) -> int:
        """Where the row with a number ends."""
        if self.row_ends is not None:
            return self.row_ends[number]
        return self.row_starts[number + 1] if number + 1 < len(self.row_starts) else self.end

    def name(self, column: int) -> str:
        """What a column is called, counted from 0; one beyond the names gets one of its own."""
        return self.names[column] if column < len(self.names) else made_up_name(column)


def made_up_name(column: int) -> str:
    """What a column without a name is called: ``column_1`` is the first."""
    return f"column_{column + 1}"


def column_names(header: Iterable[Sequence[str]], width: int = 0) -> tuple[str, ...]:
    """One name for each column from the header rows, all different and none empty.

    What stands in several header rows is joined (``2023 / Q1``), each word once where a cell
    reaches over rows. A second column of one name is called ``name (2)``.

    Args:
        header: the header rows, outermost first, spanned cells filled in.
        width: the least number of columns.
    """
    rows = [[" ".join(cell.split()) for cell in row] for row in header]
    width = max([width, *map(len, rows)])
    taken: dict[str, int] = {}
    names: list[str] = []
    for column in range(width):
        parts: list[str] = []
        for row in rows:
            if column < len(row) and row[column] and parts[-1:] != [row[column]]:
                parts.append(row[column])
        plain = name = JOINED.join(parts) or made_up_name(column)
        while name in taken:
            taken[plain] += 1
            name = f"{plain} ({taken[plain]})"
        taken[name] = 1
        names.append(name)
    return tuple(names)


def short_names(names: Sequence[str]) -> list[str]:
    """The names cut to a few characters: of joined ones the last, which tells them apart.

    Where that does not, it has the beginning of the first in front of it.
    """
    last = [_cut(name.rpartition(JOINED)[2]) for name in names]
    often = Counter(last)
    return [
        f"{_cut(name.partition(JOINED)[0])} {short}"
        if often[short] > 1 and JOINED in name
        else short
        for name, short in zip(names, last, strict=True)
    ]


def _cut(name: str) -> str:
    return name if len(name) <= _SHORT_NAME else name[: _SHORT_NAME - 1].rstrip() + "\u2026"
