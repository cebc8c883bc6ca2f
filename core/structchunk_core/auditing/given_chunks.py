"""What a chunk says, whoever made it: a string, a chunk of this package or of a framework, JSON.

Frameworks are told by what their objects look like (``page_content`` and ``metadata``,
``get_content`` and ``node_id``), so that none of them has to be installed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from structchunk_core.chunks import Chunk
from structchunk_core.errors import ConfigurationError
from structchunk_core.restoring import chunk_of_record
from structchunk_core.settings import shown

_TEXT_KEYS = ("text", "page_content", "content", "document")
_START_KEYS = ("start_index", "start_char_idx", "start_char", "start")
_END_KEYS = ("end_index", "end_char_idx", "end_char", "end")


class GivenChunk(NamedTuple):
    """A chunk of any splitter.

    Attributes:
        text: what a reader is given of it.
        body: that, without what it is known to have added.
        front: what it is known to have added in front.
        behind: and behind.
        indexed: what is embedded.
        told: what it says beside the text: context, path, values of its metadata.
        start: where it says that it begins in the document, in characters, or -1.
        end: and where it ends, half-open, or -1.
        has_place: whether chunks of this kind can name a place.
        is_written_anew: whether it says that its text is another form of the document's.
        is_derived: whether it stands beside the text of the document: a profile of a table.
    """

    text: str
    body: str
    front: str = ""
    behind: str = ""
    indexed: str = ""
    told: str = ""
    start: int = -1
    end: int = -1
    has_place: bool = False
    is_written_anew: bool = False
    is_derived: bool = False


def given_chunk(chunk: object) -> GivenChunk:
    """What the chunk says.

    Args:
        chunk: a string, a :class:`structchunk_core.Chunk`, a LangChain ``Document``, a LlamaIndex
            node, or a mapping with ``text`` (``page_content``, ``content``) such as a line of the
            output of ``structchunk chunk``.

    Raises:
        ConfigurationError: it is none of these.
    """
    if isinstance(chunk, str):
        return GivenChunk(chunk, chunk, indexed=chunk)
    if isinstance(chunk, Chunk):
        return _of_ours(chunk)
    if isinstance(chunk, Mapping):
        return _of_mapping(chunk)
    text = getattr(chunk, "page_content", None)
    if isinstance(text, str):
        return _of_document(text, chunk)
    if callable(getattr(chunk, "get_content", None)):
        return _of_node(chunk)
    text = getattr(chunk, "text", None)  # chonkie and its like
    if isinstance(text, str):
        start = _integer(getattr(chunk, "start_index", None))
        end = _integer(getattr(chunk, "end_index", None))
        return GivenChunk(text, text, indexed=text, start=start, end=end, has_place=True)
    raise ConfigurationError(
        "a chunk must be a str, a Chunk, a LangChain Document, a LlamaIndex node or a mapping with "
        f"a text, got {shown(chunk)}"
    )


def _of_ours(chunk: Chunk) -> GivenChunk:
    text = chunk.text
    context = chunk.context
    front = ""
    if context and text.startswith(context) and _is_inline(chunk):
        front = context
    body = text[len(front) :]
    if chunk.prefix and body.lstrip("\n").startswith(chunk.prefix):
        front += body[: body.index(chunk.prefix) + len(chunk.prefix)]
        body = text[len(front) :]
    behind = chunk.suffix if body.endswith(chunk.suffix) else ""
    told = (context, chunk.source, *chunk.path, *chunk.symbols, chunk.signature)
    return GivenChunk(
        text,
        body.removesuffix(behind),
        front,
        behind,
        chunk.embed_text,
        "\n".join(told),
        chunk.span.start,
        chunk.span.end,
        has_place=True,
        is_written_anew=chunk.rendered,
        is_derived=bool(getattr(chunk, "derived", False)),
    )


def _is_inline(chunk: Chunk) -> bool:
    """Whether the context stands in the text: it is not embedded in front of it once more."""
    return len(chunk.embed_text) <= len(chunk.context) + len(chunk.text)


def _of_mapping(chunk: Mapping[Any, Any]) -> GivenChunk:
    ours = _chunk_or_none(chunk)
    if ours is not None:
        return _of_ours(ours)
    text = next((chunk[key] for key in _TEXT_KEYS if isinstance(chunk.get(key), str)), None)
    if text is None:
        raise ConfigurationError(
            f"a chunk must hold its text under one of {', '.join(_TEXT_KEYS)}, "
            f"got the keys {shown(list(chunk))}"
        )
    metadata = chunk.get("metadata")
    metadata = metadata if isinstance(metadata, Mapping) else {}
    everything = {**metadata, **chunk}
    start, end = _span_of(everything)
    embedded = chunk.get("embed_text")
    others = {key: value for key, value in everything.items() if key not in _TEXT_KEYS}
    others.pop("embed_text", None)
    return _described(
        text, embedded if isinstance(embedded, str) else text, others, start, end, has_place=True
    )


def _chunk_or_none(record: Mapping[Any, Any]) -> Chunk | None:
    """The chunk that a line of our own output is of, with what it repeats; None if it is none."""
    try:
        return chunk_of_record(record)
    except ConfigurationError:
        return None


def _of_document(text: str, chunk: object) -> GivenChunk:
    metadata = getattr(chunk, "metadata", None)
    metadata = metadata if isinstance(metadata, Mapping) else {}
    start, end = _span_of(metadata)
    return _described(text, text, metadata, start, end, has_place=True)


def _of_node(chunk: Any) -> GivenChunk:
    text = str(chunk.get_content())
    metadata = getattr(chunk, "metadata", None)
    metadata = metadata if isinstance(metadata, Mapping) else {}
    start = _integer(getattr(chunk, "start_char_idx", None))
    end = _integer(getattr(chunk, "end_char_idx", None))
    embedded = str(chunk.get_content(metadata_mode="embed"))
    return _described(text, embedded, metadata, start, end, has_place=True)


def _described(
    text: str,
    embedded: str,
    told: Mapping[Any, Any],
    start: int,
    end: int,
    *,
    has_place: bool,
) -> GivenChunk:
    """A chunk with metadata, which tells a context in front of the text from the text."""
    front = ""
    context = told.get("context")
    if isinstance(context, str) and context and text.startswith(context + "\n"):
        front = context if embedded == text else ""
    return GivenChunk(
        text,
        text[len(front) :],
        front,
        "",
        embedded,
        "\n".join(_values(told)),
        start,
        end,
        has_place=has_place,
        is_derived=told.get("derived") is True or told.get("structchunk_derived") is True,
    )


def _values(told: Mapping[Any, Any]) -> list[str]:
    """Everything that is said in metadata, nested or not, as text."""
    found: list[str] = []
    stack: list[object] = [told]
    while stack:
        value = stack.pop()
        if isinstance(value, Mapping):
            stack.extend(value.values())
        elif isinstance(value, list | tuple):
            stack.extend(value)
        elif isinstance(value, str):
            found.append(value)
    return found


def _span_of(told: Mapping[Any, Any]) -> tuple[int, int]:
    span = told.get("span")
    if isinstance(span, list | tuple) and len(span) == 2:
        return _integer(span[0]), _integer(span[1])
    start = next((told[key] for key in _START_KEYS if key in told), None)
    end = next((told[key] for key in _END_KEYS if key in told), None)
    return _integer(start), _integer(end)


def _integer(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else -1
