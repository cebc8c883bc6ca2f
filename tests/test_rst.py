from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from structchunk_core import Chunker
from structchunk_core.formats import ParseOptions
from structchunk_core.formats._rst_titles import plain_text
from structchunk_core.formats.rst import _LINK_USE, _link_uses, parse
from structchunk_core.source import Source
from structchunk_core.unit import Parsed, Tie, Unit
from tests.cutting import cut, holder_of, told_by_opening
from tests.oracles import bare, rst_headings
from tests.promises import check_promises


def parsed(text: str) -> Parsed:
    return parse(Source(text, "a.rst", "rst"), ParseOptions())


def outline(text: str) -> list[str]:
    """The tree: one line a unit, indented by its depth, kind and first words."""
    lines = []
    for depth, unit in parsed(text).root.walk():
        first, _, _ = text[unit.start : unit.end].lstrip().partition("\n")
        lines.append(f"{'  ' * (depth - 1)}{unit.kind}: {first}")
    return lines[1:]


def units(text: str, kind: str) -> list[Unit]:
    return [unit for _, unit in parsed(text).root.walk() if unit.kind == kind]


def sections(text: str) -> Iterator[tuple[int, str]]:
    """Level and words of each section."""
    stack = [(0, parsed(text).root)]
    while stack:
        level, unit = stack.pop()
        if unit.kind == "section":
            yield level, unit.label
        if unit.kind in {"document", "section"}:
            stack.extend((level + 1, child) for child in reversed(unit.open()))


TITLES = {
    "by the order of their styles": "A\n=\n\nB\n-\n\nC\n~\n\nD\n-\n\nE\n=\n\nF\n-\n",
    "over and under is a style of its own": "===\nA\n===\n\nB\n===\n\nC\n---\n\n===\nD\n===\n",
    "a short line under a title": "Long title\n====\n\nLong title\n===\n\ntext\n",
    "one character": "A\n-\n\nB\n--\n\n日本\n==\n\n日本\n====\n",
    "an indented title below a line": "=======\n  Mid\n=======\n\ntext\n",
    "not in literal blocks": "A\n=\n\nRun::\n\n   B\n   =\n\n   C\n   -\n\nD\n-\n",
    "not in directives": "A\n=\n\n.. note::\n\n   B\n   -\n\n   x\n\nC\n-\n",
    "not in lists": "A\n=\n\n- B\n  -\n\n1. C\n   -\n\nD\n-\n",
    "a numbered title": "1. One\n======\n\n2. Two\n======\n\n1. item\n2. item\n",
    "not lines of tables": "A\n=\n\n==  ==\na   b\n==  ==\n1   2\n==  ==\n\nB\n-\n",
    "no transition": "A\n=\n\ntext\n\n-----\n\nmore\n\nB\n-----\n",
    "no paragraph": "A\n=\n\nfirst line\nsecond line\n-----------\n\nB\n-\n",
    "not fields and comments": ":field: x\n=========\n\n.. comment\n=========\n\nB\n-\n",
    "roles and marks": "The :foo:`b c` *d* ``e``\n=======================\n\n`F <u>`_\n--------\n",
    "below a target": "A\n=\n\n.. _b:\n\nB\n-\n\n.. index:: c\n.. _c:\n\nC\n-\n",
    "with carriage returns": "A\r\n=\r\n\r\nB\r\n-\r\n\r\ntext\r\n",
    "quoted literal": "A\n=\n\nMail::\n\n> B\n> -\n\nC\n-\n",
    "empty comment": "..\n\n  quote\n\nA\n=\n\n..\n   B\n   =\n\nC\n-\n",
    "definition": "A\n=\n\nterm\n  B\n  -\n\nC\n-\n",
    "underlined twice": "A\n=\n=\n\nB\n=\n",
    "line block and doctest": "A\n=\n\n| B\n| -\n\n>>> C\n---\n\nD\n-\n",
    "options and notes": "A\n=\n\n-a  B\n-b  C\n\n.. |x| image:: y\n.. [1] B\n   -\n\nD\n-\n",
}


@pytest.mark.parametrize("name", TITLES)
def test_titles_are_those_that_docutils_finds(name: str) -> None:
    text = TITLES[name]
    expected = [(heading.level, bare(heading.words)) for heading in rst_headings(text)]
    assert [(level, bare(words)) for level, words in sections(text)] == expected


