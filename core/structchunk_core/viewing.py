"""A page that shows what splitters do to documents: one file, without a network, safe to open.

What documents and chunks say travels as JSON in an element that browsers do not run; the page's
script puts it into text nodes only. The policy of the page allows that script and style sheet, by
their hashes, and nothing else: no address is ever asked, and nothing in a document can run.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from structchunk_core.audit import audit
from structchunk_core.auditing.findings import AuditReport
from structchunk_core.auditing.given_chunks import given_chunk
from structchunk_core.auditing.rules import RULES
from structchunk_core.chunker import Chunker
from structchunk_core.chunks import Chunk
from structchunk_core.source import LineNumbers
from structchunk_core.unit import Parsed, Span

_MOST_UNITS = 4000  # of one document; deeper ones are left out first
_DEEPEST = 12
_TOO_SMALL = frozenset(
    {"cell", "expression", "fence_mark", "head", "heading", "lead", "table_head"}
)
_LONGEST_LABEL = 80


@dataclass(frozen=True, slots=True)
class Viewed:
    """A document and what splitters made of it.

    Attributes:
        path: what it is called.
        text: the document.
        parsed: what it was parsed into.
        splits: what each splitter made of it: the splitter's name, its chunks, their audit.
    """

    path: str
    text: str
    parsed: Parsed
    splits: Sequence[tuple[str, Sequence[object], AuditReport]]


def viewed(
    text: str,
    path: str,
    splits: Sequence[tuple[str, Sequence[object]]],
    budget: Chunker,
    *,
    format: str | None = None,
    language: str | None = None,
) -> Viewed:
    """The document with its chunks audited.

    Args:
        text: the document.
        path: what it is called; tells the format.
        splits: the name of each splitter and its chunks.
        budget: whose ``chunk_size`` and tokenizer are the budget.
        format: the format, where the path does not tell.
        language: the language, where it does not.
    """
    parsed = budget.parse(text, path=path, format=format, language=language)
    audits = [
        (
            name,
            chunks,
            audit(text, chunks, path=path, format=format, language=language, chunker=budget),
        )
        for name, chunks in splits
    ]
    return Viewed(path, text, parsed, audits)


def page_of(documents: Sequence[Viewed], title: str) -> str:
    """The page, as the text of an HTML file.

    Args:
        documents: what it shows, at least one.
        title: what it is called.
    """
    first = documents[0].splits[0][2]
    data = {
        "title": title,
        "chunkSize": first.chunk_size,
        "unit": first.unit,
        "rules": {rule.id: [rule.finds, rule.loss, rule.promise] for rule in RULES.values()},
        "documents": [_document(document) for document in documents],
    }
    style, script = _template("view.css"), _template("view.js")
    return (
        _template("view.html")
        .replace("{{style-hash}}", _hash(style))
        .replace("{{script-hash}}", _hash(script))
        .replace("{{style}}", style)
        .replace("{{script}}", script)
        .replace("{{title}}", _escaped(title).replace("{", "&#123;"))  # a name may hold {{data}}
        .replace("{{data}}", _embedded(data))  # last: it may hold anything
    )


def _template(name: str) -> str:
    return (files("structchunk_core") / "templates" / name).read_text("utf-8")


def _hash(content: str) -> str:
    """The content as a policy names it: what stands between the tags, to the character."""
    return base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()


def _escaped(text: str) -> str:
    text = text.encode("utf-8", "backslashreplace").decode()  # surrogates have no place in a page
    for character, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        text = text.replace(character, entity)
    return text


def _embedded(data: object) -> str:
    """JSON that no HTML parser can take for anything else, in characters that UTF-8 can hold."""
    written = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        written = written.replace(character, f"\\u{ord(character):04x}")
    return written.encode("utf-8", "backslashreplace").decode()


def _document(document: Viewed) -> dict[str, Any]:
    lines = LineNumbers(document.text)
    report = document.splits[0][2]
    return {
        "path": document.path or "text",
        "format": report.language or report.format,
        "isCode": report.format == "code",
        "units": _units(document),
        "splits": [
            _split(name, chunks, one, document.text, lines) for name, chunks, one in document.splits
        ],
    }


def _split(
    name: str, chunks: Sequence[object], report: AuditReport, text: str, lines: LineNumbers
) -> dict[str, Any]:
    by_chunk: dict[int, list[list[object]]] = {}
    lost: list[dict[str, object]] = []
    for finding in report.findings:
        if finding.rule == "lost-text":
            start, end = finding.span
            lost.append({"start": start, "line": finding.line, "text": text[start:end]})
        told = [finding.rule, finding.line, finding.message]
        by_chunk.setdefault(finding.chunk, []).append(told)
    kept = [chunk for chunk in chunks if not given_chunk(chunk).is_derived]
    return {
        "name": name,
        "fill": report.fill,
        "counts": dict(report.counts),
        "lost": lost,
        "general": [told for told in by_chunk.get(-1, ()) if told[0] != "lost-text"],
        "chunks": [
            _chunk(chunk, size, span, by_chunk.get(number, []), lines)
            for number, (chunk, size, span) in enumerate(
                zip(kept, report.sizes, report.spans, strict=True)
            )
        ],
    }


def _chunk(
    chunk: object, size: int, span: Span | None, findings: list[list[object]], lines: LineNumbers
) -> dict[str, Any]:
    given = given_chunk(chunk)
    described: dict[str, Any] = {
        "text": given.body,
        "size": size,
        "start": -1,
        "end": -1,
        "lines": [0, 0],
        "findings": findings,
    }
    if span is not None:
        described["start"], described["end"] = span
        last = max(span.start, span.end - 1)
        described["lines"] = [lines.line_at(span.start), lines.line_at(last)]
    if given.front:
        described["before"] = given.front
    if given.behind:
        described["after"] = given.behind
    if isinstance(chunk, Chunk):
        described |= {
            "kind": chunk.kind,
            "element": chunk.element_type,
            "path": list(chunk.path),
            "symbols": list(chunk.symbols),
            "part": chunk.part,
            "problems": sorted({problem.code for problem in chunk.problems}),
        }
        if chunk.context and not given.front.startswith(chunk.context):
            described["context"] = chunk.context
    return described


def _units(document: Viewed) -> list[list[object]]:
    """The units as rows of depth, kind, label, line and position, the upper levels first chosen."""
    rendering = document.parsed.rendering
    shown = rendering.text if rendering else document.text
    lines = LineNumbers(document.text)
    for deepest in range(_DEEPEST, 0, -1):
        rows = _rows(document.parsed, deepest, shown)
        if len(rows) <= _MOST_UNITS:
            break
    found: list[list[object]] = []
    for depth, kind, label, position in rows[:_MOST_UNITS]:
        origin = rendering.origin(position) if rendering else position
        found.append([depth, kind, label, lines.line_at(origin), origin])
    return found


def _rows(parsed: Parsed, deepest: int, shown: str) -> list[tuple[int, str, str, int]]:
    rows: list[tuple[int, str, str, int]] = []
    stack = [(0, parsed.root)]
    while stack and len(rows) <= _MOST_UNITS:
        depth, unit = stack.pop()
        start, end = unit.start, unit.end
        while start < end and shown[start].isspace():
            start += 1
        label = unit.label or " ".join(shown[start : min(end, start + _LONGEST_LABEL)].split())
        rows.append((depth, unit.kind, label[:_LONGEST_LABEL], start))
        if depth < deepest and not _is_leaf(unit.kind):
            stack.extend(
                (depth + 1, child)
                for child in reversed(unit.open())
                if child.kind not in _TOO_SMALL
            )
    return rows


def _is_leaf(kind: str) -> bool:
    """Whether what is inside of it is of no interest to a person who looks for a place."""
    return kind in {"import", "paragraph", "row", "statement"}
