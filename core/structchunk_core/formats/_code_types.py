"""What a profile says about each type of node, looked up once for each number of a grammar."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from structchunk_core.profiles import Profile, profile

if TYPE_CHECKING:
    from tree_sitter import Language

MODIFIERS = "modifiers"
"""The type of nodes that hold keywords and annotations of a definition."""
_TEXT_TYPES = re.compile(r"(?:string|string_literal|string_content|heredoc_body|comment)$")
_STRINGS = frozenset({"string", "concatenated_string", "string_literal"})
_BODY_TYPES = re.compile(
    r"^(?:block|body|compound_statement|declaration_list|field_declaration_list|members)$"
    r"|_(?:body|block|declarations|declaration_list)$"
)


@dataclass(slots=True)
class NodeType:
    """What a profile says about the nodes of one type.

    Attributes:
        name: the grammar's name for it.
        named: whether it is more than a bracket, a mark or a word of the language.
        comment: whether it is a comment.
        decorator: whether it stands in front of a definition and belongs to it.
        waits: whether it belongs to what follows it: comments, decorators, labels.
        body: whether its children are the members or statements of its parent.
        imports: whether it is an import statement.
        wrapper: whether it stands around a definition.
        transparent: whether it is a container without a name.
        holder: whether it is a container when functions stand in it: ``if``, ``try``.
        kind: the kind of what it defines, or ``""``.
        assigned: the fields of name and value when a value can be a definition, or None.
        name_field: the field that holds the name of what it defines.
        string: whether it is a string.
        text: whether it is a comment or a kind of string, which is cut as text.
        decorates: whether a decorator or comment is, or may be, in it.
        plain: whether it can neither define nor hold anything: an ordinary statement or part.
    """

    name: str
    named: bool
    comment: bool
    decorator: bool
    waits: bool
    body: bool
    imports: bool
    wrapper: bool
    transparent: bool
    holder: bool
    kind: str
    assigned: tuple[str, str] | None
    name_field: str
    string: bool
    text: bool
    decorates: bool
    plain: bool


class NodeTypes(dict[int, NodeType]):
    """The types of a grammar by their number (``Node.kind_id``), filled when first asked for.

    A number is quicker to read from a node and to look up than the name that it stands for.
    """

    def __init__(self, data: Profile, language: Language) -> None:
        super().__init__()
        self._data = data
        self._language = language

    def __missing__(self, number: int) -> NodeType:
        data = self._data
        name = self._language.node_kind_for_id(number) or ""
        comment = name in data.comments or (data.generic and name.endswith("comment"))
        decorator = name in data.decorators
        imports = name in data.imports
        wrapper = name in data.wrappers
        transparent = name in data.transparent
        holder = name in data.holders
        kind = data.kind_of(name)
        assigned = data.assigned.get(name)
        found = self[number] = NodeType(
            name,
            self._language.node_kind_is_named(number),
            comment,
            decorator,
            comment or decorator or name in data.labels,
            name in data.bodies or (data.generic and _BODY_TYPES.search(name) is not None),
            imports,
            wrapper,
            transparent,
            holder,
            kind,
            assigned,
            assigned[0] if assigned else data.names.get(name, "name"),
            name in _STRINGS,
            name in _STRINGS or _TEXT_TYPES.search(name) is not None,
            decorator or comment or name == MODIFIERS,
            not (kind or assigned or imports or wrapper or transparent or holder)
            and name != "ERROR",
        )
        return found


@cache
def node_types(name: str, language: Language) -> NodeTypes:
    """The types of a grammar, read by the profile of that name."""
    return NodeTypes(profile(name), language)
