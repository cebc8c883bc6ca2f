"""The table model: the same table in every format says the same, and its parts can be read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

import pytest

from structchunk_core import Chunker
from structchunk_core.table_model import Table, column_names, short_names
from tests.promises import check_promises

ROWS = [("Oslo", "13", "007"), ("Bergen", "9", ""), ("Kristian|sand", "22", "1.10")]

DOCUMENTS = {
    "markdown": """Intro.

Table 1: Ferries of the coast.

| Port | Quay | Code |
|:-----|-----:|------|
| Oslo | 13 | 007 |
| Bergen | 9 | |
| Kristian\\|sand | 22 | 1.10 |

After.
""",
    "html": """<p>Intro.</p><table><caption>Table 1: Ferries of the coast.</caption>
<tr><th>Port<th>Quay<th>Code
<tr><td>Oslo<td>13<td>007<tr><td>Bergen<td>9<td><tr><td>Kristian|sand<td>22<td>1.10</table>
<p>After.</p>""",
    "delimited": """Table 1: Ferries of the coast.

Port;Quay;Code
Oslo;13;007
Bergen;9;
"Kristian|sand";22;1.10
""",
    "rst": """Intro.

.. list-table:: Table 1: Ferries of the coast.
   :header-rows: 1

   * - Port
     - Quay
     - Code
   * - Oslo
     - 13
     - 007
   * - Bergen
     - 9
     -
   * - Kristian|sand
     - 22
     - 1.10
""",
}
GRIDS = {
    "grid": """Table 1: Ferries of the coast.

+---------------+------+------+
| Port          | Quay | Code |
+===============+======+======+
| Oslo          | 13   | 007  |
+---------------+------+------+
| Bergen        | 9    |      |
+---------------+------+------+
| Kristian|sand | 22   | 1.10 |
+---------------+------+------+
""",
    "simple": """Table 1: Ferries of the coast.

=============  ====  ====
Port           Quay  Code
=============  ====  ====
Oslo           13    007
Bergen         9
Kristian|sand  22    1.10
=============  ====  ====
""",
    "csv": """.. csv-table:: Table 1: Ferries of the coast.
   :header: Port, Quay, Code

   Oslo, 13, 007
   Bergen, 9,
   "Kristian|sand", 22, 1.10
""",
    "in a quote": """> ## Ports
>
> | Port | Quay | Code |
> |---|---|---|
> | Oslo | 13 | 007
> | Bergen | 9 | |
> Kristian\\|sand | 22 | 1.10
""",
    "in an item": """- Ports:

  | Port | Quay | Code |
  |---|---|---|
  | Oslo | 13 | 007
  | Bergen | 9 | |
  Kristian\\|sand | 22 | 1.10
""",
    "behind a mark": """- | Port | Quay | Code |
  |---|---|---|
  | Oslo | 13 | 007
  | Bergen | 9 | |
  Kristian\\|sand | 22 | 1.10
