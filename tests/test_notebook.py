"""Notebooks: cells in order, code as code of its language, places exact in the JSON."""

from __future__ import annotations

import ast
import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structchunk_core import Chunk, Chunker, MissingDependencyError
from structchunk_core.formats._notebook_json import (
    DEEPEST,
    JsonError,
    Value,
    decoded,
    joined,
    read_json,
)
from structchunk_core.formats._notebook_magics import masked, read_cell
from structchunk_core.unit import Parsed
from tests.generators import FRAGMENTS, arbitrary_text, chunkers, code, markdown
from tests.promises import check_nothing_that_fits_is_cut, check_promises


def code_cell(source: str, *outputs: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": 7,
        "metadata": {},
        "outputs": list(outputs),
        "source": source.splitlines(keepends=True),
        **more,
    }


def markdown_cell(source: str, **more: Any) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": source, **more}


def notebook(*cells: dict[str, Any], language: str = "python", **metadata: Any) -> str:
    metadata = {"kernelspec": {"language": language}, **metadata}
    return json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4}, indent=1)


def rendered(text: str) -> str:
    return _rendering(Chunker().parse(text, path="a.ipynb"))


def _rendering(parsed: Parsed) -> str:
    assert parsed.rendering is not None
    return parsed.rendering.text


def chunks_of(text: str, **chosen: Any) -> list[Chunk]:
    chunker = Chunker(**{"tokenizer": "characters", **chosen})
    chunks = chunker.chunk(text, path="a.ipynb")
    check_promises(text, chunks, chunker)
    check_nothing_that_fits_is_cut(text, chunks, chunker, chunker.parse(text, path="a.ipynb"))
    return chunks


# Places in the JSON

_HARD = 'tab\t quote" back\\slash é 日本 \U0001f600 \x01 \ud800 end'


@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("indent", [None, 1])
def test_every_character_of_a_cell_has_its_place_in_the_source(
    ascii_only: bool, indent: int | None
) -> None:
    cells = [
        markdown_cell(f"# {_HARD}\n\nWords."),
        code_cell(f"a = 1\nb = '''{_HARD}'''\n"),
        markdown_cell(_HARD),
    ]
    text = json.dumps({"cells": cells}, ensure_ascii=ascii_only, indent=indent)
    rendering = Chunker().parse(text, path="a.ipynb").rendering
    assert rendering is not None
    written = json.dumps(_HARD, ensure_ascii=ascii_only)[1:-1]
    position = source_position = 0
    for _ in cells:
        position = rendering.text.index(_HARD, position + 1)
        source_position = text.index(written, source_position + 1)
        for number in range(len(_HARD)):
            escaped = json.dumps(_HARD[:number], ensure_ascii=ascii_only)[1:-1]
            assert rendering.origin(position + number) == source_position + len(escaped)


def test_chunks_have_the_lines_and_characters_of_the_file() -> None:
    text = notebook(markdown_cell("# One\n\nFirst."), code_cell("x = 1\n"), code_cell("y = 2\n"))
    chunks = chunks_of(text, chunk_size=24, context="none")
    assert [chunk.text for chunk in chunks] == [
        "# One\n\nFirst.",
        "```python\nx = 1\n```",
        "```python\ny = 2\n```",
    ]
    for chunk, word in zip(chunks, ("First", "x = 1", "y = 2"), strict=True):
        assert word in text[chunk.span.start : chunk.span.end]
        line = text[: text.index(word)].count("\n") + 1
        assert chunk.start_line <= line <= chunk.end_line
        assert chunk.rendered
        assert not chunk.verbatim


def test_a_syntax_error_is_noted_where_it_stands_in_the_file() -> None:
    text = notebook(code_cell("a = 1\n"), code_cell("é = 'x\\n'\nb = = 2\n"))
    (problem,) = Chunker().parse(text, path="a.ipynb").problems
    assert problem.code == "syntax-error"
    assert text[problem.start : problem.end] in "b = = 2"
    chunks = chunks_of(text, chunk_size=24, context="none")
    noted = {chunk.cell for chunk in chunks if chunk.problems}
    assert noted == {2}


