"""Definitions that no node type tells: known by a word, with a name inside, with neighbours."""

from __future__ import annotations

import pytest
from tree_sitter import Parser

from structchunk_core import Chunker
from structchunk_core.formats._code_paths import Step, first, follow, path_of
from structchunk_core.formats._code_reading import Reading
from structchunk_core.formats._code_types import node_types
from structchunk_core.grammars import find_grammar
from structchunk_core.profiles import profile
from structchunk_core.unit import Unit
from tests.cutting import cut, holder_of


def defined(text: str, path: str) -> list[tuple[str, str]]:
    """Kind and label of every definition, in document order."""
    root = Chunker(tokenizer="characters").parse(text, path=path).root
    return [(unit.kind, unit.label) for _, unit in root.walk() if unit.definition is not None]


def unit_named(text: str, path: str, label: str) -> Unit:
    """The first unit with that label."""
    root = Chunker(tokenizer="characters").parse(text, path=path).root
    return next(unit for _, unit in root.walk() if unit.label == label)


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.ex", "def a + b, do: 1\n", [("function", "+")]),
        ("a.ex", "def a + b when a > 0, do: 1\n", [("function", "+")]),
        ("a.ex", "define(x)\nundef f(x)\n", []),
        ("a.clj", "(defn- ^:private f [x] x)\n", [("function", "f")]),
        ("a.clj", "(s/defn f :- Int [x] x)\n", [("function", "f")]),
        ("a.clj", "(defroutes app (GET x))\n(default x)\n", [("function", "app")]),
        ("a.clj", "(def f (fn [x] x))\n(def g 1)\n", [("function", "f"), ("variable", "g")]),
        (
            "a.clj",
            "(extend-type T\n  P\n  (m [this] 1)\n  (n [this] (o this)))\n",
            [("impl", "T"), ("method", "m"), ("method", "n")],
        ),
        ("a.lisp", "#+sbcl\n(defun f () 1)\n", [("function", "f")]),
        ("a.lisp", "(defmethod (setf x) (v) v)\n", [("function", "setf x")]),
        (
            "a.scm",
            "(define x 1)\n(define f (lambda (y) y))\n",
            [("variable", "x"), ("function", "f")],
        ),
        ("a.scm", "(define (((f a) b) c) c)\n", [("function", "f")]),
        (
            "a.R",
            'A <- R6Class("A", public = list(f = function() 1, n = 2))\n',
            [("class", "A"), ("object", "public"), ("method", "f")],
        ),
        ("a.R", 'setMethod("show", "A", function(object) 1)\n', [("method", "A.show")]),
        ("a.jl", "f(x) = x\ny = f(1)\nz[f(1)] = 2\n", [("function", "f")]),
        ("a.cs", "class A { ~A() { } }\n", [("class", "A"), ("method", "~A")]),
        (
            "a.cpp",
            f"template <> struct print<T, {', '.join(['is<T>'] * 40)}> {{ int f() {{ }} }};\n",
            [("struct", "print"), ("method", "f")],
        ),
        (
            "a.css",
            ".a { color: red;; *zoom: 1 }\n.b { background: url(../c.png) }\n.d { e: f }\n",
            [("rule", ".a"), ("rule", ".b"), ("rule", ".d")],
        ),
        (
            "a.scss",
            '---\n---\n@use "b" as *;\n.a { --b: #{$c}; margin: -#{$d + 1} 0; }\n.e { f: g }\n',
            [("rule", ".a"), ("rule", ".e")],
        ),
        (
            "a.m",
            "@implementation A\n#if B\n- (void)run {\n  go();\n}\n#endif\n@end\n",
            [("impl", "A"), ("method", "run")],
        ),
        (
            "a.jl",
            "f(x::T)::T where {T} = x\nA{T}(x) where T = 1\n",
            [("function", "f"), ("function", "A")],
        ),
        ("a.jl", "@inline @foo function Base.f(x)\n  x\nend\n", [("function", "Base.f")]),
        (
            "a.ml",
            "let x = 1\nlet f = fun y -> y\nlet () = f x\n",
            [("constant", "x"), ("function", "f")],
        ),
        ("a.ml", "type a = A\nand b = B\n", [("type", "a"), ("type", "b")]),
        (
            "a.lua",
            "function A.b:c() end\nA.d = function() end\n",
            [("function", "A.b.c"), ("function", "A.d")],
        ),
        (
            "a.cmake",
            "FUNCTION(F x)\nENDFUNCTION()\nAdd_Library(l a.c)\n",
            [("function", "F"), ("target", "l")],
        ),
        (
            "a.tf",
            'resource "a" "b" {}\ndata "a" "b" {}\n',
            [("resource", "a.b"), ("resource", "data.a.b")],
        ),
        (
            "a.vim",
            "function! s:f()\nendfunction\nfunction a#b() abort\nendfunction\n",
            [("function", "s:f"), ("function", "a#b")],
        ),
        ("a.typ", "#let f(x) = x\n#let y = 1\n", [("function", "f"), ("constant", "y")]),
        (
            "a.css",
            "a,\n  b > c { d: e }\n@media (x: 1px) { f { g: h } }\n",
            [("rule", "a, b > c"), ("block", "@media (x: 1px)"), ("rule", "f")],
        ),
        ("a.sql", "create or replace view s.v as select 1;\n", [("struct", "s.v")]),
        (
            "a.nix",
            "{ f = x: x; n = 1; o = { g = y: y; }; }\n",
            [("function", "f"), ("object", "o"), ("method", "g")],
        ),
    ],
)
def test_definitions_are_found_by_name(
    path: str, text: str, expected: list[tuple[str, str]]
) -> None:
    assert defined(text, path) == expected


