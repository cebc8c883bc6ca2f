"""What a line of reStructuredText begins, by its first characters, and where its mark ends."""

from __future__ import annotations

import re
from typing import NamedTuple

BULLET = re.compile(r"[-+*\u2022\u2023\u2043](?:[ \t]+|$)")
DOCTEST = re.compile(r">>>(?: |$)")
LINE_BLOCK = re.compile(r"\|(?: |$)")
GRID_TOP = re.compile(r"\+-[-+]*-\+$")
SIMPLE_BORDER = re.compile(r"=+(?: +=+)+$")
EXPLICIT = re.compile(r"\.\.(?:[ \t]+|$)")
ANONYMOUS = re.compile(r"__(?:[ \t]+|$)")
ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1*$")
_ENUMERATOR = re.compile(r"(?P<open>\(?)(?P<ordinal>\d{1,9}|[A-Za-z]|[ivxlcdmIVXLCDM]{1,12}|#)")


class Enumerator(NamedTuple):
    """The mark of a numbered item: how it is written, its ordinal, and its length with blanks."""

    form: str
    ordinal: str
    length: int


def enumerator(shown: str) -> Enumerator | None:
    """The mark of a numbered item that the line begins with."""
    found = _ENUMERATOR.match(shown)
    if found is None:
        return None
    close = shown[found.end() : found.end() + 1]
    if not close or close not in (")" if found["open"] else ")."):
        return None
    behind = found.end() + 1
    content = len(shown) - len(shown[behind:].lstrip(" \t"))
    if content == behind and behind < len(shown):
        return None
    return Enumerator(found["open"] + close, found["ordinal"], content)


def follows(mark: Enumerator, following: Enumerator) -> bool:
    """Whether an item with the second mark can stand behind one with the first."""
    if mark.form != following.form:
        return False
    if following.ordinal == "#":
        return True
    if mark.ordinal == "#":
        return False
    if mark.ordinal.isdecimal():
        return following.ordinal.isdecimal() and int(following.ordinal) == int(mark.ordinal) + 1
    is_letter = len(mark.ordinal) == len(following.ordinal) == 1
    if is_letter and ord(following.ordinal) == ord(mark.ordinal) + 1:
        return True
    return (
        mark.ordinal.islower() == following.ordinal.islower()
        and _roman(following.ordinal) == _roman(mark.ordinal) + 1 > 1
    )


_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}


def _roman(ordinal: str) -> int:
    """The value of a Roman numeral, 0 when it is none."""
    total = last = 0
    for character in reversed(ordinal.lower()):
        value = _ROMAN.get(character, 0)
        if not value:
            return 0
        total += value if value >= last else -value
        last = max(last, value)
    return total


_FIELD = re.compile(r":(?![: ])(?:[^:\\]|\\.|:(?![ `]|$))*+(?<! ):(?:[ \t]+|$)")


def field_end(shown: str) -> int:
    """Where the text of a field begins, behind its name; -1 when the line is none."""
    if shown[0] != ":":
        return -1
    found = _FIELD.match(shown)
    return found.end() if found else -1


_OPTION = re.compile(
    r"(?:[-+][A-Za-z0-9](?: ?(?:[A-Za-z][\w-]*+|<[^<>]++>))?|(?:--|/)[A-Za-z0-9][\w-]*+"
    r"(?:[ =](?:[A-Za-z][\w-]*+|<[^<>]++>))?)"
)
_OPTIONS_END = re.compile(r"(?: {2,}|\t[ \t]*| ?$)")


def option_end(shown: str) -> int:
    """Where the description of a command-line option begins; -1 when the line is none."""
    if shown[0] not in "-+/":
        return -1
    position = 0
    while found := _OPTION.match(shown, position):
        behind = _OPTIONS_END.match(shown, found.end())
        if behind:
            return behind.end()
        if not shown.startswith(", ", found.end()):
            return -1
        position = found.end() + 2
    return -1
