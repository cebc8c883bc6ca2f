"""What scalars and values in brackets of YAML say, on one line, with nothing decided about types.

A plain value is as it is written; quoted ones are without quotes and escapes, and text even where
they say ``null``.
"""

from __future__ import annotations

import re

from structchunk_core.formats._records_told import comment_words
from structchunk_core.formats._records_values import (
    Cells,
    Value,
    ValueSyntax,
    Written,
    object_cells,
    read_value,
)

NULL = frozenset({"", "null", "Null", "NULL", "~"})
"""Words that say that there is no value."""

_TYPED = re.compile(r"[-+]?\.?[0-9][0-9_.eE+:xXoObBa-fA-F-]*+|true|false|[-+]?\.(?:inf|nan)")
_NOTHING = re.compile(r"(?:[\ufeff\s]++|(?<!\S)\#[^\n]*+)*+")
_PROPERTIES = re.compile(r"(?:([&!])[^\s,\[\]{}]*+(?:\s++|(?=[,\[\]{}])|\Z)(?:\#[^\n]*+\s*+)*+)*+")
_ALIAS = re.compile(r"\*[^\s,\[\]{}]++")
_DOUBLE = re.compile(r'"((?:[^"\\]++|\\[\s\S])*+)"')
_SINGLE = re.compile(r"'((?:[^']++|'')*+)'")
_HEADER = re.compile(r"[|>](?:[+-]?([1-9])?[+-]?)[ \t]*+(?:(?<=[ \t])\#[^\n]*+)?\r?(?:\n|\Z)")
_COMMENT = re.compile(r"(?:\A|(?<=\s))\#")
_IN_BRACKETS = re.compile(
    r"(?:[^\s,\[\]{}:\#]|:(?![\s,\[\]{}]|\Z)|(?<=\S)\#|[ \t]++(?![ \t\r\n\#]|\Z)"
    r"|[ \t\r]*+\n\s*+(?![\s\#]|\Z))++"
)
_ESCAPE = re.compile(
    r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(\r?\n[ \t]*+)|([\s\S]))"
)
_ESCAPED = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r",
    "e": "\x1b", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip


def yaml_value(text: str, start: int, end: int, column: int) -> Value:
    """The value that stands in a half-open span, with comments around it or without.

    Args:
        text: the document.
        start: behind the colon or dash.
        end: in front of the next entry and the comments above it.
        column: of the key or dash: what belongs to it is indented more.

    Raises:
        ValueError: there are brackets that cannot be read.
    """
    found = _NOTHING.match(text, start, end)
    position = found.end() if found else start
    properties = _PROPERTIES.match(text, position, end)
    has_tag = False
    if properties and properties.end() > position:
        has_tag = properties[1] == "!"
        found = _NOTHING.match(text, properties.end(), end)
        position = found.end() if found else properties.end()
    first = text[position : position + 1] if position < end else ""
    if first in ("[", "{"):
        return value_in_brackets(text[position:end])
    if first in ("|", ">") and (header := _HEADER.match(text, position, end)):
        return _on_one_line(_block(text, header, end, column))
    quoted = _quoted(text, position, end)
    if quoted is not None:
        return quoted[0]
    return _plain(_without_comments(text[position:end]), has_tag=has_tag)


def value_in_brackets(written: str) -> Value:
    """What is written in brackets, from the first character on.

    Raises:
        ValueError: they cannot be read.
    """
    return read_value(written, 0, _SYNTAX)[0]


def property_place(text: str, start: int, end: int) -> tuple[int, int]:
    """Where the tag and anchor stand in front of the value in a half-open span, half-open too."""
    found = _NOTHING.match(text, start, end)
    position = found.end() if found else start
    properties = _PROPERTIES.match(text, position, end)
    return position, properties.end() if properties else position


def behind_value(text: str, start: int, end: int, column: int) -> int:
    """One past the value without brackets and marks that begins in a half-open span.

    Args:
        text: the document.
        start: behind its tag and anchor.
        end: in front of the next entry.
        column: as for :func:`yaml_value`.
    """
    found = _NOTHING.match(text, start, end)
    position = found.end() if found else start
    first = text[position : position + 1]
    if first in ("|", ">") and (header := _HEADER.match(text, position, end)):
        least = column + int(header[1]) if header[1] else 0
        position = header.end()
        while position < end:
            line_end = text.find("\n", position, end) + 1 or end
            line = text[position:line_end]
            if line.strip():
                indent = len(line) - len(line.lstrip(" "))
                least = least or indent
                if indent < least:
                    break
            position = line_end
        return position
    quoted = (_DOUBLE if first == '"' else _SINGLE).match(text, position, end)
    if quoted:
        return quoted.end()
    found = _COMMENT.search(text, position, end)
    return found.end() - 1 if found else end


