"""How well web pages are cut: ``python -m tests.benchmarks.pages --corpus FOLDER --fetch``.

The pages are those of ``references.toml``, API references and pages of some repositories, made and
fetched into the folder once, or those of other folders that are named instead. For every HTML file
of each folder (at most ``--most``, evenly chosen) an independent HTML5 parser tells which words a
browser shows, which headings stand above them, and where the entries of an API reference begin
(``dl > dt.sig``): each has to be a unit that begins with its signature, and each chunk with
something of it has to say in text or context what it is about.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from structchunk_core import Chunk, Chunker
from structchunk_core.sizing import measure_of
from tests.benchmarks.references import page_folders
from tests.browser import Word, path_of, visible_words, words_of

_AHEAD = 60  # words that are looked at to find the next one again


@dataclass(slots=True)
class Counts:
    """What was counted over some pages."""

    pages: int = 0
    characters: int = 0
    chunks: int = 0
    words: int = 0
    words_lost: int = 0
    words_added: int = 0
    paths: int = 0
    paths_wrong: int = 0
    table_chunks: int = 0
    rows_without_header: int = 0
    over_budget: int = 0
    entries: int = 0
    entries_without_unit: int = 0
    parts: int = 0
    parts_without_name: int = 0
    parts_with_signature: int = 0
    tiny: int = 0
    seconds: float = 0.0
    seconds_tokenising: float = 0.0

    def add(self, other: Counts) -> None:
        """Add what was counted over other pages."""
        for item in fields(self):
            setattr(self, item.name, getattr(self, item.name) + getattr(other, item.name))


def measured(html: str, name: str, chunker: Chunker, *, verbose: bool = False) -> Counts:
    """What comes of one page."""
    counts = Counts(pages=1, characters=len(html))
    begin = time.thread_time()
    chunks = chunker.chunk(html, path=name, format="html")
    counts.seconds = time.thread_time() - begin
    scale_of = measure_of(None, None).scale
    begin = time.thread_time()
    scale_of(html)
    counts.seconds_tokenising = time.thread_time() - begin
    truth = visible_words(html)
    counts.chunks = len(chunks)
    counts.words = len(truth)
    own = [words_of(bare_text(chunk)) for chunk in chunks]
    shown = Counter(word.text for word in truth)
    rendered = Counter(word for words in own for word in words)
    lost, added = shown - rendered, rendered - shown
    counts.words_lost, counts.words_added = lost.total(), added.total()
    if verbose and lost:
        print(f"{name}: {lost.total()} lost, such as {lost.most_common(8)}")
    _count_entries(counts, truth, chunker, html, name, verbose=verbose)
    for chunk, words in zip(chunks, aligned(truth, own), strict=True):
        _count_parts(counts, chunk, words, name, verbose=verbose)
        counts.over_budget += chunker.count(chunk.embed_text) > chunker.chunk_size
        counts.tiny += chunker.count(chunk.text) * 10 < chunker.chunk_size
        rows, bare = _rows(chunk.text)
        counts.table_chunks += rows
        counts.rows_without_header += bare
        if words and chunk.element_type != "boilerplate":
            counts.paths += 1
            expected = path_of(words)
            if not _agrees(chunk, expected, words[-1].path):
                counts.paths_wrong += 1
                if verbose:
                    start = " ".join(word.text for word in words[:6])
                    print(f"{name}:{chunk.start_line} {chunk.path} for {expected}: {start}")
    return counts


def _count_entries(
    counts: Counts, truth: Sequence[Word], chunker: Chunker, html: str, name: str, *, verbose: bool
) -> None:
    """How many entries there are, and of how many no unit begins with the signature."""
    expected = dict.fromkeys(word.entry for word in truth if word.entry is not None)
    counts.entries += len(expected)
    if not expected:
        return
    parsed = chunker.parse(html, path=name, format="html")
    text = parsed.rendering.text if parsed.rendering is not None else html
    units = iter([unit for _, unit in parsed.root.walk() if unit.node_type == "entry"])
    for entry in expected:
        most = 20 * len(entry.signature) + 200
        begins = (words_of(text[unit.start : min(unit.end, unit.start + most)]) for unit in units)
        length = len(entry.signature)
        if not any(tuple(words[:length]) == entry.signature for words in begins):
            counts.entries_without_unit += 1
            units = iter(())
            if verbose:
                print(f"{name}: no unit for {' '.join(entry.signature)}")


def _count_parts(
    counts: Counts, chunk: Chunk, words: Sequence[Word], name: str, *, verbose: bool
) -> None:
    """What a chunk says of each entry that it holds something of: its name, its signature."""
    said = f" {' '.join(words_of(chunk.context))} {' '.join(words_of(chunk.text))} "
    for entry in dict.fromkeys(word.entry for word in words if word.entry is not None):
        counts.parts += 1
        counts.parts_with_signature += f" {' '.join(entry.signature)} " in said
        if f" {' '.join(entry.name)} " not in said:
            counts.parts_without_name += 1
            if verbose:
                print(f"{name}:{chunk.start_line} says nothing of {' '.join(entry.signature)}")


def bare_text(chunk: Chunk) -> str:
    """The text of a chunk without what it repeats."""
    return chunk.text[len(chunk.prefix) : len(chunk.text) - len(chunk.suffix)]


def aligned(truth: Sequence[Word], own: Sequence[Sequence[str]]) -> Iterator[list[Word]]:
    """For each row of words those of the truth that they are, found in order."""
    position = 0
    for words in own:
        found: list[Word] = []
        for number, word in enumerate(words):
            following = words[number + 1] if number + 1 < len(words) else ""
            for at in range(position, min(position + _AHEAD, len(truth))):
                if truth[at].text == word and (
                    at == position or [one.text for one in truth[at + 1 : at + 2]] == [following]
                ):
                    found.append(truth[at])
                    position = at + 1
                    break
        yield found


def _agrees(chunk: Chunk, expected: tuple[str, ...], last: tuple[str, ...]) -> bool:
    """Whether the path holds the headings that are above all of the chunk.

    Between and below them may stand the names of entries and terms, and below them the heading of
    the one section that the chunk holds.
    """
    path = [_plain(label) for label in chunk.path]
    wanted = [_plain(label) for label in expected]
    if path[: len(wanted)] != wanted:
        names = iter(path)
        return all(label in names for label in wanted)  # in this order
    below = [_plain(label) for label in last[len(wanted) :]]
    is_section = chunk.node_type in {"h1", "h2", "h3", "h4", "h5", "h6"}
    return not is_section or path[len(wanted) :] == below[: len(path) - len(wanted)]


def _plain(label: str) -> str:
    return " ".join(words_of(label))


def _rows(text: str) -> tuple[int, int]:
    """Whether there are rows of a table, and whether some stand without header and delimiter."""
    lines = text.split("\n")
    fence = ""
    tables = bare = 0
    before = ""
    for number, line in enumerate(lines):
        shown = line.strip(" >-:")
        if fence:
            fence = "" if shown == fence else fence
        elif shown.startswith("```"):
            fence = shown[: len(shown) - len(shown.lstrip("`"))]
        elif shown.startswith("| ") and shown.endswith(" |") and not before.startswith("|"):
            tables += 1
            following = lines[number + 1].strip(" >") if number + 1 < len(lines) else ""
            bare += not following.startswith(("|---", "|:--"))
        before = shown
    return int(tables > 0), int(bare > 0)


def _files(folders: Sequence[Path], most: int) -> Iterator[Path]:
    for folder in folders:
        found = [folder] if folder.is_file() else sorted(folder.rglob("*.*htm*"))
        step = max(1, -(-len(found) // most))
        yield from found[::step]


def main() -> None:
    """Print the figures of each folder and of all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="*", type=Path, help="any with pages")
    parser.add_argument("--corpus", type=Path, help="holds the pages of references.toml")
    parser.add_argument("--fetch", action="store_true", help="make those that are not there")
    parser.add_argument("--most", type=int, default=40, help="pages of each folder")
    parser.add_argument("--size", type=int, default=512, help="chunk_size in tokens")
    parser.add_argument("--verbose", action="store_true", help="show what differs")
    given = parser.parse_args()
    folders = [*given.folders]
    if given.corpus:
        folders += page_folders(given.corpus, make=given.fetch)
    elif not folders:
        parser.error("name folders, or --corpus FOLDER")
    chunker = Chunker(chunk_size=given.size, table_profile=False)
    total = Counts()
    for folder in folders:
        counts = Counts()
        for path in _files([folder], given.most):
            html = path.read_bytes().decode("utf-8", "replace")
            counts.add(measured(html, path.name, chunker, verbose=given.verbose))
        _show(str(folder), counts)
        total.add(counts)
    if len(folders) > 1:
        _show("all", total)


