"""A page as Markdown text, block by block, each block with its place in the source.

The blocks are made while the text is written, so that nothing that only looks like Markdown
becomes structure. What is around a block (an item, a quote) is a frame; it is written, and
becomes a block itself, when the first block in it has something to show.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from structchunk_core.formats._html_lines import Line
from structchunk_core.formats._html_page import (
    ALWAYS_ASKED,
    flat_text,
    formula_of,
    is_admonition,
    is_boilerplate,
    is_control,
    is_entry_list,
    is_hidden,
    is_layout,
    language_of,
    name_of_entry,
)
from structchunk_core.formats._html_table import Cell, Grid, grid_of
from structchunk_core.formats._html_tree import HEADINGS, LINES, Node, Tree
from structchunk_core.formats._html_units import Block, Code, Rows

MAX_DEPTH = 24
"""How many items, quotes and the like may be nested; what is deeper stands in the last of them."""


@dataclass(slots=True)
class Page:
    """What was rendered.

    Attributes:
        text: the Markdown text.
        places: pairs (position in the text, position in the source).
        root: a block around all others.
        title: the text of the ``title`` element, or ``""``.
        first_heading: the text of the only heading of the first level, or ``""``.
        anchors: pairs (position in the text, id of the element that begins there), ascending.
        deep: where elements were nested too deeply, in characters of the source, or -1.
        around: how many characters of the text are around the main text.
        has_surroundings: whether anything was told apart from the main text, or left out.
    """

    text: str = ""
    places: list[tuple[int, int]] = field(default_factory=list)
    root: Block = field(default_factory=lambda: Block("document", atomic=False))
    title: str = ""
    first_heading: str = ""
    anchors: list[tuple[int, str]] = field(default_factory=list)
    deep: int = -1
    around: int = 0
    has_surroundings: bool = False


def render(tree: Tree, text: str, *, labels: bool, strips: bool) -> Page:
    """The page as Markdown.

    Args:
        tree: the elements of the page.
        text: its source.
        labels: whether what surrounds the main text is told apart.
        strips: whether it is left out then.
    """
    return _Renderer(tree, text, labels=labels, strips=strips).page()


@dataclass(slots=True, eq=False)
class _Frame:
    """What is around blocks.

    Attributes:
        block: the block it becomes; None when it only keeps blocks apart.
        prefix: what stands in front of each line in it, frames around it included.
        marker: what stands in front of its first line, frames around it excluded.
        is_written: whether anything in it was.
        sections: the sections that are open in it.
        number: of a numbered list: that of the next item.
        step: what the next one is more.
        style: how its items are numbered.
        has_body: of an item of a definition list: whether its terms are complete.
    """

    block: Block | None
    prefix: str
    marker: str = ""
    is_written: bool = False
    sections: list[Block] = field(default_factory=list)
    number: int = 1
    step: int = 1
    style: str = "1"
    has_body: bool = False


_Leave = Callable[[], None]


def _nothing() -> None:
    return


class _Renderer:
    """One walk over a page, with a stack of its own."""

    def __init__(self, tree: Tree, text: str, *, labels: bool, strips: bool) -> None:
        self._tree = tree
        self._source = text
        self._labels = labels
        self._strips = strips
        self._page = Page()
        self._parts: list[str] = []
        self._length = 0
        self._frames = [_Frame(self._page.root, "", is_written=True)]
        self._line = Line()
        self._flat = 0  # inside a heading or the like, where a block only is white space
        self._main = 0
        self._around = False  # inside what surrounds the main text
        self._figure = 0
        self._figures = 0
        self._is_caption = False
        self._origin = -1  # where in the source the next block begins, when an element begins it
        self._in_cell = False
        self._ids: list[str] = []  # that the next block begins with
        self._path: list[Node] = []

    def page(self) -> Page:
        """All of it."""
        stack: list[tuple[Iterator[Node | tuple[int, int]], _Leave]]
        stack = [(iter(self._tree.root.children), _nothing)]
        source = self._source
        while stack:
            children, leave = stack[-1]
            for child in children:
                if isinstance(child, tuple):
                    start, end = child
                    line = self._line
                    if line.breaks > 1 and not self._flat and not source[start:end].isspace():
                        self._flush()
                        line = self._line
                    line.add(source[start:end], start)
                    continue
                entered = self._enter(child)
                if entered is not None:
                    stack.append((iter(child.children), entered))
                    self._path.append(child)
                    break
            else:
                stack.pop()
                leave()
                if self._path:
                    self._path.pop()
        self._flush()
        page = self._page
        page.text = "".join(self._parts)
        _lift_surroundings(page.root)
        return page

    # Elements

    def _enter(self, node: Node) -> _Leave | None:
        """What to do behind the content of an element; None to pass over it."""
        if node.source or node.name in ALWAYS_ASKED:
            if is_hidden(node) or is_control(node, self._source):
                return None
            self._note_id(node)
        if self._flat:
            return self._enter_flat(node)
        if (
            self._labels
            and not self._around
            and (node.source or node.name in ALWAYS_ASKED)
            and is_boilerplate(
                node,
                in_main=self._main > 0,
                has_main=self._tree.root.has_main,
                first_headings=self._tree.first_headings,
            )
        ):
            self._page.has_surroundings = True
            return None if self._strips else self._surroundings(node)
        return self._handle(node)

    def _handle(self, node: Node) -> _Leave | None:
        name = node.name
        if name in HEADINGS:
            return self._heading(node, HEADINGS[name])
        handler = _HANDLERS.get(name)
        if handler is not None:
            return handler(self, node)
        return self._inline(node) if name in _INLINE_CONTENT else _nothing

    def _enter_flat(self, node: Node) -> _Leave | None:
        name = node.name
        if name in _INLINE_CONTENT:
            return self._inline(node)
        if name == "title":
            return None
        if name in _HANDLERS or name in HEADINGS or name in _CELL_PARTS:
            self._line.space = True
            return self._space
        return _nothing

    def _space(self) -> None:
        self._line.space = True

    def _note_id(self, node: Node) -> None:
        """Let the next block be called by the id of the element that begins it or is in its head."""
        if self._in_cell or (self._line and (not self._flat or self._ids)):
            return
        if "id=" not in node.source and "name=" not in node.source:
            return
        own = node.attributes.get("id") or (
            node.attributes.get("name", "") if node.name == "a" else ""
        )
        if own.strip():
            self._ids.append(own.strip())

    def _inline(self, node: Node) -> _Leave | None:
        """What is not text and stands in a line: an image, a formula, a break, a box to tick."""
        line = self._line
        name = node.name
        if name == "br":
            line.breaks += bool(line) and not self._flat
            line.space = True
        elif name == "img":
            alt = " ".join(node.attributes.get("alt", "").split())
            if alt:
                line.put(f"![{alt}]", node.start)
        elif name == "input":
            if node.attributes.get("type", "").lower() == "checkbox" and not line:
                line.put("[x]" if "checked" in node.attributes else "[ ]", node.start)
                line.space = True
        else:  # a formula
            formula = formula_of(node, self._source)
            if formula:
                mark = "$$" if node.attributes.get("display") == "block" else "$"
                line.put(f"{mark}{formula}{mark}", node.start)
        return None

    def _title(self, node: Node) -> _Leave | None:
        if not self._page.title:
            self._page.title = flat_text(node, self._source, 2000)
        return None

    def _spaced(self, node: Node) -> _Leave:  # noqa: ARG002  # one type for all handlers
        """An element inside a line whose words stand apart from those beside it."""
        self._line.space = True
        return self._space

    def _block(self, node: Node) -> _Leave:
        """An element that only keeps blocks apart."""
        self._flush(node)
        return self._flush

    def _main_part(self, node: Node) -> _Leave:
        """The main part or an article: its headings end with it."""
        self._flush(node)
        self._main += 1
        end_sections = self._sections_end()

        def leave() -> None:
            self._main -= 1
            end_sections()

        return leave

    def _sections_end(self) -> _Leave:
        """Ends the sections that are opened from now on."""
        frame = self._frames[-1]
        count = len(frame.sections)

        def leave() -> None:
            self._flush()
            del frame.sections[count:]

        return leave

    def _surroundings(self, node: Node) -> _Leave | None:
        self._flush(node)
        self._around = True
        start = self._length
        close = self._open(Block("boilerplate", atomic=False, node_type=node.name), "", "")
        inner = self._handle(node)

        def leave() -> None:
            if inner is not None:
                inner()
            close()
            self._around = False
            self._page.around += self._length - start

        if inner is None:
            leave()
            return None
        return leave

    def _heading(self, node: Node, level: int) -> _Leave:
        self._flush(node)
        self._flat += 1

        def leave() -> None:
            self._flat -= 1
            self._end_heading(node, level)

        return leave

    def _end_heading(self, node: Node, level: int) -> None:
        label = self._line.text()
        if not label:
            self._line = Line()
            return
        frame = self._frames[-1]
        while frame.sections and frame.sections[-1].level >= level:
            frame.sections.pop()
        section = Block("section", node_type=node.name, label=label, level=level, atomic=False)
        if level == 1 and not self._around:
            is_only = self._tree.first_headings == 1
            self._page.first_heading = label if is_only else ""
        heading = Block("heading", node_type=node.name, label=label, level=level)
        self._write_line(heading, f"{'#' * level} ", section)
        frame.sections.append(section)

    def _rule(self, node: Node) -> _Leave | None:
        self._flush(node)
        if self._length:
            self._begin(Block("rule", node_type="hr"))
            self._write("---")
        return None

    def _quote(self, node: Node) -> _Leave:
        self._flush(node)
        return self._open(Block("quote", node_type=node.name), "> ", "> ")

    def _division(self, node: Node) -> _Leave:
        self._flush(node)
        if is_admonition(node):
            block = Block("admonition", node_type=node.name, repeats_first=True)
            return self._open(block, "> ", "> ")
        if "role" in node.source and node.attributes.get("role") == "main":
            return self._main_part(node)
        if "role" in node.source and node.attributes.get("role") == "heading":
            level = node.attributes.get("aria-level", "2")
            return self._heading(node, int(level) if level in "123456" and level else 2)
        return self._flush

    def _details(self, node: Node) -> _Leave:
        self._flush(node)
        if node.heading:
            return self._sections_end()
        block = Block("details", node_type="details", repeats_first=True)
        return self._open(block, "", "")

    def _summary(self, node: Node) -> _Leave:
        self._flush(node)
        if node.heading:
            return self._flush
        self._flat += 1

        def leave() -> None:
            self._flat -= 1
            self._write_line(Block("heading", node_type="summary", label=self._line.text()), "")

        return leave

    def _figure_of(self, node: Node) -> _Leave:
        self._flush(node)
        before = self._figure
        self._figures += 1
        self._figure = self._figures

        def leave() -> None:
            self._flush()
            self._figure = before

        return leave

    def _caption(self, node: Node) -> _Leave:
        self._flush(node)
        self._flat += 1

        def leave() -> None:
            self._flat -= 1
            self._is_caption = self._figure > 0
            self._write_line(Block("paragraph", node_type=node.name), "")
            self._is_caption = False

        return leave

    # Lists

    def _list(self, node: Node) -> _Leave:
        """A list; where its items hold headings it only orders the parts of the page."""
        self._flush(node)
        if node.heading:
            return self._sections_end()
        is_numbered = node.name == "ol"
        block = Block(
            "procedure" if is_numbered else "list", node_type=node.name, atomic=is_numbered
        )
        if _kind(self._frames[-1]) in _LISTS:
            self._open(Block("item"), _STRAY, "  ")
        leave = self._open(block, "", "")
        frame = self._frames[-1]
        if frame.block is block and is_numbered:
            attributes = node.attributes
            frame.style = attributes.get("type", "1")
            items = 0
            frame.step = 1
            if "reversed" in attributes:
                items = sum(
                    1 for child in node.children if isinstance(child, Node) and child.name == "li"
                )
                frame.step = -1
            frame.number = _whole(attributes.get("start", ""), items or 1)
        return leave

    def _item(self, node: Node) -> _Leave:
        self._flush(node)
        self._end_stray()
        frame = self._frames[-1]
        if frame.block is None or frame.block.kind not in {"list", "procedure"}:
            return self._flush
        marker = "- "
        if frame.block.kind == "procedure":
            frame.number = _whole(node.attributes.get("value", ""), frame.number)
            marker = _counter(frame.number, frame.style) + " "
            frame.number += frame.step
        return self._open(Block("item", node_type="li"), marker, " " * len(marker))

    def _end_stray(self) -> None:
        """End what stands in a list outside of its items."""
        if self._frames[-1].marker == _STRAY:
            self._frames.pop()

    def _definitions(self, node: Node) -> _Leave:
        self._flush(node)
        if is_entry_list(node):
            for frame in self._frames:
                if frame.block is not None and frame.block.node_type == "entry":
                    frame.block.atomic = False
            return self._open(None, "", "")
        if node.heading:
            return self._sections_end()
        return self._open(Block("definition_list", node_type="dl"), "", "")

    def _term(self, node: Node) -> _Leave:
        self._flush(node)
        self._end_stray()
        frame = self._group_frame()
        if frame is None:
            return self._flush
        self._flat += 1
        is_entry = frame.block is None
        if frame.has_body or not _is_group(self._frames[-1], frame):
            while self._frames[-1] is not frame:
                self._frames.pop()
            frame.has_body = False
            kind = "section" if is_entry else "item"
            block = Block(kind, node_type="entry" if is_entry else "dl", repeats_first=True)
            self._open(block, "", "")

        def leave() -> None:
            self._flat -= 1
            self._end_term(node, is_entry=is_entry)

        return leave

    def _end_term(self, node: Node, *, is_entry: bool) -> None:
        words = self._line.text()
        block = self._frames[-1].block
        if block is None or block.kind not in {"item", "section"}:
            self._flush()  # nested too deeply
            return
        if not words:
            self._line = Line()
            return
        if not is_entry:
            if not block.label and len(words) <= _LONGEST_LABEL:
                block.label = words
            self._write_line(Block("term", node_type="dt", label=words), "")
            return
        if not block.label:
            nested = sum(_is_entry(frame) for frame in self._frames) > 1
            name = name_of_entry(node, self._source, nested=nested)
            block.label = name or words[:_LONGEST_LABEL]
        mark = "" if "`" in words else "`"
        line = self._line
        self._line = Line()
        heading = Block("heading", node_type="dt", label=words)
        self._begin(heading)
        self._put(mark + words + mark, [(at + len(mark), origin) for at, origin in line.places])

    def _definition(self, node: Node) -> _Leave:
        self._flush(node)
        self._end_stray()
        frame = self._group_frame()
        if frame is None:
            return self._flush
        if frame.block is None:
            frame.has_body = True
            return self._flush
        if not _is_group(self._frames[-1], frame):
            self._open(Block("item", node_type="dl"), "", "")
        frame.has_body = True
        return self._open(Block("definition", node_type="dd"), ": ", "  ")

    def _group_frame(self) -> _Frame | None:
        """The definition list whose terms and definitions stand here, or None."""
        for frame in self._frames[-1:-3:-1]:
            if frame.block is None or frame.block.kind == "definition_list":
                return frame
        return None

    # Code and tables

    def _pre(self, node: Node) -> _Leave | None:
        self._flush(node)
        code, places = _code_of(node, self._source)
        if not code.strip():
            return None
        info = language_of(node, reversed(self._path[-4:]))
        mark = "`" * (1 + max((len(run) for run in _BACKTICKS.findall(code)), default=2))
        block = Block("fence", node_type="pre")
        self._begin(block)
        lead = self._frames[-1].prefix
        self._write(f"{mark}{info}\n")
        start = self._length
        self._write(lead)
        self._put(code, places)
        self._write("\n")
        block.code = Code(start, self._length, lead, mark, info)
        self._write(lead + mark)
        return None

    def _table(self, node: Node) -> _Leave | None:
        self._flush(node)
        if is_layout(node):
            return self._sections_end()
        grid = grid_of(node, lambda cell: self._cell(cell))
        if grid.is_empty:
            return None
        block = Block("table", node_type="table")
        self._begin(block)
        self._write_grid(block, grid)
        return None

    def _cell(self, node: Node) -> Cell:
        """The content of a cell or caption on one line."""
        outer = self._line, self._flat
        self._line, self._flat, self._in_cell = Line(), 1, True
        stack = [iter(node.children)]
        leaves: list[_Leave] = [_nothing]
        while stack:
            for child in stack[-1]:
                if isinstance(child, tuple):
                    self._line.add(self._source[child[0] : child[1]], child[0])
                    continue
                if child.name in {"li", "tr"} and self._line:
                    self._line.space = False
                    self._line.put(";", child.start)
                leave = self._enter(child)
                if leave is not None:
                    stack.append(iter(child.children))
                    leaves.append(leave)
                    break
            else:
                stack.pop()
                leaves.pop()()
        line = self._line
        self._line, self._flat = outer
        self._in_cell = False
        text = line.text().replace("\n", " ")
        return Cell(text, tuple(line.places), node.start)

    def _write_grid(self, block: Block, grid: Grid) -> None:
        prefix = self._frames[-1].prefix
        head = block.start
        if grid.caption is not None and grid.caption.text:
            self._put(grid.caption.text, list(grid.caption.places))
            self._write(f"\n{prefix.rstrip()}\n{prefix}")
            head = self._length - len(prefix)
        rows = block.rows = Rows(head)
        self._write("| " + " | ".join(_cell_text(text) for text in grid.header) + " |\n")
        self._write(f"{prefix}|{'|'.join(grid.alignments)}|")
        for row in grid.rows:
            self._write("\n")
            rows.starts.append(self._length)
            self._page.places.append((self._length, row[0].origin))
            self._write(prefix)
            for number, cell in enumerate(row):
                rows.cells.append(self._length if number else rows.starts[-1])
                self._write("| ")
                places = [] if cell.is_repeated else list(cell.places)
                self._put(_cell_text(cell.text), places)
                self._write(" ")
            self._write("|")
        rows.head_end = rows.starts[0] if rows.starts else self._length

    # Writing

    def _flush(self, node: Node | None = None) -> None:
        """End the paragraph; the next block begins with the element."""
        if self._line:
            self._write_line(Block("paragraph", node_type="p"), "")
        elif self._line.breaks or self._line.space:
            self._line = Line()
        if node is None:
            self._origin = -1
        elif self._origin < 0:
            self._origin = node.start

    def _write_line(self, block: Block, marker: str, section: Block | None = None) -> None:
        """Write what was collected as a block, with a marker in front of it."""
        line = self._line
        self._line = Line()
        if not line:
            return
        words = line.text()
        if block.kind == "paragraph" and not marker and _LOOKS_LIKE_MARKDOWN.match(words):
            marker = "\\"
        if self._origin < 0:
            self._origin = line.places[0][1]
        block.is_caption = self._is_caption
        self._begin(block, section)
        self._put(marker + words, [(at + len(marker), origin) for at, origin in line.places])

    def _begin(self, block: Block, section: Block | None = None) -> None:
        """Begin a block on a line of its own, in the frames that are open."""
        top = self._frames[-1]
        if _kind(top) in _LISTS and block.kind != "item":
            self._open(Block("item"), _STRAY, "  ")
        written = max(number for number, frame in enumerate(self._frames) if frame.is_written)
        around = self._frames[written]
        if self._length:
            self._write("\n")
            if not self._is_tight(written, block):
                self._write(around.prefix.rstrip() + "\n")
        start = block.start = self._length
        self._page.places.append((start, max(0, self._origin)))
        self._origin = -1
        for own in self._ids:
            self._page.anchors.append((start, own))
        self._ids.clear()
        lead = around.prefix
        for frame in self._frames[written + 1 :]:
            frame.is_written = True
            lead += "  " if frame.marker == _STRAY else frame.marker
            if frame.block is not None:
                frame.block.start = start
                self._home(frame).append(frame.block)
        self._write(lead)
        block.figure = self._figure
        innermost = self._frames[-1]
        home = (
            innermost.sections[-1].children
            if innermost.sections
            else innermost.block.children
            if innermost.block is not None
            else self._home(innermost)
        )
        if section is not None:
            section.start = start
            section.children.append(block)
            block = section
        home.append(block)

    def _home(self, frame: _Frame) -> list[Block]:
        """Where the block of a frame belongs: in the innermost block or section around it."""
        for around in self._frames[self._frames.index(frame) - 1 :: -1]:
            if around.sections:
                return around.sections[-1].children
            if around.block is not None:
                return around.block.children
        return self._page.root.children

    def _is_tight(self, written: int, block: Block) -> bool:
        """Whether no blank line stands above the block, which goes on in the frame."""
        frame = self._frames[written]
        pending = self._frames[written + 1 :]
        kind = _kind(frame)
        if kind in _LISTS:
            items = frame.block.children if frame.block is not None else []
            return not items or all(child.kind in _LISTS for child in items[-1].children[1:])
        if kind == "item" and pending and frame.block is not None:
            first = _kind(pending[0])
            return first == "definition" or (first in _LISTS and len(frame.block.children) == 1)
        return block.node_type == "dt" and bool(
            frame.block is not None
            and frame.block.children
            and frame.block.children[-1].node_type == "dt"
        )

    def _open(self, block: Block | None, marker: str, indent: str) -> _Leave:
        """Open a frame, unless too many are; what is called then closes it and all in it."""
        depth = len(self._frames)
        if depth > MAX_DEPTH:
            if self._page.deep < 0:
                self._page.deep = self._origin
            return self._flush
        prefix = self._frames[-1].prefix + indent
        self._frames.append(_Frame(block, prefix, marker))

        def leave() -> None:
            self._flush()
            del self._frames[depth:]

        return leave

    def _put(self, words: str, places: list[tuple[int, int]]) -> None:
        """Write text of several lines, each behind the prefix, and note its places."""
        prefix = self._frames[-1].prefix
        noted = self._page.places
        base = self._length
        if places and base + places[0][0] == noted[-1][0]:
            # The block begins with its tag: the text counts from its second character.
            places = [(places[0][0] + 1, places[0][1] + 1), *places[1:]]
        if not prefix or "\n" not in words:
            noted.extend((base + at, origin) for at, origin in places)
            self._write(words)
            return
        begin = number = 0
        while begin <= len(words):
            end = words.find("\n", begin) + 1 or len(words) + 1
            while number < len(places) and places[number][0] < end:
                noted.append((base + places[number][0], places[number][1]))
                number += 1
            self._write(words[begin:end])
            if end > len(words):
                return
            self._write(prefix if words[end : end + 1] != "\n" else prefix.rstrip())
            base = self._length - end
            begin = end

    def _write(self, words: str) -> None:
        self._parts.append(words)
        self._length += len(words)


_STRAY = "\0"  # the marker of what stands in a list outside of its items
_LONGEST_LABEL = 100
_LISTS = frozenset({"definition_list", "list", "procedure"})
_INLINE_CONTENT = frozenset({"br", "img", "input", "math", "script"})
_CELL_PARTS = frozenset({"option", "select", "td", "th", "tr"})
_BACKTICKS = re.compile(r"`{3,}")
_LOOKS_LIKE_MARKDOWN = re.compile(r"#{1,6}(?:\s|$)|>|```|~~~")


def _kind(frame: _Frame) -> str:
    return frame.block.kind if frame.block is not None else ""


def _is_entry(frame: _Frame) -> bool:
    return frame.block is not None and frame.block.node_type == "entry"


def _is_group(frame: _Frame, around: _Frame) -> bool:
    """Whether the frame is one of terms and their definitions, in the list around it."""
    return frame is not around and (_is_entry(frame) or _kind(frame) == "item")


def _cell_text(text: str) -> str:
    return text.replace("|", "\\|")


def _whole(value: str, default: int) -> int:
    value = value.strip()
    digits = value[1:] if value[:1] in {"-", "+"} else value
    return int(value) if digits.isascii() and digits.isdecimal() and len(digits) < 10 else default


def _counter(number: int, style: str) -> str:
    """The mark of a numbered item as a browser shows it, with its dot."""
    if style in {"a", "A"} and 0 < number <= 26:
        return chr(ord(style) + number - 1) + "."
    if style in {"i", "I"} and 0 < number < 4000:
        numeral = "".join(
            digits[number // 10**place % 10]
            for place, digits in reversed(tuple(enumerate(_NUMERALS)))
        )
        return (numeral if style == "I" else numeral.lower()) + "."
    return f"{number}."


_NUMERALS = (
    ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"),
    ("", "X", "XX", "XXX", "XL", "L", "LX", "LXX", "LXXX", "XC"),
    ("", "C", "CC", "CCC", "CD", "D", "DC", "DCC", "DCCC", "CM"),
    ("", "M", "MM", "MMM"),
)


def _code_of(pre: Node, source: str) -> tuple[str, list[tuple[int, int]]]:
    """The preformatted text in an element and its places, without blank lines at its ends."""
    from html import unescape

    parts: list[str] = []
    places: list[tuple[int, int]] = []
    length = 0
    last = "\n"

    def write(words: str, origin: int) -> None:
        nonlocal length, last
        if words:
            places.append((length, origin))
            parts.append(words)
            length += len(words)
            last = words[-1]

    stack: list[tuple[Iterator[Node | tuple[int, int]], str]] = [(iter(pre.children), "")]
    while stack:
        children, behind = stack[-1]
        for child in children:
            if isinstance(child, tuple):
                position, end = child
                if "&" not in source[position:end] and "\r" not in source[position:end]:
                    write(source[position:end], position)
                    continue
                for piece in _CODE_PIECE.finditer(source, position, end):
                    value = piece[0]
                    if value[0] == "&":
                        value = unescape(value).replace("\u00a0", " ")
                    elif value[0] == "\r":
                        value = "\n"
                    write(value, piece.start())
                continue
            if child.name in _NOT_CODE or is_hidden(child) or is_control(child, source):
                continue
            if child.name == "br":
                write("\n", child.start)
                continue
            if child.name == "img":
                write(child.attributes.get("alt", ""), child.start)
                continue
            apart = "\n" if child.name in LINES else " " if child.name in _CELL_PARTS else ""
            if apart and last != "\n" and (apart == "\n" or not last.isspace()):
                write(apart, child.start)
            stack.append((iter(child.children), apart))
            break
        else:
            stack.pop()
            if behind and last != "\n" and (behind == "\n" or not last.isspace()):
                write(behind, places[-1][1])
    return _without_blank_ends("".join(parts), places)


_NOT_CODE = frozenset({"title"})
_CODE_PIECE = re.compile(r"&[^\s&;]{1,32}+;?|\r\n?|[^&\r]++|&")


def _without_blank_ends(
    code: str, places: list[tuple[int, int]]
) -> tuple[str, list[tuple[int, int]]]:
    code = code.rstrip()
    first = _BLANK_LINES.match(code)
    cut = first.end() if first else 0
    shifted = [(max(0, at - cut), origin + max(0, cut - at)) for at, origin in places]
    kept = [place for place in shifted if place[0] < len(code) - cut]
    return code[cut:], kept


_BLANK_LINES = re.compile(r"(?:[^\S\n]*+\n)*+")


def _lift_surroundings(root: Block) -> None:
    """Take what surrounds the main text and stands at the end out of the last section."""
    last = root
    while last.children and last.children[-1].kind == "section" and not last.is_caption:
        if last.children[-1].node_type == "entry":
            break
        last = last.children[-1]
    tail: list[Block] = []
    while last is not root and last.children and last.children[-1].kind == "boilerplate":
        tail.append(last.children.pop())
    root.children.extend(reversed(tail))


_HANDLERS: Mapping[str, Callable[[_Renderer, Node], _Leave | None]] = {
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
        _Renderer._division,
    ),
    **dict.fromkeys(("article", "main"), _Renderer._main_part),
    **dict.fromkeys(("ul", "ol", "menu", "dir"), _Renderer._list),
    **dict.fromkeys(("pre", "listing", "plaintext", "xmp"), _Renderer._pre),
    **dict.fromkeys(("button", "optgroup", "option"), _Renderer._spaced),
    "blockquote": _Renderer._quote,
    "caption": _Renderer._caption,
    "dd": _Renderer._definition,
    "details": _Renderer._details,
    "dl": _Renderer._definitions,
    "dt": _Renderer._term,
    "figcaption": _Renderer._caption,
    "figure": _Renderer._figure_of,
    "hr": _Renderer._rule,
    "li": _Renderer._item,
    "p": _Renderer._block,
    "summary": _Renderer._summary,
    "table": _Renderer._table,
    "td": _Renderer._block,
    "th": _Renderer._block,
    "title": _Renderer._title,
    "tr": _Renderer._block,
}
