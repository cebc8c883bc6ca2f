"""JSON, JSON Lines and what is close to them (JSON5, JSON with comments)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from structchunk_core.formats._records_brackets import Brackets
from structchunk_core.formats._records_flow import FlowTree
from structchunk_core.formats._records_json_scan import SYNTAX, scan
from structchunk_core.formats._records_json_values import told_by_json
from structchunk_core.formats._records_told import alone
from structchunk_core.unit import Parsed, Tie, Unit, make_unit

_RELAXED = (".json5", ".jsonc", ".code-workspace")
_LINES = (".jsonl", ".ndjson", ".jsonlines")
_WHOLE = (".json", ".geojson", ".har", ".jsonld", ".topojson", ".webmanifest")  # hold one value
_BLANK = re.compile(r"[ \t\r\n]*+")


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
    return Parsed(
        _root(text, brackets),
        problems=brackets.faults.problems(len(text)),
        told=alone(told_by_json),
    )


def _root(text: str, brackets: Brackets) -> Unit:
    """The document: the one value that it holds, or several."""
    starts = brackets.starts
    length = len(text)
    if starts and brackets.behind[0] == len(starts):
        before = SYNTAX.nothing.match(text, 0, starts[0])
        after = _BLANK.match(text, brackets.ends[0])
        if before and after and before.end() == starts[0] and after.end() == length:
            tree = FlowTree(text, brackets, SYNTAX)
            return tree.container(0, 0, length, starts[0], "", "json", "records", 0)
    opener = partial(_values, text, brackets) if text.strip("\ufeff \t\r\n") else None
    tabular = FlowTree(text, brackets, SYNTAX).table_of_rows(len(starts)) if starts else None
    return Unit("records", 0, length, atomic=False, language="json", opener=opener, tabular=tabular)


def _values(text: str, brackets: Brackets) -> Iterator[Unit]:
    """Values one behind the other, and what else stands between them, by lines."""
    starts, ends = brackets.starts, brackets.ends
    tree = FlowTree(text, brackets, SYNTAX)
    number, position, length = 0, 0, len(text)
    while position < length:
        stop = starts[number] if number < len(starts) else length
        blank = SYNTAX.nothing.match(text, position, stop)
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
        gap = SYNTAX.gap.match(text, ends[number])
        behind = gap.end() if gap else ends[number]
        behind = _behind_blank(text, behind, length)
        yield tree.container(number, position, behind, stop, "", "", "record", 1)
        position, number = behind, brackets.behind[number]


def _behind_blank(text: str, position: int, stop: int) -> int:
    """The position, or behind the blank lines there."""
    blank = _BLANK.match(text, position, stop)
    end = blank.end() if blank else position
    if end == stop and stop == len(text):
        return end
    return max(position, text.rfind("\n", position, end) + 1)