def _show(name: str, counts: Counts) -> None:
    print(f"{name}: {counts.pages} pages, {counts.characters / 1e6:.1f} MB, {counts.chunks} chunks")
    words, paths = max(1, counts.words), max(1, counts.paths)
    print(
        f"  visible words lost {counts.words_lost} of {counts.words} "
        f"({100 * counts.words_lost / words:.3f}%), added {100 * counts.words_added / words:.2f}%; "
        f"heading paths right {100 * (1 - counts.paths_wrong / paths):.2f}% of {counts.paths}"
    )
    print(
        f"  chunks with rows {counts.table_chunks}, without header {counts.rows_without_header}; "
        f"over budget {counts.over_budget}; "
        f"tiny {100 * counts.tiny / max(1, counts.chunks):.1f}%"
    )
    if counts.entries:
        print(
            f"  entries {counts.entries}, without a unit {counts.entries_without_unit}; parts of "
            f"them {counts.parts}, without the name {counts.parts_without_name}, with all of the "
            f"signature {100 * counts.parts_with_signature / max(1, counts.parts):.1f}%"
        )
    speed = counts.seconds_tokenising / max(counts.seconds, 1e-9)
    print(
        f"  {counts.characters / 1e6 / max(counts.seconds, 1e-9):.1f} MB/s, "
        f"{speed:.2f} of tokenising once"
    )


if __name__ == "__main__":
    main()
