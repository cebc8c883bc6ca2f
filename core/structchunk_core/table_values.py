"""What the cells of a table mean: numbers, money, dates. Read exactly, never as floats.

A number is a whole one and a scale: ``13.50`` is 1350 at scale 2. Cells that look like codes
(``007``) are text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from typing import NamedTuple

LONGEST = 40
"""Characters of the longest cell that is looked at for a number or a date."""

_MOST_DIGITS = 120  # of a number, with the zeros that its exponent stands for


class Number(NamedTuple):
    """A number.

    Attributes:
        digits: its value times ten to the power of its scale.
        scale: how many digits stand behind its decimal mark.
        unit: ``"%"``, a currency sign or code, or ``""``.
        year: whether it is written as years are: four digits and nothing else.
        by_comma: whether a comma must be its decimal mark (True) or cannot be (False); None when
            nothing tells.
    """

    digits: int
    scale: int
    unit: str = ""
    year: bool = False
    by_comma: bool | None = None


_PLAIN = re.compile(r"(-?)(0|[1-9]\d*)(?:\.(\d+))?")
_SIGNS = "$\u20ac\u00a3\u00a5\u20b9\u20bd\u20a9\u20ba\u20b4\u0e3f"
_CODES = "USD|EUR|GBP|JPY|CHF|CNY|INR|AUD|CAD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|BRL|MXN|ZAR|RUB|TRY|KRW"
_MONEY = rf"(?:(?:[A-Z]{{1,2}})?[{_SIGNS}]|{_CODES})"
_SPACE = "[ \u00a0\u202f\u2009]"
_NUMBER = re.compile(
    rf"(?P<open>\()?{_SPACE}?(?P<sign>[-+\u2212\u2013])?{_SPACE}?(?P<before>{_MONEY})?{_SPACE}?"
    r"(?P<inner>[-\u2212])?"
    rf"(?P<body>\d{{1,3}}(?:(?P<group>[,.'\u2019]|{_SPACE})\d{{3}}(?:(?P=group)\d{{3}})*)"
    r"(?:[.,]\d+)?|\d+(?:[.,]\d+)?|[.,]\d+)"
    rf"(?P<exponent>[eE][-+]?\d{{1,3}})?{_SPACE}?(?P<after>%|{_MONEY})?{_SPACE}?(?P<close>\))?"
)
_LIKE_NUMBER = re.compile(
    rf"[-+\u2212(]?(?:[{_SIGNS}] ?)?(?=[.,]?\d)(?:0(?!\d)|[1-9]\d{{0,2}}(?:,\d{{3}})+|[1-9]\d*)?"
    rf"(?:[.,]\d+)?(?:[eE][-+]?\d+)?\)?(?: ?[%{_SIGNS}])?"
).fullmatch
HAS_DIGIT = re.compile(r"\d").search
"""Whether there is a digit in a text."""


def number_or_none(cell: str) -> Number | None:
    """The number that a cell is, thousands separators, currency, percent and brackets understood.

    ``(1,250.00)`` is negative. A single mark in front of three digits (``1,250``) separates
    thousands when it is a comma, a blank or an apostrophe and is decimal when it is a point;
    :func:`read_otherwise` is the other way.
    """
    plain = _PLAIN.fullmatch(cell)
    if plain is not None:
        sign, whole, fraction = plain.groups()
        if len(whole) + len(fraction or "") > _MOST_DIGITS:
            return None
        if fraction is None:
            value = int(whole)
            return Number(-value if sign else value, 0, "", len(cell) == 4 and not sign)
        value = int(whole + fraction)
        known = False if len(fraction) != 3 or len(whole) > 3 else None
        return Number(-value if sign else value, len(fraction), "", by_comma=known)
    if len(cell) > LONGEST or HAS_DIGIT(cell) is None:
        return None
    return _written_number(cell.strip("*_` \t"), by_comma=False)


def is_beyond(cell: str) -> bool:
    """Whether a cell that is read as no number is one, too long or too large to be read."""
    return _LIKE_NUMBER(cell.strip("*_` \t")) is not None


def read_otherwise(cell: str) -> Number | None:
    """The number with a comma as its decimal mark, where that may be so; else as it is read."""
    return _written_number(cell.strip("*_` \t"), by_comma=True) if len(cell) <= LONGEST else None


def _written_number(cell: str, *, by_comma: bool) -> Number | None:
    found = _NUMBER.fullmatch(cell)
    if found is None:
        return None
    is_bracketed = found["open"] is not None
    if is_bracketed != (found["close"] is not None) or (found["sign"] and found["inner"]):
        return None
    body = found["body"]
    whole, fraction, known = _parts(body, found["group"], by_comma=by_comma)
    if len(whole) > 1 and whole[0] == "0":
        return None  # a code
    scale = len(fraction)
    if len(whole) + scale > _MOST_DIGITS:
        return None
    digits = int(whole + fraction or "0")
    if found["exponent"]:
        scale -= int(found["exponent"][1:])
        if not 0 <= scale <= _MOST_DIGITS:
            if not -_MOST_DIGITS <= scale < 0 or len(whole + fraction) - scale > _MOST_DIGITS:
                return None
            digits, scale = digits * 10**-scale, 0
    if is_bracketed or found["sign"] in {"-", "\u2212", "\u2013"} or found["inner"]:
        digits = -digits
    before, after = found["before"] or "", found["after"] or ""
    if before and after:
        return None
    return Number(digits, scale, before or after, by_comma=known)


def _parts(body: str, group: str | None, *, by_comma: bool) -> tuple[str, str, bool | None]:
    """The digits in front of the decimal mark and behind it, and what told which mark it is."""
    marks = [mark for mark in body if mark in ",."]
    last = marks[-1] if marks else ""
    plain = body if group in {None, ",", "."} else _without(body, group)
    if not last:
        return plain, "", None
    whole, _, fraction = plain.rpartition(last)
    if len(set(marks)) == 2:  # the last one is the decimal mark
        return _without(_without(whole, ","), "."), fraction, last == ","
    if len(marks) > 1:  # repeated: thousands
        return _without(_without(plain, ","), "."), "", last == "."
    if len(fraction) != 3 or len(whole) > 3 or not whole or group not in {",", "."}:
        return whole, fraction, last == ","
    is_decimal = (last == ",") == by_comma
    return (whole, fraction, None) if is_decimal else (whole + fraction, "", None)


def _without(digits: str, mark: str | None) -> str:
    return digits.replace(mark, "") if mark else digits


class Day(NamedTuple):
    """A date, or a date and a time of the day, that compares as time goes.

    Attributes:
        year: the year.
        month: the month, from 1.
        day: the day, from 1; 0 when only the month is told.
        rest: the time of the day as written, or ``""``.
        swapped: whether month and day could be the other way around (``3/4/2024``).
    """

    year: int
    month: int
    day: int
    rest: str = ""
    swapped: bool = False

    @property
    def has_offset(self) -> bool:
        """Whether it says how far from UTC its clock is."""
        return self.rest != "" and _OFFSET(self.rest) is not None

    @property
    def moment(self) -> tuple[int, int]:
        """What it compares by: the day, and the nanoseconds in it; less than 0 without a time."""
        first = date(self.year or 1, self.month, 1).toordinal() - (0 if self.year else 366)
        ordinal = first + max(0, self.day - 1)
        found = _CLOCK(self.rest)
        if found is None:
            return ordinal, -1 if self.day else -2
        hour, minute, second, fraction, half, sign, hours, minutes = found.groups()
        clock = int(hour) % 12 + (12 if half in "Pp" else 0) if half else int(hour)
        seconds = (clock * 60 + int(minute)) * 60 + int(second or 0)
        if sign:
            away = (int(hours) * 60 + int(minutes)) * 60
            seconds += away if sign == "-" else -away
        days, seconds = divmod(seconds, 86_400)
        return ordinal + days, seconds * 10**9 + int((fraction or "0")[:9].ljust(9, "0"))


_OFFSET = re.compile(r"[Zz]$|[-+]").search
_CLOCK = re.compile(
    r"(\d{1,2}):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(?: ?([AaPp])[Mm])?(?:[Zz]|([-+])(\d\d):?(\d\d))?"
).fullmatch
NO_DAY = Day(0, 0, 0)
_TIME = (
    r"(?:[T ]\s?(?P<rest>\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?"
    r"(?: ?[AaPp][Mm])?(?:Z|[+-]\d\d:?\d\d)?))?"
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?P<name>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DAYS = tuple(
    re.compile(form + _TIME, re.IGNORECASE)
    for form in (
        r"(?P<year>\d{4})(?P<mark>[-/.])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})",
        r"(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>\d{4})",
        r"(?P<first>\d{1,2})/(?P<second>\d{1,2})/(?P<year>\d{4})",
        rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th)?[ -]{_MONTH}[ ,-]\s?(?P<year>\d{{4}})",
        rf"{_MONTH} (?P<day>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<year>\d{{4}})",
        rf"{_MONTH} (?P<year>\d{{4}})",
    )
)
_LENGTHS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def day_or_none(cell: str, *, month_first: bool = False) -> Day | None:
    """The date that a cell is: ``2024-05-03``, ``3.5.2024``, ``3 May 2024``, ``May 3, 2024``, ...

    Args:
        cell: what it says.
        month_first: whether ``3/4/2024`` is a day of March.
    """
    if len(cell) > LONGEST or len(cell) < 6:
        return None
    for form in _DAYS[:4] if cell[0].isdecimal() else _DAYS[4:]:
        found = form.fullmatch(cell)
        if found is None:
            continue
        parts = found.groupdict()
        rest = parts.get("rest") or ""
        year = int(parts["year"])
        if "first" in parts:
            first, second = int(parts["first"]), int(parts["second"])
            day, month = (second, first) if month_first else (first, second)
            may_swap = first != second
        else:
            name = parts.get("name")
            month = _MONTHS.index(name[:3].casefold()) + 1 if name else int(parts["month"])
            day = int(parts["day"]) if parts.get("day") else 0
            may_swap = False
        if 1 <= month <= 12 and (day == 0 or 1 <= day <= _LENGTHS[month - 1]):
            return Day(year, month, day, rest, may_swap)
        return None
    return None


# Over the lines of a text, so that one match reads a whole column. Each is looked for behind a line
# end, which is found ten times as fast as the begin of a line.
_PLAIN_LINES = re.compile(r"\n(-?(?:0|[1-9]\d*+))(?:\.(\d++))?$", re.MULTILINE)
_WHOLE_LINES = re.compile(r"(?:-?(?:0|[1-9]\d*+)(?:\n|\Z))++")
_GROUPED_LINES = re.compile(r"\n(-?[1-9]\d{0,2}(?:,\d{3})++)$", re.MULTILINE)
_DAY_LINES = re.compile(
    r"\n((\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)"
    r"|02-(?:0[1-9]|[12]\d)))(?:[T ](\d\d:\d\d(?::\d\d)?))?)$",
    re.MULTILINE | re.ASCII,
)
_MAYBE_LINES = re.compile(
    rf"\n(?!0[xX])((?=[^A-Za-z\n]|(?i:{'|'.join(_MONTHS)})|{_CODES}|[A-Z]{{1,2}}[{_SIGNS}])(?=[^\n\d]*\d)"
    rf"[^\n]*(?<=[\dA-Zmz{_SIGNS}%)*_` \t\u00a0\u202f\u2009]))$",
    re.MULTILINE,
)


def are_whole_numbers(lines: str) -> bool:
    """Whether each line is a whole number in digits."""
    return _WHOLE_LINES.fullmatch(lines) is not None


def plain_numbers(lines: str) -> list[tuple[str, str]]:
    """The lines that are a number in digits, with a point at most: its whole and its fraction."""
    return _PLAIN_LINES.findall("\n" + lines)


def grouped_numbers(lines: str) -> list[str]:
    """The lines that are whole numbers in digits with commas in front of every three of them."""
    return _GROUPED_LINES.findall("\n" + lines) if "," in lines else []


def plain_days(lines: str) -> list[tuple[str, str, str]]:
    """The lines that are an ISO date: line, date, and the time of the day behind it."""
    return _DAY_LINES.findall("\n" + lines)


def numbers_or_days(lines: str) -> list[str]:
    """The lines that may be a number, a date or a code; hexadecimal (``0x2f``) is none of them."""
    return _MAYBE_LINES.findall("\n" + lines)


TRUTH: Callable[[str], bool | None] = {
    "true": True,
    "yes": True,
    "false": False,
    "no": False,
    "\u2713": True,
    "\u2714": True,
    "\u2717": False,
    "\u2718": False,
}.get
"""Whether a cell in lower case says yes (True) or no (False); None for any other."""


def written_number(digits: int, scale: int) -> str:
    """The number in digits, with a point and without thousands separators."""
    if scale <= 0:
        return str(digits)
    sign = "-" if digits < 0 else ""
    whole, fraction = divmod(abs(digits), 10**scale)
    return f"{sign}{whole}.{fraction:0{scale}d}"


def rounded(digits: int, scale: int, divisor: int, places: int) -> tuple[int, int]:
    """A number divided by a whole one, to so many places, half to even; as digits and scale."""
    raised = digits * 10 ** max(0, places - scale)
    scale = max(scale, places)
    by = divisor * 10 ** (scale - places)
    quotient, rest = divmod(raised, by)
    if rest * 2 > by or (rest * 2 == by and quotient % 2):
        quotient += 1
    return quotient, places
