"""What today's splitters get wrong in source code, each as a small input: it must be right here.

Each test tells the public threads that report its kind. Budgets are in characters where a test
does not say otherwise; both granularities are run unless the case is about one of them.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from structchunk_core import Chunker
from tests.cutting import cut, holder_of
from tests.promises import check_promises

_BOTH = pytest.mark.parametrize("granularity", ["definition", "packed"])


def _many(template: str, count: int = 8) -> str:
    """The template repeated, with ``#`` replaced by the number of each copy."""
    return "".join(template.replace("#", str(number)) for number in range(count))


@_BOTH
def test_a_huge_literal_is_cut_by_size_and_loses_nothing(granularity: str) -> None:
    """run-llama/llama_index#22119."""
    text = f'BEFORE = 1\nBLOB = "{"abcdefghij" * 90}"\nAFTER = 2\n'
    chunks = cut(text, "a.py", 200, granularity)
    assert "".join(chunk.text for chunk in chunks).count("abcdefghij") + 8 >= 90
    assert 5 <= len(chunks) <= 8


@_BOTH
def test_blank_lines_count_too(granularity: str) -> None:
    """airweave-ai/airweave#1140: the text that is returned is what is measured."""
    text = _many("class Level#:\n\n\n        name = 'n#'\n\n\n        size = #\n\n\n\n\n")
    for chunk in cut(text, "a.py", 300, granularity):
        assert len(chunk.embed_text) <= 300


@_BOTH
def test_an_error_at_the_top_does_not_stop_the_file(granularity: str) -> None:
    """AsyncFuncAI/deepwiki-open#434, MinishLab/semble#224."""
    text = "def (broken:\n    x = = 3\n\n\n" + _many(
        "def ok_#(a):\n    b = a + #\n    return b\n\n\n"
    )
    chunks = cut(text, "a.py", 300, granularity)
    for number in range(1, 8):
        holder_of(chunks, f"def ok_{number}(a):\n    b = a + {number}\n    return b")
    assert any(problem.code == "syntax-error" for chunk in chunks for problem in chunk.problems)


@_BOTH
def test_a_go_doc_comment_stays_with_its_function(granularity: str) -> None:
    """zed-industries/zed#11376, garrytan/gbrain#520."""
    function = (
        "// Load# reads item # from the store.\n// It never blocks.\n"
        "func Load#(key string) (int, error) {\n\tv, err := lookup(key, #)\n"
        "\tif err != nil {\n\t\treturn 0, err\n\t}\n\treturn v, nil\n}\n\n"
    )
    chunks = cut("package store\n\n" + _many(function, 6), "a.go", 220, granularity)
    for number in range(6):
        chunk = holder_of(chunks, function.replace("#", str(number)).strip())
        assert (
            granularity == "packed"
            or chunk.doc == f"Load{number} reads item {number} from the store."
        )


@_BOTH
def test_a_c_comment_block_stays_with_its_function(granularity: str) -> None:
    """zed-industries/zed#11376, garrytan/gbrain#520."""
    function = (
        "/* Adds # to the given value.\n * Returns the sum, or -1 on overflow. */\n"
        "int add_#(int value)\n{\n    if (value > 1000000)\n        return -1;\n"
        "    return value + #;\n}\n\n"
    )
    chunks = cut("#include <stdio.h>\n\n" + _many(function, 5), "a.c", 260, granularity)
    for number in range(5):
        holder_of(chunks, function.replace("#", str(number)).strip())


def test_a_class_head_is_never_alone() -> None:
    """cocoindex-io/cocoindex#573: packed, it shares a chunk with the first method."""
    method = (
        "    def part_#(self):\n        data = self.load(#)\n        return self.render(data)\n\n"
    )
    text = 'class ReportBuilder:\n    """Builds the monthly report."""\n\n' + _many(method, 9)
    chunks = cut(text, "a.py", 400, "packed")
    first = chunks[0].text
    assert "class ReportBuilder" in first
    assert "monthly report" in first
    assert "part_0" in first
    chunks = cut(text, "a.py", 400, "definition")
    assert "class ReportBuilder" in chunks[0].text
    assert "monthly report" in chunks[0].text
    assert all("class ReportBuilder" in chunk.embed_text for chunk in chunks[1:])


