"""What can be asked about code that stands in several places of a document, as if it were one file.

Cells of a notebook and scripts of a component share their names: what one imports, another uses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from structchunk_core.errors import MissingDependencyError
from structchunk_core.formats import ParseOptions
from structchunk_core.formats._code_lookup import Lookup
from structchunk_core.grammars import ParseTimeoutError
from structchunk_core.source import Source
from structchunk_core.unit import Facts, Unit

_NOT_LINE_END = re.compile(r"[^\n]+")


@dataclass(frozen=True, slots=True)
class CodePart:
    """Code in a document.

    Attributes:
        start: where it begins, in characters of the document.
        end: one past its end.
        shown: gives what the grammar shall read: as many characters as stand there.
        units: gives the units that tile it.
    """

    start: int
    end: int
    shown: Callable[[], str]
    units: Callable[[], Iterable[Unit]]


def facts_of_parts(
    source: Source, parts: Sequence[CodePart], language: str, options: ParseOptions
) -> Facts:
    """Facts about the parts of a document, in order, which are all in that language.

    They are looked up when somebody asks. There are none when the grammar is missing or takes
    longer for all of them at once than it may.
    """

    @cache
    def lookup() -> Lookup | Facts:
        from structchunk_core.formats.code import lookup_in

        if not parts:
            return Facts()
        try:
            return lookup_in(_only_code(source, parts, language), _root(source, parts), options)
        except (MissingDependencyError, ParseTimeoutError):
            return Facts()

    return Facts(
        imports=lambda start, end: lookup().imports(start, end),
        calls=lambda start, end: lookup().calls(start, end),
        callers=lambda start, end: lookup().callers(start, end),
        members=lambda start, end: lookup().members(start, end),
        neighbours=lambda start, end: lookup().neighbours(start, end),
        outlines=lambda: lookup().outlines(),
    )


def _only_code(source: Source, parts: Sequence[CodePart], language: str) -> Source:
    """The document as a file of the language: blanks for all that is not in the parts."""
    pieces: list[str] = []
    position = 0
    for part in parts:
        pieces += blank(source.text[position : part.start]), part.shown()
        position = part.end
    pieces.append(blank(source.text[position:]))
    return replace(source, text="".join(pieces), format="code", language=language)


def _root(source: Source, parts: Sequence[CodePart]) -> Unit:
    """A unit over the document that opens into the units of the parts."""
    length = len(source.text)

    def children() -> Iterator[Unit]:
        position = 0
        for part in parts:
            if position < part.start:
                yield Unit("lead", position, part.start)
            yield from part.units()
            position = part.end
        if position < length:
            yield Unit("lead", position, length)

    return Unit("file", 0, length, atomic=False, opener=children)


def blank(text: str) -> str:
    """As many blanks as there are characters, on as many lines."""
    return _NOT_LINE_END.sub(lambda found: " " * len(found[0]), text)
