"""Tables of reStructuredText: where their rows begin, and what their cells say.

Grid and simple tables, and the directives ``table``, ``list-table`` and ``csv-table``. Columns
are told by the characters in which borders stand, as docutils does.
"""

from __future__ import annotations

import csv
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate, pairwise

from structchunk_core.formats._glue import Caption
from structchunk_core.formats._rst_blocks import Block, Directive, Inside
from structchunk_core.formats._rst_document import Document
from structchunk_core.formats._rst_heads import (
    Heads,
    csv_heads,
    grid_heads,
    list_heads,
    simple_heads,
)
from structchunk_core.source import line_start
from structchunk_core.table_model import Table, column_names, short_names
from structchunk_core.tables import Carried, shortened_caption, table_unit
from structchunk_core.unit import Tie, Unit

_BORDER = re.compile(r"\+[-+=]*\+$")
_RULE = re.compile(r"=+(?: +=+)*$")
_UNDERLINE = re.compile(r"-+(?: +-+)*$")
_ITEM = re.compile(r"[-*+\u2022\u2023\u2043](?=\s|$)")
_NAMED = {"comma": ",", "semicolon": ";", "space": " ", "tab": "\t"}


_NO_CAPTION = Caption()


def _visible_lines(row: str) -> Iterator[int]:
    """Where the lines of a row begin that are not blank."""
    position = 0
    for line in row.split("\n"):
        if line.strip():
            yield position
        position += len(line) + 1


