r"""Plain text: paragraphs, and the structure that people write without any markup.

Conservative: what is not unmistakably a heading, a list or a log is a paragraph, and a paragraph
is a leaf, which the packer cuts at lines, sentences and words. Only ``\n`` ends a line; a line of
white space (form feeds included) is blank and belongs to the unit above it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import partial

from structchunk_core.formats import ParseOptions
from structchunk_core.formats._text_headings import Heading, headings_of, section_ends
from structchunk_core.formats._text_logs import whole_log_or_none
from structchunk_core.formats._text_marked import Writing, marked_units
from structchunk_core.formats._text_markup import Marked, markup_of
from structchunk_core.source import Source
from structchunk_core.unit import Parsed, Tie, Unit, make_unit, retied


def parse(source: Source, options: ParseOptions) -> Parsed:
    """The unit tree of a plain text: sections, paragraphs, lists, lines of logs.

    Those of AsciiDoc and Org, which the ending of the name tells, have the headings and blocks
    that these mark.
    """
    text = source.text
    marked = markup_of(text, source.path)
    if marked is not None:
        outline = _Outline(
            Writing(text, source.path, options), tuple(marked.headings), tuple(marked.blocks)
        )
    else:
        is_log = whole_log_or_none(text, 0, len(text))
        outline = _Outline(Writing(text, "", options), () if is_log else headings_of(text), ())
    opener = None if not text or text.isspace() else partial(outline.children, 0, 0, len(text))
    root = make_unit("document", 0, len(text), atomic=False, opener=opener)
    return Parsed(root, title=marked.title if marked and marked.title else outline.title)


class _Outline:
    """The sections of a text, as ranges of its headings."""

    __slots__ = ("_ends", "blocks", "headings", "writing")

    def __init__(
        self, writing: Writing, headings: Sequence[Heading], blocks: Sequence[Marked]
    ) -> None:
        self.writing = writing
        self.headings = headings
        self.blocks = blocks
        self._ends = section_ends(headings)

    @property
    def title(self) -> str:
        """The heading that the text begins with, when all of it stands below; else ``""``."""
        first = self.headings[0] if self.headings else None
        is_only = first is not None and first.start == 0 and self._ends[0] == len(self.headings)
        return first.label if first is not None and is_only else ""

    def children(self, heading: int, start: int, end: int, level: int = 1) -> Iterator[Unit]:
        """What stands between the positions: text, then the sections from that heading on."""
        headings = self.headings
        has_more = heading < len(headings) and headings[heading].start < end
        yield from self._text(start, headings[heading].start if has_more else end)
        while heading < len(headings) and headings[heading].start < end:
            following = self._ends[heading]
            stop = headings[following].start if following < len(headings) else end
            stop = min(stop, end)
            yield make_unit(
                "section",
                headings[heading].start,
                stop,
                label=headings[heading].label,
                atomic=False,
                tie=Tie.FREE,
                opener=partial(self._section, heading, stop, level),
                level=level,
            )
            heading = following

    def _text(self, start: int, end: int) -> Iterator[Unit]:
        if start < end:
            first = bisect_left(self.blocks, start, key=_start_of)
            behind = bisect_left(self.blocks, end, key=_start_of)
            yield from marked_units(self.writing, self.blocks[first:behind], start, end)

    def _section(self, heading: int, end: int, level: int) -> Iterator[Unit]:
        start, behind = self.headings[heading].start, self.headings[heading].end
        yield make_unit("heading", start, behind)
        content = self.children(heading + 1, behind, end, level + 1)
        for first in content:
            yield retied(first, Tie.HEAD)
            break
        yield from content


def _start_of(block: Marked) -> int:
    return block.start
