"""Descriptions of interfaces: OpenAPI, AsyncAPI and JSON Schema, as JSON or YAML.

Each operation (a path with its method) and each definition is one unit, which is not cut while it
fits. Operations are not packed with their neighbours where definitions have chunks of their own;
what is defined beside them, mostly in a few lines, is found more often together.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from structchunk_core.unit import Parsed, Unit


class _Steps(NamedTuple):
    """Keys that lead to a definition.

    Attributes:
        keys: outermost first; None: any.
        apart: whether such a definition is packed with no neighbours.
    """

    keys: tuple[frozenset[str] | None, ...]
    apart: bool = False


_NAMING = ("$defs", "definitions", "openapi", "swagger", "asyncapi")
_MAYBE = re.compile(rf"(?:{'|'.join(map(re.escape, _NAMING))})[\"']?\s*:")
_METHODS = frozenset(
    {"get", "put", "post", "delete", "options", "head", "patch", "trace", "query", "parameters"}
)
_GROUPS = frozenset({"pairs"})


def _at(key: str, *inner: frozenset[str] | None, apart: bool = False) -> _Steps:
    return _Steps((frozenset({key}), *inner), apart)


_API = (
    _at("paths", None, _METHODS, apart=True),
    _at("webhooks", None, _METHODS, apart=True),
    _at("components", None, None),
    _at("definitions", None),
    _at("parameters", None),
    _at("responses", None),
    _at("channels", None, apart=True),
    _at("operations", None, apart=True),
)
_SCHEMA = (_at("$defs", None), _at("definitions", None))
_OF_SCHEMA = frozenset({"$schema", "$id", "id", "$ref", "properties", "type", "oneOf", "anyOf"})


def with_definitions(parsed: Parsed, text: str) -> Parsed:
    """The document, its operations and definitions as units, if it is such a description."""
    if not any(name in text for name in _NAMING) or _MAYBE.search(text) is None:
        return parsed
    keys = {child.label for child in _members(parsed.root.open())}
    if keys & {"openapi", "swagger", "asyncapi"}:
        steps: Sequence[_Steps] = _API
    elif "$defs" in keys or ("definitions" in keys and keys & _OF_SCHEMA):
        steps = _SCHEMA
    else:
        return parsed
    return replace(parsed, root=_marked(parsed.root, steps))


def _members(units: Iterable[Unit]) -> Iterator[Unit]:
    """The units, each of those that were only put together."""
    for unit in units:
        if unit.kind not in _GROUPS:
            yield unit
            continue
        first, *others = unit.open()
        yield replace(first, tie=unit.tie)
        yield from others


def _marked(unit: Unit, steps: Sequence[_Steps]) -> Unit:
    apart = unit.apart or any(one.apart for one in steps)
    return replace(unit, apart=apart, opener=partial(_children, unit, steps))


def _children(unit: Unit, steps: Sequence[_Steps]) -> Iterator[Unit]:
    for child in _members(unit.open()):
        left = [
            _Steps(keys[1:], apart)
            for keys, apart in steps
            if keys[0] is None or child.label in keys[0]
        ]
        if not child.label or not left or child.opener is None:
            yield child
        elif any(not one.keys for one in left):
            yield replace(child, atomic=True, apart=any(one.apart for one in left))
        else:
            yield _marked(child, left)
