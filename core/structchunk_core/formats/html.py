"""HTML: pages rendered as Markdown, with spans of the source.

The tags and the tree follow the HTML standard's rules for parsing, broken pages included; the
tree is rendered block by block, and units are made of the blocks. (tree-sitter-html, which is
exact as well, takes time that grows with the square of the nesting, and loses words behind a
bare ``<``.)
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from structchunk_core.errors import Problem
from structchunk_core.formats import ParseOptions
from structchunk_core.formats._html_render import Page, render
from structchunk_core.formats._html_tree import read_tree
from structchunk_core.formats._html_units import Siblings
from structchunk_core.formats._html_writer import MAX_DEPTH
from structchunk_core.rendering import Rendering
from structchunk_core.source import Source
from structchunk_core.unit import Facts, Parsed, Unit


def parse(source: Source, options: ParseOptions) -> Parsed:
    """The unit tree of a page, over its rendering as Markdown.

    What a browser shows is in the rendering, and nothing else: the title and description of a page
    situate what it shows and are no text of it, so that a page that shows nothing (an application
    before its scripts run, a redirection) has no chunks. Sections follow the headings
    wherever they stand; navigation, headers and footers are units of the kind ``boilerplate``,
    or left out with ``strip_boilerplate``.
    """
    page = _page_of(source, options)
    text = page.text
    root = Unit("document", 0, len(text), atomic=False, node_type="document")
    if page.root.children:
        root = Unit(
            "document",
            0,
            len(text),
            atomic=False,
            opener=Siblings(text, page.root.children, len(text), options),
            node_type="document",
        )
    return Parsed(
        root,
        _problems(page),
        _title(page),
        Facts(anchor=lambda start, _end: _anchor(page.anchors, start)),
        Rendering(text, page.places, len(source.text)),
    )


_LITTLE = 200  # characters of main text that a page must have beside what surrounds it
_MUCH = 10  # or a part of all its text that is larger than this


def _page_of(source: Source, options: ParseOptions) -> Page:
    """The rendered page; nothing surrounds the main text of a page that has nearly none."""
    text = source.text
    is_xml = source.path.lower().endswith((".xhtml", ".xht")) or text.lstrip("\ufeff")[
        :100
    ].lstrip().startswith("<?xml")
    tree = read_tree(text, is_xml=is_xml)
    page = render(tree, text, labels=True, strips=options.strip_boilerplate)
    main = len(page.text) - page.around
    if page.has_surroundings and main < _LITTLE:
        whole = render(tree, text, labels=False, strips=False)
        if main * _MUCH < len(whole.text):
            return whole
    return page


def _problems(page: Page) -> tuple[Problem, ...]:
    if page.deep < 0:
        return ()
    message = f"lists and quotes nested deeper than {MAX_DEPTH} levels are not told apart"
    return (Problem("nested-too-deeply", message, page.deep, page.deep + 1),)


_SEPARATORS = " \u2014\u2013-|\u00b7\u2022:\u00bb\u203a\u00ab/"


def _title(page: Page) -> str:
    """The title, without the main heading in it, which the path repeats."""
    title, heading = page.title, page.first_heading
    if not heading:
        return title
    at = title.find(heading)
    if at < 0:
        return title
    before, behind = title[:at].strip(_SEPARATORS), title[at + len(heading) :]
    is_word = title[at - 1 : at].isalnum() or behind[:1].isalnum()
    if is_word or (before and behind.strip(_SEPARATORS)):
        return title
    return before or behind.strip(_SEPARATORS) or heading


def _anchor(anchors: Sequence[tuple[int, str]], start: int) -> str:
    number = bisect_right(anchors, start, key=lambda anchor: anchor[0])
    return anchors[number - 1][1] if number else ""
