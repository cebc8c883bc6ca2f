"""Rows of cells between bars, as Markdown, Org and rendered pages write them.

A bar behind a backslash is text, as GitHub Flavored Markdown has it. Wikis write doubled bars.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

_BARS = {"|": re.compile(r"(?<!\\)\|"), "||": re.compile(r"(?<!\\)\|\|")}


def cell_spans(
    text: str, start: int, end: int, lead: str = "", bar: str = "|"
) -> list[tuple[int, int]]:
    """The half-open spans between the bars of the first line of a row, blanks included.

    Args:
        text: the text.
        start: where the row begins, with what stands in front of it on its line.
        end: where it ends; only its first line counts.
        lead: characters that may stand in front of it and are none of its own (quote marks).
        bar: what stands between cells: one bar, or two.
    """
    stop = text.find("\n", start, end)
    stop = end if stop < 0 else stop
    line = text[start:stop]
    shift = start + len(line) - len(line.lstrip(" \t" + lead))
    stop = start + len(line.rstrip())
    width = len(bar)
    bars = [found.start() for found in _BARS[bar].finditer(text, shift, stop)]
    if not bars or bars[0] != shift:
        bars.insert(0, shift - width)
    if bars[-1] != stop - width or len(bars) == 1:
        bars.append(stop)
    return [(before + width, following) for before, following in pairwise(bars)]


def is_doubled(line: str) -> bool:
    """Whether a row, without blanks and marks around it, has two bars on each side of all cells."""
    return line.startswith("||") and line.endswith("||") and line.find("||", 2, -2) > 2


def cell_values(text: str, start: int, end: int, lead: str = "", bar: str = "|") -> list[str]:
    """What the cells of a row say. Arguments as for :func:`cell_spans`."""
    stop = text.find("\n", start, end)
    line = text[start : end if stop < 0 else stop]
    if bar == "|" and "\\" not in line:
        line = line.lstrip(" \t" + lead).rstrip()
        cells = line.split("|")
        if line.startswith("|"):
            del cells[0]
        if line.endswith("|") and len(cells) > 1:
            del cells[-1]
        return [cell.strip() for cell in cells]
    return [cell_value(text[a:b]) for a, b in cell_spans(text, start, end, lead, bar)]


def cell_value(written: str) -> str:
    """What a cell says: its text without the blanks around it and without escapes of bars."""
    return written.strip().replace("\\|", "|")


def written_row(values: Sequence[str], lead: str = "") -> str:
    """The values as a row of its own line, line end included."""
    cells = (value.replace("|", "\\|") for value in values)
    return f"{lead}| {' | '.join(cells)} |\n"


def written_head(values: Sequence[str], delimiters: Sequence[str], lead: str = "") -> str:
    """The names of columns and the delimiter row below them, as lines.

    Args:
        values: the names.
        delimiters: the cells of the delimiter row (``---:``); what is missing has no alignment.
        lead: what stands in front of each line.
    """
    marks = [*delimiters[: len(values)], *["---"] * (len(values) - len(delimiters))]
    return f"{written_row(values, lead)}{lead}|{'|'.join(marks)}|\n"
