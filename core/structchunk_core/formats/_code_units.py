"""Nodes of a syntax tree as units: what they are, how they tile their span, how they open.

What belongs together is grouped in :mod:`_code_grouping`; the profile says which nodes are which.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from structchunk_core.formats._code_bodies import IN_TYPE, Bodies
from structchunk_core.formats._code_definitions import Definitions
from structchunk_core.formats._code_facts import definition_of
from structchunk_core.formats._code_grouping import Grouping
from structchunk_core.formats._code_members import Member
from structchunk_core.formats._code_places import Places
from structchunk_core.formats._code_reading import Reading
from structchunk_core.table_model import short_names
from structchunk_core.unit import DEFINITION_KINDS, Repeat, Tie, Unit, make_unit

if TYPE_CHECKING:
    from tree_sitter import Node


_CONTAINERS: Final = frozenset(
    {"class", "impl", "module", "namespace", "object", "section", "trait"}
)
_MAYBE_CONTAINERS: Final = frozenset({"enum", "interface", "struct", "union"})
_TYPE_SCOPES: Final = _MAYBE_CONTAINERS | {"class", "impl", "object", "trait"}
_FUNCTIONS: Final = frozenset({"constructor", "function", "method"})
_OPENED: Final = _CONTAINERS | {"block", "error"}
# The members of an enum class are slow to reach.
_FREE: Final = Tie.FREE
_HEAD: Final = Tie.HEAD
_MANY: Final = 2000  # elements of a literal, from which on they are grouped in runs
_RUN: Final = 32  # children (elements and commas) of a run


class UnitReader:
    """One parsed file: turns nodes into units on demand.

    Args:
        reading: the file.
        reparse: the units of a half-open span, in characters, that its tree knows nothing of;
            needed where there are such spans (``reading.holes``).
    """

    def __init__(
        self, reading: Reading, reparse: Callable[[int, int], Sequence[Unit]] | None = None
    ) -> None:
        data = reading.data
        self._reparse = reparse
        self._text = reading.text
        self._data = data
        self._reading = reading
        self._to_character = reading.to_character
        self._types = reading.types
        self._definitions = Definitions(reading)
        self._bodies = Bodies(reading, self._definitions)
        self._places = Places(reading)
        self._grouping = Grouping(reading, self._definitions, self._places)

    # Units

    def members(self, nodes: Sequence[Node], start: int, end: int, inside: str) -> Iterable[Unit]:
        """The units that tile the half-open span, which the nodes fill.

        Args:
            nodes: the node to open, behind what was joined to it.
            start: where the span begins; comments attached to the node may stand before it.
            end: where the span ends.
            inside: the kind of the unit that is opened; ``IN_TYPE`` for a block in a type.
        """
        node = nodes[-1]
        children, head, is_body = self._bodies.children_of(node, inside)
        if len(nodes) > 1:
            children = [*nodes[:-1], *children]
            head = min(len(nodes) - 1 + max(head, 1), len(children))  # the node may be a leaf
        if not is_body and not head and len(children) > _MANY:
            return self._runs(children, start, end)
        node = nodes[0]
        groups: list[Member] = []
        lead = self._places.line_begin(self._to_character(node.start_byte), start)
        if self._text[start:lead].strip():
            kind = "comment" if inside in DEFINITION_KINDS else "lead"
            groups.append(Member(start, Tie.FREE, kind))
        if head:
            groups.append(Member(max(lead, start), Tie.HEAD, "head"))
        in_type = inside in _TYPE_SCOPES or inside == IN_TYPE
        self._grouping.group(groups, children, head, start, is_body, in_type)
        if self._reading.holes:
            self._put_holes(groups, start, end)
        if self._data.sections and is_body:
            groups = self._in_sections(groups)
        return self._tiled(groups, start, end)

    def _put_holes(self, groups: list[Member], start: int, end: int) -> None:
        """Put what was left out of the tree between the groups where it stands."""
        for hole, behind in self._reading.holes:
            if hole < start or behind > end:
                continue
            number = bisect_right(groups, hole, key=lambda group: group.start)
            above = groups[number - 1] if number else None
            last = above.parts[-1] if above and above.parts else above
            nodes = (*last.ahead, *last.nodes) if last else ()
            if nodes and self._to_character(max(node.end_byte for node in nodes)) > hole:
                continue  # it stands inside of what is above
            begin = hole
            if above and above.kind == "comment" and "\n\n" not in self._text[above.start : hole]:
                begin = above.start  # its doc comment
                number -= 1
                del groups[number]
            left_out = Member(begin, Tie.FREE, "error")
            left_out.is_hole = True
            groups.insert(number, left_out)

    def _in_sections(self, groups: Sequence[Member]) -> list[Member]:
        """The groups, with those that follow the head of a section in it."""
        found: list[Member] = []
        section: Member | None = None
        for group in groups:
            of = self._reading.type_of(group.nodes[0]) if group.nodes else None
            if of is not None and of.section and self._has_no_body(group):
                head = Member(group.start, group.tie, "head")
                section = group.copy()
                section.parts, section.tie = [head], _FREE
                found.append(section)
            elif section is not None and section.parts is not None:
                if len(section.parts) == 1:
                    group.tie = _HEAD
                section.parts.append(group)
                if of is not None and of.section_end:
                    section = None
            else:
                found.append(group)
        return found

    def _has_no_body(self, group: Member) -> bool:
        """Whether a definition has nothing inside, so that it may be about what follows."""
        definition = group.definition
        return definition is not None and self._reading.body_of(definition) is None

    def _tiled(self, groups: Sequence[Member], start: int, end: int) -> list[Unit]:
        """The units of the groups, which tile the half-open span."""
        groups[0].start = start
        groups[0].tie = _FREE
        # A comment inside may belong to what follows.
        ends = [behind if (behind := group.start) < end else end for group in groups]
        ends.append(end)
        del ends[0]
        unit = self._unit
        return [
            unit(group, behind)
            for group, behind in zip(groups, ends, strict=True)
            if behind > group.start
        ]

    def _runs(self, children: Sequence[Node], start: int, end: int) -> Iterator[Unit]:
        """The elements of a huge literal, some at a time; a run opens into its elements."""
        firsts = list(range(0, len(children), _RUN))
        starts = [start]
        for first in firsts[1:]:
            begin = self._to_character(children[first].start_byte)
            starts.append(max(starts[-1], self._places.line_begin(begin, starts[-1])))
        starts.append(end)
        for number, first in enumerate(firsts):
            run = children[first : first + _RUN]
            begin, behind = starts[number], starts[number + 1]
            if begin == behind:
                continue
            yield Unit(
                "expression",
                begin,
                behind,
                tie=Tie.INSIDE if number else Tie.FREE,
                opener=lambda run=run, begin=begin, behind=behind: self._elements(  # type: ignore[misc]
                    run, begin, behind
                ),
            )

    def _elements(self, nodes: Sequence[Node], start: int, end: int) -> Iterable[Unit]:
        groups: list[Member] = []
        self._grouping.group(groups, nodes, 0, start, False, False)
        return self._tiled(groups, start, end)

    def _unit(self, group: Member, end: int) -> Unit:
        kind = group.kind
        nodes = group.nodes
        if not nodes:
            parsed = (
                partial(self._reparse, group.start, end)
                if group.is_hole and self._reparse
                else None
            )
            return make_unit(kind, group.start, end, "", True, group.tie, opener=parsed)
        definition = None
        label = ""
        defining = group.definition
        if self._data.continued and kind in _FUNCTIONS and self._lacks_body(group):
            kind = "declaration"
        if defining is not None and kind not in {"clause", "head"}:
            definition = definition_of(
                self._reading,
                defining,
                nodes[0],
                group.holder or defining,
                group.ahead,
                group.declared,
            )
            label = definition.name
            if definition.scope:
                label = self._data.scope_separator.join((*definition.scope, label))
            if not definition.name:
                definition = None
        atomic = kind not in _OPENED
        if defining is not None and kind in _MAYBE_CONTAINERS:
            held = self._definitions.value_of(defining)
            atomic = not self._definitions.holds_functions(held[-1] if held else defining)
        if (
            defining is not None
            and definition is None
            and atomic
            and kind not in {"clause", "head"}
        ):
            kind = "statement"
        opener: Callable[[], Iterable[Unit]] | None = None
        if group.parts is not None:
            opener = partial(self._tiled, group.parts, group.start, end)
        elif len(nodes) > 1 or (nodes[0].child_count and not self._reading.is_text(nodes[0])):
            opener = partial(self._open, group, end, kind, atomic)
        node_type = self._types[(defining or nodes[-1]).kind_id].name
        return make_unit(
            kind,
            group.start,
            end,
            label,
            atomic,
            group.tie,
            "",  # language
            definition,
            self._leading(nodes[-1]) if self._data.leading else None,
            opener,
            node_type,
            apart=kind == "block" and partial(self._definitions.holds_definitions, nodes[-1]),
        )

    def _leading(self, node: Node) -> Repeat | None:
        """What parts of a statement carry: what stands in front of its rows, on lines of its own.

        Not what is carried by the statements around it. As under the header of a table, a row is
        cut rather than left without the names of its columns.
        """
        types = self._types
        while types[node.kind_id].wrapper and node.named_child_count:
            node = node.named_children[0]
        last = self._data.leading.get(node.type)
        child = next((one for one in node.children if one.type == last), None) if last else None
        if child is None:
            return None
        start, end = self._to_character(node.start_byte), self._to_character(child.end_byte)
        before, shorter = f"{self._text[start:end]}\n", list[str]()
        named = child.prev_named_sibling
        if named is not None and named.named_child_count > 1:
            names = [one.text.decode() for one in named.named_children if one.text is not None]
            first, behind = self._to_character(named.start_byte), self._to_character(named.end_byte)
            listed = ", ".join(short_names(names))
            shorter.append(f"{self._text[start:first]}({listed}){self._text[behind:end]}\n")
        shorter = [one for one in shorter if len(one) < len(before)]
        return Repeat(before, shorter=tuple(shorter), inside=_nothing_else)

    def _lacks_body(self, group: Member) -> bool:
        """Whether a signature is followed by none of what goes on with it."""
        holder = group.holder
        return (
            holder is not None
            and not self._types[holder.kind_id].continued
            and self._reading.body_of(holder) is None
        )

    def _open(self, group: Member, end: int, kind: str, atomic: bool) -> Iterable[Unit]:
        """What a unit opens into.

        What fits without the label above it, its doc comment or a line behind it that the grammar
        was not shown stays whole without it.
        """
        if not atomic or kind not in DEFINITION_KINDS:
            inside = IN_TYPE if kind == "block" and group.in_type else kind
            return self.members(group.nodes, group.start, end, inside)
        starts = [group.start]
        begin = self._behind_comments(group)
        for start in (min(self._behind_label(group, begin), begin), begin):
            if start > starts[-1]:
                starts.append(start)
        return self._peeled(group, kind, starts, self._behind_end(group, end), end)

    def _peeled(
        self, group: Member, kind: str, starts: Sequence[int], stop: int, end: int
    ) -> Iterable[Unit]:
        """The units of a definition: what stands in front of it or behind it, and the rest of it.

        Args:
            group: its nodes.
            kind: its own.
            starts: where it begins, and where it would without more and more of what is above it.
            stop: where it would end without what is behind it.
            end: where it ends.
        """
        start, *later = starts
        if not later and stop == end:
            return self.members(group.nodes, start, end, kind)
        rest = Unit(
            kind,
            later[0] if later else start,
            end if later else stop,
            tie=Tie.CLOSE if kind in _FUNCTIONS else Tie.HEAD,
            opener=lambda: self._peeled(group, kind, later or starts, stop, end if later else stop),
            node_type=(group.definition or group.nodes[-1]).type,
        )
        if later:
            return Unit("comment", start, later[0], tie=Tie.FREE), rest
        return rest, Unit("close", stop, end, tie=Tie.HEAD)

    def _behind_end(self, group: Member, end: int) -> int:
        """Where a definition ends when lines behind it hold only what the grammar was not shown."""
        if not self._reading.hides:
            return end
        finish = self._to_character(group.nodes[-1].end_byte)
        line_end = self._text.find("\n", finish, end) + 1
        if not line_end or not self._text[line_end:end].strip():
            return end
        return line_end if self._reading.is_blank(line_end, end) else end

    def _behind_label(self, group: Member, begin: int) -> int:
        """Where a definition would begin without the label above it and its comments."""
        label = group.ahead[0] if group.ahead else None
        if label is None or not self._types[label.kind_id].label:
            return group.start
        line_end = self._text.find("\n", self._to_character(label.end_byte), begin)
        return line_end + 1 if line_end >= 0 else group.start

    def _behind_comments(self, group: Member) -> int:
        """Where a definition begins: with its decorators, without comments and labels above."""
        begin = self._to_character(group.nodes[0].start_byte)
        for node in reversed(group.ahead):
            of = self._types[node.kind_id]
            if of.comment:
                behind = self._text[self._to_character(node.end_byte) : begin]
                begin -= len(behind.lstrip())
                break
            if of.label:  # its colon is on its line
                line_end = self._text.find("\n", self._to_character(node.end_byte), begin)
                return line_end + 1 if line_end >= 0 else group.start
            begin = self._to_character(node.start_byte)
        return self._places.line_begin(begin, group.start)


def _nothing_else(_position: int) -> Sequence[str]:
    """What a part carries that begins inside a row: what all others do."""
    return ()
