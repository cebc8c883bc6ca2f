from __future__ import annotations

import re
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent

import pyromark
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from structchunk_core.formats import ParseOptions
from structchunk_core.formats._markdown_blocks import walk_blocks
from structchunk_core.formats._markdown_reader import read_blocks
from structchunk_core.formats._markdown_regions import _hidden, _regions, _spliced
from structchunk_core.formats.markdown import parse
from structchunk_core.source import Source
from structchunk_core.unit import Parsed, Tie, Unit
from tests.cutting import cut, holder_of, told_by_opening

CODE_KINDS = frozenset({"fence", "code"})  # what is inside is another format's business


def read(text: str, path: str = "") -> Parsed:
    return parse(Source(text, path, "markdown"), ParseOptions())


def outline(text: str, path: str = "") -> str:
    """Kind, label and tie of each unit below the root, and the text of each leaf."""
    lines: list[str] = []
    stack = [(0, unit) for unit in reversed(read(text, path).root.open())]
    while stack:
        depth, unit = stack.pop()
        children = () if unit.kind in CODE_KINDS else unit.open()
        label = f" {unit.label!r}" if unit.label else ""
        leaf = "" if children else f": {text[unit.start : unit.end]!r}"
        lines.append(f"{'  ' * depth}{unit.kind}{label} {unit.tie.name}{leaf}")
        stack.extend((depth + 1, child) for child in reversed(children))
    return "\n".join(lines)


def units(text: str, kind: str, path: str = "") -> list[Unit]:
    return [unit for _, unit in read(text, path).root.walk() if unit.kind == kind]


def only(text: str, kind: str, path: str = "") -> Unit:
    (unit,) = units(text, kind, path)
    return unit


def paths(text: str, path: str = "") -> Iterator[tuple[tuple[str, ...], str]]:
    """The heading path and the text of each leaf, in order."""
    stack: list[tuple[tuple[str, ...], Unit]] = [((), read(text, path).root)]
    while stack:
        above, unit = stack.pop()
        labels = (*above, unit.label) if unit.label else above
        children = unit.open()
        if not children:
            yield labels, text[unit.start : unit.end]
        stack.extend((labels, child) for child in reversed(children))


def path_of(text: str, words: str, path: str = "") -> tuple[str, ...]:
    (found,) = {labels for labels, leaf in paths(text, path) if words in leaf}
    return found


def spell(text: str, path: str = "") -> str:
    root = read(text, path).root
    assert (root.start, root.end) == (0, len(text))
    return "".join(leaf for _, leaf in paths(text, path))


