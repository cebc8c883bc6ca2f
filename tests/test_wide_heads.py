"""Heads of tables with long names of columns: whole wherever there is room for the rows."""

from __future__ import annotations

import pytest

from structchunk_core import Chunk, Chunker
from tests.promises import check_promises

NAMES = [f"Column with a long name {number}" for number in range(8)]


def table(cells: int, rows: int = 24) -> str:
    """A table of Markdown whose cells have so many characters."""
    head = f"| {' | '.join(NAMES)} |\n|{'---|' * len(NAMES)}\n"
    body = (
        f"| {' | '.join(f'{row}{column}'.ljust(cells, 'x') for column in range(len(NAMES)))} |\n"
        for row in range(rows)
    )
    return head + "".join(body)


def parts(text: str, size: int) -> list[Chunk]:
    chunker = Chunker(tokenizer="characters", chunk_size=size, table_profile=False)
    chunks = chunker.chunk(text, path="wide.md")
    check_promises(text, chunks, chunker)
    assert len(chunks) > 3
    return chunks


HEAD = len(table(1, 0))


@pytest.mark.parametrize("cells", [4, 8])
def test_a_wide_head_is_whole_where_its_rows_have_room(cells: int) -> None:
    for chunk in parts(table(cells), HEAD * 3 // 2 + 10):
        assert all(name in chunk.text for name in NAMES)
        assert not chunk.problems


def test_it_is_shortened_where_a_row_has_no_room_beside_it() -> None:
    size = HEAD * 3 // 2 + 10
    text = table(4)
    wide = f"| {' | '.join('y' * (HEAD // 2 // len(NAMES) + 1) for _ in NAMES)} |\n"
    for chunk in parts(text + wide, size)[1:]:
        assert "| Column with\u2026 |" in chunk.text
        assert {problem.code for problem in chunk.problems} == {"head-shortened"}


def test_it_is_shortened_where_it_would_take_more_than_two_thirds() -> None:
    for chunk in parts(table(1), HEAD * 3 // 2 - 10)[1:]:
        assert NAMES[1] not in chunk.text
        assert {problem.code for problem in chunk.problems} == {"head-shortened"}


def test_a_caption_stays_while_any_row_has_room_beside_it_and_short_names() -> None:
    text = table(1)
    caption = "Table 1: Columns and what they hold.\n\n"
    short = len("| Column with\u2026 " * len(NAMES)) + len("|---" * len(NAMES)) + len("|\n|\n")
    size = (short + len(caption)) * 3 // 2 + 9
    repeated = [chunk for chunk in parts(caption + text, size) if chunk.prefix]
    assert len(repeated) > 5
    assert all(chunk.text.startswith(f"{caption}| Column with\u2026 |") for chunk in repeated)
    wide = f"| {' | '.join('y' * (size // 2 // len(NAMES)) for _ in NAMES)} |\n"
    bare = [chunk for chunk in parts(caption + text + wide, size) if chunk.prefix]
    assert not any(caption in chunk.text for chunk in bare)
