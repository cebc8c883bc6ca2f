"""The blocks of a reStructuredText document, read line by line.

The rules are those of docutils' state machine: what a line begins depends on its first characters,
on how far it is indented and on the line below it. What docutils reports as an error is read as
the author meant it, or as a paragraph. Blocks inside other blocks are read when they are asked
for, so that what fits its budget is never looked into.

A line is a number; its indentation is measured in columns, with tab stops every eight.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from operator import add
from typing import NamedTuple
from unicodedata import east_asian_width

from structchunk_core.making import maker_of

MAX_DEPTH = 100
"""Blocks nested deeper than this are text of the block around them."""

_TAB_STOP = 8
_BLANKS = " \t\v\f"


class Inside(NamedTuple):
    """Lines in which blocks are looked for.

    Attributes:
        line: the first line.
        end: one past the last line.
        column: where the content stands; a line further to the right is indented.
        begin: where the content begins on the first line, behind a mark, in characters of the
            text; -1 when it has the line for itself.
        depth: how many blocks are around it.
    """

    line: int
    end: int
    column: int = 0
    begin: int = -1
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Directive:
    """The parts of a directive.

    Attributes:
        name: as written, in lower case (``code-block``, ``py:function``).
        argument: what stands behind its colons and on the lines directly below, on one line.
        argument_at: where that begins, in characters; -1 without.
        options: name -> value of the options below it.
        content: the first line of its content, or the line behind the directive when it has none.
        column: how far its content is indented.
    """

    name: str
    argument: str
    argument_at: int
    options: dict[str, str]
    content: int
    column: int


@dataclass(frozen=True, slots=True)
class Block:
    """A block.

    Attributes:
        kind: the kind of unit it becomes, or ``directive``.
        line: its first line.
        end: one past its last visible line.
        begin: its first visible character.
        column: how far it is indented.
        label: the plain text of a heading, the name of a target or note.
        level: of a heading, from 1.
        inside: the lines of the blocks in it, when it has some.
        items: its items, when it is a list.
        directive: what it says, when it is a directive.
    """

    kind: str
    line: int
    end: int
    begin: int
    column: int = 0
    label: str = ""
    level: int = 0
    inside: Inside | None = None
    items: tuple[Block, ...] = ()
    directive: Directive | None = None


make_block = maker_of(Block)
"""``Block(...)``, but quicker."""

_BULLET = re.compile(r"[-+*\u2022\u2023\u2043](?:[ \t]+|$)")
_ENUMERATOR = re.compile(r"(?P<open>\(?)(?P<ordinal>\d{1,9}|[A-Za-z]|[ivxlcdmIVXLCDM]{1,12}|#)")
_FIELD = re.compile(r":(?![: ])(?:[^:\\]|\\.|:(?![ `]|$))*+(?<! ):(?:[ \t]+|$)")
_OPTION = re.compile(
    r"(?:[-+][A-Za-z0-9](?: ?(?:[A-Za-z][\w-]*+|<[^<>]++>))?|(?:--|/)[A-Za-z0-9][\w-]*+"
    r"(?:[ =](?:[A-Za-z][\w-]*+|<[^<>]++>))?)"
)
_OPTIONS_END = re.compile(r"(?: {2,}|\t[ \t]*| ?$)")
_DOCTEST = re.compile(r">>>(?: |$)")
_LINE_BLOCK = re.compile(r"\|(?: |$)")
_GRID_TOP = re.compile(r"\+-[-+]*-\+$")
_SIMPLE_BORDER = re.compile(r"=+(?: +=+)+$")
_EXPLICIT = re.compile(r"\.\.(?:[ \t]+|$)")
_ANONYMOUS = re.compile(r"__(?:[ \t]+|$)")
_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1*$")
_NOTE = re.compile(r"\[(\d+|\*|#(?:\w[\w.:+-]*)?|\w[\w.:+-]*)\](?:[ \t]+|$)")
_TARGET = re.compile(
    r"_(?![ _])((?:[^:\\`]|\\.|:(?![ ]|$)|`[^`]*+`)++):(?:[ \t]+|$)|_:(?:[ \t]+|$)|__:"
)
_SUBSTITUTION = re.compile(r"\|(?![ |])([^|]+)\|[ \t]+")
_DIRECTIVE = re.compile(r"((?:\w(?:[\w.:+-]*\w)?)) ?::(?:[ \t]+|$)")
_OPTION_FIELD = re.compile(r":([\w][\w .-]*):(?:[ \t]+|$)")
_LITERAL_END = re.compile(r"(?<!\\)(?:\\\\)*::$")


_MarkEnd = Callable[[str], int]


class Reader:
    r"""A text by lines, and the blocks in any of them.

    Args:
        text: the document; only ``\n`` ends a line.
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
                columns[number] = lead if "\t" not in visible else _width_of(visible[:lead], 0)
        self.starts: array[int] = array("q", starts)
        self._firsts: array[int] = array("q", firsts)
        self._stops: array[int] = array("q", map(add, starts, map(len, shown)))
        self._columns: array[int] = array("q", columns)
        if self.starts:
            self.starts[0] = 0
        self.deep = -1  # where blocks were nested too deeply to be read, in characters
        self._styles: list[str] = []

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def deepest(self) -> int:
        """How far the line that is indented most is indented."""
        return max(self._columns, default=0)

    def long_lines(self, most: int) -> Iterator[int]:
        """The first visible character of each line that shows more characters than so many."""
        for first, stop in zip(self._firsts, self._stops, strict=True):
            if stop - first > most:
                yield first

    def line_text(self, line: int) -> str:
        """The visible part of a line."""
        return self.text[self._firsts[line] : self._stops[line]]

    def is_blank(self, line: int) -> bool:
        """Whether there is nothing visible on the line."""
        return self._columns[line] < 0

    def column(self, line: int) -> int:
        """How far the line is indented, or -1 when it is blank."""
        return self._columns[line]

    def start(self, line: int) -> int:
        """Where the line begins; the end of the text for the line behind the last."""
        return self.starts[line] if line < len(self.starts) else len(self.text)

    def first(self, line: int) -> int:
        """The first visible character of the line."""
        return self._firsts[line]

    def stop(self, line: int) -> int:
        """One past the last visible character of the line."""
        return self._stops[line]

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
            if self._columns[line] < 0:
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
        if not self._is_plain(item.line, inside, self.text[inside.begin : self._stops[item.line]]):
            return item.line
        return self._block_end(item.line, inside)

    # One method for each sort of block

    def _block(self, line: int, inside: Inside, *, top: bool) -> Block:
        begin, column = self._at(line, inside)
        if column > inside.column:
            return self._quote(line, inside)
        shown = self.text[begin : self._stops[line]]
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
            or self._explicit(line, inside, begin, shown)
            or self._adorned(line, inside, begin, shown, top=top)
            or self._text(line, inside, begin, top=top)
        )

    def _at(self, line: int, inside: Inside) -> tuple[int, int]:
        """First visible character and column of a line."""
        if line == inside.line and inside.begin >= 0:
            return inside.begin, inside.column
        return self._firsts[line], self._columns[line]

    def _quote(self, line: int, inside: Inside) -> Block:
        end = self._indented_end(line + 1, inside)
        return make_block(
            "quote",
            line,
            end,
            self._firsts[line],
            self._columns[line],
            inside=self._within(line, end, inside, column=self._least_column(line, end)),
        )

    def _indented_end(self, line: int, inside: Inside) -> int:
        """One past the last visible line before one that is not indented."""
        columns, limit = self._columns, inside.column
        end = line
        while line < inside.end:
            if columns[line] > limit:
                end = line + 1
            elif columns[line] >= 0:
                break
            line += 1
        return end

    def _block_end(self, line: int, inside: Inside) -> int:
        """One past the last line before a blank one."""
        while line < inside.end and self._columns[line] >= 0:
            line += 1
        return line

    def _least_column(self, line: int, end: int) -> int:
        return min((column for column in self._columns[line:end] if column >= 0), default=0)

    def _within(
        self, line: int, end: int, outer: Inside, *, column: int, begin: int = -1
    ) -> Inside | None:
        if outer.depth >= MAX_DEPTH:
            self.deep = self._firsts[line] if self.deep < 0 else self.deep
            return None
        return Inside(line, end, column, begin, outer.depth + 1)

    def _item(
        self, line: int, inside: Inside, begin: int, behind: int, kind: str = "item"
    ) -> Block:
        """An item whose mark ends at a position: its line and all that is indented below it."""
        end = self._indented_end(line + 1, inside)
        content = behind if behind < self._stops[line] else -1
        if content >= 0:
            column = inside.column + _width_of(self.text[begin:behind], inside.column)
            within = self._within(line, end, inside, column=column, begin=content)
        elif end > line + 1:
            column = self._least_column(line + 1, end)
            within = self._within(line + 1, end, inside, column=column)
        else:
            within = None
        return make_block(kind, line, end, begin, inside.column, inside=within)

    def _bullets(self, line: int, inside: Inside, begin: int, shown: str) -> Block | None:
        mark = _BULLET.match(shown)
        if mark is None:
            return None
        character = shown[0]
        items: list[Block] = []
        first = begin
        while mark is not None and shown[0] == character:
            items.append(self._item(line, inside, begin, begin + mark.end()))
            line = self._next(items[-1].end, inside)
            if line >= inside.end or self._columns[line] > inside.column:
                break
            begin = self._firsts[line]
            shown = self.text[begin : self._stops[line]]
            mark = _BULLET.match(shown)
        return make_block(
            "list", items[0].line, items[-1].end, first, inside.column, items=tuple(items)
        )

    def _next(self, line: int, inside: Inside) -> int:
        """The next visible line, or the end."""
        while line < inside.end and self._columns[line] < 0:
            line += 1
        return line

    def _enumeration(self, line: int, inside: Inside, begin: int, shown: str) -> Block | None:
        mark = _enumerator(shown)
        if mark is None or not self._counts(line, inside, mark):
            return None
        items: list[Block] = []
        first = begin
        while True:
            items.append(self._item(line, inside, begin, begin + mark.length))
            line = self._next(items[-1].end, inside)
            if line >= inside.end or self._columns[line] > inside.column:
                break
            begin = self._firsts[line]
            following = _enumerator(self.text[begin : self._stops[line]])
            if following is None or not _follows(mark, following):
                break
            mark = following if following.ordinal != "#" else mark
            if not self._counts(line, inside, following):
                break
        return make_block(
            "procedure", items[0].line, items[-1].end, first, inside.column, items=tuple(items)
        )

    def _counts(self, line: int, inside: Inside, mark: _Enumerator) -> bool:
        """Whether a line with such a mark is an item and not the first line of a paragraph."""
        below = line + 1
        if below >= inside.end or not 0 <= self._columns[below] <= inside.column:
            return True
        following = _enumerator(self.line_text(below))
        return following is not None and _follows(mark, following)

    def _fields(self, line: int, inside: Inside, begin: int, shown: str) -> Block | None:
        return self._marked(line, inside, begin, shown, _field_end, "field_list")

    def _options(self, line: int, inside: Inside, begin: int, shown: str) -> Block | None:
        return self._marked(line, inside, begin, shown, _option_end, "option_list")

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
            end = self._indented_end(line + 1, inside)
            column = self._least_column(line + 1, end) if end > line + 1 else inside.column + 1
            has_text = behind < len(shown)
            within = None
            if has_text or end > line + 1:
                within = self._within(
                    line if has_text else line + 1,
                    end,
                    inside,
                    column=column,
                    begin=begin + behind if has_text else -1,
                )
            items.append(make_block("item", line, end, begin, inside.column, inside=within))
            line = self._next(end, inside)
            if line >= inside.end or self._columns[line] > inside.column:
                break
            begin = self._firsts[line]
            shown = self.text[begin : self._stops[line]]
            behind = end_of(shown)
        return make_block(
            kind, items[0].line, items[-1].end, first, inside.column, items=tuple(items)
        )

    def _doctest(self, line: int, inside: Inside, begin: int, shown: str) -> Block | None:
        if not _DOCTEST.match(shown):
            return None
        return make_block("doctest", line, self._block_end(line + 1, inside), begin, inside.column)

    def _line_block(self, line: int, inside: Inside, begin: int, shown: str) -> Block | None:
        if not _LINE_BLOCK.match(shown):
            return None
        return make_block(
            "line_block", line, self._block_end(line + 1, inside), begin, inside.column
        )

    def _grid(self, line: int, inside: Inside, begin: int, shown: str) -> Block | None:
        if not _GRID_TOP.match(shown):
            return None
        end = line + 1
        while end < inside.end and self._columns[end] >= 0:
            if self.text[self._firsts[end]] not in "+|":
                break
            end += 1
        if end - line < 3:
            return None
        return make_block("grid_table", line, end, begin, inside.column)

    def _simple_table(self, line: int, inside: Inside, begin: int, shown: str) -> Block | None:
        if not _SIMPLE_BORDER.match(shown):
            return None
        borders = 0
        end = line + 1
        while end < inside.end:
            if self._columns[end] >= 0:
                if self._columns[end] < inside.column:
                    break
                if _SIMPLE_BORDER.match(self.line_text(end)):
                    borders += 1
                    below = end + 1
                    if borders == 2 or below >= inside.end or self._columns[below] < 0:
                        return make_block("simple_table", line, below, begin, inside.column)
            end += 1
        return None

    def _explicit(self, line: int, inside: Inside, begin: int, shown: str) -> Block | None:
        mark = _EXPLICIT.match(shown)
        if mark is None:
            if not _ANONYMOUS.match(shown):
                return None
            end = self._indented_end(line + 1, inside)
            return make_block("target", line, end, begin, inside.column)
        if mark.end() == len(shown):
            below = line + 1
            if below >= inside.end or self._columns[below] < 0:
                return make_block("comment", line, below, begin, inside.column)
            return make_block(
                "comment", line, self._indented_end(below, inside), begin, inside.column
            )
        end = self._indented_end(line + 1, inside)
        behind = mark.end()
        if note := _NOTE.match(shown, behind):
            within = self._note_inside(line, end, inside, begin + note.end())
            return make_block("footnote", line, end, begin, inside.column, note[1], inside=within)
        if _TARGET.match(shown, behind):
            return make_block("target", line, end, begin, inside.column, shown[behind:])
        if found := _SUBSTITUTION.match(shown, behind):
            return make_block("substitution", line, end, begin, inside.column, found[1])
        if found := _DIRECTIVE.match(shown, behind):
            made = self._directive(line, end, begin + found.end(), found[1].lower(), inside)
            within = self._within(made.content, end, inside, column=made.column)
            return make_block(
                "directive", line, end, begin, inside.column, inside=within, directive=made
            )
        return make_block("comment", line, end, begin, inside.column)

    def _note_inside(self, line: int, end: int, inside: Inside, behind: int) -> Inside | None:
        has_text = behind < self._stops[line]
        if not has_text and end == line + 1:
            return None
        column = self._least_column(line + 1, end) if end > line + 1 else inside.column + 3
        if has_text:
            return self._within(line, end, inside, column=column, begin=behind)
        return self._within(line + 1, end, inside, column=column)

    def _directive(self, line: int, end: int, behind: int, name: str, inside: Inside) -> Directive:
        """The parts of the directive on the lines; its name ends at a position."""
        column = self._least_column(line + 1, end) if end > line + 1 else inside.column + 3
        words: list[str] = []
        argument_at = -1
        if behind < self._stops[line]:
            argument_at = behind
            words.append(self.text[behind : self._stops[line]])
        options: dict[str, str] = {}
        position = line + 1
        while position < end and self._columns[position] >= 0:
            shown = self.line_text(position)
            found = _OPTION_FIELD.match(shown)
            if found and self._columns[position] <= column:
                options[found[1]] = shown[found.end() :]
            elif options and self._columns[position] <= column:
                break
            elif not options:
                if argument_at < 0:
                    argument_at = self._firsts[position]
                words.append(shown)
            position += 1
        content = self._next(position, Inside(position, end))
        return Directive(name, " ".join(words), argument_at, options, content, column)

    def _adorned(
        self, line: int, inside: Inside, begin: int, shown: str, *, top: bool
    ) -> Block | None:
        """A title with a line above and below it, or a transition."""
        if not _ADORNMENT.match(shown):
            return None
        below = line + 1
        if below >= inside.end or self._columns[below] < 0:
            return make_block("rule", line, below, begin) if len(shown) >= 4 else None
        if not top or below + 1 >= inside.end or self._columns[below + 1] != 0:
            return None
        title = self.line_text(below)
        if _ADORNMENT.match(title) or self.line_text(below + 1) != shown:
            return None
        if _display_width(title) > len(shown) and len(shown) < 4:
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
        if below >= inside.end or self._columns[below] < 0:
            return make_block("paragraph", line, below, begin, inside.column)
        if self._columns[below] > inside.column:
            return self._definitions(line, inside, begin)
        if top:
            adornment = self.line_text(below)
            if _ADORNMENT.match(adornment):
                title = self.text[begin : self._stops[line]]
                if len(adornment) >= 4 or _display_width(title) <= len(adornment):
                    level = self._level(adornment[0])
                    return make_block(
                        "heading", line, below + 1, begin, 0, plain_text(title), level
                    )
        end = below
        while end < inside.end and 0 <= self._columns[end] <= inside.column:
            end += 1
        return make_block("paragraph", line, end, begin, inside.column)

    def _definitions(self, line: int, inside: Inside, begin: int) -> Block:
        """Terms, each with what is indented directly below it."""
        items: list[Block] = []
        first = begin
        while True:
            end = self._indented_end(line + 1, inside)
            within = self._within(line + 1, end, inside, column=self._least_column(line + 1, end))
            items.append(make_block("item", line, end, begin, inside.column, inside=within))
            line = self._next(end, inside)
            below = line + 1
            if below >= inside.end or self._columns[line] > inside.column:
                break
            begin = self._firsts[line]
            shown = self.text[begin : self._stops[line]]
            if self._columns[below] <= inside.column or not self._is_plain(line, inside, shown):
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
        mark = _enumerator(shown)
        return not (
            _BULLET.match(shown)
            or (mark is not None and self._counts(line, inside, mark))
            or _field_end(shown) >= 0
            or _option_end(shown) >= 0
            or _DOCTEST.match(shown)
            or _LINE_BLOCK.match(shown)
            or _EXPLICIT.match(shown)
            or _ANONYMOUS.match(shown)
            or _GRID_TOP.match(shown)
            or _SIMPLE_BORDER.match(shown)
        )

    def _announces_literal(self, block: Block) -> bool:
        shown = self.text[
            max(block.begin, self._firsts[block.end - 1]) : self._stops[block.end - 1]
        ]
        return shown.endswith("::") and _LITERAL_END.search(shown[-64:]) is not None

    def _literal(self, line: int, inside: Inside) -> Block | None:
        """The literal block that a paragraph has announced: indented, or with marks as in mail."""
        begin, column = self._at(line, inside)
        if column > inside.column:
            end = self._indented_end(line + 1, inside)
            return make_block("literal", line, end, begin, inside.column)
        mark = self.text[begin]
        if not _ADORNMENT.match(mark):
            return None
        end = line
        while end < inside.end and self._columns[end] >= 0:
            if self.text[self._firsts[end]] != mark:
                return None
            end += 1
        return make_block("literal", line, end, begin, inside.column)


