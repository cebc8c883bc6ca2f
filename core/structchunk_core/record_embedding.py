"""Records that are shown as they are written and embedded as lines (``record_format="both"``).

Quotes and brackets say nothing to an index, and a key that stands far above a value, or only in
the context, says little about it. Each mapping is embedded as one line: the keys that lead to it,
its name in words, and what it tells.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from structchunk_core.chunks import Chunk, changed_chunk
from structchunk_core.context import SEPARATOR
from structchunk_core.errors import Problem
from structchunk_core.framing import Frame
from structchunk_core.key_paths import KEYS
from structchunk_core.resting import collector_at_rest
from structchunk_core.sizing import Measure, longest
from structchunk_core.table_text import BETWEEN
from structchunk_core.unit import Tell, Told

_AND = " | "  # between mappings of one list
_LONGEST_NAME = 64  # characters of a name that is written in words too
_SPACE = re.compile(r"\s")
_BETWEEN_WORDS = re.compile(r"[\W_]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def with_embedded_lines(
    chunks: Sequence[Chunk],
    tell: Tell,
    frame: Frame,
    measure: Measure,
    most: int,
) -> list[Chunk]:
    """The chunks, with what their texts tell embedded in lines.

    A chunk stays as it is where its text cannot be told without a loss, and where another text is
    embedded already. One whose lines do not fit does so with the problem ``records-omitted``. One
    that gets lines needs no entries that spell out keys, and loses them.

    Args:
        chunks: of a document of records.
        tell: what tells what they say.
        frame: how contexts and texts are put together.
        measure: the unit of the budget.
        most: what the context and the lines may measure together.
    """
    with collector_at_rest():
        return [_embedded(chunk, tell, frame, measure, most) for chunk in chunks]


def _embedded(
    chunk: Chunk,
    tell: Tell,
    frame: Frame,
    measure: Measure,
    most: int,
) -> Chunk:
    """One of the chunks; arguments as of :func:`with_embedded_lines`."""
    written = _written(chunk, frame)
    told = None if chunk.indexed else tell(written, *chunk.span)
    lines = _lines(told, chunk.context) if told else ""
    if not lines or lines == written.strip():
        return chunk
    embedded = frame.embedded(chunk.context, lines)
    counted = frame.counted(chunk.context, lines)
    size, at_most = -1, longest(embedded)
    if not measure.trusted or at_most > most:
        size = measure.count(counted)
        if size > most:
            return changed_chunk(chunk, problems=(*chunk.problems, _omitted(chunk)))
        at_most = size = size if counted == embedded else measure.count(embedded)
    entries = chunk.entries
    return changed_chunk(
        chunk,
        embed_text=embedded,
        indexed=frame.shown(chunk.context, lines),
        size_at_most=at_most,
        entries=entries and tuple(entry for entry in entries if entry.kind != KEYS),
        _size=size,
        _count=measure.count if size < 0 else None,
    )


def _written(chunk: Chunk, frame: Frame) -> str:
    """The text of a chunk without its context."""
    if frame.inline and chunk.context:
        return chunk.text[len(chunk.context + frame.glue) :]
    return chunk.text


def _lines(told: Sequence[Told], context: str) -> str:
    """A line for each mapping, without those keys above all of them that the context has.

    The nearest of these stays. Mappings behind each other in one list share a line. Where the last
    key is a name of several words, these stand behind it.
    """
    common = told[0].keys
    for one in told:
        while one.keys[: len(common)] != common:
            common = common[:-1]
    first = max(0, _known(common, context) - 1)
    lines: list[str] = []
    before: tuple[str, ...] = ()
    for one in told:
        words = BETWEEN.join(
            [f"{key}: {value}" if key and value else key or value for key, value in one.pairs]
        )
        if one.keys and one.keys == before:
            lines[-1] += _AND + words
        else:
            path = SEPARATOR.join(one.keys[first:])
            name = _in_words(one.keys[-1]) if one.keys else ""
            lines.append(_pair(f"{path} ({name})" if path and name else path, words))
        before = one.keys
    return "\n".join(lines)


def _known(keys: Sequence[str], context: str) -> int:
    """How many of the keys, from the first one on, the context has in this order.

    Names of records stand between them there, as in ``versions > v1 > schema``, and what a model
    says about the chunk on further lines.
    """
    steps = iter(context.replace("\n", SEPARATOR).split(SEPARATOR))
    return next((number for number, key in enumerate(keys) if key not in steps), len(keys))


@lru_cache(maxsize=4096)  # keys come again and again
def _in_words(name: str) -> str:
    """The words of a name such as ``maxRetries`` or ``max_retries``; nothing where it is but one.

    They are what is asked for, and neither an index of words nor the vocabulary of a model finds
    them in the name.
    """
    if len(name) > _LONGEST_NAME or _SPACE.search(name):
        return ""
    words = [word for word in _BETWEEN_WORDS.split(name) if word]
    return " ".join(words).lower() if len(words) > 1 else ""


def _pair(key: str, words: str) -> str:
    return f"{key}: {words}" if key and words else key or words


def _omitted(chunk: Chunk) -> Problem:
    return Problem(
        "records-omitted",
        "what is told fits as it is written and not in lines: it is embedded as written",
        *chunk.span,
    )
