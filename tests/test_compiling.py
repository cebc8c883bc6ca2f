"""What the build hook is told; ``.ci/run`` builds a compiled wheel and compares its chunks."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

_ROOT = Path(__file__).parent.parent
_PROJECT = tomllib.loads((_ROOT / "pyproject.toml").read_text("utf-8"))
_HOOK = _PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["hooks"]["custom"]


def test_a_wheel_is_pure_python_unless_somebody_asks() -> None:
    assert _HOOK["enable-by-default"] is False
    assert (_ROOT / _HOOK["path"]).is_file()


def test_what_is_compiled_is_there() -> None:
    core = _ROOT / "core" / "structchunk_core"
    assert [name for name in _HOOK["modules"] if not (core / name).is_file()] == []


def test_nothing_that_is_pickled_or_referred_to_weakly_is_compiled() -> None:
    kept = {"borders.py", "chunks.py", "definition.py", "settings.py", "sizing.py", "source.py"}
    assert kept.isdisjoint(_HOOK["modules"])
    assert [
        name for name in kept if not (_ROOT / "core" / "structchunk_core" / name).is_file()
    ] == []


_KEYWORDS = frozenset(  # of C compilers
    f"__{word}"
    for word in (
        *("alignof", "asm", "attribute", "auto_type", "complex", "const", "extension", "imag"),
        *("inline", "label", "real", "restrict", "signed", "thread", "typeof", "volatile"),
    )
)


def test_no_attribute_of_what_is_compiled_is_a_keyword_of_c() -> None:
    # mypyc puts a line in front of their names, so that ``_inline`` would be ``__inline``.
    found: list[tuple[str, str]] = []
    for name in _HOOK["modules"]:
        tree = ast.parse((_ROOT / "core" / "structchunk_core" / name).read_text("utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                attribute = node.attr
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                attribute = node.target.id
            else:
                continue
            if f"_{attribute}" in _KEYWORDS:
                found.append((name, attribute))
    assert found == []
