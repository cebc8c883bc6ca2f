"""Our settings against each other, and what has no setting: what is glued and what is repeated."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

from structchunk_core import Chunk
from tests.benchmarks.retrieval.splitters import (
    ALL,
    CODE,
    SIZES,
    TABLES,
    Contestant,
    Piece,
    chunks_of,
    ours,
)

_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,}).*?^[ \t]*\1[^\n]*$", re.DOTALL | re.MULTILINE)
_CODE = frozenset(CODE)
_TABLES = frozenset({*TABLES, "docs", "pages"})
_RECORDS = frozenset({"records", "settings"})
_NAMED = _RECORDS | _CODE  # whose definitions or values have names
_SETTINGS: Sequence[tuple[frozenset[str], Mapping[str, Any]]] = (
    (ALL, {}),
    (ALL, {"context": "none"}),
    (ALL, {"granularity": "packed"}),
    (ALL, {"target_size": 128}),
    (ALL, {"target_size": 256}),
    (ALL, {"target_size": 384}),
    (ALL, {"target_size": 512}),
    (ALL, {"chunk_size": 256}),
    (ALL, {"chunk_size": 1024, "target_size": 256}),
    (ALL, {"chunk_size": 1024}),
    (ALL, {"chunk_overlap": 64}),
    (_CODE, {"outline": "split"}),
    (_NAMED, {"outline": "all"}),
    (_TABLES, {"table_rows": "linked"}),
    (_TABLES, {"table_profile": False}),
    (_TABLES - {"tables"}, {"table_format": "records"}),  # there the answer is a row of a grid
    (_TABLES, {"table_format": "both"}),
    (_RECORDS, {"record_format": "written"}),
)


def _with_imports(chunk: Chunk) -> Iterable[Piece]:
    """The imports that a chunk uses are embedded too."""
    yield Piece(chunk.text, ("\n".join((*chunk.imports, chunk.embed_text)),))


def _with_context_shown(chunk: Chunk) -> Iterable[Piece]:
    """The context is shown as well, and counts as retrieved."""
    shown = f"{chunk.context}\n\n{chunk.text}" if chunk.indexed else chunk.embed_text
    yield Piece(shown, (chunk.embed_text,))


def _with_nothing_repeated(chunk: Chunk) -> Iterable[Piece]:
    """No header or caption above the rows of a part, no line of a fence above its code."""
    bare = chunk.text.removeprefix(chunk.prefix)
    indexed = chunk.embed_text.replace(chunk.prefix, "", 1) if chunk.prefix else chunk.embed_text
    yield Piece(bare, (indexed,))


def _without_table_header(chunk: Chunk) -> Iterable[Piece]:
    """No names of columns above the rows of a further part of a table; its caption stays."""
    _, header = _table_head(chunk)
    yield _without(chunk, header, chunk.context)


def _without_table_caption(chunk: Chunk) -> Iterable[Piece]:
    """No caption, and no title or heading, above a further part of a table; its header stays."""
    caption, header = _table_head(chunk)
    yield _without(chunk, caption, "" if header else chunk.context)


def _table_head(chunk: Chunk) -> tuple[str, str]:
    """What a further part of a table repeats: caption and header, each up to what follows it."""
    if chunk.kind != "table" or not chunk.prefix:
        return "", ""
    caption, blank, header = chunk.prefix.rpartition("\n\n")
    return caption + blank, header


def _without(chunk: Chunk, repeated: str, context: str) -> Piece:
    """A chunk that repeats less, under another context."""
    if not repeated and context == chunk.context:
        return Piece(chunk.text, (chunk.embed_text,))
    text = chunk.text.replace(repeated, "", 1)
    return Piece(text, (f"{context}\n\n{text}" if context else text,))


def _with_fences_apart(chunk: Chunk) -> Iterable[Piece]:
    """A block of code stands apart from the words that lead in to it."""
    borders = [0, *(fence.start() for fence in _FENCE.finditer(chunk.text)), len(chunk.text)]
    for start, end in pairwise(borders):
        part = chunk.text[start:end]
        if part.strip():
            yield Piece(part, (f"{chunk.context}\n\n{part}",))


_CHANGES: Mapping[str, tuple[frozenset[str], Callable[[Chunk], Iterable[Piece]]]] = {
    "imports embedded": (_CODE, _with_imports),
    "context shown": (ALL, _with_context_shown),
    "nothing repeated": (ALL, _with_nothing_repeated),
    "table header not repeated": (_TABLES, _without_table_header),
    "table caption not repeated": (_TABLES, _without_table_caption),
    "fences apart from lead-ins": (frozenset({"docs"}), _with_fences_apart),
}


def _set(text: str, path: str, settings: Mapping[str, Any]) -> list[Piece]:
    return ours(
        text,
        path,
        **{"size" if name == "chunk_size" else name: value for name, value in settings.items()},
    )


def _changed(text: str, path: str, change: Callable[[Chunk], Iterable[Piece]]) -> list[Piece]:
    chunks = chunks_of(text, path, chunk_size=SIZES[0])
    return [piece for chunk in chunks for piece in change(chunk)]


def _name(settings: Mapping[str, Any]) -> str:
    said = (
        f"{name}={json.dumps(value) if isinstance(value, str) else value}"
        for name, value in settings.items()
    )
    return ", ".join(said) or "defaults"


ABLATIONS: Mapping[str, Contestant] = {
    **{_name(one): Contestant((partial(_set, settings=one),), kinds) for kinds, one in _SETTINGS},
    **{
        name: Contestant((partial(_changed, change=one),), kinds)
        for name, (kinds, one) in _CHANGES.items()
    },
}
"""What is compared, by what differs from the defaults; each in the tasks that it can change."""