OUTLINES = [
    (
        "atx and setext headings nest by level",
        "",
        ("# A\n\ntext\n\n### C\n\ntext\n\nB *two*\nlines\n---\n\ntext\n\nAgain\n=====\n"),
        r"""
        section 'A' FREE
          heading FREE: '# A\n\n'
          paragraph HEAD: 'text\n\n'
          section 'C' FREE
            heading FREE: '### C\n\n'
            paragraph HEAD: 'text\n\n'
          section 'B two lines' FREE
            heading FREE: 'B *two*\nlines\n---\n\n'
            paragraph HEAD: 'text\n\n'
        section 'Again' FREE
          heading FREE: 'Again\n=====\n'
        """,
    ),
    (
        "a heading label is plain text",
        "",
        ("## The `x` [link](u) **bold** &amp; $e$ {#id} ##\n### GET /users/{id}\n#\n"),
        r"""
        section 'The x link bold & e' FREE
          heading FREE: '## The `x` [link](u) **bold** &amp; $e$ {#id} ##\n'
          section 'GET /users/{id}' HEAD
            heading FREE: '### GET /users/{id}\n'
        section FREE
          heading FREE: '#\n'
        """,
    ),
    (
        "text before the first heading stands outside every section",
        "",
        "\n\nhello\n\n# A\nb\n",
        r"""
        paragraph FREE: '\n\nhello\n\n'
        section 'A' FREE
          heading FREE: '# A\n'
          paragraph HEAD: 'b\n'
        """,
    ),
    (
        "a heading in a quote or a list is no section",
        "",
        "# A\n\n> # B\n> c\n\n- # D\n  e\n",
        r"""
        section 'A' FREE
          heading FREE: '# A\n\n'
          quote HEAD
            heading HEAD: '> # B\n'
            paragraph HEAD: '> c\n\n'
          list LOOSE
            item NEXT
              heading NEXT: '- # D\n'
              paragraph HEAD: '  e\n'
        """,
    ),
    (
        "a byte order mark belongs to the first unit",
        "",
        "\ufeff# A\n",
        r"""
        section 'A' FREE
          heading FREE: '\ufeff# A\n'
        """,
    ),
    (
        "front matter",
        "",
        '---\ntitle: "A \\"B\\""\n# no heading\n---\n\n# C\n',
        r"""
        front_matter FREE: '---\ntitle: "A \\"B\\""\n# no heading\n---\n\n'
        section 'C' FREE
          heading FREE: '# C\n'
        """,
    ),
    (
        "toml front matter",
        "",
        "+++\ntitle = 'A'\n+++\nb\n",
        r"""
        front_matter FREE: "+++\ntitle = 'A'\n+++\n"
        paragraph NEXT: 'b\n'
        """,
    ),
    (
        "thematic breaks are no front matter",
        "",
        "---\n\nSome words\n\n---\n\nmore\n",
        r"""
        rule FREE: '---\n\n'
        paragraph LOOSE: 'Some words\n\n'
        rule CLOSE: '---\n\n'
        paragraph LOOSE: 'more\n'
        """,
    ),
    (
        "a metadata block further down is none",
        "",
        "a\n\n---\nb: c\n---\n",
        r"""
        paragraph FREE: 'a\n\n'
        rule CLOSE: '---\n'
        section 'b: c' FREE
          heading FREE: 'b: c\n---\n'
        """,
    ),
    (
        "lists",
        "",
        ("Intro:\n\n- a\n- b\n\n  more\n\n  ```py\n  x\n  ```\n\n- [x] c\n  1. d\n  2. e\n"),
        r"""
        paragraph FREE: 'Intro:\n\n'
        list CLOSE
          item NEXT
            paragraph NEXT: '- a\n'
          item NEXT
            paragraph NEXT: '- b\n\n'
            paragraph CLOSE: '  more\n\n'
            fence CLOSE: '  ```py\n  x\n  ```\n\n'
          item LOOSE
            paragraph LOOSE: '- [x] c\n'
            procedure CLOSE
              item NEXT
                paragraph NEXT: '  1. d\n'
              item NEXT
                paragraph NEXT: '  2. e\n'
        """,
    ),
    (
        "a procedure repeats its intro",
        "",
        "Do this.\n\n1. a\n2. b\n\nNote the end.\n",
        r"""
        paragraph FREE: 'Do this.\n\n'
        procedure CLOSE
          item NEXT
            paragraph NEXT: '1. a\n'
          item NEXT
            paragraph NEXT: '2. b\n\n'
        paragraph LOOSE: 'Note the end.\n'
        """,
    ),
    (
        "table",
        "",
        (
            "Table 1: things\n"
            "\n"
            "| a | b |\n"
            "|---|---|\n"
            "| 1 | x \\| y |\n"
            "| 2 |\n"
            "\n"
            "where a is b\n"
            "\n"
            "Other words.\n"
        ),
        r"""
        paragraph FREE: 'Table 1: things\n\n'
        table CLOSE
          table_head CLOSE: '| a | b |\n|---|---|\n'
          row HEAD
            cell INSIDE: '| 1 '
            cell INSIDE: '| x \\| y |\n'
          row NEXT
            cell INSIDE: '| 2 |\n\n'
        paragraph CLOSE: 'where a is b\n\n'
        paragraph LOOSE: 'Other words.\n'
        """,
    ),
    (
        "table in a list and a quote",
        "",
        "- a | b\n  --|--\n  1 | 2\n\n> a | b\n> --|--\n> 1 | 2\n",
        r"""
        list FREE
          item NEXT
            table NEXT
              table_head NEXT: '- a | b\n  --|--\n'
              row HEAD
                cell INSIDE: '  1 '
                cell INSIDE: '| 2\n\n'
        quote LOOSE
          table LOOSE
            table_head LOOSE: '> a | b\n> --|--\n'
            row HEAD
              cell INSIDE: '> 1 '
              cell INSIDE: '| 2\n'
        """,
    ),
    (
        "fences",
        "",
        'a\n\n~~~~ {.Python title="x"}\n# no\n```\n~~~~\nb\n',
        r"""
        paragraph FREE: 'a\n\n'
        fence CLOSE: '~~~~ {.Python title="x"}\n# no\n```\n~~~~\n'
        paragraph CLOSE: 'b\n'
        """,
    ),
    (
        "a fence in a quote in a list",
        "",
        "- > ```js,a\n  > x\n  > ```\n",
        r"""
        list FREE
          item NEXT
            quote NEXT
              fence NEXT: '- > ```js,a\n  > x\n  > ```\n'
        """,
    ),
    (
        "an open fence runs to the end of its container",
        "",
        "> ```\n> # x\n\nb\n\n```\n# y\n\n# z\n",
        r"""
        quote FREE
          fence FREE: '> ```\n> # x\n\n'
        paragraph LOOSE: 'b\n\n'
        fence CLOSE: '```\n# y\n\n# z\n'
        """,
    ),
    (
        "indented code",
        "",
        "a\n\n    # b\n\n    c\n\nd\n",
        r"""
        paragraph FREE: 'a\n\n'
        code CLOSE: '    # b\n\n    c\n\n'
        paragraph CLOSE: 'd\n'
        """,
    ),
    (
        "quotes and alerts",
        "",
        "> a\n>\n> b\nlazy\n\n> [!NOTE]\n> c\n",
        r"""
        quote FREE
          paragraph FREE: '> a\n>\n'
          paragraph LOOSE: '> b\nlazy\n\n'
        admonition LOOSE
          paragraph LOOSE: '> [!NOTE]\n> c\n'
        """,
    ),
    (
        "html",
        "",
        "<div>\n# no\n</div>\n\n<!-- a\n\n# no -->\nb\n",
        r"""
        html FREE: '<div>\n# no\n</div>\n\n'
        html LOOSE: '<!-- a\n\n# no -->\n'
        paragraph NEXT: 'b\n'
        """,
    ),
    (
        "a heading in a wrapper stays a section",
        "",
        '<div align="center">\n\n# A\n\n</div>\n\nb\n',
        r"""
        html FREE: '<div align="center">\n\n'
        section 'A' FREE
          heading FREE: '# A\n\n'
          html HEAD: '</div>\n\n'
          paragraph LOOSE: 'b\n'
        """,
    ),
    (
        "details",
        "",
        "<details>\n<summary>S</summary>\n\n# no\n\n- a\n\n</details>\n\nb\n",
        r"""
        html FREE
          html FREE: '<details>\n'
          html HEAD: '<summary>S</summary>\n\n'
          heading LOOSE: '# no\n\n'
          list HEAD
            item NEXT
              paragraph NEXT: '- a\n\n'
          html HEAD: '</details>\n\n'
        paragraph LOOSE: 'b\n'
        """,
    ),
    (
        "an element that is not closed is left alone",
        "",
        "<details>\n\n# A\n\nb\n",
        r"""
        html FREE: '<details>\n\n'
        section 'A' FREE
          heading FREE: '# A\n\n'
          paragraph HEAD: 'b\n'
        """,
    ),
    (
        "math",
        "",
        "See:\n\n$$\na\n\n# b\n$$\n\n$$c$$\n\n$$ is a sign\n\n# A\n",
        r"""
        paragraph FREE: 'See:\n\n'
        math CLOSE: '$$\na\n\n# b\n$$\n\n'
        math LOOSE: '$$c$$\n\n'
        paragraph LOOSE: '$$ is a sign\n\n'
        section 'A' FREE
          heading FREE: '# A\n'
        """,
    ),
    (
        "containers",
        "",
        ":::: note\n# no\n\n::: tip\na\n:::\n::::\n\nb\n\n::: open\n\n# A\n",
        r"""
        admonition FREE
          mark FREE: ':::: note\n'
          heading HEAD: '# no\n\n'
          admonition HEAD
            mark HEAD: '::: tip\n'
            paragraph HEAD: 'a\n'
            mark HEAD: ':::\n'
          mark HEAD: '::::\n\n'
        paragraph LOOSE: 'b\n\n'
        paragraph LOOSE: '::: open\n\n'
        section 'A' FREE
          heading FREE: '# A\n'
        """,
    ),
    (
        "a container after text and in a list",
        "",
        "- a\n  ::: tip\n  b\n\n  - c\n  :::\n- d\n",
        r"""
        list FREE
          item NEXT
            paragraph NEXT: '- a\n'
            admonition CLOSE
              mark CLOSE: '  ::: tip\n'
              paragraph HEAD: '  b\n\n'
              list CLOSE
                item NEXT
                  paragraph NEXT: '  - c\n'
              mark HEAD: '  :::\n'
          item NEXT
            paragraph NEXT: '- d\n'
        """,
    ),
    (
        "admonitions and tabs",
        "",
        (
            '!!! note "T"\n'
            "    a\n"
            "\n"
            "    - b\n"
            "\n"
            "    ??? tip\n"
            "        c\n"
            "\n"
            '=== "A"\n'
            "\n"
            "    # d\n"
            "\n"
            '=== "B"\n'
            "    e\n"
            "\n"
            "!!! none\n"
            "\n"
            "f\n"
        ),
        r"""
        admonition FREE
          mark FREE: '!!! note "T"\n'
          paragraph HEAD: '    a\n\n'
          list CLOSE
            item NEXT
              paragraph NEXT: '    - b\n\n'
          admonition LOOSE
            mark LOOSE: '    ??? tip\n'
            paragraph HEAD: '        c\n\n'
        tab LOOSE
          mark LOOSE: '=== "A"\n\n'
          heading HEAD: '    # d\n\n'
        tab NEXT
          mark NEXT: '=== "B"\n'
          paragraph HEAD: '    e\n\n'
        paragraph LOOSE: '!!! none\n\n'
        paragraph LOOSE: 'f\n'
        """,
    ),
    (
        "footnotes",
        "",
        "a[^1]\n\n[^1]: b\n\n    c\n[^2]: d\n",
        r"""
        paragraph FREE: 'a[^1]\n\n'
        footnote LOOSE
          paragraph LOOSE: '[^1]: b\n\n'
          paragraph LOOSE: '    c\n'
        footnote NEXT
          paragraph NEXT: '[^2]: d\n'
        """,
    ),
    (
        "definition lists",
        "",
        "term\n: def\n\n: more\n\nother\n: x\n\n:rocket: fast\n",
        r"""
        definition_list FREE
          item NEXT
            term NEXT: 'term\n'
            definition CLOSE
              paragraph CLOSE: ': def\n\n'
            definition LOOSE
              paragraph LOOSE: ': more\n\n'
          item LOOSE
            term LOOSE: 'other\n'
            definition CLOSE
              paragraph CLOSE: ': x\n\n'
        paragraph LOOSE: ':rocket: fast\n'
        """,
    ),
    (
        "a colon without a blank is prose",
        "",
        "Look\n:rocket: fast\n",
        r"""
        paragraph FREE: 'Look\n:rocket: fast\n'
        """,
    ),
    (
        "link definitions are a unit",
        "",
        "[a]: u\n\n# H\n\nb\n\n[c]: d\n[e]: f\n",
        r"""
        references FREE: '[a]: u\n\n'
        section 'H' FREE
          heading FREE: '# H\n\n'
          paragraph HEAD: 'b\n\n'
          references LOOSE: '[c]: d\n[e]: f\n'
        """,
    ),
    (
        "rules",
        "",
        "a\n\n---\n\nb\n",
        r"""
        paragraph FREE: 'a\n\n'
        rule CLOSE: '---\n\n'
        paragraph LOOSE: 'b\n'
        """,
    ),
    (
        "ties",
        "",
        (
            "Words of a paragraph\n"
            "of two lines.\n"
            "\n"
            "- a\n"
            "\n"
            "Short lead-in\n"
            "\n"
            "- b\n"
            "\n"
            "b\n"
            "```\n"
            "c\n"
            "```\n"
            "d\n"
        ),
        r"""
        paragraph FREE: 'Words of a paragraph\nof two lines.\n\n'
        list LOOSE
          item NEXT
            paragraph NEXT: '- a\n\n'
        paragraph LOOSE: 'Short lead-in\n\n'
        list CLOSE
          item NEXT
            paragraph NEXT: '- b\n\n'
        paragraph LOOSE: 'b\n'
        fence CLOSE: '```\nc\n```\n'
        paragraph CLOSE: 'd\n'
        """,
    ),
    (
        "lone carriage returns end no line",
        "",
        "a\r# b\rc\r\n# d\r\n\r\ne\r\n",
        r"""
        paragraph FREE: 'a\r# b\rc\r\n'
        section 'd' FREE
          heading FREE: '# d\r\n\r\n'
          paragraph HEAD: 'e\r\n'
        """,
    ),
    (
        "esm",
        "a.mdx",
        (
            "import A from 'a'\n"
            "export const b = {\n"
            "  c: 1,\n"
            "\n"
            "  d: 2\n"
            "}\n"
            "\n"
            "# H\n"
            "\n"
            "import duties rose\n"
            "\n"
            "<Aside\n"
            "  b={() => 1 > 0}\n"
            ">\n"
            "\n"
            "  - c\n"
            "\n"
            "</Aside>\n"
        ),
        r"""
        esm FREE: "import A from 'a'\nexport const b = {\n  c: 1,\n\n  d: 2\n}\n\n"
        section 'H' FREE
          heading FREE: '# H\n\n'
          paragraph HEAD: 'import duties rose\n\n'
          html CLOSE
            html CLOSE: '<Aside\n  b={() => 1 > 0}\n>\n\n'
            list HEAD
              item NEXT
                paragraph NEXT: '  - c\n\n'
            html HEAD: '</Aside>\n'
        """,
    ),
    (
        "indented content of elements",
        "a.mdx",
        ("<Tabs>\n  <Tab>\n\n    ```sh\n    # a\n    ```\n\n  </Tab>\n</Tabs>\n"),
        r"""
        html FREE
          html FREE: '<Tabs>\n'
          html HEAD
            html HEAD: '  <Tab>\n\n'
            fence HEAD: '    ```sh\n    # a\n    ```\n\n'
            html HEAD: '  </Tab>\n'
          html HEAD: '</Tabs>\n'
        """,
    ),
]


