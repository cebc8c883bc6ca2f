"""What has to hold where the wheel is installed without extras; run there by ``.ci/run``."""

from __future__ import annotations

import importlib
import sys

HEAVY = (
    "charset_normalizer",
    "langchain_core",
    "langchain_text_splitters",
    "llama_index",
    "pyromark",
    "rich",
    "tiktoken",
    "tree_sitter",
    "tree_sitter_language_pack",
    "typer",
)
ADAPTERS = {"structchunk_llamaindex": "llamaindex", "structchunk_langchain": "langchain"}

MARKDOWN = "# Guide\n\nFirst words.\n\n## Port\n\n| name | value |\n|---|---|\n| port | 80 |\n"
PYTHON = 'class Order:\n    """An order."""\n\n    def total(self) -> int:\n        return 1\n'


def main() -> None:
    """Check, and say what was checked."""
    import structchunk_core

    loaded = sorted(name for name in HEAVY if name in sys.modules)
    expect(not loaded, f"importing structchunk_core loads none of {', '.join(HEAVY)}", loaded)

    for adapter, extra in ADAPTERS.items():
        wanted = f"structchunk-parsers[{extra}]"
        try:
            importlib.import_module(adapter)
        except ImportError as error:
            expect(wanted in str(error), f"{adapter} names {wanted}", str(error))
        else:
            expect(False, f"{adapter} cannot be imported without its framework", "it can")

    for chunk_size in (100, 400):
        chunker = structchunk_core.Chunker(tokenizer="characters", chunk_size=chunk_size)
        for path, text in (("guide.md", MARKDOWN), ("order.py", PYTHON)):
            chunks = chunker.chunk(text, path=path)
            fits = all(len(chunk.embed_text) <= chunk_size for chunk in chunks)
            kept = "".join(text[chunk.span.start : chunk.span.end] for chunk in chunks)
            is_whole = "".join(kept.split()) == "".join(text.split())
            known = not any(chunk.problems for chunk in chunks)
            expect(
                bool(chunks) and fits and is_whole and known,
                f"{path} in {len(chunks)} chunks of at most {chunk_size} characters",
                chunks,
            )
    halves = [MARKDOWN[:60], MARKDOWN[60:]]
    report = structchunk_core.audit(MARKDOWN, halves, path="guide.md", tokenizer="characters")
    expect("cut-table" in report.counts, "an audit finds the table that is cut", report.counts)
    page = importlib.import_module("structchunk_core.viewing")
    chunker = structchunk_core.Chunker(tokenizer="characters", chunk_size=100)
    shown = page.viewed(MARKDOWN, "guide.md", [("halves", halves)], chunker)
    html = page.page_of([shown], "Guide")
    expect(html.startswith("<!doctype html>"), "the wheel holds the page's template", html[:80])


def expect(holds: bool, promise: str, found: object) -> None:
    """Print the promise, and leave with what was found when it does not hold."""
    print("ok  " if holds else "FAIL", promise)
    if not holds:
        sys.exit(f"found: {found}")


if __name__ == "__main__":
    main()
