r"""Plain text: paragraphs, and the structure that people write without any markup.

Conservative: what is not unmistakably a heading, a list or a log is a paragraph, and a paragraph
is a leaf, which the packer cuts at lines, sentences and words. Only ``\n`` ends a line; a line of
white space (form feeds included) is blank and belongs to the unit above it.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, pairwise
from typing import NamedTuple

from structchunk_core.formats import ParseOptions
from structchunk_core.formats._bars import bar_table
from structchunk_core.formats._glue import caption_of
from structchunk_core.formats._pipe_table import pipe_table
from structchunk_core.source import Source
from structchunk_core.unit import Parsed, Tie, Unit, make_repeat, make_unit, retied


def parse(source: Source, options: ParseOptions) -> Parsed:  # noqa: ARG001 -- the seam of formats
    """The unit tree of a plain text: sections, paragraphs, lists, lines of logs."""
    text = source.text
    outline = _Outline(text, () if _log_or_none(text, 0, len(text)) else _headings(text))
    opener = None if not text or text.isspace() else partial(outline.children, 0, 0, len(text))
    root = make_unit("document", 0, len(text), atomic=False, opener=opener)
    return Parsed(root, title=outline.title)


# --- sections -----------------------------------------------------------------------------------


class _Heading(NamedTuple):
    """A heading: its lines, half-open, its words, and how it is marked.

    ``mark`` is ``=``, ``-`` or ``caps``; for numbered ones it is ``number``, with their depth.
    """

    start: int
    end: int
    label: str
    mark: str
    depth: int = 0


class _Outline:
    """The sections of a text, as ranges of its headings."""

    __slots__ = ("_ends", "headings", "text")

    def __init__(self, text: str, headings: Sequence[_Heading]) -> None:
        self.text = text
        self.headings = headings
        self._ends = _section_ends(headings)

    @property
    def title(self) -> str:
        """The heading that the text begins with, when all of it stands below; else ``""``."""
        first = self.headings[0] if self.headings else None
        is_only = first is not None and first.start == 0 and self._ends[0] == len(self.headings)
        return first.label if first is not None and is_only else ""

    def children(self, heading: int, start: int, end: int, level: int = 1) -> Iterator[Unit]:
        """What stands between the positions: text, then the sections from that heading on."""
        headings = self.headings
        has_more = heading < len(headings) and headings[heading].start < end
        yield from _blocks(self.text, start, headings[heading].start if has_more else end)
        while heading < len(headings) and headings[heading].start < end:
            following = self._ends[heading]
            stop = headings[following].start if following < len(headings) else end
            stop = min(stop, end)
            yield make_unit(
                "section",
                headings[heading].start,
                stop,
                label=headings[heading].label,
                atomic=False,
                tie=Tie.FREE,
                opener=partial(self._section, heading, stop, level),
                level=level,
            )
            heading = following

    def _section(self, heading: int, end: int, level: int) -> Iterator[Unit]:
        start, behind = self.headings[heading].start, self.headings[heading].end
        yield make_unit("heading", start, behind)
        content = self.children(heading + 1, behind, end, level + 1)
        for first in content:
            yield retied(first, Tie.HEAD)
            break
        yield from content


def _section_ends(headings: Sequence[_Heading]) -> array[int]:
    """For each heading the number of the next one that is not below it.

    An underline style not yet open goes below the one above, as in reStructuredText; a number
    closes all numbers as deep or deeper.
    """
    ends = array("q", [len(headings)]) * len(headings)
    open_ones: list[int] = []
    for index, heading in enumerate(headings):
        keep = len(open_ones)
        for level, other in enumerate(open_ones):
            above = headings[other]
            same = above.mark == heading.mark
            if same and (heading.mark != "number" or above.depth >= heading.depth):
                keep = level
                break
        for other in open_ones[keep:]:
            ends[other] = index
        del open_ones[keep:]
        open_ones.append(index)
    return ends


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


def _headings(text: str) -> list[_Heading]:
    """Every heading, in order, none inside another."""
    lined = "\n" + text
    found = sorted(chain(_underlined(text, lined), _numbered(text, lined), _capitals(text, lined)))
    headings: list[_Heading] = []
    for heading in found:
        if not headings or heading.start >= headings[-1].end:
            headings.append(heading)
    if headings and text[: headings[0].start].strip("\ufeff \t\r\n") == "":
        headings[0] = headings[0]._replace(start=0)
    return headings


def _underlined(text: str, lined: str) -> Iterator[_Heading]:
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
        if _is_blank_above(text, start):
            yield _Heading(start, _behind_blanks(text, end), title, mark)


def _is_rule(line: str, mark: str, length: int) -> bool:
    return line.strip() == mark * length


def _numbered(text: str, lined: str) -> list[_Heading]:
    """Short lines such as ``1.2 Title`` that stand alone.

    ``1. Title`` may count items: it is one where there also is a ``1.1``, or where such lines
    count up and each has text below it that is no item with a number and not indented.
    """
    found: list[tuple[str, _Heading]] = []
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
            end = _behind_blanks(text, line_end)
            found.append((number, _Heading(start, end, label, "number", depth)))
    parted = {number.partition(".")[0] for number, heading in found if heading.depth > 1}
    counted = _counted(text, [(number, one) for number, one in found if one.depth == 1])
    return [
        heading
        for number, heading in found
        if heading.depth > 1 or number.partition(".")[0] in parted or heading.start in counted
    ]


def _counted(text: str, found: Sequence[tuple[str, _Heading]]) -> set[int]:
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
    item = _ITEM.match(text, start)
    counts = item is not None and not item["bullet"]
    return bool(line.strip()) and not line[0].isspace() and not counts


def _capitals(text: str, lined: str) -> Iterator[_Heading]:
    """Short lines all in capitals that stand alone, with text in small letters below."""
    for match in _CAPITALS.finditer(lined):
        title = match["title"].rstrip()
        if title[-1:] in ".,;:!?" or not title.isupper() or len(title) < 4:
            continue
        letters = sum(map(str.isalpha, title))
        start, line_end = match.start(), match.end() - 1
        if letters * 10 < len(title) * 6 or not _is_alone(text, start, line_end):
            continue
        end = _behind_blanks(text, line_end)
        below = text[end : end + 200].partition("\n")[0]
        if below and any(map(str.islower, below)):
            yield _Heading(start, end, title, "caps")


def _is_alone(text: str, start: int, end: int) -> bool:
    """Whether the line has a blank line or nothing above and below it."""
    return _is_blank_above(text, start) and _is_blank_below(text, end)


def _is_blank_above(text: str, start: int) -> bool:
    """Whether the line above the one that starts there is blank, or there is none."""
    if start == 0:
        return True
    return _BLANK_LINE.match(text, text.rfind("\n", 0, start - 1) + 1) is not None


def _is_blank_below(text: str, end: int) -> bool:
    """Whether the line below the one that ends there is blank, or there is none."""
    return end >= len(text) or _BLANK_LINE.match(text, end + 1) is not None


def _behind_blanks(text: str, end: int) -> int:
    """Behind the line that ends there and the blank lines below it."""
    if end >= len(text):
        return end
    return _BLANK_LINES.match(text, end + 1).end()  # type: ignore[union-attr]  # none is enough


_BLANK_LINE = re.compile(r"[^\S\n]*+(?:\n|\Z)")
_BLANK_LINES = re.compile(r"(?:[^\S\n]*+\n)*+(?:[^\S\n]++\Z)?")


# --- blocks -------------------------------------------------------------------------------------

_PARAGRAPH_END = re.compile(r"\n(?:[^\S\n]*+\n)++(?:[^\S\n]++\Z)?")


def _blocks(text: str, start: int, end: int, depth: int = 0) -> Iterator[Unit]:
    """The text between the positions as paragraphs, lists and lines; blank ones stay above."""
    introduced = False
    above = ""
    if depth == 0 and (log := _log_or_none(text, start, end)):
        yield log
        return
    while start < end:
        # Blank lines at the very top have no unit above: they go to the first one.
        first_line = _BLANK_LINES.match(text, start, end).end()  # type: ignore[union-attr]  # always
        if first_line >= end:
            yield make_unit("paragraph", start, end)
            return
        if text.startswith("\ufeff", first_line):
            first_line += 1
        stop = _block_end(text, first_line, end)
        found = _list_or_none(text, first_line, stop, end) if depth < _DEEPEST else None
        if found is None:
            table = _table_or_none(text, start, first_line, stop, above)
            if table is None and (begin := _first_bar(text, first_line, stop)) >= 0:
                table = _table_or_none(text, begin, begin, stop, text[first_line:begin].strip())
                if table is not None:
                    yield _paragraph(text, start, begin)
                    table = retied(table, Tie.CLOSE)
            yield _paragraph(text, start, stop) if table is None else table
            above = text[first_line:stop].strip()
            introduced = _introduces(text, start, stop)
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
        head=text[begin : found.row_starts[0]],
        captions=(written or (caption and f"{caption}\n\n"), ""),
    )
    if written and unit.table is not None:
        unit = replace(unit, table=replace(unit.table, caption=caption))
    return replace(unit, problems=found.problems)


def _block_end(text: str, start: int, end: int) -> int:
    """Where the block that starts there ends: behind the blank lines below it."""
    match = _PARAGRAPH_END.search(text, start, end)
    return match.end() if match else end


def _paragraph(text: str, start: int, end: int) -> Unit:
    """A block without a list in it: the lines of a log where it plainly is one, else prose."""
    starts = _record_starts(text, start, end)
    return _log(text, starts, start, end) if starts else make_unit("paragraph", start, end)


def _log_or_none(text: str, start: int, end: int) -> Unit | None:
    """Text with blank lines in it as a log, if it is one from its first line on."""
    first = _VISIBLE.search(text, start, end)
    begun = _RECORD.match(text, first.start(), end) if first else None
    if begun is None or begun.lastgroup not in _PLAIN_MARKS:
        return None
    starts = _record_starts(text, start, end)
    return _log(text, starts, start, end) if starts else None


def _log(text: str, starts: Sequence[int], start: int, end: int) -> Unit:
    return make_unit("lines", start, end, atomic=False, opener=partial(_lines, text, starts, end))


def _lines(text: str, starts: Sequence[int], end: int) -> Iterator[Unit]:
    """The records of a log; the parts of one that is cut carry its first line."""
    for start, stop in pairwise(chain(starts, (end,))):
        line_end = text.find("\n", start, stop) + 1 or stop
        repeat = None
        if text[line_end:stop].strip() and line_end - start <= _LONGEST_HEAD:
            repeat = make_repeat(text[start:line_end])
        yield make_unit("line", start, stop, tie=Tie.NEXT, repeat=repeat)


def _introduces(text: str, start: int, end: int) -> bool:
    """Whether the block ends in a colon: a list below belongs to it."""
    return text[max(start, end - 80) : end].rstrip().endswith((":", "\uff1a"))


# --- lists --------------------------------------------------------------------------------------

_DEEPEST = 8
_FURTHEST = 8192
"""How far the next item of a list may be from the last one, in characters."""
_LEAD_IN_LINES = 3

_ITEM = re.compile(
    r"(?P<indent>[ \t]{0,60})"
    r"(?:(?P<bullet>[-*+\u2022\u2023\u2043\u25aa\u25ab\u25cf\u25cb\u25e6\u2219\u00b7])"
    r"|(?P<open>\(?)(?:(?P<number>\d{1,3})|(?P<letter>[a-z]))(?P<close>[.)]))"
    r"[ \t]{1,8}(?=\S)"
)
_ITEM_LINE = re.compile("^" + _ITEM.pattern, re.MULTILINE)
_FRAME = re.compile(r"^[ \t]*+\*[ \t\r]*+$", re.MULTILINE)  # a comment with a star on every line
_INDENT = re.compile(r"[ \t]*+")


@dataclass(frozen=True, slots=True)
class _List:
    """A list: where its items start, and where it ends."""

    starts: array[int]
    end: int
    is_numbered: bool


def _list_or_none(text: str, start: int, block_end: int, end: int) -> _List | None:
    """The list in the block that starts there, with the blocks below that go on with it.

    The block begins with an item, or with a short lead-in. A list has two items or more of one
    kind and one indentation, and numbers count up. Reads on no further than an item may reach.
    """
    last = _ITEM.match(text, start, block_end) or _item_below_lead_in(text, start, block_end)
    if last is None or (last["bullet"] == "*" and _FRAME.search(text, start, block_end)):
        return None
    indent = _columns(last["indent"])
    starts = array("q", [last.start()])
    covered = block_end  # the list reaches at least so far
    while True:
        limit = min(end, last.start() + _FURTHEST)
        match = _next_mark(text, last, indent, min(covered, limit))
        if match is None:
            if covered >= limit or not _goes_on(text, covered, end, indent, last):
                break
            covered = _block_end(text, covered, end)
        elif _columns(match["indent"]) < indent:
            covered = match.start()  # a list further out goes on
            break
        else:
            starts.append(match.start())
            last = match
    return _List(starts, covered, last["number"] is not None) if len(starts) > 1 else None


def _next_mark(text: str, last: re.Match[str], indent: int, end: int) -> re.Match[str] | None:
    """The next item of the list, or the bullet further out that ends it."""
    for match in _ITEM_LINE.finditer(text, last.end(), end):
        columns = _columns(match["indent"])
        if (columns == indent and _is_next(last, match)) or (columns < indent and match["bullet"]):
            return match
    return None


def _item_below_lead_in(text: str, start: int, end: int) -> re.Match[str] | None:
    """The first item below one to three lines of lead-in."""
    position = start
    for _ in range(_LEAD_IN_LINES):
        line_end = text.find("\n", position, end)
        if line_end < 0:
            return None
        position = line_end + 1
        match = _ITEM.match(text, position, end)
        if match is not None:
            begins = match["bullet"] or match["number"] == "1" or match["letter"] == "a"
            return match if begins or _introduces(text, start, position) else None
    return None


def _is_next(last: re.Match[str], match: re.Match[str]) -> bool:
    """Whether the mark follows the other one in a list."""
    if last["bullet"] or match["bullet"]:
        return last["bullet"] == match["bullet"]
    if (last["open"], last["close"]) != (match["open"], match["close"]):
        return False
    if last["number"] and match["number"]:
        step = int(match["number"]) - int(last["number"])
        return step == 1 or (step == 0 and match["number"] == "1")
    if last["letter"] and match["letter"]:
        return ord(match["letter"]) - ord(last["letter"]) == 1
    return False


def _goes_on(text: str, start: int, end: int, indent: int, last: re.Match[str]) -> bool:
    """Whether the block that starts there belongs to the list: the next item, or indented text."""
    match = _ITEM.match(text, start, end)
    if match is not None and _columns(match["indent"]) == indent:
        return _is_next(last, match)
    if not _is_indented(text, start, end, indent):
        return False
    second = text.find("\n", start, end) + 1
    if not 0 < second < end or _BLANK_LINE.match(text, second, end):
        return True
    below = _ITEM.match(text, second, end)
    return _is_indented(text, second, end, indent) or (below is not None and _is_next(last, below))


def _is_indented(text: str, start: int, end: int, indent: int) -> bool:
    match = _INDENT.match(text, start, min(end, start + 100))
    return match is not None and _columns(match.group()) >= indent + 2


def _columns(indent: str) -> int:
    return len(indent.expandtabs(4))


def _items(text: str, start: int, found: _List, depth: int) -> Iterator[Unit]:
    bounds = chain((start,), found.starts[1:], (found.end,))
    for item_start, item_end in pairwise(bounds):
        split = _words_end(text, item_start, item_end)
        opener, repeat = None, None
        if split < item_end:
            opener = partial(_item_parts, text, item_start, split, item_end, depth)
            words = text[item_start:split].lstrip("\n")
            repeat = make_repeat(words) if len(words) <= _LONGEST_HEAD else None
        yield make_unit("item", item_start, item_end, tie=Tie.NEXT, repeat=repeat, opener=opener)


def _words_end(text: str, start: int, end: int) -> int:
    """Where an item's own words end and the list or the paragraphs inside it begin, or the end."""
    if not 0 <= text.find("\n", start, end) < end - 1:
        return end
    content = _BLANK_LINES.match(text, start, end).end()  # type: ignore[union-attr]  # always
    split = _block_end(text, content, end)
    nested = _ITEM_LINE.search(text, text.find("\n", content, end) + 1, split)
    if nested and _list_or_none(text, nested.start(), split, end):
        split = nested.start()
    return split


