"""How much work a document costs, by counting: one parse, one tokenisation, in linear amounts."""

from __future__ import annotations

import json
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from structchunk_core import Chunker, leaves
from structchunk_core.formats import _delimited_scan, _records_json_values, delimited
from structchunk_core.formats.prose import cut_positions
from structchunk_core.unit import Tie, Unit
from tests.counting import Counter

STDLIB = Path(sysconfig.get_path("stdlib"))
ALLOWED = 1.3
"""Characters tokenised for each one of a document: the document, and the names in contexts."""


@pytest.mark.parametrize(
    "path",
    ["argparse.py", "README.md", "CHANGELOG.md", "pyproject.toml", "stock.csv", "stock.json"],
)
def test_a_record_is_written_without_reading_the_chunk_once_more(
    path: str, tokenised: Counter
) -> None:
    """The exact size is in it: context and edges of each chunk are counted for that.

    Lines that records are embedded as are texts beside what the document says: they are counted
    once for that, and earlier where they may be over the limit.
    """
    records = [{"id": n, "name": f"item {n}", "tags": ["a", "b"]} for n in range(3000)]
    made = {
        "stock.csv": "name,count,colour\n" + "".join(f"item {n},{n},red\n" for n in range(3000)),
        "stock.json": json.dumps({"shop": records}, indent=1),
        "argparse.py": (STDLIB / "argparse.py").read_text("utf-8"),
    }
    text = (
        made[path] if path in made else Path(__file__).parents[1].joinpath(path).read_text("utf-8")
    )
    # Without profiles of tables: those are texts beside what the document says.
    chunks = Chunker(table_profile=False).chunk(text, path=path)
    lines = [len(chunk.embed_text) for chunk in chunks if chunk.indexed]
    near = sum(length for length in lines if length > 512)
    assert sum(tokenised.lengths) <= 1.2 * len(text) + near
    for chunk in chunks:
        chunk.record()
    assert sum(tokenised.lengths) <= ALLOWED * len(text) + sum(lines)


@pytest.mark.parametrize("name", ["argparse.py", "typing.py", "_pydecimal.py", "turtle.py"])
@pytest.mark.parametrize("granularity", ["definition", "packed"])
def test_source_code_is_parsed_once_and_tokenised_once(
    name: str, granularity: Any, tokenised: Counter, parsed: Counter
) -> None:
    text = (STDLIB / name).read_text("utf-8")
    chunks = Chunker(granularity=granularity).chunk(text, path=name)
    assert len(chunks) > 30
    assert any(chunk.metadata()["calls"] for chunk in chunks)
    assert all(chunk.record() for chunk in chunks)
    assert parsed.lengths == [len(text.encode())]
    assert tokenised.lengths.count(len(text)) == 1
    assert sum(tokenised.lengths) <= ALLOWED * len(text)


def test_markdown_is_tokenised_once(tokenised: Counter) -> None:
    section = (
        "## Part {}\n\nWords that stand here and tell of things, some of them long.\n\n- a\n- b\n\n"
    )
    text = "# Guide\n\n" + "".join(section.format(number) * 3 for number in range(200))
    chunks = Chunker(chunk_size=128).chunk(text, path="guide.md")
    assert len(chunks) > 100
    assert tokenised.lengths.count(len(text)) == 1
    assert sum(tokenised.lengths) <= ALLOWED * len(text)


def test_a_table_is_tokenised_once(tokenised: Counter) -> None:
    text = "name,count,colour\n" + "".join(f"item {n},{n * 7},red\n" for n in range(3000))
    chunks = Chunker().chunk(text, path="stock.csv")
    assert len(chunks) > 50
    assert tokenised.lengths.count(len(text)) == 1
    assert sum(tokenised.lengths) <= ALLOWED * len(text)


def test_what_fits_in_json_is_not_looked_into(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Unit] = []
    opens = Unit.open

    def noted(unit: Unit) -> tuple[Unit, ...]:
        opened.append(unit)
        return opens(unit)

    monkeypatch.setattr(Unit, "open", noted)
    inner = {f"key {n}": {"list": [1, 2, 3], "of": {"a": n}} for n in range(5)}
    text = json.dumps({f"record {n}": inner for n in range(300)})
    chunks = Chunker(context="none").chunk(text, path="a.json")
    assert len(chunks) > 80
    assert {unit.kind for unit in opened} == {"records", "pairs"}  # and none of the mappings


def test_json_is_tokenised_once(tokenised: Counter) -> None:
    records = [{"id": n, "name": f"item {n}", "tags": ["a", "b"]} for n in range(3000)]
    text = json.dumps({"shop": {"stock": records}})
    chunks = Chunker().chunk(text, path="stock.json")
    assert len(chunks) > 50
    assert tokenised.lengths.count(len(text)) == 1
    assert sum(tokenised.lengths) <= ALLOWED * len(text)


