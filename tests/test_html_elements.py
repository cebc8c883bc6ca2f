"""How each element of a page is rendered, and how its tags and attributes are read."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from structchunk_core.formats._html_tokens import START, TEXT, read_attributes, tokens
from tests.generators import html
from tests.html_pages import RENDERED, shown


@pytest.mark.parametrize("name", RENDERED)
def test_an_element_is_rendered(name: str) -> None:
    page, expected = RENDERED[name]
    assert shown(page) == expected


def test_xhtml_closes_elements_in_their_own_tag() -> None:
    page = "<?xml version='1.0'?><html><body><a id='x'/><p>a</p><script src='x'/><p>b</p></body>"
    assert shown(page, "a.xhtml") == "a\n\nb"
    assert shown("<p><![CDATA[a < b]]></p>", "a.xhtml") == "a < b"


def test_attributes_are_read_as_the_standard_says() -> None:
    assert dict(read_attributes(" a=1 B='2 &amp; 3' c = \"4>\" d a=5 e=x'y / f")) == {
        "a": "1",
        "b": "2 & 3",
        "c": "4>",
        "d": "",
        "e": "x'y",
        "f": "",
    }


@given(html())
@settings(deadline=None)
def test_tokens_are_in_order_and_inside_the_text(page: str) -> None:
    position = 0
    for begin, start, end, kind, name, attributes in tokens(page):
        assert position <= begin <= start <= end <= len(page)
        assert (kind == TEXT) == (name == "")
        if kind == START:
            assert page[start + 1 : start + 1 + len(name)].lower() == name
            assert attributes in page[start:end]
        position = end
