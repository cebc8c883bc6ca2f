"""Golden cases: documents under ``tests/cases`` that hold an input and what must come of it.

A case has sections, each begun by a line ``--8<-- name``::

    --8<-- case path=orders.py
    What it shows, in words.
    --8<-- input
    (the document, up to the next mark)
    --8<-- outline depth=3
    (lines, kind and label of each unit; ``...`` behind those that may be opened; of a rendered
    document the lines of the rendering)
    --8<-- chunks chunk_size=300 granularity=packed
    (each chunk behind a line with its lines, kind, path and part; context lines begin with ``>>``)

``chunks`` may come several times, with other settings. Sizes are in characters unless a case says
otherwise. ``pytest --update-cases`` writes what comes out into the file: read the diff.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from structchunk_core import Chunk, Chunker
from structchunk_core.unit import Unit
from tests.promises import check_nothing_that_fits_is_cut, check_promises

_CASES = Path(__file__).parent / "cases"
_MARK = "--8<--"
_CONTEXT = ">>"
_DEPTH = 3
_WORDS: Mapping[str, Any] = {"True": True, "False": False}
_PLAIN = frozenset({"constant", "declaration", "expression", "import", "statement", "type"})


class Section(NamedTuple):
    """One section of a case: its name, the settings behind it, and the text below it."""

    name: str
    settings: Mapping[str, Any]
    text: str


def _paths() -> list[Path]:
    return sorted(_CASES.glob("*/*.case"))


@pytest.mark.parametrize("path", _paths(), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_case_comes_out_as_it_says(path: Path, update_cases: bool) -> None:
    written = path.read_bytes().decode("utf-8")
    sections = list(read_sections(written))
    made = "".join(_render(section, sections) for section in sections)
    if update_cases and made != written:
        path.write_bytes(made.encode("utf-8"))
    assert made == written or update_cases


def read_sections(text: str) -> Iterator[Section]:
    """The sections of a case, in order; marks of single chunks do not begin one."""
    name = ""
    settings: Mapping[str, Any] = {}
    lines: list[str] = []
    for line in _lines(text):
        words = line.split()
        if line.startswith(_MARK) and words[1:2] and words[1] in _RENDERERS:
            if name:
                yield Section(name, settings, "".join(lines))
            name, settings, lines = words[1], _settings(words[2:]), []
        else:
            lines.append(line)
    if name:
        yield Section(name, settings, "".join(lines))


def _lines(text: str) -> list[str]:
    return [f"{line}\n" for line in text.split("\n")[:-1]]


def _settings(words: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for word in words:
        key, _, value = word.partition("=")
        found[key] = int(value) if value.isdecimal() else _WORDS.get(value, value)
    return found


def _render(section: Section, sections: list[Section]) -> str:
    shown = "".join(f" {key}={value}" for key, value in section.settings.items())
    head = f"{_MARK} {section.name}{shown}\n"
    return head + _RENDERERS[section.name](section, sections)


def _as_written(section: Section, sections: list[Section]) -> str:
    del sections
    return section.text


def _outline(section: Section, sections: list[Section]) -> str:
    text, names = _document(sections)
    parsed = Chunker(tokenizer="characters").parse(text, **names)
    text = parsed.rendering.text if parsed.rendering else text
    depth = section.settings.get("depth", _DEPTH)
    return "".join(_outline_lines(parsed.root, text, depth))


def _outline_lines(root: Unit, text: str, depth: int) -> Iterator[str]:
    stack = [(0, root)]
    while stack:
        level, unit = stack.pop()
        shown = text[unit.start : unit.end]
        start = unit.start + len(shown) - len(shown.lstrip())
        end = unit.start + len(shown.rstrip())
        first = text.count("\n", 0, start) + 1
        last = text.count("\n", 0, max(start, end - 1)) + 1
        label = f" {unit.label}" if unit.label else ""
        opens = "" if unit.atomic else " ..."
        yield f"{'  ' * level}{first}-{last} {unit.kind}{label}{opens}\n"
        if level < depth and unit.kind not in _PLAIN:
            stack.extend((level + 1, child) for child in reversed(unit.open()))


def _chunks(section: Section, sections: list[Section]) -> str:
    text, names = _document(sections)
    chunker = Chunker(**{"tokenizer": "characters", **section.settings})
    chunks = chunker.chunk(text, **names)
    check_promises(text, chunks, chunker)
    check_nothing_that_fits_is_cut(text, chunks, chunker, chunker.parse(text, **names))
    return "".join(_chunk_lines(chunks))


def _chunk_lines(chunks: list[Chunk]) -> Iterator[str]:
    for chunk in chunks:
        path = " > ".join(chunk.path)
        part = f"part {chunk.part} of {chunk.parts}" if chunk.part else ""
        words = (f"{chunk.start_line}-{chunk.end_line}", chunk.kind, path, part)
        yield f"{_MARK} {' '.join(word for word in words if word)}\n"
        if chunk.context:
            yield from (f"{_CONTEXT} {line}\n" for line in chunk.context.split("\n"))
        yield f"{chunk.text}\n"


def _document(sections: list[Section]) -> tuple[str, dict[str, Any]]:
    case = next(section for section in sections if section.name == "case")
    given = next(section for section in sections if section.name == "input")
    return given.text, dict(case.settings)


_RENDERERS = {"case": _as_written, "input": _as_written, "outline": _outline, "chunks": _chunks}
