"""Opening a unit tree until every block of it may stand in a chunk.

What fits stays whole and is never looked into. What does not is opened: children, then lines or
sentences, words, characters. Between two blocks lies a border with two prices, one for cutting
there and one for not doing so; :mod:`structchunk_core.choosing` takes the cheapest borders.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from structchunk_core.leaves import cut_leaf
from structchunk_core.lines import Lines
from structchunk_core.prices import INFINITE, MIDLINE, PRICES
from structchunk_core.scales import Scale
from structchunk_core.scopes import Budget, Scope
from structchunk_core.unit import DEFINITION_KINDS, PROSE_KINDS, Tie, Unit

_NESTED: Final = 25  # for each level below the split unit
_OWN_HEAD: Final = -(1 << 41)  # a unit is a head, under its comment
_NO_HEAD: Final = -(1 << 40)  # it follows none
_MERGED_SECTIONS: Final = 1000  # two sections in one chunk, in "definition" granularity
_LINED: Final = frozenset(
    {
        "block",
        "comment",
        "declaration",
        "error",
        "expression",
        "import",
        "lead",
        "opener",
        "statement",
    }
)
"""Kinds of code that are opened rather than cut off inside a line, or from the head above."""
_MAY_GIVE_WAY: Final = _LINED | {"head"}  # of what is atomic
_FUNCTIONS: Final = frozenset({"constructor", "function", "method"})
_PLAIN: Final = frozenset({"error", "expression", "statement"})
_NAMELESS: Final = _PLAIN | {"block"}
_SECTIONED: Final = frozenset({"document", "section"})
_HEADS: Final = frozenset({"head", "heading"})
_LEADING: Final = frozenset({"comment", "lead"})
_APART: Final = DEFINITION_KINDS | {
    "block",
    "boilerplate",
    "section",
}  # kinds that may want a chunk of their own
_CLOSE: Final = Tie.CLOSE  # members of an enum are slow to reach
_HEAD: Final = Tie.HEAD
_NEXT: Final = Tie.NEXT
_BLANK: Final = " \t\r\n"
_BLANK_LINES: Final = re.compile(r"(?:[ \t\r]*+\n)*+")


class Block:
    """What will not be cut, and the border in front of it.

    Attributes:
        unit: the unit that it is, or is a stretch of.
        start: its first character.
        end: one past its last.
        shown: where its visible text begins and ends, as :func:`trim` says.
        low: the running total of the scale in front of its visible text.
        high: and behind it.
        scope: the innermost opened unit around it.
        lead: the innermost opened unit that holds both sides of the border.
        tie: how it holds on to the block before.
        price: of a cut at the border.
        fuse: of not cutting there.
        inner: where units begin inside it that were made one block.
    """

    __slots__ = (
        "end",
        "fuse",
        "high",
        "inner",
        "lead",
        "low",
        "price",
        "scope",
        "shown",
        "start",
        "tie",
        "unit",
    )

    def __init__(  # noqa: PLR0913, PLR0917  # what a dataclass would make, but it can be compiled
        self,
        unit: Unit,
        start: int,
        end: int,
        shown: tuple[int, int],
        low: int,
        high: int,
        scope: Scope | None,
        lead: Scope | None,
        tie: Tie,
        price: int,
        fuse: int,
    ) -> None:
        self.unit = unit
        self.start = start
        self.end = end
        self.shown = shown
        self.low = low
        self.high = high
        self.scope = scope
        self.lead = lead
        self.tie = tie
        self.price = price
        self.fuse = fuse
        self.inner: list[int] | None = None


_ToDo = tuple[Unit, Scope | None, Scope | None, Tie, int, int]
"""Unit, scope, lead, tie and fuse as in Block; where, in the totals of the scale, the head begins
that the unit follows, or _NO_HEAD, or _OWN_HEAD."""


def trim(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without leading blank lines and trailing white space; empty if all is blank."""
    while end > start and text[end - 1] in _BLANK:
        end -= 1
    if end > start and text[start] not in _BLANK:
        return start, end
    found = _BLANK_LINES.match(text, start, end)
    return found.end() if found else start, end


