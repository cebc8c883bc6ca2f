"""What an XML document tells, or a part of one: its elements, attributes and comments.

An element that holds no others, or words with elements among them, is told by its words; the names
of the elements among them stand behind these, or have their attributes on lines of their own. The
words of comments, instructions and of the document's type are told as they are written, in front of
what they stand above. Words between elements are told with the element that they stand in, which
goes on behind them in a line of its own where another one has begun in front of them. What is left
out is the declaration (``<?xml version="1.0"?>``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from structchunk_core.formats._records_told import comment_pairs, comment_words, on_one_line
from structchunk_core.formats._records_units import DEEPEST
from structchunk_core.formats._records_xml_scan import DOCTYPE, Elements, behind_mark, scan_xml
from structchunk_core.formats._records_xml_words import (
    ATTRIBUTE,
    CDATA,
    MARK,
    WordsOf,
)
from structchunk_core.unit import Told


def told_by_xml(text: str) -> Sequence[Told] | None:
    """What an XML document tells, maybe a part of one.

    Returns:
        None where it cannot be read alone, or is nested more than ``DEEPEST`` levels deep.
    """
    elements = scan_xml(text)
    return None if not elements.faults.is_empty() else _Telling(text, elements).told()


class _Telling:
    """What one document tells."""

    def __init__(self, text: str, elements: Elements) -> None:
        self._text = text
        self._elements = elements
        self._words = WordsOf(text, elements)
        self._found = [Told((), [])]
        # The elements that are open, outermost first: the number behind each, what it tells.
        self._above = [(len(elements.starts), self._found[0])]

    def told(self) -> Sequence[Told] | None:
        """As :func:`told_by_xml`."""
        elements, found, above = self._elements, self._found, self._above
        number = position = 0
        while number < len(elements.starts):
            comments = self._between(position, elements.starts[number])
            while above[-1][0] <= number and len(above) > 1:
                above.pop()
            around = above[-1][1]
            if len(around.keys) > DEEPEST:
                return None
            name, following = elements.names[number], elements.behind[number]
            attributes = self._attributes(number)
            if following > number + 1 and number not in elements.mixed:
                own = Told((*around.keys, name), [*comments, *attributes])
                found.append(own)
                above.append((following, own))
                position = elements.inners[number]
                number += 1
                continue
            position = elements.ends[number]
            words, behind = self._of_leaf(number)
            if attributes:
                own = Told((*around.keys, name), [*comments, *attributes])
                found.append(own)
                own.pairs.extend([("", words)] if words else [])
                own.pairs.extend(behind)
            else:
                around.pairs.extend([*comments, (name, words), *behind])
            found += self._among_words(number, (*around.keys, name))
            number = following
        found[0].pairs.extend(self._between(position, len(self._text)))
        return [one for one in found if one.pairs]

    def _attributes(self, number: int) -> list[tuple[str, str]]:
        """Names and values in the start tag of an element."""
        elements = self._elements
        tag = self._text[elements.starts[number] : elements.inners[number]]
        return [(one[1], self._words(one[2] or one[3] or "")) for one in ATTRIBUTE.finditer(tag)]

    def _of_leaf(self, number: int) -> tuple[str, list[tuple[str, str]]]:
        """The words in an element, and what belongs behind them.

        That are comments, and the names of elements among the words that have no attributes.
        """
        elements = self._elements
        written = self._text[elements.inners[number] : elements.closes[number]]
        if "<" not in written:
            return self._words(written), []
        inner = range(number + 1, elements.behind[number])
        names = {elements.names[one]: None for one in inner if not self._attributes(one)}
        marks = comment_pairs([words for _, _, words in _marks(written)])
        return self._words(written), [*[(name, "") for name in names], *marks]

    def _among_words(self, number: int, keys: tuple[str, ...]) -> list[Told]:
        """The attributes of elements among the words of an element."""
        elements = self._elements
        inner = range(number + 1, elements.behind[number])
        told = [Told((*keys, elements.names[one]), self._attributes(one)) for one in inner]
        return [one for one in told if one.pairs]

    def _between(self, start: int, end: int) -> list[tuple[str, str]]:
        """The words of comments between two elements, for what follows.

        Other words, and comments with an end tag behind them, are told with the element around.

        Args:
            start: behind a start tag or an element.
            end: where the next one begins.
        """
        gap = self._text[start:end]
        if not gap or gap.isspace():
            return []
        *ended, last = _between_end_tags(gap)
        for closed, stretch in enumerate(ended):
            self._in_between(stretch, closed)
            marks = [words for _, _, words in _marks(stretch)]
            self._around(closed).pairs.extend(comment_pairs(marks))
        self._in_between(last, len(ended))
        return comment_pairs([words for _, _, words in _marks(last)])

    def _in_between(self, stretch: str, closed: int) -> None:
        """Tell the words in a stretch between tags, behind so many end tags."""
        if not stretch or stretch.isspace():
            return
        parts: list[str] = []
        done = 0
        for start, behind, _ in _marks(stretch):
            parts += (stretch[done:start], " ")
            done = behind
        words = self._words("".join((*parts, stretch[done:])).replace("\ufeff", ""))
        if not words:
            return
        around = self._around(closed)
        if around is not self._found[-1]:
            around = Told(around.keys, [])
            self._found.append(around)
            place = self._place(closed)
            self._above[place] = self._above[place][0], around
        around.pairs.append(("", words))

    def _around(self, closed: int) -> Told:
        """What the innermost open element tells, behind so many end tags."""
        return self._above[self._place(closed)][1]

    def _place(self, closed: int) -> int:
        return max(len(self._above) - 1 - closed, 0)


def _between_end_tags(gap: str) -> list[str]:
    """What stands between the end tags of a stretch without start tags, and around them."""
    found: list[str] = []
    given_up: set[str] = set()
    begin = position = 0
    while tag := _END_OR_MARK.search(gap, position):
        position = tag.end()
        if tag[0] != "</":
            position = max(position, behind_mark(gap, tag.start(), given_up))
            continue
        found.append(gap[begin : tag.start()])
        begin = position = gap.find(">", position) + 1 or len(gap)
    return [*found, gap[begin:]]


def comments_of_xml(text: str, start: int, end: int) -> str:
    """The words of comments and instructions in a half-open span, on one line."""
    return comment_words([words for _, _, words in _marks(text[start:end])])


def _marks(written: str) -> list[tuple[int, int, str]]:
    """The half-open spans of comments, instructions and the like in a stretch, and their words.

    The declaration has none.
    """
    found: list[tuple[int, int, str]] = []
    position = 0
    while mark := MARK.search(written, position):
        start = mark.start()
        position = behind_mark(written, start, set())
        if position < 0:
            position = mark.end()
            continue
        if written.startswith(CDATA, start):
            continue
        closing = 3 if written.startswith("<!--", start) else 2
        opening = 4 if closing == 3 else 2
        closing = 1 if written.startswith(DOCTYPE, start) else closing
        is_told = not written.startswith("<?xml ", start)
        words = on_one_line(written[start + opening : position - closing]) if is_told else ""
        found.append((start, position, words))
    return found


_END_OR_MARK = re.compile(r"</|<[!?]")
