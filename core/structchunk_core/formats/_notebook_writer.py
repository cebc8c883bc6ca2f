"""A notebook as one Markdown text: its cells in order, code and what it has shown in fences."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, replace

from structchunk_core.detect import language_of_tag
from structchunk_core.formats._notebook_cells import Cell, Notebook
from structchunk_core.formats._notebook_json import Decoded
from structchunk_core.formats._notebook_magics import read_cell
from structchunk_core.formats._notebook_outputs import output_text


@dataclass(frozen=True, slots=True)
class Fence:
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
class Shown:
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
    code: Fence | None = None
    output: Fence | None = None


_IMAGE = re.compile(r"(?<=;base64,)[A-Za-z0-9+/=]{64,}+")
_DROPPED = "..."
_MARKS = re.compile(r"`{3,}+")


class Writing:
    """The rendered text in the making, and where its parts come from."""

    def __init__(self, text: str, notebook: Notebook) -> None:
        self.places: list[tuple[int, int]] = []
        self.shown: list[Shown] = []
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
        shown = Shown("markdown" if kind == "heading" else kind, start, cell.number, cell.anchor)
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

    def _closed(self, marks: str, start: int, inner: int) -> Fence:
        self._end_line()
        close = self._length
        self._write(f"{marks}\n")
        return Fence(marks, start, inner, close)

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
