"""The units of JSON, JSON Lines and what is close to them (JSON5, JSON with comments).

Containers are found once (:mod:`._records_json_scan`); what is in one is read when it is opened,
and what is in those inside is not. A comma belongs to the value before it as its ``tail``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import partial

from structchunk_core.formats._records_json_scan import COMMENT, ITEM, STRING, Brackets, scan
from structchunk_core.formats._records_units import IDENTIFYING, holder, shortened
from structchunk_core.unit import Parsed, Repeat, Tie, Unit, make_unit

_TOGETHER = 8  # neighbours of one sort that are one unit while they fit the target
_LONG = 64  # characters of a string from which on it is opened; a shorter one has no parts to name
_RELAXED = (".json5", ".jsonc", ".code-workspace")
_LINES = (".jsonl", ".ndjson", ".jsonlines")
_WHOLE = (".json", ".geojson", ".har", ".jsonld", ".topojson", ".webmanifest")  # hold one value
_GAP = re.compile(
    r"[ \t]*+(?:(?://[^\n]*+|\#[^\n]*+|/\*(?:[^*\n]|\*(?!/))*+\*/)[ \t]*+)?+"
    r"(?:\r?\n(?:[ \t\r]*+\n)*+)?"
)
"""What belongs to the value in front: blanks, a comment in its line, its line end, blank lines."""
_BLANK = re.compile(r"[ \t\r\n]*+")
_NOTHING = re.compile(rf"(?:[\ufeff\s]++|{COMMENT})*+")
_KEY = re.compile(
    rf"(?:\s++|{COMMENT})*+"
    r"(?P<key>\"(?:[^\"\\\n]++|\\.)*+\"|'(?:[^'\\\n]++|\\.)*+'|[^\s\"':,\[\]{}]++)"
    rf"(?:\s++|{COMMENT})*+:(?:\s++|{COMMENT})*+"
)
_IDENTITY = re.compile(
    rf"\{{\s*\"(?:{'|'.join(map(re.escape, sorted(IDENTIFYING)))})\"\s*:\s*"
    r'(?:"((?:[^"\\\n]|\\.){1,120})"|(-?[0-9]{1,30}(?:\.[0-9]{1,30})?)(?=\s*[,}]))'
)
_GROUP = re.compile(rf"(?:(?![\s]*\Z){ITEM.pattern},){{{_TOGETHER}}}")
_COMMA = re.compile(r"[ \t\r\n]*+,[ \t\r\n]*+")
_ESCAPES = re.compile(r"(?:\\n)++|\\[\s\S]")
_STRING = re.compile(STRING)


def parse_json(text: str, ending: str) -> Parsed:
    """The unit tree of a JSON document.

    Args:
        text: the document.
        ending: that of its name, lower case with its dot, or ``""``. It tells whether each line
            is a value and what counts as a problem.
    """
    is_relaxed = ending in _RELAXED
    lines = ending in _LINES or ending not in (*_RELAXED, *_WHOLE)
    brackets = scan(text, lines=lines, is_relaxed=is_relaxed)
    return Parsed(_Tree(text, brackets).root(), problems=brackets.faults.problems())


class _Tree:
    """The units of one document."""

    __slots__ = ("_behind", "_ends", "_starts", "_text", "_unclosed")

    def __init__(self, text: str, brackets: Brackets) -> None:
        self._text = text
        self._starts = brackets.starts
        self._ends = brackets.ends
        self._behind = brackets.behind
        self._unclosed = brackets.unclosed

    def root(self) -> Unit:
        """The document: the one value that it holds, or several."""
        text, starts = self._text, self._starts
        length = len(text)
        if starts and self._behind[0] == len(starts):
            before = _NOTHING.match(text, 0, starts[0])
            after = _BLANK.match(text, self._ends[0])
            if before and after and before.end() == starts[0] and after.end() == length:
                return self._container(0, 0, length, starts[0], "", "json", "records", 0)
        opener = self._top if text.strip("\ufeff \t\r\n") else None
        return Unit("records", 0, length, atomic=False, language="json", opener=opener)

    def _top(self) -> Iterator[Unit]:
        """Values one behind the other, and what else stands between them, by lines."""
        text, starts, ends = self._text, self._starts, self._ends
        number, position, length = 0, 0, len(text)
        while position < length:
            stop = starts[number] if number < len(starts) else length
            blank = _NOTHING.match(text, position, stop)
            assert blank is not None
            if blank.end() < stop:  # plain values or noise, a line at a time
                line = text.find("\n", blank.end(), stop) + 1
                behind = _behind_blank(text, line or stop, stop)
                yield make_unit("value", position, behind, tie=Tie.NEXT)
                position = behind
                continue
            if number == len(starts):  # nothing but comments
                yield make_unit("comment", position, length, tie=Tie.CLOSE)
                return
            gap = _GAP.match(text, ends[number])
            behind = gap.end() if gap else ends[number]
            behind = _behind_blank(text, behind, length)
            yield self._container(number, position, behind, stop, "", "", "record", 1)
            position, number = behind, self._behind[number]

    def _container(
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
        gap = _GAP.match(text, opening + 1, closer)
        first = gap.end() if gap else opening + 1
        behind = closer
        while behind > first and text[behind - 1] in " \t":
            behind -= 1
        if behind > first and text[behind - 1] != "\n":
            behind = closer
        lead = _with_indentation(text, start, lead)
        after = "]" if text[opening] == "[" else "}"
        if text[behind - 1] == "\n" or (not is_closed and text[first - 1] == "\n"):
            after = "\n" + text[behind:closer] + after
        return holder(
            kind,
            (start, end),
            (first, behind),
            partial(self._items, number, first, behind, closer, number + 1, level),
            Repeat(text[lead:first], after, chained=True),
            label=label,
            tie=Tie.NEXT if kind == "record" or not label else Tie.LOOSE,
            tail=tail,
            level=level,
            language=language,
        )

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
        while start < behind:
            if is_grouped:
                comma, following = self._group(start, stop, child, is_list=is_list)
                if comma >= 0:
                    end, tail = self._behind_comma(comma, behind)
                    opener = partial(
                        self._items, number, start, end, comma + 1, child, level, is_grouped=False
                    )
                    kind = "values" if following == child else "records"
                    yield make_unit(kind, start, end, "", False, Tie.NEXT, opener=opener, tail=tail)
                    start, child = end, following
                    continue
            position, held = start, -1
            while True:
                item = ITEM.match(text, position, stop)
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
            tail = 0
            if position < stop and text[position] == ",":
                end, tail = self._behind_comma(position, behind)
            else:
                end = position if position < stop else behind
            if held >= 0:
                yield self._held(held, start, end, tail, level + 1, is_list=is_list)
            else:
                yield self._plain(start, min(position, end), end, tail, is_list=is_list)
            start = end

    def _group(self, start: int, stop: int, child: int, *, is_list: bool) -> tuple[int, int]:
        """The comma behind the eighth of plain values, or containers, in a row, or -1.

        And the first container behind it. Only a time saver: units are made of each where all
        together do not fit.
        """
        text, starts, ends, behind = self._text, self._starts, self._ends, self._behind
        if child >= len(starts) or starts[child] >= stop or starts[child] > start:
            group = _GROUP.match(text, start, stop)
            if group:
                return group.end() - 1, child
        if not is_list or child >= len(starts) or starts[child] >= stop:
            return -1, child
        position = start
        for _ in range(_TOGETHER):
            if child >= len(starts) or starts[child] >= stop:
                return -1, child
            if text[position : starts[child]].strip(" \t\r\n"):
                return -1, child
            comma = _COMMA.match(text, ends[child], stop)
            if comma is None:
                return -1, child
            position, child = comma.end(), behind[child]
        return text.rfind(",", 0, position), child

    def _behind_comma(self, comma: int, behind: int) -> tuple[int, int]:
        """Where a value ends with all that belongs to it, and how much of that is its tail."""
        gap = _GAP.match(self._text, comma + 1, behind)
        end = gap.end() if gap else comma + 1
        return end, 0 if self._text[comma + 1 : end].strip() else end - comma

    def _held(
        self, number: int, start: int, end: int, tail: int, level: int, *, is_list: bool
    ) -> Unit:
        """A container in another one."""
        text, opening = self._text, self._starts[number]
        key = None if is_list else _KEY.match(text, start, opening)
        is_object = text[opening] == "{"
        label = _name(key["key"]) if key else ""
        if is_list and is_object:
            label = self._identity(opening)
        kind = "sequence" if not is_object else "record" if is_list else "mapping"
        lead = key.start("key") if key else opening
        return self._container(number, start, end, lead, label, "", kind, level, tail)

    def _identity(self, opening: int) -> str:
        """What tells which record of a list it is, if that is the first that it says."""
        found = _IDENTITY.match(self._text, opening)
        if found is None:
            return ""
        return _name(f'"{found[1]}"') if found[1] else found[2]

    def _plain(self, start: int, stop: int, end: int, tail: int, *, is_list: bool) -> Unit:
        """A plain value, with its key."""
        text = self._text
        key = None if is_list else _KEY.match(text, start, stop)
        if key is None and stop >= end:
            nothing = _NOTHING.match(text, start, stop)
            if nothing and nothing.end() == stop:
                return make_unit("comment", start, end, tie=Tie.CLOSE)
        label = _name(key["key"]) if key else ""
        opener = repeat = None
        if stop - start > _LONG:
            blank = _NOTHING.match(text, start, stop)
            value = key.end() if key else blank.end() if blank else start
            string = _STRING.match(text, value, stop)
            if string and string.end() - value > _LONG:
                lead = key.start("key") if key else value
                before = text[_with_indentation(text, start, lead) : value + 1]
                repeat = Repeat(before, '"', chained=True)
                opener = partial(self._string, start, value + 1, string.end(), end, tail)
        kind = "pair" if key else "value"
        return make_unit(
            kind, start, end, label, True, Tie.NEXT, repeat=repeat, opener=opener, tail=tail
        )

    def _string(self, start: int, first: int, stop: int, end: int, tail: int) -> Iterator[Unit]:
        """A long string: what is in front of it, and its lines."""
        text = self._text
        yield make_unit("head", start, first)
        position, tie = first, Tie.HEAD
        for escape in _ESCAPES.finditer(text, first, stop):
            behind = escape.end()
            if text[behind - 1] == "n" and behind < stop - 1:
                yield make_unit("text", position, behind, tie=tie)
                position, tie = behind, Tie.LOOSE
        yield make_unit("text", position, end, tie=tie, tail=tail)


def _with_indentation(text: str, start: int, position: int) -> int:
    """The position, or the start of its line if only blanks of the unit are in front of it."""
    line = max(start, text.rfind("\n", start, position) + 1)
    return position if text[line:position].strip(" \t") else line


def _behind_blank(text: str, position: int, stop: int) -> int:
    """The position, or behind the blank lines there."""
    blank = _BLANK.match(text, position, stop)
    end = blank.end() if blank else position
    if end == stop and stop == len(text):
        return end
    return max(position, text.rfind("\n", position, end) + 1)


def _name(key: str) -> str:
    """What a key says, as it stands in paths."""
    if key[0] not in "\"'":
        return shortened(key)
    if "\\" not in key:
        return shortened(key[1:-1])
    try:
        return shortened(str(json.loads(key)))
    except ValueError:
        return shortened(key[1:-1])
