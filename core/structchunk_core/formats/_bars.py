"""Tables between bars that no parser knows: Org's, those with rules of ``+---+``, and bare rows.

Lines are such a table only when all of them have a bar at both ends and the same number of cells.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from structchunk_core.errors import Problem
from structchunk_core.formats._pipes import cell_spans

_RULE = re.compile(r"[|+](?=[-=:])(?:[-=:]++[|+])*+[-=:]*+$")
_MOST_HEADER_ROWS = 5
_UNMARKED = "nothing stands below the names of the columns: the first row is taken for them"


class BarTable(NamedTuple):
    """Where the parts of such a table are, in characters of the text.

    Attributes:
        row_starts: where each body row begins; rules below it belong to it.
        problems: that its first row is only taken for the names of the columns.
    """

    row_starts: list[int]
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
    width = header = 0
    position, stop = start, start + len(text[start:end].rstrip(f" \t\r\n{lead}"))
    while position < stop:
        line_end = text.find("\n", position, stop) + 1 or stop
        line = text[position:line_end].strip(f" \t\r\n{lead}")
        if _RULE.match(line):
            header = header or len(starts)
        elif line[:1] != "|" or line[-1:] != "|" or len(line) < 2:
            return None
        else:
            cells = len(cell_spans(text, position, line_end, lead))
            if cells < 2 or cells != (width or cells):
                return None
            width = cells
            starts.append(position)
        position = line_end
    if len(starts) < 2:
        return None
    if 0 < header < min(len(starts), _MOST_HEADER_ROWS + 1):
        return BarTable(starts[header:], ())
    problem = Problem("no-delimiter-row", _UNMARKED, start, starts[1])
    return BarTable(starts[1:], (problem,))
