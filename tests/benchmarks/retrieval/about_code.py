"""Code search: a sentence of a docstring or doc comment, cut out, must find its function."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tests.benchmarks.retrieval.corpus import Document
from tests.benchmarks.retrieval.questions import (
    LONGEST,
    SENTENCE,
    Question,
    Task,
    chosen,
    plain,
    tokens,
)
from tests.benchmarks.truth import Definition, definitions

_MARKS = re.compile(r"^[ \t]*(?:///?!?|//|\*+/?|/\*+|#+)[ \t]?", re.MULTILINE)
_DOCSTRING = re.compile(r'\s*[rR]?"""(?P<words>.*?)"""', re.DOTALL)


def code_task(language: str, documents: Iterable[Document], most: int) -> Task:
    """A sentence of a docstring or doc comment, cut out, must find its function."""
    questions: list[Question] = []
    cut = []
    for document in documents:
        text, found = _without_sentences(document.text, language, document.path)
        cut.append(Document(document.path, text))
        questions += found
    return Task(language, cut, chosen(questions, most), 1000)


def _without_sentences(text: str, language: str, path: str) -> tuple[str, list[Question]]:
    """The text without the first sentences of documentation, and the questions that they are."""
    found: list[tuple[tuple[int, int], Definition]] = []
    reached = 0
    for one in definitions(text, language):
        if not one.is_function or one.attached < reached:  # inside another one
            continue
        reached = one.end
        place = _documentation(text, language, one)
        sentence = _first_sentence(text, *place) if place else None
        if sentence is not None:
            found.append((sentence, one))
    questions = []
    cut = text
    for (start, end), one in reversed(found):
        asked = " ".join(_MARKS.sub(" ", text[start:end]).split())
        rest = text[one.start : one.end]
        if one.start <= start < one.end:
            rest = text[one.start : start] + text[end : one.end]
        about = text[one.attached : start] + text[end : one.start] if end <= one.start else ""
        question = Question(plain(asked), path, rest, about=about)
        if len(asked.split()) < 5 or len(question.lines) < 3 or tokens(rest) > LONGEST:
            continue
        cut = cut[:start] + cut[end:]
        questions.append(question)
    return cut, questions


def _documentation(text: str, language: str, one: Definition) -> tuple[int, int] | None:
    """Where the words about a function stand."""
    if language == "python":
        match = _DOCSTRING.match(text, one.body, one.end)
        return match.span("words") if match else None
    return (one.attached, one.start) if one.attached < one.start else None


def _first_sentence(text: str, start: int, end: int) -> tuple[int, int] | None:
    match = SENTENCE.search(text, start, end)
    return match.span() if match else None
