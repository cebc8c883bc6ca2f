"""The commands of ``structchunk``. Needs the extra ``cli``; :mod:`structchunk_core.cli` checks."""

from __future__ import annotations

import io
import json
import os
import re
import secrets
import shutil
import stat
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Any, BinaryIO, NoReturn

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from structchunk_core import Chunk, Chunker, ConfigurationError, MissingDependencyError
from structchunk_core.adapting import check_route
from structchunk_core.batch import (
    FoundFile,
    NotTextError,
    Skipped,
    Unreadable,
    iter_files,
    read_text,
)
from structchunk_core.formats import format_names
from structchunk_core.profiles import others, profile, profiled_languages
from structchunk_core.report import Summary, summary_of

application = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Cut documents into chunks along their structure, under an exact budget.",
)

_DISTRIBUTION = "structchunk-parsers"
_FAILED = 1
_WRONG_USAGE = 2
_BUFFER = 1 << 16
_LONG_WORK = 2_000_000  # bytes; below, the work is done before anybody reads a progress bar
_STANDARD_OUTPUT = Path("-")
_OUTPUT_ENDINGS = frozenset({".json", ".jsonl"})


def _existing_path(given: str) -> Path:
    """The path of a file or folder that is there."""
    path = _path(given)
    try:
        path.stat()
    except FileNotFoundError:
        raise typer.BadParameter(f"{visible(given)!r} does not exist.") from None
    except OSError as error:
        raise typer.BadParameter(f"{visible(given)!r}: {_reason(error)}.") from None
    return path


def _path(given: str) -> Path:
    if not given:
        raise typer.BadParameter("a path must not be empty; '.' is the current folder.")
    return Path(given)


ChunkSize = Annotated[
    int | None, typer.Option(help="What no chunk exceeds, context included; 512 if not given.")
]
TargetSize = Annotated[
    int | None, typer.Option(help="What packing aims at; half of the chunk size if not given.")
]
Tokenizer = Annotated[
    str | None,
    typer.Option(help="A tiktoken encoding (cl100k_base if not given), or 'characters'."),
]
Granularity = Annotated[
    str | None,
    typer.Option(help="'definition': one chunk for each; 'packed': neighbours share chunks."),
]
Context = Annotated[
    str | None,
    typer.Option(
        help="Where the lines go that situate a chunk: 'separate', 'inline' in the text, 'none'."
    ),
]
TableFormats = Annotated[
    str | None,
    typer.Option(
        "--table-format", help="'rows': as written; 'records': 'column: value; ...' for each row."
    ),
]
TableProfiles = Annotated[
    str | None,
    typer.Option(
        "--table-profile",
        help="Which tables get a profile: 'split' (if not given), 'always', 'no'.",
    ),
]
TableRowEntries = Annotated[
    str | None,
    typer.Option(
        "--table-rows", help="'grouped', or 'linked': each row is an entry that leads to its chunk."
    ),
]
Overlap = Annotated[
    int | None, typer.Option("--overlap", help="How much of the chunk before to repeat.")
]
Format = Annotated[
    str | None, typer.Option("--format", help="Read every file as this; see 'structchunk formats'.")
]
Language = Annotated[str | None, typer.Option(help="Read every file as code in this language.")]


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
    paths: Annotated[
        list[Path],
        typer.Argument(
            help="Files and folders.", parser=_existing_path, metavar="PATH", show_default=False
        ),
    ],
    *,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            parser=_path,
            metavar="FILE",
            help="Write the chunks there as JSON Lines; '-' prints.",
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
    format_name: Format = None,
    language: Language = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="No summary and no progress bar.")
    ] = False,
) -> None:
    """Chunk files and folders.

    Folders are searched as git would: .gitignore files count, links are not followed. Leaves
    with 0 when all is done, with 1 when some files could not be read or the output could not be
    written, with 2 on wrong usage. An existing output is replaced when all is done, but never a
    file that is chunked, nor one in a chunked folder that is no JSON.
    """
    settings = _settings(
        chunk_size=chunk_size,
        target_size=target_size,
        tokenizer=tokenizer,
        granularity=granularity,
        context=context,
        chunk_overlap=overlap,
        table_format=table_format,
        table_profile=_table_profile(table_profile),
        table_rows=table_rows,
    )
    with _errors_as_usage():
        chunker = Chunker(**settings)
        check_route(chunker, language, format_name)
        run = _Run(chunker, format_name, language)
        exclude: tuple[Path, ...] = ()
        if output is not None and output != _STANDARD_OUTPUT:
            _check_output(output, paths)
            exclude = (output,)
        everything = list(iter_files(paths, exclude=exclude))
        with _written(output) as write:
            run.go(everything, write, is_quiet=quiet)
    if not quiet:
        console = Console(stderr=output == _STANDARD_OUTPUT, highlight=False)
        console.print(_summary_lines(run, output), soft_wrap=True)
    for found in run.unreadable:
        typer.echo(visible(f"could not be read: {found.name}: {found.reason}"), err=True)
    if run.unreadable:
        raise typer.Exit(_FAILED)


