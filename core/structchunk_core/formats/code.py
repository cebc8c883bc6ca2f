"""Source code: a tree-sitter tree, grouped into units that belong together.

A profile (``languages/*.toml``) says which nodes define something, which are comments, which
hold the members of what. The grouping is the same for every language: what stands in front of a
definition and belongs to it (comments, decorators) joins it, what trails on the same line stays
on it, punctuation stays with what it closes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from structchunk_core.errors import MissingDependencyError, Problem
from structchunk_core.formats import ParseOptions
from structchunk_core.formats._code_facts import (
    Lookup,
    Reading,
    definition_of,
    is_string,
    problems_of,
)
from structchunk_core.grammars import ParseTimeoutError, find_grammar, parse_bytes
from structchunk_core.profiles import Profile, profile
from structchunk_core.source import Source, parsable
from structchunk_core.unit import DEFINITION_KINDS, Facts, Parsed, Tie, Unit

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

_CONTAINERS = frozenset({"class", "impl", "module", "namespace", "object", "trait"})
_TYPE_SCOPES = frozenset({"class", "impl", "trait", "object", "struct", "interface", "enum"})


def parse(source: Source, options: ParseOptions) -> Parsed:
    """The unit tree of a source file; text with a problem when it cannot be parsed.

    Raises:
        MissingDependencyError: the grammar is missing and ``on_missing_grammar`` is ``"error"``.
    """
    data = profile(source.language)
    try:
        grammar = find_grammar(data.grammar or data.name, options.grammars)
    except MissingDependencyError as error:
        if options.on_missing_grammar == "error":
            raise
        _warn_once(source.language, str(error))
        problem = Problem(
            "missing-grammar", f"no grammar for {source.language!r} is installed: cut as text"
        )
        return _as_text(source, options, problem)
    try:
        tree = _guarded_parse(source.text, grammar, data, options)
    except ParseTimeoutError:
        problem = Problem(
            "parse-timeout",
            f"the {source.language} grammar gave up or was stopped: cut as text",
        )
        return _as_text(source, options, problem)
    if not source.text:
        return Parsed(Unit("file", 0, 0, atomic=False))
    reading = Reading(source.text, data, tree)
    reader = _Reader(reading)
    root = Unit(
        "file",
        0,
        len(source.text),
        atomic=False,
        tie=Tie.FREE,
        opener=lambda: reader.members(tree.root_node, 0, len(source.text), "file"),
        node_type=tree.root_node.type,
    )
    lookup = Lookup(reading)
    return Parsed(root, problems_of(reading), facts=Facts(lookup.imports, lookup.calls))


def parse_inside(
    text: str, start: int, end: int, inner: str, language: str, options: ParseOptions
) -> tuple[Unit, ...]:
    """The units of code that stands inside another document.

    Args:
        text: the whole document.
        start: where the code begins in it, in characters.
        end: where it ends (half-open).
        inner: what the grammar shall read: ``text[start:end]``, with marks of the outer format
            (``> ``) blanked out, so of the same length.
        language: the language of the code.
        options: as for :func:`parse`.

    Returns:
        Units that tile the span; empty when the language is unknown or cannot be parsed.
    """
    data = profile(language)
    try:
        grammar = find_grammar(data.grammar or data.name, options.grammars)
        tree = _guarded_parse(inner, grammar, data, options)
    except (MissingDependencyError, ParseTimeoutError):
        return ()
    reader = _Reader(Reading(text, data, tree, grammar_text(inner), start))
    return tuple(reader.members(tree.root_node, start, end, "file"))


def _as_text(source: Source, options: ParseOptions, problem: Problem) -> Parsed:
    from structchunk_core.formats.text import parse as parse_text

    parsed = parse_text(source, options)
    return Parsed(parsed.root, (*parsed.problems, problem), parsed.title)


@cache
def _warn_once(language: str, message: str) -> None:
    import warnings

    warnings.warn(f"{language}: {message}", stacklevel=2)


def _guarded_parse(text: str, grammar: Any, data: Profile, options: ParseOptions) -> Tree:
    encoded = grammar_text(text).encode()
    if data.fragile and data.name not in options.grammars:
        from structchunk_core.guard import survives

        if not survives(data.grammar or data.name, encoded, options.parse_seconds):
            raise ParseTimeoutError
    return parse_bytes(encoded, grammar, options.parse_seconds)


def grammar_text(text: str) -> str:
    """The text as a grammar can read it, with every character at its place and of its width.

    NUL, which scanners take for the end of the file, becomes a blank; a lone surrogate becomes
    U+FFFD; a carriage return becomes a line feed where no line feed ends the lines.
    """
    clean = parsable(text)
    if "\0" in clean:
        clean = clean.replace("\0", " ")
    if "\r" in clean and "\n" not in clean:
        clean = clean.replace("\r", "\n")
    return clean


@dataclass(slots=True)
class _Member:
    """A unit in the making: nodes that belong together."""

    start: int  # in characters
    tie: Tie
    kind: str = "statement"
    node: Node | None = None  # the node to open
    definition: Node | None = None  # the node inside it that defines something
    docstring: bool = False


class _Reader:
    """One parsed file: turns nodes into units on demand."""

    def __init__(self, reading: Reading) -> None:
        data = reading.data
        self._text = reading.text
        self._data = data
        self._reading = reading
        self._to_character = reading.to_character
        self._comments = frozenset(data.comments)
        self._decorators = frozenset(data.decorators)
        self._wrappers = frozenset(data.wrappers)
        self._imports = frozenset(data.imports)
        self._transparent = frozenset(data.transparent)

    # Units

    def members(self, node: Node, start: int, end: int, inside: str) -> Iterator[Unit]:
        """The units that tile the half-open span, which the node fills.

        Args:
            node: the node to open.
            start: where the span begins; comments attached to the node may stand before it.
            end: where the span ends.
            inside: the kind of the unit that is opened.
        """
        children, head = self._flat_children(node)
        is_body = (
            head > 0
            or inside in {"file", "error", "block"}
            or node.type in self._transparent
            or self._reading.is_body(node)
        )
        groups: list[_Member] = []
        lead = self._line_begin(self._to_character(node.start_byte), start)
        if self._text[start:lead].strip():
            groups.append(_Member(start, Tie.FREE, "comment"))
        if head:
            groups.append(_Member(max(lead, start), Tie.HEAD, "head"))
        self._group(groups, children, head, start, is_body, inside)
        groups[0].start = start
        groups[0].tie = Tie.FREE
        for number, group in enumerate(groups):
            group_end = groups[number + 1].start if number + 1 < len(groups) else end
            if group_end > group.start:
                yield self._unit(group, group_end)

    def _flat_children(self, node: Node) -> tuple[list[Node], int]:
        """The children with bodies and wrapped definitions put in their place.

        The second value is how many of them form the head: 0 when there is no body.
        """
        while node.child_count == 1:
            only = node.children[0]
            if not only.child_count or self._defined(only)[0] is not None:
                break
            node = only
        children = node.children
        if node.type in self._wrappers:
            inner, _ = self._defined(node)
            if inner is not None and inner != node:
                children = self._inline(children, inner)
                node = inner
        first = children[0] if children else None
        if first is not None and first.type == node.type and first.start_byte == node.start_byte:
            return self._unchained(node, children), 0
        body = node.child_by_field_name("body")
        if body is not None and body.child_count and body in children:
            position = children.index(body)
        else:
            position = next(
                (
                    number
                    for number, child in enumerate(children)
                    if child.child_count and self._reading.is_body(child)
                ),
                -1,
            )
        if position < 0:
            return children, self._first_line(node, children)
        body = children[position]
        inner_children = body.children
        for _ in range(8):
            nested = next(
                (c for c in inner_children if c.child_count and self._reading.is_body(c)), None
            )
            if nested is None or sum(child.is_named for child in inner_children) != 1:
                break
            inner_children = self._inline(inner_children, nested)
        head = position
        for child in inner_children:
            if child.is_named or head - position >= 1:
                break
            head += 1
        return [*children[:position], *inner_children, *children[position + 1 :]], head

    def _first_line(self, node: Node, children: Sequence[Node]) -> int:
        """How many children of a nameless container (``#ifdef X``) stand on its first line."""
        if node.type not in self._transparent:
            return 0
        row = node.start_point.row
        return next(
            (number for number, child in enumerate(children) if child.start_point.row > row), 0
        )

    @staticmethod
    def _inline(children: Sequence[Node], inner: Node) -> list[Node]:
        flat: list[Node] = []
        for child in children:
            flat.extend(inner.children if child == inner else (child,))
        return flat

    @staticmethod
    def _unchained(node: Node, children: list[Node]) -> list[Node]:
        """The operands of a chain that leans left (``a + b + c``), all on one level."""
        tails: list[list[Node]] = []
        while children and children[0].type == node.type and children[0].child_count:
            tails.append(children[1:])
            children = children[0].children
        flat = list(children)
        for tail in reversed(tails):
            flat.extend(tail)
        return flat

    def _group(
        self,
        groups: list[_Member],
        children: Sequence[Node],
        head: int,
        start: int,
        is_body: bool,
        inside: str,
    ) -> None:
        """Put children together that belong together, behind the groups there are."""
        text = self._text
        to_character = self._to_character
        pending: _Member | None = None  # comments, decorators, openers: wait for what follows
        only_comments = False
        previous_end = to_character(children[head - 1].end_byte) if head else start
        for child in children[head:]:
            begin = max(to_character(child.start_byte), previous_end)
            finish = max(to_character(child.end_byte), begin)
            gap = previous_end
            if gap > start and text[gap - 1] == "\n":
                gap -= 1
            newlines = text.count("\n", gap, begin)
            kind = child.type
            if finish == begin and not child.is_named:
                continue  # an empty token: a dedent, a semicolon that was left out
            previous_end = finish
            cut = max(start, self._line_begin(begin, gap) if newlines else begin)
            tie = self._tie(newlines, is_body, groups)
            is_comment = kind in self._comments
            if is_comment or kind in self._decorators:
                if is_comment and not newlines and groups and pending is None:
                    continue  # trails on the line of what it is about
                if pending is not None and only_comments and is_comment and newlines > 1:
                    groups.append(pending)
                    pending = None
                if pending is None:
                    pending = _Member(cut, self._tie(newlines, is_body, groups), "comment")
                    only_comments = True
                only_comments = only_comments and is_comment
                continue
            if not child.is_named:
                if not newlines and pending is None and groups:
                    continue  # stays with what it closes or separates
                if pending is None:
                    pending = _Member(cut, tie, "close")
                only_comments = False
                continue
            member = self._member(child, begin, is_body, inside)
            if pending is not None and only_comments and newlines > 1:
                groups.append(pending)
                pending = None
            if pending is not None:
                member.start, member.tie = pending.start, pending.tie
                pending = None
            else:
                member.start, member.tie = cut, self._tie(newlines, is_body, groups)
            self._tie_to_head(member, groups, inside)
            groups.append(member)
        if pending is not None:
            if pending.kind == "close" and groups:
                pending.tie = Tie.HEAD
            groups.append(pending)
        if not groups:
            groups.append(_Member(start, Tie.FREE))

    def _tie_to_head(self, member: _Member, groups: Sequence[_Member], inside: str) -> None:
        """Tie the first member of a body to its head, and a docstring with it."""
        above = groups[-1] if groups else None
        behind_head = above is None or above.kind == "head"
        member.docstring = (
            self._data.docstrings
            and behind_head
            and member.node is not None
            and is_string(member.node)
        )
        if above is None:
            return
        if above.kind == "head" or (above.docstring and inside in _TYPE_SCOPES):
            member.tie = Tie.HEAD
        elif member.tie <= Tie.NEXT and (
            member.kind in DEFINITION_KINDS or above.kind in DEFINITION_KINDS
        ):
            member.tie = Tie.FREE

    def _line_begin(self, position: int, after: int) -> int:
        """The start of the position's line if only blanks stand between, else the position."""
        begin = self._text.rfind("\n", after, position) + 1
        if begin == 0:
            begin = after
        return begin if not self._text[begin:position].strip(" \t\f\ufeff") else position

    @staticmethod
    def _tie(newlines: int, is_body: bool, groups: Sequence[_Member]) -> Tie:
        if not groups:
            return Tie.FREE
        if groups[-1].kind == "comment" and newlines == 1:
            return Tie.CLOSE
        if is_body:
            return Tie.INSIDE if newlines == 0 else Tie.NEXT if newlines == 1 else Tie.LOOSE
        return Tie.INLINE if newlines == 0 else Tie.INSIDE

    def _member(self, node: Node, begin: int, is_body: bool, inside: str) -> _Member:
        member = _Member(begin, Tie.LOOSE, "statement", node)
        if node.type in self._imports:
            member.kind = "import"
            return member
        defined, kind = self._defined(node)
        if defined is not None:
            member.definition = defined
            member.kind = kind
            if kind == "function" and inside in _TYPE_SCOPES:
                member.kind = "method"
        elif node.type == "ERROR":
            member.kind = "error"
        elif node.type in self._transparent:
            member.kind = "block"
        elif not is_body:
            member.kind = "expression"
        return member

    def _defined(self, node: Node) -> tuple[Node | None, str]:
        """The node that defines something in or under a wrapper, and the kind of it."""
        data = self._data
        for _ in range(8):
            kind = data.kind_of(node.type)
            if kind:
                return (node, kind) if self._is_defining(node, kind) else (None, "")
            fields = data.assigned.get(node.type)
            if fields is not None:
                value = node.child_by_field_name(fields[1])
                kind = data.values.get(value.type, "") if value is not None else ""
                return (node, kind) if kind else (None, "")
            if node.type not in self._wrappers:
                return None, ""
            inner = self._wrapped(node)
            if inner is None:
                return None, ""
            node = inner
        return None, ""

    def _wrapped(self, node: Node) -> Node | None:
        """The child of a wrapper that may define something."""
        data = self._data
        return next(
            (
                child
                for child in reversed(node.children)
                if child.is_named
                and (
                    child.type in self._wrappers
                    or child.type in data.assigned
                    or data.kind_of(child.type)
                )
            ),
            None,
        )

    def _is_defining(self, node: Node, kind: str) -> bool:
        """Whether the node defines what its type speaks of, rather than only naming it."""
        if kind in {"struct", "union", "enum", "class"} and not self._data.generic:
            return (
                node.child_by_field_name("body") is not None
                or any(self._reading.is_body(child) for child in node.children)
                or node.child_count > 2
            )
        return True

    def _unit(self, group: _Member, end: int) -> Unit:
        node = group.node
        kind = group.kind
        if node is None:
            return Unit(kind, group.start, end, tie=group.tie)
        definition = None
        label = ""
        if group.definition is not None:
            definition = definition_of(self._reading, group.definition, node)
            label = self._data.scope_separator.join((*definition.scope, definition.name))
            if not definition.name:
                definition = None
            if definition is None and kind in DEFINITION_KINDS and kind not in _CONTAINERS:
                kind = "statement"
        atomic = kind not in _CONTAINERS and kind not in {"error", "block"}
        opener = None
        if node.child_count:
            opener = lambda: self._open(group, end, kind)  # noqa: E731  # bound to this unit
        return Unit(
            kind,
            group.start,
            end,
            label=label,
            atomic=atomic,
            tie=group.tie,
            definition=definition,
            opener=opener,
            node_type=(group.definition or node).type,
        )

    def _open(self, group: _Member, end: int, kind: str) -> Iterator[Unit]:
        assert group.node is not None
        return self.members(group.node, group.start, end, kind)
