"""Small to big, entries that lead to nodes, and sentences of a model, in LlamaIndex."""

from __future__ import annotations

import asyncio
import copy
import json
import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from llama_index.core import SimpleDirectoryReader, StorageContext, VectorStoreIndex
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.ingestion.pipeline import get_transformation_hash
from llama_index.core.llms import MockLLM
from llama_index.core.node_parser import get_deeper_nodes, get_leaf_nodes, get_root_nodes
from llama_index.core.retrievers import AutoMergingRetriever, RecursiveRetriever
from llama_index.core.schema import BaseNode, Document, IndexNode, MetadataMode, TextNode
from llama_index.core.storage.docstore import SimpleDocumentStore

from structchunk_core import Chunker, ConfigurationError, Contextualizer
from structchunk_llamaindex import (
    StructuralHierarchicalNodeParser,
    StructuralNodeParser,
    asking,
    nodes_and_objects,
    numbered_id,
)
from structchunk_llamaindex.nodes import related
from tests.bag_of_words_llamaindex import BagOfWords
from tests.corpus import CITIES, GUIDE, ORDERS, write

EMBED, LLM = MetadataMode.EMBED, MetadataMode.LLM


def texts(nodes: Sequence[BaseNode]) -> list[TextNode]:
    assert all(isinstance(node, TextNode) for node in nodes)
    return [node for node in nodes if isinstance(node, TextNode)]


def orders() -> Document:
    return Document(text=ORDERS, id_="orders", metadata={"file_path": "shop/orders.py"})


@pytest.fixture
def documents(tmp_path: Path) -> list[Document]:
    return SimpleDirectoryReader(str(write(tmp_path)), recursive=True).load_data()


def test_the_hierarchy_is_complete_both_ways(documents: list[Document]) -> None:
    parser = StructuralHierarchicalNodeParser(chunk_size=64, parent_size=2000)
    nodes = texts(parser.get_nodes_from_documents(documents))
    by_id = {node.node_id: node for node in nodes}
    assert len(by_id) == len(nodes)
    named = 0
    for number, node in enumerate(nodes):
        for child in node.child_nodes or []:
            below = by_id[child.node_id]
            assert below.parent_node == related(node)
            assert child == related(below)
            assert nodes.index(below) > number
            assert below.start_char_idx is not None
            assert node.start_char_idx is not None
            assert node.end_char_idx is not None
            assert node.start_char_idx <= below.start_char_idx < node.end_char_idx
            named += 1
        if node.parent_node is not None:
            above = by_id[node.parent_node.node_id]
            assert related(node) in (above.child_nodes or [])
    assert named == len(nodes) - len(get_root_nodes(list(nodes)))
    for document in documents:
        roots = [n for n in get_root_nodes(list(nodes)) if n.ref_doc_id == document.id_]
        assert [root.get_content() for root in roots] == [document.text.rstrip()]


def test_leaves_are_the_nodes_of_the_flat_parser(documents: list[Document]) -> None:
    flat = texts(StructuralNodeParser(chunk_size=64).get_nodes_from_documents(documents))
    nodes = StructuralHierarchicalNodeParser(64).get_nodes_from_documents(documents)
    leaves = texts(get_leaf_nodes(nodes))
    assert [(n.node_id, n.text, n.hash, n.prev_node, n.next_node) for n in leaves] == [
        (n.node_id, n.text, n.hash, n.prev_node, n.next_node) for n in flat
    ]


def test_levels_go_from_the_file_to_the_class_to_the_method() -> None:
    nodes = StructuralHierarchicalNodeParser(64, parent_size=1000)([orders()])
    levels = [
        [
            (node.metadata["node_type"], node.metadata["symbol"])
            for node in get_deeper_nodes(nodes, depth)
        ]
        for depth in range(3)
    ]
    assert levels[0] == [("module", "")]
    assert ("class_definition", "Basket") in levels[1]
    assert ("function_definition", "export") in levels[1]
    assert ("function_definition", "Basket.shipping") in levels[2]


