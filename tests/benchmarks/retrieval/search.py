"""Ranking pieces for a question: by words (BM25), by an embedding model, and by both."""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping, Sequence
from typing import Any

from tests.benchmarks.embedding import embed

_SMOOTHING = 60
"""Cormack, Clarke and Büttcher: "Reciprocal Rank Fusion outperforms Condorcet and individual Rank
Learning Methods" (SIGIR 2009) takes this constant."""

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
    """Vectors of texts, each made once."""

    def __init__(self) -> None:
        self._known: dict[str, list[float]] = {}

    def of(self, texts: Sequence[str]) -> Any:
        """An array with a vector for each text."""
        import numpy as np

        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        self._known.update(zip(new, embed(new), strict=True))
        return np.array([self._known[text] for text in texts], dtype=np.float32)


def _by_words(texts: Sequence[str], questions: Sequence[str]) -> list[list[int]]:
    index = importlib.import_module("bm25s").BM25()  # it has no types
    index.index([words(text) for text in texts], show_progress=False)
    deep = min(_DEEP, len(texts))
    found = []
    for question in questions:
        scores = index.get_scores(words(question))
        order = sorted(range(len(texts)), key=lambda number: (-scores[number], number))[:deep]
        found.append(order)
    return found


def _by_meaning(
    texts: Sequence[str], questions: Sequence[str], vectors: Vectors
) -> list[list[int]]:
    import numpy as np

    similar = vectors.of(questions) @ vectors.of(texts).T
    order = np.argsort(-similar, axis=1, kind="stable")[:, :_DEEP]
    found: list[list[int]] = order.tolist()
    return found
