"""Tokens that gigatoken reads are those of tiktoken, or tiktoken reads them itself."""

from __future__ import annotations

import math
import pickle
import sys
import sysconfig
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from structchunk_core import Chunker, fast_tokens
from structchunk_core.encoding_files import load_encoding, rank_file_or_none
from structchunk_core.fast_tokens import LASTS, PAYS_FROM, FastTokens
from structchunk_core.sizing import TiktokenMeasure, measure_of
from structchunk_core.source import parsable
from structchunk_core.token_ends import NumpyTokenEnds, TokenEnds
from tests.corpus import FILES
from tests.generators import HARD_CHARACTERS, arbitrary_text

pytest.importorskip("gigatoken")

_ENCODINGS = ["cl100k_base", "o200k_base"]
_NEWER = "\U00032626\U0001e6c0\u088f\u0c5c\u1acf"  # letters and a mark of Unicode 17, not 16
_PIECES = (
    *("'ll", "'RE", "'s", "'\u017f", ".foo", "123456", "A", "b", " ", "  ", "/", "'"),
    *("\n", "\r\n", "\t", "<|endoftext|>", "<|im_start|>", "漢字", "ǅ", "ʰ", "Ⅷ", "٣", "é"),
    *("👩\u200d🚀", *_NEWER, *HARD_CHARACTERS),
)
_STDLIB = Path(sysconfig.get_path("stdlib"))


def _fast(name: str) -> FastTokens:
    """One that reads with gigatoken from the first character on."""
    fast = FastTokens(load_encoding(name), name)
    fast._seen = PAYS_FROM
    return fast


_FAST = {name: _fast(name) for name in _ENCODINGS}


def _read(name: str, text: str) -> list[int]:
    """The tokens that gigatoken reads, or tiktoken where it has to."""
    tokens = _FAST[name].read_or_none(text)
    encoding = load_encoding(name)
    return encoding.encode_ordinary(text) if tokens is None else list(map(int, tokens))


@pytest.mark.parametrize("name", _ENCODINGS)
@given(text=st.one_of(arbitrary_text(), st.lists(st.sampled_from(_PIECES)).map("".join), st.text()))
def test_the_tokens_are_those_of_tiktoken(name: str, text: str) -> None:
    clean = parsable(text)
    assert _read(name, clean) == load_encoding(name).encode_ordinary(clean)


@pytest.mark.parametrize("name", _ENCODINGS)
@pytest.mark.parametrize(
    "run", ["a", "é", "漢", "7", " ", "\n", "\t", "\r\n", " \n", "-", "'s", "aB", "👩\u200d", "\0"]
)
def test_so_are_those_of_long_runs(name: str, run: str) -> None:
    text = f"x = {run * 5000} + y"
    assert _FAST[name].read_or_none(text) is not None
    assert _read(name, text) == load_encoding(name).encode_ordinary(text)


@pytest.mark.parametrize("name", _ENCODINGS)
def test_gigatoken_reads_all_but_characters_that_it_takes_for_others(name: str) -> None:
    source = (_STDLIB / "typing.py").read_text("utf-8")
    assert len(_FAST[name].read_or_none(source)) == len(load_encoding(name).encode_ordinary(source))
    assert (
        _FAST[name].read_or_none("Größe: 漢字かな交じり文 👩\u200d🚀 '\u017f <|endoftext|>")
        is not None
    )
    encoding = load_encoding(name)
    encode = _FAST[name]._encode
    assert encode is not None
    for character in _NEWER:
        text = f"{character}'ll {character}.foo 1{character}2345"
        if encode(text).tolist() != encoding.encode_ordinary(text):
            assert _FAST[name].read_or_none(f"Words, and {character}.") is None


def test_a_character_that_is_read_otherwise_is_left_to_tiktoken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def odd(text: str) -> Any:
        encode = _FAST["cl100k_base"]._encode
        assert encode is not None
        return encode(text.replace("ü", "!"))

    fast = _with(monkeypatch, odd)
    assert fast.read_or_none("plain") is not None
    assert fast.read_or_none("é and ö") is not None
    assert fast.read_or_none("é and ü") is None
    assert fast.read_or_none("ü") is None
    assert fast.read_or_none("é and ö") is not None


