"""Tables of very many rows: cut in stretches, so that memory is that of the chunks."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structchunk_core import Chunk, Chunker, tables
from tests.promises import check_nothing_that_fits_is_cut, check_promises

HEAD = "number,name,kind\n"


def csv_of(rows: int, first: int = 0) -> str:
    return HEAD + "".join(f"{n},name {n * 7919 % 1000},kind {n % 9}\n" for n in range(first, rows))


@pytest.fixture
def short_stretches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "_STRETCH", 16)
    monkeypatch.setattr(tables, "_MARKED", 4)


def cut(text: str, path: str = "a.csv", size: int = 200, **given: Any) -> list[Chunk]:
    chunker = Chunker(tokenizer="characters", chunk_size=size, **given)
    chunks = chunker.chunk(text, path=path)
    check_promises(text, chunks, chunker)
    check_nothing_that_fits_is_cut(text, chunks, chunker, chunker.parse(text, path=path))
    return [chunk for chunk in chunks if not chunk.derived]


@pytest.mark.usefixtures("short_stretches")
@pytest.mark.parametrize("given", [{}, {"granularity": "packed"}, {"chunk_overlap": 40}])
def test_rows_of_a_long_table_are_whole_under_their_head(given: dict[str, Any]) -> None:
    for path, text in (
        ("a.csv", csv_of(400)),
        ("a.md", "Words.\n\n| A | B |\n|---|---|\n" + "| one | two |\n" * 300 + "\nMore.\n"),
    ):
        chunks = cut(text, path, **given)
        parts = [chunk for chunk in chunks if chunk.kind == "table"]
        assert len(parts) > 20
        head = HEAD if path == "a.csv" else "| A | B |\n|---|---|\n"
        assert all(head in chunk.text for chunk in parts)
        assert sum(len(chunk.text) > 50 for chunk in parts) > len(parts) * 0.7


@pytest.mark.usefixtures("short_stretches")
def test_a_row_in_front_changes_few_chunks_of_a_long_table() -> None:
    before = {chunk.id for chunk in cut(csv_of(2000, first=1))}
    after = {chunk.id for chunk in cut(csv_of(2000, first=0))}
    assert len(before) > 200
    assert len(after - before) < 20


def test_stretches_are_as_long_as_they_should_be(short_stretches: None) -> None:
    lengths = list(_lengths(csv_of(1000)))
    assert sum(lengths) == 1000
    assert len(set(lengths)) > 3  # by content, and not by number
    assert min(lengths) >= 16
    assert max(lengths) <= 3 * 16
    alike = list(_lengths(HEAD + "same,row,again\n" * 1000))
    assert {16, 32} & set(alike)
    assert max(alike) <= 3 * 16


def _lengths(text: str) -> Iterator[int]:
    (table,) = (unit for _, unit in Chunker().parse(text, path="a.csv").root.walk() if unit.table)
    for unit in table.open():
        if unit.kind == "rows":
            yield len(unit.open())


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text('ab,"\n', max_size=30), min_size=100, max_size=150), st.integers(30, 90))
def test_any_long_table_keeps_the_promises(rows: list[str], size: int) -> None:
    patch = pytest.MonkeyPatch()
    patch.setattr(tables, "_STRETCH", 8)
    patch.setattr(tables, "_MARKED", 2)
    try:
        cut("\n".join(rows), size=size)
    finally:
        patch.undo()


def test_memory_is_that_of_the_chunks() -> None:
    """Not that of an object for each row: peaks of two lengths tell what a character more takes."""
    chunker = Chunker(tokenizer="characters", chunk_size=1500, table_profile=False)
    chunker.chunk(csv_of(100), path="a.csv")
    peaks = []
    texts = [csv_of(rows) for rows in (15_000, 30_000)]
    for text in texts:
        gc.collect()
        tracemalloc.start()
        chunks = chunker.chunk(text, path="a.csv")
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        del chunks
    assert (peaks[1] - peaks[0]) / (len(texts[1]) - len(texts[0])) < 10
