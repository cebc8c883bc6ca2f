"""Elements of a page that stand in a line and are no text, or part words."""

from __future__ import annotations

from structchunk_core.formats._html_page import formula_of, is_switch
from structchunk_core.formats._html_tree import Node
from structchunk_core.formats._html_units import Block
from structchunk_core.formats._html_walk import Leave, Walk

INLINE = ("br", "img", "input", "math", "script")


def inline(walk: Walk, node: Node) -> Leave | None:
    """What is no text and stands in a line: an image, a formula, a break, a box to tick."""
    line = walk.line
    name = node.name
    if name == "br":
        if walk.entry is not None and walk.entry.level and line:
            walk.write(Block("heading", node_type="p"))
            return None
        line.breaks += bool(line) and not walk.flat
        line.space = True
    elif name == "img":
        alt = " ".join(node.attributes.get("alt", "").split())
        if alt:
            line.put(f"![{alt}]", node.start)
    elif name == "input":
        is_box = node.attributes.get("type", "").lower() == "checkbox"
        if is_box and (not line or line.breaks) and not _works_page(walk, node):
            line.put("[x]" if "checked" in node.attributes else "[ ]", node.start)
            line.space = True
    else:
        formula = formula_of(node, walk.source)
        if formula:
            mark = "$$" if node.attributes.get("display") == "block" else "$"
            line.put(f"{mark}{formula}{mark}", node.start)
    return None


def _works_page(walk: Walk, node: Node) -> bool:
    """Whether a box to tick only folds or opens a part of the page; none of an item does."""
    if walk.writer.frames[-1].kind == "item":
        return False
    is_loose = not walk.in_cell and not walk.path  # directly in the body
    return is_switch(node) or (is_loose and "id" in node.attributes)


def spaced(walk: Walk, node: Node) -> Leave:  # noqa: ARG001  # one type for all handlers
    """An element whose words stand apart from those beside it."""
    return walk.apart()
