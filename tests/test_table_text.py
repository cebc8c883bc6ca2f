"""Profiles of tables in words: what is shown of a column, and what is embedded."""

from __future__ import annotations

from collections.abc import Sequence

from structchunk_core import Chunk, Chunker
from structchunk_core.table_model import Table
from structchunk_core.table_profile import profile_of
from structchunk_core.table_text import column_facts


def told(cells: Sequence[str], name: str = "x") -> list[str]:
    """What is shown of a column with these cells."""
    rows = [[cell] for cell in cells]
    profile = profile_of(Table((name,), range(len(rows)), len(rows), lambda start, _: rows[start]))
    return column_facts(profile.columns[0])


def profiles(header: str, rows: Sequence[str]) -> list[Chunk]:
    text = "\n".join(("# Games\n", f"| {header} |", "|" + "---|" * (header.count("|") + 1), *rows))
    chunks = Chunker(chunk_size=200).chunk(text + "\n", path="games.md")
    return [chunk for chunk in chunks if chunk.derived]


def test_values_are_counted_where_a_row_has_none() -> None:
    assert told(["red", "blue", "green"]) == ["- x: text", "all different"]
    assert told(["red", "", "green"]) == ["- x: text", "2 values, 1 empty, all different"]
    assert told(["1", "2", "n/a", "2"])[1] == "4 values, 3 of them numbers, 3 different"
    assert told(["1", "2", "2"])[1] == "2 different"


def test_values_are_named_that_are_often_in_a_column() -> None:
    names = [f"name {number}" for number in range(30)]
    often = ["Lawrence"] * 12 + ["Manhattan"] * 5 + ["Topeka"] * 2
    assert told([*often, *names])[-1] == "most frequent: Lawrence (12), Manhattan (5)"


def test_one_value_is_named_that_is_there_most_often() -> None:
    names = [f"name {number}" for number in range(60)]
    assert told([*names, "Josiah", "Josiah"])[-1] == "most frequent: Josiah (2)"
    assert told([*names, "Josiah", "Josiah", "Amza", "Amza"])[-1] == "62 different"


def test_columns_that_tell_rows_apart_are_left_to_the_rows() -> None:
    rows = [
        f"| Land {n} | {1900 + n} | {'won' if n % 2 else 'lost'} | {n * 7} |" for n in range(60)
    ]
    (profile,) = profiles("Nation | Held in year | Result | Points", rows)
    assert "- Nation: text; all different" in profile.text
    assert profile.embed_text == (
        "Games\n\nTable of 60 rows; Result; Points; Held in year: 1900 to 1959; "
        "Total, average and range of Points: 0 to 413"
    )


def test_a_table_of_such_columns_alone_is_found_by_them() -> None:
    (profile,) = profiles("Nation | Town", [f"| Land {n} | Town {n} |" for n in range(60)])
    assert profile.embed_text == "Games\n\nTable of 60 rows; Nation; Town"
