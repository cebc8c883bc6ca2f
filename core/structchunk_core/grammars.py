"""Where a grammar comes from, and parsing with it within bounds.

Order: one given by the user, an installed ``tree_sitter_<language>`` wheel, the language pack.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from structchunk_core.errors import MissingDependencyError

if TYPE_CHECKING:
    from tree_sitter import Language, Tree

_READ = 1 << 16


class ParseTimeoutError(Exception):
    """The grammar did not finish in the time it was given."""


class Clock:
    """The processor time that grammars have spent on one document, in all of its parts."""

    __slots__ = ("_spent",)

    def __init__(self) -> None:
        self._spent = 0.0

    @contextmanager
    def running(self, seconds: float) -> Iterator[float]:
        """Count what is done inside; gives what is left of the seconds.

        Raises:
            ParseTimeoutError: nothing is left.
        """
        left = seconds - self._spent
        if left <= 0:
            raise ParseTimeoutError
        begin = time.thread_time()
        try:
            yield left
        finally:
            self._spent += time.thread_time() - begin

    def spend(self, seconds: float) -> None:
        """Count seconds that went by in another process."""
        self._spent += seconds


def find_grammar(language: str, given: Mapping[str, Any] | None = None) -> Language:
    """The grammar of a language.

    Args:
        language: its name in tree-sitter-language-pack.
        given: grammars that the user brings: language -> ``Language`` or ``Parser``.

    Raises:
        MissingDependencyError: no source has it; the message says how to get it.
    """
    from tree_sitter import Language, Parser

    mine = (given or {}).get(language)
    if isinstance(mine, Language):
        return mine
    if isinstance(mine, Parser) and mine.language is not None:
        return mine.language
    return _installed_grammar(language)


@cache
def _installed_grammar(language: str) -> Language:
    found = _from_wheel(language) or _from_pack(language)
    if found is None:
        wheel = f"tree-sitter-{language.replace('_', '-')}"
        raise MissingDependencyError(
            f"no tree-sitter grammar for {language!r} is installed. Ways out: "
            f"pip install 'tree-sitter-language-pack>=0.13,<1' (its wheels carry 170 grammars), "
            f"or pip install {wheel} if there is such a package, or pass "
            f"grammars={{{language!r}: your_tree_sitter_language}}"
        )
    return found


def _from_wheel(language: str) -> Language | None:
    from tree_sitter import Language

    try:
        module = importlib.import_module(f"tree_sitter_{language}")
        pointer = getattr(module, "language", None) or getattr(module, f"language_{language}", None)
        return Language(pointer()) if pointer is not None else None
    except (ImportError, ValueError, TypeError):
        return None  # no wheel, or one made for another tree-sitter: the pack may have it


def _from_pack(language: str) -> Language | None:
    from tree_sitter import Language

    try:
        pack = importlib.import_module("tree_sitter_language_pack")
        found = pack.get_language(language)
    except (ImportError, LookupError, ValueError, OSError, RuntimeError):
        return None
    return found if isinstance(found, Language) else None


def parse_bytes(data: bytes, grammar: Language, seconds: float) -> Tree:
    """The syntax tree of the bytes.

    Raises:
        ParseTimeoutError: the grammar was still at it after so many seconds of this thread's
            processor time, so that a busy machine changes nothing. The parser is asked through
            its progress callback, which it only honours when it reads through a callback.
    """
    from tree_sitter import Parser

    deadline = time.thread_time() + seconds
    try:
        return Parser(grammar).parse(
            lambda start, _: data[start : start + _READ],
            progress_callback=lambda *_: time.thread_time() > deadline,
        )
    except ValueError as error:  # py-tree-sitter's word for "the callback said stop"
        raise ParseTimeoutError from error
