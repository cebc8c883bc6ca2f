"""Facts about source code, read from its syntax tree: names, signatures, documentation, errors."""

from __future__ import annotations

import re
import weakref
from collections.abc import Callable, Sequence
from functools import partial
from operator import index
from typing import TYPE_CHECKING, Final

from structchunk_core.definition import Definition, Head, Names
from structchunk_core.errors import Problem
from structchunk_core.formats._code_paths import FIRST_LINE, WHOLE_HEAD, Path, first, follow
from structchunk_core.formats._code_types import LONGEST_WORD, MODIFIERS, NodeType, node_types
from structchunk_core.offsets import ByteOffsets
from structchunk_core.profiles import Profile

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

_MAX_ERRORS: Final = 50
_MAX_NAME: Final = 200
_MAX_MODIFIERS: Final = 64
_LONGEST_HEAD: Final = 1000  # characters of a definition that are told by their text
_BLANKS: Final = " \t\r\n\f\ufeff"
_IN_BRACKETS: Final = frozenset({"parenthesized_declarator"})
_LONGEST_SIGNATURE: Final = 2000
_LONGEST_WORD: Final = 4 * LONGEST_WORD  # in bytes
_MARK: Final = re.compile(r"\W")  # in front of a name, as of what it belongs to: ``~Cart``
_BRACKETS: Final = {"(": ")", "{": "}"}
_OPENING_MARK: Final = re.compile(
    r"^\s*(?:\(\*|\{-|#\||--\[=*\[|#\[=*\[|%\{)?[-/*#!;%]* ?[|^]?(?:\s|$)"
)
_CLOSING_MARK: Final = re.compile(r"(?:\*\)|-\}|\|#|\]=*\]|%\})\s*$")
_NAME_TYPES: Final = re.compile(r"(?:^|_)(?:identifier|name|constant|word|symbol|id|atom)$")


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
    scope, name = _unscoped(whole, data.scope_separator)
    receiver = _receiver(reading, node) if data.receivers else ""
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
    found = [child for child in ahead if _decorates(reading, child)] if ahead else []
    begin = node
    if outer is not node or not _is_undecorated(reading, node):
        # Some grammars have no node for the first word of a definition.
        begin = _behind_decorators(reading, node, outer, found)
    if declared is not None:
        signature = _folded(reading.slice(declared)[:_LONGEST_SIGNATURE])
    else:
        signature = _signature(reading, node, holder, begin)
    decorators = tuple([reading.slice(decorator) for decorator in found]) if found else ()
    return Head(signature, decorators, _doc(reading, node, holder, ahead))


def arity_of(reading: Reading, node: Node) -> int:
    """How many parameters a definition has, where the profile says how to count them, or -1."""
    path = reading.type_of(node).arity
    if not path:
        return -1
    found = follow(reading, node, path)
    return found[0].named_child_count if found else 0


def _receiver(reading: Reading, node: Node) -> str:
    paths = reading.type_of(node).receivers
    held = first(reading, node, paths) if paths else None
    if held is None:
        return ""
    owner = _first_of_type(held, "type_identifier") or held
    return _plain_name(reading.slice(owner))


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
    if not last:
        return (), name
    return tuple(part for part in outside if part), last


def part_of(reading: Reading, node: Node, name: str) -> Node | None:
    """The child in the field of that name, or else of that type."""
    found = reading.field(node, name)
    return found or next((child for child in node.children if child.type == name), None)


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
            return _signature(reading, node, node, node)[:_MAX_NAME]
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


def _signature(reading: Reading, node: Node, holder: Node, begin_at: Node) -> str:
    body = reading.field_body(holder) or reading.body_of(holder)
    head = reading.head_length(holder) if reading.data.heads else 0
    if body is None and holder != node and reading.is_body(holder):
        body = holder
    begin = begin_at.start_byte
    if head:
        stop = holder.children[head - 1].end_byte
    else:
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
    signature = reading.text[start : min(end, start + _LONGEST_SIGNATURE)]
    docs = reading.type_of(node).docs if reading.data.docs else ()
    doc = first(reading, node, docs) if docs else None
    if doc is not None and begin <= doc.start_byte and doc.end_byte <= stop:
        signature = signature.replace(reading.slice(doc), " ", 1)
    if body is None and not head:
        signature = signature.partition("\n")[0]
    return _folded(signature)


def _folded(signature: str) -> str:
    """A signature on one line, without what leads to the body."""
    folded = " ".join(signature.split()).rstrip(" {=;")
    if folded[:1] == "(" and folded.count("(") > folded.count(")"):
        folded = folded[1:]  # a form that the body closes
    return folded.removesuffix("=>").rstrip()


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


def _goes_on(node: Node, row: int) -> bool:
    """Whether the node is a mark that still belongs to what ends on that row."""
    return not node.is_named and node.start_point.row == row and node.end_point.row == row


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
        words = _CLOSING_MARK.sub("", _OPENING_MARK.sub("", line)).strip("/*#-!;%'\" \t")
        if words:
            return words
    return ""
