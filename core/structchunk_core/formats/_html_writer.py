"""Markdown text in the writing: its blocks, what is around them, and where it comes from."""

from __future__ import annotations

from collections.abc import Sequence

from structchunk_core.formats._html_lines import Line, Places
from structchunk_core.formats._html_table import Cell, Grid
from structchunk_core.formats._html_units import Block, Code, Rows
from structchunk_core.unit import Span

MAX_DEPTH = 24
"""How many items, quotes and the like may be nested; what is deeper stands in the last of them."""
LISTS = frozenset({"definition_list", "list", "procedure"})
"""Kinds of blocks that hold items only."""


class Frame:
    """What is around blocks; it becomes a block itself when the first block in it is written.

    Attributes:
        block: the block it becomes; None when it only keeps blocks apart.
        prefix: what stands in front of each line in it, frames around it included.
        marker: what stands in front of its first line, frames around it excluded.
        is_stray: whether it holds what stands in a list outside of the items.
        is_written: whether anything in it was.
        sections: the sections that are open in it.
        number: of a numbered list: that of the next item.
        step: what the next one is more.
        style: how its items are numbered, as the attribute ``type`` says it.
        has_body: of definitions: whether the terms of the current entry are complete.
    """

    __slots__ = (
        "block",
        "has_body",
        "is_stray",
        "is_written",
        "marker",
        "number",
        "prefix",
        "sections",
        "step",
        "style",
    )

    def __init__(
        self, block: Block | None, prefix: str, marker: str = "", *, is_stray: bool = False
    ) -> None:
        self.block = block
        self.prefix = prefix
        self.marker = marker
        self.is_stray = is_stray
        self.is_written = False
        self.sections: list[Block] = []
        self.number = 1
        self.step = 1
        self.style = "1"
        self.has_body = False

    @property
    def kind(self) -> str:
        """The kind of its block, or ``""``."""
        return self.block.kind if self.block is not None else ""


