"""How well documents are cut, beside other splitters.

    python -m tests.benchmarks.documents [--size N] [--tokens] FILE_OR_FOLDER ...

What a document holds is read by parsers that the package does not use: markdown-it for Markdown,
docutils for reStructuredText. Where a chunk of another splitter stands is what the splitter says,
else where its text is found behind the chunk before. Per format and splitter:

- open: chunks with a fence that is not closed, of 1,000
- apart: headings whose chunk holds none of the text below them, of 1,000 headings; where that
  begins with a block that only fits without the heading, it is no fault
- cut: what fits the budget and is in no one chunk: fences, tables, numbered lists, directives
- items: list items that fit the budget and are in no one chunk
- over: chunks above the budget
- lost, twice: visible characters in no chunk, and in two; a chunk whose text stands nowhere in
  the document, because the splitter has rewritten it, holds none of them
- path: of the chunks with a heading path, those with the right one
- tiny, fill: of the documents above the budget, chunks below a tenth of it; mean size of a chunk
  of the target, which is half the budget
"""

from __future__ import annotations

import argparse
import re
import sys
import warnings
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from structchunk_core import Chunker
from structchunk_core.detect import detect
from structchunk_core.encoding_files import load_encoding
from tests.oracles import Heading, Shape, bare, line_starts, markdown_shape, path_at, rst_shape

_LARGEST = 400_000
_SHOWN = 4
_SHAPES: dict[str, Callable[[str], Shape]] = {"markdown": markdown_shape, "rst": rst_shape}


class Cut(NamedTuple):
    """A chunk of any splitter.

    Attributes:
        text: what it hands out.
        start: where its own text begins in the document, or -1 when that is nowhere.
        end: one past its end.
        path: the headings above it, outermost first; None when the splitter does not tell.
        loose: whether names that are no headings may stand behind them.
    """

    text: str
    start: int
    end: int
    path: tuple[str, ...] | None = None
    loose: bool = False


Splitter = Callable[[str, str], list[Cut]]


def main() -> int:
    """Print one table for each format; 1 when ours misses a target."""
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--size", type=int, default=0, help="1500 characters, or 512 tokens")
    parser.add_argument("--tokens", action="store_true", help="count tokens of cl100k_base")
    parser.add_argument("--ours", action="store_true", help="only structchunk")
    parser.add_argument("--examples", action="store_true", help="show where ours falls short")
    arguments = parser.parse_args()
    size = arguments.size or (512 if arguments.tokens else 1500)
    encoding = load_encoding("cl100k_base")
    count = (lambda text: len(encoding.encode_ordinary(text))) if arguments.tokens else len
    documents: dict[str, list[tuple[str, str, Shape]]] = defaultdict(list)
    for name, format_name, text in _read(arguments.paths):
        documents[format_name].append((name, text, _SHAPES[format_name](text)))
    missed = False
    for format_name, found in sorted(documents.items()):
        total = sum(len(text) for _, text, _ in found)
        unit = "tokens" if arguments.tokens else "characters"
        print(f"\n{format_name}: {len(found)} files, {total:,} characters, budget {size} {unit}")
        print("".join(f"{name:>10}" for name in ("", *_COLUMNS)).replace(" ", "  ", 1))
        splitters = _splitters(format_name, size, count, by_token=arguments.tokens)
        for label, splitter in splitters.items():
            if arguments.ours and label != _OURS:
                continue
            tally: Counter[str] = Counter()
            examples: dict[str, list[str]] = defaultdict(list)
            for name, text, shape in found:
                _judge(name, text, shape, splitter(text, name), size, count, tally, examples)
            row = _row(tally, size)
            print(f"{label:>22}" + "".join(f"{row[name]:>10}" for name in _COLUMNS), flush=True)
            if label == _OURS:
                missed |= any(tally[key] for key in _MUST_BE_NONE)
                if arguments.examples:
                    for key, places in sorted(examples.items()):
                        print(f"  {key}: {'; '.join(places)}")
    return int(missed)


_OURS = "structchunk"
_COLUMNS = (
    *("chunks", "open", "apart", "cut", "items", "over", "lost", "twice", "path", "tiny", "fill"),
)
_MUST_BE_NONE = ("open", "apart", "cut", "items", "over", "lost", "twice", "wrong")


def _read(paths: Sequence[Path]) -> Iterator[tuple[str, str, str]]:
    for path in paths:
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            named = detect("", file.name).format
            if named not in _SHAPES or not file.is_file() or file.suffix == ".mdx":
                continue
            try:
                text = file.read_bytes().decode("utf-8")
            except UnicodeDecodeError:
                continue
            if text.strip() and len(text) <= _LARGEST:
                yield str(file), named, text