def test_small_neighbours_are_merged_when_asked() -> None:
    """starthackHQ/Contextinator#8, Rika-Labs/sgrep#47, cocoindex-io/cocoindex#573."""
    text = (
        "import os\n\nLIMIT = 3\n\n\nclass Box:\n    width = 1\n\n    def area(self):\n"
        "        return self.width * 2\n\n\nclass Holder:\n    def fill(self):\n"
        + _many("        self.slot_# = compute_value(#, mode='fast')\n", 9)
        + "        return self\n"
    )
    assert 2 <= len(cut(text, "a.py", 400, "packed")) <= 3


@_BOTH
def test_the_first_line_keeps_its_indentation(granularity: str) -> None:
    """run-llama/llama_index#12924, jurasofish/mcpunk#49."""
    text = "class A:\n" + _many(
        "    def m#(self):\n        if self.on:\n            return #\n        return -#\n\n"
    )
    for chunk in cut(text, "a.py", 120, granularity)[1:]:
        assert chunk.text.startswith("    ")


def test_tabs_stay_tabs() -> None:
    """run-llama/llama_index#12924."""
    text = "class T:\n" + _many(
        "\tdef go_#(self):\n\t\tif self.ready:\n\t\t\treturn #\n\t\treturn None\n\n"
    )
    chunks = cut(text, "a.py", 120)
    assert all(chunk.text.startswith("\tdef go_") for chunk in chunks[1:])
    assert all(chunk.verbatim for chunk in chunks)


@_BOTH
def test_a_long_operator_chain_is_cut_by_size(granularity: str) -> None:
    """data-prep-kit/data-prep-kit#747: not one chunk for each operand."""
    rows = [f"'<li class=\"i{number}\">row {number}</li>'" for number in range(150)]
    text = "const html = " + "\n  + ".join(rows) + ";\n"
    chunks = cut(text, "a.js", 400, granularity)
    least = len(text) / 400
    assert least <= len(chunks) <= (2.6 if granularity == "definition" else 1.4) * least
    for row in rows:
        holder_of(chunks, row)


@_BOTH
def test_a_huge_array_is_cut_between_its_elements(granularity: str) -> None:
    """garrytan/gbrain#1675, garrytan/gbrain#2826."""
    rows = [f"  {{ id: {n}, code: 'C{n:03}', label: 'Label {n}' }},\n" for n in range(80)]
    chunks = cut("export const TABLE = [\n" + "".join(rows) + "]\n", "a.ts", 500, granularity)
    for row in rows:
        holder_of(chunks, row.strip())
    assert len(chunks) <= 16


@_BOTH
def test_a_long_comment_is_cut_once_and_not_repeated(granularity: str) -> None:
    text = (
        "/*\n"
        + _many(" * note #: keep this line in the licence block\n", 20)
        + " */\nfunction later() {\n  return 1\n}\n"
    )
    chunks = cut(text, "a.js", 300, granularity)
    for number in range(20):
        holder_of(chunks, f"note {number}:")
    holder_of(chunks, "function later() {\n  return 1\n}")


def test_a_token_budget_holds_for_chinese() -> None:
    """garrytan/gbrain#3786, garrytan/gbrain#2826, run-llama/llama_index#19801."""
    pytest.importorskip("tiktoken")
    text = _many(
        "def f#(\u8868):\n"
        "    '''\u9019\u500b\u51fd\u6578\u8b80\u53d6\u8868\u683c\u7b2c # \u884c'''\n"
        "    return \u8868[#]\n\n\n"
    )
    chunks = cut(text, "a.py", 120, tokenizer="cl100k_base")
    assert all(chunk.size <= 120 for chunk in chunks)


@_BOTH
def test_functions_behind_macro_trouble_stay_whole(granularity: str) -> None:
    """tree-sitter/tree-sitter-c#108, #7, tree-sitter/tree-sitter-cpp#308."""
    plain = "int plain_#(int a)\n{\n    int b = a + #;\n    return b * 2;\n}\n\n"
    text = (
        "#define HANDLER(name) static void name(struct ctx *c)\n\n"
        "HANDLER(on_open) {\n    c->open = 1;\n}\n\n"
        "int\n#if defined(WIDE)\nread_wide\n#else\nread_narrow\n#endif\n(struct ctx *c)\n{\n"
        "    return c->fd;\n}\n\n" + _many(plain, 6)
    )
    chunks = cut(text, "a.c", 260, granularity)
    for number in range(6):
        holder_of(chunks, plain.replace("#", str(number)).strip())
    holder_of(chunks, "HANDLER(on_open) {\n    c->open = 1;\n}")


