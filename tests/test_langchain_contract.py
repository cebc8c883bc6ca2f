"""What LangChain's interfaces ask of a splitter: base arguments, indexing API, retrievers."""

from __future__ import annotations

import asyncio
import copy
import pickle
import subprocess
import sys
import uuid
from collections.abc import Callable, Mapping
from dataclasses import fields
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from langchain_classic.retrievers import MultiVectorRetriever, ParentDocumentRetriever
from langchain_core.documents import Document
from langchain_core.indexing import InMemoryRecordManager, aindex, index
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_text_splitters import RecursiveCharacterTextSplitter
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tree_sitter_language_pack import get_language

from structchunk_core import Chunker
from structchunk_langchain import StructuralTextSplitter, uuid5_key
from tests.bag_of_words_langchain import BagOfWords
from tests.corpus import CITIES, FILES, GUIDE, ORDERS
from tests.real_files import documents

# Every setting of the core that has a default that says nothing, and one that does.
TELLING: dict[str, Any] = {
    "chunk_size": 100,
    "target_size": 60,
    "tokenizer": "o200k_base",
    "length_function": len,
    "granularity": "packed",
    "split_level": 2,
    "context": "none",
    "chunk_overlap": 9,
    "parse_seconds": 3.0,
    "on_missing_grammar": "error",
    "outline": "all",
    "strip_boilerplate": True,
}
SPELLED = {
    "code": ORDERS,
    "crlf": ORDERS.replace("\n", "\r\n"),
    "blank ends": f"\n\n  {ORDERS}\n \n",
    "prose": GUIDE.partition("```")[0],
    "words": "Straße und Brücke. " * 60,
}


def corpus(texts: Mapping[str, str] = FILES) -> list[Document]:
    return [Document(text, metadata={"source": name}) for name, text in texts.items()]


# ------------------------------------------------------------------------- the base's arguments


def test_the_arguments_of_the_base_stand_in_its_order() -> None:
    text = "  indented = 1\n\n\n\nother = 2\n"
    by_position = StructuralTextSplitter(18, 0, len, "start", True, True, language="python")
    by_name = StructuralTextSplitter(
        chunk_size=18,
        chunk_overlap=0,
        length_function=len,
        keep_separator="start",
        add_start_index=True,
        strip_whitespace=True,
        language="python",
    )
    made = by_position.create_documents([text])
    assert made == by_name.create_documents([text])
    assert [(each.page_content, each.metadata["start_index"]) for each in made] == [
        ("indented = 1", 2),
        ("other = 2", 18),
    ]


@pytest.mark.parametrize("size", [-1, 0])
def test_sizes_that_the_base_refuses_are_refused(size: int) -> None:
    with pytest.raises(ValueError, match=f"chunk_size .*got {size}"):
        StructuralTextSplitter(chunk_size=size)
    with pytest.raises(ValueError, match=r"chunk_overlap .*got -1"):
        StructuralTextSplitter(chunk_size=100, chunk_overlap=-1)
    with pytest.raises(ValueError, match=r"chunk_overlap must not exceed .*100.*got 101"):
        StructuralTextSplitter(chunk_size=100, chunk_overlap=101)


@pytest.mark.parametrize("overlap", [1, 50, 51, 99, 100])
def test_every_overlap_up_to_the_size_is_served_within_the_budget(overlap: int) -> None:
    text = "One sentence stands here. Another one follows it. " * 20
    splitter = StructuralTextSplitter(
        chunk_size=100, chunk_overlap=overlap, add_start_index=True, add_positions=True
    )
    made = splitter.create_documents([text])
    assert max(len(document.page_content) for document in made) <= 100
    repeated = 0
    for document in made:
        own = text[document.metadata["start_char"] : document.metadata["end_char"]]
        assert document.page_content.endswith(own)
        repeated = max(repeated, len(document.page_content) - len(own))
    assert (overlap >= 50) == (repeated > 20)
    assert repeated <= overlap


