"""A table of HTML inside another text: it stays as it is written, and is cut between its rows.

Only a table that can be cut so: one element, no other table inside, no cell that reaches from
one body row into the next. What it says is read as of a table of a page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from html import escape, unescape

from structchunk_core.formats._html_table import (
    Cell,
    Row,
    filled_rows,
    header_of,
    header_rows,
    row_nodes,
    rows_of,
    span_of,
)
from structchunk_core.formats._html_tree import LINES, Node, read_tree
from structchunk_core.table_model import Table, column_names, short_names
from structchunk_core.tables import Carried, table_unit
from structchunk_core.unit import Tie, Unit

_WIDEST_SPAN = 100
_BREAKS = LINES | {"br"}
_TABLE = "<table>"  # what a row stands in
_CLOSED = re.compile(r"</table\s*+>\s*+\Z", re.IGNORECASE)


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
    written = text[start:end]
    node = _only_table(written) if _CLOSED.search(written) else None
    if node is None:
        return None
    rows = list(rows_of(node))
    starts = [start + row.start for _, row in row_nodes(node)]
    count = header_rows(rows)
    if count >= len(rows) or starts != sorted(starts) or not _can_be_cut(rows, count):
        return None
    if not all(text[at : at + 3].lower() == "<tr" for at in starts):
        return None  # a part has to begin with a tag

    def read(row_start: int, row_end: int) -> Sequence[str]:
        row = _TABLE + text[row_start:row_end]
        (cells,) = filled_rows(_first_row(row), partial(_cell, row))
        return [cell.text for cell in cells]

    def cell_starts(row_start: int, row_end: int) -> Sequence[int]:
        ((_, cells),) = _first_row(_TABLE + text[row_start:row_end])
        return [row_start, *(row_start + one.start - len(_TABLE) for one in cells[1:])]

    filled = filled_rows(rows[: count + 1], partial(_cell, written))
    named = [one for one in node.children if isinstance(one, Node) and one.name == "caption"]
    own = " ".join(_cell(written, one, "").text for one in named)
    words = "" if own else caption
    head_end = starts[count]
    names = column_names([header_of(filled[:count])] if count else [], len(filled[count]))

    def narrowed(column: int) -> Sequence[str]:
        kept = names[column:]
        return [f"{_head(kept)}<tr>", f"{_head(short_names(kept))}<tr>"] if kept else []

    return table_unit(
        span,
        Table(
            names,
            starts[count:],
            end,
            read,
            own or words.strip("*_"),
            has_header=count > 0,
        ),
        Carried(
            text[start:head_end],
            f"{words}\n\n" if words else "",
            [_head(short_names(names))] if count else [],
            narrowed=narrowed if count else None,
            after="\n</table>",
        ),
        head_end=head_end,
        cell_starts=cell_starts,
        tie=tie,
        node_type=node_type,
    )


def _head(names: Sequence[str]) -> str:
    """A header row of these names, as lines."""
    cells = "".join(f"<th>{escape(name, quote=False)}</th>" for name in names)
    return f"<table>\n<tr>{cells}</tr>\n"


def _only_table(written: str) -> Node | None:
    """The one table that a text is, or None."""
    found: Node | None = None
    for child in read_tree(written).root.children:
        if isinstance(child, Node):
            if child.name != "table" or found is not None:
                return None
            found = child
        elif not written[child[0] : child[1]].isspace():
            return None  # it stands beside it, or between the cells
    return found


def _first_row(written: str) -> list[Row]:
    """The row that a table begins with."""
    (table,) = (one for one in read_tree(written).root.children if isinstance(one, Node))
    return [next(rows_of(table))]


def _can_be_cut(rows: Sequence[Row], header: int) -> bool:
    """Whether each body row can stand alone: no cell reaches into it, none is a table."""
    for number, (group, cells) in enumerate(rows):
        if not cells or (number >= header and group.name == "thead"):
            return False
        most = header - number if number < header else 1
        if any(span_of(cell, "rowspan") > most for cell in cells):
            return False
        columns = sum(span_of(cell, "colspan") for cell in cells)
        if columns > 4 * len(cells) + _WIDEST_SPAN:
            return False
        if any(one == "table" for cell in cells for one in _inside(cell)):
            return False
    return True


def _cell(written: str, node: Node, align: str) -> Cell:
    """A cell or caption on one line."""
    parts = (
        written[slice(*one)] if isinstance(one, tuple) else " " if one in _BREAKS else ""
        for one in _inside(node)
    )
    return Cell(" ".join(unescape("".join(parts)).split()), align=align)


def _inside(node: Node) -> Iterator[tuple[int, int] | str]:
    """The texts in an element, and the names of the elements in it where they begin and end."""
    stack = [("", iter(node.children))]
    while stack:
        name, children = stack[-1]
        for child in children:
            if isinstance(child, Node):
                yield child.name
                stack.append((child.name, iter(child.children)))
                break
            yield child
        else:
            stack.pop()
            yield name
