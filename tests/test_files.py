from __future__ import annotations

import os
from pathlib import Path

import pytest

from structchunk_core.files import (
    BINARY,
    IGNORED,
    LINK,
    SPECIAL,
    FoundFile,
    NotTextError,
    Skipped,
    Unreadable,
    decode,
    iter_files,
    read_text,
)

GERMAN = "Größe und Länge der Straße: fünf Füße, über die Brücke hinüber. Schön, daß es das gibt.\n"


def tree(root: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def names(*paths: Path, exclude: tuple[Path, ...] = ()) -> list[str]:
    return [
        found.name for found in iter_files(paths, exclude=exclude) if isinstance(found, FoundFile)
    ]


def skipped(*paths: Path) -> list[tuple[str, str]]:
    return [(found.name, found.reason) for found in iter_files(paths) if isinstance(found, Skipped)]


def test_files_come_sorted_and_named_below_the_folder(tmp_path: Path) -> None:
    tree(tmp_path, {"b.md": "", "a/z.py": "12345", "a/b/c.py": "", "B.md": "", ".x/y": ""})
    found = [item for item in iter_files([tmp_path]) if isinstance(item, FoundFile)]
    assert [item.name for item in found] == [".x/y", "B.md", "a/b/c.py", "a/z.py", "b.md"]
    assert found[3] == FoundFile(tmp_path / "a" / "z.py", "a/z.py", 5)


def test_several_paths_are_named_below_the_folder_that_holds_them(tmp_path: Path) -> None:
    tree(tmp_path, {"src/a.py": "", "docs/en/a.md": "", "docs/de/a.md": "", "other": ""})
    wanted = ["docs/en/a.md", "src/a.py"]
    assert names(tmp_path / "src", tmp_path / "docs" / "en") == wanted
    assert names(tmp_path / "docs" / "en", tmp_path / "src") == wanted
    assert names(tmp_path / "docs" / "en" / "a.md", tmp_path / "docs" / "de" / "a.md") == [
        "de/a.md",
        "en/a.md",
    ]
    assert names(tmp_path / "src" / "a.py") == ["a.py"]
    assert names() == []


def test_a_file_named_twice_comes_once(tmp_path: Path) -> None:
    tree(tmp_path, {"src/a.py": "", "b.py": ""})
    everything = (tmp_path, tmp_path / "src", tmp_path / "src" / "a.py", tmp_path)
    assert names(*everything) == ["b.py", "src/a.py"]


def test_the_name_of_a_folder_does_not_depend_on_how_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree(tmp_path, {"src/a.py": ""})
    monkeypatch.chdir(tmp_path)
    for way in (".", "src/..", str(tmp_path)):
        assert names(Path(way)) == ["src/a.py"]


def test_gitignore_of_every_level_counts_and_the_nearest_wins(tmp_path: Path) -> None:
    tree(
        tmp_path,
        {
            ".gitignore": "*.log\n/build/\nsecret.txt\n",
            "a.log": "",
            "build/out.txt": "",
            "sub/.gitignore": "!keep.log\n*.tmp\n",
            "sub/keep.log": "",
            "sub/other.log": "",
            "sub/x.tmp": "",
            "sub/build/in.txt": "",
            "x.tmp": "",
            "sub/deep/secret.txt": "",
        },
    )
    assert names(tmp_path) == [
        ".gitignore",
        "sub/.gitignore",
        "sub/build/in.txt",
        "sub/keep.log",
        "x.tmp",
    ]
    assert skipped(tmp_path) == [
        ("a.log", IGNORED),
        ("build", IGNORED),
        ("sub/deep/secret.txt", IGNORED),
        ("sub/other.log", IGNORED),
        ("sub/x.tmp", IGNORED),
    ]


def test_gitignore_above_counts_up_to_the_top_of_the_repository(tmp_path: Path) -> None:
    tree(
        tmp_path,
        {
            ".gitignore": "*.md\n",
            "repo/.git/HEAD": "",
            "repo/.gitignore": "*.log\n/src/pack/gen/\n",
            "repo/src/.gitignore": "*.tmp\n",
            "repo/src/pack/a.md": "",
            "repo/src/pack/a.log": "",
            "repo/src/pack/a.tmp": "",
            "repo/src/pack/gen/b.py": "",
        },
    )
    assert names(tmp_path / "repo" / "src" / "pack") == ["a.md"]


def test_gitignore_above_says_nothing_outside_a_repository(tmp_path: Path) -> None:
    tree(tmp_path, {".gitignore": "*", "folder/a.md": ""})
    assert names(tmp_path / "folder") == ["a.md"]


def test_what_is_named_is_taken_although_it_is_ignored(tmp_path: Path) -> None:
    tree(
        tmp_path, {".git/HEAD": "", ".gitignore": "build/\n*.log\n", "build/a.py": "", "x.log": ""}
    )
    assert names(tmp_path / "build") == ["a.py"]
    assert names(tmp_path / "x.log") == ["x.log"]


def test_folders_of_version_control_are_passed_over(tmp_path: Path) -> None:
    tree(
        tmp_path, {".git/config": "", ".hg/x": "", "sub/.svn/x": "", ".github/ci.yml": "", "a": ""}
    )
    assert names(tmp_path) == [".github/ci.yml", "a"]
    assert skipped(tmp_path) == []


def test_the_output_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree(tmp_path, {"a.md": "", "chunks.jsonl": "", "sub/chunks.jsonl": ""})
    monkeypatch.chdir(tmp_path)
    wanted = ["a.md", "sub/chunks.jsonl"]
    assert names(tmp_path, exclude=(Path("chunks.jsonl"),)) == wanted
    assert names(Path(), exclude=(tmp_path / "sub" / ".." / "chunks.jsonl",)) == wanted


def test_links_are_not_followed(tmp_path: Path) -> None:
    outside = tree(tmp_path / "outside", {"secret.md": "", "more/secret.md": ""})
    inside = tree(tmp_path / "inside", {"a.md": "", "sub/b.md": ""})
    (inside / "file").symlink_to(outside / "secret.md")
    (inside / "folder").symlink_to(outside, target_is_directory=True)
    (inside / "around").symlink_to(inside, target_is_directory=True)
    (inside / "again.md").symlink_to(inside / "a.md")
    (inside / "dangling").symlink_to(inside / "nothing")
    assert names(inside) == ["a.md", "sub/b.md"]
    links = ["again.md", "around", "dangling", "file", "folder"]
    assert skipped(inside) == [(name, LINK) for name in links]


def test_a_link_that_is_named_is_followed(tmp_path: Path) -> None:
    tree(tmp_path, {"real/a.md": "text", "real/sub/b.md": ""})
    (tmp_path / "link").symlink_to(tmp_path / "real", target_is_directory=True)
    (tmp_path / "a.md").symlink_to(tmp_path / "real" / "a.md")
    assert names(tmp_path / "link") == ["a.md", "sub/b.md"]
    assert names(tmp_path / "a.md") == ["a.md"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are a thing of Unix")
def test_a_named_pipe_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert skipped(tmp_path) == [("pipe", SPECIAL)]
    assert list(iter_files([tmp_path / "pipe"])) == [Unreadable("pipe", SPECIAL)]
    with pytest.raises(NotTextError, match=SPECIAL):
        read_text(tmp_path / "pipe")


def test_what_cannot_be_read_is_named_and_the_rest_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree(tmp_path, {"a.md": "", "closed/b.md": "", "z.md": ""})
    scandir = os.scandir

    def refusing(folder: Path) -> object:
        if Path(folder).name == "closed":
            raise PermissionError(13, "Permission denied")
        return scandir(folder)

    monkeypatch.setattr(os, "scandir", refusing)
    found = list(iter_files([tmp_path, tmp_path / "nothing.md"]))
    assert [item.name for item in found if isinstance(item, FoundFile)] == ["a.md", "z.md"]
    assert [item for item in found if isinstance(item, Unreadable)] == [
        Unreadable("closed", "Permission denied"),
        Unreadable("nothing.md", "No such file or directory"),
    ]


def test_a_deep_tree_needs_no_recursion(tmp_path: Path) -> None:
    folder = tmp_path
    for _ in range(400):
        folder = folder / "d"
    folder.mkdir(parents=True)
    (folder / "x.md").touch()
    assert names(tmp_path) == ["d/" * 400 + "x.md"]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        (b"a\r\nb\rc\n\x0c\x1b[0m", "a\r\nb\rc\n\x0c\x1b[0m"),
        ("größer ✓".encode(), "größer ✓"),
        (b"\xef\xbb\xbfa", "\ufeffa"),
        ("\ufeffäöü\r\n".encode("utf-16-le"), "\ufeffäöü\r\n"),
        ("\ufeffäöü\r\n".encode("utf-16-be"), "\ufeffäöü\r\n"),
        ("\ufeffa\ud800b".encode("utf-16-le", "surrogatepass"), "\ufeffa\ud800b"),
        ("\ufeffäöü".encode("utf-32-le"), "\ufeffäöü"),
        ("\ufeffäöü".encode("utf-32-be"), "\ufeffäöü"),
        (b"a" * 8192 + b"\0b", "a" * 8192 + "\0b"),
    ],
)
def test_text_comes_as_it_is(tmp_path: Path, data: bytes, text: str) -> None:
    decoded = decode(data)
    assert (decoded.text, decoded.problems) == (text, ())
    (tmp_path / "file").write_bytes(data)
    assert read_text(tmp_path / "file") == decoded


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252"])
def test_an_older_encoding_is_guessed_and_noted(encoding: str) -> None:
    decoded = decode((GERMAN * 5).encode(encoding))
    assert decoded.text == GERMAN * 5
    assert [problem.code for problem in decoded.problems] == ["guessed-encoding"]
    assert decoded.problems[0].is_everywhere


