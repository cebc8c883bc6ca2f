from __future__ import annotations

import json
from dataclasses import replace
from itertools import chain
from typing import Any

import pytest
from hypothesis import given, settings

from structchunk_core import Chunker
from tests.generators import chunkers
from tests.promises import check_promises
from tests.test_promises import PATHS

SCHEMA = {
    "definitions": {
        "addKey": {
            "type": "object",
            "properties": {"name": {"type": "string", "enum": ["x", "y"]}},
        },
        "limit": 3,
    },
    "version": "2",
}
ORDERS = {"orders": [{"id": f"o{n}", "to": {"city": f"Town {n}"}} for n in range(40)]}


def lines_of(text: str, path: str, **more: Any) -> list[str]:
    settings = {"record_format": "written"} | more
    chunks = Chunker(outline="all", **settings).chunk(text, path=path)
    return [line for c in chunks for e in c.entries for line in e.text.split("\n")]


def test_each_value_stands_in_an_entry_with_the_keys_above_it() -> None:
    assert lines_of(json.dumps(SCHEMA), "a.json") == [
        "a.json",
        'definitions > addKey > "type": "object"',
        'definitions > addKey > properties > name > "type": "string"',
        'definitions > addKey > properties > name > enum > "x"',
        'definitions > addKey > properties > name > enum > "y"',
        'definitions > "limit": 3',
        '"version": "2"',
    ]


@pytest.mark.parametrize(
    ("path", "text", "wanted"),
    [
        ("a.yaml", "shop:\n  rooms:\n    - red\n  open: >\n    from nine\n    to five\n", [
            "shop > rooms > - red",
            "shop > open: > from nine to five",
        ]),
        ("a.toml", "[shop.hall]\nopen = 9\n[[shop.room]]\nname = 'red'\n", [
            "shop > hall > open = 9",
            "shop > room > red > name = 'red'",
        ]),
        ("a.xml", "<shop><hall><open>nine</open></hall></shop>", ["hall > <open>nine</open>"]),
        ("a.jsonl", '{"id": "p1", "to": {"city": "Graz"}}\n', ['to > "city": "Graz"']),
    ],
)  # fmt: skip
def test_all_formats_of_records_have_them(path: str, text: str, wanted: list[str]) -> None:
    lines = lines_of(text, path)
    assert lines[0] == path
    assert set(wanted) <= {line.rstrip(",") for line in lines}


def test_an_entry_leads_to_the_chunk_that_holds_its_values() -> None:
    text = json.dumps(ORDERS, indent=2)
    chunks = Chunker(chunk_size=100, outline="all", record_format="written").chunk(
        text, path="orders.json"
    )
    assert len(chunks) > 5
    found = []
    for chunk in chunks:
        for entry in chunk.entries:
            assert (entry.kind, entry.chunk_id) == ("keys", chunk.id)
            assert entry.text.startswith("orders.json\n")
            towns = [line for line in entry.text.split("\n") if "Town" in line]
            assert all(line.rpartition(": ")[2] in chunk.text for line in towns)
            found += towns
    assert found == [f'orders > o{n} > to > "city": "Town {n}"' for n in range(40)]
    ids = [entry.id for chunk in chunks for entry in chunk.entries]
    assert len(set(ids)) == len(ids)


def test_only_who_asks_for_all_outlines_gets_them_and_chunks_stay_the_same() -> None:
    text = json.dumps(ORDERS, indent=2)
    chunker = Chunker(chunk_size=100, record_format="written")
    plain = chunker.chunk(text, path="orders.json")
    split = replace(chunker, outline="split").chunk(text, path="orders.json")
    every = replace(chunker, outline="all").chunk(text, path="orders.json")
    assert not any(chunk.entries for chunk in (*plain, *split))
    assert all(chunk.entries for chunk in every if not chunk.derived)
    assert [chunk.embed_text for chunk in every] == [chunk.embed_text for chunk in plain]


def test_what_is_embedded_in_lines_needs_none_and_anchors_are_no_reason_to_have_none() -> None:
    assert lines_of(json.dumps(SCHEMA), "a.json", record_format="both") == []
    noted = "shop:\n  rooms: &all # every one\n    one: red\n  open: *all\n"
    assert "shop > rooms > one: red" in lines_of(noted, "a.yaml")
    assert lines_of(noted, "a.yaml", record_format="both") == []


def test_flat_records_need_none() -> None:
    assert lines_of('{"name": "red", "count": 3}', "a.json") == []


@pytest.mark.parametrize("name", [name for name in PATHS if PATHS[name][0].endswith(
    (".json", ".jsonl", ".yaml", ".toml", ".xml")
)])  # fmt: skip
def test_no_entry_is_over_budget_whatever_the_document(name: str) -> None:
    path, texts = PATHS[name]

    @settings(max_examples=15)
    @given(texts, chunkers())
    def holds(text: str, chunker: Chunker) -> None:
        made = replace(chunker, outline="all")
        chunks = made.chunk(text, path=path)
        check_promises(text, chunks, made)
        entries = list(chain.from_iterable(chunk.entries for chunk in chunks))
        assert all(made.count(entry.text) <= made.chunk_size for entry in entries)
        assert len({entry.id for entry in entries}) == len(entries)

    holds()


def test_a_value_with_no_room_is_left_out_and_a_long_path_of_the_file_too() -> None:
    long = json.dumps({"a": {"b": "word " * 200, "c": "short"}})
    assert [line for line in lines_of(long, "a.json", chunk_size=40) if "word" in line] == []
    assert 'a > "c": "short"' in lines_of(long, "a.json", chunk_size=40)
    assert "folder" not in "".join(lines_of(long, "folder/" * 30 + "a.json", chunk_size=40))
