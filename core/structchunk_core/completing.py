"""What is asked for beyond the chunks of a document: sentences, entries, profiles, other texts.

Each is made from the finished chunks, and only what is asked for is imported.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from structchunk_core.assembling import Assembly
from structchunk_core.chunks import Chunk
from structchunk_core.errors import Problem
from structchunk_core.framing import Frame
from structchunk_core.scales import Scale
from structchunk_core.scopes import Budget
from structchunk_core.sizing import Measure
from structchunk_core.source import Source
from structchunk_core.unit import Parsed


class Document(NamedTuple):
    """A document that is being cut.

    Attributes:
        source: the text that is cut, which is its rendering where it is rendered.
        parsed: what its format made of it.
        frame: how contexts and texts are put together.
        scale: what stretches of the text measure.
        budget: what chunks may measure.
        measure: the unit of the budget.
        noted: the problems of the document, which every chunk has in the end.
    """

    source: Source
    parsed: Parsed
    frame: Frame
    scale: Scale
    budget: Budget
    measure: Measure
    noted: Sequence[Problem]

    @property
    def problems(self) -> Sequence[Problem]:
        """Those that are noted on chunks as they are made: of what is rendered, when placed."""
        return () if self.parsed.rendering is not None else self.noted


class Extras(NamedTuple):
    """What is asked for: settings of the chunker, which says what they mean.

    Attributes:
        contextualizer: as there.
        chunk_size: what a text may measure into which a sentence has been put.
        outline: as there.
        table_format: as there.
        table_profile: as there.
        table_rows: as there.
        record_format: as there.
    """

    contextualizer: Any
    chunk_size: int
    outline: str
    table_format: str
    table_profile: bool | str
    table_rows: str
    record_format: str


def completed(
    chunks: list[Chunk], assembly: Assembly, document: Document, extras: Extras
) -> list[Chunk]:
    """The chunks of the document with all that is asked for; profiles stand behind.

    Args:
        chunks: in order, as assembled.
        assembly: what assembled them; it has the pieces that they were made of.
        document: what they are cut from.
        extras: what is asked for.
    """
    source, parsed, frame = document.source, document.parsed, document.frame
    measure = document.measure
    if extras.contextualizer is not None and frame.has_context:
        from structchunk_core.sentences import with_sentences
        from structchunk_core.tabling import split_tables, whole_tables

        pieces = assembly.pieces
        chunks = with_sentences(
            chunks,
            source,
            extras.contextualizer,
            frame,
            measure.count,
            extras.chunk_size,
            lambda: [*split_tables(pieces), *whole_tables(pieces)],
        )
    chunks = _with_entries(chunks, document, extras.outline)
    # What a context and a text that is embedded may measure together.
    most = frame.most if extras.contextualizer is None else extras.chunk_size
    if not source.is_code:
        chunks = _with_tables(chunks, assembly, document, extras, most)
    if extras.record_format == "both" and parsed.told is not None:
        from structchunk_core.record_embedding import with_embedded_lines

        chunks = with_embedded_lines(chunks, parsed.told, frame.of_indexed(), measure, most)
    return chunks


def _with_entries(chunks: list[Chunk], document: Document, outline: str) -> list[Chunk]:
    """The chunks with entries of definitions, and of values of records, as ``outline`` asks."""
    source, parsed, budget = document.source, document.parsed, document.budget
    if source.format == "records":
        if outline != "all":
            return chunks
        from structchunk_core.key_paths import with_key_paths

        return with_key_paths(chunks, parsed.root, source, budget)
    if outline == "none" or parsed.facts is None:
        return chunks
    from structchunk_core.outlining import with_entries

    outlines = parsed.facts.outlines()
    return with_entries(chunks, outlines, source, budget, only_split=outline == "split")


def _with_tables(
    chunks: list[Chunk], assembly: Assembly, document: Document, extras: Extras, most: int
) -> list[Chunk]:
    """The chunks with what is asked for about the tables in them; profiles stand behind."""
    links, both = extras.table_rows == "linked", extras.table_format == "both"
    if not (links or both or extras.table_profile):
        return chunks
    from structchunk_core.tabling import Tabling, split_tables, whole_tables

    source, frame, measure = document.source, document.frame, document.measure
    pieces = assembly.pieces
    tables = split_tables(pieces)
    every = links or both or extras.table_profile == "always"
    whole = whole_tables(pieces) if every else []
    tabling = Tabling(source, document.parsed.title, frame, measure, document.problems)
    chunks = tabling.with_parents(tables, chunks, assembly.whole_ids)
    if links:
        chunks = tabling.with_rows([*tables, *whole], chunks)
    if both:
        from structchunk_core.table_embedding import with_embedded_records

        held = [*tables, *whole]
        text, indexed = source.text, frame.of_indexed()
        chunks = with_embedded_records(chunks, held, text, indexed, measure, most)
    if not extras.table_profile:
        return chunks
    profiled = [*tables, *whole] if extras.table_profile == "always" else tables
    profiled.sort(key=lambda placed: placed.unit.start)
    return [*chunks, *tabling.profiles(profiled, chunks)]
