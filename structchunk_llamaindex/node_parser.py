"""``StructuralNodeParser``: the core behind LlamaIndex's node parser interface."""

from __future__ import annotations

import asyncio
import os
import uuid
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Annotated, Any, Self

from llama_index.core.bridge.pydantic import Field, PlainSerializer, ValidationError
from llama_index.core.callbacks import CallbackManager, CBEventType, EventPayload
from llama_index.core.node_parser import NodeParser
from llama_index.core.schema import (
    BaseNode,
    Document,
    ImageDocument,
    ImageNode,
    IndexNode,
    MetadataMode,
    Node,
    NodeRelationship,
    RelatedNodeInfo,
    TextNode,
)
from llama_index.core.utils import get_tqdm_iterable

from structchunk_core import Chunk, Chunker, ConfigurationError, Problem, Span
from structchunk_core.adapting import (
    Ids,
    address_beyond_path,
    check_root,
    check_route,
    loader_metadata,
    own_key,
    own_metadata,
    path_key_or_none,
    shown_path,
)
from structchunk_core.chunker import ContextMode, Granularity, MissingGrammar
from structchunk_core.settings import check_boolean, shown
from structchunk_llamaindex.references import (
    check_picklable,
    described,
    restored,
    tokenizer_object,
)

IdFunction = Callable[[int, BaseNode], str]

_PATH_KEYS = ("file_path", "file_name", "source")
_REFERENCES = ("tokenizer", "length_function", "id_func")


