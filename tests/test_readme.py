"""The README's examples run as they are printed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from langchain_core.embeddings import DeterministicFakeEmbedding
from llama_index.core import MockEmbedding

from structchunk_core import Chunker
from tests.corpus import ORDERS, write

README = (Path(__file__).parent.parent / "README.md").read_text("utf-8")


def _example(heading: str) -> str:
    found = re.search(
        rf"^## {heading}\n.*?^```python\n(.*?)^```$", README, re.DOTALL | re.MULTILINE
    )
    assert found is not None, heading
    return found[1]


@pytest.mark.parametrize(
    ("heading", "given"),
    [
        ("In Python", {"text": ORDERS}),
        ("Many files", {"__name__": "__main__"}),
        ("In LlamaIndex", {"your_embedding": MockEmbedding(embed_dim=8)}),
        ("In LangChain", {"your_embedding": DeterministicFakeEmbedding(size=8)}),
    ],
)
def test_an_example_runs(
    heading: str,
    given: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write(tmp_path)
    monkeypatch.chdir(tmp_path)
    exec(compile(_example(heading), heading, "exec"), given)  # noqa: S102  # that is the test
    assert capsys.readouterr().out.strip()


def test_the_settings_are_those_of_the_chunker() -> None:
    table = README.partition("## Settings")[2].partition("## Formats")[0]
    named = set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE))
    settings = {name for name in Chunker.__dataclass_fields__ if not name.startswith("_")}
    assert named == settings


def test_the_map_names_what_there_is() -> None:
    part = README.partition("## The code")[2].partition("## Numbers")[0]
    core = Path(__file__).parent.parent / "core" / "structchunk_core"
    modules = {path.name for path in core.glob("*.py")} - {"__init__.py", "__main__.py"}
    assert {name for name in modules if f"`{name}`" not in part and name not in part} == set()
