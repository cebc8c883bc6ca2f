"""Units that the formats of records have in common: heads, what they hold, and what closes them.

``mapping`` is a value with keys, ``sequence`` a list, ``record`` a mapping in a list, ``pair`` a
key with a plain value, ``value`` a plain value in a list; ``pairs``, ``values`` and ``records`` are
several of them. Records, pairs and values are atomic; the others are opened where they do not fit
the target.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import islice

from structchunk_core.errors import Problem
from structchunk_core.table_model import Table
from structchunk_core.unit import Repeat, Tie, Unit, make_unit

DEEPEST = 50
"""What is nested deeper than this is one leaf: nobody writes so, and each level costs time."""

IDENTIFYING = frozenset(
    {
        "$id",
        "@id",
        "_id",
        "code",
        "id",
        "key",
        "name",
        "path",
        "sku",
        "slug",
        "symbol",
        "title",
        "url",
        "uuid",
    }
)
"""Keys that, as the first of a record in a list, tell which one it is: its value is a label."""

TOGETHER = 8
"""Neighbours of one sort that are one unit while they fit the target."""

_GROUPED = {
    "mapping": "pairs",
    "pair": "pairs",
    "record": "records",
    "sequence": "pairs",
    "value": "values",
}

LONGEST_LABEL = 120
"""Characters of a key that stand in paths."""

_TOO_DEEP = f"nested more than {DEEPEST} levels deep: cut as text from there on"
_MOST_PROBLEMS = 50


def holder(  # noqa: PLR0913  # the fields of the unit that it makes
    kind: str,
    span: tuple[int, int],
    inside: tuple[int, int],
    children: Callable[[], Iterable[Unit]],
    repeat: Repeat | None,
    *,
    label: str = "",
    tie: Tie = Tie.NEXT,
    tail: int = 0,
    level: int = 0,
    language: str = "",
    tabular: Callable[[], Table | None] | None = None,
) -> Unit:
    """A unit with a head (key, opening bracket), what it holds, and what closes it.

    Args:
        kind: ``mapping``, ``sequence`` or ``record``; the last is atomic.
        span: all of it, half-open, in characters.
        inside: the stretch of it that the children tile.
        children: makes what it holds.
        repeat: what its parts carry.
        label: its key, or what else names it.
        tie: how it holds on to what is above.
        tail: how many of its last characters only separate it from what follows.
        level: how deep it is nested; a leaf with a problem beyond ``DEEPEST``.
        language: the language of its text, if it is the document.
        tabular: what tells whether it is a table, if that may be.
    """
    start, end = span
    problems: tuple[Problem, ...] = ()
    opener: Callable[[], Iterable[Unit]] | None = None
    if level > DEEPEST:
        problems = (Problem("nested-too-deep", _TOO_DEEP, start, end),)
        language, repeat = "", None
    else:
        opener = partial(_opened, start, inside[0], inside[1], end, tail, children)
    return make_unit(
        kind,
        start,
        end,
        label,
        kind == "record",
        tie,
        language,
        None,  # definition
        repeat,
        opener,
        problems=problems,
        tail=tail,
        tabular=tabular,
    )


def _opened(
    start: int,
    first: int,
    behind: int,
    end: int,
    tail: int,
    children: Callable[[], Iterable[Unit]],
) -> Iterator[Unit]:
    if first > start:
        yield make_unit("head", start, first)
    inner = iter(children())
    if first > start:
        yield from (replace(child, tie=Tie.HEAD) for child in islice(inner, 1))
    yield from inner
    if end > behind:
        yield make_unit("close", behind, end, tie=Tie.HEAD, tail=tail)


def together(units: Iterable[Unit]) -> Iterator[Unit]:
    """The units, with eight in a row as one that holds them, but for comments.

    Only a time saver: units that do not fit the target are opened again.
    """
    run: list[Unit] = []
    for unit in units:
        if unit.kind not in _GROUPED:
            yield from run
            run = []
            yield unit
            continue
        run.append(unit)
        if len(run) == TOGETHER:
            yield make_unit(
                _GROUPED[run[0].kind],
                run[0].start,
                unit.end,
                "",
                False,
                run[0].tie,
                opener=partial(tuple, run),
                tail=unit.tail,
            )
            run = []
    yield from run


def shortened(label: str) -> str:
    """A key as it stands in paths."""
    return label if len(label) <= LONGEST_LABEL else label[: LONGEST_LABEL - 1] + "\u2026"


class Faults:
    """Where a document is not as its syntax wants it: what touches as one, fifty at most.

    And why nobody can say whether there is more of that, where the strict parser was not asked.
    """

    __slots__ = ("_found", "_unchecked")

    def __init__(self) -> None:
        self._found: list[tuple[str, int, int]] = []
        self._unchecked = ""

    def note(self, message: str, start: int, end: int) -> None:
        """Something is wrong in the half-open span; all behind the first fifty is one."""
        found = self._found
        if found:
            before, first, last = found[-1]
            touches = before == message and first <= end and start <= last
            if touches or len(found) >= _MOST_PROBLEMS:
                found[-1] = before, min(first, start), max(last, end)
                return
        found.append((message, start, end))

    def note_line(self, text: str, message: str, position: int) -> None:
        """Something is wrong from a place in the text to the end of its line.

        Where nothing visible is left of it, as where a value is missing, or a statement ends that
        says what has been said: at what is visible last in front of it.
        """
        position = max(0, min(position, len(text) - 1))
        line_end = text.find("\n", position)
        end = len(text) if line_end < 0 else line_end
        if not text[position:end].strip():
            end = len(text[:position].rstrip())
            position = max(end - 1, 0)
        self.note(message, position, max(end, position + 1))

    def note_unchecked(self, why: str) -> None:
        """The strict parser of the language has not read the document, for a reason."""
        self._unchecked = why

    def is_empty(self) -> bool:
        """Whether nothing has been found."""
        return not self._found

    def forget(self) -> None:
        """Nothing that has been noted is wrong."""
        self._found.clear()

    def problems(self, length: int) -> tuple[Problem, ...]:
        """All of them, in their order, within a document of so many characters."""
        last = max(length - 1, 0)
        placed = tuple(
            Problem("syntax-error", message, min(start, last), min(end, length))
            for message, start, end in self._found
        )
        if not self._unchecked:
            return placed
        return (Problem("not-checked", f"its syntax was not checked: {self._unchecked}"), *placed)
