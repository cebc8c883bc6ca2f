"""What runs in the benchmark of throughput: the floor, ours, and splitters of others.

Each contestant is made for one kind of document, a language or a format, and takes documents of
it: pairs of file name and text. One that has no answer to a kind, or is not installed (extra
``bench``), is None there.
"""

from __future__ import annotations

import gc
import importlib
import importlib.util
import json
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from structchunk_core import Chunker
from structchunk_core.encoding_files import load_encoding, rank_file_or_none
from structchunk_core.encodings import scheme_of
from structchunk_core.fast_tokens import PAYS_FROM
from structchunk_core.grammars import find_grammar, parse_bytes

Document = tuple[str, str]
Work = Callable[[Sequence[Document]], None]
Works = Sequence[tuple[Work, Sequence[Document]]]
"""What cuts the documents of each kind, and these."""

ENCODING = "cl100k_base"
SIZE = 512
CHARACTERS = 1500
RECORDS = {".json": "json", ".toml": "toml", ".xml": "xml", ".yaml": "yaml", ".yml": "yaml"}
"""File endings of records, whose kinds are told apart by them."""
_DOCUMENTS = frozenset({"delimited", "html", "markdown", "rst", "text", *RECORDS.values()})
_WARMING = 5  # a fifth of the documents fills the caches
_LINES = _DOCUMENTS - {"html", "json", "markdown"}  # the floor only finds their lines


class Contestant(NamedTuple):
    """A line of the results.

    Attributes:
        make: from the kind of documents to what cuts them, or None.
        beside: the contestant whose speed it is a ratio to, or ``""``.
        compiled: the one that it is with a compiled package, in a process of its own, or ``""``.
    """

    make: Callable[[str], Work | None]
    beside: str = "floor"
    compiled: str = ""


def works_of(contestant: Contestant, parts: Mapping[str, Sequence[Document]]) -> Works:
    """What cuts the documents of each kind; empty when that is missing for one of them."""
    works = []
    for kind, documents in parts.items():
        work = contestant.make(kind)
        if work is None:
            return []
        works.append((work, documents))
    return works


