"""The units of YAML: keys and list items with the comments above them, documents as records."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from functools import partial

from structchunk_core.formats._records_flow import flow_unit, key_name, string_unit
from structchunk_core.formats._records_table import NESTED, Cells, Rows, table_of_records
from structchunk_core.formats._records_units import (
    IDENTIFYING,
    holder,
    shortened,
    together,
    with_table,
)
from structchunk_core.formats._records_yaml_anchors import alias_facts
from structchunk_core.formats._records_yaml_scan import SYNTAX, Entries, scan_yaml
from structchunk_core.table_model import Table
from structchunk_core.unit import Parsed, Repeat, Tie, Unit, make_unit

_SCALAR = re.compile(r"[\"']?([^\"'\s\[\]{}|>&*!#][^\n#\"']{0,118}?)[\"']?[ \t]*\r?$", re.MULTILINE)
_BEFORE = re.compile(r"(?:[&!][^\s,\[\]{}]*+(?:\s++|\Z))++")
_COMMENT = re.compile(r"(?:\A|\s)\#[^\n]*+")
_NOTHING = frozenset({"", "null", "Null", "NULL", "~"})
_MARK = re.compile(r"(?:[ \t]*+(?:\#[^\n]*+)?+\r?\n)*+(?:[%-][^\n]*+\n)*+")


def _scalar(written: str) -> str:
    """A value on one line: without quotes, tag, comment and the mark of a block."""
    words = written.strip()
    before = _BEFORE.match(words)
    words = words[before.end() :] if before else words
    if words[:1] in ("|", ">"):
        words = words.partition("\n")[2]
    elif words[:1] in ('"', "'"):
        mark = words[0]
        words = words[1:].rpartition(mark)[0].replace(mark * 2 if mark == "'" else '\\"', mark)
    else:
        words = _COMMENT.sub("", words)
    words = " ".join(words.split())
    return "" if words in _NOTHING else words


def parse_yaml(text: str) -> Parsed:
    """The unit tree of a stream of YAML documents."""
    entries = scan_yaml(text)
    root = _Tree(text, entries).root()
    return Parsed(root, entries.faults.problems(), facts=alias_facts(text, entries))


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
        unit = holder(
            unit_kind,
            (entries.begins[number], end),
            (first, end),
            lambda: together(self._entries_between(inner, following, end, level + 1)),
            Repeat(" " * column + head, chained=True),
            label=label,
            tie=Tie.NEXT if kind == "-" else Tie.LOOSE,
            level=level,
        )
        return with_table(unit, self._table(inner, following, end, label) if is_list else None)

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

        return table_of_records(rows, self._cells, label)

    def _cells(self, start: int, end: int) -> Cells | None:
        """What the mapping in a list says whose dash stands at a position; None if it is none."""
        entries = self._entries
        number = bisect_left(entries.places, start)
        behind = bisect_left(entries.places, end)
        if number + 1 >= behind:
            return self._cells_in_brackets(entries.values[number], end)
        found: list[tuple[str, str]] = []
        above: list[tuple[int, str]] = []  # keys around: the number behind what is in it, its name
        number += 1
        while number < behind:
            while above and above[-1][0] <= number:
                above.pop()
            if entries.kinds[number] != "k":
                return None
            following = min(entries.behind[number], behind)
            name = self._key(entries.places[number], entries.values[number])
            name = f"{above[-1][1]}.{name}" if above else name
            stop = entries.begins[following] if following < behind else end
            if following == number + 1 or entries.kinds[number + 1] == "=":  # on several lines
                found.append((name, _scalar(self._text[entries.values[number] : stop])))
            elif entries.kinds[number + 1] == "-":
                found.append((name, self._list(number + 1, following, stop)))
            else:
                above.append((following, name))
                following = number + 1
            number = following
        return found

    def _cells_in_brackets(self, start: int, end: int) -> Cells | None:
        """What a mapping in brackets says; None when something else begins there."""
        text = self._text
        if text[start : start + 1] != "{":
            return None
        whole = flow_unit(text, SYNTAX, (start, start, start, end), "", 1)
        found: list[tuple[str, str]] = []
        stack = [("", unit) for unit in reversed(whole.open())]
        while stack:
            above, unit = stack.pop()
            key = SYNTAX.key.match(text, unit.start, unit.end)
            if unit.kind in {"mapping", "pairs"}:
                label = f"{unit.label}." if unit.kind == "mapping" else ""
                stack += [(f"{above}{label}", one) for one in reversed(unit.open())]
            elif unit.label and key is not None:
                written = text[key.end() : unit.end - unit.tail].strip().rstrip(",")
                found.append((f"{above}{unit.label}", _scalar(written)))
            elif unit.kind not in {"head", "close", "comment"}:
                return None
        return found or None

    def _list(self, first: int, behind: int, end: int) -> str:
        """A list inside of a record on one line."""
        entries, text = self._entries, self._text
        items: list[str] = []
        number = first
        while number < behind:
            following = min(entries.behind[number], behind)
            stop = entries.begins[following] if following < behind else end
            items.append(_scalar(text[entries.values[number] : stop]))
            number = following
        words = ", ".join(items)
        return words if "k" not in entries.kinds[first:behind] else f"{NESTED}{words}}}]"

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
