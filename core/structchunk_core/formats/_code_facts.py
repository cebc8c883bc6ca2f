"""Facts about source code, read from its syntax tree: names, signatures, documentation, errors."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from operator import index
from typing import TYPE_CHECKING

from structchunk_core.errors import Problem
from structchunk_core.formats._code_types import MODIFIERS, node_types
from structchunk_core.profiles import Profile
from structchunk_core.source import ByteOffsets
from structchunk_core.unit import Definition, make_definition

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

_MAX_ERRORS = 50
_MAX_NAME = 200
_MAX_MODIFIERS = 64
_NAME_TYPES = re.compile(r"(?:^|_)(?:identifier|name|constant|word|symbol|id|atom)$")


class Reading:
    """A syntax tree beside the text it was made from, and the way between their coordinates.

    Attributes:
        text: the whole document.
        data: the profile of the language.
        tree: the syntax tree of the document, or of a stretch of it.
        types: what the profile says about each type of node.
        plain: whether bytes are characters, so that there is nothing to translate.
        to_character: the character of the document at a byte of the parsed text.
        offsets: the bytes of the parsed text.
        holes: stretches of the document, in characters, that were left out of the tree.
    """

    to_character: Callable[[int], int]
    holes: Sequence[tuple[int, int]]

    def __init__(
        self, text: str, data: Profile, tree: Tree, parsed: str | None = None, base: int = 0
    ) -> None:
        self.text = text
        self.data = data
        self.tree = tree
        self._base = base  # where the parsed text begins in the whole one
        parsed = text if parsed is None else parsed
        self.offsets = ByteOffsets(parsed)
        self.plain = parsed.isascii() and not base
        self.to_character = index if self.plain else self._shifted_character
        self.types = node_types(data.name, tree.language)
        self.holes = ()
        self._fields: dict[str, int] = {}
        self._body: tuple[Node | None, Node | None] = (None, None)

    def leave_out(self, holes: Sequence[tuple[int, int]]) -> None:
        """Note stretches, in bytes, that the tree knows nothing of."""
        self.holes = [(self.to_character(start), self.to_character(end)) for start, end in holes]

    def _shifted_character(self, byte: int) -> int:
        return self.offsets.to_character(byte) + self._base

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

    def is_body(self, node: Node) -> bool:
        """Whether the children of the node are the members or statements of its parent."""
        return self.types[node.kind_id].body

    def is_comment(self, node: Node) -> bool:
        """Whether the node is a comment."""
        return self.types[node.kind_id].comment

    def is_string(self, node: Node) -> bool:
        """Whether the node is a string that stands alone, as a docstring does."""
        of = self.types[node.kind_id]
        if of.name == "expression_statement" and node.child_count == 1:
            of = self.types[node.children[0].kind_id]
        return of.string

    def is_text(self, node: Node) -> bool:
        """Whether the node is a string or comment, which is cut as text when it must be."""
        return self.types[node.kind_id].text or self.is_string(node)

    def body_of(self, node: Node) -> Node | None:
        """The child that holds the members or statements of the node; None when it is empty."""
        body = self.field_body(node)
        if body is not None and body.child_count:
            return body
        types = self.types
        for child in node.children:
            if types[child.kind_id].body and child.child_count:
                return child
        return None


def definition_of(
    reading: Reading, node: Node, outer: Node, holder: Node, ahead: Sequence[Node] = ()
) -> Definition:
    """Facts about a definition.

    Args:
        reading: the file.
        node: what defines something.
        outer: the node around it that belongs to it (decorated, exported), or the node itself.
        holder: the node inside it that has its body: the value of an assignment.
        ahead: comments and decorators in front of it that belong to it.
    """
    data = reading.data
    scope, name = _unscoped(_name_of(reading, node), data.scope_separator)
    receiver = data.receivers.get(node.type) if data.receivers else None
    if receiver is not None:
        held = reading.field(node, receiver)
        owner = _first_of_type(held, "type_identifier") if held is not None else None
        if owner is not None:
            scope = (reading.slice(owner),)
    decorators, first = _decorators(reading, node, outer, ahead)
    return make_definition(
        name,
        _signature(reading, node, holder, first),
        scope,
        tuple([reading.slice(decorator) for decorator in decorators]),
        _doc(reading, node, ahead),
    )


def _unscoped(name: str, separator: str) -> tuple[tuple[str, ...], str]:
    """A qualified name as scopes and last name; separators in brackets do not count."""
    if separator == "." or separator not in name:
        return (), name
    parts = [""]
    depth = 0
    position = 0
    while position < len(name):
        character = name[position]
        depth += (character in "<([") - (character in ">)]")
        if depth <= 0 and name.startswith(separator, position):
            parts.append("")
            position += len(separator)
            continue
        parts[-1] += character
        position += 1
    *outside, last = [part.strip() for part in parts]
    return tuple(part for part in outside if part), last


def part_of(reading: Reading, node: Node, name: str) -> Node | None:
    """The child in the field of that name, or else of that type."""
    found = reading.field(node, name)
    return found or next((child for child in node.children if child.type == name), None)


def _name_of(reading: Reading, node: Node) -> str:
    found = part_of(reading, node, reading.types[node.kind_id].name_field)
    if found is None:
        found = reading.field(node, "declarator")
    for _ in range(12):
        inner = _inner_name(reading, found) if found is not None else None
        if inner is None:
            break
        found = inner
    if found is None:
        found = next((c for c in node.children if _NAME_TYPES.search(c.type)), None)
    if found is None:
        return ""
    name = " ".join(reading.slice(found).split()).strip("\"'`")
    declarator = reading.field(found, "declarator") if found.child_count else None
    if declarator is not None:  # C++: ``operator bool() const``
        name = name.removesuffix(" ".join(reading.slice(declarator).split())).strip()
    return name if len(name) <= _MAX_NAME else ""


def _inner_name(reading: Reading, node: Node) -> Node | None:
    """The node below a declarator or type that has the name."""
    if not node.child_count:
        return None
    declared = reading.field(node, "declarator")
    if declared is not None:
        return None if declared.type.startswith("abstract_") else declared
    if node.type.endswith("declarator"):
        named = reading.field(node, "name")
        if named is not None or node.named_child_count != 1:
            return named
        return node.named_children[0]  # C++: ``&name()``, which has no field for it
    if node.type in {"generic_type", "reference_type", "pointer_type"}:
        return reading.field(node, "type")
    return None


def _decorators(
    reading: Reading, node: Node, outer: Node, ahead: Sequence[Node]
) -> tuple[list[Node], Node]:
    """The decorators of a definition, and the first node behind those at its beginning."""
    types = reading.types
    found = [child for child in ahead if types[child.kind_id].decorator] if ahead else []
    if outer is node and _is_undecorated(reading, node):
        return found, node.children[0]
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
    return found, first or node


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


def _signature(reading: Reading, node: Node, holder: Node, first: Node) -> str:
    body = reading.field_body(holder) or reading.body_of(holder)
    if body is None and holder != node and reading.is_body(holder):
        body = holder
    begin = first.start_byte
    stop = body.start_byte if body is not None else node.end_byte
    types = reading.types
    for child in holder.children:
        at = child.start_byte
        if at >= stop:
            break
        if at > begin and types[child.kind_id].comment:
            stop = at
            break
    start = reading.to_character(begin)
    end = reading.to_character(stop)
    signature = reading.text[start : min(end, start + 2000)]
    if body is None:
        signature = signature.partition("\n")[0]
    folded = " ".join(signature.split()).rstrip(" {=;")
    return folded.removesuffix("=>").rstrip()


def _doc(reading: Reading, node: Node, ahead: Sequence[Node]) -> str:
    """The first line of a docstring or of the comment right above, without its marks."""
    if reading.data.docstrings:
        body = reading.field_body(node)
        first = body.child(0) if body is not None and body.child_count else None
        if first is not None and reading.is_string(first):
            return first_words(reading.slice(first).lstrip("rRuUbBfF").strip("\"' \t\r\n"))
        return ""
    for child in ahead:
        if reading.is_comment(child) and (words := first_words(reading.slice(child))):
            return words
    return ""


def problems_of(reading: Reading) -> tuple[Problem, ...]:
    """Where the grammar did not understand the text."""
    places = list(reading.holes)
    stack = [reading.tree.root_node] if reading.tree.root_node.has_error else []
    while stack and len(places) < _MAX_ERRORS:
        node = stack.pop()
        if node.type == "ERROR" or node.is_missing:
            start = reading.to_character(node.start_byte)
            places.append((start, max(reading.to_character(node.end_byte), start + 1)))
            continue
        stack.extend(child for child in reversed(node.children) if child.has_error)
    message = f"the {reading.data.name} grammar does not understand this part"
    return tuple([Problem("syntax-error", message, start, end) for start, end in places])


def _first_of_type(node: Node, wanted: str) -> Node | None:
    stack = [node]
    for _ in range(64):
        if not stack:
            return None
        current = stack.pop()
        if current.type == wanted:
            return current
        stack.extend(reversed(current.children))
    return None


def first_words(text: str) -> str:
    """The first line of a comment or docstring that says something, without its marks."""
    for line in text.splitlines():
        words = line.strip().strip("/*#-!;%'\"").strip()
        if words:
            return words
    return ""
