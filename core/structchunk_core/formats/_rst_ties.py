"""How a block of reStructuredText holds on to the one above it."""

from __future__ import annotations

from structchunk_core.formats._glue import SHORT, comments_on, leads_in, may_be_commented
from structchunk_core.formats._rst_blocks import Block, Section
from structchunk_core.formats._rst_directives import kind_of
from structchunk_core.formats._rst_document import Document
from structchunk_core.unit import Tie

_FOLLOWERS = frozenset(
    {
        *("list", "procedure", "definition_list", "field_list", "option_list", "grid_table"),
        *("simple_table", "literal", "doctest", "quote", "line_block"),
        *("code", "table", "math", "figure", "image"),
    }
)
_TABLES = frozenset({"grid_table", "simple_table", "table"})
_POINTING = frozenset({"target", "index"})


def tie_of(
    document: Document, before: Block | Section, member: Block | Section, following: Block | None
) -> Tie:
    """How the unit of a member holds on to that of the one before it.

    Args:
        document: what they were read from.
        before: the one before it.
        member: a block or section.
        following: the block behind it, or None.
    """
    if isinstance(member, Section):
        is_heading = isinstance(before, Block) and before.kind == "heading"
        return Tie.HEAD if is_heading else Tie.FREE
    if isinstance(before, Section):
        return Tie.FREE
    kind, kind_before = kind_of(member), kind_of(before)
    if kind_before in {"heading", "rubric"}:
        return Tie.HEAD
    if kind == "literal" and kind_before == "paragraph":
        return Tie.CLOSE
    touches = before.end == member.line
    if kind == "rule" or (kind_before in _POINTING and is_pointer(document, before)):
        return Tie.CLOSE
    if kind_before == "paragraph" and kind in _FOLLOWERS:
        plain = "table" if kind in _TABLES else kind
        if leads_in(document.words(before), plain, touches=touches):
            return Tie.CLOSE
    if kind == "paragraph":
        shown = "table" if kind_before in _TABLES else kind_before
        words = document.words(member)
        leads = following is not None and kind_of(following) in _FOLLOWERS
        if (
            may_be_commented(shown)
            and len(words) <= SHORT
            and comments_on(words, shown, leads=leads)
        ):
            return Tie.CLOSE
    if kind == "entry" or kind_before == "entry":
        return Tie.FREE
    return Tie.NEXT if touches else Tie.LOOSE


def is_pointer(document: Document, block: Block) -> bool:
    """Whether a block only names what stands below it: a target without address, an index."""
    kind = kind_of(block)
    return kind == "index" or (
        kind == "target"
        and block.end == block.line + 1
        and document.line(block).rstrip("_").endswith(":")
    )
