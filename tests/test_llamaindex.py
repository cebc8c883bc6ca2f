from __future__ import annotations

import asyncio
import copy
import json
import pickle
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from llama_index.core import Settings, SimpleDirectoryReader, VectorStoreIndex
from llama_index.core.callbacks import CallbackManager, CBEventType, LlamaDebugHandler
from llama_index.core.embeddings import MockEmbedding
from llama_index.core.ingestion import DocstoreStrategy, IngestionPipeline
from llama_index.core.ingestion.pipeline import get_transformation_hash
from llama_index.core.schema import (
    BaseNode,
    Document,
    ImageNode,
    IndexNode,
    MetadataMode,
    NodeRelationship,
    TextNode,
)
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores import SimpleVectorStore
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from structchunk_core import Chunker, ConfigurationError, chunk
from structchunk_llamaindex import StructuralNodeParser
from tests.bag_of_words_llamaindex import BagOfWords
from tests.corpus import CITIES, FILES, GUIDE, ORDERS, write

EMBED, LLM = MetadataMode.EMBED, MetadataMode.LLM


def characters(text: str) -> int:
    return len(text)


def words(text: str) -> list[str]:
    return text.split()


COUNTS: dict[object, Callable[[str], int]] = {
    "cl100k_base": Chunker().count,
    "characters": len,
    words: lambda text: len(words(text)),
}


def refusing(text: str) -> list[str]:
    raise RuntimeError("never")


def numbered(i: int, doc: BaseNode) -> str:
    return f"{doc.node_id}-{i}"


def texts(nodes: Sequence[BaseNode]) -> list[TextNode]:
    assert all(isinstance(node, TextNode) for node in nodes)
    return [node for node in nodes if isinstance(node, TextNode)]


def parsed(text: str, path: str = "shop/orders.py", **settings: Any) -> list[TextNode]:
    document = Document(text=text, metadata={"file_path": path})
    return texts(StructuralNodeParser(**settings).get_nodes_from_documents([document]))


def parsed_with(parser: StructuralNodeParser) -> list[str]:
    document = Document(text=ORDERS, metadata={"file_path": "shop/orders.py"})
    return [node.get_content() for node in parser.get_nodes_from_documents([document])]


def related(node: BaseNode, relationship: NodeRelationship) -> Any:
    return node.relationships.get(relationship)


@pytest.fixture
def documents(tmp_path: Path) -> list[Document]:
    return SimpleDirectoryReader(str(write(tmp_path)), recursive=True).load_data()


def test_files_are_read_parsed_indexed_and_found(documents: list[Document], tmp_path: Path) -> None:
    pipeline = IngestionPipeline(
        transformations=[StructuralNodeParser(chunk_size=128, root=str(tmp_path)), BagOfWords()]
    )
    nodes = texts(pipeline.run(documents=documents))
    index = VectorStoreIndex(nodes, embed_model=BagOfWords())

    def best(question: str) -> BaseNode:
        return index.as_retriever(similarity_top_k=1).retrieve(question)[0].node

    assert best("what does a voucher take off the invoice").metadata["symbol"] == "Basket.discount"
    assert best("archive of all baskets into a folder").metadata["symbol"] == "export"
    returns = best("send back damaged articles within thirty days")
    assert returns.metadata["section_path"] == "Guide > Returns"
    row = best("city country inhabitants Town42 Country0")
    assert "Town42,Country0,42000" in row.get_content()
    assert row.get_content().startswith("city,country,inhabitants")
    assert row.metadata["element_type"] == "table"


def test_a_pipeline_with_the_mock_embedding_runs_and_answers(documents: list[Document]) -> None:
    pipeline = IngestionPipeline(
        transformations=[StructuralNodeParser(), MockEmbedding(embed_dim=4)]
    )
    nodes = pipeline.run(documents=documents)
    assert all(node.embedding for node in nodes)
    index = VectorStoreIndex(list(nodes), embed_model=MockEmbedding(embed_dim=4))
    assert index.as_retriever(similarity_top_k=3).retrieve("anything")


