"""Facts of a chunk that are looked up when somebody asks for them."""

from __future__ import annotations

import ast
import copy
import gc
import pickle
import re
import sysconfig
import weakref
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structchunk_core import Chunk, Chunker, Entry
from structchunk_core.formats import _code_lookup
from structchunk_core.formats._code_names import words_in
from structchunk_core.formats._code_units import UnitReader
from tests.counting import Counter

STDLIB = Path(sysconfig.get_path("stdlib"))
TEXT = (
    "import os\nimport sys\n\n\ndef f():\n    return os.listdir(g())\n\n\ndef g():\n    return 1\n"
)


def chunked(text: str = TEXT) -> list[Chunk]:
    return Chunker(target_size=20).chunk(text, path="a.py")


def facts_of(chunks: list[Chunk]) -> list[dict[str, str | int | bool]]:
    return [chunk.metadata(positions=True) for chunk in chunks]


def test_facts_asked_for_at_once_cost_no_parse(parsed: Counter) -> None:
    chunks = chunked()
    assert facts_of(chunks)[1]["calls"] == "listdir, g"
    assert facts_of(chunks)[1]["imports"] == "import os"
    assert len(parsed.lengths) == 1


def test_trees_of_older_documents_are_let_go(
    parsed: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_code_lookup, "_MANY_KEPT", 3)
    documents = [TEXT.replace("f()", f"f{number}()") for number in range(6)]
    expected = [facts_of(chunked(text)) for text in documents]
    parsed.lengths.clear()
    kept = [chunked(text) for text in documents]
    assert len(parsed.lengths) == 6
    assert [facts_of(chunks) for chunks in reversed(kept)] == expected[::-1]
    assert len(parsed.lengths) == 6 + 3


def test_a_large_document_does_not_keep_the_others(
    parsed: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_code_lookup, "_MOST_KEPT", 3 * len(TEXT))
    small = chunked()
    large = chunked(TEXT * 4)
    parsed.lengths.clear()
    assert facts_of(large)
    assert parsed.lengths == []
    assert facts_of(small)
    assert len(parsed.lengths) == 1


def test_a_tree_goes_with_the_last_chunk() -> None:
    gc.collect()
    gc.disable()  # it goes at once, and not when somebody collects
    try:
        chunks = chunked()
        alive = [reference() for reference in _code_lookup._newest]
        assert any(lookup is not None and lookup.size == len(TEXT) for lookup in alive)
        del alive, chunks
        assert all(
            (lookup := reference()) is None or lookup.size != len(TEXT)
            for reference in _code_lookup._newest
        )
    finally:
        gc.enable()


CONTAINER = "class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n"


def test_names_in_what_stays_whole_are_looked_for_when_they_are_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counter = Counter()
    counted = counter.counted(UnitReader.members, 1)
    monkeypatch.setattr(UnitReader, "members", counted)
    (chunk,) = Chunker().chunk(CONTAINER, path="a.py")
    assert len(counter.lengths) == 1  # the file, to be called by the one thing in it
    assert chunk.symbols == ("A", "A.f", "A.g")
    assert len(counter.lengths) == 3  # and the class
    assert chunk.symbols == ("A", "A.f", "A.g")
    assert len(counter.lengths) == 3


def test_names_nobody_has_asked_for_are_there_when_the_tree_is_gone(
    parsed: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_code_lookup, "_MANY_KEPT", 1)
    (chunk,) = Chunker().chunk(CONTAINER, path="a.py")
    tree = weakref.ref(chunk._facts.imports.__self__._kept[0])  # type: ignore[union-attr]
    assert tree() is not None
    (other,) = Chunker().chunk(CONTAINER.replace("A", "B"), path="b.py")
    assert tree() is None
    assert chunk.symbols == ("A", "A.f", "A.g")
    assert other.symbols == ("B", "B.f", "B.g")
    assert len(parsed.lengths) == 2


def test_chunks_with_the_same_names_are_equal_whether_or_not_they_were_asked_for() -> None:
    first, second = (Chunker().chunk(CONTAINER, path="a.py")[0] for _ in range(2))
    assert first.symbols
    assert first == second
    assert hash(first) == hash(second)
    assert replace(first, _symbols=first.symbols) == second
    assert replace(first, _symbols=("B",)) != second


def test_copies_carry_the_facts() -> None:
    chunks = chunked()
    pickled = pickle.loads(pickle.dumps(chunks))  # noqa: S301  # of our own
    for same in (pickled, copy.deepcopy(chunks), [copy.copy(chunk) for chunk in chunks]):
        assert same == chunks
        assert facts_of(same) == facts_of(chunks)
        assert [chunk.size for chunk in same] == [chunk.size for chunk in chunks]
        assert not any(chunk._facts for chunk in same)


