"""The units of blocks that AsciiDoc and Org mark by lines around them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from structchunk_core.detect import language_of_tag
from structchunk_core.formats import ParseOptions
from structchunk_core.formats._text_blanks import BLANK_LINE, behind_blanks
from structchunk_core.formats._text_blocks import blocks
from structchunk_core.formats._text_lists import introduces
from structchunk_core.formats._text_markup import Marked, blocks_inside
from structchunk_core.unit import Tie, Unit, make_repeat, make_unit, retied

_DEEPEST = 8
"""Blocks nested deeper than this are plain text."""
_GOES_ON = re.compile(r"\n[ \t]*\+[ \t\r]*\n\Z")
_ROW = re.compile(r"^(?=[^\n|]{0,20}\|)", re.MULTILINE)
_BELOW_BLANK = re.compile(r"\n[ \t\r]*\n(?=[^\n|]{0,20}\|)")


class Writing(NamedTuple):
    """A text with what its blocks are read by."""

    text: str
    path: str
    options: ParseOptions


def marked_units(
    writing: Writing, marked: Sequence[Marked], start: int, end: int, depth: int = 0
) -> Iterator[Unit]:
    """The text between the positions: its marked blocks, and plain text around them.

    Args:
        writing: the text.
        marked: the blocks that are between the positions, in order.
        start: where it begins.
        end: where it ends.
        depth: how many blocks are around it.
    """
    text, position = writing.text, start
    for block in marked:
        begin, tie = block.start, Tie.LOOSE
        if text[position:begin].isspace():
            begin = position
        elif begin > position:
            yield from blocks(text, position, begin)
            near = max(position, begin - 80)
            if introduces(text, position, begin) or _GOES_ON.search(text, near, begin):
                tie = Tie.CLOSE
        yield _unit(writing, block, begin, tie, depth)
        position = block.end
    if position < end:
        yield from blocks(text, position, end)


def _unit(writing: Writing, block: Marked, start: int, tie: Tie, depth: int) -> Unit:
    text = writing.text
    mark = text[text.rfind("\n", block.start, block.body - 1) + 1 or block.start : block.body]
    kind, language, head = "fence", language_of_tag(block.language) or block.language, block.body
    inner = partial(_code, writing, block)
    if mark.startswith("|==="):
        kind, language, head = "table", "", _head_end(text, block)
        inner = partial(_rows, text, head, block.close)
    elif block.holds_text and depth < _DEEPEST:
        kind, language, inner = "admonition", "", partial(_content, writing, block, depth + 1)

    def children() -> Iterator[Unit]:
        yield make_unit("table_head" if kind == "table" else "fence_mark", start, head, tie=tie)
        if head < block.close:
            below = inner()
            for unit in below:
                yield retied(unit, Tie.HEAD)
                break
            yield from below
        yield make_unit("fence_mark", block.close, block.end, tie=Tie.HEAD)

    repeat = make_repeat(
        text[block.start : head].rstrip() + "\n",
        "\n" + text[block.close : block.end].rstrip(),
        (mark,) if head > block.body else (),
        required=True,
    )
    return make_unit(
        kind, start, block.end, tie=tie, language=language, repeat=repeat, opener=children
    )


def _code(writing: Writing, block: Marked) -> Iterator[Unit]:
    from structchunk_core.formats.embedded import embedded_units

    start, end = block.body, block.close
    units = embedded_units(writing.text, start, end, block.language, writing.options)
    yield from units or (make_unit("code_text", start, end),)


def _content(writing: Writing, block: Marked, depth: int) -> Iterator[Unit]:
    inside = blocks_inside(writing.text, writing.path, block.body, block.close)
    return marked_units(writing, inside, block.body, block.close, depth)


def _head_end(text: str, block: Marked) -> int:
    """Behind the header of a table: its first line, where a blank one is below that alone."""
    if BLANK_LINE.match(text, block.body):
        return block.body
    line_end = text.find("\n", block.body, block.close) + 1 or block.close
    behind = behind_blanks(text, line_end - 1)
    return behind if line_end < behind < block.close else block.body


def _rows(text: str, start: int, end: int) -> Iterator[Unit]:
    """The rows of a table: lines up to a blank one, or each line where there is none."""
    pattern = _BELOW_BLANK if _BELOW_BLANK.search(text, start, end) else _ROW
    starts = [found.end() for found in pattern.finditer(text, start, end) if found.end() > start]
    for begin, behind in pairwise((start, *starts, end)):
        if begin < behind:
            yield make_unit("row", begin, behind, tie=Tie.NEXT)
