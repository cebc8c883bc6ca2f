"""What sorts of content a piece holds, from the kinds of its units."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from structchunk_core.packing import Piece
from structchunk_core.unit import Unit

CODE: Final = ("code",)
_AROUND_MAIN: Final = "boilerplate"  # what stands around the main text of a page
_HOLDERS: Final = frozenset({"admonition", "html", "item", "quote"})  # of any sort of content
_ELEMENT_TYPES: Final = {
    "admonition": "quote",
    "boilerplate": _AROUND_MAIN,
    "cell": "table",
    "code": "code",
    "code_cell": "code",
    "code_text": "code",
    "definition_list": "list",
    "esm": "code",
    "fence": "code",
    "fence_mark": "code",
    "footnote": "footnote",
    "front_matter": "front_matter",
    "html": "html",
    "item": "list",
    "mapping": "record",
    "pair": "record",
    "pairs": "record",
    "record": "record",
    "records": "record",
    "sequence": "record",
    "value": "record",
    "values": "record",
    "line": "lines",
    "lines": "lines",
    "list": "list",
    "math": "math",
    "output": "output",
    "procedure": "procedure",
    "quote": "quote",
    "row": "table",
    "rows": "table",
    "table": "table",
    "table_head": "table",
    "table_profile": "table",
}


def element_type_inside(chain: Sequence[Unit]) -> str:
    """The one type of everything inside the innermost of the opened units, or ``""``."""
    kinds = [unit.kind for unit in chain]
    if _AROUND_MAIN in kinds:
        return _AROUND_MAIN
    for unit in reversed(chain):
        if unit.kind in _ELEMENT_TYPES:
            is_one = unit.atomic and unit.kind not in _HOLDERS
            return _ELEMENT_TYPES[unit.kind] if is_one else ""
    return ""


def element_types_of(piece: Piece, common: str) -> tuple[str, ...]:
    """The types of what is in the piece, the most of it first.

    Args:
        piece: the piece.
        common: that of all that stands in its scope, or ``""`` where there may be several.
    """
    if common:
        return (common,)
    only = piece.units[0]
    if len(piece.units) == 1 and only.atomic and only.kind not in {"heading", "section"}:
        return (_ELEMENT_TYPES.get(only.kind, "prose"),)
    lengths: dict[str, int] = {}
    has_headings = False
    stack: list[Unit] = []
    for unit, scope in zip(piece.units, piece.scopes, strict=True):
        if scope is piece.scope or scope is None:
            stack.append(unit)
        elif _AROUND_MAIN in [one.kind for one in scope.chain()]:
            lengths[_AROUND_MAIN] = 1
        else:
            stack.append(unit)
    while stack:
        unit = stack.pop()
        contents: Iterable[tuple[str, int]] = ((unit.kind, unit.end - unit.start),)
        if unit.kind == "section" or (unit.kind not in _ELEMENT_TYPES and not unit.atomic):
            surveyed = unit.survey()
            if surveyed is None:
                stack.extend(unit.open())
                continue
            contents = surveyed
        for kind, length in contents:
            if kind != "heading":
                element = _ELEMENT_TYPES.get(kind, "prose")
                lengths[element] = lengths.get(element, 0) + length
            else:
                has_headings = True
    surroundings = lengths.pop(_AROUND_MAIN, None) is not None
    if surroundings and has_headings and not lengths:
        lengths["prose"] = 0  # a title is main text as well
    ordered = sorted(lengths, key=lambda element: (-lengths[element], element))
    if surroundings:  # the main text says what a page is, however much stands around it
        ordered.append(_AROUND_MAIN)
    return tuple(ordered) or ("prose",)
