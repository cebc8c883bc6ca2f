"""A run of the command over many files: what came of each, shown as it goes and in the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from structchunk_core.batch import (
    ChunkedFile,
    FailedFile,
    Outcome,
    Skipped,
    UnchangedFile,
    Unreadable,
)
from structchunk_core.chunker import Chunker
from structchunk_core.files import FoundFile, iter_files
from structchunk_core.printing import visible
from structchunk_core.report import Summary
from structchunk_core.writing import STANDARD_OUTPUT, Sink, Written

_LONG_WORK = 2_000_000  # bytes; below, the work is done before anybody reads a progress bar


class Run:
    """What came of many files so far."""

    def __init__(self) -> None:
        self.summary = Summary()
        self.unchanged = 0
        self.skipped: Counter[str] = Counter()
        self.unreadable: list[Unreadable] = []
        self.failed: list[FailedFile] = []

    def go(
        self,
        outcomes: Iterable[Outcome[Written]],
        sink: Sink,
        advance: Callable[[FoundFile], None],
    ) -> None:
        """Take what comes of each file, in order, and hand on what there is to write."""
        for outcome in outcomes:
            match outcome:
                case ChunkedFile(found=found, result=result):
                    self.summary += result.summary
                    sink.write(outcome)
                    advance(found)
                case UnchangedFile(found=found):
                    self.summary += sink.copy(outcome)
                    self.unchanged += 1
                    advance(found)
                case Skipped(reason=reason):
                    self.skipped[reason] += 1
                case Unreadable():
                    self.unreadable.append(outcome)
                case FailedFile():
                    self.failed.append(outcome)

    @property
    def is_incomplete(self) -> bool:
        """Whether the chunks of some file that should be there are not."""
        return bool(self.unreadable or self.failed)

    @property
    def complaints(self) -> Iterator[str]:
        """What went wrong, one line for each file."""
        for one in self.unreadable:
            yield visible(f"could not be read: {one.name}: {one.reason}")
        for other in self.failed:
            yield visible(f"could not be chunked: {other.name}: {other.reason}")


@contextmanager
def progress(
    paths: Sequence[Path], *, exclude: Sequence[Path], is_quiet: bool
) -> Iterator[Callable[[FoundFile], None]]:
    """A bar on long work, where a person sees it; it is gone when the work is done."""
    console = Console(stderr=True)
    total = 0
    if not is_quiet and console.is_terminal:
        every = iter_files(paths, exclude=exclude)
        total = sum(found.size for found in every if isinstance(found, FoundFile))
    if total < _LONG_WORK:
        yield lambda _found: None
        return
    columns = (BarColumn(), TextColumn("{task.description}", markup=False), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=total)
        yield lambda found: bar.update(
            task, advance=found.size, description=visible(found.name)[-40:]
        )


def summary_lines(run: Run, chunker: Chunker, output: Path | None) -> Text:
    """The totals of a run, as a person reads them."""
    summary = run.summary
    chunk_size = chunker.chunk_size
    unit = "characters" if chunker.tokenizer == "characters" else "tokens"
    rows = [
        ("files", f"{summary.files:,}"),
        ("chunks", f"{summary.chunks:,}"),
        (unit, f"{summary.size:,}"),
        ("fill", f"{summary.fill(chunk_size):.0%} of {chunk_size:,} {unit} in an average chunk"),
    ]
    if run.unchanged:
        rows.append(("unchanged", f"{run.unchanged:,} of them, taken over from before"))
    rows += [("skipped", f"{count:,} {reason}") for reason, count in sorted(run.skipped.items())]
    rows += [
        ("problems", f"{code} in {count:,} {'file' if count == 1 else 'files'}")
        for code, count in sorted(summary.problems.items())
    ]
    rows += [
        ("split", f"{it.symbol} at {it.source}:{it.line}, {it.size:,} {unit} in {it.parts} chunks")
        for it in summary.split
    ]
    if run.unreadable:
        rows.append(("unreadable", f"{len(run.unreadable):,}"))
    if run.failed:
        rows.append(("failed", f"{len(run.failed):,}"))
    if output is not None and output != STANDARD_OUTPUT:
        rows.append(("written to", str(output)))
    width = max(len(name) for name, _ in rows)
    lines = Text()
    previous = ""
    for name, value in rows:
        lines.append("" if not lines else "\n")
        lines.append(f"{'' if name == previous else name:{width}}  ", style="bold")
        lines.append(visible(value))
        previous = name
    return lines
