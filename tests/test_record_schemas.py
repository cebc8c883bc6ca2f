"""OpenAPI and JSON Schema: each operation and each definition is one unit."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from structchunk_core import Chunk, Chunker
from tests.promises import check_nothing_that_fits_is_cut, check_promises

METHODS = ("get", "post", "delete")
PATHS = [f"/{name}" for name in ("pets", "pets/{id}", "ships", "ports", "fares")]
OPENAPI: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Ferries", "version": "1"},
    "paths": {
        path: {
            "summary": "What is there.",
            **{
                method: {
                    "operationId": f"{method} {path}",
                    "description": "Some words about it. " * 3,
                    "responses": {"200": {"description": "It went well."}},
                }
                for method in METHODS
            },
        }
        for path in PATHS
    },
    "components": {
        "schemas": {
            f"Type{number}": {
                "type": "object",
                "description": f"The {number}th type.",
                "properties": {"size": {"type": "integer"}},
            }
            for number in range(12)
        },
        "parameters": {
            f"limit{number}": {"in": "query", "name": f"limit{number}"} for number in range(3)
        },
    },
}
SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": OPENAPI["components"]["schemas"],
}


def cut(text: str, path: str, size: int = 500, **given: Any) -> list[Chunk]:
    chunker = Chunker(tokenizer="characters", chunk_size=size, table_profile=False, **given)
    chunks = chunker.chunk(text, path=path)
    check_promises(text, chunks, chunker)
    check_nothing_that_fits_is_cut(text, chunks, chunker, chunker.parse(text, path=path))
    return chunks


def written(value: object, path: str) -> str:
    return yaml.safe_dump(value, sort_keys=False) if "yaml" in path else json.dumps(value, indent=2)


def hold(chunks: list[Chunk], text: str) -> set[int]:
    return {number for number, chunk in enumerate(chunks) if text in chunk.text}


@pytest.mark.parametrize("path", ["api.json", "api.yaml"])
def test_every_operation_has_a_chunk_of_its_own_and_no_definition_is_cut(path: str) -> None:
    chunks = cut(written(OPENAPI, path), path)
    mark = '"' if path == "api.json" else ""
    holding = [
        hold(chunks, f"operationId{mark}: {mark}{method} {name}{mark or chr(10)}")
        for name in PATHS
        for method in METHODS
    ]
    assert all(len(one) == 1 for one in holding)
    assert len(set.union(*holding)) == len(PATHS) * len(METHODS)
    paths = [chunk.path for chunk in chunks]
    assert ("paths", "/pets/{id}", "post") in paths
    types = [hold(chunks, f"The {number}th type.") for number in range(12)]
    assert all(len(one) == 1 for one in types)
    assert not any(one & other for one in types for other in holding)


@pytest.mark.parametrize("path", ["a.schema.json", "a.yaml"])
def test_every_definition_of_a_schema_has_a_chunk_of_its_own(path: str) -> None:
    chunks = cut(written(SCHEMA, path), path, 300)
    types = [hold(chunks, f"The {number}th type.") for number in range(12)]
    assert all(len(one) == 1 for one in types)
    assert len(set.union(*types)) == 12
    assert ("$defs", "Type7") in [chunk.path for chunk in chunks]


def test_packed_definitions_share_chunks_and_none_is_cut() -> None:
    text = written(OPENAPI, "api.json")
    chunks = cut(text, "api.json", 900, granularity="packed")
    assert len(chunks) < len(cut(text, "api.json", 900))
    for number in range(12):
        (at,) = hold(chunks, f"The {number}th type.")
        assert f'"Type{number}": {{' in chunks[at].text


def test_a_small_description_stays_whole() -> None:
    text = written(SCHEMA, "a.json")
    assert len(cut(text, "a.json", 10_000)) == 1


@pytest.mark.parametrize(
    "value",
    [
        {"paths": OPENAPI["paths"], "words": "openapi: none"},
        {"definitions": SCHEMA["$defs"], "name": "a dictionary"},
    ],
)
def test_what_only_looks_like_one_is_packed(value: object) -> None:
    chunks = cut(json.dumps(value, indent=2), "a.json", 2000)
    assert any(chunk.text.count('"description"') > 3 for chunk in chunks)


@pytest.mark.parametrize("size", [20, 60, 150, 700])
@pytest.mark.parametrize("path", ["api.json", "api.yaml"])
def test_any_budget_keeps_the_promises(path: str, size: int) -> None:
    cut(written(OPENAPI, path), path, size)
    cut("\ufeff" + json.dumps(OPENAPI), path, size)
    cut(written({"openapi": "3", "paths": [1, {"a": "b" * 90}]}, path), path, size)
