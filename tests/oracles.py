"""Independent parsers that say where the headings of a document are: docutils, markdown-it."""

from __future__ import annotations

import io
import re
from typing import Any, NamedTuple

_ROLE = re.compile(r":([A-Za-z][\w:+.-]*):`")
_TARGET = re.compile(r"(?<=\S)\s+<[^<>]*>$")
_KNOWN_ROLES = frozenset({"code", "emphasis", "literal", "math", "raw", "strong", "title"})


class Heading(NamedTuple):
    """A heading: the 1-based line that its last line is on, its level, its words."""

    line: int
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
    for title in document.findall(nodes.title):
        level = 0
        node = title.parent
        if not isinstance(node, nodes.section):
            continue
        while isinstance(node, nodes.section):
            level += 1
            node = node.parent
        found.append(Heading(title.line or 0, level, title.astext()))
    return found


def _shown(_name: str, raw: str, words: str, *_: Any, **__: Any) -> tuple[list[Any], list[Any]]:
    """A role that shows its text, without the target behind it in angle brackets."""
    from docutils import nodes

    return [nodes.inline(raw, _TARGET.sub("", words))], []


def bare(words: str) -> str:
    """Words without anything but letters and digits: marks are shown in one parser or another."""
    return "".join(character for character in words.lower() if character.isalnum())


def path_at(headings: list[Heading], line: int) -> tuple[str, ...]:
    """The bare words of the headings above and on a 1-based line, outermost first."""
    above: list[Heading] = []
    for heading in headings:
        if heading.line > line:
            break
        above = [one for one in above if one.level < heading.level]
        above.append(heading)
    return tuple(bare(heading.words) for heading in above)
