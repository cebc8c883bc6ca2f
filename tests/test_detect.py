"""What a document is: settings, name, first line, content, in this order."""

from __future__ import annotations

import re

import pytest

from structchunk_core import Chunker, detect, profiles
from structchunk_core.detect import language_of_tag
from structchunk_core.formats import FORMATS


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a.py", "code python"),
        ("src/App.TSX", "code tsx"),
        ("a.ts", "code typescript"),
        ("a.rs", "code rust"),
        ("a.h", "code c"),
        ("x/y.test.js", "code javascript"),
        ("a\\b.go", "code go"),
        ("Dockerfile", "code dockerfile"),
        ("Makefile", "code make"),
        ("CMakeLists.txt", "code cmake"),
        ("a.md", "markdown"),
        ("a.mdx", "markdown"),
        ("a.csv", "delimited"),
        ("a.tsv", "delimited"),
        ("notes.txt", "text"),
        ("LICENSE", "text"),
        ("a.html", "html"),
        ("a.htm", "html"),
        ("a.xhtml", "html"),
        ("App.vue", "code vue"),
        ("App.svelte", "code svelte"),
        ("page.astro", "code astro"),
        ("a.json", "records"),
        ("tsconfig.jsonc", "records"),
        ("a.svg", "records"),
        ("Cargo.lock", "records"),
        ("sub/Pipfile", "records"),
        ("a.ndjson", "records"),
        ("a.yml", "records"),
        ("a.rst", "rst"),
        ("a.ipynb", "notebook"),
        ("a.unknown", "text"),
        ("", "text"),
        ("a.", "text"),
        ("https://example.py", "text"),
        ("https://docs.rs/", "text"),
        ("https://example.py/a/b.go", "code go"),
        (".", "text"),
    ],
)
def test_the_name_tells(path: str, expected: str) -> None:
    found = detect("words", path)
    assert f"{found.format} {found.language}".strip() == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#!/usr/bin/env python3\nx = 1\n", "code python"),
        ("#!/bin/bash\nls\n", "code bash"),
        ("#! /usr/bin/env -S ruby -w\nputs 1\n", "code ruby"),
        ("\ufeff#!/usr/bin/python3.11\n", "code python"),
        ("// -*- mode: c++ -*-\nint x;\n", "code cpp"),
        ("# vim: set ft=ruby :\nputs 1\n", "code ruby"),
        ("---\ntitle: x\n---\n\nwords\n", "markdown"),
        ("# Title\n\nwords\n", "markdown"),
        ("words\n\n```py\nx = 1\n```\n", "markdown"),
        ("<!DOCTYPE html>\n<html></html>", "html"),
        ("<div class='a'>words</div>", "html"),
        ("<p>one<table><tr><td>two</td></tr></table>", "html"),
        ("<p align='center'>\n\n# Title\n</p>", "markdown"),
        ("<words> in angle brackets</words>", "text"),
        ("<?xml version='1.0'?><a/>", "records"),
        ('{"a": 1}', "records"),
        ('[{"a": 1}]', "records"),
        ('{"a": 1}\n{"a": 2}\n', "records"),
        ("a,b,c\n1,2,3\n4,5,6\n", "delimited"),
        ("a\tb\n1\t2\n3\t4\n", "delimited"),
        ("One sentence, with a comma.\nAnother, with one too.\n", "text"),
        ("[see below] words", "text"),
        ("", "text"),
    ],
)
def test_the_content_tells_where_there_is_no_name(text: str, expected: str) -> None:
    found = detect(text)
    assert f"{found.format} {found.language}".strip() == expected


