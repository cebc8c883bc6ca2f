"""Characters and bytes of a text, translated into each other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structchunk_core.source import ByteOffsets, LineNumbers

_BLOCK = 1024


def _check(text: str) -> None:
    offsets = ByteOffsets(text)
    byte = 0
    for character, letter in enumerate(text):
        assert offsets.to_byte(character) == byte
        assert offsets.to_character(byte) == character
        byte += len(letter.encode())
    assert offsets.to_byte(len(text)) == byte
    assert offsets.to_character(byte) == len(text)


@pytest.mark.parametrize("wide", [1, 5, 511, 512])
@pytest.mark.parametrize("before", [0, _BLOCK, 3 * _BLOCK])
def test_a_short_last_block_may_have_as_many_bytes_as_a_full_one(before: int, wide: int) -> None:
    _check("é" * wide + "x" * (before + _BLOCK - 2 * wide))
    _check("x" * (before + _BLOCK - 2 * wide) + "é" * wide)


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