def _judge(
    name: str,
    text: str,
    shape: Shape,
    cuts: list[Cut],
    size: int,
    count: Callable[[str], int],
    tally: Counter[str],
    examples: dict[str, list[str]],
) -> None:
    starts = line_starts(text)

    def missing(key: str, position: int, number: int = 1) -> None:
        tally[key] += number
        if len(examples[key]) < _SHOWN:
            examples[key].append(f"{name}:{bisect_right(starts, position)}")

    tally["chunks"] += len(cuts)
    placed = [cut for cut in cuts if cut.start >= 0]
    many = count(text) > size
    unclosed = _open_fences(text) if "fences" in shape.wholes else True
    for cut in cuts:
        measured = count(cut.text)
        if measured > size:
            missing("over", max(0, cut.start))
        if many:
            tally["counted"] += 1
            tally["filled"] += measured
            tally["tiny"] += measured * 10 < size
        if not unclosed and _open_fences(cut.text):
            missing("open", max(0, cut.start))
    reached = 0
    for cut in placed:
        lost = _visible(text[reached : cut.start])
        if lost:
            missing("lost", reached, lost)
        twice = _visible(text[cut.start : min(reached, cut.end)])
        if twice:
            missing("twice", cut.start, twice)
        reached = max(reached, cut.end)
    if lost := _visible(text[reached:]):
        missing("lost", reached, lost)
    for kind, spans in shape.wholes.items():
        key = "items" if kind == "items" else "cut"
        for start, end in spans:
            shown = text[start:end].rstrip()
            if count(shown) <= size and not _inside(placed, start, start + len(shown)):
                missing(key, start)
    _judge_headings(text, starts, shape, placed, tally, missing, size, count)


def _judge_headings(
    text: str,
    starts: list[int],
    shape: Shape,
    cuts: list[Cut],
    tally: Counter[str],
    missing: Callable[..., None],
    size: int,
    count: Callable[[str], int],
) -> None:
    wholes = dict(sorted(span for spans in shape.wholes.values() for span in spans))
    firsts = [heading.first for heading in shape.headings]
    for heading, following in pairwise((*shape.headings, None)):
        assert heading is not None
        behind = starts[heading.line]
        stop = starts[following.first - 1] if following else len(text)
        below = _POINTING.sub(lambda found: " " * len(found[0]), text[behind:stop])
        tally["headings"] += 1
        first = behind + len(below) - len(below.lstrip())
        if not below.strip():
            continue
        whole = wholes.get(starts[bisect_right(starts, first) - 1], first + 1)
        fits = count(text[starts[heading.first - 1] : whole].rstrip()) <= size
        if fits and not _inside(cuts, behind - 2, first + 1):
            missing("apart", first)
    for cut in cuts:
        if cut.path is None:
            continue
        pointing = _POINTING.match(text, cut.start, cut.end)
        first = bisect_right(starts, pointing.end() if pointing else cut.start)
        last = bisect_right(starts, cut.end - 1)
        number, stop = bisect_left(firsts, first), bisect_right(firsts, last)
        # The path of all text below headings, or shorter, down to that of the headings as well.
        least = _common([path_at(shape.headings, line) for line in (first, *firsts[number:stop])])
        texts = [] if number < stop and firsts[number] == first else [first]
        for heading, behind in zip(
            shape.headings[number:stop], [*firsts[number + 1 : stop], last + 1], strict=False
        ):
            between = text[starts[heading.line] : min(cut.end, starts[behind - 1])]
            texts += [heading.first] if _POINTING.sub("", between).strip() else []
        most = _common([path_at(shape.headings, line) for line in texts]) if texts else None
        given = tuple(map(bare, cut.path))
        tally["told"] += 1
        told = given[: len(most)] if cut.loose and most is not None else given
        if told[: len(least)] != least or (most is not None and told != most[: len(told)]):
            missing("wrong", cut.start)


def _common(paths: Sequence[tuple[Heading, ...]]) -> tuple[str, ...]:
    """The bare words of the headings that all paths have in common."""
    shared = []
    for headings in zip(*paths, strict=False):
        if len(set(headings)) > 1:
            break
        shared.append(bare(headings[0].words))
    return tuple(shared)


# Targets and index entries of reStructuredText, which belong to the title below them.
_POINTING = re.compile(r"(?:\.\. (?:_[^\n]*:|index::[^\n]*(?:\n +[^\n]*)*)[ \t]*\r?\n\s*)+")


def _inside(cuts: list[Cut], start: int, end: int) -> bool:
    number = bisect_right(cuts, start, key=lambda cut: cut.start) - 1
    return number >= 0 and end <= cuts[number].end


def _visible(text: str) -> int:
    return len("".join(text.split()))


def _open_fences(text: str) -> bool:
    from markdown_it import MarkdownIt

    lines = text.split("\n")
    for token in MarkdownIt("commonmark").parse(text):
        if token.type == "fence" and token.map is not None:
            last = lines[token.map[1] - 1].strip().lstrip("> ")
            if token.map[1] - token.map[0] < 2 or last.strip(token.markup[0]) or not last:
                return True
    return False


def _row(tally: Counter[str], size: int) -> dict[str, str]:
    chunks = max(1, tally["chunks"])
    counted = max(1, tally["counted"])
    told = tally["told"]
    return {
        "chunks": f"{tally['chunks']}",
        "open": f"{tally['open'] * 1000 / chunks:.1f}",
        "apart": f"{tally['apart'] * 1000 / max(1, tally['headings']):.1f}",
        **{key: f"{tally[key]}" for key in ("cut", "items", "over", "lost", "twice")},
        "path": f"{1 - tally['wrong'] / told:.2%}" if told else "-",
        "tiny": f"{tally['tiny'] / counted:.1%}",
        "fill": f"{tally['filled'] / counted / (size / 2):.2f}",
    }


