"""Reads the blocks of a reStructuredText document line by line.

The rules are those of docutils' state machine: what a line begins depends on its first characters,
on how far it is indented and on the line below it. What docutils reports as an error is read as
the author meant it, or as a paragraph. Blocks inside other blocks are read when they are asked
for, so that what fits its budget is never looked into.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from structchunk_core.formats._rst_blocks import Block, Inside, make_block
from structchunk_core.formats._rst_explicit import explicit_block
from structchunk_core.formats._rst_lines import Lines, width_of
from structchunk_core.formats._rst_marks import (
    ADORNMENT,
    ANONYMOUS,
    BULLET,
    DOCTEST,
    EXPLICIT,
    GRID_TOP,
    LINE_BLOCK,
    SIMPLE_BORDER,
    Enumerator,
    enumerator,
    field_end,
    follows,
    option_end,
)
from structchunk_core.formats._rst_titles import display_width, plain_text

_LITERAL_END = re.compile(r"(?<!\\)(?:\\\\)*::$")
_MarkEnd = Callable[[str], int]


class Reader(Lines):
    r"""The lines of a document, and the blocks in any of them.

    Args:
        text: the document; only ``\n`` ends a line.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._styles: list[str] = []  # of titles, the outermost first

    def blocks(self, inside: Inside, *, top: bool = False) -> list[Block]:
        """The blocks in the lines, in order.

        Args:
            inside: where to look.
            top: whether titles of sections may stand here.
        """
        found: list[Block] = []
        line = inside.line
        awaits_literal = False
        while line < inside.end:
            if self.columns[line] < 0:
                line += 1
                continue
            block = self._literal(line, inside) if awaits_literal else None
            if block is None:
                block = self._block(line, inside, top=top)
            awaits_literal = block.kind == "paragraph" and self._announces_literal(block)
            found.append(block)
            line = block.end
        return found

    def paragraph_end(self, item: Block) -> int:
        """One past the last line of the words that an item begins with; its line without any."""
        inside = item.inside
        if inside is None or inside.line > item.line:
            return item.line + 1
        if not self._is_plain(item.line, inside, self.text[inside.begin : self.stops[item.line]]):
            return item.line
        return self.block_end(item.line, inside)

    # One method for each sort of block

    def _block(self, line: int, inside: Inside, *, top: bool) -> Block:
        begin, column = self._at(line, inside)
        if column > inside.column:
            return self._quote(line, inside)
        shown = self.text[begin : self.stops[line]]
        character = shown[0]
        if character.isalnum():
            return self._enumeration(line, inside, begin, shown) or self._text(
                line, inside, begin, top=top
            )
        return (
            self._bullets(line, inside, begin, shown)
            or self._enumeration(line, inside, begin, shown)
            or self._fields(line, inside, begin, shown)
            or self._options(line, inside, begin, shown)
            or self._doctest(line, inside, begin, shown)
            or self._line_block(line, inside, begin, shown)
            or self._grid(line, inside, begin, shown)
            or self._simple_table(line, inside, begin, shown)
            or explicit_block(self, line, inside, begin, shown)
            or self._adorned(line, inside, begin, shown, top=top)
            or self._text(line, inside, begin, top=top)
        )

    def _at(self, line: int, inside: Inside) -> tuple[int, int]:
        """First visible character and column of a line."""
        if line == inside.line and inside.begin >= 0:
            return inside.begin, inside.column
        return self.firsts[line], self.columns[line]

    def _quote(self, line: int, inside: Inside) -> Block:
        end = self.indented_end(line + 1, inside)
        return make_block(
            "quote",
            line,
            end,
            self.firsts[line],
            self.columns[line],
            inside=self.within(line, end, inside, column=self.least_column(line, end)),
        )

    def _item(
        self, line: int, inside: Inside, begin: int, behind: int, kind: str = "item"
    ) -> Block:
        """An item whose mark ends at a position: its line and all that is indented below it."""
        end = self.indented_end(line + 1, inside)
        content = behind if behind < self.stops[line] else -1
        if content >= 0:
            column = inside.column + width_of(self.text[begin:behind], inside.column)
            within = self.within(line, end, inside, column=column, begin=content)
        elif end > line + 1:
            column = self.least_column(line + 1, end)
            within = self.within(line + 1, end, inside, column=column)
        else:
            within = None
        return make_block(kind, line, end, begin, inside.column, inside=within)

    def _bullets(self, line: int, inside: Inside, begin: int, shown: str) -> Block | None:
        mark = BULLET.match(shown)
        if mark is None:
            return None
        character = shown[0]
        items: list[Block] = []
        first = begin
        while mark is not None and shown[0] == character:
            items.append(self._item(line, inside, begin, begin + mark.end()))
            line = self.next_visible(items[-1].end, inside)
            if line >= inside.end or self.columns[line] > inside.column:
                break
            begin = self.firsts[line]
            shown = self.text[begin : self.stops[line]]
            mark = BULLET.match(shown)
        return make_block(
            "list", items[0].line, items[-1].end, first, inside.column, items=tuple(items)
        )

    def _enumeration(self, line: int, inside: Inside, begin: int, shown: str) -> Block | None:
        mark = enumerator(shown)
        if mark is None or not self._counts(line, inside, mark):
            return None
        items: list[Block] = []
        first = begin
        while True:
            items.append(self._item(line, inside, begin, begin + mark.length))
            line = self.next_visible(items[-1].end, inside)
            if line >= inside.end or self.columns[line] > inside.column:
                break
            begin = self.firsts[line]
            following = enumerator(self.text[begin : self.stops[line]])
            if following is None or not follows(mark, following):
                break
            mark = following if following.ordinal != "#" else mark
            if not self._counts(line, inside, following):
                break
        return make_block(
            "procedure", items[0].line, items[-1].end, first, inside.column, items=tuple(items)
        )

    def _counts(self, line: int, inside: Inside, mark: Enumerator) -> bool:
        """Whether a line with such a mark is an item and not the first line of a paragraph."""
        below = line + 1
        if below >= inside.end or not 0 <= self.columns[below] <= inside.column:
            return True
        following = enumerator(self.line_text(below))
        return following is not None and follows(mark, following)

    def _fields(self, line: int, inside: Inside, begin: int, shown: str) -> Block | None:
        return self._marked(line, inside, begin, shown, field_end, "field_list")

    def _options(self, line: int, inside: Inside, begin: int, shown: str) -> Block | None:
        return self._marked(line, inside, begin, shown, option_end, "option_list")

    def _marked(
        self, line: int, inside: Inside, begin: int, shown: str, end_of: _MarkEnd, kind: str
    ) -> Block | None:
        """Items one below the other, each with a mark that the function finds the end of."""
        behind = end_of(shown)
        if behind < 0:
            return None
        items: list[Block] = []
        first = begin
        while behind >= 0:
            end = self.indented_end(line + 1, inside)
            column = self.least_column(line + 1, end) if end > line + 1 else inside.column + 1
            has_text = behind < len(shown)
            within = None
            if has_text or end > line + 1:
                within = self.within(
                    line if has_text else line + 1,
                    end,
                    inside,
                    column=column,
                    begin=begin + behind if has_text else -1,
                )
            items.append(make_block("item", line, end, begin, inside.column, inside=within))
            line = self.next_visible(end, inside)
            if line >= inside.end or self.columns[line] > inside.column:
                break
            begin = self.firsts[line]
            shown = self.text[begin : self.stops[line]]
            behind = end_of(shown)
        return make_block(
            kind, items[0].line, items[-1].end, first, inside.column, items=tuple(items)
        )

    def _doctest(self, line: int, inside: Inside, begin: int, shown: str) -> Block | None:
        if not DOCTEST.match(shown):
            return None
        return make_block("doctest", line, self.block_end(line + 1, inside), begin, inside.column)

    def _line_block(self, line: int, inside: Inside, begin: int, shown: str) -> Block | None:
        if not LINE_BLOCK.match(shown):
            return None
        return make_block(
            "line_block", line, self.block_end(line + 1, inside), begin, inside.column
        )

    def _grid(self, line: int, inside: Inside, begin: int, shown: str) -> Block | None:
        if not GRID_TOP.match(shown):
            return None
        end = line + 1
        while end < inside.end and self.columns[end] >= 0:
            if self.text[self.firsts[end]] not in "+|":
                break
            end += 1
        if end - line < 3:
            return None
        return make_block("grid_table", line, end, begin, inside.column)

    def _simple_table(self, line: int, inside: Inside, begin: int, shown: str) -> Block | None:
        if not SIMPLE_BORDER.match(shown):
            return None
        borders = 0
        end = line + 1
        while end < inside.end:
            if self.columns[end] >= 0:
                if self.columns[end] < inside.column:
                    break
                if SIMPLE_BORDER.match(self.line_text(end)):
                    borders += 1
                    below = end + 1
                    if borders == 2 or below >= inside.end or self.columns[below] < 0:
                        return make_block("simple_table", line, below, begin, inside.column)
            end += 1
        return None

    def _adorned(
        self, line: int, inside: Inside, begin: int, shown: str, *, top: bool
    ) -> Block | None:
        """A title with a line above and below it, or a transition."""
        if not ADORNMENT.match(shown):
            return None
        below = line + 1
        if below >= inside.end or self.columns[below] < 0:
            return make_block("rule", line, below, begin) if len(shown) >= 4 else None
        if not top or below + 1 >= inside.end or self.columns[below + 1] != 0:
            return None
        title = self.line_text(below)
        if ADORNMENT.match(title) or self.line_text(below + 1) != shown:
            return None
        if display_width(title) > len(shown) and len(shown) < 4:
            return None
        level = self._level(shown[0] * 2)
        return make_block("heading", line, below + 2, begin, 0, plain_text(title), level)

    def _level(self, style: str) -> int:
        """The level of a style of titles; one not seen before goes below all others."""
        if style not in self._styles:
            self._styles.append(style)
        return self._styles.index(style) + 1

    def _text(self, line: int, inside: Inside, begin: int, *, top: bool) -> Block:
        below = line + 1
        if below >= inside.end or self.columns[below] < 0:
            return make_block("paragraph", line, below, begin, inside.column)
        if self.columns[below] > inside.column:
            return self._definitions(line, inside, begin)
        if top:
            adornment = self.line_text(below)
            if ADORNMENT.match(adornment):
                title = self.text[begin : self.stops[line]]
                if len(adornment) >= 4 or display_width(title) <= len(adornment):
                    level = self._level(adornment[0])
                    return make_block(
                        "heading", line, below + 1, begin, 0, plain_text(title), level
                    )
        end = below
        while end < inside.end and 0 <= self.columns[end] <= inside.column:
            end += 1
        return make_block("paragraph", line, end, begin, inside.column)

    def _definitions(self, line: int, inside: Inside, begin: int) -> Block:
        """Terms, each with what is indented directly below it."""
        items: list[Block] = []
        first = begin
        while True:
            end = self.indented_end(line + 1, inside)
            within = self.within(line + 1, end, inside, column=self.least_column(line + 1, end))
            items.append(make_block("item", line, end, begin, inside.column, inside=within))
            line = self.next_visible(end, inside)
            below = line + 1
            if below >= inside.end or self.columns[line] > inside.column:
                break
            begin = self.firsts[line]
            shown = self.text[begin : self.stops[line]]
            if self.columns[below] <= inside.column or not self._is_plain(line, inside, shown):
                break
        return make_block(
            "definition_list",
            items[0].line,
            items[-1].end,
            first,
            inside.column,
            items=tuple(items),
        )

    def _is_plain(self, line: int, inside: Inside, shown: str) -> bool:
        """Whether a line begins nothing but text."""
        mark = enumerator(shown)
        return not (
            BULLET.match(shown)
            or (mark is not None and self._counts(line, inside, mark))
            or field_end(shown) >= 0
            or option_end(shown) >= 0
            or DOCTEST.match(shown)
            or LINE_BLOCK.match(shown)
            or EXPLICIT.match(shown)
            or ANONYMOUS.match(shown)
            or GRID_TOP.match(shown)
            or SIMPLE_BORDER.match(shown)
        )

    def _announces_literal(self, block: Block) -> bool:
        shown = self.text[max(block.begin, self.firsts[block.end - 1]) : self.stops[block.end - 1]]
        return shown.endswith("::") and _LITERAL_END.search(shown[-64:]) is not None

    def _literal(self, line: int, inside: Inside) -> Block | None:
        """The literal block that a paragraph has announced: indented, or with marks as in mail."""
        begin, column = self._at(line, inside)
        if column > inside.column:
            end = self.indented_end(line + 1, inside)
            return make_block("literal", line, end, begin, inside.column)
        mark = self.text[begin]
        if not ADORNMENT.match(mark):
            return None
        end = line
        while end < inside.end and self.columns[end] >= 0:
            if self.text[self.firsts[end]] != mark:
                return None
            end += 1
        return make_block("literal", line, end, begin, inside.column)
