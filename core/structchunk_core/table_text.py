"""The profile of a table in words, and rows as ``column: value`` lines.

Texts come in pieces, so that whoever knows the budget takes as many as there is room for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from structchunk_core.table_columns import Column, Extreme
from structchunk_core.table_model import Table
from structchunk_core.table_profile import Profile
from structchunk_core.table_values import rounded, written_number

BETWEEN = "; "
"""What stands between the cells of a row that is written as a record."""
_LONGEST_VALUE = 60  # characters of a value that is named
_LONGEST_NAME = 80
_OFTEN = 10  # a value is named that is in this part of the cells or more
_MEAN_PLACES = 2  # digits of a mean behind those of the numbers


def headline(profile: Profile, caption: str) -> str:
    """What a profile begins with: of which table it is, and how large that is."""
    named = f"Profile of the table {_short(caption, 200)!r}" if caption else "Profile of a table"
    columns = len(profile.columns)
    return (
        f"{named}: {profile.rows} {'row' if profile.rows == 1 else 'rows'}, "
        f"{columns} {'column' if columns == 1 else 'columns'}."
    )


def column_facts(column: Column) -> list[str]:
    """All that a profile says about one column, in pieces of falling weight, its name first."""
    facts = [f"- {_short(column.name, _LONGEST_NAME)}: {_kind(column)}"]
    if column.kind != "empty":
        facts.append(_counts(column))
    facts += _figures(column)
    if not column.is_number:
        values = ", ".join(f"{_short(value)} ({count})" for value, count in _telling(column))
        facts += [f"most frequent: {values}"] if values else []
    return facts


def _telling(column: Column) -> Sequence[tuple[str, int]]:
    """The values that are often in the column; if none is, the one that is there most often."""
    often = [pair for pair in column.frequent if pair[1] * _OFTEN >= column.filled]
    if often or not column.frequent:
        return often
    (_, most), *others = column.frequent
    return column.frequent[:1] if not others or others[0][1] < most else ()


def summary_pieces(profile: Profile, caption: str, columns: Sequence[Column]) -> list[str]:
    """What is embedded of a profile of some columns, in pieces of falling weight.

    Columns whose values tell rows apart are left to the rows: who names them looks for one of
    those, and a short text with the same names would rank before it.
    """
    pieces = [_short(caption, 120)] if caption else []
    pieces.append(f"Table of {profile.rows} {'row' if profile.rows == 1 else 'rows'}")
    asked = [column for column in columns if column.is_number or _repeats(column)]
    pieces += [_short(column.name, 30) for column in asked or columns]
    for column in columns:
        if column.least is not None and column.greatest is not None:
            low, high = _short(column.least.written, 30), _short(column.greatest.written, 30)
            about = "Total, average and range of " if column.is_number else ""
            pieces.append(f"{about}{_short(column.name, 30)}: {low} to {high}")
    return pieces


def _repeats(column: Column) -> bool:
    """Whether a value of the column is in two rows or more, on average."""
    return column.kind in {"text", "boolean"} and 0 < column.distinct * 2 <= column.filled


def record_parts(table: Table, values: Sequence[str]) -> list[tuple[int, str]]:
    """The cells of a row that are not empty, each as ``column: value`` with its column number."""
    return [
        (column, f"{table.name(column)}: {' '.join(value.split())}")
        for column, value in enumerate(values)
        if value and not value.isspace()
    ]


def _kind(column: Column) -> str:
    return f"money in {column.unit}" if column.kind == "money" else column.kind


def _counts(column: Column) -> str:
    """How many values there are, unless each row has one of the kind, and how many different."""
    parts = []
    if column.empty or column.of_kind < column.filled:
        parts.append(f"{column.filled} {'value' if column.filled == 1 else 'values'}")
    if column.of_kind < column.filled:
        parts.append(f"{column.of_kind} of them {_PLURALS.get(column.kind, 'numbers')}")
    if column.empty:
        parts.append(f"{column.empty} empty")
    if column.distinct < 0:
        parts.append("very many different")
    elif column.distinct == column.filled:
        parts.append("all different")
    else:
        parts.append(f"{column.distinct} different")
    return ", ".join(parts)


_PLURALS = {"date": "dates"}


def _figures(column: Column) -> Iterator[str]:
    if column.least is None or column.greatest is None:
        return
    low, high = ("earliest", "latest") if column.kind in {"date", "year"} else ("min", "max")
    yield f"{low} {_extreme(column.least)}"
    yield f"{high} {_extreme(column.greatest)}"
    if not column.is_number:
        return
    unit = "%" if column.kind == "percentage" else ""
    if not unit:
        yield f"sum {written_number(column.total, column.scale)}"
    mean = rounded(column.total, column.scale, column.of_kind, column.scale + _MEAN_PLACES)
    yield f"mean {_plain(*mean)}{unit}"
    if column.middle is not None:
        yield f"median {_plain(column.middle, column.scale + 1)}{unit}"


def _plain(digits: int, scale: int) -> str:
    """The number without zeros at its end."""
    written = written_number(digits, scale)
    return written.rstrip("0").rstrip(".") if "." in written else written


def _extreme(extreme: Extreme) -> str:
    name, value = extreme.key
    return f"{extreme.written} ({_short(name, 30)}: {_short(value)})" if name else extreme.written


def _short(words: str, most: int = _LONGEST_VALUE) -> str:
    words = " ".join(words.split())
    return words if len(words) <= most else words[: most - 1].rstrip() + "\u2026"