@pytest.mark.parametrize("text", [ORDERS, ORDERS.replace("\n", "\r\n"), GUIDE, CITIES])
@pytest.mark.parametrize("size", [64, 512])
@pytest.mark.parametrize("path", ["a.py", "a.md", "a.csv", "a.txt", "a.unknown", ""])
def test_positions_are_exact(text: str, size: int, path: str) -> None:
    nodes = parsed(text, path, chunk_size=size)
    end = 0
    for node in nodes:
        if node.metadata["node_type"] == "table_profile":
            continue
        assert node.start_char_idx is not None
        assert node.end_char_idx is not None
        assert not text[end : node.start_char_idx].strip()
        end = node.end_char_idx
        own = text[node.start_char_idx : end]
        assert own in node.text
        assert node.metadata["verbatim"] == (own == node.text)
    assert not text[end:].strip()


def test_equal_texts_have_their_own_positions_and_ids() -> None:
    text = "def f():\n    return 1\n\n\n" * 8
    nodes = parsed(text, chunk_size=16)
    assert len(nodes) > 3
    assert len({node.node_id for node in nodes}) == len(nodes)
    for before, after in pairwise(nodes):
        assert before.end_char_idx is not None
        assert after.start_char_idx is not None
        assert before.end_char_idx <= after.start_char_idx


def test_relationships_are_complete(documents: list[Document]) -> None:
    nodes = texts(StructuralNodeParser(chunk_size=64).get_nodes_from_documents(documents))
    for document in documents:
        own = [
            node
            for node in nodes
            if node.ref_doc_id == document.id_ and node.metadata["node_type"] != "table_profile"
        ]
        assert len(own) > 2
        assert own[0].prev_node is None
        assert own[-1].next_node is None
        for before, after in pairwise(own):
            assert before.next_node == after.as_related_node_info()
            assert after.prev_node == before.as_related_node_info()
        for node in own:
            assert node.source_node is not None
            assert node.source_node.hash == document.hash


def test_neighbours_can_be_left_out() -> None:
    for node in parsed(ORDERS, chunk_size=64, include_prev_next_rel=False):
        assert set(node.relationships) == {NodeRelationship.SOURCE}


def test_the_same_document_twice_makes_two_chains_and_no_id_twice() -> None:
    document = Document(text=ORDERS, id_="one", metadata={"file_path": "orders.py"})
    nodes = texts(StructuralNodeParser(chunk_size=64).get_nodes_from_documents([document] * 2))
    half = len(nodes) // 2
    assert [node.text for node in nodes[:half]] == [node.text for node in nodes[half:]]
    assert nodes[half - 1].next_node is None
    assert nodes[half].prev_node is None
    assert len({node.node_id for node in nodes}) == len(nodes)


def test_ids_are_the_same_in_every_run_and_under_edits_elsewhere() -> None:
    first, again = parsed(ORDERS), parsed(ORDERS)  # the documents' own ids are random
    assert [node.node_id for node in first] == [node.node_id for node in again]
    edited = parsed(ORDERS.replace("import os\n", "import os\nimport sys\n"))
    shared = {node.node_id for node in first} & {node.node_id for node in edited}
    assert len(shared) == len(first) - 1


def test_ids_follow_the_documents_own_id_when_that_is_not_random() -> None:
    parser = StructuralNodeParser()
    one, two = (Document(text=ORDERS, id_=name) for name in ("one", "two"))
    nodes = parser.get_nodes_from_documents([one, two])
    assert len({node.node_id for node in nodes}) == len(nodes)
    again = parser.get_nodes_from_documents([two])
    assert {node.node_id for node in again} < {node.node_id for node in nodes}


def test_ids_are_made_by_the_users_function() -> None:
    nodes = StructuralNodeParser(chunk_size=64, id_func=numbered).get_nodes_from_documents(
        [Document(text=ORDERS, id_="a"), Document(text=GUIDE, id_="b")]
    )
    for name in "ab":
        own = [node.node_id for node in nodes if node.ref_doc_id == name]
        assert own == [f"{name}-{i}" for i in range(len(own))]


def test_metadata_is_flat_and_the_same_for_all_formats(documents: list[Document]) -> None:
    nodes = StructuralNodeParser(chunk_size=64).get_nodes_from_documents(documents)
    own = {key: type(value) for key, value in nodes[0].metadata.items()}
    assert set(own.values()) <= {str, int, bool}
    for node in nodes:
        assert {key: type(value) for key, value in node.metadata.items()} == own


