"""The cells of a notebook file, of every version of the format, in order.

Version 4 keeps them in ``cells``, versions 2 and 3 in ``worksheets``; what they call ``input``
and ``pyout`` is ``source`` and ``execute_result`` in version 4. Both are read as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from structchunk_core.detect import language_of_tag
from structchunk_core.formats._notebook_json import NOTHING, Decoded, Value, decoded, joined


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell.

    Attributes:
        kind: ``markdown``, ``code``, ``raw`` or ``heading``.
        start: where it begins in the file, in characters.
        source: what its author has written.
        number: 1-based, among all cells of the notebook.
        anchor: its id, or ``""``: files before version 4.5 have none.
        language: the language that the cell itself names, or ``""``.
        level: of a heading cell.
        outputs: what running it has shown.
    """

    kind: str
    start: int
    source: Decoded
    number: int
    anchor: str
    language: str
    level: int
    outputs: Sequence[Value]


@dataclass(frozen=True, slots=True)
class Notebook:
    """A notebook.

    Attributes:
        cells: its cells, in order.
        language: the language of its kernel, as a fence would name it.
        title: the title in its metadata, or ``""``.
    """

    cells: Sequence[Cell]
    language: str
    title: str


def notebook_or_none(text: str, root: Value) -> Notebook | None:
    """The notebook that the JSON value is; None when it has no cells."""
    sheets = root.get("worksheets").items
    arrays = [sheet.get("cells") for sheet in sheets] or [root.get("cells")]
    if any(array.kind != "array" for array in arrays):
        return None
    values = [value for array in arrays for value in array.items if value.kind == "object"]
    cells = tuple(_cell(text, value, number) for number, value in enumerate(values, 1))
    title = string(text, root.get("metadata", "title"))
    return Notebook(cells, _kernel_language(text, root, values), " ".join(title.split()))


def string(text: str, value: Value) -> str:
    """What a string stands for; ``""`` for any other value."""
    if value.kind != "string":
        return ""
    return decoded(text, value.start + 1, value.end - 1).text


_KINDS = frozenset({"code", "heading", "markdown", "raw"})


def _cell(text: str, value: Value, number: int) -> Cell:
    kind = string(text, value.get("cell_type"))
    metadata = value.get("metadata")
    level = value.get("level")
    digits = text[level.start : level.end]
    source = value.get("source")
    if source is NOTHING:
        source = value.get("input")
    return Cell(
        kind if kind in _KINDS else "raw",
        value.start,
        joined(text, source),
        number,
        string(text, value.get("id")) or string(text, metadata.get("id")),
        _named_language(text, metadata),
        min(int(digits), 6) if digits.isdecimal() and 0 < len(digits) < 3 else 1,
        value.get("outputs").items,
    )


def _named_language(text: str, metadata: Value) -> str:
    """The language that an editor or a kernel of several languages notes for one cell."""
    for names in (
        ("vscode", "languageId"),
        ("polyglot_notebook", "kernelName"),
        ("dotnet_interactive", "language"),
    ):
        named = string(text, metadata.get(*names)).lower()
        if named:
            return named
    return ""


_VERSION = re.compile(r"[-_ .]*[\d.]+$")
_KERNELS = {"ir": "r", "iruby": "ruby", "ijavascript": "javascript", "sagemath": "python"}


def _kernel_language(text: str, root: Value, cells: Sequence[Value]) -> str:
    """The language of the kernel; what no kernel is known for is Python, as Jupyter's own is."""
    named = [name for name in _language_names(text, root, cells) if name]
    known = (name for name in named if language_of_tag(name))
    return next(known, named[0] if named else "python")


def _language_names(text: str, root: Value, cells: Sequence[Value]) -> Iterator[str]:
    metadata = root.get("metadata")
    yield string(text, metadata.get("kernelspec", "language")).lower()
    yield string(text, metadata.get("language_info", "name")).lower()
    kernel = _VERSION.sub("", string(text, metadata.get("kernelspec", "name")).lower())
    yield _KERNELS.get(kernel, kernel)
    yield string(text, metadata.get("language_info", "file_extension")).lstrip(".").lower()
    yield string(text, metadata.get("language")).lower()
    for value in cells:
        yield string(text, value.get("language")).lower()
