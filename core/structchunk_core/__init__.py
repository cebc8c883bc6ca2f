"""structchunk: parse the document first, cut it second.

The public face of the framework-neutral core. Importing it loads no grammar, no tokenizer and no
framework.
"""

from structchunk_core.audit import assert_chunks_whole, audit
from structchunk_core.chunk import Chunk, Entry
from structchunk_core.chunker import Chunker, chunk
from structchunk_core.contextualizing import Contextualizer
from structchunk_core.detect import detect
from structchunk_core.errors import (
    ConfigurationError,
    MissingDependencyError,
    Problem,
    StructchunkError,
)
from structchunk_core.expanding import ChunkStore, expand
from structchunk_core.findings import AuditReport, Finding
from structchunk_core.hierarchy import Hierarchy
from structchunk_core.restoring import chunk_of_record
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
