"""The units of a Markdown document, as tests look at them."""

from __future__ import annotations

from collections.abc import Iterator

from structchunk_core.formats import ParseOptions
from structchunk_core.formats.markdown import parse
from structchunk_core.source import Source
from structchunk_core.unit import Parsed, Unit

CODE_KINDS = frozenset({"fence", "code"})  # what is inside is another format's business


def read(text: str, path: str = "") -> Parsed:
    return parse(Source(text, path, "markdown"), ParseOptions())


def units(text: str, kind: str, path: str = "") -> list[Unit]:
    return [unit for _, unit in read(text, path).root.walk() if unit.kind == kind]


def only(text: str, kind: str, path: str = "") -> Unit:
    (unit,) = units(text, kind, path)
    return unit


def paths(text: str, path: str = "") -> Iterator[tuple[tuple[str, ...], str]]:
    """The heading path and the text of each leaf, in order."""
    stack: list[tuple[tuple[str, ...], Unit]] = [((), read(text, path).root)]
    while stack:
        above, unit = stack.pop()
        labels = (*above, unit.label) if unit.label else above
        children = unit.open()
        if not children:
            yield labels, text[unit.start : unit.end]
        stack.extend((labels, child) for child in reversed(children))


def spell(text: str, path: str = "") -> str:
    root = read(text, path).root
    assert (root.start, root.end) == (0, len(text))
    return "".join(leaf for _, leaf in paths(text, path))
