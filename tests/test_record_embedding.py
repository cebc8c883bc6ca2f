"""Records are shown as they are written, and embedded as lines under their keys."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from structchunk_core import Chunk, Chunker, ConfigurationError
from structchunk_core.formats._records_json_values import told_by_json
from structchunk_core.formats._records_toml import told_by_toml
from structchunk_core.formats._records_yaml import told_by_yaml
from structchunk_core.source import Source
from tests.generators import valid_json, valid_toml, valid_xml, valid_yaml
from tests.promises import check_promises

WRITTEN = {
    "a.json": """{
  "services": {
    "web": {
      "image": "nginx:1.20",
      "about": "Serves\\nthe \\"pages\\".",
      "ports": [80, "443"],
      "limits": {"cpu": 1.50, "memory": null},
      "volumes": [{"from": "a", "to": "b"}, {"from": "c"}, "d"],
      "labels": {}
    }
  },
  "version": 3
}
""",
    "a.yaml": """version: 3
services:
  web:
    image: nginx:1.20
    about: >-
      Serves
      the "pages".
    ports: [80, "443"]
    labels: {}
    limits:
      cpu: 1.50
      memory: ~
    volumes:
      - from: a
        to: b
      - {from: c}
      - d
""",
    "a.toml": """version = 3
[services.web]
image = "nginx:1.20"
about = \"\"\"
Serves
the "pages".\"\"\"
ports = [80, "443"]
labels = {}
limits = {cpu = 1.50, memory = ""}
[[services.web.volumes]]
from = "a"
to = "b"
[[services.web.volumes]]
from = "c"
""",
}
LINES = [
    "version: 3",
    'services > web: image: nginx:1.20; about: Serves the "pages".; ports: 80, 443; labels',
    "services > web > limits: cpu: 1.50; memory",
    "services > web > volumes: from: a; to: b | from: c",
]


def both(text: str, path: str, size: int = 2000, **given: Any) -> list[Chunk]:
    chunker = Chunker(tokenizer="characters", chunk_size=size, **given)
    chunks = chunker.chunk(text, path=path)
    check_promises(text, chunks, chunker)
    written = replace(chunker, record_format="written", table_format="rows")
    plain = written.chunk(text, path=path)
    assert not any(chunk.indexed for chunk in plain if not chunk.derived)
    assert [(one.id, one.text, one.context) for one in chunks] == [
        (one.id, one.text, one.context) for one in plain
    ]
    assert all(chunk.size == len(chunk.embed_text) <= size for chunk in chunks)
    return chunks


@pytest.mark.parametrize("path", WRITTEN)
def test_each_mapping_is_a_line_under_its_keys(path: str) -> None:
    (chunk,) = both(WRITTEN[path], path)
    assert chunk.indexed.replace("volumes: d | ", "volumes: ").splitlines() == LINES
    assert chunk.embed_text == f"{path}\n\n{chunk.indexed}"


def test_elements_and_attributes_of_xml_are_lines() -> None:
    text = (
        '<?xml version="1.0"?>\n<project id="7">\n  <name>Shop &amp; more</name>\n  <parts>\n'
        '    <part scope="test"><is>one</is><none/></part>\n'
        '    <part><is>Words <b>in</b> words</is></part>\n    <note lang="en">Read it</note>\n'
        "  </parts>\n</project>\n"
    )
    (chunk,) = both(text, "a.xml")
    assert chunk.indexed.splitlines() == [
        "project: id: 7; name: Shop & more",
        "project > parts > part: scope: test; is: one; none | is: Words in words; b",
        "project > parts > note: lang: en; Read it",
    ]


def test_loose_json_json_lines_and_documents_of_yaml_are_told() -> None:
    lines = both('{"a": 1}\n[2, [3, {"b": 4}]]\n"five"\n', "a.jsonl")[0]
    assert lines.indexed.splitlines() == ["a: 1", "2", "3", "b: 4", "five"]
    loose = both("{'a': [1, 2,], b: {\"c\": 'http://d',},}\n", "a.json5")[0]
    assert loose.indexed.splitlines() == ["a: 1, 2", "b: c: http://d"]
    documents = both("a: 1\n---\n- b: 2\n- three\n", "a.yml")[0]
    assert documents.indexed.splitlines() == ["a: 1", "three", "b: 2"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.json", '{"a": "\\ud800"}\n'),
        ("a.json", '{"a": "\\ude00 alone"}\n'),
        ("a.json", '{"\\ud83d": {"a": 1}}\n'),
        ("a.json", '{"a": {"\\ud83d": 1}}\n'),
        ("a.json", '{"a": 1'),
        ("a.yaml", "a: [1\nb: 2\n"),
        ("a.toml", "a = \n"),
        ("a.yaml", "a:\n- 1\n---\nwords\n"),
        ("a.yaml", "words and\n  - more\n  - words\n"),
        ("a.yaml", "? a\n: b\n"),
        ("a.yaml", "%YAML 1.2\n---\na: 1\n"),
        ("a.yaml", "--- !shop\na: 1\n"),
        ("a.yaml", "a: [!in b, c]\n"),
        ("a.yaml", "a: {b: &in c}\n"),
        ("a.yaml", "# nothing but words\n"),
        ("a.xml", "<a><b>1</a>\n"),
        ("a.json", '{"a": ' * 80 + "1" + "}" * 80),
        ("a.xml", "<a>" * 80 + "<b>1</b>" + "</a>" * 80),
    ],
)
def test_what_cannot_be_told_without_a_loss_is_embedded_as_written(path: str, text: str) -> None:
    chunks = both(text, path)
    assert "".join(chunk.indexed for chunk in chunks) == ""
    assert all(chunk.embed_text.endswith(chunk.text) for chunk in chunks)


def test_keys_that_the_context_has_are_left_out_but_for_the_nearest() -> None:
    schema = {
        "definitions": {
            name: {
                "description": f"What the {name} of a parcel is.",
                "properties": {"unit": {"enum": ["kg", "lb"], "title": f"Unit of {name}"}},
            }
            for name in ("weight", "height", "breadth")
        }
    }
    text = json.dumps(schema, indent=2)
    chunks = both(text, "parcel.json", 530, target_size=198)
    assert [chunk.indexed.splitlines() for chunk in chunks] == [
        [
            f"{name}: description: What the {name} of a parcel is.",
            f"{name} > properties > unit: enum: kg, lb; title: Unit of {name}",
        ]
        for name in ("weight", "height", "breadth")
    ]
    first = both(text, "parcel.json", 530, target_size=198, context="none")[0]
    assert first.indexed.startswith("definitions > weight: description")
    inline = both(text, "parcel.json", 530, target_size=198, context="inline")
    assert all(chunk.embed_text == chunk.indexed for chunk in inline)
    assert inline[1].indexed.startswith("parcel.json > definitions > height\n\nheight: ")


def test_keys_are_left_out_where_the_context_has_names_of_records_between_them() -> None:
    fields = "".join(
        f"          {name}:\n            type: string\n            title: {name} of the parcel\n"
        for name in ("weight", "height", "breadth")
    )
    text = f"versions:\n- name: v1\n  schema:\n    spec:\n        properties:\n{fields}"
    chunks = both(text, "parcel.yaml", 230)
    inner = [chunk for chunk in chunks if chunk.context.endswith("schema > spec > properties")]
    assert inner
    for chunk in inner:
        assert "versions > v1 > schema" in chunk.context
        for line in chunk.indexed.splitlines():
            assert line.startswith("properties > "), line
    outside = both(text, "parcel.yaml", 230, context="none")
    assert any("versions > schema > spec > properties > height" in one.indexed for one in outside)

    def sentence(chunk: Chunk, source: Source) -> str:
        return "Which fields a parcel has."

    told = both(text, "parcel.yaml", 260, contextualizer=sentence)
    inner = [chunk for chunk in told if "spec > properties\n" in chunk.context]
    assert inner
    for chunk in inner:
        assert not any(line.startswith("versions") for line in chunk.indexed.splitlines())


def test_lines_that_do_not_fit_are_left_out_with_a_problem() -> None:
    deep: Any = {"rows": [{"a": n, "in": {"b": n}} for n in range(4)]}
    for key in ("a_long_key_around_it", "another_long_key", "one_more_long_key"):
        deep = {key: deep}
    text = json.dumps(deep)
    (chunk,) = both(text, "a.json", 260, target_size=200)
    assert not chunk.indexed
    assert [problem.code for problem in chunk.problems] == ["records-omitted"]
    (chunk,) = both(text, "a.json", 1000)
    assert chunk.indexed.count("another_long_key > a_long_key_around_it") == 8
    assert not chunk.problems


def test_what_is_embedded_by_other_means_stays_so() -> None:
    rows = [{"place": f"Port {n}", "fare": n, "more": "x" * 30} for n in range(20)]
    chunks = both(json.dumps({"ferries": rows}, indent=1), "a.json", 600, table_format="both")
    told = [chunk for chunk in chunks if not chunk.derived]
    assert len(told) > 2
    assert all('"ferries": [\nplace: Port' in chunk.indexed for chunk in told)
    assert chunks[-1].derived
    assert "20 rows" in chunks[-1].indexed


def test_both_frameworks_embed_lines_and_show_what_is_written() -> None:
    from langchain_core.documents import Document as LangChainDocument
    from llama_index.core.schema import Document, MetadataMode, TextNode

    from structchunk_langchain import StructuralTextSplitter
    from structchunk_llamaindex import StructuralNodeParser

    shelves = {f"shelf{n}": {"holds": f"Paint number {n}", "rows": n} for n in range(40)}
    text = json.dumps({"store": shelves}, indent=2)
    parser = StructuralNodeParser(chunk_size=128)
    nodes = parser.get_nodes_from_documents([Document(text=text, metadata={"file_path": "a.json"})])
    assert len(nodes) > 3
    for node in nodes:
        embedded = node.get_content(MetadataMode.EMBED)
        assert "holds: Paint number" in embedded
        assert "{" not in embedded
        assert Chunker().count(embedded) <= 128
        assert isinstance(node, TextNode)
        assert json.loads(node.text)["store"]
        assert node.text in node.get_content(MetadataMode.LLM)
    splitter = StructuralTextSplitter(chunk_size=500)
    document = LangChainDocument(text, metadata={"source": "a.json"})
    entries, chunks = splitter.split_entries([document])
    assert len(entries) == len(chunks) > 3
    assert all("holds: Paint number" in entry.page_content for entry in entries)
    assert all('"holds": "Paint number' in chunk.page_content for chunk in chunks.values())


_SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**6), 10**6),
    st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), max_size=12),
)
_KEYS = st.text(st.sampled_from("abcxyz"), min_size=1, max_size=4)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_KEYS, inner, max_size=4),
    max_leaves=25,
)


@settings(max_examples=100, deadline=None)
@example(value={"a": None, "b": [[]]}, size=60, context="separate")
@given(value=_VALUES, size=st.integers(20, 300), context=st.sampled_from(["separate", "none"]))
def test_all_keys_and_values_are_in_the_lines(value: Any, size: int, context: str) -> None:
    text = json.dumps(value, indent=1, ensure_ascii=False)
    for chunk in both(text, "a.json", size, context=context, table_profile=False):
        if not chunk.indexed:
            continue
        told = " ".join(chunk.embed_text.split())
        stack = [json.loads(chunk.text)]
        while stack:
            item = stack.pop()
            if isinstance(item, dict):
                stack += [*item, *item.values()]
            elif isinstance(item, list):
                stack += item
            elif isinstance(item, str):
                assert " ".join(item.split()) in told
            elif item is not None:
                assert re.search(rf"\b{json.dumps(item).lstrip('-')}\b", told)


SPLIT_TOML = (
    '"a" = [{ "name" = { "w1" = "first\\nsecond\\n" }, "w31296" = { "name" = "&third", '
    '"fourth: x" = true }, "" = "\\\\fifth" }]'
)


@pytest.mark.parametrize(
    ("path", "text", "size"),
    [
        ("a.yaml", 'a: {b: [{c: "one two"}, "three", "four"], d: five}', 24),
        (
            "a.toml",
            SPLIT_TOML,
            60,
        ),
        ("a.yaml", "a: |-\n  &one two\n  !three four\n", 14),
    ],
)
def test_parts_that_have_lost_what_stood_above_them_lose_no_word(
    path: str, text: str, size: int
) -> None:
    for context in ("none", "separate"):
        for chunk in both(text, path, size, target_size=size // 2, context=context):
            assert_no_word_is_lost(chunk)


def test_what_is_valid_only_by_the_lines_above_it_is_not_told() -> None:
    assert told_by_yaml("- a: 1\n    b: 2\n") is None
    assert told_by_yaml('"three", "four"]}') is None
    assert told_by_yaml(": b\n") is None
    assert told_by_toml("a = 1 2\n") is None
    assert told_by_toml('a = [1]\n"b"]\n') is None
    assert told_by_json("010") is None


@pytest.mark.parametrize(
    ("path", "text", "lines"),
    [
        ("a.toml", "title = \"Fix issue #5\"\nmore = ' # '\n", "title: Fix issue #5; more: #"),
        (
            "a.json",
            '{"title": "Fix issue #5", "more": "a // b"}',
            "title: Fix issue #5; more: a // b",
        ),
        ("a.yaml", "title: \"Fix issue #5\"\nmore: ' # '\n", "title: Fix issue #5; more: #"),
    ],
)
def test_what_looks_like_a_comment_in_a_string_is_none(path: str, text: str, lines: str) -> None:
    (chunk,) = both(text, path)
    assert chunk.indexed == lines


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ('{\n  // how many\n  "a": 1, // of them\n  "b": [2, // two\n 3]\n}\n',
         ["how many; a: 1; of them; b: 2, two, 3"]),
        ('/**\n * The shop.\n * ----\n */\n{"a": 1} # end\n', ["The shop. ----", "a: 1", "end"]),
        ('{"a": "b #5"}\n{"c": 1} // how many\n', ["a: b #5", "c: 1", "how many"]),
        ('{\'a\': 1, /* how many */ "b": "c // 5", "d" /* key */: {/* in it */}}',
         ["a: 1; how many; b: c // 5; key", "d: in it"]),
        ('{"a": // one\n {"b": 2}}', ["one", "a: b: 2"]),
    ],
)  # fmt: skip
def test_comments_of_json_are_words(text: str, lines: list[str]) -> None:
    (chunk,) = both(text, "a.json5")
    assert chunk.indexed.splitlines() == lines


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (
            "# The shop.\n#\n# ----\n# Sells paint.\na: 1\nb: 2\n",
            ["The shop. Sells paint.; a: 1; b: 2"],
        ),
        ("a: 1  # how many\nb:\n  c: 2\n", ["a: 1; how many", "b: c: 2"]),
        ("a: 'b # c'  # how many\n", ["a: b # c; how many"]),
        ("a: b 'c # d'\n", ["a: b 'c; d'"]),
        ("a: b # c: 'd'\n", ["a: b; c: 'd'"]),
        ("a:  # around\n  # Each one.\n  b: 1\n", ["a: around; Each one.; b: 1"]),
        ("a:\n  # Each one.\n\n  b: 1\n  # the end\n", ["a: Each one.; b: 1; the end"]),
        ("a: |  # as it is\n  one # two\n# last\nb: 3\n", ["a: one # two; as it is; last; b: 3"]),
        ("a: |\n  one # two\n  # three\n# last\nb: 3\n", ["a: one # two # three; last; b: 3"]),
        ("a:\n  - b\n  # not c\n  - d  # nor e\n", ["a: b; not c; d; nor e"]),
        ("a:\n  - # first\n    b: 1\n  - b: 2\n", ["a: first; b: 1 | b: 2"]),
        ("a: [b, # one\n  c]  # two\nd: e\n", ["a: b, c; one two; d: e"]),
        ("a: {b: {c: 1}}  # two\nd: e\n", ["two; d: e", "a > b: c: 1"]),
        ("# up\n---\n# one\na: 1\n...\n---  # next\nb: 2\n", ["up one; a: 1", "next; b: 2"]),
        ("a: &base {b: 1}\nc: *base\n", ["&base; c: *base", "a: b: 1"]),
        ("a:\n  &base\n", ["a: &base"]),
        ("a: &base\n  b: 1\nc:\n  <<: *base\n", ["a: &base; b: 1", "c: <<: *base"]),
        ("a: {b: '>= 1, < 2', c: 'd: e', f: ~}\n", ["a: b: >= 1, < 2; c: d: e; f"]),
        (
            "a: {b: 1 || 2, c: 'null'}\nd: [{e: f}, {e: g }]\n",
            ["a: b: 1 || 2; c: null", "d: e: f | e: g"],
        ),
        ("a:\n  - {b: 1}\n  - [c, 'd']\n  - e\n", ["a: e; c, d | b: 1"]),
        ("a: !Ref Bucket\nb: !in [c, d]\n", ["a: !Ref Bucket; b: !in c, d"]),
        ("a:\n  - !Ref one\n  - two\n!!str b: 3\n", ["!!str b: 3", "a: !Ref one, two"]),
    ],
)
def test_comments_tags_and_anchors_of_yaml_are_words(text: str, lines: list[str]) -> None:
    (chunk,) = both(text, "a.yaml")
    assert chunk.indexed.splitlines() == lines


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("# The shop.\n\n# ----\n# How many.\na = 1\nb = 2\n", ["The shop. How many.; a: 1; b: 2"]),
        ("# how many\n[a]  # of them\nb = 1\n", ["a: how many of them; b: 1"]),
        ("a = [# how many\n  1, # or\n  2]# all\nb = 1\n", ["a: 1, 2; how many or all; b: 1"]),
        ("a = '# no'  # how many\n", ["a: # no; how many"]),
        ("a = {b = 1, c = [{d = 2}]}  # how many\n", ["how many", "a: b: 1", "a > c: d: 2"]),
        ("[[a]]  # one\nb.c = 1  # more\nb.d = 2\n[[a]]\ne = 3\n# the end\n",
         ["a: one", "a > b: c: 1; more; d: 2", "a: e: 3; the end"]),
        ("[a]\n[a.b]\n[c.d]\n[e]\nf = 1\n", ["a: b", "c: d", "e: f: 1"]),
        ('k = {a.b = 1, c = 2, a.d.e = [3], "x.y" . z = {m.n = 4}, a . f = 5}\n',
         ["k: c: 2", "k > a: b: 1; f: 5", "k > a > d: e: 3", "k > x.y > z > m: n: 4"]),
        ("k = [{a.b = 1}, {a.b = 2, a.c = 3}]\n", ["k > a: b: 1 | b: 2; c: 3"]),
    ],
)  # fmt: skip
def test_comments_and_dotted_keys_of_toml_are_told(text: str, lines: list[str]) -> None:
    (chunk,) = both(text, "a.toml", table_profile=False)
    assert chunk.indexed.splitlines() == lines


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("<a>\n  <!-- how many -->\n  <b>1</b>\n</a>\n", ["a: how many; b: 1"]),
        ("<!-- The shop -->\n<a>\n  <b>1</b>\n</a>\n<!-- end -->\n", ["end", "a: The shop; b: 1"]),
        ("<a><b><c>1</c><!-- of b --></b><!-- of a --></a>", ["a: of a", "a > b: c: 1; of b"]),
        ("<a><b><c>1</c></b><!-- of d --><d e='2'/></a>", ["a > b: c: 1", "a > d: of d; e: 2"]),
        ("<a>\n  <b>one<!-- two --> <![CDATA[<three> & four]]></b>\n</a>\n",
         ["a: b: one <three> & four; two"]),
        ('<p>see <a href="http://x.org" title="The manual">here</a> for more</p>\n',
         ["p: see here for more", "p > a: href: http://x.org; title: The manual"]),
        ("<root>\n <b></b>words</root>\n", ["root: words; b"]),
        ("<p>one<i><br/></i>two</p>\n", ["p: one two; i; br"]),
        ('<doc><?target data="secret"?><p>text</p></doc>\n',
         ['doc: target data="secret"; p: text']),
        (f"<a><b>1</b>up<b>2</b><!-- on -->&lt;<![CDATA[<in>\n & ]]>on<c/>{'<d/>' * 6}</a>\n",
         ["a: b: 1; up; b: 2; <<in> & on; on; c" + "; d" * 6]),
        ("<a>up<b x='1'/>on<c><d>2</d><d>3</d><d/>in<!-- f --></c><e/>up<e/><e/><e/><e/></a>",
         ["a: up", "a > b: x: 1", "a: on; e", "a > c: d: 2; d: 3; d; in; f",
          "a: up; e; e; e; e"]),
        ("<a><b><c>1</c></b><!-- </b> -->of a<d><e>2</e></d><f/></a>",
         ["a > b: c: 1", "a: of a; f", "a > d: </b>; e: 2"]),
        ("<!DOCTYPE a [\n<!ENTITY own 'mine'>\n]>\n<a><b>&own;</b></a>\n",
         ["a: DOCTYPE a [ <!ENTITY own 'mine'> ]; b: mine"]),
        ('<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN">\n<plist><a>1</a></plist>\n',
         ['plist: DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN"; a: 1']),
    ],
)  # fmt: skip
def test_comments_and_what_stands_among_words_of_xml_are_told(text: str, lines: list[str]) -> None:
    (chunk,) = both(text, "a.xml")
    assert chunk.indexed.splitlines() == lines


def test_the_keys_above_are_those_of_the_document_where_a_part_begins_inside() -> None:
    steps = "".join(
        f"      - name: Step {n}\n        # Runs number {n}.\n        with: {{made: {'x' * 90}}}\n"
        for n in range(4)
    )
    text = f"jobs:\n  build:\n    runs-on: any\n    steps:\n{steps}"
    chunks = both(text, "ci.yaml", 200, context="none")
    assert len(chunks) > 3
    lines = [line for chunk in chunks for line in chunk.indexed.splitlines()]
    for number in range(4):
        told = f"jobs > build > steps: name: Step {number}; Runs number {number}."
        assert sum(line.startswith(told) for line in lines) == 1


def test_keys_stand_on_one_line_and_nothing_has_no_comma() -> None:
    text = '{"b\\nc": {"d\\ne": [null, 1.50, "", "two"]}, "f": [null]}'
    (chunk,) = both(text, "a.json")
    assert chunk.indexed.splitlines() == ["f", "b c: d e: 1.50, two"]


@st.composite
def commented_yaml(draw: st.DrawFn) -> str:
    """Valid YAML with comments between its lines, which are words of block scalars in these."""
    lines = draw(valid_yaml()).split("\n")
    for number in range(len(lines) - 1, -1, -1):
        sort = draw(st.sampled_from(("", "", "", "above", "beside", "left")))
        indent = lines[number][: len(lines[number]) - len(lines[number].lstrip(" "))]
        if sort == "above":
            lines.insert(number, f"{indent}# above{number} line")
        elif sort == "beside" and lines[number].strip():
            lines[number] += f"  # beside{number} line"
        elif sort == "left":
            lines.insert(number, f"# left{number} line\n")
    return "\n".join(lines)


_STRING_OR_MARK = re.compile(r'"(?:[^"\\]|\\.)*"|[,:\[\]{}]')


@st.composite
def commented_json(draw: st.DrawFn) -> str:
    """Valid JSON with comments behind commas, colons and brackets."""
    numbers = iter(range(10**6))

    def with_comment(found: re.Match[str]) -> str:
        sort = "" if found[0][0] == '"' else draw(st.sampled_from(("", "", "", "//", "/*", "#")))
        words = f" words{next(numbers)} here"
        ends = {"": "", "//": "\n", "#": "\n", "/*": "*/"}
        return f"{found[0]} {sort}{words}{ends[sort]}" if sort else found[0]

    return _STRING_OR_MARK.sub(with_comment, draw(valid_json()))


_ESCAPE = re.compile(
    r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.|\n)|&\w+;|<!\[CDATA\[|<\?xml [^<>]*>"
)


def assert_no_word_is_lost(chunk: Chunk) -> None:
    words = set(re.findall(r"[^\W_]{3,}", _ESCAPE.sub(" ", chunk.text)))
    assert [word for word in words - {"null"} if word not in chunk.embed_text] == []


@settings(max_examples=100, deadline=None)
@given(
    document=st.one_of(
        st.tuples(st.just("a.yaml"), valid_yaml()),
        st.tuples(st.just("a.yaml"), commented_yaml()),
        st.tuples(st.just("a.toml"), valid_toml()),
        st.tuples(st.just("a.json"), valid_json()),
        st.tuples(st.just("a.json5"), commented_json()),
        st.tuples(st.just("a.xml"), valid_xml()),
    ),
    size=st.integers(20, 120),
    packed=st.booleans(),
)
def test_no_word_that_is_shown_is_missing_where_it_is_embedded(
    document: tuple[str, str], size: int, packed: bool
) -> None:
    path, text = document
    chunker = Chunker(
        tokenizer="characters",
        chunk_size=size,
        target_size=size // 2,
        granularity="packed" if packed else "definition",
        record_format="both",
        table_profile=False,
    )
    for chunk in chunker.chunk(text, path=path):
        if chunk.indexed and chunk.element_type != "table":
            assert_no_word_is_lost(chunk)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("maxRetries", "maxRetries (max retries): a: 1"),
        ("max_retries", "max_retries (max retries): a: 1"),
        ("HTTPServer2", "HTTPServer2 (http server2): a: 1"),
        ("no-extra-parens", "no-extra-parens (no extra parens): a: 1"),
        ("größteLänge", "größteLänge (größte länge): a: 1"),
        ("retries", "retries: a: 1"),
        ("RETRIES", "RETRIES: a: 1"),
        ("größe", "größe: a: 1"),
        ("$ref", "$ref: a: 1"),
        ("most retries", "most retries: a: 1"),
        ("a_" * 33, f"{'a_' * 33}: a: 1"),
        ("--", "--: a: 1"),
    ],
)
def test_a_name_of_several_words_stands_in_words_too(name: str, line: str) -> None:
    chunker = Chunker()
    (chunk,) = chunker.chunk(json.dumps({name: {"a": 1}}), path="a.json")
    assert chunk.indexed == line


def test_only_the_name_that_is_told_of_stands_in_words() -> None:
    (chunk,) = Chunker().chunk('{"outerName": {"innerName": {"a": 1}}}', path="a.json")
    assert chunk.indexed == "outerName > innerName (inner name): a: 1"


def parts(path: str) -> str:
    """A document of sixty parts of one size, in the way of writing that a path names."""
    said = {f"part{n}": {"of": "words " * 4, "n": n} for n in range(60)}
    if path == "a.json":
        return json.dumps(said, indent=1)
    if path == "a.yaml":
        return yaml.safe_dump(said)
    if path == "a.xml":
        rows = (f'<part n="{n}"><of>{"words " * 4}</of></part>' for n in range(60))
        return "<parts>\n" + "\n".join(rows) + "\n</parts>\n"
    heads = (f'[part{n}]\nof = "{"words " * 4}"\nn = {n}\n' for n in range(60))
    return "\n".join(heads)


@pytest.mark.parametrize(
    ("path", "aim"),
    [("a.json", 200), ("a.yaml", 150), ("a.toml", 150), ("a.ini", 150), ("a.xml", 150)],
)
def test_records_that_are_no_json_aim_at_smaller_chunks(path: str, aim: int) -> None:
    usual = Chunker(chunk_size=400).chunk(parts(path), path=path)
    asked = Chunker(chunk_size=400, target_size=aim).chunk(parts(path), path=path)
    assert [chunk.id for chunk in usual] == [chunk.id for chunk in asked]
    other = Chunker(chunk_size=400, target_size=350 - aim).chunk(parts(path), path=path)
    assert len(other) != len(usual)


def test_rows_that_are_rendered_as_records_are_told_once() -> None:
    rows = "\n".join(f"- id: {n}\n  name: port {n}\n  fare: {n}" for n in range(9))
    chunks = Chunker(table_format="records").chunk(rows, path="a.yaml")
    assert chunks[0].rendered
    assert not any(chunk.indexed for chunk in chunks if not chunk.derived)


def test_the_setting_is_checked_and_tells_chunks_apart() -> None:
    assert Chunker(record_format="written").fingerprint != Chunker().fingerprint
    with pytest.raises(ConfigurationError, match="record_format must be 'written' or 'both'"):
        Chunker(record_format="rows")  # type: ignore[arg-type]  # that is what is tested


def test_two_escaped_halves_are_one_character() -> None:
    text = json.dumps({"a": "see \U0001f600", "\U0001f600": {"b": "a \\ud83d mark"}})
    assert "\\ud83d\\ude00" in text
    (chunk,) = both(text, "a.json")
    assert chunk.indexed.splitlines() == ["a: see \U0001f600", "\U0001f600: b: a \\ud83d mark"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("run: {cmd: \"echo 'hi'\"}\n", "run: cmd: echo 'hi'"),
        ("run: {cmd: \"'a' 'b'\", on: 'x'}\n", "run: cmd: 'a' 'b'; on: x"),
        ("a: ['\"x\"', 'y', \"'z'\"]\nb: 1\n", "a: \"x\", y, 'z'; b: 1"),
        ("a: \"'x'\"\nb: [1]\n", "a: 'x'; b: 1"),
    ],
)
def test_quotes_in_quotes_of_yaml_belong_to_what_is_said(text: str, line: str) -> None:
    assert both(text, "a.yaml")[0].indexed == line


def test_what_its_lines_would_only_repeat_has_no_other_text() -> None:
    (chunk,) = both("title: networks\n", "a.yaml")
    assert chunk.indexed == ""
    assert chunk.embed_text == "a.yaml\n\ntitle: networks"
