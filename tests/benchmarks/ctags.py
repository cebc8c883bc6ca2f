"""What Universal Ctags says about files: its parsers, its kinds in families of ours, its tags."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

FUNCTION, TYPE, SCOPE = "function", "type", "scope"
SECTION, RULE, TARGET = "section", "rule", "target"

CTAGS: Mapping[str, str] = {
    "ada": "Ada",
    "bash": "Sh",
    "c": "C",
    "clojure": "Clojure",
    "cmake": "CMake",
    "commonlisp": "Lisp",
    "cpp": "C++",
    "csharp": "C#",
    "css": "CSS",
    "cuda": "CUDA",
    "d": "D",
    "elisp": "EmacsLisp",
    "elixir": "Elixir",
    "elm": "Elm",
    "erlang": "Erlang",
    "fortran": "Fortran",
    "go": "Go",
    "haskell": "Haskell",
    "haxe": "Haxe",
    "java": "Java",
    "javascript": "JavaScript",
    "julia": "Julia",
    "kotlin": "Kotlin",
    "latex": "Tex",
    "lua": "Lua",
    "luau": "Lua",
    "make": "Make",
    "matlab": "MatLab",
    "meson": "Meson",
    "objc": "ObjectiveC",
    "ocaml": "OCaml",
    "ocaml_interface": "OCaml",
    "pascal": "Pascal",
    "perl": "Perl",
    "php": "PHP",
    "powershell": "PowerShell",
    "proto": "Protobuf",
    "puppet": "PuppetManifest",
    "python": "Python",
    "r": "R",
    "racket": "Scheme",
    "ruby": "Ruby",
    "rust": "Rust",
    "scheme": "Scheme",
    "scss": "SCSS",
    "sql": "SQL",
    "starlark": "Python",
    "tcl": "Tcl",
    "tsx": "TypeScript",
    "typescript": "TypeScript",
    "verilog": "SystemVerilog",
    "vhdl": "VHDL",
    "vim": "Vim",
}
"""Our name of a language -> the parser of ctags that reads it."""

FAMILIES: Mapping[str, str] = {
    "annotation": TYPE,
    "callback": FUNCTION,
    "class": TYPE,
    "command": FUNCTION,
    "delegate": FUNCTION,
    "entry": FUNCTION,
    "enum": TYPE,
    "func": FUNCTION,
    "function": FUNCTION,
    "generator": FUNCTION,
    "getter": FUNCTION,
    "guard": FUNCTION,
    "ifclass": TYPE,
    "implementation": TYPE,
    "interface": TYPE,
    "macro": FUNCTION,
    "message": TYPE,
    "method": FUNCTION,
    "methodSpec": FUNCTION,
    "mixin": FUNCTION,
    "module": SCOPE,
    "namespace": SCOPE,
    "object": TYPE,
    "operator": FUNCTION,
    "package": SCOPE,
    "procedure": FUNCTION,
    "program": SCOPE,
    "protocol": TYPE,
    "record": TYPE,
    "rpc": FUNCTION,
    "service": TYPE,
    "setter": FUNCTION,
    "singletonMethod": FUNCTION,
    "struct": TYPE,
    "submodule": SCOPE,
    "subprogram": FUNCTION,
    "subroutine": FUNCTION,
    "table": TYPE,
    "talias": TYPE,
    "task": FUNCTION,
    "template": FUNCTION,
    "trait": TYPE,
    "trigger": FUNCTION,
    "type": TYPE,
    "typealias": TYPE,
    "typedef": TYPE,
    "typespec": TYPE,
    "union": TYPE,
    "view": TYPE,
}
"""Kind of ctags -> the family that it is of; kinds without a family do not count."""

FAMILIES_OF: Mapping[str, Mapping[str, str]] = {
    "Ada": {
        "packspec": SCOPE,
        "protectspec": TYPE,
        "protected": TYPE,
        "subprogspec": FUNCTION,
        "subtype": TYPE,
        "subspec": TYPE,
        "taskspec": TYPE,
        "task": TYPE,
    },
    "C": {"header": ""},
    "C++": {"alias": TYPE},
    "CMake": {"target": TARGET},
    "CSS": {"class": RULE},
    "D": {"alias": TYPE, "module": ""},
    "Elm": {"alias": TYPE, "module": "", "namespace": ""},
    "Erlang": {"module": ""},
    "Fortran": {"interface": TYPE, "entry": "", "method": ""},
    "Go": {"package": ""},
    "Haskell": {"module": ""},
    "Java": {"package": ""},
    "Kotlin": {"package": ""},
    "Make": {"macro": "", "target": RULE},
    "ObjectiveC": {"category": "", "class": FUNCTION},
    "OCaml": {"class": TYPE},
    "PHP": {"alias": ""},
    "Perl": {"package": SCOPE},
    "Protobuf": {"package": ""},
    "Python": {"module": "", "namespace": ""},
    "SCSS": {"class": RULE},
    "SystemVerilog": {"interface": SCOPE, "typedef": "", "enum": "", "struct": ""},
    "Tex": {
        "chapter": SECTION,
        "part": SECTION,
        "section": SECTION,
        "subsection": SECTION,
        "subsubsection": SECTION,
    },
    "TypeScript": {"alias": TYPE},
    "VHDL": {
        "architecture": TYPE,
        "entity": TYPE,
        "type": "",
        "record": "",
        "procedure": "function",
    },
}
"""The same for the kinds of single parsers, where the name alone misleads."""

_MADE_UP = re.compile(r"__anon|anonymous|AnonymousFunction|AnonymousClass|anon_|^__$|^<")


class Tag(NamedTuple):
    """What ctags says about a definition; lines count from 1, ``end`` is 0 when not known."""

    path: str
    name: str
    kind: str
    family: str
    line: int
    end: int


def tags_of(language: str, paths: Sequence[Path]) -> Iterator[Tag]:
    """What ctags finds in files of one language, each definition once; without made-up names."""
    parser = CTAGS[language]
    families = {**FAMILIES, **FAMILIES_OF.get(parser, {})}
    seen: set[tuple[str, str, int]] = set()
    for line in _printed(parser, paths).split("\n"):
        if not line:
            continue
        tag = json.loads(line)
        family = families.get(tag.get("kind", ""), "")
        if not family or not tag["name"] or _MADE_UP.search(tag["name"]):
            continue
        if tag["kind"] == "macro" and "signature" not in tag and parser in {"C", "C++", "CUDA"}:
            continue  # a constant, not something like a function
        key = (tag["path"], tag["name"], tag["line"])
        if key in seen:
            continue
        seen.add(key)
        yield Tag(
            tag["path"], tag["name"], tag["kind"], family, tag["line"], int(tag.get("end", 0))
        )


def _printed(parser: str, paths: Sequence[Path]) -> str:
    """What ctags prints for the files, without those over which it dies."""
    done = subprocess.run(
        [
            _program(),
            "--options=NONE",
            "--output-format=json",
            "--fields=+neKS",
            f"--kinds-{parser}=*",
            f"--language-force={parser}",
            "--sort=no",
            "-L",
            "-",
            "-f",
            "-",
        ],
        input="".join(f"{path}\n" for path in paths),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode >= 0:
        done.check_returncode()
        return done.stdout
    middle = len(paths) // 2
    return _printed(parser, paths[:middle]) + _printed(parser, paths[middle:]) if middle else ""


@cache
def _program() -> str:
    found = shutil.which("ctags")
    if found is None:
        sys.exit("ctags is missing: apt-get install universal-ctags")
    return found
