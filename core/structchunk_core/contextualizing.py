"""Contextual retrieval: a sentence about each chunk that a model of the user writes.

The core calls no model. It asks a function of the user for a sentence about each chunk and puts it
behind the context, inside the budget. :class:`Contextualizer` makes such a function from anything
that answers a prompt: it builds the prompts, asks several at a time, tries again what failed and
remembers the answers.
"""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from string import Formatter
from typing import Any, Protocol

from structchunk_core.answers import keep_answers, kept_answers
from structchunk_core.chunks import Chunk
from structchunk_core.errors import ConfigurationError, Problem
from structchunk_core.sentences import Description, Said, no_sentence
from structchunk_core.settings import check_integer, path_text, shown
from structchunk_core.source import Source

CHUNK_PROMPT = """\
A search index holds a document in pieces. Each piece is found by its own words only, so what the
reader of the whole document knows has to be said with it.

The document: {path}
<document>
{document}
</document>

The piece:
<piece>
{chunk}
</piece>

Say in one sentence of at most 40 words what this piece is about and which part of the document it
belongs to. Name the things that the piece only refers to. Answer in the language of the document,
with the sentence and nothing else.
"""
"""What :class:`Contextualizer` asks. ``{path}``, ``{document}`` and ``{chunk}`` are filled in."""

TABLE_PROMPT = """\
A search index finds texts by what they mean, and finds the grid of a table badly.

The document: {path}
<document>
{document}
</document>

A table of it, with what stands around it:
<piece>
{chunk}
</piece>

Write prose that is indexed in the place of the table, at most 150 words: one sentence on what the
table is about and which part of the document it belongs to, one on its columns with their units,
then what the rows say, each with its name, the most telling ones if there are many. Copy names and
figures exactly, and conclude nothing that is not there. Answer in the language of the document,
with the prose and nothing else.
"""
"""What it may ask about a table instead (``table_prompt``). The same fields are filled in."""

_VERSION = 2  # grows whenever an answer that is kept would not be asked for in the same way
_FIELDS = frozenset({"chunk", "context", "document", "path"})
_MOST_KNOWN = 65_536
_KEPT_AT_ONCE = 32  # answers that are lost when the process dies


class BatchContextualizer(Protocol):
    """What writes sentences about all chunks of a document at once."""

    def batch(self, chunks: Sequence[Chunk], source: Source) -> Sequence[Said]:
        """What is said about each chunk, in order.

        A sentence for its context; ``""`` for none, a problem when there should be one; a
        :class:`Description` to be embedded in the place of its text, or of the tables in it.
        """


