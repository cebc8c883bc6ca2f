"""What a column of a table holds, and its figures: numbers, money, dates, years, words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from heapq import nsmallest
from typing import NamedTuple

from structchunk_core.table_figures import Bound, Numbers

_NUMBERS = frozenset({"integer", "decimal", "percentage", "money"})  # kinds that can be added up
_YEAR_NAMES = frozenset({"year", "years", "jahre", "ann\u00e9e", "annee", "a\u00f1o", "anno"})
_RECENT = range(1900, 2040)
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
        return self.kind in _NUMBERS


def number_column(
    name: str,
    numbers: Numbers,
    filled: int,
    empty: int,
    distinct: int,
    frequent: tuple[tuple[str, int], ...],
) -> Column:
    """A column that holds mostly numbers, or what only looks like them: years, identifiers.

    Args:
        name: what it is called.
        numbers: all that were read.
        filled: how many rows have something there.
        empty: how many have nothing there.
        distinct: how many different values, or -1.
        frequent: the most frequent ones.
    """
    kind, unit = _kind_of(name, numbers, filled, distinct)
    if kind == "text":
        return Column(name, kind, unit, filled, filled, empty, distinct, frequent=frequent)
    scale, total, middle = 0, 0, None
    if kind in _NUMBERS:
        scale, total, middle = numbers.scale, numbers.total, numbers.middle()
    return Column(
        name,
        kind,
        unit,
        filled,
        numbers.count,
        empty,
        distinct,
        extreme_of(numbers.least),
        extreme_of(numbers.greatest),
        scale,
        total,
        middle,
        frequent,
    )


def _kind_of(name: str, numbers: Numbers, filled: int, distinct: int) -> tuple[str, str]:
    """Kind and unit of a column that holds mostly numbers; arguments as of number_column."""
    kind = "decimal" if numbers.scale else "integer"
    units = [unit for unit in numbers.units if unit]
    if numbers.years == filled and _are_years(name, numbers):
        return "year", ""
    if kind == "integer" and not units and _are_identifiers(name, numbers, filled, distinct):
        return "identifier", ""
    if units == ["%"] and numbers.units["%"] * 2 > numbers.count:
        return "percentage", ""
    if units and "%" not in units and sum(map(numbers.units.__getitem__, units)) * 2 > filled:
        if len(units) > 1:
            return "text", ""  # several currencies have no sum
        return "money", units[0]
    return kind, ""


def most_frequent(seen: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    """The most frequent values that several rows have, with their counts, most first."""
    several = (pair for pair in seen.items() if pair[1] > 1)
    return tuple(nsmallest(_TOP, several, key=lambda pair: (-pair[1], pair[0])))


def extreme_of(bound: Bound | None) -> Extreme | None:
    """The value and row of a bound, if there is one; what tells the row is not known yet."""
    return Extreme(bound.written, bound.row) if bound is not None else None


def are_comparable(numbers: Numbers) -> bool:
    """Whether the numbers are all of one unit; without one they may be money, and no share."""
    units = [unit for unit, count in numbers.units.items() if count]
    return not units or (
        len(units) == 1 and (units[0] != "%" or numbers.units["%"] == numbers.count)
    )


def without_figures(column: Column) -> Column:
    """The column where some of its numbers are not known, or cannot be compared."""
    return replace(column, least=None, greatest=None, scale=0, total=0, middle=None)


def _are_years(name: str, numbers: Numbers) -> bool:
    words = [word.casefold() for word in _WORDS(name)]
    if not _AMOUNTS.isdisjoint(words):
        return False
    if any(word in _YEAR_NAMES or word.endswith("jahr") for word in words):
        return True
    bounds = (numbers.least, numbers.greatest)
    return all(bound is not None and bound.value[0] in _RECENT for bound in bounds)


def _are_identifiers(name: str, numbers: Numbers, filled: int, distinct: int) -> bool:
    """Whether whole numbers name things: the name says so, or all are long and different."""
    words = [word.casefold() for word in _WORDS(name)]
    if words and words[-1] in _IDENTIFIER_NAMES:
        return True
    least = numbers.least
    return distinct == filled > 1 and least is not None and least.value[0] >= _LONG_NUMBER
