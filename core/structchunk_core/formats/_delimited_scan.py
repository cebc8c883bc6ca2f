"""Records and cells of delimited text: where they stand, and what they say.

The ``csv`` module tells no positions, so records are found here, in one pass. A cell may be quoted
with ``"``, a quote inside is doubled, a quoted cell may hold line ends. Lines without quotes, which
are most, are looked at many at a time; a record whose quotes all stand where ``csv`` would have
written them is one match; only others are walked cell by cell. Cells are text and are never
interpreted.
"""

from __future__ import annotations

import csv
import io
import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate

_QUOTED = re.compile(r'"([^"]*+(?:""[^"]*+)*+)"')
_BETWEEN_QUOTES = re.compile(r'"[^"]*+"')
_MOST_PROBLEMS = 50
_AT_ONCE = 1 << 16  # characters whose lines are looked at together


@dataclass(frozen=True, slots=True)
class Dialect:
    """How records are written.

    Attributes:
        delimiter: what stands between cells.
        line_end: the last character of a line end.
        cell: matches one cell; its group 1 is an unquoted one.
        record: matches a record with its line end that the ``csv`` module reads as it is read here.
    """

    delimiter: str
    line_end: str
    cell: re.Pattern[str]
    record: re.Pattern[str]


def make_dialect(delimiter: str, line_end: str, *, blank_before_quote: bool) -> Dialect:
    """The dialect; ``blank_before_quote`` says that blanks may stand in front of a quoted cell."""
    blanks = "" if delimiter == " " else " *+"
    lead = blanks if blank_before_quote else ""
    mark = re.escape(delimiter)
    stop = f"{mark}{line_end}"
    plain = rf'"[^"]*+(?:""[^"]*+)*+"|[^{mark}"\r\n]*+'
    ending = r"\r?+\n" if line_end == "\n" else r"\r"
    return Dialect(
        delimiter,
        line_end,
        re.compile(
            # closed where a cell can end: it may hold line ends
            f'{lead}"[^"]*+(?:""[^"]*+)*+"{blanks}(?=[{stop}]|\r{line_end}|\\Z)'
            # closed inside the line, with something behind: read as csv does
            f'|{lead}"[^"{line_end}]*+(?:""[^"{line_end}]*+)*+"[^{stop}]*+'
            # unquoted, or a quote that is never closed: that one counts as text, so that it
            # cannot swallow the rows below. From such a quote on no other scan runs as far.
            f"|([^{stop}]*+)"
        ),
        re.compile(rf"(?:{plain})(?:{mark}(?:{plain}))*+(?:{ending}|\Z)"),
    )


@dataclass(slots=True)
class Run:
    """Records in a row that share a problem; the half-open span and how many they are."""

    start: int
    end: int
    count: int = 1


def note(runs: list[Run], start: int, end: int) -> None:
    """Count a record in; all behind the first fifty runs are told as one."""
    if runs and (runs[-1].end == start or len(runs) >= _MOST_PROBLEMS):
        runs[-1].end = end
        runs[-1].count += 1
    else:
        runs.append(Run(start, end))


@dataclass(slots=True)
class Scan:
    """Every record that is not blank.

    Attributes:
        starts: where each begins, in characters of the text.
        widths: how many cells it has.
        unclosed: those with a quote that is never closed.
        is_regular: whether the ``csv`` module reads all records with quotes as they are read here.
    """

    starts: array[int] = field(default_factory=lambda: array("q"))
    widths: array[int] = field(default_factory=lambda: array("q"))
    unclosed: list[Run] = field(default_factory=list)
    is_regular: bool = True


def scan_records(text: str, position: int, dialect: Dialect) -> Scan:
    """The records from a position on."""
    scan = Scan()
    length = len(text)
    line_end, delimiter = dialect.line_end, dialect.delimiter
    match_record = dialect.record.match
    quote = -1
    while position < length:
        if quote < position:
            quote = text.find('"', position)
            quote = length if quote < 0 else quote
        stop = text.rfind(line_end, position, min(quote, position + _AT_ONCE)) + 1
        if not stop:  # one line is longer than that, or holds the quote
            stop = text.find(line_end, position) + 1 or length
        if quote >= stop:
            _take_lines(scan, text, position, stop, dialect)
            position = stop
            continue
        scan.starts.append(position)
        record = match_record(text, position)
        if record is None:
            position = _take_irregular(scan, text, position, dialect)
        else:
            outside = _BETWEEN_QUOTES.sub("", record[0])
            scan.widths.append(outside.count(delimiter) + 1)
            position = record.end()
    return scan


def _take_lines(scan: Scan, text: str, start: int, end: int, dialect: Dialect) -> None:
    """Whole lines without a quote: each is a record."""
    lines = text[start:end].split(dialect.line_end)
    if not lines[-1]:
        del lines[-1]  # behind the last line end
    delimiter = dialect.delimiter
    widths = [line.count(delimiter) + 1 for line in lines]
    starts = list(accumulate([len(line) + 1 for line in lines], initial=start))
    starts.pop()
    if 1 in widths:
        filled = [
            width > 1 or line.strip() != "" for width, line in zip(widths, lines, strict=True)
        ]
        starts = [one for one, is_filled in zip(starts, filled, strict=True) if is_filled]
        widths = [one for one, is_filled in zip(widths, filled, strict=True) if is_filled]
    scan.starts.extend(starts)
    scan.widths.extend(widths)


