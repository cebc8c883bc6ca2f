"""Splitters by name: ours, those of LangChain and LlamaIndex, any function that can be imported.

A name is ``structchunk``, ``langchain:CLASS``, ``llamaindex:CLASS`` or ``MODULE:OBJECT``, with
arguments behind it as in Python (``langchain:TokenTextSplitter(chunk_size=300)``). Arguments are
read as literals; nothing is evaluated. ``langchain`` and ``llamaindex`` alone are what their
documentation advises for each kind of document. Frameworks are imported when they are named.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from structchunk_core.chunker import Chunker
from structchunk_core.detect import Detected, detect
from structchunk_core.errors import ConfigurationError, MissingDependencyError
from structchunk_core.settings import shown

Split = Callable[[str, str], Sequence[object]]
"""From the text of a document and its path to its chunks."""

OURS = "structchunk"
_SCHEMES = {
    "langchain": ("langchain_text_splitters", "langchain"),
    "llamaindex": ("llama_index.core.node_parser", "llamaindex"),
}
_SIZES = ("chunk_size", "chunk_overlap", "length_function", "tokenizer", "max_chars", "max_tokens")
_LANGCHAIN_NAMES = {"javascript": "js", "typescript": "ts", "tsx": "ts", "csharp": "csharp"}
_FORMATS = {"markdown": "markdown", "html": "html", "rst": "rst"}


class Splitter(NamedTuple):
    """What cuts documents into chunks.

    Attributes:
        name: what it is called in reports: as it was named.
        split: from a document's text and path to its chunks, in order.
    """

    name: str
    split: Split


def splitter_named(name: str, budget: Chunker) -> Splitter:
    """The splitter that a name stands for.

    What the name does not say of sizes is taken from the budget: its ``chunk_size`` in its unit,
    and no overlap. A parameter ``language`` that it does not say is that of each document.

    Args:
        name: see above.
        budget: the chunker whose ``chunk_size`` and tokenizer are the budget.

    Raises:
        ConfigurationError: the name is not to be read, or what it names is no splitter.
        MissingDependencyError: the framework is not installed.
    """
    scheme, separator, rest = name.strip().partition(":")
    if not separator:
        if name.strip() in _SCHEMES:
            _require(name.strip())
            routed = _langchain if name.strip() == "langchain" else _llamaindex
            return Splitter(name.strip(), routed(budget))
        call = _call_of(name)
        if call.path != (OURS,) or call.arguments:
            raise ConfigurationError(
                f"a splitter must be {OURS}, langchain, llamaindex, langchain:CLASS, "
                f"llamaindex:CLASS or MODULE:OBJECT, with arguments or without, got {shown(name)}"
            )
        return Splitter(name, _of_ours(_our_chunker(call, budget)))
    call = _call_of(rest)
    if scheme in _SCHEMES:
        _require(scheme)
        module = importlib.import_module(_SCHEMES[scheme][0])
    else:
        module = _imported(scheme)
    found = _found(module, call)
    if inspect.isclass(found) or inspect.ismethod(found):
        return Splitter(name, _made_for_each(found, call, budget))
    if call.has_arguments:
        found = found(*call.arguments, **call.named)
    return Splitter(name, _split_of(found, name))


def installed_peers() -> tuple[str, ...]:
    """The names of the frameworks whose splitters can be set beside ours here."""
    return tuple(name for name, (module, _) in _SCHEMES.items() if _is_there(module))


class _Call(NamedTuple):
    path: tuple[str, ...]
    arguments: tuple[object, ...]
    named: dict[str, object]
    has_arguments: bool


def _call_of(text: str) -> _Call:
    """A dotted name with arguments, read as Python writes them."""
    refusal = ConfigurationError(
        "a splitter must be a name with literal arguments, such as "
        f"TokenTextSplitter(chunk_size=300), got {shown(text)}"
    )
    try:
        node = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise refusal from None
    call = node if isinstance(node, ast.Call) else None
    path: list[str] = []
    inner: ast.expr = node if call is None else call.func
    while isinstance(inner, ast.Attribute):
        path.insert(0, inner.attr)
        inner = inner.value
    if not isinstance(inner, ast.Name):
        raise refusal
    path.insert(0, inner.id)
    if call is None:
        return _Call(tuple(path), (), {}, has_arguments=False)
    try:
        arguments = tuple(ast.literal_eval(argument) for argument in call.args)
        named = {word.arg: ast.literal_eval(word.value) for word in call.keywords if word.arg}
    except (ValueError, TypeError, MemoryError, RecursionError):
        raise refusal from None
    if len(named) != len(call.keywords):
        raise refusal
    return _Call(tuple(path), arguments, named, has_arguments=True)


def _our_chunker(call: _Call, budget: Chunker) -> Chunker:
    settings: dict[str, Any] = {
        "chunk_size": budget.chunk_size,
        "tokenizer": budget.tokenizer,
        "length_function": budget.length_function,
        **call.named,
    }
    try:
        return Chunker(**settings)
    except TypeError as error:
        raise ConfigurationError(f"{OURS}: {error}") from None


def _of_ours(chunker: Chunker) -> Split:
    return lambda text, path: chunker.chunk(text, path=path)


def _is_there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def _require(scheme: str) -> None:
    module, extra = _SCHEMES[scheme]
    if not _is_there(module):
        raise MissingDependencyError(
            f"{scheme} is not installed:\n  pip install 'structchunk-parsers[{extra}]'"
        )


def _imported(name: str) -> Any:
    """A module, which may stand in the current folder as it may for ``python -m``."""
    here = str(Path.cwd())
    sys.path.insert(0, here)
    try:
        return importlib.import_module(name)
    except (ImportError, ValueError, TypeError) as error:
        raise ConfigurationError(f"cannot import {shown(name)}: {error}") from error
    finally:
        sys.path.remove(here)


def _found(module: Any, call: _Call) -> Any:
    found = module
    for name in call.path:
        if not hasattr(found, name):
            where = getattr(found, "__name__", "?")
            raise ConfigurationError(f"there is no {shown(name)} in {where}")
        found = getattr(found, name)
    return found


def _made_for_each(make: Callable[..., Any], call: _Call, budget: Chunker) -> Split:
    """A splitter that is made for the language of each document, if it asks for one."""

    @lru_cache(maxsize=64)
    def made(language: str) -> Split:
        given = {**_filled(make, call, budget, language), **call.named}
        try:
            splitter = make(*call.arguments, **given)
        except (TypeError, ValueError) as error:
            raise ConfigurationError(f"{'.'.join(call.path)}: {error}") from error
        return _split_of(splitter, ".".join(call.path))

    if "language" not in _parameters(make) or "language" in call.named or call.arguments:
        made("")  # wrong arguments are told at once
    return lambda text, path: made(_language(detect(text, path)))(text, path)


def _filled(
    make: Callable[..., Any], call: _Call, budget: Chunker, language: str
) -> dict[str, object]:
    """The arguments that the name did not give, from the budget and the document."""
    known = _parameters(make)
    filled: dict[str, object] = {}
    if "language" in known and not call.arguments:
        filled["language"] = language
    if any(name in call.named for name in _SIZES):
        return filled
    size = budget.chunk_size
    in_characters = budget.count("\u4e00\u4e01") == 2 and budget.count("structchunk") == 11
    from_budget: dict[str, object] = {
        "chunk_size": size,
        "chunk_overlap": 0,
        "length_function": budget.count,
        "tokenizer": _Counted(budget),
        "max_chars": size,
        "max_tokens": size,
        "count_mode": "char" if in_characters else "token",
    }
    return filled | {name: value for name, value in from_budget.items() if name in known}


class _Counted:
    """A tokenizer as LlamaIndex wants it, of which only the number of tokens counts."""

    def __init__(self, budget: Chunker) -> None:
        self._budget = budget

    def __call__(self, text: str) -> range:
        return range(self._budget.count(text))


def _parameters(make: Callable[..., Any]) -> frozenset[str]:
    """The names of the arguments that a class or class method takes, inherited ones too."""
    names: set[str] = set()
    owner = getattr(make, "__self__", make)
    functions: list[Any] = [] if inspect.isclass(make) else [make]
    if inspect.isclass(owner):
        made = (vars(base).get("__init__") for base in owner.__mro__)
        functions += [function for function in made if function is not None]
    for function in functions:
        try:
            signature = inspect.signature(function)
        except (TypeError, ValueError):
            break
        names.update(signature.parameters)
        kinds = {parameter.kind for parameter in signature.parameters.values()}
        if inspect.Parameter.VAR_KEYWORD not in kinds:
            break  # it hands nothing on
    return frozenset(names - {"self", "cls", "kwargs"})


def _split_of(found: Any, name: str) -> Split:
    """How the object splits: by the methods that splitters have."""
    for method, split in _METHODS.items():
        if callable(getattr(found, method, None)):
            return split(found)
    if callable(found):
        return _function(found)
    raise ConfigurationError(f"{name} is no splitter: it has no method that splits a text")


def _nodes(parser: Any) -> Split:
    from llama_index.core import Document

    def split(text: str, path: str) -> Sequence[object]:
        metadata = {"file_path": path} if path else {}
        keys = list(metadata)
        document = Document(
            text=text,
            metadata=metadata,
            excluded_embed_metadata_keys=keys,
            excluded_llm_metadata_keys=keys,
        )
        nodes: Sequence[object] = parser.get_nodes_from_documents([document])
        return nodes

    return split


def _documents(splitter: Any) -> Split:
    from langchain_core.documents import Document

    def split(text: str, path: str) -> Sequence[object]:
        document = Document(text, metadata={"source": path} if path else {})
        documents: Sequence[object] = splitter.split_documents([document])
        return documents

    return split


def _texts(splitter: Any) -> Split:
    return lambda text, _path: list(splitter.split_text(text))


def _chunks(chunker: Any) -> Split:
    return _function(chunker.chunk)


def _function(function: Callable[..., Any]) -> Split:
    """A function of the text, or of text and ``path``."""
    try:
        takes_path = "path" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        takes_path = False
    if takes_path:
        return lambda text, path: list(function(text, path=path))
    return lambda text, _path: list(function(text))


_METHODS: Mapping[str, Callable[[Any], Split]] = {
    "get_nodes_from_documents": _nodes,
    "split_documents": _documents,
    "split_text": _texts,
    "chunk": _chunks,
}


def _language(found: Detected) -> str:
    return found.language or _FORMATS.get(found.format, "")


def _langchain(budget: Chunker) -> Split:
    """The recursive splitter, with the separators of the language where LangChain has some."""
    from langchain_text_splitters import Language, RecursiveCharacterTextSplitter

    known = {member.value for member in Language}
    sizes: dict[str, Any] = {
        "chunk_size": budget.chunk_size,
        "chunk_overlap": 0,
        "length_function": budget.count,
        "add_start_index": True,
    }

    @lru_cache(maxsize=64)
    def made(language: str) -> Split:
        if language not in known:
            return _documents(RecursiveCharacterTextSplitter(**sizes))
        of_language = RecursiveCharacterTextSplitter.from_language
        return _documents(of_language(Language(language), **sizes))

    def split(text: str, path: str) -> Sequence[object]:
        language = _language(detect(text, path))
        return made(_LANGCHAIN_NAMES.get(language, language))(text, path)

    return split


def _llamaindex(budget: Chunker) -> Split:
    """``CodeSplitter`` for code that it can parse, ``SentenceSplitter`` for all else."""
    from llama_index.core.node_parser import CodeSplitter, SentenceSplitter

    from structchunk_core.grammars import find_grammar

    no_arguments = _Call((), (), {}, has_arguments=False)
    of_prose = _nodes(SentenceSplitter(**_filled(SentenceSplitter, no_arguments, budget, "")))  # type: ignore[arg-type]  # they are the arguments that it takes

    @lru_cache(maxsize=64)
    def made(language: str) -> Split:
        from tree_sitter import Parser

        try:
            parser = Parser(find_grammar(language))
        except (MissingDependencyError, LookupError, ValueError):
            return of_prose
        sizes: dict[str, Any] = _filled(CodeSplitter, no_arguments, budget, language)
        return _nodes(CodeSplitter(parser=parser, **sizes))

    def split(text: str, path: str) -> Sequence[object]:
        language = detect(text, path).language
        if not language:
            return of_prose(text, path)
        try:
            return made(language)(text, path)
        except ValueError:  # "Could not parse code with language ..."
            return of_prose(text, path)

    return split
