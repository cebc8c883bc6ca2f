"""Documents: lead-ins must find their code blocks, sentences their paragraphs."""

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

_LED_IN = re.compile(
    r"(?<=\n\n)(?P<lead>[A-Z][^\n#|>`]*(?:`[^`\n]*`[^\n`]*)*(?:\n[^\n#|>]+)*:)[ \t]*\n\n?"
    r"(?P<open>(?P<marks>`{3,}|~{3,})[^\n]*\n)(?P<code>.*?)\n(?P=marks)[ \t]*(?=\n)",
    re.DOTALL,
)
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,}).*?^[ \t]*\1[^\n]*$", re.DOTALL | re.MULTILINE)
_PARAGRAPH = re.compile(r"(?<=\n\n)[A-Z][^\n]*(?:\n(?![ \t]*[-*+#|>:])[^\n]+)*(?=\n\n|\n?$)")


def docs_task(documents: Iterable[Document], most: int) -> Task:
    """The sentence that leads in to a code block, cut out, must find the block in one chunk."""
    questions: list[Question] = []
    cut = []
    for document in documents:
        text = document.text
        for match in reversed(list(_LED_IN.finditer(text))):
            code = match["code"]
            words = " ".join(match["lead"].split())
            one = Question(plain(words), document.path, code, together=True)
            if len(words.split()) >= 5 and len(one.lines) >= 2 and tokens(code) <= LONGEST:
                text = text[: match.start("lead")] + text[match.end("lead") :]
                questions.append(one)
        cut.append(Document(document.path, text))
    return Task("docs", cut, chosen(questions, most), 1000)


def prose_task(documents: Iterable[Document], most: int) -> Task:
    """A sentence out of the middle of a paragraph must find all of the paragraph."""
    questions: list[Question] = []
    kept = list(documents)
    for document in kept:
        for match in _PARAGRAPH.finditer(_FENCE.sub("", document.text)):
            paragraph = match[0]
            sentences = [s[0] for s in SENTENCE.finditer(paragraph)]
            if len(paragraph.split()) >= 30 and len(sentences) >= 2:
                asked = " ".join(sentences[len(sentences) // 2].split())
                if len(asked.split()) >= 6:
                    questions.append(Question(plain(asked), document.path, paragraph))
    return Task("prose", kept, chosen(questions, most), 500)
