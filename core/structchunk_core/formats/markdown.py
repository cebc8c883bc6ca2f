"""Markdown: CommonMark and GFM, front matter, math, admonitions, tabs, HTML and MDX.

pulldown-cmark says where the blocks are, lines that are one thing become one block, blocks
become units. Sections follow the headings that stand outside every other block.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from structchunk_core.errors import Problem
from structchunk_core.formats import ParseOptions
from structchunk_core.formats._markdown_blocks import Block, Blocks, View, make_block
from structchunk_core.formats._markdown_document import Document, with_references
from structchunk_core.formats._markdown_head import Head, read_head
from structchunk_core.formats._markdown_html import with_headings
from structchunk_core.formats._markdown_reader import MAX_DEPTH
from structchunk_core.formats._markdown_regions import read_with_regions
from structchunk_core.formats._markdown_units import Siblings
from structchunk_core.formats._sections import in_sections
from structchunk_core.source import Source, parsable
from structchunk_core.unit import Facts, Parsed, Span, make_unit


def parse(source: Source, options: ParseOptions) -> Parsed:
    """The unit tree of a Markdown document; its leaves spell the text exactly.

    The title is the one of the front matter, else the only heading of the first level.
    """
    text = source.text
    mark = 1 if text.startswith("\ufeff") else 0
    plain = parsable(text)
    view = View((_LONE_RETURN.sub(" ", plain) if "\r" in plain else plain)[mark:], mark)
    head = read_head(view.text, is_mdx=source.path.lower().endswith(".mdx"))
    body = view.text
    if head.end:
        body = _NOT_LINE_END.sub(_blanks, body[: head.end]) + body[head.end :]
    read = read_with_regions(body)
    referring = with_references(read.text, read.blocks, head.end)
    blocks = (*_head_blocks(head), *with_headings(body, referring))
    document = Document(text, view, read.text, options)
    firsts = [block.label for block in blocks if block.level == 1 and block.label]
    title = head.title or (firsts[0] if len(firsts) == 1 else "")
    end = len(text)
    opener = Siblings(document, in_sections(blocks, _section_of), 0, end) if blocks else None
    root = make_unit("document", 0, end, atomic=False, opener=opener, node_type="document")
    notes = _notes(text, blocks, view)
    facts = Facts(notes=notes) if notes else None
    return Parsed(root, _problems(read, view), title, facts)


# Only "\n" ends a line here; pulldown-cmark would also end one at a lone "\r".
_LONE_RETURN = re.compile(r"\r(?!\n)")
_NOT_LINE_END = re.compile(r"[^\n]+")


def _blanks(found: re.Match[str]) -> str:
    return " " * len(found[0])


_NOTE = re.compile(r"\[\^([^\]\s]{1,200})\]")
_DEFINITION = re.compile(r"^[ \t>]*+\[([^\[\]]{1,200})\]:[ \t]*+(?:\n[ \t>]*+)?\S", re.MULTILINE)
# That it begins with a bracket lets it be found quickly: what stands in front is asked behind.
_LINK = re.compile(r"\[(?<![\w\\]\[)([^\[\]]{1,200})\](?:\[([^\[\]]{0,200})\])?(?![(:])")
_LINKS = 400  # characters of link definitions that a chunk carries


@dataclass(frozen=True, slots=True)
class _Notes:
    """Where the footnotes and link definitions of a document stand, by what refers to them."""

    text: str
    footnotes: Mapping[str, Span]
    links: Mapping[str, Span]

    def __call__(self, start: int, end: int) -> tuple[Span, ...]:
        """Those outside the half-open span that are referred to in it; footnotes first."""
        found = dict.fromkeys(
            self.footnotes[mark[0]]
            for mark in _NOTE.finditer(self.text, start, end)
            if mark[0] in self.footnotes
        )
        room = _LINKS
        for link in _LINK.finditer(self.text, start, end) if self.links else ():
            span = self.links.get(_folded(link[2] or link[1]))
            if span is not None and span not in found and not start <= span.start < end:
                room -= span.end - span.start
                if room < 0:
                    break
                found[span] = None
        return tuple(span for span in found if not start <= span.start < end)


def _folded(label: str) -> str:
    """A label as it is compared: labels are alike whatever their case and white space."""
    return " ".join(label.casefold().split())


def _notes(text: str, blocks: Sequence[Block], view: View) -> _Notes | None:
    """The footnotes and link definitions outside other blocks; None when there are none."""
    footnotes: dict[str, Span] = {}
    links: dict[str, Span] = {}
    for block in blocks:
        start, end = view.to_source(block.start), view.to_source(block.end)
        if block.kind == "footnote":
            mark = _NOTE.search(text, start)
            if mark is not None:
                footnotes.setdefault(mark[0], Span(start, start + len(text[start:end].rstrip())))
        elif block.kind == "references":
            found = list(_DEFINITION.finditer(text, start, end))
            stops = [*(one.start() for one in found[1:]), end]
            for one, stop in zip(found, stops, strict=False):  # there may be none
                begin = one.start()
                length = len(text[begin:stop].rstrip())
                links.setdefault(_folded(one[1]), Span(begin, begin + length))
    return _Notes(text, footnotes, links) if footnotes or links else None


def _problems(read: Blocks, view: View) -> tuple[Problem, ...]:
    if read.deep < 0:
        return ()
    message = f"blocks nested deeper than {MAX_DEPTH} levels are read as plain text"
    start = view.to_source(read.deep)
    return (Problem("nested-too-deeply", message, start, start + 1),)


def _head_blocks(head: Head) -> Iterator[Block]:
    if head.matter_end:
        yield Block("front_matter", 0, head.matter_end)
    if head.module_start < head.end:
        yield Block("esm", head.module_start, head.end)


def _section_of(members: Sequence[Block], _depth: int) -> Block:
    heading = members[0]
    end = members[-1].end
    inside = tuple(members)
    return make_block("section", heading.start, end, inside, heading.level, heading.label)
