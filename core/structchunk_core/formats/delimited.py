"""Tables in plain text: comma, semicolon, tab or pipe separated values.

The ``csv`` module tells no positions, so records are scanned here, in one pass: a cell may be
quoted with ``"``, a quote inside is doubled, a quoted cell may hold line ends. Cells are text
and are never interpreted.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from structchunk_core.errors import Problem
from structchunk_core.formats import ParseOptions
from structchunk_core.source import Source
from structchunk_core.table_model import Table, column_names, short_names
from structchunk_core.tables import Carried, table_unit
from structchunk_core.unit import Parsed, Tie, Unit


def parse(source: Source, options: ParseOptions) -> Parsed:  # noqa: ARG001 -- the seam of formats
    """The unit tree of a delimited file: title lines, then one table of rows and cells.

    The head of the table is its header record. Blank lines belong to the row before them.
    """
    text = source.text
    body, dialect = _dialect(text, source.path, _SAMPLE)
    scan = _scan(text, body, dialect)
    usual, share = _usual(scan.widths) if scan.starts else (0, 1.0)
    if len(text) > body + _SAMPLE and (usual == 1 or share < 0.5):
        body, dialect = _dialect(text, source.path, len(text))  # it begins as it does not go on
        scan = _scan(text, body, dialect)
    if not scan.starts:
        whole = [Unit("paragraph", 0, len(text))] if text.strip("\ufeff \t\r\n") else []
        return Parsed(Unit("document", 0, len(text), atomic=False, opener=lambda: whole))

    width = Counter(scan.widths).most_common(1)[0][0]
    first = _header_index(text, scan, dialect, width)
    has_preamble = first > 0 or body > (text[:1] == "\ufeff")
    start = scan.starts[first] if has_preamble else 0
    preamble = [Unit("paragraph", 0, start, tie=Tie.FREE)] if has_preamble else []
    has_head, problems = _judge_head(text, scan, dialect, first)

    head_end = start
    head = ""
    header: list[str] = []
    rows = scan.starts[first:]
    if has_head:
        head_end = rows[1]
        header = _values(text, rows[0], dialect)
        head = text[rows[0] : _record_end(text, rows[0], dialect)]
        rows = rows[1:]
    else:
        rows[0] = start
    expected = scan.widths[first] if has_head else width
    problems += [
        Problem("unclosed-quote", "a quote is opened and not closed", run.start, run.end)
        for run in scan.unclosed
    ]
    problems += _ragged(scan, first, expected, len(text))
    content = scan.starts[first]  # behind a byte order mark and blank lines
    title = _title(text, scan, dialect, first)

    def cell_starts(row_start: int, row_end: int) -> Iterator[int]:
        yield row_start
        spans = _cell_spans(text, max(row_start, content), dialect)
        yield from (cell for cell, _ in islice(spans, 1, None) if cell < row_end)

    def read(row_start: int, row_end: int) -> list[str]:
        begin = max(row_start, content)
        record = text[begin:row_end]
        if '"' in record:
            return _values(text, begin, dialect)
        line, _, _ = record.partition(dialect.line_end)  # blank lines may stand behind it
        if dialect.line_end == "\n":
            line = line.removesuffix("\r")
        return line.split(dialect.delimiter)

    def narrowed(column: int) -> Sequence[str]:
        names = header[column:]
        return (_record(names, dialect, head), _short_record(names, dialect, head)) if names else ()

    names = column_names([header] if has_head else [], width)
    table = table_unit(
        (start, len(text)),
        Table(names, rows, len(text), read, title, has_header=has_head),
        Carried(
            head,
            f"{title}\n\n" if title else "",
            [_short_record(header, dialect, head)] if has_head else [],
            narrowed=narrowed,
        ),
        head_end=head_end,
        cell_starts=cell_starts,
        tie=Tie.CLOSE if preamble else Tie.LOOSE,
    )
    children = [*preamble, table]
    return Parsed(
        Unit("document", 0, len(text), atomic=False, opener=lambda: children),
        problems=tuple(problems),
    )


def looks_delimited(sample: str) -> str:
    """The delimiter of a text that is unmistakably a table, else ``""``; for content unnamed.

    Strict: at least two records, nearly all of the same two or more columns; no prose, no code,
    no log, no Markdown table.
    """
    sample = sample[:_SAMPLE].removeprefix("\ufeff")
    named = _SEPARATOR_LINE.match(sample)
    if named and named[1] in _CANDIDATES:
        return named[1]
    for delimiter in _CANDIDATES:
        if _is_plainly_table(sample, delimiter):
            return delimiter
    return ""


def cell_value(raw: str) -> str:
    """What a cell says: without its quotes, doubled quotes made single; nothing else changed."""
    inner = raw.lstrip(" ")
    if not inner.startswith('"'):
        return raw
    match = _QUOTED.match(inner)
    if match is None:
        return raw
    return match[1].replace('""', '"') + inner[match.end() :].rstrip(" ")


_CANDIDATES = "\t;|,"
_HINTS = {".tsv": "\t", ".tab": "\t", ".psv": "|"}
_SAMPLE = 1 << 16
_SEPARATOR_LINE = re.compile(r"sep=([^\"\r\n])[ \t]*+(?:\r?\n|\r|\Z)", re.IGNORECASE)
_QUOTED = re.compile(r'"([^"]*+(?:""[^"]*+)*+)"')
_MOST_TITLES = 50
_MOST_PROBLEMS = 50


@dataclass(frozen=True, slots=True)
class _Dialect:
    """How records are written. ``cell`` matches one cell; its group 1 is an unquoted one."""

    delimiter: str
    line_end: str
    cell: re.Pattern[str]


def _make_dialect(delimiter: str, line_end: str, *, blank_before_quote: bool) -> _Dialect:
    blanks = "" if delimiter == " " else " *+"
    lead = blanks if blank_before_quote else ""
    stop = f"{re.escape(delimiter)}{line_end}"
    return _Dialect(
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
    )


def _dialect(text: str, path: str, most: int) -> tuple[int, _Dialect]:
    """Where the records begin (characters), and how they are written, by their first characters.

    Args:
        text: the text.
        path: its path, whose ending is a hint.
        most: how many characters to look at.
    """
    line_end = "\r" if "\r" in text and "\n" not in text else "\n"
    body = 1 if text[:1] == "\ufeff" else 0
    named = _SEPARATOR_LINE.match(text, body)
    if named:
        body = named.end()
        delimiter = named[1]
    sample = text[body : body + most]
    if not named:
        suffix = path[path.rfind(".") :].lower() if "." in path else ""
        delimiter = _best_delimiter(
            sample, line_end, _HINTS.get(suffix, ""), is_cut=len(text) > body + most
        )
    mark = re.escape(delimiter)
    spaced = len(re.findall(f'{mark} ++"', sample)) if delimiter != " " else 0
    tight = len(re.findall(f'{mark}"', sample)) if spaced else 0
    return body, _make_dialect(delimiter, line_end, blank_before_quote=spaced > tight)


class _Fit(NamedTuple):
    """How well a delimiter explains a sample; greater is better."""

    is_consistent: bool
    is_hinted: bool
    has_whole_numbers: bool
    share: float
    width: int


def _best_delimiter(sample: str, line_end: str, hint: str, *, is_cut: bool) -> str:
    """The candidate that gives most records the same number of cells, two or more."""
    best, chosen = None, hint or ","
    for delimiter in _CANDIDATES:
        if delimiter not in sample:
            continue
        dialect = _make_dialect(delimiter, line_end, blank_before_quote=False)
        widths = [width for _, _, width, _ in _records(sample, 0, dialect) if width]
        if is_cut and len(widths) > 1:
            del widths[-1]
        if not widths:
            continue
        width, share = _usual(widths)
        fit = _Fit(
            is_consistent=width > 1 and share >= 0.5,
            is_hinted=delimiter == hint,
            has_whole_numbers=not (delimiter == "," and _DECIMAL_COMMAS.search(sample)),
            share=round(share, 1),
            width=width,
        )
        if best is None or fit > best:
            best, chosen = fit, delimiter
    return chosen if best is not None and best.is_consistent else (hint or ",")


# Two neighbouring cells of a row that are both numbers with a decimal comma.
_DECIMAL_COMMAS = re.compile(r"(?<![\d,])\d++,\d++[;\t|]-?\d++,\d++(?![\d,])")


def _usual(widths: Sequence[int]) -> tuple[int, float]:
    """The most frequent width (the greater of equals), and its share of the records."""
    width, count = max(Counter(widths).items(), key=lambda pair: (pair[1], pair[0]))
    return width, count / len(widths)


@dataclass(frozen=True, slots=True)
class _Scan:
    """Every record that is not blank: where it starts, and how many cells it has."""

    starts: array[int] = field(default_factory=lambda: array("q"))
    widths: array[int] = field(default_factory=lambda: array("q"))
    unclosed: list[_Run] = field(default_factory=list)


def _scan(text: str, body: int, dialect: _Dialect) -> _Scan:
    scan = _Scan()
    for start, end, width, is_closed in _records(text, body, dialect):
        if not width:
            continue
        scan.starts.append(start)
        scan.widths.append(width)
        if not is_closed:
            _note(scan.unclosed, start, end)
    return scan


@dataclass(slots=True)
class _Run:
    """Records in a row that share a problem; the half-open span and how many they are."""

    start: int
    end: int
    count: int = 1


def _note(runs: list[_Run], start: int, end: int) -> None:
    """Count a record in; all behind the first fifty runs are told as one."""
    if runs and (runs[-1].end == start or len(runs) >= _MOST_PROBLEMS):
        runs[-1].end = end
        runs[-1].count += 1
    else:
        runs.append(_Run(start, end))


def _records(text: str, position: int, dialect: _Dialect) -> Iterator[tuple[int, int, int, bool]]:
    """Each record: start, end (behind its line end), width (0: blank), whether quotes close."""
    delimiter, line_end = dialect.delimiter, dialect.line_end
    match_cell = dialect.cell.match
    length = len(text)
    quote = -1
    while position < length:
        if quote < position:
            quote = text.find('"', position)
            quote = length if quote < 0 else quote
        stop = text.find(line_end, position) + 1 or length
        if quote >= stop:
            width = text.count(delimiter, position, stop) + 1
            is_blank = width == 1 and text[position:stop].isspace()
            yield position, stop, 0 if is_blank else width, True
            position = stop
            continue
        start, width, is_closed = position, 1, True
        while True:
            match = match_cell(text, position)
            if match.lastindex and text.startswith('"', position):  # type: ignore[union-attr]  # it matches anywhere
                is_closed = False
            position = match.end()  # type: ignore[union-attr]
            if position >= length or text[position] != delimiter:
                break
            position += 1
            width += 1
        position = _behind_line_end(text, position, dialect)
        yield start, position, width, is_closed


def _cell_spans(text: str, position: int, dialect: _Dialect) -> Iterator[tuple[int, int]]:
    """The cells of the record that starts at the position, as written, without delimiters."""
    match_cell, delimiter = dialect.cell.match, dialect.delimiter
    length = len(text)
    while True:
        match = match_cell(text, position)
        end = match.end()  # type: ignore[union-attr]  # it matches anywhere, if only nothing
        yield position, end
        if end >= length or text[end] != delimiter:
            return
        position = end + 1


def _behind_line_end(text: str, position: int, dialect: _Dialect) -> int:
    if position >= len(text):
        return position
    return position + (1 if text[position] == dialect.line_end else 2)


def _record_end(text: str, start: int, dialect: _Dialect) -> int:
    """One past the record that starts there, with its line end."""
    end = start
    for _, end in _cell_spans(text, start, dialect):  # noqa: B007 -- the last one counts
        pass
    return _behind_line_end(text, end, dialect)


def _values(text: str, start: int, dialect: _Dialect) -> list[str]:
    """What the cells of the record that starts at the position say."""
    values = [cell_value(text[a:b]) for a, b in _cell_spans(text, start, dialect)]
    if dialect.line_end == "\n":
        values[-1] = values[-1].removesuffix("\r")
    return values


def _header_index(text: str, scan: _Scan, dialect: _Dialect, width: int) -> int:
    """The record at which the table begins; what is above it are titles and comments."""
    for index in range(min(len(scan.starts), _MOST_TITLES)):
        values = _values(text, scan.starts[index], dialect)
        filled = sum(1 for value in values if value and not value.isspace())
        is_comment = values[0].startswith("#") and len(values) != width
        if len(values) == width:
            # a title in a row of its own, filled up with empty cells
            is_title = width > 2 and filled == 1 and bool(values[0].strip())
        else:
            is_title = width > 1 and filled <= max(1, width // 2)
        if not is_comment and not is_title:
            return index
    return 0  # no header in sight: then these are rows


def _title(text: str, scan: _Scan, dialect: _Dialect, first: int) -> str:
    """The words above the header that name the table; comments of ``key=value`` do not."""
    for start in scan.starts[: min(first, _MOST_TITLES)]:
        written = _values(text, start, dialect)[0]
        words = " ".join(written.strip("# \t").split())
        if words and not (written.startswith("#") and "=" in written):
            return words if len(words) <= 120 else ""
    return ""


def _judge_head(
    text: str, scan: _Scan, dialect: _Dialect, first: int
) -> tuple[bool, list[Problem]]:
    """Whether the first record of the table names its columns."""
    if len(scan.starts) - first < 2:
        return False, []
    names = _values(text, scan.starts[first], dialect)
    below = [_values(text, start, dialect) for start in scan.starts[first + 1 : first + 51]]
    if not _is_data(names, below):
        return True, []
    note = "no record names the columns; the first one is read as data"
    return False, [Problem("no-header", note, scan.starts[first], scan.starts[first + 1])]


# Numbers, dates and times, as data has them and as no name looks.
_NUMBER = re.compile(r"[-+]?[$\u20ac\u00a3]? ?(?:\d[\d.,' \u00a0]*|[.,]\d+)(?:[eE][-+]?\d+)? ?%?\Z")
_FRACTION = re.compile(r"[-+]?\d*[.,]\d+(?:[eE][-+]?\d+)?\Z")
_DATE = re.compile(r"(?:\d{4}-\d\d?-\d\d?)?[T ]?(?:\d\d?:\d\d(?::\d\d)?(?:\.\d+)?)?Z?\Z")
_LONGEST_NUMBER = 40


def _is_value(cell: str) -> bool:
    return len(cell) <= _LONGEST_NUMBER and bool(
        _NUMBER.match(cell.strip()) or (cell.strip() and _DATE.match(cell.strip()))
    )


def _is_fraction_or_date(cell: str) -> bool:
    return _is_value(cell) and bool(_FRACTION.match(cell.strip()) or _DATE.match(cell.strip()))


def _is_data(names: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Whether a first record is data: all numbers above numbers, or a fraction above fractions.

    Whole numbers beside words are left alone: ``country,2019,2020`` names its columns.
    """
    if not any(map(_is_value, names)):
        return False
    has_fraction = False
    has_word = False
    for column, name in enumerate(names):
        cells = [row[column] for row in below if column < len(row) and row[column].strip()]
        is_value = _is_value(name)
        alike = sum(map(_is_value, cells))
        has_numbers = bool(cells) and alike * 10 >= len(cells) * 8
        if is_value and cells and not has_numbers:
            return False
        if name.strip() and not is_value:
            if has_numbers:
                return False
            has_word = True
        if not name.strip() and cells and not has_numbers:
            has_word = True
        has_fraction = has_fraction or (has_numbers and _is_fraction_or_date(name))
    return has_fraction or not has_word


