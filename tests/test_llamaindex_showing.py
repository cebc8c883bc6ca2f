"""What sets the text of nodes that have two: behind ``ShownText``, the LLM is given it."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from llama_index.core import SummaryIndex
from llama_index.core.extractors import KeywordExtractor, TitleExtractor
from llama_index.core.extractors.interface import DEFAULT_NODE_TEXT_TEMPLATE
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import CitationQueryEngine
from llama_index.core.schema import BaseNode, Document, MetadataMode, NodeWithScore, TextNode

from structchunk_llamaindex import IndexedText, ShownText, StructuralNodeParser
from tests.corpus import GUIDE

EMBED, LLM = MetadataMode.EMBED, MetadataMode.LLM
SHELVES = json.dumps(
    {"store": {f"shelf{n}": {"holds": f"Paint number {n}", "rows": n} for n in range(40)}}, indent=2
)


class Repeating(MockLLM):
    """Answers with the prompt."""

    def __init__(self) -> None:
        super().__init__(max_tokens=None)


def nodes_of(text: str, path: str, **document: Any) -> list[TextNode]:
    given = Document(text=text, metadata={"file_path": path}, **document)
    parser = StructuralNodeParser(chunk_size=128, table_format="both")
    return [node for node in parser([given]) if isinstance(node, TextNode)]


def shown(nodes: list[TextNode]) -> list[BaseNode]:
    hits = [NodeWithScore(node=node, score=number / 10) for number, node in enumerate(nodes)]
    found = ShownText().postprocess_nodes(hits)
    assert [one.score for one in found] == [one.score for one in hits]
    return [one.node for one in found]


@pytest.mark.parametrize("template", ["{metadata_str}\n\n{content}", "{content}", "<{content}>"])
def test_an_llm_is_given_the_same_and_from_the_text(template: str) -> None:
    nodes = nodes_of(SHELVES, "a.json", text_template=template)
    kept = [node.model_copy(deep=True) for node in nodes]
    for node, found in zip(nodes, shown(nodes), strict=True):
        assert type(found) is TextNode
        assert found.get_content() == node.get_content()
        assert "".join(found.get_content(LLM).strip("<>").split()) == "".join(
            node.get_content(LLM).replace("shown_text: ", "").strip("<>").split()
        )
        found.set_content("Nothing.")
        assert "Nothing." in found.get_content(LLM)
        assert "holds" not in found.get_content(LLM)
        assert found.metadata.keys() == node.metadata.keys()
        assert found.relationships == node.relationships
        assert TextNode.from_json(found.to_json()) == found
    assert nodes == kept


def test_nodes_with_one_text_are_handed_back() -> None:
    nodes = nodes_of(GUIDE, "guide.md")
    plain = [node for node in nodes if not node.metadata["indexed_text"]]
    assert plain
    assert all(one is node for one, node in zip(shown(plain), plain, strict=True))


def test_citations_are_numbered() -> None:
    nodes = nodes_of(SHELVES, "a.json")[:4]
    retriever = SummaryIndex(nodes).as_retriever()
    engine = CitationQueryEngine.from_args(
        SummaryIndex(nodes),
        retriever=retriever,
        llm=Repeating(),
        node_postprocessors=[ShownText()],
    )
    answer = str(engine.query("What is where?"))
    cited = answer.rpartition("What is where?")[0]
    assert re.findall(r"^Source (\d):$", cited, re.MULTILINE)[-4:] == ["1", "2", "3", "4"]
    for node in nodes:
        assert answer.count(json.loads(node.text)["store"].popitem()[1]["holds"] + '"') == 1


def test_extractors_behind_the_parser_keep_the_template_where_they_are_told() -> None:
    nodes: list[BaseNode] = list(nodes_of(SHELVES, "a.json"))
    keeping = TitleExtractor(llm=MockLLM(max_tokens=3), nodes=1, disable_template_rewrite=True)
    before = [(node.get_content(EMBED), node.get_content(LLM)) for node in nodes]
    for (embedded, given), told in zip(before, keeping(nodes), strict=True):
        title = told.metadata["document_title"]
        assert told.get_content(EMBED) == f"{embedded}\ndocument_title: {title}"
        assert told.get_content(LLM) == f"{given}\ndocument_title: {title}"
    for told in TitleExtractor(llm=MockLLM(max_tokens=3), nodes=1)(nodes):
        text = told.get_content()
        assert text in told.get_content(EMBED)  # what it does otherwise: nothing is lost
        assert text in told.get_content(LLM)


@pytest.mark.parametrize("template", [DEFAULT_NODE_TEXT_TEMPLATE, "<{content}>"])
def test_behind_extractors_one_text_is_embedded_and_the_other_shown(template: str) -> None:
    given = [
        Document(text=text, metadata={"file_path": path})
        for text, path in ((SHELVES, "a.json"), (GUIDE, "guide.md"))
    ]
    parser = StructuralNodeParser(chunk_size=128)
    extractors = [
        KeywordExtractor(llm=MockLLM(max_tokens=3), node_text_template=template),
        TitleExtractor(llm=MockLLM(max_tokens=3), nodes=1, node_text_template=template),
    ]
    rewritten = IngestionPipeline(transformations=[parser, *extractors]).run(documents=given)
    nodes = IngestionPipeline(transformations=[parser, *extractors, IndexedText()]).run(
        documents=given
    )
    shelves = [node for node in nodes if node.metadata["indexed_text"]]
    assert 0 < len(shelves) < len(nodes)
    for node, before in zip(nodes, rewritten, strict=True):
        assert TextNode.from_json(node.to_json()) == node
        embedded, shown = node.get_content(EMBED), node.get_content(LLM)
        if node not in shelves:
            assert (embedded, shown) == (before.get_content(EMBED), before.get_content(LLM))
            continue
        assert node.metadata["indexed_text"] in embedded
        assert node.get_content() not in embedded
        assert node.get_content() in shown
        assert node.metadata["indexed_text"] not in shown
        assert node.get_content() in before.get_content(EMBED)
        for text in (embedded, shown):
            assert ("excerpt_keywords: " in text) == ("{metadata_str}" in template)
            assert ("chunk_id" in text) == 0
    assert IndexedText()(nodes) == nodes
