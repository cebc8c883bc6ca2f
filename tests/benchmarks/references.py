"""API references, made again at fixed versions: the pages that ``tests.benchmarks.pages`` measures.

What makes them (Sphinx, MkDocs, pdoc) and what they are about is installed into an environment of
its own in the folder; Javadoc is that of the machine.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
import venv
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.benchmarks.retrieval.corpus import fetch, sources

_SAID = Path(__file__).with_name("references.toml")
_SPHINX = """project = {name!r}
extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
]
html_theme = {theme!r}
autodoc_default_options = {{"members": True, "undoc-members": True, "show-inheritance": True}}
"""
_MKDOCS = """site_name: api
theme:
  name: material
plugins:
  - mkdocstrings
markdown_extensions:
  - admonition
  - toc:
      permalink: true
  - pymdownx.highlight
  - pymdownx.superfences
"""


def page_folders(corpus: Path, *, make: bool) -> list[Path]:
    """The folders of the pages, one for each reference and each repository.

    Args:
        corpus: holds the repositories, and the references in ``references``.
        make: fetch and make what is not there yet.

    Raises:
        FileNotFoundError: something is not there, and is not to be made.
        subprocess.CalledProcessError: git, pip or what makes a reference cannot do it.
    """
    said = tomllib.loads(_SAID.read_text("utf-8"))
    repositories: Sequence[str] = said["pages"]["repositories"]
    if make:
        commits = sources()["commits"]
        java = ("/".join(path.split("/")[:2]) for path in said["javadoc"].values())
        fetch(corpus, {"commits": {name: commits[name] for name in (*repositories, *java)}})
    found = [*_references(corpus, said, make=make)]
    found += (corpus / name for name in repositories)
    if absent := [folder for folder in found if not folder.is_dir()]:
        message = f"{absent[0]} is not there: --fetch makes it"
        raise FileNotFoundError(message)
    return found


def _references(corpus: Path, said: Mapping[str, Any], *, make: bool) -> Iterator[Path]:
    """Where each reference is; made, if asked for and not there yet."""
    tools = corpus.resolve() / "references" / "tools"
    python = tools / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    if make and not (tools / "complete").is_file():
        venv.create(tools, with_pip=True)
        _run([python, "-m", "pip", "install", "-q", *said["requirements"]])
        (tools / "complete").touch()
    makers: dict[str, Callable[[Path], None]] = {
        f"sphinx-{name}": _sphinx(python, name, theme) for name, theme in said["sphinx"].items()
    }
    makers["mkdocstrings"] = _mkdocstrings(python, said["mkdocstrings"]["packages"])
    makers["pdoc"] = _pdoc(python, said["pdoc"]["packages"])
    if shutil.which("javadoc"):
        for name, path in said["javadoc"].items():
            makers[f"javadoc-{name}"] = _javadoc(corpus / path, name)
    else:
        print("pages by Javadoc are left out: javadoc is not installed")
    for name, into in makers.items():
        place = corpus / "references" / name
        if make and not place.is_dir():
            part = place.with_name(f"{name}.part")  # what is stopped halfway is begun anew
            shutil.rmtree(part, ignore_errors=True)
            part.mkdir(parents=True)
            into(part.resolve())
            part.rename(place)
        yield place


def _sphinx(python: Path, name: str, theme: str) -> Callable[[Path], None]:
    def into(folder: Path) -> None:
        source = folder / "source"
        source.mkdir()
        (source / "conf.py").write_text(_SPHINX.format(name=name, theme=theme), "utf-8")
        tree = f"{name}\n{'=' * len(name)}\n\n.. toctree::\n\n   modules\n"
        (source / "index.rst").write_text(tree, "utf-8")
        where = f"import {name}, pathlib; print(pathlib.Path({name}.__file__).parent)"
        package = _run([python, "-c", where]).strip()
        _run([python, "-m", "sphinx.ext.apidoc", "-q", "-f", "-e", "-o", source, package])
        _run([python, "-m", "sphinx", "-q", "-b", "html", source, folder / "pages"])

    return into


def _mkdocstrings(python: Path, packages: Sequence[str]) -> Callable[[Path], None]:
    def into(folder: Path) -> None:
        (folder / "docs").mkdir()
        for name in packages:
            page = f"# {name}\n\nThe API.\n\n::: {name}\n"
            (folder / "docs" / f"{name}.md").write_text(page, "utf-8")
        settings = folder / "mkdocs.yml"
        settings.write_text(_MKDOCS, "utf-8")
        _run([python, "-m", "mkdocs", "build", "-q", "-f", settings, "-d", folder / "pages"])

    return into


def _pdoc(python: Path, packages: Sequence[str]) -> Callable[[Path], None]:
    def into(folder: Path) -> None:
        _run([python, "-m", "pdoc", "-o", folder / "pages", *packages])

    return into


def _javadoc(sources_of: Path, package: str) -> Callable[[Path], None]:
    # What the sources import is not there, and is not needed to tell what they say.
    lenient = ("--ignore-source-errors", "-Xdoclint:none", "-encoding", "UTF-8", "-notimestamp")

    def into(folder: Path) -> None:
        source = folder / "source"
        shutil.copytree(sources_of, source, ignore=shutil.ignore_patterns("module-info.java"))
        what = ("-sourcepath", source, "-subpackages", package)
        _run(["javadoc", "-quiet", *lenient, *what, "-d", folder / "pages"])

    return into


def _run(command: Sequence[str | Path]) -> str:
    """What a command prints; its complaints only where it cannot do it."""
    done = subprocess.run([*map(str, command)], check=False, capture_output=True, text=True)
    if done.returncode:
        print(done.stderr, file=sys.stderr)
        done.check_returncode()
    return done.stdout
