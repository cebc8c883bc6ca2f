"""``StructuralExpansion``: retrieved chunks become what they belong to, within a budget."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from langchain_core.callbacks import Callbacks
from langchain_core.documents import BaseDocumentCompressor, BaseDocumentTransformer, Document
from langchain_core.stores import BaseStore
from pydantic import ConfigDict

from structchunk_core import Chunk, ConfigurationError, expand
from structchunk_core.adapting import common_metadata
from structchunk_core.context import glue
from structchunk_core.expanding import read_together
from structchunk_core.restoring import chunk_of_metadata
from structchunk_core.settings import check_boolean, check_kinds, shown
from structchunk_core.sizing import CHARACTERS, measure_of
from structchunk_langchain.text_splitter import PARENT_KEY, ROOT_KEY


class StructuralExpansion(BaseDocumentCompressor, BaseDocumentTransformer):
    """Exchanges retrieved chunks for their class, section, table or file, within a budget.

    Chunks take turns, the best first, and each is exchanged for its parent as long as all of it
    fits (see :func:`structchunk_core.expand`). What comes back is in the order of its documents,
    nothing twice; neighbours are one document, without what each of them repeats.

    The store is what ``split_entries(documents, parent_size=...)`` gives as its second part: as a
    mapping, or put into any document store. For ``ContextualCompressionRetriever``, or after any
    retriever: ``retriever | expansion.transform_documents``. Documents that the store does not know
    stay as they are, and count.

    Args:
        store: a mapping or LangChain store from ids to documents.
        budget: what all ``page_content`` together may measure.
        id_key: the metadata key that names the chunk, as given to ``split_entries``.
        tokenizer: what the budget is counted with, as for :class:`StructuralTextSplitter`;
            characters when None.
        length_function: a function from text to its length, instead of a tokenizer.
        kinds: which kinds of parents to exchange for (``{"class_definition", "section"}``: the
            ``node_type`` of the metadata); None means all.
        merge: whether neighbours become one document.

    Raises:
        ConfigurationError: (a ``ValueError``) a setting is wrong.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, frozen=True)

    store: Any
    budget: int
    id_key: str
    tokenizer: Any
    length_function: Any
    kinds: frozenset[str] | None
    merge: bool

    def __init__(
        self,
        store: Mapping[str, Document] | BaseStore[str, Document],
        budget: int,
        *,
        id_key: str = "doc_id",
        tokenizer: Any = None,
        length_function: Callable[[str], int] | None = None,
        kinds: Sequence[str] | frozenset[str] | None = None,
        merge: bool = True,
    ) -> None:
        if not isinstance(store, Mapping | BaseStore):
            raise ConfigurationError(
                "store must be a mapping or LangChain store from ids to documents, "
                f"got {shown(store)}"
            )
        if not isinstance(id_key, str) or not id_key:
            raise ConfigurationError(f"id_key must be the name of a key, got {shown(id_key)}")
        check_boolean("merge", merge)
        expand((), _Family(store, id_key), budget)  # checks the budget
        if tokenizer is None and length_function is None:
            tokenizer = CHARACTERS
        measure_of(tokenizer, length_function)
        settings: dict[str, Any] = {
            "store": store,
            "budget": budget,
            "id_key": id_key,
            "tokenizer": tokenizer,
            "length_function": length_function,
            "kinds": check_kinds(kinds),
            "merge": merge,
        }
        super().__init__(**settings)

    def compress_documents(
        self,
        documents: Sequence[Document],
        query: str,  # noqa: ARG002  # what was asked has been answered by the ranks
        callbacks: Callbacks | None = None,  # noqa: ARG002  # there is nothing to report
    ) -> list[Document]:
        """The documents, the best first, exchanged for what they belong to."""
        return self.transform_documents(documents)

    def transform_documents(
        self,
        documents: Sequence[Document],
        **kwargs: Any,  # noqa: ARG002  # the interface has them
    ) -> list[Document]:
        """The documents, the best first, exchanged for what they belong to."""
        family = _Family(self.store, self.id_key)
        hits = family.chunks(documents)
        count = measure_of(self.tokenizer, self.length_function).count
        sizes: dict[tuple[str, str], int] = {}

        def size(chunk: Chunk) -> int:
            key = chunk.source, chunk.id
            if key not in sizes:
                sizes[key] = count(chunk.text)
            return sizes[key]

        got = expand(hits, family, self.budget, count=size, kinds=self.kinds)
        if not self.merge:
            return [family.document(chunk) for chunk in got]
        rows = read_together(
            got, self.budget, size, lambda first, text: count(_with_context(first, text))
        )
        return [family.merged(run, text) for run, text in rows]


class _Family:
    """The documents of a store as chunks, and their parents."""

    def __init__(
        self, store: Mapping[str, Document] | BaseStore[str, Document], id_key: str
    ) -> None:
        self._store = store
        self._id_key = id_key
        self._documents: dict[tuple[str, str], Document] = {}

    def chunks(self, documents: Sequence[Document]) -> list[Chunk]:
        """The chunks that the documents are or lead to, in their order."""
        found = []
        for number, document in enumerate(documents):
            key = document.metadata.get(self._id_key) or document.id
            stored = self._stored_or_none(key) if isinstance(key, str) else None
            found.append(self._chunk(stored or document, str(key or number)))
        return found

    def parent_or_none(self, chunk: Chunk) -> Chunk | None:
        document = self._documents[chunk.source, chunk.id]
        key = document.metadata.get(PARENT_KEY.format(self._id_key))
        stored = self._stored_or_none(key) if key else None
        return self._chunk(stored, key) if stored is not None and isinstance(key, str) else None

    def document(self, chunk: Chunk) -> Document:
        """The document that a chunk stands for."""
        return self._documents[chunk.source, chunk.id].model_copy(deep=True)

    def merged(self, run: Sequence[Chunk], text: str) -> Document:
        """The documents of neighbours as one; metadata that differ are empty."""
        documents = [self._documents[chunk.source, chunk.id] for chunk in run]
        if len(documents) == 1:
            return documents[0].model_copy(deep=True)
        described = common_metadata([document.metadata for document in documents])
        return Document(page_content=_with_context(run[0], text), metadata=described)

    def _chunk(self, document: Document, key: str) -> Chunk:
        source = document.metadata.get(ROOT_KEY.format(self._id_key))
        chunk = chunk_of_metadata(
            document.page_content, document.metadata, identity=key, source=str(source or key)
        )
        self._documents[chunk.source, chunk.id] = document
        return chunk

    def _stored_or_none(self, key: str) -> Document | None:
        if isinstance(self._store, Mapping):
            return self._store.get(key)
        return self._store.mget([key])[0]


def _with_context(first: Chunk, text: str) -> str:
    """The text with the context in front of it, where the first chunk of it has that so."""
    front = first.context + glue(first.format)
    return front + text if first.context and first.text.startswith(front) else text