""",
}
MARKDOWN = {"in a quote", "in an item", "behind a mark"}


def tables(text: str, format: str) -> list[Table]:
    parsed = Chunker(tokenizer="characters").parse(text, format=format)
    return [unit.table for _, unit in parsed.root.walk() if unit.table is not None]


def only_table(text: str, format: str) -> Table:
    (table,) = tables(text, format)
    return table


@pytest.mark.parametrize("format", DOCUMENTS)
def test_every_format_tells_names_values_and_caption(format: str) -> None:
    table = only_table(DOCUMENTS[format], format)
    assert table.names == ("Port", "Quay", "Code")
    assert [tuple(row.values) for row in table.rows()] == ROWS
    assert table.caption == "Table 1: Ferries of the coast."
    assert table.has_header
    assert len(table) == 3


@pytest.mark.parametrize("kind", GRIDS)
def test_every_way_to_write_a_table_tells_the_same(kind: str) -> None:
    table = only_table(GRIDS[kind], "markdown" if kind in MARKDOWN else "rst")
    assert table.names == ("Port", "Quay", "Code")
    assert [tuple(row.values) for row in table.rows()] == ROWS


@pytest.mark.parametrize("format", DOCUMENTS)
def test_rows_have_their_spans_and_can_be_read_from_any_number_on(format: str) -> None:
    parsed = Chunker(tokenizer="characters").parse(DOCUMENTS[format], format=format)
    text = parsed.rendering.text if parsed.rendering else DOCUMENTS[format]
    (unit,) = [unit for _, unit in parsed.root.walk() if unit.table is not None]
    table = unit.table
    assert table is not None
    rows = list(table.rows())
    assert [row.start for row in rows] == list(table.row_starts)
    assert [row.end for row in rows] == [*table.row_starts[1:], unit.end]
    assert all(row.values[0].split("|")[0] in text[row.start : row.end] for row in rows)
    assert list(table.rows(1)) == rows[1:]
    assert list(table.rows(1, 2)) == rows[1:2]
    assert list(table.rows(3)) == []
    assert table.row_numbers(rows[1].start, rows[2].start) == range(1, 2)


class Starts(list[int]):
    """Where rows begin, to be looked up and never walked through."""

    def __iter__(self) -> Iterator[int]:
        raise AssertionError("walked from the first row")


def test_a_row_is_read_without_a_walk_from_the_first() -> None:
    text = "a,b\n" + "1,2\n" * 50
    (unit,) = [u for _, u in Chunker().parse(text, path="a.csv").root.walk() if u.table]
    assert unit.table is not None
    table = replace(unit.table, row_starts=Starts(unit.table.row_starts))
    assert [tuple(row.values) for row in table.rows(49)] == [("1", "2")]
    assert len(list(table.rows())) == 50


def test_header_rows_are_joined_and_spans_filled() -> None:
    page = """<table><tr><th rowspan=2>City<th colspan=2>2023<th>2024
<tr><th>Q1<th>Q2<th>Q1<tr><td>Oslo<td>1<td>2<td>3</table>"""
    assert only_table(page, "html").names == ("City", "2023 / Q1", "2023 / Q2", "2024 / Q1")
    grid = """
+------+-----------+------+
| City | 2023      | 2024 |
|      +-----+-----+------+
|      | Q1  | Q2  | Q1   |
+======+=====+=====+======+
| Oslo | 1   | 2   | 3    |
+------+-----+-----+------+
"""
    assert next(only_table(grid, "rst").rows()).values == ["Oslo", "1", "2", "3"]
    simple = """
====  ====  ====
City    2023
----  ----------
 ..    Q1    Q2
