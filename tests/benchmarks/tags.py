"""How our definitions compare with those of Universal Ctags on real files.

``python -m tests.benchmarks.tags FOLDER ... [--language X] [--details]`` prints a line for each
language: how many definitions ctags has, how many of them we have, and how well kinds and ends
agree. What is known to differ, and why, is kept in ``tags_explained.toml``: it is taken out of the
misses and counted by itself.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from structchunk_core import Chunker
from structchunk_core.detect import detect
from structchunk_core.formats.code import readable
from structchunk_core.grammars import find_grammar, parse_bytes
from structchunk_core.profiles import profile
from structchunk_core.unit import Unit
from tests.benchmarks.ctags import CTAGS, FUNCTION, RULE, SCOPE, SECTION, TARGET, TYPE, Tag, tags_of

_KEPT = Path(__file__).with_name("tags_explained.toml")
_LARGEST_FILE = 400_000
_AIM = 0.98

# What is only declared may be of any family.
_OUR_FAMILIES: Mapping[str, str] = {
    "class": TYPE,
    "constructor": FUNCTION,
    "enum": TYPE,
    "function": FUNCTION,
    "impl": TYPE,
    "interface": TYPE,
    "macro": FUNCTION,
    "method": FUNCTION,
    "module": SCOPE,
    "namespace": SCOPE,
    "object": TYPE,
    "rule": RULE,
    "section": SECTION,
    "struct": TYPE,
    "target": TARGET,
    "trait": TYPE,
    "type": TYPE,
    "union": TYPE,
}
_NAMED_LAST = frozenset({"enum", "struct", "type", "union"})
_CLASS = re.compile(r"(?=(\.[\w-]+(?::[\w-]+)*))")  # of a selector
_TEXT = re.compile(
    r"comment|haddock|heredoc|pod$|^quasiquote_body$|^quoted_argument$|^sigil$|string(?:_literal)?$"
)
_NOT_READ = frozenset({"ERROR", "cpp"})  # what stands behind #else is left out for Haskell
_LAST_NAME = re.compile(r"(?:::|[.:#\\/])(?=[^.:#\\/ ]+$)")


class Ours(NamedTuple):
    """A definition of ours: the lines from its attached comments to the end, inclusive."""

    kind: str
    label: str
    head: str
    start: int
    head_end: int
    end: int


class Explained(NamedTuple):
    """A disagreement that is known, and why; every pattern has to be found.

    Attributes:
        what: ``missing``, ``kind`` or ``end``.
        name: of the definition, as ctags calls it.
        path: of the file.
        text: of the line that ctags names.
        kind: of ctags.
        within_error: whether the grammar must have failed there, or left it out.
        reason: in words.
    """

    language: str
    what: str
    name: re.Pattern[str]
    path: re.Pattern[str]
    text: re.Pattern[str]
    kind: re.Pattern[str]
    within_error: bool
    reason: str


def main() -> int:
    """Print the comparison; 1 when the recall of a language misses the aim."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("paths", nargs="+", type=Path, help="files and folders")
    parser.add_argument("--language", help="only the files in this language")
    parser.add_argument("--as-language", help="read every file in this language")
    parser.add_argument("--details", action="store_true", help="each disagreement on a line")
    parser.add_argument("--most", type=int, default=400, help="files of each language")
    arguments = parser.parse_args()
    files = _files(arguments.paths, arguments.as_language, arguments.most)
    wanted = sorted(files) if arguments.language is None else [arguments.language]
    names = (
        "files",
        "ctags",
        "found",
        "explained",
        "missing",
        "recall",
        "kind",
        "end",
        "only ours",
    )
    print(f"{'language':<16}" + "".join(f"{name:>11}" for name in names))
    fell_short = False
    for language in wanted:
        count, lines = compare(language, files.get(language, []))
        recall = _share(count["found"], count["found"] + count["missing"])
        cells = [
            *(str(count[name]) for name in ("files", "tags", "found", "explained", "missing")),
            f"{recall:.2%}",
            f"{_share(count['kind_agrees'], count['kind_agrees'] + count['kind']):.2%}",
            f"{_share(count['end_agrees'], count['end_agrees'] + count['end']):.2%}",
            str(count["ours"]),
        ]
        print(f"{language:<16}" + "".join(f"{cell:>11}" for cell in cells), flush=True)
        fell_short |= recall < _AIM
        if arguments.details:
            print("".join(f"  {line}\n" for line in lines), end="")
    return int(fell_short)


