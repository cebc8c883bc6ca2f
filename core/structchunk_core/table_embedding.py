"""Tables that are shown as they are written and embedded as records (``table_format="both"``).

Chunks stay the slices that they are. Before the document is cut, each row of a table that does not
fit as a whole is given the size of its longer form; afterwards what is embedded of the chunks is
written anew.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from structchunk_core.blocks import trim
from structchunk_core.chunks import Chunk
from structchunk_core.errors import Problem
from structchunk_core.framing import Frame
from structchunk_core.scales import Scale
from structchunk_core.sizing import Measure
from structchunk_core.table_model import Row, Table
from structchunk_core.table_records import SEPARATORS
from structchunk_core.table_text import BETWEEN, record_parts
from structchunk_core.tabling import Placed
from structchunk_core.unit import Unit


def widened(scale: Scale, tables: Iterable[Unit], text: str, measure: Measure, room: int) -> Scale:
    """The measured document, its rows as large as the longer of their two forms.

    Only those of tables that are larger than the room: others stay whole as they are written.

    Args:
        scale: the document as it is written.
        tables: its tables, in order.
        text: the document.
        measure: the unit of the budget.
        room: what a chunk has room for, in that unit.
    """
    starts, added = array("q", [0]), array("q", [0])
    total = 0
    for unit in tables:
        table = unit.as_table()
        assert table is not None
        about = scale.high(unit.end) - scale.low(unit.start)
        slack = measure.slack(min(about, room))
        if unit.atomic and (
            about + slack <= room or (about - slack <= room and _fits(unit, text, measure, room))
        ):
            continue
        carried = measure.count(unit.repeat.before + unit.repeat.after) if unit.repeat else 0
        most = room - carried - 2 * slack
        for row in table.rows():
            starts.append(row.start)
            added.append(total)
            record = BETWEEN.join(_record(table, row))
            grid = scale.high(row.end) - scale.low(row.start)
            total += max(0, min(measure.count(record + "\n"), most) - grid)  # none is cut for it
        starts.append(table.end)
        added.append(total)
    return _WidenedScale(scale, starts, added) if total else scale


def _fits(unit: Unit, text: str, measure: Measure, room: int) -> bool:
    start, end = trim(text, unit.start, unit.end)
    return measure.count(text[start:end]) <= room


class _WidenedScale:
    """A scale with something added behind each of some positions, spread up to the next."""

    __slots__ = ("_added", "_scale", "_starts")

    def __init__(self, scale: Scale, starts: Sequence[int], added: Sequence[int]) -> None:
        self._scale = scale
        self._starts = starts
        self._added = added

    def low(self, position: int) -> int:
        return self._scale.low(position) + self._more(position)

    def high(self, position: int) -> int:
        return self._scale.high(position) + self._more(position)

    def reach(self, start: int, amount: int) -> int:
        """Searched for by halves: what is added can only bring the end nearer."""
        most = self.low(start) + amount
        near, far = start, max(start, self._scale.reach(start, amount))
        while near < far:
            middle = (near + far + 1) // 2
            if self.high(middle) <= most:
                near = middle
            else:
                far = middle - 1
        return near

    def _more(self, position: int) -> int:
        number = bisect_right(self._starts, position) - 1
        if number + 1 >= len(self._starts):
            return self._added[-1]
        start, end = self._starts[number], self._starts[number + 1]
        low, high = self._added[number], self._added[number + 1]
        return low + (high - low) * (position - start) // (end - start) if high > low else low


_MARKS = re.compile(r"[*_`]++")  # none of them are in a caption


class _Stretch(NamedTuple):
    """What of a slice is to be written anew, in characters of the text, and as what."""

    start: int
    end: int
    words: str


def with_embedded_records(
    chunks: Sequence[Chunk],
    tables: Sequence[Placed],
    text: str,
    frame: Frame,
    measure: Measure,
    most: int,
) -> list[Chunk]:
    """The chunks, with the rows of tables in them embedded as records.

    A chunk stays as it is where a row is cut in it, since its records would not be whole, and
    where no row has a value, or where a model has described it. One whose records do not fit does
    so with the problem ``records-omitted``.

    Args:
        chunks: of the text.
        tables: where they are.
        text: the text that was cut.
        frame: how contexts and texts are put together.
        measure: the unit of the budget.
        most: what the context and the records may measure together.
    """
    inside: dict[int, list[Placed]] = {}
    for placed in tables:
        for number in placed.numbers:
            inside.setdefault(number, []).append(placed)
    found = list(chunks)
    for number, held in inside.items():
        chunk = chunks[number]
        if chunk.indexed:
            continue
        held.sort(key=lambda placed: placed.unit.start)
        words = _with_records(chunk, held, text)
        if not words:
            continue
        embedded = frame.embedded(chunk.context, words)
        size = measure.count(frame.counted(chunk.context, words))
        if size > most:
            found[number] = replace(chunk, problems=(*chunk.problems, _omitted(chunk)))
            continue
        found[number] = replace(
            chunk,
            embed_text=embedded,
            indexed=frame.shown(chunk.context, words),
            size_at_most=measure.count(embedded),
            _size=-1,
            _count=measure.count,
        )
    return found


def _omitted(chunk: Chunk) -> Problem:
    return Problem(
        "records-omitted",
        "the rows fit as they are written and not as records: they are embedded as written",
        *chunk.span,
    )


def _with_records(chunk: Chunk, tables: Sequence[Placed], text: str) -> str:
    """The text of a chunk without its context, rows as records; ``""`` where none can be."""
    start, end = chunk.span
    prefix, suffix = chunk.prefix, chunk.suffix
    if tables[0].unit.start < start and tables[0].unit.table is not None:
        prefix, suffix = _without_head(tables[0].unit, prefix, suffix)
    parts = [prefix]
    position = start
    for placed in tables:
        one = _records_of(placed.unit, start, end, text)
        if one is None:
            return ""
        if one.words:
            caption = table.caption if (table := placed.unit.table) is not None else ""
            around = "".join((*parts, text[position : one.start], text[one.end : end], suffix))
            is_told = caption in " ".join(_MARKS.sub("", around).split())
            parts += (text[position : one.start], "" if is_told else f"{caption}\n\n", one.words)
            position = one.end
    return "".join((*parts, text[position:end], suffix)) if position > start else ""


def _records_of(unit: Unit, start: int, end: int, text: str) -> _Stretch | None:
    """The rows of a table in a slice as lines; None where the slice cuts one."""
    table = unit.as_table()
    assert table is not None
    start, end = trim(text, max(start, unit.start), min(end, unit.end))
    numbers = table.row_numbers(start, end)
    if not numbers:
        return None
    first, last = numbers.start, numbers.stop - 1
    is_list = table.row_ends is not None
    if (first and text[start : table.row_end(first - 1)].strip()) or (
        text[end : table.row_end(last)].strip()
    ):
        return None
    lines: list[str] = []
    has_rows = False
    position = table.row_starts[first]
    for row in table.rows(first, last + 1):
        if is_list:
            between = text[position : row.start].strip(SEPARATORS)  # comments
            lines += [between] if between else []
            position = row.end
        parts = _record(table, row)
        if parts:
            has_rows = True
            lines.append(BETWEEN.join(parts))
    if not has_rows:
        return _Stretch(start, start, "")
    if is_list:  # what is around them tells what they are in
        start, end = table.row_starts[first], min(end, table.row_end(last))
        line = text.rfind("\n", 0, start) + 1
        if text[line:start].strip():
            lines.insert(0, "")
        else:
            start = line
        if text[end : end + 1] not in ("", "\r", "\n"):
            lines.append("")
    return _Stretch(start, end, "\n".join(lines))


def _record(table: Table, row: Row) -> list[str]:
    """The cells of a row that are not empty, and the words that are in none."""
    parts = [words for _, words in record_parts(table, row.values)]
    asides = table.asides(row.start, row.end) if table.asides is not None else ""
    return [*parts, asides] if asides else parts


def _without_head(unit: Unit, prefix: str, suffix: str) -> tuple[str, str]:
    """What a part has around its slice, without header rows and what closes them."""
    repeat = unit.repeat
    for head in (repeat.before, *repeat.shorter) if repeat is not None else ():
        if head and head in prefix:
            before, _, behind = prefix.rpartition(head)
            closing = repeat.after if repeat is not None else ""
            return before + behind, suffix.replace(closing, "", 1) if closing else suffix
    return prefix, suffix
