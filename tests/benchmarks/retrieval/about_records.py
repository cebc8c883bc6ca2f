"""Records: the description of a node of a JSON Schema, cut out, must find the node."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from tests.benchmarks.retrieval.corpus import Document
from tests.benchmarks.retrieval.questions import Question, Task, chosen

_LEAST = 40  # characters of a description that is asked for
_EACH = 5  # one description of so many is cut out: the others stay, as beside new questions


def records_task(documents: Iterable[Document], most: int) -> Task:
    """A description must find what has taken its place: a mark in the node that it was about.

    Where the node has a name of eight letters or more, that has to stand in the same chunk.
    """
    values: list[tuple[Document, Any]] = []
    for document in documents:
        try:
            values.append((document, json.loads(document.text)))
        except ValueError:  # not a text that the json module takes
            continue
    often = Counter(node["description"] for _, value in values for _, node in _described(value))
    questions: list[Question] = []
    cut: list[Document] = []
    seen = 0
    for document, value in values:
        for name, node in _described(value):
            words = node["description"]
            if len(words) < _LEAST or often[words] > 1:
                continue
            seen += 1
            if seen % _EACH == 0:
                node["description"] = f"mark{len(questions):06d}"
                answer = f"{name}\n{node['description']}"
                asked = " ".join(words.split())
                questions.append(Question(asked, document.path, answer, together=True))
        cut.append(document._replace(text=json.dumps(value, indent=2, ensure_ascii=False) + "\n"))
    return Task("records", cut, chosen(questions, most), 1000, needed=1)


def _described(value: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects with a description in words, each under the name that it has in its parent."""
    stack = [("", value)]
    while stack:
        name, node = stack.pop()
        if isinstance(node, dict):
            stack.extend(node.items())
            if isinstance(node.get("description"), str):
                yield name, node
        elif isinstance(node, list):
            stack.extend(("", one) for one in node)
