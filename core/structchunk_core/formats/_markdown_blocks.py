"""The blocks of a Markdown text, and the text that they were read from.

Positions are characters of the text that was read.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from structchunk_core.making import maker_of
from structchunk_core.offsets import ByteOffsets

TAB_STOP = 4


@dataclass(frozen=True, slots=True)
class View:
    """What the parser is given of a source: a stretch of it, without the indentation around it.

    Attributes:
        text: what the parser reads.
        base: where it begins in the source, when no line has lost its indentation.
        lines: where each of its lines begins, or None when no line has lost anything.
        origins: where each of these lines begins in the source.
    """

    text: str
    base: int = 0
    lines: Sequence[int] | None = None
    origins: Sequence[int] = ()

    def to_source(self, position: int) -> int:
        """The character of the source at the position."""
        if self.lines is None:
            return self.base + position
        line = bisect_right(self.lines, position) - 1
        return self.origins[line] + position - self.lines[line]

    def inner(self, start: int, end: int, columns: int) -> View:
        """The half-open span, whose start begins a line, without its first columns of blanks."""
        text = self.text
        if columns == 0 and self.lines is None:
            return View(text[start:end], self.base + start)
        pieces: list[str] = []
        lines, origins = array("q"), array("q")
        length = 0
        position = start
        while position < end:
            stop = text.find("\n", position, end) + 1 or end
            first, _ = leading(text, position, stop, columns)
            lines.append(length)
            origins.append(self.to_source(first))
            pieces.append(text[first:stop])
            length += stop - first
            position = stop
        if not lines:
            return View("", self.to_source(start))
        return View("".join(pieces), 0, lines, origins)


def leading(text: str, start: int, end: int, columns: int) -> tuple[int, int]:
    """Position and column of what comes first on the line at start: no blank, or the column."""
    column = 0
    position = start
    while position < end and column < columns:
        if text[position] == " ":
            column += 1
        elif text[position] == "\t":
            column += TAB_STOP - column % TAB_STOP
        else:
            break
        position += 1
    return position, column


@dataclass(frozen=True, slots=True)
class Region:
    """Lines that are one thing although the parser sees several blocks in them.

    Attributes:
        kind: ``math``, ``admonition``, ``tab`` or ``html``.
        start: first visible character, where a block may begin.
        end: the end of its last line, without the line end.
        inner_start: where the line behind its opening begins.
        inner_end: where its closing line begins, or its end when it has none.
        columns: how far its content is indented.
        tag_start: the line of its own opening tag, when the block begins further up.
    """

    kind: str
    start: int
    end: int
    inner_start: int
    inner_end: int
    columns: int = 0
    tag_start: int = -1


@dataclass(frozen=True, slots=True)
class Rows:
    """The body rows of a table, in bytes, translated when they are asked for."""

    starts: Sequence[int]
    offsets: ByteOffsets

    def row_starts(self) -> Iterator[int]:
        """Where each row begins, in characters."""
        return map(self.offsets.to_character, self.starts)


class Inside:
    """The blocks in a block, made when they are first asked for.

    Args:
        make: makes them, of their half-open range of numbers.
        first: the number of the first.
        behind: one past the number of the last of all that are in the block, however deep.
    """

    __slots__ = ("_behind", "_blocks", "_first", "_make")

    def __init__(
        self, make: Callable[[int, int], Iterable[Block]], first: int, behind: int
    ) -> None:
        self._make = make
        self._first = first
        self._behind = behind
        self._blocks: tuple[Block, ...] | None = None

    @property
    def is_one(self) -> bool:
        """Whether there is one block in all, known without making it."""
        return self._behind == self._first + 1

    def blocks(self) -> tuple[Block, ...]:
        """These blocks, in order."""
        if self._blocks is None:
            self._blocks = tuple(self._make(self._first, self._behind))
        return self._blocks


@dataclass(frozen=True, slots=True)
class Block:
    """A block and the blocks in it.

    Attributes:
        kind: the kind of unit it becomes, or ``region``.
        start: its first visible character (a marker counts).
        end: one past its last character; blank lines may or may not be in it.
        inside: the blocks in it, in order.
        level: of a heading or section, 1 to 6.
        label: the plain text of a heading, the info string of a fence.
        rows: the body of a table.
        region: what the block stands for.
    """

    kind: str
    start: int
    end: int
    inside: tuple[Block, ...] | Inside = ()
    level: int = 0
    label: str = ""
    rows: Rows | None = None
    region: Region | None = None

    @property
    def children(self) -> tuple[Block, ...]:
        """The blocks in it, in order."""
        return self.inside if isinstance(self.inside, tuple) else self.inside.blocks()


make_block = maker_of(Block)
"""``Block(...)``, but quicker."""


Leaf = tuple[str, int, int]
"""Kind, start and end of a block without blocks in it, as of :class:`Block`."""


@dataclass(frozen=True, slots=True)
class Blocks:
    """What was read.

    Attributes:
        text: the text that was read.
        blocks: its outermost blocks.
        math: the half-open spans of display math.
        deep: where blocks were nested too deeply to be kept, or -1.
        regions: what blocks of kind ``region`` stand for, nested ones too, in order.
        leaves: tells of all blocks without blocks in them, in order.
        code: the half-open spans of fences and indented code, in order.
    """

    text: str
    blocks: tuple[Block, ...]
    math: tuple[tuple[int, int], ...] = ()
    deep: int = -1
    regions: tuple[Region, ...] = ()
    leaves: Callable[[], list[Leaf]] = list
    code: Callable[[], list[tuple[int, int]]] = list


def walk_blocks(blocks: Sequence[Block]) -> Iterator[Block]:
    """The blocks and all in them, in document order."""
    stack = list(reversed(blocks))
    while stack:
        block = stack.pop()
        yield block
        stack.extend(reversed(block.children))
