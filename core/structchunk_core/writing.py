"""Writing the output of a command: a file is complete or as it was, never half written."""

from __future__ import annotations

import io
import json
import os
import secrets
import shutil
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from structchunk_core.arrow import chunk_batch
from structchunk_core.batch import ChunkedFile, UnchangedFile
from structchunk_core.chunks import Chunk
from structchunk_core.errors import ConfigurationError
from structchunk_core.files import said
from structchunk_core.parquet import ParquetOutput, ipc_stream
from structchunk_core.report import Summary, summary_of

STANDARD_OUTPUT = Path("-")

_BUFFER = 1 << 16
_OUTPUT_ENDINGS = frozenset({".json", ".jsonl", ".parquet"})
_JSON_ESCAPES = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}


class WriteError(Exception):
    """The output cannot be written; the message is what the system said.

    Attributes:
        is_usage: whether it never could have been: the path is wrong.
    """

    def __init__(self, reason: str, *, is_usage: bool = False) -> None:
        super().__init__(reason)
        self.is_usage = is_usage


def json_line(chunk: Chunk) -> bytes:
    r"""The chunk as one line of JSON in UTF-8, line end included.

    It is one line to every reader: what some take for a line end (U+0085, U+2028, U+2029) is
    escaped. So are lone surrogates, which UTF-8 cannot hold.
    """
    line = json.dumps(chunk.record(), ensure_ascii=False)
    # "backslashreplace" writes a surrogate as \\udcff, which is how JSON writes it as well.
    return (line.translate(_JSON_ESCAPES) + "\n").encode("utf-8", "backslashreplace")


@dataclass(frozen=True, slots=True)
class Written:
    """What is left of the chunks of a file: what is written of them, and their totals."""

    data: bytes
    summary: Summary


@dataclass(frozen=True, slots=True)
class AsLines:
    """Makes lines of JSON of the chunks of a file. Picklable: workers do it.

    Attributes:
        writes: whether the lines are wanted.
        counts: whether the totals are.
    """

    writes: bool
    counts: bool

    def __call__(self, chunks: Sequence[Chunk]) -> Written:
        return Written(
            b"".join(map(json_line, chunks)) if self.writes else b"",
            summary_of(chunks) if self.counts else Summary(),
        )


@dataclass(frozen=True, slots=True)
class AsArrow:
    """Makes an Arrow IPC stream of the chunks of a file, or nothing of none. Picklable.

    Attributes:
        counts: whether the totals are wanted.
    """

    counts: bool

    def __call__(self, chunks: Sequence[Chunk]) -> Written:
        return Written(
            ipc_stream(chunk_batch(chunks)) if chunks else b"",
            summary_of(chunks) if self.counts else Summary(),
        )


def is_parquet(output: Path) -> bool:
    """Whether the output is a Parquet file, by its name."""
    return output.suffix.lower() == ".parquet"


def check_output(output: Path, paths: Sequence[Path]) -> None:
    """Check that the output replaces none of the files that are chunked.

    In a chunked folder, an existing file must look like the output of an earlier run.

    Raises:
        ConfigurationError: it would replace something else.
    """
    status = _status_or_none(output)
    if status is None or not stat.S_ISREG(status.st_mode):
        return
    if any(path.is_file() and path.samefile(output) for path in paths):
        raise ConfigurationError(
            f"the output must be another file than those that are chunked, got {output}: its "
            "content would be lost"
        )
    target = output.resolve()
    if status.st_size == 0 or target.suffix.lower() in _OUTPUT_ENDINGS:
        return
    folders = [path for path in paths if path.is_dir()]
    if any(parent.samefile(folder) for folder in folders for parent in target.parents):
        raise ConfigurationError(
            f"the output {output} is a file in a folder that is chunked, and its content would be "
            "lost: name a file that does not exist yet, or one that ends in .jsonl or .parquet"
        )


class Sink(Protocol):
    """Where the output goes, file by file."""

    def write(self, done: ChunkedFile[Written]) -> object: ...

    def copy(self, same: UnchangedFile) -> Summary:
        """Take over what an earlier run wrote for a file, and its totals."""


@dataclass(frozen=True, slots=True)
class _Stream:
    """A sink that begins with nothing."""

    stream: Callable[[bytes], object]

    def write(self, done: ChunkedFile[Written]) -> object:
        return self.stream(done.result.data)

    def copy(self, same: UnchangedFile) -> Summary:
        raise AssertionError(f"{same.name} is not known")


@contextmanager
def written(output: Path | None, beside: Path | None) -> Iterator[Sink]:
    """Where the output goes.

    Args:
        output: None for nowhere, ``-`` for standard output, a device or pipe, or a file, which
            is replaced when all is written. A file that ends in ``.parquet`` takes what
            :class:`AsArrow` makes, all others lines.
        beside: the file that is written meanwhile, see :func:`unfinished`.

    Raises:
        WriteError: the system refuses. What it refuses about standard output stays an OSError.
    """
    if output is None:
        yield _Stream(lambda _data: None)
    elif output == STANDARD_OUTPUT:
        if sys.stdout is None:  # the process was started with it closed
            raise WriteError("standard output is closed")
        stream = sys.stdout.buffer
        yield _Stream(stream.write)
        stream.flush()
    elif beside is None:
        with opened(output, "wb") as file:
            yield _Stream(file.write)
    else:
        with replacing(output, beside) as file:
            if is_parquet(output):
                parquet = ParquetOutput(file)
                yield _Stream(parquet.write)
                parquet.finish()
            else:
                yield _Stream(file.write)


def unfinished(output: Path | None) -> Path | None:
    """A file that nobody else has, beside the output, to be written in its place until complete.

    None when the output is no regular file, nor will be one.
    """
    if output is None or output == STANDARD_OUTPUT:
        return None
    status = _status_or_none(output)
    if status is not None and not stat.S_ISREG(status.st_mode):  # a device, a pipe, a folder
        return None
    return output.resolve().with_name(f".structchunk-{secrets.token_hex(8)}.part")


@contextmanager
def replacing(output: Path, beside: Path) -> Iterator[io.BufferedWriter]:
    """A new file, which takes the place of the output when it is complete.

    Raises:
        WriteError: the system refuses to write.
    """
    target = output.resolve()
    if not target.parent.is_dir():
        raise WriteError(f"there is no folder {target.parent}", is_usage=True)
    file = opened(beside, "xb")
    try:
        with file:
            yield file
        put_in_place(beside, target)
    finally:
        beside.unlink(missing_ok=True)


def put_in_place(beside: Path, target: Path) -> None:
    """Let a complete file take the place of another, with its permissions.

    Raises:
        WriteError: the system refuses.
    """
    try:
        if target.exists():
            shutil.copymode(target, beside)
        beside.replace(target)
    except OSError as error:
        raise WriteError(said(error)) from error


class _File(io.FileIO):
    """A file whose refusals are told from all other errors of the system."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            raise WriteError(said(error)) from error

    def close(self) -> None:
        try:
            super().close()
        except OSError as error:
            raise WriteError(said(error)) from error


def opened(file: Path, mode: str) -> io.BufferedWriter:
    """The file, open for writing; what it refuses later is a :class:`WriteError` too."""
    try:
        return io.BufferedWriter(_File(file, mode), _BUFFER)
    except OSError as error:
        raise WriteError(said(error), is_usage=True) from error


def _status_or_none(file: Path) -> os.stat_result | None:
    try:
        return file.stat()
    except OSError:
        return None
