"""Markdown that is split: its fences, and what parts of each block carry."""

from __future__ import annotations

import pytest

from structchunk_core.unit import Tie
from tests.cutting import cut, holder_of
from tests.markdown_units import only, paths, read, spell, units


@pytest.mark.parametrize(
    ("info", "language"),
    [
        ("py", "python"),
        ("Python title='x'", "python"),
        ("{.python .x}", "python"),
        ("{python}", "python"),
        ("{r, echo=FALSE}", "r"),
        ("js,ignore", "javascript"),
        ("C++", "cpp"),
        ("c#", "csharp"),
        ("objective-c", "objc"),
        ("{code-block} python", "python"),
        ("ts:title=a", "typescript"),
        ("", ""),
        ("!", ""),
    ],
)
def test_language_of_a_fence(info: str, language: str) -> None:
    assert only(f"~~~{info}\nx\n~~~\n", "fence").language == language


def test_parts_of_a_fence_are_opened_and_closed_as_the_fence_is() -> None:
    cases = {
        "```py title\nx\n```\n": ("```py title\n", "\n```"),
        "~~~~\nx\n~~~~~\n": ("~~~~\n", "\n~~~~"),
        "- a\n\n  ```py\r\n  x\n  ```\n": ("  ```py\n", "\n  ```"),
        "1. > ```\n   > x\n   > ```\n": ("   > ```\n", "\n   > ```"),
        "```\nnot closed\n": ("```\n", "\n```"),
        "\ufeff```\nx\n```\n": ("```\n", "\n```"),
    }
    for text, (before, after) in cases.items():
        repeat = only(text, "fence").repeat
        assert repeat is not None
        assert (repeat.before, repeat.after, repeat.required) == (before, after, True)


def test_a_fence_opens_into_its_lines_and_its_content() -> None:
    text = "```\na\n\nb\n```\n\n"
    fence = only(text, "fence")
    marks = [(unit.kind, text[unit.start : unit.end]) for unit in fence.open()]
    assert marks[0] == ("fence_mark", "```\n")
    assert marks[-1] == ("fence_mark", "```\n\n")
    assert "".join(part for _, part in marks[1:-1]) == "a\n\nb\n"
    assert [unit.tie.name for unit in fence.open()[1:]].count("HEAD") >= 2


def test_the_content_of_a_fence_between_marks_is_one_leaf() -> None:
    text = "> ```py\n> x = 1\n> y = 2\n> ```\n"
    inside = only(text, "fence").open()
    assert [unit.kind for unit in inside] == ["fence_mark", "code_text", "fence_mark"]
    assert text[inside[1].start : inside[1].end] == "> x = 1\n> y = 2\n"


def test_a_fence_of_nothing() -> None:
    for text in ("```", "```\n", "```\n```", "```\n\n", "> ```\n"):
        assert spell(text) == text
        assert len(units(text, "fence")) == 1


def test_parts_of_a_table_carry_caption_and_head() -> None:
    head = "| a | b |\n|:--|---|\n"
    for above, below, caption in (
        ("", "", ""),
        ("Table 1: x\n\n", "", "Table 1: x\n\n"),
        ("*Table of x*\n\n", "", "*Table of x*\n\n"),
        ("Words\n\n", "", ""),
    ):
        repeat = only(f"{above}{head}| 1 | 2 |\n{below}", "table").repeat
        assert repeat is not None
        assert (repeat.before, repeat.below) == (caption + head, ())
    repeat = only(f"{head}| 1 | 2 |\n\n: x\n", "table").repeat
    assert repeat is not None
    assert (repeat.before, repeat.below) == (head, ("\n\n: x",))


def test_cells_begin_at_their_bar() -> None:
    text = "| é | b |\n|---|---|\n|  1 | `x\\|y` |\n 3 | 4\n||5|\n"
    cells = [text[unit.start : unit.end] for unit in units(text, "cell")]
    assert cells == ["|  1 ", "| `x\\|y` |\n", " 3 ", "| 4\n", "|", "|5|\n"]


