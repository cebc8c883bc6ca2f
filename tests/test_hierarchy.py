from __future__ import annotations

import json
from typing import Any

import pytest

from structchunk_core import Chunk, Chunker, ConfigurationError, Hierarchy
from tests.corpus import CITIES, GUIDE, ORDERS
from tests.counting import Counter
from tests.promises import check_slice
from tests.real_files import documents

HTML = "<h1>Shop</h1>" + "".join(
    f"<h2>Part {n}</h2><p>{'All about it. ' * 12}</p><ul><li>One</li><li>Two</li></ul>"
    for n in range(6)
)
NOTEBOOK = (
    '{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":['
    + ",".join(
        f'{{"cell_type":"markdown","id":"c{n}","metadata":{{}},"source":["# Part {n}\\n",'
        f'"\\n","{"All about it. " * 20}"]}}'
        for n in range(5)
    )
    + "]}"
)
FORMATS = [
    ("shop/orders.py", ORDERS),
    ("shop/orders.py", ORDERS.replace("\n", "\r\n")),
    ("guide.md", GUIDE * 3),
    ("cities.csv", CITIES),
    ("page.html", HTML),
    ("tour.ipynb", NOTEBOOK),
    ("words.txt", "All about it. Nothing else.\n\n" * 60),
    ("deep.py", "".join("    " * n + f"class C{n}:\n" for n in range(40)) + "    " * 40 + "pass\n"),
]


def check_hierarchy(text: str, found: Hierarchy, limit: int, chunker: Chunker) -> None:
    """Assert that parents are whole units, hold what they say, and at least two of them."""
    assert len(found.parent_of_chunk) == len(found.chunks)
    assert len(found.parent_of_parent) == len(found.parents)
    children: list[list[Chunk]] = [[] for _ in found.parents]
    for number, (parent, above) in enumerate(
        zip(found.parents, found.parent_of_parent, strict=True)
    ):
        assert -1 <= above < number
        if above >= 0:
            children[above].append(parent)
        if not parent.rendered:
            check_slice(parent, text)
        assert parent.embed_text.endswith(parent.text)
        assert chunker.count(parent.text) <= limit + limit // 64 + 4
        assert parent.size <= parent.size_at_most or not chunker.tokenizer
    for chunk, above in zip(found.chunks, found.parent_of_chunk, strict=True):
        if above >= 0:
            children[above].append(chunk)
    for parent, inside in zip(found.parents, children, strict=True):
        assert len(inside) >= 2
        for child in inside:
            assert parent.span.start <= child.span.start
            assert child.span.end <= parent.span.end
            if not parent.rendered and child.verbatim:
                assert child.text in parent.text
    identities = [chunk.id for chunk in (*found.chunks, *found.parents)]
    assert len(set(identities)) == len(identities)


@pytest.mark.parametrize(("path", "text"), FORMATS)
@pytest.mark.parametrize("size", [16, 40, 128])
@pytest.mark.parametrize("parent_size", [None, 128, 10_000])
def test_the_chunks_are_those_of_chunk_and_parents_hold_them(
    path: str, text: str, size: int, parent_size: int | None
) -> None:
    chunker = Chunker(chunk_size=size)
    found = chunker.hierarchy(text, path=path, parent_size=parent_size)
    assert list(found.chunks) == chunker.chunk(text, path=path)
    check_hierarchy(text, found, parent_size or 4 * size, chunker)
    if parent_size == 10_000 and len(found.chunks) > 1 and path != "deep.py":
        assert -1 not in found.parent_of_chunk
        assert found.parent_of_parent.count(-1) == 1


def test_a_method_leads_to_its_class_and_that_to_its_file() -> None:
    found = Chunker(chunk_size=64).hierarchy(ORDERS, path="shop/orders.py", parent_size=1000)
    discount = next(n for n, c in enumerate(found.chunks) if c.symbols == ("Basket.discount",))
    above = found.parent_of_chunk[discount]
    basket = found.parents[above]
    assert (basket.kind, basket.symbols) == ("class", ("Basket",))
    assert basket.text == ORDERS[ORDERS.index("class Basket") : ORDERS.index("\n\n\ndef export")]
    assert basket.signature == "class Basket:"
    assert basket.context == "# shop/orders.py > Basket"
    file = found.parents[found.parent_of_parent[above]]
    assert (file.kind, file.text) == ("file", ORDERS.rstrip())


