"""What was said about chunks, put where it is embedded: sentences into contexts, descriptions.

A sentence stands behind the context of its chunk. A description is embedded in the place of the
chunk's text, or of the tables in it. Both keep the budget: where there is no room for all of it,
its beginning is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from structchunk_core.chunks import Chunk
from structchunk_core.context import written
from structchunk_core.errors import Problem
from structchunk_core.framing import CONTEXT_SHARE, Frame
from structchunk_core.source import Source
from structchunk_core.tabling import Placed
from structchunk_core.unit import Unit


@dataclass(frozen=True, slots=True)
class Description:
    """What is embedded in the place of a chunk's text; the reader is still given the text.

    A contextualizer returns it instead of a sentence. Keyword search no longer finds the chunk by
    words that the description leaves out.

    Attributes:
        text: prose that says what the chunk says, such as what a small table has in its cells.
        replaces: what it is embedded in the place of. ``"text"``: all of the text; ``"tables"``:
            the tables in it, and what else stands there (headings, prose, code) is embedded around
            it as far as there is room, whole lines of it from the first on.
    """

    text: str
    replaces: Literal["text", "tables"] = "text"


Said = str | Description | Problem
"""About a chunk: a sentence (``""``: none), a description, or why there is neither."""


def with_sentences(
    chunks: Sequence[Chunk],
    source: Source,
    contextualizer: Any,
    frame: Frame,
    count: Callable[[str], int],
    limit: int,
    tables: Callable[[], Sequence[Placed]],
) -> list[Chunk]:
    """The chunks with what the contextualizer says about them, as far as there is room.

    Args:
        chunks: of one document, in order.
        source: the text that their spans speak of.
        contextualizer: as :func:`check_contextualizer` wants it.
        frame: how contexts and texts are put together.
        count: what a text measures.
        limit: what no embedded text may exceed.
        tables: finds those that the chunks hold, or hold parts of; asked when one was described.
    """
    if not chunks:
        return []
    said = _asked(contextualizer, chunks, source)
    beside = _beside_tables(chunks, said, source.text, tables)
    done: list[Chunk] = []
    for number, (chunk, sentence) in enumerate(zip(chunks, said, strict=True)):
        if isinstance(sentence, Problem):
            placed = replace(sentence, start=chunk.span.start, end=chunk.span.end)
            done.append(replace(chunk, problems=(*chunk.problems, placed)))
        elif isinstance(sentence, Description):
            around = beside.get(number, _NOTHING)
            indexed = frame.of_indexed()
            done.append(_with_description(chunk, sentence.text, around, indexed, count, limit))
        else:
            done.append(_with_sentence(chunk, sentence, source, frame, count, limit))
    return done


def no_sentence(reason: str) -> Problem:
    """The problem of a chunk that should have a sentence and has none."""
    return Problem("no-context-sentence", f"the contextualizer gave no sentence: {reason}")


def _with_sentence(
    chunk: Chunk,
    sentence: str,
    source: Source,
    frame: Frame,
    count: Callable[[str], int],
    limit: int,
) -> Chunk:
    sentence = " ".join(sentence.split())
    share = max(limit // CONTEXT_SHARE, 1)

    def with_beginning(begin: str) -> Chunk | None:
        line = written([[begin]], source) if begin else ""
        if not line:
            return None
        context = f"{chunk.context}\n{line}" if chunk.context else line
        text, whole = frame.rewritten(chunk, context)
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

    return _with_longest(chunk, sentence, with_beginning)


def _with_description(
    chunk: Chunk,
    description: str,
    around: _Around,
    frame: Frame,
    count: Callable[[str], int],
    limit: int,
) -> Chunk:
    """The chunk with prose embedded in the place of its text; what it shows stays as it is.

    The prose comes first: what is kept around it only has the room that all of it leaves.
    """
    description = " ".join(description.split())

    def with_words(words: str) -> Chunk | None:
        whole = frame.embedded(chunk.context, words)
        size = count(whole)
        if not words or size > limit:
            return None
        return replace(
            chunk,
            embed_text=whole,
            indexed=frame.shown(chunk.context, words),
            size_at_most=size,
            _size=size,
        )

    if not description or with_words(description) is None:
        return _with_longest(chunk, description, with_words)
    low, high = 0, len(around.before) + len(around.behind) + 1
    while high - low > 1:
        middle = (low + high) // 2
        if with_words(around.with_lines(description, middle)) is None:
            high = middle
        else:
            low = middle
    return with_words(around.with_lines(description, low)) or chunk


class _Around(NamedTuple):
    """Lines that stand in front of the first table of a chunk, and those behind it."""

    before: Sequence[str] = ()
    behind: Sequence[str] = ()

    def with_lines(self, words: str, number: int) -> str:
        """The words, and around them the first of the lines, as many as the number says."""
        before = "\n".join(self.before[:number]).rstrip()
        behind = "\n".join(self.behind[: max(0, number - len(self.before))]).rstrip()
        return "\n\n".join(part for part in (before, words, behind) if part)


_NOTHING = _Around()


def _beside_tables(
    chunks: Sequence[Chunk],
    said: Sequence[Said],
    text: str,
    tables: Callable[[], Sequence[Placed]],
) -> dict[int, _Around]:
    """By its number, what each chunk whose tables are described holds beside them."""
    held: dict[int, list[Unit]] = {
        number: []
        for number, one in enumerate(said)
        if isinstance(one, Description) and one.replaces == "tables"
    }
    for placed in tables() if held else ():
        for number in held.keys() & placed.numbers:
            held[number].append(placed.unit)
    return {
        number: _around(chunks[number], sorted(units, key=lambda unit: unit.start), text)
        for number, units in held.items()
    }


def _around(chunk: Chunk, tables: Sequence[Unit], text: str) -> _Around:
    position, end = chunk.span
    parts: list[str] = []
    for unit in tables:
        parts.append(text[position : max(position, unit.start)])
        position = max(position, min(unit.end, end))
    first, *others = (*parts, text[position:end])
    behind = [line for part in (*others, chunk.suffix) for line in _lines(part)]
    return _Around(_lines(chunk.prefix + first), behind)


def _lines(text: str) -> list[str]:
    """The lines of a text without blank ones around them; a blank line behind the last."""
    lines = text.rstrip().split("\n")
    first = next((number for number, line in enumerate(lines) if line.strip()), len(lines))
    return [*(line.rstrip("\r") for line in lines[first:]), ""] if first < len(lines) else []


def _with_longest(chunk: Chunk, words: str, with_beginning: Callable[[str], Chunk | None]) -> Chunk:
    """The chunk with as many of the words as fit; with a problem if none do."""
    if not words:
        return chunk
    best = with_beginning(words)
    low, high = 0, 0 if best else len(words)
    while high - low > 1:
        middle = (low + high) // 2
        found = with_beginning(_shortened(words, middle))
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


def _asked(contextualizer: Any, chunks: Sequence[Chunk], source: Source) -> Sequence[Said]:
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


def _said_about(function: Callable[[Chunk, Source], Said], chunk: Chunk, source: Source) -> Said:
    try:
        return _sentence_or_problem(function(chunk, source))
    except Exception as error:  # noqa: BLE001  # it is the user's, so it may raise anything
        return no_sentence(type(error).__name__)


def _sentence_or_problem(answer: object) -> Said:
    if isinstance(answer, str | Problem):
        return answer
    if isinstance(answer, Description) and isinstance(answer.text, str):
        if answer.replaces in {"text", "tables"}:
            return answer
        return no_sentence(f"a description that replaces {answer.replaces!r:.40}")
    return no_sentence(f"an answer of the type {type(answer).__name__}")
