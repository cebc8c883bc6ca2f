"""AsciiDoc and Org, which are plain text but for their headings and the lines around their blocks.

What is between two such lines is one block with the lines of attributes above it; lists, tables
between bars and paragraphs are those of plain text. https://docs.asciidoctor.org/asciidoc/latest/
and https://orgmode.org/worg/org-syntax.html say how they are written.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from structchunk_core.formats._text_blanks import BLANK_LINE, behind_blanks, is_blank_above
from structchunk_core.formats._text_headings import Heading

_LINE_END = r"[ \t\r]*+$"
_ASCIIDOC = re.compile(
    rf"^\ufeff?(?:(?P<mark>={{1,6}}|\#{{1,6}})[ \t]++(?P<title>\S[^\n]*+)$"
    rf"|(?P<bounds>([-=.*_+/~^])\4{{3,}}|--|[|,:!]={{3,}}|`{{3,}}){_LINE_END}"
    r"|(?P<fence>`{3,})[ \t]*+(?P<tag>[\w+#.-]++)[^`\n]*+$)",
    re.MULTILINE,
)
_ORG = re.compile(
    r"^\ufeff?(?:(?P<mark>\*++)[ \t]++(?P<title>\S[^\n]*+)$"
    r"|[ \t]*+\#\+(?P<side>(?i:begin|end))_(?P<name>[^\s:]++)(?P<words>[^\n]*+)$)",
    re.MULTILINE,
)
_UNDERLINES = "=-~^+"  # by level; https://docs.asciidoctor.org/asciidoc/latest/sections/titles/
_CONTAINERS = ("=", "*", "_", "--")
_ATTRIBUTES = re.compile(r"(?:\[[^\n]*\]|\.[^\s.][^\n]*)[ \t\r]*\n")
_KEYWORDS = re.compile(r"[ \t]*\#\+(?!(?i:begin|end)_)[\w-]+(?:\[[^\n]*\])?:[^\n]*\n")
_LANGUAGE = re.compile(
    r"^\[(?:source|listing)?(?:%\w+)?,[ \t]*(?:language=)?\"?([\w+#.-]+)", re.MULTILINE
)
_DRAWER = re.compile(
    r"(?:[ \t]*(?:CLOSED|DEADLINE|SCHEDULED):[^\n]*\n)?"
    r"(?:[ \t]*:PROPERTIES:[ \t\r]*\n(?:[ \t]*:(?!END:)[^\n]*\n)*[ \t]*:END:[ \t\r]*(?:\n|\Z))?"
)
_ORG_STATE = re.compile(r"(?:(?:TODO|NEXT|WAITING|DONE|CANCELLED)[ \t]+)?(?:\[#\w\][ \t]+)?")
_ORG_TITLE = re.compile(r"^\ufeff?\#\+(?i:title):[ \t]*+(\S[^\n]*)", re.MULTILINE)
_ORG_TAGS = re.compile(r"(?<![ \t])[ \t]++(?::[\w@#%]++)++:$")
_ORG_LINK = re.compile(r"\[\[[^\]\n]*\](?:\[([^\]\n]*)\])?\]")
_OF_ORG = frozenset({"src", "example", "export", "comment"})
_ENDINGS = {".adoc": _ASCIIDOC, ".asciidoc": _ASCIIDOC, ".org": _ORG}


class Marked(NamedTuple):
    """A block between two lines that say where it begins and ends.

    Attributes:
        start: where it begins, with the attributes above it.
        body: behind the line that opens it.
        close: where the line begins that closes it.
        end: behind that line and the blank lines below it.
        language: of code in it, as the document names it.
        holds_text: whether paragraphs and further blocks are in it, and no code or the like.
    """

    start: int
    body: int
    close: int
    end: int
    language: str
    holds_text: bool


class Markup(NamedTuple):
    """What is marked in a text.

    Attributes:
        headings: in order.
        blocks: in order, none of them inside another or over a heading.
        title: that of the document, where that is no heading; else ``""``.
    """

    headings: list[Heading]
    blocks: list[Marked]
    title: str = ""


def markup_of(text: str, path: str) -> Markup | None:
    """What is marked in a text, or None where the ending of its name is not that of a markup."""
    pattern = _ENDINGS.get(path[path.rfind(".") :].lower())
    if pattern is None:
        return None
    found = _of_asciidoc if pattern is _ASCIIDOC else _of_org
    markup = found(text, 0, len(text), has_headings=True)
    first = markup.headings[0] if markup.headings else None
    if first is not None and not text[: first.start].strip("\ufeff \t\r\n"):
        markup.headings[0] = first._replace(start=0)
    named = _ORG_TITLE.search(text, 0, first.start if first else len(text))
    return markup._replace(title=named[1].strip()) if named and found is _of_org else markup


def blocks_inside(text: str, path: str, start: int, end: int) -> Sequence[Marked]:
    """The blocks between two positions in another block."""
    if path[path.rfind(".") :].lower() == ".org":
        return _of_org(text, start, end, has_headings=False).blocks
    return _of_asciidoc(text, start, end, has_headings=False).blocks


def _of_asciidoc(text: str, start: int, end: int, *, has_headings: bool) -> Markup:
    lines = list(_ASCIIDOC.finditer(text, start, end))
    bounds: dict[str, list[int]] = {}
    for number, line in enumerate(lines):
        if line["bounds"]:
            bounds.setdefault(line["bounds"], []).append(number)
    markup = Markup([], [])
    number, floor = 0, start
    while number < len(lines):
        line = lines[number]
        number += 1
        if line["mark"]:
            if has_headings:
                above = _lines_above(text, line.start(), floor, _ATTRIBUTES)
                floor = behind_blanks(text, line.end())
                depth = len(line["mark"])
                markup.headings.append(
                    Heading(above, floor, line["title"].strip(), "marked", depth)
                )
            continue
        title = _underlined(text, line, floor) if has_headings and line["bounds"] else None
        if title is not None:
            floor = title.end
            markup.headings.append(title)
            continue
        mark = line["bounds"] or line["fence"]
        same = bounds.get(mark, ())
        place = bisect_right(same, number - 1)
        if place == len(same) or mark[0] in "~^":
            continue  # nothing closes it
        closing = lines[same[place]]
        above = _lines_above(text, line.start(), floor, _ATTRIBUTES)
        tag = _LANGUAGE.search(text, above, line.start())
        floor = behind_blanks(text, closing.end())
        holds_text = mark == "--" or (mark[0] in _CONTAINERS and tag is None)
        language = line["tag"] or (tag[1] if tag else "")
        body = line.end() + 1
        markup.blocks.append(Marked(above, body, closing.start(), floor, language, holds_text))
        number = same[place] + 1
    return markup


def _underlined(text: str, line: re.Match[str], floor: int) -> Heading | None:
    """A heading of one line with another one below it that is about as long."""
    rule, below = line["bounds"], line.start()
    start = text.rfind("\n", floor, max(floor, below - 1)) + 1 or floor
    title = text[start:below].strip()
    depth = _UNDERLINES.find(rule[0]) + 1
    if not depth or abs(len(title) - len(rule)) > 1 or not any(map(str.isalnum, title)):
        return None
    if _ATTRIBUTES.match(text, start):
        return None
    above = _lines_above(text, start, floor, _ATTRIBUTES)
    if not is_blank_above(text, above):
        return None
    return Heading(above, behind_blanks(text, line.end()), title, "marked", depth)


def _of_org(text: str, start: int, end: int, *, has_headings: bool) -> Markup:
    lines = [found for found in _ORG.finditer(text, start, end) if has_headings or found["side"]]
    closing: dict[str, int] = {}
    closed_by: dict[int, int] = {}
    for number in range(len(lines) - 1, -1, -1):
        line = lines[number]
        if line["mark"]:
            closing.clear()  # no block reaches over a heading
        elif line["side"].lower() == "end":
            closing[line["name"].lower()] = number
        elif line["name"].lower() in closing:
            closed_by[number] = closing[line["name"].lower()]
    markup = Markup([], [])
    number, floor = 0, start
    while number < len(lines):
        line = lines[number]
        if line["mark"]:
            drawer = _DRAWER.match(text, min(line.end() + 1, len(text)))
            behind = drawer.end() if drawer else line.end()
            floor = behind_blanks(text, max(line.end(), behind - 1))
            label, depth = _org_title(line["title"].strip()), len(line["mark"])
            markup.headings.append(Heading(line.start(), floor, label, "marked", depth))
        elif number in closed_by:
            last = lines[closed_by[number]]
            above = _lines_above(text, line.start(), floor, _KEYWORDS)
            floor = behind_blanks(text, last.end())
            name, words = line["name"].lower(), line["words"].split()
            language = words[0] if name == "src" and words else ""
            body, holds_text = line.end() + 1, name not in _OF_ORG
            markup.blocks.append(Marked(above, body, last.start(), floor, language, holds_text))
            number = closed_by[number]
        number += 1
    return markup


def _org_title(written: str) -> str:
    """The words of a headline, without its state, priority and tags."""
    state = _ORG_STATE.match(written)
    words = _ORG_TAGS.sub("", written[state.end() if state else 0 :])
    return _ORG_LINK.sub(lambda link: link[1] or link[0].strip("[]"), words) or written


def _lines_above(text: str, position: int, floor: int, pattern: re.Pattern[str]) -> int:
    """Where the lines begin that stand right above a line and are all of one sort."""
    while position > floor:
        line = text.rfind("\n", floor, position - 1) + 1 or floor
        if BLANK_LINE.match(text, line) or not pattern.fullmatch(text, line, position):
            break
        position = line
    return position
