"""Finding the files of a folder that hold text, and reading them.

The same files in the same order on every machine: what is found depends on the folders and their
``.gitignore`` files only, and everything that is left out says why.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from structchunk_core.errors import Problem, StructchunkError
from structchunk_core.ignore import Pattern, patterns_of, verdict_or_none

BINARY = "binary"
IGNORED = "ignored by .gitignore"
LINK = "link"
SPECIAL = "no regular file"

_VERSION_CONTROL = frozenset({".bzr", ".git", ".hg", ".jj", ".svn", "CVS", "_darcs"})
_HEAD = 8192
_SAMPLE = 1 << 20
_MARKS = (
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_CONTROLS = bytes(set(range(32)) - set(b"\b\t\n\f\r\x1b")) + b"\x7f"
_BEYOND_ASCII = bytes(range(128, 256))
_ESCAPED = re.compile("[\udc80-\udcff]")


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A regular file to read.

    Attributes:
        file: where it is.
        name: its path below the folder that was searched, with ``/`` on every platform.
        size: its length in bytes.
    """

    file: Path
    name: str
    size: int


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file or folder that is left out, as it should be, and why (one of few fixed phrases)."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file or folder that the system would not let us read, and what the system said."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text of a file.

    Attributes:
        text: its characters; line ends and a byte order mark (U+FEFF) stand as they are.
        problems: what had to be guessed or replaced to read it.
    """

    text: str
    problems: tuple[Problem, ...] = ()


class NotTextError(StructchunkError):
    """The bytes are not those of a text."""


def iter_files(
    paths: Sequence[Path], *, exclude: Collection[Path] = ()
) -> Iterator[FoundFile | Skipped | Unreadable]:
    """Every file in the folders, depth first and sorted by name; each file once.

    A path that is named is taken, whatever ``.gitignore`` says of it and if it is a link. Inside
    a folder, the ``.gitignore`` files of every level count as they do for git, with those above
    it up to the top of its repository; folders of version control systems are passed over and
    links are not followed: what they lead to is read where it stands, if it stands in the folder.
    Pipes and devices are left out in a folder, and cannot be read when they are named.
    Nothing is opened but ``.gitignore`` files.

    Args:
        paths: files and folders. The names of what is found are relative to the folder that is
            searched or, with several paths, to the deepest folder that holds all of them.
        exclude: files to pass over without a word, such as the output.
    """
    excluded = frozenset(path.resolve() for path in exclude)
    seen: set[str] = set()
    for path, name in sorted(zip(paths, _names(paths), strict=True), key=lambda pair: pair[1]):
        for found in _walk(path, name, excluded) if path.is_dir() else (_named(path, name),):
            if found.name in seen:
                continue
            if len(paths) > 1:
                seen.add(found.name)
            yield found


def read_text(file: Path) -> Decoded:
    """The text of a file, decoded as :func:`decode` says.

    Raises:
        OSError: it cannot be read.
        NotTextError: it is not text, or a pipe or device, which is not even opened.
    """
    return decode(read_bytes(file))


def read_bytes(file: Path) -> bytes:
    """The bytes of a file that looks like text; of others only the beginning is read.

    Raises:
        OSError: it cannot be read.
        NotTextError: it is binary, or a pipe or device, which is not even opened.
    """
    if not stat.S_ISREG(file.stat().st_mode):
        raise NotTextError(SPECIAL)
    with file.open("rb") as stream:
        head = stream.read(_HEAD)
        if _is_binary(head):
            raise NotTextError(BINARY)
        return head + stream.read()


def decode(data: bytes) -> Decoded:
    """The bytes as text: nothing normalised, the byte order mark kept.

    UTF-8, with or without a mark; UTF-16 and UTF-32 with a mark; UTF-8 in which few bytes are
    broken, with U+FFFD in their place and the problem ``invalid-encoding``; otherwise what
    charset-normalizer takes it for, with the problem ``guessed-encoding``.

    Raises:
        NotTextError: a NUL byte among the first 8192, too many control characters, or bytes that
            are text in no encoding.
    """
    if _is_binary(data[:_HEAD]):
        raise NotTextError(BINARY)
    encoding = _marked_encoding(data) or "utf-8"
    try:
        # Windows writes file names with lone surrogates into UTF-16; they are kept.
        return Decoded(data.decode(encoding, "strict" if encoding == "utf-8" else "surrogatepass"))
    except UnicodeDecodeError:
        if encoding != "utf-8" or _is_nearly_utf8(data):
            return _decoded_with_gaps(data, encoding)
    if _is_mostly_controls(data[:_SAMPLE]):
        raise NotTextError(BINARY)
    return _guessed(data)


def _names(paths: Sequence[Path]) -> list[str]:
    """What each path is called in front of the names of what is in it; a lone folder is ""."""
    folders = [path if path.is_dir() else path.parent for path in paths]
    places = [
        folder.resolve() if folder is path else folder.resolve() / path.name
        for path, folder in zip(paths, folders, strict=True)
    ]
    try:
        common = os.path.commonpath([folder.resolve() for folder in folders])
    except ValueError:  # no path at all, or paths on several drives
        return [place.as_posix() for place in places]
    names = (place.relative_to(common).as_posix() for place in places)
    return ["" if name == "." else name for name in names]


def _named(path: Path, name: str) -> FoundFile | Unreadable:
    """What a path is that is no folder."""
    try:
        status = path.stat()
    except OSError as error:
        return Unreadable(name, said(error))
    if not stat.S_ISREG(status.st_mode):
        return Unreadable(name, SPECIAL)
    return FoundFile(path, name, status.st_size)


@dataclass(frozen=True, slots=True)
class _Rules:
    """The patterns of one .gitignore file, and how a path below the searched folder starts at it.

    Attributes:
        patterns: the last first.
        above: names to put in front of the path, when the file is above the searched folder.
        cut: how many names to take off, when it is inside.
    """

    patterns: tuple[Pattern, ...]
    above: tuple[str, ...] = ()
    cut: int = 0


@dataclass(frozen=True, slots=True)
class _Step:
    """Something still to be visited; ``path`` is below the searched folder, "" for itself."""

    path: str
    entry: os.DirEntry[str] | None
    rules: tuple[_Rules, ...]


def _walk(
    root: Path, name: str, excluded: frozenset[Path]
) -> Iterator[FoundFile | Skipped | Unreadable]:
    """What is in a folder, itself excepted."""
    place = root.resolve()
    prefix = f"{name}/" if name else ""
    try:
        stack = [_Step("", None, _rules_above(place))]
    except OSError as error:
        yield Unreadable(name or ".", said(error))
        return
    while stack:
        step = stack.pop()
        entry = step.entry
        full_name = prefix + step.path
        try:
            if entry is None or _is_folder(entry):
                if entry is not None and _is_ignored(step.path, step.rules, is_folder=True):
                    yield Skipped(full_name, IGNORED)
                else:
                    stack.extend(reversed(_listed(root, step)))
            elif _is_ignored(step.path, step.rules, is_folder=False):
                yield Skipped(full_name, IGNORED)
            elif entry.is_file(follow_symlinks=False):
                if not excluded or place / step.path not in excluded:
                    size = entry.stat(follow_symlinks=False).st_size
                    yield FoundFile(root / step.path, full_name, size)
            else:
                is_link = entry.is_symlink() or entry.is_dir(follow_symlinks=False)
                yield Skipped(full_name, LINK if is_link else SPECIAL)
        except OSError as error:
            yield Unreadable(full_name or ".", said(error))


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """Whether it is a folder and no link to one, nor a junction as Windows has them."""
    is_junction = sys.version_info >= (3, 12) and entry.is_junction()
    return entry.is_dir(follow_symlinks=False) and not is_junction


def _listed(root: Path, step: _Step) -> list[_Step]:
    """What is in a folder of the walk, sorted by name."""
    folder = root / step.path
    below = f"{step.path}/" if step.path else ""
    rules = step.rules
    with os.scandir(folder) as listing:
        entries = sorted(listing, key=lambda entry: entry.name)
    if any(entry.name == ".gitignore" for entry in entries):
        rules = (*_read_rules(folder, cut=below.count("/")), *rules)
    return [
        _Step(below + entry.name, entry, rules)
        for entry in entries
        if entry.name not in _VERSION_CONTROL
    ]


def _rules_above(place: Path) -> tuple[_Rules, ...]:
    """The rules of the repository that the folder is in, nearest first, without its own.

    None of them when they ignore the folder itself: it was asked for by name.
    """
    rules: list[_Rules] = []
    above: tuple[str, ...] = ()
    for inner, folder in zip((place, *place.parents), place.parents, strict=False):
        if (inner / ".git").exists():
            break
        above = (inner.name, *above)
        rules += _read_rules(folder, above=above)
    else:
        return ()  # not in a repository: what lies above is no business of ours
    if any(
        verdict_or_none(rule.patterns, rule.above[:depth], is_folder=True)
        for rule in rules
        for depth in range(1, len(rule.above) + 1)
    ):
        return ()
    return tuple(rules)


def _read_rules(folder: Path, *, above: tuple[str, ...] = (), cut: int = 0) -> tuple[_Rules, ...]:
    """The rules of the .gitignore file in the folder; none when there is none."""
    file = folder / ".gitignore"
    if file.is_symlink() or not file.is_file():  # git does not follow a link here either
        return ()
    patterns = patterns_of(file.read_bytes())
    return (_Rules(patterns, above, cut),) if patterns else ()


def _is_ignored(path: str, rules: Sequence[_Rules], *, is_folder: bool) -> bool:
    """Whether the nearest file that says something about the path says to ignore it."""
    names = path.split("/")
    for rule in rules:
        below = (*rule.above, *names[rule.cut :])
        verdict = verdict_or_none(rule.patterns, below, is_folder=is_folder)
        if verdict is not None:
            return verdict
    return False


def _is_binary(head: bytes) -> bool:
    return b"\0" in head and _marked_encoding(head) is None


def _marked_encoding(data: bytes) -> str | None:
    """The encoding whose byte order mark the bytes begin with, UTF-8 excepted."""
    return next((encoding for mark, encoding in _MARKS if data.startswith(mark)), None)


def _is_nearly_utf8(data: bytes) -> bool:
    """Whether nine of ten bytes beyond ASCII belong to well-formed UTF-8.

    Text in an older encoding has next to none: there a letter beyond ASCII is one byte, or two of
    which the second is rarely what UTF-8 asks for.
    """
    decoded = data.decode("utf-8", "surrogateescape")
    broken = len(_ESCAPED.findall(decoded))
    beyond = len(data) - len(data.translate(None, _BEYOND_ASCII))
    return broken * 10 <= beyond


def _decoded_with_gaps(data: bytes, encoding: str) -> Decoded:
    problem = Problem(
        "invalid-encoding",
        f"some bytes are not {encoding.upper()}; U+FFFD stands in their place",
    )
    return Decoded(data.decode(encoding, "replace"), (problem,))


def _is_mostly_controls(data: bytes) -> bool:
    """Whether more than one byte in 200 is a control character that no text has."""
    return (len(data) - len(data.translate(None, _CONTROLS))) * 200 > len(data)


def _guessed(data: bytes) -> Decoded:
    from charset_normalizer import from_bytes

    match = from_bytes(data[:_SAMPLE]).best()
    if match is None:
        raise NotTextError(BINARY)
    problem = Problem(
        "guessed-encoding",
        f"the bytes are not UTF-8; they were read as {match.encoding}, which is a guess",
    )
    return Decoded(data.decode(match.encoding, "replace"), (problem,))


def said(error: OSError) -> str:
    """What the system said, without the name of the file."""
    return error.strerror or type(error).__name__
