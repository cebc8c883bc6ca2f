"""Chunks of all formats in real vector stores, through both frameworks, and back."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import chromadb
import chromadb.config
import pytest
from chromadb.api import ClientAPI
from langchain_chroma import Chroma
from langchain_community.vectorstores import LanceDB
from langchain_core.documents import Document
from langchain_core.indexing import InMemoryRecordManager, index
from langchain_core.vectorstores import InMemoryVectorStore, VectorStore
from langchain_qdrant import QdrantVectorStore
from llama_index.core import StorageContext, VectorStoreIndex
from llama_index.core.schema import BaseNode, MetadataMode
from llama_index.core.schema import Document as LlamaDocument
from llama_index.core.vector_stores import MetadataFilter, MetadataFilters, SimpleVectorStore
from llama_index.core.vector_stores.types import BasePydanticVectorStore
from llama_index.vector_stores.chroma import ChromaVectorStore
from llama_index.vector_stores.lancedb import LanceDBVectorStore
from llama_index.vector_stores.qdrant import QdrantVectorStore as LlamaQdrant
from qdrant_client import QdrantClient, models

from structchunk_langchain import StructuralTextSplitter, uuid5_key
from structchunk_llamaindex import StructuralNodeParser
from tests.bag_of_words import SIZE
from tests.bag_of_words_langchain import BagOfWords
from tests.bag_of_words_llamaindex import BagOfWords as LlamaBagOfWords
from tests.corpus import FILES, GUIDE
from tests.test_llamaindex_texts import CASES, parsed, two_texts

ALL = 200  # more than there are chunks
STORES = ["memory", "chroma", "qdrant", "lancedb"]
OF_EACH_FORMAT = FILES | {
    "web/page.html": "<h1>Parcels</h1><p>Weighed here.</p><table><tr><th>kg</th><th>price</th></tr>"
    "<tr><td>2</td><td>9.90</td></tr></table>",
    "web/Shop.vue": "<template><p>{{ total }}</p></template>\n"
    "<script>\nexport function total() { return 1; }\n</script>\n",
    "web/cart.ts": "export class Cart {\n  // Adds one.\n  add(item: string): void {}\n}\n",
    "docs/index.rst": "Boxes\n=====\n\nAll of them.\n\n.. code-block:: python\n\n   pack()\n",
    "notes.txt": "Some notes.\n\n1. One\n2. Two\n",
    "prices.json": '[{"kg": 2, "price": 9.9}, {"kg": 5, "price": 12.5}]\n',
    "settings.yaml": "carrier:\n  name: fast\n",
    "shop.toml": "[shop]\nname = 'Boxes'\n",
    "stock.xml": "<stock><box id='1'>small</box></stock>\n",
    "run.ipynb": json.dumps(
        {
            "cells": [
                {"cell_type": "markdown", "metadata": {}, "source": "# Run\n\nIt."},
                {"cell_type": "code", "metadata": {}, "source": "def go():\n    return 1",
                 "outputs": [], "execution_count": None},
            ],
            "metadata": {"language_info": {"name": "python"}},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
    ),
}  # fmt: skip
FILTERS = [
    ("element_type", "table"),
    ("element_type", "procedure"),
    ("chunk_language", "python"),
    ("chunk_language", "typescript"),
    ("symbol", "Basket.discount"),
    ("section_path", "Guide > Returns"),
]


class Held(NamedTuple):
    """What a store holds, or should."""

    id: str
    text: str
    metadata: dict[str, Any]


class Store(NamedTuple):
    """A store behind a framework: adding documents given by name, finding by metadata."""

    add: Callable[[dict[str, str]], list[Held]]
    find: Callable[[str, str, str], list[Held]]


def test_the_corpus_has_all_formats() -> None:
    chunks = _langchain_chunks(OF_EACH_FORMAT)
    formats = {chunk.metadata["chunk_format"] for chunk in chunks}
    assert formats == {
        "code", "markdown", "html", "rst", "delimited", "records", "notebook", "text",
    }  # fmt: skip


@pytest.mark.parametrize("framework", ["langchain", "llamaindex"])
@pytest.mark.parametrize("name", STORES)
def test_chunks_of_all_formats_come_back_as_they_went_in(
    framework: str, name: str, tmp_path: Path
) -> None:
    made = _langchain_store if framework == "langchain" else _llama_store
    store = made(name, tmp_path)
    held: list[Held] = []
    for source, text in OF_EACH_FORMAT.items():  # each format may be the first that a store sees
        held += store.add({source: text})
    assert len({one.id for one in held}) == len(held) > 20
    by_id = {one.id: one for one in held}
    for key, value in FILTERS:
        expected = {one.id for one in held if one.metadata[key] == value}
        assert expected
        found = store.find("parcel price", key, value)
        assert {one.id for one in found} == expected
        for one in found:
            assert one.text == by_id[one.id].text
            assert one.metadata == by_id[one.id].metadata
            assert {k: type(v) for k, v in one.metadata.items()} == {
                k: type(v) for k, v in by_id[one.id].metadata.items()
            }


@pytest.mark.parametrize("name", STORES)
def test_adding_again_replaces_what_a_store_holds(name: str, tmp_path: Path) -> None:
    store = _langchain_store(name, tmp_path)
    for _ in range(2):
        held = store.add(FILES)
    found = store.find("city", "element_type", "table")
    expected = [one.id for one in held if one.metadata["element_type"] == "table"]
    # The LangChain integration of LanceDB looks at no ids: there, index() keeps the books.
    times = 2 if name == "lancedb" else 1
    assert sorted(one.id for one in found) == sorted(expected * times)


@pytest.mark.parametrize("name", ["memory", "chroma", "qdrant"])
def test_an_edit_replaces_the_chunks_it_touches_in_a_real_store(name: str, tmp_path: Path) -> None:
    store = _langchain_vectors(name, tmp_path)
    records = InMemoryRecordManager(name)
    done = []
    for guide in (GUIDE, GUIDE, GUIDE.replace("thirty days", "forty days")):
        chunks = _langchain_chunks(FILES | {"guide.md": guide})
        done.append(
            index(
                chunks,
                records,
                store,
                cleanup="incremental",
                source_id_key="source",
                key_encoder=uuid5_key,
            )
        )
    counts = [(each["num_added"], each["num_skipped"], each["num_deleted"]) for each in done]
    count = len(chunks)
    assert counts == [(count, 0, 0), (0, count, 0), (1, count - 1, 1)]
    found = store.similarity_search("send back damaged articles within days", k=ALL)
    texts = sorted(document.page_content for document in found)
    assert texts == sorted(chunk.page_content for chunk in chunks)


# ------------------------------------------------------------------------------------- LangChain


@pytest.mark.parametrize("name", STORES)
def test_stores_of_llamaindex_keep_what_is_shown_and_find_it_by_what_is_indexed(
    name: str, tmp_path: Path
) -> None:
    storage = StorageContext.from_defaults(vector_store=_llama_vectors(name, tmp_path))
    for case in CASES:
        nodes = parsed(case)
        index = VectorStoreIndex(nodes, storage_context=storage, embed_model=LlamaBagOfWords())
        asked = two_texts(nodes)[-1]
        retriever = index.as_retriever(similarity_top_k=3)
        (found, *_) = retriever.retrieve(asked.get_content(MetadataMode.EMBED))
        assert found.node.node_id == asked.node_id
        assert found.node.get_content() == asked.text
        for mode in (MetadataMode.EMBED, MetadataMode.LLM):
            assert found.node.get_content(mode) == asked.get_content(mode)


def _langchain_chunks(texts: dict[str, str]) -> list[Document]:
    splitter = StructuralTextSplitter(chunk_size=300, add_ids=True)
    return splitter.split_documents(
        Document(text, metadata={"source": source}) for source, text in texts.items()
    )


def _langchain_store(name: str, folder: Path) -> Store:
    store = _langchain_vectors(name, folder)

    def add(texts: dict[str, str]) -> list[Held]:
        chunks = _langchain_chunks(texts)
        store.add_documents(chunks)
        return _held(chunks)

    def find(query: str, key: str, value: str) -> list[Held]:
        settings: dict[str, Any] = {"filter": _langchain_filter(name, key, value)}
        if name == "lancedb":
            settings["prefilter"] = True
        found = store.similarity_search(query, k=ALL, **settings)
        if name == "lancedb":
            _give_back_ids(store, found)
        if name == "qdrant":  # which hands ids and collection out as metadata
            for one in found:
                one.id = one.metadata.pop("_id")
                del one.metadata["_collection_name"]
        return _held(found)

    return Store(add, find)


def _held(documents: Sequence[Document]) -> list[Held]:
    return [Held(each.id or "", each.page_content, each.metadata) for each in documents]


def _langchain_vectors(name: str, folder: Path) -> VectorStore:
    embedding = BagOfWords()
    if name == "chroma":
        return Chroma("chunks", embedding, client=_chroma(folder))
    if name == "qdrant":
        client = QdrantClient(path=str(folder))
        size = models.VectorParams(size=SIZE, distance=models.Distance.COSINE)
        client.create_collection("chunks", vectors_config=size)
        return QdrantVectorStore(client, "chunks", embedding)
    if name == "lancedb":
        return LanceDB(uri=str(folder), embedding=embedding, mode="append")
    return InMemoryVectorStore(embedding)


def _chroma(folder: Path) -> ClientAPI:
    settings = chromadb.config.Settings(anonymized_telemetry=False)
    return chromadb.PersistentClient(str(folder), settings=settings)


def _langchain_filter(name: str, key: str, value: str) -> Any:
    if name == "chroma":
        return {key: value}
    if name == "qdrant":
        match = models.MatchValue(value=value)
        return models.Filter(must=[models.FieldCondition(key=f"metadata.{key}", match=match)])
    if name == "lancedb":
        return {f"metadata.{key}": value}
    return lambda document: document.metadata[key] == value


def _give_back_ids(store: Any, found: Sequence[Document]) -> None:
    """Set the ids of documents by their metadata: LanceDB's integration does not hand them out."""
    rows = store.get_table().to_arrow().to_pylist()
    ids = {json.dumps(row["metadata"], sort_keys=True): row["id"] for row in rows}
    for one in found:
        one.id = ids[json.dumps(one.metadata, sort_keys=True)]