def test_settings_decide() -> None:
    assert detect("# x", "a.md", language="python") == ("code", "python")
    assert detect("# x", "a.py", format="markdown") == ("markdown", "")
    assert detect("x = 1", "a.py", format="code") == ("code", "python")
    assert detect("x", language="py") == ("code", "python")
    assert detect("x", language="C++") == ("code", "cpp")
    assert detect("x", language="markdown") == ("markdown", "")
    assert detect("x", language="klingon") == ("code", "klingon")


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.cgi", "#!/usr/bin/env python3\nprint()\n", "code python"),
        ("a.cgi", "#!/bin/sh\necho\n", "code bash"),
        ("a.cgi", "#!/usr/bin/perl\nprint 1;\n", "code perl"),
        ("a.cl", "// of OpenCL\n__kernel void f() {}\n", "code c"),
        ("a.cl", "(defun f () 1)\n", "code commonlisp"),
        ("a.cls", "% A class\n\\ProvidesClass{a}\n", "code latex"),
        ("a.cls", "VERSION 1.0 CLASS\nBEGIN\nEND\n", "text"),
        ("a.cls", "public class A { }\n", "code apex"),
        ("a.d", "src/a.o: src/a.c \\\n  src/a.h\n", "code make"),
        ("a.d", "out/a.o out/a.d: a.c\n", "code make"),
        ("a.d", "#!/usr/sbin/dtrace -s\nsyscall::read:entry\n{\n}\n", "text"),
        ("a.d", "module a;\nint f(A x) { return x.o; }\n", "code d"),
        ("a.f", ": square dup * ;\n", "text"),
        ("a.f", "      program a\n      end\n", "code fortran"),
        ("a.fs", "\\ words\n: square ( n -- n ) dup * ;\n", "text"),
        ("a.fs", "#version 330\nvoid main() {}\n", "code glsl"),
        ("a.fs", "module A\nlet f x : int = x\n", "code fsharp"),
        ("a.gd", 'DeclareOperation( "F", [ IsList ] );\n', "text"),
        ("a.gd", "extends Node\nfunc f():\n\tpass\n", "code gdscript"),
        ("a.h", "#pragma once\nnamespace a {\nclass B {};\n}\n", "code cpp"),
        ("a.h", "struct a { int b; };\nint f(void);\n", "code c"),
        ("a.h", "#import <a.h>\n@interface A : B\n@end\n", "code objc"),
        ("a.hh", "<?hh\nfunction f(): int { return 1; }\n", "code hack"),
        ("a.hh", "class A {};\n", "code cpp"),
        ("a.inc", "<?php\nfunction f() {}\n", "code php"),
        ("a.inc", 'SUMMARY = "words"\nSRC_URI += "file://a"\n', "code bitbake"),
        ("a.inc", "#ifndef A\n#define A\n#endif\n", "code cpp"),
        ("a.inc", "procedure A(b: integer);\n", "code pascal"),
        ("a.inc", "Some words.\n", "text"),
        ("a.l", "(defun f () 1)\n", "code commonlisp"),
        ("a.l", "%%\n[a-z]+ return A;\n", "text"),
        ("a.m", ":- module a.\n:- interface.\n", "text"),
        ("a.m", '(* words *)\nBeginPackage["A`"]\nf[x_] := x\n', "text"),
        ("a.m", "function y = f(x)\n% words\ny = x;\nend\n", "code matlab"),
        ("a.m", "#import <a.h>\n@implementation A\n@end\n", "code objc"),
        ("a.md", '(define_insn "add"\n  [])\n', "text"),
        ("a.md", "# Words\n\n(define it)\n", "markdown"),
        ("a.mm", '<map version="1.0">\n<node/>\n</map>\n', "records"),
        ("a.mm", "#import <a.h>\n@implementation A\n@end\n", "code objc"),
        ("a.php", "<?hh // strict\nfunction f(): int { return 1; }\n", "code hack"),
        ("a.php", "<?php\n", "code php"),
        ("a.pl", ":- use_module(library(lists)).\n", "text"),
        ("a.pl", "parent(X, Y) :- father(X, Y).\n", "text"),
        ("a.pl", "use strict;\nmy $x = 1;\n", "code perl"),
        ("a.pp", "unit A;\ninterface\nend.\n", "code pascal"),
        ("a.pp", "class a {\n  file { '/a': }\n}\n", "code puppet"),
        ("a.r", 'REBOL [Title: "A"]\n', "text"),
        ("a.r", "f <- function(x) x\n", "code r"),
        ("a.rest", "GET https://example.org/a\n", "text"),
        ("a.rest", "Words\n=====\n", "rst"),
        ("a.rs", "#pragma version(1)\n#pragma rs java_package_name(a)\n", "code c"),
        ("a.rs", "fn main() {}\n", "code rust"),
        ("a.sc", "MyClass : Object {\n\t*new { |x| ^super.new }\n}\n", "text"),
        ("a.sc", "object A {\n  def f(x: Int) = x\n}\n", "code scala"),
        ("a.scm", "(comment) @comment\n", "code query"),
        ("a.scm", "(define (f x) `(a ,@x))\n", "code scheme"),
        ("a.sls", "nginx:\n  pkg.installed: []\n", "text"),
        ("a.sls", "(library (a) (export f))\n", "code scheme"),
        ("a.t", "Words about it:\n\n  $ dune build\n  Error: no\n  [1]\n", "text"),
        ("a.t", "terra add(a : int) : int\n  return a\nend\n", "code lua"),
        ("a.t", "#!/bin/sh\ntest_done\n", "code bash"),
        ("a.t", "use Test::More;\n\n=pod\n\n  $ prove a.t\n\n=cut\n\nok 1;\n", "code perl"),
        ("a.t", "print 1;\n", "code perl"),
        ("a.ts", '<?xml version="1.0"?>\n<!DOCTYPE TS>\n<TS/>\n', "records"),
        ("a.ts", "const f = <T>(x: T) => x;\n", "code typescript"),
        ("a.v", "From A Require Import B.\nTheorem t : True.\nProof.\n", "text"),
        ("a.v", "module main\n\npub fn f() int {\n\treturn 1\n}\n", "code v"),
        ("a.v", "module a (input b);\nendmodule\n", "code verilog"),
        ("a.cl", "#|\n// words\n|#\n(in-package :a)\n(defun f () 1)\n", "code commonlisp"),
        ("a.d", "/* libfoo.d: helpers */\nint f() { return 1; }\n", "code d"),
        ("a.d", "// based on std/file.d: x\nint f() { return 1; }\n", "code d"),
        ("a.d", "/*\nlibfoo.d: helpers\n*/\nmodule foo;\nimport std.stdio : writeln;\n", "code d"),
        (
            "a.h",
            (
                "/**\n    @class wxButton\n\n    A button\n*/\n"
                "class wxButton : public wxAnyButton\n{\npublic:\n"
            ),
            "code cpp",
        ),
        ("a.h", "/**\n@property foo\n@interface Foo foo.h\n*/\nint f(void);\n", "code c"),
        ("a.h", "/**\n@protocol Foo\n@class Bar\n*/\nint f(void);\n", "code c"),
        ("a.h", "@class A, B;\nvoid f(A *a);\n", "code objc"),
        ("a.h", "@protocol A\n- (void)f;\n@end", "code objc"),
        ("a.inc", "#!/bin/bash\nset -e\nfunction log() {\n  echo\n}\n", "code bash"),
        ("a.inc", "#!/bin/bash\n# define the paths\nA=/a\n", "code bash"),
        ("a.inc", "<script>\nfunction foo(a) {\n  b();\n}\n</script>\n", "html"),
        ("a.inc", "<div>\n<?php f(); ?>\n</div>\n", "code php"),
        ("a.inc", "function foo(a) {\n  b();\n}\n", "text"),
        ("a.inc", "DEPENDS = foo.o\nall: foo\n\tcc foo.o\n", "text"),
        ("a.inc", "all: foo\n\t# define the tools\n\tcc foo.o\n", "text"),
        ("a.inc", 'DESCRIPTION = "words"\nDEPENDS = "b"\n\ninherit cmake\n', "code bitbake"),
        ("a.inc", 'SUMMARY = "words"\nLICENSE = "MIT"\n', "code bitbake"),
        ("a.inc", 'RDEPENDS:${PN}-a_b := "c"\n', "code bitbake"),
        ("a.inc", 'SRC_URI:="file://a"\n', "code bitbake"),
        ("a.inc", "SRC_URI" + "_a" * 200 + "\n", "text"),
        ("a.inc", '#include "colors.inc"\n#declare A = 1;\n', "text"),
        ("a.inc", "{$IFDEF A}\nconst B = 1;\n{$ENDIF}\n", "code pascal"),
        ("a.inc", "function A.B(c: integer): boolean;\nbegin\nend;\n", "code pascal"),
        ("a.inc", "{$title}\nwords\n", "text"),
        (
            "a.m",
            "function y = foo (x)\n  # if x is empty, return\n  y = x;\nendfunction\n",
            "code matlab",
        ),
        ("a.m", "function foo\n  # include the ends\n  y = 1;\n", "code matlab"),
        ("a.m", "# include the ends\nif x\n  y = 1;\nendif\n", "code matlab"),
        ("a.m", "%{\n// words\n%}\nx = 1;\n", "code matlab"),
        ("a.m", "/*\nfunction f(x) of a\n*/\n@implementation A\n@end\n", "code objc"),
        ("a.md", '# Machine descriptions\n\n```\n(define_insn "foo"\n  [])\n```\n', "markdown"),
        ("a.md", ';; Words.\n;; More.\n\n;; A.\n(define_insn "foo"\n  [])\n', "text"),
        ("a.pl", "use strict;\nprint <<A;\nusage:- a b\nusage :- a b\nA\n", "code perl"),
        ("a.pl", "=pod\n\noptions :- see below\n\n=cut\n\nprint 1;\n", "code perl"),
        ("a.pl", "sub f {\n}\nprint <<A;\noptions :- see below\nA\n", "code perl"),
        ("a.pl", "print <<A;\noptions :- see below\nA\n", "code perl"),
        ("a.pl", "$h{a} = 1;\nprintf <<A;\nfact(a).\nA\n", "code perl"),
        ("a.pl", "%h = (a => 1);\nwrite <<A;\nfact(a).\nA\n", "code perl"),
        ("a.pl", "while (<STDIN>) {\n}\nsay <<A;\na :- b\nA\n", "code perl"),
        ("a.pl", "foreach (@a) {\n}\nsay <<A;\na :- b\nA\n", "code perl"),
        ("a.pl", "# All of it\nsay <<A;\na :- b\nA\n", "code perl"),
        ("a.pl", "1;\n", "code perl"),
        ("a.pl", "parent(tom, bob).\nparent(tom, liz). % and so on\n", "text"),
        ("a.pl", "greeting --> [hello], name.\n", "text"),
        ("a.pl", "greeting(X) --> [hello], name(X).\n", "text"),
        ("a.pl", "/*  What it is\n*/\n\np1.\n", "text"),
        ("a.pl", "% What it is\np1.\n", "text"),
        ("a.pl", "parent(X, Y) :-\n    print(X) ;\n    for(Y, 1, 2).\n", "text"),
        ("a.inc", "# include this\nuse strict;\nmy $x = 1;\n", "code perl"),
        ("a.inc", "# include this\nsub f {\n  my ($a) = @_;\n}\n1;\n", "code perl"),
        ("a.h", "/* made by\nusing what a\nclass name for it\nnamespace says. */\n", "code c"),
        ("a.h", "class A;\n", "code cpp"),
        ("a.h", "class EXPORT A\n{\n};\n", "code cpp"),
        ("a.conf", "# top\n\n[mysqld]\n# why\n\nport = 3306\n", "records"),
        ("a.cnf", "[mysqld]\nport=3306\n", "records"),
        ("a.conf", '[[outputs.a]] # one\n  urls = ["b"]\n', "records"),
        ("a.conf", '<?xml version="1.0"?>\n<a/>\n', "records"),
        ("a.conf", "# Settings\n\nA=1\n\n# Other\nB=2\n", "text"),
        ("a.conf", "# Settings\n[a]\nserver {\n  listen 80;\n}\n", "text"),
        ("a.h", "class MADE(1) A : public B {\n};\n", "code cpp"),
        ("a.h", "class A\n  : B<int>, C {\n};\n", "code cpp"),
        ("a.h", "class A final : B<int> {\n};\n", "code cpp"),
        ("a.h", "using A = int;\n", "code cpp"),
        ("a.h", "using a::B;\n", "code cpp"),
        ("a.h", "using namespace a::b;\n", "code cpp"),
        ("a.h", "inline namespace a\n{\n}\n", "code cpp"),
        ("a.r", "red[red > 0.5] <- 0\n", "code r"),
        ("a.r", "Red [Title: {A}]\n", "text"),
        ("a.rest", "GET /users\n-----\n\nWords.\n", "rst"),
        ("a.rest", "GET /users returns\nthe users.\n", "rst"),
        ("a.rest", "Words.\n\nGET /users\n", "rst"),
        ("a.rest", "@a = b\n\n### Words\n# more\nGET {{a}}/c HTTP/1.1\nA: b\n\n###\n", "text"),
        ("a.sc", "run { arg =>\n  arg + 1\n}\n", "code scala"),
        ("a.sc", "run { arg: Int =>\n  arg + 1\n}\n", "code scala"),
        ("a.sc", "f = {\n}\nplay { arg freq = 440; SinOsc.ar(freq) }\n", "text"),
        (
            "a.scm",
            (
                '(define (f lst n)\n  "Return the first @var{n} (or fewer) @var{lst}."\n'
                "  (list-head lst n))\n"
            ),
            "code scheme",
        ),
        ("a.scm", '(f "(of the GNU project)\n@command{foo} does")\n', "code scheme"),
        ("a.scm", '(define-module (a))\n(f "(b) @c")\n', "code scheme"),
        ("a.scm", "(import\n  (module) @module)\n", "code query"),
        (
            "a.t",
            (
                "# test of x\nuse strict;\nuse Test::More tests => 1;\n\n=pod\n\n  $ prove -l\n\n"
                "=cut\n\nis(1,1);\n"
            ),
            "code perl",
        ),
        (
            "a.t",
            "# words\n\nuse strict;\nprint <<EOT;\nlocal all postgres peer\nEOT\n",
            "code perl",
        ),
        ("a.t", "local a = 1\n", "code lua"),
        ("a.v", "/*\n  Definition foo: x\n*/\nmodule a (input b);\nendmodule\n", "code verilog"),
        ("a.v", "/*\n  Definition foo: x\n*/\nwire a;\n", "code verilog"),
        ("a.v", "module main\n\n#include <a.h>\n\nfn main() {\n}\n", "code v"),
    ],
)
def test_the_text_tells_what_a_contested_ending_means(path: str, text: str, expected: str) -> None:
    assert " ".join(detect(text, path)).strip() == expected
    assert " ".join(detect(text.replace("\n", "\r\n"), path.upper())).strip() == expected


