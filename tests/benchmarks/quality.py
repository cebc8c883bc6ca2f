"""How well code is cut: ``python -m tests.benchmarks.quality FILE_OR_FOLDER ...``.

What a function is, and which comments and attributes belong to it, is read here from the syntax
tree by rules of its own, so that a mistake in the package's rules shows.
"""

from __future__ import annotations

import argparse
import sys
import sysconfig
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from structchunk_core import Chunk, Chunker
from structchunk_core.detect import detect
from structchunk_core.formats.code import grammar_text
from structchunk_core.grammars import find_grammar, parse_bytes
from structchunk_core.source import ByteOffsets

if TYPE_CHECKING:
    from tree_sitter import Node

_SIZE = 1500
_LARGEST_FILE = 1_000_000
_SHOWN = 3
_FUNCTIONS: Mapping[str, frozenset[str]] = {
    "c": frozenset({"function_definition"}),
    "cpp": frozenset({"function_definition"}),
    "csharp": frozenset(
        {"constructor_declaration", "destructor_declaration", "method_declaration"}
    ),
    "go": frozenset({"function_declaration", "method_declaration"}),
    "java": frozenset({"constructor_declaration", "method_declaration"}),
    "javascript": frozenset(
        {"function_declaration", "generator_function_declaration", "method_definition"}
    ),
    "php": frozenset({"function_definition", "method_declaration"}),
    "python": frozenset({"function_definition"}),
    "ruby": frozenset({"method", "singleton_method"}),
    "rust": frozenset({"function_item"}),
}
_LIKE = {"tsx": "javascript", "typescript": "javascript"}
_OUTER = frozenset({"decorated_definition", "export_statement", "template_declaration"})
_COMMENTS = frozenset({"comment", "line_comment", "block_comment"})
_ATTACHED = _COMMENTS | {"attribute_item", "decorator", "attribute_list"}


class Function(NamedTuple):
    """A function as the syntax tree has it, in characters.

    Attributes:
        start: where it begins without what is attached.
        body: where its body begins.
        end: one past its end.
        attached: where the comments and attributes in front of it begin.
        around: spans of the functions and types around it, innermost first.
    """

    start: int
    body: int
    end: int
    attached: int
    around: tuple[tuple[int, int], ...]


