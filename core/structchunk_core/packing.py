"""From a unit tree and a budget to the spans of the chunks.

Two steps. :func:`_flatten` opens every unit that may not stay whole and leaves a row of blocks
that will not be cut, with a price on every border between two of them. :func:`_choose` then takes
the set of borders that costs least in total, as Knuth and Plass do for the lines of a paragraph
("Breaking Paragraphs into Lines", 1981): the price of what each cut tears, plus how unevenly the
chunks are filled, plus what each chunk mixes. Costs are integers, so that every machine chooses
alike; of equal choices the one with the longer last chunk wins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from structchunk_core.errors import Problem
from structchunk_core.formats.prose import LEVELS, cut_positions
from structchunk_core.sizing import Measure, Scale
from structchunk_core.unit import DEFINITION_KINDS, Tie, Unit

_INFINITE = 1 << 40
_CHUNK = 100  # every chunk costs this much, so that fewer are better
_UNDERFULL = 400  # an empty chunk, against the target
_OVERFULL = 120  # a chunk of twice the target
_TINY = 700  # a chunk of nothing, on top, below an eighth of the target
_MIX = 130  # for each level of a scope whose part stands with something from outside
_MIX_CAP = 10
_NESTED = 25  # for each level below the split unit, up to ten
_MERGED_SECTIONS = 450  # two sections in one chunk, in "definition" granularity
_PRICE = {
    Tie.FREE: 0,
    Tie.LOOSE: 40,
    Tie.NEXT: 120,
    Tie.CLOSE: 900,
    Tie.HEAD: 30_000,
    Tie.INSIDE: 700,
    Tie.INLINE: 1500,
}
_LEVEL_PRICE = (120, 120, 700, 1000, 1600, 3000, 9000)  # of the levels of cut_positions
_PROSE_KINDS = frozenset({"paragraph", "footnote", "quote", "text", "item", "cell", "heading"})
_BLANK = " \t\r\n"
_BLANKS = re.compile(r"[ \t\r\n]*")


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
    """

    limit: int
    target: int
    reserve: int
    overlap: int
    by_definition: bool
    measure: Measure


class Scope:
    """An opened unit and the opened units around it."""

    __slots__ = ("parent", "prefix", "problems", "room", "suffix", "unit", "weight")

    parent: Scope | None
    weight: int
    prefix: str
    suffix: str
    room: int
    problems: tuple[Problem, ...]

    def __init__(self, unit: Unit, parent: Scope | None, budget: Budget) -> None:
        self.unit = unit
        self.parent = parent
        above = parent.weight if parent else 0
        heavy = unit.atomic or unit.kind in DEFINITION_KINDS or unit.kind == "section"
        self.weight = above + (4 if heavy else 1)
        self.prefix = parent.prefix if parent else ""
        self.suffix = parent.suffix if parent else ""
        self.room = parent.room if parent else budget.limit
        self.problems = parent.problems if parent else ()
        if unit.repeat is not None:
            self._carry(budget)

    def _carry(self, budget: Budget) -> None:
        """Take on what the parts of this unit repeat, as far as a third of the budget goes."""
        repeat = self.unit.repeat
        assert repeat is not None
        outer = self.prefix, self.suffix
        for number, before in enumerate((repeat.before, repeat.short)):
            prefix, suffix = outer[0] + before, repeat.after + outer[1]
            cost = budget.measure.count(prefix + suffix) if prefix or suffix else 0
            if cost * 3 <= budget.limit and (before or repeat.after):
                self.prefix, self.suffix = prefix, suffix
                if repeat.required:
                    self.room = min(self.room, budget.limit - cost - budget.measure.slack(cost))
                if number:
                    self.problems = (*self.problems, self._problem("head-shortened"))
                return
        if repeat.before or repeat.after:
            self.problems = (*self.problems, self._problem("head-omitted"))

    def _problem(self, code: str) -> Problem:
        done = "is shortened" if code == "head-shortened" else "is not repeated"
        return Problem(
            code,
            f"the head of this {self.unit.kind} {done} in its parts: "
            "it takes more than a third of the budget",
            self.unit.start,
            self.unit.end,
        )

    def chain(self) -> list[Scope]:
        """This scope and those around it, outermost first."""
        found: list[Scope] = []
        scope: Scope | None = self
        while scope is not None:
            found.append(scope)
            scope = scope.parent
        found.reverse()
        return found


