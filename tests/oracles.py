"""Independent parsers that say where the headings of a document are: docutils, markdown-it."""

from __future__ import annotations

import io
import re
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any, NamedTuple

_ROLE = re.compile(r":([A-Za-z][\w:+.-]*):`")
_TARGET = re.compile(r"(?<=\S)\s+<[^<>]*>$")
_KNOWN_ROLES = frozenset({"code", "emphasis", "literal", "math", "raw", "strong", "title"})


class Heading(NamedTuple):
    """A heading: its last line and its first, 1-based, its level, its words."""

    line: int
    first: int
    level: int
    words: str


def rst_headings(text: str) -> list[Heading]:
    """The titles of sections, as docutils finds them; a role it does not know shows its text."""
    from docutils import nodes
    from docutils.frontend import get_default_settings
    from docutils.parsers.rst import Parser, roles
    from docutils.utils import new_document

    settings = get_default_settings(Parser)
    settings.report_level = 5
    settings.halt_level = 6
    settings.warning_stream = io.StringIO()
    settings.file_insertion_enabled = False
    settings.raw_enabled = False
    for role in set(_ROLE.findall(text)):
        if role not in _KNOWN_ROLES:
            roles.register_local_role(role, _shown)
    document = new_document("document.rst", settings)
    Parser().parse(text, document)
    found = []
    lines = text.split("\n")
    for title in document.findall(nodes.title):
        level = 0
        node = title.parent
        if not isinstance(node, nodes.section):
            continue
        while isinstance(node, nodes.section):
            level += 1
            node = node.parent
        last = title.line or 0
        is_over = last > 2 and lines[last - 3].rstrip() == lines[last - 1].rstrip()
        found.append(Heading(last, last - 1 - is_over, level, title.astext()))
    return found


def _shown(_name: str, raw: str, words: str, *_: Any, **__: Any) -> tuple[list[Any], list[Any]]:
    """A role that shows its text, without the target behind it in angle brackets."""
    from docutils import nodes

    return [nodes.inline(raw, _TARGET.sub("", words))], []


def bare(words: str) -> str:
    """Words without anything but letters and digits: marks are shown in one parser or another."""
    return "".join(character for character in words.lower() if character.isalnum())


def path_at(headings: list[Heading], line: int) -> tuple[Heading, ...]:
    """The headings above and on a 1-based line, outermost first, without those of no words."""
    above: list[Heading] = []
    for heading in headings:
        if heading.first > line:
            break
        above = [one for one in above if one.level < heading.level]
        above.append(heading)
    return tuple(heading for heading in above if bare(heading.words))


class Shape(NamedTuple):
    """What an independent parser finds in a document; spans in characters, half-open.

    Attributes:
        headings: the headings that make sections.
        wholes: kind -> spans of what must not be cut while it fits: fences, tables, numbered
            lists, items, directives.
    """

    headings: list[Heading]
    wholes: dict[str, list[tuple[int, int]]]


def markdown_shape(text: str) -> Shape:
    """Headings, fences, tables, numbered lists and items, as markdown-it finds them.

    Front matter is left out. A heading counts when it stands outside every other block and
    outside ``<details>`` and the directives of MyST, which hide what is in them; attributes behind
    it are none of its words.
    """
    from markdown_it import MarkdownIt

    matter = _FRONT_MATTER.match(text)
    body = text if matter is None else _blanked(matter[0]) + text[matter.end() :]
    starts = line_starts(text)
    tokens = MarkdownIt("commonmark").enable("table").parse(body)
    headings: list[Heading] = []
    hidden = [found.span() for found in _HIDING.finditer(body)]
    wholes: dict[str, list[tuple[int, int]]] = {name: [] for name in _WHOLES.values()}
    for number, token in enumerate(tokens):
        if token.map is None:
            continue
        first, end = token.map
        while end > first and not text[starts[end - 1] : starts[end]].strip():
            end -= 1
        if token.type == "heading_open" and token.level == 0:
            inline = tokens[number + 1]
            words = "".join(
                child.content if child.type in {"text", "code_inline", "image"} else " "
                for child in inline.children or ()
            )
            if any(start <= starts[first] < stop for start, stop in hidden):
                continue
            words = _ATTRIBUTES.sub("", words.strip())
            headings.append(Heading(end, first + 1, int(token.tag[1]), words))
        elif token.type == "html_block" and token.level == 0:
            reader = _HtmlHeading()
            reader.feed(token.content.lstrip())
            if reader.level and "".join(reader.words).strip():
                last = first + reader.lines
                headings.append(Heading(last, first + 1, reader.level, " ".join(reader.words)))
        elif token.type in _WHOLES:
            wholes[_WHOLES[token.type]].append((starts[first], starts[end]))
    return Shape(headings, wholes)