def test_a_style_out_of_order_goes_below_the_title_above() -> None:
    """Docutils gives the rest of such a document up."""
    text = "A\n=\n\nB\n-\n\nC\n~\n\nD\n=\n\nE\n~\n\nF\n^\n"
    assert list(sections(text)) == [(1, "A"), (2, "B"), (3, "C"), (1, "D"), (2, "E"), (3, "F")]


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("``a_b`` and `c`_", "a_b and c"),
        (":ref:`the page <x/y>` here", "the page here"),
        (":class:`~a.B`", "a.B"),
        ("2 * 3 *and* 4 **so**", "2 * 3 and 4 so"),
        ("|version| of it_", "version of it"),
        (r"a\*b", "a*b"),
    ],
)
def test_words_of_a_title(written: str, shown: str) -> None:
    assert plain_text(written) == shown


def test_the_title_is_the_only_one_of_the_first_level() -> None:
    assert parsed("A\n=\n\nB\n-\n").title == "A"
    assert parsed("A\n=\n\nB\n=\n").title == ""
    assert parsed("text\n").title == ""


def test_what_stands_in_directives_lists_and_fields() -> None:
    text = (
        ".. warning:: On the line\n   and below.\n\n   - a\n\n     b\n   - c\n\n"
        ":field: text\n:other:\n   1. x\n   2. y\n\nterm\n   What it means.\n\nEnd.\n"
    )
    assert outline(text) == [
        "admonition: .. warning:: On the line",
        "  paragraph: .. warning:: On the line",
        "  list: - a",
        "    item: - a",
        "      paragraph: - a",
        "      paragraph: b",
        "    item: - c",
        "      paragraph: - c",
        "definition_list: :field: text",
        "  item: :field: text",
        "    paragraph: :field: text",
        "  item: :other:",
        "    term: :other:",
        "    procedure: 1. x",
        "      item: 1. x",
        "        paragraph: 1. x",
        "      item: 2. y",
        "        paragraph: 2. y",
        "definition_list: term",
        "  item: term",
        "    term: term",
        "    paragraph: What it means.",
        "paragraph: End.",
    ]


@pytest.mark.parametrize(
    ("written", "kind", "language"),
    [
        (".. code-block:: py\n\n   x = 1\n", "fence", "python"),
        (".. code:: c++\n\n   int x;\n", "fence", "cpp"),
        (".. literalinclude:: a.py\n   :language: python\n", "fence", "python"),
        (".. testcode::\n\n   x = 1\n", "fence", "python"),
        (".. raw:: html\n\n   <b>x</b>\n", "fence", "html"),
        (">>> 1 + 1\n2\n", "code", "python"),
        ("Run::\n\n   x\n", "code", ""),
        (".. math::\n\n   a\n", "math", ""),
        (".. figure:: a.png\n\n   Caption.\n", "figure", ""),
        (".. c:function:: int f(char *x)\n\n   Does.\n", "entry", ""),
        (".. [1] A note.\n", "footnote", ""),
        (".. |x| replace:: y\n", "references", ""),
        (".. _x: http://example.org\n", "references", ""),
        (".. a comment\n", "comment", ""),
        ("| a\n| b\n", "line_block", ""),
        ("  a quote\n", "quote", ""),
    ],
)
def test_kind_and_language(written: str, kind: str, language: str) -> None:
    (unit,) = units(written, kind)
    assert unit.language == language
    assert unit.atomic


@pytest.mark.parametrize(
    ("directive", "name", "signature"),
    [
        ("py:function:: send(parcel, *, quickly=False)", "send", "send(parcel, *, quickly=False)"),
        ("class:: shop.Carrier", "shop.Carrier", "shop.Carrier"),
        ("c:function:: int *book(char *x)", "book", "int *book(char *x)"),
        ("option:: --quick <n>", "--quick <n>", "--quick <n>"),
        ("autoclass:: shop.Carrier\n   :members:", "shop.Carrier", "shop.Carrier"),
    ],
)
def test_an_entry_is_named_by_its_signature(directive: str, name: str, signature: str) -> None:
    (entry,) = units(f".. {directive}\n\n   What it does.\n", "entry")
    assert entry.definition is not None
    assert (entry.label, entry.definition.signature) == (name, signature)


