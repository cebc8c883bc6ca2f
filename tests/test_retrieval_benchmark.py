"""The benchmark of retrieval asks what it says it asks, and marks what it says it marks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.retrieval.corpus import Document, documents, sources
from tests.benchmarks.retrieval.questions import (
    TASKS,
    Question,
    Task,
    code_task,
    docs_task,
    key,
    pages_task,
    prose_task,
    tables_task,
)
from tests.benchmarks.retrieval.scoring import interval, oracle, result
from tests.benchmarks.retrieval.search import fused, ranks, words
from tests.benchmarks.retrieval.splitters import CODE, CONTESTANTS, Piece, missing, ours

PYTHON = Document(
    "shop/prices.py",
    '''class Prices:
    def discount(self, voucher):
        """What a voucher takes off the invoice. It is rounded."""
        rate = self.rates.get(voucher)
        return round(rate, 2)

    def shipping(self, parcel):
        """Tell the price of sending a parcel.

        More words.
        """
        return self.weights[parcel] * 2

    def short(self):
        """Nothing is asked about so little."""
        return 1
''',
)
RUST = Document(
    "src/lib.rs",
    """/// Builds the matcher that all patterns share. More.
///
/// Second paragraph.
pub fn build(patterns: &[Pattern]) -> Matcher {
    let mut made = Matcher::new();
    made.extend(patterns);
    made
}
""",
)
GUIDE = Document(
    "guide.md",
    """# Guide

## Set up

Write this file before you start the server:

```toml
[server]
address = "localhost"
folder = "/srv/shop"
```

## Words

The first sentence of a paragraph says what it is about. The second one says it with other words,
so that it can be asked for. The third one ends what has been said here at some length.
""",
)
STOCK = Document(
    "stock.csv",
    "name,count,place\nred paint,12,shelf one\nblue paint,7,shelf two\n" * 1
    + "green paint,3,shelf nine\n",
)
PAGE = Document(
    "index.html",
    """<p id="map"><b class="header">map</b><code>_.map(list, f)</code>
    <br />
    Produces a new array of values by calling a function. It is <b>lazy</b>.
    </p>
    <pre>