@pytest.mark.parametrize(
    ("name", "path", "text", "expected"), OUTLINES, ids=[entry[0] for entry in OUTLINES]
)
def test_outline(name: str, path: str, text: str, expected: str) -> None:
    assert outline(text, path) == dedent(expected).strip()
    assert spell(text, path) == text


def test_an_empty_document_is_one_leaf() -> None:
    for text in ("", "\n \n", "\ufeff"):
        root = read(text).root
        assert (root.kind, root.start, root.end, root.atomic) == ("document", 0, len(text), False)
        assert root.open() == ()


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# A\n# B\n", ""),
        ("## A\n# B\n", "B"),
        ("words\n", ""),
        ("> # A\n", ""),
        ("---\ntitle: A b # c\n---\n# D\n", "A b"),
        ("---\ntitle: 'It''s'\n---\n", "It's"),
        ('---\ntitle: "A \\"b\\""\n---\n', 'A "b"'),
        ("---\ntitle: >-\n  A\n  b\nc: d\n---\n", "A b"),
        ("---\nsub:\n  title: no\n---\n# D\n", "D"),
        ("---\n# title: no\n\nTitle: A\n...\n", "A"),
        ('+++\ntitle = "A"\n+++\n# D\n', "A"),
        ("\ufeff---\r\ntitle: A\r\n---\r\n", "A"),
        ("---\ntitle: not closed\n", ""),
    ],
)
def test_title(text: str, title: str) -> None:
    assert read(text).title == title


