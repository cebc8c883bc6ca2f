"""What stands beside the chunks that hold a table: its profile, and entries for its rows.

The profile answers what no part can: how many, total, most, least, average. It is found by a
short text and shown whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from structchunk_core.blocks import trim
from structchunk_core.chunks import Chunk, Entry, changed_chunk, chunk_id, make_chunk
from structchunk_core.context import context_candidates, written
from structchunk_core.describing import Description
from structchunk_core.errors import PlacedProblems, Problem
from structchunk_core.framing import CONTEXT_SHARE, Frame
from structchunk_core.packing import Piece
from structchunk_core.scopes import Scope
from structchunk_core.sizing import Measure
from structchunk_core.source import LineNumbers, Source
from structchunk_core.table_columns import Column
from structchunk_core.table_model import Table
from structchunk_core.table_profile import Profile, profile_of
from structchunk_core.table_text import column_facts, headline, summary_pieces
from structchunk_core.unit import Span, Unit

_CLOSED: Final = frozenset({"fence", "code_cell", "front_matter", "math"})  # no tables are in them
_SUMMARY_SHARE: Final = 8  # this part of the budget is for what is embedded of a profile


@dataclass(slots=True)
class Placed:
    """A table and the chunks that hold it.

    Attributes:
        unit: the table.
        numbers: of the chunks that hold a part of it, or all of it, ascending.
        around: the units around it with a label, outermost first.
        is_split: whether it could not stay whole.
        parent_id: the id of the table, which those of its parts have that hold part of no table in
            front of it; ``""`` where none has it.
    """

    unit: Unit
    around: tuple[Unit, ...]
    is_split: bool
    numbers: list[int] = field(default_factory=list)
    parent_id: str = ""


class Tabling:
    """The tables of one document that has been cut, and what is made of them.

    Args:
        source: the document that spans of units and pieces speak of.
        title: its own title, or ``""``.
        frame: how contexts and texts are put together.
        measure: the unit of the budget.
        problems: of the document.
    """

    def __init__(
        self,
        source: Source,
        title: str,
        frame: Frame,
        measure: Measure,
        problems: Sequence[Problem] = (),
    ) -> None:
        self._source = source
        self._title = title
        self._frame = frame
        self._measure = measure
        self._problems = PlacedProblems(problems)
        self._lines = LineNumbers(source.text)
        self._seen: dict[tuple[str, ...], int] = {}

    def profiles(self, tables: Sequence[Placed], chunks: Sequence[Chunk]) -> Iterator[Chunk]:
        """The profiles of the tables, each a chunk or, when it has many columns, several."""
        for placed in tables:
            table = placed.unit.as_table()
            assert table is not None
            if len(table):
                yield from self._profiles_of(placed, profile_of(table), chunks)

    def with_parents(
        self, tables: Sequence[Placed], chunks: Sequence[Chunk], whole_ids: Mapping[int, str]
    ) -> list[Chunk]:
        """The chunks with the id that the parts of each list of records share.

        A chunk has one id. What holds a part of one record, which is atomic, has the id of that
        already; a list that is nowhere else has none. What holds the end of one table and the
        beginning of the next has the id of the first, as everywhere; the other parts of the second
        have that of the second, and its profile names all chunks that hold it.

        Args:
            tables: those that were split, in order.
            chunks: of the document.
            whole_ids: the id that the parts of each split atomic unit share, by ``id(unit)``.
        """
        found = list(chunks)
        for placed in tables:
            if placed.unit.atomic:
                own = whole_ids.get(id(placed.unit), "")
                if any(found[number].parent_id == own for number in placed.numbers):
                    placed.parent_id = own
                continue
            if all(found[number].parent_id for number in placed.numbers):
                continue
            names = tuple(unit.label for unit in placed.around)
            placed.parent_id = self._id((placed.unit.kind, *names), "")
            for number in placed.numbers:
                if found[number].parent_id:
                    continue
                entries = [
                    replace(one, parent_id=placed.parent_id) for one in chunks[number].entries
                ]
                found[number] = changed_chunk(
                    found[number], parent_id=placed.parent_id, entries=tuple(entries)
                )
        return found

    def with_rows(self, tables: Sequence[Placed], chunks: Sequence[Chunk]) -> list[Chunk]:
        """The chunks with an entry for each row of the tables, at the chunk that it begins in."""
        entries: dict[int, list[Entry]] = {}
        for placed in tables:
            table = placed.unit.as_table()
            assert table is not None
            contexts = self._contexts(placed, chunks)
            for number in placed.numbers:
                chunk = chunks[number]
                found = entries.setdefault(number, [])
                for row in table.row_numbers(chunk.span.start, chunk.span.end):
                    text = self._row_text(placed.unit, table, row, contexts)
                    if text:
                        identity = self._id(("row", *chunk.path), text)
                        entry = Entry(text, "row", "", chunk.id, chunk.parent_id, identity)
                        found.append(entry)
        return [
            changed_chunk(chunk, entries=(*chunk.entries, *entries[number]))
            if entries.get(number)
            else chunk
            for number, chunk in enumerate(chunks)
        ]

    def _row_text(self, unit: Unit, table: Table, row: int, contexts: Sequence[str]) -> str:
        """Context, caption, names and the row, as much of it as there is room for."""
        is_last = row + 1 == len(table) and table.row_ends is None  # what stands below comes along
        behind = unit.end if is_last else table.row_end(row)
        words = self._source.text[table.row_starts[row] : behind].rstrip()
        heads = [""]
        if (repeat := unit.repeat) is not None and table.row_ends is None:
            captions = [f"{below.strip()}\n\n" for below in repeat.below] + [""]
            heads = [
                words + head for words in captions for head in (repeat.before, *repeat.shorter)
            ]
        for head in heads:
            for context in contexts:
                glue = self._frame.glue if context else ""
                text = f"{context}{glue}{head}{words}"
                if self._measure.count(text) <= self._frame.limit:
                    return text
        return ""

    def _profiles_of(
        self, placed: Placed, profile: Profile, chunks: Sequence[Chunk]
    ) -> Iterator[Chunk]:
        inside = [chunks[number] for number in placed.numbers]
        table = placed.unit.as_table()
        assert table is not None
        contexts = self._contexts(placed, chunks)
        begin, end = trim(self._source.text, placed.unit.start, placed.unit.end)
        first = inside[0]
        # All of them may be parts of what the table is in, and have the id of that.
        parents = {one.parent_id for one in inside}
        shared = inside[-1].parent_id if placed.is_split and len(parents) == 1 else ""
        path = tuple(unit.label for unit in placed.around)
        for text, columns in self._groups(profile, table.caption, contexts[0]):
            fitting = [one for one in contexts if self._is_shown_with(one, text)]
            context, summary = self._summary(profile, table.caption, columns, fitting)
            if not summary:
                return
            embedded = self._frame.of_indexed().embedded(context, summary)
            yield make_chunk(
                self._frame.shown(context, text),
                Span(begin, end),
                embedded,
                context,
                "table_profile",
                "table",
                self._source.format,
                "",
                self._source.path,
                path,
                node_type="table_profile",
                verbatim=False,
                start_line=self._lines.line_at(begin),
                end_line=self._lines.line_at(max(begin, end - 1)),
                parent_id=placed.parent_id or (shared if placed.unit.atomic else ""),
                size_at_most=self._measure.count(embedded),
                problems=tuple(self._problems.touching(begin, end)),
                id=self._id(("table_profile", *path), text),
                element_types=("table",),
                headings=tuple((unit.level, unit.label) for unit in placed.around if unit.level),
                anchor=first.anchor,
                cell=first.cell,
                _count=self._measure.count,
                derived=True,
                child_ids=tuple(chunk.id for chunk in inside),
                indexed=self._frame.shown(context, summary),
            )

    def _is_shown_with(self, context: str, text: str) -> bool:
        """Whether the text as it is shown with the context keeps the budget."""
        frame = self._frame
        return not (context and frame.inline) or (
            self._measure.count(frame.shown(context, text)) <= frame.limit
        )

    def _groups(
        self, profile: Profile, caption: str, context: str
    ) -> Iterator[tuple[str, list[Column]]]:
        """The whole profile in as many texts as its columns need, each within the budget.

        They leave room for the context where it becomes part of them, unless the line of one
        column needs that.
        """
        count, limit = self._measure.count, self._frame.limit
        heads = (headline(profile, caption), headline(profile, ""))
        head = next((one for one in heads if count(one) * 2 <= limit), "")
        if not head:
            return
        room = limit - count(head)
        above = self._frame.shown(context, "")
        most = room - count(above) - self._measure.slack(0) if above else room
        lines: list[str] = []
        columns: list[Column] = []
        used = 0
        for column in profile.columns:
            line, size = self._line(column, room)
            if columns and used + size > most:
                yield "\n".join((head, *lines)), columns
                lines, columns, used = [], [], 0
            if line:
                lines.append(line)
                columns.append(column)
                used += size
        if columns:
            yield "\n".join((head, *lines)), columns

    def _line(self, column: Column, room: int) -> tuple[str, int]:
        """As much about a column as there is room for, and what it measures at most."""
        facts = column_facts(column)
        for number in range(len(facts), 0, -1):
            line = "; ".join(facts[:number])
            size = self._measure.count("\n" + line) + self._measure.slack(0)
            if size <= room:
                return line, size
        return "", 0

    def _summary(
        self, profile: Profile, caption: str, columns: Sequence[Column], contexts: Sequence[str]
    ) -> tuple[str, str]:
        """The fullest context, and what is embedded with it; no words if there is no room."""
        pieces = summary_pieces(profile, caption, columns)
        count, frame = self._measure.count, self._frame.of_indexed()
        most = max(frame.limit // _SUMMARY_SHARE, min(frame.limit, 60))
        kept: list[str] = []
        used = 0
        for piece in pieces:
            used += count(piece) + 1
            if kept and used > most:
                break
            kept.append(piece)
        words = "; ".join(kept)
        for context in contexts:
            if count(frame.counted(context, words)) <= frame.most:
                return context, words
        return "", ""

    def _contexts(self, placed: Placed, chunks: Sequence[Chunk]) -> list[str]:
        """Contexts for what is made of a table, the fullest first, and none at all."""
        if not self._frame.has_context:
            return [""]
        first = chunks[placed.numbers[0]]
        path = tuple(unit.label for unit in placed.around)
        description = Description(
            "table", ("table",), "", path, (), None, "", "", first.node_type, None
        )
        share = self._frame.limit // CONTEXT_SHARE
        lines = context_candidates(description, self._source, self._title, 0, share)
        contexts = (written(one, self._source) for one in lines)
        return [*(one for one in contexts if one and self._measure.count(one) <= share), ""]

    def _id(self, names: tuple[str, ...], text: str) -> str:
        key = (*names, text)
        occurrence = self._seen[key] = self._seen.get(key, -1) + 1
        return chunk_id(self._source.path, ("", *names), text, occurrence)


def split_tables(pieces: Sequence[Piece]) -> list[Placed]:
    """The tables that did not stay whole, in order, each with the pieces that hold a part of it."""
    found: dict[int, Placed] = {}
    known: dict[int, tuple[Unit, tuple[Unit, ...]] | None] = {}
    outside: Scope | None = None  # that of the last unit in no table: mostly that of the next too
    for number, piece in enumerate(pieces):
        for scope in (*piece.scopes, piece.scope):
            if scope is None or scope is outside:
                continue
            if id(scope) not in known:
                known[id(scope)] = _table_around(scope)
            around = known[id(scope)]
            if around is None:
                outside = scope
                continue
            unit, labelled = around
            placed = found.get(id(unit))
            if placed is None:
                placed = found[id(unit)] = Placed(unit, labelled, is_split=True)
            if placed.numbers[-1:] != [number]:
                placed.numbers.append(number)
    return list(found.values())


def whole_tables(pieces: Sequence[Piece]) -> list[Placed]:
    """The tables that did stay whole, in order; opens what the pieces hold."""
    found: list[Placed] = []
    for number, piece in enumerate(pieces):
        for unit, scope in zip(piece.units, piece.scopes, strict=True):
            chain = scope.chain() if scope is not None else ()
            labelled = tuple(one for one in chain if one.label)
            stack = [(unit, labelled)]
            while stack:
                one, around = stack.pop()
                if one.as_table() is not None:
                    found.append(Placed(one, around, is_split=False, numbers=[number]))
                elif one.kind not in _CLOSED and one.definition is None:
                    inner = (*around, one) if one.label else around
                    stack.extend((child, inner) for child in reversed(one.open()))
    return found


def _table_around(scope: Scope) -> tuple[Unit, tuple[Unit, ...]] | None:
    """The outermost table that is opened around a scope, and what has a label around it."""
    chain = scope.chain()
    for number, unit in enumerate(chain):
        if unit.as_table() is not None:
            return unit, tuple(one for one in chain[: number + 1] if one.label)
    return None
