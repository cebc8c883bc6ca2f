from __future__ import annotations

import json
import random
import re
from itertools import pairwise
from typing import Any

import pytest

from structchunk_core import Chunk, Chunker, ChunkStore, ConfigurationError, expand, stitch
from structchunk_core.expanding import holds
from tests.corpus import CITIES, GUIDE, ORDERS
from tests.test_hierarchy import FORMATS

CHUNKER = Chunker(chunk_size=64)
HIERARCHY = CHUNKER.hierarchy(ORDERS, path="shop/orders.py", parent_size=1000)
STORE = ChunkStore([HIERARCHY])


def chunk_of(symbol: str) -> Chunk:
    return next(chunk for chunk in HIERARCHY.chunks if chunk.symbols == (symbol,))


def test_a_method_becomes_its_class_and_then_its_file_as_the_budget_allows() -> None:
    method = chunk_of("Basket.discount")
    basket = next(parent for parent in HIERARCHY.parents if parent.symbols == ("Basket",))
    file = HIERARCHY.parents[0]
    assert expand([method], STORE, method.size) == [method]
    assert expand([method], STORE, basket.size - 1) == [method]
    assert expand([method], STORE, basket.size) == [basket]
    assert expand([method], STORE, file.size - 1) == [basket]
    assert expand([method], STORE, file.size) == [file]
    assert stitch(expand([method], STORE, file.size)) == ORDERS


def test_kinds_that_are_not_wanted_are_passed_by() -> None:
    method = chunk_of("Basket.discount")
    (basket,) = expand([method], STORE, 10_000, kinds={"class"})
    assert basket.kind == "class"
    assert expand([method], STORE, 10_000, kinds={"class_definition"}) == [basket]
    (file,) = expand([method], STORE, 10_000, kinds={"file"})
    assert file.kind == "file"
    assert expand([method], STORE, 10_000, kinds=()) == [method]


def test_the_best_has_the_first_turn_and_each_has_one_before_any_has_two() -> None:
    one = CHUNKER.hierarchy(ORDERS, path="one.py", parent_size=1000)
    other = CHUNKER.hierarchy(ORDERS, path="other.py", parent_size=1000)
    store = ChunkStore([one, other])
    hits = [
        next(chunk for chunk in found.chunks if chunk.symbols == ("Basket.discount",))
        for found in (one, other)
    ]
    classes = [store.parent_or_none(hit) for hit in hits]
    sizes = [parent.size for parent in classes if parent is not None]
    for kinds in ({"class"}, {"class", "file"}):
        assert expand(hits, store, sum(sizes), kinds=kinds) == classes
    less = sum(sizes) - 1
    assert expand(hits, store, less, kinds={"class"}) == [classes[0], hits[1]]
    assert expand(hits[::-1], store, less, kinds={"class"}) == [classes[1], hits[0]]


def test_siblings_become_their_parent_once_in_the_order_of_the_document() -> None:
    hits = [chunk for chunk in HIERARCHY.chunks if "Basket." in "".join(chunk.symbols)]
    assert len(hits) > 1
    basket = next(parent for parent in HIERARCHY.parents if parent.symbols == ("Basket",))
    first = HIERARCHY.chunks[0]
    budget = basket.size + first.size
    assert expand([*hits, first, *hits], STORE, budget, kinds={"class"}) == [first, basket]
    assert expand([hits[0], basket], STORE, basket.size, kinds={"class"}) == [basket]


def test_what_does_not_fit_is_left_out_and_the_rest_is_kept() -> None:
    hits = sorted(HIERARCHY.chunks, key=lambda chunk: -chunk.size)
    kept = expand(hits, STORE, hits[-1].size, kinds=())
    assert len(kept) == 1
    assert kept[0].size <= hits[-1].size
    assert expand([], STORE, 10) == []


@pytest.mark.parametrize(("path", "text"), FORMATS)
@pytest.mark.parametrize("budget", [40, 300, 5000])
def test_nothing_is_lost_doubled_or_over_budget(path: str, text: str, budget: int) -> None:
    found = Chunker(chunk_size=32).hierarchy(text, path=path, parent_size=2000)
    store = ChunkStore([found])
    picks = random.Random(7)  # the same hits in every run
    for _ in range(20):
        hits = picks.sample(found.chunks, min(5, len(found.chunks)))
        got = expand(hits, store, budget)
        assert sum(chunk.size for chunk in got) <= budget
        assert [chunk.span for chunk in got] == sorted(chunk.span for chunk in got)
        slices = [chunk for chunk in got if not chunk.derived]  # a profile stands beside its rows
        for before, after in pairwise(slices):
            assert before.span.end <= after.span.start
        if sum(hit.size for hit in hits) <= budget:
            assert all(any(holds(one, hit) for one in got) for hit in hits)


