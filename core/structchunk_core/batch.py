"""Chunking many files: in this process or in several, one bad file costing only itself."""

from __future__ import annotations

import hashlib
import math
import traceback
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, Generic, TypeVar, overload

from structchunk_core.adapting import check_route
from structchunk_core.chunker import Chunker
from structchunk_core.chunks import Chunk
from structchunk_core.errors import ConfigurationError, StructchunkError
from structchunk_core.files import (
    FoundFile,
    NotTextError,
    Skipped,
    Unreadable,
    decode,
    iter_files,
    read_bytes,
    read_text,
    said,
)
from structchunk_core.settings import check_integer, path_text, shown
from structchunk_core.workers import Known, Lost, work_through

__all__ = [
    "ChunkedFile",
    "FailedFile",
    "FoundFile",
    "NotTextError",
    "Skipped",
    "UnchangedFile",
    "Unreadable",
    "chunk_files",
    "iter_files",
    "read_text",
]

FILE_SECONDS = 300.0

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class ChunkedFile(Generic[Result]):
    """A file that was chunked.

    Attributes:
        found: the file.
        content: a digest of its bytes (BLAKE2b, 128 bits, as hexadecimal digits).
        result: its chunks in order, or what ``convert`` made of them. An empty file has none.
    """

    found: FoundFile
    content: str
    result: Result

    @property
    def name(self) -> str:
        """The name of the file, as that of all other outcomes."""
        return self.found.name


@dataclass(frozen=True, slots=True)
class UnchangedFile:
    """A file that is as it was in an earlier run, and was not chunked again."""

    found: FoundFile

    @property
    def name(self) -> str:
        """The name of the file, as that of all other outcomes."""
        return self.found.name


@dataclass(frozen=True, slots=True)
class FailedFile:
    """A file that could not be chunked, and why: its process was lost twice, or a defect of ours.

    Attributes:
        name: as of what is found.
        reason: what happened, in one line.
        details: the traceback of a defect, or ``""``.
    """

    name: str
    reason: str
    details: str = field(default="", compare=False)


Outcome = ChunkedFile[Result] | UnchangedFile | FailedFile | Skipped | Unreadable


@overload
def chunk_files(
    paths: Iterable[str | PathLike[str]],
    *,
    chunker: Chunker | None = None,
    workers: int | None = None,
    file_seconds: float = FILE_SECONDS,
    format: str | None = None,
    language: str | None = None,
    convert: None = None,
    known: Mapping[str, str] | None = None,
    exclude: Collection[Path] = (),
) -> Generator[Outcome[list[Chunk]], None, None]: ...


@overload
def chunk_files(
    paths: Iterable[str | PathLike[str]],
    *,
    chunker: Chunker | None = None,
    workers: int | None = None,
    file_seconds: float = FILE_SECONDS,
    format: str | None = None,
    language: str | None = None,
    convert: Callable[[list[Chunk]], Result],
    known: Mapping[str, str] | None = None,
    exclude: Collection[Path] = (),
) -> Generator[Outcome[Result], None, None]: ...


