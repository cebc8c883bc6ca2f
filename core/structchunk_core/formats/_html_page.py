"""What the elements of a page are for: what is hidden, what surrounds the main text, what names it.

Only data and questions about single elements; :mod:`_html_walk` walks the page with them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from structchunk_core.formats._html_lines import Line
from structchunk_core.formats._html_traits import (
    ADMONITION,
    ANYWHERE,
    CONTROL,
    COPIES,
    FALLBACK,
    FORMULA,
    NAMES,
    NUMBERS,
    SCOPES,
    SELF_LINK,
    SURROUNDS,
    traits_of,
    words_of,
)
from structchunk_core.formats._html_tree import Node

ALWAYS_ASKED = frozenset(
    {"aside", "datalist", "dialog", "footer", "header", "input", "nav", "noscript", "search"}
)
"""Elements that may be hidden or surround the main text although they have no attributes."""


_TELLING = ("hidden", "display", "visibility", "id", "name", "role", "nosnippet")


def is_inert(node: Node) -> bool:
    """Whether all questions below have the answer no by its name and attributes alone.

    Nor has it an id.
    """
    if node.name in ALWAYS_ASKED or node.name == "button" or traits_of(node.classes):
        return False
    source = node.source.lower()
    return not any(mark in source for mark in _TELLING)


def is_hidden(node: Node) -> bool:
    """Whether a browser shows nothing of the element.

    Panels of tabs are shown on a click: they are not hidden. Nor are formulas whose readable
    form stands beside an image of them.
    """
    name = node.name
    if name == "dialog":
        return "open" not in node.attributes
    if name == "input" and node.attributes.get("type", "").lower() == "hidden":
        return True
    traits = traits_of(node.classes)
    if traits & FALLBACK or name == "datalist":
        return True
    source = node.source.lower()
    if "hidden" not in source and "display" not in source and "visibility" not in source:
        return False
    attributes = node.attributes
    if attributes.get("role") == "tabpanel" or traits & FORMULA:
        return False
    return (
        attributes.get("hidden", "until-found") != "until-found"
        or attributes.get("aria-hidden", "").strip().lower() == "true"
        or _HIDING_STYLE.search(attributes.get("style", "")) is not None
    )


def is_control(node: Node, text: str) -> bool:
    """Whether the element is a mark or button to work with the page, no part of its text.

    Links from a heading to itself, buttons that copy, links that edit, numbers of lines.
    """
    traits = traits_of(node.classes)
    if traits & CONTROL:
        return True
    if node.name == "button":
        return traits & COPIES != 0
    if traits & NUMBERS or (node.name == "a" and "data-nosnippet" in node.source):
        return not any(character.isalpha() for character in flat_text(node, text, 10_000))
    if node.name == "a" and traits & SELF_LINK:
        return not any(character.isalnum() for character in flat_text(node, text, 200))
    return False


def is_switch(box: Node) -> bool:
    """Whether a box to tick is there to fold or open a part of the page: a theme has it so."""
    attributes = box.attributes
    if attributes.get("tabindex") == "-1" or attributes.get("role", "") in _SWITCH_ROLES:
        return True
    if any(name in attributes for name in ("aria-controls", "aria-expanded", "aria-haspopup")):
        return True
    names = (*box.classes, attributes.get("id", "").lower())
    return any(_SWITCH.search(name) for name in names)


def is_boilerplate(node: Node, *, in_main: bool, has_main: bool, first_headings: int) -> bool:
    """Whether the element surrounds the main text: navigation, header, footer, notices.

    Args:
        node: the element.
        in_main: whether it is inside the main part or an article.
        has_main: whether the page has such a part.
        first_headings: how many headings of the first level the page has.
    """
    if node.has_main or (node.heading == 1 and first_headings == 1):
        return False
    name = node.name
    if name in _NAVIGATION or (name in _AROUND and not in_main):
        return True
    if name == "button" and has_main and not in_main:
        return True
    source = node.source
    if not source:
        return False
    if "role" in source and node.attributes.get("role", "") in _ROLES:
        return True
    traits = traits_of(node.classes)
    if "id" in source and (own := node.attributes.get("id")):
        traits |= traits_of((own.lower(),))
    if traits & ANYWHERE:
        return True
    return traits & SURROUNDS != 0 and name in _BOXES and not (in_main and has_main)


def is_admonition(node: Node) -> bool:
    """Whether the element is a note, a tip or a warning in a box."""
    return traits_of(node.classes) & ADMONITION != 0


def is_layout(table: Node) -> bool:
    """Whether a table only places things on the page, and holds no data.

    It says so, or holds headings or code beside line numbers, or has no header cell and no
    caption while there are other tables or large blocks in its cells, or one cell in each row.
    """
    if table.attributes.get("role", "") in {"none", "presentation"}:
        return True
    if table.heading or any(_CODE_TABLE.search(name) for name in table.classes):
        return True
    holds_blocks = False
    cells = widest = 0
    stack = [iter(table.children)]
    while stack:
        for child in stack[-1]:
            if isinstance(child, tuple):
                continue
            if child.name in {"caption", "th"}:
                return False
            holds_blocks = holds_blocks or child.name in _LAYOUT_PARTS
            cells = 0 if child.name == "tr" else cells + (child.name == "td")
            widest = max(widest, cells)
            if child.name != "table":
                stack.append(iter(child.children))
                break
        else:
            stack.pop()
    return holds_blocks or widest == 1


def is_entry_list(dl: Node) -> bool:
    """Whether a definition list documents an interface: functions, classes, options."""
    if "class" not in dl.source or _ENTRY_LISTS.isdisjoint(dl.classes):
        return False
    first = next((child for child in dl.children if isinstance(child, Node)), None)
    return first is not None and first.name == "dt"


def name_of_entry(dt: Node, text: str, *, nested: bool) -> str:
    """The name that a signature gives: with its scope, unless it is nested in an entry of that."""
    scope = name = ""
    for node in _elements(dt):
        if "class" not in node.source:
            continue
        classes = node.classes
        if not name and not NAMES.isdisjoint(classes):
            name = flat_text(node, text, 500).strip()
        elif not scope and not SCOPES.isdisjoint(classes):
            scope = flat_text(node, text, 500).strip()
    return name if nested else scope + name


def name_of_member(node: Node) -> str:
    """The name of what a part of the page documents, as pdoc writes it, or ``""``.

    It has an id, which ends with the name, and begins with its signature.
    """
    if "id=" not in node.source:
        return ""
    inside = (child for child in node.children if isinstance(child, Node))
    first = next((child for child in inside if child.name != "input"), None)
    if first is None or first.name != "div" or "attr" not in first.classes:
        return ""
    return node.attributes.get("id", "").strip().rpartition(".")[2]


def name_of_paragraph(node: Node, text: str) -> str:
    """The bold name that the paragraph begins with, or ``""``: it is the head of an entry then."""
    children = node.children
    if children and isinstance(children[0], tuple) and len(children) > 1:
        start, end = children[0]
        if text[start:end].isspace():
            children = children[1:]
    if not children:
        return ""
    first = children[0]
    if isinstance(first, Node):
        words = flat_text(first, text, _LONGEST_NAME + 1) if first.name in _NAMING else ""
    else:
        start, end = first
        tags = text[node.start : start]
        is_named = _OPENS_NAME.search(tags) is not None and _ENDS_NAME.match(text, end) is not None
        words = ""
        if is_named:
            line = Line()
            line.add(text[start:end], start)
            words = line.text()
    return words if len(words) <= _LONGEST_NAME else ""


def whole_number(value: str, default: int) -> int:
    """The whole number that the value of an attribute is, or the default when it is none."""
    value = value.strip()
    digits = value[1:] if value[:1] in {"-", "+"} else value
    return int(value) if digits.isascii() and digits.isdecimal() and len(digits) < 10 else default


def parts_words(text: str, behind: int, start: int) -> bool:
    """Whether tags part two words that would read as one: code and what stands right beside it.

    Args:
        text: the source.
        behind: where the text in front of the tags ends.
        start: where the text behind them begins.
    """
    if behind == start or not behind:
        return False
    last, first = text[behind - 1], text[start]
    if not (last in "_)]}" or last.isalnum()) or not (first == "_" or first.isalnum()):
        return False
    tags = text[behind:start]
    return _BESIDE_CODE.fullmatch(tags) is not None and _OF_CODE.search(tags) is not None


def flat_text(node: Node, text: str, limit: int) -> str:
    """The words in an element on one line, read up to so many characters of the source."""
    line = Line()
    stack = [iter(node.children)]
    while stack and limit > 0:
        for child in stack[-1]:
            if isinstance(child, tuple):
                start, end = child
                line.add(text[start : min(end, start + limit)], start)
                limit -= end - start
            else:
                stack.append(iter(child.children))
                break
        else:
            stack.pop()
    return line.text()


def formula_of(node: Node, text: str) -> str:
    """A formula as TeX where the page has it so, else its characters."""
    for inner in _elements(node):
        if inner.name == "annotation" and "tex" in inner.attributes.get("encoding", ""):
            return flat_text(inner, text, 100_000)
    return node.attributes.get("alttext", "").strip() or flat_text(node, text, 100_000)


def _elements(node: Node) -> Iterator[Node]:
    stack: list[Node] = [node]
    while stack:
        top = stack.pop()
        yield top
        stack.extend(child for child in reversed(top.children) if isinstance(child, Node))


_LONGEST_NAME = 80
_NAMING = words_of("b code dfn strong tt")
_OPENS_NAME = re.compile(r"<(?:b|code|dfn|strong|tt)(?:\s[^<>]*+)?>\s*+\Z", re.IGNORECASE)
_ENDS_NAME = re.compile(r"</(?:b|code|dfn|strong|tt)\s*+>", re.IGNORECASE)
# One element ends right where another one begins, and neither is set above or below the line.
_BESIDE_CODE = re.compile(
    r"(?:</(?!su[bp]\b)[a-z]++\s*+>)++(?:<(?!su[bp]\b|wbr\b)[a-z]++(?:\s[^<>]*+)?>)++",
    re.IGNORECASE,
)
_OF_CODE = re.compile(r"</?(?:code|kbd|samp|tt)[\s>]", re.IGNORECASE)
_HIDING_STYLE = re.compile(r"(?:display\s*+:\s*+none|visibility\s*+:\s*+hidden)", re.IGNORECASE)
_ROLES: Sequence[str] = ("banner", "contentinfo", "navigation", "search")
_SWITCH_ROLES: Sequence[str] = ("button", "none", "presentation")
_SWITCH = re.compile(
    r"toggle|menu|drawer|sidebar|collaps|expand|accordion|dropdown|burger|toctree|^__|^hidden$"
    r"|(?:^|[-_])(?:nav|toc)(?:$|[-_])"
)
_NAVIGATION = words_of("nav noscript search")
_AROUND = words_of("aside footer header")
_BOXES = words_of("a aside div footer form header ol p section span table ul")

_CODE_TABLE = re.compile(r"^(?:highlighttable|lntable|rouge-table|hljs-ln|gutter-table)$")
_LAYOUT_PARTS = words_of("blockquote dl fieldset form hr nav pre table")
_ENTRY_LISTS = words_of(
    "attribute c citation-entry class classmethod cmdoption confval cpp data describe directive "
    "enum envvar exception function go java js macro member method module object option php "
    "property py rb rst staticmethod std struct type"
)
