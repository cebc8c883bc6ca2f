"""The words of XML: without tags, with the characters that entities stand for, on one line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from xml.sax.saxutils import escape

from structchunk_core.formats._records_xml_scan import DOCTYPE, START, Elements, behind_mark

ATTRIBUTE = re.compile(r"\s([^\s=\"'<>/]++)\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)')")
"""An attribute: its name, and what stands in either kind of quotes."""
MARK = re.compile(r"<[!?]")
"""Where a comment, CDATA, an instruction or the type of the document begins."""
CDATA = "<![CDATA["
_TAG = re.compile(rf"{START.pattern}|<[^<>]++>")
_ENTITY = re.compile(r"&(?:#([0-9]{1,7})|#[xX]([0-9a-fA-F]{1,6})|([^\s&;#<>]++));")
_DECLARED = re.compile(r"<!ENTITY\s++([^\s%&;\"']++)\s++(?:\"([^\"]*+)\"|'([^']*+)')\s*+>")
_PREDEFINED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_LONGEST_ENTITY = 200  # characters of what one stands for: more would not be told in a cell


class WordsOf:
    """The words of what is written in an element or attribute of a document, on one line.

    Args:
        text: the document.
        elements: those of the document.
    """

    __slots__ = ("_elements", "_entities", "_text")

    def __init__(self, text: str, elements: Elements) -> None:
        self._text = text
        self._elements = elements
        self._entities: dict[str, str] | None = None  # what names of entities stand for

    def __call__(self, written: str) -> str:
        if "<" in written:
            written = without_tags(written)
        if "&" in written:
            if self._entities is None:
                self._entities = _entities(self._text, self._elements)
            written = _decoded(written, self._entities)
        return " ".join(written.split())


def without_tags(written: str) -> str:
    """The words of what is written, CDATA too, with blanks for tags and comments."""
    parts: list[str] = []
    given_up = {DOCTYPE}  # none stands in an element
    done = position = 0
    while found := MARK.search(written, position):
        start, position = found.span()
        behind = behind_mark(written, start, given_up)
        if behind < 0:
            continue
        parts.append(_TAG.sub(" ", written[done:start]))
        is_cdata = written.startswith(CDATA, start)
        parts.append(escape(written[start + len(CDATA) : behind - 3]) if is_cdata else " ")
        done = position = behind
    parts.append(_TAG.sub(" ", written[done:]))
    return "".join(parts)


def _entities(text: str, elements: Elements) -> dict[str, str]:
    """What stands for each name: what XML knows, and what is declared above the first element."""
    found = dict(_PREDEFINED)
    for one in _DECLARED.finditer(text, 0, elements.starts[0] if elements.starts else 0):
        words = one[2] or one[3] or ""
        if len(words) <= _LONGEST_ENTITY:
            found.setdefault(one[1], _decoded(words, _PREDEFINED))
    return found


def _decoded(written: str, names: Mapping[str, str]) -> str:
    """The words with the characters that entities stand for; an unknown one stays as it is."""

    def character(entity: re.Match[str]) -> str:
        if entity[3]:
            return names.get(entity[3], entity[0])
        number = int(entity[1]) if entity[1] else int(entity[2], 16)
        is_half = 0xD800 <= number < 0xE000  # of a character: nobody could send or store it
        return entity[0] if is_half or not 0 < number <= 0x10FFFF else chr(number)

    return _ENTITY.sub(character, written)
