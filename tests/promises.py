"""The promises of the design, as one function that any test can call on any result."""

from __future__ import annotations

from collections.abc import Sequence

from structchunk_core import Chunk, Chunker


def check_promises(text: str, chunks: Sequence[Chunk], chunker: Chunker) -> None:
    """Assert what holds for every input: nothing lost, nothing over budget, everything flat."""
    position = 0
    for chunk in chunks:
        start, end = chunk.span
        assert start < end <= len(text), f"span {chunk.span} in a text of {len(text)}"
        assert start >= position, f"{chunk.span} overlaps what ends at {position}"
        gap = text[position:start]
        assert not gap.strip(), f"lost at {position}: {gap[:80]!r}"
        position = end
        shown = chunk.text
        if chunk.context and shown.startswith(chunk.context) and not chunk.verbatim:
            shown = chunk.embed_text.removeprefix(chunk.context).lstrip("\n")
            assert chunk.text in (chunk.embed_text, chunk.prefix + text[start:end] + chunk.suffix)
        else:
            assert shown == chunk.prefix + text[start:end] + chunk.suffix
        if chunk.verbatim:
            assert chunk.text == text[start:end]
        assert chunk.text.strip(), "a blank chunk"
        counted = chunker.count(chunk.embed_text)
        single = end - start == 1 and not chunk.context
        assert counted <= chunker.chunk_size or (
            single and any(problem.code == "over-budget" for problem in chunk.problems)
        ), f"{counted} > {chunker.chunk_size} at {chunk.span}"
        assert chunk.start_line == text.count("\n", 0, start) + 1
        assert chunk.end_line == text.count("\n", 0, end - 1) + 1
        for key, value in chunk.metadata(positions=True).items():
            assert isinstance(key, str)
            assert isinstance(value, str | int | bool)
    tail = text[position:]
    assert not tail.strip(), f"lost at the end: {tail[:80]!r}"
    identities = [chunk.id for chunk in chunks]
    assert len(set(identities)) == len(identities), "two chunks share an id"