class _HtmlHeading(HTMLParser):
    """The heading that a block of HTML begins with, when nothing stands behind it on its line.

    Attributes:
        level: of the heading, 0 when there is none.
        words: its text, or the alternative text of its pictures.
        lines: how many lines it takes.
    """

    def __init__(self) -> None:
        super().__init__()
        self.level = 0
        self.words: list[str] = []
        self.lines = 0
        self._opened = ""
        self._pictures: list[str] = []
        self._is_first = True

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Tags of headings open one if they come first."""
        if self._is_first and re.fullmatch("h[1-6]", tag):
            self._opened = tag
        self._is_first = False
        if tag == "img" and self._opened:
            self._pictures += [value for name, value in attrs if name == "alt" and value]

    def handle_data(self, data: str) -> None:
        """Text belongs to the heading while it is open."""
        if self._opened:
            self.words.append(data)

    def handle_endtag(self, tag: str) -> None:
        """The heading is one if its line ends behind it."""
        if tag != self._opened or self.level:
            return
        line, column = self.getpos()
        behind = self.rawdata.split("\n")[line - 1][column:].partition(">")[2]
        if not behind.strip():
            self.level, self.lines = int(tag[1]), line
            if not "".join(self.words).strip():
                self.words = self._pictures
        self._opened = ""


_FRONT_MATTER = re.compile(r"\ufeff?(---|\+\+\+)[ \t]*\r?\n(?:.*\n)*?\1[ \t]*\r?(?:\n|\Z)")
_HIDING = re.compile(
    r"^[ \t]*<details\b.*?</details>|^(?P<marks>:{3,})\{.*?^(?P=marks)[ \t]*$",
    re.MULTILINE | re.DOTALL,
)
_ATTRIBUTES = re.compile(r"\{[:#. \w-][^{}]*[#.=][^{}]*\}$|\{[#.][^{}]*\}$")
_WHOLES = {
    "fence": "fences",
    "list_item_open": "items",
    "ordered_list_open": "procedures",
    "table_open": "tables",
}


def rst_shape(text: str) -> Shape:
    """Titles as docutils finds them, and directives: a line of two dots and what is below it."""
    starts = line_starts(text)
    lines = [text[start:end] for start, end in pairwise(starts)]
    directives = []
    line = 0
    while line < len(lines):
        found = _DIRECTIVE.match(lines[line])
        first = line
        line += 1
        if found is None:
            continue
        end = line
        while line < len(lines) and (
            not lines[line].strip() or _indentation(lines[line]) > len(found[1])
        ):
            line += 1
            end = line if lines[line - 1].strip() else end
        directives.append((starts[first], starts[end]))
        line = end
    return Shape(rst_headings(text), {"directives": directives})


_DIRECTIVE = re.compile(r"^( *)\.\. [\w:-]+::(?:\s|$)")


def _indentation(line: str) -> int:
    return len(line.expandtabs(8)) - len(line.expandtabs(8).lstrip())


def _blanked(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def line_starts(text: str) -> list[int]:
    """Where each line begins, and the end of the text."""
    starts = [0, *(found.end() for found in re.finditer("\n", text))]
    return [*starts, len(text)] if starts[-1] < len(text) else starts
