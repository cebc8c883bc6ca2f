"""What can go wrong, and the notes a chunk carries when something did.

Content never raises: it becomes a :class:`Problem` on the chunks it touches. Only wrong
settings and missing installations raise, and their message holds the way out.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate


class StructchunkError(Exception):
    """Base of every error this package raises on purpose."""


class ConfigurationError(StructchunkError, ValueError):
    """A setting or argument is wrong. Raised at once, with the value and the way out."""


class MissingDependencyError(StructchunkError, ImportError):
    """Something that has to be installed is not. The message holds the command."""


class WorkerError(StructchunkError, RuntimeError):
    """Worker processes cannot do their work. The message says why and what to change."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a document that could not be handled as it should have been.

    Attributes:
        code: a short, fixed name (``syntax-error``, ``parse-timeout``, ...), made for counting.
        message: one sentence for a person, without positions, so that it is stable under edits.
        start: where it begins, in characters of the source text, or -1 for the whole document.
        end: where it ends (half-open), or -1 for the whole document.
    """

    code: str
    message: str
    start: int = -1
    end: int = -1

    @property
    def is_everywhere(self) -> bool:
        """Whether the problem is about the document as a whole."""
        return self.start < 0

    def touches(self, start: int, end: int) -> bool:
        """Whether it concerns the half-open span ``start, end`` (characters)."""
        return self.is_everywhere or (self.start < end and start < max(self.end, self.start + 1))


class PlacedProblems:
    """The problems of a document, to be asked which of them concern a span of it."""

    __slots__ = ("_everywhere", "_numbers", "_problems", "_reach", "_starts")

    def __init__(self, problems: Sequence[Problem]) -> None:
        self._problems = problems
        self._everywhere = [
            number for number, problem in enumerate(problems) if problem.is_everywhere
        ]
        placed = [number for number, problem in enumerate(problems) if not problem.is_everywhere]
        self._numbers = sorted(placed, key=lambda number: problems[number].start)
        ordered = [problems[number] for number in self._numbers]
        self._starts = [problem.start for problem in ordered]
        self._reach = list(accumulate((max(one.end, one.start + 1) for one in ordered), max))

    def touching(self, start: int, end: int) -> list[Problem]:
        """Those that concern the half-open span ``start, end`` (characters), in their order."""
        first, behind = bisect_right(self._reach, start), bisect_left(self._starts, end)
        near = self._numbers[first:behind]
        if not near:
            return [self._problems[number] for number in self._everywhere]
        touching = [number for number in near if self._problems[number].touches(start, end)]
        return [self._problems[number] for number in sorted((*self._everywhere, *touching))]
