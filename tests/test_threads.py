"""Many documents in one process: in order, no further ahead than they are taken."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from structchunk_core import Chunker, ConfigurationError
from structchunk_core.threads import map_in_order
from tests.corpus import FILES


@pytest.mark.parametrize("workers", [1, 3])
def test_many_documents_give_what_each_gives(workers: int) -> None:
    chunker = Chunker(chunk_size=100)
    texts = [*FILES.values(), ""] * 5
    paths = [*FILES, None] * 5
    wanted = [chunker.chunk(text, path=path or "") for text, path in zip(texts, paths, strict=True)]
    assert list(chunker.chunk_many(texts, paths=paths, workers=workers)) == wanted
    code = chunker.chunk_many(iter(["x = 1\n"] * 3), language="python", workers=workers)
    assert [chunks[0].language for chunks in code] == ["python"] * 3
    plain = chunker.chunk_many(["# Title"], format="text", workers=workers)
    assert [chunks[0].format for chunks in plain] == ["text"]
    assert list(chunker.chunk_many([], workers=workers)) == []


@pytest.mark.parametrize("workers", [1, 2])
def test_documents_are_taken_as_they_are_needed(workers: int) -> None:
    taken: list[int] = []

    def numbers() -> Iterator[int]:
        for number in range(1000):
            taken.append(number)
            yield number

    results = map_in_order(str, numbers(), workers)
    assert taken == []
    assert [next(results) for _ in range(3)] == ["0", "1", "2"]
    assert len(taken) <= 3 + 2 * workers
    results.close()  # type: ignore[attr-defined]  # a generator
    assert len(taken) <= 3 + 2 * workers


def test_several_threads_work_at_a_time() -> None:
    together = threading.Barrier(2, timeout=60)

    def work(number: int) -> int:
        together.wait()  # passes when another thread is here too
        return number

    assert list(map_in_order(work, range(8), 2)) == list(range(8))


def test_what_goes_wrong_is_raised_in_its_place() -> None:
    begun: list[int] = []

    def work(number: int) -> int:
        begun.append(number)
        if number == 3:
            raise LookupError(number)
        return number

    results = map_in_order(work, range(1000), 2)
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(LookupError):
        next(results)
    assert max(begun) <= 3 + 2 * 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"workers": 0}, "workers must be at least 1 thread"),
        ({"workers": None}, "workers must be a whole number of threads"),
        ({"language": "a/b"}, "a/b"),
        ({"format": 7}, "format must be a name"),
    ],
)
def test_wrong_arguments_are_refused_at_once(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        Chunker().chunk_many(["text"], **arguments)
    with pytest.raises(ConfigurationError, match="texts must be several"):
        Chunker().chunk_many("text")


@pytest.mark.parametrize("paths", [["a.md"], ["a.md"] * 3])
def test_texts_and_paths_are_as_many(paths: list[str]) -> None:
    with pytest.raises(ConfigurationError, match="as many paths as texts"):
        list(Chunker().chunk_many(["a", "b"], paths=paths))
