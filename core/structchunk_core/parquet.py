"""Chunks as a Parquet file, written as they come and read back by rows. Needs the extra ``arrow``.

Until they are written, chunks travel as Arrow IPC streams: bytes that hold a batch and its schema.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from structchunk_core.arrow import chunk_schema

_ROW_GROUP = 64 << 20  # bytes of Arrow data that are held until they are written
_KEY = b"structchunk"


def ipc_stream(batch: Any) -> bytes:
    """A record batch as an Arrow IPC stream."""
    import pyarrow as pa

    buffer = pa.BufferOutputStream()
    with pa.ipc.new_stream(buffer, batch.schema) as writer:
        writer.write_batch(batch)
    return buffer.getvalue().to_pybytes()  # type: ignore[no-any-return]


class ParquetOutput:
    """Writes batches into an open file, in row groups of tens of megabytes.

    Args:
        file: it stays open.
        key: a mark by which :class:`ParquetInput` knows the file.
    """

    def __init__(self, file: BinaryIO, key: str = "") -> None:
        import pyarrow.parquet

        schema = chunk_schema().with_metadata({_KEY: key.encode()})
        self._writer = pyarrow.parquet.ParquetWriter(file, schema, compression="zstd")
        self._schema = schema
        self._held: list[Any] = []
        self._bytes = 0

    def write(self, stream: bytes) -> int:
        """Add the rows of an IPC stream, or of no bytes; how many they are."""
        batches = list(_batches(stream))
        self._held += batches
        self._bytes += sum(batch.nbytes for batch in batches)
        if self._bytes >= _ROW_GROUP:
            self._flush()
        return sum(batch.num_rows for batch in batches)

    def finish(self) -> None:
        """Write what is left, and the footer, without which the file is none."""
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        import pyarrow as pa

        if self._held:
            table = pa.Table.from_batches(self._held).replace_schema_metadata(self._schema.metadata)
            self._writer.write_table(table, row_group_size=table.num_rows)
        self._held = []
        self._bytes = 0


class ParquetInput:
    """Rows of a Parquet file that was written here; best asked for in their order.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is no Parquet file, or another one than that with the key.
    """

    def __init__(self, path: Path, key: str) -> None:
        import pyarrow.parquet

        self._file = pyarrow.parquet.ParquetFile(path)
        if (self._file.schema_arrow.metadata or {}).get(_KEY) != key.encode():
            self._file.close()
            raise ValueError(f"{path} is not the file with the key {key}")
        groups = range(self._file.num_row_groups)
        self._sizes = [self._file.metadata.row_group(number).num_rows for number in groups]
        self._group = -1
        self._table: Any = None

    def rows(self, start: int, count: int) -> bytes:
        """So many rows from ``start`` on as an IPC stream; no bytes when there are none.

        Raises:
            ValueError: the file has fewer rows.
        """
        import pyarrow as pa

        tables = []
        begin = 0
        for number, size in enumerate(self._sizes):
            first, behind = max(start, begin), min(start + count, begin + size)
            if first < behind:
                if number != self._group:
                    self._group, self._table = number, self._file.read_row_group(number)
                tables.append(self._table.slice(first - begin, behind - first))
            begin += size
        if sum(table.num_rows for table in tables) != count:
            raise ValueError(f"there are no {count} rows from {start} on")
        if not count:
            return b""
        whole = pa.concat_tables(tables).replace_schema_metadata(None).combine_chunks()
        (batch,) = whole.to_batches()
        return ipc_stream(batch)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _batches(stream: bytes) -> Iterator[Any]:
    if stream:
        import pyarrow as pa

        with pa.ipc.open_stream(pa.py_buffer(stream)) as reader:
            yield from reader
