"""Findings about other splitters, held against a count of its own on committed documents.

Each finding that a rule gives is confirmed, or not, by what ``ast`` and ``markdown-it`` know of
the document and by plain reading of the chunks: no unit tree, no alignment.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from structchunk_core import Chunker, Finding, audit
from structchunk_core.auditing.given_chunks import given_chunk
from structchunk_core.auditing.splitters import splitter_named
from tests.oracles import markdown_shape

ROOT = Path(__file__).parent.parent
CODE = ("browser", "corpus", "counting", "generators", "oracles", "promises")
DOCUMENTS = ["CONTRIBUTING.md", "README.md", *(f"tests/{name}.py" for name in CODE)]
SPLITTERS = ("langchain", "llamaindex", "langchain:TokenTextSplitter(encoding_name='cl100k_base')")
BUDGET = Chunker(chunk_size=120)


def squeezed(text: str) -> str:
    return "".join(text.split())


class Truth:
    """What is known of a document and its chunks by other means."""

    def __init__(self, path: str, text: str, chunks: Sequence[str]) -> None:
        self.text = text
        self.lines = text.split("\n")
        self.chunks = chunks
        self.squeezed = [squeezed(chunk) for chunk in chunks]
        self.definitions: list[tuple[int, int, int, str, bool]] = []
        self.statements: list[tuple[int, int]] = []
        self.wholes: dict[str, list[tuple[int, int]]] = {}
        self.headings: list[tuple[int, str]] = []
        if path.endswith(".py"):
            self._read_python()
        else:
            shape = markdown_shape(text)
            self.wholes = shape.wholes
            self.headings = [(one.first, one.words) for one in shape.headings]

    def _read_python(self) -> None:
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        for node in ast.walk(ast.parse(self.text)):
            if isinstance(node, kinds):
                first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
                while self.lines[first - 2].strip().startswith("#"):
                    first -= 1
                is_class = isinstance(node, ast.ClassDef)
                assert node.end_lineno is not None
                found = (first, node.lineno, node.end_lineno, node.name, is_class)
                self.definitions.append(found)
                self.statements.append((first, node.body[0].lineno - 1))  # its head
            elif isinstance(node, ast.stmt | ast.expr):
                assert node.end_lineno is not None
                self.statements.append((node.lineno, node.end_lineno))

    def of_lines(self, first: int, last: int) -> str:
        return "\n".join(self.lines[first - 1 : last])

    def is_whole(self, text: str) -> bool:
        return any(squeezed(text) in chunk for chunk in self.squeezed)

    def fits(self, text: str) -> bool:
        return BUDGET.count(text) <= BUDGET.chunk_size

    def is_cut(self, text: str) -> bool:
        return self.fits(text.strip("\n")) and not self.is_whole(text)

    def definition_is_cut(self, finding: Finding) -> bool:
        return any(
            self.is_cut(self.of_lines(first, last))
            for first, begin, last, _, _ in self.definitions
            if finding.line in {first, begin}
        )

    def signature_is_alone(self, finding: Finding) -> bool:
        chunk = self.chunks[finding.chunk].rstrip()
        return any(
            finding.line in range(first, begin + 1)
            and f"{name}(" in chunk
            and squeezed(chunk)[-1] in ":,"
            for first, begin, _, name, _ in self.definitions
        )

    def block_is_cut(self, finding: Finding) -> bool:
        text = self.text[slice(*finding.span)]
        return self.is_cut(text) and self._is_one(finding)

    def _is_one(self, finding: Finding) -> bool:
        """Whether it is one statement, paragraph or the like: nothing that a blank line ends."""
        text = self.text[slice(*finding.span)]
        if not self.definitions and not self.statements:
            return "\n\n" not in text or text.lstrip().startswith(("```", "-", "1.", "<!--", "!["))
        first = finding.line
        last = first + text.rstrip().count("\n")
        near = [(start, end) for start, end in self.statements if start <= first and last <= end]
        return bool(near) or text.lstrip().startswith(("#", '"', "'"))

    def whole_is_cut(self, finding: Finding) -> bool:
        start, end = finding.span
        known = [span for spans in self.wholes.values() for span in spans]
        return any(
            abs(low - start) <= 80 and abs(len(self.text[low:high].rstrip()) - end + low) <= 3
            for low, high in known
        ) and self.is_cut(self.text[start:end])

    def fence_is_open(self, finding: Finding) -> bool:
        """Whether the marks of fences above the chunk's first or last character are odd."""
        return any(
            len(re.findall(r"^\s*(?:```|~~~)", self.text[:place], re.MULTILINE)) % 2
            for place in finding.span
        )

    def rows_are_headless(self, finding: Finding) -> bool:
        lines = self.chunks[finding.chunk].strip("\n").split("\n")
        rules = [re.fullmatch(r"\s*\|?[\s:|-]+\|?\s*", line) is not None for line in lines]
        first = next((n for n, line in enumerate(lines) if "|" in line), -1)
        return first >= 0 and not any(rules[first : first + 2])

    def heading_is_alone(self, finding: Finding) -> bool:
        last = self.chunks[finding.chunk].strip().split("\n")[-1]
        return last.lstrip().startswith("#")

    def section_is_unnamed(self, finding: Finding) -> bool:
        above = [words for line, words in self.headings if line < finding.line]
        chunk = squeezed(self.chunks[finding.chunk])
        return (bool(above) and squeezed(above[0]) not in chunk) or bool(
            above and squeezed(above[-1]) not in chunk
        )

    def scope_is_unnamed(self, finding: Finding) -> bool:
        chunk = self.chunks[finding.chunk]
        around = [
            name for first, _, last, name, _ in self.definitions if first <= finding.line <= last
        ]
        return any(not re.search(rf"\b{name}\b", chunk) for name in around)

    def word_is_cut(self, finding: Finding) -> bool:
        start = finding.span.start
        return bool(re.match(r"\w\w", self.text[start - 1 : start + 1]))

    def text_is_in_no_chunk(self, finding: Finding) -> bool:
        return not self.is_whole(self.text[slice(*finding.span)])