@pytest.mark.parametrize("ending", ["json", "yaml"])
def test_lines_of_records_are_tokenised_once_and_only_near_the_limit(
    ending: str, tokenised: Counter
) -> None:
    """Those with no more bytes than the limit has tokens need not be counted."""
    words = "what it is for and how it may be set " * 9
    made: dict[str, Any] = {f"node{n}": {"type": "string", "about": words} for n in range(100)}
    made |= {f"limit{n}": dict.fromkeys("abcdefgh", n) for n in range(100)}
    written = json.dumps({"nodes": made}, indent=1)
    text = written if ending == "json" else yaml.safe_dump({"nodes": made}, width=1000)
    chunks = Chunker(target_size=256).chunk(text, path=f"a.{ending}")
    told = [chunk for chunk in chunks if chunk.indexed]
    assert len(told) == len(chunks) > 50
    near = [chunk.embed_text for chunk in told if len(chunk.embed_text) > 512]
    assert 10 < len(near) < len(told) - 10
    assert sum(tokenised.lengths) <= 1.2 * len(text) + sum(map(len, near))
    assert all(chunk.size <= chunk.size_at_most for chunk in told)
    assert all(chunk.size == Chunker().count(chunk.embed_text) for chunk in told)


@pytest.mark.parametrize("ending", ["py", "md", "csv", "txt", "jsonl"])
def test_the_work_grows_with_the_length(ending: str, tokenised: Counter) -> None:
    unit = {
        "py": "def f(a):\n    return [a, a + 1, (a, 2)]\n\n\n",
        "md": "# Title\n\nA paragraph of some words.\n\n```py\nx = 1\n```\n\n",
        "csv": "1,two,3.0\n",
        "jsonl": '{"a": 1, "b": ["two", 3.0]}\n',
        "txt": "A sentence of some words. And another one.\n\n",
    }[ending]
    costs = []
    for times in (200, 800):
        tokenised.lengths.clear()
        Chunker().chunk(unit * times, path=f"a.{ending}")
        costs.append(sum(tokenised.lengths) / (len(unit) * times))
    assert costs[1] <= costs[0] * 1.1


def test_no_tie_is_hashed_for_each_block(monkeypatch: pytest.MonkeyPatch) -> None:
    """The hash of an enum is a function in Python: prices are looked up by position."""
    hashed: list[Tie] = []
    usual = Tie.__hash__

    def counting(tie: Tie) -> int:
        hashed.append(tie)
        return usual(tie)

    text = (STDLIB / "argparse.py").read_text("utf-8")
    chunker = Chunker(tokenizer="characters", chunk_size=800)
    chunker.chunk(text, path="argparse.py")  # what is made once is made
    monkeypatch.setattr(Tie, "__hash__", counting)
    assert len(chunker.chunk(text, path="argparse.py")) > 100
    assert len(hashed) < 100


def test_a_row_of_very_many_cells_is_not_read_once_for_each_part(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read = [0]
    usual = _delimited_scan.cell_spans

    def counting(*given: Any) -> Iterator[tuple[int, int]]:
        for span in usual(*given):
            read[0] += 1
            yield span

    monkeypatch.setattr(delimited, "cell_spans", counting)
    costs = []
    for count in (3000, 6000):
        read[0] = 0
        text = "a,b\n" + "x," * count
        chunks = Chunker(tokenizer="characters", chunk_size=200).chunk(text, path="a.csv")
        assert len(chunks) > 20
        costs.append(read[0] / count)
    assert costs[1] <= costs[0] * 1.1
    assert costs[1] < 4


@pytest.mark.parametrize(
    "unit", ["abcdefghij", "\u0915\u093f\u0916\u094b\u0917", "\u65e5\u672c\u8a9e"]
)
def test_a_word_that_never_ends_is_gone_over_once(
    unit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = 0

    def counting(text: str, start: int, end: int, level: int) -> Iterator[int]:
        nonlocal looked
        looked += end - start
        return cut_positions(text, start, end, level)

    monkeypatch.setattr(leaves, "cut_positions", counting)
    text = unit * (12_000 // len(unit))
    chunks = Chunker(tokenizer="characters", chunk_size=400, context="none").chunk(text)
    assert len(chunks) > 20
    assert 0 < looked < 3 * len(text)


@pytest.mark.parametrize(
    ("path", "record"),
    [("a.json", '{"a": 1, // one of many\n "b": "two"}'), ("a.jsonl", '{"a": 1, "b": "two",}')],
)
def test_a_record_with_a_fault_is_decoded_by_itself(
    path: str, record: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For each fault the decoder counts the lines of what it was given, up to there."""
    given = 0

    class Counting(json.JSONDecoder):
        def raw_decode(self, s: str, idx: int = 0) -> tuple[Any, int]:
            nonlocal given
            given += len(s)
            return super().raw_decode(s, idx)

    monkeypatch.setattr(_records_json_values, "_DECODER", Counting(object_pairs_hook=tuple))
    text = "\n".join([record] * 500)
    if path == "a.json":
        text = f"[{','.join([record] * 500)}]"
    assert len(Chunker().chunk(text, path=path)) > 20
    assert 0 < given < 3 * len(text)
