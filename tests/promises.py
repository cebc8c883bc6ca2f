"""The promises of the design, as functions that any test can call on any result."""

from __future__ import annotations

from collections.abc import Sequence

from structchunk_core import Chunk, Chunker, Parsed
from structchunk_core.blocks import trim
from structchunk_core.unit import Tie

NONE = frozenset({""})
SEPARATORS = {"records": frozenset({"", ","})}
"""What a cut may fall on, and then stands in no chunk, by format."""


def check_promises(text: str, chunks: Sequence[Chunk], chunker: Chunker) -> None:
    """Assert what holds for every input: nothing lost, nothing over budget, everything flat."""
    position = 0
    line = 1
    counted_to = 0
    slices = [chunk for chunk in chunks if not chunk.derived]
    for chunk in chunks[len(slices) :]:
        check_derived(chunk, slices, text, chunker)
    for chunk in slices:
        start, end = chunk.span
        assert start < end <= len(text) or (chunk.rendered and start == end), (
            f"span {chunk.span} in a text of {len(text)}"
        )
        assert start >= position, f"{chunk.span} overlaps what ends at {position}"
        gap = text[position:start].strip()
        assert gap in SEPARATORS.get(chunk.format, NONE), f"lost at {position}: {gap[:80]!r}"
        position = end
        if chunk.rendered:
            assert not chunk.verbatim
            assert chunk.text.strip(), "a blank chunk"
        else:
            check_slice(chunk, text)
        assert chunk.embed_text.startswith(chunk.context)
        assert chunk.embed_text.endswith(chunk.indexed or chunk.text)
        check_budget(chunk, chunker)
        for problem in chunk.problems:
            nowhere = problem.start == problem.end == -1  # it is about the whole document
            assert nowhere or 0 <= problem.start <= problem.end <= len(text), problem
        line += text.count("\n", counted_to, start)
        assert chunk.start_line == line
        counted_to = start
        assert chunk.end_line == line + text.count("\n", start, max(start, end - 1))
        for value in chunk.metadata(positions=True).values():
            assert isinstance(value, str | int | bool)
    tail = text[position:]
    assert not tail.strip(), f"lost at the end: {tail[:80]!r}"
    identities = [chunk.id for chunk in chunks]
    assert len(set(identities)) == len(identities), "two chunks share an id"


def check_derived(chunk: Chunk, slices: Sequence[Chunk], text: str, chunker: Chunker) -> None:
    """Assert what holds for a chunk that is computed from others and stands behind them."""
    assert chunk.derived, "what is derived stands behind all others"
    assert 0 <= chunk.span.start <= chunk.span.end <= len(text)
    assert not chunk.verbatim
    assert chunk.embed_text.endswith(chunk.indexed or chunk.text)
    check_budget(chunk, chunker)
    known = {one.id: one for one in slices}
    assert chunk.child_ids
    assert all(identity in known for identity in chunk.child_ids)
    children = [known[identity] for identity in chunk.child_ids]
    # What begins in front of a table may hold the end of another one, and have the id of that.
    own = [one for one in children if one.span.start >= chunk.span.start]
    if chunk.parent_id and chunk.format == "records":  # some may be parts of one record
        assert {one.parent_id for one in own if not one.part} <= {chunk.parent_id}
        assert chunk.parent_id in {one.parent_id for one in children}
    elif chunk.parent_id:
        assert {one.parent_id for one in own} == {chunk.parent_id}
    for value in chunk.metadata(positions=True).values():
        assert isinstance(value, str | int | bool)


def check_slice(chunk: Chunk, text: str) -> None:
    """Assert that the chunk is its slice of the source, and what it says was added to it."""
    start, end = chunk.span
    bare = chunk.prefix + text[start:end] + chunk.suffix
    if chunk.indexed:
        assert chunk.text.endswith(bare)
        assert chunk.text.startswith((bare, chunk.context))
    else:
        assert chunk.text in (bare, chunk.embed_text)
        assert chunk.embed_text.endswith(bare)
    assert chunk.verbatim == (chunk.text == text[start:end])
    assert bare.strip(), "a blank chunk"


GIVE_WAY = frozenset(
    {
        "block",
        "comment",
        "declaration",
        "error",
        "expression",
        "head",
        "import",
        "lead",
        "opener",
        "statement",
    }
)
"""Kinds of units that are opened rather than cut off from the line they begin or end on."""


def check_budget(chunk: Chunk, chunker: Chunker) -> None:
    """Assert that what is embedded fits, counted on the final string."""
    counted = chunker.count(chunk.embed_text)
    if counted > chunker.chunk_size:
        codes = {problem.code for problem in chunk.problems}
        assert len(chunk.embed_text) == 1, f"{counted} > {chunker.chunk_size} at {chunk.span}"
        assert "over-budget" in codes


def check_nothing_that_fits_is_cut(
    text: str, chunks: Sequence[Chunk], chunker: Chunker, parsed: Parsed
) -> None:
    """Assert that every atomic unit that fits the budget lies inside one chunk.

    Units inside a fence have to share their budget with the fence's own lines, the rows of a table
    with its head, what begins inside a line with the mark of the lines. Statements and expressions
    of several lines may be opened where they stand right behind a signature, so that it is not left
    alone, or share their first or last line with others, so that this is not cut.
    """
    rendering = parsed.rendering
    text = rendering.text if rendering else text
    bounds = [chunk.span for chunk in chunks]
    stack = [(parsed.root, "", "", "", False)]
    while stack:
        unit, before, after, mark, beside_head = stack.pop()
        beside_head = beside_head or unit.tie is Tie.HEAD
        inside = before, after, (unit.repeat.mark if unit.repeat else "") or mark
        if unit.repeat is not None and (unit.repeat.required or unit.repeat.inside):
            inside = before + unit.repeat.before, unit.repeat.after + after, inside[2]
        children = unit.open()
        stack.extend(
            (child, *inside, beside_head and not number) for number, child in enumerate(children)
        )
        if not unit.atomic:
            continue
        start, end = trim(text, unit.start, unit.end - unit.tail)
        if unit.kind in GIVE_WAY and "\n" in text[start:end]:
            around = text[:start].rpartition("\n")[2] + text[end:].partition("\n")[0]
            if beside_head or around.strip():
                continue
        if start and text[start - 1] != "\n":
            before += mark
        fits = chunker.count(before + text[start:end] + after) <= chunker.chunk_size
        if not fits or not text[start:end].strip():
            continue
        if rendering:
            whole = any(text[start:end] in chunk.text for chunk in chunks)
        else:
            whole = any(low <= start and end <= high for low, high in bounds)
        assert whole, (
            f"{unit.kind} {unit.label!r} at {start}:{end} fits and is cut: "
            f"{text[start:end][:100]!r}"
        )