def test_what_a_contested_ending_may_mean_is_a_language_or_a_format() -> None:
    known = {*profiles.profiled_languages(), *profiles.others(), *FORMATS}
    for ending, pairs in profiles.contested().items():
        assert ending == ending.lower()
        assert pairs
        for pattern, meant in pairs:
            re.compile(pattern, re.MULTILINE)
            assert meant in known, (ending, meant)
            # Each of a run of blank lines would be a beginning, and go over all behind it.
            assert not pattern.startswith(r"\n\s"), (ending, pattern)
            # It is tried at the beginning only, the second of two alternatives too.
            if pattern.startswith(r"\A"):
                assert "|" not in _outside_brackets(pattern), (ending, pattern)


def _outside_brackets(pattern: str) -> str:
    left = re.sub(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", "", pattern)
    while (shorter := re.sub(r"\([^()]*\)", "", left)) != left:
        left = shorter
    return left


def test_an_alternative_outside_brackets_is_seen() -> None:
    assert "|" in _outside_brackets(r"\A(?:a|(b|c))\||[|]")
    assert "|" not in _outside_brackets(r"\A(?:a|(b|c)\))\|[^]|\]|]")


@pytest.mark.parametrize(
    ("tag", "language"),
    [
        ("py", "python"),
        ("python", "python"),
        ("{.python .numberLines}", "python"),
        ("ts", "typescript"),
        ("C++", "cpp"),
        ("c#", "csharp"),
        ("sh", "bash"),
        ("rs", "rust"),
        ("text", ""),
        ("", ""),
        ("no-such-language", ""),
    ],
)
def test_tags_of_fences(tag: str, language: str) -> None:
    assert language_of_tag(tag) == language


@pytest.mark.parametrize(
    ("path", "text", "language"),
    [
        ("Cargo.lock", '[[package]]\nname = "a"\n', "toml"),
        ("composer.lock", '{"packages": []}', "json"),
        ("Pipfile", "[packages]\n", "toml"),
        ("a.yml", "a: 1\n", "yaml"),
        ("a.svg", "<svg/>", "xml"),
        ("a.jsonl", '{"a": 1}\n', "json"),
        ("", "<?xml version='1.0'?><a/>", "xml"),
        ("", '{"a": 1}', "json"),
        ("feed", "[1, 2]", "json"),
    ],
)
def test_how_records_are_written(path: str, text: str, language: str) -> None:
    (one,) = Chunker().chunk(text, path=path)
    assert (one.format, one.language) == ("records", language)