@pytest.mark.parametrize("where", [True, "start", "end"])
@pytest.mark.parametrize("name", SPELLED)
@pytest.mark.parametrize("size", [200, 600])
def test_with_separators_the_texts_spell_the_document(where: Any, name: str, size: int) -> None:
    text = SPELLED[name]
    settings: dict[str, Any] = {"chunk_size": size, "target_size": size // 2, "context": "none"}
    language = None if name in {"prose", "words"} else "python"
    splitter = StructuralTextSplitter(language=language, keep_separator=where, **settings)
    texts = splitter.split_text(text)
    assert len(texts) > 1 or len(text) <= size
    assert "".join(texts) == text
    assert max(map(len, texts)) <= size
    at_start = [each[:1].isspace() for each in texts[1:]]
    at_end = [each[-1:].isspace() for each in texts[:-1]]
    if language is not None:  # each cut is at a line end, which separates
        assert all(at_end) if where == "end" else all(at_start)
    dropped = StructuralTextSplitter(language=language, **settings).split_text(text)
    assert [each.strip() for each in dropped] == [each.strip() for each in texts]


def test_separators_give_way_to_the_budget_and_repeat_nothing() -> None:
    text = "a = 1234\n\n\n\n\n\n\n\nb = 5678\n"
    settings: dict[str, Any] = {"chunk_size": 10, "language": "python", "context": "none"}
    kept = StructuralTextSplitter(keep_separator=True, **settings).split_text(text)
    assert kept == ["a = 1234", "b = 5678"]
    text = "One sentence stands here.\n\n" * 20
    overlapping = StructuralTextSplitter(
        chunk_size=100, chunk_overlap=40, keep_separator=True, context="none", add_start_index=True
    ).create_documents([text])
    for document in overlapping:
        assert document.page_content.rstrip() in text
        assert len(document.page_content) <= 100


@pytest.mark.parametrize("context", ["inline", "separate"])
@pytest.mark.parametrize("keep_separator", [False, "start", "end"])
def test_stripped_texts_have_exact_positions(context: Any, keep_separator: Any) -> None:
    splitter = StructuralTextSplitter(
        chunk_size=150,
        context=context,
        keep_separator=keep_separator,
        strip_whitespace=True,
        add_start_index=True,
    )
    made = splitter.create_documents([ORDERS], [{"source": "a.py"}])
    for document in made:
        assert document.page_content == document.page_content.strip()
        line = document.page_content.splitlines()[-1]
        start = document.metadata["start_index"]
        if context == "separate" and not document.metadata["chunk_part"]:
            assert ORDERS.startswith(document.page_content, start)
        assert line in ORDERS[start : start + 200]
    indented = [d for d in made if ORDERS[d.metadata["start_index"] - 1] == " "]
    assert bool(indented) == (context == "separate")


def test_each_text_is_that_of_its_document_whatever_is_set() -> None:
    for settings in (
        {"keep_separator": True},
        {"keep_separator": "end", "strip_whitespace": True},
        {"chunk_overlap": 100, "strip_whitespace": True},
    ):
        splitter = StructuralTextSplitter(chunk_size=120, **settings)
        for text in (ORDERS, GUIDE, CITIES, "<p>one</p><pre>  two</pre>"):
            made = [document.page_content for document in splitter.create_documents([text])]
            assert splitter.split_text(text) == made


# ---------------------------------------------------------------------------- settings by keyword


def test_every_setting_of_the_core_goes_through() -> None:
    given = {field.name: field for field in fields(Chunker) if field.init}
    for name, field in given.items():
        if name in TELLING:
            value = TELLING[name]
        elif name == "grammars":
            value = {"python": get_language("python")}
        else:  # of a later version: what it is without being given
            value = getattr(Chunker(), field.name)
        splitter = StructuralTextSplitter(**{name: value})
        assert getattr(splitter._chunker, name) == value
    with pytest.raises(TypeError, match="no setting 'chunk_sise'"):
        StructuralTextSplitter(chunk_sise=3)
    with pytest.raises(TypeError, match="no setting '_measure'"):
        StructuralTextSplitter.from_tiktoken_encoder(_measure=3)


def test_grammars_of_your_own_are_used_and_copied() -> None:
    code = "def one():\n    return 1\n\n\ndef two():\n    return 2\n"
    splitter = StructuralTextSplitter(
        chunk_size=40, language="snake", grammars={"snake": get_language("python")}
    )
    made = splitter.create_documents([code])
    assert [document.metadata["symbol"] for document in made] == ["one", "two"]
    assert copy.deepcopy(splitter).create_documents([code]) == made


def test_an_outline_setting_reaches_the_entries_alone() -> None:
    plain = StructuralTextSplitter(chunk_size=300)
    outlined = StructuralTextSplitter(chunk_size=300, outline="all")
    assert plain.split_documents(corpus()) == outlined.split_documents(corpus())


# ------------------------------------------------------------------------------ length functions


def _encoding() -> StructuralTextSplitter:
    return StructuralTextSplitter.from_tiktoken_encoder("o200k_base", chunk_size=40)


def _words() -> Tokenizer:
    tokenizer = Tokenizer(WordLevel({"?": 0}, unk_token="?"))  # noqa: S106  # no password
    tokenizer.pre_tokenizer = Whitespace()
    return tokenizer


def _hugging_face() -> StructuralTextSplitter:
    return StructuralTextSplitter.from_huggingface_tokenizer(_words(), chunk_size=40)


def _characters() -> StructuralTextSplitter:
    return StructuralTextSplitter(chunk_size=40)


@pytest.mark.parametrize("make", [_encoding, _hugging_face, _characters])
def test_splitter_and_length_function_pickle(make: Callable[[], StructuralTextSplitter]) -> None:
    splitter = make()
    for copied in (pickle.loads(pickle.dumps(splitter)), copy.deepcopy(splitter)):  # noqa: S301  # our own bytes
        assert copied.split_documents(corpus()) == splitter.split_documents(corpus())
        assert copied.length_function(GUIDE) == splitter.length_function(GUIDE)
    length = pickle.loads(pickle.dumps(splitter.length_function))  # noqa: S301  # our own bytes
    assert length(GUIDE) == splitter.length_function(GUIDE) > 0
    theirs = RecursiveCharacterTextSplitter(
        chunk_size=40, chunk_overlap=0, length_function=splitter.length_function
    )
    assert theirs.split_text(GUIDE)
    pickle.dumps(theirs)


# -------------------------------------------------------------------------------- the indexing API


def test_a_key_is_a_uuid_of_text_and_metadata() -> None:
    document = Document("text", metadata={"a": 1, "b": [1, {"c": 2}]})
    key = uuid5_key(document)
    assert uuid.UUID(key).version == 5
    assert uuid5_key(Document("text", metadata={"b": [1, {"c": 2}], "a": 1}, id="any")) == key
    others = [
        Document("text!", metadata=document.metadata),
        Document("text", metadata={"a": 1}),
        Document("text", metadata={"a": "1", "b": [1, {"c": 2}]}),
        Document("", metadata={}),
        Document("\ud800", metadata={"when": Path("a"), "tags": {"x", "y"}}),
    ]
    assert len({key, *map(uuid5_key, others)}) == 6


def test_a_key_is_the_same_in_every_process() -> None:
    code = (
        "from langchain_core.documents import Document\n"
        "from structchunk_langchain import uuid5_key\n"
        "tags = {'one', 'two', 'three', 'four'}\n"
        "print(uuid5_key(Document('größer', metadata={'tags': tags, 'source': 'a'})))"
    )
    keys = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(filter(None, sys.path))},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(keys) == 1


