"""What records of JSON say, and of JSON with comments, trailing commas and loose keys (JSON5)."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import chain

from structchunk_core.formats._records_told import comment_words, told_of
from structchunk_core.formats._records_values import (
    Cells,
    Name,
    Value,
    ValueSyntax,
    Written,
    flattened,
    list_text,
    plain,
    read_value,
)
from structchunk_core.unit import Told


def cells_of_json(text: str, start: int, end: int) -> Cells | None:
    """What the object in a half-open span says; None when it cannot be read.

    Only the span is given to the decoder, which counts the lines up to each fault that it finds.
    """
    written = text[start:end]
    try:
        value = _value_of(written)
    except ValueError:
        return None
    if type(value) is not tuple:
        return None
    cells: list[tuple[str, str]] = []
    for pair in value:
        key, item = pair
        sort = type(item)
        if sort in _TEXTS:  # as most are
            cells.append(pair)
        elif sort is tuple:
            cells += flattened((pair,))
        else:
            cells.append((key, list_text(item) if sort is list else plain(item)))
    if _HALF.search(written) is None:
        return cells
    return [(_without_halves(name), _without_halves(told)) for name, told in cells]


def comments_of_json(text: str, start: int, end: int) -> str:
    """The words of the comments in a half-open span, on one line."""
    written = text[start:end]
    if "#" not in written and "//" not in written and "/*" not in written:
        return ""
    found = [one[0] for one in _STRING_OR_COMMENT.finditer(written) if one[0][0] in "/#"]
    return _of_comments("\n".join(found)) if found else ""


def told_by_json(text: str) -> Sequence[Told] | None:
    """What a document of JSON tells, or one of JSON Lines, with the words of comments in it.

    Returns:
        None where it cannot be read, or holds half of a character.
    """
    found: list[Told] = []
    blank = _BLANK.match
    position = blank(text).end()  # type: ignore[union-attr]  # it matches anything
    while position < len(text):
        try:
            value, position = _TELLING.raw_decode(text, position)
        except (ValueError, RecursionError):
            comments = _TOLD_LOOSE.nothing.match(text, position)
            if comments and comments.end() > position:
                words = _of_comments(comments[0])
                found += [Told((), [("", words)])] if words else []
                position = comments.end()
                continue
            try:
                value, position = read_value(text, position, _TOLD_LOOSE)
            except ValueError:
                return None
        told = told_of(value)
        if told is None:
            return None
        found += told
        behind = blank(text, position).end()  # type: ignore[union-attr]
        if behind == position < len(text) and text[position - 1] not in _CLOSING:
            return None  # a number that goes on, as 010 does
        position = behind
    if "\\" in text and _HALF.search(text) and any(map(_has_half, found)):
        return None
    return found


def _has_half(told: Told) -> bool:
    """Whether there is half of a character in it: escapes of two halves are one character."""
    words = (*told.keys, *chain.from_iterable(told.pairs))
    return any(map(_LONE.search, words))


def _value_of(written: str) -> Value:
    """The value that a text begins with; raises ValueError."""
    try:
        value: Value = _DECODER.raw_decode(written)[0]
    except (ValueError, RecursionError):
        value, _ = read_value(written, 0, _LOOSE)
    return value


_BLANK = re.compile(r"[\ufeff \t\r\n]*+")
_COMMENT = re.compile(r"//([^\n]*+)|\#([^\n]*+)|/\*((?:[^*]++|\*(?!/))*+)\*/")
_STRING_OR_COMMENT = re.compile(
    r"\"(?:[^\"\\\n]++|\\[\s\S])*+\"|'(?:[^'\\\n]++|\\[\s\S])*+'"
    r"|//[^\n]*+|\#[^\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/"
)
_STAR = re.compile(r"(?:^|\n)\s*+\*++")
_CLOSING = frozenset("]}\"'")
_HALF = re.compile(r"\\u[dD][89a-fA-F]")
_LONE = re.compile(r"[\ud800-\udfff]")


def _without_halves(words: str) -> str:
    """The words with what is half of a character only as the escape that it was written as.

    It is valid in JSON and in no encoding, so that nobody could send or store it.
    """
    return _LONE.sub(lambda half: f"\\u{ord(half[0]):04x}", words)


_TEXTS = frozenset({str, Written})
_DECODER = json.JSONDecoder(
    object_pairs_hook=tuple,
    parse_float=Written,
    parse_int=Written,
    parse_constant=Written,
    strict=False,
)
_TELLING = json.JSONDecoder(  # a number is words like any others
    object_pairs_hook=tuple, parse_float=str, parse_int=str, parse_constant=str, strict=False
)

_STRING = re.compile(r"\"((?:[^\"\\\n]++|\\[\s\S])*+)\"|'((?:[^'\\\n]++|\\[\s\S])*+)'")
_WORD = re.compile(r"[^\s\"',:\[\]{}/#]++")
_NUMBER = re.compile(
    r"[-+]?(?:0[xX][0-9a-fA-F]++|(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][-+]?[0-9]++)?|Infinity|NaN)"
)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(\r\n|[\s\S]))")
_ESCAPED = {
    "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0",
    "\n": "", "\r": "", "\r\n": "", "\u2028": "", "\u2029": "",
}  # fmt: skip
_CONSTANTS: dict[str, Value] = {"true": True, "false": False, "null": None}


def _scalar(text: str, position: int) -> tuple[Value, int]:
    found = _STRING.match(text, position)
    if found:
        words = found[1] if found[1] is not None else found[2]
        return _unescaped(words) if "\\" in words else words, found.end()
    found = _WORD.match(text, position)
    if found is None:
        raise ValueError(position)
    word = found[0]
    if word in _CONSTANTS:
        return _CONSTANTS[word], found.end()
    return (Written if _NUMBER.fullmatch(word) else Name)(word), found.end()


def _unescaped(words: str) -> str:
    """A string of JSON5 without its escapes; two halves of a character are one."""
    told = _ESCAPE.sub(_character, words)
    return told.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def _character(escape: re.Match[str]) -> str:
    code = escape[1] or escape[2]
    return chr(int(code, 16)) if code else _ESCAPED.get(escape[3], escape[3])


_LOOSE = ValueSyntax(
    re.compile(r"(?:\s++|//[^\n]*+|\#[^\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/)*+"),
    re.compile(":"),
    _scalar,
)


def _of_comments(stretch: str) -> str:
    """The words of the comments in a stretch that holds nothing else but white space."""
    if stretch.isspace():
        return ""
    found = [one[1] or one[2] or _STAR.sub(" ", one[3] or "") for one in _COMMENT.finditer(stretch)]
    return comment_words(found)


_TOLD_LOOSE = _LOOSE._replace(comments=_of_comments)
