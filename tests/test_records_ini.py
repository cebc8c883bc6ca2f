"""INI files and their kin: sections, keys, values over several lines."""

from __future__ import annotations

from configparser import ParsingError, RawConfigParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structchunk_core import Chunker
from structchunk_core.formats._records_ini import told_by_ini
from tests.promises import check_nothing_that_fits_is_cut, check_promises

LINES = (
    "[a]",
    "[b]",
    "k = 1",
    "key: words",
    "k=",
    "    more",
    "    and = more",
    "\tmore",
    "  # inside",
    "# comment",
    "; comment",
    "",
    " ",
    "bare",
    "http://a.b:80",
    "x = \\",
    "  y",
    "[broken",
)

READ = tuple(line for line in LINES[:13] if "=" not in line[1:] or line[0] == "k")
"""Those that configparser does not refuse for names that come twice."""


def labels(text: str) -> list[tuple[str, list[str]]]:
    """Each section with its keys, as the units name them."""
    found: list[tuple[str, list[str]]] = []
    for _, unit in Chunker().parse(text, path="a.ini").root.walk():
        if unit.kind == "mapping":
            found.append((unit.label, []))
        elif unit.kind == "pair":
            found[-1][1].append(unit.label)
    return found


@given(st.lists(st.sampled_from(READ), max_size=16))
def test_sections_and_keys_are_those_of_configparser(lines: list[str]) -> None:
    text = "\n".join(["[top]", "k = 0", *lines]) + "\n"
    numbered = ""
    for number, line in enumerate(text.splitlines()):  # names that do not come twice
        named = line.replace("[a]", f"[a{number}]").replace("[b]", f"[b{number}]")
        is_key = line.startswith(("k", "key")) and line[:1] != " "
        numbered += (f"n{number}{named}" if is_key else named) + "\n"
    parser = RawConfigParser(strict=True, delimiters=("=", ":"))
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # as it is documented
    try:
        parser.read_string(numbered)
    except ParsingError:  # a value goes on where none is
        return
    assert labels(numbered) == [(name, parser.options(name)) for name in parser.sections()]
    told = {told.keys: dict(told.pairs) for told in told_by_ini(numbered) or () if told.keys}
    for name in parser.sections():
        for key, value in parser[name].items():
            words = [line for line in value.splitlines() if line]
            said = told[name,][key]
            assert [
                word for word in said.split(", ") if word not in ("", "inside", "comment")
            ] == words


@given(st.lists(st.sampled_from(LINES), max_size=20), st.integers(1, 80), st.booleans())
def test_any_lines_keep_the_promises(lines: list[str], size: int, ends: bool) -> None:
    text = ("\r\n" if ends else "\n").join(lines)
    for written in (text, "\ufeff" + text):
        chunker = Chunker(tokenizer="characters", chunk_size=size)
        chunks = chunker.chunk(written, path="a.ini")
        check_promises(written, chunks, chunker)
        slices = [chunk for chunk in chunks if not chunk.derived]
        check_nothing_that_fits_is_cut(
            written, slices, chunker, chunker.parse(written, path="a.ini")
        )


def test_a_long_value_is_cut_between_its_lines_below_section_and_key() -> None:
    rows = "".join(f"    package-{n}>={n}.0\n" for n in range(40))
    text = f"[options]\nname = a\n# what it needs\ninstall_requires =\n{rows}zip = no\n"
    chunker = Chunker(tokenizer="characters", chunk_size=160)
    chunks = chunker.chunk(text, path="setup.cfg")
    check_promises(text, chunks, chunker)
    parts = [chunk for chunk in chunks if "package" in chunk.text]
    assert len(parts) > 5
    for part in parts:
        assert part.text.startswith(("[options]\n", "# what"))
        assert "install_requires =\n" in part.text
        assert "options: " in part.embed_text
        assert "install_requires: package-" in part.embed_text
        assert part.element_type == "record"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[a]\nk = 1, 2\n", [(("a",), [("k", "1, 2")])]),
        ("[a]\nk =\n  1,\n  2\n", [(("a",), [("k", "1, 2")])]),
        ("k = v\n", [((), [("k", "v")])]),
        ("# w\n[a] ; x\nk = v ; y\n", [(("a",), [("", "w x"), ("k", "v ; y")])]),
        ("[a]\n# w\nk = v\n", [(("a",), [("", "w"), ("k", "v")])]),
        ("[a]\nk = v \\\n  w\n", [(("a",), [("k", "v w")])]),
        ("[a]\n[b]\nk: v\n", [((), [("a", "")]), (("b",), [("k", "v")])]),
        ("[a]\nh:80 = v\n", [(("a",), [("h:80", "v")])]),
        ("  inside a value\n[a]\nk = v\n", None),
        ("words\nand more\nand more\nk = v\n", None),
        ("", []),
    ],
)
def test_what_it_tells_is_each_section_with_its_keys(text: str, expected: object) -> None:
    for written in (text, text.replace("\n", "\r\n")):
        told = told_by_ini(written)
        assert (told if told is None else [(one.keys, one.pairs) for one in told]) == expected


@pytest.mark.parametrize("name", ["a.ini", "SETUP.CFG", "a.service", ".gitconfig", ".editorconfig"])
def test_its_names_are_known(name: str) -> None:
    (chunk,) = Chunker().chunk("[a]\nk = v\n", path=f"folder/{name}")
    assert (chunk.format, chunk.language) == ("records", "ini")
    assert "a: k: v" in chunk.embed_text


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ('[a]\nrun=/bin/sh -c "a \\\n b; c"\nx=1\n', ['a: run: /bin/sh -c "a b; c"; x: 1']),
        ("[a]\nco = !f() { \\\n x; \\\n }; f\n", ["a: co: !f() { x; }; f"]),
        ("[a]\nrun=/bin/a \\\n# why\n--c \\\n--d\n", ["a: run: /bin/a # why --c --d"]),
        ("[a]\nrun=\\\n  a\n", ["a: run: a"]),
        ("[a]\nfrom=C:\\a\\\nto=b\n", ["a: from: C:\\a; to: b"]),
        ("[a]\nfrom=C:\\a\\\n[b]\nto=b\n", ["a: from: C:\\a", "b: to: b"]),
        ("[a]\nof =\n  a,\n  # why\n  b\n", ["a: of: a, why, b"]),
    ],
)
def test_a_line_below_a_backslash_is_the_same_line(text: str, lines: list[str]) -> None:
    for written in (text, text.replace("\n", "\r\n")):
        (chunk,) = Chunker().chunk(written, path="a.ini")
        assert chunk.indexed.splitlines() == lines


@pytest.mark.parametrize(
    ("path", "text", "line"),
    [
        ("my.cnf", "[mysqld]\nport=3306\nuser=x\n", "mysqld: port: 3306; user: x"),
        ("t.conf", "[[a.b]]\n  urls = ['c',\n 'd']\n", "a > b: urls: c, d"),
        ("t.conf", '<?xml version="1.0"?>\n<a><b>1</b></a>\n', "a: b: 1"),
    ],
)
def test_settings_are_ini_toml_or_xml_as_they_are_written(path: str, text: str, line: str) -> None:
    (chunk,) = Chunker().chunk(text, path=path)
    assert chunk.indexed == line
    assert not chunk.problems
