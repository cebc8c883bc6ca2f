"""Prints whether the installed package is compiled, and a digest of the chunks of some files.

    python .ci/digest.py FOLDER ...

Two installations that print the same digest make the same chunks, byte for byte. Files of a format
that structchunk knows count, up to 200 KB each, with three settings in turn.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

from structchunk_core import Chunker, detect
from structchunk_core import choosing as one_of_the_compiled

_LONGEST = 200_000
_SETTINGS = (
    {},
    {"tokenizer": "characters", "chunk_size": 300, "granularity": "packed", "chunk_overlap": 40},
    {"chunk_size": 120, "outline": "all", "table_rows": "linked", "table_format": "records"},
)


def main() -> None:
    """Chunk and print."""
    chunkers = [Chunker(**settings) for settings in _SETTINGS]
    digest = hashlib.sha256()
    files = chunks = 0
    for folder in sys.argv[1:]:
        for path in sorted(Path(folder).rglob("*")):
            text = _text_or_none(path)
            if text is None:
                continue
            name = path.relative_to(folder).as_posix()
            files += 1
            for chunk in chunkers[files % len(chunkers)].chunk(text, path=name):
                digest.update(json.dumps(chunk.record(), sort_keys=True).encode())
                chunks += 1
    compiled = not (one_of_the_compiled.__file__ or "").endswith(".py")
    print("compiled" if compiled else "pure", files, "files", chunks, "chunks", digest.hexdigest())


def _text_or_none(path: Path) -> str | None:
    if not path.is_file() or path.stat().st_size > _LONGEST:
        return None
    if detect("", path.name).format == "text":
        return None
    try:
        return path.read_bytes().decode()
    except UnicodeDecodeError:
        return None


if __name__ == "__main__":
    main()