def _record(values: Sequence[str], dialect: _Dialect, like: str) -> str:
    """The values as a record that ends as another one does."""
    special = (dialect.delimiter, '"', "\n", "\r")
    cells = (
        '"' + value.replace('"', '""') + '"' if any(mark in value for mark in special) else value
        for value in values
    )
    ending = "\r\n" if like.endswith("\r\n") else dialect.line_end
    return dialect.delimiter.join(cells) + ending


def _short_record(names: Sequence[str], dialect: _Dialect, like: str) -> str:
    """The names as a record, each cut to a few characters."""
    unsafe = re.compile(f'[{re.escape(dialect.delimiter)}"\\s]++')
    plain = [unsafe.sub(" ", name).strip() for name in names]
    return _record(short_names(plain), dialect, like)


def _ragged(scan: _Scan, first: int, expected: int, end: int) -> list[Problem]:
    """A problem for each run of rows that are wider or narrower than the header."""
    runs: list[_Run] = []
    starts, widths = scan.starts, scan.widths
    for index in range(first, len(starts)):
        if widths[index] != expected:
            _note(runs, starts[index], starts[index + 1] if index + 1 < len(starts) else end)
    return [
        Problem(
            "ragged-rows",
            f"{run.count} {'row has' if run.count == 1 else 'rows have'} more or fewer cells than "
            "the header",
            run.start,
            run.end,
        )
        for run in runs
    ]


