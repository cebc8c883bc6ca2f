"""What a profile says about each type of node, looked up once for each number of a grammar."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Final, TypeVar

from structchunk_core.formats._code_paths import Path, names_in, path_of
from structchunk_core.profiles import Paths, Profile, profile

if TYPE_CHECKING:
    from tree_sitter import Language

MODIFIERS: Final = "modifiers"
"""The type of nodes that hold keywords and annotations of a definition."""
_TEXT_TYPES: Final = re.compile(r"(?:string|string_literal|string_content|heredoc_body|comment)$")
_STRINGS: Final = frozenset({"string", "concatenated_string", "string_literal"})
_CARRIES: Final = re.compile(r"^parenthesized_|_list$")
_BODY_TYPES: Final = re.compile(
    r"^(?:block|body|compound_statement|declaration_list|field_declaration_list|members)$"
    r"|_(?:body|block|declarations|declaration_list)$"
)


_T = TypeVar("_T")
LONGEST_WORD: Final = 80
"""How many characters a word has at most that a profile may know."""


@dataclass(slots=True)
class NodeType:
    """What a profile says about the nodes of one type, or of one type and word.

    Attributes:
        name: the grammar's name for it.
        names: the names that stand for it in a profile, the most telling first.
        word: where the word stands that tells what such a node is, or ().
        word_field: the field that holds it, where no more than that is to be known, or ``""``.
        named: whether it is more than a bracket, a mark or a word of the language.
        comment: whether it is a comment.
        decorator: whether it stands in front of a definition and belongs to it.
        label: whether it opens a group of members: ``public:``.
        waits: whether it belongs to what follows it: comments, decorators, labels.
        body: whether its children are the members or statements of its parent.
        imports: whether it is an import statement.
        wrapper: whether it stands around a definition.
        transparent: whether it is a container without a name.
        holder: whether it is a container when functions stand in it: ``if``, ``try``.
        kind: the kind of what it defines, or ``""``.
        patterns: kinds, and patterns of the text of what is of that kind.
        value: the kind of what such a value defines when it is assigned, or ``""``.
        carries: whether it may only carry another node: a value, a decorator.
        assigned: path to the name and field of the value when a value can be a definition, or
            None.
        name_field: the field that holds the name of what it defines, or ``""`` when it is to be
            found by other ways.
        name_paths: those ways.
        receivers: the ways to the type that the definition belongs to.
        functions: the ways to what makes a definition of it a function.
        arity: the way to the parameters when their number tells definitions apart, or ().
        members: the type of those children that define methods of it, or ``""``.
        member: whether such children may be of this type.
        joined: whether it is one unit with its neighbours of the same name.
        continued: whether it goes on with the definition right above.
        trails: whether it belongs to the definition right above it.
        row: whether its last child goes on with it.
        section: whether it reaches to the next one of this kind.
        section_end: whether it ends what does.
        heads: the ways to the last child of its head, when it has no node for the body.
        inside: the type of the child that holds its members although its type does not say so;
            ``""`` when none does, None when nothing is known.
        docs: the ways to the text inside that documents it.
        prose: whether it is a part of running text.
        blank: whether it is only white space.
        alone: what it is when it stands as a statement, if that is something else, or None.
        special: whether it has a word, is something else alone, or is blank.
        string: whether it is a string.
        text: whether it is a comment or a kind of string, which is cut as text.
        decorates: whether a decorator or comment is, or may be, in it.
        may_define: whether it may define something, for all that its type tells.
        plain: whether it can neither define nor hold anything: an ordinary statement or part.
    """

    name: str
    names: tuple[str, ...]
    word: Path
    word_field: str
    named: bool
    comment: bool
    decorator: bool
    label: bool
    waits: bool
    body: bool
    imports: bool
    wrapper: bool
    transparent: bool
    holder: bool
    kind: str
    patterns: tuple[tuple[str, re.Pattern[str]], ...]
    value: str
    carries: bool
    assigned: Sequence[str] | None
    name_field: str
    name_paths: tuple[Path, ...]
    receivers: tuple[Path, ...]
    functions: tuple[Path, ...]
    arity: Path
    members: str
    member: bool
    joined: bool
    continued: bool
    trails: bool
    row: bool
    section: bool
    section_end: bool
    heads: tuple[Path, ...]
    inside: str | None
    docs: tuple[Path, ...]
    prose: bool
    blank: bool
    alone: NodeType | None
    special: bool
    string: bool
    text: bool
    decorates: bool
    may_define: bool
    plain: bool


class NodeTypes(dict[int, NodeType]):
    """The types of a grammar by their number (``Node.kind_id``), filled when first asked for.

    A number is quicker to read from a node and to look up than the name that it stands for.
    """

    def __init__(self, data: Profile, language: Language) -> None:
        super().__init__()
        self._data = data
        self._language = language
        self._by_word: dict[tuple[int, str], NodeType] = {}
        self._words = _words_in(data)

    def __missing__(self, number: int) -> NodeType:
        name = self._language.node_kind_for_id(number) or ""
        found = self[number] = self._made(number, name, (name,))
        return found

    def with_word(self, number: int, word: str) -> NodeType:
        """The type of a node with this word; that of the node alone when no more is known."""
        of = self[number]
        if len(word) > LONGEST_WORD:
            return of
        if self._data.ignore_case:
            word = word.lower()
        known = self._words.get(of.name)
        if known is None:
            return of
        exact, begun = known
        names: tuple[str, ...] = ()
        if begun:
            names = tuple(f"{of.name} {begin}*" for begin in begun if word.startswith(begin))
        if word in exact:
            names = (f"{of.name} {word}", *names)
        if not names:
            return of
        key = (number, names[0])
        found = self._by_word.get(key)
        if found is None:
            found = self._by_word[key] = self._made(number, of.name, (*names, of.name))
        return found

    def _made(self, number: int, name: str, names: tuple[str, ...]) -> NodeType:
        data = self._data
        known = frozenset(names)

        def told(values: tuple[str, ...]) -> bool:
            return not known.isdisjoint(values)

        comment = told(data.comments) or (data.generic and name.endswith("comment"))
        decorator = told(data.decorators)
        imports = told(data.imports)
        wrapper = told(data.wrappers)
        transparent = told(data.transparent)
        holder = told(data.holders)
        kind = data.kind_of(name) if data.generic else _known(data.definitions, names, "")
        patterns = tuple((k, re.compile(p)) for k, p in data.patterns.get(name, ()))
        assigned = _known(data.assigned, names, None)
        member = name in data.members.values()
        written = _known(data.names, names, "name") if assigned is None else assigned[0]
        field = written if isinstance(written, str) and written.isidentifier() else ""
        word = path_of(data.words[name]) if name in data.words else ()
        blank = name in data.blanks or (name != "" and not name.strip())
        arity = _known(data.arities, names, "")
        named = self._language.node_kind_is_named(number) and not _is_mark(name, data.marks)
        found = NodeType(
            name=name,
            names=names,
            word=word,
            word_field=_only_field(word),
            named=named,
            comment=comment,
            decorator=decorator,
            label=told(data.labels),
            waits=comment or decorator or told(data.labels),
            body=told(data.bodies) or (data.generic and _BODY_TYPES.search(name) is not None),
            imports=imports,
            wrapper=wrapper,
            transparent=transparent,
            holder=holder,
            kind=kind,
            patterns=patterns,
            value=_known(data.values, names, ""),
            carries=told(data.carriers) or _CARRIES.search(name) is not None,
            assigned=assigned,
            name_field=field,
            name_paths=_paths(written),
            receivers=_paths(_known(data.receivers, names, ())),
            functions=_paths(_known(data.functions, names, ())),
            arity=path_of(arity) if arity else (),
            members=_known(data.members, names, ""),
            member=member,
            joined=told(data.joined),
            continued=told(data.continued),
            trails=told(data.trailers),
            row=told(data.rows),
            section=told(data.sections) and not told(data.section_ends),
            section_end=told(data.section_ends),
            heads=_paths(_known(data.heads, names, ())),
            inside=_known(data.inside, names, None),
            docs=_paths(_known(data.docs, names, ())),
            prose=told(data.prose),
            blank=blank,
            alone=None,
            special=blank or bool(word),
            string=name in _STRINGS,
            text=name in _STRINGS or _TEXT_TYPES.search(name) is not None,
            decorates=decorator or comment or name == MODIFIERS,
            may_define=named and bool(wrapper or assigned or kind or patterns),
            plain=not (
                kind
                or patterns
                or assigned
                or imports
                or wrapper
                or transparent
                or holder
                or member
                or word
                or told(data.continued)
                or _known(data.functions, names, ())
            )
            and name != "ERROR",
        )
        if told(data.doc_statements):
            found.alone = replace(found, comment=True, waits=True)
            found.special = True
        return found


def _only_field(path: Path) -> str:
    """The field, or the type of a child, that a path leads to in one step, or ``""``."""
    if len(path) != 1:
        return ""
    names, place, *more = path[0]
    return names[0] if place < 0 and not any(more) else ""


def _known(table: Mapping[str, _T], names: tuple[str, ...], default: _T) -> _T:
    """What a table of a profile says about the first of the names that it has."""
    for name in names:
        if name in table:
            return table[name]
    return default


def _is_mark(name: str, marks: tuple[str, ...]) -> bool:
    return any(name.startswith(mark[:-1]) if mark.endswith("*") else name == mark for mark in marks)


def _paths(written: Paths) -> tuple[Path, ...]:
    return tuple(map(path_of, (written,) if isinstance(written, str) else written))


def _words_in(data: Profile) -> dict[str, tuple[frozenset[str], tuple[str, ...]]]:
    """Node type -> the words that the profile knows of such nodes, and beginnings of words."""
    exact: dict[str, set[str]] = {name: set() for name in data.words}
    steps = (name for path in data.paths() for name in names_in(path_of(path)))
    for name in (*data.types(), *steps):
        of, _, word = name.partition(" ")
        if word:
            exact[of].add(word)
    return {
        of: (
            frozenset(word for word in words if not word.endswith("*")),
            tuple(sorted((word[:-1] for word in words if word.endswith("*")), key=_longest)),
        )
        for of, words in exact.items()
    }


def _longest(word: str) -> tuple[int, str]:
    return -len(word), word


@cache
def node_types(name: str, language: Language) -> NodeTypes:
    """The types of a grammar, read by the profile of that name."""
    return NodeTypes(profile(name), language)
