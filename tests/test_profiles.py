"""The data about languages must speak of what the grammars really have."""

from __future__ import annotations

import pytest
from tree_sitter import Query

from structchunk_core.detect import detect
from structchunk_core.formats._code_paths import SPECIAL_STEPS, names_in, path_of
from structchunk_core.grammars import find_grammar
from structchunk_core.profiles import others, profile, profiled_languages


@pytest.mark.parametrize("language", profiled_languages())
def test_a_profile_names_only_what_its_grammar_has(language: str) -> None:
    data = profile(language)
    grammar = find_grammar(data.name)
    types = {grammar.node_kind_for_id(n) or "" for n in range(grammar.node_kind_count)}
    fields = {grammar.field_name_for_id(number) for number in range(1, grammar.field_count + 1)}
    used = {name.partition(" ")[0] for name in data.types()}
    begun = {name for name in used if name.endswith("*")}
    assert not used - types - begun
    assert all(any(name.startswith(mark[:-1]) for name in types) for mark in begun)
    steps = {name for path in data.paths() for name in names_in(path_of(path))}
    steps = {step.partition(" ")[0] for step in steps} - SPECIAL_STEPS
    assert not steps - types - fields


@pytest.mark.parametrize("language", profiled_languages())
def test_words_are_told_only_of_types_that_have_them(language: str) -> None:
    data = profile(language)
    names = [name for path in data.paths() for name in names_in(path_of(path))]
    for name in (*data.types(), *names):
        of, _, word = name.partition(" ")
        assert not word or of in data.words, name
    for path in data.words.values():  # or looking for a word would look for a word
        assert not any(" " in name for name in names_in(path_of(path)))


@pytest.mark.parametrize("language", profiled_languages())
def test_the_queries_of_a_profile_compile(language: str) -> None:
    data = profile(language)
    grammar = find_grammar(data.name)
    for query in (data.import_names, data.calls):
        if query:
            Query(grammar, query)


def test_no_two_languages_claim_the_same_name_or_ending() -> None:
    claimed: dict[str, str] = {}
    for language in (*others(), *profiled_languages()):
        data = profile(language)
        for name in (*data.extensions, *data.filenames, *data.interpreters):
            assert claimed.setdefault(name, language) == language, name


def test_every_ending_leads_to_its_language() -> None:
    for language in (*others(), *profiled_languages()):
        for ending in profile(language).extensions:
            assert detect("", f"name{ending}") == ("code", language)


def test_a_profile_and_the_table_of_others_do_not_overlap() -> None:
    assert not set(others()) & set(profiled_languages())