def _take_irregular(scan: Scan, text: str, start: int, dialect: Dialect) -> int:
    """A record that is walked cell by cell; gives its end."""
    match_cell, delimiter = dialect.cell.match, dialect.delimiter
    length = len(text)
    position, width, is_closed = start, 1, True
    while True:
        match = match_cell(text, position)
        assert match is not None  # it matches anywhere, if only nothing
        if match.lastindex and text.startswith('"', position):
            is_closed = False
        position = match.end()
        if position >= length or text[position] != delimiter:
            break
        position += 1
        width += 1
    position = _behind_line_end(text, position, dialect)
    scan.is_regular = False
    scan.widths.append(width)
    if not is_closed:
        note(scan.unclosed, start, position)
    return position


def cell_spans(text: str, position: int, dialect: Dialect) -> Iterator[tuple[int, int]]:
    """The cells of the record that starts at the position, as written, without delimiters."""
    match_cell, delimiter = dialect.cell.match, dialect.delimiter
    length = len(text)
    while True:
        match = match_cell(text, position)
        assert match is not None  # it matches anywhere, if only nothing
        end = match.end()
        yield position, end
        if end >= length or text[end] != delimiter:
            return
        position = end + 1


def record_end(text: str, start: int, dialect: Dialect) -> int:
    """One past the record that starts there, with its line end."""
    end = start
    for _, end in cell_spans(text, start, dialect):  # noqa: B007 -- the last one counts
        pass
    return _behind_line_end(text, end, dialect)


def _behind_line_end(text: str, position: int, dialect: Dialect) -> int:
    if position >= len(text):
        return position
    return position + (1 if text[position] == dialect.line_end else 2)


def values_at(text: str, start: int, dialect: Dialect) -> list[str]:
    """What the cells of the record that starts at the position say."""
    cells = [text[a:b] for a, b in cell_spans(text, start, dialect)]
    if dialect.line_end == "\n":
        cells[-1] = cells[-1].removesuffix("\r")  # of the line end; one in quotes is of the cell
    return [cell_value(cell) for cell in cells]


def cell_value(raw: str) -> str:
    """What a cell says: without its quotes, doubled quotes made single; nothing else changed."""
    inner = raw.lstrip(" ")
    if not inner.startswith('"'):
        return raw
    match = _QUOTED.match(inner)
    if match is None:
        return raw
    return match[1].replace('""', '"') + inner[match.end() :].rstrip(" ")


class Reader:
    """What the rows of a table say.

    Args:
        text: the text.
        scan: where its records are.
        dialect: how they are written.
        first: the number of the first record of the table, from 0.
        above: how many records are in front of its first body row.
    """

    __slots__ = ("_above", "_content", "_dialect", "_is_regular", "_starts", "_text")

    def __init__(self, text: str, scan: Scan, dialect: Dialect, first: int, above: int) -> None:
        self._text = text
        self._starts = scan.starts
        self._dialect = dialect
        self._is_regular = scan.is_regular and dialect.line_end == "\n"
        self._content = scan.starts[first]  # behind a byte order mark and blank lines
        self._above = above

    def read(self, start: int, end: int) -> list[str]:
        """What the row in the half-open span says, around which there may be blank lines."""
        begin = max(start, self._content)
        record = self._text[begin:end]
        dialect = self._dialect
        if '"' in record:
            return self._read_quoted(record, begin)
        line, _, _ = record.partition(dialect.line_end)
        if dialect.line_end == "\n":
            line = line.removesuffix("\r")
        return line.split(dialect.delimiter)

    def _read_quoted(self, record: str, begin: int) -> list[str]:
        if self._is_regular:
            try:
                return next(_csv_rows(record, self._dialect.delimiter))
            except csv.Error:  # a longer cell than that module is allowed to read
                pass
        return values_at(self._text, begin, self._dialect)

    def read_rows(self, first: int, behind: int) -> list[list[str]] | None:
        """What the rows say from a number up to, and without, another, read at once.

        None where they have to be read one by one: blank lines stand between them, or a quote
        where the ``csv`` module would read it otherwise.
        """
        starts, first, behind = self._starts, first + self._above, behind + self._above
        end = starts[behind] if behind < len(starts) else len(self._text)
        part = self._text[starts[first] : end]
        if self._dialect.line_end != "\n" or part.count("\r") != part.count("\r\n"):
            return None
        delimiter = self._dialect.delimiter
        if '"' in part:
            if not self._is_regular:
                return None
            try:
                rows = [row for row in _csv_rows(part, delimiter) if row]
            except csv.Error:
                return None
        else:
            lines = part.replace("\r\n", "\n").split("\n")
            if not lines[-1]:
                del lines[-1]
            rows = [line.split(delimiter) for line in lines]
        return rows if len(rows) == behind - first else None


def _csv_rows(records: str, delimiter: str) -> Iterator[list[str]]:
    return csv.reader(io.StringIO(records, newline="\n"), delimiter=delimiter)
