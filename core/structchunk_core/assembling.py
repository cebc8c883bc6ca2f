"""Pieces of a document as chunks: their contexts and places, and the limit kept exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from structchunk_core.borders import AROUND, EdgeCount, counts_by_edges
from structchunk_core.chunks import Chunk, chunk_id, make_chunk
from structchunk_core.context import context_candidates, fullest_in_code, written
from structchunk_core.describing import Description, Surroundings, describe, surroundings_of
from structchunk_core.errors import PlacedProblems, Problem
from structchunk_core.framing import CONTEXT_SHARE, Frame
from structchunk_core.packing import Piece, split
from structchunk_core.scales import Scale
from structchunk_core.scopes import Budget, Scope
from structchunk_core.sizing import longest
from structchunk_core.source import LineNumbers, Source
from structchunk_core.unit import Facts, Parsed, Span, Unit

_NOTHING: Final = Facts()
_WHOLE: Final = (0, 0, "")  # the place of what is not a part

_Described = tuple[Piece, Description, int]
"""A piece, what it is, and about what its text measures."""


class Assembly:
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
        self._by_edges = frame.join is None and counts_by_edges(budget.measure, scale)
        self._problems = PlacedProblems(problems) if problems else None
        self._has_places = parsed.facts is not None and parsed.facts.has_places
        self._lines = LineNumbers(source.text)
        self._surroundings: dict[Scope | None, Surroundings] = {}
        self._sizes: dict[str, int] = {"": 0}
        self._oversized: dict[int, Problem] = {}
        self.pieces: list[Piece] = []  # what each chunk was made of
        self.whole_ids: dict[int, str] = {}  # what the parts of each split unit share, by id(unit)
        self._contexts: dict[object, tuple[str, str] | None] = {}

    def chunks(self, pieces: Sequence[Piece]) -> Iterator[Chunk]:
        described: list[_Described] = []
        limit = self._budget.limit
        slack = self._measure.slack(limit) if self._measure.trusted else limit + 1  # count each
        noted = self._parsed.facts is not None and self._parsed.facts.has_notes
        told = self._parsed.facts or _NOTHING
        for piece in pieces:
            around = self._surroundings.get(piece.scope)
            if around is None:
                around = self._surroundings[piece.scope] = surroundings_of(
                    piece.scope, self._source
                )
            description = describe(piece, self._source, around, told)
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
        if piece.required and len(piece.essential) < len(piece.prefix):
            reduced = piece._replace(prefix=piece.essential, reduced=True)
            return self._affordable(_with_problem(reduced, "head-omitted"))
        if piece.prefix or piece.suffix:
            room = self._room_beside(piece)
            if piece.required and room * 3 >= limit:
                return self._cut_again(piece, room)
            bare = piece._replace(prefix="", suffix="")
            return self._affordable(_with_problem(bare, "head-omitted"))
        return self._cut_again(piece, limit)

    def _cut_again(self, piece: Piece, room: int) -> list[Piece]:
        parts: list[Piece] = []
        for part in split(piece, self._source.text, room, self._budget):
            is_bare = not (part.prefix or part.suffix)
            if (self._measure.trusted and is_bare) or self._fits(part):
                parts.append(part)
            elif not is_bare and (
                len(part.essential) < len(part.prefix) or self._room_beside(part) < room
            ):
                parts.extend(self._affordable(part))  # it carries more than the piece does
            elif not is_bare:
                bare = part._replace(prefix="", suffix="")
                parts.extend(self._affordable(_with_problem(bare, "head-omitted")))
            elif part.end - part.start > 1 and room > 0:
                parts.extend(self._cut_again(part, room // 2))
            else:
                parts.append(_with_problem(part, "over-budget"))
        return parts

    def _room_beside(self, piece: Piece) -> int:
        """What its slice may measure beside what it carries."""
        room = self._budget.limit - self._carried(piece.prefix + piece.suffix)
        return room - self._measure.slack(room)

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
            self.whole_ids[id(unit)] = parent
            for part, number in enumerate(numbers, 1):
                piece, description, _ = described[number]
                is_first = unit.table is not None and number not in parts  # its profile is there
                if description.split is unit or len(piece.parts_of) == 1 or is_first:
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
        count: Callable[[str], int] = self._measure.count
        if size < 0 and self._by_edges:
            count = EdgeCount(
                self._measure,
                embedded,
                len(embedded) - len(text) + len(piece.prefix) + len(piece.overlap),
                end - start,
                self._scale.high(end) - self._scale.low(start),
                source.text[max(0, start - AROUND) : start],
                source.text[end : end + AROUND],
            )
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
            count if size < 0 else None,
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
            is_code = self._source.is_code
            if not part and measure.trusted and is_code and len(description.path) <= share:
                context = fullest_in_code(description, self._source, self._contexts)
                cost = longest(context) + 2 + frame.label
                if context and cost <= share and most + cost <= limit:
                    return context, most + cost + frame.around, -1
            title = self._parsed.title
            for lines in context_candidates(description, self._source, title, part, share):
                context = written(lines, self._source)
                if not context:
                    continue
                if measure.trusted:
                    # Most contexts are so short that they need not be counted.
                    cost = longest(context) + 2 + frame.label
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
