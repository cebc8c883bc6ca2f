"""Units of code in the making: the nodes that belong together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from structchunk_core.unit import Tie

if TYPE_CHECKING:
    from tree_sitter import Node


class Member:
    """A unit in the making: nodes that belong together.

    Attributes:
        start: where it begins, in characters.
        tie: as of a unit.
        kind: of the unit.
        nodes: the node to open, behind what was joined to it.
        definition: the node inside it that defines something.
        holder: the node inside that which holds its body.
        ahead: comments and decorators in front that belong to it.
        docstring: whether it is one.
        is_hole: whether the tree knows nothing of it.
        in_type: whether it is a block of members of a type: ``#ifdef``, ``if``.
        parts: what it is made of: clauses, or the members of a section.
        declared: the type signature among them.
        trails: whether it is a comment that may belong to the definition above.
        named: name and number of parameters, of what may be joined.
    """

    __slots__ = (
        "ahead",
        "declared",
        "definition",
        "docstring",
        "holder",
        "in_type",
        "is_hole",
        "kind",
        "named",
        "nodes",
        "parts",
        "start",
        "tie",
        "trails",
    )

    def __init__(
        self, start: int, tie: Tie, kind: str = "statement", nodes: tuple[Node, ...] = ()
    ) -> None:
        self.start = start
        self.tie = tie
        self.kind = kind
        self.nodes = nodes
        self.definition: Node | None = None
        self.holder: Node | None = None
        self.ahead: Sequence[Node] = ()
        self.docstring = False
        self.is_hole = False
        self.in_type = False
        self.parts: list[Member] | None = None
        self.declared: Node | None = None
        self.trails = False
        self.named: tuple[str, int] | None = None

    def copy(self) -> Member:
        """Another one that is the same, but for its parts: it has none."""
        other = Member(self.start, self.tie, self.kind, self.nodes)
        other.definition, other.holder = self.definition, self.holder
        other.ahead, other.docstring = self.ahead, self.docstring
        other.is_hole, other.in_type = self.is_hole, self.in_type
        other.declared, other.trails, other.named = self.declared, self.trails, self.named
        return other
