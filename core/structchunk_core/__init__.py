"""structchunk: parse the document first, cut it second.

The public face of the framework-neutral core. Importing it loads no grammar, no tokenizer and no
framework; what chunks, audits and expands, and the values, are loaded when they are first named.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from structchunk_core.audit import assert_chunks_whole, audit
from structchunk_core.detect import detect
from structchunk_core.one_call import chunk

if TYPE_CHECKING:
    from structchunk_core.auditing.findings import AuditReport, Finding
    from structchunk_core.chunker import Chunker
    from structchunk_core.chunks import Chunk, Entry
    from structchunk_core.contextualizing import Contextualizer
    from structchunk_core.errors import (
        ConfigurationError,
        MissingDependencyError,
        Problem,
        StructchunkError,
    )
    from structchunk_core.expanding import ChunkStore, expand
    from structchunk_core.hierarchy import Hierarchy
    from structchunk_core.restoring import chunk_of_record
    from structchunk_core.sentences import Description
    from structchunk_core.source import Source
    from structchunk_core.stitching import stitch
    from structchunk_core.unit import Parsed, Span, Unit

__all__ = [
    "AuditReport",
    "Chunk",
    "ChunkStore",
    "Chunker",
    "ConfigurationError",
    "Contextualizer",
    "Description",
    "Entry",
    "Finding",
    "Hierarchy",
    "MissingDependencyError",
    "Parsed",
    "Problem",
    "Source",
    "Span",
    "StructchunkError",
    "Unit",
    "assert_chunks_whole",
    "audit",
    "chunk",
    "chunk_of_record",
    "detect",
    "expand",
    "stitch",
]

# Names that are no module of this package: importing such a module would put it in their place.
# So ``audit`` and ``detect`` are imported above, whose modules are small.
_MODULES = {
    "AuditReport": "auditing.findings",
    "Chunk": "chunks",
    "ChunkStore": "expanding",
    "Chunker": "chunker",
    "ConfigurationError": "errors",
    "Contextualizer": "contextualizing",
    "Description": "sentences",
    "Entry": "chunks",
    "Finding": "auditing.findings",
    "Hierarchy": "hierarchy",
    "MissingDependencyError": "errors",
    "Parsed": "unit",
    "Problem": "errors",
    "Source": "source",
    "Span": "unit",
    "StructchunkError": "errors",
    "Unit": "unit",
    "chunk_of_record": "restoring",
    "expand": "expanding",
    "stitch": "stitching",
}


def __getattr__(name: str) -> Any:
    """A public name, with the module that holds it, when it is first asked for."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