def test_metadata_of_the_loader_is_kept_and_the_document_stays_as_it_is() -> None:
    noted = {"file_path": "a.py", "symbol": "theirs", "context": "theirs", "tags": {"deep": [1]}}
    document = Document(text=ORDERS, metadata=noted, excluded_llm_metadata_keys=["tags"])
    before = copy.deepcopy(document)
    nodes = texts(StructuralNodeParser(chunk_size=128).get_nodes_from_documents([document]))
    for node in nodes:
        assert {key: node.metadata[key] for key in noted} == noted
        assert "tags" in node.excluded_llm_metadata_keys
        assert "context: theirs" in node.get_content(EMBED)
        assert f"structchunk_context: {node.metadata['structchunk_context']}" in node.get_content(
            EMBED
        )
    assert {node.metadata["structchunk_symbol"] for node in nodes} >= {"export"}
    nodes[0].metadata["tags"]["deep"].append(2)
    assert document == before
    assert nodes[1].metadata["tags"] == {"deep": [1]}


def test_metadata_of_the_document_can_be_left_out() -> None:
    document = Document(text=ORDERS, metadata={"file_path": "a.py", "author": "somebody"})
    parser = StructuralNodeParser(chunk_size=128, include_metadata=False)
    for node in parser.get_nodes_from_documents([document]):
        assert "author" not in node.metadata
        assert "file_path" not in node.metadata
        assert node.metadata["chunk_language"] == "python"
        assert "a.py" in node.get_content(EMBED)


def test_the_context_is_embedded_and_not_shown_and_imports_the_other_way() -> None:
    document = Document(
        text=ORDERS,
        metadata={"file_path": "orders.py"},
        excluded_llm_metadata_keys=["file_path"],
    )
    nodes = StructuralNodeParser(chunk_size=64).get_nodes_from_documents([document])
    export = next(node for node in nodes if node.metadata["symbol"] == "export")
    text = export.get_content()
    assert export.get_content(EMBED) == f"context: # orders.py > export\n\n{text}".strip()
    assert export.get_content(LLM) == f"imports: import os\n\n{text}".strip()


@pytest.mark.parametrize("context", ["inline", "none"])
def test_the_context_can_be_inline_or_none(context: str) -> None:
    nodes = parsed(ORDERS, chunk_size=128, context=context, tokenizer="cl100k_base")
    for node in nodes:
        assert node.text.startswith("# shop/orders.py") == (context == "inline")
        assert "context:" not in node.get_content(EMBED)


@pytest.mark.parametrize("text", [ORDERS, GUIDE, CITIES, "wort " * 900])
@pytest.mark.parametrize(
    "settings",
    [
        {"chunk_size": 8},
        {"chunk_size": 33, "chunk_overlap": 10},
        {"chunk_size": 100},
        {"chunk_size": 60, "tokenizer": "characters"},
        {"chunk_size": 300, "length_function": len},
        {"chunk_size": 20, "tokenizer": words},
        {"chunk_size": 90, "context": "inline"},
    ],
)
def test_what_is_embedded_keeps_the_budget(text: str, settings: dict[str, Any]) -> None:
    nodes = parsed(text, "folder/with/a/long/name/document.py", **settings)
    count = settings.get("length_function") or COUNTS[settings.get("tokenizer", "cl100k_base")]
    assert max(count(node.get_content(EMBED)) for node in nodes) <= settings["chunk_size"]
    seen = "".join(text[node.start_char_idx : node.end_char_idx] for node in nodes)
    assert "".join(seen.split()) == "".join(text.split())


def test_metadata_that_the_loader_shows_to_the_embedding_model_counts() -> None:
    summary = "This document belongs to the shop and is embedded with its summary. " * 3
    document = Document(text=ORDERS, metadata={"file_path": "orders.py", "summary": summary})
    nodes = StructuralNodeParser(chunk_size=100).get_nodes_from_documents([document])
    for node in nodes:
        assert summary.strip() in node.get_content(EMBED)
        assert Chunker().count(node.get_content(EMBED)) <= 100
        assert "metadata-over-budget" not in node.metadata["problems"]


def test_metadata_longer_than_the_budget_leaves_a_problem_and_not_an_error() -> None:
    document = Document(text=ORDERS, metadata={"file_path": "orders.py", "summary": "word " * 500})
    nodes = texts(StructuralNodeParser(chunk_size=100).get_nodes_from_documents([document]))
    assert all("metadata-over-budget" in node.metadata["problems"] for node in nodes)
    assert all(Chunker().count(node.text) <= 25 for node in nodes)


