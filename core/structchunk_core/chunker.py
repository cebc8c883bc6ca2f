"""The chunker: settings and wiring. detect -> parse -> pack -> contextualise -> chunks."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import repeat, zip_longest
from os import PathLike
from typing import Any, Literal

from structchunk_core.blocks import Budget, Scope
from structchunk_core.chunk import Chunk, chunk_id, make_chunk
from structchunk_core.context import (
    Description,
    Surroundings,
    context_candidates,
    describe,
    fullest_in_code,
    glue,
    surroundings_of,
    written,
)
from structchunk_core.contextualizing import (
    CONTEXT_SHARE,
    check_contextualizer,
    contextualizer_name,
    with_sentences,
)
from structchunk_core.detect import detect
from structchunk_core.errors import ConfigurationError, PlacedProblems, Problem
from structchunk_core.formats import ParseOptions, format_names, parser_or_none
from structchunk_core.framing import CROWDED, Frame, Join
from structchunk_core.hierarchy import Hierarchy, hierarchy_of
from structchunk_core.outlining import with_entries
from structchunk_core.packing import Piece, pack, split
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
from structchunk_core.sizing import Measure, Scale, measure_of
from structchunk_core.source import LineNumbers, Source
from structchunk_core.table_records import with_records
from structchunk_core.tabling import (
    TableFormat,
    TableProfile,
    TableRows,
    Tabling,
    split_tables,
    whole_tables,
)
from structchunk_core.threads import map_in_order
from structchunk_core.unit import Parsed, Rendering, Span, Unit

ALGORITHM = 2
"""Grows whenever the same input and settings may give other chunks than before."""

Granularity = Literal["definition", "packed"]
ContextMode = Literal["separate", "inline", "none"]
MissingGrammar = Literal["warn", "error"]
OutlineMode = Literal["none", "split", "all"]

_WHOLE = (0, 0, "")  # the place of what is not a part
_MINIMUM = {"tokens": 8, "characters": 1, "units": 1}
_SENTENCE_SHARE = 8  # this part of the budget is kept free for what a contextualizer says


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunker:
    """Cuts documents into chunks. Frozen, picklable, safe to share between threads.

    Making one only checks and stores its settings; grammars and encodings load at first use.

    Attributes:
        chunk_size: what no chunk's ``embed_text`` exceeds, in the unit of the tokenizer: at least
            8 tokens, or 1 character.
        target_size: what packing aims at; None means half of ``chunk_size``.
        tokenizer: a tiktoken encoding's name (``cl100k_base`` when None), ``"characters"``, a
            ``tiktoken.Encoding``, a Hugging Face tokenizer or any object with ``encode(text)``.
        length_function: a function from text to its length, instead of a tokenizer.
        granularity: ``"definition"``: each function, method and section gets a chunk of its own;
            ``"packed"``: neighbours share chunks up to the target.
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
        strip_boilerplate: whether navigation, headers, footers and notices of web pages are left
            out; they are labelled (``element_type`` ``boilerplate``) in any case.
        contextualizer: a function ``(chunk, source) -> str``, or an object with a method
            ``batch(chunks, source)`` such as ``Contextualizer(model)``, which says a sentence
            about each chunk: it becomes part of the context. An eighth of the budget is kept free
            for it. Its failure is a problem of the chunk.
        overlap_lines: how many lines of the chunk before, without blank ones, are repeated where
            there is room for them, whatever they hold; instead of ``chunk_overlap``, for code.
        table_format: ``"rows"``: tables as they are written; ``"records"``: each row as
            ``column: value; column: value`` on a line, without its empty cells. Chunks with such
            lines are ``rendered``.
        table_profile: whether a table that is split gets a profile, a chunk of its own behind all
            others (:attr:`Chunk.derived`): how many rows, and of each column type, sum, mean,
            least, greatest, most frequent values; ``"always"``: every table does.
        table_rows: ``"linked"``: each row of a table, with caption and names of columns, is an
            entry that leads to the chunk it is in; ``"grouped"``: none is.

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
        check_choice("table_format", self.table_format, ("rows", "records"))
        check_boolean_or("table_profile", self.table_profile, "always")
        check_choice("table_rows", self.table_rows, ("grouped", "linked"))
        check_contextualizer(self.contextualizer)
        if self.contextualizer is not None and self.context == "none":
            raise ConfigurationError(
                "contextualizer puts its sentence into the context, so context must be 'separate' "
                "or 'inline', got 'none'"
            )

    def __deepcopy__(self, memo: dict[int, Any]) -> Chunker:
        return self  # it is frozen, and so are grammars, which cannot be copied

    @property
    def fingerprint(self) -> str:
        """Settings and algorithm version as one string: equal means equal chunks."""
        settings: tuple[object, ...] = (
            ALGORITHM,
            self.chunk_size,
            self._target,
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
        )
        if self.contextualizer is not None:
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
    ) -> list[Chunk]:
        """The chunks of a document, in order.

        Their spans do not overlap and hold every visible character of the text.

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

        Raises:
            ConfigurationError: text is not a str, or nothing provides the format.
            MissingDependencyError: the tokenizer's files, or with ``on_missing_grammar="error"``
                the grammar, are not installed.
        """
        source = self._source(text, path, language, format)
        if not text or text.isspace():
            return []
        parsed = self._parse(source)
        frame = self._frame(source, join)
        noted = (*problems, *frame.problems, *parsed.problems)
        if parsed.rendering is None:
            scale = self._measure.scale(text)
            return self._chunks(source, parsed, scale, frame, noted)
        rendered = replace(source, text=parsed.rendering.text)
        scale = self._measure.scale(rendered.text)
        chunks = self._chunks(rendered, parsed, scale, frame, ())
        return _placed(chunks, parsed.rendering, text, noted)

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
        check_integer("workers", workers, 1, "threads")
        check_language(language)
        check_format(format)

        def chunks(document: tuple[str, str | PathLike[str] | None]) -> list[Chunk]:
            text, path = document
            return self.chunk(text, path=path or "", language=language, format=format)

        return map_in_order(chunks, _documents(texts, paths), workers)

    def hierarchy(
        self,
        text: str,
        *,
        path: str | PathLike[str] = "",
        language: str | None = None,
        format: str | None = None,
        problems: Iterable[Problem] = (),
        join: Join | None = None,
        parent_size: int | None = None,
    ) -> Hierarchy:
        """The chunks of a document, and the larger units that hold several of them.

        Raises what :meth:`chunk` raises.

        Args:
            text: as for :meth:`chunk`.
            path: as there.
            language: as there.
            format: as there.
            problems: as there.
            join: as there.
            parent_size: what no such unit exceeds, in the unit of the tokenizer; what is larger
                is left out of the hierarchy. None means four times ``chunk_size``.
        """
        limit = 4 * self.chunk_size if parent_size is None else parent_size
        check_integer("parent_size", limit, self.chunk_size, self._measure.unit)
        source = self._source(text, path, language, format)
        if not text or text.isspace():
            return Hierarchy()
        parsed = self._parse(source)
        frame = self._frame(source, join)
        noted = (*problems, *frame.problems, *parsed.problems)
        rendering = parsed.rendering
        shown = source if rendering is None else replace(source, text=rendering.text)
        scale = self._measure.scale(shown.text)
        chunks = self._chunks(shown, parsed, scale, frame, () if rendering else noted)
        found = hierarchy_of(chunks, parsed, shown, scale, limit, frame.embedded, self._measure)
        if rendering is None:
            return found
        placed = _placed(chunks, rendering, text, noted)
        parents = _placed_around(found, placed, rendering, text)
        return replace(found, chunks=tuple(placed), parents=tuple(parents))

    def _chunks(
        self,
        source: Source,
        parsed: Parsed,
        scale: Scale,
        frame: Frame,
        problems: Sequence[Problem],
    ) -> list[Chunk]:
        budget = self._budget(source, frame)
        pieces = pack(parsed.root, source.text, scale, budget)
        assembly = _Assembly(frame, source, parsed, scale, budget, problems)
        chunks = list(assembly.chunks(pieces))
        if self.contextualizer is not None and frame.has_context:
            chunks = with_sentences(
                chunks,
                source,
                self.contextualizer,
                frame.rewritten,
                self._measure.count,
                self.chunk_size,
            )
        if self.outline != "none" and parsed.facts is not None:
            outlines = parsed.facts.outlines()
            only_split = self.outline == "split"
            chunks = with_entries(chunks, outlines, source, budget, only_split=only_split)
        return self._with_tables(chunks, assembly.pieces, source, parsed, frame)

    def _with_tables(
        self,
        chunks: list[Chunk],
        pieces: Sequence[Piece],
        source: Source,
        parsed: Parsed,
        frame: Frame,
    ) -> list[Chunk]:
        """The chunks with what is asked for about the tables in them; profiles stand behind."""
        links = self.table_rows == "linked"
        if source.format == "code" or not (links or self.table_profile):
            return chunks
        tables = split_tables(pieces)
        whole = whole_tables(pieces) if links or self.table_profile == "always" else []
        tabling = Tabling(source, parsed.title, frame, self._measure)
        if links:
            chunks = tabling.with_rows([*tables, *whole], chunks)
        if not self.table_profile:
            return chunks
        profiled = [*tables, *whole] if self.table_profile == "always" else tables
        profiled.sort(key=lambda placed: placed.unit.start)
        return [*chunks, *tabling.profiles(profiled, chunks)]

    @property
    def _target(self) -> int:
        return self.target_size or max(1, self.chunk_size // 2)

    def _frame(self, source: Source, join: Join | None) -> Frame:
        """What the join leaves of the budget, and how contexts and texts are put together."""
        frame = Frame(
            join,
            glue(source.format),
            self.context == "inline",
            self.context != "none",
            self.chunk_size,
            self.chunk_size,
        )
        if self.contextualizer is not None:
            most = self.chunk_size - self.chunk_size // _SENTENCE_SHARE
            frame = replace(frame, limit=most, most=most)
        if join is None:
            return frame
        bare = self._measure.count(join("", "x"))
        if not frame.inline:
            label = max(0, self._measure.count(join("x", "x")) - bare)
            frame = replace(frame, label=label)
        if join("", "x") == "x":
            return frame
        around = bare + (self._measure.slack(0) if self._measure.trusted else 0)
        smallest = min(_MINIMUM[self._measure.unit], self.chunk_size)
        least = max(smallest, self.chunk_size // CONTEXT_SHARE)
        if frame.limit - around >= least:
            return replace(frame, limit=frame.limit - around, around=around)
        return replace(
            frame, has_context=False, limit=least, most=least, around=around, problems=(CROWDED,)
        )

    def _budget(self, source: Source, frame: Frame) -> Budget:
        limit = frame.limit
        reserve = 0
        if frame.has_context:
            usual = self._measure.count(source.path) + self._measure.count(" > name > name\n\n")
            reserve = min(limit // CONTEXT_SHARE, usual + frame.label)
        return Budget(
            limit,
            min(self.target_size or max(1, limit // 2), limit),
            reserve,
            min(self.chunk_overlap, limit // 2),
            self.granularity == "definition",
            self._measure,
            self.split_level or 0,
            self.overlap_lines,
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
            parsed = parser(source, options)
            if self.table_format == "rows" or source.format == "code":
                return parsed
            shown = source.text if parsed.rendering is None else parsed.rendering.text
            return with_records(parsed, shown)
        raise ConfigurationError(
            f"format must be one of {', '.join(format_names())}, got {source.format!r}"
        )


def _documents(
    texts: Iterable[str], paths: Iterable[str | PathLike[str] | None] | None
) -> Iterator[tuple[str, str | PathLike[str] | None]]:
    if paths is None:
        yield from zip(texts, repeat(None))
        return
    missing = object()
    for text, path in zip_longest(texts, paths, fillvalue=missing):
        if text is missing or path is missing:
            raise ConfigurationError("there must be as many paths as texts")
        yield text, path  # type: ignore[misc]  # neither is what is missing


def chunk(
    text: str,
    *,
    path: str | PathLike[str] = "",
    language: str | None = None,
    format: str | None = None,
    **settings: Any,
) -> list[Chunk]:
    """The chunks of one document: ``Chunker(**settings).chunk(text, ...)``."""
    return Chunker(**settings).chunk(text, path=path, language=language, format=format)


_Described = tuple[Piece, Description, int]
"""A piece, what it is, and about what its text measures."""


class _Assembly:
    """Turns the pieces of one document into chunks that keep the limit exactly."""

    def __init__(
        self,
        frame: Frame,
        source: Source,
        parsed: Parsed,
        scale: Scale,
        budget: Budget,
        problems: Sequence[Problem],
    ) -> None:
        self._frame = frame
        self._source = source
        self._parsed = parsed
        self._scale = scale
        self._budget = budget
        self._measure = budget.measure
        self._problems = PlacedProblems(problems) if problems else None
        self._has_places = parsed.facts is not None and parsed.facts.has_places
        self._lines = LineNumbers(source.text)
        self._surroundings: dict[Scope | None, Surroundings] = {}
        self._sizes: dict[str, int] = {"": 0}
        self._oversized: dict[int, Problem] = {}
        self.pieces: list[Piece] = []  # what each chunk was made of
        self._contexts: dict[object, tuple[str, str] | None] = {}

    def chunks(self, pieces: Sequence[Piece]) -> Iterator[Chunk]:
        described: list[_Described] = []
        limit = self._budget.limit
        slack = self._measure.slack(limit) if self._measure.trusted else limit + 1  # count each
        noted = self._parsed.facts is not None and self._parsed.facts.has_notes
        for piece in pieces:
            around = self._surroundings.get(piece.scope)
            if around is None:
                around = self._surroundings[piece.scope] = surroundings_of(
                    piece.scope, self._source
                )
            description = describe(piece, self._source, around)
            about = self._about(piece)
            if about + slack <= limit and not noted:
                described.append((piece, description, about))
                continue
            for part in self._affordable(piece):
                whole = self._with_notes(part) if noted else part
                described.append((whole, description, self._about(whole)))
        parts = self._parts(described)
        for number, problem in self._oversized.items():
            piece, description, about = described[number]
            piece = piece._replace(problems=(*piece.problems, problem))
            described[number] = piece, description, about
        seen: dict[tuple[tuple[str, ...], str], int] = {}
        self.pieces = [piece for piece, _, _ in described]
        last = len(described) - 1
        behind = 0
        for number, one in enumerate(described):
            text = self._text(one[0])
            key = one[1].path, text
            occurrence = seen[key] = seen.get(key, -1) + 1
            before = self._source.text[behind : one[0].start]
            behind = one[0].end
            after = self._source.text[behind:] if number == last else ""
            place = parts.get(number, _WHOLE)
            yield self._chunk(one, text, occurrence, place, before, after)

    def _text(self, piece: Piece) -> str:
        slice_ = self._source.text[piece.start : piece.end]
        if not (piece.prefix or piece.overlap or piece.suffix):
            return slice_
        return piece.prefix + piece.overlap + slice_ + piece.suffix

    def _with_notes(self, piece: Piece) -> Piece:
        """The piece with the notes behind it that it refers to, as far as there is room."""
        facts = self._parsed.facts
        notes = facts.notes(piece.start, piece.end) if facts else ()
        for start, end in notes:
            note = "\n\n" + self._source.text[start:end]
            noted = piece._replace(
                suffix=piece.suffix + note, notes=(*piece.notes, Span(start, end))
            )
            about = self._about(noted) + self._budget.reserve
            fits = about + self._measure.slack(about) <= self._budget.limit
            if fits and (self._measure.trusted or self._fits(noted)):
                piece = noted
        return piece

    def _fits(self, piece: Piece) -> bool:
        """Whether the text alone keeps the limit, counted as it will be embedded."""
        text = self._text(piece)
        return self._measure.count(self._frame.counted("", text)) <= self._frame.most

    def _affordable(self, piece: Piece) -> Sequence[Piece]:
        """The piece such that its text alone keeps the limit: cut again, or without its head."""
        limit = self._budget.limit
        about = self._about(piece)
        if self._measure.trusted and about + self._measure.slack(about) <= limit:
            return (piece,)
        if self._fits(piece):
            return (piece,)
        if piece.overlap:
            return self._affordable(piece._replace(overlap=""))
        if piece.required and piece.prefix != piece.essential:
            reduced = piece._replace(prefix=piece.essential)
            return self._affordable(_with_problem(reduced, "head-omitted"))
        if piece.prefix or piece.suffix:
            room = limit - self._measure.count(piece.prefix + piece.suffix)
            room -= self._measure.slack(room)
            if piece.required and room * 3 >= limit:
                return self._cut_again(piece, room)
            bare = piece._replace(prefix="", suffix="")
            return self._affordable(_with_problem(bare, "head-omitted"))
        return self._cut_again(piece, limit)

    def _cut_again(self, piece: Piece, room: int) -> list[Piece]:
        parts: list[Piece] = []
        for part in split(piece, self._source.text, room, self._budget):
            if self._measure.trusted or self._fits(part):
                parts.append(part)
            elif part.prefix or part.suffix:
                bare = part._replace(prefix="", suffix="")
                parts.extend(self._affordable(_with_problem(bare, "head-omitted")))
            elif part.end - part.start > 1 and room > 0:
                parts.extend(self._cut_again(part, room // 2))
            else:
                parts.append(_with_problem(part, "over-budget"))
        return parts

    def _about(self, piece: Piece) -> int:
        inner = piece.measured
        if inner < 0:
            inner = self._scale.high(piece.end) - self._scale.low(piece.start)
        if piece.overlap:
            inner += self._measure.count(piece.overlap)
        if piece.prefix or piece.suffix:
            inner += self._carried(piece.prefix) + self._carried(piece.suffix)
        return inner

    def _carried(self, affix: str) -> int:
        if affix not in self._sizes:
            self._sizes[affix] = self._measure.count(affix)
        return self._sizes[affix]

    def _parts(self, described: Sequence[_Described]) -> dict[int, tuple[int, int, str]]:
        """For each part of something its number, how many there are, and the id of the whole."""
        members: dict[int, tuple[Unit, list[int]]] = {}
        for number, (piece, _, _) in enumerate(described):
            for unit in piece.parts_of:
                members.setdefault(id(unit), (unit, []))[1].append(number)
        parts: dict[int, tuple[int, int, str]] = {}
        seen: dict[tuple[str, ...], int] = {}
        for unit, numbers in members.values():
            if unit.definition is not None:
                problem = _over_limit(unit)
                self._oversized.update(dict.fromkeys(numbers, problem))
            # By its place and not by its text: an edit in one part leaves the others as they are.
            whole = "", *described[numbers[0]][1].path, unit.kind, unit.label
            occurrence = seen[whole] = seen.get(whole, -1) + 1
            parent = chunk_id(self._source.path, whole, "", occurrence)
            for part, number in enumerate(numbers, 1):
                piece, description, _ = described[number]
                if description.split is unit or len(piece.parts_of) == 1:
                    parts[number] = (part, len(numbers), parent)
        return parts

    def _chunk(
        self,
        described: _Described,
        text: str,
        occurrence: int,
        place: tuple[int, int, str],
        gap_before: str,
        gap_after: str,
    ) -> Chunk:
        piece, description, about = described
        part, parts, parent = place
        start, end = piece.start, piece.end
        shown = part if description.split is not None else 0
        context, most, size = self._context(about, description, text, shown)
        frame = self._frame
        embedded = frame.embedded(context, text)
        inline = frame.inline and bool(context)
        source = self._source
        problems = piece.problems
        if self._problems is not None:
            problems = (*self._problems.touching(start, end), *problems)
        span = Span(start, end)
        facts = self._parsed.facts
        placed = self._has_places and facts is not None
        first_line, last_line = self._lines.lines_of(start, end)
        # By position, in the order of the fields: names take time at so many.
        return make_chunk(
            frame.shown(context, text),
            span,
            embedded,
            context,
            description.kind,
            description.element_types[0],
            source.format,
            description.language,
            source.path,
            description.path,
            description.symbols,
            description.definition,
            description.node_type,
            piece.prefix + piece.overlap,
            piece.suffix,
            not (inline or piece.prefix or piece.overlap or piece.suffix),  # verbatim
            first_line,
            last_line,
            part,
            parts,
            parent,
            most,
            problems,
            chunk_id(source.path, description.path, text, occurrence),
            False,  # rendered
            (),  # entries
            description.element_types,
            description.headings,
            facts.anchor(start, end) if placed and facts else "",
            facts.cell(start, end) if placed and facts else 0,
            gap_before,
            gap_after,
            piece.notes,
            facts,
            span,  # inside
            None,  # known
            size,
            self._measure.count if size < 0 else None,
        )

    def _context(
        self, about: int, description: Description, text: str, part: int
    ) -> tuple[str, int, int]:
        """The fullest context that its share and the rest of the budget have room for.

        Then what it measures at most together with the text, and exactly, or -1 if not counted.
        """
        measure = self._measure
        frame = self._frame
        limit = self._budget.limit
        share = limit // CONTEXT_SHARE
        most = about + measure.slack(about)
        if frame.has_context:
            if not part and measure.trusted and self._source.format == "code":  # as most are
                context = fullest_in_code(description, self._source, self._contexts)
                cost = _longest(context) + 2 + frame.label
                if context and cost <= share and most + cost <= limit:
                    return context, most + cost + frame.around, -1
            for lines in context_candidates(description, self._source, self._parsed.title, part):
                context = written(lines, self._source)
                if not context:
                    continue
                if measure.trusted:
                    # Most contexts are so short that they need not be counted.
                    cost = _longest(context) + 2 + frame.label
                    if cost > share or most + cost > limit:
                        cost = measure.count(context + frame.glue) + frame.label
                    if cost <= share + frame.label and most + cost <= limit:
                        return context, most + cost + frame.around, -1
                    if 2 * about - most + cost > limit:
                        continue  # certain without reading the text once more
                exact = measure.count(frame.counted(context, text))
                if exact <= frame.most and measure.count(context) <= share:
                    return context, exact, exact
        if measure.trusted:
            return "", most + frame.around, -1
        exact = measure.count(frame.embedded("", text))
        return "", exact, exact


def _longest(text: str) -> int:
    """The bytes of a text: no text has more tokens or characters."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _placed(
    chunks: Sequence[Chunk], rendering: Rendering, text: str, problems: Sequence[Problem]
) -> list[Chunk]:
    """The chunks of a rendered document with spans, lines and problems of its source.

    Each span reaches to the next one, so that what the rendering leaves out is in some span.
    """
    if not chunks:
        return []
    lines = LineNumbers(text)
    count = sum(not chunk.derived for chunk in chunks)  # what is derived stands behind them
    starts = [0, *(rendering.origin(chunk.span.start) for chunk in chunks[1:count]), len(text)]
    noted = PlacedProblems(problems)
    placed = [
        _placed_at(chunk, start, behind, rendering, text, lines, noted)
        for chunk, start, behind in zip(chunks[:count], starts[:-1], starts[1:], strict=True)
    ]
    for chunk in chunks[count:]:
        start, behind = (rendering.origin(position) for position in chunk.span)
        placed.append(_placed_at(chunk, start, behind, rendering, text, lines, noted))
    return placed


def _placed_around(
    found: Hierarchy, chunks: Sequence[Chunk], rendering: Rendering, text: str
) -> Iterator[Chunk]:
    """The parents of a rendered document, each with the span of the chunks in it."""
    spans = [(len(text), 0)] * len(found.parents)
    for chunk, above in zip(chunks, found.parent_of_chunk, strict=True):
        if above >= 0:
            start, end = spans[above]
            spans[above] = min(start, chunk.span.start), max(end, chunk.span.end)
    for number in range(len(spans) - 1, -1, -1):  # inner ones stand behind outer ones
        above = found.parent_of_parent[number]
        if above >= 0:
            (start, end), (first, last) = spans[number], spans[above]
            spans[above] = min(start, first), max(end, last)
    lines = LineNumbers(text)
    nothing = PlacedProblems(())
    for parent, (start, end) in zip(found.parents, spans, strict=True):
        yield _placed_at(parent, start, end, rendering, text, lines, nothing)


def _placed_at(
    chunk: Chunk,
    start: int,
    behind: int,
    rendering: Rendering,
    text: str,
    lines: LineNumbers,
    noted: PlacedProblems,
) -> Chunk:
    """The chunk with a span of the source, without the blank around it, and its problems there.

    What a partial rendering has left as it is stays the slice that it was.
    """
    if rendering.is_partial:
        low, high = (rendering.origin(position) for position in chunk.span)
        if not chunk.derived and text[low:high] == rendering.text[slice(*chunk.span)]:
            return replace(
                chunk,
                span=Span(low, high),
                start_line=lines.line_at(low),
                end_line=lines.line_at(max(low, high - 1)),
                problems=(*noted.touching(low, high), *chunk.problems),
            )
    inside = text[start:behind]
    begin = start + len(inside) - len(inside.lstrip())
    end = max(begin, start + len(inside.rstrip()))
    own = tuple(
        replace(one, start=rendering.origin(one.start), end=rendering.origin(one.end))
        for one in chunk.problems
    )
    touching = noted.touching(begin, end)
    return replace(
        chunk,
        span=Span(begin, end),
        verbatim=False,
        rendered=True,
        start_line=lines.line_at(begin),
        end_line=lines.line_at(max(begin, end - 1)),
        problems=(*touching, *own),
    )


def _over_limit(unit: Unit) -> Problem:
    return Problem(
        "definition-over-limit",
        f"{unit.label} is larger than chunk_size: it is split",
        unit.start,
        unit.end,
    )


def _with_problem(piece: Piece, code: str) -> Piece:
    message = {
        "head-omitted": "the budget has no room for what this part should repeat",
        "over-budget": "a single character measures more than chunk_size",
    }[code]
    problem = Problem(code, message, piece.start, piece.end)
    return piece._replace(problems=(*piece.problems, problem))
