"""What the commands share: options, paths, and how errors end them. Needs the extra ``cli``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from structchunk_core.errors import (
    ConfigurationError,
    MissingDependencyError,
    StructchunkError,
)
from structchunk_core.files import NotTextError
from structchunk_core.printing import visible

FAILED = 1
WRONG_USAGE = 2


def existing_path(given: str) -> Path:
    """The path of a file or folder that is there."""
    path = path_of(given)
    try:
        path.stat()
    except FileNotFoundError:
        raise typer.BadParameter(f"{visible(given)!r} does not exist.") from None
    except OSError as error:
        raise typer.BadParameter(f"{visible(given)!r}: {reason_of(error)}.") from None
    return path


def path_of(given: str) -> Path:
    """The path that was given; it may not be there yet."""
    if not given:
        raise typer.BadParameter("a path must not be empty; '.' is the current folder.")
    return Path(given)


ChunkSize = Annotated[
    int | None, typer.Option(help="What no chunk exceeds, context included; 512 if not given.")
]
TargetSize = Annotated[
    int | None,
    typer.Option(
        help="What packing aims at; if not given, half of the chunk size, less for rows of split "
        "tables and for YAML, TOML, INI and XML."
    ),
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
        "--table-format",
        help="'rows': as written; 'records': 'column: value; ...' for each row; "
        "'both': shown as written, embedded as records.",
    ),
]
RecordFormats = Annotated[
    str | None,
    typer.Option(
        "--record-format",
        help="JSON, YAML, TOML, INI and XML: 'both': shown as written, embedded as lines of keys "
        "and values; 'written': embedded as written too.",
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
Paths = Annotated[
    list[Path],
    typer.Argument(
        help="Files and folders.", parser=existing_path, metavar="PATH", show_default=False
    ),
]
ReadAs = Annotated[str | None, typer.Option("--read-as", help="Read every file as this format.")]
SPLITTER_HELP = (
    "structchunk, langchain:CLASS(...), llamaindex:CLASS(...), MODULE:CALLABLE; "
    "langchain or llamaindex alone for what they advise."
)


def settings_of(**given: Any) -> dict[str, Any]:
    """What was given on the command line, as arguments of the chunker; it knows the defaults."""
    return {name: value for name, value in given.items() if value is not None}


def profile_setting(given: str | None) -> bool | str | None:
    """The setting that a word on the command line stands for."""
    words: dict[str, bool | str] = {"split": True, "always": "always", "no": False}
    if given is not None and given not in words:
        raise typer.BadParameter(
            f"{visible(given)!r} is none of 'split', 'always', 'no'.", param_hint="--table-profile"
        )
    return None if given is None else words[given]


@contextmanager
def errors_as_usage() -> Iterator[None]:
    """Wrong settings and missing installations end the command with their message and 2."""
    try:
        yield
    except (ConfigurationError, MissingDependencyError) as error:
        typer.echo(f"Error: {error}", err=True)
        raise typer.Exit(WRONG_USAGE) from None
    except StructchunkError as error:
        typer.echo(f"Error: {error}", err=True)
        raise typer.Exit(FAILED) from None


def reason_of(error: OSError | NotTextError) -> str:
    """Why a file could not be read, in a few words."""
    return (isinstance(error, OSError) and error.strerror) or str(error)
