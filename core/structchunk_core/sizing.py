"""Measuring text in the unit of the budget: one tokenisation of each document.

A :class:`Measure` counts a string. Its :class:`Scale` has measured one whole document and
answers for any span of it from running totals. Cutting a text changes how a tokenizer reads it
near the cut, so an answer of a scale may be off by a token or two; callers that stand close to
the limit count the final string.
"""

from __future__ import annotations

import hashlib
import os
import threading
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from functools import lru_cache
from itertools import accumulate, islice
from operator import itemgetter
from pathlib import Path
from typing import Any, Protocol

from structchunk_core.errors import ConfigurationError, MissingDependencyError
from structchunk_core.settings import checked_length, shown
from structchunk_core.source import ByteOffsets, parsable

CHARACTERS = "characters"
DEFAULT_ENCODING = "cl100k_base"
_SHORT = 24  # characters of a text whose size is remembered
_MOST_KNOWN = 1024
_SMALL = 500_000  # tokens of a document whose running totals may be a list
_LONGEST_TABLE = 8_000_000  # characters of a document that may have a total for each


class Scale(Protocol):
    """A measured document. Positions are characters of it."""

    def low(self, position: int) -> int:
        """The running total in front of a span that starts at the position."""

    def high(self, position: int) -> int:
        """The running total behind a span that ends at the position."""

    def reach(self, start: int, amount: int) -> int:
        """The last position such that the span from start measures about ``amount`` at most."""


class Measure(Protocol):
    """The unit of a budget."""

    @property
    def name(self) -> str:
        """What it is called in settings and messages, stable across processes."""

    @property
    def unit(self) -> str:
        """Its unit in the plural: ``tokens``, ``characters``, ``units``."""

    @property
    def trusted(self) -> bool:
        """Whether a scale's answer beyond the slack needs no count of the final string."""

    def slack(self, size: int) -> int:
        """How far a scale's answer of about this size may be off."""

    def count(self, text: str) -> int:
        """What the text measures, exactly."""

    def scale(self, text: str) -> Scale:
        """The text as a measured document; reads all of it once."""


def measure_of(
    tokenizer: object | None = None, length_function: Callable[[str], int] | None = None
) -> Measure:
    """The measure that the settings name. Loads nothing: an encoding is read at first use.

    Args:
        tokenizer: the name of a tiktoken encoding or model family encoding (``cl100k_base``),
            ``"characters"``, a ``tiktoken.Encoding``, a Hugging Face ``tokenizers.Tokenizer`` or
            ``transformers`` tokenizer, or any object with ``encode(text)`` that returns a
            sequence of tokens. None means ``cl100k_base``.
        length_function: a function from text to its length, instead of a tokenizer.

    Raises:
        ConfigurationError: both are given, or the tokenizer is none of these.
    """
    if length_function is not None:
        if tokenizer is not None:
            raise ConfigurationError(
                f"give tokenizer or length_function, not both: got tokenizer={tokenizer!r} and "
                f"length_function={length_function!r}"
            )
        if length_function is len:
            return CharacterMeasure()
        if not callable(length_function) or isinstance(length_function, type):
            raise ConfigurationError(
                f"length_function must be a function from str to int, got {length_function!r}"
            )
        return FunctionMeasure(length_function)
    if isinstance(tokenizer, type):
        raise ConfigurationError(
            f"tokenizer must be a name or an object with encode(text), got the class {tokenizer!r}"
        )
    if tokenizer is None:
        return TiktokenMeasure(DEFAULT_ENCODING)
    if tokenizer == CHARACTERS:
        return CharacterMeasure()
    if isinstance(tokenizer, str):
        known = encoding_names()
        if tokenizer not in known:
            raise ConfigurationError(
                f"tokenizer must be 'characters', a tiktoken encoding ({', '.join(known)}) or a "
                f"tokenizer object, got {tokenizer!r}"
            )
        return TiktokenMeasure(tokenizer)
    if hasattr(tokenizer, "encode_ordinary") and hasattr(tokenizer, "name"):
        return TiktokenMeasure(tokenizer.name, tokenizer)
    if callable(getattr(tokenizer, "encode", None)):
        return TokenizerMeasure(tokenizer)
    if callable(tokenizer):
        return FunctionMeasure(tokenizer)
    raise ConfigurationError(
        f"tokenizer must be a name or an object with encode(text), got {tokenizer!r}"
    )


class CharacterMeasure:
    """Characters, as ``len`` counts them."""

    name = CHARACTERS
    unit = CHARACTERS
    trusted = True

    def slack(self, size: int) -> int:  # noqa: ARG002  # it keeps the promise of Measure
        return 0  # a length is a length, wherever the text is cut

    def count(self, text: str) -> int:
        return len(text)

    def scale(self, text: str) -> Scale:
        return _CharacterScale(len(text))


