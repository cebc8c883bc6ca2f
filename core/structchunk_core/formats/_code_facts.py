"""Facts about definitions, read from their syntax trees: signature, decorators, documentation."""

from __future__ import annotations

import re
import weakref
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from structchunk_core.definition import Definition, Head
from structchunk_core.errors import Problem
from structchunk_core.formats._code_labels import name_of, receiver_of, unscoped
from structchunk_core.formats._code_paths import first
from structchunk_core.formats._code_reading import Reading
from structchunk_core.formats._code_signatures import LONGEST_SIGNATURE, folded, signature_of
from structchunk_core.formats._code_types import MODIFIERS

if TYPE_CHECKING:
    from tree_sitter import Node


_MAX_ERRORS: Final = 50
_MAX_MODIFIERS: Final = 64
_OPENING_MARK: Final = re.compile(
    r"^\s*(?:\(\*|\{-|#\||--\[=*\[|#\[=*\[|%\{)?[-/*#!;%]* ?[|^]?(?:\s|$)"
)
_CLOSING_MARK: Final = re.compile(r"(?:\*\)|-\}|\|#|\]=*\]|%\})\s*$")


def definition_of(
    reading: Reading,
    node: Node,
    outer: Node,
    holder: Node,
    ahead: Sequence[Node] = (),
    declared: Node | None = None,
) -> Definition:
    """Facts about a definition.

    Args:
        reading: the file.
        node: what defines something.
        outer: the node around it that belongs to it (decorated, exported), or the node itself.
        holder: the node inside it that has its body: the value of an assignment.
        ahead: comments and decorators in front of it that belong to it.
        declared: the type signature in front of it, which is its signature then.
    """
    data = reading.data
    whole = name_of(reading, node)
    if whole in data.nameless and holder is not node:
        own = reading.field(holder, "name")
        whole = whole if own is None else reading.slice(own)
    scope, name = unscoped(whole, data.scope_separator)
    receiver = receiver_of(reading, node) if data.receivers else ""
    if receiver:
        scope = (receiver,)
    if reading.pending is None:
        return Definition(name, scope, _head_of(reading, node, outer, holder, ahead, declared))
    head = partial(_head_of, reading, node, outer, holder, ahead, declared)
    definition = Definition(name, scope, head)
    reading.pending.append(weakref.ref(definition))  # whose reader holds the reading
    return definition


def _head_of(
    reading: Reading,
    node: Node,
    outer: Node,
    holder: Node,
    ahead: Sequence[Node],
    declared: Node | None,
) -> Head:
    """Signature, decorators and documentation; the arguments are those of a definition."""
    found = [child for child in ahead if _decorates(reading, child)] if ahead else []
    begin = node
    if outer is not node or not _is_undecorated(reading, node):
        # Some grammars have no node for the first word of a definition.
        begin = _behind_decorators(reading, node, outer, found)
    if declared is not None:
        signature = folded(reading.slice(declared)[:LONGEST_SIGNATURE])
    else:
        signature = signature_of(reading, node, holder, begin)
    decorators = tuple([reading.slice(decorator) for decorator in found]) if found else ()
    return Head(signature, decorators, _doc(reading, node, holder, ahead))


def _behind_decorators(reading: Reading, node: Node, outer: Node, found: list[Node]) -> Node:
    """The first node of a definition behind its decorators, which are put to those found."""
    types = reading.types
    first: Node | None = None
    opened = {node.kind_id, outer.kind_id}
    stack = [outer]
    for _ in range(_MAX_MODIFIERS):
        if not stack:
            break
        current = stack.pop()
        number = current.kind_id
        of = types[number]
        if of.decorator:
            found.append(current)
        elif of.comment:
            continue
        elif (number in opened and current in (node, outer)) or of.name == MODIFIERS:
            stack.extend(reversed(current.children))
        elif of.body:
            break
        elif first is None:
            first = current
    return first or node


def _decorates(reading: Reading, node: Node) -> bool:
    """Whether the node is a decorator, and more than a text about what follows."""
    of = reading.type_of(node)
    return of.decorator and (not of.docs or first(reading, node, of.docs) is None)


def _is_undecorated(reading: Reading, node: Node) -> bool:
    """Whether a definition plainly has neither decorators nor comments in front of its body."""
    children = node.children
    if not 0 < len(children) < _MAX_MODIFIERS or reading.is_body(children[0]):
        return False
    own = node.kind_id
    for child in children:
        number = child.kind_id
        of = reading.types[number]
        if of.body:
            break
        if of.decorates or number == own:
            return False
    return True


def _doc(reading: Reading, node: Node, holder: Node, ahead: Sequence[Node]) -> str:
    """The first line of a docstring or of the comment right above, without its marks."""
    if reading.data.docstrings:
        body = reading.field_body(node)
        inside = body.child(0) if body is not None and body.child_count else None
        if inside is not None and reading.is_string(inside):
            return first_words(reading.slice(inside).lstrip("rRuUbBfF").strip("\"' \t\r\n"))
        return ""
    if reading.data.docs:
        for one in (node, holder, *ahead):
            docs = reading.type_of(one).docs
            text = first(reading, one, docs) if docs else None
            if text is not None and (words := first_words(reading.slice(text))):
                return words
    for child in ahead:
        if reading.is_doc(child) and (words := first_words(reading.slice(child))):
            return words
    return ""


def problems_of(reading: Reading) -> tuple[Problem, ...]:
    """Where the grammar did not understand the text."""
    places = list(reading.holes)
    stack = [reading.root] if reading.root.has_error else []
    while stack and len(places) < _MAX_ERRORS:
        node = stack.pop()
        if node.type == "ERROR" or node.is_missing:
            start = reading.to_character(node.start_byte)
            places.append((start, max(reading.to_character(node.end_byte), start + 1)))
            continue
        stack.extend(child for child in reversed(node.children) if child.has_error)
    message = f"the {reading.data.name} grammar does not understand this part"
    return tuple([Problem("syntax-error", message, start, end) for start, end in places])


def first_words(text: str) -> str:
    """The first line of a comment or docstring that says something, without its marks."""
    for line in text.splitlines():
        words = _CLOSING_MARK.sub("", _OPENING_MARK.sub("", line)).strip("/*#-!;%'\" \t")
        if words:
            return words
    return ""
