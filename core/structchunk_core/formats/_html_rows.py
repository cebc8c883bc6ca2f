"""A table of HTML inside another text: it stays as it is written, and is cut between its rows.

Only a table that can be cut so: one element, no other table inside, no cell that reaches from
one body row into the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import unescape

from structchunk_core.formats._html_tokens import START, TEXT, read_attributes, tokens
from structchunk_core.table_model import Table, column_names
from structchunk_core.tables import Carried, table_unit
from structchunk_core.unit import Tie, Unit

_WIDEST_SPAN = 100
_MOST_HEADER_ROWS = 5
_BREAKS = frozenset({"br", "div", "li", "p"})


@dataclass(slots=True)
class _Cell:
    start: int
    is_header: bool
    columns: int
    rows: int
    words: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return " ".join(unescape("".join(self.words)).split())


@dataclass(slots=True)
class _Row:
    start: int
    in_head: bool
    cells: list[_Cell] = field(default_factory=list)


def html_table(
    text: str, span: tuple[int, int], caption: str, *, tie: Tie, node_type: str
) -> Unit | None:
    """The unit of a table that begins with its tag and ends with it; None for any other text.

    Args:
        text: the text.
        span: what may be a table in it, half-open, in characters of the text.
        caption: the words above it, or ``""``; its own go before them.
        tie: how it holds on to what is above.
        node_type: the parser's own name for it.
    """
    start, end = span
    found = _read(text[start:end])
    if found is None:
        return None
    rows, own = found
    count = sum(row.in_head for row in rows)
    while count < min(len(rows), _MOST_HEADER_ROWS) and all(
        cell.is_header for cell in rows[count].cells
    ):
        count += 1
    body = rows[count:]
    if not body or count > _MOST_HEADER_ROWS or any(row.in_head for row in body):
        return None
    if _is_joined(rows, count) or any(map(_is_spread, rows)):
        return None
    starts = [start + row.start for row in body]

    def read(row_start: int, row_end: int) -> Sequence[str]:
        return _filled(_cells(text[row_start:row_end]))

    def cell_starts(row_start: int, row_end: int) -> Sequence[int]:
        cells = _cells(text[row_start:row_end])
        return [row_start, *(row_start + cell.start for cell in cells[1:])]

    names = column_names(_header(rows[:count]), len(_filled(body[0].cells)))
    words = "" if own else caption
    table = Table(names, starts, end, read, own or words.strip("*_"), has_header=count > 0)
    carried = Carried(text[start : starts[0]], f"{words}\n\n" if words else "", after="\n</table>")
    return table_unit(
        span,
        table,
        carried,
        head_end=starts[0],
        cell_starts=cell_starts,
        tie=tie,
        node_type=node_type,
    )


_PARTS = frozenset({"caption", "table", "tbody", "td", "tfoot", "th", "thead", "tr"})


def _read(text: str) -> tuple[list[_Row], str] | None:
    """The rows of the only table that a text is, and its own caption; None when it is none."""
    rows: list[_Row] = []
    caption: list[str] = []
    is_open = is_closed = in_head = False
    into: list[str] | None = None  # where words go
    for kind, at, stop, name, attributes in tokens(text):
        is_start = kind == START
        if kind == TEXT or name in _BREAKS:
            if into is not None:
                into.append(text[at:stop] if kind == TEXT else " ")
            elif kind == TEXT and not text[at:stop].isspace():
                return None  # it stands between the cells
            continue
        if is_closed or (name == "table" and is_start) == is_open:
            return None
        is_open = True
        is_closed = name == "table" and not is_start
        if name in _PARTS:
            into = None
        if name in {"tbody", "tfoot", "thead"}:
            in_head = name == "thead" and is_start
        elif name == "tr" and is_start:
            rows.append(_Row(at, in_head))
        elif name == "caption" and is_start:
            into = caption
        elif name in {"td", "th"} and is_start:
            if not rows:
                return None
            rows[-1].cells.append(_cell(at, name, attributes))
            into = rows[-1].cells[-1].words
    if not is_closed or not all(row.cells for row in rows):
        return None
    return rows, " ".join(unescape("".join(caption)).split())


def _cells(row: str) -> list[_Cell]:
    """The cells of one row."""
    cells: list[_Cell] = []
    is_open = False
    for kind, at, stop, name, attributes in tokens(row):
        if kind == TEXT:
            if is_open:
                cells[-1].words.append(row[at:stop])
        elif name in {"td", "th"}:
            is_open = kind == START
            if is_open:
                cells.append(_cell(at, name, attributes))
        elif name in {"tr", "table", "tbody", "tfoot"}:
            is_open = False
        elif is_open and name in _BREAKS:
            cells[-1].words.append(" ")
    return cells


def _cell(at: int, name: str, attributes: str) -> _Cell:
    spans = read_attributes(attributes)
    return _Cell(at, name == "th", _span(spans.get("colspan")), _span(spans.get("rowspan")))


def _span(value: str | None) -> int:
    if value is None or not value.isdecimal():
        return 1
    return min(_WIDEST_SPAN, int(value[:4])) or _WIDEST_SPAN  # 0: all that follow


def _filled(cells: Sequence[_Cell]) -> list[str]:
    """What cells say, one that spans several columns in each of them."""
    return [text for cell in cells for text in [cell.text] * cell.columns]


def _is_joined(rows: Sequence[_Row], header: int) -> bool:
    """Whether a cell reaches into a body row from the row above."""
    return any(
        cell.rows > (header - number if number < header else 1)
        for number, row in enumerate(rows)
        for cell in row.cells
    )


def _is_spread(row: _Row) -> bool:
    """Whether the cells of a row span far more columns than there are cells."""
    return sum(cell.columns for cell in row.cells) > 4 * len(row.cells) + _WIDEST_SPAN


def _header(rows: Sequence[_Row]) -> list[list[str]]:
    """The header rows, with what spans several in each place."""
    grid: list[dict[int, str]] = [{} for _ in rows]
    for number, row in enumerate(rows):
        column = 0
        for cell in row.cells:
            while column in grid[number]:
                column += 1
            for below in grid[number : number + cell.rows]:
                below.update(dict.fromkeys(range(column, column + cell.columns), cell.text))
            column += cell.columns
    return [[row.get(column, "") for column in range(max(row, default=-1) + 1)] for row in grid]
