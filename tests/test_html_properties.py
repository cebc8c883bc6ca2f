"""What holds for all pages: held against another parser, hostile ones, any text."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from structchunk_core import Chunk, Chunker
from structchunk_core.formats._html_lines import Line
from structchunk_core.formats._html_tokens import read_attributes
from structchunk_core.formats._html_tree import Node
from tests.browser import visible_words, words_of
from tests.generators import html
from tests.html_pages import RENDERED, shown

# Against another parser


@pytest.mark.parametrize(
    "name", [name for name in RENDERED if name not in {"a formula", "a cut tag"}]
)
def test_the_words_are_those_of_an_html5_parser(name: str) -> None:
    page = f"<!DOCTYPE html><body>{RENDERED[name][0]}"
    own = words_of(shown(page))
    lost = Counter(word.text for word in visible_words(page)) - Counter(own)
    assert not lost


@given(html())
@settings(deadline=None, max_examples=300)
def test_no_visible_character_is_lost(page: str) -> None:
    """Drawings and formulas are left out when they are broken off in front of what hides text."""
    is_foreign = "<svg" in page or "<math" in page
    assume(not is_foreign or not any(f"<{name}" in page for name in _HIDING))
    page = f"<!DOCTYPE html><body>{page}"
    own = Counter("".join(words_of(shown(page))))
    truth = Counter("".join(word.text for word in visible_words(page)))
    assert not truth - own


_HIDING = ("script", "style", "table", "template", "title")


# Hostile pages


HOSTILE = {
    "nested divs": lambda n: "<div>" * n + "x",
    "nested lists": lambda n: "<ul><li>" * n + "x",
    "nested tables": lambda n: "<table><tr><td>" * (n // 4) + "x",
    "nested quotes": lambda n: "<blockquote>a" * (n // 8) + "x",
    "nested hidden spans": lambda n: "<span hidden>a" * n + "</span>" * n + "x",
    "paragraphs closed over and over": lambda n: "<p><object>" + "<div>" * n + "</p>" * n + "x",
    "items below divs": lambda n: "<ul>" + "<div>" * n + "<li></li>" * n + "x",
    "tags that never end": lambda n: "<a x='<a' " * n + "x",
    "quotes in quotes": lambda n: "<a x='<a y=z' w='>' " * n + "x",
    "angles": lambda n: "<" * n + "x",
    "comments": lambda n: "x" + "<!--" * n,
    "titles": lambda n: "<title>" * n + "x",
    "ampersands": lambda n: "&" * n + "&amp" * n + "x",
    "spans of cells": lambda n: (
        "<table>" + "<tr><td rowspan=60000>abc<td colspan=1000>x" * (n // 20)
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_page_is_done_and_keeps_its_words(name: str) -> None:
    page = HOSTILE[name](50_000)
    chunks: list[Chunk] = Chunker(tokenizer="characters", chunk_size=2000).chunk(
        page, path="a.html"
    )
    assert any("x" in chunk.text for chunk in chunks)
    assert sum(len(chunk.text) for chunk in chunks) < 20 * len(page)


def test_what_is_nested_too_deeply_is_noted() -> None:
    page = "<blockquote>" * 40 + "<p>deep</p>"
    (chunk,) = Chunker().chunk(page, path="a.html")
    assert [problem.code for problem in chunk.problems] == ["nested-too-deeply"]
    assert "deep" in chunk.text


@given(st.text(alphabet="<>/!-='\"ab &;#", max_size=60))
@settings(deadline=None)
def test_any_text_is_a_page(page: str) -> None:
    shown(page)
    shown(page, "a.xhtml")


_ATTRIBUTES = st.lists(
    st.sampled_from(
        [
            *(
                ' class="A b"',
                " class",
                " class=x",
                ' class=""',
                " class='p q'",
                ' class="a&amp;b"',
            ),
            *(
                ' id="i"',
                ' data-class="n"',
                " title=' class=\"t\"'",
                ' CLASS="U"',
                "/",
                " ",
                " hidden",
            ),
            *('\n\tclass="w  v"', ' class-x="y"', ' a="b"class="c"', ' x="class="', '"'),
        ]
    ),
    max_size=4,
).map("".join)


@given(_ATTRIBUTES)
@settings(max_examples=400)
def test_classes_are_those_of_the_attributes(source: str) -> None:
    written = read_attributes(source).get("class", "")
    assert Node("p", 0, source).classes == tuple(written.lower().split())


@given(
    st.lists(st.sampled_from(["a", "bc", " ", "  ", "\n", "\n\t", "\u2003", "\xe9"]), max_size=12)
)
def test_running_text_knows_where_each_of_its_characters_comes_from(pieces: list[str]) -> None:
    words = "".join(pieces)
    line = Line()
    line.add(words, 100)
    text = line.text()
    assert text == " ".join(words.split())
    assert line.space is (bool(words) and words[-1].isspace())
    if not text:
        return
    assert line.places[0][0] == 0
    flat = "".join(" " if character.isspace() else character for character in words)
    ends = [*(at for at, _ in line.places[1:]), len(text)]
    for (at, origin), end in zip(line.places, ends, strict=True):
        shown = text[at:end].rstrip(" ")
        assert flat.startswith(shown, origin - 100)
