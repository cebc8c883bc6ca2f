"""What can be asked about a stretch of a source file: imports, calls, callers, neighbours.

Nothing of this is looked for before somebody asks. A syntax tree takes many times the memory of its
text; so only those of the newest files are kept for questions, and only as long as there is a
chunk that may ask. A question about an older file parses it once more.
"""

from __future__ import annotations

import weakref
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from textwrap import dedent
from typing import NamedTuple

from structchunk_core.definition import Names
from structchunk_core.formats._code_module import module_doc, module_name
from structchunk_core.formats._code_names import Calls, Imports
from structchunk_core.formats._code_reading import Reading
from structchunk_core.source import Source
from structchunk_core.unit import Outline, Span, Unit

_MOST_KEPT = 2_000_000  # characters of source whose trees are kept
_MANY_KEPT = 16  # files


class Defined(NamedTuple):
    """A definition in a file.

    Attributes:
        start: where it begins, with what belongs to it, in characters.
        end: one past its end.
        own: one past the end of what is its own: its head for a container, else all of it.
        names: its scopes and its name, outermost first.
        name: its qualified name.
        unit: the unit that it is.
    """

    start: int
    end: int
    own: int
    names: tuple[str, ...]
    name: str
    unit: Unit


class Lookup:
    """Answers questions about stretches of one file; reads the file for the first of each kind.

    Spans are half-open, in characters of the file.

    Args:
        source: the file.
        reading: its tree.
        root: its units.
        again: makes tree and units once more.
    """

    def __init__(
        self,
        source: Source,
        reading: Reading,
        root: Unit,
        again: Callable[[], tuple[Reading, Unit]],
    ) -> None:
        self._source = source
        self._kept: tuple[Reading, Unit] | None = reading, root
        self._data = reading.data
        self._again = again
        self._imports: Imports | None = None
        self._called: Calls | None = None
        self._callers: Mapping[str, Sequence[int]] | None = None
        self._listed: Sequence[Defined] | None = None
        self._titled: tuple[str, str] | None = None
        self.size = len(source.text)
        _keep_newest(self)

    @property
    def _read(self) -> tuple[Reading, Unit]:
        kept = self._kept
        if kept is None:
            kept = self._kept = self._again()
            self._listed = None  # its units belong to the tree that is gone
            _keep_newest(self)
        return kept

    def later(self, names: Names) -> None:
        """Have the names read when the tree goes, if nobody asks for them before that."""
        pending = self._kept[0].pending if self._kept is not None else None
        if pending is None:
            names.read()
        else:
            pending.append(weakref.ref(names))  # who asks for them holds the file

    def forget(self) -> None:
        """Let the tree go, and the units made from it; read what chunks may still ask of it."""
        if self._kept is not None:
            for reference in self._kept[0].pending or ():
                definition = reference()
                if definition is not None:
                    definition.read()
        self._kept = None
        self._listed = None

    def definitions(self) -> Sequence[Defined]:
        """The definitions of the file, containers and what they hold, in order.

        What is defined inside a function belongs to the function and is not told.
        """
        if self._listed is None:
            _, root = self._read
            self._listed = tuple(_defined_in(root, self._data.scope_separator))
        return self._listed

    def callers(self, start: int, end: int) -> tuple[str, ...]:
        """The definitions of this file that call, by its name, something the span defines."""
        if self._callers is None:
            if self._called is None:
                self._called = Calls(self._read[0])
            self._callers = self._called.places()
        found: dict[int, str] = {}
        for one in self.definitions():
            if one.start >= end or start >= one.own:
                continue
            for place in self._callers.get(self._last_name(one), ()):
                caller = self._around(place)
                if caller is not None and caller is not one:
                    found[caller.start] = caller.name
        return tuple(dict.fromkeys(found[at] for at in sorted(found)))

    def members(self, start: int, end: int) -> tuple[str, ...]:
        """The names of what is defined directly in the containers whose heads the span holds."""
        listed = self.definitions()
        heads = [one for one in listed if one.own < one.end and one.start < end and start < one.own]
        found: dict[str, None] = {}
        for head in heads:
            inside = -1
            for one in listed:
                within = head.start <= one.start and one.end <= head.end and one is not head
                if within and one.start >= inside:
                    found[one.unit.label] = None
                    inside = one.end
        return tuple(found)

    def neighbours(self, start: int, end: int) -> tuple[str, str]:
        """The qualified names of the definitions that begin before and behind the span."""
        listed = self.definitions()
        before = bisect_left(listed, (start,))
        behind = bisect_left(listed, (end,))
        above = next((one.name for one in reversed(listed[:before]) if one.own <= start), "")
        return above, listed[behind].name if behind < len(listed) else ""

    def outlines(self) -> Iterator[Outline]:
        """What each definition is, in order, without what it does."""
        text = self._source.text
        for one in self.definitions():
            definition = one.unit.definition
            assert definition is not None
            doc = _documentation(one.unit, text, docstrings=self._data.docstrings)
            span = Span(one.start, one.end)
            yield Outline(span, one.names, definition.signature, doc, one.unit.atomic)

    def module(self) -> tuple[str, str]:
        """The dotted name of the module, and the first line of its documentation."""
        if self._titled is None:
            reading, _ = self._read
            self._titled = module_name(self._source, reading), module_doc(reading)
        return self._titled

    def _last_name(self, one: Defined) -> str:
        return one.name.rpartition(self._data.scope_separator)[2]

    def _around(self, place: int) -> Defined | None:
        """The innermost definition around a character."""
        listed = self.definitions()
        for number in range(bisect_right(listed, (place, self.size + 1)) - 1, -1, -1):
            if listed[number].end > place:
                return listed[number]
        return None

    def imports(self, start: int, end: int) -> tuple[str, ...]:
        """The import statements outside the span that bind names which occur in it."""
        if self._imports is None:
            self._imports = Imports(self._read[0])
        return self._imports.used_in(start, end)

    def calls(self, start: int, end: int) -> tuple[str, ...]:
        """The names called in the span, in order of first use."""
        if self._called is None:
            self._called = Calls(self._read[0])
        return self._called.between(start, end)