def test_many_new_characters_are_compared_little_by_little(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[int] = []

    def watched(text: str) -> Any:
        read.append(len(text))
        return np.array(load_encoding("cl100k_base").encode_ordinary(text))

    fast = _with(monkeypatch, watched)
    text = "".join(map(chr, range(0x4E00, 0x4E00 + 10_000)))
    assert [fast.read_or_none(text) is None for _ in range(4)] == [True, True, False, False]
    compared = len(text) * len(fast_tokens._PROBE) * 2
    assert sum(read) < compared
    read.clear()
    assert fast.read_or_none(text[:100]) is not None
    assert read == [100]


def _with(monkeypatch: pytest.MonkeyPatch, encode: Callable[[str], Any]) -> FastTokens:
    """One that reads with a function instead of gigatoken."""
    fast = FastTokens(load_encoding("cl100k_base"), "cl100k_base")
    monkeypatch.setattr(fast, "_encode", encode)
    return fast


class _Panic(BaseException):
    """As a panic of Rust is: no Exception."""


@pytest.mark.parametrize("error", [RuntimeError, _Panic])
def test_what_fails_is_left_to_tiktoken_for_good(
    monkeypatch: pytest.MonkeyPatch,
    error: type[BaseException],
    caplog: pytest.LogCaptureFixture,
) -> None:
    asked: list[str] = []

    def fail(text: str) -> Any:
        asked.append(text)
        raise error("at the worst time")

    fast = _with(monkeypatch, fail)
    ends = NumpyTokenEnds(load_encoding("cl100k_base"), np, fast)
    wanted = len(load_encoding("cl100k_base").encode_ordinary("two words"))
    assert ends.count("two words") == wanted
    assert ends.scale("two words").high(9) == wanted
    assert asked == ["two words"]
    [told] = _warnings(caplog)
    start, reason = told.split(": ")
    assert start == "tiktoken reads cl100k_base in the place of gigatoken"
    assert reason == f"it failed with {error.__name__}('at the worst time')"


def _warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What was said; all of it at level WARNING, by our logger."""
    assert {(one.name, one.levelname) for one in caplog.records} <= {
        ("structchunk_core", "WARNING")
    }
    return [one.getMessage() for one in caplog.records]


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_what_is_not_about_gigatoken_is_passed_on_and_nothing_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: type[BaseException],
) -> None:
    encode = _FAST["cl100k_base"]._encode
    assert encode is not None
    errors = [error()]

    def interrupted(text: str) -> Any:
        if errors:
            raise errors.pop()
        return encode(text)

    fast = _with(monkeypatch, interrupted)
    with pytest.raises(error):
        fast.read_or_none("words")
    assert fast.read_or_none("words") is not None
    monkeypatch.setattr(fast_tokens, "_alike", lambda *_: interrupted("words"))
    errors.append(error())
    with pytest.raises(error):
        fast_tokens.loaded_or_reason(load_encoding("cl100k_base"), "cl100k_base")
    assert _warnings(caplog) == []


def test_it_is_loaded_when_it_pays_and_again_before_it_has_grown_large(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[int] = []
    load = fast_tokens.loaded_or_reason

    def counted(encoding: Any, name: str) -> Any:
        made.append(fast._seen)
        return load(encoding, name)

    monkeypatch.setattr(fast_tokens, "loaded_or_reason", counted)
    fast = FastTokens(load_encoding("cl100k_base"), "cl100k_base")
    part = "word " * (PAYS_FROM // 10)
    assert fast.read_or_none(part) is None
    assert fast.read_or_none(part) is None
    assert made == []
    assert fast.read_or_none("word") is not None
    for _ in range(2 * LASTS // len(part)):
        assert fast.read_or_none(part) is not None
    assert made == [PAYS_FROM + 4, made[1]]
    assert LASTS < made[1] - made[0] <= LASTS + len(part)


def _missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gigatoken", None)


def _without_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast_tokens, "rank_file_or_none", lambda _: None)


def _of_another(monkeypatch: pytest.MonkeyPatch) -> None:
    other = rank_file_or_none("o200k_base")
    monkeypatch.setattr(fast_tokens, "rank_file_or_none", lambda _: other)


def _of_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast_tokens, "rank_file_or_none", lambda _: Path(__file__))


def _of_another_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast_tokens, "scheme_of", lambda _: "r50k")


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (_missing, ""),
        (_without_file, "the file of the encoding is not where tiktoken keeps it"),
        (_of_another, "it reads a sample otherwise"),
        (_of_nothing, "it failed with "),
        (_of_another_kind, "it reads a sample otherwise"),
    ],
)
def test_without_a_gigatoken_that_agrees_tiktoken_reads_and_says_why_once(
    spoil: Callable[[pytest.MonkeyPatch], None],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """But nothing of it to who has not installed it."""
    assert _fast("cl100k_base").read_or_none("words") is not None
    assert fast_tokens.reader_of("cl100k_base").startswith("gigatoken, from 1,000,000 characters")
    spoil(monkeypatch)
    fast = _fast("cl100k_base")
    assert fast.read_or_none("words") is None
    assert fast.read_or_none("words") is None
    assert fast._lasts_until == math.inf  # it is not tried again
    told = _warnings(caplog)
    assert len(told) == bool(said)
    reason = "gigatoken is not installed (extra fast)"
    if said:
        start, reason = told[0].split(": ", 1)
        assert start == "tiktoken reads cl100k_base in the place of gigatoken"
        assert reason.startswith(said)
    assert fast_tokens.reader_of("cl100k_base") == f"tiktoken: {reason}"


def test_a_gigatoken_that_cannot_be_imported_is_told_from_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "gigatoken").mkdir()
    (tmp_path / "gigatoken" / "__init__.py").write_text("import nothing_of_this_name")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "gigatoken")
    assert fast_tokens.reader_of("cl100k_base") == (
        "tiktoken: it cannot be imported (No module named 'nothing_of_this_name')"
    )
    assert fast_tokens.reader_of("r50k_base") in {
        "nothing: its files are not on this machine",
        "tiktoken: gigatoken knows no such encoding",
    }


def test_the_length_of_a_token_is_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    encoding = load_encoding("cl100k_base")
    for ends in (TokenEnds(encoding), NumpyTokenEnds(encoding, np)):
        asked: list[int] = []

        def value(token: int, asked: list[int] = asked) -> object:
            asked.append(token)
            return encoding.decode_single_token_bytes(token)

        monkeypatch.setattr(ends, "_value", value)
        for text in ("one two three", "one two four", "four three five", "one two"):
            assert list(ends.of(text))[-1] == len(text)
        assert len(asked) == len(set(asked))
        assert {encoding.decode([token]) for token in asked} == {
            *("one", " two", " three", " four", "four", " five")
        }


def test_an_encoding_that_is_given_reads_itself_wherever_it_is_sent() -> None:
    given_one = measure_of(load_encoding("cl100k_base"))
    copied = pickle.loads(pickle.dumps(given_one))  # noqa: S301  # our own bytes
    named = pickle.loads(pickle.dumps(measure_of("cl100k_base")))  # noqa: S301  # (the same)
    found = []
    for measure in (given_one, copied, named):
        assert isinstance(measure, TiktokenMeasure)
        assert measure.name == "cl100k_base"
        found.append(measure._loaded()._fast is not None)
    assert found == [False, False, True]


@pytest.mark.parametrize("name", _ENCODINGS)
def test_chunks_are_the_same_with_and_without(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {path.name: path.read_text("utf-8") for path in (_STDLIB / "json").glob("*.py")}
    assert len(files) > 4
    for path, text in {**FILES, **files, "hard.txt": "".join(_PIECES) * 40}.items():
        plain = Chunker(tokenizer=load_encoding(name), chunk_size=100)
        fast = Chunker(tokenizer=name, chunk_size=100)
        measure = fast._measure
        assert isinstance(measure, TiktokenMeasure)
        monkeypatch.setattr(measure._loaded(), "_fast", _FAST[name])
        assert fast.chunk(text, path=path) == plain.chunk(text, path=path)


def test_several_threads_may_use_one() -> None:
    encoding = load_encoding("cl100k_base")
    texts = [f"{chr(0x4E00 + n)} {path} {text}" for n in range(40) for path, text in FILES.items()]
    wanted = [len(encoding.encode_ordinary(text)) for text in texts]
    fast = FastTokens(encoding, "cl100k_base")
    fast._seen = PAYS_FROM
    together = threading.Barrier(8, timeout=60)
    told: list[list[int]] = []

    def work() -> None:
        together.wait()
        ends = NumpyTokenEnds(encoding, np, fast)
        told.append([ends.count(text) for text in texts])

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert told == [wanted] * 8
    assert fast.read_or_none("words") is not None
