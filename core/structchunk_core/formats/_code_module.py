"""What a source file as a whole is called, and what it says about itself."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from structchunk_core.formats._code_facts import first_words
from structchunk_core.formats._code_paths import first
from structchunk_core.formats._code_reading import Reading
from structchunk_core.source import Source

if TYPE_CHECKING:
    from tree_sitter import Node

_ROOTS = frozenset({"src", "lib", "site-packages", "dist-packages"})
_ABSOLUTE = re.compile(r"^(?:[A-Za-z]:)?[\\/]|^[a-z][a-z0-9+.-]*://")
_LICENCE = re.compile(r"copyright|licen[cs]e|spdx", re.IGNORECASE)
_INNER_DOC = ("//!", "/*!")


def module_name(source: Source, reading: Reading) -> str:
    """The dotted name of the module that a file is, or ``""`` if its language has no such thing.

    What the file itself declares (``package com.example``) or, where modules are files, what
    follows from its path: ``src/payments/client.py`` is ``payments.client``.
    """
    declared = _declaration(reading)
    if declared is not None:
        return "".join(reading.slice(declared).split())
    return _from_path(source.path) if reading.data.modules_are_files else ""


def module_doc(reading: Reading) -> str:
    """The first line of what a file says about itself, or ``""``.

    A docstring, an inner doc comment, or the comment right above the declaration of the package.
    A licence is none.
    """
    nodes = reading.root.children
    for number, node in enumerate(nodes):
        if reading.is_comment(node):
            text = reading.slice(node)
            if text.startswith(_INNER_DOC) or _documents_package(reading, nodes, number):
                return "" if _LICENCE.search(text) else first_words(text)
            continue
        if reading.data.docstrings and reading.is_string(node):
            return first_words(reading.slice(node).lstrip("rRuUbBfF").strip("\"' \t\r\n"))
        return ""
    return ""


def _documents_package(reading: Reading, nodes: list[Node], number: int) -> bool:
    """Whether comments from this one on lead, without a blank line, to a package's declaration."""
    for node, behind in zip(nodes[number:], nodes[number + 1 :], strict=False):
        if behind.start_point.row > node.end_point.row + 1:
            return False
        if not reading.is_comment(behind):
            return any(reading.is_a(behind, name) for name in reading.data.packages)
    return False


def _declaration(reading: Reading) -> Node | None:
    """The name in the declaration of the package, among the first nodes of the file."""
    if not reading.data.packages:
        return None
    for node in reading.root.children:
        if any(reading.is_a(node, name) for name in reading.data.packages):
            named = first(reading, node, reading.type_of(node).name_paths)
            if named is not None:
                return named
            return next((child for child in node.children if child.is_named), None)
    return None


def _from_path(path: str) -> str:
    parts = [part for part in re.split(r"[\\/]", path) if part not in {"", ".", ".."}]
    if not parts:
        return ""
    stem = parts.pop().partition(".")[0]
    roots = [number for number, part in enumerate(parts) if part in _ROOTS]
    if roots:
        parts = parts[roots[-1] + 1 :]
    elif _ABSOLUTE.match(path):
        parts = []  # nothing tells where the packages begin
    names = parts if stem == "__init__" and parts else [*parts, stem]
    first = len(names)
    while first and names[first - 1].isidentifier():
        first -= 1
    return ".".join(names[first:])
