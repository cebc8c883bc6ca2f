"""What values of TOML say: strings without quotes and escapes, all else as it is written."""

from __future__ import annotations

import re
import tomllib

from structchunk_core.formats._records_values import (
    Cells,
    Dotted,
    Value,
    ValueSyntax,
    Written,
    object_cells,
    read_value,
)

BASIC = r'"(?:[^"\\\n]++|\\.)*+"'
LITERAL = r"'[^'\n]*+'"
LONG_BASIC = r'"""(?:[^"\\]++|\\[\s\S]|"{1,2}(?!"))*+"{3,5}'
LONG_LITERAL = r"'''(?:[^']++|'{1,2}(?!'))*+'{3,5}"
ONE_KEY = rf"(?:[A-Za-z0-9_-]++|{BASIC}|{LITERAL})"

_STRING = re.compile(rf"{LONG_BASIC}|{LONG_LITERAL}|{BASIC}|{LITERAL}")
_WORD = re.compile(
    r"true|false|[-+]?(?:inf|nan)|0[xX][0-9a-fA-F_]++|0[oO][0-7_]++|0[bB][01_]++"
    r"|\d{4}-\d\d-\d\d(?:[Tt ]\d\d:[\d:.]++(?:[Zz]|[-+]\d\d:\d\d)?)?|\d\d:[\d:.]++"
    r"|[-+]?[0-9][0-9_]*+(?:\.[0-9_]++)?(?:[eE][-+]?[0-9_]++)?"
)
_DOTTED = re.compile(rf"({ONE_KEY})[ \t]*+(?:\.[ \t]*+)?")
_DOTTED_KEY = re.compile(rf"{ONE_KEY}(?:[ \t]*+\.[ \t]*+{ONE_KEY})*+(?=[ \t]*+=)")
_ENDS = frozenset(("", *" \t\r\n,]}#"))
_CONSTANTS: dict[str, Value] = {"true": True, "false": False}


def toml_value(text: str, start: int, end: int) -> Value:
    """The value that begins at a position, in front of another one.

    Raises:
        ValueError: there is none that can be read.
    """
    return _value_and_end(text[start:end], _SYNTAX)[0]


def toml_value_alone(written: str) -> Value:
    """The value that is written so, with nothing else behind it than comments.

    In it, a dotted key has made a mapping of each of its parts but the last.

    Raises:
        ValueError: there is none that can be read, or more than one.
    """
    value, end = _value_and_end(written, _NESTING)
    if _NOTHING.fullmatch(written, end) is None:
        raise ValueError(end)
    return value


def _value_and_end(written: str, syntax: ValueSyntax) -> tuple[Value, int]:
    if written[:1] in ("[", "{"):
        return read_value(written, 0, syntax)
    return _scalar(written, 0)


def toml_keys(written: str) -> list[str]:
    """The parts of a dotted key.

    Raises:
        ValueError: one of them has an escape that there is not.
    """
    return [_text(part) if part[0] in "\"'" else part for part in _DOTTED.findall(written)]


def cells_in_brackets(text: str, start: int, end: int) -> Cells | None:
    """What the inline table says that begins at a position; None when it cannot be read."""
    return object_cells(text, start, end, _SYNTAX)


def _scalar(text: str, position: int) -> tuple[Value, int]:
    key = _DOTTED_KEY.match(text, position)  # not a value, then: "=" stands behind it
    if key:
        return ".".join(toml_keys(key[0])), key.end()
    found = _STRING.match(text, position)
    if found:
        return _text(found[0]), found.end()
    found = _WORD.match(text, position)
    if found is None or text[found.end() : found.end() + 1] not in _ENDS:
        raise ValueError(position)
    word = found[0]
    return _CONSTANTS[word] if word in _CONSTANTS else Written(word), found.end()


def _nesting_scalar(text: str, position: int) -> tuple[Value, int]:
    """As :func:`_scalar`, but with the parts of a key apart."""
    key = _DOTTED_KEY.match(text, position)
    if key is None:
        return _scalar(text, position)
    return Dotted(toml_keys(key[0])), key.end()


def _text(written: str) -> str:
    """What a string says that is in quotes."""
    if written[:3] in ('"""', "'''") or "\\" in written:
        told: str = tomllib.loads(f"a={written}")["a"]
        return told
    return written[1:-1]


_NOTHING = re.compile(r"(?:\s++|\#[^\n]*+)*+")
_SYNTAX = ValueSyntax(_NOTHING, re.compile("="), _scalar)
_NESTING = _SYNTAX._replace(scalar=_nesting_scalar)
