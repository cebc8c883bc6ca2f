"""Text templates of nodes whose text is shown and not embedded.

LlamaIndex puts a node together by one template, whether for the embedding model or for the LLM;
only metadata can be hidden from either. A node that is embedded as another text than it shows
therefore has both among its metadata, each hidden from one of the two, and a template that leaves
the text of the node itself out: ``{content:.0}``, which is at most no character of it.

An ``IndexNode`` with the shown node as its ``obj``, which retrievers hand out in its place, would
need no template; but vector stores of LlamaIndex lose it in the older releases that we serve.
"""

from __future__ import annotations

import re
from string import Formatter
from typing import NamedTuple

from llama_index.core.schema import TextNode

TEXT_TEMPLATE: str = TextNode.model_fields["text_template"].default
_CONTENT = "content"
_METADATA = "metadata_str"
_NOTHING = "{content:.0}"
_ADDED = "{metadata_str!s}"


class Reduced(NamedTuple):
    """A template without the text of the node.

    Attributes:
        template: it.
        shows_text: whether the whole one shows the text.
        shows_metadata: whether the whole one shows metadata. If not, they are shown where the
            text was, and those of the loader have to be hidden.
    """

    template: str
    shows_text: bool
    shows_metadata: bool


def reduced(template: str) -> Reduced:
    """A text template without the text of the node.

    Raises:
        ValueError: it is no format string.
    """
    parts: list[str] = []
    names: set[str] = set()
    for literal, field, spec, conversion in Formatter().parse(template):
        parts.append(literal.replace("{", "{{").replace("}", "}}"))
        if field is None:
            continue
        name = re.split(r"[.\[]", field)[0]
        if name == _CONTENT:
            parts.append("" if name in names else _NOTHING)
        else:
            converted = f"!{conversion}" if conversion else ""
            parts.append(f"{{{field}{converted}{f':{spec}' if spec else ''}}}")
        names.add(name)
    shows_text, shows_metadata = _CONTENT in names, _METADATA in names
    if shows_text and not shows_metadata:
        parts = [part.replace(_NOTHING, _NOTHING + _ADDED) for part in parts]
    return Reduced("".join(parts), shows_text, shows_metadata)


def restored_template(template: str) -> str:
    """A reduced template with the text of the node where it was."""
    return template.replace(_NOTHING + _ADDED, "{content}").replace(_NOTHING, "{content}")
