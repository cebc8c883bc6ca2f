"""What the units of a Markdown document are made from: its text, blocks, and where each stands."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from structchunk_core.formats import ParseOptions
from structchunk_core.formats._markdown_blocks import Block, View
from structchunk_core.source import line_start
from structchunk_core.unit import Repeat, Tie, Unit, make_unit

_NOT_QUOTED = re.compile(r"[^>\s]")


@dataclass(frozen=True, slots=True)
class Document:
    """What the units are made from.

    Attributes:
        text: the source text, which all units are spans of.
        view: what the blocks were read from.
        visible: the text of the view without what regions and the head hide.
        options: what the user asked for.
        depth: how many regions are around the blocks.
    """

    text: str
    view: View
    visible: str
    options: ParseOptions
    depth: int = 0

    def at(self, position: int) -> int:
        """The character of the source text."""
        return self.view.to_source(position)

    def words(self, block: Block) -> str:
        """The text of a block, without white space around it."""
        return self.view.text[block.start : block.end].strip()

    def lead(self, block: Block) -> str:
        """What stands in front of a block on its line, with blanks for all but quote marks."""
        position = self.at(block.start)
        start = line_start(self.text, position)
        if start == position:
            return ""
        return _NOT_QUOTED.sub(" ", self.text[start:position].lstrip("\ufeff"))


_REFERENCE = re.compile(r"^[ \t>]*+\[[^\]\n]++\]:", re.MULTILINE)


def with_references(text: str, blocks: Sequence[Block], start: int) -> Iterator[Block]:
    """The blocks, and link reference definitions between them, which the parser passes over."""
    if "]:" not in text:
        yield from blocks
        return
    position = start
    for block in blocks:
        if found := _REFERENCE.search(text, position, block.start):
            yield Block("references", found.start(), block.start)
        yield block
        position = max(position, block.end)
    if found := _REFERENCE.search(text, position):
        yield Block("references", found.start(), len(text))


def inner_blocks(document: Document, block: Block) -> Iterator[Block]:
    """The blocks in a block, and link reference definitions behind each of them."""
    text = document.visible
    for number, child in enumerate(block.children):
        yield child
        is_last = number + 1 == len(block.children)
        stop = block.end if is_last else block.children[number + 1].start
        if found := _REFERENCE.search(text, child.end, stop):
            yield Block("references", found.start(), stop)


class Place(NamedTuple):
    """Where a unit stands: its span in the source text, its tie, the blocks beside it."""

    start: int
    end: int
    tie: Tie
    previous: Block | None
    following: Block | None
    beyond: Block | None = None


place_of = partial(tuple.__new__, Place)
"""``Place(*fields)`` of a tuple of all of them, but quicker."""

NODE_TYPES = {
    "admonition": "admonition",
    "code": "indented_code",
    "definition": "definition",
    "definition_list": "definition_list",
    "esm": "esm",
    "fence": "fenced_code",
    "footnote": "footnote_definition",
    "front_matter": "front_matter",
    "heading": "heading",
    "html": "html_block",
    "item": "list_item",
    "list": "bullet_list",
    "math": "math_block",
    "paragraph": "paragraph",
    "procedure": "ordered_list",
    "quote": "block_quote",
    "references": "link_reference_definition",
    "rule": "thematic_break",
    "tab": "tab",
    "table": "table",
    "term": "term",
}
"""Kind of a block -> node type of its unit."""


def plain_unit(
    kind: str,
    place: Place,
    repeat: Repeat | None = None,
    opener: Callable[[], Iterable[Unit]] | None = None,
    language: str = "",
) -> Unit:
    """An atomic unit without a name."""
    node_type = NODE_TYPES[kind]
    start, end, tie = place[:3]
    return make_unit(kind, start, end, "", True, tie, language, None, repeat, opener, node_type)