class _Enumerator(NamedTuple):
    """The mark of a numbered item: how it is written, its ordinal, and its length with blanks."""

    form: str
    ordinal: str
    length: int


def _enumerator(shown: str) -> _Enumerator | None:
    found = _ENUMERATOR.match(shown)
    if found is None:
        return None
    close = shown[found.end() : found.end() + 1]
    if not close or close not in (")" if found["open"] else ")."):
        return None
    behind = found.end() + 1
    content = len(shown) - len(shown[behind:].lstrip(" \t"))
    if content == behind and behind < len(shown):
        return None
    return _Enumerator(found["open"] + close, found["ordinal"], content)


def _follows(mark: _Enumerator, following: _Enumerator) -> bool:
    """Whether an item with the second mark can stand behind one with the first."""
    if mark.form != following.form:
        return False
    if following.ordinal == "#":
        return True
    if mark.ordinal == "#":
        return False
    if mark.ordinal.isdecimal():
        return following.ordinal.isdecimal() and int(following.ordinal) == int(mark.ordinal) + 1
    is_letter = len(mark.ordinal) == len(following.ordinal) == 1
    if is_letter and ord(following.ordinal) == ord(mark.ordinal) + 1:
        return True
    return (
        mark.ordinal.islower() == following.ordinal.islower()
        and _roman(following.ordinal) == _roman(mark.ordinal) + 1 > 1
    )


