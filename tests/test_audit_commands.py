"""The commands audit, compare and rules."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import structchunk_core.audit_commands  # noqa: F401  # adds its commands
from structchunk_core import Chunker
from structchunk_core.auditing.rules import RULES
from structchunk_core.commands import application
from structchunk_core.writing import json_line
from tests.corpus import ORDERS
from tests.test_viewing import data_of

GUIDE = "# Guide\n\n## Install\n\n```sh\ntar xf shop.tar\ncd shop\n```\n\nThen log in.\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "docs"
    root.mkdir()
    (root / "guide.md").write_text(GUIDE)
    (root / "orders.py").write_text(ORDERS)
    (tmp_path / "halves.py").write_text(
        "def split(text):\n    middle = text.index('cd shop')\n"
        "    return [text[:middle], text[middle:]]\n"
        "def raising(text):\n    raise RuntimeError('no')\n"
    )
    monkeypatch.chdir(tmp_path)
    return root


def invoke(*arguments: object) -> Any:
    return CliRunner().invoke(
        application, [str(argument) for argument in arguments], env={"COLUMNS": "200"}
    )


def test_ours_breaks_nothing(folder: Path) -> None:
    done = invoke("audit", folder, "--chunk-size", 100, "--fail-on", "promises")
    assert done.exit_code == 0, done.output
    count = sum(
        len(Chunker(chunk_size=100).chunk(text, path=path))
        for path, text in (("guide.md", GUIDE), ("orders.py", ORDERS))
    )
    assert f"structchunk: {count} chunks of 2 files" in done.output
    done = invoke("audit", folder / "guide.md", "--chunk-size", 100)
    assert "no chunk breaks a rule" in done.output


def test_findings_are_printed_with_their_lines_and_fail_a_build(folder: Path) -> None:
    arguments = ("audit", folder / "guide.md", "--splitter", "halves:split", "--chunk-size", 100)
    done = invoke(*arguments)
    assert done.exit_code == 0
    assert "guide.md:5  cut-fence  fence measures" in done.output
    assert RULES["cut-fence"].loss in done.output
    assert invoke(*arguments, "--fail-on", "cut-word,lost-text").exit_code == 0
    failed = invoke(*arguments, "--fail-on", "cut-word,cut-fence")
    assert failed.exit_code == 1
    assert "1 finding of rules named by --fail-on" in failed.output
    none = invoke(*arguments, "--examples", 0)
    assert "guide.md:5" not in none.output


def test_reports_for_other_tools(folder: Path, tmp_path: Path) -> None:
    arguments = ("audit", folder / "guide.md", "--splitter", "halves:split", "--chunk-size", 100)
    record = json.loads(invoke(*arguments, "--format", "json").output)
    assert record["chunks"] == 2
    assert record["counts"] == {"cut-fence": 1, "open-fence": 2, "missing-heading": 1}
    assert {finding["line"] for finding in record["findings"]} == {1, 5, 7}
    output = tmp_path / "audit.sarif"
    assert invoke(*arguments, "--format", "sarif", "-o", output).exit_code == 0
    log = json.loads(output.read_text())
    (run,) = log["runs"]
    assert log["version"] == "2.1.0"
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == list(RULES)
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"] == "guide.md"
        assert place["region"]["startLine"] in {1, 5, 7}
    assert {result["level"] for result in run["results"]} == {"error"}
    page = tmp_path / "audit.html"
    assert invoke(*arguments[:1], folder, *arguments[2:], "--format", "html", "-o", page).exit_code
    assert [one["path"] for one in data_of(page.read_text())["documents"]] == ["guide.md"]
    table = tmp_path / "audit.txt"
    assert invoke(*arguments, "-o", table).exit_code == 0
    assert "cut-fence" in table.read_text()


def test_chunks_made_elsewhere_are_found_by_the_file_they_name(
    folder: Path, tmp_path: Path
) -> None:
    lines = tmp_path / "chunks.jsonl"
    ours = Chunker(chunk_size=100).chunk(ORDERS, path="orders.py")
    halves = [
        {"page_content": part, "metadata": {"source": str(folder / "guide.md")}}
        for part in (GUIDE[:40], GUIDE[40:])
    ]
    written = [*(json_line(chunk).decode() for chunk in ours), *map(json.dumps, halves)]
    lines.write_text("\n".join(written))
    done = invoke("audit", folder, "--from-jsonl", lines, "--chunk-size", 100, "--format", "json")
    record = json.loads(done.output)
    assert record["files"] == 2
    assert record["chunks"] == len(ours) + 2
    broken = {finding["path"] for finding in record["findings"] if finding["promise"]}
    assert broken == {"guide.md"}
    lines.write_text("\n".join(written[: len(ours)]))
    done = invoke("audit", folder, "--from-jsonl", lines, "--chunk-size", 100)
    assert "without chunks there: 1 file" in done.output
    for wrong, message in (
        ("{", "line 1 is no JSON"),
        ("[]", "no JSON object"),
        ("{}", "must name"),
    ):
        lines.write_text(wrong)
        done = invoke("audit", folder, "--from-jsonl", lines)
        assert done.exit_code == 2
        assert message in done.output


def test_lines_of_our_own_are_audited_as_the_chunks_that_they_tell_of(
    folder: Path, tmp_path: Path
) -> None:
    """Tables with the same first columns: where a part begins, its prefix says."""
    head, rows = "| a | b |\n|---|---|\n", "".join(f"| row {n} | {n} |\n" for n in range(40))
    (folder / "guide.md").write_text(f"# One\n\n{head}{rows}\n# Two\n\n{head}{rows}")
    lines = tmp_path / "chunks.jsonl"
    assert invoke("chunk", folder, "-o", lines, "--chunk-size", 100).exit_code == 0
    done = invoke(
        "audit", folder, "--from-jsonl", lines, "--chunk-size", 100, "--fail-on", "promises"
    )
    assert done.exit_code == 0, done.output


def test_a_splitter_that_fails_is_told_and_fails(folder: Path) -> None:
    done = invoke("audit", folder, "--splitter", "halves:raising")
    assert done.exit_code == 1
    assert "failed: guide.md: RuntimeError: no" in done.output


def test_wrong_usage_says_so(folder: Path) -> None:
    for arguments, message in (
        (("--fail-on", "cut"), "a rule must be"),
        (("--format", "xml"), "--format must be one of"),
        (("--splitter", "nothing"), "a splitter must be"),
        (("--chunk-size", 1), "at least 8 tokens"),
    ):
        done = invoke("audit", folder, *arguments)
        assert done.exit_code == 2
        assert message in done.output
    (folder / "empty").mkdir()
    assert invoke("audit", folder / "empty").exit_code == 2


def test_compare_sets_splitters_side_by_side(folder: Path) -> None:
    done = invoke("compare", folder, "--chunk-size", 40)
    assert done.exit_code == 0, done.output
    head = next(line for line in done.output.splitlines() if "langchain" in line)
    assert head.index("structchunk") < head.index("langchain") < head.index("llamaindex")
    total = next(line for line in done.output.splitlines() if "broken in all" in line)
    ours, *peers = [cell.strip() for cell in total.split("\u2502")[2:5]]
    assert ours == "0"
    assert all(peer != "0" for peer in peers)
    done = invoke("compare", folder / "guide.md", "--splitter", "halves:split")
    assert "structchunk" not in done.output.partition("budget")[0]


def test_the_rules_are_listed() -> None:
    done = invoke("rules")
    for rule in RULES.values():
        assert f"{rule.id}  {rule.finds}: {rule.loss}" in done.output
