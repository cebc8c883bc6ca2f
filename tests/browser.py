"""What a browser shows of a page, told by lexbor, an HTML5 parser that shares nothing with ours.

What no reader takes for text of the page is left out: scripts, drawings, hidden elements, marks
to work with the page (a pilcrow behind a heading, the numbers of lines of code), formulas, which
are shown in another form.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple


from structchunk_core.source import parsable


class Word(NamedTuple):
    """A word and the headings above it, outermost first."""

    text: str
    path: tuple[str, ...]


def visible_words(html: str) -> list[Word]:
    """The words of a page in the order of its elements."""
    from selectolax.lexbor import LexborHTMLParser

    root = LexborHTMLParser(parsable(html)).root
    words: list[Word] = []
    pieces: list[str] = []
    headings: list[tuple[int, str]] = []
    kept: list[list[tuple[int, str]]] = []

    def flush() -> None:
        path = tuple(label for _, label in headings)
        words.extend(Word(word, path) for word in words_of("".join(pieces)))
        pieces.clear()

    node = root
    while node is not None:
        entered = _entered(node)
        if node.tag == "-text":
            pieces.append(node.text_content or "")
        elif entered:
            if node.tag in _BLOCKS:
                flush()
            elif node.tag in _APART:
                pieces.append(" ")
            if node.tag in _ENDS_HEADINGS:
                kept.append(list(headings))
            if node.tag in _HEADINGS and not _is_inside(node, _HEADINGS):
                level = int(node.tag[1])
                label = " ".join(_text(node).split())
                if label:
                    while headings and headings[-1][0] >= level:
                        headings.pop()
                    headings.append((level, label))
            if node.tag == "img" and node.attributes.get("alt"):
                pieces.append(f" {node.attributes['alt']} ")
        following = node.child if entered else None
        while following is None and node is not None:
            if node.tag != "-text" and _entered(node):
                if node.tag in _BLOCKS:
                    flush()
                elif node.tag in _APART:
                    pieces.append(" ")
                if node.tag in _ENDS_HEADINGS:
                    headings[:] = kept.pop()
            following = node.next
            if following is None:
                node = node.parent
                if node is None or node.tag == "html":
                    node = None
        if following is None:
            break
        node = following
    flush()
    return words


def words_of(text: str) -> list[str]:
    """The words of a text, without punctuation and without places to break a word."""
    return _WORD.findall(text.replace("\u00ad", ""))


def path_of(words: Sequence[Word]) -> tuple[str, ...]:
    """The headings that all of the words have above them."""
    if not words:
        return ()
    path = words[0].path
    for word in words:
        length = 0
        while length < min(len(path), len(word.path)) and path[length] == word.path[length]:
            length += 1
        path = path[:length]
    return path


_WORD = re.compile(r"\w+")
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_ENDS_HEADINGS = frozenset(
    "article aside blockquote details dl footer header main nav ol table ul menu".split()
)
_NOT_SHOWN = frozenset(
    "datalist head iframe math noembed noframes script style svg template title".split()
)
_BLOCKS = _HEADINGS | frozenset(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset "
    "figcaption figure footer form header hgroup hr html legend li listing main menu nav noscript "
    "ol p plaintext pre search section summary table tbody textarea tfoot thead tr ul "
    "xmp".split()
)
_APART = frozenset({"br", "button", "input", "optgroup", "option", "select", "td", "th"})
_MARKS = frozenset({"headerlink", "hash-link", "viewcode-link", "viewcode-back", "mw-editsection"})
_NUMBERS = frozenset({"linenos", "lineno", "linenodiv", "ln", "lnt", "hljs-ln-numbers"})
_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)


def _entered(node: Any) -> bool:
    tag = node.tag
    if tag is None or tag.startswith(("-", "_", "!")):
        return False
    if tag in _NOT_SHOWN:
        return False
    attributes = node.attributes
    if not attributes:
        return tag != "dialog"
    if attributes.get("role") == "tabpanel":
        return True
    if "hidden" in attributes and attributes["hidden"] != "until-found":
        return False
    if attributes.get("aria-hidden") == "true" or _STYLE.search(attributes.get("style") or ""):
        return False
    classes = set((attributes.get("class") or "").lower().split())
    if classes & _MARKS:
        return False
    if classes & _NUMBERS and not any(map(str.isalpha, _text(node))):
        return False
    if tag == "button" and any("copy" in one or "clip" in one for one in classes):
        return False
    return not (tag == "dialog" and "open" not in attributes)


def _is_inside(node: Any, tags: frozenset[str]) -> bool:
    parent = node.parent
    while parent is not None:
        if parent.tag in tags:
            return True
        parent = parent.parent
    return False


def _text(node: Any) -> str:
    """The words in a heading on one line."""
    found: list[str] = []
    stack = [node.child]
    while stack:
        child = stack.pop()
        if child is None:
            continue
        stack.append(child.next)
        if child.tag == "-text":
            found.append(child.text_content or "")
        elif _entered(child):
            if child.tag == "img" and child.attributes.get("alt"):
                found.append(f" ![{child.attributes['alt']}] ")
            is_apart = child.tag in _BLOCKS or child.tag in _APART
            found.append(" " if is_apart else "")
            stack.append(child.child)
    return "".join(found)
