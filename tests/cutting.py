"""Cutting a small text and looking for the chunk that holds a part of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from structchunk_core import Chunk, Chunker
from structchunk_core.unit import Unit
from tests.promises import check_nothing_that_fits_is_cut, check_promises


def cut(
    text: str, path: str, size: int, granularity: str = "definition", **more: Any
) -> list[Chunk]:
    """The chunks of a text; "packed" packs up to the limit."""
    settings: dict[str, Any] = {"tokenizer": "characters", "chunk_size": size, **more}
    if granularity == "packed":
        settings.setdefault("target_size", size)
    chunker = Chunker(granularity=granularity, **settings)  # type: ignore[arg-type]  # one of two
    chunks = chunker.chunk(text, path=path)
    check_promises(text, chunks, chunker)
    check_nothing_that_fits_is_cut(text, chunks, chunker, chunker.parse(text, path=path))
    return chunks


def holder_of(chunks: list[Chunk], part: str) -> Chunk:
    """The one chunk that has the part in its text."""
    found = [chunk for chunk in chunks if part in chunk.text]
    assert len(found) == 1, f"{len(found)} chunks hold {part!r}"
    return found[0]


def told_by_opening(unit: Unit) -> Iterator[tuple[str, int]]:
    """Kind and length of what stands in a section and in the sections in it."""
    stack = [unit]
    while stack:
        for child in stack.pop().open():
            if child.kind == "section":
                stack.append(child)
            else:
                yield child.kind, child.end - child.start
