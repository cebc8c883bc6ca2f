"""Lists of records as tables: the keys of the records are the columns, those inside dotted.

A list is looked at when somebody asks, and only once. It is a table when it has several records,
most of which have most of the keys, and when most of what they say is not lists of records again.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any

from structchunk_core.table_model import Table, column_names

Cells = Sequence[tuple[str, str]]
"""Dotted keys and values of a record; ``""`` for nothing."""

NESTED = "[{"
"""What the value begins with that is a list of records itself."""

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
        filled = length = nested = 0
        for start, end in zip(found.starts, found.ends, strict=True):
            cells = read(start, end)
            if cells is None:
                return None
            for key, value in cells:
                if key not in numbers:
                    numbers[key] = len(numbers)
                filled += value != ""
                length += len(value)
                nested += len(value) if value.startswith(NESTED) else 0
            if len(numbers) > _MOST_COLUMNS:
                return None
        if filled * 2 < len(found.starts) * len(numbers) or nested * 2 > length or not filled:
            return None

        def values(start: int, end: int) -> Sequence[str]:
            told = [""] * len(numbers)
            for key, value in read(start, end) or ():
                column = numbers[key]
                told[column] = f"{told[column]}, {value}" if told[column] else value
            return told

        return Table(
            column_names([list(numbers)]),
            found.starts,
            found.ends[-1],
            values,
            caption,
            row_ends=found.ends,
        )

    return make


def cells_of_json(text: str, start: int, _end: int) -> Cells | None:
    """What the object that begins at a position says; None when it is no valid JSON."""
    try:
        value, _ = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    return list(flattened(value))


class _Number(str):
    """A number as it is written."""

    __slots__ = ()


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
