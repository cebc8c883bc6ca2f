"""``.gitignore`` files, read as git reads them.

A pattern speaks of one file or folder, never of what is below it: whoever walks a tree passes
over the folders that are ignored, and so over all they hold. That is what makes ``*``, ``!*/``,
``!*.py`` (ignore all but Python) mean what it says at every depth. Unlike git, a name is a
sequence of characters, not of bytes: ``?`` stands for any one character.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_NEVER = re.compile(r"(?!)")
_CLASSES = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": r" \t",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": r"\x21-\x7e",
    "lower": "a-z",
    "print": r"\x20-\x7e",
    "punct": r"\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e",
    "space": r" \t-\r",
    "upper": "A-Z",
    "xdigit": "0-9a-fA-F",
}


@dataclass(frozen=True, slots=True)
class Pattern:
    """One line of a ``.gitignore`` file.

    Attributes:
        parts: an expression for each name of the path, None for ``**``: any number of names.
        is_anywhere: whether the one expression is for the name alone, wherever it stands.
        is_negated: whether what matches shall be kept.
        is_for_folders: whether only folders match.
    """

    parts: tuple[re.Pattern[str] | None, ...]
    is_anywhere: bool
    is_negated: bool
    is_for_folders: bool

    def matches(self, names: Sequence[str], *, is_folder: bool) -> bool:
        """Whether it speaks of the path, given as names below the folder of the file."""
        if self.is_for_folders and not is_folder:
            return False
        if self.is_anywhere:
            part = self.parts[0]
            return part is not None and part.match(names[-1]) is not None
        return _fits(self.parts, names)


def patterns_of(content: bytes) -> tuple[Pattern, ...]:
    """The patterns of a ``.gitignore`` file with this content, the last first."""
    lines = content.decode("utf-8-sig", "surrogateescape").split("\n")
    read = (_pattern_or_none(line.removesuffix("\r")) for line in lines)
    return tuple(pattern for pattern in read if pattern is not None)[::-1]


def verdict_or_none(
    patterns: Iterable[Pattern], names: Sequence[str], *, is_folder: bool
) -> bool | None:
    """Whether the path shall be ignored; None when no pattern speaks of it."""
    for pattern in patterns:
        if pattern.matches(names, is_folder=is_folder):
            return not pattern.is_negated
    return None


def _pattern_or_none(line: str) -> Pattern | None:
    body = _without_trailing_blanks(line)
    if not body or body.startswith("#"):
        return None
    is_negated = body.startswith("!")
    body = body[is_negated:]
    is_for_folders = body.endswith("/")
    body = body[: len(body) - is_for_folders]
    is_anywhere = "/" not in body
    names = body.removeprefix("/").split("/")
    parts = [None if name == "**" and not is_anywhere else _expression(name) for name in names]
    if parts[-1] is None:  # what is in the folder, not the folder: at least one name
        parts.append(_expression("*"))
    return Pattern(tuple(parts), is_anywhere, is_negated, is_for_folders)


def _without_trailing_blanks(line: str) -> str:
    r"""The line without the blanks at its end; one behind a backslash stays."""
    stripped = line.rstrip(" ")
    backslashes = len(stripped) - len(stripped.rstrip("\\"))
    return line[: len(stripped) + 1] if backslashes % 2 else stripped


def _fits(parts: Sequence[re.Pattern[str] | None], names: Sequence[str]) -> bool:
    """Whether all names are matched in order; goes back only to the last ``**``."""
    part = name = 0
    retry: tuple[int, int] | None = None
    while name < len(names):
        wanted = parts[part] if part < len(parts) else _NEVER
        if wanted is None:
            part += 1
            retry = (part, name)
        elif wanted.match(names[name]):
            part += 1
            name += 1
        elif retry is not None:
            part, name = retry[0], retry[1] + 1
            retry = (part, name)
        else:
            return False
    return part == len(parts)


def _expression(glob: str) -> re.Pattern[str]:
    """The glob of one name as an expression that matches the whole name.

    Each stretch between two stars is matched at its first place and never tried again (an atomic
    group): a later place could not make the rest match where the first one does not.
    """
    stretches: list[str] = []
    current: list[str] = []
    position = 0
    while position < len(glob):
        character = glob[position]
        position += 1
        if character == "*":
            stretches.append("".join(current))
            current = []
        elif character == "?":
            current.append(".")
        elif character == "[":
            found = _character_class_or_none(glob, position)
            if found is None:
                return _NEVER
            expression, position = found
            current.append(expression)
        elif character == "\\":
            if position == len(glob):
                return _NEVER
            current.append(re.escape(glob[position]))
            position += 1
        else:
            current.append(re.escape(character))
    last = "".join(current)
    if not stretches:
        return re.compile(rf"{last}\Z", re.DOTALL)
    middle = "".join(f"(?>.*?{stretch})" for stretch in stretches[1:] if stretch)
    return re.compile(rf"{stretches[0]}{middle}.*{last}\Z", re.DOTALL)


def _character_class_or_none(glob: str, start: int) -> tuple[str, int] | None:
    """The class that begins behind its bracket, and where it ends; None when it is broken."""
    position = start
    is_negated = glob[position : position + 1] in ("!", "^")
    position += is_negated
    first = position
    items: list[str] = []
    while position < len(glob):
        if glob[position] == "]" and position > first:
            inside = "".join(items)
            if not inside:
                return ("." if is_negated else "(?!)"), position + 1
            return f"[{'^' if is_negated else ''}{inside}]", position + 1
        if glob.startswith("[:", position):
            name, colon, _ = glob[position + 2 :].partition(":]")
            if not colon or name not in _CLASSES:
                return None
            items.append(_CLASSES[name])
            position += len(name) + 4
            continue
        low, position = _member(glob, position)
        high = low
        if glob[position : position + 1] == "-" and glob[position + 1 : position + 2] not in (
            "",
            "]",
        ):
            high, position = _member(glob, position + 1)
        if low <= high:
            items.append(f"{re.escape(low)}-{re.escape(high)}")
    return None


def _member(glob: str, position: int) -> tuple[str, int]:
    r"""The character at the position, or the one behind a backslash, and what follows it."""
    position += glob[position] == "\\" and position + 1 < len(glob)
    return glob[position], position + 1
