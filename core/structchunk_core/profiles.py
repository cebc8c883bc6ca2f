"""What we know about a grammar: one data file for each language, read on demand.

A language without a file still works: :func:`profile` then answers with generic rules that go by
the names grammars give their nodes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any

_FOLDER = "languages"
_OTHERS = "_others.toml"
_CONTESTED = "_contested.toml"

Paths = str | Sequence[str]
"""One path, or several of which the first counts that leads somewhere."""


@dataclass(frozen=True, slots=True)
class Profile:
    r"""Data about one grammar. Node types are the grammar's own.

    In languages that write ``(defn f ...)`` or ``def f(...)`` as any other form or call, the type
    of a node says little. There ``words`` names the word that says it, and from then on a node
    counts as ``type word`` (``call def``) wherever a node type may stand; ``type def*`` stands
    for all words that begin so. What is said about ``type word`` goes before what is said about
    ``type``. Paths lead from a node to one inside it, see ``formats/_code_paths.py``; where
    several may be given, the first counts that leads somewhere.

    Attributes:
        name: the language, as tree-sitter-language-pack calls it.
        extensions: file name endings, with the dot, lower case.
        filenames: whole file names.
        interpreters: programs named in a shebang line.
        line_comment: what begins a comment line; with ``line_comment_end`` closed by it.
        line_comment_end: what ends a comment line, where the language needs it (CSS, OCaml).
        scope_separator: what stands between a scope and a name.
        fragile: whether its grammar is known to hang or crash and needs a guarded process.
        docstrings: whether a string that opens a body documents it.
        words: node type -> path to the word that tells what such a node is.
        ignore_case: whether words are compared in lower case.
        definitions: node type -> kind, of nodes that define something.
        patterns: node type -> pairs of a kind and a pattern, where the grammar has no node for a
            definition: the first pattern that the beginning of a node's text matches tells its
            kind, and the name in its first group.
        functions: node type -> paths: a definition with what one of them leads to is a function,
            whatever ``definitions`` says.
        members: node type -> node type: children of the second type define methods of the first.
        names: node type -> paths to the name, where it is not the field ``name``.
        selectors: node type -> type of the children that stand for a ``:`` in a name which is
            made of several identifiers (``insert:at:``).
        nameless: what can be assigned to and is no name, if the value has one of its own.
        receivers: node type -> paths to the type which the definition belongs to.
        arities: node type -> path to the parameters, whose number tells definitions of one name
            apart when they are ``joined``.
        joined: definitions of these types are one unit with their neighbours of the same name:
            clauses, equations, and the type signature above them.
        trailers: what belongs to the definition above when it stands right below it.
        sections: definitions that reach to the next one of them: ``package X;``, ``FROM``.
        section_ends: what ends such a section.
        wrappers: nodes around a definition that belong to it (decorated, export, template).
        assigned: node type -> path to the name and field or type of the value, where a value can
            be a definition.
        values: node type -> kind, of values that define what they are assigned to.
        carriers: nodes around a single value or decorator that only carry it.
        hidden: patterns of what the grammar cannot read and is therefore not shown, such as
            macros in front of a definition: the groups that took part in a match, or all of it
            when none did. It belongs to what is below it; where the group ``statement`` took
            part, it is shown as ``;`` and stands for itself.
        macros: a pattern (verbose) of the same for words in capitals outside of preprocessor
            lines: it is tried where such a word begins.
        branches: whether ``#if`` has branches of which the grammar can read only the first where
            their brackets do not balance.
        comments: comments and doc comments.
        docs: node type -> paths to a text inside that documents it, or what it decorates.
        doc_statements: what documents what follows when it stands alone: a string in Julia.
        late_comments: whether the grammar takes comments in front of a statement for the end of
            the one above, as some do where indentation ends blocks.
        prose: parts of running text; it is cut as prose, in paragraphs.
        blanks: nodes that are only white space.
        marks: nodes that mean no more than a bracket or comma although they have a name;
            ``keyword_*`` stands for all that begin so.
        decorators: what stands in front of a definition and belongs to it: attributes too.
        labels: what opens a group of members and stays with the first (``public:``, ``<?php``).
        imports: import statements.
        import_names: a tree-sitter query whose captures are the names that imports bind.
        import_ignored: words in import statements that bind nothing; without ``import_names``.
        calls: a tree-sitter query whose captures are the names that are called.
        packages: declarations of what the whole file belongs to (``package com.example``).
        modules_are_files: whether a file is a module that its path names.
        bodies: nodes whose children are the members or statements of what they stand in.
        continued: nodes that go on with the definition right above: its body.
        inside: node type -> type of the child that is its body although others of that type are
            none: the arguments of ``list(...)`` in R; ``""`` when no child is.
        heads: node type -> paths to the last child of its head, where there is no node for the
            body: what follows are the members or statements. ``line``: all on its first line.
        leading: statement -> type of the child up to which its parts carry it: the names of the
            columns in front of the rows of an ``INSERT``.
        rows: nodes whose last child goes on with them, to be read as statements in a row:
            ``let ... in`` before ``let ... in``.
        holders: statements that are containers when functions stand in them: ``if``, ``try``.
        transparent: containers without a name: ``#ifdef``, ``extern "C"``.
        generic: whether these are the rules for any language rather than data about this one.
    """

    name: str
    extensions: tuple[str, ...] = ()
    filenames: tuple[str, ...] = ()
    interpreters: tuple[str, ...] = ()
    line_comment: str = "#"
    line_comment_end: str = ""
    scope_separator: str = "."
    fragile: bool = False
    docstrings: bool = False
    words: Mapping[str, str] = field(default_factory=dict)
    ignore_case: bool = False
    definitions: Mapping[str, str] = field(default_factory=dict)
    patterns: Mapping[str, Sequence[Sequence[str]]] = field(default_factory=dict)
    functions: Mapping[str, Paths] = field(default_factory=dict)
    members: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, Paths] = field(default_factory=dict)
    selectors: Mapping[str, str] = field(default_factory=dict)
    nameless: tuple[str, ...] = ()
    receivers: Mapping[str, Paths] = field(default_factory=dict)
    arities: Mapping[str, str] = field(default_factory=dict)
    joined: tuple[str, ...] = ()
    trailers: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    section_ends: tuple[str, ...] = ()
    wrappers: tuple[str, ...] = ()
    assigned: Mapping[str, Sequence[str]] = field(default_factory=dict)
    values: Mapping[str, str] = field(default_factory=dict)
    carriers: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    macros: str = ""
    branches: bool = False
    comments: tuple[str, ...] = ("comment", "line_comment", "block_comment")
    docs: Mapping[str, Paths] = field(default_factory=dict)
    doc_statements: tuple[str, ...] = ()
    late_comments: bool = False
    prose: tuple[str, ...] = ()
    blanks: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    decorators: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    imports: tuple[str, ...] = ()
    import_names: str = ""
    import_ignored: tuple[str, ...] = ()
    calls: str = ""
    packages: tuple[str, ...] = ()
    modules_are_files: bool = False
    bodies: tuple[str, ...] = ()
    continued: tuple[str, ...] = ()
    inside: Mapping[str, str] = field(default_factory=dict)
    heads: Mapping[str, Paths] = field(default_factory=dict)
    leading: Mapping[str, str] = field(default_factory=dict)
    rows: tuple[str, ...] = ()
    holders: tuple[str, ...] = ()
    transparent: tuple[str, ...] = ()
    generic: bool = False

    def comment_line(self, text: str) -> str:
        """The text as one comment line of the language."""
        return f"{self.line_comment} {text}{self.line_comment_end}"

    def types(self) -> Iterator[str]:
        """Every node type that the profile speaks of, some with a word behind them."""
        for table in (
            self.words,
            self.definitions,
            self.patterns,
            self.functions,
            self.members,
            self.names,
            self.selectors,
            self.receivers,
            self.arities,
            self.assigned,
            self.values,
            self.docs,
            self.inside,
            self.heads,
            self.leading,
        ):
            yield from table
        yield from self.leading.values()
        yield from self.members.values()
        yield from self.selectors.values()
        yield from filter(None, self.inside.values())
        for types in (
            self.joined,
            self.trailers,
            self.sections,
            self.section_ends,
            self.wrappers,
            self.carriers,
            self.continued,
            self.comments if not self.generic else (),
            self.doc_statements,
            self.prose,
            self.blanks,
            self.marks,
            self.decorators,
            self.labels,
            self.imports,
            self.packages,
            self.bodies,
            self.rows,
            self.holders,
            self.transparent,
        ):
            yield from types

    def paths(self) -> Iterator[str]:
        """Every path that the profile speaks of."""
        yield from self.words.values()
        yield from self.arities.values()
        for table in (self.functions, self.names, self.receivers, self.docs, self.heads):
            for paths in table.values():
                yield from (paths,) if isinstance(paths, str) else paths
        for name, value in self.assigned.values():
            yield from (name, value)

    def kind_of(self, node_type: str) -> str:
        """The kind of what a node of this type defines, or ``""``."""
        if self.generic:
            return generic_kind(node_type)
        return self.definitions.get(node_type, "")


@cache
def profile(language: str) -> Profile:
    """The profile of a language; the generic one where there is no data file for it."""
    found = _read(f"{language}.toml")
    if found is None:
        basics = others().get(language, {})
        return Profile(language, generic=True, **_typed(basics))
    while (parent := found.pop("extends", None)) is not None:
        found = {**(_read(f"{parent}.toml") or {}), **found}
    return Profile(language, **_typed(found))


@cache
def hidden_patterns(language: str) -> tuple[re.Pattern[str], ...]:
    """What the grammar of a language is not shown: the groups of a match, or all of it."""
    data = profile(language)
    patterns = [re.compile(pattern, re.MULTILINE) for pattern in data.hidden]
    if data.macros:
        ahead = data.macros.replace("(?P<statement>", "(?:")
        macros = _MACROS.format(ahead=ahead, found=data.macros)
        patterns.append(re.compile(macros, re.MULTILINE | re.VERBOSE))
    return tuple(patterns)


# One match reads on to the next such word: to begin anew at each letter takes twice as long. A word
# that is no such one is passed over as a whole, with what is in front of it: each step takes time.
_MACROS = r"""
    (?:
        [^\#A-Z]*+
        (?:
            \#(?:[^\n\\]++|\\[\s\S])*+  # preprocessor lines are shown
            |(?!(?<!\w)(?=[A-Z][A-Z0-9_]{{2}})(?:{ahead}))[A-Z]\w*+
        )
    )*+
    [^\#A-Z]*+
    (?:\Z()|({found}))
"""


@cache
def others() -> Mapping[str, Mapping[str, Any]]:
    """Endings and comment marks of the languages that have no data file of their own."""
    return _read(_OTHERS) or {}


@cache
def contested() -> Mapping[str, Sequence[tuple[str, str]]]:
    """Ending -> patterns that tell what a text with it is, each with a language or format.

    The first decides that is found in the text, in front of which a line end is put; else the
    language that has the ending, or the content where none has.
    """
    endings = _read(_CONTESTED) or {}
    return {ending: [(hint, meant) for hint, meant in pairs] for ending, pairs in endings.items()}


@cache
def profiled_languages() -> tuple[str, ...]:
    """The languages that have a data file, sorted."""
    from importlib.resources import files

    folder = files("structchunk_core") / _FOLDER
    names = (entry.name for entry in folder.iterdir() if entry.name.endswith(".toml"))
    return tuple(sorted(name.removesuffix(".toml") for name in names if name[0] != "_"))


def _read(name: str) -> dict[str, Any] | None:
    import tomllib
    from importlib.resources import files

    try:
        text = (files("structchunk_core") / _FOLDER / name).read_text("utf-8")
    except FileNotFoundError:
        return None
    return tomllib.loads(text)


def _typed(data: Mapping[str, Any]) -> dict[str, Any]:
    known = {item.name for item in fields(Profile)}
    unknown = set(data) - known
    if unknown:
        raise AssertionError(f"unknown keys in a language file: {sorted(unknown)}")
    return {key: tuple(value) if isinstance(value, list) else value for key, value in data.items()}


_KIND_WORDS = {
    "class": "class",
    "enum": "enum",
    "fn": "function",
    "func": "function",
    "function": "function",
    "impl": "impl",
    "interface": "interface",
    "macro": "function",
    "method": "method",
    "constructor": "constructor",
    "module": "module",
    "namespace": "namespace",
    "object": "object",
    "procedure": "function",
    "protocol": "interface",
    "record": "struct",
    "struct": "struct",
    "structure": "struct",
    "subroutine": "function",
    "trait": "trait",
    "type": "type",
    "union": "union",
    "contract": "class",
    "entity": "class",
    "architecture": "class",
    "package": "namespace",
    "service": "class",
    "message": "struct",
    "rule": "rule",
    "block": "block",
}
_DEFINES = re.compile(r"(?:_|^)(?:definition|declaration|def|decl|item|impl|implementation)$")


@cache
def generic_kind(node_type: str) -> str:
    """The kind that a node type's name speaks of, or ``""``, for grammars without a profile."""
    if not _DEFINES.search(node_type):
        return ""
    words = node_type.split("_")
    return next((_KIND_WORDS[word] for word in words if word in _KIND_WORDS), "")
