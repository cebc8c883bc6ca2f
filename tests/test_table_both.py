"""``table_format="both"``: tables are shown as they are written and embedded as records."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structchunk_core import Chunk, Chunker, ConfigurationError
from structchunk_core.sizing import CharacterMeasure
from structchunk_core.table_embedding import widened
from structchunk_core.table_records import tables_in
from tests.promises import check_nothing_that_fits_is_cut, check_promises
from tests.test_table_records import LAST, LINES
from tests.test_tables import DOCUMENTS, GRIDS, MARKDOWN

RECORD = re.compile(r"To: Port \d+; Fare: \d+")


def both(text: str, size: int = 2000, path: str = "", **given: Any) -> list[Chunk]:
    format = given.pop("format", None)
    chunker = Chunker(
        chunk_size=size,
        table_format="both",
        **{"tokenizer": "characters", **given},
    )
    chunks = chunker.chunk(text, path=path, format=format)
    check_promises(text, chunks, chunker)
    slices = [chunk for chunk in chunks if not chunk.derived]
    assert all(chunker.count(chunk.text) <= size for chunk in slices)
    parsed = chunker.parse(text, path=path, format=format)
    check_nothing_that_fits_is_cut(text, slices, chunker, parsed)
    return chunks


@pytest.mark.parametrize("format", DOCUMENTS)
def test_every_format_shows_the_grid_and_embeds_records(format: str) -> None:
    text = DOCUMENTS[format]
    (chunk,) = both(text, format=format)
    plain = Chunker(tokenizer="characters", chunk_size=2000).chunk(text, format=format)[0]
    assert chunk.text == plain.text
    assert chunk.id == plain.id
    assert chunk.context == plain.context
    shown = [line.strip() for line in chunk.embed_text.splitlines() if "Port: " in line]
    assert shown == [*LINES, LAST]
    assert chunk.embed_text.count("Table 1: Ferries of the coast.") == 1
    assert ("Intro." in chunk.indexed) == ("Intro." in text)
    assert ("After." in chunk.indexed) == ("After." in text)
    assert chunk.size == len(chunk.embed_text)


@pytest.mark.parametrize("kind", GRIDS)
def test_every_way_to_write_a_table_is_embedded_as_records(kind: str) -> None:
    (chunk,) = both(GRIDS[kind], format="markdown" if kind in MARKDOWN else "rst")
    shown = [line.lstrip("-> ") for line in chunk.embed_text.splitlines() if "Port: " in line]
    assert shown == [*LINES, LAST]
    assert "Port: " not in chunk.text


@pytest.mark.parametrize("context", ["separate", "inline"])
def test_parts_have_their_own_rows_in_both_forms_within_the_budget(context: str) -> None:
    rows = "".join(f"| Port {n} | {n * 3} |\n" for n in range(60))
    head = "| To | Fare |\n|---|---|\n"
    text = f"# Guide\n\nWords.\n\nTable 1: Fares.\n\n{head}{rows}\nMore words.\n"
    chunks = both(text, 400, "a.md", context=context, table_rows="linked")
    holding = [chunk for chunk in chunks if RECORD.search(chunk.embed_text) and not chunk.derived]
    assert len(holding) > 4
    for chunk in holding:
        assert head in chunk.text
        assert head not in chunk.embed_text
        assert chunk.embed_text.count("Table 1: Fares.") == 1
        numbers = re.findall(r"\| Port (\d+) \|", chunk.text)
        assert re.findall(r"To: Port (\d+); Fare", chunk.embed_text) == numbers
        assert len(chunk.entries) == len(numbers)
        assert not chunk.problems
    told = [line for chunk in holding for line in RECORD.findall(chunk.indexed)]
    assert told == [f"To: Port {n}; Fare: {n * 3}" for n in range(60)]
    profile = chunks[-1]
    assert set(profile.child_ids) == {chunk.id for chunk in holding}


def test_what_fits_as_written_only_stays_whole_and_says_so() -> None:
    names = [f"a_long_name_{n}" for n in range(6)]
    rows = "".join(f"{','.join(str(n + k) for k in range(6))}\n" for n in range(20))
    chunks = both(f"{','.join(names)}\n{rows}", 700, "a.csv", table_profile=False)
    assert len(chunks) == 1
    assert {problem.code for problem in chunks[0].problems} == {"records-omitted"}
    assert not chunks[0].indexed
    assert "a_long_name_5: " in both(f"{','.join(names)}\n{rows}", 2500, "a.csv")[0].embed_text


def test_a_row_that_is_cut_is_embedded_as_it_is_written() -> None:
    names = ",".join(f"name {n}" for n in range(8))
    row = ",".join("word " * 20 for n in range(8))
    chunks = both(f"{names}\n{row}\n", 300, "a.csv", table_profile=False)
    assert len(chunks) > 2
    assert not any(chunk.indexed for chunk in chunks)


def test_what_is_no_table_is_embedded_as_it_is() -> None:
    text = "# Guide\n\nWords.\n\n| To |\n|---|\n|  |\n\n```\n| a | b |\n|---|---|\n| 1 | 2 |\n```\n"
    assert both(text, path="a.md") == Chunker(tokenizer="characters", chunk_size=2000).chunk(
        text, path="a.md"
    )
    code = "x = 1\n"
    assert Chunker(table_format="both").chunk(code, path="a.py")[0].indexed == ""


def test_html_in_markdown_is_embedded_without_its_tags() -> None:
    rows = "".join(f"<tr><td>Port {n}</td><td>{n * 3}</td></tr>\n" for n in range(60))
    text = f"Words.\n\n<table>\n<tr><th>To</th><th>Fare</th></tr>\n{rows}</table>\n\nEnd.\n"
    chunks = both(text, 500, "a.md", table_profile=False)
    told = [line for chunk in chunks for line in RECORD.findall(chunk.embed_text)]
    assert told == [f"To: Port {n}; Fare: {n * 3}" for n in range(60)]
    assert "<t" not in "".join(chunk.embed_text for chunk in chunks)


def test_pages_have_spans_of_the_page_and_both_forms() -> None:
    rows = "".join(f"<tr><td>Port {n}<td>{n * 3}</tr>\n" for n in range(60))
    page = f"<h1>Guide</h1><p>Text.</p><table><tr><th>To<th>Fare</tr>{rows}</table><p>End."
    chunks = both(page, 300, "a.html")
    (holding,) = [chunk for chunk in chunks if "To: Port 17; Fare: 51" in chunk.embed_text]
    assert "| Port 17 | 51 |" in holding.text
    assert "<td>Port 17<td>51" in page[holding.span.start : holding.span.end]


@settings(max_examples=60, deadline=None)
@given(
    cells=st.lists(
        st.lists(st.sampled_from(["", "a", "word", "1.50", "x" * 30]), min_size=1, max_size=4),
        min_size=1,
        max_size=14,
    ),
    size=st.integers(8, 160),
    path=st.sampled_from(["a.csv", "a.md"]),
)
def test_any_table_keeps_the_promises(cells: list[list[str]], size: int, path: str) -> None:
    if path == "a.csv":
        text = "".join(f"{','.join(row)}\n" for row in [["one", "two", "three"], *cells])
    else:
        lines = [["one", "two", "three"], ["---"] * 3, *cells]
        text = "Words.\n\n" + "".join(f"| {' | '.join(line)} |\n" for line in lines) + "\nEnd.\n"
    both(text, size, path)


@given(starts=st.lists(st.integers(1, 40), max_size=12), amount=st.integers(0, 400))
def test_a_widened_scale_answers_as_a_walk_over_its_positions_does(
    starts: list[int], amount: int
) -> None:
    text = "name,size\n" + "".join(f"{'x' * width},{width}\n" for width in starts)
    root = Chunker(tokenizer="characters").parse(text, path="a.csv").root
    measure = CharacterMeasure()
    plain = measure.scale(text)
    scale = widened(plain, tables_in(root), text, measure, 100)
    totals = [scale.low(position) for position in range(len(text) + 1)]
    assert totals == sorted(totals)
    assert totals == [scale.high(position) for position in range(len(text) + 1)]
    grown = sum(len(f"name: {'x' * width}; size: {width}\n") for width in starts)
    assert totals[-1] == (len("name,size\n") + grown if len(text) > 100 else len(text))
    for start in range(0, len(text), 7):
        end = scale.reach(start, amount)
        assert scale.high(end) - scale.low(start) <= amount or end == start
        assert end == len(text) or scale.high(end + 1) - scale.low(start) > amount


def test_both_frameworks_embed_records_and_show_the_table() -> None:
    from langchain_core.documents import Document as LangChainDocument
    from llama_index.core.schema import Document, MetadataMode, TextNode

    from structchunk_langchain import StructuralTextSplitter
    from structchunk_llamaindex import StructuralNodeParser

    text = "| To | Fare |\n|---|---|\n" + "".join(f"| Port {n} | {n} |\n" for n in range(40))
    parser = StructuralNodeParser(chunk_size=100, table_format="both", table_profile=False)
    nodes = parser.get_nodes_from_documents([Document(text=text, metadata={"file_path": "a.md"})])
    assert len(nodes) > 3
    for node in nodes:
        embedded = node.get_content(MetadataMode.EMBED)
        assert "Fare: " in embedded
        assert "|" not in embedded
        assert Chunker().count(embedded) <= 100
        assert isinstance(node, TextNode)
        assert node.text.startswith("| To | Fare |")
        assert "Fare: " not in node.get_content(MetadataMode.LLM)
    splitter = StructuralTextSplitter(chunk_size=400, table_format="both", table_profile=False)
    entries, chunks = splitter.split_entries([LangChainDocument(text, metadata={"source": "a.md"})])
    assert len(entries) == len(chunks) > 3
    assert all("Fare: " in entry.page_content for entry in entries)
    assert all("| To | Fare |" in document.page_content for document in chunks.values())


def test_the_setting_is_checked_and_counts() -> None:
    assert Chunker(table_format="both").fingerprint != Chunker().fingerprint
    with pytest.raises(ConfigurationError, match="'rows' or 'records' or 'both'"):
        Chunker(table_format="grids")  # type: ignore[arg-type]  # that is what is tested
