"""The entries of a YAML document in block style, found in one pass over its lines.

An entry is a key with its colon, the dash of a list item, or a line that is neither. What belongs
to the value in its line (block scalars, quoted strings and brackets over several lines) is gone
over; plain text over several lines is inside its entry, as every line that is indented more.
"""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass, field
from functools import cache

from structchunk_core.formats._records_brackets import flow_end, flow_syntax
from structchunk_core.formats._records_units import Faults
from structchunk_core.formats._records_yaml_values import (
    cells_in_brackets,
    comment_words_in_brackets,
)

_DOUBLE = r'"(?:[^"\\]++|\\[\s\S])*+"'
_SINGLE = r"'(?:[^']++|'')*+'"
SYNTAX = flow_syntax(
    rf"(?<=[\[{{,:\s]){_DOUBLE}|(?<=[\[{{,:\s]){_SINGLE}|(?<=\s)\#[^\n]*+",
    r"\"(?:[^\"\\]++|\\[\s\S])*+\"|'(?:[^']++|'')*+'|[^\s\"',\[\]{}:\#](?:[^,\[\]{}\n:]|:(?!\s))*+",
    r":(?=[\s,\[\]{}\"']|\Z)",
    r"(?<!\S)\#[^\n]*+",
    r"(?<=\s)\#[^\n]*+",
    cells_in_brackets,
    comment_words_in_brackets,
)
"""How values in brackets are read: a quote is one only where a value begins."""

_QUOTED = rf"{_DOUBLE}|{_SINGLE}"
_WORDS = (  # a plain key: begins with no mark, holds no ": " and no " #"
    r"(?:[^\s\-?:,\[\]{}\#&*!|>'\"%@`]|[-?:](?=\S)|\*)(?:[^\n:\#]++|:(?=\S)|(?<=\S)\#)*+"
)
_PROPERTIES = r"(?:[&!][^\s,\[\]{}]*+[ \t]++)*+"
_KEY = re.compile(rf"{_PROPERTIES}({_QUOTED}|{_WORDS})[ \t]*+:(?=[ \t\r\n]|\Z)")
_DASH = re.compile(r"-(?=[ \t\r\n]|\Z)[ \t]*+")
_VALUE = re.compile(r"[ \t]*+(?:[&!][^\s,\[\]{{}}]*+(?:[ \t]++|(?=[\r\n]|\Z)))*+")
_LINE = re.compile(r"([ ]*+)([^\n]*+)(?:\n|\Z)")
_BLOCK = re.compile(r"[|>][0-9+-]{0,2}[ \t]*+(?:(?<=[ \t])\#[^\n]*+)?\r?(?:\n|\Z)")
_STRING = re.compile(_QUOTED)
_MARK = re.compile(r"(?:---(?=[ \t\r\n]|\Z)|\.\.\.(?=[ \t\r\n]|\Z)|%(?=[A-Z]))")
_COMMENT = re.compile(r"\s\#")
_NO_PLAIN = frozenset(("", *"\r\n|>[{\"'#&!*%@`"))
_NOT_PLAIN = 1 << 62  # no line is indented more
_UNCLOSED = "a bracket or string is opened and not closed"
_TAB = "a line is indented with a tab"


@dataclass(slots=True)
class Entries:
    """The entries of a document; all positions in characters.

    Attributes:
        begins: where each begins as a unit: with the comments above it, at the start of a line;
            inside a line where what it is behind ends.
        places: where its key, dash or text begins.
        columns: twice the column of that, and one more for a dash, so that the items of a list
            are below the key that they stand under at the same column.
        kinds: ``k`` a key, ``-`` a dash, ``=`` anything else.
        values: where its value begins, or the end of its line.
        behind: the number of the next entry that is not inside it.
        above: the number of the entry that it is right inside of, or -1.
        documents: the numbers of the first entries of documents, with where those begin.
        faults: what is no YAML.
    """

    begins: array[int] = field(default_factory=lambda: array("q"))
    places: array[int] = field(default_factory=lambda: array("q"))
    columns: array[int] = field(default_factory=lambda: array("q"))
    kinds: list[str] = field(default_factory=list)
    values: array[int] = field(default_factory=lambda: array("q"))
    behind: array[int] = field(default_factory=lambda: array("q"))
    above: array[int] = field(default_factory=lambda: array("q"))
    documents: list[tuple[int, int]] = field(default_factory=list)
    faults: Faults = field(default_factory=Faults)

    def add(self, begin: int, place: int, column: int, kind: str, value: int) -> None:
        """One more entry."""
        self.begins.append(begin)
        self.places.append(place)
        self.columns.append(column)
        self.kinds.append(kind)
        self.values.append(value)


def key_at(text: str, place: int) -> tuple[str, int]:
    """The key that begins at a place, without tag, anchor and colon, and one past its colon."""
    key = _KEY.match(text, place)
    return (key[1].rstrip(), key.end()) if key else ("", place)


