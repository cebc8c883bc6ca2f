"""Files of one component each (Vue, Svelte, Astro): markup, script and style side by side.

Each script and style is code of its own language, the markup is code of the file's. Nothing is
rendered: every unit is a span of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

from structchunk_core.detect import language_of_tag
from structchunk_core.formats import ParseOptions
from structchunk_core.formats._code_parts import CodePart, facts_of_parts
from structchunk_core.formats._html_tokens import START, TEXT, read_attributes, tokens
from structchunk_core.source import Source, line_start
from structchunk_core.unit import Facts, Parsed, Tie, Unit, retied

COMPONENTS = frozenset({"astro", "svelte", "vue"})
"""Languages whose files hold other languages in their elements."""


def parse_component(source: Source, options: ParseOptions) -> Parsed:
    """The unit tree of a component: its scripts, styles and stretches of markup, in order."""
    text = source.text
    root = Unit("file", 0, len(text), atomic=False, node_type="component")
    if text:
        parts = tuple(_parts(text, source.language))
        root = replace(root, opener=lambda: _units(text, parts, source.language, options))
        return Parsed(root, facts=_facts(source, parts, options))
    return Parsed(root)


@dataclass(frozen=True, slots=True)
class _Part:
    """A stretch of the file.

    Attributes:
        label: ``script``, ``style``, ``template`` or ``""``.
        start: where it begins, in characters.
        inner_start: where its code begins, behind the line of its start tag.
        inner_end: where its code ends.
        language: the language of that code.
    """

    label: str
    start: int
    inner_start: int
    inner_end: int
    language: str


def _parts(text: str, language: str) -> Iterator[_Part]:
    """The parts of the file in order; each reaches to the next one."""
    position = 0
    fence = _FRONT_MATTER.match(text) if language == "astro" else None
    if fence is not None:
        position = fence.end()
        yield _Part("script", 0, fence.start(1), fence.end(1), "typescript")
    for part, end in _elements(text, language, position):
        if text[position : part.start].strip():
            yield _Part("", position, position, part.start, language)
        yield part
        position = end
    if text[position:].strip() or position == 0:
        yield _Part("", position, position, len(text), language)


# Between the marks lies a script; a mark is a line of its own.
_FRONT_MATTER = re.compile(
    r"\s*+---[ \t\r]*\n((?:(?!---[ \t\r]*$).*\n)*+)---[ \t\r]*$", re.MULTILINE
)


def _elements(text: str, language: str, start: int) -> Iterator[tuple[_Part, int]]:
    """Scripts, styles and, in Vue, templates that stand outside of others, with their ends."""
    wanted = _ELEMENTS if language == "vue" else _ELEMENTS - {"template"}
    name = ""
    depth = begin = inner = 0
    inner_language = ""
    for _, at, end, kind, tag, attributes in tokens(text):
        if at < start or kind == TEXT:
            continue
        if not name:
            if kind == START and tag in wanted and not attributes.endswith("/"):
                name, depth = tag, 1
                begin, inner = at, end
                inner_language = _language(name, attributes, language)
        elif tag == name:
            depth += 1 if kind == START else -1
            if depth == 0:
                line_end = _LINE_END.match(text, inner)
                first = line_end.end() if line_end else inner
                last = line_start(text, at)
                last = at if text[last:at].strip() else last
                yield _Part(name, begin, first, max(first, last), inner_language), end
                name = ""


_ELEMENTS = frozenset({"script", "style", "template"})
_LINE_END = re.compile(r"[ \t\r]*+\n")


def _language(name: str, attributes: str, language: str) -> str:
    """The language of what is in an element: as its attributes say, else the usual one."""
    found = read_attributes(attributes)
    named = found.get("lang") or found.get("type", "").rpartition("/")[2]
    if name == "template":
        return language_of_tag(named) if named and named != "html" else language
    if name == "style":
        return language_of_tag(named) or "css"
    if named.endswith("json"):
        return "json"
    usual = "typescript" if language == "astro" else "javascript"
    return language_of_tag(named) or usual


def _units(
    text: str, parts: tuple[_Part, ...], language: str, options: ParseOptions
) -> Iterator[Unit]:
    for number, part in enumerate(parts):
        start = part.start if number else 0
        end = parts[number + 1].start if number + 1 < len(parts) else len(text)
        yield Unit(
            "section",
            start,
            end,
            label=part.label,
            atomic=False,
            tie=Tie.FREE,
            language=part.language if part.language != language else "",
            opener=partial(_inside, text, part, start, end, options),
            node_type=f"{part.label or 'markup'}_element",
        )


def _inside(text: str, part: _Part, start: int, end: int, options: ParseOptions) -> Iterator[Unit]:
    """The start tag, the units of the code and the end tag of a part."""
    from structchunk_core.formats.code import parse_inside

    inner_start = max(start, part.inner_start) if part.inner_start > part.start else start
    inner_end = end if not part.label else part.inner_end
    if inner_start > start:
        yield Unit("head", start, inner_start)
    if inner_end > inner_start:
        inner = text[inner_start:inner_end]
        units = parse_inside(text, inner_start, inner_end, inner, part.language, options).units()
        for unit in units or (Unit("lines", inner_start, inner_end, atomic=False),):
            is_first = unit.start == inner_start and inner_start > start
            yield retied(unit, Tie.HEAD) if is_first else unit
    if end > max(inner_end, inner_start):
        yield Unit("close", max(inner_end, inner_start), end, tie=Tie.HEAD)


def _facts(source: Source, parts: tuple[_Part, ...], options: ParseOptions) -> Facts:
    """What can be asked about the scripts: of those in the language of the first one."""
    text = source.text
    scripts = [
        part for part in parts if part.label == "script" and part.inner_end > part.inner_start
    ]
    if not scripts:
        return Facts()
    language = scripts[0].language
    code = [
        CodePart(
            part.inner_start,
            part.inner_end,
            partial(_code_of, text, part),
            partial(_code_units, text, part, options),
        )
        for part in scripts
        if part.language == language
    ]
    return facts_of_parts(source, code, language, options)


def _code_of(text: str, part: _Part) -> str:
    return text[part.inner_start : part.inner_end]


def _code_units(text: str, part: _Part, options: ParseOptions) -> tuple[Unit, ...]:
    from structchunk_core.formats.code import parse_inside

    inner = _code_of(text, part)
    start, end = part.inner_start, part.inner_end
    return parse_inside(text, start, end, inner, part.language, options).units()
