"""The measuring script counts right: on splits made by hand, and on ours of known modules."""

from __future__ import annotations

import sysconfig
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.benchmarks import quality
from tests.benchmarks.peers import (
    SPLITTERS,
    Entrant,
    Piece,
    Splitter,
    UnsupportedError,
    align,
    missing,
)
from tests.benchmarks.quality import Document, judge, misses, with_insertion
from tests.benchmarks.truth import GRAMMARS, Definition, definitions

SIZE = 120
SUMS = """\
import math

# Adds.
def add(a, b):
    total = a + b
    return total


class Sums:
    def twice(self, a):
        return a + a

    # Never negative.
    @staticmethod
    def root(a):
        return math.sqrt(a)
"""


def splitter(pieces: Sequence[Piece]) -> Splitter:
    return lambda *_: pieces


def cut_before(text: str, *marks: str) -> list[Piece]:
    """The text in pieces that begin where the marks do."""
    borders = [0, *(text.index(mark) for mark in marks), len(text)]
    return [Piece(start, end, text[start:end]) for start, end in pairwise(borders)]


def judged(
    text: str, pieces: Sequence[Piece], size: int = SIZE, language: str = "python"
) -> Counter[str]:
    document = Document("sums.py", language, text, definitions(text, language))
    return judge(splitter(pieces), document, size, "characters").counts


def test_a_good_split_has_nothing_to_blame() -> None:
    counts = judged(SUMS, cut_before(SUMS, "# Adds", "class", "    # Never"))
    assert counts["functions"] == counts["fitting"] == counts["alone"] == 3
    assert counts["chunks"] == 4
    assert misses(counts, "definition", SIZE, "characters") == []


@pytest.mark.parametrize(
    ("marks", "expected"),
    [
        (("    return total",), {"cut": 1}),
        (("def add", "class"), {"torn": 1}),
        (("    @static",), {"torn": 1}),
        (("    def root",), {"cut": 1, "torn": 0}),  # the decorator is a part of the function
        (("    total",), {"cut": 1, "lone": 1}),
        (("= a + b",), {"cut": 1, "midline": 1}),
        (("add", "a + b", "turn"), {"cut": 1, "midline": 3}),
        (("(a)\n",), {"cut": 1, "midline": 1}),
        (("\n\nclass",), {}),
    ],
)
def test_cuts_are_counted(marks: tuple[str, ...], expected: dict[str, int]) -> None:
    counts = judged(SUMS, cut_before(SUMS, *marks), size=1000)
    for key in ("cut", "torn", "lone", "midline"):
        assert counts[key] == expected.get(key, 0), key


def test_what_does_not_fit_may_be_cut() -> None:
    pieces = cut_before(SUMS, "def add", "    total", "= a", "    return total")
    counts = judged(SUMS, pieces, size=12)
    assert counts["cut"] == counts["torn"] == counts["lone"] == counts["midline"] == 0
    assert counts["fitting"] == 0


def test_a_signature_is_lone_only_where_the_first_line_has_room() -> None:
    pieces = cut_before(SUMS, "# Adds", "    total", "class")
    head = len("# Adds.\ndef add(a, b):\n")
    line = len("    total = a + b")
    assert judged(SUMS, pieces, size=head + line)["lone"] == 1
    assert judged(SUMS, pieces, size=head + line - 1)["lone"] == 0


def test_a_signature_is_not_lone_where_a_function_begins_that_has_no_room() -> None:
    text = "def outer():\n    def inner():\n        return 1\n    return inner\n"
    pieces = cut_before(text, "    def inner")
    inner = len("    def inner():\n        return 1")
    assert judged(text, pieces, size=len("def outer():\n") + inner)["lone"] == 1
    assert judged(text, pieces, size=len("def outer():\n") + inner - 1)["lone"] == 0


def test_a_comment_behind_the_signature_is_the_first_line_of_the_body() -> None:
    text = "def f(a):  # one\n    # two\n    # three\n    return a\n"
    assert judged(text, cut_before(text, "    # two"), size=1000)["lone"] == 1
    assert judged(text, cut_before(text, "    # three"), size=1000)["lone"] == 0
    assert judged(text, cut_before(text, "    return"), size=1000)["lone"] == 0