@pytest.mark.parametrize(
    ("name", "old", "new", "touched"),
    [
        ("shop/orders.py", "free above", "free  above", 1),
        ("shop/orders.py", '"4.90"', '"5.90"', 1),
        ("shop/orders.py", "import os\n", "import os\n\n", 0),
        ("long.py", "a[7]", "a[ 7]", 1),
        ("long.md", "Part 9.", "part 9.", 1),
        ("guide.md", "Telephone", "Telefone", 1),
        ("guide.md", "größer als", "kleiner als", 1),
        ("cities.csv", "Town30,", "Town3O,", 1),
    ],
)
@pytest.mark.parametrize("run", ["index", "aindex"])
def test_an_edit_adds_again_only_the_chunks_it_touches(
    name: str, old: str, new: str, touched: int, run: str
) -> None:
    splitter = StructuralTextSplitter(chunk_size=300)
    long = {
        "long.py": "def f(a):\n" + "".join(f"    print(a[{n}])\n" for n in range(60)),
        "long.md": "# Long\n\n" + " ".join(f"This is Part {n}." for n in range(60)),
    }
    texts = FILES | long
    store = InMemoryVectorStore(BagOfWords())
    records = InMemoryRecordManager("test")
    records.create_schema()

    def indexed(documents: list[Document]) -> dict[str, int]:
        chunks = splitter.split_documents(documents)
        settings: dict[str, Any] = {
            "cleanup": "incremental",
            "source_id_key": "source",
            "key_encoder": uuid5_key,
        }
        if run == "aindex":
            done: Mapping[str, Any] = asyncio.run(aindex(chunks, records, store, **settings))
        else:
            done = index(chunks, records, store, **settings)
        return {key.removeprefix("num_"): number for key, number in done.items() if number}

    count = len(splitter.split_documents(corpus(texts)))
    assert indexed(corpus(texts)) == {"added": count}
    assert indexed(corpus(texts)) == {"skipped": count}
    assert texts[name].count(old) == 1
    changed = corpus(texts | {name: texts[name].replace(old, new)})
    derived = [_derived(splitter.split_documents(each)) for each in (corpus(texts), changed)]
    touched += len(derived[1] - derived[0])
    edit = {"added": touched, "deleted": touched} if touched else {}
    assert indexed(changed) == edit | {"skipped": count - touched}
    held = sorted(entry["text"] for entry in store.store.values())
    assert held == sorted(chunk.page_content for chunk in splitter.split_documents(changed))


