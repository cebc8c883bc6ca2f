"""Chunks as nodes: text, exact place, metadata, what is embedded, and how nodes are related."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from llama_index.core.schema import (
    BaseNode,
    ImageDocument,
    ImageNode,
    IndexNode,
    MetadataMode,
    Node,
    NodeRelationship,
    RelatedNodeInfo,
    TextNode,
)

from structchunk_core import Chunk, Entry, Span
from structchunk_core.adapting import (
    TEXT_KEYS,
    address_beyond_path,
    length_of_context,
    loader_metadata,
    made_format_or_none,
    noted_values,
    own_key,
    own_metadata,
    path_key_or_none,
    place_or_none,
    shown_path,
    without_texts,
)
from structchunk_core.framing import Join
from structchunk_llamaindex.templates import TEXT_TEMPLATE, Reduced, reduced, restored_template

_PLACE_KEYS = ("structchunk_place_start", "structchunk_place_end")
_PATH_KEYS = ("file_path", "file_name", "source")
_OWN_KEYS = (*Chunk("", Span(0, 0), "").metadata(), "context", "gap_before", *TEXT_KEYS)


def has_text(node: BaseNode) -> bool:
    """Whether it is for us: pictures and references to other objects are left as they are."""
    return isinstance(node, Node | TextNode) and not isinstance(
        node, ImageDocument | ImageNode | IndexNode
    )


def frame_of(
    document: BaseNode, *, root: str | None, has_context: bool, include_metadata: bool
) -> Frame:
    """What all nodes of a document have in common.

    Args:
        document: the document, or a node of one. It is not changed.
        root: a folder; a path below it is shown and hashed relative to it.
        has_context: whether chunks have a context, which names the path.
        include_metadata: whether nodes get the metadata of the document.
    """
    text = document.get_content(metadata_mode=MetadataMode.NONE)
    front = length_of_context(document.metadata, text)
    everything = loader_metadata(document.metadata)
    loaded = everything if include_metadata else {}
    key = path_key_or_none(everything, _PATH_KEYS)
    path = shown_path(everything[key], root) if key is not None else ""
    said = [key] if key is not None and has_context else []
    template = text_template_of(document)
    return Frame(
        text=text[front:],
        path=path,
        made_format=made_format_or_none(text[front:], path, document.metadata),
        identity=_identity(document, path, address_beyond_path(everything[key]) if key else ""),
        loaded=loaded,
        source=with_place(document.source_node or document.as_related_node_info(), None),
        offset=_offset_or_none(document, len(text), front),
        hidden_from_embedding=(*document.excluded_embed_metadata_keys, *said),
        hidden_from_llm=tuple(document.excluded_llm_metadata_keys),
        templates={
            "metadata_template": document.metadata_template,
            "metadata_separator": document.metadata_separator,
            "text_template": template,
        },
        reduced=reduced(template),
    )


@dataclass(frozen=True, slots=True)
class Frame:
    """What all nodes of one document have in common.

    Attributes:
        text: the document's own text, without the context in front of that of a node of ours.
        path: its path as it is shown and hashed, or ``""``.
        made_format: the format of its text, where that is not what the path names, or None.
        identity: what tells the document from others, where its path does not.
        loaded: the loader's metadata that goes into every node.
        source: the root document.
        offset: where the text begins in the root document, in characters; None when its
            characters are not those of the root.
        hidden_from_embedding: metadata keys that are not embedded.
        hidden_from_llm: metadata keys that are not shown to the LLM.
        templates: how the document wants its metadata and text to be put together.
        reduced: its template for both, without the text.
    """

    text: str
    path: str
    made_format: str | None
    identity: str
    loaded: dict[str, Any]
    source: RelatedNodeInfo
    offset: int | None
    hidden_from_embedding: tuple[str, ...]
    hidden_from_llm: tuple[str, ...]
    templates: dict[str, str]
    reduced: Reduced

    def join(self) -> Join:
        """What LlamaIndex embeds of a node with a context and a text.

        It is LlamaIndex itself that puts them together, in a node that is used again and again.
        """
        key = own_key("context", self.loaded)
        probe = TextNode(
            metadata=dict(self.loaded),
            excluded_embed_metadata_keys=self._hidden(self.hidden_from_embedding, {"context"}),
            **self.templates,
        )

        def joined(context: str, text: str) -> str:
            probe.text = text
            probe.metadata.pop(key, None)
            if context:
                probe.metadata[key] = context
            return probe.get_content(MetadataMode.EMBED)

        return joined

    def join_indexed(self) -> Join:
        """What LlamaIndex embeds of a node with a context and a text in the place of its own."""
        keys = [own_key(key, self.loaded) for key in ("context", "indexed_text")]
        probe = TextNode(
            metadata=dict(self.loaded),
            excluded_embed_metadata_keys=self._hidden_of_indexed(
                self.hidden_from_embedding, {"context"}, "indexed_text"
            ),
            **self.templates | {"text_template": self.reduced.template},
        )

        def joined(context: str, text: str) -> str:
            for key, value in zip(keys, (context, text), strict=True):
                probe.metadata.pop(key, None)
                if value:
                    probe.metadata[key] = value
            return probe.get_content(MetadataMode.EMBED)

        return joined

    def node(self, chunk: Chunk, *, embeds_context: bool) -> TextNode:
        """The chunk as a node, without id and neighbours.

        Its text is what is shown. What is embedded in the place of that stands in the metadata,
        and so does what the LLM is shown then (see :mod:`structchunk_llamaindex.templates`).
        """
        embedded = {"context"} if embeds_context and chunk.context else set()
        absent = [line for line in chunk.imports if line not in chunk.text]
        shown = {"imports"} if absent else set()
        texts = (chunk.text, chunk.indexed) if chunk.indexed else ("", "")
        own = own_metadata(chunk, self.loaded)
        own[own_key("gap_before", self.loaded)] = chunk.gap_before  # to join neighbours by
        own |= {own_key(key, self.loaded): one for key, one in zip(TEXT_KEYS, texts, strict=True)}
        if chunk.indexed:
            not_embedded = self._hidden_of_indexed(
                self.hidden_from_embedding, embedded, "indexed_text"
            )
            not_shown = self._hidden_of_indexed(self.hidden_from_llm, shown, "shown_text")
            templates = self.templates | {"text_template": self.reduced.template}
        else:
            not_embedded = self._hidden(self.hidden_from_embedding, embedded)
            not_shown = self._hidden(self.hidden_from_llm, shown)
            templates = self.templates
        offset = self.offset
        return TextNode(
            text=chunk.text,
            start_char_idx=None if offset is None else offset + chunk.span.start,
            end_char_idx=None if offset is None else offset + chunk.span.end,
            metadata=deepcopy(self.loaded) | own,
            excluded_embed_metadata_keys=not_embedded,
            excluded_llm_metadata_keys=not_shown,
            relationships={NodeRelationship.SOURCE: with_place(self.source, place_or_none(chunk))},
            **templates,
        )

    def entry(self, entry: Entry, node: TextNode) -> IndexNode:
        """The entry as a node that leads to the node of its chunk; without an id.

        It has the metadata of that node, to filter by, and shows none of it.
        """
        about = {"node_type": entry.kind} | ({"symbol": entry.symbol} if entry.symbol else {})
        own = {own_key(key, self.loaded): value for key, value in about.items()}
        metadata = without_texts(deepcopy(node.metadata)) | own
        return IndexNode(
            text=entry.text,
            index_id=node.node_id,
            extra_info=metadata,
            excluded_embed_metadata_keys=list(metadata),
            excluded_llm_metadata_keys=list(metadata),
            relationships={NodeRelationship.SOURCE: deepcopy(self.source)},
        )

    def _hidden(self, keys: Sequence[str], ours_to_see: set[str]) -> list[str]:
        ours = (own_key(key, self.loaded) for key in _OWN_KEYS if key not in ours_to_see)
        seen = {own_key(key, self.loaded) for key in ours_to_see}
        # A document that was a node of ours hides what this node may show.
        return list(dict.fromkeys([*(key for key in keys if key not in seen), *ours]))

    def _hidden_of_indexed(
        self, keys: Sequence[str], ours_to_see: set[str], text_key: str
    ) -> list[str]:
        """What is hidden of a node whose text stands under that key too."""
        seen = ours_to_see | {text_key} if self.reduced.shows_text else ours_to_see
        if self.reduced.shows_metadata or not self.reduced.shows_text:
            return self._hidden(keys, seen)
        return self._hidden([*keys, *self.loaded], {text_key})


def with_place(source: RelatedNodeInfo, place: Span | None) -> RelatedNodeInfo:
    """What a node notes about its document, with its place in the rendering of that, if it has one.

    Among the metadata of the node it would change the node's hash with every edit above it; what is
    noted about the document changes with the document in any case.
    """
    about = deepcopy(source)
    for number, key in enumerate(_PLACE_KEYS):
        about.metadata.pop(key, None)
        if place is not None:
            about.metadata[key] = place[number]
    return about


def place_of_node_or_none(node: BaseNode) -> Span | None:
    """The place that :func:`with_place` has noted."""
    noted = node.source_node.metadata if node.source_node is not None else {}
    start, end = (noted.get(key) for key in _PLACE_KEYS)
    return Span(start, end) if isinstance(start, int) and isinstance(end, int) else None


def text_template_of(node: BaseNode) -> str:
    """How a document, or a node of ours, wants its metadata and its own text put together."""
    template: str = getattr(node, "text_template", TEXT_TEMPLATE)
    return restored_template(template) if has_other_text(node) else template


def has_other_text(node: BaseNode) -> bool:
    """Whether it is a node of ours that is embedded as another text than it shows."""
    return bool(noted_values(node.metadata).get("indexed_text"))


def nodes_and_objects(nodes: Sequence[BaseNode]) -> tuple[list[BaseNode], list[IndexNode]]:
    """The nodes without the entries, and the entries, each with the node that it leads to.

    For ``VectorStoreIndex(nodes=nodes, objects=entries)``, whose retriever gives that node when it
    finds the entry. An entry whose node is not here leads to nothing and is left out.
    """
    by_id = {node.node_id: node for node in nodes}
    entries: list[IndexNode] = []
    others: list[BaseNode] = []
    for node in nodes:
        if not isinstance(node, IndexNode):
            others.append(node)
        elif node.index_id in by_id:
            entry = node.model_copy()
            entry.obj = by_id[node.index_id]
            entries.append(entry)
    return others, entries


def link_neighbours(nodes: Sequence[BaseNode], before: BaseNode | None) -> None:
    """Make nodes of one source neighbours; the first may follow a node made earlier."""
    for previous, node in pairwise(nodes if before is None else (before, *nodes)):
        if _source_id(previous) == _source_id(node):
            node.relationships[NodeRelationship.PREVIOUS] = related(previous)
            previous.relationships[NodeRelationship.NEXT] = related(node)


def link_children(parent: BaseNode, children: Sequence[BaseNode]) -> None:
    """Make nodes the children of a node, in order."""
    above = related(parent)
    for child in children:
        child.relationships[NodeRelationship.PARENT] = above
    parent.relationships[NodeRelationship.CHILD] = [related(child) for child in children]


def related(node: BaseNode) -> RelatedNodeInfo:
    """What another node notes about this one: all but its texts, which would be stored twice."""
    about = node.as_related_node_info()
    if has_other_text(node):
        about.metadata = without_texts(about.metadata)
    return about


def children_of(
    rows: Sequence[tuple[Chunk, int]], *, under_profiles: bool
) -> Mapping[int, Sequence[int]]:
    """The numbers of the rows below each row that is a parent.

    The first profile of a table can be the parent of its parts.
    """
    profiles: dict[str, int] = {}
    for number, (chunk, _) in enumerate(rows):
        if under_profiles:
            for child in chunk.child_ids:
                profiles.setdefault(child, number)
    found: dict[int, list[int]] = {}
    for number, (chunk, above) in enumerate(rows):
        if above >= 0:
            found.setdefault(above, []).append(number)
        elif chunk.id in profiles:
            found.setdefault(profiles[chunk.id], []).append(number)
    return found


def _source_id(node: BaseNode) -> str | None:
    return node.source_node.node_id if node.source_node else None


def _identity(document: BaseNode, path: str, address: str) -> str:
    """The document's id, unless it is random and the path tells the document from others.

    Then the address is it, where that says more than the path.
    """
    try:
        is_random = uuid.UUID(document.node_id).version == 4
    except ValueError:
        is_random = False
    return address if is_random and path else document.node_id


def _offset_or_none(document: BaseNode, length: int, front: int) -> int | None:
    """Where the text behind the context begins, that of the node being so long with it."""
    start: int | None = getattr(document, "start_char_idx", None)
    if start is None:
        return front if document.source_node is None else None
    end = getattr(document, "end_char_idx", None)
    return start if end is None or end - start == length - front else None
