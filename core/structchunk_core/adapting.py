"""What every framework adapter needs and no framework owns: paths, metadata and ids of chunks."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

from structchunk_core.chunker import Chunker
from structchunk_core.chunks import Chunk, Entry
from structchunk_core.context import glue
from structchunk_core.detect import converted_format_or_none
from structchunk_core.errors import ConfigurationError
from structchunk_core.settings import check_format, check_language, path_text, shown
from structchunk_core.unit import Span

_NAMESPACE = "0f0f3c0e-5a36-5b7c-8c1c-3f1f7f6f4f5d"
_ESCAPE = "structchunk_"
_SEPARATOR = "\x1f"
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://[^?#]*")  # a drive has one letter
_MARKS = ("chunk_id", "chunk_format", "element_type")
_RENDERED = ("html", "notebook")

PLACE_KEYS = ("place_start", "place_end")
"""Under which keys stands where the slice of a rendered chunk is in the rendering."""

_BEGINNINGS = (
    "context",
    "start_char",
    "start_index",
    "start_line",
    "gap_before",
    "prefix_length",
    PLACE_KEYS[0],
)
_ENDS = ("end_char", "end_line", "gap_after", "suffix_length", PLACE_KEYS[1])
_ABSENT = object()
_LEVELS = ("h1", "h2", "h3", "h4", "h5", "h6")
TEXT_KEYS = ("shown_text", "indexed_text")
"""Under which keys an adapter keeps both texts of a chunk that has two."""

OWN_KEYS = (
    *Chunk("", Span(0, 0), "").metadata(positions=True),
    "context",
    *PLACE_KEYS,
    *TEXT_KEYS,
)
"""Every key that an adapter adds to the metadata of a document, but for :data:`_LEVELS`."""


def check_route(
    chunker: Chunker, language: object, format: object
) -> tuple[str | None, str | None]:
    """The language and format that every document has, named as they are looked up.

    None where each document tells for itself.

    Raises:
        ConfigurationError: one of them is no name, or nothing provides the format.
    """
    language = check_language(language)
    format = check_format(format)
    if format is not None and format != "code":
        chunker.parse("", format=format)
    return language, format


def check_root(root: object) -> str | None:
    """The folder that paths are shown relative to, as a str; None where they are shown whole.

    Raises:
        ConfigurationError: it is no path.
    """
    if root is None:
        return None
    try:
        folder = path_text(root)
    except ConfigurationError:
        folder = ""
    if not folder:
        raise ConfigurationError(
            f"root must be the path of a folder (a str or pathlib.Path), or None, got {shown(root)}"
        )
    return folder


def path_key_or_none(metadata: Mapping[str, Any], keys: Sequence[str]) -> str | None:
    """The first of the keys under which a loader has noted where a document comes from."""
    return next((key for key in keys if _is_path(metadata.get(key))), None)


def shown_path(path: str | os.PathLike[str], root: str | None) -> str:
    """The path as it is shown and hashed: below the root folder it is relative to it.

    Always with ``/``, so that contexts and ids are the same on every platform. An address of the
    web comes without its query and fragment, which say nothing about what the document is.
    """
    whole = os.fspath(path)
    address = _ADDRESS.match(whole)
    path = (address[0] if address else whole).replace("\\", "/")
    if root is None:
        return path
    folder = root.replace("\\", "/").rstrip("/") + "/"
    return path.removeprefix(folder) or path


def made_format_or_none(text: str, path: str, metadata: Mapping[str, Any]) -> str | None:
    """The format of a text that is not in the one its path names; None where it may be.

    That is what a loader has made of a file, or a chunk of an adapter that was rendered.
    """
    return rendered_format_or_none(metadata) or converted_format_or_none(path, text)


def rendered_format_or_none(metadata: Mapping[str, Any]) -> str | None:
    """The format of the text of a chunk that is to be chunked again.

    Markdown if it was rendered so, text if it was derived. None when it is no chunk of an adapter,
    or is in the format of its document.
    """
    if _own(metadata, "derived") is True:
        return "text"
    return "markdown" if _own(metadata, "chunk_format") in _RENDERED else None


def length_of_context(metadata: Mapping[str, Any], text: str) -> int:
    """How much of the text of a chunk that is to be chunked again is the context in front of it.

    0 when the text is no chunk of an adapter, or has its context elsewhere.
    """
    context = _own(metadata, "context")
    if not isinstance(context, str) or not context or _own(metadata, "verbatim"):
        return 0
    front = context + glue(str(_own(metadata, "chunk_format")))
    return len(front) if text.startswith(front) else 0


def address_beyond_path(path: str | os.PathLike[str]) -> str:
    """The whole address, when :func:`shown_path` leaves out a part of it, else ``""``.

    One path with several queries may be as many documents (``page?id=1``).
    """
    whole = os.fspath(path)
    address = _ADDRESS.match(whole)
    return whole if address and address.end() < len(whole) else ""


def loader_metadata(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """A deep copy of what the loader noted, without what an adapter has added to it before.

    So a chunk that is chunked again is described as what it is then.
    """
    copied = deepcopy(dict(metadata))
    if not _is_chunk(copied):
        return copied
    # Ours are all six together; a loader may have noted any of them.
    levels = _LEVELS if all(key in copied or _ESCAPE + key in copied for key in _LEVELS) else ()
    for key in (*OWN_KEYS, *levels):
        if copied.pop(_ESCAPE + key, None) is None:  # else the plain key is the loader's
            copied.pop(key, None)
    return copied


def own_metadata(
    chunk: Chunk, loaded: Mapping[str, Any], *, positions: bool = False
) -> dict[str, str | int | bool]:
    """The chunk's flat metadata and its context, under keys that the loader does not use.

    A key that the loader has taken (``symbol``) is written ``structchunk_symbol``. Positions are
    those of the chunk and, for one of a rendered document, its place there (else ``-1``).
    """
    described = chunk.metadata(positions=positions) | {"context": chunk.context}
    if positions:
        place = place_or_none(chunk) or (-1, -1)
        described |= dict(zip(PLACE_KEYS, place, strict=True))
    return {own_key(key, loaded): value for key, value in described.items()}


def place_or_none(chunk: Chunk) -> Span | None:
    """Where its slice stands in the rendering of its document; None if that is its span."""
    is_elsewhere = chunk.rendered or chunk.place != chunk.span
    return chunk.place if is_elsewhere and not chunk.derived else None


def noted_values(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """What :func:`own_metadata` has added, under the plain keys; empty when it is of no chunk."""
    if not _is_chunk(metadata):
        return {}
    found = {key: metadata[key] for key in OWN_KEYS if key in metadata}
    escaped = {key: metadata[_ESCAPE + key] for key in OWN_KEYS if _ESCAPE + key in metadata}
    return found | escaped


def without_texts(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """The metadata of a chunk, with nothing under :func:`text_keys`."""
    ours = text_keys(metadata)
    return {key: "" if key in ours else value for key, value in metadata.items()}


def text_keys(metadata: Mapping[str, Any]) -> list[str]:
    """Where :data:`TEXT_KEYS` stand in the metadata of a chunk; nowhere in that of others."""
    if not _is_chunk(metadata):
        return []
    return [_ESCAPE + key if _ESCAPE + key in metadata else key for key in TEXT_KEYS]


def common_metadata(row: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The metadata of neighbours that are read as one: what differs is empty, or left out.

    The context is that of the first one, which says where they begin; they begin where it begins
    and end where the last one ends.
    """
    first, last = row[0], row[-1]
    common: dict[str, Any] = {}
    for key, value in first.items():
        plain = key.removeprefix(_ESCAPE)
        if plain in _ENDS:
            common[key] = last.get(key, value)
        elif plain in _BEGINNINGS or all(other.get(key, _ABSENT) == value for other in row[1:]):
            common[key] = value
        elif isinstance(value, str | int):
            common[key] = type(value)()
    return deepcopy(common)


