from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from structchunk_core import Chunk, Chunker, ConfigurationError, Span
from structchunk_core.late import TokenSpan, late_vectors, pooled, token_spans
from tests.benchmarks.embedding import DIMENSION, embed, token_vectors, tokenizer
from tests.corpus import FILES, GUIDE, ORDERS

LEADING, TRAILING = 101, 102  # what the tokenizer puts around a text


def vectors(text: str, chunks: Sequence[Chunk], model: Any = token_vectors, **more: Any) -> Any:
    return late_vectors(text, chunks, tokenizer(), model, **{"window": 512, **more})


class Marking:
    """A model whose vector of a token tells its id, its place in the window, and the window."""

    def __init__(self) -> None:
        self.windows: list[list[int]] = []

    def __call__(self, ids: Sequence[int]) -> Any:
        self.windows.append(list(ids))
        number = len(self.windows)
        return np.array([[one, place, number] for place, one in enumerate(ids)])


def test_the_vector_of_a_document_that_is_one_chunk_is_the_plain_embedding() -> None:
    for text in (
        "Send a parcel back.",
        "def total(lines):\n    return sum(lines)\n",
        "a",
        "\n  b\n",
    ):
        chunks = Chunker(context="none").chunk(text)
        assert len(chunks) == 1
        (late,) = vectors(text, chunks)
        assert late.tolist() == pytest.approx(embed([text])[0], abs=1e-6)


def test_each_token_belongs_to_the_chunk_whose_characters_it_has() -> None:
    text = ORDERS
    chunks = Chunker(chunk_size=64).chunk(text, path="orders.py")
    encoded = tokenizer().encode(text)
    spans = token_spans(chunks, encoded.offsets)
    assert spans[0].start == 0
    assert spans[-1].end == len(encoded.ids)
    for chunk, span in zip(chunks, spans, strict=True):
        inside = [pair for pair in encoded.offsets[span.start : span.end] if pair != (0, 0)]
        spelled = "".join(text[start:end] for start, end in inside)
        assert spelled == "".join(text[chunk.span.start : chunk.span.end].split())
    for before, after in pairwise(spans):
        assert before.end == after.start
    assert token_spans(reversed(chunks), encoded.offsets) == spans[::-1]


def test_what_no_token_is_made_of_takes_the_nearest() -> None:
    chunk = Chunk("x", Span(4, 5), "x", _inside=Span(4, 5))
    assert token_spans([chunk], [(0, 0), (0, 3), (6, 9), (0, 0)]) == [TokenSpan(2, 4)]
    assert token_spans([chunk], [(0, 0), (0, 3), (0, 0)]) == [TokenSpan(0, 3)]
    assert token_spans([chunk], [(0, 0), (0, 0)]) == [TokenSpan(0, 2)]