def flatten(root: Unit, text: str, scale: Scale, budget: Budget) -> Iterator[Block]:
    """The tree as a row of blocks that tile the text, each within the budget.

    What is split is opened so far that no cut is needed inside a line that fits, and none between
    a head and the first line behind it.
    """
    stack: list[_ToDo] = [(root, None, None, Tie.FREE, 0, _NO_HEAD)]
    wide = budget.measure.slack(budget.limit)
    kept = budget.reserve + budget.overlap
    to_low, to_high = scale.low, scale.high
    by_definition = budget.by_definition
    sets_apart = by_definition or budget.split_level > 0
    lines = Lines(text, scale, budget.limit - wide)
    since = 0  # where the text begins, in these totals, that the last block is joined to
    member_of: Scope | None = None  # the nameless unit that the last definition is a part of
    torn = -1  # where a row ends that does not fit: what is behind it stands under all columns
    while stack:
        unit, scope, lead, tie, fuse, head = stack.pop()
        fuse = INFINITE if unit.start == torn and unit.kind == "row" else fuse
        if by_definition and unit.kind != "close":
            if member_of is not None and (lead is None or lead.weight < member_of.weight):
                # The end of a statement or block with members is no company for what follows it.
                fuse, member_of = INFINITE, None
            if unit.kind in DEFINITION_KINDS and scope is not None and scope.unit.kind in _NAMELESS:
                member_of = scope
        shown = start, end = trim(text, unit.start, unit.end - unit.tail)
        low, high = to_low(start), to_high(end)
        room = budget.limit if scope is None else scope.room
        if (
            tie == _NEXT
            and unit.kind == "row"
            and unit.atomic
            and low <= high <= low + room - wide
            and end > start
            and scope is not None
            and scope is lead
            and not scope.mark
        ):  # as most rows of a table
            price, since = PRICES[tie] + _NESTED * scope.nested, low
            yield Block(unit, unit.start, unit.end, shown, low, high, scope, lead, tie, price, fuse)
            continue
        # Most units are far from the limit: known without a call.
        whole = (unit.atomic and high - low <= room - wide) or _stays_whole(
            unit, scope, text, shown, high - low, budget
        )
        inside = tie >= _CLOSE and unit.kind not in PROSE_KINDS and lines.is_inside(start)
        behind_head = head > _NO_HEAD
        begin = head if behind_head else (since if inside else low)
        if (
            whole
            and (behind_head or inside or (scope is not None and scope.split is not None))
            and (not unit.atomic or unit.kind in _MAY_GIVE_WAY)
            and _gives_way(
                unit, scope, shown, begin, room - wide - (0 if behind_head else kept), lines
            )
        ):
            whole = False
        whole = whole and (
            scope is None
            or not (scope.mark and scope.essential)
            or _has_room_for_mark(scope, text, shown, high - low, budget)
        )
        if end <= start or whole:
            high = max(low, high)
            price = PRICES[tie] + _NESTED * lead.nested if lead is not None else 0
            if inside:
                price, fuse = MIDLINE, 0
            elif head == _OWN_HEAD or (
                tie == _HEAD and unit.kind != "close" and lead and lead.unit.kind in _FUNCTIONS
            ):
                # A comment stays with its class, and a signature with its body, rather than the
                # line that opens a class with the first member.
                price += PRICES[_HEAD]
            since = begin if end > start else since
            yield Block(unit, unit.start, unit.end, shown, low, high, scope, lead, tie, price, fuse)
            continue
        torn = unit.end if unit.kind == "row" else torn
        opened = Scope(unit, scope, budget, scale)
        children = unit.open()
        if not children:
            found = _leaf_blocks(unit, opened, lead, tie, fuse, inside, text, scale, budget)
            for block in found:
                since = begin if block.start == unit.start else block.low
                yield block
            continue
        _stack_behind_first(stack, unit, children, opened, sets_apart, scale, budget)
        opened.begin = next((one.start for one in children if one.kind not in _LEADING), unit.start)
        if unit.kind in DEFINITION_KINDS and behind_head:
            head = _NO_HEAD  # the head of the definition itself is nearer
        stack.append((children[0], opened, lead, tie, fuse, head))