class Contextualizer:
    """Asks a model for one sentence about each chunk, and remembers what it said.

    An answer is kept under the chunk's id and text and everything that makes up the question but
    the rest of the document: an edit elsewhere asks nothing again. What fails (an error, an answer
    of white space alone), after several attempts, leaves the chunk without a sentence and with the
    problem ``no-context-sentence``, and is not kept: the next run asks again.

    Args:
        model: from a prompt to its answer. It is called from several threads.
        prompt: the question, with ``{chunk}``, and ``{document}``, ``{path}`` and ``{context}``
            where wanted.
        table_prompt: what is asked about a chunk that is mostly a table, uncut, such as
            :data:`TABLE_PROMPT`: the answer is embedded in the place of the table, which a reader
            is still given; what else the chunk holds is embedded around it as far as there is
            room. None: tables are asked about like everything else.
        window: how many characters of the document a question shows, with the chunk in their
            middle, in whole lines; None for all of it, which costs the length of the document for
            each of its chunks.
        cache: a file in which answers are kept from run to run (made when it is not there). When
            it cannot be used, a warning says so and the model is asked. A run that is interrupted
            keeps what it was told.
        workers: how many questions are asked at the same time.
        retries: how often a question that failed is asked again.
        wait: seconds before the first time that it is asked again; each time twice as many.
        name: what the model is called; another name means other answers.
        on_progress: told after each answer how many of how many chunks of a document are done.

    Raises:
        ConfigurationError: a setting is wrong.
    """

    def __init__(
        self,
        model: Callable[[str], str],
        *,
        prompt: str = CHUNK_PROMPT,
        table_prompt: str | None = None,
        window: int | None = 24_000,
        cache: str | os.PathLike[str] | None = None,
        workers: int = 4,
        retries: int = 2,
        wait: float = 1.0,
        name: str = "",
        on_progress: Callable[[int, int], None] | None = None,
    ) -> None:
        if not callable(model):
            raise ConfigurationError(
                f"model must be a function from a prompt to its answer, got {shown(model)}"
            )
        _check_prompt("prompt", prompt)
        if table_prompt is not None:
            _check_prompt("table_prompt", table_prompt)
        if window is not None:
            check_integer("window", window, 1, "characters")
        check_integer("workers", workers, 1, "workers")
        check_integer("retries", retries, 0, "retries")
        if isinstance(wait, bool) or not isinstance(wait, int | float) or not 0 <= wait < 3600:
            raise ConfigurationError(
                f"wait must be a number of seconds from 0 up to an hour, got {shown(wait)}"
            )
        self.model = model
        self.prompt = prompt
        self.table_prompt = table_prompt
        self.window = window
        self.cache = None if cache is None else path_text(cache)
        self.workers = workers
        self.retries = retries
        self.wait = wait
        self.name = name or function_name(model)
        self.on_progress = on_progress
        self._known: OrderedDict[str, str] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def fingerprint(self) -> str:
        """Model, prompts and window as one string: equal means that the same is asked."""
        asked = (_VERSION, self.name, self.prompt, self.window, self.table_prompt)
        return hashlib.sha256(repr(asked).encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def __getstate__(self) -> dict[str, Any]:
        left_out = {"_known", "_lock"}
        return {name: value for name, value in self.__dict__.items() if name not in left_out}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._known = OrderedDict()
        self._lock = threading.Lock()

    def batch(self, chunks: Sequence[Chunk], source: Source) -> list[Said]:
        """A sentence or description for each chunk, or the problem that there is none."""
        from concurrent.futures import ThreadPoolExecutor

        keys = [self._key(chunk) for chunk in chunks]
        answers: dict[str, str | Problem] = {}
        answers.update(self._remembered(keys))
        unknown = {
            key: chunk for key, chunk in zip(keys, chunks, strict=True) if key not in answers
        }
        done = len(chunks) - len(unknown)
        new: dict[str, str] = {}
        if unknown:
            pool = ThreadPoolExecutor(min(self.workers, len(unknown)))
            try:
                asked = pool.map(lambda chunk: self._ask(chunk, source), unknown.values())
                for key, answer in zip(unknown, asked, strict=True):
                    answers[key] = answer
                    if isinstance(answer, str):
                        new[key] = answer
                    if len(new) >= _KEPT_AT_ONCE:
                        self._remember(new)
                        new = {}
                    done += 1
                    if self.on_progress is not None:
                        self.on_progress(done, len(chunks))
            finally:  # what is interrupted asks no more, and what was answered was paid for
                pool.shutdown(cancel_futures=True)
                self._remember(new)
        return [
            Description(answer, "tables")
            if isinstance(answer, str) and self._describes(chunk)
            else answer
            for chunk, answer in zip(chunks, (answers[key] for key in keys), strict=True)
        ]

    def question(self, chunk: Chunk, source: Source) -> str:
        """The prompt about a chunk of the source."""
        described = self.table_prompt if self._describes(chunk) else None
        return (described or self.prompt).format(
            path=source.path,
            document=_window(chunk, source.text, self.window),
            chunk=chunk.text,
            context=chunk.context,
        )

    def _describes(self, chunk: Chunk) -> bool:
        """Whether the chunk is mostly a table, which is whole, and tables are described."""
        return self.table_prompt is not None and chunk.element_type == "table" and not chunk.part

    def _ask(self, chunk: Chunk, source: Source) -> str | Problem:
        question = self.question(chunk, source)
        failure = ""
        for attempt in range(self.retries + 1):
            if attempt:
                time.sleep(self.wait * 2 ** (attempt - 1))
            try:
                answer = self.model(question)
            except Exception as error:  # noqa: BLE001  # a model of the user may raise anything
                failure = type(error).__name__
                continue
            if not isinstance(answer, str):
                failure = f"an answer of the type {type(answer).__name__}"
            elif sentence := " ".join(answer.split()):
                return sentence
            else:  # a refusal, or a limit of tokens that was spent on thinking
                failure = "an empty answer"
        return no_sentence(failure)

    def _key(self, chunk: Chunk) -> str:
        content = f"{self.fingerprint}\x1f{chunk.id}\x1f{chunk.text}"
        return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()

    def _remembered(self, keys: Sequence[str]) -> dict[str, str]:
        with self._lock:
            found = {key: self._known[key] for key in keys if key in self._known}
        missing = [key for key in dict.fromkeys(keys) if key not in found]
        if self.cache is not None and missing:
            found |= kept_answers(self.cache, missing)
        return found

    def _remember(self, answers: Mapping[str, str]) -> None:
        with self._lock:
            self._known.update(answers)
            while len(self._known) > _MOST_KNOWN:
                self._known.popitem(last=False)
        if self.cache is not None and answers:
            keep_answers(self.cache, answers)


def check_contextualizer(value: object) -> None:
    """Check that a setting is a function of chunk and source, or has a method ``batch`` of both.

    Raises:
        ConfigurationError: it is neither.
    """
    if value is None or callable(getattr(value, "batch", None)):
        return
    if isinstance(value, type) or not callable(value):
        raise ConfigurationError(
            "contextualizer must be a function from a chunk and its source to a sentence, or have "
            "a method batch(chunks, source), such as Contextualizer(model) has, "
            f"got {shown(value)}"
        )


def contextualizer_name(value: Any) -> str:
    """What tells one contextualizer from another in every process."""
    named = getattr(value, "fingerprint", None)
    return named if isinstance(named, str) else function_name(value)


def function_name(value: object) -> str:
    """Module and name of a function; of any other object, those of its type."""
    named = value if hasattr(value, "__qualname__") else type(value)
    return f"{getattr(named, '__module__', '')}:{getattr(named, '__qualname__', '')}"


def _check_prompt(name: str, prompt: object) -> None:
    problem = f"{name} must be a text with {{chunk}} in it, and no other fields than "
    problem += ", ".join(f"{{{name}}}" for name in sorted(_FIELDS))
    if not isinstance(prompt, str):
        raise ConfigurationError(f"{problem}, got {shown(prompt)}")
    try:
        names = {name for _, name, _, _ in Formatter().parse(prompt) if name is not None}
    except ValueError as error:
        raise ConfigurationError(f"{problem}, got {shown(prompt)}: {error}") from error
    if "chunk" not in names or not names <= _FIELDS:
        raise ConfigurationError(f"{problem}, got {shown(prompt)}")


def _window(chunk: Chunk, text: str, window: int | None) -> str:
    """The document, or as many of its whole lines around the chunk as the window shows."""
    if window is None or len(text) <= window:
        return text
    start, end = chunk.span
    beside = max(0, window - (end - start)) // 2
    first, behind = max(0, start - beside), min(len(text), end + beside)
    if first > 0:
        border = text.find("\n", first, start)
        first = border + 1 if border >= 0 else start
    if behind < len(text):
        border = text.rfind("\n", end, behind)
        behind = border + 1 if border >= 0 else end
    return text[first:behind]
