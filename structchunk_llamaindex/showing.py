"""``ShownText``: retrieved nodes as what they show, for what changes the text of nodes."""

from __future__ import annotations

from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import BaseNode, NodeWithScore, QueryBundle, TextNode

from structchunk_core.adapting import text_keys, without_texts
from structchunk_llamaindex.nodes import has_other_text, text_template_of


class ShownText(BaseNodePostprocessor):
    """Makes retrieved nodes that are embedded as another text than they show plain ones.

    An LLM is given the same of them; but from their text, and no longer from their metadata. It
    stands in front of what sets the text that an LLM is given: ``CitationQueryEngine``,
    ``SentenceEmbeddingOptimizer``, what masks names, and postprocessors of your own that call
    ``set_content``. The nodes that are handed in stay as they are, and all others are handed back.
    """

    @classmethod
    def class_name(cls) -> str:
        """The name in serialised pipelines."""
        return "ShownText"

    def _postprocess_nodes(
        self,
        nodes: list[NodeWithScore],
        query_bundle: QueryBundle | None = None,  # noqa: ARG002  # the interface has it
    ) -> list[NodeWithScore]:
        return [NodeWithScore(node=shown_alone(one.node), score=one.score) for one in nodes]


def shown_alone(node: BaseNode) -> BaseNode:
    """A node without the text that is embedded in the place of its own; others are handed back."""
    if not isinstance(node, TextNode) or not has_other_text(node):
        return node
    texts = text_keys(node.metadata)
    return node.model_copy(
        update={
            "metadata": without_texts(node.metadata),
            "excluded_embed_metadata_keys": [*node.excluded_embed_metadata_keys, *texts],
            "excluded_llm_metadata_keys": [*node.excluded_llm_metadata_keys, *texts],
            "text_template": text_template_of(node),
        }
    )
