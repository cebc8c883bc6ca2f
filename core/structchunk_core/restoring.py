"""Chunks made again from what was stored of them: JSON Lines, or the metadata of a framework.

What was stored is enough to stitch and to expand them, and to describe them as they were described.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from structchunk_core.adapting import noted_values
from structchunk_core.chunks import Chunk, Entry
from structchunk_core.context import glue
from structchunk_core.definition import Definition, Head
from structchunk_core.errors import ConfigurationError, Problem
from structchunk_core.unit import Span

_NOWHERE = Span(0, 0)
_RENDERED = ("html", "notebook")


def chunk_of_record(
    record: Mapping[str, Any], *, count: Callable[[str], int] | None = None
) -> Chunk:
    """The chunk that :meth:`Chunk.record` described: one line of the output of ``structchunk``.

    It describes itself as it did, and :func:`stitch` gives the same text.

    Args:
        record: the JSON object, read.
        count: what a text measures, in the unit of the chunker.

    Raises:
        ConfigurationError: it is no such object.
    """
    try:
        first_line, last_line = record["lines"]
        before, after = record["gaps"]
        chunk = _restored(
            record["text"],
            record["metadata"],
            record["context"],
            Span(*record["span"]),
            rendered=record["rendered"],
        )
        place = Span(*record["place"]) if "place" in record else chunk.place
        return replace(
            chunk,
            _inside=place,
            source=record["source"],
            id=record["id"],
            path=tuple(record["path"]),
            start_line=first_line,
            end_line=last_line,
            gap_before=before,
            gap_after=after,
            problems=tuple(
                Problem(one["code"], one["message"], one["start"], one["end"])
                for one in record["problems"]
            ),
            entries=tuple(
                Entry(
                    one["text"],
                    one["kind"],
                    one["symbol"],
                    record["id"],
                    one["parent_id"],
                    one["id"],
                )
                for one in record["entries"]
            ),
            child_ids=tuple(record["child_ids"]),
            embed_text=record["embed_text"],
            size_at_most=record["size"],
            _size=record["size"],
            _count=count,
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ConfigurationError(
            "record must be what Chunk.record() gives, which is what a line of JSON Lines holds: "
            f"{type(error).__name__}: {error}"
        ) from error


def chunk_of_metadata(
    text: str,
    metadata: Mapping[str, Any],
    *,
    identity: str,
    source: str,
    span: Span | None = None,
    place: Span | None = None,
) -> Chunk:
    """The chunk that an adapter made a document or node of.

    What no adapter made, or has not kept its place, is a chunk that lies in no other one and is
    joined to none; so is one whose text is no longer as it was made.

    Args:
        text: what the framework keeps as its text, which is what is shown.
        metadata: what it keeps beside it.
        identity: the id there, which becomes the chunk's.
        source: what tells its document from others there.
        span: where it stands in the document, in characters, half-open; None: as the metadata say.
        place: where its slice stands in the rendering of its document; None: as the metadata say,
            or nowhere.
    """
    noted = noted_values(metadata)
    if span is None and "start_char" in noted:
        span = Span(noted["start_char"], noted["end_char"])
    if not noted or span is None:
        return Chunk(text, _NOWHERE, text, source=f"{source}\x1f{identity}", id=identity)
    if place is None and noted.get("place_start", -1) >= 0:
        place = Span(noted["place_start"], noted["place_end"])
    rendered = noted["chunk_format"] in _RENDERED or (
        place is not None and place.end - place.start != span.end - span.start
    )
    chunk = _restored(text, noted, noted.get("context", ""), span, rendered=rendered, place=place)
    return replace(chunk, source=source, id=identity)


def _restored(  # all that is known of a chunk
    text: str,
    metadata: Mapping[str, Any],
    context: str,
    span: Span,
    *,
    rendered: bool,
    place: Span | None = None,
) -> Chunk:
    """What a text and metadata under plain keys tell, without source and id."""
    inside = place or (_NOWHERE if rendered else span)
    before, after = metadata["prefix_length"], metadata["suffix_length"]
    written = context + glue(metadata["chunk_format"])
    front = len(written) if context and text.startswith(written) else 0
    behind = len(text) - after
    fits = behind - before - front == inside.end - inside.start
    symbols = _parts(metadata["symbols"], ", ")
    decorators = _parts(metadata["decorators"], "\n")
    head = Head(metadata["signature"], decorators, metadata["doc"])
    return Chunk(
        text,
        span,
        text,
        context,
        kind=metadata["node_type"],
        element_type=metadata["element_type"],
        element_types=_parts(metadata["element_types"], ", "),
        format=metadata["chunk_format"],
        language=metadata["chunk_language"],
        path=_parts(metadata["section_path"], " > "),
        _symbols=symbols,
        definition=Definition(symbols[0] if symbols else "", (), head) if any(head) else None,
        node_type=metadata["node_type"],
        prefix=text[front : front + before],
        suffix=text[behind:],
        verbatim=metadata["verbatim"],
        start_line=metadata.get("start_line", 0),
        end_line=metadata.get("end_line", 0),
        part=metadata["chunk_part"],
        parts=metadata.get("chunk_parts", 0),
        parent_id=metadata["chunk_parent_id"],
        problems=tuple(Problem(code, "") for code in _parts(metadata["problems"], "; ")),
        rendered=rendered,
        derived=metadata.get("derived", False),
        anchor=metadata["anchor"],
        cell=metadata.get("cell", 0),
        gap_before=metadata.get("gap_before", ""),
        gap_after=metadata.get("gap_after", ""),
        _inside=inside if fits and not metadata.get("derived", False) else _NOWHERE,
        _known={
            "imports": _parts(metadata["imports"], "\n"),
            "calls": _parts(metadata["calls"], ", "),
            "callers": (),
            "members": (),
            "neighbours": ("", ""),
            "module": (metadata["module"], ""),
        },
    )


def _parts(joined: str, separator: str) -> tuple[str, ...]:
    return tuple(joined.split(separator)) if joined else ()