def test_parts_of_an_entry_carry_its_signature_and_its_name() -> None:
    body = "".join(f"   Paragraph {n} says what it does, at some length.\n\n" for n in range(9))
    chunks = cut(f"Api\n===\n\n.. function:: send(parcel)\n\n{body}", "a.rst", 200)
    assert len(chunks) > 3
    for chunk in chunks[1:]:
        assert ".. function:: send(parcel)\n\n" in chunk.text
        assert chunk.path == ("Api", "send")
        assert chunk.signature == "send(parcel)"


def test_targets_and_index_entries_belong_to_the_title_below_them() -> None:
    text = "A\n=\n\ntext\n\n.. index:: b\n\n.. _b:\n\nB\n=\n\nmore\n"
    first, second = units(text, "section")
    assert text[second.start : second.end].startswith(".. index:: b")
    assert text[first.start : first.end] == "A\n=\n\ntext\n\n"


def test_lead_ins_captions_and_caveats_hold_on() -> None:
    text = (
        "Some words that announce nothing. " * 6 + "\n\nRun it so::\n\n   x\n\nwhere x is x.\n\n"
        "Table 1: sizes\n\n==  ==\na   b\n==  ==\n1   2\n==  ==\n"
    )
    ties = [(unit.kind, unit.tie) for unit in parsed(text).root.open()]
    assert ties == [
        ("paragraph", Tie.FREE),
        ("paragraph", Tie.LOOSE),
        ("code", Tie.CLOSE),
        ("paragraph", Tie.CLOSE),
        ("paragraph", Tie.LOOSE),
        ("table", Tie.CLOSE),
    ]


TABLES = {
    "grid": (
        "+----+----+\n| a  | b  |\n+====+====+\n"
        + "".join(f"| {n:02} | xx |\n+----+----+\n" for n in range(40))
    ),
    "simple": (
        "==  ==\na   b\n==  ==\n" + "".join(f"{n:02}  xx\n" for n in range(40)) + "==  ==\n"
    ),
    "list": (
        ".. list-table:: T\n   :header-rows: 1\n\n   * - a\n     - b\n"
        + "".join(f"   * - {n:02}\n     - xx\n" for n in range(40))
    ),
    "csv": (
        ".. csv-table:: T\n   :header: a, b\n\n"
        + "".join(f'   {n:02}, "x\n   x"\n' for n in range(40))
    ),
    "directive": (
        ".. table:: T\n\n   ==  ==\n   a   b\n   ==  ==\n"
        + "".join(f"   {n:02}  xx\n" for n in range(40))
        + "   ==  ==\n"
    ),
}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("size", [240, 300])
def test_each_part_of_a_table_is_a_table_with_its_head(name: str, size: int) -> None:
    """Docutils reads each part as a table; together they have every row once."""
    from docutils.core import publish_doctree
    from docutils.nodes import entry, table

    seen: list[str] = []
    chunks = cut(TABLES[name], "a.rst", size, context="none", table_profile=False)
    assert len(chunks) > 1
    for chunk in chunks:
        tree = publish_doctree(chunk.text, settings_overrides={"report_level": 5})
        (found,) = tree.findall(table)
        cells = [cell.astext() for cell in found.findall(entry)]
        assert cells[:2] == ["a", "b"]
        seen += cells[2::2]
    assert seen == [f"{n:02}" for n in range(40)]


LONG_HEADS = {
    "grid": (
        "+------------+--------------------+\n"
        "| The first  | Of the columns the |\n"
        "| of the     | second and last    |\n"
        "| columns    |                    |\n"
        "+============+====================+\n"
        + "".join(
            f"| {n:02}         | xx                 |\n{'+------------+':-<34}+\n"
            for n in range(40)
        )
    ),
    "simple": (
        "==========  ================\nThe first   Of the columns\n            the second and\n"
        "            last\n==========  ================\n"
        + "".join(f"{n:02}          xx\n" for n in range(40))
        + "==========  ================\n"
    ),
    "list": (
        ".. list-table:: T\n   :header-rows: 1\n   :widths: 20 80\n   :class: long wide\n\n"
        "   * - The first of the columns\n     - Of the columns the second and last\n"
        + "".join(f"   * - {n:02}\n     - xx\n" for n in range(40))
    ),
    "csv": (
        ".. csv-table:: T\n   :header: The first of the columns; Of the columns the last\n"
        "   :widths: 20, 80\n   :delim: ;\n   :class: long wide\n\n"
        + "".join(f"   {n:02}; xx\n" for n in range(40))
    ),
    "directive": (
        ".. table:: A title of so many words that in a small chunk only its first ones can stay\n\n"
        "   =========  ===============\n   The first  Of the columns\n"
        "   =========  ===============\n"
        + "".join(f"   {n:02}         xx\n" for n in range(40))
        + "   =========  ===============\n"
    ),
}


