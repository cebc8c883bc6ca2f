"""How a block of Markdown holds on to the one above it."""

from __future__ import annotations

import re

from structchunk_core.formats._glue import SHORT, comments_on, leads_in, may_be_commented
from structchunk_core.formats._markdown_blocks import Block
from structchunk_core.formats._markdown_document import Document
from structchunk_core.source import line_start
from structchunk_core.unit import Tie

FOLLOWERS = frozenset(
    {"list", "procedure", "table", "fence", "code", "math", "quote", "html", "region"}
)
"""Kinds of blocks that a paragraph may introduce."""


def tie_of(
    document: Document, previous: Block, block: Block, start: int, following: Block | None
) -> Tie:
    """How the unit of a block holds on to the one before it.

    Args:
        document: what they were read from.
        previous: the block before it.
        block: the block.
        start: where its unit begins, in characters of the source text.
        following: the block behind it, or None.
    """
    if previous.kind == "heading":
        return Tie.HEAD
    if block.kind == "section":
        return Tie.FREE
    touches = not blank_above(document.text, start)
    if block.kind == "rule":
        return Tie.CLOSE
    if previous.kind == "paragraph" and (
        _opens(document, previous) or _leads_in(document, previous, block, touches)
    ):
        return Tie.CLOSE
    if block.kind == "paragraph" and _comments_on(document, previous, block, following):
        return Tie.CLOSE
    is_tab_set = _region_kind(previous) == "tab" == _region_kind(block)
    return Tie.NEXT if touches or is_tab_set else Tie.LOOSE


_CONTAINER = re.compile(r"(?::{3,}|/{3,})[ \t]*+[\w{.][^\n]*+$")


def _opens(document: Document, block: Block) -> bool:
    """Whether a paragraph is the opening line of a container that nothing closes."""
    if document.view.text[block.start] not in ":/":
        return False
    return _CONTAINER.match(document.words(block)) is not None


def _leads_in(document: Document, previous: Block, block: Block, touches: bool) -> bool:
    """Whether a paragraph introduces the block behind it."""
    if block.kind not in FOLLOWERS or _region_kind(block) in {"admonition", "tab"}:
        return False
    return leads_in(document.words(previous), block.kind, touches=touches)


def _comments_on(
    document: Document, previous: Block, block: Block, following: Block | None
) -> bool:
    """Whether a paragraph is the caption or the short caveat of what stands above it."""
    if not may_be_commented(previous.kind) or block.end - block.start > SHORT:
        return False
    leads = following is not None and following.kind in FOLLOWERS
    return comments_on(document.words(block), previous.kind, leads=leads)


def _region_kind(block: Block) -> str:
    return block.region.kind if block.region else ""


def blank_above(text: str, start: int) -> bool:
    """Whether the line above the one that begins at start shows nothing but quote marks."""
    return (
        start == 0
        or text.startswith("\n\n", start - 2)
        or not text[line_start(text, start - 1) : start].strip(" \t\r\n>")
    )
