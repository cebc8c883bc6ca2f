"""Chunks as Arrow tables: a table of documents in, a table of chunks out.

:func:`chunk_table` is what engines that work on Arrow data (Ray Data, Spark, Daft, Polars, DuckDB)
call in their workers, by name. Needs the extra ``arrow``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any, TypeVar

from structchunk_core.adapting import check_route
from structchunk_core.chunker import Chunker
from structchunk_core.chunks import Chunk
from structchunk_core.errors import ConfigurationError, MissingDependencyError
from structchunk_core.settings import shown
from structchunk_core.source import parsable
from structchunk_core.unit import Span

if TYPE_CHECKING:
    import pyarrow as pa

    Data = TypeVar("Data", pa.Table, pa.RecordBatch)

_MOST_ROWS = 1000  # documents whose chunks are Python objects at one time


def chunk_schema() -> pa.Schema:
    """The columns of every table of chunks, in this order; no value is ever null.

    ============== ======================= ====================================================
    ``id``         string                  :attr:`Chunk.id`
    ``source``     string                  the path or name of the document
    ``text``       string                  what a reader or model is given
    ``context``    string                  what situates it
    ``embed_text`` string                  what is indexed
    ``size``       int64                   what ``embed_text`` measures
    ``path``       list<string>            headings or scopes around it, outermost first
    ``...``        string, int64 or bool   the keys of ``Chunk.metadata(positions=True)`` but
                                           ``chunk_id``, which is ``id``
    ``entries``    list<struct>            further texts that lead to it: id, kind, symbol, text
    ``problem_details`` list<struct>       what could not be parsed as it should have been:
                                           code, message, start, end (characters, or -1)
    ============== ======================= ====================================================

    Characters that UTF-8 cannot hold (lone surrogates) come as U+FFFD.

    Raises:
        MissingDependencyError: pyarrow is not installed.
    """
    return _schema(())


def chunk_table(
    data: Data,
    *,
    text_column: str = "text",
    path_column: str | None = "path",
    keep: Sequence[str] = (),
    format: str | None = None,
    language: str | None = None,
    **settings: Any,
) -> Data:
    """The chunks of a table of documents: one row in, a row for each chunk out, in order.

    A document that is null, empty or blank gives no row. Settings are checked and stored only;
    grammars and encodings are loaded once for a process, when they are first needed.

    Args:
        data: a table or batch with a row for each document.
        text_column: its column with the texts; nulls are no documents.
        path_column: its column with the path or name of each document, which tells its format,
            stands in the context and in the ids; where it is null, or None instead of a name,
            all that is told by the content, and equal documents give equal ids.
        keep: columns to repeat on every chunk of their row, behind those of the chunk, as they
            are, whatever their type.
        format: of every document, as for :meth:`Chunker.chunk`; None: told from each.
        language: of every document, as there.
        settings: those of :class:`Chunker`.

    Returns:
        What came in, a table or a batch, with the columns of :func:`chunk_schema` and ``keep``.

    Raises:
        ConfigurationError: a setting is wrong, or a column is missing, of another type, or
            called like one of a chunk.
        MissingDependencyError: pyarrow, or something that a setting asks for, is not installed.
    """
    pa = require_pyarrow()
    if not isinstance(data, pa.Table | pa.RecordBatch):
        raise ConfigurationError(
            f"data must be a pyarrow.Table or RecordBatch, got {type(data).__name__}"
        )
    chunker = Chunker(**settings)
    language, format = check_route(chunker, language, format)
    texts = _strings(data, "text_column", text_column)
    paths = None if path_column is None else _strings(data, "path_column", path_column)
    schema = _schema(_kept(data, keep))
    batches = []
    for start in range(0, data.num_rows, _MOST_ROWS):
        chunks: list[Chunk] = []
        rows: list[int] = []
        for row in range(start, min(start + _MOST_ROWS, data.num_rows)):
            text = texts[row].as_py()
            if not text:
                continue
            path = "" if paths is None else paths[row].as_py() or ""
            found = chunker.chunk(text, path=path, format=format, language=language)
            chunks += found
            rows += [row] * len(found)
        columns = _columns(chunks)
        if keep:
            taken = data.select(list(keep)).take(pa.array(rows, pa.int64()))
            columns += [_in_one_piece(column) for column in taken.columns]
        batches.append(pa.record_batch(columns, schema=schema))
    if isinstance(data, pa.Table):
        return pa.Table.from_batches(batches, schema=schema)
    return _joined(batches, schema)


def chunk_lists(
    texts: pa.Array | pa.ChunkedArray,
    paths: pa.Array | pa.ChunkedArray | None = None,
    **settings: Any,
) -> pa.ListArray:
    """The chunks of each document as a list: as many values out as in, for engines that ask so.

    The values are structs of the columns of :func:`chunk_schema`; a document without chunks has an
    empty list. ``unnest`` or ``explode`` make a row of each.

    Args:
        texts: the documents.
        paths: the path or name of each.
        settings: as for :func:`chunk_table`.

    Raises:
        ConfigurationError: as :func:`chunk_table`.
        MissingDependencyError: as there.
    """
    pa = require_pyarrow()
    numbers = pa.array(range(len(texts)), pa.int64())
    columns = {"text": texts, "number": numbers} | ({} if paths is None else {"path": paths})
    path_column = None if paths is None else "path"
    table = chunk_table(pa.table(columns), path_column=path_column, keep=["number"], **settings)
    counts = Counter(table.column("number").to_pylist())
    offsets = [0, *accumulate(counts[number] for number in range(len(texts)))]
    rows = table.drop_columns(["number"]).to_struct_array().combine_chunks()
    if isinstance(rows, pa.ChunkedArray):  # of no row
        rows = pa.array([], rows.type)
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), rows)


def chunk_batch(chunks: Iterable[Chunk]) -> pa.RecordBatch:
    """Chunks as a batch of :func:`chunk_schema`.

    Raises:
        MissingDependencyError: pyarrow is not installed.
    """
    return require_pyarrow().record_batch(_columns(list(chunks)), schema=_schema(()))


def require_pyarrow() -> Any:
    """The module pyarrow.

    Raises:
        MissingDependencyError: it is not installed.
    """
    try:
        import pyarrow as pa
    except ImportError as error:
        raise MissingDependencyError(
            "tables of chunks need pyarrow: pip install 'structchunk-parsers[arrow]'"
        ) from error
    return pa


@cache
def _own_fields() -> tuple[pa.Field, ...]:
    pa = require_pyarrow()
    text, number = pa.string(), pa.int64()
    types = {str: text, int: number, bool: pa.bool_()}
    entry = pa.struct([(name, text) for name in ("id", "kind", "symbol", "text")])
    problem = pa.struct([("code", text), ("message", text), ("start", number), ("end", number)])
    fields = [
        *((name, text) for name in ("id", "source", "text", "context", "embed_text")),
        ("size", number),
        ("path", pa.list_(text)),
        *((name, types[type(value)]) for name, value in _metadata(_NO_CHUNK).items()),
        ("entries", pa.list_(entry)),
        ("problem_details", pa.list_(problem)),
    ]
    return tuple(pa.field(name, kind, nullable=False) for name, kind in fields)


def _schema(more: Sequence[pa.Field]) -> pa.Schema:
    return require_pyarrow().schema([*_own_fields(), *more])


_NO_CHUNK = Chunk("", Span(0, 0), "")


def _metadata(chunk: Chunk) -> dict[str, str | int | bool]:
    described = chunk.metadata(positions=True)
    del described["chunk_id"]  # it is the column "id"
    return described


def _columns(chunks: Sequence[Chunk]) -> list[pa.Array]:
    """The columns of the chunks, in the order of the schema."""
    pa = require_pyarrow()
    rows = [list(_row(chunk)) for chunk in chunks]
    fields = _own_fields()
    columns = zip(*rows, strict=True) if rows else iter([()] * len(fields))
    return [_array(pa, column, field.type) for column, field in zip(columns, fields, strict=True)]


def _row(chunk: Chunk) -> Iterator[Any]:
    yield from (chunk.id, chunk.source, chunk.text, chunk.context, chunk.embed_text, chunk.size)
    yield [parsable(name) for name in chunk.path]
    yield from _metadata(chunk).values()
    yield [
        {"id": one.id, "kind": one.kind, "symbol": parsable(one.symbol), "text": parsable(one.text)}
        for one in chunk.entries
    ]
    yield [
        {"code": one.code, "message": parsable(one.message), "start": one.start, "end": one.end}
        for one in chunk.problems
    ]


def _array(pa: Any, values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    try:
        return pa.array(values, kind)
    except UnicodeEncodeError:
        return pa.array([parsable(value) for value in values], kind)


def _strings(data: pa.Table | pa.RecordBatch, setting: str, name: object) -> pa.ChunkedArray:
    """A column of texts, however they are stored."""
    pa = require_pyarrow()
    column = _column(data, setting, name)
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    if not (is_text or pa.types.is_null(kind) or pa.types.is_string_view(kind)):
        raise ConfigurationError(
            f"{setting} {name!r} must hold strings, got {column.type}: decode or cast it first"
        )
    return column


def _column(data: pa.Table | pa.RecordBatch, setting: str, name: object) -> Any:
    names = data.schema.names
    if not isinstance(name, str) or names.count(name) != 1:
        raise ConfigurationError(
            f"{setting} must name one column of {', '.join(names) or 'a table without any'}, "
            f"got {shown(name)}" + (", or None" if setting == "path_column" else "")
        )
    return data.column(name)


def _kept(data: pa.Table | pa.RecordBatch, keep: Sequence[str]) -> list[pa.Field]:
    own = {field.name for field in _own_fields()}
    if isinstance(keep, str):
        raise ConfigurationError(f"keep must be several names, such as [{keep!r}]")
    for name in keep:
        _column(data, "keep", name)
        if name in own or list(keep).count(name) > 1:
            raise ConfigurationError(
                f"keep must not name a column twice, nor {name!r}, which every chunk has: rename it"
                if name in own
                else f"keep must not name a column twice, got {name!r}"
            )
    return [data.schema.field(name) for name in keep]


def _in_one_piece(column: Any) -> Any:
    pa = require_pyarrow()
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def _joined(batches: Sequence[pa.RecordBatch], schema: pa.Schema) -> pa.RecordBatch:
    pa = require_pyarrow()
    if len(batches) == 1:
        return batches[0]
    table = pa.Table.from_batches(batches, schema=schema)
    columns = [_in_one_piece(column) for column in table.columns]
    return pa.record_batch(columns, schema=schema)