def scan_yaml(text: str) -> Entries:
    """Every entry of the document in block style."""
    found = Entries()
    length = len(text)
    shown_end = len(text.rstrip())
    position = 1 if text.startswith("\ufeff") else 0
    found.documents.append((0, 0))
    comments = -1  # where the comments above the next entry begin
    is_after_blank = True
    plain = _NOT_PLAIN  # the column of what the plain value belongs to that may go on
    while position < length:
        line = _LINE.match(text, position)
        assert line is not None  # it matches anything
        indent, words = len(line[1]), line[2]
        first = words[:1]
        if not words.strip():
            if not is_after_blank:
                comments = -1
            is_after_blank = True
            position = line.end()
            continue
        if first == "#" or (first == "\t" and words.lstrip().startswith("#")):
            if comments < 0:
                comments = position
            plain = _NOT_PLAIN
            position = line.end()
            continue
        begin = comments if comments >= 0 else position
        comments, is_after_blank = -1, False
        place = position + indent
        if indent == 0 and first in "-.%" and _MARK.match(words):
            if first != "%" and (first == "-" or line.end() < shown_end):
                _begin_document(found, begin if first == "-" else line.end())
            value = _VALUE.match(text, position + 3)
            start = value.end() if value else position + 3
            behind = line.end()
            if first == "-" and text[start : start + 1].strip("#\r\n"):  # in the line of the mark
                found.add(start, start, 0, "=", start)
                if text[start] not in "|>":
                    behind = _value_end(text, start, -1, behind, found)
            position = behind
            comments = begin if first == "%" else -1
            is_after_blank = True
            plain = _NOT_PLAIN
            continue
        if indent > plain and not _is_key(text, place, line.end()):
            found.add(begin, place, 2 * indent, "=", place)  # words, whatever they begin with
            plain = plain if _ends_open(text, place, line.end()) else _NOT_PLAIN
            position = line.end()
            continue
        if first == "\t":
            found.faults.note(_TAB, position, line.end())
        position = _entry(text, begin, place, line.end(), found)
        plain = _NOT_PLAIN
        last = found.values[-1]
        if position == line.end() and found.kinds[-1] != "=" and _begins_plain(text, last):
            plain = found.columns[-1] // 2 if _ends_open(text, last, position) else _NOT_PLAIN
    _link(found)
    return found


def _is_key(text: str, place: int, line_end: int) -> bool:
    key = _KEY.match(text, place)
    return key is not None and key.end() <= line_end


def _begins_plain(text: str, value: int) -> bool:
    """Whether what begins there is text without quotes, which may go on in the lines below."""
    return text[value : value + 1] not in _NO_PLAIN


def _ends_open(text: str, start: int, line_end: int) -> bool:
    """Whether a line with such text has no comment that ends it."""
    return _COMMENT.search(text, start, line_end) is None


def _begin_document(found: Entries, start: int) -> None:
    """Another document begins; one without entries is part of it."""
    number = len(found.begins)
    if found.documents[-1][0] == number:
        found.documents[-1] = number, found.documents[-1][1]
    else:
        found.documents.append((number, start))


def _entry(text: str, begin: int, place: int, line_end: int, found: Entries) -> int:
    """Note the entries of a line; where the next line to look at begins."""
    line_start = text.rfind("\n", 0, place) + 1
    outer = place - line_start
    while True:
        column = place - line_start
        dash = _DASH.match(text, place)
        if dash is None:
            break
        found.add(begin, place, 2 * column + 1, "-", dash.end())
        outer = column
        begin = place = dash.end()
        value = _VALUE.match(text, place)
        place = value.end() if value and text[value.end() : value.end() + 1] == "-" else place
        if place >= line_end or text[place] in "\r\n#":
            return line_end
    column = place - line_start
    key = _KEY.match(text, place)
    if key and key.end() <= line_end:
        value = _VALUE.match(text, key.end())
        start = value.end() if value else key.end()
        found.add(begin, place, 2 * column, "k", start)
        outer = column
    elif key:  # a quoted key over several lines
        found.add(begin, place, 2 * column, "=", key.end())
        return text.find("\n", key.end()) + 1 or len(text)
    else:
        value = _VALUE.match(text, place)
        start = value.end() if value else place
        if begin != place or not found.kinds or found.kinds[-1] != "-":
            found.add(begin, place, 2 * column, "=", start)
    return _value_end(text, start, outer, line_end, found)


def _value_end(text: str, value: int, outer: int, line_end: int, found: Entries) -> int:
    """Behind the line in which a value ends that begins with a mark.

    Args:
        text: the document.
        value: where the value begins.
        outer: the column of what it belongs to: its lines are indented more.
        line_end: behind the line in which it begins.
        found: takes what is wrong.
    """
    first = text[value : value + 1]
    if first in ("|", ">") and _BLOCK.match(text, value):
        inside = _deeper(outer).match(text, line_end)
        return inside.end() if inside else line_end
    end, is_closed = value, True
    if first in ("[", "{"):
        end, is_closed = flow_end(text, value, SYNTAX, _outdented(outer))
    elif first in ('"', "'"):
        string = _STRING.match(text, value)
        end, is_closed = (string.end(), True) if string else (line_end, False)
        over = _outdented(outer).search(text, value, end)
        if over:
            end, is_closed = over.start() + 1, False
    if not is_closed:
        found.faults.note(_UNCLOSED, value, max(end, value + 1))
        return max(end, line_end)
    return max(line_end, text.find("\n", max(value, end - 1)) + 1 or len(text))


@cache
def _deeper(column: int) -> re.Pattern[str]:
    """Blank lines, and lines that are indented more than a column."""
    return re.compile(rf"(?:[ \t]*+\r?\n|[ ]{{{column + 1}}}[^\n]*+(?:\n|\Z))*+")


@cache
def _outdented(column: int) -> re.Pattern[str]:
    """A line end with a line behind it that is not indented more, nor only closes brackets."""
    return re.compile(rf"\n(?! {{{column + 1}}})[ ]*+[^\s\]}}\#]")


def _link(found: Entries) -> None:
    """Tell for each entry which is the next that is not inside it."""
    count = len(found.columns)
    behind = found.behind = array("q", [count]) * count
    above, columns = found.above, found.columns
    firsts = {number for number, _ in found.documents}
    stack: list[int] = []
    for number in range(count):
        column = -1 if number in firsts else columns[number]
        while stack and columns[stack[-1]] >= column:
            behind[stack.pop()] = number
        above.append(stack[-1] if stack else -1)
        stack.append(number)
