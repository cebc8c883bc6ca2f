"""Splitters of code, ours and those of others, behind one call.

A splitter takes ``(text, path, language, size, unit)`` and gives the pieces of the text in order:
tuples of start, end and text, in characters of the source, half-open. Peers that give strings only
are aligned with the source here. None of them is asked for overlap; all else is their default.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any, Literal, NamedTuple

from structchunk_core import Chunker
from structchunk_core.encoding_files import load_encoding
from structchunk_core.grammars import find_grammar

Unit = Literal["characters", "tokens"]
Splitter = Callable[[str, str, str, int, Unit], Sequence[tuple[Any, ...]]]

_ENCODING = "cl100k_base"
_MODEL = "gpt-4"  # the peer that knows encodings by models only: one of cl100k_base
_REACH = 64  # a piece is looked for so many times its own length away from where it should be


class UnsupportedError(Exception):
    """The splitter has nothing for this language or this unit."""


class Piece(NamedTuple):
    """What a splitter made of a part of the source.

    Attributes:
        start: where it stands in the source, in characters; half-open.
        end: one past its end. The same as ``start`` when it could not be found in the source.
        text: what it says of the source.
        indexed: what is measured against the budget where that is more than the text, or ``""``.
    """

    start: int
    end: int
    text: str
    indexed: str = ""


class Entrant(NamedTuple):
    """A line of the table of splitters.

    Attributes:
        split: the splitter itself.
        modules: what has to be importable.
        package: what to install where it is not.
        ours: whether the targets are meant for it.
    """

    split: Splitter
    modules: tuple[str, ...] = ()
    package: str = ""
    ours: bool = False


def counter(unit: Unit) -> Callable[[str], int]:
    """What a text measures: its characters, or its tokens of cl100k_base."""
    if unit == "characters":
        return len
    encoding = load_encoding(_ENCODING)
    return lambda text: len(encoding.encode_ordinary(text))


@cache
def our_chunker(granularity: Literal["definition", "packed"], size: int, unit: Unit) -> Chunker:
    """The chunker behind one of our two lines: ``packed`` aims at the limit."""
    return Chunker(
        tokenizer="characters" if unit == "characters" else _ENCODING,
        chunk_size=size,
        target_size=size if granularity == "packed" else None,
        granularity=granularity,
    )


def missing(name: str) -> str:
    """What to install before the splitter of that name can run, or ``""``."""
    entrant = SPLITTERS[name]
    absent = [module for module in entrant.modules if importlib.util.find_spec(module) is None]
    return entrant.package if absent else ""


def align(text: str, parts: Iterable[str]) -> list[Piece]:
    """The parts with the place in the text that each was taken from.

    White space is not compared, so that stripped, dedented or re-indented parts find their place;
    a span runs from the first to the last visible character. A part that is not where the one
    before ended is looked for ahead (then something was lost) and behind (then something is
    repeated), the nearer wins; the search reaches as far as 64 times the part's length, so that
    all of it takes time in proportion to the parts. What is not found has an empty span.
    """
    visible = "".join(text.split())
    places = [place for place, character in enumerate(text) if not character.isspace()]
    places.append(len(text))
    pieces = []
    cursor = 0
    for part in parts:
        key = "".join(part.split())
        found = _nearest(visible, key, cursor) if key else -1
        if found < 0:
            pieces.append(Piece(places[cursor], places[cursor], part))
            continue
        end = found + len(key)
        pieces.append(Piece(places[found], places[end - 1] + 1, part))
        cursor = max(cursor, end)
    return pieces


def _nearest(visible: str, key: str, cursor: int) -> int:
    if visible.startswith(key, cursor):
        return cursor
    reach = _REACH * len(key)
    ahead = visible.find(key, cursor, cursor + reach)
    behind = visible.rfind(key, max(0, cursor - reach), cursor + len(key) - 1)
    if ahead < 0 or behind < 0:
        return max(ahead, behind)
    return ahead if ahead - cursor <= cursor - behind else behind


def _definition(text: str, path: str, language: str, size: int, unit: Unit) -> list[Piece]:
    return _ours(our_chunker("definition", size, unit), text, path, language)


def _packed(text: str, path: str, language: str, size: int, unit: Unit) -> list[Piece]:
    return _ours(our_chunker("packed", size, unit), text, path, language)


def _ours(chunker: Chunker, text: str, path: str, language: str) -> list[Piece]:
    return [
        Piece(
            *chunk.span,
            chunk.text.removeprefix(chunk.prefix).removesuffix(chunk.suffix),
            chunk.embed_text,
        )
        for chunk in chunker.chunk(text, path=path, language=language)
    ]


def _llamaindex(text: str, path: str, language: str, size: int, unit: Unit) -> list[Piece]:
    return align(text, _code_splitter(language, size, unit).split_text(text))


@cache
def _code_splitter(language: str, size: int, unit: Unit) -> Any:
    from llama_index.core.node_parser import CodeSplitter
    from tree_sitter import Parser

    return CodeSplitter(
        language=language,
        parser=Parser(find_grammar(language)),
        count_mode="char" if unit == "characters" else "token",
        max_chars=size,
        max_tokens=size,
        tokenizer=load_encoding(_ENCODING).encode_ordinary,
    )


def _langchain(text: str, path: str, language: str, size: int, unit: Unit) -> list[Piece]:
    return align(text, _recursive_splitter(language, size, unit).split_text(text))


@cache
def _recursive_splitter(language: str, size: int, unit: Unit) -> Any:
    from langchain_text_splitters import Language, RecursiveCharacterTextSplitter

    known = {"javascript": "js", "typescript": "ts", "tsx": "ts"}.get(language, language)
    if known not in {member.value for member in Language}:
        raise UnsupportedError
    return RecursiveCharacterTextSplitter.from_language(
        Language(known), chunk_size=size, chunk_overlap=0, length_function=counter(unit)
    )


def _semantic(text: str, path: str, language: str, size: int, unit: Unit) -> list[Piece]:
    found = _semantic_splitter(language, size, unit).chunk_indices(text)
    return [Piece(start, start + len(part), part) for start, part in found]


@cache
def _semantic_splitter(language: str, size: int, unit: Unit) -> Any:
    from tree_sitter_language_pack import get_binding

    splitter = importlib.import_module("semantic_text_splitter").CodeSplitter
    try:
        grammar = get_binding(language)  # type: ignore[arg-type]  # any name, that is the question
    except LookupError as error:
        raise UnsupportedError from error
    if unit == "characters":
        return splitter(grammar, size)
    return splitter.from_tiktoken_model(grammar, _MODEL, size)


def _astchunk(text: str, path: str, language: str, size: int, unit: Unit) -> list[Piece]:
    windows = _astchunk_builder(language, size, unit).chunkify(text)
    return align(text, [window["content"] for window in windows])


@cache
def _astchunk_builder(language: str, size: int, unit: Unit) -> Any:
    known = {"tsx": "typescript"}.get(language, language)
    if known not in {"csharp", "java", "python", "typescript"} or unit != "characters":
        raise UnsupportedError  # its budget is in visible characters: no other unit
    builder = importlib.import_module("astchunk").ASTChunkBuilder
    return builder(max_chunk_size=size, language=known, metadata_template="none")


def _chonkie(text: str, path: str, language: str, size: int, unit: Unit) -> list[Piece]:
    chunks = _chonkie_chunker(language, size, unit).chunk(text)
    return align(text, [chunk.text for chunk in chunks])


@cache
def _chonkie_chunker(language: str, size: int, unit: Unit) -> Any:
    chunker = importlib.import_module("chonkie").CodeChunker
    tokenizer = "character" if unit == "characters" else counter(unit)
    return chunker(tokenizer=tokenizer, chunk_size=size, language=language)


SPLITTERS: dict[str, Entrant] = {
    "definition": Entrant(_definition, ours=True),
    "packed": Entrant(_packed, ours=True),
    "llamaindex": Entrant(_llamaindex, ("llama_index",), "llama-index-core"),
    "langchain": Entrant(_langchain, ("langchain_text_splitters",), "langchain-text-splitters"),
    "semantic": Entrant(_semantic, ("semantic_text_splitter",), "semantic-text-splitter"),
    "astchunk": Entrant(_astchunk, ("astchunk",), "astchunk"),
    "chonkie": Entrant(_chonkie, ("chonkie",), "'chonkie<1.6.6'"),
}
"""Ours and the peers, by the names that the command takes; in the order in which they print."""
