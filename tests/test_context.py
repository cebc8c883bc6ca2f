"""Contexts: what stands in front of a chunk of code."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structchunk_core import Chunker
from structchunk_core.context import context_candidates, fullest_in_code, written
from structchunk_core.describing import Description
from structchunk_core.source import Source
from structchunk_core.unit import Unit

NAMES = st.text(st.sampled_from("aB_1. \t\n\u00a0\u2028~é"), max_size=6)


def _described(path: tuple[str, ...], enclosing: str) -> Description:
    return Description(
        "function", ("code",), "python", path, (), None, enclosing, "", "function_definition", None
    )


@given(
    path=NAMES, scopes=st.lists(st.lists(NAMES, max_size=3).map(tuple), max_size=4), signature=NAMES
)
def test_the_quick_way_to_the_fullest_context_leads_there(
    path: str, scopes: list[tuple[str, ...]], signature: str
) -> None:
    for language in ("python", "css"):  # of which one closes its comments
        source = Source("", path, "code", language)
        known: dict[object, tuple[str, str] | None] = {}
        for names in (*scopes, *scopes):
            for enclosing in ("", signature):
                description = _described(names, enclosing)
                fullest = next(context_candidates(description, source, "", 0), [])
                found = fullest_in_code(description, source, known)
                assert found in {"", written(fullest, source)}


def test_the_quick_way_is_taken_by_plain_names() -> None:
    source = Source("", "shop/prices.py", "code", "python")
    found = fullest_in_code(_described(("Prices", "discount"), "class Prices:"), source, {})
    assert found == "# shop/prices.py > Prices > discount\n# class Prices:"


@pytest.mark.parametrize("format", ["code", "markdown"])
def test_what_is_nested_deeply_has_contexts_of_as_many_names_as_there_may_be_room_for(
    format: str,
) -> None:
    source = Source("", "shop/prices.py", format, "python")

    def made(depth: int, room: int | None) -> list[str]:
        description = _described(tuple(f"a{number:04}" for number in range(depth)), "")
        return [
            written(lines, source) for lines in context_candidates(description, source, "", 0, room)
        ]

    few = made(20, 5)
    assert few == made(20, None)  # each number of names
    assert few[0].count(" > ") == 20
    deep, deeper = made(500, 50), made(1000, 50)
    assert sum(map(len, deep)) == sum(map(len, deeper))
    assert deep[0].count(" > ") == 49
    assert deep[0].endswith("a0498 > a0499")
    assert [line.count(" > ") for line in deep[-32:]] == [*reversed(range(32))]


@pytest.mark.parametrize(
    ("path", "begin", "end"),
    [
        ("a.js", "function a{0}() {{ let x{0} = {0};\n", "}"),
        ("a.html", "<section id=a.b{0}><div class=attr>f(x)</div><p>t</p>", "</section>"),
    ],
)
def test_contexts_of_what_is_nested_deeply_take_time_by_the_size_of_the_budget(
    path: str, begin: str, end: str
) -> None:
    counted = 0

    def count(text: str) -> int:
        nonlocal counted
        counted += len(text)
        return len(text.split())

    def read(depth: int) -> int:
        nonlocal counted
        counted = 0
        text = "".join(begin.format(100 + number) for number in range(depth)) + end * depth
        Chunker(chunk_size=100, length_function=count).chunk(text, path=path)
        return counted

    assert read(240) < 3 * read(120)


def test_what_is_nested_deeply_is_not_compared_with_what_is_around_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """To compare units takes as long as all of their fields do, for each level of each scope."""
    compared: list[object] = []

    def noting(_: Unit, other: object) -> bool:
        compared.append(other)
        return False

    monkeypatch.setattr(Unit, "__eq__", noting)
    levels = 60
    text = "".join(f"function f{n}() {{\n  b();\n" for n in range(levels)) + "}\n" * levels
    chunks = Chunker(chunk_size=60, context="none").chunk(text, path="a.js")
    assert max(len(chunk.path) for chunk in chunks) > levels // 2
    assert not compared


def test_the_chain_of_a_scope_begins_with_those_around_it() -> None:
    text = "".join(f"{' ' * n}class C{n}:\n" for n in range(30)) + " " * 30 + "x = 1\n"
    chunks = Chunker(chunk_size=16, context="none").chunk(text, path="a.py")
    names = tuple(f"C{n}" for n in range(30))
    assert {chunk.path for chunk in chunks} <= {names[:count] for count in range(31)}
    assert chunks[-1].path == names
