"""Every promise of the design as a property of generated documents, for every format."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structchunk_core import Chunker
from tests.generators import (
    FRAGMENTS,
    arbitrary_text,
    chunkers,
    code,
    delimited,
    html,
    json_lines,
    json_text,
    markdown,
    rst,
    toml_text,
    xml_text,
    yaml_text,
)
from tests.promises import check_nothing_that_fits_is_cut, check_promises

PATHS: Mapping[str, tuple[str, st.SearchStrategy[str]]] = {
    **{language: (f"src/some/file.{language}", code(language)) for language in FRAGMENTS},
    "markdown": ("docs/a guide.md", markdown()),
    "mdx": ("docs/page.mdx", markdown()),
    "rst": ("docs/page.rst", rst()),
    "delimited": ("data/table.csv", delimited()),
    "tsv": ("data/table.tsv", delimited()),
    "text": ("notes.txt", arbitrary_text()),
    "prose": ("README", markdown()),
    "nameless": ("", st.one_of(arbitrary_text(), markdown(), delimited())),
    "page": ("page.html", html()),
    "xhtml": ("page.xhtml", html()),
    "vue": ("App.vue", html()),
    "svelte": ("App.svelte", html()),
    "astro": ("page.astro", html()),
    "json": ("data/file.json", json_text()),
    "jsonc": ("data/file.jsonc", json_text()),
    "jsonl": ("data/file.jsonl", json_lines()),
    "yaml": ("data/file.yaml", yaml_text()),
    "toml": ("data/file.toml", toml_text()),
    "xml": ("data/file.xml", xml_text()),
}


def keep(text: str, path: str, chunker: Chunker, language: str | None) -> None:
    chunks = chunker.chunk(text, path=path, language=language)
    parsed = chunker.parse(text, path=path, language=language)
    if parsed.rendering is not None and not parsed.rendering.text.strip():
        assert chunks == []  # a page that shows nothing
        return
    check_promises(text, chunks, chunker)
    check_nothing_that_fits_is_cut(text, chunks, chunker, parsed)
    again = chunker.chunk(text, path=path, language=language)
    assert again == chunks


@pytest.mark.parametrize("name", PATHS)
def test_the_promises_hold_for_generated_documents(name: str) -> None:
    path, documents = PATHS[name]
    language = name if name in FRAGMENTS else None

    @settings(deadline=None)
    @given(documents, chunkers())
    def holds(text: str, chunker: Chunker) -> None:
        keep(text, path, chunker, language)

    holds()


@pytest.mark.parametrize(
    "name",
    ["python", "markdown", "rst", "delimited", "text", "page", "json", "yaml", "toml", "xml"],
)
def test_the_promises_hold_for_any_text_given_as_any_format(name: str) -> None:
    path, _ = PATHS[name]
    language = name if name in FRAGMENTS else None

    @settings(deadline=None)
    @given(arbitrary_text(), chunkers())
    def holds(text: str, chunker: Chunker) -> None:
        keep(text, path, chunker, language)

    holds()


QUOTED_IN_AN_ITEM = (
    "- item\n\n  ```js\n  1. \"\t'''<b>for i in y: }, '''\"é\n          1. é\n"
    '  -word é}*/<b>``x``é)"``x``/*\n  ```\n'
)


@pytest.mark.parametrize(
    ("path", "text", "size"),
    [
        ("page.rst", '.. code-block:: python\n\n "' + "word " * 35 + '"\n', 200),
        ("page.rst", ".. code:: c\n\n  t foo_fnubar(char *);", 33),
        ("page.md", QUOTED_IN_AN_ITEM, 46),
    ],
)
def test_parts_that_repeat_more_than_the_first_keep_the_limit(
    path: str, text: str, size: int
) -> None:
    chunker = Chunker(chunk_size=size, tokenizer="characters", context="none")
    keep(text, path, chunker, None)


def test_a_part_without_the_head_that_is_said_to_be_omitted() -> None:
    chunker = Chunker(chunk_size=46, tokenizer="characters", granularity="packed", context="none")
    chunks = chunker.chunk(QUOTED_IN_AN_ITEM, path="page.md")
    codes = [[problem.code for problem in chunk.problems] for chunk in chunks]
    assert ["head-omitted"] in codes
    for chunk, found in zip(chunks, codes, strict=True):
        assert ("item" in chunk.text) == (not found)
