"""Where a grammar comes from, and parsing with it within bounds.

Order: one given by the user, an installed ``tree_sitter_<language>`` wheel, the language pack.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from structchunk_core.errors import MissingDependencyError
from structchunk_core.shipped import ShippedNode

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Query, Tree

DEEPEST_MATCH = 500
"""How deep a match of a query may begin."""

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
    """The grammar of a language. Asks no network: what is not on this machine is missing.

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
    if found is None:  # not remembered: it may be installed while this process runs
        ways = "; or ".join((*_pack_ways(language), *_other_ways(language)))
        raise MissingDependencyError(
            f"no tree-sitter grammar for {language!r} is installed. Ways out: {ways}"
        )
    return found


_WHEELS: Mapping[str, tuple[str, str]] = {
    "csharp": ("c_sharp", "language"),
    "dtd": ("xml", "language_dtd"),
    "embeddedtemplate": ("embedded_template", "language"),
    "fsharp_signature": ("fsharp", "language_signature"),
    "ocaml_interface": ("ocaml", "language_ocaml_interface"),
    "tsx": ("typescript", "language_tsx"),
}
"""Grammars that stand elsewhere than in ``tree_sitter_<language>``: end of the module, function."""


def _from_wheel(language: str) -> Language | None:
    ending, function = _WHEELS.get(language, (language, ""))
    if not ending.isidentifier():  # it may be what a document calls its language
        return None
    try:
        module = importlib.import_module(f"tree_sitter_{ending}")
    except ImportError:
        return None
    names = (function,) if function else (f"language_{language}", "language")
    pointer = next((found for name in names if (found := getattr(module, name, None))), None)
    return _language_or_none(pointer()) if callable(pointer) else None


def _from_pack(language: str) -> Language | None:
    try:
        pack = importlib.import_module("tree_sitter_language_pack")
    except ImportError:
        return None
    if not _is_here(pack, language):
        return None
    error = getattr(pack, "Error", LookupError)  # the pack's own, from 1.0 on
    try:
        return _language_or_none(pack.get_language(language))
    except (error, ImportError, LookupError, ValueError, OSError, RuntimeError):
        return None


def _is_here(pack: Any, language: str) -> bool:
    """Whether the pack has the grammar on this machine; from 1.0 on it downloads the others."""
    downloaded = getattr(pack, "downloaded_languages", None)
    return downloaded is None or language in downloaded()


def _language_or_none(found: object) -> Language | None:
    """What a package calls a language as one of this tree-sitter; None if it cannot read it."""
    from tree_sitter import Language

    if isinstance(found, Language):
        return found
    try:
        return Language(found)
    except (TypeError, ValueError):  # made for a tree-sitter of another version
        return None


def _pack_ways(language: str) -> tuple[str, ...]:
    """How the language pack gets the grammar, whichever release is installed."""
    wheels = "pip install 'tree-sitter-language-pack>=0.13,<1' (its wheels carry 170 grammars)"
    try:
        pack = importlib.import_module("tree_sitter_language_pack")
    except ImportError:
        return (wheels,)
    if not hasattr(pack, "downloaded_languages"):
        return ()  # installed, with all that it has
    if not pack.has_language(language):
        return (wheels,)
    command = f"import tree_sitter_language_pack as pack; pack.download([{language!r}])"
    why = "once, with a network: the installed tree-sitter-language-pack downloads each grammar"
    return f'python -c "{command}" ({why})', wheels


def _other_ways(language: str) -> tuple[str, ...]:
    wheel = f"tree-sitter-{_WHEELS.get(language, (language,))[0].replace('_', '-')}"
    return (
        f"pip install {wheel} if there is such a package",
        f"pass grammars={{{language!r}: your_tree_sitter_language}}",
    )


def parse_bytes(data: bytes, grammar: Language, seconds: float, before: Tree | None = None) -> Tree:
    """The syntax tree of the bytes.

    Args:
        data: what is parsed.
        grammar: the language that it is read as.
        seconds: how long that may take.
        before: an edited tree of what it was made from: only what was edited is parsed again.

    Raises:
        ParseTimeoutError: the grammar was still at it after so many seconds of this thread's
            processor time, so that a busy machine changes nothing. The parser is asked through
            its progress callback, which it only honours when it reads through a callback.
    """
    from tree_sitter import Parser

    deadline = time.thread_time() + seconds
    earliest = time.perf_counter() + seconds  # no thread works longer than time goes by
    clock = time.perf_counter  # takes a quarter of the time to ask

    def read(start: int, _: object) -> bytes:
        return data[start : start + _READ]

    def is_late(*_: object) -> bool:
        return clock() > earliest and time.thread_time() > deadline

    parser = Parser(grammar)
    try:
        if before is None:
            return parser.parse(read, progress_callback=is_late)
        return parser.parse(read, before, progress_callback=is_late)
    except ValueError as error:  # py-tree-sitter's word for "the callback said stop"
        raise ParseTimeoutError from error


def captures(
    language: Language,
    query: str,
    node: Node,
    within: tuple[int, int] | None = None,
    depth: int = DEEPEST_MATCH,
) -> list[Node]:
    """The nodes in the node that the query captures.

    Args:
        language: the grammar.
        query: a tree-sitter query.
        node: where to look; of a :class:`ShippedTree` only the root, for its queries.
        within: half-open bytes that they touch; None for all.
        depth: how deep a match may begin: nested ones cost the square of their depth.
    """
    from tree_sitter import QueryCursor

    if isinstance(node, ShippedNode):
        return cast("list[Node]", node.tree.captured(query, within))
    cursor = QueryCursor(_query(language, query))
    cursor.set_max_start_depth(depth)
    if within is not None:
        cursor.set_byte_range(*within)
    captured = cursor.captures(node)
    return [found for nodes in captured.values() for found in nodes]


@cache
def _query(language: Language, query: str) -> Query:
    from tree_sitter import Query

    return Query(language, query)