def _derived(chunks: list[Document]) -> set[str]:
    """The texts that are computed from others (profiles of tables), which may change with them."""
    return {chunk.page_content for chunk in chunks if chunk.metadata.get("derived")}


def test_positions_in_the_metadata_would_have_all_below_an_edit_added_again() -> None:
    splitter = StructuralTextSplitter(chunk_size=300, add_positions=True)
    before = {uuid5_key(chunk) for chunk in splitter.split_documents(corpus())}
    changed = FILES | {"shop/orders.py": "# new\n" + ORDERS}
    after = {uuid5_key(chunk) for chunk in splitter.split_documents(corpus(changed))}
    assert len(after - before) > 3


# -------------------------------------------------------------------------------------- retrievers


def test_entries_and_chunks_serve_a_multi_vector_retriever() -> None:
    splitter = StructuralTextSplitter(chunk_size=300, outline="all", context="separate")
    entries, chunks = splitter.split_entries(corpus())
    shown = splitter.split_documents(corpus())
    assert [chunk.page_content for chunk in chunks.values()] == [c.page_content for c in shown]
    assert [chunk.metadata for chunk in chunks.values()] == [c.metadata for c in shown]
    assert {key: chunk.id for key, chunk in chunks.items()} == {key: key for key in chunks}
    assert all(uuid.UUID(key) for key in chunks)
    own = [entry for entry in entries if entry.metadata["entry_kind"] == "chunk"]
    assert [entry.metadata["doc_id"] for entry in own] == list(chunks)
    for entry in own:
        chunk = chunks[entry.metadata["doc_id"]]
        assert entry.page_content.startswith(chunk.metadata["context"])
        if not chunk.metadata.get("derived"):  # those are embedded in brief
            assert entry.page_content.endswith(chunk.page_content)
    outlines = [entry for entry in entries if entry.metadata["entry_kind"] == "outline"]
    symbols = {entry.metadata["symbol"] for entry in outlines}
    assert symbols == {
        "Basket", "Basket.__init__", "Basket.shipping", "Basket.discount", "export",
    }  # fmt: skip
    assert {type(value) for entry in entries for value in entry.metadata.values()} <= {
        str, int, bool,
    }  # fmt: skip
    assert len({tuple(entry.metadata) for entry in entries}) == 1
    assert max(len(entry.page_content) for entry in entries) <= 300

    retriever = MultiVectorRetriever(
        vectorstore=InMemoryVectorStore(BagOfWords()),
        docstore=InMemoryStore(),
        search_kwargs={"k": 2},
    )
    retriever.vectorstore.add_documents(entries)
    retriever.docstore.mset(list(chunks.items()))
    for found in (
        retriever.invoke("def discount voucher decimal: What a voucher takes off the invoice"),
        asyncio.run(retriever.ainvoke("discount voucher What a voucher takes off the invoice")),
    ):
        assert found[0].metadata["symbol"] == "Basket.discount"
        assert found[0].page_content in ORDERS


