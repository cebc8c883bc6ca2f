from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from structchunk_core import Chunker
from structchunk_core.formats import prose
from structchunk_core.formats.prose import LEVELS, cut_positions, last_cut


def pieces(text: str, level: int) -> list[str]:
    bounds = [0, *cut_positions(text, 0, len(text), level), len(text)]
    return [text[start:end] for start, end in pairwise(bounds)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?  Four", ["One. ", "Two! ", "Three?  ", "Four"]),
        ("Dr. Smith paid 3.14 vs. 2. Then", ["Dr. Smith paid 3.14 vs. 2. ", "Then"]),
        ("See e.g. J. S. Bach, No. 5. No. I", ["See e.g. J. S. Bach, No. 5. ", "No. ", "I"]),
        ('He said "Stop!" and left. "Go." Done', ['He said "Stop!" and left. ', '"Go." ', "Done"]),
        ("Well... maybe. Well... Maybe", ["Well... maybe. ", "Well... ", "Maybe"]),
        ("Read a.py and www.x.org. Now", ["Read a.py and www.x.org. ", "Now"]),
        ("x etc. and etc. Then", ["x etc. and etc. ", "Then"]),
        ("1. Mix.\n2. Bake.", ["1. Mix.\n", "2. Bake."]),
        ("今日は。いい「天気。」です\uff01", ["今日は。", "いい「天気。」", "です\uff01"]),
        ("\u0928\u092e\u0964 \u0939\u093e\u0964", ["\u0928\u092e\u0964 ", "\u0939\u093e\u0964"]),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert pieces(text, 1) == expected


def test_clauses() -> None:
    assert pieces("a, b; c: d 1,000 at 10:30", 2) == ["a, ", "b; ", "c: ", "d 1,000 at 10:30"]
    assert pieces("今日は、晴れ。明日は\uff1a雨", 2) == ["今日は、", "晴れ。明日は\uff1a", "雨"]


def test_words() -> None:
    assert pieces("one  two\n three\u00a0four", 3) == ["one  ", "two\n ", "three\u00a0four"]
    assert pieces("日本\uff08東京\uff09のキャッシュ and x", 3) == [
        "日",
        "本",
        "\uff08東",
        "京\uff09",
        "の",
        "キャッシュ ",
        "and ",
        "x",
    ]


def test_inside_words() -> None:
    assert pieces("https://a.b/c?d=fooBar_x", 4) == [
        "https://",
        "a.",
        "b/",
        "c?",
        "d=",
        "foo",
        "Bar_",
        "x",
    ]


def test_what_is_seen_as_one_character_stays_whole() -> None:
    whole = [
        "e\u0301",
        "\r\n",
        "\U0001f44d\U0001f3fd",
        "\U0001f468\u200d\U0001f469",
        "\U0001f1e9\U0001f1ea",
        "\U0001f1eb\U0001f1f7",
        "\ud83d\ude00",
        "\u1112\u1161\u11ab",
        "\u0e01\u0e34",
        "x",
    ]
    assert pieces("".join(whole), 5) == whole
    assert len(pieces("".join(whole), 6)) == len("".join(whole))


def character_starts(text: str, start: int, end: int) -> list[int]:
    """What the level of characters gives, walked from one to the next."""
    found = []
    flags = 0
    for position in range(start + 1, end):
        previous = text[position - 1]
        flags = flags + 1 if "\U0001f1e6" <= previous <= "\U0001f1ff" else 0
        if prose._may_part(previous, text[position], flags):
            found.append(position)
    return found


NASTY = "ab B1.,;:!?\u2026\"')( \n\r\t\0\f\u2028\u200b\u200d\u00a0"
NASTY += "\u3002\u300c\u65e5\u30a2\u30c3\ud83d\ude00\u0301\ufe0f"
MARKS = (
    "\u2013\u060c\uff0c\uff1b\u3001\uff01\u0964\u201d\u201c\u2019\u2018\u300d\uff09\u4e00\u3041x9"
)

CHARACTERS = st.one_of(
    st.sampled_from(
        "a \r\n\u00e9\u0301\u200d\ud83d\ude00\u1100\u1161\u11a8\uac00\u3042\u3099\uff76\uff9e\u4e00"
        "\ufe0f\U0001f1e6\U0001f1ff\U0001f468\U0001f3fb\U000e0020\U00020000"
    ),
    st.characters(),
)
RUNS = st.tuples(CHARACTERS, st.integers(1, 12)).map(lambda run: run[0] * run[1])


@given(st.lists(st.one_of(RUNS, st.text(CHARACTERS, max_size=12))).map("".join), st.data())
def test_runs_of_plain_characters_are_cut_as_one_by_one(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    assert list(cut_positions(text, start, end, 5)) == character_starts(text, start, end)


def test_between_any_two_plain_characters_is_a_position() -> None:
    plain = re.compile(prose._PLAIN_RUN.removesuffix("{8,}+"))
    found = [character for character in map(chr, range(0x110000)) if plain.match(character)]
    assert len(found) > 100_000
    assert not [character for character in found if prose._extends(character)]
    assert not [one for one in found if not prose._may_part("a", one, 1)]
    assert not [one for one in found if not prose._may_part(one, "\n", 0)]
    assert not {"\r", "\u200d", "\u1160"} & set(found)


def test_characters_in_plain_runs_are_not_looked_at_one_by_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked: list[str] = []
    usual = prose._may_part

    def counting(previous: str, character: str, flags: int) -> bool:
        looked.append(character)
        return usual(previous, character, flags)

    monkeypatch.setattr(prose, "_may_part", counting)
    text = "\u4eca\u65e5\u306f\u3044\u3044\u5929\u6c17\u3067\u3059\u3002" * 100 + "abcdefgh" * 100
    assert list(cut_positions(text, 0, len(text), 5)) == list(range(1, len(text)))
    assert len(looked) < 3


@given(
    st.one_of(
        st.lists(st.one_of(RUNS, st.text(CHARACTERS, max_size=12))).map("".join),
        st.text(NASTY + MARKS, max_size=80),
        st.text("ab ,-\u00a0\u30a2\u4e00", max_size=120),
    ),
    st.integers(0, LEVELS - 1),
    st.data(),
)
@example("\U0001f1e6" * 9, 5, None)
@example("a" + ", " * 40, 2, None)
@example("a " * 2 + " " * 40 + "b", 3, None)
@example("a---" * 2 + "-" * 40 + "b", 4, None)
def test_the_last_cut_is_the_last_position(
    text: str, level: int, data: st.DataObject | None
) -> None:
    start = data.draw(st.integers(0, len(text))) if data else 0
    end = data.draw(st.integers(start, len(text))) if data else len(text)
    assert last_cut(text, start, end, level) == [start, *cut_positions(text, start, end, level)][-1]


def test_there_is_no_other_level() -> None:
    with pytest.raises(ValueError, match="got 7"):
        cut_positions("x", 0, 1, LEVELS)


# The same marks as they are said best, which takes ten times as long.
_PLAIN_BLANK = "(?:[^\\S\u00a0\u2007\u202f]|\u200b)"
_PLAIN = {
    1: f"(?<![.!?\u2026])(?P<marks>[.!?\u2026]++)(?P<closers>[{prose._CLOSERS}]*+){_PLAIN_BLANK}++"
    f"|[\u3002\uff01\uff1f\uff61]++[{prose._WIDE_CLOSERS}{prose._CLOSERS}]*+{_PLAIN_BLANK}*+"
    f"|[{prose._OTHER_STOPS}]++[{prose._CLOSERS}]*+{_PLAIN_BLANK}*+",
    2: f"(?<![{prose._COMMAS}])[{prose._COMMAS}]++[{prose._CLOSERS}]*+{_PLAIN_BLANK}++"
    f"|[{prose._WIDE_COMMAS}]++[{prose._WIDE_CLOSERS}]*+{_PLAIN_BLANK}*+",
    3: prose._WORD.replace(prose._BLANK, _PLAIN_BLANK),
}


def test_blanks_are_all_white_space_at_which_a_line_may_be_broken() -> None:
    blank, plain = re.compile(prose._BLANK), re.compile(_PLAIN_BLANK)
    characters = list(map(chr, range(0x110000)))
    assert [bool(blank.match(one)) for one in characters] == [
        bool(plain.match(one)) for one in characters
    ]


@pytest.mark.parametrize("level", _PLAIN)
@given(
    text=st.one_of(st.text(), st.text(NASTY + MARKS), st.text("a .,;!)\u2026")),
    ends=st.tuples(st.integers(0, 9), st.integers(0, 9)),
)
@example("a\u201d\u201cb", (0, 0))  # words between quotes alone
def test_patterns_find_what_plain_ones_find(level: int, text: str, ends: tuple[int, int]) -> None:
    start, end = min(ends[0], len(text)), max(0, len(text) - ends[1])
    words = prose._WORD if prose._may_be_unspaced(text, start, end) else prose._BLANKS
    pattern = {1: prose._SENTENCE, 2: prose._CLAUSE, 3: words}[level]

    def found(pattern: str) -> list[tuple[int, int]]:
        spans = [match.span() for match in re.compile(pattern).finditer(text, start, end)]
        return [span for span in spans if start < span[1] < end]

    assert found(pattern) == found(_PLAIN[level])


@given(st.text(NASTY, max_size=40), st.integers(0, LEVELS - 1), st.data())
def test_positions_ascend_strictly_inside(text: str, level: int, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    found = [start, *cut_positions(text, start, end, level), end]
    assert all(low < high for low, high in pairwise(found)) or (start == end and len(found) == 2)
    if 1 <= level <= 5:
        assert not any(unicodedata.combining(text[position]) for position in found[1:-1])


@given(st.text(NASTY, max_size=40))
def test_the_last_level_cuts_everywhere(text: str) -> None:
    assert list(cut_positions(text, 0, len(text), 6)) == list(range(1, len(text)))


@given(
    st.lists(st.integers(1, 110), min_size=2, max_size=30),
    st.sampled_from(["characters", None]),
    st.integers(0, 200),
)
def test_no_word_that_fits_is_cut(lengths: list[int], tokenizer: str | None, more: int) -> None:
    words = [("https://a.io/Some-" + "page/q=1&" * 20)[:length] for length in lengths]
    text = " ".join(words)
    chunker = Chunker(chunk_size=130 + more, tokenizer=tokenizer, context="none")
    borders = {chunk.span.start for chunk in chunker.chunk(text, format="text")}
    borders |= {chunk.span.end for chunk in chunker.chunk(text, format="text")}
    position = 0
    for word in words:
        assert borders.isdisjoint(range(position + 1, position + len(word)))
        position += len(word) + 1
