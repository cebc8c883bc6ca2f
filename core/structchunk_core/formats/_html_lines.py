"""Running text in the making: white space folded, references decoded, pieces with places."""

from __future__ import annotations

import re
from html import unescape

Places = list[tuple[int, int]]
"""Pairs (position in a text, position in the source), ascending."""


class Line:
    """The text of one paragraph, heading or cell, and where its pieces come from.

    Attributes:
        parts: its pieces; none while it is empty.
        places: where its pieces come from.
        space: whether white space has to stand in front of what comes next.
        breaks: how many line breaks have to.
    """

    __slots__ = ("_length", "breaks", "parts", "places", "space")

    def __init__(self) -> None:
        self.parts: list[str] = []
        self._length = 0
        self.places: Places = []
        self.space = False
        self.breaks = 0

    def __bool__(self) -> bool:
        return bool(self.parts)

    def text(self) -> str:
        """All that was added, without white space at its ends."""
        parts = self.parts
        if len(parts) > 1:
            parts[:] = ["".join(parts)]
        return parts[0] if parts else ""

    def add(self, words: str, origin: int) -> None:
        """Add text as it stands in the source from the position on."""
        if "&" in words or "\u00ad" in words or "\0" in words:
            self._add_pieces(words, origin)
            return
        pieces = words.split()
        if not pieces:
            self.space = self.space or bool(words)
            return
        joined = pieces[0] if len(pieces) == 1 else " ".join(pieces)
        length = len(joined)
        trails = False
        if length < len(words):
            shown = words.strip()
            if length < len(shown):
                self._add_runs(words, origin)
                return
            if words[0].isspace():
                self.space = True
                origin += words.find(shown[0])
            trails = words[-1].isspace()
        # What :meth:`put` does, without a call: it is done for nearly every text of a page.
        parts = self.parts
        at = self._length
        if parts and (self.breaks or self.space):
            parts.append("\n" if self.breaks else " ")
            at += 1
        self.breaks = 0
        self.space = trails
        self.places.append((at, origin))
        parts.append(joined)
        self._length = at + length

    def put(self, value: str, origin: int) -> None:
        """Add what is not white space, made from what begins at the position of the source."""
        if self.parts:
            if self.breaks:
                self._write("\n")
            elif self.space:
                self._write(" ")
        self.breaks = 0
        self.space = False
        self.places.append((self._length, origin))
        self._write(value)

    def close(self, mark: str) -> None:
        """Add a mark directly behind what was added."""
        self.space = False
        self._write(mark)

    def _add_pieces(self, words: str, origin: int) -> None:
        for piece in _PIECE.finditer(words):
            value = piece[0]
            if value[0] == "&":
                value = unescape(value)
            # A place where a word may be broken; what browsers drop.
            value = value.replace("\u00ad", "").replace("\0", "")
            if not value or value.isspace():
                self.space = self.space or bool(value)
            else:
                self.put(" ".join(value.split()), origin + piece.start())

    def _add_runs(self, words: str, origin: int) -> None:
        """Add text without references in which more than single blanks stand between words."""
        parts, places = self.parts, self.places
        at = self._length
        self.space = self.space or words[0].isspace()
        for run in _RUN.finditer(words):
            if parts and (self.breaks or self.space):
                parts.append("\n" if self.breaks else " ")
                at += 1
            self.breaks = 0
            self.space = True
            places.append((at, origin + run.start()))
            parts.append(run[0])
            at += run.end() - run.start()
        self.space = words[-1].isspace()
        self._length = at

    def _write(self, value: str) -> None:
        self.parts.append(value)
        self._length += len(value)


_PIECE = re.compile(r"\s++|&[^\s&;]{1,32}+;?|[^\s&]++(?: [^\s&]++)*+|&")
_RUN = re.compile(r"\S++(?: \S++)*+")
