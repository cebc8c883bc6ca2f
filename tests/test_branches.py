"""Branches of ``#if`` that a grammar cannot read side by side."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structchunk_core import Chunker
from structchunk_core.formats import _code_branches
from structchunk_core.formats._code_branches import hidden_branches
from structchunk_core.formats.code import readable
from structchunk_core.profiles import profile
from tests.cutting import cut, holder_of

HEADERS = """\
class Reader
{
#if OLD
    int read(char kind)
    {
        int size = 1;
#else
    int read(char kind, int size)
    {
#endif
        return size;
    }

    int write(int size)
    {
        return size;
    }
};
"""


def shown(text: str) -> list[str]:
    """The lines that a grammar is shown, without blank ones."""
    lines = readable(text, profile("cpp")).split("\n")
    return [line.strip() for line in lines if line.strip()]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#if A\nif (a) {\n#else\nif (b) {\n#endif\n}\n", ["if (a) {", "}"]),
        ("#if A\n} else {\n#else\n}\n#endif\n", None),  # unlike
        ("#if A\nint a() {}\n#else\nint b() {}\n#endif\n", None),  # balanced
        ("#if A\nint a() {\n#endif\n}\n", None),  # one branch
        ("#ifdef A\nf({\n#elif B\ng({\n# else\nh({\n#endif\n});\n", ["f({", "});"]),
        (
            "#if A\n#if B\nf({\n#else\ng({\n#endif\n#else\nh({\n#endif\n});\n",
            ["f({", "});"],
        ),
        ("#if A\nx = \"{\";\n#else\ny = '{'; // {\n#endif\n", None),
        ("#if A \\\n  && B\nf({\n#else // not\ng({\n#endif // A\n});\n", ["f({", "});"]),
        ("#else\nf({\n#endif\n#if A\n", None),  # nothing that they belong to
    ],
)
def test_the_first_of_branches_that_leave_the_same_open_is_shown(
    text: str, expected: list[str] | None
) -> None:
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    assert shown(text) == (lines if expected is None else expected)


@given(
    st.lists(
        st.sampled_from(["#if A", "#else", "#elif B", "#endif", "{", "}", "é", '"{']), max_size=30
    )
)
def test_what_is_hidden_lies_in_the_text_in_order(lines: list[str]) -> None:
    text = "\n".join(lines)
    position = 0
    for start, end in hidden_branches(text):
        assert position <= start < end <= len(text)
        position = end
    assert len(readable(text, profile("cpp")).encode()) == len(text.encode())


@given(
    st.lists(
        st.sampled_from(
            ["#if A\n", "#else\n", "#elif B\n", "#endif\n", "{\n", "}\n", "'{' f() {\n", "x;\n"]
        ),
        max_size=16,
    )
)
def test_brackets_are_counted_where_they_matter_only(lines: list[str]) -> None:
    text = "#if A\n#else\n#endif\n" + "".join(lines)
    counting_all = pytest.MonkeyPatch()
    counting_all.setattr(_code_branches, "_decisive", _wherever_there_is_a_condition)
    try:
        expected = hidden_branches(text)
    finally:
        counting_all.undo()
    assert hidden_branches(text) == expected


def _wherever_there_is_a_condition(directives: Sequence[tuple[int, re.Match[str]]]) -> list[bool]:
    depth = 0
    inside = []
    for _, match in directives:
        depth = max(0, depth + bool(match["opens"]) - bool(match["closes"]))
        inside.append(depth > 0)
    return inside


@pytest.mark.parametrize("path", ["reader.cpp", "Reader.cs"])
def test_two_headers_of_one_body_do_not_break_what_is_around(path: str) -> None:
    root = Chunker(tokenizer="characters").parse(HEADERS, path=path).root
    named = [unit.label for _, unit in root.walk() if unit.definition is not None]
    assert named == ["Reader", "read", "write"]
    chunks = cut(HEADERS, path, 200, context="none")
    assert "#endif\n        return size;\n    }" in holder_of(chunks, "#if OLD").text
    assert holder_of(chunks, "int write").symbols == ("Reader.write",) or path.endswith("cpp")
