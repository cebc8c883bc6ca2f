"""A snippet in every language of the pack keeps the promises."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import get_args

import pytest
from tree_sitter_language_pack import SupportedLanguage

from structchunk_core import Chunker
from structchunk_core.detect import detect
from structchunk_core.profiles import profiled_languages
from structchunk_core.unit import Unit
from tests.promises import check_nothing_that_fits_is_cut, check_promises

_MARK = re.compile(r"^--8<-- (\w+)\n", re.MULTILINE)
_SIZES = (24, 60, 1500)


@cache
def _snippets() -> dict[str, str]:
    """Language -> a few lines in it."""
    written = Path(__file__).with_name("snippets.txt").read_bytes().decode("utf-8")
    _, *parts = _MARK.split(written)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def test_there_is_a_snippet_in_every_language() -> None:
    assert set(_snippets()) == set(get_args(SupportedLanguage))
    assert set(profiled_languages()) <= set(_snippets())


@pytest.mark.parametrize("size", _SIZES)
@pytest.mark.parametrize("language", sorted(get_args(SupportedLanguage)))
def test_a_snippet_keeps_the_promises(language: str, size: int) -> None:
    text = _snippets()[language]
    chunker = Chunker(tokenizer="characters", chunk_size=size, on_missing_grammar="error")
    named = detect("", language=language)
    for written in (text, text.replace("\n", "\r\n"), text * 3, text[: len(text) * 2 // 3]):
        chunks = chunker.chunk(written, path="snippet", language=language)
        check_promises(written, chunks, chunker)
        parsed = chunker.parse(written, path="snippet", language=language)
        check_nothing_that_fits_is_cut(written, chunks, chunker, parsed)
        assert "".join(_leaves(parsed.root, written)) == written
        if named.format == "code":
            codes = {problem.code for problem in parsed.problems}
            assert codes <= {"syntax-error"}


def _leaves(root: Unit, text: str) -> list[str]:
    leaves = (unit for _, unit in root.walk() if not unit.open())
    return [text[unit.start : unit.end] for unit in leaves]
