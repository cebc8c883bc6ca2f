"""Runs of the LlamaIndex adapter: workers, async, the cache, callbacks, without the framework."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.callbacks import CallbackManager, CBEventType, LlamaDebugHandler
from llama_index.core.ingestion import DocstoreStrategy, IngestionPipeline
from llama_index.core.schema import BaseNode, Document
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores import SimpleVectorStore

from structchunk_llamaindex import StructuralNodeParser
from tests.bag_of_words_llamaindex import BagOfWords
from tests.corpus import GUIDE, ORDERS
from tests.llamaindex_nodes import documents_in, plain, words


@pytest.fixture
def documents(tmp_path: Path) -> list[Document]:
    return documents_in(tmp_path)


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
