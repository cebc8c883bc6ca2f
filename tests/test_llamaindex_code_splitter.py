from __future__ import annotations

import copy
import inspect
import json
import pickle
from collections.abc import Callable
from typing import Any

import llama_index.core
import pytest
from llama_index.core import VectorStoreIndex
from llama_index.core.callbacks import CallbackManager, CBEventType, LlamaDebugHandler
from llama_index.core.embeddings import MockEmbedding
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.ingestion.pipeline import get_transformation_hash
from llama_index.core.node_parser import CodeSplitter as TheirCodeSplitter
from llama_index.core.node_parser import NodeParser, TextSplitter
from llama_index.core.schema import Document, MetadataMode
from tree_sitter import Parser
from tree_sitter_language_pack import get_language

from structchunk_core import Chunker, ConfigurationError, MissingDependencyError
from structchunk_llamaindex import CodeSplitter, numbered_id
from tests.corpus import ORDERS
from tests.real_files import documents

EMBED = MetadataMode.EMBED
KNOWS_TOKENS = "count_mode" in inspect.signature(TheirCodeSplitter.__init__).parameters
"""Whether the framework's own class can count tokens, which it could not in 0.13."""

BROKEN = "def broken(:\n    return (1,\n\n\ndef fine():\n    return 2\n"


def words(text: str) -> list[str]:
    return text.split()


def test_arguments_their_order_and_their_defaults_are_the_frameworks() -> None:
    ours = inspect.signature(CodeSplitter.__init__).parameters
    theirs = inspect.signature(TheirCodeSplitter.__init__).parameters
    if KNOWS_TOKENS:
        assert list(ours) == list(theirs)
    assert list(ours)[:5] == list(theirs)[:5]
    for name, parameter in theirs.items():
        assert ours[name].default == parameter.default, name
        assert ours[name].kind == parameter.kind
    assert CodeSplitter.class_name() == TheirCodeSplitter.class_name() == "CodeSplitter"


def test_it_is_a_text_splitter_and_takes_its_place_by_an_import() -> None:
    for splitter_class in (TheirCodeSplitter, CodeSplitter):
        splitter = splitter_class("python", 40, max_chars=300)
        assert isinstance(splitter, TextSplitter)
        assert isinstance(splitter, NodeParser)
        texts = splitter.split_text(ORDERS)
        assert all(len(text) <= 300 for text in texts)
        assert "".join("".join(texts).split()) == "".join(ORDERS.split())
        assert splitter.split_texts([ORDERS, ORDERS]) == texts * 2
        nodes = splitter.get_nodes_from_documents([Document(text=ORDERS, id_="one")])
        assert [node.get_content() for node in nodes] == texts
        assert {node.ref_doc_id for node in nodes} == {"one"}
        again = splitter_class.from_defaults(language="python", max_chars=300)
        assert again.split_text(ORDERS) == texts
        pipeline = IngestionPipeline(transformations=[splitter, MockEmbedding(embed_dim=4)])
        index = VectorStoreIndex(
            list(pipeline.run(documents=[Document(text=ORDERS)])),
            embed_model=MockEmbedding(embed_dim=4),
        )
        assert index.as_retriever(similarity_top_k=2).retrieve("basket")


COUNTS: list[tuple[dict[str, Any], Callable[[str], int], int]] = [
    ({"max_chars": 120}, len, 120),
    ({"max_chars": 1}, len, 1),
    ({}, len, 1500),
    ({"count_mode": "token", "max_tokens": 24}, Chunker().count, 24),
    ({"count_mode": "token"}, Chunker().count, 512),
    ({"count_mode": "token", "max_tokens": 9, "tokenizer": words}, lambda t: len(words(t)), 9),
    ({"max_chars": 200, "chunk_lines_overlap": 4}, len, 200),
]


@pytest.mark.parametrize(("settings", "count", "limit"), COUNTS)
def test_the_limit_is_kept_exactly(
    settings: dict[str, Any], count: Callable[[str], int], limit: int
) -> None:
    splitter = CodeSplitter("python", **settings)
    text = ORDERS + f"\nLONG = '{'x' * 4000}'\n"
    assert max(count(piece) for piece in splitter.split_text(text)) <= limit
    document = Document(text=text, metadata={"file_path": "shop/orders.py", "author": "me"})
    for node in splitter.get_nodes_from_documents([document]):
        if "metadata-over-budget" in node.metadata["problems"]:
            assert limit < 120
            assert count(node.get_content()) <= limit
        else:
            assert count(node.get_content(EMBED)) <= limit


