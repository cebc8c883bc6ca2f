"""The commands of ``structchunk``. Needs the extra ``cli``; :mod:`structchunk_core.cli` checks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from structchunk_core import (
    Chunk,
    Chunker,
    ConfigurationError,
)
from structchunk_core.adapting import check_route
from structchunk_core.arrow import require_pyarrow
from structchunk_core.batch import FILE_SECONDS, chunk_files
from structchunk_core.command_options import (
    FAILED,
    WRONG_USAGE,
    ChunkSize,
    Context,
    Format,
    Granularity,
    Language,
    Overlap,
    Paths,
    RecordFormats,
    TableFormats,
    TableProfiles,
    TableRowEntries,
    TargetSize,
    Tokenizer,
    errors_as_usage,
    existing_path,
    path_of,
    profile_setting,
    reason_of,
    settings_of,
)
from structchunk_core.encoding_files import encoding_names
from structchunk_core.fast_tokens import reader_of
from structchunk_core.files import NotTextError, read_text
from structchunk_core.formats import format_names
from structchunk_core.printing import visible
from structchunk_core.profiles import others, profile, profiled_languages
from structchunk_core.resuming import files_of_run, resumed, rules_of
from structchunk_core.running import Run, progress, summary_lines
from structchunk_core.writing import (
    STANDARD_OUTPUT,
    AsArrow,
    AsLines,
    Sink,
    WriteError,
    check_output,
    is_parquet,
    unfinished,
    written,
)

application = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Cut documents into chunks along their structure, under an exact budget.",
)

_DISTRIBUTION = "structchunk-parsers"


@application.callback(invoke_without_command=True)
def _structchunk(
    *,
    show_version: Annotated[
        bool, typer.Option("--version", help="Print the version and leave.")
    ] = False,
) -> None:
    if show_version:
        typer.echo(_version())
        raise typer.Exit


@application.command("chunk")
def _chunk(
    paths: Paths,
    *,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            parser=path_of,
            metavar="FILE",
            help="Write the chunks there, as Parquet if it ends in .parquet, else as JSON Lines; "
            "'-' prints.",
        ),
    ] = None,
    chunk_size: ChunkSize = None,
    target_size: TargetSize = None,
    tokenizer: Tokenizer = None,
    granularity: Granularity = None,
    context: Context = None,
    overlap: Overlap = None,
    table_format: TableFormats = None,
    table_profile: TableProfiles = None,
    table_rows: TableRowEntries = None,
    record_format: RecordFormats = None,
    format_name: Format = None,
    language: Language = None,
    workers: Annotated[
        int | None,
        typer.Option(
            help="How many processes chunk. A file that crashes one, or does not end, costs "
            "itself only. Without it the command chunks in its own process."
        ),
    ] = None,
    file_seconds: Annotated[
        float, typer.Option(help="How long a worker may take for one file.")
    ] = FILE_SECONDS,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume",
            help="Take over what has not changed since the last run with --resume, also from one "
            "that was cut short. FILE.manifest tells what is in FILE.",
        ),
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="No summary and no progress bar.")
    ] = False,
) -> None:
    """Chunk files and folders.

    Folders are searched as git would: .gitignore files count, links are not followed. Leaves
    with 0 when all is done, with 1 when some files could not be read or chunked, or the output
    could not be written, with 2 on wrong usage, with 130 after Ctrl-C. An existing output is
    replaced when all is done, but never a file that is chunked, nor one in a chunked folder that
    is neither JSON nor Parquet.
    """
    settings = settings_of(
        chunk_size=chunk_size,
        target_size=target_size,
        tokenizer=tokenizer,
        granularity=granularity,
        context=context,
        chunk_overlap=overlap,
        table_format=table_format,
        table_profile=profile_setting(table_profile),
        table_rows=table_rows,
        record_format=record_format,
    )
    with errors_as_usage():
        chunker = Chunker(**settings)
        convert: AsLines | AsArrow = AsLines(writes=output is not None, counts=resume or not quiet)
        exclude: tuple[Path, ...] = ()
        beside = unfinished(output)
        if output is not None and is_parquet(output):
            require_pyarrow()
            convert = AsArrow(counts=resume or not quiet)
        if output is not None and beside is not None:
            check_output(output, paths)
            exclude = (output, beside, *(files_of_run(output) if resume else ()))
        elif resume:
            raise ConfigurationError(f"--resume needs an --output that is a file, got {output}")
        run = Run()
        with _refusals(output), ExitStack() as stack:
            known: Mapping[str, str] = {}
            sink: Sink
            if resume and output is not None:
                rules = rules_of(chunker, format_name, language, output)
                sink = left = stack.enter_context(resumed(output, rules))
                known = left.known
            else:
                sink = stack.enter_context(written(output, beside))
            outcomes = chunk_files(
                paths,
                chunker=chunker,
                workers=workers,
                file_seconds=file_seconds,
                format=format_name,
                language=language,
                convert=convert,
                known=known,
                exclude=exclude,
            )
            stack.enter_context(closing(outcomes))  # the workers end before the output is closed
            advance = stack.enter_context(progress(paths, exclude=exclude, is_quiet=quiet))
            run.go(outcomes, sink, advance)
    if not quiet:
        console = Console(stderr=output == STANDARD_OUTPUT, highlight=False)
        console.print(summary_lines(run, chunker, output), soft_wrap=True)
    for complaint in run.complaints:
        typer.echo(complaint, err=True)
    if run.is_incomplete:
        raise typer.Exit(FAILED)


@application.command("show")
def _show(
    file: Annotated[Path, typer.Argument(parser=existing_path, metavar="FILE", show_default=False)],
    *,
    chunk_size: ChunkSize = None,
    target_size: TargetSize = None,
    tokenizer: Tokenizer = None,
    granularity: Granularity = None,
    context: Context = None,
    overlap: Overlap = None,
    table_format: TableFormats = None,
    table_profile: TableProfiles = None,
    table_rows: TableRowEntries = None,
    record_format: RecordFormats = None,
    format_name: Format = None,
    language: Language = None,
) -> None:
    """Print the tree of units that a file is parsed into, and its chunks.

    What was added to a chunk is told from what stands in the file: the context is dim, what was
    repeated (table head, fence line, overlap) is yellow.
    """
    settings = settings_of(
        chunk_size=chunk_size,
        target_size=target_size,
        tokenizer=tokenizer,
        granularity=granularity,
        context=context,
        chunk_overlap=overlap,
        table_format=table_format,
        table_profile=profile_setting(table_profile),
        table_rows=table_rows,
        record_format=record_format,
    )
    if file.is_dir():
        raise typer.BadParameter(f"{visible(str(file))!r} is a directory.", param_hint="FILE")
    try:
        decoded = read_text(file)
    except (OSError, NotTextError) as error:
        typer.echo(visible(f"could not be read: {file}: {reason_of(error)}"), err=True)
        raise typer.Exit(FAILED) from None
    with errors_as_usage():
        chunker = Chunker(**settings)
        check_route(chunker, language, format_name)
        parsed = chunker.parse(decoded.text, path=file.name, format=format_name, language=language)
        chunks = chunker.chunk(
            decoded.text,
            path=file.name,
            format=format_name,
            language=language,
            problems=decoded.problems,
        )
    console = Console(highlight=False)
    shown = parsed.rendering.text if parsed.rendering else decoded.text
    console.print(Text(visible(parsed.root.pretty(shown))), soft_wrap=True)
    for number, chunk in enumerate(chunks, start=1):
        console.print(_chunk_title(number, len(chunks), chunk), soft_wrap=True)
        console.print(_chunk_body(chunk, decoded.text), soft_wrap=True)


@application.command("formats")
def _formats() -> None:
    """List the formats that can be parsed here."""
    for name in format_names():
        typer.echo(name)


@application.command("tokenizers")
def _tokenizers() -> None:
    """List the encodings that --tokenizer can name, and what reads their tokens here.

    That is tiktoken, or gigatoken, which gives the same tokens in a tenth of the time, where it is
    installed (extra "fast") and found to agree.
    """
    names = encoding_names()
    width = max(map(len, names))
    for name in names:
        typer.echo(f"{name:{width}}  {reader_of(name)}")


@application.command("languages")
def _languages() -> None:
    """List the programming languages, and what is known about each.

    A language without a profile is read by general rules, which go by the names that its grammar
    gives to things. "guarded" languages are parsed in another process first.
    """
    console = Console(highlight=False)
    console.print(Text(_language_table()), soft_wrap=True)


def _language_table() -> str:
    """One line for each language, sorted by name: what its profile knows, in columns."""
    names = sorted((*others(), *profiled_languages()))
    rows = [("language", "comment", "knows", "defines"), *map(_language_row, names)]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    return "\n".join(
        "  ".join(f"{cell:{width}}" for cell, width in zip(row[:3], widths, strict=True))
        + f"  {row[3]}".rstrip()
        for row in rows
    )


def _language_row(name: str) -> tuple[str, str, str, str]:
    data = profile(name)
    known = {
        "imports": bool(data.imports),
        "calls": bool(data.calls),
        "docstrings": data.docstrings,
        "guarded": data.fragile,
    }
    by_words = (kind for pairs in data.patterns.values() for kind, _ in pairs)
    kinds = {*data.definitions.values(), *data.values.values(), *by_words} - {""}
    return (
        name,
        f"{data.line_comment} {data.line_comment_end.strip()}".rstrip(),
        " ".join(word for word, has in known.items() if has),
        "by general rules" if data.generic else " ".join(sorted(kinds)),
    )


@contextmanager
def _refusals(output: Path | None) -> Iterator[None]:
    """An output that cannot be written ends the command with a message."""
    try:
        yield
    except WriteError as error:
        typer.echo(visible(f"Error: cannot write to {output}: {error}"), err=True)
        raise typer.Exit(WRONG_USAGE if error.is_usage else FAILED) from None


def _version() -> str:
    try:
        return version(_DISTRIBUTION)
    except PackageNotFoundError:
        return f"unknown: {_DISTRIBUTION} runs here without being installed"


def _chunk_title(number: int, total: int, chunk: Chunk) -> Text:
    facts = [
        f"{number}/{total}",
        f"{chunk.kind} {' > '.join(chunk.path) or ', '.join(chunk.symbols)}".rstrip(),
        f"lines {chunk.start_line}-{chunk.end_line}",
        f"size {chunk.size}",
    ]
    if chunk.part:
        facts.append(f"part {chunk.part} of {chunk.parts}")
    facts += sorted({problem.code for problem in chunk.problems})
    return Text(visible("\n=== " + " · ".join(facts)), style="bold cyan")


def _chunk_body(chunk: Chunk, source: str) -> Text:
    """The chunk's text, with what was added to the source marked by its place in the text."""
    piece = source[chunk.span.start : chunk.span.end]
    end = len(chunk.text) - len(chunk.suffix)
    start = end - len(piece)
    body = Text()
    if start < len(chunk.prefix) or chunk.text[start:end] != piece:  # rendered: no slice to mark
        body.append(visible(chunk.text))
        return body
    above = chunk.text[: start - len(chunk.prefix)]
    if chunk.context and not above:
        above = f"{chunk.context}\n"
    body.append(visible(above), style="dim")
    body.append(visible(chunk.prefix), style="yellow")
    body.append(visible(piece))
    body.append(visible(chunk.suffix), style="yellow")
    return body
