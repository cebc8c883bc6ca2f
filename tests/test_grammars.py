"""Where grammars come from, what is told when there is none, and how long they may work."""

from __future__ import annotations

import importlib
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import suppress
from types import ModuleType
from typing import Any

import pytest

from structchunk_core import Chunker, MissingDependencyError, grammars
from structchunk_core.formats import code as code_format
from structchunk_core.grammars import Clock, ParseTimeoutError, find_grammar
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


# Sources


class Asked(Exception):  # noqa: N818  # the fake pack was asked for what it would have to download
    pass


def module(name: str, **members: Any) -> ModuleType:
    made = ModuleType(name)
    for member, value in members.items():
        setattr(made, member, value)
    return made


@pytest.fixture
def modules(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, ModuleType | None]]:
    """What can be imported instead of the real packages; None cannot."""
    fake: dict[str, ModuleType | None] = {}
    real = importlib.import_module

    def import_module(name: str) -> ModuleType:
        if name not in fake:
            return real(name)
        found = fake[name]
        if found is None:
            raise ModuleNotFoundError(name)
        return found

    monkeypatch.setattr("importlib.import_module", import_module)
    grammars._installed_grammar.cache_clear()
    yield fake
    grammars._installed_grammar.cache_clear()


PYTHON = find_grammar("python")
RUST = find_grammar("rust")


def test_the_users_own_grammar_comes_first_then_a_wheel_then_the_pack(
    modules: dict[str, ModuleType | None],
) -> None:
    modules["tree_sitter_mine"] = module("wheel", language=lambda: RUST)
    modules["tree_sitter_language_pack"] = module("pack", get_language=lambda _: PYTHON)
    assert find_grammar("mine", {"mine": PYTHON}) == PYTHON
    assert find_grammar("mine", {"other": PYTHON}) == RUST
    grammars._installed_grammar.cache_clear()
    del modules["tree_sitter_mine"]
    assert find_grammar("mine") == PYTHON


@pytest.mark.parametrize(
    ("language", "wheel", "function"),
    [
        ("php", "tree_sitter_php", "language_php"),
        ("csharp", "tree_sitter_c_sharp", "language"),
        ("tsx", "tree_sitter_typescript", "language_tsx"),
    ],
)
def test_wheels_of_several_grammars_give_the_right_one(
    modules: dict[str, ModuleType | None], language: str, wheel: str, function: str
) -> None:
    others = {"language": lambda: RUST, "language_other": lambda: RUST}
    modules[wheel] = module(wheel, **{**others, function: lambda: PYTHON})
    modules["tree_sitter_language_pack"] = None
    assert find_grammar(language) == PYTHON


def test_a_wheel_made_for_another_tree_sitter_is_passed_over(
    modules: dict[str, ModuleType | None],
) -> None:
    modules["tree_sitter_mine"] = module("wheel", language=lambda: "no pointer")
    modules["tree_sitter_language_pack"] = module("pack", get_language=lambda _: RUST)
    assert find_grammar("mine") == RUST


def downloading_pack(*downloaded: str) -> ModuleType:
    def get_language(name: str) -> object:
        if name not in downloaded:
            raise Asked(name)
        return PYTHON

    return module(
        "pack",
        downloaded_languages=lambda: list(downloaded),
        has_language=lambda name: name != "klingon",
        get_language=get_language,
        Error=KeyError,
    )


def test_a_pack_that_downloads_gives_what_it_has_downloaded(
    modules: dict[str, ModuleType | None],
) -> None:
    modules["tree_sitter_language_pack"] = downloading_pack("lua")
    assert find_grammar("lua") == PYTHON


def test_a_pack_that_downloads_is_not_asked_for_what_it_has_not(
    modules: dict[str, ModuleType | None],
) -> None:
    modules["tree_sitter_language_pack"] = downloading_pack()
    with pytest.raises(MissingDependencyError) as told:
        find_grammar("lua")
    message = str(told.value)
    assert "no tree-sitter grammar for 'lua'" in message
    assert "pack.download(['lua'])" in message
    assert "pip install tree-sitter-lua" in message
    with pytest.raises(MissingDependencyError) as told:
        find_grammar("klingon")
    assert "download([" not in str(told.value)


def test_without_a_pack_the_message_names_it(modules: dict[str, ModuleType | None]) -> None:
    modules["tree_sitter_language_pack"] = None
    with pytest.raises(MissingDependencyError, match=r"tree-sitter-language-pack>=0\.13,<1"):
        find_grammar("lua")


@pytest.mark.parametrize("name", ["a.b", "language_pack", "", "../x", "c++"])
def test_any_name_may_be_asked_for(name: str) -> None:
    before = set(sys.modules)
    with pytest.raises(MissingDependencyError):
        find_grammar(name)
    assert not {found for found in set(sys.modules) - before if found.startswith("tree_sitter")}
