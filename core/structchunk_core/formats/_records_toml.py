"""The units of TOML: tables by the keys of their headers, pairs with the comments above them.

One pass finds the headers, going over the pairs between them; the pairs of a table are read when
it is opened. Tables in a row whose keys begin alike stand below one unit with that key.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from structchunk_core.formats._records_brackets import flow_end, flow_syntax
from structchunk_core.formats._records_flow import flow_unit
from structchunk_core.formats._records_strings import key_name, string_unit
from structchunk_core.formats._records_table import Rows, table_of_records
from structchunk_core.formats._records_told import alone
from structchunk_core.formats._records_toml_check import note_fault
from structchunk_core.formats._records_toml_told import TomlTelling, comments_of_toml
from structchunk_core.formats._records_toml_values import (
    BASIC,
    LITERAL,
    LONG_BASIC,
    LONG_LITERAL,
    ONE_KEY,
    cells_in_brackets,
    toml_keys,
    toml_value,
)
from structchunk_core.formats._records_units import (
    DEEPEST,
    IDENTIFYING,
    Faults,
    holder,
    shortened,
    together,
)
from structchunk_core.formats._records_values import Cells, Value, flattened
from structchunk_core.table_model import Table
from structchunk_core.unit import Parsed, Repeat, Tie, Told, Unit, make_unit

_KEY = rf"{ONE_KEY}(?:[ \t]*+\.[ \t]*+{ONE_KEY})*+"
_COMMENT = r"\#[^\n]*+"
_SYNTAX = flow_syntax(
    rf"{LONG_BASIC}|{LONG_LITERAL}|{BASIC}|{LITERAL}|{_COMMENT}",
    _KEY,
    "=",
    _COMMENT,
    _COMMENT,
    cells_in_brackets,
    comments_of_toml,
)
_END = rf"[ \t]*+(?:{_COMMENT})?+\r?(?:\n|\Z)"
_FLAT = r"(?:\"(?!\"\")(?:[^\"\\\n]++|\\.)*+\"|'(?!'')[^'\n]*+'|[^\"'\#\[{\n]++)*+"
_LINES = re.compile(rf"(?:[ \t]*+(?:{_KEY}[ \t]*+={_FLAT}(?:{_COMMENT})?+|{_COMMENT})?+\r?\n)*+")
"""Lines that are blank, a comment or a pair whose value ends in its line."""
_LAST_LINE = re.compile(
    rf"[ \t]*+(?:{_KEY}[ \t]*+={_FLAT}(?:{_COMMENT})?+|{_COMMENT})?+[ \t\r]*+\Z"
)
_HEADER = re.compile(rf"[ \t]*+(\[\[?)[ \t]*+({_KEY})[ \t]*+\]\]?{_END}")
_PAIR = re.compile(rf"[ \t]*+({_KEY})[ \t]*+=[ \t]*+")
_VALUE_END = re.compile(rf"{_FLAT}{_END}")
_LONG_STRING = re.compile(rf"(?:{LONG_BASIC}|{LONG_LITERAL})")
_REST = re.compile(r"[^\n]*+(?:\n|\Z)")
_ABOVE = re.compile(r"(?:[ \t]*+(?:\#[^\n]*+)?+\r?\n)*+[ \t]*+")
_BLANK_LINES = re.compile(r"(?:[ \t]*+\r?\n)*+")
_PLAIN_HEADER = re.compile(r"\[\[?[A-Za-z_][\w.-]*+\]\]?[ \t]*+(?:\#[^\n]*+)?\r?(?:\n|\Z)")
_NEXT = re.compile(r"\n[A-Za-z_][A-Za-z0-9_.-]*+[ \t]*+=")
_IDENTITY = re.compile(
    rf"(?:{'|'.join(sorted(name for name in IDENTIFYING if name.isidentifier()))})[ \t]*+=[ \t]*+"
    r"(?:[\"']([^\"'\\\n]{1,120})[\"']|([0-9]{1,30}))"
)
_UNREADABLE = "this is not TOML"
_UNCLOSED = "a bracket or string is opened and not closed"


class _Table(NamedTuple):
    """A table: where it begins with the comments above it, its header, and what is below that."""

    start: int
    header: int
    body: int
    keys: tuple[str, ...]
    in_list: bool


def parse_toml(text: str) -> Parsed:
    """The unit tree of a TOML document."""
    faults = Faults()
    tables = _tables(text, faults)
    note_fault(text, faults)
    length = len(text)
    first = tables[0].start if tables else length

    def children() -> Iterator[Unit]:
        yield from together(_pairs(text, 0, first))
        yield from _grouped(text, tables, 0, len(tables), 0, length)

    opener = children if text.strip("\ufeff \t\r\n") else None
    root = Unit("records", 0, length, atomic=False, language="toml", opener=opener)
    return Parsed(root, problems=faults.problems(len(text)), told=alone(told_by_toml))


def told_by_toml(text: str) -> Sequence[Told] | None:
    """What a TOML document tells, maybe a part of one.

    Returns:
        None where there are lines that cannot be read without what stood above them.
    """
    faults = Faults()
    tables = [_Table(0, 0, 0, (), in_list=False), *_tables(text, faults)]
    if not faults.is_empty():
        return None
    telling = TomlTelling()
    try:
        for number, table in enumerate(tables):
            end = tables[number + 1].start if number + 1 < len(tables) else len(text)
            header = _HEADER.match(text, table.header, table.body) if number else None
            telling.begin(toml_keys(header[2]) if header else (), text[table.start : table.body])
            position = table.body
            for above, pair, behind in _statements(text, table.body, end):
                telling.pair(text[position:above], pair[1], text[pair.end() : behind])
                position = behind
            telling.comments(text[position:end])
    except ValueError:
        return None
    telling.end()
    return [told for told in telling.found if told.pairs]


def _tables(text: str, faults: Faults) -> list[_Table]:
    """Every table that has a header, in order."""
    tables: list[_Table] = []
    position = floor = 1 if text.startswith("\ufeff") else 0
    length = len(text)
    while position < length:
        lines = _LINES.match(text, position)
        position = lines.end() if lines else position
        if position >= length or _LAST_LINE.match(text, position):
            break
        header = _HEADER.match(text, position)
        if header:
            start = _comments_above(text, position, floor)
            if not tables and not text[:start].strip("\ufeff \t\r\n"):
                start = 0
            keys = tuple(shortened(key_name(key)) for key in re.findall(ONE_KEY, header[2]))
            tables.append(_Table(start, position, header.end(), keys, header[1] == "[["))
            position = floor = header.end()
        else:
            position = floor = _statement_end(text, position, faults)
    return tables


def _comments_above(text: str, position: int, floor: int) -> int:
    """Where the comment lines begin that stand right above a line, not before a position."""
    while position > floor:
        line = text.rfind("\n", floor, position - 1) + 1 or floor
        if not text[line:position].lstrip(" \t").startswith("#"):
            break
        position = line
    return position


def _statement_end(text: str, position: int, faults: Faults | None) -> int:
    """Behind the statement that begins with the line: a pair, or a line that cannot be read."""
    pair = _PAIR.match(text, position)
    line = _REST.match(text, position)
    line_end = line.end() if line else len(text)
    if pair is None:
        if faults is not None:
            faults.note(_UNREADABLE, position, line_end)
        return line_end
    value = pair.end()
    flat = _VALUE_END.match(text, value)
    if flat:
        return flat.end()
    if text[value : value + 1] in ("[", "{"):
        end, is_closed = flow_end(text, value, _SYNTAX, _NEXT, _PLAIN_HEADER)
    else:
        string = _LONG_STRING.match(text, value)
        end, is_closed = (string.end(), True) if string else (line_end, False)
    if is_closed:
        rest = _REST.match(text, end)
        return rest.end() if rest else len(text)
    if faults is not None:
        faults.note(_UNCLOSED, position, end)
    return end


def _grouped(
    text: str, tables: list[_Table], first: int, behind: int, depth: int, end: int
) -> Iterator[Unit]:
    """Tables that share their first ``depth`` keys, those with one more in common as one unit."""
    number = first
    while number < behind:
        table = tables[number]
        key = table.keys[depth]
        following = number + 1
        while following < behind and tables[following].keys[depth : depth + 1] == (key,):
            following += 1
        stop = tables[following].start if following < behind else end
        is_own = len(table.keys) == depth + 1
        if following == number + 1 and is_own and not table.in_list:
            yield _table(text, table, stop, key)
        else:
            inside = partial(_group, text, tables, number, following, depth + 1, stop)
            kind = "sequence" if table.in_list and is_own else "mapping"
            if depth >= DEEPEST:
                yield make_unit("value", table.start, stop, key, tie=Tie.LOOSE)
            else:
                yield make_unit(
                    kind,
                    table.start,
                    stop,
                    key,
                    atomic=False,
                    tie=Tie.LOOSE,
                    opener=inside,
                    tabular=_rows(text, tables, number, following, depth + 1, stop),
                )
        number = following


def _group(
    text: str, tables: list[_Table], first: int, behind: int, depth: int, end: int
) -> Iterator[Unit]:
    """What stands below one key: the table itself, records of a list, the tables below it."""
    number = first
    while number < behind:
        table = tables[number]
        following = number + 1
        if len(table.keys) > depth:
            while following < behind and len(tables[following].keys) > depth:
                following += 1
            stop = tables[following].start if following < behind else end
            yield from _grouped(text, tables, number, following, depth, stop)
        elif table.in_list:
            while following < behind and len(tables[following].keys) > depth:
                following += 1
            stop = tables[following].start if following < behind else end
            inner = tables[number + 1].start if following > number + 1 else stop
            below = partial(_grouped, text, tables, number + 1, following, depth, stop)
            yield _table(text, table, stop, "", below, inner)
        else:
            stop = tables[following].start if following < behind else end
            yield _table(text, table, stop, "")
        number = following


def _rows(
    text: str, tables: list[_Table], first: int, behind: int, depth: int, end: int
) -> Callable[[], Table | None] | None:
    """What tells whether tables below one key are the rows of one; arguments as of _group."""
    if not tables[first].in_list or len(tables[first].keys) != depth:
        return None

    def rows() -> Rows | None:
        found = Rows()
        for number in range(first, behind):
            table = tables[number]
            if len(table.keys) == depth:
                if not table.in_list:
                    return None
                if found.starts:
                    found.ends[-1] = table.start
                found.add(table.header, end)
        return found

    def cells(start: int, end: int) -> Cells | None:
        number = bisect_left(tables, start, first, behind, key=_header_of)
        row = [tables[number]]
        while number + 1 < behind and tables[number + 1].header < end:
            number += 1
            row.append(tables[number])
        try:
            return list(flattened(_read(text, row, depth, end)))
        except ValueError:
            return None

    asides = partial(comments_of_toml, text)
    return table_of_records(rows, cells, asides, tables[first].keys[-1])


def _header_of(table: _Table) -> int:
    return table.header


def _read(
    text: str, tables: Sequence[_Table], depth: int, end: int
) -> tuple[tuple[str, Value], ...]:
    """What a record of a list says, with the tables and lists of tables below it.

    Args:
        text: the document.
        tables: that of the record and those below it, in order.
        depth: how many keys lead to the record.
        end: where the last of them ends.

    Raises:
        ValueError: something in it cannot be read.
    """
    whole: dict[str, Value] = {}
    for number, table in enumerate(tables):
        stop = tables[number + 1].start if number + 1 < len(tables) else end
        keys = table.keys[depth:]
        inner = whole
        for key in keys[: -1 if table.in_list else None]:
            inner = _below(inner, key)
        if keys and table.in_list:
            rows = inner.setdefault(keys[-1], [])
            if not isinstance(rows, list):
                raise ValueError(table.header)
            rows.append({})
            inner = rows[-1]
        for keys_of_pair, value in _values(text, table.body, stop):
            holder_of = inner
            for key in keys_of_pair[:-1]:
                holder_of = _below(holder_of, key)
            holder_of[keys_of_pair[-1]] = value
    return _as_pairs(whole)


def _below(table: dict[str, Value], key: str) -> dict[str, Value]:
    """What stands below a key: a table, or the last one of a list."""
    found = table.setdefault(key, {})
    if isinstance(found, list) and found:
        found = found[-1]
    if not isinstance(found, dict):
        raise ValueError(key)  # noqa: TRY004 -- the document is wrong, and no argument
    return found


def _values(text: str, start: int, end: int) -> Iterator[tuple[list[str], Value]]:
    """The keys and values of the pairs between two positions."""
    for _, pair, behind in _statements(text, start, end):
        yield toml_keys(pair[1]), toml_value(text, pair.end(), behind)


def _statements(text: str, start: int, end: int) -> Iterator[tuple[int, re.Match[str], int]]:
    """The pairs between two positions: where the line of each begins, its key, what is behind it.

    Raises:
        ValueError: a line is none.
    """
    position = start
    while position < end:
        above = _ABOVE.match(text, position, end)
        line = above.end() if above else position
        if line >= end or text[line] == "#":
            return
        pair = _PAIR.match(text, line, end)
        if pair is None:
            raise ValueError(line)
        position = min(end, _statement_end(text, line, None))
        yield line, pair, position


def _as_pairs(table: dict[str, Value]) -> tuple[tuple[str, Value], ...]:
    """Tables of headers as pairs, those inside first."""
    order: list[dict[str, Value]] = [table]
    for found in order:  # grows as it is gone through
        for value in found.values():
            inside = value if isinstance(value, list) else [value]
            order += [one for one in inside if isinstance(one, dict)]
    made: dict[int, tuple[tuple[str, Value], ...]] = {}
    for found in reversed(order):
        made[id(found)] = tuple((key, _made(value, made)) for key, value in found.items())
    return made[id(table)]


def _made(value: Value, made: dict[int, tuple[tuple[str, Value], ...]]) -> Value:
    if isinstance(value, dict):
        return made[id(value)]
    if isinstance(value, list):
        return [made[id(one)] if isinstance(one, dict) else one for one in value]
    return value


def _table(
    text: str, table: _Table, end: int, label: str, below: partial[Iterator[Unit]] | None = None,
    inner: int = -1,
) -> Unit:  # fmt: skip
    """A table with its pairs; a record of a list with the tables below it, too."""
    stop = end if below is None else inner

    def children() -> Iterator[Unit]:
        yield from together(_pairs(text, table.body, stop))
        if below is not None:
            yield from below()

    if table.in_list:
        found = _IDENTITY.match(text, table.body)
        label = shortened(found[1] or found[2]) if found else ""
    return holder(
        "record" if table.in_list else "mapping",
        (table.start, end),
        (table.body, end),
        children,
        Repeat(text[table.header : table.body], chained=True),
        label=label,
        tie=Tie.LOOSE,
    )


def _pairs(text: str, start: int, end: int) -> Iterator[Unit]:
    """The pairs between two positions, each with the comments above it."""
    position = start
    while position < end:
        above = _ABOVE.match(text, position, end)
        begin = above.end() if above else position
        line = text.rfind("\n", position, begin) + 1 or position
        if line == 0 and text.startswith("\ufeff"):
            line = 1
        if begin >= end or text[begin] == "#":  # nothing below it
            yield make_unit("comment", position, end, tie=Tie.CLOSE)
            return
        behind = min(end, _statement_end(text, line, None))
        blank = _BLANK_LINES.match(text, behind, end)
        behind = blank.end() if blank else behind
        comments = _comments_above(text, line, position)
        if comments > position and text[position:comments].strip():
            yield make_unit("comment", position, comments, tie=Tie.NEXT)
            position = comments
        yield _pair(text, position, line, behind)
        position = behind


def _pair(text: str, start: int, line: int, end: int) -> Unit:
    """One pair with the comments above it; lists and tables in brackets may be opened."""
    pair = _PAIR.match(text, line, end)
    if pair is None:
        return make_unit("value", start, end, tie=Tie.NEXT)
    label = shortened(key_name(pair[1]))
    value = pair.end()
    if text[value : value + 1] in ("[", "{"):
        return flow_unit(text, _SYNTAX, (start, line, value, end), label, 1)
    if text.startswith('"', value) and not text.startswith('"""', value):
        return string_unit(text, (start, line, value, end, end), label)
    return make_unit("pair", start, end, label, True, Tie.NEXT)
