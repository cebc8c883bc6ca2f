"""Splitters by name: what is read, what is filled in, what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from langchain_text_splitters import MarkdownTextSplitter, TokenTextSplitter
from llama_index.core import Document
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.node_parser import TokenTextSplitter as LlamaTokenSplitter

from structchunk_core import Chunker, ConfigurationError, MissingDependencyError
from structchunk_core.auditing.given_chunks import given_chunk
from structchunk_core.auditing.splitters import installed_peers, splitter_named
from tests.corpus import ORDERS

GUIDE = "# Guide\n\n" + "".join(f"Sentence number {n} of the guide.\n\n" for n in range(40))
BUDGET = Chunker(tokenizer="characters", chunk_size=200)


def texts(name: str, text: str, path: str, budget: Chunker = BUDGET) -> list[str]:
    return [given_chunk(chunk).text for chunk in splitter_named(name, budget).split(text, path)]


def test_ours_takes_the_budget_and_settings() -> None:
    assert texts("structchunk", GUIDE, "a.md") == [
        chunk.text for chunk in BUDGET.chunk(GUIDE, path="a.md")
    ]
    packed = Chunker(tokenizer="characters", chunk_size=100, granularity="packed")
    assert texts("structchunk(chunk_size=100, granularity='packed')", GUIDE, "a.md") == [
        chunk.text for chunk in packed.chunk(GUIDE, path="a.md")
    ]


def test_what_a_name_says_of_sizes_stands_and_the_rest_is_the_budget() -> None:
    own = MarkdownTextSplitter(chunk_size=120, chunk_overlap=20).split_text(GUIDE)
    name = "langchain:MarkdownTextSplitter(chunk_size=120, chunk_overlap=20)"
    assert texts(name, GUIDE, "a.md") == own
    filled = MarkdownTextSplitter(chunk_size=200, chunk_overlap=0).split_text(GUIDE)
    assert texts("langchain:MarkdownTextSplitter", GUIDE, "a.md") == filled
    tokens = Chunker(chunk_size=50)
    assert max(tokens.count(one) for one in texts("langchain", GUIDE, "a.md", tokens)) <= 50
    by_tokens = TokenTextSplitter(encoding_name="cl100k_base", chunk_size=30, chunk_overlap=0)
    name = (
        "langchain:TokenTextSplitter(encoding_name='cl100k_base', chunk_size=30, chunk_overlap=0)"
    )
    assert texts(name, GUIDE, "a.md") == by_tokens.split_text(GUIDE)


def test_class_methods_and_languages() -> None:
    name = "langchain:RecursiveCharacterTextSplitter.from_language"
    (first, *_) = texts(name, ORDERS * 3, "a.py")
    assert texts("langchain", ORDERS * 3, "a.py")[0] == first
    whole = texts("llamaindex:CodeSplitter(max_chars=400)", ORDERS, "a.py")
    assert "".join("".join(whole).split()) == "".join(ORDERS.split())
    assert texts("llamaindex", ORDERS, "a.py")
    assert texts("llamaindex", "not ( python", "a.nolanguage") == ["not ( python"]


def test_nodes_of_llamaindex_carry_their_places() -> None:
    expected = SentenceSplitter(chunk_size=60, chunk_overlap=0).get_nodes_from_documents(
        [Document(text=GUIDE)]
    )
    found = splitter_named("llamaindex:SentenceSplitter(chunk_size=60, chunk_overlap=0)", BUDGET)
    given = [given_chunk(chunk) for chunk in found.split(GUIDE, "a.md")]
    assert [one.text for one in given] == [node.get_content() for node in expected]
    assert given[1].start > 0
    assert given[1].indexed == given[1].text
    filled = texts("llamaindex:TokenTextSplitter", GUIDE, "a.md", Chunker(chunk_size=60))
    tokens = LlamaTokenSplitter(chunk_size=60, chunk_overlap=0).split_text(GUIDE)
    assert len(filled) == len(tokens)


def test_anything_that_can_be_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_pipeline.py").write_text(
        "def split(text):\n    return text.split('\\n\\n')\n"
        "def named(text, path):\n    return [path, text]\n"
        "def sized(size):\n    return lambda text: [text[:size], text[size:]]\n"
        "class Splitter:\n    def split_text(self, text):\n        return [text]\n"
        "splitter = Splitter()\n"
        "nothing = 3\n"
    )
    monkeypatch.chdir(tmp_path)
    assert texts("my_pipeline:split", "a\n\nb", "") == ["a", "b"]
    assert texts("my_pipeline:named", "a", "x.md") == ["x.md", "a"]
    assert texts("my_pipeline:sized(2)", "abcd", "") == ["ab", "cd"]
    assert texts("my_pipeline:Splitter", "abcd", "") == ["abcd"]
    assert texts("my_pipeline:splitter", "abcd", "") == ["abcd"]
    with pytest.raises(ConfigurationError, match="is no splitter"):
        splitter_named("my_pipeline:nothing", BUDGET)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("other", "must be structchunk"),
        ("structchunk(chunk_size=len)", "literal arguments"),
        ("structchunk(**{})", "literal arguments"),
        ("structchunk(no=1)", "structchunk: "),
        ("structchunk(chunk_size=0)", "at least 1 character, got 0"),
        ("langchain:__import__('os').system('true')", "literal arguments"),
        ("langchain:TextSplitter(chunk_size=__import__('os'))", "literal arguments"),
        ("langchain:Nothing", "there is no 'Nothing' in langchain_text_splitters"),
        ("langchain:TokenTextSplitter(encoding=1)", "TokenTextSplitter: "),
        ("no_such_module:split", "cannot import 'no_such_module'"),
        ("langchain:(", "literal arguments"),
    ],
)
def test_what_cannot_be_read_is_refused(name: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        splitter_named(name, BUDGET)


def test_a_framework_that_is_missing_is_named_with_its_extra(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert installed_peers() == ("langchain", "llamaindex")
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    assert installed_peers() == ()
    for name in ("langchain", "langchain:TokenTextSplitter"):
        with pytest.raises(MissingDependencyError, match=r"structchunk-parsers\[langchain\]"):
            splitter_named(name, BUDGET)
