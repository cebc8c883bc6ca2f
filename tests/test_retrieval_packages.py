"""The documents of the retrieval benchmark that come out of packages of an index."""

from __future__ import annotations

import io
import re
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.benchmarks.retrieval.__main__ import main
from tests.benchmarks.retrieval.corpus import SOURCES, fetch, sources
from tests.benchmarks.retrieval.tasks import ABOUT, TASKS

PACKAGES = SOURCES.with_name("packages.toml")
ALARM = "raise SystemExit('a package was built')\n"
SHARED = "id,unit,stock\n" + "".join(f"{number},kg,{number * 7}\n" for number in range(9))


def packed(files: dict[str, str]) -> bytes:
    """What an author gives to an index: an archive of one folder."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as archive:
        for name, text in files.items():
            entry = tarfile.TarInfo(f"kit-1.2/{name}")
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))
    return made.getvalue()


@contextmanager
def index_of(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """The address of an index of what is in a folder, and the paths that it has been asked for."""
    asked: list[str] = []

    class Handler(SimpleHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            super().do_GET()

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder)))
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/simple/", asked
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """An index that has the sources of ``kit`` 1.2, and a wheel of 1.3."""
    place = tmp_path / "index" / "simple" / "kit"
    place.mkdir(parents=True)
    files = {"setup.py": ALARM, "src/kit.py": "STOCK = 3\n", "data/stock.csv": SHARED}
    (place / "kit-1.2.tar.gz").write_bytes(packed(files))
    (place / "kit-1.3-py3-none-any.whl").write_bytes(b"")
    with index_of(tmp_path / "index") as (address, asked):
        monkeypatch.setenv("PIP_INDEX_URL", address)
        yield asked


def test_packages_are_unpacked_as_their_authors_wrote_them(
    tmp_path: Path, index: list[str]
) -> None:
    folder = tmp_path / "corpus"
    fetch(folder, {"packages": {"kit": "1.2"}})
    assert (folder / "kit" / "src" / "kit.py").read_text() == "STOCK = 3\n"
    assert (folder / "kit" / "data" / "stock.csv").read_text() == SHARED
    assert [path.name for path in folder.iterdir()] == ["kit"]
    asked = len(index)
    assert asked
    fetch(folder, {"packages": {"kit": "1.2"}})
    assert len(index) == asked


def test_a_version_without_sources_is_named(tmp_path: Path, index: list[str]) -> None:
    folder = tmp_path / "corpus"
    with pytest.raises(LookupError, match=re.escape("does not have the sources of kit==1.3")):
        fetch(folder, {"packages": {"kit": "1.3"}})
    assert not folder.exists()
    assert index


def test_what_is_stopped_on_the_way_is_fetched_again(
    tmp_path: Path, index: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "corpus"
    with monkeypatch.context() as patched:
        patched.setattr(Path, "rename", stopped)
        with pytest.raises(KeyboardInterrupt):
            fetch(folder, {"packages": {"kit": "1.2"}})
    assert list(folder.iterdir()) == []
    fetch(folder, {"packages": {"kit": "1.2"}})
    assert (folder / "kit" / "src" / "kit.py").is_file()
    assert index


def stopped(path: Path, target: Path) -> None:
    raise KeyboardInterrupt


def test_each_package_is_asked_about_and_every_file_is_of_one() -> None:
    said: Any = sources(PACKAGES)
    kinds = {ABOUT.get(name, name) for name in TASKS} - {"settings"}
    assert kinds <= set(said)
    patterns = [pattern for kind in kinds for pattern in said[kind]["files"]]
    assert {pattern.partition("/")[0] for pattern in patterns} == set(said["packages"])
    others: Any = sources()
    assert not {name.partition("/")[2].lower() for name in others["commits"]} & {
        name.lower() for name in said["packages"]
    }
    assert all(re.fullmatch(r"\d+(\.\d+)+", version) for version in said["packages"].values())


def test_a_task_of_which_nothing_is_asked_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "kit").mkdir()
    (tmp_path / "kit" / "stock.csv").write_text(
        "good,price\n" + "".join(f"good number{chr(97 + n)},{n}17\n" for n in range(20))
    )
    file = tmp_path / "sources.toml"
    file.write_text('[packages]\n[tables]\nfiles = ["kit/*.csv"]\n')  # without titles: no totals
    command = ["retrieval", str(tmp_path), "--sources", str(file), "--workers", "1"]
    monkeypatch.setattr("sys.argv", [*command, "--no-meaning", "--size", "512"])
    main()
    said = capsys.readouterr().out
    assert [line for line in said.split("\n") if line.startswith("| by ")] == [
        "| by words | tables |"
    ]