def test_where_only_the_path_is_embedded_nodes_are_the_chunks_of_the_core(
    documents: list[Document], tmp_path: Path
) -> None:
    parser = StructuralNodeParser(chunk_size=128, root=str(tmp_path))
    nodes = texts(parser.get_nodes_from_documents(documents))
    plain = [
        each for name in sorted(FILES) for each in chunk(FILES[name], path=name, chunk_size=128)
    ]
    assert sorted((node.node_id, node.text) for node in nodes) == sorted(
        (each.id, each.text) for each in plain
    )


def test_templates_of_the_document_are_kept() -> None:
    document = Document(
        text=ORDERS,
        metadata={"file_path": "a.py"},
        metadata_template="{key}={value}",
        metadata_separator="; ",
        text_template="[{metadata_str}]\n{content}",
    )
    for node in StructuralNodeParser(chunk_size=96).get_nodes_from_documents([document]):
        assert node.get_content(EMBED).startswith("[context=# ")
        assert Chunker().count(node.get_content(EMBED)) <= 96


def test_nodes_can_be_parsed_again() -> None:
    document = Document(text=GUIDE + "\n# Code\n\n" + GUIDE, metadata={"file_path": "guide.md"})
    first = StructuralNodeParser(chunk_size=256, granularity="packed", target_size=256)
    nodes = first.get_nodes_from_documents([document])
    second = texts(StructuralNodeParser(chunk_size=32)(nodes))
    assert len(second) > len(nodes)
    assert len({node.node_id for node in second}) == len(second)
    for before, after in pairwise(second):
        assert before.next_node == after.as_related_node_info()
    for node in second:
        assert node.ref_doc_id == document.id_
        own = document.text[node.start_char_idx : node.end_char_idx]
        assert own in node.text
        assert not [key for key in node.metadata if key.startswith("structchunk_")]
        assert Chunker().count(node.get_content(EMBED)) <= 32
    assert any(node.get_content(EMBED).startswith("context: ") for node in second)


def test_a_node_with_a_place_of_its_own_is_taken_at_its_place() -> None:
    node = TextNode(text=ORDERS, start_char_idx=1000, end_char_idx=1000 + len(ORDERS))
    made = texts(StructuralNodeParser(chunk_size=64, language="python")([node]))
    for each in made:
        assert each.start_char_idx is not None
        assert each.end_char_idx is not None
        assert ORDERS[each.start_char_idx - 1000 : each.end_char_idx - 1000] in each.text
    rendered = TextNode(text=ORDERS, start_char_idx=1000, end_char_idx=1010)
    for each in texts(StructuralNodeParser(language="python")([rendered])):
        assert each.start_char_idx is None  # rather than a wrong one


def test_what_has_no_text_is_left_alone() -> None:
    others: list[BaseNode] = [ImageNode(image="aGk="), IndexNode(text="see", index_id="there")]
    parser = StructuralNodeParser()
    assert parser(others) == others
    assert parser([Document(text=""), Document(text=" \n\t "), Document()]) == []
    assert parser([]) == []


def test_a_fixed_language_decides_and_an_unknown_name_does_not_fail() -> None:
    unknown = parsed("Just prose.", "file.unknown")
    assert {node.metadata["chunk_format"] for node in unknown} == {"text"}
    nodes = parsed(ORDERS, "", language="python", chunk_size=64)
    assert {node.metadata["chunk_language"] for node in nodes} == {"python"}
    assert parsed("a b c", "x.py", format="text")[0].metadata["chunk_format"] == "text"


