"""What a chunk measures is known exactly from its edges and what the document measured."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from structchunk_core import Chunk, Chunker
from structchunk_core.borders import AROUND, EdgeCount
from structchunk_core.encoding_files import load_encoding
from structchunk_core.sizing import measure_of
from structchunk_core.source import parsable
from tests.corpus import FILES
from tests.generators import HARD_CHARACTERS, arbitrary_text

ENCODINGS = ["cl100k_base", "o200k_base"]
SETTINGS: list[dict[str, Any]] = [
    {"chunk_size": 60},
    {"chunk_size": 40, "granularity": "packed", "chunk_overlap": 15},
    {"chunk_size": 90, "context": "inline", "table_format": "both"},
    {"chunk_size": 50, "context": "none", "table_format": "records"},
]
_PIECES = (
    *(
        "word",
        "Two",
        " ",
        "  ",
        "\n",
        "\n\n",
        "\r\n",
        " \n ",
        "\t",
        "/",
        "//",
        "'s",
        "'LL",
        "don't",
    ),
    *(
        "12345",
        "(",
        ");",
        "}",
        "\u3000",
        "\u2028",
        "\x85",
        "\x0b",
        "é",
        "漢",
        "ǅ",
        "\u0301",
        "\u017f",
        "}\n/",
        ");\n// a b",
        " /",
    ),
    *HARD_CHARACTERS,
)


def check(text: str, path: str, name: str, settings: dict[str, Any]) -> list[Chunk]:
    chunks = Chunker(tokenizer=name, **settings).chunk(text, path=path)
    count = load_encoding(name).encode_ordinary
    for chunk in chunks:
        assert chunk.size == len(count(parsable(chunk.embed_text)))
    return chunks


@pytest.mark.parametrize("name", ENCODINGS)
@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("path", sorted(FILES))
def test_the_size_is_what_is_counted(path: str, settings: dict[str, Any], name: str) -> None:
    check(FILES[path], path, name, settings)


@pytest.mark.parametrize("name", ENCODINGS)
@given(
    text=st.one_of(arbitrary_text(), st.lists(st.sampled_from(_PIECES), max_size=300).map("".join)),
    path=st.sampled_from(["a.txt", "a.md", "a.py", "a.c", "a.csv", "a.json"]),
    number=st.integers(0, len(SETTINGS) - 1),
)
def test_so_it_is_of_any_text(text: str, path: str, number: int, name: str) -> None:
    check(text, path, name, SETTINGS[number])


@pytest.mark.parametrize("name", ENCODINGS)
@given(
    head=st.sampled_from(
        ["", "a.py > name\n", "// a\n", "}\n", ");\n\n", "\n\n", "  \n", "[{", "two ", "b", "\t"]
    ),
    pieces=st.lists(st.sampled_from(_PIECES), min_size=1, max_size=30),
    tail=st.sampled_from(["", "\n", "\n```", " word", "/"]),
    cut=st.tuples(st.integers(0, 99), st.integers(1, 99)),
    by_line=st.booleans(),
)
@example(head="}\n", pieces=["a;\n// b c d"], tail="", cut=(4, 99), by_line=True)
@example(head="}\n", pieces=["a;\n \n \nword"], tail="", cut=(4, 99), by_line=True)
@example(head="", pieces=["two words\u3000\n \n word"], tail="", cut=(0, 10), by_line=True)
@example(head="", pieces=["some strawberry and"], tail="", cut=(8, 99), by_line=False)
@example(head="", pieces=["some strawberry"], tail="", cut=(0, 11), by_line=True)
def test_any_part_of_a_text_is_counted_right_by_its_edges(
    head: str, pieces: list[str], tail: str, cut: tuple[int, int], by_line: bool, name: str
) -> None:
    text = parsable("".join(pieces))
    start, length = cut
    start = text.rfind("\n", 0, start) + 1 if by_line else start % max(1, len(text))
    end = start + len(text[start : start + length].rstrip(" \t\r\n"))
    if end == start:
        return
    measure = measure_of(name)
    scale = measure.scale(text)
    measured = scale.high(end) - scale.low(start)
    whole = head + text[start:end] + tail
    around = text[max(0, start - AROUND) : start], text[end : end + AROUND]
    counting = EdgeCount(measure, whole, len(head), end - start, measured, *around)
    assert counting(whole) == len(load_encoding(name).encode_ordinary(whole))


def by_edges(chunks: list[Chunk]) -> int:
    return sum(isinstance(chunk._count, EdgeCount) for chunk in chunks)


def test_only_where_the_pattern_is_known_and_the_document_was_measured_as_it_is() -> None:
    text = "Some words of prose that are long enough.\n\n" * 40
    assert by_edges(check(text, "a.txt", "cl100k_base", {"chunk_size": 60}))
    for settings in (
        {"tokenizer": load_encoding("cl100k_base")},  # of that name, but whose pattern is it?
        {"tokenizer": "characters"},
        {"length_function": str.__len__},
    ):
        assert by_edges(Chunker(**settings).chunk(text, path="a.txt")) == 0
    joined = Chunker(chunk_size=60).chunk(text, path="a.txt", join=lambda a, b: f"<{a}>{b}")
    assert by_edges(joined) == 0


def test_another_text_is_counted_as_it_is_and_a_chunk_can_be_sent() -> None:
    text = "Some words of prose that are long enough.\n\n" * 40
    chunk = Chunker(chunk_size=60).chunk(text, path="a.txt")[1]
    assert isinstance(chunk._count, EdgeCount)
    assert chunk._count("two words") == 2
    sent = pickle.loads(pickle.dumps(chunk))  # noqa: S301  # our own bytes
    assert sent.size == chunk.size == len(load_encoding("cl100k_base").encode(chunk.embed_text))
