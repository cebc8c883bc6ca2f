"""The pages that are measured are made where they are not there, and only there."""

from __future__ import annotations

import shutil
import subprocess
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks import pages, references
from tests.benchmarks.references import page_folders
from tests.benchmarks.retrieval.corpus import sources


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is run, by what it is called; each writes a page where it is told to."""
    ran: list[str] = []

    def run(command: Sequence[str | Path]) -> str:
        words = [*map(str, command)]
        ran.append(words[2] if words[1] == "-m" else words[0])
        places = [Path(word) for word in words if word.endswith("pages")]
        for place in places:
            place.mkdir(parents=True)
            (place / "index.html").write_text("<h1>Calls</h1><p>All of them.</p>", "utf-8")
        return "/somewhere/attr\n"

    def fetch(folder: Path, said: Any) -> None:
        for name, commit in said["commits"].items():
            assert sources()["commits"][name] == commit
            ran.append(name)
            (folder / name / "gson" / "src" / "main" / "java").mkdir(parents=True, exist_ok=True)
            (folder / name / "src" / "main" / "java").mkdir(parents=True, exist_ok=True)
            (folder / name / "index.html").write_text("<p>One page of it.</p>", "utf-8")

    monkeypatch.setattr(references, "_run", run)
    monkeypatch.setattr(references, "fetch", fetch)
    monkeypatch.setattr(venv, "create", lambda place, **_: place.mkdir(parents=True, exist_ok=True))
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    return ran


@pytest.mark.usefixtures("commands")
def test_what_is_not_there_is_named_unless_it_shall_be_made(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"sphinx-attr.* --fetch makes it"):
        page_folders(tmp_path, make=False)
    made = page_folders(tmp_path, make=True)
    assert page_folders(tmp_path, make=False) == made
    for folder in made:
        assert [*folder.rglob("index.html")], folder


def test_each_reference_is_made_once_by_what_makes_it(tmp_path: Path, commands: list[str]) -> None:
    made = page_folders(tmp_path, make=True)
    names = [folder.name for folder in made if folder.parent.name == "references"]
    assert commands.count("pip") == 1
    assert commands.count("sphinx") == sum(name.startswith("sphinx-") for name in names) > 4
    assert commands.count("javadoc") == sum(name.startswith("javadoc-") for name in names) == 2
    assert {"mkdocs", "pdoc"} < set(commands)
    assert not [*tmp_path.rglob("*.part")]
    again = len(commands)
    page_folders(tmp_path, make=True)
    assert not {"pip", "sphinx", "pdoc", "javadoc"} & {*commands[again:]}


def test_what_is_stopped_halfway_is_made_again(
    tmp_path: Path, commands: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    works = references._run

    def fails(command: Sequence[str | Path]) -> str:
        if "mkdocs" in command:
            raise subprocess.CalledProcessError(1, "mkdocs")
        return works(command)

    monkeypatch.setattr(references, "_run", fails)
    with pytest.raises(subprocess.CalledProcessError):
        page_folders(tmp_path, make=True)
    assert not (tmp_path / "references" / "mkdocstrings").exists()
    monkeypatch.setattr(references, "_run", works)
    page_folders(tmp_path, make=True)
    assert "mkdocs" in commands
    assert (tmp_path / "references" / "mkdocstrings" / "pages" / "index.html").is_file()


@pytest.mark.usefixtures("commands")
def test_pages_of_the_corpus_and_of_other_folders_are_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.html").write_text("<h1>Prices</h1><p>What things cost.</p>", "utf-8")
    corpus = str(tmp_path / "corpus")
    monkeypatch.setattr("sys.argv", ["pages", str(other), "--corpus", corpus, "--fetch"])
    pages.main()
    said = capsys.readouterr().out
    assert f"{other}: 1 pages" in said
    assert "sphinx-click: 1 pages" in said
    assert "visible words lost 0 of" in said.split("\nall: ")[1]
    monkeypatch.setattr("sys.argv", ["pages"])
    with pytest.raises(SystemExit):
        pages.main()
    assert "--corpus FOLDER" in capsys.readouterr().err
