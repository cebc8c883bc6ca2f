"""What all node parsers of this package share: documents in, related nodes out."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Annotated, Any, ClassVar, Self

from llama_index.core.bridge.pydantic import Field, PlainSerializer, ValidationError
from llama_index.core.callbacks import CallbackManager, CBEventType, EventPayload
from llama_index.core.node_parser import NodeParser
from llama_index.core.schema import BaseNode, Document, MetadataMode
from llama_index.core.utils import get_tqdm_iterable

from structchunk_core import Chunk, Chunker, ConfigurationError, Entry
from structchunk_core.adapting import Ids
from structchunk_core.hierarchy import is_derived
from structchunk_core.settings import check_boolean, shown
from structchunk_llamaindex.nodes import (
    Frame,
    children_of,
    frame_of,
    has_text,
    link_children,
    link_neighbours,
)
from structchunk_llamaindex.references import check_picklable, described, restored

IdFunction = Callable[[int, BaseNode], str]


class ParserBase(NodeParser):
    """A node parser whose settings say how a :class:`Chunker` is made.

    Subclasses say what their settings are, and check them.
    """

    references: ClassVar[tuple[str, ...]] = ("id_func",)
    """Settings that are functions or objects: named when serialised, and found again by name."""

    under_profiles: ClassVar[bool] = True
    """Whether the profile of a table is the parent of its parts."""

    id_func: Annotated[IdFunction | None, PlainSerializer(described)] = Field(  # type: ignore[assignment]  # None: ids from content
        default=None, description="Makes node ids; None: they follow from document and content."
    )

    def __init__(self, **settings: Any) -> None:
        unknown = settings.keys() - type(self).model_fields.keys()
        if unknown:  # pydantic would take them in silence
            raise TypeError(
                f"{type(self).__name__}() got an unexpected keyword argument {min(unknown)!r}"
            )
        # Before pydantic sees them: its errors are none of ours, and do not tell the way out.
        checked = self.checked(settings)
        try:
            super().__init__(**checked)
        except ValidationError as error:
            raise ConfigurationError(f"a setting is wrong: {error}") from error

    def __setattr__(self, name: str, value: Any) -> None:
        """Change a setting, which is checked together with the others.

        Raises:
            ConfigurationError: it is wrong, or does not go with the others.
        """
        if name in type(self).model_fields:
            value = self.checked({**self.__dict__, name: value})[name]
        super().__setattr__(name, value)

    @classmethod
    @abstractmethod
    def checked(cls, settings: dict[str, Any]) -> dict[str, Any]:
        """All settings as they are kept.

        Raises:
            ConfigurationError: one of them is wrong.
        """

    @classmethod
    @abstractmethod
    def chunker_of(cls, settings: dict[str, Any]) -> Chunker:
        """The chunker that the settings describe."""

    @abstractmethod
    def route(self) -> tuple[str | None, str | None]:
        """Language and format of all documents, None where each tells for itself."""

    def route_of(self, frame: Frame) -> tuple[str | None, str | None]:
        """Language and format of a document, None where name and content tell."""
        language, format = self.route()
        if language is None and format is None:
            return None, frame.made_format
        return language, format

    def folder(self) -> str | None:
        """The folder that paths are relative to, or None."""
        return None

    @classmethod
    def from_defaults(cls, *arguments: Any, **settings: Any) -> Self:
        """A parser with these settings, and the defaults for the others."""
        return cls(*arguments, **settings)

    def to_dict(self, **kwargs: Any) -> dict[str, Any]:
        """The settings, plain as JSON, and the fingerprint that tells equal parsers.

        LlamaIndex's ingestion cache keys by this. Functions are noted by module and name;
        tokenizer objects by a digest, and have to be passed to :meth:`from_dict` again.
        """
        fingerprint = self.chunker_of(self.__dict__).fingerprint
        return super().to_dict(**kwargs) | {"fingerprint": fingerprint}

    @classmethod
    def from_dict(cls, data: dict[str, Any], **kwargs: Any) -> Self:
        """The parser that :meth:`to_dict` described.

        Raises:
            ConfigurationError: a tokenizer or function cannot be found again by its name.
        """
        settings = {**data, **kwargs}
        settings.pop("class_name", None)
        settings.pop("fingerprint", None)
        for name in cls.references:
            settings[name] = restored(name, settings.get(name))
        return cls(**settings)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as its settings; only the callback manager stays in this process.

        Raises:
            pickle.PicklingError: a function among the settings has no importable name.
        """
        settings = {
            name: value for name, value in self.__dict__.items() if name != "callback_manager"
        }
        for name in self.references:
            check_picklable(name, settings[name])
        return _rebuilt, (type(self), settings)

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Self:
        """A parser of its own; functions, tokenizers and callbacks are shared."""
        return self.model_copy()

    def _parse_nodes(
        self,
        nodes: Sequence[BaseNode],
        show_progress: bool = False,
        **kwargs: Any,  # noqa: ARG002  # the pipeline hands every parser what any of them takes
    ) -> list[BaseNode]:
        chunker = self.chunker_of(self.__dict__)
        ids = Ids()
        parsed: list[BaseNode] = []
        previous: BaseNode | None = None  # the node before, when it may be the neighbour
        for document in get_tqdm_iterable(nodes, show_progress, "Parsing nodes"):
            if not has_text(document):
                parsed.append(document)
                continue
            made, row = self._nodes_of(document, chunker, ids)
            if document.source_node is None:
                previous = None  # a document of its own, even if it has been there before
            if self.include_prev_next_rel:
                link_neighbours(row, previous)
            parsed.extend(made)
            previous = row[-1] if row else previous
        return parsed

    async def _aparse_nodes(
        self, nodes: Sequence[BaseNode], show_progress: bool = False, **kwargs: Any
    ) -> list[BaseNode]:
        return await asyncio.to_thread(self._parse_nodes, nodes, show_progress, **kwargs)

    def _postprocess_parsed_nodes(
        self,
        nodes: list[BaseNode],
        parent_doc_map: dict[str, Document],  # noqa: ARG002  # holds one of several with one id
    ) -> list[BaseNode]:
        """The nodes as they are: positions, metadata and relationships are right from birth."""
        return nodes

    def _nodes_of(
        self, document: BaseNode, chunker: Chunker, ids: Ids
    ) -> tuple[list[BaseNode], list[BaseNode]]:
        """All nodes of a document, and those that follow each other in its text."""
        text = document.get_content(metadata_mode=MetadataMode.NONE)
        with self.callback_manager.event(
            CBEventType.CHUNKING, payload={EventPayload.CHUNKS: [text]}
        ) as event:
            frame = frame_of(
                document,
                root=self.folder(),
                has_context=chunker.context != "none",
                include_metadata=self.include_metadata,
            )
            rows = self._rows(frame.text, chunker, frame)
            event.on_end(payload={EventPayload.CHUNKS: [chunk.text for chunk, _ in rows]})
        embeds = chunker.context == "separate"
        nodes = [frame.node(chunk, embeds_context=embeds) for chunk, _ in rows]
        for number, ((chunk, _), node) in enumerate(zip(rows, nodes, strict=True)):
            node.id_ = self._id(number, document, ids, chunk, frame)
        leading = [
            (entry, frame.entry(entry, node))
            for (chunk, _), node in zip(rows, nodes, strict=True)
            for entry in chunk.entries
        ]
        for number, (entry, reference) in enumerate(leading, len(nodes)):
            reference.id_ = self._id(number, document, ids, entry, frame)
        for above, below in children_of(rows, under_profiles=self.under_profiles).items():
            link_children(nodes[above], [nodes[number] for number in below])
        parents = {above for _, above in rows}
        row: list[BaseNode] = [
            node
            for number, ((chunk, _), node) in enumerate(zip(rows, nodes, strict=True))
            if number not in parents and not is_derived(chunk)
        ]
        return [*nodes, *(reference for _, reference in leading)], row

    def _rows(self, text: str, chunker: Chunker, frame: Frame) -> list[tuple[Chunk, int]]:
        """The chunks of a text, each with the number of its parent, or -1."""
        language, format = self.route_of(frame)
        chunks = chunker.chunk(
            text,
            path=frame.path,
            language=language,
            format=format,
            join=frame.join(),
            join_indexed=frame.join_indexed(),
        )
        return [(chunk, -1) for chunk in chunks]

    def _id(
        self, number: int, document: BaseNode, ids: Ids, content: Chunk | Entry, frame: Frame
    ) -> str:
        if self.id_func is not None:
            return self.id_func(number, document)
        return ids.of(content, frame.identity)


def check_common(settings: dict[str, Any]) -> None:
    """Check the settings that every node parser has.

    Raises:
        ConfigurationError: one of them is wrong.
    """
    for name in ("include_metadata", "include_prev_next_rel"):
        check_boolean(name, settings[name])
    told = settings["callback_manager"]
    if not isinstance(told, CallbackManager):
        raise ConfigurationError(
            f"callback_manager must be a CallbackManager or None, got {shown(told)}"
        )
    id_func = settings["id_func"]
    if id_func is not None and not callable(id_func):
        raise ConfigurationError(f"id_func must be a function or None, got {shown(id_func)}")


def _rebuilt(parser: type[ParserBase], settings: dict[str, Any]) -> ParserBase:
    return parser(**settings)
