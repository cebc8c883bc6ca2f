"""What may stand in front of a Markdown document: front matter, and the modules of MDX."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Head:
    """Where the head of a document ends.

    Attributes:
        title: the title that the front matter gives, or ``""``.
        matter_end: the end of the front matter's closing line, or 0 when there is none.
        module_start: where the imports and exports of MDX begin.
        end: the end of the head, where the Markdown may begin.
    """

    title: str
    matter_end: int
    module_start: int
    end: int


def read_head(text: str, *, is_mdx: bool) -> Head:
    """The head of a text without byte order mark."""
    title, matter_end = _front_matter(text)
    start, end = _modules(text, matter_end) if is_mdx else (matter_end, matter_end)
    return Head(title, matter_end, start, end)


_FORMS = {
    "---": (
        re.compile(r"^(?:---|\.\.\.)[ \t]*+\r?$", re.MULTILINE),
        re.compile(r"[^\s:][^:\n]*+:(?=\s)|[{\[]|- "),
        re.compile(r"^title[ \t]*+:(?=\s)[ \t]*+([^\n]*+)", re.MULTILINE | re.IGNORECASE),
    ),
    "+++": (
        re.compile(r"^\+\+\+[ \t]*+\r?$", re.MULTILINE),
        re.compile(r"[^\s=][^=\n]*+=|\["),
        re.compile(r"^title[ \t]*+=[ \t]*+([^\n]*+)", re.MULTILINE | re.IGNORECASE),
    ),
}
_REMARK = re.compile(r"(?:[ \t]*+(?:#[^\n]*+)?\r?\n)*+")  # blank lines and comments
_OPENING = re.compile(r"(---|\+\+\+)[ \t]*+\r?\n")


def _front_matter(text: str) -> tuple[str, int]:
    """Title and end of YAML between ``---`` or TOML between ``+++``; ``"", 0`` without.

    Between two thematic breaks stands prose: what is no key, list or comment is none either.
    """
    opening = _OPENING.match(text)
    if opening is None:
        return "", 0
    closing, first, title = _FORMS[opening[1]]
    end = closing.search(text, opening.end())
    if end is None:
        return "", 0
    content = text[opening.end() : end.start()]
    remark = _REMARK.match(content)
    rest = content[remark.end() if remark else 0 :]
    if rest.strip() and not first.match(rest + "\n"):
        return "", 0
    found = title.search(content)
    return (_value(found[1], content[found.end() :]) if found else ""), end.end()


_BLOCK_SCALAR = re.compile(r"[|>][-+0-9]*$")
_COMMENT = re.compile(r"\s#.*$")
_ESCAPE = re.compile(r"\\(.)")


def _value(written: str, below: str) -> str:
    """A string of YAML or TOML as text, on one line."""
    value = written.strip()
    quote = value[:1]
    if quote and quote in "\"'":
        closed = value.find(quote, 1)
        while closed > 0 and (
            value[closed - 1] == "\\" if quote == '"' else value[closed + 1 : closed + 2] == "'"
        ):
            closed = value.find(quote, closed + (1 if quote == '"' else 2))
        inner = value[1:closed] if closed > 0 else value[1:]
        inner = _ESCAPE.sub(r"\1", inner) if quote == '"' else inner.replace("''", "'")
        return " ".join(inner.split())
    lines = [] if _BLOCK_SCALAR.match(value) else [_COMMENT.sub("", value)]
    for line in below.split("\n")[1:]:
        if not line[:1].isspace() or not line.strip():
            break
        lines.append(line)
    return " ".join(" ".join(lines).split())


_MODULE = re.compile(
    r"import[ \t]*+(?:\{|[\"']|[\w$*][^\n]*?[ \t]from[ \t]*[\"'])"
    r"|export[ \t]++(?:default\b|(?:const|let|var)[ \t]++[\w${\[]|(?:async[ \t]++)?function\b"
    r"|class[ \t]++[\w$]++[^\n]*\{|[{*])"
)
_BRACKETS = re.compile(r"[(){}\[\]]")


def _modules(text: str, position: int) -> tuple[int, int]:
    """Start and end of the import and export statements of MDX above everything else."""
    start = end = position
    while True:
        begin = _skip_blank_lines(text, end)
        if not _MODULE.match(text, begin):
            return start, end
        stop = _statements_end(text, begin)
        if start == end:
            start = begin
        end = stop


def _skip_blank_lines(text: str, position: int) -> int:
    if position and position < len(text) and text[position] == "\n":
        position += 1
    while position < len(text):
        stop = text.find("\n", position) + 1 or len(text)
        if text[position:stop].strip():
            break
        position = stop
    return position


def _statements_end(text: str, position: int) -> int:
    """The end of the line that closes every bracket before a blank line, heading or tag.

    When nothing closes them, the end of the line before the first blank one.
    """
    open_brackets = 0
    paragraph_end = -1
    while position < len(text):
        stop = text.find("\n", position)
        stop = len(text) if stop < 0 else stop
        for bracket in _BRACKETS.findall(text, position, stop):
            open_brackets += 1 if bracket in "({[" else -1
        below = text[stop + 1 : stop + 2]
        is_last = not _has_text(text, stop + 1)
        if is_last and paragraph_end < 0:
            paragraph_end = stop
        if open_brackets <= 0 and (is_last or below in {"#", "<"}):
            return stop
        position = stop + 1
    return paragraph_end if paragraph_end >= 0 else len(text)


def _has_text(text: str, position: int) -> bool:
    """Whether the line at the position has anything visible in it."""
    stop = text.find("\n", position)
    return bool(text[position : len(text) if stop < 0 else stop].strip())
