"""The units of YAML: keys and list items with the comments above them, documents as records."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from structchunk_core.formats._records_flow import flow_unit, key_name, string_unit
from structchunk_core.formats._records_units import IDENTIFYING, holder, shortened, together
from structchunk_core.formats._records_yaml_scan import SYNTAX, Entries, scan_yaml
from structchunk_core.unit import Parsed, Repeat, Tie, Unit, make_unit

_COLON = re.compile(r"[ \t]*+:[ \t]*+")
_SCALAR = re.compile(r"[\"']?([^\"'\s\[\]{}|>&*!#][^\n#\"']{0,118}?)[\"']?[ \t]*\r?$", re.MULTILINE)
_MARK = re.compile(r"(?:[ \t]*+(?:\#[^\n]*+)?+\r?\n)*+(?:[%-][^\n]*+\n)*+")


def parse_yaml(text: str) -> Parsed:
    """The unit tree of a stream of YAML documents."""
    entries = scan_yaml(text)
    return Parsed(_Tree(text, entries).root(), problems=entries.faults.problems())


class _Tree:
    """The units of one stream."""

    __slots__ = ("_entries", "_text")

    def __init__(self, text: str, entries: Entries) -> None:
        self._text = text
        self._entries = entries

    def root(self) -> Unit:
        """The document, or several of them as records."""
        text, documents = self._text, self._entries.documents
        length = len(text)
        opener = partial(self._document, 0, 0, length) if len(documents) == 1 else self._documents
        return Unit(
            "records",
            0,
            length,
            atomic=False,
            language="yaml",
            opener=opener if text.strip("\ufeff \t\r\n") else None,
        )

    def _documents(self) -> Iterator[Unit]:
        documents = self._entries.documents
        for number, (_, start) in enumerate(documents):
            is_last = number + 1 == len(documents)
            end = len(self._text) if is_last else documents[number + 1][1]
            opener = partial(self._document, number, start, end)
            yield make_unit("record", start, end, tie=Tie.FREE, opener=opener)

    def _document(self, number: int, start: int, end: int) -> Iterator[Unit]:
        """What is in one document; what stands above its first entry comes first."""
        entries = self._entries
        documents = entries.documents
        first = documents[number][0]
        is_last = number + 1 == len(documents)
        behind = len(entries.begins) if is_last else documents[number + 1][0]
        if first == behind:
            if self._text[start:end].strip():
                yield make_unit("value", start, end)
            return
        if entries.begins[first] > start:
            yield make_unit("head", start, entries.begins[first])
        yield from together(self._entries_between(first, behind, end, 1))

    def _entries_between(self, first: int, behind: int, end: int, level: int) -> Iterator[Unit]:
        """The units of the outermost of the entries from one number to in front of another."""
        entries = self._entries
        number = first
        while number < behind:
            following = min(entries.behind[number], behind)
            stop = entries.begins[following] if following < behind else end
            yield self._entry(number, following, stop, level)
            number = following

    def _entry(self, number: int, following: int, end: int, level: int) -> Unit:
        """The unit of one entry with all that is inside it."""
        text, entries = self._text, self._entries
        kind, place, value = entries.kinds[number], entries.places[number], entries.values[number]
        start = entries.begins[number]
        label = self._key(place, value) if kind == "k" else ""
        inner = number + 1
        first = text[value : value + 1]
        is_nested = inner < following and (kind == "-" or first in ("\r", "\n", "#", ""))
        if is_nested and entries.kinds[inner] != "=":
            return self._holder(number, following, end, label, level)
        if first in ("[", "{"):
            if kind == "-" and first == "{":
                found = SYNTAX.identity.match(text, value)
                label = shortened(found[1] or found[2]) if found else ""
            unit_kind = "record" if kind == "-" and first == "{" else ""
            lead = value if kind == "=" else place
            places = start, lead, value, end
            indent = " " * (entries.columns[number] // 2)
            return flow_unit(text, SYNTAX, places, label, level, kind=unit_kind, indent=indent)
        if first == '"' and kind == "k":
            indent = " " * (entries.columns[number] // 2)
            return string_unit(text, (start, place, value, end, end), label, indent=indent)
        return make_unit("pair" if kind == "k" else "value", start, end, label, True, Tie.NEXT)

    def _holder(self, number: int, following: int, end: int, label: str, level: int) -> Unit:
        """An entry with entries inside it."""
        text, entries = self._text, self._entries
        kind, place = entries.kinds[number], entries.places[number]
        inner = number + 1
        first = entries.begins[inner]
        is_list = entries.kinds[inner] == "-"
        column = entries.columns[number] // 2
        if kind == "-":
            head = "-\n"
            if not is_list:
                label = self._identity(inner)
        else:
            line = text.find("\n", place, first) + 1 or first
            head = text[place:line]
        unit_kind = "sequence" if is_list else "record" if kind == "-" else "mapping"
        return holder(
            unit_kind,
            (entries.begins[number], end),
            (first, end),
            lambda: together(self._entries_between(inner, following, end, level + 1)),
            Repeat(" " * column + head, chained=True),
            label=label,
            tie=Tie.NEXT if kind == "-" else Tie.LOOSE,
            level=level,
        )

    def _key(self, place: int, value: int) -> str:
        """What the key says that begins at a place."""
        raw = self._text[place:value].rstrip()
        colon = raw.rfind(":")
        raw = raw[:colon].rstrip() if colon > 0 else raw
        while raw[:1] in ("&", "!") and " " in raw:
            raw = raw.partition(" ")[2].lstrip()
        return key_name(raw) if raw else ""

    def _identity(self, number: int) -> str:
        """What tells which record of a list it is, if that is the first that it says."""
        entries = self._entries
        if entries.kinds[number] != "k":
            return ""
        place, value = entries.places[number], entries.values[number]
        if self._key(place, value) not in IDENTIFYING:
            return ""
        found = _SCALAR.match(self._text, value)
        return shortened(found[1]) if found else ""
