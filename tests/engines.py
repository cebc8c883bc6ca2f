"""The recipes of the README, run on their engines: each has to give the chunks of a plain loop.

    python -m tests.engines [ENGINE ...]

Needs the extra ``scale``, and a Java for Spark. Nothing but this machine is talked to.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from structchunk_core import Chunker
from structchunk_core.arrow import chunk_schema

ROOT = Path(__file__).resolve().parent.parent
SECONDS = 600  # on a busy machine Ray's processes take minutes to come up
COUNT = 3000
FILES = 4
LOCAL = {
    "PYSPARK_PYTHON": sys.executable,
    "PYSPARK_SUBMIT_ARGS": "--master local[2] --conf spark.ui.enabled=false "
    "--conf spark.driver.host=127.0.0.1 --conf spark.driver.bindAddress=127.0.0.1 pyspark-shell",
    "RAY_USAGE_STATS_ENABLED": "0",
    "SPARK_LOCAL_IP": "127.0.0.1",
    "DO_NOT_TRACK": "1",
    "PYTHONWARNINGS": "ignore",
}
SETUP = {
    # Processors are what Ray says they are: the readers need one beside those of the actors.
    "ray": "import ray\nray.init(num_cpus=4, include_dashboard=False, log_to_driver=False, "
    "object_store_memory=200_000_000)\n",
}


def main(wanted: list[str]) -> int:
    """Run the recipes, print what came of each, and return how many gave other chunks."""
    recipes = dict(
        re.findall(
            r"<!-- engine: (\w+) -->\n```python\n(.*?)\n```",
            (ROOT / "README.md").read_text("utf-8"),
            re.DOTALL,
        )
    )
    names = wanted or sorted(recipes)
    failed = 0
    documents = list(_documents())
    plain = _plain(documents)
    print(f"{len(documents)} documents, {plain.total()} chunks")
    for name in names:
        begin = time.monotonic()
        said = _differs(name, recipes[name], documents, plain)
        failed += bool(said)
        print(f"{'FAIL' if said else 'ok  '} {name} ({time.monotonic() - begin:.0f}s) {said}")
    print(f"{len(names) - failed} passed, {failed} failed")
    return failed


def _documents() -> Iterator[tuple[str | None, str | None]]:
    """Paths and texts: pieces of real modules, small pages and tables, and what is no document."""
    library = Path(sysconfig.get_path("stdlib"))
    modules = [path.read_text("utf-8") for path in sorted(library.glob("*.py"))[:40]]
    for number in range(COUNT):
        lines = modules[number % len(modules)].splitlines(keepends=True)
        begin = number * 7 % max(1, len(lines) - 40)
        body = "".join(lines[begin : begin + 40])
        kind = number % 4
        if kind == 0:
            yield f"src/{number}.py", body
        elif kind == 1:
            yield f"docs/{number}.md", f"# Page {number}\n\nWords.\n\n```python\n{body}```\n"
        elif kind == 2:
            yield f"data/{number}.csv", "name,value\n" + f"größer,{number}\n" * (number % 90)
        else:
            yield (
                (f"{number}.txt", "" if number % 8 == 3 else None)
                if number % 40 < 8
                else (
                    None,
                    body,
                )
            )


Rows = Counter[tuple[str, str, str]]


def _plain(documents: list[tuple[str | None, str | None]]) -> Rows:
    chunker = Chunker(chunk_size=512)
    return Counter(
        (chunk.id, chunk.source, chunk.embed_text)
        for path, text in documents
        for chunk in chunker.chunk(text or "", path=path or "")
    )


def _differs(
    name: str, recipe: str, documents: list[tuple[str | None, str | None]], plain: Rows
) -> str:
    """What is wrong with what the recipe gives, or ``""``."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "documents").mkdir()
        size = -(-len(documents) // FILES)
        for number in range(FILES):
            paths, texts = zip(*documents[number * size : (number + 1) * size], strict=True)
            table = pa.table({"path": pa.array(paths), "text": pa.array(texts)})
            pq.write_table(table, folder / "documents" / f"{number}.parquet")
        script = folder / "recipe.py"
        script.write_text(SETUP.get(name, "") + recipe, "utf-8")
        python_path = os.pathsep.join([str(ROOT / "core"), os.environ.get("PYTHONPATH", "")])
        environment = {**os.environ, **LOCAL, "PYTHONPATH": python_path.rstrip(os.pathsep)}
        try:
            done = subprocess.run(
                [sys.executable, script],
                cwd=folder,
                check=False,
                capture_output=True,
                text=True,
                timeout=SECONDS,
                env=environment,
            )
        except subprocess.TimeoutExpired as late:
            said = (late.stderr or b"").decode(errors="replace")[-3000:]
            return f"it took more than {SECONDS} seconds\n{said}"
        if done.returncode:
            return f"exit code {done.returncode}\n{done.stderr[-3000:]}"
        files = sorted(
            path for path in folder.glob("chunks*/**/*.parquet") if not path.name.startswith(".")
        )
        files += sorted(folder.glob("chunks.parquet"))
        tables = [pq.read_table(path) for path in files if path.is_file()]
        if any(table.schema.names != chunk_schema().names for table in tables):
            return f"other columns: {tables[0].schema.names}"
        found: Rows = Counter(
            (row["id"], row["source"], row["embed_text"])
            for table in tables
            for row in table.select(["id", "source", "embed_text"]).to_pylist()
        )
        if found != plain:
            return f"{(plain - found).total()} chunks missing, {(found - plain).total()} others"
        return ""


if __name__ == "__main__":
    sys.exit(min(main(sys.argv[1:]), 1))
