"""Row groups of tables that are split: how large they are."""

from __future__ import annotations

from typing import Any

import pytest

from structchunk_core import Chunker
from tests.promises import check_promises

ROW = 40


def group_sizes(names: int, size: int, **settings: Any) -> tuple[int, list[int]]:
    """What a head of so many characters and the groups of rows below it measure.

    Each row has 40 characters; the first and the last group are left out.
    """
    head = f"| {'n' * (names - 4)} |\n|---|\n"
    text = head + f"| {'x' * (ROW - 5)} |\n" * 400
    chunker = Chunker(
        tokenizer="characters", chunk_size=size, table_profile=False, context="none", **settings
    )
    chunks = chunker.chunk(text, path="t.md")
    check_promises(text, chunks, chunker)
    assert all(chunk.text.startswith(head) for chunk in chunks)
    return len(head), [len(chunk.text) for chunk in chunks[1:-1]]


def are_near(aim: int, sizes: list[int]) -> bool:
    """Whether all measure so much, or up to a quarter more or less."""
    return all(abs(size - aim) * 4 <= aim for size in sizes)


def test_rows_aim_at_a_quarter_of_the_budget() -> None:
    _, sizes = group_sizes(20, 4000)
    assert are_near(1000, sizes)


@pytest.mark.parametrize("names", [400, 450])
def test_rows_aim_at_four_times_what_each_group_repeats(names: int) -> None:
    head, sizes = group_sizes(names, 4000)
    assert are_near(4 * head, sizes)


def test_rows_aim_at_half_of_the_budget_at_most() -> None:
    _, sizes = group_sizes(700, 4000)
    assert are_near(2000, sizes)


@pytest.mark.parametrize("target", [300, 1000])
def test_rows_aim_at_the_target_that_is_set(target: int) -> None:
    _, sizes = group_sizes(20, 2000, target_size=target)
    assert are_near(target, sizes)


def test_paragraphs_beside_a_table_aim_at_half_of_the_budget() -> None:
    words = "Twelve words stand in each of these sentences about nothing at all here.\n\n"
    rows = f"| {'x' * (ROW - 5)} |\n" * 100
    text = f"# Page\n\n{words * 60}\n| Name |\n|---|\n{rows}\n{words * 60}"
    chunker = Chunker(tokenizer="characters", chunk_size=2000, context="none", table_profile=False)
    chunks = chunker.chunk(text, path="page.md")
    check_promises(text, chunks, chunker)
    prose = [chunk.text for chunk in chunks if "|" not in chunk.text]
    rows_only = [chunk.text for chunk in chunks if "Twelve" not in chunk.text]
    assert min(len(prose), len(rows_only)) > 3
    assert all(800 < len(one) < 1300 for one in prose)
    assert all(400 < len(one) < 600 for one in rows_only)


def test_a_target_that_is_half_of_the_budget_has_a_fingerprint_of_its_own() -> None:
    assert Chunker(target_size=256).fingerprint != Chunker().fingerprint
