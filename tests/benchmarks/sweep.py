"""Which grammars hang, crash or fill the memory: noise for each, in disposable processes.

    python -m tests.benchmarks.sweep [--language NAME ...] [--seeds N] [--minutes N] [--again]

A grammar that is slow is stopped by its progress callback and does no harm. One that never comes
back from its scanner, ends the process or never gives its memory back does; its profile has to say
``fragile = true``.
What was found is written to a file beside the temporary files, one line for each grammar, so that
a sweep that was stopped goes on where it was; a new release of the pack has a file of its own.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from structchunk_core.grammars import ParseTimeoutError, find_grammar, parse_bytes
from structchunk_core.profiles import profile
from tests.generators import FRAGMENTS

SECONDS = 1.0
"""Processor time for one parse, after which its progress callback says stop."""

_GRACE = 3  # seconds beyond that, after which the grammar hangs
_MEMORY = 4 << 30
_ENOUGH = 3  # times slow: more of that kind, and larger, would only be slow again
_FAILURES = 3  # after so many a grammar needs no more proof
_SIZES = (100, 1_000, 10_000, 60_000)
_WALL = 1800.0


class Noise(NamedTuple):
    """What a grammar is given: made again from these three."""

    kind: str
    size: int
    seed: int


def noises(seeds: int) -> Iterator[Noise]:
    """Everything that a grammar is given, the small first."""
    for size in _SIZES:
        for seed in range(seeds):
            for kind in _KINDS:
                yield Noise(kind, size, seed)


def noise_text(language: str, noise: Noise) -> str:
    """The text of a noise, of about its size in characters; the same in every process."""
    chance = random.Random(f"{noise.kind} {noise.size} {noise.seed}")
    return _KINDS[noise.kind](chance, language, noise.size)[: noise.size]


def _printable(chance: random.Random, _language: str, size: int) -> str:
    return "".join(chance.choices([chr(code) for code in (9, 10, *range(32, 127))], k=size))


def _bytes(chance: random.Random, _language: str, size: int) -> str:
    return chance.randbytes(size).decode("latin-1" if size % 2 else "utf-8", "replace")


def _unicode(chance: random.Random, _language: str, size: int) -> str:
    codes = [chance.choice((0x20, 0x300, 0x3040, 0x1F300, 0xFFF0)) for _ in range(size)]
    return "".join(chr(code + chance.randrange(100)) for code in codes)


def _words(chance: random.Random, language: str, size: int) -> str:
    """The keywords and marks of the grammar in any order."""
    tokens = _tokens(language)
    pieces: list[str] = []
    length = 0
    while length < size:
        pieces.append(chance.choice(tokens) + chance.choice(("", "", " ", "\n", "\n  ")))
        length += len(pieces[-1]) + 1
    return "".join(pieces)


def _nested(chance: random.Random, language: str, size: int) -> str:
    """One or two marks that may open something, again and again."""
    tokens = _tokens(language)
    unit = "".join(chance.choice(tokens) for _ in range(chance.randint(1, 2)))
    unit += chance.choice(("", " ", "\n"))
    return unit * (size // len(unit) + 1)


def _shuffled(chance: random.Random, language: str, size: int) -> str:
    """Real lines of the language, or of others, in any order and some of them cut."""
    names = [language] if language in FRAGMENTS else sorted(FRAGMENTS)
    lines = [line for name in names for text in FRAGMENTS[name] for line in text.split("\n")]
    pieces: list[str] = []
    length = 0
    while length < size:
        line = chance.choice(lines)
        words = line.split(" ")
        if chance.random() < 0.5:
            chance.shuffle(words)
        line = " ".join(words)[: chance.choice((len(line), len(line) // 2))]
        pieces.append(line + chance.choice(("\n", "\n", " ")))
        length += len(pieces[-1])
    return "".join(pieces)


_KINDS: Mapping[str, Callable[[random.Random, str, int], str]] = {
    "printable": _printable,
    "bytes": _bytes,
    "unicode": _unicode,
    "words": _words,
    "nested": _nested,
    "shuffled": _shuffled,
}
_OPENERS = ("(", "[", "{", "<", '"', "'", "`", "/*", "<!--", "$(", "${", "<<EOF\n", "x", "1", "  ")


def _tokens(language: str) -> Sequence[str]:
    """The words and marks that the grammar knows, and what opens something in most languages."""
    grammar = find_grammar(language)
    kinds = (
        grammar.node_kind_for_id(number)
        for number in range(grammar.node_kind_count)
        if not grammar.node_kind_is_named(number)
    )
    return sorted({kind for kind in kinds if kind and len(kind) < 30} | set(_OPENERS))


# The processes


def main() -> None:
    """Sweep, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--language", action="append", help="of the pack; all when not given")
    parser.add_argument("--seeds", type=int, default=6, help="for each kind and size of noise")
    parser.add_argument("--minutes", type=float, default=math.inf, help="then stop; go on later")
    parser.add_argument("--again", action="store_true", help="forget what was found before")
    parser.add_argument("--worker", type=int, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.worker is not None:
        _parse_noises(chosen.language[0], chosen.seeds, chosen.worker)
        return
    release = version("tree-sitter-language-pack")
    store = Path(tempfile.gettempdir()) / f"structchunk-sweep-{release}-{chosen.seeds}.jsonl"
    if chosen.again:
        store.unlink(missing_ok=True)
    lines = store.read_text("utf-8").splitlines() if store.exists() else []
    found = {line["language"]: line for line in map(json.loads, lines)}
    deadline = time.monotonic() + chosen.minutes * 60
    languages = chosen.language or installed_languages()
    for number, language in enumerate(languages, 1):
        if language not in found:
            if time.monotonic() > deadline:
                break
            found[language] = _sweep(language, chosen.seeds)
            with store.open("a", encoding="utf-8") as file:
                file.write(json.dumps(found[language]) + "\n")
        print(f"{number:4} {_told(found[language])}", flush=True)
    missing = [language for language in languages if language not in found]
    print(f"results in {store}; not swept yet: {len(missing)}")
    _print_marks([found[language] for language in languages if language in found])


def installed_languages() -> list[str]:
    """Every grammar of the pack that is on this machine."""
    pack = import_module("tree_sitter_language_pack")
    if hasattr(pack, "downloaded_languages"):
        return sorted(pack.downloaded_languages())
    return sorted(pack.SupportedLanguage.__args__)


def _sweep(language: str, seeds: int) -> dict[str, object]:
    """What becomes of the noises; a process that ends is started again behind its noise."""
    given = list(noises(seeds))
    failures: list[dict[str, object]] = []
    first = slow = 0
    begin = time.monotonic()
    while first < len(given) and len(failures) < _FAILURES:
        command = [sys.executable, "-m", "tests.benchmarks.sweep"]
        command += ["--language", language, "--seeds", str(seeds), "--worker", str(first)]
        try:
            done = subprocess.run(command, capture_output=True, timeout=_WALL, check=False)
            code, output = done.returncode, done.stdout
        except subprocess.TimeoutExpired as error:
            code, output = -signal.SIGKILL, error.stdout or b""
        answers = output.decode().split()
        slow += answers.count("slow")
        numbers = [int(answer) for answer in answers if answer.isdecimal()]
        if code == 0:
            break
        if not numbers:
            failures.append({"verdict": "no start", "code": code})
            break
        first = numbers[-1] + 1
        failures.append({"verdict": _verdict(code), "code": code, **given[first - 1]._asdict()})
    return {
        "language": language,
        "failures": failures,
        "slow": slow,
        "noises": len(given),
        "seconds": round(time.monotonic() - begin, 1),
    }


def _verdict(code: int) -> str:
    if code > 0:
        return "memory"  # Python itself has said that there is none left
    return "hang" if -code in {signal.SIGXCPU, signal.SIGKILL} else "crash"


def _parse_noises(language: str, seeds: int, first: int) -> None:
    """The life of a worker: parse the noises from that one on, saying each number before."""
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    grammar = find_grammar(language)
    slow: Counter[str] = Counter()
    for number, noise in enumerate(noises(seeds)):
        if number < first or slow[noise.kind] >= _ENOUGH:
            continue
        data = noise_text(language, noise).replace("\0", " ").encode("utf-8", "replace")
        print(number, flush=True)
        limit = math.ceil(time.process_time() + SECONDS) + _GRACE
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
        try:
            tree = parse_bytes(data, grammar, SECONDS)
            assert tree.root_node.end_byte <= len(data)
        except ParseTimeoutError:
            print("slow", flush=True)
            slow[noise.kind] += 1


def _told(found: Mapping[str, object]) -> str:
    failures = found["failures"]
    assert isinstance(failures, list)
    shown = "; ".join(
        f"{one['verdict']} ({one.get('kind')} {one.get('size')} {one.get('seed')}, {one['code']})"
        for one in failures
    )
    slow = f"{found['slow']} of {found['noises']} slow" if found["slow"] else ""
    return f"{found['language']:<20} {found['seconds']:>7} s  {shown or 'fine'}  {slow}"


def _print_marks(found: Sequence[Mapping[str, object]]) -> None:
    """What the profiles say beside what was found."""
    failed = {str(one["language"]) for one in found if one["failures"]}
    marked = {str(one["language"]) for one in found if profile(str(one["language"])).fragile}
    print("fragile:", " ".join(sorted(failed)) or "none")
    print("not marked so in its profile:", " ".join(sorted(failed - marked)) or "none")
    print("marked so without a failure now:", " ".join(sorted(marked - failed)) or "none")


if __name__ == "__main__":
    main()
