"""The chunker: settings and wiring. detect -> parse -> pack -> contextualise -> chunks."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any, Literal

import structchunk_core  # its names are loaded when annotations are resolved
from structchunk_core.assembling import Assembly
from structchunk_core.chunks import Chunk
from structchunk_core.completing import Document, Extras, completed
from structchunk_core.context import glue
from structchunk_core.detect import detect
from structchunk_core.errors import ConfigurationError, Problem
from structchunk_core.formats import ParseOptions, format_names, parser_or_none
from structchunk_core.framing import CONTEXT_SHARE, Frame, Join, joined
from structchunk_core.packing import pack
from structchunk_core.resting import collector_at_rest
from structchunk_core.scopes import Budget
from structchunk_core.settings import (
    check_boolean,
    check_boolean_or,
    check_choice,
    check_format,
    check_grammars,
    check_integer,
    check_language,
    check_level,
    check_seconds,
    path_text,
)
from structchunk_core.sizing import Measure, measure_of
from structchunk_core.source import Source
from structchunk_core.unit import Parsed

ALGORITHM = 5
"""Grows whenever the same input and settings may give other chunks than before."""

Granularity = Literal["definition", "packed"]
ContextMode = Literal["separate", "inline", "none"]
MissingGrammar = Literal["warn", "error"]
OutlineMode = Literal["none", "split", "all"]
TableFormat = Literal["rows", "records", "both"]
RecordFormat = Literal["written", "both"]
TableProfile = bool | Literal["always"]
TableRows = Literal["grouped", "linked"]

_MINIMUM = {"tokens": 8, "characters": 1, "units": 1}
_SENTENCE_SHARE = 8  # this part of the budget is kept free for what a contextualizer says


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunker:
    """Cuts documents into chunks. Frozen, picklable, safe to share between threads.

    Making one only checks and stores its settings; grammars and encodings load at first use.

    Attributes:
        chunk_size: what no chunk's ``embed_text`` exceeds, in the unit of the tokenizer: at least
            8 tokens, or 1 character.
        target_size: what packing aims at; None means half of ``chunk_size``, and for rows of a
            table that is split a quarter, or four times what each group repeats, up to the half;
            for YAML, TOML, INI and XML three eighths.
        tokenizer: a tiktoken encoding's name (``cl100k_base`` when None), ``"characters"``, a
            ``tiktoken.Encoding``, a Hugging Face tokenizer or any object with ``encode(text)``.
        length_function: a function from text to its length, instead of a tokenizer.
        granularity: ``"definition"``: each function, method and section of what does not fit the
            target as a whole gets a chunk of its own; ``"packed"``: neighbours share chunks up to
            the target.
        split_level: a chunk begins at every heading of this level (1 to 6) or above, however
            short the sections are; None means that small ones may share a chunk.
        context: ``"separate"``: kept beside the text and embedded; ``"inline"``: in front of the
            text; ``"none"``.
        chunk_overlap: how much of the chunk before is repeated at most, in whole lines or
            sentences. More than half of ``chunk_size`` is taken for half of it, since each chunk
            has to say something new.
        parse_seconds: how long a grammar may work on one document before it is cut as text.
        grammars: grammars of your own: language -> ``tree_sitter.Language`` or ``Parser``.
        on_missing_grammar: ``"warn"`` (cut as text, with a problem) or ``"error"``.
        outline: which definitions get an entry of scope, signature and documentation that leads
            to them: ``"none"``, ``"split"`` (those that did not fit into one chunk), ``"all"``.
            With the last, chunks of JSON, YAML, TOML, INI and XML get entries of their values too,
            each with all keys above it, unless ``record_format="both"`` embeds them so.
        strip_boilerplate: whether navigation, headers, footers and notices of web pages are left
            out; they are labelled (``element_type`` ``boilerplate``) in any case.
        contextualizer: a function ``(chunk, source) -> str``, or an object with a method
            ``batch(chunks, source)`` such as ``Contextualizer(model)``, which says a sentence
            about each chunk: it becomes part of the context (which cannot be ``"none"`` then). An
            eighth of the budget is kept free for it. Its failure is a problem of the chunk.
        overlap_lines: how many lines of the chunk before, without blank ones, are repeated where
            there is room for them, whatever they hold; instead of ``chunk_overlap``, for code.
        table_format: ``"rows"``: tables as they are written; ``"records"``: each row as
            ``column: value; column: value`` on a line, without its empty cells; columns without any
            value are named once, and a table without any stays as it is. Chunks with such lines
            are ``rendered``. ``"both"``: shown as written and embedded as records
            (:attr:`Chunk.indexed`); what fits as written only is embedded so, with the problem
            ``records-omitted``.
        table_profile: whether a table that is split gets a profile, a chunk of its own behind all
            others (:attr:`Chunk.derived`): how many rows, and of each column type, sum, mean,
            least, greatest, most frequent values; ``"always"``: every table does.
        table_rows: ``"linked"``: each row of a table, with caption and names of columns, is an
            entry that leads to the chunk it is in; ``"grouped"``: none is.
        record_format: how JSON, YAML, TOML, INI and XML are embedded. ``"both"``: shown as written
            and embedded as ``keys: key: value; key: value``, a line for each mapping with the keys
            that lead to it (:attr:`Chunk.indexed`); what fits as written only is embedded so, with
            the problem ``records-omitted``, and so is what the lines would not tell whole.
            ``"written"``: as they are written.

    Raises:
        ConfigurationError: a setting is wrong; the message names the value and the way out.
    """

    chunk_size: int = 512
    target_size: int | None = None
    tokenizer: Any = None
    length_function: Callable[[str], int] | None = None
    granularity: Granularity = "definition"
    split_level: int | None = None
    context: ContextMode = "separate"
    chunk_overlap: int = 0
    parse_seconds: float = 10.0
    grammars: Mapping[str, Any] = field(default_factory=dict)
    on_missing_grammar: MissingGrammar = "warn"
    outline: OutlineMode = "none"
    strip_boilerplate: bool = False
    contextualizer: Any = None
    overlap_lines: int = 0
    table_format: TableFormat = "rows"
    table_profile: TableProfile = True
    table_rows: TableRows = "grouped"
    record_format: RecordFormat = "both"
    _measure: Measure = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_measure", measure_of(self.tokenizer, self.length_function))
        unit = self._measure.unit
        check_integer("chunk_size", self.chunk_size, _MINIMUM[unit], unit)
        if self.target_size is not None:
            check_integer("target_size", self.target_size, 1, unit)
            if self.target_size > self.chunk_size:
                raise ConfigurationError(
                    f"target_size must not exceed chunk_size ({self.chunk_size} {unit}), "
                    f"got {self.target_size}"
                )
        check_integer("chunk_overlap", self.chunk_overlap, 0, unit)
        if self.chunk_overlap > self.chunk_size:
            raise ConfigurationError(
                f"chunk_overlap must not exceed chunk_size ({self.chunk_size} {unit}), "
                f"got {self.chunk_overlap}"
            )
        check_choice("granularity", self.granularity, ("definition", "packed"))
        check_level(self.split_level)
        check_choice("context", self.context, ("separate", "inline", "none"))
        check_choice("outline", self.outline, ("none", "split", "all"))
        check_choice("on_missing_grammar", self.on_missing_grammar, ("warn", "error"))
        check_seconds(self.parse_seconds)
        check_grammars(self.grammars)
        check_boolean("strip_boilerplate", self.strip_boilerplate)
        check_integer("overlap_lines", self.overlap_lines, 0, "lines")
        if self.overlap_lines and self.chunk_overlap:
            raise ConfigurationError(
                "give chunk_overlap or overlap_lines, not both: got chunk_overlap="
                f"{self.chunk_overlap} and overlap_lines={self.overlap_lines}"
            )
        check_choice("table_format", self.table_format, ("rows", "records", "both"))
        check_boolean_or("table_profile", self.table_profile, "always")
        check_choice("table_rows", self.table_rows, ("grouped", "linked"))
        check_choice("record_format", self.record_format, ("written", "both"))
        if self.contextualizer is None:
            return
        from structchunk_core.contextualizing import check_contextualizer

        check_contextualizer(self.contextualizer)
        if self.context == "none":
            raise ConfigurationError(
                "contextualizer puts its sentence into the context, so context must be 'separate' "
                "or 'inline', got 'none'"
            )

    def __deepcopy__(self, memo: dict[int, Any]) -> Chunker:
        return self  # it is frozen, and so are grammars, which cannot be copied

    @property
    def fingerprint(self) -> str:
        """Settings and algorithm version as one string: equal means equal chunks.

        Functions, tokenizers and grammars of your own count by their names.
        """
        settings: tuple[object, ...] = (
            ALGORITHM,
            self.chunk_size,
            self.target_size,
            self._measure.name,
            self.granularity,
            self.split_level,
            self.context,
            self.chunk_overlap,
            self.parse_seconds,
            sorted(self.grammars),
            self.on_missing_grammar,
            self.outline,
            self.strip_boilerplate,
            self.overlap_lines,
            self.table_format,
            self.table_profile,
            self.table_rows,
            self.record_format,
        )
        if self.contextualizer is not None:
            from structchunk_core.contextualizing import contextualizer_name

            settings = (*settings, contextualizer_name(self.contextualizer))
        return hashlib.sha256(repr(settings).encode()).hexdigest()[:16]

    def count(self, text: str) -> int:
        """What a text measures in the unit of the budget."""
        return self._measure.count(text)

    def parse(
        self,
        text: str,
        *,
        path: str | PathLike[str] = "",
        language: str | None = None,
        format: str | None = None,
    ) -> Parsed:
        """The unit tree of a document. Arguments as for :meth:`chunk`."""
        return self._parse(self._source(text, path, language, format))

    def chunk(
        self,
        text: str,
        *,
        path: str | PathLike[str] = "",
        language: str | None = None,
        format: str | None = None,
        problems: Iterable[Problem] = (),
        join: Join | None = None,
        join_indexed: Join | None = None,
    ) -> list[Chunk]:
        """The chunks of a document, in order.

        Their spans do not overlap and hold every visible character of the text; where nothing is
        visible (blank text, a page of HTML without a body) there are none. While it is cut,
        Python's collector of reference cycles rests.

        Args:
            text: the document, as decoded; nothing is normalised.
            path: its path or name; it tells the format, stands in the context and in the ids.
            language: the language of source code, when the path does not tell.
            format: ``code``, ``markdown``, ``delimited``, ``text``, ... when the path does not
                tell.
            problems: what is known to be wrong with the text already; noted on every chunk.
            join: what is embedded of a context (``""`` for none) and a text, when that is more
                than the two: all of it counts in the budget, and it becomes ``embed_text``. If
                what it adds leaves less than a quarter of the budget, the text keeps that and
                the chunks have the problem ``metadata-over-budget``.
            join_indexed: the same of a context and a text that is embedded in the place of the
                one that is shown (:attr:`Chunk.indexed`), where that is put together in another
                way; None: as ``join`` does it.

        Raises:
            ConfigurationError: text is not a str, or nothing provides the format.
            MissingDependencyError: the tokenizer's files, or with ``on_missing_grammar="error"``
                the grammar, are not installed.
        """
        document = self._document(text, path, language, format, problems, join, join_indexed)
        if document is None:
            return []
        chunks, rendering = self._chunks(document), document.parsed.rendering
        if rendering is None:
            return chunks
        from structchunk_core.placing import placed_chunks

        return placed_chunks(chunks, rendering, text, document.noted)

    def chunk_many(
        self,
        texts: Iterable[str],
        *,
        paths: Iterable[str | PathLike[str] | None] | None = None,
        language: str | None = None,
        format: str | None = None,
        workers: int = 1,
    ) -> Iterator[list[Chunk]]:
        """The chunks of each of many documents, in order, made as they are asked for.

        Threads help where tokenising is most of the work, as with prose: it runs outside the
        interpreter, the rest does not. For source code, and to be safe from what native code may
        do, take processes: :func:`structchunk_core.batch.chunk_files`.

        Args:
            texts: the documents; of an iterator, at most two for each worker are held.
            paths: the path or name of each, as for :meth:`chunk`; None where there is none.
            language: of every document, as there.
            format: of every document, as there.
            workers: how many threads.

        Raises:
            ConfigurationError: as for :meth:`chunk`; or there are more texts than paths, or fewer.
            MissingDependencyError: as there.
        """
        if isinstance(texts, str):
            raise ConfigurationError("texts must be several, such as [text], got one str")
        from structchunk_core.threads import in_pairs, map_in_order

        check_integer("workers", workers, 1, "threads")
        check_language(language)
        check_format(format)

        def chunks(document: tuple[str, str | PathLike[str] | None]) -> list[Chunk]:
            text, path = document
            return self.chunk(text, path=path or "", language=language, format=format)

        return map_in_order(chunks, in_pairs(texts, paths), workers)

    def hierarchy(
        self,
        text: str,
        *,
        path: str | PathLike[str] = "",
        language: str | None = None,
        format: str | None = None,
        problems: Iterable[Problem] = (),
        join: Join | None = None,
        join_indexed: Join | None = None,
        parent_size: int | None = None,
    ) -> structchunk_core.Hierarchy:
        """The chunks of a document, and the larger units that hold several of them.

        Raises what :meth:`chunk` raises, and a ConfigurationError where ``parent_size`` is less
        than ``chunk_size``.

        Args:
            text: as for :meth:`chunk`.
            path: as there.
            language: as there.
            format: as there.
            problems: as there.
            join: as there.
            join_indexed: as there.
            parent_size: what no such unit exceeds, in the unit of the tokenizer; what is larger
                is left out of the hierarchy. None means four times ``chunk_size``.
        """
        from structchunk_core.hierarchy import Hierarchy, hierarchy_of
        from structchunk_core.placing import placed_around, placed_chunks

        limit = 4 * self.chunk_size if parent_size is None else parent_size
        check_integer("parent_size", limit, self.chunk_size, self._measure.unit)
        document = self._document(text, path, language, format, problems, join, join_indexed)
        if document is None:
            return Hierarchy()
        chunks, frame = self._chunks(document), document.frame
        source, parsed, scale = document.source, document.parsed, document.scale
        found = hierarchy_of(chunks, parsed, source, scale, limit, frame.embedded, self._measure)
        if parsed.rendering is None:
            return found
        placed = placed_chunks(chunks, parsed.rendering, text, document.noted)
        parents = placed_around(found, placed, parsed.rendering, text)
        return replace(found, chunks=tuple(placed), parents=tuple(parents))

    def _document(
        self,
        text: str,
        path: str | PathLike[str],
        language: str | None,
        format: str | None,
        problems: Iterable[Problem],
        join: Join | None,
        join_indexed: Join | None,
    ) -> Document | None:
        """The document, parsed and measured, as :meth:`chunk` is given it; None if it is blank."""
        source = self._source(text, path, language, format)
        if not text or text.isspace():
            return None
        parsed = self._parse(source)
        frame = self._frame(source, join, join_indexed)
        noted = (*problems, *frame.problems, *parsed.problems)
        if parsed.rendering is not None:
            source = replace(source, text=parsed.rendering.text)
        scale = self._measure.scale(source.text)
        budget = self._budget(source, frame, parsed.aim)
        return Document(source, parsed, frame, scale, budget, self._measure, noted)

    def _chunks(self, document: Document) -> list[Chunk]:
        """The chunks of the document; of one that is rendered, those of its rendering."""
        source, parsed, scale = document.source, document.parsed, document.scale
        frame, budget = document.frame, document.budget
        if self.table_format == "both" and not source.is_code:
            from structchunk_core.table_embedding import widened
            from structchunk_core.table_records import tables_in

            tables = tables_in(parsed.root)
            room = max(0, budget.limit - frame.around_indexed)
            scale = widened(scale, tables, source.text, self._measure, room)
        assembly = Assembly(frame, source, parsed, scale, budget, document.problems)
        with collector_at_rest():
            pieces = pack(parsed.root, source.text, scale, budget)
            chunks = list(assembly.chunks(pieces))
            del pieces  # the assembly has those that the chunks were made of
        extras = Extras(
            self.contextualizer,
            self.chunk_size,
            self.outline,
            self.table_format,
            self.table_profile,
            self.table_rows,
            self.record_format,
        )
        return completed(chunks, assembly, document, extras)

    def _frame(self, source: Source, join: Join | None, join_indexed: Join | None) -> Frame:
        """How contexts and texts are put together, and what that leaves of the budget."""
        kept_free = 0 if self.contextualizer is None else self.chunk_size // _SENTENCE_SHARE
        most = self.chunk_size - kept_free
        inline, has_context = self.context == "inline", self.context != "none"
        frame = Frame(None, glue(source.format), inline, has_context, most, most)
        smallest = min(_MINIMUM[self._measure.unit], self.chunk_size)
        least = max(smallest, self.chunk_size // CONTEXT_SHARE)
        return joined(frame, join, join_indexed, self._measure, least)

    def _budget(self, source: Source, frame: Frame, aim: float) -> Budget:
        limit = frame.limit
        reserve = 0
        if frame.has_context:
            usual = self._measure.count(source.path) + self._measure.count(" > name > name\n\n")
            reserve = min(limit // CONTEXT_SHARE, usual + frame.label)
        return Budget(
            limit,
            min(self.target_size or max(1, int(limit * aim)), limit),
            reserve,
            min(self.chunk_overlap, limit // 2),
            self.granularity == "definition",
            self._measure,
            self.split_level or 0,
            self.overlap_lines,
            0 if self.target_size else max(1, limit // 4),
        )

    def _source(
        self, text: str, path: str | PathLike[str], language: str | None, format: str | None
    ) -> Source:
        if not isinstance(text, str):
            raise ConfigurationError(
                f"text must be a str, got {type(text).__name__}: decode bytes first"
            )
        path = path_text(path)
        language, format = check_language(language), check_format(format)
        found = detect(text, path, language=language, format=format)
        return Source(text, path, found.format, found.language)

    def _parse(self, source: Source) -> Parsed:
        options = ParseOptions(
            self.parse_seconds, self.grammars, self.on_missing_grammar, self.strip_boilerplate
        )
        parser = parser_or_none(source.format)
        if parser is not None:
            with collector_at_rest():
                parsed = parser(source, options)
            if self.table_format != "records" or source.is_code:
                return parsed
            from structchunk_core.table_records import with_records

            shown = source.text if parsed.rendering is None else parsed.rendering.text
            return with_records(parsed, shown)
        raise ConfigurationError(
            f"format must be one of {', '.join(format_names())}, got {source.format!r}"
        )
