"""Keeping one broken definition from taking the ones below it along.

A bracket that is never closed makes a grammar read everything behind it as part of one error.
People tell by the layout where the next definition begins; so do we: the lines from where such an
error begins to where the layout ends the block are taken out, and the rest is parsed once more.
What was taken out stays in the text and becomes a unit of its own. Parsing once more begins with
the tree that there is, of which what the error did not reach is taken over.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, count
from operator import add
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

_MOST_PARSES = 8
_PATIENCE = 2  # parses in a row that may be of no help
_MOST_BYTES = 4  # parsed again, for each byte of the document
_SMALL = 100_000  # bytes of a document that may be parsed so often whatever it measures
_VISITED = 2000  # nodes looked at in search for one error
_CLOSERS = (b"}", b")", b"]", b"end", b"</")
_OPENERS = (b"{", b"(")
_PAIRS = (b"()", b"[]", b"{}")
_BEGINNERS = (b"_", b"$", b"@", b"#", b"<", b"{", b"(")
_QUOTES = (b'"', b"'", b"`")
_HEAD_LINES = 4
_BLANK = b" \t\r\f\v"

Hole = tuple[int, int]
"""A half-open stretch, in bytes, that the tree knows nothing of."""


class Blanked(NamedTuple):
    """A document in which blanks stand for some lines, beside the tree that it had with them.

    Attributes:
        data: the document.
        before: the tree, of a document of the same length.
        start: the first byte of what was blanked; lines begin here and at the end.
        end: one past the last.
        first: the number of the line there.
        behind: the number of the line behind it.
    """

    data: bytes
    before: Tree
    start: int
    end: int
    first: int
    behind: int


def recovered(data: bytes, tree: Tree, parse: Callable[[Blanked], Tree]) -> tuple[Tree, list[Hole]]:
    """The tree of a document, or of what is left of it without what is broken beyond its block.

    Args:
        data: the document.
        tree: its syntax tree.
        parse: parses a document in which blanks stand for what is left out.

    Returns:
        The tree and the holes, ascending; no holes when none would spare other definitions an
        error.
    """
    if not tree.root_node.has_error:
        return tree, []
    lines = _Lines(data)
    hole = _swallowing(tree.root_node, lines)
    best, left_out, least = tree, [], _damage(tree.root_node) * 3 // 4
    holes: list[Hole] = []
    helped = 0  # parses up to the last one that helped
    for parses in range(1, 1 + (_MOST_PARSES if len(data) <= _SMALL else _MOST_BYTES)):
        if hole is None or hole in holes or parses - helped > _PATIENCE:
            break
        data = _without(data, hole)
        holes = _merged([*holes, hole])
        tree = parse(Blanked(data, tree, *hole, lines.at(hole[0]), lines.at(hole[1])))
        damage = _damage(tree.root_node) + sum(end - start for start, end in holes)
        if damage < least:
            best, left_out, least = tree, holes, damage
            helped = parses
        hole = _swallowing(tree.root_node, lines)
    return best, left_out


def _damage(root: Node) -> int:
    """How many bytes stand in definitions, or whatever else is outermost, that have an error."""
    if root.type == "ERROR":
        return root.end_byte - root.start_byte
    return sum(child.end_byte - child.start_byte for child in root.children if child.has_error)


class _Lines:
    """The lines of a document, by number."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._lines = lines = data.split(b"\n")
        self.count = len(lines)
        self.starts = list(map(add, accumulate(map(len, lines), initial=0), count()))
        self.starts[-1] = len(data)
        self._unbalanced: dict[tuple[int, int], bool] = {}
        self._patience = self.count  # lines that may be read in search for the ends of blocks
        self._ends: list[int] | None = None  # of all blocks, once that is spent

    def at(self, position: int) -> int:
        """The number of the line that holds the byte."""
        return bisect_right(self.starts, position, 0, len(self.starts) - 1) - 1

    def shown(self, number: int) -> bytes:
        """The line without the white space around it."""
        return self._lines[number].strip()

    def holds_only(self, number: int, node: Node) -> bool:
        """Whether nothing but the node stands on the line where it begins."""
        start, end = self.starts[number], self.starts[number + 1]
        before, behind = self._data[start : node.start_byte], self._data[node.end_byte : end]
        return not before.strip() and not behind.strip(b"; \t\r\n")

    def depth(self, number: int) -> int:
        """How far it is indented, in bytes."""
        return _depth(self._lines[number])

    def head(self, number: int) -> int:
        """The line at which the definition begins whose body is opened on this one."""
        depth = self.depth(number)
        for _ in range(_HEAD_LINES):
            opens = self.shown(number).startswith(_OPENERS)
            if not opens or not number or not self.shown(number - 1):
                break
            if self.depth(number - 1) < depth:
                break
            number -= 1
        return number

    def begins_block(self, number: int) -> bool:
        """Whether the line reads like the first of something, and not like one that goes on."""
        shown = self.shown(number)
        return (shown[:1].isalpha() or shown[:1] in _BEGINNERS) and not shown.endswith(b"\\")

    def are_unbalanced(self, first: int, behind: int) -> bool:
        """Whether the brackets or quotes on the lines are not as many as it takes to close them."""
        known = self._unbalanced.get((first, behind))
        if known is None:
            text = self._data[self.starts[first] : self.starts[behind]]
            known = any(text.count(pair[0]) != text.count(pair[1]) for pair in _PAIRS) or any(
                text.count(quote) % 2 for quote in _QUOTES
            )
            self._unbalanced[first, behind] = known
        return known

    def opened(self, first: int, behind: int) -> int:
        """The line to leave out from, so that no head stays behind without all of its body."""
        above = first - 1
        while above >= 0 and not self.shown(above):
            above -= 1
        depth = self.depth(above) if above >= 0 else 0
        is_head = above >= 0 and depth < self.depth(first)
        if is_head and self.depth(behind) <= depth and not self.shown(behind).startswith(_CLOSERS):
            return self.head(above)
        return first

    def block_end(self, number: int, last: int) -> int | None:
        """The first line, up to the last, behind the block that begins on a line.

        It stands less deep, or as deep behind a blank line; what only closes the block is in it.
        """
        if self._patience > 0:
            end = self._end_from(number, last)
        else:
            if self._ends is None:
                self._ends = self._block_ends()
            end = self._ends[number]
        return end if end <= last else None

    def _end_from(self, number: int, last: int) -> int:
        """That line, found by reading on from the first, or one behind the last."""
        lines = self._lines
        depth = _depth(lines[number])
        is_apart = False
        end = last + 1
        for line in range(number + 1 if lines[number].strip() else end, end):
            shown = lines[line].strip()
            if not shown:
                is_apart = True
                continue
            own = _depth(lines[line])
            if own < depth or (own == depth and is_apart and not shown.startswith(_CLOSERS)):
                end = line
                break
            is_apart = False
        self._patience -= end - number
        return end

    def _block_ends(self) -> list[int]:
        """For each line the first behind the block that begins on it, or the number of lines.

        All at once, from the last line up: one look for each of them would take as long as the
        document is long, where its blocks have no end.
        """
        ends = [self.count] * self.count
        below: list[tuple[int, int]] = []  # lines with depths, each deeper than the one before it
        apart: dict[int, int] = {}  # depth -> the nearest line below that is behind a blank one
        for line in range(self.count - 1, -1, -1):
            shown, depth = self.shown(line), self.depth(line)
            if not shown:
                continue
            while below and below[-1][1] >= depth:
                below.pop()
            less = below[-1][0] if below else self.count
            ends[line] = min(less, apart.get(depth, self.count))
            below.append((line, depth))
            if line and not self.shown(line - 1) and not shown.startswith(_CLOSERS):
                apart[depth] = line
        return ends


