"""Brackets and tags alone go to a neighbour where both fit together."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structchunk_core import Chunk, Chunker
from tests.generators import valid_json
from tests.promises import check_nothing_that_fits_is_cut, check_promises

_TAGS = re.compile(r"(?:\s*</[\w:.-]+>\s*)*|(?:\s*<[\w:.-]+>\s*)*")


XML = (
    "<doc><root id='2'><item id='0'></item><item><delta0><beta0>None</beta0><more1></more1>"
    "<alpha2>True</alpha2></delta0></item></root></doc>"
)


def says_nothing(written: str) -> bool:
    return not any(map(str.isalnum, written)) or _TAGS.fullmatch(written) is not None


def cut(text: str, path: str, size: int) -> list[Chunk]:
    chunker = Chunker(tokenizer="characters", chunk_size=size, table_profile=False)
    chunks = chunker.chunk(text, path=path)
    check_promises(text, chunks, chunker)
    check_nothing_that_fits_is_cut(text, chunks, chunker, chunker.parse(text, path=path))
    return chunks


@pytest.mark.parametrize(
    ("path", "size", "text"),
    [
        ("a.json", 60, '{\n "root": [\n  {\n   "text": true\n  },\n  []\n ]\n}'),
        ("a.json", 60, '{"root":[{"named":true,"and1":[],"the2":{"of0":{"the0":null}}}]}'),
        (
            "a.xml",
            100,
            XML,
        ),
    ],
)
def test_what_only_closes_is_with_what_it_closes(path: str, size: int, text: str) -> None:
    """Choosing alone would keep room for a context, and leave it behind."""
    chunks = cut(text, path, size)
    assert not [chunk for chunk in chunks if says_nothing(text[chunk.span.start : chunk.span.end])]


@settings(max_examples=200, deadline=None)
@given(valid_json(), st.integers(20, 120))
def test_a_closing_bracket_alone_would_not_fit_into_the_chunk_in_front(
    text: str, size: int
) -> None:
    chunks = cut(text, "a.json", size)
    for before, chunk in pairwise(chunks):
        written = text[chunk.span.start : chunk.span.end]
        if not set(written) - set("]},\n\t\r "):
            joined = before.prefix + text[before.span.start : chunk.span.end] + chunk.suffix
            assert len(joined) > size
