"""The measures: exact counts, scales that stay close to them, encodings found offline."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from structchunk_core import Chunker, ConfigurationError, MissingDependencyError, encoding_files
from structchunk_core.encoding_files import load_encoding
from structchunk_core.encodings import ENCODINGS
from structchunk_core.offsets import ByteOffsets
from structchunk_core.scales import TableScale, TokenScale
from structchunk_core.sizing import Measure, measure_of
from structchunk_core.source import parsable
from structchunk_core.token_ends import NumpyTokenEnds, TokenEnds
from tests.generators import SplitTokenizer, arbitrary_text
from tests.promises import check_promises


def _hugging_face() -> Tokenizer:
    tokenizer = Tokenizer(WordLevel({"?": 0}, unk_token="?"))  # noqa: S106  # no password
    tokenizer.pre_tokenizer = Whitespace()
    return tokenizer


MEASURES = {
    "cl100k_base": measure_of(),
    "o200k_base": measure_of("o200k_base"),
    "characters": measure_of("characters"),
    "len": measure_of(length_function=len),
    "encoding": measure_of(load_encoding("cl100k_base")),
}


@pytest.mark.parametrize("name", MEASURES)
@given(lines=st.lists(arbitrary_text(60).map(lambda text: text.replace("\n", " ")), max_size=12))
def test_a_scale_is_close_to_the_count_between_lines(name: str, lines: list[str]) -> None:
    measure = MEASURES[name]
    text = "\n".join(lines)
    scale = measure.scale(text)
    starts = [0, *(at + 1 for at, character in enumerate(text) if character == "\n"), len(text)]
    for first, last in zip(starts, starts[2:], strict=False):
        if first < last:
            counted = measure.count(text[first:last])
            assert abs(scale.high(last) - scale.low(first) - counted) <= measure.slack(counted) + 6


@pytest.mark.parametrize("name", MEASURES)
@given(text=arbitrary_text(), start=st.integers(0, 400), amount=st.integers(0, 60))
def test_reach_stays_in_the_text_and_never_goes_back(
    name: str, text: str, start: int, amount: int
) -> None:
    start = min(start, len(text))
    reached = MEASURES[name].scale(text).reach(start, amount)
    assert start <= reached <= len(text)


def test_special_tokens_count_as_the_text_they_are() -> None:
    text = "<|endoftext|> and <|im_start|>\n" * 30
    chunker = Chunker(chunk_size=40)
    chunks = chunker.chunk(text, path="a.txt")
    check_promises(text, chunks, chunker)
    assert len(chunks) > 3


@pytest.mark.parametrize(
    "tokenizer",
    [_hugging_face(), SplitTokenizer(), load_encoding("cl100k_base")],
    ids=["tokenizers", "encode", "tiktoken"],
)
def test_tokenizer_objects_are_asked(tokenizer: Any) -> None:
    text = "def f(a):\n    return a + 1\n\n\n" * 40
    chunker = Chunker(tokenizer=tokenizer, chunk_size=60)
    chunks = chunker.chunk(text, path="a.py")
    check_promises(text, chunks, chunker)
    encoded = tokenizer.encode("some words of text")
    assert chunker.count("some words of text") == len(getattr(encoded, "ids", encoded))


@pytest.mark.parametrize(
    "function",
    [lambda _: 0, lambda _: 5, lambda text: len(text) ** 2],
    ids=["zero", "constant", "square"],
)
def test_strange_length_functions_do_no_harm(function: Any) -> None:
    text = "# Title\n\nWords of a paragraph.\n\n- a\n- b\n" * 8
    chunker = Chunker(length_function=function, chunk_size=900)
    check_promises(text, chunker.chunk(text, path="a.md"), chunker)


@pytest.mark.parametrize("returned", [-1, None, 1.5, "3", float("nan"), True])
def test_a_function_must_return_a_length(returned: Any) -> None:
    chunker = Chunker(length_function=lambda _: returned, chunk_size=5)
    with pytest.raises(ConfigurationError, match="length_function must return a whole number"):
        chunker.chunk("words", path="a.txt")


def test_only_a_character_that_alone_is_too_large_is_passed_on() -> None:
    chunker = Chunker(length_function=lambda text: 10 * len(text), chunk_size=5)
    chunks = chunker.chunk("ab c", path="a.txt")
    assert [chunk.text for chunk in chunks] == ["a", "b", "c"]
    assert all(chunk.problems[0].code == "over-budget" for chunk in chunks)
    check_promises("ab c", chunks, chunker)


@pytest.mark.parametrize("name", sorted(ENCODINGS))
def test_an_encoding_that_is_not_here_names_what_brings_it(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoding_files, "_encoding_folders", list)
    load_encoding.cache_clear()
    with pytest.raises(MissingDependencyError) as caught:
        Chunker(tokenizer=name).chunk("text", path="a.txt")
    load_encoding.cache_clear()
    message = str(caught.value)
    first, second, third = re.split(r"; \(\d\) ", message.partition("(1) ")[2])
    cache = "TIKTOKEN_CACHE_DIR"
    extra = "pip install 'structchunk-parsers[llamaindex]'"
    assert f"tiktoken.get_encoding('{name}')" in message
    assert "tokenizer='characters'" in third
    if ENCODINGS[name].is_shipped:
        assert first.startswith(extra)
        assert cache in second
    else:  # the extra does not bring it: only another encoding
        assert cache in first
        assert extra in second
        assert second.startswith("use an encoding that llama-index-core ships: cl100k_base")


def test_what_llama_index_core_ships_is_what_the_table_says(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for variable in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    here = {name for name in ENCODINGS if encoding_files._folder_or_none(name) is not None}
    assert here == {name for name, known in ENCODINGS.items() if known.is_shipped}


def test_the_table_has_each_encoding_that_tiktoken_publishes() -> None:
    published = importlib.import_module("tiktoken_ext.openai_public").ENCODING_CONSTRUCTORS
    assert set(published) <= set(ENCODINGS)


def test_the_environment_is_left_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    monkeypatch.delenv("TIKTOKEN_CACHE_DIR", raising=False)
    load_encoding.cache_clear()
    load_encoding("cl100k_base")
    assert "TIKTOKEN_CACHE_DIR" not in os.environ


def test_importing_the_core_loads_nothing_heavy() -> None:
    program = (
        "import sys, structchunk_core; structchunk_core.Chunker()\n"
        "heavy = {'tiktoken', 'tree_sitter', 'tree_sitter_language_pack', 'pyromark',"
        " 'llama_index', 'langchain_core', 'numpy'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    printed = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    assert printed.strip() == "[]"


def test_importing_the_core_loads_little() -> None:
    """What costs more to import than all of the core waits until it is needed."""
    program = (
        "import sys, re, dataclasses; before = set(sys.modules)\n"
        "import structchunk_core; structchunk_core.Chunker()\n"
        "loaded = {name.partition('.')[0] for name in set(sys.modules) - before}\n"
        "print(*sorted(loaded - {'structchunk_core'}))"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.split()
    slow = {"csv", "email", "importlib", "json", "random", "shutil", "socket", "sqlite3"}
    slow |= {"subprocess", "tempfile", "tomllib", "unicodedata", "uuid", "zipfile"}
    assert not slow & set(loaded)
    assert len(loaded) <= 32


def test_lengths_of_tokens_are_looked_up_when_they_are_met() -> None:
    encoding = load_encoding("cl100k_base")
    asked: list[int] = []

    class Watched:
        max_token_value = encoding.max_token_value

        def encode_to_numpy(self, text: str, **settings: Any) -> Any:
            return encoding.encode_to_numpy(text, **settings)

        def decode_single_token_bytes(self, token: int) -> bytes:
            asked.append(token)
            return bytes(encoding.decode_single_token_bytes(token))

    ends = NumpyTokenEnds(Watched(), np)
    text = "def total(basket):\n    return sum(item.price for item in basket)\n"
    tokens = encoding.encode_ordinary(text)
    for _ in range(2):
        scale = ends.scale(text)
        assert scale.high(len(text)) == len(tokens)
    assert sorted(asked) == sorted(set(tokens))
    other = text.upper()
    assert ends.scale(other).high(len(other)) == len(encoding.encode_ordinary(other))


def test_measures_have_names_that_tell_them_apart() -> None:
    measures: list[Measure] = [
        measure_of(),
        measure_of("o200k_base"),
        measure_of("characters"),
        measure_of(SplitTokenizer()),
        measure_of(length_function=hash),
    ]
    assert len({measure.name for measure in measures}) == len(measures)


def test_surrogates_count_alike_alone_and_in_a_document() -> None:
    text = "0\ud800\udfff\ud800\udfff"
    chunker = Chunker(chunk_size=8)
    assert chunker.count("\ud800\udfff") == chunker.count("\ufffd\ufffd")
    chunks = chunker.chunk(text)
    assert "".join(chunk.text for chunk in chunks) == text
    assert all(chunker.count(chunk.embed_text) <= 8 for chunk in chunks)


@given(st.text(st.sampled_from("a b\ndef(é漢👩\u200d\ud800\0<|e\u03011\r")))
def test_totals_by_character_agree_with_the_ends_of_tokens(text: str) -> None:
    encoding = load_encoding("cl100k_base")
    ends = TokenEnds(encoding).of(parsable(text))
    plain = TokenScale(ends, None if text.isascii() else ByteOffsets(text))
    scale = measure_of().scale(text)
    assert isinstance(scale, TableScale), "numpy is among the development extras"
    for position in range(len(text) + 1):
        assert scale.low(position) == plain.low(position)
        assert scale.high(position) == plain.high(position)
        for amount in (0, 1, 3, 20):
            assert scale.reach(position, amount) == plain.reach(position, amount)


class _Tokens:
    """An encoding whose tokens of the one text that it reads are so long."""

    def __init__(self, lengths: list[int]) -> None:
        self._lengths = lengths
        self.max_token_value = len(lengths)

    def encode_ordinary(self, _text: str) -> list[int]:
        return list(range(len(self._lengths)))

    def encode_to_numpy(self, _text: str, **_settings: Any) -> Any:
        return np.arange(len(self._lengths))

    def decode_single_token_bytes(self, token: int) -> bytes:
        return b"x" * self._lengths[token]


@given(st.text("aé漢👩", min_size=1, max_size=12), st.lists(st.integers(1, 5)))
@example("éé", [1, 2, 1])
def test_totals_by_character_agree_wherever_tokens_end(text: str, lengths: list[int]) -> None:
    total = len(text.encode())
    ends = sorted({end for end in accumulate(lengths) if end < total} | {total})
    encoding = _Tokens([end - start for start, end in pairwise([0, *ends])])
    plain = TokenEnds(encoding).scale(text)
    scale = NumpyTokenEnds(encoding, np).scale(text)
    for position in range(len(text) + 1):
        assert scale.low(position) == plain.low(position)
        assert scale.high(position) == plain.high(position)
        for amount in range(len(ends) + 2):
            assert scale.reach(position, amount) == plain.reach(position, amount)


def test_a_tokenizer_that_is_set_to_truncate_and_pad_measures_whole_texts() -> None:
    plain, set_up = _hugging_face(), _hugging_face()
    set_up.enable_truncation(16)
    set_up.enable_padding(length=16, pad_token="?")  # noqa: S106  # no password
    text = "One two three four five six. " * 40
    chunker = Chunker(tokenizer=set_up, chunk_size=20)
    assert chunker.count(text) == Chunker(tokenizer=plain).count(text) > 200
    assert chunker.count("one") == 1
    chunks = chunker.chunk(text)
    check_promises(text, chunks, chunker)
    assert chunks == Chunker(tokenizer=plain, chunk_size=20).chunk(text)
    assert len(set_up.encode(text).ids) == 16  # it is left as it was
