"""Stitching: retrieved chunks joined back to the text that they were cut from.

Parts of a table repeat its head, parts of a fence its opening and closing line, and chunks with an
overlap their last lines. That serves each of them when it is read alone; side by side, what is
repeated costs tokens and reads as if it stood there twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from structchunk_core.chunks import Chunk
from structchunk_core.hierarchy import is_derived
from structchunk_core.unit import Span

GAP = "\n\n...\n\n"
"""What stands in a stitched text where the document goes on and was not retrieved."""

_NOTE = "\n\n"  # stands in front of each note of a suffix


def stitch(chunks: Iterable[Chunk], *, gap: str = GAP) -> str:
    """The text that the chunks were cut from, each part of it once and in its order.

    Chunks that follow each other in their document are joined to the very text of the source (of
    HTML and notebooks: of the rendering), with the blank lines between them and without what each
    of them repeats. What the first of such a run repeats stays in front of it, what the last adds
    stays behind it, and contexts are left out. All chunks of a document give the document, with the
    blank lines at its beginning and end.

    Args:
        chunks: of one or several documents, in any order; documents are told apart by their path.
            What lies in another one (a part of a class beside the class) is left out.
        gap: what is put between runs.
    """
    return gap.join(joined(run) for run in runs(chunks))


def runs(chunks: Iterable[Chunk]) -> list[list[Chunk]]:
    """The chunks in reading order, in rows of such as follow each other without a gap.

    Documents come in the order in which they first appear. What lies in another chunk, or is a
    summary of what is there as a whole (the profile of a table), is left out; any other summary
    is a row of its own, in front of what it is about.
    """
    by_source: dict[str, list[Chunk]] = {}
    for chunk in chunks:
        by_source.setdefault(chunk.source, []).append(chunk)
    return [run for row in by_source.values() for run in _runs_of_document(row)]


def joined(run: Sequence[Chunk]) -> str:
    """The text of a row of chunks that follow each other."""
    first, last = run[0], run[-1]
    if not has_slice(first):
        return without_context(first)
    begins = first.place.start == len(first.gap_before)
    parts = [first.gap_before if begins else first.prefix, slice_of(first)]
    for chunk in run[1:]:
        parts += (chunk.gap_before, slice_of(chunk))
    parts.append(last.gap_after)
    if not last.gap_after:  # else the document ends here: nothing of it is behind
        parts.append(last.suffix[: len(last.suffix) - _length_of_notes(last)])
    return "".join((*parts, *_notes_elsewhere(run)))


def has_slice(chunk: Chunk) -> bool:
    """Whether it is known which part of the text is that of the document, and where it stands."""
    start, end = chunk.place
    length = len(chunk.prefix) + end - start + len(chunk.suffix)
    return start < end and length <= len(chunk.text) and not is_derived(chunk)


def slice_of(chunk: Chunk) -> str:
    """The part of the text that is the document's: no context, prefix or suffix.

    Of a chunk for which :func:`has_slice` holds.
    """
    start, end = chunk.place
    behind = len(chunk.text) - len(chunk.suffix)
    return chunk.text[behind - (end - start) : behind]


def without_context(chunk: Chunk) -> str:
    """The text without the context that may stand in front of it."""
    if chunk.context and chunk.text.startswith(chunk.context):
        return chunk.text[len(chunk.context) :].lstrip("\n")
    return chunk.text


def _length_of_notes(chunk: Chunk) -> int:
    return sum(len(_NOTE) + end - start for start, end in chunk.notes)


def _notes_elsewhere(run: Sequence[Chunk]) -> Iterator[str]:
    """The notes that the chunks of a row have with them and that do not stand in the row itself."""
    begin, behind = run[0].place.start, run[-1].place.end
    seen: set[Span] = set()
    for chunk in run:
        at = len(chunk.text) - _length_of_notes(chunk)
        for note in chunk.notes:
            length = len(_NOTE) + note.end - note.start
            if note not in seen and not (begin <= note.start and note.end <= behind):
                seen.add(note)
                yield chunk.text[at : at + length]
            at += length


def _runs_of_document(chunks: Sequence[Chunk]) -> list[list[Chunk]]:
    found: list[list[Chunk]] = []
    covered = -1
    for chunk in sorted(filter(has_slice, chunks), key=_by_place):
        start, end = chunk.place
        if end <= covered:
            continue
        if found and start - len(chunk.gap_before) == covered:
            found[-1].append(chunk)
        else:
            found.append([chunk])
        covered = end
    others = {chunk.id: chunk for chunk in chunks if not has_slice(chunk)}.values()
    alone = [[chunk] for chunk in others if not _is_covered(chunk, found)]
    return sorted((*alone, *found), key=_by_span) if alone else found


def _by_place(chunk: Chunk) -> tuple[int, int]:
    start, end = chunk.place
    return start, -end


def _by_span(run: Sequence[Chunk]) -> int:
    return run[0].span.start


def _is_covered(chunk: Chunk, found: Iterable[Sequence[Chunk]]) -> bool:
    """Whether all that it was made from is in one row."""
    start, end = chunk.span
    return start < end and any(
        run[0].span.start <= start and end <= run[-1].span.end for run in found
    )