@dataclass(frozen=True, slots=True)
class Grid:
    """A table by lines.

    Attributes:
        rows: the line at which each body row begins.
        header: for each header row what its cells say.
        read: from the lines of a row, without their ends, to what its cells say.
        closing: the line that has to close each part, or ``""``.
        heads: from names of columns to what stands in for the header rows; from none to what
            does without a header.
        begins: from a row to where in it a part may begin, ascending, its first character in
            front: at its cells where ``opening`` is set, else at lines that reach over all cells.
        opening: what stands in front of a part that begins with a cell in the middle of a row;
            None where all columns are in each of the lines.
        mark: what stands in front of a part that begins inside a line.
    """

    rows: Sequence[int]
    header: Sequence[Sequence[str]]
    read: Callable[[Sequence[str]], Sequence[str]]
    closing: str = ""
    heads: Callable[[Sequence[str]], Heads] = lambda _names: Heads()
    begins: Callable[[str], Iterator[int]] = _visible_lines
    opening: str | None = None
    mark: str = ""


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
    text = document.text
    rows = [document.reader.start(line) for line in grid.rows]
    if not rows or rows[0] <= start:
        return Unit("table", start, end, tie=tie, node_type=node_type)

    def cell_starts(row_start: int, row_end: int) -> Iterator[int]:
        yield row_start
        for position in grid.begins(text[row_start:row_end]):
            if position:
                yield row_start + position

    def read(row_start: int, row_end: int) -> Sequence[str]:
        return grid.read(text[row_start:row_end].splitlines())

    head = text[start : rows[0]]
    lead = text[line_start(text, block.begin) : block.begin]
    if lead.strip():  # a mark of a list stands in front of it
        head = document.lead(block) + text[block.begin : rows[0]]
    own = block.directive.argument if block.directive else ""
    words, is_below = ("", False) if own else caption
    title = own or words
    names = column_names(grid.header)
    has_header = any(map(any, grid.header))
    short = short_names(names)
    first_lines = _first_lines(document, block)

    def heads(kept: Sequence[str]) -> tuple[list[str], str]:
        found = grid.heads(kept if has_header else ())
        return [f"{line}{found.rows}" for line in first_lines if found.rows], found.names

    shorter, alone = heads(short)

    def narrowed(column: int) -> Sequence[str]:
        if grid.opening is None:
            return list(filter(None, (head, *shorter, alone)))
        whole, names = heads(short[column:])
        return [one + grid.opening for one in (*whole, names) if one]

    table = Table(
        names, rows, end, read, " ".join(title.strip("*_").split()), has_header=has_header
    )
    carried = Carried(
        head,
        f"{document.lead(block)}{words}\n\n" if words and not is_below else "",
        shorter,
        alone,
        narrowed,
        after=f"\n{grid.closing}" if grid.closing else "",
        below=f"\n\n{document.lead(block)}{words}" if is_below else "",
        mark=grid.mark,
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


def _first_lines(document: Document, block: Block) -> list[str]:
    """What stands above the options of a directive, fullest first; nothing above other tables."""
    directive = block.directive
    if directive is None:
        return [""]
    mark = f"{document.lead(block)}.. {directive.name}::"
    return [f"{mark} {title}".rstrip() + "\n" for title in shortened_caption(directive.argument)]


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
        return _below_blank_line(grid_lines(document, inner))
    if inner.kind == "simple_table":
        return _below_blank_line(simple_lines(document, inner))
    return None


def _below_blank_line(grid: Grid) -> Grid:
    """A table in a directive, whose head has a blank line above it."""

    def heads(names: Sequence[str]) -> Heads:
        found = grid.heads(names)
        return found._replace(rows=f"\n{found.rows}" if found.rows else "")

    return replace(grid, heads=heads)


def _list_lines(document: Document, block: Block, header_rows: int) -> Grid:
    """Each item is a row, and each item of the list in it a cell."""
    header = []
    for item in block.items[:header_rows]:
        start = line_start(document.text, item.begin)
        stop = document.reader.stops[item.end - 1]
        header.append(_read_item(document.text[start:stop].splitlines()))
    lead = document.lead(block)
    return Grid(
        [item.line for item in block.items[header_rows:]],
        header,
        _read_item,
        heads=partial(list_heads, lead=lead),
        begins=_item_cells,
        opening=f"{lead}*\n",
        mark=f"{lead}  - ",
    )


def _read_item(lines: Sequence[str]) -> list[str]:
    cells: list[list[str]] = []
    for _, shown, is_cell in _item_lines(lines):
        if is_cell:
            cells.append([shown[1:].strip()])
        elif cells:
            cells[-1].append(shown)
    return [" ".join(words).strip() for words in cells]


def _item_cells(row: str) -> Iterator[int]:
    """Where the lines of an item begin that begin a cell."""
    lines = row.split("\n")
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    yield from (starts[number] for number, _, is_cell in _item_lines(lines) if is_cell)


def _item_lines(lines: Sequence[str]) -> Iterator[tuple[int, str, bool]]:
    """The lines of an item that are not blank: number, words, and whether a cell begins there."""
    column = -1
    for number, line in enumerate(lines):
        shown = line.strip()
        if not shown:
            continue
        at = len(line) - len(line.lstrip())
        if column < 0:
            shown = shown[1:].lstrip()  # behind the mark of the row
            at = line.index(shown, at + 1) if shown else len(line)
            column = at
        yield number, shown, at == column and _ITEM.match(shown) is not None


def _csv_lines(document: Document, inside: Inside, directive: Directive) -> Grid:
    """A record begins on a line that no quoted cell reaches into."""
    reader = document.reader
    mark = directive.options.get("delim", ",").strip()
    delimiter = _NAMED.get(mark, mark[:1] or ",")
    quote = directive.options.get("quote", "").strip()
    quote = quote if len(quote) == 1 and quote not in (delimiter, "\\") else '"'
    rows: list[int] = []
    quotes = 0
    for line in range(inside.line, inside.end):
        if quotes % 2 == 0 and reader.columns[line] >= 0:
            rows.append(line)
        if reader.columns[line] >= 0:
            quotes += reader.line_text(line).count(quote)
    read = partial(_csv_cells_of, delimiter, quote)

    def record(number: int) -> list[str]:
        behind = rows[number + 1] if number + 1 < len(rows) else inside.end
        return read([text_from(document, line, 0) for line in range(rows[number], behind)])

    header = []
    if named := directive.options.get("header", ""):
        cells = read([named])
        if delimiter != ",":  # most releases of docutils want commas there
            by_commas = _csv_cells_of(",", '"', [named])
            width = len(record(0)) if rows else 0
            fits = len(by_commas) == width != len(cells)
            cells = by_commas if fits or len(cells) == 1 else cells
        header.append(cells)
    count = _number(directive, "header-rows")
    header += [record(number) for number in range(min(count, len(rows)))]
    lead = " " * inside.column
    return Grid(
        rows[count:],
        header,
        read,
        heads=partial(
            csv_heads, lead=lead, delimiter=delimiter, quote=quote, options=directive.options
        ),
        begins=partial(_csv_cells, re.escape(delimiter), re.escape(quote)),
        opening="",
        mark=lead,
    )


def _csv_cells_of(delimiter: str, quote: str, lines: Sequence[str]) -> list[str]:
    """What the cells of a record say that stands on these lines."""
    kept = [line.strip() for line in lines if line.strip()]
    try:
        records = list(
            csv.reader(kept, delimiter=delimiter, quotechar=quote, skipinitialspace=True)
        )
    except (csv.Error, ValueError):  # a cell or a delimiter that the module does not allow
        return kept
    return [cell.strip() for record in records for cell in record]


def _csv_cells(delimiter: str, quote: str, row: str) -> Iterator[int]:
    """Where the cells of a record begin."""
    quoted = rf"{quote}[^{quote}]*+(?:{quote}{quote}[^{quote}]*+)*+{quote}"
    cell = re.compile(rf"\s*+(?:{quoted}[^{delimiter}\n]*+|[^{delimiter}\n]*+)")
    position = 0
    while found := cell.match(row, position):
        yield position
        position = found.end() + 1
        if position >= len(row) or row[position - 1] == "\n":
            return


def _number(directive: Directive, option: str) -> int:
    value = directive.options.get(option, "0").strip()
    return int(value) if value.isascii() and value.isdecimal() and len(value) < 4 else 0
