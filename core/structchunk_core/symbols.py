"""The names of what a piece defines, with those of its scopes in front."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

from structchunk_core.definition import Definition
from structchunk_core.packing import Piece
from structchunk_core.profiles import profile
from structchunk_core.unit import Unit

CODE_HOLDERS: Final = frozenset({"code_cell", "fence"})  # atomic; definitions may be in them


def symbols_of(piece: Piece, shared: Sequence[str], language: str, *, own: bool) -> tuple[str, ...]:
    """The qualified names of what the piece defines.

    Args:
        piece: the piece.
        shared: labels of the definitions around all of it, outermost first.
        language: how names are written.
        own: whether it is a part of the innermost of these.
    """
    separator = _separator(language)
    found: dict[str, None] = {}
    if shared and own:
        found[separator.join(shared)] = None
    for unit, scope in zip(piece.units, piece.scopes, strict=True):
        outside: Sequence[str] = shared
        if scope is not piece.scope and scope is not None:
            labelled = [one for one in scope.chain() if one.label and one.definition is not None]
            outside = [one.label for one in labelled]
            if labelled and (unit.kind == "head" or labelled[-1].atomic):
                found[separator.join(outside)] = None
        stack: list[tuple[Unit, Sequence[str]]] = [(unit, outside)]
        while stack:
            one, names = stack.pop()
            if one.definition is not None:
                names = [*names, one.label]
                found[separator.join(names)] = None
            if not one.atomic or one.kind in CODE_HOLDERS:
                stack.extend([(child, names) for child in reversed(one.open())])
    return tuple(found)


def qualified_name(language: str, names: Sequence[str]) -> str:
    """The name of a definition with those of its scopes in front, as its language writes it."""
    return _separator(language).join(names)


@cache
def _separator(language: str) -> str:
    return profile(language).scope_separator


def only_definition(holder: Unit) -> Definition | None:
    """Facts about what a block of code defines, when that is one thing."""
    found: Definition | None = None
    stack = [holder]
    while stack:
        unit = stack.pop()
        if unit.definition is not None:
            if found is not None:
                return None
            found = unit.definition
        elif not unit.atomic or unit.kind in CODE_HOLDERS:
            stack.extend(unit.open())
    return found