@pytest.mark.parametrize(("window", "overlap"), [(16, 0), (16, 4), (17, 7), (40, None), (512, 9)])
def test_windows_cover_all_and_each_token_is_taken_where_it_stands_deepest(
    window: int, overlap: int | None
) -> None:
    text = " ".join(map(str, range(100, 190)))
    encoded = tokenizer().encode(text)
    each = [
        Chunk(text[start:end], Span(start, end), "", _inside=Span(start, end))
        for start, end in encoded.offsets
        if end > start
    ]
    model = Marking()
    found = vectors(text, each, model, window=window, overlap=overlap, normalize=False)
    assert found.shape == (len(each), 3)
    ids = encoded.ids[1:-1]
    assert len(set(ids)) == len(ids) == len(each)
    room = window - 2
    shared = window // 4 if overlap is None else overlap
    for seen in model.windows:
        assert seen[0] == LEADING
        assert seen[-1] == TRAILING
        assert len(seen) == min(window, len(encoded.ids))
    assert len(model.windows) <= max(1, -(-(len(each) - shared) // (room - shared)))
    inner = found[1:-1]
    assert inner[:, 0].tolist() == encoded.ids[2:-2]
    depth = np.minimum(inner[:, 1], len(model.windows[0]) - 1 - inner[:, 1])
    for number, one in enumerate(inner, 1):
        others = [
            min(place, len(seen) - 1 - place)
            for seen in model.windows
            if 1 <= (place := number - ids.index(seen[1]) + 1) <= len(seen) - 2
        ]
        assert depth[number - 1] >= max(others) - 1, one


def test_a_chunk_is_read_with_what_stands_around_it() -> None:
    question = embed(["How much of Berlin's area is forest?"])[0]
    text = (
        "# Berlin\n\nBerlin is the capital of Germany and its largest city.\n\n"
        "A third of it is woods, lakes and parks.\n"
    )
    chunks = Chunker(chunk_size=16, target_size=8, context="none").chunk(text, path="a.md")
    woods = next(chunk for chunk in chunks if "woods" in chunk.text)
    assert "Berlin" not in woods.text
    late = vectors(text, [woods])[0]
    plain = np.array(embed([woods.text])[0])
    assert float(late @ question) > float(plain @ question) + 0.05


def test_tokens_count_as_they_are_weighted() -> None:
    rows = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 3.0]])
    assert pooled(rows, [(0, 2), (1, 3)], normalize=False).tolist() == [[0.5, 0.5], [0.0, 2.0]]
    assert pooled(rows, [(0, 2)], [3, 1, 0], normalize=False).tolist() == [[0.75, 0.25]]
    assert pooled(rows, [(0, 2)], [0, 0, 1], normalize=False).tolist() == [[0.5, 0.5]]
    assert pooled(rows, [(0, 2)])[0].tolist() == pytest.approx([2**-0.5, 2**-0.5])
    assert pooled(np.zeros((2, 2)), [(0, 2)]).tolist() == [[0, 0]]
    assert pooled(rows, []).shape == (0, 2)

    def without_marks(ids: Sequence[int]) -> list[float]:
        return [float(one not in {LEADING, TRAILING}) for one in ids]

    chunks = Chunker().chunk("one two", path="a.txt")
    found = vectors("one two", chunks, Marking(), weights=without_marks, normalize=False)
    assert found[0].tolist() == [np.mean(tokenizer().encode("one two").ids[1:-1]), 1.5, 1]


def test_rendered_documents_are_read_as_they_were_rendered() -> None:
    page = "<h1>Shop</h1>" + "".join(f"<h2>Part {n}</h2><p>Words {n}.</p>" for n in range(9))
    chunker = Chunker(chunk_size=16)
    rendering = chunker.parse(page, path="a.html").rendering
    assert rendering is not None
    chunks = chunker.chunk(page, path="a.html")
    assert vectors(rendering.text, chunks).shape == (len(chunks), DIMENSION)
    assert len(page) > len(rendering.text)
    with pytest.raises(
        ConfigurationError, match=r"chunker\.parse\(document, path=\.\.\.\)\.render"
    ):
        vectors(page, chunks)


@pytest.mark.parametrize(
    "settings",
    [{"context": "inline"}, {"chunk_overlap": 8}, {"table_format": "both"}, {"overlap_lines": 2}],
)
@pytest.mark.parametrize("path", FILES)
def test_chunks_are_of_their_text_whatever_they_repeat(path: str, settings: dict[str, Any]) -> None:
    found = Chunker(chunk_size=64, **settings).chunk(FILES[path], path=path)
    chunks = [chunk for chunk in found if not chunk.derived]
    marks = vectors(FILES[path], chunks, Marking(), normalize=False)
    assert marks.shape == (len(chunks), 3)
    with pytest.raises(ConfigurationError, match="cut from"):
        vectors(" " + FILES[path], chunks, Marking())


def test_what_cannot_be_right_raises() -> None:
    chunks = Chunker(chunk_size=64).chunk(GUIDE, path="guide.md")
    with pytest.raises(ConfigurationError, match="place in the text"):
        vectors(GUIDE[:100], chunks)
    with pytest.raises(ConfigurationError, match="place in the text"):
        vectors(GUIDE, [replace(chunks[0], _inside=Span(0, 0))])
    truncating = type(tokenizer()).from_str(tokenizer().to_str())
    truncating.enable_truncation(8)
    with pytest.raises(ConfigurationError, match="truncation"):
        late_vectors(GUIDE, chunks, truncating, token_vectors, window=64)
    for wrong in ("cl100k_base", 3, len):
        with pytest.raises(ConfigurationError, match="tokenizer must be"):
            late_vectors(GUIDE, chunks, wrong, token_vectors, window=64)
    with pytest.raises(ConfigurationError, match="overlap must be at most"):
        vectors(GUIDE, chunks, window=16, overlap=8)
    with pytest.raises(ConfigurationError, match="window"):
        vectors(GUIDE, chunks, window=0)
    with pytest.raises(ConfigurationError, match="model must give"):
        vectors(GUIDE, chunks, lambda _ids: np.zeros((3, 4)))