def test_functions_that_fit_stay_whole_with_their_indentation() -> None:
    pieces = CodeSplitter("python", max_chars=400).split_text(ORDERS)
    shipping = ORDERS[ORDERS.index("    # Shipping") : ORDERS.index("\n\n    def discount")]
    assert shipping in pieces
    assert not any(piece != piece.rstrip() for piece in pieces)


def test_lines_overlap_only_when_asked_for() -> None:
    plain = CodeSplitter("python", max_chars=400).split_text(ORDERS)
    assert CodeSplitter("python", 40, max_chars=400).split_text(ORDERS) == plain
    overlapping = CodeSplitter("python", max_chars=400, chunk_lines_overlap=2)
    pieces = overlapping.split_text(ORDERS)
    assert len(pieces) == len(plain)
    repeated = 0
    for before, own, piece in zip(plain, plain[1:], pieces[1:], strict=False):
        assert piece.endswith(own)
        lines = [line for line in piece[: -len(own)].split("\n") if line]
        kept = [line for line in before.split("\n") if line]
        assert lines == kept[len(kept) - len(lines) :]
        repeated += len(lines) == 2
    assert repeated == len(plain) - 1
    explicit = CodeSplitter("python", max_chars=400, chunk_lines_overlap=15)
    assert explicit.split_text(ORDERS) != plain
    explicit.chunk_lines_overlap = 2
    assert explicit.split_text(ORDERS) == pieces


def test_a_syntax_error_is_chunked_and_not_raised() -> None:
    for text in ("def (", "}", "'''"):
        with pytest.raises(ValueError, match="Could not parse"):
            TheirCodeSplitter("python").split_text(text)
    for text in (BROKEN, "((((" + BROKEN, "\x00", "def (", "}", "'''"):
        pieces = CodeSplitter("python", max_chars=40).split_text(text)
        assert "".join("".join(pieces).split()) == "".join(text.split())
    assert CodeSplitter("python").split_text("") == []


@pytest.mark.parametrize(
    "settings",
    [
        {"chunk_lines": 0},
        {"chunk_lines_overlap": 0},
        {"max_chars": 0},
        {"max_chars": -5},
        {"max_tokens": 0},
        {"count_mode": "words"},
        {"language": 3},
        {"language": None},
        {"max_chars": "many"},
        {"id_func": 3},
        {"include_metadata": None},
    ],
)
def test_what_the_framework_refuses_is_refused(settings: dict[str, Any]) -> None:
    if KNOWS_TOKENS or not settings.keys() & {"count_mode", "max_tokens"}:
        with pytest.raises(ValueError):  # noqa: PT011  # theirs is pydantic's, with its own words
            TheirCodeSplitter(**{"language": "python", **settings})
    with pytest.raises(ConfigurationError) as caught:
        CodeSplitter(**{"language": "python", **settings})
    assert next(iter(settings)) in str(caught.value)


def test_what_cannot_work_is_refused_at_once() -> None:
    with pytest.raises(ConfigurationError, match="max_tokens must be at least 8 tokens, got 7"):
        CodeSplitter("python", max_tokens=7, count_mode="token")
    with pytest.raises(MissingDependencyError, match="'klingon'"):
        CodeSplitter("klingon")
    with pytest.raises(ConfigurationError, match=r"parser must be a tree_sitter\.Parser"):
        CodeSplitter("python", parser="python")
    splitter = CodeSplitter("python")
    with pytest.raises(ConfigurationError, match="max_chars"):
        splitter.max_chars = 0
    assert splitter.max_chars == 1500


