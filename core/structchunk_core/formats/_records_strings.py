"""Units of strings in quotes, and the keys in front of values, in JSON and what is written so."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import partial

from structchunk_core.formats._records_units import shortened
from structchunk_core.unit import Tie, Unit, make_repeat, make_unit

LONG = 64  # characters of a string from which on it is opened; a shorter one has no parts to name
_STRING = re.compile(r'"(?:[^"\\\n]++|\\[\s\S])*+(?:"|(?=\n)|\\?\Z)')
_ESCAPES = re.compile(r"(?:\\n)++|\\[\s\S]")


def string_unit(
    text: str,
    places: tuple[int, int, int, int, int],
    label: str,
    tail: int = 0,
    *,
    indent: str | None = None,
) -> Unit:
    """The unit of a value in double quotes, which may be opened if it is long.

    Args:
        text: the document.
        places: where the unit begins; its key, or else the quote; the quote; where the string
            ends at the latest; where the unit ends.
        label: its key, or ``""``.
        tail: as in :class:`Unit`.
        indent: as for :func:`flow_unit`.
    """
    start, lead, quote, stop, end = places
    opener = repeat = None
    string = _STRING.match(text, quote, stop)
    if string and string.end() - quote > LONG:
        if indent is None:
            indent = text[with_indentation(text, start, lead) : lead]
        before = indent + text[lead : quote + 1]
        repeat = make_repeat(before, '"', chained=True)
        opener = partial(_lines_of_string, text, start, quote + 1, string.end(), end, tail)
    kind = "pair" if lead < quote else "value"
    return make_unit(
        kind, start, end, label, True, Tie.NEXT, repeat=repeat, opener=opener, tail=tail
    )


def _lines_of_string(
    text: str, start: int, first: int, stop: int, end: int, tail: int
) -> Iterator[Unit]:
    yield make_unit("head", start, first)
    position, tie = first, Tie.HEAD
    for escape in _ESCAPES.finditer(text, first, stop):
        behind = escape.end()
        if text[behind - 1] == "n" and behind < stop - 1:
            yield make_unit("text", position, behind, tie=tie)
            position, tie = behind, Tie.LOOSE
    yield make_unit("text", position, end, tie=tie, tail=tail)


def with_indentation(text: str, start: int, position: int) -> int:
    """The position, or the start of its line if only blanks of the unit are in front of it."""
    line = max(start, text.rfind("\n", start, position) + 1)
    return position if text[line:position].strip(" \t") else line


def key_name(key: str) -> str:
    """What a key says, as it stands in paths."""
    if key[0] not in "\"'":
        return shortened(key)
    if "\\" not in key:
        return shortened(key[1:-1])
    try:
        return shortened(str(json.loads(key)))
    except ValueError:
        return shortened(key[1:-1])
