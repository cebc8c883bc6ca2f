"""The tags and texts of an HTML document, told apart as the HTML standard tells them.

Tags are found by the rules of the standard's tokenizer, so that a bare ``<`` is text and a quote
that nothing closes swallows no more than a browser lets it. Every position is read a bounded
number of times, whatever the document holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from html import unescape
from types import MappingProxyType

Token = tuple[int, int, int, int, str, str]
"""A stretch of text with the start or end tag behind it; comments and declarations are left out.

Where the text begins, which may be empty; the half-open span of the tag, where the text ends, in
characters of the source; the kind of tag (:data:`START`, :data:`END`, or :data:`TEXT` where none
stands there); its name in small letters, else ``""``; the source text of a start tag behind its
name, without its ``>``, else ``""``. A plain tuple, since a page has very many.
"""

TEXT, START, END = 0, 1, 2

RAW = frozenset({"iframe", "noembed", "noframes", "script", "style", "xmp"})
"""Elements whose content is text without tags and without character references."""


def tokens(text: str, *, is_xml: bool = False) -> Iterator[Token]:
    """The tokens of a document in order; what is between them shows nothing.

    The content of :data:`RAW` elements, ``title`` and ``textarea`` is one text. An element that
    an XML document closes in its own tag (``<a id="x"/>``) gets an end tag.

    Args:
        text: the document.
        is_xml: whether it is XHTML, where ``/>`` closes and CDATA sections are text.
    """
    scanner = _Scanner(text)
    length = len(text)
    position = begin = 0
    match = _TEXT_AND_TAG.match
    while True:
        found = None if scanner.is_broken else match(text, position)
        if found is not None:
            at, end = found.start(1) - 1, found.end()
            is_end, name, attributes = found.groups()
        elif (at := text.find("<", position)) < 0:
            break
        elif tag := scanner.tag(at):
            end, name = tag
            is_end = text[at + 1] == "/"
            attributes = text[at + 1 + len(name) : end - 1]
        else:
            behind = scanner.hidden(at, is_xml=is_xml)
            if behind == at:
                position = at + 1  # it shows itself
                continue
            yield (begin, at, behind, TEXT, "", "")
            if is_xml and text.startswith(_CDATA, at):
                first = at + len(_CDATA)
                yield (first, max(first, behind - 3), behind, TEXT, "", "")
            position = begin = behind
            continue
        lowered = name.lower()
        if is_end:
            yield (begin, at, end, END, lowered, "")
            position = begin = end
            continue
        yield (begin, at, end, START, lowered, attributes)
        position = begin = end
        if is_xml and attributes.endswith("/"):
            yield (end, end, end, END, lowered, "")
        elif lowered in _WITHOUT_TAGS:
            position = scanner.end_of_raw(lowered, end)
            if position == end and lowered in _PLAIN:
                yield (end, end, end, END, lowered, "")  # nothing closes it, or it is empty
    if length > begin:
        yield (begin, length, length, TEXT, "", "")


@lru_cache(maxsize=1024)  # a page has some again and again
def read_attributes(attributes: str) -> Mapping[str, str]:
    """The attributes of a start tag, names in small letters, values decoded; the first counts."""
    found: dict[str, str] = {}
    for match in _ATTRIBUTE.finditer(attributes):
        name = match[1].lower()
        if name and name not in found:
            value = match[2] or match[3] or match[4] or ""
            found[name] = unescape(value) if "&" in value else value
    return MappingProxyType(found)


# Text and the tag behind it, as nearly all are written; whatever else may be a tag is left to the
# scanner. White space is that of the standard, which "\s" goes beyond.
_TEXT_AND_TAG = re.compile(
    r"[^<]*+<(/?)([a-zA-Z][^ \t\n\r\f/>]*+)"
    r"((?:[ \t\n\r\f/]++(?:[^ \t\n\r\f\"'<>/=]++(?:[ \t\n\r\f]*+=[ \t\n\r\f]*+"
    r"(?:\"[^\"]*+\"|'[^']*+'|[^ \t\n\r\f\"'>][^ \t\n\r\f>]*+))?+)?+)*+)>"
)
_ATTRIBUTE = re.compile(
    r"[ \t\n\r\f/]*+(=?[^ \t\n\r\f/>=]*+)(?:[ \t\n\r\f]*+=[ \t\n\r\f]*+"
    r"(?:\"([^\"]*+)(?:\"|\Z)|'([^']*+)(?:'|\Z)|([^ \t\n\r\f>]*+)))?+"
)
_TAG_NAME = re.compile(r"</?([a-zA-Z][^ \t\n\r\f/>]*+)")
_BEFORE_NAME = re.compile(r"[ \t\n\r\f/]*+")
_NAME = re.compile(r"=?[^ \t\n\r\f/>=]*+")
_EQUALS = re.compile(r"[ \t\n\r\f]*+=[ \t\n\r\f]*+")
_UNQUOTED = re.compile(r"[^ \t\n\r\f>]*+")
_COMMENT_END = re.compile(r"--!?>")
_CDATA = "<![CDATA["
_PLAIN = frozenset({"plaintext", "textarea", "title"})
_WITHOUT_TAGS = RAW | _PLAIN


class _Scanner:
    """What the quick pattern for tags does not know; remembers what is nowhere further down."""

    __slots__ = ("_missing", "_text", "is_broken")

    def __init__(self, text: str) -> None:
        self.is_broken = False  # a tag ran to the end: from there on each ends at its first ">"
        self._text = text
        self._missing: set[str] = set()

    def tag(self, at: int) -> tuple[int, str] | None:
        """The end and the name of the tag that begins at the ``<``; None when none does.

        A tag that runs to the end of the document, because a quote is not closed, ends at its
        first ``>``; without one it is no tag. So its words are kept.
        """
        opened = _TAG_NAME.match(self._text, at)
        if opened is None:
            return None
        first = self._find(">", opened.end()) + 1
        if not first:
            return None
        end = -1 if self.is_broken else self._end_of_tag(opened.end())
        self.is_broken = end < 0
        return (first if end < 0 else end), opened[1]

    def _end_of_tag(self, position: int) -> int:
        """Behind the ``>`` of the tag whose name ends there; -1 when the document ends in it."""
        text = self._text
        length = len(text)
        while True:
            position = _end(_BEFORE_NAME, text, position)
            if position >= length:
                return -1
            if text[position] == ">":
                return position + 1
            position = _end(_NAME, text, position)
            equals = _EQUALS.match(text, position)
            if equals is None:
                continue
            position = equals.end()
            quote = text[position : position + 1]
            if quote and quote in "\"'":
                closing = self._find(quote, position + 1)
                if closing < 0:
                    return -1
                position = closing + 1
            else:
                position = _end(_UNQUOTED, text, position)

    def hidden(self, at: int, *, is_xml: bool) -> int:
        """Behind the comment, declaration or nameless end tag at the ``<``; there, if none is."""
        text = self._text
        if text.startswith("<!--", at):
            if text.startswith(("<!-->", "<!--->"), at):
                return text.index(">", at) + 1
            found = _COMMENT_END.search(text, at + 4)
            return found.end() if found else len(text)
        if is_xml and text.startswith(_CDATA, at):
            return self._find("]]>", at) + 3 if self._find("]]>", at) >= 0 else len(text)
        following = text[at + 1 : at + 3]
        is_mark = following[:1] in {"!", "?"} or (
            following[:1] == "/" and len(following) == 2 and not _is_letter(following[1])
        )
        if not is_mark:
            return at
        return self._find(">", at) + 1 or len(text)

    def end_of_raw(self, name: str, start: int) -> int:
        """Where the end tag of the element begins; a title that is not closed has no content."""
        length = len(self._text)
        if name == "plaintext":
            return length
        if name not in self._missing:
            found = _closing(name).search(self._text, start)
            if found is not None:
                return found.start()
            self._missing.add(name)
        return start if name in _PLAIN else length

    def _find(self, mark: str, start: int) -> int:
        if mark in self._missing:
            return -1
        found = self._text.find(mark, start)
        if found < 0:
            self._missing.add(mark)
        return found


def _end(pattern: re.Pattern[str], text: str, position: int) -> int:
    found = pattern.match(text, position)
    return found.end() if found else position


def _closing(name: str) -> re.Pattern[str]:
    return re.compile(rf"</{name}(?=[ \t\n\r\f/>])", re.IGNORECASE)


def _is_letter(character: str) -> bool:
    return character.isascii() and character.isalpha()
