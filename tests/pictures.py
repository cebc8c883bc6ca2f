"""The pictures of the README, made again: ``python -m tests.pictures``.

``structchunk view`` and ``structchunk compare`` over files of this repository, as they look now.
Needs Chromium (see ``test_view_browser.py``).
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from structchunk_core import Chunker
from structchunk_core.audit_commands import comparison, files_in, split_by
from structchunk_core.auditing.corpus import audit_files
from structchunk_core.auditing.splitters import splitter_named
from structchunk_core.viewing import page_of, viewed
from tests.chromium import chromium_or_none, prefer

ROOT = Path(__file__).parent.parent
PICTURES = ROOT / "notebooks" / "pictures"
BROKEN = """
const cards = [...document.querySelectorAll('.column:last-child .chunk')];
cards.find((card) => card.textContent.includes('cut-fence')
  || card.textContent.includes('open-fence')).click();
"""
SHOWN = ("CONTRIBUTING.md", "core/structchunk_core/source.py")
COMPARED = ("core", "README.md", "CHANGELOG.md", "CONTRIBUTING.md")
GREY, RED, GREEN = (169, 171, 163), (255, 141, 117), (127, 202, 189)
THEME = TerminalTheme(
    (22, 24, 28), (228, 227, 220), [(22, 24, 28), RED, GREEN, GREY, GREY, GREY, GREY, GREY]
)
NAMES = ("structchunk", "langchain", "llamaindex")


def main() -> int:
    """Write the pictures; 1 where there is no browser."""
    chrome = chromium_or_none(1360, 820, 1.5)
    if chrome is None:
        sys.stderr.write("chromium and chromedriver have to be installed\n")
        return 1
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        page.write_text(_view(), encoding="utf-8")
        for scheme in ("light", "dark"):
            prefer(chrome, scheme)
            chrome.get(page.as_uri())
            chrome.find_element("css selector", "body").send_keys("uc")  # no tree; compare
            chrome.execute_script(BROKEN)
            time.sleep(1)  # until it has scrolled
            chrome.save_screenshot(str(PICTURES / f"view-{scheme}.png"))
        page.write_text(_compare(), encoding="utf-8")
        chrome.get(page.as_uri())
        chrome.find_element("css selector", "pre").screenshot(str(PICTURES / "compare.png"))
    chrome.quit()
    return 0


def _view() -> str:
    budget = Chunker(chunk_size=160)
    splitters = [splitter_named(name, budget) for name in NAMES[:2]]
    documents = []
    for path in SHOWN:
        text = (ROOT / path).read_text("utf-8")
        splits = [(one.name, one.split(text, path)) for one in splitters]
        documents.append(viewed(text, path, splits, budget))
    return page_of(documents, "Chunks")


def _compare() -> str:
    budget = Chunker(chunk_size=300)
    files = files_in([ROOT / path for path in COMPARED])
    reports = []
    for name in NAMES:
        one = splitter_named(name, budget)
        reports.append(audit_files(files, split_by(one, budget, None, None), name, budget))
    console = Console(record=True, width=64, file=sys.stderr, force_terminal=True)
    command = f"$ structchunk compare {' '.join(COMPARED)} --chunk-size {budget.chunk_size}"
    console.print(Text(command, style="bold"))
    console.print(comparison(reports))
    body = console.export_html(inline_styles=True, code_format="<pre>{code}</pre>", theme=THEME)
    style = (
        "pre { display: inline-block; margin: 0; padding: 18px 22px; background: #16181c;"
        "color: #d8d9d2; font: 14px/1.3 'DejaVu Sans Mono', monospace; border-radius: 10px }"
        "body { margin: 0; background: #16181c }"
    )
    return f"<meta charset=utf-8><style>{style}</style>{body}"


if __name__ == "__main__":
    sys.exit(main())