class StructuralNodeParser(NodeParser):
    """Cuts documents into nodes along their structure, under an exact budget.

    What a document is comes from ``metadata["file_path"]``, else ``file_name``, else ``source``,
    else its content; ``language`` or ``format`` decides for all documents.

    Nodes know exactly where they stand (``start_char_idx``, ``end_char_idx``: characters of the
    root document, half-open), their source and their neighbours. Flat metadata of our own
    (``element_type``, ``section_path``, ``symbol``, ...) stands beside the document's, which is
    never overwritten: a name that the loader has taken gets the prefix ``structchunk_``. Of ours,
    the context (path, scope or heading path) is embedded and not shown to the LLM, imports that
    the text does not show are for the LLM and not embedded, and the rest is for filters alone.
    A file path that stands in the context is not embedded a second time.

    The budget holds for what is really embedded, ``node.get_content(MetadataMode.EMBED)``: when
    metadata that the loader shows to the embedding model takes room, the text gives way. If it
    leaves less than a quarter, the text keeps that and the nodes say so in ``problems``.

    Args:
        chunk_size: what no embedded text exceeds, in tokens (or the unit chosen below).
        chunk_overlap: how much of the node before is repeated, in whole lines or sentences.
        target_size: what packing aims at; None means half of ``chunk_size``.
        tokenizer: a tiktoken encoding's name (``cl100k_base`` when None), ``"characters"``, a
            tokenizer object, or as elsewhere in LlamaIndex a function from text to its tokens.
        length_function: a function from text to its length, instead of a tokenizer.
        granularity: ``"definition"``: each function, method and section gets a node of its own;
            ``"packed"``: neighbours share nodes up to the target.
        split_level: a node begins at every heading of this level (1 to 6) or above, however short
            the sections are; None means that small ones may share a node.
        context: ``"separate"``: in the metadata, embedded and not shown; ``"inline"``: in front
            of the text; ``"none"``.
        language: the language of the code in all documents (``"python"``).
        format: the format of all documents (``"markdown"``).
        root: a folder; paths below it are shown and hashed relative to it.
        parse_seconds: how long a grammar may work on one document before it is cut as text.
        on_missing_grammar: ``"warn"`` (cut as text, with a problem) or ``"error"``.
        strip_boilerplate: whether navigation, headers and footers of web pages are left out.
        include_metadata: whether nodes get the metadata of their document.
        include_prev_next_rel: whether nodes know their neighbours.
        callback_manager: told about parsing and chunking as by LlamaIndex's own parsers.
        id_func: makes node ids from the number of a node in its document and the document. None:
            ids follow from document id (or path, when the id is random) and content, and stay
            as they are under edits elsewhere.

    Settings may be changed later; what is wrong is refused then as it is here.

    Raises:
        ConfigurationError: (a ``ValueError``) a setting is wrong.
    """

    chunk_size: int = Field(default=512, description="What no embedded text exceeds.")
    chunk_overlap: int = Field(default=0, description="How much of the node before is repeated.")
    target_size: int | None = Field(default=None, description="What packing aims at.")
    tokenizer: Annotated[Any, PlainSerializer(described)] = Field(
        default=None, description="Name of an encoding, tokenizer, or function that tokenizes."
    )
    length_function: Annotated[Callable[[str], int] | None, PlainSerializer(described)] = Field(
        default=None, description="Function from text to its length, instead of a tokenizer."
    )
    granularity: Granularity = Field(default="definition", description="How much is packed.")
    split_level: int | None = Field(
        default=None, description="At which headings a node always begins."
    )
    context: ContextMode = Field(default="separate", description="Where the context goes.")
    language: str | None = Field(default=None, description="Language of all documents.")
    format: str | None = Field(default=None, description="Format of all documents.")
    root: str | None = Field(default=None, description="Folder that paths are relative to.")
    parse_seconds: float = Field(default=10.0, description="Limit for parsing one document.")
    on_missing_grammar: MissingGrammar = Field(default="warn", description="Warn or raise.")
    strip_boilerplate: bool = Field(default=False, description="Leave out what is around pages.")
    id_func: Annotated[IdFunction | None, PlainSerializer(described)] = Field(  # type: ignore[assignment]  # None: ids from content
        default=None, description="Makes node ids; None: they follow from document and content."
    )

    def __init__(  # noqa: PLR0913  # the settings by name, which editors and readers can see
        self,
        chunk_size: int = 512,
        chunk_overlap: int = 0,
        *,
        target_size: int | None = None,
        tokenizer: Any = None,
        length_function: Callable[[str], int] | None = None,
        granularity: Granularity = "definition",
        split_level: int | None = None,
        context: ContextMode = "separate",
        language: str | None = None,
        format: str | None = None,
        root: str | os.PathLike[str] | None = None,
        parse_seconds: float = 10.0,
        on_missing_grammar: MissingGrammar = "warn",
        strip_boilerplate: bool = False,
        include_metadata: bool = True,
        include_prev_next_rel: bool = True,
        callback_manager: CallbackManager | None = None,
        id_func: IdFunction | None = None,
    ) -> None:
        settings: dict[str, Any] = {
            "chunk_size": chunk_size,
            "chunk_overlap": chunk_overlap,
            "target_size": target_size,
            "tokenizer": tokenizer,
            "length_function": length_function,
            "granularity": granularity,
            "split_level": split_level,
            "context": context,
            "language": language,
            "format": format,
            "root": root,
            "parse_seconds": parse_seconds,
            "on_missing_grammar": on_missing_grammar,
            "strip_boilerplate": strip_boilerplate,
            "include_metadata": include_metadata,
            "include_prev_next_rel": include_prev_next_rel,
            "callback_manager": CallbackManager([])
            if callback_manager is None
            else callback_manager,
            "id_func": id_func,
        }
        # Before pydantic sees them: its errors are none of ours, and do not tell the way out.
        checked = _checked(settings)
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
            value = _checked({**self.__dict__, name: value})[name]
        super().__setattr__(name, value)

    @classmethod
    def from_defaults(cls, **settings: Any) -> Self:
        """A parser with these settings, and the defaults for the others."""
        return cls(**settings)

    @classmethod
    def class_name(cls) -> str:
        """The name in serialised pipelines."""
        return "StructuralNodeParser"

    def to_dict(self, **kwargs: Any) -> dict[str, Any]:
        """The settings, plain as JSON, and the fingerprint that tells equal parsers.

        LlamaIndex's ingestion cache keys by this. Functions are noted by module and name;
        tokenizer objects by a digest, and have to be passed to :meth:`from_dict` again.
        """
        return super().to_dict(**kwargs) | {"fingerprint": self._chunker().fingerprint}

    @classmethod
    def from_dict(cls, data: dict[str, Any], **kwargs: Any) -> Self:
        """The parser that :meth:`to_dict` described.

        Raises:
            ConfigurationError: a tokenizer or function cannot be found again by its name.
        """
        settings = {**data, **kwargs}
        settings.pop("class_name", None)
        settings.pop("fingerprint", None)
        for name in _REFERENCES:
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
        for name in _REFERENCES:
            check_picklable(name, settings[name])
        return _rebuilt, (type(self), settings)

    def _parse_nodes(
        self,
        nodes: Sequence[BaseNode],
        show_progress: bool = False,
        **kwargs: Any,  # noqa: ARG002  # the pipeline hands every parser what any of them takes
    ) -> list[BaseNode]:
        chunker = self._chunker()
        ids = Ids()
        parsed: list[BaseNode] = []
        previous: BaseNode | None = None  # the node before, when it may be the neighbour
        for document in get_tqdm_iterable(nodes, show_progress, "Parsing nodes"):
            if not _has_text(document):
                parsed.append(document)
                continue
            made = self._nodes_of(document, chunker, ids)
            if document.source_node is None:
                previous = None  # a document of its own, even if it has been there before
            if self.include_prev_next_rel:
                _link(made, previous)
            parsed.extend(made)
            previous = made[-1] if made else previous
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

    def _chunker(self) -> Chunker:
        return _chunker(self.__dict__)

    def _nodes_of(self, document: BaseNode, chunker: Chunker, ids: Ids) -> list[TextNode]:
        text = document.get_content(metadata_mode=MetadataMode.NONE)
        with self.callback_manager.event(
            CBEventType.CHUNKING, payload={EventPayload.CHUNKS: [text]}
        ) as event:
            frame = self._frame(document)
            drafts = _drafts(text, chunker, frame, self.language, self.format)
            event.on_end(payload={EventPayload.CHUNKS: [node.text for _, node in drafts]})
        for number, (chunk, node) in enumerate(drafts):
            if self.id_func is not None:
                node.id_ = self.id_func(number, document)
            else:
                node.id_ = ids.of(chunk, frame.identity)
        return [node for _, node in drafts]

    def _frame(self, document: BaseNode) -> _Frame:
        everything = loader_metadata(document.metadata)
        loaded = everything if self.include_metadata else {}
        key = path_key_or_none(everything, _PATH_KEYS)
        path = shown_path(everything[key], self.root) if key is not None else ""
        said = [key] if key is not None and self.context != "none" else []
        return _Frame(
            path=path,
            identity=_identity(document, path, address_beyond_path(everything[key]) if key else ""),
            loaded=loaded,
            source=deepcopy(document.source_node) or document.as_related_node_info(),
            offset=_offset_or_none(document),
            hidden_from_embedding=(*document.excluded_embed_metadata_keys, *said),
            hidden_from_llm=tuple(document.excluded_llm_metadata_keys),
            templates={
                "metadata_template": document.metadata_template,
                "metadata_separator": document.metadata_separator,
                "text_template": getattr(document, "text_template", _TEXT_TEMPLATE),
            },
        )