def test_parts_of_a_procedure_carry_a_short_intro() -> None:
    steps = "1. a\n2. b\n"
    for above, before in (
        ("Do this:\n\n", "Do this:\n\n"),
        ("# A\n\n", None),
        ("", None),
        ("word " * 60 + "\n\n", None),
    ):
        repeat = only(above + steps, "procedure").repeat
        assert (repeat.before if repeat else None) == before


def test_parts_of_an_admonition_carry_its_opening() -> None:
    for text, before, after in (
        ("!!! note\n    a\n\n    b\n", "!!! note\n", ""),
        ("- x\n\n  ::: tip A\n  a\n  :::\n", "  ::: tip A\n", "\n  :::"),
        ("> [!TIP]\n> a\n", "> [!TIP]\n", ""),
        ("- > [!TIP]\n  > a\n", "  > [!TIP]\n", ""),
    ):
        repeat = only(text, "admonition").repeat
        assert repeat is not None
        assert (repeat.before, repeat.after) == (before, after)


def test_parts_of_a_quote_that_begin_inside_a_line_have_its_marks() -> None:
    for lead, mark in (("> ", "> "), ("- > ", "  > "), ("> > ", "> > "), ("> [!TIP]\n> ", "> ")):
        text = lead + "A sentence of a quote that goes on. " * 20
        chunks = cut(text, "a.md", 200, context="none")
        assert len(chunks) > 2
        for chunk in chunks[1:]:
            assert f"{mark}A sentence" in chunk.text


def test_parts_of_a_list_carry_the_first_words_of_the_items_around_them() -> None:
    text = (
        "- Fruit\n  1. Apples:\n     - Red ones, which are sweet and good for cakes.\n"
        "     - Green ones, which are sour and good for sauces.\n  2. Pears\n     - Long ones.\n"
        "- Roots\n"
    )
    chunks = cut(text, "a.md", 100, context="none")
    assert [chunk.prefix for chunk in chunks] == ["", "- Fruit\n  1. Apples:\n", "- Fruit\n"]


def test_steps_that_are_cut_carry_intro_and_first_words_and_keep_their_numbers() -> None:
    words = "Words of it. " * 9
    steps = "".join(f"{n}. Step {n}:\n\n   {words}\n\n   {words}\n" for n in range(1, 4))
    chunks = cut(f"Do this:\n\n{steps}", "a.md", 170, context="none")
    assert len(chunks) > 3
    for chunk in chunks:
        assert chunk.text.startswith("Do this:\n\n")
    assert {chunk.prefix for chunk in chunks} >= {"Do this:\n\n", "Do this:\n\n2. Step 2:\n\n"}


@pytest.mark.parametrize(
    ("written", "level", "label"),
    [
        ("<h1>A</h1>\n", 1, "A"),
        ('<h2 align="center">\n  <img src="x"> A <em>b</em> &amp; c\n</h2>\n', 2, "A b & c"),
        ('<H3><img alt="Logo of A" src="x"></H3>\n', 3, "Logo of A"),
        ("<h4>A</h4>\ntouching text\n", 4, "A"),
        ("<h1>\n\n**A**\n\n</h1>\n", 1, "**A**"),
        ("<h1>A</h1><p>behind</p>\n", 0, ""),
        ("<h1><br></h1>\n", 0, ""),
        ("<h1>A\n", 0, ""),
        ("<div><h1>A</h1></div>\n", 0, ""),
        ("- <h1>A</h1>\n", 0, ""),
    ],
)
def test_a_heading_of_html_is_one_when_it_stands_alone(
    written: str, level: int, label: str
) -> None:
    text = f"before\n\n{written}\nbelow\n"
    found = [(unit.level, unit.label) for unit in units(text, "section")]
    assert found == ([(level, label)] if level else [])
    assert spell(text) == text


def test_headings_of_html_and_markdown_nest_and_give_the_title() -> None:
    text = "<h1>A</h1>\n\n## B\n\nx\n\n<h3>C</h3>\n\ny\n\n<div>\n\n<h2>D</h2>\n\nz\n\n</div>\n"
    assert read(text).title == "A"
    assert [labels for labels, leaf in paths(text) if leaf.strip() in {"x", "y", "z"}] == [
        ("A", "B"),
        ("A", "B", "C"),
        ("A", "D"),
    ]


