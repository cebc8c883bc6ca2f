"""Markdown: titles and front matter, shapes that break other splitters, what sections hold."""

from __future__ import annotations

import pytest

from tests.cutting import cut, told_by_opening
from tests.markdown_units import only, paths, read, units


def path_of(text: str, words: str, path: str = "") -> tuple[str, ...]:
    (found,) = {labels for labels, leaf in paths(text, path) if words in leaf}
    return found


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