@pytest.mark.parametrize(
    "text",
    [
        "---\n\nSome words\n\n---\n",
        "\n---\na: b\n---\n",
        "a\n\n---\nb: c\n---\n",
        "---\na: b\n",
        "----\na: b\n----\n",
        "+++\nwords\n+++\n",
    ],
)
def test_no_front_matter(text: str) -> None:
    assert units(text, "front_matter") == []


def test_only_containers_are_not_atomic() -> None:
    text = "# A\n\nb:\n\n- c\n\n1. d\n\n> e\n\n```\nf\n```\n\n| a |\n|---|\n"
    loose = {unit.kind for _, unit in read(text).root.walk() if not unit.atomic}
    assert loose == {"document", "section", "list"}


# Fences


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


# Tables, lists


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


# Shapes that break other splitters


def test_a_comment_in_a_tilde_fence_is_no_heading() -> None:
    text = "# Guide\n\nIntro.\n\n~~~sh\n# set it\nexport A=1\n~~~\n\nClosing.\n"
    assert [unit.label for unit in units(text, "section")] == ["Guide"]
    fence = only(text, "fence")
    assert text[fence.start : fence.end] == "~~~sh\n# set it\nexport A=1\n~~~\n\n"


def test_an_indented_fence_stays_in_its_item() -> None:
    text = "# S\n\n* First\n\n    ```sh\n    # no heading\n    ```\n* Second\n\n## Next\n\nbody\n"
    item = units(text, "item")[0]
    assert text[item.start : item.end].endswith("    # no heading\n    ```\n")
    assert [unit.label for unit in units(text, "section")] == ["S", "Next"]