def _is_plainly_table(sample: str, delimiter: str) -> bool:
    if delimiter not in sample:
        return False
    line_end = "\r" if "\r" in sample and "\n" not in sample else "\n"
    dialect = _make_dialect(delimiter, line_end, blank_before_quote=False)
    found = [record for record in _records(sample, 0, dialect) if record[2]]
    if len(found) > 2 and not sample.endswith(line_end):
        del found[-1]  # it may be cut
    if len(found) < 2:
        return False
    width, share = _usual([record[2] for record in found])
    if width < 2 or share < 0.95 or found[0][2] != width or (width == 2 and len(found) < 3):
        return False
    lines = [sample[start:end].rstrip() for start, end, _, _ in found]
    rows = [
        [value.strip() for value in _values(sample, found[i][0], dialect)]
        for i in range(len(found))
    ]
    return not (_reads_like_code(lines, delimiter) or _reads_like_prose(rows, sample, delimiter))


def _reads_like_code(lines: Sequence[str], delimiter: str) -> bool:
    """Whether lines are indented, bracketed or ended as code, logs and Markdown tables are."""
    few = max(1, len(lines) // 10)
    opened = sum(1 for line in lines if line[:1] in " \t{[(<|/*+->`")
    ended = sum(1 for line in lines if line[-1:] in "{}()[]:\\|" or line[-1:] == delimiter != "\t")
    called = sum(1 for line in lines if _CODE.search(line))
    return opened >= few or ended > few or called > few


_CODE = re.compile(r"\w\(|[=!<>]=|=>|->|::|\);|\s=\s|</|/>")


def _reads_like_prose(rows: Sequence[Sequence[str]], sample: str, delimiter: str) -> bool:
    """Whether the delimiters are punctuation of sentences or numbers, or the columns no columns."""
    names = rows[0]
    if not all(names) or len(set(names)) < len(names) or max(map(len, names)) > 60:
        return True
    if sum(1 for name in names if name[-1:] in ".!?") > 0:
        return True
    if delimiter == "\t":
        return False
    total = sample.count(delimiter)
    if sample.count(delimiter + " ") * 2 > total:
        return True
    lengths = sorted(len(value) for row in rows for value in row)
    if lengths[len(lengths) // 2] > 40:
        return True
    between_digits = len(_DIGITS_AROUND[delimiter].findall(sample))
    return len(names) == 2 and between_digits * 2 > total


_DIGITS_AROUND = {mark: re.compile(rf"(?<=\d){re.escape(mark)}(?=\d)") for mark in _CANDIDATES}
