"""Code inside documents: fences, script elements, notebook cells."""

from __future__ import annotations

import re

from structchunk_core.detect import language_of_tag
from structchunk_core.formats import ParseOptions
from structchunk_core.formats.code import parse_inside
from structchunk_core.unit import Unit

_QUOTE_MARKS = re.compile(r"^[ \t]*(?:>[ \t]?)+", re.MULTILINE)


def embedded_units(
    text: str, start: int, end: int, language: str, options: ParseOptions
) -> tuple[Unit, ...]:
    """The units of the code at the half-open span of the text, in characters.

    They tile the span. Empty when the name is that of no language: lines are then the best there
    is. When its grammar is missing or gave up, one leaf with that problem.

    Args:
        text: the whole document.
        start: where the code begins; the start of a line.
        end: where it ends.
        language: the language as the document names it (``py``, ``c++``, ``TypeScript``).
        options: bounds and grammars for the parser.

    Raises:
        MissingDependencyError: the grammar is missing and ``on_missing_grammar`` is ``"error"``.
    """
    known = language_of_tag(language)
    if not known or end <= start:
        return ()
    inner = _QUOTE_MARKS.sub(lambda mark: " " * len(mark[0]), text[start:end])
    return parse_inside(text, start, end, inner, known, options).units()
