"""Contexts: what stands in front of a chunk of code."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from structchunk_core.context import Description, context_candidates, fullest_in_code, written
from structchunk_core.source import Source

NAMES = st.text(st.sampled_from("aB_1. \t\n\u00a0\u2028~é"), max_size=6)


def _described(path: tuple[str, ...], enclosing: str) -> Description:
    return Description(
        "function", ("code",), "python", path, (), None, enclosing, "", "function_definition", None
    )


@given(
    path=NAMES, scopes=st.lists(st.lists(NAMES, max_size=3).map(tuple), max_size=4), signature=NAMES
)
def test_the_quick_way_to_the_fullest_context_leads_there(
    path: str, scopes: list[tuple[str, ...]], signature: str
) -> None:
    for language in ("python", "css"):  # of which one closes its comments
        source = Source("", path, "code", language)
        known: dict[object, tuple[str, str] | None] = {}
        for names in (*scopes, *scopes):
            for enclosing in ("", signature):
                description = _described(names, enclosing)
                fullest = next(context_candidates(description, source, "", 0), [])
                found = fullest_in_code(description, source, known)
                assert found in {"", written(fullest, source)}


def test_the_quick_way_is_taken_by_plain_names() -> None:
    source = Source("", "shop/prices.py", "code", "python")
    found = fullest_in_code(_described(("Prices", "discount"), "class Prices:"), source, {})
    assert found == "# shop/prices.py > Prices > discount\n# class Prices:"
