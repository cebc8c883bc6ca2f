"""``table_format="records"``: each row of a table as ``column: value`` pairs."""

from __future__ import annotations

import json
from typing import Any

import pytest

from structchunk_core import Chunk, Chunker, ConfigurationError
from tests.promises import check_nothing_that_fits_is_cut, check_promises
from tests.test_tables import DOCUMENTS, GRIDS, MARKDOWN

LINES = ["Port: Oslo; Quay: 13; Code: 007", "Port: Bergen; Quay: 9"]
LAST = "Port: Kristian|sand; Quay: 22; Code: 1.10"


def records(text: str, size: int = 2000, path: str = "", **settings: Any) -> list[Chunk]:
    format = settings.pop("format", None)
    chunker = Chunker(tokenizer="characters", chunk_size=size, table_format="records", **settings)
    chunks = chunker.chunk(text, path=path, format=format)
    check_promises(text, chunks, chunker)
    parsed = chunker.parse(text, path=path, format=format)
    parsed.root.pretty(parsed.rendering.text if parsed.rendering else text)  # all of it tiles
    check_nothing_that_fits_is_cut(
        text, [chunk for chunk in chunks if not chunk.derived], chunker, parsed
    )
    return chunks


@pytest.mark.parametrize("format", DOCUMENTS)
def test_every_format_writes_its_rows_as_records(format: str) -> None:
    (chunk,) = records(DOCUMENTS[format], format=format)
    assert [line.strip() for line in chunk.text.splitlines() if "Port: " in line] == [*LINES, LAST]
    assert chunk.text.count("Table 1: Ferries of the coast.") == 1
    assert "Port |" not in chunk.text
    assert chunk.rendered
    assert not chunk.verbatim


@pytest.mark.parametrize("kind", GRIDS)
def test_every_way_to_write_a_table_becomes_records(kind: str) -> None:
    (chunk,) = records(GRIDS[kind], format="markdown" if kind in MARKDOWN else "rst")
    shown = [line.lstrip("-> ") for line in chunk.text.splitlines() if "Port: " in line]
    assert shown == [*LINES, LAST]


def test_what_is_no_table_stays_the_slice_that_it_was() -> None:
    rows = "".join(f"| Port {n} | {n * 3} |\n" for n in range(30))
    text = (
        "# Guide\n\n    indented = 1\n\nSee the note[^1].\n\n## Fares\n\n"
        f"| To | Fare |\n|---|---|\n{rows}\n## After\n\n  Words behind it.\n\n[^1]: A note.\n"
    )
    chunks = records(text, 300, "a.md", table_rows="linked")
    for chunk in chunks:
        if chunk.rendered and not chunk.derived:
            assert "To: Port" in chunk.text
            assert "Fare" in text[chunk.span.start : chunk.span.end] or "Port" in chunk.text
        elif not chunk.derived:
            assert text[chunk.span.start : chunk.span.end] in chunk.text
    kinds = {chunk.rendered for chunk in chunks if not chunk.derived}
    assert kinds == {True, False}
    holding = [chunk for chunk in chunks if "To: Port 17; Fare: 51" in chunk.text]
    assert len(holding) == 1
    assert "| Port 17 | 51 |" in text[holding[0].span.start : holding[0].span.end]
    entries = [entry for chunk in chunks for entry in chunk.entries]
    assert len(entries) == 30
    assert any(entry.text.endswith("To: Port 17; Fare: 51") for entry in entries)
    profile = chunks[-1]
    assert "sum 1305" in profile.text
    assert text[profile.span.start :].startswith("| To | Fare |")


def test_parts_of_records_carry_the_caption() -> None:
    rows = "".join(f"Port {n},{n * 3},{'' if n % 2 else 'x'}\n" for n in range(60))
    chunks = records(f"Fares of May\n\nTo,Fare,Note\n{rows}", 300, "a.csv", context="none")
    parts = [chunk for chunk in chunks if not chunk.derived]
    assert len(parts) > 4
    assert all(part.text.startswith("Fares of May\n\n") for part in parts)
    assert sum(part.text.count("To: Port") for part in parts) == 60
    assert "To: Port 1; Fare: 3\n" in parts[0].text


def test_a_long_record_is_cut_between_its_cells() -> None:
    names = [f"Column {n}" for n in range(12)]
    row = ",".join(f"value {n} {'x' * 40}" for n in range(12))
    chunks = records(f"{','.join(names)}\n{row}\n", 200, "a.csv", table_profile=False)
    assert len(chunks) > 2
    for n in range(12):
        assert sum(f"Column {n}: value {n} {'x' * 40}" in chunk.text for chunk in chunks) == 1


