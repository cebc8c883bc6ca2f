"""The units of a plain text between its headings: paragraphs, lists, tables, lines of logs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import chain, pairwise

from structchunk_core.formats._bars import bar_table
from structchunk_core.formats._glue import caption_of
from structchunk_core.formats._pipe_table import pipe_table
from structchunk_core.formats._text_blanks import BLANK_LINES, end_of_block
from structchunk_core.formats._text_lists import ITEM_LINE, List, introduces, list_or_none
from structchunk_core.formats._text_logs import LONGEST_HEAD, log_or_none, whole_log_or_none
from structchunk_core.unit import Tie, Unit, make_repeat, make_unit, retied

_DEEPEST = 8
"""In items nested deeper than this, lists are paragraphs."""


def blocks(text: str, start: int, end: int, depth: int = 0) -> Iterator[Unit]:
    """The text between the positions as paragraphs, lists and lines; blank ones stay above."""
    introduced = False
    above = ""
    if depth == 0 and (log := whole_log_or_none(text, start, end)):
        yield log
        return
    while start < end:
        # Blank lines at the very top have no unit above: they go to the first one.
        first_line = BLANK_LINES.match(text, start, end).end()  # type: ignore[union-attr]  # always
        if first_line >= end:
            yield make_unit("paragraph", start, end)
            return
        if text.startswith("\ufeff", first_line):
            first_line += 1
        stop = end_of_block(text, first_line, end)
        found = list_or_none(text, first_line, stop, end) if depth < _DEEPEST else None
        if found is None:
            table = _table_or_none(text, start, first_line, stop, above)
            if table is None and (begin := _first_bar(text, first_line, stop)) >= 0:
                table = _table_or_none(text, begin, begin, stop, text[first_line:begin].strip())
                if table is not None:
                    yield _paragraph(text, start, begin)
                    table = retied(table, Tie.CLOSE)
            yield _paragraph(text, start, stop) if table is None else table
            above = text[first_line:stop].strip()
            introduced = introduces(text, start, stop)
            start = stop
            continue
        tie = Tie.CLOSE if introduced else Tie.LOOSE
        if found.starts[0] > first_line:
            yield make_unit("paragraph", start, found.starts[0])
            start = found.starts[0]
            tie = Tie.CLOSE
        yield make_unit(
            "procedure" if found.is_numbered else "list",
            start,
            found.end,
            atomic=found.is_numbered,
            tie=tie,
            opener=partial(_items, text, start, found, depth),
        )
        start = found.end
        introduced = False
        above = ""


_KEYWORDS = re.compile(r"(?:[ \t]*+#\+[^\n]*+(?:\n|\Z))*+")
_ORG_CAPTION = re.compile(r"^[ \t]*+#\+caption:[ \t]*+([^\n]*)", re.IGNORECASE | re.MULTILINE)
_LAST_KEYWORDS = re.compile(r"(?:\n[ \t]*+#\+[^\n]*+)++\s*+\Z")
_BAR = re.compile(r"\n(?=[ \t]*+(?:\||\+[-=]|#\+))")


def _first_bar(text: str, start: int, end: int) -> int:
    """Where the first line begins, below another one, that may be of a table; -1 if none does."""
    match = _BAR.search(text, start, end)
    return match.end() if match else -1


def _table_or_none(text: str, start: int, first_line: int, end: int, above: str) -> Unit | None:
    """A block of rows between bars, with the keywords of Org around them, as a table.

    Args:
        text: the text.
        start: where the unit begins.
        first_line: where its first line begins that is not blank.
        end: where it ends.
        above: the paragraph above it, or ``""``.
    """
    if not text.startswith(("|", "+", "#+", " ", "\t"), first_line):
        return None
    keywords = _KEYWORDS.match(text, first_line, end)
    begin = keywords.end() if keywords else first_line
    if text[begin:end].lstrip(" \t")[:1] not in ("|", "+"):
        return None
    below = _LAST_KEYWORDS.search(text, begin, end)
    found = bar_table(text, begin, below.start() if below else end)
    if found is None:
        return None
    named = _ORG_CAPTION.search(text, first_line, begin)
    written = named[0] + "\n" if named else ""
    caption = named[1].strip() if named else caption_of(above, "", is_leading=False).words
    unit = pipe_table(
        text,
        (start, end),
        row_starts=found.row_starts,
        bar=found.bar,
        head=text[begin : found.row_starts[0]],
        captions=(written or (caption and f"{caption}\n\n"), ""),
    )
    if written and unit.table is not None:
        unit = replace(unit, table=replace(unit.table, caption=caption))
    return replace(unit, problems=found.problems)


def _paragraph(text: str, start: int, end: int) -> Unit:
    """A block without a list in it: the lines of a log where it plainly is one, else prose."""
    return log_or_none(text, start, end) or make_unit("paragraph", start, end)


def _items(text: str, start: int, found: List, depth: int) -> Iterator[Unit]:
    bounds = chain((start,), found.starts[1:], (found.end,))
    for item_start, item_end in pairwise(bounds):
        split = _words_end(text, item_start, item_end)
        opener, repeat = None, None
        if split < item_end:
            opener = partial(_item_parts, text, item_start, split, item_end, depth)
            words = text[item_start:split].lstrip("\n")
            repeat = make_repeat(words) if len(words) <= LONGEST_HEAD else None
        yield make_unit("item", item_start, item_end, tie=Tie.NEXT, repeat=repeat, opener=opener)


def _words_end(text: str, start: int, end: int) -> int:
    """Where an item's own words end and the list or the paragraphs inside it begin, or the end."""
    if not 0 <= text.find("\n", start, end) < end - 1:
        return end
    content = BLANK_LINES.match(text, start, end).end()  # type: ignore[union-attr]  # always
    split = end_of_block(text, content, end)
    nested = ITEM_LINE.search(text, text.find("\n", content, end) + 1, split)
    if nested and list_or_none(text, nested.start(), split, end):
        split = nested.start()
    return split


def _item_parts(text: str, start: int, split: int, end: int, depth: int) -> Iterator[Unit]:
    """An item's own words up to a position, then the list or the paragraphs inside it."""
    yield make_unit("paragraph", start, split)
    rest = blocks(text, split, end, depth + 1)
    for first in rest:
        yield retied(first, Tie.CLOSE)
        break
    yield from rest