@_BOTH
def test_export_and_arrow_and_comment_are_one_unit(granularity: str) -> None:
    """aeroxy/ast-bro#41, zed-industries/zed#11376."""
    function = (
        "/** Finds row #. */\nexport const find# = async (id: string): Promise<Row> => {\n"
        "  const row = await db.get(id, #)\n  if (!row) {\n    throw new Error('missing #')\n"
        "  }\n  return row\n}\n\n"
    )
    text = "import { db } from './db'\n\n" + _many(function, 5)
    chunks = cut(text, "a.ts", 260, granularity)
    for number in range(5):
        chunk = holder_of(chunks, function.replace("#", str(number)).strip())
        assert f"find{number}" in chunk.symbols
        assert "import { db } from './db'" in (*chunk.imports, chunk.text.split("\n")[0])


def test_each_definition_can_have_a_chunk_of_its_own() -> None:
    """benbrandt/text-splitter#236 and its discussion 226."""
    names = ["billing", "search", "email", "login", "export", "audit"]
    text = "".join(
        f"def topic_{name}(x):\n    '''About {name}.'''\n    return '{name}' + x\n\n\n"
        for name in names
    )
    chunks = cut(text, "a.py", 700)
    assert [chunk.symbols for chunk in chunks] == [(f"topic_{name}",) for name in names]
    assert len(cut(text, "a.py", 2000, "packed")) == 1


def test_a_file_that_fits_the_target_stays_whole() -> None:
    text = _many("def f#():\n    return #\n\n\n", 3)
    assert len(cut(text, "a.py", 2000)) == 1


@_BOTH
def test_identical_siblings_keep_positions_and_ids_of_their_own(granularity: str) -> None:
    """jamie8johnson/cqs#1889, langchain-ai/langchain#21475."""
    text = (
        "impl Tag for A {\n    fn tag(&self) -> u8 { 1 }\n}\n\n"
        "impl Tag for B {\n    fn tag(&self) -> u8 { 1 }\n}\n\n"
    ) * 4
    chunks = cut(text, "a.rs", 120, granularity)
    assert len({chunk.id for chunk in chunks}) == len(chunks)
    assert len({chunk.span for chunk in chunks}) == len(chunks)


def test_an_unknown_language_is_cut_as_text_and_says_so() -> None:
    """feyninc/chonkie#113, Consiliency/treesitter-chunker#17, langchain-ai/langchain#22430."""
    text = _many('block "b#" {\n  size = #\n  name = "n#"\n}\n\n')
    chunker = Chunker(tokenizer="characters", chunk_size=200)
    with pytest.warns(UserWarning, match="notalanguage"):
        chunks = chunker.chunk(text, path="a.hcl2", language="notalanguage")
    check_promises(text, chunks, chunker)
    assert all("missing-grammar" in chunk.metadata()["problems"] for chunk in chunks)  # type: ignore[operator]  # a string
    for number in range(8):
        holder_of(chunks, f'block "b{number}" {{\n  size = {number}\n  name = "n{number}"\n}}')


@_BOTH
def test_methods_of_a_language_without_profile_are_boundaries(granularity: str) -> None:
    """langchain-ai/langchain#37038: whatever their modifiers and indentation."""
    method = (
        "    /** Loads #. */\n    suspend fun load#(id: Long): Item? {\n"
        "        val found = repo.find(id)\n\n        return found?.copy(rank = #)\n    }\n\n"
    )
    text = "package demo\n\nclass Service(private val repo: Repo) {\n" + _many(method, 6) + "}\n"
    chunks = cut(text, "a.kt", 260, granularity)
    for number in range(6):
        chunk = holder_of(chunks, method.replace("#", str(number)).rstrip())
        assert chunk.text.startswith("    /** Loads") or "class Service" in chunk.text
        assert chunk.path[:1] == ("Service",) or "class Service" in chunk.text


@_BOTH
def test_byte_order_mark_and_form_feeds_survive(granularity: str) -> None:
    text = "\ufeffimport os\n\n\f\n" + _many("def p#():\n    return os.getpid() + #\n\n\f\n")
    chunks = cut(text, "a.py", 200, granularity)
    assert chunks[0].text.startswith("\ufeffimport os")
    assert all(text[chunk.span.start : chunk.span.end] == chunk.text for chunk in chunks)
    for number in range(8):
        holder_of(chunks, f"def p{number}():\n    return os.getpid() + {number}")


@_BOTH
def test_nul_does_not_end_the_file(granularity: str) -> None:
    text = "A = 'x\0y'\n\n\n" + _many("def z#():\n    return A + '#'\n\n\n")
    chunks = cut(text, "a.py", 200, granularity)
    assert "x\0y" in chunks[0].text
    for number in range(8):
        assert (
            f"z{number}"
            in holder_of(chunks, f"def z{number}():\n    return A + '{number}'").symbols
        )


