"""``python -m structchunk_core``: the command line."""

from __future__ import annotations

from structchunk_core.cli import main

if __name__ == "__main__":
    main()