_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}


def _roman(ordinal: str) -> int:
    """The value of a Roman numeral, 0 when it is none."""
    total = last = 0
    for character in reversed(ordinal.lower()):
        value = _ROMAN.get(character, 0)
        if not value:
            return 0
        total += value if value >= last else -value
        last = max(last, value)
    return total


def _field_end(shown: str) -> int:
    """Where the text of a field begins, behind its name; -1 when the line is none."""
    if shown[0] != ":":
        return -1
    found = _FIELD.match(shown)
    return found.end() if found else -1


def _option_end(shown: str) -> int:
    """Where the description of a command-line option begins; -1 when the line is none."""
    if shown[0] not in "-+/":
        return -1
    position = 0
    while found := _OPTION.match(shown, position):
        behind = _OPTIONS_END.match(shown, found.end())
        if behind:
            return behind.end()
        if not shown.startswith(", ", found.end()):
            return -1
        position = found.end() + 2
    return -1


def _width_of(lead: str, column: int) -> int:
    """How many columns blanks take that begin at a column."""
    width = 0
    for character in lead:
        if character == "\t":
            width += _TAB_STOP - (column + width) % _TAB_STOP
        else:
            width += 1
    return width


def _display_width(title: str) -> int:
    """How wide a title is shown: characters of East Asian scripts take two columns."""
    if title.isascii():
        return len(title)
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in title)


