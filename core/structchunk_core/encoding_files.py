"""The encodings of tiktoken, from files on this machine; nothing is ever downloaded."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

from structchunk_core.encodings import ENCODINGS
from structchunk_core.errors import ConfigurationError, MissingDependencyError
from structchunk_core.settings import shown

_LOADING = threading.Lock()


def encoding_names() -> list[str]:
    """The names of the encodings that tiktoken knows, without loading one."""
    from tiktoken import list_encoding_names

    return sorted(list_encoding_names())


def encoding_of_model(model: object) -> str:
    """The name of the encoding that a model has (``"gpt-4o"``), without loading one.

    Raises:
        ConfigurationError: tiktoken knows no such model.
    """
    from tiktoken.model import encoding_name_for_model

    try:
        if isinstance(model, str):
            return encoding_name_for_model(model)
    except KeyError:
        pass
    raise ConfigurationError(
        f"model_name must be a model that tiktoken knows, got {shown(model)}: give the name of an "
        "encoding, or a tokenizer"
    )


@lru_cache(maxsize=8)
def load_encoding(name: str) -> Any:
    """A tiktoken encoding from files on this machine; nothing is ever downloaded.

    Raises:
        MissingDependencyError: no file of the encoding is here; the message names the ways out.
    """
    import tiktoken

    folder = _folder_or_none(name)
    if folder is None:
        raise MissingDependencyError(_missing(name))
    with _LOADING:
        before = os.environ.get("TIKTOKEN_CACHE_DIR")
        os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)
        try:
            return tiktoken.get_encoding(name)
        finally:
            if before is None:
                del os.environ["TIKTOKEN_CACHE_DIR"]
            else:
                os.environ["TIKTOKEN_CACHE_DIR"] = before


def rank_file_or_none(name: str) -> Path | None:
    """The file with the tokens of an encoding and their ranks, where it is one file and here."""
    known = ENCODINGS.get(name)
    folder = _folder_or_none(name) if known and len(known.files) == 1 else None
    return _cached(folder, known.files[0]) if known and folder is not None else None


def _missing(name: str) -> str:
    """What to do where the files of an encoding are not here."""
    fill = (
        "fill tiktoken's cache on a machine with a network "
        f"(python -c \"import tiktoken; tiktoken.get_encoding('{name}')\") and point "
        "TIKTOKEN_CACHE_DIR at it"
    )
    shipped = [one for one, known in ENCODINGS.items() if known.is_shipped]
    brought = ", ".join(shipped)
    extra = "pip install 'structchunk-parsers[llamaindex]'"
    if name in shipped:
        ways = [f"{extra}, since llama-index-core ships {brought}", fill]
    else:
        ways = [fill, f"use an encoding that llama-index-core ships: {brought} ({extra})"]
    ways.append("use tokenizer='characters', or pass a tokenizer or length_function of your own")
    numbered = "; ".join(f"({number}) {way}" for number, way in enumerate(ways, 1))
    return (
        f"the files of the tokenizer {name!r} are not on this machine, and structchunk never "
        f"downloads. Three ways out: {numbered}"
    )


def _encoding_folders() -> Iterable[Path]:
    import tempfile
    from importlib.util import find_spec

    for variable in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        if os.environ.get(variable):
            yield Path(os.environ[variable])
    yield Path(tempfile.gettempdir()) / "data-gym-cache"
    try:
        found = find_spec("llama_index.core")
    except ModuleNotFoundError:
        found = None
    for location in (found.submodule_search_locations or ()) if found else ():
        yield Path(location) / "_static" / "tiktoken_cache"


def _folder_or_none(name: str) -> Path | None:
    """The first folder with all files of the encoding."""
    return next((place for place in _encoding_folders() if _has_encoding(place, name)), None)


def _has_encoding(folder: Path, name: str) -> bool:
    known = ENCODINGS.get(name)
    if known is None:
        return True  # an encoding from a tiktoken plugin: it brings its own files
    return all(_cached(folder, file).is_file() for file in known.files)


def _cached(folder: Path, file: str) -> Path:
    """Where tiktoken's cache has the file: it is named by the SHA-1 of its address."""
    address = "https://openaipublic.blob.core.windows.net/" + file
    return folder / hashlib.sha1(address.encode(), usedforsecurity=False).hexdigest()
