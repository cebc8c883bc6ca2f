"""Jupyter notebooks: rendered as one Markdown document, cell after cell.

Markdown cells stay as they are, so that their headings make sections of the whole notebook. Code
cells become fences of their language, which readers and models know, and what they have shown
becomes a fence ``output`` right below. A code cell and its output are one unit, and the Markdown
cell above is its lead-in. Images, execution counts and metadata are no part of the text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from structchunk_core.detect import language_of_tag
from structchunk_core.errors import Problem
from structchunk_core.formats import ParseOptions
from structchunk_core.formats._code_parts import CodePart, blank, facts_of_parts
from structchunk_core.formats._markdown_blocks import Block, View
from structchunk_core.formats._markdown_document import Document, with_references
from structchunk_core.formats._markdown_head import Head, read_head
from structchunk_core.formats._markdown_regions import read_with_regions
from structchunk_core.formats._markdown_units import units_of
from structchunk_core.formats._notebook_cells import notebook_or_none
from structchunk_core.formats._notebook_json import JsonError, read_json
from structchunk_core.formats._notebook_magics import masked
from structchunk_core.formats._notebook_writer import Fence, Shown, Writing
from structchunk_core.formats._sections import in_sections
from structchunk_core.formats.code import Inside, parse_inside
from structchunk_core.rendering import Rendering
from structchunk_core.source import Source, line_start, parsable
from structchunk_core.unit import Facts, Parsed, Repeat, Tie, Unit


def parse(source: Source, options: ParseOptions) -> Parsed:
    """The unit tree of a notebook over its rendering; text with a problem if it is none.

    The title is that of front matter in the first cell, else the only heading of the first level,
    else the one in the metadata.

    Raises:
        MissingDependencyError: a grammar is missing and ``on_missing_grammar`` is ``"error"``.
    """
    try:
        notebook = notebook_or_none(source.text, read_json(source.text))
    except JsonError:
        return _as_text(source, options, "the JSON of this notebook is broken")
    if notebook is None:
        return _as_text(source, options, "this JSON holds no cells of a notebook")
    written = Writing(source.text, notebook)
    text = written.text()
    rendering = Rendering(text, written.places, len(source.text))
    shown = written.shown
    insides = {
        cell.number: _parsed(text, cell, cell.code, options)
        for cell in shown
        if cell.code is not None and cell.grammar
    }
    head = _head(text, shown)
    parts = tuple(_parts(text, shown, head.matter_end, options))
    firsts = [part.label for part in parts if part.level == 1 and part.label]
    top = _in_sections(parts, len(text))
    root = Unit(
        "document",
        0,
        len(text),
        atomic=False,
        opener=(lambda: _units(text, top, insides)) if top else None,
        node_type="notebook",
    )
    problems = tuple(
        replace(one, start=rendering.origin(one.start), end=rendering.origin(one.end))
        for inside in insides.values()
        for one in inside.problems
    )
    rendered = replace(source, text=text)
    language = language_of_tag(notebook.language)
    facts = _facts(rendered, shown, insides, language, options)
    title = head.title or (firsts[0] if len(firsts) == 1 else notebook.title)
    return Parsed(root, problems, title, facts, rendering)


def _parsed(text: str, cell: Shown, code: Fence, options: ParseOptions) -> Inside:
    inner = masked(text[code.inner : code.close], cell.grammar, cell.magic)
    return parse_inside(text, code.inner, code.close, inner, cell.grammar, options)


def _as_text(source: Source, options: ParseOptions, message: str) -> Parsed:
    from structchunk_core.formats.text import parse as parse_text

    parsed = parse_text(source, options)
    broken = Problem("broken-notebook", f"{message}: cut as plain text")
    return replace(parsed, problems=(*parsed.problems, broken), title="")


@dataclass(slots=True)
class _Part:
    """What stands at the top level of the notebook: a block of Markdown, a cell, a section."""

    start: int
    cell: Shown
    document: Document | None = None
    block: Block | None = None
    level: int = 0
    label: str = ""
    end: int = 0
    inner: list[_Part] = field(default_factory=list)

    @property
    def is_section(self) -> bool:
        return bool(self.inner)


_LONE_RETURN = re.compile(r"\r(?!\n)")


def _head(text: str, shown: Sequence[Shown]) -> Head:
    """The front matter of the first cell, if it has any."""
    if not shown or shown[0].kind == "code":
        return Head("", 0, 0, 0)
    return read_head(text[: shown[1].start if len(shown) > 1 else len(text)], is_mdx=False)


def _parts(
    text: str, shown: Sequence[Shown], matter_end: int, options: ParseOptions
) -> Iterator[_Part]:
    """The blocks of Markdown cells and the other cells, in order."""
    for number, cell in enumerate(shown):
        end = shown[number + 1].start if number + 1 < len(shown) else len(text)
        content = text[cell.start : end]
        matter = 0 if number else matter_end
        if cell.kind == "code" or (cell.kind == "raw" and not matter):
            yield _Part(cell.start, cell)
            continue
        view = View(_LONE_RETURN.sub(" ", parsable(content)), cell.start)
        read = read_with_regions(blank(view.text[:matter]) + view.text[matter:])
        document = Document(text, view, read.text, options)
        blocks = list(with_references(read.text, read.blocks, matter))
        if matter:
            blocks.insert(0, Block("front_matter", 0, matter))
        reached = -1
        for block in blocks or [Block("paragraph", 0, len(content))]:
            start = cell.start if reached < 0 else line_start(text, document.at(block.start))
            if start > reached:
                heading = block.level if block.kind == "heading" else 0
                label = block.label if heading else ""
                yield _Part(start, cell, document, block, heading, label)
                reached = start


def _in_sections(parts: Sequence[_Part], length: int) -> Sequence[_Part]:
    """The parts, each up to the next one, with headings and what follows them in sections."""
    starts = [*(part.start for part in parts[1:]), length]
    for part, end in zip(parts, starts, strict=False):  # there may be none
        part.end = end
    return in_sections(parts, _section_of)


def _section_of(members: Sequence[_Part], _depth: int) -> _Part:
    heading = members[0]
    return _Part(
        heading.start,
        heading.cell,
        level=heading.level,
        label=heading.label,
        end=members[-1].end,
        inner=list(members),
    )


def _units(text: str, parts: Sequence[_Part], insides: Mapping[int, Inside]) -> Iterator[Unit]:
    """The units of sibling parts; those of one Markdown cell are made together."""
    number = 0
    while number < len(parts):
        part = parts[number]
        tie = _tie(parts[number - 1] if number else None, part)
        behind = number + 1
        if part.is_section:
            yield _section(text, part, tie, insides)
        elif part.document is None or part.block is None:
            make = _code_cell if part.cell.kind == "code" else _raw_cell
            yield make(text, part, tie, insides)
        else:
            while behind < len(parts) and parts[behind].document is part.document:
                behind += 1
            blocks = [one.block for one in parts[number:behind] if one.block is not None]
            end = parts[behind - 1].end
            yield from units_of(part.document, blocks, part.start, end, first=tie)
        number = behind


def _tie(previous: _Part | None, part: _Part) -> Tie:
    if previous is None or previous.is_section:
        return Tie.FREE
    if previous.level:
        return Tie.HEAD
    if part.is_section:
        return Tie.FREE
    if part.document is None:
        is_lead = previous.document is not None and part.cell.kind == "code"
        return Tie.CLOSE if is_lead else Tie.LOOSE
    return Tie.LOOSE if previous.document is not None else Tie.FREE


def _section(text: str, part: _Part, tie: Tie, insides: Mapping[int, Inside]) -> Unit:
    return Unit(
        "section",
        part.start,
        part.end,
        label=part.label,
        atomic=False,
        tie=tie,
        opener=lambda: _units(text, part.inner, insides),
        node_type="section",
        level=part.level,
    )


def _raw_cell(_text: str, part: _Part, tie: Tie, _insides: Mapping[int, Inside]) -> Unit:
    return Unit("raw_cell", part.start, part.end, tie=tie, node_type="raw_cell")


def _code_cell(text: str, part: _Part, tie: Tie, insides: Mapping[int, Inside]) -> Unit:
    """A code cell opens into the fence of its code and that of its output."""
    cell, end = part.cell, part.end
    assert cell.code is not None
    code, output = cell.code, cell.output
    language = cell.grammar or cell.language
    inside = insides.get(cell.number)

    def children() -> Iterator[Unit]:
        units = inside.units() if inside else ()
        yield _fence("fence", text, code, output.start if output else end, units, language)
        if output is not None:
            yield _fence("output", text, output, end, (), "")

    return Unit(
        "code_cell",
        cell.start,
        end,
        tie=tie,
        language=language,
        opener=children,
        node_type="code_cell",
    )


def _fence(
    kind: str, text: str, fence: Fence, end: int, units: Sequence[Unit], language: str
) -> Unit:
    """A fence opens into its opening line, what is in it, and its closing line."""
    opening = text[fence.start : fence.inner]

    def children() -> Iterator[Unit]:
        yield Unit("fence_mark", fence.start, fence.inner)
        if fence.inner < fence.close:
            inner = units or (Unit("code_text", fence.inner, fence.close),)
            yield replace(inner[0], tie=Tie.HEAD)
            yield from inner[1:]
        yield Unit("fence_mark", fence.close, end, tie=Tie.HEAD)

    return Unit(
        kind,
        fence.start,
        end,
        tie=Tie.CLOSE,
        language=language,
        repeat=Repeat(before=opening, after=f"\n{fence.marks}", required=True),
        opener=children,
        node_type=kind,
    )


def _facts(
    source: Source,
    shown: Sequence[Shown],
    insides: Mapping[int, Inside],
    language: str,
    options: ParseOptions,
) -> Facts:
    """What can be asked about spans of the rendered text, which the source here has."""
    starts = [cell.start for cell in shown]

    def cell_at(position: int) -> Shown | None:
        return shown[max(0, bisect_right(starts, position) - 1)] if shown else None

    def anchor(start: int, _end: int) -> str:
        cell = cell_at(start)
        return cell.anchor if cell else ""

    def number(start: int, _end: int) -> int:
        cell = cell_at(start)
        return cell.number if cell else 0

    code = [
        _code_part(source, cell.code, inside, language, cell.magic)
        for cell in shown
        if cell.code is not None
        and cell.grammar == language
        and (inside := insides.get(cell.number)) is not None
        and not inside.problems
    ]

    return replace(facts_of_parts(source, code, language, options), anchor=anchor, cell=number)


def _code_part(source: Source, fence: Fence, inside: Inside, language: str, magic: int) -> CodePart:
    """A code cell in which the grammar has understood everything."""
    return CodePart(
        fence.inner,
        fence.close,
        lambda: masked(source.text[fence.inner : fence.close], language, magic),
        inside.units,
    )
