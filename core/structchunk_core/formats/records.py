"""Records: JSON, JSON Lines, YAML, TOML, INI and XML, as trees of keys and lists.

A value that fits is one unit, and nothing looks into it. What does not fit is opened: each part
then has the keys around it in its path, and around its text the keys (with their brackets) that
make it a document of its own. Positions in lists are in no path, context or id, so that a record
that is put in front leaves all others as they are; a record whose first key names it (``id``,
``name``) is called by that.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace

from structchunk_core.detect import INI_NAMES
from structchunk_core.formats import ParseOptions
from structchunk_core.source import Source
from structchunk_core.unit import Parsed

_NAME = re.compile(r"[^/\\]*\Z")
_YAML = (".yaml", ".yml")
_TOML = (".toml", "pipfile")
_INI = (".ini", ".cfg", ".desktop", ".service", ".socket", ".timer")
_EITHER = (".conf", ".cnf")
"""What is written as INI or as TOML."""
_XML = re.compile(r"[\ufeff\s]*+<")
_OBJECT = re.compile(r"[\ufeff\s]*+\{")
_OF_JSON = (".json", ".jsonl", ".ndjson", ".jsonlines")
_AIM = 3 / 8
"""Settings are found more often in smaller chunks than what describes schemas, which is JSON."""


def parse(source: Source, options: ParseOptions) -> Parsed:  # noqa: ARG001 -- the seam of formats
    """The unit tree of a document of records; its name tells how it is written, or its content."""
    from structchunk_core.formats._records_ini import parse_ini
    from structchunk_core.formats._records_json import parse_json
    from structchunk_core.formats._records_schema import with_definitions
    from structchunk_core.formats._records_toml import parse_toml
    from structchunk_core.formats._records_xml import parse_xml
    from structchunk_core.formats._records_yaml import parse_yaml

    text = source.text
    found = _NAME.search(source.path)
    name = found[0].lower() if found else ""
    ending = name[name.rfind(".") :] if "." in name else ""
    if ending in _YAML:
        return replace(with_definitions(parse_yaml(text), text), aim=_AIM)
    if ending in _TOML or name in _TOML or (ending == ".lock" and not _OBJECT.match(text)):
        return replace(parse_toml(text), aim=_AIM)
    if ending in _INI or name in INI_NAMES:
        return replace(parse_ini(text), aim=_AIM)
    if ending not in _OF_JSON and _XML.match(text):
        return replace(parse_xml(text), aim=_AIM)
    if ending in _EITHER:
        return replace(parse_toml(text) if _is_toml(text) else parse_ini(text), aim=_AIM)
    return with_definitions(parse_json(text, ending), text)


def _is_toml(text: str) -> bool:
    try:
        tomllib.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
