"""What a node opens into: the children of it and its body in one row, and how many are its head.

Grammars put bodies at different depths: a field, a child of the value that is assigned, the last
argument of a call, or nowhere, with the members beside the head.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from structchunk_core.formats._code_definitions import Definitions, is_bare
from structchunk_core.formats._code_reading import Reading

if TYPE_CHECKING:
    from tree_sitter import Node

IN_TYPE: Final = "block in a type"
"""Stands for the kind of a unit that is opened, where it is such a block."""
_DEEPEST_BODY: Final = 12
_LONGEST_LINK: Final = 4


class Bodies:
    """Finds the bodies of the nodes of one file.

    Args:
        reading: the file.
        definitions: what its nodes define.
    """

    def __init__(self, reading: Reading, definitions: Definitions) -> None:
        self._reading = reading
        self._data = reading.data
        self._types = reading.types
        self._definitions = definitions

    def children_of(self, node: Node, inside: str) -> tuple[Sequence[Node], int, bool]:
        """The children, with what leads to the body, and the body, put in their place.

        The second value is how many of them form the head: 0 when there is no body. The third is
        whether members or statements follow it, and not parts of an expression.
        """
        while node.child_count == 1:
            only = node.children[0]
            if not only.child_count or self._definitions.found_in(only).node is not None:
                break
            node = only
        children: Sequence[Node] = node.children
        links = _unchained(node)
        if links:
            return links, 0, False
        if self._types[node.kind_id].row:
            return self._in_a_row(node), 0, True
        if inside in {"file", "error"}:
            return self._unpacked(children), 0, True
        if self._reading.is_body(node):
            members = self._unpacked(children)
            return members, self._opening(members), True
        flat = self._beside_head(node, children)
        if flat is not None:
            return (*flat, True)
        spine = self._spine(node, inside)
        if inside in {"block", IN_TYPE} and not (spine and self._is_own_body(node, spine)):
            members = self._unpacked(children)
            return members, self._first_line(node, members), True
        if not spine:
            for inner in self._definitions.found_in(node).way:
                children = self._inline(children, inner)
            return children, 0, False
        for inner in spine[:-1]:
            children = self._inline(children, inner)
        body = spine[-1]
        members, head = self._with_body(children, body)
        holder = spine[-2] if len(spine) > 1 else node
        held = self._data.inside and self._reading.type_of(holder).inside
        is_body = self._reading.is_body(body) or self._types[body.kind_id].row or bool(held)
        return members, head, is_body

    def _beside_head(
        self, node: Node, children: Sequence[Node]
    ) -> tuple[Sequence[Node], int] | None:
        """The children and how many form the head, of what has its members beside its head."""
        if not self._data.heads:
            return None
        found = self._definitions.found_in(node)
        holder = self._definitions.holder_of(node, found)
        way = _as_far_as(found.way, holder, node)
        head = self._reading.head_length(holder)
        if not head:
            return None
        for inner in way[:-1]:
            children = self._inline(children, inner)
        before = children.index(holder) if way else 0
        if way:
            children = self._inline(children, holder)
        return [*children[: before + head], *self._unpacked(children[before + head :])], (
            before + head
        )

    def _spine(self, node: Node, inside: str) -> list[Node]:
        """The nodes from below the node down to its body: wrappers, definition, value, body.

        What defines nothing has a body too when one child makes up most of it, all the way down
        to that body: ``describe("...", () => {...})``. Empty when there is none.
        """
        found = self._definitions.found_in(node)
        holder = self._definitions.holder_of(node, found)
        spine = list(_as_far_as(found.way, holder, node))
        if found.node is None:
            holder = spine[-1] if spine else node
        body = self._reading.body_of(holder)
        if body is None and spine and self._reading.is_body(holder):
            return spine
        if body is not None:
            return [*spine, body]
        if inside not in {"statement", "expression"}:
            return []
        for _ in range(_DEEPEST_BODY):
            largest, most = holder, -1
            for child in holder.children:
                width = child.end_byte - child.start_byte
                if width > most:
                    largest, most = child, width
            if most * 5 < (holder.end_byte - holder.start_byte) * 3:
                return []
            if self._data.heads and self._reading.head_length(largest):
                return []
            spine.append(largest)
            body = self._reading.body_of(largest)
            if body is not None:
                return [*spine, body]
            holder = largest
        return []

    def _with_body(self, children: Sequence[Node], body: Node) -> tuple[list[Node], int]:
        """The children with the members of the body in its place, and how many form the head.

        Comments between head and body belong to the members; bodies inside the body that have no
        brackets of their own are not told apart from it.
        """
        position = children.index(body)
        head = position
        while (
            head
            and self._reading.is_comment(children[head - 1])
            and is_own_line(children, head - 1)
        ):
            head -= 1
        is_row = self._types[body.kind_id].row
        inside = self._in_a_row(body) if is_row else self._unpacked(body.children)
        behind = self._unpacked(children[position + 1 :])
        if head == position and not is_row:
            head += self._opening(inside)
        return [*children[:position], *inside, *behind], head

    def _in_a_row(self, node: Node) -> list[Node]:
        """The children of a node and of those that go on with it as its last child, in one row."""
        row: list[Node] = []
        while node.child_count and self._types[node.kind_id].row:
            *before, last = node.children
            row += before
            node = last
        row.append(node)
        return row

    @staticmethod
    def _opening(members: Sequence[Node]) -> int:
        """How many of the children of a body open it: its bracket or word, and parameters."""
        opening = 0
        while opening < len(members) and (
            (opening == 0 and not members[0].is_named)
            or members[opening].type.endswith("parameters")
        ):
            opening += 1
        return opening

    def _unpacked(self, children: Sequence[Node]) -> Sequence[Node]:
        """The children, with those of bodies that have no brackets of their own in their place."""
        types = self._types
        bodies = [child for child in children if types[child.kind_id].body]
        if not any(is_bare(body) for body in bodies):
            return children
        flat: list[Node] = []
        stack = list(reversed(children))
        while stack:
            child = stack.pop()
            if self._is_bare_body(child):
                stack.extend(reversed(child.children))
            else:
                flat.append(child)
        return flat

    def _is_own_body(self, node: Node, spine: Sequence[Node]) -> bool:
        """Whether a container has a body (``extern "C" {...}``) and not only members."""
        if self._definitions.found_in(node).node is not None:
            return True
        return spine[0] == self._reading.field_body(node) and self._reading.is_body(spine[0])

    def _is_bare_body(self, node: Node) -> bool:
        return self._reading.is_body(node) and is_bare(node)

    def _first_line(self, node: Node, children: Sequence[Node]) -> int:
        """How many children of a nameless container (``#ifdef X``) stand on its first line."""
        of = self._types[node.kind_id]
        if not (of.transparent or of.holder):
            return 0
        row = node.start_point.row
        for number, child in enumerate(children):
            if child.start_point.row > row or self._definitions.found_in(child).node is not None:
                return number
        return 0

    @staticmethod
    def _inline(children: Sequence[Node], inner: Node) -> list[Node]:
        flat: list[Node] = []
        for child in children:
            flat.extend(inner.children if child == inner else (child,))
        return flat


def _as_far_as(way: Sequence[Node], holder: Node, node: Node) -> Sequence[Node]:
    """The way from below the node down to the holder."""
    if holder is node:
        return ()
    return way[: way.index(holder) + 1] if holder in way else way


def _unchained(node: Node) -> list[Node]:
    """The links of a chain that leans left (``a + b + c``, ``a.b().c()``); empty if it is none."""
    tails: list[list[Node]] = []
    link = node
    while True:
        steps: list[list[Node]] = []
        below = link
        while len(steps) < _LONGEST_LINK and (below.type != node.type or not steps):
            first = below.children[0] if below.child_count else None
            if first is None or not first.is_named or first.start_byte != node.start_byte:
                break
            steps.append(below.children[1:])
            below = first
        if not steps or below.type != node.type or not below.child_count:
            break
        tails.extend(steps)
        link = below
    if not tails:
        return []
    flat = list(link.children)
    for tail in reversed(tails):
        flat.extend(tail)
    return flat


def is_own_line(children: Sequence[Node], position: int) -> bool:
    """Whether a child begins on a later line than the one before it ends."""
    before = children[position - 1] if position else None
    return before is not None and before.end_point.row < children[position].start_point.row
