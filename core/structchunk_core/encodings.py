"""What is known about the encodings that tiktoken publishes: one line for each of them.

Their tokens come from files, which encoding_files finds; how they divide a text into pieces is
what fast_tokens and borders have to know.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Encoding(NamedTuple):
    """One encoding.

    Attributes:
        files: where tiktoken gets it from, below its address; how its cache names them.
        scheme: what gigatoken calls its way to divide a text into pieces; ``""``: it has none.
        joins_slashes: whether symbols go on as one piece behind line ends, with slashes.
        is_shipped: whether llama-index-core brings its files along.
    """

    files: tuple[str, ...]
    scheme: str = ""
    joins_slashes: bool = False
    is_shipped: bool = False


_O200K = Encoding(
    ("encodings/o200k_base.tiktoken",), scheme="o200k", joins_slashes=True, is_shipped=True
)

ENCODINGS: Mapping[str, Encoding] = {
    "cl100k_base": Encoding(("encodings/cl100k_base.tiktoken",), scheme="gpt4", is_shipped=True),
    "o200k_base": _O200K,
    "o200k_harmony": _O200K,  # with special tokens of its own, which are text to us
    "p50k_base": Encoding(("encodings/p50k_base.tiktoken",)),
    "p50k_edit": Encoding(("encodings/p50k_base.tiktoken",)),
    "r50k_base": Encoding(("encodings/r50k_base.tiktoken",)),
    "gpt2": Encoding(("gpt-2/encodings/main/vocab.bpe", "gpt-2/encodings/main/encoder.json")),
}


def scheme_of(name: str) -> str:
    """What gigatoken calls the scheme of an encoding; ``""`` where neither knows the other."""
    known = ENCODINGS.get(name)
    return known.scheme if known else ""
