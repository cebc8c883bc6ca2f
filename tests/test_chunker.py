"""Settings, ids, determinism and what stays the same when a document is edited."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Any

import pytest

from structchunk_core import Chunker, ConfigurationError, Problem, chunk
from tests.generators import SplitTokenizer
from tests.promises import check_promises

PYTHON = "".join(
    f'def function_{n}(argument):\n    """Says {n}."""\n    return argument + {n}\n\n\n'
    for n in range(40)
)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"chunk_size": 7}, "chunk_size must be at least 8 tokens, got 7"),
        ({"chunk_size": 0, "tokenizer": "characters"}, "at least 1 character, got 0"),
        ({"chunk_size": 1.5}, "whole number of tokens, got 1.5"),
        ({"chunk_size": True}, "got True"),
        ({"chunk_size": "512"}, "got '512'"),
        ({"chunk_size": None}, "got None"),
        ({"target_size": 0}, "target_size must be at least 1 token, got 0"),
        ({"target_size": 513}, "must not exceed chunk_size (512 tokens), got 513"),
        ({"chunk_overlap": -1}, "chunk_overlap must be at least 0 tokens, got -1"),
        ({"chunk_overlap": 513}, "must not exceed chunk_size (512 tokens), got 513"),
        ({"tokenizer": "cl200k"}, "got 'cl200k'"),
        ({"tokenizer": 3}, "got 3"),
        ({"length_function": 3}, "got 3"),
        ({"length_function": int}, "got <class 'int'>"),
        ({"tokenizer": str}, "got the class <class 'str'>"),
        ({"length_function": len, "tokenizer": "characters"}, "not both"),
        ({"granularity": "fine"}, "'definition' or 'packed', got 'fine'"),
        ({"context": True}, "got True"),
        ({"on_missing_grammar": "ignore"}, "'warn' or 'error', got 'ignore'"),
        ({"strip_boilerplate": "yes"}, "must be True or False, got 'yes'"),
        ({"parse_seconds": 0}, "positive, finite number of seconds, such as 10, got 0"),
        ({"parse_seconds": float("nan")}, "got nan"),
        ({"parse_seconds": "10"}, "got '10'"),
        ({"parse_seconds": 10**400}, "finite number of seconds"),
        ({"grammars": None}, "got None"),
        ({"grammars": {"python": "x"}}, "got 'x'"),
    ],
)
def test_a_wrong_setting_says_so_at_once(settings: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        Chunker(**settings)
    assert told in str(caught.value)


def test_wrong_arguments_say_so() -> None:
    with pytest.raises(ConfigurationError, match="decode bytes first"):
        Chunker().chunk(b"x")  # type: ignore[arg-type]  # that is what is tested
    with pytest.raises(ConfigurationError, match="got 'docx'"):
        Chunker().chunk("x", format="docx")
    with pytest.raises(ConfigurationError, match="got 3"):
        Chunker().chunk("x", path=3)  # type: ignore[arg-type]  # (the same)
    with pytest.raises(ConfigurationError, match="got ''"):
        Chunker().chunk("x", language="")


def test_a_path_may_be_a_path_object() -> None:
    (one,) = Chunker().chunk("x = 1", path=PurePosixPath("a/b.py"))
    assert (one.source, one.language) == ("a/b.py", "python")


@pytest.mark.parametrize("text", ["", " ", "\n\n\t\n", "\u3000\x0c"])
@pytest.mark.parametrize("path", ["a.py", "a.md", "a.csv", "a.txt", ""])
def test_nothing_visible_gives_no_chunks(text: str, path: str) -> None:
    assert Chunker().chunk(text, path=path) == []


def test_a_chunker_can_be_copied_pickled_and_compared() -> None:
    chunker = Chunker(chunk_size=64, tokenizer="o200k_base", granularity="packed")
    expected = chunker.chunk(PYTHON, path="a.py")
    for other in (copy.deepcopy(chunker), pickle.loads(pickle.dumps(chunker))):  # noqa: S301  # ours
        assert other == chunker
        assert other.fingerprint == chunker.fingerprint
        assert other.chunk(PYTHON, path="a.py") == expected
    assert pickle.loads(pickle.dumps(expected)) == expected  # noqa: S301  # ours


def test_the_fingerprint_tells_settings_apart() -> None:
    settings: list[dict[str, Any]] = [
        {},
        {"chunk_size": 256},
        {"target_size": 100},
        {"tokenizer": "o200k_base"},
        {"tokenizer": "characters"},
        {"tokenizer": SplitTokenizer()},
        {"granularity": "packed"},
        {"context": "none"},
        {"chunk_overlap": 10},
        {"parse_seconds": 2.0},
        {"on_missing_grammar": "error"},
        {"strip_boilerplate": True},
    ]
    prints = [Chunker(**one).fingerprint for one in settings]
    assert len(set(prints)) == len(prints)
    assert prints == [Chunker(**one).fingerprint for one in settings]


def test_one_chunker_serves_many_threads() -> None:
    chunker = Chunker(chunk_size=64)
    documents = [PYTHON[start:] for start in range(0, 2000, 50)]
    expected = [chunker.chunk(text, path="a.py") for text in documents]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda text: chunker.chunk(text, path="a.py"), documents))
    assert found == expected


def test_the_module_function_does_the_same() -> None:
    assert chunk(PYTHON, path="a.py", chunk_size=64) == Chunker(chunk_size=64).chunk(
        PYTHON, path="a.py"
    )


def test_other_processes_give_the_same_bytes() -> None:
    program = (
        "import sys; from structchunk_core import Chunker\n"
        "text = sys.stdin.read()\n"
        "for c in Chunker(chunk_size=64).chunk(text, path='a.py'): print(repr(c))"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", program],
            input=PYTHON,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "77")
    }
    assert len(printed) == 1


@pytest.mark.parametrize("granularity", ["definition", "packed"])
def test_an_edit_leaves_the_other_chunks_as_they_are(granularity: Any) -> None:
    chunker = Chunker(chunk_size=128, granularity=granularity)
    before = {one.id: one.embed_text for one in chunker.chunk(PYTHON, path="a.py")}
    place = PYTHON.index("def function_20(")
    edited = PYTHON[:place] + "def inserted():\n    return 'new'\n\n\n" + PYTHON[place:]
    after = {one.id: one.embed_text for one in chunker.chunk(edited, path="a.py")}
    kept = [key for key in before if after.get(key) == before[key]]
    assert len(kept) >= len(before) - (0 if granularity == "definition" else 4)


def test_ids_are_valid_and_depend_on_path_and_text() -> None:
    import uuid

    first = Chunker().chunk(PYTHON, path="a.py")
    second = Chunker().chunk(PYTHON, path="b.py")
    assert not {one.id for one in first} & {one.id for one in second}
    for one in first:
        assert uuid.UUID(one.id).version == 5
        assert uuid.UUID(one.id).variant == uuid.RFC_4122


def test_identical_pieces_have_their_own_ids_and_places() -> None:
    text = "impl Tag for Item {\n    fn tag(&self) -> u8 { 1 }\n}\n\n" * 6
    chunks = Chunker(tokenizer="characters", chunk_size=80).chunk(text, path="a.rs")
    assert len(chunks) == 6
    assert len({one.id for one in chunks}) == 6
    assert len({one.span for one in chunks}) == 6


def test_known_problems_stand_on_every_chunk() -> None:
    known = Problem("guessed-encoding", "it was latin-1, probably")
    for one in Chunker(chunk_size=64).chunk(PYTHON, path="a.py", problems=[known]):
        assert known in one.problems
        assert one.metadata()["problems"] == "guessed-encoding"


def test_a_missing_grammar_is_told_once_and_noted_or_raised() -> None:
    from structchunk_core import MissingDependencyError

    with pytest.warns(UserWarning, match="no tree-sitter grammar for 'klingon'"):
        chunks = Chunker(chunk_size=8).chunk("block { a }\n" * 9, language="klingon")
    assert {problem.code for one in chunks for problem in one.problems} == {"missing-grammar"}
    with pytest.raises(MissingDependencyError, match="pip install"):
        Chunker(on_missing_grammar="error").chunk("x", language="klingon")


def test_a_grammar_of_the_users_own_is_taken() -> None:
    from tree_sitter import Language, Parser
    from tree_sitter_language_pack import get_language

    grammar = get_language("python")
    assert isinstance(grammar, Language)
    for given in (grammar, Parser(grammar)):
        chunker = Chunker(chunk_size=64, grammars={"mine": given})
        chunks = chunker.chunk(PYTHON, language="mine")
        check_promises(PYTHON, chunks, chunker)
        assert chunks[0].symbols == ("function_0",)


@pytest.mark.parametrize("overlap", [10, 60])
def test_overlap_repeats_whole_lines_of_the_chunk_before(overlap: int) -> None:
    text = "".join(f"Line {n} of some notes.\n" for n in range(60))
    chunker = Chunker(tokenizer="characters", chunk_size=200, chunk_overlap=overlap)
    chunks = chunker.chunk(text, path="a.txt")
    check_promises(text, chunks, chunker)
    for earlier, later in pairwise(chunks):
        repeated = later.prefix.strip()
        assert len(later.prefix) <= overlap + 1
        assert earlier.text.endswith(repeated)
    assert all(later.prefix for later in chunks[1:])


HEADINGS = "intro\n\n# A\n\n## B\n\nbb\n\n### C\n\ncc\n\n### D\n\ndd\n\n## E\n\n### F\n\nff\n"


@pytest.mark.parametrize("granularity", ["definition", "packed"])
def test_a_chunk_begins_at_every_heading_of_the_split_level(granularity: Any) -> None:
    """A heading with no text of its own stays with the first one below it."""
    begins = {
        None: ["intro"],
        1: ["intro", "# A"],
        2: ["intro", "# A", "## E"],
        3: ["intro", "# A", "### C", "### D", "## E"],
    }
    for level, expected in begins.items():
        chunker = Chunker(chunk_size=500, split_level=level, granularity=granularity)
        chunks = chunker.chunk(HEADINGS, path="a.md")
        assert [one.text.partition("\n")[0] for one in chunks] == expected
    assert chunker.fingerprint != Chunker(chunk_size=500, granularity=granularity).fingerprint


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.rst", "A\n=\n\na\n\nB\n-\n\nb\n\nC\n-\n\nc\n"),
        ("a.txt", "1. A\n\na\n\n1.1 B\n\nb\n\n1.2 C\n\nc\n"),
    ],
)
def test_other_formats_have_levels_too(path: str, text: str) -> None:
    counts = [len(Chunker(split_level=level).chunk(text, path=path)) for level in (None, 1, 2)]
    assert counts == [1, 1, 3]
    last = Chunker(split_level=2).chunk(text, path=path)[-1]
    assert [level for level, _ in last.headings] == [1, 2]


def test_headings_are_levels_and_words() -> None:
    chunks = Chunker(split_level=3).chunk(HEADINGS, path="a.md")
    assert [one.headings for one in chunks] == [
        (),
        ((1, "A"), (2, "B")),
        ((1, "A"), (2, "B"), (3, "C")),
        ((1, "A"), (2, "B"), (3, "D")),
        ((1, "A"), (2, "E"), (3, "F")),
    ]


def test_element_types_are_all_that_is_inside_the_most_first() -> None:
    text = "Words.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\n- x\n"
    (one,) = Chunker().chunk(text, path="a.md")
    assert (one.element_type, one.element_types) == ("table", ("table", "prose", "list"))
    assert one.metadata()["element_types"] == "table, prose, list"
    (code,) = Chunker().chunk("x = 1\n", path="a.py")
    assert code.metadata()["element_types"] == "code"


def test_a_length_function_is_asked_about_each_chunk_however_small_it_looks() -> None:
    def words(text: str) -> int:
        return len(text.split())

    chunker = Chunker(chunk_size=1, length_function=words)
    for text in ("public class C { void F() { if (true) { G();", "impl fmt::Display for S {\n}\n"):
        chunks = chunker.chunk(text, path="a.cs")
        assert [chunk for chunk in chunks if words(chunk.embed_text) > 1] == []
