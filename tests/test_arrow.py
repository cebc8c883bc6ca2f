"""Tables of documents become tables of chunks."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pyarrow as pa
import pytest

from structchunk_core import Chunk, Chunker, ConfigurationError, Span, arrow
from structchunk_core.arrow import chunk_batch, chunk_lists, chunk_schema, chunk_table
from tests.corpus import FILES

DOCUMENTS = {
    "path": [*FILES, "empty.md", "blank.md", None, "none.md"],
    "text": [*FILES.values(), "", " \n", "x = 1\n", None],
}
NUMBERS = list(range(len(DOCUMENTS["path"])))


def wanted(**settings: Any) -> list[Chunk]:
    chunker = Chunker(**settings)
    pairs = zip(DOCUMENTS["path"], DOCUMENTS["text"], strict=True)
    return [chunk for path, text in pairs for chunk in chunker.chunk(text or "", path=path or "")]


def test_a_table_gives_the_chunks_of_a_plain_loop() -> None:
    table = chunk_table(pa.table(DOCUMENTS), chunk_size=100)
    assert isinstance(table, pa.Table)
    assert table.schema.equals(chunk_schema())
    chunks = wanted(chunk_size=100)
    assert len(chunks) > 15
    for row, chunk in zip(table.to_pylist(), chunks, strict=True):
        described = chunk.metadata(positions=True)
        assert row["id"] == described.pop("chunk_id") == chunk.id
        assert {name: row[name] for name in described} == described
        assert (row["text"], row["context"], row["embed_text"]) == (
            chunk.text,
            chunk.context,
            chunk.embed_text,
        )
        assert (row["source"], row["size"], row["path"]) == (
            chunk.source,
            chunk.size,
            list(chunk.path),
        )


def test_a_batch_gives_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = chunk_table(pa.RecordBatch.from_pydict(DOCUMENTS), chunk_size=100)
    assert isinstance(whole, pa.RecordBatch)
    assert whole.to_pylist() == chunk_table(pa.table(DOCUMENTS), chunk_size=100).to_pylist()
    monkeypatch.setattr(arrow, "_MOST_ROWS", 2)
    again = chunk_table(pa.RecordBatch.from_pydict(DOCUMENTS), chunk_size=100)
    assert again.to_pylist() == whole.to_pylist()
    assert chunk_batch(wanted(chunk_size=100)).to_pylist() == whole.to_pylist()


def test_no_value_is_null_and_entries_and_problems_are_there() -> None:
    table = chunk_table(pa.table(DOCUMENTS), outline="all")
    assert all(column.null_count == 0 for column in table.columns)
    entries = [entry for row in table.column("entries").to_pylist() for entry in row]
    assert {"id", "kind", "symbol", "text"} == set(entries[0])
    broken = chunk_table(pa.table({"path": ["a.py"], "text": ["def f(:\n    (\n"]}))
    (details,) = broken.column("problem_details").to_pylist()
    assert details[0]["code"] == "syntax-error"
    assert broken.column("problems").to_pylist() == ["syntax-error"]


def test_other_columns_come_along_whatever_they_hold() -> None:
    table = pa.table(
        DOCUMENTS
        | {
            "number": NUMBERS,
            "nested": [{"tags": ["a", None], "of": {"n": number}} for number in NUMBERS],
            "often null": [None if number % 2 else "x" for number in NUMBERS],
            "large": pa.array(map(str, NUMBERS), pa.large_string()),
        }
    )
    keep = ["number", "nested", "often null", "large"]
    for data in (table, pa.concat_tables([table.slice(0, 2), table.slice(2)])):
        done = chunk_table(data, keep=keep, chunk_size=100)
        assert done.schema.names == [*chunk_schema().names, *keep]
        assert [done.schema.field(name) for name in keep] == [
            table.schema.field(name) for name in keep
        ]
        sources = dict(zip(NUMBERS, DOCUMENTS["path"], strict=True))
        for row in done.to_pylist():
            assert row["source"] == (sources[row["number"]] or "")
            assert row["nested"] == {"tags": ["a", None], "of": {"n": row["number"]}}
            assert row["large"] == str(row["number"])


@pytest.mark.parametrize("kind", [pa.large_string(), pa.dictionary(pa.int32(), pa.string())])
def test_texts_may_be_stored_in_any_way(kind: pa.DataType) -> None:
    plain = pa.table(DOCUMENTS)
    other = pa.table(
        [plain.column(name).cast(kind) for name in ("path", "text")], plain.schema.names
    )
    assert chunk_table(other).to_pylist() == chunk_table(plain).to_pylist()


def test_nothing_gives_no_row() -> None:
    empty = pa.table({"text": pa.array([], pa.string()), "n": pa.array([], pa.int8())})
    done = chunk_table(empty, path_column=None, keep=["n"])
    assert (done.num_rows, done.schema.names[-1]) == (0, "n")
    nulls = pa.RecordBatch.from_pydict({"text": [None, None]})
    assert chunk_table(nulls, path_column=None).num_rows == 0
    assert chunk_table(nulls.slice(0, 0), path_column=None).num_rows == 0


def test_without_paths_the_content_tells() -> None:
    table = pa.table({"body": ["# Title\n\nWords.", '{"a": 1}']})
    done = chunk_table(table, text_column="body", path_column=None)
    told = Chunker().chunk("# Title\n\nWords.") + Chunker().chunk('{"a": 1}')
    assert done.column("id").to_pylist() == [chunk.id for chunk in told]
    read = chunk_table(table, text_column="body", path_column=None, format="markdown")
    assert set(read.column("chunk_format").to_pylist()) == {"markdown"}
    code = chunk_table(table, text_column="body", path_column=None, language="python")
    assert set(code.column("chunk_language").to_pylist()) == {"python"}


def test_lists_hold_the_chunks_of_each_document() -> None:
    table = pa.table(DOCUMENTS)
    lists = chunk_lists(table.column("text"), table.column("path"), chunk_size=100)
    whole = chunk_table(table, chunk_size=100).to_pylist()
    assert [row for one in lists.to_pylist() for row in one] == whole
    sources = [{row["source"] for row in one} for one in lists.to_pylist()]
    assert sources == [*({name} for name in FILES), set(), set(), {""}, set()]
    bare = chunk_lists(pa.array(["Words.", None]))
    assert [len(one) for one in bare.to_pylist()] == [1, 0]
    assert chunk_lists(pa.array([], pa.string())).to_pylist() == []


def test_what_utf_8_cannot_hold_is_replaced() -> None:
    text = "a\ud800b"
    batch = chunk_batch([Chunk(text, Span(0, 3), text, path=(text,))])
    assert batch.column("text").to_pylist() == ["a\ufffdb"]
    assert batch.column("path").to_pylist() == [["a\ufffdb"]]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"text_column": "body"}, "text_column must name one column of path, text, n"),
        ({"path_column": "file"}, "path_column must name one column .* or None"),
        ({"text_column": "n"}, "text_column 'n' must hold strings, got int64"),
        ({"keep": ["m"]}, "keep must name one column"),
        ({"keep": ["text"]}, "which every chunk has"),
        ({"keep": ["n", "n"]}, "twice, got 'n'"),
        ({"keep": "n"}, "keep must be several names"),
        ({"chunk_size": 3}, "chunk_size must be at least 8 tokens"),
        ({"format": "nope"}, "nope"),
    ],
)
def test_wrong_arguments_are_refused(arguments: dict[str, Any], said: str) -> None:
    table = pa.table(DOCUMENTS | {"n": NUMBERS})
    with pytest.raises(ConfigurationError, match=said):
        chunk_table(table, **arguments)


def test_what_is_no_table_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="got dict"):
        chunk_table(DOCUMENTS)


def test_without_the_extra_it_says_what_to_install() -> None:
    code = "import sys; sys.modules['pyarrow'] = None; import structchunk_core.arrow as a; "
    code += "a.chunk_schema()"
    done = subprocess.run(
        [sys.executable, "-c", code], check=False, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 1
    assert "pip install 'structchunk-parsers[arrow]'" in done.stderr.splitlines()[-1]
