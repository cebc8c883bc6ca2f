"""Finding the places of texts: right where they are unique, in linear time whatever they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structchunk_core import Chunker, audit
from structchunk_core.auditing.aligning import VISIBLE, WORDS, Aligner, Letters
from tests.counting import Counter


def paragraph(number: int) -> str:
    """A paragraph of some 500 characters with words of its own."""
    words = (f"word{(number * 97 + place * 31) % 9973}x{place}" for place in range(48))
    return f"Paragraph {number}. " + " ".join(words) + ".\n\n"


class CountedText(str):
    """A text that counts the characters that are compared, searched or sliced."""

    __slots__ = ("counter",)
    counter: Counter

    def find(self, sub: Any, start: Any = 0, end: Any = None, /) -> int:
        end = len(self) if end is None else min(end, len(self))
        self.counter.lengths.append(max(0, end - start))
        return super().find(sub, start, end)

    def startswith(self, prefix: Any, start: Any = 0, end: Any = None, /) -> bool:
        self.counter.lengths.append(len(prefix))
        return super().startswith(prefix, start, end)

    def __getitem__(self, key: Any) -> str:
        found = super().__getitem__(key)
        self.counter.lengths.append(len(found))
        return found


def work(document: str, texts: list[str]) -> int:
    """How many letters of the document are looked at to find the texts."""
    letters = Letters(document, VISIBLE)
    counter = Counter()
    counted = CountedText(letters.text)
    counted.counter = counter
    letters.text = counted
    aligner = Aligner(letters, VISIBLE)
    for text in texts:
        aligner.place(text)
    return sum(counter.lengths)


REWRITTEN: dict[str, Callable[[str], str]] = {
    "as they are": lambda text: text,
    "with something in front": lambda text: f"From the handbook, as of May:\n{text}",
    "with a word changed": lambda text: text.replace("x20 ", "x20 and "),
    "nowhere in it": lambda text: text.replace("word", "wort"),
    "all the same": lambda _text: "the same text, which is not in the document, again and again",
}


@pytest.mark.parametrize("name", REWRITTEN)
def test_work_grows_with_the_length_and_not_with_its_square(name: str) -> None:
    def of(count: int) -> int:
        paragraphs = [paragraph(number) for number in range(count)]
        return work("".join(paragraphs), [REWRITTEN[name](text) for text in paragraphs])

    small, large = of(200), of(1600)
    assert 0 < large < 8 * 1.3 * small


def test_work_is_linear_when_everything_is_alike() -> None:
    small = work("a b\n" * 8000, ["x " + "a b\n" * 20] * 400)
    large = work("a b\n" * 64000, ["x " + "a b\n" * 20] * 3200)
    assert large < 8 * 1.3 * small


def test_a_large_document_is_audited_with_one_look_at_it(tokenised: Counter) -> None:
    paragraphs = [paragraph(number) for number in range(10_000)]
    text = "".join(paragraphs)
    assert len(text) > 4_500_000
    report = audit(text, [part.strip() for part in paragraphs], path="a.txt", chunk_size=600)
    assert len(report.sizes) == 10_000
    assert not report.broken
    assert all(report.spans)
    assert sum(tokenised.lengths) < 2.5 * len(text)  # each chunk once, the document once


@given(st.lists(st.text(alphabet="ab \n.", min_size=1, max_size=30), max_size=12))
def test_pieces_of_a_text_in_order_are_found_where_they_were(pieces: list[str]) -> None:
    text = "".join(pieces)
    letters = Letters(text, VISIBLE)
    aligner = Aligner(letters, VISIBLE)
    position = 0
    for piece in pieces:
        placement = aligner.place(piece)
        visible = len("".join(piece.split()))
        if visible:
            assert (placement.at, placement.end) == (position, position + visible)
        position += visible


def test_texts_in_any_order_are_found() -> None:
    paragraphs = [paragraph(number) for number in range(60)]
    aligner = Aligner(Letters("".join(paragraphs), WORDS), WORDS)
    order = [(number * 37) % 60 for number in range(60)]
    starts = [aligner.place(paragraphs[number]).at for number in order]
    assert sorted(starts) == [start for _, start in sorted(zip(order, starts, strict=True))]
    assert len(set(starts)) == 60


def test_a_header_repeated_in_front_is_told_from_the_rows() -> None:
    header = "| Country of destination | Price in Euro |\n|---|---|\n"
    rows = [f"| Land number {number} of the list | {number * 7}.50 |\n" for number in range(40)]
    letters = Letters(header + "".join(rows), VISIBLE)
    aligner = Aligner(letters, VISIBLE)
    aligner.place(header + "".join(rows[:20]))
    placement = aligner.place(header + "".join(rows[20:]))
    start, _ = letters.span(placement.at, placement.end)
    assert start == len(header) + sum(map(len, rows[:20]))
    assert placement.before == header
    assert not placement.strange


def test_our_chunks_are_found_exactly() -> None:
    text = "".join(paragraph(number) for number in range(30))
    chunks = Chunker(chunk_size=100).chunk(text, path="a.md")
    letters = Letters(text, VISIBLE)
    aligner = Aligner(letters, VISIBLE)
    for chunk in chunks:
        placement = aligner.place(chunk.text)
        assert letters.span(placement.at, placement.end) == chunk.span
