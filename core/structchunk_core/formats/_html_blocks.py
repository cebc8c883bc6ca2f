"""Elements that make other blocks of a page: rules, quotes, details, figures, code and tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from structchunk_core.formats._html_code import code_of, language_of
from structchunk_core.formats._html_lines import Line
from structchunk_core.formats._html_page import is_layout
from structchunk_core.formats._html_table import Cell, grid_of, make_cell
from structchunk_core.formats._html_tree import Node
from structchunk_core.formats._html_units import Block
from structchunk_core.formats._html_walk import Leave, Walk, nothing

_NEAR = 4  # elements around code that may tell its language
_BACKTICKS = re.compile(r"`{3,}")


def rule(walk: Walk, node: Node) -> Leave | None:
    """A thematic break."""
    walk.begin(node)
    walk.writer.rule()
    return None


def quote(walk: Walk, node: Node) -> Leave:
    """A quote, with the headings in it."""
    walk.begin(node)
    return walk.open(Block("quote", node_type=node.name), "> ", "> ")


def details(walk: Walk, node: Node) -> Leave:
    """What is unfolded under its summary; with headings in it, a part of the page."""
    walk.begin(node)
    if node.heading:
        return walk.end_of_sections()
    return walk.open(Block("details", node_type="details", repeats_first=True), "", "")


def summary(walk: Walk, node: Node) -> Leave:
    """The head of details."""
    walk.begin(node)
    if node.heading:
        return walk.flush
    return walk.one_line(lambda: walk.write(Block("heading", node_type="summary")))


def figure(walk: Walk, node: Node) -> Leave:
    """A figure: its caption belongs to what it shows."""
    walk.begin(node)
    outer = walk.writer.figure
    walk.figures += 1
    walk.writer.figure = walk.figures

    def leave() -> None:
        walk.flush()
        walk.writer.figure = outer

    return leave


def caption(walk: Walk, node: Node) -> Leave:
    """The caption of a figure."""
    walk.begin(node)
    is_caption = walk.writer.figure > 0
    block = Block("paragraph", node_type=node.name, is_caption=is_caption)
    return walk.one_line(lambda: walk.write(block))


def preformatted(walk: Walk, node: Node) -> Leave | None:
    """Preformatted text."""
    walk.begin(node)
    code, places = code_of(node, walk.source)
    if code.strip():
        walk.entry = None
        longest = max((len(run) for run in _BACKTICKS.findall(code)), default=2)
        info = language_of(node, reversed(walk.path[-_NEAR:]))
        walk.writer.code(code, places, info, "`" * (longest + 1))
    return None


def table(walk: Walk, node: Node) -> Leave | None:
    """A table; one that only places things is no table."""
    walk.begin(node)
    if is_layout(node):
        return walk.end_of_sections()
    grid = grid_of(node, partial(_cell, walk))
    if not grid.is_empty:
        walk.entry = None
        walk.writer.table(grid)
        for note in grid.notes:
            walk.writer.note(note)
    return None


def _cell(walk: Walk, node: Node, align: str) -> Cell:
    """The content of a cell or caption on one line."""
    inside = node.children
    if len(inside) == 1 and isinstance(inside[0], tuple):  # as most have
        start, end = inside[0]
        line = Line()
        line.add(walk.source[start:end], start)
        return make_cell(line.text(), tuple(line.places), node.start, align)
    outer, walk.line = walk.line, Line()
    walk.flat += 1
    walk.in_cell = True
    stack: list[tuple[Iterator[Node | tuple[int, int]], Leave]]
    stack = [(iter(node.children), nothing)]
    while stack:
        children, leave = stack[-1]
        for child in children:
            if isinstance(child, tuple):
                walk.line.add(walk.source[child[0] : child[1]], child[0])
                continue
            if child.name in {"li", "tr"} and walk.line:
                walk.line.close(";")
            entered = walk.enter(child)
            if entered is not None:
                stack.append((iter(child.children), entered))
                break
        else:
            stack.pop()
            leave()
    line, walk.line = walk.line, outer
    walk.flat -= 1
    walk.in_cell = False
    return make_cell(line.text(), tuple(line.places), node.start, align)
