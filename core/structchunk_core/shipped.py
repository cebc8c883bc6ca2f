"""A syntax tree as plain numbers, to be made in one process and read in another.

What a guarded grammar has made must not be in the memory of the process that it could ruin, so the
helper packs the tree and sends it. :class:`ShippedTree` and :class:`ShippedNode` answer what is
asked of ``tree_sitter.Tree`` and ``Node``, and refuse a tree that cannot be one.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Tree

_NAMED, _MISSING, _ERROR, _EXTRA = 1, 2, 4, 8
_HIGHEST_KINDS = range(0xFFFE, 0x10000)  # errors, in every grammar
_COLUMNS = "HIIIB"  # of nodes: kind, start, end, size, flags; one array each
_FIELDS = "IHI"  # of fields: the node, the field, the node that stands in it
_NUMBER = 8  # bytes of a number that says how long something is


class NotATreeError(Exception):
    """What was sent is no tree: the process that made it was ruined before it noticed."""


class Point(NamedTuple):
    """Where a node begins or ends: row and column, both from 0, the column in bytes."""

    row: int
    column: int


def packed(tree: Tree, captured: Sequence[Sequence[Node]]) -> bytes:
    """The tree, and lists of nodes in it, as bytes."""
    columns = [array(code) for code in _COLUMNS]
    kinds, starts, ends, sizes, flags = columns
    fields: list[tuple[int, int, int]] = []
    every_field = range(1, tree.language.field_count + 1)
    numbers: dict[int, int] = {}
    cursor = tree.walk()
    open_nodes: list[int] = []
    entering = True
    while True:
        if entering:
            node = cursor.node
            assert node is not None
            number = numbers[node.id] = len(kinds)
            open_nodes.append(number)
            kinds.append(node.kind_id)
            starts.append(node.start_byte)
            ends.append(node.end_byte)
            sizes.append(1)
            flags.append(
                _NAMED * node.is_named
                | _MISSING * node.is_missing
                | _ERROR * node.has_error
                | _EXTRA * node.is_extra
            )
            if cursor.goto_first_child():
                for field in every_field:
                    child = node.child_by_field_id(field)
                    if child is not None:
                        fields.append((number, field, child.id))
                continue
        number = open_nodes.pop()
        sizes[number] = len(kinds) - number
        entering = cursor.goto_next_sibling()
        if not entering and not cursor.goto_parent():
            break
    known = [one for one in fields if one[2] in numbers]
    columns.append(array("I", [number for number, _, _ in known]))
    columns.append(array("H", [field for _, field, _ in known]))
    columns.append(array("I", [numbers[child] for _, _, child in known]))
    parts = [column.tobytes() for column in columns]
    for nodes in captured:
        found = array("I", [numbers[node.id] for node in nodes if node.id in numbers])
        parts.append(found.tobytes())
    return b"".join(len(part).to_bytes(_NUMBER, "little") + part for part in parts)


class ShippedTree:
    """Stands for a ``tree_sitter.Tree`` that another process has made.

    Args:
        sent: what :func:`packed` made of it.
        data: the bytes that were parsed.
        language: the grammar.
        queries: for each list of nodes that was packed the query that found them.

    Raises:
        NotATreeError: it was not made by :func:`packed`, or of no tree of these bytes.
    """

    __slots__ = (
        "_captured",
        "_lines",
        "_nodes",
        "ends",
        "fields",
        "flags",
        "kinds",
        "language",
        "sizes",
        "starts",
    )

    def __init__(
        self, sent: bytes, data: bytes, language: Language, queries: Sequence[str]
    ) -> None:
        parts = _parts(sent)
        codes = _COLUMNS + _FIELDS + "I" * len(queries)
        if len(parts) != len(codes):
            raise NotATreeError
        arrays = [_array(code, part) for code, part in zip(codes, parts, strict=True)]
        self.kinds, self.starts, self.ends, self.sizes, self.flags = arrays[: len(_COLUMNS)]
        self.language = language
        self._check(len(data))
        lists = arrays[len(_COLUMNS) + len(_FIELDS) :]
        if any(number >= len(self.kinds) for numbers in lists for number in numbers):
            raise NotATreeError
        nodes, fields, children = arrays[len(_COLUMNS) : len(_COLUMNS) + len(_FIELDS)]
        if not len(nodes) == len(fields) == len(children):
            raise NotATreeError
        for node, child in zip(nodes, children, strict=True):
            if not (node < len(self.kinds) and node < child < node + self.sizes[node]):
                raise NotATreeError
        self.fields = dict(zip(zip(nodes, fields, strict=True), children, strict=True))
        self._captured: Mapping[str, array[int]] = dict(zip(queries, lists, strict=True))
        self._nodes: dict[int, ShippedNode] = {}
        self._lines = array("Q", [0])
        position = data.find(b"\n")
        while position >= 0:
            self._lines.append(position + 1)
            position = data.find(b"\n", position + 1)

    def _check(self, length: int) -> None:
        count = len(self.kinds)
        columns = (self.starts, self.ends, self.sizes, self.flags)
        if not count or any(len(column) != count for column in columns) or self.sizes[0] != count:
            raise NotATreeError
        known = self.language.node_kind_count
        behind = [count]  # where each open node ends, innermost last
        for number, kind in enumerate(self.kinds):
            while number >= behind[-1]:
                behind.pop()
            end = number + self.sizes[number]
            if (
                not number < end <= behind[-1]
                or not self.starts[number] <= self.ends[number] <= length
                or (kind >= known and kind not in _HIGHEST_KINDS)
            ):
                raise NotATreeError
            behind.append(end)

    @property
    def root_node(self) -> ShippedNode:
        """The node that holds all others."""
        return self.node(0, None)

    def node(self, number: int, parent: ShippedNode | None) -> ShippedNode:
        """The node of that number, in the order of the document."""
        found = self._nodes.get(number)
        if found is None:
            found = self._nodes[number] = ShippedNode(self, number, parent)
        return found

    def point(self, byte: int) -> Point:
        """Row and column of a byte."""
        row = bisect_right(self._lines, byte) - 1
        return Point(row, byte - self._lines[row])

    def captured(self, query: str, within: tuple[int, int] | None = None) -> list[ShippedNode]:
        """The nodes that the query captures, of those that touch the half-open bytes."""
        start, end = within or (0, self.ends[0] + 1)
        root = self.root_node
        return [
            root.below(number)
            for number in self._captured.get(query, ())
            if self.starts[number] < end and self.ends[number] > start
        ]


class ShippedNode:
    """Stands for a ``tree_sitter.Node``.

    Attributes:
        tree: what it is a node of.
        number: its number in the order of the document; a node comes before those in it.
        parent: the node around it, or None.
    """

    __slots__ = ("_children", "number", "parent", "tree")

    def __init__(self, tree: ShippedTree, number: int, parent: ShippedNode | None) -> None:
        self.tree = tree
        self.number = number
        self.parent = parent
        self._children: list[ShippedNode] | None = None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ShippedNode):
            return NotImplemented
        return self.number == other.number and self.tree is other.tree

    def __hash__(self) -> int:
        return hash(self.number)

    @property
    def children(self) -> list[ShippedNode]:
        """The nodes in it, in order."""
        if self._children is None:
            self._children = []
            number, behind = self.number + 1, self.number + self.tree.sizes[self.number]
            while number < behind:
                self._children.append(self.tree.node(number, self))
                number += self.tree.sizes[number]
        return self._children

    @property
    def named_children(self) -> list[ShippedNode]:
        """Those of them that are named."""
        return [child for child in self.children if child.is_named]

    @property
    def child_count(self) -> int:
        """How many nodes are in it."""
        return len(self.children)

    @property
    def named_child_count(self) -> int:
        """How many of them are named."""
        return len(self.named_children)

    def child(self, index: int) -> ShippedNode | None:
        """The node in it at that place, or None."""
        return self.children[index] if 0 <= index < len(self.children) else None

    def below(self, number: int) -> ShippedNode:
        """The node of that number, which is this one or lies in it."""
        node = self
        while node.number != number:
            node = node.children[_place(node.children, number)]
        return node

    def child_by_field_id(self, field: int) -> ShippedNode | None:
        """The first node in it that stands in the field, or None; it may lie deeper."""
        number = self.tree.fields.get((self.number, field))
        if number is None:
            return None
        return self.below(number)

    def child_by_field_name(self, name: str) -> ShippedNode | None:
        """The same by the name of the field."""
        field = self.tree.language.field_id_for_name(name)
        return self.child_by_field_id(field) if field else None

    @property
    def id(self) -> int:
        """What tells it from the other nodes of its tree."""
        return self.number

    @property
    def kind_id(self) -> int:
        """The number of its type."""
        return self.tree.kinds[self.number]

    @property
    def type(self) -> str:
        """Its type."""
        return self.tree.language.node_kind_for_id(self.kind_id) or ""

    @property
    def start_byte(self) -> int:
        """Where it begins."""
        return self.tree.starts[self.number]

    @property
    def end_byte(self) -> int:
        """Where it ends."""
        return self.tree.ends[self.number]

    @property
    def start_point(self) -> Point:
        """Row and column of where it begins."""
        return self.tree.point(self.start_byte)

    @property
    def end_point(self) -> Point:
        """Row and column of where it ends."""
        return self.tree.point(self.end_byte)

    @property
    def is_named(self) -> bool:
        """Whether it is more than a word or mark of the language."""
        return bool(self.tree.flags[self.number] & _NAMED)

    @property
    def is_missing(self) -> bool:
        """Whether the grammar made it up."""
        return bool(self.tree.flags[self.number] & _MISSING)

    @property
    def is_extra(self) -> bool:
        """Whether it may stand anywhere, as a comment."""
        return bool(self.tree.flags[self.number] & _EXTRA)

    @property
    def has_error(self) -> bool:
        """Whether the grammar did not understand something in it."""
        return bool(self.tree.flags[self.number] & _ERROR)

    @property
    def is_error(self) -> bool:
        """Whether it is what the grammar did not understand."""
        return self.kind_id in _HIGHEST_KINDS


def _place(nodes: Sequence[ShippedNode], number: int) -> int:
    """The place of the node that is, or holds, the node of that number."""
    return bisect_right(nodes, number, key=lambda node: node.number) - 1


def _parts(sent: bytes) -> list[bytes]:
    parts: list[bytes] = []
    position = 0
    while position < len(sent):
        begin = position + _NUMBER
        position = begin + int.from_bytes(sent[position:begin], "little")
        parts.append(sent[begin:position])
    if position != len(sent):
        raise NotATreeError
    return parts


def _array(code: str, part: bytes) -> array[int]:
    made = array(code)
    if len(part) % made.itemsize:
        raise NotATreeError
    made.frombytes(part)
    return made