def _defined_in(root: Unit, separator: str) -> Iterable[Defined]:
    stack: list[tuple[Unit, tuple[str, ...]]] = [(root, ())]
    while stack:
        unit, names = stack.pop()
        opened = () if unit.atomic else unit.open()
        if unit.definition is not None:
            names = (*names, unit.label)
            own = unit.end
            if opened:
                own = next((child.end for child in opened if child.kind == "head"), opened[0].end)
            yield Defined(unit.start, unit.end, own, names, separator.join(names), unit)
        stack.extend((child, names) for child in reversed(opened))


def _documentation(unit: Unit, text: str, *, docstrings: bool) -> str:
    """The doc comment and the docstring of a definition, as written but for indentation."""
    parts: list[str] = []
    children = unit.open()
    while children and children[0].kind == "comment":
        parts.append(text[children[0].start : children[0].end])
        children = children[1:]
        if len(children) == 1 and children[0].kind == unit.kind:
            children = children[0].open()
    if docstrings and len(children) > 1 and children[0].kind == "head":
        first = text[children[1].start : children[1].end]
        if first.lstrip(" \t\r\nrRuUbB")[:1] in {'"', "'"}:
            parts.append(first)
    return "\n".join([dedent(part).strip() for part in parts])


_newest: tuple[weakref.ref[Lookup], ...] = ()


def _keep_newest(lookup: Lookup) -> None:
    """Keep the tree of this file, and those of the files before it as far as they are few.

    Threads that do this at once may each forget what the other would keep: it costs a parse.
    """
    global _newest  # noqa: PLW0603  # what is alive in the process, whoever made it
    kept = [weakref.ref(lookup)]
    total = lookup.size
    for reference in _newest:
        other = reference()
        if other is None or other is lookup:
            continue
        total += other.size
        if total > _MOST_KEPT or len(kept) >= _MANY_KEPT:
            other.forget()
        else:
            kept.append(reference)
    _newest = tuple(kept)
