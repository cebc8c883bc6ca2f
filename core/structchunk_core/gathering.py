"""Pieces that hold no more than brackets or tags, put to a neighbour where both fit together.

Choosing keeps room for a context in each chunk and for errors of the estimate. A bracket alone is
worth neither: it goes where the exact count has room for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from structchunk_core.scopes import Budget
from structchunk_core.unit import Unit

if TYPE_CHECKING:
    from structchunk_core.packing import Piece

_BRACKETS: Final = frozenset({"close", "head"})
_MOST: Final = 80  # characters of what is looked at for a letter or digit


def gathered(pieces: Iterable[Piece], text: str, budget: Budget) -> Iterator[Piece]:
    """The pieces of records; those that say nothing by themselves go to a neighbour.

    They only close or open what is around them, or are empty. What ends with an opening bracket
    goes to the piece behind it, all else to the one in front or else to that, where the text of
    both keeps the limit.
    """
    last: Piece | None = None
    was_bare = False
    for piece in pieces:
        is_bare = _is_bare(piece, text)
        if last is None:
            last, was_bare = piece, is_bare
            continue
        united = None
        if was_bare or (is_bare and piece.units[-1].kind != "head"):
            united = _united(last, piece, text, budget)
        if united is None:
            yield last
            last, was_bare = piece, is_bare
        else:
            last, was_bare = united, was_bare and is_bare
    if last is not None:
        yield last


def _is_bare(piece: Piece, text: str) -> bool:
    """Whether a piece has no more than brackets or tags around what others hold, or nothing."""
    start, end = piece.start, piece.end
    is_silent = end - start <= _MOST and not any(map(str.isalnum, text[start:end]))
    if not is_silent and not all(unit.kind in _BRACKETS for unit in piece.units):
        return False
    return all(
        scope is not None and scope.unit.repeat is not None and scope.unit.repeat.chained
        for scope in piece.scopes
    )


def _united(first: Piece, second: Piece, text: str, budget: Budget) -> Piece | None:
    """Two neighbours as one piece; None where that exceeds the limit."""
    if second.overlap or first.required or second.required:
        return None
    count, limit = budget.measure.count, budget.limit
    written = first.prefix + first.overlap + text[first.start : second.end] + second.suffix
    if count(written) > limit:
        # One that has no room for what it should carry goes without that in any case.
        alone = first.prefix + first.overlap + text[first.start : first.end] + first.suffix
        if count(alone) <= limit or count(text[first.start : second.end]) > limit:
            return None
    parts_of: dict[int, Unit] = {id(unit): unit for unit in (*first.parts_of, *second.parts_of)}
    return first._replace(
        end=second.end,
        units=(*first.units, *second.units),
        scopes=(*first.scopes, *second.scopes),
        scope=second.scope if _is_bare(first, text) else first.scope,
        suffix=second.suffix,
        problems=tuple(dict.fromkeys((*first.problems, *second.problems))),
        parts_of=tuple(parts_of.values()),
        borders=[*first.borders, *second.borders],
        measured=-1,
    )
