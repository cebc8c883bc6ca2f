"""What document loaders hand out is cut as what it is then, whatever its path says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from git import Actor, Repo
from langchain_classic.retrievers import ParentDocumentRetriever
from langchain_community.document_loaders import (
    BSHTMLLoader,
    CSVLoader,
    DirectoryLoader,
    GitLoader,
    NotebookLoader,
    TextLoader,
)
from langchain_community.document_loaders.generic import GenericLoader
from langchain_community.document_loaders.parsers import LanguageParser
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore

from structchunk_core.adapting import rendered_format_or_none
from structchunk_core.detect import converted_format_or_none
from structchunk_langchain import StructuralTextSplitter
from tests.corpus import CITIES, FILES, GUIDE, ORDERS, write

PAGE = """<html><head><title>Shop</title></head><body><h1>Prices</h1>
<p>A box is at a &lt; b, and &lt;br&gt; is a tag.</p>
<h2>Code</h2><pre><code class="language-html">&lt;div&gt;&lt;p&gt;one&lt;/p&gt;&lt;/div&gt;
&lt;p&gt;two&lt;/p&gt;</code></pre>
<table><tr><th>box</th><th>price</th></tr><tr><td>small</td><td>3</td></tr></table>
</body></html>
"""
NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Weights\n", "\n", "Of boxes."]},
        {
            "cell_type": "code",
            "metadata": {},
            "source": ["import os\n", "print(os.getcwd())\n"],
            "outputs": [{"output_type": "stream", "name": "stdout", "text": ["home\n"]}],
            "execution_count": 1,
        },
    ],
    "metadata": {"kernelspec": {"name": "python3", "language": "python", "display_name": "P"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path)
    (tmp_path / "page.html").write_text(PAGE)
    (tmp_path / "weights.ipynb").write_text(json.dumps(NOTEBOOK))
    return tmp_path


def words(text: str) -> list[str]:
    return "".join(c if c.isalnum() else " " for c in text).split()


def said(chunks: list[Document]) -> list[str]:
    return [word for chunk in chunks for word in words(chunk.page_content)]


def split(documents: list[Document], **settings: Any) -> list[Document]:
    return StructuralTextSplitter(**{"context": "none", **settings}).split_documents(documents)


def test_files_of_text_loaders_are_cut_by_their_names(folder: Path) -> None:
    one = TextLoader(folder / "shop/orders.py", encoding="utf-8").load()
    assert {chunk.metadata["chunk_language"] for chunk in split(one)} == {"python"}
    loader = DirectoryLoader(
        str(folder), loader_cls=TextLoader, loader_kwargs={"encoding": "utf-8"}, glob="**/*.*"
    )
    chunks = loader.load_and_split(StructuralTextSplitter(chunk_size=300))
    formats = {Path(c.metadata["source"]).name: c.metadata["chunk_format"] for c in chunks}
    assert formats == {
        "orders.py": "code",
        "guide.md": "markdown",
        "cities.csv": "delimited",
        "page.html": "html",
        "weights.ipynb": "notebook",
    }
    assert {chunk.metadata["problems"] for chunk in chunks} == {""}


def test_each_row_of_a_csv_loader_stays_one_document(folder: Path) -> None:
    rows = CSVLoader(folder / "cities.csv").load()
    chunks = split(rows)
    assert [chunk.page_content for chunk in chunks] == [row.page_content for row in rows]
    assert [chunk.metadata["row"] for chunk in chunks] == list(range(60))
    assert {chunk.metadata["chunk_format"] for chunk in chunks} == {"text"}
    by_column = CSVLoader(folder / "cities.csv", source_column="city").load()
    assert [chunk.page_content for chunk in split(by_column)] == [r.page_content for r in rows]


def test_a_long_row_of_a_csv_loader_is_cut_and_nothing_of_it_repeated(tmp_path: Path) -> None:
    cells = [f"{name}{n}" for n in range(40) for name in ("a",)]
    text = ",".join(f"column{n}" for n in range(40)) + "\n" + ",".join(cells) + "\n"
    (tmp_path / "wide.csv").write_text(text)
    (row,) = CSVLoader(tmp_path / "wide.csv").load()
    chunks = split([row], chunk_size=120)
    assert len(chunks) > 3
    assert "\n".join(chunk.page_content for chunk in chunks) == row.page_content


def test_the_same_file_as_text_gives_row_groups_under_their_header(folder: Path) -> None:
    chunks = split(TextLoader(folder / "cities.csv").load(), chunk_size=300)
    chunks = [chunk for chunk in chunks if not chunk.metadata.get("derived")]
    assert len(chunks) < 20
    for chunk in chunks:
        assert chunk.page_content.startswith("city,country,inhabitants\n")
    assert sum(chunk.page_content.count("Town") for chunk in chunks) == 60


def test_a_git_loader_gives_paths_of_its_repository(folder: Path) -> None:
    with Repo.init(folder, initial_branch="main") as repository:
        repository.git.add(".")
        somebody = Actor("somebody", "somebody@shop.invalid")
        repository.index.commit("All", author=somebody, committer=somebody)
    documents = GitLoader(str(folder)).load()
    chunks = split(documents, context="inline", chunk_size=400)
    assert {c.metadata["source"] for c in chunks} == {*FILES, "page.html", "weights.ipynb"}
    export = next(chunk for chunk in chunks if chunk.metadata["symbol"] == "export")
    assert export.page_content.startswith("# shop/orders.py > export\ndef export")
    assert {chunk.metadata["file_type"] for chunk in chunks} >= {".py", ".md", ".csv"}


def test_code_that_a_language_parser_has_cut_stays_whole(folder: Path) -> None:
    def loaded(**settings: Any) -> list[Document]:
        parser = LanguageParser(**settings)
        return GenericLoader.from_filesystem(folder, suffixes=[".py"], parser=parser).load()

    cut = loaded()
    assert len(cut) == 3  # a class, a function, the rest
    chunks = split(cut)
    assert [chunk.page_content for chunk in chunks] == [each.page_content for each in cut]
    assert [chunk.metadata["symbol"] for chunk in chunks] == ["Basket", "export", ""]
    assert [chunk.metadata["content_type"] for chunk in chunks] == [
        each.metadata["content_type"] for each in cut
    ]
    small = split(cut, chunk_size=300)
    assert said(small) == said(cut)
    assert [chunk.metadata["symbol"] for chunk in small] == [
        "Basket", "Basket.__init__", "Basket.shipping", "Basket.discount", "export", "",
    ]  # fmt: skip
    whole = loaded(parser_threshold=1000)
    expected = split([Document(ORDERS, metadata=whole[0].metadata)], chunk_size=300)
    assert split(whole, chunk_size=300) == expected


def test_the_language_of_a_language_parser_counts_where_the_name_says_nothing() -> None:
    noted = {"source": "build", "content_type": "functions_classes"}
    code = "function one() {\n  return 1;\n}\n"
    for language, expected in (("js", "javascript"), ("python", "python"), ("klingon", "")):
        (made,) = split([Document(code, metadata={**noted, "language": language})])
        assert made.metadata["chunk_language"] == expected
    (page,) = split([Document("Some words.", metadata={"source": "build", "language": "js"})])
    assert page.metadata["chunk_format"] == "text"


def test_a_notebook_is_cut_by_cells_or_as_what_its_loader_made(folder: Path) -> None:
    path = folder / "weights.ipynb"
    (made,) = split(TextLoader(path).load())
    assert "```python\nimport os\n" in made.page_content
    (document,) = NotebookLoader(str(path), include_outputs=True).load()
    chunks = split([document])
    assert said(chunks) == words(document.page_content)
    assert {chunk.metadata["problems"] for chunk in chunks} == {""}


def test_a_page_is_cut_by_its_tags_or_as_the_words_its_loader_left(folder: Path) -> None:
    path = folder / "page.html"
    made = split(TextLoader(path).load(), chunk_size=60)
    assert [chunk.metadata["section_path"] for chunk in made][-1] == "Prices > Code"
    loader = BSHTMLLoader(str(path), bs_kwargs={"features": "html.parser"}, get_text_separator="\n")
    (document,) = loader.load()
    document.page_content = document.page_content.replace("</p>", "").replace("</div>", "")
    assert "<br> is a tag" in document.page_content
    chunks = split([document], chunk_size=60)
    assert said(chunks) == words(document.page_content)
    assert {chunk.metadata["title"] for chunk in chunks} == {"Shop"}


@pytest.mark.parametrize("name", ["page.html", "weights.ipynb"])
def test_chunks_of_what_is_rendered_can_be_cut_again(folder: Path, name: str) -> None:
    document = TextLoader(folder / name).load()[0]
    retriever = ParentDocumentRetriever(
        vectorstore=InMemoryVectorStore(DeterministicFakeEmbedding(size=8)),
        docstore=InMemoryStore(),
        parent_splitter=StructuralTextSplitter(chunk_size=600, context="none"),
        child_splitter=StructuralTextSplitter(chunk_size=60, context="none"),
    )
    retriever.add_documents([document])
    parents = StructuralTextSplitter(chunk_size=600, context="none").split_documents([document])
    children = split(parents, chunk_size=60)
    texts = {entry["text"] for entry in retriever.vectorstore.store.values()}  # type: ignore[attr-defined]
    assert texts == {child.page_content for child in children}
    assert {child.metadata["chunk_format"] for child in children} == {"markdown"}
    lost = set(said(parents)) - set(said(children))
    assert not lost


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.html", "<p>one", None),
        ("a.html", "\ufeff \n<!-- -->", None),
        ("a.html", "text and <b>bold</b>", None),
        ("a.html", "a < b, <br> is a tag", "text"),
        ("a.html", "# Title\n\ntext", "markdown"),
        ("https://host/a.html", "words", "text"),
        ("https://host/a", "words", None),
        ("a.ipynb", '\n{"cells": []}', None),
        ("a.ipynb", "'code' cell: 'x'", "text"),
        ("a.ipynb", "# In[1]:\n\nimport os\n", "markdown"),
        ("a.json", '{"a": 1}', None),
        ("a.json", "[1]", None),
        ("a.jsonl", "-1", None),
        ("a.json", "A value of the file.", "text"),
        ("a.xml", "<a/>", None),
        ("a.xml", "words", "text"),
        ("a.yaml", "words", None),
        ("a.md", "words", None),
        ("a.py", "words", None),
        ("a.csv", "words", None),
        ("a.html", "", "text"),
        ("", "words", None),
    ],
)
def test_the_format_of_what_a_loader_has_made(path: str, text: str, expected: str | None) -> None:
    assert converted_format_or_none(path, text) == expected


def test_the_format_of_a_chunk_that_is_chunked_again() -> None:
    noted = StructuralTextSplitter().create_documents([CITIES], [{"source": "a.csv"}])[0].metadata
    assert rendered_format_or_none({**noted, "derived": True}) == "text"
    assert rendered_format_or_none({"derived": True}) is None
    for text, path, expected in (
        (PAGE, "a.html", "markdown"),
        (json.dumps(NOTEBOOK), "a.ipynb", "markdown"),
        (GUIDE, "a.md", None),
        (CITIES, "a.csv", None),
    ):
        for noted in ({"source": path}, {"source": path, "chunk_format": "theirs"}):
            made = StructuralTextSplitter().create_documents([text], [noted])
            slices = [chunk.metadata for chunk in made if not chunk.metadata.get("derived")]
            assert {rendered_format_or_none(metadata) for metadata in slices} == {expected}
            assert rendered_format_or_none(noted) is None
