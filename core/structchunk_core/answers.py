"""Answers of a model kept in a file, from run to run: a table of SQLite from keys to answers."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3

_SECONDS_TO_LOCK = 30.0


def kept_answers(cache: str, keys: Sequence[str]) -> dict[str, str]:
    """What is kept in the file; nothing, with a warning, when it cannot be read."""
    import sqlite3

    found: dict[str, str] = {}
    try:
        with closing(_opened(cache)) as store:
            for key in keys:
                row = store.execute("SELECT answer FROM answers WHERE key = ?", (key,)).fetchone()
                if row is not None:
                    found[key] = str(row[0])
    except (sqlite3.Error, OSError) as error:
        _warn_about(cache, "read", error)
        return {}
    return found


def keep_answers(cache: str, answers: Mapping[str, str]) -> None:
    """Keep the answers; when that cannot be done, they are lost with a warning."""
    import sqlite3

    rows: Iterable[tuple[str, str]] = answers.items()
    try:
        with closing(_opened(cache)) as store, store:
            store.executemany("INSERT OR REPLACE INTO answers VALUES (?, ?)", rows)
    except (sqlite3.Error, OSError, UnicodeEncodeError) as error:
        _warn_about(cache, "written", error)


def _warn_about(cache: str, done: str, error: Exception) -> None:
    """Say it: every question may cost money, and is asked again."""
    warnings.warn(
        f"the cache of answers {cache!r} cannot be {done} ({error}): questions are asked again",
        stacklevel=2,
    )


def _opened(cache: str) -> sqlite3.Connection:
    import sqlite3

    store = sqlite3.connect(cache, timeout=_SECONDS_TO_LOCK)
    store.execute("CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, answer TEXT NOT NULL)")
    return store
