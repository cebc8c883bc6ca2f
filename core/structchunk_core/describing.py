"""What a piece is and where it belongs: what a chunk says of itself, before it is written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Final, NamedTuple

from structchunk_core.definition import Definition, Names
from structchunk_core.element_types import CODE, element_type_inside, element_types_of
from structchunk_core.packing import Piece
from structchunk_core.scopes import Scope
from structchunk_core.source import Source
from structchunk_core.symbols import CODE_HOLDERS, only_definition, qualified_name, symbols_of
from structchunk_core.unit import Facts, Unit

_SUPPORTING: Final = frozenset(
    {"close", "comment", "fence_mark", "head", "heading", "lead", "rule", "table_head"}
)
_NAMELESS: Final = frozenset({"block", "declaration", "expression", "statement"})
_DEFINING: Final = frozenset({"code", "notebook"})  # formats whose chunks name what they define
_LONGEST_LINE: Final = 100  # characters of the first line of a split statement
_LONGEST_SIGNATURE: Final = 240  # characters of one in a context; what is longer is mostly misread
_AROUND: Final = _SUPPORTING | {"esm", "front_matter", "references"}


class Description(NamedTuple):
    """What a piece is and where it belongs.

    Attributes:
        kind: the kind of unit it holds, is a part of, or, for a mixture, lies in.
        element_types: what sorts of content are in it, the most of it first.
        headings: level and words of the headings around and on it, outermost first.
        language: the language of its text, or ``""``.
        path: labels of the scopes or headings around and on it, outermost first.
        symbols: qualified names of what it defines.
        definition: facts about the one definition it holds, begins or is a part of.
        enclosing: the signature of the type or module around it, or ``""``.
        split_signature: the signature of the definition that it is a part of, or ``""``.
        node_type: the parser's name for the unit, or ``""``.
        split: the unit that it is a part of, when that could not stay whole.
    """

    kind: str
    element_types: tuple[str, ...]
    language: str
    path: tuple[str, ...]
    symbols: tuple[str, ...] | Names
    definition: Definition | None
    enclosing: str
    split_signature: str
    node_type: str
    split: Unit | None
    headings: tuple[tuple[int, str], ...] = ()


class Surroundings(NamedTuple):
    """What lies around the pieces of one scope, whatever they hold.

    Attributes:
        chain: the opened units from the outermost to the innermost.
        split: the outermost of them that should not have been cut.
        path: the labels of those that have one.
        symbols: the labels of those that have one and define something.
        language: the language of the innermost that has its own, or ``""``.
        outside: those with a label around the definition that is split, all when none is.
        enclosing: the signature of the innermost of these that has one, or ``""``.
        split_signature: the signature of that definition, or else the first line of what is
            split, or ``""``.
        element_type: that of all that stands in it, or ``""`` where there may be several.
        headings: level and words of those around, outermost first.
    """

    chain: tuple[Unit, ...]
    split: Unit | None
    path: tuple[str, ...]
    symbols: list[str]
    language: str
    outside: list[Unit]
    enclosing: str
    split_signature: str
    element_type: str
    headings: tuple[tuple[int, str], ...]


def surroundings_of(scope: Scope | None, source: Source) -> Surroundings:
    """What lies around the pieces of the scope."""
    chain = scope.chain() if scope else ()
    around = [unit for unit in chain if unit.label]
    parted: Unit | None = None
    outside = around
    for number in range(len(around) - 1, -1, -1):
        unit = around[number]
        if unit.atomic and unit.definition:
            parted, outside = unit, around[:number]
            break
    return Surroundings(
        chain,
        scope.split if scope else None,
        tuple(unit.label for unit in around),
        [unit.label for unit in around if unit.definition is not None],
        next((unit.language for unit in reversed(chain) if unit.language), ""),
        outside,
        _enclosing(outside),
        _shortened(_signature_of(parted)) or _first_line(scope, source),
        element_type_inside(chain),
        _headings_of(chain),
    )


def _signature_of(unit: Unit | None) -> str:
    return unit.definition.signature if unit is not None and unit.definition is not None else ""


def _shortened(signature: str) -> str:
    if len(signature) <= _LONGEST_SIGNATURE:
        return signature
    return signature[:_LONGEST_SIGNATURE].rpartition(" ")[0] + " ..."


def _first_line(scope: Scope | None, source: Source) -> str:
    """What names the parts of code that defines nothing: ``describe("...", () => {``."""
    split = scope.split if scope else None
    if split is None or not source.is_code or split.kind not in _NAMELESS:
        return ""
    if split.repeat is not None:
        return ""  # they carry it themselves
    while scope is not None and scope.unit is not split:
        scope = scope.parent
    start = scope.begin if scope is not None else split.start
    line, _, _ = source.text[start : min(split.end, start + _LONGEST_LINE)].strip().partition("\n")
    return line.strip()


def _enclosing(outside: Sequence[Unit]) -> str:
    for unit in reversed(outside):
        if unit.definition is not None:
            return _shortened(unit.definition.signature)
    return ""


def _headings_of(
    units: Iterable[Unit], above: tuple[tuple[int, str], ...] = ()
) -> tuple[tuple[int, str], ...]:
    """Level and words of the headings of sections, behind those above them."""
    found = list(above)
    for unit in units:
        if unit.kind == "section" and unit.label:
            found.append((unit.level or len(found) + 1, unit.label))
    return tuple(found)


def describe(piece: Piece, source: Source, around: Surroundings, facts: Facts) -> Description:
    """What the piece is, from the units it holds and what lies around them.

    Args:
        piece: the piece.
        source: the document.
        around: what :func:`surroundings_of` says about the scope of the piece.
        facts: what the parser can tell; nothing is asked, but it hears of names to be found later.
    """
    units = piece.units
    split = around.split
    only = units[0]
    alone = len(units) == 1 and split is None and piece.scope is piece.scopes[0]
    if alone and source.is_code and only.atomic and only.kind != "head":
        return _whole(only, source, around)
    begins = False
    main: Sequence[Unit] = units
    if len(units) > 1 or units[0].kind == "head":
        main = [unit for unit in units if unit.kind not in _SUPPORTING]
        begins = any(unit.kind == "head" for unit in units)
    subject, single = _subject(main or units, around, begins=begins)
    path = around.path
    definition = subject.definition
    kind = subject.kind
    if single is not None:
        path = _path_to(single, piece, around)
    elif split is None and not begins:
        definition = None  # a chunk of some methods is not the class
        kinds = {unit.kind for unit in main}
        kind = kinds.pop() if len(kinds) == 1 else kind
        kind = "table" if kind == "row" else kind
    enclosing = around.enclosing
    if around.outside and around.outside[-1] is subject:
        enclosing = _enclosing(around.outside[:-1])
    is_code = source.is_code
    element_types = CODE if is_code else element_types_of(piece, around.element_type)
    language = subject.language or around.language or source.language
    if not language and element_types[:1] == CODE:
        language = _only_language(units)
    symbols: tuple[str, ...] | Names = ()
    if source.format in _DEFINING:
        own = begins or split is not None
        if is_code and not all(unit.atomic for unit in units):
            # A container that stayed whole: to open it for the names in it is for who asks.
            symbols = Names(partial(symbols_of, piece, around.symbols, language, own=own))
            facts.later(symbols)
        else:
            symbols = symbols_of(piece, around.symbols, language, own=own)
        if single is not None and single.kind in CODE_HOLDERS:
            definition = only_definition(single)
    return Description(
        kind,
        element_types,
        language,
        path,
        symbols,
        definition,
        enclosing,
        around.split_signature,
        subject.node_type,
        split,
        () if is_code else _headings(piece, around, single),
    )


def _whole(unit: Unit, source: Source, around: Surroundings) -> Description:
    """What a piece is that holds one unit of code as a whole; as most do."""
    label = unit.label
    definition = unit.definition
    named = (label,) if label else ()
    symbols: tuple[str, ...] = ()
    if definition is not None:
        symbols = (qualified_name(source.language, (*around.symbols, label)),)
    return Description(
        unit.kind,
        CODE,
        unit.language or around.language or source.language,
        around.path + named,
        symbols,
        definition,
        around.enclosing,
        around.split_signature,
        unit.node_type,
        None,
    )


def _subject(
    main: Sequence[Unit], around: Surroundings, *, begins: bool
) -> tuple[Unit, Unit | None]:
    """The unit that the piece is about, and the same again if it is one whole unit inside."""
    chain = around.chain
    split = around.split
    inside = len(main) == 1 and not begins and not (chain and main[0] is chain[-1])
    if inside and (main[0].definition is not None or split is None):
        return main[0], main[0]
    if begins and chain and chain[-1].definition is not None:
        return chain[-1], None
    if split is not None:
        return next((unit for unit in reversed(chain) if unit.definition), split), None
    return (chain[-1] if chain else main[0]), None


def _path_to(unit: Unit, piece: Piece, around: Surroundings) -> tuple[str, ...]:
    """The labels around a unit of the piece, and its own."""
    own = tuple(one.label for one in _titled(unit))
    chain = _chain_to(unit, piece, around)
    if chain is around.chain:
        return around.path + own
    return tuple(one.label for one in chain if one.label) + own


def _chain_to(unit: Unit | None, piece: Piece, around: Surroundings) -> tuple[Unit, ...]:
    """What lies around a unit of the piece: it may lie deeper than all of the piece does."""
    for own, scope in zip(piece.units, piece.scopes, strict=True):
        if own is unit and scope is not piece.scope and scope is not None:
            return scope.chain()
    return around.chain


def _titled(unit: Unit) -> tuple[Unit, ...]:
    """The unit if it has a label; of a whole document or file, the only thing in it."""
    if unit.label or unit.kind not in {"document", "file"}:
        return (unit,) if unit.label else ()
    inside = [child for child in unit.open() if child.kind not in _AROUND]
    return (inside[0],) if len(inside) == 1 and inside[0].label else ()


def _only_language(units: Sequence[Unit]) -> str:
    """The language of all the code in the units, or ``""`` if they have several."""
    found: set[str] = set()
    stack = list(units)
    while stack:
        unit = stack.pop()
        if unit.language:
            found.add(unit.language)
        elif not unit.atomic:
            stack.extend(unit.open())
    return found.pop() if len(found) == 1 else ""


def _headings(
    piece: Piece, around: Surroundings, single: Unit | None
) -> tuple[tuple[int, str], ...]:
    """Level and words of the headings around the piece, and on the one unit that it is."""
    if not around.path and (single is None or single.kind not in {"document", "section"}):
        return ()
    chain = _chain_to(single, piece, around)
    found = around.headings if chain is around.chain else _headings_of(chain)
    return _headings_of(_titled(single), found) if single is not None else found
