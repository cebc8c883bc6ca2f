"""Signatures of definitions: the text from where they start to their body, on one line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from structchunk_core.formats._code_paths import first
from structchunk_core.formats._code_reading import Reading

if TYPE_CHECKING:
    from tree_sitter import Node

LONGEST_SIGNATURE: Final = 2000


def signature_of(reading: Reading, node: Node, holder: Node, begin_at: Node) -> str:
    """The signature of a definition.

    Args:
        reading: the file.
        node: what defines something.
        holder: the node inside it that has its body.
        begin_at: its first node behind its decorators.
    """
    body = reading.field_body(holder) or reading.body_of(holder)
    head = reading.head_length(holder) if reading.data.heads else 0
    if body is None and holder != node and reading.is_body(holder):
        body = holder
    begin = begin_at.start_byte
    if head:
        stop = holder.children[head - 1].end_byte
    else:
        stop = body.start_byte if body is not None else node.end_byte
    types = reading.types
    for child in holder.children:
        at = child.start_byte
        if at >= stop:
            break
        if at > begin and types[child.kind_id].comment:
            stop = at
            break
    start = reading.to_character(begin)
    end = reading.to_character(stop)
    signature = reading.text[start : min(end, start + LONGEST_SIGNATURE)]
    docs = reading.type_of(node).docs if reading.data.docs else ()
    doc = first(reading, node, docs) if docs else None
    if doc is not None and begin <= doc.start_byte and doc.end_byte <= stop:
        signature = signature.replace(reading.slice(doc), " ", 1)
    if body is None and not head:
        signature = signature.partition("\n")[0]
    return folded(signature)


def folded(signature: str) -> str:
    """A signature on one line, without what leads to the body."""
    folded = " ".join(signature.split()).rstrip(" {=;")
    if folded[:1] == "(" and folded.count("(") > folded.count(")"):
        folded = folded[1:]  # a form that the body closes
    return folded.removesuffix("=>").rstrip()