def _stack_behind_first(
    stack: list[_ToDo],
    unit: Unit,
    children: Sequence[Unit],
    opened: Scope,
    sets_apart: bool,
    scale: Scale,
    budget: Budget,
) -> None:
    """Put the children of an opened unit on the stack, the last one first, without the first."""
    # The line that opens a statement is left alone before the signature around it is.
    to_head = _CLOSE if unit.kind in _PLAIN else _HEAD
    for number in range(len(children) - 1, 0, -1):
        child, above = children[number], children[number - 1]
        tied = child.tie
        price = 0
        if sets_apart and (
            child.kind in _APART or above.kind in _APART or child.apart or above.apart
        ):
            price = _fuse(above, child, scale, budget)
        if child.kind == above.kind == "rows":
            price = INFINITE  # stretches of a table that is too long to be looked at as one
        above_it = _above(children, number, scale) if tied == _HEAD else _NO_HEAD
        if tied == _HEAD and child.kind != "close":
            tied = to_head
        stack.append((child, opened, opened, tied, price, above_it))


def _above(children: Sequence[Unit], number: int, scale: Scale) -> int:
    """Where the head begins that a child tied to one follows, in the totals of the scale.

    With the head comes what stands above it (decorators), and what closes the unit right behind
    the child. ``_OWN_HEAD`` where the child is a head itself, ``_NO_HEAD`` where it follows none.

    Args:
        children: of one unit.
        number: which of them is asked about, from 1.
        scale: measures their spans.
    """
    first = number - 1
    if children[first].kind == "comment":
        return _OWN_HEAD
    if children[first].kind not in _HEADS:
        return _NO_HEAD
    if first and children[first].tie == _HEAD and children[first - 1].kind in _LEADING:
        first -= 1
    begin = scale.low(children[first].start)
    if number == len(children) - 2 and children[-1].kind == "close":
        begin -= scale.high(children[-1].end) - scale.high(children[number].end)
    return begin


def _gives_way(
    unit: Unit,
    scope: Scope | None,
    shown: tuple[int, int],
    begin: int,
    room: int,
    lines: Lines,
) -> bool:
    """Whether a unit that fits is opened, because it does not fit with what it is joined to.

    That is the head above it, so that this is not left alone, or what else stands on its first
    and last line, so that no line is cut.

    Args:
        unit: what fits.
        scope: the innermost opened unit around it.
        shown: where its visible text begins and ends.
        begin: where what it is joined to begins, in the totals of the scale.
        room: what fits.
        lines: the lines of the text.
    """
    opens_statement = unit.kind == "head" and scope is not None and scope.unit.kind in _PLAIN
    if unit.kind in _LINED or opens_statement:
        return not lines.fit(*shown, begin, room)
    return not unit.atomic and lines.exceed(shown[1], begin, room)


def _stays_whole(
    unit: Unit,
    scope: Scope | None,
    text: str,
    shown: tuple[int, int],
    about: int,
    budget: Budget,
) -> bool:
    """Whether the unit need not be opened; counts its text only close to the limit."""
    measure = budget.measure
    opens_table = scope is not None and scope.inside is not None and scope.unit.start == unit.start
    room = budget.limit if scope is None or opens_table else scope.room
    if not unit.atomic:
        if unit.level < budget.split_level and unit.kind in _SECTIONED:
            return False
        # The target is no limit: about is near enough.
        return about <= min(room - budget.reserve - budget.overlap, budget.target)
    slack = measure.slack(about)
    if about + slack <= room:
        return True
    if about - slack > budget.limit:
        return False
    shown_text = text[shown[0] : shown[1]]
    if scope is not None and room < budget.limit:  # some of it goes to what a part must carry
        before = scope.essential if scope.inside is None else scope.prefix
        shown_text = before + shown_text + scope.suffix
    return measure.count(shown_text) <= budget.limit


