"""structchunk for LlamaIndex: a node parser that keeps functions, tables and fences whole."""

from __future__ import annotations

from structchunk_core.errors import ConfigurationError, MissingDependencyError

try:
    from structchunk_llamaindex.asking import asking
    from structchunk_llamaindex.code_splitter import CodeSplitter
    from structchunk_llamaindex.expansion import StructuralExpansion
    from structchunk_llamaindex.extracting import IndexedText
    from structchunk_llamaindex.hierarchical import StructuralHierarchicalNodeParser
    from structchunk_llamaindex.ids import numbered_id, numbered_uuid, random_uuid
    from structchunk_llamaindex.node_parser import StructuralNodeParser
    from structchunk_llamaindex.nodes import nodes_and_objects
    from structchunk_llamaindex.showing import ShownText
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] != "llama_index":
        raise
    raise MissingDependencyError(
        "structchunk_llamaindex needs llama-index-core: "
        "pip install 'structchunk-parsers[llamaindex]'"
    ) from error

__all__ = [
    "CodeSplitter",
    "ConfigurationError",
    "IndexedText",
    "ShownText",
    "StructuralExpansion",
    "StructuralHierarchicalNodeParser",
    "StructuralNodeParser",
    "asking",
    "nodes_and_objects",
    "numbered_id",
    "numbered_uuid",
    "random_uuid",
]
