"""Places in the JSON of a notebook, and how that is read."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structchunk_core import Chunker
from structchunk_core.formats._notebook_json import (
    DEEPEST,
    JsonError,
    Value,
    decoded,
    joined,
    read_json,
)
from tests.generators import arbitrary_text
from tests.notebook_cells import chunks_of, code_cell, markdown_cell, notebook

_HARD = 'tab\t quote" back\\slash é 日本 \U0001f600 \x01 \ud800 end'


@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("indent", [None, 1])
def test_every_character_of_a_cell_has_its_place_in_the_source(
    ascii_only: bool, indent: int | None
) -> None:
    cells = [
        markdown_cell(f"# {_HARD}\n\nWords."),
        code_cell(f"a = 1\nb = '''{_HARD}'''\n"),
        markdown_cell(_HARD),
    ]
    text = json.dumps({"cells": cells}, ensure_ascii=ascii_only, indent=indent)
    rendering = Chunker().parse(text, path="a.ipynb").rendering
    assert rendering is not None
    written = json.dumps(_HARD, ensure_ascii=ascii_only)[1:-1]
    position = source_position = 0
    for _ in cells:
        position = rendering.text.index(_HARD, position + 1)
        source_position = text.index(written, source_position + 1)
        for number in range(len(_HARD)):
            escaped = json.dumps(_HARD[:number], ensure_ascii=ascii_only)[1:-1]
            assert rendering.origin(position + number) == source_position + len(escaped)


def test_chunks_have_the_lines_and_characters_of_the_file() -> None:
    text = notebook(markdown_cell("# One\n\nFirst."), code_cell("x = 1\n"), code_cell("y = 2\n"))
    chunks = chunks_of(text, chunk_size=24, context="none")
    assert [chunk.text for chunk in chunks] == [
        "# One\n\nFirst.",
        "```python\nx = 1\n```",
        "```python\ny = 2\n```",
    ]
    for chunk, word in zip(chunks, ("First", "x = 1", "y = 2"), strict=True):
        assert word in text[chunk.span.start : chunk.span.end]
        line = text[: text.index(word)].count("\n") + 1
        assert chunk.start_line <= line <= chunk.end_line
        assert chunk.rendered
        assert not chunk.verbatim


def test_a_syntax_error_is_noted_where_it_stands_in_the_file() -> None:
    text = notebook(code_cell("a = 1\n"), code_cell("é = 'x\\n'\nb = = 2\n"))
    (problem,) = Chunker().parse(text, path="a.ipynb").problems
    assert problem.code == "syntax-error"
    assert text[problem.start : problem.end] in "b = = 2"
    chunks = chunks_of(text, chunk_size=24, context="none")
    noted = {chunk.cell for chunk in chunks if chunk.problems}
    assert noted == {2}


def plain(text: str, value: Value) -> object:
    if value.kind == "object":
        return {name: plain(text, one) for name, one in value.members.items()}
    if value.kind == "array":
        return [plain(text, one) for one in value.items]
    if value.kind == "string":
        return decoded(text, value.start + 1, value.end - 1).text
    return json.loads(text[value.start : value.end])


_VALUES = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), arbitrary_text(40)
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(arbitrary_text(8), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(_VALUES, st.booleans(), st.sampled_from((None, 0, 3)))
def test_json_is_read_as_the_standard_library_reads_it(
    value: object, ascii_only: bool, indent: int | None
) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    assert plain(text, read_json(text)) == json.loads(text)


@given(_VALUES, st.data())
def test_what_is_no_json_is_refused_as_the_standard_library_does(
    value: object, data: st.DataObject
) -> None:
    text = json.dumps([value])
    broken = text[: data.draw(st.integers(0, len(text) - 1))]
    with pytest.raises(JsonError):
        read_json(broken)


@pytest.mark.parametrize(
    "text", ["", "[", "]", "{", '{"a"}', '{"a":}', '{"a":1,}', "[1,]", "[1 2]", "{1:2}", '"a', "1]"]
)
def test_broken_json(text: str) -> None:
    with pytest.raises(JsonError):
        read_json(text)


def test_json_may_be_nested_and_not_without_end() -> None:
    assert read_json("[" * DEEPEST + "]" * DEEPEST).kind == "array"
    with pytest.raises(JsonError):
        read_json("[" * (DEEPEST + 1) + "]" * (DEEPEST + 1))


@given(st.lists(arbitrary_text(30), max_size=4), st.booleans())
def test_strings_one_after_the_other_know_their_places(
    strings: Sequence[str], ascii_only: bool
) -> None:
    text = json.dumps(strings, ensure_ascii=ascii_only)
    found = joined(text, read_json(text))
    assert found.text == "".join(json.loads(text))
    for position, character in enumerate(found.text):
        origin = found.origin(position)
        assert text[origin] in (character, "\\")
