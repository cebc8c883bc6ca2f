"""What a node of a syntax tree defines: itself, under its wrappers, or by what it assigns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from structchunk_core.formats._code_facts import Reading

if TYPE_CHECKING:
    from tree_sitter import Node

_FUNCTIONS = frozenset({"constructor", "function", "method"})
_CARRIES = re.compile(r"^parenthesized_|_list$")
_MOST_MEMBERS = 16


class Found(NamedTuple):
    """What a node defines.

    Attributes:
        node: what holds name and kind; None when nothing is defined.
        kind: of the definition, ``block`` for a wrapper around several, or ``""``.
        way: the nodes from below the given one down to the one that may have a body.
    """

    node: Node | None
    kind: str
    way: Sequence[Node]


class Definitions:
    """Finds what the nodes of one file define."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._data = reading.data
        self._types = reading.types

    def found_in(self, node: Node) -> Found:
        """What a node defines, itself or below the wrappers that it is.

        A wrapper around several definitions is a ``block`` without a node.
        """
        way: list[Node] = []
        for _ in range(8):
            of = self._types[node.kind_id]
            if of.plain:
                break
            if of.assigned:
                value = self.value_of(node)
                kind = self._data.values.get(value[-1].type, "") if value else ""
                if kind and self._is_defining(value[-1], kind):
                    return Found(node, kind, (*way, *value))
            kind = of.kind
            if kind:
                if not self._is_defining(node, kind):
                    break
                if kind in _FUNCTIONS and self._is_declared_only(node):
                    kind = "declaration"
                return Found(node, kind, way)
            if not of.wrapper:
                break
            inner = [child for child in node.children if self._may_define(child)]
            if len(inner) > 1:
                inner = [child for child in inner if self._defined_in(child)]
            if len(inner) != 1:
                return Found(None, "block" if inner else "", ())
            node = inner[0]
            way.append(node)
        return Found(None, "", ())

    def value_of(self, node: Node) -> tuple[Node, ...]:
        """What an assigning node assigns, behind the nodes that only carry it."""
        fields = self._types[node.kind_id].assigned
        if fields is None:
            return ()
        value = self._reading.field(node, fields[1])
        way: list[Node] = []
        while value is not None:
            way.append(value)
            alone = value.named_child_count == 1 and _CARRIES.search(value.type)
            value = value.named_children[0] if alone else None
        return tuple(way)

    def _may_define(self, node: Node) -> bool:
        of = self._types[node.kind_id]
        return of.named and bool(of.wrapper or of.assigned or of.kind)

    def _defined_in(self, node: Node) -> bool:
        """Whether the child of a wrapper defines something; looks no deeper."""
        value = self.value_of(node)
        kind = self._data.values.get(value[-1].type, "") if value else ""
        if kind and self._is_defining(value[-1], kind):
            return True
        kind = self._types[node.kind_id].kind
        return bool(kind) and self._is_defining(node, kind)

    def _is_defining(self, node: Node, kind: str) -> bool:
        """Whether the node defines what its type speaks of, rather than only naming it."""
        if self._data.generic:
            return True
        if kind == "object":
            return self.holds_functions(node)
        if kind in {"struct", "union", "enum", "class"}:
            return node.child_count > 2 or self._reading.body_of(node) is not None
        if kind in {"module", "namespace"}:
            return self._reading.body_of(node) is not None
        return True

    def _is_declared_only(self, node: Node) -> bool:
        """Whether a function has no body here: abstract, deleted, in an interface."""
        if self._data.generic or self._reading.body_of(node) is not None:
            return False
        return self._reading.field_body(node) is None and self._reading.slice(node)[-1:] == ";"

    def holds_functions(self, node: Node) -> bool:
        """Whether functions stand among the members of the node."""
        stack = [node]
        for _ in range(_MOST_MEMBERS):
            if not stack:
                return False
            holder = stack.pop()
            body = self._reading.body_of(holder) or holder
            for child in body.children:
                of = self._types[child.kind_id]
                if not of.named:
                    continue
                if of.body and is_bare(child):
                    stack.append(child)
                    continue
                value = self.value_of(child) if of.assigned else ()
                kind = self._data.values.get(value[-1].type, "") if value else of.kind
                if kind in _FUNCTIONS and not self._is_declared_only(child):
                    return True
        return False


def is_bare(node: Node) -> bool:
    """Whether a body has no opening bracket or word of its own."""
    first = node.children[0] if node.child_count else None
    return first is not None and (first.is_named or first.type == ";")
