"""The elements of an XML document, found in one pass over its tags; entities are never looked at.

A tag that closes what is not open is text, and an element that is not closed ends with the one
around it. What is looked for to the end of the document in vain is not looked for again.
"""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass, field

from structchunk_core.formats._records_units import Faults

START = re.compile(
    r"<([^\s/><!?=\"'][^\s/><=\"']*+)(?:\s(?:[^\"'<>]++|\"[^\"<]*+\"|'[^'<]*+')*+)?+/?>"
)
"""The start tag of an element."""
_END = re.compile(r"</([^\s/><]++)\s*+>")
DOCTYPE = "<!DOCTYPE"
_DOCTYPE = re.compile(
    r"<!DOCTYPE(?:[^\[<>\"']++|\"[^\"]*+\"|'[^']*+')*+"
    r"(?:\[(?:[^\]\"'<]++|\"[^\"]*+\"|'[^']*+'|<!--(?:[^-]++|-(?!->))*+-->|<(?!!--))*+\]\s*+)?+>"
)
_BRACKETS = (("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>"))
_UNCLOSED = "an element is opened and not closed"
_STRAY = "an element is closed that was not opened"
_NO_TAG = "this is not a tag"


@dataclass(slots=True)
class Elements:
    """The elements of a document, in the order in which they begin; positions in characters.

    Attributes:
        starts: where the start tag of each begins.
        inners: one past its start tag.
        closes: where its end tag begins; of an empty or unclosed element, where it ends.
        ends: one past its end tag.
        behind: the number of the first element that begins behind it.
        names: the name in its tag.
        mixed: the numbers of those that are words with elements among them, and not elements
            with a stray word.
        faults: what is no XML.
    """

    starts: array[int] = field(default_factory=lambda: array("q"))
    inners: array[int] = field(default_factory=lambda: array("q"))
    closes: array[int] = field(default_factory=lambda: array("q"))
    ends: array[int] = field(default_factory=lambda: array("q"))
    behind: array[int] = field(default_factory=lambda: array("q"))
    names: list[str] = field(default_factory=list)
    mixed: set[int] = field(default_factory=set)
    faults: Faults = field(default_factory=Faults)


def scan_xml(text: str) -> Elements:
    """Every element of the document."""
    found = Elements()
    known: dict[str, str] = {}  # each name once
    stack: list[_Open] = []
    is_open: dict[str, int] = {}  # how many elements of a name are open
    given_up: set[str] = set()
    position = words = 1 if text.startswith("\ufeff") else 0
    while True:
        position = text.find("<", position)
        if position < 0:
            break
        if stack and words < position and not text[words:position].isspace():
            stack[-1].words += 1
        mark = text[position + 1 : position + 2]
        if mark == "/":
            tag = _END.match(text, position)
            if tag and is_open.get(tag[1]):
                _close(found, stack, is_open, tag[1], position, tag.end())
                words = position = tag.end()
                continue
            found.faults.note(_STRAY if tag else _NO_TAG, position, position + 2)
        elif mark in ("!", "?"):
            behind = behind_mark(text, position, given_up)
            if behind >= 0:
                if stack and text.startswith("<![CDATA[", position):
                    stack[-1].words += 1
                words = position = behind
                continue
            found.faults.note(_NO_TAG, position, position + 2)
        else:
            tag = START.match(text, position)
            if tag:
                if stack:
                    stack[-1].elements += 1
                name = known.setdefault(tag[1], tag[1])
                number = _begin(found, name, position, tag.end())
                if text[tag.end() - 2] != "/":
                    stack.append(_Open(number))
                    is_open[name] = is_open.get(name, 0) + 1
                words = position = tag.end()
                continue
            found.faults.note(_NO_TAG, position, position + 1)
        words = position
        position += 1
    for element in stack:
        number = element.number
        found.closes[number] = found.ends[number] = len(text)
        found.behind[number] = len(found.starts)
        found.faults.note(_UNCLOSED, found.starts[number], found.inners[number])
    return found


@dataclass(slots=True)
class _Open:
    """An element that is open: how many stretches of words and elements are right inside it."""

    number: int
    words: int = 0
    elements: int = 0


def _begin(found: Elements, name: str, start: int, inner: int) -> int:
    number = len(found.starts)
    found.starts.append(start)
    found.inners.append(inner)
    found.closes.append(inner)
    found.ends.append(inner)
    found.behind.append(number + 1)
    found.names.append(name)
    return number


def _close(
    found: Elements,
    stack: list[_Open],
    is_open: dict[str, int],
    name: str,
    start: int,
    end: int,
) -> None:
    """Close the innermost element of a name, and all inside it, with the tag at a span."""
    while True:
        element = stack.pop()
        number = element.number
        is_open[found.names[number]] -= 1
        found.behind[number] = len(found.starts)
        if element.elements and element.words * 2 >= element.elements:
            found.mixed.add(number)
        found.closes[number] = start
        if found.names[number] == name:
            found.ends[number] = end
            return
        found.ends[number] = start
        found.faults.note(_UNCLOSED, found.starts[number], found.inners[number])


def behind_mark(text: str, position: int, given_up: set[str]) -> int:
    """Behind the comment, CDATA section, instruction or document type that begins there, or -1.

    Args:
        text: the document, or a part of it.
        position: of ``<!`` or ``<?``.
        given_up: what has been looked for in vain, and is not looked for again; more is added.
    """
    for opening, closing in _BRACKETS:
        if text.startswith(opening, position):
            if closing in given_up:
                return -1
            end = text.find(closing, position + len(opening))
            if end < 0:
                given_up.add(closing)
                return -1
            return end + len(closing)
    if DOCTYPE in given_up:
        return -1
    given_up.add(DOCTYPE)  # there is one, or none that can be read
    doctype = _DOCTYPE.match(text, position)
    return doctype.end() if doctype else -1
