"""Whether a question is answered by what is retrieved within a budget, and how sure that is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from structchunk_core.encoding_files import load_encoding
from tests.benchmarks.retrieval.questions import Question, Task, read
from tests.benchmarks.retrieval.search import Vectors, ranks
from tests.benchmarks.retrieval.splitters import Piece, Split

_DRAWS = 2000


class Result(NamedTuple):
    """How a contestant did in a task.

    Attributes:
        marks: for each way of ranking one for each question.
        pieces: how many it made.
        tokens: how many are in the texts that are indexed: what has to be embedded.
    """

    marks: dict[str, list[bool]]
    pieces: int
    tokens: int

    def share(self, way: str) -> float:
        """The part of the questions that was answered."""
        marks = self.marks[way]
        return sum(marks) / len(marks) if marks else 0.0


def result(task: Task, split: Split, vectors: Vectors | None) -> Result:
    """How a splitter does in a task."""
    pieces = [
        (document.path, piece)
        for document in task.documents
        for piece in split(document.text, document.path)
    ]
    return _result(task, pieces, vectors)


def best(results: Sequence[Result]) -> Result:
    """In each way of ranking what found most; the costs are those of the best by words."""
    marks = {
        way: max(results, key=lambda one: one.share(way)).marks[way] for way in results[0].marks
    }
    return max(results, key=lambda one: one.share("words"))._replace(marks=marks)


def oracle(task: Task, vectors: Vectors | None) -> Result:
    """How somebody would do who knew the answers, and indexed them alone, each under its path.

    What that one misses is the fault of ranking, not of cutting.
    """
    pieces = [
        (
            question.path,
            Piece(answer, (f"{question.path}\n{question.about}{answer}",)),
        )
        for question in task.questions
        for answer in [
            f"{question.figure.of}: {question.figure.written}"
            if question.figure
            else question.answer
        ]
    ]
    return _result(task, pieces, vectors)


def _result(task: Task, pieces: Sequence[tuple[str, Piece]], vectors: Vectors | None) -> Result:
    encoding = load_encoding("cl100k_base")
    texts: list[str] = []
    leads: list[int] = []
    for number, (_, piece) in enumerate(pieces):
        texts += piece.indexed
        leads += [number] * len(piece.indexed)
    sizes = [len(encoding.encode_ordinary(piece.shown)) for _, piece in pieces]

    def cut(number: int, room: int) -> str:
        tokens = encoding.encode_ordinary(pieces[number][1].shown)
        return str(encoding.decode(tokens[:room]))

    keys: dict[int, str] = {}

    def whole(number: int) -> str:
        if number not in keys:
            keys[number] = read(pieces[number][1].shown, pieces[number][0])
        return keys[number]

    marks: dict[str, list[bool]] = {}
    asked = [question.text for question in task.questions]
    for way, rows in ranks(texts, asked, vectors).items():
        marks[way] = [
            _is_answered(
                question, task, [leads[number] for number in row], pieces, sizes, whole, cut
            )
            for question, row in zip(task.questions, rows, strict=True)
        ]
    return Result(marks, len(pieces), sum(map(len, map(encoding.encode_ordinary, texts))))


def _is_answered(
    question: Question,
    task: Task,
    ranked: Sequence[int],
    pieces: Sequence[tuple[str, Piece]],
    sizes: Sequence[int],
    whole: Callable[[int], str],
    cut: Callable[[int, int], str],
) -> bool:
    """Whether the best pieces that the budget has room for hold the answer; the last one is cut."""
    left = task.budget
    missing = set(question.lines)
    total = sum(map(len, missing))
    for number in dict.fromkeys(ranked):
        if left <= 0:
            break
        if pieces[number][0] == question.path:
            fits = sizes[number] <= left
            shown = pieces[number][1].shown if fits else cut(number, left)
            if question.figure and question.figure.is_in(shown):
                return True
            text = whole(number) if fits else read(shown, question.path)
            found = {line for line in set(question.lines) if line in text}
            if question.together:
                if sum(map(len, found)) >= task.needed * total:
                    return True
            else:
                missing -= found
                if sum(map(len, missing)) <= (1 - task.needed) * total:
                    return True
        left -= sizes[number]
    return False


def interval(ours: Sequence[bool], theirs: Sequence[bool]) -> tuple[float, float]:
    """Between what the difference of two shares lies in 95 of 100 cases."""
    return interval_of_means([(ours, theirs)])


def interval_of_means(
    tasks: Sequence[tuple[Sequence[bool], Sequence[bool]]],
) -> tuple[float, float]:
    """Between what the difference lies in 95 of 100 cases, in the mean over tasks.

    The paired bootstrap: the questions of each task are drawn again, and both answers to a question
    stay together (Efron and Tibshirani, "An Introduction to the Bootstrap", 1993).

    Args:
        tasks: for each task the marks of one contestant and those of another one.
    """
    import numpy as np

    draws = np.random.default_rng(0)
    means = np.zeros(_DRAWS)
    for ours, theirs in tasks:
        pairs = zip(ours, theirs, strict=True)
        row = np.array([int(one) - int(other) for one, other in pairs], dtype=np.int8)
        if row.any():  # what is alike stays so
            drawn = row[draws.integers(len(row), size=(_DRAWS, len(row)))]
            means += drawn.mean(axis=1) / len(tasks)
    means.sort()
    return float(means[int(0.025 * _DRAWS)]), float(means[int(0.975 * _DRAWS)])
