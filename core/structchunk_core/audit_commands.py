"""The commands ``audit``, ``compare`` and ``rules``. Needs the extra ``cli``, as all do."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from structchunk_core.adapting import check_route
from structchunk_core.auditing.corpus import ChunksOfFile, CorpusReport, audit_files
from structchunk_core.auditing.findings import AuditReport, Tally
from structchunk_core.auditing.rules import RULES, rules_named
from structchunk_core.auditing.sarif import sarif_of
from structchunk_core.auditing.splitters import OURS, Splitter, installed_peers, splitter_named
from structchunk_core.batch import FoundFile, iter_files
from structchunk_core.chunker import Chunker
from structchunk_core.command_options import (
    FAILED,
    SPLITTER_HELP,
    ChunkSize,
    Language,
    Paths,
    ReadAs,
    Tokenizer,
    errors_as_usage,
    existing_path,
    path_of,
)
from structchunk_core.commands import application
from structchunk_core.errors import ConfigurationError
from structchunk_core.printing import counted, visible
from structchunk_core.viewing import Viewed, page_of

_FORMATS = ("table", "json", "sarif", "html")
_EXAMPLES = 3
_LONG_WORK = 1_000_000  # bytes; below, the work is done before anybody reads a progress bar


@application.command("audit")
def _audit(
    paths: Paths,
    *,
    splitter: Annotated[str, typer.Option(help=SPLITTER_HELP)] = OURS,
    from_jsonl: Annotated[
        Path | None,
        typer.Option(
            "--from-jsonl",
            parser=existing_path,
            metavar="FILE",
            help="Audit these chunks, one JSON object a line, which name their file as 'source'.",
        ),
    ] = None,
    chunk_size: ChunkSize = None,
    tokenizer: Tokenizer = None,
    fail_on: Annotated[
        str,
        typer.Option(help="Leave with 1 if these are broken: rules, 'promises', or 'all'."),
    ] = "",
    report_format: Annotated[
        str, typer.Option("--format", help="How to print: table, json, sarif, or html, a page.")
    ] = "table",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", parser=path_of, metavar="FILE", help="Print to this file."),
    ] = None,
    examples: Annotated[
        int, typer.Option(min=0, help="How many findings of each rule a table shows.")
    ] = _EXAMPLES,
    read_as: ReadAs = None,
    language: Language = None,
) -> None:
    """Find what a splitter breaks: cut functions, headless rows, half fences, lost text.

    Leaves with 0 when nothing was found that --fail-on names, with 1 when something was, when a
    file could not be read, or when the splitter failed on one, with 2 on wrong usage.
    """
    with errors_as_usage():
        rules = rules_named(fail_on) if fail_on else ()
        if report_format not in _FORMATS:
            raise ConfigurationError(
                f"--format must be one of {', '.join(_FORMATS)}, got {report_format!r}"
            )
        budget = budget_of(chunk_size, tokenizer)
        check_route(budget, language, read_as)
        files = files_in(paths, exclude=[one for one in (output, from_jsonl) if one])
        if from_jsonl is not None:
            given = ChunksOfFile(from_jsonl)
            name = str(from_jsonl)
            chunks_of: _ChunksOf = lambda _text, found: given.of(found)  # noqa: E731  # its type is checked here
        else:
            made = splitter_named(splitter, budget)
            name, chunks_of = made.name, split_by(made, budget, read_as, language)
        pages = _Pages(name, budget, read_as, language) if report_format == "html" else None
        report = audit_files(
            with_progress(files, name),
            chunks_of,
            name,
            budget,
            format=read_as,
            language=language,
            seen=pages,
        )
    if pages is not None:
        _print_text(pages.page(), output)
    else:
        _print_report(report, report_format, output, examples)
    for path, reason in (*report.unreadable, *report.refused):
        typer.echo(visible(f"failed: {path}: {reason}"), err=True)
    broken = sum(report.tally.counts[rule] for rule in rules)
    if broken:
        typer.echo(f"{counted(broken, 'finding')} of rules named by --fail-on", err=True)
    if broken or report.unreadable or report.refused:
        raise typer.Exit(FAILED)


@application.command("compare")
def _compare(
    paths: Paths,
    *,
    splitter: Annotated[
        list[str] | None,
        typer.Option(help=f"Once for each: {SPLITTER_HELP} Ours and what is installed if none."),
    ] = None,
    chunk_size: ChunkSize = None,
    tokenizer: Tokenizer = None,
    read_as: ReadAs = None,
    language: Language = None,
) -> None:
    """Set splitters side by side on the same files and budget: findings per 1,000 chunks."""
    with errors_as_usage():
        budget = budget_of(chunk_size, tokenizer)
        check_route(budget, language, read_as)
        files = files_in(paths)
        names = splitter or [OURS, *installed_peers()]
        made = [splitter_named(name, budget) for name in names]
        reports = [
            audit_files(
                with_progress(files, one.name),
                split_by(one, budget, read_as, language),
                one.name,
                budget,
                format=read_as,
                language=language,
            )
            for one in made
        ]
    console = _console()
    console.print(comparison(reports))
    console.print(_legend(reports[0]), soft_wrap=True)
    if not splitter and len(reports) == 1:
        console.print("Neither LangChain nor LlamaIndex is installed here to compare with.")


def comparison(reports: Sequence[CorpusReport]) -> Table:
    """One column for each splitter: chunks, fill, and findings per 1,000 chunks for each rule."""
    table = Table(title="Findings per 1,000 chunks", title_justify="left", header_style="bold")
    table.add_column("")
    for report in reports:
        table.add_column(Text(visible(report.splitter)), justify="right")
    tallies = [report.tally for report in reports]
    table.add_row("chunks", *(f"{tally.chunks:,}" for tally in tallies))
    table.add_row("fill", *(f"{tally.fill:.0%}" for tally in tallies), end_section=True)
    used = [rule for rule in RULES.values() if any(tally.counts[rule.id] for tally in tallies)]
    for promise in (True, False):
        group = [rule for rule in used if bool(rule.promise) is promise]
        for rule in group:
            cells = [_rate(tally, rule.id, is_broken=promise) for tally in tallies]
            table.add_row(rule.id, *cells, end_section=rule is group[-1])
    table.add_row(
        Text("broken in all", style="bold"),
        *(Text(_number(_per_thousand(tally)), style="bold") for tally in tallies),
    )
    if any(report.refused for report in reports):
        table.add_row("files refused", *(f"{len(report.refused):,}" for report in reports))
    return table


_ChunksOf = Callable[[str, FoundFile], "Sequence[object] | None"]


def split_by(
    splitter: Splitter, budget: Chunker, read_as: str | None, language: str | None
) -> _ChunksOf:
    """What makes the chunks of a file: the splitter; ours as it is told to read the file."""
    if splitter.name == OURS and (read_as or language):
        return lambda text, found: budget.chunk(
            text, path=found.name, format=read_as, language=language
        )
    return lambda text, found: splitter.split(text, found.name)


def budget_of(chunk_size: int | None, tokenizer: str | None) -> Chunker:
    """The chunker whose size and tokenizer are the budget; it knows the defaults."""
    given = {"chunk_size": chunk_size, "tokenizer": tokenizer}
    return Chunker(**{name: value for name, value in given.items() if value is not None})  # type: ignore[arg-type]  # each is what its setting takes


def files_in(paths: Sequence[Path], exclude: Sequence[Path] = ()) -> list[FoundFile]:
    """The files in the folders.

    Raises:
        ConfigurationError: there are none.
    """
    found = [one for one in iter_files(paths, exclude=exclude) if isinstance(one, FoundFile)]
    if not found:
        raise ConfigurationError(f"there is no file to audit in {', '.join(map(str, paths))}")
    return found


def with_progress(files: Sequence[FoundFile], name: str) -> Iterator[FoundFile]:
    """The files, with a bar on long work where a person sees it."""
    console = Console(stderr=True)
    total = sum(found.size for found in files)
    if total < _LONG_WORK or not console.is_terminal:
        yield from files
        return
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task(visible(name), total=total)
        for found in files:
            yield found
            progress.update(task, advance=found.size)


def _print_report(
    report: CorpusReport, report_format: str, output: Path | None, examples: int
) -> None:
    if report_format == "table":
        if output is None:
            _print_table(_console(), report, examples)
            return
        with output.open("w", encoding="utf-8") as file:
            _print_table(Console(file=file, highlight=False, width=120), report, examples)
        return
    record = report.record()
    if report_format == "sarif":
        record = sarif_of(report.findings, report.splitter)
    _print_text(json.dumps(record, indent=2, ensure_ascii=True) + "\n", output)


class _Pages:
    """Collects audited documents for a page."""

    def __init__(
        self, name: str, budget: Chunker, read_as: str | None, language: str | None
    ) -> None:
        self._name = name
        self._parse = partial(budget.parse, format=read_as, language=language)
        self._clean: list[Viewed] = []
        self._broken: list[Viewed] = []

    def __call__(self, text: str, chunks: Sequence[object], report: AuditReport) -> None:
        parsed = self._parse(text, path=report.path)
        one = Viewed(report.path, text, parsed, ((self._name, chunks, report),))
        (self._broken if report.findings else self._clean).append(one)

    def page(self) -> str:
        """The documents with findings; all of them if there are none."""
        return page_of(self._broken or self._clean, f"Audit of {self._name}")


def _print_text(text: str, output: Path | None) -> None:
    if output is None:
        sys.stdout.write(text)
    else:
        output.write_text(text, encoding="utf-8")


def _print_table(console: Console, report: CorpusReport, examples: int) -> None:
    tally = report.tally
    console.print(
        Text(
            visible(
                f"{report.splitter}: {counted(tally.chunks, 'chunk')} of "
                f"{counted(tally.files, 'file')}, "
                f"{tally.fill:.0%} of {report.chunk_size:,} {report.unit} filled on average"
            ),
            style="bold",
        ),
        soft_wrap=True,
    )
    if report.without_chunks:
        console.print(f"without chunks there: {counted(report.without_chunks, 'file')}")
    found = [rule for rule in RULES.values() if tally.counts[rule.id]]
    if not found:
        console.print("Nothing was found: no chunk breaks a rule.")
        return
    table = Table(header_style="bold")
    table.add_column("rule", no_wrap=True)
    table.add_column("found", justify="right")
    table.add_column("per 1,000 chunks", justify="right")
    table.add_column("what a reader loses")
    for rule in found:
        cells = (f"{tally.counts[rule.id]:,}", _number(tally.per_thousand(rule.id)), rule.loss)
        table.add_row(rule.id, *cells, style=None if rule.promise else "dim")
    console.print(table)
    for rule in found if examples else ():
        shown = [finding for finding in report.findings if finding.rule == rule.id][:examples]
        for finding in shown:
            line = Text(visible(finding.place), style="cyan")
            line.append(f"  {rule.id}  ", style="bold")
            line.append(visible(finding.message))
            console.print(line, soft_wrap=True)


def _legend(report: CorpusReport) -> Text:
    tally = report.tally
    return Text(
        f"{counted(tally.files, 'file')}, budget {report.chunk_size:,} {report.unit}. "
        "What each rule finds: structchunk rules.",
        style="dim",
    )


@application.command("rules")
def _rules() -> None:
    """List the rules of an audit: what each finds, and what a reader loses."""
    console = _console()
    for rule in RULES.values():
        line = Text(rule.id, style="bold")
        line.append(f"  {rule.finds}: {rule.loss}", style="")
        console.print(line, soft_wrap=True)


def _rate(tally: Tally, rule: str, *, is_broken: bool) -> Text:
    count = tally.counts[rule]
    style = ("red" if count else "green") if is_broken else "dim"
    return Text(_number(tally.per_thousand(rule)), style=style)


def _per_thousand(tally: Tally) -> float:
    return 1000 * tally.broken / tally.chunks if tally.chunks else 0.0


def _number(value: float) -> str:
    return "0" if not value else f"{value:,.0f}" if value >= 10 else f"{value:.1f}"


def _console() -> Console:
    return Console(highlight=False)
