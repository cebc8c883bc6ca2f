"""Heads of reStructuredText tables, written anew for parts that have no room for the whole one.

Each is the head of a valid table above rows that stay as they are written, so that what stands in
columns keeps their widths. For budgets that this is too long for there are the names alone.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

_KEPT = ("delim", "escape", "quote", "keepspace")  # without them rows would be read otherwise


class Heads(NamedTuple):
    """What stands in for the header rows of a table, as lines, each ``""`` where nothing can.

    Attributes:
        rows: header rows of the table's own syntax.
        names: the names alone.
    """

    rows: str = ""
    names: str = ""


def grid_heads(names: Sequence[str], edges: Sequence[int], lead: str) -> Heads:
    """What stands in for the header rows of a grid table.

    Args:
        names: of the columns; none where the table has no header.
        edges: the characters, in the lines of the table, in which its vertical lines stand.
        lead: what stands in front of each line.
    """
    if not names or len(edges) != len(names) + 1:
        return Heads()
    widths = [right - left - 1 for left, right in pairwise(edges)]
    cells = [_wrapped(name, width - 2) for name, width in zip(names, widths, strict=True)]
    lines = [_border(widths, "-")]
    for number in range(max(map(len, cells))):
        words = (cell[number] if number < len(cell) else "" for cell in cells)
        padded = (f" {word}".ljust(width) for word, width in zip(words, widths, strict=True))
        lines.append(f"|{'|'.join(padded)}|")
    lines.append(_border(widths, "="))
    return Heads(_as_lines(lines, lead), f"{lead}| {' | '.join(names)} |\n")


def simple_heads(names: Sequence[str], columns: Sequence[tuple[int, int]], lead: str) -> Heads:
    """What stands in for the header rows of a simple table.

    Args:
        names: of the columns; none where the table has no header.
        columns: the half-open spans, in the lines of the table, of its columns.
        lead: what stands in front of each line.
    """
    if not names or len(columns) != len(names):
        return Heads()
    rule = _placed([(start, "=" * (end - start)) for start, end in columns])
    widths = [end - start for start, end in columns[:-1]]
    cells = [_wrapped(name, width) for name, width in zip(names, widths, strict=False)]
    cells.append([names[-1]])  # the last column may be wider than its rule
    lines = [rule]
    for number in range(max(map(len, cells))):
        words = (cell[number] if number < len(cell) else "" for cell in cells)
        starts = (start for start, _ in columns)
        lines.append(_placed(list(zip(starts, words, strict=True))).rstrip())
    lines.append(rule)
    return Heads(_as_lines(lines, lead), f"{lead}{'  '.join(names)}\n")


def list_heads(names: Sequence[str], lead: str) -> Heads:
    """The option and the first item of a ``list-table`` with these names.

    Args:
        names: of the columns; none where the table has no header.
        lead: what stands in front of each line in the directive.
    """
    if not names:
        return Heads("\n")
    cells = f"\n{lead}  - ".join(names)
    item = f"{lead}* - {cells}\n"
    return Heads(f"{lead}:header-rows: 1\n\n{item}", item)


def csv_heads(
    names: Sequence[str], lead: str, delimiter: str, quote: str, options: Mapping[str, str]
) -> Heads:
    """The options and the first record of a ``csv-table`` with these names.

    They are a record of the table, since what an option holds is read with commas by some releases
    of docutils and with the delimiter of the table by others.

    Args:
        names: of the columns; none where the table has no header.
        lead: what stands in front of each line in the directive.
        delimiter: what stands between cells.
        quote: what stands around a cell that holds one.
        options: those that it has; how its rows are written is kept.
    """
    kept = [f"{lead}:{name}: {options[name]}\n" for name in _KEPT if name in options]
    if not names:
        return Heads("".join([*kept, "\n"]))
    other = '"' if quote == "'" else "'"
    plain = (name.replace(quote, other).replace("\\", "/") for name in names)
    cells = (f"{quote}{name}{quote}" if delimiter in name else name for name in plain)
    record = f"{lead}{f'{delimiter} '.join(cells)}\n"
    return Heads("".join([f"{lead}:header-rows: 1\n", *kept, "\n", record]), record)


def _as_lines(lines: Sequence[str], lead: str) -> str:
    return "".join(f"{lead}{line}\n" for line in lines)


def _wrapped(words: str, width: int) -> list[str]:
    """The words on lines of that many characters; always one at least."""
    return textwrap.wrap(words, max(1, width)) or [""]


def _border(widths: Sequence[int], mark: str) -> str:
    return f"+{'+'.join(mark * width for width in widths)}+"


def _placed(words: Sequence[tuple[int, str]]) -> str:
    """A line with each of the words in its column."""
    line = ""
    for start, word in words:
        line = line.ljust(start) + word
    return line
