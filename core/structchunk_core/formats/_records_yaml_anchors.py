"""What an alias in YAML stands for: chunks with ``*base`` carry the entry that ``&base`` marks."""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cached_property

from structchunk_core.formats._records_yaml_scan import Entries
from structchunk_core.unit import Facts, Span

_ANCHOR = re.compile(r"(?<!\S)&([^\s,\[\]{}]++)")
_ALIAS = re.compile(r"(?<=[\s\[{,:])\*([^\s,\[\]{}]++)")
_LONGEST = 400  # characters of all entries that a chunk carries


def alias_facts(text: str, entries: Entries) -> Facts | None:
    """Facts about the aliases of a document; None when there are none."""
    if "&" not in text or _ALIAS.search(text) is None:
        return None
    return Facts(notes=_Anchors(text, entries).notes)


class _Anchors:
    """Where the entries of a document stand that have an anchor."""

    def __init__(self, text: str, entries: Entries) -> None:
        self._text = text
        self._entries = entries

    @cached_property
    def _found(self) -> dict[str, tuple[list[int], list[Span]]]:
        """For each name the places of its anchors, ascending, and what they mark."""
        text, entries = self._text, self._entries
        found: dict[str, tuple[list[int], list[Span]]] = {}
        for number, place in enumerate(entries.places):
            for mark in _ANCHOR.finditer(text, place, entries.values[number]):
                behind = entries.behind[number]
                is_last = behind == len(entries.begins)
                end = len(text) if is_last else entries.begins[behind]
                places, spans = found.setdefault(mark[1], ([], []))
                places.append(mark.start())
                spans.append(_shortened(text, place, end))
        return found

    def notes(self, start: int, end: int) -> tuple[Span, ...]:
        """The entries outside a half-open span that aliases in it stand for, or the first of them.

        A long one is told by its first lines.
        """
        room = _LONGEST
        told: dict[Span, None] = {}
        for alias in _ALIAS.finditer(self._text, start, end):
            places, spans = self._found.get(alias[1], ([], []))
            number = bisect_left(places, alias.start()) - 1
            if number < 0 or start <= places[number] < end or spans[number] in told:
                continue
            room -= spans[number].end - spans[number].start
            if room < 0:
                break
            told[spans[number]] = None
        return tuple(told)


def _shortened(text: str, start: int, end: int) -> Span:
    """A stretch without blanks at its end, or as many of its lines as may be carried."""
    most = start + _LONGEST
    if end > most:
        end = max(text.rfind("\n", start, most), start)
        end = most if end == start else end
    return Span(start, start + len(text[start:end].rstrip()))