# The splitters


def _splitters(
    format_name: str, size: int, count: Callable[[str], int], *, by_token: bool
) -> dict[str, Splitter]:
    made: dict[str, Splitter] = {_OURS: _structchunk(size, by_token=by_token)}
    makers: dict[str, Callable[[], Splitter]] = {
        "LangChain recursive": lambda: _recursive(size, count, format_name),
        "LlamaIndex Sentence": lambda: _sentence(size, count, by_token=by_token),
        "chonkie Recursive": lambda: _chonkie(size, by_token=by_token),
    }
    if format_name == "markdown":
        makers["LangChain Markdown"] = lambda: _headers(size, count)
        makers["LlamaIndex Markdown"] = _node_parser
        makers["semantic-text-splitter"] = lambda: _semantic(size, by_token=by_token)
    for label, make in makers.items():
        try:
            made[label] = make()
        except ImportError:
            print(f"{label}: not installed", file=sys.stderr)
    return made


def _structchunk(size: int, *, by_token: bool) -> Splitter:
    chunker = Chunker(
        chunk_size=size, table_profile=False, tokenizer=None if by_token else "characters"
    )

    def split(text: str, path: str) -> list[Cut]:
        return [
            Cut(
                chunk.text,
                chunk.span.start,
                chunk.span.end,
                chunk.path,
                loose=chunk.kind not in {"section", "heading"},
            )
            for chunk in chunker.chunk(text, path=Path(path).name)
        ]

    return split


def _recursive(size: int, count: Callable[[str], int], format_name: str) -> Splitter:
    from langchain_text_splitters import Language, RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter.from_language(
        Language(format_name),
        chunk_size=size,
        chunk_overlap=0,
        length_function=count,
    )
    return lambda text, _: _found(text, splitter.split_text(text))


def _headers(size: int, count: Callable[[str], int]) -> Splitter:
    """The two steps of LangChain's documentation: by headers, then by size."""
    from langchain_text_splitters import (
        MarkdownHeaderTextSplitter,
        RecursiveCharacterTextSplitter,
    )

    names = [(f"{'#' * level}", f"h{level}") for level in range(1, 7)]
    by_header = MarkdownHeaderTextSplitter(names, strip_headers=False)
    by_size = RecursiveCharacterTextSplitter(
        chunk_size=size, chunk_overlap=0, length_function=count
    )

    def split(text: str, _: str) -> list[Cut]:
        parts = by_size.split_documents(by_header.split_text(text))
        paths = [
            tuple(str(part.metadata[name]) for _, name in names if name in part.metadata)
            for part in parts
        ]
        return _found(text, [part.page_content for part in parts], paths)

    return split


def _node_parser() -> Splitter:
    from llama_index.core.node_parser import MarkdownNodeParser
    from llama_index.core.schema import Document

    parser = MarkdownNodeParser()

    def split(text: str, _: str) -> list[Cut]:
        nodes = parser.get_nodes_from_documents([Document(text=text)])
        return _found(text, [node.get_content() for node in nodes])

    return split


def _sentence(size: int, count: Callable[[str], int], *, by_token: bool) -> Splitter:
    from llama_index.core.node_parser import SentenceSplitter

    tokenizer = load_encoding("cl100k_base").encode_ordinary if by_token else list
    del count
    splitter = SentenceSplitter(chunk_size=size, chunk_overlap=0, tokenizer=tokenizer)
    return lambda text, _: _found(text, splitter.split_text(text))


def _semantic(size: int, *, by_token: bool) -> Splitter:
    made: Any = import_module("semantic_text_splitter").MarkdownSplitter
    splitter = made.from_tiktoken_model("gpt-4", size) if by_token else made(size)

    def split(text: str, _: str) -> list[Cut]:
        return [Cut(part, at, at + len(part)) for at, part in splitter.chunk_indices(text)]

    return split


def _chonkie(size: int, *, by_token: bool) -> Splitter:
    tokenizer = load_encoding("cl100k_base") if by_token else "character"
    made: Any = import_module("chonkie").RecursiveChunker
    chunker = made(tokenizer=tokenizer, chunk_size=size)

    def split(text: str, _: str) -> list[Cut]:
        return [Cut(one.text, one.start_index, one.end_index) for one in chunker(text)]

    return split


def _found(
    text: str, parts: Sequence[str], paths: Sequence[tuple[str, ...]] | None = None
) -> list[Cut]:
    """The parts where they stand in the text, in order; what was changed stands nowhere."""
    cuts = []
    position = 0
    for number, part in enumerate(parts):
        start = text.find(part, position)
        path = paths[number] if paths is not None else None
        if start < 0:
            cuts.append(Cut(part, -1, -1, path))
            continue
        position = start + len(part)
        cuts.append(Cut(part, start, position, path))
    return cuts


if __name__ == "__main__":
    sys.exit(main())
