"""Fences of Markdown: what their info strings say, and the units of the code in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from structchunk_core.detect import language_of_tag
from structchunk_core.formats._markdown_blocks import Block
from structchunk_core.formats._markdown_document import Document, Place, plain_unit
from structchunk_core.source import line_start
from structchunk_core.unit import Tie, Unit, make_repeat, retied

_FENCE = re.compile(r"`{3,}+|~{3,}+")
_LANGUAGE = re.compile(r"[\w+#.-]++")
_WRAPPED_LANGUAGE = re.compile(r"\{(?:code-block|code-cell|code|sourcecode|raw)\}[ \t]++")

_DIRECTIVE = re.compile(r"\{([A-Za-z][\w:.+-]*)\}")  # of MyST, which are written as fences
_CODE_DIRECTIVES = frozenset(
    {
        *("code", "code-block", "code-cell", "sourcecode", "literalinclude", "parsed-literal"),
        *("eval-rst", "math", "mermaid", "graphviz", "raw", "toctree", "autosummary", "doctest"),
    }
)
_OPTION = re.compile(r":[\w-]+:(?=[ \t\r\n])")


def fence_of(document: Document, block: Block, place: Place) -> Unit:
    """A fence opens into its opening line, the units of its content and its closing line."""
    text = document.text
    at = document.at(block.start)
    info = block.label
    language = _language(info) if info else ""
    opening = _FENCE.match(text, at)
    line_end = text.find("\n", at, place.end)
    if opening is None or line_end < 0:
        return plain_unit("fence", place, language=language)
    kind = "fence"
    if info.strip(" {}").lower() == "math":
        kind, language = "math", ""
    lead = document.lead(block)
    mark = opening[0]

    def children() -> Iterator[Unit]:
        begin = line_end + 1
        stop = min(place.end, document.at(block.end - 1) + 1)
        close = closing_line(text, begin, stop, place.end, mark)
        if _DIRECTIVE.match(info):
            begin = behind_options(text, begin, close)
        if begin < place.end:
            yield Unit("fence_mark", place.start, begin, tie=place.tie)
            if begin < close:
                written = text[line_start(text, at) : at]
                yield from _code(document, (begin, close), language, written)
            if close < place.end:
                yield Unit("fence_mark", close, place.end, tie=Tie.HEAD)

    repeat = make_repeat(
        before=lead + text[at:line_end].rstrip("\r") + "\n",
        after="\n" + lead + mark,
        required=True,
    )
    return plain_unit(kind, place, repeat, children, language)


def _code(document: Document, span: tuple[int, int], language: str, written: str) -> Iterator[Unit]:
    from structchunk_core.formats.embedded import embedded_units

    start, end = span
    units: tuple[Unit, ...] = ()
    if not written.strip(" \t\ufeff"):
        units = embedded_units(document.text, start, end, language, document.options)
    if not units:
        units = (Unit("code_text", start, end),)
    yield retied(units[0], Tie.HEAD)
    yield from units[1:]


@lru_cache(maxsize=256)
def _language(info: str) -> str:
    """The language that an info string means: ``python`` in ``{.py title="x"}``."""
    wrapped = _WRAPPED_LANGUAGE.match(info)
    found = _LANGUAGE.match(info[wrapped.end() :] if wrapped else info.lstrip(" \t{."))
    name = found[0].lower() if found else ""
    return language_of_tag(name) or name


def directive_of(info: str) -> str:
    """The name of the directive around Markdown that a fence with that info string is, or ``""``.

    In ``{r}`` and ``{code-cell}`` stands code.
    """
    found = _DIRECTIVE.match(info)
    if found is None:
        return ""
    name = found[1].lower()
    return "" if name in _CODE_DIRECTIVES or language_of_tag(name) else name


def opening_mark(document: Document, block: Block, end: int) -> str:
    """What opens a fence that ends there; ``""`` without an opening line that ends before."""
    at = document.at(block.start)
    opening = _FENCE.match(document.text, at)
    return opening[0] if opening and document.text.find("\n", at, end) >= 0 else ""


def closing_line(text: str, start: int, stop: int, end: int, mark: str) -> int:
    """Where the closing line of a fence that stops there begins; the end when nothing closes it."""
    if text[stop - 1] == "\n":
        stop -= 1
    line = line_start(text, stop)
    found = text[line:stop].strip(" \t\r>")
    closes = line >= start and len(found) >= len(mark) and found.strip(mark[0]) == ""
    return line if closes else end


def behind_options(text: str, start: int, end: int) -> int:
    """Where the content of a directive begins, behind its options: fields or YAML."""
    position = start
    if text.startswith("---", start):
        closing = text.find("\n---", start, end)
        return end if closing < 0 else text.find("\n", closing + 1, end) + 1 or end
    while position < end:
        stop = text.find("\n", position, end) + 1 or end
        line = position + len(text[position:stop]) - len(text[position:stop].lstrip(" \t"))
        if not _OPTION.match(text, line):
            break
        position = stop
    return position


def may_be_another(info: str) -> bool:
    """Whether a fence with that info string may be something else than code."""
    return info != "" and (not info.isalnum() or info.lower() == "math")
