"""Functions and tokenizers as settings: named in plain JSON, and found again by that name."""

from __future__ import annotations

import hashlib
import pickle
import sys
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from operator import attrgetter
from types import FunctionType
from typing import Any
from weakref import WeakKeyDictionary

from tree_sitter import Language, Parser

from structchunk_core import ConfigurationError, Contextualizer
from structchunk_core.encoding_files import encoding_names
from structchunk_core.settings import shown

_FUNCTION = "function"
_OBJECT = "object"
_UNNAMED: WeakKeyDictionary[Any, str] = WeakKeyDictionary()


def described(value: object) -> object:
    """A function or tokenizer, plain as JSON: equal descriptions mean that both do the same.

    The name of an encoding; the module and name of a function; of any other object its type and
    a digest of its pickled form; of what cannot be pickled (a lambda) something that no other
    object has, so that nothing cached is mistaken for its work.
    """
    if value is None or isinstance(value, str):
        return value
    encoding = _encoding_or_none(value)
    if encoding is not None and encoding.name in encoding_names():
        return str(encoding.name)
    if isinstance(value, Mapping):
        return {key: described(value[key]) for key in sorted(value)}
    kind = type(value)
    if isinstance(value, Contextualizer):
        return {_OBJECT: f"{kind.__module__}.{kind.__qualname__}:{value.fingerprint}"}
    if isinstance(value, Parser | Language):
        grammar = value.language if isinstance(value, Parser) else value
        about = f"{grammar.name}:{grammar.abi_version}" if grammar else ""
        return {_OBJECT: f"{kind.__module__}.{kind.__qualname__}:{about}"}
    module = getattr(value, "__module__", None)
    name = getattr(value, "__qualname__", None)
    if module and name and _looked_up(sys.modules.get(module), name) is value:
        return {_FUNCTION: f"{module}:{name}"}
    return {_OBJECT: f"{kind.__module__}.{kind.__qualname__}:{_digest(value)}"}


def restored(setting: str, value: Any) -> Any:
    """What :func:`described` has described; anything else is handed back as it is.

    Raises:
        ConfigurationError: it was no function of a module, or that is not there.
    """
    if not isinstance(value, dict):
        return value
    if not value.keys() & {_FUNCTION, _OBJECT}:
        return {key: restored(setting, inner) for key, inner in value.items()}
    module, _, name = str(value.get(_FUNCTION, "")).partition(":")
    found = None
    if module and name:
        try:
            found = _looked_up(import_module(module), name)
        except ImportError as error:
            raise ConfigurationError(
                f"{setting} is the function {name!r} of the module {module!r}, which cannot be "
                f"imported here: pass {setting}= again"
            ) from error
    if found is None:
        raise ConfigurationError(
            f"{setting} cannot be restored from {shown(value)}: pass {setting}= again"
        )
    return found


def tokenizer_object(tokenizer: Any) -> Any:
    """A tokenizer as the core knows them, from all that LlamaIndex calls one.

    There it is a function from text to a sequence of tokens, often the bound ``encode`` of a
    tiktoken encoding: then it is the encoding that is meant, for which text that looks like a
    special token is text.

    Raises:
        ConfigurationError: the function fails, or does not return a sequence.
    """
    encoding = _encoding_or_none(tokenizer)
    if encoding is not None:
        return encoding
    if isinstance(tokenizer, str) or hasattr(tokenizer, "encode") or not callable(tokenizer):
        return tokenizer
    try:
        tokens = tokenizer("two words")
    except Exception as error:  # it is a function of the user, so it may raise anything
        raise ConfigurationError(
            f"tokenizer must be a function from text to a list of tokens, and {shown(tokenizer)} "
            f"failed on 'two words': {error!r}"
        ) from error
    if not hasattr(tokens, "__len__"):
        raise ConfigurationError(
            "tokenizer must be a function from text to a list of tokens, and it returned "
            f"{shown(tokens)}: a function from text to a length goes into length_function"
        )
    named = str(getattr(tokenizer, "__qualname__", type(tokenizer).__qualname__))
    return _Tokenizer(tokenizer, named)


def check_picklable(setting: str, value: object) -> None:
    """Check that a function can be found again by another process.

    Raises:
        pickle.PicklingError: it is a lambda or stands inside a function, or is a grammar.
    """
    if isinstance(value, Parser) or (setting == "grammars" and value):
        raise pickle.PicklingError(
            f"{setting} cannot be pickled, because no grammar of tree-sitter can: leave it out, "
            "and each process finds the installed grammar of the language for itself"
        )
    if isinstance(value, Contextualizer):
        value = value.model
    if isinstance(value, FunctionType) and "<" in value.__qualname__:
        raise pickle.PicklingError(
            f"{setting} cannot be pickled, because {value.__qualname__} has no name that another "
            "process could find: use a function defined at the top of a module"
        )


@dataclass(frozen=True)
class _Tokenizer:
    """A function from text to tokens, as a tokenizer object."""

    function: Callable[[str], Sequence[Any]]
    name_or_path: str

    def encode(self, text: str) -> Sequence[Any]:
        return self.function(text)


def _encoding_or_none(tokenizer: object) -> Any:
    """The tiktoken encoding that this is, or whose method it is."""
    function = tokenizer.func if isinstance(tokenizer, partial) else tokenizer
    for candidate in (tokenizer, getattr(function, "__self__", None)):
        if hasattr(candidate, "encode_ordinary") and hasattr(candidate, "name"):
            return candidate
    return None


def _looked_up(module: object, name: str) -> object:
    try:
        return attrgetter(name)(module)
    except AttributeError:
        return None


def _digest(value: Any) -> str:
    try:
        pickled = pickle.dumps(value, protocol=4)
    except (pickle.PicklingError, AttributeError, TypeError):
        return _unique_name(value)
    return hashlib.sha256(pickled).hexdigest()[:32]


def _unique_name(value: object) -> str:
    try:
        return _UNNAMED.setdefault(value, uuid.uuid4().hex)
    except TypeError:  # it cannot be a key, so it gets another name each time
        return uuid.uuid4().hex
