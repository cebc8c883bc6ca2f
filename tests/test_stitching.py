from __future__ import annotations

import pickle
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structchunk_core import Chunk, Chunker, stitch
from structchunk_core.stitching import GAP, runs
from tests.corpus import CITIES, GUIDE, ORDERS
from tests.cutting import cut, holder_of
from tests.generators import chunkers
from tests.real_files import some_of_each_ending
from tests.test_promises import PATHS

TABLE = "# Prices\n\n| Country | Price |\n|---|---:|\n" + "".join(
    f"| Land {number} | {number}.50 |\n" for number in range(12)
)
FENCE = "Call it so:\n\n```python\n" + "".join(f"call({n}, {n})\n\n" for n in range(20)) + "```\n"
QUOTE = "".join(f"> A sentence that says the {n}th thing. Another one.\n" for n in range(12))
NOTES = "First words[^a] here.\n\nSecond words[^a] and `more`[^b].\n\n[^a]: A note.\n\n[^b]: B."


def whole(text: str, chunker: Chunker, path: str, language: str | None = None) -> str:
    """What must come of all chunks: the text that was cut."""
    parsed = chunker.parse(text, path=path, language=language)
    return parsed.rendering.text if parsed.rendering else text


@pytest.mark.parametrize("name", PATHS)
def test_all_chunks_of_a_document_give_the_document(name: str) -> None:
    path, texts = PATHS[name]
    language = name if len(path) > 4 and path.startswith("src/") else None

    @settings(max_examples=40)
    @given(texts, chunkers(), st.randoms(use_true_random=False))
    def holds(text: str, chunker: Chunker, shuffled: random.Random) -> None:
        chunks = chunker.chunk(text, path=path, language=language)
        shuffled.shuffle(chunks)
        if chunks:
            assert stitch(chunks) == whole(text, chunker, path, language)

    holds()


@pytest.mark.parametrize("overlap", [{}, {"chunk_overlap": 16}, {"overlap_lines": 2}])
@pytest.mark.parametrize("context", ["separate", "inline"])
def test_real_files_come_back_exactly(overlap: dict[str, Any], context: Any) -> None:
    chunker = Chunker(chunk_size=64, context=context, **overlap)
    seen = set()
    for path, text in some_of_each_ending(8):
        chunks = chunker.chunk(text, path=path) if len(text) < 60_000 else []
        if chunks:
            assert stitch(chunks) == text, path
            seen.add(chunks[0].format)
    assert len(seen) > 2


@pytest.mark.parametrize("text", [TABLE, FENCE, QUOTE, NOTES, GUIDE, TABLE.replace("\n", "\r\n")])
@pytest.mark.parametrize("size", [40, 90])
def test_what_parts_repeat_stands_there_once(text: str, size: int) -> None:
    chunks = cut(text, "a.md", size, chunk_overlap=10)
    assert len(chunks) > 1
    assert stitch(chunks) == text
    assert stitch(reversed(chunks)) == text


@pytest.mark.parametrize(
    ("path", "text", "size"),
    [("a.md", "```sh\nm--lilad#l\n ", 9), ("a.json", '{""[\n  {  "f: "eFIS\n ', 13)],
)
def test_what_is_never_closed_is_not_closed_behind_blanks(path: str, text: str, size: int) -> None:
    given: dict[str, Any] = {"granularity": "packed", "context": "none"}
    chunks = Chunker(chunk_size=size, chunk_overlap=8, **given).chunk(text, path=path)
    assert chunks[-1].suffix
    assert stitch(chunks) == text


def test_neighbours_keep_the_head_of_the_first_and_the_end_of_the_last() -> None:
    chunks = cut(FENCE, "a.md", 90, context="inline")
    assert stitch(chunks[1:2]) == chunks[1].prefix + "call(2, 2)\n\ncall(3, 3)\n\ncall(4, 4)\n```"
    two = stitch(chunks[1:3])
    assert two.startswith("```python\ncall(2, 2)")
    assert two.endswith("\n```")
    assert two.count("```") == 2
    assert "\n\n".join(f"call({n}, {n})" for n in range(2, 6)) in two