def test_a_row_leads_a_multi_vector_retriever_to_its_row_group() -> None:
    splitter = StructuralTextSplitter(chunk_size=300, table_rows="linked", context="separate")
    entries, chunks = splitter.split_entries([Document(CITIES, metadata={"source": "cities.csv"})])
    header, *rows = CITIES.strip().split("\n")
    linked = [entry for entry in entries if entry.metadata["entry_kind"] == "row"]
    assert [entry.page_content.split("\n")[-1] for entry in linked] == rows
    retriever = MultiVectorRetriever(
        vectorstore=InMemoryVectorStore(BagOfWords()),
        docstore=InMemoryStore(),
        search_kwargs={"k": 1},
    )
    retriever.vectorstore.add_documents(linked)
    retriever.docstore.mset(list(chunks.items()))
    (group,) = retriever.invoke(rows[41])
    assert group.page_content.startswith(header)
    assert rows[41] in group.page_content.split("\n")
    assert len(group.page_content) <= 300


def test_entries_lead_to_the_chunk_in_which_a_split_definition_begins() -> None:
    body = "".join(f"    total += weigh(parcels[{n}], 'a{n}')\n" for n in range(40))
    code = f'def total_weight(parcels):\n    """All parcels together."""\n{body}'
    splitter = StructuralTextSplitter(chunk_size=300, outline="split", add_ids=True)
    document = Document(code, metadata={"source": "w.py", "symbol": "theirs", "entry_kind": 7})
    entries, chunks = splitter.split_entries([document], id_key="parent")
    (outline,) = [e for e in entries if e.metadata["structchunk_entry_kind"] == "outline"]
    assert outline.metadata["structchunk_symbol"] == "total_weight"
    assert (outline.metadata["symbol"], outline.metadata["entry_kind"]) == ("theirs", 7)
    assert outline.metadata["parent"] == next(iter(chunks))
    assert len(entries) == len(chunks) + 1
    assert len({entry.id for entry in entries}) == len(entries)
    assert {entry.id for entry in entries} - set(chunks) == {outline.id}
    plain = StructuralTextSplitter(chunk_size=300, outline="split").split_entries([document])
    assert {entry.id for entry in plain[0]} == {None}


