"""The documents that are asked about: files of repositories, fetched once by git."""

from __future__ import annotations

import hashlib
import subprocess
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

_SOURCES = Path(__file__).with_name("sources.toml")
_LEFT_OUT = ("_test.", ".test.", "/test/", "/tests/", "/testdata/", "/locale/", "/fp/")


class Document(NamedTuple):
    """A document with its path, as splitters are given it."""

    path: str
    text: str


@cache
def sources() -> Mapping[str, Any]:
    """What ``sources.toml`` says."""
    return tomllib.loads(_SOURCES.read_text("utf-8"))


def fetch(folder: Path) -> None:
    """Fetch each repository at its commit into the folder, where it is not there yet.

    Raises:
        subprocess.CalledProcessError: git cannot do it.
    """
    for name, commit in sources()["commits"].items():
        place = folder / name
        if place.is_dir():
            continue
        place.mkdir(parents=True)
        address = f"https://github.com/{name}"
        for command in (
            ("init", "-q"),
            ("fetch", "-q", "--depth", "1", address, commit),
            ("checkout", "-q", commit),
        ):
            subprocess.run(("git", *command), cwd=place, check=True)  # noqa: S607  # the user's git


def documents(folder: Path, kind: str, most: int) -> list[Document]:
    """Documents of one kind of question, together of about so many characters at most.

    Which files are taken depends on their paths alone, so that it is the same everywhere.
    """
    taken: list[Document] = []
    total = 0
    for path in sorted(_files(folder, sources()[kind]["files"]), key=_shuffled):
        text = (folder / path).read_bytes().decode("utf-8", "replace").replace("\r\n", "\n")
        if total + len(text) > most and taken:
            continue
        total += len(text)
        taken.append(Document(path, text))
    return sorted(taken)


def _files(folder: Path, patterns: Sequence[str]) -> Iterator[str]:
    for pattern in patterns:
        for path in folder.glob(pattern):
            name = path.relative_to(folder).as_posix()
            if path.is_file() and not any(part in name for part in _LEFT_OUT):
                yield name


def _shuffled(path: str) -> str:
    return hashlib.sha256(path.encode()).hexdigest()
