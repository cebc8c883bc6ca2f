"""Numbers and dates of one column while its rows are read: count, sum, extremes, exact.

Memory is bounded: of a number 8 bytes are kept for the median.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, repeat
from operator import add, itemgetter, mul
from typing import NamedTuple

from structchunk_core.table_values import Day, Number

_LARGEST = 1 << 62
YEARS = range(1000, 2200)


class Batch(NamedTuple):
    """Cells of one column: how often each is there, all in order, the number of the first row."""

    counted: Mapping[str, int]
    cells: Sequence[str]
    first: int

    def better(self, bound: Bound | None, value: tuple[int, ...], written: str) -> Bound:
        """The bound of that value, unless an equal one stands in an earlier row."""
        row = self.first + self.cells.index(written)
        if bound is not None and bound.value == value and bound.row < row:
            return bound
        return Bound(value, written, row)


class Bound(NamedTuple):
    """A least or greatest value so far: what it compares by, as written, and its row or -1."""

    value: tuple[int, ...]
    written: str
    row: int = -1


def _placed(bound: Bound | None, cells: Sequence[str], first: int) -> Bound | None:
    """The bound with its row, which is looked for once in each batch that brings a new one."""
    if bound is None or bound.row >= 0:
        return bound
    return bound._replace(row=first + cells.index(bound.written))


@dataclass(slots=True)
class Numbers:
    """Numbers of one column, read with one decimal mark; all at the same scale."""

    count: int = 0
    scale: int = 0
    total: int = 0
    kept: array[int] | None = field(default_factory=lambda: array("q"))
    least: Bound | None = None
    greatest: Bound | None = None
    units: Counter[str] = field(default_factory=Counter)
    years: int = 0

    def take(self, number: Number, times: int, written: str) -> None:
        if number.scale > self.scale:
            self._rescale(number.scale)
        digits = number.digits * 10 ** (self.scale - number.scale)
        self.count += times
        self.total += digits * times
        if number.year and number.digits in YEARS:
            self.years += times
        if number.unit:
            self.units[number.unit] += times
        if self.kept is not None:
            if -_LARGEST < digits < _LARGEST:
                self.kept.extend([digits] * times)
            else:
                self.kept = None
        if self.least is None or digits < self.least.value[0]:
            self.least = Bound((digits,), written)
        if self.greatest is None or digits > self.greatest.value[0]:
            self.greatest = Bound((digits,), written)

    def take_plain(
        self,
        wholes: Sequence[str],
        fractions: Sequence[str],
        written: Sequence[str],
        years: int,
        batch: Batch,
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

    def copy(self) -> Numbers:
        """The same numbers, to go on with another decimal mark."""
        kept = None if self.kept is None else self.kept[:]
        return replace(self, kept=kept, units=Counter(self.units))


@dataclass(slots=True)
class Days:
    """Dates of one column, read in one order of month and day."""

    count: int = 0
    broken: int = 0  # cells that are a date only in the other order
    least: Bound | None = None
    greatest: Bound | None = None
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
            self.least = Bound(moment, written)
        if self.greatest is None or moment > self.greatest.value:
            self.greatest = Bound(moment, written)

    def take_plain(self, days: Sequence[tuple[str, str, str]], batch: Batch) -> None:
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
