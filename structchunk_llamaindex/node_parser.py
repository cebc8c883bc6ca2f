"""``StructuralNodeParser``: the core behind LlamaIndex's node parser interface."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Annotated, Any, ClassVar

from llama_index.core.bridge.pydantic import Field, PlainSerializer
from llama_index.core.callbacks import CallbackManager

from structchunk_core import Chunker
from structchunk_core.adapting import check_root, check_route
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
from structchunk_llamaindex.asking import contextualizer_of
from structchunk_llamaindex.parsing import IdFunction, ParserBase, check_common
from structchunk_llamaindex.references import described, tokenizer_object

_CORE_SETTINGS = tuple(field.name for field in fields(Chunker) if field.init)


class StructuralNodeParser(ParserBase):
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

    A node's text is what is shown: the source slice, and what its part repeats around it. Of a
    chunk that is embedded as another text (:attr:`Chunk.indexed`: profiles, records, descriptions),
    ``metadata["indexed_text"]`` is embedded in the place of that, and the LLM is shown it from
    ``metadata["shown_text"]``, which is the node's text once more: the text template of such a
    node leaves the text out, as no template can do so for the embedding model alone. Elsewhere
    both keys are empty. What writes another template into nodes has both texts embedded
    (LlamaIndex's extractors, unless ``disable_template_rewrite=True``), and what sets the text that
    the LLM is shown (``CitationQueryEngine``) stands behind
    :class:`~structchunk_llamaindex.ShownText`.

    The budget holds for what is really embedded, ``node.get_content(MetadataMode.EMBED)``: when
    metadata that the loader shows to the embedding model takes room, the text gives way. If it
    leaves less than a quarter, the text keeps that and the nodes say so in ``problems``.

    Entries (:attr:`Chunk.entries`) stand behind the nodes of their document as ``IndexNode``, whose
    ``index_id`` is the node that they lead to.

    Args:
        chunk_size: what no embedded text exceeds, in tokens (or the unit chosen below).
        chunk_overlap: how much of the node before is repeated, in whole lines or sentences.
        overlap_lines: how many lines of it, where there is room, instead of that; for code.
        target_size: what packing aims at; None means half of ``chunk_size``, less for rows of a
            table that is split and for YAML, TOML, INI and XML.
        tokenizer: a tiktoken encoding's name (``cl100k_base`` when None), ``"characters"``, a
            tokenizer object, or as elsewhere in LlamaIndex a function from text to its tokens.
        length_function: a function from text to its length, instead of a tokenizer.
        granularity: ``"definition"``: each function, method and section of what does not fit the
            target as a whole gets a node of its own; ``"packed"``: neighbours share nodes up to it.
        split_level: a node begins at every heading of this level (1 to 6) or above, however short
            the sections are; None means that small ones may share a node.
        outline: which definitions get an entry of scope, signature and documentation, an
            ``IndexNode`` that leads to the definition: ``"none"``, ``"split"`` (those that did not
            fit into one node), ``"all"``. With the last, nodes of JSON, YAML, TOML, INI and XML get
            entries of their values too, each with all keys above it, unless
            ``record_format="both"`` embeds them so.
        context: ``"separate"``: in the metadata, embedded and not shown; ``"inline"``: in front
            of the text; ``"none"``.
        contextualizer: an LLM of LlamaIndex, which is asked for a sentence about each node that
            becomes part of its context; or what :class:`structchunk_core.Chunker` takes, such as
            ``asking(llm, cache="answers.sqlite")``. Of a table that it describes, the description
            is embedded and the table shown.
        language: the language of the code in all documents (``"python"``).
        format: the format of all documents (``"markdown"``).
        root: a folder; paths below it are shown and hashed relative to it.
        parse_seconds: how long a grammar may work on one document before it is cut as text.
        grammars: grammars of your own: language -> ``tree_sitter.Language`` or ``Parser``. They
            cannot be pickled, so worker processes need an installed grammar.
        on_missing_grammar: ``"warn"`` (cut as text, with a problem) or ``"error"``.
        strip_boilerplate: whether navigation, headers and footers of web pages are left out.
        table_format: ``"rows"``: tables as they are written; ``"records"``: each row as
            ``column: value; column: value``, without empty cells; ``"both"``: shown as written
            and embedded as records.
        table_profile: whether a table that is split gets a profile (how many rows, sums, means,
            extremes), a node that is the parent of those with its rows: a short form of it is
            embedded, and the whole is shown. ``"always"``: every table does.
        table_rows: ``"linked"``: each row of a table, under its caption and header, is an
            ``IndexNode`` that leads to the node it is in.
        record_format: ``"both"``: JSON, YAML, TOML, INI and XML are shown as written and embedded
            as lines, one for each mapping with the keys that lead to it; ``"written"``: embedded as
            written too.
        include_metadata: whether nodes get the metadata of their document.
        include_prev_next_rel: whether nodes know their neighbours.
        callback_manager: told about parsing and chunking as by LlamaIndex's own parsers.
        id_func: makes node ids from the number of a node in its document and the document. None:
            ids follow from document id (or path, when the id is random) and content, and stay
            as they are under edits elsewhere.

    A node that is parsed again is read without the context in front of it, and what a loader has
    made of a file (the words of a web page, the cells of a notebook) is cut as what it is then.

    Settings may be changed later; what is wrong is refused then as it is here.

    Raises:
        ConfigurationError: (a ``ValueError``) a setting is wrong.
    """

    references: ClassVar[tuple[str, ...]] = (
        "tokenizer",
        "length_function",
        "contextualizer",
        "grammars",
        "id_func",
    )

    chunk_size: int = Field(default=512, description="What no embedded text exceeds.")
    chunk_overlap: int = Field(default=0, description="How much of the node before is repeated.")
    overlap_lines: int = Field(default=0, description="How many lines of it, where there is room.")
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
    outline: OutlineMode = Field(default="none", description="Which definitions get an entry.")
    context: ContextMode = Field(default="separate", description="Where the context goes.")
    contextualizer: Annotated[Any, PlainSerializer(described)] = Field(
        default=None, description="Says a sentence about each chunk."
    )
    language: str | None = Field(default=None, description="Language of all documents.")
    format: str | None = Field(default=None, description="Format of all documents.")
    root: str | None = Field(default=None, description="Folder that paths are relative to.")
    parse_seconds: float = Field(default=10.0, description="Limit for parsing one document.")
    grammars: Annotated[Mapping[str, Any], PlainSerializer(described)] = Field(
        default_factory=dict, description="Grammars of the user."
    )
    on_missing_grammar: MissingGrammar = Field(default="warn", description="Warn or raise.")
    strip_boilerplate: bool = Field(default=False, description="Leave out what is around pages.")
    table_format: TableFormat = Field(default="rows", description="How rows are written.")
    table_profile: TableProfile = Field(default=True, description="Which tables get a profile.")
    table_rows: TableRows = Field(default="grouped", description="Whether rows are entries.")
    record_format: RecordFormat = Field(default="both", description="How records are embedded.")

    def __init__(  # noqa: PLR0913  # the settings by name, which editors and readers can see
        self,
        chunk_size: int = 512,
        chunk_overlap: int = 0,
        *,
        overlap_lines: int = 0,
        target_size: int | None = None,
        tokenizer: Any = None,
        length_function: Callable[[str], int] | None = None,
        granularity: Granularity = "definition",
        split_level: int | None = None,
        outline: OutlineMode = "none",
        context: ContextMode = "separate",
        contextualizer: Any = None,
        language: str | None = None,
        format: str | None = None,
        root: str | os.PathLike[str] | None = None,
        parse_seconds: float = 10.0,
        grammars: Mapping[str, Any] | None = None,
        on_missing_grammar: MissingGrammar = "warn",
        strip_boilerplate: bool = False,
        table_format: TableFormat = "rows",
        table_profile: TableProfile = True,
        table_rows: TableRows = "grouped",
        record_format: RecordFormat = "both",
        include_metadata: bool = True,
        include_prev_next_rel: bool = True,
        callback_manager: CallbackManager | None = None,
        id_func: IdFunction | None = None,
        **more: Any,
    ) -> None:
        super().__init__(
            chunk_size=chunk_size,
            chunk_overlap=chunk_overlap,
            overlap_lines=overlap_lines,
            target_size=target_size,
            tokenizer=tokenizer,
            length_function=length_function,
            granularity=granularity,
            split_level=split_level,
            outline=outline,
            context=context,
            contextualizer=contextualizer,
            language=language,
            format=format,
            root=root,
            parse_seconds=parse_seconds,
            grammars={} if grammars is None else grammars,
            on_missing_grammar=on_missing_grammar,
            strip_boilerplate=strip_boilerplate,
            table_format=table_format,
            table_profile=table_profile,
            table_rows=table_rows,
            record_format=record_format,
            include_metadata=include_metadata,
            include_prev_next_rel=include_prev_next_rel,
            callback_manager=CallbackManager([]) if callback_manager is None else callback_manager,
            id_func=id_func,
            **more,
        )

    @classmethod
    def class_name(cls) -> str:
        """The name in serialised pipelines."""
        return "StructuralNodeParser"

    @classmethod
    def checked(cls, settings: dict[str, Any]) -> dict[str, Any]:
        settings = settings | {"contextualizer": contextualizer_of(settings["contextualizer"])}
        chunker = cls.chunker_of(settings)
        language, format = check_route(chunker, settings["language"], settings["format"])
        check_common(settings)
        root = check_root(settings["root"])
        return settings | {"language": language, "format": format, "root": root}

    @classmethod
    def chunker_of(cls, settings: dict[str, Any]) -> Chunker:
        known = {name: settings[name] for name in _CORE_SETTINGS if name in settings}
        return Chunker(**known | {"tokenizer": tokenizer_object(settings["tokenizer"])})

    def route(self) -> tuple[str | None, str | None]:
        return self.language, self.format

    def folder(self) -> str | None:
        return self.root
