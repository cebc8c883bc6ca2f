"""Measuring text in the unit of the budget: one tokenisation of each document.

A :class:`Measure` counts a string. Its :class:`Scale` has measured one whole document and
answers for any span of it from running totals. Cutting a text changes how a tokenizer reads it
near the cut, so an answer of a scale may be off by a token or two; callers that stand close to
the limit count the final string.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from functools import partial
from itertools import accumulate
from typing import Any, Protocol

from structchunk_core.encoding_files import encoding_names, load_encoding
from structchunk_core.errors import ConfigurationError
from structchunk_core.scales import CharacterScale, LineScale, Scale, TokenScale, running_totals
from structchunk_core.settings import checked_length
from structchunk_core.source import parsable
from structchunk_core.token_ends import TokenEnds, token_ends

CHARACTERS = "characters"
DEFAULT_ENCODING = "cl100k_base"
_SHORT = 24  # characters of a text whose size is remembered
_MOST_KNOWN = 1024


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

    @property
    def pattern(self) -> str:
        """The encoding by whose pattern texts are divided into pieces; ``""``: nobody knows."""

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
        tokenizer: the name of a tiktoken encoding or model family encoding (``cl100k_base``), whose
            tokens gigatoken may read where it is installed; ``"characters"``; a
            ``tiktoken.Encoding``, which reads itself; a Hugging Face ``tokenizers.Tokenizer`` or
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
        return TiktokenMeasure(tokenizer.name, tokenizer, plain=True)
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
    pattern = ""

    def slack(self, size: int) -> int:  # noqa: ARG002  # it keeps the promise of Measure
        return 0  # a length is a length, wherever the text is cut

    def count(self, text: str) -> int:
        return len(text)

    def scale(self, text: str) -> Scale:
        return CharacterScale(len(text))


class TiktokenMeasure:
    """Tokens of a tiktoken encoding.

    Text that looks like a special token counts as text, and each surrogate that has no place in
    a text as U+FFFD, as the scale reads it: tiktoken would join two of them to one character.

    Args:
        name: what tiktoken calls the encoding.
        encoding: the ``tiktoken.Encoding``; None: it is loaded at first use.
        plain: tiktoken itself reads every text; otherwise gigatoken may, which gives the same.
    """

    unit = "tokens"
    trusted = True

    def __init__(self, name: str, encoding: Any = None, *, plain: bool = False) -> None:
        self.name = name
        self.pattern = "" if plain else name
        self._encoding = encoding
        self._plain = plain
        self._ends: TokenEnds | None = None
        self._known: dict[str, int] = {}  # short texts, the same for every document

    def slack(self, size: int) -> int:
        return 3 + size // 128

    def __reduce__(self) -> tuple[object, ...]:
        known = self._encoding is None or self.name in encoding_names()
        make = partial(TiktokenMeasure, plain=self._plain)
        return (make, (self.name, None if known else self._encoding))

    def count(self, text: str) -> int:
        if len(text) > _SHORT:
            return self._loaded().count(parsable(text))
        size = self._known.get(text)
        if size is None:
            size = self._loaded().count(parsable(text))
            if len(self._known) < _MOST_KNOWN:
                self._known[text] = size
        return size

    def scale(self, text: str) -> Scale:
        return self._loaded().scale(parsable(text))

    def _loaded(self) -> TokenEnds:
        if self._ends is None:
            if self._encoding is None:
                self._encoding = load_encoding(self.name)
            self._ends = token_ends(self._encoding, "" if self._plain else self.name)
        return self._ends


class TokenizerMeasure:
    """Tokens of any tokenizer object; Hugging Face tokenizers give their offsets.

    Special tokens that a tokenizer adds around a text ([CLS], [SEP]) are not counted where it
    lets itself be asked not to add them. What it would cut off of a long text, or pad a short one
    with, for a model is neither: a text measures what all of it does.
    """

    unit = "tokens"
    trusted = False  # nothing is known about where its tokens may begin
    pattern = ""

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
            return LineScale(text, self.count)
        return TokenScale(running_totals(accumulate((end for _, end in offsets), max)), None)


class FunctionMeasure:
    """Whatever a function says. It is asked line by line, then once for each chunk."""

    unit = "units"
    trusted = False  # nothing is known about the function
    pattern = ""

    def __init__(self, function: Callable[[str], int]) -> None:
        self._function = function
        self.name = _name_of(function)

    def slack(self, size: int) -> int:
        return 8 + size // 4

    def count(self, text: str) -> int:
        return checked_length(self._function(text))

    def scale(self, text: str) -> Scale:
        return LineScale(text, self.count)


def longest(text: str) -> int:
    """The bytes of a text: no text has more tokens or characters."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


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


def _name_of(thing: object) -> str:
    named = getattr(thing, "__qualname__", None) or getattr(thing, "name_or_path", None)
    return str(named or type(thing).__qualname__)
