"""Runs of the command, in this process and in one of their own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from structchunk_core.commands import application

ORDERS = '''"""Orders."""

import decimal


class Order:
    """An order."""

    def total(self) -> decimal.Decimal:
        """What is to be paid."""
        return decimal.Decimal(1)
'''
BIG = "def big(numbers):\n" + "".join(f"    numbers.append({n} * {n})\n" for n in range(400))


def project_in(folder: Path) -> Path:
    """A folder of files as they come: one that is ignored, an image, an empty one, a link."""
    root = folder / "project"
    (root / "src").mkdir(parents=True)
    (root / "src" / "orders.py").write_text(ORDERS)
    (root / "big.py").write_text(BIG)
    (root / "notes.txt").write_text("Größe zählt.\n" * 3, encoding="latin-1")
    (root / "image.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0")
    (root / "empty.py").touch()
    (root / ".gitignore").write_text("*.log\n")
    (root / "x.log").write_text("nothing")
    (root / "link.py").symlink_to(root / "big.py")
    return root


def invoke(*arguments: object) -> Any:
    """Run the command in this process."""
    return CliRunner().invoke(application, [str(argument) for argument in arguments])


def run(*arguments: object, **options: Any) -> subprocess.CompletedProcess[bytes]:
    """Run the command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "structchunk_core", *map(str, arguments)],
        check=False,
        capture_output=True,
        timeout=120,
        **options,
    )


def records(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data.decode().splitlines()]
