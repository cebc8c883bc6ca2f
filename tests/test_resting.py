"""The collector of reference cycles rests while a document is cut, and works again behind it."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import pytest

from structchunk_core import Chunk, Chunker
from structchunk_core.source import Source

TEXT = "".join(f"def f{number}(x):\n    return g(x, {number})\n\n\n" for number in range(500))


@pytest.fixture(autouse=True)
def _collector() -> Iterator[None]:
    assert gc.isenabled()
    yield
    gc.enable()


def test_nothing_is_collected_while_a_document_is_cut() -> None:
    begun: list[dict[str, int]] = []
    Chunker().chunk(TEXT, path="a.py")  # what is made once for all documents

    def note(phase: str, told: dict[str, int]) -> None:
        if phase == "start":
            begun.append(told)

    gc.collect()
    gc.callbacks.append(note)
    try:
        chunks = Chunker().chunk(TEXT, path="a.py")
    finally:
        gc.callbacks.remove(note)
    assert len(chunks) > 400
    assert len(begun) <= 4  # between its steps, and not after every few hundred objects
    assert gc.isenabled()


def test_it_works_again_behind_what_raises() -> None:
    seen: list[bool] = []

    def length(text: str) -> int:
        seen.append(gc.isenabled())
        if "\n" in text.strip():  # a chunk, and not the lines that all begins with
            raise RuntimeError(text)
        return len(text)

    with pytest.raises(RuntimeError):
        Chunker(length_function=length, chunk_size=100).chunk(TEXT, path="a.py")
    assert seen[-1] is False
    assert gc.isenabled()


def test_who_has_stopped_it_finds_it_stopped() -> None:
    gc.disable()
    Chunker().chunk(TEXT, path="a.py")
    assert not gc.isenabled()


def test_a_contextualizer_runs_with_it() -> None:
    seen: list[bool] = []

    class Says:
        def batch(self, chunks: list[Chunk], source: Source) -> list[str]:
            del source
            seen.append(gc.isenabled())
            return [""] * len(chunks)

    says: Any = Says()
    Chunker(contextualizer=says).chunk(TEXT, path="a.py")
    assert seen == [True]


def test_what_is_made_on_the_way_goes_without_it() -> None:
    Chunker().chunk(TEXT, path="a.py")
    gc.collect()
    gc.disable()
    chunks = Chunker().chunk(TEXT, path="a.py")
    del chunks
    assert gc.collect() < 100
