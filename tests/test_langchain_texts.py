"""LangChain documents of chunks that are embedded as another text than they show."""

from __future__ import annotations

import json
from typing import Any

import pytest
from langchain_classic.retrievers import MultiVectorRetriever
from langchain_core.documents import Document
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore

from structchunk_core import Chunk, Chunker, Description, Source
from structchunk_core.chunker import ContextMode
from structchunk_langchain import StructuralTextSplitter
from tests.bag_of_words_langchain import BagOfWords
from tests.corpus import CITIES

SHELVES = json.dumps(
    {"store": {f"shelf{n}": {"holds": f"Paint number {n}", "rows": n} for n in range(40)}}, indent=2
)
FARES = "# Fares\n\n| To | Fare |\n|---|---|\n" + "".join(f"| Port {n} | {n} |\n" for n in range(9))
PROSE = "What the ferry to each of nine ports costs, from 0 to 8."
SIZE = 450


def described(chunk: Chunk, source: Source) -> Description | str:
    assert source.text
    return Description(PROSE) if chunk.element_type == "table" else "Something else."


CASES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "records": ("a.json", SHELVES, {"table_format": "both"}),
    "rows": ("a.md", FARES, {"table_format": "both"}),
    "profile": ("cities.csv", CITIES, {}),
    "description": ("a.md", FARES, {"contextualizer": described}),
}
CONTEXTS: list[ContextMode] = ["separate", "inline", "none"]
PAIRS = [
    (case, mode) for case in CASES for mode in CONTEXTS if (case, mode) != ("description", "none")
]


def made(case: str, context: ContextMode) -> tuple[StructuralTextSplitter, Document, list[Chunk]]:
    """A splitter, a document, and the chunks that the core makes of it."""
    path, text, settings = CASES[case]
    splitter = StructuralTextSplitter(
        chunk_size=SIZE, context=context, strip_whitespace=False, **settings
    )
    chunker = Chunker(chunk_size=SIZE, tokenizer="characters", context=context, **settings)
    chunks = chunker.chunk(text, path=path)
    assert any(chunk.indexed for chunk in chunks)
    return splitter, Document(text, metadata={"source": path}), chunks


@pytest.mark.parametrize(("case", "context"), PAIRS)
def test_documents_have_the_text_that_is_shown(case: str, context: ContextMode) -> None:
    splitter, document, chunks = made(case, context)
    found = splitter.split_documents([document])
    assert [one.page_content for one in found] == [chunk.text for chunk in chunks]
    for one, chunk in zip(found, chunks, strict=True):
        assert len(one.page_content) <= SIZE
        assert one.metadata["context"] == chunk.context
        if chunk.indexed:
            assert chunk.indexed not in one.page_content
        if chunk.context:
            assert one.page_content.startswith(chunk.context) == (context == "inline")


@pytest.mark.parametrize(("case", "context"), PAIRS)
def test_entries_have_the_text_that_is_indexed(case: str, context: ContextMode) -> None:
    splitter, document, chunks = made(case, context)
    entries, stored = splitter.split_entries([document])
    assert [one.page_content for one in entries] == [chunk.embed_text for chunk in chunks]
    for entry, chunk in zip(entries, chunks, strict=True):
        assert stored[entry.metadata["doc_id"]].page_content == chunk.text
        assert len(entry.page_content) <= SIZE
        assert entry.page_content.startswith(chunk.context)
        assert entry.page_content.endswith(chunk.indexed or chunk.text)


@pytest.mark.parametrize(("case", "context"), PAIRS)
def test_a_retriever_finds_by_the_one_and_gives_the_other(case: str, context: ContextMode) -> None:
    splitter, document, chunks = made(case, context)
    entries, stored = splitter.split_entries([document])
    kept: InMemoryStore = InMemoryStore()
    kept.mset(list(stored.items()))
    retriever = MultiVectorRetriever(
        vectorstore=InMemoryVectorStore.from_documents(entries, BagOfWords()),
        docstore=kept,
        id_key="doc_id",
        search_kwargs={"k": 1},
    )
    for chunk in chunks:
        if chunk.indexed:
            (found,) = retriever.invoke(chunk.embed_text)
            assert found.page_content == chunk.text
