"""Documents of every format, and settings, for the property tests."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import yaml
from hypothesis import strategies as st

from structchunk_core import Chunker

HARD_CHARACTERS = "\0\r\f\v\x1c\x85\u2028\u2029\u00a0\u3000\ufeff\ud800\udfff\u0301\u200d\ufe0f"
"""What breaks offsets, line counts and encoders: white space, marks, lone surrogates."""

_GRAPHEMES = (
    "e\u0301",
    "👩\u200d👩\u200d👧",
    "🇳🇴",
    "日本語。",
    "Ünïcödé",
    "\ud83d\ude00",
    "\r\n",
    "a\tb",
)

_FOLDER = Path(__file__).parent / "fragments"


def _fragments(name: str) -> tuple[str, ...]:
    return tuple((_FOLDER / f"{name}.txt").read_text("utf-8").split("%%\n"))


FRAGMENTS: Mapping[str, tuple[str, ...]] = {
    path.stem: _fragments(path.stem)
    for path in sorted(_FOLDER.glob("*.txt"))
    if path.stem not in {"html", "markdown", "rst"}
}
"""Language -> pieces of its code, some of them broken."""

_MARKDOWN_BLOCKS = _fragments("markdown")
_RST_BLOCKS = _fragments("rst")
_HTML_BLOCKS = _fragments("html")


def arbitrary_text(max_size: int = 400) -> st.SearchStrategy[str]:
    """Any text, with a liking for what is hard."""
    piece = st.one_of(
        st.text(max_size=30),
        st.text(alphabet=HARD_CHARACTERS + " \n\ta(){}[]#|`>-=.,;:'\"\\", max_size=20),
        st.sampled_from(_GRAPHEMES),
        st.builds(
            lambda unit, times: unit * times, st.sampled_from("a (\n\t。=-#"), st.integers(1, 90)
        ),
    )
    return st.lists(piece, max_size=12).map("".join).map(lambda text: text[:max_size])


def code(language: str) -> st.SearchStrategy[str]:
    """Fragments of a language in any order, cut and indented anyhow, with noise between."""
    fragment = st.sampled_from(FRAGMENTS[language])
    cut = st.builds(lambda text, at: text[: at % (len(text) + 1)], fragment, st.integers(0, 400))
    indented = fragment.map(lambda text: "    " + text.replace("\n", "\n    ") + "\n")
    piece = st.one_of(
        fragment, fragment, fragment, cut, indented, arbitrary_text(40), st.just("\n\n")
    )
    joined = st.lists(piece, min_size=1, max_size=14).map("\n".join)
    return st.one_of(joined, joined.map(lambda text: text.replace("\n", "\r\n")))


def markdown() -> st.SearchStrategy[str]:
    """Blocks of every kind in any order, some of them cut short."""
    block = st.sampled_from(_MARKDOWN_BLOCKS)
    cut = st.builds(lambda text, at: text[: at % (len(text) + 1)], block, st.integers(0, 80))
    front = st.sampled_from(
        ("", "", "---\ntitle: T\n# comment\n---\n\n", "+++\ntitle = 'T'\n+++\n")
    )
    nested = block.map(lambda text: "> " + text.replace("\n", "\n> ") + "\n")
    inside = block.map(lambda text: "- " + text.replace("\n", "\n  ") + "\n")
    piece = st.one_of(block, block, block, cut, nested, inside, arbitrary_text(40))
    body = st.lists(piece, max_size=16).map("\n".join)
    return st.builds(str.__add__, front, body)


def rst() -> st.SearchStrategy[str]:
    """Blocks of every kind in any order, some of them cut short, indented or behind a mark."""
    block = st.sampled_from(_RST_BLOCKS)
    cut = st.builds(lambda text, at: text[: at % (len(text) + 1)], block, st.integers(0, 200))
    indented = st.builds(
        lambda text, lead: lead + text.replace("\n", "\n" + " " * len(lead)) + "\n",
        block,
        st.sampled_from(("   ", "- ", "1. ", ".. note:: ", ":field: ", "     - ", "term\n ")),
    )
    piece = st.one_of(block, block, block, cut, indented, arbitrary_text(40))
    body = st.lists(piece, max_size=14).map("\n".join)
    return st.one_of(body, body.map(lambda text: text.replace("\n", "\r\n")))


def html() -> st.SearchStrategy[str]:
    """Elements of every kind in any order, nested, cut short, misnested and never closed."""
    block = st.sampled_from(_HTML_BLOCKS)
    cut = st.builds(lambda text, at: text[: at % (len(text) + 1)], block, st.integers(0, 200))
    tag = st.builds(
        "{}{}{}>".format,
        st.sampled_from(("<", "<", "</")),
        st.sampled_from(_HTML_NAMES),
        st.sampled_from(("", "", "", " class='x y'", " id=a", ' title="', "/", " =<")),
    )
    inside = st.builds(
        "<{0}>{1}</{0}>".format, st.sampled_from((*_HTML_NAMES, "title", "textarea", "svg")), block
    )
    words = st.sampled_from(("word ", "a < b", "&amp;", "&nbsp;x", "&copy y", "\n", " two words"))
    piece = st.one_of(block, block, cut, tag, tag, inside, words, arbitrary_text(30))
    start = st.sampled_from(("", "<!DOCTYPE html>\n<title>T</title><body>", "<html><head>"))
    return st.builds(str.__add__, start, st.lists(piece, max_size=16).map("".join))


_HTML_NAMES: tuple[str, ...] = tuple(
    re.findall(
        r"\S+",
        "a article aside b blockquote br button caption code dd details div dl dt em footer form "
        "h1 h2 h3 header hr i img li main nav object ol option p pre script section select span "
        "style summary table tbody td template tfoot th thead tr ul x-y",
    )
)
"""Names of elements; without those that, while they are open, make all of the rest their text."""


def delimited() -> st.SearchStrategy[str]:
    """Tables as the csv module writes them, and some that nothing would write."""
    cell = st.one_of(
        st.text(max_size=12),
        st.sampled_from(("007", "1.10", "", 'a "b"', "x,y", "two\nlines", "é", "2e5", "-")),
    )
    rows = st.lists(st.lists(cell, min_size=1, max_size=5), min_size=1, max_size=12)

    def written(table: list[list[str]], delimiter: str, end: str, bom: str) -> str:
        out = io.StringIO()
        csv.writer(out, delimiter=delimiter, lineterminator=end, escapechar="\\").writerows(table)
        return bom + out.getvalue()

    return st.one_of(
        st.builds(
            written,
            rows,
            st.sampled_from(",;\t|"),
            st.sampled_from(("\n", "\r\n")),
            st.sampled_from(("", "\ufeff")),
        ),
        arbitrary_text(200),
    )


_KEYS = st.one_of(
    st.sampled_from(("id", "name", "a", "x y", "url", "ключ", "0", "", "a.b", 'q"', "a:b")),
    st.text(max_size=8),
)
_STRINGS = st.one_of(
    st.text(max_size=20),
    st.sampled_from(("it's", "a, b", "[1]", "{x}", "http://x.y/#z", "- a", "007", "yes", "# no")),
    st.builds(lambda words, times: words * times, st.sampled_from(("two words ", "é\n")),
              st.integers(1, 60)),
)  # fmt: skip
_SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    _STRINGS,
)


def values() -> st.SearchStrategy[Any]:
    """What JSON can say: lists and dictionaries of plain values, nested."""
    found: st.SearchStrategy[Any] = _SCALARS
    for _ in range(4):
        found = st.one_of(
            _SCALARS,
            st.lists(_SCALARS, max_size=20),
            st.lists(found, max_size=4),
            st.dictionaries(_KEYS, found, max_size=4),
            st.lists(st.fixed_dictionaries({"id": st.integers(), "v": found}), max_size=4),
        )
    return found


def valid_json() -> st.SearchStrategy[str]:
    """Values as the json module writes them, on one line or several, with or without blanks."""
    return st.builds(
        lambda value, indent, separators, is_ascii: json.dumps(
            value, indent=indent, separators=separators, ensure_ascii=is_ascii
        ),
        values(),
        st.sampled_from((None, None, 0, 2, "\t")),
        st.sampled_from((None, (",", ":"), (" , ", " : "))),
        st.booleans(),
    )


def broken(documents: st.SearchStrategy[str], pieces: tuple[str, ...]) -> st.SearchStrategy[str]:
    """Documents with pieces put in somewhere, cut short, or with characters taken out."""

    def spoil(text: str, edits: list[tuple[int, str, int]]) -> str:
        for place, piece, gone in edits:
            at = place % (len(text) + 1)
            text = text[:at] + piece + text[at + gone :]
        return text

    edit = st.tuples(st.integers(0, 5000), st.sampled_from(("", *pieces)), st.integers(0, 3))
    return st.one_of(
        documents,
        st.builds(spoil, documents, st.lists(edit, max_size=4)),
        st.builds(lambda text, at: text[: at % (len(text) + 1)], documents, st.integers(0, 5000)),
    )


def json_text() -> st.SearchStrategy[str]:
    """JSON, some of it broken as people and programs break it."""
    pieces = ("[", "]", "{", "}", ",", ":", '"', "'", "\\", "// x\n", "/* , [ */", "# x\n", "NaN",
              "\n", "a: 1,", '"k":', "\r\n", "\ufeff")  # fmt: skip
    return broken(valid_json(), pieces)


def json_lines() -> st.SearchStrategy[str]:
    """One value a line, some of them broken."""
    line = st.one_of(values().map(json.dumps), json_text())
    return st.lists(line, max_size=12).map("\n".join)


def valid_yaml() -> st.SearchStrategy[str]:
    """Values as PyYAML writes them: in block or flow style, with keys that stand in one line."""
    short = st.sampled_from(("id", "name", "a b", "url", "ключ", "0", "a.b", "it's", "- x", "a:b"))
    plain = st.one_of(_STRINGS.map(_printable), st.integers(), st.booleans(), st.none())
    found: st.SearchStrategy[Any] = plain
    for _ in range(3):
        found = st.one_of(
            plain,
            st.lists(found, max_size=4),
            st.dictionaries(short, found, max_size=4),
            st.lists(st.fixed_dictionaries({"name": plain, "v": found}), max_size=3),
        )
    return st.builds(
        lambda value, flow, width, indent, starts: yaml.safe_dump(
            value,
            default_flow_style=flow,
            width=width,
            indent=indent,
            allow_unicode=True,
            explicit_start=starts,
            sort_keys=False,
        ),
        found,
        st.sampled_from((False, False, None, True)),
        st.sampled_from((20, 80, 1000)),
        st.sampled_from((2, 4)),
        st.booleans(),
    )


def _printable(text: str) -> str:
    return "".join(one for one in text if one.isprintable() or one == "\n")


def yaml_text() -> st.SearchStrategy[str]:
    """YAML, some of it broken, and several documents."""
    marks = "- |? |: |#| # x|---\n|...\n|>-\n|&a |*a|!t |[|]|{|}|, |\"|'|\t|\n|\n\n|  |a: |\r\n"
    pieces = (*marks.split("|"), "|\n")
    return broken(st.lists(valid_yaml(), max_size=3).map("---\n".join), pieces)


_TOML_KEYS = st.sampled_from(("a", "b", "name", "a-b", "7", '"x y"', "'it'", "c.d"))
_TOML_VALUES = st.one_of(
    st.integers(-9, 99).map(str),
    st.sampled_from(
        ("true", "1e3", "1979-05-27T07:32:00Z", '""', "''", "'a # b'", '"a \\" ] ="', "[]", "{}",
         '"""\n[x]\na = 1\n"""', "'''\n# 'x' '''", "[ 1, [ 2, 3 ] ]", '{ x = 1, y = "]" }',
         '[\n  "a", # one\n  "b]",\n\n  { c = 1 },\n]', '"' + "words and words " * 20 + '"')
    ),
)  # fmt: skip


def valid_toml() -> st.SearchStrategy[str]:
    """Tables of pairs, no key twice, with comments and blank lines anywhere."""
    between = st.sampled_from(("", "", "\n", "# a comment\n", "# one\n\n# [two]\n", "  "))
    end = st.sampled_from(("\n", "\n", " # behind it\n", "\r\n"))
    pair = st.builds("{}{} = {}{}".format, between, _TOML_KEYS, _TOML_VALUES, end)
    pairs = st.lists(pair, max_size=6, unique_by=_toml_key).map("".join)
    headers = ("[t{}]", "[t{}.x]", "[ u . t{} ]", "[u.t{}.'y z']", "[[l{}]]")
    table = st.builds("{}{}{}{}".format, between, st.sampled_from(headers), end, pairs)
    lists = st.lists(
        st.builds("[[list]]\n{}".format, pairs), max_size=4
    ).map("".join)  # fmt: skip
    return st.builds(
        lambda first, tables, last: (
            first + "".join(one.replace("{}", str(n)) for n, one in enumerate(tables)) + last
        ),
        pairs,
        st.lists(table, max_size=5),
        lists,
    )


def _toml_key(pair: str) -> str:
    lines = [line for line in pair.split("\n") if line.strip() and not line.startswith("#")]
    return lines[0].partition("=")[0].strip().partition(".")[0]


def toml_text() -> st.SearchStrategy[str]:
    """TOML, some of it broken."""
    marks = "[ ] [[ ]] { } = # \" ' \"\"\" ''' , a= [x]\n [[y]]\n \ufeff \r \n"
    pieces = tuple(marks.split(" "))
    return broken(valid_toml(), pieces)


def valid_xml() -> st.SearchStrategy[str]:
    """Elements in elements, on one line or several, with words, comments and CDATA sections."""
    name = st.sampled_from(("a", "b", "item", "x-y", "é"))
    attributes = st.sampled_from(("", "", " id='1'", ' name="a > b" k="it\'s"', "\n  id='x'"))
    words = st.sampled_from(
        ("", "x", "two words", "&amp;", "&own;", "<![CDATA[ <a> & ]]>", "<!-- </a> -->", "<?p x?>",
         "\n", "\n  ", "words " * 30)
    )  # fmt: skip
    found = words
    for _ in range(4):
        element = st.one_of(
            st.builds("<{0}{1}>{2}</{0}>".format, name, attributes, found),
            st.builds("<{0}{1}/>".format, name, attributes),
        )
        found = st.one_of(words, st.lists(st.one_of(element, words), max_size=5).map("".join))
    top = st.builds("<{0}{1}>{2}</{0}>".format, name, attributes, found)
    doctype = "<!DOCTYPE a [\n  <!ENTITY own \"'&amp;'\"> <!-- ]> -->\n]>\n<!-- <a> -->\n"
    return top.map(lambda text: doctype + text)


def xml_text() -> st.SearchStrategy[str]:
    """XML, some of it broken."""
    marks = "< > </ /> & \" ' = <a> </a> <b/> <!-- --> <![CDATA[ ]]> <? ?> <!DOCTYPE [ ] \n"
    return broken(valid_xml(), tuple(marks.split(" ")))


def _utf8_length(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


def _word_count(text: str) -> int:
    return len(text.split())


class SplitTokenizer:
    """A tokenizer object that is neither tiktoken's nor Hugging Face's."""

    def encode(self, text: str) -> list[str]:
        """Words, and what stands between them."""
        return [text[at : at + 3] for at in range(0, len(text), 3)]


_MEASURES: tuple[Callable[[int], dict[str, Any]], ...] = (
    lambda size: {"tokenizer": "characters", "chunk_size": size},
    lambda size: {"tokenizer": "characters", "chunk_size": size},
    lambda size: {"chunk_size": max(8, size // 3)},
    lambda size: {"chunk_size": max(8, size // 3), "tokenizer": "o200k_base"},
    lambda size: {"chunk_size": max(8, size // 3), "tokenizer": SplitTokenizer()},
    lambda size: {"chunk_size": size, "length_function": _utf8_length},
    lambda size: {"chunk_size": size, "length_function": _word_count},
)


@st.composite
def chunkers(draw: st.DrawFn) -> Chunker:
    """Any settings that are allowed."""
    size = draw(st.one_of(st.integers(1, 40), st.integers(1, 400), st.just(1500)))
    settings = draw(st.sampled_from(_MEASURES))(size)
    limit = settings["chunk_size"]
    settings["target_size"] = draw(st.one_of(st.none(), st.integers(1, limit), st.just(limit)))
    settings["granularity"] = draw(st.sampled_from(("definition", "packed")))
    settings["context"] = draw(st.sampled_from(("separate", "inline", "none")))
    settings["chunk_overlap"] = draw(st.one_of(st.just(0), st.integers(0, limit)))
    settings["record_format"] = draw(st.sampled_from(("both", "written")))
    return Chunker(**settings)
