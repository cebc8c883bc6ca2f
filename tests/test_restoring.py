from __future__ import annotations

import json
from typing import Any

import pytest

from structchunk_core import Chunker, ConfigurationError, Span, chunk_of_record, stitch
from structchunk_core.adapting import own_metadata
from structchunk_core.restoring import chunk_of_metadata
from tests.corpus import ORDERS
from tests.test_hierarchy import FORMATS
from tests.test_stitching import FENCE, TABLE

PAGE = "<h1>Shop</h1>" + "".join(f"<h2>Part {n}</h2><p>{'Words. ' * 9}</p>" for n in range(5))
LIST = "<table>" + "".join(f"<tr><td>Land {n}<td>{n}.50</tr>" for n in range(20)) + "</table>"
NOTEBOOK = json.dumps(
    {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {"language_info": {"name": "python"}},
        "cells": [
            {"cell_type": "markdown", "id": "a", "metadata": {}, "source": ["# Shop\n", "Words."]},
            {
                "cell_type": "code",
                "id": "b",
                "metadata": {},
                "execution_count": 1,
                "outputs": [],
                "source": "".join(f"call({number}, {number})\n\n" for number in range(20)),
            },
        ],
    }
)
WORDS = (
    "Words about the fares, in some sentences. Each of them says a little more than nothing.\n\n"
)
MIXED = f"# Fares\n\n{WORDS * 3}{TABLE}\n\n## Hours\n\n{WORDS * 4}"
DOCUMENTS = [
    *FORMATS,
    ("mixed.md", MIXED),
    ("a.md", TABLE),
    ("b.md", FENCE),
    ("page.html", PAGE),
    ("list.html", LIST),
    ("shop.ipynb", NOTEBOOK),
]


@pytest.mark.parametrize(("path", "text"), DOCUMENTS)
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"context": "inline"},
        {"outline": "all"},
        {"table_format": "records", "table_rows": "linked"},
    ],
)
def test_a_record_gives_the_chunk_again(path: str, text: str, settings: dict[str, Any]) -> None:
    chunker = Chunker(chunk_size=40, chunk_overlap=8, **settings)
    chunks = chunker.chunk(text, path=path)
    records = [json.loads(json.dumps(chunk.record())) for chunk in chunks]
    again = [chunk_of_record(record, count=chunker.count) for record in records]
    for chunk, made in zip(chunks, again, strict=True):
        assert made.record() == chunk.record()
        assert (made.rendered, made.entries) == (chunk.rendered, chunk.entries)
        assert (made.prefix, made.suffix, made.place) == (
            chunk.prefix,
            chunk.suffix,
            chunk.place,
        )
    parsed = chunker.parse(text, path=path)
    assert stitch(again) == (parsed.rendering.text if parsed.rendering else text)


@pytest.mark.parametrize(("path", "text"), DOCUMENTS)
@pytest.mark.parametrize("context", ["separate", "inline"])
@pytest.mark.parametrize("settings", [{}, {"table_format": "records"}])
def test_metadata_with_positions_give_a_chunk_that_can_be_stitched(
    path: str, text: str, context: Any, settings: dict[str, Any]
) -> None:
    loaded = {"symbol": "the loader's", "source": path, "place_start": "of the loader"}
    chunker = Chunker(chunk_size=40, context=context, **settings)
    chunks = chunker.chunk(text, path=path)
    again = [
        chunk_of_metadata(
            chunk.text,
            loaded | own_metadata(chunk, loaded, positions=True),
            identity=chunk.id,
            source=path,
        )
        for chunk in chunks
    ]
    for chunk, made in zip(chunks, again, strict=True):
        assert made.metadata(positions=True) == chunk.metadata(positions=True)
        assert made.place == (Span(0, 0) if chunk.derived else chunk.place)
    parsed = chunker.parse(text, path=path)
    assert stitch(again) == (parsed.rendering.text if parsed.rendering else text)


def test_what_is_no_chunk_or_was_changed_is_joined_to_nothing() -> None:
    first, second = Chunker(chunk_size=64).chunk(ORDERS, path="a.py")[:2]
    noted = [own_metadata(chunk, {}, positions=True) for chunk in (first, second)]
    kept = chunk_of_metadata(first.text, noted[0], identity="1", source="a")
    changed = chunk_of_metadata(second.text + "?", noted[1], identity="2", source="a")
    foreign = chunk_of_metadata("Words.", {"a": 1}, identity="3", source="a", span=Span(0, 6))
    assert stitch([kept, changed, foreign], gap="|") == f"{first.text}|{second.text}?|Words."


@pytest.mark.parametrize("wrong", [{}, {"text": "a"}, [], None, {"metadata": 1, "text": 2}])
def test_what_is_no_record_raises(wrong: Any) -> None:
    with pytest.raises(ConfigurationError, match="record must be"):
        chunk_of_record(wrong)