def heading_metadata(chunk: Chunk, loaded: Mapping[str, Any]) -> dict[str, str]:
    """The headings above the chunk by their levels, under keys that the loader does not use.

    All six keys, ``h1`` to ``h6``, on every chunk; ``""`` where there is no such heading.
    """
    found = {f"h{level}": words for level, words in chunk.headings}
    return {own_key(key, loaded): found.get(key, "") for key in _LEVELS}


def own_key(key: str, loaded: Mapping[str, Any]) -> str:
    """The name under which :func:`own_metadata` writes a key beside the loader's metadata."""
    return _ESCAPE + key if key in loaded else key


class Ids:
    """Deterministic ids that never repeat within one call of an adapter."""

    __slots__ = ("_seen",)

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}

    def of(self, chunk: Chunk | Entry, identity: str) -> str:
        """A UUID of the chunk, or entry, and of what tells its document from others.

        Args:
            chunk: the chunk or entry; its id holds its path, text and occurrence.
            identity: a stable id of its document, or ``""`` when the chunk's path is one; then
                this is the chunk's own id, unless that has been given out in this call.
        """
        key = f"{identity}{_SEPARATOR}{chunk.id}" if identity else chunk.id
        repetition = self._seen[key] = self._seen.get(key, -1) + 1
        if repetition:
            key = f"{key}{_SEPARATOR}{repetition}"
        if key == chunk.id:
            return key
        from uuid import UUID, uuid5

        return str(uuid5(UUID(_NAMESPACE), key.encode("utf-8", "surrogatepass").hex()))


def _is_chunk(metadata: Mapping[str, Any]) -> bool:
    return all(mark in metadata or _ESCAPE + mark in metadata for mark in _MARKS)


def _own(metadata: Mapping[str, Any], key: str) -> Any:
    """What an adapter has noted about a chunk; None when it is not about one."""
    return metadata.get(_ESCAPE + key, metadata.get(key)) if _is_chunk(metadata) else None


def _is_path(value: object) -> bool:
    try:
        return path_text(value) != ""
    except ConfigurationError:
        return False