def merging(documents: Sequence[Document], top: int) -> AutoMergingRetriever:
    parser = StructuralHierarchicalNodeParser(chunk_size=64, parent_size=1000)
    nodes = parser.get_nodes_from_documents(documents)
    docstore = SimpleDocumentStore()
    docstore.add_documents(nodes)
    storage = StorageContext.from_defaults(docstore=docstore)
    index = VectorStoreIndex(
        get_leaf_nodes(nodes), storage_context=storage, embed_model=BagOfWords()
    )
    retriever: Any = index.as_retriever(similarity_top_k=top)
    return AutoMergingRetriever(retriever, storage)


def test_auto_merging_reads_the_class_when_most_of_it_is_found() -> None:
    question = "basket discount shipping voucher parcel customer lines init"
    found = merging([orders()], 4).retrieve(question)
    basket = next(one.node for one in found if one.node.metadata["symbol"] == "Basket")
    assert basket.get_content() == ORDERS[ORDERS.index("class Basket") : ORDERS.index("\n\n\ndef")]
    one = merging([orders()], 1).retrieve("what does a voucher take off the invoice")
    assert [hit.node.metadata["symbol"] for hit in one] == ["Basket.discount"]


def test_auto_merging_fills_in_the_neighbour_between() -> None:
    sections = "".join(
        f"## Part {n}\n\n{word} {word} {word}. {'Filling words. ' * 12}\n\n"
        for n, word in enumerate(("parcel", "nothing", "parcel", "other", "last"))
    )
    document = Document(text="# Guide\n\n" + sections, metadata={"file_path": "guide.md"})
    found = merging([document], 2).retrieve("parcel")
    assert any("nothing nothing" in hit.node.get_content() for hit in found)


def test_a_retrieved_method_leads_to_its_class() -> None:
    parser = StructuralHierarchicalNodeParser(chunk_size=64)
    nodes = {node.node_id: node for node in parser([orders()])}
    leaves = get_leaf_nodes(list(nodes.values()))
    index = VectorStoreIndex(leaves, embed_model=BagOfWords())
    hit = index.as_retriever(similarity_top_k=1).retrieve("price of shipping the parcel")[0].node
    assert hit.metadata["symbol"] == "Basket.shipping"
    assert hit.parent_node is not None
    above = nodes[hit.parent_node.node_id]
    assert above.metadata["signature"] == "class Basket:"
    assert hit.get_content() in above.get_content()


def test_the_hierarchical_parser_survives_serialisation_and_a_pipeline(
    documents: list[Document],
) -> None:
    parser = StructuralHierarchicalNodeParser(chunk_size=64, parent_size=300, context="inline")
    data = parser.to_dict()
    assert json.loads(json.dumps(data)) == data
    assert data["class_name"] == "StructuralHierarchicalNodeParser"
    for other in (
        StructuralHierarchicalNodeParser.from_dict(data),
        pickle.loads(pickle.dumps(parser)),  # noqa: S301  # our own bytes
        copy.deepcopy(parser),
    ):
        assert other.to_dict() == data
    hashes = {
        get_transformation_hash(list(documents), each)
        for each in (
            parser,
            StructuralNodeParser(chunk_size=64, context="inline"),
            StructuralHierarchicalNodeParser(chunk_size=64, parent_size=301, context="inline"),
        )
    }
    assert len(hashes) == 3
    pipeline = IngestionPipeline(transformations=[parser, BagOfWords()])
    first = pipeline.run(documents=documents)
    again = pipeline.run(documents=documents)  # out of the cache
    assert [(n.node_id, n.relationships) for n in again] == [
        (n.node_id, n.relationships) for n in first
    ]


