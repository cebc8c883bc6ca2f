"""What a browser shows of a page, told by lexbor, an HTML5 parser that shares nothing with ours.

What no reader takes for text of the page is left out: scripts, drawings, hidden elements, marks
to work with the page (a pilcrow behind a heading, the numbers of lines of code), formulas, which
are shown in another form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from structchunk_core.source import parsable


class Word(NamedTuple):
    """A word of a page.

    Attributes:
        text: the word.
        path: the headings above it, outermost first.
        numbers: which of the headings of the page they are.
        entry: the innermost entry of a reference that it stands in.
    """

    text: str
    path: tuple[str, ...]
    numbers: tuple[int, ...] = ()
    entry: Entry | None = None


class Entry(NamedTuple):
    """What a reference documents: the number of the entry, the words of its first signature.

    Attributes:
        number: how many entries begin in front of it.
        signature: the words of its first signature.
        name: the words of the name in it.
    """

    number: int
    signature: tuple[str, ...]
    name: tuple[str, ...]


def visible_words(html: str) -> list[Word]:
    """The words of a page in the order of its elements."""
    from selectolax.lexbor import LexborHTMLParser

    reader = _Reader()
    stack = [iter([LexborHTMLParser(parsable(html)).root])]
    opened: list[Any] = []
    while stack:
        node = next(stack[-1], None)
        if node is None:
            stack.pop()
            if opened:
                reader.leave(opened.pop())
        elif node.tag == "-text":
            reader.pieces.append(node.text_content or "")
        elif _is_shown(node):
            reader.enter(node)
            opened.append(node)
            stack.append(_children(node))
    reader.flush()
    return reader.words


def words_of(text: str) -> list[str]:
    """The words of a text, without punctuation and without places to break a word."""
    return _WORD.findall(text.replace("\u00ad", ""))


def path_of(words: Sequence[Word]) -> tuple[str, ...]:
    """The headings that all of the words have above them."""
    if not words:
        return ()
    common = words[0].numbers
    for word in words:
        length = 0
        while length < min(len(common), len(word.numbers)):
            if common[length] != word.numbers[length]:
                break
            length += 1
        common = common[:length]
    return words[0].path[: len(common)]


_WORD = re.compile(r"\w+")


class _Reader:
    """Collects words and keeps the headings above them."""

    def __init__(self) -> None:
        self.words: list[Word] = []
        self.pieces: list[str] = []
        self._headings: list[tuple[int, str, int]] = []  # level, words and number
        self._kept: list[list[tuple[int, str, int]]] = []
        self._begun_headings = 0
        self._in_heading = 0
        self._entries: list[Entry | None] = []  # of each list of definitions around
        self._begun = 0

    def enter(self, node: Any) -> None:
        self._part(node)
        if _is_set_apart(node):
            self.pieces.append(" ")
        if _ends_headings(node):
            self._kept.append(list(self._headings))
            if _is_member(node):
                self._headings = [one for one in self._headings if one[0] == 1]
        if node.tag in _HEADINGS:
            self._in_heading += 1
            label = " ".join(_text(node).split())
            if label and self._in_heading == 1:
                level = int(node.tag[1])
                while self._headings and self._headings[-1][0] >= level:
                    self._headings.pop()
                self._headings.append((level, label, self._begun_headings))
                self._begun_headings += 1
        if node.tag == "dl":
            self._entries.append(None)
        elif node.tag == "dt" and self._entries:
            self._begin_entry(node)
        if node.tag == "img" and node.attributes.get("alt"):
            self.pieces.append(f" {node.attributes['alt']} ")

    def _begin_entry(self, dt: Any) -> None:
        before = dt.prev
        while before is not None and before.tag.startswith("-"):
            before = before.prev
        if before is not None and before.tag == "dt":
            return  # another signature of the same
        self._entries[-1] = None
        name = dt.css_first(".sig-name, .descname")
        if name is not None and "sig" in _names(dt.attributes.get("class") or ""):
            words = tuple(words_of(_text(dt)))
            self._entries[-1] = Entry(self._begun, words, tuple(words_of(_text(name))))
            self._begun += 1

    def leave(self, node: Any) -> None:
        self._part(node)
        if _ends_headings(node):
            self._headings = self._kept.pop()
        if node.tag == "dl":
            self._entries.pop()
        if node.tag in _HEADINGS:
            self._in_heading -= 1

    def flush(self) -> None:
        path = tuple(label for _, label, _ in self._headings)
        numbers = tuple(number for _, _, number in self._headings)
        entry = next((one for one in reversed(self._entries) if one is not None), None)
        self.words += [Word(word, path, numbers, entry) for word in words_of("".join(self.pieces))]
        self.pieces.clear()

    def _part(self, node: Any) -> None:
        if node.tag in _BLOCKS:
            self.flush()
        elif node.tag in _APART:
            self.pieces.append(" ")


def _names(names: str) -> frozenset[str]:
    return frozenset(names.split())


def _ends_headings(node: Any) -> bool:
    """Whether the headings in an element are of no account behind it.

    A header introduces what it stands in, says the standard: its heading is that of the article.
    That of the page, around which there is no article, is taken for it where it has an ``h1``.
    """
    if node.tag != "header":
        return node.tag in _ENDS_HEADINGS or _is_member(node)
    return node.css_first("h1") is None and not _is_in_article(node)


def _is_member(node: Any) -> bool:
    """Whether an element documents one function or class, as pdoc writes it.

    Headings in what is said of it end with it, and those of what holds it do not reach into it.
    """
    first = node.child
    while first is not None and (first.tag.startswith("-") or first.tag == "input"):
        first = first.next
    if first is None or first.tag != "div" or not node.attributes.get("id"):
        return False
    return "attr" in _names(first.attributes.get("class") or "")


def _is_in_article(node: Any) -> bool:
    while node is not None and node.tag not in {"article", "main"}:
        node = node.parent
    return node is not None


def _is_set_apart(node: Any) -> bool:
    """Whether code begins, or has just ended, right beside another element on the line."""
    if node.prev is None or node.prev.tag == "-text":
        return False
    tags = {*_edge(node, "child"), *_edge(node.prev, "last_child")}
    return bool(tags & _CODE) and not tags & _RAISED


def _edge(node: Any, end: str) -> Iterator[str]:
    """The element, and those that begin or end with it."""
    while node is not None and node.tag != "-text":
        yield node.tag
        node = getattr(node, end)


_CODE = frozenset({"code", "kbd", "samp", "tt"})
_RAISED = frozenset({"sub", "sup", "wbr"})
_HEADINGS = _names("h1 h2 h3 h4 h5 h6")
_ENDS_HEADINGS = _names("article aside blockquote details dl footer li main menu nav ol table ul")
_NOT_SHOWN = _names("datalist head iframe math noembed noframes script style svg template title")
_BLOCKS = _HEADINGS | _names(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset "
    "figcaption figure footer form header hgroup hr html legend li listing main menu nav noscript "
    "ol p plaintext pre search section summary table tbody textarea tfoot thead tr ul xmp"
)
_APART = _names("br button input label optgroup option select td th")
_MARKS = _names(
    "hash-link headerlink mw-editsection view-source-button viewcode-back viewcode-link"
)
_NUMBERS = _names("hljs-ln-numbers linenodiv lineno linenos ln lnt")
_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)


def _children(node: Any) -> Iterator[Any]:
    child = node.child
    while child is not None:
        yield child
        child = child.next


def _is_shown(node: Any) -> bool:
    tag = node.tag or "-"
    attributes = node.attributes
    if tag.startswith(("-", "_", "!")) or tag in _NOT_SHOWN:
        return False
    if attributes.get("role") == "tabpanel":
        return True
    if tag == "dialog" and "open" not in attributes:
        return False
    if "hidden" in attributes and attributes["hidden"] != "until-found":
        return False
    if attributes.get("aria-hidden") == "true" or _STYLE.search(attributes.get("style") or ""):
        return False
    return not _is_mark(node)


def _is_mark(node: Any) -> bool:
    classes = _names((node.attributes.get("class") or "").lower())
    if classes & _MARKS:
        return True
    if classes & _NUMBERS:
        return not any(map(str.isalpha, _text(node)))
    return node.tag == "button" and any("copy" in one or "clip" in one for one in classes)


def _text(node: Any) -> str:
    """The words in an element on one line."""
    found: list[str] = []
    stack = [_children(node)]
    while stack:
        child = next(stack[-1], None)
        if child is None:
            stack.pop()
        elif child.tag == "-text":
            found.append(child.text_content or "")
        elif _is_shown(child):
            if child.tag == "img" and child.attributes.get("alt"):
                found.append(f" ![{child.attributes['alt']}] ")
            if child.tag in _BLOCKS or child.tag in _APART:
                found.append(" ")
            stack.append(_children(child))
    return "".join(found)