@pytest.mark.parametrize(
    ("path", "text", "labels"),
    [
        ("a.hs", "f :: Int -> Int\nf 0 = 1\nf n = n\n\ng = 2\n", ["f", "g"]),
        ("a.hs", "f :: Int\n\ng :: Int\ng = 2\n", ["f", "g"]),
        ("a.hs", "f :: Int -> Int\n#ifdef X\nf = id\n#else\nf = negate\n#endif\n", ["f"]),
        ("a.hs", "f = 1\n{-# INLINE f #-}\n\ng = 2\n", ["f", "g"]),
        ("a.elm", "f : Int\nf =\n    1\n\n\ng =\n    2\n", ["f", "g"]),
        ("a.erl", "-spec f(x) -> y.\nf(x) -> y;\nf(_) -> z.\n\nf(1, 2) -> 3.\n", ["f", "f"]),
        ("a.ex", "def f(0), do: 1\n\n# Any.\ndef f(n), do: n\n\ndef f(a, b), do: a\n", ["f", "f"]),
        ("a.ex", "def f(0), do: 1\n\n@doc false\ndef f(n), do: n\n", ["f", "f"]),
        ("a.ex", "def f(0), do: 1\ndefp f(n), do: n\n", ["f"]),
    ],
)
def test_clauses_and_their_signature_are_one_unit(path: str, text: str, labels: list[str]) -> None:
    assert [label for _, label in defined(text, path)] == labels


def test_the_parts_of_a_split_function_are_its_clauses() -> None:
    clauses = [f"f ({n}, x) =\n  case x of\n    _ -> x + {n} * {n}\n" for n in range(12)]
    text = "-- | Adds.\nf :: (Int, Int) -> Int\n" + "".join(clauses)
    chunks = cut(text, "a.hs", 200)
    assert chunks[0].text.startswith("-- | Adds.\nf :: (Int, Int) -> Int\nf (0, x)")
    for clause in clauses:
        holder_of(chunks, clause.strip())
    assert {chunk.path for chunk in chunks} == {("f",)}
    assert all("f :: (Int, Int) -> Int" in chunk.embed_text for chunk in chunks)


def test_a_declared_signature_is_the_signature() -> None:
    unit = unit_named("-- | Adds.\nf :: Int -> Int\nf x = x + 1\n", "a.hs", "f")
    assert unit.definition is not None
    assert unit.kind == "function"
    assert unit.definition.signature == "f :: Int -> Int"
    assert unit.definition.doc == "Adds."


