"""Facts of a chunk that are looked up when somebody asks for them."""

from __future__ import annotations

import copy
import gc
import pickle
import sysconfig
from pathlib import Path

import pytest

from structchunk_core import Chunk, Chunker
from structchunk_core.formats import _code_facts
from structchunk_core.grammars import parse_bytes
from tests.test_work import Counter

STDLIB = Path(sysconfig.get_path("stdlib"))
TEXT = (
    "import os\nimport sys\n\n\ndef f():\n    return os.listdir(g())\n\n\ndef g():\n    return 1\n"
)


def chunked(text: str = TEXT) -> list[Chunk]:
    return Chunker(target_size=20).chunk(text, path="a.py")


def facts_of(chunks: list[Chunk]) -> list[dict[str, str | int | bool]]:
    return [chunk.metadata(positions=True) for chunk in chunks]


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> Counter:
    counter = Counter()
    counted = counter.counted(parse_bytes, 0)
    monkeypatch.setattr("structchunk_core.formats.code.parse_bytes", counted)
    return counter


def test_facts_asked_for_at_once_cost_no_parse(parsed: Counter) -> None:
    chunks = chunked()
    assert facts_of(chunks)[1]["calls"] == "listdir, g"
    assert facts_of(chunks)[1]["imports"] == "import os"
    assert len(parsed.lengths) == 1


def test_trees_of_older_documents_are_let_go(
    parsed: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_code_facts, "_MANY_KEPT", 3)
    documents = [TEXT.replace("f()", f"f{number}()") for number in range(6)]
    expected = [facts_of(chunked(text)) for text in documents]
    parsed.lengths.clear()
    kept = [chunked(text) for text in documents]
    assert len(parsed.lengths) == 6
    assert [facts_of(chunks) for chunks in reversed(kept)] == expected[::-1]
    assert len(parsed.lengths) == 6 + 3


def test_a_large_document_does_not_keep_the_others(
    parsed: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_code_facts, "_MOST_KEPT", 3 * len(TEXT))
    small = chunked()
    large = chunked(TEXT * 4)
    parsed.lengths.clear()
    assert facts_of(large)
    assert parsed.lengths == []
    assert facts_of(small)
    assert len(parsed.lengths) == 1


def test_a_tree_goes_with_the_last_chunk() -> None:
    chunks = chunked()
    gc.collect()
    alive = [reference() for reference in _code_facts._newest]
    assert any(lookup is not None and lookup.size == len(TEXT) for lookup in alive)
    del alive, chunks
    gc.collect()
    assert all(
        (lookup := reference()) is None or lookup.size != len(TEXT)
        for reference in _code_facts._newest
    )


def test_copies_carry_the_facts() -> None:
    chunks = chunked()
    pickled = pickle.loads(pickle.dumps(chunks))  # noqa: S301  # of our own
    for same in (pickled, copy.deepcopy(chunks), [copy.copy(chunk) for chunk in chunks]):
        assert same == chunks
        assert facts_of(same) == facts_of(chunks)
        assert [chunk.size for chunk in same] == [chunk.size for chunk in chunks]
        assert not any(chunk._facts for chunk in same)


@pytest.mark.parametrize("path", ["typing.py", "typing.txt"])
@pytest.mark.parametrize("tokenizer", [None, "characters"])
def test_the_size_is_exact_and_below_what_it_is_at_most(path: str, tokenizer: str | None) -> None:
    text = (STDLIB / "typing.py").read_text("utf-8")
    chunker = Chunker(tokenizer=tokenizer, chunk_size=300)
    for chunk in chunker.chunk(text, path=path):
        assert chunk.size == chunker.count(chunk.embed_text) <= chunk.size_at_most <= 300
