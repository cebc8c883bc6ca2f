"""Auditing: what the chunks of any splitter do to a document."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

import structchunk_core  # its names are loaded when annotations are resolved

if TYPE_CHECKING:
    from structchunk_core.auditing.findings import Finding

_SHOWN = 10


def audit(
    source: str,
    chunks: Iterable[object],
    *,
    path: str | PathLike[str] = "",
    language: str | None = None,
    format: str | None = None,
    chunker: structchunk_core.Chunker | None = None,
    **settings: Any,
) -> structchunk_core.AuditReport:
    """What the chunks of a document lose, tear apart and leave out.

    The document is parsed as :class:`Chunker` would parse it, each chunk is found in it, and every
    rule of :data:`structchunk_core.auditing.rules.RULES` is held against both. Time grows with the
    length of the document and its chunks.

    Args:
        source: the document, as decoded: what the chunks were made from.
        chunks: what a splitter made of it, in its order: strings, chunks of this package,
            LangChain documents, LlamaIndex nodes, or mappings with a ``text``.
        path: its path or name; tells the format, and is named in findings.
        language: the language of source code, when the path does not tell.
        format: the format, when the path does not tell.
        chunker: its ``chunk_size`` and tokenizer are the budget, its grammars and
            ``parse_seconds`` are used to parse.
        settings: those of the chunker, when none is given (``chunk_size=300``).

    Raises:
        ConfigurationError: a setting is wrong, or something among the chunks is no chunk.
        MissingDependencyError: the files of the tokenizer are not installed.
    """
    # Only here: who chunks and never audits does not wait for it.
    from structchunk_core.auditing.audited import Audited
    from structchunk_core.auditing.coverage import check_coverage, check_sizes, check_texts
    from structchunk_core.auditing.findings import AuditReport
    from structchunk_core.auditing.given_chunks import given_chunk
    from structchunk_core.auditing.rules import RULES
    from structchunk_core.auditing.units import check_units
    from structchunk_core.chunker import Chunker
    from structchunk_core.detect import detect
    from structchunk_core.settings import check_format, check_language, path_text
    from structchunk_core.sizing import measure_of
    from structchunk_core.source import Source

    chunker = Chunker(**settings) if chunker is None else chunker
    name = path_text(path)
    parsed = chunker.parse(source, path=name, language=language, format=format)
    found = detect(source, name, language=check_language(language), format=check_format(format))
    document = Source(source, name, found.format, found.language)
    given = [one for one in map(given_chunk, chunks) if not one.is_derived]
    measure = measure_of(chunker.tokenizer, chunker.length_function)
    audited = Audited(document, parsed, given, measure, chunker.chunk_size)
    sizes = check_sizes(audited)
    check_coverage(audited)
    check_texts(audited)
    check_units(audited)
    order = {rule: number for number, rule in enumerate(RULES)}
    findings = sorted(
        audited.findings, key=lambda one: (one.span.start, order[one.rule], one.span.end)
    )
    return AuditReport(
        name,
        document.format,
        document.language,
        chunker.chunk_size,
        measure.unit,
        sizes,
        tuple(audited.span_or_none(number) for number in range(len(given))),
        tuple(findings),
    )


def assert_chunks_whole(
    source: str,
    chunks: Iterable[object],
    *,
    rules: Sequence[str] | None = None,
    path: str | PathLike[str] = "",
    language: str | None = None,
    format: str | None = None,
    chunker: structchunk_core.Chunker | None = None,
    **settings: Any,
) -> None:
    """Assert that chunks keep the rules: for tests of a pipeline, whatever splits in it.

    Arguments as for :func:`audit`.

    Args:
        source: the document.
        chunks: what a splitter made of it.
        rules: the ids of the rules to keep; None means those that chunks of this package always
            keep.
        path: its path or name.
        language: its language.
        format: its format.
        chunker: whose budget counts.
        settings: of the chunker, when none is given.

    Raises:
        AssertionError: a rule is broken; the message names the first places.
        ConfigurationError: as for :func:`audit`, or a rule is unknown.
    """
    from structchunk_core.auditing.rules import PROMISE_RULES, rules_named

    named = rules_named(PROMISE_RULES if rules is None else rules)
    report = audit(
        source,
        chunks,
        path=path,
        language=language,
        format=format,
        chunker=chunker,
        **settings,
    )
    findings = report.of(*named)
    if findings:
        raise AssertionError(_told(findings))


def _told(findings: Sequence[Finding]) -> str:
    lines = [str(finding) for finding in findings[:_SHOWN]]
    if len(findings) > _SHOWN:
        lines.append(f"and {len(findings) - _SHOWN:,} more")
    return "\n".join(("chunks are broken:", *lines))