@pytest.mark.parametrize(
    ("path", "text", "signature", "decorators", "doc"),
    [
        (
            "a.ex",
            '@doc """\nAdds.\n"""\n@spec f(t) :: t\ndef f(x) when x > 0 do\n  x\nend\n',
            "def f(x) when x > 0",
            ("@spec f(t) :: t",),
            "Adds.",
        ),
        ("a.clj", '(defn f\n  "Adds."\n  [x y]\n  (+ x y))\n', "defn f [x y]", (), "Adds."),
        ("a.lisp", '(defun f (x)\n  "Adds."\n  x)\n', "defun f (x)", (), "Adds."),
        ("a.jl", '"""\nAdds.\n"""\nfunction f(x)\n  x\nend\n', "function f(x)", (), "Adds."),
        ("a.R", "#' Adds.\nf <- function(x) {\n  x\n}\n", "f <- function(x)", (), "Adds."),
        ("a.ml", "(** Adds. *)\nlet f x =\n  x\n", "let f x", (), "Adds."),
        ("a.fs", "/// Adds.\n[<A>]\nlet f x =\n    x\n", "let f x", ("[<A>]",), "Adds."),
        ("a.cmake", "# Adds.\nfunction(f x)\n  a()\nendfunction()\n", "function(f x)", (), "Adds."),
        ("a.fish", "# Adds.\nfunction f -a x\n  echo\nend\n", "function f -a x", (), "Adds."),
        ("a.pm", "# Adds.\nsub f($x) {\n  1\n}\n", "sub f($x)", (), "Adds."),
    ],
)
def test_facts_are_read(
    path: str, text: str, signature: str, decorators: tuple[str, ...], doc: str
) -> None:
    found = unit_named(text, path, "f").definition
    assert found is not None
    assert (found.signature, found.decorators, found.doc) == (signature, decorators, doc)


def test_a_doc_comment_in_a_matlab_function_stands_below_its_head() -> None:
    text = "function y = f(x)\n% Adds.\n    y = x;\nend\n"
    root = Chunker(tokenizer="characters").parse(text, language="matlab").root
    (unit,) = [unit for _, unit in root.walk() if unit.definition is not None]
    assert unit.definition is not None
    assert (unit.definition.signature, unit.definition.doc) == ("function y = f(x)", "Adds.")


def test_a_section_reaches_to_the_next_one() -> None:
    text = "ARG V=1\n\n# Builds.\nFROM a AS b\nRUN c\n\n# Runs.\nFROM d\nCOPY --from=b e f\n"
    root = Chunker(tokenizer="characters").parse(text, path="Dockerfile").root
    shown = [(unit.kind, unit.label, text[unit.start : unit.end].strip()) for unit in root.open()]
    assert shown == [
        ("statement", "", "ARG V=1"),
        ("section", "b", "# Builds.\nFROM a AS b\nRUN c"),
        ("section", "d", "# Runs.\nFROM d\nCOPY --from=b e f"),
    ]


def test_a_package_in_braces_ends_with_them_and_any_other_at_the_next() -> None:
    text = "package A;\nsub a { 1 }\npackage B { sub b { 2 } }\npackage C;\nsub c { 3 }\n"
    assert defined(text, "a.pm") == [
        ("module", "A"),
        ("function", "a"),
        ("module", "B"),
        ("function", "b"),
        ("module", "C"),
        ("function", "c"),
    ]


def test_an_augroup_ends_at_its_end() -> None:
    text = "augroup a\n  autocmd!\naugroup END\nlet x = 1\n"
    root = Chunker(tokenizer="characters").parse(text, path="a.vim").root
    section, statement = root.open()
    assert (section.label, text[section.start : section.end]) == (
        "a",
        "augroup a\n  autocmd!\naugroup END\n",
    )
    assert statement.kind == "statement"


def test_running_text_is_cut_in_paragraphs() -> None:
    text = "\\section{A}\nOne $x$ two\nthree.\n\n\\emph{Four} five.\n\\begin{b}\nsix\n\\end{b}\n"
    (section,) = Chunker(tokenizer="characters").parse(text, path="a.tex").root.open()
    assert section.label == "A"
    assert [(unit.kind, text[unit.start : unit.end].strip()) for unit in section.open()] == [
        ("head", "\\section{A}"),
        ("paragraph", "One $x$ two\nthree."),
        ("paragraph", "\\emph{Four} five."),
        ("statement", "\\begin{b}\nsix\n\\end{b}"),
    ]


def test_sections_lie_inside_sections() -> None:
    text = "= A\n\nOne.\n\n== B\n\nTwo.\n\n= C\n\nThree.\n"
    root = Chunker(tokenizer="characters").parse(text, path="a.typ").root
    labels = [(depth, unit.label) for depth, unit in root.walk() if unit.kind == "section"]
    assert labels == [(1, "A"), (2, "B"), (1, "C")]


