"""Children of a node put together that belong together.

The same for every language: what stands in front of a definition and belongs to it (comments,
decorators) joins it, what trails on the same line stays on it, punctuation stays with what it
closes. The profile says which nodes are which.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from structchunk_core.formats._code_definitions import Definitions
from structchunk_core.formats._code_labels import arity_of, name_of
from structchunk_core.formats._code_members import Member
from structchunk_core.formats._code_places import Places
from structchunk_core.formats._code_reading import Reading
from structchunk_core.formats._code_types import NodeType
from structchunk_core.unit import DEFINITION_KINDS, Tie

if TYPE_CHECKING:
    from tree_sitter import Node

_SET_APART: Final = DEFINITION_KINDS | {"section"}
# The members of an enum class are slow to reach, and every child of every node needs one.
_FREE: Final = Tie.FREE
_LOOSE: Final = Tie.LOOSE
_NEXT: Final = Tie.NEXT
_CLOSE: Final = Tie.CLOSE
_HEAD: Final = Tie.HEAD
_INSIDE: Final = Tie.INSIDE
_INLINE: Final = Tie.INLINE
_BLANK_LINES: Final = re.compile(r"\n(?:[ \t\r]*\n)+")


class Grouping:
    """Groups the children of the nodes of one file.

    Args:
        reading: the file.
        definitions: what its nodes define.
        places: where they begin.
    """

    def __init__(self, reading: Reading, definitions: Definitions, places: Places) -> None:
        self._reading = reading
        self._text = reading.text
        self._data = reading.data
        self._types = reading.types
        self._to_character = reading.to_character
        self._definitions = definitions
        self._places = places
        self._has_errors = reading.root.has_error

    def group(
        self,
        groups: list[Member],
        children: Sequence[Node],
        head: int,
        start: int,
        is_body: bool,
        in_type: bool,
    ) -> None:
        """Put children together that belong together, behind the groups there are."""
        pending: Member | None = None  # comments, decorators, openers: wait for what follows
        prose = is_body and bool(self._data.prose)
        for child, of, begin, cut, newlines in self._places.placed(children, head, start, is_body):
            if of.waits or (of.carries and self._carries_decorator(child)):
                if not _trails(of, newlines, groups, pending):
                    pending = _wait(groups, pending, child, of, newlines, is_body, cut)
            elif of.trails and newlines < 2 and pending is None and _defines(groups):
                continue  # belongs to the definition above
            elif prose and (of.prose or (of.plain and not newlines and _in_prose(groups))):
                self._add_prose(groups, pending, child, cut, newlines)
                pending = None
            elif not of.named:
                if not newlines and pending is None and groups:
                    continue  # stays with what it closes or separates
                if pending is None:
                    pending = Member(cut, _tie(newlines, is_body, groups), "close")
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
            groups.append(Member(start, Tie.FREE))

    def _add(
        self,
        groups: list[Member],
        pending: Member | None,
        member: Member,
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

    def _is_macro_with_body(self, groups: Sequence[Member], of: NodeType) -> bool:
        """Whether a body follows what only looks like a call: ``TEST(stack, grows) {``."""
        above = groups[-1] if groups else None
        if above is None or not of.body or above.definition is not None or not above.nodes:
            return False
        call = above.nodes[-1]
        return _is_unfinished(call) and call.children[0].type == "call_expression"

    def _joins(self, groups: Sequence[Member], member: Member) -> bool:
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
        groups: list[Member],
        pending: Member | None,
        node: Node,
        cut: int,
        newlines: int,
    ) -> None:
        """Go on with the paragraph above, or begin others at the blank lines."""
        if pending is not None and newlines > 1:
            pending = _settle(groups, pending)
        if pending is not None or newlines > 1 or not _in_prose(groups):
            paragraph = Member(cut, _tie(newlines, True, groups), "paragraph")
            if pending is not None:
                paragraph.start, paragraph.tie = pending.start, pending.tie
            if groups and groups[-1].kind == "head":
                paragraph.tie = _HEAD
            groups.append(paragraph)
        end = self._to_character(node.end_byte)
        groups.extend(
            Member(blank.end(), _LOOSE, "paragraph")
            for blank in _BLANK_LINES.finditer(self._text, cut, end)
            if blank.end() < end
        )

    def _tie_to_head(self, member: Member, groups: Sequence[Member], in_type: bool) -> None:
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

    def _member(self, node: Node, of: NodeType, begin: int, is_body: bool, in_type: bool) -> Member:
        """What a child becomes by itself: a statement, an import, a definition, a container."""
        if of.plain:
            return Member(begin, _LOOSE, "statement" if is_body else "expression", (node,))
        if of.imports:
            return Member(begin, _LOOSE, "import", (node,))
        member = Member(begin, _LOOSE, "statement", (node,))
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


def _trails(of: NodeType, newlines: int, groups: Sequence[Member], pending: Member | None) -> bool:
    """Whether something that could wait belongs to what stands above.

    A comment does on its line; what the profile says so of, right below a definition.
    """
    if pending is not None or not groups:
        return False
    if of.comment:
        return not newlines
    return of.trails and newlines < 2 and groups[-1].definition is not None


def _wait(
    groups: list[Member],
    pending: Member | None,
    node: Node,
    of: NodeType,
    newlines: int,
    is_body: bool,
    cut: int,
) -> Member:
    """A comment or decorator put to those that wait for what they belong to."""
    if pending is not None and of.comment and newlines > 1:
        pending = _settle(groups, pending)
    if pending is None:
        pending = Member(cut, _tie(newlines, is_body, groups), "comment")
        pending.trails = of.trails and newlines < 2 and _defines(groups)
    if not of.comment and pending.kind == "comment":
        pending.kind = "opener"
    pending.ahead = (*pending.ahead, node)
    return pending


def _defines(groups: Sequence[Member]) -> bool:
    """Whether the last of the groups defines something."""
    return bool(groups) and groups[-1].definition is not None


def _in_prose(groups: Sequence[Member]) -> bool:
    """Whether the last of the groups is a paragraph."""
    return bool(groups) and groups[-1].kind == "paragraph"


def _settle(groups: list[Member], pending: Member) -> Member | None:
    """Let comments stand for themselves when a blank line follows; what else waits goes on."""
    if pending.kind != "comment":
        return pending
    if groups and groups[-1].kind == "head":
        pending.tie = _HEAD
    if not pending.trails:
        groups.append(pending)
    return None


def _join(groups: Sequence[Member], member: Member) -> bool:
    """Put a member to an unfinished statement above it, if there is one."""
    above = groups[-1] if groups else None
    if above is None or not above.nodes or not _is_unfinished(above.nodes[-1]):
        return False
    above.nodes = (*above.nodes, *member.nodes)
    if member.definition is not None:
        above.definition, above.kind = member.definition, member.kind
        above.holder = member.holder
    return True


def _go_on(groups: Sequence[Member], node: Node) -> bool:
    """Put a body to the signature right above it, if there is one."""
    above = groups[-1] if groups else None
    if above is None or not above.nodes:
        return False
    above.nodes = (*above.nodes, node)
    if above.definition is not None:
        above.holder = node
    return True


def _ends(node: Node, newlines: int, groups: Sequence[Member], pending: Member | None) -> bool:
    """Whether a node stands, all of it, behind a closing word or bracket on the same line."""
    if not groups or newlines or pending is None or pending.kind != "close":
        return False
    return node.start_point.row == node.end_point.row


def _tie(newlines: int, is_body: bool, groups: Sequence[Member]) -> Tie:
    if not groups:
        return _FREE
    if newlines == 1 and groups[-1].kind == "comment":
        return _CLOSE
    if newlines == 0:
        return _INSIDE if is_body else _INLINE
    if is_body:
        return _NEXT if newlines == 1 else _LOOSE
    return _INSIDE


def _is_label(groups: Sequence[Member], member: Member) -> bool:
    """Whether a single word stands above a definition in a type: ``private``."""
    if member.kind not in DEFINITION_KINDS or not groups:
        return False
    above = groups[-1].nodes
    return len(above) == 1 and not above[0].child_count


def _is_unfinished(node: Node) -> bool:
    """Whether the grammar misses what should end the node, as a C macro makes it do."""
    # What is made up counts as an error of all that holds it, and children take time to make.
    return node.has_error and node.child_count > 0 and node.children[-1].is_missing
