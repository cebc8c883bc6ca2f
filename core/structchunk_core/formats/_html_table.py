"""A table of a page as a grid: header rows made one, spanned cells filled in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from structchunk_core.formats._html_tree import Node
from structchunk_core.making import maker_of
from structchunk_core.table_model import JOINED

_MOST_HEADER_ROWS = 5
_WIDEST_SPAN = 1000  # the standard's bound, and that of rows
_LONGEST_SPAN = 1 << 16
_LONGEST_REPEATED = 200  # characters of a cell that is filled in again
_FILLED = 4  # how many times the cells of a table may be filled in, on average


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell or caption on one line.

    Attributes:
        text: its text.
        places: pairs (position in the text, position in the source).
        origin: where its element begins in the source.
        align: ``left``, ``right``, ``center`` or ``""``.
        is_repeated: whether it fills the place of a cell that spans several.
    """

    text: str
    places: tuple[tuple[int, int], ...] = ()
    origin: int = 0
    align: str = ""
    is_repeated: bool = False


make_cell = maker_of(Cell)
"""``Cell(...)``, but quicker."""


@dataclass(slots=True)
class Grid:
    """A table.

    Attributes:
        header: for each column the texts of its header rows, joined by ``" / "``.
        alignments: for each column its part of the delimiter row.
        rows: the body rows; one may be shorter than the header.
        caption: the caption, or None.
        notes: what stands in rows of its own below the body, across all columns.
    """

    header: list[str] = field(default_factory=list)
    alignments: list[str] = field(default_factory=list)
    rows: list[list[Cell]] = field(default_factory=list)
    caption: Cell | None = None
    notes: list[Cell] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """Whether nothing in it is to be seen."""
        return not (
            self.rows
            or any(self.header)
            or self.notes
            or (self.caption is not None and self.caption.text)
        )


def grid_of(table: Node, cell_of: Callable[[Node, str], Cell]) -> Grid:
    """The table as a grid.

    Header rows are those of ``thead``, else the rows at the top of header cells only.

    Args:
        table: the element.
        cell_of: makes a cell or caption of an element and its alignment.
    """
    grid = Grid()
    for child in table.children:
        if isinstance(child, Node) and child.name == "caption":
            caption = cell_of(child, "")
            if grid.caption is not None:  # a broken table has several
                words = f"{grid.caption.text} {caption.text}".strip()
                caption = replace(grid.caption, text=words)
            grid.caption = caption
    rows = list(rows_of(table))
    below = len(rows)
    while below and _is_note(*rows[below - 1]):
        below -= 1
    grid.notes = [note for _, (cell,) in rows[below:] if (note := cell_of(cell, "")).text]
    del rows[below:]
    count = header_rows(rows)
    filled = filled_rows(rows, cell_of)
    grid.header = header_of(filled[:count])
    width = max(map(len, filled), default=0)
    aligned = _column_alignments(table, width)
    for column in range(width):
        heads = [row[column] for row in filled[:count] if column < len(row)]
        own = heads[-1].align if heads else ""
        grid.alignments.append(_ALIGNMENTS.get(own or aligned[column], "---"))
    grid.header += [""] * (len(grid.alignments) - len(grid.header))
    grid.rows = [row for row in filled[count:] if any(cell.text for cell in row)]
    return grid


def _column_alignments(table: Node, width: int) -> list[str]:
    """How ``col`` and ``colgroup`` align each column, or ``""``.

    That is all that a reader gains from them: what else they may have (``span``, ``width``,
    ``style``, ``class``) says which columns they are about and how these look. A header over a
    group of columns is a cell of its own, with ``colspan``.

    Args:
        table: the element.
        width: how many columns it has.
    """
    found: list[str] = []
    for child in table.children:
        if not isinstance(child, Node) or child.name not in {"col", "colgroup"}:
            continue
        inside = [one for one in child.children if isinstance(one, Node)]
        for column in inside or [child]:
            align = _align(column) or _align(child)
            found += [align] * min(span_of(column, "span"), width)
            if len(found) >= width:
                return found[:width]
    return [*found, *[""] * (width - len(found))]


Row = tuple[Node, list[Node]]
"""The part of the table that a row is in, and its cells."""


def rows_of(table: Node) -> Iterator[Row]:
    """Each row of a table; those of the foot come last, wherever it stands."""
    for group, row in row_nodes(table):
        yield group, _cells(row)


def row_nodes(table: Node) -> Iterator[tuple[Node, Node]]:
    """Each row of a table with the part it is in, in the same order."""
    feet: list[tuple[Node, Node]] = []
    for child in table.children:
        if not isinstance(child, Node):
            continue
        if child.name == "tr":
            yield table, child
        elif child.name in {"tbody", "tfoot", "thead"}:
            rows = (one for one in child.children if isinstance(one, Node) and one.name == "tr")
            inner = [(child, row) for row in rows]
            if child.name == "tfoot":
                feet += inner
            else:
                yield from inner
    yield from feet


