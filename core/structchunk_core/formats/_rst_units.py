"""From the blocks of a reStructuredText document to units: where they begin, how they open.

A unit begins where the line of its block begins and reaches to the next one. What a part of a
unit repeats is again reStructuredText: the line of a directive, the head of a table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from structchunk_core.definition import Definition, Head
from structchunk_core.formats._glue import SHORT, caption_of
from structchunk_core.formats._rst_blocks import Block, Directive, Inside, Section
from structchunk_core.formats._rst_directives import (
    DIRECTIVE_KINDS,
    VERSIONS,
    content_of,
    directive_line,
    entry_name,
    kind_of,
    kind_of_unit,
    language_of,
)
from structchunk_core.formats._rst_document import Document
from structchunk_core.formats._rst_drawn_tables import grid_lines, simple_lines
from structchunk_core.formats._rst_table_directives import directive_lines
from structchunk_core.formats._rst_tables import unit_of
from structchunk_core.formats._rst_ties import tie_of
from structchunk_core.source import line_start
from structchunk_core.unit import Repeat, Tie, Unit, make_repeat, make_unit, retied


def units_of(
    document: Document,
    members: Sequence[Block | Section],
    start: int,
    end: int,
    *,
    first: Tie = Tie.FREE,
    second: Tie = Tie.FREE,
) -> Iterator[Unit]:
    """The units of sibling blocks and sections; they tile the half-open span.

    Args:
        document: what the blocks were read from.
        members: the siblings, in order; each but the first begins a line.
        start: where the first unit begins.
        end: where the last one ends.
        first: the tie of the first unit.
        second: the weakest tie of the second unit.
    """
    starts = _starts(document, members, start, end)
    for number, member in enumerate(members):
        before = members[number - 1] if number else None
        behind = members[number + 1] if number + 1 < len(members) else None
        previous = before if isinstance(before, Block) else None
        following = behind if isinstance(behind, Block) else None
        tie = first if before is None else tie_of(document, before, member, following)
        if number == 1:
            tie = max(tie, second)
        place = _place_of((starts[number], starts[number + 1], tie, previous, following))
        if isinstance(member, Section):
            yield _section(document, member, place)
        else:
            yield _MAKERS[member.kind](document, member, place)


def _starts(
    document: Document, members: Sequence[Block | Section], start: int, end: int
) -> list[int]:
    """Where the unit of each sibling begins; then the end."""
    begin_of = document.reader.start
    lines = [
        member.heading.line if isinstance(member, Section) else member.line
        for member in members[1:]
    ]
    return [start, *map(begin_of, lines), end]


class _Place(NamedTuple):
    """Where a unit stands: its span, its tie, the blocks beside it."""

    start: int
    end: int
    tie: Tie
    previous: Block | None
    following: Block | None


_place_of = partial(tuple.__new__, _Place)
"""``_Place(*fields)`` of a tuple of all of them, but quicker."""


class Siblings:
    """Opens into the units of sibling blocks, and can tell what they are without making them.

    Args:
        document: what the blocks were read from.
        members: the siblings, in order.
        start: where the first unit begins.
        end: where the last one ends.
    """

    __slots__ = ("_document", "_end", "_members", "_start")

    def __init__(
        self, document: Document, members: Sequence[Block | Section], start: int, end: int
    ) -> None:
        self._document = document
        self._members = members
        self._start = start
        self._end = end

    def __call__(self) -> Iterator[Unit]:
        """The units."""
        return units_of(self._document, self._members, self._start, self._end)

    def survey(self) -> Iterator[tuple[str, int]]:
        """What :meth:`Unit.survey` says."""
        document = self._document
        stack = [(self._members, self._start, self._end)]
        while stack:
            members, begin, end = stack.pop()
            starts = _starts(document, members, begin, end)
            for member, start, behind in zip(members, starts, starts[1:], strict=False):
                if isinstance(member, Section):
                    stack.append((member.members, start, behind))
                elif member.directive is not None:
                    yield kind_of_unit(member), behind - start
                else:
                    yield _UNITS[member.kind][0], behind - start


# One maker for each kind of block

_UNITS = {
    "comment": ("comment", "comment"),
    "definition_list": ("definition_list", "definition_list"),
    "doctest": ("code", "doctest_block"),
    "field_list": ("definition_list", "field_list"),
    "footnote": ("footnote", "footnote"),
    "grid_table": ("table", "grid_table"),
    "heading": ("heading", "title"),
    "item": ("item", "list_item"),
    "line_block": ("line_block", "line_block"),
    "list": ("list", "bullet_list"),
    "literal": ("code", "literal_block"),
    "option_list": ("definition_list", "option_list"),
    "paragraph": ("paragraph", "paragraph"),
    "procedure": ("procedure", "enumerated_list"),
    "quote": ("quote", "block_quote"),
    "rule": ("rule", "transition"),
    "simple_table": ("table", "simple_table"),
    "substitution": ("references", "substitution_definition"),
    "target": ("references", "target"),
}
"""Kind of a block -> kind and node type of its unit."""


def _unit(
    block: Block,
    place: _Place,
    repeat: Repeat | None = None,
    opener: Callable[[], Iterable[Unit]] | None = None,
    *,
    atomic: bool = True,
) -> Unit:
    """The unit of a block that is no directive."""
    kind, node_type = _UNITS[block.kind]
    language = "python" if block.kind == "doctest" else ""
    return make_unit(
        kind,
        place.start,
        place.end,
        "",  # label
        atomic,
        place.tie,
        language,
        None,  # definition
        repeat,
        opener,
        node_type,
    )


def _leaf(document: Document, block: Block, place: _Place) -> Unit:  # noqa: ARG001  # one type
    return _unit(block, place)


def _section(document: Document, section: Section, place: _Place) -> Unit:
    return make_unit(
        "section",
        place.start,
        place.end,
        label=section.heading.label,
        atomic=False,
        tie=place.tie,
        opener=Siblings(document, section.members, place.start, place.end),
        node_type="section",
        level=section.level,
    )


def _opened(
    document: Document, inside: Inside, place: _Place, *, second: Tie = Tie.FREE
) -> Iterator[Unit]:
    """The units of the blocks in the lines; they tile the place."""
    blocks = document.reader.blocks(inside)
    return units_of(document, blocks, place.start, place.end, first=place.tie, second=second)


def _container(document: Document, block: Block, place: _Place) -> Unit:
    """A unit that opens into the blocks in it."""
    inside = block.inside
    if inside is None:
        return _unit(block, place)
    mark = make_repeat(mark=" " * inside.column)
    return _unit(block, place, mark, _opener(document, block, inside, place))


def _opener(
    document: Document, block: Block, inside: Inside, place: _Place
) -> Callable[[], Iterator[Unit]]:
    """What opens into the blocks in a block."""
    if block.kind != "item" or inside.line == block.line:
        second = Tie.CLOSE if block.kind == "item" else Tie.FREE
        return partial(_opened, document, inside, place, second=second)
    return partial(_headed, document, "term", inside, place)


def _headed(document: Document, kind: str, inside: Inside, place: _Place) -> Iterator[Unit]:
    """The lines above the blocks as a unit of a kind, then the blocks."""
    blocks = document.reader.blocks(inside)
    start = document.reader.start(blocks[0].line) if blocks else place.end
    if not place.start < start < place.end:
        yield make_unit(kind, place.start, place.end, tie=place.tie)
        return
    yield make_unit(kind, place.start, start, tie=place.tie)
    yield from units_of(document, blocks, start, place.end, first=Tie.HEAD)


def _list(document: Document, block: Block, place: _Place) -> Unit:
    """A list opens into its items."""
    is_procedure = block.kind == "procedure"
    return _unit(
        block,
        place,
        _intro(document, place) if is_procedure else None,
        partial(_items, document, block, place),
        atomic=is_procedure,
    )


def _items(document: Document, block: Block, place: _Place) -> Iterator[Unit]:
    reader = document.reader
    starts = [place.start, *(reader.start(item.line) for item in block.items[1:]), place.end]
    for number, item in enumerate(block.items):
        apart = number > 0 and item.line > block.items[number - 1].end
        tie = Tie.LOOSE if apart else Tie.NEXT
        inner = _place_of((starts[number], starts[number + 1], tie, None, None))
        inside = item.inside
        if inside is None:
            yield _unit(item, inner)
        else:
            repeat = _first_line(document, item, inside)
            yield _unit(item, inner, repeat, _opener(document, item, inside, inner))


def _first_line(document: Document, item: Block, inside: Inside) -> Repeat:
    """What the parts of an item carry: its first words, when other blocks stand below them."""
    reader = document.reader
    stop = reader.paragraph_end(item)
    before = ""
    if item.line < stop < item.end:
        words = document.text[item.begin : reader.stops[stop - 1]]
        words = words if len(words) <= SHORT else document.line(item)
        before = f"{document.lead(item)}{words}\n\n" if len(words) <= SHORT else ""
    return make_repeat(before, mark=" " * inside.column)


def _intro(document: Document, place: _Place) -> Repeat | None:
    """The short paragraph above a procedure, which its later parts carry.

    One that begins behind the mark of an item is carried with that.
    """
    previous = place.previous
    if previous is None or previous.kind != "paragraph":
        return None
    words = document.words(previous)
    begins_line = previous.begin == document.reader.firsts[previous.line]
    if len(words) > SHORT or not begins_line:
        return None
    return make_repeat(f"{document.lead(previous)}{words}\n\n")


def _literal(document: Document, block: Block, place: _Place) -> Unit:
    """A literal block; without the two colons that announce it, a part would be a quote."""
    at = line_start(document.text, block.begin)
    indentation = document.text[at : block.begin]
    announced = f"{' ' * block.column}::\n\n"
    return _unit(block, place, make_repeat(announced, required=True, mark=indentation))


# Tables


def _table(document: Document, block: Block, place: _Place) -> Unit:
    lines = grid_lines if block.kind == "grid_table" else simple_lines
    above, below = place.previous, place.following
    words = caption_of(
        document.words(above) if above is not None and above.kind == "paragraph" else "",
        document.words(below) if below is not None and below.kind == "paragraph" else "",
        is_leading=False,
    )
    node_type = _UNITS[block.kind][1]
    grid = lines(document, block)
    return unit_of(document, block, place.start, place.end, place.tie, node_type, grid, words)


def _table_directive(document: Document, block: Block, place: _Place) -> Unit:
    assert block.directive is not None
    grid = directive_lines(document, block)
    if grid is None:
        return _directive(document, block, place)
    name = block.directive.name
    return unit_of(document, block, place.start, place.end, place.tie, name, grid)


def _directive_or_table(document: Document, block: Block, place: _Place) -> Unit:
    kind = kind_of(block)
    if kind == "table":
        return _table_directive(document, block, place)
    if kind == "code":
        return _code_directive(document, block, place)
    if kind == "entry":
        return _entry(document, block, place)
    return _directive(document, block, place)


def _code_directive(document: Document, block: Block, place: _Place) -> Unit:
    """Code opens into the line of its directive and the units of its language."""
    directive = block.directive
    assert directive is not None
    language = language_of(directive)
    has_content = directive.content < block.end
    start = document.reader.start(directive.content) if has_content else 0

    def children() -> Iterator[Unit]:
        from structchunk_core.formats.embedded import embedded_units

        yield make_unit("fence_mark", place.start, start, tie=place.tie)
        units = embedded_units(document.text, start, place.end, language, document.options)
        if not units:
            units = (make_unit("code_text", start, place.end),)
        yield retied(units[0], Tie.HEAD)
        yield from units[1:]

    return make_unit(
        "fence",
        place.start,
        place.end,
        tie=place.tie,
        language=language,
        repeat=directive_line(document, block, directive),
        opener=children if place.start < start < place.end else None,
        node_type=directive.name,
    )


def _directive(document: Document, block: Block, place: _Place) -> Unit:
    """Any other directive: with blocks in it when it has content."""
    directive = block.directive
    assert directive is not None
    kind = kind_of(block)
    repeat, opener = _held(document, block, directive, kind, place)
    return make_unit(
        DIRECTIVE_KINDS.get(kind, "directive"),
        place.start,
        place.end,
        tie=place.tie,
        repeat=repeat,
        opener=opener,
        node_type=directive.name,
    )


def _held(
    document: Document, block: Block, directive: Directive, kind: str, place: _Place
) -> tuple[Repeat | None, Callable[[], Iterator[Unit]] | None]:
    """What the parts of a directive carry, and what makes the units in it."""
    if kind in {"math", "toctree"}:
        return directive_line(document, block, directive), None
    inside = content_of(document, block, directive, kind)
    if inside is None:
        return None, None
    line = ""
    if inside.begin >= 0:
        line = document.text[block.begin : inside.begin].rstrip()
        if directive.name in VERSIONS:
            line = f"{line} {directive.argument.split()[0]}"
        opener = partial(_opened, document, inside, place)
    else:
        opener = partial(_headed, document, "mark", inside, place)
    is_needed = kind == "admonition"
    return directive_line(document, block, directive, line, required=is_needed), opener


def _entry(document: Document, block: Block, place: _Place) -> Unit:
    """A function, class, option ... that is documented: its signature, then what is said of it."""
    directive = block.directive
    assert directive is not None
    signature = directive.argument
    name = entry_name(directive)
    repeat, opener = _held(document, block, directive, kind_of(block), place)
    if repeat is not None and repeat.required:
        repeat = replace(repeat, required=False)
    return make_unit(
        "entry",
        place.start,
        place.end,
        name,
        tie=place.tie,
        definition=Definition(name, head=Head(" ".join(signature.split()))) if name else None,
        repeat=repeat,
        opener=opener,
        node_type=directive.name,
    )


_MAKERS: dict[str, Callable[[Document, Block, _Place], Unit]] = {
    **dict.fromkeys(_UNITS, _leaf),
    **dict.fromkeys(("quote", "footnote"), _container),
    **dict.fromkeys(("list", "procedure", "definition_list", "field_list", "option_list"), _list),
    **dict.fromkeys(("grid_table", "simple_table"), _table),
    "literal": _literal,
    "directive": _directive_or_table,
}
