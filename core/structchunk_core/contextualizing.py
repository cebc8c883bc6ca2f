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
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from string import Formatter
from typing import TYPE_CHECKING, Any, Protocol

from structchunk_core.chunk import Chunk
from structchunk_core.context import written
from structchunk_core.errors import ConfigurationError, Problem
from structchunk_core.settings import check_integer, path_text, shown
from structchunk_core.source import Source

if TYPE_CHECKING:
    import sqlite3

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

CONTEXT_SHARE = 4
"""Context and sentence together take at most this part of the budget."""

_VERSION = 1  # grows whenever an answer that is kept would not be asked for in the same way
_FIELDS = frozenset({"chunk", "context", "document", "path"})
_MOST_KNOWN = 65_536
_SECONDS_TO_LOCK = 30.0


class BatchContextualizer(Protocol):
    """What writes sentences about all chunks of a document at once."""

    def batch(self, chunks: Sequence[Chunk], source: Source) -> Sequence[str | Problem]:
        """A sentence for each chunk in order: ``""`` for none, a problem when there should be."""


class Contextualizer:
    """Asks a model for one sentence about each chunk, and remembers what it said.

    An answer is kept under the chunk's id and text and everything that makes up the question but
    the rest of the document: an edit elsewhere asks nothing again. What fails, after several
    attempts, leaves the chunk without a sentence and with the problem ``no-context-sentence``.

    Args:
        model: from a prompt to its answer. It is called from several threads.
        prompt: the question, with ``{chunk}``, and ``{document}``, ``{path}`` and ``{context}``
            where wanted.
        window: how many characters of the document a question shows, with the chunk in their
            middle, in whole lines; None for all of it, which costs the length of the document for
            each of its chunks.
        cache: a file in which answers are kept from run to run (made when it is not there). When
            it cannot be used, a warning says so and the model is asked.
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
        _check_prompt(prompt)
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
        """Model, prompt and window as one string: equal means that the same is asked."""
        asked = (_VERSION, self.name, self.prompt, self.window)
        return hashlib.sha256(repr(asked).encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def __getstate__(self) -> dict[str, Any]:
        left_out = {"_known", "_lock"}
        return {name: value for name, value in self.__dict__.items() if name not in left_out}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._known = OrderedDict()
        self._lock = threading.Lock()

    def batch(self, chunks: Sequence[Chunk], source: Source) -> list[str | Problem]:
        """A sentence for each chunk, or the problem that there is none."""
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
            with ThreadPoolExecutor(min(self.workers, len(unknown))) as pool:
                asked = pool.map(lambda chunk: self._ask(chunk, source), unknown.values())
                for key, answer in zip(unknown, asked, strict=True):
                    answers[key] = answer
                    if isinstance(answer, str):
                        new[key] = answer
                    done += 1
                    if self.on_progress is not None:
                        self.on_progress(done, len(chunks))
        self._remember(new)
        return [answers[key] for key in keys]

    def question(self, chunk: Chunk, source: Source) -> str:
        """The prompt about a chunk of the source."""
        return self.prompt.format(
            path=source.path,
            document=_window(chunk, source.text, self.window),
            chunk=chunk.text,
            context=chunk.context,
        )

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
            if isinstance(answer, str):
                return " ".join(answer.split())
            failure = f"an answer of the type {type(answer).__name__}"
        return no_sentence(failure)

    def _key(self, chunk: Chunk) -> str:
        content = f"{self.fingerprint}\x1f{chunk.id}\x1f{chunk.text}"
        return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()

    def _remembered(self, keys: Sequence[str]) -> dict[str, str]:
        with self._lock:
            found = {key: self._known[key] for key in keys if key in self._known}
        missing = [key for key in dict.fromkeys(keys) if key not in found]
        if self.cache is not None and missing:
            found |= _read(self.cache, missing)
        return found

    def _remember(self, answers: Mapping[str, str]) -> None:
        with self._lock:
            self._known.update(answers)
            while len(self._known) > _MOST_KNOWN:
                self._known.popitem(last=False)
        if self.cache is not None and answers:
            _write(self.cache, answers)


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


def with_sentences(
    chunks: Sequence[Chunk],
    source: Source,
    contextualizer: Any,
    embedded: Callable[[Chunk, str], tuple[str, str]],
    count: Callable[[str], int],
    limit: int,
) -> list[Chunk]:
    """The chunks with what the contextualizer says behind their contexts, as far as there is room.

    Args:
        chunks: of one document, in order.
        source: the text that their spans speak of.
        contextualizer: as :func:`check_contextualizer` wants it.
        embedded: from a chunk and another context for it to what is shown and what is embedded.
        count: what a text measures.
        limit: what no embedded text may exceed.
    """
    if not chunks:
        return []
    said = _asked(contextualizer, chunks, source)
    done: list[Chunk] = []
    for chunk, sentence in zip(chunks, said, strict=True):
        if isinstance(sentence, Problem):
            placed = replace(sentence, start=chunk.span.start, end=chunk.span.end)
            done.append(replace(chunk, problems=(*chunk.problems, placed)))
        else:
            done.append(_with_sentence(chunk, sentence, source, embedded, count, limit))
    return done


def no_sentence(reason: str) -> Problem:
    """The problem of a chunk that should have a sentence and has none."""
    return Problem("no-context-sentence", f"the contextualizer gave no sentence: {reason}")


def _with_sentence(
    chunk: Chunk,
    sentence: str,
    source: Source,
    embedded: Callable[[Chunk, str], tuple[str, str]],
    count: Callable[[str], int],
    limit: int,
) -> Chunk:
    sentence = " ".join(sentence.split())
    share = max(limit // CONTEXT_SHARE, 1)

    def fitting(characters: int) -> Chunk | None:
        begin = _shortened(sentence, characters)
        line = written([[begin]], source) if begin else ""
        if not line:
            return None
        context = f"{chunk.context}\n{line}" if chunk.context else line
        text, whole = embedded(chunk, context)
        size = count(whole)
        if size > limit or count(context) > share:
            return None
        return replace(
            chunk,
            text=text,
            context=context,
            embed_text=whole,
            size_at_most=size,
            _size=size,
            verbatim=chunk.verbatim and text == chunk.text,
        )

    if not sentence:
        return chunk
    best = fitting(len(sentence))
    low, high = 0, 0 if best else len(sentence)
    while high - low > 1:  # the longest beginning that fits
        middle = (low + high) // 2
        found = fitting(middle)
        if found is None:
            high = middle
        else:
            best, low = found, middle
    if best is None:
        placed = replace(no_sentence("no room"), start=chunk.span.start, end=chunk.span.end)
        return replace(chunk, problems=(*chunk.problems, placed))
    return best


def _shortened(sentence: str, characters: int) -> str:
    """At most so many of its characters, in whole words where it has words."""
    if characters >= len(sentence):
        return sentence
    begin = sentence[:characters]
    if sentence[characters] != " ":
        words = begin.rpartition(" ")[0]
        begin = words if len(words) * 2 >= characters else begin
    return begin.rstrip()


def _asked(contextualizer: Any, chunks: Sequence[Chunk], source: Source) -> Sequence[str | Problem]:
    """What the contextualizer says about each chunk; its failure is a problem of the chunks."""
    batch = getattr(contextualizer, "batch", None)
    try:
        if callable(batch):
            said = list(batch(chunks, source))
            if len(said) != len(chunks):
                failed = no_sentence(f"{len(said)} answers for {len(chunks)} chunks")
                return [failed] * len(chunks)
            return [_sentence_or_problem(one) for one in said]
    except Exception as error:  # noqa: BLE001  # it is the user's, so it may raise anything
        return [no_sentence(type(error).__name__)] * len(chunks)
    return [_said_about(contextualizer, chunk, source) for chunk in chunks]


def _said_about(
    function: Callable[[Chunk, Source], str], chunk: Chunk, source: Source
) -> str | Problem:
    try:
        return _sentence_or_problem(function(chunk, source))
    except Exception as error:  # noqa: BLE001  # it is the user's, so it may raise anything
        return no_sentence(type(error).__name__)


def _sentence_or_problem(answer: object) -> str | Problem:
    if isinstance(answer, str | Problem):
        return answer
    return no_sentence(f"an answer of the type {type(answer).__name__}")


def _check_prompt(prompt: object) -> None:
    problem = "prompt must be a text with {chunk} in it, and no other fields than "
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


def _read(cache: str, keys: Sequence[str]) -> dict[str, str]:
    """What is kept in the file; nothing, with a warning, when it cannot be read."""
    import sqlite3

    found: dict[str, str] = {}
    try:
        with closing(_opened(cache)) as store:
            for key in keys:
                row = store.execute("SELECT answer FROM answers WHERE key = ?", (key,)).fetchone()
                if row is not None:
                    found[key] = str(row[0])
    except (sqlite3.Error, OSError) as error:
        _warn_about(cache, "read", error)
        return {}
    return found


def _write(cache: str, answers: Mapping[str, str]) -> None:
    """Keep the answers; when that cannot be done, they are lost with a warning."""
    import sqlite3

    rows: Iterable[tuple[str, str]] = answers.items()
    try:
        with closing(_opened(cache)) as store, store:
            store.executemany("INSERT OR REPLACE INTO answers VALUES (?, ?)", rows)
    except (sqlite3.Error, OSError, UnicodeEncodeError) as error:
        _warn_about(cache, "written", error)


def _warn_about(cache: str, done: str, error: Exception) -> None:
    """Say it: every question may cost money, and is asked again."""
    warnings.warn(
        f"the cache of answers {cache!r} cannot be {done} ({error}): questions are asked again",
        stacklevel=2,
    )


def _opened(cache: str) -> sqlite3.Connection:
    import sqlite3

    store = sqlite3.connect(cache, timeout=_SECONDS_TO_LOCK)
    store.execute("CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, answer TEXT NOT NULL)")
    return store
