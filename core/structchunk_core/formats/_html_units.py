"""From the blocks of a rendered page to units: how they hold on to each other, how they open."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise

from structchunk_core.formats import ParseOptions
from structchunk_core.formats._glue import (
    SHORT,
    Caption,
    caption_of,
    comments_on,
    leads_in,
    may_be_commented,
)
from structchunk_core.formats._pipe_table import Cells, pipe_table
from structchunk_core.formats._pipes import cell_value
from structchunk_core.unit import Repeat, Span, Tie, Unit, make_repeat, make_unit, retied


@dataclass(slots=True)
class Rows:
    """Where the parts of a table stand, in characters of the rendered text.

    Attributes:
        lead: what stands in front of each of its lines.
        caption: the words of its caption, half-open; empty when it has none.
        head: where the first bar of its header rows stands, behind the caption.
        head_end: where its first body row begins, or its end.
        starts: where each body row begins.
        cells: where each cell begins; the first of a row begins with it.
    """

    lead: str
    caption: Span
    head: int
    head_end: int = 0
    starts: array[int] = field(default_factory=lambda: array("q"))
    cells: array[int] = field(default_factory=lambda: array("q"))


@dataclass(slots=True)
class Code:
    """Where the code of a fence stands, in characters of the rendered text.

    Attributes:
        start: behind the opening line.
        end: where the closing line begins.
        lead: what stands in front of each of its lines.
        mark: the backticks that open and close it.
        info: the language as the page names it, or ``""``.
    """

    start: int
    end: int
    lead: str
    mark: str
    info: str


class Block:
    """A block of the rendered text while it is being written; it reaches to its next sibling.

    Attributes:
        kind: the kind of unit it becomes.
        start: the start of its first line, with what stands in front of it there.
        node_type: the name of the element.
        label: the text of a heading, a term, the name of an entry.
        level: of a heading or section, 1 to 6; 7 of an entry that any heading ends; else 0.
        atomic: whether it must not be cut while it fits.
        repeats_first: whether its parts carry its first child, when it is atomic and that is short.
        mark: what each of its lines begins with, of a quote.
        figure: the number of the figure it is in, or 0.
        is_caption: whether it is the caption of that figure.
        children: the blocks in it, in order.
        rows: the rows of a table.
        code: the code of a fence.
    """

    __slots__ = (
        "atomic",
        "children",
        "code",
        "figure",
        "is_caption",
        "kind",
        "label",
        "level",
        "mark",
        "node_type",
        "repeats_first",
        "rows",
        "start",
    )

    def __init__(
        self,
        kind: str,
        start: int = 0,
        node_type: str = "",
        label: str = "",
        level: int = 0,
        *,
        atomic: bool = True,
        repeats_first: bool = False,
        is_caption: bool = False,
    ) -> None:
        self.kind = kind
        self.start = start
        self.node_type = node_type
        self.label = label
        self.level = level
        self.atomic = atomic
        self.repeats_first = repeats_first
        self.mark = ""
        self.figure = 0
        self.is_caption = is_caption
        self.children: list[Block] = []
        self.rows: Rows | None = None
        self.code: Code | None = None


class Siblings:
    """Opens into the units of sibling blocks, and can tell what they are without making them.

    Args:
        text: the rendered text.
        blocks: the siblings, in order.
        end: where the last of them ends, in characters of the rendered text.
        options: bounds and grammars for code.
    """

    __slots__ = ("_blocks", "_end", "_options", "_text")

    def __init__(self, text: str, blocks: Sequence[Block], end: int, options: ParseOptions) -> None:
        self._text = text
        self._blocks = blocks
        self._end = end
        self._options = options

    def __call__(self) -> Iterator[Unit]:
        """The units."""
        return units_of(self._text, self._blocks, self._end, self._options)

    def survey(self) -> Iterator[tuple[str, int]]:
        """What :meth:`Unit.survey` says."""
        stack = [(self._blocks, self._end)]
        while stack:
            blocks, end = stack.pop()
            for number, block in enumerate(blocks):
                stop = blocks[number + 1].start if number + 1 < len(blocks) else end
                if block.kind == "section" and block.children:
                    stack.append((block.children, stop))
                else:
                    yield block.kind, stop - block.start


def units_of(
    text: str, blocks: Sequence[Block], end: int, options: ParseOptions, *, is_item: bool = False
) -> Iterator[Unit]:
    """The units of sibling blocks; they tile the text from the first block to the end.

    Args:
        text: the rendered text.
        blocks: the siblings, in order.
        end: where the last of them ends, in characters of the rendered text.
        options: bounds and grammars for code.
        is_item: whether they are what an item holds: its second block holds on to the first.
    """
    for number, block in enumerate(blocks):
        stop = blocks[number + 1].start if number + 1 < len(blocks) else end
        previous = blocks[number - 1] if number else None
        following = blocks[number + 1] if number + 1 < len(blocks) else None
        tie = _tie(text, previous, block, stop, following) if previous else Tie.FREE
        if is_item and number == 1:
            tie = max(tie, Tie.CLOSE)
        if block.rows is not None:
            beyond = blocks[number + 2] if number + 2 < len(blocks) else None
            beside = (previous, following, beyond)
            yield _table(text, block, block.rows, stop, tie, beside)
        elif block.code is not None:
            yield _fence(text, block, block.code, stop, tie, options)
        else:
            yield _container(text, block, stop, tie, previous, options)


_FOLLOWERS = frozenset({"definition_list", "fence", "list", "procedure", "quote", "table"})
_ITEMS = frozenset({"definition", "item"})
_LEVELS = 6  # of headings
_LONGEST_HEAD = 400  # of what the parts of an entry or a box carry


def _tie(text: str, previous: Block, block: Block, stop: int, following: Block | None) -> Tie:
    if block.kind == "section":
        return Tie.HEAD if previous.kind == "heading" else Tie.FREE
    if previous.kind == "heading":
        return Tie.HEAD
    if block.kind == "boilerplate" or previous.kind == "boilerplate":
        return Tie.FREE
    if block.kind in _ITEMS:
        return Tie.NEXT
    if block.kind == "rule" or (block.figure and block.figure == previous.figure):
        return Tie.CLOSE
    if previous.kind == "paragraph" and block.kind in _FOLLOWERS:
        words = text[previous.start : block.start].strip()
        if leads_in(words, block.kind, touches=False):
            return Tie.CLOSE
    is_short = block.kind == "paragraph" and stop - block.start <= SHORT
    if is_short and may_be_commented(previous.kind):
        leads = following is not None and following.kind in _FOLLOWERS
        if comments_on(text[block.start : stop].strip(), previous.kind, leads=leads):
            return Tie.CLOSE
    return Tie.LOOSE


def _container(
    text: str, block: Block, stop: int, tie: Tie, previous: Block | None, options: ParseOptions
) -> Unit:
    """A unit that opens into the blocks in it; a leaf when there are none."""
    children = block.children
    repeat = _carried(text, block, previous)
    is_item = block.kind in _ITEMS

    opener: Callable[[], Iterator[Unit]] | None = None
    if block.kind == "section" and children:
        opener = Siblings(text, children, stop, options)
    elif children:
        opener = partial(units_of, text, children, stop, options, is_item=is_item)
    return make_unit(
        block.kind,
        block.start,
        stop,
        label=block.label if block.kind != "heading" else "",
        atomic=block.atomic,
        tie=tie,
        repeat=repeat,
        opener=opener,
        node_type=block.node_type,
        level=block.level if block.kind == "section" and block.level <= _LEVELS else 0,
    )


def _carried(text: str, block: Block, previous: Block | None) -> Repeat | None:
    """What the parts carry: a signature, the head of a box, words of an item, an intro."""
    if block.kind == "procedure" and previous is not None and previous.kind == "paragraph":
        intro = text[previous.start : block.start].strip()
        return make_repeat(before=f"{intro}\n\n") if len(intro) <= SHORT else None
    head = ""
    if block.repeats_first and block.atomic and len(block.children) > 1:
        head = text[block.start : block.children[1].start]
        most = SHORT if block.kind == "item" else _LONGEST_HEAD
        head = head if len(head) <= most else ""
    return make_repeat(before=head, mark=block.mark) if head or block.mark else None


def _table(
    text: str,
    block: Block,
    rows: Rows,
    stop: int,
    tie: Tie,
    neighbours: tuple[Block | None, Block | None, Block | None],
) -> Unit:
    """A table of which every part carries its header rows, and its caption.

    The caption is a paragraph inside it, or beside it in the same figure, or what introduces it.
    """
    lead = rows.lead
    words, is_below = text[rows.caption.start : rows.caption.end], False
    if not words:
        words, is_below = _words_beside(text, block, neighbours)
    caption = f"{lead}{words}\n{lead.rstrip()}\n" if words and not is_below else ""
    below = f"\n{lead.rstrip()}\n{lead}{words}" if is_below else ""

    def cell_starts(start: int, end: int) -> Sequence[int]:
        first = bisect_left(rows.cells, start)
        return rows.cells[first : bisect_left(rows.cells, end)]

    def read(start: int, end: int) -> Sequence[str]:
        cells = cell_starts(start, end)
        last = text.find("\n", start, end)
        last = text.rindex("|", start, end if last < 0 else last)
        bars = [text.index("|", start), *cells[1:], last]
        return [cell_value(text[bar + 1 : behind]) for bar, behind in pairwise(bars)]

    return pipe_table(
        text,
        (block.start, stop),
        row_starts=rows.starts,
        head=lead + text[rows.head : rows.head_end],
        lead=lead,
        captions=(caption, below),
        tie=tie,
        node_type=block.node_type,
        cells=Cells(read, cell_starts),
    )


def _words_beside(
    text: str, block: Block, neighbours: tuple[Block | None, Block | None, Block | None]
) -> Caption:
    """The caption in the same figure as a table, or the words beside it that name it."""
    above, below, beyond = neighbours
    for beside in (above, below):
        if beside is not None and beside.is_caption and beside.figure == block.figure:
            return Caption(_words(text, beside, block), beside is below)
    return caption_of(
        _words(text, above, block) if above is not None and above.kind == "paragraph" else "",
        _words(text, below, block) if below is not None and below.kind == "paragraph" else "",
        is_leading=beyond is not None and beyond.kind in _FOLLOWERS,
    )


def _words(text: str, beside: Block, block: Block) -> str:
    """The words of a paragraph above or below a block."""
    is_above = beside.start < block.start
    end = block.start if is_above else _paragraph_end(text, beside.start)
    return text[beside.start : end].strip()


def _paragraph_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return end if end >= 0 else len(text)


def _fence(text: str, block: Block, code: Code, stop: int, tie: Tie, options: ParseOptions) -> Unit:
    """A fence opens into its opening line, the units of its code and its closing line."""
    from structchunk_core.detect import language_of_tag

    language = language_of_tag(code.info) or code.info.lower()

    def children() -> Iterator[Unit]:
        yield make_unit("fence_mark", block.start, code.start, tie=tie)
        yield from _code(text, code, language, options)
        yield make_unit("fence_mark", code.end, stop, tie=Tie.HEAD)

    return make_unit(
        "fence",
        block.start,
        stop,
        tie=tie,
        language=language,
        repeat=make_repeat(
            before=f"{code.lead}{code.mark}{code.info}\n",
            after=f"\n{code.lead}{code.mark}",
            required=True,
        ),
        opener=children,
        node_type=block.node_type,
    )


def _code(text: str, code: Code, language: str, options: ParseOptions) -> Iterator[Unit]:
    from structchunk_core.formats.embedded import embedded_units

    units: tuple[Unit, ...] = ()
    if not code.lead.strip():
        units = embedded_units(text, code.start, code.end, language, options)
    if not units:
        units = (make_unit("code_text", code.start, code.end),)
    for number, unit in enumerate(units):
        yield unit if number else retied(unit, Tie.HEAD)
