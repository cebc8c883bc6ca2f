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
        structchunk_core.nothing_of_the_kind  # noqa: B018  # it raises


def loaded_by(code: str) -> set[str]:
    """The modules that a new process has loaded of its own accord by the end of some code."""
    told = f"import sys; before = {{*sys.modules}}; {code}; print(*{{*sys.modules}} - before)"
    return set(in_a_new_process(told).split())


def test_importing_the_package_loads_next_to_nothing() -> None:
    loaded = loaded_by("import structchunk_core")
    own = {name.rpartition(".")[2] for name in loaded if name.startswith("structchunk_core")}
    assert own == {"structchunk_core", "audit", "detect", "one_call"}
    assert not {"dataclasses", "inspect", "logging", "pathlib", "tree_sitter"} & loaded


def test_what_chunks_is_loaded_when_it_is_named() -> None:
    """And of that only what every document needs."""
    assert "structchunk_core.chunker" in loaded_by("import structchunk_core as s; s.Chunker")
    loaded = loaded_by("from structchunk_core import Chunker; Chunker()")
    late = (
        "tabling",
        "table_profile",
        "table_records",
        "hierarchy",
        "contextualizing",
        "outlining",
    )
    assert not {f"structchunk_core.{name}" for name in (*late, "auditing.units")} & loaded
    assert not {"logging", "concurrent.futures", "datetime"} & loaded


def test_values_are_loaded_when_they_are_named() -> None:
    for name in ("Chunk", "Problem", "Source", "Unit"):
        code = f"import structchunk_core as s; s.{name}; s.{name}"
        assert "dataclasses" in loaded_by(code)


def test_a_star_import_brings_them_all() -> None:
    code = "from structchunk_core import *; print(len(chunk('a = 1', path='a.py')), Chunker)"
    assert in_a_new_process(code).startswith("1 <class")