def test_a_slash_in_a_heading_divides_nothing() -> None:
    text = "# Ops\n\n## TCP/IP\n\nalpha\n\n## A/B\n\n### Read/write\n\nbeta\n"
    assert path_of(text, "alpha") == ("Ops", "TCP/IP")
    assert path_of(text, "beta") == ("Ops", "A/B", "Read/write")


def test_equal_sections_are_two() -> None:
    text = "# Kit\n\n## Use\n\nPress.\n\n# Kit\n\n## Use\n\nPress.\n\n# End\n\nBye.\n"
    first, second = (unit for unit in units(text, "section") if unit.label == "Use")
    assert first.end < second.start
    assert text[first.start : first.end] == text[second.start : second.end]


def test_math_with_blank_lines_is_one_unit_without_headings() -> None:
    text = "# E\n\n$$\nE = m\n\n# no heading\nF\n$$\n\n## U\n\nJ\n"
    assert path_of(text, "no heading") == ("E",)
    assert path_of(text, "J\n") == ("E", "U")
    math = only(text, "math")
    assert text[math.start : math.end] == "$$\nE = m\n\n# no heading\nF\n$$\n\n"


@pytest.mark.parametrize(
    "text",
    [
        "$$\n\na\n\n# H\n\nb\n$$\n",  # a blank line below the mark: no pair
        "$$\na\n\n```\nb\n```\n\n# H\n\n$$\n",  # a fence between
        "$$ a\nb $$\n\n# H\n\n$$\nc\n$$\n",  # each whole by itself
        "a $$\nb\n$$\n\n# H\n\n$$\nc\n$$\n",
        "```\n$$\n```\n\n# H\n\n```\n$$\n```\n",
    ],
)
def test_dollars_that_are_no_pair_hide_no_heading(text: str) -> None:
    assert [unit.label for unit in units(text, "section")] == ["H"]


def test_tabs_of_mdx_are_one_unit_with_whole_fences() -> None:
    text = (
        "import { Tabs } from 'kit'\n\n# Start\n\nImport it first.\n\n<Tabs>\n<Tab t='npm'>\n\n"
        "```sh\n# npm\n```\n\n</Tab>\n<Tab t='yarn'>\n\n```sh\n# yarn\n```\n\n</Tab>\n</Tabs>\n\n"
        "## Next\n\nend\n"
    )
    outer, npm, yarn = (unit for unit in units(text, "html", "a.mdx") if unit.open())
    assert text[outer.start : outer.end].startswith("<Tabs>")
    assert text[outer.start : outer.end].endswith("</Tabs>\n\n")
    assert (npm.start, yarn.end) == (text.index("<Tab t='npm'"), text.index("</Tabs>"))
    assert len(units(text, "fence", "a.mdx")) == 2
    assert path_of(text, "Import it first", "a.mdx") == ("Start",)
    assert path_of(text, "end\n", "a.mdx") == ("Start", "Next")
    assert only(text, "esm", "a.mdx").start == 0


