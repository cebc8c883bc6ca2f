"""Lines of a Markdown text that are one thing although CommonMark sees several blocks in them.

Display math with blank lines, ``:::`` and ``///`` containers, ``!!!``, ``???`` and ``===`` with
the lines indented below them, and HTML or JSX elements whose tags stand in different blocks.
They are found by their lines in what a first reading leaves open (not inside code), hidden from
a second reading behind an empty heading, and read by themselves when they have to be opened.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from structchunk_core.formats._markdown_blocks import (
    TAB_STOP,
    Block,
    Blocks,
    Leaf,
    Region,
    leading,
)
from structchunk_core.formats._markdown_html import is_heading
from structchunk_core.formats._markdown_reader import read_blocks

_READINGS = 3


def read_with_regions(text: str) -> Blocks:
    """The blocks of the text, with each region as one block of kind ``region``."""
    blocks = read_blocks(text)
    if not _may_have_regions(blocks):
        return blocks
    regions: Sequence[Region] = _regions(blocks)
    spliced = _spliced(blocks, regions) if regions else None
    if spliced is not None:
        return spliced
    for _ in range(_READINGS - 1):
        if not regions:
            break
        by_start = {region.start: region for region in regions}
        again = read_blocks(_hidden(text, regions), by_start)
        if len(again.regions) == len(regions):
            return again
        regions = (
            again.regions
        )  # the others stand where no block can begin: read again without them
    return blocks


def _spliced(blocks: Blocks, regions: Sequence[Region]) -> Blocks | None:
    """What a second reading would say, without one: blocks that a region holds whole are that.

    None where a region begins or ends inside an outermost block: only a second reading tells then
    what becomes of the rest of it.
    """
    text = blocks.text
    if blocks.deep >= 0:
        return None
    found: list[Block] = []
    outermost = iter(blocks.blocks)
    block = next(outermost, None)
    for region in regions:
        while block is not None and block.start < region.start:
            found.append(block)
            block = next(outermost, None)
        if block is None or block.start != region.start:
            return None
        end = region.start
        while block is not None and block.start < region.end:
            end = block.end
            block = next(outermost, None)
        if end > region.end and text[region.end : end].strip():
            return None
        found.append(Block("region", region.start, region.end, region=region))
    if block is not None:
        found += [block, *outermost]
    return Blocks(_hidden(text, regions), tuple(found), regions=tuple(regions))


def _may_have_regions(blocks: Blocks) -> bool:
    """Whether anything outside code may open one: a line with a mark, or a closing tag."""
    text = blocks.text
    patterns = [_CLOSING] if "</" in text else []
    if any(mark in text for mark in (*_INDENTING, *_CONTAINING, _DOLLAR)):
        patterns.append(_OPENING)
    if not patterns:
        return False
    code = blocks.code()
    starts = [start for start, _ in code]
    for pattern in patterns:
        for found in pattern.finditer(text):
            number = bisect_right(starts, found.start()) - 1
            if number < 0 or found.start() >= code[number][1]:
                return True
    return False


_INDENTING = ("!!!", "???", "===")
_CONTAINING = (":::", "///")
_DOLLAR = "$$"
_OPENING = re.compile(r"^[ \t]*+(?::::|///|\$\$|!!!|\?\?\?|===[!+]?[ \t])", re.MULTILINE)
_CLOSING = re.compile(r"</[A-Za-z]")
_NOT_LINE_END = re.compile(r"[^\n]+")


def _hidden(text: str, regions: Sequence[Region]) -> str:
    """The text, as long as before, with an empty heading and blanks instead of each region."""
    pieces: list[str] = []
    position = 0
    for region in regions:
        pieces.append(text[position : region.start])
        pieces.append("# ")
        rest = text[region.start + 2 : region.end]
        pieces.append(_NOT_LINE_END.sub(lambda found: " " * len(found[0]), rest))
        position = region.end
    pieces.append(text[position:])
    return "".join(pieces)


def _regions(blocks: Blocks) -> list[Region]:
    """The outermost regions, in order."""
    leaves = _Leaves(blocks)
    text = blocks.text
    found: list[Region] = []
    if _DOLLAR in text:
        found.extend(_math(blocks, leaves))
    if any(mark in text for mark in _CONTAINING):
        found.extend(_containers(text, leaves))
    if any(mark in text for mark in _INDENTING):
        found.extend(_indented(text, leaves))
    if "</" in text:
        found.extend(_elements(text, leaves))
    found.sort(key=lambda region: (region.start, -region.end))
    kept: list[Region] = []
    reached = 0
    for region in found:
        if region.start >= reached:
            kept.append(region)
        elif region.tag_start >= reached:
            kept.append(replace(region, start=region.tag_start))
        else:
            continue
        reached = region.end
    return kept


class _Leaves:
    """The blocks without blocks in them, to look up by position."""

    def __init__(self, blocks: Blocks) -> None:
        self.all = blocks.leaves()
        self._starts = [start for _, start, _ in self.all]
        self._headings = [
            start
            for kind, start, end in self.all
            if kind == "heading" or (kind == "html" and is_heading(blocks.text, start, end))
        ]
        self._fences = [start for kind, start, _ in self.all if kind == "fence"]

    def kind_at(self, position: int) -> str:
        """The kind of the leaf that holds the position, or ``""``."""
        number = bisect_right(self._starts, position) - 1
        if number < 0:
            return ""
        kind, _, end = self.all[number]
        return kind if position < end else ""

    def is_code(self, position: int) -> bool:
        """Whether the position is in something that is no Markdown."""
        return self.kind_at(position) in {"fence", "code", "html"}

    def has_heading(self, start: int, end: int) -> bool:
        """Whether a heading begins in the half-open span."""
        return bisect_left(self._headings, start) < bisect_left(self._headings, end)

    def has_fence(self, start: int, end: int) -> bool:
        """Whether a fence begins in the half-open span."""
        return bisect_left(self._fences, start) < bisect_left(self._fences, end)


# Display math

_DOLLARS = re.compile(r"^[ \t]*+(\$\$)[ \t]*+\r?$", re.MULTILINE)
_DOLLARS_LAST = re.compile(r"\$\$[ \t]*+\r?$", re.MULTILINE)


def _math(blocks: Blocks, leaves: _Leaves) -> Iterator[Region]:
    """From a line of ``$$`` to the next line that ends with it, blank lines included."""
    text = blocks.text
    starts = [start for start, _ in blocks.math]
    position = 0
    while opening := _DOLLARS.search(text, position):
        start = opening.start(1)
        number = bisect_right(starts, start) - 1
        if number >= 0 and start < blocks.math[number][1]:
            position = max(opening.end(), blocks.math[number][1])  # the parser sees it whole
            continue
        position = opening.end()
        closing = _DOLLARS_LAST.search(text, position)
        if closing is None:
            return
        line = text.rfind("\n", 0, closing.start()) + 1
        # A blank line below the first mark or above the last: these two are no pair.
        torn = (
            _is_blank_line(text, position + 1)
            or (not text[line : closing.start()].strip() and _is_blank_line(text, line - 1))
            or "$$" in text[line : closing.start()]
        )
        if torn or leaves.is_code(start) or leaves.has_fence(start, closing.start()):
            continue
        position = closing.end()
        yield Region("math", start, position, position, position)


def _is_blank_line(text: str, position: int) -> bool:
    """Whether the line that holds the position has nothing visible in it."""
    end = text.find("\n", position)
    line = text[text.rfind("\n", 0, position) + 1 : len(text) if end < 0 else end]
    return not line.strip()


# Containers

_MARKS = re.compile(r"^[ \t]*+(?P<marks>:{3,}+|/{3,}+)(?P<rest>[^\n]*+)", re.MULTILINE)


def _containers(text: str, leaves: _Leaves) -> Iterator[Region]:
    """From ``::: name`` or ``/// name`` to the line of marks that closes it."""
    opened: list[tuple[str, int, int]] = []  # marks, start, end of the line
    depth: Counter[str] = Counter()
    for line in _MARKS.finditer(text):
        marks = line["marks"]
        start = line.start("marks")
        if leaves.is_code(start):
            continue
        if line["rest"].strip():
            if marks[0] == ":" or line["rest"][0].isspace():
                opened.append((marks, start, line.end()))
                depth[marks] += 1
            continue
        if not depth[marks] and not (
            opened and opened[-1][0][0] == marks[0] and len(opened[-1][0]) < len(marks)
        ):
            continue
        exact = depth[marks] > 0
        while opened:
            opener, begin, begin_end = opened.pop()
            depth[opener] -= 1
            if opener == marks or not exact:
                break
        yield Region(
            "admonition",
            begin,
            line.end(),
            min(begin_end + 1, line.start()),
            line.start(),
            column_of(text, begin),
        )


