"""Nodes of the LlamaIndex adapter, as tests make and look at them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from llama_index.core import SimpleDirectoryReader
from llama_index.core.schema import BaseNode, Document, MetadataMode, TextNode

from structchunk_llamaindex import StructuralNodeParser
from tests.corpus import write

EMBED, LLM = MetadataMode.EMBED, MetadataMode.LLM


def words(text: str) -> list[str]:
    return text.split()


def numbered(i: int, doc: BaseNode) -> str:
    return f"{doc.node_id}-{i}"


def texts(nodes: Sequence[BaseNode]) -> list[TextNode]:
    assert all(isinstance(node, TextNode) for node in nodes)
    return [node for node in nodes if isinstance(node, TextNode)]


def parsed(text: str, path: str = "shop/orders.py", **settings: Any) -> list[TextNode]:
    document = Document(text=text, metadata={"file_path": path})
    return texts(StructuralNodeParser(**settings).get_nodes_from_documents([document]))


def documents_in(folder: Path) -> list[Document]:
    return SimpleDirectoryReader(str(write(folder)), recursive=True).load_data()


def plain(nodes: Sequence[BaseNode]) -> list[tuple[object, ...]]:
    return sorted((node.node_id, node.get_content(), node.hash) for node in nodes)
