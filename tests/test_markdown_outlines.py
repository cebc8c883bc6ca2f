"""Which units a Markdown document has: small documents with their outlines."""

from __future__ import annotations

from textwrap import dedent

import pytest

from structchunk_core import Chunker
from tests.markdown_units import CODE_KINDS, read, spell


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
    ("written", "label"),
    [
        ("Retry [#retry-it]", "Retry"),
        ("Wiederholen [#über]", "Wiederholen"),
        ("Fix [#12]", "Fix [#12]"),
        ("See [#retry] there", "See [#retry] there"),
        ("[#retry]", "[#retry]"),
    ],
)
def test_an_id_in_brackets_behind_a_heading_is_none_of_its_words(written: str, label: str) -> None:
    root = Chunker().parse(f"# {written}\n\nWords.\n", path="a.mdx").root
    assert [unit.label for _, unit in root.walk() if unit.kind == "section"] == [label]
