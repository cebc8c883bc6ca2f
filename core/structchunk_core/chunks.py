"""The chunk: what leaves the package."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field, fields

from structchunk_core.definition import Definition, Head, Names
from structchunk_core.errors import Problem
from structchunk_core.making import changer_of, maker_of
from structchunk_core.unit import Facts, Span

_NAMESPACE = bytes.fromhex("6b1f5a0e3d0b5c0e9b595d0c35b1f0a7")
_PATH_SEPARATOR = " > "
_NOTHING = Facts()
_NO_HEAD = Head()
_FACTS = ("imports", "calls", "callers", "members", "neighbours", "module")


@dataclass(frozen=True, slots=True)
class Entry:
    """A further text to index: what it finds is not itself but the chunk that it leads to.

    Attributes:
        text: what is indexed. Never measures more than ``chunk_size``.
        kind: what sort of entry it is: ``outline`` of a definition, ``row`` of a
            table, ``keys`` of records.
        symbol: the qualified name of the definition that it is about, or ``""``.
        chunk_id: the id of the chunk that it leads to.
        parent_id: the id shared by the parts of that definition or table when it was split, else
            ``""``.
        id: a UUID that stays the same as long as its text and the document's path do.
    """

    text: str
    kind: str
    symbol: str
    chunk_id: str
    parent_id: str
    id: str


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document that can be read, and found, on its own.

    Attributes:
        text: what a reader or model is given: ``prefix``, the source slice, ``suffix``; behind
            the context when that is ``inline``.
        span: where the source slice stands, in characters of the source text, half-open.
        context: the lines that situate the chunk (path, scope, signature), or ``""``.
        embed_text: what is indexed: context and text together, or ``indexed`` in the place of the
            text. Never measures more than ``chunk_size``.
        kind: the kind of unit it holds, or of the one that holds its units.
        element_type: what sort of content it is, to filter by: ``code``, ``prose``, ``table``,
            ``list``, ``procedure``, ``front_matter``, ...
        element_types: that, and what else is inside, the most of it first.
        headings: level and words of the headings around and on it, outermost first; ``path``
            without the names of definitions.
        format: the format the document was parsed as.
        language: the language of the text (``python``), or ``""``.
        source: the path the document was given, or ``""``.
        path: scope chain or heading path, outermost first.
        definition: facts about the one definition it holds, begins or is a part of, or None.
        node_type: the parser's own name for the unit it holds, or ``""``.
        prefix: what was repeated in front of the slice (table head, opening fence, overlap).
        suffix: what was added behind it (closing fence).
        verbatim: whether ``text`` is exactly the source slice at ``span``.
        rendered: whether ``text`` is another form of the source (HTML as Markdown) instead of a
            slice of it; ``span`` is then what it was made from.
        anchor: the id by which the document itself calls the place where the chunk begins (the
            ``id`` of an HTML element, of a notebook cell), or ``""``.
        cell: 1-based number of the notebook cell that it begins in, or 0.
        derived: whether it is computed from what stands at ``span`` (the profile of a table) and
            stands beside the chunks that hold the document, behind all of them.
        child_ids: of a profile, the ids of the chunks that hold its table; ``parent_id`` is the
            one that they share as well, if any, but for those that hold a part of one record or
            the end of a table in front of it.
        indexed: what is embedded in the place of ``text``, where that is another text (of a
            profile, a short form; of JSON, YAML, TOML, INI and XML, mappings with the keys above
            them, unless ``record_format="written"``; with ``table_format="both"``, rows as records;
            where a model has described a table, the description with what stands around it), else
            ``""``.
        start_line: 1-based line of its first character.
        end_line: 1-based line of its last character, inclusive.
        part: 1-based number of this part of a split unit, or 0 when the unit is whole.
        parts: in how many parts that unit was split, or 0.
        parent_id: id shared by the parts of a split unit (a list of records that is a table among
            them, when tables are asked about), else ``""``. A chunk has one: where it holds the end
            of one table and the beginning of the next, that of the first.
        size_at_most: what ``embed_text`` measures at most, known without counting it.
        problems: what could not be handled as it should have been.
        id: a UUID that stays the same as long as the chunk's own text and path do.
        entries: further texts that lead to this chunk, when asked for (``outline``,
            ``table_rows``).
        gap_before: what stands between the slice before, or the beginning of the document, and
            this one: blank lines, and in JSON the comma between two values that a cut fell on. Of
            a rendered document, in the rendering.
        gap_after: what stands behind the slice of the last chunk of a document; else ``""``.
        notes: where the notes (footnotes, link definitions, anchors of YAML) stand that the
            suffix ends with, each behind a blank line; in the coordinates of ``place``.
    """

    text: str
    span: Span
    embed_text: str
    context: str = ""
    kind: str = "text"
    element_type: str = "prose"
    format: str = "text"
    language: str = ""
    source: str = ""
    path: tuple[str, ...] = ()
    _symbols: tuple[str, ...] | Names = ()
    definition: Definition | None = field(default=None, repr=False, compare=False)
    node_type: str = ""
    prefix: str = ""
    suffix: str = ""
    verbatim: bool = True
    start_line: int = 1
    end_line: int = 1
    part: int = 0
    parts: int = 0
    parent_id: str = ""
    size_at_most: int = 0
    problems: tuple[Problem, ...] = field(default=())
    id: str = ""
    rendered: bool = False
    entries: tuple[Entry, ...] = ()
    element_types: tuple[str, ...] = ("prose",)
    headings: tuple[tuple[int, str], ...] = ()
    anchor: str = ""
    cell: int = 0
    gap_before: str = field(default="", repr=False)
    gap_after: str = field(default="", repr=False)
    notes: tuple[Span, ...] = field(default=(), repr=False)
    _facts: Facts | None = field(default=None, repr=False, compare=False)
    _inside: Span = field(default=Span(0, 0), repr=False, compare=False)
    _known: dict[str, tuple[str, ...]] | None = field(default=None, repr=False, compare=False)
    _size: int = field(default=-1, repr=False, compare=False)
    _count: Callable[[str], int] | None = field(default=None, repr=False, compare=False)
    derived: bool = False
    child_ids: tuple[str, ...] = ()
    indexed: str = ""

    @property
    def size(self) -> int:
        """What ``embed_text`` measures, exactly; counted when first asked for."""
        if self._size < 0:
            counted = self._count(self.embed_text) if self._count else self.size_at_most
            object.__setattr__(self, "_size", counted)
        return self._size

    @property
    def symbols(self) -> tuple[str, ...]:
        """The qualified names of the definitions it holds, or holds a part of."""
        symbols = self._symbols
        return symbols if isinstance(symbols, tuple) else symbols.read()

    @property
    def place(self) -> Span:
        """Where its slice stands in the text that was cut: the source, or the rendering of it.

        The same as ``span`` unless the document was rendered, or moved by who cut it.
        """
        return self._inside

    @property
    def signature(self) -> str:
        """The signature of the one definition it holds, or is a part of, or ``""``."""
        return self.definition.head.signature if self.definition else ""

    @property
    def decorators(self) -> tuple[str, ...]:
        """The decorators of that definition, each as written."""
        return self.definition.head.decorators if self.definition else ()

    @property
    def doc(self) -> str:
        """The first line of the documentation of that definition, or ``""``."""
        return self.definition.head.doc if self.definition else ""

    @property
    def imports(self) -> tuple[str, ...]:
        """The import statements outside it that bind names used in it; looked up when asked for."""
        return self._fact("imports")

    @property
    def calls(self) -> tuple[str, ...]:
        """The names it calls, in order of first use; looked up when first asked for."""
        return self._fact("calls")

    @property
    def callers(self) -> tuple[str, ...]:
        """The qualified names of what calls, in this document, what the chunk defines.

        Calls are matched by the last part of the name, as nothing is resolved.
        """
        return self._fact("callers")

    @property
    def members(self) -> tuple[str, ...]:
        """The names of what is defined in the type or module whose head the chunk holds."""
        return self._fact("members")

    @property
    def previous_symbol(self) -> str:
        """The qualified name of the definition that ends before it, or ``""``."""
        return self._fact("neighbours")[0]

    @property
    def next_symbol(self) -> str:
        """The qualified name of the definition that begins behind it, or ``""``."""
        return self._fact("neighbours")[1]

    @property
    def module(self) -> str:
        """The dotted name of the module or package (``payments.client``), or ``""``."""
        return self._fact("module")[0]

    @property
    def module_doc(self) -> str:
        """The first line of what the document says about itself as a whole, or ``""``."""
        return self._fact("module")[1]

    def _fact(self, name: str) -> tuple[str, ...]:
        known = self._known
        if known is None:
            known = {}
            object.__setattr__(self, "_known", known)
        found = known.get(name)
        if found is None:
            ask = getattr(self._facts or _NOTHING, name)
            found = known[name] = ask() if name == "module" else ask(*self._inside)
        return found

    def __getstate__(self) -> list[object]:
        """Everything, with the facts looked up: the document does not travel along."""
        known = {name: self._fact(name) for name in _FACTS}
        definition = self.definition
        if definition is not None:
            definition = Definition(definition.name, definition.scope, definition.head)
        replaced = {
            "_facts": None,
            "_known": known,
            "_symbols": self.symbols,
            "definition": definition,
        }
        names = (item.name for item in fields(self))
        return [replaced[name] if name in replaced else getattr(self, name) for name in names]

    def metadata(self, *, positions: bool = False) -> dict[str, str | int | bool]:
        """What describes the chunk, flat: the same keys and types on every chunk.

        Strings (lists joined), integers and booleans only, as vector stores need it; what is
        missing is ``""`` or ``0``. Lines and characters come only with ``positions=True``: they
        change with every edit further up and would make a store index everything again.
        """
        head = self.definition.head if self.definition else _NO_HEAD
        symbols, problems = self.symbols, self.problems
        described: dict[str, str | int | bool] = {
            "chunk_id": self.id,
            "element_type": self.element_type,
            "element_types": ", ".join(self.element_types),
            "chunk_format": self.format,
            "chunk_language": self.language,
            "node_type": self.node_type or self.kind,
            "section_path": _PATH_SEPARATOR.join(self.path),
            "anchor": self.anchor,
            "symbol": symbols[0] if symbols else "",
            "symbols": ", ".join(symbols),
            "signature": head.signature,
            "module": self._fact("module")[0],
            "decorators": "\n".join(head.decorators),
            "doc": head.doc,
            "imports": "\n".join(self._fact("imports")),
            "calls": ", ".join(self._fact("calls")),
            "chunk_part": self.part,
            "chunk_parent_id": self.parent_id,
            "verbatim": self.verbatim,
            "derived": self.derived,
            "prefix_length": len(self.prefix),
            "suffix_length": len(self.suffix),
            "problems": "; ".join(dict.fromkeys([one.code for one in problems]))
            if problems
            else "",
        }
        if positions:
            described |= {
                "start_line": self.start_line,
                "end_line": self.end_line,
                "start_char": self.span.start,
                "end_char": self.span.end,
                "chunk_parts": self.parts,
                "cell": self.cell,
                "gap_before": self.gap_before,
                "gap_after": self.gap_after,
            }
        return described

    def _repr_html_(self) -> str:
        """How notebooks show it."""
        from structchunk_core.showing import chunk_html

        return chunk_html(self)

    def record(self) -> dict[str, object]:
        """The chunk as one JSON object: text, context, span, lines, gaps, path and metadata.

        ``place`` is there for what was rendered, and for slices of what was in part: where it
        stands in the rendering.
        """
        is_elsewhere = self.rendered or (self.place != self.span and not self.derived)
        return {
            "id": self.id,
            "source": self.source,
            "text": self.text,
            "context": self.context,
            "embed_text": self.embed_text,
            "span": [self.span.start, self.span.end],
            "lines": [self.start_line, self.end_line],
            "gaps": [self.gap_before, self.gap_after],
            **({"place": [*self.place]} if is_elsewhere else {}),
            "path": list(self.path),
            "rendered": self.rendered,
            "size": self.size,
            "metadata": self.metadata(),
            "child_ids": list(self.child_ids),
            "entries": [
                {
                    "id": entry.id,
                    "kind": entry.kind,
                    "symbol": entry.symbol,
                    "parent_id": entry.parent_id,
                    "text": entry.text,
                }
                for entry in self.entries
            ],
            "problems": [
                {
                    "code": problem.code,
                    "message": problem.message,
                    "start": problem.start,
                    "end": problem.end,
                }
                for problem in self.problems
            ],
        }


make_chunk = maker_of(Chunk)
"""``Chunk(...)``, but quicker."""

changed_chunk = changer_of(Chunk)
"""``dataclasses.replace(chunk, ...)``, but quicker."""


def chunk_id(source_id: str, path: tuple[str, ...], text: str, occurrence: int) -> str:
    """A UUID of what makes a chunk this chunk; equal on every machine.

    Version 5 of RFC 9562: the SHA-1 of a namespace and a name, with version and variant set.
    """
    name = "\x1f".join((source_id, *path, str(occurrence), text))
    content = _NAMESPACE + name.encode("utf-8", "surrogatepass")
    digits = hashlib.sha1(content, usedforsecurity=False).hexdigest()
    variant = _VARIANTS[digits[16]]
    return f"{digits[:8]}-{digits[8:12]}-5{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:32]}"


_VARIANTS = {digit: "89ab"[int(digit, 16) & 3] for digit in "0123456789abcdef"}