====  ====  ====
Oslo     1    2
====  ====  ====
"""
    assert only_table(simple, "rst").names[1:] == ("2023 / Q1", "2023 / Q2")


def test_short_names_still_tell_columns_apart() -> None:
    names = ["Year", "Peak chart positions / US", "Peak chart positions / Norway"]
    assert short_names(names) == ["Year", "US", "Norway"]
    assert short_names(["League matches / Goals", "Cup / Goals", "A very long name"]) == [
        "League matc\u2026 Goals",
        "Cup Goals",
        "A very long\u2026",
    ]


def test_names_are_never_empty_or_twice_the_same() -> None:
    assert column_names([["a", "", "a", " a\n b "]], 5) == (
        "a",
        "column_2",
        "a (2)",
        "a b",
        "column_5",
    )
    assert column_names([["a", "a (2)", "a"]]) == ("a", "a (2)", "a (3)")
    assert column_names([]) == ()
    table = only_table("1.5,2\n3.5,4\n0.5,6\n", "delimited")
    assert table.names == ("column_1", "column_2")
    assert not table.has_header
    assert table.name(4) == "column_5"


@pytest.mark.parametrize(
    ("above", "below", "caption"),
    [
        ("Table 3: Fares", "", "Table 3: Fares"),
        ("", "Table 3: Fares", "Table 3: Fares"),
        ("**Fares in May**", "", "Fares in May"),
        ("", "*Fares in May*", "Fares in May"),
        ("They changed. These are the fares\nof May:", "", "These are the fares of May:"),
        ("Our ships are white.", "Bread costs more.", ""),
        (
            "It costs more. Fares as of May are listed below.",
            "",
            "Fares as of May are listed below.",
        ),
        ("", "", ""),
    ],
)
def test_a_caption_is_above_below_or_the_sentence_that_introduces(
    above: str, below: str, caption: str
) -> None:
    rows = "".join(f"| Port {number} | {number} |\n" for number in range(40))
    text = f"{above}\n\n| To | Fare |\n|---|---|\n{rows}\n{below}\n"
    assert only_table(text, "markdown").caption == caption
    chunks = Chunker(tokenizer="characters", chunk_size=300, context="none").chunk(
        text, format="markdown"
    )
    parts = [chunk for chunk in chunks if "| Port" in chunk.text]
    assert len(parts) > 2
    for part in parts:
        words = " ".join(part.text.replace("*", "").split())
        assert words.count(caption) == 1 or not caption
        assert not below or part is parts[-1] or words.endswith(caption) or not caption
        assert "| To | Fare |\n|---|---|\n" in part.text


def html_in_markdown(head: str, row: str, end: str = "</table>\n") -> str:
    rows = "".join(row.format(number) + "\n" for number in range(40))
    head += "\n" if head else ""  # a blank line would end the block
    return f"# Guide\n\nWords.\n\n<table>\n{head}{rows}{end}\nEnd.\n"


@pytest.mark.parametrize(
    "head",
    [
        "<thead>\n<tr><th>Port</th><th>Fare</th></tr>\n</thead>\n<tbody>",
        "<tr><th rowspan=2>Port</th><th>2023</th></tr>\n<tr><th>Fare</th></tr>",
        "<caption>Fares &amp; <b>more</b></caption><tr><th>Port<th>Fare",
        "",
    ],
)
def test_html_in_markdown_is_cut_between_rows_with_its_header(head: str) -> None:
    text = html_in_markdown(head, "<tr><td>Port <b>{0}</b> <i>x</i></td>\n  <td>{0}</td></tr>")
    chunker = Chunker(tokenizer="characters", chunk_size=400, context="none")
    chunks = chunker.chunk(text, path="a.md")
    check_promises(text, chunks, chunker)
    *parts, profile = chunks
    assert len(parts) > 4
    assert "sum 780" in profile.text
    for part in parts:
        assert part.text.count(f"<table>\n{head}") == 1
        assert part.text.count("</table>") == 1
        assert part.text.count("<tr>") == head.count("<tr>") + part.text.count("</i></td>")
        assert part.text.count("</tr>") == head.count("</tr>") + part.text.count("</i></td>")
    table = only_table(text, "markdown")
    assert [row.values for row in table.rows(2, 4)] == [["Port 2 x", "2"], ["Port 3 x", "3"]]
    assert table.caption == ("Fares & more" if "caption" in head else "")
    assert table.has_header == bool(head)
    assert table.names[1] in {"Fare", "2023 / Fare", "column_2"}
    for size in (20, 60, 120):
        for table_format in ("rows", "records", "both"):
            chunker = Chunker(
                tokenizer="characters",
                chunk_size=size,
                table_format=table_format,
            )
            check_promises(text, chunker.chunk(text, path="a.md"), chunker)


@pytest.mark.parametrize(
    ("head", "row", "end"),
    [
        ("", "<tr><td rowspan=2>{0}<td>x", "</table>\n"),
        ("<tr><th rowspan=3>a<th>b", "<tr><td>{0}<td>x", "</table>\n"),
        ("", "<tr><td><table><tr><td>{0}</table>", "</table>\n"),
        ("", "words {0} <tr><td>x", "</table>\n"),
        ("", "<tr><td>{0}", ""),
        ("", "<tr><td>{0}", "</table>\nbehind\n"),
        ("", "<td>{0}", "</table>\n"),
        ("", "<tr><td colspan=90><td colspan=90>{0}", "</table>\n"),
        ("<thead>" + "<tr><th>a</tr>" * 6 + "</thead>", "<tr><td>{0}", "</table>\n"),
    ],
)
def test_html_in_markdown_that_rows_cannot_be_told_of_stays_text(
    head: str, row: str, end: str
) -> None:
    text = html_in_markdown(head, row, end)
    chunker = Chunker(tokenizer="characters", chunk_size=200)
    chunks = chunker.chunk(text, path="a.md")
    check_promises(text, chunks, chunker)
    assert not any(chunk.derived for chunk in chunks)


BELOW = {
    "markdown": (
        "| To | Fare |\n|---|---|\n",
        "| Port {0} | {0} |\n",
        "\nTable 1: Fares\n\nEnd.\n",
    ),
    "html": (
        "<figure><table><tr><th>To<th>Fare</tr>\n",
        "<tr><td>Port {0}<td>{0}</tr>\n",
        "</table><figcaption>Table 1: Fares</figcaption></figure><p>End.</p>",
    ),
    "rst": (
        "====== ====\nTo     Fare\n====== ====\n",
        "Port{0:02d} {0}\n",
        "====== ====\n\nTable 1: Fares\n\nEnd.\n",
    ),
}


@pytest.mark.parametrize("format", BELOW)
@pytest.mark.parametrize("table_format", ["rows", "records", "both"])
def test_a_caption_below_is_in_every_part_and_every_row_that_is_linked(
    format: str, table_format: Literal["rows", "records", "both"]
) -> None:
    head, row, end = BELOW[format]
    text = f"{head}{''.join(row.format(number) for number in range(60))}{end}"
    chunker = Chunker(
        tokenizer="characters",
        chunk_size=300,
        table_format=table_format,
        table_rows="linked",
        table_profile=False,
    )
    chunks = chunker.chunk(text, format=format)
    check_promises(text, chunks, chunker)
    parts = [chunk for chunk in chunks if "Port" in chunk.text]
    assert len(parts) > 4
    assert all(part.text.count("Table 1: Fares") == 1 for part in parts)
    assert all(part.embed_text.count("Table 1: Fares") == 1 for part in parts)
    entries = [entry for part in parts for entry in part.entries]
    assert len(entries) == 60
    assert all("Table 1: Fares" in entry.text for entry in entries)
    for size in (10, 30, 60):  # too small for it
        chunker = Chunker(tokenizer="characters", chunk_size=size, table_format=table_format)
        check_promises(text, chunker.chunk(text, format=format), chunker)


@pytest.mark.parametrize("format", ["markdown", "html", "delimited"])
def test_a_part_of_a_row_carries_the_names_of_its_columns(format: str) -> None:
    names = ["Key", *(f"Column {letter}" for letter in "ABCDEFGH")]
    values = ["k1", *(f"{letter.lower()} " * 20 for letter in "ABCDEFGH")]
    text = {
        "markdown": "|".join(names)
        + "\n"
        + "|".join("-" for _ in names)
        + "\n"
        + "|".join(values)
        + "\n"
        + "|".join(values),
        "html": f"<table><tr><th>{'<th>'.join(names)}<tr><td>{'<td>'.join(values)}"
        f"<tr><td>{'<td>'.join(values)}</table>",
        "delimited": f"{','.join(names)}\n{','.join(values)}\n{','.join(values)}\n",
    }[format]
    chunker = Chunker(tokenizer="characters", chunk_size=420, context="none", table_profile=False)
    chunks = chunker.chunk(text, format=format)
    check_promises(text, chunks, chunker)
    for letter in "ABCDEFGH":
        holding = [chunk for chunk in chunks if f"{letter.lower()} {letter.lower()}" in chunk.text]
        assert len(holding) >= 2
        for chunk in holding:
            head, *lines = chunk.text.split("\n")
            cells = lines[-1].replace(",", "|").strip("|").split("|")
            column = next(n for n, cell in enumerate(cells) if letter.lower() in cell)
            named = head.replace(",", "|").strip("|").split("|")
            assert named[column].strip() == f"Column {letter}"


def test_a_caption_outlives_a_header_that_is_too_long() -> None:
    names = "|".join(f"A rather long name of a column, number {number}" for number in range(6))
    rows = "".join(f"|{'|'.join(str(n * k) for k in range(6))}|\n" for n in range(40))
    text = f"Table 1: Products.\n\n|{names}|\n|{'|'.join('-' * 6)}|\n{rows}"
    chunks = Chunker(tokenizer="characters", chunk_size=400).chunk(text, format="markdown")
    parts = [chunk for chunk in chunks if chunk.prefix]
    assert len(parts) > 2
    for part in parts:
        assert part.text.startswith("Table 1: Products.\n\n| A rather lo\u2026 |")
        assert {problem.code for problem in part.problems} == {"head-shortened"}


PAGE = """<table><caption>Fares</caption><colgroup><col span=2 align=right></colgroup>
<thead><tr><th rowspan=2>Port<th colspan=2>2023</tr><tr><th>Q1<th>Q2</tr></thead>
<tbody><tr><th scope=row>Oslo<td>1<td>2<tr><th colspan=3>South<tr><th scope=row>Bergen<td>3<td>4
</tbody><tfoot><tr><td>Sum<td>4<td>6<tr><td colspan=3>Note: all in <b>NOK</b>.</tfoot></table>"""


def test_a_page_has_its_headers_rows_and_notes_in_their_places() -> None:
    table = only_table(PAGE, "html")
    assert table.names == ("Port", "2023 / Q1", "2023 / Q2")
    assert [list(row.values) for row in table.rows()] == [
        ["Oslo", "1", "2"],
        ["South"],
        ["Bergen", "3", "4"],
        ["Sum", "4", "6"],
    ]
    (chunk,) = Chunker(tokenizer="characters", chunk_size=900).chunk(PAGE, format="html")
    assert chunk.text.endswith("| Sum | 4 | 6 |\n\nNote: all in NOK.")
    notes = "<table><tfoot><tr><td colspan=2>Only this.</tfoot></table>"
    (chunk,) = Chunker(tokenizer="characters", chunk_size=900).chunk(notes, format="html")
    assert "Only this." in chunk.text


COLUMNS = {
    "": "|---|---|---|",
    "<col align=left><col><col align='right'>": "|:---|---|---:|",
    "<col span=2 align=right>": "|---:|---:|---|",
    "<colgroup span=2 align=right></colgroup><col align=center>": "|---:|---:|:---:|",
    "<colgroup span=2 align=right>": "|---:|---:|---|",
    "<colgroup span=9 align=right><col><col span=2 align=left></colgroup>": "|---:|:---|:---|",
    "<colgroup><col width='10%'><col class=a></colgroup><colgroup align=right>": "|---|---|---:|",
    "<colgroup span=0></colgroup><col span=x style='text-align: right'>": "|---|---:|---|",
    "<colgroup align=right><col><col span=2>": "|---:|---:|---:|",
    "<col span=1000 align=right>" * 3: "|---:|---:|---:|",
    "<colgroup><col><col></colgroup><colgroup><col align=left>": "|---|---|:---|",
}


@pytest.mark.parametrize("columns", COLUMNS)
def test_columns_of_html_align_what_stands_in_them_and_say_nothing_else(columns: str) -> None:
    rows = "<tr><th>A<th>B<th>C<tr><td>1<td>2<td>3"
    inner = "<table><col align=right><tr><td>4</table>"  # its columns are its own
    page = f"<table><caption>T</caption>{columns}{rows}<tr><td>{inner}<td>5<td>6</table>"
    (chunk,) = Chunker(tokenizer="characters", chunk_size=900).chunk(page, format="html")
    lines = chunk.text.splitlines()
    assert lines[lines.index("| A | B | C |") + 1] == COLUMNS[columns]
    table = only_table(page, "html")
    assert table.names == ("A", "B", "C")
    assert [list(row.values) for row in table.rows()] == [["1", "2", "3"], ["4", "5", "6"]]


def test_a_column_outside_of_tables_is_nothing() -> None:
    page = "<p>one<col align=right><colgroup><svg><col></svg>two</p><table><tr><td>3</table>"
    (chunk,) = Chunker(tokenizer="characters", chunk_size=900).chunk(page, format="html")
    assert "one" in chunk.text
    assert "two" in chunk.text


def test_html_is_read_alike_in_a_page_and_in_markdown() -> None:
    page = only_table(PAGE, "html")
    inside = only_table(PAGE, "markdown")
    assert inside.names == page.names
    assert inside.caption == page.caption
    assert [list(row.values) for row in inside.rows()][:4] == [
        list(row.values) for row in page.rows()
    ]


def test_parts_of_rows_of_html_in_markdown_carry_the_names_of_their_columns() -> None:
    names = [f"Column {letter} & more" for letter in "ABCDEFGH"]
    head = "".join(f"<th>{name.replace('&', '&amp;')}</th>" for name in names)
    row = "".join(f"<td>{letter.lower() * 70}</td>" for letter in "ABCDEFGH")
    text = f"Words.\n\n<table>\n<tr>{head}</tr>\n<tr>{row}</tr>\n<tr>{row}</tr>\n</table>\n"
    chunker = Chunker(tokenizer="characters", chunk_size=620, context="none", table_profile=False)
    chunks = chunker.chunk(text, path="a.md")
    check_promises(text, chunks, chunker)
    for letter, name in zip("ABCDEFGH", names, strict=True):
        holding = [chunk for chunk in chunks if letter.lower() * 70 in chunk.text]
        assert len(holding) == 2
        for chunk in holding:
            table = only_table(chunk.text[chunk.text.index("<table>") :], "markdown")
            (values,) = (list(row.values) for row in table.rows())
            assert table.names[values.index(letter.lower() * 70)] in {
                name,
                f"Column {letter}\u2026",
            }


def test_a_long_head_of_html_in_markdown_is_shortened() -> None:
    head = "".join(f"<th>A rather long name of a column, number {n}</th>" for n in range(6))
    rows = "".join(
        f"<tr>{''.join(f'<td>{n * k}</td>' for k in range(6))}</tr>\n" for n in range(30)
    )
    text = f"<table>\n<tr>{head}</tr>\n{rows}</table>\n"
    chunks = Chunker(tokenizer="characters", chunk_size=400).chunk(text, path="a.md")
    parts = [chunk for chunk in chunks if chunk.prefix]
    assert len(parts) > 3
    for part in parts:
        assert part.text.startswith("<table>\n<tr><th>A rather lo\u2026</th>")
        assert {problem.code for problem in part.problems} == {"head-shortened"}


@pytest.mark.parametrize("format", ["markdown", "delimited"])
def test_rows_behind_one_that_is_cut_stand_under_all_columns(format: str) -> None:
    words = ["Oslo", "word " * 30, "other " * 20]
    if format == "markdown":
        head = "| a | b | c |\n|---|---|---|\n"
        text = f"{head}| {' | '.join(words)} |\n" + "| x | y | z |\n" * 3
    else:
        text = f"a,b,c\n{','.join(words)}\n" + "x,y,z\n" * 3
        head = "a,b,c\n"
    chunker = Chunker(tokenizer="characters", chunk_size=200, context="none", table_profile=False)
    chunks = chunker.chunk(text, format=format)
    check_promises(text, chunks, chunker)
    holding = [chunk for chunk in chunks if "z" in chunk.text]
    assert holding
    assert all(chunk.text.startswith(head) for chunk in holding)
    assert len(chunks) > 2


@pytest.mark.parametrize("format", ["markdown", "delimited", "html"])
def test_a_caption_has_up_to_half_of_the_budget(format: str) -> None:
    names = ["What it is called", "Where it stands", "How much of it"]
    rows = [[f"Thing {n}", "here", str(n)] for n in range(20)]
    caption = "Table 7: All that is there."
    if format == "markdown":
        lines = [names, ["---"] * 3, *rows]
        text = f"{caption}\n\n" + "".join(f"| {' | '.join(line)} |\n" for line in lines)
    elif format == "delimited":
        text = f"{caption}\n\n" + "".join(f"{';'.join(line)}\n" for line in [names, *rows])
    else:
        body = "".join(f"<tr><td>{'<td>'.join(row)}" for row in rows)
        text = f"<table><caption>{caption}</caption><tr><th>{'<th>'.join(names)}{body}"
    chunker = Chunker(tokenizer="characters", chunk_size=190, table_profile=False)
    chunks = chunker.chunk(text, format=format)
    check_promises(text, chunks, chunker)
    assert len(chunks) > 4
    assert all(caption in chunk.text for chunk in chunks)
    assert sum(chunk.text.count("Thing ") for chunk in chunks) == 20


def test_the_end_of_a_table_beside_the_beginning_of_long_words_belongs_to_the_table() -> None:
    rows = "".join(f"| Port {n} | {n} |\n" for n in range(12))
    found = False
    for size in range(60, 140):
        text = f"| To | Fare |\n|---|---|\n{rows}\n{'Some words about it. ' * 30}\n"
        chunker = Chunker(
            tokenizer="characters", chunk_size=size, target_size=size, granularity="packed"
        )
        chunks = chunker.chunk(text, format="markdown")
        check_promises(text, chunks, chunker)  # all parts have the parent of their profile
        found = found or any("Port 11" in c.text and "Some" in c.text for c in chunks)
    assert found
