"""Words hashed into a vector, as LlamaIndex's embedding model."""

from __future__ import annotations

from llama_index.core.base.embeddings.base import BaseEmbedding

from tests.bag_of_words import vector


class BagOfWords(BaseEmbedding):
    def _get_text_embedding(self, text: str) -> list[float]:
        return vector(text)

    def _get_query_embedding(self, query: str) -> list[float]:
        return vector(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return vector(query)
