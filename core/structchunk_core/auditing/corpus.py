"""Auditing many documents: with a splitter, or with chunks that were made elsewhere."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from structchunk_core.audit import audit
from structchunk_core.auditing.findings import AuditReport, Finding, Tally, tally_of
from structchunk_core.batch import FoundFile, NotTextError, read_text
from structchunk_core.chunker import Chunker
from structchunk_core.errors import ConfigurationError, StructchunkError

Seen = Callable[[str, "Sequence[object]", AuditReport], None]
"""What is called with a document's text, its chunks and the report on them."""

_SOURCE_KEYS = ("source", "file_path", "path", "filename", "file_name")


@dataclass(slots=True)
class CorpusReport:
    """What was found in the chunks of many documents.

    Attributes:
        splitter: what made the chunks.
        chunk_size: the budget.
        unit: what it is measured in, in the plural.
        tally: the totals.
        findings: those of all documents, in their order.
        refused: the documents that the splitter raised an error about, and the error.
        unreadable: the documents that could not be read, and why.
        without_chunks: how many documents there are no chunks of, where these came from a file.
    """

    splitter: str
    chunk_size: int
    unit: str
    tally: Tally = field(default_factory=Tally)
    findings: list[Finding] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)
    unreadable: list[tuple[str, str]] = field(default_factory=list)
    without_chunks: int = 0

    def record(self) -> dict[str, object]:
        """The report as one JSON object."""
        return {
            "splitter": self.splitter,
            "chunk_size": self.chunk_size,
            "unit": self.unit,
            "files": self.tally.files,
            "chunks": self.tally.chunks,
            "fill": round(self.tally.fill, 4),
            "counts": dict(sorted(self.tally.counts.items())),
            "refused": [{"path": path, "error": error} for path, error in self.refused],
            "findings": [finding.record() for finding in self.findings],
        }


def audit_files(
    files: Iterable[FoundFile],
    chunks_of: Callable[[str, FoundFile], Sequence[object] | None],
    splitter: str,
    budget: Chunker,
    *,
    format: str | None = None,
    language: str | None = None,
    seen: Seen | None = None,
) -> CorpusReport:
    """The report on all files.

    Args:
        files: the documents.
        chunks_of: from the text of a document and its file to its chunks, or None for none known.
        splitter: what makes the chunks.
        budget: whose ``chunk_size`` and tokenizer are the budget.
        format: the format of every document, where names do not tell.
        language: its language.
        seen: is called with the text of each document, its chunks and the report on it.
    """
    unit = audit("", (), chunker=budget).unit
    report = CorpusReport(splitter, budget.chunk_size, unit)
    for found in files:
        try:
            text = read_text(found.file).text
        except (OSError, NotTextError) as error:
            if not isinstance(error, NotTextError):
                report.unreadable.append((found.name, str(error)))
            continue
        try:
            chunks = chunks_of(text, found)
        except StructchunkError:
            raise
        except Exception as error:  # noqa: BLE001  # whatever a splitter trips over is told
            report.refused.append((found.name, f"{type(error).__name__}: {error}"))
            continue
        if chunks is None:
            report.without_chunks += 1
            continue
        one = audit(text, chunks, path=found.name, format=format, language=language, chunker=budget)
        report.tally += tally_of(one)
        report.findings += one.findings
        if seen is not None:
            seen(text, chunks, one)
    return report


class ChunksOfFile:
    """Chunks that were made elsewhere, one JSON object on each line, by the document they are of.

    Args:
        file: the lines; each has a text (``text``, ``page_content``, ``content``) and names its
            document (``source``, ``file_path``, ``path``), itself or in its ``metadata``.

    Raises:
        ConfigurationError: a line is no JSON object, or names no document.
        OSError: the file cannot be read.
    """

    def __init__(self, file: Path) -> None:
        self._by_name: dict[str, list[Mapping[str, Any]]] = {}
        for number, record in _records(file):
            name = _document_or_none(record)
            if name is None:
                raise ConfigurationError(
                    f"{file}, line {number}: a chunk must name its document under one of "
                    f"{', '.join(_SOURCE_KEYS)}, itself or in its metadata"
                )
            self._by_name.setdefault(_plain(name), []).append(record)

    def of(self, found: FoundFile) -> Sequence[object] | None:
        """The chunks of a file, by its name below the folder or by its path; None for none."""
        for name in (found.name, str(found.file), str(found.file.resolve())):
            chunks = self._by_name.get(_plain(name))
            if chunks is not None:
                return chunks
        return None


def _records(file: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    with file.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except ValueError as error:
                raise ConfigurationError(f"{file}, line {number} is no JSON: {error}") from error
            if not isinstance(record, dict):
                raise ConfigurationError(f"{file}, line {number} is no JSON object")
            yield number, record


def _document_or_none(record: Mapping[str, Any]) -> str | None:
    metadata = record.get("metadata")
    for place in (record, metadata if isinstance(metadata, Mapping) else {}):
        for key in _SOURCE_KEYS:
            value = place.get(key)
            if isinstance(value, str) and value:
                return value
    return None


def _plain(name: str) -> str:
    return name.replace("\\", "/").removeprefix("./")