@pytest.mark.parametrize(
    ("text", "modules"),
    [
        ("import duties rose\n\n# A\n", ""),
        ("export rules changed\n", ""),
        ("export default changed\n", "export default changed\n"),
        ("import 'a.css'\n# A\n", "import 'a.css'\n"),
        (
            "import {\n  A,\n\n  B\n} from 'c'\n\n\nprose\n",
            "import {\n  A,\n\n  B\n} from 'c'\n\n\n",
        ),
        ("export const a = {\n\nprose\n", "export const a = {\n\n"),
        ("prose\n\nimport A from 'a'\n", ""),
        ("---\na: b\n---\n\nimport A from 'a'\n\nprose\n", "import A from 'a'\n\n"),
    ],
)
def test_modules_of_mdx(text: str, modules: str) -> None:
    assert "".join(text[u.start : u.end] for u in units(text, "esm", "A.MDX")) == modules
    assert units(text, "esm", "a.md") == []


def test_pairs_of_tags_are_found_in_every_shape() -> None:
    for text in (
        "<details><summary>a</summary>\n\nb\n\n</details>\n",
        "<details open>\n\nb\n\nc</details>\n",
        "- <Tabs>\n\n  b\n\n  </Tabs>\n",
        '<Aside\n  on={() => a > b}\n  x="<"\n>\n\nb\n\n</Aside>\n',
        "<details>\n\n- b\n</details>\n",
        "<details>\n\n<details>\n\nb\n\n</details>\n\n</details>\n",
    ):
        outer = next(unit for unit in units(text, "html") if unit.open())
        assert text[outer.end :] == ""


@pytest.mark.parametrize(
    "text",
    [
        "<details>\n\nb\n",
        "b\n\n</details>\n",
        "<br>\n\nb\n\n</br>\n",
        "<a name='x'>\n\nb\n\n</a>\n",
        "<details>x</details>\n\nb\n",
        "<!-- <details> -->\n\nb\n\n<!-- </details> -->\n",
        "```\n<details>\n```\n\nb\n\n```\n</details>\n```\n",
        "`<details>` a\n\nb\n\n`</details>`\n",
        "<https://a.b>\n\nb\n\n</https>\n",
    ],
)
def test_tags_that_are_no_pair(text: str) -> None:
    assert all(not unit.open() for unit in units(text, "html"))


def test_containers_close_at_their_own_marks() -> None:
    text = "::: a\n:::: b\nx\n::::\n:::\n\ny\n"
    outer, inner = units(text, "admonition")
    assert text[outer.start : outer.end] == "::: a\n:::: b\nx\n::::\n:::\n\n"
    assert text[inner.start : inner.end] == ":::: b\nx\n::::\n"
    assert units("::: a\n\n# H\n", "admonition") == []
    assert units("```\n::: a\n```\n\n:::\n", "admonition") == []
    assert units("////// banner\n//////x\n", "admonition") == []


# Properties

TEXTS = st.text(
    alphabet=st.one_of(
        st.sampled_from(
            "#-*+>`~|:$!?=/<[]()1.ab \t\n\r\f\v\x00\ufeff\u2028\u0085\u0301\ud800\udc00"
        ),
        st.characters(),
    ),
    max_size=200,
)
MARKS = (
    *(
        "# ",
        "- ",
        "* ",
        "1. ",
        "> ",
        "\n",
        "\n\n",
        "    ",
        "\t",
        "  ",
        "```",
        "```py\n",
        "~~~",
        "`",
    ),
    *(
        "*",
        "[",
        "](",
        "[^1]: ",
        "[a]: u\n",
        ": ",
        "a",
        "b c",
        "---",
        "===",
        "$$",
        "$$\n",
        "<div>\n",
    ),
    *(
        "</div>\n",
        "<!--",
        "-->",
        "<b",
        "\\",
        "é",
        "日本",
        "\u0301",
        "\x00",
        "\f",
        "\ufeff",
        "\u2028",
    ),
    *("\r\n", "\r", "\ud800", "[ ] ", "[!NOTE]\n", "\n::: x\n", "\n:::\n", "\n/// t\n", "\n///\n"),
    *("\n!!! note\n    ", '\n=== "T"\n\n    ', "??? x\n", "<details>\n", "</details>\n", "|"),
    *("<Tab a={1}>\n\n", "\n</Tab>\n", "import x from 'y'\n", "---\ntitle: x\n", "+++\n", "|-|-\n"),
    "a | b\n--|--\n",
)
FRAGMENTS = st.lists(st.sampled_from(MARKS), max_size=60).map("".join)


@given(st.one_of(TEXTS, FRAGMENTS), st.sampled_from(["", "a.mdx"]))
@example("> > ```\n>\n", "")
@example("\ufeff---\na: b\n---", "")
@example("- a\n\n  $$\n  b\n\n  # c\n  $$\n\n[a]: u\n- d", "")
def test_the_leaves_spell_the_source(text: str, path: str) -> None:
    assert spell(text, path) == text


@given(st.one_of(TEXTS, FRAGMENTS), st.sampled_from(["", "a.mdx"]))
def test_units_begin_with_a_line_except_the_first_in_their_parent(text: str, path: str) -> None:
    stack = [read(text, path).root]
    while stack:
        children = stack.pop().open()
        assert all(text[child.start - 1] == "\n" for child in children[1:])
        stack.extend(child for child in children if child.kind not in CODE_KINDS | {"row"})


