"""The document as it came in, and the translation between its coordinates.

Inside this package every position is a character of ``Source.text``. Bytes (tree-sitter,
pulldown-cmark, tokenizers) and lines are translated here, once, at the edge.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

_SURROGATE = re.compile("[\ud800-\udfff]")
_BLOCK = 1024
_NEAR = 256  # bytes to what was asked for before


@dataclass(frozen=True, slots=True)
class Source:
    """A document.

    Attributes:
        text: its text, exactly as decoded: nothing normalised.
        path: where it came from, as it shall be shown and hashed; ``""`` when unknown.
        format: ``code``, ``markdown``, ``delimited``, ``text``, ...
        language: the tree-sitter language of a ``code`` source, else ``""``.
    """

    text: str
    path: str = ""
    format: str = "text"
    language: str = ""


class ByteOffsets:
    """Translates between characters of a text and bytes of its UTF-8 form.

    Lone surrogates, which UTF-8 cannot hold, count three bytes, as U+FFFD does. Memory is one
    integer for each 1024 characters; a translation decodes at most that many, and only what is
    between when the translation before was of a byte a little above.
    """

    __slots__ = ("_bytes", "_full", "_near", "_starts", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._full = len(text) // _BLOCK  # the last block may be short
        self._starts: list[int] | None = None
        self._bytes = b""
        self._near = 0, 0  # a byte at which a character begins, and that character
        if not text.isascii():
            encoded = parsable(text).encode()
            starts = [0]
            position = 0
            for block in range(0, len(text), _BLOCK):
                position += len(parsable(text[block : block + _BLOCK]).encode())
                starts.append(position)
            self._starts = starts
            self._bytes = encoded

    def to_byte(self, character: int) -> int:
        """The byte at which the character begins."""
        if self._starts is None:
            return character
        block = character // _BLOCK
        base = block * _BLOCK
        begin = self._starts[block]
        if base == character:
            return begin
        if block < self._full and self._starts[block + 1] - begin == _BLOCK:
            return begin + character - base  # a block of ASCII
        return begin + len(parsable(self._text[base:character]).encode())

    def to_character(self, byte: int) -> int:
        """The character that the byte belongs to."""
        if self._starts is None:
            return byte
        near, character = self._near
        if near <= byte <= near + _NEAR:
            character += len(self._bytes[near:byte].decode(errors="ignore"))
            if byte < len(self._bytes) and self._bytes[byte] & 0xC0 != 0x80:
                self._near = byte, character  # at once: threads may share it
            return character
        character = self._to_character(byte)
        if byte < len(self._bytes) and self._bytes[byte] & 0xC0 != 0x80:
            self._near = byte, character
        return character

    def _to_character(self, byte: int) -> int:
        assert self._starts is not None
        block = bisect_right(self._starts, byte) - 1
        base = self._starts[block]
        begin = min(block * _BLOCK, len(self._text))
        if block < self._full and self._starts[block + 1] - base == _BLOCK:
            return begin + byte - base  # a block of ASCII
        return begin + len(self._bytes[base:byte].decode(errors="ignore"))


class LineNumbers:
    r"""Line numbers of a text. Only ``\n`` ends a line, as parsers and editors count.

    Counts from the position that was asked for last, so that asking in order reads the text once.
    """

    __slots__ = ("_line", "_position", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0
        self._line = 1

    def line_at(self, character: int) -> int:
        """The 1-based number of the line that holds the character."""
        before = self._position
        if character >= before:
            self._line += self._text.count("\n", before, character)
        else:
            self._line -= self._text.count("\n", character, before)
        self._position = character
        return self._line

    def lines_of(self, start: int, end: int) -> tuple[int, int]:
        """The 1-based numbers of the lines of the first and the last character of a span."""
        first = self.line_at(start)
        last = self._line = first + self._text.count("\n", start, end - 1)
        self._position = end - 1
        return first, last


def parsable(text: str) -> str:
    """The text with lone surrogates replaced by U+FFFD: same length, and UTF-8 can hold it."""
    if text.isascii():
        return text
    try:
        text.encode()  # a tenth of the time that looking for surrogates takes
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text)
    return text


def is_blank(text: str) -> bool:
    """Whether nothing in the text is visible."""
    return not text or text.isspace()


def line_start(text: str, position: int) -> int:
    r"""Where the line that holds the position begins (after the last ``\n`` before it)."""
    return text.rfind("\n", 0, position) + 1
