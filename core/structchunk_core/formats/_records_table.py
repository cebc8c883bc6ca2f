"""Lists of records as tables: the keys of the records are the columns, those inside dotted.

A list is looked at when somebody asks, and only once. It is a table when it has several records,
most of which have most of the keys, and when most of what they say is not lists of records again.
"""

from __future__ import annotations

import json
import re
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from operator import eq
from typing import Any

from structchunk_core.table_model import Table, column_names

Cells = Sequence[tuple[str, str]]
"""Dotted keys and values of a record; ``""`` for nothing."""

NESTED = "[{"
"""What the value begins with that is a list of records itself."""
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
    rows: Callable[[], Rows | None], read: Callable[[int, int], Cells | None], caption: str = ""
) -> Callable[[], Table | None]:
    """What makes the table that a list of records is, or None when it is none.

    Args:
        rows: finds the records; None when there is something else in the list.
        read: what the record at a half-open span says; None when that cannot be read.
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


def cells_of_json(text: str, start: int, _end: int) -> Cells | None:
    """What the object that begins at a position says; None when it is no valid JSON."""
    try:
        value, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    if any(type(item) in _HOLDERS for _, item in value):
        cells = list(flattened(value))
    else:
        cells = [pair if type(pair[1]) in _TEXTS else (pair[0], _plain(pair[1])) for pair in value]
    if _HALF.search(text, start, end) is None:
        return cells
    return [(_without_halves(name), _without_halves(told)) for name, told in cells]


_HALF = re.compile(r"\\u[dD][89a-fA-F]")
_LONE = re.compile(r"[\ud800-\udfff]")


def _without_halves(words: str) -> str:
    """The words with what is half of a character only as the escape that it was written as.

    It is valid in JSON and in no encoding, so that nobody could send or store it.
    """
    return _LONE.sub(lambda half: f"\\u{ord(half[0]):04x}", words)


class _Number(str):
    """A number as it is written."""

    __slots__ = ()


_HOLDERS = frozenset({dict, list, tuple})
_TEXTS = frozenset({str, _Number})
_DECODER = json.JSONDecoder(
    object_pairs_hook=tuple,
    parse_float=_Number,
    parse_int=_Number,
    parse_constant=_Number,
    strict=False,
)


def flattened(pairs: Iterable[tuple[str, object]]) -> Iterator[tuple[str, str]]:
    """The plain values and lists in an object, given as pairs, with the keys that lead to them.

    An object inside is a tuple of pairs or a dict, a list a list.
    """
    stack: list[tuple[str, Iterator[tuple[str, object]]]] = [("", iter(pairs))]
    while stack:
        above, inside = stack[-1]
        for key, value in inside:
            name = f"{above}{key}"
            if type(value) in {tuple, dict}:
                stack.append((f"{name}.", iter(_pairs(value))))
                break
            yield name, _list_text(value) if type(value) is list else _plain(value)
        else:
            stack.pop()


def _pairs(value: Any) -> Iterable[tuple[str, object]]:
    return value.items() if type(value) is dict else value


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def _list_text(items: list[object]) -> str:
    """A list on one line: plain values with commas between them, anything else as in JSON."""
    if not any(type(item) in {dict, list, tuple} for item in items):
        return ", ".join(map(_plain, items))
    parts: list[str] = []
    stack: list[tuple[bool, Any]] = [(False, items)]  # whether it is text already
    inside: list[tuple[tuple[bool, Any], ...]]
    while stack:
        is_text, value = stack.pop()
        if is_text or isinstance(value, _Number):
            parts.append(str(value))
        elif type(value) is list:
            inside = [((False, item),) for item in value]
            stack += reversed([(True, "["), *_between(inside), (True, "]")])
        elif type(value) in {dict, tuple}:
            pairs = _pairs(value)
            inside = [((True, f"{json.dumps(key)}: "), (False, item)) for key, item in pairs]
            stack += reversed([(True, "{"), *_between(inside), (True, "}")])
        else:
            plain = value if isinstance(value, str | int | None) else str(value)
            parts.append(json.dumps(plain, ensure_ascii=False))
    return "".join(parts)


def _between(groups: Iterable[tuple[tuple[bool, object], ...]]) -> Iterator[tuple[bool, object]]:
    for number, group in enumerate(groups):
        if number:
            yield True, ", "
        yield from group