class _CharacterScale:
    __slots__ = ("_length",)

    def __init__(self, length: int) -> None:
        self._length = length

    def low(self, position: int) -> int:
        return position

    def high(self, position: int) -> int:
        return position

    def reach(self, start: int, amount: int) -> int:
        return min(self._length, start + amount)


class TiktokenMeasure:
    """Tokens of a tiktoken encoding.

    Text that looks like a special token counts as text, and each surrogate that has no place in
    a text as U+FFFD, as the scale reads it: tiktoken would join two of them to one character.
    """

    unit = "tokens"
    trusted = True

    def __init__(self, name: str, encoding: Any = None) -> None:
        self.name = name
        self._encoding = encoding
        self._known: dict[str, int] = {}  # short texts, the same for every document

    def slack(self, size: int) -> int:
        return 3 + size // 128

    def __reduce__(self) -> tuple[object, ...]:
        known = self._encoding is None or self.name in encoding_names()
        return (TiktokenMeasure, (self.name, None if known else self._encoding))

    def count(self, text: str) -> int:
        if len(text) > _SHORT:
            return len(self._loaded().encode_ordinary(parsable(text)))
        size = self._known.get(text)
        if size is None:
            size = len(self._loaded().encode_ordinary(parsable(text)))
            if len(self._known) < _MOST_KNOWN:
                self._known[text] = size
        return size

    def scale(self, text: str) -> Scale:
        clean = parsable(text)
        ends = _token_ends(self._loaded())
        if isinstance(ends, _NumpyTokenEnds) and len(text) <= _LONGEST_TABLE:
            return ends.scale(clean)
        return _TokenScale(ends.of(clean), None if text.isascii() else ByteOffsets(text))

    def _loaded(self) -> Any:
        if self._encoding is None:
            self._encoding = load_encoding(self.name)
        return self._encoding


class TokenizerMeasure:
    """Tokens of any tokenizer object; Hugging Face tokenizers give their offsets.

    Special tokens that a tokenizer adds around a text ([CLS], [SEP]) are not counted where it
    lets itself be asked not to add them. What it would cut off of a long text, or pad a short one
    with, for a model is neither: a text measures what all of it does.
    """

    unit = "tokens"
    trusted = False  # nothing is known about where its tokens may begin

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer = _of_whole_texts(tokenizer)
        self.name = _name_of(tokenizer)
        self._plain = {"add_special_tokens": False}
        try:
            tokenizer.encode("", **self._plain)
        except TypeError:
            self._plain = {}

    def slack(self, size: int) -> int:
        return 4 + size // 64

    def count(self, text: str) -> int:
        encoded = self._tokenizer.encode(parsable(text), **self._plain)
        return len(getattr(encoded, "ids", encoded))

    def scale(self, text: str) -> Scale:
        clean = parsable(text)
        encoded = self._tokenizer.encode(clean, **self._plain)
        offsets = getattr(encoded, "offsets", None)
        if offsets is None and getattr(self._tokenizer, "is_fast", False):
            offsets = self._tokenizer(clean, return_offsets_mapping=True, **self._plain)[
                "offset_mapping"
            ]
        if offsets is None:
            return _LineScale(text, self.count)
        return _TokenScale(_totals(accumulate((end for _, end in offsets), max)), None)


class FunctionMeasure:
    """Whatever a function says. It is asked line by line, then once for each chunk."""

    unit = "units"
    trusted = False  # nothing is known about the function

    def __init__(self, function: Callable[[str], int]) -> None:
        self._function = function
        self.name = _name_of(function)

    def slack(self, size: int) -> int:
        return 8 + size // 4

    def count(self, text: str) -> int:
        return checked_length(self._function(text))

    def scale(self, text: str) -> Scale:
        return _LineScale(text, self.count)


class _TokenScale:
    """Ends of tokens, in bytes or (without offsets) in characters."""

    __slots__ = ("_ends", "_offsets")

    def __init__(self, ends: Sequence[int], offsets: ByteOffsets | None) -> None:
        self._ends = ends
        self._offsets = offsets

    def low(self, position: int) -> int:
        at = position if self._offsets is None else self._offsets.to_byte(position)
        return bisect_right(self._ends, at)

    def high(self, position: int) -> int:
        at = position if self._offsets is None else self._offsets.to_byte(position)
        index = bisect_left(self._ends, at)
        if index < len(self._ends):
            return index + 1 if at else 0
        return index

    def reach(self, start: int, amount: int) -> int:
        index = min(self.low(start) + amount, len(self._ends)) - 1
        if index < 0:
            return start
        at = self._ends[index]
        return max(start, at if self._offsets is None else self._offsets.to_character(at))


