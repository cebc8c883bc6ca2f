"""Logs in plain text: lines of which most start in the same way, each with what follows it."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain, pairwise

from structchunk_core.unit import Tie, Unit, make_repeat, make_unit

_FEW_LINES = 8
_SAMPLE_LINES = 400
_RECORD = re.compile(
    r"(?P<address>\d{1,3}(?:\.\d{1,3}){3}\b)"
    r"|(?P<date>[\[(<\"]?(?:\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.]\d{2,4})\b)"
    r"|(?P<time>[\[(<]?\d\d?:\d\d\b)"
    r"|(?P<month>[\[(<]?(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),?[ ])?"
    r"(?:\d\d?[ /-])?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[ /-]{1,2}\d)"
    r"|(?P<level>[\[(<]?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL)\b)"
    r"|(?P<bracket>[\[<({])"
    r"|(?P<number>[-+]?\d)"
    r"|(?P<key>[A-Za-z_][\w.-]{0,40}=)"
)
LONGEST_HEAD = 200  # characters that parts of an item or record carry
_TIMES = frozenset({"date", "time", "month"})
_PLAIN_MARKS = _TIMES | {"address", "level"}  # numbers and brackets may begin anything
_VISIBLE = re.compile(r"[^\s\ufeff]")
_FULL_LINE = re.compile(r"\n(?=\S)")


def whole_log_or_none(text: str, start: int, end: int) -> Unit | None:
    """Text with blank lines in it as a log, if it is one from its first line on."""
    first = _VISIBLE.search(text, start, end)
    begun = _RECORD.match(text, first.start(), end) if first else None
    if begun is None or begun.lastgroup not in _PLAIN_MARKS:
        return None
    return log_or_none(text, start, end)


def log_or_none(text: str, start: int, end: int) -> Unit | None:
    """The half-open span as the lines of a log, if it plainly is one."""
    starts = _record_starts(text, start, end)
    if not starts:
        return None
    return make_unit("lines", start, end, atomic=False, opener=partial(_lines, text, starts, end))


def _lines(text: str, starts: Sequence[int], end: int) -> Iterator[Unit]:
    """The records of a log; the parts of one that is cut carry its first line."""
    for start, stop in pairwise(chain(starts, (end,))):
        line_end = text.find("\n", start, stop) + 1 or stop
        repeat = None
        if text[line_end:stop].strip() and line_end - start <= LONGEST_HEAD:
            repeat = make_repeat(text[start:line_end])
        yield make_unit("line", start, stop, tie=Tie.NEXT, repeat=repeat)


def _record_starts(text: str, start: int, end: int) -> array[int]:
    """Where the records of a log start, the first at the start; empty for anything else.

    A log has more than a few lines, and four of five start in the same way; with a date or time
    one of three is enough. What is indented or starts in no known way (stack traces, messages of
    several lines) belongs to the record above.
    """
    position = start
    for _ in range(_FEW_LINES):
        position = text.find("\n", position, end) + 1
        if not 0 < position < end:
            return array("q")
    kinds: dict[str | None, int] = {}
    total = 0
    for total, line in enumerate(_full_lines(text, start, end), 1):
        match = _RECORD.match(text, line, end)
        kind = match.lastgroup if match else None
        kinds[kind] = kinds.get(kind, 0) + 1
        if total == _SAMPLE_LINES:
            break
    kinds.pop(None, None)
    if total <= _FEW_LINES or not kinds:
        return array("q")
    most = max(kinds, key=lambda kind: kinds[kind])
    enough = kinds[most] * 3 >= total if most in _TIMES else kinds[most] * 5 >= total * 4
    if not enough or kinds[most] < _FEW_LINES // 2:
        return array("q")
    wanted = _TIMES if most in _TIMES else {most}
    starts = array("q", [start])
    for line in _full_lines(text, start, end):
        match = _RECORD.match(text, line, end)
        if match is not None and match.lastgroup in wanted and line > start:
            starts.append(line)
    return starts


def _full_lines(text: str, start: int, end: int) -> Iterator[int]:
    """Where the lines begin in the half-open span that are not indented and not blank."""
    if start == 0 < end and not text[0].isspace():
        yield 0
    for found in _FULL_LINE.finditer(text, max(0, start - 1), end):
        yield found.end()
