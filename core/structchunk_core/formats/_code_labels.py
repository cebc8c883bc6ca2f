"""What a definition is called: its name, the scopes it names itself, how many parameters it has."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from structchunk_core.formats._code_paths import WHOLE_HEAD, Path, first, follow
from structchunk_core.formats._code_reading import Reading
from structchunk_core.formats._code_signatures import signature_of

if TYPE_CHECKING:
    from tree_sitter import Node

_MAX_NAME: Final = 200
_IN_BRACKETS: Final = frozenset({"parenthesized_declarator"})
_MARK: Final = re.compile(r"\W")  # in front of a name, as of what it belongs to: ``~Cart``
_BRACKETS: Final = {"(": ")", "{": "}"}
_NAME_TYPES: Final = re.compile(r"(?:^|_)(?:identifier|name|constant|word|symbol|id|atom)$")


def name_of(reading: Reading, node: Node) -> str:
    """What a definition is called; ``""`` when it has no name."""
    of = reading.type_of(node)
    if of.patterns and (match := reading.match_of(node)):
        return match[1].strip("\"'")
    field = of.name_field
    found = part_of(reading, node, field) if field and not reading.data.selectors else None
    if found is not None and not found.child_count and of.name not in _IN_BRACKETS:
        name = reading.slice(found)  # as most are
        if name.isidentifier() and not name.isupper() and len(name) <= _MAX_NAME:
            return name
    colon = reading.data.selectors.get(of.name) if reading.data.selectors else None
    if colon is not None:
        parts = [child for child in node.children if child.type in {"identifier", colon}]
        return "".join(":" if part.type == colon else reading.slice(part) for part in parts)
    if not of.name_field:
        return _name_by_paths(reading, node, of.name_paths)
    if reading.data.selectors:
        found = part_of(reading, node, field)
    if found is None:
        found = reading.field(node, "declarator")
    around = node  # a node does not know its parent: it is looked for from the root
    for _ in range(12):
        inner = _inner_name(reading, found) if found is not None and found.child_count else None
        if found is None or inner is None:
            break
        around, found = found, inner
    if found is None and node.type == "expression_statement":  # C: ``TEST(stack, grows) {``
        found = node.children[0]
    if found is None:
        found = next((c for c in node.children if _NAME_TYPES.search(c.type)), None)
    if found is None:
        return ""
    name = _plain_name(reading.slice(found))
    declarator = reading.field(found, "declarator") if found.child_count else None
    if declarator is not None:  # C++: ``operator char*() const``
        written = " ".join(reading.slice(declarator).split())
        name = (name.removesuffix(written) + written.partition("(")[0]).strip()
    if name.isupper() or around.type in _IN_BRACKETS:
        name = _macro_name(reading, node) or name
    if len(name) > _MAX_NAME:
        name = name.partition("<")[0].strip()  # C++: a specialisation for a long type
    return name if len(name) <= _MAX_NAME else ""


def part_of(reading: Reading, node: Node, name: str) -> Node | None:
    """The child in the field of that name, or else of that type."""
    found = reading.field(node, name)
    return found or next((child for child in node.children if child.type == name), None)


def _macro_name(reading: Reading, node: Node) -> str:
    """The call of a macro that stands for the head of a function (``TEST(stack, grows)``)."""
    if node.type not in {"expression_statement", "function_definition"}:
        return ""
    declared = reading.field(node, "declarator")
    if reading.field(node, "type") is None:
        call = declared or node.children[0]
        inside = reading.field(call, "parameters") or reading.field(call, "arguments")
        if inside is None or not inside.named_child_count:
            return ""
        if any(reading.field(child, "declarator") for child in inside.named_children):
            return ""
        return " ".join(reading.slice(call).split())
    if declared is None or declared.type not in _IN_BRACKETS:
        return ""
    end = reading.to_character(declared.end_byte)
    return " ".join(reading.text[reading.to_character(node.start_byte) : end].split())


def _name_by_paths(reading: Reading, node: Node, paths: Sequence[Path]) -> str:
    for path in paths:
        if path[0].names == (WHOLE_HEAD,):
            return signature_of(reading, node, node, node)[:_MAX_NAME]
        found = follow(reading, node, path)
        names = [_plain_name(reading.slice(part)) for part in found]
        if len(names) > 1 and _MARK.fullmatch(names[0]):
            names = ["".join(names[:2]), *names[2:]]
        name = reading.data.scope_separator.join(filter(None, names))
        if name:
            return name if len(name) <= _MAX_NAME else ""
    return ""


def _plain_name(written: str) -> str:
    """A name without quotes, and without brackets around all of it."""
    name = " ".join(written.split()).strip("\"'`")
    while len(name) > 2 and name[0] in _BRACKETS and name[-1] == _BRACKETS[name[0]]:
        name = name[1:-1].strip()
    return name


def _inner_name(reading: Reading, node: Node) -> Node | None:
    """The node below a declarator or type, which has children, that has the name."""
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


def receiver_of(reading: Reading, node: Node) -> str:
    """What a method belongs to that does not stand in it (Go), or ``""``."""
    paths = reading.type_of(node).receivers
    held = first(reading, node, paths) if paths else None
    if held is None:
        return ""
    owner = _first_of_type(held, "type_identifier") or held
    return _plain_name(reading.slice(owner))


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


def unscoped(name: str, separator: str) -> tuple[tuple[str, ...], str]:
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
    if not last:
        return (), name
    return tuple(part for part in outside if part), last


def arity_of(reading: Reading, node: Node) -> int:
    """How many parameters a definition has, where the profile says how to count them, or -1."""
    path = reading.type_of(node).arity
    if not path:
        return -1
    found = follow(reading, node, path)
    return found[0].named_child_count if found else 0
