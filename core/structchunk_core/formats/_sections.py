"""Headings and what stands below them, as sections, for every format whose headings have levels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeVar


class _Leveled(Protocol):
    @property
    def level(self) -> int:
        """Of a heading, from 1; 0 of any other block."""


_Block = TypeVar("_Block", bound=_Leveled)
_Section = TypeVar("_Section")


def in_sections(
    blocks: Iterable[_Block], section_of: Callable[[Sequence[_Block | _Section], int], _Section]
) -> tuple[_Block | _Section, ...]:
    """The blocks, each heading with all that follows it in a section, up to one not below it.

    Args:
        blocks: in order.
        section_of: makes a section of its heading and the blocks and sections below it; the
            number says how many sections it is in, with itself.
    """
    members: list[list[_Block | _Section]] = [[]]
    levels: list[int] = []  # of the headings of the sections that are open

    def close() -> None:
        inner = members.pop()
        depth = len(levels)
        levels.pop()
        members[-1].append(section_of(inner, depth))

    for block in blocks:
        level = block.level
        if level:
            while levels and levels[-1] >= level:
                close()
            levels.append(level)
            members.append([])
        members[-1].append(block)
    while levels:
        close()
    return tuple(members[0])
