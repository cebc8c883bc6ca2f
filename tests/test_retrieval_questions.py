"""The benchmark of retrieval asks what it says it asks, and answers are where it says."""

from __future__ import annotations

import json

import pytest

from tests.benchmarks.retrieval.about_code import code_task
from tests.benchmarks.retrieval.about_pages import pages_task
from tests.benchmarks.retrieval.about_prose import docs_task, prose_task
from tests.benchmarks.retrieval.about_records import records_task
from tests.benchmarks.retrieval.about_settings import settings_task
from tests.benchmarks.retrieval.about_tables import tables_task, totals_task
from tests.benchmarks.retrieval.corpus import Document
from tests.benchmarks.retrieval.questions import Figure, Question, Task, key
from tests.benchmarks.retrieval.scoring import oracle, result
from tests.benchmarks.retrieval.splitters import Piece, Split
from tests.retrieval_documents import GUIDE, MEDALS, PAGE, PYTHON, RUST, SCHEMA, STOCK

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
