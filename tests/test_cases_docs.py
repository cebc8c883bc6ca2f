"""What today's splitters get wrong in documents and tables, each as a small input.

Each test tells the public threads that report its kind. Budgets are in characters. Where a thread
names none, a large and a small one are tried.
"""

from __future__ import annotations

import json

import pytest

from structchunk_core import Chunk
from tests.cutting import cut, holder_of

_BOTH = pytest.mark.parametrize("granularity", ["definition", "packed"])
_SIZES = pytest.mark.parametrize("size", [1500, 300, 100])


def _fences_are_closed(chunks: list[Chunk]) -> bool:
    return all(chunk.text.count("```") % 2 == 0 for chunk in chunks)


@_SIZES
def test_a_comment_in_a_tilde_fence_is_no_heading(size: int) -> None:
    """run-llama/llama_index#22123, langchain-ai/langchain#13511."""
    text = "# Guide\n\nIntro line.\n\n~~~sh\n# set the port\nexport PORT=80\n~~~\n\nClosing line.\n"
    holder = holder_of(cut(text, "a.md", size), "# set the port")
    assert "~~~sh\n# set the port\nexport PORT=80\n~~~" in holder.text
    assert holder.path == ("Guide",)


@_SIZES
def test_a_fence_in_a_list_item_stays_in_it(size: int) -> None:
    """run-llama/llama_index#12369."""
    text = (
        "# Steps\n\n* First item\n\n    ```sh\n    # indented comment\n    make all\n    ```\n"
        "* Second item\n\n## Next\n\nbody\n"
    )
    chunks = cut(text, "a.md", size)
    holder = holder_of(chunks, "# indented comment")
    assert "First item" in holder.text
    assert _fences_are_closed(chunks)
    assert holder.path[:1] == ("Steps",)


@_BOTH
def test_breaks_between_paragraphs_survive(granularity: str) -> None:
    """langchain-ai/langchain#22256."""
    text = "# Paragraphs\n\nFirst of two.\n\nSecond of two.\n\n- a\n- b\n\nLast one.\n"
    (chunk,) = cut(text, "a.md", 1500, granularity)
    assert chunk.text == text.rstrip()


def test_a_path_is_a_list_whatever_stands_in_the_headings() -> None:
    """run-llama/llama_index#17965."""
    text = "# Ops\n\n## TCP/IP tuning\n\nalpha\n\n## A/B tests\n\n### Read/write split\n\nbeta\n"
    chunks = cut(text, "a.md", 60, context="none", target_size=30)
    assert holder_of(chunks, "alpha").path == ("Ops", "TCP/IP tuning")
    assert holder_of(chunks, "beta").path[:2] == ("Ops", "A/B tests")


def test_front_matter_makes_no_headings() -> None:
    """jgravelle/jdocmunch-mcp#10, patchloom/patchloom#1102."""
    text = "---\ntitle: Release plan\n# reviewed by: nobody\n---\n\n# Real title\n\nBody text.\n"
    chunks = cut(text, "a.md", 120, target_size=60)
    assert holder_of(chunks, "Body text.").path == ("Real title",)
    assert holder_of(chunks, "reviewed by").element_type == "front_matter"
    assert holder_of(chunks, "Body text.").context == "Release plan > Real title"


@_BOTH
def test_each_part_of_a_table_has_its_header(granularity: str) -> None:
    """benbrandt/text-splitter#422, docling-project/docling#2975, open-webui/open-webui#30413."""
    rows = "".join(f"| item-{n:02} | {n * 7} | red | note number {n} |\n" for n in range(1, 31))
    head = "| Name | Count | Colour | Remark |\n|---|---:|---|---|\n"
    text = f"# Stock\n\nTable of stock.\n\n{head}{rows}\nEnd.\n"
    chunks = cut(text, "a.md", 600, granularity)
    assert len(chunks) > 2
    assert all(head in chunk.text for chunk in chunks if "| item-" in chunk.text)


def test_code_in_a_heading_stands_in_the_path() -> None:
    text = (
        "# Config\n\nIntro.\n\n## The `timeout` option\n\nSets the wait time.\n\n## Plain\n\nNo.\n"
    )
    chunks = cut(text, "a.md", 60, context="none", target_size=55)
    assert holder_of(chunks, "Sets the wait").path == ("Config", "The timeout option")


@_BOTH
def test_a_heading_stays_with_the_first_words_below_it(granularity: str) -> None:
    """isaacus-dev/semchunk#14, NorthlandPositronics/Cogtrix#2430, linagora/openrag#861."""
    text = "".join(
        f"{'#' if n == 0 else '##'} Title {n}\n\n{f'Words of section {n} stand here. ' * 7}\n\n"
        for n in range(3)
    )
    for chunk in cut(text, "a.md", 330, granularity):
        heading, _, words = chunk.text.partition("\n")
        assert not heading.startswith("#") or words.strip()