def _has_room_for_mark(
    scope: Scope, text: str, shown: tuple[int, int], about: int, budget: Budget
) -> bool:
    """Whether what fits does so behind the mark too that it would have inside a line."""
    start, end = shown
    if start == 0 or text[start - 1] == "\n":
        return True
    measure = budget.measure
    if about + measure.count(scope.mark) + measure.slack(about) <= scope.room:
        return True
    marked = scope.essential + scope.mark + text[start:end] + scope.suffix
    return measure.count(marked) <= budget.limit


def _fuse(before: Unit, after: Unit, scale: Scale, budget: Budget) -> int:
    """The price of keeping two siblings in one chunk, of which one may want its own."""
    if 0 < after.level <= budget.split_level and before.kind != "heading":
        return INFINITE
    if not budget.by_definition:
        return 0
    if (before.kind == "boilerplate") != (after.kind == "boilerplate") and before.kind != "heading":
        return INFINITE  # navigation with the text of a page
    above, below = _is_apart(before, scale, budget), _is_apart(after, scale, budget)
    both = (above or _may_be_apart(before)) and (below or _may_be_apart(after))
    if above or below or both:
        if before.kind in {"comment", "fence_mark", "head"} or (
            after.tie >= _CLOSE and not (below or both)
        ):
            return 0
        head = scale.high(before.end) - scale.low(before.start)
        small = not both and before.kind != "error" and head * 4 <= budget.target
        return 0 if small and after.tie >= _CLOSE else INFINITE
    if before.kind == "section" or after.kind == "section":
        if after.tie >= _CLOSE:
            return 0
        is_part = _is_split(before, scale, budget) or _is_split(after, scale, budget)
        return INFINITE if is_part else _MERGED_SECTIONS
    return 0


def _is_split(unit: Unit, scale: Scale, budget: Budget) -> bool:
    """Whether a section is an entry that does not fit: its parts are found by its name only."""
    if unit.kind != "section" or not unit.atomic:
        return False
    return scale.high(unit.end) - scale.low(unit.start) > budget.limit


def _is_apart(unit: Unit, scale: Scale, budget: Budget) -> bool:
    """Whether a unit gets a chunk of its own: a definition, or a block of some that stays whole."""
    if unit.kind in DEFINITION_KINDS:
        return True
    if not unit.apart or scale.high(unit.end) - scale.low(unit.start) > budget.target:
        return False
    return _may_be_apart(unit)


def _may_be_apart(unit: Unit) -> bool:
    """Whether a unit that is none would be a block with a chunk of its own, were it smaller."""
    apart = unit.apart
    return apart if isinstance(apart, bool) else apart()


def _price(tie: Tie, lead: Scope | None) -> int:
    if lead is None:
        return 0
    return PRICES[tie] + _NESTED * lead.nested


def _leaf_blocks(
    unit: Unit,
    opened: Scope,
    lead: Scope | None,
    tie: Tie,
    fuse: int,
    inside: bool,
    text: str,
    scale: Scale,
    budget: Budget,
) -> Iterator[Block]:
    """A leaf that does not fit, as lines or sentences, and those as words or less.

    With ``inside`` it begins inside a line that fits.
    """
    room = max(1, opened.room - budget.reserve - budget.overlap)
    grain = max(1, min(budget.target, room) // 16)
    nested = _price(Tie.FREE, opened)
    stop = unit.end - unit.tail
    line_room = max(room, opened.room - budget.measure.slack(opened.room))
    for start, end, price in cut_leaf(unit, text, scale, room, line_room, grain, inside):
        shown = trim(text, start, end)
        low = scale.low(shown[0])
        high = max(low, scale.high(shown[1]))
        if start == unit.start:
            price_here, border, tie_here, fuse_here = _price(tie, lead), lead, tie, fuse
            if inside:
                price_here, fuse_here = MIDLINE, 0
        else:
            price_here, border, tie_here, fuse_here = price + nested, opened, Tie.NEXT, 0
        behind = unit.end if end == stop else end  # what separates it comes along unseen
        yield Block(
            unit, start, behind, shown, low, high, opened, border, tie_here, price_here, fuse_here
        )