def test_rows_of_a_table_come_under_one_head() -> None:
    chunks = cut(TABLE, "a.md", 100)
    two = stitch(chunks[1:3])
    assert two.count("| Country | Price |") == 1
    assert two.startswith(chunks[1].prefix)
    assert two.endswith(chunks[2].text.rpartition("\n")[2])


def test_what_does_not_follow_is_marked() -> None:
    chunks = Chunker(chunk_size=64).chunk(ORDERS, path="shop/orders.py")
    first, last = chunks[0], chunks[-1]
    assert stitch([last, first]) == first.text + GAP + last.text + "\n"  # as the document ends
    assert stitch([first, last, chunks[2]], gap="|").split("|")[1] == chunks[2].text
    assert stitch([]) == ""


def test_a_chunk_beside_what_holds_it_is_left_out() -> None:
    found = Chunker(chunk_size=64).hierarchy(ORDERS, path="shop/orders.py", parent_size=1000)
    basket = next(parent for parent in found.parents if parent.symbols == ("Basket",))
    method = next(chunk for chunk in found.chunks if chunk.symbols == ("Basket.discount",))
    assert stitch([method, basket, method]) == basket.text
    behind = next(c for c in found.chunks if c.span.start >= basket.span.end)
    assert stitch([behind, basket]) == ORDERS[basket.span.start :]
    assert stitch([*found.chunks, *found.parents]) == ORDERS


def test_documents_are_told_apart_and_come_as_they_were_found() -> None:
    chunker = Chunker(chunk_size=32)
    one, other = chunker.chunk(GUIDE, path="guide.md"), chunker.chunk(CITIES, path="cities.csv")
    mixed = [other[1], one[0], *other[2:], *one[1:], other[0]]
    assert stitch(mixed) == CITIES + GAP + GUIDE
    rows = [chunk for chunk in other if not chunk.derived]
    assert [len(run) for run in runs(mixed)] == [len(rows), len(one)]


def test_a_note_is_kept_unless_it_stands_there() -> None:
    chunks = cut(NOTES, "a.md", 80, granularity="definition", target_size=30, context="none")
    first = holder_of(chunks, "First words")
    second = holder_of(chunks, "Second words")
    assert first.notes
    assert second.notes
    both = stitch([first, second])
    assert both.count("[^a]: A note.") == 1
    assert both.startswith("First words[^a] here.\n\nSecond words[^a] and `more`[^b].\n\n[^a]")
    assert stitch(chunks) == NOTES


def test_pages_come_back_as_they_were_rendered_with_their_neighbours_joined() -> None:
    page = "<h1>Shop</h1>" + "".join(f"<h2>Part {n}</h2><p>{'Words. ' * 9}</p>" for n in range(5))
    chunker = Chunker(chunk_size=24)
    chunks = chunker.chunk(page, path="page.html")
    assert len(chunks) > 3
    assert stitch(chunks) == whole(page, chunker, "page.html")
    assert stitch(chunks[1:3]) in whole(page, chunker, "page.html")


def test_a_summary_is_left_out_where_all_that_it_is_about_is_there() -> None:
    chunks = cut(TABLE, "a.md", 100)
    span = chunks[0].span._replace(end=chunks[-1].span.end)
    profile = Chunk("12 rows", span, "12 rows", derived=True, source="a.md", id="p")
    assert stitch([*chunks, profile]) == TABLE
    assert stitch([chunks[2], profile]).startswith("12 rows" + GAP)


def test_chunks_that_went_through_another_process_are_joined_as_well() -> None:
    chunks = pickle.loads(pickle.dumps(cut(FENCE, "a.md", 90)))  # noqa: S301  # our own
    assert stitch(chunks) == FENCE
