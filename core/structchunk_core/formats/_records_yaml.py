"""The units of YAML: keys and list items with the comments above them, documents as records."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from structchunk_core.formats._records_flow import flow_unit
from structchunk_core.formats._records_strings import key_name, string_unit
from structchunk_core.formats._records_table import Rows, table_of_records
from structchunk_core.formats._records_units import (
    IDENTIFYING,
    holder,
    shortened,
    together,
)
from structchunk_core.formats._records_values import Cells, Value, flattened
from structchunk_core.formats._records_yaml_anchors import alias_facts
from structchunk_core.formats._records_yaml_check import note_fault
from structchunk_core.formats._records_yaml_comments import comments_of_yaml
from structchunk_core.formats._records_yaml_scan import SYNTAX, Entries, key_at, scan_yaml
from structchunk_core.formats._records_yaml_told import YamlTelling
from structchunk_core.formats._records_yaml_values import cells_in_brackets, yaml_key, yaml_value
from structchunk_core.table_model import Table
from structchunk_core.unit import Parsed, Tell, Tie, Told, Unit, make_repeat, make_unit

_SCALAR = re.compile(r"[\"']?([^\"'\s\[\]{}|>&*!#][^\n#\"']{0,118}?)[\"']?[ \t]*\r?$", re.MULTILINE)
_MARK = re.compile(r"(?:[ \t]*+(?:\#[^\n]*+)?+\r?\n)*+(?:[%-][^\n]*+\n)*+")


def parse_yaml(text: str) -> Parsed:
    """The unit tree of a stream of YAML documents."""
    entries = scan_yaml(text)
    note_fault(text, entries.faults)
    root = _Tree(text, entries).root()
    facts = alias_facts(text, entries)
    return Parsed(
        root, entries.faults.problems(len(text)), facts=facts, told=_teller(text, entries)
    )


def told_by_yaml(text: str) -> Sequence[Told] | None:
    """What a stream of YAML documents tells that is not a part of one.

    Returns:
        None where it is no YAML without what stood above it, or :class:`YamlTelling` has none.
    """
    entries = scan_yaml(text)
    if entries.faults.is_empty():
        note_fault(text, entries.faults)
    if not entries.faults.is_empty():
        return None
    return YamlTelling(text, entries).told(0, len(text))


def _teller(text: str, entries: Entries) -> Tell:
    """What tells chunks of a document from its entries, and of others what they say alone."""
    telling = YamlTelling(text, entries) if entries.faults.is_empty() else None

    def tell(written: str, start: int, end: int) -> Sequence[Told] | None:
        slice_ = text[start:end]
        if telling is not None and written.endswith(slice_):
            told = telling.told(start, end, written[: len(written) - len(slice_)])
            if told is not None:
                return told
        return told_by_yaml(written)

    return tell


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
        is_list = len(documents) == 1 and self._entries.kinds[:1] == ["-"]
        return Unit(
            "records",
            0,
            length,
            atomic=False,
            language="yaml",
            opener=opener if text.strip("\ufeff \t\r\n") else None,
            tabular=self._table(0, len(self._entries.begins), length, "") if is_list else None,
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
        label = self._key(place) if kind == "k" else ""
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
            make_repeat(" " * column + head, chained=True),
            label=label,
            tie=Tie.NEXT if kind == "-" else Tie.LOOSE,
            level=level,
            tabular=self._table(inner, following, end, label) if is_list else None,
        )

    def _table(
        self, first: int, behind: int, end: int, label: str
    ) -> Callable[[], Table | None] | None:
        """What tells whether the list of the entries between two numbers is a table."""
        entries = self._entries
        if entries.kinds[first] != "-" or first + 1 >= behind:
            return None
        is_in_brackets = self._text[entries.values[first] : entries.values[first] + 1] == "{"
        if entries.kinds[first + 1] != "k" and not is_in_brackets:
            return None

        def rows() -> Rows | None:
            found = Rows()
            number = first
            while number < behind:
                if entries.kinds[number] != "-":
                    return None
                following = min(entries.behind[number], behind)
                stop = entries.begins[following] if following < behind else end
                place = entries.places[number]
                line = self._text.rfind("\n", 0, place) + 1
                found.add(place if self._text[line:place].strip() else line, stop)
                number = following
            return found

        return table_of_records(rows, self._cells, self._comments, label)

    def _cells(self, start: int, end: int) -> Cells | None:
        """What the mapping in a list says whose dash stands at a position; None if it is none."""
        entries = self._entries
        number = bisect_left(entries.places, start)
        behind = bisect_left(entries.places, end)
        if number + 1 >= behind:
            return cells_in_brackets(self._text, entries.values[number], end)
        found = self._read(number + 1, behind, end)
        return None if found is None else list(flattened(found))

    def _comments(self, start: int, end: int) -> str:
        return comments_of_yaml(self._text, self._entries, start, end)

    def _read(self, first: int, behind: int, end: int, sort: str = "k") -> Value | None:
        """What the entries between two numbers say; None if that cannot be read.

        Args:
            first: the first of them.
            behind: one past the last.
            end: where that ends.
            sort: ``k``: they are a mapping, and come as pairs; ``-``: a list.
        """
        entries, text = self._entries, self._text
        whole: list[Value] = []
        around: list[tuple[int, str, str, list[Value]]] = [(behind, sort, "", whole)]
        number = first
        while True:
            while around[-1][0] <= number and len(around) > 1:
                _, kind, key, inside = around.pop()
                value = tuple(inside) if kind == "k" else inside
                around[-1][3].append((key, value) if around[-1][1] == "k" else value)
            if number >= behind:
                return tuple(whole) if sort == "k" else whole
            kind, inside = around[-1][1], around[-1][3]
            if entries.kinds[number] != kind:
                return None
            key, start = "", entries.values[number]
            if kind == "k":
                raw, start = key_at(text, entries.places[number])
                key = yaml_key(raw)
            following = min(entries.behind[number], behind)
            inner = entries.kinds[number + 1] if following > number + 1 else "="
            if inner != "=":
                if kind == "=":
                    return None  # words, and more of them behind what looks like a dash or key
                around.append((following, inner, key, []))
                number += 1
                continue
            stop = entries.begins[following] if following < behind else end
            try:
                value = yaml_value(text, start, stop, entries.columns[number] // 2)
            except ValueError:
                return None
            inside.append((key, value) if kind == "k" else value)
            number = following

    def _key(self, place: int) -> str:
        """What the key is called that begins at a place."""
        raw, _ = key_at(self._text, place)
        return key_name(raw) if raw else ""

    def _identity(self, number: int) -> str:
        """What tells which record of a list it is, if that is the first that it says."""
        entries = self._entries
        if entries.kinds[number] != "k":
            return ""
        place, value = entries.places[number], entries.values[number]
        if self._key(place) not in IDENTIFYING:
            return ""
        found = _SCALAR.match(self._text, value)
        return shortened(found[1]) if found else ""