CONFIRM: dict[str, Callable[[Truth, Finding], bool]] = {
    "cut-definition": Truth.definition_is_cut,
    "torn-comment": Truth.definition_is_cut,
    "lone-signature": Truth.signature_is_alone,
    "cut-fence": Truth.whole_is_cut,
    "cut-table": Truth.whole_is_cut,
    "cut-procedure": Truth.whole_is_cut,
    "cut-item": Truth.whole_is_cut,
    "cut-record": Truth.block_is_cut,
    "cut-block": Truth.block_is_cut,
    "open-fence": Truth.fence_is_open,
    "headless-rows": Truth.rows_are_headless,
    "lone-heading": Truth.heading_is_alone,
    "missing-heading": Truth.section_is_unnamed,
    "missing-scope": Truth.scope_is_unnamed,
    "missing-signature": Truth.scope_is_unnamed,
    "cut-word": Truth.word_is_cut,
    "lost-text": Truth.text_is_in_no_chunk,
}


@pytest.mark.parametrize("name", SPLITTERS)
def test_findings_are_right(name: str) -> None:
    splitter = splitter_named(name, BUDGET)
    right: list[Finding] = []
    wrong: list[Finding] = []
    for path in DOCUMENTS:
        text = (ROOT / path).read_text("utf-8")
        chunks = splitter.split(text, path)
        truth = Truth(path, text, [given_chunk(chunk).text for chunk in chunks])
        for finding in audit(text, chunks, path=path, chunker=BUDGET).broken:
            if finding.rule in CONFIRM:
                (right if CONFIRM[finding.rule](truth, finding) else wrong).append(finding)
    assert len(right) >= 50
    assert len(right) >= 0.95 * (len(right) + len(wrong)), "\n".join(map(str, wrong))