def test_sections_lead_to_sections_and_headings_are_known() -> None:
    found = Chunker(chunk_size=24, target_size=24).hierarchy(GUIDE, path="guide.md", parent_size=60)
    assert [parent.path for parent in found.parents if parent.kind == "section"] == [
        ("Guide", "Installation"),
        ("Guide", "Returns"),
    ]
    assert found.parents[0].headings == ((1, "Guide"), (2, "Installation"))


def test_the_parent_of_the_parts_of_a_definition_has_the_id_they_share() -> None:
    found = Chunker(chunk_size=30).hierarchy(ORDERS, path="a.py")
    parts = [
        (chunk.parent_id, found.parents[above].id)
        for chunk, above in zip(found.chunks, found.parent_of_chunk, strict=True)
        if chunk.parent_id
    ]
    assert len(parts) > 2
    assert all(shared == parent for shared, parent in parts)


def test_two_tables_in_one_chunk_both_lead_to_their_parts() -> None:
    ports = [{"id": number, "name": f"Port {number}"} for number in range(12)]
    grid = "| id | name |\n|---|---|\n" + "".join(
        f"| {port['id']} | {port['name']} |\n" for port in ports
    )
    text = f"# Ports\n\n{grid}\n{grid}"
    lists = json.dumps({"first": ports, "second": ports}, indent=2)
    for path, document in (("a.md", text), ("a.json", lists)):
        shared = 0
        for size in range(130, 600, 13):
            chunker = Chunker(tokenizer="characters", chunk_size=size, target_size=size)
            found = chunker.hierarchy(document, path=path, parent_size=2000)
            check_hierarchy(document, found, 2000, chunker)
            profiles = [chunk for chunk in found.chunks if chunk.derived]
            tables = {profile.parent_id: profile.child_ids for profile in profiles}
            for chunk, above in zip(found.chunks, found.parent_of_chunk, strict=True):
                if chunk.derived or not found.parents:
                    continue
                held = [table for table, inside in tables.items() if chunk.id in inside]
                assert chunk.parent_id == (held[0] if held else "")
                parent = found.parents[above]
                assert parent.span.start <= chunk.span.start <= chunk.span.end <= parent.span.end
                assert parent.id in {chunk.parent_id, found.parents[0].id}
                shared += len(held) == 2
                if len(held) == 2:
                    assert "" not in tables
                    assert parent.id == found.parents[0].id
        assert shared


def test_equal_units_have_ids_of_their_own() -> None:
    text = ("def f():\n" + "    call(1, 2, 3)\n" * 12 + "\n\n") * 3
    found = Chunker(chunk_size=40).hierarchy(text, path="a.py", parent_size=200)
    assert len(found.parents) == 3
    check_hierarchy(text, found, 200, Chunker(chunk_size=40))


@pytest.mark.parametrize("text", ["", " \n\t ", "word"])
def test_what_is_one_chunk_or_none_has_no_parents(text: str) -> None:
    assert Chunker().hierarchy(text).parents == ()


def test_it_costs_one_parse_and_one_tokenisation(parsed: Counter, tokenised: Counter) -> None:
    text = ORDERS * 40
    Chunker(chunk_size=64).hierarchy(text, path="a.py", parent_size=100_000)
    assert len([length for length in parsed.lengths if length >= len(text)]) == 1
    assert len([length for length in tokenised.lengths if length >= len(text) // 2]) == 1


@pytest.mark.parametrize("wrong", [0, -1, 100, "many", True, 1.5])
def test_a_wrong_parent_size_raises_at_once(wrong: Any) -> None:
    with pytest.raises(ConfigurationError, match="parent_size"):
        Chunker(chunk_size=512).hierarchy("", parent_size=wrong)


def test_real_files_have_hierarchies() -> None:
    chunker = Chunker(chunk_size=128)
    parents = 0
    for path, text in documents(7, 60):
        if len(text) > 200_000:
            continue
        found = chunker.hierarchy(text, path=path)
        check_hierarchy(text, found, 512, chunker)
        parents += len(found.parents)
    assert parents > 100
