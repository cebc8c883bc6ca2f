"""Everything that has to hold before a change goes in: lint, format, types, tests.

``python -m tests`` stops at the first step that fails, with its exit code. Arguments are handed
to pytest: ``python -m tests -k stitching``.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

STEPS = (
    ("ruff", "check"),
    ("ruff", "format", "--check"),
    ("mypy",),
    ("pytest", "-n", "auto"),
)


def main(arguments: list[str]) -> int:
    """Run the steps in order; the exit code of the first that fails, else 0."""
    for step in STEPS:
        command = [*step, *arguments] if step[0] == "pytest" else list(step)
        print("$", *command, flush=True)
        done = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, check=False)
        if done.returncode:
            print(f"failed: {' '.join(command)} (exit code {done.returncode})", flush=True)
            return done.returncode
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
