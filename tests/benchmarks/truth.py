"""What a file defines, read from the syntax tree by rules of our own.

The tables here are not the package's profiles and must not be: what is measured against them is
whether the package, with its rules, finds the same functions and what belongs to them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from structchunk_core.grammars import find_grammar, parse_bytes
from structchunk_core.offsets import ByteOffsets

if TYPE_CHECKING:
    from tree_sitter import Node

_SECONDS = 10
_GIVEN_UP = "ERROR"
_BLANK_LINE = re.compile(r"\n[ \t\r]*\n\s*")
_Above: TypeAlias = "tuple[Node, _Above] | None"  # the nodes above one, innermost first


class _Grammar(NamedTuple):
    """The names that a grammar gives its nodes.

    Attributes:
        functions: functions and methods.
        types: what holds functions as its members, and what else has a name and a body.
        holds: node type -> field with the value, of what a function can be assigned to.
    """

    functions: frozenset[str]
    types: frozenset[str]
    holds: Mapping[str, str] = {}


class _Attachment(NamedTuple):
    """A comment, decorator or attribute that is no part of the node it belongs to."""

    start: int
    end: int
    comment: bool


class Around(NamedTuple):
    """What a definition stands in.

    Attributes:
        start: where it begins, in characters.
        end: one past its end.
        container: whether it is a class, a namespace or the like, whose members are definitions;
            all else (another function, a call) holds together while it fits.
        kind: its node type.
    """

    start: int
    end: int
    container: bool
    kind: str


class Definition(NamedTuple):
    """A function or a type as the syntax tree has it, in characters of the text.

    Attributes:
        start: its first character, attributes, decorators and ``export`` included.
        body: where its body begins.
        end: one past its end, a comment behind it on the same line included.
        attached: the first character of the comments and attributes right above it.
        is_function: whether it is a function rather than a type.
        around: what it stands in, innermost first; the file is not in it.
        is_placed: whether that is known: the grammar did not give up on anything around it, and it
            does not stand between something broken and a bracket that closes nothing.
    """

    start: int
    body: int
    end: int
    attached: int
    is_function: bool
    around: tuple[Around, ...]
    is_placed: bool = True


def definitions(text: str, language: str) -> list[Definition]:
    """Every function and type with a body that was parsed without an error, in order.

    The text is one that was decoded from UTF-8: it has no lone surrogates.

    Raises:
        ParseTimeoutError: the grammar did not finish in ten seconds.
    """
    grammar = GRAMMARS[language]
    readable = text.replace("\0", " ")  # scanners take it for the end of the file
    offsets = ByteOffsets(readable)
    tree = parse_bytes(readable.encode(), find_grammar(language), _SECONDS)
    is_file = tree.root_node.type != _GIVEN_UP
    lost = set(_headless(tree.root_node))
    attachments: list[_Attachment] = []
    found: list[tuple[int, int, int, bool, tuple[Around, ...], bool]] = []
    stack: list[tuple[Node, _Above]] = [(node, None) for node in reversed(tree.root_node.children)]
    while stack:
        node, above = stack.pop()
        if node.type in _ATTACHED:
            start, end = (offsets.to_character(at) for at in (node.start_byte, node.end_byte))
            end = start + len(text[start:end].rstrip())
            attachments.append(_Attachment(start, end, "comment" in node.type))
            continue
        body_node = _body(node, grammar)
        if body_node is not None and node.is_named and not node.has_error:
            outermost, outer = _outermost(node, above)
            found.append(
                (
                    offsets.to_character(outermost.start_byte),
                    offsets.to_character(_opening(body_node).start_byte),
                    offsets.to_character(outermost.end_byte),
                    node.type not in grammar.types,
                    _around(outer, grammar, offsets),
                    not _is_lost(outermost, outer, lost),
                )
            )
        if node.has_error:
            lost.update(_headless(node))
        stack.extend((child, (node, above)) for child in reversed(node.children))
    attachments.sort()
    starts = [attachment.start for attachment in attachments]
    comments = {
        attachment.end: attachment.start for attachment in attachments if attachment.comment
    }
    complete = []
    for node_start, body, node_end, is_function, around, is_headed in sorted(found):
        end = _without_late_comments(text, node_start, node_end, comments)
        in_c = grammar is _C
        start = _behind_macro(text, node_start, body, attachments) if in_c else node_start
        chain = _chain(text, start, attachments, starts)
        attributes = (attachment.start for attachment in reversed(chain) if not attachment.comment)
        complete.append(
            Definition(
                start=next(attributes, start),
                body=body,
                end=_with_trail(text, end, attachments, starts),
                attached=chain[-1].start if chain else start,
                is_function=is_function,
                around=around,
                is_placed=is_file
                and is_headed
                and all(outer.kind != _GIVEN_UP for outer in around),
            )
        )
    return complete


def _body(node: Node, grammar: _Grammar) -> Node | None:
    """The body of a node that defines a function or a type, else None."""
    if node.type in grammar.functions or node.type in grammar.types:
        body = node.child_by_field_name("body")
        if body is None:
            bodies = (child for child in reversed(node.named_children) if child.type in _BODIES)
            body = next(bodies, None)
        return body
    if node.type in grammar.holds:
        value = node.child_by_field_name(grammar.holds[node.type])
        if value is not None and value.type in _FUNCTION_VALUES:
            body = value.child_by_field_name("body")
            return body if body is not None and body.type == "statement_block" else None
    return None


def _is_lost(node: Node, above: _Above, lost: AbstractSet[int]) -> bool:
    """Whether the node or one above it is among those whose surroundings are not known."""
    while node.id not in lost:
        if above is None or not lost:
            return False
        node, above = above
    return True


def _headless(node: Node) -> Iterator[int]:
    """The ids of children between one with an error and a bracket that closes nothing.

    And of bodies whose heads the grammar gave up.
    """
    behind: list[int] | None = None
    above = ""
    for child in node.children:
        if above == _GIVEN_UP and child.type in _BODIES:
            yield child.id
        above = child.type
        if child.type == _GIVEN_UP and [token.type for token in child.children] == ["}"]:
            yield from behind or ()
        if child.has_error:
            behind = []
        elif behind is not None:
            behind.append(child.id)


def _opening(body: Node) -> Node:
    """The body, or the first of the comments on lines of their own that some grammars leave out."""
    first = body
    before = body.prev_sibling
    while before is not None and before.type in _ATTACHED:
        above = before.prev_sibling
        if above is None or above.end_point.row == before.start_point.row:
            break  # it trails the signature
        first, before = before, above
    return first


def _outermost(node: Node, above: _Above) -> tuple[Node, _Above]:
    """The node with what is wrapped around it alone, and the nodes above that."""
    while above is not None and above[0].type in _WRAPPERS:
        if sum(child.type in _LISTED for child in above[0].named_children) > 1:
            break
        node, above = above
    return node, above


def _around(above: _Above, grammar: _Grammar, offsets: ByteOffsets) -> tuple[Around, ...]:
    path: list[Node] = []
    while above is not None:
        node, above = above
        path.append(node)
    found = []
    opened = True  # whether what stands in it would be a member of the file or of a container
    for node in reversed(path):
        if opened and node.type in _BODIES:
            continue
        opened = _is_container(node, grammar) and (opened or node.type not in CONTAINERS)
        start, end = (offsets.to_character(at) for at in (node.start_byte, node.end_byte))
        found.append(Around(start, end, opened, node.type))
    return tuple(reversed(found))


def _is_container(node: Node, grammar: _Grammar) -> bool:
    if node.type in grammar.types or node.type in CONTAINERS:
        return True
    wrapped = node.named_children if node.type in _WRAPPERS else ()
    return any(child.type in grammar.types for child in wrapped)


def _behind_macro(text: str, start: int, body: int, attachments: Sequence[_Attachment]) -> int:
    """Where the signature begins, behind a macro of its own line that was taken for its type.

    Between ``TEST_END`` or ``END_NAMESPACE`` and the function there is a blank line at least.
    """
    name_end = text.find("(", start, body)
    blanks = list(_BLANK_LINE.finditer(text, start, name_end)) if name_end >= 0 else []
    if not blanks:
        return start
    start = blanks[-1].end()
    number = bisect_left(attachments, (start,))
    while number < len(attachments) and attachments[number].start == start:
        end = attachments[number].end
        start = end + len(text[end:body]) - len(text[end:body].lstrip())
        number += 1
    return start


def _chain(
    text: str, start: int, attachments: Sequence[_Attachment], starts: Sequence[int]
) -> list[_Attachment]:
    """The comments and attributes right above, lowest first: none behind code on its line."""
    chain: list[_Attachment] = []
    number = bisect_left(starts, start) - 1
    while number >= 0:
        attachment = attachments[number]
        between = text[attachment.end : start]
        if attachment.end > start or between.strip() or between.count("\n") > 1:
            break
        chain.append(attachment)
        start = attachment.start
        number -= 1
    while chain and text[text.rfind("\n", 0, chain[-1].start) + 1 : chain[-1].start].strip():
        chain.pop()  # it trails what else stands on its line
    return chain


def _without_late_comments(text: str, start: int, end: int, comments: Mapping[int, int]) -> int:
    """The end of a node that may run on to the next one, and hold the comment above that.

    Such a comment stands on lines of its own and no further to the right than the node.
    """
    column = start - text.rfind("\n", 0, start)
    while True:
        end = start + len(text[start:end].rstrip())
        comment = comments.get(end, start)
        line = text.rfind("\n", start, comment) + 1
        if not line or text[line:comment].strip() or comment - line >= column:
            return end
        end = line


def _with_trail(
    text: str, end: int, attachments: Sequence[_Attachment], starts: Sequence[int]
) -> int:
    """The end with the comment behind it, where that ends on the same line."""
    number = bisect_left(starts, end)
    if number == len(starts):
        return end
    trail = attachments[number]
    if not trail.comment or "\n" in text[end : trail.end]:
        return end
    return end if text[end : trail.start].strip("; \t") else trail.end


_ATTACHED = frozenset(
    {
        "attribute_item",
        "attribute_list",
        "block_comment",
        "comment",
        "decorator",
        "line_comment",
        "multiline_comment",
    }
)
_WRAPPERS = frozenset(
    {
        "ambient_declaration",
        "declaration",
        "decorated_definition",
        "export_statement",
        "expression_statement",
        "lexical_declaration",
        "template_declaration",
        "type_definition",
        "variable_declaration",
    }
)
_LISTED = frozenset({"variable_declarator", "init_declarator"})
_FUNCTION_VALUES = frozenset({"arrow_function", "function_expression", "generator_function"})
_BODIES = frozenset(
    {
        "block",
        "body_statement",
        "class_body",
        "compound_statement",
        "declaration_list",
        "enum_body",
        "enum_body_declarations",
        "enum_class_body",
        "enum_declaration_list",
        "enum_variant_list",
        "field_declaration_list",
        "function_body",
        "interface_body",
        "object_type",
        "protocol_body",
        "statement_block",
        "template_body",
        "with_template_body",
    }
)
CONTAINERS = frozenset(  # unless they stand in a function
    {
        "else_clause",
        "except_clause",
        "extension_definition",
        "if_statement",
        "linkage_specification",
        "preproc_elif",
        "preproc_else",
        "preproc_if",
        "preproc_ifdef",
        "try_statement",
    }
)
_SCRIPT = _Grammar(
    functions=frozenset(
        {"function_declaration", "generator_function_declaration", "method_definition"}
    ),
    types=frozenset(
        {
            "abstract_class_declaration",
            "class",
            "class_declaration",
            "enum_declaration",
            "interface_declaration",
            "internal_module",
            "module",
        }
    ),
    holds={
        "assignment_expression": "right",
        "field_definition": "value",
        "pair": "value",
        "public_field_definition": "value",
        "variable_declarator": "value",
    },
)
_C = _Grammar(
    functions=frozenset({"function_definition"}),
    types=frozenset(
        {
            "class_specifier",
            "enum_specifier",
            "namespace_definition",
            "struct_specifier",
            "union_specifier",
        }
    ),
)
GRAMMARS: Mapping[str, _Grammar] = {
    "c": _C,
    "cpp": _C,
    "csharp": _Grammar(
        functions=frozenset(
            {
                "constructor_declaration",
                "conversion_operator_declaration",
                "destructor_declaration",
                "local_function_statement",
                "method_declaration",
                "operator_declaration",
            }
        ),
        types=frozenset(
            {
                "class_declaration",
                "enum_declaration",
                "interface_declaration",
                "namespace_declaration",
                "record_declaration",
                "struct_declaration",
            }
        ),
    ),
    "go": _Grammar(
        functions=frozenset({"function_declaration", "method_declaration"}), types=frozenset()
    ),
    "java": _Grammar(
        functions=frozenset(
            {
                "compact_constructor_declaration",
                "constructor_declaration",
                "method_declaration",
                "static_initializer",
            }
        ),
        types=frozenset(
            {
                "annotation_type_declaration",
                "class_declaration",
                "enum_declaration",
                "interface_declaration",
                "record_declaration",
            }
        ),
    ),
    "javascript": _SCRIPT,
    "kotlin": _Grammar(
        functions=frozenset({"function_declaration", "secondary_constructor"}),
        types=frozenset({"class_declaration", "companion_object", "object_declaration"}),
    ),
    "php": _Grammar(
        functions=frozenset({"function_definition", "method_declaration"}),
        types=frozenset(
            {
                "class_declaration",
                "enum_declaration",
                "interface_declaration",
                "namespace_definition",
                "trait_declaration",
            }
        ),
    ),
    "python": _Grammar(
        functions=frozenset({"function_definition"}), types=frozenset({"class_definition"})
    ),
    "ruby": _Grammar(
        functions=frozenset({"method", "singleton_method"}),
        types=frozenset({"class", "module", "singleton_class"}),
    ),
    "rust": _Grammar(
        functions=frozenset({"function_item"}),
        types=frozenset(
            {
                "enum_item",
                "foreign_mod_item",
                "impl_item",
                "mod_item",
                "struct_item",
                "trait_item",
                "union_item",
            }
        ),
    ),
    "scala": _Grammar(
        functions=frozenset({"function_definition"}),
        types=frozenset(
            {
                "class_definition",
                "enum_definition",
                "object_definition",
                "package_object",
                "trait_definition",
            }
        ),
    ),
    "swift": _Grammar(
        functions=frozenset({"deinit_declaration", "function_declaration", "init_declaration"}),
        types=frozenset({"class_declaration", "protocol_declaration"}),
    ),
    "tsx": _SCRIPT,
    "typescript": _SCRIPT,
}
"""The languages of the measurement."""
