"""The comments in a part of a YAML document, wherever they stand, told apart from what looks so."""

from __future__ import annotations

import re
from bisect import bisect_left

from structchunk_core.formats._records_told import comment_words
from structchunk_core.formats._records_yaml_scan import Entries, key_at
from structchunk_core.formats._records_yaml_values import (
    behind_value,
    comments_in_brackets,
    property_place,
)

COMMENT = re.compile(r"\#([^\n]*+)")
"""A comment, where no value stands."""


def comment_of_block(text: str, first: int, stop: int) -> list[str]:
    """The comment in the line that a block of text begins with; none where no such begins."""
    if text[first : first + 1] not in ("|", ">"):
        return []
    header_end = text.find("\n", first, stop)
    return COMMENT.findall(text, first, header_end if header_end >= 0 else stop)


def comments_of_yaml(text: str, entries: Entries, start: int, end: int) -> str:
    """The words of the comments in entries, on one line.

    Args:
        text: the document.
        entries: those of the document.
        start: where the first of them begins, in characters.
        end: where the last of them ends.
    """
    if "#" not in text[start:end]:
        return ""
    found: list[str] = []
    number, behind = bisect_left(entries.places, start), bisect_left(entries.places, end)
    for inner in range(number, behind):
        place = entries.places[inner]
        if inner > number:
            found += COMMENT.findall(text, entries.begins[inner], place)
        value = place if entries.kinds[inner] == "=" else entries.values[inner]
        if entries.kinds[inner] == "k":
            value = key_at(text, place)[1]
        stop = entries.begins[inner + 1] if inner + 1 < behind else end
        mark, first = property_place(text, value, stop)
        found += COMMENT.findall(text, value, mark)
        if inner + 1 < min(entries.behind[inner], behind):
            found += COMMENT.findall(text, first, stop)
        elif text[first : first + 1] in ("[", "{"):
            found += comments_in_brackets(text[first:stop])
        else:
            found += comment_of_block(text, first, stop)
            past = behind_value(text, first, stop, entries.columns[inner] // 2)
            found += COMMENT.findall(text, past, stop)
    return comment_words(found)
