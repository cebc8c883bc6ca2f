"""How well code is cut, by us and by others: ``python -m tests.benchmarks.quality``.

    python -m tests.benchmarks.quality [FILE_OR_FOLDER ...] [--size N] [--unit characters|tokens]
        [--splitter NAME ...] [--examples] [--edits]

Prints for each language and splitter, over all files (without arguments: the top of the standard
library):

    refused    files that the splitter does not cut at all; they count nowhere else
    chunks     how many pieces it made
    functions  how many functions there are, methods and nested functions included
    cut        functions that fit into one piece and are in none as a whole
    torn       functions and types with comments, decorators or attributes right above that fit
               into one piece together with them and are in none with them; of a type that is too
               large for one piece as it is, the lines up to its body
    lone       pieces that end with the signature of a function although there is room for the
               first line of its body, or for the function that begins there if it fits into a
               piece
    over       pieces that measure more than the budget
    lost       visible characters that are in no piece
    repeated   visible characters that are in several pieces
    invented   visible characters of pieces that do not spell a part of the source
    midline    cuts within a line that would fit
    blank      pieces without a visible character
    tiny       pieces below a tenth of the budget, of files that take several
    closing    pieces of closing brackets alone
    fill       what pieces of such files measure on average, in budgets
    alone      functions that fit and share their piece with no other function that begins or ends
               on other lines; or that are a part of a statement or function which is whole in it;
               or whose class, file or the like of at most half a budget is whole in it, alone;
               of those about which the grammar knows what they stand in

What a function is, and which comments and attributes belong to it, is read in ``truth.py`` by rules
of its own. The exit code is 1 when one of our lines misses its target.
"""

from __future__ import annotations

import argparse
import sys
import sysconfig
import warnings
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from random import Random
from typing import Literal, NamedTuple

from structchunk_core.detect import detect
from tests.benchmarks.peers import (
    SPLITTERS,
    Piece,
    Splitter,
    Unit,
    UnsupportedError,
    counter,
    missing,
    our_chunker,
)
from tests.benchmarks.truth import CONTAINERS, GRAMMARS, Definition, definitions

_SIZE = 1500
_SMALL_SIZE = 500
_LARGEST_FILE = 1_000_000
_SHOWN = 3
_UNCHANGED = 0.93
_MUST_BE_ZERO = (
    "refused", "cut", "torn", "lone", "over", "lost", "repeated", "invented", "midline", "blank"
)  # fmt: skip
_COUNTED = ("files", "chunks", "functions", *_MUST_BE_ZERO)
_COLUMNS = (*_COUNTED, "closing", "tiny", "fill", "alone")
_ALL = "all"
_TINY = 0.01
_FILL = 0.75
_FILL_OF_SMALL = 0.70
_GRANULARITIES: tuple[Literal["definition", "packed"], ...] = ("definition", "packed")
_CLOSING = frozenset(")]};,")
_CLOSING_WORDS = frozenset({"end"})


class Document(NamedTuple):
    """A file to be cut, with the truth about it.

    Attributes:
        path: where it is.
        language: what it is written in.
        text: what it says.
        definitions: what it defines, in order.
    """

    path: str
    language: str
    text: str
    definitions: Sequence[Definition]


