"""Names in a source file: those that are called in it, and those that imports bind and it uses."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from structchunk_core.formats._code_reading import Reading
from structchunk_core.grammars import captures
from structchunk_core.offsets import ByteOffsets

if TYPE_CHECKING:
    from tree_sitter import Node

_MAX_IMPORT: Final = 400
_DEEPEST_IMPORT: Final = 32
_NEAR: Final = 1000  # bytes between import statements that are searched together
_MODULES: Final = frozenset({"module", "namespace"})
_WORD: Final = re.compile(r"\w+")
_BLANKED: Final = bytes(code if re.match(r"\w", chr(code)) else 32 for code in range(256))
_IDENTIFIER: Final = re.compile(r"[^\W\d]\w*[?!]?")


class Calls:
    """The names that are called in a file.

    Args:
        reading: the file.
    """

    __slots__ = ("_names", "_offsets", "_positions")

    def __init__(self, reading: Reading) -> None:
        self._offsets: ByteOffsets = reading.offsets
        query = reading.data.calls
        pairs: list[tuple[int, str]] = []
        nodes = captures(reading.tree.language, query, reading.root) if query else []
        text = reading.text
        if reading.plain:
            for node in nodes:
                at: int = node.start_byte
                pairs.append((at, text[at : node.end_byte]))
        else:
            pairs = [(node.start_byte, reading.slice(node)) for node in nodes]
        pairs.sort()
        self._positions = [at for at, _ in pairs]  # in bytes
        self._names = [name for _, name in pairs]

    def between(self, start: int, end: int) -> tuple[str, ...]:
        """The names called in a half-open span, in characters, in order of first use."""
        positions = self._positions
        first = bisect_left(positions, self._offsets.to_byte(start))
        behind = bisect_left(positions, self._offsets.to_byte(end), first)
        return tuple(dict.fromkeys(self._names[first:behind]))

    def places(self) -> Mapping[str, Sequence[int]]:
        """Name -> where it is called, in characters, ascending."""
        places: dict[str, list[int]] = {}
        for position, name in zip(self._positions, self._names, strict=True):
            places.setdefault(name, []).append(self._offsets.to_character(position))
        return places


class Imports:
    """The import statements of a file, and where the names that they bind are used.

    Args:
        reading: the file.
    """

    __slots__ = ("_odd", "_odd_names", "_statements", "_text", "_words")

    def __init__(self, reading: Reading) -> None:
        self._text = reading.text
        self._statements = _bound_names(reading)
        self._words = {name for name in self._statements if _WORD.fullmatch(name)}
        # Others (``<stdio.h>``) are looked for once: where they begin, ascending.
        odd: list[tuple[int, str]] = []
        for name in self._statements.keys() - self._words:
            odd.extend([(at, name) for at in places_of(name, self._text)])
        odd.sort()
        self._odd = [at for at, _ in odd]
        self._odd_names = [name for _, name in odd]

    def used_in(self, start: int, end: int) -> tuple[str, ...]:
        """The statements outside a half-open span, in characters, that bind names used in it."""
        names: set[str] = set()
        if self._words:
            names = self._words.intersection(words_in(self._text, start, end))
        if self._odd:
            first = bisect_left(self._odd, start)
            names.update(self._odd_names[first : bisect_left(self._odd, end, first)])
        if not names:
            return ()
        found = {self._statements[name] for name in names}
        return tuple([statement for at, statement in sorted(found) if not start <= at < end])


def words_in(text: str, start: int, end: int) -> Sequence[str]:
    """The words that begin in a stretch of the text, each in its full length."""
    if start < end < len(text) and _in_word(text[end - 1]):
        end = max(end, _WORD.match(text, end - 1).end())  # type: ignore[union-attr]  # it has one
    if start and _in_word(text[start - 1]):
        start = min(end, _WORD.match(text, start - 1).end())  # type: ignore[union-attr]  # too
    stretch = text[start:end]
    if stretch.isascii():
        return stretch.encode().translate(_BLANKED).decode().split()  # a quarter of a search's time
    return _WORD.findall(stretch)


def places_of(name: str, text: str) -> list[int]:
    """Where the name stands in a text, and is no part of a longer one."""
    length = len(name)
    places: list[int] = []
    at = text.find(name)
    while at >= 0:
        if not (_in_word(text[at + length : at + length + 1]) or (at and _in_word(text[at - 1]))):
            places.append(at)
        at = text.find(name, at + 1)
    return places


def _in_word(character: str) -> bool:
    """Whether a character, or "" behind the last, goes on with a name."""
    return character.isalnum() or character == "_"


def _bound_names(reading: Reading) -> dict[str, tuple[int, str]]:
    """Name -> where its import statement begins, and the statement on one line."""
    bound: dict[str, tuple[int, str]] = {}
    nodes = list(_import_statements(reading))
    named = _imported_names(reading, nodes) if reading.data.import_names else None
    for number, node in enumerate(nodes):
        statement = " ".join(reading.slice(node).split())
        if len(statement) > _MAX_IMPORT:
            continue
        if named is not None:
            names = [reading.slice(name).rpartition("/")[2] for name in named[number]]
        else:
            ignored = set(reading.data.import_ignored)
            words = _IDENTIFIER.findall(statement)
            names = [word for word in words if word not in ignored][-1:]
        at = reading.to_character(node.start_byte)
        for name in names:
            if name:  # what the parser had to make up is empty
                bound.setdefault(name, (at, statement))
    return bound


def _import_statements(reading: Reading) -> Iterator[Node]:
    """The import statements of the file and of the modules in it, in order."""
    stack = list(reversed(reading.root.children))
    while stack:
        node = stack.pop()
        of = reading.type_of(node)
        if of.imports:
            yield node
        elif of.body or of.wrapper or of.transparent or of.kind in _MODULES:
            stack.extend(reversed(node.children))


def _imported_names(reading: Reading, statements: Sequence[Node]) -> list[list[Node]]:
    """For each import statement the names that it binds; one search for those in a row."""
    names: list[list[Node]] = [[] for _ in statements]
    starts = [node.start_byte for node in statements]
    first = 0
    for behind in range(1, len(statements) + 1):
        end = statements[behind - 1].end_byte
        if behind < len(statements) and starts[behind] - end < _NEAR:
            continue
        root, query = reading.root, reading.data.import_names
        within = starts[first], end
        for name in captures(reading.tree.language, query, root, within, _DEEPEST_IMPORT):
            number = bisect_right(starts, name.start_byte) - 1
            if number >= 0 and name.end_byte <= statements[number].end_byte:
                names[number].append(name)
        first = behind
    return names