WIDE_ROWS = {
    "grid": "| 40         | xx                 |\n" * 3 + f"{'+------------+':-<34}+\n",
    "simple": "40          xx\n" + "            xx\n" * 9 + "==========  ================\n",
    "list": "   * - 40\n     - xx\n" + "       xx\n" * 13,
    "csv": f"   40; xx{' xx' * 45}\n",
    "directive": "   40         xx\n"
    + "              xx\n" * 10
    + "   =========  ===============\n",
}
"""A last row for each that has no room beside the whole head in the sizes below."""


@pytest.mark.parametrize(
    ("name", "size"),
    [("grid", 320), ("simple", 300), ("list", 280), ("csv", 260), ("directive", 390)],
)
def test_a_part_without_room_for_its_head_is_a_table_with_short_names(name: str, size: int) -> None:
    """Docutils reads each part as a table whose header names each column; no row is lost."""
    from docutils.core import publish_doctree
    from docutils.nodes import entry, table

    seen: list[str] = []
    text = LONG_HEADS[name]
    foot = text.rindex("\n", 0, -1) + 1 if name in {"simple", "directive"} else len(text)
    text = text[:foot] + WIDE_ROWS[name]
    chunks = cut(text, "a.rst", size, context="none", table_profile=False)
    assert len(chunks) > 2
    for chunk in chunks:
        assert "head-shortened" in {problem.code for problem in chunk.problems}
        tree = publish_doctree(chunk.text, settings_overrides={"report_level": 5})
        (found,) = tree.findall(table)
        cells = [" ".join(cell.astext().split()) for cell in found.findall(entry)]
        assert [cells[0][:9], cells[1][:6]] == ["The first", "Of the"]
        seen += [cell[:2] for cell in cells[2::2]]
    assert seen == [f"{n:02}" for n in range(41)]
    head = LONG_HEADS[name].partition("00")[0].rpartition("\n")[0]
    assert all(head not in chunk.text for chunk in chunks[1:])


@pytest.mark.parametrize("name", LONG_HEADS)
def test_a_part_without_room_for_a_table_has_the_names_of_its_columns(name: str) -> None:
    chunks = cut(LONG_HEADS[name], "a.rst", 145, context="none", table_profile=False)
    parts = [chunk.text for chunk in chunks if re.search(r"\b\d\d\b.*\s.*xx", chunk.text)]
    assert len(parts) > 5
    assert all("The first" in part and "Of the" in part for part in parts)


@pytest.mark.parametrize("mark", [",", ";"])
def test_the_header_of_a_csv_table_is_read_by_its_delimiter_or_by_commas(mark: str) -> None:
    text = f".. csv-table:: T\n   :header: a b{mark} c\n   :delim: ;\n\n   1; 2\n   3; 4\n"
    (table,) = (unit.as_table() for _, unit in parsed(text).root.walk() if unit.as_table())
    assert table is not None
    assert table.names == ("a b", "c")


@pytest.mark.parametrize(
    "header", ["Width; m, Name, On", '"Width; m"; Name; On', "'Width; m'; Name; On"]
)
def test_the_header_of_a_csv_table_has_as_many_cells_as_its_rows(header: str) -> None:
    from docutils.core import publish_doctree
    from docutils.nodes import entry

    quote = "   :quote: '\n" if header[0] == "'" else ""
    text = (
        f".. csv-table:: T\n   :header: {header}\n   :delim: ;\n   :class: {'wide ' * 9}\n{quote}\n"
    )
    text += "".join(f"   {n:02}; xx; y\n" for n in range(40)) + f"   40; y; xx{' xx' * 42}\n"
    (table,) = (unit.as_table() for _, unit in parsed(text).root.walk() if unit.as_table())
    assert table is not None
    assert table.names == ("Width; m", "Name", "On")
    chunks = cut(text, "a.rst", 240, context="none", table_profile=False)
    assert len(chunks) > 2
    for chunk in chunks[1:]:
        assert "head-shortened" in {problem.code for problem in chunk.problems}
        tree = publish_doctree(chunk.text, settings_overrides={"report_level": 5})
        assert [one.astext() for one in tree.findall(entry)][:3] == ["Width; m", "Name", "On"]


