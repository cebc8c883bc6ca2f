"""The command ``structchunk``; what it needs beyond the base install comes with an extra."""

from __future__ import annotations

import importlib.util
import io
import sys

_NEEDED = ("typer", "rich", "charset_normalizer")
_WRONG_USAGE = 2


def main() -> None:
    """Run the command with the arguments of the process, and leave with its exit code.

    Raises:
        SystemExit: always. 0 done; 1 some files could not be read; 2 wrong usage, or something
            has to be installed first: the message holds the command.
    """
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        sys.stderr.write(
            f"structchunk needs {', '.join(missing)}, which the base install does not bring:\n"
            "  pip install 'structchunk-parsers[cli]'\n"
        )
        sys.exit(_WRONG_USAGE)
    from structchunk_core.commands import application

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # whatever the terminal speaks, print something
            stream.reconfigure(errors="backslashreplace")
    application()
