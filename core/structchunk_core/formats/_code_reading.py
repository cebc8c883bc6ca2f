"""A syntax tree beside the text it was made from, and what the profile says about its nodes."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from operator import index
from typing import TYPE_CHECKING, Final

from structchunk_core.definition import Definition, Names
from structchunk_core.formats._code_paths import FIRST_LINE, Path, follow
from structchunk_core.formats._code_types import LONGEST_WORD, NodeType, node_types
from structchunk_core.offsets import ByteOffsets
from structchunk_core.profiles import Profile

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

_BLANKS: Final = " \t\r\n\f\ufeff"
_LONGEST_HEAD: Final = 1000  # characters of a definition that are told by their text
_LONGEST_WORD: Final = 4 * LONGEST_WORD  # in bytes


_ALONE: Final = "expression_statement"


class Reading:
    """A syntax tree beside the text it was made from, and the way between their coordinates.

    Attributes:
        text: the whole document.
        data: the profile of the language.
        tree: the syntax tree of the document, or of a stretch of it.
        root: its root.
        types: what the profile says about each type of node.
        plain: whether bytes are characters, so that there is nothing to translate.
        to_character: the character of the document at a byte of the parsed text.
        offsets: the bytes of the parsed text.
        holes: stretches of the document, in characters, that were left out of the tree.
        pending: definitions whose heads are read when asked for, and names; None when all are read
            at once.
        hides: whether the grammar was not shown all of the text.
    """

    to_character: Callable[[int], int]
    holes: Sequence[tuple[int, int]]
    pending: list[weakref.ref[Definition] | weakref.ref[Names]] | None

    def __init__(
        self, text: str, data: Profile, tree: Tree, parsed: str | None = None, base: int = 0
    ) -> None:
        self.text = text
        self.data = data
        self.tree = tree
        self.root = tree.root_node  # which keeps its children
        self._base = base  # where the parsed text begins in the whole one
        parsed = text if parsed is None else parsed
        self._parsed = parsed
        self.hides = bool(data.hidden or data.macros or data.branches) and parsed != text
        self.offsets = ByteOffsets(parsed)
        self.plain = parsed.isascii() and not base
        if self.plain:
            self.to_character = index
        else:
            self.to_character = self._shifted_character if base else self.offsets.to_character
        self.types = node_types(data.name, tree.language)
        self.holes = ()
        self.pending = None
        self._fields: dict[str, int] = {}
        self._body: tuple[Node | None, Node | None] = (None, None)

    def leave_out(self, holes: Sequence[tuple[int, int]]) -> None:
        """Note stretches, in bytes, that the tree knows nothing of."""
        self.holes = [(self.to_character(start), self.to_character(end)) for start, end in holes]

    def _shifted_character(self, byte: int) -> int:
        return self.offsets.to_character(byte) + self._base

    def is_blank(self, start: int, end: int) -> bool:
        """Whether the grammar saw nothing in a stretch of the document."""
        return not self._parsed[start - self._base : end - self._base].strip(_BLANKS)

    def slice(self, node: Node) -> str:
        """The source text of a node."""
        if self.plain:
            return self.text[node.start_byte : node.end_byte]
        return self.text[self.to_character(node.start_byte) : self.to_character(node.end_byte)]

    def field(self, node: Node, name: str) -> Node | None:
        """The child in the field; by the number of the field, which is quicker than its name."""
        number = self._fields.get(name)
        if number is None:
            number = self._fields[name] = self.tree.language.field_id_for_name(name) or 0
        return node.child_by_field_id(number) if number else None

    def field_body(self, node: Node) -> Node | None:
        """The child in the field ``body``; several questions in turn ask for that of one node."""
        asked, body = self._body
        if asked is not node:
            body = self.field(node, "body")
            self._body = node, body
        return body

    def type_of(self, node: Node) -> NodeType:
        """What the profile says about the node, by its type and, where that counts, its word."""
        of = self.types[node.kind_id]
        return self.with_word(node, of) if of.word else of

    def with_word(self, node: Node, of: NodeType) -> NodeType:
        """What the profile says about a node whose word counts."""
        told = self.field(node, of.word_field) if of.word_field else None
        if told is None:
            found = follow(self, node, of.word)
            if not found:
                return of
            told = found[0]
        if told.end_byte - told.start_byte > _LONGEST_WORD:
            return of
        return self.types.with_word(node.kind_id, self.slice(told))

    def is_a(self, node: Node, name: str) -> bool:
        """Whether the node is of that type, or of that type and word."""
        of = self.types[node.kind_id]
        if of.name == name:
            return True
        # The way to a word asks for types alone: this goes no deeper than one step.
        return of.word != () and " " in name and name in self.with_word(node, of).names

    def is_body(self, node: Node) -> bool:
        """Whether the children of the node are the members or statements of its parent."""
        return self.types[node.kind_id].body

    def is_comment(self, node: Node) -> bool:
        """Whether the node is a comment."""
        return self.types[node.kind_id].comment

    def is_doc(self, node: Node) -> bool:
        """Whether the node documents what follows it when it stands alone."""
        of = self.types[node.kind_id]
        return of.comment or of.alone is not None

    def is_string(self, node: Node) -> bool:
        """Whether the node is a string that stands alone, as a docstring does."""
        of = self.types[node.kind_id]
        if of.name == _ALONE and node.child_count == 1:
            of = self.types[node.children[0].kind_id]
        return of.string

    def is_text(self, node: Node) -> bool:
        """Whether the node is a string or comment, which is cut as text when it must be."""
        of = self.types[node.kind_id]
        return of.text or (of.name == _ALONE and self.is_string(node))

    def body_of(self, node: Node) -> Node | None:
        """The child that holds the members or statements of the node; None when it is empty."""
        if self.data.inside and (inside := self.type_of(node).inside) is not None:
            return next((child for child in node.children if self.is_a(child, inside)), None)
        body = self.field_body(node)
        if body is not None and body.child_count:
            return body
        types = self.types
        for child in node.children:
            if types[child.kind_id].body and child.child_count:
                return child
        return None

    def match_of(self, node: Node) -> tuple[str, str] | None:
        """The kind and the name that the beginning of a node's text tells, or None."""
        text = self.slice(node)[:_LONGEST_HEAD]
        for kind, pattern in self.types[node.kind_id].patterns:
            match = pattern.match(text)
            if match:
                return kind, match[1]
        return None

    def head_length(self, node: Node) -> int:
        """How many children form the head of a node that has its members beside them, or 0."""
        of = self.type_of(node)
        if not of.heads or not node.child_count:
            return 0
        children = node.children
        last = next(filter(None, (self._head_end(node, path) for path in of.heads)), 0)
        if not last:
            return 0
        row = children[last - 1].end_point.row
        while last < len(children) and _goes_on(children[last], row):
            last += 1
        return last if last < len(children) else 0

    def _head_end(self, node: Node, path: Path) -> int:
        if path[0].names == (FIRST_LINE,):
            row = node.start_point.row
            later = (n for n, child in enumerate(node.children) if child.end_point.row > row)
            return next(later, 0)
        found = follow(self, node, path)
        if not found:
            return 0
        end = found[-1].end_byte
        return next((n for n, child in enumerate(node.children, 1) if child.end_byte >= end), 0)


def _goes_on(node: Node, row: int) -> bool:
    """Whether the node is a mark that still belongs to what ends on that row."""
    return not node.is_named and node.start_point.row == row and node.end_point.row == row