def _item_parts(text: str, start: int, split: int, end: int, depth: int) -> Iterator[Unit]:
    """An item's own words up to a position, then the list or the paragraphs inside it."""
    yield make_unit("paragraph", start, split)
    rest = _blocks(text, split, end, depth + 1)
    for first in rest:
        yield retied(first, Tie.CLOSE)
        break
    yield from rest


# --- logs ---------------------------------------------------------------------------------------

_FEW_LINES = 8
_SAMPLE_LINES = 400
_RECORD = re.compile(
    r"(?P<address>\d{1,3}(?:\.\d{1,3}){3}\b)"
    r"|(?P<date>[\[(<\"]?(?:\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.]\d{2,4})\b)"
    r"|(?P<time>[\[(<]?\d\d?:\d\d\b)"
    r"|(?P<month>[\[(<]?(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),?[ ])?"
    r"(?:\d\d?[ /-])?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[ /-]{1,2}\d)"
    r"|(?P<level>[\[(<]?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL)\b)"
    r"|(?P<bracket>[\[<({])"
    r"|(?P<number>[-+]?\d)"
    r"|(?P<key>[A-Za-z_][\w.-]{0,40}=)"
)
_LONGEST_HEAD = 200  # characters that parts of an item or record carry
_TIMES = frozenset({"date", "time", "month"})
_PLAIN_MARKS = _TIMES | {"address", "level"}  # numbers and brackets may begin anything
_VISIBLE = re.compile(r"[^\s\ufeff]")
_FULL_LINE = re.compile(r"\n(?=\S)")


