"""From a unit tree and a budget to the spans of the chunks."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Final, NamedTuple

from structchunk_core.blocks import Block, flatten, trim
from structchunk_core.choosing import choose
from structchunk_core.errors import Problem
from structchunk_core.formats.prose import LEVELS, cut_positions
from structchunk_core.gathering import gathered
from structchunk_core.merging import merged
from structchunk_core.prices import INFINITE
from structchunk_core.scales import Scale
from structchunk_core.scopes import Budget, Scope
from structchunk_core.unit import DEFINITION_KINDS, PROSE_KINDS, Span, Unit, make_unit

_MARK: Final = "fence_mark"


class Piece(NamedTuple):
    """The span of a chunk and what it holds.

    Attributes:
        start: first character; leading blank lines are left out, indentation is not.
        end: one past the last character; trailing white space is left out.
        units: the units it holds, whole (a leaf that was cut by size is here in part).
        scopes: for each of them the innermost opened unit around it, or None.
        scope: the innermost opened unit that holds all of it, but for comments in front of or
            behind what it holds else, or None.
        overlap: what it repeats of the piece before, right in front of its slice.
        prefix: what it repeats in front of that.
        suffix: what it adds behind it.
        essential: the prefix without what may be given up.
        required: whether that and the suffix may not be given up.
        problems: what had to be left out.
        parts_of: the split units that it holds a part of.
        borders: where units begin inside it.
        measured: what its slice measures about, or -1.
        notes: where the notes stand that the suffix ends with.
        reduced: whether the prefix was reduced to what is essential.
    """

    start: int
    end: int
    units: tuple[Unit, ...]
    scopes: tuple[Scope | None, ...]
    scope: Scope | None
    overlap: str = ""
    prefix: str = ""
    suffix: str = ""
    essential: str = ""
    required: bool = False
    problems: tuple[Problem, ...] = ()
    parts_of: tuple[Unit, ...] = ()
    borders: Sequence[int] = ()
    measured: int = -1
    notes: tuple[Span, ...] = ()
    reduced: bool = False


_make_piece = partial(tuple.__new__, Piece)
"""``Piece(*fields)`` of a tuple of them, but quicker."""


def pack(root: Unit, text: str, scale: Scale, budget: Budget) -> list[Piece]:
    """The cheapest row of pieces: in order, without overlap, holding every visible character.

    Each fits ``budget.limit`` as far as the scale can tell (see ``Measure.slack``).
    """
    blocks = merged(flatten(root, text, scale, budget), budget)
    return list(gathered(_pieces(blocks, text, scale, budget), text, budget))


def split(piece: Piece, text: str, room: int, budget: Budget) -> list[Piece]:
    """The piece cut further, because its exact count came out above what the scale had said.

    It is cut between its units while it holds several, and only then inside one. What a part
    carries may measure more than what the piece does: then it has no room for all of that.
    """
    measure = budget.measure
    done: list[Piece] = []
    stack = [(piece.start, piece.end)]
    while stack:
        start, end = trim(text, *stack.pop())
        if end <= start:
            continue
        if end - start == 1 or measure.count(text[start:end]) <= room:
            done.append(piece._replace(start=start, end=end, measured=-1))
            continue
        center = (start + end) // 2
        between = [border for border in piece.borders if start < border < end]
        middle = min(
            between or _positions_near_middle(text, start, end) or [center],
            key=lambda position: (abs(position - center), position),
        )
        stack.append((middle, end))
        stack.append((start, middle))
    # Other white space than blanks and line ends shows nothing either.
    done = [part for part in done if not text[part.start : part.end].isspace()] or done[:1]
    if piece.scope is None or not (piece.prefix or piece.suffix):
        return done
    scope = piece.scope
    inner = []
    for part in done:
        prefix, essential = _prefixes(scope, text, part.start, budget)
        prefix = essential if piece.reduced else prefix
        inner.append(part._replace(prefix=prefix, essential=essential, suffix=scope.suffix))
    inner[0] = inner[0]._replace(prefix=piece.prefix, essential=piece.essential)
    inner[-1] = inner[-1]._replace(suffix=piece.suffix)
    return inner


def _prefixes(scope: Scope, text: str, start: int, budget: Budget) -> tuple[str, str]:
    """What a part that begins at a position repeats, and what of it may not be given up.

    A part that begins inside a line has the mark of the lines in front.
    """
    prefix = scope.prefix if scope.inside is None else _prefix_inside(scope, start, budget)
    if not scope.mark or start == 0 or text[start - 1] == "\n":
        return prefix, scope.essential
    return prefix + scope.mark, scope.essential + scope.mark


def _prefix_inside(scope: Scope, start: int, budget: Budget) -> str:
    """What a part repeats that begins inside a row: no more than its other parts do."""
    assert scope.inside is not None
    outer, heads = scope.inside
    found = heads(start)
    if not found:
        return scope.prefix
    count = budget.measure.count
    most = count(scope.prefix)
    return next((whole for one in found if count(whole := outer + one) <= most), scope.prefix)


def _positions_near_middle(text: str, start: int, end: int) -> list[int]:
    """Where to cut between the quarters of the span, at the best level that there is."""
    low, high = start + (end - start) // 4, end - (end - start) // 4
    for level in range(LEVELS):
        found = list(cut_positions(text, max(start, low - 1), min(end, high + 1), level))
        if found:
            return found
    return []


def _runs(blocks: Iterable[Block]) -> Iterator[tuple[list[Block], bool]]:
    """Blocks between borders that are cut in any case, and whether more stand behind them.

    Then the first of those is the last of the run as well: what is in front of it has to know it.
    """
    run: list[Block] = []
    for block in blocks:
        if run and block.fuse >= INFINITE:
            run.append(block)
            yield run, True
            run = []
        run.append(block)
    if run:
        yield run, False


def _pieces(stream: Iterable[Block], text: str, scale: Scale, budget: Budget) -> Iterator[Piece]:
    """The pieces of a row of blocks, of which no more are kept than a run of them."""
    previous: Sequence[Block] = ()
    is_first = True
    for blocks, has_more in _runs(stream):
        for piece, held in _pieces_of_run(
            blocks, len(blocks) - has_more, previous, is_first, text, scale, budget
        ):
            previous = held
            yield piece
        is_first = False


def _pieces_of_run(
    blocks: Sequence[Block],
    count: int,
    previous: Sequence[Block],
    is_first: bool,
    text: str,
    scale: Scale,
    budget: Budget,
) -> Iterator[tuple[Piece, Sequence[Block]]]:
    """The pieces of a run, each with its blocks where the next one repeats some of them.

    Args:
        blocks: the run, and the block behind it.
        count: how many of them are the run.
        previous: those of the piece in front of it.
        is_first: whether nothing of the document is.
        text: the document.
        scale: measures its spans.
        budget: what a chunk may measure.
    """
    for first, behind in choose(blocks, budget):
        if first >= count:
            return
        opening, last = blocks[first], blocks[behind - 1]
        if opening is last:
            start, end = opening.shown
        else:
            start, end = trim(text, opening.start, _shown_end(blocks, first, behind))
        if end <= start or (text[end - 1].isspace() and text[start:end].isspace()):
            continue
        lead = None if is_first and not first else opening.lead
        tail = blocks[behind].lead if behind < len(blocks) else None
        units: tuple[Unit, ...]
        scopes: tuple[Scope | None, ...]
        borders: Sequence[int]
        if opening is last:  # as most are
            units, scopes, scope = (opening.unit,), (opening.scope,), opening.scope
            borders = (opening.start, *(opening.inner or ()))
        else:
            units, scopes, borders = _united(blocks[first:behind])
            scope = _common_scope(blocks, *_without_comments(blocks, first, behind))
        suffix = tail.suffix if tail else ""
        overlap = ""
        if previous and budget.overlap:
            overlap = text[_overlap_start(previous, lead, start, text, scale, budget) : start]
        elif previous and not (lead and lead.prefix):
            floor = previous[0].start
            overlap = text[_lines_above(floor, start, end, text, scale, budget) : start]
        begin = start - len(overlap)
        prefix, essential = _prefixes(lead, text, begin, budget) if lead else ("", "")
        left_out = (*(lead.problems if lead else ()), *(tail.problems if tail else ()))
        for unit in units:
            if unit.problems:
                left_out = (*left_out, *unit.problems)
        required = (prefix and lead and _is_required(lead)) or (
            suffix and tail and _is_required(tail)
        )
        piece = _make_piece(
            (
                start,
                end,
                units,
                scopes,
                scope,
                overlap,
                prefix,
                suffix,
                essential,
                bool(required),
                tuple(dict.fromkeys(left_out)) if left_out else (),
                _split_units(opening.scope, last.scope),
                borders,
                last.high - opening.low,
                (),
                False,
            )
        )
        if budget.overlap or budget.overlap_lines:
            previous = blocks[first:behind]
        yield piece, previous


def _shown_end(blocks: Sequence[Block], first: int, behind: int) -> int:
    """Where the visible text of the blocks ends, without what only separates it from the next."""
    for number in range(behind - 1, first - 1, -1):
        start, end = blocks[number].shown
        if end > start:
            return end
    return blocks[first].start


def _united(
    blocks: Sequence[Block],
) -> tuple[tuple[Unit, ...], tuple[Scope | None, ...], Sequence[int]]:
    """The units of the blocks that show something, their scopes, and where all units begin.

    Of the rows of a table, all behind the first are one: a long table has very many.
    """
    units: list[Unit] = []
    scopes: list[Scope | None] = []
    borders = array("q")
    last: Unit | None = None
    rows = 0  # how many there are in a row, up to two, at the end of the units
    rows_end = 0  # where those end that are one with the last unit
    for block in blocks:
        borders.append(block.start)
        if block.inner is not None:
            borders.extend(block.inner)
        unit, scope = block.unit, block.scope
        if block.shown[0] >= block.shown[1] or unit is last:
            continue
        is_row = unit.kind == "row"
        if is_row and rows > 1 and scope is scopes[-1]:
            rows_end = unit.end
            continue
        if rows_end:
            units[-1] = make_unit("row", units[-1].start, rows_end)
            rows_end = 0
        rows = (2 if rows and scope is scopes[-1] else 1) if is_row else 0
        units.append(unit)
        scopes.append(scope)
        last = unit
    if rows_end:
        units[-1] = make_unit("row", units[-1].start, rows_end)
    return tuple(units), tuple(scopes), borders


def _split_units(first: Scope | None, last: Scope | None) -> tuple[Unit, ...]:
    """The split units that a piece holds a part of, whose ends lie in these scopes."""
    above = first.split if first is not None else None
    below = last.split if last is not None else None
    if above is None or above is below:
        return () if below is None else (below,)
    return (above,) if below is None else (above, below)


def _is_required(scope: Scope) -> bool:
    return any(unit.repeat is not None and unit.repeat.required for unit in scope.chain())


def _without_comments(blocks: Sequence[Block], first: int, behind: int) -> tuple[int, int]:
    """The blocks without comments at either end: they are about what is between, if anything.

    Nor with what closes the units around at the end.
    """
    low, high = first, behind
    while low < high and _is_comment(blocks[low]):
        low += 1
    while low < high and (_is_comment(blocks[high - 1]) or blocks[high - 1].unit.kind == "close"):
        high -= 1
    return (low, high) if low < high else (first, behind)


def _is_comment(block: Block) -> bool:
    """Whether a block is a comment, and was not put together with others, or shows nothing."""
    if block.shown[0] >= block.shown[1]:
        return True
    return block.unit.kind == "comment" and not block.inner


def _common_scope(blocks: Sequence[Block], first: int, behind: int) -> Scope | None:
    """The innermost opened unit around the blocks; around what is inside a fence, for its marks."""
    while behind - first > 1 and blocks[behind - 1].unit.kind == _MARK:
        behind -= 1
    while behind - first > 1 and (
        blocks[first].unit.kind == _MARK or _is_chained_head(blocks[first])
    ):
        first += 1
    if behind - first == 1:
        return blocks[first].scope
    outermost = blocks[first + 1].lead
    for block in blocks[first + 2 : behind]:
        lead = block.lead
        if lead is not outermost and (lead is None or lead.weight < _weight(outermost)):
            outermost = lead
    return outermost


def _is_chained_head(block: Block) -> bool:
    """Whether it is an opening bracket with its key: the piece is about what is in it."""
    scope = block.scope
    if block.unit.kind != "head" or scope is None or scope.unit.repeat is None:
        return False
    return scope.unit.repeat.chained


def _weight(scope: Scope | None) -> int:
    return scope.weight if scope is not None else 0


def _overlap_start(
    previous: Sequence[Block],
    lead: Scope | None,
    start: int,
    text: str,
    scale: Scale,
    budget: Budget,
) -> int:
    """Where the whole trailing units of the piece before begin that measure at most the overlap.

    Only units that stand under the same heads as the border do: nothing is taken out of a fence
    or a table that ends there, and nothing across the border of a definition. When the last unit
    is itself too large and is running text, its last lines, sentences or words are taken.
    """
    heads = lead.prefix if lead else ""
    found = start
    for block in reversed(previous):
        same = (block.scope.prefix if block.scope else "") == heads
        if not same or block.unit.kind in DEFINITION_KINDS:
            break
        shown, _ = trim(text, block.start, block.end)
        if scale.high(previous[-1].end) - scale.low(shown) > budget.overlap:
            if found == start and (block.unit.kind in PROSE_KINDS or block.unit.opener is None):
                return _trailing_text(text, block, scale, budget.overlap)
            break
        found = shown
    return found


def _lines_above(floor: int, start: int, end: int, text: str, scale: Scale, budget: Budget) -> int:
    """Where the last lines in front of a piece begin that the piece has room for.

    As many as the budget says, and none in front of the floor; blank ones come on top.
    """
    room = budget.limit - budget.reserve
    room -= budget.measure.slack(room)
    total = scale.high(end)
    found = position = start
    lines = 0
    while lines < budget.overlap_lines and position > floor:
        behind = position
        position = max(floor, text.rfind("\n", floor, position - 1) + 1)
        if text[position:behind].isspace():
            continue
        if total - scale.low(position) > room:
            break
        found = position
        lines += 1
    return found


def _trailing_text(text: str, block: Block, scale: Scale, overlap: int) -> int:
    end = block.end
    for level in (0, 1, 3):
        for position in cut_positions(text, block.start, end, level):
            if text[position:end].strip() and scale.high(end) - scale.low(position) <= overlap:
                return position
    return end
