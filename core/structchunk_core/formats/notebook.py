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
from structchunk_core.formats._notebook_cells import Cell, Notebook, notebook_or_none
from structchunk_core.formats._notebook_json import Decoded, JsonError, read_json
from structchunk_core.formats._notebook_magics import masked, read_cell
from structchunk_core.formats._notebook_outputs import output_text
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
    written = _Writing(source.text, notebook)
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
    top = _nested(parts, len(text))
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


def _parsed(text: str, cell: _Shown, code: _Fence, options: ParseOptions) -> Inside:
    inner = masked(text[code.inner : code.close], cell.grammar, cell.magic)
    return parse_inside(text, code.inner, code.close, inner, cell.grammar, options)


def _as_text(source: Source, options: ParseOptions, message: str) -> Parsed:
    from structchunk_core.formats.text import parse as parse_text

    parsed = parse_text(source, options)
    broken = Problem("broken-notebook", f"{message}: cut as plain text")
    return replace(parsed, problems=(*parsed.problems, broken), title="")


# --- rendering ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Fence:
    """A fence in the rendered text, in characters of it.

    Attributes:
        marks: what it is opened and closed with.
        start: where its opening line begins.
        inner: where its content begins, on the line below.
        close: where its closing line begins.
    """

    marks: str
    start: int
    inner: int
    close: int


@dataclass(frozen=True, slots=True)
class _Shown:
    """A cell in the rendered text.

    Attributes:
        kind: ``markdown``, ``code`` or ``raw``.
        start: where it begins, in characters of the rendered text; it reaches to the next one.
        number: of the cell, 1-based.
        anchor: the id of the cell, or ``""``.
        language: of a code cell, as its fence names it.
        grammar: the name of its grammar, or ``""``.
        magic: how many characters of the code are the magic that names the language.
        code: the fence of the code of a code cell.
        output: the fence of what it has shown, if anything.
    """

    kind: str
    start: int
    number: int
    anchor: str
    language: str = ""
    grammar: str = ""
    magic: int = 0
    code: _Fence | None = None
    output: _Fence | None = None


_IMAGE = re.compile(r"(?<=;base64,)[A-Za-z0-9+/=]{64,}+")
_DROPPED = "..."
_MARKS = re.compile(r"`{3,}+")


class _Writing:
    """The rendered text in the making, and where its parts come from."""

    def __init__(self, text: str, notebook: Notebook) -> None:
        self.places: list[tuple[int, int]] = []
        self.shown: list[_Shown] = []
        self._pieces: list[str] = []
        self._length = 0
        for cell in notebook.cells:
            self._cell(text, cell, notebook.language)

    def text(self) -> str:
        """All that was written."""
        return "".join(self._pieces)

    def _cell(self, text: str, cell: Cell, kernel: str) -> None:
        kind, language, magic = cell.kind, cell.language or kernel, 0
        if kind == "code":
            language, magic = read_cell(cell.source.text, language)
            kind = "markdown" if language == "markdown" else kind
        output = output_text(text, cell.outputs) if kind == "code" else ""
        first, behind = _visible(cell.source.text, 0 if kind == "code" else magic)
        if first >= behind and not output:
            return
        if self._length:
            self._write("\n")
        start = self._length
        self.places.append((start, cell.start))
        shown = _Shown("markdown" if kind == "heading" else kind, start, cell.number, cell.anchor)
        if kind != "code":
            if kind == "heading":
                self._write("#" * cell.level + " ")
            self._copy(cell.source, first, behind, drop_images=True)
            self._end_line()
            self.shown.append(shown)
            return
        marks = _marks_for(cell.source.text)
        self._write(f"{marks}{language}\n")
        inner = self._length
        self._copy(cell.source, first, behind)
        code = self._closed(marks, start, inner)
        written = None
        if output:
            begin, marks = self._length, _marks_for(output)
            self._write(f"{marks}output\n")
            inner = self._length
            self._write(output)
            written = self._closed(marks, begin, inner)
        grammar = language_of_tag(language) or (language if language == kernel else "")
        magic = max(0, magic - first)
        self.shown.append(
            replace(
                shown, language=language, grammar=grammar, magic=magic, code=code, output=written
            )
        )

    def _closed(self, marks: str, start: int, inner: int) -> _Fence:
        self._end_line()
        close = self._length
        self._write(f"{marks}\n")
        return _Fence(marks, start, inner, close)

    def _write(self, text: str) -> None:
        self._pieces.append(text)
        self._length += len(text)

    def _end_line(self) -> None:
        if not self._pieces[-1].endswith("\n"):
            self._write("\n")

    def _copy(self, source: Decoded, start: int, end: int, *, drop_images: bool = False) -> None:
        """Write the half-open span of what the author has written, and where it comes from."""
        position = start
        if drop_images:
            for image in _IMAGE.finditer(source.text, start, end):
                self._copy_plain(source, position, image.start())
                self._write(_DROPPED)
                position = image.end()
        self._copy_plain(source, position, end)

    def _copy_plain(self, source: Decoded, start: int, end: int) -> None:
        if start >= end:
            return
        self.places.append((self._length, source.origin(start)))
        first = bisect_right(source.positions, start)
        behind = bisect_right(source.positions, end, first)
        shift = self._length - start
        self.places.extend(
            (position + shift, origin)
            for position, origin in zip(
                source.positions[first:behind], source.origins[first:behind], strict=True
            )
        )
        self._write(source.text[start:end])