@_BOTH
def test_a_table_without_outer_pipes_is_a_table(granularity: str) -> None:
    """NousResearch/hermes-agent#45020."""
    rows = "".join(f"box{n} | {n}0 cm | {n}5 cm\n" for n in range(1, 26))
    text = f"# Sizes\n\nName | Height | Width\n--- | --- | ---\n{rows}"
    chunks = cut(text, "a.md", 400, granularity, table_profile=False)
    assert len(chunks) > 1
    assert all("Name | Height | Width\n--- | --- | ---\n" in chunk.text for chunk in chunks)


@pytest.mark.parametrize("size", [360, 460])
@_BOTH
def test_a_procedure_that_fits_is_one_piece(size: int, granularity: str) -> None:
    """Stevenic/vectra#88."""
    steps = "".join(f"{n}. Do the thing with number {n} by hand, slowly.\n" for n in range(1, 8))
    text = f"# Change\n\nDo the steps in order.\n\n{steps}\nCheck for leaks.\n"
    chunks = cut(text, "a.md", size, granularity)
    assert steps.rstrip() in holder_of(chunks, "number 1").text


def test_a_procedure_that_is_too_long_is_cut_between_steps() -> None:
    """Stevenic/vectra#88: with its intro repeated."""
    steps = "".join(f"{n}. Do the thing with number {n} by hand, slowly.\n" for n in range(1, 20))
    text = f"# Change\n\nDo the steps in order:\n\n{steps}\n"
    chunks = cut(text, "a.md", 300)
    assert len(chunks) > 2
    for chunk in chunks:
        assert "Do the steps in order:" in chunk.text
        assert all(
            line.endswith("slowly.") for line in chunk.text.splitlines() if "Do the t" in line
        )


@_SIZES
def test_equal_sections_have_their_own_places(size: int) -> None:
    """run-llama/llama_index#9143."""
    part = "# Kit\n\n## Use\n\nPress the button.\n\n"
    chunks = cut(part + part + "# End\n\nBye.\n", "a.md", size, target_size=40)
    spans = [chunk.span for chunk in chunks if "Press" in chunk.text]
    assert len(spans) == 2
    assert spans[1].start - spans[0].start == len(part)


@_BOTH
def test_admonitions_and_tabs_are_not_cut(granularity: str) -> None:
    text = (
        "# Setup\n\n/// tip | Remember\n\nUse an environment for every project.\n\n///\n\n"
        '=== "Linux"\n\n    ```sh\n    # install\n    apt install thing\n    ```\n\n'
        '=== "Windows"\n\n    ```sh\n    # install\n    choco install thing\n    ```\n\n'
        "!!! warning\n    Not as root.\n\n    It can wipe the disk.\n\n## After\n\ndone\n"
    )
    chunks = cut(text, "a.md", 330, granularity)
    assert _fences_are_closed(chunks)
    assert "/// tip" in holder_of(chunks, "Use an environment").text
    assert '=== "Windows"' in holder_of(chunks, "choco").text
    assert "!!! warning" in holder_of(chunks, "wipe the disk").text


@_SIZES
def test_display_math_holds_no_heading(size: int) -> None:
    """NousResearch/hermes-agent#45020."""
    math = "$$\nE = m c^2\n\n# not a heading in math\nF = m a\n$$"
    chunks = cut(f"# Energy\n\n{math}\n\n## Units\n\nJoule.\n", "a.md", size)
    holder = holder_of(chunks, "not a heading")
    assert math in holder.text
    assert holder.path == ("Energy",)


@pytest.mark.parametrize("size", [1500, 300, 60, 40])
@_BOTH
def test_no_chunk_holds_only_headings(size: int, granularity: str) -> None:
    """engram-app/Engram#1616."""
    text = "# Atlas\n\n## North\n\nCold.\n\n### Tundra\n\nIcy.\n\n## South\n\n### Desert\n\nHot.\n"
    for chunk in cut(text, "a.md", size, granularity, context="none"):
        lines = [line for line in chunk.text.splitlines() if line]
        assert not all(line.startswith("#") for line in lines), chunk.text


@_BOTH
def test_a_footnote_travels_with_its_mark(granularity: str) -> None:
    text = (
        "# Essay\n\nWater boils at 100 degrees.[^1] "
        + "More text is here to fill the part. " * 10
        + "\n\n## Notes\n\nEnd.\n\n[^1]: At sea level.\n"
    )
    chunks = cut(text, "a.md", 480, granularity, context="none")
    (holder,) = (chunk for chunk in chunks if "degrees.[^1]" in chunk.text)
    assert "[^1]: At sea level." in holder.text