def test_the_context_takes_room_from_the_first_line() -> None:
    bare = cut_before(SUMS, "# Adds", "    total", "class")
    placed = [piece._replace(indexed=f"# sums.py > add\n{piece.text}") for piece in bare]
    size = len("# Adds.\ndef add(a, b):\n    total = a + b")
    assert judged(SUMS, bare, size)["lone"] == 1
    assert judged(SUMS, placed, size)["lone"] == 0


def test_what_is_indexed_is_measured() -> None:
    pieces = cut_before(SUMS, "# Adds", "class", "    # Never")
    longest = max(len(piece.text) for piece in pieces)
    assert judged(SUMS, pieces, size=longest)["over"] == 0
    assert judged(SUMS, pieces, size=longest - 1)["over"] == 1
    longer = [piece._replace(indexed=f"# {piece.text}") for piece in pieces]
    assert judged(SUMS, longer, size=longest)["over"] == 1


def test_lost_and_repeated_and_invented_characters_are_counted() -> None:
    text = "alpha beta gamma\n"
    whole = Piece(0, len(text), text)
    assert judged(text, [whole])["lost"] == 0
    assert judged(text, [Piece(0, 5, "alpha"), Piece(11, 16, "gamma")])["lost"] == 4
    assert judged(text, [Piece(6, 10, "beta")])["lost"] == 10
    assert judged(text, [Piece(0, 10, "alpha beta"), Piece(6, 17, "beta gamma\n")])["repeated"] == 4
    assert judged(text, [whole, Piece(3, 3, "de  lta")])["invented"] == 5
    assert judged(text, [Piece(0, 17, "alpha beta delta\n")])["invented"] == 14


def test_blank_pieces_and_closing_brackets_are_counted() -> None:
    text = "function f() {\n  return [\n    1,\n  ];\n}\n\n"
    pieces = cut_before(text, "  ];", "}")
    pieces[2:] = [
        Piece(len(text) - 4, len(text) - 2, "}\n"),
        Piece(len(text) - 2, len(text), "\n\n"),
    ]
    counts = judged(text, pieces, size=30, language="javascript")
    assert (counts["blank"], counts["closing"], counts["lost"]) == (1, 2, 0)


def test_fill_and_tiny_are_those_of_files_that_take_several_pieces() -> None:
    text = "a = 1\n" * 30
    counts = judged(text, cut_before(text), size=180)
    assert (counts["counted"], counts["filled"], counts["tiny"]) == (0, 0, 0)
    pieces = [Piece(0, 96, text[:96]), Piece(96, 174, text[96:174]), Piece(174, 180, text[174:])]
    counts = judged(text, pieces, size=100)
    assert (counts["counted"], counts["filled"], counts["tiny"]) == (3, 180, 1)


@pytest.mark.parametrize(
    ("marks", "size", "alone"),
    [
        ((), 1000, 3),  # the file is at most half of the budget
        ((), 300, 0),
        (("class",), 300, 1 + 2),  # and so is the class
        (("class",), 250, 1),
        (("class", "    # Never"), 250, 3),
        (("    def root",), 300, 0),  # the end of one and the beginning of another
    ],
)
def test_functions_alone_in_their_piece(marks: tuple[str, ...], size: int, alone: int) -> None:
    assert judged(SUMS, cut_before(SUMS, *marks), size)["alone"] == alone


def test_functions_on_one_line_and_functions_within_one_another_are_alone() -> None:
    text = "const a = () => { return 1; }, b = () => { return 2; };\n"
    counts = judged(text, cut_before(text), size=len(text), language="javascript")
    assert (counts["functions"], counts["alone"]) == (2, 2)
    text = "def outer():\n    def inner():\n        return 1\n    return inner\n"
    counts = judged(text, cut_before(text), size=len(text))
    assert (counts["functions"], counts["alone"]) == (2, 2)


