"""What is opened around a part of a document, what the part carries of it, and the room left.

A part of a table carries the names of its columns, one of a function its signature, one of a fence
its marks: each opened unit is a scope that says so, as far as the budget allows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from operator import sub
from typing import Final

from structchunk_core.errors import Problem
from structchunk_core.scales import Scale
from structchunk_core.sizing import Measure
from structchunk_core.unit import DEFINITION_KINDS, Repeat, Unit

_DEEPEST: Final = 10  # of those levels count
_SHARE: Final = 3  # a head takes at most this part of the budget
_REQUIRED_SHARE: Final = 2  # where parts would be broken without it
_WIDE_HEAD: Final = 2, 3  # this share by all names of columns, where any row has room too


@dataclass(frozen=True, slots=True)
class Budget:
    """What a chunk may measure.

    Attributes:
        limit: what no chunk exceeds, context included.
        target: what packing aims at.
        reserve: what is kept free for the context where several units share a chunk.
        overlap: how much of the chunk before is repeated.
        by_definition: whether each definition gets a chunk of its own.
        measure: the unit of all these numbers.
        split_level: a chunk begins at every heading of this level or above; 0 for at none.
        overlap_lines: how many lines of the chunk before are repeated where there is room.
        rows: what packing aims at where a chunk ends with rows of a table, unless what these
            repeat asks for more; 0: the target, as for all else.
    """

    limit: int
    target: int
    reserve: int
    overlap: int
    by_definition: bool
    measure: Measure
    split_level: int = 0
    overlap_lines: int = 0
    rows: int = 0


class Scope:
    """An opened unit and the opened units around it."""

    __slots__ = (
        "_chain",
        "begin",
        "essential",
        "inside",
        "mark",
        "nested",
        "omits",
        "parent",
        "prefix",
        "problems",
        "room",
        "split",
        "suffix",
        "unit",
        "weight",
    )

    parent: Scope | None
    split: Unit | None  # the outermost atomic unit here: it was opened, so it is split
    weight: int
    begin: int  # where it begins behind its comments
    omits: bool  # whether what it should carry has no room, nor what is chained to it
    nested: int  # levels below the innermost definition or section, up to ten
    prefix: str
    suffix: str
    essential: str  # that part of the prefix without which the text would be broken
    mark: str  # what a part that begins inside a line has in front
    # What is in front of what a unit around it repeats, and what that says for each position.
    inside: tuple[str, Callable[[int], Sequence[str]]] | None
    room: int
    problems: tuple[Problem, ...]
    _chain: tuple[Unit, ...] | None

    def __init__(self, unit: Unit, parent: Scope | None, budget: Budget, scale: Scale) -> None:
        self.unit = unit
        self.parent = parent
        self._chain = None
        self.begin = unit.start
        above = parent.weight if parent else 0
        named = unit.kind in DEFINITION_KINDS or unit.kind == "section"
        heavy = unit.atomic or named
        self.nested = 0 if parent is None or named else min(_DEEPEST, parent.nested + 1)
        outer = parent.split if parent else None
        self.split = outer or (unit if unit.atomic else None)
        self.weight = above + (4 if heavy else 1)
        self.prefix = parent.prefix if parent else ""
        self.suffix = parent.suffix if parent else ""
        self.essential = parent.essential if parent else ""
        self.mark = parent.mark if parent else ""
        self.inside = parent.inside if parent else None
        self.room = parent.room if parent else budget.limit
        self.problems = parent.problems if parent else ()
        if unit.problems:
            self.problems = (*self.problems, *unit.problems)
        self.omits = parent.omits if parent else False
        if unit.repeat is not None:
            self._carry(budget, scale)

    def _carry(self, budget: Budget, scale: Scale) -> None:
        """Take on what the parts of this unit repeat, as far as its share of the budget goes."""
        repeat = self.unit.repeat
        assert repeat is not None
        self.mark = repeat.mark or self.mark
        if repeat.chained and self.omits:
            return
        measure, limit = budget.measure, budget.limit
        outer = self.prefix, self.suffix
        self.inside = None  # it holds for what that unit repeats, and nothing behind it
        choices = list(enumerate((repeat.before, *repeat.shorter)))
        # A row of a table is cut rather than left without the names of its columns.
        shares = (_SHARE, _REQUIRED_SHARE) if repeat.inside is not None else (_SHARE,)
        belows = list(enumerate((*repeat.below, "")))
        found = list(product(shares, belows, choices))
        if repeat.below or repeat.named or repeat.broken:
            found.sort(key=lambda one: _given_up(repeat, one[1][1], one[2][0]))
        for share, (given_up, below), (number, before) in found:
            prefix, suffix = outer[0] + before, repeat.after + below + outer[1]
            if not (before or repeat.after or below):
                continue
            cost = measure.count(prefix + suffix)
            if repeat.required:
                essential = self.essential + before
                needed = measure.count(essential + suffix)
                if needed * _REQUIRED_SHARE > limit:
                    continue
                self.essential, self.suffix = essential, suffix
                self.prefix = prefix if cost * _REQUIRED_SHARE <= limit else essential
                self.room = min(self.room, limit - needed - measure.slack(needed))
            elif cost * share > limit:
                # Nor is a caption left out while any row has room beside it.
                has_caption = (repeat.named or repeat.below) and not any(
                    _given_up(repeat, below, number)
                )
                may_be_wide = not number or (has_caption and share == shares[-1])
                if not (may_be_wide and self._has_room(cost, budget, scale)):
                    continue
                self._take(outer[0], prefix, suffix, cost, budget)
            else:
                self._take(outer[0], prefix, suffix, cost, budget)
            if number or (given_up and repeat.below):
                self.problems = (*self.problems, self._problem("head-shortened"))
            return
        if repeat.before or repeat.after:
            self.problems = (*self.problems, self._problem("head-omitted"))
            if repeat.chained:
                self.omits = True
                self.prefix = self.suffix = self.essential = ""

    def _take(self, outer: str, prefix: str, suffix: str, cost: int, budget: Budget) -> None:
        """Carry these, in front of and behind what a part holds, which cost so much."""
        self.prefix, self.suffix = prefix, suffix
        repeat = self.unit.repeat
        if repeat is not None and repeat.inside is not None:
            self.inside = outer, repeat.inside
            self.room = min(self.room, budget.limit - cost - budget.measure.slack(cost))

    def _has_room(self, cost: int, budget: Budget, scale: Scale) -> bool:
        """Whether any row of a table has room beside a wide head that costs so much."""
        table = self.unit.as_table()
        part, parts = _WIDE_HEAD
        if table is None or table.row_ends is not None or cost * parts > budget.limit * part:
            return False
        ends = (*table.row_starts[1:], table.end)
        widest = max(map(sub, map(scale.high, ends), map(scale.low, table.row_starts)), default=0)
        return cost + widest + budget.measure.slack(budget.limit) <= budget.limit

    def _problem(self, code: str) -> Problem:
        done = "is shortened" if code == "head-shortened" else "is not repeated"
        return Problem(
            code,
            f"the head of this {self.unit.kind} {done} in its parts: "
            "it takes too much of the budget",
            self.unit.start,
            self.unit.end,
        )

    def chain(self) -> tuple[Unit, ...]:
        """The opened units from the outermost to this one."""
        chain = self._chain
        if chain is None:
            found: list[Unit] = []
            scope: Scope | None = self
            while scope is not None and scope._chain is None:  # noqa: SLF001  # its own class
                found.append(scope.unit)
                scope = scope.parent
            found.reverse()
            chain = tuple(found)
            if scope is not None and scope._chain is not None:  # noqa: SLF001  # (the same)
                chain = scope._chain + chain  # noqa: SLF001  # (the same)
            self._chain = chain
        return chain


def _given_up(repeat: Repeat, below: str, number: int) -> tuple[bool, bool]:
    """What a choice of what parts carry gives up: their syntax, which is worse, and a caption.

    Args:
        repeat: what they should carry.
        below: what of that stands behind them.
        number: which of ``before`` and ``shorter`` stands in front.
    """
    last = len(repeat.shorter)
    valid = last + 1 - repeat.broken
    has_caption = below or number < repeat.named or valid <= number < last
    return number >= valid, not has_caption
