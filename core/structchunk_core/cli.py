"""The command ``structchunk``; what it needs beyond the base install comes with an extra."""

from __future__ import annotations

import importlib
import importlib.util
import io
import os
import sys
from contextlib import suppress

_NEEDED = ("typer", "rich", "charset_normalizer")
_FAILED = 1
_WRONG_USAGE = 2


def main() -> None:
    """Run the command with the arguments of the process, and leave with its exit code.

    Raises:
        SystemExit: always. 0 done; 1 some files could not be read, or the output could not be
            written; 2 wrong usage, or something has to be installed first: the message holds
            the command; 130 after Ctrl-C.
    """
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        sys.stderr.write(
            f"structchunk needs {', '.join(missing)}, which the base install does not bring:\n"
            "  pip install 'structchunk-parsers[cli]'\n"
        )
        sys.exit(_WRONG_USAGE)
    from structchunk_core.commands import application

    for name in ("audit_commands", "view_commands"):  # they add theirs
        importlib.import_module(f"structchunk_core.{name}")

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # whatever the terminal speaks, print something
            stream.reconfigure(errors="backslashreplace")
    try:
        try:
            application()
        except SystemExit:
            _flush()  # here, where it may still fail with a message
            raise
    except OSError as error:
        if error.filename is not None:  # not about standard output: a defect of ours
            raise
        _give_up(error)


def _flush() -> None:
    if sys.stdout is not None:  # None when the process was started with it closed
        sys.stdout.flush()


def _give_up(error: OSError) -> None:
    """Leave because standard output takes nothing more (its disk is full, its reader gone)."""
    with suppress(OSError):
        if not isinstance(error, BrokenPipeError):
            sys.stderr.write(f"Error: cannot write to standard output: {error.strerror}\n")
    with suppress(OSError, ValueError):  # what is left would fail once more when Python ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(_FAILED)
