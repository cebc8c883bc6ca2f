"""The formats: one module each, with one function ``parse(source, options) -> Parsed``.

Adding a format is one module and one line in :data:`FORMATS`; a package outside this one adds
its own through the entry-point group ``structchunk.formats`` (name -> ``module:function``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any, cast

from structchunk_core.grammars import Clock
from structchunk_core.source import Source
from structchunk_core.unit import Parsed

FORMATS: Mapping[str, str] = {
    "code": "structchunk_core.formats.code:parse",
    "markdown": "structchunk_core.formats.markdown:parse",
    "delimited": "structchunk_core.formats.delimited:parse",
    "rst": "structchunk_core.formats.rst:parse",
    "notebook": "structchunk_core.formats.notebook:parse",
    "html": "structchunk_core.formats.html:parse",
    "records": "structchunk_core.formats.records:parse",
    "text": "structchunk_core.formats.text:parse",
}
"""Name of a format -> where its parser is."""


@dataclass(frozen=True, slots=True)
class ParseOptions:
    """What a parser may need to know besides the source.

    Attributes:
        parse_seconds: how long a grammar may work on one document before the rest is text.
        grammars: grammars given by the user: language -> ``tree_sitter.Language`` or ``Parser``.
        on_missing_grammar: ``"warn"`` or ``"error"``.
        strip_boilerplate: whether what surrounds the main text of a page is left out.
        clock: what grammars have spent on this document, in all of its parts.
    """

    parse_seconds: float = 10.0
    grammars: Mapping[str, Any] = field(default_factory=dict)
    on_missing_grammar: str = "warn"
    strip_boilerplate: bool = False
    clock: Clock = field(default_factory=Clock, compare=False)


Parser = Callable[[Source, ParseOptions], Parsed]


def parser_or_none(name: str) -> Parser | None:
    """The parser of a format, imported now; None when nothing provides the format."""
    target = FORMATS.get(name) or _installed().get(name)
    if target is None:
        return None
    module, _, function = target.partition(":")
    return cast("Parser", getattr(import_module(module), function))


def format_names() -> tuple[str, ...]:
    """Every format that can be parsed here, sorted."""
    return tuple(sorted({*FORMATS, *_installed()}))


@cache
def _installed() -> Mapping[str, str]:
    from importlib.metadata import entry_points  # it takes as long to import as all of this

    return {point.name: point.value for point in entry_points(group="structchunk.formats")}
