"""Functions for ``id_func=`` that can be imported, and so pickled and serialised by name.

Without one, the ids of nodes follow from their document and content and stay as they are under
edits elsewhere; these follow from the number of a node, which an edit above it changes.
"""

from __future__ import annotations

import uuid

from llama_index.core.schema import BaseNode

_NAMESPACE = uuid.UUID("3e0c7a52-3b8f-5d0a-9a0e-6a2f7f3a54b1")


def numbered_id(i: int, doc: BaseNode) -> str:
    """The id of the document and the number of the node in it: ``shop/prices.py-3``."""
    return f"{doc.node_id}-{i}"


def numbered_uuid(i: int, doc: BaseNode) -> str:
    """A UUID of both, for stores that take nothing else, such as Qdrant."""
    name = numbered_id(i, doc).encode("utf-8", "surrogatepass")
    return str(uuid.uuid5(_NAMESPACE, name.hex()))


def random_uuid(i: int, doc: BaseNode) -> str:  # noqa: ARG001  # the framework passes both
    """A UUID that no node has had before, as LlamaIndex's own parsers give."""
    return str(uuid.uuid4())
