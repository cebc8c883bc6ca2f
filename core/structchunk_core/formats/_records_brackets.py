"""Where values in brackets begin and end: how a syntax writes them, and all of them in one pass."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from structchunk_core.formats._records_units import IDENTIFYING, TOGETHER, Faults
from structchunk_core.formats._records_values import Cells

_LINE_END = r"(?:\r?\n(?:[ \t\r]*+\n)*+)?"


class FlowSyntax(NamedTuple):
    """How values in brackets are written; all patterns are for ``match``.

    Attributes:
        loose: all up to the next bracket outside strings and comments.
        item: all up to the next comma or bracket outside them.
        group: eight items, each with its comma.
        key: blanks, comments, the key (group ``key``) and what divides it from its value.
        gap: what belongs to the value in front: blanks, a comment in its line, the line end and
            blank lines.
        nothing: blanks and comments.
        identity: from an opening bracket to what its first pair calls the record: group 1 a
            string, without its quotes; group 2 a number.
        between: what may stand between two values in a list: a comma, blanks and comments.
        cells: what the mapping in brackets at a half-open span of a text says; None when that
            cannot be read.
        comments: the words of the comments in it, on one line.
    """

    loose: re.Pattern[str]
    item: re.Pattern[str]
    group: re.Pattern[str]
    key: re.Pattern[str]
    gap: re.Pattern[str]
    nothing: re.Pattern[str]
    identity: re.Pattern[str]
    between: re.Pattern[str]
    cells: Callable[[str, int, int], Cells | None]
    comments: Callable[[str, int, int], str]


def flow_syntax(
    tokens: str,
    key: str,
    mark: str,
    comment: str,
    blank_in_line: str,
    cells: Callable[[str, int, int], Cells | None],
    comments: Callable[[str, int, int], str],
) -> FlowSyntax:
    """The patterns of a syntax from those of its parts.

    Args:
        tokens: strings and comments, as alternatives.
        key: a key.
        mark: what divides it from its value.
        comment: a comment.
        blank_in_line: a comment that belongs to the value in front of it in its line.
        cells: reads a mapping.
        comments: reads the comments in it.
    """
    item = rf"(?:[^\"'/#,\[\]{{}}]++|{tokens}|[\"'/#])*+"
    names = "|".join(map(re.escape, sorted(IDENTIFYING)))
    return FlowSyntax(
        re.compile(rf"(?:[^\"'/#\[\]{{}}]++|{tokens}|[\"'/#])*+"),
        re.compile(item),
        re.compile(rf"(?:(?![\s]*\Z){item},){{{TOGETHER}}}"),
        re.compile(
            rf"(?:\s++|{comment})*+(?P<key>{key})(?:\s++|{comment})*+{mark}(?:\s++|{comment})*+"
        ),
        re.compile(rf"[ \t]*+(?:{blank_in_line}[ \t]*+)?+{_LINE_END}"),
        re.compile(rf"(?:[\ufeff\s]++|{comment})*+"),
        re.compile(
            rf"\{{\s*+[\"']?(?:{names})[\"']?\s*+{mark}\s*+"
            r"(?:\"((?:[^\"\\\n]|\\.){1,120})\"|(-?[0-9]{1,30}(?:\.[0-9]{1,30})?)(?=\s*+[,}]))"
        ),
        re.compile(rf"(?:[\ufeff\s]++|{comment})*+,?+(?:[\ufeff\s]++|{comment})*+"),
        cells,
        comments,
    )


@dataclass(slots=True)
class Brackets:
    """The containers of a document, in the order in which they begin.

    Attributes:
        starts: where the opening bracket of each is, in characters.
        ends: one past its closing bracket; of one that is never closed, where it is over.
        behind: the number of the first container that begins behind it.
        unclosed: the numbers of those without a closing bracket.
        faults: what is wrong with them.
    """

    starts: array[int] = field(default_factory=lambda: array("q"))
    ends: array[int] = field(default_factory=lambda: array("q"))
    behind: array[int] = field(default_factory=lambda: array("q"))
    unclosed: set[int] = field(default_factory=set)
    faults: Faults = field(default_factory=Faults)


def brackets_of(text: str, start: int, stop: int, syntax: FlowSyntax) -> Brackets:
    """The containers of a value that begins with a bracket and does not reach beyond a position.

    A closing bracket closes whatever is open.
    """
    found = Brackets()
    stack: list[int] = []
    position = start
    while True:
        match = syntax.loose.match(text, position, stop)
        position = match.end() if match else stop
        if position >= stop:
            break
        if text[position] in "[{":
            stack.append(len(found.starts))
            found.starts.append(position)
            found.ends.append(stop)
            found.behind.append(0)
        elif stack:
            number = stack.pop()
            found.ends[number] = position + 1
            found.behind[number] = len(found.starts)
            if not stack:
                return found
        position += 1
    for number in stack:
        found.behind[number] = len(found.starts)
    found.unclosed.update(stack)
    return found


def flow_end(
    text: str,
    start: int,
    syntax: FlowSyntax,
    resync: re.Pattern[str],
    header: re.Pattern[str] | None = None,
) -> tuple[int, bool]:
    """Where a value that begins with a bracket ends, and whether its brackets are closed.

    Args:
        text: the document.
        start: the opening bracket.
        syntax: how the value is written.
        resync: from a line end to what cannot stand in such a value: it is over there.
        header: what cannot stand in it, if it begins a line with a bracket.
    """
    position, depth = start, 0
    while True:
        match = syntax.loose.match(text, position)
        stop = match.end() if match else len(text)
        over = resync.search(text, position, stop)
        if over:
            return over.start() + 1, False
        if stop == len(text):
            return stop, False
        is_line = depth > 0 and header is not None and text[stop - 1 : stop] == "\n"
        if is_line and header is not None and header.match(text, stop):
            return stop, False
        depth += 1 if text[stop] in "[{" else -1
        position = stop + 1
        if depth <= 0:
            return position, True
