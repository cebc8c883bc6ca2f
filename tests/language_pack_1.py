"""With tree-sitter-language-pack 1.x, whose wheels hold no grammars, and without a network.

Not collected with the other tests: ``.ci/run`` runs it in an environment of its own, which has
that release and the wheel of one grammar, tree-sitter-python.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import pytest

from structchunk_core import Chunker, MissingDependencyError
from tests.promises import check_promises

PYTHON = "class Shop:\n    def fill(self, n):\n        return n\n"
LUA = "function fill(n)\n  return n\nend\n" * 9


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[list[str]]:
    """What the pack asks the place for from which it downloads: a server of ours."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:  # the name that http.server looks for
            asked.append(self.path)
            self.send_error(404)

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/parsers.json"
    monkeypatch.setenv("TREE_SITTER_LANGUAGE_PACK_MANIFEST_URL", address)
    monkeypatch.setenv("TREE_SITTER_LANGUAGE_PACK_CACHE_DIR", str(tmp_path))
    yield asked
    server.shutdown()
    server.server_close()


def test_the_release_is_one_that_downloads(requests: list[str]) -> None:
    pack = import_module("tree_sitter_language_pack")
    assert version("tree-sitter-language-pack").startswith("1.")
    with pytest.raises(pack.Error):
        pack.get_language("lua")
    assert requests == ["/parsers.json"]


def test_a_wheel_of_the_grammar_is_used(requests: list[str]) -> None:
    chunker = Chunker(tokenizer="characters", chunk_size=60, context="none")
    chunks = chunker.chunk(PYTHON, path="shop.py")
    check_promises(PYTHON, chunks, chunker)
    assert not any(chunk.problems for chunk in chunks)
    assert {symbol for chunk in chunks for symbol in chunk.symbols} >= {"Shop.fill"}
    assert requests == []


def test_what_is_missing_is_told_precisely_and_nobody_is_asked(requests: list[str]) -> None:
    chunker = Chunker(tokenizer="characters", chunk_size=100)
    with pytest.warns(UserWarning, match="no tree-sitter grammar for 'lua'") as told:
        chunks = chunker.chunk(LUA, path="shop.lua")
    check_promises(LUA, chunks, chunker)
    assert len(told) == 1
    assert "pack.download(['lua'])" in str(told[0].message)
    assert "pip install tree-sitter-lua" in str(told[0].message)
    assert all(chunk.metadata()["problems"] == "missing-grammar" for chunk in chunks)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        chunker.chunk(LUA, path="again.lua")
    with pytest.raises(MissingDependencyError, match=r"pack.download\(\['lua'\]\)"):
        Chunker(on_missing_grammar="error").chunk(LUA, path="shop.lua")
    assert requests == []


def test_a_fence_notes_it_too(requests: list[str]) -> None:
    text = f"# Guide\n\nWords.\n\n```ruby\n{'x = 1' * 5}\n{'y = 2' * 30}\n```\n"
    chunker = Chunker(tokenizer="characters", chunk_size=100)
    with pytest.warns(UserWarning, match="no tree-sitter grammar for 'ruby'"):
        chunks = chunker.chunk(text, path="guide.md")
    check_promises(text, chunks, chunker)
    noted = [chunk.metadata()["problems"] for chunk in chunks]
    assert "missing-grammar" in noted
    assert requests == []


def test_a_fragile_grammar_that_is_missing_starts_no_helper(requests: list[str]) -> None:
    from structchunk_core import guard

    with pytest.warns(UserWarning, match="no tree-sitter grammar for 'perl'"):
        Chunker(tokenizer="characters").chunk("sub f { 1 }\n", path="a.pl")
    assert guard._helpers == {}
    assert requests == []
