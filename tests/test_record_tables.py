"""Lists of records as tables: profiles, entries for rows, and records on lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from structchunk_core import Chunk, Chunker
from structchunk_core.formats import _records_table
from structchunk_core.formats._records_values import flattened
from structchunk_core.table_model import Table
from structchunk_core.table_profile import profile_of
from structchunk_core.unit import Unit
from tests.generators import valid_json
from tests.promises import check_nothing_that_fits_is_cut, check_promises

COUNT = 40
PORTS = [
    {
        "id": number,
        "name": f"Port {number}",
        "place": {"country": "NO" if number % 3 else "SE", "depth": number * 1.5},
        "fare": None if number == 7 else 900 - number,
    }
    for number in range(COUNT)
]
NAMES = ("id", "name", "place.country", "place.depth", "fare")

DOCUMENTS = {
    "a list.json": json.dumps(PORTS, indent=1),
    "one line.json": json.dumps(PORTS),
    "below a key.json": json.dumps({"title": "Ports", "ports": PORTS, "end": 1}, indent=2),
    "lines.jsonl": "".join(f"{json.dumps(port)}\n" for port in PORTS),
    "a list.yaml": yaml.safe_dump(PORTS, sort_keys=False),
    "below a key.yaml": "# Ports\nports:\n"
    + "".join(
        f'  # number {port["id"]}\n  - id: {port["id"]}\n    name: "{port["name"]}"\n'
        f"    place:\n      country: {port['place']['country']}\n"  # type: ignore[index]
        f"      depth: {port['place']['depth']}  # metres\n"  # type: ignore[index]
        f"    fare: {port['fare'] or '~'}\n"
        for port in PORTS
    ),
    "in brackets.yaml": "".join(
        f'- {{id: {port["id"]}, name: "{port["name"]}", place: {{country: '
        f"{port['place']['country']},\n   depth: {port['place']['depth']}}}, "  # type: ignore[index]
        f"fare: {port['fare'] or '~'}}}  # a comment\n"
        for port in PORTS
    ),
    "fleet.toml": "title = 'Ports'\n\n"
    + "".join(
        f"[[fleet.port]]\nid = {port['id']}\nname = '{port['name']}'\n"
        + (f"fare = {port['fare']}\n" if port["fare"] else "")
        + f"[fleet.port.place]\ncountry = '{port['place']['country']}'\n"  # type: ignore[index]
        f"depth = {port['place']['depth']}\n\n"  # type: ignore[index]
        for port in PORTS
    ),
    "fleet.xml": "<fleet>\n<title>Ports</title>\n"
    + "".join(
        f"<port id='{port['id']}'><name>{port['name']}</name>"
        f'<place country="{port["place"]["country"]}">'  # type: ignore[index]
        f"<depth>{port['place']['depth']}</depth></place>"  # type: ignore[index]
        f"<fare>{port['fare'] or ''}</fare></port>\n"
        for port in PORTS
    )
    + "</fleet>\n",
}


def as_pairs(value: Any) -> Any:
    """Mappings as tuples of pairs, as the readers of all formats give them."""
    if isinstance(value, dict):
        return tuple((key, as_pairs(inside)) for key, inside in value.items())
    return [as_pairs(one) for one in value] if isinstance(value, list) else value


def cut(text: str, path: str, size: int = 400, **given: Any) -> list[Chunk]:
    chunker = Chunker(**{"tokenizer": "characters", "chunk_size": size, **given})
    chunks = chunker.chunk(text, path=path)
    check_promises(text, chunks, chunker)
    parsed = chunker.parse(text, path=path)
    parsed.root.pretty(parsed.rendering.text if parsed.rendering else text)  # all of it tiles
    slices = [chunk for chunk in chunks if not chunk.derived]
    check_nothing_that_fits_is_cut(text, slices, chunker, parsed)
    return chunks


def tables(text: str, path: str) -> Iterator[tuple[Unit, Table]]:
    for _, unit in Chunker().parse(text, path=path).root.walk():
        if (table := unit.as_table()) is not None:
            yield unit, table


@pytest.mark.parametrize("path", DOCUMENTS)
def test_a_list_of_records_says_the_same_in_every_format(path: str) -> None:
    text = DOCUMENTS[path]
    ((_, table),) = tables(text, path)
    assert sorted(table.names) == sorted(NAMES)
    told = [dict(zip(table.names, row.values, strict=True)) for row in table.rows()]
    assert told == [dict(flattened(as_pairs(port))) for port in PORTS]
    for port, row in zip(PORTS, table.rows(), strict=True):
        assert text[row.start : row.end].count("Port ") == 1
        assert f"{port['name']}" in text[row.start : row.end]


@pytest.mark.parametrize("path", DOCUMENTS)
def test_a_list_that_is_split_has_a_profile_and_its_rows_are_linked(path: str) -> None:
    text = DOCUMENTS[path]
    chunks = cut(text, path, 500, table_rows="linked")
    profiles = [chunk for chunk in chunks if chunk.derived]
    told = "\n".join(profile.text for profile in profiles)
    assert "Profile of " in told
    assert f": {COUNT} rows, 5 columns." in told
    fares = [port["fare"] for port in PORTS if port["fare"]]
    assert f"- fare: integer; {COUNT - 1} values, 1 empty, all different" in told
    assert f"sum {sum(fares)}" in told  # type: ignore[arg-type]
    assert "min 861 (name: Port 39); max 900 (name: Port 0)" in told
    assert "- id: identifier; all different" in told
    assert "place.country: boolean" in told or "place.country: text" in told
    entries = [(entry, chunk) for chunk in chunks for entry in chunk.entries]
    assert len(entries) == COUNT
    (parent,) = {profile.parent_id for profile in profiles}
    assert parent
    children = [chunk for chunk in chunks if chunk.id in profiles[0].child_ids]
    assert {chunk.parent_id for chunk in children} == {parent}
    assert {entry.parent_id for entry, _ in entries} == {parent}
    found = Chunker(tokenizer="characters", chunk_size=500).hierarchy(
        text, path=path, parent_size=9**9
    )
    assert parent in {above.id for above in found.parents}
    for number, (entry, chunk) in enumerate(entries):
        assert f"Port {number}" in entry.text
        assert chunk.id in profiles[0].child_ids
        assert f"Port {number}" in chunk.text
    for profile in profiles:
        assert profile.kind == "table_profile"
        assert profile.format == "records"


def test_a_part_of_a_record_has_the_id_of_that_and_its_list_is_above() -> None:
    long = {"id": 50, "name": "Port 50", "note": "Of this there is much. " * 40}
    text = json.dumps([*PORTS, long, *PORTS], indent=1)
    chunks = cut(text, "a.json", 500, outline="all", record_format="written")
    profile = chunks[-1]
    by_id = {chunk.id: chunk for chunk in chunks}
    whole = [by_id[one] for one in profile.child_ids if not by_id[one].part]
    parts = [by_id[one] for one in profile.child_ids if by_id[one].part]
    assert len(whole) > 4
    assert len(parts) > 1
    assert {chunk.parent_id for chunk in whole} == {profile.parent_id} != {""}
    assert {entry.parent_id for chunk in whole for entry in chunk.entries} == {profile.parent_id}
    (record,) = {chunk.parent_id for chunk in parts}
    assert record not in ("", profile.parent_id)


def _neighbours(path: str) -> str:
    """Two lists of records, of which the second begins where the first one ends."""
    rows = [{"id": number, "name": f"Port {number}"} for number in range(12)]
    lists = {"first": rows, "second": rows}
    if path.endswith("xml"):
        inner = (
            f"<{name}>\n"
            + "".join(f"<r><id>{row['id']}</id><name>{row['name']}</name></r>\n" for row in rows)
            + f"</{name}>\n"
            for name in lists
        )
        return f"<all>\n{''.join(inner)}</all>\n"
    if path.endswith("toml"):
        return "".join(
            f"[[{name}]]\nid = {row['id']}\nname = '{row['name']}'\n"
            for name in lists
            for row in rows
        )
    return json.dumps(lists, indent=2)


@pytest.mark.parametrize("path", ["a.json", "a.xml", "a.toml", "a.yaml"])
def test_the_second_of_two_lists_has_its_id_on_all_chunks_but_the_shared_one(path: str) -> None:
    text = _neighbours(path)
    whole = shared = 0
    for size in range(200, 600, 13):
        chunker = Chunker(
            tokenizer="characters", chunk_size=size, target_size=size, table_profile="always"
        )
        chunks = chunker.chunk(text, path=path)
        check_promises(text, chunks, chunker)
        for profile in chunks:
            if not profile.derived:
                continue
            rows = "".join(chunk.text for chunk in chunks if chunk.id in profile.child_ids)
            assert all(f"Port {number}" in rows for number in range(12))
            if len(profile.child_ids) == 1:
                continue
            named = [one.id for one in chunks if one.parent_id == profile.parent_id != ""]
            missing = [one for one in profile.child_ids if one not in named]
            assert set(named) - set(profile.child_ids) == {profile.id}
            whole += not missing
            if missing:  # the first, which holds the end of the first list, and has the id of that
                assert missing == [profile.child_ids[0]]
                holder = next(chunk for chunk in chunks if chunk.id == missing[0])
                other = next(chunk for chunk in chunks if chunk.derived)
                assert holder.parent_id == other.parent_id != profile.parent_id
                assert holder.id == other.child_ids[-1]
                shared += 1
    assert whole
    assert shared


def test_a_list_whose_chunks_are_all_parts_of_a_record_has_no_id_of_its_own() -> None:
    documents = [{"first": PORTS}, {"second": PORTS}]
    chunks = cut(yaml.safe_dump_all(documents, sort_keys=False), "a.yaml", 500)
    profiles = [chunk for chunk in chunks if chunk.derived]
    assert {len(profile.child_ids) > 1 for profile in profiles} == {True}
    assert {profile.parent_id for profile in profiles} == {""}
    assert all(chunk.part for chunk in chunks if not chunk.derived)


@pytest.mark.parametrize("path", ["a.yaml", "a.toml", "a.jsonc", "a.xml"])
def test_comments_between_records_are_embedded_with_them(path: str) -> None:
    marks = {
        "a.yaml": ("# {}\n", "- name: {}\n  fare: 1\n"),
        "a.toml": ("# {}\n", "[[port]]\nname = '{}'\nfare = 1\n"),
        "a.jsonc": ("// {}\n", '{{"name": "{}", "fare": 1}},\n'),
        "a.xml": ("<!-- {} -->\n", "<port><name>{}</name><fare>1</fare></port>\n"),
    }
    comment, row = marks[path]
    rows = "".join(comment.format(f"About {n}.") + row.format(f"Port {n}") for n in range(40))
    around = {"a.jsonc": "[\n{}]\n", "a.xml": "<ports>\n{}</ports>\n"}.get(path, "{}")
    chunks = cut(around.format(rows), path, 300, table_format="both", table_profile=False)
    told = "\n".join(chunk.embed_text for chunk in chunks)
    for number in range(40):
        assert told.count(f"About {number}.") == 1
        assert told.count(f"name: Port {number}; fare: 1\n") == 1 or number == 39
    assert told.index("About 17.") < told.index("Port 17;") < told.index("About 18.")


@pytest.mark.parametrize("path", DOCUMENTS)
@pytest.mark.parametrize("table_format", ["records", "both"])
def test_rows_are_written_or_embedded_as_records(path: str, table_format: str) -> None:
    chunks = cut(DOCUMENTS[path], path, 500, table_format=table_format, table_profile=False)
    embedded = "\n".join(chunk.embed_text for chunk in chunks)
    plain = cut(DOCUMENTS[path], path, 500, table_profile=False)
    for number in range(COUNT):
        named = [n for n in range(COUNT) if f"name: Port {n};" in embedded]
        assert named == list(range(COUNT))
        assert f"fare: {900 - number}" in embedded or number == 7
    assert "place.depth: 58.5" in embedded
    assert len(chunks) <= 2 * len(plain)
    for word in ("Ports", "# number 17", "end"):
        shown = " ".join(chunk.text for chunk in chunks)
        assert (word in shown) == (word in " ".join(chunk.text for chunk in plain))
    if table_format == "both":
        assert all(chunk.verbatim or chunk.prefix or chunk.suffix for chunk in chunks)


@pytest.mark.parametrize("path", DOCUMENTS)
@pytest.mark.parametrize("table_format", ["rows", "records", "both"])
def test_any_budget_keeps_the_promises(path: str, table_format: str) -> None:
    for size in (12, 40, 75, 150):  # records are split in the first ones
        cut(DOCUMENTS[path], path, size, table_format=table_format, table_rows="linked")


@pytest.mark.parametrize(
    ("text", "path"),
    [
        (json.dumps(PORTS[:4]), "a.json"),  # a few
        (json.dumps([{f"key {n}": n} for n in range(20)]), "a.json"),  # nothing in common
        (json.dumps([*PORTS, 5]), "a.json"),
        (json.dumps([*PORTS, [5]]), "a.json"),
        (json.dumps([5, *PORTS]), "a.json"),
        (json.dumps(PORTS).replace("}", ", word}"), "a.json"),
        (json.dumps([{"a": {str(n): n for n in range(300)}}] * 9), "a.json"),
        ("- a: 1\n" * 9 + "- word\n", "a.yaml"),
        ("- a: 1\n" * 9 + "- - 1\n", "a.yaml"),
        ("<a><b/><c/><b/><b/><b/><b/></a>", "a.xml"),
        ("[[a]]\nb = 1\n" * 9 + "[[a]]\nb = nothing\n", "a.toml"),
        ("- {}\n" * 9, "a.yaml"),
        ("- {a: 1, b: 2}\n" * 9 + "- {a: 1, [word]: 2}\n", "a.yaml"),
        ("- {a: 1, b: 2}\n" * 9 + "- {a: 1, b: 2 {c: 3}}\n", "a.yaml"),
        ("a = [" + "{a = 1, b = 2}, " * 9 + "{a = 1, b = word}]\n", "a.toml"),
        ("[" + "{a: 1, b: 2}, " * 9 + "{a: 1, b: word}]\n", "a.json5"),
        ("- {a: 1, b: 2}\n" * 9 + "- [a, b]\n", "a.yaml"),
        ("[{}, {}, {}, {}, {}, {}]", "a.json"),
    ],
)
def test_what_is_no_table_is_none(text: str, path: str) -> None:
    assert not list(tables(text, path))
    cut(text, path, 60, table_rows="linked", table_profile="always")
    cut(text, path, 60, table_format="records")


def test_the_table_is_the_inner_list_where_records_hold_little_else() -> None:
    text = json.dumps([{"page": page, "ports": PORTS} for page in range(6)])
    found = [table for _, table in tables(text, "a.json")]
    assert [len(table) for table in found] == [COUNT] * 6
    orders = [{**port, "note": "some words", "rows": [{"a": 1}, {"a": 2}]} for port in PORTS]
    found = [table for _, table in tables(json.dumps(orders), "a.json")]
    assert len(found) == 1
    row = next(found[0].rows())
    assert row.values[-1] == '[{"a": 1}, {"a": 2}]'


def test_numbers_and_duplicate_keys_of_json_stay_as_they_are_written() -> None:
    text = "[" + ",".join('{"a": 1.50, "b": 1e3, "a": 007.x, "c": [1.10, "x"]}' for _ in "12345")
    assert not list(tables(text + "]", "a.json"))  # no JSON
    row = '{"a": 1.50, "b": 1e3, "a": 0.70, "c": [1.10, "x"], "d": {}, "e": true, "f": []}'
    ((_, table),) = tables(f"[{','.join([row] * 5)}]", "a.json")
    assert table.names == ("a", "b", "c", "e", "f")
    assert next(table.rows()).values == ["1.50, 0.70", "1e3", "1.10, x", "true", ""]


def test_values_of_yaml_are_what_a_yaml_parser_reads() -> None:
    row = (
        "- plain: some words  # a comment\n  single: 'it''s: # no comment'\n"
        '  double: "say \\"x\\""\n  tagged: !tag &name value\n  nothing: null\n  empty:\n'
        "  block: |\n    two\n    lines\n  folded: >-\n    two\n    lines\n"
        "  over: several words\n    of plain\n    text\n  flow: [a, b]\n"
        "  list:\n    - one\n    - two  # 2\n  inside:\n    deep: 1\n    rest:\n"
        "      more: x\n  url: http://host/#part\n"
    )
    ((_, table),) = tables(row * 5, "a.yaml")
    told = dict(zip(table.names, next(table.rows()).values, strict=True))
    (parsed, *_) = yaml.safe_load((row * 5).replace("!tag &name ", ""))
    expected = {key: " ".join(value.split()) for key, value in flattened(as_pairs(parsed))}
    assert told == expected


def test_marks_inside_values_of_yaml_are_no_tags_and_anchors() -> None:
    values = ["Hello! R&D", "AT&T", "'R&D'", '"Wow!"', "Yes! We do", "a &amp; b", "!tag 'it!'"]
    row = "- " + "\n  ".join(f"k{number}: {value}" for number, value in enumerate(values)) + "\n"
    ((_, table),) = tables(row * 5, "a.yaml")
    (parsed, *_) = yaml.safe_load((row * 5).replace("!tag ", ""))
    assert list(next(table.rows()).values) == list(parsed.values())


def test_half_a_character_in_json_stays_the_escape_that_it_is() -> None:
    text = (
        "[" + ", ".join(f'{{"id": {n}, "v": "a\\ud800b \\ud83d\\ude00"}}' for n in range(5)) + "]"
    )
    ((_, table),) = tables(text, "a.json")
    assert list(next(table.rows()).values) == ["0", "a\\ud800b \U0001f600"]
    for chunk in cut(text, "a.json", table_format="records"):
        assert chunk.embed_text.encode()


def test_values_of_xml_are_what_stands_in_elements_and_attributes() -> None:
    row = (
        "<row id='7' a=\"x &amp; y\"><p>some <b>bold</b> words</p>"
        "<q><r/><s t='1'>u<!-- no --></s></q>"
        "<v><![CDATA[1 < 2]]></v><w> </w></row>\n"
    )
    ((_, table),) = tables(f"<rows>{row * 5}</rows>", "a.xml")
    assert dict(zip(table.names, next(table.rows()).values, strict=True)) == {
        "id": "7",
        "a": "x & y",
        "p": "some bold words",
        "q.s.t": "1",
        "q.s": "u",
        "v": "1 < 2",
    }


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(["a", "b", "c d"]),
            st.none() | st.booleans() | st.integers() | st.text(max_size=8),
            min_size=2,
        ),
        min_size=5,
        max_size=9,
    ),
)
def test_values_of_json_are_what_the_json_module_reads(rows: list[dict[str, object]]) -> None:
    for _, table in tables(json.dumps(rows, ensure_ascii=False), "a.json"):
        told = [dict(zip(table.names, row.values, strict=True)) for row in table.rows()]
        for plain, row in zip(rows, told, strict=True):
            read = {key: value for key, value in flattened(as_pairs(plain)) if value}
            assert read == {key: value for key, value in row.items() if value}


@settings(max_examples=150, deadline=None)
@given(
    valid_json(),
    st.integers(10, 300),
    st.sampled_from(["rows", "records", "both"]),
    st.sampled_from(["a.json", "a.jsonl"]),
)
def test_any_json_keeps_the_promises(text: str, size: int, table_format: str, path: str) -> None:
    chunks = cut(
        text, path, size, table_format=table_format, table_rows="linked", table_profile="always"
    )
    assert chunks or not text.strip()


def test_figures_of_records_are_exact() -> None:
    amounts = [f"{n % 7}.{n:02d}" for n in range(60)]
    text = "[" + ",".join(f'{{"name": "n", "amount": {amount}}}' for amount in amounts) + "]"
    ((_, table),) = tables(text, "a.json")
    (_, column) = profile_of(table).columns
    assert Decimal(column.total).scaleb(-column.scale) == sum(map(Decimal, amounts))
    assert column.scale == 2


def test_what_is_kept_of_a_table_and_what_is_read_again_are_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = [*PORTS[:9], {}, {"id": 3, "more": "x"}, *PORTS[9:], {"fare": 5}]
    text = json.dumps(rows)

    def told() -> list[list[str]]:
        ((_, table),) = tables(text, "a.json")
        assert table.names == (*NAMES, "more")
        return [list(row.values) for row in table.rows()]

    kept = told()
    assert kept[9] == [""] * 6
    assert kept[10] == ["3", "", "", "", "", "x"]
    monkeypatch.setattr(_records_table, "_MOST_KEPT", 100)
    assert told() == kept
    monkeypatch.setattr(_records_table, "_MOST_KEPT", -1)
    assert told() == kept


def test_a_list_is_looked_at_once() -> None:
    text = json.dumps({"ports": PORTS, "more": [PORTS] * 3})
    parsed = Chunker().parse(text, path="a.json")
    asked: list[Unit] = [unit for _, unit in parsed.root.walk() if unit.tabular is not None]
    assert len(asked) == 4
    for unit in asked:
        assert unit.as_table() is unit.as_table()
