"""The blocks of a Markdown text, as pulldown-cmark sees them.

Only blocks are kept. Most events of the parser are about what stands inside a paragraph: they
are looked at for the plain text of headings and to tell display math from prose, and passed over
everywhere else.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from structchunk_core.formats._markdown_blocks import (
    Block,
    Blocks,
    Inside,
    Leaf,
    Region,
    Rows,
    make_block,
    walk_blocks,
)
from structchunk_core.offsets import ByteOffsets

MAX_DEPTH = 100
"""Blocks nested deeper than this are text of the block around them."""


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
    events = iter(pyromark.events_with_range(text, options=options))
    return _Reader(text, regions or {}).read(events)


_LEAVES = {
    "Paragraph": "paragraph",
    "Heading": "heading",
    "CodeBlock": "fence",
    "HtmlBlock": "html",
    "DefinitionListTitle": "term",
}
_CONTAINERS = {
    "Item": "item",
    "List": "list",
    "BlockQuote": "quote",
    "Table": "table",
    "FootnoteDefinition": "footnote",
    "DefinitionList": "definition_list",
    "DefinitionListDefinition": "definition",
}
_TABLE_PARTS = frozenset({"TableHead", "TableRow", "TableCell"})
_BLOCK_TAGS = frozenset({*_LEAVES, *_CONTAINERS, *_TABLE_PARTS})
_BREAKS = frozenset({"SoftBreak", "HardBreak"})
_TEXTS = frozenset({"Text", "Code", "InlineMath", "DisplayMath"})

_Row = list[Any]
"""Kind, start and end of a block, and the number of the first block behind all in it."""

_END, _BEHIND = 2, 3
_LINE_ENDS = frozenset("\r\n")
_VISIBLE = re.compile(r"\S")

_Events = Iterator[tuple[Any, Any]]
"""Events of the parser, each with its half-open span in bytes: ``start`` and ``end``."""


class _Reader:
    """Collects blocks from events into rows of a few values, in document order; positions in bytes.

    Most blocks stand in others and are never asked for: values are made of the outermost, and of
    what is inside them on demand.
    """

    def __init__(self, text: str, regions: Mapping[int, Region]) -> None:
        self._text = text
        self._regions = regions
        self._is_ascii = text.isascii()
        self._offsets = ByteOffsets(text)
        self._listed: list[_Row] = []
        self._levels: dict[int, int] = {}  # of headings
        self._labels: dict[int, str] = {}  # of headings and fences
        self._rows: dict[int, array[int]] = {}  # where those of the body of a table begin
        self._found: dict[int, Region] = {}
        self._may_hold_math = "$$" in text
        self._formulas: set[int] = set()  # paragraphs with display math
        self._prose: set[int] = set()  # and those of them with anything else
        self._math: list[tuple[int, int]] = []
        # What is being read:
        self._around: list[int] = []  # the blocks around; nesting costs no recursion
        self._row_starts: array[int] | None = None  # of the table around
        self._skipped = 0  # how many blocks around are nested too deeply
        self._deep = -1

    def read(self, events: _Events) -> Blocks:
        """All blocks that the events tell of."""
        name: str
        value: Any
        listed, around = self._listed, self._around
        tight = -1  # a paragraph that the parser does not announce, as in tight lists
        for event, span in events:
            if type(event) is str:
                if event == "Rule":
                    tight = -1
                    if not self._skipped:
                        listed.append(["rule", span["start"], span["end"], len(listed) + 1])
                    continue
                name, value = event, None
            else:
                name, value = event.popitem()
            if name == "Start":
                name, detail = (value, None) if type(value) is str else value.popitem()
                if name in _BLOCK_TAGS:
                    tight = -1
                    if self._skipped or len(around) >= MAX_DEPTH:
                        self._begin(name, detail, span)
                    elif name in _LEAVES:
                        self._leaf(name, detail, span, events)
                    elif name == "Table" and not self._may_hold_math:
                        self._table(span, events)
                    else:
                        self._begin(name, detail, span)
                    continue
            elif name == "End":
                tag = value if type(value) is str else next(iter(value))
                if tag in _BLOCK_TAGS:
                    tight = -1
                    self._end(tag)
                continue
            if tight >= 0:
                listed[tight][_END] = max(listed[tight][_END], span["end"])
            elif self._row_starts is None and not self._skipped:
                tight = len(listed)
                listed.append(["paragraph", span["start"], span["end"], tight + 1])
            if self._may_hold_math and not self._skipped:
                self._note(tight, name, value, span)
        blocks = tuple(self._blocks(0, len(listed)))
        return Blocks(
            self._text,
            blocks,
            tuple(self._math),
            self._deep,
            tuple(self._found.values()),
            self._leaves,
            self._code,
        )

    def _begin(self, tag: str, detail: Any, span: Mapping[str, int]) -> None:
        """A block that holds others, a part of a table, or what is nested too deeply."""
        listed, around = self._listed, self._around
        if self._skipped or len(around) >= MAX_DEPTH:
            if self._deep < 0:
                self._deep = self._offsets.to_character(span["start"])
            self._skipped += 1
        elif tag in _CONTAINERS:
            around.append(len(listed))
            listed.append([_kind(tag, detail), span["start"], span["end"], len(listed) + 1])
            if tag == "Table":
                self._row_starts = self._rows[around[-1]] = array("q")
        elif tag == "TableRow" and self._row_starts is not None:
            self._row_starts.append(span["start"])

    def _end(self, tag: str) -> None:
        if self._skipped:
            self._skipped -= 1
        elif tag not in _TABLE_PARTS:
            self._listed[self._around.pop()][_BEHIND] = len(self._listed)
            self._row_starts = None

    def _leaf(self, tag: str, detail: Any, span: Mapping[str, int], events: _Events) -> None:
        """A block without blocks in it, with all events up to its end."""
        listed = self._listed
        number = len(listed)
        kind = _LEAVES[tag]
        if kind == "fence":
            if detail == "Indented":
                kind = "code"
            else:
                self._labels[number] = detail["Fenced"]
        listed.append([kind, span["start"], span["end"], number + 1])
        if kind == "heading":
            self._levels[number] = int(detail["level"][1])
            self._labels[number] = self._words(events)
            if self._regions:
                region = self._regions.get(self._offsets.to_character(span["start"]))
                if region is not None:
                    self._found[number] = region
        elif self._may_hold_math and kind not in {"fence", "code"}:
            for event, inner in events:
                if type(event) is not str:
                    name, value = event.popitem()
                    if name != "End":
                        self._note(number, name, value, inner)
                    elif value == tag:
                        break
        else:
            for event, _ in events:  # a dictionary, or the name of a break, which holds no "End"
                if "End" in event and event["End"] == tag:
                    break

    def _table(self, span: Mapping[str, int], events: _Events) -> None:
        """A table, with all events up to its end: only where its rows begin is kept."""
        number = len(self._listed)
        self._listed.append(["table", span["start"], span["end"], number + 1])
        starts = self._rows[number] = array("q")
        for event, inner in events:  # as in a leaf: breaks hold none of these words
            if "Start" in event:
                if event["Start"] == "TableRow":
                    starts.append(inner["start"])
            elif "End" in event and event["End"] == "Table":
                break

    def _words(self, events: _Events) -> str:
        """The plain text of a heading."""
        words: list[str] = []
        for event, span in events:
            if type(event) is str:
                words.append(" ")
                continue
            name, value = event.popitem()
            if name in _TEXTS:
                words.append(value)
                if name == "DisplayMath":
                    self._note(-1, name, value, span)
            elif name == "End" and "Heading" in value:
                break
        text = " ".join("".join(words).split())
        return _ATTRIBUTES.sub("", text) if text.endswith(("}", "]")) else text

    def _note(self, number: int, name: str, value: Any, span: Mapping[str, int]) -> None:
        """What stands in a paragraph that may be nothing but display math."""
        if name == "DisplayMath":
            at = self._offsets.to_character
            self._math.append((at(span["start"]), at(span["end"])))
            self._formulas.add(number)
        elif name not in _BREAKS and (name != "Text" or not value.isspace()):
            self._prose.add(number)

    def _blocks(self, first: int, stop: int) -> Iterator[Block]:
        """The blocks that are no part of another one among the numbers from first to stop."""
        number = first
        while number < stop:
            block = self._block(number)
            if block.kind == "definition_list":
                yield from _definitions(self._text, block)
            else:
                yield block
            number = self._listed[number][_BEHIND]

    def _block(self, number: int) -> Block:
        kind, start, end, behind = self._listed[number]
        rows = None
        start, end = self._place(start, end)
        if number in self._found:
            region = self._found[number]
            return Block("region", start, region.end, region=region)
        inside: tuple[Block, ...] | Inside = ()
        if kind == "paragraph":
            if self._is_math(number, start, end):
                kind = "math"
        elif behind > number + 1:
            inside = Inside(self._blocks, number + 1, behind)
        elif kind == "table":
            rows = Rows(self._rows[number], self._offsets)
        level = self._levels.get(number, 0)
        return make_block(kind, start, end, inside, level, self._labels.get(number, ""), rows)

    def _place(self, start: int, end: int) -> tuple[int, int]:
        """Where a block of these bytes stands, in characters."""
        if not self._is_ascii:
            at = self._offsets.to_character
            start, end = at(start), at(end)
        if self._text[start] in _LINE_ENDS:
            # What stands behind a tab begins, says the parser, with the end of the line above.
            visible = _VISIBLE.search(self._text, start, end)
            start = visible.start() if visible else start
        return start, end

    def _is_math(self, number: int, start: int, end: int) -> bool:
        r"""Whether a paragraph is nothing but formulas, or one between ``\[`` and ``\]``."""
        if number in self._formulas:
            return number not in self._prose
        text = self._text
        return text.startswith("\\[", start) and text[start:end].rstrip().endswith("\\]")

    def _code(self) -> list[tuple[int, int]]:
        at = self._offsets.to_character
        return [
            (at(start), at(end))
            for kind, start, end, _ in self._listed
            if kind in {"fence", "code"}
        ]

    def _leaves(self) -> list[Leaf]:
        found: list[Leaf] = []
        listed = self._listed
        may_be_math = self._may_hold_math or "\\[" in self._text
        number = 0
        while number < len(listed):
            kind, start, end, behind = listed[number]
            if kind == "definition_list":  # some of it may be prose
                below = walk_blocks(tuple(self._blocks(number, behind)))
                found += [(one.kind, one.start, one.end) for one in below if not one.children]
                number = behind
                continue
            if behind == number + 1:
                start, end = self._place(start, end)
                if may_be_math and kind == "paragraph" and self._is_math(number, start, end):
                    kind = "math"
                found.append((kind, start, end))
            number += 1
        return found


# "{#id}", "{: .class}", "{key=value}" and Nextra's "[#id]" behind a heading; "{id}" and "[#12]" are
# parts of it.
_ATTRIBUTES = re.compile(r"\s(?:\{:?\s*+(?:[#.]|[\w-]++=)[^{}]*+\}|\[#[^\W\d_][\w-]*+\])$")


def _kind(tag: str, detail: Any) -> str:
    if tag == "List" and detail is not None:
        return "procedure"
    return "admonition" if tag == "BlockQuote" and detail else _CONTAINERS[tag]


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