_TEXT_TEMPLATE: str = TextNode.model_fields["text_template"].default


@dataclass(frozen=True, slots=True)
class _Frame:
    """What all nodes of one document have in common.

    Attributes:
        path: the document's path as it is shown and hashed, or ``""``.
        identity: what tells the document from others, where its path does not.
        loaded: the loader's metadata that goes into every node.
        source: the root document.
        offset: where the text begins in the root document, in characters; None when its
            characters are not those of the root.
        hidden_from_embedding: metadata keys that are not embedded.
        hidden_from_llm: metadata keys that are not shown to the LLM.
        templates: how the document wants its metadata and text to be put together.
    """

    path: str
    identity: str
    loaded: dict[str, Any]
    source: RelatedNodeInfo
    offset: int | None
    hidden_from_embedding: tuple[str, ...]
    hidden_from_llm: tuple[str, ...]
    templates: dict[str, str]

    def node(self, chunk: Chunk, *, embeds_context: bool) -> TextNode:
        """The chunk as a node, without id and neighbours."""
        embedded = {"context"} if embeds_context else set()
        absent = [line for line in chunk.imports if line not in chunk.text]
        shown = {"imports"} if absent else set()
        offset = self.offset
        return TextNode(
            text=chunk.text,
            start_char_idx=None if offset is None else offset + chunk.span.start,
            end_char_idx=None if offset is None else offset + chunk.span.end,
            metadata=deepcopy(self.loaded) | own_metadata(chunk, self.loaded),
            excluded_embed_metadata_keys=self._hidden(self.hidden_from_embedding, embedded),
            excluded_llm_metadata_keys=self._hidden(self.hidden_from_llm, shown),
            relationships={NodeRelationship.SOURCE: deepcopy(self.source)},
            **self.templates,
        )

    def _hidden(self, keys: Sequence[str], ours_to_see: set[str]) -> list[str]:
        ours = (own_key(key, self.loaded) for key in _HIDDEN_KEYS if key not in ours_to_see)
        seen = {own_key(key, self.loaded) for key in ours_to_see}
        # A document that was a node of ours hides what this node may show.
        return list(dict.fromkeys([*(key for key in keys if key not in seen), *ours]))


_HIDDEN_KEYS = (*Chunk("", Span(0, 0), "").metadata(), "context")


