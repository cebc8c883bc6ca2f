"""What LlamaIndex expects of every node parser, held on all of ours."""

from __future__ import annotations

import asyncio
import copy
import inspect
import json
import pickle
import threading
import time
import zlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from functools import partial
from itertools import pairwise
from typing import Any

import pytest
from llama_index.core.callbacks import CallbackManager, CBEventType, EventPayload, LlamaDebugHandler
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.node_parser import NodeParser, TokenTextSplitter
from llama_index.core.node_parser import TextSplitter as TheirTextSplitter
from llama_index.core.schema import (
    BaseNode,
    Document,
    MetadataMode,
    NodeRelationship,
    TextNode,
    TransformComponent,
)
from llama_index_instrumentation import get_dispatcher
from llama_index_instrumentation.span_handlers import SimpleSpanHandler
from tree_sitter_language_pack import get_language

from structchunk_core import Chunker, ConfigurationError
from structchunk_llamaindex import (
    CodeSplitter,
    StructuralHierarchicalNodeParser,
    StructuralNodeParser,
    numbered_id,
    numbered_uuid,
    random_uuid,
)
from structchunk_llamaindex.nodes import related
from structchunk_llamaindex.parsing import ParserBase
from tests.corpus import CITIES, GUIDE, ORDERS
from tests.counting import Counter
from tests.real_files import real_files

EMBED = MetadataMode.EMBED
MAKERS: dict[str, Callable[..., ParserBase]] = {
    "structural": lambda **settings: StructuralNodeParser(64, **settings),
    "hierarchical": lambda **settings: StructuralHierarchicalNodeParser(
        64, parent_size=300, **settings
    ),
    "code": lambda **settings: CodeSplitter("python", max_chars=250, **settings),
}
every_parser = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


def texts(nodes: Sequence[BaseNode]) -> list[TextNode]:
    assert all(isinstance(node, TextNode) for node in nodes)
    return [node for node in nodes if isinstance(node, TextNode)]


def documents() -> list[Document]:
    return [
        Document(text=ORDERS, id_="orders", metadata={"file_path": "shop/orders.py"}),
        Document(text=GUIDE, id_="guide", metadata={"file_path": "guide.md"}),
        Document(text=CITIES, id_="cities", metadata={"file_path": "cities.csv"}),
    ]


def plain(nodes: Sequence[BaseNode]) -> list[tuple[object, ...]]:
    return sorted((node.node_id, node.get_content(), node.hash) for node in nodes)


@every_parser
def test_it_is_a_transformation(make: Callable[..., ParserBase]) -> None:
    parser = make()
    assert isinstance(parser, NodeParser)
    assert isinstance(parser, TransformComponent)
    assert isinstance(parser, TheirTextSplitter) == isinstance(parser, CodeSplitter)
    assert parser([]) == []
    assert parser([Document(text=""), Document(text=" \n"), Document()]) == []


@every_parser
def test_two_workers_async_and_threads_give_what_one_gives(
    make: Callable[..., ParserBase],
) -> None:
    parser = make(id_func=None)
    pipeline = IngestionPipeline(transformations=[parser], disable_cache=True)
    expected = plain(pipeline.run(documents=documents()))
    if isinstance(parser, StructuralHierarchicalNodeParser):  # processes take long to start
        assert plain(pipeline.run(documents=documents(), num_workers=2)) == expected

    async def all_ways() -> list[Sequence[BaseNode]]:
        return [
            await parser.aget_nodes_from_documents(documents()),
            await parser.acall(documents()),
            await pipeline.arun(documents=documents()),
        ]

    assert [plain(nodes) for nodes in asyncio.run(all_ways())] == [expected] * 3
    with ThreadPoolExecutor(4) as pool:
        made = pool.map(lambda _: plain(parser(documents())), range(8))
        assert all(nodes == expected for nodes in made)


@every_parser
def test_the_event_loop_goes_on_while_documents_are_parsed(
    make: Callable[..., ParserBase], monkeypatch: pytest.MonkeyPatch
) -> None:
    parser = make()
    threads: set[int] = set()

    def rows(self: ParserBase, text: str, chunker: Chunker, frame: Any) -> Any:
        threads.add(threading.get_ident())
        time.sleep(0.2)
        return found(self, text, chunker, frame)

    found = type(parser)._rows
    monkeypatch.setattr(type(parser), "_rows", rows)

    async def ticking() -> int:
        ticks = 0
        task = asyncio.ensure_future(parser.acall(documents()))
        while not task.done():
            ticks += 1
            await asyncio.sleep(0.01)
        assert await task
        return ticks

    assert asyncio.run(ticking()) > 10
    assert threading.get_ident() not in threads


