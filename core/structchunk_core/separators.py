"""The blank text between chunks, for callers who want chunks that spell the document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from structchunk_core.chunker import Chunker
from structchunk_core.chunks import Chunk

Side = Literal["start", "end"]


class Placed(NamedTuple):
    """A text, and where in it the chunk's own slice of the document begins, in characters."""

    text: str
    own: int


def own_slice(chunk: Chunk) -> Placed:
    """The text of a verbatim chunk as it is, and where its slice begins in it."""
    length = chunk.span.end - chunk.span.start
    return Placed(chunk.text, len(chunk.text) - len(chunk.suffix) - length)


def with_separators(
    chunks: Sequence[Chunk], text: str, chunker: Chunker, side: Side, *, begin: int = 0
) -> Iterator[Placed]:
    """The texts of chunks with the blank text that stands between them, as far as it fits.

    Args:
        chunks: slices of the document, in order, without those that are rendered or derived.
        text: the document; spans are characters of it.
        chunker: what made the chunks; a text that would exceed its ``chunk_size`` stays as it is.
        side: ``"start"``: blank text goes in front of the chunk behind it; ``"end"``: it goes
            behind the chunk in front of it. What stands before the first chunk and behind the
            last goes to those in either case.
        begin: where the chunked part of the document begins.
    """
    behind = begin
    for number, chunk in enumerate(chunks):
        (start, end), is_last = chunk.span, number + 1 == len(chunks)
        ahead = len(text) if is_last else chunks[number + 1].span.start
        before = text[behind:start] if number == 0 or side == "start" else ""
        after = text[end:ahead] if is_last or side == "end" else ""
        if chunk.prefix.endswith(before):  # what is repeated ends with it
            before = ""
        content, own = own_slice(chunk)
        kept = content[:own] + before + text[start:end] + after + chunk.suffix
        if chunker.count(kept) <= chunker.chunk_size:
            yield Placed(kept, own + len(before))
        else:
            yield Placed(content, own)
        behind = end
