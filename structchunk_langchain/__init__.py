"""structchunk for LangChain: a text splitter that keeps functions, tables and fences whole."""

from __future__ import annotations

from structchunk_core.errors import ConfigurationError, MissingDependencyError

try:
    from structchunk_langchain.expansion import StructuralExpansion
    from structchunk_langchain.keys import uuid5_key
    from structchunk_langchain.text_splitter import StructuralTextSplitter
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] not in {"langchain_core", "langchain_text_splitters"}:
        raise
    raise MissingDependencyError(
        "structchunk_langchain needs langchain-core and langchain-text-splitters: "
        "pip install 'structchunk-parsers[langchain]'"
    ) from error

__all__ = ["ConfigurationError", "StructuralExpansion", "StructuralTextSplitter", "uuid5_key"]
