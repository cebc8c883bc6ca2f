"""What a directive of reStructuredText is, by its name, and what it says."""

from __future__ import annotations

from structchunk_core.formats._rst_blocks import Block, Directive, Inside
from structchunk_core.formats._rst_document import Document
from structchunk_core.unit import Repeat, make_repeat

_CODE = frozenset(
    {
        *("code", "code-block", "code-cell", "sourcecode", "literalinclude", "parsed-literal"),
        *("prompt", "console", "ipython", "ipython3", "doctest", "testcode", "testsetup"),
        *("testcleanup", "testoutput", "productionlist", "raw", "graphviz", "digraph", "graph"),
        *("mermaid", "uml", "plantuml", "aafig", "blockdiag", "seqdiag", "jupyter-execute", "plot"),
        *("autosummary", "highlightlang", "inheritance-diagram"),
    }
)
_PYTHON = frozenset({"doctest", "testcode", "testsetup", "ipython", "ipython3", "jupyter-execute"})
_NAMES_LANGUAGE = frozenset({"code", "code-block", "code-cell", "sourcecode", "prompt", "raw"})
_ADMONITIONS = frozenset(
    {
        *("admonition", "attention", "caution", "danger", "error", "hint", "important", "note"),
        *("tip", "warning", "seealso", "todo", "topic", "sidebar", "deprecated", "versionadded"),
        *("versionchanged", "versionremoved", "deprecated-removed", "impl-detail", "availability"),
        *("audit-event", "epigraph", "highlights", "pull-quote"),
    }
)
_TITLED = frozenset({"admonition", "topic", "sidebar"})
VERSIONS = frozenset({"deprecated", "versionadded", "versionchanged", "versionremoved"})
_ENTRIES = frozenset(
    {
        *("attribute", "class", "classmethod", "cmdoption", "confval", "data", "decorator"),
        *("decoratormethod", "describe", "envvar", "exception", "function", "method", "object"),
        *("opcode", "option", "pdbcommand", "property", "staticmethod", "type", "macro", "member"),
        *("var", "enum", "enumerator", "struct", "union", "setting", "signal", "reqmeta"),
        *("templatetag", "templatefilter", "fieldlookup", "django-admin", "django-admin-option"),
        *("cfunction", "ctype", "cmember", "cvar", "cmacro", "coroutinefunction", "token"),
        *("autoattribute", "autoclass", "autodata", "autodecorator", "autoexception"),
        *("autofunction", "automethod", "automodule", "autoproperty", "automacro", "autostruct"),
    }
)
_LISTED = frozenset({"option", "cmdoption", "envvar", "confval", "describe", "object"})
_LONGEST_NAME = 80


def kind_of(block: Block) -> str:
    """What a block is, with directives told apart by their names."""
    directive = block.directive
    if directive is None:
        return block.kind
    name = directive.name
    if name in _CODE:
        return "code"
    if name in _ADMONITIONS:
        return "admonition"
    if name in {"list-table", "csv-table", "table"}:
        return "table"
    if name in {"math", "figure", "image", "index", "rubric", "toctree"}:
        return name
    if name in _ENTRIES or (":" in name and directive.argument):
        return "entry"
    return "directive"


DIRECTIVE_KINDS = {
    "admonition": "admonition",
    "figure": "figure",
    "image": "figure",
    "index": "references",
    "math": "math",
    "rubric": "heading",
    "table": "table",
}
"""What a directive is -> kind of its unit; ``directive`` for others."""


def kind_of_unit(block: Block) -> str:
    """The kind of unit that a directive becomes, without making it."""
    kind = kind_of(block)
    if kind == "table":
        return "table"
    if kind == "code":
        return "fence"
    return "entry" if kind == "entry" else DIRECTIVE_KINDS.get(kind, "directive")


def language_of(directive: Directive) -> str:
    """The language of the code in a directive, or ``""``."""
    from structchunk_core.detect import language_of_tag

    if directive.name in _PYTHON:
        return "python"
    name = directive.argument.split()[0].lower() if directive.argument else ""
    if directive.name in _NAMES_LANGUAGE:
        return language_of_tag(name) or name
    return language_of_tag(directive.options.get("language", ""))


def content_of(document: Document, block: Block, directive: Directive, kind: str) -> Inside | None:
    """The lines of the blocks in a directive; None without or when it is nested too deeply."""
    inside = block.inside
    if inside is None:
        return None
    if kind == "admonition" and directive.argument_at >= 0 and directive.name not in _TITLED:
        if directive.argument_at < document.reader.stops[block.line]:
            return inside._replace(line=block.line, begin=directive.argument_at)
        return inside._replace(line=block.line + 1)
    return inside if directive.content < block.end else None


def directive_line(
    document: Document,
    block: Block,
    directive: Directive,
    line: str = "",
    *,
    required: bool = True,
) -> Repeat:
    """The line of a directive, which makes of what is indented below it what it is."""
    shown = line or document.line(block)
    return make_repeat(
        before=f"{document.lead(block)}{shown}\n\n",
        required=required,
        mark=" " * directive.column,
    )


def entry_name(directive: Directive) -> str:
    """The name of what is documented: that of a function without its parameters; or ``""``."""
    written = directive.argument
    if directive.name.rpartition(":")[2] not in _LISTED:
        words = written.partition("(")[0].split()
        written = words[-1].lstrip("*&~!") if words else ""
    return written if len(written) <= _LONGEST_NAME else ""
