"""The page that shows chunks, and what notebooks show: complete, self-contained, escaped."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import structchunk_core.view_commands  # noqa: F401  # adds its command
from structchunk_core import Chunker, audit
from structchunk_core.auditing.splitters import splitter_named
from structchunk_core.commands import application
from structchunk_core.viewing import page_of, viewed
from tests.corpus import ORDERS

HOSTILE = (
    "# </script><script>document.title='owned'</script>\n\n"
    "<img src=x onerror=\"document.title='owned'\"> & <b>bold</b> {{data}}\n\n"
    "{{script}} <!-- \u2028\n\n\ud800 {{title}} ]]> javascript:alert(1)\n"
)
BUDGET = Chunker(tokenizer="characters", chunk_size=120)


def page(*documents: tuple[str, str], beside: str = "langchain") -> str:
    splits = [splitter_named(name, BUDGET) for name in ("structchunk", beside)]
    shown = [
        viewed(text, path, [(one.name, one.split(text, path)) for one in splits], BUDGET)
        for path, text in documents
    ]
    return page_of(shown, "Chunks of <docs> & more")


def data_of(html: str) -> Any:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


class Reader(HTMLParser):
    """Tags and attributes of a page as a parser of HTML sees them."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def test_the_page_holds_every_chunk_and_finding() -> None:
    data = data_of(page(("orders.py", ORDERS)))
    (document,) = data["documents"]
    ours, peer = document["splits"]
    chunks = BUDGET.chunk(ORDERS, path="orders.py")
    assert [one["start"] for one in ours["chunks"]] == [chunk.span.start for chunk in chunks]
    assert [one["lines"] for one in ours["chunks"]] == [
        [chunk.start_line, chunk.end_line] for chunk in chunks
    ]
    assert [one.get("context", "") for one in ours["chunks"]] == [one.context for one in chunks]
    assert "".join("".join(one["text"] for one in peer["chunks"]).split()) == "".join(
        ORDERS.split()
    )
    assert any(one["findings"] for one in peer["chunks"])
    assert not any(one["findings"] for one in ours["chunks"])
    kinds = {(row[1], row[2]) for row in document["units"]}
    assert ("class", "Basket") in kinds


