"""What holds for all Markdown: the text is spelled, paths are right, the work is bounded."""

from __future__ import annotations

import re
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pyromark
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from structchunk_core.formats._markdown_blocks import walk_blocks
from structchunk_core.formats._markdown_reader import read_blocks
from structchunk_core.formats._markdown_regions import _hidden, _regions, _spliced
from tests.markdown_units import CODE_KINDS, paths, read, spell, units

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
