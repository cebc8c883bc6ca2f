"""What a document is: explicit settings, then its name, then its first line, then its content.

Never an error: what nothing recognises is ``text``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

_FORMAT_ENDINGS: Mapping[str, str] = {
    ".csv": "delimited",
    ".tsv": "delimited",
    ".tab": "delimited",
    ".psv": "delimited",
    ".md": "markdown",
    ".mdx": "markdown",
    ".markdown": "markdown",
    ".mdown": "markdown",
    ".mkd": "markdown",
    ".qmd": "markdown",
    ".rmd": "markdown",
    ".txt": "text",
    ".text": "text",
    ".log": "text",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".xht": "html",
    ".rst": "rst",
    ".rest": "rst",
    ".json": "records",
    ".jsonl": "records",
    ".ndjson": "records",
    ".json5": "records",
    ".jsonc": "records",
    ".jsonlines": "records",
    ".geojson": "records",
    ".topojson": "records",
    ".jsonld": "records",
    ".har": "records",
    ".webmanifest": "records",
    ".code-workspace": "records",
    ".yaml": "records",
    ".yml": "records",
    ".toml": "records",
    ".ini": "records",
    ".cfg": "records",
    ".desktop": "records",
    ".service": "records",
    ".socket": "records",
    ".timer": "records",
    ".xml": "records",
    ".atom": "records",
    ".csproj": "records",
    ".gpx": "records",
    ".kml": "records",
    ".opml": "records",
    ".plist": "records",
    ".resx": "records",
    ".rss": "records",
    ".svg": "records",
    ".wsdl": "records",
    ".xlf": "records",
    ".xsd": "records",
    ".xsl": "records",
    ".xslt": "records",
    ".ipynb": "notebook",
}
INI_NAMES = frozenset(
    {
        ".coveragerc",
        ".editorconfig",
        ".flake8",
        ".gitconfig",
        ".gitmodules",
        ".npmrc",
        ".pylintrc",
    }
)
"""Names of files that are written as INI, in lower case."""
_RECORD_NAMES = INI_NAMES | frozenset(
    {
        "cargo.lock",
        "composer.lock",
        "flake.lock",
        "pdm.lock",
        "pipfile",
        "pipfile.lock",
        "poetry.lock",
        "uv.lock",
    }
)
# Patterns are compiled when first used: that takes longer than importing the module.
_HOST = r"[A-Za-z][A-Za-z0-9+.-]*://[^/]*"
_TEXT_NAMES = frozenset({"license", "licence", "copying", "notice", "authors", "readme", "changes"})
_SHEBANG = r"#![ \t]*(\S+)(?:[ \t]+(?:-\S+[ \t]+)*(\S+))?"
_MODELINE = r"-\*-.{0,80}?(?:mode:[ \t]*)?([A-Za-z+#]{1,20})[ \t]*;?[ \t]*-\*-"
_VIM_MODELINE = r"(?:^|\s)vim?:.{0,80}?(?:ft|filetype|syntax)=(\w{1,20})"
_MARKDOWN_MARK = r"(?m:^(?:#{1,6} \S|(?:```|~~~)[\w-]*$|\|? ?:?-{3,}:? ?\||[-*] \[[ x]\] |=== \"))"
_HTML_FRAGMENT = (
    r"(?i:<(?:article|aside|blockquote|center|details|div|dl|figure|footer|h[1-6]|header|main|nav|"
    r"ol|p|pre|section|table|ul)[\s>])"
)
_TAG = r"[{.]*([\w+#-]+)"
_TAG_NAMES: Mapping[str, str] = {
    "c#": "csharp",
    "c++": "cpp",
    "console": "bash",
    "cs": "csharp",
    "docker": "dockerfile",
    "ex": "elixir",
    "f#": "fsharp",
    "golang": "go",
    "hs": "haskell",
    "javascriptreact": "javascript",
    "jsx": "javascript",
    "kt": "kotlin",
    "makefile": "make",
    "node": "javascript",
    "objective-c": "objc",
    "pl": "perl",
    "protobuf": "proto",
    "ps1": "powershell",
    "py": "python",
    "py3": "python",
    "python3": "python",
    "rb": "ruby",
    "rs": "rust",
    "sh": "bash",
    "shell": "bash",
    "tf": "terraform",
    "ts": "typescript",
    "typescriptreact": "tsx",
    "vb": "",
    "viml": "vim",
    "vimscript": "vim",
    "zsh": "bash",
}
_CLOSING_TAG = r"</[A-Za-z]"
_JSON = (".json", ".jsonl", ".ndjson", ".geojson")
_SAMPLE = 20_000  # characters that are looked at
_NOT_CODE = frozenset({"", "text", "txt", "plain", "plaintext", "output", "none", "log"})


class Detected(NamedTuple):
    """The format of a document, and the language when the format is ``code``."""

    format: str
    language: str = ""


def detect(
    text: str, path: str = "", *, language: str | None = None, format: str | None = None
) -> Detected:
    """The format and language of a document.

    Args:
        text: its text; only the beginning is looked at.
        path: its path or name, or ``""``.
        language: decides when given, unless the format is given too and is not ``code``; the
            format is then ``code``, but ``markdown`` when that is the language.
        format: decides when given.
    """
    if format is not None and format != "code":
        return Detected(format)
    if language is not None:
        return _by_language(language)
    named = _by_name(path, text) if path else None
    if format == "code":
        return named if named and named.language else Detected("code", _by_first_line(text))
    if named is not None:
        return named
    first = _by_first_line(text)
    if first:
        return Detected("code", first)
    return Detected(_by_content(text))


@cache
def language_of_tag(tag: str) -> str:
    """The language that an info string, a modeline or a user means; ``""`` when none is known."""
    found = re.match(_TAG, tag.strip())
    name = found[1].lower() if found else ""
    if name in _NOT_CODE:
        return ""
    if name in _TAG_NAMES:
        return _TAG_NAMES[name]
    tables = _tables()
    if name in tables.languages:
        return name
    return tables.endings.get(f".{name}", "")


def _by_language(language: str) -> Detected:
    name = language.strip().lower()
    if name in {"markdown", "md"}:
        return Detected("markdown")
    known = language_of_tag(name)
    return Detected("code", known or name)


def converted_format_or_none(path: str, text: str) -> str | None:
    """The format of a text that is no longer in the format its path names.

    Many loaders hand out what they have made of a file under the path of the file: the words of a
    page without its tags, the cells of a notebook, one value of a JSON file. None when the text
    may be what the file holds.
    """
    named = detect(text, path).format
    first = text.lstrip("\ufeff \t\r\n")[:1]
    if named == "html":
        kept = first == "<" or re.search(_CLOSING_TAG, text) is not None
    elif named == "notebook":
        kept = first == "{"
    elif named == "records" and path.lower().endswith(".xml"):
        kept = first == "<"
    elif named == "records" and path.lower().endswith(_JSON):
        kept = first in set('{["-0123456789')
    else:
        kept = True
    return None if kept else detect(text).format


def _by_name(path: str, text: str) -> Detected | None:
    host = re.match(_HOST, path)
    steps = path[host.end() if host else 0 :].replace("\\", "/").rstrip("/")
    name = steps.rpartition("/")[2]
    if name in {"", "."}:
        return None
    tables = _tables()
    if name in tables.names:
        return Detected("code", tables.names[name])
    lowered = name.lower()
    if lowered in _RECORD_NAMES:
        return Detected("records")
    stem, _, _ = lowered.partition(".")
    start = lowered.find(".", 1)
    while start >= 0:
        ending = lowered[start:]
        meant = _meant(ending, text) if ending in tables.contested else ""
        if meant:
            return Detected("code", meant) if meant in tables.languages else Detected(meant)
        if ending in _FORMAT_ENDINGS:
            return Detected(_FORMAT_ENDINGS[ending])
        if ending in tables.endings:
            return Detected("code", tables.endings[ending])
        start = lowered.find(".", start + 1)
    if lowered in tables.names:
        return Detected("code", tables.names[lowered])
    if stem in _TEXT_NAMES and "." not in lowered:
        return Detected("text")
    return None


def _meant(ending: str, text: str) -> str:
    """The language or format that the text tells for a contested ending, or ``""``."""
    sample = "\n" + text[:_SAMPLE]
    for hint, meant in _tables().contested[ending]:
        pattern = _compiled(hint)
        if (pattern.match if hint.startswith(r"\A") else pattern.search)(sample):
            return meant
    return ""


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.MULTILINE)


def _by_first_line(text: str) -> str:
    head = text[:1000].lstrip("\ufeff")
    line, _, rest = head.partition("\n")
    shebang = re.match(_SHEBANG, line)
    tables = _tables()
    if shebang:
        program = shebang[1].rpartition("/")[2]
        if program == "env" and shebang[2]:
            program = shebang[2]
        program = program.rstrip("0123456789.")
        found = tables.interpreters.get(program)
        if found:
            return found
    for candidate in (line, rest.partition("\n")[0]):
        mode = re.search(_MODELINE, candidate) or re.search(_VIM_MODELINE, candidate)
        if mode:
            found = language_of_tag(mode[1])
            if found:
                return found
    return ""


def _by_content(text: str) -> str:
    from structchunk_core.formats.delimited import looks_delimited

    sample = text[:_SAMPLE]
    head = sample.lstrip("\ufeff \t\r\n")
    lowered = head[:200].lower()
    if lowered.startswith(("<!doctype html", "<html", "<head", "<body")):
        return "html"
    if lowered.startswith("<?xml"):
        return "records"
    if head.startswith(("---\n", "---\r\n", "+++\n")):
        closing = "\n" + head[:3]
        if closing in head[3:]:
            return "markdown"
    if head.startswith("{") and re.match(r'\{\s*(?:"|\})', head):
        return "records"
    if head.startswith("[") and re.match(r"\[\s*[\[{\"\d\]]", head) and _closes(text, "]"):
        return "records"
    if re.search(_MARKDOWN_MARK, sample):
        return "markdown"
    if looks_delimited(sample):
        return "delimited"
    if re.match(_HTML_FRAGMENT, head) and "</" in sample:
        return "html"
    return "text"


def _closes(text: str, bracket: str) -> bool:
    return text[-100:].rstrip().endswith(bracket)


class _Tables(NamedTuple):
    languages: frozenset[str]
    endings: Mapping[str, str]
    names: Mapping[str, str]
    interpreters: Mapping[str, str]
    contested: Mapping[str, Sequence[tuple[str, str]]]


@cache
def _tables() -> _Tables:
    from structchunk_core.profiles import contested, others, profile, profiled_languages

    endings: dict[str, str] = {}
    names: dict[str, str] = {}
    interpreters: dict[str, str] = {}
    languages = (*others(), *profiled_languages())
    for language in languages:  # a data file of its own is read last, and wins
        data = profile(language)
        endings.update(dict.fromkeys(data.extensions, language))
        names.update(dict.fromkeys(data.filenames, language))
        interpreters.update(dict.fromkeys(data.interpreters, language))
    return _Tables(frozenset(languages), endings, names, interpreters, contested())
