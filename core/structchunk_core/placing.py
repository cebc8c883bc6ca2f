"""Chunks of a rendered document, with spans, lines and problems of what it was made from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from structchunk_core.chunks import Chunk, changed_chunk
from structchunk_core.errors import PlacedProblems, Problem
from structchunk_core.hierarchy import Hierarchy
from structchunk_core.rendering import Rendering
from structchunk_core.source import LineNumbers
from structchunk_core.unit import Span


def placed_chunks(
    chunks: Sequence[Chunk], rendering: Rendering, text: str, problems: Sequence[Problem]
) -> list[Chunk]:
    """The chunks of a rendered document with spans, lines and problems of its source.

    Each span reaches to the next one, so that what the rendering leaves out is in some span.
    """
    if not chunks:
        return []
    lines = LineNumbers(text)
    count = sum(not chunk.derived for chunk in chunks)  # what is derived stands behind them
    starts = [0, *(rendering.origin(chunk.span.start) for chunk in chunks[1:count]), len(text)]
    noted = PlacedProblems(problems)
    placed: list[Chunk] = []
    for chunk, start, behind in zip(chunks[:count], starts[:-1], starts[1:], strict=True):
        # A chunk that is still a slice ends where it did: what was left out begins the next one.
        is_behind_slice = rendering.is_partial and placed and not placed[-1].rendered
        begin = min(start, placed[-1].span.end) if is_behind_slice else start
        placed.append(_placed_at(chunk, begin, behind, rendering, text, lines, noted))
    for chunk in chunks[count:]:
        start, behind = (rendering.origin(position) for position in chunk.span)
        placed.append(_placed_at(chunk, start, behind, rendering, text, lines, noted))
    return placed


def placed_around(
    found: Hierarchy, chunks: Sequence[Chunk], rendering: Rendering, text: str
) -> Iterator[Chunk]:
    """The parents of a rendered document, each with the span of the chunks in it."""
    spans = [(len(text), 0)] * len(found.parents)
    for chunk, above in zip(chunks, found.parent_of_chunk, strict=True):
        if above >= 0:
            start, end = spans[above]
            spans[above] = min(start, chunk.span.start), max(end, chunk.span.end)
    for number in range(len(spans) - 1, -1, -1):  # inner ones stand behind outer ones
        above = found.parent_of_parent[number]
        if above >= 0:
            (start, end), (first, last) = spans[number], spans[above]
            spans[above] = min(start, first), max(end, last)
    lines = LineNumbers(text)
    nothing = PlacedProblems(())
    for parent, (start, end) in zip(found.parents, spans, strict=True):
        yield _placed_at(parent, start, end, rendering, text, lines, nothing)


def _placed_at(
    chunk: Chunk,
    start: int,
    behind: int,
    rendering: Rendering,
    text: str,
    lines: LineNumbers,
    noted: PlacedProblems,
) -> Chunk:
    """The chunk with a span of the source, without the blank around it, and its problems there.

    What a partial rendering has left as it is stays the slice that it was.
    """
    if rendering.is_partial and not chunk.derived and not rendering.is_written(*chunk.span):
        low, high = (rendering.origin(position) for position in chunk.span)
        if text[low:high] == rendering.text[slice(*chunk.span)]:
            return changed_chunk(
                chunk,
                span=Span(low, high),
                start_line=lines.line_at(low),
                end_line=lines.line_at(max(low, high - 1)),
                problems=(*noted.touching(low, high), *chunk.problems),
            )
    inside = text[start:behind]
    begin = start + len(inside) - len(inside.lstrip())
    end = max(begin, start + len(inside.rstrip()))
    own = tuple(
        [
            replace(one, start=rendering.origin(one.start), end=rendering.origin(one.end))
            for one in chunk.problems
        ]
    )
    touching = noted.touching(begin, end)
    return changed_chunk(
        chunk,
        span=Span(begin, end),
        verbatim=False,
        rendered=True,
        start_line=lines.line_at(begin),
        end_line=lines.line_at(max(begin, end - 1)),
        problems=(*touching, *own),
    )
