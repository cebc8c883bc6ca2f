"""Tables: a cell must find its row under the header; a total its figure, or all rows."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from tests.benchmarks.retrieval.corpus import Document
from tests.benchmarks.retrieval.questions import Figure, Question, Task, chosen

_LONGEST_FILE = 400  # lines of a file that are taken
_FEWEST_ROWS = 12  # of a table whose total is asked for
_NUMBER = re.compile(r"-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?")
_YEARS = range(1000, 2101)


class _Table(NamedTuple):
    """A table as its document has it.

    Attributes:
        title: of the page that it comes from; ``""`` for a file of its own.
        rows: the names of the columns and, below them, the cells.
        lines: where each of them stands in the document.
    """

    document: Document
    title: str
    rows: Sequence[Sequence[str]]
    lines: Sequence[str]


def tables_task(documents: Iterable[Document], most: int) -> Task:
    """The value of a row and the name of a column must find the row under its header."""
    tables = [_read(document) for document in documents]
    questions = [question for table in tables for question in _lookups(table)]
    return Task("tables", _kept(tables), chosen(questions, most), 500, needed=1)


def totals_task(documents: Iterable[Document], most: int) -> Task:
    """Title and column must find the sum of the column, or all rows of the table."""
    tables = [_read(document) for document in documents]
    questions = [question for table in tables for question in _totals(table)]
    return Task("totals", _kept(tables), chosen(questions, most), 500, needed=1)


def _kept(tables: Sequence[_Table]) -> list[Document]:
    return [table.document for table in tables]


def _read(document: Document) -> _Table:
    """A file with a title becomes a page of Markdown, with the table under the title."""
    lines = document.text.rstrip().split("\n")[:_LONGEST_FILE]
    if not document.title:
        rows = list(csv.reader(io.StringIO("\n".join(lines))))
        text = "\n".join(lines) + "\n"
        whole = len(rows) == len(lines)  # no cell of several lines
        return _Table(document._replace(text=text), "", rows if whole else [], lines)
    read = csv.reader(io.StringIO(document.text), escapechar="\\")
    rows = [[" ".join(cell.replace("|", "/").split()) for cell in row] for row in read if row]
    head, *body = [f"| {' | '.join(row)} |" for row in rows]
    rule = "|" + "---|" * len(rows[0])
    text = "\n".join((f"# {document.title}\n", head, rule, *body)) + "\n"
    path = document.path.removesuffix(".csv") + ".md"
    return _Table(Document(path, text), document.title, rows, (head, *body))


def _lookups(table: _Table) -> Iterator[Question]:
    """For each row a cell, asked for by another one that no other row has."""
    rows = table.rows
    seen = Counter(cell for row in rows for cell in row)
    for number in range(1, len(rows)):
        row = rows[number]
        names = [column for column, cell in enumerate(row) if seen[cell] == 1]
        named = max(names, key=lambda column: _words(row[column]), default=-1)
        other = number % max(1, len(row))
        if named in {-1, other} or len(row) != len(rows[0]) or not row[other]:
            continue
        asked = f"{rows[0][other]} of {rows[0][named]} {row[named]}"
        if table.title:
            asked = f"{table.title}: {asked}"
        answer = f"{table.lines[0]}\n{table.lines[number]}"
        yield Question(asked, table.document.path, answer, together=True)


def _totals(table: _Table) -> Iterator[Question]:
    """The sums of columns of amounts: no years, no ranks, none of them a sum already."""
    if not table.title or len(table.rows) <= _FEWEST_ROWS:
        return
    header, *rows = table.rows
    if any("total" in cell.lower() for row in rows for cell in row):
        return
    for column, name in enumerate(header[1:], 1):
        cells = [row[column] for row in rows if column < len(row) and row[column]]
        if not name or len(cells) * 2 < len(rows) or not all(map(_NUMBER.fullmatch, cells)):
            continue
        amounts = [Decimal(cell.replace(",", "")) for cell in cells]
        figure = str(sum(amounts))
        is_years = all(int(amount) in _YEARS for amount in amounts)
        is_ranks = len(set(amounts)) == len(amounts) == max(amounts)
        if len(figure) < 4 or is_years or is_ranks:
            continue
        asked = f"{table.title}: total of {name}"
        answer = "\n".join(table.lines)
        yield Question(asked, table.document.path, answer, figure=Figure(figure, name))


def _words(cell: str) -> int:
    """How many words of three letters at least are in a cell."""
    return len(re.findall("[A-Za-z]{3,}", cell))