def test_a_parser_of_the_user_parses() -> None:
    parser = Parser(get_language("python"))
    splitter = CodeSplitter("mine", max_chars=300, parser=parser)
    named = CodeSplitter("python", max_chars=300).get_nodes_from_documents([Document(text=ORDERS)])
    nodes = splitter.get_nodes_from_documents([Document(text=ORDERS)])
    assert {node.metadata["node_type"] for node in nodes} <= {
        *(node.metadata["node_type"] for node in named),
        "class_definition",
        "function_definition",
    }
    assert {node.metadata["chunk_language"] for node in nodes} == {"mine"}
    assert copy.deepcopy(splitter).split_text(ORDERS) == splitter.split_text(ORDERS)
    with pytest.raises(pickle.PicklingError, match="parser cannot be pickled"):
        pickle.dumps(splitter)
    data = splitter.to_dict()
    assert json.loads(json.dumps(data)) == data == splitter.to_dict()
    assert "0x" not in json.dumps(data)
    with pytest.raises(ConfigurationError, match="pass parser= again"):
        CodeSplitter.from_dict(data)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"chunk_lines": 10, "chunk_lines_overlap": 3, "max_chars": 300},
        {"chunk_lines_overlap": 15},
        {"count_mode": "token", "max_tokens": 64, "tokenizer": words, "id_func": numbered_id},
    ],
)
def test_it_survives_serialisation(settings: dict[str, Any]) -> None:
    splitter = CodeSplitter("python", **settings)
    data = splitter.to_dict()
    assert json.loads(json.dumps(data)) == data
    document = Document(text=ORDERS, id_="one")
    made = [(node.node_id, node.hash) for node in splitter([document])]
    for other in (
        CodeSplitter.from_dict(data),
        CodeSplitter.from_json(splitter.to_json()),
        pickle.loads(pickle.dumps(splitter)),  # noqa: S301  # our own bytes
        copy.deepcopy(splitter),
    ):
        assert other.to_dict() == data
        assert [(node.node_id, node.hash) for node in other([document])] == made


def test_the_hash_differs_by_every_setting() -> None:
    variants: list[dict[str, Any]] = [
        {},
        {"max_chars": 1400},
        {"chunk_lines_overlap": 15},
        {"chunk_lines_overlap": 14},
        {"count_mode": "token"},
        {"count_mode": "token", "tokenizer": words},
        {"language": "java"},
        {"include_metadata": False},
    ]
    document = [Document(text="x")]
    hashes = {
        get_transformation_hash(document, CodeSplitter(**{"language": "python", **each}))
        for each in variants
    }
    assert len(hashes) == len(variants)


def test_the_global_tokenizer_of_the_framework_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    splitter = CodeSplitter("python", count_mode="token", max_tokens=12)
    before = splitter.to_dict()["fingerprint"]
    monkeypatch.setattr(llama_index.core, "global_tokenizer", words)
    assert max(len(words(piece)) for piece in splitter.split_text(ORDERS)) <= 12
    assert max(Chunker().count(piece) for piece in splitter.split_text(ORDERS)) > 12
    assert splitter.to_dict()["fingerprint"] != before


def test_callbacks_are_told_as_by_the_framework() -> None:
    counts = []
    for splitter_class in (TheirCodeSplitter, CodeSplitter):
        handler = LlamaDebugHandler(print_trace_on_end=False)
        splitter = splitter_class("python", callback_manager=CallbackManager([handler]))
        splitter.get_nodes_from_documents([Document(text=ORDERS), Document(text=ORDERS)])
        splitter.split_text(ORDERS)
        counts.append(
            [
                len(handler.get_event_pairs(kind))
                for kind in (CBEventType.NODE_PARSING, CBEventType.CHUNKING)
            ]
        )
    assert counts == [[1, 3], [1, 3]]


def test_nodes_of_real_files_stand_where_they_say() -> None:
    """The framework searches for texts that it has stripped, and puts some in the wrong place."""
    splitter = CodeSplitter("python", max_chars=800)
    for name, text in documents(3, 1500):
        if not name.endswith(".py") or len(text) > 100_000:
            continue
        position = 0
        for node in splitter.get_nodes_from_documents([Document(text=text)]):
            assert text[node.start_char_idx : node.end_char_idx] == node.get_content()  # type: ignore[attr-defined]  # a TextNode
            assert not text[position : node.start_char_idx].strip()  # type: ignore[attr-defined]  # a TextNode
            position = node.end_char_idx  # type: ignore[attr-defined]  # a TextNode
        assert not text[position:].strip()
