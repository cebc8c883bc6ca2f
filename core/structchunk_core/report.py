"""What a run over many files came to, in numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from heapq import nlargest

from structchunk_core import Chunk

_SHOWN = 5


@dataclass(frozen=True, slots=True)
class SplitDefinition:
    """A definition that was bigger than the budget and had to be split.

    Attributes:
        source: the file it stands in.
        line: the 1-based line where it begins.
        symbol: its qualified name.
        parts: into how many chunks it went.
        size: what these chunks measure together.
    """

    source: str
    line: int
    symbol: str
    parts: int
    size: int


@dataclass(frozen=True, slots=True)
class Summary:
    """Totals over the chunks of some files.

    Attributes:
        files: how many files were chunked, empty ones included.
        chunks: how many chunks they gave.
        size: what is embedded measures in all, in the unit of the budget.
        problems: how many files have a problem of each code.
        split: the largest definitions that had to be split, largest first, at most five.
    """

    files: int = 0
    chunks: int = 0
    size: int = 0
    problems: Counter[str] = field(default_factory=Counter)
    split: tuple[SplitDefinition, ...] = ()

    def fill(self, chunk_size: int) -> float:
        """What part of the budget an average chunk takes."""
        return self.size / (self.chunks * chunk_size) if self.chunks else 0.0

    def __add__(self, other: Summary) -> Summary:
        largest = nlargest(_SHOWN, (*self.split, *other.split), key=_weight)
        return Summary(
            self.files + other.files,
            self.chunks + other.chunks,
            self.size + other.size,
            self.problems + other.problems,
            tuple(largest),
        )


def summary_of(chunks: Sequence[Chunk]) -> Summary:
    """The totals of one file, from all its chunks."""
    return Summary(
        files=1,
        chunks=len(chunks),
        size=sum(chunk.size for chunk in chunks),
        problems=Counter({problem.code for chunk in chunks for problem in chunk.problems}),
        split=tuple(nlargest(_SHOWN, _split_definitions(chunks), key=_weight)),
    )


def _split_definitions(chunks: Sequence[Chunk]) -> Iterable[SplitDefinition]:
    """The definitions that went into several chunks, in the order of their first part."""
    parts: dict[str, list[Chunk]] = {}
    for chunk in chunks:
        if chunk.parts > 1 and chunk.symbols and chunk.signature:
            parts.setdefault(chunk.parent_id, []).append(chunk)
    for same in parts.values():
        first = same[0]
        total = sum(chunk.size for chunk in same)
        yield SplitDefinition(first.source, first.start_line, first.symbols[0], len(same), total)


def _weight(split: SplitDefinition) -> tuple[int, str, int]:
    return split.size, split.source, -split.line
