"""Facts about a definition in source code, read when they are asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Head(NamedTuple):
    """What stands in front of the body of a definition.

    Attributes:
        signature: from its first keyword to its body, white space folded to single blanks.
        decorators: decorators, attributes or annotations, each as written.
        doc: first line of its docstring or doc comment, without marks.
    """

    signature: str = ""
    decorators: tuple[str, ...] = ()
    doc: str = ""


class Definition:
    """Facts about a definition in source code. What stands in its head is read when asked for.

    Args:
        name: its own name, without scope (``total``); ``""`` when it has none.
        scope: names that qualify it although it does not stand inside them: the receiver
            type of a Go method, the class of an out-of-class C++ definition.
        head: its head, or what reads it.
    """

    __slots__ = ("__weakref__", "_head", "name", "scope")

    def __init__(
        self,
        name: str,
        scope: tuple[str, ...] = (),
        head: Head | Callable[[], Head] = Head(),  # noqa: B008  # it is frozen
    ) -> None:
        self.name = name
        self.scope = scope
        self._head = head

    @property
    def head(self) -> Head:
        """What stands in front of its body."""
        head = self._head
        return head if isinstance(head, Head) else self.read()

    def read(self) -> Head:
        """Read the head now, so that what it is read from need not be kept."""
        head = self._head
        if not isinstance(head, Head):
            head = self._head = head()
        return head

    @property
    def signature(self) -> str:
        """From its first keyword to its body, white space folded to single blanks."""
        return self.head.signature

    @property
    def decorators(self) -> tuple[str, ...]:
        """Decorators, attributes or annotations, each as written."""
        return self.head.decorators

    @property
    def doc(self) -> str:
        """First line of its docstring or doc comment, without marks."""
        return self.head.doc


class Names:
    """Names that are looked for when they are asked for, in the place of a tuple of them.

    Equal to the tuple and to others with the same names.

    Args:
        find: finds them.
    """

    __slots__ = ("__weakref__", "_names")

    def __init__(self, find: Callable[[], tuple[str, ...]]) -> None:
        self._names: tuple[str, ...] | Callable[[], tuple[str, ...]] = find

    def read(self) -> tuple[str, ...]:
        """Look for them now, so that what they are found in need not be kept."""
        names = self._names
        if not isinstance(names, tuple):
            names = self._names = names()
        return names

    def __eq__(self, other: object) -> bool:
        return self.read() == (other.read() if isinstance(other, Names) else other)

    def __hash__(self) -> int:
        return hash(self.read())

    def __repr__(self) -> str:
        return repr(self.read())