def test_methods_in_go_name_their_receiver() -> None:
    """feyninc/chonkie#228."""
    method = (
        "// Push# adds v.\nfunc (q *Queue) Push#(v int) {\n"
        "\tq.items = append(q.items, v+#)\n\tq.notify(#)\n}\n\n"
    )
    chunks = cut(
        "package q\n\ntype Queue struct {\n\titems []int\n}\n\n" + _many(method, 6), "a.go", 200
    )
    for number in range(6):
        chunk = holder_of(chunks, method.replace("#", str(number)).strip())
        assert chunk.path == (f"Queue.Push{number}",)
        assert f"Queue.Push{number}" in chunk.context


@pytest.mark.parametrize(
    ("path", "text", "symbols"),
    [
        ("a.js", "exports.go = function () { return 1; };\n", ("exports.go",)),
        ("a.js", "export default function () { return 1; }\n", ("default",)),
        ("a.ts", "export default { data() { return 1; } };\n", ("default", "default.data")),
        ("a.cpp", "int A::b(int x) { return x; }\n", ("A::b",)),
        ("a.cpp", "void A<std::string>::b() { c(); }\n", ("A<std::string>::b",)),
        ("a.cpp", "struct A { operator bool() const { return 1; } };\n", ("A", "A::operator bool")),
        ("a.c", "const char *name(int a) { return 0; }\n", ("name",)),
        ("a.c", "int (*handler(int a))(int) { return 0; }\n", ("handler",)),
        ("a.c", "typedef struct { int x; } point_t;\n", ("point_t",)),
        (
            "a.rs",
            "impl<'a> Iterator for &'a m::Foo<T> { fn next() {} }\n",
            ("m::Foo", "m::Foo::next"),
        ),
        ("a.go", "var f = func() int { return 1 }\n", ("f",)),
        ("a.rb", "class A::B\n  def self.c; end\nend\n", ("A::B", "A::B::c")),
        ("a.php", "<?php $f = fn($x) => $x;\n", ("$f",)),
        ("a.java", "enum E { A; int f() { return 1; } }\n", ("E", "E.f")),
        ("a.cs", "class A { public static A operator +(A a, A b) => a; }\n", ("A", "A.+")),
    ],
)
def test_definitions_are_named(path: str, text: str, symbols: tuple[str, ...]) -> None:
    (chunk,) = cut(text, path, 300)
    assert chunk.symbols == symbols


@pytest.mark.parametrize(
    ("path", "text", "signature", "decorators", "doc"),
    [
        (
            "a.rs",
            "/// Does.\n#[inline]\npub fn f(x: u8) -> u8 { x }\n",
            "pub fn f(x: u8) -> u8",
            ("#[inline]",),
            "Does.",
        ),
        (
            "a.java",
            "class A {\n/** Does. */\n@B(1)\npublic int f() { return 1; }\n}\n",
            "public int f()",
            ("@B(1)",),
            "Does.",
        ),
        (
            "a.ts",
            "class A {\n// Does.\n@B()\nf(): void { g(); }\n}\n",
            "f(): void",
            ("@B()",),
            "Does.",
        ),
        (
            "a.php",
            "<?php class A {\n/** Does. */\n#[B]\nfunction f() { g(); }\n}\n",
            "function f()",
            ("#[B]",),
            "Does.",
        ),
        (
            "a.cs",
            "class A {\n// Does.\n[B]\nint F() { return 1; }\n}\n",
            "int F()",
            ("[B]",),
            "Does.",
        ),
        ("a.rb", "class A\n# Does.\ndef f(x)\n  g(x)\nend\nend\n", "def f(x)", (), "Does."),
    ],
)
def test_facts_are_read(
    path: str, text: str, signature: str, decorators: tuple[str, ...], doc: str
) -> None:
    (chunk,) = [c for c in cut(text, path, 160, target_size=1) if c.kind in {"function", "method"}]
    assert (chunk.signature, chunk.decorators, chunk.doc) == (signature, decorators, doc)


@pytest.mark.parametrize("nest", [lambda n: "(" * n + "1" + ")" * n, lambda n: "1 + " * n + "1"])
def test_deep_nesting_is_no_trouble(nest: Callable[[int], str]) -> None:
    for path, text in (("a.py", f"x = {nest(6000)}\n"), ("a.js", f"x = {nest(6000)};\n")):
        chunks = cut(text, path, 500)
        assert len(chunks) >= len(text) // 500