def test_documents_come_as_they_were_found() -> None:
    guide = CHUNKER.hierarchy(GUIDE * 4, path="guide.md")
    cities = CHUNKER.hierarchy(CITIES, path="cities.csv")
    store = ChunkStore([guide, cities])
    got = expand([cities.chunks[3], guide.chunks[0], cities.chunks[0]], store, 200, kinds=())
    assert got == [cities.chunks[0], cities.chunks[3], guide.chunks[0]]
    assert store.chunk_or_none(guide.chunks[0].id) == guide.chunks[0]
    assert store.chunk_or_none("unknown") is None


def test_sizes_can_be_counted_otherwise() -> None:
    method = chunk_of("Basket.discount")
    got = expand([method], STORE, len(method.text), count=lambda chunk: len(chunk.text))
    assert got == [method]
    assert expand([method], STORE, len(method.text) - 1, count=lambda c: len(c.text)) == []


@pytest.mark.parametrize("wrong", [0, -1, True, 1.5, "many", None])
def test_a_wrong_budget_raises_at_once(wrong: Any) -> None:
    with pytest.raises(ConfigurationError, match="budget"):
        expand([], STORE, wrong)


@pytest.mark.parametrize("wrong", ["class", 3, [None]])
def test_wrong_kinds_raise_at_once(wrong: Any) -> None:
    with pytest.raises(ConfigurationError, match="kinds"):
        expand([], STORE, 100, kinds=wrong)


STRADDLED = (
    "[package]\n"
    + "".join(f"key{n} = 'a value in some words, number {n}'\n" for n in range(14))
    + "\n[lib]\nname = 'lib'\n\n[dependencies]\n"
    + "".join(f"dependency{n} = '1.{n}'\n" for n in range(30))
)


def test_a_parent_that_holds_only_a_part_of_what_is_chosen_is_passed_by() -> None:
    found = Chunker(chunk_size=128).hierarchy(STRADDLED, path="a.toml", parent_size=600)
    package = next(parent for parent in found.parents if parent.path == ("package",))
    file = found.parents[0]
    inside = [chunk for chunk in found.chunks if holds(package, chunk)]
    (straddling,) = (
        chunk
        for chunk in found.chunks
        if chunk.span.start < package.span.end < chunk.span.end and chunk not in inside
    )
    store = ChunkStore([found])
    assert expand(inside, store, package.size) == [package]
    assert expand([*inside, straddling], store, file.size - 1) == [*inside, straddling]
    assert expand([*inside, straddling], store, file.size) == [file]


def notebook() -> str:
    """Code whose outputs are several chunks: in the file they stand in front of it."""
    cells: list[dict[str, Any]] = []
    for number in range(3):
        lines = [f"line {n} of output {number} says something\n" for n in range(30)]
        output = {"name": "stdout", "output_type": "stream", "text": lines}
        code = [f"for n in range(30):\n    print('line', n, 'of output {number} says something')"]
        heading = [f"# Part {number}\n\nWhat it prints."]
        cells += (
            {"cell_type": "markdown", "metadata": {}, "source": heading},
            {
                "cell_type": "code",
                "execution_count": 1,
                "metadata": {},
                "outputs": [output],
                "source": code,
            },
        )
    kind = {"language_info": {"name": "python"}}
    return json.dumps(
        {"cells": cells, "metadata": kind, "nbformat": 4, "nbformat_minor": 5}, indent=1
    )


def test_outputs_of_a_notebook_are_not_taken_for_each_other() -> None:
    found = Chunker(chunk_size=40).hierarchy(notebook(), path="a.ipynb", parent_size=2000)
    store = ChunkStore([found])
    outputs = [chunk for chunk in found.chunks if chunk.span.start == chunk.span.end]
    assert len(outputs) > 3
    assert len({chunk.span for chunk in outputs}) < len(outputs)
    assert set(expand(outputs, store, 10_000, kinds=())) == set(outputs)
    for chosen in (outputs, outputs[:1], list(found.chunks)):
        for size in (300, 1000, 10_000):
            budget = max(size, sum(chunk.size for chunk in chosen))
            got = expand(chosen, store, budget)
            assert sum(chunk.size for chunk in got) <= budget
            text = "".join(chunk.text for chunk in got)
            for line in "".join(chunk.text for chunk in chosen).split("\n"):
                if re.fullmatch(r"line \d+ of output .*", line):
                    assert text.count(f"{line}\n") == 1
    (file,) = expand(found.chunks, store, 10_000)
    assert file.kind == "document"
