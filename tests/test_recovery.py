"""A broken definition does not change how the ones around it are cut."""

from __future__ import annotations

import ast
import random
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tree_sitter import Tree

from structchunk_core import Chunk, Chunker, detect, grammars
from structchunk_core.formats import ParseOptions
from structchunk_core.formats._code_recovery import _CLOSERS, Blanked, _Lines, recovered
from structchunk_core.formats.code import _parse_again
from structchunk_core.grammars import find_grammar, parse_bytes
from structchunk_core.profiles import profile
from tests.counting import Counter, counted_parses
from tests.promises import check_promises

STDLIB = Path(sysconfig.get_path("stdlib"))
FUNCTIONS = {
    "py": "def NAME(x):\n    y = g(x)\n    return [y, x]\n\n\n",
    "js": "function NAME(x) {\n  const y = g(x);\n  return [y, x];\n}\n\n",
    "ts": "export function NAME(x: number): number[] {\n  const y = g(x);\n  return [y, x];\n}\n\n",
    "go": "func NAME(x int) int {\n\ty := g(x)\n\treturn y + x\n}\n\n",
    "rs": "fn NAME(x: i32) -> i32 {\n    let y = g(x);\n    y + x\n}\n\n",
    "c": "int NAME(int x)\n{\n    int y = g(x);\n    return y + x;\n}\n\n",
    "php": "function NAME($x) {\n    $y = g($x);\n    return [$y, $x];\n}\n\n",
    "rb": "def NAME(x)\n  y = g(x)\n  [y, x]\nend\n\n",
}
TOP = {"php": "<?php\n\n", "go": "package a\n\n", "py": '"""Doc."""\n\nimport os  # used\n\n\n'}
BROKEN = {
    "an open bracket in the head": ("(x", "(x, [", 1),
    "an open parenthesis": ("g(", "g((", 1),
    "an open list": ("y = ", "y = [1, (", 1),
    "an open body": ("}\n", "", 1),
    "an operator": ("g(x)", "g(x) = = 2", 1),
    "a closing bracket": ("g(x)", "g(x))]", 1),
}


def broken_texts() -> Iterator[tuple[str, str, str]]:
    for ending, function in FUNCTIONS.items():
        for what, change in BROKEN.items():
            changed = function.replace(*change)
            if changed != function:
                yield ending, what, changed


@pytest.mark.parametrize(("ending", "what", "broken"), list(broken_texts()))
def test_what_stands_around_a_broken_function_is_cut_as_before(
    ending: str, what: str, broken: str
) -> None:
    del what
    function = FUNCTIONS[ending]
    names = [f"f{number}" for number in range(8)]
    parts = [function.replace("NAME", name) for name in names]
    parts.insert(4, broken.replace("NAME", "broken"))
    text = TOP.get(ending, "") + "".join(parts)
    chunker = Chunker(tokenizer="characters", chunk_size=200, target_size=60)
    chunks = chunker.chunk(text, path=f"a.{ending}")
    check_promises(text, chunks, chunker)
    whole = {chunk.symbols[0]: chunk for chunk in chunks if len(chunk.symbols) == 1}
    for name, part in zip(names, [*parts[:4], *parts[5:]], strict=True):
        assert whole[name].text.removeprefix("<?php\n\n") == part.strip()
        assert not whole[name].problems
    assert any("syntax-error" in chunk.metadata()["problems"] for chunk in chunks)  # type: ignore[operator]


def test_a_broken_method_leaves_the_other_methods_alone() -> None:
    method = "    def NAME(self):\n        return g(self, [1])\n\n"
    names = [f"m{number}" for number in range(6)]
    parts = [method.replace("NAME", name) for name in names]
    parts[3] = parts[3].replace("g(self", "g((self")
    text = "class A:\n" + "".join(parts) + "\ndef last():\n    return 1\n"
    chunks = Chunker(tokenizer="characters", chunk_size=120, target_size=40).chunk(
        text, path="a.py"
    )
    found = {chunk.symbols[0]: chunk.text for chunk in chunks if len(chunk.symbols) == 1}
    for number in (1, 2, 4, 5):
        assert found[f"A.m{number}"] == parts[number].rstrip()
    assert parts[3].rstrip() in [chunk.text for chunk in chunks]
    assert found["last"] == "def last():\n    return 1"


def test_the_comment_above_a_broken_function_stays_with_it() -> None:
    text = (
        "def a():\n    return 1\n\n\n"
        "# Broken here.\ndef b(x:\n    y = [1\n\n\n"
        "def c():\n    return 2\n"
    )
    chunks = Chunker(tokenizer="characters", chunk_size=80, target_size=20).chunk(text, path="a.py")
    assert [chunk.text for chunk in chunks] == [
        "def a():\n    return 1",
        "# Broken here.\ndef b(x:\n    y = [1",
        "def c():\n    return 2",
    ]


def parses_of(text: str, monkeypatch: pytest.MonkeyPatch) -> tuple[list[Chunk], Counter]:
    counter = counted_parses(monkeypatch)
    return Chunker(chunk_size=200, target_size=20).chunk(text, path="a.py"), counter


