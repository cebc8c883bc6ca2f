"""How tables are cut and found again: ``python -m tests.benchmarks.tables FOLDER [FOLDER ...]``.

For every table in the CSV, TSV, Markdown, HTML and JSON files of the folders: what is wrong with
its parts, and whether the figures of its profile are those that DuckDB and Python's ``statistics``
compute. With ``--find``, how
often BM25 over the parts of all CSV files together, and of each splitter's, finds the row or figure
that a question asks for within ``--read`` tokens.
"""

from __future__ import annotations

import argparse
import csv
import importlib.util
import math
import random
import re
import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from structchunk_core import Chunk, Chunker
from structchunk_core.blocks import trim
from structchunk_core.table_columns import Column
from structchunk_core.table_model import Table
from structchunk_core.table_profile import profile_of
from structchunk_core.unit import Unit

_ENDINGS = (".csv", ".tsv", ".md", ".html", ".htm", ".json", ".jsonl")
_WORD = re.compile(r"\w+")
_PLAIN = re.compile(r"-?\d+(?:\.\d+)?")


@dataclass(slots=True)
class Faults:
    """What was counted over some documents."""

    documents: int = 0
    tables: int = 0
    split: int = 0
    rows: int = 0
    row_chunks: int = 0
    without_all_names: int = 0
    excused: int = 0  # of chunks: even short names take more than half of the budget
    without_caption: int = 0
    caption_excused: int = 0  # of chunks: with even short names it takes more than half
    rows_cut: int = 0
    values_changed: int = 0
    over_budget: int = 0
    figures: int = 0
    figures_wrong: int = 0

    def add(self, other: Faults) -> None:
        """Add what was counted over others."""
        for item in fields(self):
            setattr(self, item.name, getattr(self, item.name) + getattr(other, item.name))


def faults_of(text: str, name: str, chunker: Chunker) -> Faults:
    """What is wrong with the parts of the tables of one document."""
    parsed = chunker.parse(text, path=name)
    chunks = chunker.chunk(text, path=name)
    slices = [chunk for chunk in chunks if not chunk.derived]
    shown = parsed.rendering.text if parsed.rendering else text
    counts = Faults(documents=1)
    counts.over_budget = sum(chunker.count(one.embed_text) > chunker.chunk_size for one in chunks)
    for _, unit in parsed.root.walk():
        if (table := unit.as_table()) is not None:
            _count_table(unit, table, shown, slices, chunker, counts)
    if name.endswith((".csv", ".tsv")):
        counts.values_changed = sum(
            text[chunk.span.start : chunk.span.end] not in chunk.text for chunk in slices
        )
    return counts


def _count_table(
    unit: Unit, table: Table, shown: str, chunks: Sequence[Chunk], chunker: Chunker, counts: Faults
) -> None:
    counts.tables += 1
    counts.rows += len(table)
    chunks = [one for one in chunks if one.place.end > unit.start and one.place.start < unit.end]
    begin, end = trim(shown, unit.start, unit.end)
    whole = shown[begin:end]
    if any(whole in chunk.text for chunk in chunks):
        return
    counts.split += 1
    before = unit.repeat.before if unit.repeat else ""
    of_chunk: dict[int, list[str]] = {}
    number = 0
    for row in table.rows():
        start, stop = trim(shown, row.start, row.end)
        written = shown[start:stop]
        at = next((n for n in range(number, len(chunks)) if written in chunks[n].text), -1)
        if at >= 0:
            number = at
            of_chunk.setdefault(at, []).append(written)
        elif chunker.count(before + written) <= chunker.chunk_size:
            counts.rows_cut += 1
    short = unit.repeat.shorter[-1] if unit.repeat and unit.repeat.shorter else before
    captioned = (before, *unit.repeat.shorter)[: unit.repeat.named] if unit.repeat else ()
    has_room = any(chunker.count(one) * 2 <= chunker.chunk_size for one in captioned)
    for at in of_chunk:
        chunk = chunks[at]
        counts.row_chunks += 1
        visible = " ".join(chunk.text.split())
        plain = visible.replace("\\|", "|")
        if (
            table.has_header
            and table.row_ends is None
            and not all(_is_named(name, plain) for name in table.names)
        ):
            too_large = chunker.count(short) * 2 > chunker.chunk_size
            counts.excused += too_large
            counts.without_all_names += not too_large
        if table.caption and chunk.part != 1 and not _is_told(table.caption, visible):
            counts.without_caption += has_room or not captioned
            counts.caption_excused += bool(captioned) and not has_room


def _is_told(caption: str, text: str) -> bool:
    """Whether a caption is in a text, or the beginning of a long one."""
    caption, text = (re.sub(r"[*_`]", "", words) for words in (caption, text))
    return caption[:40] in text


