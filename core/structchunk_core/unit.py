"""The structure tree: what a parser hands to the packer.

A :class:`Unit` is a stretch of the source text that means something: a section, a function,
a table row. Its children tile it exactly, so that slicing the leaves in order spells the
source; this is checked whenever children are made. Children are made on demand, because a
unit that fits its budget is never opened.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from enum import IntEnum
from operator import attrgetter
from typing import Final, NamedTuple

from structchunk_core.definition import Definition, Names
from structchunk_core.errors import Problem
from structchunk_core.making import is_compiled, maker_of
from structchunk_core.rendering import Rendering
from structchunk_core.table_model import Table


class Span(NamedTuple):
    """A half-open stretch of the source text, in characters."""

    start: int
    end: int


class Tie(IntEnum):
    """How strongly a unit holds on to what stands before it; packing prices a cut by it."""

    FREE = 0
    """Another section or definition: the natural place to cut."""
    LOOSE = 1
    """Another paragraph or statement, after a blank line."""
    NEXT = 2
    """Another statement, item, row or line, directly below."""
    CLOSE = 3
    """Belongs to what is above: the block after its lead-in, the caveat after its block."""
    HEAD = 4
    """First part of a body, behind its head (signature, heading): cut only if it must be."""
    INSIDE = 5
    """Inside a statement, a bracket or a sentence, at the start of a line."""
    INLINE = 6
    """Inside a line."""


DEFINITION_KINDS: Final = frozenset(
    {
        "class",
        "constructor",
        "enum",
        "function",
        "impl",
        "interface",
        "method",
        "module",
        "namespace",
        "object",
        "struct",
        "trait",
        "union",
    }
)
"""Kinds that get a chunk of their own under ``granularity="definition"``."""
PROSE_KINDS: Final = frozenset(
    {"paragraph", "footnote", "quote", "text", "item", "cell", "heading"}
)
"""Kinds of running text, which is cut at sentences."""


@dataclass(frozen=True, slots=True)
class Repeat:
    """What a part of a split unit carries so that it still reads as that unit.

    Attributes:
        before: put in front of every part but the first (table head, opening fence line).
        after: put behind every part but the last (closing fence line).
        shorter: stand in for ``before`` where that would take too much of the budget, the
            fullest first.
        required: whether a part without it would be broken (a fence) or only poorer (a table).
        mark: put in front of a part that begins inside a line: what every line of the unit
            begins with (quote marks, indentation).
        inside: from where a part begins to what it carries instead of ``before``, the fullest
            first (inside a row of a table, the names of the columns from there on); nothing
            where ``before`` is right. What does not fit beside ``before`` is then cut.
        chained: whether it means nothing without what the units around it repeat: an opening
            bracket inside others. Then all of them are carried, or none.
        below: put behind that in every part but the last (a caption below a table), the fullest
            first; given up where it would take too much.
        named: how many of ``before`` and ``shorter``, from the first, hold a caption: it is given
            up only after it has had a larger share of the budget.
        broken: how many of ``shorter``, from the last, are not in the syntax of the unit (names of
            columns alone): they stand in only where no other does.
    """

    before: str = ""
    after: str = ""
    shorter: tuple[str, ...] = ()
    required: bool = False
    mark: str = ""
    inside: Callable[[int], Sequence[str]] | None = None
    chained: bool = False
    below: tuple[str, ...] = ()
    named: int = 0
    broken: int = 0


make_repeat = maker_of(Repeat)
"""``Repeat(...)``, but quicker."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A node of the structure tree.

    Attributes:
        kind: what it is: ``module``, ``class``, ``function``, ``section``, ``paragraph``,
            ``list``, ``item``, ``fence``, ``table``, ``row``, ``statement``, ``comment``, ...
        start: first character, in characters of the source text.
        end: one past the last character.
        label: the name it adds to the path of what is inside (function name, heading text);
            ``""`` adds nothing.
        atomic: must not be cut while it fits the budget. Containers (file, class, section) are
            not atomic.
        tie: how it holds on to its previous sibling.
        language: the language of its text when that differs from the document's.
        definition: facts, when it defines something.
        repeat: what its parts carry when it has to be split.
        opener: makes the children; None for a leaf.
        node_type: the parser's own name for it (``function_definition``), or ``""``.
        level: of a section, that of its heading, from 1; else 0.
        problems: what went wrong when it was made: noted on every chunk that holds it or a
            part of it. For units that are made on demand, behind ``Parsed.problems``.
        table: what it says, when it is a table.
        tabular: tells what it says, when it may be one: a list of records. See :meth:`as_table`.
        tail: how many of its last characters only separate it from what follows (the comma
            behind a JSON value): left out where a chunk ends with it.
        apart: whether it gets a chunk of its own like a definition while it is whole: a block
            (``#ifdef``, ``try``) that holds definitions; or what tells that.
    """

    kind: str
    start: int
    end: int
    label: str = ""
    atomic: bool = True
    tie: Tie = Tie.LOOSE
    language: str = ""
    definition: Definition | None = None
    repeat: Repeat | None = None
    opener: Callable[[], Iterable[Unit]] | None = None
    node_type: str = ""
    level: int = 0
    problems: tuple[Problem, ...] = ()
    table: Table | None = None
    tail: int = 0
    apart: bool | Callable[[], bool] = False
    tabular: Callable[[], Table | None] | None = None

    @property
    def span(self) -> Span:
        """Where it stands, in characters, half-open."""
        return Span(self.start, self.end)

    def open(self) -> tuple[Unit, ...]:
        """Its children, made now; empty for a leaf.

        Raises:
            AssertionError: the parser's children leave a gap or overlap: a defect of the parser,
                whatever the content.
        """
        if self.opener is None:
            return ()
        children = tuple(self.opener())
        position = self.start
        for child in children:
            if child.start != position or child.end <= child.start:
                raise AssertionError(
                    f"{child.kind} at {child.start}:{child.end} does not follow {position} "
                    f"inside {self.kind} at {self.start}:{self.end}"
                )
            position = child.end
        if children and position != self.end:
            raise AssertionError(f"children of {self.kind} end at {position}, not at {self.end}")
        return children

    def as_table(self) -> Table | None:
        """What it says when it is a table, or a list of records that is one; else None."""
        return self.table if self.tabular is None else self.tabular()

    def survey(self) -> Iterable[tuple[str, int]] | None:
        """Kind and length, in characters, of all that stands in it and in the sections in it.

        None where the parser cannot tell without making units.
        """
        told = getattr(self.opener, "survey", None)
        return told() if told is not None else None

    def walk(self) -> Iterator[tuple[int, Unit]]:
        """Every unit below and including this one with its depth, in document order."""
        stack = [(0, self)]
        while stack:
            depth, unit = stack.pop()
            yield depth, unit
            stack.extend((depth + 1, child) for child in reversed(unit.open()))

    def _repr_html_(self) -> str:
        """How notebooks show it."""
        from structchunk_core.showing import unit_html

        return unit_html(self)

    def pretty(self, text: str, *, depth: int = 12) -> str:
        """The tree as indented lines: kind, label and the first words of each unit."""
        lines: list[str] = []
        stack = [(0, self)]
        while stack:
            level, unit = stack.pop()
            words = " ".join(text[unit.start : min(unit.end, unit.start + 200)].split())
            shown = f" {unit.label!r}" if unit.label else ""
            mark = "" if unit.atomic else " ..."
            lines.append(
                f"{'  ' * level}{unit.kind}{shown}{mark} [{unit.start}:{unit.end}] {words[:48]}"
            )
            if level < depth:
                stack.extend((level + 1, child) for child in reversed(unit.open()))
        return "\n".join(lines)


def make_unit(  # noqa: PLR0913, PLR0917  # the fields of a unit, in their order
    kind: str,
    start: int,
    end: int,
    label: str = "",
    atomic: bool = True,
    tie: Tie = Tie.LOOSE,
    language: str = "",
    definition: Definition | None = None,
    repeat: Repeat | None = None,
    opener: Callable[[], Iterable[Unit]] | None = None,
    node_type: str = "",
    level: int = 0,
    problems: tuple[Problem, ...] = (),
    table: Table | None = None,
    tail: int = 0,
    apart: bool | Callable[[], bool] = False,
    tabular: Callable[[], Table | None] | None = None,
) -> Unit:
    """``Unit(...)``, but quicker."""
    # Compiled, this sets the fields of the object itself, which nothing freezes; so it is only
    # then that it is used, and compiled modules call it without a detour.
    unit = Unit.__new__(Unit)
    unit.kind = kind  # type: ignore[misc]
    unit.start = start  # type: ignore[misc]
    unit.end = end  # type: ignore[misc]
    unit.label = label  # type: ignore[misc]
    unit.atomic = atomic  # type: ignore[misc]
    unit.tie = tie  # type: ignore[misc]
    unit.language = language  # type: ignore[misc]
    unit.definition = definition  # type: ignore[misc]
    unit.repeat = repeat  # type: ignore[misc]
    unit.opener = opener  # type: ignore[misc]
    unit.node_type = node_type  # type: ignore[misc]
    unit.level = level  # type: ignore[misc]
    unit.problems = problems  # type: ignore[misc]
    unit.table = table  # type: ignore[misc]
    unit.tail = tail  # type: ignore[misc]
    unit.apart = apart  # type: ignore[misc]
    unit.tabular = tabular  # type: ignore[misc]
    return unit


if not is_compiled(Unit):
    globals()["make_unit"] = maker_of(Unit)


_FIELDS: Final = [item.name for item in fields(Unit)]
_TIE: Final = _FIELDS.index("tie")
_values_of: Final = attrgetter(*_FIELDS)


def retied(unit: Unit, tie: Tie) -> Unit:
    """The unit with another tie."""
    values = [*_values_of(unit)]
    values[_TIE] = tie
    return make_unit(*values)


class Told(NamedTuple):
    """What a mapping tells itself, without what the mappings in it do.

    Attributes:
        keys: those that lead to it, outermost first.
        pairs: its keys with their values, each on one line; ``""`` for a key that there is not, or
            a value that says nothing.
    """

    keys: tuple[str, ...]
    pairs: list[tuple[str, str]]


Tell = Callable[[str, int, int], Sequence[Told] | None]
"""From the text of a chunk (what is repeated and the slice) and the half-open span of the slice in
the document, in characters, to what that tells; None where it would be less than what stands there,
or where it cannot be read."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a format makes of a source.

    Attributes:
        root: the unit tree; it spans the whole text, or that of the rendering.
        problems: what could not be parsed as it should have been.
        title: the document's own title, or ``""``.
        facts: answers questions about spans that only the parser can answer.
        rendering: the text that the tree spans, where that is not the source text itself.
        told: of records: tells what the text of a chunk says.
        aim: the part of the limit that packing aims at where no target is given.
    """

    root: Unit
    problems: tuple[Problem, ...] = ()
    title: str = ""
    facts: Facts | None = None
    rendering: Rendering | None = None
    told: Tell | None = None
    aim: float = 1 / 2


def _no_names(_start: int, _end: int) -> tuple[str, ...]:
    return ()


def _no_spans(_start: int, _end: int) -> tuple[Span, ...]:
    return ()


def _no_anchor(_start: int, _end: int) -> str:
    return ""


def _no_cell(_start: int, _end: int) -> int:
    return 0


def _no_neighbours(_start: int, _end: int) -> tuple[str, str]:
    return "", ""


def _read_now(names: Names) -> None:
    names.read()


def _no_module() -> tuple[str, str]:
    return "", ""


def _no_outlines() -> tuple[Outline, ...]:
    return ()


class Outline(NamedTuple):
    """What a definition is, without what it does.

    Attributes:
        span: where the definition stands.
        names: its scopes and its name, outermost first.
        signature: as in :class:`Definition`.
        doc: its doc comment and docstring.
        atomic: whether it has no members of its own that are definitions.
    """

    span: Span
    names: tuple[str, ...]
    signature: str
    doc: str
    atomic: bool


@dataclass(frozen=True, slots=True)
class Facts:
    """What a parser can tell about any half-open span of its document, on demand.

    Attributes:
        imports: the import statements that bind names used in the span.
        calls: the names called in the span, in order of first use.
        callers: the definitions of the document that call what the span defines.
        members: what is defined in the containers whose heads the span holds.
        neighbours: the definitions that begin before and behind the span.
        module: the name of the module that the document is, and its documentation's first line.
        outlines: what each definition of the document is, in order.
        notes: where the notes stand, outside the span, that are referred to in it.
        anchor: the id, given by the document itself, that a link to the span can use: that of the
            nearest element or cell around or before its first character, or ``""``.
        cell: the 1-based number of the notebook cell that the span begins in, or 0.
        later: takes names that are read when asked for: has them read before the units of the
            document go.
    """

    imports: Callable[[int, int], tuple[str, ...]] = _no_names
    calls: Callable[[int, int], tuple[str, ...]] = _no_names
    callers: Callable[[int, int], tuple[str, ...]] = _no_names
    members: Callable[[int, int], tuple[str, ...]] = _no_names
    neighbours: Callable[[int, int], tuple[str, str]] = _no_neighbours
    module: Callable[[], tuple[str, str]] = _no_module
    outlines: Callable[[], Iterable[Outline]] = _no_outlines
    notes: Callable[[int, int], tuple[Span, ...]] = _no_spans
    anchor: Callable[[int, int], str] = _no_anchor
    cell: Callable[[int, int], int] = _no_cell
    later: Callable[[Names], None] = _read_now

    @property
    def has_places(self) -> bool:
        """Whether there may be anchors or cells at all."""
        return self.anchor is not _no_anchor or self.cell is not _no_cell

    @property
    def has_notes(self) -> bool:
        """Whether there may be notes at all."""
        return self.notes is not _no_spans
