"""The directives ``table``, ``list-table`` and ``csv-table``: their rows, and what cells say."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import accumulate

from structchunk_core.formats._rst_blocks import Block, Directive, Inside
from structchunk_core.formats._rst_document import Document
from structchunk_core.formats._rst_drawn_tables import grid_lines, simple_lines, text_from
from structchunk_core.formats._rst_heads import Heads, csv_heads, list_heads
from structchunk_core.formats._rst_tables import Grid
from structchunk_core.source import line_start

_ITEM = re.compile(r"[-*+\u2022\u2023\u2043](?=\s|$)")
_NAMED = {"comma": ",", "semicolon": ";", "space": " ", "tab": "\t"}


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