def test_a_policy_allows_the_page_its_own_script_and_nothing_else() -> None:
    html = page(("orders.py", ORDERS))
    reader = Reader()
    reader.feed(html)
    policy = next(
        attributes["content"] or ""
        for tag, attributes in reader.tags
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy.startswith("default-src 'none'; ")
    for name, tag in (("view.js", "script-src"), ("view.css", "style-src")):
        content = (files("structchunk_core") / "templates" / name).read_bytes()
        digest = base64.b64encode(hashlib.sha256(content).digest()).decode()
        assert f"{tag} 'sha256-{digest}'" in policy
    for tag, attributes in reader.tags:
        assert tag not in {"link", "img", "iframe", "object", "embed"}
        assert not {"src", "href", "style", "onclick", "onload"} & set(attributes), tag
    assert "http://" not in html
    assert "https://" not in html.replace("https://json-schema.org", "")


def test_what_documents_say_cannot_end_its_element() -> None:
    html = page(("</script><script>.md", HOSTILE))
    assert html.count("<script") == 2
    assert html.count("</script>") == 2
    assert "<title>Chunks of &lt;docs&gt; &amp; more</title>" in html
    data = data_of(html)
    assert data["documents"][0]["path"] == "</script><script>.md"
    shown = "".join(one["text"] for one in data["documents"][0]["splits"][0]["chunks"])
    assert "".join(shown.split()) == "".join(HOSTILE.split())
    html.encode("utf-8")


def test_a_defect_in_one_file_costs_that_file_and_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def audited(text: str, *arguments: Any, **settings: Any) -> Any:
        if "defect" in text:
            raise AssertionError("spans overlap")
        return audit(text, *arguments, **settings)

    monkeypatch.setattr("structchunk_core.viewing.audit", audited)
    (tmp_path / "a.md").write_text("A defect.\n")
    (tmp_path / "b.md").write_text("Words.\n")
    output = tmp_path / "report.html"
    done = CliRunner().invoke(application, ["view", str(tmp_path), "-o", str(output)])
    assert done.exit_code == 1
    assert "a.md: AssertionError: spans overlap" in done.output
    (document,) = data_of(output.read_text("utf-8"))["documents"]
    assert document["path"].endswith("b.md")


def test_files_and_folders_may_have_any_name(tmp_path: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/{{data}}\xff"))
    folder.mkdir()
    Path(os.fsdecode(os.fsencode(folder) + b"/a\xfe.md")).write_text("# Title\n\nWords.\n")
    output = tmp_path / "report.html"
    done = CliRunner().invoke(application, ["view", str(folder), "-o", str(output)])
    assert done.exit_code == 0, done.output
    html = output.read_text("utf-8")
    assert "<title>Chunks of &#123;&#123;data}}\\udcff</title>" in html
    assert len(data_of(html)["documents"]) == 1
    arguments = [
        "audit",
        str(folder),
        "--splitter",
        "langchain:CharacterTextSplitter(chunk_size=9, chunk_overlap=0)",
    ]
    log = tmp_path / "a.sarif"
    done = CliRunner().invoke(application, [*arguments, "--format", "sarif", "-o", str(log)])
    assert done.exit_code == 0, done.output
    assert "a%FE.md" in log.read_text("utf-8")


def test_rendered_documents_and_lost_text() -> None:
    html = "<h1>Guide</h1><p>" + "Some words of a page. " * 20 + "</p><table><tr><th>a<td>1</table>"
    data = data_of(page(("a.html", html), ("b.md", "# T\n\ntext\n")))
    first, _ = data["documents"]
    assert all(0 <= row[4] <= len(html) for row in first["units"])
    assert all(one["start"] >= 0 for one in first["splits"][0]["chunks"])
    lossy = viewed("One.\n\nTwo.\n\nThree.\n", "a.txt", [("x", ["One.", "Three."])], BUDGET)
    split = data_of(page_of([lossy], "x"))["documents"][0]["splits"][0]
    assert split["lost"] == [{"start": 6, "line": 3, "text": "Two."}]


def test_the_command_writes_the_page(tmp_path: Path) -> None:
    (tmp_path / "orders.py").write_text(ORDERS)
    (tmp_path / "blank.txt").write_text("\n")
    output = tmp_path / "report.html"
    arguments = ["view", str(tmp_path), "-o", str(output), "--chunk-size", "100"]
    done = CliRunner().invoke(application, [*arguments, "--beside", "llamaindex"])
    assert done.exit_code == 0, done.output
    (document,) = data_of(output.read_text("utf-8"))["documents"]
    assert [split["name"] for split in document["splits"]] == ["structchunk", "llamaindex"]
    again = CliRunner().invoke(application, arguments)  # the page is none of the documents
    assert again.exit_code == 0
    (document,) = data_of(output.read_text("utf-8"))["documents"]
    assert [split["name"] for split in document["splits"]] == ["structchunk"]
    wrong = CliRunner().invoke(application, [*arguments, "--beside", "nothing"])
    assert wrong.exit_code == 2
    nowhere = [*arguments[:3], str(tmp_path / "no" / "page.html")]
    assert CliRunner().invoke(application, nowhere).exit_code == 1


@pytest.mark.parametrize("context", ["separate", "inline"])
def test_notebooks_show_chunks_and_trees_escaped(context: Any) -> None:
    chunker = Chunker(tokenizer="characters", chunk_size=60, context=context)
    text = "# A & c\n\n```sh\n" + "echo '<i>&'\n" * 12 + "```\n"
    chunks = chunker.chunk(text, path="a.md")
    for chunk in chunks:
        html = chunk._repr_html_()
        reader = Reader()
        reader.feed(html)
        assert {tag for tag, _ in reader.tags} <= {"div", "b", "span", "pre", "i"}
        shown = re.sub(r"<[^>]*>", "", html)
        assert shown.count("echo &#x27;&lt;i&gt;&amp;&#x27;") == chunk.text.count("echo")
    assert any("rgba(138,90,200" in chunk._repr_html_() for chunk in chunks)
    tree = chunker.parse(text, path="a.md").root._repr_html_()
    assert "A &amp; c" in tree
    assert tree.count("<details") == tree.count("</details>") > 0
    deep = chunker.parse("".join(f"- item {n}\n" for n in range(2000)), path="a.md").root
    assert "2,000 inside" in deep._repr_html_()