def test_comments_that_the_grammar_puts_above_belong_to_what_follows() -> None:
    text = (
        "module A\n\nlet a = 1\n\n/// Two.\nlet b x =\n"
        "    // Inside.\n    x\n    // Last.\n\nlet c = 3\n"
    )
    chunks = cut(text, "a.fs", 60, target_size=1)
    holder = holder_of(chunks, "let b x")
    assert holder.text == "/// Two.\nlet b x =\n    // Inside.\n    x\n    // Last."


def test_a_comment_below_a_specification_belongs_to_it() -> None:
    text = "val a : int\n(** One. *)\n\nval b : int\n(** Two. *)\n"
    root = Chunker(tokenizer="characters").parse(text, path="a.mli").root
    assert [text[unit.start : unit.end].strip() for unit in root.open()] == [
        "val a : int\n(** One. *)",
        "val b : int\n(** Two. *)",
    ]


def test_words_that_no_profile_knows_leave_no_trace() -> None:
    grammar = find_grammar("clojure")
    types = node_types("clojure", grammar)
    text = " ".join(f"(word-{number} x)" for number in range(500)) + " (" + "d" * 200 + ")"
    tree = Parser(grammar).parse(text.encode())
    reading = Reading(text, profile("clojure"), tree)
    before = len(types._by_word)
    for node in tree.root_node.children:
        assert reading.type_of(node) is types[node.kind_id]
    assert len(types._by_word) == before


def test_a_path_is_read_as_it_is_written() -> None:
    assert path_of("a/0/b?/c,d*/e+/=f") == (
        Step(("a",)),
        Step(("0",), place=0),
        Step(("b",), optional=True),
        Step(("c", "d"), optional=True, often=True),
        Step(("e",), all=True),
        Step(("f",), asks=True),
    )


def test_a_path_that_leads_nowhere_leads_nowhere() -> None:
    grammar = find_grammar("elixir")
    text = "# x\ndef f(1), do: 2\n"
    tree = Parser(grammar).parse(text.encode())
    reading = Reading(text, profile("elixir"), tree)
    (_, call) = tree.root_node.children
    for written in ("body", "arguments/7", "target/=alias", "keywords+", "0/0/0/0/0/0"):
        assert follow(reading, call, path_of(written)) == [], written
    names = profile("elixir").names["call"]
    found = first(reading, call, tuple(map(path_of, names)))
    assert found is not None
    assert reading.slice(found) == "f"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.ex", "def\ndef(\n@doc\n@\ndefmodule do\nend\n"),
        ("a.clj", "(\n(defn)\n(defn\n()\n(() ())\n(extend-type)\n"),
        ("a.lisp", "(defun)\n(defun f\n(defclass)\n#+\n"),
        ("a.hs", "f ::\n:: Int\nf =\nclass\nmodule where\n"),
        ("a.tex", "\\section\n\\section{\n\\begin{}\n\\end{x}\n\\newcommand\n"),
        ("Dockerfile", "FROM\nFROM a AS\nAS b\n\\\n"),
        ("a.tf", "resource {\n}\n{\nresource\n"),
        ("a.fs", "let\ntype =\nmodule\n///\n  [<\n"),
        ("a.vim", "augroup\naugroup END\nfunction\nendfunction\n"),
        ("Makefile", ":\n\tx\na: b:\ndefine\n"),
    ],
)
def test_malformed_input_is_cut_all_the_same(path: str, text: str) -> None:
    for size in (7, 30, 400):
        for granularity in ("definition", "packed"):
            assert cut(text * 3, path, size, granularity)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.clj", "(" * 3000 + ")" * 3000),
        ("a.ex", "f(" * 2000 + ")" * 2000),
        ("a.hs", "f = " + "(" * 2000 + "1" + ")" * 2000 + "\n"),
        ("a.fs", "let f = " + "(" * 1000 + "1" + ")" * 1000 + "\n"),
        ("a.tex", "{" * 2000 + "x" + "}" * 2000),
        ("a.ml", "let x = " + "let y = 1 in " * 800 + "y\n"),
    ],
)
def test_deep_nesting_is_no_trouble(path: str, text: str) -> None:
    assert len(cut(text, path, 500)) >= len(text) // 500
