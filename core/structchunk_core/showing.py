"""Chunks and unit trees as notebooks show them: HTML without scripts, all text escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from structchunk_core.chunks import Chunk
    from structchunk_core.unit import Unit

_MOST_UNITS = 400
_DEEPEST = 6
_OPEN = 2  # levels that are not folded
_FACTS = "opacity:.7;font-size:90%"
_BOX = (
    "border:1px solid rgba(128,128,128,.35);border-left:4px solid #2f7f74;border-radius:4px;"
    "padding:6px 12px;margin:4px 0"
)
_TEXT = (
    "margin:4px 0 0;white-space:pre-wrap;font-family:ui-monospace,Menlo,Consolas,monospace;"
    "font-size:90%;background:none;color:inherit"
)


def chunk_html(chunk: Chunk) -> str:
    """The chunk as a box: what it is, its context, what was added to the text, the text."""
    name = " \u203a ".join(chunk.path) or chunk.kind
    facts = [f"lines {chunk.start_line}\u2013{chunk.end_line}", f"size {chunk.size}"]
    if chunk.part:
        facts.append(f"part {chunk.part}")
    facts += sorted({problem.code for problem in chunk.problems})
    start = len(chunk.prefix) if chunk.text.startswith(chunk.prefix) else 0
    end = len(chunk.text) - (len(chunk.suffix) if chunk.text.endswith(chunk.suffix) else 0)
    context = ""
    if chunk.context and not chunk.text.startswith(chunk.context):
        context = f'<i style="opacity:.7">{escape(chunk.context)}\n</i>'
    return (
        f'<div style="{_BOX}"><b>{escape(name)}</b> '
        f'<span style="{_FACTS}">{escape(", ".join(facts))}</span>'
        f'<pre style="{_TEXT}">{context}{_added(chunk.text[:start])}'
        f"{escape(chunk.text[start:end])}{_added(chunk.text[end:])}</pre></div>"
    )


def unit_html(unit: Unit) -> str:
    """The upper levels of a unit tree as a list that folds, with spans in characters."""
    parts: list[str] = []
    left = _MOST_UNITS
    stack: list[tuple[int, Unit | str]] = [(0, unit)]
    while stack:
        depth, one = stack.pop()
        if isinstance(one, str):
            parts.append(one)
            continue
        left -= 1
        label = f" {escape(one.label)}" if one.label else ""
        title = (
            f"<b>{escape(one.kind)}</b>{label} "
            f'<span style="{_FACTS}">{one.start:,}\u2013{one.end:,}</span>'
        )
        children = one.open() if depth < _DEEPEST else ()
        if not children or len(children) > left:
            more = f" {len(children):,} inside" if children else ""
            parts.append(f'<div style="margin-left:1.2em">{title}{more}</div>')
            continue
        opened = " open" if depth < _OPEN else ""
        parts.append(f'<details{opened} style="margin-left:1em"><summary>{title}</summary>')
        stack.append((depth, "</details>"))
        stack.extend((depth + 1, child) for child in reversed(children))
    return f'<div style="font-family:system-ui,sans-serif">{"".join(parts)}</div>'


def _added(text: str) -> str:
    if not text:
        return ""
    return f'<span style="background:rgba(138,90,200,.18)">{escape(text)}</span>'