def column_of(text: str, position: int) -> int:
    """The column at which the first visible character of a line stands."""
    start = text.rfind("\n", 0, position) + 1
    column = 0
    for character in text[start:position]:
        column += TAB_STOP - column % TAB_STOP if character == "\t" else 1
    return column


# Indented below an opener

_OPENER = re.compile(
    r"^[ \t]*+(?P<mark>!!!|\?\?\?\+?+|===[!+]?+(?=[ \t]++[\"']))[ \t]++[^\s][^\n]*+", re.MULTILINE
)


def _indented(text: str, leaves: _Leaves) -> Iterator[Region]:
    """``!!!``, ``???`` and ``===`` lines with all that is indented below them."""
    position = 0
    while opening := _OPENER.search(text, position):
        start = opening.start("mark")
        position = opening.end()
        if leaves.is_code(start):
            continue
        columns = column_of(text, start) + TAB_STOP
        end = last = position
        while end < len(text):
            line = end + 1
            end = text.find("\n", line)
            end = len(text) if end < 0 else end
            first, column = leading(text, line, end, columns)
            if column >= columns:
                last = end if text[first:end].strip() else last
            elif text[first:end].strip():
                break
        if last > position:
            kind = "tab" if opening["mark"].startswith("=") else "admonition"
            yield Region(kind, start, last, position + 1, last, columns)
            position = last


