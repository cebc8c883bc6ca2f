"""Tables between bars that no parser knows: Org's, those of wikis, bare rows, rules of ``+---+``.

Lines are such a table only when all of them have a bar at both ends and the same number of cells,
and when not all of them are words between terms in bars (``|x| is less than |y|``). Bars may be
doubled: in all rows, or around the names of the columns, as Jira writes them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from structchunk_core.errors import Problem
from structchunk_core.formats._pipes import cell_spans, is_doubled

_RULE = re.compile(r"[|+](?=[-=:])(?:[-=:]++[|+])*+[-=:]*+$")
_MOST_HEADER_ROWS = 5
_UNMARKED = "nothing stands below the names of the columns: the first row is taken for them"


class BarTable(NamedTuple):
    """Where the parts of such a table are, in characters of the text.

    Attributes:
        row_starts: where each body row begins; rules below it belong to it.
        bar: what stands between the cells of body rows: one bar, or two.
        problems: that its first row is only taken for the names of the columns.
    """

    row_starts: list[int]
    bar: str
    problems: tuple[Problem, ...]


def bar_table(text: str, start: int, end: int, lead: str = "") -> BarTable | None:
    """The table that the lines in a half-open span are, or None.

    Args:
        text: the text.
        start: where the first line begins.
        end: where the last line ends, with blank lines behind it or none.
        lead: characters that may stand in front of each line and are none of its own.
    """
    starts: list[int] = []
    width = header = named = 0
    is_prose = True
    position, stop = start, start + len(text[start:end].rstrip(f" \t\r\n{lead}"))
    while position < stop:
        line_end = text.find("\n", position, stop) + 1 or stop
        line = text[position:line_end].strip(f" \t\r\n{lead}")
        if _RULE.match(line):
            header = header or len(starts)
        elif line[:1] != "|" or line[-1:] != "|" or len(line) < 2:
            return None
        else:
            bar = "||" if named == len(starts) and is_doubled(line) else "|"
            spans = cell_spans(text, position, line_end, lead, bar)
            if len(spans) < 2 or len(spans) != (width or len(spans)):
                return None
            width = len(spans)
            named += bar == "||"
            is_prose = is_prose and _is_prose([text[a:b] for a, b in spans])
            starts.append(position)
        position = line_end
    if len(starts) < 2 or is_prose:
        return None
    bar = "||" if named == len(starts) else "|"
    header = header or named
    if 0 < header < min(len(starts), _MOST_HEADER_ROWS + 1):
        return BarTable(starts[header:], bar, ())
    problem = Problem("no-delimiter-row", _UNMARKED, start, starts[1])
    return BarTable(starts[1:], bar, (problem,))


def _is_prose(cells: Sequence[str]) -> bool:
    """Whether bars stand around every other cell alone: ``|x| is less than |y|``.

    Nothing stands between such a bar and its term, and a blank between it and the words beside it;
    cells of a table are written like their neighbours.
    """
    terms, words = cells[::2], [cell for cell in cells[1::2] if cell]
    return (
        len(cells) % 2 == 1
        and all(term and term == term.strip() for term in terms)
        and any(word.strip() for word in words)
        and all(word[0].isspace() and word[-1].isspace() for word in words)
    )