def cells_in_brackets(text: str, start: int, end: int) -> Cells | None:
    """What the mapping says that begins at a position; None when there is none to be read."""
    return object_cells(text, start, end, _SYNTAX)


def comment_words_in_brackets(text: str, start: int, end: int) -> str:
    """The words of the comments in the value in brackets at a half-open span, on one line."""
    return comment_words(comments_in_brackets(text[start:end]))


def comments_in_brackets(written: str) -> list[str]:
    """The comments in and behind a value in brackets, without their marks."""
    if "#" not in written:
        return []
    return [found[1] for found in _QUOTED_OR_COMMENT.finditer(written) if found[1]]


def yaml_key(written: str) -> str:
    """What a key says that is written so, without its colon."""
    properties = _PROPERTIES.match(written)
    position = properties.end() if properties else 0
    quoted = _quoted(written, position, len(written))
    return quoted[0] if quoted is not None else _on_one_line(written[position:])


def _quoted(text: str, position: int, end: int) -> tuple[str, int] | None:
    """The string in quotes that begins at a position, and one past its end; None for none."""
    found = _DOUBLE.match(text, position, end)
    if found:
        return _on_one_line(_ESCAPE.sub(_character, found[1])), found.end()
    found = _SINGLE.match(text, position, end)
    return (_on_one_line(found[1].replace("''", "'")), found.end()) if found else None


def _character(escape: re.Match[str]) -> str:
    code = escape[1] or escape[2] or escape[3]
    if code:
        number = int(code, 16)
        is_half = 0xD800 <= number < 0xE000  # of a character: nobody could send or store it
        return escape[0] if is_half or number > 0x10FFFF else chr(number)
    return "" if escape[4] else _ESCAPED.get(escape[5], escape[5])


def _block(text: str, header: re.Match[str], end: int, column: int) -> str:
    """The lines of a block scalar: up to one that is indented less than its first one."""
    least = column + int(header[1]) if header[1] else 0
    lines: list[str] = []
    for line in text[header.end() : end].split("\n"):
        words = line.strip(" \r")
        indent = len(line) - len(line.lstrip(" "))
        if words:
            least = least or indent
            if indent < least:
                break
        lines.append(words)
    return "\n".join(lines)


def _without_comments(words: str) -> str:
    """Plain words up to the comment that ends them."""
    found = _COMMENT.search(words)
    return words[: found.start()] if found else words


def _plain(words: str, *, has_tag: bool = False) -> Value:
    told = _on_one_line(words)
    if told in NULL and not (has_tag and told):
        return None
    return Written(told) if _TYPED.fullmatch(told) or told[:1] == "*" else told


def _on_one_line(words: str) -> str:
    return " ".join(words.split())


def _scalar(text: str, position: int) -> tuple[Value, int]:
    """What stands without brackets inside of some."""
    properties = _PROPERTIES.match(text, position)
    has_tag = False
    if properties and properties.end() > position:
        has_tag = properties[1] == "!"
        position = properties.end()
        if text[position : position + 1] in (",", "]", "}"):
            return ("" if has_tag else None), position
        if text[position : position + 1] in ("[", "{"):
            raise ValueError(position)
    quoted = _quoted(text, position, len(text))
    if quoted is not None:
        return quoted
    found = _ALIAS.match(text, position) or _IN_BRACKETS.match(text, position)
    if found is None:
        raise ValueError(position)
    return _plain(found[0], has_tag=has_tag), found.end()


_SYNTAX = ValueSyntax(
    _NOTHING,
    re.compile(":"),
    _scalar,
    has_lone_keys=True,
    key_mark=re.compile(r"\?(?=[\s,}]|\Z)"),
)
_QUOTED_OR_COMMENT = re.compile(
    r"(?<=[\[{,:\s])\"(?:[^\"\\]++|\\[\s\S])*+\"|(?<=[\[{,:\s])'(?:[^']++|'')*+'"
    r"|(?<![^\s,\[\]{}])\#([^\n]*+)"
)
