"""JSON with positions: where each value of a document stands, and each character of a string.

The ``json`` module tells no positions, so values are scanned here, in one pass and with a stack.
Strings stay where they are until they are asked for: most of a notebook is images.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Value:
    """A JSON value and where it stands.

    Attributes:
        kind: ``object``, ``array``, ``string`` or ``other`` (a number, ``true``, ``null``).
        start: its first character; that of a string is its quote.
        end: one past its last character.
        members: those of an object, by their names; of equal names the last counts.
        items: those of an array.
    """

    kind: str
    start: int
    end: int
    members: Mapping[str, Value] = field(default_factory=dict)
    items: Sequence[Value] = ()

    def get(self, *names: str) -> Value:
        """The value below these names, one inside the other; ``NOTHING`` when there is none."""
        found = self
        for name in names:
            found = found.members.get(name, NOTHING)
        return found


NOTHING = Value("other", 0, 0)
"""The value that is not there."""

DEEPEST = 1000
"""Values nested deeper than this are no document of any use."""


class JsonError(Exception):
    """The text is no JSON."""


_TOKEN = re.compile(
    r"""[ \t\r\n]*+(?:(?P<mark>[{}\[\],:])|(?P<string>"(?:[^"\\]++|\\.)*+")"""
    r"""|(?P<other>-?\d[\d.eE+-]*+|true|false|null|NaN|-?Infinity))""",
    re.DOTALL,
)
_BLANK = re.compile(r"[ \t\r\n]*+")


class _Open:
    """An object or array that is being read."""

    __slots__ = ("is_object", "items", "members", "name", "start")

    def __init__(self, start: int, *, is_object: bool) -> None:
        self.start = start
        self.is_object = is_object
        self.members: dict[str, Value] = {}
        self.items: list[Value] = []
        self.name: str | None = None


def read_json(text: str) -> Value:
    """The value that the text is; a byte order mark may stand in front.

    Lenient where nothing is at stake: line ends in strings, unknown escapes, ``NaN``.

    Raises:
        JsonError: it is not one value, or is nested deeper than :data:`DEEPEST`.
    """
    position = 1 if text.startswith("\ufeff") else 0
    stack: list[_Open] = []
    expected = "value"  # or "first" of a container, "name", "colon", "more"
    while True:
        token = _TOKEN.match(text, position)
        if token is None:
            raise JsonError
        position = token.end()
        value = _scalar(token)
        mark = token["mark"]
        if expected == "colon":
            if mark != ":":
                raise JsonError
            expected = "value"
            continue
        if expected == "more" and mark == ",":
            expected = "name" if stack[-1].is_object else "value"
            continue
        if expected in {"first", "more"} and mark is not None and mark in "]}":
            value = _closed(stack.pop(), mark, position)
        elif expected == "more":
            raise JsonError
        elif expected == "name" or (expected == "first" and stack[-1].is_object):
            if value is None or value.kind != "string":
                raise JsonError
            stack[-1].name = decoded(text, value.start + 1, value.end - 1).text
            expected = "colon"
            continue
        elif mark is not None and mark in "[{":
            if len(stack) >= DEEPEST:
                raise JsonError
            stack.append(_Open(token.start("mark"), is_object=mark == "{"))
            expected = "first"
            continue
        if value is None:
            raise JsonError
        if not stack:
            rest = _BLANK.match(text, position)
            if rest is not None and rest.end() < len(text):
                raise JsonError
            return value
        above = stack[-1]
        if above.is_object:
            above.members[above.name or ""] = value
        else:
            above.items.append(value)
        expected = "more"


def _scalar(token: re.Match[str]) -> Value | None:
    kind = token.lastgroup
    if kind == "mark" or kind is None:
        return None
    return Value(kind, token.start(kind), token.end(kind))


def _closed(container: _Open, mark: str, end: int) -> Value:
    if container.is_object != (mark == "}"):
        raise JsonError
    if container.is_object:
        return Value("object", container.start, end, container.members)
    return Value("array", container.start, end, items=container.items)


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text that JSON strings stand for, and where each character of it stands.

    Attributes:
        text: the text.
        positions: where, in the text, stretches begin that stand in the source as they are.
        origins: where these begin in the source.
    """

    text: str
    positions: Sequence[int] = (0,)
    origins: Sequence[int] = (0,)

    def origin(self, position: int) -> int:
        """Where, in the source, the character of the text at the position begins."""
        number = max(0, bisect_right(self.positions, position) - 1)
        return self.origins[number] + position - self.positions[number]


_ESCAPE = re.compile(
    r"\\(?:u(?P<pair>[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})"
    r'|u(?P<code>[0-9a-fA-F]{4})|(?P<short>["\\/bfnrt]))'
)
_SHORT = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


def decoded(text: str, start: int, end: int) -> Decoded:
    """What the inside of one JSON string stands for: the half-open span, without its quotes."""
    if text.find("\\", start, end) < 0:
        return Decoded(text[start:end], (0,), (start,))
    pieces: list[str] = []
    positions, origins = [0], [start]
    length = 0
    position = start
    for escape in _ESCAPE.finditer(text, start, end):
        plain = text[position : escape.start()]
        pieces.append(plain)
        pieces.append(_unescaped(escape))
        length += len(plain) + 1
        position = escape.end()
        positions.append(length)
        origins.append(position)
    pieces.append(text[position:end])
    return Decoded("".join(pieces), positions, origins)


def _unescaped(escape: re.Match[str]) -> str:
    if short := escape["short"]:
        return _SHORT.get(short, short)
    if pair := escape["pair"]:
        high, low = int(pair[:4], 16), int(pair[-4:], 16)
        return chr(0x10000 + ((high & 0x3FF) << 10) + (low & 0x3FF))
    return chr(int(escape["code"], 16))


def joined(text: str, value: Value) -> Decoded:
    """What a string, or an array of strings one after the other, stands for."""
    parts = [part for part in (value.items or (value,)) if part.kind == "string"]
    if len(parts) == 1:
        return decoded(text, parts[0].start + 1, parts[0].end - 1)
    pieces: list[str] = []
    positions: list[int] = []
    origins: list[int] = []
    length = 0
    for part in parts:
        one = decoded(text, part.start + 1, part.end - 1)
        pieces.append(one.text)
        positions.extend([length + position for position in one.positions])
        origins.extend(one.origins)
        length += len(one.text)
    if not parts:
        return Decoded("", (0,), (value.start,))
    return Decoded("".join(pieces), positions, origins)
