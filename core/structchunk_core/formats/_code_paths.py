"""Paths of a profile: ways from a node of a syntax tree to the nodes inside it that say something.

A path is written as steps with ``/`` between: ``arguments/0/left?/target?``. A step leads to the
child in the field of that name, or else to the first child of that type; a number leads to the
named child at that place, comments not counted. ``?`` behind a step: stay where there is no such
child. ``*``: go on as often as there is one. ``+``: all such children, behind the last of several
steps; there ``a,b+`` means children of either type. ``=type`` goes nowhere, but asks for the type.
Two words lead to no node: ``line`` means all that begins on the first line, ``@head`` the text up
to the body.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

if TYPE_CHECKING:
    from tree_sitter import Node

_DEEPEST: Final = 32  # how often a step with ``*`` is taken at most
_FURTHEST: Final = 64  # children that are looked at for one of a type
_MOST: Final = 16  # children that a step with ``+`` takes at most


FIRST_LINE: Final = "line"
WHOLE_HEAD: Final = "@head"
SPECIAL_STEPS: Final = frozenset({FIRST_LINE, WHOLE_HEAD})


class Asked(Protocol):
    """What has to be known about nodes in order to follow a path."""

    def field(self, node: Node, name: str) -> Node | None:
        """The child in the field."""

    def is_comment(self, node: Node) -> bool:
        """Whether the node is a comment."""

    def is_a(self, node: Node, name: str) -> bool:
        """Whether the node is of that type, or of that type and word."""


class Step(NamedTuple):
    """One step of a path.

    Attributes:
        names: fields or types, or the type that is asked for.
        place: of the named child, or -1.
        asks: whether it only asks for the type.
        optional: whether it may lead nowhere.
        often: whether it is taken as often as it leads somewhere.
        all: whether it leads to all such children.
    """

    names: tuple[str, ...]
    place: int = -1
    asks: bool = False
    optional: bool = False
    often: bool = False
    all: bool = False


Path = tuple[Step, ...]


@cache
def path_of(written: str) -> Path:
    """The path that a profile writes so."""
    return tuple(_step_of(step) for step in written.split("/"))


def _step_of(written: str) -> Step:
    asks = written.startswith("=")
    mark = written[-1] if written[-1] in "?*+" else ""
    bare = written.removesuffix(mark).removeprefix("=")
    return Step(
        tuple(bare.split(",")),
        int(bare) if bare.isdecimal() else -1,
        asks,
        mark in {"?", "*"},
        mark == "*",
        mark == "+",
    )


def names_in(path: Path) -> list[str]:
    """The fields and types that the path speaks of."""
    return [name for step in path if step.place < 0 for name in step.names]


def follow(asked: Asked, node: Node, path: Path) -> list[Node]:
    """Where the path leads from the node; empty when it leads nowhere."""
    for step in path:
        if step.asks:
            if not any(asked.is_a(node, name) for name in step.names):
                return []
            continue
        if step.all:
            return [
                child
                for child in node.children
                if any(asked.is_a(child, name) for name in step.names)
            ][:_MOST]
        found = _child(asked, node, step)
        if found is None and not step.optional:
            return []
        for _ in range(_DEEPEST):
            if found is None:
                break
            node = found
            found = _child(asked, node, step) if step.often else None
    return [node]


def first(asked: Asked, node: Node, paths: tuple[Path, ...]) -> Node | None:
    """Where the first of the paths leads that leads somewhere."""
    for path in paths:
        found = follow(asked, node, path)
        if found:
            return found[0]
    return None


def _child(asked: Asked, node: Node, step: Step) -> Node | None:
    if not node.child_count:
        return None
    if step.place >= 0:
        place = step.place
        for child in node.children[:_FURTHEST]:
            if child.is_named and not asked.is_comment(child):
                if not place:
                    return child
                place -= 1
        return None
    for name in step.names:
        found = asked.field(node, name)
        if found is not None:
            return found
    for child in node.children[:_FURTHEST]:
        if any(asked.is_a(child, name) for name in step.names):
            return child
    return None