@pytest.mark.parametrize("wrong", [0, 63, "many", True])
def test_a_wrong_parent_size_raises_at_once(wrong: Any) -> None:
    with pytest.raises(ConfigurationError, match="parent_size"):
        StructuralHierarchicalNodeParser(chunk_size=64, parent_size=wrong)
    parser = StructuralHierarchicalNodeParser(chunk_size=64)
    with pytest.raises(ConfigurationError, match="parent_size"):
        parser.parent_size = wrong
    with pytest.raises(TypeError):
        StructuralNodeParser(parent_size=100)


def entries_of(nodes: Sequence[BaseNode]) -> list[IndexNode]:
    return [node for node in nodes if isinstance(node, IndexNode)]


def test_entries_are_index_nodes_that_lead_to_their_node() -> None:
    plain = texts(StructuralNodeParser(chunk_size=64)([orders()]))
    nodes = StructuralNodeParser(chunk_size=64, outline="all")([orders()])
    entries = entries_of(nodes)
    own = texts([node for node in nodes if not isinstance(node, IndexNode)])
    assert [(n.node_id, n.text, n.hash, n.next_node) for n in own] == [
        (n.node_id, n.text, n.hash, n.next_node) for n in plain
    ]
    by_id = {node.node_id: node for node in own}
    assert {entry.metadata["symbol"] for entry in entries} >= {"Basket", "export"}
    assert len({node.node_id for node in nodes}) == len(nodes)
    for entry in entries:
        led = by_id[entry.index_id]
        assert entry.metadata.keys() == led.metadata.keys()
        assert entry.metadata["node_type"] == "outline"
        assert entry.metadata["symbol"].startswith(led.metadata["symbol"])
        assert entry.get_content(EMBED) == entry.get_content(LLM) == entry.text
        assert Chunker().count(entry.text) <= 64
        assert entry.ref_doc_id == "orders"
        assert entry.parent_node is entry.next_node is entry.prev_node is None
        assert entry.start_char_idx is None
        assert IndexNode.from_dict(entry.to_dict()) == entry


def test_ids_of_entries_come_after_those_of_nodes() -> None:
    nodes = StructuralNodeParser(chunk_size=64, outline="all", id_func=numbered_id)([orders()])
    assert [node.node_id for node in nodes] == [f"orders-{i}" for i in range(len(nodes))]
    assert {entry.index_id for entry in entries_of(nodes)} < {node.node_id for node in nodes}


def test_a_recursive_retriever_goes_from_the_entry_to_the_definition() -> None:
    nodes = StructuralNodeParser(chunk_size=64, outline="all")([orders()])
    index = VectorStoreIndex(nodes, embed_model=BagOfWords())
    question = "shop orders py export def export folder str"
    root = index.as_retriever(similarity_top_k=1)
    assert isinstance(root.retrieve(question)[0].node, IndexNode)
    retriever = RecursiveRetriever(
        "root", retriever_dict={"root": root}, node_dict={n.node_id: n for n in nodes}
    )
    found = retriever.retrieve(question)
    assert [hit.node.get_content() for hit in found] == [
        ORDERS[ORDERS.index("def export") :].strip()
    ]


def test_objects_of_an_index_are_resolved_and_found_once() -> None:
    nodes, entries = nodes_and_objects(
        StructuralNodeParser(chunk_size=64, outline="all")([orders()])
    )
    assert entries
    assert not entries_of(nodes)
    index = VectorStoreIndex(nodes=nodes, objects=entries, embed_model=BagOfWords())
    found = index.as_retriever(similarity_top_k=3).retrieve("export folder archive")
    assert found[0].node.metadata["symbol"] == "export"
    assert not entries_of([hit.node for hit in found])
    assert len({hit.node.node_id for hit in found}) == len(found)
    assert nodes_and_objects(entries) == ([], [])


