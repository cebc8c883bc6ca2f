"""What a document is: settings, name, first line, content, in this order."""

from __future__ import annotations

import pytest

from structchunk_core import Chunker, detect
from structchunk_core.detect import language_of_tag


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


def test_a_header_with_classes_is_cpp() -> None:
    assert detect("#pragma once\nnamespace a {\nclass B {};\n}\n", "a.h").language == "cpp"
    assert detect("struct a { int b; };\nint f(void);\n", "a.h").language == "c"


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
