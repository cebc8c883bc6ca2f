"""AsciiDoc and Org: their headings, and the blocks that lines around them mark."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structchunk_core import Chunk, Chunker
from tests.promises import check_nothing_that_fits_is_cut, check_promises


def cut(text: str, path: str, size: int = 200, **given: Any) -> list[Chunk]:
    chunker = Chunker(tokenizer="characters", chunk_size=size, **given)
    chunks = chunker.chunk(text, path=path)
    check_promises(text, chunks, chunker)
    slices = [chunk for chunk in chunks if not chunk.derived]
    check_nothing_that_fits_is_cut(text, slices, chunker, chunker.parse(text, path=path))
    return chunks


def outline(text: str, path: str) -> list[tuple[int, str, str]]:
    root = Chunker().parse(text, path=path).root
    shown = ("section", "fence", "admonition", "table")
    return [(depth, u.kind, u.label) for depth, u in root.walk() if u.kind in shown]


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.adoc", "= A\n\nw\n\n== B\n\nw\n\n=== C\n\nw\n\n== D\n", ["A", "B", "C", "D"]),
        ("a.asciidoc", "\ufeff= A\n\nw\n", ["A"]),
        ("a.adoc", "# A\n\nw\n\n## B\n\nw\n", ["A", "B"]),
        ("a.adoc", "w\n\nA name\n------\n\nw\n\nBelow\n~~~~~\n\nw\n", ["A name", "Below"]),
        ("a.adoc", "A rather long line of words\n----\nw\n----\n", []),
        ("a.adoc", "----\n== A\n----\n\n== B\n", ["B"]),
        ("a.adoc", "----\n== A\n", ["A"]),
        ("a.adoc", "=A\n\n==B\n", []),
        ("a.org", "* A\nw\n** B\nw\n* C\n", ["A", "B", "C"]),
        ("a.org", "\ufeff* DONE A :b:c:\nw\n", ["A"]),
        ("a.org", "* TODO\n* :b:\n", ["TODO", ":b:"]),
        ("a.org", "#+begin_src\n* A\n#+end_src\n", ["A"]),
        ("a.org", "*bold* words\n * item\n", []),
        ("a.txt", "* A\n\nw\n\n== B ==\n\nw\n", []),
    ],
)
def test_sections_are_told_by_their_headings(path: str, text: str, expected: list[str]) -> None:
    for written in (text, text.replace("\n", "\r\n")):
        assert [label for _, kind, label in outline(written, path) if kind == "section"] == expected
        cut(written, path, 20)


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.adoc", "[source,python]\n----\n", "----\n"),
        ("a.adoc", ".Words about it\n[source, python, linenums]\n-----\n", "-----\n"),
        ("a.adoc", "[,python]\n----\n", "----\n"),
        ("a.adoc", "```python\n", "```\n"),
        ("a.org", "#+begin_src python\n", "#+end_src\n"),
        ("a.org", "#+CAPTION: Words\n#+BEGIN_SRC python :results output\n", "#+END_SRC\n"),
    ],
)
def test_code_is_cut_between_its_units_and_each_part_is_a_block(
    path: str, before: str, after: str
) -> None:
    code = "".join(f"def f_{n}(a):\n    b = a + {n}\n    return b\n\n\n" for n in range(9))
    chunks = cut(f"Words:\n\n{before}{code}{after}\nEnd.\n", path)
    parts = [chunk for chunk in chunks if "def f_" in chunk.text]
    assert len(parts) > 3
    for part in parts:
        assert before in part.text
        assert part.text.rstrip().removesuffix("End.").rstrip().endswith(after.strip())
    assert {part.language for part in parts[1:-1]} == {"python"}
    names = [part.path for part in parts if part.text.count("def f_") == 1 and part.path]
    assert names == [(f"f_{n}",) for n in range(1, len(names) + 1)]
    assert len(names) > 6
    assert parts[0].text.startswith("Words:\n\n")


def test_rows_of_a_table_carry_its_header() -> None:
    rows = "".join(f"|Port {n}\n|{n * 3}\n\n" for n in range(30))
    text = f'.Fares\n[cols="1,1"]\n|===\n|To |Fare\n\n{rows}|===\n'
    chunks = cut(text, "a.adoc")
    assert len(chunks) > 3
    for chunk in chunks:
        assert chunk.text.startswith('.Fares\n[cols="1,1"]\n|===\n|To |Fare\n')
        assert chunk.text.rstrip().endswith("|===")
        assert chunk.element_type == "table"
    for n in range(30):
        assert sum(f"|Port {n}\n|{n * 3}\n" in chunk.text for chunk in chunks) == 1


def test_a_block_in_a_block_is_a_unit_of_its_own() -> None:
    text = "[NOTE]\n====\nWords.\n\n----\n.....\n= A\n----\n\nMore.\n====\n\nEnd.\n"
    assert [kind for _, kind, _ in outline(text, "a.adoc")] == ["admonition", "fence"]
    deep = "".join(f"{'=' * n}\nw\n\n" for n in range(4, 24))
    deep += "".join(f"{'=' * n}\n\n" for n in range(23, 3, -1))
    cut(deep, "a.adoc", 40)


def test_the_title_of_an_org_file_is_in_the_context() -> None:
    chunks = cut("#+TITLE: Manual\n\n* A\n\nwords\n\n* B\n\nwords\n", "a.org", 60, target_size=20)
    assert chunks[-1].context.strip() == "Manual > B"


def test_a_headline_with_many_blanks_takes_time_in_proportion() -> None:
    blanks = " " * 100_000
    ((_, _, label),) = outline(f"* a{blanks}b  :x:y_1:\n\nwords\n", "a.org")
    assert label.split() == ["a", "b"]


def test_blocks_that_nothing_closes_take_time_in_proportion() -> None:
    for lines, path in ((["----", "====", "|==="], "a.adoc"), (["#+begin_src"], "a.org")):
        text = "\n".join(f"{line}{'=' * (n % 97)}\n" for n in range(3000) for line in lines)
        assert Chunker().parse(text, path=path).root.end == len(text)


@given(
    st.lists(
        st.sampled_from(
            (
                "= A",
                "== B",
                "* C",
                "** D",
                "----",
                "====",
                "--",
                "|===",
                "|a |b",
                "[source,python]",
                ".Title",
                "+",
                "x = 1",
                "- item",
                "",
                " ",
                "#+begin_src python",
                "#+end_src",
                "#+begin_quote",
                "#+end_quote",
                "#+NAME: x",
                ":PROPERTIES:",
                ":ID: x",
                ":END:",
                "words and words",
            )
        ),
        max_size=24,
    ),
    st.integers(4, 90),
    st.sampled_from(["a.adoc", "a.org"]),
)
def test_any_lines_keep_the_promises(lines: list[str], size: int, path: str) -> None:
    chunker = Chunker(tokenizer="characters", chunk_size=size)
    text = "\n".join(lines)
    chunks = chunker.chunk(text, path=path)
    check_promises(text, chunks, chunker)
    check_nothing_that_fits_is_cut(text, chunks, chunker, chunker.parse(text, path=path))
