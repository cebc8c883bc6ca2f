"""What a chunk measures, from what the document measured and the chunk's last line.

An encoding divides a text into pieces by a pattern, and joins bytes to tokens only inside a piece.
Where a piece ends whatever stands around it, the tokens of a text are those of what is in front of
that place and those of what is behind it. Two such places are easy to tell under the patterns of
``cl100k_base`` and ``o200k_base``: in front of a blank and an ASCII letter, since letters make a
piece together with the blank in front of them; and behind a line end in front of a line that is not
blank, since white space ends a piece at its last line end.
"""

from __future__ import annotations

from structchunk_core.encodings import ENCODINGS, scheme_of
from structchunk_core.scales import Scale, TableScale, TokenScale
from structchunk_core.sizing import Measure

AROUND = 16
"""How many characters in front of a part and behind it are looked at."""

_LOOKED_AT = 8  # blanks in the last line
_BLANKS = " \t"
_LINE_ENDS = "\r\n/"  # and slashes: what may be one piece with the symbols in front


def counts_by_edges(measure: Measure, scale: Scale) -> bool:
    """Whether :class:`EdgeCount` may be asked about parts of the document of a scale."""
    return bool(scheme_of(measure.pattern)) and type(scale) in {TableScale, TokenScale}


class EdgeCount:
    """Counts a text with a part of a document in it, mostly without reading that; others as usual.

    Args:
        measure: the unit, one that :func:`counts_by_edges`.
        text: the text.
        begin: where the part begins in it, in characters.
        length: how long the part is.
        measured: how many tokens of the document begin in front of the part's end and end behind
            its beginning.
        preceding: the last characters in front of the part in the document, :data:`AROUND` of them
            unless it begins there.
        following: the first characters behind it, in the same way.
    """

    __slots__ = ("_begin", "_end", "_following", "_measure", "_measured", "_preceding", "_text")

    def __init__(
        self,
        measure: Measure,
        text: str,
        begin: int,
        length: int,
        measured: int,
        preceding: str,
        following: str,
    ) -> None:
        self._measure = measure
        self._text = text
        self._begin = begin
        self._end = begin + length
        self._measured = measured
        self._preceding = preceding
        self._following = following

    def __call__(self, text: str) -> int:
        known = self._known_or_none() if text is self._text else None
        if known is None:
            return self._measure.count(text)
        first, between, last = known
        count = self._measure.count
        return count(text[:first]) + between + (count(text[last:]) if last < len(text) else 0)

    def _known_or_none(self) -> tuple[int, int, int] | None:
        """How many tokens are between two places of the text, where pieces begin; None: unknown."""
        text, end = self._text, self._end
        slashes = ENCODINGS[self._measure.pattern].joins_slashes
        head = self._head_or_none(slashes)
        behind = self._behind_or_none()
        if head is None or behind is None or text[end - 1].isspace():
            return None
        first, of_head = head
        is_word = text[end - 1].isascii() and text[end - 1].isalnum()
        if end == len(text) and (not behind or (is_word and behind[0] in _LINE_ENDS)):
            return first, self._measured - of_head, end
        last = _last_border(text, first, end, slashes)
        if last < 0:
            return None
        tail = text[last:end]
        of_tail = self._measure.scale(tail + behind).high(len(tail))
        return first, self._measured - of_head - of_tail, last

    def _head_or_none(self, slashes: bool) -> tuple[int, int] | None:
        """The first place in the part where a piece begins, and what was measured up to it."""
        text, begin, end, before = self._text, self._begin, self._end, self._preceding
        is_line = _is_line(text, begin, end, slashes)
        if is_line and (not before or before[-1] == "\n") and text[:begin][-1:] in {"", "\n"}:
            return begin, 0
        first = _first_border(text, begin, end, slashes)
        joined = before + text[begin:first]
        cut = _cut(joined, len(before), slashes)
        if first < 0 or cut < 0:
            return None
        scale = self._measure.scale(joined[cut:])
        return first, scale.high(len(joined) - cut) - scale.low(len(before) - cut)

    def _behind_or_none(self) -> str | None:
        """What may be one piece with the end of the part, up to a place where one ends surely."""
        following = self._following
        if not following or following[0] in _BLANKS:
            return ""
        line_end = following.find("\n")
        if line_end < 0:
            return following if len(following) < AROUND else None
        before = following[:line_end].rstrip("\r")[-1:]
        if before.isalnum() and before.isascii():
            return following[:line_end]
        run = len(following) - len(following[line_end:].lstrip(_LINE_ENDS))
        # Symbols make a piece with all line ends behind them, and with nothing behind these.
        is_apart = before.isascii() and not before.isspace()
        return following[:run] if is_apart and run < AROUND else None


def _cut(joined: str, most: int, slashes: bool) -> int:
    """The last place up to one where a piece begins, in the end of a document, or -1."""
    behind = joined.rfind("\n", 0, most) + 1
    place = joined.rfind(" ", behind, most)
    if place >= 0 and _is_letter(joined[place + 1 : place + 2]):
        return place
    if (behind or most < AROUND) and _is_line(joined, behind, len(joined), slashes):
        return behind
    return -1


def _first_border(text: str, begin: int, end: int, slashes: bool) -> int:
    """The first place between two where a piece begins, as far as it is easy to find, or -1."""
    behind = text.find("\n", begin, end) + 1
    place = begin
    for _ in range(_LOOKED_AT):
        place = text.find(" ", place + 1, behind or end)
        if place < 0:
            break
        if _is_letter(text[place + 1 : min(place + 2, end)]):
            return place
    return behind if behind and _is_line(text, behind, end, slashes) else -1


def _last_border(text: str, begin: int, end: int, slashes: bool) -> int:
    """The last place between two where a piece begins, as far as it is easy to find, or -1."""
    behind = text.rfind("\n", begin, end) + 1
    place = end
    for _ in range(_LOOKED_AT):
        place = text.rfind(" ", max(begin + 1, behind), place)
        if place < 0:
            break
        if _is_letter(text[place + 1 : min(place + 2, end)]):
            return place
    return behind if behind > begin and _is_line(text, behind, end, slashes) else -1


def _is_line(text: str, begin: int, end: int, slashes: bool) -> bool:
    """Whether the line that begins there is not blank, and no piece goes on into it."""
    place = begin
    while place < end and text[place] in _BLANKS:
        place += 1
    if place >= end or text[place].isspace():
        return False
    return not slashes or place > begin or text[place] != "/"


def _is_letter(character: str) -> bool:
    return character.isascii() and character.isalpha()