def test_what_is_guessed_does_not_depend_on_what_follows_a_megabyte() -> None:
    data = (GERMAN * 20_000).encode("latin-1")
    assert decode(data).text == GERMAN * 20_000


def test_a_few_broken_bytes_leave_the_rest_as_it_is() -> None:
    data = ("Прощай и спасибо за рыбу. " * 10).encode()
    decoded = decode(data + b"\xff\xfe" + data[:-3])  # -3: half a letter, too
    assert decoded.text.count("Прощай") == 20
    assert decoded.text.count("\ufffd") == 3
    assert [problem.code for problem in decoded.problems] == ["invalid-encoding"]


def test_half_a_character_of_utf_16_is_noted() -> None:
    decoded = decode("\ufeffab".encode("utf-16-le") + b"c")
    assert decoded.text == "\ufeffab\ufffd"
    assert [problem.code for problem in decoded.problems] == ["invalid-encoding"]


@pytest.mark.parametrize(
    "data",
    [
        b"\x7fELF\x02\x01\x01\0\0",
        b"text, then \0 and more",
        b"%PDF-1.7\n" + bytes(range(1, 256)) * 20,
        b"\x89PNG\r\n\x1a\n" + bytes(range(255, 0, -1)) * 3,
    ],
)
def test_what_is_no_text_says_so(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(NotTextError, match=BINARY):
        decode(data)
    (tmp_path / "file").write_bytes(data)
    with pytest.raises(NotTextError, match=BINARY):
        read_text(tmp_path / "file")
