"""Aliases in YAML: chunks carry what they stand for."""

from __future__ import annotations

import pytest

from structchunk_core import Chunk, Chunker, stitch
from tests.promises import check_promises

ABOVE = (
    "defaults: &defaults\n  adapter: postgres\n  host: localhost\n\nlist: &list\n  - one\n  - two\n"
)
STAGES = "".join(
    f"stage{n}:\n  <<: *defaults\n  name: stage {n}\n  ports: *list  # *unknown\n"
    f"  words: {'some words ' * 6}\n"
    for n in range(6)
)


def cut(text: str, size: int = 320) -> list[Chunk]:
    chunker = Chunker(tokenizer="characters", chunk_size=size, table_profile=False)
    chunks = chunker.chunk(text, path="a.yaml")
    check_promises(text, chunks, chunker)
    assert stitch(chunks) == text
    return chunks


def test_a_chunk_has_what_its_aliases_stand_for() -> None:
    chunks = cut(ABOVE + STAGES)
    for number in range(6):
        (holding,) = [chunk for chunk in chunks if f"name: stage {number}\n" in chunk.text]
        assert (
            holding.text.count("defaults: &defaults\n  adapter: postgres\n  host: localhost") == 1
        )
        assert holding.text.count("list: &list\n  - one\n  - two") == 1
        own = {(ABOVE + STAGES)[start:end] for start, end in holding.notes}
        assert all(note in ABOVE for note in own)


def test_the_nearest_anchor_above_counts_and_one_below_never() -> None:
    pad = "".join(f"pad{n}: {'word ' * 12}\n" for n in range(6))
    text = f"a: &x first\n{pad}b: *x\n{pad}c: &x second\n{pad}d: *x\ne: *y\n{pad}f: &y below\n"
    chunks = cut(text, 300)
    (holding,) = [chunk for chunk in chunks if "b: *x" in chunk.text]
    assert holding.text.endswith("a: &x first")
    (holding,) = [chunk for chunk in chunks if "d: *x" in chunk.text]
    assert holding.text.endswith("c: &x second")
    assert not any("&y below" in chunk.suffix for chunk in chunks)


def test_a_long_entry_is_told_by_its_first_lines() -> None:
    long = "".join(f"  key{n}: value\n" for n in range(100))
    text = f"base: &base\n{long}{STAGES.replace('*defaults', '*base')}"
    chunks = cut(text, 900)
    (holding,) = [chunk for chunk in chunks if "name: stage 5\n" in chunk.text]
    ((start, end),) = holding.notes
    assert start == 0
    assert 300 < end <= 400
    assert text[end] == "\n"


@pytest.mark.parametrize(
    "text",
    [
        "a: 1 & 2\nb: 3 *4\n",
        "a: '&x'\nb: '*x'\n",
        "a: &x 1\nb: x*x\n",
        "a: &x 1\nb: *x\n",  # in one chunk
        "a: *x\n",
    ],
)
def test_what_is_no_alias_carries_nothing(text: str) -> None:
    assert not any(chunk.notes for chunk in cut(text))


@pytest.mark.parametrize("size", [12, 40, 100])
def test_any_budget_keeps_the_promises(size: int) -> None:
    cut(ABOVE + STAGES, size)
    cut(f"- &a [1, 2]\n- *a\n---\nx: &a {{b: 1}}\ny: [*a, {'word, ' * 40}]\n", size)