_.map([1, 2, 3], double);
=&gt; [2, 4, 6]
</pre>
""",
)


def asked(task: Task) -> list[str]:
    return [question.text for question in task.questions]


def test_a_sentence_of_documentation_is_asked_and_cut_out() -> None:
    task = code_task("python", [PYTHON], 10)
    assert asked(task) == [
        "Tell the price of sending a parcel.",
        "What a voucher takes off the invoice.",
    ]
    (document,) = task.documents
    assert "Tell the price" not in document.text
    assert "takes off" not in document.text
    assert "It is rounded." in document.text
    assert "Nothing is asked" in document.text
    compile(document.text, "prices.py", "exec")
    shipping = task.questions[0]
    assert shipping.lines[0] == key("def shipping(self, parcel):")
    assert key("return self.weights[parcel] * 2") in shipping.lines
    rust = code_task("rust", [RUST], 10)
    assert asked(rust) == ["Builds the matcher that all patterns share."]
    assert rust.documents[0].text.startswith("///  More.\n///\n")


def test_a_lead_in_is_asked_and_cut_out_and_its_block_has_to_be_whole() -> None:
    task = docs_task([GUIDE], 10)
    assert asked(task) == ["Write this file before you start the server:"]
    assert "Write this file" not in task.documents[0].text
    assert task.questions[0].together
    assert task.questions[0].lines == (key('address = "localhost"'), key('folder = "/srv/shop"'))


def test_a_sentence_of_a_paragraph_is_asked() -> None:
    task = prose_task([GUIDE], 10)
    assert len(task.questions) == 1
    assert task.questions[0].text.startswith("The second one says it with other words,")
    assert task.documents == [GUIDE]


def test_a_cell_is_asked_for_and_the_answer_is_its_row_under_the_header() -> None:
    task = tables_task([STOCK], 10)
    assert asked(task) == ["count of name red paint", "place of name blue paint"]
    for question in task.questions:
        header, row = question.lines
        assert header == key("name,count,place")
        assert row in key(STOCK.text)
        assert question.together


def test_the_words_about_an_entry_are_asked_and_cut_out() -> None:
    task = pages_task([PAGE], 10)
    assert asked(task) == ["Produces a new array of values by calling a function."]
    assert "Produces" not in task.documents[0].text
    assert "lazy" in task.documents[0].text
    assert task.questions[0].lines == (key("_.map([1, 2, 3], double);"),)


def test_a_question_with_two_answers_is_not_asked() -> None:
    assert asked(docs_task([GUIDE, GUIDE._replace(path="other.md")], 10)) == []


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


def test_words_are_those_of_names_too() -> None:
    found = words("getHTTPResponse(some_name2) Straße")
    assert found == ["get", "http", "response", "some", "name", "2", "stra", "ß", "e"]


def test_texts_are_ranked_by_words_and_rankings_are_fused() -> None:
    texts = ["nothing of it", "one two three", "one and other"]
    assert list(ranks(texts, ["two one"], None)["words"][0][:2]) == [1, 2]
    assert fused([[0, 1, 2], [1, 2, 0]])[0] == 1
    assert fused([[0, 1], [1, 0]]) == [0, 1]


def test_intervals_are_those_of_pairs() -> None:
    assert interval([True] * 50, [True] * 50) == (0, 0)
    low, high = interval([True] * 30 + [False] * 20, [False] * 30 + [True] * 20)
    assert low < 0.2 < high
    low, high = interval([True] * 50, [True] * 25 + [False] * 25)
    assert 0.3 < low < 0.5 < high < 0.7
    assert interval([], []) == (0, 0)


def test_files_are_taken_by_their_paths_and_up_to_a_size(tmp_path: Path) -> None:
    folder = tmp_path / "jashkenas" / "backbone"
    folder.mkdir(parents=True)
    (folder / "index.html").write_text("x" * 100)
    other = tmp_path / "jashkenas" / "underscore"
    other.mkdir()
    (other / "index.html").write_text("y" * 100)
    (other / "other.html").write_text("z")
    both = documents(tmp_path, "pages", 1000)
    assert [one.path for one in both] == [
        "jashkenas/backbone/index.html",
        "jashkenas/underscore/index.html",
    ]
    assert len(documents(tmp_path, "pages", 150)) == 1


def test_every_source_is_a_commit_and_every_task_has_sources() -> None:
    said: Any = sources()
    assert all(len(commit) == 40 for commit in said["commits"].values())
    for name in (*CODE, *(name for name in TASKS if name != "prose")):
        for pattern in said[name]["files"]:
            assert "/".join(pattern.split("/")[:2]) in said["commits"]


@pytest.mark.parametrize("name", [name for name in CONTESTANTS if not missing(CONTESTANTS[name])])
def test_every_contestant_that_is_installed_cuts_what_it_is_made_for(name: str) -> None:
    samples = {"python": PYTHON, "rust": RUST, "docs": GUIDE, "tables": STOCK, "pages": PAGE}
    contestant = CONTESTANTS[name]
    for kind, document in samples.items():
        if kind in contestant.kinds:
            for split in contestant.splits:
                pieces = split(document.text, document.path)
                assert all(piece.shown.strip() and piece.indexed for piece in pieces)
                shown = key("".join(piece.shown for piece in pieces))
                assert len(shown) > len(key(document.text)) / 2


def test_ours_indexes_the_context_and_entries_and_shows_the_text() -> None:
    pieces = ours(PYTHON.text, PYTHON.path, outline="all")
    assert any("shop/prices.py > Prices" in piece.indexed[0] for piece in pieces)
    assert not any("shop/prices.py" in piece.shown for piece in pieces)
    assert any(len(piece.indexed) > 1 for piece in pieces)
