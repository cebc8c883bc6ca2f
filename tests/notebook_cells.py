"""Notebooks made of cells, and what comes of them."""

from __future__ import annotations

import json
from typing import Any

from structchunk_core import Chunk, Chunker
from structchunk_core.unit import Parsed
from tests.promises import check_nothing_that_fits_is_cut, check_promises


def code_cell(source: str, *outputs: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": 7,
        "metadata": {},
        "outputs": list(outputs),
        "source": source.splitlines(keepends=True),
        **more,
    }


def markdown_cell(source: str, **more: Any) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": source, **more}


def notebook(*cells: dict[str, Any], language: str = "python", **metadata: Any) -> str:
    metadata = {"kernelspec": {"language": language}, **metadata}
    return json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4}, indent=1)


def rendered(text: str) -> str:
    return rendering(Chunker().parse(text, path="a.ipynb"))


def rendering(parsed: Parsed) -> str:
    assert parsed.rendering is not None
    return parsed.rendering.text


def chunks_of(text: str, **chosen: Any) -> list[Chunk]:
    chunker = Chunker(**{"tokenizer": "characters", **chosen})
    chunks = chunker.chunk(text, path="a.ipynb")
    check_promises(text, chunks, chunker)
    check_nothing_that_fits_is_cut(text, chunks, chunker, chunker.parse(text, path="a.ipynb"))
    return chunks


def result(**data: Any) -> dict[str, Any]:
    named = {name.replace("_", "/"): value for name, value in data.items()}
    return {"output_type": "execute_result", "data": named, "metadata": {}}


def stream(text: str | list[str], name: str = "stdout") -> dict[str, Any]:
    return {"output_type": "stream", "name": name, "text": text}
