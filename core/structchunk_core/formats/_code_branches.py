"""Conditional branches that a grammar cannot read because their brackets do not balance.

    #if OLD
    class Cart : Base
    {
    #else
    class Cart : Base, IDisposable
    {
    #endif

A compiler sees one of the branches, a grammar all of them, and then one bracket too many. Where
the branches open and close alike, it is shown the first one only. Nothing is left out of the text:
what the grammar is not shown stays in the unit that it stands in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

# It begins with its mark, which is searched for ten times as fast as beginnings of lines are.
_DIRECTIVE = re.compile(
    r"#[ \t]*(?:(?P<opens>if)|(?P<goes_on>el)|(?P<closes>endif\b))(?:[^\n\\]++|\\[\s\S])*+"
)
_CODE = re.compile(r"""[{}]|//[^\n]*|/\*[\s\S]*?\*/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.){1,8}'""")


@dataclass(slots=True)
class _Condition:
    """One ``#if`` with its branches.

    Attributes:
        lines: where its directives stand.
        branches: where each branch begins, and how many brackets it leaves open.
    """

    lines: list[tuple[int, int]] = field(default_factory=list)
    branches: list[tuple[int, int]] = field(default_factory=list)

    def count(self, opened: int) -> None:
        """Note what some more of the last branch leaves open."""
        start, before = self.branches[-1]
        self.branches[-1] = start, before + opened


def hidden_branches(text: str) -> list[tuple[int, int]]:
    """Half-open spans of the text that a grammar should not be shown, ascending.

    They are the directives and the later branches of each condition whose branches, two or more,
    all leave equally many brackets open or closed, and not none.
    """
    if "#el" not in text and "# el" not in text:
        return []
    hidden: list[tuple[int, int]] = []
    around: list[_Condition] = []
    position = 0
    directives = list(_directives(text))
    matters = [False, *_decisive(directives)]
    for number, (start, match) in enumerate(directives):
        if matters[number]:
            around[-1].count(_opened(text, position, start))
        position = match.end()
        if match["opens"]:
            around.append(_Condition())
        if not around:
            continue  # its ``#if`` is missing
        condition = around[-1]
        condition.lines.append((start, match.end()))
        if not match["closes"]:
            condition.branches.append((match.end(), 0))
            continue
        around.pop()
        counts = {opened for _, opened in condition.branches}
        total = sum(opened for _, opened in condition.branches)
        if len(condition.branches) > 1 and len(counts) == 1 and total:
            total //= len(condition.branches)
            hidden += condition.lines[:1]
            hidden.append((condition.lines[1][0], match.end()))
        if around:
            around[-1].count(total)
    return list(_outermost(sorted(hidden)))


def _decisive(directives: Sequence[tuple[int, re.Match[str]]]) -> list[bool]:
    """For each directive whether the brackets behind it matter, up to the next one.

    They do inside a condition of several branches. Most are in none, but for that around a header.
    """
    inside = -1  # the directive that opens the innermost condition here
    holders: list[int] = []
    around: dict[int, int] = {}
    divided: dict[int, bool] = {-1: False}
    for number, (_, match) in enumerate(directives):
        kind = match.lastgroup
        if kind == "opens":
            around[number], inside = inside, number
            divided[number] = False
        elif inside >= 0 and kind == "goes_on":
            divided[inside] = True
        elif inside >= 0:
            inside = around[inside]
        holders.append(inside)
    for number, outer in around.items():  # the outer ones come first
        divided[number] = divided[number] or divided[outer]
    return [divided[holder] for holder in holders]


def _directives(text: str) -> Iterator[tuple[int, re.Match[str]]]:
    """Each directive that stands first on its line, behind where the line begins."""
    line = position = 0
    while (match := _DIRECTIVE.search(text, position)) is not None:
        at = match.start()
        found = text.rfind("\n", position, at) + 1
        line = found or line
        if (found or not position) and not text[line:at].strip(" \t"):
            yield line, match
            position = match.end()
        else:
            position = at + 1


def _opened(text: str, start: int, end: int) -> int:
    """How many brackets more are opened than closed between two positions."""
    if text.find("{", start, end) < 0 and text.find("}", start, end) < 0:
        return 0
    opened = 0
    for found in _CODE.finditer(text, start, end):
        opened += (found[0] == "{") - (found[0] == "}")
    return opened


def _outermost(spans: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The spans without those inside others."""
    reach = -1
    for start, end in spans:
        if start >= reach:
            reach = end
            yield start, end
