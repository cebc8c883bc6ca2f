"""The blocks of a reStructuredText document, as they were read from its lines.

A line is a number; its indentation is measured in columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from structchunk_core.making import maker_of

MAX_DEPTH = 100
"""Blocks nested deeper than this are text of the block around them."""


class Inside(NamedTuple):
    """Lines in which blocks are looked for.

    Attributes:
        line: the first line.
        end: one past the last line.
        column: where the content stands; a line further to the right is indented.
        begin: where the content begins on the first line, behind a mark, in characters of the
            text; -1 when it has the line for itself.
        depth: how many blocks are around it.
    """

    line: int
    end: int
    column: int = 0
    begin: int = -1
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Directive:
    """The parts of a directive.

    Attributes:
        name: as written, in lower case (``code-block``, ``py:function``).
        argument: what stands behind its colons and on the lines directly below, on one line.
        argument_at: where that begins, in characters; -1 without.
        options: name -> value of the options below it.
        content: the first line of its content, or the line behind the directive when it has none.
        column: how far its content is indented.
    """

    name: str
    argument: str
    argument_at: int
    options: dict[str, str]
    content: int
    column: int


@dataclass(frozen=True, slots=True)
class Block:
    """A block.

    Attributes:
        kind: the kind of unit it becomes, or ``directive``.
        line: its first line.
        end: one past its last visible line.
        begin: its first visible character.
        column: how far it is indented.
        label: the plain text of a heading, the name of a target or note.
        level: of a heading, from 1.
        inside: the lines of the blocks in it, when it has some.
        items: its items, when it is a list.
        directive: what it says, when it is a directive.
    """

    kind: str
    line: int
    end: int
    begin: int
    column: int = 0
    label: str = ""
    level: int = 0
    inside: Inside | None = None
    items: tuple[Block, ...] = ()
    directive: Directive | None = None


make_block = maker_of(Block)
"""``Block(...)``, but quicker."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands below it.

    Attributes:
        heading: the heading.
        level: how many sections it is in, with its own.
        members: the heading, then the blocks and sections below it.
    """

    heading: Block
    level: int
    members: tuple[Block | Section, ...]
