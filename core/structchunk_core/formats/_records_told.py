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
        sort = type(value)
        if sort is tuple:
            own: list[tuple[str, str]] = []
            inside: list[tuple[tuple[str, ...], Value]] = []
            for pair in value:
                key, item = pair
                sort = type(item)
                if sort is str:  # as most are; the pair stays what it is where all is on one line
                    if " " in item or not item.isprintable():
                        pair = key, " ".join(item.split())
                elif item and (sort is tuple or (sort is list and _has_holders(item))):
                    inside.append(((*keys, _on_one_line(key)), item))
                    continue
                else:
                    pair = key, _words(item)
                if " " in key or not key.isprintable():
                    pair = " ".join(key.split()), pair[1]
                own.append(pair)
            if own:
                found.append(Told(keys, own))
            inside.reverse()
            stack += inside
        elif sort is list:
            single = [item for item in value if type(item) not in _HOLDERS]
            holders = [(keys, item) for item in value if item and type(item) in _HOLDERS]
            if single or not holders:
                found.append(Told(keys, [("", _words(single))]))
            holders.reverse()
            stack += holders
        else:
            found.append(Told(keys, [("", _words(value))]))
    return found


_HOLDERS = frozenset({tuple, list})


def _has_holders(items: list[Value]) -> bool:
    return not _HOLDERS.isdisjoint(map(type, items))


def _words(value: Value) -> str:
    """A value with none inside, on one line."""
    if type(value) is tuple:  # an empty one
        return ""
    if type(value) is not list:
        return _on_one_line(plain(value))
    return _on_one_line(", ".join([words for words in map(plain, value) if words]))


def _on_one_line(words: str) -> str:
    """The words with one blank for all white space between them, and none around them."""
    if " " not in words and words.isprintable():  # no other white space is
        return words
    return " ".join(words.split())
