"""Nodes that are embedded as another text than they show: profiles, records, descriptions."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from llama_index.core import SummaryIndex
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.llms import MockLLM
from llama_index.core.node_parser import SentenceSplitter, get_leaf_nodes
from llama_index.core.schema import (
    BaseNode,
    Document,
    IndexNode,
    MetadataMode,
    NodeWithScore,
    TextNode,
)
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores.utils import metadata_dict_to_node, node_to_metadata_dict

from structchunk_core import Chunk, Chunker, Description
from structchunk_core.source import Source
from structchunk_llamaindex import (
    StructuralExpansion,
    StructuralHierarchicalNodeParser,
    StructuralNodeParser,
)
from structchunk_llamaindex.templates import TEXT_TEMPLATE, reduced, restored_template
from tests.bag_of_words_llamaindex import BagOfWords
from tests.corpus import CITIES

EMBED, LLM, NONE = MetadataMode.EMBED, MetadataMode.LLM, MetadataMode.NONE
SHELVES = json.dumps(
    {"store": {f"shelf{n}": {"holds": f"Paint number {n}", "rows": n} for n in range(40)}}, indent=2
)
FARES = "# Fares\n\n| To | Fare |\n|---|---|\n" + "".join(f"| Port {n} | {n} |\n" for n in range(9))
PROSE = "The table says what the ferry to each of nine ports costs, from 0 to 8."
TAGGED = {"tag": "x"}


def described(chunk: Chunk, source: Source) -> Description | str:
    assert source.text
    return Description(PROSE) if chunk.element_type == "table" else ""


CASES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "records": ("a.json", SHELVES, {"table_format": "both"}),
    "rows": ("a.md", FARES, {"table_format": "both"}),
    "profile": ("cities.csv", CITIES, {}),
    "description": ("b.md", FARES, {"contextualizer": described}),
}
CONTEXTS = ["separate", "inline", "none"]


def parsed(
    case: str, *, size: int = 128, document: dict[str, Any] | None = None, **settings: Any
) -> list[TextNode]:
    """The nodes of a case, of which some have two texts."""
    path, text, needed = CASES[case]
    parser = StructuralNodeParser(chunk_size=size, **needed | settings)
    given = Document(text=text, metadata={"file_path": path} | TAGGED, **document or {})
    nodes = parser.get_nodes_from_documents([given])
    assert any(node.metadata["indexed_text"] for node in nodes)
    return [node for node in nodes if isinstance(node, TextNode)]


def two_texts(nodes: Sequence[TextNode]) -> list[TextNode]:
    return [node for node in nodes if node.metadata["indexed_text"]]


def skip_what_has_no_context(case: str, context: str) -> None:
    if case == "description" and context == "none":
        pytest.skip("a contextualizer needs a context")


@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.parametrize("case", CASES)
def test_the_text_is_shown_and_the_other_one_embedded(case: str, context: str) -> None:
    skip_what_has_no_context(case, context)
    path, text, settings = CASES[case]
    chunks = Chunker(chunk_size=128, context=context, **settings).chunk(text, path=path)  # type: ignore[arg-type]  # one of them
    nodes = parsed(case, context=context)
    for node in two_texts(nodes):
        said = node.metadata["context"]
        lines = [] if context != "none" else [f"file_path: {path}"]
        lines += ["tag: x", *([f"context: {said}"] if said and context == "separate" else [])]
        indexed = node.metadata["indexed_text"]
        assert node.get_content(EMBED) == "\n".join([*lines, f"indexed_text: {indexed}"]).strip()
        assert node.get_content(NONE) == node.text == node.metadata["shown_text"]
        shown = f"file_path: {path}\ntag: x\nshown_text: {node.text}"
        assert node.get_content(LLM) == shown.strip()
        assert Chunker().count(node.get_content(EMBED)) <= 128
    told = {chunk.indexed for chunk in chunks if chunk.indexed}
    assert case == "records" or {node.metadata["indexed_text"] for node in nodes} - {""} <= told
    for node in nodes:
        if not node.metadata["indexed_text"]:
            assert node.metadata["shown_text"] == ""
            assert node.text_template == TEXT_TEMPLATE
            assert "_text" not in node.get_content(EMBED) + node.get_content(LLM)


@pytest.mark.parametrize("case", CASES)
def test_the_text_is_the_slice_where_the_node_stands(case: str) -> None:
    _, text, _ = CASES[case]
    for node in parsed(case):
        if node.metadata["derived"]:
            continue
        begin, end = node.metadata["prefix_length"], node.metadata["suffix_length"]
        written = node.text[begin : len(node.text) - end]
        assert written == text[node.start_char_idx : node.end_char_idx]


@pytest.mark.parametrize("size", [64, 100, 200, 512])
@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("summary", [0, 20, 400])
def test_the_budget_holds_for_what_is_embedded(
    size: int, context: str, case: str, summary: int
) -> None:
    skip_what_has_no_context(case, context)
    path, text, settings = CASES[case]
    parser = StructuralNodeParser(chunk_size=size, context=context, **settings)  # type: ignore[arg-type]  # one of them
    metadata = {"file_path": path, "summary": "word " * summary}
    nodes = parser([Document(text=text, metadata=metadata)])
    for node in nodes:
        if "metadata-over-budget" in node.metadata["problems"]:
            assert summary >= size // 2
        else:
            assert Chunker().count(node.get_content(EMBED)) <= size


TEMPLATES = {
    TEXT_TEMPLATE: ("{metadata_str}\n\n{content:.0}", True, True),
    "{content}\n--\n{metadata_str!s:>3}": ("{content:.0}\n--\n{metadata_str!s:>3}", True, True),
    "{content} {content!r:>9} {{x}} {metadata_str}": (
        "{content:.0}  {{x}} {metadata_str}",
        True,
        True,
    ),
    "{content}": ("{content:.0}{metadata_str!s}", True, False),
    "T: {content}": ("T: {content:.0}{metadata_str!s}", True, False),
    "{metadata_str}": ("{metadata_str}", False, True),
    "all": ("all", False, False),
}


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_template_is_reduced_and_restored(template: str) -> None:
    found = reduced(template)
    assert found == TEMPLATES[template]
    assert "secret" not in found.template.format(content="secret", metadata_str="told")
    restored = restored_template(found.template)
    same = restored.format(content="a", metadata_str="told")
    assert same == template.replace(" {content!r:>9}", " ").format(content="a", metadata_str="told")


@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("case", ["records", "profile"])
def test_templates_of_documents_say_what_is_put_around_both_texts(case: str, template: str) -> None:
    if case == "profile" and template == "{metadata_str}":
        pytest.skip("nothing of the text is embedded, so that nothing has to be split")
    path, text, settings = CASES[case]
    document = Document(
        text=text,
        metadata={"file_path": path} | TAGGED,
        text_template=template,
        metadata_template="{key}={value}",
        metadata_separator="; ",
    )
    nodes = StructuralNodeParser(chunk_size=128, **settings)([document])
    for node in nodes:
        assert isinstance(node, TextNode)
        indexed, embedded, shown = (
            node.metadata["indexed_text"],
            node.get_content(EMBED),
            node.get_content(LLM),
        )
        if not indexed:
            continue
        _, shows_text, shows_metadata = TEMPLATES[template]
        assert embedded.count(f"indexed_text={indexed}") == shows_text
        assert shown.count(node.text.strip()) == shows_text
        assert ("tag=x" in embedded, "tag=x" in shown) == (shows_metadata, shows_metadata)
        assert ("context=" in embedded) == shows_metadata
        assert node.text not in embedded
        assert indexed not in shown
        assert Chunker().count(embedded) <= 128


def through_json(node: TextNode) -> TextNode:
    return TextNode.from_json(node.to_json())


def through_dict(node: TextNode) -> TextNode:
    return TextNode.from_dict(json.loads(json.dumps(node.to_dict())))


def through_pickle(node: TextNode) -> TextNode:
    found: TextNode = pickle.loads(pickle.dumps(node))  # noqa: S301  # our own bytes
    return found


def through_a_vector_store(node: TextNode) -> BaseNode:
    kept = node_to_metadata_dict(node, remove_text=True, flat_metadata=True)
    return metadata_dict_to_node(json.loads(json.dumps(kept)), text=node.get_content(NONE))


def through_a_docstore(node: TextNode) -> BaseNode:
    store = SimpleDocumentStore()
    store.add_documents([node])
    found = SimpleDocumentStore.from_dict(json.loads(json.dumps(store.to_dict())))
    return found.get_node(node.node_id)


@pytest.mark.parametrize(
    "through",
    [
        through_json,
        through_dict,
        through_pickle,
        through_a_vector_store,
        through_a_docstore,
        copy.deepcopy,
    ],
)
def test_nodes_come_through_every_kind_of_storage(through: Callable[[TextNode], BaseNode]) -> None:
    for case in CASES:
        for node in parsed(case):
            assert type(node) is TextNode
            found = through(node)
            assert type(found) is TextNode
            assert found == node
            for mode in MetadataMode:
                assert found.get_content(mode) == node.get_content(mode)


def test_an_ingestion_cache_gives_the_same_nodes() -> None:
    path, text, settings = CASES["records"]
    parser = StructuralNodeParser(chunk_size=128, **settings)
    pipeline = IngestionPipeline(transformations=[parser, BagOfWords()])
    document = Document(text=text, metadata={"file_path": path})
    first, again = (pipeline.run(documents=[document]) for _ in range(2))
    assert first == again
    assert [n.get_content(EMBED) for n in first] == [n.get_content(EMBED) for n in again]


class Repeating(MockLLM):
    """Answers with the prompt."""

    def __init__(self) -> None:
        super().__init__(max_tokens=None)


def test_an_llm_is_given_what_is_shown_and_not_what_is_indexed() -> None:
    nodes = parsed("records")
    engine = SummaryIndex(nodes[:2]).as_query_engine(llm=Repeating())
    answer = str(engine.query("What is on the shelves?"))
    for node in nodes[:2]:
        assert answer.count(node.text.strip()) == 1
        assert node.metadata["indexed_text"] not in answer


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("template", [TEXT_TEMPLATE, "{content}"])
def test_a_node_that_is_parsed_again_is_a_document_like_others(case: str, template: str) -> None:
    nodes = two_texts(parsed(case, document={"text_template": template}))
    again = StructuralNodeParser(chunk_size=512, context="none", record_format="written")(nodes)
    for node in again:
        assert isinstance(node, TextNode)
        assert node.text_template == template
        assert not node.metadata["indexed_text"]
        assert node.text in node.get_content(EMBED)
        assert node.text in node.get_content(LLM)
        assert "_text: " not in node.get_content(EMBED) + node.get_content(LLM)
    written = "".join("".join(node.text.split()) for node in nodes)
    assert "".join("".join(node.get_content().split()) for node in again) == written


def test_what_the_loader_notes_under_our_names_stays() -> None:
    metadata = {"shown_text": "of the loader", "indexed_text": 7, "file_path": "a.json"}
    nodes = StructuralNodeParser(chunk_size=128, table_format="both")(
        [Document(text=SHELVES, metadata=metadata)]
    )
    for node in nodes:
        assert isinstance(node, TextNode)
        assert {key: node.metadata[key] for key in metadata} == metadata
        assert node.metadata["structchunk_shown_text"] == node.text
        assert node.metadata["structchunk_indexed_text"] in node.get_content(EMBED)
        assert "indexed_text: 7\n" in node.get_content(EMBED)
        assert Chunker().count(node.get_content(EMBED)) <= 128
        for other in (node.next_node, node.prev_node):
            if other is not None:
                assert other.metadata["structchunk_shown_text"] == ""
                assert other.metadata["shown_text"] == "of the loader"


def test_texts_are_noted_once_and_not_with_neighbours_children_and_entries() -> None:
    nodes = parsed("records", outline="all", table_rows="linked")
    nodes += parsed("profile", table_format="both", table_rows="linked", table_profile="always")
    linked = 0
    for node in nodes:
        if isinstance(node, IndexNode):
            assert node.metadata["shown_text"] == node.metadata["indexed_text"] == ""
            linked += 1
        for other in (node.next_node, node.prev_node, node.parent_node, *(node.child_nodes or [])):
            if other is not None:
                assert other.metadata["shown_text"] == other.metadata["indexed_text"] == ""
                assert other.metadata.keys() == node.metadata.keys()
                linked += 1
    assert linked > 100


def test_neighbours_that_are_read_together_show_their_text_once() -> None:
    path, text, settings = CASES["records"]
    parser = StructuralHierarchicalNodeParser(chunk_size=128, parent_size=5000, **settings)
    every = parser([Document(text=text, metadata={"file_path": path} | TAGGED)])
    nodes = get_leaf_nodes(every)
    store = SimpleDocumentStore()
    store.add_documents(every)
    expansion = StructuralExpansion(store, budget=100_000, kinds={"none of them"})
    hits = [NodeWithScore(node=node, score=0.5) for node in nodes]
    (found,) = expansion.postprocess_nodes(hits)
    text = found.node.get_content()
    assert json.loads(text) == json.loads(SHELVES)
    assert found.node.get_content(LLM) == f"file_path: a.json\ntag: x\n\n{text}".strip()
    assert found.node.get_content(EMBED).endswith(text.strip())
    assert "_text: " not in found.node.get_content(EMBED)
    (alone,) = expansion.postprocess_nodes(hits[3:4])
    assert alone.node.get_content(LLM) == nodes[3].get_content(LLM)


def test_a_splitter_behind_that_counts_metadata_loses_nothing() -> None:
    nodes = parsed("records")
    pieces = SentenceSplitter(chunk_size=1024, chunk_overlap=0)(nodes)
    assert [piece.get_content() for piece in pieces] == [node.text.strip() for node in nodes]
    assert [piece.get_content(EMBED) for piece in pieces] == [
        node.get_content(EMBED) for node in nodes
    ]
