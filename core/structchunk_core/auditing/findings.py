"""What an audit comes to: findings, the report on one document, the totals of many."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from structchunk_core.auditing.rules import PROMISE_RULES, RULES
from structchunk_core.unit import Span


@dataclass(frozen=True, slots=True)
class Finding:
    """A place where chunks fall short of a rule.

    Attributes:
        rule: the id of the rule (:data:`structchunk_core.auditing.rules.RULES`).
        path: the document, as it was named, or ``""``.
        line: the 1-based line of the document where it is.
        span: what it is about, in characters of the document, half-open.
        chunk: the number of the chunk that it is about, from 0 in the order given, or -1 when it
            is about none in particular.
        message: what was found, in one sentence.
    """

    rule: str
    path: str
    line: int
    span: Span
    chunk: int
    message: str

    @property
    def loss(self) -> str:
        """What a reader of the chunk loses."""
        return RULES[self.rule].loss

    @property
    def breaks_promise(self) -> bool:
        """Whether the rule is one that chunks of this package never break."""
        return RULES[self.rule].promise > 0

    @property
    def place(self) -> str:
        """Path and line: ``docs/guide.md:12``."""
        return f"{self.path or 'text'}:{self.line}"

    def __str__(self) -> str:
        return f"{self.place}: {self.rule}: {self.message} ({self.loss})"

    def record(self) -> dict[str, object]:
        """The finding as one JSON object."""
        return {
            "rule": self.rule,
            "promise": RULES[self.rule].promise,
            "path": self.path,
            "line": self.line,
            "span": list(self.span),
            "chunk": self.chunk,
            "message": self.message,
            "loss": self.loss,
        }


@dataclass(frozen=True, slots=True)
class AuditReport:
    """What was found in the chunks of one document.

    Attributes:
        path: the document, as it was named, or ``""``.
        format: the format that it was parsed as.
        language: its language, when it is code.
        chunk_size: the budget.
        unit: what budget and sizes are measured in, in the plural: ``tokens``, ``characters``.
        sizes: what is embedded of each chunk measures, in the order given; chunks that are
            derived from the document (profiles of tables) are left out of all that follows.
        spans: where each chunk stands in the document, in characters, half-open; None where its
            text was not found there.
        findings: in the order of the document.
    """

    path: str
    format: str
    language: str
    chunk_size: int
    unit: str
    sizes: tuple[int, ...]
    spans: tuple[Span | None, ...]
    findings: tuple[Finding, ...]

    @property
    def counts(self) -> Counter[str]:
        """How many findings there are of each rule, by id."""
        return Counter(finding.rule for finding in self.findings)

    @property
    def broken(self) -> tuple[Finding, ...]:
        """The findings of rules that chunks of this package never break."""
        return tuple(finding for finding in self.findings if finding.breaks_promise)

    @property
    def fill(self) -> float:
        """What part of the budget an average chunk takes."""
        return sum(self.sizes) / (len(self.sizes) * self.chunk_size) if self.sizes else 0.0

    def of(self, *rules: str) -> tuple[Finding, ...]:
        """The findings of these rules."""
        return tuple(finding for finding in self.findings if finding.rule in rules)


@dataclass(frozen=True, slots=True)
class Tally:
    """Totals over the reports on some documents. Add reports with :func:`tally_of`.

    Attributes:
        files: how many documents were audited.
        chunks: how many chunks they have.
        size: what these measure in all, in the unit of the budget.
        room: what they could measure: their number times the budget.
        counts: how many findings there are of each rule, by id.
    """

    files: int = 0
    chunks: int = 0
    size: int = 0
    room: int = 0
    counts: Counter[str] = field(default_factory=Counter)

    @property
    def fill(self) -> float:
        """What part of the budget an average chunk takes."""
        return self.size / self.room if self.room else 0.0

    @property
    def broken(self) -> int:
        """How many findings are of rules that chunks of this package never break."""
        return sum(self.counts[rule] for rule in PROMISE_RULES)

    def per_thousand(self, rule: str) -> float:
        """Findings of a rule per 1,000 chunks."""
        return 1000 * self.counts[rule] / self.chunks if self.chunks else 0.0

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.files + other.files,
            self.chunks + other.chunks,
            self.size + other.size,
            self.room + other.room,
            self.counts + other.counts,
        )


def tally_of(report: AuditReport) -> Tally:
    """The totals of one document."""
    chunks = len(report.sizes)
    return Tally(1, chunks, sum(report.sizes), chunks * report.chunk_size, report.counts)
