"""The documents that are asked about: files of repositories, fetched once by git."""

from __future__ import annotations

import hashlib
import json
import subprocess
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

SOURCES = Path(__file__).with_name("sources.toml")
_LEFT_OUT = ("_test.", ".test.", "/test/", "/tests/", "/testdata/", "/locale/", "/fp/")


class Document(NamedTuple):
    """A document with its path, as splitters are given it, and the title of where it comes from."""

    path: str
    text: str
    title: str = ""


@cache
def sources(file: Path = SOURCES) -> Mapping[str, Any]:
    """What a file such as ``sources.toml`` says."""
    return tomllib.loads(file.read_text("utf-8"))


def fetch(folder: Path, said: Mapping[str, Any]) -> None:
    """Fetch each repository at its commit into the folder, where it is not there yet.

    Raises:
        subprocess.CalledProcessError: git cannot do it.
    """
    for name, commit in said["commits"].items():
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


def documents(folder: Path, said: Mapping[str, Any], most: int) -> list[Document]:
    """Documents of one kind of question, together of so many characters at most.

    Files of each pattern are taken in turn. Which ones depends on their paths and lengths alone, so
    that it is the same everywhere.

    Args:
        folder: holds the repositories.
        said: what the sources say about the kind: ``files`` are patterns. ``titles``, two words:
            with the first exchanged for the second, the path of a file is that of a JSON file
            beside it, which tells its title.
        most: how many characters are taken.
    """
    taken: list[Document] = []
    total = 0
    for path in _in_turn([sorted(_files(folder, one), key=_shuffled) for one in said["files"]]):
        text = (folder / path).read_bytes().decode("utf-8", "replace").replace("\r\n", "\n")
        if total + len(text) <= most:
            total += len(text)
            taken.append(Document(path, text, _title(folder / path, *said.get("titles", ()))))
    return sorted(taken)


def _title(file: Path, part: str = "", instead: str = "") -> str:
    beside = Path(str(file).replace(part, instead)).with_suffix(".json") if part else file
    if beside == file or not beside.is_file():
        return ""
    return str(json.loads(beside.read_text("utf-8"))["title"])


def _in_turn(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """The first of each row, then the second of each, and so on; each once."""
    taken: set[str] = set()
    for number in range(max(map(len, rows), default=0)):
        for row in rows:
            if number < len(row) and row[number] not in taken:
                taken.add(row[number])
                yield row[number]


def _files(folder: Path, pattern: str) -> Iterator[str]:
    for path in folder.glob(pattern):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and not any(part in name for part in _LEFT_OUT):
            yield name


def _shuffled(path: str) -> str:
    return hashlib.sha256(path.encode()).hexdigest()
