"""The commands of ``structchunk``. Needs the extra ``cli``; :mod:`structchunk_core.cli` checks."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from structchunk_core import Chunk, Chunker, ConfigurationError, MissingDependencyError
from structchunk_core.batch import (
    Decoded,
    FoundFile,
    NotTextError,
    Skipped,
    Unreadable,
    iter_files,
    read_text,
)
from structchunk_core.formats import format_names
from structchunk_core.report import Summary, summary_of

application = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Cut documents into chunks along their structure, under an exact budget.",
)

_SOME_UNREADABLE = 1
_WRONG_USAGE = 2
_LONG_WORK = 2_000_000  # bytes; below, the work is done before anybody reads a progress bar
_STANDARD_OUTPUT = Path("-")

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
Overlap = Annotated[
    int | None, typer.Option("--overlap", help="How much of the chunk before to repeat.")
]
Format = Annotated[
    str | None, typer.Option("--format", help="Read every file as this; see 'structchunk formats'.")
]
Language = Annotated[
    str | None, typer.Option(help="Read every file as code in this language.")
]


@application.callback(invoke_without_command=True)
def _structchunk(
    *,
    show_version: Annotated[
        bool, typer.Option("--version", help="Print the version and leave.")
    ] = False,
) -> None:
    if show_version:
        typer.echo(version("structchunk-parsers"))
        raise typer.Exit


@application.command("chunk")
def _chunk(
    paths: Annotated[
        list[Path],
        typer.Argument(help="Files and folders.", exists=True, readable=False, show_default=False),
    ],
    *,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the chunks there as JSON Lines; '-' prints."),
    ] = None,
    chunk_size: ChunkSize = None,
    target_size: TargetSize = None,
    tokenizer: Tokenizer = None,
    granularity: Granularity = None,
    context: Context = None,
    overlap: Overlap = None,
    format_name: Format = None,
    language: Language = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="No summary and no progress bar.")
    ] = False,
) -> None:
    """Chunk files and folders.

    Folders are searched as git would: .gitignore files count, links are not followed. Leaves
    with 0 when all is done, with 1 when some files could not be read, with 2 on wrong usage.
    """
    with _errors_as_usage():
        chunker = _chunker(chunk_size, target_size, tokenizer, granularity, context, overlap)
        done = _chunk_files(
            paths,
            output,
            lambda file, decoded: chunker.chunk(
                decoded.text,
                path=file.name,
                format=format_name,
                language=language,
                problems=decoded.problems,
            ),
            with_progress=not quiet,
        )
    errors = Console(stderr=True)
    if not quiet:
        unit = "characters" if tokenizer == "characters" else "tokens"
        console = errors if output == _STANDARD_OUTPUT else Console()
        console.print(_summary_table(done, chunker.chunk_size, unit, output), soft_wrap=True)
    for name, reason in done.unreadable:
        typer.echo(visible(f"could not be read: {name}: {reason}"), err=True)
    if done.unreadable:
        raise typer.Exit(_SOME_UNREADABLE)
