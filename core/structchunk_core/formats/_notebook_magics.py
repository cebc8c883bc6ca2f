"""What notebooks write between their code: magics, commands of the shell, questions.

Grammars know nothing of them. A line of this sort is hidden from the grammar behind as many
characters as it has, so that the code around it is read as if it were not there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from structchunk_core.detect import language_of_tag

_SHELLS = ("bash", "sh", "!", "sx", "system")
_LANGUAGES = {
    **dict.fromkeys(_SHELLS, "bash"),
    "bigquery": "sql",
    "cython": "python",
    "file": "",
    "html": "html",
    "javascript": "javascript",
    "js": "javascript",
    "julia": "julia",
    "latex": "latex",
    "markdown": "markdown",
    "md": "markdown",
    "perl": "perl",
    "pwsh": "powershell",
    "pypy": "python",
    "pyspark": "python",
    "python": "python",
    "python2": "python",
    "python3": "python",
    "r": "r",
    "ruby": "ruby",
    "scala": "scala",
    "script": "bash",
    "sql": "sql",
    "sparksql": "sql",
    "svg": "svg",
    "writefile": "",
}
_WITH_NAME = frozenset({"file", "writefile"})
_HOSTS = ("csharp", "fsharp", "powershell")  # kernels whose commands begin with "#!"
_STATEMENT = "_"  # a name is a statement in Python
_FIRST = re.compile(
    r"\s*+(?:%%(?P<cell>[\w!]+)(?P<rest>[^\n]*+)|%(?P<line>\w++)[ \t\r]*+(?:\n|\Z)"
    r"|#!(?P<host>[a-z]++)[^\n]*+)"
)
_PROSE = re.compile(r"\s*+%md(?:-sandbox)?(?!\w)[ \t]*+\n?")
_HEAD = re.compile(r"\s*+(?:%{1,2}[A-Za-z!][^\n]*+(?:\n|\Z)\s*+)++")
_HOST_LINE = re.compile(r"^[ \t]*+#(?:!|r[ \t]|i[ \t]|load\b)[^\n]*+", re.MULTILINE)
_ASKED = re.compile(r"[;?\]][^\n]*+")
_NOT_LINE_END = re.compile(r"[^\r\n]+")


class Cell(NamedTuple):
    """What the code of a cell is written in, and where it begins.

    Attributes:
        language: the language, as a fence would name it.
        start: where the text of the language begins, in characters of the code; what stands
            before is the magic that names the language.
    """

    language: str
    start: int


def read_cell(code: str, language: str) -> Cell:
    """The language of a code cell of a kernel of that language."""
    if (prose := _PROSE.match(code)) is not None:
        return Cell("markdown", prose.end())
    first = _FIRST.match(code)
    if first is None:
        return Cell(language, 0)
    name = (first["cell"] or first["line"] or first["host"]).lower()
    if first["host"] and (language_of_tag(language) or language) not in _HOSTS:
        return Cell(language, 0)  # a line of a shell script
    known = _LANGUAGES.get(name)
    if first["host"] and known is None:
        known = language_of_tag(name) or None
    if known is None:
        return Cell(language, 0)  # of the kernel: %%time
    words = [word for word in (first["rest"] or "").split() if not word.startswith("-")]
    if name in _WITH_NAME and words:
        known = language_of_tag(words[-1].rpartition(".")[2]) if "." in words[-1] else ""
    elif name == "script" and words:
        known = language_of_tag(words[0].rpartition("/")[2]) or known
    return Cell(known, first.end())


def masked(code: str, language: str, start: int = 0) -> str:
    """The code as a grammar can read it, with every character at its place.

    Args:
        code: the code of a cell.
        language: the language that is to be read, by the name of its grammar.
        start: where the text of the language begins.
    """
    if start:
        code = _blank(code[:start]) + code[start:]
    if language == "python":
        return "".join(_masked_python(code))
    head = _HEAD.match(code)
    if head is not None:
        code = _blank(head[0]) + code[head.end() :]
    if language in _HOSTS:
        code = _HOST_LINE.sub(lambda line: _blank(line[0]), code)
    elif language == "julia" and (asked := _ASKED.match(code)) is not None:
        code = _blank(asked[0]) + code[asked.end() :]
    return code


def _blank(text: str) -> str:
    return _NOT_LINE_END.sub(lambda found: " " * len(found[0]), text)


_MAGIC = re.compile(r"[ \t]*+(?:%{1,2}[A-Za-z!]|!|\?|[/,;](?=[A-Za-z]))")
_ASSIGNED = re.compile(r"[^\n=#'\"(){}]*+=[ \t]*+(?=![^=\n]|%{1,2}[A-Za-z])")
_QUESTION = re.compile(r"[^\n?#'\"=]*+\?{1,2}[ \t\r]*+(?=\n|\Z)")
_TOKEN = re.compile(
    r"""(?P<triple>'''|\"\"\")|(?P<quote>['"])|(?P<comment>\#[^\n]*+)|(?P<open>[(\[{])"""
    r"""|(?P<close>[)\]}])|(?P<joint>\\\r?\n)|(?P<end>\n)""",
    re.VERBOSE,
)
_STRING_ENDS = {
    '"': re.compile(r'(?:[^"\\\n]++|\\.)*+"?', re.DOTALL),
    "'": re.compile(r"(?:[^'\\\n]++|\\.)*+'?", re.DOTALL),
    '"""': re.compile(r'(?:[^"\\]++|\\.|"(?!""))*+(?:""")?', re.DOTALL),
    "'''": re.compile(r"(?:[^'\\]++|\\.|'(?!''))*+(?:''')?", re.DOTALL),
}


def _masked_python(code: str) -> Iterator[str]:
    """The code with a name instead of each magic, command and question at the start of a line.

    Only lines count that begin a statement: not those inside brackets and strings.
    """
    position = 0
    while position < len(code):
        hidden = position
        if _MAGIC.match(code, position) or _QUESTION.match(code, position):
            hidden = position + _indentation(code, position)
        elif assigned := _ASSIGNED.match(code, position):
            hidden = assigned.end()
        else:
            stop = _statement_end(code, position)
            yield code[position:stop]
            position = stop
            continue
        stop = _command_end(code, hidden)
        yield code[position:hidden]
        first, mark, rest = code[hidden:stop].partition("\n")
        yield _NOT_LINE_END.sub(lambda found: _STATEMENT * len(found[0]), first)
        yield mark + _blank(rest)
        position = stop


def _indentation(code: str, position: int) -> int:
    stop = position
    while stop < len(code) and code[stop] in " \t":
        stop += 1
    return stop - position


def _command_end(code: str, position: int) -> int:
    """Where the line behind a command begins; one that ends in a backslash goes on."""
    while True:
        end = code.find("\n", position)
        if end < 0:
            return len(code)
        if not code[position:end].rstrip("\r").endswith("\\"):
            return end + 1
        position = end + 1


def _statement_end(code: str, position: int) -> int:
    """Where the line behind a statement begins, which brackets and strings may make longer."""
    depth = 0
    while token := _TOKEN.search(code, position):
        position = token.end()
        kind = token.lastgroup
        if kind in {"triple", "quote"}:
            closing = _STRING_ENDS[token[0]].match(code, position)
            position = closing.end() if closing else position
        elif kind == "open":
            depth += 1
        elif kind == "close":
            depth = max(0, depth - 1)
        elif kind == "end" and not depth:
            return position
    return len(code)
