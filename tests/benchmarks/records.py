"""Whether a description that was cut out of a schema finds the node that it described.

    python -m tests.benchmarks.records FILE_OR_FOLDER ...

Of each JSON file, every fifth description is replaced by a mark of its own; BM25 ranks the chunks
for each of these descriptions. It is found if the mark is in the first chunks that measure a
thousand tokens together. Any JSON Schema or OpenAPI file serves.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from structchunk_core import Chunker
from structchunk_core.sizing import load_encoding
from tests.benchmarks.retrieval.search import ranks

_SIZE = 512  # tokens of a chunk
_WITHIN = 1000  # tokens that are read
_LEAST = 40  # characters of a description that is asked for
_EACH = 5  # one description of so many is cut out: the others stay, as beside new questions

Split = Callable[[str, str], list[tuple[str, str]]]
"""From a path and a text to what is indexed and what is shown of each chunk."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("paths", nargs="+", type=Path)
    arguments = parser.parse_args()
    documents: list[tuple[str, str]] = []
    questions: list[tuple[str, str]] = []
    for path in _files(arguments.paths):
        document, asked = _without_descriptions(path, len(questions))
        if asked:
            documents.append((path.name, document))
            questions += asked
    print(f"{len(documents)} files, {len(questions)} descriptions")
    for name, split in _CONTESTANTS.items():
        share, chunks = _found(split, documents, questions)
        print(f"{name:<32}{share:.3f}  {chunks} chunks", flush=True)


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        yield from sorted(path.rglob("*.json")) if path.is_dir() else [path]


def _without_descriptions(path: Path, first: int) -> tuple[str, list[tuple[str, str]]]:
    """The document with marks in the place of descriptions, and description and mark of each."""
    try:
        value = json.loads(path.read_text("utf-8"))
    except ValueError:
        return "", []
    asked: dict[str, str] = {}
    seen = 0
    stack = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            words = node.get("description")
            if isinstance(words, str) and len(words) >= _LEAST and words not in asked:
                seen += 1
                if seen % _EACH == 0:
                    mark = f"mark{first + len(asked):06d}"
                    asked[words] = node["description"] = mark
            stack.extend(node.values())
        elif isinstance(node, list):
            stack.extend(node)
    return json.dumps(value, indent=2, ensure_ascii=False), list(asked.items())


def _found(
    split: Split, documents: Sequence[tuple[str, str]], questions: Sequence[tuple[str, str]]
) -> tuple[float, int]:
    """The share of the questions that are answered, and how many chunks there are."""
    chunks = [chunk for path, text in documents for chunk in split(path, text)]
    encoding = load_encoding("cl100k_base")
    sizes = [len(encoding.encode_ordinary(shown)) for _, shown in chunks]
    rows = ranks([indexed for indexed, _ in chunks], [words for words, _ in questions], None)
    right = 0
    for row, (_, mark) in zip(rows["words"], questions, strict=True):
        room = _WITHIN
        for number in row:
            room -= sizes[number]
            if room < 0:
                break
            if mark in chunks[number][1]:
                right += 1
                break
    return right / max(1, len(questions)), len(chunks)


def _structchunk(path: str, text: str) -> list[tuple[str, str]]:
    chunks = Chunker(chunk_size=_SIZE).chunk(text, path=path)
    return [(chunk.embed_text, chunk.text) for chunk in chunks]


def _recursive_json(path: str, text: str) -> list[tuple[str, str]]:
    from langchain_text_splitters import RecursiveJsonSplitter

    del path
    value: Any = json.loads(text)
    pieces = RecursiveJsonSplitter(max_chunk_size=3 * _SIZE).split_text(value, convert_lists=True)
    return [(piece, piece) for piece in pieces]


def _recursive(path: str, text: str) -> list[tuple[str, str]]:
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    del path
    splitter = RecursiveCharacterTextSplitter.from_tiktoken_encoder(
        "cl100k_base", chunk_size=_SIZE // 2, chunk_overlap=0
    )
    return [(piece, piece) for piece in splitter.split_text(text)]


_CONTESTANTS: dict[str, Split] = {
    "structchunk": _structchunk,
    "LangChain RecursiveJsonSplitter": _recursive_json,
    "LangChain recursive": _recursive,
}


if __name__ == "__main__":
    main()
