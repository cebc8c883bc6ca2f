"""What an audit finds in parts of tables and blocks of code: what each part has to carry."""

from __future__ import annotations

import re

from structchunk_core.auditing.audited import Audited, Extent
from structchunk_core.unit import Unit

_HEAD_SHARE = 3  # a header that takes more of the budget may be left out of the parts
_REQUIRED_SHARE = 2  # so may what stands around a part, where parts would be broken without it
_MARK = "fence_mark"
_WORD = re.compile(r"\w+")


def check_table_parts(
    audited: Audited, table: Unit, extent: Extent, children: list[tuple[Unit, Extent]]
) -> None:
    """Find the chunks that begin with rows of a table and have its header or caption nowhere."""
    first, head = children[0]
    has_head = first.kind == "table_head"
    rows = head.high if has_head else extent.low + 1
    begun = audited.beginning(rows, extent.high)
    if not begun or table.repeat is None:
        return
    caption = _caption(table)
    header = table.repeat.before.removeprefix(caption) if has_head else ""
    if audited.measure.count(table.repeat.before) * _HEAD_SHARE > audited.limit:
        caption = ""
    if audited.measure.count(header) * _HEAD_SHARE > audited.limit:
        header = ""
    name = f"table {table.label}".strip()
    around = table.repeat.before, table.repeat.after
    row_ends = {row.low: row.high for _, row in children}
    for number in begun:
        known = _known(audited, number)
        low, high = audited.placements[number][:2]
        start, end = audited.ground.letters.span(low, high)
        # A part of a row needs the names of its own cells only.
        is_row = low in row_ends
        if is_row and high <= row_ends[low] and not audited.fits(start, end, around=around):
            continue  # a row is not cut to make room for its header
        named = _words(header)
        if not (named <= known if is_row else named & known or not named):
            message = f"rows of {name} without {_first_line(header)}"
            audited.note("headless-rows", start, end, message, chunk=number)
        if table.repeat.below:
            known = _words(audited.given[number].text)
        if not _words(caption) <= known:
            message = f"rows of {name} without {_first_line(caption)}"
            audited.note("captionless-rows", start, end, message, chunk=number)


def check_fence_parts(
    audited: Audited, fence: Unit, extent: Extent, children: list[tuple[Unit, Extent]]
) -> None:
    """Find the chunks that hold a part of a block and lack the lines that begin and end it."""
    repeat = fence.repeat
    assert repeat is not None
    needed = audited.measure.count(repeat.before + repeat.after)
    if needed * _REQUIRED_SHARE > audited.limit:
        return
    content, behind = extent.low + 1, extent.high
    if children[-1][0].kind == _MARK:
        behind = children[-1][1].low
    for number in audited.beginning(content, extent.high):
        place = audited.placements[number]
        if place.at < behind and not _stands_in(repeat.before, place.before, audited, number):
            start, end = audited.ground.letters.span(place.at, place.end)
            message = (
                f"a part of a {fence.kind} without its first line: {_first_line(repeat.before)}"
            )
            audited.note("open-fence", start, end, message, chunk=number)
    if not repeat.after.strip():
        return
    for number in audited.ending(content, behind + 1):
        place = audited.placements[number]
        if place.end < extent.high and not _stands_in(repeat.after, place.after, audited, number):
            start, end = audited.ground.letters.span(place.at, place.end)
            message = f"a part of a {fence.kind} without its last line"
            audited.note("open-fence", start, end, message, chunk=number)


def _caption(table: Unit) -> str:
    """What stands in front of the header in every part of a table, or below its rows."""
    repeat = table.repeat
    if repeat is not None and repeat.below:
        return repeat.below[0]
    if repeat is None or not repeat.shorter or not repeat.before.endswith(repeat.shorter[0]):
        return ""
    return repeat.before.removesuffix(repeat.shorter[0])


def _known(audited: Audited, number: int) -> set[str]:
    """The words in front of what a chunk holds of the document, and of its metadata."""
    chunk, place = audited.given[number], audited.placements[number]
    said = chunk.text if chunk.is_written_anew or len(place.runs) > 1 else place.before
    return _words(f"{chunk.front}\n{said}\n{chunk.told}")


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text))


def _stands_in(line: str, added: str, audited: Audited, number: int) -> bool:
    """Whether a line that begins like this one was added to the chunk."""
    chunk = audited.given[number]
    mark = line.strip()[:3]
    return mark in f"{chunk.front}\n{added}\n{chunk.behind}"


def _first_line(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= 60 else line[:57] + "...")
