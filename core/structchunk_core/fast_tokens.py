"""Tokens of tiktoken's encodings as gigatoken reads them: the same ones, many times as fast.

gigatoken is optional (extra ``fast``). Nothing here is trusted: a sample with every kind of piece
is compared when it is loaded, and each character that is not ASCII when it is first met, since two
libraries rarely know the same version of Unicode, and a letter to one is a symbol to the other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from structchunk_core.encoding_files import load_encoding, rank_file_or_none
from structchunk_core.encodings import scheme_of
from structchunk_core.errors import MissingDependencyError

PAYS_FROM = 1_000_000
"""Characters that tiktoken reads in the time that loading gigatoken takes."""

LASTS = 16_000_000
"""Characters after which a new one is made: the pieces that it has seen stay in its memory."""

# Whatever a character is to an encoding (letter of either case, mark, digit, space, symbol), these
# tokens show it: contractions, words behind a symbol, groups of three digits, runs of blanks, line
# ends behind a symbol.
_PROBE = "{0}'ll{0}.foo 1{0}2345  {0}  b\n{0}\n\nx'{0}a (A{0}a'{0}{0}A\r\n{0}/\n"
_TOGETHER = 64  # characters that are compared in one text
_MOST_NEW = 4096  # characters of one text that are compared

_ASCII = [chr(code) for code in range(128)]
_ASCII_BYTES = bytes(range(128))
_SAMPLE = (
    "def total(basket, rate=0.25):\n    return sum(p.price * 1.19 for p in basket)  # 12345678\n"
    "We'll say IT'S HTTPResponse's, won't we?\t\t\tdon'T\r\n\r\n  \n \n        x != y;;;;//////\n"
    "数量は三つです。Ça coûte 100 €. Привет, мир! عدد ٣ ½ Ⅷ e\u0301 👩\u200d🚀\u3000\xa0\u2028"
    "<|endoftext|>" + "a" * 70 + " " * 70 + "-" * 70 + "\n" * 70
)

Encode = Callable[[str], Any]
"""From a text to the numbers of its tokens, as a numpy array."""

NOT_INSTALLED = "gigatoken is not installed (extra fast)"

_NOT_OURS = (KeyboardInterrupt, SystemExit, GeneratorExit, MemoryError)
"""What says nothing about gigatoken. All else may: a panic of Rust is no Exception."""


class FastTokens:
    """Reads texts with gigatoken as soon as that pays, and only what it reads as tiktoken does.

    Several threads may use one: what they then do twice does no harm.

    Args:
        encoding: the ``tiktoken.Encoding``.
        name: of the encoding, one that has a scheme.
    """

    def __init__(self, encoding: Any, name: str) -> None:
        self._encoding = encoding
        self._name = name
        self._encode: Encode | None = None
        self._seen = 0
        self._lasts_until: float = PAYS_FROM
        self._same: set[str] = set()  # characters that both read alike, as far as they were met
        self._other: set[str] = set()

    def read_or_none(self, text: str) -> Any:
        """The tokens of the text, which UTF-8 can hold, as an array; None: tiktoken has to."""
        self._seen += len(text)
        if self._seen > self._lasts_until:
            self._renew()
        encode = self._encode
        if encode is None:
            return None
        try:
            if text.isascii() or self._agree_about(text, encode):
                return encode(text)
        except BaseException as error:
            if isinstance(error, _NOT_OURS):
                raise
            self._give_up(f"it failed with {error!r}")
        return None

    def _renew(self) -> None:
        self._lasts_until = self._seen + LASTS  # first of all: other threads shall not do it too
        self._encode = None
        made = loaded_or_reason(self._encoding, self._name)
        if isinstance(made, str):
            self._give_up(made)
        else:
            self._encode = made

    def _give_up(self, reason: str) -> None:
        """Leave all texts to tiktoken; who has installed gigatoken is told why."""
        self._encode = None
        self._lasts_until = math.inf
        if reason != NOT_INSTALLED:
            import logging  # only here: it takes as long to import as much of this package

            log = logging.getLogger("structchunk_core")
            log.warning("tiktoken reads %s in the place of gigatoken: %s", self._name, reason)

    def _agree_about(self, text: str, encode: Encode) -> bool:
        """Whether both read all characters of the text alike; compares those that are new."""
        # Most of a text is ASCII, which takes least time to leave out in bulk.
        beyond = set(text.encode().translate(None, _ASCII_BYTES).decode())
        new = sorted(beyond - self._same)
        if not new:
            return True
        if not self._other.isdisjoint(new):
            return False
        for first in range(0, min(len(new), _MOST_NEW), _TOGETHER):
            characters = new[first : first + _TOGETHER]
            if self._agree(characters, encode):
                self._same.update(characters)
                continue
            for character in characters:
                known = self._same if self._agree([character], encode) else self._other
                known.add(character)
        return self._same.issuperset(new)

    def _agree(self, characters: Iterable[str], encode: Encode) -> bool:
        return _alike(encode, self._encoding, _probe(characters))


def loaded_or_reason(encoding: Any, name: str) -> Encode | str:
    """What reads as the encoding does, or why nothing may: a sentence for a person.

    Args:
        encoding: the ``tiktoken.Encoding``.
        name: of the encoding, as tiktoken publishes it.
    """
    scheme = scheme_of(name)
    if not scheme:
        return "gigatoken knows no such encoding"
    try:
        import gigatoken
    except ImportError as error:
        from importlib.util import find_spec

        is_there = find_spec("gigatoken") is not None
        return f"it cannot be imported ({error})" if is_there else NOT_INSTALLED
    file = rank_file_or_none(name)
    if file is None:
        return "the file of the encoding is not where tiktoken keeps it"
    try:
        tokenizer = gigatoken.Tokenizer.from_tiktoken(file, pretokenizer=scheme, special_tokens={})
        encode: Encode = tokenizer.backend.encode
        agrees = _alike(encode, encoding, _SAMPLE + _probe(_ASCII))
    except BaseException as error:
        if isinstance(error, _NOT_OURS):
            raise
        return f"it failed with {error!r}"
    return encode if agrees else "it reads a sample otherwise"


def reader_of(name: str) -> str:
    """What reads the tokens of an encoding here, and why not gigatoken: words for a person."""
    try:
        encoding = load_encoding(name)
    except MissingDependencyError:
        return "nothing: its files are not on this machine"
    found = loaded_or_reason(encoding, name)
    if isinstance(found, str):
        return f"tiktoken: {found}"
    return f"gigatoken, from {PAYS_FROM:,} characters of a process on; tiktoken before"


def _alike(encode: Encode, encoding: Any, text: str) -> bool:
    return bool(encode(text).tolist() == encoding.encode_ordinary(text))


def _probe(characters: Iterable[str]) -> str:
    return "".join(map(_PROBE.format, characters))