_ROLE = re.compile(r"(?::[\w:+.-]+:)?`((?:[^`\\]|\\.)+)`(?::[\w:+.-]+:|__?)?")
_EMBEDDED = re.compile(r"(.*?)\s*<[^<>]*>$", re.DOTALL)
_STRONG = re.compile(r"(?<![\w*])\*{1,2}(?=[^\s*])([^*]+)(?<=[^\s*])\*{1,2}(?![\w*])")
_SHOWN_SUBSTITUTION = re.compile(r"(?<![\w|])\|(?=[^\s|])([^|]+)(?<=[^\s|])\|_{0,2}(?![\w|])")
_REFERENCE = re.compile(r"(?<=\w)__?(?!\w)")
_ESCAPE = re.compile(r"\\(.)")


def plain_text(title: str) -> str:
    """What is read in a title: without marks of roles, literals, emphasis and references."""

    def role(found: re.Match[str]) -> str:
        words = found[1].strip("`")
        embedded = _EMBEDDED.match(words)
        return embedded[1] if embedded and embedded[1] else words.lstrip("~!")

    if "`" in title:
        title = _LITERAL.sub(r"\1", title) if "``" in title else title
        title = _ROLE.sub(role, title)
    if "*" in title:
        title = _STRONG.sub(r"\1", title)
    if "|" in title:
        title = _SHOWN_SUBSTITUTION.sub(r"\1", title)
    if "_" in title:
        title = _REFERENCE.sub("", title)
    if "\\" in title:
        title = _ESCAPE.sub(r"\1", title)
    return " ".join(title.split())


_LITERAL = re.compile(r"``(.+?)``")
