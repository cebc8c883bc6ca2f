"""The tree of an HTML document: the elements that matter for its text, nested as browsers do.

The rules of the HTML standard for what is left out (``</p>``, ``</li>``, ``<tbody>``), closed in
the wrong order or put where it does not belong (text between the rows of a table stands above
it) are kept. Elements inside a line that change nothing (``<b>``) do not become nodes. Everything
is found by numbers of open elements, never by searching the stack: time grows with the length of
the document, however deep it is nested.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from structchunk_core.formats._html_tokens import START, TEXT, read_attributes, tokens
from structchunk_core.formats._html_traits import is_telling

Text = tuple[int, int]
"""A stretch of text: half-open, in characters of the source."""


class Node:
    """An element.

    Attributes:
        name: the name of its tag, in small letters.
        start: where its start tag begins, in characters of the source text.
        source: the source text of its attributes.
        children: the nodes and texts in it, in order.
        heading: the highest level (1 to 6) of the headings in it, or of itself; 0 without any.
        has_main: whether it holds, or is, what the document calls its main part or an article.
    """

    __slots__ = (
        "_attributes",
        "_classes",
        "children",
        "has_main",
        "heading",
        "name",
        "source",
        "start",
    )

    def __init__(self, name: str, start: int, source: str = "") -> None:
        self.name = name
        self.start = start
        self.source = source
        self.children: list[Node | Text] = []
        self.heading = 0
        self.has_main = False
        self._attributes: Mapping[str, str] | None = None
        self._classes: tuple[str, ...] | None = None

    @property
    def attributes(self) -> Mapping[str, str]:
        """Its attributes, read when they are first asked for."""
        if self._attributes is None:
            self._attributes = read_attributes(self.source) if self.source else _NONE
        return self._attributes

    @property
    def classes(self) -> tuple[str, ...]:
        """The names in its ``class`` attribute, in small letters."""
        if self._classes is None:
            source = self.source
            if "class" not in source and "class" not in source.lower():
                self._classes = ()
            elif quick := _CLASS.match(source):
                self._classes = _class_names(quick[1])
            else:
                self._classes = _class_names(self.attributes.get("class", ""))
        return self._classes


@dataclass(frozen=True, slots=True)
class Tree:
    """What was read.

    Attributes:
        root: a node around all others.
        first_headings: how many ``h1`` there are.
    """

    root: Node
    first_headings: int


def read_tree(text: str, *, is_xml: bool = False) -> Tree:
    """The tree of a document; every text that a browser shows is in it, in order.

    Args:
        text: the document.
        is_xml: whether it is XHTML.
    """
    builder = _Builder(text)
    opened, stack, unasked = builder.opened, builder.stack, builder.unasked
    skipped = ""  # the element that is passed over, and how many of its name are open
    depth = foreign = 0
    for begin, start, _, kind, name, attributes in tokens(text, is_xml=is_xml):
        if begin < start and not skipped:
            top = stack[-1]
            if top.name not in _AROUND_ROWS:
                top.children.append((begin, start))
            else:
                builder.text_in_table(begin, start)
        if kind == TEXT:
            continue
        if skipped:
            change = 1 if kind == START else -1
            if name == skipped:
                depth += change
                skipped = skipped if depth else ""
                continue
            if name in _HTML_IN_SVG:
                foreign = max(0, foreign + change)
            leaves = _NOT_IN_SVG if kind == START else _ENDS_IN_HTML
            if skipped != "svg" or foreign or name not in leaves:
                continue
            skipped = ""
        if kind != START:
            if opened.get(name) or name in _ENDS_ANYTHING:
                builder.end(name, start)
        elif (
            name in _PLAIN
            and (not attributes or attributes in unasked)
            and not opened.get(name)
            and not (attributes and name == "code" and opened.get("pre"))
        ):
            continue
        elif name in _SKIPPED and not _IS_MATH.search(attributes):
            skipped, depth, foreign = name, 1, 0
        else:
            builder.start(name, start, attributes)
    return Tree(builder.root, builder.first_headings)


_NONE: Mapping[str, str] = {}


# Attributes in double quotes up to "class", as nearly all are written.
_CLASS = re.compile(
    r"(?:[ \t\n\r\f]++(?!class\b)[a-z0-9_:-]++(?:=\"[^\"]*+\")?+(?=[ \t\n\r\f]))*+"
    r"[ \t\n\r\f]++class=\"([^\"&]*+)\""
)


@lru_cache(maxsize=1024)  # a page has few values, very often
def _class_names(value: str) -> tuple[str, ...]:
    return tuple(value.lower().split())


def _names(names: str) -> frozenset[str]:
    return frozenset(names.split())


HEADINGS = {f"h{level}": level for level in range(1, 7)}
_SKIPPED = _names("iframe noembed noframes script style svg template")
_IS_MATH = re.compile(r"math/(?:tex|asciimath)")
_HTML_IN_SVG = _names("desc foreignobject title")
_ENDS_IN_HTML = _names("br p")
_NOT_IN_SVG = _names(
    "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li "
    "listing menu meta nobr ol p pre ruby s small span strike strong sub sup table tt u ul var"
)
_IGNORED = _names("body frameset head html")
_EMPTY = _names("br embed hr image img input keygen")
_EMPTY_HIDDEN = _names(
    "area base basefont bgsound frame link meta param source track wbr"  # nothing to see
)
_BLOCKS = _names(
    "address article aside blockquote center details dialog dir div dl fieldset figcaption figure "
    "footer form header hgroup hr legend listing main menu nav ol p plaintext pre search section "
    "summary ul xmp"
)
_TERMS = _names("dd dt")
LINES = _BLOCKS | frozenset(HEADINGS) | _names("dd dt li table tr")
"""Elements that stand on lines of their own, in preformatted text too."""
_PLAIN = _names("b cite code dfn em i kbd q s samp small span strong sub sup tt u var")
_SECTIONS_OF_TABLES = _names("tbody tfoot thead")
_AROUND_TR = _SECTIONS_OF_TABLES | _names("table")
_CELLS = _names("td th")
_IN_TABLES = _SECTIONS_OF_TABLES | _CELLS | _names("caption colgroup table tr")
_AROUND_ROWS = _SECTIONS_OF_TABLES | _names("colgroup table tr")
_OTHERS = _names(
    "applet audio button canvas label math marquee noscript object optgroup option select textarea "
    "title video"
)
_SPECIAL = (
    (_BLOCKS | _IN_TABLES | frozenset(HEADINGS) | _names("dd dt li")) - _names("dialog")
) | _names("applet button marquee noscript object select textarea title")
_ENDS_ANYTHING = frozenset(HEADINGS) | _names("br colgroup p")
_STOPS = _SPECIAL - _names("address div p")
_SCOPES = _CELLS | _names("applet caption marquee object table")
_KEPT = _SPECIAL | _OTHERS | _names("dialog")
# What makes an element inside a line matter: it may be hidden, be linked to, have a role.
_MOST_KNOWN = 1000  # attributes that are remembered
_SHORT = 80  # characters of attributes that may stand there again
_NOTABLE = ("id=", "name=", "style=", "hidden", "role=", "encoding=", "data-lang", "snippet", " =")


class _Builder:
    """The open elements, and where among them those of each name stand.

    Attributes:
        root: a node around all others.
        first_headings: how many ``h1`` there were.
        stack: the open elements, the outermost first.
        opened: name -> where in the stack the open elements of that name are.
        unasked: attributes that nobody asks an element inside a line for.
    """

    def __init__(self, text: str) -> None:
        self.root = Node("", 0)
        self.first_headings = 0
        self._text = text
        self.stack = [self.root]
        self.opened: dict[str, list[int]] = {"": [0]}
        self._special: list[int] = [0]
        self._stops: list[int] = [0]  # what an item that is not closed does not reach over
        self._scopes: list[int] = [0]  # what an end tag does not reach over
        self._notable: dict[str, bool] = {}  # values of "class" that were looked at
        self.unasked: set[str] = set()
        self._columns: list[Node | Text] | None = None  # those of the colgroup that is open

    def text_in_table(self, start: int, end: int) -> None:
        """A text at the half-open span that stands between rows or cells."""
        if not self._text[start:end].isspace():
            self._insert((start, end))

    def start(self, name: str, start: int, attributes: str) -> None:
        """A start tag."""
        if name not in _KEPT:
            self._start_in_line(name, start, attributes)
            return
        if self.opened.get("math") and name != "math":
            self._pop_to(self.opened["math"][0])
        if name in _IN_TABLES:
            self._start_in_table(name, start, attributes)
            return
        if name in _BLOCKS:
            self._close_paragraph()
            if name == "hr":
                self._insert(Node(name, start, attributes))
                return
        elif name in HEADINGS:
            self._close_paragraph()
            if self.stack[-1].name in HEADINGS:
                self._pop_to(len(self.stack) - 1)
        elif name == "li" or name in _TERMS:
            nearest = self._stops[-1]
            if self.stack[nearest].name in (_TERMS if name in _TERMS else {"li"}):
                self._pop_to(nearest)
            self._close_paragraph()
        elif name in {"option", "optgroup"} and self.stack[-1].name == "option":
            self._pop_to(len(self.stack) - 1)
        elif name == "button" and self._last("button") > self._scopes[-1]:
            self._pop_to(self._last("button"))
        self._push(Node(name, start, attributes))

    def _start_in_line(self, name: str, start: int, attributes: str) -> None:
        """An element inside a line becomes a node if anybody may ask for it."""
        if name == "a":
            self._close_link()
        if name in _EMPTY:
            self._insert(Node("img" if name == "image" else name, start, attributes))
        elif name == "col":
            table = self._last("table")
            if table > self._last_scope_but_cells():
                around = self.stack[table].children if self._columns is None else self._columns
                around.append(Node(name, start, attributes))
        elif name not in _EMPTY_HIDDEN and name not in _IGNORED:
            if self.opened.get(name) or (attributes and self._is_notable(name, attributes)):
                self._push(Node(name, start, attributes))
            elif len(attributes) <= _SHORT and len(self.unasked) < _MOST_KNOWN:
                self.unasked.add(attributes)

    def _is_notable(self, name: str, attributes: str) -> bool:
        """Whether anybody asks an element inside a line for its attributes."""
        if name == "code" and self.opened.get("pre"):
            return True  # its classes may name the language
        lowered = attributes.lower()
        for mark in _NOTABLE:
            if mark in lowered:
                return True
        at = lowered.find('class="')
        if at < 0:
            return "class" in lowered
        classes = lowered[at + 7 : lowered.find('"', at + 7)]
        found = self._notable.get(classes)
        if found is None:
            found = self._notable[classes] = "&" in classes or is_telling(tuple(classes.split()))
        return found

    def end(self, name: str, start: int) -> None:
        """An end tag, of an open element or of what ends anything."""
        if self.stack[-1].name == name:  # as nearly all are: nothing else is open in it
            self._pop_to(len(self.stack) - 1)
            return
        if name in HEADINGS:
            found = max(self._last(heading) for heading in HEADINGS)
        else:
            found = self._last(name)
        if found < 0:
            if name == "colgroup":
                self._columns = None
            if name == "br" or (name == "p" and self._last("p") < 0):
                self._insert(Node(name, start))
            return
        if name in _IN_TABLES:
            reach = self._last("table") - (name == "table")
        elif name == "li":
            reach = max(self._scopes[-1], self._last("ol"), self._last("ul"))
        elif name in _SPECIAL:
            reach = self._scopes[-1] - (name in _SCOPES)
        else:
            reach = self._special[-1]
        if found > reach:
            self._pop_to(found)
        elif name == "p":
            self._insert(Node(name, start))

    def _start_in_table(self, name: str, start: int, attributes: str) -> None:
        self._columns = None
        above = self.stack[-1].name
        if (above == "tr" and name in _CELLS) or (above in _AROUND_TR and name == "tr"):
            self._push(Node(name, start, attributes))  # as nearly all are
            return
        table = self._last("table")
        if name == "table":
            if 0 <= table == self._scopes[-1]:  # between its rows
                self._pop_to(table)
            else:
                self._close_paragraph()
            self._push(Node(name, start, attributes))
            return
        if table < 0 or self._last_scope_but_cells() > table:
            return  # a row or cell outside every table: its content is what counts
        section = max(self._last(part) for part in _SECTIONS_OF_TABLES)
        inner = max(table, section)
        if name == "tr":
            self._pop_to(inner + 1)
        elif name in _CELLS:
            row = self._last("tr")
            self._pop_to((row if row > table else inner) + 1)
            if row <= table:
                self._push(Node("tr", start))
        else:
            self._pop_to(table + 1)
        node = Node(name, start, attributes)
        if name == "colgroup":  # only columns may be in it: nothing else asks for it
            self.stack[table].children.append(node)
            self._columns = node.children
        else:
            self._push(node)

    def _last_scope_but_cells(self) -> int:
        """The innermost open element that a row does not reach over, beside cells and captions."""
        return max(self._last("object"), self._last("applet"), self._last("marquee"))

    def _close_paragraph(self) -> None:
        found = self._last("p")
        if found > self._scopes[-1]:
            self._pop_to(found)

    def _close_link(self) -> None:
        """End the link that is open: links do not nest.

        One with blocks in it stays, as far as that changes nothing, because they are not moved
        out of it here; but it hides nothing behind this point.
        """
        found = self._last("a")
        if found > self._special[-1] or (found > 0 and "hidden" in self.stack[found].source):
            self._pop_to(found)

    def _last(self, name: str) -> int:
        """Where in the stack the innermost open element of the name is, or -1."""
        found = self.opened.get(name)
        return found[-1] if found else -1

    def _insert(self, child: Node | Text) -> None:
        """Put a child where it belongs: what stands between rows comes in front of the table."""
        top = self.stack[-1]
        if top.name in _AROUND_ROWS:
            around = self.stack[self._last("table") - 1].children
            around.insert(max(0, len(around) - 1), child)
        else:
            top.children.append(child)

    def _push(self, node: Node) -> None:
        name = node.name
        if name in _IN_TABLES and name != "table":
            self.stack[-1].children.append(node)
        else:
            self._insert(node)
        index = len(self.stack)
        self.stack.append(node)
        found = self.opened.get(name)
        if found is None:
            self.opened[name] = [index]
        else:
            found.append(index)
        if name in _SPECIAL:
            self._special.append(index)
            if name in _STOPS:
                self._stops.append(index)
            if name in _SCOPES:
                self._scopes.append(index)
        if name in HEADINGS:
            self._mark_heading(HEADINGS[name])
        if name in {"article", "main"} or (
            "main" in node.source and node.attributes.get("role") == "main"
        ):
            self._mark_main()

    def _pop_to(self, length: int) -> None:
        """Close all elements but so many."""
        stack = self.stack
        while len(stack) > length:
            name = stack.pop().name
            self.opened[name].pop()
            if name in _SPECIAL:
                self._special.pop()
                if name in _STOPS:
                    self._stops.pop()
                if name in _SCOPES:
                    self._scopes.pop()

    def _mark_heading(self, level: int) -> None:
        self.first_headings += level == 1
        for node in reversed(self.stack):
            if 0 < node.heading <= level:
                return
            node.heading = level

    def _mark_main(self) -> None:
        for node in reversed(self.stack):
            if node.has_main:
                return
            node.has_main = True
