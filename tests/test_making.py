"""Values that are made and changed quickly are those that dataclasses would make."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace
from typing import Any

import pytest

from structchunk_core import Chunk, chunk
from structchunk_core.chunks import changed_chunk


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
