"""The promises on thousands of real files, and the same bytes from two processes."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from structchunk_core import Chunker
from tests.promises import check_promises
from tests.real_files import digest, documents, real_files

ROOT = Path(__file__).parent.parent
SHARDS = 16
ENOUGH = 5000


def test_there_are_enough_real_files() -> None:
    assert len(real_files()) >= ENOUGH


@pytest.mark.parametrize("shard", range(SHARDS))
def test_the_promises_hold_for_real_files_in_every_process(shard: int) -> None:
    other = subprocess.Popen(
        [sys.executable, "-m", "tests.real_files", str(shard), str(SHARDS)],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": str(1000 + shard)},
        stdout=subprocess.PIPE,
        text=True,
    )
    chunker = Chunker()
    total = hashlib.sha256()
    for name, text in documents(shard, SHARDS):
        chunks = chunker.chunk(text, path=name)
        try:
            check_promises(text, chunks, chunker)
        except AssertionError as error:
            error.add_note(f"in {name}")
            raise
        total.update(digest(chunks))
    printed, _ = other.communicate()
    assert other.returncode == 0
    assert printed == total.hexdigest()
