"""Outputs of cells, and magics in their code."""

from __future__ import annotations

import ast
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structchunk_core.formats._notebook_magics import masked, read_cell
from tests.generators import FRAGMENTS
from tests.notebook_cells import code_cell, notebook, rendered, result, stream


def shown(*outputs: dict[str, Any]) -> str:
    whole = rendered(notebook(code_cell("x", *outputs)))
    code_part, _, output = whole.partition("```output\n")
    assert code_part == "```python\nx\n```\n"
    return output.removesuffix("\n```\n")


def test_long_outputs_show_their_first_lines() -> None:
    lines = shown(stream("".join(f"line {n}\n" for n in range(500)))).split("\n")
    assert lines[0] == "line 0"
    assert lines[-1] == "..."
    assert len(lines) < 20
    assert len(shown(stream("x" * 100_000))) < 1000
    assert len(shown(*(stream(f"a {n}\n") for n in range(1000)))) < 1000


def test_a_line_that_was_overwritten_shows_what_was_written_last() -> None:
    assert shown(stream("10%\r50%\r100%\ndone\n")) == "100%\ndone"


def test_colours_are_left_out() -> None:
    assert shown(stream("\x1b[1;31mred\x1b[0m \x1b]8;;x\x07link\n")) == "red link"


def test_images_leave_a_mark_and_names_of_objects_nothing() -> None:
    figure = "<Figure size 640x480 with 1 Axes>"
    assert shown(result(image_png="iVBO" * 99, text_plain=figure)) == "[image/png]"
    assert shown(result(text_plain="[<matplotlib.lines.Line2D at 0x7f3c>]")) == ""
    assert shown(result(text_plain="$x^2$", image_png="iVBO")) == "[image/png]\n$x^2$"


def test_what_is_shown_as_a_page_is_shown_as_its_text_or_marked() -> None:
    assert shown(result(text_html="<table></table>", text_plain="a  b\n1  2")) == "a  b\n1  2"
    assert shown(result(text_html="<b>x</b>")) == "[text/html]"
    display = "<IPython.core.display.Markdown object>"
    assert shown(result(text_markdown="**x**", text_plain=display)) == "**x**"


def test_a_traceback_shows_its_last_lines() -> None:
    frames = [f"frame {n}" for n in range(50)]
    error = {"output_type": "error", "ename": "KeyError", "evalue": "'x'"}
    lines = shown({**error, "traceback": [*frames, "\x1b[31mKeyError\x1b[0m: 'x'"]}).split("\n")
    assert lines[-1] == "KeyError: 'x'"
    assert lines[0] == "frame 47"
    assert shown({**error, "traceback": []}) == "KeyError: 'x'"


def test_the_standard_error_is_left_out() -> None:
    assert shown(stream("warning\n", "stderr")) == ""


_MAGICS = (
    ("%matplotlib inline\nx = 1\n", "__________________\nx = 1\n"),
    ("if x:\n  !ls -l\n", "if x:\n  ______\n"),
    ("files = !ls\n", "files = ___\n"),
    ("took = %timeit -o f()\n", "took = ______________\n"),
    ("name?\n?name\nname.x??\n", "_____\n_____\n________\n"),
    ("!pip install \\\n  a b\nx\n", "______________\n     \nx\n"),
    ("x = (a\n  % b)\n", "x = (a\n  % b)\n"),
    ("x = '''\n%time\n!ls\n'''\n", "x = '''\n%time\n!ls\n'''\n"),
    ("# why?\nx\n", "# why?\nx\n"),
    ("!echo 'it is\nx = 1\n", "____________\nx = 1\n"),
    ("for f in x:\n    !rm {f}\n", "for f in x:\n    _______\n"),
    ("a = b != c\n", "a = b != c\n"),
    ("a = b \\\n  % c\n", "a = b \\\n  % c\n"),
    ("%%time\r\nx = 1\r\n", "______\r\nx = 1\r\n"),
)


@pytest.mark.parametrize(("written", "hidden"), _MAGICS)
def test_magics_are_hidden_from_the_grammar(written: str, hidden: str) -> None:
    assert masked(written, "python") == hidden
    ast.parse(hidden)


@pytest.mark.parametrize("language", ["python", "r", "csharp", "julia", "bash"])
def test_hiding_keeps_every_character_at_its_place(language: str) -> None:
    alphabet = "%!?#=\\'\"()[]{} \t\r\nab;,/]" + "\u2028\ud800é"

    @settings(deadline=None)
    @given(st.text(alphabet=alphabet, max_size=60), st.integers(0, 20))
    def holds(text: str, start: int) -> None:
        hidden = masked(text, language, min(start, len(text)))
        assert len(hidden) == len(text)
        assert [n for n, c in enumerate(hidden) if c == "\n"] == [
            n for n, c in enumerate(text) if c == "\n"
        ]

    holds()


@pytest.mark.parametrize("language", ["python", "javascript"])
def test_real_code_without_magics_is_left_as_it_is(language: str) -> None:
    for fragment in FRAGMENTS[language]:
        assert masked(fragment, language) == fragment


@pytest.mark.parametrize(
    ("written", "language", "found"),
    [
        ("%%bash\nls", "python", ("bash", 6)),
        ("%%script --bg perl\nx", "python", ("perl", 18)),
        ("%%writefile -a src/a.rs\nfn", "python", ("rust", 23)),
        ("%%writefile Makefile\nall:", "python", ("", 20)),
        ("%%timeit -n 3\nf()", "python", ("python", 0)),
        ("%sql\nSELECT 1", "python", ("sql", 5)),
        ("%sql SELECT 1", "python", ("python", 0)),
        ("#!fsharp\nx", "csharp", ("fsharp", 8)),
        ("#!time\nx", "csharp", ("csharp", 0)),
        ("#!/bin/sh\nls", "bash", ("bash", 0)),
        ("x = 1", "r", ("r", 0)),
    ],
)
def test_the_first_line_may_name_another_language(
    written: str, language: str, found: tuple[str, int]
) -> None:
    assert read_cell(written, language) == found
