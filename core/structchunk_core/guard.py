"""Grammars that may hang or crash are tried out in another process first.

Some grammars bring scanners in C that never come back from, or fall over, certain noise; nothing
inside the process can stop them. A document of such a language is therefore parsed once in a
helper process, which may die; only what it survives is parsed here. One helper serves a process,
is started when first needed, and ends with its parent.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import threading
from contextlib import suppress

_GRACE = 5.0  # seconds to start and to answer, on top of those for parsing
_LONGEST = 1e6  # seconds that every system can wait for
_MEMORY = 4 << 30
_ALIVE = b"k"
_LOCK = threading.Lock()
_helpers: dict[int, subprocess.Popen[bytes]] = {}  # by process: a fork must not share one


def survives(language: str, data: bytes, seconds: float) -> bool:
    """Whether the installed grammar parses the bytes in time and without falling over."""
    seconds = min(seconds, _LONGEST)
    with _LOCK:
        helper = _helper_or_none()
        if helper is None:
            return False
        answer: list[bytes] = []
        talk = threading.Thread(
            target=_ask, args=(helper, language, data, seconds, answer), daemon=True
        )
        talk.start()
        talk.join(seconds + _GRACE)
        if answer == [_ALIVE]:
            return True
        _stop(helper)
        talk.join(1.0)
        return False


def _ask(
    helper: subprocess.Popen[bytes],
    language: str,
    data: bytes,
    seconds: float,
    answer: list[bytes],
) -> None:
    assert helper.stdin is not None
    assert helper.stdout is not None
    with suppress(OSError, ValueError):  # it died, or was stopped: there is no answer
        helper.stdin.write(f"{language} {seconds} {len(data)}\n".encode() + data)
        helper.stdin.flush()
        answer.append(helper.stdout.read(1))


def _helper_or_none() -> subprocess.Popen[bytes] | None:
    helper = _helpers.get(os.getpid())
    if helper is not None and helper.poll() is None:
        return helper
    if not sys.executable:
        return None
    paths = os.pathsep.join(path for path in sys.path if path)
    try:
        helper = subprocess.Popen(
            [sys.executable, "-c", "from structchunk_core.guard import serve; serve()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": paths},
        )
    except OSError:
        return None
    _helpers[os.getpid()] = helper
    atexit.register(_stop, helper)
    return helper


def _stop(helper: subprocess.Popen[bytes]) -> None:
    if _helpers.get(os.getpid()) is helper:
        del _helpers[os.getpid()]
    with suppress(OSError):
        helper.kill()
        helper.wait()


def serve() -> None:
    """Parse what comes on standard input and say so; the helper's whole life."""
    from structchunk_core.grammars import ParseTimeoutError, find_grammar, parse_bytes

    _limit_memory()
    requests = sys.stdin.buffer
    while header := requests.readline():
        language, seconds, length = header.decode().split()
        data = requests.read(int(length))
        _alarm(float(seconds) + _GRACE)
        answer = _ALIVE
        try:
            parse_bytes(data, find_grammar(language), float(seconds))
        except ParseTimeoutError:
            answer = b"t"
        _alarm(0)
        sys.stdout.buffer.write(answer)
        sys.stdout.buffer.flush()


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # not on Windows, where only the time is limited
        return
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


def _alarm(seconds: float) -> None:
    """Let the system end this process then, even when its parent is gone and it hangs in C."""
    import signal

    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)
