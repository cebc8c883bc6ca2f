"""Fragile grammars: what hangs or crashes does so in another process."""

from __future__ import annotations

import os
import signal

import pytest

from structchunk_core import Chunker, guard
from structchunk_core.grammars import ParseTimeoutError, find_grammar, parse_bytes
from tests.promises import check_promises

PERL = "sub f {\n    my $x = shift;\n    return $x + 1;\n}\n\n" * 5


def _helper_process() -> int:
    return guard._helpers[os.getpid()].pid


def test_what_the_helper_survives_is_parsed_with_one_helper_for_all() -> None:
    assert guard.survives("perl", PERL.encode(), 10)
    first = _helper_process()
    assert guard.survives("cobol", b"       IDENTIFICATION DIVISION.\n", 10)
    assert _helper_process() == first
    chunks = Chunker(chunk_size=32).chunk(PERL, path="a.pl")
    assert not any(chunk.problems for chunk in chunks)
    assert chunks[0].language == "perl"


@pytest.mark.parametrize("seconds", [1, 10**10, 1e300])
def test_any_time_may_be_given(seconds: float) -> None:
    chunks = Chunker(chunk_size=32, parse_seconds=seconds).chunk(PERL, path="a.pl")
    assert not any(chunk.problems for chunk in chunks)


def test_a_helper_that_dies_costs_the_structure_and_nothing_else() -> None:
    assert guard.survives("perl", b"1;\n", 10)
    helper = guard._helpers[os.getpid()]
    helper.kill()
    helper.wait()
    assert guard.survives("perl", b"1;\n", 10), "a new one is started"


def test_a_helper_that_does_not_answer_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    assert guard.survives("perl", b"1;\n", 10)
    stuck = _helper_process()
    os.kill(stuck, signal.SIGSTOP)
    monkeypatch.setattr(guard, "_GRACE", 0.3)
    assert not guard.survives("perl", b"1;\n", 0.2)
    with pytest.raises(ProcessLookupError):
        os.kill(stuck, 0)
    monkeypatch.undo()
    assert guard.survives("perl", b"1;\n", 10)


def test_what_is_not_survived_is_cut_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "survives", lambda *_: False)
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