def test_entries_of_equal_documents_lead_to_chunks_of_their_own() -> None:
    splitter = StructuralTextSplitter(chunk_size=300, outline="all", add_ids=True)
    entries, chunks = splitter.split_entries([*corpus(), *corpus()])
    alone = splitter.split_entries(corpus())
    assert (len(entries), len(chunks)) == (2 * len(alone[0]), 2 * len(alone[1]))
    assert len({entry.id for entry in entries}) == len(entries)
    assert {entry.metadata["doc_id"] for entry in entries} == set(chunks)
    assert splitter.split_entries([]) == ([], {})
    assert splitter.split_entries([Document(" \n")]) == ([], {})


@pytest.mark.parametrize("parent_size", [None, 1200])
def test_a_parent_document_retriever_finds_methods_and_hands_out_their_parents(
    parent_size: int | None,
) -> None:
    parent = None if parent_size is None else StructuralTextSplitter(chunk_size=parent_size)
    retriever = ParentDocumentRetriever(
        vectorstore=InMemoryVectorStore(BagOfWords()),
        docstore=InMemoryStore(),
        child_splitter=StructuralTextSplitter(chunk_size=300),
        parent_splitter=parent,
        search_kwargs={"k": 1},
    )
    retriever.add_documents(corpus())
    (found,) = retriever.invoke("what does a voucher take off the invoice")
    assert "def discount" in found.page_content
    if parent is None:
        assert found.page_content == ORDERS
    else:
        assert found.page_content in [d.page_content for d in parent.split_documents(corpus())]


@pytest.mark.parametrize("loaded", [{}, {"context": "theirs", "chunk_format": 1}])
def test_a_chunk_is_split_again_without_its_context_and_with_exact_positions(
    loaded: dict[str, Any],
) -> None:
    documents = corpus()
    for document in documents:
        document.metadata |= loaded
    first = StructuralTextSplitter(chunk_size=900).split_documents(documents)
    again = StructuralTextSplitter(chunk_size=300, add_start_index=True, add_positions=True)
    bare = StructuralTextSplitter(chunk_size=900, context="separate").split_documents(documents)
    key = "structchunk_context" if loaded else "context"
    for parent, plain in zip(first, bare, strict=True):
        assert parent.page_content.startswith(parent.metadata[key])
        children = again.split_documents([parent])
        expected = again.split_documents([plain])
        assert [c.page_content for c in children] == [c.page_content for c in expected]
        for child in children:
            text, noted = parent.page_content, child.metadata
            own = text[noted["start_char"] : noted["end_char"]]
            assert own
            assert own in child.page_content or noted.get("derived")
            assert noted["start_index"] == noted["start_char"]
            assert noted["start_line"] == text.count("\n", 0, noted["start_char"]) + 1
            assert noted["end_line"] == text.count("\n", 0, noted["end_char"]) + 1


def test_a_text_that_begins_like_its_context_keeps_its_words() -> None:
    text = "Guide\n=====\n\nWords of it.\n"
    for context in ("separate", "none", "inline"):
        splitter = StructuralTextSplitter(context=context, format="markdown")
        (chunk,) = splitter.create_documents([text])
        (again,) = splitter.split_documents([chunk])
        assert again.page_content == chunk.page_content


def test_positions_are_exact_in_hundreds_of_real_files() -> None:
    plain = StructuralTextSplitter.from_tiktoken_encoder(
        chunk_size=256, chunk_overlap=40, context="none", add_start_index=True
    )
    found = (pair for shard in range(40) for pair in documents(shard, 40))
    short = ((name, text) for name, text in found if len(text) < 12_000)
    files = verbatim = foreign = 0
    for files, (name, text) in enumerate(islice(short, 420), 1):
        if files % 4 == 0:
            text = text.replace("\r\n", "\n").replace("\n", "\r\n")  # noqa: PLW2901  # as some files have it
        foreign += not text.isascii()
        for chunk in plain.create_documents([text], [{"source": name}]):
            if chunk.metadata["verbatim"]:
                verbatim += 1
                assert text.startswith(chunk.page_content, chunk.metadata["start_index"])
    assert files == 420
    assert verbatim > 1000
    assert foreign > 10
