"""The lines of a reStructuredText document, measured: where each begins and how far it is indented.

A line is a number; its indentation is measured in columns, with tab stops every eight.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from itertools import accumulate
from operator import add

from structchunk_core.formats._rst_blocks import MAX_DEPTH, Inside

_TAB_STOP = 8
_BLANKS = " \t\v\f"


class Lines:
    r"""A text by lines, with what is asked about several of them.

    Args:
        text: the document; only ``\n`` ends a line.

    Attributes:
        text: the document.
        starts: where each line begins, in characters.
        firsts: the first visible character of each line.
        stops: one past the last visible character of each line.
        columns: how far each line is indented, or -1 when nothing on it is visible.
        deep: where blocks were nested too deeply to be read, in characters, or -1.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        mark = 1 if text.startswith("\ufeff") else 0
        lines = text[mark:].split("\n")
        if not lines[-1]:
            lines.pop()
        shown = [line.rstrip() for line in lines]
        starts = list(accumulate([len(line) + 1 for line in lines], initial=mark))
        del starts[-1]
        columns = [-1 if not visible else 0 for visible in shown]
        firsts = starts.copy()
        for number, visible in enumerate(shown):
            if visible and visible[0] in _BLANKS:
                lead = len(visible) - len(visible.lstrip(_BLANKS))
                firsts[number] += lead
                columns[number] = lead if "\t" not in visible else width_of(visible[:lead], 0)
        self.starts: array[int] = array("q", starts)
        self.firsts: array[int] = array("q", firsts)
        self.stops: array[int] = array("q", map(add, starts, map(len, shown)))
        self.columns: array[int] = array("q", columns)
        if self.starts:
            self.starts[0] = 0
        self.deep = -1

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def deepest(self) -> int:
        """How far the line that is indented most is indented."""
        return max(self.columns, default=0)

    def long_lines(self, most: int) -> Iterator[int]:
        """The first visible character of each line that shows more characters than so many."""
        for first, stop in zip(self.firsts, self.stops, strict=True):
            if stop - first > most:
                yield first

    def line_text(self, line: int) -> str:
        """The visible part of a line."""
        return self.text[self.firsts[line] : self.stops[line]]

    def start(self, line: int) -> int:
        """Where the line begins; the end of the text for the line behind the last."""
        return self.starts[line] if line < len(self.starts) else len(self.text)

    def next_visible(self, line: int, inside: Inside) -> int:
        """The next visible line, or the end."""
        while line < inside.end and self.columns[line] < 0:
            line += 1
        return line

    def indented_end(self, line: int, inside: Inside) -> int:
        """One past the last visible line before one that is not indented."""
        columns, limit = self.columns, inside.column
        end = line
        while line < inside.end:
            if columns[line] > limit:
                end = line + 1
            elif columns[line] >= 0:
                break
            line += 1
        return end

    def block_end(self, line: int, inside: Inside) -> int:
        """One past the last line before a blank one."""
        while line < inside.end and self.columns[line] >= 0:
            line += 1
        return line

    def least_column(self, line: int, end: int) -> int:
        """How far the line that is indented least is indented; 0 when all of them are blank."""
        return min((column for column in self.columns[line:end] if column >= 0), default=0)

    def within(
        self, line: int, end: int, outer: Inside, *, column: int, begin: int = -1
    ) -> Inside | None:
        """The lines as the inside of a block; None, which is noted, when it is nested too deeply.

        Args:
            line: the first line.
            end: one past the last line.
            outer: what the block stands in.
            column: where the content stands.
            begin: where it begins on the first line, behind a mark, or -1.
        """
        if outer.depth >= MAX_DEPTH:
            self.deep = self.firsts[line] if self.deep < 0 else self.deep
            return None
        return Inside(line, end, column, begin, outer.depth + 1)


def width_of(lead: str, column: int) -> int:
    """How many columns blanks take that begin at a column."""
    width = 0
    for character in lead:
        if character == "\t":
            width += _TAB_STOP - (column + width) % _TAB_STOP
        else:
            width += 1
    return width