def test_a_document_without_tables_is_what_it_was() -> None:
    text = "# Guide\n\nWords.\n\n```python\nx = 1\n```\n"
    plain = Chunker(chunk_size=40).chunk(text, path="a.md")
    assert Chunker(chunk_size=40, table_format="records").chunk(text, path="a.md") == plain
    assert Chunker(table_format="records").fingerprint != Chunker().fingerprint
    with pytest.raises(
        ConfigurationError, match="table_format must be 'rows' or 'records' or 'both'"
    ):
        Chunker(table_format="grid")  # type: ignore[arg-type]  # that is what is tested


def test_pages_are_written_as_records_with_spans_of_the_page() -> None:
    rows = "".join(f"<tr><td>Port {n}<td>{n * 3}</tr>\n" for n in range(60))
    page = f"<h1 id=top>Guide</h1><p>Text.</p><table><tr><th>To<th>Fare</tr>{rows}</table><p>End."
    chunks = records(page, 300, "a.html")
    (holding,) = [chunk for chunk in chunks if "To: Port 17; Fare: 51" in chunk.text]
    assert "<td>Port 17<td>51" in page[holding.span.start : holding.span.end]
    assert chunks[0].anchor == "top"


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("| Name | Age |\n|------|-----|\n|      |     |\n|      |     |\n", "a.md"),
        ("name,nickname\n,\n,\n", "a.csv"),
    ],
)
def test_a_table_without_any_value_stays_as_it_is(text: str, path: str) -> None:
    (chunk,) = records(text, path=path, context="none")
    assert chunk.text.strip() == text.strip()
    assert not chunk.rendered


def test_a_table_without_any_value_moves_with_those_around_it() -> None:
    empty = "| Name | Age |\n|------|-----|\n" + "|      |     |\n" * 30
    text = f"| To | Fare |\n|---|---|\n| Oslo | 5 |\n| Bergen | 7 |\n\nWords.\n\n{empty}\nEnd.\n"
    chunks = records(text, 120, "a.md", context="none", table_profile="always")
    shown = "\n".join(chunk.text for chunk in chunks if not chunk.derived)
    assert "To: Oslo; Fare: 5" in shown
    assert shown.count("|      |     |") == 30
    assert "- Name: empty" in chunks[-1].text
    for size in (20, 40):
        records(text, size, "a.md", table_rows="linked")


def test_columns_without_any_value_are_named_once() -> None:
    (chunk,) = records("name,nickname,\nAnn,,\nBob,,\n", path="a.csv", context="none")
    assert chunk.text == "Empty columns: nickname\nname: Ann\nname: Bob"
    text = "Words.\n\n- Ports:\n\n  | To | Fare |\n  |---|---|\n  | Oslo | |\n  | Bergen | |\n"
    (chunk,) = records(text, path="a.md", context="none")
    assert chunk.text.endswith("  Empty columns: Fare\n  To: Oslo\n  To: Bergen")
    rows = "".join(f"Port {n},\n" for n in range(60))
    for size in (12, 40, 200):
        chunks = records(f"Fares of May\n\nTo,Fare\n{rows}", size, "a.csv", context="none")
        shown = " ".join(chunk.text for chunk in chunks if not chunk.derived)
        assert size == 12 or shown.count("Empty columns: Fare") == 1


EMPTY_FIRST = (
    "Some words of an introduction that fill a chunk of their own.\n\n"
    "| port | fare |\n|---|---|\n|   |   |\n| Oban | 12 |\n| Mull | 14 |\n"
)
ZEROS = json.dumps(
    [{"name": f"n{n}", "value": 10**size} for n, size in enumerate([1, 2, 30, 80, 90, 5, 40])],
    indent=1,
)


@pytest.mark.parametrize("size", [20, 35, 50, 62, 76])
@pytest.mark.parametrize(("text", "path"), [(EMPTY_FIRST, "f.md"), (ZEROS, "f.json")])
def test_what_is_not_written_and_what_looks_like_the_source_lose_nothing(
    text: str, path: str, size: int
) -> None:
    chunker = Chunker(
        chunk_size=size, tokenizer="characters", context="none", table_format="records"
    )
    check_promises(text, chunker.chunk(text, path=path), chunker)


def test_a_profile_has_the_parent_of_its_rows_only_where_all_have_it() -> None:
    text = "lorem ipsum dolor " * 7 + "lorem ipsum dolor\n"
    text += "".join(f"> | Oban {n} | {n} |\n" for n in range(6))
    page = "".join(
        f"<table><tr><th>{name}<th>fare</tr>"
        + "".join(f"<tr><td>Oban {n}<td>{n}</tr>" for n in range(5))
        + "</table>"
        for name in ("port", "quay")
    )
    for written, path in ((text, "f.md"), (page, "f.html")):
        for size in range(70, 100):
            chunker = Chunker(
                chunk_size=size,
                tokenizer="characters",
                context="none",
                granularity="packed",
                table_format="rows" if path == "f.md" else "records",
            )
            check_promises(written, chunker.chunk(written, path=path), chunker)
