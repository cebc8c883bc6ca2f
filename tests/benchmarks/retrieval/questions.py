"""What a question and a task are; the tasks themselves are made in the ``about_*`` modules.

Questions have known answers, made from documents without a person or a model. What is asked is cut
out of the document wherever the document would otherwise hold the question itself: a sentence of
documentation must find its function, a lead-in its code.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import unescape
from typing import NamedTuple

from structchunk_core.encoding_files import load_encoding
from tests.benchmarks.retrieval.corpus import Document

LONGEST = 450
"""Tokens of the longest answer that is asked for: it has to fit what is retrieved."""

SENTENCE = re.compile(r"\b[A-Z][^.!?\n@]*(?:\n[^.!?\n@]+)*[.!?](?=\s|$|\")")
"""A sentence of prose or of documentation, over several lines where it is wrapped."""

_WORD = re.compile(r"\w+")
_TAG = re.compile(r"<[^>]*>")


class Figure(NamedTuple):
    """A number that answers a question wherever it stands in one chunk with what it counts.

    Attributes:
        written: the number, without separators of thousands.
        of: what it is a figure of: the name of a column.
    """

    written: str
    of: str

    def is_in(self, text: str) -> bool:
        """Whether a text says it: the number by itself, not as a part of another one."""
        plain = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", text)
        number = rf"(?<![\d.]){re.escape(self.written)}(?!\.?\d)"
        return key(self.of) in key(text) and re.search(number, plain) is not None


class Question(NamedTuple):
    """A question and where its answer is.

    Attributes:
        text: what is asked.
        path: the document that holds the answer.
        answer: the answer, in lines each of which counts by its length.
        together: whether all of them have to be in one chunk.
        about: what the answer has with it that need not be found: the rest of its doc comment.
        figure: answers as well, if there is one.
    """

    text: str
    path: str
    answer: str
    together: bool = False
    about: str = ""
    figure: Figure | None = None

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines of the answer that say something, as :func:`key` has them."""
        return tuple(one for one in map(key, self.answer.split("\n")) if len(one) >= 8)


class Task(NamedTuple):
    """Questions of one kind over one set of documents.

    Attributes:
        name: the kind.
        documents: what is searched.
        questions: what is asked.
        budget: how many tokens may be retrieved for each.
        needed: which part of the answer has to be among them.
    """

    name: str
    documents: Sequence[Document]
    questions: Sequence[Question]
    budget: int
    needed: float = 0.9


def key(text: str) -> str:
    """The words of a text in lower case, without what is between them.

    So a line is found in whatever form a splitter has brought it: re-wrapped, rendered, stripped.
    """
    return "".join(_WORD.findall(text.lower()))


def read(text: str, path: str) -> str:
    """The words that somebody reads in a part of a document, as :func:`key` has them.

    Of a page, with and without what looks like tags: splitters leave them in or not.
    """
    if not path.endswith((".html", ".htm")):
        return key(text)
    return f"{key(text)}\n{key(without_tags(text))}"


def without_tags(page: str) -> str:
    """The text of a part of a page."""
    return unescape(_TAG.sub("", page))


def plain(words: str) -> str:
    """What is asked, without the marks that it has in its document."""
    return re.sub(r"\{@\w+ |[`*_{}\[\]]|\(http[^)]*\)", " ", words).strip()


def tokens(text: str) -> int:
    """How many tokens of ``cl100k_base`` a text has."""
    return len(load_encoding("cl100k_base").encode_ordinary(text))


def chosen(questions: Sequence[Question], most: int) -> list[Question]:
    """At most so many, spread evenly; none that is asked about two answers."""
    asked: dict[str, list[Question]] = {}
    for question in questions:
        asked.setdefault(key(question.text), []).append(question)
    single = sorted(
        (row[0] for row in asked.values() if len(row) == 1), key=lambda one: (one.text, one.path)
    )
    step = max(1.0, len(single) / most)
    return [single[int(number * step)] for number in range(min(most, len(single)))]