def plain(text: str, value: Value) -> object:
    if value.kind == "object":
        return {name: plain(text, one) for name, one in value.members.items()}
    if value.kind == "array":
        return [plain(text, one) for one in value.items]
    if value.kind == "string":
        return decoded(text, value.start + 1, value.end - 1).text
    return json.loads(text[value.start : value.end])


_VALUES = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), arbitrary_text(40)
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(arbitrary_text(8), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(_VALUES, st.booleans(), st.sampled_from((None, 0, 3)))
def test_json_is_read_as_the_standard_library_reads_it(
    value: object, ascii_only: bool, indent: int | None
) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    assert plain(text, read_json(text)) == json.loads(text)


@given(_VALUES, st.data())
def test_what_is_no_json_is_refused_as_the_standard_library_does(
    value: object, data: st.DataObject
) -> None:
    text = json.dumps([value])
    broken = text[: data.draw(st.integers(0, len(text) - 1))]
    with pytest.raises(JsonError):
        read_json(broken)


@pytest.mark.parametrize(
    "text", ["", "[", "]", "{", '{"a"}', '{"a":}', '{"a":1,}', "[1,]", "[1 2]", "{1:2}", '"a', "1]"]
)
def test_broken_json(text: str) -> None:
    with pytest.raises(JsonError):
        read_json(text)


def test_json_may_be_nested_and_not_without_end() -> None:
    assert read_json("[" * DEEPEST + "]" * DEEPEST).kind == "array"
    with pytest.raises(JsonError):
        read_json("[" * (DEEPEST + 1) + "]" * (DEEPEST + 1))


@given(st.lists(arbitrary_text(30), max_size=4), st.booleans())
def test_strings_one_after_the_other_know_their_places(
    strings: Sequence[str], ascii_only: bool
) -> None:
    text = json.dumps(strings, ensure_ascii=ascii_only)
    found = joined(text, read_json(text))
    assert found.text == "".join(json.loads(text))
    for position, character in enumerate(found.text):
        origin = found.origin(position)
        assert text[origin] in (character, "\\")


# Cells


def test_code_cells_belong_to_the_heading_above_them() -> None:
    text = notebook(
        markdown_cell("# Guide"),
        markdown_cell("## Load\n\nRead it:"),
        code_cell("data = read()\n"),
        code_cell("data.head()\n"),
        markdown_cell("## Plot"),
        code_cell("data.plot()\n"),
    )
    by_word = {
        word: chunk
        for chunk in chunks_of(text, chunk_size=100, target_size=60)
        for word in ("read()", "head()", "plot()")
        if word in chunk.text
    }
    assert "## Load\n\nRead it:\n\n```python\ndata = read()\n```" in by_word["read()"].text
    assert by_word["head()"].path == ("Guide", "Load")
    assert by_word["plot()"].path == ("Guide", "Plot")


def test_a_cell_with_its_output_stays_whole_and_a_cell_is_cut_last() -> None:
    shown = {"output_type": "stream", "name": "stdout", "text": "one\ntwo\n"}
    body = "".join(f"value_{n} = {n}\n" for n in range(6))
    text = notebook(code_cell(body, shown), code_cell("x = 1\n", shown))
    whole = [chunk.text for chunk in chunks_of(text, chunk_size=150, context="none")]
    assert whole[0] == f"```python\n{body}```\n```output\none\ntwo\n```"
    apart = [chunk.text for chunk in chunks_of(text, chunk_size=100, context="none")]
    assert apart[0] == f"```python\n{body}```"
    assert apart[1].startswith("```output\none\ntwo\n```")


def test_parts_of_a_function_carry_its_fence_signature_and_class() -> None:
    body = "".join(f"        self.value_{n} = {n}\n" for n in range(30))
    text = notebook(
        markdown_cell("# Guide"), code_cell(f"class Shop(Base):\n    def fill(self, n):\n{body}")
    )
    chunks = chunks_of(text, chunk_size=300)
    assert len(chunks) > 2
    for chunk in chunks[1:]:
        assert chunk.text.startswith("```python\n")
        assert chunk.text.endswith("\n```")
        assert chunk.symbols == ("Shop.fill",)
        assert "class Shop(Base):" in chunk.context
        assert f"def fill(self, n): (part {chunk.part})" in chunk.context
        assert chunk.context.startswith("Guide > Shop > fill")


def test_a_broken_function_leaves_the_others_of_its_cell_as_they_are() -> None:
    def function(name: str, given: str = "(x)") -> str:
        return f"def {name}{given}:\n    y = g(x)\n    return [y, x]\n\n\n"

    broken = function("first") + function("second", "(x, [") + function("third")
    for text in (broken, broken.replace("def second", "async def second")):
        chunks = chunks_of(notebook(code_cell(text)), chunk_size=90, target_size=45)
        third = next(chunk for chunk in chunks if "def third" in chunk.text)
        assert third.symbols == ("third",)
        assert third.text.count("def ") == 1
        assert "return [y, x]" in third.text


def test_facts_reach_over_the_cells() -> None:
    text = notebook(
        code_cell("import numpy as np\nfrom os import path, sep\n"),
        markdown_cell("Here np is only a word."),
        code_cell(
            "@cached\ndef mean(values):\n    '''The middle.'''\n    return np.mean(values)\n"
        ),
        code_cell("%%sql\nSELECT np FROM path\n"),
    )
    chunks = chunks_of(text, chunk_size=100, context="none")
    facts = {chunk.cell: chunk for chunk in chunks}
    mean = facts[3]
    assert mean.symbols == ("mean",)
    assert mean.signature == "def mean(values):"
    assert mean.decorators == ("@cached",)
    assert mean.doc == "The middle."
    assert mean.imports == ("import numpy as np",)
    assert mean.calls == ("mean",)
    assert (mean.language, mean.kind, mean.element_type) == ("python", "code_cell", "code")
    assert facts[2].imports == ()


def test_callers_neighbours_and_outlines_reach_over_the_cells() -> None:
    text = notebook(
        code_cell("def load(path):\n    'Read it.'\n    return path\n"),
        markdown_cell("Here load is only a word, and so is load(1)."),
        code_cell("class Shop:\n    def fill(self):\n        return load(1)\n"),
        code_cell("def broken(:\n    load(\n"),
        code_cell("%%bash\nload 1\n"),
    )
    chunks = chunks_of(text, chunk_size=90, context="none", outline="all")
    facts = {chunk.cell: chunk for chunk in chunks}
    assert facts[1].callers == ("Shop.fill",)
    assert facts[2].callers == facts[2].calls == ()
    assert (facts[2].previous_symbol, facts[2].next_symbol) == ("load", "Shop")
    assert facts[3].members == ("fill",)
    assert [entry.text for entry in facts[1].entries] == [
        "a.ipynb > load\ndef load(path):\n'Read it.'"
    ]
    assert [entry.symbol for entry in facts[3].entries] == ["Shop", "Shop.fill"]


def test_cells_have_their_numbers_and_ids() -> None:
    text = notebook(
        markdown_cell("Words of one cell.", id="first"),
        code_cell("", id="empty"),
        code_cell("x = 1\n", metadata={"id": "colab"}),
        code_cell("y = 1\n"),
    )
    chunks = chunks_of(text, chunk_size=24, context="none")
    assert [(chunk.cell, chunk.anchor) for chunk in chunks] == [(1, "first"), (3, "colab"), (4, "")]
    assert chunks[0].metadata()["anchor"] == "first"
    assert "cell" not in chunks[0].metadata()
    assert chunks[1].metadata(positions=True)["cell"] == 3
    (other,) = Chunker().chunk("x = 1\n", path="a.py")
    assert other.cell == 0


@pytest.mark.parametrize(
    ("metadata", "language"),
    [
        ({"kernelspec": {"language": "R", "name": "ir"}}, "r"),
        ({"kernelspec": {"name": "julia-1.10"}}, "julia"),
        ({"kernelspec": {"name": "ir"}}, "r"),
        ({"language_info": {"name": "C#"}}, "csharp"),
        ({"language_info": {"name": "odd", "file_extension": ".scala"}}, "scala"),
        ({"kernelspec": {"name": "conda-env"}, "language_info": {"name": "python"}}, "python"),
        ({}, "python"),
    ],
)
def test_the_kernel_says_the_language(metadata: dict[str, Any], language: str) -> None:
    text = json.dumps({"cells": [code_cell("x")], "metadata": metadata})
    (chunk,) = Chunker().chunk(text, path="a.ipynb")
    assert chunk.language == language


def test_a_cell_may_name_its_own_language() -> None:
    vscode = code_cell("SELECT 1", metadata={"vscode": {"languageId": "sql"}})
    polyglot = code_cell("let x = 1;", metadata={"polyglot_notebook": {"kernelName": "javascript"}})
    host = code_cell("#!fsharp\nlet x = 1")
    text = notebook(vscode, polyglot, host, language="C#")
    assert rendered(text) == (
        "```sql\nSELECT 1\n```\n\n```javascript\nlet x = 1;\n```\n\n"
        "```fsharp\n#!fsharp\nlet x = 1\n```\n"
    )


@pytest.mark.filterwarnings("ignore:.*no tree-sitter grammar for 'vulcan'")
def test_a_kernel_without_a_grammar_is_noted_or_raised() -> None:
    text = notebook(markdown_cell("Words."), code_cell("x" * 30), language="vulcan")
    words, code_chunk = chunks_of(text, chunk_size=46, target_size=30, context="none")
    assert code_chunk.text == f"```vulcan\n{'x' * 30}\n```"
    assert code_chunk.language == "vulcan"
    assert [problem.code for problem in code_chunk.problems] == ["missing-grammar"]
    assert not words.problems
    with pytest.raises(MissingDependencyError, match="vulcan"):
        Chunker(on_missing_grammar="error").chunk(text, path="a.ipynb")


def test_marks_in_code_do_not_end_its_fence() -> None:
    text = notebook(code_cell('doc = """\n```\ncode\n```\n"""\n'))
    assert rendered(text).startswith("````python\n")
    chunks_of(text, chunk_size=40)


def test_an_open_fence_ends_with_its_cell() -> None:
    text = notebook(markdown_cell("```\nopen"), markdown_cell("# Heading"), code_cell("x = 1"))
    assert chunks_of(text, chunk_size=400)[-1].path[-1:] == ("Heading",) or "Heading" in {
        label for chunk in chunks_of(text, chunk_size=30) for label in chunk.path
    }


def test_counts_and_metadata_are_no_part_of_any_text() -> None:
    text = notebook(code_cell("x = 1", metadata={"tags": ["secret"]}), title="The title")
    (chunk,) = chunks_of(text, chunk_size=400)
    assert "secret" not in chunk.embed_text
    assert "7" not in chunk.embed_text
    assert chunk.context == "The title"


# Outputs


def shown(*outputs: dict[str, Any]) -> str:
    whole = rendered(notebook(code_cell("x", *outputs)))
    code_part, _, output = whole.partition("```output\n")
    assert code_part == "```python\nx\n```\n"
    return output.removesuffix("\n```\n")


def result(**data: Any) -> dict[str, Any]:
    named = {name.replace("_", "/"): value for name, value in data.items()}
    return {"output_type": "execute_result", "data": named, "metadata": {}}


def stream(text: str | list[str], name: str = "stdout") -> dict[str, Any]:
    return {"output_type": "stream", "name": name, "text": text}


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


# Magics

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


# Files that are none


@pytest.mark.parametrize(
    "text",
    ['{"cells": [', "[1, 2]", '{"cells": {}}', "<<<<<<< HEAD\n{}", '{"nbformat": 4}', "no JSON"],
)
def test_what_is_no_notebook_is_cut_as_text(text: str) -> None:
    chunks = chunks_of(text, chunk_size=100)
    assert {problem.code for chunk in chunks for problem in chunk.problems} == {"broken-notebook"}
    assert "".join(chunk.text for chunk in chunks) == text


def test_a_notebook_without_anything_to_read_has_no_chunks() -> None:
    assert Chunker().chunk(notebook(code_cell(""), markdown_cell(" \n")), path="a.ipynb") == []


@pytest.mark.parametrize(
    "cells",
    [
        [None, 1, "x", []],
        [{}],
        [{"cell_type": 3, "source": 4, "outputs": {}}],
        [{"cell_type": "code", "source": {"a": 1}, "outputs": [None, {"data": 1}, {"text": 2}]}],
        [{"cell_type": "heading", "level": "x", "source": "H"}],
        [{"cell_type": "heading", "level": 10**30, "source": "H"}],
        [{"cell_type": "code", "source": ["a", 1, None, "b"], "metadata": []}],
    ],
)
def test_cells_of_any_shape_are_read_as_far_as_they_go(cells: list[Any]) -> None:
    text = json.dumps({"cells": cells, "metadata": {"kernelspec": 1, "title": []}})
    for chunk in Chunker().chunk(text, path="a.ipynb"):
        assert chunk.text.strip()


def test_images_of_many_megabytes_are_passed_over() -> None:
    image = "iVBORw0KGgo" * 200_000
    cells = [
        code_cell(f"x_{n} = 1\n", result(image_png=image, text_plain="<Figure size 1x1>"))
        for n in range(3)
    ]
    text = notebook(*cells, markdown_cell(f"![x](data:image/png;base64,{image})"))
    chunks = Chunker().chunk(text, path="a.ipynb")
    assert sum(len(chunk.text) for chunk in chunks) < 400
    assert chunks[-1].span.end == len(text)


# Generated notebooks


def _cells() -> st.SearchStrategy[dict[str, Any]]:
    source = st.one_of(code("python"), markdown(), arbitrary_text(60), st.just("%%bash\nls\n"))
    output = st.one_of(
        st.builds(stream, arbitrary_text(120)),
        st.builds(lambda text: result(text_plain=text), arbitrary_text(120)),
        st.just(result(image_png="iVBO")),
        st.builds(
            lambda lines: {"output_type": "error", "ename": "E", "traceback": lines},
            st.lists(arbitrary_text(20), max_size=5),
        ),
    )
    return st.builds(
        lambda kind, written, outputs, lines: {
            "cell_type": kind,
            "source": written.splitlines(keepends=True) if lines else written,
            "input": written,
            "outputs": outputs,
            "level": 2,
            "id": "a1",
        },
        st.sampled_from(("code", "code", "markdown", "markdown", "raw", "heading")),
        source,
        st.lists(output, max_size=3),
        st.booleans(),
    )


@settings(deadline=None)
@given(
    st.lists(_cells(), min_size=1, max_size=8),
    st.booleans(),
    st.sampled_from((None, 1)),
    chunkers(),
)
def test_the_promises_hold_for_generated_notebooks(
    cells: list[dict[str, Any]], is_old: bool, indent: int | None, chunker: Chunker
) -> None:
    holder = {"worksheets": [{"cells": cells}]} if is_old else {"cells": cells}
    text = json.dumps({**holder, "metadata": {}}, indent=indent)
    chunks = chunker.chunk(text, path="a.ipynb")
    parsed = chunker.parse(text, path="a.ipynb")
    if chunks:
        check_promises(text, chunks, chunker)
        # A length function is known to within a few units only: too few in a fence of so few.
        if chunker.length_function is None or chunker.chunk_size > 60:
            check_nothing_that_fits_is_cut(text, chunks, chunker, parsed)
    else:
        assert not _rendering(parsed).strip()
    assert chunker.chunk(text, path="a.ipynb") == chunks
    _check_spelling(parsed)


def _check_spelling(parsed: Parsed) -> None:
    """The leaves of the tree spell the rendered text."""
    text = _rendering(parsed)
    leaves = [unit for _, unit in parsed.root.walk() if not unit.open()]
    assert "".join(text[leaf.start : leaf.end] for leaf in leaves) == text
