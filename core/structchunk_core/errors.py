"""What can go wrong, and the notes a chunk carries when something did.

Content never raises: it becomes a :class:`Problem` on the chunks it touches. Only wrong
settings and missing installations raise, and their message holds the way out.
"""

from __future__ import annotations

from dataclasses import dataclass


class StructchunkError(Exception):
    """Base of every error this package raises on purpose."""


class ConfigurationError(StructchunkError, ValueError):
    """A setting is wrong. Raised when the :class:`~structchunk_core.Chunker` is made."""


class MissingDependencyError(StructchunkError, ImportError):
    """Something that has to be installed is not. The message holds the command."""


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
