"""Tables that no parser knows: Org's, with rules of their own, bare rows, and rows in SQL."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structchunk_core import Chunk, Chunker
from structchunk_core.table_model import Table
from tests.promises import check_nothing_that_fits_is_cut, check_promises

ROWS = "".join(f"| Port {n} | {n * 3} |\n" for n in range(40))
WRITTEN = {
    "bare rows.md": f"Words.\n\n| To | Fare |\n{ROWS}\nEnd.\n",
    "bare rows.txt": f"Words.\n\n| To | Fare |\n{ROWS}\nEnd.\n",
    "rule.md": f"Words.\n\n| To | Fare |\n|----+------|\n{ROWS}\nEnd.\n",
    "rule.org": f"* Words\n\n| To | Fare |\n|----+------|\n{ROWS}\nEnd.\n",
    "framed.md": "Words.\n\n+----+------+\n| To | Fare |\n+====+======+\n"
    f"{ROWS}+----+------+\n\nEnd.\n",
    "framed.txt": f"Words.\n\n+----+------+\n| To | Fare |\n+----+------+\n{ROWS}+----+------+\n",
    "below its heading.org": f"* Words\n| To | Fare |\n|----+------|\n{ROWS}\nEnd.\n",
    "captioned below words.org": "* Words\nThey say:\n#+CAPTION: Fares\n| To | Fare |\n"
    f"|----+------|\n{ROWS}\nEnd.\n",
    "framed below words.txt": "Words:\n+----+------+\n| To | Fare |\n+----+------+\n"
    f"{ROWS}+----+------+\n",
    "bare rows below words.md": f"These are the fares:\n| To | Fare |\n{ROWS}\nEnd.\n",
    "bare rows below words.txt": f"These are the fares:\n| To | Fare |\n{ROWS}\nEnd.\n",
    "rule below words.md": f"Two lines\nof *words*:\n| To | Fare |\n|----+------|\n{ROWS}\nEnd.\n",
    "framed below words.md": "Words:\n+----+------+\n| To | Fare |\n+----+------+\n"
    f"{ROWS}+----+------+\n",
    "formula.org": f"#+NAME: fares\n| To | Fare |\n|----+------|\n{ROWS}#+TBLFM: $2=3\n\nEnd.\n",
}
TIGHT = ROWS.replace("| ", "|").replace(" |", "|")
for path in ("md", "txt"):
    WRITTEN[f"as in Jira.{path}"] = f"Words.\n\n||To||Fare||\n{TIGHT}\nEnd.\n"
    doubled = f"|To|Fare|\n{TIGHT}".replace("|", "||")
    WRITTEN[f"bare rows between two bars.{path}"] = f"Words.\n\n{doubled}\nEnd.\n"
    padded = f"| To | Fare |\n{ROWS}".replace("|", "||")
    WRITTEN[f"bare rows between two bars and blanks.{path}"] = f"Words.\n\n{padded}\nEnd.\n"
WRITTEN["in a quote.md"] = "> Words.\n>\n" + "".join(
    f"> {line}\n" for line in f"| To | Fare |\n{ROWS}".splitlines()
)
WRITTEN["in a quote below words.md"] = "".join(
    f"> {line}\n" for line in f"Words:\n| To | Fare |\n{ROWS}".splitlines()
)
WRITTEN["below words in an item.md"] = "- Words:\n" + "".join(
    f"  {line}\n" for line in f"| To | Fare |\n|----+------|\n{ROWS}".splitlines()
)


def cut(text: str, path: str, size: int = 300, **given: Any) -> list[Chunk]:
    chunker = Chunker(tokenizer="characters", chunk_size=size, **given)
    chunks = chunker.chunk(text, path=path)
    check_promises(text, chunks, chunker)
    slices = [chunk for chunk in chunks if not chunk.derived]
    check_nothing_that_fits_is_cut(text, slices, chunker, chunker.parse(text, path=path))
    return chunks


def tables(text: str, path: str) -> list[Table]:
    parsed = Chunker().parse(text, path=path)
    return [unit.table for _, unit in parsed.root.walk() if unit.table is not None]


@pytest.mark.parametrize("path", WRITTEN)
def test_rows_come_out_under_the_names_of_their_columns(path: str) -> None:
    text = WRITTEN[path]
    (table,) = tables(text, path)
    assert table.names == ("To", "Fare")
    assert [list(row.values) for row in table.rows()] == [
        [f"Port {n}", str(n * 3)] for n in range(40)
    ]
    chunks = cut(text, path, table_rows="linked")
    parts = [chunk for chunk in chunks if "Port" in chunk.text and not chunk.derived]
    assert len(parts) > 3
    named = re.search(r"^[> ]*[|]+ ?To\b", text, re.MULTILINE)
    assert named
    head = re.split(r"[|]+ ?Port", text[named.start() :])[0].replace("> ", "")
    for part in parts:
        assert head.strip() in part.text.replace("> ", "")
        codes = {problem.code for problem in part.problems}
        assert codes == ({"no-delimiter-row"} if path.startswith(("bare", "in a")) else set())
    assert "sum 2340" in chunks[-1].text
    assert sum(len(chunk.entries) for chunk in chunks) == 40


@pytest.mark.parametrize("path", ["a.md", "a.txt"])
def test_words_right_above_rows_are_their_caption_where_they_introduce_them(path: str) -> None:
    for words, caption in (("These are the fares:", "These are the fares:"), ("So it is.", "")):
        text = f"{words}\n| To | Fare |\n{ROWS}\nTable of other things.\n"
        (table,) = tables(text, path)
        assert table.caption == caption
        above, *parts = cut(text, path)
        assert above.text.startswith(f"{words}\n| To |")
        rows = [part.text for part in parts if "| Port" in part.text]
        assert len(rows) > 2
        assert all(part.startswith(f"{caption}\n\n| To |".strip()) for part in rows)


def test_rows_behind_the_mark_of_an_item_are_words_of_it() -> None:
    # Their first row does not begin its line: the others would be under wrong names.
    assert not tables("- | To | Fare |\n  | Oslo | 3 |\n  | Bergen | 4 |\n", "a.md")


def test_what_stands_around_an_org_table_is_its_caption() -> None:
    text = (
        f"* Ports\n\n#+CAPTION: Fares of May\n#+NAME: x\n| To | Fare |\n|---+---|\n{ROWS}\nEnd.\n"
    )
    (table,) = tables(text, "a.org")
    assert table.caption == "Fares of May"
    chunks = cut(text, "a.org")
    parts = [chunk for chunk in chunks if "Port " in chunk.text and not chunk.derived]
    assert all(part.text.count("#+CAPTION: Fares of May\n") == 1 for part in parts)
    assert "Profile of the table 'Fares of May'" in chunks[-1].text
    text = f"Table 3: Fares.\n\n| To | Fare |\n|---+---|\n{ROWS}"
    assert tables(text, "a.org")[0].caption == "Table 3: Fares."


@pytest.mark.parametrize("path", ["a.md", "a.txt"])
@pytest.mark.parametrize(
    "text",
    [
        "| To | Fare |\n| Oslo | 3 | 4 |\n| Bergen | 5 |\n",
        "| To | Fare |\n",
        "| To |\n| Oslo |\n",
        "| To | Fare |\nwords\n| Oslo | 3 |\n",
        "| To | Fare\n| Oslo | 3\n",
        "To | Fare\nOslo | 3\nBergen | 4\n",
        "words\n| To | Fare |\n| Oslo | 3 |\nwords\n",
        "words\n| To | Fare |\n",
        "+ one | two |\n+ three | four |\n",
        "|x| is the length,\n|y| another one |\n",
        "|x| is less than |y|\n|y| is less than |z|\n",
        "|A or B| = |A| + |B|\n|A x B|  = |A| * |B|\n",
        "|a b| = |a||b|\n|c d| = |c||d|\n",
        "||x|| is less than ||y||\n||y|| is less than ||z||\n",
        "||x|| is less than |a| + ||y||\n||y|| is not less than ||z||\n",
        "|\n|\n|\n",
        "||\n||\n",
        "+---+---+\n+---+---+\n",
    ],
)
def test_columns_that_do_not_agree_make_no_table(text: str, path: str) -> None:
    assert not tables(f"Words.\n\n{text}\nEnd.\n", path)
    cut(text, path, 12)


@pytest.mark.parametrize("path", ["a.md", "a.txt"])
@pytest.mark.parametrize(
    "text",
    [
        "|To|Over|Fare|\n|Oslo|Bergen|3|\n",
        "| To | Over | Fare |\n| Oslo | Bergen | 3 |\n",
        "|To |Over |Fare |\n|Oslo | Bergen|3 |\n",
        "|x| is less than |y|\n|Oslo|Bergen|3|\n",
        "|a||c|\n|d||f|\n",
        "|| over | fare |\n|Oslo| Bergen | 3|\n",
    ],
)
def test_rows_whose_cells_are_written_alike_are_a_table(text: str, path: str) -> None:
    (table,) = tables(f"Words.\n\n{text}\nEnd.\n", path)
    assert len(table.names) == 3
    cut(text, path, 12)


@given(
    st.lists(
        st.sampled_from(
            (
                "| a | b |",
                "|| a || b ||",
                "|a| b |c|",
                "|---+---|",
                "+---+---+",
                "| x y | |",
                "| a \\| b | c |",
                "#+NAME: x",
                "",
                "words",
                "> | a | b |",
                "  | a | b |",
                "|",
            )
        ),
        max_size=12,
    ),
    st.integers(4, 60),
    st.sampled_from(["a.md", "a.org"]),
    st.sampled_from(["rows", "records", "both"]),
)
def test_any_lines_keep_the_promises(
    lines: list[str], size: int, path: str, table_format: str
) -> None:
    chunker = Chunker(
        tokenizer="characters",
        chunk_size=size,
        table_format=table_format,  # type: ignore[arg-type]  # it is one of them
        table_rows="linked",
    )
    text = "\n".join(lines)
    check_promises(text, chunker.chunk(text, path=path), chunker)


VERBS = [
    "INSERT INTO",
    "REPLACE INTO",
    "INSERT IGNORE INTO",
    "INSERT OVERWRITE",
    "INSERT OVERWRITE TABLE",
]


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("columns", [" (id, name, fare)", ""])
@pytest.mark.parametrize("between", [",\n  ", ", "])
@pytest.mark.parametrize("size", [300, 110])
def test_rows_of_an_insert_in_sql_stay_whole_under_the_names_of_their_columns(
    verb: str, columns: str, between: str, size: int
) -> None:
    rows = [f"({n}, 'Port {n}; it''s (a) port', {n}.50)" for n in range(40)]
    text = f"SELECT 1;\n\n{verb} ports{columns} VALUES\n  {between.join(rows)};\n\nSELECT 2;\n"
    chunks = Chunker(tokenizer="characters", chunk_size=size).chunk(text, path="a.sql")
    for row in rows:
        (holding,) = [chunk for chunk in chunks if row in chunk.text]
        assert f"{verb} ports{columns} VALUES" in holding.embed_text
        assert holding.element_type == "code"
        assert "head-omitted" not in {problem.code for problem in holding.problems}
    assert len(chunks) > 6


def test_an_insert_without_room_for_all_names_of_its_columns_has_short_ones() -> None:
    rows = ", ".join(f"({n}, {n}.50)" for n in range(40))
    columns = "the_number_of_the_port, the_fare_to_it_in_euro"
    text = f"INSERT IGNORE INTO ports ({columns}) VALUES {rows};\n"  # noqa: S608 -- nobody runs it
    chunks = Chunker(tokenizer="characters", chunk_size=150, context="none").chunk(
        text, path="a.sql"
    )
    head = "INSERT IGNORE INTO ports (the_number_\u2026, the_fare_to\u2026) VALUES\n"
    assert len(chunks) > 5
    for chunk in chunks[1:]:
        assert chunk.prefix == head
        assert {problem.code for problem in chunk.problems} == {"head-shortened"}


@pytest.mark.parametrize("path", ["a.md", "a.txt"])
@pytest.mark.parametrize("above", ["", "Words:\n", "Words:\n\n"])
def test_a_chunk_that_is_mostly_such_a_table_says_so(above: str, path: str) -> None:
    text = f"{above}| To | Fare |\n{ROWS[:200]}".rpartition("\n")[0]
    (chunk,) = [one for one in cut(text, path, 2000) if not one.derived]
    assert chunk.element_type == "table"
    assert chunk.element_types == (("table", "prose") if above else ("table",))