@dataclass(frozen=True, slots=True)
class Piece:
    """The span of a chunk and what it holds.

    Attributes:
        start: first character; leading blank lines are left out, indentation is not.
        end: one past the last character; trailing white space is left out.
        units: the units it holds, whole (a leaf that was cut by size is here in part).
        scope: the innermost opened unit that holds all of it, or None.
        prefix: what it repeats in front of its slice.
        suffix: what it adds behind it.
        required: whether prefix and suffix may not be given up.
        problems: what had to be left out.
    """

    start: int
    end: int
    units: tuple[Unit, ...]
    scope: Scope | None
    prefix: str = ""
    suffix: str = ""
    required: bool = False
    problems: tuple[Problem, ...] = ()


class _Block:
    """What will not be cut, and the border in front of it."""

    __slots__ = ("end", "fuse", "lead", "price", "scope", "start", "tie", "unit")

    def __init__(
        self,
        unit: Unit,
        start: int,
        end: int,
        scope: Scope | None,
        lead: Scope | None,
        tie: Tie,
        price: int,
        fuse: int,
    ) -> None:
        self.unit = unit
        self.start = start
        self.end = end
        self.scope = scope
        self.lead = lead  # the innermost opened unit that holds both sides of the border
        self.tie = tie
        self.price = price  # of a cut here
        self.fuse = fuse  # of not cutting here


def pack(root: Unit, text: str, scale: Scale, budget: Budget) -> list[Piece]:
    """The cheapest row of pieces: in order, without overlap, holding every visible character.

    Each fits ``budget.limit`` as far as the scale can tell (see ``Measure.slack``).
    """
    blocks = _coalesce(_flatten(root, text, scale, budget), text, scale, budget)
    return list(_pieces(blocks, text, scale, budget))


