from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structchunk_core.formats import ParseOptions
from structchunk_core.formats._text_logs import _full_lines
from structchunk_core.formats.text import parse
from structchunk_core.source import Source
from structchunk_core.unit import Parsed, Repeat, Tie, Unit
from tests.cutting import cut


def parsed(text: str) -> Parsed:
    return parse(Source(text, "notes.txt", "text"), ParseOptions())


def outline(text: str) -> list[str]:
    """The tree: one line a unit, indented by its depth, kind and first words."""
    return [
        f"{'  ' * (depth - 1)}{unit.kind}: {text[unit.start : unit.end].partition(chr(10))[0]}"
        for depth, unit in parsed(text).root.walk()
        if depth
    ]


def units(text: str, kind: str) -> list[Unit]:
    return [unit for _, unit in parsed(text).root.walk() if unit.kind == kind]


def leaves(text: str) -> str:
    return "".join(
        text[unit.start : unit.end] for _, unit in parsed(text).root.walk() if not unit.open()
    )


def test_paragraphs_keep_the_blank_lines_below_them() -> None:
    text = "\n\nOne\ntwo.\n\n\f\n \nThree.\n"
    found = units(text, "paragraph")
    assert [text[u.start : u.end] for u in found] == ["\n\nOne\ntwo.\n\n\f\n \n", "Three.\n"]
    assert all(unit.atomic and unit.tie is Tie.LOOSE and not unit.open() for unit in found)


def test_prose_remains_prose() -> None:
    text = (
        "He was born in\n1984. A good year - he said -\n- or so it seems.\n\n"
        "* * *\n\nShe left: it was late.\n\nA. B. Jones came. (See 3.)\n\n"
        "NO! That is not so.\n\n---\n\n3.5 Miles is far.\n\n1. Alone\n"
    )
    assert {unit.kind for _, unit in parsed(text).root.walk()} == {"document", "paragraph"}


def test_lists_and_procedures() -> None:
    text = "Do this:\n1. First\n2. Second\n   more\n3. Third\n\nOptions:\n\n- a\n- b\n\nEnd.\n"
    assert outline(text) == [
        "paragraph: Do this:",
        "procedure: 1. First",
        "  item: 1. First",
        "  item: 2. Second",
        "  item: 3. Third",
        "paragraph: Options:",
        "list: - a",
        "  item: - a",
        "  item: - b",
        "paragraph: End.",
    ]
    (procedure,) = units(text, "procedure")
    (bullets,) = units(text, "list")
    assert (procedure.atomic, procedure.tie) == (True, Tie.CLOSE)
    assert (bullets.atomic, bullets.tie) == (False, Tie.CLOSE)


def test_items_parted_by_blank_lines_are_one_list_with_what_is_indented_below() -> None:
    text = "- a\n\n  more of a\n\n- b\n  - b1\n  - b2\n\nNo item.\n"
    assert outline(text) == [
        "list: - a",
        "  item: - a",
        "    paragraph: - a",
        "    paragraph:   more of a",
        "  item: - b",
        "    paragraph: - b",
        "    list:   - b1",
        "      item:   - b1",
        "      item:   - b2",
        "paragraph: No item.",
    ]


def test_one_item_is_no_list_and_other_marks_begin_another() -> None:
    assert outline("- alone\n\nText.\n") == ["paragraph: - alone", "paragraph: Text."]
    assert [line for line in outline("- a\n- b\n\n* c\n* d\n") if "item" not in line] == [
        "list: - a",
        "list: * c",
    ]


def test_sections_by_underline_number_and_capitals() -> None:
    text = (
        "Guide\n=====\nIntro.\n\nInstall\n-------\n\nRun it.\n\nUse\n---\n\nGo.\n\n"
        "Notes\n=====\n\n1.1 Background\n\nOld.\n\n1.1.1 Detail\n\nSmall.\n\n1.2 Future\n\nNew.\n\n"
        "LAST WORDS\n\nBye.\n"
    )
    assert [line for line in outline(text) if "section" in line] == [
        "section: Guide",
        "  section: Install",
        "  section: Use",
        "section: Notes",
        "  section: 1.1 Background",
        "    section: 1.1.1 Detail",
        "  section: 1.2 Future",
        "    section: LAST WORDS",
    ]
    assert parsed(text).title == ""
    assert parsed(text.partition("Notes")[0]).title == "Guide"
    heading, first, second, _ = units(text, "section")[0].open()
    assert (heading.kind, first.kind, second.kind) == ("heading", "paragraph", "section")
    assert (first.tie, second.tie) == (Tie.HEAD, Tie.FREE)
    assert units(text, "section")[0].label == "Guide"


def test_single_numbers_are_sections_beside_deeper_ones_or_when_they_count_up() -> None:
    assert "section: 1. Mix" in outline("1. Mix\n\n1.1 How\n\nWell.\n")
    sections = (
        "1. Mix\n\nWell.\n\n2. Log\n\nLong.\n\nMore.\n\n3 Bake\n\n- a\n- b\n\n4. End\n\nNo.\n"
    )
    found = [line for line in outline(sections) if "section" in line]
    assert found == ["section: 1. Mix", "section: 2. Log", "section: 3 Bake", "section: 4. End"]


