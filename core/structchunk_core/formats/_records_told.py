"""What a document of records tells: its mappings, each under the keys that lead to it."""

from __future__ import annotations

from collections.abc import Sequence

from structchunk_core.formats._records_units import DEEPEST
from structchunk_core.formats._records_values import Value, plain
from structchunk_core.unit import Told


def told_of(value: Value) -> Sequence[Told] | None:
    """The mappings in a value, in order, those inside behind the one that they are in.

    A mapping that holds nothing but others tells nothing itself. Plain values in a list are one
    value, with commas between them; a mapping in a list has the key of the list.

    Returns:
        None where something is nested more than ``DEEPEST`` levels deep.
    """
    found: list[Told] = []
    stack: list[tuple[tuple[str, ...], Value]] = [((), value)]
    while stack:
        keys, value = stack.pop()
        if len(keys) > DEEPEST:
            return None
        own: list[tuple[str, str]] = []
        inside: list[tuple[tuple[str, ...], Value]] = []
        if type(value) is tuple:
            for written, item in value:
                key = " ".join(written.split())
                if item and (type(item) is tuple or (type(item) is list and _has_holders(item))):
                    inside.append(((*keys, key), item))
                else:
                    own.append((key, _words(item)))
            if own:
                found.append(Told(keys, own))
        elif type(value) is list:
            single = [item for item in value if not isinstance(item, tuple | list)]
            inside = [(keys, item) for item in value if isinstance(item, tuple | list) and item]
            if single or not inside:
                found.append(Told(keys, [("", _words(single))]))
        else:
            found.append(Told(keys, [("", _words(value))]))
        stack += reversed(inside)
    return found


def _has_holders(items: list[Value]) -> bool:
    return any(isinstance(item, tuple | list) for item in items)


def _words(value: Value) -> str:
    """A value with none inside, on one line."""
    if type(value) is tuple:  # an empty one
        return ""
    if type(value) is not list:
        return " ".join(plain(value).split())
    return " ".join(", ".join([words for words in map(plain, value) if words]).split())