def warm_up(works: Works) -> None:
    """Cut some of the documents."""
    for work, documents in works:
        work(documents[: 1 + len(documents) // _WARMING])


def seconds_of(works: Works) -> float:
    """The processor time of cutting all of them."""
    gc.collect()
    begin = time.process_time()
    for work, documents in works:
        work(documents)
    return time.process_time() - begin


def _parsing(name: str) -> Callable[[str], Any]:
    if name == "markdown":
        import pyromark

        return lambda text: list(pyromark.events_with_range(text))
    if name == "html":
        from selectolax.lexbor import LexborHTMLParser

        return LexborHTMLParser
    if name == "json":

        def parse(text: str) -> Any:
            try:
                return json.loads(text)
            except ValueError:
                return None  # a file made to test a parser of JSON

        return parse
    if name in _LINES:
        return lambda text: text.split("\n")
    grammar = find_grammar(name)
    return lambda text: parse_bytes(text.encode(), grammar, 60)


def _parse_alone(name: str) -> Work | None:
    if name in _LINES:
        return None
    return _each(_parsing(name))


def _tokenise_alone(_name: str) -> Work:
    return _each(load_encoding(ENCODING).encode_ordinary)


def _floor(name: str) -> Work:
    return _parse_and(name, load_encoding(ENCODING).encode_ordinary)


def _floor_with_gigatoken(name: str) -> Work | None:
    if importlib.util.find_spec("gigatoken") is None:
        return None
    import gigatoken

    file = rank_file_or_none(ENCODING)
    assert file is not None
    tokenizer = gigatoken.Tokenizer.from_tiktoken(file, pretokenizer=scheme_of(ENCODING))
    return _parse_and(name, tokenizer.encode)


def _parse_and(name: str, tokenise: Callable[[str], object]) -> Work:
    parse = _parsing(name)

    def work(documents: Sequence[Document]) -> None:
        for _, text in documents:
            parse(text)
            tokenise(text)

    return work


def _structchunk(_name: str) -> Work:
    return _chunking(_counting_with_tiktoken())


def _structchunk_with_gigatoken(_name: str) -> Work | None:
    chunker = _counting_with_gigatoken_or_none()
    return None if chunker is None else _chunking(chunker)


def _counting_with_tiktoken() -> Chunker:
    return Chunker(chunk_size=SIZE, tokenizer=load_encoding(ENCODING))


def _counting_with_gigatoken_or_none() -> Chunker | None:
    if importlib.util.find_spec("gigatoken") is None:
        return None
    chunker = Chunker(chunk_size=SIZE, tokenizer=ENCODING)
    chunker.count("word " * PAYS_FROM)  # from now on it is loaded
    return chunker


def _in_characters(_name: str) -> Work:
    return _chunking(Chunker(chunk_size=CHARACTERS, tokenizer="characters"))


def _chunking(chunker: Chunker) -> Work:
    def work(documents: Sequence[Document]) -> None:
        for path, text in documents:
            chunker.chunk(text, path=path)

    return work


def _with_facts(_name: str) -> Work:
    return _telling(_counting_with_tiktoken())


def _facts_with_gigatoken(_name: str) -> Work | None:
    chunker = _counting_with_gigatoken_or_none()
    return None if chunker is None else _telling(chunker)


def _telling(chunker: Chunker) -> Work:
    def work(documents: Sequence[Document]) -> None:
        for path, text in documents:
            for chunk in chunker.chunk(text, path=path):
                chunk.metadata()

    return work


def _llamaindex(name: str) -> Work | None:
    """CodeSplitter, which counts characters; headings of Markdown; sentences of all else."""
    from llama_index.core.node_parser import MarkdownNodeParser, SentenceSplitter
    from llama_index.core.schema import Document as Loaded

    if name == "markdown":
        parser = MarkdownNodeParser()
        return _each(lambda text: parser.get_nodes_from_documents([Loaded(text=text)]))
    if name in _DOCUMENTS:
        encoding = load_encoding(ENCODING)
        sentences = SentenceSplitter(
            chunk_size=SIZE, chunk_overlap=0, tokenizer=encoding.encode_ordinary
        )
        return _each(sentences.split_text)
    return _code_splitter(name, count_mode="char", max_chars=CHARACTERS)


def _llamaindex_in_tokens(name: str) -> Work | None:
    if name in _DOCUMENTS:
        return None
    tokenizer = load_encoding(ENCODING).encode_ordinary
    return _code_splitter(name, count_mode="token", max_tokens=SIZE, tokenizer=tokenizer)


def _code_splitter(name: str, **settings: Any) -> Work:
    from llama_index.core.node_parser import CodeSplitter
    from tree_sitter import Parser

    code = CodeSplitter(language=name, parser=Parser(find_grammar(name)), **settings)

    def split(text: str) -> None:
        with suppress(ValueError):  # it refuses documents with a syntax error
            code.split_text(text)

    return _each(split)


def _recursive(name: str) -> Work:
    from langchain_text_splitters import Language, RecursiveCharacterTextSplitter

    known = {"javascript": "js", "tsx": "ts", "typescript": "ts"}.get(name, name)
    separators = (
        RecursiveCharacterTextSplitter.get_separators_for_language(Language(known))
        if known in {language.value for language in Language}
        else None
    )
    encoding = load_encoding(ENCODING)
    splitter = RecursiveCharacterTextSplitter(
        separators=separators,
        is_separator_regex=separators is not None,
        chunk_size=SIZE,
        chunk_overlap=0,
        length_function=lambda text: len(encoding.encode_ordinary(text)),
    )
    return _each(splitter.split_text)


def _by_headings(name: str) -> Work | None:
    from langchain_text_splitters import HTMLHeaderTextSplitter, MarkdownHeaderTextSplitter

    if name == "markdown":
        levels = [("#" * level, f"h{level}") for level in range(1, 7)]
        return _each(MarkdownHeaderTextSplitter(levels).split_text)
    if name == "html":
        return _each(HTMLHeaderTextSplitter([(f"h{n}", f"h{n}") for n in range(1, 7)]).split_text)
    return None


def _semantic(name: str) -> Work | None:
    if importlib.util.find_spec("semantic_text_splitter") is None:
        return None
    module = importlib.import_module("semantic_text_splitter")
    if name == "markdown":
        return _each(module.MarkdownSplitter.from_tiktoken_model("gpt-4", SIZE).chunks)
    if name in _DOCUMENTS:
        return _each(module.TextSplitter.from_tiktoken_model("gpt-4", SIZE).chunks)
    from tree_sitter_language_pack import get_binding

    binding = get_binding(name)  # type: ignore[arg-type]  # any name, that is the question
    return _each(module.CodeSplitter.from_tiktoken_model(binding, "gpt-4", SIZE).chunks)


def _chonkie(name: str) -> Work | None:
    if name not in _DOCUMENTS or importlib.util.find_spec("chonkie") is None:
        return None
    chunker = importlib.import_module("chonkie").RecursiveChunker
    return _each(chunker(tokenizer=load_encoding(ENCODING), chunk_size=SIZE).chunk)


def _astchunk(name: str) -> Work | None:
    known = {"tsx": "typescript"}.get(name, name)
    if known not in {"csharp", "java", "python", "typescript"}:
        return None
    if importlib.util.find_spec("astchunk") is None:
        return None
    builder = importlib.import_module("astchunk").ASTChunkBuilder
    cut = builder(max_chunk_size=CHARACTERS, language=known, metadata_template="none")
    return _each(cut.chunkify)


def _each(split: Callable[[str], object]) -> Work:
    def work(documents: Sequence[Document]) -> None:
        for _, text in documents:
            split(text)

    return work


_OURS = {
    "structchunk": Contestant(_structchunk),
    "structchunk, all facts": Contestant(_with_facts),
    "structchunk, gigatoken": Contestant(_structchunk_with_gigatoken),
    "structchunk, gigatoken, all facts": Contestant(_facts_with_gigatoken),
    "structchunk, characters": Contestant(_in_characters, "parse alone"),
}

CONTESTANTS = {
    "floor": Contestant(_floor, ""),
    "floor, gigatoken": Contestant(_floor_with_gigatoken),
    "parse alone": Contestant(_parse_alone, ""),
    "tokenise alone": Contestant(_tokenise_alone, ""),
    **_OURS,
    **{
        label.replace("structchunk", "compiled"): one._replace(compiled=label)
        for label, one in _OURS.items()
    },
    "LlamaIndex": Contestant(_llamaindex),
    "LlamaIndex, tokens": Contestant(_llamaindex_in_tokens),
    "LangChain recursive": Contestant(_recursive),
    "LangChain headings": Contestant(_by_headings),
    "semantic-text-splitter": Contestant(_semantic),
    "chonkie": Contestant(_chonkie),
    "astchunk": Contestant(_astchunk),
}
"""By name, in the order in which they take turns and are printed."""
