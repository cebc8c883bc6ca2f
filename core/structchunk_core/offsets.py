"""Bytes of a text as parsers and tokenizers count them, and its characters."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Sequence

# Few characters of ASCII between two others are no gap: so many runs are not worth their memory.
_RUN = re.compile(r"[^\x00-\x7f](?:[\x00-\x7f]{0,15}[^\x00-\x7f]){0,63}")
_MANY = 100_000
_CONTINUED = bytes(range(0x80, 0xC0))  # bytes of a character behind its first


class ByteOffsets:
    """Translates between characters of a text and bytes of its UTF-8 form.

    Lone surrogates, which UTF-8 cannot hold, count three bytes, as U+FFFD does. What is kept are
    the runs of the text with characters beyond ASCII, so that a position between two of them is
    looked up and only one inside a run, which is short, is counted. Memory is below two bytes for
    each character, and next to nothing for most texts.
    """

    __slots__ = ("_byte_ends", "_bytes", "_characters", "_extra", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        # For each run its first character, its first byte, its end in bytes, and how many more
        # bytes than characters there are up to it.
        self._characters: Sequence[int] = ()
        self._bytes: Sequence[int] = ()
        self._byte_ends: Sequence[int] = ()
        self._extra: Sequence[int] = ()
        if not text.isascii():
            self._read()

    def _read(self) -> None:
        characters, starts, ends, extras = array("q"), array("q"), array("q"), array("q")
        extra = 0
        for run in _RUN.finditer(self._text):
            start, end = run.span()
            length = len(run[0].encode("utf-8", "surrogatepass"))
            characters.append(start)
            starts.append(start + extra)
            ends.append(start + extra + length)
            extra += length - (end - start)
            extras.append(extra)
        self._characters, self._bytes, self._byte_ends, self._extra = (
            found if len(found) > _MANY else found.tolist()  # a list is quicker to look up in
            for found in (characters, starts, ends, extras)
        )

    def to_byte(self, character: int) -> int:
        """The byte at which the character begins."""
        if not self._characters:
            return character
        number = bisect_right(self._characters, character) - 1
        if number < 0:
            return character
        start = self._bytes[number]
        first = self._characters[number]
        if character + self._extra[number] >= self._byte_ends[number]:
            return character + self._extra[number]
        return start + len(self._text[first:character].encode("utf-8", "surrogatepass"))

    def to_character(self, byte: int) -> int:
        """The character that the byte belongs to."""
        if not self._bytes:
            return byte
        number = bisect_right(self._bytes, byte) - 1
        if number < 0:
            return byte
        end = self._byte_ends[number]
        if byte >= end:
            return byte - self._extra[number]
        start, first = self._bytes[number], self._characters[number]
        run = self._text[first : end - self._extra[number]].encode("utf-8", "surrogatepass")
        before = byte - start
        is_inside = run[before] & 0xC0 == 0x80
        return first + len(run[:before].translate(None, _CONTINUED)) - is_inside
