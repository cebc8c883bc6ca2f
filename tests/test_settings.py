from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tree_sitter import Parser

from structchunk_core import ConfigurationError
from structchunk_core.grammars import find_grammar
from structchunk_core.settings import (
    LENGTH_LIMIT,
    check_boolean,
    check_choice,
    check_format,
    check_grammars,
    check_integer,
    check_language,
    check_level,
    check_seconds,
    checked_length,
    path_text,
    shown,
)

ODD: list[Any] = [
    True,
    0,
    -1,
    10**400,
    -(10**5000),
    0.5,
    float("nan"),
    float("inf"),
    1j,
    "",
    " ",
    "3",
    "a/b",
    "a\\b",
    "a\0b",
    "\ud800",
    "x" * 1000,
    b"x",
    [],
    [10**5000],
    {},
    {"python": "x"},
    {1: 2},
    object(),
    int,
    len,
]


@pytest.mark.parametrize(
    "check",
    [
        check_grammars,
        check_seconds,
        check_language,
        check_format,
        path_text,
        checked_length,
        check_level,
        lambda value: check_integer("name", value, 1, "tokens"),
        lambda value: check_choice("name", value, ("a", "b")),
        lambda value: check_boolean("name", value),
    ],
)
@given(value=st.sampled_from([None, *ODD]) | st.integers() | st.floats() | st.text())
def test_a_check_passes_or_raises_one_error_with_a_short_message(
    check: Callable[[object], object], value: object
) -> None:
    try:
        check(value)
    except ConfigurationError as error:
        told = str(error)
    else:
        told = ""
    assert len(told) < 500
    assert not told or told.endswith(f"got {shown(value)}") or "grammars" in told


@pytest.mark.parametrize("value", [1, 0.001, 10**300, sys.float_info.max])
def test_seconds_that_pass(value: float) -> None:
    check_seconds(value)


@pytest.mark.parametrize(
    "value", [0, -1, -0.5, True, None, "10", 10**400, float("nan"), float("inf"), [10], 1j]
)
def test_seconds_that_do_not(value: object) -> None:
    with pytest.raises(ConfigurationError, match="parse_seconds must be a positive, finite number"):
        check_seconds(value)


def test_grammars_that_pass() -> None:
    grammar = find_grammar("python")
    check_grammars({})
    check_grammars({"mine": grammar, "c++": Parser(grammar)})


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (None, "None"),
        (True, "True"),
        ("python", "'python'"),
        ([], "[]"),
        ([("python", 1)], "[('python', 1)]"),
        ({"python": "x"}, "grammars['python'] must be"),
        ({"python": None}, "None"),
        ({1: 2}, "got 1"),
        ({"": 2}, "got ''"),
        ({"python": Parser()}, "without a language"),
        ({"python": Parser}, "tree_sitter.Parser"),
    ],
)
def test_grammars_that_do_not(value: object, told: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        check_grammars(value)
    assert told in str(caught.value)
    assert "grammars" in str(caught.value)


def test_an_empty_mapping_of_grammars_loads_nothing() -> None:
    code = (
        "import sys; from structchunk_core.settings import check_grammars; check_grammars({});"
        "print('tree_sitter' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_names_come_back_as_they_are_looked_up() -> None:
    assert check_language(None) is check_format(None) is None
    for name in ("python", "c++", "c#", "f#", ".py", "objective-c", "c_sharp", "emacs lisp", "ß"):
        assert check_language(name) == name
    assert check_language(" Python ") == "python"
    assert check_format("Markdown") == check_format("MD") == check_format("md") == "markdown"
    assert check_format("csv") == check_format("TSV") == check_format("delimited") == "delimited"
    assert check_format("txt") == check_format("text") == "text"
    assert check_format("of-a-plugin") == "of-a-plugin"


@pytest.mark.parametrize(
    "value", ["", "  ", "../x", "a/b", "a\\b", "a\0b", "a\nb", "\ud800", "...", 3, b"md", True, []]
)
def test_what_is_no_name(value: object) -> None:
    with pytest.raises(ConfigurationError, match="language must be a name such as 'python'"):
        check_language(value)
    with pytest.raises(ConfigurationError, match="format must be a name such as 'markdown'"):
        check_format(value)


def test_levels() -> None:
    for value in (None, 1, 6):
        check_level(value)
    for wrong in (0, 7, -1, True, "2", 2.0):
        with pytest.raises(ConfigurationError, match="split_level must be the level of a heading"):
            check_level(wrong)


def test_integers_and_choices() -> None:
    check_integer("chunk_size", 8, 8, "tokens")
    with pytest.raises(ConfigurationError, match="chunk_size must be at least 1 token, got 0"):
        check_integer("chunk_size", 0, 1, "tokens")
    check_choice("context", "none", ("inline", "none"))
    with pytest.raises(ConfigurationError, match="context must be 'inline' or 'none', got b'x'"):
        check_choice("context", b"x", ("inline", "none"))


def test_paths() -> None:
    class OfBytes:
        def __fspath__(self) -> bytes:
            return b"x"

    assert path_text("a/b") == path_text(PurePosixPath("a/b")) == "a/b"
    assert path_text(Path("a")) == "a"

    class OfNothing:
        def __fspath__(self) -> None:
            return None

    wrong: list[object] = [None, b"a", 3, True, [], OfBytes(), OfNothing(), Path]
    for value in wrong:
        with pytest.raises(ConfigurationError, match=r"a path must be a str or a pathlib\.Path"):
            path_text(value)


@pytest.mark.parametrize(
    ("value", "length"),
    [
        (0, 0),
        (7, 7),
        (7.0, 7),
        (-0.0, 0),
        (np.int64(7), 7),
        (np.float64(7), 7),
        (2**62, 2**62),
        (10**400, LENGTH_LIMIT),
        (1e300, LENGTH_LIMIT),
    ],
)
def test_lengths_that_are_whole(value: object, length: int) -> None:
    assert checked_length(value) == length
    assert type(checked_length(value)) is int


@pytest.mark.parametrize(
    "value", [-1, -(10**400), True, 0.5, float("nan"), float("inf"), None, "3", b"3", [3], 3j]
)
def test_lengths_that_are_not(value: object) -> None:
    with pytest.raises(ConfigurationError) as caught:
        checked_length(value)
    assert "length_function must return a whole number" in str(caught.value)
    assert shown(value) in str(caught.value)


def test_a_value_is_shown_in_brief() -> None:
    assert shown("many") == "'many'"
    assert shown(-(10**5000)) == "a negative number of 16610 bits"  # Python refuses to write it
    assert shown(10**400) == "a whole number of 1329 bits"
    assert len(shown("x" * 10**6)) < 300
    assert len(shown([["x" * 10**4] * 100] * 100)) < 9000
