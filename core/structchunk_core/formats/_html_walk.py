"""The walk over the elements of a page that writes its text block by block.

It knows what holds for any element: what is hidden, what surrounds the main text, where a paragraph
or an entry ends. What holds for elements of one name, their handlers know.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping

from structchunk_core.formats._html_lines import Line
from structchunk_core.formats._html_page import (
    ALWAYS_ASKED,
    is_boilerplate,
    is_control,
    is_hidden,
    is_inert,
    parts_words,
)
from structchunk_core.formats._html_tree import Node, Tree
from structchunk_core.formats._html_units import Block
from structchunk_core.formats._html_writer import Writer

Leave = Callable[[], None]
"""What to do behind the content of an element."""
Handler = Callable[["Walk", Node], Leave | None]
"""Called in front of the content of an element; None when the content is not to be walked over."""

ENTRY = "entry"
"""The type of sections that are entries of a reference, in place of the name of an element."""
BELOW_HEADINGS = 7  # the level of an entry that any heading ends
LONGEST_LABEL = 100
_MOST_KNOWN = 1000  # attributes that are remembered
# A heading, a quote or a fence that is none: a reader has to see that.
_MARKS = "#>`~"
_LOOKS_LIKE_MARKDOWN = re.compile(r"#{1,6}(?:\s|$)|>|```|~~~")


def nothing() -> None:
    return


class Walk:
    """One walk over a page, with a stack of its own.

    Args:
        tree: the elements of the page.
        text: its source.
        handlers: name of an element -> what handles it; others only hold what is in them.
        inline: the names of those of them that stand in a line.
        labels: whether what surrounds the main text is told apart.
        strips: whether it is left out then.

    Attributes:
        tree: the elements of the page.
        source: its source.
        writer: what was written.
        line: what will be written as the next block.
        path: the elements around.
        flat: above 0 inside a heading or the like, where a block only is white space.
        in_cell: whether a cell of a table is around.
        main: how many main parts and articles are around.
        in_surroundings: whether what surrounds the main text is around.
        has_surroundings: whether anything was told apart from the main text, or left out.
        around: how many characters of what was written surround the main text.
        entry: the entry that the next line opens, or None.
        entry_depth: how many elements are around the entries that are open.
        figures: how many figures have begun.
        title: the text of the ``title`` element, or ``""``.
        first_heading: the text of the only heading of the first level, or ``""``.
        first_headings: how many headings of the first level the main text has.
        parents: id of an element -> whether paragraphs in it are entries.
    """

    def __init__(
        self,
        tree: Tree,
        text: str,
        handlers: Mapping[str, Handler],
        inline: Collection[str],
        *,
        labels: bool,
        strips: bool,
    ) -> None:
        self.tree = tree
        self.source = text
        self._handlers = handlers
        self._in_lines = inline
        self._labels = labels
        self._strips = strips
        self.writer = Writer()
        self.line = Line()
        self.path: list[Node] = []
        self.flat = 0
        self.in_cell = False
        self.main = 0
        self.in_surroundings = False
        self.has_surroundings = False
        self.around = 0
        self.entry: Block | None = None
        self.entry_depth = 0
        self.figures = 0
        self.title = ""
        self.first_heading = ""
        self.first_headings = 0
        self.parents: dict[int, bool] = {}
        self._inert: dict[str, bool] = {}  # name and attributes of elements

    def run(self) -> None:
        """Write all of it."""
        stack: list[tuple[Iterator[Node | tuple[int, int]], Leave]]
        stack = [(iter(self.tree.root.children), nothing)]
        source = self.source
        path = self.path
        behind = 0
        while stack:
            children, leave = stack[-1]
            for child in children:
                if isinstance(child, tuple):
                    start, end = child
                    words = source[start:end]
                    line = self.line
                    if words.isspace():
                        line.space = True
                    elif not line.parts:
                        line.add(words, start)
                    else:
                        if line.breaks > 1:
                            self.flush()  # an empty line parts paragraphs
                            line = self.line
                        elif not line.space and parts_words(source, behind, start):
                            line.space = True
                        line.add(words, start)
                    behind = end
                    continue
                entered = self.enter(child)
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

    def flush(self) -> None:
        """End the paragraph."""
        line = self.line
        if line.parts:
            words = line.text()
            is_mark = words[:1] in _MARKS and _LOOKS_LIKE_MARKDOWN.match(words) is not None
            self.write(Block("paragraph", node_type="p"), "\\" if is_mark else "")
        else:
            line.space = False
            line.breaks = 0
        self.writer.origin = -1

    def begin(self, node: Node) -> None:
        """End the paragraph; the next block begins with the element, if not with one around it."""
        if self.line.parts:
            self.flush()
        if self.entry_depth > len(self.path):
            self._end_entries()
        if self.writer.origin < 0:
            self.writer.origin = node.start

    def write(self, block: Block, marker: str = "", section: Block | None = None) -> None:
        """Write what was collected as a block."""
        line, self.line = self.line, Line()
        if self.entry_depth > len(self.path):
            self._end_entries()
        if self.entry is None or not line:
            self.writer.line(line, block, marker, section)
            return
        entry, self.entry = self.entry, None
        if section is not None:  # it begins with a heading, which is its name
            self.writer.line(line, block, marker, section)
            return
        self._end_entries()
        if entry.level:
            self.entry_depth = len(self.path) - 1
        entry.label = entry.label or _shortened(line.text())
        self.writer.line(line, block, marker, entry)
        self.writer.frames[-1].sections.append(entry)

    def _end_entries(self) -> None:
        """End the entry that a paragraph has opened: behind what it stands in, or at the next."""
        self.entry_depth = 0
        sections = self.writer.frames[-1].sections
        if sections and sections[-1].level == BELOW_HEADINGS:
            sections.pop()

    def enter(self, node: Node) -> Leave | None:
        """Handle an element in front of its content; says what a handler says."""
        if (node.source or node.name in ALWAYS_ASKED) and not self._is_inert(node):
            if is_hidden(node) or is_control(node, self.source):
                return None
            self._note_id(node)
            if not self.flat and self._surrounds(node):
                self.has_surroundings = True
                return None if self._strips else self._surroundings(node)
        if self.flat:
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

    def _handle(self, node: Node) -> Leave | None:
        handler = self._handlers.get(node.name)
        return handler(self, node) if handler is not None else nothing

    def _flattened(self, node: Node) -> Leave | None:
        """An element in a heading, a cell or the like."""
        name = node.name
        if name in self._in_lines:
            return self._handle(node)
        if name == "title":
            return None
        return self.apart() if name in self._handlers else nothing

    def apart(self) -> Leave:
        """Keep the words of an element apart from those beside it."""
        self.line.space = True
        return self._space

    def _space(self) -> None:
        self.line.space = True

    def _note_id(self, node: Node) -> None:
        """Let the next block be called by the id of an element that begins it or is in its head."""
        source = node.source
        ids = self.writer.ids
        if ("id=" not in source and "name=" not in source) or self.in_cell:
            return
        if self.line and (not self.flat or ids):
            return
        own = node.attributes.get("id") or (node.name == "a" and node.attributes.get("name")) or ""
        if own.strip():
            ids.append(own.strip())

    def _surrounds(self, node: Node) -> bool:
        return (
            self._labels
            and not self.in_surroundings
            and is_boilerplate(
                node,
                in_main=self.main > 0,
                has_main=self.tree.root.has_main,
                first_headings=self.tree.first_headings,
            )
        )

    def _surroundings(self, node: Node) -> Leave | None:
        self.begin(node)
        self.in_surroundings = True
        start = self.writer.length
        close = self.open(Block("boilerplate", atomic=False, node_type=node.name), "", "")
        inner = self._handle(node)

        def leave() -> None:
            if inner is not None:
                inner()
            close()
            self.in_surroundings = False
            self.around += self.writer.length - start

        if inner is None:
            leave()
            return None
        return leave

    def open(self, block: Block | None, marker: str, indent: str) -> Leave:
        """Open a frame, as :meth:`Writer.open` does; what is returned closes it and all in it."""
        depth = self.writer.open(block, marker, indent)

        def leave() -> None:
            self.flush()
            del self.writer.frames[depth:]

        return leave

    def end_of_sections(self) -> Leave:
        """What ends the sections that are opened from now on."""
        frame = self.writer.frames[-1]
        count = len(frame.sections)

        def leave() -> None:
            self.flush()
            del frame.sections[count:]

        return leave

    def begin_entry(self, label: str = "") -> Leave:
        """Have the next line open an entry; what is returned ends it and the sections in it."""
        self.entry = Block("section", node_type=ENTRY, label=label, repeats_first=True)
        end_sections = self.end_of_sections()

        def leave() -> None:
            end_sections()
            self.entry = None

        return leave

    def one_line(self, end: Leave) -> Leave:
        """Collect the content on one line; what is returned calls ``end`` with it collected."""
        self.flat += 1

        def leave() -> None:
            self.flat -= 1
            self.line.breaks = 0
            end()
            self.line.space = False
            self.writer.origin = -1

        return leave


def _shortened(words: str) -> str:
    """The first line of what opens an entry, as its name."""
    return words.partition("\n")[0][:LONGEST_LABEL].strip()
