"""Choosing where to cut: the borders that cost least in total.

As Knuth and Plass choose the line breaks of a paragraph ("Breaking Paragraphs into Lines",
Software: Practice and Experience, 1981): the price of what each cut tears, plus how unevenly the
chunks are filled, plus what each chunk mixes. Costs are integers, so that every machine chooses
alike; of equal choices the one with the shorter last chunk wins.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

from structchunk_core.blocks import Block
from structchunk_core.prices import INFINITE, PRICE
from structchunk_core.scopes import Budget
from structchunk_core.unit import Tie

_CHUNK: Final = 100  # every chunk costs this much, so that fewer are better
_UNDERFULL: Final = 1000  # an empty chunk, against the target
_OVERFULL: Final = 1500  # a chunk of twice the target
_TINY: Final = 700  # a chunk of nothing, on top, below an eighth of the target
_MIX: Final = 60  # for each level of a scope whose part stands with something from outside
_MIX_CAP: Final = 10
_MOST_COSTS: Final = 20_000  # sizes whose cost is remembered
_ROWS_PER_HEAD: Final = 4  # what row groups measure at least, in what each of them repeats
_NEAR: Final = 64  # blocks of which a chunk seldom holds more
_FEW: Final = 16  # a chunk of more blocks need not exceed the target by more than a quarter


def choose(blocks: Sequence[Block], budget: Budget) -> Iterator[tuple[int, int]]:
    """The cheapest chunks as half-open ranges of blocks, in order."""
    begin = 0
    for behind in range(1, len(blocks) + 1):
        if behind < len(blocks) and blocks[behind].fuse < INFINITE:
            continue
        if behind - begin == 1:
            yield begin, behind
        else:
            row = _measured(blocks, begin, behind, budget)
            for first, end in pairwise(_cheapest(row, budget)):
                yield begin + first, begin + end
        begin = behind


@dataclass(frozen=True, slots=True)
class _Row:
    """Consecutive blocks as plain numbers; entry i of a border is the border before block i."""

    lows: list[int]  # running totals in front of each block
    highs: list[int]  # and behind it
    prefixes: list[int]  # what a chunk that begins at a border repeats
    suffixes: list[int]  # what a chunk that ends at a border adds
    depths: list[int]  # how much scope holds both sides of a border
    prices: list[int]  # of cutting at a border
    fuses: list[int]  # of not cutting there
    aims: list[int]  # the target of a chunk that ends with a block


def _measured(blocks: Sequence[Block], begin: int, behind: int, budget: Budget) -> _Row:
    run = blocks[begin:behind]
    borders: list[Block | None] = [*run, blocks[behind] if behind < len(blocks) else None]
    leads = [block.lead if block else None for block in borders]
    counted: dict[str, int] = {"": 0}

    def carried(affix: str) -> int:
        if affix not in counted:
            counted[affix] = budget.measure.count(affix)
        return counted[affix]

    return _Row(
        lows=[block.low for block in run],
        highs=[block.high for block in run],
        prefixes=[carried(lead.prefix) if lead and lead.prefix else 0 for lead in leads],
        suffixes=[carried(lead.suffix) if lead and lead.suffix else 0 for lead in leads],
        depths=[lead.weight if lead else 0 for lead in leads],
        prices=[*(block.price for block in run), 0],
        fuses=[block.fuse for block in run],
        aims=[
            _row_target(carried(block.scope.prefix), budget)
            if block.unit.kind == "row" and block.scope is not None and budget.rows
            else budget.target
            for block in run
        ],
    )


def _cheapest(row: _Row, budget: Budget) -> list[int]:
    """The chosen borders, from 0 to the number of blocks, by dynamic programming.

    The work is the number of blocks times how many of them one chunk can hold.
    """
    count = len(row.lows)
    limit = budget.limit - budget.reserve - budget.overlap
    slack = budget.measure.slack(limit)
    limit -= slack
    aims = {target: _aim(target, limit) for target in set(row.aims)}
    most = budget.limit - slack  # for a head and what it heads: the context gives way first
    lows, prefixes, depths, fuses = row.lows, row.prefixes, row.depths, row.fuses
    dear = PRICE[Tie.HEAD]
    to_head = [price >= dear for price in row.prices]
    best = [0] * (count + 1)
    chosen = [0] * (count + 1)
    even = 0  # from this border on all are alike: nothing mixed, fused, or a head, equal prefixes
    for behind in range(1, count + 1):
        high = row.highs[behind - 1] + row.suffixes[behind]
        tail_depth = depths[behind]
        last = behind - 1
        fill, stretch, edge = aims[row.aims[last]]
        if to_head[last] or fuses[last] or prefixes[last] != prefixes[last - 1]:
            even = last
        if tail_depth != depths[last]:
            even = behind
        head = prefixes[last]
        if even < last and even <= (first := _earliest(lows, high, behind, stretch, limit)) < last:
            first = bisect_left(lows, high + head - limit, first, last)
            chosen[behind], lowest = _among_equals(best, lows, first, last, high + head, fill)
            best[behind] = lowest + _CHUNK + row.prices[behind]
            continue
        # The last block alone, then with more and more of those in front of it.
        shallowest = 1 << 30
        fused = 0
        bound = True  # whether every border inside is one between a head and its first part
        lowest = best[last] + fill[high - lows[last] + head]
        chosen[behind] = after = last  # the block behind the first
        for first in range(last - 1, -1, -1):
            measured = high - lows[first]
            if bound:
                bound = to_head[after]
            if measured > edge:
                if measured > limit and not (bound and measured <= most):
                    break
                if measured > stretch and behind - first > _FEW:
                    break
            fused += fuses[after]
            inner, outer = depths[after], depths[first]
            if inner < shallowest:  # a call takes a third of all time
                shallowest = inner
            after = first
            measured += prefixes[first]
            if measured > edge and measured > (most if bound else limit):
                continue
            cost = best[first] + fused + fill[measured]
            if cost >= lowest:
                continue  # what it mixes only adds to it
            mixed = outer - shallowest if outer > shallowest else 0
            if tail_depth > shallowest:
                mixed += tail_depth - shallowest
            if mixed:
                cost += _MIX * (mixed if mixed < _MIX_CAP else _MIX_CAP)
            if cost < lowest:
                lowest = cost
                chosen[behind] = first
        best[behind] = lowest + _CHUNK + row.prices[behind]
    return _borders(chosen)


def _row_target(head: int, budget: Budget) -> int:
    """The target of row groups that repeat so much: several times that, as most of it is rows."""
    return min(budget.target, max(budget.rows, _ROWS_PER_HEAD * head))


def _aim(target: int, limit: int) -> tuple[Mapping[int, int], int, int]:
    """Costs of fill, the size that few blocks exceed, and that below which nothing is checked."""
    stretch = target + target // 4
    return _fill_costs(target), stretch, min(stretch, limit)


def _earliest(lows: Sequence[int], high: int, behind: int, stretch: int, limit: int) -> int:
    """The first block that a chunk may begin with which ends in front of the block ``behind``.

    It keeps the limit, and goes beyond the stretch only with few blocks.
    """
    near = max(0, behind - _NEAR)  # the answer is close by, in a long row of blocks
    if lows[near] >= high - max(stretch, limit):
        near = 0
    first = bisect_left(lows, high - stretch, near, behind)
    if first > behind - _FEW or stretch > limit:
        return max(bisect_left(lows, high - limit, near, behind), min(first, behind - _FEW))
    return first


def _among_equals(
    best: list[int], lows: list[int], first: int, last: int, high: int, fill: Mapping[int, int]
) -> tuple[int, int]:
    """Where a chunk begins best when only fill tells the choices apart, and what it costs.

    It may begin with each block from ``first`` to ``last``; they are few. Of equal choices the one
    with the shorter last chunk wins.
    """
    found, lowest = last, best[last] + fill[high - lows[last]]
    for number in range(last - 1, first - 1, -1):
        cost = best[number] + fill[high - lows[number]]
        if cost < lowest:
            found, lowest = number, cost
    return found, lowest


def _borders(chosen: Sequence[int]) -> list[int]:
    """The borders that lead to the last one, of which each names the one before."""
    borders = [len(chosen) - 1]
    while borders[-1] > 0:
        borders.append(chosen[borders[-1]])
    borders.reverse()
    return borders


class _FillCosts(dict[int, int]):
    """What a chunk costs that measures so much, worked out when first asked for."""

    def __init__(self, target: int) -> None:
        super().__init__()
        self._target = target

    def __missing__(self, measured: int) -> int:
        target = self._target
        missing = target - measured
        if missing < 0:
            cost = _OVERFULL * missing * missing // (target * target)
        else:
            cost = _UNDERFULL * missing * missing // (target * target)
            barely = target - target // 8  # what a chunk of an eighth of the target is missing
            if missing > barely:
                cost += _TINY * (missing - barely) * 8 // target
        if len(self) < _MOST_COSTS:
            self[measured] = cost
        return cost


_fill_costs = lru_cache(maxsize=8)(_FillCosts)
