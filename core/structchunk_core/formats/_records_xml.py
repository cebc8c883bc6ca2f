"""The units of XML: elements; those that stand several times in one place are records.

An element with words and elements in it (``<p>one <b>two</b></p>``) is atomic, and what is in it
holds together. Comments, and stray words, stay with the element below them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from functools import partial

from structchunk_core.formats._records_table import Rows, table_of_records
from structchunk_core.formats._records_told import alone
from structchunk_core.formats._records_units import DEEPEST, holder, shortened, together
from structchunk_core.formats._records_values import Cells
from structchunk_core.formats._records_xml_check import note_fault
from structchunk_core.formats._records_xml_scan import (
    Elements,
    scan_xml,
)
from structchunk_core.formats._records_xml_told import comments_of_xml, told_by_xml
from structchunk_core.formats._records_xml_words import ATTRIBUTE, WordsOf
from structchunk_core.unit import Parsed, Tie, Unit, make_repeat, make_unit

_LONG = 64  # characters of words from which on an element is opened to cut them
_GAP = re.compile(r"[ \t]*+(?:\r?\n(?:[ \t\r]*+\n)*+)?")
_IDENTITY = re.compile(
    r"<[^\s>]++(?:\s[^<>]{0,200}?)??\s(?:xml:id|id|name|key|code|title)=[\"']([^\"'<>]{1,120})[\"']"
)


def parse_xml(text: str) -> Parsed:
    """The unit tree of an XML document."""
    elements = scan_xml(text)
    note_fault(text, elements.faults)
    root = _Tree(text, elements).root()
    return Parsed(root, problems=elements.faults.problems(len(text)), told=alone(told_by_xml))


class _Tree:
    """The units of one document."""

    __slots__ = ("_elements", "_text", "_words")

    def __init__(self, text: str, elements: Elements) -> None:
        self._text = text
        self._elements = elements
        self._words = WordsOf(text, elements)

    def root(self) -> Unit:
        """The document: its one element, if nothing stands around that."""
        text, elements = self._text, self._elements
        length = len(text)
        if elements.starts and elements.behind[0] == len(elements.starts) > 1:
            around = text[: elements.starts[0]] + text[elements.ends[0] :]
            if 0 not in elements.mixed and not around.strip("\ufeff \t\r\n"):
                return self._holder(0, "records", 0, length, elements.names[0], 1, "xml")
        opener = partial(self._inside, -1, 0, length, 0) if text.strip("\ufeff \t\r\n") else None
        return Unit("records", 0, length, atomic=False, language="xml", opener=opener)

    def _holder(
        self,
        number: int,
        kind: str,
        start: int,
        end: int,
        label: str,
        level: int,
        language: str = "",
    ) -> Unit:
        """An element with elements inside."""
        text, elements = self._text, self._elements
        opening, inner = elements.starts[number], elements.inners[number]
        close = min(elements.closes[number], end)  # one that is not closed ends with what is around
        gap = _GAP.match(text, inner, close)
        first = gap.end() if gap else inner
        behind = close
        while behind > first and text[behind - 1] in " \t":
            behind -= 1
        if behind > first and text[behind - 1] != "\n":
            behind = close
        line = max(start, text.rfind("\n", start, opening) + 1)
        lead = opening if text[line:opening].strip(" \t") else line
        name = elements.names[number]
        after = f"</{name}>"
        if text[behind - 1] == "\n":
            after = "\n" + text[behind:close] + after
        before = text[lead:first]
        rest = text[inner:first]
        short = text[lead:opening] + f"<{name}>" + rest
        is_mixed = number in elements.mixed
        return holder(
            "record" if is_mixed else kind,
            (start, end),
            (first, behind),
            partial(self._inside, number, first, behind, level),
            make_repeat(before, after, shorter=(short,) if short != before else (), chained=True),
            label=label,
            tie=Tie.NEXT if kind == "record" else Tie.LOOSE,
            level=level,
            language=language,
            tabular=None
            if is_mixed
            else table_of_records(partial(self._rows, number), self._cells, self._asides, name),
        )

    def _rows(self, number: int) -> Rows | None:
        """The elements in an element that stand there most often, if nothing is between them."""
        elements = self._elements
        inner: list[int] = []
        child = number + 1
        while child < elements.behind[number]:
            inner.append(child)
            child = elements.behind[child]
        often = Counter(elements.names[child] for child in inner).most_common(1)
        names = [elements.names[child] for child in inner]
        name, count = often[0]
        first = names.index(name)
        if names[first : first + count] != [name] * count:
            return None
        found = Rows()
        for child in inner[first : first + count]:
            found.add(elements.starts[child], elements.ends[child])
        return found

    def _cells(self, start: int, _end: int) -> Cells | None:
        """What the element that begins at a position says, in attributes and in elements."""
        text, elements = self._text, self._elements
        first = number = bisect_left(elements.starts, start)
        behind = elements.behind[first]
        found: list[tuple[str, str]] = []
        above: list[tuple[int, str]] = []  # elements around: the number behind them, their name
        while number < behind:
            while above and above[-1][0] <= number:
                above.pop()
            own = elements.names[number]
            name = f"{above[-1][1]}{own}" if number > first else ""
            dotted = f"{name}." if name else ""
            tag = text[elements.starts[number] : elements.inners[number]]
            found += [
                (f"{dotted}{one[1]}", self._words(one[2] or one[3] or ""))
                for one in ATTRIBUTE.finditer(tag)
            ]
            following = elements.behind[number]
            if following == number + 1 or number in elements.mixed:
                words = self._words(text[elements.inners[number] : elements.closes[number]])
                if words:
                    found.append((name or own, words))
                number = following
            else:
                above.append((following, dotted))
                number += 1
        return found

    def _asides(self, start: int, end: int) -> str:
        """The words between the elements of one that begins at a position, and of comments."""
        text, elements = self._text, self._elements
        number = bisect_left(elements.starts, start)
        behind = elements.behind[number]
        between: list[str] = []
        position = start
        while number < behind:
            between.append(text[position : elements.starts[number]])
            following = elements.behind[number]
            is_cell = following == number + 1 or number in elements.mixed
            position = (elements.ends if is_cell else elements.inners)[number]
            number = following if is_cell else number + 1
        words = self._words(" ".join((*between, text[position:end])))
        comments = comments_of_xml(text, start, end)
        return f"{words} {comments}".strip()

    def _inside(self, number: int, first: int, behind: int, level: int) -> Iterator[Unit]:
        """What is in an element, or, for -1, in the document."""
        children = self._children(number, first, behind, level)
        return children if number in self._elements.mixed else together(children)

    def _children(self, number: int, first: int, behind: int, level: int) -> Iterator[Unit]:
        text, elements = self._text, self._elements
        starts, ends = elements.starts, elements.ends
        last = elements.behind[number] if number >= 0 else len(starts)
        inner: list[int] = []
        child = number + 1
        while child < last:
            inner.append(child)
            child = elements.behind[child]
        often = Counter(elements.names[child] for child in inner)
        is_mixed = number in elements.mixed
        position = first
        for child in inner:
            start = starts[child]
            if is_mixed and text[position:start].strip(" \t\r\n"):
                yield make_unit("text", position, start, tie=Tie.INSIDE)
                position = start
            elif number < 0 and text[position:start].strip("\ufeff \t\r\n"):
                line = text.rfind("\n", position, start) + 1 or start
                line = start if text[line:start].strip(" \t") else line
                yield make_unit("comment", position, line)
                position = line
            if is_mixed:
                end = min(ends[child], behind)
            else:
                gap = _GAP.match(text, ends[child], behind)
                end = min(gap.end() if gap else ends[child], behind)
            unit = self._element(child, position, end, often, level + 1)
            yield unit if not is_mixed else _inline(unit)
            position = end
        if position < behind:
            kind = "text" if is_mixed or not inner else "comment"
            yield make_unit(kind, position, behind, tie=Tie.INSIDE if is_mixed else Tie.CLOSE)

    def _element(self, number: int, start: int, end: int, often: Counter[str], level: int) -> Unit:
        """One element, with what stands above it."""
        text, elements = self._text, self._elements
        name = elements.names[number]
        opening, inner, close = (
            elements.starts[number],
            elements.inners[number],
            elements.closes[number],
        )
        is_repeated = often[name] > 1
        label = shortened(name)
        if is_repeated:
            found = _IDENTITY.match(text, opening, inner)
            label = shortened(f"{name} {found[1]}") if found else label
        if elements.behind[number] > number + 1:
            kind = "record" if is_repeated else "mapping"
            return self._holder(number, kind, start, end, label, level)
        opener = repeat = None
        if close - inner > _LONG and level <= DEEPEST:
            repeat = make_repeat(
                text[opening:inner], f"</{name}>", shorter=(f"<{name}>",), chained=True
            )
            opener = partial(_words, start, inner, end)
        return make_unit("pair", start, end, label, True, Tie.NEXT, repeat=repeat, opener=opener)


def _words(start: int, inner: int, end: int) -> Iterator[Unit]:
    """A start tag, and the words behind it with the end tag."""
    yield make_unit("head", start, inner)
    yield make_unit("text", inner, end, tie=Tie.HEAD)


def _inline(unit: Unit) -> Unit:
    """An element among words, as a piece of them."""
    return make_unit(
        "text", unit.start, unit.end, tie=Tie.INSIDE, repeat=unit.repeat, opener=unit.opener
    )
