"""What belongs together in documents: lead-ins, captions and caveats, told by their words.

The rules are the same for every markup that writes prose around code, tables and lists.
"""

from __future__ import annotations

import re
from typing import NamedTuple

SHORT = 200
"""A caveat, a caption or the intro of a procedure has no more characters."""

_LINE = 120  # nor has a lead-in of one line
_CAPTION = re.compile(
    r"[*_]{1,3}+table(?![\w-])|table[ \u00a0]*+(?:[a-z]?\.?\d|:)|:(?=[ \t])", re.IGNORECASE
)
_CAVEAT = re.compile(r"(?:Note|Where|Here)\b")
_SHOWN = frozenset({"table", "fence", "code", "math", "doctest", "literal"})


def leads_in(words: str, kind: str, *, touches: bool) -> bool:
    """Whether a paragraph introduces the block behind it.

    Args:
        words: the paragraph, without white space around it.
        kind: the kind of the block behind it, which is one that may be introduced.
        touches: whether no blank line is between the two.
    """
    return (
        touches
        or words.endswith((":", "\uff1a"))
        or (len(words) <= _LINE and "\n" not in words)
        or (kind == "table" and is_caption(words))
    )


def may_be_commented(kind: str) -> bool:
    """Whether a block of this kind may have its caption or a caveat below it."""
    return kind in _SHOWN


def comments_on(words: str, kind: str, *, leads: bool) -> bool:
    """Whether a short paragraph is the caption or the caveat of what stands above it.

    Args:
        words: the paragraph, without white space around it.
        kind: the kind of what stands above it, which :func:`may_be_commented`.
        leads: whether something that it may introduce stands below it.
    """
    if kind == "table" and (is_caption(words) or (not leads and _is_emphasized(words))):
        return True
    return not leads and (words[:1].islower() or _CAVEAT.match(words) is not None)


def is_caption(words: str) -> bool:
    """Whether a paragraph is the caption of a table beside it."""
    return len(words) <= SHORT and _CAPTION.match(words) is not None


class Caption(NamedTuple):
    """The words that name a table, or ``""``, and whether they stand below it."""

    words: str = ""
    is_below: bool = False


def caption_of(above: str, below: str, *, is_leading: bool) -> Caption:
    """The words that name a table: its caption, or else what introduces it; ``""`` if none do.

    It is introduced by a last sentence above it that ends in a colon or speaks of the table.

    Args:
        above: the paragraph right above the table, without white space around it, or ``""``.
        below: that right below it.
        is_leading: whether something that the one below may introduce stands below that.
    """
    if is_caption(above):
        return Caption(above)
    if is_caption(below):
        return Caption(below, is_below=True)
    if _is_emphasized(above):
        return Caption(above)
    if _is_emphasized(below) and not is_leading:
        return Caption(below, is_below=True)
    return Caption(_introduction(above))


_EMPHASIZED = re.compile(r"(\*{1,3}|_{1,3})(?=[^\s*_])[^*_\n]++\1$")
_SENTENCE_END = re.compile(r"[.!?]\s+(?=[^\W\d_])|[\u3002\uff01\uff1f]\s*+(?!$)")


def _is_emphasized(words: str) -> bool:
    """Whether all of a line is bold or italic, as captions and small headings are."""
    return len(words) <= SHORT and _EMPHASIZED.match(words) is not None


_INTRODUCTION = re.compile(r"[:\uff1a]$|\b(?:table|following|below)\b", re.IGNORECASE)


def _introduction(words: str) -> str:
    begin = max((found.end() for found in _SENTENCE_END.finditer(words)), default=0)
    sentence = " ".join(words[begin:].split())
    return sentence if len(sentence) <= SHORT and _INTRODUCTION.search(sentence) else ""
