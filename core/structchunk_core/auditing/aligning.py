"""Where the texts of any splitter stand in the document that they were made from.

Only letters are compared, whatever a letter is taken to be (every visible character, or only
those of words), so that texts that were stripped, dedented, joined or folded find their place. A
text that is not found as a whole, because something was put in front of it, left out of it or
written otherwise, is put together from the runs that it shares with the document. These are found
as rsync finds what two files share (Tridgell and Mackerras, 1996): the document's blocks of
``BLOCK`` letters are indexed, and the text is read with a window of that length. Time grows with
the length of the document and of the texts, not with their product.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import NamedTuple

BLOCK = 12
"""Letters of an indexed block: runs of at least ``2 * BLOCK - 1`` letters are always found."""

VISIBLE = re.compile(r"\S+")
"""Letters are all visible characters."""

WORDS = re.compile(r"\w+")
"""Letters are those of words: for documents whose marks are written in another way."""

_REACH = 8  # a whole text is looked for so many times its own length ahead
_LEAST_REACH = 4096
_CANDIDATES = 4  # places of a block that are tried, the nearest first
_CERTAIN = 4 * BLOCK  # letters of a run that no accident makes
_NEAR = 64  # letters that may be missing between two runs of one text


class Letters:
    """The letters of a text and where each stands in it."""

    __slots__ = ("length", "places", "text")

    def __init__(self, text: str, pattern: re.Pattern[str]) -> None:
        pieces: list[str] = []
        self.places = array("q")
        for found in pattern.finditer(text):
            pieces.append(found[0])
            self.places.extend(range(*found.span()))
        self.text = "".join(pieces)
        self.length = len(self.text)

    def at(self, position: int) -> int:
        """The number of the first letter at or behind a position of the text."""
        return bisect_left(self.places, position)

    def span(self, at: int, end: int) -> tuple[int, int]:
        """The characters from the first to the last of some letters; half-open, as they are."""
        return (self.places[at], self.places[end - 1] + 1) if at < end else (0, 0)


class Run(NamedTuple):
    """Letters that a document and a text share.

    Attributes:
        at: the number of the first in the document.
        to: its number in the text.
        length: how many there are.
    """

    at: int
    to: int
    length: int


class Placement(NamedTuple):
    """Where a text stands in the document. Letters of the document, half-open.

    Attributes:
        at: the first letter; equal to the end when the text was not found.
        end: one past the last.
        runs: the shared runs between the two, in order: one when the text stands there as it is.
        before: what the text has in front of its first letter there.
        after: what it has behind its last.
        strange: parts of the text that stand nowhere in the document.
    """

    at: int
    end: int
    runs: tuple[Run, ...] = ()
    before: str = ""
    after: str = ""
    strange: tuple[str, ...] = ()

    @property
    def is_found(self) -> bool:
        """Whether the text stands anywhere in the document."""
        return self.at < self.end


class Aligner:
    """Finds the places of texts, given in the order of the document as far as it is known.

    Args:
        letters: the document.
        pattern: what letters are in the texts.
    """

    def __init__(self, letters: Letters, pattern: re.Pattern[str]) -> None:
        self._letters = letters
        self._pattern = pattern
        self._blocks: dict[str, list[int]] | None = None
        self._begin = 0  # where the text before begins
        self._cursor = 0  # and ends

    def place(self, text: str, hint: int = -1) -> Placement:
        """The place of the next text.

        Args:
            text: what is looked for.
            hint: the position in the document, in characters, that the text is said to stand at,
                or -1; it decides between several places.
        """
        letters = Letters(text, self._pattern)
        if not letters.length:
            return Placement(self._cursor, self._cursor)
        found = self._whole(letters.text, self._letters.at(hint) if hint >= 0 else -1)
        if found < 0:
            placement = self._in_runs(text, letters)
        else:
            run = Run(found, 0, letters.length)
            placement = _placed(text, letters, (run,), (run,))
        if placement.is_found:
            self._begin, self._cursor = placement.at, placement.end
        return placement

    def _whole(self, key: str, hint: int) -> int:
        """Where the key stands as a whole, or -1."""
        document = self._letters.text
        begin, cursor = self._begin, self._cursor
        goes_on = begin < hint <= cursor < hint + len(key)
        if goes_on and document.startswith(key, hint):
            return hint
        if document.startswith(key, cursor):
            return cursor
        overlapping = max(begin + 1, cursor - len(key) + 1)  # it repeats an end and goes on
        found = document.find(key, overlapping, cursor + len(key) - 1)
        if found >= 0:
            return found
        if hint >= 0 and document.startswith(key, hint):
            return hint
        found = document.find(key, cursor, cursor + _LEAST_REACH + _REACH * len(key))
        return found if found >= 0 else document.find(key, begin, cursor)

    def _in_runs(self, text: str, letters: Letters) -> Placement:
        runs = self._shared(letters.text)
        if not runs:
            return Placement(self._cursor, self._cursor, strange=(text,))
        body = _filled(_densest(runs), self._letters.text, letters.text)
        body = (_regrown(body[0], self._letters.text, letters.text), *body[1:])
        body = _without_accidents(text, letters, body)
        known = sorted({*runs, *body}, key=lambda run: run.to)
        return _placed(text, letters, body, known)

    def _shared(self, key: str) -> list[Run]:
        """The runs that the key shares with the document, in the order of the key."""
        blocks = self._indexed()
        runs: list[Run] = []
        place = free = 0
        wanted = self._cursor
        while place + BLOCK <= len(key):
            if key[place : place + BLOCK] not in blocks:
                place += 1
                continue
            best = self._best(key, place, free, wanted)
            runs.append(best)
            place = free = best.to + best.length
            wanted = best.at + best.length
        return runs

    def _best(self, key: str, first: int, free: int, wanted: int) -> Run:
        """The longest run through one of the blocks that begin within a block of the first.

        A shorter one that begins earlier would be there by accident.
        """
        document, blocks = self._letters.text, self._indexed()
        best = Run(0, 0, 0)
        for place in range(first, first + BLOCK):
            for at in _nearest(blocks.get(key[place : place + BLOCK], ()), wanted):
                run = _grown(document, key, at, place, free)
                if (run.length, -abs(run.at - wanted)) > (best.length, -abs(best.at - wanted)):
                    best = run
            if best.length >= _CERTAIN:
                break
        return best

    def _indexed(self) -> dict[str, list[int]]:
        """Block of letters -> where it stands, of the blocks at multiples of their length."""
        if self._blocks is None:
            document = self._letters.text
            blocks: dict[str, list[int]] = {}
            for at in range(0, len(document) - BLOCK + 1, BLOCK):
                blocks.setdefault(document[at : at + BLOCK], []).append(at)
            self._blocks = blocks
        return self._blocks


def _nearest(places: Sequence[int], wanted: int) -> Sequence[int]:
    """A few of the ascending places around the wanted one."""
    behind = bisect_left(places, wanted - BLOCK + 1)
    first = max(0, min(behind - _CANDIDATES // 2, len(places) - _CANDIDATES))
    return places[first : first + _CANDIDATES]


def _grown(document: str, key: str, at: int, to: int, free: int) -> Run:
    """The run around a shared block, to both sides as far as it goes; not beyond ``free``."""
    ahead = _common(document, at + BLOCK, key, to + BLOCK)
    back = _common_back(document, at, key, to, free)
    return Run(at - back, to - back, back + BLOCK + ahead)


def _regrown(run: Run, document: str, key: str) -> Run:
    """The run with what it shares with the one before it, which stands elsewhere."""
    back = _common_back(document, run.at, key, run.to, 0)
    return Run(run.at - back, run.to - back, run.length + back)


def _common_back(document: str, at: int, key: str, to: int, free: int) -> int:
    """How many letters before the two places are the same; not beyond ``free`` in the key."""
    back = 0
    most = min(to - free, at)
    while back < most and document[at - back - 1] == key[to - back - 1]:
        back += 1
    return back


def _common(document: str, at: int, key: str, to: int) -> int:
    """How many letters from the two places on are the same; compares doubling slices."""
    most = min(len(document) - at, len(key) - to)
    length, step, is_growing = 0, 32, True
    while length < most and step:
        start, behind = at + length, to + length
        end = min(step, most - length)
        if document[start : start + end] == key[behind : behind + end]:
            length += end
        else:
            is_growing = False
        step = step * 2 if is_growing else step // 2
    return length


def _densest(runs: Sequence[Run]) -> list[Run]:
    """The longest run and those around it that follow one another in both texts."""
    longest = max(range(len(runs)), key=lambda number: (runs[number].length, -number))
    body = [runs[longest]]
    for run in reversed(runs[:longest]):
        if _follows(run, body[0]):
            body.insert(0, run)
    for run in runs[longest + 1 :]:
        if _follows(body[-1], run):
            body.append(run)
    return body


def _follows(first: Run, second: Run) -> bool:
    gap = second.at - first.at - first.length
    between = second.to - first.to - first.length
    return 0 <= gap <= 2 * between + max(_NEAR, min(first.length, second.length))


def _filled(body: Sequence[Run], document: str, key: str) -> tuple[Run, ...]:
    """The runs with those in between that are too short to be found by their blocks."""
    filled = [body[0]]
    for run in body[1:]:
        above = filled[-1]
        low, to = above.at + above.length, above.to + above.length
        between = key[to : run.to]
        if between:
            found = document.find(between, low, run.at)
            if found >= 0:
                filled.append(Run(found, to, len(between)))
        filled.append(run)
    return tuple(filled)


def _without_accidents(text: str, letters: Letters, body: tuple[Run, ...]) -> tuple[Run, ...]:
    """The runs without the few letters that end a line of what was put in front or behind.

    The last letter of an added line may well be the one that stands there in the document.
    """
    first = body[0]
    start, end = letters.span(first.to, min(first.to + BLOCK, first.to + first.length))
    line = text.find("\n", start, end) + 1
    if line and text[text.rfind("\n", 0, start) + 1 : start].strip():
        fewer = letters.at(line) - first.to
        body = (Run(first.at + fewer, first.to + fewer, first.length - fewer), *body[1:])
    last = body[-1]
    behind = last.to + last.length
    start, end = letters.span(max(last.to, behind - BLOCK), behind)
    line = text.rfind("\n", start, end)
    line_end = text.find("\n", end)
    if line >= 0 and text[end : line_end if line_end >= 0 else len(text)].strip():
        body = (*body[:-1], Run(last.at, last.to, letters.at(line) - last.to))
    return tuple(run for run in body if run.length > 0) or (first,)


def _placed(text: str, letters: Letters, body: tuple[Run, ...], known: Iterable[Run]) -> Placement:
    """The placement of a text whose runs are known; ``body`` is where it stands."""
    strange: list[str] = []
    position = 0
    for run in known:
        if run.to > position:
            start, end = letters.span(position, run.to)
            strange.append(text[start:end])
        position = max(position, run.to + run.length)
    if position < letters.length:
        start, end = letters.span(position, letters.length)
        strange.append(text[start:end])
    first, last = body[0], body[-1]
    start, end = letters.span(first.to, last.to + last.length)
    return Placement(
        first.at,
        last.at + last.length,
        body,
        text[:start],
        text[end:],
        tuple(strange),
    )