@every_parser
def test_ids_are_unique_and_made_in_order(make: Callable[..., ParserBase]) -> None:
    twice = [*documents(), *documents()]
    assert len({node.node_id for node in make()(twice)}) == len(make()(twice))
    for document in documents():
        nodes = make(id_func=numbered_id)([document])
        assert [node.node_id for node in nodes] == [
            f"{document.node_id}-{i}" for i in range(len(nodes))
        ]
        same = [node.node_id for node in make(id_func=numbered_uuid)([document])]
        assert same == [numbered_uuid(i, document) for i in range(len(nodes))]
    assert random_uuid(0, documents()[0]) != random_uuid(0, documents()[0])


@every_parser
def test_two_documents_with_one_id_keep_their_own_places(make: Callable[..., ParserBase]) -> None:
    one = Document(text=ORDERS, id_="same", metadata={"file_path": "a.py"})
    other = Document(text="import sys\n\n\n" + ORDERS, id_="same", metadata={"file_path": "b.py"})
    nodes = texts(make()([one, other]))
    assert len({node.node_id for node in nodes}) == len(nodes)
    for document in (one, other):
        path = document.metadata["file_path"]
        own = [node for node in nodes if node.metadata["file_path"] == path]
        assert own
        for node in own:
            assert document.text[node.start_char_idx : node.end_char_idx] == node.text
            assert node.source_node is not None
            assert node.source_node.hash == document.hash
        leaves = [node for node in own if node.child_nodes is None]
        assert leaves[0].prev_node is leaves[-1].next_node is None


@every_parser
def test_events_are_those_of_the_frameworks_parsers(make: Callable[..., ParserBase]) -> None:
    counts = []
    makers: list[Callable[..., NodeParser]] = [
        partial(TokenTextSplitter, chunk_size=64, chunk_overlap=0),
        make,
    ]
    for maker in makers:
        handler = LlamaDebugHandler(print_trace_on_end=False)
        parser = maker(callback_manager=CallbackManager([handler]))
        nodes = parser.get_nodes_from_documents(documents())
        asyncio.run(parser.aget_nodes_from_documents(documents()))
        kinds = (CBEventType.NODE_PARSING, CBEventType.CHUNKING)
        pairs = [handler.get_event_pairs(kind) for kind in kinds]
        counts.append([len(pair) for pair in pairs])
        (start, end), _ = pairs[0]
        assert start.payload == {EventPayload.DOCUMENTS: documents()}
        assert end.payload == {EventPayload.NODES: nodes}
        begin, finish = pairs[1][0]
        assert begin.payload == {EventPayload.CHUNKS: [ORDERS]}
        assert finish.payload is not None
        assert len(finish.payload[EventPayload.CHUNKS]) >= 2
    assert counts == [[2, 6], [2, 6]]


class Spans(SimpleSpanHandler):
    """Remembers which spans were opened."""


@every_parser
def test_spans_are_opened_as_for_the_frameworks_parsers(make: Callable[..., ParserBase]) -> None:
    theirs = TokenTextSplitter(chunk_size=64, chunk_overlap=0)
    names = []
    for parser in (theirs, make()):
        handler = Spans()
        root = get_dispatcher()
        before = list(root.span_handlers)
        root.span_handlers = [*before, handler]
        try:
            parser.get_nodes_from_documents(documents()[:1])
        finally:
            root.span_handlers = before
        opened = {span.id_.partition("-")[0].partition(".")[2] for span in handler.completed_spans}
        names.append(opened & {"_parse_nodes", "__call__"})
    assert names[0] == names[1]
    assert names[0]


