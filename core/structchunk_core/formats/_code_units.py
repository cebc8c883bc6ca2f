"""Nodes of a syntax tree, grouped into the units that belong together.

The grouping is the same for every language: what stands in front of a definition and belongs to
it (comments, decorators) joins it, what trails on the same line stays on it, punctuation stays
with what it closes. The profile says which nodes are which.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from structchunk_core.formats._code_bodies import IN_TYPE, Bodies, is_own_line
from structchunk_core.formats._code_definitions import Definitions
from structchunk_core.formats._code_facts import Reading, arity_of, definition_of, name_of
from structchunk_core.formats._code_types import NodeType
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
_SET_APART: Final = DEFINITION_KINDS | {"section"}
_OPENED: Final = _CONTAINERS | {"block", "error"}
# The members of an enum class are slow to reach, and every child of every node needs one.
_FREE: Final = Tie.FREE
_LOOSE: Final = Tie.LOOSE
_NEXT: Final = Tie.NEXT
_CLOSE: Final = Tie.CLOSE
_HEAD: Final = Tie.HEAD
_INSIDE: Final = Tie.INSIDE
_INLINE: Final = Tie.INLINE
_DEEPEST_END: Final = 64
_MANY: Final = 2000  # elements of a literal, from which on they are grouped in runs
_BLANK_LINES: Final = re.compile(r"\n(?:[ \t\r]*\n)+")
_RUN: Final = 32  # children (elements and commas) of a run


class _Member:
    """A unit in the making: nodes that belong together.

    Attributes:
        start: where it begins, in characters.
        tie: as of a unit.
        kind: of the unit.
        nodes: the node to open, behind what was joined to it.
        definition: the node inside it that defines something.
        holder: the node inside that which holds its body.
        ahead: comments and decorators in front that belong to it.
        docstring: whether it is one.
        is_hole: whether the tree knows nothing of it.
        in_type: whether it is a block of members of a type: ``#ifdef``, ``if``.
        parts: what it is made of: clauses, or the members of a section.
        declared: the type signature among them.
        trails: whether it is a comment that may belong to the definition above.
        named: name and number of parameters, of what may be joined.
    """

    __slots__ = (
        "ahead",
        "declared",
        "definition",
        "docstring",
        "holder",
        "in_type",
        "is_hole",
        "kind",
        "named",
        "nodes",
        "parts",
        "start",
        "tie",
        "trails",
    )

    def __init__(
        self, start: int, tie: Tie, kind: str = "statement", nodes: tuple[Node, ...] = ()
    ) -> None:
        self.start = start
        self.tie = tie
        self.kind = kind
        self.nodes = nodes
        self.definition: Node | None = None
        self.holder: Node | None = None
        self.ahead: Sequence[Node] = ()
        self.docstring = False
        self.is_hole = False
        self.in_type = False
        self.parts: list[_Member] | None = None
        self.declared: Node | None = None
        self.trails = False
        self.named: tuple[str, int] | None = None

    def copy(self) -> _Member:
        """Another one that is the same, but for its parts: it has none."""
        other = _Member(self.start, self.tie, self.kind, self.nodes)
        other.definition, other.holder = self.definition, self.holder
        other.ahead, other.docstring = self.ahead, self.docstring
        other.is_hole, other.in_type = self.is_hole, self.in_type
        other.declared, other.trails, other.named = self.declared, self.trails, self.named
        return other


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
        self._has_errors = reading.root.has_error

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
        groups: list[_Member] = []
        lead = self._line_begin(self._to_character(node.start_byte), start)
        if self._text[start:lead].strip():
            kind = "comment" if inside in DEFINITION_KINDS else "lead"
            groups.append(_Member(start, Tie.FREE, kind))
        if head:
            groups.append(_Member(max(lead, start), Tie.HEAD, "head"))
        in_type = inside in _TYPE_SCOPES or inside == IN_TYPE
        self._group(groups, children, head, start, is_body, in_type)
        if self._reading.holes:
            self._put_holes(groups, start, end)
        if self._data.sections and is_body:
            groups = self._in_sections(groups)
        return self._tiled(groups, start, end)

    def _put_holes(self, groups: list[_Member], start: int, end: int) -> None:
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
            left_out = _Member(begin, Tie.FREE, "error")
            left_out.is_hole = True
            groups.insert(number, left_out)

    def _in_sections(self, groups: Sequence[_Member]) -> list[_Member]:
        """The groups, with those that follow the head of a section in it."""
        found: list[_Member] = []
        section: _Member | None = None
        for group in groups:
            of = self._reading.type_of(group.nodes[0]) if group.nodes else None
            if of is not None and of.section and self._has_no_body(group):
                head = _Member(group.start, group.tie, "head")
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

    def _has_no_body(self, group: _Member) -> bool:
        """Whether a definition has nothing inside, so that it may be about what follows."""
        definition = group.definition
        return definition is not None and self._reading.body_of(definition) is None

    def _tiled(self, groups: Sequence[_Member], start: int, end: int) -> list[Unit]:
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
            starts.append(max(starts[-1], self._line_begin(begin, starts[-1])))
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
        groups: list[_Member] = []
        self._group(groups, nodes, 0, start, False, False)
        return self._tiled(groups, start, end)

    def _group(
        self,
        groups: list[_Member],
        children: Sequence[Node],
        head: int,
        start: int,
        is_body: bool,
        in_type: bool,
    ) -> None:
        """Put children together that belong together, behind the groups there are."""
        pending: _Member | None = None  # comments, decorators, openers: wait for what follows
        prose = is_body and bool(self._data.prose)
        for child, of, begin, cut, newlines in self._placed(children, head, start, is_body):
            if of.waits or (of.carries and self._carries_decorator(child)):
                if not self._trails(of, newlines, groups, pending):
                    pending = self._wait(groups, pending, child, of, newlines, is_body, cut)
            elif of.trails and newlines < 2 and pending is None and _defines(groups):
                continue  # belongs to the definition above
            elif prose and (of.prose or (of.plain and not newlines and _in_prose(groups))):
                self._add_prose(groups, pending, child, cut, newlines)
                pending = None
            elif not of.named:
                if not newlines and pending is None and groups:
                    continue  # stays with what it closes or separates
                if pending is None:
                    pending = _Member(cut, _tie(newlines, is_body, groups), "close")
                elif pending.kind == "comment":
                    pending.kind = "opener"
            elif (
                is_body
                and of.plain
                and _ends(child, newlines, groups, pending)
                and child == next(one for one in reversed(children) if one.is_named)
            ):
                continue  # the name behind ``end``, the condition behind ``} while``
            elif of.continued and pending is None and _go_on(groups, child):
                continue
            else:
                member = self._member(child, of, begin, is_body, in_type)
                member.start = cut
                self._add(groups, pending, member, of, newlines, is_body, in_type)
                pending = None
        if pending is not None and not (pending.trails and pending.kind == "comment"):
            if pending.kind != "comment" and groups:
                pending.tie = Tie.HEAD if pending.kind == "close" else Tie.CLOSE
                pending.kind = "close"
            groups.append(pending)
        if not groups:
            groups.append(_Member(start, Tie.FREE))

    def _add(
        self,
        groups: list[_Member],
        pending: _Member | None,
        member: _Member,
        of: NodeType,
        newlines: int,
        is_body: bool,
        in_type: bool,
    ) -> None:
        """Put a member behind the groups, with what waits for it, or to the one it belongs to."""
        if pending is None and newlines < 2 and self._has_errors:
            if self._is_macro_with_body(groups, of):
                groups[-1].definition, groups[-1].kind = groups[-1].nodes[-1], "function"
                groups[-1].holder = member.nodes[-1]
            if _join(groups, member):
                return
        if pending is not None and newlines > 1:
            pending = _settle(groups, pending)
        elif pending is None and in_type and _is_label(groups, member):
            pending = groups.pop()
        member.tie = _tie(newlines, is_body, groups)
        if pending is not None:
            member.start, member.tie = pending.start, pending.tie
            member.ahead = pending.ahead
        if of.joined and self._joins(groups, member):
            return
        self._tie_to_head(member, groups, in_type)
        groups.append(member)

    def _carries_decorator(self, node: Node) -> bool:
        """Whether a decorator stands alone in a statement (Groovy)."""
        alone = node.named_child_count == 1
        return alone and self._types[node.named_children[0].kind_id].decorator

    def _is_macro_with_body(self, groups: Sequence[_Member], of: NodeType) -> bool:
        """Whether a body follows what only looks like a call: ``TEST(stack, grows) {``."""
        above = groups[-1] if groups else None
        if above is None or not of.body or above.definition is not None or not above.nodes:
            return False
        call = above.nodes[-1]
        return _is_unfinished(call) and call.children[0].type == "call_expression"

    def _placed(
        self, children: Sequence[Node], head: int, start: int, is_body: bool
    ) -> Iterator[tuple[Node, NodeType, int, int, int]]:
        """Each child behind the head: its type, where it begins, where to cut, line ends above."""
        text = self._text
        types = self._types
        to_character = None if self._reading.plain else self._to_character
        previous_end = self._to_character(children[head - 1].end_byte) if head else start
        placed = children[head:] if head else children
        ends: dict[int, int] = {}
        if self._data.late_comments:
            placed, ends = self._with_late_comments(placed)
        for child in placed:
            begin, finish = child.start_byte, child.end_byte
            if ends:
                finish = ends.get(begin, finish)
            if to_character is not None:
                begin, finish = to_character(begin), to_character(finish)
            if not previous_end <= begin <= finish:
                begin = max(begin, previous_end)
                finish = max(begin, finish)
            of = types[child.kind_id]
            if of.special:
                if of.blank:
                    continue
                if of.word:
                    of = self._reading.with_word(child, of)
                elif of.alone is not None and is_body:
                    of = of.alone
            gap = previous_end
            while gap > start and text[gap - 1] in "\n\r \t":  # some nodes reach to the next token
                gap -= 1
            newlines = text.count("\n", gap, begin) if gap < begin else 0
            if finish == begin and not of.named:
                continue  # an empty token: a dedent, a semicolon that was left out
            previous_end = finish
            cut = begin
            if newlines:
                cut = self._line_begin(begin, gap)
                if cut < start:  # noqa: PLR1730  # a call costs more, for every child
                    cut = start
                if self._reading.hides:
                    cut = self._above_hidden(gap, cut)
                    newlines = text.count("\n", gap, cut)
            yield child, of, begin, cut, newlines

    def _with_late_comments(self, children: Sequence[Node]) -> tuple[list[Node], dict[int, int]]:
        """The children with the comments behind them that the grammar put at their ends.

        Such a comment has lines of its own and is not indented further than the child. Also:
        where the children begin, in bytes, and where they end without those comments.
        """
        found: list[Node] = []
        ends: dict[int, int] = {}
        for child in children:
            found.append(child)
            comments, end = self._late_comments(child)
            if comments:
                ends[child.start_byte] = end
                found.extend(comments)
        return found, ends

    def _late_comments(self, child: Node) -> tuple[list[Node], int]:
        column = child.start_point.column
        node = child
        for _ in range(_DEEPEST_END):
            inside = [one for one in node.children if one.end_byte > one.start_byte]
            last = len(inside)
            while (
                last > 1
                and self._reading.is_comment(inside[last - 1])
                and inside[last - 1].start_point.column <= column
                and is_own_line(inside, last - 1)
            ):
                last -= 1
            if last < len(inside):
                return inside[last:], inside[last - 1].end_byte
            if not inside:
                break
            node = inside[-1]
        return [], child.end_byte

    def _joins(self, groups: Sequence[_Member], member: _Member) -> bool:
        """Put a clause to those of the same name above it, if there are any."""
        reading = self._reading
        if member.definition is None:
            return False
        member.named = name_of(reading, member.definition), arity_of(reading, member.definition)
        above = groups[-1] if groups else None
        if above is None or above.named is None or above.definition is None:
            return False
        if above.named[0] != member.named[0] or not member.named[0]:
            return False
        counted = {above.named[1], member.named[1]} - {-1}
        if len(counted) > 1 or any(reading.type_of(node).decorator for node in member.ahead):
            return False
        if above.parts is None:
            first = above.copy()
            first.kind = "clause"
            above.parts = [first]
            if above.kind == "declaration":
                above.declared = above.definition
                above.parts[0].kind = "head"
        if above.kind == "declaration" and member.kind != "declaration":
            above.kind, above.named = member.kind, member.named
            above.definition, above.holder = member.definition, member.holder
            member.tie = _HEAD
        member.kind = "clause"
        above.parts.append(member)
        return True

    def _add_prose(
        self,
        groups: list[_Member],
        pending: _Member | None,
        node: Node,
        cut: int,
        newlines: int,
    ) -> None:
        """Go on with the paragraph above, or begin others at the blank lines."""
        if pending is not None and newlines > 1:
            pending = _settle(groups, pending)
        if pending is not None or newlines > 1 or not _in_prose(groups):
            paragraph = _Member(cut, _tie(newlines, True, groups), "paragraph")
            if pending is not None:
                paragraph.start, paragraph.tie = pending.start, pending.tie
            if groups and groups[-1].kind == "head":
                paragraph.tie = _HEAD
            groups.append(paragraph)
        end = self._to_character(node.end_byte)
        groups.extend(
            _Member(blank.end(), _LOOSE, "paragraph")
            for blank in _BLANK_LINES.finditer(self._text, cut, end)
            if blank.end() < end
        )

    @staticmethod
    def _trails(
        of: NodeType, newlines: int, groups: Sequence[_Member], pending: _Member | None
    ) -> bool:
        """Whether something that could wait belongs to what stands above.

        A comment does on its line; what the profile says so of, right below a definition.
        """
        if pending is not None or not groups:
            return False
        if of.comment:
            return not newlines
        return of.trails and newlines < 2 and groups[-1].definition is not None

    @staticmethod
    def _wait(
        groups: list[_Member],
        pending: _Member | None,
        node: Node,
        of: NodeType,
        newlines: int,
        is_body: bool,
        cut: int,
    ) -> _Member:
        """A comment or decorator put to those that wait for what they belong to."""
        if pending is not None and of.comment and newlines > 1:
            pending = _settle(groups, pending)
        if pending is None:
            pending = _Member(cut, _tie(newlines, is_body, groups), "comment")
            pending.trails = of.trails and newlines < 2 and _defines(groups)
        if not of.comment and pending.kind == "comment":
            pending.kind = "opener"
        pending.ahead = (*pending.ahead, node)
        return pending

    def _tie_to_head(self, member: _Member, groups: Sequence[_Member], in_type: bool) -> None:
        """Tie the first member of a body to its head, and a docstring with it."""
        above = groups[-1] if groups else None
        if above is None or above.kind == "head":
            alone = self._data.docstrings and len(member.nodes) == 1
            member.docstring = alone and self._reading.is_string(member.nodes[0])
        if above is None:
            return
        if above.kind == "head" or (above.docstring and in_type):
            member.tie = _HEAD
        elif member.tie <= _NEXT and (member.kind in _SET_APART or above.kind in _SET_APART):
            member.tie = _FREE

    def _line_begin(self, position: int, after: int) -> int:
        """The start of the position's line if only blanks stand between, else the position."""
        begin = self._text.rfind("\n", after, position) + 1
        if begin == 0:
            begin = after
        if begin == position or not self._text[begin:position].strip(" \t\f\ufeff"):
            return begin
        if self._reading.hides and self._reading.is_blank(begin, position):
            return begin
        return position

    def _above_hidden(self, after: int, cut: int) -> int:
        """Where the lines begin that hold only what the grammar was not shown, above a cut."""
        while True:
            line = self._text.rfind("\n", after, cut - 1) + 1
            if not line or not self._text[line:cut].strip():
                return cut
            cut = line

    def _member(
        self, node: Node, of: NodeType, begin: int, is_body: bool, in_type: bool
    ) -> _Member:
        if of.plain:
            return _Member(begin, _LOOSE, "statement" if is_body else "expression", (node,))
        if of.imports:
            return _Member(begin, _LOOSE, "import", (node,))
        member = _Member(begin, _LOOSE, "statement", (node,))
        found = self._definitions.found_in(node)
        if found.node is not None:
            member.definition = found.node
            member.holder = self._definitions.holder_of(node, found)
            member.kind = found.kind
            if in_type and found.kind == "function":
                member.kind = "method"
        elif (
            found.kind
            or of.transparent
            or (of.holder and self._definitions.holds_definitions(node))
        ):
            member.kind = "block"
            member.in_type = in_type
        elif of.name == "ERROR":
            member.kind = "error"
        elif not is_body:
            member.kind = "expression"
        return member

    def _unit(self, group: _Member, end: int) -> Unit:
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

    def _lacks_body(self, group: _Member) -> bool:
        """Whether a signature is followed by none of what goes on with it."""
        holder = group.holder
        return (
            holder is not None
            and not self._types[holder.kind_id].continued
            and self._reading.body_of(holder) is None
        )

    def _open(self, group: _Member, end: int, kind: str, atomic: bool) -> Iterable[Unit]:
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
        self, group: _Member, kind: str, starts: Sequence[int], stop: int, end: int
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

    def _behind_end(self, group: _Member, end: int) -> int:
        """Where a definition ends when lines behind it hold only what the grammar was not shown."""
        if not self._reading.hides:
            return end
        finish = self._to_character(group.nodes[-1].end_byte)
        line_end = self._text.find("\n", finish, end) + 1
        if not line_end or not self._text[line_end:end].strip():
            return end
        return line_end if self._reading.is_blank(line_end, end) else end

    def _behind_label(self, group: _Member, begin: int) -> int:
        """Where a definition would begin without the label above it and its comments."""
        label = group.ahead[0] if group.ahead else None
        if label is None or not self._types[label.kind_id].label:
            return group.start
        line_end = self._text.find("\n", self._to_character(label.end_byte), begin)
        return line_end + 1 if line_end >= 0 else group.start

    def _behind_comments(self, group: _Member) -> int:
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
        return self._line_begin(begin, group.start)


def _defines(groups: Sequence[_Member]) -> bool:
    """Whether the last of the groups defines something."""
    return bool(groups) and groups[-1].definition is not None


def _in_prose(groups: Sequence[_Member]) -> bool:
    """Whether the last of the groups is a paragraph."""
    return bool(groups) and groups[-1].kind == "paragraph"


def _settle(groups: list[_Member], pending: _Member) -> _Member | None:
    """Let comments stand for themselves when a blank line follows; what else waits goes on."""
    if pending.kind != "comment":
        return pending
    if groups and groups[-1].kind == "head":
        pending.tie = _HEAD
    if not pending.trails:
        groups.append(pending)
    return None


def _join(groups: Sequence[_Member], member: _Member) -> bool:
    """Put a member to an unfinished statement above it, if there is one."""
    above = groups[-1] if groups else None
    if above is None or not above.nodes or not _is_unfinished(above.nodes[-1]):
        return False
    above.nodes = (*above.nodes, *member.nodes)
    if member.definition is not None:
        above.definition, above.kind = member.definition, member.kind
        above.holder = member.holder
    return True


def _go_on(groups: Sequence[_Member], node: Node) -> bool:
    """Put a body to the signature right above it, if there is one."""
    above = groups[-1] if groups else None
    if above is None or not above.nodes:
        return False
    above.nodes = (*above.nodes, node)
    if above.definition is not None:
        above.holder = node
    return True


def _ends(node: Node, newlines: int, groups: Sequence[_Member], pending: _Member | None) -> bool:
    """Whether a node stands, all of it, behind a closing word or bracket on the same line."""
    if not groups or newlines or pending is None or pending.kind != "close":
        return False
    return node.start_point.row == node.end_point.row


def _tie(newlines: int, is_body: bool, groups: Sequence[_Member]) -> Tie:
    if not groups:
        return _FREE
    if newlines == 1 and groups[-1].kind == "comment":
        return _CLOSE
    if newlines == 0:
        return _INSIDE if is_body else _INLINE
    if is_body:
        return _NEXT if newlines == 1 else _LOOSE
    return _INSIDE


def _is_label(groups: Sequence[_Member], member: _Member) -> bool:
    """Whether a single word stands above a definition in a type: ``private``."""
    if member.kind not in DEFINITION_KINDS or not groups:
        return False
    above = groups[-1].nodes
    return len(above) == 1 and not above[0].child_count


def _is_unfinished(node: Node) -> bool:
    """Whether the grammar misses what should end the node, as a C macro makes it do."""
    # What is made up counts as an error of all that holds it, and children take time to make.
    return node.has_error and node.child_count > 0 and node.children[-1].is_missing


def _nothing_else(_position: int) -> Sequence[str]:
    """What a part carries that begins inside a row: what all others do."""
    return ()