def _record_starts(text: str, start: int, end: int) -> array[int]:
    """Where the records of a log start, the first at the start; empty for anything else.

    A log has more than a few lines, and four of five start in the same way; with a date or time
    one of three is enough. What is indented or starts in no known way (stack traces, messages of
    several lines) belongs to the record above.
    """
    position = start
    for _ in range(_FEW_LINES):
        position = text.find("\n", position, end) + 1
        if not 0 < position < end:
            return array("q")
    kinds: dict[str | None, int] = {}
    total = 0
    for total, line in enumerate(_full_lines(text, start, end), 1):
        match = _RECORD.match(text, line, end)
        kind = match.lastgroup if match else None
        kinds[kind] = kinds.get(kind, 0) + 1
        if total == _SAMPLE_LINES:
            break
    kinds.pop(None, None)
    if total <= _FEW_LINES or not kinds:
        return array("q")
    most = max(kinds, key=lambda kind: kinds[kind])
    enough = kinds[most] * 3 >= total if most in _TIMES else kinds[most] * 5 >= total * 4
    if not enough or kinds[most] < _FEW_LINES // 2:
        return array("q")
    wanted = _TIMES if most in _TIMES else {most}
    starts = array("q", [start])
    for line in _full_lines(text, start, end):
        match = _RECORD.match(text, line, end)
        if match is not None and match.lastgroup in wanted and line > start:
            starts.append(line)
    return starts


def _full_lines(text: str, start: int, end: int) -> Iterator[int]:
    """Where the lines begin in the half-open span that are not indented and not blank."""
    if start == 0 < end and not text[0].isspace():
        yield 0
    for found in _FULL_LINE.finditer(text, max(0, start - 1), end):
        yield found.end()
