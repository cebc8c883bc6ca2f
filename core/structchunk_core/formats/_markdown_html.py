"""Headings that are written as HTML: ``<h1 align="center">`` in a Markdown document."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import unescape

from structchunk_core.formats._markdown_blocks import Block

_HEADING = re.compile(
    r"\s*+<h([1-6])(?:\s[^<>]*+)?>(.*?)</h\1\s*+>[ \t]*+\r?(?:\n|\Z)", re.IGNORECASE | re.DOTALL
)
_TAG = re.compile(r"<!--.*?-->|<[^<>]*+>", re.DOTALL)
_ALTERNATIVE = re.compile(r"\salt\s*=\s*(?:\"([^\"]*)\"|'([^']*)')", re.IGNORECASE)
_OPENING = re.compile(r"<h[1-6][\s>]", re.IGNORECASE)


def with_headings(text: str, blocks: Iterable[Block]) -> Iterator[Block]:
    """The blocks; one of HTML that begins with a whole heading is that, and what is left of it."""
    for block in blocks:
        is_html = block.kind == "html" or (block.region is not None and block.region.kind == "html")
        found = _heading_or_none(text, block.start, block.end) if is_html else None
        if found is None:
            yield block
            continue
        heading, end = found
        yield heading
        if text[end : block.end].strip():
            yield Block("html", end, block.end)


def is_heading(text: str, start: int, end: int) -> bool:
    """Whether HTML at the half-open span begins with a whole heading that has words."""
    return _heading_or_none(text, start, end) is not None


def _heading_or_none(text: str, start: int, end: int) -> tuple[Block, int] | None:
    """The heading, and where it ends: a line of its own or several, with nothing behind it."""
    if not _OPENING.match(text, start):
        return None
    found = _HEADING.match(text, start, end)
    if found is None:
        return None
    words = _words(found[2])
    if not words:
        return None
    return Block("heading", start, found.end(), level=int(found[1]), label=words), found.end()


def _words(content: str) -> str:
    """What is read in a heading; of pictures alone their alternative texts."""
    words = " ".join(unescape(_TAG.sub(" ", content)).split())
    if words:
        return words
    texts = (found[1] or found[2] or "" for found in _ALTERNATIVE.finditer(content))
    return " ".join(unescape(" ".join(texts)).split())
