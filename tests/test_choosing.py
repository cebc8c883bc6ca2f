"""The borders that cost least: the quick search against a plain one that looks at every choice."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from structchunk_core import choosing
from structchunk_core.choosing import _cheapest, _Row
from structchunk_core.prices import PRICE
from structchunk_core.scopes import Budget
from structchunk_core.sizing import CharacterMeasure, Measure, TiktokenMeasure
from structchunk_core.unit import Tie

_MEASURES: tuple[Measure, ...] = (CharacterMeasure(), TiktokenMeasure("cl100k_base"))


@st.composite
def budgets(draw: st.DrawFn) -> Budget:
    limit = draw(st.sampled_from([40, 100, 512, 1500]))
    target = draw(st.sampled_from([limit // 4, limit // 2, limit]))
    reserve, overlap = draw(st.sampled_from([0, 7])), draw(st.sampled_from([0, 5]))
    return Budget(limit, target, reserve, overlap, True, draw(st.sampled_from(_MEASURES)))


AIMS = (20, 50, 256)


@st.composite
def rows(draw: st.DrawFn) -> _Row:
    count = draw(st.integers(1, 40))
    widest = draw(st.sampled_from([3, 30, 400]))
    usual = draw(st.booleans())  # mostly alike, as statements are

    def numbers(common: int, others: st.SearchStrategy[int], length: int) -> list[int]:
        rarely = st.sampled_from([True, *(False,) * 9]) if usual else st.booleans()
        return [draw(others) if draw(rarely) else common for _ in range(length)]

    lows, highs, position = [], [], 0
    for width in draw(st.lists(st.integers(0, widest), min_size=count, max_size=count)):
        lows.append(position)
        highs.append(position + width)
        position += max(0, width - draw(st.sampled_from([0, 0, 1])))  # totals may overlap by one
    prices = st.sampled_from([PRICE[tie] for tie in Tie])
    carries = draw(st.booleans())
    head = draw(st.sampled_from([0, 7]))  # rows of a table all repeat the same
    above = draw(st.integers(0, count))  # blocks in front of it repeat nothing
    return _Row(
        lows=lows,
        highs=highs,
        prefixes=[
            *numbers(0, st.integers(0, 9) if carries else st.just(0), above),
            *numbers(head, st.integers(0, 9) if carries else st.just(head), count + 1 - above),
        ],
        suffixes=numbers(0, st.integers(0, 9) if carries else st.just(0), count + 1),
        depths=numbers(3, st.integers(1, 9), count + 1),
        prices=[*numbers(PRICE[Tie.NEXT], prices, count), 0],
        fuses=numbers(0, st.just(1000), count),
        aims=numbers(draw(st.sampled_from(AIMS)), st.sampled_from(AIMS), count),
    )


@given(rows(), budgets())
def test_the_quick_search_finds_what_the_plain_one_finds(row: _Row, budget: Budget) -> None:
    assert _cheapest(row, budget) == plainly_cheapest(row, budget)


def plainly_cheapest(row: _Row, budget: Budget) -> list[int]:
    """The same choice with every chunk priced on its own, from the meaning of the numbers."""
    count = len(row.lows)
    best: list[tuple[int, list[int]]] = [(0, [0])]
    for behind in range(1, count + 1):
        offers = []
        for first in range(behind - 1, -1, -1):
            if is_allowed(row, budget, first, behind):
                cost = best[first][0] + price_of(row, budget, first, behind)
                offers.append((cost, -first))
        lowest, place = min(offers)
        total = lowest + choosing._CHUNK + row.prices[behind]
        best.append((total, [*best[-place][1], behind]))
    borders = best[count][1]
    assert all(first < behind for first, behind in pairwise(borders))
    return borders


def is_allowed(row: _Row, budget: Budget, first: int, behind: int) -> bool:
    if behind - first == 1:
        return True  # nothing smaller is left
    slice_ = row.highs[behind - 1] + row.suffixes[behind] - row.lows[first]
    slack = budget.measure.slack(budget.limit - budget.reserve - budget.overlap)
    usual = budget.limit - budget.reserve - budget.overlap - slack
    only_heads = all(price >= PRICE[Tie.HEAD] for price in row.prices[first + 1 : behind])
    limit = budget.limit - slack if only_heads else usual
    many = behind - first > choosing._FEW
    stretch = row.aims[behind - 1] * 5 // 4
    return slice_ + row.prefixes[first] <= limit and not (many and slice_ > stretch)


def price_of(row: _Row, budget: Budget, first: int, behind: int) -> int:
    measured = row.highs[behind - 1] + row.suffixes[behind] - row.lows[first] + row.prefixes[first]
    cost = choosing._fill_costs(row.aims[behind - 1])[measured]
    inside = range(first + 1, behind)
    if inside:
        shared = min(row.depths[border] for border in inside)
        mixed = sum(max(0, row.depths[end] - shared) for end in (first, behind))
        cost += choosing._MIX * min(mixed, choosing._MIX_CAP)
        cost += sum(row.fuses[border] for border in inside)
    return cost
