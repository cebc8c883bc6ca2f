"""Where the brackets of a JSON document are, found in one pass, and what is wrong with it.

A pattern matches all that may stand between two brackets in valid JSON, so that most of the work
is done by the regular expressions, and validity is known on the way. Where it does not match,
another one that matches anything looks for the next bracket outside strings and comments.
"""

from __future__ import annotations

import re

from structchunk_core.formats._records_brackets import Brackets, flow_syntax
from structchunk_core.formats._records_json_values import cells_of_json, comments_of_json
from structchunk_core.formats._records_units import Faults

_STRING = r'"(?:[^"\\\n]++|\\[\s\S])*+(?:"|(?=\n)|\\?\Z)'  # a line end closes it, if no quote does
_SINGLE = r"'(?:[^'\\\n]++|\\[\s\S])*+'"
_COMMENT = r"(?://[^\n]*+|\#[^\n]*+|/\*(?:[^*]++|\*(?!/))*+(?:\*/|\Z))"
SYNTAX = flow_syntax(
    f"{_STRING}|{_SINGLE}|{_COMMENT}",
    r"\"(?:[^\"\\\n]++|\\.)*+\"|'(?:[^'\\\n]++|\\.)*+'|[^\s\"':,\[\]{}]++",
    ":",
    _COMMENT,
    r"(?://[^\n]*+|\#[^\n]*+|/\*(?:[^*\n]|\*(?!/))*+\*/)",
    cells_of_json,
    comments_of_json,
)
"""How brackets are found and read, in JSON and in what is not quite JSON."""

_BLANK = r"[ \t\n\r]*+"
_STRICT_STRING = r'"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+"'
_NUMBER = r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][-+]?[0-9]++)?+"
_SCALAR = rf"(?:{_STRICT_STRING}|{_NUMBER}|true|false|null)"
_VALUE = _SCALAR + _BLANK
_KEY = rf"{_STRICT_STRING}{_BLANK}:{_BLANK}"
_PAIR = _KEY + _VALUE
_MORE_VALUES = rf"(?:,{_BLANK}{_VALUE})*+"
_MORE_PAIRS = rf"(?:,{_BLANK}{_PAIR})*+"

_STRICT = {  # around the text: a list or an object; whether right behind its bracket -> up to next
    ("[", True): re.compile(rf"{_BLANK}(?:{_VALUE}{_MORE_VALUES}(?:\]|,{_BLANK}[\[{{])|[\[{{\]])"),
    ("[", False): re.compile(rf"{_BLANK}{_MORE_VALUES}(?:\]|,{_BLANK}[\[{{])"),
    ("{", True): re.compile(
        rf"{_BLANK}(?:{_PAIR}{_MORE_PAIRS}(?:\}}|,{_BLANK}{_KEY}[\[{{])|\}}|{_KEY}[\[{{])"
    ),
    ("{", False): re.compile(rf"{_BLANK}{_MORE_PAIRS}(?:\}}|,{_BLANK}{_KEY}[\[{{])"),
}
_LONE_VALUE = re.compile(_BLANK + _VALUE + r"\Z")
_LINE_REST = re.compile(r"[ \t\r]*+(?:\n|\Z)")
_PLAIN_LINES = re.compile(rf"(?:{_BLANK}{_SCALAR}[ \t\r]*+(?:\n|\Z))*+{_BLANK}")
_OPENING = {"]": "[", "}": "{"}
_QUOTED = re.compile(_STRING)
_SAMPLE = 4000  # characters of what is wrong that are looked at to say why
_WRONG = (
    (re.compile(_COMMENT), "JSON has no comments"),
    (re.compile(r"\b(?:NaN|Infinity)\b"), "JSON has no such number"),
    (re.compile(r",\s*[\]}]"), "JSON has no comma behind the last value"),
    (re.compile("'"), "JSON has no strings in single quotes"),
    (re.compile(r"(?:\A|[{,])\s*[\w$]+\s*:"), "JSON has no keys without quotes"),
)
_UNREADABLE = "this is not JSON"
_SECOND = "a line holds a second value"
_UNCLOSED = "a bracket is opened and not closed"
_STRAY = "a bracket is closed that was not opened"


