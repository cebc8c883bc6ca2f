"""Notebooks: cells in order, code as code of its language, files that are none."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structchunk_core import Chunker, MissingDependencyError
from structchunk_core.unit import Parsed
from tests.generators import arbitrary_text, chunkers, code, markdown
from tests.notebook_cells import (
    chunks_of,
    code_cell,
    markdown_cell,
    notebook,
    rendered,
    rendering,
    result,
    stream,
)
from tests.promises import check_nothing_that_fits_is_cut, check_promises

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
        assert not rendering(parsed).strip()
    assert chunker.chunk(text, path="a.ipynb") == chunks
    _check_spelling(parsed)


def _check_spelling(parsed: Parsed) -> None:
    """The leaves of the tree spell the rendered text."""
    text = rendering(parsed)
    leaves = [unit for _, unit in parsed.root.walk() if not unit.open()]
    assert "".join(text[leaf.start : leaf.end] for leaf in leaves) == text
