"""What a whole table says that no row does: counts, sums, extremes, for each column.

One pass over the rows, a batch at a time: the same value of a column is looked at once in each
batch. All figures are exact. Memory is bounded: of a column with more different values than are
kept, only that is told, and of a number 8 bytes are kept for the median.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import nsmallest
from itertools import chain, repeat, zip_longest
from operator import add, itemgetter, mul
from typing import NamedTuple

from structchunk_core.table_model import Table
from structchunk_core.table_values import (
    HAS_DIGIT,
    LONGEST,
    NO_DAY,
    TRUTH,
    Day,
    Number,
    are_whole_numbers,
    day_or_none,
    is_beyond,
    number_or_none,
    numbers_or_days,
    plain_days,
    plain_numbers,
    read_otherwise,
)

_BATCH = 2048  # rows
_MOST_KEPT = 1_000_000  # different values, in all columns together
_LEAST_KEPT = 100  # in each
_LARGEST = 1 << 62
_YEARS = range(1000, 2200)
_RECENT = range(1900, 2040)
_YEAR_NAMES = frozenset({"year", "years", "jahre", "ann\u00e9e", "annee", "a\u00f1o", "anno"})
_WORDS = re.compile(r"[^\W\d_](?:[^\W\d_A-Z]+|[A-Z]*(?![^\W\d_A-Z]))").findall
_AMOUNTS = frozenset(
    _WORDS(
        "amount amounts budget cost costs count counts income orders population price prices "
        "profit qty quantity revenue salary sales score sum total totals turnover units value "
        "visitors weight anzahl betrag kosten menge preis summe umsatz"
    )
)
_IDENTIFIER_NAMES = frozenset(
    {"ean", "gtin", "id", "ids", "imei", "isbn", "issn", "phone", "plz", "postcode", "telephone"}
    | {"upc", "zip", "zipcode"}
)
_LONG_NUMBER = 10**15  # beyond it are numbers of accounts and messages rather than amounts
_TOP = 5
_MOST_READ = 10_000  # cells of a column whose meaning is kept
_CODE = re.compile(r"0\d+(?:[.,]\d+)?").fullmatch


class Extreme(NamedTuple):
    """The least or greatest value of a column.

    Attributes:
        written: as the table has it.
        row: the number of the first row that has it, from 0.
        key: what tells that row from others: name and value of a column, or ``("", "")``.
    """

    written: str
    row: int
    key: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class Column:
    """What one column holds.

    Attributes:
        name: what it is called.
        kind: ``integer``, ``decimal``, ``percentage``, ``money``, ``date``, ``year``,
            ``identifier`` (whole numbers that name something and have no sum), ``boolean``,
            ``text``, or ``empty``.
        unit: the currency of money, or ``""``.
        filled: how many rows have something there.
        of_kind: how many of these are of that kind; fewer in a mixed column.
        empty: how many rows have nothing there.
        distinct: how many different values, or -1: more than are kept.
        least: the least number or earliest date; None when there is none, when a number could not
            be read, or when units differ: then there are no other figures either.
        greatest: the greatest or latest.
        scale: of the sum: how many digits stand behind the point.
        total: the sum of the numbers times ten to the power of the scale.
        middle: the median at one digit more than the scale, times ten to that power; None when
            the numbers are too large for it.
        frequent: the most frequent values with their counts, most first, of at least two rows.
    """

    name: str
    kind: str
    unit: str = ""
    filled: int = 0
    of_kind: int = 0
    empty: int = 0
    distinct: int = 0
    least: Extreme | None = None
    greatest: Extreme | None = None
    scale: int = 0
    total: int = 0
    middle: int | None = None
    frequent: tuple[tuple[str, int], ...] = ()

    @property
    def is_number(self) -> bool:
        """Whether sum, mean and median mean something."""
        return self.kind in {"integer", "decimal", "percentage", "money"}


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
    gathered: list[_Gathered] = []
    cap = max(_LEAST_KEPT, _MOST_KEPT // max(1, len(table.names)))
    for first in range(0, len(table), _BATCH):
        batch = table.values(first, min(first + _BATCH, len(table)))
        for number, cells in enumerate(zip_longest(*batch, fillvalue="")):
            if number == len(gathered):
                gathered.append(_Gathered(cap, len(table)))
            gathered[number].take(cells, first)
    while len(gathered) < len(table.names):
        gathered.append(_Gathered(cap, len(table)))
    rows = len(table)
    columns = [one.column(table.name(number), rows) for number, one in enumerate(gathered)]
    return Profile(rows, tuple(_with_keys(columns, table)))


class _Batch(NamedTuple):
    """Cells of one column: how often each is there, all in order, the number of the first row."""

    counted: Mapping[str, int]
    cells: Sequence[str]
    first: int

    def better(self, bound: _Bound | None, value: tuple[int, ...], written: str) -> _Bound:
        """The bound of that value, unless an equal one stands in an earlier row."""
        row = self.first + self.cells.index(written)
        if bound is not None and bound.value == value and bound.row < row:
            return bound
        return _Bound(value, written, row)


class _Bound(NamedTuple):
    """A least or greatest value so far: what it compares by, as written, and its row or -1."""

    value: tuple[int, ...]
    written: str
    row: int = -1


def _placed(bound: _Bound | None, cells: Sequence[str], first: int) -> _Bound | None:
    """The bound with its row, which is looked for once in each batch that brings a new one."""
    if bound is None or bound.row >= 0:
        return bound
    return bound._replace(row=first + cells.index(bound.written))


@dataclass(slots=True)
class _Numbers:
    """Numbers of one column, read with one decimal mark; all at the same scale."""

    count: int = 0
    scale: int = 0
    total: int = 0
    kept: array[int] | None = field(default_factory=lambda: array("q"))
    least: _Bound | None = None
    greatest: _Bound | None = None
    units: Counter[str] = field(default_factory=Counter)
    years: int = 0

    def take(self, number: Number, times: int, written: str) -> None:
        if number.scale > self.scale:
            self._rescale(number.scale)
        digits = number.digits * 10 ** (self.scale - number.scale)
        self.count += times
        self.total += digits * times
        if number.year and number.digits in _YEARS:
            self.years += times
        if number.unit:
            self.units[number.unit] += times
        if self.kept is not None:
            if -_LARGEST < digits < _LARGEST:
                self.kept.extend([digits] * times)
            else:
                self.kept = None
        if self.least is None or digits < self.least.value[0]:
            self.least = _Bound((digits,), written)
        if self.greatest is None or digits > self.greatest.value[0]:
            self.greatest = _Bound((digits,), written)

    def take_plain(
        self,
        wholes: Sequence[str],
        fractions: Sequence[str],
        written: Sequence[str],
        years: int,
        batch: _Batch,
    ) -> None:
        """Whole and fraction of numbers, what the cells say, and how many may be years.

        Args:
            wholes: what stands in front of the points.
            fractions: what stands behind them; none at all where there is no point.
            written: the cells.
            years: how many of them may be years.
            batch: where they stand.
        """
        scale = max(map(len, fractions), default=0)
        if scale > self.scale:
            self._rescale(scale)
        if not scale:
            digits = list(map(int, wholes))
            if self.scale:
                by = 10**self.scale
                digits = [one * by for one in digits]
        elif min(map(len, fractions)) == self.scale:
            digits = list(map(int, map(add, wholes, fractions)))
        else:
            scale = self.scale
            digits = [
                int(whole + fraction.ljust(scale, "0"))
                for whole, fraction in zip(wholes, fractions, strict=True)
            ]
        self.years += years
        low, high = min(digits), max(digits)
        if self.least is None or low <= self.least.value[0]:
            text = written[digits.index(low)]
            self.least = batch.better(self.least, (low,), text)
        if self.greatest is None or high >= self.greatest.value[0]:
            text = written[digits.index(high)]
            self.greatest = batch.better(self.greatest, (high,), text)
        if len(batch.counted) < len(batch.cells):
            times = list(map(batch.counted.__getitem__, written))
            self.count += sum(times)
            self.total += sum(map(mul, digits, times))
            if self.kept is not None:
                digits = list(chain.from_iterable(map(repeat, digits, times)))
        else:
            self.count += len(digits)
            self.total += sum(digits)
        if self.kept is not None and low > -_LARGEST and high < _LARGEST:
            self.kept.extend(digits)
        else:
            self.kept = None

    def settle(self, cells: Sequence[str], first: int) -> None:
        self.least = _placed(self.least, cells, first)
        self.greatest = _placed(self.greatest, cells, first)

    def _rescale(self, scale: int) -> None:
        by = 10 ** (scale - self.scale)
        self.scale = scale
        self.total *= by
        bounds = [bound.value[0] * by for bound in (self.least, self.greatest) if bound]
        if self.kept is not None:
            fits = all(-_LARGEST < digits < _LARGEST for digits in bounds)
            self.kept = array("q", [digits * by for digits in self.kept]) if fits else None
        if self.least and self.greatest:
            self.least = self.least._replace(value=(bounds[0],))
            self.greatest = self.greatest._replace(value=(bounds[1],))

    def middle(self) -> int | None:
        """The median, at one digit more than the scale."""
        if not self.kept:
            return None
        ordered = sorted(self.kept)
        half = len(ordered) // 2
        if len(ordered) % 2:
            return ordered[half] * 10
        return (ordered[half - 1] + ordered[half]) * 5

    def copy(self) -> _Numbers:
        """The same numbers, to go on with another decimal mark."""
        kept = None if self.kept is None else self.kept[:]
        return replace(self, kept=kept, units=Counter(self.units))


@dataclass(slots=True)
class _Days:
    """Dates of one column, read in one order of month and day."""

    count: int = 0
    broken: int = 0  # cells that are a date only in the other order
    least: _Bound | None = None
    greatest: _Bound | None = None
    with_offset: int = 0  # of these, and no other, it is known when they were

    def take(
        self, day: Day | None, moment: tuple[int, int] | None, times: int, written: str
    ) -> None:
        """A date, or what is one only in the other order, and its moment."""
        if day is None or moment is None:
            self.broken += times
            return
        self.count += times
        self.with_offset += times if day.has_offset else 0
        if self.least is None or moment < self.least.value:
            self.least = _Bound(moment, written)
        if self.greatest is None or moment > self.greatest.value:
            self.greatest = _Bound(moment, written)

    def take_plain(self, days: Sequence[tuple[str, str, str]], batch: _Batch) -> None:
        """ISO dates: what the cells say, the date in it, and the time of the day."""
        self.count += sum(batch.counted[written] for written, _, _ in days)
        written, date, rest = min(days, key=itemgetter(1, 2))
        value = _iso_day(date, rest).moment
        if self.least is None or value <= self.least.value:
            self.least = batch.better(self.least, value, written)
        written, date, rest = max(days, key=itemgetter(1, 2))
        value = _iso_day(date, rest).moment
        if self.greatest is None or value >= self.greatest.value:
            self.greatest = batch.better(self.greatest, value, written)

    @property
    def is_comparable(self) -> bool:
        """Whether all say how far from UTC they are, or none does."""
        return self.with_offset in {0, self.count}

    def settle(self, cells: Sequence[str], first: int) -> None:
        self.least = _placed(self.least, cells, first)
        self.greatest = _placed(self.greatest, cells, first)


def _iso_day(date: str, rest: str) -> Day:
    return Day(int(date[:4]), int(date[5:7]), int(date[8:]), rest)


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


class _Gathered:
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
        self._point = _Numbers()
        self._comma: _Numbers | None = None  # once a cell may be read both ways
        self._by_point = self._by_comma = 0  # cells that tell which mark is decimal
        self._day_first, self._month_first = _Days(), _Days()
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
        batch = _Batch(counted, cells, first)
        if may_be_numbers and are_whole_numbers(lines):
            self._take_plain(short, (), short, batch)
            return
        self._take_lines(lines, short, batch, may_be_numbers, may_be_days)

    def _take_lines(
        self,
        lines: str,
        short: Sequence[str],
        batch: _Batch,
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
            known = set(written)
            known.update(day[0] for day in days)
            others = [cell for cell in numbers_or_days(lines) if cell not in known]
            if not may_be_numbers:
                others = [cell for cell in others if not cell.isdecimal()]
            self._take_others(others, *batch, may_be_days)
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

    def _take_plain(
        self,
        wholes: Sequence[str],
        fractions: Sequence[str],
        written: Sequence[str],
        batch: _Batch,
    ) -> None:
        """Numbers in plain digits, of which those like ``1.250`` may be whole ones.

        Arguments are as for :meth:`_Numbers.take_plain`.
        """
        years = 0
        if not any(fractions):
            # Only a column of nothing but years is one of years.
            if self._point.years == self._point.count and max(map(len, wholes)) == 4:
                years = sum(batch.counted[one] for one in wholes if int(one) in _YEARS)
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
        frequent = _most_frequent(self._seen) if distinct < filled else ()
        if not filled:
            return Column(name, "empty", empty=empty)
        if numbers.count * 2 > filled and not self._has_codes:
            column = _number_column(name, numbers, filled, empty, distinct, frequent)
            is_known = not self._has_beyond and _are_comparable(numbers)
            return column if is_known else _without_figures(column)
        if days.count * 2 > filled:
            is_clear = is_clear and days.is_comparable
            least = _extreme(days.least) if is_clear else None
            greatest = _extreme(days.greatest) if is_clear else None
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

    def _days(self) -> tuple[_Days, bool]:
        """The dates, and whether it is clear which number is the month."""
        if self._day_first.broken and not self._month_first.broken:
            return self._month_first, True
        is_clear = not self._swapped or bool(self._month_first.broken)
        return self._day_first, is_clear and not (self._day_first.broken and self._swapped)


def _most_frequent(seen: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    several = (pair for pair in seen.items() if pair[1] > 1)
    return tuple(nsmallest(_TOP, several, key=lambda pair: (-pair[1], pair[0])))


def _extreme(bound: _Bound | None) -> Extreme | None:
    return Extreme(bound.written, bound.row) if bound is not None else None


def _number_column(
    name: str,
    numbers: _Numbers,
    filled: int,
    empty: int,
    distinct: int,
    frequent: tuple[tuple[str, int], ...],
) -> Column:
    least, greatest = _extreme(numbers.least), _extreme(numbers.greatest)
    units = [unit for unit in numbers.units if unit]
    kind = "decimal" if numbers.scale else "integer"
    unit = ""
    if numbers.years == filled and _are_years(name, numbers):
        return Column(
            name, "year", "", filled, filled, empty, distinct, least, greatest, frequent=frequent
        )
    if kind == "integer" and not units and _are_identifiers(name, numbers, filled, distinct):
        return Column(
            name,
            "identifier",
            "",
            filled,
            numbers.count,
            empty,
            distinct,
            least,
            greatest,
            frequent=frequent,
        )
    if units == ["%"] and numbers.units["%"] * 2 > numbers.count:
        kind = "percentage"
    elif units and "%" not in units and sum(map(numbers.units.__getitem__, units)) * 2 > filled:
        if len(units) > 1:  # several currencies have no sum
            return Column(name, "text", "", filled, filled, empty, distinct, frequent=frequent)
        kind, unit = "money", units[0]
    return Column(
        name,
        kind,
        unit,
        filled,
        numbers.count,
        empty,
        distinct,
        least,
        greatest,
        numbers.scale,
        numbers.total,
        numbers.middle(),
        frequent,
    )


def _are_comparable(numbers: _Numbers) -> bool:
    """Whether the numbers are all of one unit; without one they may be money, and no share."""
    units = [unit for unit, count in numbers.units.items() if count]
    return not units or (
        len(units) == 1 and (units[0] != "%" or numbers.units["%"] == numbers.count)
    )


def _without_figures(column: Column) -> Column:
    return replace(column, least=None, greatest=None, scale=0, total=0, middle=None)


def _are_years(name: str, numbers: _Numbers) -> bool:
    words = [word.casefold() for word in _WORDS(name)]
    if not _AMOUNTS.isdisjoint(words):
        return False
    if any(word in _YEAR_NAMES or word.endswith("jahr") for word in words):
        return True
    bounds = (numbers.least, numbers.greatest)
    return all(bound is not None and bound.value[0] in _RECENT for bound in bounds)


def _are_identifiers(name: str, numbers: _Numbers, filled: int, distinct: int) -> bool:
    """Whether whole numbers name things: the name says so, or all are long and different."""
    words = [word.casefold() for word in _WORDS(name)]
    if words and words[-1] in _IDENTIFIER_NAMES:
        return True
    least = numbers.least
    return distinct == filled > 1 and least is not None and least.value[0] >= _LONG_NUMBER


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
