"""Chunking one document with one call."""

from __future__ import annotations

from os import PathLike
from typing import Any

import structchunk_core  # its names are loaded when annotations are resolved


def chunk(
    text: str,
    *,
    path: str | PathLike[str] = "",
    language: str | None = None,
    format: str | None = None,
    **settings: Any,
) -> list[structchunk_core.Chunk]:
    """The chunks of one document: ``Chunker(**settings).chunk(text, ...)``."""
    from structchunk_core.chunker import Chunker

    return Chunker(**settings).chunk(text, path=path, language=language, format=format)