def _is_named(name: str, text: str) -> bool:
    """Whether a column's name is in a text, or what a shortened head has of it."""
    if re.fullmatch(r"column_\d+|.* \(\d+\)", name):
        return True
    parts = name.split(" / ")  # the last one tells columns apart
    last = parts[-1]
    return (
        all(part in text for part in parts) or last in text or last[:11].rstrip() + "\u2026" in text
    )


def figures_of(table: Table) -> tuple[int, int]:
    """How many figures of a profile others compute as well, and how many of them differ."""
    import duckdb

    checked = wrong = 0
    columns = profile_of(table).columns
    rows = [list(row.values) for row in table.rows()]
    for number, column in enumerate(columns):
        cells = [row[number] if number < len(row) else "" for row in rows]
        filled = [cell for cell in cells if cell]
        if not (column.is_number and all(map(_PLAIN.fullmatch, filled))):
            continue
        if max(len(cell) for cell in filled) > 16:
            continue
        relation = duckdb.execute(
            "select sum(v), min(v), max(v), count(*), count(distinct c) from "
            "(select c, c::decimal(38, 18) as v from (select unnest($cells) as c))",
            {"cells": filled},
        ).fetchone()
        assert relation is not None
        middle = statistics.median(map(Decimal, filled))
        for ours, theirs in zip(_figures(column), (*relation, middle), strict=True):
            checked += 1
            wrong += ours != theirs
    return checked, wrong


def _figures(column: Column) -> Iterator[Any]:
    assert column.least is not None
    assert column.greatest is not None
    yield Decimal(column.total).scaleb(-column.scale)
    yield Decimal(column.least.written)
    yield Decimal(column.greatest.written)
    yield column.filled
    yield column.distinct
    assert column.middle is not None
    yield Decimal(column.middle).scaleb(-column.scale - 1)


class Question(NamedTuple):
    """What somebody asks about a table, and what has to stand in one retrieved text."""

    words: str
    wanted: tuple[str, ...]
    is_lookup: bool


def questions_of(
    title: str, header: Sequence[str], rows: Sequence[Sequence[str]], chance: Any
) -> Iterator[Question]:
    """A question for a cell and, of a column of plain numbers, for its sum."""
    wide = [row for row in rows if len(row) == len(header) and row[0]]
    if len(wide) < 12 or len(header) < 2 or not all(header):
        return
    row = chance.choice(wide)
    column = chance.randrange(1, len(header))
    if row[column] and row[0] != row[column]:
        words = f"{title}: what is the {header[column]} of {row[0]}?"
        yield Question(words, (row[0], row[column], header[column]), is_lookup=True)
    for number, name in enumerate(header[1:], 1):
        cells = [one[number] for one in rows if number < len(one) and one[number]]
        if len(cells) == len(rows) and all(map(_PLAIN.fullmatch, cells)):
            total = sum(map(Decimal, cells))
            if len(str(total)) > 3 and not all(1800 < Decimal(cell) < 2100 for cell in cells):
                words = f"{title}: what is the total of {name}?"
                yield Question(words, (str(total), name), is_lookup=False)
                return


