"""Reading the cells of one column, a batch of rows at a time, each different one once in each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from structchunk_core.table_columns import (
    Column,
    are_comparable,
    extreme_of,
    most_frequent,
    number_column,
    without_figures,
)
from structchunk_core.table_figures import YEARS, Batch, Days, Numbers
from structchunk_core.table_values import (
    HAS_DIGIT,
    LONGEST,
    NO_DAY,
    TRUTH,
    Day,
    Number,
    are_whole_numbers,
    day_or_none,
    grouped_numbers,
    is_beyond,
    number_or_none,
    numbers_or_days,
    plain_days,
    plain_numbers,
    read_otherwise,
)

_MOST_READ = 10_000  # cells of a column whose meaning is kept
_CODE = re.compile(r"0\d+(?:[.,]\d+)?").fullmatch


class Gathered:
    """What has been seen of one column so far.

    Cells in plain digits and ISO dates, which are most, are read by one match over a batch; no
    more than a few others are read one by one, each once.
    """

    def __init__(self, cap: int, rows: int) -> None:
        self._cap = cap
        self._rows = rows
        self._seen: Counter[str] = Counter()  # with "" for empty cells
        self._is_full = False
        self._has_codes = False  # a cell such as "007": then no cell is a number
        self._has_beyond = False  # a number that is not read: then no extreme is known
        self._is_truth = True
        self._filled = self._swapped = 0
        self._point = Numbers()
        self._comma: Numbers | None = None  # once a cell may be read both ways
        self._by_point = self._by_comma = 0  # cells that tell which mark is decimal
        self._day_first, self._month_first = Days(), Days()
        self._read: dict[str, _Meaning] = {}

    def take(self, cells: Sequence[str], first: int) -> None:
        """The cells of a batch of rows, of which the first has the number ``first``."""
        counted: Counter[str] | None = None
        if not self._is_full:
            if self._seen:
                self._seen.update(cells)
            else:  # as all of most tables is one batch
                counted = self._seen = Counter(cells)
            if len(self._seen) - ("" in self._seen) > self._cap:
                self._is_full = True
                self._seen = Counter()
        may_be_numbers, may_be_days = self._undecided()
        if self._is_full and not (may_be_numbers or may_be_days or self._is_truth):
            self._filled += len(cells) - cells.count("")
            return
        if counted is None:
            counted = Counter(cells)
        elif "" in counted:
            counted = counted.copy()
        self._filled += len(cells) - counted.pop("", 0)
        if self._is_truth:
            self._is_truth = all(TRUTH(cell.lower()) is not None for cell in counted)
        if self._is_truth or not (may_be_numbers or may_be_days):
            return
        short = list(counted)
        if max(map(len, short), default=0) > LONGEST:
            short = [cell for cell in short if len(cell) <= LONGEST]
        if may_be_numbers and len(short) < len(counted) and not self._has_beyond:
            self._has_beyond = any(len(cell) > LONGEST and is_beyond(cell) for cell in counted)
        lines = "\n".join(short)
        if HAS_DIGIT(lines) is None:
            return
        if lines.count("\n") >= len(short):  # a cell of several lines
            self._take_others(short, counted, cells, first, may_be_days)
            return
        batch = Batch(counted, cells, first)
        if may_be_numbers and are_whole_numbers(lines):
            self._take_plain(short, (), short, batch)
            return
        self._take_lines(lines, short, batch, may_be_numbers, may_be_days)

    def _take_lines(
        self,
        lines: str,
        short: Sequence[str],
        batch: Batch,
        may_be_numbers: bool,
        may_be_days: bool,
    ) -> None:
        """Different cells of one line each, also as lines of one text."""
        plain: list[tuple[str, str]] = plain_numbers(lines) if may_be_numbers else []
        days: list[tuple[str, str, str]] = []
        if may_be_days and len(plain) < len(short):
            days = plain_days(lines)
        written = short if len(plain) == len(short) else [_with_point(*pair) for pair in plain]
        if len(plain) + len(days) < len(short):
            grouped = grouped_numbers(lines)
            known = {*written, *grouped}
            known.update(day[0] for day in days)
            others = [cell for cell in numbers_or_days(lines) if cell not in known]
            if not may_be_numbers:
                others = [cell for cell in others if not cell.isdecimal()]
            self._take_others(others, *batch, may_be_days)
            if grouped:
                self._take_grouped(grouped, batch)
        if plain:
            wholes, fractions = zip(*plain, strict=True)
            self._take_plain(wholes, fractions, written, batch)
        if days:
            self._day_first.take_plain(days, batch)
            self._month_first.take_plain(days, batch)

    def _undecided(self) -> tuple[bool, bool]:
        """Whether the column can still be one of numbers, and one of dates.

        It cannot once half of all rows say otherwise.
        """
        days = max(self._day_first.count, self._month_first.count)
        numbers = not self._has_codes and (self._filled - self._point.count) * 2 < self._rows
        return numbers, (self._filled - days) * 2 < self._rows

    def _take_others(
        self,
        others: Sequence[str],
        counted: Mapping[str, int],
        cells: Sequence[str],
        first: int,
        may_be_days: bool,
    ) -> None:
        for cell in others:
            meaning = self._read.get(cell)
            if meaning is None:
                meaning = _meaning(cell, may_be_days=may_be_days)
                if len(self._read) < _MOST_READ:
                    self._read[cell] = meaning
            if meaning.number is not None:
                self._take_number(cell, meaning.number, meaning.other, counted[cell])
            elif meaning.day is not None or meaning.swapped is not None:
                self._take_day(cell, meaning, counted[cell])
            self._has_codes = self._has_codes or meaning.is_code
            self._has_beyond = self._has_beyond or meaning.is_beyond
        for one in (self._point, self._comma, self._day_first, self._month_first):
            if one is not None:
                one.settle(cells, first)

    def _take_number(self, cell: str, number: Number, other: Number | None, times: int) -> None:
        if other is not None and self._comma is None and other[:2] != number[:2]:
            self._comma = self._point.copy()
        if number.by_comma is not None:
            self._by_comma += times if number.by_comma else 0
            self._by_point += 0 if number.by_comma else times
        self._point.take(number, times, cell)
        if self._comma is not None:
            self._comma.take(other or number, times, cell)

    def _take_grouped(self, written: Sequence[str], batch: Batch) -> None:
        """Whole numbers with a comma in front of every three digits.

        Where there is but one comma, it may also be the decimal mark.
        """
        joined = [cell.replace(",", "") for cell in written]
        commas = [cell.count(",") for cell in written]
        sure = [cell for cell, count in zip(written, commas, strict=True) if count > 1]
        self._by_point += sum(map(batch.counted.__getitem__, sure))
        if self._comma is None and len(sure) < len(written):
            self._comma = self._point.copy()
        self._point.take_plain(joined, (), written, 0, batch)
        if self._comma is not None:
            pairs = [
                (whole[:-3], whole[-3:]) if count == 1 else (whole, "")
                for whole, count in zip(joined, commas, strict=True)
            ]
            wholes, fractions = zip(*pairs, strict=True)
            self._comma.take_plain(wholes, fractions, written, 0, batch)

    def _take_plain(
        self,
        wholes: Sequence[str],
        fractions: Sequence[str],
        written: Sequence[str],
        batch: Batch,
    ) -> None:
        """Numbers in plain digits, of which those like ``1.250`` may be whole ones.

        Arguments are as for :meth:`Numbers.take_plain`.
        """
        years = 0
        if not any(fractions):
            # Only a column of nothing but years is one of years.
            if self._point.years == self._point.count and max(map(len, wholes)) == 4:
                years = sum(batch.counted[one] for one in wholes if int(one) in YEARS)
            if self._comma is not None:
                self._comma.take_plain(wholes, (), written, years, batch)
            self._point.take_plain(wholes, (), written, years, batch)
            return
        pairs = list(zip(wholes, fractions, strict=True))
        lengths = list(map(len, fractions))
        if self._by_point * 2 < self._rows:
            if 0 in lengths or 3 in lengths:
                telling = [
                    cell
                    for cell, (whole, fraction) in zip(written, pairs, strict=True)
                    if fraction and (len(fraction) != 3 or len(whole.lstrip("-")) > 3)
                ]
            else:
                telling = list(written)
            self._by_point += sum(map(batch.counted.__getitem__, telling))
        if self._by_point * 2 >= self._rows:  # then the comma is the decimal mark of fewer
            self._comma = None
            self._point.take_plain(wholes, fractions, written, years, batch)
            return
        has_unclear = 3 in lengths and any(_is_unclear(*pair) for pair in pairs)
        if self._comma is None and has_unclear:
            self._comma = self._point.copy()
        if self._comma is not None:
            if has_unclear:
                whole_ones = [
                    (whole + fraction, "") if _is_unclear(whole, fraction) else (whole, fraction)
                    for whole, fraction in pairs
                ]
                others, behind = zip(*whole_ones, strict=True)
                self._comma.take_plain(others, behind, written, years, batch)
            else:
                self._comma.take_plain(wholes, fractions, written, years, batch)
        self._point.take_plain(wholes, fractions, written, years, batch)

    def _take_day(self, cell: str, meaning: _Meaning, times: int) -> None:
        day, other = meaning.day, meaning.swapped
        moment = day.moment if day is not None else None
        swapped = moment if other is day else other.moment if other is not None else None
        self._day_first.take(day, moment, times, cell)
        self._month_first.take(other, swapped, times, cell)
        self._swapped += times if (day or other or NO_DAY).swapped else 0

    def column(self, name: str, rows: int) -> Column:
        """What the column holds, as one of as many rows in all."""
        by_comma = self._comma is not None and self._by_comma > self._by_point
        numbers = self._comma if self._comma is not None and by_comma else self._point
        days, is_clear = self._days()
        filled = self._filled
        empty = rows - filled
        self._seen.pop("", None)
        distinct = -1 if self._is_full else len(self._seen)
        frequent = most_frequent(self._seen) if distinct < filled else ()
        if not filled:
            return Column(name, "empty", empty=empty)
        if numbers.count * 2 > filled and not self._has_codes:
            column = number_column(name, numbers, filled, empty, distinct, frequent)
            is_known = not self._has_beyond and are_comparable(numbers)
            return column if is_known else without_figures(column)
        if days.count * 2 > filled:
            is_clear = is_clear and days.is_comparable
            least = extreme_of(days.least) if is_clear else None
            greatest = extreme_of(days.greatest) if is_clear else None
            return Column(
                name,
                "date",
                "",
                filled,
                days.count,
                empty,
                distinct,
                least,
                greatest,
                frequent=frequent,
            )
        kind = "boolean" if self._is_truth else "text"
        return Column(name, kind, "", filled, filled, empty, distinct, frequent=frequent)

    def _days(self) -> tuple[Days, bool]:
        """The dates, and whether it is clear which number is the month."""
        if self._day_first.broken and not self._month_first.broken:
            return self._month_first, True
        is_clear = not self._swapped or bool(self._month_first.broken)
        return self._day_first, is_clear and not (self._day_first.broken and self._swapped)


class _Meaning(NamedTuple):
    """What a cell is: a number with its other reading, a date in both orders, a code.

    Or a number that is too large to be read.
    """

    number: Number | None = None
    other: Number | None = None
    day: Day | None = None
    swapped: Day | None = None
    is_code: bool = False
    is_beyond: bool = False


def _meaning(cell: str, *, may_be_days: bool) -> _Meaning:
    number = number_or_none(cell)
    if number is not None:
        other = None
        if number.by_comma is None and ("," in cell or "." in cell):
            other = read_otherwise(cell)
        return _Meaning(number, other)
    if HAS_DIGIT(cell) is None:
        return _Meaning()
    day = day_or_none(cell) if may_be_days else None
    swapped = day_or_none(cell, month_first=True) if may_be_days and "/" in cell else day
    return _Meaning(None, None, day, swapped, _CODE(cell) is not None, is_beyond(cell))


def _with_point(whole: str, fraction: str) -> str:
    return f"{whole}.{fraction}" if fraction else whole


def _is_unclear(whole: str, fraction: str) -> bool:
    """Whether the point may separate thousands: as in ``1.250``, and not in ``0.250``."""
    return len(fraction) == 3 and len(whole) < 5 and 0 < len(whole.lstrip("-0")) < 4