# Elements

_TAG = re.compile(
    r"<!--(?s:.*?)(?:-->|\Z)|<(?P<close>/?)(?P<name>[A-Za-z][\w.-]*+)(?=[\s/>])", re.ASCII
)
_LAST_CLOSE = re.compile(r"</[A-Za-z][\w.-]*+>[ \t]*+\r?$", re.MULTILINE)
_BLANK_LINE = re.compile(r"\n[ \t]*+\r?\n")
_LONG_TAG = 2000
_TAG_STOP = re.compile(r"[\"'{}<>]")
# Their text is no Markdown: the parser reads them to their end.
_RAW = re.compile(r"<(?:[!?]|(?:script|pre|style|textarea)\b)", re.IGNORECASE)
# Elements without content, and those that stand inside a line; "Link" is a component of JSX.
_NO_BLOCKS = re.compile(
    r"area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr"
    r"|a|abbr|b|bdi|bdo|big|cite|code|del|dfn|em|font|i|ins|kbd|label|mark|q|s|samp|small|span"
    r"|strike|strong|sub|sup|time|tt|u|var"
    r"|A|B|BR|CODE|COL|FONT|HR|I|IMG|INPUT|LINK|META"
)
_HOLDS_HEADINGS = frozenset({"details", "tab", "tabitem", "tabs", "accordion"})


