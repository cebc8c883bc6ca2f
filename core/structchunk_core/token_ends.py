"""Reading texts as tokens: how many there are, and where they end."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from operator import itemgetter
from typing import Any

from structchunk_core.encodings import scheme_of
from structchunk_core.fast_tokens import FastTokens
from structchunk_core.offsets import ByteOffsets
from structchunk_core.scales import Scale, TableScale, TokenScale, running_totals

_LONGEST_TABLE = 8_000_000  # characters of a document that may have a total for each

_HALF = 1 << 32 if array("I").itemsize == 4 else 0  # totals below it take half of the memory


class TokenEnds:
    """The tokens of texts, which UTF-8 can hold.

    The length of a token is looked up when it is first met.

    Args:
        encoding: the ``tiktoken.Encoding``.
        fast: what may read in its place.
    """

    def __init__(self, encoding: Any, fast: FastTokens | None = None) -> None:
        self._encoding = encoding
        self._fast = fast
        self._value = encoding.decode_single_token_bytes
        self._lengths: Any = [0] * (encoding.max_token_value + 1)

    def count(self, text: str) -> int:
        """How many tokens the text has."""
        tokens = None if self._fast is None else self._fast.read_or_none(text)
        return len(self._encoding.encode_ordinary(text) if tokens is None else tokens)

    def scale(self, text: str) -> Scale:
        """The text as a measured document."""
        return TokenScale(self.of(text), None if text.isascii() else ByteOffsets(text))

    def of(self, text: str) -> Sequence[int]:
        """The running totals of the lengths of the text's tokens, in bytes."""
        tokens = self._encoding.encode_ordinary(text)
        if len(tokens) < 2:
            return [len(self._value(token)) for token in tokens]
        pick = itemgetter(*tokens)  # a third of the cost of a loop
        lengths: tuple[int, ...] = pick(self._lengths)
        if not all(lengths):
            for token in set(tokens):
                if not self._lengths[token]:
                    self._lengths[token] = len(self._value(token))
            lengths = pick(self._lengths)
        return running_totals(accumulate(lengths))


class NumpyTokenEnds(TokenEnds):
    """The same where numpy is installed, without an object for each token."""

    def __init__(self, encoding: Any, numpy: Any, fast: FastTokens | None = None) -> None:
        super().__init__(encoding, fast)
        self._numpy = numpy
        self._lengths = numpy.zeros(encoding.max_token_value + 1, dtype=numpy.uint32)

    def of(self, text: str) -> Sequence[int]:
        return self._ends(self._lengths_of(text))

    def scale(self, text: str) -> Scale:
        if len(text) > _LONGEST_TABLE:
            return super().scale(text)
        numpy = self._numpy
        lengths = self._lengths_of(text)
        # For each byte how many tokens end up to it: the number of the token that it is in.
        numbers = numpy.arange(len(lengths) + 1, dtype=numpy.uint32)
        low = numpy.repeat(numbers, numpy.append(lengths, 1))
        high = numpy.empty_like(low)
        high[0] = 0
        numpy.add(low[:-1], 1, out=high[1:])  # and those that begin before it
        if not text.isascii():
            data = numpy.frombuffer(text.encode(), dtype=numpy.uint8)
            places = numpy.append(numpy.flatnonzero((data & 0xC0) != 0x80), len(data))
            low, high = low[places], high[places]
        return TableScale(memoryview(low), memoryview(high))

    def _lengths_of(self, text: str) -> Any:
        """The length of each token of the text, in bytes."""
        tokens = None if self._fast is None else self._fast.read_or_none(text)
        if tokens is None:
            tokens = self._encoding.encode_to_numpy(text, disallowed_special=())
        lengths = self._lengths.take(tokens)
        if not lengths.all():
            for token in set(tokens[lengths == 0].tolist()):
                self._lengths[token] = len(self._value(token))
            lengths = self._lengths.take(tokens)
        return lengths

    def _ends(self, lengths: Any) -> Sequence[int]:
        code, sort = ("I", "uint32") if int(lengths.sum(dtype="int64")) < _HALF else ("q", "int64")
        return array(code, self._numpy.cumsum(lengths, dtype=sort).tobytes())


@lru_cache(maxsize=8)
def token_ends(encoding: Any, name: str = "") -> TokenEnds:
    """What reads texts as tokens of an encoding, one for all of the process.

    Args:
        encoding: a ``tiktoken.Encoding``.
        name: of the encoding as tiktoken publishes it, which others may read for it; or ``""``.
    """
    fast = FastTokens(encoding, name) if scheme_of(name) else None
    try:
        import numpy as np
    except ImportError:
        return TokenEnds(encoding)
    if not hasattr(encoding, "encode_to_numpy"):  # tiktoken before 0.9
        return TokenEnds(encoding, fast)
    return NumpyTokenEnds(encoding, np, fast)