def main() -> int:
    """Print one table for each granularity; 1 when a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="*", type=Path, help="files and folders; or the stdlib")
    parser.add_argument("--size", type=int, default=_SIZE, help="the budget, in characters")
    parser.add_argument("--examples", action="store_true", help="show where it falls short")
    arguments = parser.parse_args()
    stdlib = Path(sysconfig.get_path("stdlib"))
    texts = list(_read(arguments.paths or sorted(stdlib.glob("*.py"))))
    missed = False
    for granularity in ("definition", "packed"):
        target = arguments.size if granularity == "packed" else None
        chunker = Chunker(
            tokenizer="characters",
            chunk_size=arguments.size,
            target_size=target,
            granularity=granularity,
        )
        tally: dict[str, Counter[str]] = defaultdict(Counter)
        examples: dict[str, list[str]] = defaultdict(list)
        for path, language, text in texts:
            _judge(chunker, path, language, text, tally, examples)
        missed |= _print(granularity, arguments.size, tally)
        if arguments.examples:
            for key, places in sorted(examples.items()):
                print(f"  {key}: {'; '.join(places)}")
    return int(missed)


def _read(paths: list[Path]) -> Iterator[tuple[str, str, str]]:
    for path in paths:
        found = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in found:
            if not file.is_file() or file.stat().st_size > _LARGEST_FILE:
                continue
            if _LIKE.get(named := detect("", file.name).language, named) not in _FUNCTIONS:
                continue
            try:
                with file.open(encoding="utf-8", newline="") as opened:
                    text = opened.read()
            except UnicodeDecodeError:
                continue
            language = detect(text, file.name).language
            if text.strip():
                yield str(file), language, text


def _judge(
    chunker: Chunker,
    path: str,
    language: str,
    text: str,
    tally: dict[str, Counter[str]],
    examples: dict[str, list[str]],
) -> None:
    count = tally[language]
    chunks = chunker.chunk(text, path=Path(path).name)
    count["files"] += 1
    count["chunks"] += len(chunks)
    starts = [chunk.span.start for chunk in chunks]
    functions = list(_functions(text, language))

    def missing(key: str, position: int) -> None:
        count[key] += 1
        if len(examples[f"{language} {key}"]) < _SHOWN:
            line = text.count("\n", 0, position) + 1
            examples[f"{language} {key}"].append(f"{path}:{line}")

    several = len(text) > chunker.chunk_size
    count["counted"] += len(chunks) if several else 0
    for chunk in chunks:
        count["filled"] += chunk.size if several else 0
        if chunk.size > chunker.chunk_size:
            missing("over", chunk.span.start)
        if not chunk.text.strip():
            missing("blank", chunk.span.start)
        if several and chunk.size * 10 < chunker.chunk_size:
            missing("tiny", chunk.span.start)
    position = 0
    for chunk in chunks:
        if text[position : chunk.span.start].strip() or chunk.span.start < position:
            missing("lost", position)
        position = chunk.span.end
    if text[position:].strip():
        missing("lost", position)
    for function in functions:
        first = _holding(chunks, starts, function.start)
        last = _holding(chunks, starts, function.end - 1)
        before = _holding(chunks, starts, function.attached)
        fits = function.end - function.start <= chunker.chunk_size
        fits_attached = function.end - function.attached <= chunker.chunk_size
        count["functions"] += 1
        if fits and first != last:
            missing("cut", function.start)
        if fits_attached and before != first:
            missing("torn", function.start)
        if first != last and _is_lone(chunks[first], function, text, chunker):
            missing("lone", function.start)
        if fits_attached and first == last:
            count["fitting"] += 1
            if _stands_alone(chunks[first], function, functions, chunker):
                count["alone"] += 1
            else:
                missing("shared", function.start)


def _is_lone(chunk: Chunk, function: Function, text: str, chunker: Chunker) -> bool:
    """Whether a chunk ends with the signature although the first line of the body has room."""
    behind = text[chunk.span.end : function.body]
    if chunk.span.end > function.body + 1 or behind.strip():
        return False
    opened = len(text) - len(text[function.body :].lstrip("{ \t\r\n"))
    line_end = text.find("\n", opened)
    line_end = len(text) if line_end < 0 else line_end
    return line_end - chunk.span.start + len(chunk.context) < chunker.chunk_size


def _holding(chunks: list[Chunk], starts: list[int], position: int) -> int:
    """The number of the chunk that holds the position; positions in no chunk give -1."""
    number = bisect_right(starts, position) - 1
    return number if number >= 0 and position < chunks[number].span.end else -1


def _stands_alone(
    chunk: Chunk, function: Function, functions: list[Function], chunker: Chunker
) -> bool:
    """Whether no other function is in the chunk, or a container that fits the target whole."""
    span = chunk.span
    for start, end in function.around:
        if span.start <= start and end <= span.end:
            return True
    target = chunker.target_size or chunker.chunk_size // 2
    if chunk.kind in {"block", "file"} and len(chunk.text) <= target:
        return True  # a whole file or ``#ifdef``
    others = [
        other
        for other in functions
        if other is not function
        and span.start <= other.start
        and other.end <= span.end
        and not (function.start <= other.start and other.end <= function.end)
    ]
    return not others


def _functions(text: str, language: str) -> Iterator[Function]:
    wanted = _FUNCTIONS[_LIKE.get(language, language)]
    readable = grammar_text(text)
    offsets = ByteOffsets(readable)
    tree = parse_bytes(readable.encode(), find_grammar(language), 10)
    stack: list[tuple[Node, Node | None, int, tuple[Node, ...]]] = [(tree.root_node, None, 0, ())]
    while stack:
        node, parent, number, around = stack.pop()
        children = node.children
        inner = around
        body = node.child_by_field_name("body") if node.is_named else None
        if node.type in wanted and not node.has_error and body is not None:
            outermost, attached = _attached(node, parent, number)
            yield Function(
                _with_indentation(text, offsets.to_character(outermost.start_byte)),
                offsets.to_character(body.start_byte),
                offsets.to_character(node.end_byte),
                _with_indentation(text, offsets.to_character(attached.start_byte)),
                tuple(
                    (offsets.to_character(outer.start_byte), offsets.to_character(outer.end_byte))
                    for outer in around
                    if outer.parent is not None
                ),
            )
        if body is not None:
            inner = (node, *around)
        stack.extend((child, node, at, inner) for at, child in enumerate(children))


def _with_indentation(text: str, position: int) -> int:
    line = text.rfind("\n", 0, position) + 1
    return position if text[line:position].strip() else line


def _attached(node: Node, parent: Node | None, number: int) -> tuple[Node, Node]:
    """The node with its wrappers, and the first of the comments and attributes right above."""
    siblings = parent.children if parent is not None else [node]
    if parent is not None and parent.type in _OUTER:
        node = parent
        outer = parent.parent
        siblings = outer.children if outer is not None else [node]
        number = siblings.index(node)
    first = node
    while number > 0:
        before = siblings[number - 1]
        if before.type not in _ATTACHED:
            break
        row = before.end_point.row - (before.end_point.column == 0)
        if first.start_point.row - row > 1:
            break
        above = siblings[number - 2] if number > 1 else None
        if before.type in _COMMENTS and above is not None:
            same = above.end_point.row == before.start_point.row
            if same and above.end_point.column and above.type not in _ATTACHED:
                break  # trails on the line of what is above
        first = before
        number -= 1
    return node, first


def _print(granularity: str, size: int, tally: Mapping[str, Counter[str]]) -> bool:
    print(f"\n{granularity}, {size} characters")
    names = ("cut", "torn", "lone", "over", "lost", "blank")
    head = ["language", "files", "chunks", "functions", *names, "tiny", "fill", "alone"]
    print("".join(f"{name:>11}" for name in head))
    missed = False
    for language, count in sorted(tally.items()):
        chunks = max(1, count["counted"])
        tiny = count["tiny"] / chunks
        fill = count["filled"] / chunks / size
        alone = count["alone"] / max(1, count["fitting"])
        missed |= any(count[name] for name in names)
        missed |= granularity == "packed" and (tiny >= 0.01 or fill < 0.75)
        row = [language, *(str(count[name]) for name in ("files", "chunks", "functions", *names))]
        print(
            "".join(f"{cell:>11}" for cell in (*row, f"{tiny:.2%}", f"{fill:.2f}", f"{alone:.2%}"))
        )
    return missed


if __name__ == "__main__":
    sys.exit(main())
