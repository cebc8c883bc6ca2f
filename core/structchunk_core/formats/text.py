r"""Plain text: paragraphs, and the structure that people write without any markup.

Conservative: what is not unmistakably a heading, a list or a log is a paragraph, and a paragraph
is a leaf, which the packer cuts at lines, sentences and words. Only ``\n`` ends a line; a line of
white space (form feeds included) is blank and belongs to the unit above it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from structchunk_core.formats import ParseOptions
from structchunk_core.formats._text_blocks import blocks
from structchunk_core.formats._text_headings import Heading, headings_of, section_ends
from structchunk_core.formats._text_logs import whole_log_or_none
from structchunk_core.source import Source
from structchunk_core.unit import Parsed, Tie, Unit, make_unit, retied


def parse(source: Source, options: ParseOptions) -> Parsed:  # noqa: ARG001 -- the seam of formats
    """The unit tree of a plain text: sections, paragraphs, lists, lines of logs."""
    text = source.text
    outline = _Outline(text, () if whole_log_or_none(text, 0, len(text)) else headings_of(text))
    opener = None if not text or text.isspace() else partial(outline.children, 0, 0, len(text))
    root = make_unit("document", 0, len(text), atomic=False, opener=opener)
    return Parsed(root, title=outline.title)


class _Outline:
    """The sections of a text, as ranges of its headings."""

    __slots__ = ("_ends", "headings", "text")

    def __init__(self, text: str, headings: Sequence[Heading]) -> None:
        self.text = text
        self.headings = headings
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
        yield from blocks(self.text, start, headings[heading].start if has_more else end)
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

    def _section(self, heading: int, end: int, level: int) -> Iterator[Unit]:
        start, behind = self.headings[heading].start, self.headings[heading].end
        yield make_unit("heading", start, behind)
        content = self.children(heading + 1, behind, end, level + 1)
        for first in content:
            yield retied(first, Tie.HEAD)
            break
        yield from content
