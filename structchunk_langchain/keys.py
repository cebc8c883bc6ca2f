"""``uuid5_key``: a key for ``langchain_core.indexing.index`` that every vector store takes."""

from __future__ import annotations

import json
import uuid

from langchain_core.documents import Document

_NAMESPACE = uuid.UUID("6f6f1f9e-5b58-5d53-9d8e-0c9a3d0f3a51")


def uuid5_key(document: Document) -> str:
    """A UUID of a document's text and metadata, for ``index(..., key_encoder=uuid5_key)``.

    Equal documents have equal keys in every process, so that only what has changed is embedded
    again. It is a UUID because Qdrant takes no other ids, and no built-in encoder but the
    deprecated ``sha1`` makes one. Values that JSON does not know count as they print; the order
    of keys and of the members of a set does not count.
    """
    metadata = json.dumps(
        sorted(document.metadata.items(), key=_name), default=_plain, sort_keys=True
    )
    content = json.dumps(document.page_content)
    return str(uuid.uuid5(_NAMESPACE, f"{content}{metadata}"))


def _name(item: tuple[object, object]) -> str:
    return str(item[0])


def _plain(value: object) -> object:
    if isinstance(value, set | frozenset):
        return sorted(map(str, value))
    return str(value)
