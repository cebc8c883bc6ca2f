"""Settings of the LlamaIndex adapter: refused, changed, serialised, hashed."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from llama_index.core import Settings
from llama_index.core.callbacks import CallbackManager
from llama_index.core.ingestion.pipeline import get_transformation_hash
from llama_index.core.schema import Document
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from structchunk_core import Chunker, ConfigurationError
from structchunk_llamaindex import StructuralNodeParser
from tests.corpus import GUIDE, ORDERS
from tests.llamaindex_nodes import EMBED, documents_in, numbered, parsed, plain, words


def characters(text: str) -> int:
    return len(text)


def refusing(text: str) -> list[str]:
    raise RuntimeError("never")


def parsed_with(parser: StructuralNodeParser) -> list[str]:
    document = Document(text=ORDERS, metadata={"file_path": "shop/orders.py"})
    return [node.get_content() for node in parser.get_nodes_from_documents([document])]


@pytest.fixture
def documents(tmp_path: Path) -> list[Document]:
    return documents_in(tmp_path)


NO_PATHS: list[Any] = [True, False, 0, 3, b"x", "", [], {}]
NO_FLAGS: list[Any] = [None, 0, 1, 2, "no", "x", []]
NO_MANAGERS: list[Any] = [0, 1, "x", [], CallbackManager]
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"chunk_size": 3}, "chunk_size must be at least 8 tokens, got 3"),
    ({"chunk_size": "many"}, "'many'"),
    ({"target_size": 600}, "600"),
    ({"chunk_overlap": 600}, "600"),
    ({"chunk_overlap": -1}, "-1"),
    ({"granularity": "fine"}, "'definition' or 'packed'"),
    ({"split_level": 7}, "from 1 to 6"),
    ({"context": "above"}, "'above'"),
    ({"tokenizer": "cl200k"}, "cl200k"),
    ({"tokenizer": 7}, "7"),
    ({"tokenizer": characters}, "length_function"),
    ({"tokenizer": "characters", "length_function": len}, "not both"),
    ({"parse_seconds": 0}, "parse_seconds"),
    ({"format": "docx"}, "'docx'"),
    ({"language": ""}, "language"),
    ({"root": 3}, "root"),
    ({"id_func": "uuid"}, "id_func"),
    ({"parse_seconds": "10"}, "parse_seconds"),
    ({"parse_seconds": 10**400}, "parse_seconds"),
    ({"parse_seconds": float("nan")}, "parse_seconds"),
    ({"parse_seconds": float("inf")}, "parse_seconds"),
    ({"chunk_size": -5}, "got -5"),
    ({"chunk_size": True}, "got True"),
    ({"chunk_size": 100.0}, "got 100.0"),
    ({"on_missing_grammar": None}, "on_missing_grammar"),
    ({"strip_boilerplate": 1}, "strip_boilerplate"),
    ({"format": "a/b"}, "'a/b'"),
    ({"language": 3}, "language must be a name such as 'python', or None"),
    ({"tokenizer": int}, "failed on 'two words': ValueError("),
    ({"tokenizer": refusing}, "failed on 'two words': RuntimeError('never')"),
    ({"length_function": 3}, "length_function"),
    ({"id_func": 1}, "id_func must be a function or None, got 1"),
    *(({"root": value}, "root must be the path of a folder") for value in NO_PATHS),
    *(
        ({name: value}, f"{name} must be True or False, got {value!r}")
        for name in ("include_metadata", "include_prev_next_rel")
        for value in NO_FLAGS
    ),
    *(
        ({"callback_manager": value}, f"must be a CallbackManager or None, got {value!r}")
        for value in NO_MANAGERS
    ),
]


@pytest.mark.parametrize(("settings", "told"), WRONG)
def test_wrong_settings_raise_at_once(settings: dict[str, Any], told: str) -> None:
    for make in (StructuralNodeParser, StructuralNodeParser.from_defaults):
        with pytest.raises(ConfigurationError) as caught:
            make(**settings)
        assert told in str(caught.value)


def test_the_root_may_be_a_path(documents: list[Document], tmp_path: Path) -> None:
    one, other = (StructuralNodeParser(root=root) for root in (tmp_path, str(tmp_path)))
    assert one.to_dict() == other.to_dict()
    assert plain(one(documents)) == plain(other(documents))
    assert not [node for node in one(documents) if str(tmp_path) in node.metadata["context"]]


def test_an_address_of_the_web_is_recognised_and_its_queries_are_told_apart() -> None:
    address = "https://host/shop/orders.py"
    plain_ones = parsed(ORDERS, address, chunk_size=64)
    for beyond in ("?raw=1", "#L3", "?raw=1#L3"):
        made = parsed(ORDERS, address + beyond, chunk_size=64)
        assert [node.text for node in made] == [node.text for node in plain_ones]
        assert {node.metadata["chunk_language"] for node in made} == {"python"}
        assert [node.get_content(EMBED) for node in made] == [
            node.get_content(EMBED) for node in plain_ones
        ]
        assert not {node.node_id for node in made} & {node.node_id for node in plain_ones}
        again = parsed(ORDERS, address + beyond, chunk_size=64)
        assert [node.node_id for node in again] == [node.node_id for node in made]


def test_settings_changed_later_are_used() -> None:
    parser = StructuralNodeParser()
    before = Settings._node_parser
    try:
        Settings.node_parser = parser
        Settings.chunk_size = 32
    finally:
        Settings._node_parser = before
    document = Document(text=ORDERS, metadata={"file_path": "a.py"})
    nodes = parser.get_nodes_from_documents([document])
    assert max(Chunker().count(node.get_content(EMBED)) for node in nodes) <= 32
    parser.format = "MD"
    assert parser.format == "markdown"
    parser.root = Path("folder")  # type: ignore[assignment]  # what the constructor takes
    assert parser.root == "folder"


@pytest.mark.parametrize("make", [StructuralNodeParser, StructuralNodeParser.from_defaults])
def test_wrong_settings_raise_at_once_when_they_are_changed(make: Any) -> None:
    parser = make()
    before = parser.to_dict()
    for settings, told in WRONG:
        name = next(iter(settings))
        if len(settings) > 1 or name == "callback_manager":
            continue
        with pytest.raises(ConfigurationError) as caught:
            setattr(parser, name, settings[name])
        assert told in str(caught.value)
    with pytest.raises(ConfigurationError, match="callback_manager"):
        parser.callback_manager = None
    assert parser.to_dict() == before
    with pytest.raises(ConfigurationError, match="target_size must not exceed chunk_size"):
        parser.target_size = 513
    parser.callback_manager = CallbackManager([])
    parser.tokenizer = words
    parser.chunk_size, parser.target_size = 64, 64
    assert parsed_with(parser) == parsed_with(make(tokenizer=words, chunk_size=64, target_size=64))


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"chunk_size": 64, "chunk_overlap": 5, "context": "inline", "granularity": "packed"},
        {"tokenizer": words, "id_func": numbered, "root": "/data", "language": "python"},
        {"length_function": len},
        {"length_function": characters},
    ],
)
def test_settings_survive_serialisation(settings: dict[str, Any]) -> None:
    parser = StructuralNodeParser(**settings)
    data = parser.to_dict()
    assert json.loads(json.dumps(data)) == data
    assert data["class_name"] == StructuralNodeParser.class_name() == "StructuralNodeParser"
    for other in (
        StructuralNodeParser.from_dict(data),
        StructuralNodeParser.from_json(parser.to_json()),
        pickle.loads(pickle.dumps(parser)),  # noqa: S301  # our own bytes
        copy.deepcopy(parser),
    ):
        assert other.to_dict() == data
        for name in StructuralNodeParser.model_fields:
            if name != "callback_manager":
                assert getattr(other, name) == getattr(parser, name)


def word_level(vocabulary: dict[str, int]) -> Tokenizer:
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="?"))  # noqa: S106  # no password
    tokenizer.pre_tokenizer = Whitespace()
    return tokenizer


def test_a_tokenizer_object_is_known_by_its_content_and_has_to_be_passed_again() -> None:
    one, same, other = (word_level(known) for known in ({"?": 0}, {"?": 0}, {"?": 0, "a": 1}))
    parser = StructuralNodeParser(tokenizer=one, chunk_size=20)
    assert parser.to_dict() == StructuralNodeParser(tokenizer=same, chunk_size=20).to_dict()
    assert parser.to_dict() != StructuralNodeParser(tokenizer=other, chunk_size=20).to_dict()
    with pytest.raises(ConfigurationError, match="pass tokenizer= again"):
        StructuralNodeParser.from_dict(parser.to_dict())
    assert StructuralNodeParser.from_dict(parser.to_dict(), tokenizer=one).chunk_size == 20
    copied = pickle.loads(pickle.dumps(parser))  # noqa: S301  # our own bytes
    document = Document(text=ORDERS, metadata={"file_path": "a.py"})
    assert plain(copied([document])) == plain(parser([document]))


def test_the_encode_method_of_an_encoding_is_that_encoding() -> None:
    from structchunk_core.encoding_files import load_encoding

    encoding = load_encoding("cl100k_base")
    text = "# <|endoftext|> is text\n\n" + GUIDE
    expected = parsed(text, "a.md", chunk_size=64)
    for tokenizer in (encoding, encoding.encode, partial(encoding.encode, allowed_special="all")):
        nodes = parsed(text, "a.md", chunk_size=64, tokenizer=tokenizer)
        assert [node.text for node in nodes] == [node.text for node in expected]
        assert StructuralNodeParser(tokenizer=tokenizer).to_dict()["tokenizer"] == "cl100k_base"


def test_a_lambda_cannot_be_pickled_and_says_so_and_stays_in_place() -> None:
    parser = StructuralNodeParser(length_function=lambda text: len(text), chunk_size=200)  # noqa: PLW0108  # as named
    with pytest.raises(pickle.PicklingError, match="length_function"):
        pickle.dumps(parser)
    assert parser.length_function is not None
    data = parser.to_dict()
    assert parser.to_dict() == data
    other = StructuralNodeParser(length_function=lambda text: len(text) * 2, chunk_size=200)
    assert other.to_dict()["length_function"] != data["length_function"]
    with pytest.raises(ConfigurationError, match="pass length_function= again"):
        StructuralNodeParser.from_dict(data)


def test_the_transformation_hash_is_the_same_in_every_process_and_differs_by_setting() -> None:
    code = (
        "from llama_index.core.ingestion.pipeline import get_transformation_hash as h;"
        "from llama_index.core.schema import Document;"
        "from structchunk_llamaindex import StructuralNodeParser as P;"
        "print(h([Document(text='x')], P(chunk_size=64, length_function=len)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    document = [Document(text="x")]
    here = StructuralNodeParser(chunk_size=64, length_function=len)
    assert done.stdout.strip() == get_transformation_hash(document, here)
    variants: list[dict[str, Any]] = [
        {},
        {"chunk_size": 64},
        {"target_size": 100},
        {"tokenizer": "o200k_base"},
        {"tokenizer": "characters"},
        {"granularity": "packed"},
        {"split_level": 2},
        {"context": "none"},
        {"language": "python"},
        {"include_metadata": False},
        {"id_func": numbered},
    ]
    hashes = {get_transformation_hash(document, StructuralNodeParser(**each)) for each in variants}
    assert len(hashes) == len(variants)
