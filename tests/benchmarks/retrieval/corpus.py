"""The documents that are asked about: files of repositories and packages, fetched once."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
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
    """Fetch each repository and each package into the folder, where it is not there yet.

    Repositories come from GitHub at their commits, packages as the sources that their authors have
    given to the package index, PyPI or the one that ``PIP_INDEX_URL`` names. Nothing of theirs is
    built or run.

    Raises:
        subprocess.CalledProcessError: git cannot do it.
        LookupError: the index does not have the sources of a package in that version.
    """
    for name, commit in said.get("commits", {}).items():
        place = folder / name
        if not place.is_dir():
            _fetch_repository(place, name, commit)
    for name, version in said.get("packages", {}).items():
        place = folder / name
        if not place.is_dir():
            _fetch_package(place, f"{name}=={version}")


def _fetch_repository(place: Path, name: str, commit: str) -> None:
    place.mkdir(parents=True)
    address = f"https://github.com/{name}"
    for command in (
        ("init", "-q"),
        ("fetch", "-q", "--depth", "1", address, commit),
        ("checkout", "-q", commit),
    ):
        subprocess.run(("git", *command), cwd=place, check=True)  # noqa: S607  # the user's git


def _fetch_package(place: Path, requirement: str) -> None:
    from unearth import PackageFinder  # pip would build a package before it unpacks it

    index = os.environ.get("PIP_INDEX_URL") or "https://pypi.org/simple/"
    finder = PackageFinder(index_urls=[index], no_binary=[":all:"])
    found = finder.find_best_match(requirement).best
    if found is None:
        raise LookupError(f"{index} does not have the sources of {requirement}")
    place.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=place.parent) as work:
        # What is stopped on the way leaves no folder that looks whole.
        unpacked = finder.download_and_unpack(found.link, Path(work, "unpacked"), work)
        unpacked.rename(place)


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
