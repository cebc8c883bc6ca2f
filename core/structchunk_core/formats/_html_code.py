"""Preformatted text of a page: its lines as a browser shows them, and its language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import unescape

from structchunk_core.detect import language_of_tag
from structchunk_core.formats._html_lines import Places
from structchunk_core.formats._html_page import is_control, is_hidden
from structchunk_core.formats._html_traits import CODE_CLASSES, LANGUAGE_CLASS
from structchunk_core.formats._html_tree import LINES, Node


def code_of(pre: Node, source: str) -> tuple[str, Places]:
    """The text in an element with its line ends, and where its pieces come from.

    Blank lines at its ends, numbers of lines and buttons are left out.
    """
    code = _Code(source)
    stack: list[tuple[Iterator[Node | tuple[int, int]], str]] = [(iter(pre.children), "")]
    while stack:
        children, behind = stack[-1]
        for child in children:
            if isinstance(child, tuple):
                code.add(*child)
            elif child.name == "title" or is_hidden(child) or is_control(child, source):
                continue
            elif child.name == "br":
                code.write("\n", child.start)
            elif child.name == "img":
                code.write(child.attributes.get("alt", ""), child.start)
            else:
                apart = "\n" if child.name in LINES else " " if child.name in _APART else ""
                code.part(apart, child.start)
                stack.append((iter(child.children), apart))
                break
        else:
            stack.pop()
            code.part(behind, code.places[-1][1] if code.places else 0)
    return code.without_blank_ends()


def language_of(pre: Node, around: Iterable[Node]) -> str:
    """The language of preformatted text, as the page names it, or ``""``.

    Args:
        pre: the element.
        around: the elements around it, from the innermost to the outermost.
    """
    inside = [child for child in pre.children if isinstance(child, Node)][:2]
    for node in (*inside, pre, *around):
        if not node.source:
            continue
        for key in ("data-lang", "data-language"):
            if value := node.attributes.get(key, ""):
                return _info(value)
        classes = node.classes
        for name in classes:
            if found := LANGUAGE_CLASS.fullmatch(name):
                return "" if found[1] in _NO_LANGUAGE else _info(found[1])
        if node.name in {"code", "pre"} or not CODE_CLASSES.isdisjoint(classes):
            for name in classes:
                plain = name.rstrip(":;")
                if plain not in CODE_CLASSES and language_of_tag(plain):
                    return _info(plain)
    return ""


_APART = frozenset({"option", "select", "td", "th", "tr"})
_NO_LANGUAGE = frozenset({"default", "none", "plain", "plaintext", "text"})
_INFO = re.compile(r"[\w+#.-]{1,40}")


def _info(name: str) -> str:
    found = _INFO.match(name.strip().lower())
    return found[0] if found else ""


class _Code:
    """Preformatted text in the making."""

    def __init__(self, source: str) -> None:
        self.places: Places = []
        self._source = source
        self._parts: list[str] = []
        self._length = 0
        self._last = "\n"

    def add(self, start: int, end: int) -> None:
        """The text at the half-open span of the source."""
        words = self._source[start:end]
        if "&" not in words and "\r" not in words:
            self.write(words, start)
            return
        for piece in _PIECE.finditer(words):
            value = piece[0]
            if value[0] == "&":
                value = unescape(value).replace("\u00a0", " ")
            elif value[0] == "\r":
                value = "\n"
            self.write(value, start + piece.start())

    def part(self, apart: str, origin: int) -> None:
        """Let what follows stand on a line of its own, or apart by a blank."""
        if apart and self._last != "\n" and (apart == "\n" or not self._last.isspace()):
            self.write(apart, origin)

    def write(self, words: str, origin: int) -> None:
        """Words that come from the position of the source."""
        if words:
            self.places.append((self._length, origin))
            self._parts.append(words)
            self._length += len(words)
            self._last = words[-1]

    def without_blank_ends(self) -> tuple[str, Places]:
        """All of it, from its first line that is not blank."""
        code = "".join(self._parts).rstrip()
        first = _BLANK_LINES.match(code)
        cut = first.end() if first else 0
        shown = [(max(0, at - cut), origin + max(0, cut - at)) for at, origin in self.places]
        # Of the pieces in front of that line the last one counts, which holds it.
        begin = max((number for number, place in enumerate(shown) if place[0] == 0), default=0)
        return code[cut:], [place for place in shown[begin:] if place[0] < len(code) - cut]


_PIECE = re.compile(r"&[^\s&;]{1,32}+;?|\r\n?|[^&\r]++|&")
_BLANK_LINES = re.compile(r"(?:[^\S\n]*+\n)*+")