class Bm25:
    """Okapi BM25 (Robertson and Walker 1994; k1 1.2, b 0.75) over texts."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._bags = [Counter(_WORD.findall(text.lower())) for text in texts]
        self._lengths = [sum(bag.values()) for bag in self._bags]
        self._mean = sum(self._lengths) / max(1, len(texts))
        self._holders: dict[str, list[int]] = {}
        for number, bag in enumerate(self._bags):
            for word in bag:
                self._holders.setdefault(word, []).append(number)

    def best(self, query: str) -> list[int]:
        """The numbers of the texts that share a word with the query, the best first."""
        scores: dict[int, float] = {}
        for word in set(_WORD.findall(query.lower())):
            holders = self._holders.get(word, [])
            weight = math.log(1 + (len(self._bags) - len(holders) + 0.5) / (len(holders) + 0.5))
            for number in holders:
                often = self._bags[number][word]
                norm = 1.2 * (0.25 + 0.75 * self._lengths[number] / self._mean)
                scores[number] = scores.get(number, 0.0) + weight * often * 2.2 / (often + norm)
        return sorted(scores, key=lambda number: (-scores[number], number))


Indexed = tuple[str, str]
"""What is indexed, and what is read when it is found."""


def ours(**settings: Any) -> Callable[[str, str], list[Indexed]]:
    """Our chunks and entries, with these settings."""
    chunker = Chunker(chunk_size=256, **settings)

    def split(text: str, name: str) -> list[Indexed]:
        chunks = chunker.chunk(text, path=name, format="markdown")
        found = [(chunk.embed_text, chunk.text) for chunk in chunks]
        return found + [(entry.text, chunk.text) for chunk in chunks for entry in chunk.entries]

    return split


def _langchain(text: str, _name: str) -> list[Indexed]:
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter.from_tiktoken_encoder(
        encoding_name="cl100k_base", chunk_size=256, chunk_overlap=0
    )
    return [(part, part) for part in splitter.split_text(text)]


def _chonkie(text: str, _name: str) -> list[Indexed]:
    import importlib

    chunker = importlib.import_module("chonkie").TableChunker(
        tokenizer=Chunker().count, chunk_size=256
    )
    title, _, table = text.partition("\n\n")
    parts = [chunk.text for chunk in chunker.chunk(table)] or [table]
    return [(f"{title}\n\n{part}", part) for part in parts]


def print_found(files: Sequence[Path], read: int) -> None:
    """Print for each splitter how many of the questions it answers, as a table."""
    chance = random.Random(7)  # no secret
    documents: list[tuple[str, str]] = []
    questions: list[Question] = []
    for file in files:
        with file.open(encoding="utf-8", newline="") as opened:
            header, *rows = list(csv.reader(opened, escapechar="\\")) or [[]]
        rows = [[" ".join(cell.split()) for cell in row] for row in rows if row]
        header = [" ".join(cell.split()) for cell in header]
        title = _title(file)
        lines = [header, ["---"] * len(header), *rows]
        table = "\n".join(f"| {' | '.join(c.replace('|', '/') for c in line)} |" for line in lines)
        documents.append((f"# {title}\n\n{table}\n", f"{title}.md"))
        questions += questions_of(title, header, rows, chance)
    contestants: dict[str, Callable[[str, str], list[Indexed]]] = {
        "structchunk": ours(),
        "structchunk, no profiles": ours(table_profile=False),
        "structchunk, rows linked": ours(table_rows="linked"),
        "LangChain recursive": _langchain,
    }
    if importlib.util.find_spec("chonkie"):
        contestants["chonkie TableChunker"] = _chonkie
    asked = Counter(question.is_lookup for question in questions)
    print(f"{len(documents)} tables, {asked[True]} lookups, {asked[False]} totals\n")
    print("| | texts | lookup | total |\n|---|---:|---:|---:|")
    count = Chunker().count
    for name, split in contestants.items():
        indexed = [pair for text, path in documents for pair in split(text, path)]
        index = Bm25([key for key, _ in indexed])
        answered: Counter[bool] = Counter()
        for question in questions:
            left = read
            seen: set[str] = set()
            for number in index.best(question.words):
                text = indexed[number][1]
                if text in seen:
                    continue
                seen.add(text)
                left -= count(text)
                if left < 0:
                    break
                if all(words in text for words in question.wanted):
                    answered[question.is_lookup] += 1
                    break
        shares = (answered[kind] / max(1, asked[kind]) for kind in (True, False))
        print(f"| {name} | {len(indexed)} | {' | '.join(f'{share:.2f}' for share in shares)} |")


def _title(file: Path) -> str:
    """The title of the page that a table comes from, if it is told beside it."""
    beside = Path(str(file).replace("csv", "page")).with_suffix(".json")
    found = re.search(r'"title": "([^"]*)"', beside.read_text("utf-8")) if beside.exists() else None
    return found[1] if found else file.stem


def main() -> None:
    """Measure what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--sizes", type=int, nargs="+", default=[128, 512])
    parser.add_argument("--find", action="store_true", help="measure retrieval")
    parser.add_argument(
        "--read", type=int, default=512, help="tokens that are read of what is found"
    )
    given = parser.parse_args()
    files = sorted(
        file for folder in given.folders for file in folder.rglob("*") if file.suffix in _ENDINGS
    )
    if given.find:
        print_found([file for file in files if file.suffix == ".csv"], given.read)
        return
    counted = []
    for size in given.sizes:
        counts = Faults()
        chunker = Chunker(chunk_size=size)
        for file in files:
            text = file.read_text("utf-8", errors="replace")
            counts.add(faults_of(text, file.name, chunker))
            if size == given.sizes[0] and importlib.util.find_spec("duckdb"):
                for _, unit in chunker.parse(text, path=file.name).root.walk():
                    if (table := unit.as_table()) is not None:
                        checked, wrong = figures_of(table)
                        counts.figures += checked
                        counts.figures_wrong += wrong
        counted.append(counts)
    print(f"| | {' | '.join(f'{size} tokens' for size in given.sizes)} |")
    print(f"|---|{'---:|' * len(counted)}")
    for item in fields(Faults):
        values = (str(getattr(counts, item.name)) for counts in counted)
        print(f"| {item.name.replace('_', ' ')} | {' | '.join(values)} |")


if __name__ == "__main__":
    main()
