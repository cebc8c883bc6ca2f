"""Annotations of what is public can be resolved at run time, as tools for interfaces do."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import pytest

PACKAGES = ("structchunk_core", "structchunk_langchain", "structchunk_llamaindex")
OWN = tuple(f"{name}." for name in PACKAGES)


def _annotated() -> Iterator[tuple[str, Any]]:
    """Every public class and function, and the public methods that are ours."""
    for package in PACKAGES:
        module = import_module(package)
        for name in module.__all__:
            found = getattr(module, name)
            yield f"{package}.{name}", found
            if not isinstance(found, type):
                continue
            for base in found.__mro__:
                if not base.__module__.startswith(OWN):
                    continue
                for member, value in vars(base).items():
                    if member.startswith("_") and member not in {"__init__", "__call__"}:
                        continue
                    function = _function(value)
                    if function is not None and function.__module__ == base.__module__:
                        yield f"{package}.{name}.{member} of {base.__name__}", function


def _function(value: Any) -> Callable[..., Any] | None:
    """The function behind a member of a class, or None."""
    if isinstance(value, property):
        value = value.fget
    value = getattr(value, "__func__", value)
    return value if inspect.isroutine(value) else None


ANNOTATED = dict(_annotated())


@pytest.mark.parametrize("name", ANNOTATED)
def test_annotations_are_resolved(name: str) -> None:
    typing.get_type_hints(ANNOTATED[name])


def test_methods_are_among_them() -> None:
    assert "structchunk_core.Chunker.hierarchy of Chunker" in ANNOTATED
    assert len(ANNOTATED) > 80