@pytest.mark.parametrize("path", ["typing.py", "typing.txt"])
@pytest.mark.parametrize("tokenizer", [None, "characters"])
def test_the_size_is_exact_and_below_what_it_is_at_most(path: str, tokenizer: str | None) -> None:
    text = (STDLIB / "typing.py").read_text("utf-8")
    chunker = Chunker(tokenizer=tokenizer, chunk_size=300)
    for chunk in chunker.chunk(text, path=path):
        assert chunk.size == chunker.count(chunk.embed_text) <= chunk.size_at_most <= 300


NEIGHBOURS = '''\
"""Orders and what they cost."""

import os


class Order(Base):
    """An order."""

    rate = 0.2

    def total(self):
        """What it costs."""
        return self.net() + self.tax()

    def net(self):
        return sum(self.lines)

    def tax(self):
        return self.net() * self.rate


def show(order):
    print(order.total(), os.name)


def net(values):
    return Order(values).net()
'''


def by_symbol(**settings: Any) -> dict[str, Chunk]:
    chunks = Chunker(target_size=24, **settings).chunk(NEIGHBOURS, path="src/shop/order.py")
    return {", ".join(chunk.symbols): chunk for chunk in chunks}


def test_a_chunk_knows_who_calls_what_it_defines() -> None:
    chunks = by_symbol()
    assert chunks["Order.total"].callers == ("show",)
    assert chunks["Order.net"].callers == ("Order.total", "Order.tax", "net")
    assert chunks["Order.tax"].callers == ("Order.total",)
    assert chunks["Order"].callers == ("net",)
    assert chunks["show"].callers == ()


def test_a_chunk_of_several_definitions_answers_for_all_of_them() -> None:
    chunks = Chunker(chunk_size=400, granularity="packed").chunk(NEIGHBOURS, path="order.py")
    assert [chunk.callers for chunk in chunks] == [
        ("Order.total", "Order.tax", "show", "net"),
    ]


def test_a_class_head_names_its_members() -> None:
    chunks = by_symbol()
    assert chunks["Order"].members == ("total", "net", "tax")
    assert chunks["Order.total"].members == ()


def test_neighbours_are_the_definitions_before_and_behind() -> None:
    chunks = by_symbol()
    found = {
        name: (chunk.previous_symbol, chunk.next_symbol) for name, chunk in chunks.items() if name
    }
    assert found == {
        "Order": ("", "Order.total"),
        "Order.total": ("Order", "Order.net"),
        "Order.net": ("Order.total", "Order.tax"),
        "Order.tax": ("Order.net", "show"),
        "show": ("Order.tax", "net"),
        "net": ("show", ""),
    }


@pytest.mark.parametrize(
    ("path", "text", "name", "doc"),
    [
        ("src/payments/client.py", '"""Clients.\n\nMore."""\n', "payments.client", "Clients."),
        ("payments/__init__.py", "x = 1\n", "payments", ""),
        ("/usr/lib/python3/site-packages/a/b.py", "x = 1\n", "a.b", ""),
        ("/home/me/work/tool.py", "# A comment.\nx = 1\n", "tool", ""),
        ("my-scripts/run.py", "x = 1\n", "run", ""),
        ("C:\\work\\src\\a\\b.py", "x = 1\n", "a.b", ""),
        ("", "x = 1\n", "", ""),
        ("a/B.java", "// Copyright me.\n\npackage com.x.a;\n\nclass B {}\n", "com.x.a", ""),
        ("a.go", "// Package ledger keeps books.\npackage ledger\n", "ledger", "Package ledger"),
        ("a.go", "// Copyright: me.\npackage ledger\n", "ledger", ""),
        ("a.cs", "namespace Shop.Orders;\n\nclass A {}\n", "Shop.Orders", ""),
        ("a.php", "<?php\nnamespace App\\Models;\nclass A {}\n", "App\\Models", ""),
        ("lib.rs", "//! Reads bytes.\n//! Slowly.\n\nfn a() {}\n", "", "Reads bytes."),
        ("a.md", "# Title\n\nText.\n", "", ""),
    ],
)
def test_modules_have_a_name_and_say_what_they_are(
    path: str, text: str, name: str, doc: str
) -> None:
    for chunk in Chunker(target_size=8).chunk(text, path=path, language=None):
        assert chunk.module == name
        assert chunk.metadata()["module"] == name
        assert chunk.module_doc.startswith(doc)
        assert bool(chunk.module_doc) == bool(doc)


