"""The LlamaIndex adapter: nodes, their places, relationships, ids, metadata and budget."""

from __future__ import annotations

import copy
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from llama_index.core import VectorStoreIndex
from llama_index.core.embeddings import MockEmbedding
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.schema import (
    BaseNode,
    Document,
    ImageNode,
    IndexNode,
    NodeRelationship,
    TextNode,
)

from structchunk_core import Chunker, chunk
from structchunk_llamaindex import StructuralNodeParser
from tests.bag_of_words_llamaindex import BagOfWords
from tests.corpus import CITIES, FILES, GUIDE, ORDERS
from tests.llamaindex_nodes import EMBED, LLM, documents_in, numbered, parsed, texts, words

COUNTS: dict[object, Callable[[str], int]] = {
    "cl100k_base": Chunker().count,
    "characters": len,
    words: lambda text: len(words(text)),
}


@pytest.fixture
def documents(tmp_path: Path) -> list[Document]:
    return documents_in(tmp_path)


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


@pytest.mark.parametrize("path", ["guide.md", "shop/orders.py"])
@pytest.mark.parametrize("as_document", [False, True])
def test_a_node_is_parsed_again_without_the_context_in_front_of_it(
    path: str, as_document: bool
) -> None:
    document = Document(text=FILES[path], metadata={"file_path": path})
    parser = StructuralNodeParser(chunk_size=128, context="inline")
    found: list[BaseNode] = []
    for node in texts(parser([document])):
        assert node.text.startswith(node.metadata["context"])
        stored: TextNode | Document = TextNode.from_json(node.to_json())
        if as_document:
            stored = Document(text=node.text, metadata=node.metadata)
        again = texts(StructuralNodeParser(chunk_size=48, context="inline")([stored]))
        source = stored.text if as_document else document.text
        for one in again:
            context = one.metadata["context"]
            assert one.text.startswith(context)
            assert not one.text[len(context) :].lstrip().startswith(node.metadata["context"])
            slice_ = source[one.start_char_idx : one.end_char_idx]
            assert slice_ in one.text
            assert Chunker().count(one.get_content(EMBED)) <= 48
        found += again
    slices = "".join(
        "".join(document.text[one.start_char_idx : one.end_char_idx].split())
        for one in texts(found)
    )
    if not as_document:
        assert slices == "".join(document.text.split())


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.html", "# Title\n\nWords of a page.", "markdown"),
        ("a.html", "Words of a page.", "text"),
        ("a.ipynb", "# In[1]:\n\nimport os\n", "markdown"),
        ("a.json", "A value of the file.", "text"),
        ("a.html", "<p>Words of a page.</p>", "html"),
    ],
)
def test_what_a_reader_has_made_of_a_file_is_cut_as_what_it_is(
    path: str, text: str, expected: str
) -> None:
    for node in parsed(text, path):
        assert node.metadata["chunk_format"] == expected
        assert not node.metadata["problems"]
        again = texts(StructuralNodeParser()([TextNode.from_json(node.to_json())]))
        assert [one.text.strip() for one in again] == [node.text.strip()]
    assert parsed(text, path, format="text")[0].metadata["chunk_format"] == "text"


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
