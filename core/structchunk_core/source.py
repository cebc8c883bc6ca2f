"""The document as it came in, and the numbers of its lines.

Inside this package every position is a character of ``Source.text``. Lines, and in ``offsets``
bytes (of tree-sitter, pulldown-cmark and tokenizers), are translated once, at the edge.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_SURROGATE = re.compile("[\ud800-\udfff]")


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

    @property
    def is_code(self) -> bool:
        """Whether it is source code: no document, in which there may be code, tables and prose."""
        return self.format == "code"


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
