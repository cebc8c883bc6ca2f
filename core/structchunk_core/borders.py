"""Where tokens surely begin: what a part of a document measures is known without reading it again.

An encoding divides a text into pieces by a pattern, and joins bytes to tokens only inside a piece.
Where a piece ends whatever stands around it, the tokens of a text are those of what is in front of
that place and those of what is behind it. Two such places are easy to tell under the patterns of
``cl100k_base`` and ``o200k_base``: in front of a blank and an ASCII letter, since letters make a
piece together with the blank in front of them; and behind a line end in front of a line that is not
blank, since white space ends a piece at its last line end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from structchunk_core.fast_tokens import SCHEMES
from structchunk_core.scales import Scale, TableScale, TokenScale
from structchunk_core.sizing import EdgeCount, Measure

_WITH_SLASHES: Final = frozenset({"o200k_base", "o200k_harmony"})  # pieces go on behind line ends
_LOOKED_AT: Final = 8  # blanks in the first and the last line
_BLANKS: Final = " \t"


def edges_or_none(measure: Measure, scale: Scale) -> Edges | None:
    """What counts parts of the document that a scale has measured; None where it cannot be known.

    Args:
        measure: the unit, in which the scale has measured the document.
        scale: the measured document.
    """
    if measure.pattern not in SCHEMES or type(scale) not in {TableScale, TokenScale}:
        return None
    return Edges(measure.count, scale.low, measure.pattern in _WITH_SLASHES)


class Edges:
    """Counts what parts of a document measure, by reading no more of them than their edges.

    Args:
        count: what a text measures.
        low: how many tokens of the document end in front of a position.
        slashes: whether a line end and slashes behind it make one piece.
    """

    def __init__(
        self, count: Callable[[str], int], low: Callable[[int], int], slashes: bool
    ) -> None:
        self._count = count
        self._low = low
        self._slashes = slashes

    def counting(
        self, text: str, start: int, end: int, whole: str, offset: int
    ) -> Callable[[str], int]:
        """What counts a text, from what is known of the part of the document in it.

        Args:
            text: the document.
            start: where the part begins, in characters of it.
            end: where the part ends, half-open.
            whole: the text, which has the part in it.
            offset: where the part begins in it.
        """
        first = self._first(text, start, end, whole, offset)
        last = self._last(text, first, end) if first >= 0 else first
        if last <= first:
            return self._count
        shift = offset - start
        between = self._low(last) - self._low(first)
        return EdgeCount(self._count, whole, first + shift, last + shift, between)

    def _first(self, text: str, start: int, end: int, whole: str, offset: int) -> int:
        """The first place in the part where a piece begins in the document and in the whole."""
        begins = start == 0 or text[start - 1] == "\n"
        if (
            begins
            and (offset == 0 or whole[offset - 1] == "\n")
            and self._is_line(text, start, end)
        ):
            return start
        place = start
        for _ in range(_LOOKED_AT):
            place = text.find(" ", place + 1, end)
            if place < 0:
                break
            if _is_word(text, place, end):
                return place
        behind = text.find("\n", start, end) + 1
        return behind if behind and self._is_line(text, behind, end) else -1

    def _last(self, text: str, start: int, end: int) -> int:
        """The last place in the part where a piece begins, as far as it is easy to find."""
        behind = text.rfind("\n", start, end) + 1
        place = end
        for _ in range(_LOOKED_AT):
            place = text.rfind(" ", max(start, behind), place)
            if place < 0:
                break
            if _is_word(text, place, end):
                return place
        return behind if behind > start and self._is_line(text, behind, end) else -1

    def _is_line(self, text: str, begin: int, end: int) -> bool:
        """Whether a line that begins there is not blank, and no piece goes on into it."""
        place = begin
        while place < end and text[place] in _BLANKS:
            place += 1
        if place >= end or text[place].isspace():
            return False
        return not self._slashes or place > begin or text[place] != "/"


def _is_word(text: str, blank: int, end: int) -> bool:
    """Whether a letter of ASCII stands behind the blank."""
    letter = text[blank + 1 : min(blank + 2, end)]
    return letter.isascii() and letter.isalpha()
