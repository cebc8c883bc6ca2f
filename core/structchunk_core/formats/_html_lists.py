"""Elements that make lists of a page: items with their marks, terms with what is said of them."""

from __future__ import annotations

from structchunk_core.formats._html_page import is_entry_list, name_of_entry, whole_number
from structchunk_core.formats._html_tree import Node
from structchunk_core.formats._html_units import Block
from structchunk_core.formats._html_walk import ENTRY, LONGEST_LABEL, Leave, Walk
from structchunk_core.formats._html_writer import Frame


def item_list(walk: Walk, node: Node) -> Leave:
    """A list; where its items hold headings it only orders the parts of the page."""
    walk.begin(node)
    if node.heading:
        return walk.end_of_sections()
    is_numbered = node.name == "ol"
    kind = "procedure" if is_numbered else "list"
    depth = len(walk.writer.frames)
    walk.writer.open_item()
    walk.open(Block(kind, node_type=node.name, atomic=is_numbered), "", "")
    if is_numbered:
        _count(walk.writer.frames[-1], node)

    def leave() -> None:
        walk.flush()
        del walk.writer.frames[depth:]

    return leave


def item(walk: Walk, node: Node) -> Leave:
    """An item with its mark; outside of lists, a block."""
    walk.begin(node)
    _end_stray(walk)
    frame = walk.writer.frames[-1]
    if frame.kind not in {"list", "procedure"}:
        # Its headings end with it; with words above them it is an entry.
        return walk.begin_entry() if node.heading else walk.flush
    marker = "- "
    if frame.kind == "procedure":
        frame.number = whole_number(node.attributes.get("value", ""), frame.number)
        marker = f"{_numeral(frame.number, frame.style)}. "
        frame.number += frame.step
    return walk.open(Block("item", node_type="li", repeats_first=True), marker, " " * len(marker))


def _end_stray(walk: Walk) -> None:
    """End what stands in a list outside of its items."""
    if walk.writer.frames[-1].is_stray:
        walk.writer.frames.pop()


def definitions(walk: Walk, node: Node) -> Leave:
    """A list of terms, or of the entries of a reference, which nest as sections do."""
    walk.begin(node)
    if is_entry_list(node):
        for frame in walk.writer.frames:
            if _is_entry(frame) and frame.block is not None:
                frame.block.atomic = False  # it holds entries
        return walk.open(None, "", "")
    if node.heading:
        return walk.end_of_sections()
    return walk.open(Block("definition_list", node_type="dl"), "", "")


def term(walk: Walk, node: Node) -> Leave:
    """A term or a signature; it begins an item or entry unless it follows another term."""
    walk.begin(node)
    _end_stray(walk)
    frame = _group_frame(walk)
    if frame is None:
        return walk.flush
    frames = walk.writer.frames
    if frame.has_body or frames[-1] is frame:
        while frames[-1] is not frame:
            frames.pop()
        frame.has_body = False
        if frame.block is None:
            entry = Block("section", node_type=ENTRY, repeats_first=True)
            walk.open(entry, "", "")
        else:
            walk.open(Block("item", node_type="dl", repeats_first=True), "", "")
    if frames[-1] is frame:
        return walk.flush  # nested too deeply
    is_entry = frame.block is None
    return walk.one_line(lambda: _end_term(walk, node, is_entry=is_entry))


def _end_term(walk: Walk, node: Node, *, is_entry: bool) -> None:
    words = walk.line.text()
    block = walk.writer.frames[-1].block
    if not words or block is None:
        return
    if not is_entry:
        if not block.label and len(words) <= LONGEST_LABEL:
            block.label = words
        walk.write(Block("term", node_type="dt"))
        return
    if not block.label:
        nested = sum(map(_is_entry, walk.writer.frames)) > 1
        name = name_of_entry(node, walk.source, nested=nested)
        block.label = name or words[:LONGEST_LABEL]
    mark = "" if "`" in words else "`"
    walk.line.close(mark)
    walk.write(Block("heading", node_type="dt"), mark)


def definition(walk: Walk, node: Node) -> Leave:
    """What is said of the terms above."""
    walk.begin(node)
    _end_stray(walk)
    frame = _group_frame(walk)
    if frame is None:
        return walk.flush
    frame.has_body = True
    if frame.block is None:
        return walk.flush
    if walk.writer.frames[-1] is frame:
        walk.open(Block("item", node_type="dl"), "", "")
    return walk.open(Block("definition", node_type="dd"), ": ", "  ")


def _group_frame(walk: Walk) -> Frame | None:
    """The list whose terms and definitions stand here, or None."""
    for frame in walk.writer.frames[:-3:-1]:
        if frame.block is None or frame.kind == "definition_list":
            return frame
    return None


def _is_entry(frame: Frame) -> bool:
    return frame.block is not None and frame.block.node_type == ENTRY


def _count(frame: Frame, node: Node) -> None:
    """Let a numbered list count as its attributes say."""
    attributes = node.attributes
    frame.style = attributes.get("type", "1")
    first = 1
    if "reversed" in attributes:
        frame.step = -1
        first = sum(1 for one in node.children if isinstance(one, Node) and one.name == "li")
    frame.number = whole_number(attributes.get("start", ""), first)


_ROMAN = (
    ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"),
    ("", "X", "XX", "XXX", "XL", "L", "LX", "LXX", "LXXX", "XC"),
    ("", "C", "CC", "CCC", "CD", "D", "DC", "DCC", "DCCC", "CM"),
    ("", "M", "MM", "MMM"),
)


def _numeral(number: int, style: str) -> str:
    """The number of an item as a browser shows it."""
    if style in {"a", "A"} and 0 < number <= 26:
        return chr(ord(style) + number - 1)
    if style in {"i", "I"} and 0 < number < 4000:
        numeral = "".join(
            digits[number // 10**place % 10] for place, digits in reversed(tuple(enumerate(_ROMAN)))
        )
        return numeral if style == "I" else numeral.lower()
    return str(number)
