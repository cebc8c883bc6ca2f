"""From the blocks of a Markdown text to units: where they begin, how they hold on, how they open.

A unit begins where the line of its block begins, so that indentation and the marks of quotes
and lists belong to it, and reaches to the next one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import NamedTuple

from structchunk_core.detect import language_of_tag
from structchunk_core.formats import ParseOptions
from structchunk_core.formats._bars import bar_table
from structchunk_core.formats._glue import (
    SHORT,
    Caption,
    caption_of,
    comments_on,
    leads_in,
    may_be_commented,
)
from structchunk_core.formats._html_rows import html_table
from structchunk_core.formats._markdown_blocks import Block, Inside, Region, View
from structchunk_core.formats._markdown_reader import read_blocks
from structchunk_core.formats._markdown_regions import column_of, read_with_regions
from structchunk_core.formats._pipe_table import pipe_table
from structchunk_core.source import line_start
from structchunk_core.unit import Repeat, Tie, Unit, make_repeat, make_unit, retied

_MAX_REGIONS = 5
"""How often a region is read again for the regions in it; deeper ones are plain blocks."""


@dataclass(frozen=True, slots=True)
class Document:
    """What the units are made from.

    Attributes:
        text: the source text, which all units are spans of.
        view: what the blocks were read from.
        visible: the text of the view without what regions and the head hide.
        options: what the user asked for.
        depth: how many regions are around the blocks.
    """

    text: str
    view: View
    visible: str
    options: ParseOptions
    depth: int = 0

    def at(self, position: int) -> int:
        """The character of the source text."""
        return self.view.to_source(position)

    def words(self, block: Block) -> str:
        """The text of a block, without white space around it."""
        return self.view.text[block.start : block.end].strip()


_REFERENCE = re.compile(r"^[ \t>]*+\[[^\]\n]++\]:", re.MULTILINE)


def with_references(text: str, blocks: Sequence[Block], start: int) -> Iterator[Block]:
    """The blocks, and link reference definitions between them, which the parser passes over."""
    if "]:" not in text:
        yield from blocks
        return
    position = start
    for block in blocks:
        if found := _REFERENCE.search(text, position, block.start):
            yield Block("references", found.start(), block.start)
        yield block
        position = max(position, block.end)
    if found := _REFERENCE.search(text, position):
        yield Block("references", found.start(), len(text))


class Siblings:
    """Opens into the units of sibling blocks, and can tell what they are without making them.

    Args:
        document: what the blocks were read from.
        blocks: the siblings, in order.
        start: where the first unit begins, in characters of the source text.
        end: where the last one ends.
    """

    __slots__ = ("_blocks", "_document", "_end", "_start")

    def __init__(self, document: Document, blocks: Sequence[Block], start: int, end: int) -> None:
        self._document = document
        self._blocks = blocks
        self._start = start
        self._end = end

    def __call__(self) -> Iterator[Unit]:
        """The units."""
        return units_of(self._document, self._blocks, self._start, self._end)

    def survey(self) -> Iterator[tuple[str, int]]:
        """What :meth:`Unit.survey` says."""
        document = self._document
        stack = [(self._blocks, self._start, self._end)]
        while stack:
            kept, starts = _starts(document, *stack.pop())
            for block, start, end in zip(kept, starts, starts[1:], strict=False):
                kind = block.kind
                if kind == "section":
                    stack.append((block.children, start, end))
                elif block.region is not None:
                    yield block.region.kind, end - start
                elif kind == "fence" and _may_be_another(block.label):
                    unit = _fence(
                        document, block, _place_of((start, end, Tie.FREE, None, None, None))
                    )
                    yield unit.kind, end - start
                else:
                    yield kind, end - start


def _may_be_another(info: str) -> bool:
    """Whether a fence with that info string may be something else than code."""
    return info != "" and (not info.isalnum() or info.lower() == "math")


def units_of(
    document: Document,
    blocks: Sequence[Block],
    start: int,
    end: int,
    *,
    first: Tie = Tie.FREE,
    second: Tie = Tie.FREE,
) -> Iterator[Unit]:
    """The units of sibling blocks; they tile the half-open span.

    Args:
        document: what the blocks were read from.
        blocks: the siblings, in order.
        start: where the first unit begins, in characters of the source text.
        end: where the last one ends.
        first: the tie of the first unit.
        second: the weakest tie of the second unit.
    """
    kept, starts = _starts(document, blocks, start, end)
    previous: Block | None = None
    for number, block in enumerate(kept):
        begin, behind = starts[number], starts[number + 1]
        following = kept[number + 1] if number + 1 < len(kept) else None
        if previous is None:
            tie = first
        else:
            tie = _tie(document, previous, block, begin, following)
            if number == 1:
                tie = max(tie, second)
        kind = block.kind
        if kind == "paragraph" and document.view.text[block.start] in "|+":
            kind = "bars"
        if kind in _MAKERS:
            beyond = kept[number + 2] if number + 2 < len(kept) else None
            place = _place_of((begin, behind, tie, previous, following, beyond))
            yield _MAKERS[kind](document, block, place)
        else:
            node_type = _NODE_TYPES[kind]
            yield make_unit(kind, begin, behind, "", True, tie, "", None, None, None, node_type)
        previous = block


def _starts(
    document: Document, blocks: Sequence[Block], start: int, end: int
) -> tuple[list[Block], list[int]]:
    """The blocks that begin on a line of their own, and where each begins; then the end."""
    kept = list(blocks[:1])
    starts = [start]
    view = document.view
    find_line_end = document.text.rfind
    last = start
    for block in blocks[1:]:
        position = view.base + block.start if view.lines is None else view.to_source(block.start)
        position = find_line_end("\n", 0, position) + 1
        if last < position < end:
            kept.append(block)
            starts.append(position)
            last = position
    starts.append(end)
    return kept, starts


class _Place(NamedTuple):
    """Where a unit stands: its span in the source text, its tie, the blocks beside it."""

    start: int
    end: int
    tie: Tie
    previous: Block | None
    following: Block | None
    beyond: Block | None = None


_place_of = partial(tuple.__new__, _Place)
"""``_Place(*fields)`` of a tuple of all of them, but quicker."""

_FOLLOWERS = frozenset(
    {"list", "procedure", "table", "fence", "code", "math", "quote", "html", "region"}
)


def _tie(
    document: Document, previous: Block, block: Block, start: int, following: Block | None
) -> Tie:
    if previous.kind == "heading":
        return Tie.HEAD
    if block.kind == "section":
        return Tie.FREE
    touches = not _blank_above(document.text, start)
    if block.kind == "rule":
        return Tie.CLOSE
    if previous.kind == "paragraph" and (
        _opens(document, previous) or _leads_in(document, previous, block, touches)
    ):
        return Tie.CLOSE
    if block.kind == "paragraph" and _comments_on(document, previous, block, following):
        return Tie.CLOSE
    is_tab_set = _region_kind(previous) == "tab" == _region_kind(block)
    return Tie.NEXT if touches or is_tab_set else Tie.LOOSE


_CONTAINER = re.compile(r"(?::{3,}|/{3,})[ \t]*+[\w{.][^\n]*+$")


def _opens(document: Document, block: Block) -> bool:
    """Whether a paragraph is the opening line of a container that nothing closes."""
    if document.view.text[block.start] not in ":/":
        return False
    return _CONTAINER.match(document.words(block)) is not None


def _leads_in(document: Document, previous: Block, block: Block, touches: bool) -> bool:
    """Whether a paragraph introduces the block behind it."""
    if block.kind not in _FOLLOWERS or _region_kind(block) in {"admonition", "tab"}:
        return False
    return leads_in(document.words(previous), block.kind, touches=touches)


def _comments_on(
    document: Document, previous: Block, block: Block, following: Block | None
) -> bool:
    """Whether a paragraph is the caption or the short caveat of what stands above it."""
    if not may_be_commented(previous.kind) or block.end - block.start > SHORT:
        return False
    leads = following is not None and following.kind in _FOLLOWERS
    return comments_on(document.words(block), previous.kind, leads=leads)


def _region_kind(block: Block) -> str:
    return block.region.kind if block.region else ""


def _blank_above(text: str, start: int) -> bool:
    """Whether the line above the one that begins at start shows nothing but quote marks."""
    return (
        start == 0
        or text.startswith("\n\n", start - 2)
        or not text[line_start(text, start - 1) : start].strip(" \t\r\n>")
    )


# One maker for each kind of block that opens


def _unit(
    kind: str,
    place: _Place,
    repeat: Repeat | None = None,
    opener: Callable[[], Iterable[Unit]] | None = None,
    language: str = "",
) -> Unit:
    """An atomic unit without a name."""
    node_type = _NODE_TYPES[kind]
    start, end, tie = place[:3]
    return make_unit(kind, start, end, "", True, tie, language, None, repeat, opener, node_type)


def _container(document: Document, block: Block, place: _Place) -> Unit:
    """A unit that opens into the blocks in it."""
    if not block.inside:
        return _unit(block.kind, place)
    start, end, tie = place[:3]
    opener = partial(_contained, document, block, start, end, tie)
    return _unit(block.kind, place, _carried(document, block), opener)


def _contained(document: Document, block: Block, start: int, end: int, tie: Tie) -> Iterator[Unit]:
    inner = tuple(_inner(document, block))
    second = Tie.CLOSE if block.kind == "item" else Tie.FREE
    return units_of(document, inner, start, end, first=tie, second=second)


def _carried(document: Document, block: Block) -> Repeat | None:
    """What the parts of a block carry: marks of quotes, the head of an alert or of an item."""
    text = document.view.text
    lead = _lead(document, block)
    if block.kind in {"admonition", "quote"}:
        head = ""
        if block.kind == "admonition":
            line = text[block.start : block.end].partition("\n")[0].rstrip("\r")
            head = f"{lead}{line}\n"
        return make_repeat(before=head, mark=f"{lead}> ")
    if block.kind == "item" and len(block.children) > 1:
        first, second = block.children[:2]
        head = text[block.start : line_start(text, second.start)]
        if first.kind == "paragraph" and 0 < len(head) <= SHORT:
            return make_repeat(before=lead + head)
    return None


def _inner(document: Document, block: Block) -> Iterator[Block]:
    """The blocks in a block, and link reference definitions behind each of them."""
    text = document.visible
    for number, child in enumerate(block.children):
        yield child
        is_last = number + 1 == len(block.children)
        stop = block.end if is_last else block.children[number + 1].start
        if found := _REFERENCE.search(text, child.end, stop):
            yield Block("references", found.start(), stop)


def _section(document: Document, block: Block, place: _Place) -> Unit:
    start, end, tie = place[:3]
    return make_unit(
        "section",
        start,
        end,
        block.label,
        False,  # atomic
        tie,
        "",  # language
        None,  # definition
        None,  # repeat
        Siblings(document, block.children, start, end),
        "section",
        block.level,
    )


def _list(document: Document, block: Block, place: _Place) -> Unit:
    """A list opens into its items."""
    return make_unit(
        block.kind,
        place.start,
        place.end,
        "",
        block.kind != "list",  # atomic
        place.tie,
        "",  # language
        None,  # definition
        _intro(document, block, place) if block.kind == "procedure" else None,
        partial(_items, document, block, place) if block.inside else None,
        _NODE_TYPES[block.kind],
    )


def _items(document: Document, block: Block, place: _Place) -> Iterator[Unit]:
    kept, starts = _starts(document, block.children, place.start, place.end)
    for number, item in enumerate(kept):
        start, end = starts[number], starts[number + 1]
        blank = number > 0 and _blank_above(document.text, start)
        tie = _LOOSE if blank else _NEXT
        inside = item.inside
        if isinstance(inside, Inside) and inside.is_one:  # as most have: it need not be looked at
            opener = partial(_contained, document, item, start, end, tie)
            node_type = _NODE_TYPES[item.kind]
            yield make_unit(item.kind, start, end, "", True, tie, "", None, None, opener, node_type)
        else:
            yield _container(document, item, _place_of((start, end, tie, None, None, None)))


_LOOSE, _NEXT = Tie.LOOSE, Tie.NEXT  # members of an enum are slow to reach


def _intro(document: Document, block: Block, place: _Place) -> Repeat | None:
    """The short paragraph above a procedure, which its later parts carry.

    One that begins behind the mark of an item is carried with that.
    """
    previous = place.previous
    if previous is None or previous.kind != "paragraph" or _lead(document, block).strip():
        return None
    text, start = document.text, document.at(previous.start)
    lead = text[line_start(text, start) : start].lstrip("\ufeff")
    words = document.words(previous)
    return make_repeat(f"{lead}{words}\n\n") if len(words) <= SHORT and not lead.strip() else None


def _lead(document: Document, block: Block) -> str:
    """What stands in front of a block on its line, with blanks for all but quote marks."""
    position = document.at(block.start)
    start = line_start(document.text, position)
    if start == position:
        return ""
    return _LEAD.sub(" ", document.text[start:position].lstrip("\ufeff"))


_LEAD = re.compile(r"[^>\s]")


def _table(document: Document, block: Block, place: _Place) -> Unit:
    assert block.rows is not None
    starts: list[int] = []
    for row in block.rows.row_starts():
        position = line_start(document.text, document.at(row))
        if (starts or [place.start])[-1] < position < place.end:
            starts.append(position)
    lead, (written, is_below) = _lead(document, block), _caption(document, block, place)
    text, head_end = document.text, starts[0] if starts else place.end
    return pipe_table(
        text,
        (place.start, place.end),
        row_starts=starts,
        head=lead + text[document.at(block.start) : head_end],
        lead=lead,
        captions=("", f"\n\n{written}") if is_below else (written and f"{written}\n\n", ""),
        tie=place.tie,
        node_type=_NODE_TYPES["table"],
    )


def _bars(document: Document, block: Block, place: _Place) -> Unit:
    """A paragraph of rows between bars as the table that it is meant to be."""
    text, start = document.text, line_start(document.text, document.at(block.start))
    lead = _lead(document, block)
    found = bar_table(text, start, place.end, lead.strip())
    if found is None or text[place.start : start].strip():
        return _unit("paragraph", place)
    written, is_below = _caption(document, block, place)
    unit = pipe_table(
        text,
        (place.start, place.end),
        row_starts=found.row_starts,
        head=lead + text[document.at(block.start) : found.row_starts[0]],
        lead=lead,
        captions=("", f"\n\n{written}") if is_below else (written and f"{written}\n\n", ""),
        tie=place.tie,
        node_type=_NODE_TYPES["table"],
    )
    return replace(unit, problems=found.problems)


_HTML_TABLE = re.compile(r"\s*<table[\s>]", re.IGNORECASE)


def _html(document: Document, block: Block, place: _Place) -> Unit:
    """A block of HTML, which opens when it is a table."""
    if _HTML_TABLE.match(document.text, place.start, place.end):
        words, is_below = _caption(document, block, place)
        unit = html_table(
            document.text,
            (place.start, place.end),
            "" if is_below else words,
            tie=place.tie,
            node_type=_NODE_TYPES["html"],
        )
        if unit is not None:
            return unit
    return _unit("html", place)


def _caption(document: Document, block: Block, place: _Place) -> Caption:
    """The words beside a table that name or introduce it; none inside other blocks."""
    if _lead(document, block).strip():
        return Caption()
    above, below, beyond = place.previous, place.following, place.beyond
    return caption_of(
        document.words(above) if above is not None and above.kind == "paragraph" else "",
        document.words(below) if below is not None and below.kind == "paragraph" else "",
        is_leading=beyond is not None and beyond.kind in _FOLLOWERS,
    )


_FENCE = re.compile(r"`{3,}+|~{3,}+")
_LANGUAGE = re.compile(r"[\w+#.-]++")
_WRAPPED_LANGUAGE = re.compile(r"\{(?:code-block|code-cell|code|sourcecode|raw)\}[ \t]++")


def _fence(document: Document, block: Block, place: _Place) -> Unit:
    """A fence opens into its opening line, the units of its content and its closing line."""
    text = document.text
    at = document.at(block.start)
    info = block.label
    language = _language(info) if info else ""
    opening = _FENCE.match(text, at)
    line_end = text.find("\n", at, place.end)
    if opening is None or line_end < 0:
        return _unit("fence", place, language=language)
    directive = _DIRECTIVE.match(info)
    if directive and _holds_blocks(directive[1].lower()):
        return _directive(document, block, place, directive[1].lower(), opening[0])
    kind = "fence"
    if info.strip(" {}").lower() == "math":
        kind, language = "math", ""
    lead = _lead(document, block)
    mark = opening[0]

    def children() -> Iterator[Unit]:
        begin = line_end + 1
        stop = min(place.end, document.at(block.end - 1) + 1)
        close = _closing_line(text, begin, stop, place.end, mark)
        if directive:
            begin = _behind_options(text, begin, close)
        if begin < place.end:
            yield Unit("fence_mark", place.start, begin, tie=place.tie)
            if begin < close:
                written = text[line_start(text, at) : at]
                yield from _code(document, (begin, close), language, written)
            if close < place.end:
                yield Unit("fence_mark", close, place.end, tie=Tie.HEAD)

    repeat = make_repeat(
        before=lead + text[at:line_end].rstrip("\r") + "\n",
        after="\n" + lead + mark,
        required=True,
    )
    return _unit(kind, place, repeat, children, language)


def _closing_line(text: str, start: int, stop: int, end: int, mark: str) -> int:
    """Where the closing line of a fence that stops there begins; the end when nothing closes it."""
    if text[stop - 1] == "\n":
        stop -= 1
    line = line_start(text, stop)
    found = text[line:stop].strip(" \t\r>")
    closes = line >= start and len(found) >= len(mark) and found.strip(mark[0]) == ""
    return line if closes else end


# Directives of MyST, which are written as fences

_DIRECTIVE = re.compile(r"\{([A-Za-z][\w:.+-]*)\}")
_CODE_DIRECTIVES = frozenset(
    {
        *("code", "code-block", "code-cell", "sourcecode", "literalinclude", "parsed-literal"),
        *("eval-rst", "math", "mermaid", "graphviz", "raw", "toctree", "autosummary", "doctest"),
    }
)
_DIRECTIVE_KINDS = {
    "csv-table": "table",
    "figure": "figure",
    "image": "figure",
    "list-table": "table",
    "table": "table",
}
_OPTION = re.compile(r":[\w-]+:(?=[ \t\r\n])")


def _holds_blocks(name: str) -> bool:
    """Whether what stands in a directive is Markdown; in ``{r}`` and ``{code-cell}`` it is code."""
    return name not in _CODE_DIRECTIVES and not language_of_tag(name)


def _directive(document: Document, block: Block, place: _Place, name: str, mark: str) -> Unit:
    """A fence around Markdown opens as a container does, and its parts are closed."""
    text = document.view.text
    begin = text.find("\n", block.start, block.end) + 1 or block.end
    stop = block.start + len(text[block.start : block.end].rstrip())
    close = _closing_line(text, begin, stop, stop, mark)
    lead = _lead(document, block)
    region = Region(
        _DIRECTIVE_KINDS.get(name, "admonition"),
        block.start,
        stop,
        min(_behind_options(text, begin, close), close),
        close,
        column_of(text, block.start),
    )
    opening = text[block.start : begin].rstrip()
    return Unit(
        region.kind,
        place.start,
        place.end,
        tie=place.tie,
        node_type=name,
        repeat=make_repeat(f"{lead}{opening}\n", f"\n{lead}{mark}", required=True),
        opener=lambda: _regionunits_of(document, region, place),
    )


def _behind_options(text: str, start: int, end: int) -> int:
    """Where the content of a directive begins, behind its options: fields or YAML."""
    position = start
    if text.startswith("---", start):
        closing = text.find("\n---", start, end)
        return end if closing < 0 else text.find("\n", closing + 1, end) + 1 or end
    while position < end:
        stop = text.find("\n", position, end) + 1 or end
        line = position + len(text[position:stop]) - len(text[position:stop].lstrip(" \t"))
        if not _OPTION.match(text, line):
            break
        position = stop
    return position


def _code(document: Document, span: tuple[int, int], language: str, written: str) -> Iterator[Unit]:
    from structchunk_core.formats.embedded import embedded_units

    start, end = span
    units: tuple[Unit, ...] = ()
    if not written.strip(" \t\ufeff"):
        units = embedded_units(document.text, start, end, language, document.options)
    if not units:
        units = (Unit("code_text", start, end),)
    yield retied(units[0], Tie.HEAD)
    yield from units[1:]


@lru_cache(maxsize=256)
def _language(info: str) -> str:
    """The language that an info string means: ``python`` in ``{.py title="x"}``."""
    wrapped = _WRAPPED_LANGUAGE.match(info)
    found = _LANGUAGE.match(info[wrapped.end() :] if wrapped else info.lstrip(" \t{."))
    name = found[0].lower() if found else ""
    return language_of_tag(name) or name


def _region(document: Document, block: Block, place: _Place) -> Unit:
    """A region opens into its opening line, the blocks between, and its closing line."""
    region = block.region
    assert region is not None
    unit = Unit(
        region.kind, place.start, place.end, tie=place.tie, node_type=_NODE_TYPES[region.kind]
    )
    if region.kind == "math":
        return unit
    return replace(
        unit,
        repeat=_region_head(document, region),
        opener=lambda: _regionunits_of(document, region, place),
    )


def _region_head(document: Document, region: Region) -> Repeat | None:
    text = document.view.text
    lead = text[line_start(text, region.start) : region.start]
    last = text[region.inner_end : region.end].strip()
    if region.kind == "html":
        return _element_head(text, region, lead, last)
    first = text[region.start : region.inner_start].rstrip("\r\n")
    closing = f"\n{lead}{last}" if last else ""
    return make_repeat(before=f"{lead}{first}\n", after=closing)


_SUMMARY_END = re.compile(r"</summary>[^\n]*+", re.IGNORECASE)
_NAMED = re.compile(r"<(?:details\b|[A-Z])")


def _element_head(text: str, region: Region, lead: str, last: str) -> Repeat | None:
    """The tags of a component, or of details with their summary; a ``div`` says nothing."""
    if not _NAMED.match(text, region.start) or not last.startswith("</"):
        return None
    end = region.inner_start
    if summary := _SUMMARY_END.search(text, region.start, end + SHORT):
        end = summary.end()
    first = text[region.start : end].rstrip()
    if len(first) > SHORT:
        return None
    return make_repeat(before=f"{lead}{first}\n\n", after=f"\n\n{lead}{last}")


def _regionunits_of(document: Document, region: Region, place: _Place) -> Iterator[Unit]:
    text = document.text
    end = place.end
    if region.inner_end < region.end:
        end = line_start(text, document.at(region.inner_end))
    view = document.view.inner(region.inner_start, region.inner_end, region.columns)
    depth = document.depth + 1
    read = (read_blocks if depth > _MAX_REGIONS else read_with_regions)(view.text)
    inner = Document(text, view, read.text, document.options, depth)
    blocks = tuple(with_references(read.text, read.blocks, 0))
    start = line_start(text, inner.at(blocks[0].start)) if blocks else end
    if not place.start < start < end:
        start = end
    mark = "html" if region.kind == "html" else "mark"
    if start < place.end:
        yield Unit(mark, place.start, start, tie=place.tie)
        if start < end:
            yield from units_of(inner, blocks, start, end, first=Tie.HEAD)
        if end < place.end:
            yield Unit(mark, end, place.end, tie=Tie.HEAD)


_NODE_TYPES = {
    "admonition": "admonition",
    "code": "indented_code",
    "definition": "definition",
    "definition_list": "definition_list",
    "esm": "esm",
    "fence": "fenced_code",
    "footnote": "footnote_definition",
    "front_matter": "front_matter",
    "heading": "heading",
    "html": "html_block",
    "item": "list_item",
    "list": "bullet_list",
    "math": "math_block",
    "paragraph": "paragraph",
    "procedure": "ordered_list",
    "quote": "block_quote",
    "references": "link_reference_definition",
    "rule": "thematic_break",
    "tab": "tab",
    "table": "table",
    "term": "term",
}

# Of blocks that open; the others are leaves.
_MAKERS: dict[str, Callable[[Document, Block, _Place], Unit]] = {
    **dict.fromkeys(("quote", "admonition", "footnote", "item", "definition"), _container),
    **dict.fromkeys(("list", "procedure", "definition_list"), _list),
    "section": _section,
    "bars": _bars,
    "table": _table,
    "html": _html,
    "fence": _fence,
    "region": _region,
}
