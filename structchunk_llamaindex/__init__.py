"""structchunk for LlamaIndex: a node parser that keeps functions, tables and fences whole."""

from __future__ import annotations

from structchunk_core.errors import ConfigurationError, MissingDependencyError

try:
    from structchunk_llamaindex.asking import asking
    from structchunk_llamaindex.node_parser import StructuralNodeParser
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] != "llama_index":
        raise
    raise MissingDependencyError(
        "structchunk_llamaindex needs llama-index-core: "
        "pip install 'structchunk-parsers[llamaindex]'"
    ) from error

__all__ = ["ConfigurationError", "StructuralNodeParser", "asking"]