def test_callers_in_the_standard_library_are_those_that_ast_finds() -> None:
    text = (STDLIB / "argparse.py").read_text("utf-8")
    calls: dict[str, set[str]] = {}
    defined = dict(defined_in(ast.parse(text)))
    for name, node in defined.items():
        for inner in ast.walk(node):
            if isinstance(inner, ast.Call):
                function = inner.func
                called = getattr(function, "attr", None) or getattr(function, "id", None)
                calls.setdefault(str(called), set()).add(name)
    asked = 0
    for chunk in Chunker(target_size=60).chunk(text, path="argparse.py"):
        symbol = chunk.symbols[0] if len(chunk.symbols) == 1 else ""
        if symbol in defined:
            expected = calls.get(symbol.rpartition(".")[2], set()) - {symbol}
            assert set(chunk.callers) == expected, symbol
            asked += bool(expected)
    assert asked > 50


def defined_in(tree: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    """Functions and methods of a module with their qualified names, not those inside them."""
    stack: list[tuple[str, ast.AST]] = [("", tree)]
    while stack:
        scope, holder = stack.pop()
        for node in ast.iter_child_nodes(holder):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{scope}{node.name}", node
            elif isinstance(node, ast.ClassDef):
                stack.append((f"{scope}{node.name}.", node))


def entries_of(chunks: Iterable[Chunk]) -> dict[str, Entry]:
    return {entry.symbol: entry for chunk in chunks for entry in chunk.entries}


def test_outline_entries_lead_to_whole_definitions() -> None:
    chunks = Chunker(target_size=24, outline="all").chunk(NEIGHBOURS, path="shop/order.py")
    entries = entries_of(chunks)
    assert list(entries) == ["Order", "Order.total", "Order.net", "Order.tax", "show", "net"]
    assert entries["Order.total"].text == (
        '# shop/order.py > Order > total\ndef total(self):\n"""What it costs."""'
    )
    holders = {chunk.id: chunk for chunk in chunks}
    for symbol, entry in entries.items():
        assert symbol in holders[entry.chunk_id].symbols
        assert entry.kind == "outline"
    assert len({entry.id for entry in entries.values()}) == len(entries)


def test_only_split_definitions_get_an_entry_when_asked_so() -> None:
    long = "def long():\n    # First of all.\n" + "    step(1, 2, 3)\n" * 60
    text = NEIGHBOURS + "\n\n" + long
    chunker = Chunker(chunk_size=100, outline="split")
    chunks = chunker.chunk(text, path="order.py")
    entries = entries_of(chunks)
    assert list(entries) == ["long"]
    parts = [chunk for chunk in chunks if chunk.parent_id == entries["long"].parent_id]
    assert len(parts) > 2
    assert entries["long"].chunk_id == parts[0].id
    assert not entries_of(Chunker(chunk_size=100).chunk(text, path="order.py"))


@pytest.mark.parametrize("chunk_size", [8, 20, 64])
def test_entries_keep_the_budget(chunk_size: int) -> None:
    text = (STDLIB / "textwrap.py").read_text("utf-8")
    chunker = Chunker(chunk_size=chunk_size, outline="all")
    entries = entries_of(chunker.chunk(text, path="textwrap.py"))
    assert len(entries) > (0 if chunk_size == 8 else 5)
    assert all(chunker.count(entry.text) <= chunk_size for entry in entries.values())


def test_a_definition_over_the_limit_is_a_finding() -> None:
    text = "def short():\n    return 1\n\n\ndef long():\n" + "    step(1, 2, 3)\n" * 90
    chunks = Chunker(chunk_size=100).chunk(text, path="a.py")
    found = {chunk.symbols: [problem.code for problem in chunk.problems] for chunk in chunks}
    assert found == {("short",): [], ("long",): ["definition-over-limit"]}


def words_that_begin_in(text: str, start: int, end: int) -> list[str]:
    return [found[0] for found in re.finditer(r"\w+", text) if start <= found.start() < end]


@given(st.text("ab_é1 .\n“", max_size=20), st.integers(0, 20), st.integers(0, 20))
def test_words_of_a_stretch_are_those_that_begin_in_it(text: str, start: int, length: int) -> None:
    start = min(start, len(text))
    end = min(len(text), start + length)
    words = words_in(text, start, end)
    assert list(words) == words_that_begin_in(text, start, end)


def test_imports_of_names_that_are_no_words_are_found() -> None:
    text = '#include "a/util.h"\n\nint f(void)\n{\n    return open("util.h");\n}\n\nint g(void);\n'
    chunks = Chunker(chunk_size=32, target_size=8, context="none").chunk(text, path="a.c")
    found = {chunk.symbols: chunk.imports for chunk in chunks}
    assert found == {(): (), ("f",): ('#include "a/util.h"',)}
