"""Who takes part: splitters as functions from a text and its path to what is indexed and shown.

A contestant knows nothing of the questions. None is asked for overlap; all else is its default.
Each is asked for chunks of either size, in tokens of ``cl100k_base``, and the better one counts,
task by task.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

from structchunk_core import Chunk, Chunker
from structchunk_core.auditing.given_chunks import given_chunk
from structchunk_core.auditing.splitters import splitter_named
from structchunk_core.detect import detect
from structchunk_core.encoding_files import load_encoding
from structchunk_core.grammars import find_grammar

SIZES = (512, 256)
"""Tokens of the largest chunk that each contestant is asked for."""

_ENCODING = "cl100k_base"
_MODEL = "gpt-4"  # the peer that knows encodings by models only: one of cl100k_base
_CHARACTERS = 3  # in a token of code or JSON, for peers that count nothing else


class Piece(NamedTuple):
    """A chunk as a contestant made it.

    Attributes:
        shown: what a reader is given, and what counts as retrieved.
        indexed: the texts that lead to it.
    """

    shown: str
    indexed: Sequence[str]


Split = Callable[[str, str], Sequence[Piece]]
"""From a text and its path to its pieces."""


class Contestant(NamedTuple):
    """A line of the table.

    Attributes:
        splits: from text and path to pieces, for each size.
        kinds: which tasks it is made for.
        module: what has to be importable.
        package: what to install where it is not.
    """

    splits: Sequence[Split]
    kinds: frozenset[str]
    module: str = ""
    package: str = ""


def missing(contestant: Contestant) -> str:
    """What to install before it can take part, or ``""``."""
    absent = contestant.module and importlib.util.find_spec(contestant.module) is None
    return contestant.package if absent else ""


def given(name: str) -> Contestant:
    """A splitter that somebody names, as ``structchunk audit`` takes it."""
    return Contestant(_sizes(partial(_named, name=name)), ALL)


def _named(text: str, path: str, size: int, name: str) -> list[Piece]:
    chunks = splitter_named(name, _chunker(chunk_size=size)).split(text, path)
    return [
        Piece(one.text, (one.indexed or one.text,))
        for one in map(given_chunk, chunks)
        if one.text.strip()
    ]


def ours(text: str, path: str, size: int = SIZES[0], **settings: Any) -> list[Piece]:
    """What a chunker with these settings indexes and shows."""
    return [
        Piece(chunk.text, (chunk.embed_text, *(entry.text for entry in chunk.entries)))
        for chunk in chunks_of(text, path, chunk_size=size, **settings)
    ]


def chunks_of(text: str, path: str, **settings: Any) -> Sequence[Chunk]:
    """The chunks of a chunker with these settings."""
    return _chunker(**settings).chunk(text, path=path)


@cache
def _chunker(**settings: Any) -> Chunker:
    return Chunker(**settings)


def _plain(texts: Iterable[str]) -> list[Piece]:
    return [Piece(text, (text,)) for text in texts if text.strip()]


def _count(text: str) -> int:
    return len(load_encoding(_ENCODING).encode_ordinary(text))


def _fixed(text: str, path: str, size: int) -> list[Piece]:
    encoding = load_encoding(_ENCODING)
    tokens = encoding.encode_ordinary(text)
    return _plain(encoding.decode(tokens[at : at + size]) for at in range(0, len(tokens), size))


def _langchain(text: str, path: str, size: int) -> list[Piece]:
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter(
        chunk_size=size, chunk_overlap=0, length_function=_count
    )
    return _plain(splitter.split_text(text))


def _langchain_language(text: str, path: str, size: int) -> list[Piece]:
    from langchain_text_splitters import Language, RecursiveCharacterTextSplitter

    found = detect(text, path)
    name = {"typescript": "ts", "javascript": "js"}.get(found.language, found.language)
    language = Language(name or {"markdown": "markdown", "html": "html"}[found.format])
    splitter = RecursiveCharacterTextSplitter.from_language(
        language, chunk_size=size, chunk_overlap=0, length_function=_count
    )
    return _plain(splitter.split_text(text))


def _langchain_markdown(text: str, path: str, size: int) -> list[Piece]:
    from langchain_text_splitters import MarkdownHeaderTextSplitter, RecursiveCharacterTextSplitter

    headers = [("#" * level, f"h{level}") for level in range(1, 5)]
    sections = MarkdownHeaderTextSplitter(headers, strip_headers=False).split_text(text)
    splitter = RecursiveCharacterTextSplitter(
        chunk_size=size, chunk_overlap=0, length_function=_count
    )
    return _plain(one.page_content for one in splitter.split_documents(sections))


def _langchain_html(text: str, path: str, size: int) -> list[Piece]:
    from langchain_text_splitters import HTMLSemanticPreservingSplitter

    splitter = HTMLSemanticPreservingSplitter(
        [("h1", "h1"), ("h2", "h2"), ("h3", "h3")],
        max_chunk_size=size * 4,
        elements_to_preserve=["table", "ul", "ol", "pre"],
    )
    return _plain(one.page_content for one in splitter.split_text(text))


def _llamaindex_sentence(text: str, path: str, size: int) -> list[Piece]:
    from llama_index.core.node_parser import SentenceSplitter

    splitter = SentenceSplitter(
        chunk_size=size, chunk_overlap=0, tokenizer=load_encoding(_ENCODING).encode_ordinary
    )
    return _plain(splitter.split_text(text))


def _llamaindex_code(text: str, path: str, size: int) -> list[Piece]:
    from llama_index.core.node_parser import CodeSplitter
    from tree_sitter import Parser

    language = detect(text, path).language
    splitter = CodeSplitter(
        language=language,
        parser=Parser(find_grammar(language)),
        count_mode="token",
        max_tokens=size,
        tokenizer=load_encoding(_ENCODING).encode_ordinary,
    )
    return _plain(splitter.split_text(text))


def _llamaindex_markdown(text: str, path: str, size: int) -> list[Piece]:
    from llama_index.core import Document
    from llama_index.core.node_parser import MarkdownNodeParser

    nodes = MarkdownNodeParser().get_nodes_from_documents([Document(text=text)])
    return [
        piece for node in nodes for piece in _llamaindex_sentence(node.get_content(), path, size)
    ]


def _semantic(text: str, path: str, size: int) -> list[Piece]:
    splitters = importlib.import_module("semantic_text_splitter")
    found = detect(text, path)
    if found.language:
        from tree_sitter_language_pack import get_binding

        grammar = get_binding(found.language)  # type: ignore[arg-type]  # one that it has
        splitter = splitters.CodeSplitter.from_tiktoken_model(grammar, _MODEL, size)
    else:
        kind = "MarkdownSplitter" if found.format == "markdown" else "TextSplitter"
        splitter = getattr(splitters, kind).from_tiktoken_model(_MODEL, size)
    return _plain(splitter.chunks(text))


def _chonkie(text: str, path: str, size: int) -> list[Piece]:
    chonkie = importlib.import_module("chonkie")
    language = detect(text, path).language
    if language:
        chunker = chonkie.CodeChunker(
            tokenizer=load_encoding(_ENCODING), chunk_size=size, language=language
        )
    else:
        chunker = chonkie.RecursiveChunker(tokenizer=load_encoding(_ENCODING), chunk_size=size)
    return _plain(chunk.text for chunk in chunker.chunk(text))


def _chonkie_table(text: str, path: str, size: int) -> list[Piece]:
    """Parts of a table of Markdown, each of which is given the title as well."""
    chonkie = importlib.import_module("chonkie")
    title, table = "", text
    if path.endswith(".csv"):
        rows = [line.replace("|", " ").split(",") for line in text.split("\n") if line]
        head, *body = ["| " + " | ".join(row) + " |" for row in rows]
        rule = "|" + "---|" * len(rows[0])
        table = "\n".join((head, rule, *body)) + "\n"
    else:
        title, _, table = text.partition("\n\n")
    chunker = chonkie.TableChunker(tokenizer=load_encoding(_ENCODING), chunk_size=size)
    parts = [chunk.text for chunk in chunker.chunk(table)] or [table]
    return [Piece(part, (f"{title}\n\n{part}",)) for part in parts if part.strip()]


def _langchain_json(text: str, path: str, size: int) -> list[Piece]:
    from langchain_text_splitters import RecursiveJsonSplitter

    splitter = RecursiveJsonSplitter(max_chunk_size=size * _CHARACTERS)
    return _plain(splitter.split_text(json.loads(text), convert_lists=True))


def _llamaindex_json(text: str, path: str, size: int) -> list[Piece]:
    from llama_index.core import Document
    from llama_index.core.node_parser import JSONNodeParser

    nodes = JSONNodeParser().get_nodes_from_documents([Document(text=text)])
    return [
        piece for node in nodes for piece in _llamaindex_sentence(node.get_content(), path, size)
    ]


def _astchunk(text: str, path: str, size: int) -> list[Piece]:
    builder = importlib.import_module("astchunk").ASTChunkBuilder(
        max_chunk_size=size * _CHARACTERS,
        language=detect(text, path).language,
        metadata_template="none",
    )
    return _plain(window["content"] for window in builder.chunkify(text))


def _sizes(split: Callable[[str, str, int], list[Piece]]) -> tuple[Split, ...]:
    def of_size(size: int) -> Split:
        return lambda text, path: split(text, path, size)

    return tuple(map(of_size, SIZES))


CODE = ("python", "java", "go", "rust", "typescript")
TABLES = ("tables", "totals")
ALL = frozenset({*CODE, *TABLES, "docs", "prose", "records", "settings", "pages"})
"""The names of all tasks."""

CONTESTANTS: Mapping[str, Contestant] = {
    "structchunk": Contestant(_sizes(ours), ALL),
    "structchunk, entries": Contestant(
        _sizes(partial(ours, outline="all", table_rows="linked")), ALL
    ),
    "LangChain recursive": Contestant(
        _sizes(_langchain), ALL, "langchain_text_splitters", "langchain-text-splitters"
    ),
    "LangChain by language": Contestant(
        _sizes(_langchain_language),
        frozenset({*CODE, "docs", "prose", "pages"}),
        "langchain_text_splitters",
        "langchain-text-splitters",
    ),
    "LangChain by headings": Contestant(
        _sizes(_langchain_markdown),
        frozenset({*TABLES, "docs", "prose"}),
        "langchain_text_splitters",
        "langchain-text-splitters",
    ),
    "LangChain HTML": Contestant(
        _sizes(_langchain_html),
        frozenset({"pages"}),
        "bs4",
        "langchain-text-splitters beautifulsoup4",
    ),
    "LangChain JSON": Contestant(
        _sizes(_langchain_json),
        frozenset({"records"}),
        "langchain_text_splitters",
        "langchain-text-splitters",
    ),
    "LlamaIndex sentences": Contestant(
        _sizes(_llamaindex_sentence), ALL, "llama_index", "llama-index-core"
    ),
    "LlamaIndex CodeSplitter": Contestant(
        _sizes(_llamaindex_code), frozenset(CODE), "llama_index", "llama-index-core"
    ),
    "LlamaIndex Markdown": Contestant(
        _sizes(_llamaindex_markdown),
        frozenset({*TABLES, "docs", "prose"}),
        "llama_index",
        "llama-index-core",
    ),
    "LlamaIndex JSON": Contestant(
        _sizes(_llamaindex_json), frozenset({"records"}), "llama_index", "llama-index-core"
    ),
    "semantic-text-splitter": Contestant(
        _sizes(_semantic), ALL, "semantic_text_splitter", "semantic-text-splitter"
    ),
    "chonkie": Contestant(_sizes(_chonkie), ALL - {*TABLES}, "chonkie", "'chonkie<1.6.6'"),
    "chonkie TableChunker": Contestant(
        _sizes(_chonkie_table), frozenset(TABLES), "chonkie", "'chonkie<1.6.6'"
    ),
    "astchunk": Contestant(
        _sizes(_astchunk), frozenset({"python", "java", "typescript"}), "astchunk", "astchunk"
    ),
    "fixed length": Contestant(_sizes(_fixed), ALL),
}
"""Ours and the peers, in the order in which they print."""