def test_a_function_is_whole_in_whichever_overlapping_piece_has_it() -> None:
    start, end = SUMS.index("# Adds"), SUMS.index("class")
    later = SUMS.index("    return total")
    pieces = [Piece(0, end, SUMS[:end]), Piece(later, len(SUMS), SUMS[later:])]
    assert judged(SUMS, pieces, size=1000)["cut"] == 0
    pieces[0] = Piece(0, start + 20, SUMS[: start + 20])
    assert judged(SUMS, pieces, size=1000)["cut"] == 1


def test_a_splitter_that_fails_is_refused_and_one_without_the_language_is_left_out() -> None:
    def fail(*_: object) -> list[Piece]:
        raise ValueError("cannot parse")

    def lack(*_: object) -> list[Piece]:
        raise UnsupportedError

    document = Document("sums.py", "python", SUMS, definitions(SUMS, "python"))
    counts = judge(fail, document, SIZE, "characters").counts
    assert counts == Counter(files=1, refused=1)
    assert misses(counts, "definition", SIZE, "characters") == ["refused 1"]
    with pytest.raises(UnsupportedError):
        judge(lack, document, SIZE, "characters")


@pytest.mark.parametrize("key", ["cut", "torn", "lone", "over", "lost", "invented", "midline"])
def test_one_of_these_is_a_miss(key: str) -> None:
    counts = Counter({key: 1})
    assert misses(counts, "definition", SIZE, "characters") == [f"{key} 1"]


