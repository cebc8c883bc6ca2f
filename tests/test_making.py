"""Values that are made and changed quickly are those that dataclasses would make."""

from __future__ import annotations

import inspect
from dataclasses import MISSING, FrozenInstanceError, fields, replace
from typing import Any

import pytest

from structchunk_core import Chunk, Unit, chunk, unit
from structchunk_core.chunks import changed_chunk
from structchunk_core.unit import Tie, make_unit, retied


@pytest.mark.parametrize("changes", [{}, {"start_line": 3}, {"rendered": True, "problems": ()}])
def test_a_changed_chunk_is_what_replace_makes(changes: dict[str, Any]) -> None:
    made = chunk("a = 1\n", path="a.py")[0]
    changed = changed_chunk(made, **changes)
    assert changed == replace(made, **changes)
    assert changed.metadata(positions=True) == replace(made, **changes).metadata(positions=True)
    assert type(changed) is Chunk
    with pytest.raises(FrozenInstanceError):
        changed.start_line = 3  # type: ignore[misc]


def test_a_field_that_is_none_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        changed_chunk(chunk("a = 1\n", path="a.py")[0], no_such_field=1)


def test_a_unit_that_is_made_is_what_the_class_makes() -> None:
    """The function for compiled modules has the fields of the class, with their defaults."""
    given = {"kind": "row", "start": 3, "end": 9, "tie": Tie.NEXT, "tail": 1, "label": "x"}
    made = make_unit(**given)  # type: ignore[arg-type]  # of many types
    assert made == Unit(**given)  # type: ignore[arg-type]  # (the same)
    assert type(made) is Unit
    with pytest.raises(FrozenInstanceError):
        made.kind = "table"  # type: ignore[misc]
    source = inspect.getsource(unit)
    defined: dict[str, Any] = {}
    begin = source.index("def make_unit(")
    exec(source[begin : source.index("if not is_compiled(Unit)")], vars(unit) | defined, defined)  # noqa: S102  # our own
    parameters = inspect.signature(defined["make_unit"]).parameters
    told = {
        name: MISSING if one.default is one.empty else one.default
        for name, one in parameters.items()
    }
    assert told == {item.name: item.default for item in fields(Unit)}
    assert list(told) == [item.name for item in fields(Unit)]
    for name in told:
        assert f"    unit.{name} = {name}  #" in source


def test_a_retied_unit_is_the_same_but_for_its_tie() -> None:
    given = {item.name: object() for item in fields(Unit)}
    make: Any = make_unit
    made = make(**given)
    found = retied(made, Tie.CLOSE)
    assert type(found) is Unit
    for name, value in given.items():
        assert getattr(found, name) is (Tie.CLOSE if name == "tie" else value)
        assert getattr(made, name) is value
