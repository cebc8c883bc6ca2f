"""Titles of reStructuredText: their plain text, and how wide they are shown."""

from __future__ import annotations

import re
from unicodedata import east_asian_width

_ROLE = re.compile(r"(?::[\w:+.-]+:)?`((?:[^`\\]|\\.)+)`(?::[\w:+.-]+:|__?)?")
_EMBEDDED = re.compile(r"(.*?)\s*<[^<>]*>$", re.DOTALL)
_STRONG = re.compile(r"(?<![\w*])\*{1,2}(?=[^\s*])([^*]+)(?<=[^\s*])\*{1,2}(?![\w*])")
_SHOWN_SUBSTITUTION = re.compile(r"(?<![\w|])\|(?=[^\s|])([^|]+)(?<=[^\s|])\|_{0,2}(?![\w|])")
_REFERENCE = re.compile(r"(?<=\w)__?(?!\w)")
_ESCAPE = re.compile(r"\\(.)")


_LITERAL = re.compile(r"``(.+?)``")


def plain_text(title: str) -> str:
    """What is read in a title: without marks of roles, literals, emphasis and references."""

    def role(found: re.Match[str]) -> str:
        words = found[1].strip("`")
        embedded = _EMBEDDED.match(words)
        return embedded[1] if embedded and embedded[1] else words.lstrip("~!")

    if "`" in title:
        title = _LITERAL.sub(r"\1", title) if "``" in title else title
        title = _ROLE.sub(role, title)
    if "*" in title:
        title = _STRONG.sub(r"\1", title)
    if "|" in title:
        title = _SHOWN_SUBSTITUTION.sub(r"\1", title)
    if "_" in title:
        title = _REFERENCE.sub("", title)
    if "\\" in title:
        title = _ESCAPE.sub(r"\1", title)
    return " ".join(title.split())


def display_width(title: str) -> int:
    """How wide a title is shown: characters of East Asian scripts take two columns."""
    if title.isascii():
        return len(title)
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in title)
