"""Grid and simple tables of reStructuredText: where rows begin, and what cells say.

Columns are told by the characters in which borders stand, as docutils does.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from functools import partial
from itertools import pairwise

from structchunk_core.formats._rst_blocks import Block
from structchunk_core.formats._rst_document import Document
from structchunk_core.formats._rst_heads import grid_heads, simple_heads
from structchunk_core.formats._rst_tables import Grid

_BORDER = re.compile(r"\+[-+=]*\+$")
_RULE = re.compile(r"=+(?: +=+)*$")
_UNDERLINE = re.compile(r"-+(?: +-+)*$")


def grid_lines(document: Document, block: Block) -> Grid:
    """The rows of a grid table; each ends with the border that closes it."""
    reader = document.reader
    top = document.line(block)
    borders = [
        line
        for line in range(block.line + 1, block.end)
        if _BORDER.match(reader.line_text(line)) and len(reader.line_text(line)) == len(top)
    ]
    double = (number for number, line in enumerate(borders) if "=" in reader.line_text(line))
    head = next(double, None)
    rows = [block.line + 1] if head is None else []
    rows += [line + 1 for line in borders[0 if head is None else head : -1]]
    edges = sorted(
        {
            at
            for line in (block.line, *borders)
            for at, mark in enumerate(_shown(document, line, block))
            if mark == "+"
        }
    )

    def read(lines: Sequence[str]) -> Sequence[str]:
        return _between(_dedented(lines), edges)

    header = []
    above = [block.line, *borders[: head + 1]] if head is not None else []
    for begin, behind in pairwise(above):
        lines = [_shown(document, line, block) for line in range(begin + 1, behind)]
        header.append(_between(lines, edges))
    heads = partial(grid_heads, edges=edges, lead=document.lead(block))
    return Grid([row for row in rows if row < block.end], header, read, heads=heads)


def _shown(document: Document, line: int, block: Block) -> str:
    """The line from the column of the table on."""
    if line == block.line:
        return document.line(block)
    reader = document.reader
    return reader.line_text(line)


def _dedented(lines: Sequence[str]) -> list[str]:
    """The lines of a grid from its left edge on."""
    return [line.strip() for line in lines]


def _between(lines: Sequence[str], edges: Sequence[int]) -> list[str]:
    """What stands between the edges of the columns; a cell over several is told for each."""
    cells: list[list[str]] = [[] for _ in edges[1:]]
    for line in lines:
        if line[:1] not in {"|", "+"} or _BORDER.match(line):
            continue
        bars = [at for at in edges if line[at : at + 1] in {"|", "+"}]
        if bars[-1:] != list(edges[-1:]):  # letters of double width: told by the bars alone
            for column, words in enumerate(line.strip("|").split("|")[: len(cells)]):
                cells[column].append(words.strip())
            continue
        for left, right in pairwise(bars):
            words = line[left + 1 : right].strip()
            if words.strip("-+="):
                for column in range(bisect_left(edges, left), bisect_left(edges, right)):
                    cells[column].append(words)
    return [" ".join(filter(None, words)) for words in cells]


def simple_lines(document: Document, block: Block) -> Grid:
    """The rows of a simple table; each begins where its first column is filled."""
    reader = document.reader
    borders = [
        line for line in range(block.line, block.end) if _RULE.match(reader.line_text(line) or "x")
    ]
    has_header = len(borders) > 2
    head = borders[1] if has_header else borders[0]
    first_columns = {block.column, reader.columns[block.line]}
    rows = [
        line
        for line in range(head + 1, borders[-1])
        if reader.columns[line] in first_columns
        if not _UNDERLINE.match(reader.line_text(line))
    ]
    if rows:
        rows[0] = head + 1
    left = block.column
    columns = [(found.start(), found.end()) for found in re.finditer("=+", document.line(block))]

    def read(lines: Sequence[str]) -> Sequence[str]:
        shown = [line[left:] for line in lines]
        kept = [line for line in shown if line.strip() and not _RULE.match(line.strip())]
        if kept and _UNDERLINE.match(kept[-1].strip()):
            return _under(kept[:-1], columns, _spans(kept[-1]))
        return _under(kept, columns, columns)

    header: list[Sequence[str]] = []
    if has_header:
        waiting: list[str] = []
        for line in range(borders[0] + 1, borders[1]):
            shown = text_from(document, line, left)
            waiting.append(shown)
            if _UNDERLINE.match(shown.strip()):
                header.append(_under(waiting[:-1], columns, _spans(shown)))
                waiting = []
        header.append(_under(waiting, columns, columns))
    lead = document.lead(block)
    heads = partial(simple_heads, columns=columns, lead=lead)
    return Grid(rows, header, read, f"{lead}{document.line(block)}", heads)


def text_from(document: Document, line: int, column: int) -> str:
    """A line from a column on."""
    reader = document.reader
    return document.text[reader.start(line) : reader.stops[line]][column:]


def _spans(underline: str) -> list[tuple[int, int]]:
    return [(found.start(), found.end()) for found in re.finditer("-+", underline)]


def _under(
    lines: Sequence[str], columns: Sequence[tuple[int, int]], spans: Sequence[tuple[int, int]]
) -> list[str]:
    """What the lines say in each column; the words of a span are told for each column in it."""
    cells: list[str] = []
    for start, _ in columns:
        number = max((n for n, (begin, _) in enumerate(spans) if begin <= start), default=0)
        begin = spans[number][0] if spans else start
        stop = spans[number + 1][0] if number + 1 < len(spans) else None
        words = " ".join(line[begin:stop].strip() for line in lines)
        cells.append("" if words.strip() == "\\" else " ".join(words.split()))
    return cells
