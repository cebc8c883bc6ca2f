"""The public names: all there, none taken by a module of the same name, loaded when asked for."""

from __future__ import annotations

import subprocess
import sys
import types
from importlib import import_module
from pathlib import Path

import pytest

import structchunk_core

PACKAGE = Path(structchunk_core.__file__).parent


def in_a_new_process(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=120
    )
    return done.stdout


def test_every_public_name_stands_for_what_it_says() -> None:
    for module in PACKAGE.glob("[a-z]*.py"):
        if module.stem not in {"cli", "__main__"}:
            import_module(f"structchunk_core.{module.stem}")
    for name in structchunk_core.__all__:
        found = getattr(structchunk_core, name)
        assert not isinstance(found, types.ModuleType), name
        assert found.__name__ == name
    assert set(structchunk_core.__all__) <= set(dir(structchunk_core))
    with pytest.raises(AttributeError, match="nothing_of_the_kind"):
        structchunk_core.nothing_of_the_kind  # noqa: B018


def test_what_chunks_is_loaded_when_it_is_named() -> None:
    code = "import sys, structchunk_core as s; print('structchunk_core.{}' in sys.modules)"
    assert in_a_new_process(code.format("chunker")).strip() == "False"
    code = code.replace("; print", "; s.Chunker; print")
    assert in_a_new_process(code.format("chunker")).strip() == "True"
    assert in_a_new_process(code.format("auditing.units")).strip() == "False"


def test_a_star_import_brings_them_all() -> None:
    code = "from structchunk_core import *; print(len(chunk('a = 1', path='a.py')), Chunker)"
    assert in_a_new_process(code).startswith("1 <class")