@_SIZES
def test_prose_that_begins_with_import_or_export_is_prose(size: int) -> None:
    text = (
        "import { Tabs, Tab } from 'kit'\n\n# Quick start\n\nImport the file first.\n\n"
        '<Tabs>\n<Tab title="npm">\n\n```sh\n# with npm\nnpm i kit\n```\n\n</Tab>\n</Tabs>\n\n'
        "## Trade\n\nimport duties rose and the\ngoods cost more.\n\nexport rules changed.\n"
    )
    chunks = cut(text, "a.mdx", size)
    assert _fences_are_closed(chunks)
    assert holder_of(chunks, "# with npm").path == ("Quick start",)
    for words in ("Import the file first", "import duties rose", "export rules"):
        assert holder_of(chunks, words).path[0] == "Quick start"
    plain = cut("# Trade\n\nimport duties rose.\n\nexport rules changed.\n", "a.md", size)
    assert "".join(chunk.text for chunk in plain).count("rose") == 1


@_BOTH
def test_prose_table_and_code_all_come_out(granularity: str) -> None:
    """feyninc/chonkie#665."""
    text = "# Mix\n\nbefore\n\n| K |\n|---|\n| a1 |\n\nbetween\n\n```py\nprint()\n```\n\nafter\n"
    chunks = cut(text, "a.md", 60, granularity, context="none")
    for words in ("before", "a1", "between", "print()", "after"):
        assert words in holder_of(chunks, words).text
    assert _fences_are_closed(chunks)


def test_a_line_break_in_a_cell_does_not_end_its_row() -> None:
    """langgenius/dify#17527."""
    text = 'id,comment,score\n1,"first line\nsecond line",5\n3,"has ""quotes"" and, comma",7\n'
    chunks = cut(text, "a.csv", 60, context="none")
    assert '1,"first line\nsecond line",5' in holder_of(chunks, "first line").text
    assert all(chunk.text.startswith("id,comment,score\n") for chunk in chunks)


def test_a_byte_order_mark_is_no_part_of_a_name() -> None:
    """crewAIInc/crewAI#7466, UKGovernmentBEIS/inspect_ai#5353."""
    text = "\ufeffcity,people\n" + "".join(f"Town{n},{n}00\n" for n in range(20))
    chunks = cut(text, "a.csv", 80, context="none", table_profile=False)
    assert len(chunks) > 2
    assert chunks[0].text.startswith("\ufeffcity,people\n")
    assert all(chunk.prefix == "city,people\n" for chunk in chunks[1:])


def test_short_and_long_rows_are_kept() -> None:
    text = "a,b,c\n1,2,3\n4,5\n6,7,8,9\n"
    (chunk,) = cut(text, "a.csv", 300)
    assert chunk.text == text.rstrip()
    assert [problem.code for problem in chunk.problems] == ["ragged-rows"]


@pytest.mark.parametrize("size", [300, 48])
def test_cells_are_text(size: int) -> None:
    """Nothing that looks like a number is read as one."""
    text = "code,price,phone\n007,1.10,0047123\n010,2.50,\n12345678901234567890,3.00,1e5\n"
    shown = "\n".join(chunk.text for chunk in cut(text, "a.csv", size, context="none"))
    for cell in ("007,1.10,0047123", "010,2.50,", "12345678901234567890,3.00,1e5"):
        assert cell in shown


@pytest.mark.parametrize("size", [300, 60])
def test_a_list_at_the_top_gives_whole_records(size: int) -> None:
    """langchain-ai/langchain#39192."""
    text = json.dumps([{"id": n, "name": f"part {n}"} for n in range(1, 6)])
    chunks = cut(text, "a.json", size, context="none")
    found = [record for chunk in chunks if not chunk.derived for record in json.loads(chunk.text)]
    assert found == json.loads(text)


def test_no_key_is_lost_where_json_is_cut() -> None:
    """langchain-ai/langchain#29153."""
    text = json.dumps({"p": {f"GR-{n}": {} for n in range(1, 60)}})
    chunks = cut(text, "a.json", 120, context="none")
    assert len(chunks) > 5
    found = [key for chunk in chunks for key in json.loads(chunk.text)["p"]]
    assert found == list(json.loads(text)["p"])


def test_lines_of_json_are_records() -> None:
    text = "".join(f'{{"id": {n}, "msg": "message {n}"}}\n' for n in range(1, 6))
    chunks = cut(text, "a.jsonl", 70, context="none")
    assert len(chunks) > 1
    lines = [line for chunk in chunks for line in chunk.text.split("\n")]
    assert lines == text.splitlines()
    assert all(not chunk.problems for chunk in chunks)


def test_each_record_carries_the_keys_above_it() -> None:
    """topoteretes/cognee#4236."""
    items = {"g1": [{"sku": "x1"}, {"sku": "x2"}], "g2": [{"sku": "y1"}]}
    groups = [{"name": name, "items": of} for name, of in items.items()]
    text = json.dumps({"batch": "B7", "groups": groups})
    for size in (60, 100, 1500):
        for chunk in cut(text, "b.json", size):
            if '"sku"' in chunk.text and chunk.span.start:
                assert chunk.path[0] == "groups"
                assert chunk.metadata()["section_path"].startswith("groups")  # type: ignore[union-attr]