def test_an_error_that_stays_in_its_block_costs_no_further_parse(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = "def a():\n    x = = 1\n    return 1\n\n\ndef b():\n    return 2\n"
    chunks, counter = parses_of(text, monkeypatch)
    assert len(chunks) == 2
    assert len(counter.lengths) == 1


def test_the_work_on_a_hopeless_document_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join(f"def f{n}(x:\n    y = [1, (2\n\n" for n in range(400))
    chunks, counter = parses_of(text, monkeypatch)
    assert chunks
    assert sum(counter.lengths) <= 10 * len(text)
    huge = text * 20
    _, counter = parses_of(huge, monkeypatch)
    assert sum(counter.lengths) <= 6 * len(huge)


class CountedBytes(bytes):
    """Bytes that know how many of them were read."""

    read = 0

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        self.read += len(found) if isinstance(found, bytes) else 1
        return found


def nodes_of(tree: Tree) -> list[tuple[object, ...]]:
    """Type and place of each node, in document order."""
    found: list[tuple[object, ...]] = []
    stack = [tree.root_node]
    while stack:
        node = stack.pop()
        found.append((node.type, *node.byte_range, node.start_point, node.end_point))
        stack.extend(reversed(node.children))
    return found


@pytest.mark.parametrize(
    ("ending", "what", "spreads"),
    [
        ("c", "an open body", False),
        ("go", "an open body", True),
        ("js", "an open body", False),
        ("py", "an open list", True),
    ],
)
def test_parsing_again_reads_what_has_changed_and_gives_what_a_whole_parse_does(
    ending: str, what: str, spreads: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grammars, "_READ", 256)
    parts = [FUNCTIONS[ending].replace("NAME", f"f{number}") for number in range(400)]
    parts[100] = parts[100].replace("(", "(\u00e4", 1)
    parts[200] = parts[200].replace(*BROKEN[what])
    text = (TOP.get(ending, "") + "".join(parts)).encode()
    language = detect("", f"a.{ending}").language
    grammar = find_grammar(language)
    asked = []

    def parse(blanked: Blanked) -> Tree:
        data = CountedBytes(blanked.data)
        options = ParseOptions(10.0, {}, "warn")
        tree = _parse_again(blanked._replace(data=data), profile(language), options)
        assert nodes_of(tree) == nodes_of(parse_bytes(blanked.data, grammar, 10.0))
        asked.append(data.read)
        return tree

    whole, holes = recovered(text, parse_bytes(text, grammar, 10.0), parse)
    assert holes
    assert not whole.root_node.has_error
    # At most what is behind the change, but where all of the document had become one error.
    assert spreads or asked[0] < len(text) * 3 // 5


@pytest.mark.parametrize(
    "broken", ["def broken(x:\n    y = [1, 2\n", "def broken(x):\n    g((x,\n"]
)
def test_modules_of_the_standard_library_keep_their_chunks(broken: str) -> None:
    chunker = Chunker(tokenizer="characters", chunk_size=1500)
    choose = random.Random(5)
    kept = asked = 0
    for name in ("argparse", "base64", "calendar", "cmd", "configparser", "dis", "zipfile", "csv"):
        path = STDLIB / f"{name}.py"
        if not path.exists():
            continue
        text = path.read_text("utf-8")
        tops: list[ast.FunctionDef | ast.ClassDef]
        tops = [
            one for one in ast.parse(text).body if isinstance(one, ast.FunctionDef | ast.ClassDef)
        ]
        node = choose.choice(tops[1:] or tops)
        line = min([node.lineno, *(one.lineno for one in node.decorator_list)]) - 1
        lines = text.split("\n")
        changed = "\n".join([*lines[:line], broken, "", *lines[line:]])
        before = {chunk.text for chunk in chunker.chunk(text, path="a.py")}
        after = {chunk.text for chunk in chunker.chunk(changed, path="a.py")}
        asked += len(before)
        kept += len(before & after)
    assert kept >= 0.98 * asked > 100


def end_line_by_line(written: list[str], number: int, last: int) -> int | None:
    """The first line behind a block, as one finds it who reads on from where it begins."""
    depths = [len(line) - len(line.lstrip()) for line in written]
    for line in range(number + 1, last + 1):
        shown = written[line].strip()
        if not shown or depths[line] > depths[number]:
            continue
        is_apart = not written[line - 1].strip() and not shown.encode().startswith(_CLOSERS)
        if depths[line] < depths[number] or is_apart:
            return line
    return None


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.sampled_from(["", "a = 1", "}", "end", "b("])).map(
            lambda pair: " " * pair[0] + pair[1]
        ),
        min_size=1,
        max_size=14,
    )
)
def test_ends_of_blocks_are_those_found_line_by_line(
    written: list[str],
) -> None:
    read_on, at_once = (_Lines("\n".join(written).encode()) for _ in range(2))
    read_on._patience, at_once._patience = 1 << 20, 0
    for number, line in enumerate(written):
        for last in range(number, len(written)) if line.strip() else ():
            expected = end_line_by_line(written, number, last)
            assert read_on.block_end(number, last) == expected
            assert at_once.block_end(number, last) == expected


def test_a_search_for_ends_of_blocks_reads_a_hopeless_document_twice_at_most() -> None:
    count = 400
    lines = _Lines(b"\n".join([b"a = 1"] * count))
    for number in range(count):
        assert lines.block_end(number, count - 1) is None
    assert -count <= lines._patience <= 0
