"""What the units of a reStructuredText document are made from."""

from __future__ import annotations

from dataclasses import dataclass

from structchunk_core.formats import ParseOptions
from structchunk_core.formats._rst_blocks import Block
from structchunk_core.formats._rst_reader import Reader
from structchunk_core.source import line_start


@dataclass(frozen=True, slots=True)
class Document:
    """What the units are made from."""

    reader: Reader
    options: ParseOptions

    @property
    def text(self) -> str:
        """The source text."""
        return self.reader.text

    def words(self, block: Block) -> str:
        """The text of a block, without white space around it."""
        return self.text[block.begin : self.reader.stops[block.end - 1]]

    def line(self, block: Block) -> str:
        """The first line of a block from its first visible character on."""
        return self.text[block.begin : self.reader.stops[block.line]]

    def lead(self, block: Block) -> str:
        """The indentation of a block; blanks where a mark stands in front of it."""
        text = self.text
        lead = text[line_start(text, block.begin) : block.begin].lstrip("\ufeff")
        return lead if not lead.strip() else " " * block.column