def test_a_profile_is_the_parent_of_the_parts_of_its_table() -> None:
    document = Document(text=CITIES, metadata={"file_path": "cities.csv"})
    nodes = StructuralNodeParser(chunk_size=128, table_rows="linked")([document])
    *parts, profile = [node for node in nodes if not isinstance(node, IndexNode)]
    assert len(parts) > 2
    assert [child.node_id for child in profile.child_nodes or []] == [n.node_id for n in parts]
    assert {part.parent_node.node_id for part in parts if part.parent_node} == {profile.node_id}
    assert profile.next_node is profile.prev_node is None
    assert parts[0].prev_node is None
    assert parts[0].next_node == parts[1].as_related_node_info()
    entries = entries_of(nodes)
    assert len(entries) == CITIES.count("\n") - 1
    assert [*dict.fromkeys(entry.index_id for entry in entries)] == [n.node_id for n in parts]
    assert {entry.metadata["node_type"] for entry in entries} == {"row"}
    by_id = {part.node_id: part for part in parts}
    for entry in entries:
        assert entry.text.split("\n")[-1] in by_id[entry.index_id].get_content()
        assert CITIES.split("\n")[0] in entry.text


def test_a_row_leads_to_its_row_group_in_retrievers_and_objects_of_an_index() -> None:
    document = Document(text=CITIES, metadata={"file_path": "cities.csv"})
    nodes = StructuralNodeParser(chunk_size=128, table_rows="linked")([document])
    header, *rows = CITIES.strip().split("\n")
    row = rows[41]
    by_id = {node.node_id: node for node in nodes}
    root = VectorStoreIndex(nodes, embed_model=BagOfWords()).as_retriever(similarity_top_k=1)
    (direct,) = root.retrieve(row)
    assert isinstance(direct.node, IndexNode)
    assert direct.node.text.endswith(row)
    recursive = RecursiveRetriever("root", retriever_dict={"root": root}, node_dict=by_id)
    others, entries = nodes_and_objects(nodes)
    objects = VectorStoreIndex(nodes=others, objects=entries, embed_model=BagOfWords())
    for retriever in (recursive, objects.as_retriever(similarity_top_k=1)):
        (found,) = retriever.retrieve(row)
        group = found.node.get_content().split("\n")
        assert group[0] == header
        assert row in group
        assert len(group) > 2


def test_a_profile_is_found_by_a_short_form_and_shown_whole() -> None:
    document = Document(text=CITIES, metadata={"file_path": "cities.csv"})
    nodes = StructuralNodeParser(chunk_size=128)([document])
    profile = nodes[-1]
    assert profile.metadata["derived"] is True
    embedded, shown = profile.get_content(EMBED), profile.get_content(LLM)
    assert Chunker().count(embedded) <= 128
    assert "mean" not in embedded
    assert "mean" in shown
    assert {node.metadata.keys() == profile.metadata.keys() for node in nodes} == {True}
    assert all(node.metadata["shown_text"] == "" for node in nodes[:-1])
    assert all("shown_text" not in node.get_content(LLM) for node in nodes[:-1])
    without = StructuralNodeParser(chunk_size=128, table_profile=False)([document])
    assert [node.node_id for node in without] == [node.node_id for node in nodes[:-1]]


def sentence_of(prompt: str) -> str:
    return "It belongs to the shop."


class Answering(MockLLM):
    """Says what it is asked about, shortly."""

    def __init__(self) -> None:
        super().__init__(max_tokens=None)

    @classmethod
    def class_name(cls) -> str:
        return "Answering"

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        answer = super().complete("About the shop.", formatted=formatted, **kwargs)
        assert "<piece>" in prompt
        return answer


class Refusing(MockLLM):
    def __init__(self) -> None:
        super().__init__(max_tokens=None)

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        raise ConnectionError(f"no model for {prompt!r}, {formatted}, {kwargs}")


