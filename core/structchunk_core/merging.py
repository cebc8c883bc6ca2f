"""Blocks made one before borders are chosen, so that there are fewer to choose from."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, pairwise
from typing import Final

from structchunk_core.blocks import Block
from structchunk_core.prices import MIDLINE, PRICE
from structchunk_core.scopes import Budget
from structchunk_core.unit import DEFINITION_KINDS, Tie, make_unit

# An enum is slow to hash, and its members are slow to reach: this is asked of every block.
_DEAR: Final = PRICE[Tie.INSIDE]
_HEAD: Final = Tie.HEAD
_NEXT: Final = Tie.NEXT


def merged(blocks: Iterator[Block], budget: Budget) -> Iterator[Block]:
    """The blocks, with what stands on one line put together, and then tiny neighbours.

    Each is made when it is asked for, from no more than those right behind it.
    """
    return _coalesced(_on_lines(blocks, budget), budget)


def _on_lines(blocks: Iterator[Block], budget: Budget) -> Iterator[Block]:
    """What begins inside a line that fits, made one with what is before it, where that fits."""
    room = budget.limit - budget.measure.slack(budget.limit) - budget.reserve - budget.overlap
    last: Block | None = None
    for block in blocks:
        if last is None:
            last = block
        elif (
            block.price == MIDLINE
            and block.tie != _HEAD
            and max(last.high, block.high) - last.low <= room
            and last.unit.definition is None
            and block.unit.definition is None
            and last.lead is not None
            and block.lead is not None
        ):
            _absorb(last, block)
        else:
            yield last
            last = block
    if last is not None:
        yield last


def _coalesced(blocks: Iterator[Block], budget: Budget) -> Iterator[Block]:
    """Tiny neighbours made one where a cut between them would be dear or gains nothing.

    It bounds how many blocks a chunk can hold, and so the work of choosing. The beginning of a
    line that does not fit as a whole stays apart from what is above it, so that it can be cut off
    there rather than from the rest of its line.
    """
    fine, coarse = max(1, budget.target // 16), max(1, budget.target // 10)
    last: Block | None = None
    behind: Iterator[Block | None] = chain(blocks, (None,))
    for block, following in pairwise(behind):
        assert block is not None  # it is what comes last, and never first of a pair
        if (
            last is not None
            and (size := block.high - last.low) <= coarse  # few are
            and block.fuse == 0
            and block.lead is not None
            and last.lead is not None
            and block.tie != _HEAD
            and block.unit.kind not in DEFINITION_KINDS
            and (size <= fine or block.price >= _DEAR or block.unit.kind == "row")
            and (block.price >= _DEAR or (block.tie == _NEXT and block.scope is last.scope))
            and not (following is not None and following.price == MIDLINE != block.price)
        ):
            _absorb(last, block)
            continue
        if last is not None:
            yield last
        last = block
    if last is not None:
        yield last


def _absorb(last: Block, block: Block) -> None:
    """Put a block to the one in front of it."""
    unit = last.unit if last.unit.kind != "comment" else block.unit
    if last.inner is None:
        last.inner = []
    last.inner.append(block.start)
    last.inner += block.inner or ()
    if last.scope is not block.scope and block.unit.kind != "close":
        last.scope = block.lead
    last.unit = make_unit(unit.kind, last.start, block.end, language=unit.language)
    last.end, last.high = block.end, max(last.high, block.high)
    last.shown = _both(last.shown, block.shown)


def _both(first: tuple[int, int], second: tuple[int, int]) -> tuple[int, int]:
    """The visible text of two neighbours, of which either may show none."""
    if first[0] >= first[1]:
        return second
    return first if second[0] >= second[1] else (first[0], second[1])
