"""Checking settings: what is wrong is refused at once, with its value and the way out.

Every function raises :class:`~structchunk_core.errors.ConfigurationError` and nothing else,
whatever the value is.
"""

from __future__ import annotations

import math
import operator
import os
import re
from collections.abc import Collection, Mapping, Sequence
from reprlib import Repr

from structchunk_core.errors import ConfigurationError

LENGTH_LIMIT = 2**62
"""More than any text measures; what a length function says beyond it is taken for this."""

_NAME = re.compile(r"[\w+#.*' -]{1,100}")  # "c++", "c#", ".py", "objective-c", "emacs lisp"
_FORMAT_NAMES: Mapping[str, str] = {
    "csv": "delimited",
    "md": "markdown",
    "tsv": "delimited",
    "txt": "text",
}


def check_integer(name: str, value: object, minimum: int, unit: str) -> None:
    """Check that a setting is a whole number of at least so many of its unit (in the plural)."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise ConfigurationError(f"{name} must be a whole number of {unit}, got {shown(value)}")
    if value < minimum:
        units = unit.removesuffix("s") if minimum == 1 else unit
        raise ConfigurationError(f"{name} must be at least {minimum} {units}, got {shown(value)}")


def check_choice(name: str, value: object, choices: Sequence[str]) -> None:
    """Check that a setting is one of the choices."""
    if not (isinstance(value, str) and value in choices):
        known = " or ".join(repr(choice) for choice in choices)
        raise ConfigurationError(f"{name} must be {known}, got {shown(value)}")


def check_boolean(name: str, value: object) -> None:
    """Check that a setting is True or False."""
    if not isinstance(value, bool):
        raise ConfigurationError(f"{name} must be True or False, got {shown(value)}")


def check_boolean_or(name: str, value: object, choice: str) -> None:
    """Check that a setting is True, False or the one word that it may be instead."""
    if not (isinstance(value, bool) or (isinstance(value, str) and value == choice)):
        raise ConfigurationError(f"{name} must be True, False or {choice!r}, got {shown(value)}")


def check_level(value: object) -> None:
    """Check that ``split_level`` is the level of a heading, or None."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    if value is not None and not (whole and 1 <= value <= 6):  # type: ignore[operator]  # it is
        raise ConfigurationError(
            "split_level must be the level of a heading, from 1 to 6, or None to let small "
            f"sections share a chunk, got {shown(value)}"
        )


def check_seconds(value: object) -> None:
    """Check that ``parse_seconds`` is a positive, finite number that a float can hold."""
    if not _is_positive_number(value):
        raise ConfigurationError(
            "parse_seconds must be a positive, finite number of seconds, such as 10, "
            f"got {shown(value)}"
        )


def check_kinds(value: object) -> frozenset[str] | None:
    """The kinds of units that a setting names, or None for all."""
    if value is None:
        return None
    if isinstance(value, Collection) and not isinstance(value, str):
        kinds = list(value)
        if all(isinstance(kind, str) for kind in kinds):
            return frozenset(kinds)
    raise ConfigurationError(
        f"kinds must be the names of kinds, such as {{'section'}}, or None, got {shown(value)}"
    )


def check_grammars(value: object) -> None:
    """Check that ``grammars`` leads from names of languages to grammars that can parse.

    Imports tree-sitter, unless the mapping is empty.
    """
    if not isinstance(value, Mapping):
        raise ConfigurationError(
            "grammars must be a mapping from the name of a language to a tree_sitter.Language or "
            f"Parser, such as {{}}, got {shown(value)}"
        )
    if not value:
        return
    from tree_sitter import Language, Parser

    for language, grammar in value.items():
        if not _is_name(language):
            raise ConfigurationError(
                "grammars must have names of languages as its keys, such as 'python', "
                f"got {shown(language)}"
            )
        if isinstance(grammar, Parser) and grammar.language is None:
            raise ConfigurationError(
                f"grammars[{shown(language)}] is a tree_sitter.Parser without a language: "
                "give it one, or pass the tree_sitter.Language"
            )
        if not isinstance(grammar, Language | Parser):
            raise ConfigurationError(
                f"grammars[{shown(language)}] must be a tree_sitter.Language or Parser, "
                f"got {shown(grammar)}"
            )


def check_language(value: object) -> str | None:
    """The name of a language in lower case, or None: it is told from each document.

    Any name will do, also one that no grammar is known for.
    """
    return _checked_name("language", value, "python")


def check_format(value: object) -> str | None:
    """The name of a format in lower case and in full, or None: it is told from each document.

    ``md`` stands for ``markdown``, ``csv`` and ``tsv`` for ``delimited``, ``txt`` for ``text``.
    Whether anything provides the format is not looked up.
    """
    name = _checked_name("format", value, "markdown")
    return None if name is None else _FORMAT_NAMES.get(name, name)


def path_text(value: object) -> str:
    """A path, given as a str or as a path object of any library, as a str."""
    try:
        path = os.fspath(value)  # type: ignore[call-overload]  # the question is whether it can
    except TypeError:
        path = None
    if not isinstance(path, str):
        raise ConfigurationError(f"a path must be a str or a pathlib.Path, got {shown(value)}")
    return path


def checked_length(value: object) -> int:
    """What a length function returned: a whole number of at least 0.

    A whole number of any type will do (``3.0``, a ``numpy.int64``); more than
    :data:`LENGTH_LIMIT` is that.
    """
    if type(value) is int and 0 <= value <= LENGTH_LIMIT:
        return value  # asked once for each line of a document
    length = None if isinstance(value, bool) else _whole_or_none(value)
    if length is None or length < 0:
        raise ConfigurationError(
            "length_function must return a whole number of at least 0 for every text, "
            f"got {shown(value)}"
        )
    return min(length, LENGTH_LIMIT)


def shown(value: object) -> str:
    """The value as a message shows it: its ``repr``, in brief when it is long."""
    return _BRIEF.repr(value)


class _Brief(Repr):
    """Shows anything, in bounded time and length, and never fails."""

    def __init__(self) -> None:
        super().__init__()
        self.maxstring = self.maxother = 200

    def repr_int(self, value: int, level: int) -> str:  # noqa: ARG002  # the base class passes it
        bits = value.bit_length()  # Python refuses to write numbers of many digits
        if bits <= 256:
            return repr(value)
        return f"a {'negative' if value < 0 else 'whole'} number of {bits} bits"


_BRIEF = _Brief()


def _is_positive_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(float(value)) and value > 0
    except OverflowError:
        return False


def _whole_or_none(value: object) -> int | None:
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    try:
        return operator.index(value)  # type: ignore[arg-type]  # the question is whether it has one
    except TypeError:
        return None


def _checked_name(setting: str, value: object, example: str) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or not _is_name(value):
        raise ConfigurationError(
            f"{setting} must be a name such as {example!r}, or None to tell it from each "
            f"document, got {shown(value)}"
        )
    return value.strip().lower()


def _is_name(value: object) -> bool:
    """Whether it may be a name: no path, no control characters, at least one letter."""
    return (
        isinstance(value, str)
        and _NAME.fullmatch(value.strip()) is not None
        and any(character.isalpha() for character in value)
    )
