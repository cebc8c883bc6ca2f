"""What a part of a YAML document tells: its mappings under their keys, and the comments in it.

A comment is documentation: its words are told in front of what it stands above, and behind what it
stands beside. Tags, anchors and aliases are told as they are written.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from structchunk_core.formats._records_told import (
    comment_pairs,
    has_holders,
    on_one_line,
    told_of,
    words_of,
)
from structchunk_core.formats._records_units import DEEPEST
from structchunk_core.formats._records_values import Value
from structchunk_core.formats._records_yaml_comments import (
    COMMENT,
    comment_of_block,
)
from structchunk_core.formats._records_yaml_scan import Entries, key_at
from structchunk_core.formats._records_yaml_values import (
    NULL,
    behind_value,
    comments_in_brackets,
    property_place,
    value_in_brackets,
    yaml_key,
    yaml_value,
)
from structchunk_core.unit import Told

_HEAD_LINE = re.compile(
    r"\ufeff?(?:---|\.\.\.)?(?:[ \t\r]*+|(?:(?<![-.])|(?<=[-.])[ \t]++)(\#.*+))"
)
_COMMENTS = re.compile(r"(?:\s++|\#[^\n]*+)*+\Z")
_MARKED = re.compile(r"(?:\A|[\s,\[{:])[&!][^\s,\]}]")  # in brackets: an anchor or a tag


class YamlTelling:
    """Tells what stands between two positions of a document that libyaml reads.

    Args:
        text: the document.
        entries: those of the document.
    """

    def __init__(self, text: str, entries: Entries) -> None:
        self._text = text
        self._entries = entries
        self._documents = dict(entries.documents)  # from numbers of first entries to begins
        number, begin = entries.documents[-1]
        self._end = begin if 0 < number == len(entries.begins) else len(text)  # of all entries

    def told(self, start: int, end: int, before: str = "") -> Sequence[Told] | None:
        """What the half-open span tells.

        Args:
            start: in characters.
            end: in characters.
            before: what a part repeats in front of it, which has to be the keys above.

        Returns:
            None where an entry is cut, what is repeated says more than keys, or there is what no
            line would hold: directives, keys that are no plain words.
        """
        text, entries = self._text, self._entries
        first, behind = bisect_left(entries.begins, start), bisect_left(entries.begins, end)
        if first >= behind:
            return None
        stop = entries.begins[behind] if behind < len(entries.begins) else len(text)
        comments = _of_head(text[start : entries.begins[first]])
        if comments is None or text[end:stop].strip() or not self._is_above(first, before):
            return None
        if end > self._end:
            if _of_head(text[self._end : end]) != []:
                return None  # a document of words or comments alone
            end = self._end
        return _Reader(text, entries, self._documents, behind, end).read(first, comments)

    def _is_above(self, number: int, before: str) -> bool:
        """Whether a text is nothing but keys and dashes of entries around one."""
        if not before.strip():
            return True
        text, entries = self._text, self._entries
        heads = {"-"}
        while (number := entries.above[number]) >= 0:
            if entries.kinds[number] == "k":
                _, behind = key_at(text, entries.places[number])
                heads.add(text[entries.places[number] : behind])
        return all(line.strip() in heads for line in before.strip().split("\n"))


class _Level:
    """A mapping or list that is being read.

    Attributes:
        behind: the number of the first entry behind it.
        kind: that of its entries.
        told: what it tells itself; of a list, all but its plain values.
        plain: the plain values of a list.
        place: where those stand in what the mapping around tells, if nothing else is in it; or -1.
        around: what that mapping tells.
    """

    __slots__ = ("around", "behind", "kind", "place", "plain", "told")

    def __init__(
        self, behind: int, kind: str, told: Told, place: int = -1, around: Told | None = None
    ) -> None:
        self.behind = behind
        self.kind = kind
        self.told = told
        self.plain: list[str] = []
        self.place = place
        self.around = around


class _Reader:
    """Reads the entries of one span."""

    def __init__(
        self, text: str, entries: Entries, documents: dict[int, int], behind: int, end: int
    ) -> None:
        self._text = text
        self._entries = entries
        self._behind = behind
        self._end = end
        self._documents = documents
        self._found: list[Told] = []
        self._levels: list[_Level] = []

    def read(self, first: int, comments: list[str]) -> Sequence[Told] | None:
        """What the entries tell from a number on, and the comments in front of them."""
        levels, entries, text = self._levels, self._entries, self._text
        number = first
        while number < self._behind:
            while levels and levels[-1].behind <= number:
                self._close()
            if not levels:
                self._begin(number)
            begin, place = entries.begins[number], entries.places[number]
            if number != first and number in self._documents:
                stretch = _of_head(text[self._documents[number] : begin])
                if stretch is None:
                    return None
                comments += stretch
            if place > begin:
                above = _of_head(text[begin:place])
                if above is None:
                    return None
                comments += above
            following = self._entry(number, comments)
            if following < 0:
                return None
            comments = []
            number = following
        while levels:
            self._close()
        return [one for one in self._found if one.pairs]

    def _begin(self, number: int) -> None:
        """Open the mapping or list that an entry is in."""
        entries = self._entries
        parent = entries.above[number]
        if parent >= 0:
            behind = entries.behind[parent]
        else:
            later = bisect_right(entries.documents, (number, len(self._text)))
            numbers = entries.documents[later : later + 1]
            behind = numbers[0][0] if numbers else len(entries.begins)
        keys: list[str] = []
        while parent >= 0:
            if entries.kinds[parent] == "k":
                keys.append(self._key(parent)[0])
            parent = entries.above[parent]
        told = Told(tuple(reversed(keys)), [])
        self._found.append(told)
        self._levels.append(_Level(min(behind, self._behind), entries.kinds[number], told))

    def _close(self) -> None:
        level = self._levels.pop()
        if level.kind == "k":
            return
        words = ", ".join([words for words in level.plain if words])
        if level.place >= 0 and level.around is not None:
            key, _ = level.around.pairs[level.place]
            level.around.pairs[level.place] = key, words
        elif words:
            level.told.pairs.insert(0, ("", words))

    def _key(self, number: int) -> tuple[str, int]:
        """What a key says, with its marks, and one past its colon."""
        text, place = self._text, self._entries.places[number]
        written = text[place : self._entries.values[number]].rstrip()
        if written[-1:] == ":" and written[0] not in "&!\"'" and ": " not in written:
            return on_one_line(written[:-1]), place + len(written)  # as most are
        raw, behind = key_at(text, place)
        if text[place] in "&!":
            return on_one_line(text[place : behind - 1]), behind
        return on_one_line(yaml_key(raw)), behind

    def _entry(self, number: int, comments: list[str]) -> int:
        """Take one entry, with all in it that needs no level of its own; the number behind it.

        -1 where it cannot be told.
        """
        text, entries = self._text, self._entries
        level = self._levels[-1]
        kind = entries.kinds[number]
        if kind != level.kind or len(level.told.keys) >= DEEPEST:
            return -1
        key, start = "", entries.values[number]
        if kind == "k":
            key, start = self._key(number)
        elif kind == "=":
            start = entries.places[number]
        following = min(entries.behind[number], self._behind)
        inner = entries.kinds[number + 1] if following > number + 1 else "="
        if inner == "=":
            is_last = following >= self._behind
            stop = self._end if is_last else self._stop(following)
            mark = text.find("\n...", start, stop) + 1
            if mark:  # that the document ends
                if text[mark + 3 : stop].strip():
                    return -1
                stop = mark
            return following if self._value(number, key, start, stop, comments) else -1
        if kind == "=":
            return -1  # words, and more of them behind what looks like a dash or key
        stretch = text[start : entries.begins[number + 1]]
        if stretch and not stretch.isspace():
            mark, first = property_place(stretch, 0, len(stretch))
            if not _COMMENTS.match(stretch, first):
                return -1
            lead = COMMENT.findall(stretch, 0, mark)
            comments = [*comments, *lead, stretch[mark:first], *COMMENT.findall(stretch, first)]
        self._open(number, key, following, inner, comments)
        return number + 1

    def _stop(self, number: int) -> int:
        """Where what is in front of an entry ends: at the comments above it, or its document."""
        return self._documents.get(number, self._entries.begins[number])

    def _open(self, number: int, key: str, behind: int, kind: str, comments: list[str]) -> None:
        """Begin to read a mapping or list in an entry."""
        level = self._levels[-1]
        keys = (*level.told.keys, key) if level.kind == "k" else level.told.keys
        told = Told(keys, comment_pairs(comments))
        new = _Level(behind, kind, told)
        if kind == "-" and level.kind == "k" and not told.pairs and self._is_plain(number, behind):
            new.place, new.around = len(level.told.pairs), level.told
            level.told.pairs.append((key, ""))
        self._found.append(told)
        self._levels.append(new)

    def _is_plain(self, number: int, behind: int) -> bool:
        """Whether the list in an entry is plain values only, without comments."""
        entries, text = self._entries, self._text
        if any(kind == "k" for kind in entries.kinds[number + 1 : behind]):
            return False
        end = self._end if behind >= self._behind else self._stop(behind)
        inner = number + 1
        while inner < behind:
            following = entries.behind[inner]
            if following > inner + 1 and entries.kinds[inner + 1] == "-":
                return False
            if text[entries.values[inner] : entries.values[inner] + 1] in ("[", "{", "&", "!"):
                return False
            inner = following
        return "#" not in text[entries.begins[number + 1] : end]

    def _value(self, number: int, key: str, start: int, stop: int, comments: list[str]) -> bool:
        """Take a value without entries in it; whether that can be told."""
        level = self._levels[-1]
        pairs = level.told.pairs
        if comments:
            pairs += comment_pairs(comments)
        written = self._text[start:stop].strip()
        words = _simple_or_none(written)
        if words is None or (level.kind != "k" and written[:1] == "["):
            return self._any_value(number, key, start, stop)
        if level.kind == "k":
            pairs.append((key, words))
        elif comments:
            pairs.append(("", words))
        else:
            level.plain.append(words)
        return True

    def _any_value(self, number: int, key: str, start: int, stop: int) -> bool:
        """The same for one with marks, brackets, comments or several lines."""
        text = self._text
        level = self._levels[-1]
        told = level.told
        written = text[start:stop].strip()
        if written[0] in "?:" and not written[1:2].strip():
            return False  # a key that is no plain words, or its value
        if _FLAT_MAP.fullmatch(written):
            keys = (*told.keys, key) if level.kind == "k" else told.keys
            self._found.append(Told(keys, _flat_pairs(written)))
            return True
        if written[0] in "[{" and "#" not in written and not _MARKED.search(written):
            return self._brackets(key, written)
        column = self._entries.columns[number] // 2
        try:
            value = yaml_value(text, start, stop, column)
        except ValueError:
            return False
        mark, first = property_place(text, start, stop)
        marks = on_one_line(text[mark:first])
        above = comment_pairs(COMMENT.findall(text, start, mark))
        told.pairs.extend(above)
        beside: list[str] = []
        is_holder = type(value) in _HOLDERS
        if is_holder:
            stretch = text[first:stop]
            if ("&" in stretch or "!" in stretch) and _MARKED.search(stretch):
                return False
            beside = comments_in_brackets(stretch)
        elif (rest := text[behind_value(text, first, stop, column) : stop]).strip():
            if not _COMMENTS.match(rest):
                return False
            beside = COMMENT.findall(rest)
        beside = comment_of_block(text, first, stop) + beside
        if value and is_holder and (type(value) is tuple or has_holders(value)):
            told.pairs.extend(comment_pairs([marks, *beside]))
            return self._inside(key, value)
        words = words_of(value)
        words = f"{marks} {words}".rstrip() if marks else words
        if level.kind == "k":
            told.pairs.append((key, words))
        elif type(value) is list or above or beside:
            told.pairs.append(("", words))
        else:
            level.plain.append(words)
        told.pairs.extend(comment_pairs(beside))
        return True

    def _brackets(self, key: str, written: str) -> bool:
        """The same for one in brackets without marks and comments."""
        try:
            value = value_in_brackets(written)
        except ValueError:
            return False
        if value and (type(value) is tuple or has_holders(value)):
            return self._inside(key, value)
        self._levels[-1].told.pairs.append((key, words_of(value)))
        return True

    def _inside(self, key: str, value: Value) -> bool:
        """Take a mapping, or a list with such in it."""
        level = self._levels[-1]
        keys = level.told.keys
        found = told_of(value, (*keys, key) if level.kind == "k" else keys)
        self._found += found or ()
        return found is not None


def _simple_or_none(written: str) -> str | None:
    """What is written on one line without marks, comments and escapes says; None for other."""
    if not written:
        return ""
    first = written[0]
    if first in "\"'":
        inner = written[1:-1]
        is_simple = len(written) > 1 and written[-1] == first and first not in inner
        return on_one_line(inner) if is_simple and not _NOT_SIMPLE.intersection(inner) else None
    if first == "[":
        if _FLAT_LIST.fullmatch(written) is None:
            return None
        items = [item.strip() for item in written[1:-1].split(",")]
        return ", ".join([on_one_line(_unquoted(item)) for item in items if item not in NULL])
    if first in "{&!|>%@`?" or "\n" in written or "#" in written:
        return None
    return "" if written in NULL else on_one_line(written)


def _flat_pairs(written: str) -> list[tuple[str, str]]:
    """The keys and values of a mapping in brackets on one line, of plain and quoted words."""
    found = []
    for pair in written[1:-1].split(","):
        key, _, item = pair.partition(": ")
        item = item.strip()
        words = "" if item in NULL else on_one_line(_unquoted(item))
        found.append((on_one_line(key.strip()), words))
    return found


def _unquoted(item: str) -> str:
    """What an item as ``_ITEM`` has it says; quotes inside its own belong to it."""
    return item[1:-1] if item[:1] in ("'", '"') else item


_PLAIN = r"[\w./<>=^~$+(][\w./<>=^~$+() @|*-]*+"
_ITEM = rf"(?:{_PLAIN}|\"[^\"\\\n,#]*+\"|'[^'\n,#]*+') *+"
_FLAT_LIST = re.compile(rf"\[ *+(?:{_ITEM}, *+)*+(?:{_ITEM})?\]")
_FLAT_MAP = re.compile(rf"\{{ *+(?:{_PLAIN}: ++{_ITEM}, *+)*+{_PLAIN}: ++{_ITEM}\}}")
_NOT_SIMPLE = frozenset("\\\n")

_HOLDERS = frozenset({tuple, list})


def _of_head(stretch: str) -> list[str] | None:
    """The comments of lines that hold nothing else but marks of documents; None where they do."""
    if not stretch or stretch.isspace():
        return []
    found = []
    for line in stretch.split("\n"):
        head = _HEAD_LINE.fullmatch(line.strip())
        if head is None:
            return None
        if head[1]:
            found.append(head[1])
    return found
