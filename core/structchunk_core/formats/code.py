"""Source code: a tree-sitter tree, grouped into units that belong together.

A profile (``languages/*.toml``) says which nodes define something, which are comments, which
hold the members of what.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING, cast

from structchunk_core.errors import MissingDependencyError, Problem
from structchunk_core.formats import ParseOptions
from structchunk_core.formats._code_branches import hidden_branches
from structchunk_core.formats._code_facts import problems_of
from structchunk_core.formats._code_lookup import Lookup
from structchunk_core.formats._code_reading import Reading
from structchunk_core.formats._code_recovery import Blanked, recovered
from structchunk_core.formats._code_units import UnitReader
from structchunk_core.formats._html_component import COMPONENTS, parse_component
from structchunk_core.grammars import Clock, ParseTimeoutError, find_grammar, parse_bytes
from structchunk_core.profiles import Profile, hidden_patterns, profile
from structchunk_core.source import Source, parsable
from structchunk_core.unit import Facts, Parsed, Tie, Unit

if TYPE_CHECKING:
    from tree_sitter import Tree

_VISIBLE = re.compile("[!-~]")  # of one byte, so that nothing moves


def parse(source: Source, options: ParseOptions) -> Parsed:
    """The unit tree of a source file; text with a problem when it cannot be parsed.

    Raises:
        MissingDependencyError: the grammar is missing and ``on_missing_grammar`` is ``"error"``.
    """
    if source.language in COMPONENTS:
        return parse_component(source, options)
    data = profile(source.language)
    shown = readable(source.text, data)
    tree = _tree_or_problem(shown, data, options)
    if isinstance(tree, Problem):
        return _as_text(source, options, tree)
    if not source.text:
        return Parsed(Unit("file", 0, 0, atomic=False))
    reading, root = _read(source, data, tree, shown, options)

    def again() -> tuple[Reading, Unit]:
        anew = replace(options, clock=Clock())
        shown = readable(source.text, data)
        return _read(source, data, _guarded_parse(shown, data, anew), shown, anew)

    lookup = Lookup(source, reading, root, again)
    facts = Facts(
        imports=lookup.imports,
        calls=lookup.calls,
        callers=lookup.callers,
        members=lookup.members,
        neighbours=lookup.neighbours,
        module=lookup.module,
        outlines=lookup.outlines,
        later=lookup.later,
    )
    return Parsed(root, problems_of(reading), facts=facts)


def lookup_in(source: Source, root: Unit, options: ParseOptions) -> Lookup:
    """What can be asked about code that stands in several places of another document.

    Args:
        source: the document with blanks for all that is not code, and the language of the code.
        root: a unit over all of it that opens into the units of the code.
        options: as for :func:`parse`.

    Raises:
        MissingDependencyError: the grammar is missing.
        ParseTimeoutError: the grammar gave up or was stopped.
    """
    data = profile(source.language)

    def again() -> tuple[Reading, Unit]:
        shown = readable(source.text, data)
        tree = _guarded_parse(shown, data, replace(options, clock=Clock()))
        return Reading(source.text, data, tree, shown), root

    reading, _ = again()
    return Lookup(source, reading, root, again)


def _read(
    source: Source, data: Profile, tree: Tree, shown: str, options: ParseOptions
) -> tuple[Reading, Unit]:
    reading = _reading(source.text, data, tree, shown, 0, options)
    reading.pending = []
    reader = UnitReader(reading, partial(_reparsed, source.text, data, options))
    node = reading.root
    root = Unit(
        "file",
        0,
        len(source.text),
        atomic=False,
        tie=Tie.FREE,
        opener=lambda: reader.members((node,), 0, len(source.text), "file"),
        node_type=node.type,
    )
    return reading, root


def _reading(
    text: str, data: Profile, tree: Tree, shown: str, start: int, options: ParseOptions
) -> Reading:
    """The tree beside the text, without what is broken beyond its block.

    Args:
        text: the whole document.
        data: the profile of the language.
        tree: the tree of what was shown to the grammar.
        shown: that.
        start: where it begins in the document.
        options: as for :func:`parse`.
    """
    holes: list[tuple[int, int]] = []
    if tree.root_node.has_error and not data.patterns:  # there errors are no sign of damage
        try:
            tree, holes = recovered(
                shown.encode(), tree, lambda blanked: _parse_again(blanked, data, options)
            )
        except ParseTimeoutError:
            holes = []
    reading = Reading(text, data, tree, shown, start)
    reading.leave_out(holes)
    return reading


def _reparsed(
    text: str, data: Profile, options: ParseOptions, start: int, end: int
) -> Sequence[Unit]:
    """The units of a stretch that was left out, read by itself and as it is."""
    shown = readable(text[start:end], data)
    tree = _tree_or_problem(shown, data, options)
    if isinstance(tree, Problem):
        return (Unit("code_text", start, end, problems=(replace(tree, start=start, end=end),)),)
    reading = Reading(text, data, tree, shown, start)
    return tuple(UnitReader(reading).members((reading.root,), start, end, "file"))


@dataclass(frozen=True, slots=True)
class Inside:
    """Code that stands inside another document.

    Attributes:
        units: makes the units that tile its span: one leaf with a problem when it cannot be
            parsed.
        reading: its syntax tree; None when it could not be parsed.
        problems: what could not be parsed as it should have been.
    """

    units: Callable[[], tuple[Unit, ...]]
    reading: Reading | None
    problems: tuple[Problem, ...]


def parse_inside(
    text: str, start: int, end: int, inner: str, language: str, options: ParseOptions
) -> Inside:
    """Code that stands inside another document, parsed now.

    Args:
        text: the whole document.
        start: where the code begins in it, in characters.
        end: where it ends (half-open).
        inner: what the grammar shall read: ``text[start:end]``, with marks of the outer format
            (``> ``) blanked out, so of the same length.
        language: the language of the code.
        options: as for :func:`parse`.

    Raises:
        MissingDependencyError: the grammar is missing and ``on_missing_grammar`` is ``"error"``.
    """
    data = profile(language)
    shown = readable(inner, data)
    tree = _tree_or_problem(shown, data, options)
    if isinstance(tree, Problem):
        problem = replace(tree, start=start, end=end)
        leaf = Unit("code_text", start, end, problems=(problem,))
        return Inside(lambda: (leaf,), None, (problem,))
    reading = _reading(text, data, tree, shown, start, options)
    reader = UnitReader(reading, partial(_reparsed, text, data, options))
    node = reading.root
    return Inside(
        lambda: tuple(reader.members((node,), start, end, "file")),
        reading,
        problems_of(reading),
    )


def _tree_or_problem(text: str, data: Profile, options: ParseOptions) -> Tree | Problem:
    """The syntax tree of a readable text, or why there is none."""
    try:
        return _guarded_parse(text, data, options)
    except MissingDependencyError as error:
        if options.on_missing_grammar == "error":
            raise
        _warn_once(data.name, str(error))
        return Problem("missing-grammar", f"no grammar for {data.name!r} is installed: cut as text")
    except ParseTimeoutError:
        return Problem(
            "parse-timeout", f"the {data.name} grammar gave up or was stopped: cut as text"
        )


def _as_text(source: Source, options: ParseOptions, problem: Problem) -> Parsed:
    from structchunk_core.formats.text import parse as parse_text

    parsed = parse_text(source, options)
    return Parsed(parsed.root, (*parsed.problems, problem), parsed.title)


@cache
def _warn_once(language: str, message: str) -> None:
    import warnings

    warnings.warn(f"{language}: {message}", stacklevel=2)


def _guarded_parse(text: str, data: Profile, options: ParseOptions) -> Tree:
    return _parse_bytes(text.encode(), data, options)


def _parse_again(blanked: Blanked, data: Profile, options: ParseOptions) -> Tree:
    """The tree of a document that has changed, from the one that it had."""
    if data.fragile:
        return _parse_bytes(blanked.data, data, options)  # a tree from elsewhere cannot be edited
    from tree_sitter import Point

    edited = blanked.before.copy()
    first, behind = Point(blanked.first, 0), Point(blanked.behind, 0)
    edited.edit(blanked.start, blanked.end, blanked.end, first, behind, behind)
    return _parse_bytes(blanked.data, data, options, edited)


def _parse_bytes(
    text: bytes, data: Profile, options: ParseOptions, before: Tree | None = None
) -> Tree:
    grammar = find_grammar(data.name, options.grammars)
    with options.clock.running(options.parse_seconds) as seconds:
        if not data.fragile or data.name in options.grammars:
            return parse_bytes(text, grammar, seconds, before)
        from structchunk_core.guard import parse_elsewhere

        tree, spent = parse_elsewhere(data, text, grammar, seconds)
        options.clock.spend(spent)
        if tree is None:
            raise ParseTimeoutError
        return cast("Tree", tree)  # it answers what is asked of one


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


def readable(text: str, data: Profile) -> str:
    """The text as the grammar of the profile can read it: :func:`grammar_text`, partly hidden."""
    text = grammar_text(text)
    if data.branches:
        position = 0
        shown: list[str] = []
        for start, end in hidden_branches(text):
            shown += text[position:start], _VISIBLE.sub(" ", text[start:end])
            position = end
        text = "".join((*shown, text[position:])) if shown else text
    for pattern in hidden_patterns(data.name):
        text = _without(pattern, text)
    return text


def _without(pattern: re.Pattern[str], text: str) -> str:
    """The text with blanks for what the pattern finds; a statement leaves a semicolon."""
    shown: list[str] = []
    position = 0
    statement = pattern.groupindex.get("statement", 0)
    for match in pattern.finditer(text):
        spans = match.regs
        for start, end in spans[1:] if match.lastindex else spans:
            if end > start >= position:
                hidden = _VISIBLE.sub(" ", text[start:end])
                is_statement = statement and spans[statement][1] > start
                shown += text[position:start], ";" + hidden[1:] if is_statement else hidden
                position = end
    return "".join((*shown, text[position:])) if shown else text
