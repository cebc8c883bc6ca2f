"""Characters and bytes of a text, translated into each other."""

from __future__ import annotations

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structchunk_core.offsets import ByteOffsets
from structchunk_core.source import LineNumbers

_BLOCK = 1024


def _check(text: str) -> None:
    offsets = ByteOffsets(text)
    byte = 0
    for character, letter in enumerate(text):
        assert offsets.to_byte(character) == byte
        for inside in range(len(letter.encode("utf-8", "surrogatepass"))):
            assert offsets.to_character(byte + inside) == character
        byte += len(letter.encode("utf-8", "surrogatepass"))
    assert offsets.to_byte(len(text)) == byte
    assert offsets.to_character(byte) == len(text)


@pytest.mark.parametrize("wide", [1, 5, 511, 512])
@pytest.mark.parametrize("before", [0, _BLOCK, 3 * _BLOCK])
def test_a_short_last_block_may_have_as_many_bytes_as_a_full_one(before: int, wide: int) -> None:
    _check("é" * wide + "x" * (before + _BLOCK - 2 * wide))
    _check("x" * (before + _BLOCK - 2 * wide) + "é" * wide)


@pytest.mark.parametrize("gap", [0, 1, 14, 15, 16, 17, 40])
@pytest.mark.parametrize("letters", ["é", "€𝄞é", "\ud800é"])
def test_runs_of_any_density_are_read_alike(letters: str, gap: int) -> None:
    _check((letters + "x" * gap) * 150 + "end")


def test_many_runs_are_kept_small() -> None:
    text = ("é" + "x" * 16) * 110_000
    offsets = ByteOffsets(text)
    assert isinstance(offsets._characters, array)
    for character in (0, 1, 16, 17, 1_000_000, len(text) - 1):
        byte = len(text[:character].encode())
        assert (offsets.to_byte(character), offsets.to_character(byte)) == (byte, character)


@given(st.text(alphabet="aé€𝄞\n", max_size=40), st.integers(0, 2100))
def test_every_character_has_its_byte(text: str, position: int) -> None:
    _check("a" * position + text + "b" * (2100 - position))


@given(st.text(alphabet="a\n", min_size=1, max_size=12), st.data())
def test_lines_are_counted_from_anywhere(text: str, data: st.DataObject) -> None:
    lines = LineNumbers(text)
    for _ in range(3):
        start = data.draw(st.integers(0, len(text) - 1))
        end = data.draw(st.integers(start + 1, len(text)))
        expected = text.count("\n", 0, start) + 1, text.count("\n", 0, end - 1) + 1
        assert lines.lines_of(start, end) == expected
        assert lines.line_at(start) == expected[0]
