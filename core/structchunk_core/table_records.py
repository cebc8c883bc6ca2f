"""Tables written as ``column: value; column: value``, one line for each row.

The document becomes another text, in which each table is such lines; all else stays as it is. Its
units move along, and the :class:`Rendering` tells where everything comes from.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from structchunk_core.rendering import Rendering
from structchunk_core.table_model import Table, made_up_name
from structchunk_core.table_text import BETWEEN, record_parts
from structchunk_core.tables import Carried, row_units, table_unit
from structchunk_core.unit import Facts, Outline, Parsed, Span, Tie, Unit

_CLOSED = frozenset({"fence", "code_cell", "front_matter", "math"})  # no tables are in them
_LEAD = re.compile(r"[ \t>]*+")
_MARK = re.compile(r"[ \t>]*+(?:[-*+]|\d{1,9}[.)])[ \t]++")
SEPARATORS = ", \t\r\n"
"""What may stand between the records of a list and says nothing."""
_UNUSED = "Empty columns: "
_Told = TypeVar("_Told")


def with_records(parsed: Parsed, text: str) -> Parsed:
    """The document with its tables as records; as it is when none of them has a value.

    Args:
        parsed: what was parsed.
        text: the text that its tree spans.
    """
    found = (_written(unit, text) for unit in tables_in(parsed.root))
    tables = [one for one in found if one is not None]
    if not tables:
        return parsed
    moves = _Moves(text, tables)
    own = Rendering(moves.text, moves.places(), len(text))
    below = parsed.rendering
    facts = parsed.facts
    return replace(
        parsed,
        root=moves.unit(parsed.root),
        facts=_moved_facts(facts, moves, own) if facts is not None else None,
        rendering=own.partial(moves.written()) if below is None else own.of(below),
    )


def tables_in(root: Unit) -> Iterator[Unit]:
    """The tables that stand in no other one, in order."""
    stack = [root]
    while stack:
        unit = stack.pop()
        if unit.as_table() is not None:
            yield unit
        elif unit.kind not in _CLOSED and unit.definition is None:
            stack.extend(reversed(unit.open()))


@dataclass(slots=True)
class _Written:
    """A table and what is written in its place.

    Attributes:
        unit: the table as it was.
        text: all of it as records.
        rows: where each row begins in that, then where the last one ends.
        cells: for each row where its cells begin.
        caption: what its parts carry.
    """

    unit: Unit
    text: str
    rows: list[int]
    cells: list[list[int]]
    caption: str


def _written(unit: Unit, text: str) -> _Written | None:
    """The table as records; None when no row of it has a value, and all would be lost."""
    table = unit.as_table()
    assert table is not None
    unused = _unused(table)
    if unused is None:
        return None
    if table.row_ends is not None:
        return _written_list(unit, table, text)
    head = text[unit.start : table.row_starts[0]]
    found = _MARK.match(head)
    mark = found[0] if found else ""
    lead = _LEAD.match(text, table.row_starts[0])
    blank = lead[0] if lead else ""
    before = table.caption if table.caption and table.caption in " ".join(head.split()) else ""
    opening = f"{mark or blank}{before}\n{blank.rstrip()}\n" if before else ""
    if unused:
        opening += f"{blank if before else mark or blank}{_UNUSED}{BETWEEN.join(unused)}\n"
    first = blank if opening else mark or blank
    lines = _Lines(opening)
    for number, row in enumerate(table.rows()):
        lines.add(blank if number else first, record_parts(table, row.values))
    written = text[unit.start : unit.end]
    tail = written[len(written.rstrip()) :].removeprefix("\r").removeprefix("\n")
    caption = f"{blank}{table.caption}\n{blank.rstrip()}\n" if table.caption else ""
    return lines.written(unit, tail, caption)


def _written_list(unit: Unit, table: Table, text: str) -> _Written:
    """A list of records with each on a line; what stands around them, and between, is kept."""
    position = table.row_starts[0]
    opening = text[unit.start : position].rstrip(" \t")
    lines = _Lines(f"{opening}\n" if opening and opening[-1] != "\n" else opening)
    for row in table.rows():
        between = text[position : row.start].strip(SEPARATORS)
        lines.add(f"{between}\n" if between else "", record_parts(table, row.values))
        position = row.end
    tail = text[position : unit.end].removeprefix("\r").removeprefix("\n")
    return lines.written(unit, tail, "")


class _Lines:
    """The rows of a table as they are written, one by one, behind an opening."""

    def __init__(self, opening: str) -> None:
        self._parts = [opening]
        self._length = len(opening)
        self._rows: list[int] = []
        self._cells: list[list[int]] = []

    def add(self, begin: str, record: Iterable[tuple[int, str]]) -> None:
        """One more row, with what stands in front of it."""
        self._rows.append(self._length)
        own, at = [begin], list[int]()
        length = self._length + len(begin)
        for _, words in record:
            if at:
                own.append(BETWEEN)
                length += len(BETWEEN)
            at.append(length)
            own.append(words)
            length += len(words)
        own.append("\n")
        self._length = length + 1
        self._parts.append("".join(own))
        self._cells.append(at)

    def written(self, unit: Unit, tail: str, caption: str) -> _Written:
        """All of it, and what stands behind."""
        text = "".join((*self._parts, tail))
        return _Written(unit, text, [*self._rows, self._length], self._cells, caption)


def _unused(table: Table) -> list[str] | None:
    """The names of the columns that no row has a value in; None when no column has one."""
    missing = dict.fromkeys(range(len(table.names)))
    has_values = False
    for row in table.rows():
        for column, value in enumerate(row.values):
            if value and not value.isspace():
                has_values = True
                missing.pop(column, None)
        if has_values and not missing:
            return []
    if not has_values:
        return None
    if not table.has_header:
        return []
    return [table.name(column) for column in missing if table.name(column) != made_up_name(column)]


class _Moves:
    """Where what stood in the old text stands in the new one.

    Args:
        old: the old text.
        written: its tables, in order.
    """

    def __init__(self, old: str, written: Sequence[_Written]) -> None:
        self._written = {(one.unit.start, one.unit.end): one for one in written}
        parts: list[str] = []
        self._olds = [0]  # where what follows begins, in the old text and in the new one
        self._news = [0]
        self._rows: list[list[tuple[int, int]]] = []
        position = length = 0
        for one in written:
            parts += (old[position : one.unit.start], one.text)
            length += one.unit.start - position
            self._olds.append(one.unit.start)
            self._news.append(length)
            length += len(one.text)
            position = one.unit.end
            self._olds.append(position)
            self._news.append(length)
        parts.append(old[position:])
        self.text = "".join(parts)
        self._length = len(old)

    def written(self) -> Iterator[tuple[int, int]]:
        """The spans of the tables in the new text."""
        return zip(self._news[1::2], self._news[2::2], strict=True)

    def places(self) -> Iterator[tuple[int, int]]:
        """Pairs of positions in the new text and the old one, as :class:`Rendering` wants them."""
        inside = iter(self._written.values())
        for number, (old, new) in enumerate(zip(self._olds, self._news, strict=True)):
            yield new, old
            if number % 2:
                one = next(inside)
                table = one.unit.as_table()
                assert table is not None
                for row, start in zip(one.rows, table.row_starts, strict=False):
                    if row:  # else it begins where the head does
                        yield new + row, start
                if table.row_ends is not None:
                    yield new + one.rows[-1], table.row_ends[-1]

    def position(self, old: int) -> int:
        """Where a position outside of tables, or at a border of one, has come to stand."""
        number = bisect_right(self._olds, old) - 1
        new = self._news[number] + old - self._olds[number]
        return min(new, self._news[number + 1]) if number + 1 < len(self._news) else new

    def unit(self, unit: Unit) -> Unit:
        """The unit as it stands in the new text."""
        table = unit.as_table()
        one = self._written.get((unit.start, unit.end)) if table is not None else None
        if one is not None and table is not None:
            return self._table(unit, table, one)
        opener = unit.opener
        problems = tuple(
            replace(each, start=self.position(each.start), end=self.position(each.end))
            for each in unit.problems
        )
        return replace(
            unit,
            start=self.position(unit.start),
            end=self.position(unit.end),
            opener=None if opener is None else lambda: map(self.unit, opener()),
            problems=problems,
            **self._kept(unit),
        )

    def _kept(self, unit: Unit) -> dict[str, Any]:
        """What else moves of a table that stays as it was written."""
        table, repeat = unit.as_table(), unit.repeat
        if table is None:
            return {"tabular": None}
        by = self.position(unit.start) - unit.start
        asides = table.asides
        moved = replace(
            table,
            row_starts=[start + by for start in table.row_starts],
            end=table.end + by,
            row_ends=None if table.row_ends is None else [end + by for end in table.row_ends],
            read=lambda start, end: table.read(start - by, end - by),
            asides=None if asides is None else lambda start, end: asides(start - by, end - by),
        )
        if repeat is not None and (inside := repeat.inside) is not None:
            repeat = replace(repeat, inside=lambda position: inside(position - by))
        return {"table": moved, "repeat": repeat, "tabular": None}

    def _table(self, unit: Unit, table: Table, one: _Written) -> Unit:
        base = self.position(unit.start)
        starts = [base + row for row in one.rows[:-1]]

        def number_of(position: int) -> int:
            return bisect_right(starts, position) - 1

        def read(start: int, _end: int) -> Sequence[str]:
            number = number_of(start)
            (row,) = table.rows(number, number + 1)
            return row.values

        def cell_starts(start: int, end: int) -> Iterable[int]:
            yield start
            yield from (base + at for at in one.cells[number_of(start)][1:] if base + at < end)

        end = base + len(one.text)
        if table.row_ends is not None:
            borders = [*starts, base + one.rows[-1]]

            def children() -> Iterator[Unit]:
                if starts[0] > base:
                    yield Unit("head", base, starts[0])
                yield from row_units(borders, cell_starts, is_first=starts[0] == base)
                if borders[-1] < end:
                    yield Unit("close", borders[-1], end, tie=Tie.HEAD, tail=unit.tail)

            moved = replace(table, row_starts=starts, row_ends=borders[1:], end=end, read=read)
            return replace(unit, start=base, end=end, opener=children, table=moved, tabular=None)
        below = one.unit.repeat.below if one.unit.repeat is not None else ()
        return table_unit(
            (base, end),
            replace(table, row_starts=starts, end=end, read=read),
            Carried(below=below[0]) if below else Carried(caption=one.caption),
            head_end=starts[0],
            cell_starts=cell_starts,
            tie=unit.tie,
            node_type=unit.node_type,
        )


def _moved_facts(facts: Facts, moves: _Moves, rendering: Rendering) -> Facts:
    """The facts, asked and told about the new text."""

    def names(ask: Callable[[int, int], _Told]) -> Callable[[int, int], _Told]:
        return lambda start, end: ask(rendering.origin(start), rendering.origin(end))

    def notes(start: int, end: int) -> tuple[Span, ...]:
        found = facts.notes(rendering.origin(start), rendering.origin(end))
        return tuple(Span(moves.position(one.start), moves.position(one.end)) for one in found)

    def outlines() -> Iterator[Outline]:
        for one in facts.outlines():
            start, end = one.span
            yield one._replace(span=Span(moves.position(start), moves.position(end)))

    return replace(
        facts,
        imports=names(facts.imports),
        calls=names(facts.calls),
        callers=names(facts.callers),
        members=names(facts.members),
        neighbours=names(facts.neighbours),
        outlines=outlines,
        notes=notes if facts.has_notes else facts.notes,
        anchor=names(facts.anchor) if facts.has_places else facts.anchor,
        cell=names(facts.cell) if facts.has_places else facts.cell,
    )