def test_an_llm_says_a_sentence_that_is_embedded_and_not_shown() -> None:
    parser = StructuralNodeParser(chunk_size=128, contextualizer=Answering())
    for node in parser([orders()]):
        assert node.get_content(EMBED).startswith("context: # shop/orders.py")
        assert "\n# About the shop.\n" in node.get_content(EMBED)
        assert "About the shop" not in node.get_content(LLM)
        assert Chunker().count(node.get_content(EMBED)) <= 128
    assert [node.get_content() for node in parser([orders()])] == [
        node.get_content() for node in StructuralNodeParser(chunk_size=112)([orders()])
    ]


def test_the_mock_llm_echoes_and_what_is_too_long_is_shortened() -> None:
    parser = StructuralNodeParser(chunk_size=128, contextualizer=MockLLM())
    nodes = parser([orders()])
    assert nodes
    for node in nodes:
        assert "A search index holds" in node.metadata["context"]
        assert Chunker().count(node.get_content(EMBED)) <= 128


def test_an_llm_that_fails_leaves_nodes_with_a_problem() -> None:
    parser = StructuralNodeParser(contextualizer=asking(Refusing(), retries=0))
    nodes = parser([orders()])
    plain = StructuralNodeParser(chunk_size=512)([orders()])
    assert {node.metadata["problems"] for node in nodes} == {"no-context-sentence"}
    assert [node.get_content(EMBED) for node in nodes] == [
        node.get_content(EMBED) for node in plain
    ]


def test_an_llm_is_asked_once_for_each_node_in_all_runs(tmp_path: Path) -> None:
    asked: list[str] = []

    def model(prompt: str) -> str:
        asked.append(prompt)
        return "About the shop."

    cache = tmp_path / "answers.sqlite"
    parser = StructuralNodeParser(64, contextualizer=Contextualizer(model, cache=cache))
    nodes = parser([orders()])
    assert len(asked) == len(nodes)
    parser([orders()])
    StructuralNodeParser(64, contextualizer=Contextualizer(model, cache=cache))([orders()])
    assert len(asked) == len(nodes)


def test_a_contextualizer_is_named_and_has_to_be_passed_again() -> None:
    parser = StructuralNodeParser(contextualizer=Answering())
    data = parser.to_dict()
    assert json.loads(json.dumps(data)) == data
    assert data == StructuralNodeParser(contextualizer=Answering()).to_dict()
    other = StructuralNodeParser(contextualizer=MockLLM()).to_dict()
    assert data["contextualizer"] != other["contextualizer"]
    assert data["fingerprint"] != StructuralNodeParser().to_dict()["fingerprint"]
    with pytest.raises(ConfigurationError, match="pass contextualizer= again"):
        StructuralNodeParser.from_dict(data)
    assert StructuralNodeParser.from_dict(data, contextualizer=Answering()).to_dict() == data
    copied = pickle.loads(pickle.dumps(parser))  # noqa: S301  # our own bytes
    assert copied.to_dict() == data
    assert [n.hash for n in copied([orders()])] == [n.hash for n in parser([orders()])]
    named = StructuralNodeParser(contextualizer=Contextualizer(sentence_of))
    assert pickle.loads(pickle.dumps(named)).to_dict() == named.to_dict()  # noqa: S301  # ours
    unnamed = StructuralNodeParser(contextualizer=Contextualizer(lambda prompt: prompt))
    with pytest.raises(pickle.PicklingError, match="contextualizer cannot be pickled"):
        pickle.dumps(unnamed)
    with pytest.raises(ConfigurationError, match="contextualizer"):
        parser.contextualizer = 3


def test_an_llm_works_in_async_pipelines_and_hierarchies() -> None:
    parser = StructuralHierarchicalNodeParser(64, contextualizer=Answering())
    document = Document(text=GUIDE, metadata={"file_path": "guide.md"})
    nodes = parser([document])
    again = asyncio.run(parser.acall([document]))
    assert [node.hash for node in again] == [node.hash for node in nodes]
    for node in nodes:
        assert ("About the shop." in node.metadata["context"]) == (node.child_nodes is None)