def filled_rows(rows: Sequence[Row], cell_of: Callable[[Node, str], Cell]) -> list[list[Cell]]:
    """The cells of each row, one that spans several rows or columns in each of them."""
    filler = _Filler(sum(len(cells) for _, cells in rows), cell_of)
    return [
        filler.row(cells, is_first=number == 0 or rows[number - 1][0] is not group)
        for number, (group, cells) in enumerate(rows)
    ]


def header_of(rows: Sequence[Sequence[Cell]]) -> list[str]:
    """For each column the texts of its header rows, joined."""
    header: list[str] = []
    for column in range(max(map(len, rows), default=0)):
        names: list[str] = []
        for row in rows:
            cell = row[column] if column < len(row) else _NO_CELL
            if cell.text and not (cell.is_repeated and cell.text in names):
                names.append(cell.text)
        header.append(JOINED.join(names))
    return header


def _is_note(group: Node, cells: Sequence[Node]) -> bool:
    """Whether a row of the foot is one cell across several columns."""
    return group.name == "tfoot" and len(cells) == 1 and span_of(cells[0], "colspan") > 1


_ALIGNMENTS = {"center": ":---:", "left": ":---", "right": "---:"}


def _cells(row: Node) -> list[Node]:
    return [cell for cell in row.children if isinstance(cell, Node) and cell.name in {"td", "th"}]


def header_rows(rows: Sequence[Row]) -> int:
    """How many rows at the top are headers: those of ``thead``, else those of ``th`` only."""
    marked = next((n for n, (group, _) in enumerate(rows) if group.name != "thead"), len(rows))
    if 0 < marked <= _MOST_HEADER_ROWS:
        return marked
    heads = next(
        (
            number
            for number, (_, cells) in enumerate(rows)
            if not cells or any(cell.name != "th" for cell in cells)
        ),
        len(rows),
    )
    return heads if heads <= _MOST_HEADER_ROWS else 1


class _Filler:
    """Fills the places of spanning cells, row by row, and no more than a table can mean."""

    def __init__(self, cells: int, cell_of: Callable[[Node, str], Cell]) -> None:
        self._left = 100 + _FILLED * cells
        self._cell_of = cell_of
        self._carried: dict[int, tuple[Cell, int]] = {}  # column -> cell, rows it still spans

    def row(self, nodes: Sequence[Node], *, is_first: bool) -> list[Cell]:
        """The cells of a row; spans do not reach into another part of the table."""
        if is_first:
            self._carried = {}
        carried, self._carried = self._carried, {}
        row: list[Cell] = []
        for node in nodes:
            self._carry(row, carried)
            source = node.source
            cell = self._cell_of(node, _align(node) if source else "")
            if not source or "span" not in source.lower():  # as most are
                row.append(cell)
                continue
            columns = span_of(node, "colspan")
            if len(nodes) == 1 and not row:
                columns = 1  # it heads the rows below
            rows = span_of(node, "rowspan")
            again = _repeated(cell)
            for number in range(columns):
                if number and (len(row) in carried or not self._may_fill()):
                    break
                if rows > 1:
                    self._carried[len(row)] = (again, rows - 1)
                row.append(again if number else cell)
        for column in sorted(carried):
            while len(row) < column and self._may_fill():
                row.append(_NO_CELL)
            if len(row) == column:
                self._carry(row, carried)
        return row

    def _carry(self, row: list[Cell], carried: dict[int, tuple[Cell, int]]) -> None:
        """Add the cells that reach down from above, up to the next free column."""
        while len(row) in carried:
            cell, rows = carried.pop(len(row))
            if not self._may_fill():
                return
            if rows > 1:
                self._carried[len(row)] = (cell, rows - 1)
            row.append(cell)

    def _may_fill(self) -> bool:
        self._left -= 1
        return self._left > 0


_NO_CELL = Cell("", is_repeated=True)


def _repeated(cell: Cell) -> Cell:
    text = cell.text if len(cell.text) <= _LONGEST_REPEATED else ""
    return replace(cell, text=text, places=(), is_repeated=True)


def span_of(node: Node, name: str) -> int:
    """How many columns (``colspan``) or rows (``rowspan``) a cell spans, a ``col`` (``span``)."""
    most = _LONGEST_SPAN if name == "rowspan" else _WIDEST_SPAN
    if name not in node.source.lower():
        return 1
    value = node.attributes.get(name, "").strip()
    if not (value.isascii() and value.isdecimal() and len(value) < 10):
        return 1
    number = int(value)
    return most if number == 0 and name == "rowspan" else min(max(1, number), most)


def _align(node: Node) -> str:
    if "align" not in node.source:
        return ""
    align = node.attributes.get("align", "").strip().lower()
    if align in _ALIGNMENTS:
        return align
    _, _, behind = node.attributes.get("style", "").lower().partition("text-align")
    word = behind.strip(" :\t").partition(";")[0].strip()
    return word if word in _ALIGNMENTS else ""
