"""A page as Markdown text, block by block, each block with its place in the source.

The blocks are made while the text is written, so that nothing that only looks like Markdown
becomes structure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from structchunk_core.formats._html_code import code_of, language_of
from structchunk_core.formats._html_lines import Line, Places
from structchunk_core.formats._html_page import (
    ALWAYS_ASKED,
    flat_text,
    formula_of,
    is_admonition,
    is_boilerplate,
    is_control,
    is_entry_list,
    is_hidden,
    is_inert,
    is_layout,
    is_switch,
    name_of_entry,
    name_of_member,
    name_of_paragraph,
    parts_words,
)
from structchunk_core.formats._html_table import Cell, grid_of, make_cell
from structchunk_core.formats._html_tree import HEADINGS, Node, Tree
from structchunk_core.formats._html_units import Block
from structchunk_core.formats._html_writer import Frame, Writer


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
    return _Renderer(tree, text, labels=labels, strips=strips).page()


_Leave = Callable[[], None]
"""What to do behind the content of an element."""


def _nothing() -> None:
    return


class _Renderer:
    """One walk over a page, with a stack of its own.

    The methods that take a node are the handlers of elements: called in front of the content,
    they return what to do behind it, or None when the content is not to be walked over.
    """

    def __init__(self, tree: Tree, text: str, *, labels: bool, strips: bool) -> None:
        self._tree = tree
        self._source = text
        self._labels = labels
        self._strips = strips
        self._writer = Writer()
        self._line = Line()
        self._flat = 0  # inside a heading or the like, where a block only is white space
        self._in_cell = False
        self._main = 0  # how many main parts and articles are around
        self._in_surroundings = False
        self._has_surroundings = False
        self._around = 0
        self._figures = 0
        self._title = ""
        self._first_heading = ""
        self._first_headings = 0  # of the main text
        self._path: list[Node] = []  # the elements around
        self._entry: Block | None = None  # that the next line opens
        self._entry_depth = 0  # how many elements are around the entries that are open
        self._inert: dict[str, bool] = {}  # name and attributes of elements
        self._parents: dict[int, bool] = {}  # elements, and whether paragraphs in them are entries

    def page(self) -> Page:
        """All of it."""
        stack: list[tuple[Iterator[Node | tuple[int, int]], _Leave]]
        stack = [(iter(self._tree.root.children), _nothing)]
        source = self._source
        path = self._path
        behind = 0
        while stack:
            children, leave = stack[-1]
            for child in children:
                if isinstance(child, tuple):
                    start, end = child
                    words = source[start:end]
                    line = self._line
                    if words.isspace():
                        line.space = True
                    elif not line.parts:
                        line.add(words, start)
                    else:
                        if line.breaks > 1:
                            self.flush()  # an empty line parts paragraphs
                            line = self._line
                        elif not line.space and parts_words(source, behind, start):
                            line.space = True
                        line.add(words, start)
                    behind = end
                    continue
                entered = self._enter(child)
                if entered is not None:
                    stack.append((iter(child.children), entered))
                    path.append(child)
                    break
            else:
                stack.pop()
                leave()
                if path:
                    path.pop()
        self.flush()
        writer = self._writer
        _lift_surroundings(writer.root)
        return Page(
            writer.text(),
            writer.places,
            writer.root,
            self._title,
            self._first_heading,
            writer.anchors,
            writer.deep,
            self._around,
            self._has_surroundings,
        )

    def flush(self) -> None:
        """End the paragraph."""
        line = self._line
        if line.parts:
            words = line.text()
            is_mark = words[:1] in _MARKS and _LOOKS_LIKE_MARKDOWN.match(words) is not None
            self._write(Block("paragraph", node_type="p"), "\\" if is_mark else "")
        else:
            line.space = False
            line.breaks = 0
        self._writer.origin = -1

    def _begin(self, node: Node) -> None:
        """End the paragraph; the next block begins with the element, if not with one around it."""
        if self._line.parts:
            self.flush()
        if self._entry_depth > len(self._path):
            self._end_entries()
        if self._writer.origin < 0:
            self._writer.origin = node.start

    def _write(self, block: Block, marker: str = "", section: Block | None = None) -> None:
        """Write what was collected as a block."""
        line, self._line = self._line, Line()
        if self._entry_depth > len(self._path):
            self._end_entries()
        if self._entry is None or not line:
            self._writer.line(line, block, marker, section)
            return
        entry, self._entry = self._entry, None
        if section is not None:  # it begins with a heading, which is its name
            self._writer.line(line, block, marker, section)
            return
        self._end_entries()
        if entry.level:
            self._entry_depth = len(self._path) - 1
        entry.label = entry.label or _shortened(line.text())
        self._writer.line(line, block, marker, entry)
        self._writer.frames[-1].sections.append(entry)

    def _end_entries(self) -> None:
        """End the entry that a paragraph has opened: behind what it stands in, or at the next."""
        self._entry_depth = 0
        sections = self._writer.frames[-1].sections
        if sections and sections[-1].level == _BELOW_HEADINGS:
            sections.pop()

    # Any element

    def _enter(self, node: Node) -> _Leave | None:
        if (node.source or node.name in ALWAYS_ASKED) and not self._is_inert(node):
            if is_hidden(node) or is_control(node, self._source):
                return None
            self._note_id(node)
            if not self._flat and self._surrounds(node):
                self._has_surroundings = True
                return None if self._strips else self._surroundings(node)
        if self._flat:
            return self._flattened(node)
        return self._handle(node)

    def _is_inert(self, node: Node) -> bool:
        """Whether its attributes say nothing; remembered, since most of a page are alike."""
        key = node.name + node.source
        known = self._inert.get(key)
        if known is None:
            known = is_inert(node)
            if "href" not in key and len(self._inert) < _MOST_KNOWN:
                self._inert[key] = known
        return known

    def _handle(self, node: Node) -> _Leave | None:
        name = node.name
        if name in HEADINGS:
            return self._heading(node, HEADINGS[name])
        handler = _HANDLERS.get(name)
        if handler is not None:
            return handler(self, node)
        return self._inline(node) if name in _INLINE_CONTENT else _nothing

    def _flattened(self, node: Node) -> _Leave | None:
        """An element in a heading, a cell or the like."""
        name = node.name
        if name in _INLINE_CONTENT:
            return self._inline(node)
        if name == "title":
            return None
        return self.spaced(node) if name in _HANDLERS or name in HEADINGS else _nothing

    def _note_id(self, node: Node) -> None:
        """Let the next block be called by the id of an element that begins it or is in its head."""
        source = node.source
        ids = self._writer.ids
        if ("id=" not in source and "name=" not in source) or self._in_cell:
            return
        if self._line and (not self._flat or ids):
            return
        own = node.attributes.get("id") or (node.name == "a" and node.attributes.get("name")) or ""
        if own.strip():
            ids.append(own.strip())

    def _surrounds(self, node: Node) -> bool:
        return (
            self._labels
            and not self._in_surroundings
            and is_boilerplate(
                node,
                in_main=self._main > 0,
                has_main=self._tree.root.has_main,
                first_headings=self._tree.first_headings,
            )
        )

    def _surroundings(self, node: Node) -> _Leave | None:
        self._begin(node)
        self._in_surroundings = True
        start = self._writer.length
        close = self._open(Block("boilerplate", atomic=False, node_type=node.name), "", "")
        inner = self._handle(node)

        def leave() -> None:
            if inner is not None:
                inner()
            close()
            self._in_surroundings = False
            self._around += self._writer.length - start

        if inner is None:
            leave()
            return None
        return leave

    def _open(self, block: Block | None, marker: str, indent: str) -> _Leave:
        """Open a frame; what is returned closes it and all in it."""
        depth = self._writer.open(block, marker, indent)

        def leave() -> None:
            self.flush()
            del self._writer.frames[depth:]

        return leave

    def _end_of_sections(self) -> _Leave:
        """What ends the sections that are opened from now on."""
        frame = self._writer.frames[-1]
        count = len(frame.sections)

        def leave() -> None:
            self.flush()
            del frame.sections[count:]

        return leave

    def _one_line(self, end: _Leave) -> _Leave:
        """Collect the content on one line; what is returned calls ``end`` with it collected."""
        self._flat += 1

        def leave() -> None:
            self._flat -= 1
            self._line.breaks = 0
            end()
            self._line.space = False
            self._writer.origin = -1

        return leave

    # Inside a line

    def _inline(self, node: Node) -> _Leave | None:
        """What is no text and stands in a line: an image, a formula, a break, a box to tick."""
        line = self._line
        name = node.name
        if name == "br":
            if self._entry is not None and self._entry.level and line:
                self._write(Block("heading", node_type="p"))
                return None
            line.breaks += bool(line) and not self._flat
            line.space = True
        elif name == "img":
            alt = " ".join(node.attributes.get("alt", "").split())
            if alt:
                line.put(f"![{alt}]", node.start)
        elif name == "input":
            is_box = node.attributes.get("type", "").lower() == "checkbox"
            if is_box and (not line or line.breaks) and not self._works_page(node):
                line.put("[x]" if "checked" in node.attributes else "[ ]", node.start)
                line.space = True
        else:
            formula = formula_of(node, self._source)
            if formula:
                mark = "$$" if node.attributes.get("display") == "block" else "$"
                line.put(f"{mark}{formula}{mark}", node.start)
        return None

    def _works_page(self, node: Node) -> bool:
        """Whether a box to tick only folds or opens a part of the page; none of an item does."""
        if self._writer.frames[-1].kind == "item":
            return False
        is_loose = not self._in_cell and not self._path  # directly in the body
        return is_switch(node) or (is_loose and "id" in node.attributes)

    def spaced(self, node: Node) -> _Leave:  # noqa: ARG002  # one type for all handlers
        """An element whose words stand apart from those beside it."""
        self._line.space = True
        return self._space

    def _space(self) -> None:
        self._line.space = True

    # Parts of the page

    def title(self, node: Node) -> _Leave | None:
        """The title of the page, which is no part of its text."""
        if not self._title:
            self._title = flat_text(node, self._source, _LONGEST_TITLE)
        return None

    def block(self, node: Node) -> _Leave:
        """An element that only keeps blocks apart."""
        self._begin(node)
        return self.flush

    def paragraph(self, node: Node) -> _Leave:
        """A paragraph, which may be the head of an entry: it has an id and begins with a name."""
        self._begin(node)
        is_plain = "id=" not in node.source or len(self._writer.frames) > 1
        if is_plain or not self._is_entry_head(node):
            return self.flush
        label = name_of_paragraph(node, self._source)
        self._entry = Block(
            "section", node_type=_ENTRY, label=label, level=_BELOW_HEADINGS, repeats_first=True
        )

        def leave() -> None:
            self.flush()
            self._entry = None

        return leave

    def _is_entry_head(self, node: Node) -> bool:
        """Whether the paragraph is one of several with a name in what they stand in."""
        if not name_of_paragraph(node, self._source):
            return False
        parent = self._path[-1] if self._path else self._tree.root
        known = self._parents.get(id(parent))
        if known is None:
            heads = (
                one
                for one in parent.children
                if isinstance(one, Node) and one.name == "p" and "id=" in one.source
            )
            named = (one for one in heads if name_of_paragraph(one, self._source))
            known = self._parents[id(parent)] = len(list(islice(named, 2))) > 1
        return known

    def main_part(self, node: Node) -> _Leave:
        """The main part or an article: its headings end with it."""
        self._begin(node)
        self._main += 1
        end_sections = self._end_of_sections()

        def leave() -> None:
            self._main -= 1
            end_sections()

        return leave

    def division(self, node: Node) -> _Leave:
        """A part of the page without a meaning of its own, unless its attributes give it one."""
        self._begin(node)
        if not node.source:
            return self.flush
        if name := name_of_member(node):
            return self._member(name)
        if self._entry is not None and "attr" in node.classes:
            return self._one_line(self._end_signature)
        if is_admonition(node):
            block = Block("admonition", node_type=node.name, repeats_first=True)
            return self._open(block, "> ", "> ")
        if "role" in node.source:
            role = node.attributes.get("role", "")
            if role == "main":
                return self.main_part(node)
            if role == "heading":
                level = _whole(node.attributes.get("aria-level", ""), 2)
                return self._heading(node, min(max(level, 1), 6))
        return self.flush

    def _member(self, name: str) -> _Leave:
        """A part of the page about one function or class, in which those of its members may be."""
        sections = self._writer.frames[-1].sections
        for section in reversed(sections):
            if section.node_type == _ENTRY:
                if not section.atomic:
                    break  # nor are those around it
                section.atomic = False  # it holds entries
        while sections and sections[-1].node_type != _ENTRY and sections[-1].level > 1:
            sections.pop()  # a heading in what is said of the class or module as a whole
        self._entry = Block("section", node_type=_ENTRY, label=name, repeats_first=True)
        end_sections = self._end_of_sections()

        def leave() -> None:
            end_sections()
            self._entry = None

        return leave

    def _end_signature(self) -> None:
        words = self._line.text()
        mark = "" if "`" in words else "`"
        if words:
            self._line.close(mark)
        self._write(Block("heading", node_type="div"), mark)

    def _heading(self, node: Node, level: int) -> _Leave:
        self._begin(node)
        return self._one_line(lambda: self._end_heading(node, level))

    def _end_heading(self, node: Node, level: int) -> None:
        label = self._line.text()
        if not label:
            return
        sections = self._writer.frames[-1].sections
        while sections and sections[-1].level >= level:
            sections.pop()
        if level == 1 and not self._in_surroundings:
            self._first_headings += 1
            self._first_heading = label if self._first_headings == 1 else ""
        section = Block("section", node_type=node.name, label=label, level=level, atomic=False)
        heading = Block("heading", node_type=node.name, label=label, level=level)
        self._write(heading, f"{'#' * level} ", section)
        sections.append(section)

    def rule(self, node: Node) -> _Leave | None:
        """A thematic break."""
        self._begin(node)
        self._writer.rule()
        return None

    def quote(self, node: Node) -> _Leave:
        """A quote, with the headings in it."""
        self._begin(node)
        return self._open(Block("quote", node_type=node.name), "> ", "> ")

    def details(self, node: Node) -> _Leave:
        """What is unfolded under its summary; with headings in it, a part of the page."""
        self._begin(node)
        if node.heading:
            return self._end_of_sections()
        return self._open(Block("details", node_type="details", repeats_first=True), "", "")

    def summary(self, node: Node) -> _Leave:
        """The head of details."""
        self._begin(node)
        if node.heading:
            return self.flush
        return self._one_line(lambda: self._write(Block("heading", node_type="summary")))

    def figure(self, node: Node) -> _Leave:
        """A figure: its caption belongs to what it shows."""
        self._begin(node)
        outer = self._writer.figure
        self._figures += 1
        self._writer.figure = self._figures

        def leave() -> None:
            self.flush()
            self._writer.figure = outer

        return leave

    def caption(self, node: Node) -> _Leave:
        """The caption of a figure."""
        self._begin(node)
        is_caption = self._writer.figure > 0
        block = Block("paragraph", node_type=node.name, is_caption=is_caption)
        return self._one_line(lambda: self._write(block))

    # Lists

    def item_list(self, node: Node) -> _Leave:
        """A list; where its items hold headings it only orders the parts of the page."""
        self._begin(node)
        if node.heading:
            return self._end_of_sections()
        is_numbered = node.name == "ol"
        kind = "procedure" if is_numbered else "list"
        depth = len(self._writer.frames)
        self._writer.open_item()
        self._open(Block(kind, node_type=node.name, atomic=is_numbered), "", "")
        if is_numbered:
            _count(self._writer.frames[-1], node)

        def leave() -> None:
            self.flush()
            del self._writer.frames[depth:]

        return leave

    def item(self, node: Node) -> _Leave:
        """An item with its mark; outside of lists, a block."""
        self._begin(node)
        self._end_stray()
        frame = self._writer.frames[-1]
        if frame.kind not in {"list", "procedure"}:
            return self._part_of_page() if node.heading else self.flush
        marker = "- "
        if frame.kind == "procedure":
            frame.number = _whole(node.attributes.get("value", ""), frame.number)
            marker = f"{_numeral(frame.number, frame.style)}. "
            frame.number += frame.step
        return self._open(
            Block("item", node_type="li", repeats_first=True), marker, " " * len(marker)
        )

    def _part_of_page(self) -> _Leave:
        """An item with headings: they end with it; with words above them it is an entry."""
        self._entry = Block("section", node_type=_ENTRY, repeats_first=True)
        end_sections = self._end_of_sections()

        def leave() -> None:
            end_sections()
            self._entry = None

        return leave

    def _end_stray(self) -> None:
        """End what stands in a list outside of its items."""
        if self._writer.frames[-1].is_stray:
            self._writer.frames.pop()

    def definitions(self, node: Node) -> _Leave:
        """A list of terms, or of the entries of a reference, which nest as sections do."""
        self._begin(node)
        if is_entry_list(node):
            for frame in self._writer.frames:
                if _is_entry(frame) and frame.block is not None:
                    frame.block.atomic = False  # it holds entries
            return self._open(None, "", "")
        if node.heading:
            return self._end_of_sections()
        return self._open(Block("definition_list", node_type="dl"), "", "")

    def term(self, node: Node) -> _Leave:
        """A term or a signature; it begins an item or entry unless it follows another term."""
        self._begin(node)
        self._end_stray()
        frame = self._group_frame()
        if frame is None:
            return self.flush
        frames = self._writer.frames
        if frame.has_body or frames[-1] is frame:
            while frames[-1] is not frame:
                frames.pop()
            frame.has_body = False
            if frame.block is None:
                entry = Block("section", node_type=_ENTRY, repeats_first=True)
                self._open(entry, "", "")
            else:
                self._open(Block("item", node_type="dl", repeats_first=True), "", "")
        if frames[-1] is frame:
            return self.flush  # nested too deeply
        is_entry = frame.block is None
        return self._one_line(lambda: self._end_term(node, is_entry=is_entry))

    def _end_term(self, node: Node, *, is_entry: bool) -> None:
        words = self._line.text()
        block = self._writer.frames[-1].block
        if not words or block is None:
            return
        if not is_entry:
            if not block.label and len(words) <= _LONGEST_LABEL:
                block.label = words
            self._write(Block("term", node_type="dt"))
            return
        if not block.label:
            nested = sum(map(_is_entry, self._writer.frames)) > 1
            name = name_of_entry(node, self._source, nested=nested)
            block.label = name or words[:_LONGEST_LABEL]
        mark = "" if "`" in words else "`"
        self._line.close(mark)
        self._write(Block("heading", node_type="dt"), mark)

    def definition(self, node: Node) -> _Leave:
        """What is said of the terms above."""
        self._begin(node)
        self._end_stray()
        frame = self._group_frame()
        if frame is None:
            return self.flush
        frame.has_body = True
        if frame.block is None:
            return self.flush
        if self._writer.frames[-1] is frame:
            self._open(Block("item", node_type="dl"), "", "")
        return self._open(Block("definition", node_type="dd"), ": ", "  ")

    def _group_frame(self) -> Frame | None:
        """The list whose terms and definitions stand here, or None."""
        for frame in self._writer.frames[:-3:-1]:
            if frame.block is None or frame.kind == "definition_list":
                return frame
        return None

    # Code and tables

    def code(self, node: Node) -> _Leave | None:
        """Preformatted text."""
        self._begin(node)
        code, places = code_of(node, self._source)
        if code.strip():
            self._entry = None
            longest = max((len(run) for run in _BACKTICKS.findall(code)), default=2)
            info = language_of(node, reversed(self._path[-_NEAR:]))
            self._writer.code(code, places, info, "`" * (longest + 1))
        return None

    def table(self, node: Node) -> _Leave | None:
        """A table; one that only places things is no table."""
        self._begin(node)
        if is_layout(node):
            return self._end_of_sections()
        grid = grid_of(node, self._cell)
        if not grid.is_empty:
            self._entry = None
            self._writer.table(grid)
            for note in grid.notes:
                self._writer.note(note)
        return None

    def _cell(self, node: Node, align: str) -> Cell:
        """The content of a cell or caption on one line."""
        inside = node.children
        if len(inside) == 1 and isinstance(inside[0], tuple):  # as most have
            start, end = inside[0]
            line = Line()
            line.add(self._source[start:end], start)
            return make_cell(line.text(), tuple(line.places), node.start, align)
        outer, self._line = self._line, Line()
        self._flat += 1
        self._in_cell = True
        stack: list[tuple[Iterator[Node | tuple[int, int]], _Leave]]
        stack = [(iter(node.children), _nothing)]
        while stack:
            children, leave = stack[-1]
            for child in children:
                if isinstance(child, tuple):
                    self._line.add(self._source[child[0] : child[1]], child[0])
                    continue
                if child.name in {"li", "tr"} and self._line:
                    self._line.close(";")
                entered = self._enter(child)
                if entered is not None:
                    stack.append((iter(child.children), entered))
                    break
            else:
                stack.pop()
                leave()
        line, self._line = self._line, outer
        self._flat -= 1
        self._in_cell = False
        return make_cell(line.text(), tuple(line.places), node.start, align)


_ENTRY = "entry"
_BELOW_HEADINGS = 7  # the level of an entry that any heading ends
_MOST_KNOWN = 1000  # attributes that are remembered
_NEAR = 4  # elements around code that may tell its language
_LONGEST_TITLE = 2000
_LONGEST_LABEL = 100
_INLINE_CONTENT = frozenset({"br", "img", "input", "math", "script"})
_BACKTICKS = re.compile(r"`{3,}")
# A heading, a quote or a fence that is none: a reader has to see that.
_MARKS = "#>`~"
_LOOKS_LIKE_MARKDOWN = re.compile(r"#{1,6}(?:\s|$)|>|```|~~~")


def _shortened(words: str) -> str:
    """The first line of what opens an entry, as its name."""
    return words.partition("\n")[0][:_LONGEST_LABEL].strip()


def _is_entry(frame: Frame) -> bool:
    return frame.block is not None and frame.block.node_type == _ENTRY


def _count(frame: Frame, node: Node) -> None:
    """Let a numbered list count as its attributes say."""
    attributes = node.attributes
    frame.style = attributes.get("type", "1")
    first = 1
    if "reversed" in attributes:
        frame.step = -1
        first = sum(1 for one in node.children if isinstance(one, Node) and one.name == "li")
    frame.number = _whole(attributes.get("start", ""), first)


def _whole(value: str, default: int) -> int:
    value = value.strip()
    digits = value[1:] if value[:1] in {"-", "+"} else value
    return int(value) if digits.isascii() and digits.isdecimal() and len(digits) < 10 else default


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


_ROMAN = (
    ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"),
    ("", "X", "XX", "XXX", "XL", "L", "LX", "LXX", "LXXX", "XC"),
    ("", "C", "CC", "CCC", "CD", "D", "DC", "DCC", "DCCC", "CM"),
    ("", "M", "MM", "MMM"),
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
        _Renderer.division,
    ),
    **dict.fromkeys(("article", "main"), _Renderer.main_part),
    **dict.fromkeys(("button", "label", "optgroup", "option"), _Renderer.spaced),
    **dict.fromkeys(("caption", "figcaption"), _Renderer.caption),
    **dict.fromkeys(("dir", "menu", "ol", "ul"), _Renderer.item_list),
    **dict.fromkeys(("listing", "plaintext", "pre", "xmp"), _Renderer.code),
    **dict.fromkeys(("td", "th", "tr"), _Renderer.block),
    "blockquote": _Renderer.quote,
    "dd": _Renderer.definition,
    "details": _Renderer.details,
    "dl": _Renderer.definitions,
    "dt": _Renderer.term,
    "figure": _Renderer.figure,
    "hr": _Renderer.rule,
    "li": _Renderer.item,
    "p": _Renderer.paragraph,
    "summary": _Renderer.summary,
    "table": _Renderer.table,
    "title": _Renderer.title,
}