def test_single_numbers_that_count_items_are_no_sections() -> None:
    for text in (
        "1. Mix\n\n2. Bake\n\n3. Eat\n",
        "1. Mix\n\n   Well.\n\n2. Bake\n\n   Long.\n",
        "7. Mix\n\nWell.\n\n9. Bake\n\nLong.\n",
        "1. Mix\n\nWell.\n",
        "1. Mix it.\n\nWell.\n\n2. Bake it.\n\nLong.\n",
    ):
        assert units(text, "section") == []


def test_what_is_underlined_may_be_a_table_or_an_old_rule() -> None:
    assert units("Name      Age\n-------------\nBob       3\n", "section") == []
    assert units("Some words of a paragraph\nand more.\n---------\nx\n", "section") == []
    assert units("- a\n---\n", "section") == []


def test_a_log_is_cut_at_its_records() -> None:
    lines = [f"2024-01-{day:02} INFO started\n" for day in range(1, 12)]
    lines[3] += "Traceback: x\n  at here\n  at there\n"
    text = "".join(lines)
    (log,) = units(text, "lines")
    found = [text[unit.start : unit.end] for unit in log.open()]
    assert not log.atomic
    assert found == lines
    assert log.open()[3].repeat == Repeat("2024-01-04 INFO started\n")
    assert units("".join(lines[:3]), "lines") == []
    assert units("just words\n" * 20, "lines") == []


def test_what_does_not_begin_with_a_time_belongs_to_the_record_above() -> None:
    trace = (
        "[2024-01-02 10:00:01] ERROR failed\nTraceback (most recent call last):\n"
        '  File "a.py", line 1\n\nValueError: x\nDuring handling of it:\n{"key": 1}\n'
    )
    plain = "[2024-01-02 10:00:02] INFO went on\n"
    text = (trace + plain) * 4
    (log,) = units(text, "lines")
    assert [text[unit.start : unit.end] for unit in log.open()] == [trace, plain] * 4


def test_headings_are_none_in_a_log() -> None:
    text = "".join(f"12:00:{n:02} step\n\nALL IN CAPITALS\n\nsmall letters\n" for n in range(20))
    assert units(text, "section") == []
    assert len(units(text, "line")) == 20


def test_parts_of_an_item_carry_its_first_words() -> None:
    text = "- Fruit\n  - Apples, which are red and sweet.\n  - Pears, long and soft.\n- Roots\n"
    fruit, *_ = units(text, "item")
    assert fruit.repeat == Repeat("- Fruit\n")
    chunks = cut(text, "a.txt", 50, context="none")
    assert [chunk.prefix for chunk in chunks] == ["", "- Fruit\n"]


def test_only_a_line_feed_ends_a_line() -> None:
    assert outline("- a\r- b\u2028- c\x0b- d") == ["paragraph: - a\r- b\u2028- c\x0b- d"]


def test_long_runs_are_one_unit_each() -> None:
    for text in ("\n" * 50_000, "x " * 50_000, "ab\n" * 50_000, "- \n" * 50_000):
        assert sum(1 for _ in parsed(text).root.walk()) <= 2


FRAGMENTS = st.sampled_from(
    [
        *(
            "- a\n",
            "  - b\n",
            "1. c\n",
            "2. d\n",
            "a) e\n",
            "* f\n",
            "    g\n",
            "Title\n",
            "=====\n",
        ),
        *("-----\n", "1.1 Name\n", "2 Name\n", "HEADING\n", "prose here.\n", "\n", "\f\n", "\r\n"),
        *("intro:\n", " \u2028\n", "\ufeff", "\0", "\ud800", "e\u0301", "\t", "[x] y\n" * 9, "x"),
    ]
)


@given(st.lists(FRAGMENTS, max_size=14).map("".join))
def test_leaves_spell_structured_text(text: str) -> None:
    assert leaves(text) == text


@given(st.text(max_size=60))
def test_leaves_spell_any_text(text: str) -> None:
    assert leaves(text) == text


@given(st.text("\n\r \f\t\0\u2028\ud800-=*1.aA:", max_size=60))
def test_leaves_spell_nasty_text(text: str) -> None:
    assert leaves(text) == text


@given(st.text(" ab\n\t\r1=-", max_size=40), st.integers(0, 8), st.integers(0, 8))
def test_lines_that_are_full_begin_where_a_pattern_for_the_begin_of_lines_says(
    text: str, from_start: int, from_end: int
) -> None:
    start = text.rfind("\n", 0, min(from_start, len(text))) + 1
    end = max(start, len(text) - from_end)
    begins = re.compile(r"^(?=\S)", re.MULTILINE).finditer(text, start, end)
    assert list(_full_lines(text, start, end)) == [found.start() for found in begins]


@pytest.mark.parametrize("above", ["", "\n", "Words about it.\n\n"])
@pytest.mark.parametrize("heading", ["Head\n====\n", "  1.1 Head\n", "HEADING\n"])
def test_a_heading_may_be_the_first_line(above: str, heading: str) -> None:
    text = f"{above}{heading}\nWhat is said below it, in some words.\n"
    (label,) = [unit.label for _, unit in parsed(text).root.walk() if unit.kind == "section"]
    assert label == heading.partition("\n")[0].strip()
