"""Documents made to break parsers: each is done, and keeps every promise."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from structchunk_core import Chunker
from tests.promises import check_promises

_MEGABYTE = 1_000_000
_STATUS = Path("/proc/self/status")
_MOST_MEMORY = 1024  # MB, of a process that chunks one of these


def _noise(length: int, lowest: int = 32, highest: int = 127) -> str:
    chance = random.Random(length)  # the same noise every time
    return "".join(
        chr(chance.randrange(lowest, highest)) if chance.random() > 0.02 else "\n"
        for _ in range(length)
    )


def _minified(length: int) -> str:
    one = "function f{}(a,b){{var c=a+b*{};if(c>10){{return c}}else{{for(;;){{c+=g(b,[1,2])}}}}}}"
    return "".join(one.format(n, n) for n in range(length // 70))


ENDINGS = ["py", "c", "js", "sh", "md", "html", "vue", "csv", "txt", "json", "yaml", "toml", "xml"]

DOCUMENTS: Mapping[str, tuple[str, Callable[[], str]]] = {
    "nested parentheses": ("a.py", lambda: "x = " + "(" * 6000 + "1" + ")" * 6000 + "\n"),
    "nested brackets": ("a.c", lambda: "int x = " + "(" * 6000 + "1" + ")" * 6000 + ";\n"),
    "nested blocks": ("a.js", lambda: "{" * 6000 + "}" * 6000),
    "a long expression": ("a.py", lambda: "x = " + " + ".join(f"a{n}" for n in range(5000))),
    "a long chain": ("a.js", lambda: "x" + "".join(f".then(a{n})" for n in range(5000))),
    "many alternatives": ("a.py", lambda: "if a:\n  b\n" + "elif c:\n  d\n" * 3000),
    "many else if": ("a.c", lambda: "void f(){" + "if(a){b();}else " * 2000 + "{}}"),
    "a minified line": ("a.js", lambda: _minified(5 * _MEGABYTE)),
    "a huge literal": ("a.js", lambda: f"var a=[{','.join(map(str, range(200_000)))}];"),
    "a long string": ("a.py", lambda: 'x = "' + "abc def " * 250_000 + '"\n'),
    "a long word": ("a.txt", lambda: "a" * 2 * _MEGABYTE),
    "blank lines": ("a.py", lambda: "x = 1\n" + "\n" * 200_000 + "y = 2\n"),
    "blank lines in markdown": ("a.md", lambda: "x\n" + "\n" * 200_000 + "y\n"),
    "blank lines in a table": ("a.csv", lambda: "x,y\n" + "\n" * 200_000 + "1,2\n"),
    "many rows": ("a.csv", lambda: "a,b\n" + "".join(f'{n},"x {n}"\n' for n in range(100_000))),
    "many columns": (
        "a.csv",
        lambda: ",".join(f"c{n}" for n in range(20_000)) + "\n" + "1," * 19_999,
    ),
    "nested quotes": ("a.md", lambda: "> " * 20_000 + "x\n"),
    "nested lists": ("a.md", lambda: "- " * 20_000 + "x\n"),
    "nested lists of json": ("a.json", lambda: "[" * 200_000 + "]" * 200_000),
    "nested objects of json": ("a.json", lambda: '{"a":' * 200_000),
    "closed brackets of json": ("a.json", lambda: "[{" + "}]" * 200_000),
    "quotes in json": ("a.json", lambda: '{"a": "' + "x" * 2 * _MEGABYTE),
    "a minified line of json": (
        "a.json",
        lambda: (
            "["
            + ",".join(
                f'{{"id":{n},"name":"Item {n}","at":[{n},2.5],"of":{{"kind":"b","words":"of"}}}}'
                for n in range(75_000)
            )
            + "]"
        ),
    ),
    "many lines of json": ("a.jsonl", lambda: '{"a": [1, 2}\n' * 100_000),
    "a string of json": ("a.json", lambda: '{"text": "' + "word and word\\n" * 150_000 + '"}'),
    "nested keys of yaml": ("a.yaml", lambda: "".join(" " * n + "a:\n" for n in range(400))),
    "nested items of yaml": ("a.yaml", lambda: "- " * 50_000 + "x\n"),
    "open brackets of yaml": ("a.yaml", lambda: "a: [\n" * 50_000),
    "open quotes of yaml": ("a.yaml", lambda: "a: 'x\n" * 49_999),
    "quotes in brackets of yaml": ("a.yaml", lambda: "a: [" + " 'x\" ," * 99_999),
    "a string of yaml": ("a.yaml", lambda: "a: " + "word and word " * 150_000),
    "open brackets of toml": ("a.toml", lambda: "a = [\n" * 50_000),
    "open strings of toml": ("a.toml", lambda: 'a = """x\n' * 50_001),
    "tables of toml": ("a.toml", lambda: "".join(f"[a.b{n}]\nx = [1]\n" for n in range(50_000))),
    "nested tables of toml": ("a.toml", lambda: "".join(f"[{'a.' * n}b]\n" for n in range(1, 300))),
    "nested elements": ("a.xml", lambda: "<a>" * 100_000 + "</a>" * 100_000),
    "open elements": ("a.xml", lambda: "<a>\n<b x='1'>" * 50_000),
    "open comments": ("a.xml", lambda: "<a>" + "<!-- x " * 100_000),
    "open comments of a doctype": ("a.xml", lambda: "<!DOCTYPE a [" + "<!--" * 100_000),
    "open instructions": ("a.xml", lambda: "<a>" + "<!DOCTYPE x [ <? <![CDATA[" * 30_000),
    "closed elements": ("a.xml", lambda: "<a>" + "</b></c>" * 50_000),
    "quotes in tags": ("a.xml", lambda: "<a x='" * 100_000),
    "a huge attribute": ("a.xml", lambda: "<a x='" + "word " * 400_000 + "'><b/><b/></a>"),
    "many records of xml": (
        "a.xml",
        lambda: "<a>" + "".join(f"<b id='{n}'><c>word {n}</c></b>" for n in range(60_000)) + "</a>",
    ),
    "many commas in json": ("a.json", lambda: "[" + "," * 200_000 + "]"),
    "open comments of json": ("a.json", lambda: "[/*" * 100_000),
    "nul": ("a.py", lambda: "\0" * 1000),
    "no spaces": ("a.txt", lambda: "日本語テキスト。" * 50_000),
    **{f"noise.{ending}": (f"a.{ending}", lambda: _noise(200_000)) for ending in ENDINGS},
    **{
        f"garbage.{ending}": (f"a.{ending}", lambda: _noise(50_000, 0, 0x2FFF))
        for ending in ENDINGS
    },
}
SETTINGS: Mapping[str, dict[str, Any]] = {
    "definition": {"parse_seconds": 3},
    "packed": {
        "chunk_size": 1500,
        "target_size": 1500,
        "tokenizer": "characters",
        "granularity": "packed",
        "parse_seconds": 3,
    },
}


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_promises_hold(name: str, settings: str) -> None:
    path, make = DOCUMENTS[name]
    text = make()
    chunker = Chunker(**SETTINGS[settings])
    check_promises(text, chunker.chunk(text, path=path), chunker)


@pytest.mark.parametrize(
    "name",
    ["a minified line", "a huge literal", "a long string", "many rows", "a minified line of json"],
)
def test_memory_stays_bounded(name: str) -> None:
    if not _STATUS.exists():
        pytest.skip("only Linux tells the peak of a process without that of the one it came from")
    program = (
        "from structchunk_core import Chunker\n"
        "from tests.test_hostile import DOCUMENTS, peak_memory\n"
        f"path, make = DOCUMENTS[{name!r}]\n"
        "Chunker().chunk(make(), path=path)\n"
        "print(peak_memory())"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) < _MOST_MEMORY


def peak_memory() -> int:
    """The most memory that this process has had at once, in megabytes.

    ``getrusage`` counts what the process that started it had, too.
    """
    found = re.search(r"^VmHWM:\s+(\d+) kB$", _STATUS.read_text(), re.MULTILINE)
    assert found is not None
    return int(found[1]) // 1024
