"""What a TOML document tells, or a part of one: its tables under their keys, and its comments.

The words of a comment are told in front of what it stands above, and behind what it stands beside.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from structchunk_core.formats._records_told import (
    comment_pairs,
    comment_words,
    has_holders,
    on_one_line,
    told_of,
    words_of,
)
from structchunk_core.formats._records_toml_values import (
    BASIC,
    LITERAL,
    LONG_BASIC,
    LONG_LITERAL,
    toml_keys,
    toml_value_alone,
)
from structchunk_core.formats._records_units import DEEPEST
from structchunk_core.unit import Told

_STRING_OR_COMMENT = re.compile(rf"{LONG_BASIC}|{LONG_LITERAL}|{BASIC}|{LITERAL}|\#([^\n]*+)")


class TomlTelling:
    """Takes the tables and pairs of a document in their order.

    Attributes:
        found: what they tell.
    """

    def __init__(self) -> None:
        self.found: list[Told] = []
        self._keys: tuple[str, ...] = ()
        self._tables: dict[tuple[str, ...], Told] = {}

    def begin(self, keys: Sequence[str], head: str) -> None:
        """A table begins.

        Args:
            keys: those in its header.
            head: the header with the comments above it and beside it, or ``""``.
        """
        following = tuple(map(on_one_line, keys))
        if following[: len(self._keys)] != self._keys:
            self.end()
        self._keys = following
        self._tables = {}
        self.comments(head)

    def end(self) -> None:
        """A table ends that has none inside: one without pairs is told by its name."""
        if self._keys and not self._tables:
            self.found.append(Told(self._keys[:-1], [(self._keys[-1], "")]))

    def comments(self, stretch: str) -> None:
        """Comments stand there, and no pair."""
        pairs = comment_pairs(_comments(stretch))
        if pairs:
            self._table(self._keys).pairs.extend(pairs)

    def pair(self, above: str, key: str, value: str) -> None:
        """A pair stands there.

        Args:
            above: the comments above it.
            key: as it is written.
            value: as it is written, with the comment beside it.

        Raises:
            ValueError: it cannot be read.
        """
        *inner, last = map(on_one_line, toml_keys(key))
        keys = (*self._keys, *inner)
        if len(keys) >= DEEPEST:
            raise ValueError(key)
        pairs = self._table(keys).pairs
        pairs.extend(comment_pairs(_comments(above)))
        read = toml_value_alone(value)
        beside = comment_pairs(_comments(value))
        sort = type(read)
        if read and (sort is tuple or (sort is list and has_holders(read))):
            pairs.extend(beside)
            inside = told_of(read, (*keys, last))
            if inside is None:
                raise ValueError(key)
            self.found += inside
            return
        pairs.append((last, words_of(read)))
        pairs.extend(beside)

    def _table(self, keys: tuple[str, ...]) -> Told:
        told = self._tables.get(keys)
        if told is None:
            told = self._tables[keys] = Told(keys, [])
            self.found.append(told)
        return told


def comments_of_toml(text: str, start: int, end: int) -> str:
    """The words of the comments in a half-open span, on one line."""
    return comment_words(_comments(text[start:end]))


def _comments(stretch: str) -> list[str]:
    """The comments in a stretch of a document, without their marks."""
    if "#" not in stretch:
        return []
    return [found[1] for found in _STRING_OR_COMMENT.finditer(stretch) if found[1]]