def test_a_container_that_nothing_closes_keeps_its_opening_with_what_follows() -> None:
    for opening in (":::note", "::: {.tip}", "/// warning"):
        _, paragraph = read(f"{opening}\n\nInside words.\n").root.open()
        assert paragraph.tie is Tie.CLOSE


def test_a_directive_of_myst_holds_markdown() -> None:
    text = (
        "````{note} Title\n:class: x\n\nFirst.\n\n- a\n\n```py\nx = 1\n```\n````\n\n"
        "```{code-block} python\n:linenos:\n\nx = 1\n```\n\n```{r}\nx <- 1\n```\n\n"
        "```{figure} a.png\n---\nwidth: 3\n---\nCaption.\n```\n\n```{math}\na\n```\n"
    )
    kinds = [(unit.kind, unit.language) for unit in read(text).root.open()]
    assert kinds == [
        ("admonition", ""),
        ("fence", "python"),
        ("fence", "r"),
        ("figure", ""),
        ("math", ""),
    ]
    note, code, _, figure, _ = read(text).root.open()
    assert [unit.kind for unit in note.open()] == ["mark", "paragraph", "list", "fence", "mark"]
    assert text[note.open()[0].start : note.open()[0].end] == "````{note} Title\n:class: x\n\n"
    assert text[code.open()[0].start : code.open()[0].end].endswith(":linenos:\n")
    assert "width: 3\n---\n" in text[figure.open()[0].start : figure.open()[0].end]
    assert spell(text) == text


def test_parts_of_a_directive_of_myst_are_closed() -> None:
    text = "- x\n\n  ```{note}\n" + "  Words of a note.\n\n" * 20 + "  ```\n"
    chunks = cut(text, "a.md", 200, context="none")
    assert len(chunks) > 2
    for chunk in chunks[1:-1]:
        assert "  ```{note}\n" in chunk.prefix
        assert chunk.suffix == "\n  ```"


def test_parts_of_details_and_components_carry_their_tags() -> None:
    inner = "Some words about it, in a paragraph.\n\n" * 12
    for first, last in (
        ("<details>\n<summary>More of it</summary>", "</details>"),
        ("<details><summary>More</summary>", "</details>"),
        ('<Tab title="npm">', "</Tab>"),
    ):
        chunks = cut(f"{first}\n\n{inner}{last}\n", "a.md", 220, context="none")
        assert len(chunks) > 2
        for chunk in chunks[1:-1]:
            assert chunk.prefix == f"{first}\n\n"
            assert chunk.suffix == f"\n\n{last}"
    (html,) = units(f"<div>\n\n{inner}</div>\n", "html")[:1]
    assert html.repeat is None


def test_a_formula_between_brackets_is_math() -> None:
    text = "Words:\n\n\\[\na = b\n\\]\n\n```math\nc\n```\n\n\\[x\\] in prose\n"
    assert [unit.kind for unit in read(text).root.open()] == [
        *("paragraph", "math", "math", "paragraph"),
    ]


def test_link_definitions_travel_with_their_use() -> None:
    filler = "More text is here to fill the part. " * 9
    text = (
        f"# A\n\nSee [the site][Site] and [other] or [here](x) and a[site].\n{filler}\n\n"
        f"# B\n\n![x][pic] {filler}\n\n# C\n\nNothing.\n{filler}\n\n"
        "[site]: https://example.org\n[other]: <a b>\n  'Title'\n[pic]: p.png\n"
    )
    chunks = cut(text, "a.md", 500, context="none")
    first, second, third = (holder_of(chunks, f"# {name}") for name in "ABC")
    assert first.suffix == "\n\n[site]: https://example.org\n\n[other]: <a b>\n  'Title'"
    assert second.suffix == "\n\n[pic]: p.png"
    assert third.suffix == ""


def test_link_definitions_take_a_part_of_the_budget_only() -> None:
    links = "".join(f"[link {n}]: https://example.org/{n}/{'x' * 40}\n" for n in range(30))
    uses = " ".join(f"[link {n}]" for n in range(30))
    (chunk, *_) = cut(f"# A\n\n{uses}\n\n# B\n\n{links}", "a.md", 1500, context="none")
    assert 0 < len(chunk.suffix) <= 450
