"""Real files: the standard library of the running Python, and what is installed beside it.

``python -m tests.real_files SHARD SHARDS`` chunks a part of them and prints one digest of every id
and text: two processes with other hash seeds have to print the same.
"""

from __future__ import annotations

import hashlib
import sys
import sysconfig
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from structchunk_core import Chunk, Chunker

_ENDINGS = frozenset({".py", ".md", ".csv", ".json", ".js", ".c", ".h", ".rst", ".txt", ".toml"})
_LARGEST = 6_000_000


@cache
def real_files() -> tuple[tuple[str, Path], ...]:
    """Every file with a name to show it by, sorted by that name."""
    folders = {
        "stdlib": Path(sysconfig.get_path("stdlib")),
        "site-packages": Path(sysconfig.get_path("purelib")),
    }
    found: dict[Path, str] = {}
    for name, folder in folders.items():
        for path in folder.rglob("*"):
            if path.suffix in _ENDINGS and path.is_file() and path.stat().st_size <= _LARGEST:
                shown = f"{name}/{path.relative_to(folder).as_posix()}"
                if name == "site-packages" or "site-packages" not in path.relative_to(folder).parts:
                    found[path] = shown
    return tuple(sorted((shown, path) for path, shown in found.items()))


def documents(shard: int, shards: int) -> Iterator[tuple[str, str]]:
    """Name and text of the files of one of several equal parts."""
    for name, path in real_files()[shard::shards]:
        try:
            yield name, path.read_bytes().decode("utf-8")
        except UnicodeDecodeError:
            continue  # test files in other encodings: reading them is not what is tested here


def some_of_each_ending(count: int) -> Iterator[tuple[str, str]]:
    """Name and text of up to so many files of each kind, from all over."""
    kinds: dict[str, list[tuple[str, Path]]] = {}
    for name, path in real_files():
        kinds.setdefault(path.suffix, []).append((name, path))
    for files in kinds.values():
        for name, path in files[:: len(files) // count + 1]:
            try:
                yield name, path.read_bytes().decode("utf-8")
            except UnicodeDecodeError:
                continue


def digest(chunks: list[Chunk]) -> bytes:
    """What has to be the same in every process."""
    parts = (f"{chunk.id} {chunk.span} {chunk.embed_text}" for chunk in chunks)
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).digest()


def main(shard: int, shards: int) -> str:
    """The digest of a part of the files."""
    chunker = Chunker()
    total = hashlib.sha256()
    for name, text in documents(shard, shards):
        total.update(digest(chunker.chunk(text, path=name)))
    return total.hexdigest()


if __name__ == "__main__":
    sys.stdout.write(main(int(sys.argv[1]), int(sys.argv[2])))
