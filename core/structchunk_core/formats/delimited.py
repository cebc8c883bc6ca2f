"""Tables in plain text: comma, semicolon, tab or pipe separated values.

How they are written is told from the text itself: delimiter, titles above the header, whether there
is one. :mod:`structchunk_core.formats._delimited_scan` finds records and cells.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from structchunk_core.errors import Problem
from structchunk_core.formats import ParseOptions
from structchunk_core.formats._delimited_scan import (
    Dialect,
    Reader,
    Run,
    Scan,
    cell_spans,
    make_dialect,
    note,
    record_end,
    scan_records,
    values_at,
)
from structchunk_core.source import Source
from structchunk_core.table_model import Table, column_names, short_names
from structchunk_core.tables import Carried, table_unit
from structchunk_core.unit import Parsed, Tie, Unit


def parse(source: Source, options: ParseOptions) -> Parsed:  # noqa: ARG001 -- the seam of formats
    """The unit tree of a delimited file: title lines, then one table of rows and cells.

    The head of the table is its header record. Blank lines belong to the row before them.
    """
    text = source.text
    body, dialect, scan = _scanned(text, source.path, _SAMPLE)
    usual, share = _usual(scan.widths) if scan.starts else (0, 1.0)
    if len(text) > body + _SAMPLE and (usual == 1 or share < 0.5):
        body, dialect, scan = _scanned(text, source.path, len(text))  # it goes on otherwise
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
        header = values_at(text, rows[0], dialect)
        head = text[rows[0] : record_end(text, rows[0], dialect)]
        rows = rows[1:]
    else:
        rows[0] = start
    expected = scan.widths[first] if has_head else width
    problems += [
        Problem("unclosed-quote", "a quote is opened and not closed", run.start, run.end)
        for run in scan.unclosed
    ]
    problems += _ragged(scan, first, expected, len(text))
    reader = Reader(text, scan, dialect, first, first + has_head)
    title = _title(text, scan, dialect, first)

    def cell_starts(row_start: int, row_end: int) -> Iterator[int]:
        yield row_start
        spans = cell_spans(text, max(row_start, scan.starts[first]), dialect)
        yield from (cell for cell, _ in islice(spans, 1, None) if cell < row_end)

    def narrowed(column: int) -> Sequence[str]:
        names = header[column:]
        return (_record(names, dialect, head), _short_record(names, dialect, head)) if names else ()

    names = column_names([header] if has_head else [], width)
    table = table_unit(
        (start, len(text)),
        Table(
            names,
            rows,
            len(text),
            reader.read,
            title,
            has_header=has_head,
            read_rows=reader.read_rows,
        ),
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


_CANDIDATES = "\t;|,"
_HINTS = {".tsv": "\t", ".tab": "\t", ".psv": "|"}
_SAMPLE = 1 << 16
_SEPARATOR_LINE = re.compile(r"sep=([^\"\r\n])[ \t]*+(?:\r?\n|\r|\Z)", re.IGNORECASE)
_MOST_TITLES = 50


def _scanned(text: str, path: str, most: int) -> tuple[int, Dialect, Scan]:
    """Where the records begin (characters), how they are written, and where each of them is.

    Args:
        text: the text.
        path: its path, whose ending is a hint.
        most: how many characters to look at to know how they are written.
    """
    line_end = "\r" if "\r" in text and "\n" not in text else "\n"
    body = 1 if text[:1] == "\ufeff" else 0
    named = _SEPARATOR_LINE.match(text, body)
    scan = None
    if named:
        body = named.end()
        delimiter = named[1]
    else:
        suffix = path[path.rfind(".") :].lower() if "." in path else ""
        sample = text if len(text) <= body + most else text[: body + most]
        delimiter, scan = _best_delimiter(
            sample, body, line_end, _HINTS.get(suffix, ""), is_cut=len(sample) < len(text)
        )
    mark = re.escape(delimiter)
    sample = text[body : body + most]
    spaced = len(re.findall(f'{mark} ++"', sample)) if delimiter != " " and '"' in sample else 0
    tight = len(re.findall(f'{mark}"', sample)) if spaced else 0
    dialect = make_dialect(delimiter, line_end, blank_before_quote=spaced > tight)
    if scan is None or spaced > tight or len(text) > body + most:
        scan = scan_records(text, body, dialect)
    return body, dialect, scan


class _Fit(NamedTuple):
    """How well a delimiter explains a sample that most of its records agree on; more is better."""

    is_hinted: bool
    has_whole_numbers: bool
    share: float
    width: int


def _best_delimiter(
    sample: str, body: int, line_end: str, hint: str, *, is_cut: bool
) -> tuple[str, Scan | None]:
    """The candidate that gives most records the same number of cells, two or more, and these.

    Args:
        sample: a text, or its beginning.
        body: where its records begin.
        line_end: the last character of its line ends.
        hint: a candidate that is likely, or ``""``.
        is_cut: whether it is only the beginning.
    """
    best: _Fit | None = None
    chosen, found = hint or ",", None
    for delimiter in _CANDIDATES:
        if sample.find(delimiter, body) < 0:
            continue
        dialect = make_dialect(delimiter, line_end, blank_before_quote=False)
        scan = scan_records(sample, body, dialect)
        widths = scan.widths[:-1] if is_cut and len(scan.widths) > 1 else scan.widths
        if not widths:
            continue
        width, share = _usual(widths)
        if width < 2 or share < 0.5:
            continue
        is_hinted = delimiter == hint
        has_decimals = (
            delimiter == ","
            and best is not None
            and best.is_hinted == is_hinted
            and _DECIMAL_COMMAS.search(sample, body)
        )
        fit = _Fit(is_hinted, not has_decimals, round(share, 1), width)
        if best is None or fit > best:
            best, chosen, found = fit, delimiter, scan
    return chosen, found


# Two neighbouring cells of a row that are both numbers with a decimal comma.
_DECIMAL_COMMAS = re.compile(r"(?<![\d,])\d++,\d++[;\t|]-?\d++,\d++(?![\d,])")


def _usual(widths: Sequence[int]) -> tuple[int, float]:
    """The most frequent width (the greater of equals), and its share of the records."""
    width, count = max(Counter(widths).items(), key=lambda pair: (pair[1], pair[0]))
    return width, count / len(widths)


def _header_index(text: str, scan: Scan, dialect: Dialect, width: int) -> int:
    """The record at which the table begins; what is above it are titles and comments."""
    for index in range(min(len(scan.starts), _MOST_TITLES)):
        values = values_at(text, scan.starts[index], dialect)
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


def _title(text: str, scan: Scan, dialect: Dialect, first: int) -> str:
    """The words above the header that name the table; comments of ``key=value`` do not."""
    for start in scan.starts[: min(first, _MOST_TITLES)]:
        written = values_at(text, start, dialect)[0]
        words = " ".join(written.strip("# \t").split())
        if words and not (written.startswith("#") and "=" in written):
            return words if len(words) <= 120 else ""
    return ""


def _judge_head(text: str, scan: Scan, dialect: Dialect, first: int) -> tuple[bool, list[Problem]]:
    """Whether the first record of the table names its columns."""
    if len(scan.starts) - first < 2:
        return False, []
    names = values_at(text, scan.starts[first], dialect)
    if not any(map(_is_value, names)):
        return True, []
    below = [values_at(text, start, dialect) for start in scan.starts[first + 1 : first + 51]]
    if not _is_data(names, below):
        return True, []
    told = "no record names the columns; the first one is read as data"
    return False, [Problem("no-header", told, scan.starts[first], scan.starts[first + 1])]


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


def _record(values: Sequence[str], dialect: Dialect, like: str) -> str:
    """The values as a record that ends as another one does."""
    special = (dialect.delimiter, '"', "\n", "\r")
    cells = (
        '"' + value.replace('"', '""') + '"' if any(mark in value for mark in special) else value
        for value in values
    )
    ending = "\r\n" if like.endswith("\r\n") else dialect.line_end
    return dialect.delimiter.join(cells) + ending


def _short_record(names: Sequence[str], dialect: Dialect, like: str) -> str:
    """The names as a record, each cut to a few characters."""
    unsafe = re.compile(f'[{re.escape(dialect.delimiter)}"\\s]++')
    plain = [unsafe.sub(" ", name).strip() for name in names]
    return _record(short_names(plain), dialect, like)


def _ragged(scan: Scan, first: int, expected: int, end: int) -> list[Problem]:
    """A problem for each run of rows that are wider or narrower than the header."""
    runs: list[Run] = []
    starts, widths = scan.starts, scan.widths
    all_alike = widths.count(expected) == len(widths)
    for index in range(first, len(starts)) if not all_alike else ():
        if widths[index] != expected:
            note(runs, starts[index], starts[index + 1] if index + 1 < len(starts) else end)
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
    dialect = make_dialect(delimiter, line_end, blank_before_quote=False)
    scan = scan_records(sample, 0, dialect)
    starts, widths = scan.starts, scan.widths
    ends = [*starts[1:], len(sample)]
    if len(starts) > 2 and not sample.endswith(line_end):
        del starts[-1], widths[-1]  # it may be cut
    if len(starts) < 2:
        return False
    width, share = _usual(widths)
    if width < 2 or share < 0.95 or widths[0] != width or (width == 2 and len(widths) < 3):
        return False
    lines = [sample[start:end].rstrip() for start, end in zip(starts, ends, strict=False)]
    rows = [[value.strip() for value in values_at(sample, start, dialect)] for start in starts]
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
