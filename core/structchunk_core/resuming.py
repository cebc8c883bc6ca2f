"""Outputs that a later run takes over what has not changed from, also when the run was cut short.

Beside the output stands its manifest, one line for each file: the digest of its content, where its
chunks are in the output, and a digest of them. A run writes into a part file of its own with a
manifest that grows with it, and puts both in place when it is complete. A run that is cut short
leaves its part behind; the next one takes from every part, and from the output, whatever its
manifest tells and its digest confirms. So what is half written, or does not belong together, is
made again, and no order of writes has to be relied upon.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from structchunk_core.arrow import chunk_schema
from structchunk_core.batch import ChunkedFile, UnchangedFile
from structchunk_core.chunker import Chunker
from structchunk_core.chunks import Chunk
from structchunk_core.parquet import ParquetInput, ParquetOutput
from structchunk_core.report import SplitDefinition, Summary
from structchunk_core.unit import Span
from structchunk_core.writing import (
    WriteError,
    Written,
    is_parquet,
    opened,
    put_in_place,
    replacing,
    unfinished,
)

_VERSION = 1
_BYTES, _ROWS = "bytes", "rows"


@dataclass(frozen=True, slots=True)
class _Entry:
    """What was written for a file.

    Attributes:
        name: the file.
        content: the digest of its bytes.
        start: where its chunks begin, in bytes of a part or of lines, or in rows of Parquet.
        length: how much they are, in the same unit.
        digest: of these bytes.
        summary: their totals.
    """

    name: str
    content: str
    start: int
    length: int
    digest: str
    summary: Summary


class ResumableOutput:
    """A sink for a file that is taken up where earlier runs of the same settings left it.

    Args:
        output: the file; no device or pipe.
        fingerprint: of all that chunks depend on but the files. What was made under another one
            is not used.

    Raises:
        WriteError: the part cannot be written.
    """

    def __init__(self, output: Path, fingerprint: str) -> None:
        self._target = output.resolve()
        if not self._target.parent.is_dir():
            raise WriteError(f"there is no folder {self._target.parent}", is_usage=True)
        self._fingerprint = fingerprint
        self._manifest = manifest_of(output)
        self._old_parts = sorted(_parts(output), key=_number)
        last = _number(self._old_parts[-1]) if self._old_parts else 0
        self._part = _part(self._target, last + 1)
        self._key = secrets.token_hex(8)
        self._position = 0
        self._entries: list[_Entry] = []
        self._open = ExitStack()
        self._earlier = [
            one
            for place, manifest in (
                *((part, _journal(part)) for part in reversed(self._old_parts)),
                (self._target, self._manifest),
            )
            if (one := _earlier_or_none(place, manifest, fingerprint)) is not None
        ]
        for one in self._earlier:
            self._open.callback(one.store.close)
        self._file = self._open.enter_context(opened(self._part, "wb"))
        self._journal = self._open.enter_context(opened(_journal(self._part), "wb"))
        self._note(_header(fingerprint, _BYTES, self._key))

    @property
    def known(self) -> Mapping[str, str]:
        """The contents of the files whose chunks can be taken over, by name."""
        return _Known(self._earlier)

    def write(self, done: ChunkedFile[Written]) -> None:
        """Add the chunks of a file."""
        self._add(done.name, done.content, done.result.data, done.result.summary)

    def copy(self, same: UnchangedFile) -> Summary:
        """Take over the chunks of a file that is ``known``; their totals."""
        for one in self._earlier:
            entry = one.entries.get(same.name)
            data = None if entry is None else one.data_or_none(entry)
            if entry is not None and data is not None:
                self._add(same.name, entry.content, data, entry.summary)
                return entry.summary
        raise WriteError(f"the earlier output has changed meanwhile, at {same.name}")

    def _add(self, name: str, content: str, data: bytes, summary: Summary) -> None:
        entry = _Entry(name, content, self._position, len(data), _digest(data), summary)
        self._file.write(data)
        self._file.flush()  # the manifest shall not run ahead of what it tells of
        self._note(_line(entry))
        self._position += len(data)
        self._entries.append(entry)

    def _note(self, line: dict[str, Any]) -> None:
        self._journal.write(json.dumps(line).encode() + b"\n")
        self._journal.flush()

    def finish(self) -> None:
        """Put the output and its manifest in place; the parts go.

        Raises:
            WriteError: the system refuses.
        """
        self._file.flush()
        if is_parquet(self._target):
            self._finish_parquet()
            self._open.close()
        else:
            self._open.close()
            put_in_place(self._part, self._target)
            put_in_place(_journal(self._part), self._manifest)
        for part in (*self._old_parts, self._part):
            for left in (part, _journal(part)):
                with suppress(OSError):
                    left.unlink(missing_ok=True)

    def close(self) -> None:
        """Close what is open. Without :meth:`finish`, the part stays for the next run."""
        self._open.close()

    def _finish_parquet(self) -> None:
        beside = unfinished(self._target)
        assert beside is not None
        rows = []
        with replacing(self._target, beside) as file, self._part.open("rb") as part:
            parquet = ParquetOutput(file, self._key)
            position = 0
            for entry in self._entries:
                count = parquet.write(part.read(entry.length))
                rows.append(replace(entry, start=position, length=count, digest=""))
                position += count
            parquet.finish()
        beside = unfinished(self._manifest)
        assert beside is not None
        with replacing(self._manifest, beside) as file:
            for line in (_header(self._fingerprint, _ROWS, self._key), *map(_line, rows)):
                file.write(json.dumps(line).encode() + b"\n")


@contextmanager
def resumed(output: Path, fingerprint: str) -> Iterator[ResumableOutput]:
    """A sink that is finished when the block ends well, and left for the next run otherwise.

    Raises:
        WriteError: the output cannot be written.
    """
    sink = ResumableOutput(output, fingerprint)
    try:
        yield sink
        sink.finish()
    finally:
        sink.close()


def rules_of(chunker: Chunker, format: str | None, language: str | None, output: Path) -> str:
    """A digest of all that an output depends on but the files: settings, and what is kept."""
    nothing = Chunk("", Span(0, 0), "")
    kept = (
        [(field.name, str(field.type)) for field in chunk_schema()]
        if is_parquet(output)
        else [*nothing.record(), *nothing.metadata()]
    )
    rules = (chunker.fingerprint, format, language, kept)
    return _digest(repr(rules).encode())


def manifest_of(output: Path) -> Path:
    """The manifest of an output, which stands beside it."""
    target = output.resolve()
    return target.with_name(f"{target.name}.manifest")


def files_of_run(output: Path) -> list[Path]:
    """Every file beside the output that earlier runs have left or the next will write."""
    parts = _parts(output)
    last = max(map(_number, parts), default=0)
    parts.append(_part(output.resolve(), last + 1))
    return [manifest_of(output), *parts, *map(_journal, parts)]


def _parts(output: Path) -> list[Path]:
    """The parts that runs have left which were cut short."""
    target = output.resolve()
    prefix = f".{target.name}.part-"
    try:
        found = list(target.parent.iterdir())
    except OSError:  # nor can anything be written there, which is told then
        return []
    return [path for path in found if path.name.startswith(prefix) and _number(path) > 0]


def _part(target: Path, number: int) -> Path:
    return target.with_name(f".{target.name}.part-{number}")


def _number(part: Path) -> int:
    digits = part.name.rpartition("-")[2]
    return int(digits) if digits.isdecimal() else 0


def _journal(part: Path) -> Path:
    return part.with_name(f"{part.name}.manifest")


class _Store(Protocol):
    """Where the chunks of an earlier run are."""

    def read(self, entry: _Entry) -> bytes:
        """Raises OSError or ValueError when they are not there."""

    def close(self) -> None: ...


class _ByteStore:
    """Chunks as bytes of a file."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb")

    def read(self, entry: _Entry) -> bytes:
        self._file.seek(entry.start)
        data = self._file.read(entry.length)
        if _digest(data) != entry.digest:
            raise ValueError("these are not the bytes that were written")
        return data

    def close(self) -> None:
        self._file.close()


