from __future__ import annotations

import asyncio
import copy
import pickle
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document
from langchain_core.runnables import RunnableLambda
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_text_splitters import Language, TextSplitter
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from structchunk_core import Chunker, ConfigurationError
from structchunk_langchain import StructuralTextSplitter
from tests.bag_of_words_langchain import BagOfWords
from tests.corpus import CITIES, GUIDE, ORDERS, write

NO_PATHS: list[Any] = [True, False, 0, 3, b"x", "", [], {}]
NO_FLAGS: list[Any] = [None, 0, 1, 2, "no", "", []]


def by_token(**settings: Any) -> StructuralTextSplitter:
    """A splitter with ids whose sizes are tokens."""
    settings.setdefault("tokenizer", None if "length_function" in settings else "cl100k_base")
    return StructuralTextSplitter(**{"add_ids": True, **settings})


def test_sizes_are_characters_and_ids_left_to_the_store_unless_told_otherwise() -> None:
    documents = StructuralTextSplitter(chunk_size=400).create_documents([ORDERS])
    assert 200 < max(len(document.page_content) for document in documents) <= 400
    assert {document.id for document in documents} == {None}
    whole = StructuralTextSplitter().create_documents([ORDERS])
    assert max(len(document.page_content) for document in whole) <= 2000


def test_profiles_with_the_context_in_the_text_keep_the_size() -> None:
    names = ",".join(f"column number {number}" for number in range(45))
    rows = "".join(",".join(str(n * k % 97) for k in range(45)) + "\n" for n in range(60))
    source = {"source": "reports/2024/finance/very_long_name_of_file.csv"}
    for size in (2000, 1000, 200):
        splitter = StructuralTextSplitter(chunk_size=size)
        documents = splitter.create_documents([f"{names}\n{rows}"], [source])
        assert max(len(document.page_content) for document in documents) <= size