NO_PATHS: list[Any] = [True, False, 0, 3, b"x", "", [], {}]
NO_FLAGS: list[Any] = [None, 0, 1, 2, "no", "x", []]
NO_MANAGERS: list[Any] = [0, 1, "x", [], CallbackManager]
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"chunk_size": 3}, "chunk_size must be at least 8 tokens, got 3"),
    ({"chunk_size": "many"}, "'many'"),
    ({"target_size": 600}, "600"),
    ({"chunk_overlap": 600}, "600"),
    ({"chunk_overlap": -1}, "-1"),
    ({"granularity": "fine"}, "'definition' or 'packed'"),
    ({"split_level": 7}, "from 1 to 6"),
    ({"context": "above"}, "'above'"),
    ({"tokenizer": "cl200k"}, "cl200k"),
    ({"tokenizer": 7}, "7"),
    ({"tokenizer": characters}, "length_function"),
    ({"tokenizer": "characters", "length_function": len}, "not both"),
    ({"parse_seconds": 0}, "parse_seconds"),
    ({"format": "docx"}, "'docx'"),
    ({"language": ""}, "language"),
    ({"root": 3}, "root"),
    ({"id_func": "uuid"}, "id_func"),
    ({"parse_seconds": "10"}, "parse_seconds"),
    ({"parse_seconds": 10**400}, "parse_seconds"),
    ({"parse_seconds": float("nan")}, "parse_seconds"),
    ({"parse_seconds": float("inf")}, "parse_seconds"),
    ({"chunk_size": -5}, "got -5"),
    ({"chunk_size": True}, "got True"),
    ({"chunk_size": 100.0}, "got 100.0"),
    ({"on_missing_grammar": None}, "on_missing_grammar"),
    ({"strip_boilerplate": 1}, "strip_boilerplate"),
    ({"format": "a/b"}, "'a/b'"),
    ({"language": 3}, "language must be a name such as 'python', or None"),
    ({"tokenizer": int}, "failed on 'two words': ValueError("),
    ({"tokenizer": refusing}, "failed on 'two words': RuntimeError('never')"),
    ({"length_function": 3}, "length_function"),
    ({"id_func": 1}, "id_func must be a function or None, got 1"),
    *(({"root": value}, "root must be the path of a folder") for value in NO_PATHS),
    *(
        ({name: value}, f"{name} must be True or False, got {value!r}")
        for name in ("include_metadata", "include_prev_next_rel")
        for value in NO_FLAGS
    ),
    *(
        ({"callback_manager": value}, f"must be a CallbackManager or None, got {value!r}")
        for value in NO_MANAGERS
    ),
]


@pytest.mark.parametrize(("settings", "told"), WRONG)
def test_wrong_settings_raise_at_once(settings: dict[str, Any], told: str) -> None:
    for make in (StructuralNodeParser, StructuralNodeParser.from_defaults):
        with pytest.raises(ConfigurationError) as caught:
            make(**settings)
        assert told in str(caught.value)


def test_the_root_may_be_a_path(documents: list[Document], tmp_path: Path) -> None:
    one, other = (StructuralNodeParser(root=root) for root in (tmp_path, str(tmp_path)))
    assert one.to_dict() == other.to_dict()
    assert plain(one(documents)) == plain(other(documents))
    assert not [node for node in one(documents) if str(tmp_path) in node.metadata["context"]]


def test_an_address_of_the_web_is_recognised_and_its_queries_are_told_apart() -> None:
    address = "https://host/shop/orders.py"
    plain_ones = parsed(ORDERS, address, chunk_size=64)
    for beyond in ("?raw=1", "#L3", "?raw=1#L3"):
        made = parsed(ORDERS, address + beyond, chunk_size=64)
        assert [node.text for node in made] == [node.text for node in plain_ones]
        assert {node.metadata["chunk_language"] for node in made} == {"python"}
        assert [node.get_content(EMBED) for node in made] == [
            node.get_content(EMBED) for node in plain_ones
        ]
        assert not {node.node_id for node in made} & {node.node_id for node in plain_ones}
        again = parsed(ORDERS, address + beyond, chunk_size=64)
        assert [node.node_id for node in again] == [node.node_id for node in made]


def test_settings_changed_later_are_used() -> None:
    parser = StructuralNodeParser()
    before = Settings._node_parser
    try:
        Settings.node_parser = parser
        Settings.chunk_size = 32
    finally:
        Settings._node_parser = before
    document = Document(text=ORDERS, metadata={"file_path": "a.py"})
    nodes = parser.get_nodes_from_documents([document])
    assert max(Chunker().count(node.get_content(EMBED)) for node in nodes) <= 32
    parser.format = "MD"
    assert parser.format == "markdown"
    parser.root = Path("folder")  # type: ignore[assignment]  # what the constructor takes
    assert parser.root == "folder"