def scan(text: str, *, lines: bool, is_relaxed: bool) -> Brackets:
    """Every container of the document.

    Args:
        text: the document.
        lines: whether each line may hold a value of its own. One that begins with a bracket then
            ends what was not closed above.
        is_relaxed: whether comments, trailing commas and the like are none of its faults (JSON5).
    """
    found = Brackets()
    starts, ends, behind = found.starts, found.ends, found.behind
    faults = Faults() if is_relaxed else found.faults
    stack: list[int] = []
    lists = objects = 0  # of them
    around, is_first = "", True
    position = 1 if text.startswith("\ufeff") else 0
    length = len(text)
    while True:
        match = _STRICT[around, is_first].match(text, position) if stack else None
        if match is None:
            match = SYNTAX.loose.match(text, position)
            assert match is not None  # it matches anything
            stop = match.end()
            is_plain = not stack and _is_plain(text, position, stop, found, lines=lines)
            is_behind = is_plain and lines and len(starts) > 0
            is_second = is_behind and _LINE_REST.match(text, position) is None
            if is_second or not is_plain:
                sample = text[position : min(stop + 1, position + _SAMPLE)]
                # Where a comma is missing, a cut may fall: what stands in front of it is told.
                begin = position if text[position:stop].strip() else max(position - 1, 0)
                message = _SECOND if is_second else _wrong(sample)
                faults.note(message, begin, max(stop, position + 1))
            if stop == length:
                break
            stop += 1
        else:
            stop = match.end()
        bracket = text[stop - 1]
        position = stop
        if bracket in "[{":
            if lines and stack and text[stop - 2 : stop - 1] == "\n":
                found.faults.note(_UNCLOSED, starts[stack[0]], stop - 1)
                _close_all(stack, stop - 1, found)
                lists = objects = 0
            stack.append(len(starts))
            starts.append(stop - 1)
            ends.append(length)
            behind.append(0)
            around, is_first = bracket, True
            lists += bracket == "["
            objects += bracket == "{"
            continue
        is_first = False
        opening = _OPENING[bracket]
        if not (lists if opening == "[" else objects):
            found.faults.note(_STRAY, stop - 1, stop)
            continue
        while True:
            number = stack.pop()
            behind[number] = len(starts)
            is_list = text[starts[number]] == "["
            lists -= is_list
            objects -= not is_list
            if is_list == (opening == "["):
                ends[number] = stop
                break
            ends[number] = stop - 1
            found.unclosed.add(number)
            found.faults.note(_UNCLOSED, starts[number], stop)
        around = text[starts[stack[-1]]] if stack else ""
    if stack:
        found.faults.note(_UNCLOSED, starts[stack[0]], length)
        _close_all(stack, length, found)
    return found


def _close_all(stack: list[int], end: int, found: Brackets) -> None:
    for number in stack:
        found.ends[number] = end
        found.behind[number] = len(found.starts)
    found.unclosed.update(stack)
    stack.clear()


def _is_plain(text: str, start: int, stop: int, found: Brackets, *, lines: bool) -> bool:
    """Whether what stands outside all brackets may do so in JSON, or JSON Lines."""
    if lines:
        match = _PLAIN_LINES.match(text, start, stop)
        return match is not None and match.end() == stop
    if not found.starts and stop == len(text):
        return _LONE_VALUE.match(text, start) is not None
    is_second = bool(found.starts) and stop < len(text)
    return not is_second and not text[start:stop].strip(" \t\r\n")


def _wrong(segment: str) -> str:
    """What is wrong with the text between two brackets, of which the second is its last."""
    bare = _QUOTED.sub('""', segment)
    for pattern, message in _WRONG:
        if pattern.search(bare):
            return message
    return _UNREADABLE
