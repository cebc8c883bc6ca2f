"""A table of a page as a grid: header rows made one, spanned cells filled in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from structchunk_core.formats._html_tree import Node

_MOST_HEADER_ROWS = 5
_WIDEST_SPAN = 1000  # the standard's bound
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


@dataclass(slots=True)
class Grid:
    """A table.

    Attributes:
        header: for each column the texts of its header rows, joined by ``" / "``.
        alignments: for each column its part of the delimiter row.
        rows: the body rows; one may be shorter than the header.
        caption: the caption, or None.
    """

    header: list[str] = field(default_factory=list)
    alignments: list[str] = field(default_factory=list)
    rows: list[list[Cell]] = field(default_factory=list)
    caption: Cell | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing in it is to be seen."""
        return not (
            self.rows or any(self.header) or (self.caption is not None and self.caption.text)
        )


def grid_of(table: Node, cell_of: Callable[[Node], Cell]) -> Grid:
    """The table as a grid.

    Header rows are those of ``thead``, else the rows at the top of header cells only.

    Args:
        table: the element.
        cell_of: makes the text of a cell or caption.
    """
    grid = Grid()
    for child in table.children:
        if isinstance(child, Node) and child.name == "caption":
            caption = cell_of(child)
            if grid.caption is not None:  # a broken table has several
                words = f"{grid.caption.text} {caption.text}".strip()
                caption = replace(grid.caption, text=words)
            grid.caption = caption
    rows = list(_rows(table))
    count = _header_rows(rows)
    filler = _Filler(sum(len(cells) for _, cells in rows), cell_of)
    filled = [
        filler.row(cells, is_first=number == 0 or rows[number - 1][0] is not group)
        for number, (group, cells) in enumerate(rows)
    ]
    width = max(map(len, filled), default=0)
    for column in range(width):
        heads = [row[column] for row in filled[:count] if column < len(row)]
        names: list[str] = []
        for cell in heads:
            if cell.text and not (cell.is_repeated and cell.text in names):
                names.append(cell.text)
        grid.header.append(" / ".join(names))
        grid.alignments.append(_ALIGNMENTS.get(heads[-1].align if heads else "", "---"))
    grid.rows = [row for row in filled[count:] if any(cell.text for cell in row)]
    return grid


_ALIGNMENTS = {"center": ":---:", "left": ":---", "right": "---:"}


def _rows(table: Node) -> Iterator[tuple[Node, list[Node]]]:
    """Each row with the part of the table it is in; the foot comes last, wherever it stands."""
    feet: list[tuple[Node, list[Node]]] = []
    for child in table.children:
        if not isinstance(child, Node):
            continue
        if child.name == "tr":
            yield table, _cells(child)
        elif child.name in {"tbody", "tfoot", "thead"}:
            inner = [
                (child, _cells(row))
                for row in child.children
                if isinstance(row, Node) and row.name == "tr"
            ]
            if child.name == "tfoot":
                feet += inner
            else:
                yield from inner
    yield from feet


def _cells(row: Node) -> list[Node]:
    return [cell for cell in row.children if isinstance(cell, Node) and cell.name in {"td", "th"}]


def _header_rows(rows: Sequence[tuple[Node, list[Node]]]) -> int:
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

    def __init__(self, cells: int, cell_of: Callable[[Node], Cell]) -> None:
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
            cell = replace(self._cell_of(node), align=_align(node))
            columns = _span(node, "colspan", _WIDEST_SPAN)
            if len(nodes) == 1 and not row:
                columns = 1  # it heads the rows below
            rows = _span(node, "rowspan", 1 << 16)
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


def _span(node: Node, name: str, most: int) -> int:
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
