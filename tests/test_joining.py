"""What is embedded around chunks counts in the budget; lines that chunks repeat do as well."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from structchunk_core import Chunker, ConfigurationError
from structchunk_core.hierarchy import is_derived
from tests.corpus import CITIES, GUIDE, ORDERS
from tests.counting import Counter
from tests.promises import check_promises, check_slice

CODE = "".join(
    f"def f{n}(a, b):\n    total = a + {n}\n    return total * b\n\n\n" for n in range(30)
)


@pytest.mark.parametrize("lines", [1, 3, 12])
@pytest.mark.parametrize("size", [110, 200, 600])
def test_lines_of_the_chunk_before_are_repeated_where_there_is_room(lines: int, size: int) -> None:
    chunker = Chunker(chunk_size=size, tokenizer="characters", overlap_lines=lines)
    chunks = chunker.chunk(CODE, path="a.py")
    check_promises(CODE, chunks, chunker)
    for before, chunk in pairwise(chunks):
        overlap = chunk.prefix
        start = chunk.span.start
        assert CODE[start - len(overlap) : start] == overlap
        repeated = [line for line in overlap.split("\n") if line]
        assert len(repeated) <= lines
        assert start - len(overlap) >= before.span.start
        assert not overlap or CODE[start - len(overlap) - 1] == "\n" or start == len(overlap)
        whole = [line for line in before.text[len(before.prefix) :].split("\n") if line]
        assert repeated == whole[len(whole) - len(repeated) :]
        if size == 600:
            assert len(repeated) == min(lines, len(whole))
    assert any(chunk.prefix for chunk in chunks)
    plain = Chunker(chunk_size=size, tokenizer="characters").chunk(CODE, path="a.py")
    assert [chunk.span for chunk in chunks] == [chunk.span for chunk in plain]


def test_lines_and_units_are_not_repeated_together() -> None:
    with pytest.raises(ConfigurationError, match="not both"):
        Chunker(overlap_lines=2, chunk_overlap=10)
    with pytest.raises(ConfigurationError, match="overlap_lines"):
        Chunker(overlap_lines=-1)


JOINS = {
    "before": lambda context, text: f"title: Shop\n{context}\n\n{text}",
    "behind": lambda context, text: f"{text}\n-- {context} [{'word ' * 20}]",
    "stripped": lambda context, text: f"  {context}\n{text}  ".strip(),
    "nothing": lambda _, text: text,
}


@pytest.mark.parametrize("join", JOINS.values(), ids=JOINS)
@pytest.mark.parametrize("path", ["guide.md", "orders.py", "cities.csv"])
@pytest.mark.parametrize(
    "settings",
    [
        {"chunk_size": 64},
        {"chunk_size": 200, "chunk_overlap": 20},
        {"chunk_size": 300, "tokenizer": "characters"},
        {"chunk_size": 300, "tokenizer": "characters", "context": "inline"},
        {"chunk_size": 40, "length_function": lambda text: len(text.split())},
        {"chunk_size": 20_000, "length_function": lambda text: len(text) ** 2 // 10},
        {"chunk_size": 90, "context": "none"},
        {"chunk_size": 90, "context": "inline"},
    ],
)
def test_what_is_joined_to_a_chunk_counts(
    join: Callable[[str, str], str], path: str, settings: dict[str, Any]
) -> None:
    text = {"guide.md": GUIDE, "orders.py": ORDERS, "cities.csv": CITIES}[path]
    chunker = Chunker(**settings)
    chunks = chunker.chunk(text, path=path, join=join)
    separate = settings.get("context", "separate") == "separate"
    position = 0
    for chunk in chunks:
        words = chunk.indexed or chunk.text
        assert chunk.embed_text == join(chunk.context if separate else "", words)
        assert chunker.count(chunk.embed_text) <= chunker.chunk_size
        assert chunker.count(chunk.embed_text) == chunk.size
        if is_derived(chunk):
            continue
        assert not text[position : chunk.span.start].strip()
        position = chunk.span.end
        check_slice(replace(chunk, embed_text=chunk.text), text)
    assert not text[position:].strip()


def test_a_join_that_adds_nothing_changes_nothing() -> None:
    cases: list[dict[str, Any]] = [{}, {"context": "inline"}, {"tokenizer": "characters"}]
    for settings in cases:
        chunker = Chunker(chunk_size=100, **settings)
        plain = chunker.chunk(GUIDE, path="guide.md")
        joined = chunker.chunk(
            GUIDE,
            path="guide.md",
            join=lambda context, text: f"{context}\n\n{text}" if context else text,
        )
        assert [(c.span, c.text, c.context, c.embed_text) for c in joined] == [
            (c.span, c.text, c.context, c.embed_text) for c in plain
        ]


def test_a_join_that_takes_the_budget_leaves_the_text_a_quarter() -> None:
    chunker = Chunker(chunk_size=100)
    chunks = chunker.chunk(GUIDE, path="guide.md", join=lambda _, text: "word " * 90 + text)
    assert {problem.code for chunk in chunks for problem in chunk.problems} == {
        "metadata-over-budget"
    }
    assert all(chunker.count(chunk.text) <= 25 for chunk in chunks)
    assert all(chunk.context == "" for chunk in chunks)
    assert all(chunk.embed_text == "word " * 90 + chunk.text for chunk in chunks)


def test_a_join_costs_no_second_parse_and_no_second_tokenisation(
    parsed: Counter, tokenised: Counter
) -> None:
    text = ORDERS * 50
    Chunker(chunk_size=100).chunk(
        text, path="a.py", join=lambda context, text: f"title: A\n{context}\n{text}"
    )
    assert len([length for length in parsed.lengths if length >= len(text)]) == 1
    assert len([length for length in tokenised.lengths if length >= len(text) // 2]) == 1
    assert sum(tokenised.lengths) < 1.5 * len(text)