def compare(language: str, paths: Sequence[Path]) -> tuple[Counter[str], list[str]]:
    """The counts for the files of one language, and every disagreement as a line of text."""
    count: Counter[str] = Counter()
    lines: list[str] = []
    by_path: dict[str, list[Tag]] = defaultdict(list)
    for tag in tags_of(language, paths):
        by_path[tag.path].append(tag)
    chunker = Chunker(tokenizer="characters", parse_seconds=60)
    for path in paths:
        text = _text_or_none(path)
        if text is None:
            continue
        count["files"] += 1
        root = chunker.parse(text, path=path.name, language=language).root
        _compare_file(
            language, text, by_path[str(path)], list(definitions(root, text)), count, lines
        )
    return count, lines


def definitions(root: Unit, text: str) -> Iterator[Ours]:
    """Every definition in the tree, in document order."""
    starts = [0]
    while (line_end := text.find("\n", starts[-1])) >= 0:
        starts.append(line_end + 1)

    def line_of(position: int) -> int:
        return bisect_right(starts, position)

    named: dict[int, Unit] = {}
    for depth, unit in root.walk():
        shown = unit
        if unit.kind == "clause" and depth - 1 in named:
            shown = named[depth - 1]  # ctags names each clause of a function
        elif unit.definition is None or not unit.label:
            named.pop(depth, None)
            continue
        named[depth] = shown
        written = text[unit.start : unit.end]
        start = unit.start + len(written) - len(written.lstrip())
        last = unit.start + len(written.rstrip()) - 1
        head_end = max(start, min(_head_end(unit), last + 1) - 1)
        head = text[start:head_end]
        yield Ours(shown.kind, shown.label, head, line_of(start), line_of(head_end), line_of(last))


def _head_end(unit: Unit) -> int:
    """Where the head of a definition ends; its own end when it cannot be opened."""
    current = unit
    for _ in range(4):
        children = current.open()
        head = next((child for child in children if child.kind == "head"), None)
        if head is not None:
            return head.end
        same = next((child for child in children if child.kind == unit.kind), None)
        if same is None or same.label:
            break
        current = same
    return unit.end


def _compare_file(
    language: str,
    text: str,
    tags: Iterable[Tag],
    ours: Sequence[Ours],
    count: Counter[str],
    lines: list[str],
) -> None:
    tags = list(tags)
    failed, quoted = _lines_of(language, text) if tags else ([], frozenset())
    written = text.split("\n")
    by_name: dict[str, list[int]] = defaultdict(list)
    for number, mine in enumerate(ours):
        # Of a rule, ctags names each target or selector.
        targets = []
        if mine.kind == "rule":
            targets = [*mine.label.split(), *mine.label.split(",")]
            if "{" in mine.head:
                targets += _CLASS.findall(mine.head) + re.split(r"\s*[,{]\s*", mine.head)
        for name in {name for label in (mine.label, *targets) for name in _names(label)}:
            by_name[name].append(number)
    used: set[int] = set()
    for tag in tags:
        count["tags"] += 1
        if tag.line in quoted:
            count["explained"] += 1
            continue
        candidates = [
            number
            for number in _called(by_name, tag.name)
            if (number not in used or _shares(ours[number], tag))
            and _names_at(ours[number], tag.line)
        ]
        line = written[tag.line - 1].strip() if tag.line <= len(written) else ""
        shown = f"{tag.path}:{tag.line} {tag.kind} {tag.name}: {line[:90]}"
        if not candidates:
            if _is_explained(language, "missing", tag, line, failed):
                count["explained"] += 1
            else:
                count["missing"] += 1
                lines.append(f"missing {shown}")
            continue
        number = max(candidates, key=lambda number: (ours[number].start, number))
        used.add(number)
        mine = ours[number]
        count["found"] += 1
        if _OUR_FAMILIES.get(mine.kind, tag.family) == tag.family:
            count["kind_agrees"] += 1
        elif _is_explained(language, "kind", tag, line, failed):
            count["kind_explained"] += 1
        else:
            count["kind"] += 1
            lines.append(f"kind {mine.kind} {shown}")
        if not tag.end:
            continue
        if mine.end == tag.end:
            count["end_agrees"] += 1
        elif _is_explained(language, "end", tag, line, failed):
            count["end_explained"] += 1
        else:
            count["end"] += 1
            lines.append(f"end {mine.end} for {tag.end} {shown}")
    count["ours"] += len(ours) - len(used)