# ------------------------------------------------------------------------------------ LlamaIndex


def _llama_store(name: str, folder: Path) -> Store:
    storage = StorageContext.from_defaults(vector_store=_llama_vectors(name, folder))
    indexed = VectorStoreIndex([], storage_context=storage, embed_model=LlamaBagOfWords())
    parser = StructuralNodeParser(chunk_size=128)

    def add(texts: dict[str, str]) -> list[Held]:
        documents = [
            LlamaDocument(text=text, id_=source, metadata={"file_path": source})
            for source, text in texts.items()
        ]
        nodes = parser.get_nodes_from_documents(documents)
        indexed.insert_nodes(nodes)
        return _held_nodes(nodes)

    def find(query: str, key: str, value: str) -> list[Held]:
        filters = MetadataFilters(filters=[MetadataFilter(key=key, value=value)])
        retriever = indexed.as_retriever(similarity_top_k=ALL, filters=filters)
        return _held_nodes([found.node for found in retriever.retrieve(query)])

    return Store(add, find)


def _held_nodes(nodes: Sequence[BaseNode]) -> list[Held]:
    return [Held(node.node_id, node.get_content(), node.metadata) for node in nodes]


def _llama_vectors(name: str, folder: Path) -> BasePydanticVectorStore:
    if name == "chroma":
        return ChromaVectorStore(_chroma(folder).get_or_create_collection("chunks"))
    if name == "qdrant":
        return LlamaQdrant("chunks", client=QdrantClient(path=str(folder)))
    if name == "lancedb":
        return LanceDBVectorStore(uri=str(folder), mode="create")
    return SimpleVectorStore()
