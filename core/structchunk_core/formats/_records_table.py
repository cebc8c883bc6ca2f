"""Lists of records as tables: the keys of the records are the columns, those inside dotted.

A list is looked at when somebody asks, and only once. It is a table when it has several records,
most of which have most of the keys, and when most of what they say is not lists of records again.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from operator import eq

from structchunk_core.formats._records_values import Cells
from structchunk_core.table_model import Table, column_names

_IS_NESTED = re.compile(r"\[\{").match
_MOST_KEPT = 2_000_000  # characters of values that are not read again
_FEWEST_ROWS = 5
_MOST_COLUMNS = 200


class Rows:
    """Where the records of a list stand: half-open, in characters of the document, ascending."""

    __slots__ = ("ends", "starts")

    def __init__(self) -> None:
        self.starts = array("q")
        self.ends = array("q")

    def add(self, start: int, end: int) -> None:
        """One more record."""
        self.starts.append(start)
        self.ends.append(end)


def table_of_records(
    rows: Callable[[], Rows | None],
    read: Callable[[int, int], Cells | None],
    asides: Callable[[int, int], str],
    caption: str = "",
) -> Callable[[], Table | None]:
    """What makes the table that a list of records is, or None when it is none.

    Args:
        rows: finds the records; None when there is something else in the list.
        read: what the record at a half-open span says; None when that cannot be read.
        asides: what else is in it, as of :class:`Table`.
        caption: what the list is called.
    """

    @cache
    def make() -> Table | None:
        found = rows()
        if found is None or len(found.starts) < _FEWEST_ROWS:
            return None
        numbers: dict[str, int] = {}
        shapes: set[tuple[str, ...]] = set()  # the keys of a row
        kept: list[Sequence[str]] = []
        filled = length = nested = 0
        for start, end in zip(found.starts, found.ends, strict=True):
            cells = read(start, end)
            if cells is None:
                return None
            if not cells:
                kept += [()] if length <= _MOST_KEPT else []
                continue
            keys, values = zip(*cells, strict=True)
            if keys not in shapes:
                shapes.add(keys)
                for key in keys:
                    numbers.setdefault(key, len(numbers))
                if len(numbers) > _MOST_COLUMNS:
                    return None
            filled += len(values) - values.count("")
            length += sum(map(len, values))
            if any(map(_IS_NESTED, values)):
                nested += sum(len(value) for value in values if _IS_NESTED(value))
            if length <= _MOST_KEPT:
                kept.append(_in_columns(keys, values, numbers))
        if filled * 2 < len(found.starts) * len(numbers) or nested * 2 > length or not filled:
            return None
        width = len(numbers)

        def told(start: int, end: int) -> Sequence[str]:
            number = bisect_left(found.starts, start)
            if number < len(kept):
                values = kept[number]
                return values if len(values) == width else [*values, *[""] * (width - len(values))]
            cells = read(start, end) or ()
            return _in_columns([key for key, _ in cells], [value for _, value in cells], numbers)

        return Table(
            column_names([list(numbers)]),
            found.starts,
            found.ends[-1],
            told,
            caption,
            row_ends=found.ends,
            asides=asides,
        )

    return make


def _in_columns(
    keys: Sequence[str], values: Sequence[str], numbers: Mapping[str, int]
) -> Sequence[str]:
    """The values of a row in the columns of their keys; several of one key with commas between."""
    if len(keys) == len(numbers) and all(map(eq, keys, numbers)):
        return values
    told = [""] * len(numbers)
    for key, value in zip(keys, values, strict=True):
        column = numbers[key]
        told[column] = f"{told[column]}, {value}" if told[column] else value
    return told
