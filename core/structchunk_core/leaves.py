"""Cutting what has no units inside: at lines or sentences, then words, then characters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from structchunk_core.formats.prose import LEVELS, cut_positions, last_cut
from structchunk_core.prices import LEVEL_PRICES, PRICE
from structchunk_core.scales import Scale
from structchunk_core.unit import PROSE_KINDS, Tie, Unit

_WORDS: Final = 3  # levels of cut_positions
_INSIDE_WORDS: Final = 4


def cut_leaf(
    unit: Unit, text: str, scale: Scale, room: int, line_room: int, grain: int, inside: bool
) -> Iterator[tuple[int, int, int]]:
    """Consecutive pieces ``start, end, price of the cut before``.

    Args:
        unit: what is cut.
        text: the text that it is a part of.
        scale: measures spans of it.
        room: what pieces may measure.
        line_room: what a single line of what is no prose may measure.
        grain: below this, lines and sentences stay with the next.
        inside: whether it begins inside a line: then it can be cut at the end of that.
    """
    level = 1 if unit.kind in PROSE_KINDS else 0
    start = last = unit.start
    stop = unit.end - unit.tail
    price = 0
    for cut in _with_end(cut_positions(text, start, stop, level), stop):
        about = scale.high(cut) - scale.low(start)
        if about < grain and cut < stop and not (inside and start == unit.start):
            last = cut
            continue
        if about > room and last > start:
            yield start, last, price
            price = _price_at(text, last, level)
            start = last
            about = scale.high(cut) - scale.low(start)
        if about <= (room if level else line_room):
            yield start, cut, price
        else:
            yield from _cut_small(text, start, cut, price, scale, room, grain)
        start = last = cut
        price = _price_at(text, cut, level)


def _price_at(text: str, cut: int, level: int) -> int:
    """What the cut costs: little where a blank line stands above."""
    blank_above = text[max(0, cut - 2) : cut] == "\n\n" or text[max(0, cut - 3) : cut] == "\n\r\n"
    return PRICE[Tie.LOOSE] if blank_above else LEVEL_PRICES[level]


def _cut_small(
    text: str, start: int, end: int, price: int, scale: Scale, room: int, grain: int
) -> Iterator[tuple[int, int, int]]:
    """A line or sentence above the room: cut at clauses, words, within words, anywhere.

    Looks for each cut in a window that ends where a piece of an eighth of the room would end, and
    for the end of a longer word (an address, a path) up to where the room does, so that the work
    is linear however long the line is.
    """
    wanted = max(grain, room // 8, 1)
    unbroken = start
    while start < end:
        if scale.high(end) - scale.low(start) <= wanted:
            yield start, end, price
            return
        stop = min(end, max(start + 1, scale.reach(start, wanted)))
        cut = start
        for level in (0, *range(2, LEVELS)):
            if level == _INSIDE_WORDS:
                cut, unbroken = _word_end(text, start, end, scale, room, unbroken)
                if cut > start:
                    level = 0 if text[cut - 1] == "\n" else _WORDS  # noqa: PLW2901  # cut at that
                    break
            cut = last_cut(text, start, min(end, stop + 1), level)
            if cut > start:
                break
        else:
            cut = stop
        yield start, cut, price
        start = cut
        price = LEVEL_PRICES[level] if level else LEVEL_PRICES[2]


def _word_end(
    text: str, start: int, end: int, scale: Scale, room: int, unbroken: int
) -> tuple[int, int]:
    """Where the word that begins a span ends, with the blanks behind it on its line, if it fits.

    Else the start. Behind that, up to where no word begins, for the next look into a longer word:
    all of them together then go over it once.

    Args:
        text: the text.
        start: where the span begins.
        end: where it ends.
        scale: measures spans of the text.
        room: what the word may measure.
        unbroken: no word begins behind the start up to there.
    """
    reach = min(end, scale.reach(start, room))
    stop = min(end, reach + 1)
    begin = max(start, unbroken - 1)
    while begin > start and text[begin].isspace():  # all of them are one break
        begin -= 1
    found = next(cut_positions(text, begin, stop, _WORDS), -1) if begin < stop else -1
    if found < 0:
        unbroken = stop
    cut = found if found >= 0 else end if reach == end else start
    word = text[start:cut]
    line_end = text.find("\n", cut - len(word.lstrip()), cut)
    cut = line_end + 1 or cut
    return (cut if scale.high(cut) - scale.low(start) <= room else start), unbroken


def _with_end(positions: Iterator[int], end: int) -> Iterator[int]:
    yield from positions
    yield end
