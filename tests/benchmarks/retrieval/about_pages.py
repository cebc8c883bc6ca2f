"""API pages: the first sentence about an entry, cut out, must find the entry."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from tests.benchmarks.retrieval.corpus import Document
from tests.benchmarks.retrieval.questions import (
    LONGEST,
    Question,
    Task,
    chosen,
    tokens,
    without_tags,
)

_TAG = re.compile(r"<[^>]*>")
_NAME = re.compile(
    r'<b class="header">.*?</b>|<dt\b[^>]*>.*?</dt>|<h[34]\b[^>]*>.*?</h[34]>', re.DOTALL
)
_BORDER = re.compile(rf"{_NAME.pattern}|<h[1-6]\b|</dl>", re.DOTALL)
_BLOCK = r"</?(?:p|pre|d[dlt]|[uo]l|li|h\d|table|div|br)\b"
_ABOUT = re.compile(
    r"(?:\s*<code>.*?</code>|\s*<span.*?</span>|\s*<a[^>]*>source</a>|\s*<br ?/?>|"
    rf"\s*</?(?:p|dd)\b[^>]*>)*\s*(?P<about>[A-Z](?:(?!{_BLOCK}).)*?[.:])(?=\s|<)",
    re.DOTALL,
)
_EXAMPLE = re.compile(r"<pre\b[^>]*>(.*?)</pre>", re.DOTALL)


class _Entry(NamedTuple):
    """What a page says about one name: from the name to the next name or heading."""

    start: int
    named: int  # where the name ends
    end: int


def pages_task(documents: Iterable[Document], most: int) -> Task:
    """The first sentence about an entry must find its example, or its name and all else about it.

    An entry is what follows a ``dt``, a heading of the third or fourth level or, in the pages of
    Underscore and Backbone, a ``b`` of the class ``header``.
    """
    questions: list[Question] = []
    cut = []
    for document in documents:
        text = document.text
        for entry in reversed(list(_entries(text))):
            found = _ABOUT.match(text, entry.named, entry.end)
            if found is None or not _is_balanced(found["about"]):
                continue
            rest = text[entry.start : found.start("about")] + text[found.end("about") : entry.end]
            example = _EXAMPLE.search(rest)
            answer = without_tags(example[1] if example else rest)
            one = Question(_line(found["about"]), document.path, answer, together=True)
            if len(one.text.split()) >= 5 and one.lines and tokens(answer) <= LONGEST:
                text = text[: found.start("about")] + text[found.end("about") :]
                questions.append(one)
        cut.append(document._replace(text=text))
    return Task("pages", cut, chosen(questions, most), 1000)


def _entries(text: str) -> Iterator[_Entry]:
    borders = [match.start() for match in _BORDER.finditer(text)] + [len(text)]
    behind = dict(pairwise(borders))
    for match in _NAME.finditer(text):
        yield _Entry(match.start(), match.end(), behind[match.start()])


def _is_balanced(part: str) -> bool:
    """Whether every element in a part of a page begins and ends in it."""
    tags = _TAG.findall(part)
    ends = [tag for tag in tags if tag.startswith("</")]
    return len(ends) * 2 == len(tags)


def _line(part: str) -> str:
    return " ".join(without_tags(part).split())
