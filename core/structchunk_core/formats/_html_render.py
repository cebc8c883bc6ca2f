"""A page as Markdown text, block by block, each block with its place in the source.

The blocks are made while the text is written, so that nothing that only looks like Markdown
becomes structure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from structchunk_core.formats._html_blocks import (
    caption,
    details,
    figure,
    preformatted,
    quote,
    rule,
    summary,
    table,
)
from structchunk_core.formats._html_inline import INLINE, inline, spaced
from structchunk_core.formats._html_lines import Places
from structchunk_core.formats._html_lists import definition, definitions, item, item_list, term
from structchunk_core.formats._html_sections import (
    division,
    heading,
    main_part,
    page_title,
    paragraph,
    plain_block,
)
from structchunk_core.formats._html_tree import HEADINGS, Tree
from structchunk_core.formats._html_units import Block
from structchunk_core.formats._html_walk import Handler, Walk


@dataclass(frozen=True, slots=True)
class Page:
    """What was rendered.

    Attributes:
        text: the Markdown text.
        places: where its pieces come from.
        root: a block around all others.
        title: the text of the ``title`` element, or ``""``.
        first_heading: the text of the only heading of the first level, or ``""``.
        anchors: pairs (position in the text, id of the element that begins there), ascending.
        deep: where elements were nested too deeply, in characters of the source, or -1.
        around: how many characters of the text surround the main text.
        has_surroundings: whether anything was told apart from the main text, or left out.
    """

    text: str
    places: Places
    root: Block
    title: str
    first_heading: str
    anchors: list[tuple[int, str]]
    deep: int
    around: int
    has_surroundings: bool


def render(tree: Tree, text: str, *, labels: bool, strips: bool) -> Page:
    """The page as Markdown.

    Args:
        tree: the elements of the page.
        text: its source.
        labels: whether what surrounds the main text is told apart.
        strips: whether it is left out then.
    """
    walk = Walk(tree, text, _HANDLERS, frozenset(INLINE), labels=labels, strips=strips)
    walk.run()
    writer = walk.writer
    _lift_surroundings(writer.root)
    return Page(
        writer.text(),
        writer.places,
        writer.root,
        walk.title,
        walk.first_heading,
        writer.anchors,
        writer.deep,
        walk.around,
        walk.has_surroundings,
    )


def _lift_surroundings(root: Block) -> None:
    """Take what surrounds the main text and stands at the end of a section out of it."""
    lifted: list[Block] = []
    for block in root.children:
        lifted.append(block)
        last = block
        while last.kind == "section" and last.children[-1].kind == "section":
            last = last.children[-1]
        tail: list[Block] = []
        while last.kind == "section" and last.children[-1].kind == "boilerplate":
            tail.append(last.children.pop())
        lifted.extend(reversed(tail))
    root.children[:] = lifted


_HANDLERS: Mapping[str, Handler] = {
    **dict.fromkeys(HEADINGS, heading),
    **dict.fromkeys(INLINE, inline),
    **dict.fromkeys(
        (
            "address",
            "aside",
            "center",
            "dialog",
            "div",
            "fieldset",
            "footer",
            "form",
            "header",
            "hgroup",
            "legend",
            "nav",
            "noscript",
            "search",
            "section",
            "select",
            "textarea",
        ),
        division,
    ),
    **dict.fromkeys(("article", "main"), main_part),
    **dict.fromkeys(("button", "label", "optgroup", "option"), spaced),
    **dict.fromkeys(("caption", "figcaption"), caption),
    **dict.fromkeys(("dir", "menu", "ol", "ul"), item_list),
    **dict.fromkeys(("listing", "plaintext", "pre", "xmp"), preformatted),
    **dict.fromkeys(("td", "th", "tr"), plain_block),
    "blockquote": quote,
    "dd": definition,
    "details": details,
    "dl": definitions,
    "dt": term,
    "figure": figure,
    "hr": rule,
    "li": item,
    "p": paragraph,
    "summary": summary,
    "table": table,
    "title": page_title,
}