def _elements(text: str, leaves: _Leaves) -> Iterator[Region]:
    """Elements whose open and close tags stand in different blocks.

    One that has headings in it only wraps a part of the document and is none, unless it is one
    of those that hide what is in them.
    """
    opened: list[tuple[str, int, int, int]] = []  # name, start and end of the tag, start of block
    depth: Counter[str] = Counter()
    for block_start, name, closes, start, end in _tags(text, leaves.all):
        if not closes:
            opened.append((name, start, end, block_start))
            depth[name] += 1
            continue
        if not depth[name]:
            continue
        other = ""
        while other != name:
            other, begin, begin_end, begin_block = opened.pop()
            depth[other] -= 1
        is_apart = begin_block != block_start
        if is_apart and (name in _HOLDS_HEADINGS or not leaves.has_heading(begin, start)):
            yield _element(text, begin_block, (begin, begin_end), (start, end))


def _element(text: str, block_start: int, first: tuple[int, int], last: tuple[int, int]) -> Region:
    end = text.find("\n", last[1])
    end = len(text) if end < 0 else end
    inner_start = text.find("\n", first[1]) + 1
    inner_end = max(inner_start, text.rfind("\n", 0, last[0]) + 1)
    columns = _common_columns(text, inner_start, inner_end)
    return Region("html", block_start, end, inner_start, inner_end, columns, first[0])


def _common_columns(text: str, start: int, end: int) -> int:
    """How far every visible line of the half-open span is indented."""
    common = -1
    position = start
    while position < end and common:
        stop = text.find("\n", position, end) + 1 or end
        line = text[position:stop]
        if line.strip():
            columns = column_of(text, position + len(line) - len(line.lstrip()))
            common = columns if common < 0 else min(common, columns)
        position = stop
    return max(0, common)


def _tags(text: str, leaves: Sequence[Leaf]) -> Iterator[tuple[int, str, bool, int, int]]:
    """For each tag that may hold blocks: start of its block, name, whether it closes, its span."""
    reached = 0
    for kind, begin, behind in leaves:
        is_html = kind == "html"
        if not (is_html or kind == "paragraph") or begin < reached:
            continue
        if text.find("<", begin, behind) < 0 or (is_html and _RAW.match(text, begin)):
            continue
        for name, closes, start, end in _tags_of(text, begin, behind, is_html):
            reached = end
            yield begin, name, closes, start, end


def _tags_of(
    text: str, first: int, end: int, is_html: bool
) -> Iterator[tuple[str, bool, int, int]]:
    """The tags of a block; of prose those on lines that begin with one, or end with its close."""
    position = first
    begins = False
    while found := _TAG.search(text, position, end):
        line = text.rfind("\n", position, found.start())
        if line >= 0 or position == first:
            begins = not text[max(line + 1, position) : found.start()].strip(" \t>")
        position = found.end()
        if found["name"] is None:
            continue
        if not (is_html or begins) and not _LAST_CLOSE.match(text, found.start(), end):
            continue
        stop = _tag_end(text, position, end)
        if stop < 0:
            # Lines of attributes (of JSX) may look like other blocks, down to a blank line.
            blank = _BLANK_LINE.search(text, position, end + _LONG_TAG)
            stop = _tag_end(text, position, blank.start() if blank else end + _LONG_TAG)
        if stop < 0:
            return
        position = stop
        is_whole = text[stop - 1] == ">" and text[stop - 2] != "/"
        if is_whole and not _NO_BLOCKS.fullmatch(found["name"]):
            yield found["name"].lower(), bool(found["close"]), found.start(), stop


def _tag_end(text: str, position: int, end: int) -> int:
    """One past the ``>`` of a tag, or where the next begins, or -1 when it does not end."""
    braces = 0
    while found := _TAG_STOP.search(text, position, end):
        mark = found[0]
        position = found.end()
        if mark == "{":
            braces += 1
        elif mark == "}":
            braces = max(0, braces - 1)
        elif braces:
            continue
        elif mark == ">":
            return position
        elif mark == "<":
            return found.start()
        else:
            position = text.find(mark, position, end) + 1
            if position == 0:
                return -1
    return -1
