"""What a whole table says that no row does: counts, sums, extremes, for each column.

One pass over the rows, a batch at a time: the same value of a column is looked at once in each
batch. All figures are exact. Memory is bounded: of a column with more different values than are
kept, only that is told.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from structchunk_core.table_columns import Column, Extreme
from structchunk_core.table_gathering import Gathered
from structchunk_core.table_model import Table

_BATCH = 2048  # rows
_MOST_KEPT = 1_000_000  # different values, in all columns together
_LEAST_KEPT = 100  # in each


@dataclass(frozen=True, slots=True)
class Profile:
    """What a table holds.

    Attributes:
        rows: how many body rows there are.
        columns: one for each column, in order.
    """

    rows: int
    columns: tuple[Column, ...]


def profile_of(table: Table) -> Profile:
    """The profile of a table. Reads each row once, and those with extremes once more."""
    gathered: list[Gathered] = []
    cap = max(_LEAST_KEPT, _MOST_KEPT // max(1, len(table.names)))
    for first in range(0, len(table), _BATCH):
        batch = table.values(first, min(first + _BATCH, len(table)))
        for number, cells in enumerate(zip_longest(*batch, fillvalue="")):
            if number == len(gathered):
                gathered.append(Gathered(cap, len(table)))
            gathered[number].take(cells, first)
    while len(gathered) < len(table.names):
        gathered.append(Gathered(cap, len(table)))
    rows = len(table)
    columns = [one.column(table.name(number), rows) for number, one in enumerate(gathered)]
    return Profile(rows, tuple(_with_keys(columns, table)))


def _with_keys(columns: Sequence[Column], table: Table) -> Iterator[Column]:
    """The columns, each extreme with what its row is known by; each such row is read once."""
    key = _key_column(columns)
    read: dict[int, str] = {}

    def known(extreme: Extreme | None, number: int) -> Extreme | None:
        if extreme is None or key < 0 or number == key:
            return extreme
        row = extreme.row
        if row not in read:
            (found,) = table.rows(row, row + 1)
            read[row] = found.values[key] if key < len(found.values) else ""
        return extreme._replace(key=(columns[key].name, read[row])) if read[row] else extreme

    for number, column in enumerate(columns):
        if column.least is None and column.greatest is None:
            yield column
            continue
        least, greatest = known(column.least, number), known(column.greatest, number)
        yield replace(column, least=least, greatest=greatest)


def _key_column(columns: Sequence[Column]) -> int:
    """The column that tells rows apart: the first of words with the most different values."""
    worded = [n for n, column in enumerate(columns) if column.kind in {"text", "date"}]
    if not worded:
        return 0 if len(columns) > 1 else -1
    return max(worded, key=lambda number: (_tells_apart(columns[number]), -number))


def _tells_apart(column: Column) -> bool:
    return column.distinct < 0 or column.distinct * 2 > column.filled