class Writer:
    """Writes blocks one below the other, each behind what its frames put in front of it.

    Attributes:
        root: a block around all others.
        frames: the open frames, the outermost first.
        places: pairs (position in the text, position in the source).
        anchors: pairs (position in the text, id of the element that begins there), ascending.
        length: how much is written, in characters.
        deep: where in the source frames were nested too deeply, or -1.
        origin: where in the source the element begins that begins the next block, or -1.
        ids: the ids of the elements that begin the next block.
        figure: the number of the figure around the next block, or 0.
    """

    def __init__(self) -> None:
        self.root = Block("document", atomic=False)
        self.frames = [Frame(self.root, "")]
        self.frames[0].is_written = True
        self.places: Places = []
        self.anchors: list[tuple[int, str]] = []
        self.length = 0
        self.deep = -1
        self.origin = -1
        self.ids: list[str] = []
        self.figure = 0
        self._parts: list[str] = []

    def text(self) -> str:
        """All that was written."""
        return "".join(self._parts)

    def open(self, block: Block | None, marker: str, indent: str, *, is_stray: bool = False) -> int:
        """Open a frame, unless too many are open; returns how many were.

        Args:
            block: what it becomes.
            marker: what stands in front of its first line.
            indent: what stands in front of its other lines.
            is_stray: whether it holds what stands in a list outside of the items.
        """
        depth = len(self.frames)
        if depth > MAX_DEPTH:
            if self.deep < 0:
                self.deep = max(0, self.origin)
        else:
            prefix = self.frames[-1].prefix + indent
            if block is not None and indent.strip():
                block.mark = prefix
            self.frames.append(Frame(block, prefix, marker, is_stray=is_stray))
        return depth

    def open_item(self) -> None:
        """Open an item without a mark for what stands in a list outside of its items."""
        if self.frames[-1].kind in LISTS:
            self.open(Block("item"), "  ", "  ", is_stray=True)

    def line(
        self, line: Line, block: Block, marker: str = "", section: Block | None = None
    ) -> None:
        """A block of running text; nothing when the line is empty.

        Args:
            line: its text.
            block: the block.
            marker: what stands in front of the text.
            section: the section that the block, a heading, opens.
        """
        if not line:
            return
        if self.origin < 0:
            self.origin = line.places[0][1]
        self.begin(block, section)
        if marker:
            shift = len(marker)
            self.put(marker + line.text(), [(at + shift, origin) for at, origin in line.places])
        else:
            self.put(line.text(), line.places)

    def rule(self) -> None:
        """A thematic break; nothing at the top."""
        if self.length:
            self.begin(Block("rule", node_type="hr"))
            self.write("---")

    def code(self, code: str, places: Places, info: str, mark: str) -> None:
        """A fence around code.

        Args:
            code: its text, without a line end at its end.
            places: where its pieces come from.
            info: its language, or ``""``.
            mark: what opens and closes it.
        """
        block = Block("fence", node_type="pre")
        self.begin(block)
        lead = self.frames[-1].prefix
        self.write(f"{mark}{info}\n")
        start = self.length
        self.write(lead)
        self.put(code, places)
        self.write("\n")
        block.code = Code(start, self.length, lead, mark, info)
        self.write(lead + mark)

    def table(self, grid: Grid) -> None:
        """A table, its caption as a paragraph above the header rows."""
        block = Block("table", node_type="table")
        self.begin(block)
        prefix = self.frames[-1].prefix
        caption = Span(self.length, self.length)
        if grid.caption is not None and grid.caption.text:
            self.put(grid.caption.text, grid.caption.places)
            caption = Span(caption.start, self.length)
            self.write(f"\n{prefix.rstrip()}\n{prefix}")
        rows = block.rows = Rows(prefix, caption, self.length)
        self.write("| " + " | ".join(map(_cell_text, grid.header)) + " |\n")
        self.write(f"{prefix}|{'|'.join(grid.alignments)}|")
        for row in grid.rows:
            self.write("\n")
            rows.starts.append(self.length)
            self.places.append((self.length, row[0].origin))
            self.write(prefix)
            for number, cell in enumerate(row):
                rows.cells.append(self.length if number else rows.starts[-1])
                base = self.length + 2
                self.places.extend([(base + at, origin) for at, origin in cell.places])
                self.write(f"| {_cell_text(cell.text)} ")
            self.write("|")
        rows.head_end = rows.starts[0] if rows.starts else self.length

    def note(self, note: Cell) -> None:
        """A note below a table, as a paragraph."""
        self.origin = note.origin
        self.begin(Block("paragraph", node_type="tfoot"))
        self.put(note.text, note.places)

    def begin(self, block: Block, section: Block | None = None) -> None:
        """Begin a block on a line of its own, in the frames that are open.

        Args:
            block: the block.
            section: the section that it is the first block of, if it opens one.
        """
        if block.kind != "item":
            self.open_item()
        frames = self.frames
        written = len(frames) - 1
        while not frames[written].is_written:
            written -= 1
        around = frames[written]
        if self.length:
            self.write("\n" if self._is_tight(written, block) else f"\n{around.prefix.rstrip()}\n")
        start = block.start = self.length
        self.places.append((start, max(0, self.origin)))
        self.origin = -1
        if self.ids:
            self.anchors.extend((start, own) for own in self.ids)
            self.ids.clear()
        lead = around.prefix
        for number in range(written + 1, len(frames)):
            frame = frames[number]
            frame.is_written = True
            lead += frame.marker
            if frame.block is not None:
                frame.block.start = start
                self._home(number - 1).append(frame.block)
        if lead:
            self.write(lead)
        block.figure = self.figure
        if section is not None:
            section.start = start
            section.children.append(block)
            block = section
        self._home(len(frames) - 1).append(block)

    def put(self, words: str, places: Sequence[tuple[int, int]]) -> None:
        """Write text of several lines, each behind the prefix of its frame, and note its places."""
        base = self.length
        noted = self.places
        if places and noted and base + places[0][0] == noted[-1][0]:
            # The block begins with its tag: the text counts from its second character.
            places = [(places[0][0] + 1, places[0][1] + 1), *places[1:]]
        prefix = self.frames[-1].prefix
        if not prefix or "\n" not in words:
            noted.extend([(base + at, origin) for at, origin in places])
            self.write(words)
            return
        number = begin = 0
        while begin < len(words):
            end = words.find("\n", begin) + 1 or len(words)
            while number < len(places) and places[number][0] < end:
                noted.append((base + places[number][0], places[number][1]))
                number += 1
            self.write(words[begin:end])
            if end < len(words):
                self.write(prefix.rstrip() if words[end] == "\n" else prefix)
            base = self.length - end
            begin = end

    def write(self, words: str) -> None:
        """Write as it is."""
        self._parts.append(words)
        self.length += len(words)

    def _home(self, number: int) -> list[Block]:
        """Where blocks in the frame belong: its innermost open section, itself, what is around."""
        while number > 0:
            frame = self.frames[number]
            if frame.sections:
                return frame.sections[-1].children
            if frame.block is not None:
                return frame.block.children
            number -= 1
        sections = self.frames[0].sections
        return sections[-1].children if sections else self.root.children

    def _is_tight(self, written: int, block: Block) -> bool:
        """Whether no blank line stands above the block, which goes on in the frame.

        So it is between short items, between a term and its definition, between the lines of an
        item and the list in it, and between the signatures of one entry.
        """
        frame = self.frames[written]
        if frame.block is None:
            return False
        inside = frame.block.children
        if frame.kind in LISTS:
            return not inside or all(child.kind in LISTS for child in inside[-1].children[1:])
        if frame.kind == "item" and written + 1 < len(self.frames):
            following = self.frames[written + 1].kind
            return following == "definition" or (following in LISTS and len(inside) == 1)
        return block.node_type == "dt" and bool(inside) and inside[-1].node_type == "dt"


def _cell_text(text: str) -> str:
    return text.replace("|", "\\|")
