"""``StructuralTextSplitter``: the core behind LangChain's splitter interface."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from copy import deepcopy
from dataclasses import fields, replace
from typing import Any, Literal, NamedTuple, Self

from langchain_core.documents import Document
from langchain_text_splitters import Language, TextSplitter

from structchunk_core import Chunk, Chunker, ConfigurationError, Hierarchy
from structchunk_core.adapting import (
    Ids,
    address_beyond_path,
    check_root,
    check_route,
    heading_metadata,
    length_of_context,
    loader_metadata,
    made_format_or_none,
    own_key,
    own_metadata,
    path_key_or_none,
    shown_path,
)
from structchunk_core.chunker import (
    ContextMode,
    Granularity,
    MissingGrammar,
    OutlineMode,
    RecordFormat,
    TableFormat,
    TableProfile,
    TableRows,
)
from structchunk_core.detect import detect, language_of_tag
from structchunk_core.encoding_files import encoding_names, encoding_of_model
from structchunk_core.separators import Side, own_slice, with_separators
from structchunk_core.settings import check_boolean, check_language, shown
from structchunk_core.sizing import CHARACTERS
from structchunk_core.unit import Span

PARENT_KEY = "parent_{}"
"""Under which key, made of ``id_key``, a stored document names its parent, or ``""``."""

ROOT_KEY = "root_{}"
"""Under which key, made of ``id_key``, stored documents name what tells their sources apart."""

_CHARACTERS = 2000  # about as many as 512 tokens are
_TOKENS = 512
_PATH_KEYS = ("source", "file_path", "file_name")
_UNITS = ("tokenizer", "length_function")
_MARKUP = frozenset({"html", "rst"})  # in LangChain's enum languages, here formats
_CUT_CODE = ("functions_classes", "simplified_code")  # what LanguageParser calls its documents


class StructuralTextSplitter(TextSplitter):
    """Splits documents along their structure, under an exact budget.

    A LangChain document has one text, which is both embedded and shown. So the context (path,
    scope or heading path) stands in front of ``page_content`` by default: embedded, it is found by
    what stands around it; shown, it costs the reader one line. ``context="separate"`` leaves
    the text as it is in the source and the context in ``metadata["context"]`` alone: choose it
    when you embed something else than ``page_content``, or need its exact slices.

    Sizes are characters unless told otherwise, as everywhere in LangChain: 2000 of them are about
    512 tokens. ``tokenizer="cl100k_base"`` or :meth:`from_tiktoken_encoder` makes them tokens,
    which is what models are limited by.

    The arguments of ``TextSplitter`` stand first and in its order; its defaults are others where
    structure asks for it: no overlap, and texts keep the indentation of their first line.

    A chunk that is split again is read without the context in front of it.

    What a document is comes from ``metadata["source"]``, else ``file_path``, else ``file_name``,
    else its content; ``language`` or ``format`` decides for all documents. What a loader has made
    of a file (the words of a web page, one row of a table) is cut as what it is now.

    Every document gets flat metadata of its own (``element_type``, ``section_path``, ``symbol``,
    ``context``, ...) beside the loader's, which is never overwritten: a name that the loader has
    taken gets the prefix ``structchunk_``. With ``add_ids=True`` each ``Document.id`` is
    deterministic, so that adding the same documents again replaces them instead of doubling them.

    Args:
        chunk_size: what no ``page_content`` exceeds, in the unit of the length function.
        chunk_overlap: how much of the chunk before is repeated at most, in whole lines or
            sentences. More than half of ``chunk_size`` is taken for half of it, since each chunk
            has to say something new.
        length_function: a function from text to its length, instead of a tokenizer.
        keep_separator: whether the blank lines that stand between two chunks are kept, and where:
            ``"start"`` (or True) in front of the second one's text, ``"end"`` behind the first
            one's; as far as the budget has room. Texts without context then spell the document.
        add_start_index: whether ``metadata["start_index"]`` tells where the chunk's own text
            begins, in characters of the document (exact also with context, overlap and tokens).
        strip_whitespace: whether ``page_content`` loses white space at both of its ends.
        tokenizer: a tiktoken encoding's name (``cl100k_base``), a ``tiktoken.Encoding``, a Hugging
            Face tokenizer or any object with ``encode(text)``; characters when None.
        target_size: what packing aims at; None means half of ``chunk_size``, less for rows of a
            table that is split and for YAML, TOML, INI and XML.
        granularity: ``"definition"``: each function, method and section of what does not fit the
            target as a whole gets a chunk of its own; ``"packed"``: neighbours share chunks up to
            the target.
        split_level: a chunk begins at every heading of this level (1 to 6) or above, however
            short the sections are; None means that small ones may share a chunk.
        context: ``"inline"``: in front of ``page_content``; ``"separate"``: in the metadata alone;
            ``"none"``.
        language: the language of the code in all documents (``"python"``).
        format: the format of all documents (``"markdown"``).
        root: a folder; paths below it are shown and hashed relative to it.
        add_positions: whether metadata also has ``start_line``, ``end_line``, ``start_char``,
            ``end_char``, ``chunk_parts`` and, of what was rendered, the place in the rendering
            (``place_start``, ``place_end``), which change with every edit above the chunk.
        add_headings: whether ``metadata["h1"]`` to ``["h6"]`` name the headings above the chunk,
            as those of ``MarkdownHeaderTextSplitter`` may; ``""`` where there is none.
        add_ids: whether ``Document.id`` is set.
        parse_seconds: how long a grammar may work on one document before it is cut as text.
        grammars: grammars of your own: language -> ``tree_sitter.Language`` or ``Parser``.
        on_missing_grammar: ``"warn"`` (cut as text, with a problem) or ``"error"``.
        outline: which definitions get an entry that leads to them (see :meth:`split_entries`):
            ``"none"``, ``"split"`` (those that did not fit into one chunk), ``"all"``. With the
            last, chunks of JSON, YAML, TOML, INI and XML get entries of their values too, each with
            all keys above it, unless ``record_format="both"`` indexes them so.
        strip_boilerplate: whether navigation, headers and footers of web pages are left out.
        table_format: ``"rows"``: tables as they are written; ``"records"``: each row as
            ``column: value; column: value``, without empty cells; ``"both"``: a document shows the
            table as written, and :meth:`split_entries` indexes it as records.
        table_profile: whether a table that is split gets a profile (how many rows, sums, means,
            extremes), a document of its own behind all others; ``"always"``: every table does.
        table_rows: ``"linked"``: each row of a table, under its caption and header, is an entry
            that leads to the chunk it is in (see :meth:`split_entries`).
        record_format: ``"both"``: documents of JSON, YAML, TOML, INI and XML show them as written,
            and :meth:`split_entries` indexes them as lines, one for each mapping with the keys that
            lead to it; ``"written"``: as written there too.
        **settings: every other setting of :class:`structchunk_core.Chunker`, by its name.

    Raises:
        ConfigurationError: (a ``ValueError``) a setting is wrong.
        TypeError: there is no such setting.
    """

    def __init__(  # noqa: PLR0913  # the settings by name, which editors and readers can see
        self,
        chunk_size: int = _CHARACTERS,
        chunk_overlap: int = 0,
        length_function: Callable[[str], int] | None = None,
        keep_separator: bool | Literal["start", "end"] = False,
        add_start_index: bool = False,
        strip_whitespace: bool = False,
        *,
        tokenizer: Any = None,
        target_size: int | None = None,
        granularity: Granularity = "definition",
        split_level: int | None = None,
        context: ContextMode = "inline",
        language: str | None = None,
        format: str | None = None,
        root: str | os.PathLike[str] | None = None,
        add_positions: bool = False,
        add_headings: bool = False,
        add_ids: bool = False,
        parse_seconds: float = 10.0,
        grammars: Mapping[str, Any] | None = None,
        on_missing_grammar: MissingGrammar = "warn",
        outline: OutlineMode = "none",
        strip_boilerplate: bool = False,
        table_format: TableFormat = "rows",
        table_profile: TableProfile = True,
        table_rows: TableRows = "grouped",
        record_format: RecordFormat = "both",
        **settings: Any,
    ) -> None:
        if tokenizer is None and length_function is None:
            tokenizer = CHARACTERS
        self._chunker = Chunker(
            chunk_size=chunk_size,
            chunk_overlap=chunk_overlap,
            length_function=length_function,
            tokenizer=tokenizer,
            target_size=target_size,
            granularity=granularity,
            split_level=split_level,
            context=context,
            parse_seconds=parse_seconds,
            grammars={} if grammars is None else grammars,
            on_missing_grammar=on_missing_grammar,
            outline=outline,
            strip_boilerplate=strip_boilerplate,
            table_format=table_format,
            table_profile=table_profile,
            table_rows=table_rows,
            record_format=record_format,
            **_known(settings),
        )
        self._language, self._format = check_route(self._chunker, language, format)
        self._root = check_root(root)
        flags = {
            "add_start_index": add_start_index,
            "strip_whitespace": strip_whitespace,
            "add_positions": add_positions,
            "add_headings": add_headings,
            "add_ids": add_ids,
        }
        for name, value in flags.items():
            check_boolean(name, value)
        if not (isinstance(keep_separator, bool) or keep_separator in ("start", "end")):
            raise ConfigurationError(
                "keep_separator must be True or False, 'start' or 'end', "
                f"got {shown(keep_separator)}"
            )
        super().__init__(
            chunk_size=chunk_size,
            chunk_overlap=chunk_overlap,
            length_function=self._chunker.count,
            keep_separator=keep_separator,
            add_start_index=add_start_index,
            strip_whitespace=strip_whitespace,
        )
        self._add_positions = add_positions
        self._add_headings = add_headings
        self._add_ids = add_ids

    @property
    def length_function(self) -> Callable[[str], int]:
        """What sizes are measured with: a function that pickles, for other splitters too."""
        return self._chunker.count

    @classmethod
    def from_language(cls, language: Language | str, **settings: Any) -> Self:
        """A splitter for documents of one language, named as LangChain names it or as we do.

        Raises:
            ConfigurationError: it is no name.
        """
        name = check_language(language.value if isinstance(language, Language) else language)
        if name is None:
            raise ConfigurationError(
                "language must be a name such as 'python', got None: without from_language, each "
                "document tells for itself"
            )
        if name in _MARKUP:
            return cls(format=name, **settings)
        return cls(language=name, **settings)

    @classmethod
    def from_tiktoken_encoder(
        cls,
        encoding_name: str = "cl100k_base",
        model_name: str | None = None,
        allowed_special: Literal["all"] | AbstractSet[str] | None = None,  # noqa: ARG003  # see below
        disallowed_special: Literal["all"] | Collection[str] = "all",  # noqa: ARG003  # see below
        **settings: Any,
    ) -> Self:
        """A splitter that counts tokens of a tiktoken encoding; nothing is downloaded.

        Text that looks like a special token counts as the text it is, and never raises. So what
        the base class does with ``allowed_special`` and ``disallowed_special`` does not arise;
        they are accepted for calls written for it. The encoding is ``cl100k_base`` unless named,
        not ``gpt2``.

        Raises:
            ConfigurationError: tiktoken knows no such encoding or model, or another unit is set.
        """
        if model_name is not None:
            encoding_name = encoding_of_model(model_name)
        known = encoding_names()
        if encoding_name not in known:
            raise ConfigurationError(
                f"encoding_name must be one of {', '.join(known)}, got {shown(encoding_name)}"
            )
        return cls._by_tokens(encoding_name, settings)

    @classmethod
    def from_huggingface_tokenizer(cls, tokenizer: Any, **settings: Any) -> Self:
        """A splitter that counts tokens of a ``transformers`` or ``tokenizers`` tokenizer.

        Raises:
            ConfigurationError: it is no such object, or another unit is set.
        """
        if isinstance(tokenizer, str | type) or not callable(getattr(tokenizer, "encode", None)):
            raise ConfigurationError(
                "tokenizer must be a transformers or tokenizers tokenizer, which has "
                f"encode(text), got {shown(tokenizer)}"
            )
        return cls._by_tokens(tokenizer, settings)

    @classmethod
    def _by_tokens(cls, tokenizer: Any, settings: dict[str, Any]) -> Self:
        other = next((name for name in _UNITS if settings.get(name) is not None), None)
        if other is not None:
            raise ConfigurationError(
                f"{other} must not be given to a splitter that is made from a tokenizer, "
                f"got {shown(settings[other])}: give it to StructuralTextSplitter itself"
            )
        return cls(**{"chunk_size": _TOKENS, **settings, "tokenizer": tokenizer})

    def split_text(self, text: str) -> list[str]:
        """The texts of the chunks, in order; the content tells the format unless it is set."""
        found, behind = self._cut(text, "", {}, None)
        return [page.content for page in self._pages(found.chunks, text, behind)]

    def create_documents(
        self, texts: list[str], metadatas: list[dict[Any, Any]] | None = None
    ) -> list[Document]:
        """The chunks of all texts, in order, each with the metadata of its text and its own."""
        noted = metadatas or [{} for _ in texts]
        if len(noted) != len(texts):
            raise ConfigurationError(
                f"metadatas must have one entry for each of the {len(texts)} texts, "
                f"got {len(noted)}"
            )
        ids = Ids()
        return [
            made.document
            for text, metadata in zip(texts, noted, strict=True)
            for made in self._made(text, metadata, None, ids)
        ]

    def split_documents(self, documents: Iterable[Document]) -> list[Document]:
        """The chunks of all documents, in order. The documents stay as they are.

        ``page_content`` is what is shown of a chunk. What is embedded of some in its place
        (:attr:`Chunk.indexed`: profiles, records, descriptions) comes with :meth:`split_entries`.
        """
        ids = Ids()
        return [
            made.document
            for document in documents
            for made in self._made(document.page_content, document.metadata, document.id, ids)
        ]

    def split_entries(
        self,
        documents: Iterable[Document],
        *,
        id_key: str = "doc_id",
        parent_size: int | None = None,
    ) -> tuple[list[Document], dict[str, Document]]:
        """What to index, and the chunks that it leads to, as ``MultiVectorRetriever`` has them.

        The first part goes into its vector store, the items of the second into its document store.
        To be indexed there is, for every chunk, what it would have embedded: its context, if it has
        one, and the text, or in its place the one that is indexed (:attr:`Chunk.indexed`); and
        every entry that the settings ask for (``outline``, ``table_rows``). Each has the metadata
        of the chunk it leads to, with that chunk's id under ``id_key``, the kind of text under
        ``entry_kind`` (``chunk``, ``outline``, ...) and the symbol of the entry.

        Args:
            documents: as for :meth:`split_documents`, which gives the same chunks.
            id_key: the key of the same name of the retriever.
            parent_size: when given, the second part also holds what several chunks belong to and
                is no larger: classes, sections, tables, files. All documents of it then know their
                place and parent, so that :class:`StructuralExpansion` can exchange a chunk for
                what is around it.
        """
        ids = Ids()
        indexed: list[Document] = []
        chunks: dict[str, Document] = {}
        for document in documents:
            made_of_it = list(
                self._made(document.page_content, document.metadata, document.id, ids, parent_size)
            )
            by_id = {made.chunk.id: made for made in made_of_it}
            for made in made_of_it:
                key = made.key
                chunks[key] = made.document.model_copy(update={"id": key})
                if parent_size is not None:
                    chunks[key].metadata = made.placed(made_of_it, id_key)
                if made.is_parent:
                    continue
                indexed.append(self._entry(made, made.chunk.embed_text, "chunk", id_key, key))
                for entry in made.chunk.entries:
                    led_to = by_id.get(entry.chunk_id, made)
                    one = self._entry(
                        led_to, entry.text, entry.kind, id_key, ids.of(entry, made.identity)
                    )
                    if entry.symbol:
                        one.metadata[own_key("symbol", led_to.loaded)] = entry.symbol
                    indexed.append(one)
        return indexed, chunks

    def _entry(self, made: _Made, text: str, kind: str, id_key: str, entry_id: str) -> Document:
        described = deepcopy(made.document.metadata)
        described[own_key("entry_kind", made.loaded)] = kind
        described[id_key] = made.key
        return Document(
            page_content=text, metadata=described, id=entry_id if self._add_ids else None
        )

    def _made(
        self,
        text: str,
        metadata: Mapping[Any, Any],
        document_id: str | None,
        ids: Ids,
        parent_size: int | None = None,
    ) -> Iterator[_Made]:
        """What is made of a document: its chunks in order, behind them their parents if wanted."""
        loaded = loader_metadata(metadata)
        key = path_key_or_none(loaded, _PATH_KEYS)
        path = shown_path(loaded[key], self._root) if key is not None else ""
        identity = document_id or (address_beyond_path(loaded[key]) if key else _identity(loaded))
        found, behind = self._cut(text, path, metadata, parent_size)
        pages = [*self._pages(found.chunks, text, behind), *map(self._page, found.parents)]
        count = len(found.chunks)
        above = [*(found.parent_of_chunk or [-1] * count), *found.parent_of_parent]
        for number, (chunk, content, start) in enumerate(pages):
            described = deepcopy(loaded)
            described |= own_metadata(chunk, loaded, positions=self._add_positions)
            if self._add_headings:
                described |= heading_metadata(chunk, loaded)
            if self._add_start_index:
                described["start_index"] = start
            own_id = ids.of(chunk, identity)
            document = Document(
                page_content=content, metadata=described, id=own_id if self._add_ids else None
            )
            parent = above[number] + count if above[number] >= 0 else -1
            yield _Made(chunk, document, own_id, identity, loaded, number >= count, parent)

    def _cut(
        self, text: str, path: str, metadata: Mapping[Any, Any], parent_size: int | None
    ) -> tuple[Hierarchy, int]:
        """The chunks of a text, with parents if they have a size; and how much is context."""
        language, format = self._language, self._format
        if language is None and format is None:
            language, format = _noted_route(text, path, metadata)
        behind = length_of_context(metadata, text)
        own = text[behind:]
        if parent_size is None:
            chunks = self._chunker.chunk(own, path=path, language=language, format=format)
            found = Hierarchy(tuple(chunks))
        else:
            found = self._chunker.hierarchy(
                own, path=path, language=language, format=format, parent_size=parent_size
            )
        if behind:
            lines = text.count("\n", 0, behind)
            found = replace(
                found,
                chunks=tuple(_moved(chunk, behind, lines) for chunk in found.chunks),
                parents=tuple(_moved(parent, behind, lines) for parent in found.parents),
            )
        return found, behind

    def _page(self, parent: Chunk) -> _Page:
        inline = self._chunker.context == "inline"
        return _Page(parent, parent.embed_text if inline else parent.text, parent.span.start)

    def _pages(self, chunks: Sequence[Chunk], text: str, behind: int) -> Iterator[_Page]:
        """The chunks of a text, with the texts that they have here and where those begin."""
        slices = [chunk for chunk in chunks if _is_slice(chunk)]  # in front of what is derived
        if self._keep_separator:
            side: Side = "end" if self._keep_separator == "end" else "start"
            placed = with_separators(slices, text, self._chunker, side, begin=behind)
        else:
            placed = map(own_slice, slices)
        for chunk in chunks:
            content, start = chunk.text, chunk.span.start
            if not _is_slice(chunk):
                yield _Page(chunk, content.strip() if self._strip_whitespace else content, start)
                continue
            content, own = next(placed)
            if self._strip_whitespace:
                stripped = content.lstrip()
                start += max(0, len(content) - len(stripped) - own)
                content = stripped.rstrip()
            yield _Page(chunk, content, start)


class _Page(NamedTuple):
    """A chunk, the ``page_content`` made of it, and where its own text begins."""

    chunk: Chunk
    content: str
    start: int


class _Made(NamedTuple):
    """A chunk or parent and what was made of it.

    Attributes:
        chunk: the chunk or parent.
        document: the document made of it.
        key: its id.
        identity: what tells its source from others.
        loaded: the metadata of the loader.
        is_parent: whether it is a parent.
        above: the number of its parent in all that was made of its source, or -1.
    """

    chunk: Chunk
    document: Document
    key: str
    identity: str
    loaded: Mapping[str, Any]
    is_parent: bool = False
    above: int = -1

    def placed(self, made: Sequence[_Made], id_key: str) -> dict[str, Any]:
        """The metadata of the document with its place, its parent, and what tells its source."""
        described = deepcopy(self.document.metadata)
        described |= own_metadata(self.chunk, self.loaded, positions=True)
        described[PARENT_KEY.format(id_key)] = made[self.above].key if self.above >= 0 else ""
        described[ROOT_KEY.format(id_key)] = made[0].key
        return described


def _known(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings, each of which the chunker knows."""
    known = {field.name for field in fields(Chunker) if field.init}
    unknown = next((name for name in settings if name not in known), None)
    if unknown is not None:
        raise TypeError(
            f"StructuralTextSplitter has no setting {unknown!r}: it takes those of TextSplitter "
            "and of structchunk_core.Chunker, and what its documentation names"
        )
    return settings


