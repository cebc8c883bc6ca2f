"""Findings as SARIF 2.1.0, which code hosts and editors show at their lines."""

from __future__ import annotations

import os
from collections.abc import Iterable
from urllib.parse import quote

from structchunk_core.auditing.findings import Finding
from structchunk_core.auditing.rules import RULES

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif_of(findings: Iterable[Finding], splitter: str) -> dict[str, object]:
    """One run of the audit as a SARIF log.

    Findings of rules that chunks of this package never break are errors, all others notes.

    Args:
        findings: what was found; their paths, relative, become addresses.
        splitter: what made the chunks.
    """
    numbers = {name: number for number, name in enumerate(RULES)}
    rules = [
        {
            "id": rule.id,
            "shortDescription": {"text": rule.finds},
            "fullDescription": {"text": f"{rule.finds}: {rule.loss}"},
            "defaultConfiguration": {"level": "error" if rule.promise else "note"},
        }
        for rule in RULES.values()
    ]
    results = [
        {
            "ruleId": finding.rule,
            "ruleIndex": numbers[finding.rule],
            "level": "error" if finding.breaks_promise else "note",
            "message": {"text": f"{finding.message}: {finding.loss}"},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": quote(os.fsencode(finding.path))},
                        "region": {"startLine": finding.line},
                    }
                }
            ],
        }
        for finding in findings
    ]
    driver = {"name": f"structchunk audit of {splitter}", "rules": rules}
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }
