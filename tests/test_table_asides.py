"""Comments inside the records of a list that is a table, embedded with its rows."""

from __future__ import annotations

import pytest

from structchunk_core import Chunk, Chunker
from tests.promises import check_promises

JSON = "[\n" + ",\n".join(
    f'  {{ // row {n}\n    "id": {n}, /* odd\n     * or even */\n    "at": "http://x#{n}" }}'
    for n in range(6)
) + "\n]\n"  # fmt: skip
YAML = "".join(
    f"- id: {n}  # row {n}\n  # odd or\n  at:\n    to: 'x # {n}' # even\n"
    f"  in: [a, # of it\n    '#{n}']\n"
    f"  text: | # said\n    # as it\n    stands\n  z: {{b: 1}} # end\n"
    for n in range(6)
)
FLOW = "rows: [\n" + ",\n".join(
    f"  {{id: {n}, # row {n}\n   at: 'x # {n}'}}" for n in range(6)
) + "\n]\n"  # fmt: skip
TOML = "".join(
    f"[[row]] # row {n}\nid = {n}\n# odd\nat = '# {n}' # even\nin = [ # of it\n 'a']\n"
    for n in range(6)
)
XML = "<rows>\n" + "".join(
    f"<row id='{n}'><!-- row {n} --><a>1<!-- odd --></a><b>2</b>up<![CDATA[<!-- {n} -->]]>"
    "<c>3</c><d>4</d><e>5</e></row>\n"
    for n in range(6)
) + "</rows>\n"  # fmt: skip

ASIDES = "row {n} odd or even of it said end"
CASES = [
    ("a.json5", JSON, "id: {n}; at: http://x#{n}; row {n} odd or even"),
    (
        "a.yaml",
        YAML,
        "id: {n}; at.to: x # {n}; in: a, #{n}; text: # as it stands; z.b: 1; {asides}",
    ),
    ("flow.yaml", FLOW, "id: {n}; at: x # {n}; row {n}"),
    ("a.toml", TOML, "id: {n}; at: # {n}; in: a; row {n} odd even of it"),
    ("a.xml", XML, "id: {n}; a: 1; b: 2; c: 3; d: 4; e: 5; up<!-- {n} --> row {n} odd"),
]


def cut(path: str, text: str, size: int, record_format: str = "both") -> list[Chunk]:
    chunker = Chunker(
        tokenizer="characters",
        chunk_size=size,
        target_size=size,
        table_format="both",
        table_profile=False,
        record_format=record_format,  # type: ignore[arg-type]
    )
    chunks = chunker.chunk(text, path=path)
    check_promises(text, chunks, chunker)
    return chunks


@pytest.mark.parametrize("record_format", ["both", "written"])
@pytest.mark.parametrize("size", [3000, 260])
@pytest.mark.parametrize(("path", "text", "line"), CASES)
def test_words_in_no_cell_stand_behind_the_cells_of_their_row(
    path: str, text: str, line: str, size: int, record_format: str
) -> None:
    chunks = cut(path, text, size, record_format)
    lines = [line for chunk in chunks for line in chunk.indexed.splitlines()]
    assert [one for one in lines if one.startswith("id: ")] == [
        line.format(n=n, asides=ASIDES.format(n=n)) for n in range(6)
    ]
    assert "".join(chunk.text for chunk in cut(path, text, 3000)).strip() == text.strip()


def test_rows_are_counted_with_the_words_that_are_in_no_cell() -> None:
    """So that what is told of rows fits into a chunk, where it is longer than they are."""
    text = "".join(
        f"- id: {n}\n  the-outer-name: {{a: 1, b: 2, c: 3, d: 4}} # {'words ' * 9}\n"
        for n in range(40)
    )
    for size in range(300, 1200, 50):
        chunks = cut("a.yaml", text, size)
        assert "records-omitted" not in {one.code for chunk in chunks for one in chunk.problems}
        assert all("words" in chunk.indexed for chunk in chunks)
