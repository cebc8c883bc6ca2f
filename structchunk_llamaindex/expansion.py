"""``StructuralExpansion``: retrieved nodes become what they belong to, within a budget."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Sequence
from typing import Any

from llama_index.core.bridge.pydantic import Field
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import (
    BaseNode,
    IndexNode,
    MetadataMode,
    NodeRelationship,
    NodeWithScore,
    QueryBundle,
    TextNode,
)
from llama_index.core.storage.docstore import BaseDocumentStore

from structchunk_core import Chunk, ConfigurationError, Span, expand
from structchunk_core.adapting import common_metadata, text_keys, without_texts
from structchunk_core.expanding import holds, read_together
from structchunk_core.restoring import chunk_of_metadata
from structchunk_core.settings import check_boolean, check_kinds, shown
from structchunk_core.sizing import measure_of
from structchunk_llamaindex.nodes import place_of_node_or_none, text_template_of, with_place

_NAMESPACE = uuid.UUID("5f0c7c3e-8f5c-5b0e-9a55-6f8c1d3b7a21")


class StructuralExpansion(BaseNodePostprocessor):
    """Exchanges retrieved nodes for their class, section, table or file, within a budget.

    For the nodes of :class:`StructuralHierarchicalNodeParser`, all of which are in the docstore.
    Nodes take turns, the best first, and each is exchanged for its parent as long as all of it
    fits (see :func:`structchunk_core.expand`). What comes back is in the order of its documents,
    nothing twice; neighbours are one node, without what each of them repeats. The score of a node
    is the best of those that it stands for; entries are exchanged for the node that they lead to.
    Nodes of other parsers stay as they are, and count.

    Args:
        docstore: holds the parents.
        budget: what all that the LLM is given (``MetadataMode.LLM``) may measure together.
        tokenizer: what that is counted with, as for :class:`StructuralNodeParser`; tokens of
            ``cl100k_base`` when None.
        length_function: a function from text to its length, instead of a tokenizer.
        kinds: which kinds of parents to exchange for (``{"class_definition", "section"}``: the
            ``node_type`` of the metadata); None means all.
        merge: whether neighbours become one node.

    Raises:
        ConfigurationError: (a ``ValueError``) a setting is wrong.
    """

    docstore: Any = Field(exclude=True, description="Holds the parents.")
    budget: int = Field(description="What all nodes may measure together.")
    tokenizer: Any = Field(default=None, exclude=True, description="What the budget counts.")
    length_function: Any = Field(default=None, exclude=True, description="Counts instead.")
    kinds: frozenset[str] | None = Field(default=None, description="Kinds of parents; None: all.")
    merge: bool = Field(default=True, description="Whether neighbours become one node.")

    def __init__(
        self,
        docstore: BaseDocumentStore,
        budget: int,
        *,
        tokenizer: Any = None,
        length_function: Callable[[str], int] | None = None,
        kinds: Collection[str] | None = None,
        merge: bool = True,
        **more: Any,
    ) -> None:
        if not isinstance(docstore, BaseDocumentStore):
            raise ConfigurationError(
                f"docstore must be a document store of LlamaIndex, got {shown(docstore)}"
            )
        check_boolean("merge", merge)
        expand((), _Family(docstore), budget)  # checks the budget
        measure_of(tokenizer, length_function)
        settings: dict[str, Any] = {
            "docstore": docstore,
            "budget": budget,
            "tokenizer": tokenizer,
            "length_function": length_function,
            "kinds": check_kinds(kinds),
            "merge": merge,
        }
        super().__init__(**settings, **more)

    @classmethod
    def class_name(cls) -> str:
        """The name in serialised pipelines."""
        return "StructuralExpansion"

    def _postprocess_nodes(
        self,
        nodes: list[NodeWithScore],
        query_bundle: QueryBundle | None = None,  # noqa: ARG002  # the ranks have answered it
    ) -> list[NodeWithScore]:
        family = _Family(self.docstore)
        hits = [(family.hit(one.node), one.score) for one in nodes]
        count = measure_of(self.tokenizer, self.length_function).count
        sizes: dict[str, int] = {}

        def size(chunk: Chunk) -> int:
            if chunk.id not in sizes:
                sizes[chunk.id] = count(family.node(chunk).get_content(MetadataMode.LLM))
            return sizes[chunk.id]

        def size_with(first: Chunk, text: str) -> int:
            return count(family.renamed([first], text).get_content(MetadataMode.LLM))

        got = expand(
            (chunk for chunk, _ in hits), family, self.budget, count=size, kinds=self.kinds
        )
        rows = [([chunk], chunk.text) for chunk in got]
        if self.merge:
            rows = read_together(got, self.budget, size, size_with)
        found = []
        for run, text in rows:
            node = family.renamed(run, text) if len(run) > 1 else family.node(run[0])
            scores = [
                score
                for hit, score in hits
                if score is not None and any(family.holds(chunk, hit) for chunk in run)
            ]
            found.append(NodeWithScore(node=node, score=max(scores, default=None)))
        return found


class _Family:
    """The nodes of a docstore as chunks, and their parents."""

    def __init__(self, docstore: BaseDocumentStore) -> None:
        self._docstore = docstore
        self._nodes: dict[str, BaseNode] = {}

    def hit(self, node: BaseNode) -> Chunk:
        """The chunk that a retrieved node is; for an entry, the one that it leads to."""
        if isinstance(node, IndexNode):
            node = node.obj or self._node_or_none(node.index_id) or node
        return self._chunk(node)

    def parent_or_none(self, chunk: Chunk) -> Chunk | None:
        above = self._nodes[chunk.id].parent_node
        node = self._node_or_none(above.node_id) if above is not None else None
        return self._chunk(node) if node is not None else None

    def holds(self, outer: Chunk, inner: Chunk) -> bool:
        """Whether a chunk stands in another one, by its place or by what its parents are."""
        above: Chunk | None = inner
        while above is not None:
            if holds(outer, above):
                return True
            above = self.parent_or_none(above)
        return False

    def node(self, chunk: Chunk) -> BaseNode:
        """The node that a chunk stands for."""
        return self._nodes[chunk.id]

    def renamed(self, run: Sequence[Chunk], text: str) -> TextNode:
        """The nodes of neighbours as one with that text; metadata that differ are empty."""
        nodes = [self._nodes[chunk.id] for chunk in run]
        first = nodes[0]
        names = "\x1f".join(node.node_id for node in nodes)
        texts = text_keys(first.metadata)
        made = TextNode(
            id_=str(uuid.uuid5(_NAMESPACE, names)),
            text=text,
            metadata=without_texts(common_metadata([node.metadata for node in nodes])),
            start_char_idx=run[0].span.start,
            end_char_idx=run[-1].span.end,
            excluded_embed_metadata_keys=[*first.excluded_embed_metadata_keys, *texts],
            excluded_llm_metadata_keys=[*first.excluded_llm_metadata_keys, *texts],
            metadata_template=first.metadata_template,
            metadata_separator=first.metadata_separator,
            text_template=text_template_of(first),
        )
        if first.source_node is not None:
            start, end = run[0].place.start, run[-1].place.end
            place = place_of_node_or_none(first) and Span(start, end)
            made.relationships[NodeRelationship.SOURCE] = with_place(first.source_node, place)
        return made

    def _chunk(self, node: BaseNode) -> Chunk:
        start = getattr(node, "start_char_idx", None)
        end = getattr(node, "end_char_idx", None)
        chunk = chunk_of_metadata(
            node.get_content(MetadataMode.NONE),
            node.metadata,
            identity=node.node_id,
            source=node.ref_doc_id or node.node_id,
            span=None if start is None or end is None else Span(start, end),
            place=place_of_node_or_none(node),
        )
        self._nodes[chunk.id] = node
        return chunk

    def _node_or_none(self, identity: str) -> BaseNode | None:
        return self._docstore.get_document(identity, raise_error=False)
