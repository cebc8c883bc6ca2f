"""Grammars that may hang or crash parse in another process, and only their trees come here.

Some grammars bring scanners in C that never come back from, or fall over, certain noise, or write
where they should not and fall over later; nothing inside the process can stop them. A document of
such a language is therefore parsed in a helper process, which may die, and which sends the tree as
plain numbers. One helper serves a process, is started when first needed, and ends with its parent.
It limits its own processor time, so that a busy machine changes nothing; that it answers at all is
waited for much longer.
"""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from structchunk_core.profiles import Profile, profile
from structchunk_core.shipped import NotATreeError, ShippedTree, packed

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Tree

_GRACE = 5.0  # seconds of processor time on top of those for parsing: the callback comes first
_PACKING = 2e-5  # of them for each byte, to pack the tree
_RESTART = 1.0  # of them that a helper costs which ended
_PATIENCE = 6  # times as long, and a little more, may pass until there is an answer
_START = 10.0  # seconds that may pass until a helper has started
_LAST_WORDS = 1.0  # seconds that may pass between the last byte and the end of a helper
_LONGEST = 1e5  # seconds that every system can wait for
_MEMORY = 4 << 30


@dataclass(slots=True, eq=False)
class _Helper:
    """A helper process; ``served`` once it has answered."""

    process: subprocess.Popen[bytes]
    served: bool = False


_helpers: dict[int, _Helper] = {}  # by process: a fork must not share one
_locks: dict[int, threading.Lock] = {}  # nor wait for a thread that it does not have


def parse_elsewhere(
    data: Profile, text: bytes, grammar: Language, seconds: float
) -> tuple[ShippedTree | None, float]:
    """The tree that the installed grammar makes of the bytes, and the processor time it took.

    There is no tree when the grammar was stopped or did not live to make one. A helper that falls
    over may have been ruined by an earlier document: then a new one has another try.

    Args:
        data: the profile of the language; its queries are answered along with the tree.
        text: what is parsed.
        grammar: the grammar, which is asked for names only.
        seconds: of processor time.
    """
    seconds = min(seconds, _LONGEST)
    spent = 0.0
    with _locks.setdefault(os.getpid(), threading.Lock()):
        while (helper := _helper_or_none()) is not None:
            is_new = not helper.served
            answer = _answer_or_none(helper, data.name, text, seconds)
            if answer is not None:
                helper.served = True
                sent, used = answer
                if not sent:
                    return None, used
                with suppress(NotATreeError):
                    return ShippedTree(sent, text, grammar, _queries(data)), spent + used
            if answer is None and _is_out_of_time(helper):
                _stop(helper)
                return None, spent + seconds
            _stop(helper)
            spent += _RESTART
            if is_new:
                break
        return None, spent


def _queries(data: Profile) -> list[str]:
    return [query for query in (data.import_names, data.calls) if query]


def _answer_or_none(
    helper: _Helper, language: str, text: bytes, seconds: float
) -> tuple[bytes, float] | None:
    """The packed tree, empty if the grammar was stopped, and the time; None if the helper ended."""
    answers: list[tuple[bytes, float]] = []

    def ask() -> None:
        requests, replies = helper.process.stdin, helper.process.stdout
        assert requests is not None
        assert replies is not None
        with suppress(OSError, ValueError):  # it died, or was stopped: there is no answer
            requests.write(f"{language} {seconds} {len(text)}\n".encode() + text)
            requests.flush()
            length, used = replies.readline().split()
            sent = replies.read(int(length))
            if len(sent) == int(length):
                answers.append((sent, float(used)))

    talk = threading.Thread(target=ask, daemon=True)
    talk.start()
    talk.join((seconds + 2 * _GRACE + len(text) * _PACKING) * _PATIENCE + _START)
    return answers[0] if answers else None


def _helper_or_none() -> _Helper | None:
    helper = _helpers.get(os.getpid())
    if helper is not None and helper.process.poll() is None:
        return helper
    if not sys.executable or getattr(sys, "frozen", False):
        return None  # the program is no Python that could run the helper
    paths = os.pathsep.join(path for path in sys.path if path)
    try:
        process = subprocess.Popen(  # noqa: S603  # this interpreter, with two numbers of ours
            [sys.executable, "-P", "-c", f"{_COMMAND}({_MEMORY}, {_GRACE})"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": paths},
        )
    except OSError:
        return None
    helper = _helpers[os.getpid()] = _Helper(process)
    atexit.register(_stop, helper)
    return helper


def _is_out_of_time(helper: _Helper) -> bool:
    """Whether it was time that ended a helper which has not answered, and not a fall."""
    with suppress(subprocess.TimeoutExpired):
        code = helper.process.wait(_LAST_WORDS)
        return code == -getattr(signal, "SIGPROF", 0)
    return True


def _stop(helper: _Helper) -> None:
    if _helpers.get(os.getpid()) is helper:
        del _helpers[os.getpid()]
    atexit.unregister(_stop)
    with suppress(OSError):
        helper.process.kill()
        helper.process.wait()


_COMMAND = "from structchunk_core.guard import serve; serve"


def serve(memory: int, grace: float) -> None:
    """Parse what comes on standard input and say so; the helper's whole life.

    Args:
        memory: bytes that it may use.
        grace: seconds of processor time for a parse on top of those it is asked for.
    """
    from structchunk_core.grammars import ParseTimeoutError

    _limit_memory(memory)
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    while header := requests.readline():
        language, seconds, length = header.decode().split()
        text = requests.read(int(length))
        begin = time.process_time()
        _alarm(float(seconds) + grace)
        try:
            tree = _parsed(language, text, float(seconds))
            _alarm(grace + len(text) * _PACKING)
            sent = packed(*tree)
        except ParseTimeoutError:
            sent = b""
        _alarm(0)
        used = time.process_time() - begin
        answers.write(b"%d %f\n" % (len(sent), used) + sent)
        answers.flush()


def _parsed(language: str, text: bytes, seconds: float) -> tuple[Tree, list[list[Node]]]:
    from structchunk_core.grammars import captures, find_grammar, parse_bytes

    grammar = find_grammar(language)
    tree = parse_bytes(text, grammar, seconds)
    queries = _queries(profile(language))
    return tree, [captures(grammar, query, tree.root_node) for query in queries]


def _limit_memory(memory: int) -> None:
    try:
        import resource
    except ImportError:  # not on Windows, where only the time is limited
        return
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _alarm(seconds: float) -> None:
    """Let the system end this process after so much processor time, even while it hangs in C."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, seconds)
