"""Values in brackets as Python's lists and tuples of pairs, in every syntax that has them.

What a syntax is told by is small: what says nothing, what divides a key from its value, and how a
value without brackets is read. Nothing is ever rewritten: a number is the characters it stands as.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

Cells = Sequence[tuple[str, str]]
"""Dotted keys and values of a record; ``""`` for nothing."""

Value = Any
"""A str, a :class:`Written`, a bool, None, a list of values, or a tuple of pairs (key, value)."""


class Written(str):
    """A value as it is written: a number or a time."""

    __slots__ = ()


class Name(str):
    """A word that can only be a key."""

    __slots__ = ()


class Dotted(tuple[str, ...]):
    """The parts of a key that is written with dots and means a mapping for each part but the last.

    It stands for nothing but a key: :func:`read_value` makes the mappings of it.
    """

    __slots__ = ()


class ValueSyntax(NamedTuple):
    """How values in brackets are written.

    Attributes:
        nothing: matches white space and comments, maybe none.
        mark: matches what divides a key from its value.
        scalar: from a text and a position to the value without brackets that begins there, or a
            :class:`Dotted` key, and one past its end; raises ValueError where neither does.
        has_lone_keys: whether a key may stand without a value (``{a}``), and a pair in a list
            (``[a: 1]``).
        key_mark: matches what may stand in front of a key in a mapping (``{? a : 1}``).
        comments: from what says nothing to the words of the comments in it, which then are values
            in a list, and in a mapping those of pairs whose keys are ``""``; None: left out.
    """

    nothing: re.Pattern[str]
    mark: re.Pattern[str]
    scalar: Callable[[str, int], tuple[Value, int]]
    has_lone_keys: bool = False
    key_mark: re.Pattern[str] | None = None
    comments: Callable[[str], str] | None = None


class _Open:
    """A container that is being read: its items or pairs, and the key that has no value yet."""

    __slots__ = ("has_key", "inner", "is_complete", "is_list", "items", "key")

    def __init__(self, *, is_list: bool) -> None:
        self.is_list = is_list
        self.items: list[Any] = []
        self.inner: _Inner | None = None  # once there is a dotted key
        self.key: str | Dotted = ""
        self.has_key = False
        self.is_complete = False  # a value stands there: only a comma or bracket may follow

    def take(self, value: Value) -> None:
        if self.is_list:
            self.items.append(((self.key, value),) if self.has_key else value)
        elif type(self.key) is Dotted:
            self.inner = self.inner or _Inner(self.items)
            self.inner.take(self.key, value)
        else:
            self.items.append((self.key, value))
        self.has_key = False
        self.is_complete = True

    def note(self, words: str) -> None:
        """Take the words of a comment, if there are any."""
        if words:
            self.items.append(words if self.is_list else ("", words))

    def value(self) -> Value:
        if self.inner is not None:
            self.inner.close()
        return self.items if self.is_list else tuple(self.items)


class _Inner:
    """The mappings that dotted keys make in one: each stands where the first key brings it."""

    __slots__ = ("_made", "below", "items")

    def __init__(self, items: list[Any]) -> None:
        self.items = items
        self.below: dict[str, _Inner] = {}
        self._made: list[tuple[list[Any], int, _Inner]] = []  # where each stands, outer ones first

    def take(self, key: Dotted, value: Value) -> None:
        """One more pair."""
        *outer, last = key
        inner = self
        for name in outer:
            below = inner.below.get(name)
            if below is None:
                below = inner.below[name] = _Inner([])
                self._made.append((inner.items, len(inner.items), below))
                inner.items.append((name, ()))
            inner = below
        inner.items.append((last, value))

    def close(self) -> None:
        """All pairs are there."""
        for items, place, inner in reversed(self._made):
            items[place] = items[place][0], tuple(inner.items)


def read_value(text: str, position: int, syntax: ValueSyntax) -> tuple[Value, int]:
    """The value in brackets that begins at a position, and one past its end, in characters.

    Raises:
        ValueError: it is not written as the syntax wants it.
    """
    stack: list[_Open] = []
    while True:
        around = stack[-1] if stack else None
        position = _behind_nothing(text, position, around, syntax)
        first = text[position : position + 1]
        if first in ("[", "{"):
            if around is not None and not _may_begin(around):
                raise ValueError(position)
            stack.append(_Open(is_list=first == "["))
            position += 1
            continue
        if around is None:
            raise ValueError(position)
        if first == ",":
            _end_item(around)
            around.is_complete = False
            position += 1
            continue
        if first in ("]", "}"):
            if around.is_list != (first == "]"):
                raise ValueError(position)
            _end_item(around)
            stack.pop()
            position += 1
            if not stack:
                return around.value(), position
            stack[-1].take(around.value())
            continue
        if around.is_complete:
            raise ValueError(position)
        if first == "?" and (behind := _behind_key_mark(text, position, around, syntax)):
            position = behind
            continue
        value, position = syntax.scalar(text, position)
        if not around.has_key and (not around.is_list or syntax.has_lone_keys):
            position = _behind_nothing(text, position, around, syntax)
            divides = syntax.mark.match(text, position)
            if divides is not None:
                around.key = value if type(value) is Dotted else plain(value)
                around.has_key = True
                position = divides.end()
                continue
            if not around.is_list:
                if not syntax.has_lone_keys:
                    raise ValueError(position)
                around.key, value = plain(value), None
        if type(value) is Name or type(value) is Dotted:
            raise ValueError(position)
        around.take(value)


def _behind_nothing(text: str, position: int, around: _Open | None, syntax: ValueSyntax) -> int:
    """One past the white space and comments there; their words are noted if they are asked for."""
    found = syntax.nothing.match(text, position)
    if found is None or found.end() == position:
        return position
    if around is not None and syntax.comments is not None:
        around.note(syntax.comments(found[0]))
    return found.end()


def _behind_key_mark(text: str, position: int, around: _Open, syntax: ValueSyntax) -> int:
    """One past the mark in front of a key that stands there, or 0."""
    if syntax.key_mark is None or around.is_list or around.has_key:
        return 0
    found = syntax.key_mark.match(text, position)
    return found.end() if found else 0


def _may_begin(around: _Open) -> bool:
    """Whether a container may begin here: as a value, but not as a key."""
    return not around.is_complete and (around.is_list or around.has_key)


def _end_item(around: _Open) -> None:
    """A comma or bracket stands there: a key in front of it has no value."""
    if around.has_key:
        around.take(None)


def object_cells(text: str, start: int, end: int, syntax: ValueSyntax) -> Cells | None:
    """What the object says that begins at a position; None when it cannot be read or is none."""
    try:
        value, _ = read_value(text[start:end], 0, syntax)
    except ValueError:
        return None
    return list(flattened(value)) if type(value) is tuple else None


def flattened(pairs: Iterable[tuple[str, Value]]) -> Iterator[tuple[str, str]]:
    """The plain values and lists in an object, given as pairs, with the keys that lead to them.

    An object inside is a tuple of pairs, a list a list.
    """
    stack: list[tuple[str, Iterator[tuple[str, Value]]]] = [("", iter(pairs))]
    while stack:
        above, inside = stack[-1]
        for key, value in inside:
            name = f"{above}{key}"
            if type(value) is tuple:
                stack.append((f"{name}.", iter(value)))
                break
            yield name, list_text(value) if type(value) is list else plain(value)
        else:
            stack.pop()


_HOLDERS = frozenset({list, tuple})
_TEXTS = frozenset({str, Written})


def plain(value: Value) -> str:
    """A value without brackets, as cells have it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def list_text(items: list[Value]) -> str:
    """A list on one line: plain values with commas between them, anything else as in JSON."""
    sorts = set(map(type, items))
    if _HOLDERS.isdisjoint(sorts):
        return ", ".join(items if sorts <= _TEXTS else map(plain, items))
    parts: list[str] = []
    stack: list[tuple[bool, Value]] = [(False, items)]  # whether it is text already
    inside: list[tuple[tuple[bool, Value], ...]]
    while stack:
        is_text, value = stack.pop()
        if is_text or isinstance(value, Written):
            parts.append(str(value))
        elif type(value) is list:
            inside = [((False, item),) for item in value]
            stack += reversed([(True, "["), *_between(inside), (True, "]")])
        elif type(value) is tuple:
            inside = [((True, f"{json.dumps(key)}: "), (False, item)) for key, item in value]
            stack += reversed([(True, "{"), *_between(inside), (True, "}")])
        else:
            parts.append(json.dumps(value, ensure_ascii=False))
    return "".join(parts)


def _between(groups: Iterable[tuple[tuple[bool, Value], ...]]) -> Iterator[tuple[bool, Value]]:
    for number, group in enumerate(groups):
        if number:
            yield True, ", "
        yield from group
