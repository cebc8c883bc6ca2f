"""Elements that make the parts of a page: its title, headings, divisions, entries."""

from __future__ import annotations

from functools import partial
from itertools import islice

from structchunk_core.formats._html_page import (
    flat_text,
    is_admonition,
    name_of_member,
    name_of_paragraph,
    whole_number,
)
from structchunk_core.formats._html_tree import HEADINGS, Node
from structchunk_core.formats._html_units import Block
from structchunk_core.formats._html_walk import BELOW_HEADINGS, ENTRY, Leave, Walk

_LONGEST_TITLE = 2000


def page_title(walk: Walk, node: Node) -> Leave | None:
    """The title of the page, which is no part of its text."""
    if not walk.title:
        walk.title = flat_text(node, walk.source, _LONGEST_TITLE)
    return None


def plain_block(walk: Walk, node: Node) -> Leave:
    """An element that only keeps blocks apart."""
    walk.begin(node)
    return walk.flush


def paragraph(walk: Walk, node: Node) -> Leave:
    """A paragraph, which may be the head of an entry: it has an id and begins with a name."""
    walk.begin(node)
    is_plain = "id=" not in node.source or len(walk.writer.frames) > 1
    if is_plain or not _is_entry_head(walk, node):
        return walk.flush
    label = name_of_paragraph(node, walk.source)
    walk.entry = Block(
        "section", node_type=ENTRY, label=label, level=BELOW_HEADINGS, repeats_first=True
    )

    def leave() -> None:
        walk.flush()
        walk.entry = None

    return leave


def _is_entry_head(walk: Walk, node: Node) -> bool:
    """Whether the paragraph is one of several with a name in what they stand in."""
    if not name_of_paragraph(node, walk.source):
        return False
    parent = walk.path[-1] if walk.path else walk.tree.root
    known = walk.parents.get(id(parent))
    if known is None:
        heads = (
            one
            for one in parent.children
            if isinstance(one, Node) and one.name == "p" and "id=" in one.source
        )
        named = (one for one in heads if name_of_paragraph(one, walk.source))
        known = walk.parents[id(parent)] = len(list(islice(named, 2))) > 1
    return known


def main_part(walk: Walk, node: Node) -> Leave:
    """The main part or an article: its headings end with it."""
    walk.begin(node)
    walk.main += 1
    end_sections = walk.end_of_sections()

    def leave() -> None:
        walk.main -= 1
        end_sections()

    return leave


def division(walk: Walk, node: Node) -> Leave:
    """A part of the page without a meaning of its own, unless its attributes give it one."""
    walk.begin(node)
    if not node.source:
        return walk.flush
    if name := name_of_member(node):
        return _member(walk, name)
    if walk.entry is not None and "attr" in node.classes:
        return walk.one_line(partial(_end_signature, walk))
    if is_admonition(node):
        block = Block("admonition", node_type=node.name, repeats_first=True)
        return walk.open(block, "> ", "> ")
    if "role" in node.source:
        role = node.attributes.get("role", "")
        if role == "main":
            return main_part(walk, node)
        if role == "heading":
            level = whole_number(node.attributes.get("aria-level", ""), 2)
            return _begin_heading(walk, node, min(max(level, 1), 6))
    return walk.flush


def _member(walk: Walk, name: str) -> Leave:
    """A part of the page about one function or class, in which those of its members may be."""
    sections = walk.writer.frames[-1].sections
    for section in reversed(sections):
        if section.node_type == ENTRY:
            if not section.atomic:
                break  # nor are those around it
            section.atomic = False  # it holds entries
    while sections and sections[-1].node_type != ENTRY and sections[-1].level > 1:
        sections.pop()  # a heading in what is said of the class or module as a whole
    return walk.begin_entry(name)


def _end_signature(walk: Walk) -> None:
    words = walk.line.text()
    mark = "" if "`" in words else "`"
    if words:
        walk.line.close(mark)
    walk.write(Block("heading", node_type="div"), mark)


def heading(walk: Walk, node: Node) -> Leave:
    """A heading, as its name says which."""
    return _begin_heading(walk, node, HEADINGS[node.name])


def _begin_heading(walk: Walk, node: Node, level: int) -> Leave:
    walk.begin(node)
    return walk.one_line(lambda: _end_heading(walk, node, level))


def _end_heading(walk: Walk, node: Node, level: int) -> None:
    label = walk.line.text()
    if not label:
        return
    sections = walk.writer.frames[-1].sections
    while sections and sections[-1].level >= level:
        sections.pop()
    if level == 1 and not walk.in_surroundings:
        walk.first_headings += 1
        walk.first_heading = label if walk.first_headings == 1 else ""
    section = Block("section", node_type=node.name, label=label, level=level, atomic=False)
    block = Block("heading", node_type=node.name, label=label, level=level)
    walk.write(block, f"{'#' * level} ", section)
    sections.append(section)
