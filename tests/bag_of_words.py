"""A deterministic embedding for the tests of both frameworks: words hashed into a vector."""

from __future__ import annotations

import re
import zlib

SIZE = 512
_WORD = re.compile(r"[A-Za-z]+|[0-9]+")


def vector(text: str) -> list[float]:
    """A unit vector; the more words two texts share, the closer theirs are."""
    counts = [0.0] * SIZE
    for word in _WORD.findall(text.lower()):
        counts[zlib.crc32(word.encode()) % SIZE] += 1.0
    norm = sum(count * count for count in counts) ** 0.5 or 1.0
    return [count / norm for count in counts]
