"""The blocks of a Markdown text, as pulldown-cmark sees them.

Only blocks are kept; what stands inside a paragraph is looked at for the plain text of headings
and to tell display math from prose. Positions are characters of the text that was read.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from structchunk_core.source import ByteOffsets

MAX_DEPTH = 100
"""Blocks nested deeper than this are text of the block around them."""

TAB_STOP = 4


@dataclass(frozen=True, slots=True)
class View:
    """What the parser is given of a source: a stretch of it, without the indentation around it.

    Attributes:
        text: what the parser reads.
        base: where it begins in the source, when no line has lost its indentation.
        lines: where each of its lines begins, or None when no line has lost anything.
        origins: where each of these lines begins in the source.
    """

    text: str
    base: int = 0
    lines: Sequence[int] | None = None
    origins: Sequence[int] = ()

    def to_source(self, position: int) -> int:
        """The character of the source at the position."""
        if self.lines is None:
            return self.base + position
        line = bisect_right(self.lines, position) - 1
        return self.origins[line] + position - self.lines[line]

    def inner(self, start: int, end: int, columns: int) -> View:
        """The half-open span, whose start begins a line, without its first columns of blanks."""
        text = self.text
        if columns == 0 and self.lines is None:
            return View(text[start:end], self.base + start)
        pieces: list[str] = []
        lines, origins = array("q"), array("q")
        length = 0
        position = start
        while position < end:
            stop = text.find("\n", position, end) + 1 or end
            first, _ = leading(text, position, stop, columns)
            lines.append(length)
            origins.append(self.to_source(first))
            pieces.append(text[first:stop])
            length += stop - first
            position = stop
        if not lines:
            return View("", self.to_source(start))
        return View("".join(pieces), 0, lines, origins)


def leading(text: str, start: int, end: int, columns: int) -> tuple[int, int]:
    """Position and column of what comes first on the line at start: no blank, or the column."""
    column = 0
    position = start
    while position < end and column < columns:
        if text[position] == " ":
            column += 1
        elif text[position] == "\t":
            column += TAB_STOP - column % TAB_STOP
        else:
            break
        position += 1
    return position, column


@dataclass(frozen=True, slots=True)
class Region:
    """Lines that are one thing although the parser sees several blocks in them.

    Attributes:
        kind: ``math``, ``admonition``, ``tab`` or ``html``.
        start: first visible character, where a block may begin.
        end: the end of its last line, without the line end.
        inner_start: where the line behind its opening begins.
        inner_end: where its closing line begins, or its end when it has none.
        columns: how far its content is indented.
        tag_start: the line of its own opening tag, when the block begins further up.
    """

    kind: str
    start: int
    end: int
    inner_start: int
    inner_end: int
    columns: int = 0
    tag_start: int = -1


@dataclass(frozen=True, slots=True)
class Rows:
    """The body rows of a table, in bytes, translated when they are asked for."""

    starts: Sequence[int]
    offsets: ByteOffsets

    def row_starts(self) -> Iterator[int]:
        """Where each row begins, in characters."""
        return map(self.offsets.to_character, self.starts)


@dataclass(frozen=True, slots=True)
class Block:
    """A block and the blocks in it.

    Attributes:
        kind: the kind of unit it becomes, or ``region``.
        start: its first visible character (a marker counts).
        end: one past its last character; blank lines may or may not be in it.
        children: the blocks in it, in order.
        level: of a heading or section, 1 to 6.
        label: the plain text of a heading, the info string of a fence.
        rows: the body of a table.
        region: what the block stands for.
    """

    kind: str
    start: int
    end: int
    children: tuple[Block, ...] = ()
    level: int = 0
    label: str = ""
    rows: Rows | None = None
    region: Region | None = None


@dataclass(frozen=True, slots=True)
class Blocks:
    """What was read.

    Attributes:
        text: the text that was read.
        blocks: its outermost blocks.
        math: the half-open spans of display math.
        deep: where blocks were nested too deeply to be kept, or -1.
    """

    text: str
    blocks: tuple[Block, ...]
    math: tuple[tuple[int, int], ...] = ()
    deep: int = -1


def read_blocks(text: str, regions: Mapping[int, Region] | None = None) -> Blocks:
    """The blocks of a text without lone surrogates and lone carriage returns.

    Args:
        text: what to read.
        regions: what an empty heading at a position stands for.
    """
    import pyromark

    option = pyromark.Options
    # No heading attributes: they take "{id}" off "GET /users/{id}". No metadata blocks: they
    # are found anywhere, not only at the start of the document.
    options = (
        option.ENABLE_TABLES
        | option.ENABLE_FOOTNOTES
        | option.ENABLE_STRIKETHROUGH
        | option.ENABLE_TASKLISTS
        | option.ENABLE_MATH
        | option.ENABLE_GFM
        | option.ENABLE_DEFINITION_LIST
    )
    reader = _Reader(text, regions or {})
    for event, span in pyromark.events_with_range(text, options=options):
        reader.take(event, span["start"], span["end"])
    return reader.finish()


def walk_blocks(blocks: Sequence[Block]) -> Iterator[Block]:
    """The blocks and all in them, in document order."""
    stack = list(reversed(blocks))
    while stack:
        block = stack.pop()
        yield block
        stack.extend(reversed(block.children))


_LEAVES = {
    "Paragraph": "paragraph",
    "HtmlBlock": "html",
    "DefinitionListTitle": "term",
}
_CONTAINERS = {
    "Item": "item",
    "FootnoteDefinition": "footnote",
    "DefinitionList": "definition_list",
    "DefinitionListDefinition": "definition",
}
_TABLE_PARTS = frozenset({"TableHead", "TableRow", "TableCell"})
_BLOCK_TAGS = frozenset(
    {*_LEAVES, *_CONTAINERS, *_TABLE_PARTS, "Heading", "CodeBlock", "Table", "BlockQuote", "List"}
)
_TEXTS = frozenset({"Text", "Code", "InlineMath", "DisplayMath"})
_BREAKS = frozenset({"SoftBreak", "HardBreak"})


class _Frame:
    """A block that is being read; positions in bytes."""

    __slots__ = (
        "children",
        "end",
        "is_leaf",
        "is_tight",
        "kind",
        "label",
        "level",
        "math",
        "prose",
        "start",
        "table",
        "words",
    )

    def __init__(self, kind: str, start: int, end: int, *, is_leaf: bool) -> None:
        self.kind = kind
        self.start = start
        self.end = end
        self.is_leaf = is_leaf
        self.is_tight = False  # a paragraph that the parser does not announce
        self.level = 0
        self.label = ""
        self.math = False
        self.prose = False
        self.words: list[str] = []
        self.children: list[Block] = []
        self.table = _Table() if kind == "table" else None


class _Table:
    """The body rows of a table that is being read."""

    __slots__ = ("starts",)

    def __init__(self) -> None:
        self.starts: array[int] = array("q")


class _Reader:
    """Collects blocks from events, with a stack of its own: nesting costs no recursion."""

    def __init__(self, text: str, regions: Mapping[int, Region]) -> None:
        self._text = text
        self._regions = regions
        self._offsets = ByteOffsets(text)
        self._stack = [_Frame("document", 0, 0, is_leaf=False)]
        self._skipped = 0
        self._deep = -1
        self._math: list[tuple[int, int]] = []

    def take(self, event: Any, start: int, end: int) -> None:
        """One event with its half-open span in bytes."""
        name: str
        value: Any
        if isinstance(event, str):
            name, value = event, None
        else:
            ((name, value),) = event.items()
        if name == "Start":
            tag, detail = (value, None) if isinstance(value, str) else next(iter(value.items()))
            if tag in _BLOCK_TAGS:
                self._open(tag, detail, start, end)
            else:
                self._inline(tag, None, start, end)
        elif name == "End":
            tag = value if isinstance(value, str) else next(iter(value))
            if tag in _BLOCK_TAGS:
                self._close(tag)
        elif name == "Rule":
            self._end_tight()
            if not self._skipped:
                self._keep(Block("rule", self._at(start), self._at(end)))
        else:
            self._inline(name, value, start, end)

    def finish(self) -> Blocks:
        """All that was read."""
        self._end_tight()
        return Blocks(self._text, tuple(self._stack[0].children), tuple(self._math), self._deep)

    def _open(self, tag: str, detail: Any, start: int, end: int) -> None:
        self._end_tight()
        if self._skipped or len(self._stack) > MAX_DEPTH:
            if self._deep < 0:
                self._deep = self._at(start)
            self._skipped += 1
            return
        if tag in _TABLE_PARTS:
            table = self._stack[-1].table
            if table is None:
                return
            if tag == "TableRow":
                table.starts.append(start)
            return
        self._stack.append(_frame(tag, detail, start, end))

    def _close(self, tag: str) -> None:
        self._end_tight()
        if self._skipped:
            self._skipped -= 1
        elif tag not in _TABLE_PARTS:
            self._pop()

    def _inline(self, name: str, value: Any, start: int, end: int) -> None:
        if self._skipped:
            return
        top = self._stack[-1]
        if not top.is_leaf:
            top = _Frame("paragraph", start, end, is_leaf=True)
            top.is_tight = True
            self._stack.append(top)
        elif top.is_tight:
            top.end = max(top.end, end)
        if name in _BREAKS:
            top.words.append(" ")
            return
        if top.kind == "heading" and name in _TEXTS:
            top.words.append(value)
        if name == "DisplayMath":
            top.math = True
            self._math.append((self._at(start), self._at(end)))
        elif name != "Text" or not value.isspace():
            top.prose = True

    def _end_tight(self) -> None:
        if self._stack[-1].is_tight:
            self._pop()

    def _pop(self) -> None:
        frame = self._stack.pop()
        start, end = self._at(frame.start), self._at(frame.end)
        region = self._regions.get(start) if frame.kind == "heading" else None
        if region is not None:
            self._keep(Block("region", start, region.end, region=region))
            return
        kind = frame.kind
        if kind == "paragraph" and (
            (frame.math and not frame.prose) or _is_math(self._text, start, end)
        ):
            kind = "math"
        rows = None
        if table := frame.table:
            rows = Rows(table.starts, self._offsets)
        label = _heading_text(frame.words) if kind == "heading" else frame.label
        block = Block(kind, start, end, tuple(frame.children), frame.level, label, rows)
        if kind == "definition_list":
            for part in _definitions(self._text, block):
                self._keep(part)
        else:
            self._keep(block)

    def _keep(self, block: Block) -> None:
        self._stack[-1].children.append(block)

    def _at(self, byte: int) -> int:
        return self._offsets.to_character(byte)


def _is_math(text: str, start: int, end: int) -> bool:
    r"""Whether a paragraph is one formula between ``\[`` and ``\]``."""
    return text.startswith("\\[", start) and text[start:end].rstrip().endswith("\\]")


# "{#id}", "{: .class}" and "{key=value}" behind a heading; "{id}" is a part of it.
_ATTRIBUTES = re.compile(r"\s\{:?\s*+(?:[#.]|[\w-]++=)[^{}]*+\}$")


def _heading_text(words: list[str]) -> str:
    return _ATTRIBUTES.sub("", " ".join("".join(words).split()))


def _frame(tag: str, detail: Any, start: int, end: int) -> _Frame:
    if tag in _LEAVES:
        return _Frame(_LEAVES[tag], start, end, is_leaf=True)
    if tag in _CONTAINERS:
        return _Frame(_CONTAINERS[tag], start, end, is_leaf=False)
    if tag == "Heading":
        frame = _Frame("heading", start, end, is_leaf=True)
        frame.level = int(detail["level"][1])
        return frame
    if tag == "CodeBlock":
        frame = _Frame("code" if detail == "Indented" else "fence", start, end, is_leaf=True)
        if detail != "Indented":
            frame.label = detail["Fenced"]
        return frame
    if tag == "BlockQuote":
        return _Frame("admonition" if detail else "quote", start, end, is_leaf=False)
    if tag == "List":
        return _Frame("list" if detail is None else "procedure", start, end, is_leaf=False)
    return _Frame("table", start, end, is_leaf=True)


def _definitions(text: str, block: Block) -> Iterator[Block]:
    """The list as items of terms and their definitions.

    pulldown-cmark takes any line that begins with a colon (``:rocket: Fast``) for a definition;
    without a blank behind the colon it is the prose that it looks like.
    """
    kept: list[Block] = []
    for group in _groups(block.children):
        cut = next((n for n, child in enumerate(group) if _is_prose(text, child)), len(group))
        if cut and group[cut - 1].kind == "term":
            cut = 0
        if cut:
            kept.append(Block("item", group[0].start, group[cut - 1].end, tuple(group[:cut])))
        if cut < len(group):
            if kept:
                yield Block("definition_list", kept[0].start, kept[-1].end, tuple(kept))
                kept = []
            yield from _paragraphs(text, group[cut:])
    if kept:
        yield Block("definition_list", kept[0].start, kept[-1].end, tuple(kept))


def _groups(children: Sequence[Block]) -> Iterator[list[Block]]:
    """Terms with the definitions behind them."""
    group: list[Block] = []
    for child in children:
        if child.kind == "term" and group and group[-1].kind != "term":
            yield group
            group = []
        group.append(child)
    if group:
        yield group


def _paragraphs(text: str, blocks: Sequence[Block]) -> Iterator[Block]:
    """The blocks as paragraphs; what stands directly below another belongs to it."""
    first = blocks[0]
    for previous, block in pairwise(blocks):
        above = text[previous.start : block.start].split("\n")[-2:-1]
        if above and not above[0].strip(" \t\r>"):
            yield Block("paragraph", first.start, previous.end)
            first = block
    yield Block("paragraph", first.start, blocks[-1].end)


def _is_prose(text: str, block: Block) -> bool:
    if block.kind != "definition":
        return False
    colon = text.find(":", block.start, block.end)
    return colon >= 0 and not text[colon + 1 : colon + 2].isspace()
