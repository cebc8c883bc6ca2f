"""What is unmistakably a heading in plain text: underlined, numbered or all in capitals."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from structchunk_core.formats._text_blanks import behind_blanks, is_blank_above, is_blank_below
from structchunk_core.formats._text_lists import ITEM


class Heading(NamedTuple):
    """A heading: its lines, half-open, its words, and how it is marked.

    ``mark`` is ``=``, ``-`` or ``caps``; for numbered ones and those of a markup it is ``number``
    or ``marked``, with their depth.
    """

    start: int
    end: int
    label: str
    mark: str
    depth: int = 0


# They are looked for in the text behind a line end: what begins with a character is found ten
# times as fast as what begins where a line does, and where they begin there is where the line does
# in the text.
_UNDERLINE = re.compile(r"\n(?P<rule>={3,}+|-{3,}+)[ \t\r]*+$", re.MULTILINE)
_NUMBERED = re.compile(
    r"\n[ \t]{0,8}(?P<number>\d{1,3}(?:\.\d{1,3}){0,5})\.?[ \t]{1,8}(?P<title>\S[^\n]{0,80})$",
    re.MULTILINE,
)
_CAPITALS = re.compile(r"\n[ \t]{0,40}(?P<title>[^\W\d_][^\na-z]{3,70})$", re.MULTILINE)
_LONGEST_TITLE = 120
_WITH_DEPTH = ("number", "marked")


def headings_of(text: str) -> list[Heading]:
    """Every heading, in order, none inside another."""
    lined = "\n" + text
    found = sorted(chain(_underlined(text, lined), _numbered(text, lined), _capitals(text, lined)))
    headings: list[Heading] = []
    for heading in found:
        if not headings or heading.start >= headings[-1].end:
            headings.append(heading)
    if headings and text[: headings[0].start].strip("\ufeff \t\r\n") == "":
        headings[0] = headings[0]._replace(start=0)
    return headings


def section_ends(headings: Sequence[Heading]) -> array[int]:
    """For each heading the number of the next one that is not below it.

    An underline style not yet open goes below the one above, as in reStructuredText; a heading with
    a depth closes all of its sort as deep or deeper.
    """
    ends = array("q", [len(headings)]) * len(headings)
    open_ones: list[int] = []
    for index, heading in enumerate(headings):
        keep = len(open_ones)
        for level, other in enumerate(open_ones):
            above = headings[other]
            same = above.mark == heading.mark
            if same and (heading.mark not in _WITH_DEPTH or above.depth >= heading.depth):
                keep = level
                break
        for other in open_ones[keep:]:
            ends[other] = index
        del open_ones[keep:]
        open_ones.append(index)
    return ends


def _underlined(text: str, lined: str) -> Iterator[Heading]:
    """One line with ``===`` or ``---`` of its own length below it, a blank line above."""
    for match in _UNDERLINE.finditer(lined):
        line, end = match.start(), match.end() - 1
        title_start = text.rfind("\n", 0, max(0, line - 1)) + 1
        if title_start >= line or line - title_start > _LONGEST_TITLE:
            continue
        title = text[title_start:line].strip().strip("\ufeff")
        mark = text[line]
        length = len(match["rule"])
        slack = max(2, length // 5)
        if not title or abs(length - len(title)) > slack or not any(map(str.isalnum, title)):
            continue
        if title[:2] in ("- ", "* ", "+ ") or "   " in title or "\t" in title:
            continue  # an item above a rule, the head of a table
        start = title_start
        over_start = text.rfind("\n", 0, max(0, start - 1)) + 1
        if over_start < start and _is_rule(text[over_start:start], mark, length):
            start = over_start
        if is_blank_above(text, start):
            yield Heading(start, behind_blanks(text, end), title, mark)


def _is_rule(line: str, mark: str, length: int) -> bool:
    return line.strip() == mark * length


def _numbered(text: str, lined: str) -> list[Heading]:
    """Short lines such as ``1.2 Title`` that stand alone.

    ``1. Title`` may count items: it is one where there also is a ``1.1``, or where such lines
    count up and each has text below it that is no item with a number and not indented.
    """
    found: list[tuple[str, Heading]] = []
    for match in _NUMBERED.finditer(lined):
        title = match["title"].rstrip()
        is_name = title[0].isalpha() and not title[0].islower()
        if not is_name or title[-1] in ".,;:!?" or "..." in title or ". ." in title:
            continue
        start, line_end = match.start(), match.end() - 1
        if _is_alone(text, start, line_end):
            number = match["number"]
            label = text[start:line_end].strip()
            depth = number.count(".") + 1
            end = behind_blanks(text, line_end)
            found.append((number, Heading(start, end, label, "number", depth)))
    parted = {number.partition(".")[0] for number, heading in found if heading.depth > 1}
    counted = _counted(text, [(number, one) for number, one in found if one.depth == 1])
    return [
        heading
        for number, heading in found
        if heading.depth > 1 or number.partition(".")[0] in parted or heading.start in counted
    ]


def _counted(text: str, found: Sequence[tuple[str, Heading]]) -> set[int]:
    """Where lines with single numbers start that count up from 0 or 1, each with text below it."""
    starts: set[int] = set()
    run: list[int] = []
    last = -1
    for number, heading in found:
        value = int(number)
        if not run or value != last + 1:
            run = []
            if value > 1:
                continue
        if _has_text_below(text, heading.end):
            run.append(heading.start)
            last = value
            if len(run) > 1:
                starts.update(run)
        else:
            run = []
    return starts


def _has_text_below(text: str, start: int) -> bool:
    """Whether the line that starts there is no numbered item and not indented."""
    line = text[start : start + 200].partition("\n")[0]
    item = ITEM.match(text, start)
    counts = item is not None and not item["bullet"]
    return bool(line.strip()) and not line[0].isspace() and not counts


def _capitals(text: str, lined: str) -> Iterator[Heading]:
    """Short lines all in capitals that stand alone, with text in small letters below."""
    for match in _CAPITALS.finditer(lined):
        title = match["title"].rstrip()
        if title[-1:] in ".,;:!?" or not title.isupper() or len(title) < 4:
            continue
        letters = sum(map(str.isalpha, title))
        start, line_end = match.start(), match.end() - 1
        if letters * 10 < len(title) * 6 or not _is_alone(text, start, line_end):
            continue
        end = behind_blanks(text, line_end)
        below = text[end : end + 200].partition("\n")[0]
        if below and any(map(str.islower, below)):
            yield Heading(start, end, title, "caps")


def _is_alone(text: str, start: int, end: int) -> bool:
    """Whether the line has a blank line or nothing above and below it."""
    return is_blank_above(text, start) and is_blank_below(text, end)