@every_parser
def test_what_is_embedded_is_what_was_counted(
    make: Callable[..., ParserBase], parsed: Counter
) -> None:
    parser = make()
    chunker = parser.chunker_of(parser.__dict__)
    frames: list[dict[str, Any]] = [
        {},
        {"metadata_template": "{key}={value}", "metadata_separator": "; "},
        {"text_template": "{content}\n---\n{metadata_str}"},
        {"text_template": "[{metadata_str}]\n{content}\n[end]"},
        {"excluded_embed_metadata_keys": ["author"]},
    ]
    for frame in frames:
        document = Document(
            text=ORDERS,
            metadata={"file_path": "shop/orders.py", "author": "Grace Hopper"},
            **frame,
        )
        before = copy.deepcopy(document)
        parsed.lengths.clear()
        nodes = parser([document])
        assert len(parsed.lengths) == 1  # metadata in front of the text costs no second parse
        assert document == before
        for node in nodes:
            embedded = node.get_content(EMBED)
            if node.child_nodes is None:
                assert chunker.count(embedded) <= chunker.chunk_size
            assert ("Hopper" in embedded) == ("excluded_embed_metadata_keys" not in frame)
            assert node.metadata["context"] in embedded
            assert node.excluded_embed_metadata_keys[
                : len(document.excluded_embed_metadata_keys)
            ] == (document.excluded_embed_metadata_keys)


def test_nodes_of_real_files_stand_exactly_where_they_say() -> None:
    """More than 400 files as they are, and each with the line ends of Windows."""
    parser = StructuralNodeParser(chunk_size=256)
    files = verbatim = other = non_ascii = windows = 0
    for name, path in sorted(real_files(), key=lambda one: zlib.crc32(one[0].encode())):
        if files == 420:
            break
        if path.stat().st_size > 12_000:
            continue
        try:
            text = path.read_bytes().decode("utf-8")
        except UnicodeDecodeError:
            continue
        files += 1
        non_ascii += not text.isascii()
        if files % 3 == 0:
            text = text.replace("\r\n", "\n").replace("\n", "\r\n")
            windows += 1
        nodes = texts(parser([Document(text=text, metadata={"file_path": name})]))
        position = 0
        for node in nodes:
            assert node.start_char_idx is not None
            assert node.end_char_idx is not None
            own = text[node.start_char_idx : node.end_char_idx]
            if node.metadata["verbatim"]:
                assert own == node.text, name
                verbatim += 1
            else:
                assert own in node.text, name
                other += 1
            between = text[position : node.start_char_idx].strip()
            assert not between or (between, node.metadata["chunk_format"]) == (",", "records"), name
            position = node.end_char_idx
            assert Chunker().count(node.get_content(EMBED)) <= 256
        assert not text[position:].strip(), name
        for before, after in pairwise(nodes):
            assert before.relationships[NodeRelationship.NEXT] == related(after)
    assert files == 420
    assert non_ascii >= 10
    assert windows == 140
    assert verbatim > 1500
    assert other < verbatim / 4


def test_every_setting_of_the_core_is_reachable() -> None:
    settings = {field.name for field in fields(Chunker) if field.init}
    assert settings <= StructuralNodeParser.model_fields.keys()
    arguments = inspect.signature(StructuralNodeParser.__init__).parameters
    assert settings <= arguments.keys()
    document = Document(text=ORDERS, metadata={"file_path": "a.py"})
    parser = StructuralNodeParser(64, overlap_lines=2)
    assert any(not node.metadata["verbatim"] for node in parser([document]))


def test_grammars_of_the_user_parse_and_are_named_and_cannot_be_pickled() -> None:
    document = Document(text=ORDERS, metadata={"file_path": "a.mine"})
    parser = StructuralNodeParser(64, language="mine", grammars={"mine": get_language("python")})
    assert {"class_definition", "function_definition"} & {
        node.metadata["node_type"] for node in parser([document])
    }
    data = parser.to_dict()
    assert json.loads(json.dumps(data)) == data == copy.deepcopy(parser).to_dict()
    assert data["grammars"] != StructuralNodeParser(64).to_dict()["grammars"] == {}
    with pytest.raises(pickle.PicklingError, match="grammars cannot be pickled"):
        pickle.dumps(parser)
    with pytest.raises(ConfigurationError, match="pass grammars= again"):
        StructuralNodeParser.from_dict(data)
    again = StructuralNodeParser.from_dict(data, grammars={"mine": get_language("python")})
    assert again.to_dict() == data
    assert plain(again([document])) == plain(parser([document]))
