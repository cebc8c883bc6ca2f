"""``CodeSplitter``: takes the place of LlamaIndex's class of that name."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

import llama_index.core
from llama_index.core.bridge.pydantic import Field, PlainSerializer
from llama_index.core.callbacks import CallbackManager, CBEventType, EventPayload
from llama_index.core.node_parser import TextSplitter
from llama_index.core.schema import Document
from tree_sitter import Parser

from structchunk_core import Chunker, ConfigurationError, MissingDependencyError
from structchunk_core.grammars import find_grammar
from structchunk_core.settings import check_choice, check_integer, check_language, shown
from structchunk_llamaindex.nodes import frame_of
from structchunk_llamaindex.parsing import IdFunction, ParserBase, check_common
from structchunk_llamaindex.references import described, tokenizer_object


class _Unsaid(int):
    """A default that can be told from the same number when somebody gives it."""


_OVERLAP = _Unsaid(15)
_LEAST_TOKENS = 8


class CodeSplitter(ParserBase, TextSplitter):  # type: ignore[misc]  # id_func may be None here
    """LlamaIndex's ``CodeSplitter``, with functions kept whole and a limit that holds.

    Arguments, their order and their defaults are those of
    ``llama_index.core.node_parser.CodeSplitter``. What is different: no chunk exceeds the limit, a
    definition that fits is never cut, chunks keep their indentation, nodes know where they stand,
    code with syntax errors is cut instead of refused, and what is embedded begins with path and
    scope (inside the limit). Nodes are otherwise those of
    :class:`~structchunk_llamaindex.StructuralNodeParser`.

    Args:
        language: the language of the code, as tree-sitter-language-pack calls it.
        chunk_lines: is checked and has no effect, as in LlamaIndex: the size decides.
        chunk_lines_overlap: how many lines of the chunk before are repeated where there is room.
            Only when it is given: the default overlaps nothing, as in LlamaIndex.
        max_chars: what no embedded text exceeds, in characters, with ``count_mode="char"``.
        count_mode: ``"char"`` or ``"token"``.
        max_tokens: what no embedded text exceeds, in tokens, with ``count_mode="token"``: at
            least 8.
        tokenizer: a function from text to its tokens, or what ``StructuralNodeParser`` takes; None
            for LlamaIndex's global tokenizer, if one has been set, else ``cl100k_base``.
        parser: a ``tree_sitter.Parser`` with a grammar of your own for the language.
        callback_manager: told about parsing and chunking.
        include_metadata: whether nodes get the metadata of their document.
        include_prev_next_rel: whether nodes know their neighbours.
        id_func: makes node ids from the number of a node in its document and the document. None:
            ids follow from document and content.

    Raises:
        ConfigurationError: (a ``ValueError``) a setting is wrong.
        MissingDependencyError: (an ``ImportError``) there is no grammar for the language.
    """

    references: ClassVar[tuple[str, ...]] = ("tokenizer", "parser", "id_func")

    language: str = Field(description="Language of the code.")
    chunk_lines: int = Field(default=40, description="Has no effect.")
    chunk_lines_overlap: int | None = Field(default=None, description="How many lines repeat.")
    max_chars: int = Field(
        default=1500, description="What no embedded text exceeds, in characters."
    )
    count_mode: Literal["token", "char"] = Field(default="char", description="What is counted.")
    max_tokens: int = Field(default=512, description="What no embedded text exceeds, in tokens.")
    tokenizer: Annotated[Any, PlainSerializer(described)] = Field(
        default=None, description="Function from text to its tokens."
    )
    parser: Annotated[Any, PlainSerializer(described)] = Field(
        default=None, description="Parser with a grammar of the user."
    )

    def __init__(  # noqa: PLR0913, PLR0917  # the arguments of the class whose place it takes
        self,
        language: str,
        chunk_lines: int = 40,
        chunk_lines_overlap: int = _OVERLAP,
        max_chars: int = 1500,
        count_mode: Literal["token", "char"] = "char",
        max_tokens: int = 512,
        tokenizer: Any = None,
        parser: Any = None,
        callback_manager: CallbackManager | None = None,
        include_metadata: bool = True,
        include_prev_next_rel: bool = True,
        id_func: IdFunction | None = None,
    ) -> None:
        super().__init__(
            language=language,
            chunk_lines=chunk_lines,
            chunk_lines_overlap=chunk_lines_overlap,
            max_chars=max_chars,
            count_mode=count_mode,
            max_tokens=max_tokens,
            tokenizer=tokenizer,
            parser=parser,
            include_metadata=include_metadata,
            include_prev_next_rel=include_prev_next_rel,
            callback_manager=CallbackManager([]) if callback_manager is None else callback_manager,
            id_func=id_func,
        )

    @classmethod
    def class_name(cls) -> str:
        """The name in serialised pipelines."""
        return "CodeSplitter"

    def split_text(self, text: str) -> list[str]:
        """The texts of the nodes of a document without metadata."""
        with self.callback_manager.event(
            CBEventType.CHUNKING, payload={EventPayload.CHUNKS: [text]}
        ) as event:
            frame = frame_of(
                Document(text=text), root=None, has_context=True, include_metadata=True
            )
            rows = self._rows(text, self.chunker_of(self.__dict__), frame)
            texts = [chunk.text for chunk, _ in rows]
            event.on_end(payload={EventPayload.CHUNKS: texts})
        return texts

    @classmethod
    def checked(cls, settings: dict[str, Any]) -> dict[str, Any]:
        language = check_language(settings["language"])
        if language is None:
            raise ConfigurationError("language must be the name of a language, got None")
        check_integer("chunk_lines", settings["chunk_lines"], 1, "lines")
        overlap = settings["chunk_lines_overlap"]
        overlap = None if isinstance(overlap, _Unsaid) else overlap
        if overlap is not None:
            check_integer("chunk_lines_overlap", overlap, 1, "lines")
        check_integer("max_chars", settings["max_chars"], 1, "characters")
        check_choice("count_mode", settings["count_mode"], ("char", "token"))
        check_integer("max_tokens", settings["max_tokens"], _LEAST_TOKENS, "tokens")
        parser = settings["parser"]
        if parser is not None and not isinstance(parser, Parser):
            raise ConfigurationError(f"parser must be a tree_sitter.Parser, got {shown(parser)}")
        check_common(settings)
        settings = settings | {"language": language, "chunk_lines_overlap": overlap}
        try:
            find_grammar(language, cls.chunker_of(settings).grammars)
        except MissingDependencyError as error:
            raise MissingDependencyError(
                f"{error} (here: parser=tree_sitter.Parser(it))"
            ) from error
        return settings

    @classmethod
    def chunker_of(cls, settings: dict[str, Any]) -> Chunker:
        parser = settings["parser"]
        by_tokens = settings["count_mode"] == "token"
        tokenizer = settings["tokenizer"] or llama_index.core.global_tokenizer
        checked = tokenizer_object(tokenizer)
        return Chunker(
            chunk_size=settings["max_tokens"] if by_tokens else settings["max_chars"],
            tokenizer=checked if by_tokens else "characters",
            overlap_lines=settings["chunk_lines_overlap"] or 0,
            grammars={} if parser is None else {settings["language"]: parser},
        )

    def route(self) -> tuple[str | None, str | None]:
        return self.language, "code"
