"""Lists of plain text: where their items start, and how far they go on."""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass

from structchunk_core.formats._text_blanks import BLANK_LINE, end_of_block

_FURTHEST = 8192
"""How far the next item of a list may be from the last one, in characters."""
_LEAD_IN_LINES = 3

ITEM = re.compile(
    r"(?P<indent>[ \t]{0,60})"
    r"(?:(?P<bullet>[-*+\u2022\u2023\u2043\u25aa\u25ab\u25cf\u25cb\u25e6\u2219\u00b7])"
    r"|(?P<open>\(?)(?:(?P<number>\d{1,3})|(?P<letter>[a-z]))(?P<close>[.)]))"
    r"[ \t]{1,8}(?=\S)"
)
ITEM_LINE = re.compile("^" + ITEM.pattern, re.MULTILINE)
_FRAME = re.compile(r"^[ \t]*+\*[ \t\r]*+$", re.MULTILINE)  # a comment with a star on every line
_INDENT = re.compile(r"[ \t]*+")


@dataclass(frozen=True, slots=True)
class List:
    """A list: where its items start, and where it ends."""

    starts: array[int]
    end: int
    is_numbered: bool


def list_or_none(text: str, start: int, block_end: int, end: int) -> List | None:
    """The list in the block that starts there, with the blocks below that go on with it.

    The block begins with an item, or with a short lead-in. A list has two items or more of one
    kind and one indentation, and numbers count up. Reads on no further than an item may reach.
    """
    last = ITEM.match(text, start, block_end) or _item_below_lead_in(text, start, block_end)
    if last is None or (last["bullet"] == "*" and _FRAME.search(text, start, block_end)):
        return None
    indent = _columns(last["indent"])
    starts = array("q", [last.start()])
    covered = block_end  # the list reaches at least so far
    while True:
        limit = min(end, last.start() + _FURTHEST)
        match = _next_mark(text, last, indent, min(covered, limit))
        if match is None:
            if covered >= limit or not _goes_on(text, covered, end, indent, last):
                break
            covered = end_of_block(text, covered, end)
        elif _columns(match["indent"]) < indent:
            covered = match.start()  # a list further out goes on
            break
        else:
            starts.append(match.start())
            last = match
    return List(starts, covered, last["number"] is not None) if len(starts) > 1 else None


def _next_mark(text: str, last: re.Match[str], indent: int, end: int) -> re.Match[str] | None:
    """The next item of the list, or the bullet further out that ends it."""
    for match in ITEM_LINE.finditer(text, last.end(), end):
        columns = _columns(match["indent"])
        if (columns == indent and _is_next(last, match)) or (columns < indent and match["bullet"]):
            return match
    return None


def _item_below_lead_in(text: str, start: int, end: int) -> re.Match[str] | None:
    """The first item below one to three lines of lead-in."""
    position = start
    for _ in range(_LEAD_IN_LINES):
        line_end = text.find("\n", position, end)
        if line_end < 0:
            return None
        position = line_end + 1
        match = ITEM.match(text, position, end)
        if match is not None:
            begins = match["bullet"] or match["number"] == "1" or match["letter"] == "a"
            return match if begins or introduces(text, start, position) else None
    return None


def introduces(text: str, start: int, end: int) -> bool:
    """Whether the block ends in a colon: a list below belongs to it."""
    return text[max(start, end - 80) : end].rstrip().endswith((":", "\uff1a"))


def _is_next(last: re.Match[str], match: re.Match[str]) -> bool:
    """Whether the mark follows the other one in a list."""
    if last["bullet"] or match["bullet"]:
        return last["bullet"] == match["bullet"]
    if (last["open"], last["close"]) != (match["open"], match["close"]):
        return False
    if last["number"] and match["number"]:
        step = int(match["number"]) - int(last["number"])
        return step == 1 or (step == 0 and match["number"] == "1")
    if last["letter"] and match["letter"]:
        return ord(match["letter"]) - ord(last["letter"]) == 1
    return False


def _goes_on(text: str, start: int, end: int, indent: int, last: re.Match[str]) -> bool:
    """Whether the block that starts there belongs to the list: the next item, or indented text."""
    match = ITEM.match(text, start, end)
    if match is not None and _columns(match["indent"]) == indent:
        return _is_next(last, match)
    if not _is_indented(text, start, end, indent):
        return False
    second = text.find("\n", start, end) + 1
    if not 0 < second < end or BLANK_LINE.match(text, second, end):
        return True
    below = ITEM.match(text, second, end)
    return _is_indented(text, second, end, indent) or (below is not None and _is_next(last, below))


def _is_indented(text: str, start: int, end: int, indent: int) -> bool:
    match = _INDENT.match(text, start, min(end, start + 100))
    return match is not None and _columns(match.group()) >= indent + 2


def _columns(indent: str) -> int:
    return len(indent.expandtabs(4))