class FolderLoader(BaseLoader):
    """Loads the text files of a folder, as DirectoryLoader does."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def lazy_load(self) -> Iterator[Document]:
        for path in sorted(self.folder.rglob("*.*")):
            text = path.read_bytes().decode()
            yield Document(page_content=text, metadata={"source": str(path)})


def characters(text: str) -> int:
    return len(text)


def split(text: str, source: str = "shop/orders.py", **settings: Any) -> list[Document]:
    return by_token(**settings).create_documents([text], [{"source": source}])


@pytest.fixture
def documents(tmp_path: Path) -> list[Document]:
    return FolderLoader(write(tmp_path)).load()


@pytest.mark.parametrize("context", ["inline", "separate"])
def test_files_are_loaded_split_indexed_and_found(tmp_path: Path, context: Any) -> None:
    splitter = by_token(chunk_size=128, root=str(tmp_path), context=context)
    chunks = FolderLoader(write(tmp_path)).load_and_split(splitter)
    store = InMemoryVectorStore(BagOfWords())
    assert store.add_documents(chunks) == [chunk.id for chunk in chunks]

    def best(question: str) -> Document:
        return store.similarity_search(question, k=1)[0]

    assert best("what does a voucher take off the invoice").metadata["symbol"] == "Basket.discount"
    assert best("archive of all baskets into a folder").metadata["symbol"] == "export"
    returns = best("send back damaged articles within thirty days")
    assert returns.metadata["section_path"] == "Guide > Returns"
    row = best("city country inhabitants Town42 Country0")
    assert "Town42,Country0,42000" in row.page_content
    assert "city,country,inhabitants" in row.page_content
    found = store.similarity_search(
        "basket", k=9, filter=lambda document: document.metadata["chunk_language"] == "python"
    )
    assert {document.metadata["source"] for document in found} == {str(tmp_path / "shop/orders.py")}


def test_adding_the_same_documents_again_replaces_them(documents: list[Document]) -> None:
    splitter = by_token(chunk_size=64)
    store = InMemoryVectorStore(BagOfWords())
    for _ in range(2):
        store.add_documents(splitter.split_documents(documents))
    assert len(store.store) == len(splitter.split_documents(documents))


@pytest.mark.parametrize("text", [ORDERS, ORDERS.replace("\n", "\r\n"), GUIDE, CITIES])
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"chunk_size": 64, "chunk_overlap": 20},
        {"chunk_size": 64, "context": "separate"},
        {"chunk_size": 200, "length_function": len, "context": "none"},
    ],
)
@pytest.mark.parametrize("source", ["a.py", "a.md", "a.csv", "a.txt", "a.unknown"])
def test_positions_are_exact(text: str, settings: dict[str, Any], source: str) -> None:
    end = 0
    for document in split(text, source, add_start_index=True, add_positions=True, **settings):
        start = document.metadata["start_index"]
        assert start == document.metadata["start_char"]
        if document.metadata["derived"]:
            continue
        assert not text[end:start].strip()
        end = document.metadata["end_char"]
        assert text[start:end] in document.page_content
        if settings.get("context") == "none" and document.metadata["verbatim"]:
            assert text[start:end] == document.page_content
    assert not text[end:].strip()


def test_equal_texts_have_their_own_positions_and_ids() -> None:
    chunks = split("def f():\n    return 1\n\n\n" * 8, chunk_size=16, add_start_index=True)
    starts = [chunk.metadata["start_index"] for chunk in chunks]
    assert starts == sorted(set(starts))
    assert len({chunk.id for chunk in chunks}) == len(chunks)


def test_positions_are_no_metadata_unless_asked_for() -> None:
    positions = {"start_index", "start_line", "end_line", "start_char", "end_char"}
    assert not positions & set(split(ORDERS)[0].metadata)


def test_an_edit_changes_the_chunks_it_touches_alone() -> None:
    before = split(ORDERS, chunk_size=128)
    after = split(ORDERS.replace("import os\n", "import os\nimport sys\n"), chunk_size=128)
    assert sum(document not in before for document in after) == 1


def test_the_texts_are_those_of_the_documents() -> None:
    splitter = by_token(chunk_size=64, language="python")
    documents = splitter.create_documents([ORDERS])
    assert splitter.split_text(ORDERS) == [document.page_content for document in documents]
    assert isinstance(splitter, TextSplitter)


def test_every_way_in_gives_the_same_documents(documents: list[Document]) -> None:
    splitter = by_token(chunk_size=64, add_start_index=True)
    expected = splitter.split_documents(documents)
    texts = [document.page_content for document in documents]
    assert splitter.create_documents(texts, [each.metadata for each in documents]) == expected
    assert splitter.split_documents(iter(documents)) == expected
    assert splitter.transform_documents(documents) == expected
    assert asyncio.run(splitter.atransform_documents(documents)) == expected
    assert RunnableLambda(splitter.split_documents).invoke(documents) == expected
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(splitter.split_documents, [documents] * 4)) == [expected] * 4
    for other in (
        copy.deepcopy(splitter),
        pickle.loads(pickle.dumps(splitter)),  # noqa: S301  # our own bytes
    ):
        assert other.split_documents(documents) == expected


def test_the_kind_of_a_document_comes_from_its_metadata() -> None:
    def formats(metadata: dict[str, Any]) -> set[str]:
        made = by_token().create_documents([ORDERS], [metadata])
        return {document.metadata["chunk_format"] for document in made}

    assert formats({"source": "a.py", "file_path": "a.csv"}) == {"code"}
    assert formats({"source": Path("folder") / "a.py"}) == {"code"}
    assert formats({"source": 7, "file_path": "a.py"}) == {"code"}
    assert formats({"source": "", "file_name": "a.py"}) == {"code"}
    assert formats({"source": "a.unknown"}) == formats({}) == {"text"}


def test_metadata_of_the_loader_is_kept_and_the_documents_stay_as_they_are() -> None:
    noted = {"source": "a.py", "symbol": "theirs", "context": "theirs", "tags": {"deep": [1]}}
    document = Document(page_content=ORDERS, metadata=noted)
    before = copy.deepcopy(document)
    chunks = by_token(chunk_size=128).split_documents([document])
    for chunk in chunks:
        assert {key: chunk.metadata[key] for key in noted} == noted
        assert chunk.metadata["structchunk_context"].startswith("# a.py")
    assert {chunk.metadata["structchunk_symbol"] for chunk in chunks} >= {"export"}
    chunks[0].metadata["tags"]["deep"].append(2)
    assert document == before
    assert chunks[1].metadata["tags"] == {"deep": [1]}


def test_metadata_is_flat_and_the_same_for_all_formats(documents: list[Document]) -> None:
    chunks = by_token(chunk_size=64).split_documents(documents)
    own = {key: type(value) for key, value in chunks[0].metadata.items()}
    assert set(own.values()) <= {str, int, bool}
    for chunk in chunks:
        assert {key: type(value) for key, value in chunk.metadata.items()} == own


def test_chunks_can_be_split_again() -> None:
    first = split(ORDERS, chunk_size=256, context="separate")
    second = by_token(chunk_size=32, context="separate").split_documents(first)
    assert len(second) > len(first)
    assert len({chunk.id for chunk in second}) == len(second)
    assert not [key for chunk in second for key in chunk.metadata if key.startswith("structchunk")]


def test_the_context_is_in_front_or_beside_or_nowhere() -> None:
    def export(context: str) -> Document:
        chunks = split(ORDERS, "orders.py", chunk_size=128, context=context)
        return next(chunk for chunk in chunks if chunk.metadata["symbol"] == "export")

    line = "# orders.py > export"
    inline, separate, none = export("inline"), export("separate"), export("none")
    assert inline.page_content == f"{line}\n{separate.page_content}"
    assert separate.page_content == none.page_content
    assert inline.metadata["context"] == separate.metadata["context"] == line
    assert none.metadata["context"] == ""


@pytest.mark.parametrize("text", [ORDERS, GUIDE, CITIES, "wort " * 900])
@pytest.mark.parametrize(
    ("settings", "count"),
    [
        ({"chunk_size": 8}, Chunker().count),
        ({"chunk_size": 100, "chunk_overlap": 30}, Chunker().count),
        ({"chunk_size": 60, "tokenizer": "characters"}, len),
        ({"chunk_size": 300, "length_function": len}, len),
        ({"chunk_size": 70, "length_function": characters}, len),
    ],
)
@pytest.mark.parametrize("context", ["inline", "separate"])
def test_the_texts_keep_the_budget(
    text: str, settings: dict[str, Any], count: Any, context: str
) -> None:
    chunks = split(text, "folder/a.py", context=context, **settings)
    assert max(count(chunk.page_content) for chunk in chunks) <= settings["chunk_size"]


def test_without_text_there_are_no_documents() -> None:
    splitter = by_token()
    assert splitter.split_text("") == splitter.split_text(" \n\t ") == []
    assert splitter.create_documents(["", " \n"]) == splitter.split_documents([]) == []


def test_documents_without_a_path_are_told_apart_by_their_metadata() -> None:
    splitter = by_token(language="python")
    one = splitter.create_documents([ORDERS], [{"title": "one"}])
    two = splitter.create_documents([ORDERS], [{"title": "two"}])
    assert not {chunk.id for chunk in one} & {chunk.id for chunk in two}
    assert splitter.create_documents([ORDERS], [{"title": "one"}]) == one
    twice = splitter.create_documents([ORDERS, ORDERS], [{"title": "one"}] * 2)
    assert len({chunk.id for chunk in twice}) == len(twice) == 2 * len(one)
    named = Document(page_content=ORDERS, id="mine", metadata={"title": "one"})
    assert splitter.split_documents([named])[0].id != one[0].id
    assert {chunk.id for chunk in StructuralTextSplitter().split_documents([named])} == {None}


@pytest.mark.parametrize("language", [*Language, "python", "tsx"])
def test_every_language_of_the_framework_is_known_or_cut_as_text(language: Language | str) -> None:
    splitter = StructuralTextSplitter.from_language(
        language, tokenizer="cl100k_base", chunk_size=64
    )
    chunks = splitter.create_documents([ORDERS])
    assert "".join("".join(c.page_content.split()) for c in chunks).count("archive.write") == 1


def test_a_language_of_the_framework_cuts_its_functions() -> None:
    code = "function one() {\n  return 1;\n}\n\nfunction two() {\n  return 2;\n}\n"
    splitter = StructuralTextSplitter.from_language(
        Language.TS, tokenizer="cl100k_base", chunk_size=24, target_size=12
    )
    chunks = splitter.create_documents([code])
    assert [chunk.metadata["symbol"] for chunk in chunks] == ["one", "two"]


def test_tokens_of_an_encoding_or_of_a_model_or_of_a_tokenizer() -> None:
    text = "# <|endoftext|> is text\n\n" + GUIDE
    expected = by_token(chunk_size=50).split_text(text)
    for splitter in (
        StructuralTextSplitter.from_tiktoken_encoder(chunk_size=50),
        StructuralTextSplitter.from_tiktoken_encoder("cl100k_base", chunk_size=50),
        StructuralTextSplitter.from_tiktoken_encoder(model_name="gpt-4", chunk_size=50),
    ):
        assert splitter.split_text(text) == expected
    with pytest.raises(ConfigurationError, match="no-such-model"):
        StructuralTextSplitter.from_tiktoken_encoder(model_name="no-such-model")

    tokenizer = Tokenizer(WordLevel({"?": 0}, unk_token="?"))  # noqa: S106  # no password
    tokenizer.pre_tokenizer = Whitespace()
    splitter = StructuralTextSplitter.from_huggingface_tokenizer(tokenizer, chunk_size=20)
    texts = splitter.split_text(GUIDE)
    assert 10 < max(len(tokenizer.encode(text).ids) for text in texts) <= 20


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        (
            {"chunk_size": 7, "tokenizer": "cl100k_base"},
            "chunk_size must be at least 8 tokens, got 7",
        ),
        ({"chunk_size": 0, "length_function": len}, "at least 1 character, got 0"),
        ({"chunk_overlap": -1}, "-1"),
        ({"chunk_overlap": 2600}, "must not exceed chunk_size (2000 characters), got 2600"),
        ({"target_size": 2600}, "2600"),
        ({"granularity": "fine"}, "'fine'"),
        ({"context": "above"}, "'above'"),
        ({"tokenizer": "cl200k"}, "cl200k"),
        ({"length_function": 3}, "length_function"),
        ({"format": "docx"}, "'docx'"),
        ({"language": ""}, "language"),
        ({"language": 3}, "language must be a name such as 'python', or None"),
        ({"format": "a/b"}, "'a/b'"),
        *(({"root": value}, "root must be the path of a folder") for value in NO_PATHS),
        *(
            ({name: value}, f"{name} must be True or False, got {value!r}")
            for name in ("add_start_index", "strip_whitespace", "add_positions", "add_ids")
            for value in NO_FLAGS
        ),
        ({"keep_separator": "middle"}, "keep_separator must be True or False, 'start' or 'end'"),
        ({"keep_separator": 1}, "got 1"),
        ({"outline": "some"}, "'some'"),
        ({"grammars": {"python": 3}}, "grammars['python'] must be"),
    ],
)
def test_wrong_settings_raise_at_once(settings: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        StructuralTextSplitter(**settings)
    assert told in str(caught.value)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"model_name": 3}, "model_name must be a model that tiktoken knows, got 3"),
        ({"model_name": ""}, "got ''"),
        ({"model_name": ["gpt-4"]}, "got ['gpt-4']"),
        ({"encoding_name": None}, "encoding_name must be one of cl100k_base"),
        ({"encoding_name": 3}, "got 3"),
        ({"encoding_name": ""}, "got ''"),
        ({"encoding_name": "characters"}, "got 'characters'"),
        ({"encoding_name": ["gpt2"]}, "got ['gpt2']"),
        ({"tokenizer": "characters"}, "tokenizer must not be given"),
        ({"length_function": len}, "length_function must not be given"),
    ],
)
def test_wrong_encodings_raise_at_once(settings: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        StructuralTextSplitter.from_tiktoken_encoder(**settings)
    assert told in str(caught.value)


@pytest.mark.parametrize("value", [None, 3, True, "gpt2", "", b"x", [], int, len, Tokenizer])
def test_a_wrong_tokenizer_raises_at_once(value: Any) -> None:
    with pytest.raises(ConfigurationError, match="tokenizer must be a transformers or tokenizers"):
        StructuralTextSplitter.from_huggingface_tokenizer(value)


@pytest.mark.parametrize("value", [None, 3, True, "", "a/b", []])
def test_a_wrong_language_raises_at_once(value: Any) -> None:
    with pytest.raises(ConfigurationError, match="language must be a name such as 'python'"):
        StructuralTextSplitter.from_language(value)


def test_names_of_formats_and_languages_are_read_as_people_write_them() -> None:
    def formats(splitter: StructuralTextSplitter) -> set[tuple[str, str]]:
        made = splitter.create_documents([ORDERS], [{"source": "a.csv"}])
        return {(each.metadata["chunk_format"], each.metadata["chunk_language"]) for each in made}

    for name in ("Markdown", "MD", "md"):
        assert formats(StructuralTextSplitter(format=name)) == {("markdown", "")}
    assert formats(StructuralTextSplitter(language="Python")) == {("code", "python")}
    assert formats(StructuralTextSplitter.from_language("Python")) == {("code", "python")}


def test_the_root_may_be_a_path(documents: list[Document], tmp_path: Path) -> None:
    of_path = by_token(root=tmp_path).split_documents(documents)
    assert of_path == by_token(root=str(tmp_path)).split_documents(documents)
    contexts = [document.metadata["context"] for document in of_path]
    assert contexts
    assert not [context for context in contexts if str(tmp_path) in context]


def test_an_address_of_the_web_is_recognised_and_its_queries_are_told_apart() -> None:
    address = "https://host/shop/orders.py"
    plain_ones = split(ORDERS, address, chunk_size=64, context="separate")
    for beyond in ("?raw=1", "#L3", "?raw=1#L3"):
        made = split(ORDERS, address + beyond, chunk_size=64, context="separate")
        assert [each.page_content for each in made] == [each.page_content for each in plain_ones]
        assert {each.metadata["chunk_language"] for each in made} == {"python"}
        assert {each.metadata["source"] for each in made} == {address + beyond}
        assert {each.metadata["context"] for each in made} == {
            each.metadata["context"] for each in plain_ones
        }
        assert not {each.id for each in made} & {each.id for each in plain_ones}
        assert made == split(ORDERS, address + beyond, chunk_size=64, context="separate")


def test_there_must_be_metadata_for_each_text() -> None:
    with pytest.raises(ConfigurationError, match="each of the 2 texts, got 1"):
        StructuralTextSplitter().create_documents(["a", "b"], [{}])


def test_headings_are_named_by_their_levels_when_asked_for() -> None:
    text = "# A\n\nabove\n\n### C\n\nbelow\n"
    loaded = {"source": "a.md", "h2": "of the loader"}
    (plain,) = StructuralTextSplitter().create_documents([text], [loaded])
    assert "h1" not in plain.metadata
    splitter = StructuralTextSplitter(add_headings=True, split_level=3)
    first, made = splitter.create_documents([text], [loaded])
    found = {key: made.metadata[key] for key in ("h1", "h2", "h3", "h4", "structchunk_h2")}
    assert found == {"h1": "A", "h2": "of the loader", "h3": "C", "h4": "", "structchunk_h2": ""}
    assert (first.metadata["h1"], first.metadata["h3"]) == ("A", "")
    again = splitter.split_documents([made])[-1]
    assert (again.metadata["h2"], again.metadata["h3"]) == ("of the loader", "C")


def test_a_chunk_begins_at_each_heading_of_the_split_level() -> None:
    text = "# A\n\na\n\n## B\n\nb\n\n## C\n\nc\n"
    assert len(StructuralTextSplitter(split_level=2, format="markdown").split_text(text)) == 3


@pytest.mark.parametrize("missing", ["langchain_core", "langchain_text_splitters"])
def test_without_the_framework_the_import_names_the_extra(missing: str) -> None:
    code = (
        f"import sys; sys.modules['{missing}'] = None\n"
        "try:\n    import structchunk_langchain\n"
        "except ImportError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'structchunk-parsers[langchain]'" in done.stdout
