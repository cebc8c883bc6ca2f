"""What an audit finds by the unit tree: units that are cut, and parts that lack what they need.

The tree is walked once. A unit is opened only when a chunk begins or ends inside it, so that the
work grows with the number of borders and not with the size of the tree.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

from structchunk_core.auditing.audited import Audited, Extent
from structchunk_core.auditing.parts import check_fence_parts, check_table_parts
from structchunk_core.auditing.rules import RULES
from structchunk_core.formats.prose import cut_positions
from structchunk_core.source import is_blank, line_start
from structchunk_core.unit import DEFINITION_KINDS, Tie, Unit

_BY_KIND = {
    "cell": "cut-record",
    "code": "cut-fence",
    "doctest": "cut-fence",
    "fence": "cut-fence",
    "item": "cut-item",
    "literal": "cut-fence",
    "object": "cut-record",
    "procedure": "cut-procedure",
    "record": "cut-record",
    "row": "cut-record",
    "table": "cut-table",
}
_GIVE_WAY = frozenset(
    {
        "block",
        "comment",
        "declaration",
        "error",
        "expression",
        "head",
        "import",
        "lead",
        "opener",
        "statement",
    }
)
_LEADING = frozenset({"comment", "fence_mark", "head", "lead"})
_TITLES = frozenset({"comment", "head", "heading", "lead"})
_SENTENCES = 1  # the level of cut_positions
_FIRST_LINE = 100  # characters of what follows a heading or signature that have to fit beside it
_CONTEXT_SHARE = 4  # of the budget may be taken by what situates a chunk
_WORD = re.compile(r"\w+")


class Around(NamedTuple):
    """An opened unit that names what is inside it, and those around it."""

    unit: Unit
    extent: Extent
    outer: Around | None


class _Open(NamedTuple):
    """A unit to be looked at.

    Attributes:
        unit: the unit.
        extent: where it stands.
        around: the innermost unit around it that names it.
        carried: what parts of it carry, in front and behind, that must not be left out.
        is_told: whether a unit around it is known to be cut although it fits.
        titled: where headings, signatures and comments right above it begin, or -1.
        beside_head: whether it begins right behind a signature or heading.
    """

    unit: Unit
    extent: Extent
    around: Around | None
    carried: tuple[str, str]
    is_told: bool
    titled: int = -1
    beside_head: bool = False


def check_units(audited: Audited) -> None:
    """Find units that are cut although they fit, and parts without what parts need."""
    root = audited.root
    stack = [_Open(root, audited.extent(root), None, ("", ""), is_told=False)]
    while stack:
        one = stack.pop()
        extent = one.extent
        if not audited.has_border(extent.low, extent.high):
            _check_names(audited, extent, one.around)
            continue
        is_told = one.is_told or _check_cut(audited, one)
        children = [(child, audited.extent(child)) for child in one.unit.open()]
        around = one.around
        if _names(one.unit):
            around = Around(one.unit, extent, around)
        if not children:
            _check_names(audited, extent, around)
            continue
        _check_heads(audited, one, children, is_told=is_told)
        carried = one.carried
        repeat = one.unit.repeat
        if repeat is not None and (repeat.required or repeat.inside):
            carried = carried[0] + repeat.before, repeat.after + carried[1]
        if repeat is not None and repeat.required:
            check_fence_parts(audited, one.unit, extent, children)
        elif one.unit.kind == "table":
            check_table_parts(audited, one.unit, extent, children)
        stack.extend(
            _Open(
                child,
                inside,
                around,
                carried,
                is_told,
                _titled(one, children, number),
                beside_head=child.tie is Tie.HEAD or (one.beside_head and not number),
            )
            for number, (child, inside) in reversed(list(enumerate(children)))
            if inside.low < inside.high
        )


def _titled(one: _Open, children: list[tuple[Unit, Extent]], number: int) -> int:
    """Where headings, signatures and comments right above a child begin, or -1."""
    first = number
    while first > 0 and children[first - 1][0].kind in _TITLES:
        first -= 1
    if first == 0 and one.titled >= 0:
        return one.titled
    return children[first][1].start if first < number else -1


def _names(unit: Unit) -> bool:
    return bool(unit.label) and (unit.definition is not None or unit.kind == "section")


def _check_cut(audited: Audited, one: _Open) -> bool:
    """Find a unit that fits and is in no chunk as a whole; whether it is one."""
    unit, extent = one.unit, one.extent
    if not unit.atomic or _may_open(audited, one):
        return False
    if audited.holder_or_none(extent.low, extent.high) is not None:
        return False
    if audited.touching(extent.low, extent.high) < 2:
        return False  # a part of it is lost, which is another matter
    if not audited.fits(extent.start, extent.end, around=one.carried):
        return False
    if one.is_told:
        return True
    rule = _BY_KIND.get(unit.kind, "cut-block")
    if unit.definition is not None or unit.kind in DEFINITION_KINDS:
        rule = "torn-comment" if _is_torn(audited, unit, extent) else "cut-definition"
    name = f"{unit.kind.replace('_', ' ')} {unit.label}".strip()
    size = audited.size(extent.start, extent.end)
    message = (
        f"{name} measures {size:,} of {audited.limit:,} {audited.measure.unit} and is in "
        f"{audited.touching(extent.low, extent.high):,} chunks"
    )
    if rule == "torn-comment":
        message = f"what stands above {name} is in another chunk"
    first = audited.beginning(extent.low + 1, extent.high)
    chunk = first[0] if first else -1
    audited.note(rule, extent.start, extent.end, message, chunk=chunk)
    return True


def _may_open(audited: Audited, one: _Open) -> bool:
    """Whether it may be cut although it fits, because something worse would come of it.

    Code of several lines gives way where it begins right behind a signature, so that this is not
    left alone, or shares its first or last line with others, so that this is not cut in two.
    """
    text, extent = audited.ground.text, one.extent
    if one.unit.kind not in _GIVE_WAY or text.find("\n", extent.start, extent.end) < 0:
        return False
    if one.beside_head:
        return True
    line_end = text.find("\n", extent.end)
    before = text[line_start(text, extent.start) : extent.start]
    behind = text[extent.end : line_end if line_end >= 0 else len(text)]
    return not (is_blank(before) and is_blank(behind))


def _is_torn(audited: Audited, unit: Unit, extent: Extent) -> bool:
    """Whether only comments and decorators are missing in a chunk with the definition."""
    children = unit.open()
    low = extent.low
    bare = low
    if len(children) > 1 and children[0].kind == "comment":
        bare = audited.extent(children[1]).low
        children = children[1].open() or children
    if unit.definition is not None and unit.definition.decorators and children:
        head = next((child for child in children if child.kind == "head"), children[0])
        bare = max(bare, audited.extent(head).high - 1)
    begun = audited.beginning(low + 1, bare + 1)
    return any(audited.placements[number].end >= extent.high for number in begun)


def _check_heads(
    audited: Audited, one: _Open, children: list[tuple[Unit, Extent]], *, is_told: bool
) -> None:
    """Find headings, signatures and comments that are apart from what they stand above."""
    unit = one.unit
    defines = unit.definition is not None or unit.kind in DEFINITION_KINDS
    known = unit.label or (one.around.unit.label if one.around else "") or unit.kind
    for number, ((above, upper), (below, lower)) in enumerate(pairwise(children), start=1):
        if above.kind == "heading":
            rule, name = "lone-heading", f"heading {above.label or one.unit.label}".strip()
        elif above.kind == "head" and defines and unit.atomic and not is_told:
            rule, name = "lone-signature", f"signature of {known}"
        elif above.kind == "comment" and number == 1 and defines and not is_told:
            rule, name = "torn-comment", f"comment above {known}"
        else:
            continue
        if upper.low == upper.high or lower.low == lower.high:
            continue
        last = audited.holder_or_none(upper.low, upper.high)
        if last is None or audited.placements[last].end > lower.low:
            continue
        if audited.holder_or_none(lower.low - 1, lower.low + 1) is not None:
            continue
        begun, _ = audited.ground.letters.span(*audited.placements[last][:2])
        line = line_start(audited.ground.text, begun)
        begun = line if is_blank(audited.ground.text[line:begun]) else begun
        start = max(begun, _titled(one, children, number))
        if rule == "torn-comment":
            # The signature must not be left alone either: its first part has to fit as well.
            inside = children[number:]
            if below.kind != "head":
                whole = below.atomic and audited.fits(lower.start, lower.end)
                inside = [] if whole else [(part, audited.extent(part)) for part in below.open()]
            behind = lower.end if len(inside) < 2 else _first_part_end(audited, *inside[1])
        else:
            behind = _first_part_end(audited, below, lower)
        context = audited.limit // _CONTEXT_SHARE
        if not audited.fits(start, behind, around=one.carried, beside=context):
            continue  # there is no room for both and for what situates them
        message = f"{name} is the end of a chunk"
        audited.note(rule, upper.start, upper.end, message, chunk=last)


def _first_part_end(audited: Audited, unit: Unit, extent: Extent) -> int:
    """Where that part of a unit ends which has to have room beside what stands above it.

    That is the first unit in it that must not be cut; or the first sentence, or line without
    comments, of what may be.
    """
    end = extent.end
    while not (unit.atomic and audited.fits(extent.start, extent.end)):
        behind = next((child for child in unit.open() if child.kind not in _LEADING), None)
        if behind is None:
            break
        unit, extent = behind, audited.extent(behind)
        end = extent.end
    else:
        return end
    start = extent.start
    sentence = next(cut_positions(audited.ground.text, start, end, _SENTENCES), end)
    if not audited.source.is_code and audited.fits(start, sentence):
        return sentence
    line_end = audited.ground.text.find("\n", start, start + _FIRST_LINE)
    return line_end if line_end > 0 else min(end, start + _FIRST_LINE)


def _check_names(audited: Audited, extent: Extent, around: Around | None) -> None:
    """Find the chunks that begin here, stand inside of something, and do not name it."""
    for number in audited.beginning(extent.low, extent.high):
        place = audited.placements[number]
        inside = around
        while inside is not None and inside.extent.low >= place.at:
            inside = inside.outer
        if inside is None or inside.extent.high < place.end:
            continue  # a part of it stands elsewhere
        words = set(_WORD.findall(inside.unit.label))
        chunk = audited.given[number]
        if words <= set(_WORD.findall(f"{chunk.told}\n{chunk.text}\n{chunk.indexed}")):
            continue
        unit = inside.unit
        rule = "missing-signature" if unit.atomic else "missing-scope"
        if unit.kind == "section":
            rule = "missing-heading"
        start, end = audited.ground.letters.span(place.at, place.end)
        message = f"the chunk stands inside {unit.kind} {unit.label}, which it does not name"
        audited.note(rule, start, end, message, chunk=number)


assert set(_BY_KIND.values()) <= set(RULES)