def test_a_part_of_a_row_has_the_names_of_its_cells() -> None:
    words = "Of this there is more than one chunk can have. " * 4
    listed = (
        f".. list-table::\n   :header-rows: 1\n\n   * - A\n     - B\n   * - 1\n     - {words}\n"
    )
    by_comma = f".. csv-table::\n   :header: A, B\n\n   1, {words}\n   2, b\n"
    for text, whole, rest in (
        (listed, "   * - A\n     - B\n   * - 1\n", "   * - B\n   *\n     - Of this there"),
        (by_comma, "   :header: A, B\n\n   1,", "   B\n   Of this there"),
    ):
        chunks = cut(text, "a.rst", 150, context="none", table_profile=False)
        assert whole in chunks[0].text
        assert rest in chunks[1].text


def test_a_table_in_a_list_item_keeps_its_column() -> None:
    rows = "".join(f"  {n:02}  xx\n" for n in range(40))
    text = f"- ==  ==\n  a   b\n  ==  ==\n{rows}  ==  ==\n"
    chunks = cut(text, "a.rst", 120, context="none", table_profile=False)
    assert len(chunks) > 3
    assert all(chunk.text.startswith("  ==  ==\n  a   b\n") for chunk in chunks[1:])


def test_parts_of_code_are_code_blocks() -> None:
    functions = "".join(f"   def f{n}(x):\n       return {n}\n\n\n" for n in range(40))
    chunks = cut(f".. code-block:: python\n   :linenos:\n\n{functions}", "a.rst", 200)
    assert len(chunks) > 3
    for chunk in chunks:
        assert chunk.text.startswith(".. code-block:: python\n")
        assert chunk.text.count("def f") == chunk.text.count("return")


def test_parts_of_a_literal_block_are_literal() -> None:
    lines = "".join(f"   line number {n}\n" for n in range(40))
    chunks = cut(f"Run::\n\n{lines}", "a.rst", 200, context="none")
    assert chunks[0].text.startswith("Run::\n\n")
    assert all(chunk.text.startswith("::\n\n   line") for chunk in chunks[1:])


@pytest.mark.parametrize("context", ["separate", "inline", "none"])
def test_a_literal_block_leaves_its_head_where_not_even_a_word_of_it_fits(context: Any) -> None:
    text = "   Run this::\n\n       # a comment\n       pip install thing\n\n   Then wait.\n"
    chunker = Chunker(chunk_size=1, length_function=lambda text: len(text.split()), context=context)
    chunks = chunker.chunk(text, format="rst")
    check_promises(text, chunks, chunker)
    assert any(problem.code == "head-omitted" for one in chunks for problem in one.problems)


def test_a_part_that_begins_inside_a_line_is_indented() -> None:
    text = ".. note::\n\n   " + "A sentence about something. " * 30 + "\n"
    chunks = cut(text, "a.rst", 200, context="none")
    assert len(chunks) > 3
    assert all(chunk.text.startswith(".. note::\n\n   A sentence") for chunk in chunks)


def test_notes_and_substitutions_travel_with_their_use() -> None:
    filler = "More text is here to fill the part. " * 9
    text = (
        f"A\n=\n\nBoils [1]_ at |heat| [#]_.\n{filler}\n\nB\n=\n\nSee `the site`_ [CIT]_ [#]_.\n"
        f"{filler}\n\nC\n=\n\nNothing here.\n{filler}\n\n"
        ".. [1] At sea level.\n.. [#] First.\n.. [#] Second.\n.. [CIT] A book.\n"
        ".. |heat| replace:: 100 degrees\n.. _the site: https://example.org\n"
    )
    chunks = cut(text, "a.rst", 600, target_size=300, context="none")
    first, second, third = (holder_of(chunks, f"{name}\n=") for name in "ABC")
    assert first.suffix.split("\n\n")[1:] == [
        ".. [1] At sea level.",
        ".. |heat| replace:: 100 degrees",
        ".. [#] First.",
    ]
    assert second.suffix.split("\n\n")[1:] == [
        ".. [CIT] A book.",
        ".. _the site: https://example.org",
        ".. [#] Second.",
    ]
    assert third.suffix == ""