def _drafts(
    text: str, chunker: Chunker, frame: _Frame, language: str | None, format: str | None
) -> list[tuple[Chunk, TextNode]]:
    """The chunks of a document with their nodes; what each node embeds keeps the budget.

    The core knows nothing of the metadata that the loader shows to the embedding model, so it
    gets the budget less what that takes; what is embedded is then counted as it will be.
    """
    least = max(min(_LEAST, chunker.chunk_size), chunker.chunk_size // 4)
    taken = _taken(chunker, frame)
    room = max(least, chunker.chunk_size - taken)
    while True:
        made = replace(
            chunker,
            chunk_size=room,
            target_size=None if chunker.target_size is None else min(chunker.target_size, room),
            chunk_overlap=min(chunker.chunk_overlap, room // 2),
        ).chunk(
            text,
            path=frame.path,
            language=language,
            format=format,
            problems=(_CROWDED,) if taken and room == least else (),
        )
        drafts = [(chunk, _fitting(chunk, chunker, frame)) for chunk in made]
        excess = max((_excess(chunk, node, chunker) for chunk, node in drafts), default=0)
        if excess <= 0 or room == least:
            return drafts
        room = max(least, room - excess)


_LEAST = 8  # the smallest budget in tokens that the core serves
_CROWDED = Problem(
    "metadata-over-budget", "metadata that is embedded with the text leaves too little room for it"
)


def _taken(chunker: Chunker, frame: _Frame) -> int:
    """What the loader's visible metadata measures around a text."""
    bare = frame.node(Chunk("x", Span(0, 1), "x"), embeds_context=False)
    embedded = bare.get_content(MetadataMode.EMBED)
    return 0 if embedded == "x" else chunker.count(embedded)


def _fitting(chunk: Chunk, chunker: Chunker, frame: _Frame) -> TextNode:
    """The chunk's node; it embeds the context unless that has no room."""
    if chunk.context and chunker.context == "separate":
        node = frame.node(chunk, embeds_context=True)
        if _excess(chunk, node, chunker) <= 0:
            return node
    return frame.node(chunk, embeds_context=False)


def _excess(chunk: Chunk, node: TextNode, chunker: Chunker) -> int:
    """How much the embedded text of the node exceeds the budget by; 0 or less when it fits."""
    embedded = node.get_content(MetadataMode.EMBED)
    if embedded == chunk.text:  # the core has measured it
        return 0
    if _is_additive(chunker):
        added = len(embedded.encode("utf-8", "surrogatepass")) - len(
            chunk.embed_text.encode("utf-8", "surrogatepass")
        )
        about = chunk.size_at_most + max(0, added) + _SLACK + chunk.size_at_most // 64
        if about <= chunker.chunk_size:
            return about - chunker.chunk_size
    return chunker.count(embedded) - chunker.chunk_size


_SLACK = 16  # where strings meet, a few tokens may be read differently


def _is_additive(chunker: Chunker) -> bool:
    """Whether more text never measures more than its bytes: tiktoken's tokens, characters."""
    if chunker.length_function is not None:
        return chunker.length_function is len
    tokenizer = chunker.tokenizer
    return tokenizer is None or isinstance(tokenizer, str) or hasattr(tokenizer, "encode_ordinary")


def _link(nodes: Sequence[TextNode], before: BaseNode | None) -> None:
    """Make nodes of one source neighbours; the first may follow a node made earlier."""
    previous = before
    for node in nodes:
        if previous is not None and _source_id(previous) == _source_id(node):
            node.relationships[NodeRelationship.PREVIOUS] = previous.as_related_node_info()
            previous.relationships[NodeRelationship.NEXT] = node.as_related_node_info()
        previous = node


def _source_id(node: BaseNode) -> str | None:
    return node.source_node.node_id if node.source_node else None


def _has_text(node: BaseNode) -> bool:
    """Whether it is for us: pictures and references to other objects are left as they are."""
    return isinstance(node, Node | TextNode) and not isinstance(
        node, ImageDocument | ImageNode | IndexNode
    )


def _identity(document: BaseNode, path: str, address: str) -> str:
    """The document's id, unless it is random and the path tells the document from others.

    Then the address is it, where that says more than the path.
    """
    try:
        is_random = uuid.UUID(document.node_id).version == 4
    except ValueError:
        is_random = False
    return address if is_random and path else document.node_id


def _offset_or_none(document: BaseNode) -> int | None:
    start = getattr(document, "start_char_idx", None)
    if start is None:
        return 0 if document.source_node is None else None
    end = getattr(document, "end_char_idx", None)
    length = len(document.get_content(metadata_mode=MetadataMode.NONE))
    return start if end is None or end - start == length else None


def _checked(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings as they are kept.

    Raises:
        ConfigurationError: one of them is wrong.
    """
    language, format = check_route(_chunker(settings), settings["language"], settings["format"])
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
    root = check_root(settings["root"])
    return {**settings, "language": language, "format": format, "root": root}


def _chunker(settings: dict[str, Any]) -> Chunker:
    return Chunker(
        chunk_size=settings["chunk_size"],
        chunk_overlap=settings["chunk_overlap"],
        target_size=settings["target_size"],
        tokenizer=tokenizer_object(settings["tokenizer"]),
        length_function=settings["length_function"],
        granularity=settings["granularity"],
        split_level=settings["split_level"],
        context=settings["context"],
        parse_seconds=settings["parse_seconds"],
        on_missing_grammar=settings["on_missing_grammar"],
        strip_boilerplate=settings["strip_boilerplate"],
    )


def _rebuilt(parser: type[StructuralNodeParser], settings: dict[str, Any]) -> StructuralNodeParser:
    return parser(**settings)
