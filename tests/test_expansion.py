"""``StructuralExpansion`` of both frameworks: what is retrieved becomes what it belongs to."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from chromadb import EphemeralClient
from langchain_classic.retrievers import ContextualCompressionRetriever, MultiVectorRetriever
from langchain_classic.storage import LocalFileStore, create_kv_docstore
from langchain_core.documents import Document
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore
from llama_index.core import StorageContext, VectorStoreIndex, load_index_from_storage
from llama_index.core import get_response_synthesizer as synthesizer
from llama_index.core.llms import MockLLM
from llama_index.core.node_parser import get_leaf_nodes
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import (
    BaseNode,
    MetadataMode,
    NodeWithScore,
    TextNode,
)
from llama_index.core.schema import Document as Loaded
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.vector_stores.chroma import ChromaVectorStore

import structchunk_langchain
import structchunk_llamaindex
from structchunk_core import Chunk, Chunker, ConfigurationError, Description, Source
from structchunk_llamaindex import StructuralHierarchicalNodeParser
from tests.bag_of_words_langchain import BagOfWords
from tests.bag_of_words_llamaindex import BagOfWords as LlamaBagOfWords
from tests.corpus import CITIES, FILES, GUIDE, ORDERS
from tests.test_expanding import notebook
from tests.test_restoring import NOTEBOOK, PAGE

PLACES = {"shop/orders.py": ORDERS, "guide.md": GUIDE, "cities.csv": CITIES}


# LlamaIndex


def nodes_of(path: str, **settings: Any) -> list[TextNode]:
    parser = StructuralHierarchicalNodeParser(chunk_size=64, parent_size=2000, **settings)
    document = Loaded(text=PLACES[path], id_=path, metadata={"file_path": path})
    made = parser.get_nodes_from_documents([document])
    return [node for node in made if isinstance(node, TextNode)]


def stored(*rows: list[TextNode]) -> SimpleDocumentStore:
    docstore = SimpleDocumentStore()
    for row in rows:
        docstore.add_documents(row)
    return docstore


def scored(*nodes: BaseNode) -> list[NodeWithScore]:
    return [NodeWithScore(node=node, score=1 - n / 10) for n, node in enumerate(nodes)]


def symbol_of(nodes: list[TextNode], symbol: str) -> TextNode:
    return next(
        node for node in nodes if node.metadata["symbol"] == symbol and not node.child_nodes
    )


def llama(docstore: Any, budget: int, **settings: Any) -> Any:
    return structchunk_llamaindex.StructuralExpansion(docstore, budget, **settings)


def size_of(*nodes: BaseNode) -> int:
    return sum(Chunker().count(node.get_content(MetadataMode.LLM)) for node in nodes)


def test_a_node_becomes_its_class_and_then_its_file() -> None:
    nodes = nodes_of("shop/orders.py")
    docstore = stored(nodes)
    method = symbol_of(nodes, "Basket.discount")
    basket = next(n for n in nodes if n.metadata["symbol"] == "Basket" and n.child_nodes)
    for budget, wanted in (
        (size_of(method), method.text),
        (size_of(basket) - 1, method.text),
        (size_of(basket), basket.text),
        (10_000, ORDERS.rstrip()),
    ):
        (found,) = llama(docstore, budget).postprocess_nodes(scored(method))
        assert found.node.get_content() == wanted
        assert found.score == 1
        assert size_of(found.node) <= budget
    (found,) = llama(docstore, 10_000, kinds={"class_definition"}).postprocess_nodes(scored(method))
    assert found.node.get_content() == basket.text


def test_neighbours_are_one_node_with_the_best_score_and_the_text_of_the_document() -> None:
    nodes = nodes_of("cities.csv")
    rows = [node for node in nodes if not node.child_nodes]
    assert len(rows) > 3
    docstore = stored(nodes)
    keep = llama(docstore, 10_000, kinds=())
    found = keep.postprocess_nodes(scored(rows[3], rows[1], rows[2]))
    assert len(found) == 1
    node = found[0].node
    assert found[0].score == 1
    assert node.text.count("city,country,inhabitants") == 1
    start, end = node.start_char_idx, node.end_char_idx
    assert (start, end) == (rows[1].start_char_idx, rows[3].end_char_idx)
    assert node.text == "city,country,inhabitants\n" + CITIES[start:end]
    assert node.ref_doc_id == "cities.csv"
    assert node.metadata["file_path"] == "cities.csv"
    assert node.metadata["chunk_part"] == 0
    assert node.metadata["element_type"] == "table"
    apart = llama(docstore, 10_000, kinds=(), merge=False)
    assert [hit.node for hit in apart.postprocess_nodes(scored(rows[3], rows[1], rows[2]))] == (
        rows[1:4]
    )
    again = keep.postprocess_nodes(scored(rows[1], rows[2], rows[3]))
    assert again[0].node == node


def test_blank_lines_between_neighbours_are_those_of_the_document() -> None:
    nodes = nodes_of("shop/orders.py", context="inline")
    leaves = [node for node in nodes if not node.child_nodes]
    one, other = symbol_of(nodes, "Basket.discount"), symbol_of(nodes, "export")
    assert leaves.index(other) == leaves.index(one) + 1
    expansion = llama(stored(nodes), 10_000, kinds=())
    (found,) = expansion.postprocess_nodes(scored(other, one))
    start = one.start_char_idx or 0
    assert found.node.get_content() == ORDERS[start:].rstrip()


@pytest.mark.parametrize("path", ["page.html", "shop.ipynb"])
@pytest.mark.parametrize("context", ["separate", "inline"])
@pytest.mark.parametrize("in_vectors", [False, True])
def test_nodes_of_rendered_documents_are_joined_out_of_a_store_that_was_loaded_again(
    path: str, context: str, in_vectors: bool, tmp_path: Path
) -> None:
    text = {"page.html": PAGE, "shop.ipynb": NOTEBOOK}[path]
    parser = StructuralHierarchicalNodeParser(chunk_size=40, context=context)
    nodes = parser([Loaded(text=text, id_=path, metadata={"file_path": path})])
    kept = StorageContext.from_defaults()
    kept.docstore.add_documents(nodes)
    leaves = get_leaf_nodes(nodes)
    index = VectorStoreIndex(leaves, storage_context=kept, embed_model=LlamaBagOfWords())
    kept.persist(tmp_path)
    loaded = StorageContext.from_defaults(persist_dir=str(tmp_path))
    if in_vectors:
        store = ChromaVectorStore(EphemeralClient().get_or_create_collection(tmp_path.name))
        into = StorageContext.from_defaults(vector_store=store)
        index = VectorStoreIndex(leaves, storage_context=into, embed_model=LlamaBagOfWords())
    else:
        index = load_index_from_storage(loaded, embed_model=LlamaBagOfWords())  # type: ignore[assignment]
    hits = index.as_retriever(similarity_top_k=50).retrieve("words")
    assert len(hits) == len(leaves) > 2
    joining = llama(loaded.docstore, 10_000, kinds=())
    (found,) = joining.postprocess_nodes(hits)
    rendering = Chunker().parse(text, path=path).rendering
    assert rendering is not None
    assert rendering.text.strip() in found.node.get_content()
    apart = joining.postprocess_nodes([hit for hit in hits if hit.node.node_id != leaves[1].id_])
    assert len(apart) == 2  # a gap is one
    edited = parser(
        [Loaded(text=text.replace("Shop", "Big Shop"), id_=path, metadata={"file_path": path})]
    )
    last, same = get_leaf_nodes(nodes)[-1], get_leaf_nodes(edited)[-1]
    if last.metadata["section_path"] == same.metadata["section_path"]:
        assert last.hash == same.hash  # no place in what is hashed


def test_nodes_of_others_stay_and_count() -> None:
    foreign = TextNode(text="Words of another parser.", id_="x")
    nodes = nodes_of("guide.md")
    docstore = stored(nodes)
    expansion = llama(docstore, 10_000)
    found = expansion.postprocess_nodes(scored(foreign, get_leaf_nodes(list(nodes))[0]))
    assert [hit.node.get_content() for hit in found] == [foreign.text, GUIDE.rstrip()]
    tight = llama(docstore, size_of(foreign))
    assert tight.postprocess_nodes(scored(foreign, nodes[-1]))[0].node == foreign
    assert len(tight.postprocess_nodes(scored(foreign, nodes[-1]))) == 1


def test_entries_are_exchanged_for_what_they_lead_to() -> None:
    nodes = nodes_of("shop/orders.py", outline="all")
    entries = [node for node in nodes if node.metadata["node_type"] == "outline"]
    entry = next(node for node in entries if node.metadata["symbol"] == "export")
    expansion = llama(stored(nodes), 10_000, kinds=())
    (found,) = expansion.postprocess_nodes(scored(entry))
    assert found.node.get_content() == ORDERS[ORDERS.index("def export") :].rstrip()


def test_it_works_in_a_query_engine_and_asynchronously() -> None:
    nodes = [node for path in PLACES for node in nodes_of(path)]
    docstore = stored(nodes)
    index = VectorStoreIndex(
        get_leaf_nodes(list(nodes)),
        storage_context=StorageContext.from_defaults(docstore=docstore),
        embed_model=LlamaBagOfWords(),
    )
    expansion = llama(docstore, 400, kinds={"class_definition"})
    engine = RetrieverQueryEngine(
        index.as_retriever(similarity_top_k=1),
        synthesizer(llm=MockLLM()),
        node_postprocessors=[expansion],
    )
    response = engine.query("what does a voucher take off the invoice")
    assert "class Basket" in response.source_nodes[0].node.get_content()
    hits = index.as_retriever(similarity_top_k=3).retrieve("price of shipping the parcel")
    assert asyncio.run(expansion.apostprocess_nodes(hits)) == expansion.postprocess_nodes(hits)
    assert expansion.to_dict()["budget"] == 400


PRICES = (
    "# Shop\n\nIt is open all day, and what it sells is sent to everywhere.\n\n## Prices\n\n"
    "| Country | Price |\n|---|---:|\n| Austria | 9.90 |\n| Estonia | 12.90 |\n\n"
    "## Hours\n\nFrom nine to five, but not in winter, when it is closed.\n"
)
PROSE = "Austria costs 9.90 and Estonia costs 12.90."


def told(chunk: Chunk, source: Source) -> str | Description:
    return Description(PROSE) if chunk.element_type == "table" else ""


def test_a_described_table_is_embedded_as_prose_and_joined_as_a_table() -> None:
    parser = StructuralHierarchicalNodeParser(
        chunk_size=80, target_size=20, contextualizer=told, parent_size=2000
    )
    loaded = Loaded(text=PRICES, id_="p", metadata={"file_path": "shop.md"})
    nodes = [n for n in parser.get_nodes_from_documents([loaded]) if isinstance(n, TextNode)]
    leaves = [node for node in nodes if not node.child_nodes]
    table = next(node for node in leaves if PROSE in node.metadata["indexed_text"])
    assert table.get_content(MetadataMode.EMBED).endswith(PROSE)
    assert "| Austria |" not in table.get_content(MetadataMode.EMBED)
    assert "| Austria | 9.90 |" in table.text
    assert PROSE not in table.get_content(MetadataMode.LLM)
    keep = llama(stored(nodes), 10_000, kinds=())
    (alone,) = keep.postprocess_nodes(scored(table))
    assert alone.node.node_id == table.node_id
    (whole,) = keep.postprocess_nodes(scored(*leaves))
    assert whole.node.text == PRICES.rstrip()
    assert PROSE not in whole.node.get_content(MetadataMode.LLM)


@pytest.mark.parametrize("path", PLACES)
def test_neighbours_are_joined_where_nothing_larger_is_a_node(path: str) -> None:
    parser = structchunk_llamaindex.StructuralNodeParser(chunk_size=64)
    document = Loaded(text=PLACES[path], id_=path, metadata={"file_path": path})
    nodes = [node for node in parser([document]) if isinstance(node, TextNode)]
    own = [node for node in nodes if not node.metadata["derived"]]
    assert len(own) > 3
    (whole,) = llama(stored(nodes), 10_000).postprocess_nodes(scored(*own[::-1]))
    assert whole.node.get_content() == PLACES[path].rstrip()
    left = [*own[:1], *own[2:]]
    found = llama(stored(nodes), 10_000).postprocess_nodes(scored(*left))
    assert len(found) == 2
    for node in nodes:
        assert "gap_before" not in node.get_content(MetadataMode.EMBED)
        assert "gap_before" not in node.get_content(MetadataMode.LLM)


def test_outputs_of_a_notebook_become_what_they_belong_to() -> None:
    text = notebook()
    parser = StructuralHierarchicalNodeParser(chunk_size=40, parent_size=2000)
    document = Loaded(text=text, id_="n", metadata={"file_path": "a.ipynb"})
    nodes = [node for node in parser([document]) if isinstance(node, TextNode)]
    leaves = [node for node in nodes if not node.child_nodes]
    outputs = [node for node in leaves if node.start_char_idx == node.end_char_idx]
    assert len(outputs) > 3
    apart = llama(stored(nodes), 10_000, kinds=(), merge=False)
    kept = apart.postprocess_nodes(scored(*outputs))
    assert {one.node.node_id for one in kept} == {node.node_id for node in outputs}
    (file,) = llama(stored(nodes), 10_000).postprocess_nodes(scored(*outputs[::-1]))
    assert file.score == 1
    assert all(node.text.split("\n")[1] in file.node.get_content() for node in outputs)
    small = StructuralHierarchicalNodeParser(chunk_size=40, parent_size=300)
    nodes = [node for node in small([document]) if isinstance(node, TextNode)]
    leaves = [node for node in nodes if not node.child_nodes]
    found = llama(stored(nodes), 10_000).postprocess_nodes(scored(*leaves))
    assert len({one.node.node_id for one in found}) == len(found)
    assert all(one.score is not None for one in found)
    read = "".join(one.node.get_content() for one in found)
    for node in outputs:
        assert read.count(node.text.split("\n")[1] + "\n") == 1


# LangChain


def splitter(**settings: Any) -> Any:
    return structchunk_langchain.StructuralTextSplitter(chunk_size=260, **settings)


def corpus() -> list[Document]:
    return [Document(text, metadata={"source": path}) for path, text in FILES.items()]


def lang(store: Any, budget: int, **settings: Any) -> Any:
    return structchunk_langchain.StructuralExpansion(store, budget, **settings)


@pytest.mark.parametrize("context", ["inline", "separate", "none"])
@pytest.mark.parametrize("in_a_store", [False, True])
def test_a_document_becomes_its_class_and_then_its_file(context: Any, in_a_store: bool) -> None:
    indexed, family = splitter(context=context).split_entries(corpus(), parent_size=3000)
    store: Any = family
    if in_a_store:
        store = InMemoryStore()
        store.mset(list(family.items()))
    method = next(one for one in indexed if one.metadata["symbol"] == "Basket.discount")
    text = family[method.metadata["doc_id"]].page_content
    file = ORDERS.rstrip()
    basket = ORDERS[ORDERS.index("class Basket") : ORDERS.index("\n\n\ndef export")]
    front = {"inline": ("# shop/orders.py > Basket\n", "# shop/orders.py\n")}.get(context, ("", ""))
    for budget, wanted in (
        (len(text), text),
        (len(front[0] + basket) - 1, text),
        (len(front[0] + basket), front[0] + basket),
        (10_000, front[1] + file),
    ):
        (found,) = lang(store, budget).compress_documents([method], "what?")
        assert found.page_content == wanted
    (found,) = lang(store, 10_000, kinds=["class_definition"]).transform_documents([method])
    assert found.page_content == front[0] + basket
    assert found.metadata["source"] == "shop/orders.py"


def test_neighbours_are_joined_where_the_budget_has_room_for_what_is_between_them() -> None:
    text = "\n\n".join(f"{word} is the first word of a paragraph." for word in ("This", "That"))
    document = Document(text, metadata={"source": "words.txt"})
    small = structchunk_langchain.StructuralTextSplitter(chunk_size=60, context="separate")
    indexed, family = small.split_entries([document], parent_size=70)
    shown = [family[one.metadata["doc_id"]].page_content for one in indexed]
    assert shown == text.split("\n\n")
    found = lang(family, len(text), kinds=()).transform_documents(indexed)
    assert [one.page_content for one in found] == [text]
    found = lang(family, len(text) - 1, kinds=()).transform_documents(indexed)
    assert [one.page_content for one in found] == shown


def test_neighbours_are_one_document_without_what_each_repeats() -> None:
    indexed, family = splitter(context="inline").split_entries(corpus(), parent_size=3000)
    rows = [one for one in indexed if one.metadata["source"] == "cities.csv"]
    assert len(rows) > 3
    expansion = lang(family, 10_000, kinds=())
    (found,) = expansion.transform_documents([rows[3], rows[1], rows[2]])
    assert found.page_content.startswith("cities.csv\n\ncity,country,inhabitants\nTown")
    assert found.page_content.count("city,country,inhabitants") == 1
    start, end = found.metadata["start_char"], found.metadata["end_char"]
    assert found.page_content.endswith("inhabitants\n" + CITIES[start:end])
    assert found.metadata["chunk_part"] == 0
    assert len(lang(family, 10_000, kinds=(), merge=False).transform_documents(rows[:3])) == 3
    before = family[rows[1].metadata["doc_id"]].model_copy(deep=True)
    found.metadata["source"] = "changed"
    assert family[rows[1].metadata["doc_id"]] == before


@pytest.mark.parametrize("path", ["page.html", "shop.ipynb"])
def test_documents_of_rendered_files_are_joined_out_of_a_store_that_was_loaded_again(
    path: str, tmp_path: Path
) -> None:
    text = {"page.html": PAGE, "shop.ipynb": NOTEBOOK}[path]
    splitter = structchunk_langchain.StructuralTextSplitter(chunk_size=150)
    document = Document(text, metadata={"source": path})
    _, chunks = splitter.split_entries([document], parent_size=2000)
    kept = create_kv_docstore(LocalFileStore(tmp_path))
    kept.mset(list(chunks.items()))
    again = create_kv_docstore(LocalFileStore(tmp_path))
    leaves = [
        one.model_copy(update={"id": key})
        for one, key in zip(again.mget(list(chunks)), chunks, strict=True)
        if one is not None and key not in {row.metadata["parent_doc_id"] for row in chunks.values()}
    ]
    assert len(leaves) > 2
    joining = structchunk_langchain.StructuralExpansion(again, 10_000, kinds=())
    (found,) = joining.transform_documents(leaves)
    rendering = Chunker().parse(text, path=path).rendering
    assert rendering is not None
    assert rendering.text.strip() in found.page_content
    assert len(joining.transform_documents([leaves[0], *leaves[2:]])) == 2


def test_pages_of_one_file_are_documents_of_their_own() -> None:
    pages = [
        Document(
            f"# Page {n}\n\n" + "Words that stand here. " * 30,
            metadata={"source": "a.md", "page": n},
        )
        for n in range(2)
    ]
    indexed, family = splitter().split_entries(pages, parent_size=3000)
    first = [one for one in indexed if one.metadata["page"] == 0]
    second = [one for one in indexed if one.metadata["page"] == 1]
    found = lang(family, 3000).transform_documents([second[0], first[0], second[1]])
    assert [one.metadata["page"] for one in found] == [1, 0]
    assert all(one.page_content.endswith("stand here.") for one in found)


def test_it_compresses_what_retrievers_find() -> None:
    cutter = splitter(outline="all")
    indexed, family = cutter.split_entries(corpus(), parent_size=3000)
    vectors = InMemoryVectorStore.from_documents(indexed, embedding=BagOfWords())
    base = MultiVectorRetriever(
        vectorstore=vectors, byte_store=None, docstore=InMemoryStore(), search_kwargs={"k": 1}
    )
    base.docstore.mset(list(family.items()))
    expansion = lang(base.docstore, 2000, kinds={"class_definition"})
    retriever = ContextualCompressionRetriever(base_compressor=expansion, base_retriever=base)
    question = "what does a voucher take off the invoice"
    (found,) = retriever.invoke(question)
    assert "def shipping" in found.page_content
    assert "def discount" in found.page_content
    chain = base | expansion.transform_documents
    assert chain.invoke(question) == [found]
    assert asyncio.run(retriever.ainvoke(question)) == [found]


def test_what_the_store_does_not_know_stays_and_counts() -> None:
    foreign = Document("Words of another splitter.", metadata={"source": "a"})
    indexed, family = splitter().split_entries(corpus(), parent_size=3000)
    found = lang(family, 10_000).transform_documents([foreign, indexed[0]])
    assert found[0] == foreign
    assert len(found) == 2
    assert lang(family, len(foreign.page_content)).transform_documents([foreign, indexed[0]]) == [
        foreign
    ]


def test_without_a_parent_size_entries_and_chunks_are_as_they_were() -> None:
    plain, chunks = splitter().split_entries(corpus())
    indexed, family = splitter().split_entries(corpus(), parent_size=3000)
    assert indexed == plain
    assert chunks.keys() < family.keys()
    for key, one in chunks.items():
        assert family[key].page_content == one.page_content
        assert one.metadata.items() <= family[key].metadata.items()
    with pytest.raises(ConfigurationError, match="parent_size"):
        splitter().split_entries(corpus(), parent_size=3)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"budget": 0}, "budget"),
        ({"kinds": "section"}, "kinds"),
        ({"kinds": [1]}, "kinds"),
        ({"merge": 1}, "merge"),
        ({"tokenizer": "unknown"}, "tokenizer"),
    ],
)
def test_wrong_settings_raise_at_once(wrong: dict[str, Any], said: str) -> None:
    settings: dict[str, Any] = {"budget": 100, **wrong}
    with pytest.raises(ConfigurationError, match=said):
        structchunk_llamaindex.StructuralExpansion(SimpleDocumentStore(), **settings)
    with pytest.raises(ConfigurationError, match=said):
        structchunk_langchain.StructuralExpansion({}, **settings)


def test_a_wrong_store_raises_at_once() -> None:
    wrong: Any = 3
    with pytest.raises(ConfigurationError, match="docstore"):
        structchunk_llamaindex.StructuralExpansion(wrong, 100)
    with pytest.raises(ConfigurationError, match="store must be"):
        structchunk_langchain.StructuralExpansion(wrong, 100)
    with pytest.raises(ConfigurationError, match="id_key"):
        structchunk_langchain.StructuralExpansion({}, 100, id_key="")


def test_a_described_table_is_indexed_as_prose_and_read_as_a_table() -> None:
    splitter = structchunk_langchain.StructuralTextSplitter.from_tiktoken_encoder(
        chunk_size=80, target_size=20, contextualizer=told
    )
    document = Document(PRICES, metadata={"source": "shop.md"})
    indexed, chunks = splitter.split_entries([document])
    entry = next(one for one in indexed if one.page_content.endswith(PROSE))
    assert "| Austria |" not in entry.page_content
    assert "| Austria | 9.90 |" in chunks[entry.metadata["doc_id"]].page_content


def test_outputs_of_a_notebook_become_what_they_belong_to_here_too() -> None:
    cutter = structchunk_langchain.StructuralTextSplitter(chunk_size=120)
    source = Document(notebook(), metadata={"source": "a.ipynb"})
    entries, family = cutter.split_entries([source], parent_size=6000)
    led = [family[entry.metadata["doc_id"]] for entry in entries]
    outputs = [one for one in led if one.metadata["start_char"] == one.metadata["end_char"]]
    assert len(outputs) > 3
    kept = lang(family, 100_000, kinds=(), merge=False).transform_documents(outputs)
    assert {one.page_content for one in kept} == {one.page_content for one in outputs}
    (file,) = lang(family, 100_000).transform_documents(outputs)
    lines = [one.page_content.split("```output\n")[1].split("\n")[0] for one in outputs]
    assert all(line in file.page_content for line in lines)
