"""Tables of reStructuredText: where their rows begin, and what their cells say.

Grid and simple tables, and the directives ``table``, ``list-table`` and ``csv-table``. Columns
are told by the characters in which borders stand, as docutils does.
"""

from __future__ import annotations

import csv
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from structchunk_core.formats._glue import Caption
from structchunk_core.formats._rst_blocks import Block, Directive, Inside
from structchunk_core.formats._rst_document import Document
from structchunk_core.source import line_start
from structchunk_core.table_model import Table, column_names
from structchunk_core.tables import Carried, table_unit
from structchunk_core.unit import Tie, Unit

_BORDER = re.compile(r"\+[-+=]*\+$")
_RULE = re.compile(r"=+(?: +=+)*$")
_UNDERLINE = re.compile(r"-+(?: +-+)*$")
_ITEM = re.compile(r"[-*+\u2022\u2023\u2043](?=\s|$)")
_NAMED = {"comma": ",", "semicolon": ";", "space": " ", "tab": "\t"}


_NO_CAPTION = Caption()


@dataclass(frozen=True, slots=True)
class Grid:
    """A table by lines.

    Attributes:
        rows: the line at which each body row begins.
        header: for each header row what its cells say.
        read: from the lines of a row, without their ends, to what its cells say.
        closing: the line that has to close each part, or ``""``.
    """

    rows: Sequence[int]
    header: Sequence[Sequence[str]]
    read: Callable[[Sequence[str]], Sequence[str]]
    closing: str = ""


def unit_of(
    document: Document,
    block: Block,
    start: int,
    end: int,
    tie: Tie,
    node_type: str,
    grid: Grid,
    caption: Caption = _NO_CAPTION,
) -> Unit:
    """The unit of a table, whose head is all that stands above its first row.

    Args:
        document: what it stands in.
        block: the table, or the directive around it.
        start: where the unit begins, in characters.
        end: where it ends.
        tie: how it holds on to what is above.
        node_type: the parser's own name for it.
        grid: its rows.
        caption: what stands beside it; a directive has its own.
    """
    text, reader = document.text, document.reader
    rows = [reader.start(line) for line in grid.rows]
    if not rows or rows[0] <= start:
        return Unit("table", start, end, tie=tie, node_type=node_type)

    def cell_starts(row_start: int, row_end: int) -> Iterator[int]:
        yield row_start
        line = bisect_left(reader.starts, row_start) + 1
        while line < len(reader) and reader.start(line) < row_end:
            if not reader.is_blank(line):
                yield reader.start(line)
            line += 1

    def read(row_start: int, row_end: int) -> Sequence[str]:
        return grid.read(text[row_start:row_end].splitlines())

    head = text[start : rows[0]]
    lead = text[line_start(text, block.begin) : block.begin]
    if lead.strip():  # a mark of a list stands in front of it
        head = document.lead(block) + text[block.begin : rows[0]]
    own = block.directive.argument if block.directive else ""
    words, is_below = ("", False) if own else caption
    title = own or words
    table = Table(
        column_names(grid.header),
        rows,
        end,
        read,
        " ".join(title.strip("*_").split()),
        has_header=any(map(any, grid.header)),
    )
    carried = Carried(
        head,
        f"{document.lead(block)}{words}\n\n" if words and not is_below else "",
        after=f"\n{grid.closing}" if grid.closing else "",
        below=f"\n\n{document.lead(block)}{words}" if is_below else "",
    )
    return table_unit(
        (start, end),
        table,
        carried,
        head_end=rows[0],
        cell_starts=cell_starts,
        tie=tie,
        node_type=node_type,
    )


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
    return Grid([row for row in rows if row < block.end], header, read)


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
    rows = [
        line
        for line in range(head + 1, borders[-1])
        if reader.column(line) == reader.column(block.line) or block.column == reader.column(line)
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
    closing = f"{document.lead(block)}{document.line(block)}"
    return Grid(rows, header, read, closing)


def text_from(document: Document, line: int, column: int) -> str:
    """A line from a column on."""
    reader = document.reader
    return document.text[reader.start(line) : reader.stop(line)][column:]


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


def directive_lines(document: Document, block: Block) -> Grid | None:
    """The rows of the one table or list that a table directive holds; None if it does not."""
    directive = block.directive
    assert directive is not None
    if directive.content >= block.end:
        return None
    inside = Inside(directive.content, block.end, directive.column)
    if directive.name == "csv-table":
        return _csv_lines(document, inside, directive)
    blocks = document.reader.blocks(inside)
    if len(blocks) != 1:
        return None
    (inner,) = blocks
    if inner.kind == "list" and directive.name == "list-table":
        return _list_lines(document, inner, _number(directive, "header-rows"))
    if inner.kind == "grid_table":
        return grid_lines(document, inner)
    return simple_lines(document, inner) if inner.kind == "simple_table" else None


def _list_lines(document: Document, block: Block, header_rows: int) -> Grid:
    """Each item is a row, and each item of the list in it a cell."""
    header = []
    for item in block.items[:header_rows]:
        start = line_start(document.text, item.begin)
        stop = document.reader.stop(item.end - 1)
        header.append(_read_item(document.text[start:stop].splitlines()))
    return Grid([item.line for item in block.items[header_rows:]], header, _read_item)


def _read_item(lines: Sequence[str]) -> list[str]:
    cells: list[list[str]] = []
    column = -1
    for line in lines:
        shown = line.strip()
        if not shown:
            continue
        at = len(line) - len(line.lstrip())
        if column < 0:
            shown = shown[1:].lstrip()  # behind the mark of the row
            at = line.index(shown, at + 1) if shown else len(line)
            column = at
        if at == column and _ITEM.match(shown):
            cells.append([shown[1:].strip()])
        elif cells:
            cells[-1].append(shown)
    return [" ".join(words).strip() for words in cells]


def _csv_lines(document: Document, inside: Inside, directive: Directive) -> Grid:
    """A record begins on a line that no quoted cell reaches into."""
    reader = document.reader
    rows: list[int] = []
    quotes = 0
    for line in range(inside.line, inside.end):
        if quotes % 2 == 0 and not reader.is_blank(line):
            rows.append(line)
        if not reader.is_blank(line):
            quotes += reader.line_text(line).count('"')
    mark = directive.options.get("delim", ",").strip()
    delimiter = _NAMED.get(mark, mark[:1] or ",")

    def read(lines: Sequence[str]) -> list[str]:
        kept = [line.strip() for line in lines if line.strip()]
        try:
            records = list(csv.reader(kept, delimiter=delimiter, skipinitialspace=True))
        except csv.Error:  # a cell larger than the module allows
            return kept
        return [cell.strip() for record in records for cell in record]

    header = []
    if named := directive.options.get("header", ""):
        header.append(read([named]))
    count = _number(directive, "header-rows")
    for number, first in enumerate(rows[:count]):
        behind = rows[number + 1] if number + 1 < len(rows) else inside.end
        header.append(read([text_from(document, line, 0) for line in range(first, behind)]))
    return Grid(rows[count:], header, read)


def _number(directive: Directive, option: str) -> int:
    value = directive.options.get(option, "0").strip()
    return int(value) if value.isascii() and value.isdecimal() and len(value) < 4 else 0