def test_shares_are_misses_of_the_mode_they_are_meant_for() -> None:
    counts = Counter(fitting=100, alone=99, counted=100, filled=100 * 1500 * 72 // 100, tiny=1)
    assert misses(counts, "definition", 1500, "characters") == ["alone 99.00%"]
    assert misses(counts, "packed", 1500, "characters") == ["tiny 1.00%", "fill 0.72"]
    counts["filled"], counts["tiny"] = 100 * 500 * 72 // 100, 0
    assert misses(counts, "packed", 500, "characters") == []
    assert misses(counts, "packed", 500, "tokens") == ["fill 0.72"]


@pytest.mark.parametrize(
    ("parts", "spans"),
    [
        (["one two\n", "  three\n", "two\n"], ["one two", "three", "two"]),
        (["one two", "three", "two"], ["one two", "three", "two"]),
        (["one\ttwo\nthree", "\n two"], ["one two\n  three", "two"]),
        (["one", "three", "two"], ["one", "three", "two"]),
        (["one two", "two", "three two"], ["one two", "two", "three\ntwo"]),
        (["one", "four", "two"], ["one", "", "two"]),
        (["", "one two", " ", "three"], ["", "one two", "", "three"]),
    ],
)
def test_parts_are_aligned(parts: list[str], spans: list[str]) -> None:
    pieces = align("one two\n  three\ntwo\n", parts)
    assert [piece.text for piece in pieces] == parts
    assert ["one two\n  three\ntwo\n"[piece.start : piece.end] for piece in pieces] == spans


@given(
    st.text(alphabet="ab \n", max_size=60),
    st.lists(st.integers(0, 60), max_size=6),
)
def test_stripped_parts_of_any_text_find_the_place_they_had(text: str, cuts: list[int]) -> None:
    borders = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    pairs = list(pairwise(borders))
    pieces = align(text, [text[start:end].strip() for start, end in pairs])
    for (start, end), piece in zip(pairs, pieces, strict=True):
        assert text[piece.start : piece.end] == text[start:end].strip()
        assert piece.start == piece.end or start <= piece.start <= piece.end <= end


SNIPPETS = {
    "c": "/* Sum. */\nint sum(int a) {\n  return a;\n} /* sum */\n",
    "cpp": "struct A {\n  // Sum.\n  template <class T> T sum(T a) {\n    return a;\n  }\n};\n",
    "csharp": "class A {\n  /// Sum.\n  [Pure]\n  int Sum(int a) {\n    return a;\n  }\n}\n",
    "go": "// Sum.\nfunc (s *Set) Sum(a int) int {\n\treturn a\n}\n",
    "java": "class A {\n  /** Sum. */\n  @Pure\n  int sum(int a) {\n    return a;\n  }\n}\n",
    "javascript": "class A {\n  // Sum.\n  @pure\n  sum = (a) => {\n    return a;\n  };\n}\n",
    "kotlin": "class A {\n    // Sum.\n    fun sum(a: Int): Int {\n        return a\n    }\n}\n",
    "php": "<?php\nclass A {\n    // Sum.\n    #[Pure]\n    function sum($a) {\n    }\n}\n",
    "python": "class A:\n    # Sum.\n    @pure\n    def sum(self, a):\n        return a\n",
    "ruby": "class A\n  # Sum.\n  def sum(a)\n    a\n  end\nend\n",
    "rust": "impl A {\n    /// Sum.\n    #[pure]\n    fn sum(a: u8) -> u8 {\n        a\n    }\n}\n",
    "scala": "object A {\n  // Sum.\n  def sum(a: Int): Int = {\n    a\n  }\n}\n",
    "swift": "struct A {\n    // Sum.\n    func sum(a: Int) -> Int {\n        return a\n    }\n}\n",
    "tsx": "// Sum.\nexport const Sum = ({ a }: Props) => {\n  return <b>{a}</b>;\n};\n",
    "typescript": "// Sum.\nexport default async function sum(a: number) {\n  return a;\n}\n",
}


def test_there_is_a_snippet_of_every_language() -> None:
    assert set(SNIPPETS) == set(GRAMMARS)


@pytest.mark.parametrize("language", SNIPPETS)
def test_the_truth_finds_a_function_with_what_belongs_to_it(language: str) -> None:
    text = SNIPPETS[language]
    found = definitions(text, language)
    function = next(item for item in found if item.is_function)
    assert len(found) - 1 == sum(not item.is_function for item in found) <= 1
    comment, _, code = text[function.attached : function.end].partition("\n")
    assert "um." in comment
    assert code.lstrip().startswith(text[function.start : function.end])
    assert text[function.body] in "{ra"
    rest = text[function.end :].strip("};\n ")
    assert rest in {"", "end"}
    assert [outer.container for outer in function.around] == [True] * (len(found) - 1)


def functions_of(text: str, language: str) -> list[Definition]:
    return [found for found in definitions(text, language) if found.is_function]


@pytest.mark.parametrize(
    ("text", "attached"),
    [
        ("# one\n# two\ndef f():\n    pass\n", "# one"),
        ("# one\n\n# two\ndef f():\n    pass\n", "# two"),
        ("x = 1  # one\n# two\ndef f():\n    pass\n", "# two"),
        ("x = 1  # one\ndef f():\n    pass\n", "def"),
        ("# one\n\ndef f():\n    pass\n", "def"),
        ("class A:\n    # one\n    def f(self):\n        pass\n", "# one"),
    ],
)
def test_comments_are_attached_without_a_blank_line(text: str, attached: str) -> None:
    (function,) = functions_of(text, "python")
    assert text[function.attached :].startswith(attached)


def test_a_function_ends_with_its_last_visible_character() -> None:
    text = "object A {\n  def one(a: Int) =\n    a match {\n    }\n\n  private def two = 2\n}\n"
    ends = [text[found.body : found.end] for found in functions_of(text, "scala")]
    assert [end[-1] for end in ends] == ["}", "2"]


@pytest.mark.parametrize("comment", ["", "/* Sums. */\n", "// one\n// two\n"])
def test_a_macro_above_a_function_is_no_part_of_it(comment: str) -> None:
    text = f"TEST_END\n\n{comment}TEST_BEGIN(sums) {{\n  check();\n}}\n"
    (function,) = functions_of(text, "c")
    assert text[function.start :].startswith("TEST_BEGIN")
    assert text[function.attached :].startswith(comment or "TEST_BEGIN")
    (function,) = functions_of("static int\nsum(int a) {\n  return a;\n}\n", "c")
    assert function.start == 0


@pytest.mark.parametrize(
    ("text", "placed"),
    [
        ("int f() { return 1; }\n", [True]),
        ("SOME x @ y;\nint f() { return 1; }\n}\nint g() { return 1; }\n", [False, True]),
        ("BEGIN\ntemplate <class T> struct A<T, T> {\n  int f() { return 1; }\n};\n", [False]),
        ("namespace a {{{ @ ]\nint f() { return 1; }\n", [False]),
    ],
)
def test_where_a_function_stands_is_not_known_in_what_is_broken(
    text: str, placed: list[bool]
) -> None:
    assert [found.is_placed for found in definitions(text, "cpp")] == placed


def test_positions_are_characters() -> None:
    text = "# größer\ndef größer(ä):\n    return 'ß€𝄞'\n"
    (function,) = functions_of(text, "python")
    assert function.attached == 0
    assert text[function.start :].startswith("def")
    assert text[function.body :].startswith("return")
    assert function.end == len(text) - 1


@pytest.mark.parametrize("language", SNIPPETS)
def test_an_insertion_adds_a_function_and_nothing_else(language: str) -> None:
    text = SNIPPETS[language]
    document = Document("a", language, text, definitions(text, language))
    edited = with_insertion(document)
    assert edited is not None
    assert edited == with_insertion(document)
    before, after = functions_of(text, language), functions_of(edited, language)
    assert len(after) == len(before) + 1
    added = next(item for item in after if "nserted" in edited[item.start : item.end])
    assert (edited[: added.start] + edited[added.end :]).split() == text.split()


def test_peers_are_judged_like_ours() -> None:
    text = "\n\n".join(SUMS.replace("class Sums", f"class Sums{number}") for number in range(9))
    document = Document("sums.py", "python", text, definitions(text, "python"))
    for name in ("definition", "packed", "llamaindex", "langchain"):
        counts = judge(SPLITTERS[name].split, document, SIZE, "characters").counts
        assert counts["functions"] == 27
        assert counts["chunks"] >= len(text) / SIZE
        assert counts["lost"] == counts["invented"] == counts["over"] == counts["refused"] == 0
        cut = (
            counts["cut"] + counts["torn"] + counts["midline"] + counts["fitting"] - counts["alone"]
        )
        assert (cut == 0) == SPLITTERS[name].ours


def test_a_peer_that_is_not_installed_is_left_out_with_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    absent = Entrant(splitter([]), ("no_such_module_anywhere",), "nothing-to-install")
    monkeypatch.setitem(SPLITTERS, "chonkie", absent)
    (tmp_path / "sums.py").write_text(SUMS)
    assert missing("chonkie") == "nothing-to-install"
    assert quality.main([str(tmp_path), "--splitter", "chonkie"]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if "chonkie" in line]
    assert lines == ["chonkie is left out: pip install nothing-to-install"]


def test_a_miss_of_ours_is_shown_with_its_place_and_makes_the_exit_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    torn: Callable[..., list[Piece]] = lambda text, *_: cut_before(text, "def add", "class")  # noqa: E731  # typed
    monkeypatch.setitem(SPLITTERS, "definition", Entrant(torn, ours=True))
    (tmp_path / "sums.py").write_text(SUMS)
    arguments = [str(tmp_path), "--splitter", "definition", "--size", "300", "--examples"]
    assert quality.main(arguments) == 1
    printed = capsys.readouterr().out
    assert f"python definition torn: {tmp_path / 'sums.py'}:4" in printed
    assert "missed: python, definition: torn 1" in printed


@pytest.mark.parametrize("settings", [["--size", "1500"], ["--size", "400", "--unit", "tokens"]])
def test_known_modules_are_cut_as_promised(
    settings: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    stdlib = Path(sysconfig.get_path("stdlib"))
    paths = [str(stdlib / name) for name in MODULES]
    code = quality.main([*paths, *settings, "--splitter", "definition", "packed", "--edits"])
    assert code == 0, capsys.readouterr().out


MODULES = (
    "argparse.py",
    "configparser.py",
    "csv.py",
    "dataclasses.py",
    "heapq.py",
    "http/cookiejar.py",
    "queue.py",
    "textwrap.py",
)
