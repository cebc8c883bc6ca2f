"""What running a cell has shown, as a few lines of text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from structchunk_core.formats._notebook_cells import string
from structchunk_core.formats._notebook_json import Value, decoded

_LINES = 12
_CHARACTERS = 800
_WIDEST = 200  # characters of a line
_LAST_LINES = 4  # of a traceback
_SAMPLE = 20_000  # characters of the file that are looked at for one output
_MORE = "..."
_STREAMS = frozenset({"stdout", ""})
_RESULTS = frozenset({"display_data", "execute_result", "pyout"})
_ERRORS = frozenset({"error", "pyerr"})
_OLD_NAMES = {
    "html": "text/html",
    "javascript": "application/javascript",
    "jpeg": "image/jpeg",
    "latex": "text/latex",
    "png": "image/png",
    "svg": "image/svg+xml",
    "text": "text/plain",
}
_WRITTEN = ("text/plain", "text/markdown", "text/latex")
_SILENT = frozenset({"application/vnd.jupyter.widget-view+json"})  # its text names objects only
_CONTROL = re.compile(
    r"\x1b(?:\[[0-?]*+[ -/]*+[@-~]|\][^\x07\x1b]*+(?:\x07|\x1b\\)?|[@-_])|[\x00\x08]"
)
_OBJECT = re.compile(
    r"[\[({<][^\n]* at 0x[0-9a-fA-F]+>[^\n]*|\[?<(?:IPython\.|Figure |Axes|matplotlib\.)[^\n]*>\]?"
)
_MARK = re.compile(r"\[[\w.+-]+/[\w.+-]+\]")


def output_text(text: str, outputs: Sequence[Value]) -> str:
    """The first lines of what was written and returned, the last ones of a traceback.

    Images and what else is not text leave a mark (``[image/png]``). What names an object in
    memory and says nothing is left out, and so is what went to the standard error.
    """
    lines: list[str] = []
    for output in outputs:
        shown = _shown(text, output)
        if len(lines) >= _LINES:
            marks = [line for line in shown if _MARK.fullmatch(line)]
            if len(marks) < len(shown) and lines[-1] != _MORE:
                lines.append(_MORE)
            shown = [] if marks[:1] == lines[-1:] else marks[:1]
        lines.extend(shown)
    return "\n".join(lines)


def _shown(text: str, output: Value) -> list[str]:
    kind = string(text, output.get("output_type"))
    if kind == "stream":
        name = string(text, output.get("name")) or string(text, output.get("stream"))
        return _first_lines(_sample(text, output.get("text"))) if name in _STREAMS else []
    if kind in _RESULTS:
        return list(_result_lines(text, output))
    if kind in _ERRORS:
        return _error_lines(text, output)
    return []


def _result_lines(text: str, output: Value) -> Iterator[str]:
    data = output.get("data")
    members = data.members if data.kind == "object" else output.members
    found = {_OLD_NAMES.get(name, name): value for name, value in members.items()}
    written: list[str] = []
    for name in _WRITTEN:
        sample = _sample(text, found[name]) if name in found else ""
        if sample.strip() and not _OBJECT.fullmatch(sample.strip()):
            written = _first_lines(sample)
            break
    if any(name in _SILENT for name in found):
        written = []
    others = [name for name in found if "/" in name and name not in _WRITTEN]
    pictures = [name for name in others if name.startswith("image/")]
    if pictures or (others and not written):
        yield f"[{(pictures or others)[0]}]"
    yield from written


def _error_lines(text: str, output: Value) -> list[str]:
    written = _sample(text, output.get("traceback"), last=True).split("\n")
    lines = [line.rstrip() for line in written if line.strip()][-_LAST_LINES:]
    if not lines:
        name, value = string(text, output.get("ename")), string(text, output.get("evalue"))
        lines = [": ".join(filter(None, (name, value)))]
    return _first_lines("\n".join(lines))


def _sample(text: str, value: Value, *, last: bool = False) -> str:
    """The beginning, or the end, of a string or an array of strings, without colours."""
    parts = [part for part in (value.items or (value,)) if part.kind == "string"]
    pieces: list[str] = []
    left = _SAMPLE
    for part in reversed(parts) if last else parts:
        start, end = part.start + 1, part.end - 1
        if end - start > left:
            start, end = (end - left, end) if last else (start, start + left)
        pieces.append(decoded(text, start, end).text)
        left -= end - start
        if left <= 0:
            break
    if last:
        pieces.reverse()
    separator = "\n" if last else ""  # an array of strings is a traceback of several lines
    return _CONTROL.sub("", separator.join(pieces))


def _first_lines(sample: str) -> list[str]:
    """The first lines that are not blank at either end; a line shows what was written last."""
    lines: list[str] = []
    room = _CHARACTERS
    for line in sample.strip("\r\n").split("\n"):
        kept = line.rstrip().rpartition("\r")[2]
        if len(lines) == _LINES or len(kept) > max(room, _WIDEST):
            lines.append(_MORE)
            break
        lines.append(kept if len(kept) <= _WIDEST else kept[:_WIDEST] + _MORE)
        room -= len(lines[-1])
    while lines and not lines[-1].strip():
        lines.pop()
    return lines