@application.command("show")
def _show(
    file: Annotated[
        Path, typer.Argument(parser=_existing_path, metavar="FILE", show_default=False)
    ],
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
    format_name: Format = None,
    language: Language = None,
) -> None:
    """Print the tree of units that a file is parsed into, and its chunks.

    What was added to a chunk is told from what stands in the file: the context is dim, what was
    repeated (table head, fence line, overlap) is yellow.
    """
    settings = _settings(
        chunk_size=chunk_size,
        target_size=target_size,
        tokenizer=tokenizer,
        granularity=granularity,
        context=context,
        chunk_overlap=overlap,
        table_format=table_format,
        table_profile=_table_profile(table_profile),
        table_rows=table_rows,
    )
    if file.is_dir():
        raise typer.BadParameter(f"{visible(str(file))!r} is a directory.", param_hint="FILE")
    try:
        decoded = read_text(file)
    except (OSError, NotTextError) as error:
        typer.echo(visible(f"could not be read: {file}: {_reason(error)}"), err=True)
        raise typer.Exit(_FAILED) from None
    with _errors_as_usage():
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


def json_line(chunk: Chunk) -> bytes:
    r"""The chunk as one line of JSON in UTF-8, line end included.

    It is one line to every reader: what some take for a line end (U+0085, U+2028, U+2029) is
    escaped. So are lone surrogates, which UTF-8 cannot hold.
    """
    line = json.dumps(chunk.record(), ensure_ascii=False)
    # "backslashreplace" writes a surrogate as \\udcff, which is how JSON writes it as well.
    return (line.translate(_JSON_ESCAPES) + "\n").encode("utf-8", "backslashreplace")


def visible(text: str) -> str:
    r"""The text with nothing in it that a terminal would obey or could not print.

    Control characters become their pictures (U+2400 and following); lone surrogates, C1 controls
    and marks that turn the direction of writing become U+FFFD; ``\r\n`` becomes ``\n``.
    """
    return _UNPRINTABLE.sub("\ufffd", text.replace("\r\n", "\n").translate(_PICTURES))


