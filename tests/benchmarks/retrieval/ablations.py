"""Our settings against each other, and what has no setting: what is glued and what is repeated."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import pairwise
from typing import Any

from structchunk_core import Chunk
from tests.benchmarks.retrieval.splitters import (
    ALL,
    SIZES,
    Contestant,
    Piece,
    chunks_of,
    ours,
)

_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,}).*?^[ \t]*\1[^\n]*$", re.DOTALL | re.MULTILINE)
_SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "defaults": {},
    'context="none"': {"context": "none"},
    'granularity="packed"': {"granularity": "packed"},
    "target_size=128": {"target_size": 128},
    "target_size=384": {"target_size": 384},
    "target_size=512": {"target_size": 512},
    "chunk_size=256": {"size": 256},
    "chunk_size=1024, target_size=256": {"size": 1024, "target_size": 256},
    "chunk_size=1024": {"size": 1024},
    "chunk_overlap=64": {"chunk_overlap": 64},
    'outline="split"': {"outline": "split"},
    'outline="all"': {"outline": "all"},
    'table_rows="linked"': {"table_rows": "linked"},
    "table_profile=False": {"table_profile": False},
    'table_format="records"': {"table_format": "records"},
    'table_format="both"': {"table_format": "both"},
}


def _with_imports(chunk: Chunk) -> Iterable[Piece]:
    """The imports that a chunk uses are embedded too."""
    yield Piece(chunk.text, ("\n".join((*chunk.imports, chunk.embed_text)),))


def _with_context_shown(chunk: Chunk) -> Iterable[Piece]:
    """The context is shown as well, and counts as retrieved."""
    yield Piece(chunk.embed_text, (chunk.embed_text,))


def _with_nothing_repeated(chunk: Chunk) -> Iterable[Piece]:
    """No header or caption above rows, no line of a fence, no signature above a part."""
    bare = chunk.text.removeprefix(chunk.prefix)
    indexed = chunk.embed_text.replace(chunk.prefix, "", 1) if chunk.prefix else chunk.embed_text
    yield Piece(bare, (indexed,))


def _with_fences_apart(chunk: Chunk) -> Iterable[Piece]:
    """A block of code stands apart from the words that lead in to it."""
    borders = [0, *(fence.start() for fence in _FENCE.finditer(chunk.text)), len(chunk.text)]
    for start, end in pairwise(borders):
        part = chunk.text[start:end]
        if part.strip():
            yield Piece(part, (f"{chunk.context}\n\n{part}",))


_CHANGES: Mapping[str, Callable[[Chunk], Iterable[Piece]]] = {
    "imports embedded": _with_imports,
    "context shown": _with_context_shown,
    "nothing repeated": _with_nothing_repeated,
    "fences apart from lead-ins": _with_fences_apart,
}


def _changed(text: str, path: str, change: Callable[[Chunk], Iterable[Piece]]) -> list[Piece]:
    chunks = chunks_of(text, path, chunk_size=SIZES[0])
    return [piece for chunk in chunks for piece in change(chunk)]


ABLATIONS: Mapping[str, Contestant] = {
    **{name: Contestant((partial(ours, **one),), ALL) for name, one in _SETTINGS.items()},
    **{name: Contestant((partial(_changed, change=one),), ALL) for name, one in _CHANGES.items()},
}
"""What is compared, by what differs from the defaults."""
