"""Records: JSON, JSON Lines, YAML and TOML, as trees of keys and lists.

A value that fits is one unit, and nothing looks into it. What does not fit is opened: each part
then has the keys around it in its path, and around its text the keys (with their brackets) that
make it a document of its own. Positions in lists are in no path, context or id, so that a record
that is put in front leaves all others as they are; a record whose first key names it (``id``,
``name``) is called by that.
"""

from __future__ import annotations

import re
from dataclasses import replace

from structchunk_core.errors import Problem
from structchunk_core.formats import ParseOptions
from structchunk_core.source import Source
from structchunk_core.unit import Parsed

_ENDING = re.compile(r"\.[\w-]+\Z")
_AS_TEXT = (".xml",)


def parse(source: Source, options: ParseOptions) -> Parsed:
    """The unit tree of a document of records."""
    from structchunk_core.formats._records_json import parse_json
    from structchunk_core.formats._records_toml import parse_toml
    from structchunk_core.formats._records_yaml import parse_yaml

    found = _ENDING.search(source.path)
    ending = found[0].lower() if found else ""
    if ending in _AS_TEXT or (not ending and source.text.lstrip("\ufeff \t\r\n").startswith("<")):
        from structchunk_core.formats.text import parse as parse_text

        parsed = parse_text(source, options)
        problem = Problem("format-as-text", f"there is no parser for {ending} yet: cut as text")
        return replace(parsed, problems=(*parsed.problems, problem))
    if ending == ".toml":
        return parse_toml(source.text)
    if ending in (".yaml", ".yml"):
        return parse_yaml(source.text)
    return parse_json(source.text, ending)
