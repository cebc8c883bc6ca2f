"""What a document of records tells: its mappings, each under the keys that lead to it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from structchunk_core.formats._records_units import DEEPEST
from structchunk_core.formats._records_values import Value, plain
from structchunk_core.unit import Tell, Told


def alone(told_by: Callable[[str], Sequence[Told] | None]) -> Tell:
    """Tells chunks by nothing but their texts: for what is a document by itself."""
    return lambda written, _start, _end: told_by(written)


def told_of(value: Value, above: tuple[str, ...] = ()) -> Sequence[Told] | None:
    """The mappings in a value, in order, those inside behind the one that they are in.

    A mapping that holds nothing but others tells nothing itself. Plain values in a list are one
    value, with commas between them; a mapping in a list has the key of the list.

    Args:
        value: as :mod:`structchunk_core.formats._records_values` has it.
        above: the keys that lead to it, each on one line.

    Returns:
        None where something is nested more than ``DEEPEST`` levels deep.
    """
    found: list[Told] = []
    stack: list[tuple[tuple[str, ...], Value]] = [(above, value)]
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
                told = pair  # where all is on one line, as most are
                if sort is str:
                    if " " in item or not item.isprintable():
                        told = key, " ".join(item.split())
                elif item and (sort is tuple or (sort is list and has_holders(item))):
                    inside.append(((*keys, on_one_line(key)), item))
                    continue
                else:
                    told = key, words_of(item)
                if " " in key or not key.isprintable():
                    told = on_one_line(key), told[1]
                own.append(told)
            if own:
                found.append(Told(keys, own))
            inside.reverse()
            stack += inside
        elif sort is list:
            single = [item for item in value if type(item) not in _HOLDERS]
            holders = [(keys, item) for item in value if item and type(item) in _HOLDERS]
            if single or not holders:
                found.append(Told(keys, [("", words_of(single))]))
            holders.reverse()
            stack += holders
        else:
            found.append(Told(keys, [("", words_of(value))]))
    return found


def comment_pairs(comments: Sequence[str]) -> list[tuple[str, str]]:
    """The words of comments, or of marks, as a pair without a key; rulers are left out."""
    if not comments:
        return []
    words = " ".join([comment.strip("#") for comment in comments if _WORD.search(comment)])
    return [("", on_one_line(words))] if words else []


def comment_words(comments: Sequence[str]) -> str:
    """The same as words alone."""
    return "".join([words for _, words in comment_pairs(comments)])


_WORD = re.compile(r"\w")
_HOLDERS = frozenset({tuple, list})


def has_holders(items: list[Value]) -> bool:
    """Whether there is a mapping or a list in a list."""
    return not _HOLDERS.isdisjoint(map(type, items))


def words_of(value: Value) -> str:
    """A value with none inside, on one line."""
    if type(value) is tuple:  # an empty one
        return ""
    if type(value) is not list:
        return on_one_line(plain(value))
    return on_one_line(", ".join([words for words in map(plain, value) if words]))


def on_one_line(words: str) -> str:
    """The words with one blank for all white space between them, and none around them."""
    if " " not in words and words.isprintable():  # no other white space is
        return words
    return " ".join(words.split())
