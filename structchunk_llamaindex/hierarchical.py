"""``StructuralHierarchicalNodeParser``: small nodes to search, and what they belong to, to read."""

from __future__ import annotations

from typing import Any, ClassVar

from llama_index.core.bridge.pydantic import Field

from structchunk_core import Chunk, Chunker
from structchunk_llamaindex.node_parser import StructuralNodeParser
from structchunk_llamaindex.nodes import Frame


class StructuralHierarchicalNodeParser(StructuralNodeParser):
    """The nodes of :class:`StructuralNodeParser` and their parents: definitions, sections, files.

    A parent is the whole class around methods, the function around its parts, the section around
    paragraphs, the table around rows, the file around all of them, when it holds at least two
    nodes. PARENT and CHILD are set both ways, and everything that they name is in the returned
    list, parents in front of what they hold. Index ``get_leaf_nodes(nodes)``, keep all nodes in a
    docstore, and ``AutoMergingRetriever`` replaces nodes by their parent where most of it was
    found. Neighbours (PREVIOUS, NEXT) are those of the leaf nodes.

    Args:
        chunk_size: as for :class:`StructuralNodeParser`.
        chunk_overlap: as there.
        parent_size: what no parent exceeds, in the unit of ``chunk_size``; what is larger is no
            node, and what it holds has parents of its own. None means four times ``chunk_size``.
            Parents are for reading: what is embedded of one may exceed ``chunk_size``.
        settings: all others of :class:`StructuralNodeParser`.

    Raises:
        ConfigurationError: (a ``ValueError``) a setting is wrong.
    """

    under_profiles: ClassVar[bool] = False  # profiles are searched, and so are leaves

    parent_size: int | None = Field(default=None, description="What no parent exceeds.")

    def __init__(
        self,
        chunk_size: int = 512,
        chunk_overlap: int = 0,
        *,
        parent_size: int | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(chunk_size, chunk_overlap, parent_size=parent_size, **settings)

    @classmethod
    def class_name(cls) -> str:
        """The name in serialised pipelines."""
        return "StructuralHierarchicalNodeParser"

    @classmethod
    def checked(cls, settings: dict[str, Any]) -> dict[str, Any]:
        settings = super().checked(settings)
        cls.chunker_of(settings).hierarchy("", parent_size=settings["parent_size"])
        return settings

    def _rows(self, text: str, chunker: Chunker, frame: Frame) -> list[tuple[Chunk, int]]:
        language, format = self.route_of(frame)
        found = chunker.hierarchy(
            text,
            path=frame.path,
            language=language,
            format=format,
            join=frame.join(),
            join_indexed=frame.join_indexed(),
            parent_size=self.parent_size,
        )
        return found.rows()