def _depth(line: bytes) -> int:
    return len(line) - len(line.lstrip(_BLANK))


def _swallowing(root: Node, lines: _Lines) -> Hole | None:
    """The block whose error is the first to reach beyond it."""
    stack = [root]
    for _ in range(_VISITED):
        if not stack:
            return None
        node = stack.pop()
        last = lines.at(max(node.start_byte, node.end_byte - 1))
        broken = [child for child in node.children if child.has_error]
        for first in _beginnings(node, broken, last, lines):
            behind = lines.block_end(first, last)
            if behind is None or not lines.begins_block(first):
                continue
            if lines.are_unbalanced(first, behind):
                return lines.starts[lines.opened(first, behind)], lines.starts[behind]
        broken.reverse()
        stack.extend(broken)
    return None


def _beginnings(node: Node, broken: Sequence[Node], last: int, lines: _Lines) -> Iterator[int]:
    """Lines on which something begins that the node shows to be broken, the likeliest first.

    Args:
        node: what has an error.
        broken: those of its children that have one.
        last: its last line.
        lines: the lines of the document.
    """
    if node.type == "ERROR":
        begun: list[int] = []
        end = -1
        for child in node.children:
            line = lines.at(child.start_byte)
            whole = child.is_named and not child.has_error
            alone = child.child_count > 0 or lines.holds_only(line, child)
            if child.is_extra or (whole and alone and not begun):
                continue  # it was read before anything went wrong
            if begun and end >= 0 and line >= end:
                break  # no part of what is broken, but taken along by it
            if not begun or line != begun[-1]:
                begun.append(line)
                end = lines.block_end(line, last) or lines.count
            if child.has_error:
                break
        yield from reversed(begun)
    elif _is_unclosed(node, broken):
        yield lines.head(lines.at(node.start_byte))


def _is_unclosed(node: Node, broken: Sequence[Node]) -> bool:
    """Whether the grammar made up what ends the node, or found no end for its brackets.

    What it made up counts among the children that have an error.
    """
    if not broken:
        return False
    if any(child.is_missing for child in broken):
        return True
    if not any(child.type == "ERROR" for child in broken):
        return False
    return node.children[0].type in {"(", "["}


def _without(data: bytes, hole: Hole) -> bytes:
    start, end = hole
    kept = b"\n".join(b" " * len(line) for line in data[start:end].split(b"\n"))
    return data[:start] + kept + data[end:]


def _merged(holes: list[Hole]) -> list[Hole]:
    """The holes in order, those that touch each other as one."""
    joined: list[Hole] = []
    for start, end in sorted(holes):
        if joined and joined[-1][1] >= start:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined
