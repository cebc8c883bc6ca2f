"""Blank lines of a plain text, which end its blocks and belong to what stands above them."""

from __future__ import annotations

import re

BLANK_LINE = re.compile(r"[^\S\n]*+(?:\n|\Z)")
BLANK_LINES = re.compile(r"(?:[^\S\n]*+\n)*+(?:[^\S\n]++\Z)?")
_PARAGRAPH_END = re.compile(r"\n(?:[^\S\n]*+\n)++(?:[^\S\n]++\Z)?")


def end_of_block(text: str, start: int, end: int) -> int:
    """Where the block that starts there ends: behind the blank lines below it."""
    match = _PARAGRAPH_END.search(text, start, end)
    return match.end() if match else end


def is_blank_above(text: str, start: int) -> bool:
    """Whether the line above the one that starts there is blank, or there is none."""
    if start == 0:
        return True
    return BLANK_LINE.match(text, text.rfind("\n", 0, start - 1) + 1) is not None


def is_blank_below(text: str, end: int) -> bool:
    """Whether the line below the one that ends there is blank, or there is none."""
    return end >= len(text) or BLANK_LINE.match(text, end + 1) is not None


def behind_blanks(text: str, end: int) -> int:
    """Behind the line that ends there and the blank lines below it."""
    if end >= len(text):
        return end
    return BLANK_LINES.match(text, end + 1).end()  # type: ignore[union-attr]  # none is enough
