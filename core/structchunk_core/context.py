"""What situates a chunk: its scope chain or heading path, and the lines made from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, partial
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from structchunk_core.definition import Definition, Names
from structchunk_core.packing import Piece
from structchunk_core.profiles import profile
from structchunk_core.scopes import Scope
from structchunk_core.source import Source
from structchunk_core.unit import Facts, Unit

SEPARATOR: Final = " > "
_SUPPORTING: Final = frozenset(
    {"close", "comment", "fence_mark", "head", "heading", "lead", "rule", "table_head"}
)
_HOLDERS: Final = frozenset({"admonition", "html", "item", "quote"})  # of any sort of content
_NAMELESS: Final = frozenset({"block", "declaration", "expression", "statement"})
_CODE_HOLDERS: Final = frozenset({"code_cell", "fence"})  # atomic; definitions may be in them
_DEFINING: Final = frozenset({"code", "notebook"})  # formats whose chunks name what they define
_LONGEST_LINE: Final = 100  # characters of the first line of a split statement
_LONGEST_SIGNATURE: Final = 240  # characters of one in a context; what is longer is mostly misread
_FEW_NAMES: Final = 32  # so many at most are given up one by one
_AROUND: Final = _SUPPORTING | {"esm", "front_matter", "references"}
_ELEMENT_TYPES: Final = {
    "admonition": "quote",
    "boilerplate": "boilerplate",
    "cell": "table",
    "code": "code",
    "code_cell": "code",
    "code_text": "code",
    "definition_list": "list",
    "esm": "code",
    "fence": "code",
    "fence_mark": "code",
    "footnote": "footnote",
    "front_matter": "front_matter",
    "html": "html",
    "item": "list",
    "mapping": "record",
    "pair": "record",
    "pairs": "record",
    "record": "record",
    "records": "record",
    "sequence": "record",
    "value": "record",
    "values": "record",
    "line": "lines",
    "lines": "lines",
    "list": "list",
    "math": "math",
    "output": "output",
    "procedure": "procedure",
    "quote": "quote",
    "row": "table",
    "rows": "table",
    "table": "table",
    "table_head": "table",
    "table_profile": "table",
}


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
        _element_type_inside(chain),
        _headings_of(chain),
    )


def _element_type_inside(chain: Sequence[Unit]) -> str:
    """The one type of everything inside the innermost of the opened units, or ``""``."""
    kinds = [unit.kind for unit in chain]
    if "boilerplate" in kinds:
        return "boilerplate"
    for unit in reversed(chain):
        if unit.kind in _ELEMENT_TYPES:
            is_one = unit.atomic and unit.kind not in _HOLDERS
            return _ELEMENT_TYPES[unit.kind] if is_one else ""
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


def _first_line(scope: Scope | None, source: Source) -> str:
    """What names the parts of code that defines nothing: ``describe("...", () => {``."""
    split = scope.split if scope else None
    if split is None or source.format != "code" or split.kind not in _NAMELESS:
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


def _shortened(signature: str) -> str:
    if len(signature) <= _LONGEST_SIGNATURE:
        return signature
    return signature[:_LONGEST_SIGNATURE].rpartition(" ")[0] + " ..."


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
    if alone and source.format == "code" and only.atomic and only.kind != "head":
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
    is_code = source.format == "code"
    element_types = _CODE if is_code else _element_types(piece, around)
    language = subject.language or around.language or source.language
    if not language and element_types[:1] == _CODE:
        language = _only_language(units)
    symbols: tuple[str, ...] | Names = ()
    if source.format in _DEFINING:
        own = begins or split is not None
        if is_code and not all(unit.atomic for unit in units):
            # A container that stayed whole: to open it for the names in it is for who asks.
            symbols = Names(partial(_symbols, piece, around, language, own=own))
            facts.later(symbols)
        else:
            symbols = _symbols(piece, around, language, own=own)
        if single is not None and single.kind in _CODE_HOLDERS:
            definition = _only_definition(single)
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
        _CODE,
        unit.language or around.language or source.language,
        around.path + named,
        symbols,
        definition,
        around.enclosing,
        around.split_signature,
        unit.node_type,
        None,
    )


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


def _signature_of(unit: Unit | None) -> str:
    return unit.definition.signature if unit is not None and unit.definition is not None else ""


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


def _only_definition(holder: Unit) -> Definition | None:
    """Facts about what a block of code defines, when that is one thing."""
    found: Definition | None = None
    stack = [holder]
    while stack:
        unit = stack.pop()
        if unit.definition is not None:
            if found is not None:
                return None
            found = unit.definition
        elif not unit.atomic or unit.kind in _CODE_HOLDERS:
            stack.extend(unit.open())
    return found


def _symbols(piece: Piece, around: Surroundings, language: str, *, own: bool) -> tuple[str, ...]:
    separator = _separator(language)
    shared = around.symbols
    found: dict[str, None] = {}
    if shared and own:
        found[separator.join(shared)] = None
    for unit, scope in zip(piece.units, piece.scopes, strict=True):
        outside = shared
        if scope is not piece.scope and scope is not None:
            labelled = [one for one in scope.chain() if one.label and one.definition is not None]
            outside = [one.label for one in labelled]
            if labelled and (unit.kind == "head" or labelled[-1].atomic):
                found[separator.join(outside)] = None
        stack: list[tuple[Unit, list[str]]] = [(unit, outside)]
        while stack:
            one, names = stack.pop()
            if one.definition is not None:
                names = [*names, one.label]
                found[separator.join(names)] = None
            if not one.atomic or one.kind in _CODE_HOLDERS:
                stack.extend([(child, names) for child in reversed(one.open())])
    return tuple(found)


def qualified_name(language: str, names: Sequence[str]) -> str:
    """The name of a definition with those of its scopes in front, as its language writes it."""
    return _separator(language).join(names)


@cache
def _separator(language: str) -> str:
    return profile(language).scope_separator


def _headings(
    piece: Piece, around: Surroundings, single: Unit | None
) -> tuple[tuple[int, str], ...]:
    """Level and words of the headings around the piece, and on the one unit that it is."""
    if not around.path and (single is None or single.kind not in {"document", "section"}):
        return ()
    chain = _chain_to(single, piece, around)
    found = around.headings if chain is around.chain else _headings_of(chain)
    return _headings_of(_titled(single), found) if single is not None else found


_CODE: Final = ("code",)
_AROUND_MAIN: Final = "boilerplate"


def _element_types(piece: Piece, around: Surroundings) -> tuple[str, ...]:
    if around.element_type:
        return (around.element_type,)
    only = piece.units[0]
    if len(piece.units) == 1 and only.atomic and only.kind not in {"heading", "section"}:
        return (_ELEMENT_TYPES.get(only.kind, "prose"),)
    lengths: dict[str, int] = {}
    has_headings = False
    stack: list[Unit] = []
    for unit, scope in zip(piece.units, piece.scopes, strict=True):
        if scope is piece.scope or scope is None:
            stack.append(unit)
        elif _AROUND_MAIN in [one.kind for one in scope.chain()]:
            lengths[_AROUND_MAIN] = 1
        else:
            stack.append(unit)
    while stack:
        unit = stack.pop()
        contents: Iterable[tuple[str, int]] = ((unit.kind, unit.end - unit.start),)
        if unit.kind == "section" or (unit.kind not in _ELEMENT_TYPES and not unit.atomic):
            surveyed = unit.survey()
            if surveyed is None:
                stack.extend(unit.open())
                continue
            contents = surveyed
        for kind, length in contents:
            if kind != "heading":
                element = _ELEMENT_TYPES.get(kind, "prose")
                lengths[element] = lengths.get(element, 0) + length
            else:
                has_headings = True
    surroundings = lengths.pop(_AROUND_MAIN, None) is not None
    if surroundings and has_headings and not lengths:
        lengths["prose"] = 0  # a title is main text as well
    ordered = sorted(lengths, key=lambda element: (-lengths[element], element))
    if surroundings:  # the main text says what a page is, however much stands around it
        ordered.append(_AROUND_MAIN)
    return tuple(ordered) or ("prose",)


Lines = Sequence[Sequence[str]]
"""A context in the making: lines, each of names from the outermost to the nearest."""


def context_candidates(
    description: Description, source: Source, title: str, part: int, room: int | None = None
) -> Iterator[Lines]:
    """Contexts for a chunk, the fullest first; each shorter one gives up what is farthest away.

    Args:
        description: what the chunk is.
        source: the document it comes from.
        title: the document's own title, or ``""``.
        part: 1-based number of the part when it is one of a split unit, else 0.
        room: what a context may measure; none of many more names than that is made.
    """
    if source.format == "code":
        return _code_candidates(description, source, part, room)
    numbered = ""
    if part and description.split_signature:
        numbered = f"{description.split_signature} (part {part})"
    head = title or source.path
    names = [name for name in (head, *description.path) if name]
    if len(names) > 1 and names[0] == names[1]:
        del names[0]
    heads = [(line,) for line in (description.enclosing, numbered) if line]
    firsts = _firsts(len(names), room)
    fullest = names[firsts[0] :] if firsts else names
    fuller = [[fullest, *heads[fewer:]] for fewer in range(len(heads))]
    return iter([*fuller, *([names[first:]] for first in firsts)])


def _firsts(count: int, room: int | None) -> Sequence[int]:
    """Where contexts of fewer and fewer of so many names begin.

    A name measures one at least. Each of what is nested deeply has as many names as there is room
    for: to try all numbers of them for each chunk would take time by the cube of the depth.
    """
    if count <= _FEW_NAMES:
        return range(count)
    left = count if room is None else min(count, max(room, _FEW_NAMES))
    firsts: list[int] = []
    while left > _FEW_NAMES:
        firsts.append(count - left)
        left = max(left - left // 8, _FEW_NAMES)
    firsts.extend(range(count - left, count))
    return firsts


def fullest_in_code(
    description: Description, source: Source, known: dict[object, tuple[str, str] | None]
) -> str:
    """The fullest context of code that is no part of something, as :func:`written` writes it.

    Or ``""`` where that is not simply the context of its scope with one more name in it.

    Args:
        description: what the chunk is.
        source: the document it comes from.
        known: what stands in front of that name and behind it in each scope; filled here.
    """
    names = description.path
    scope = names[:-1], description.enclosing
    if scope not in known:
        known[scope] = _around_name(*scope, source)
    around = known[scope]
    if around is None:
        return ""
    if not names:
        return around[0] + around[1]
    name = names[-1]
    if not name or " " in name or not name.isprintable():  # nothing but blanks can be printed
        return ""
    return around[0] + SEPARATOR + name + around[1]


def _around_name(scopes: Sequence[str], enclosing: str, source: Source) -> tuple[str, str] | None:
    outer = _folded(SEPARATOR.join((source.path, *scopes))) if source.path else ""
    if not outer:
        return None
    begin, end = _comment_marks(source.language)
    line = _folded(enclosing)
    return begin + outer, f"{end}\n{begin}{line}{end}" if line else end


def written(lines: Lines, source: Source) -> str:
    """The context as it stands in front of a text: comment lines in code, else plain."""
    shown = [_folded(SEPARATOR.join(names)) for names in lines]
    if source.format == "code":
        begin, end = _comment_marks(source.language)
        return "\n".join([begin + line + end for line in shown if line])
    return "\n".join([line for line in shown if line])


def _folded(line: str) -> str:
    """The line with single blanks for all white space."""
    if line.isprintable() and "  " not in line:  # has no other white space than blanks
        return line.strip(" ")
    return " ".join(line.split())


def glue(format: str) -> str:
    """What stands between a context and the text of a chunk of that format."""
    return "\n" if format == "code" else "\n\n"


@cache
def _comment_marks(language: str) -> tuple[str, str]:
    begin, _, end = profile(language).comment_line("\0").partition("\0")
    return begin, end


def _code_candidates(
    description: Description, source: Source, part: int, room: int | None
) -> Iterator[Lines]:
    scopes = description.path
    firsts = _firsts(len(scopes), room)
    may_fit = not firsts or firsts[0] == 0
    extra: list[tuple[str]] = []
    if description.enclosing:
        extra.append((description.enclosing,))
    numbered = f"{description.split_signature} (part {part})".strip() if part else ""
    if numbered:
        extra.append((numbered,))
    if not may_fit:
        pass
    elif source.path:
        yield [(source.path, *scopes), *extra]
        name = PurePosixPath(source.path.replace("\\", "/")).name
        yield [(name, *scopes), *extra]
        yield [(name, *scopes), *(extra[-1:] if numbered else ())]
        if numbered and not scopes:
            yield [(f"{name} (part {part})",)]
    elif scopes or extra:
        yield [scopes, *extra]
    short = f"(part {part})" if part else ""
    for first in firsts:
        yield [(*scopes[first:-1], f"{scopes[-1]} {short}".strip())]
