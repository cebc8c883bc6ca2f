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