HIDDEN = "# no heading"
BLOCKS: list[Callable[[str], str]] = [
    lambda w: f"{w} in prose,\nmore *words*.",
    lambda w: f"```sh\n{HIDDEN}\n{w}\n\n{HIDDEN}\n```",
    lambda w: f"~~~~\n~~~\n{HIDDEN} {w}\n~~~~",
    lambda w: f"- {w}\n\n  ```\n  {HIDDEN}\n  ```\n- b\n  1. c",
    lambda w: f"1. {w}\n2. b\n\n   {HIDDEN}",
    lambda w: f"> {HIDDEN}\n>\n> {w}\nlazy",
    lambda w: f"> [!NOTE]\n> {HIDDEN}\n> {w}",
    lambda w: f"| a | {w} |\n|---|---|\n| {HIDDEN} | `x\\|y` |",
    lambda w: f"<!-- {w}\n\n{HIDDEN}\n\n-->",
    lambda w: f"<div>\n{HIDDEN}\n{w}\n</div>",
    lambda w: f"<details>\n<summary>{w}</summary>\n\n{HIDDEN}\n\ntext\n\n</details>",
    lambda w: f"<Tabs>\n<Tab a={{1}}>\n\n{w}\n\n{HIDDEN}\n\n</Tab>\n</Tabs>",
    lambda w: f"$$\n{w}\n\n{HIDDEN}\nb\n$$",
    lambda w: f"!!! note\n    {w}\n\n    {HIDDEN}",
    lambda w: f'=== "Tab"\n\n    {HIDDEN}\n\n    {w}',
    lambda w: f"::: tip\n{HIDDEN}\n\n{w}\n:::",
    lambda w: f"//// note | A\n\n/// tip\n{HIDDEN}\n///\n\n{w}\n////",
    lambda w: f"{w}\n\n    {HIDDEN}\n\n    code",
    lambda w: f"[^{w}]: note\n\n    {HIDDEN}",
    lambda w: f"{w}\n: meaning\n\n  {HIDDEN}",
    lambda w: f"[{w}]: http://a.b '{HIDDEN}'",
    lambda w: f"{w}\n\n***",
]
HEADINGS: list[Callable[[int, str], str]] = [
    lambda level, label: f"{'#' * level} {label}",
    lambda level, label: f" {'#' * level}  {label} ##",
    lambda level, label: f"{'#' * level} `{label}`",
    lambda level, label: f"{label}\n{'=' if level == 1 else '-'}" if level < 3 else f"### {label}",
]
PARTS = st.one_of(
    st.tuples(st.just("block"), st.sampled_from(BLOCKS), st.just(0)),
    st.tuples(st.just("heading"), st.sampled_from(HEADINGS), st.integers(1, 6)),
)


