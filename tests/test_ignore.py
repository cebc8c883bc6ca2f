from __future__ import annotations

import random
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from structchunk_core.files import FoundFile, iter_files
from structchunk_core.ignore import patterns_of, verdict_or_none

GIT = shutil.which("git") or ""
NAMES = ("a", "b", "c.py", "d.txt", "build", "x.py", "[z]", "sp ace", ".h", "é")
PATTERNS = (
    "*", "!*/", "!*.py", "build", "build/", "/build", "a/b", "a/**", "**/b", "a/*", "!a/b", "!a/",
    "*.py", "!x.py", "/*", "!/a", "!/a/", "[ab]", "\\!x", "#c", "\\#c", "d.txt ", "d.txt\\ ",
    "sp ace", "a/**/c.py", "?.py", "[!a].py", "[^a].py", "b/", "!b/", "**", "**/", "/**", "a**",
    "!", "/", "[", "\\", "*.", ".*", "!.h", "é", "\\[z\\]", "[z]", "a/b/c.py", "./a", "a//b",
    "  ", "!a/**/x.py", "b\r", "[[:alpha:]]", "[a-c]", "[]x]", "a*[z]", "s*c*e", "*.*y",
)  # fmt: skip


@pytest.mark.parametrize(
    ("content", "path", "verdict"),
    [
        (b"*.log", "deep/in/x.log", True),
        (b"*.log\n!keep.log", "keep.log", False),
        (b"!keep.log\n*.log", "keep.log", True),
        (b"build/", "build", None),
        (b"build/", "build/", True),
        (b"/build", "sub/build", None),
        (b"docs/*.txt", "docs/a.txt", True),
        (b"docs/*.txt", "docs/deep/a.txt", None),
        (b"docs/**/*.txt", "docs/deep/er/a.txt", True),
        (b"docs/**/*.txt", "docs/a.txt", True),
        (b"**/a/**", "x/a/y", True),
        (b"**/a/**", "x/a/", None),
        (b"# no comment", "# no comment", None),
        (b"\\# no comment", "# no comment", True),
        (b"trailing   ", "trailing", True),
        (b"trailing\\ ", "trailing ", True),
        (b"a.txt\r\nb.txt\r\n", "a.txt", True),
        (b"\xef\xbb\xbfa.txt", "a.txt", True),
        (b"[unclosed", "[unclosed", None),
        (b"\xff.txt", "\udcff.txt", True),
        (b"[a-c][!x]", "bz", True),
        (b"[c-a]", "b", None),
        (b"[[:digit:]]?", "7x", True),
        (b"[[:nothing:]]", "n", None),
        (b"a?c", "a\nc", True),
    ],
)
def test_a_pattern_says_what_git_takes_it_for(
    content: bytes, path: str, verdict: bool | None
) -> None:
    names = path.removesuffix("/").split("/")
    found = verdict_or_none(patterns_of(content), names, is_folder=path.endswith("/"))
    assert found is verdict


@pytest.mark.parametrize("pattern", [b"*a" * 40 + b"b", b"**/a/" * 40 + b"b", b"[a" * 5000])
def test_no_pattern_takes_long(pattern: bytes) -> None:
    started = time.perf_counter()
    names = ["a" * 250, *["a"] * 500]
    verdict_or_none(patterns_of(pattern), names, is_folder=False)
    verdict_or_none(patterns_of(pattern), names[:1], is_folder=False)
    assert time.perf_counter() - started < 5


@pytest.mark.skipif(not GIT, reason="git is the judge here")
@pytest.mark.parametrize("seed", range(40))
def test_the_files_found_are_those_that_git_would_add(tmp_path: Path, seed: int) -> None:
    subprocess.run([GIT, "init", "-q", tmp_path], check=True)
    _fill(tmp_path, random.Random(seed), depth=0)
    listed = subprocess.run(
        [GIT, "-C", tmp_path, "ls-files", "-z", "-o", "--exclude-per-directory=.gitignore"],
        check=True,
        capture_output=True,
    )
    wanted = {name for name in listed.stdout.decode().split("\0") if name}
    assert {
        found.name for found in iter_files([tmp_path]) if isinstance(found, FoundFile)
    } == wanted


def _fill(folder: Path, chance: random.Random, depth: int) -> None:
    for name in chance.sample(NAMES, 5):
        if depth < 3 and "." not in name and chance.random() < 0.6:
            (folder / name).mkdir()
            _fill(folder / name, chance, depth + 1)
        else:
            (folder / name).write_text("x")
    if chance.random() < 0.4:
        lines = chance.sample(PATTERNS, chance.randint(1, 4))
        (folder / ".gitignore").write_text("\n".join(lines), encoding="utf-8")