def _visible(text: str, start: int) -> tuple[int, int]:
    """The span from there without blank lines at its ends and white space behind it."""
    behind = len(text.rstrip())
    first = start + len(text[start:]) - len(text[start:].lstrip())
    return max(start, text.rfind("\n", 0, first) + 1), behind


def _marks_for(content: str) -> str:
    """Marks for a fence, more than stand in a row in its content."""
    longest = max((len(marks) for marks in _MARKS.findall(content)), default=2)
    return "`" * (longest + 1)


# --- sections -----------------------------------------------------------------------------------


@dataclass(slots=True)
class _Part:
    """What stands at the top level of the notebook: a block of Markdown, a cell, a section."""

    start: int
    cell: _Shown
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


def _head(text: str, shown: Sequence[_Shown]) -> Head:
    """The front matter of the first cell, if it has any."""
    if not shown or shown[0].kind == "code":
        return Head("", 0, 0, 0)
    return read_head(text[: shown[1].start if len(shown) > 1 else len(text)], is_mdx=False)


def _parts(
    text: str, shown: Sequence[_Shown], matter_end: int, options: ParseOptions
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


def _nested(parts: Sequence[_Part], length: int) -> list[_Part]:
    """The parts with each heading and what follows it in a section, by level."""
    top: list[_Part] = []
    sections: list[_Part] = []
    for number, part in enumerate(parts):
        part.end = parts[number + 1].start if number + 1 < len(parts) else length
        if part.level:
            while sections and sections[-1].level >= part.level:
                sections.pop().end = part.start
            section = _Part(
                part.start, part.cell, level=part.level, label=part.label, end=length, inner=[part]
            )
            (sections[-1].inner if sections else top).append(section)
            sections.append(section)
        else:
            (sections[-1].inner if sections else top).append(part)
    return top


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


# --- cells --------------------------------------------------------------------------------------


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
    kind: str, text: str, fence: _Fence, end: int, units: Sequence[Unit], language: str
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


# --- facts --------------------------------------------------------------------------------------


def _facts(
    source: Source,
    shown: Sequence[_Shown],
    insides: Mapping[int, Inside],
    language: str,
    options: ParseOptions,
) -> Facts:
    """What can be asked about spans of the rendered text, which the source here has."""
    starts = [cell.start for cell in shown]

    def cell_at(position: int) -> _Shown | None:
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


def _code_part(
    source: Source, fence: _Fence, inside: Inside, language: str, magic: int
) -> CodePart:
    """A code cell in which the grammar has understood everything."""
    return CodePart(
        fence.inner,
        fence.close,
        lambda: masked(source.text[fence.inner : fence.close], language, magic),
        inside.units,
    )