@pytest.mark.parametrize("make", [StructuralNodeParser, StructuralNodeParser.from_defaults])
def test_wrong_settings_raise_at_once_when_they_are_changed(make: Any) -> None:
    parser = make()
    before = parser.to_dict()
    for settings, told in WRONG:
        name = next(iter(settings))
        if len(settings) > 1 or name == "callback_manager":
            continue
        with pytest.raises(ConfigurationError) as caught:
            setattr(parser, name, settings[name])
        assert told in str(caught.value)
    with pytest.raises(ConfigurationError, match="callback_manager"):
        parser.callback_manager = None
    assert parser.to_dict() == before
    with pytest.raises(ConfigurationError, match="target_size must not exceed chunk_size"):
        parser.target_size = 513
    parser.callback_manager = CallbackManager([])
    parser.tokenizer = words
    parser.chunk_size, parser.target_size = 64, 64
    assert parsed_with(parser) == parsed_with(make(tokenizer=words, chunk_size=64, target_size=64))


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"chunk_size": 64, "chunk_overlap": 5, "context": "inline", "granularity": "packed"},
        {"tokenizer": words, "id_func": numbered, "root": "/data", "language": "python"},
        {"length_function": len},
        {"length_function": characters},
    ],
)
def test_settings_survive_serialisation(settings: dict[str, Any]) -> None:
    parser = StructuralNodeParser(**settings)
    data = parser.to_dict()
    assert json.loads(json.dumps(data)) == data
    assert data["class_name"] == StructuralNodeParser.class_name() == "StructuralNodeParser"
    for other in (
        StructuralNodeParser.from_dict(data),
        StructuralNodeParser.from_json(parser.to_json()),
        pickle.loads(pickle.dumps(parser)),  # noqa: S301  # our own bytes
        copy.deepcopy(parser),
    ):
        assert other.to_dict() == data
        for name in StructuralNodeParser.model_fields:
            if name != "callback_manager":
                assert getattr(other, name) == getattr(parser, name)


def word_level(vocabulary: dict[str, int]) -> Tokenizer:
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="?"))  # noqa: S106  # no password
    tokenizer.pre_tokenizer = Whitespace()
    return tokenizer


def test_a_tokenizer_object_is_known_by_its_content_and_has_to_be_passed_again() -> None:
    one, same, other = (word_level(known) for known in ({"?": 0}, {"?": 0}, {"?": 0, "a": 1}))
    parser = StructuralNodeParser(tokenizer=one, chunk_size=20)
    assert parser.to_dict() == StructuralNodeParser(tokenizer=same, chunk_size=20).to_dict()
    assert parser.to_dict() != StructuralNodeParser(tokenizer=other, chunk_size=20).to_dict()
    with pytest.raises(ConfigurationError, match="pass tokenizer= again"):
        StructuralNodeParser.from_dict(parser.to_dict())
    assert StructuralNodeParser.from_dict(parser.to_dict(), tokenizer=one).chunk_size == 20
    copied = pickle.loads(pickle.dumps(parser))  # noqa: S301  # our own bytes
    document = Document(text=ORDERS, metadata={"file_path": "a.py"})
    assert plain(copied([document])) == plain(parser([document]))


def test_the_encode_method_of_an_encoding_is_that_encoding() -> None:
    from structchunk_core.encoding_files import load_encoding

    encoding = load_encoding("cl100k_base")
    text = "# <|endoftext|> is text\n\n" + GUIDE
    expected = parsed(text, "a.md", chunk_size=64)
    for tokenizer in (encoding, encoding.encode, partial(encoding.encode, allowed_special="all")):
        nodes = parsed(text, "a.md", chunk_size=64, tokenizer=tokenizer)
        assert [node.text for node in nodes] == [node.text for node in expected]
        assert StructuralNodeParser(tokenizer=tokenizer).to_dict()["tokenizer"] == "cl100k_base"


def test_a_lambda_cannot_be_pickled_and_says_so_and_stays_in_place() -> None:
    parser = StructuralNodeParser(length_function=lambda text: len(text), chunk_size=200)  # noqa: PLW0108  # as named
    with pytest.raises(pickle.PicklingError, match="length_function"):
        pickle.dumps(parser)
    assert parser.length_function is not None
    data = parser.to_dict()
    assert parser.to_dict() == data
    other = StructuralNodeParser(length_function=lambda text: len(text) * 2, chunk_size=200)
    assert other.to_dict()["length_function"] != data["length_function"]
    with pytest.raises(ConfigurationError, match="pass length_function= again"):
        StructuralNodeParser.from_dict(data)


