"""A table of rows between bars as a unit: Markdown's, Org's, and those of rendered pages."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from structchunk_core.formats._pipes import cell_spans, cell_values, is_doubled, written_head
from structchunk_core.table_model import Table, column_names, short_names
from structchunk_core.tables import Carried, table_unit
from structchunk_core.unit import Tie, Unit

_DELIMITERS = re.compile(
    r"[ \t>]*+\|?[ \t]*+:?-+:?[ \t]*+(?:[|+][ \t]*+:?-+:?[ \t]*+)*+\|?[ \t\r]*+$"
)
_RULE = re.compile(r"[|+][-=:|+]*+$")
_MARKUP = re.compile(r"[*_`]++")


class Cells(NamedTuple):
    """How the cells of a row are found, given its half-open span in the text.

    Attributes:
        read: what they say.
        starts: where they begin; the first is the start of the row.
    """

    read: Callable[[int, int], Sequence[str]]
    starts: Callable[[int, int], Sequence[int]]


def pipe_table(
    text: str,
    span: tuple[int, int],
    *,
    row_starts: Sequence[int],
    lead: str = "",
    bar: str = "|",
    captions: tuple[str, str] = ("", ""),
    tie: Tie = Tie.LOOSE,
    node_type: str = "",
    head: str | None = None,
    cells: Cells | None = None,
) -> Unit:
    """The unit of a table whose head is what stands above its first row.

    Args:
        text: the text.
        span: the table in it, half-open, in characters.
        row_starts: where each body row begins, ascending; none when there is only a head.
        lead: what stands in front of each line (quote marks, indentation).
        bar: what stands between the cells of body rows: one bar, or two.
        captions: what its parts carry in front of the header rows, with a blank line behind it,
            and what all but the last have behind them, with a blank line in front.
        tie: how it holds on to what is above.
        node_type: the parser's own name for it.
        head: the header rows as parts carry them, where that is not the text above the first row.
        cells: how the cells of body rows are found, where that is not by the bars between them.
    """
    start, end = span
    caption, below = captions
    head_end = row_starts[0] if row_starts else end
    marks = lead if lead.strip() else ""
    head = text[start:head_end] if head is None else head
    header, delimiters = _read_head(head, marks)
    names = column_names(header)
    short = short_names(names)

    def starts_of(row_start: int, row_end: int) -> Sequence[int]:
        spans = cell_spans(text, row_start, row_end, marks, bar)
        return [row_start, *(cell - len(bar) for cell, _ in spans[1:])]

    def narrowed(column: int) -> Sequence[str]:
        kept, aligned = names[column:], delimiters[column:]
        if not kept:
            return ()
        return (
            written_head(kept, aligned, lead),
            written_head(short[column:], aligned, lead),
        )

    table = Table(
        names,
        row_starts,
        end,
        cells.read if cells else partial(_read_row, text, marks, bar),
        _MARKUP.sub("", " ".join((caption or below).split())),
        has_header=bool(header),
    )
    carried = Carried(
        head,
        caption,
        [written_head(short, delimiters, lead)],
        narrowed=narrowed,
        below=below,
    )
    return table_unit(
        span,
        table,
        carried,
        head_end=head_end,
        cell_starts=cells.starts if cells else starts_of,
        tie=tie,
        node_type=node_type,
    )


def _read_head(head: str, marks: str) -> tuple[list[list[str]], list[str]]:
    """The header rows, and the cells of the delimiter row.

    Where there is none, the bars of header rows may be doubled.
    """
    doubled = list[list[str]]()
    header: list[list[str]] = []
    for line in head.splitlines():
        words = line.strip(" \t" + marks)
        if not words or (words[0] == "+" and not header):
            continue  # a rule above them
        if "+" in words and _RULE.match(words):
            return doubled or header, []
        if _DELIMITERS.match(line):
            return header, [cell.strip() for cell in cell_values(line, 0, len(line), marks)]
        header.append(cell_values(line, 0, len(line), marks))
        if is_doubled(words):
            doubled.append(cell_values(line, 0, len(line), marks, "||"))
    return doubled or header, []


def _read_row(text: str, marks: str, bar: str, start: int, end: int) -> list[str]:
    return cell_values(text, start, end, marks, bar)
