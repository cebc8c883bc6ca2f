"""Settings: the comment above a key of YAML or TOML, cut out, must find the key and its value."""

from __future__ import annotations

import importlib
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from tests.benchmarks.retrieval.corpus import Document
from tests.benchmarks.retrieval.questions import Question, Task, chosen, key

_LEAST = 40  # characters of a comment that is asked for
_EACH = 2  # one comment of so many is cut out: the others stay, as beside new questions
_COMMENTED = re.compile(
    r"""
    (?:^[ ]*\#.*\n)+          # a comment of one line or several
    (?=[ ]*(?![\s\#]).*[:=])  # right above what has a key
    """,
    re.MULTILINE | re.VERBOSE,
)
_SWITCHED_OFF = re.compile(r"^(?:- )?[\w./\"'-]+(?::(?=\s|$)|\s*=)|^- |^[\[{}\]]|^\W*$")


class _Comment(NamedTuple):
    """A comment with what it stands above.

    Attributes:
        start: where it begins.
        end: where the line of the key begins.
        words: what it says, on one line.
        indentation: of its first line.
        setting: the line of the key.
    """

    start: int
    end: int
    words: str
    indentation: str
    setting: str


def settings_task(documents: Iterable[Document], most: int) -> Task:
    """A comment must find the mark that has taken its place, in one chunk with what is set there.

    Asked are comments in words alone, not settings that are switched off.
    """
    found = [(document, [*_comments(document)]) for document in documents]
    often = Counter(key(one.words) for _, comments in found for one in comments)
    questions: list[Question] = []
    cut: list[Document] = []
    seen = 0
    for document, comments in found:
        parts: list[str] = []
        end = 0
        for comment in comments:
            if often[key(comment.words)] > 1:
                continue
            seen += 1
            if seen % _EACH == 0:
                mark = f"mark{len(questions):06d}"
                answer = f"{mark}\n{comment.setting}"
                questions.append(Question(comment.words, document.path, answer, together=True))
                parts += document.text[end : comment.start], f"{comment.indentation}# {mark}\n"
                end = comment.end
        cut.append(document._replace(text="".join((*parts, document.text[end:]))))
    return Task("settings", cut, chosen(questions, most), 1000, needed=1)


def _comments(document: Document) -> Iterator[_Comment]:
    """What can be asked; none of a text that cannot be read."""
    text = document.text
    candidates = [
        _Comment(match.start(), match.end(), " ".join(lines), indentation, _line(text, match.end()))
        for match in _COMMENTED.finditer(text)
        for indentation in [match[0][: len(match[0]) - len(match[0].lstrip(" "))]]
        for lines in [[one.strip().lstrip("#").strip(" -") for one in match[0].splitlines()]]
        if len(" ".join(lines)) >= _LEAST and not any(map(_SWITCHED_OFF.search, lines))
    ]
    # What is no comment but a line of a text in quotes or of a block is a part of some value.
    marked: list[str] = []
    end = 0
    for number, one in enumerate(candidates):
        marked += text[end : one.start], f"{one.indentation}# candidate{number};\n"
        end = one.end
    said = _said("".join((*marked, text[end:])), document.path)
    if said is not None:
        for number, one in enumerate(candidates):
            if f"candidate{number};" not in said:
                yield one


def _line(text: str, start: int) -> str:
    return text[start:].partition("\n")[0].strip()


def _said(text: str, path: str) -> str | None:
    """The values of a document as one text; None where it cannot be read."""
    try:
        values: Any = tomllib.loads(text) if path.endswith(".toml") else _yaml_values(text)
    except (ValueError, RecursionError):
        return None
    return repr(values)


def _yaml_values(text: str) -> list[Any]:
    yaml = importlib.import_module("yaml")  # it has no types
    try:
        return [*yaml.load_all(text, getattr(yaml, "CBaseLoader", yaml.BaseLoader))]
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error
