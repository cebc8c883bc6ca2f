"""Trees that another process has made answer as those made here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tree_sitter import Node

from structchunk_core import Chunker
from structchunk_core.formats import code as code_format
from structchunk_core.formats.code import grammar_text
from structchunk_core.grammars import captures, find_grammar, parse_bytes
from structchunk_core.profiles import Profile, profile
from structchunk_core.shipped import NotATreeError, ShippedNode, ShippedTree, packed
from tests.generators import FRAGMENTS, arbitrary_text, code

_ANSWERS = (
    "kind_id",
    "type",
    "start_byte",
    "end_byte",
    "start_point",
    "end_point",
    "child_count",
    "named_child_count",
    "is_named",
    "is_missing",
    "is_extra",
    "is_error",
    "has_error",
)


def pairs(real: Node, shipped: ShippedNode) -> Iterator[tuple[Node, ShippedNode]]:
    stack = [(real, shipped)]
    while stack:
        one, other = stack.pop()
        yield one, other
        stack.extend(zip(one.children, other.children, strict=True))


def answers(node: Node | ShippedNode) -> list[object]:
    return [
        tuple(value) if name.endswith("_point") else value
        for name in _ANSWERS
        for value in [getattr(node, name)]
    ]


def place(node: Node | ShippedNode | None) -> tuple[int, ...]:
    return (node.kind_id, node.start_byte, node.end_byte) if node is not None else ()


@pytest.mark.parametrize("language", FRAGMENTS)
def test_every_node_answers_the_same(language: str) -> None:
    grammar = find_grammar(language)
    data = profile(language)
    queries = [query for query in (data.import_names, data.calls) if query]

    @settings(deadline=None, max_examples=30)
    @given(st.one_of(code(language), arbitrary_text()))
    def holds(text: str) -> None:
        written = grammar_text(text).encode()
        tree = parse_bytes(written, grammar, 10)
        root = tree.root_node
        found = [captures(grammar, query, root) for query in queries]
        shipped = ShippedTree(packed(tree, found), written, grammar, queries)
        for real, other in pairs(root, shipped.root_node):
            assert answers(real) == answers(other)
            assert place(real.parent) == place(other.parent)
            for name in ("name", "body", "declarator", "value", "type"):
                field = real.child_by_field_name(name)
                assert place(field) == place(other.child_by_field_name(name))
        middle = len(written) // 2, len(written)
        for query, nodes in zip(queries, found, strict=True):
            assert sorted(map(place, nodes)) == sorted(map(place, shipped.captured(query)))
            inside = [n for n in nodes if n.end_byte > middle[0] and n.start_byte < middle[1]]
            shown = shipped.captured(query, middle)
            assert sorted(map(place, inside)) == sorted(map(place, shown))

    holds()


@pytest.mark.parametrize("language", ["python", "javascript", "c"])
def test_chunks_are_the_same_wherever_the_grammar_works(
    language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "\n".join(FRAGMENTS[language])
    chunker = Chunker(tokenizer="characters", chunk_size=300)
    here = chunker.chunk(text, language=language)

    def fragile(name: str) -> Profile:
        return replace(profile(name), fragile=True)

    monkeypatch.setattr(code_format, "profile", fragile)
    assert chunker.chunk(text, language=language) == here


def _sent() -> tuple[bytes, bytes]:
    data = b"f(1)\ng(2)\n"
    return packed(parse_bytes(data, find_grammar("python"), 10), []), data


def test_what_is_no_tree_is_refused() -> None:
    sent, data = _sent()
    grammar = find_grammar("python")
    assert ShippedTree(sent, data, grammar, []).root_node.type == "module"
    for broken in (b"", sent[:-1], sent + b"\0" * 8, b"\xff" * 40):
        with pytest.raises(NotATreeError):
            ShippedTree(broken, data, grammar, [])
    with pytest.raises(NotATreeError):
        ShippedTree(sent, data[:5], grammar, [])
    with pytest.raises(NotATreeError):
        ShippedTree(sent, data, grammar, ["(call) @c"])


@given(st.data())
def test_any_bytes_are_refused_or_a_tree(data: st.DataObject) -> None:
    sent, text = _sent()
    changed = bytearray(sent)
    for _ in range(data.draw(st.integers(1, 4))):
        changed[data.draw(st.integers(0, len(sent) - 1))] = data.draw(st.integers(0, 255))
    try:
        tree = ShippedTree(bytes(changed), text, find_grammar("python"), [])
    except NotATreeError:
        return
    stack = [tree.root_node]
    count = 0
    while stack:
        node = stack.pop()
        count += 1
        assert 0 <= node.start_byte <= node.end_byte <= len(text)
        assert isinstance(node.type, str)
        stack.extend(node.children)
    assert count == len(tree.kinds)
