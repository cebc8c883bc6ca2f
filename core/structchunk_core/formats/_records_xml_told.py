"""What an XML document tells, or a part of one: its elements, attributes and comments.

An element that holds no others, or words with elements among them, is told by its words; the names
of the elements among them stand behind these, or have their attributes on lines of their own. The
words of comments, instructions and of the document's type are told as they are written, in front of
what they stand above. What is left out is the declaration (``<?xml version="1.0"?>``).
"""

from __future__ import annotations

from collections.abc import Sequence

from structchunk_core.formats._records_told import comment_pairs, on_one_line
from structchunk_core.formats._records_units import DEEPEST
from structchunk_core.formats._records_xml_scan import DOCTYPE, Elements, behind_mark, scan_xml
from structchunk_core.formats._records_xml_words import (
    ATTRIBUTE,
    CDATA,
    MARK,
    WordsOf,
    without_tags,
)
from structchunk_core.unit import Told


def told_by_xml(text: str) -> Sequence[Told] | None:
    """What an XML document tells, maybe a part of one.

    Returns:
        None where it cannot be read alone, or where words stand between elements that are no words
        with elements among them.
    """
    elements = scan_xml(text)
    return None if not elements.faults.is_empty() else _Telling(text, elements).told()


class _Telling:
    """What one document tells."""

    def __init__(self, text: str, elements: Elements) -> None:
        self._text = text
        self._elements = elements
        self._words = WordsOf(text, elements)

    def told(self) -> Sequence[Told] | None:
        """As :func:`told_by_xml`."""
        elements = self._elements
        found = [Told((), [])]
        above = [(len(elements.starts), found[0])]
        number = position = 0
        while number < len(elements.starts):
            comments = self._between(position, elements.starts[number], above)
            if comments is None:
                return None
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
        comments = self._between(position, len(self._text), above)
        if comments is None:
            return None
        found[0].pairs.extend(comments)
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

    def _between(
        self, start: int, end: int, above: Sequence[tuple[int, Told]]
    ) -> list[tuple[str, str]] | None:
        """The words of comments between two elements, for what follows; None for other words.

        Those with an end tag behind them are told with the element that this ends.

        Args:
            start: behind a start tag or an element.
            end: where the next one begins.
            above: the elements that are open at the start, outermost first.
        """
        gap = self._text[start:end]
        if not gap or gap.isspace():
            return []
        if without_tags(gap).strip("\ufeff \t\r\n"):
            return None
        comments: list[str] = []
        for place, behind, words in _marks(gap):
            if gap.find("</", behind) < 0:
                comments.append(words)
                continue
            closed = min(gap.count("</", 0, place), len(above) - 1)
            above[-1 - closed][1].pairs.extend(comment_pairs([words]))
        return comment_pairs(comments)


def _marks(written: str) -> list[tuple[int, int, str]]:
    """The half-open spans of comments, instructions and the like in a stretch, and their words."""
    found: list[tuple[int, int, str]] = []
    position = 0
    while mark := MARK.search(written, position):
        start = mark.start()
        position = behind_mark(written, start, set())
        if position < 0:
            position = mark.end()
            continue
        if written.startswith(CDATA, start) or written.startswith("<?xml ", start):
            continue
        closing = 3 if written.startswith("<!--", start) else 2
        opening = 4 if closing == 3 else 2
        closing = 1 if written.startswith(DOCTYPE, start) else closing
        words = on_one_line(written[start + opening : position - closing])
        found.append((start, position, words))
    return found