class Verdict(NamedTuple):
    """What a splitter made of one document.

    Attributes:
        counts: figure -> how often; ``counted``, ``filled`` and ``fitting`` are what shares are
            made from.
        places: figure -> where in the text, in characters, for those that should be none.
    """

    counts: Counter[str]
    places: Mapping[str, Sequence[int]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables; 1 when one of our lines misses a target."""
    options = _options(arguments)
    warnings.simplefilter("ignore")
    stdlib = Path(sysconfig.get_path("stdlib"))
    documents = list(read(options.paths or sorted(stdlib.glob("*.py"))))
    print(f"\nhow code is cut, at {options.size} {options.unit}")
    print(f"{'language':<11}{'splitter':<11}" + "".join(f"{name:>10}" for name in _COLUMNS))
    missed: list[str] = []
    for name in options.splitter or SPLITTERS:
        if package := missing(name):
            print(f"{name} is left out: pip install {package}")
            continue
        examples: dict[str, list[str]] | None = {} if options.examples else None
        tally = _tally(name, documents, options.size, options.unit, examples)
        for language, count in sorted(tally.items(), key=lambda item: (item[0] == _ALL, item[0])):
            row = "".join(f"{cell:>10}" for cell in _cells(count, options.size))
            print(f"{language:<11}{name:<11}{row}", flush=True)
            if SPLITTERS[name].ours and language != _ALL:
                found = misses(count, name, options.size, options.unit)
                missed += [f"{language}, {name}: {miss}" for miss in found]
        for key, shown in (examples or {}).items():
            print(f"  {key}: {'; '.join(shown)}")
    if options.edits:
        missed += _print_edits(documents, options.size, options.unit)
    for miss in missed:
        print(f"missed: {miss}")
    return int(bool(missed))


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paths", nargs="*", type=Path, help="files and folders; or the stdlib")
    parser.add_argument("--size", type=int, default=_SIZE, help="the budget")
    parser.add_argument("--unit", choices=("characters", "tokens"), default="characters")
    parser.add_argument("--splitter", nargs="+", choices=SPLITTERS, help="all that are installed")
    parser.add_argument("--examples", action="store_true", help="show where they fall short")
    parser.add_argument("--edits", action="store_true", help="how much of ours an insertion leaves")
    return parser.parse_args(arguments)


def read(paths: Iterable[Path]) -> Iterator[Document]:
    """The files, and those in the folders, that are code of a language with a truth."""
    for path in paths:
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if not file.is_file() or file.stat().st_size > _LARGEST_FILE:
                continue
            if detect("", file.name).language not in GRAMMARS:
                continue
            try:
                text = file.read_bytes().decode()
            except UnicodeDecodeError:
                continue
            language = detect(text, file.name).language
            if text.strip() and language in GRAMMARS:
                yield Document(str(file), language, text, definitions(text, language))


def _tally(
    name: str,
    documents: Iterable[Document],
    size: int,
    unit: Unit,
    examples: dict[str, list[str]] | None,
) -> dict[str, Counter[str]]:
    """Language -> counts, and the sum of all; the first places of each figure as examples."""
    tally: dict[str, Counter[str]] = {}
    for document in documents:
        try:
            verdict = judge(SPLITTERS[name].split, document, size, unit)
        except UnsupportedError:
            continue
        for group in (document.language, _ALL):
            tally.setdefault(group, Counter()).update(verdict.counts)
        if examples is None:
            continue
        for key, places in verdict.places.items():
            shown = examples.setdefault(f"{document.language} {name} {key}", [])
            for place in places[: _SHOWN - len(shown)]:
                line = document.text.count("\n", 0, place) + 1
                shown.append(f"{document.path}:{line}")
    return tally


def judge(split: Splitter, document: Document, size: int, unit: Unit) -> Verdict:
    """Every figure of one document.

    Raises:
        UnsupportedError: the splitter has nothing for the language or the unit.
    """
    name = Path(document.path).name
    try:
        given = split(document.text, name, document.language, size, unit)
    except UnsupportedError:
        raise
    except Exception:  # noqa: BLE001  # whatever a peer trips over: it is counted, and shown
        return Verdict(Counter(files=1, refused=1), {"refused": [0]})
    judgement = _Judgement(document, [Piece(*piece) for piece in given], size, counter(unit))
    judgement.judge_pieces()
    judgement.judge_coverage()
    judgement.judge_cuts()
    judgement.judge_definitions()
    return Verdict(judgement.counts, judgement.places)


class _Judgement:
    """The figures of one document in the making."""

    def __init__(
        self,
        document: Document,
        pieces: Sequence[Piece],
        size: int,
        measure: Callable[[str], int],
    ) -> None:
        self.text = document.text
        self.definitions = document.definitions
        self.functions = [found for found in document.definitions if found.is_function]
        self.function_starts = [found.start for found in self.functions]
        self.size = size
        self.measure = measure
        self.given = pieces
        self.pieces = sorted(piece for piece in pieces if piece.start < piece.end)
        self.starts = [piece.start for piece in self.pieces]
        self.reach = list(accumulate((piece.end for piece in self.pieces), max))
        self.counts = Counter(files=1, chunks=len(pieces))
        self.places: dict[str, list[int]] = {}

    def judge_pieces(self) -> None:
        """Over, blank, invented, tiny, and closing brackets alone."""
        several = self.measure(self.text) > self.size
        for piece in self.given:
            indexed = piece.indexed or piece.text
            size = self.measure(indexed)
            spelled = _visible(piece.text)
            if size > self.size and len(indexed) > 1:
                self._note("over", piece.start)
            if not spelled:
                self._note("blank", piece.start)
            if spelled != _visible(self.text[piece.start : piece.end]):
                self._note("invented", piece.start, len(spelled))
            if several:
                self.counts["counted"] += 1
                self.counts["filled"] += size
                if size * 10 < self.size:
                    self._note("tiny", piece.start)
                if spelled and (spelled in _CLOSING_WORDS or _CLOSING.issuperset(spelled)):
                    self._note("closing", piece.start)

    def judge_coverage(self) -> None:
        """Lost and repeated."""
        position = 0
        for piece in self.pieces:
            lost = len(_visible(self.text[position : piece.start]))
            self._note("lost", position, lost)
            again = len(_visible(self.text[piece.start : min(position, piece.end)]))
            self._note("repeated", piece.start, again)
            position = max(position, piece.end)
        self._note("lost", position, len(_visible(self.text[position:])))

    def judge_cuts(self) -> None:
        """Cuts within a line that would fit."""
        line_end, line_fits = -1, False
        for before, behind in pairwise(self.pieces):
            left = before.start + len(self.text[before.start : before.end].rstrip())
            right = behind.end - len(self.text[behind.start : behind.end].lstrip())
            if right < left or "\n" in self.text[left:right]:
                continue
            if right >= line_end:  # each line is measured once, however often it is cut
                line_end = self.text.find("\n", right)
                line_end = len(self.text) if line_end < 0 else line_end
                line = self.text[self.text.rfind("\n", 0, right) + 1 : line_end]
                line_fits = self.measure(line) <= self.size
            if line_fits:
                self._note("midline", right)

    def judge_definitions(self) -> None:
        """Cut, torn, lone signatures and functions alone."""
        company = _Company(self.text, self.functions)
        small_file = self.measure(self.text) <= self.size // 2
        for found in self.definitions:
            if self._is_torn(found):
                self._note("torn", found.start)
            if not found.is_function:
                continue
            self.counts["functions"] += 1
            fits = self._fits(found.start, found.end)
            holder = self._holder(found.start, found.end)
            self.counts["fitting"] += fits and found.is_placed
            if holder is None:
                if fits:
                    self._note("cut", found.start)
                if self._is_lone(found):
                    self._note("lone", found.start)
            elif fits and found.is_placed:
                if small_file or self._is_alone(found, holder, company):
                    self.counts["alone"] += 1
                else:
                    self._note("shared", found.start)

    def _is_alone(self, found: Definition, holder: Piece, company: _Company) -> bool:
        subjects = [(found.start, found.end)]
        for outer in found.around:
            if outer.start < holder.start or holder.end < outer.end:
                continue
            if not outer.container:
                return True  # it is a part of a statement or function, and that is whole
            if self._size(outer.start, outer.end) <= self.size // 2:
                subjects.append((outer.start, outer.end))
        return not all(company.has_other(start, end, holder) for start, end in subjects)

    def _is_torn(self, found: Definition) -> bool:
        if found.attached == found.start:
            return False
        together = self._fits(found.attached, found.end)
        if not (found.is_function or together or self._fits(found.start, found.end)):
            together = self._fits(found.attached, found.body + 1)
        return together and self._holder(found.attached, found.start + 1) is None

    def _is_lone(self, function: Definition) -> bool:
        """Whether a piece ends with the signature although what opens the body has room."""
        piece = self._holder(function.start, function.start + 1)
        if piece is None or piece.end > function.body + 1:
            return False
        if self.text[piece.end : function.body].strip():
            return False
        opened = function.body
        while opened < function.end and self.text[opened] in "{ \t\r\n":
            opened += 1
        first_end = self.text.find("\n", opened)
        first_end = len(self.text) if first_end < 0 else first_end
        nested = bisect_left(self.function_starts, opened)
        if nested < len(self.functions) and self.functions[nested].start < first_end:
            inner = self.functions[nested]
            first_end = inner.end if self._fits(inner.start, inner.end) else first_end
        front = piece.indexed.removesuffix(piece.text)
        return self.measure(front + self.text[piece.start : first_end]) <= self.size

    def _holder(self, start: int, end: int) -> Piece | None:
        """A piece that holds all of the span, or None."""
        number = bisect_right(self.starts, start) - 1
        while number >= 0 and self.reach[number] >= end:
            if self.pieces[number].end >= end:
                return self.pieces[number]
            number -= 1
        return None

    def _fits(self, start: int, end: int) -> bool:
        return self._size(start, end) <= self.size

    def _size(self, start: int, end: int) -> int:
        """What the span measures, with the indentation of its first line."""
        line = self.text.rfind("\n", 0, start) + 1
        return self.measure(self.text[start if self.text[line:start].strip() else line : end])

    def _note(self, key: str, place: int, number: int = 1) -> None:
        if number:
            self.counts[key] += number
            self.places.setdefault(key, []).append(place)


class _Company:
    """Answers which functions have a part in a span."""

    def __init__(self, text: str, functions: Sequence[Definition]) -> None:
        self._text = text
        self._by_start = sorted(functions, key=lambda found: found.start)
        self._by_end = sorted(functions, key=lambda found: found.end)
        self._starts = [found.start for found in self._by_start]
        self._ends = [found.end for found in self._by_end]

    def has_other(self, start: int, end: int, holder: Piece) -> bool:
        """Whether the piece holds a part of a function outside of the span.

        What is around the span is not outside of it, nor is what begins or ends on a line of it.
        """
        line = self._text.rfind("\n", 0, start) + 1
        line_end = self._text.find("\n", end)
        line_end = len(self._text) if line_end < 0 else line_end
        first, last = (bisect_left(self._starts, at) for at in (holder.start, holder.end))
        begun = self._by_start[first:last]
        first, last = (bisect_right(self._ends, at) for at in (holder.start, holder.end))
        ended = self._by_end[first:last]
        return any(other.end <= line or line_end <= other.start for other in (*begun, *ended))


def _visible(text: str) -> str:
    return "".join(text.split())


def misses(count: Mapping[str, int], name: str, size: int, unit: Unit) -> list[str]:
    """What one of our lines misses: nothing but shares may be more than zero."""
    found = [f"{key} {count[key]}" for key in _MUST_BE_ZERO if count[key]]
    if name == "definition" and count["alone"] < count["fitting"]:
        found.append(f"alone {_share(count['alone'], count['fitting'])}")
    if name == "packed" and count["counted"]:
        small = unit == "characters" and size <= _SMALL_SIZE
        fill = count["filled"] / count["counted"] / size
        if count["tiny"] >= count["counted"] * _TINY:
            found.append(f"tiny {_share(count['tiny'], count['counted'])}")
        if fill < (_FILL_OF_SMALL if small else _FILL):
            found.append(f"fill {fill:.2f}")
    return found


def _cells(count: Mapping[str, int], size: int) -> list[str]:
    fill = count["filled"] / max(1, count["counted"]) / size
    tiny = _share(count["tiny"], count["counted"])
    alone = _share(count["alone"], count["fitting"])
    return [*(str(count[key]) for key in (*_COUNTED, "closing")), tiny, f"{fill:.2f}", alone]


def _share(part: int, whole: int) -> str:
    return f"{part / max(1, whole):.2%}"


def _print_edits(documents: Sequence[Document], size: int, unit: Unit) -> list[str]:
    """How much of our chunks stays as it was when a function is inserted; what misses.

    The target is meant for the default: where ten chunks are a file, no more than nine can stay.
    """
    counts: dict[str, Counter[str]] = {}
    for document in documents:
        edited = with_insertion(document)
        if edited is None:
            continue
        for granularity in _GRANULARITIES:
            chunker = our_chunker(granularity, size, unit)
            name = Path(document.path).name
            before, behind = (
                {(chunk.id, chunk.text) for chunk in chunker.chunk(text, path=name)}
                for text in (document.text, edited)
            )
            for group in (document.language, _ALL):
                count = counts.setdefault(group, Counter())
                count[f"{granularity} files"] += 1
                count[f"{granularity} chunks"] += len(before)
                count[f"{granularity} kept"] += len(before & behind)
    print(f"\nan inserted function, at {size} {unit}: chunks that stay, and how many a file do not")
    print(f"{'language':<11}" + "".join(f"{name:>20}" for name in _GRANULARITIES))
    for language, count in sorted(counts.items(), key=lambda item: (item[0] == _ALL, item[0])):
        cells = []
        for name in _GRANULARITIES:
            chunks, kept = count[f"{name} chunks"], count[f"{name} kept"]
            changed = (chunks - kept) / max(1, count[f"{name} files"])
            cells.append(f"{f'{_share(kept, chunks)}, {changed:.2f}':>20}")
        print(f"{language:<11}" + "".join(cells))
    total = counts.get(_ALL, Counter())
    share = total["definition kept"] / max(1, total["definition chunks"])
    return [f"definition: {share:.2%} unchanged"] if total and share < _UNCHANGED else []


def with_insertion(document: Document) -> str | None:
    """The text with a new function behind one of its definitions, or None where none can be.

    The place is drawn at random, but the same for the same file name. It is behind a definition of
    the file itself or of a class, on lines of its own, and indented like what is before it.
    """
    text = document.text
    written = _INSERTIONS[document.language]
    places = []
    for found in document.definitions:
        line = text.rfind("\n", 0, found.start) + 1
        behind = text.find("\n", found.end)
        indentation = text[line : found.start]
        if behind < 0 or indentation.strip() or text[found.end : behind].strip(" \t\r;"):
            continue
        if not all(outer.container for outer in found.around):
            continue
        inner = any(outer.kind not in _SPACES for outer in found.around)
        if function := written.member if inner else written.top:
            places.append((behind + 1, indentation, function))
    if not places:
        return None
    place, indentation, function = Random(Path(document.path).name).choice(places)
    lines = "".join(f"{indentation}{line}\n" for line in function.split("\n"))
    inserted = f"\n{lines}"
    if "\r\n" in text:
        inserted = inserted.replace("\n", "\r\n")
    return text[:place] + inserted + text[place:]


class _Insertion(NamedTuple):
    """A function to be inserted in the file itself or in a type; ``""`` where there can be none."""

    top: str
    member: str


_JAVA = _Insertion("", "int insertedHere(int value) {\n    return value + 1;\n}")
_SCRIPT = _Insertion(
    "function insertedHere(value) {\n  return value + 1;\n}",
    "insertedHere(value) {\n  return value + 1;\n}",
)
_PHP = "function insertedHere($value) {\n    return $value + 1;\n}"
_C = "int inserted_here(int value) {\n    return value + 1;\n}"
_INSERTIONS: Mapping[str, _Insertion] = {
    "c": _Insertion(_C, ""),
    "cpp": _Insertion(_C, _C),
    "csharp": _JAVA,
    "go": _Insertion("func insertedHere(value int) int {\n\treturn value + 1\n}", ""),
    "java": _JAVA,
    "javascript": _SCRIPT,
    "kotlin": _Insertion(*["fun insertedHere(value: Int): Int {\n    return value + 1\n}"] * 2),
    "php": _Insertion(_PHP, f"public {_PHP}"),
    "python": _Insertion(
        "def inserted_here(value):\n    return value + 1",
        "def inserted_here(self, value):\n    return value + 1",
    ),
    "ruby": _Insertion(*["def inserted_here(value)\n  value + 1\nend"] * 2),
    "rust": _Insertion(*["fn inserted_here(value: u32) -> u32 {\n    value + 1\n}"] * 2),
    "scala": _Insertion(*["def insertedHere(value: Int): Int = {\n  value + 1\n}"] * 2),
    "swift": _Insertion(*["func insertedHere(value: Int) -> Int {\n    return value + 1\n}"] * 2),
    "tsx": _SCRIPT,
    "typescript": _SCRIPT,
}
_SPACES = (
    frozenset(
        {
            "export_statement",
            "expression_statement",
            "internal_module",
            "linkage_specification",
            "mod_item",
            "namespace_declaration",
            "namespace_definition",
        }
    )
    | CONTAINERS
)


if __name__ == "__main__":
    sys.exit(main())
