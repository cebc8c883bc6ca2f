"""Fragile grammars: what hangs or crashes does so in another process."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from structchunk_core import Chunker, guard
from structchunk_core.grammars import ParseTimeoutError, find_grammar, parse_bytes
from structchunk_core.profiles import others, profile, profiled_languages
from tests.benchmarks.sweep import Noise, noise_text
from tests.promises import check_promises

WORST = {
    "agda": Noise("nested", 60_000, 1),
    "cobol": Noise("nested", 100, 0),
    "d": Noise("bytes", 1_000, 2),
    "fsharp": Noise("shuffled", 60_000, 5),
    "janet": Noise("nested", 60_000, 0),
    "perl": Noise("printable", 100, 1),
    "purescript": Noise("bytes", 60_000, 4),
    "scala": Noise("bytes", 60_000, 3),
    "typst": Noise("nested", 1_000, 1),
    "v": Noise("bytes", 10_000, 3),
}
"""For each fragile grammar what it does not survive; found by ``tests.benchmarks.sweep``."""

SOMETIMES = frozenset({"d", "fsharp", "purescript", "scala", "v"})
"""Those that may go on for a while: they read memory that is not theirs, or give none back."""

PERL = "sub f {\n    my $x = shift;\n    return $x + 1;\n}\n\n" * 5


def survives(language: str, text: bytes, seconds: float) -> bool:
    data, grammar = profile(language), find_grammar(language)
    tree, _ = guard.parse_elsewhere(data, text, grammar, seconds)
    return tree is not None


def _helper_process() -> int:
    return guard._helpers[os.getpid()].process.pid


@pytest.fixture
def new_helper() -> Iterator[None]:
    """A helper made under the settings of the test, and gone behind it."""

    def stop() -> None:
        helper = guard._helpers.get(os.getpid())
        if helper is not None:
            guard._stop(helper)

    stop()
    yield
    stop()


def test_what_the_helper_survives_is_parsed_with_one_helper_for_all() -> None:
    assert survives("perl", PERL.encode(), 10)
    first = _helper_process()
    assert survives("cobol", b"       IDENTIFICATION DIVISION.\n", 10)
    assert _helper_process() == first
    chunks = Chunker(chunk_size=32).chunk(PERL, path="a.pl")
    assert not any(chunk.problems for chunk in chunks)
    assert chunks[0].language == "perl"


@pytest.mark.parametrize("seconds", [1, 10**10, 1e300])
def test_any_time_may_be_given(seconds: float) -> None:
    chunks = Chunker(chunk_size=32, parse_seconds=seconds).chunk(PERL, path="a.pl")
    assert not any(chunk.problems for chunk in chunks)


def test_a_helper_that_dies_costs_the_structure_and_nothing_else() -> None:
    assert survives("perl", b"1;\n", 10)
    helper = guard._helpers[os.getpid()].process
    helper.kill()
    helper.wait()
    assert survives("perl", b"1;\n", 10), "a new one is started"


def test_a_helper_that_does_not_answer_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    assert survives("perl", b"1;\n", 10)
    stuck = _helper_process()
    os.kill(stuck, signal.SIGSTOP)
    monkeypatch.setattr(guard, "_GRACE", 0.1)
    monkeypatch.setattr(guard, "_START", 0.1)
    assert not survives("perl", b"1;\n", 0.2)
    with pytest.raises(ProcessLookupError):
        os.kill(stuck, 0)
    monkeypatch.undo()
    assert survives("perl", b"1;\n", 10)


def test_a_helper_that_needs_too_much_memory_ends(
    monkeypatch: pytest.MonkeyPatch, new_helper: None
) -> None:
    calls = b"f(1, 2)\n" * 100_000
    monkeypatch.setattr(guard, "_MEMORY", 100 << 20)
    assert not survives("python", calls, 60)
    monkeypatch.undo()
    assert survives("python", calls, 60), "it was the memory"


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"


def _wait_for_the_end(process: int) -> None:
    for _ in range(600):
        if not _is_running(process):
            return
        time.sleep(0.1)
    pytest.fail("the helper outlives its parent")


_PARENT = """
import os, sys, threading
from structchunk_core import guard
from structchunk_core.grammars import find_grammar
from structchunk_core.profiles import profile
guard._GRACE = 1.0
perl = profile("perl"), b"1;", find_grammar("perl"), 10
assert guard.parse_elsewhere(*perl)[0] is not None
print(guard._helpers[os.getpid()].process.pid, flush=True)
noise = sys.stdin.buffer.read()
if noise:
    asked = perl[0], noise, perl[2], 0.5
    threading.Thread(target=guard.parse_elsewhere, args=asked, daemon=True).start()
    threading.Event().wait(2)