_JSON_ESCAPES = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}
_PICTURES = {code: 0x2400 + code for code in range(32) if chr(code) not in "\t\n"} | {127: 0x2421}
_UNPRINTABLE = re.compile("[\x80-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


class _Run:
    """The work on many files, and what came of it so far."""

    def __init__(self, chunker: Chunker, format_name: str | None, language: str | None) -> None:
        self.chunker = chunker
        self.format_name = format_name
        self.language = language
        self.summary = Summary()
        self.skipped: Counter[str] = Counter()
        self.unreadable: list[Unreadable] = []

    def go(
        self,
        everything: Sequence[FoundFile | Skipped | Unreadable],
        write: Callable[[Chunk], None],
        *,
        is_quiet: bool,
    ) -> None:
        """Chunk every file found, in order, and hand each chunk on."""
        total = sum(found.size for found in everything if isinstance(found, FoundFile))
        with _progress(total, is_quiet=is_quiet) as advance:
            for found in everything:
                if isinstance(found, FoundFile):
                    chunks = self._chunk_or_none(found)
                    if chunks is not None and not is_quiet:
                        self.summary += summary_of(chunks)
                    for chunk in chunks or ():
                        write(chunk)
                    advance(found)
                elif isinstance(found, Skipped):
                    self.skipped[found.reason] += 1
                else:
                    self.unreadable.append(found)

    def _chunk_or_none(self, found: FoundFile) -> list[Chunk] | None:
        try:
            decoded = read_text(found.file)
        except NotTextError as error:
            self.skipped[_reason(error)] += 1
            return None
        except OSError as error:
            self.unreadable.append(Unreadable(found.name, _reason(error)))
            return None
        try:
            return self.chunker.chunk(
                decoded.text,
                path=found.name,
                format=self.format_name,
                language=self.language,
                problems=decoded.problems,
            )
        except Exception as error:
            error.add_note(f"while chunking {found.file}")
            raise


def _settings(**given: Any) -> dict[str, Any]:
    """What was given on the command line, as arguments of the chunker; it knows the defaults."""
    return {name: value for name, value in given.items() if value is not None}


def _table_profile(given: str | None) -> bool | str | None:
    """The setting that a word on the command line stands for."""
    words: dict[str, bool | str] = {"split": True, "always": "always", "no": False}
    if given is not None and given not in words:
        raise typer.BadParameter(
            f"{visible(given)!r} is none of 'split', 'always', 'no'.", param_hint="--table-profile"
        )
    return None if given is None else words[given]


@contextmanager
def _errors_as_usage() -> Iterator[None]:
    """Wrong settings and missing installations end the command with their message and 2."""
    try:
        yield
    except (ConfigurationError, MissingDependencyError) as error:
        typer.echo(f"Error: {error}", err=True)
        raise typer.Exit(_WRONG_USAGE) from None


def _version() -> str:
    try:
        return version(_DISTRIBUTION)
    except PackageNotFoundError:
        return f"unknown: {_DISTRIBUTION} runs here without being installed"


def _check_output(output: Path, paths: Sequence[Path]) -> None:
    """Check that the output replaces none of the files that are chunked.

    In a chunked folder, an existing file must look like the output of an earlier run.

    Raises:
        ConfigurationError: it would replace something else.
    """
    status = _status_or_none(output)
    if status is None or not stat.S_ISREG(status.st_mode):
        return
    if any(path.is_file() and path.samefile(output) for path in paths):
        raise ConfigurationError(
            f"the output must be another file than those that are chunked, got {output}: its "
            "content would be lost"
        )
    target = output.resolve()
    if status.st_size == 0 or target.suffix.lower() in _OUTPUT_ENDINGS:
        return
    folders = [path for path in paths if path.is_dir()]
    if any(parent.samefile(folder) for folder in folders for parent in target.parents):
        raise ConfigurationError(
            f"the output {output} is a file in a folder that is chunked, and its content would be "
            "lost: name a file that does not exist yet, or one that ends in .jsonl"
        )


def _status_or_none(file: Path) -> os.stat_result | None:
    try:
        return file.stat()
    except OSError:
        return None


@contextmanager
def _written(output: Path | None) -> Iterator[Callable[[Chunk], None]]:
    """Where the chunks go. A file is replaced when all is written, never left half written."""
    if output is None:
        yield lambda _chunk: None
        return
    if output == _STANDARD_OUTPUT:
        if sys.stdout is None:  # the process was started with it closed
            _cannot_write(output, "standard output is closed", _FAILED)
        stream = sys.stdout.buffer
        yield lambda chunk: _write(stream, chunk)
        stream.flush()
        return
    status = _status_or_none(output)
    try:
        if status is not None and not stat.S_ISREG(status.st_mode):  # a device or a pipe
            with _opened(output, output) as file:
                yield lambda chunk: _write(file, chunk)
        else:
            with _replacing(output) as file:
                yield lambda chunk: _write(file, chunk)
    except _WriteError as error:
        _cannot_write(output, str(error), _FAILED)


@contextmanager
def _replacing(output: Path) -> Iterator[io.BufferedWriter]:
    """A new file, which takes the place of the output when it is complete."""
    target = output.resolve()
    if not target.parent.is_dir():
        _cannot_write(output, f"there is no folder {target.parent}", _WRONG_USAGE)
    beside = target.with_name(f".structchunk-{secrets.token_hex(8)}.part")
    file = _opened(beside, output)
    try:
        with file:
            yield file
        try:
            if target.exists():
                shutil.copymode(target, beside)
            beside.replace(target)
        except OSError as error:
            raise _WriteError(_reason(error)) from error
    finally:
        beside.unlink(missing_ok=True)


class _WriteError(Exception):
    """The system refused to write; what it said."""


class _File(io.FileIO):
    """A file whose refusals are told from all other errors of the system."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            raise _WriteError(_reason(error)) from error

    def close(self) -> None:
        try:
            super().close()
        except OSError as error:
            raise _WriteError(_reason(error)) from error


def _opened(file: Path, output: Path) -> io.BufferedWriter:
    """The file, open for writing; ``output`` is what the user calls it."""
    try:
        return io.BufferedWriter(_File(file, "xb" if file != output else "wb"), _BUFFER)
    except OSError as error:
        _cannot_write(output, _reason(error), _WRONG_USAGE)


def _cannot_write(output: Path, reason: str, code: int) -> NoReturn:
    typer.echo(visible(f"Error: cannot write to {output}: {reason}"), err=True)
    raise typer.Exit(code) from None


def _write(stream: BinaryIO, chunk: Chunk) -> None:
    stream.write(json_line(chunk))


@contextmanager
def _progress(total: int, *, is_quiet: bool) -> Iterator[Callable[[FoundFile], None]]:
    """A bar on long work, where a person sees it; it is gone when the work is done."""
    console = Console(stderr=True)
    if is_quiet or total < _LONG_WORK or not console.is_terminal:
        yield lambda _found: None
        return
    columns = (BarColumn(), TextColumn("{task.description}", markup=False), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=total)
        yield lambda found: progress.update(
            task, advance=found.size, description=visible(found.name)[-40:]
        )


def _summary_lines(run: _Run, output: Path | None) -> Text:
    summary = run.summary
    chunk_size = run.chunker.chunk_size
    unit = "characters" if run.chunker.tokenizer == "characters" else "tokens"
    rows = [
        ("files", f"{summary.files:,}"),
        ("chunks", f"{summary.chunks:,}"),
        (unit, f"{summary.size:,}"),
        ("fill", f"{summary.fill(chunk_size):.0%} of {chunk_size:,} {unit} in an average chunk"),
    ]
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
    if output is not None and output != _STANDARD_OUTPUT:
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


def _reason(error: OSError | NotTextError) -> str:
    return (isinstance(error, OSError) and error.strerror) or str(error)