def _names_at(mine: Ours, line: int) -> bool:
    """Whether a definition can have its name on that line: in its head, or as a typedef does."""
    return mine.start <= line <= mine.head_end or (line == mine.end and mine.kind in _NAMED_LAST)


def _shares(mine: Ours, tag: Tag) -> bool:
    """Whether one definition has several tags: a typedef its struct's, a rule its targets'."""
    return tag.kind == "typedef" or mine.kind == "rule"


def _called(by_name: Mapping[str, Sequence[int]], name: str) -> Sequence[int]:
    """What has the name that ctags gives, without type parameters in braces, or its last part."""
    whole = _folded(name)
    bare = re.sub(r"(?<=\w)\{.*", "", whole)
    return by_name.get(whole) or by_name.get(bare) or by_name.get(_LAST_NAME.split(bare)[-1]) or ()


def _names(label: str) -> set[str]:
    """The names by which ctags may know what we call so."""
    whole = "".join(label.split())
    names = {whole}
    bare = re.sub(r"[<(\[].*$", "", whole) or whole
    names.add(bare)
    for name in (whole, bare):
        names.add(_LAST_NAME.split(name)[-1])
    return {name.strip("\"'`$&").casefold() for name in names if name}


def _folded(name: str) -> str:
    return "".join(name.split()).strip("\"'`$&").casefold()


def _lines_of(language: str, text: str) -> tuple[list[tuple[int, int]], frozenset[int]]:
    """First and last lines of what the grammar did not understand, and the lines of plain text.

    The latter begin inside a string or comment: what ctags finds there is no code.
    """
    data = readable(text, profile(language)).encode()
    stack = [parse_bytes(data, find_grammar(language), 60).root_node]
    failed: list[tuple[int, int]] = []
    quoted: set[int] = set()
    while stack:
        node = stack.pop()
        first, last = node.start_point.row, node.end_point.row
        if node.type in _NOT_READ or node.is_missing:
            failed.append((first + 1, last + 1))
        if first == last and not node.has_error:
            continue
        if _TEXT.search(node.type) and not node.has_error:
            quoted.update(range(first + 2, last + (2 if node.end_point.column else 1)))
        else:
            stack.extend(node.children)
    return failed, frozenset(quoted)


def _is_explained(
    language: str, what: str, tag: Tag, line: str, failed: Sequence[tuple[int, int]]
) -> bool:
    return any(
        entry.what == what
        and entry.name.search(tag.name)
        and entry.path.search(tag.path)
        and entry.text.search(line)
        and entry.kind.search(tag.kind)
        and (not entry.within_error or any(low <= tag.line <= high for low, high in failed))
        for entry in _explained().get(language, ())
    )


@cache
def _explained() -> Mapping[str, Sequence[Explained]]:
    kept: dict[str, list[Explained]] = defaultdict(list)
    for entry in tomllib.loads(_KEPT.read_text("utf-8")).get("explained", []):
        for language in entry["languages"]:
            kept[language].append(
                Explained(
                    language,
                    entry.get("what", "missing"),
                    re.compile(entry.get("name", "")),
                    re.compile(entry.get("path", "")),
                    re.compile(entry.get("text", "")),
                    re.compile(entry.get("kind", "")),
                    entry.get("within_error", False),
                    entry["reason"],
                )
            )
    return kept


def _files(paths: Iterable[Path], as_language: str | None, most: int) -> dict[str, list[Path]]:
    """Language -> the files in it that ctags can read as well."""
    found: dict[str, list[Path]] = defaultdict(list)
    for root in paths:
        for path in sorted(root.rglob("*")) if root.is_dir() else [root]:
            if not path.is_file() or path.stat().st_size > _LARGEST_FILE:
                continue
            language = as_language or detect("", path.name).language
            if language in CTAGS and as_language is None:
                text = _text_or_none(path)
                language = "" if text is None else detect(text, path.name).language
            if language in CTAGS and len(found[language]) < most:
                found[language].append(path)
    return found


def _text_or_none(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        return None


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


if __name__ == "__main__":
    sys.exit(main())
