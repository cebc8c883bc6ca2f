"""The lines of a text, and where cuts may stand in what is too large for a chunk.

A cut inside a line that fits into a chunk is never needed: what begins in the line can be opened
until there is a border at the begin of a line. Such a border is better even where it lies deeper.
"""

from __future__ import annotations

from structchunk_core.scales import Scale


class Lines:
    """Answers about lines while positions only grow, each line read once however long it is.

    Args:
        text: the text; all positions are in its characters.
        scale: measures its spans.
        most: what fits into a chunk, in units of the scale.
    """

    __slots__ = ("_behind", "_end", "_first", "_fits", "_from", "_most", "_scale", "_text")

    def __init__(self, text: str, scale: Scale, most: int) -> None:
        self._text = text
        self._scale = scale
        self._most = most
        self._first = 0  # the first visible character of the line read last
        self._end = -1  # its end
        self._fits = False
        self._from = 0  # where visible text begins on the last line of a unit
        self._behind = -1  # and where it ends

    def is_inside(self, position: int) -> bool:
        """Whether visible text stands in front of the position on its line, and the line fits."""
        if position > self._end:
            start = self._text.rfind("\n", max(0, self._end), position) + 1
            self._first, self._end, self._fits = self._line(start, position)
        return self._fits and position > self._first

    def _line(self, start: int, position: int) -> tuple[int, int, bool]:
        end = self._text.find("\n", position)
        if end < 0:
            end = len(self._text)
        scale = self._scale
        if scale.high(end) - scale.low(start) > self._most:
            return start, end, False
        line = self._text[start:end]
        return start + len(line) - len(line.lstrip()), end, True

    def exceed(self, end: int, begin: int, room: int) -> bool:
        """Whether more than the room stands between a running total and a position."""
        return self._scale.high(end) - begin > room

    def fit(self, start: int, end: int, begin: int, room: int) -> bool:
        """Whether a span fits with what is before it, and with what stands behind on its last line.

        Also true where it does not, but to open it is of no use, since its first line does not.

        Args:
            start: the first character of the span.
            end: one past its last.
            begin: where the chunk begins, as a running total of the scale.
            room: what fits.
        """
        text, to_high = self._text, self._scale.high
        first = text.find("\n", start, end)
        if first < 0:
            return True
        behind = self._last_of(first, end)
        if behind == end and begin >= self._scale.low(start):
            return True  # it has its lines for itself
        if to_high(behind) - begin <= room:
            return True
        return to_high(first) - begin > self._most

    def _last_of(self, start: int, end: int) -> int:
        """One past the visible text on the line of a position, or the position itself.

        It is the position where the line does not fit.

        Args:
            start: a position on a line above.
            end: the position.
        """
        text = self._text
        if self._from <= end <= self._behind:
            return self._behind
        _, behind, fits = self._line(text.rfind("\n", start, end) + 1, end)
        if not fits:
            return end
        behind = end + len(text[end:behind].rstrip())
        self._from, self._behind = end, behind
        return behind