def _is_slice(chunk: Chunk) -> bool:
    """Whether the text is a slice of the document, whatever is in front of it and behind."""
    return not (chunk.rendered or chunk.derived)


def _moved(chunk: Chunk, characters: int, lines: int) -> Chunk:
    """The chunk of a text in front of which there is something that was not chunked."""
    return replace(
        chunk,
        span=Span(chunk.span.start + characters, chunk.span.end + characters),
        start_line=chunk.start_line + lines,
        end_line=chunk.end_line + lines,
    )


def _noted_route(
    text: str, path: str, metadata: Mapping[Any, Any]
) -> tuple[str | None, str | None]:
    """The language and format of a text that is not what its path names; None where it is.

    CSVLoader hands out one document for each row, written as lines of ``column: value`` under the
    path of the file; a row is no table. LanguageParser notes the language of what it has cut.
    """
    if isinstance(metadata.get("row"), int) and detect(text, path).format == "delimited":
        return None, "text"
    language = metadata.get("language")
    if metadata.get("content_type") in _CUT_CODE and isinstance(language, str):
        return language_of_tag(language) or None, None
    return None, made_format_or_none(text, path, metadata)


def _identity(metadata: Mapping[Any, Any]) -> str:
    """What tells a document without a path from others with the same text."""
    if not metadata:
        return ""
    return repr(sorted((str(key), repr(value)) for key, value in metadata.items()))
