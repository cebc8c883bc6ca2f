"""reStructuredText: sections, directives, literal blocks, tables, lists, notes.

Blocks are read line by line as docutils does, sections follow the titles in the order of their
styles. Nothing is rendered: roles, substitutions and references stay as they are written.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from structchunk_core.errors import Problem
from structchunk_core.formats import ParseOptions
from structchunk_core.formats._rst_blocks import MAX_DEPTH, Block, Inside, Section
from structchunk_core.formats._rst_document import Document
from structchunk_core.formats._rst_reader import Reader
from structchunk_core.formats._rst_ties import is_pointer
from structchunk_core.formats._rst_units import Siblings
from structchunk_core.formats._sections import in_sections
from structchunk_core.source import Source
from structchunk_core.unit import Facts, Parsed, Span, make_unit


def parse(source: Source, options: ParseOptions) -> Parsed:
    """The unit tree of a reStructuredText document; its leaves spell the text exactly.

    The title is the only heading of the first level.
    """
    text = source.text
    reader = Reader(text)
    blocks = reader.blocks(Inside(0, len(reader)), top=True)
    document = Document(reader, options)
    end = len(text)
    members = in_sections(_pointed_at(document, blocks), _section_of)
    opener = Siblings(document, members, 0, end) if blocks else None
    root = make_unit("document", 0, end, atomic=False, opener=opener, node_type="document")
    firsts = [block.label for block in blocks if block.kind == "heading" and block.level == 1]
    notes = _notes(reader, blocks)
    facts = Facts(notes=notes) if notes else None
    return Parsed(root, _problems(reader, blocks), firsts[0] if len(firsts) == 1 else "", facts)


_MARKS = 50  # so many marks of items are nested too deeply, or nearly so
_MAY_BE_DEEP = re.compile(rf"(?:(?:[-+*\u2022\u2023\u2043]|\(?\w{{1,12}}+[.)])[ \t]++){{{_MARKS}}}")


def _problems(reader: Reader, blocks: Sequence[Block]) -> tuple[Problem, ...]:
    """What is nested too deeply; looked for only where the indentation allows it."""
    if reader.deepest <= MAX_DEPTH and not any(
        _MAY_BE_DEEP.match(reader.text, first) for first in reader.long_lines(2 * _MARKS - 2)
    ):
        return ()
    stack = list(blocks)
    while stack and reader.deep < 0:
        block = stack.pop()
        stack.extend(block.items)
        if block.inside is not None:
            stack.extend(reader.blocks(block.inside))
    if reader.deep < 0:
        return ()
    message = f"blocks nested deeper than {MAX_DEPTH} levels are read as plain text"
    return (Problem("nested-too-deeply", message, reader.deep, reader.deep + 1),)


def _pointed_at(document: Document, blocks: Sequence[Block]) -> list[Block]:
    """The blocks with the targets and index entries right above a title as a part of it."""
    kept: list[Block] = []
    for block in blocks:
        first = block
        while block.kind == "heading" and kept and is_pointer(document, kept[-1]):
            first = kept.pop()
        kept.append(block if first is block else replace(block, line=first.line, begin=first.begin))
    return kept


def _section_of(members: Sequence[Block | Section], depth: int) -> Section:
    heading = members[0]
    assert isinstance(heading, Block)
    return Section(heading, depth, tuple(members))


# Notes

_NOTE_USE = re.compile(r"\[(#[\w.:+-]*|\*|\d+|[^\W_][\w.:+-]*)\]_(?!\w)")
_SUBSTITUTION_USE = re.compile(r"(?<![\w|])\|([^\s|](?:[^|\n]*[^\s|])?)\|")
_LINK_USE = re.compile(r"`([^`<>]+)`_(?![\w_])|(?<![\w`:.+-])([^\W_](?:[\w.+-]*[^\W_])?)_(?![\w_])")
_LINK = re.compile(r"_(?:`([^`]+)`|((?:[^:\\`]|\\.)+)):\s+\S")


@dataclass(frozen=True, slots=True)
class _Notes:
    """Where footnotes, citations, substitutions and addresses of links stand.

    Attributes:
        text: the source text.
        named: the notes by the words that refer to them, with their sort.
        sorts: the sorts among them.
        counted: for notes without a name, the places that refer to them and their spans, both
            in order.
    """

    text: str
    named: Mapping[tuple[str, str], Span]
    sorts: frozenset[str]
    counted: Mapping[str, tuple[Sequence[int], Sequence[Span]]]

    def __call__(self, start: int, end: int) -> tuple[Span, ...]:
        """The notes outside the half-open span that are referred to in it."""
        found = dict.fromkeys(self._found(start, end))
        return tuple(span for span in found if not start <= span.start < end)

    def _found(self, start: int, end: int) -> Iterator[Span]:
        for sort, mark, pattern in _USES:
            if sort not in self.sorts or mark.search(self.text, start, end) is None:
                continue  # most texts: to look for the words costs much more
            find = pattern.finditer if sort != "link" else _link_uses
            for use in find(self.text, start, end):
                name = _folded(next(group for group in use.groups() if group))
                if (sort, name) in self.named:
                    yield self.named[sort, name]
        for uses, spans in self.counted.values():
            yield from spans[bisect_left(uses, start) : bisect_left(uses, end)]


def _link_uses(text: str, start: int, end: int) -> list[re.Match[str]]:
    """What ``_LINK_USE`` finds in a half-open span, but looked for only in front of its marks."""
    found: dict[int, re.Match[str]] = {}  # by where it begins; of several the longest
    for mark in _LINK_MARK.finditer(text, start, end):
        position = mark.start()
        behind = min(end, mark.end() + 1)  # what is behind it tells whether it is one
        if position > start and text[position - 1] == "`":
            begin = text.rfind("`", start, position - 1)
        else:
            begin = max(text.rfind(" ", start, position), text.rfind("\n", start, position)) + 1
        for use in _LINK_USE.finditer(text, max(begin, start), behind):
            found[use.start()] = use
    kept: list[re.Match[str]] = []
    for _, use in sorted(found.items()):
        if not kept or use.start() >= kept[-1].end():
            kept.append(use)
    return kept


_LINK_MARK = re.compile(r"_(?![\w_])")
_USES = (
    ("note", re.compile(r"\]_(?!\w)"), _NOTE_USE),
    ("substitution", re.compile(r"\|"), _SUBSTITUTION_USE),
    ("link", _LINK_MARK, _LINK_USE),
)
"""Sorts of notes: what is in every use of one, and what a use looks like."""


def _folded(name: str) -> str:
    """A name as it is compared: names are alike whatever their case and white space."""
    return " ".join(name.lower().split())


def _notes(
    reader: Reader, blocks: Sequence[Block]
) -> Callable[[int, int], tuple[Span, ...]] | None:
    """What finds the notes of a document; None when it has none."""
    named: dict[tuple[str, str], Span] = {}
    nameless: defaultdict[str, list[Span]] = defaultdict(list)
    for block in blocks:
        span = Span(block.begin, reader.stops[block.end - 1])
        if block.kind == "footnote" and block.label in {"#", "*"}:
            nameless[block.label].append(span)
        elif block.kind == "footnote":
            named.setdefault(("note", _folded(block.label)), span)
        elif block.kind == "substitution":
            named.setdefault(("substitution", _folded(block.label)), span)
        elif block.kind == "target" and (link := _LINK.match(reader.text, block.begin + 3)):
            named.setdefault(("link", _folded(link[1] or link[2])), span)
    if not named and not nameless:
        return None
    counted: dict[str, tuple[Sequence[int], Sequence[Span]]] = {}
    for mark, spans in nameless.items():
        uses = re.finditer(re.escape(f"[{mark}]_"), reader.text)
        counted[mark] = ([use.start() for use in uses], spans)
    return _Notes(reader.text, named, frozenset(sort for sort, _ in named), counted)
