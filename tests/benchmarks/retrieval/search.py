"""Ranking pieces for a question: by words (BM25), by an embedding model, and by both."""

from __future__ import annotations

import hashlib
import importlib
import re
from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from sqlite3 import Connection, connect
from typing import Any

from tests.benchmarks.embedding import DIMENSION, read_ids, vector_of

_SMOOTHING = 60
"""Cormack, Clarke and Büttcher: "Reciprocal Rank Fusion outperforms Condorcet and individual Rank
Learning Methods" (SIGIR 2009) takes this constant."""

_PATIENCE = 60.0  # seconds that one process waits for another one to write
_DEEP = 200  # ranks that are looked at
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")
Ranks = Mapping[str, Sequence[Sequence[int]]]
"""For each way of ranking and each question the numbers of the texts, the best first."""


def words(text: str) -> list[str]:
    """The words of a text in lower case, those of ``camelCase`` and ``snake_case`` apart."""
    return [word.lower() for word in _WORD.findall(text)]


def ranks(texts: Sequence[str], questions: Sequence[str], vectors: Vectors | None) -> Ranks:
    """How the texts rank for each question.

    Args:
        texts: what is indexed.
        questions: what is asked.
        vectors: makes vectors; None: rank by words alone.
    """
    found: dict[str, list[list[int]]] = {"words": _by_words(texts, questions)}
    if vectors is not None:
        found["meaning"] = _by_meaning(texts, questions, vectors)
        found["both"] = [fused(pair) for pair in zip(found["words"], found["meaning"], strict=True)]
    return found


def fused(rows: Sequence[Sequence[int]]) -> list[int]:
    """Several rankings as one: each text gets the sum of the reciprocals of its ranks."""
    scores: dict[int, float] = {}
    for row in rows:
        for rank, number in enumerate(row):
            scores[number] = scores.get(number, 0) + 1 / (_SMOOTHING + rank + 1)
    return sorted(scores, key=lambda number: (-scores[number], number))


class Vectors:
    """Vectors of texts, each made once and kept in a file, which several processes may share.

    Texts that the model reads alike, as far as it reads them, share a vector: those that differ in
    white space, and those whose ends alone differ.

    Args:
        file: of SQLite; made where there is none.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        with self._opened() as store:
            store.execute("create table if not exists read (ids blob primary key, vector blob)")

    def of(self, texts: Sequence[str]) -> Any:
        """An array (texts, DIMENSION) with a unit vector for each text."""
        import numpy as np

        found = np.empty((len(texts), DIMENSION), dtype=np.float32)
        with self._opened() as store:
            for number, text in enumerate(texts):
                found[number] = np.frombuffer(self._vector(store, text), dtype=np.float32)
        return found

    def _vector(self, store: Connection, text: str) -> bytes:
        ids = read_ids(text)
        key = hashlib.sha256(array("i", ids).tobytes()).digest()
        row = store.execute("select vector from read where ids = ?", (key,)).fetchone()
        if row is not None:
            kept: bytes = row[0]
            return kept
        made = array("f", vector_of(ids)).tobytes()
        with store:  # written at once, so that a run that is stopped can go on
            store.execute("insert or ignore into read values (?, ?)", (key, made))
        return made

    @contextmanager
    def _opened(self) -> Iterator[Connection]:
        store = connect(self._file, timeout=_PATIENCE)
        store.execute("pragma synchronous = off")  # what is lost is made again
        try:
            yield store
        finally:
            store.close()


def _by_words(texts: Sequence[str], questions: Sequence[str]) -> list[list[int]]:
    import numpy as np

    index = importlib.import_module("bm25s").BM25()  # it has no types
    index.index([words(text) for text in texts], show_progress=False)
    found: list[list[int]] = []
    for question in questions:
        scores = index.get_scores(words(question))
        found.append(np.argsort(-scores, kind="stable")[:_DEEP].tolist())
    return found


def _by_meaning(
    texts: Sequence[str], questions: Sequence[str], vectors: Vectors
) -> list[list[int]]:
    import numpy as np

    similar = vectors.of(questions) @ vectors.of(texts).T
    order = np.argsort(-similar, axis=1, kind="stable")[:, :_DEEP]
    found: list[list[int]] = order.tolist()
    return found
