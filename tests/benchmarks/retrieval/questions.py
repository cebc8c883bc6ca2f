"""Questions with a known answer, made from documents without a person or a model.

What is asked is cut out of the document wherever the document would otherwise hold the question
itself: a sentence of documentation must find its function, a lead-in its code.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import unescape
from typing import NamedTuple

from structchunk_core.sizing import load_encoding
from tests.benchmarks.retrieval.corpus import Document
from tests.benchmarks.truth import Definition, definitions

_LONGEST = 450
"""Tokens of the longest answer that is asked for: it has to fit what is retrieved."""

_WORD = re.compile(r"\w+")
_SENTENCE = re.compile(r"\b[A-Z][^.!?\n@]*(?:\n[^.!?\n@]+)*[.!?](?=\s|$|\")")
_MARKS = re.compile(r"^[ \t]*(?:///?!?|//|\*+/?|/\*+|#+)[ \t]?", re.MULTILINE)


class Question(NamedTuple):
    """A question and where its answer is.

    Attributes:
        text: what is asked.
        path: the document that holds the answer.
        answer: the answer, in lines each of which counts by its length.
        together: whether all of them have to be in one chunk.
        about: what the answer has with it that need not be found: the rest of its doc comment.
    """

    text: str
    path: str
    answer: str
    together: bool = False
    about: str = ""

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


def code_task(language: str, documents: Iterable[Document], most: int) -> Task:
    """A sentence of a docstring or doc comment, cut out, must find its function."""
    questions: list[Question] = []
    cut = []
    for document in documents:
        text, found = _without_sentences(document.text, language, document.path)
        cut.append(Document(document.path, text))
        questions += found
    return Task(language, cut, _chosen(questions, most), 1000)


def docs_task(documents: Iterable[Document], most: int) -> Task:
    """The sentence that leads in to a code block, cut out, must find the block in one chunk."""
    questions: list[Question] = []
    cut = []
    for document in documents:
        text = document.text
        for match in reversed(list(_LED_IN.finditer(text))):
            code = match["code"]
            words = " ".join(match["lead"].split())
            one = Question(_plain(words), document.path, code, together=True)
            if len(words.split()) >= 5 and len(one.lines) >= 2 and _tokens(code) <= _LONGEST:
                text = text[: match.start("lead")] + text[match.end("lead") :]
                questions.append(one)
        cut.append(Document(document.path, text))
    return Task("docs", cut, _chosen(questions, most), 1000)


def prose_task(documents: Iterable[Document], most: int) -> Task:
    """A sentence out of the middle of a paragraph must find all of the paragraph."""
    questions: list[Question] = []
    kept = list(documents)
    for document in kept:
        for match in _PARAGRAPH.finditer(_FENCE.sub("", document.text)):
            paragraph = match[0]
            sentences = [s[0] for s in _SENTENCE.finditer(paragraph)]
            if len(paragraph.split()) >= 30 and len(sentences) >= 2:
                asked = " ".join(sentences[len(sentences) // 2].split())
                if len(asked.split()) >= 6:
                    questions.append(Question(_plain(asked), document.path, paragraph))
    return Task("prose", kept, _chosen(questions, most), 500)


def tables_task(documents: Iterable[Document], most: int) -> Task:
    """The value of a row and the name of a column must find the row under its header."""
    questions: list[Question] = []
    kept = []
    for document in documents:
        text = "\n".join(document.text.rstrip().split("\n")[:400])
        kept.append(Document(document.path, text + "\n"))
        rows = list(csv.reader(io.StringIO(text)))
        lines = text.split("\n")
        if len(rows) != len(lines):
            continue
        header = rows[0]
        seen = Counter(cell for row in rows for cell in row)
        for number in range(1, len(rows)):
            row = rows[number]
            names = [column for column, cell in enumerate(row) if seen[cell] == 1]
            named = max(names, key=lambda column: _words(row[column]), default=-1)
            other = number % len(row)
            if named not in {-1, other} and len(row) == len(header) and row[other]:
                asked = f"{header[other]} of {header[named]} {row[named]}"
                answer = f"{lines[0]}\n{lines[number]}"
                questions.append(Question(asked, document.path, answer, together=True))
    return Task("tables", kept, _chosen(questions, most), 500, needed=1)


def pages_task(documents: Iterable[Document], most: int) -> Task:
    """The first sentence about an entry of an API page, cut out, must find its example."""
    questions: list[Question] = []
    cut = []
    for document in documents:
        text = document.text
        for match in reversed(list(_ENTRY.finditer(text))):
            asked = " ".join(unescape(_TAG.sub("", match["about"])).split())
            code = unescape(_TAG.sub("", match["code"]))
            one = Question(asked, document.path, code, together=True)
            if len(asked.split()) >= 5 and one.lines and _tokens(code) <= _LONGEST:
                text = text[: match.start("about")] + text[match.end("about") :]
                questions.append(one)
        cut.append(Document(document.path, text))
    return Task("pages", cut, _chosen(questions, most), 1000)


_LED_IN = re.compile(
    r"(?<=\n\n)(?P<lead>[A-Z][^\n#|>`]*(?:`[^`\n]*`[^\n`]*)*(?:\n[^\n#|>]+)*:)[ \t]*\n\n?"
    r"(?P<open>(?P<marks>`{3,}|~{3,})[^\n]*\n)(?P<code>.*?)\n(?P=marks)[ \t]*(?=\n)",
    re.DOTALL,
)
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,}).*?^[ \t]*\1[^\n]*$", re.DOTALL | re.MULTILINE)
_PARAGRAPH = re.compile(r"(?<=\n\n)[A-Z][^\n]*(?:\n(?![ \t]*[-*+#|>:])[^\n]+)*(?=\n\n|\n?$)")
_TAG = re.compile(r"<[^>]*>")
_ENTRY = re.compile(
    r'<b class="header">[^<]*</b>(?:\s*<code>.*?</code>|\s*<span.*?</span>|\s*<a[^>]*>source</a>|'
    r"\s*<br ?/?>|\s*</?p>)*\s*(?P<about>[A-Z].*?[.:](?=\s)).{0,1500}?"
    r"<pre[^>]*>(?P<code>.*?)</pre>",
    re.DOTALL,
)


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
        question = Question(_plain(asked), path, rest, about=about)
        if len(asked.split()) < 5 or len(question.lines) < 3 or _tokens(rest) > _LONGEST:
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


_DOCSTRING = re.compile(r'\s*[rR]?"""(?P<words>.*?)"""', re.DOTALL)


def _first_sentence(text: str, start: int, end: int) -> tuple[int, int] | None:
    match = _SENTENCE.search(text, start, end)
    return match.span() if match else None


def _plain(words: str) -> str:
    return re.sub(r"\{@\w+ |[`*_{}\[\]]|\(http[^)]*\)", " ", words).strip()


def _words(cell: str) -> int:
    """How many words of three letters at least are in a cell."""
    return len(re.findall("[A-Za-z]{3,}", cell))


def _tokens(text: str) -> int:
    return len(load_encoding("cl100k_base").encode_ordinary(text))


def _chosen(questions: Sequence[Question], most: int) -> list[Question]:
    """At most so many, spread evenly; none that is asked about two answers."""
    asked: dict[str, list[Question]] = {}
    for question in questions:
        asked.setdefault(key(question.text), []).append(question)
    single = sorted(row[0] for row in asked.values() if len(row) == 1)
    step = max(1.0, len(single) / most)
    return [single[int(number * step)] for number in range(min(most, len(single)))]


TASKS: Mapping[str, Callable[[Iterable[Document], int], Task]] = {
    "docs": docs_task,
    "tables": tables_task,
    "pages": pages_task,
    "prose": prose_task,
}
"""The tasks other than code search, by name."""
