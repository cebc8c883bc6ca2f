"""A document in another form than it was written in, and where each part of it comes from."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable


class Rendering:
    """A document in another form (HTML as Markdown), and where its parts come from.

    The unit tree and :class:`Facts` of a rendered document speak of this text; problems and
    chunks speak of the source.

    Args:
        text: the rendered text.
        places: pairs (position in the text, position in the source), both ascending: what stands
            between two positions of the text is made from what stands between those of the
            source. Both begin at 0 unless told otherwise, and end with the two lengths; of pairs
            with one position in the text the last counts.
        length: the length of the source text, in characters.
    """

    __slots__ = (
        "_below",
        "_origins",
        "_positions",
        "_written_ends",
        "_written_starts",
        "is_partial",
        "text",
    )

    def __init__(self, text: str, places: Iterable[tuple[int, int]], length: int) -> None:
        self.text = text
        self.is_partial = False
        self._written_starts: list[int] = []
        self._written_ends: list[int] = []
        self._below: Rendering | None = None
        known = list(places)
        self._positions = [0, *[position for position, _ in known]]
        self._origins = [0, *[origin for _, origin in known]]
        if self._positions != sorted(self._positions) or self._origins != sorted(self._origins):
            self._keep_ascending(known)
        self._origins.append(length)
        self._positions.append(len(text))

    def _keep_ascending(self, places: Iterable[tuple[int, int]]) -> None:
        """Leave out pairs that go back in the text or in the source."""
        positions, origins = [0], [0]
        for position, origin in places:
            if position >= positions[-1] and origin >= origins[-1]:
                positions.append(position)
                origins.append(origin)
        self._positions, self._origins = positions, origins

    def of(self, below: Rendering) -> Rendering:
        """The same rendering, made from what another one has rendered."""
        self._below = below
        return self

    def partial(self, written: Iterable[tuple[int, int]]) -> Rendering:
        """The same rendering, of which some stands as it does in the source.

        Args:
            written: the spans of the text that do not, ascending and apart.
        """
        self.is_partial = True
        for start, end in written:
            self._written_starts.append(start)
            self._written_ends.append(end)
        return self

    def is_written(self, start: int, end: int) -> bool:
        """Whether something between two positions does not stand as it does in the source."""
        before = bisect_left(self._written_starts, end)
        return before > 0 and self._written_ends[before - 1] > start

    def origin(self, position: int) -> int:
        """The position in the source that a position in the text was made from; ascending."""
        number = bisect_right(self._positions, position) - 1
        if number + 1 >= len(self._positions):
            found = self._origins[-1]
        else:
            found = self._origins[number] + position - self._positions[number]
            found = min(found, self._origins[number + 1])
        return found if self._below is None else self._below.origin(found)