@given(st.lists(PARTS, max_size=12), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_heading_paths_are_those_a_plain_count_gives(
    parts: list[tuple[str, Callable[..., str], int]], line_end: str, front: bool
) -> None:
    written = ["---\ntitle: Front\n# no heading\n---"] if front else []
    expected: dict[str, tuple[str, ...]] = {}
    open_headings: list[tuple[int, str]] = []
    for number, (kind, make, level) in enumerate(parts):
        word = f"w{number}w"
        if kind == "heading":
            written.append(make(level, word))
            marks = re.match(r"#*", written[-1].strip())
            depth = len(marks[0]) if marks and marks[0] else level
            open_headings = [entry for entry in open_headings if entry[0] < depth]
            open_headings.append((depth, word))
        else:
            written.append(make(word))
        expected[word] = tuple(label for _, label in open_headings)
    text = "\n\n".join(written).replace("\n", line_end)
    assert spell(text) == text
    seen = {word: labels for labels, leaf in paths(text) for word in re.findall(r"w\d+w", leaf)}
    assert seen == expected
    assert "no heading" not in {unit.label for unit in units(text, "section")}


# Cost and size


def test_a_document_is_read_once_and_with_regions_in_its_blocks_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lengths: list[int] = []
    real = pyromark.events_with_range

    def counted(text: str, *, options: pyromark.Options) -> object:
        lengths.append(len(text))
        return real(text, options=options)

    monkeypatch.setattr(pyromark, "events_with_range", counted)
    plain = "# A\n\n- b\n\n```py\nx\n```\n\n<div>c</div>\n" * 50
    list(read(plain).root.walk())
    assert lengths == [len(plain)]
    lengths.clear()
    read("!!! note\n    a\n\n" * 50)
    assert len(lengths) == 1
    lengths.clear()
    read("- b\n\n  !!! note\n      a\n\n" * 50)
    assert len(lengths) == 2


@given(FRAGMENTS.map(lambda text: text.replace("\r", " ").replace("\ud800", "?")))
@example("a\n\n<details>\n\n# H\n\n</details>\n\n- b\n")
@example('# T [a]\n\n!!! note\n    b\n\n    c\n\n| x |\n|---|\n| y |\n\n=== "A"\n\n    d\n')
@example("::: a\n\n- b\n:::\n- c\n")
@example("- a\n\n  !!! note\n      b\n\nc\n")
def test_regions_found_in_one_reading_are_those_of_a_second(text: str) -> None:
    blocks = read_blocks(text)
    regions = _regions(blocks)
    spliced = _spliced(blocks, regions)
    if spliced is None:
        return
    again = read_blocks(_hidden(text, regions), {region.start: region for region in regions})
    assert spliced.text == again.text
    assert spliced.regions == again.regions
    assert [
        (block.kind, block.start, block.level, block.region, text[block.start : block.end].strip())
        for block in walk_blocks(spliced.blocks)
    ] == [
        (block.kind, block.start, block.level, block.region, text[block.start : block.end].strip())
        for block in walk_blocks(again.blocks)
    ]


HUGE = {
    "quote marks": "> " * 100_000,
    "list marks": "+ " * 100_000,
    "nested lists": "".join("  " * level + "- a\n" for level in range(400)),
    "brackets": "[" * 200_000,
    "stars": "*" * 200_000,
    "backticks": "`" * 200_000,
    "images": "![" * 100_000,
    "dollars": "$$\n" * 30_000,
    "open tags": "<details>\n\n" * 3_000,
    "unfinished tags": "<aa {\n" * 30_000,
    "unfinished quotes": '<aa "\n' * 30_000,
    "nested containers": "::: a\n" * 1_000 + ":::\n" * 1_000,
    "admonitions without content": "!!! a\n\n" * 10_000,
    "definitions": "a\n: b\n" * 10_000,
    "references": "".join(f"[{number}]: u\n" for number in range(10_000)),
    "blank lines": "\n" * 200_000,
    "blanks": " " * 200_000,
    "open fence": "```\n" + "\n" * 100_000,
    "modules": "export const a = {\n" * 10_000,
    "front matter": "---\n" + "a: b\n" * 20_000,
    "one cell after the other": "|a" * 20_000 + "|\n" + "|-" * 20_000 + "|\n" + "|\n" * 100,
}


@pytest.mark.parametrize("name", HUGE)
def test_strange_documents_of_any_size_are_read(name: str) -> None:
    text = HUGE[name]
    assert spell(text, "a.mdx") == text


def test_what_is_nested_too_deeply_is_text_and_said_so() -> None:
    parsed = read("> " * 500 + "a\n")
    assert [problem.code for problem in parsed.problems] == ["nested-too-deeply"]
    assert max(depth for depth, _ in parsed.root.walk()) <= 101
    assert read("> " * 50 + "a\n").problems == ()


def test_installed_documents_are_read() -> None:
    folders = {sysconfig.get_path("purelib"), sysconfig.get_path("stdlib")}
    files = sorted({file for folder in folders for file in Path(folder).rglob("*.md")})[:200]
    for file in files:
        text = file.read_bytes().decode("utf-8", errors="surrogateescape")
        assert spell(text) == text


def test_the_address_of_a_link_may_stand_below_its_label() -> None:
    text = "# A\n\nSee [the list].\n\n" + "Words.\n\n" * 9 + "[the list]:\n    https://a.example\n"
    first, *_ = cut(text, "a.md", 80, context="none")
    assert first.suffix == "\n\n[the list]:\n    https://a.example"
    assert cut("See [a].\n\n[" + "a" * 300 + "]:\n  b\n", "a.md", 80)


# What stands in a section is told without making its units

_SURVEYED = """\
Words above.

# Guide

A lead-in:

```python
x = 1
```

```math
x^2
```

```{note}
Read this.
```

```{list-table} Prices
* - a
```

$$
y
$$

!!! tip "Mind"
    Text.

## Part

- a
- b

1. one

> quote

| a |
|---|
| 1 |

[x]: /y

### Deep

Words.
"""


def test_the_survey_of_a_section_says_what_opening_it_gives() -> None:
    text = _SURVEYED.replace("\n", "\r\n") + _SURVEYED
    surveyed = [unit for _, unit in read(text).root.walk() if unit.survey() is not None]
    assert len(surveyed) == 7
    for unit in surveyed:
        told = sorted(unit.survey() or ())
        assert told == sorted(told_by_opening(unit))
    kinds = {kind for kind, _ in surveyed[0].survey() or ()}
    assert kinds >= {"fence", "math", "admonition", "table", "list", "procedure", "references"}


def _kinds(text: str) -> list[tuple[int, str]]:
    root = read(text).root
    return [(depth, unit.kind) for depth, unit in root.walk()]


@pytest.mark.parametrize("lead", ["- top\n\t", "- top\n\n\t", "1. top\n\t", "- top\n\t- mid\n\t\t"])
@pytest.mark.parametrize(
    "inner",
    ["- x\n- y", "1. one\n2. two", "```py\na = 1\n```", "> q", "| a |\n|---|\n| 1 |", "-", "# H"],
)
def test_tabs_nest_as_blanks_do(lead: str, inner: str) -> None:
    indentation = lead[lead.rindex("\n") :]
    text = f"{lead}{inner.replace(chr(10), indentation)}\n- end\n"
    assert _kinds(text) == _kinds(text.replace("\t", "    "))
