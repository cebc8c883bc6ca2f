"""Counting work: how often something is called, and with how much."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from structchunk_core.grammars import parse_bytes


class Counter:
    """The lengths of what some functions were given."""

    def __init__(self) -> None:
        self.lengths: list[int] = []

    def counted(self, function: Callable[..., Any], argument: int) -> Callable[..., Any]:
        """The function, with the length of one of its arguments noted at each call."""

        def call(*arguments: Any, **named: Any) -> Any:
            self.lengths.append(len(arguments[argument]))
            return function(*arguments, **named)

        return call


def counted_parses(monkeypatch: pytest.MonkeyPatch) -> Counter:
    """The lengths, in bytes, of all source code that is parsed from now on."""
    counter = Counter()
    counted = counter.counted(parse_bytes, 0)
    monkeypatch.setattr("structchunk_core.formats.code.parse_bytes", counted)
    return counter
