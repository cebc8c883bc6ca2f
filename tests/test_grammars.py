"""Where grammars come from, what is told when there is none, and how long they may work."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from contextlib import suppress

import pytest

from structchunk_core import Chunker, MissingDependencyError, grammars
from structchunk_core.formats import code as code_format
from structchunk_core.grammars import Clock, ParseTimeoutError
from tests.promises import check_promises

LUA = "".join(f"function f{n}(a)\n  return a + {n}\nend\n\n" for n in range(20))
GUIDE = f"# Guide\n\nWords.\n\n## Code\n\n```lua\n{LUA}```\n\n## End\n\nMore words.\n"


@pytest.fixture
def _no_lua(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def without(language: str) -> object:
        return None if language == "lua" else pack(language)

    pack = grammars._from_pack
    monkeypatch.setattr(grammars, "_from_pack", without)
    monkeypatch.setattr(grammars, "_from_wheel", lambda _: None)
    grammars._installed_grammar.cache_clear()
    code_format._warn_once.cache_clear()
    yield
    grammars._installed_grammar.cache_clear()


def problems_by_section(chunker: Chunker, text: str, path: str) -> dict[str, set[str]]:
    chunks = chunker.chunk(text, path=path)
    check_promises(text, chunks, chunker)
    found: dict[str, set[str]] = {}
    for chunk in chunks:
        codes = {problem.code for problem in chunk.problems}
        found[chunk.path[-1]] = found.get(chunk.path[-1], set()) | codes
    return found


@pytest.mark.usefixtures("_no_lua")
def test_a_fence_without_a_grammar_notes_it_on_its_chunks_and_warns_once() -> None:
    chunker = Chunker(chunk_size=64)
    with pytest.warns(UserWarning, match="no tree-sitter grammar for 'lua'"):
        found = problems_by_section(chunker, GUIDE, "guide.md")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        chunker.chunk(GUIDE, path="again.md")
        chunker.chunk(LUA, path="a.lua")
    assert found["Code"] == {"missing-grammar"}
    assert found["End"] == set()


@pytest.mark.usefixtures("_no_lua")
@pytest.mark.parametrize(("text", "path"), [(GUIDE, "guide.md"), (LUA, "a.lua")])
def test_a_missing_grammar_may_be_an_error(text: str, path: str) -> None:
    chunker = Chunker(chunk_size=64, on_missing_grammar="error")
    with pytest.raises(MissingDependencyError, match="pip install tree-sitter-lua"):
        chunker.chunk(text, path=path)


@pytest.mark.usefixtures("_no_lua")
def test_a_fence_that_fits_is_not_opened_and_needs_no_grammar() -> None:
    text = "# Guide\n\n```lua\nf()\n```\n"
    (chunk,) = Chunker(on_missing_grammar="error").chunk(text, path="guide.md")
    assert not chunk.problems


def test_a_fence_whose_parse_is_stopped_notes_it_on_its_chunks() -> None:
    chunker = Chunker(chunk_size=64, parse_seconds=0.000_001)
    found = problems_by_section(chunker, GUIDE, "guide.md")
    assert found["Code"] == {"parse-timeout"}
    assert found["End"] == set()


def test_all_parts_of_a_document_share_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "thread_time", lambda: now[0])
    clock = Clock()
    with clock.running(10) as left:
        assert left == 10
        now[0] += 4
    with clock.running(10) as left:
        assert left == 6
    with suppress(KeyError), clock.running(10):
        now[0] += 1
        raise KeyError
    clock.spend(4.5)
    with clock.running(10) as left:
        assert left == 0.5
        now[0] += 1
    with pytest.raises(ParseTimeoutError), clock.running(10):
        pytest.fail("nothing is left")
