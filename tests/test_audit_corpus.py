"""Chunks of our own break no promise, in real files and in every document of the golden cases."""

from __future__ import annotations

import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from structchunk_core import Chunker, audit
from tests.test_cases import read_sections

SETTINGS: list[dict[str, Any]] = [
    {},
    {"chunk_size": 128, "context": "inline"},
    {"tokenizer": "characters", "chunk_size": 1500, "granularity": "packed"},
]


def broken(path: str, text: str, chunker: Chunker) -> list[str]:
    chunks = chunker.chunk(text, path=path)
    return [str(one) for one in audit(text, chunks, path=path, chunker=chunker).broken]


def library() -> Iterator[Path]:
    """A sample of Python's library and of the documents that packages bring along."""
    stdlib = Path(sysconfig.get_path("stdlib"))
    yield from sorted(stdlib.glob("*.py"))[::9]
    packages = Path(sysconfig.get_path("purelib"))
    for ending in ("md", "rst", "html", "csv", "json"):
        found = (file for file in packages.rglob(f"*.{ending}") if file.stat().st_size < 60_000)
        yield from sorted(found)[::7][:10]


@pytest.mark.parametrize("settings", SETTINGS)
def test_real_files(settings: dict[str, Any]) -> None:
    chunker = Chunker(**settings)
    found: list[str] = []
    for file in library():
        text = file.read_text("utf-8", errors="replace")
        found += broken(file.name, text, chunker)
    assert found == []


@pytest.mark.parametrize("settings", SETTINGS)
def test_golden_documents(settings: dict[str, Any]) -> None:
    chunker = Chunker(**settings)
    found: list[str] = []
    for file in sorted((Path(__file__).parent / "cases").glob("*/*.case")):
        case, given, *_ = read_sections(file.read_bytes().decode("utf-8"))
        assert (case.name, given.name) == ("case", "input")
        if "path" in case.settings:
            found += broken(str(case.settings["path"]), given.text, chunker)
    assert found == []
