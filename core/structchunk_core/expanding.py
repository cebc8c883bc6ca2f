"""Small to big: retrieved chunks exchanged for what they belong to, as far as a budget allows.

Small chunks are found best, larger ones are read best: the class around a method, the section
around a paragraph, the table around some of its rows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Protocol

from structchunk_core.chunks import Chunk
from structchunk_core.errors import ConfigurationError
from structchunk_core.hierarchy import Hierarchy, is_derived
from structchunk_core.settings import check_kinds, shown
from structchunk_core.stitching import joined, runs


class ParentStore(Protocol):
    """What knows which larger unit a chunk belongs to."""

    def parent_or_none(self, chunk: Chunk) -> Chunk | None:
        """The nearest unit around a chunk, or around a unit that this has given, if there is one.

        It has the ``source`` of the chunk, and its span holds that of the chunk.
        """


class ChunkStore:
    """Chunks and their parents, in memory.

    Args:
        hierarchies: of the documents, which have different paths (see :meth:`Chunker.hierarchy`).
    """

    __slots__ = ("_chunks", "_parents")

    def __init__(self, hierarchies: Iterable[Hierarchy]) -> None:
        self._chunks: dict[str, Chunk] = {}
        self._parents: dict[tuple[str, str], Chunk] = {}
        for found in hierarchies:
            rows = found.rows()
            for chunk, above in rows:
                self._chunks[chunk.id] = chunk
                if above >= 0:
                    self._parents[chunk.source, chunk.id] = rows[above][0]

    def chunk_or_none(self, identity: str) -> Chunk | None:
        """The chunk or parent with that id."""
        return self._chunks.get(identity)

    def parent_or_none(self, chunk: Chunk) -> Chunk | None:
        return self._parents.get((chunk.source, chunk.id))


def expand(
    chunks: Iterable[Chunk],
    store: ParentStore,
    budget: int,
    *,
    count: Callable[[Chunk], int] | None = None,
    kinds: Collection[str] | None = None,
) -> list[Chunk]:
    """What retrieved chunks belong to: definition, class, section, table, ... or file.

    Chunks take turns, the best first: each is exchanged for its parent if all that is chosen then
    fits the budget, until none can be. What lies in another one is chosen once; a parent that holds
    only a part of something chosen is passed by.

    Args:
        chunks: the best first. Those that the budget has no room for are left out.
        store: knows the parents.
        budget: what all that is chosen may measure together.
        count: what a chunk measures; its ``size`` when None, in the unit of its chunker.
        kinds: which kinds of parents to exchange for, by ``kind`` or by the parser's own name for
            it, ``node_type`` (``{"class", "section"}``, ``{"class_definition"}``), passing by
            those between; None means all.

    Returns:
        Chunks and parents in the order of their documents, without repetition; documents in the
        order in which they were found first.

    Raises:
        ConfigurationError: the budget is no number from 1 up, or ``kinds`` are no names.
    """
    if isinstance(budget, bool) or not isinstance(budget, int) or budget < 1:
        raise ConfigurationError(f"budget must be a number from 1 up, got {shown(budget)}")
    kinds = check_kinds(kinds)
    size = count or _size
    chosen = _Chosen(budget, size)
    found = list(chunks)
    for chunk in found:
        chosen.take(chunk)
    climbing = [chunk for chunk in found if chunk in chosen]
    inside: set[tuple[str, str]] = set()  # what lies in a parent that was chosen
    while climbing:
        climbed = []
        for chunk in climbing:
            parent = _parent(chunk, store, kinds) if chunk in chosen else None
            while parent is not None and chosen.crosses(parent):
                parent = _parent(parent, store, kinds)
            if parent is None:
                continue
            taken = chosen.take(parent, instead_of=chunk)
            if taken:
                climbed.append(parent)
            if taken or chosen.holds(parent):
                chosen.leave_out(chunk)
                inside.add((chunk.source, chunk.id))
        climbing = climbed
    for chunk in found:  # a parent may measure less than what was chosen of it
        if (chunk.source, chunk.id) not in inside:
            chosen.take(chunk)
    return chosen.in_order(found)


def read_together(
    chunks: Iterable[Chunk],
    budget: int,
    count: Callable[[Chunk], int],
    count_text: Callable[[Chunk, str], int],
) -> list[tuple[list[Chunk], str]]:
    """Chunks in rows of such as follow each other, each row with its text.

    For what :func:`expand` gives. What stands between chunks is read too: a row measures no more
    than its chunks together and what they all leave of the budget, or else they stay apart.

    Args:
        chunks: in the order in which they shall be read.
        budget: what all of them may measure.
        count: what a chunk measures.
        count_text: what the first of a row would measure with another text.
    """
    chunks = list(chunks)
    room = max(0, budget - sum(map(count, chunks)))
    rows: list[tuple[list[Chunk], str]] = []
    for run in runs(chunks):
        text = joined(run)
        more = count_text(run[0], text) - sum(map(count, run)) if len(run) > 1 else 0
        if len(run) > 1 and more <= room:
            room -= more
            rows.append((run, text))
        else:
            rows += [([chunk], chunk.text) for chunk in run]
    return rows


def holds(outer: Chunk, inner: Chunk) -> bool:
    """Whether all of a chunk is known to stand in another one, or is the same.

    A summary (the profile of a table) holds nothing of what it is about. Of outputs of a notebook,
    which stand in front of their code there and are shown behind it, several may have one place in
    the source, which tells nothing: what was rendered is looked for in the rendering.
    """
    if outer.source != inner.source or outer.id == inner.id:
        return outer.source == inner.source
    if is_derived(outer):
        return False
    (start, end), (first, behind) = inner.span, outer.span
    if inner.rendered and outer.rendered and _has_place(inner) and _has_place(outer):
        (start, end), (first, behind) = inner.place, outer.place
    return start < end and first <= start and end <= behind


def _has_place(chunk: Chunk) -> bool:
    return chunk.place.start < chunk.place.end


class _Chosen:
    """Chunks that do not lie in each other and fit the budget together."""

    def __init__(self, budget: int, size: Callable[[Chunk], int]) -> None:
        self._left = budget
        self._size = size
        self._sizes: dict[tuple[str, str], tuple[Chunk, int]] = {}

    def __contains__(self, chunk: Chunk) -> bool:
        return (chunk.source, chunk.id) in self._sizes

    def take(self, chunk: Chunk, *, instead_of: Chunk | None = None) -> bool:
        """Choose a chunk in place of those in it, if it fits and does not lie in one itself.

        Args:
            chunk: what is chosen.
            instead_of: lies in it, whether its place tells that or not.
        """
        if self.holds(chunk):
            return False
        below = (instead_of.source, instead_of.id) if instead_of is not None else None
        inside = [
            key for key, (other, _) in self._sizes.items() if key == below or holds(chunk, other)
        ]
        measured = self._size(chunk)
        left = self._left + sum(self._sizes[key][1] for key in inside) - measured
        if left < 0:
            return False
        for key in inside:
            del self._sizes[key]
        self._sizes[chunk.source, chunk.id] = chunk, measured
        self._left = left
        return True

    def holds(self, chunk: Chunk) -> bool:
        """Whether a chunk is known to stand in what is chosen."""
        return any(holds(other, chunk) for other, _ in self._sizes.values())

    def crosses(self, parent: Chunk) -> bool:
        """Whether only a part of something chosen stands in a parent, which would repeat it."""
        start, end = parent.span
        return any(
            other.source == parent.source
            and not is_derived(other)
            and max(start, other.span.start) < min(end, other.span.end)
            and not holds(parent, other)
            and not holds(other, parent)
            for other, _ in self._sizes.values()
        )

    def leave_out(self, chunk: Chunk) -> None:
        """Choose a chunk no longer, if it was."""
        chosen = self._sizes.pop((chunk.source, chunk.id), None)
        if chosen is not None:
            self._left += chosen[1]

    def in_order(self, found: Iterable[Chunk]) -> list[Chunk]:
        ranks: dict[str, int] = {}
        for chunk in found:
            ranks.setdefault(chunk.source, len(ranks))
        chunks = [chunk for chunk, _ in self._sizes.values()]
        return sorted(chunks, key=lambda chunk: (ranks[chunk.source], *chunk.span))


def _parent(chunk: Chunk, store: ParentStore, kinds: Collection[str] | None) -> Chunk | None:
    parent = store.parent_or_none(chunk)
    while (
        parent is not None
        and kinds is not None
        and parent.kind not in kinds
        and parent.node_type not in kinds
    ):
        parent = store.parent_or_none(parent)
    return parent


def _size(chunk: Chunk) -> int:
    return chunk.size
