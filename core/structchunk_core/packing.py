"""From a unit tree and a budget to the spans of the chunks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from structchunk_core.blocks import Block, Budget, Scope, coalesce, flatten, trim
from structchunk_core.choosing import choose
from structchunk_core.errors import Problem
from structchunk_core.formats.prose import LEVELS, cut_positions
from structchunk_core.sizing import Scale
from structchunk_core.unit import Unit


class Piece(NamedTuple):
    """The span of a chunk and what it holds.

    Attributes:
        start: first character; leading blank lines are left out, indentation is not.
        end: one past the last character; trailing white space is left out.
        units: the units it holds, whole (a leaf that was cut by size is here in part).
        scope: the innermost opened unit that holds all of it, or None.
        overlap: what it repeats of the piece before, right in front of its slice.
        prefix: what it repeats in front of that.
        suffix: what it adds behind it.
        required: whether prefix and suffix may not be given up.
        problems: what had to be left out.
        parts_of: the split units that it holds a part of.
        borders: where units begin inside it.
    """

    start: int
    end: int
    units: tuple[Unit, ...]
    scope: Scope | None
    overlap: str = ""
    prefix: str = ""
    suffix: str = ""
    required: bool = False
    problems: tuple[Problem, ...] = ()
    parts_of: tuple[Unit, ...] = ()
    borders: tuple[int, ...] = ()


def pack(root: Unit, text: str, scale: Scale, budget: Budget) -> list[Piece]:
    """The cheapest row of pieces: in order, without overlap, holding every visible character.

    Each fits ``budget.limit`` as far as the scale can tell (see ``Measure.slack``).
    """
    blocks = coalesce(flatten(root, text, scale, budget), budget)
    return list(_pieces(blocks, text, scale, budget))


def split(piece: Piece, text: str, room: int, budget: Budget) -> list[Piece]:
    """The piece cut further, because its exact count came out above what the scale had said.

    It is cut between its units while it holds several, and only then inside one.
    """
    measure = budget.measure
    done: list[Piece] = []
    stack = [(piece.start, piece.end)]
    while stack:
        start, end = trim(text, *stack.pop())
        if end <= start:
            continue
        if end - start == 1 or measure.count(text[start:end]) <= room:
            done.append(piece._replace(start=start, end=end))
            continue
        center = (start + end) // 2
        between = [border for border in piece.borders if start < border < end]
        middle = min(
            between or _positions_near_middle(text, start, end) or [center],
            key=lambda position: (abs(position - center), position),
        )
        stack.append((middle, end))
        stack.append((start, middle))
    return done


def _positions_near_middle(text: str, start: int, end: int) -> list[int]:
    """Where to cut between the quarters of the span, at the best level that there is."""
    low, high = start + (end - start) // 4, end - (end - start) // 4
    for level in range(LEVELS):
        found = list(cut_positions(text, max(start, low - 1), min(end, high + 1), level))
        if found:
            return found
    return []


def _pieces(blocks: Sequence[Block], text: str, scale: Scale, budget: Budget) -> Iterator[Piece]:
    previous: tuple[int, int] | None = None
    for first, behind in choose(blocks, budget):
        start, end = trim(text, blocks[first].start, blocks[behind - 1].end)
        if end <= start or not text[start:end].strip():
            continue
        lead = blocks[first].lead if first else None
        tail = blocks[behind].lead if behind < len(blocks) else None
        units: list[Unit] = []
        borders: list[int] = []
        for block in blocks[first:behind]:
            borders.append(block.start)
            borders.extend(block.inner)
            if not units or units[-1] is not block.unit:
                units.append(block.unit)
        overlap = ""
        prefix = lead.prefix if lead else ""
        suffix = tail.suffix if tail else ""
        if previous is not None and budget.overlap:
            overlap = text[_overlap_start(text, *previous, scale, budget.overlap) : start]
        ends = (blocks[first].scope, blocks[behind - 1].scope)
        split_units = {id(scope.split): scope.split for scope in ends if scope and scope.split}
        left_out = (*(lead.problems if lead else ()), *(tail.problems if tail else ()))
        yield Piece(
            start,
            end,
            tuple(units),
            _common_scope(blocks, first, behind),
            overlap,
            prefix,
            suffix,
            bool(suffix) or bool(lead and lead.prefix and _is_required(lead)),
            tuple(dict.fromkeys(left_out)),
            tuple(split_units.values()),
            tuple(borders),
        )
        previous = start, end


def _is_required(scope: Scope) -> bool:
    return any(unit.repeat is not None and unit.repeat.required for unit in scope.chain())


def _common_scope(blocks: Sequence[Block], first: int, behind: int) -> Scope | None:
    if behind - first == 1:
        return blocks[first].scope
    leads = (block.lead for block in blocks[first + 1 : behind])
    return min(leads, key=lambda lead: lead.weight if lead else 0)


def _overlap_start(text: str, start: int, end: int, scale: Scale, overlap: int) -> int:
    """Where the trailing lines, or sentences, or words begin that measure at most the overlap."""
    for level in (0, 1, 3):
        for position in cut_positions(text, start, end, level):
            if scale.high(end) - scale.low(position) <= overlap:
                return position
    return end