def test_what_is_nested_too_deeply_is_text_and_said_so() -> None:
    (problem,) = parsed("- " * 200 + "x\n").problems
    assert problem.code == "nested-too-deeply"
    assert parsed("- " * 60 + "x\n").problems == ()


def test_sections_directives_and_tables_of_a_manual() -> None:
    """joungminsung/OpenDocuments#10, universal-ctags/ctags#3224."""
    text = (
        "============\nUser manual\n============\n\nIntro words.\n\nInstall\n=======\n\nRun this::"
        "\n\n    # a comment, not a title\n    pip install thing\n\n.. note::\n\n   Use a recent "
        "version.\n\n   Old ones fail.\n\nTables\n------\n\n+------+-----+\n| name | age |\n"
        "+======+=====+\n| Ann  | 30  |\n+------+-----+\n\n.. code-block:: python\n\n   def f():\n"
        "       return 1\n\nRemove\n=======\n\nDelete it.\n"
    )
    chunks = cut(text, "a.rst", 330)
    assert holder_of(chunks, "# a comment").path == ("User manual", "Install")
    assert ".. note::\n\n   Use a recent version.\n\n   Old ones fail." in "".join(
        chunk.text for chunk in chunks
    )
    assert holder_of(chunks, "| Ann").path == ("User manual", "Install", "Tables")
    assert "| name | age |" in holder_of(chunks, "| Ann").text
    assert holder_of(chunks, "Delete it.").path == ("User manual", "Remove")


@pytest.mark.parametrize(
    "text",
    [
        "\n" * 50_000,
        "*a\n" * 30_000,
        "|a " * 30_000,
        "`a " * 30_000,
        "== ==\n\n" * 10_000,
        "a\n b\n" * 10_000,
        "\n\n".join(" " * (n % 300) + "a" for n in range(3000)),
        "- " * 3000 + "\n" * 3000 + " " * 6000 + "x",
        "::\n\n" + "> a\n" * 20_000,
        "a_ " * 20_000 + "\n\n.. _a: b\n",
    ],
    ids=lambda text: repr(text[:12]),
)
def test_strange_documents_of_any_size_are_read(text: str) -> None:
    chunker = Chunker(tokenizer="characters", chunk_size=5000)
    chunks = chunker.chunk(text, path="a.rst")
    check_promises(text, chunks, chunker)


_SURVEYED = """
Guide
=====

Words.

.. note:: Read this.

.. code-block:: python

   a = 1

.. list-table:: Prices

   * - a

.. csv-table:: none of a table

.. math:: y

.. figure:: a.png

.. index:: words

.. function:: buy(n)

   Buys.

.. unknown:: x

::

   literal

Part
----

- a
- b

1. one

term
   what it is

=== ===
a   b
=== ===
1   2
=== ===

>>> code

----

.. _target: https://example.org

Deep
~~~~

Words.
"""


def test_the_survey_of_a_section_says_what_opening_it_gives() -> None:
    units = [unit for _, unit in parsed(_SURVEYED).root.walk() if unit.survey() is not None]
    assert len(units) == 4
    for unit in units:
        assert sorted(unit.survey() or ()) == sorted(told_by_opening(unit))
    kinds = {kind for kind, _ in units[0].survey() or ()}
    assert kinds >= {"fence", "math", "admonition", "table", "entry", "figure", "directive", "code"}


_NEAR = ["a", "b1", "_", "_", "`", "`", " ", "\n", ".", "-", ":", "<", "(", "\xe9", "`_", "a_ "]
_NEAR_LINKS = st.lists(st.sampled_from(_NEAR), max_size=40).map("".join)


@example("`a_ b`_", 0, 0)
@example("a_-b_", 0, 0)
@given(_NEAR_LINKS, st.integers(0, 12), st.integers(0, 12))
def test_links_are_found_from_their_marks(text: str, from_start: int, from_end: int) -> None:
    start = min(from_start, len(text))
    end = max(start, len(text) - from_end)
    found = [(use.span(), use.groups()) for use in _link_uses(text, start, end)]
    assert found == [(use.span(), use.groups()) for use in _LINK_USE.finditer(text, start, end)]
