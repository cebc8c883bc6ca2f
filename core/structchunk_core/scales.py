"""Measured documents: what the spans of a text measure, from running totals."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, islice
from typing import Final, Protocol

from structchunk_core.offsets import ByteOffsets

_SMALL: Final = 500_000  # tokens of a document whose running totals may be a list


class Scale(Protocol):
    """A measured document. Positions are characters of it."""

    def low(self, position: int) -> int:
        """The running total in front of a span that starts at the position."""

    def high(self, position: int) -> int:
        """The running total behind a span that ends at the position."""

    def reach(self, start: int, amount: int) -> int:
        """The last position such that the span from start measures about ``amount`` at most."""


class CharacterScale:
    """Characters measure one each."""

    __slots__ = ("_length",)

    def __init__(self, length: int) -> None:
        self._length = length

    def low(self, position: int) -> int:
        return position

    def high(self, position: int) -> int:
        return position

    def reach(self, start: int, amount: int) -> int:
        return min(self._length, start + amount)


class TokenScale:
    """Ends of tokens, in bytes or (without offsets) in characters."""

    __slots__ = ("_ends", "_offsets")

    def __init__(self, ends: Sequence[int], offsets: ByteOffsets | None) -> None:
        self._ends = ends
        self._offsets = offsets

    def low(self, position: int) -> int:
        at = position if self._offsets is None else self._offsets.to_byte(position)
        return bisect_right(self._ends, at)

    def high(self, position: int) -> int:
        at = position if self._offsets is None else self._offsets.to_byte(position)
        index = bisect_left(self._ends, at)
        if index < len(self._ends):
            return index + 1 if at else 0
        return index

    def reach(self, start: int, amount: int) -> int:
        index = min(self.low(start) + amount, len(self._ends)) - 1
        if index < 0:
            return start
        at = self._ends[index]
        return max(start, at if self._offsets is None else self._offsets.to_character(at))


class TableScale:
    """A total for each character: looked up ten times as fast as among the ends of tokens.

    Args:
        low: the totals in front of each character, and behind the last: tokens that have ended.
        high: the totals behind it: tokens that have begun.
    """

    __slots__ = ("_begun", "_ended", "high", "low")

    def __init__(self, low: memoryview, high: memoryview) -> None:
        self.low: Callable[[int], int] = low.__getitem__
        self.high: Callable[[int], int] = high.__getitem__
        self._ended = low
        self._begun = high

    def reach(self, start: int, amount: int) -> int:
        ended = self._ended
        wanted = min(ended[start] + amount, ended[-1])
        at = bisect_left(ended, wanted, start)
        if ended[at] != wanted or self._begun[at] != wanted:
            at -= 1  # the token ends inside of a character
        return max(start, at)


class LineScale:
    """Running totals at line starts; inside a line they grow with the characters."""

    __slots__ = ("_starts", "_totals")

    def __init__(self, text: str, count: Callable[[str], int]) -> None:
        lines = text.splitlines(keepends=True)
        base = count("")
        self._starts = array("q", accumulate((len(line) for line in lines), initial=0))
        sizes = (max(0, count(line) - base) for line in lines)
        self._totals = array("q", accumulate(sizes, initial=base))

    def low(self, position: int) -> int:
        return self._at(position) - self._totals[0]

    def high(self, position: int) -> int:
        return self._at(position)

    def _at(self, position: int) -> int:
        line = bisect_right(self._starts, position) - 1
        if line + 1 >= len(self._starts):
            return self._totals[-1]
        begin, end = self._starts[line], self._starts[line + 1]
        low, high = self._totals[line], self._totals[line + 1]
        return low - (-(high - low) * (position - begin) // (end - begin))

    def reach(self, start: int, amount: int) -> int:
        wanted = self._at(start) + amount
        line = bisect_right(self._totals, wanted) - 1
        if line + 1 >= len(self._starts):
            return max(start, self._starts[-1])
        low, high = self._totals[line], self._totals[line + 1]
        begin, end = self._starts[line], self._starts[line + 1]
        return max(start, begin + (wanted - low) * (end - begin) // max(1, high - low))


def running_totals(ends: Iterable[int]) -> Sequence[int]:
    """The ends, in little memory where there are many."""
    totals = list(islice(ends, _SMALL))
    rest = array("q", ends)  # an eighth of the memory, and slower to look up in
    return array("q", totals) + rest if rest else totals
