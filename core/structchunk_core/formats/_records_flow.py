"""The units of values in brackets: all of JSON, and what of TOML and YAML is written so.

Containers are found first (:class:`Brackets`); what is in one is read when it is opened, and what
is in those inside is not. A comma belongs to the value before it as its ``tail``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, partial

from structchunk_core.formats._records_brackets import Brackets, FlowSyntax, brackets_of
from structchunk_core.formats._records_strings import LONG, key_name, string_unit, with_indentation
from structchunk_core.formats._records_table import Rows, table_of_records
from structchunk_core.formats._records_units import TOGETHER, holder, together
from structchunk_core.formats._records_values import Cells
from structchunk_core.table_model import Table
from structchunk_core.unit import Tie, Unit, make_repeat, make_unit

_SEPARATORS = "\ufeff \t\r\n,"
_BLANK = re.compile(r"[ \t\r\n]*+")
_COMMA = re.compile(r"[ \t\r\n]*+,[ \t\r\n]*+")
_COMMENT_MARK = re.compile(r"#|(?<!:)//")  # not in an address


class FlowTree:
    """The units of the containers of one document, or one value."""

    __slots__ = ("_behind", "_ends", "_starts", "_syntax", "_text", "_unclosed")

    def __init__(self, text: str, brackets: Brackets, syntax: FlowSyntax) -> None:
        self._text = text
        self._starts = brackets.starts
        self._ends = brackets.ends
        self._behind = brackets.behind
        self._unclosed = brackets.unclosed
        self._syntax = syntax

    def container(
        self,
        number: int,
        start: int,
        end: int,
        lead: int,
        label: str,
        language: str,
        kind: str,
        level: int,
        tail: int = 0,
    ) -> Unit:
        """The unit of a container with what belongs to it.

        Args:
            number: that of the container.
            start: where the unit begins: with comments above it.
            end: where it ends: behind the comma and the blank behind it.
            lead: where its key begins, or its bracket.
            label: its key, or what else names it.
            language: that of the unit.
            kind: that of the unit.
            level: how deep it is nested.
            tail: as in :class:`Unit`.
        """
        text = self._text
        opening, over = self._starts[number], self._ends[number]
        is_closed = number not in self._unclosed
        closer = over - 1 if is_closed else over
        gap = self._syntax.gap.match(text, opening + 1, closer)
        first = gap.end() if gap else opening + 1
        behind = closer
        while behind > first and text[behind - 1] in " \t":
            behind -= 1
        if behind > first and text[behind - 1] != "\n":
            behind = closer
        key, lead = lead, with_indentation(text, start, lead)
        after = "]" if text[opening] == "[" else "}"
        if text[behind - 1] == "\n" or (not is_closed and text[first - 1] == "\n"):
            after = "\n" + text[behind:closer] + after
        elif _has_line_comments(text, opening, over):
            after = "\n" + text[lead:key] + after
        return holder(
            kind,
            (start, end),
            (first, behind),
            partial(self._inside, number, first, behind, closer, level),
            make_repeat(text[lead:first], after, chained=True),
            label=label,
            tie=Tie.NEXT if kind == "record" or not label else Tie.LOOSE,
            tail=tail,
            level=level,
            language=language,
            tabular=self._table(number, label),
        )

    def _table(self, number: int, label: str) -> Callable[[], Table | None] | None:
        """What tells whether a list is a table, if it begins with an object."""
        text, starts = self._text, self._starts
        child = number + 1
        if child >= self._behind[number] or text[starts[number]] != "[":
            return None
        if text[starts[child]] != "{" or not self._is_between(starts[number] + 1, starts[child]):
            return None
        rows = partial(self.rows, child, self._behind[number], starts[number] + 1)
        rows = partial(rows, self._ends[number] - 1)
        return table_of_records(rows, self._cells, self._comments, label)

    def rows(self, child: int, behind: int, start: int, end: int) -> Rows | None:
        """Where the objects are that are all that stands in a half-open span; else None.

        Args:
            child: the number of the first of them.
            behind: that of the first container behind them.
            start: where the span begins.
            end: where it ends.
        """
        text, starts, ends = self._text, self._starts, self._ends
        found = Rows()
        position = start
        while child < behind:
            if text[starts[child]] != "{" or not self._is_between(position, starts[child]):
                return None
            position = ends[child]
            found.add(starts[child], position)
            child = self._behind[child]
        return found if self._is_between(position, end) else None

    def _is_between(self, start: int, end: int) -> bool:
        """Whether nothing but a comma, blanks and comments stands in a half-open span."""
        if not self._text[start:end].strip(_SEPARATORS):
            return True
        found = self._syntax.between.match(self._text, start, end)
        return found is not None and found.end() == end

    def table_of_rows(self, behind: int) -> Callable[[], Table | None]:
        """What tells whether all of the document is rows, one object behind the other."""
        rows = partial(self.rows, 0, behind, 0, len(self._text))
        return table_of_records(rows, self._cells, self._comments)

    def _cells(self, start: int, end: int) -> Cells | None:
        return self._syntax.cells(self._text, start, end)

    def _comments(self, start: int, end: int) -> str:
        return self._syntax.comments(self._text, start, end)

    def _inside(
        self, number: int, first: int, behind: int, stop: int, level: int
    ) -> Iterator[Unit]:
        """What is in a container, neighbours put together; arguments as of :meth:`_items`."""
        items = self._items(number, first, behind, stop, number + 1, level)
        return items if self._text[self._starts[number]] == "[" else together(items)

    def _items(
        self,
        number: int,
        first: int,
        behind: int,
        stop: int,
        child: int,
        level: int,
        *,
        is_grouped: bool = True,
    ) -> Iterator[Unit]:
        """What is in a container, or a stretch of it.

        Args:
            number: that of the container.
            first: where the units begin.
            behind: where they end.
            stop: where the values end: the closing bracket, with a blank in front of it maybe.
            child: the first container in it.
            level: how deep it is nested.
            is_grouped: whether plain values in a row are put together.
        """
        text, starts, ends = self._text, self._starts, self._ends
        is_list = text[starts[number]] == "["
        start = first
        alone = -1  # no eight plain values in a row begin in front of this
        while start < behind:
            if is_grouped and (is_list or start >= alone):
                comma, following = self._group(start, stop, child, is_list=is_list)
                if comma >= 0:
                    end, tail = self._behind_comma(comma, behind, number)
                    opener = partial(
                        self._items, number, start, end, comma + 1, child, level, is_grouped=False
                    )
                    kind = "records" if following > child else "values" if is_list else "pairs"
                    yield make_unit(kind, start, end, "", False, Tie.NEXT, opener=opener, tail=tail)
                    start, child = end, following
                    continue
                alone = starts[child] if child < len(starts) and starts[child] < stop else stop
            position, held = start, -1
            while True:
                item = self._syntax.item.match(text, position, stop)
                position = item.end() if item else stop
                if position >= stop or text[position] == ",":
                    break
                if child < len(starts) and starts[child] == position:
                    held = child
                    child = self._behind[child]
                    blank = _BLANK.match(text, ends[held], stop)
                    position = blank.end() if blank else stop
                    break
                position += 1  # a bracket that nothing opens
                alone = -1
            tail = 0
            if position < stop and text[position] == ",":
                end, tail = self._behind_comma(position, behind, number)
                if held < 0 and end - tail == position and not text[start:position].strip():
                    tail = 0  # there is no value: the comma is all that tells of it
            else:
                end = position if position < stop else behind
            if held >= 0:
                yield self._held(held, start, end, tail, level + 1, is_list=is_list)
            else:
                yield self._plain(start, min(position, end), end, tail, is_list=is_list)
            start = end

    def _group(self, start: int, stop: int, child: int, *, is_list: bool) -> tuple[int, int]:
        """The comma behind the eighth of plain values in a row, in a list of containers, or -1.

        And the first container behind it. Only a time saver: units are made of each where all
        together do not fit.
        """
        text, starts, ends, behind = self._text, self._starts, self._ends, self._behind
        if child >= len(starts) or starts[child] >= stop or starts[child] > start:
            group = self._syntax.group.match(text, start, stop)
            if group:
                return group.end() - 1, child
        if not is_list or child >= len(starts) or starts[child] >= stop:
            return -1, child
        position = start
        for _ in range(TOGETHER):
            if child >= len(starts) or starts[child] >= stop:
                return -1, child
            if text[position : starts[child]].strip(" \t\r\n"):
                return -1, child
            comma = _COMMA.match(text, ends[child], stop)
            if comma is None:
                return -1, child
            position, child = comma.end(), behind[child]
        return text.rfind(",", 0, position), child

    def _behind_comma(self, comma: int, behind: int, number: int) -> tuple[int, int]:
        """Where a value ends with all that belongs to it, and how much of that is its tail."""
        gap = self._syntax.gap.match(self._text, comma + 1, behind)
        end = gap.end() if gap else comma + 1
        if end >= behind and number in self._unclosed:
            return end, 0  # it separates nothing
        return end, 0 if self._text[comma + 1 : end].strip() else end - comma

    def _held(
        self, number: int, start: int, end: int, tail: int, level: int, *, is_list: bool
    ) -> Unit:
        """A container in another one."""
        text, opening = self._text, self._starts[number]
        key = None if is_list else self._syntax.key.match(text, start, opening)
        is_object = text[opening] == "{"
        label = key_name(key["key"]) if key else ""
        if is_list and is_object:
            label = self._identity(opening)
        kind = "sequence" if not is_object else "record" if is_list else "mapping"
        lead = key.start("key") if key else opening
        return self.container(number, start, end, lead, label, "", kind, level, tail)

    def _identity(self, opening: int) -> str:
        """What tells which record of a list it is, if that is the first that it says."""
        found = self._syntax.identity.match(self._text, opening)
        if found is None:
            return ""
        return key_name(f'"{found[1]}"') if found[1] else found[2]

    def _plain(self, start: int, stop: int, end: int, tail: int, *, is_list: bool) -> Unit:
        """A plain value, with its key."""
        text = self._text
        key = None if is_list else self._syntax.key.match(text, start, stop)
        if key is None and stop >= end:
            nothing = self._syntax.nothing.match(text, start, stop)
            if nothing and nothing.end() == stop:
                return make_unit("comment", start, end, tie=Tie.CLOSE)
        label = key_name(key["key"]) if key else ""
        if stop - start > LONG:
            blank = self._syntax.nothing.match(text, start, stop)
            value = key.end() if key else blank.end() if blank else start
            lead = key.start("key") if key else value
            if text[value : value + 1] == '"':
                return string_unit(text, (start, lead, value, stop, end), label, tail)
        return make_unit("pair" if key else "value", start, end, label, True, Tie.NEXT, tail=tail)


def flow_unit(
    text: str,
    syntax: FlowSyntax,
    places: tuple[int, int, int, int],
    label: str,
    level: int,
    *,
    kind: str = "",
    indent: str | None = None,
) -> Unit:
    """The unit of a value in brackets; what is in it is found when it is opened.

    Args:
        text: the document.
        syntax: how the value is written.
        places: where the unit begins; its key, or else its bracket; its bracket; where it ends.
        label: its key, or what else names it.
        level: how deep it is nested.
        kind: that of the unit, when it is not told by the bracket.
        indent: what its parts are indented by; that of its line, if nothing else is told.
    """
    start, lead, opening, end = places
    kind = kind or ("sequence" if text[opening] == "[" else "mapping")

    # Not a decorated function: compiled code would not find it.
    whole = cache(partial(_whole, text, syntax, places, label, level, kind))
    if indent is None:
        indent = text[with_indentation(text, start, lead) : lead]
    gap = syntax.gap.match(text, opening + 1, end)
    first = gap.end() if gap else opening + 1
    after = "]" if text[opening] == "[" else "}"
    if text[first - 1] == "\n" or _has_line_comments(text, opening, end):
        after = "\n" + indent + after
    repeat = make_repeat(indent + text[lead:first], after, chained=True)
    tie = Tie.LOOSE if label else Tie.NEXT
    return make_unit(
        kind,
        start,
        end,
        label,
        kind == "record",
        tie,
        repeat=repeat,
        opener=lambda: whole().open(),
        tabular=(lambda: whole().as_table()) if text[opening] == "[" else None,
    )


def _whole(
    text: str,
    syntax: FlowSyntax,
    places: tuple[int, int, int, int],
    label: str,
    level: int,
    kind: str,
) -> Unit:
    """The unit of all that is in a value; arguments as of :func:`flow_unit`."""
    start, lead, opening, end = places
    tree = FlowTree(text, brackets_of(text, opening, end, syntax), syntax)
    return tree.container(0, start, end, lead, label, "", kind, level)


def _has_line_comments(text: str, start: int, end: int) -> bool:
    """Whether a line in brackets may end with a comment: what closes a part is in none then."""
    line_end = text.rfind("\n", start, end)
    return line_end >= 0 and _COMMENT_MARK.search(text, start, line_end) is not None
