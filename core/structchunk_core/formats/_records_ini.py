"""The units of INI files and their kin: sections, and keys with the comments above them.

There is no standard. Lines are read as Python's configparser does: one that is indented deeper than
its key goes on with the value, over blank lines and comments too. So does one below a backslash, as
systemd and git write it, where it is no header or key itself: then a path of Windows ended there. A
colon ends a key only where a blank or nothing is behind it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from structchunk_core.formats._records_told import alone, comment_pairs, on_one_line, words_of
from structchunk_core.formats._records_units import holder, shortened, together
from structchunk_core.unit import Parsed, Repeat, Tie, Told, Unit, make_unit

_LINE = re.compile(
    r"\ufeff?(?P<indent>[ \t]*+)(?:(?P<blank>\r?(?:\n|\Z))|(?P<comment>[#;])"
    r"|\[(?P<section>[^\]\n]++)\][ \t]*+(?:[#;](?P<beside>[^\n]*+))?\r?(?:\n|\Z))?"
)
_KEY = re.compile(
    r"\ufeff?[ \t]*+(?P<key>[^=:\n]*+(?::(?![ \t\r\n]|\Z)[^=:\n]*+)*+)"
    r"(?P<mark>=|:(?=[ \t\r\n]|\Z))?"
)

_PLAIN_KEY = re.compile(r"[ \t]*+[A-Za-z_][\w.-]*+[ \t]*+=")


class _Statement(NamedTuple):
    """Lines of one sort: ``blank``, ``comment``, ``section`` or ``pair``."""

    kind: str
    start: int
    end: int


class _Section(NamedTuple):
    """Where a section begins with the comments above it, its header, and what is below that.

    Blank lines below the header belong to it.
    """

    start: int
    header: int
    body: int
    name: str


def parse_ini(text: str) -> Parsed:
    """The unit tree of an INI file."""
    sections = _sections(text)
    length = len(text)

    def children() -> Iterator[Unit]:
        first = sections[0].start if sections else length
        yield from together(_pairs(text, 0, first))
        for number, section in enumerate(sections):
            stop = sections[number + 1].start if number + 1 < len(sections) else length
            yield holder(
                "mapping",
                (section.start, stop),
                (section.body, stop),
                partial(_inside, text, section.body, stop),
                Repeat(text[section.header : section.body].rstrip() + "\n", chained=True),
                label=section.name,
                tie=Tie.LOOSE,
            )

    opener = children if text.strip("\ufeff \t\r\n") else None
    root = Unit("records", 0, length, atomic=False, language="ini", opener=opener)
    return Parsed(root, told=alone(told_by_ini))


def _inside(text: str, start: int, end: int) -> Iterator[Unit]:
    return together(_pairs(text, start, end))


def told_by_ini(text: str) -> Sequence[Told] | None:
    """What an INI file tells, maybe a part of one.

    Returns:
        None where it begins inside a value, or most of its lines have no key and value.
    """
    found: list[Told] = []
    told = Told((), [])
    comments: list[str] = []
    marked = pairs = 0
    in_section = False
    for kind, start, end in _statements(text, 0, len(text)):
        if kind == "comment":
            comments.append(text[start:end].strip("\ufeff#; \t\r\n"))
        elif kind == "section":
            _close(found, told, in_section=in_section)
            header = _header(text, start, end)
            told, in_section = Told((on_one_line(header["section"]),), []), True
            told.pairs.extend(comment_pairs([*comments, header["beside"] or ""]))
            comments = []
        elif kind == "pair":
            key = _key(text, start, end)
            if not pairs and not in_section and text[start : start + 1] in (" ", "\t"):
                return None
            pairs += 1
            marked += key["mark"] is not None
            told.pairs.extend(comment_pairs(comments))
            comments = []
            told.pairs.append((on_one_line(key["key"]), _value(text[key.end() : end])))
    told.pairs.extend(comment_pairs(comments))
    _close(found, told, in_section=in_section)
    return found if marked * 2 >= pairs else None


def _close(found: list[Told], told: Told, *, in_section: bool) -> None:
    """A section ends: one without pairs is told by its name."""
    if told.pairs:
        found.append(told)
    elif in_section:
        found.append(Told((), [(told.keys[-1], "")]))


def _value(written: str) -> str:
    """The words of a value, which may go on over several lines, with comments between them.

    A line below a backslash is the same line, whatever it begins with; others are items of a list.
    """
    items: list[str] = []
    goes_on = False
    for number, line in enumerate(written.split("\n")):
        words = line.strip()
        said = words.removesuffix("\\").rstrip()
        if goes_on and items:
            items[-1] = f"{items[-1]} {said}".strip()
        elif said:
            items.append(said if goes_on or not number else said.lstrip("#; "))
        if not (goes_on and words[:1] in ("#", ";")):  # to systemd such a line is not there
            goes_on = said != words
    items = [item.rstrip(",") for item in items[:-1]] + items[-1:]
    return words_of(items) if len(items) > 1 else on_one_line("".join(items))


def _sections(text: str) -> list[_Section]:
    sections: list[_Section] = []
    above = -1
    for kind, start, end in _statements(text, 0, len(text)):
        if kind == "section":
            begin = above if above >= 0 else start
            if not sections and not text[:begin].strip("\ufeff \t\r\n"):
                begin = 0
            name = shortened(on_one_line(_header(text, start, end)["section"]))
            sections.append(_Section(begin, start, end, name))
        elif kind == "blank" and sections and sections[-1].body == start:
            sections[-1] = sections[-1]._replace(body=end)
        above = (above if above >= 0 else start) if kind == "comment" else -1
    return sections


def _statements(text: str, start: int, end: int) -> Iterator[_Statement]:
    """The lines between two positions, those of a value together."""
    position = start
    while position < end:
        behind = text.find("\n", position, end) + 1 or end
        line = _header(text, position, behind)
        kind = next((name for name in ("blank", "comment", "section") if line[name]), "pair")
        if kind == "pair":
            behind = _value_end(text, position, behind, end, _columns(line["indent"]))
        yield _Statement(kind, position, behind)
        position = behind


def _value_end(text: str, start: int, line_end: int, end: int, columns: int) -> int:
    """Where the value ends whose key is on the line between the first two positions."""
    behind = probe = line_end
    goes_on = _ends_in_backslash(text, start, line_end)
    while probe < end:
        following = text.find("\n", probe, end) + 1 or end
        line = _header(text, probe, following)
        if goes_on and not _begins_anew(text, probe, following, line, columns):
            behind = following
            goes_on = line["comment"] is not None or _ends_in_backslash(text, probe, following)
        elif line["blank"] or line["comment"]:
            goes_on = False
        elif _columns(line["indent"]) > columns:
            behind = following
            goes_on = _ends_in_backslash(text, probe, following)
        else:
            break
        probe = following
    return behind


def _ends_in_backslash(text: str, start: int, end: int) -> bool:
    return text[start:end].rstrip("\r\n").endswith("\\")


def _begins_anew(text: str, start: int, end: int, line: re.Match[str], columns: int) -> bool:
    """Whether a line below a backslash is a header or a key: that ended a path of Windows."""
    if line["section"]:
        return True
    return _columns(line["indent"]) <= columns and _PLAIN_KEY.match(text, start, end) is not None


def _pairs(text: str, start: int, end: int) -> Iterator[Unit]:
    """What is below a header: pairs with the comments right above them, and other comments."""
    unit_start = line = unit_end = start
    kind, is_open = "blank", True
    for statement, begin, behind in _statements(text, start, end):
        if statement == "blank":
            is_open = kind == "blank"
        elif kind == "blank" or (kind == "comment" and is_open):
            kind, line, is_open = statement, begin, True
        else:
            yield _unit(text, kind, unit_start, line, begin)
            kind, unit_start, line, is_open = statement, begin, begin, True
        unit_end = behind
    if unit_end > unit_start:
        yield _unit(text, kind, unit_start, line, unit_end)


def _unit(text: str, kind: str, start: int, line: int, end: int) -> Unit:
    """A pair with the comments above it, which is cut between the lines of its value."""
    if kind != "pair":
        return make_unit("comment", start, end, tie=Tie.NEXT)
    key = _key(text, line, end)
    body = text.find("\n", line, end) + 1 or end
    label = shortened(on_one_line(key["key"]))
    if not text[body:end].strip():
        return make_unit("pair", start, end, label, tie=Tie.NEXT)
    repeat = Repeat(text[line:body], chained=True)
    opener = partial(_lines, text, start, body, end)
    return make_unit("pair", start, end, label, tie=Tie.NEXT, repeat=repeat, opener=opener)


def _lines(text: str, start: int, body: int, end: int) -> Iterator[Unit]:
    yield make_unit("value", start, body)
    position, tie = body, Tie.HEAD
    solid = body + len(text[body:end].rstrip())
    while position < end:
        behind = text.find("\n", position, end) + 1 or end
        while behind < end and not text[position:behind].strip():
            behind = text.find("\n", behind, end) + 1 or end
        if behind >= solid:
            behind = end
        yield make_unit("value", position, behind, tie=tie)
        position, tie = behind, Tie.NEXT


def _header(text: str, start: int, end: int) -> re.Match[str]:
    return _LINE.match(text, start, end)  # type: ignore[return-value]  # any line is one


def _key(text: str, start: int, end: int) -> re.Match[str]:
    return _KEY.match(text, start, end)  # type: ignore[return-value]  # any line has one


def _columns(indent: str) -> int:
    return len(indent.expandtabs(8))
