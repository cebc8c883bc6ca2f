"""What a node of a syntax tree defines: itself, under its wrappers, or by what it assigns."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Final, NamedTuple

from structchunk_core.formats._code_labels import part_of
from structchunk_core.formats._code_paths import first
from structchunk_core.formats._code_reading import Reading
from structchunk_core.formats._code_types import NodeType
from structchunk_core.unit import DEFINITION_KINDS

if TYPE_CHECKING:
    from tree_sitter import Node

_FUNCTIONS: Final = frozenset({"constructor", "function", "method"})
_MODULES: Final = frozenset({"module", "namespace"})
_MOST_MEMBERS: Final = 16


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


_NOTHING: Final = Found(None, "", ())
_BLOCK: Final = Found(None, "block", ())


class Definitions:
    """Finds what the nodes of one file define."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._data = reading.data
        self._types = reading.types
        self._held: dict[int, bool] = {}
        self._found: dict[int, Found] = {}  # in wrappers, which have to be looked into

    def found_in(self, node: Node) -> Found:
        """What a node defines, itself or below the wrappers that it is.

        A wrapper around several definitions, or around a container without a name, is a ``block``
        without a node.
        """
        if not self._types[node.kind_id].wrapper:
            return self._find(node)
        found = self._found.get(node.id)
        if found is None:
            found = self._found[node.id] = self._find(node)
        return found

    def _find(self, node: Node) -> Found:
        reading = self._reading
        outermost = node
        way: list[Node] = []
        for _ in range(8):
            of = self._types[node.kind_id]
            if of.plain:
                break
            if of.word:
                of = reading.with_word(node, of)
                if of.plain:
                    break
            if of.assigned:
                value = self.value_of(node)
                kind = self._value_kind(value)
                if kind:
                    return Found(node, kind, (*way, *value))
            if of.patterns and (match := reading.match_of(node)):
                body = next((c for c in node.children if self._types[c.kind_id].body), None)
                return Found(node, match[0], way if body is None else (*way, body))
            kind = self._kind_of(node, of)
            if kind:
                if not self._is_defining(node, of, kind):
                    if kind not in _MODULES:
                        break
                    kind = "declaration"  # ``mod queue;``
                if kind in _FUNCTIONS and self._is_declared_only(node, outermost, way):
                    kind = "declaration"
                return Found(node, kind, way)
            if not of.wrapper:
                break
            inner = self._defining_in(node)
            if len(inner) != 1:
                if not inner and not self._data.transparent:
                    break
                only = node.named_children[0] if node.named_child_count == 1 else node
                is_block = bool(inner) or self._types[only.kind_id].transparent
                return _BLOCK if is_block else _NOTHING
            node = inner[0]
            way.append(node)
        return _NOTHING

    def _defining_in(self, wrapper: Node) -> list[Node]:
        """The children of a wrapper that define something."""
        types = self._types
        found: list[Node] = []
        for child in wrapper.children:
            own = types[child.kind_id]
            if own.may_define or (own.word and self._reading.with_word(child, own).may_define):
                found.append(child)
        if len(found) > 1:
            found = [child for child in found if self._defined_in(child)]
        return found

    def _kind_of(self, node: Node, of: NodeType) -> str:
        """The kind of what a node speaks of defining, or ``""``."""
        if of.functions and first(self._reading, node, of.functions) is not None:
            return "function"
        return (self._as_member(node) if of.member else "") or of.kind

    def _as_member(self, node: Node) -> str:
        """The kind of what a node defines for standing inside a type: a method, or nothing."""
        outer = node.parent
        if outer is None:
            return ""
        members = self._reading.type_of(outer).members
        if members != self._types[node.kind_id].name:
            return ""
        return "method" if node.named_child_count > 1 else ""

    def _value_kind(self, value: Sequence[Node]) -> str:
        """The kind of what is defined by assigning the value, or ``""``."""
        if not value:
            return ""
        of = self._reading.type_of(value[-1])
        return of.value if of.value and self._is_defining(value[-1], of, of.value) else ""

    def value_of(self, node: Node) -> tuple[Node, ...]:
        """What an assigning node assigns, behind the nodes that only carry it.

        Of ``a = b = value`` that is the value.
        """
        fields = self._types[node.kind_id].assigned
        if fields is None:
            return ()
        value = part_of(self._reading, node, fields[1])
        way: list[Node] = []
        while value is not None:
            way.append(value)
            of = self._types[value.kind_id]
            if of.assigned:
                value = part_of(self._reading, value, of.assigned[1])
            elif of.carries and value.named_child_count == 1:
                value = value.named_children[0]
            else:
                value = None
        return tuple(way)

    def holder_of(self, node: Node, found: Found) -> Node:
        """The node that has the body of what is found in the given one.

        It is the innermost one on the way, or one around it: some grammars put the signature of
        a definition beside its body (``Decl(FnProto, Block)``).
        """
        inner = found.way[-1] if found.way else (found.node or node)
        if inner is node or self._has_body(inner):
            return inner
        around = (outer for outer in (*reversed(found.way[:-1]), node) if self._has_body(outer))
        return next(around, inner)

    def _has_body(self, node: Node) -> bool:
        reading = self._reading
        return (
            reading.body_of(node) is not None
            or reading.is_body(node)
            or bool(self._data.heads and reading.head_length(node))
        )

    def _defined_in(self, node: Node) -> bool:
        """Whether the child of a wrapper defines something; looks no deeper."""
        if self._value_kind(self.value_of(node)):
            return True
        of = self._reading.type_of(node)
        if of.patterns and self._reading.match_of(node):
            return True
        kind = self._kind_of(node, of)
        return bool(kind) and self._is_defining(node, of, kind)

    def _is_defining(self, node: Node, of: NodeType, kind: str) -> bool:
        """Whether the node defines what its type speaks of, rather than only naming it."""
        if self._data.generic:
            return True
        if kind == "object":
            return of.kind == kind or self.holds_functions(node)
        if kind in {"struct", "union", "enum", "class"}:
            if len(of.names) > 1:
                return True  # known by its word
            return node.child_count > 2 or self._reading.body_of(node) is not None
        if kind in _MODULES:
            if of.section or of.heads or len(of.names) > 1:
                return True
            return self._reading.body_of(node) is not None
        return True

    def _is_declared_only(self, node: Node, outermost: Node, way: Sequence[Node]) -> bool:
        """Whether a function has no body here: abstract, deleted, in an interface.

        Args:
            node: what holds kind and name.
            outermost: the node around it that belongs to it, or the node itself.
            way: the nodes between the two, and the node.
        """
        reading = self._reading
        if self._data.generic or reading.field_body(node) is not None:
            return False
        if any(self._has_body(on_way) for on_way in (node, *way, outermost)):
            return False
        return reading.slice(outermost)[-1:] == ";"

    def holds_functions(self, node: Node) -> bool:
        """Whether functions stand among the members of the node."""
        return self._holds(node, _FUNCTIONS)

    def holds_definitions(self, node: Node) -> bool:
        """Whether functions, types or modules stand among the members of the node."""
        held = self._held.get(node.id)
        if held is None:
            held = self._held[node.id] = self._holds(node, DEFINITION_KINDS)
        return held

    def _holds(self, node: Node, kinds: AbstractSet[str]) -> bool:
        stack = [node]
        for _ in range(_MOST_MEMBERS):
            if not stack:
                return False
            holder = stack.pop()
            body = self._reading.body_of(holder) or holder
            if body is not holder and self._types[holder.kind_id].holder:
                clauses = (one for one in holder.children if self._types[one.kind_id].holder)
                stack.extend(clauses)
            for child in body.children:
                of = self._reading.type_of(child)
                if not of.named:
                    continue
                if (of.body and is_bare(child)) or of.transparent:
                    stack.append(child)
                    continue
                if of.plain:
                    continue
                if of.wrapper or of.patterns:
                    if self.found_in(child).kind in kinds:
                        return True
                    continue
                kind = self._kind_of(child, of)
                value = self.value_of(child) if of.assigned else ()
                if value:
                    kind = self._reading.type_of(value[-1]).value
                elif kind and not self._is_defining(child, of, kind):
                    continue
                if kind not in kinds:
                    continue
                if value or kind not in _FUNCTIONS or not self._is_declared_only(child, child, ()):
                    return True
        return False


def is_bare(node: Node) -> bool:
    """Whether a body has no opening bracket or word of its own."""
    first = node.children[0] if node.child_count else None
    return first is not None and (first.is_named or not first.type.strip("; \n"))
