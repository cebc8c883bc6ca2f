"""Tables of reStructuredText by lines, and their units.

``_rst_drawn_tables`` reads those that are drawn, ``_rst_table_directives`` those of directives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from structchunk_core.formats._glue import Caption
from structchunk_core.formats._rst_blocks import Block
from structchunk_core.formats._rst_document import Document
from structchunk_core.formats._rst_heads import Heads
from structchunk_core.source import line_start
from structchunk_core.table_model import Table, column_names, short_names
from structchunk_core.tables import Carried, shortened_caption, table_unit
from structchunk_core.unit import Tie, Unit

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
