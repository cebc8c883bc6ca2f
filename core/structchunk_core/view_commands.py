"""The command ``view``: a page that shows what splitters do to documents."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from structchunk_core.adapting import check_route
from structchunk_core.audit_commands import budget_of, files_in, split_by, with_progress
from structchunk_core.auditing.splitters import OURS, Splitter, splitter_named
from structchunk_core.batch import FoundFile, NotTextError, read_text
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
    path_of,
)
from structchunk_core.commands import application
from structchunk_core.errors import ConfigurationError
from structchunk_core.printing import visible
from structchunk_core.viewing import Viewed, page_of, viewed


@application.command("view")
def _view(
    paths: Paths,
    *,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", parser=path_of, metavar="FILE", help="The page to write."),
    ],
    splitter: Annotated[str, typer.Option(help=SPLITTER_HELP)] = OURS,
    beside: Annotated[
        str | None, typer.Option(help="Another splitter to show side by side with the first.")
    ] = None,
    chunk_size: ChunkSize = None,
    tokenizer: Tokenizer = None,
    read_as: ReadAs = None,
    language: Language = None,
) -> None:
    """Write a page that shows documents with the borders of their chunks and what is broken.

    It is one file that asks for nothing from a network. Leaves with 1 when a file could not be
    read, a splitter failed on one, or the page could not be written, with 2 on wrong usage.
    """
    with errors_as_usage():
        budget = budget_of(chunk_size, tokenizer)
        check_route(budget, language, read_as)
        names = [splitter, *([beside] if beside else [])]
        made = [splitter_named(name, budget) for name in names]
        files = files_in(paths, exclude=[output])
        shown: list[Viewed] = []
        failed: list[str] = []
        for found in with_progress(files, "view"):
            one = _viewed_or_none(found, made, budget, read_as, language, failed)
            if one is not None:
                shown.append(one)
        if not shown and not failed:
            raise ConfigurationError("there is no text to show in these files")
    for reason in failed:
        typer.echo(visible(f"failed: {reason}"), err=True)
    if shown:
        _write(page_of(shown, f"Chunks of {paths[0].resolve().name}"), output)
    if failed:
        raise typer.Exit(FAILED)


def _viewed_or_none(
    found: FoundFile,
    splitters: Sequence[Splitter],
    budget: Chunker,
    read_as: str | None,
    language: str | None,
    failed: list[str],
) -> Viewed | None:
    """The file as it is shown; None for what is blank, no text, or not to be split."""
    try:
        text = read_text(found.file).text
    except NotTextError:
        return None
    except OSError as error:
        failed.append(f"{found.name}: {error}")
        return None
    if not text.strip():
        return None
    splits = []
    for one in splitters:
        try:
            chunks = split_by(one, budget, read_as, language)(text, found)
        except Exception as error:  # noqa: BLE001  # whatever a splitter trips over is told
            failed.append(f"{found.name}: {one.name}: {type(error).__name__}: {error}")
            return None
        splits.append((one.name, chunks or ()))
    try:
        return viewed(text, found.name, splits, budget, format=read_as, language=language)
    except Exception as error:  # noqa: BLE001  # a defect costs the file, and is told
        failed.append(f"{found.name}: {type(error).__name__}: {error}")
        return None


def _write(page: str, output: Path) -> None:
    try:
        if output == Path("-"):
            sys.stdout.write(page)
        else:
            output.write_text(page, encoding="utf-8")
            typer.echo(visible(f"written to {output}"), err=True)
    except OSError as error:
        typer.echo(visible(f"Error: cannot write to {output}: {error.strerror}"), err=True)
        raise typer.Exit(FAILED) from None