class _RowStore:
    """Chunks as rows of a Parquet file."""

    def __init__(self, path: Path, key: str) -> None:
        self._file = ParquetInput(path, key)

    def read(self, entry: _Entry) -> bytes:
        return self._file.rows(entry.start, entry.length)

    def close(self) -> None:
        self._file.close()


@dataclass(frozen=True, slots=True)
class _Earlier:
    """An output or part of an earlier run, and what its manifest tells of it."""

    store: _Store
    entries: Mapping[str, _Entry]

    def data_or_none(self, entry: _Entry) -> bytes | None:
        """The chunks, if they are still as they were written."""
        try:
            return self.store.read(entry)
        except (OSError, ValueError):  # of pyarrow too
            return None


class _Known(Mapping[str, str]):
    """What can be taken over, looked at when it is asked for."""

    def __init__(self, earlier: list[_Earlier]) -> None:
        self._earlier = earlier

    def __getitem__(self, name: str) -> str:
        for one in self._earlier:
            entry = one.entries.get(name)
            if entry is not None and one.data_or_none(entry) is not None:
                return entry.content
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter({name for one in self._earlier for name in one.entries})

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _header(fingerprint: str, unit: str, key: str) -> dict[str, Any]:
    return {"structchunk": _VERSION, "fingerprint": fingerprint, "unit": unit, "key": key}


def _earlier_or_none(place: Path, manifest: Path, fingerprint: str) -> _Earlier | None:
    """What an earlier run has left, if it was made by the same rules and can be read."""
    try:
        with manifest.open("rb") as lines:
            header = json.loads(lines.readline())
            unit, key = header.get("unit"), str(header.get("key"))
            if header != _header(fingerprint, unit, key) or unit not in {_BYTES, _ROWS}:
                return None
            entries = {}
            for line in lines:
                with suppress(ValueError, TypeError, KeyError):  # the last one may be torn
                    entry = _entry(json.loads(line))
                    entries[entry.name] = entry
        return _Earlier(_RowStore(place, key) if unit == _ROWS else _ByteStore(place), entries)
    except (OSError, ValueError, AttributeError):  # of pyarrow too; or no manifest of ours
        return None


def _line(entry: _Entry) -> dict[str, Any]:
    summary = asdict(replace(entry.summary, problems=Counter()))  # it cannot copy a Counter
    summary["problems"] = dict(entry.summary.problems)
    return asdict(replace(entry, summary=Summary())) | {"summary": summary}


def _entry(line: dict[str, Any]) -> _Entry:
    summary = line["summary"]
    split = tuple(SplitDefinition(**one) for one in summary["split"])
    told = {"split": split, "problems": Counter(summary["problems"])}
    return _Entry(**line | {"summary": Summary(**summary | told)})


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()