class _TableScale:
    """A total for each character: looked up ten times as fast as among the ends of tokens.

    Args:
        low: the totals in front of each character.
        high: and behind it.
        ends: makes the same scale from the ends of the tokens.
    """

    __slots__ = ("_ends", "_made", "high", "low")

    def __init__(self, low: memoryview, high: memoryview, ends: Callable[[], _TokenScale]) -> None:
        self.low = low.__getitem__
        self.high = high.__getitem__
        self._made = ends
        self._ends: _TokenScale | None = None

    def reach(self, start: int, amount: int) -> int:
        if self._ends is None:
            self._ends = self._made()
        return self._ends.reach(start, amount)


class _LineScale:
    """Running totals at line starts; inside a line they grow with the characters."""

    __slots__ = ("_starts", "_totals")

    def __init__(self, text: str, count: Callable[[str], int]) -> None:
        lines = text.splitlines(keepends=True)
        base = count("")
        self._starts = array("q", accumulate((len(line) for line in lines), initial=0))
        sizes = (max(0, count(line) - base) for line in lines)
        self._totals = array("q", accumulate(sizes, initial=base))

    def low(self, position: int) -> int:
        return self._at(position) - self._totals[0]

    def high(self, position: int) -> int:
        return self._at(position)

    def _at(self, position: int) -> int:
        line = bisect_right(self._starts, position) - 1
        if line + 1 >= len(self._starts):
            return self._totals[-1]
        begin, end = self._starts[line], self._starts[line + 1]
        low, high = self._totals[line], self._totals[line + 1]
        return low - (-(high - low) * (position - begin) // (end - begin))

    def reach(self, start: int, amount: int) -> int:
        wanted = self._at(start) + amount
        line = bisect_right(self._totals, wanted) - 1
        if line + 1 >= len(self._starts):
            return max(start, self._starts[-1])
        low, high = self._totals[line], self._totals[line + 1]
        begin, end = self._starts[line], self._starts[line + 1]
        return max(start, begin + (wanted - low) * (end - begin) // max(1, high - low))


_LOADING = threading.Lock()


def encoding_names() -> list[str]:
    """The names of the encodings that tiktoken knows, without loading one."""
    from tiktoken import list_encoding_names

    return sorted(list_encoding_names())


def encoding_of_model(model: object) -> str:
    """The name of the encoding that a model has (``"gpt-4o"``), without loading one.

    Raises:
        ConfigurationError: tiktoken knows no such model.
    """
    from tiktoken.model import encoding_name_for_model

    try:
        if isinstance(model, str):
            return encoding_name_for_model(model)
    except KeyError:
        pass
    raise ConfigurationError(
        f"model_name must be a model that tiktoken knows, got {shown(model)}: give the name of an "
        "encoding, or a tokenizer"
    )


@lru_cache(maxsize=8)
def load_encoding(name: str) -> Any:
    """A tiktoken encoding from files on this machine; nothing is ever downloaded.

    Raises:
        MissingDependencyError: no file of the encoding is here; the message names the ways out.
    """
    import tiktoken

    folder = next((place for place in _encoding_folders() if _has_encoding(place, name)), None)
    if folder is None:
        raise MissingDependencyError(
            f"the files of the tokenizer {name!r} are not on this machine, and structchunk never "
            "downloads. Three ways out: (1) pip install 'structchunk-parsers[llamaindex]', since "
            "llama-index-core ships cl100k_base and o200k_base; (2) fill tiktoken's cache on a "
            'machine with a network (python -c "import tiktoken; '
            f"tiktoken.get_encoding('{name}')\") and point TIKTOKEN_CACHE_DIR at it; "
            "(3) use tokenizer='characters', or pass a "
            "tokenizer or length_function of your own"
        )
    with _LOADING:
        before = os.environ.get("TIKTOKEN_CACHE_DIR")
        os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)
        try:
            return tiktoken.get_encoding(name)
        finally:
            if before is None:
                del os.environ["TIKTOKEN_CACHE_DIR"]
            else:
                os.environ["TIKTOKEN_CACHE_DIR"] = before


_ENCODING_URLS = {
    "cl100k_base": ("encodings/cl100k_base.tiktoken",),
    "o200k_base": ("encodings/o200k_base.tiktoken",),
    "o200k_harmony": ("encodings/o200k_base.tiktoken",),
    "p50k_base": ("encodings/p50k_base.tiktoken",),
    "p50k_edit": ("encodings/p50k_base.tiktoken",),
    "r50k_base": ("encodings/r50k_base.tiktoken",),
    "gpt2": ("gpt-2/encodings/main/vocab.bpe", "gpt-2/encodings/main/encoder.json"),
}


def _encoding_folders() -> Iterable[Path]:
    import tempfile
    from importlib.util import find_spec

    for variable in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        if os.environ.get(variable):
            yield Path(os.environ[variable])
    yield Path(tempfile.gettempdir()) / "data-gym-cache"
    try:
        found = find_spec("llama_index.core")
    except ModuleNotFoundError:
        found = None
    for location in (found.submodule_search_locations or ()) if found else ():
        yield Path(location) / "_static" / "tiktoken_cache"


def _has_encoding(folder: Path, name: str) -> bool:
    """Whether tiktoken's cache holds the files; it names them by the SHA-1 of their address."""
    files = _ENCODING_URLS.get(name)
    if files is None:
        return True  # an encoding from a tiktoken plugin: it brings its own files
    host = "https://openaipublic.blob.core.windows.net/"
    return all(
        (folder / hashlib.sha1((host + file).encode(), usedforsecurity=False).hexdigest()).is_file()
        for file in files
    )


def _of_whole_texts(tokenizer: Any) -> Any:
    """The tokenizer, or a copy that neither truncates nor pads if it is set to do so.

    That of a sentence embedding model usually is: it calls a whole book 128 tokens.
    """
    settings = (getattr(tokenizer, name, None) for name in ("truncation", "padding"))
    if not any(isinstance(setting, dict) for setting in settings):
        return tokenizer
    copied = deepcopy(tokenizer)
    copied.no_truncation()
    copied.no_padding()
    return copied


def _totals(ends: Iterable[int]) -> Sequence[int]:
    totals = list(islice(ends, _SMALL))
    rest = array("q", ends)  # an eighth of the memory, and slower to look up in
    return array("q", totals) + rest if rest else totals


class _TokenEnds:
    """Where the tokens of a text end, in bytes; needs the length of each token there is.

    The length of a token is looked up when it is first met.
    """

    def __init__(self, encoding: Any) -> None:
        self._encoding = encoding
        self._value = encoding.decode_single_token_bytes
        self._lengths = [0] * (encoding.max_token_value + 1)

    def of(self, text: str) -> Sequence[int]:
        """The running totals of the lengths of the text's tokens."""
        tokens = self._encoding.encode_ordinary(text)
        if len(tokens) < 2:
            return [len(self._value(token)) for token in tokens]
        pick = itemgetter(*tokens)  # a third of the cost of a loop
        lengths: tuple[int, ...] = pick(self._lengths)
        if not all(lengths):
            for token in set(tokens):
                self._lengths[token] = len(self._value(token))
            lengths = pick(self._lengths)
        return _totals(accumulate(lengths))


class _NumpyTokenEnds:
    """The same where numpy is installed, without an object for each token."""

    def __init__(self, encoding: Any, numpy: Any) -> None:
        self._numpy = numpy
        self._encoding = encoding
        self._lengths = numpy.zeros(encoding.max_token_value + 1, dtype=numpy.uint32)

    def of(self, text: str) -> Sequence[int]:
        """The running totals of the lengths of the text's tokens."""
        return _ends(self._numpy, self._lengths_of(text))

    def scale(self, text: str) -> Scale:
        """The text, which UTF-8 can hold, as a measured document."""
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

        def plain() -> _TokenScale:
            offsets = None if text.isascii() else ByteOffsets(text)
            return _TokenScale(_ends(numpy, lengths), offsets)

        return _TableScale(memoryview(low), memoryview(high), plain)

    def _lengths_of(self, text: str) -> Any:
        """The length of each token of the text, in bytes."""
        tokens = self._encoding.encode_to_numpy(text, disallowed_special=())
        lengths = self._lengths.take(tokens)
        if not lengths.all():
            for token in self._numpy.unique(tokens).tolist():
                self._lengths[token] = len(self._encoding.decode_single_token_bytes(token))
            lengths = self._lengths.take(tokens)
        return lengths


def _ends(numpy: Any, lengths: Any) -> Sequence[int]:
    return array("q", numpy.cumsum(lengths, dtype="int64").tobytes())


@lru_cache(maxsize=8)
def _token_ends(encoding: Any) -> _TokenEnds | _NumpyTokenEnds:
    try:
        import numpy as np
    except ImportError:
        return _TokenEnds(encoding)
    if not hasattr(encoding, "encode_to_numpy"):  # tiktoken before 0.9
        return _TokenEnds(encoding)
    return _NumpyTokenEnds(encoding, np)


def _name_of(thing: object) -> str:
    named = getattr(thing, "__qualname__", None) or getattr(thing, "name_or_path", None)
    return str(named or type(thing).__qualname__)
