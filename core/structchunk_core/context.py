"""What to put in front of a chunk: contexts made from what it is, and how they are written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import PurePosixPath
from typing import Final

from structchunk_core.describing import Description
from structchunk_core.profiles import profile
from structchunk_core.source import Source

SEPARATOR: Final = " > "
_FEW_NAMES: Final = 32  # so many at most are given up one by one

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
    if source.is_code:
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
    if source.is_code:
        begin, end = _comment_marks(source.language)
        return "\n".join([begin + line + end for line in shown if line])
    return "\n".join([line for line in shown if line])


def _folded(line: str) -> str:
    """The line with single blanks for all white space."""
    if line.isprintable() and "  " not in line:  # has no other white space than blanks
        return line.strip(" ")
    return " ".join(line.split())


@cache
def _comment_marks(language: str) -> tuple[str, str]:
    begin, _, end = profile(language).comment_line("\0").partition("\0")
    return begin, end


def glue(format: str) -> str:
    """What stands between a context and the text of a chunk of that format."""
    return "\n" if format == "code" else "\n\n"
