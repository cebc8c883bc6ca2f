"""What we find in Python's own library is what Python's own parser finds there.

Every function and class with its qualified name, kind and lines, and the scope of every chunk. A
fixed sample of the files is read, or with ``pytest --whole-library`` all of them.
"""

from __future__ import annotations

import ast
import sysconfig
import warnings
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import pytest

from structchunk_core import Chunk, Chunker
from structchunk_core.unit import Unit

_SHARDS = 8
_SAMPLE = 16  # one file of so many is read unless all are
_FEWEST = 100
_MOST_FAILING = 1  # of the files of a shard: the grammar fails on test_compile.py of Python 3.11


class Known(NamedTuple):
    """A function or class; lines count from 1 and are inclusive.

    Attributes:
        path: the names of what is around it, and its own.
        kind: ``class``, ``function`` or ``method``.
        start: the line of its first decorator, or else its own first line.
        end: its last line.
    """

    path: tuple[str, ...]
    kind: str
    start: int
    end: int


@pytest.fixture
def step(request: pytest.FixtureRequest) -> int:
    """How many files apart those are that are read."""
    return 1 if request.config.getoption("--whole-library") else _SAMPLE


def test_there_are_enough_files() -> None:
    assert len(_files(1)) // _SAMPLE >= _FEWEST


@pytest.mark.parametrize("shard", range(_SHARDS))
def test_functions_and_classes_are_those_of_ast(shard: int, step: int) -> None:
    chunker = Chunker(tokenizer="characters")
    failing: list[Path] = []
    for path in _files(step)[shard::_SHARDS]:
        read = _read_or_none(path)
        if read is None:
            continue
        text, tree = read
        parsed = chunker.parse(text, path=path.name)
        if parsed.problems:
            failing.append(path)
            continue
        lines = text.split("\n")
        expected = sorted(_known_to_ast(tree))
        found = sorted(_known_to_us(parsed.root, text))
        assert [known[:2] for known in found] == [known[:2] for known in expected], path
        for ours, theirs in zip(found, expected, strict=True):
            assert _is_same(ours, theirs, lines), f"{path}: {ours} is not {theirs}"
    assert len(failing) <= _MOST_FAILING, failing


@pytest.mark.parametrize("shard", range(_SHARDS))
@pytest.mark.parametrize("granularity", ["definition", "packed"])
def test_every_chunk_names_its_scope(
    granularity: Literal["definition", "packed"], shard: int, step: int
) -> None:
    chunker = Chunker(tokenizer="characters", chunk_size=1500, granularity=granularity)
    for path in _files(step)[shard::_SHARDS]:
        read = _read_or_none(path)
        if read is None:
            continue
        text, tree = read
        code = _lines_of_code(text, tree)
        known = list(_known_to_ast(tree))
        for chunk in chunker.chunk(text, path=path.name):
            if any(problem.code == "syntax-error" for problem in chunk.problems):
                continue
            inside = _code_in(chunk, text, code)
            if inside:
                scope = _scope_of(inside, known)
                assert chunk.path == scope, f"{path}:{chunk.start_line}-{chunk.end_line}"


def _files(step: int) -> list[Path]:
    library = Path(sysconfig.get_path("stdlib"))
    found = sorted(
        path
        for path in library.rglob("*.py")
        if "site-packages" not in path.relative_to(library).parts
    )
    return found[::step]


def _read_or_none(path: Path) -> tuple[str, ast.Module] | None:
    """The text of a file and its tree; None for what is no Python, as some tests of Python are."""
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        return None
    if "\r" in text or "\f" in text or "\0" in text:
        return None  # Python counts lines in another way
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return text, ast.parse(text)
    except (SyntaxError, RecursionError):
        return None


def _known_to_ast(tree: ast.Module) -> Iterator[Known]:
    stack: list[tuple[ast.AST, tuple[str, ...], bool]] = [(tree, (), False)]
    while stack:
        node, path, in_class = stack.pop()
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                stack.append((child, path, in_class))
                continue
            inner = (*path, child.name)
            is_class = isinstance(child, ast.ClassDef)
            kind = "class" if is_class else "method" if in_class else "function"
            first = min([child.lineno, *(mark.lineno for mark in child.decorator_list)])
            assert child.end_lineno is not None
            yield Known(inner, kind, first, child.end_lineno)
            stack.append((child, inner, is_class))


def _known_to_us(root: Unit, text: str) -> Iterator[Known]:
    starts = [0]
    while (line_end := text.find("\n", starts[-1])) >= 0:
        starts.append(line_end + 1)
    stack: list[tuple[Unit, tuple[str, ...]]] = [(root, ())]
    while stack:
        unit, path = stack.pop()
        if unit.definition is not None and unit.label:
            path = (*path, unit.label)
            written = text[unit.start : unit.end]
            first = unit.start + len(written) - len(written.lstrip())
            last = unit.start + len(written.rstrip()) - 1
            yield Known(path, unit.kind, bisect_right(starts, first), bisect_right(starts, last))
        stack.extend((child, path) for child in unit.open())


def _is_same(ours: Known, theirs: Known, lines: Sequence[str]) -> bool:
    """Whether the lines are the same, but for comments and blank lines at both ends."""
    around = [*range(ours.start, theirs.start), *range(theirs.end + 1, ours.end + 1)]
    inside = ours.start <= theirs.start <= theirs.end <= ours.end
    return inside and all(_is_empty(lines[line - 1]) for line in around)


def _is_empty(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")


def _lines_of_code(text: str, tree: ast.Module) -> set[int]:
    """The lines that hold more than blanks and a comment; inside strings all do."""
    lines = text.split("\n")
    code = {number for number, line in enumerate(lines, start=1) if not _is_empty(line)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant | ast.JoinedStr) and node.end_lineno is not None:
            code.update(range(node.lineno, node.end_lineno + 1))
    return code


def _code_in(chunk: Chunk, text: str, code: set[int]) -> list[int]:
    """The lines of a chunk that hold code and begin in it."""
    first = chunk.start_line
    if text[: chunk.span.start].rpartition("\n")[2].strip():
        first += 1  # it begins inside a line
    return [line for line in range(first, chunk.end_line + 1) if line in code]


def _scope_of(inside: Sequence[int], known: Sequence[Known]) -> tuple[str, ...]:
    """The path of the innermost function or class that holds all of the lines."""
    around = [one for one in known if one.start <= inside[0] and inside[-1] <= one.end]
    return max(around, key=lambda one: len(one.path)).path if around else ()
