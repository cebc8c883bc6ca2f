"""How much is asked: by words over all text, by meaning over a sample of it.

Every splitter makes other texts out of a document, and each of them has to be read by the model: a
second of processor time for some 20,000 characters. So what is ranked by meaning is the part of the
text that asks most.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from tests.benchmarks.retrieval.questions import Task, chosen

POOL = 1_200_000
"""Characters of the documents of a task, from which a sample is taken."""

_SAMPLE = 100_000  # characters of the sample of a task of which the sources say nothing


class Extent(NamedTuple):
    """How much of each task is asked.

    Attributes:
        characters: of the text that is ranked by words, at most.
        questions: that are asked, at most, in either part.
        part: which part of the samples that the sources name is taken.
    """

    characters: int
    questions: int
    part: float


WHOLE = Extent(POOL, 400, 1)
QUICK = Extent(100_000, 100, 1 / 10)


def sample_size(said: Mapping[str, Any], name: str, extent: Extent) -> int:
    """How many characters of a task are ranked by meaning, by the table ``sample`` of sources."""
    whole: int = said.get("sample", {}).get(name, _SAMPLE)
    return round(whole * extent.part)


def sampled(task: Task, characters: int, questions: int) -> Task:
    """The documents that ask most for their length, up to so many characters, and their questions.

    Whatever does not fit any more is passed over. No splitter has a part in the choice.

    Args:
        task: holds all questions that its documents ask.
        characters: how long the documents may be together.
        questions: how many are asked at most.
    """
    asked = Counter(question.path for question in task.questions)
    kept = set(_densest(task, asked, characters))
    return task._replace(
        documents=[document for document in task.documents if document.path in kept],
        questions=chosen([one for one in task.questions if one.path in kept], questions),
    )


def _densest(task: Task, asked: Mapping[str, int], characters: int) -> Iterator[str]:
    left = characters
    asking = [document for document in task.documents if document.path in asked]
    for document in sorted(asking, key=lambda one: (-asked[one.path] / len(one.text), one.path)):
        if len(document.text) <= left:
            left -= len(document.text)
            yield document.path
