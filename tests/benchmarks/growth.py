"""How the cost of a document grows with its length, for every kind of document.

    python -m tests.benchmarks.growth [--quick] [--json FILE] [--kind KIND ...] [--megabytes N]
        [--gigatoken]

Each kind is made in lengths from 10 KB on, ten times as long each time, and chunked in a process of
its own. What is printed is processor time for each megabyte, the largest of these times over the
smallest, and the peak memory of the process over the length of the longest document. The first
document of a process is a small one, so that loading grammars and encodings is not counted. Tokens
are read by tiktoken, or all of them by gigatoken (extra ``fast``).
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from structchunk_core import Chunker
from structchunk_core.encoding_files import load_encoding
from structchunk_core.fast_tokens import PAYS_FROM
from structchunk_core.sizing import DEFAULT_ENCODING

_KILOBYTE, _MEGABYTE = 1_000, 1_000_000
_ENOUGH = 0.3  # seconds that a length is measured for at least, however short the document
# fmt: off
_WORDS = (
    "account", "archive", "basket", "border", "branch", "budget", "carrier", "catalogue", "charge",
    "column", "contract", "corner", "delivery", "deposit", "device", "discount", "document",
    "engine", "entry", "export", "filter", "folder", "freight", "harbour", "invoice", "journal",
    "keeper", "label", "ledger", "margin", "market", "message", "method", "number", "option",
    "order", "parcel", "payment", "permit", "pocket", "price", "process", "product", "profile",
    "quarter", "receipt", "record", "refund", "region", "report", "return", "route", "sample",
    "schedule", "section", "sender", "service", "shelf", "signal", "stock", "storage", "supplier",
    "surface", "system", "table", "target", "ticket", "transfer", "update", "value", "vendor",
    "voucher", "weight",
)
# fmt: on


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="up to 1 MB")
    parser.add_argument("--megabytes", type=float, help="length of the longest document")
    parser.add_argument("--kind", action="append", choices=sorted(KINDS))
    parser.add_argument("--json", type=Path, help="write the results there")
    parser.add_argument("--gigatoken", action="store_true", help="instead of tiktoken")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    longest = arguments.megabytes or (1.0 if arguments.quick else 50.0)
    lengths = [10 * _KILOBYTE]
    while lengths[-1] * 10 < longest * _MEGABYTE:
        lengths.append(lengths[-1] * 10)
    lengths.append(int(longest * _MEGABYTE))
    if arguments.child:
        print(json.dumps(_measured(arguments.child, lengths, fast=arguments.gigatoken)))
        return
    results = {}
    heads = "".join(f"{_name(length):>10}" for length in lengths)
    print(f"{'s/MB':<14}{heads}{'ratio':>8}{'memory':>9}")
    for kind in arguments.kind or KINDS:
        results[kind] = result = _in_a_process(kind, longest, arguments.gigatoken)
        times = result["seconds_per_megabyte"]
        cells = "".join(f"{seconds:>10.3f}" for seconds in times)
        ratio = f"{max(times) / min(times):.1f}x"
        print(f"{kind:<14}{cells}{ratio:>8}{result['memory_ratio']:>8.1f}x", flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1))


def _in_a_process(kind: str, longest: float, fast: bool) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.benchmarks.growth", "--child", kind]
    command += ["--megabytes", str(longest), *(["--gigatoken"] if fast else [])]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def _measured(kind: str, lengths: list[int], *, fast: bool) -> dict[str, Any]:
    """The times, and how much the memory grew beyond what the process had before, per length."""
    name, make = KINDS[kind]
    encoding = load_encoding(DEFAULT_ENCODING)
    chunker = Chunker(tokenizer=DEFAULT_ENCODING if fast else encoding)
    if fast:
        chunker.count("word " * PAYS_FROM)  # from now on it reads
    chunker.chunk(make(random.Random(1), 2 * _KILOBYTE), path=name)
    before = peak_memory()
    times = []
    for length in lengths:
        text = make(random.Random(length), length)
        megabytes = len(text.encode()) / _MEGABYTE
        begin = time.process_time()
        rounds = 0
        while not rounds or time.process_time() - begin < _ENOUGH:
            chunker.chunk(text, path=name)
            rounds += 1
        times.append((time.process_time() - begin) / rounds / megabytes)
    return {
        "lengths": lengths,
        "seconds_per_megabyte": times,
        "memory_ratio": (peak_memory() - before) / lengths[-1],
    }


def peak_memory() -> int:
    """The most memory this process has had, in bytes."""
    import resource

    with suppress(OSError):  # Linux counts what the parent had into the figure that all have
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _name(length: int) -> str:
    return f"{length // _MEGABYTE} MB" if length >= _MEGABYTE else f"{length // _KILOBYTE} KB"


def _until(length: int, part: Callable[[int], str]) -> str:
    """Numbered parts until they are so many characters."""
    parts: list[str] = []
    total = 0
    while total < length:
        parts.append(part(len(parts)))
        total += len(parts[-1])
    return "".join(parts)


def _sentence(draw: random.Random) -> str:
    words = draw.choices(_WORDS, k=draw.randint(5, 16))
    return " ".join(words).capitalize() + "."


def _paragraph(draw: random.Random) -> str:
    return " ".join(_sentence(draw) for _ in range(draw.randint(2, 6)))


def _python(draw: random.Random, length: int) -> str:
    def part(number: int) -> str:
        name = "_".join(draw.choices(_WORDS, k=2))
        lines = [
            f'def {name}_{number}({draw.choice(_WORDS)}, limit=3):\n    """{_sentence(draw)}"""\n'
        ]
        for _ in range(draw.randint(2, 14)):
            first, second, third = draw.choices(_WORDS, k=3)
            lines.append(f"    {first} = {second}({third}, limit + {draw.randint(1, 99)})\n")
        lines.append(f"    return {draw.choice(_WORDS)}\n\n\n")
        return "".join(lines)

    return "import os\n\n\n" + _until(length, part)


def _c(draw: random.Random, length: int) -> str:
    def part(number: int) -> str:
        body = "".join(
            f"    {draw.choice(_WORDS)} = {draw.choice(_WORDS)}(a, {draw.randint(1, 99)});\n"
            for _ in range(draw.randint(2, 14))
        )
        return (
            f"/* {_sentence(draw)} */\nint {draw.choice(_WORDS)}_{number}(int a)\n{{\n{body}}}\n\n"
        )

    return _until(length, part)


def _minified(draw: random.Random, length: int) -> str:
    def part(number: int) -> str:
        first, second, third = draw.choices(_WORDS, k=3)
        return f"function {first}{number}(a,b){{var c={second}(a);return c>{number}?{third}(b):c}}"

    return _until(length, part)


def _markdown(draw: random.Random, length: int) -> str:
    def part(number: int) -> str:
        kind = number % 5
        if kind == 0:
            return f"## {_sentence(draw)[:-1]} {number}\n\n"
        if kind == 1:
            return "".join(f"- {_sentence(draw)}\n" for _ in range(5)) + "\n"
        if kind == 2:
            return f"```python\n{draw.choice(_WORDS)} = {number}\nprint({number})\n```\n\n"
        return _paragraph(draw) + "\n\n"

    return "# Guide\n\n" + _until(length, part)


def _html(draw: random.Random, length: int) -> str:
    def part(number: int) -> str:
        kind = number % 4
        if kind == 0:
            return f"<h2>{_sentence(draw)} {number}</h2>\n"
        if kind == 1:
            return "<ul>" + "".join(f"<li>{_sentence(draw)}</li>\n" for _ in range(5)) + "</ul>\n"
        return f"<p>{_paragraph(draw)} <a href='{number}'>{draw.choice(_WORDS)}</a></p>\n"

    return f"<html><body><h1>Guide</h1>\n{_until(length, part)}</body></html>\n"


def _csv(draw: random.Random, length: int) -> str:
    def part(number: int) -> str:
        words = draw.choices(_WORDS, k=2)
        return f"{number},{words[0]},{words[1]},{draw.randint(1, 9999)},{draw.random():.3f}\n"

    return "number,name,kind,amount,share\n" + _until(length, part)


def _json(draw: random.Random, length: int) -> str:
    def part(number: int) -> str:
        words = draw.choices(_WORDS, k=3)
        record = {"id": number, "name": words[0], "tags": words[1:], "note": _sentence(draw)}
        return ("" if number == 0 else ",\n") + json.dumps(record)

    return f"[{_until(length, part)}]\n"


def _text(draw: random.Random, length: int) -> str:
    return _until(length, lambda _number: _paragraph(draw) + "\n\n")


def _one_line(draw: random.Random, length: int) -> str:
    return _until(length, lambda _number: _sentence(draw) + " ")


def _no_spaces(draw: random.Random, length: int) -> str:
    return _until(length, lambda _number: draw.choice(_WORDS))


KINDS: dict[str, tuple[str, Callable[[random.Random, int], str]]] = {
    "Python": ("a.py", _python),
    "C": ("a.c", _c),
    "minified JS": ("a.js", _minified),
    "Markdown": ("a.md", _markdown),
    "HTML": ("a.html", _html),
    "CSV": ("a.csv", _csv),
    "JSON": ("a.json", _json),
    "text": ("a.txt", _text),
    "one line": ("a.txt", _one_line),
    "no spaces": ("a.txt", _no_spaces),
}
"""The kinds of documents: a file name, and what makes one of about so many characters."""


if __name__ == "__main__":
    main()