def chunk_files(
    paths: Iterable[str | PathLike[str]],
    *,
    chunker: Chunker | None = None,
    workers: int | None = None,
    file_seconds: float = FILE_SECONDS,
    format: str | None = None,
    language: str | None = None,
    convert: Callable[[list[Chunk]], Any] | None = None,
    known: Mapping[str, str] | None = None,
    exclude: Collection[Path] = (),
) -> Generator[Outcome[Any], None, None]:
    """The chunks of each file in the paths, file by file, as soon as they are there.

    What comes and in which order depends on the files alone, not on the number of workers:
    everything that :func:`iter_files` finds has one outcome, in its place. Files are found,
    chunked and held in memory only as far as the results are taken.

    With workers, a file that crashes its process, fills the memory or does not end in time is
    tried once more while nothing else runs, and then comes as a :class:`FailedFile`; the other
    files are not touched by it. Each worker imports the main module of the program, as those of
    :mod:`multiprocessing` do: a script has to stand under ``if __name__ == "__main__":``. Closing
    the iterator, or an interrupt, ends the workers at once.

    Args:
        paths: files and folders, searched as :func:`iter_files` does.
        chunker: how to chunk; None means ``Chunker()``.
        workers: how many processes; None means none, but this one.
        file_seconds: how long a worker may take for a file, by the clock.
        format: of every file, as for :meth:`Chunker.chunk`; None: told from each.
        language: of every file, as there.
        convert: a function that makes of the chunks of a file what shall come instead of them.
            It is called in the worker, so that only its result has to be sent.
        known: names of files and the ``content`` they had in an earlier run of these settings
            (``Chunker.fingerprint``). Those that still have it are not chunked.
        exclude: files to pass over without a word.

    Raises:
        ConfigurationError: a setting is wrong, or cannot be sent to workers.
        MissingDependencyError: as for :meth:`Chunker.chunk`.
        WorkerError: workers cannot be started.
    """
    chunker = chunker or Chunker()
    language, format = check_route(chunker, language, format)
    if workers is not None:
        check_integer("workers", workers, 1, "processes")
    if isinstance(paths, str | PathLike):
        raise ConfigurationError(f"paths must be several, such as [{paths!r}], got {shown(paths)}")
    is_number = isinstance(file_seconds, int | float) and not isinstance(file_seconds, bool)
    if not is_number or not 0 < file_seconds < math.inf:
        raise ConfigurationError(
            f"file_seconds must be a positive, finite number of seconds, got {shown(file_seconds)}"
        )
    work = _FileWork(chunker, format, language, convert)
    found = iter_files([Path(path_text(path)) for path in paths], exclude=exclude)
    return _outcomes(work, found, workers, file_seconds, known or {})


def _outcomes(
    work: _FileWork,
    found: Iterable[FoundFile | Skipped | Unreadable],
    workers: int | None,
    seconds: float,
    known: Mapping[str, str],
) -> Generator[Outcome[Any], None, None]:
    if workers is None:
        for one in found:
            yield work(_Task(one, known.get(one.name))) if isinstance(one, FoundFile) else one
        return
    tasks: Iterator[_Task | Known[Outcome[Any]]] = (
        _Task(one, known.get(one.name)) if isinstance(one, FoundFile) else Known(one)
        for one in found
    )
    for outcome in work_through(work, tasks, workers=workers, seconds=seconds):
        yield (
            FailedFile(outcome.task.found.name, outcome.reason)
            if isinstance(outcome, Lost)
            else outcome
        )


@dataclass(frozen=True, slots=True)
class _Task:
    """A file, and the content it had when it was chunked last."""

    found: FoundFile
    known: str | None


@dataclass(frozen=True, slots=True)
class _FileWork:
    """What is done with each file, here or in a worker."""

    chunker: Chunker
    format: str | None
    language: str | None
    convert: Callable[[list[Chunk]], Any] | None

    def __call__(self, task: _Task) -> Outcome[Any]:
        found = task.found
        try:
            data = read_bytes(found.file)
            content = hashlib.blake2b(data, digest_size=16).hexdigest()
            if content == task.known:
                return UnchangedFile(found)
            decoded = decode(data)
        except NotTextError as error:
            return Skipped(found.name, str(error))
        except OSError as error:
            return Unreadable(found.name, said(error))
        del data
        try:
            chunks = self.chunker.chunk(
                decoded.text,
                path=found.name,
                format=self.format,
                language=self.language,
                problems=decoded.problems,
            )
            return ChunkedFile(found, content, self.convert(chunks) if self.convert else chunks)
        except (StructchunkError, MemoryError):
            raise  # wrong settings; and where memory is short, a worker had better end
        except Exception as error:  # noqa: BLE001  # a defect costs the file, and is reported
            return _failed(found, error)


def _failed(found: FoundFile, error: Exception) -> FailedFile:
    last = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(last.filename).name}:{last.lineno}"
    reason = " ".join(f"{type(error).__name__}: {error} ({where})".split())
    return FailedFile(found.name, reason, "".join(traceback.format_exception(error)))