def test_the_transformation_hash_is_the_same_in_every_process_and_differs_by_setting() -> None:
    code = (
        "from llama_index.core.ingestion.pipeline import get_transformation_hash as h;"
        "from llama_index.core.schema import Document;"
        "from structchunk_llamaindex import StructuralNodeParser as P;"
        "print(h([Document(text='x')], P(chunk_size=64, length_function=len)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    document = [Document(text="x")]
    here = StructuralNodeParser(chunk_size=64, length_function=len)
    assert done.stdout.strip() == get_transformation_hash(document, here)
    variants: list[dict[str, Any]] = [
        {},
        {"chunk_size": 64},
        {"target_size": 100},
        {"tokenizer": "o200k_base"},
        {"tokenizer": "characters"},
        {"granularity": "packed"},
        {"split_level": 2},
        {"context": "none"},
        {"language": "python"},
        {"include_metadata": False},
        {"id_func": numbered},
    ]
    hashes = {get_transformation_hash(document, StructuralNodeParser(**each)) for each in variants}
    assert len(hashes) == len(variants)


def plain(nodes: Sequence[BaseNode]) -> list[tuple[object, ...]]:
    return sorted((node.node_id, node.get_content(), node.hash) for node in nodes)


def test_two_workers_give_the_same_nodes_as_one(documents: list[Document]) -> None:
    parser = StructuralNodeParser(chunk_size=64, tokenizer=words, id_func=None)
    pipeline = IngestionPipeline(transformations=[parser], disable_cache=True)
    alone = pipeline.run(documents=documents)
    assert plain(pipeline.run(documents=documents, num_workers=2)) == plain(alone)


def test_async_gives_the_same_nodes(documents: list[Document]) -> None:
    parser = StructuralNodeParser(chunk_size=64)
    pipeline = IngestionPipeline(transformations=[parser], disable_cache=True)
    expected = plain(parser.get_nodes_from_documents(documents))

    async def all_ways() -> list[Sequence[BaseNode]]:
        return [
            await parser.aget_nodes_from_documents(documents),
            await parser.acall(documents),
            await pipeline.arun(documents=documents),
        ]

    assert [plain(nodes) for nodes in asyncio.run(all_ways())] == [expected] * 3


def test_the_cache_is_hit_and_an_edit_ingests_one_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed_documents: list[str] = []
    original = StructuralNodeParser._nodes_of

    def counting(self: StructuralNodeParser, document: BaseNode, *rest: Any) -> Any:
        parsed_documents.append(document.node_id)
        return original(self, document, *rest)

    monkeypatch.setattr(StructuralNodeParser, "_nodes_of", counting)

    def documents(**changed: str) -> list[Document]:
        named = {"one": ORDERS, "two": GUIDE, **changed}
        return [Document(text=text, id_=name) for name, text in named.items()]

    pipeline = IngestionPipeline(
        transformations=[StructuralNodeParser(chunk_size=64), BagOfWords()],
        vector_store=SimpleVectorStore(),
        docstore=SimpleDocumentStore(),
        docstore_strategy=DocstoreStrategy.UPSERTS,
    )
    assert pipeline.run(documents=documents())
    assert parsed_documents == ["one", "two"]
    assert not pipeline.run(documents=documents())
    changed = pipeline.run(documents=documents(two=GUIDE + "\nMore.\n"))
    assert {node.ref_doc_id for node in changed} == {"two"}
    assert parsed_documents == ["one", "two", "two"]

    pipeline.persist(str(tmp_path))
    fresh = IngestionPipeline(transformations=[StructuralNodeParser(chunk_size=64), BagOfWords()])
    fresh.load(str(tmp_path))
    fresh.docstore = None
    cached = fresh.run(documents=documents())
    assert len(parsed_documents) == 3
    assert plain(cached) == plain(StructuralNodeParser(chunk_size=64)(documents()))


def test_callbacks_are_told_of_parsing_once_and_of_chunking_per_document(
    documents: list[Document],
) -> None:
    handler = LlamaDebugHandler(print_trace_on_end=False)
    parser = StructuralNodeParser(callback_manager=CallbackManager([handler]))
    parser.get_nodes_from_documents(documents)
    assert len(handler.get_event_pairs(CBEventType.NODE_PARSING)) == 1
    assert len(handler.get_event_pairs(CBEventType.CHUNKING)) == len(documents)


def test_without_the_framework_the_import_names_the_extra() -> None:
    code = (
        "import sys; sys.modules['llama_index'] = None\n"
        "try:\n    import structchunk_llamaindex\n"
        "except ImportError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'structchunk-parsers[llamaindex]'" in done.stdout
