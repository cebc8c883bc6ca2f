from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from structchunk_core import Chunker, ConfigurationError
from structchunk_core.adapting import (
    address_beyond_path,
    check_root,
    check_route,
    path_key_or_none,
    shown_path,
)


@pytest.mark.parametrize(
    ("path", "root", "expected"),
    [
        ("/data/a/b.py", None, "/data/a/b.py"),
        ("/data/a/b.py", "/data", "a/b.py"),
        ("/data/a/b.py", "/data/", "a/b.py"),
        ("/data/a/b.py", "/dat", "/data/a/b.py"),
        ("/data/", "/data", "/data/"),
        ("/b.py", "/", "b.py"),
        (r"C:\data\b.py", r"C:\data", "b.py"),
        (Path("a") / "b.py", None, "a/b.py"),
        ("https://host/r/b.py?raw=1#L3", None, "https://host/r/b.py"),
        ("https://host/r/b.py?raw=1#L3", "https://host/r", "b.py"),
        ("https://host/r/b.md#top?", None, "https://host/r/b.md"),
        ("https://host/find?from=a/b.py", None, "https://host/find"),
        ("S3+x.y-z://bucket/b.csv?versionId=1", None, "S3+x.y-z://bucket/b.csv"),
        ("https://host/r/b.py", None, "https://host/r/b.py"),
        ("c#/what?.py", None, "c#/what?.py"),
        ("/data/what?.py#x", "/data", "what?.py#x"),
        ("C:/c#/b.py", None, "C:/c#/b.py"),
        ("C://c#/b.py", None, "C://c#/b.py"),
        ("see http://host/b.py?x", None, "see http://host/b.py?x"),
        ("?", None, "?"),
    ],
)
def test_the_path_that_is_shown(path: str | Path, root: str | None, expected: str) -> None:
    assert shown_path(path, root) == expected


def test_addresses_of_one_path_are_told_apart() -> None:
    for whole in ("https://host/a.py?x=1", "https://host/a.py#L3", "https://host/?"):
        assert address_beyond_path(whole) == whole
    for path in ("https://host/a.py", "a.py?x=1", "c#/a.py", ""):
        assert address_beyond_path(path) == ""
    assert address_beyond_path(PurePosixPath("a.py")) == ""


@pytest.mark.parametrize("address", ["https://host/r/a.py?raw=1#L3", "http://host/a.py#a.csv"])
def test_what_a_document_is_does_not_depend_on_a_query(address: str) -> None:
    path = shown_path(address, None)
    assert {chunk.language for chunk in Chunker().chunk("x = 1\n", path=path)} == {"python"}


def test_only_a_path_is_a_path() -> None:
    class OfBytes:
        def __fspath__(self) -> bytes:
            return b"a.py"

    for value in (None, "", b"a.py", 7, ["a.py"], OfBytes(), float("nan")):
        assert path_key_or_none({"source": value, "file": "a"}, ("source", "file")) == "file"
        assert path_key_or_none({"source": value}, ("source",)) is None
    assert path_key_or_none({"source": Path("a")}, ("source",)) == "source"


def test_a_root_is_a_folder_or_none() -> None:
    assert check_root(None) is None
    assert check_root("/data") == check_root(Path("/data")) == "/data"
    wrong: list[Any] = [True, False, 0, 3, b"x", "", [], ["/data"], {}, Path]
    for value in wrong:
        with pytest.raises(ConfigurationError, match="root must be the path of a folder") as caught:
            check_root(value)
        assert str(caught.value).endswith(f"got {value!r}")


def test_a_route_is_named_as_it_is_looked_up() -> None:
    chunker = Chunker()
    assert check_route(chunker, None, None) == (None, None)
    assert check_route(chunker, " Python ", "MD") == ("python", "markdown")
    assert check_route(chunker, "klingon", "Code") == ("klingon", "code")
    wrong: list[Any] = [True, 3, "", "  ", "a/b", b"md", []]
    for value in wrong:
        with pytest.raises(ConfigurationError, match="language must be a name"):
            check_route(chunker, value, None)
        with pytest.raises(ConfigurationError, match="format must be a name"):
            check_route(chunker, None, value)
    with pytest.raises(ConfigurationError, match="'nope'"):
        check_route(chunker, None, "nope")