os._exit(1)
"""


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="tells by /proc what runs")
@pytest.mark.parametrize("language", ["", "perl"])
def test_a_helper_ends_with_its_parent_even_while_it_hangs(language: str) -> None:
    noise = noise_text(language, WORST[language]).encode() if language else b""
    done = subprocess.run(
        [sys.executable, "-c", _PARENT], input=noise, stdout=subprocess.PIPE, check=False
    )
    assert done.returncode == 1
    _wait_for_the_end(int(done.stdout))


def test_a_process_that_was_forked_has_a_helper_of_its_own() -> None:
    assert survives("perl", b"1;\n", 10)
    mine = _helper_process()
    context = multiprocessing.get_context("fork")
    with context.Pool(1) as pool:
        other = pool.apply(_helper_after_asking)
    assert other not in (0, mine)
    assert _helper_process() == mine
    assert survives("perl", b"1;\n", 10)


def _helper_after_asking() -> int:
    return _helper_process() if survives("perl", b"1;\n", 10) else 0


def test_modules_in_the_working_folder_do_not_get_into_the_helper(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, new_helper: None
) -> None:
    (tmp_path / "signal.py").write_text("raise SystemExit('not this one')\n")
    monkeypatch.chdir(tmp_path)
    assert survives("perl", b"1;\n", 10)


def test_a_frozen_program_does_not_start_itself_again(
    monkeypatch: pytest.MonkeyPatch, new_helper: None
) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert not survives("perl", b"1;\n", 10)
    assert guard._helpers == {}


def test_every_fragile_grammar_has_its_worst_noise_here() -> None:
    languages = (*others(), *profiled_languages())
    assert {language for language in languages if profile(language).fragile} == set(WORST)


@pytest.mark.parametrize("language", WORST)
def test_no_noise_takes_down_or_hangs_the_caller(
    language: str, monkeypatch: pytest.MonkeyPatch, new_helper: None
) -> None:
    monkeypatch.setattr(guard, "_GRACE", 0.5)
    text = noise_text(language, WORST[language])
    chunker = Chunker(tokenizer="characters", chunk_size=1000, parse_seconds=2)
    chunks = chunker.chunk(text, language=language)
    check_promises(text, chunks, chunker)
    codes = {problem.code for chunk in chunks for problem in chunk.problems}
    if language in SOMETIMES:
        codes -= {"syntax-error"}
        codes |= {"parse-timeout"}
    assert codes == {"parse-timeout"}
    assert survives(language, b"\n", 10), "a new helper goes on"


def test_what_is_not_survived_is_cut_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "parse_elsewhere", lambda *_: (None, 0.0))
    chunker = Chunker(chunk_size=32)
    chunks = chunker.chunk(PERL, path="a.pl")
    check_promises(PERL, chunks, chunker)
    assert {problem.code for chunk in chunks for problem in chunk.problems} == {"parse-timeout"}


def test_a_slow_parse_is_stopped() -> None:
    text = "".join(f"<{n}>(]{{'\"`\\ %&/" for n in range(60_000)).encode()
    with pytest.raises(ParseTimeoutError):
        parse_bytes(text, find_grammar("go"), 0.2)


def test_a_document_whose_parse_is_stopped_keeps_its_promises() -> None:
    text = "def f(a):\n    return a\n\n\n" * 4000
    chunker = Chunker(parse_seconds=0.000_001)
    chunks = chunker.chunk(text, path="a.py")
    check_promises(text, chunks, chunker)
    assert {problem.code for chunk in chunks for problem in chunk.problems} == {"parse-timeout"}
