"""Explicit markup of reStructuredText: what begins with two dots."""

from __future__ import annotations

import re

from structchunk_core.formats._rst_blocks import Block, Directive, Inside, make_block
from structchunk_core.formats._rst_lines import Lines
from structchunk_core.formats._rst_marks import ANONYMOUS, EXPLICIT

_NOTE = re.compile(r"\[(\d+|\*|#(?:\w[\w.:+-]*)?|\w[\w.:+-]*)\](?:[ \t]+|$)")
_TARGET = re.compile(
    r"_(?![ _])((?:[^:\\`]|\\.|:(?![ ]|$)|`[^`]*+`)++):(?:[ \t]+|$)|_:(?:[ \t]+|$)|__:"
)
_SUBSTITUTION = re.compile(r"\|(?![ |])([^|]+)\|[ \t]+")
_DIRECTIVE = re.compile(r"((?:\w(?:[\w.:+-]*\w)?)) ?::(?:[ \t]+|$)")
_OPTION_FIELD = re.compile(r":([\w][\w .-]*):(?:[ \t]+|$)")


def explicit_block(lines: Lines, line: int, inside: Inside, begin: int, shown: str) -> Block | None:
    """A note, target, substitution, directive or comment; None when the line begins none.

    Args:
        lines: the document.
        line: the line.
        inside: where blocks are looked for.
        begin: the first visible character of the line.
        shown: what is visible from there on.
    """
    mark = EXPLICIT.match(shown)
    if mark is None:
        if not ANONYMOUS.match(shown):
            return None
        end = lines.indented_end(line + 1, inside)
        return make_block("target", line, end, begin, inside.column)
    if mark.end() == len(shown):
        below = line + 1
        if below >= inside.end or lines.columns[below] < 0:
            return make_block("comment", line, below, begin, inside.column)
        return make_block("comment", line, lines.indented_end(below, inside), begin, inside.column)
    end = lines.indented_end(line + 1, inside)
    behind = mark.end()
    if note := _NOTE.match(shown, behind):
        within = _note_inside(lines, line, end, inside, begin + note.end())
        return make_block("footnote", line, end, begin, inside.column, note[1], inside=within)
    if _TARGET.match(shown, behind):
        return make_block("target", line, end, begin, inside.column, shown[behind:])
    if found := _SUBSTITUTION.match(shown, behind):
        return make_block("substitution", line, end, begin, inside.column, found[1])
    if found := _DIRECTIVE.match(shown, behind):
        made = _directive(lines, line, end, begin + found.end(), found[1].lower(), inside)
        within = lines.within(made.content, end, inside, column=made.column)
        return make_block(
            "directive", line, end, begin, inside.column, inside=within, directive=made
        )
    return make_block("comment", line, end, begin, inside.column)


def _note_inside(lines: Lines, line: int, end: int, inside: Inside, behind: int) -> Inside | None:
    has_text = behind < lines.stops[line]
    if not has_text and end == line + 1:
        return None
    column = lines.least_column(line + 1, end) if end > line + 1 else inside.column + 3
    if has_text:
        return lines.within(line, end, inside, column=column, begin=behind)
    return lines.within(line + 1, end, inside, column=column)


def _directive(
    lines: Lines, line: int, end: int, behind: int, name: str, inside: Inside
) -> Directive:
    """The parts of the directive on the lines; its name ends at a position."""
    column = lines.least_column(line + 1, end) if end > line + 1 else inside.column + 3
    words: list[str] = []
    argument_at = -1
    if behind < lines.stops[line]:
        argument_at = behind
        words.append(lines.text[behind : lines.stops[line]])
    options: dict[str, str] = {}
    position = line + 1
    while position < end and lines.columns[position] >= 0:
        shown = lines.line_text(position)
        found = _OPTION_FIELD.match(shown)
        if found and lines.columns[position] <= column:
            options[found[1]] = shown[found.end() :]
        elif options and lines.columns[position] <= column:
            break
        elif not options:
            if argument_at < 0:
                argument_at = lines.firsts[position]
            words.append(shown)
        position += 1
    content = lines.next_visible(position, Inside(position, end))
    return Directive(name, " ".join(words), argument_at, options, content, column)
