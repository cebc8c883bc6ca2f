"""The benchmark of retrieval marks what it says it marks, and ranks by words and meaning."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.benchmarks import embedding
from tests.benchmarks.embedding import DIMENSION, LONGEST, embed
from tests.benchmarks.retrieval import search
from tests.benchmarks.retrieval.corpus import Document
from tests.benchmarks.retrieval.questions import Question, Task
from tests.benchmarks.retrieval.scoring import oracle, result
from tests.benchmarks.retrieval.search import Vectors, fused, ranks, words
from tests.benchmarks.retrieval.splitters import Piece

TASK = Task(
    "t",
    [Document("a", ""), Document("b", "")],
    [Question("one two", "a", "first line\nsecond line")],
    budget=8,
)


def marked(task: Task, *pieces: tuple[str, str, str]) -> bool:
    """Whether the question is answered by pieces: path, what is shown, what is indexed."""

    def split(_text: str, path: str) -> list[Piece]:
        return [Piece(shown, (indexed,)) for where, shown, indexed in pieces if where == path]

    (mark,) = result(task, split, None).marks["words"]
    return mark


def test_an_answer_counts_when_all_of_it_is_within_the_budget() -> None:
    assert marked(TASK, ("a", "First line,\nsecond line.", "one two"))
    assert marked(TASK, ("a", "first line", "one two"), ("a", "second line", "one"))
    together = TASK._replace(questions=[TASK.questions[0]._replace(together=True)])
    assert not marked(together, ("a", "first line", "one two"), ("a", "second line", "one"))
    assert not marked(TASK, ("b", "first line second line", "one two"))
    assert not marked(TASK, ("a", "first line", "one two"), ("b", "1 2 3 4 5 6 7", "one two"))


def test_a_page_may_be_shown_with_its_tags_and_as_it_is_read() -> None:
    page = TASK._replace(
        documents=[Document("a.html", ""), Document("b.html", "")],
        questions=[Question("one two", "a.html", "a first &lt;line&gt;\nsecond List<int> line")],
        budget=100,
    )
    question = page.questions[0]._replace(answer="a first <line>\nsecond List<int> line")
    page = page._replace(questions=[question])
    assert marked(page, ("a.html", "a first &lt;line>\nsecond List&lt;int> line", "one two"))
    written = "a <b>first</b> &lt;line&gt;<p>second <i class='x'>List</i>&lt;int&gt; line"
    assert marked(page, ("a.html", written, "one two"))
    assert marked(page, ("a.html", "a first <line>\n\nsecond List<int> line", "one two"))
    assert not marked(page, ("a.html", "a <b>line</b>\nsecond line", "one two"))


def test_the_last_piece_is_cut_to_the_budget() -> None:
    filler = "word word word word word word"
    assert marked(TASK, ("a", f"first line second line {filler} {filler}", "one two"))
    assert not marked(TASK, ("a", f"{filler} first line second line", "one two"))
    row = [("b", filler, "one two one two"), ("a", "first line second line", "one")]
    assert marked(TASK._replace(budget=10), *row)
    assert not marked(TASK._replace(budget=9), *row)


def test_several_texts_lead_to_a_piece_that_is_retrieved_once() -> None:
    def split(_text: str, path: str) -> list[Piece]:
        found = [Piece("word word word word", ("one two", "one two one", "two one"))]
        return [*found, Piece("first line second line", ("one other",))] if path == "a" else []

    assert result(TASK, split, None).marks["words"] == [True]


def test_the_oracle_indexes_answers_alone() -> None:
    found = oracle(TASK._replace(questions=[Question("line a", "a", "first line")]), None)
    assert found.marks["words"] == [True]
    assert found.pieces == 1
    assert found.tokens == 4  # "a", a line end, "first line"


def test_words_are_those_of_names_too() -> None:
    found = words("getHTTPResponse(some_name2) Straße")
    assert found == ["get", "http", "response", "some", "name", "2", "stra", "ß", "e"]


def test_texts_are_ranked_by_words_and_rankings_are_fused() -> None:
    texts = ["nothing of it", "one two three", "one and other"]
    assert list(ranks(texts, ["two one"], None)["words"][0][:2]) == [1, 2]
    assert fused([[0, 1, 2], [1, 2, 0]])[0] == 1
    assert fused([[0, 1], [1, 0]]) == [0, 1]


def test_vectors_are_made_once_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []

    def vector_of(ids: Sequence[int]) -> list[float]:
        made.append(len(ids))
        return [float(len(ids)), *[0.5] * (DIMENSION - 1)]

    monkeypatch.setattr(search, "vector_of", vector_of)
    file = tmp_path / "vectors.sqlite"
    found = Vectors(file).of(["one", "three  of\n\tthem", "one"])
    assert found.shape == (3, DIMENSION)
    assert found[:, 0].tolist() == [3, 5, 3]  # each between two tokens of the model's own
    kept = Vectors(file).of(["four of", "Three of them\n", "x" * 9])
    assert kept[:2, :2].tolist() == [[4, 0.5], [5, 0.5]]
    assert made[:3] == [3, 5, 4]
    assert len(made) == 4


def test_texts_share_a_vector_where_they_differ_behind_what_the_model_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []

    def vector_of(ids: Sequence[int]) -> list[float]:
        made.append(len(ids))
        return embedding.vector_of(ids)

    monkeypatch.setattr(search, "vector_of", vector_of)
    long = "word " * LONGEST
    found = Vectors(tmp_path / "vectors.sqlite").of([long + "one", long + "other", "word"])
    assert found[0].tolist() == found[1].tolist()
    assert found[0].tolist() == pytest.approx(embed([long + "other"])[0])
    assert found[0].tolist() != found[2].tolist()
    assert made == [LONGEST, 3]
