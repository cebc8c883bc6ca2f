"""``IndexedText``: nodes behind extractors of LlamaIndex, embedded as one text again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llama_index.core.schema import BaseNode, TextNode, TransformComponent

from structchunk_core.adapting import text_keys
from structchunk_llamaindex.nodes import has_other_text, text_template_of
from structchunk_llamaindex.templates import reduced


class IndexedText(TransformComponent):
    """Has nodes with two texts embedded as the one and shown as the other, behind extractors.

    Extractors of LlamaIndex (``KeywordExtractor``, ``SummaryExtractor``, ...) give all nodes a
    template of their own, by which a node that is embedded as another text than it shows is
    embedded as both, and an LLM is given both. In a pipeline behind the last of them, this takes
    the text that does not belong there out of their template, and leaves the rest of it. What
    extractors add is embedded on top of ``chunk_size``, as everywhere in LlamaIndex.

    The nodes that are handed in stay as they are, and all others are handed back.
    """

    @classmethod
    def class_name(cls) -> str:
        """The name in serialised pipelines."""
        return "IndexedText"

    def __call__(
        self,
        nodes: Sequence[BaseNode],
        **kwargs: Any,  # noqa: ARG002  # the pipeline hands every step what any of them takes
    ) -> list[BaseNode]:
        return [_with_texts_apart(node) for node in nodes]


def _with_texts_apart(node: BaseNode) -> BaseNode:
    if not isinstance(node, TextNode) or not has_other_text(node):
        return node
    found = reduced(text_template_of(node))
    update: dict[str, Any] = {"text_template": found.template}
    if found.shows_text and not found.shows_metadata:
        shown, indexed = text_keys(node.metadata)
        update["excluded_embed_metadata_keys"] = [key for key in node.metadata if key != indexed]
        update["excluded_llm_metadata_keys"] = [key for key in node.metadata if key != shown]
    return node.model_copy(update=update)
