"""Where the children of a node begin, and where to cut above them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from structchunk_core.formats._code_bodies import is_own_line
from structchunk_core.formats._code_reading import Reading
from structchunk_core.formats._code_types import NodeType

if TYPE_CHECKING:
    from tree_sitter import Node

_DEEPEST_END: Final = 64


class Places:
    """Finds where nodes of one file begin.

    Args:
        reading: the file.
    """

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._text = reading.text
        self._data = reading.data
        self._types = reading.types
        self._to_character = reading.to_character

    def placed(
        self, children: Sequence[Node], head: int, start: int, is_body: bool
    ) -> Iterator[tuple[Node, NodeType, int, int, int]]:
        """Each child behind the head: its type, where it begins, where to cut, line ends above."""
        text = self._text
        types = self._types
        to_character = None if self._reading.plain else self._to_character
        previous_end = self._to_character(children[head - 1].end_byte) if head else start
        placed = children[head:] if head else children
        ends: dict[int, int] = {}
        if self._data.late_comments:
            placed, ends = self._with_late_comments(placed)
        for child in placed:
            begin, finish = child.start_byte, child.end_byte
            if ends:
                finish = ends.get(begin, finish)
            if to_character is not None:
                begin, finish = to_character(begin), to_character(finish)
            if not previous_end <= begin <= finish:
                begin = max(begin, previous_end)
                finish = max(begin, finish)
            of = types[child.kind_id]
            if of.special:
                if of.blank:
                    continue
                if of.word:
                    of = self._reading.with_word(child, of)
                elif of.alone is not None and is_body:
                    of = of.alone
            gap = previous_end
            while gap > start and text[gap - 1] in "\n\r \t":  # some nodes reach to the next token
                gap -= 1
            newlines = text.count("\n", gap, begin) if gap < begin else 0
            if finish == begin and not of.named:
                continue  # an empty token: a dedent, a semicolon that was left out
            previous_end = finish
            cut = begin
            if newlines:
                cut = self.line_begin(begin, gap)
                if cut < start:  # noqa: PLR1730  # a call costs more, for every child
                    cut = start
                if self._reading.hides:
                    cut = self._above_hidden(gap, cut)
                    newlines = text.count("\n", gap, cut)
            yield child, of, begin, cut, newlines

    def line_begin(self, position: int, after: int) -> int:
        """The start of the position's line if only blanks stand between, else the position."""
        begin = self._text.rfind("\n", after, position) + 1
        if begin == 0:
            begin = after
        if begin == position or not self._text[begin:position].strip(" \t\f\ufeff"):
            return begin
        if self._reading.hides and self._reading.is_blank(begin, position):
            return begin
        return position

    def _above_hidden(self, after: int, cut: int) -> int:
        """Where the lines begin that hold only what the grammar was not shown, above a cut."""
        while True:
            line = self._text.rfind("\n", after, cut - 1) + 1
            if not line or not self._text[line:cut].strip():
                return cut
            cut = line

    def _with_late_comments(self, children: Sequence[Node]) -> tuple[list[Node], dict[int, int]]:
        """The children with the comments behind them that the grammar put at their ends.

        Such a comment has lines of its own and is not indented further than the child. Also:
        where the children begin, in bytes, and where they end without those comments.
        """
        found: list[Node] = []
        ends: dict[int, int] = {}
        for child in children:
            found.append(child)
            comments, end = self._late_comments(child)
            if comments:
                ends[child.start_byte] = end
                found.extend(comments)
        return found, ends

    def _late_comments(self, child: Node) -> tuple[list[Node], int]:
        column = child.start_point.column
        node = child
        for _ in range(_DEEPEST_END):
            inside = [one for one in node.children if one.end_byte > one.start_byte]
            last = len(inside)
            while (
                last > 1
                and self._reading.is_comment(inside[last - 1])
                and inside[last - 1].start_point.column <= column
                and is_own_line(inside, last - 1)
            ):
                last -= 1
            if last < len(inside):
                return inside[last:], inside[last - 1].end_byte
            if not inside:
                break
            node = inside[-1]
        return [], child.end_byte