def trim(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without leading blank lines and trailing white space; empty if all is blank."""
    while end > start and text[end - 1] in _BLANK:
        end -= 1
    found = _BLANKS.match(text, start, end)
    first = found.end() if found else start
    return max(start, text.rfind("\n", start, first) + 1), end


def split(piece: Piece, text: str, room: int, budget: Budget) -> list[Piece]:
    """The piece cut further, because its exact count came out above what the scale had said."""
    measure = budget.measure
    done: list[Piece] = []
    stack = [(piece.start, piece.end)]
    while stack:
        start, end = stack.pop()
        start, end = trim(text, start, end)
        if end <= start:
            continue
        if end - start == 1 or measure.count(text[start:end]) <= room:
            done.append(
                Piece(
                    start,
                    end,
                    piece.units,
                    piece.scope,
                    piece.prefix,
                    piece.suffix,
                    piece.required,
                    piece.problems,
                )
            )
            continue
        middle = _middle(text, start, end)
        stack.append((middle, end))
        stack.append((start, middle))
    return done


def _middle(text: str, start: int, end: int) -> int:
    """A place to cut near the middle, at the best level there is between the quarters."""
    low, high = start + (end - start) // 4, end - (end - start) // 4
    center = (start + end) // 2
    for level in range(LEVELS):
        found = [p for p in cut_positions(text, max(start, low - 1), min(end, high + 1), level)]
        if found:
            return min(found, key=lambda position: (abs(position - center), position))
    return center


# Opening


def _flatten(root: Unit, text: str, scale: Scale, budget: Budget) -> Iterator[_Block]:
    stack: list[tuple[Unit, Scope | None, Scope | None, Tie, int]]
    stack = [(root, None, None, Tie.FREE, 0)]
    while stack:
        unit, scope, lead, tie, fuse = stack.pop()
        if _stays_whole(unit, scope, text, scale, budget):
            yield _Block(
                unit, unit.start, unit.end, scope, lead, tie, _price(tie, lead), fuse
            )
            continue
        opened = Scope(unit, scope, budget)
        children = unit.open()
        if not children:
            yield from _leaf_blocks(unit, opened, lead, tie, fuse, text, scale, budget)
            continue
        for number in range(len(children) - 1, 0, -1):
            child = children[number]
            stack.append(
                (child, opened, opened, child.tie, _fuse(children[number - 1], child, scale, budget))
            )
        stack.append((children[0], opened, lead, tie, fuse))


def _stays_whole(
    unit: Unit, scope: Scope | None, text: str, scale: Scale, budget: Budget
) -> bool:
    start, end = trim(text, unit.start, unit.end)
    if end <= start:
        return True
    about = scale.high(end) - scale.low(start)
    room = budget.limit if scope is None else scope.room
    if not unit.atomic:
        room = min(room - budget.reserve - budget.overlap, budget.target)
        return about + budget.measure.slack(about) <= room or (
            about <= room and budget.measure.count(text[start:end]) <= room
        )
    slack = budget.measure.slack(about)
    if about + slack <= room:
        return True
    if about - slack > room:
        return False
    return budget.measure.count(text[start:end]) <= room


def _fuse(before: Unit, after: Unit, scale: Scale, budget: Budget) -> int:
    """The price of keeping two siblings in one chunk."""
    if not budget.by_definition:
        return 0
    if before.kind in DEFINITION_KINDS or after.kind in DEFINITION_KINDS:
        if after.tie >= Tie.CLOSE:
            head = scale.high(before.end) - scale.low(before.start)
            return 0 if head * 4 <= budget.target or after.kind not in DEFINITION_KINDS else (
                _INFINITE
            )
        return _INFINITE
    if before.kind == "section" or after.kind == "section":
        return 0 if after.tie >= Tie.CLOSE else _MERGED_SECTIONS
    return 0


def _price(tie: Tie, lead: Scope | None) -> int:
    if lead is None:
        return 0
    nested = 0
    scope: Scope | None = lead
    while scope is not None and nested < 10 and scope.parent is not None:
        if scope.unit.kind in DEFINITION_KINDS or scope.unit.kind == "section":
            break
        nested += 1
        scope = scope.parent
    return _PRICE[tie] + _NESTED * nested


def _leaf_blocks(
    unit: Unit,
    opened: Scope,
    lead: Scope | None,
    tie: Tie,
    fuse: int,
    text: str,
    scale: Scale,
    budget: Budget,
) -> Iterator[_Block]:
    """A leaf that does not fit, as lines or sentences, and those as words or less."""
    room = max(1, opened.room - budget.reserve - budget.overlap)
    grain = max(1, min(budget.target, room) // 16)
    first = True
    for start, end, price in _cut_leaf(unit, text, scale, room, grain):
        if first:
            yield _Block(unit, start, end, opened, lead, tie, _price(tie, lead), fuse)
            first = False
            continue
        price += _price(Tie.FREE, opened)
        yield _Block(unit, start, end, opened, opened, Tie.NEXT, price, 0)


def _cut_leaf(
    unit: Unit, text: str, scale: Scale, room: int, grain: int
) -> Iterator[tuple[int, int, int]]:
    """Consecutive pieces ``start, end, price of the cut before``; none above the room."""
    level = 1 if unit.kind in _PROSE_KINDS else 0
    start = unit.start
    price = 0
    for cut in (*_with_end(cut_positions(text, unit.start, unit.end, level), unit.end),):
        about = scale.high(cut) - scale.low(start)
        if about < grain and cut < unit.end:
            continue
        if about <= room:
            yield start, cut, price
        else:
            yield from _cut_small(text, start, cut, price, scale, room, grain)
        start = cut
        blank_above = text[max(0, cut - 2) : cut] == "\n\n" or text[max(0, cut - 3) : cut] == "\n\r\n"
        price = _PRICE[Tie.LOOSE] if blank_above else _LEVEL_PRICE[level]


def _cut_small(
    text: str, start: int, end: int, price: int, scale: Scale, room: int, grain: int
) -> Iterator[tuple[int, int, int]]:
    """A line or sentence above the room: cut at clauses, words, within words, anywhere.

    Looks for each cut in a window that ends where a piece of an eighth of the room would end,
    so that the work is linear however long the line is.
    """
    wanted = max(grain, room // 8, 1)
    while start < end:
        if scale.high(end) - scale.low(start) <= wanted:
            yield start, end, price
            return
        stop = min(end, max(start + 1, scale.reach(start, wanted)))
        cut = stop
        level = LEVELS - 1
        for level in (0, *range(2, LEVELS)):
            cut = 0
            for cut in cut_positions(text, start, min(end, stop + 1), level):
                pass
            if cut > start:
                break
        if cut <= start:
            cut = stop
        yield start, cut, price
        start = cut
        price = _LEVEL_PRICE[level] if level else _LEVEL_PRICE[2]


def _with_end(positions: Iterator[int], end: int) -> Iterator[int]:
    yield from positions
    yield end


def _coalesce(
    blocks: Iterator[_Block], text: str, scale: Scale, budget: Budget
) -> list[_Block]:
    """Tiny neighbours made one where a cut between them would be dear or gains nothing.

    It bounds how many blocks a chunk can hold, and so the work of choosing.
    """
    grain = max(1, budget.target // 32)
    merged: list[_Block] = []
    total = 0  # what the last block measures
    for block in blocks:
        about = scale.high(block.end) - scale.low(block.start)
        last = merged[-1] if merged else None
        if (
            last is not None
            and total + about <= grain
            and block.fuse == 0
            and block.lead is not None
            and (
                block.price >= _PRICE[Tie.INSIDE]
                or (block.tie == Tie.NEXT and block.scope is last.scope)
            )
            and block.tie != Tie.HEAD
            and last.lead is not None
            and block.unit.kind not in DEFINITION_KINDS
        ):
            inner = last.scope if last.scope is block.scope else block.lead
            merged[-1] = _Block(
                Unit(last.unit.kind, last.start, block.end, language=last.unit.language),
                last.start,
                block.end,
                inner,
                last.lead,
                last.tie,
                last.price,
                last.fuse,
            )
            total += about
        else:
            merged.append(block)
            total = about
    return merged


# Choosing


def _pieces(
    blocks: Sequence[_Block], text: str, scale: Scale, budget: Budget
) -> Iterator[Piece]:
    previous: tuple[int, int] | None = None
    for first, behind in _choose(blocks, text, scale, budget):
        start, end = trim(text, blocks[first].start, blocks[behind - 1].end)
        if end <= start or not text[start:end].strip():
            continue
        lead = blocks[first].lead if first else None
        tail = blocks[behind].lead if behind < len(blocks) else None
        units: list[Unit] = []
        for block in blocks[first:behind]:
            if not units or units[-1] is not block.unit:
                units.append(block.unit)
        prefix = lead.prefix if lead else ""
        suffix = tail.suffix if tail else ""
        if previous is not None and budget.overlap:
            prefix += text[_overlap_start(text, *previous, scale, budget.overlap) : start]
        yield Piece(
            start,
            end,
            tuple(units),
            _common_scope(blocks, first, behind),
            prefix,
            suffix,
            bool(suffix) or bool(lead and lead.prefix and _is_required(lead)),
            tuple(dict.fromkeys((*(lead.problems if lead else ()), *(tail.problems if tail else ())))),
        )
        previous = start, end


def _is_required(scope: Scope) -> bool:
    return any(
        level.unit.repeat is not None and level.unit.repeat.required for level in scope.chain()
    )


def _common_scope(blocks: Sequence[_Block], first: int, behind: int) -> Scope | None:
    if behind - first == 1:
        return blocks[first].scope
    leads = (block.lead for block in blocks[first + 1 : behind])
    return min(leads, key=lambda lead: lead.weight if lead else 0)


def _overlap_start(text: str, start: int, end: int, scale: Scale, overlap: int) -> int:
    """Where the trailing lines of the span begin that measure at most the overlap."""
    for level in (0, 1, 3):
        for position in cut_positions(text, start, end, level):
            if scale.high(end) - scale.low(position) <= overlap:
                return position
    return end


def _choose(
    blocks: Sequence[_Block], text: str, scale: Scale, budget: Budget
) -> Iterator[tuple[int, int]]:
    """The cheapest chunks as half-open ranges of blocks."""
    begin = 0
    for index in range(1, len(blocks) + 1):
        if index == len(blocks) or blocks[index].fuse >= _INFINITE:
            yield from _choose_run(blocks, begin, index, text, scale, budget)
            begin = index


def _choose_run(
    blocks: Sequence[_Block], begin: int, behind: int, text: str, scale: Scale, budget: Budget
) -> Iterator[tuple[int, int]]:
    """The cheapest chunks of one run of blocks, by dynamic programming over its borders."""
    count = behind - begin
    if count == 1:
        yield begin, behind
        return
    run = blocks[begin:behind]
    spans = [trim(text, block.start, block.end) for block in run]
    lows = [scale.low(start) for start, _ in spans]
    highs = [scale.high(end) for _, end in spans]
    following = blocks[behind] if behind < len(blocks) else None
    weights = [block.lead.weight if block.lead else 0 for block in run]
    weights.append(following.lead.weight if following and following.lead else 0)
    prices = [block.price for block in run]
    prices.append(0)
    fuses = [block.fuse for block in run]
    sizes_of: dict[str, int] = {"": 0}

    def carried(affix: str) -> int:
        if affix not in sizes_of:
            sizes_of[affix] = budget.measure.count(affix)
        return sizes_of[affix]

    before = [carried(block.lead.prefix) if block.lead else 0 for block in run]
    after = [carried(block.lead.suffix) if block.lead else 0 for block in run]
    after.append(carried(following.lead.suffix) if following and following.lead else 0)
    target = budget.target
    limit = budget.limit - budget.reserve - budget.overlap
    limit -= budget.measure.slack(limit)
    square = target * target
    best = [0] * (count + 1)
    chosen = [0] * (count + 1)
    for last in range(count):
        high = highs[last] + after[last + 1]
        tail_weight = weights[last + 1]
        shallowest = 1 << 30
        fused = 0
        lowest_cost = _INFINITE << 10
        choice = last
        for first in range(last, -1, -1):
            inner = high - lows[first]
            measured = inner + before[first]
            cost = best[first]
            if first < last:
                fused += fuses[first + 1]
                if weights[first + 1] < shallowest:
                    shallowest = weights[first + 1]
                if inner > limit:
                    break
                if measured > limit:
                    continue
                mixed = 0
                if weights[first] > shallowest:
                    mixed = weights[first] - shallowest
                if tail_weight > shallowest:
                    mixed += tail_weight - shallowest
                cost += fused + _MIX * (mixed if mixed < _MIX_CAP else _MIX_CAP)
            missing = target - measured
            if missing < 0:
                cost += _OVERFULL * missing * missing // square
            else:
                cost += _UNDERFULL * missing * missing // square
                if measured * 8 < target:
                    cost += _TINY * (target - measured * 8) // target
            if cost < lowest_cost:
                lowest_cost = cost
                choice = first
        best[last + 1] = lowest_cost + _CHUNK + (prices[last + 1] if last + 1 < count else 0)
        chosen[last + 1] = choice
    borders = [count]
    while borders[-1] > 0:
        borders.append(chosen[borders[-1]])
    borders.reverse()
    for first, end in zip(borders, borders[1:], strict=False):
        yield begin + first, begin + end
