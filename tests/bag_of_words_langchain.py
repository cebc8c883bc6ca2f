"""Words hashed into a vector, as LangChain's embeddings."""

from __future__ import annotations

from langchain_core.embeddings import Embeddings

from tests.bag_of_words import vector


class BagOfWords(Embeddings):
    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [vector(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return vector(text)
