"""A document that is audited: its unit tree and its chunks, all placed in the same letters."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from structchunk_core.auditing.aligning import VISIBLE, WORDS, Aligner, Letters, Placement, Run
from structchunk_core.auditing.findings import Finding
from structchunk_core.auditing.given_chunks import GivenChunk
from structchunk_core.blocks import trim
from structchunk_core.scales import Scale
from structchunk_core.sizing import Measure
from structchunk_core.source import LineNumbers, Source
from structchunk_core.unit import Parsed, Span, Unit

_WORD = re.compile(r"\w+")


class Ground(NamedTuple):
    """A text that chunks are aligned with.

    Attributes:
        text: the document, or its rendering.
        letters: what is compared.
        pattern: what letters are.
        of_unit: from a position in the unit tree to one in the text.
        to_source: from a position in the text to one in the document.
        is_source: whether the text is that of the document.
    """

    text: str
    letters: Letters
    pattern: re.Pattern[str]
    of_unit: Callable[[int], int]
    to_source: Callable[[int], int]
    is_source: bool


class Extent(NamedTuple):
    """A stretch of the ground: in characters, trimmed, and in letters; both half-open."""

    start: int
    end: int
    low: int
    high: int


class Audited:
    """Answers what chunks do to the units of a document, and collects what is found.

    Args:
        source: the document.
        parsed: what it was parsed into.
        given: its chunks, in order.
        measure: what sizes are measured in.
        limit: the budget.
    """

    def __init__(
        self,
        source: Source,
        parsed: Parsed,
        given: Sequence[GivenChunk],
        measure: Measure,
        limit: int,
    ) -> None:
        self.source = source
        self.root: Unit = parsed.root
        self.given = given
        self.measure = measure
        self.limit = limit
        self.findings: list[Finding] = []
        self.ground, self.placements = _aligned(source, parsed, given)
        self._slack = 2 * measure.slack(limit)
        self._sizes: dict[tuple[str, str], int] = {("", ""): 0}
        found = [number for number, place in enumerate(self.placements) if place.is_found]
        self.order = sorted(found, key=lambda number: self.placements[number][:2])
        self.starts = [self.placements[number].at for number in self.order]
        self._by_end = sorted(found, key=lambda number: self.placements[number].end)
        self._ends = [self.placements[number].end for number in self._by_end]
        reach = (self.placements[number].end for number in self.order)
        self._reach = list(accumulate(reach, max))
        self._lines = LineNumbers(source.text)

    @cached_property
    def _scale(self) -> Scale:
        return self.measure.scale(self.ground.text)

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """The words of the document, and of its rendering."""
        words = set(_WORD.findall(self.source.text))
        if not self.ground.is_source:
            words.update(_WORD.findall(self.ground.text))
        return frozenset(words)

    def extent(self, unit: Unit) -> Extent:
        """Where a unit stands."""
        of_unit, letters = self.ground.of_unit, self.ground.letters
        start, end = trim(self.ground.text, of_unit(unit.start), of_unit(unit.end - unit.tail))
        return Extent(start, end, letters.at(start), letters.at(end))

    def size(self, start: int, end: int) -> int:
        """What characters of the ground measure, exactly."""
        return self.measure.count(self.ground.text[start:end])

    def fits(
        self, start: int, end: int, *, around: tuple[str, str] = ("", ""), beside: int = 0
    ) -> bool:
        """Whether characters of the ground keep the budget.

        Args:
            start: the first.
            end: one past the last.
            around: what a part carries in front and behind, counted together with them.
            beside: what has to have room besides, in the unit of the budget.
        """
        room = self.limit - beside
        if end - start > 64 * max(room, 1) + 4096 and self.measure.trusted:
            return False  # no token is that long; saves asking for what cannot fit
        about = self._scale.high(end) - self._scale.low(start) + self._carried(around)
        if self.measure.trusted:
            if about + self._slack <= room:
                return True
            if about - self._slack > room:
                return False
        elif about > 2 * room + 2 * self._slack:
            return False
        return self.measure.count(around[0] + self.ground.text[start:end] + around[1]) <= room

    def _carried(self, around: tuple[str, str]) -> int:
        if around not in self._sizes:
            self._sizes[around] = sum(map(self.measure.count, around))
        return self._sizes[around]

    def holder_or_none(self, low: int, high: int) -> int | None:
        """The number of a chunk that holds the letters from low to high, or None."""
        last = bisect_right(self.starts, low) - 1
        if last < 0 or self._reach[last] < high:
            return None
        first = bisect_left(self._reach, high, 0, last + 1)
        return self.order[first]

    def has_border(self, low: int, high: int) -> bool:
        """Whether a chunk begins or ends between the letters, not at them."""
        starts, ends = self.starts, self._ends
        return bisect_left(starts, high) > bisect_right(starts, low) or bisect_left(
            ends, high
        ) > bisect_right(ends, low)

    def touching(self, low: int, high: int) -> int:
        """How many chunks hold some of the letters."""
        return bisect_left(self.starts, high) - bisect_right(self._ends, low)

    def beginning(self, low: int, high: int) -> Sequence[int]:
        """The numbers of the chunks whose first letter is one of these, in order of place."""
        return self.order[bisect_left(self.starts, low) : bisect_left(self.starts, high)]

    def ending(self, low: int, high: int) -> Sequence[int]:
        """The numbers of the chunks that end behind one of these letters but the last."""
        return self._by_end[bisect_left(self._ends, low) : bisect_left(self._ends, high)]

    def note(self, rule: str, start: int, end: int, message: str, *, chunk: int = -1) -> None:
        """Keep a finding about characters of the ground."""
        to_source = self.ground.to_source
        length = len(self.source.text)
        first = min(to_source(start), length)
        last = min(max(first, to_source(end)), length)
        self.findings.append(
            Finding(
                rule,
                self.source.path,
                self._lines.line_at(min(first, max(0, length - 1))),
                Span(first, last),
                chunk,
                message,
            )
        )

    def span_or_none(self, number: int) -> Span | None:
        """Where a chunk stands in the document, in characters, with the blanks in front of it."""
        place = self.placements[number]
        if not place.is_found:
            return None
        start, end = self.ground.letters.span(place.at, place.end)
        body = self.given[number].body
        blank = body[: len(body) - len(body.lstrip())].rpartition("\n")[2]
        is_bare = self.ground.is_source and not place.before.strip()
        if is_bare and self.ground.text.endswith(blank, 0, start):
            start -= len(blank)  # its indentation
        to_source = self.ground.to_source
        return Span(to_source(start), max(to_source(start), to_source(end)))


def _aligned(
    source: Source, parsed: Parsed, given: Sequence[GivenChunk]
) -> tuple[Ground, list[Placement]]:
    """The chunks placed in the document, or in its rendering if more of them is found there."""
    rendering = parsed.rendering
    if rendering is None:
        ground = Ground(
            source.text, Letters(source.text, VISIBLE), VISIBLE, _same, _same, is_source=True
        )
        return ground, _placements(ground, given, is_rendered=False)
    rendered = Ground(
        rendering.text,
        Letters(rendering.text, WORDS),
        WORDS,
        _same,
        rendering.origin,
        is_source=False,
    )
    as_rendered = _placements(rendered, given, is_rendered=True)
    if _share_found(rendered, as_rendered) > _CERTAIN:
        return rendered, as_rendered
    raw = Ground(
        source.text,
        Letters(source.text, VISIBLE),
        VISIBLE,
        rendering.origin,
        _same,
        is_source=True,
    )
    as_written = _placements(raw, given, is_rendered=True)
    if _share_found(raw, as_written) > _share_found(rendered, as_rendered):
        return raw, as_written
    return rendered, as_rendered


_CERTAIN = 0.98  # of the letters: they were taken from this text


def _placements(
    ground: Ground, given: Sequence[GivenChunk], *, is_rendered: bool
) -> list[Placement]:
    aligner = Aligner(ground.letters, ground.pattern)
    placements = []
    for chunk in given:
        if chunk.is_written_anew and not is_rendered and chunk.start >= 0:
            at, end = ground.letters.at(chunk.start), ground.letters.at(chunk.end)
            placements.append(Placement(at, max(at, end), (Run(at, 0, max(0, end - at)),)))
            continue
        hint = chunk.start if ground.is_source else -1
        placements.append(aligner.place(chunk.body, hint))
    return placements


def _share_found(ground: Ground, placements: Sequence[Placement]) -> float:
    """What part of the letters of the ground stands in chunks, without counting twice."""
    spans = sorted((run.at, run.at + run.length) for place in placements for run in place.runs)
    covered = position = 0
    for start, end in spans:
        covered += max(0, end - max(start, position))
        position = max(position, end)
    return covered / ground.letters.length if ground.letters.length else 1.0


def _same(position: int) -> int:
    return position
