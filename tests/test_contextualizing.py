from __future__ import annotations

import pickle
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from structchunk_core import (
    Chunk,
    Chunker,
    ConfigurationError,
    Description,
    Problem,
    Source,
    stitch,
)
from structchunk_core.contextualizing import CHUNK_PROMPT, TABLE_PROMPT, Contextualizer
from tests.corpus import CITIES, GUIDE, ORDERS
from tests.promises import check_promises

FORMATS = [("shop/orders.py", ORDERS), ("guide.md", GUIDE), ("cities.csv", CITIES)]
SENTENCE = "It belongs to the shop."
PROSE = "Parcels to Austria cost 9.90 and parcels to Estonia cost 12.90, each up to two kilos."
PRICES = """# Shop

Everything about the shop. It is open all day.

## Prices

| Country | Price |
|---|---:|
| Austria | 9.90 |
| Estonia | 12.90 |

## Hours

From nine to five, but not in winter, when it is closed.
"""


MIXED = """# Shop

Parcels cost:

| Country | Price |
|---|---:|
| Austria | 9.90 |
| Estonia | 12.90 |
| Finland | 12.90 |
| Iceland | 19.90 |
| Ireland | 14.90 |
| Portugal | 11.90 |

```python

def price(parcel):
    return PRICES[parcel.country]
```

| Free | from |
|---|---|
| Austria | 100 |
| Estonia | 150 |

All prices are in euros.
"""


MIXED_AROUND = f"""# Shop

Parcels cost:

{PROSE}

```python

def price(parcel):
    return PRICES[parcel.country]
```

All prices are in euros."""


def about(chunk: Chunk, source: Source) -> str:
    return f"It belongs to {source.path}."


def saying(answer: Any) -> Callable[[Chunk, Source], str]:
    def said(chunk: Chunk, source: Source) -> Any:
        return answer

    return said


def failing(chunk: Chunk, source: Source) -> str:
    raise RuntimeError("never")


class Model:
    """Answers prompts, and counts how often it is asked and by how many at a time."""

    def __init__(self, failures: int = 0, answer: Any = SENTENCE) -> None:
        self.prompts: list[str] = []
        self.failures = failures
        self.answer = answer
        self.at_once = 0
        self.most_at_once = 0
        self._lock = threading.Lock()
        self._tried: dict[str, int] = {}

    def __call__(self, prompt: str) -> Any:
        with self._lock:
            self.prompts.append(prompt)
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
            tried = self._tried[prompt] = self._tried.get(prompt, 0) + 1
        try:
            if tried <= self.failures:
                raise ConnectionError("busy")
            return self.answer
        finally:
            with self._lock:
                self.at_once -= 1


def codes(chunk: Chunk) -> set[str]:
    return {problem.code for problem in chunk.problems}


@pytest.mark.parametrize(("path", "text"), FORMATS)
@pytest.mark.parametrize("size", [40, 100, 512])
@pytest.mark.parametrize("context", ["separate", "inline"])
def test_the_sentence_is_in_the_context_and_inside_the_budget(
    path: str, text: str, size: int, context: Any
) -> None:
    chunker = Chunker(chunk_size=size, context=context, contextualizer=about)
    chunks = chunker.chunk(text, path=path)
    check_promises(text, chunks, chunker)
    chunks = [chunk for chunk in chunks if not chunk.derived]  # nobody is asked about those
    for chunk in chunks:
        assert "It" in chunk.context or "no-context-sentence" in codes(chunk)
        assert chunk.context in chunk.embed_text
        assert chunker.count(chunk.context) <= size // 4
        assert chunk.size == chunker.count(chunk.embed_text)
    if size > 100:
        assert all(f"It belongs to {path}." in chunk.context for chunk in chunks)


def test_in_code_the_sentence_is_a_comment() -> None:
    chunk = Chunker(contextualizer=about).chunk("int f() { return 1; }\n", path="f.c")[0]
    assert chunk.context.splitlines()[-1] == "// It belongs to f.c."


@pytest.mark.parametrize("characters", [1, 60, 400, 5000])
def test_a_long_sentence_is_shortened_to_what_there_is_room_for(characters: int) -> None:
    words = "word " * (characters // 5) or "w"
    chunker = Chunker(chunk_size=120, tokenizer="characters", contextualizer=saying(words))
    chunks = chunker.chunk(GUIDE, path="guide.md")
    check_promises(GUIDE, chunks, chunker)
    assert any("w" in chunk.context for chunk in chunks)
    for chunk in chunks:
        assert "wor " not in chunk.context + " "  # whole words


def test_without_words_the_sentence_is_cut_at_a_character() -> None:
    chunker = Chunker(chunk_size=100, contextualizer=saying("店" * 500))
    chunks = chunker.chunk(GUIDE, path="guide.md")
    check_promises(GUIDE, chunks, chunker)
    assert all("店店" in chunk.context for chunk in chunks)


def test_spans_texts_and_ids_do_not_depend_on_what_is_said() -> None:
    def chunks(contextualizer: Any) -> list[tuple[object, ...]]:
        made = Chunker(chunk_size=100, contextualizer=contextualizer).chunk(GUIDE, path="guide.md")
        return [(chunk.id, chunk.span, chunk.text) for chunk in made]

    assert chunks(about) == chunks(failing) == chunks(saying(""))


@pytest.mark.parametrize(
    "contextualizer", [failing, saying(3), Contextualizer(Model(answer=None), retries=0)]
)
def test_failure_leaves_the_chunks_and_a_problem(contextualizer: Any) -> None:
    plain = Chunker(chunk_size=100).chunk(GUIDE, path="guide.md")
    chunks = Chunker(chunk_size=100, contextualizer=contextualizer).chunk(GUIDE, path="guide.md")
    assert plain[0].context == chunks[0].context
    for chunk in chunks:
        assert codes(chunk) == {"no-context-sentence"}
        assert all(problem.touches(*chunk.span) for problem in chunk.problems)


def test_a_batch_is_asked_once_for_each_document_and_may_refuse() -> None:
    class Batch:
        calls = 0

        def batch(self, chunks: Sequence[Chunk], source: Source) -> list[str | Problem]:
            self.calls += 1
            assert source.path == "guide.md"
            return [Problem("refused", "no"), *([SENTENCE] * (len(chunks) - 1))]

    batch = Batch()
    chunks = Chunker(chunk_size=60, contextualizer=batch).chunk(GUIDE, path="guide.md")
    assert batch.calls == 1
    assert codes(chunks[0]) == {"refused"}
    assert all(SENTENCE in chunk.context for chunk in chunks[1:])

    class Short:
        batch = staticmethod(saying([]))

    assert "0 answers" in Chunker(contextualizer=Short()).chunk(GUIDE)[0].problems[0].message


def test_each_chunk_is_asked_about_once_in_all_runs(tmp_path: Path) -> None:
    cache = tmp_path / "answers.sqlite"
    first, second = Model(), Model()
    chunker = Chunker(chunk_size=60, contextualizer=Contextualizer(first, cache=cache, name="m"))
    chunks = chunker.chunk(GUIDE, path="guide.md")
    assert len(first.prompts) == len(chunks) > 3
    assert chunker.chunk(GUIDE, path="guide.md") == chunks
    assert len(first.prompts) == len(chunks)

    other = Chunker(chunk_size=60, contextualizer=Contextualizer(second, cache=cache, name="m"))
    assert [c.embed_text for c in other.chunk(GUIDE, path="guide.md")] == [
        c.embed_text for c in chunks
    ]
    assert second.prompts == []
    other.chunk(GUIDE.replace("thirty days", "forty days"), path="guide.md")
    assert len(second.prompts) == 1
    renamed = Contextualizer(second, cache=cache, name="m2")
    Chunker(chunk_size=60, contextualizer=renamed).chunk(GUIDE, path="guide.md")
    assert len(second.prompts) == 1 + len(chunks)


def test_equal_chunks_of_several_documents_are_asked_about_with_their_documents() -> None:
    model = Model()
    chunker = Chunker(contextualizer=Contextualizer(model))
    for path in ("a.md", "b.md"):
        chunker.chunk("# Same\n\nwords\n", path=path)
    assert [("a.md" in prompt, "b.md" in prompt) for prompt in model.prompts] == [
        (True, False),
        (False, True),
    ]


def test_what_fails_is_asked_again_so_often_and_no_failure_is_kept() -> None:
    model = Model(failures=2)
    contextualizer = Contextualizer(model, retries=2, wait=0)
    chunks = Chunker(contextualizer=contextualizer).chunk(GUIDE, path="guide.md")
    assert len(model.prompts) == 3 * len(chunks)
    assert all(SENTENCE in chunk.context for chunk in chunks)
    stubborn = Model(failures=3)
    contextualizer = Contextualizer(stubborn, retries=2, wait=0)
    chunker = Chunker(contextualizer=contextualizer)
    failed = chunker.chunk(GUIDE, path="guide.md")
    assert "ConnectionError" in failed[0].problems[0].message
    assert SENTENCE in chunker.chunk(GUIDE, path="guide.md")[0].context  # asked anew


@pytest.mark.parametrize("table_prompt", [None, TABLE_PROMPT])
def test_an_empty_answer_is_a_failure(table_prompt: str | None, tmp_path: Path) -> None:
    def answering(model: Model) -> Chunker:
        asked = Contextualizer(
            model,
            table_prompt=table_prompt,
            cache=tmp_path / "answers.sqlite",
            retries=1,
            wait=0,
            name="m",
        )
        return Chunker(contextualizer=asked, table_profile=False)

    silent = Model(answer=" \n")
    chunks = answering(silent).chunk(PRICES, path="shop.md")
    assert len(silent.prompts) == 2 * len(chunks)
    plain = Chunker(table_profile=False).chunk(PRICES, path="shop.md")
    assert [chunk.embed_text for chunk in chunks] == [chunk.embed_text for chunk in plain]
    for chunk in chunks:
        assert codes(chunk) == {"no-context-sentence"}
        assert "an empty answer" in chunk.problems[0].message
    told = answering(Model()).chunk(PRICES, path="shop.md")
    assert all(SENTENCE in chunk.embed_text for chunk in told)  # nothing was kept


def test_what_is_interrupted_asks_no_more_and_keeps_what_it_was_told(tmp_path: Path) -> None:
    text = "\n\n".join(
        f"## Part {n}\n\nWords of part {n}, some more than a few." for n in range(80)
    )
    asked: list[str] = []
    resumed: list[bool] = []

    def model(prompt: str) -> str:
        asked.append(prompt)
        if len(asked) > 44 and not resumed:
            time.sleep(0.3)
        return SENTENCE

    def stop(done: int, total: int) -> None:
        assert total > 70
        if done == 40:
            raise KeyboardInterrupt

    cache = tmp_path / "answers.sqlite"
    stopped = Contextualizer(model, workers=2, cache=cache, on_progress=stop)
    chunker = Chunker(chunk_size=100, target_size=10, contextualizer=stopped)
    with pytest.raises(KeyboardInterrupt):
        chunker.chunk(text, path="a.md")
    assert 40 <= len(asked) < 60
    resumed.append(True)
    before = len(asked)
    again = Contextualizer(model, cache=cache)
    chunks = Chunker(chunk_size=100, target_size=10, contextualizer=again).chunk(text, path="a.md")
    assert len(chunks) > 70
    assert all(SENTENCE in chunk.context for chunk in chunks)
    assert len(asked) - before == len(chunks) - 40


def test_no_more_workers_ask_than_allowed_and_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    model = Model()
    contextualizer = Contextualizer(
        model, workers=2, on_progress=lambda done, total: told.append((done, total))
    )
    chunks = Chunker(chunk_size=40, contextualizer=contextualizer).chunk(GUIDE, path="guide.md")
    assert 1 <= model.most_at_once <= 2
    assert told == [(number, len(chunks)) for number in range(1, len(chunks) + 1)]


def test_the_prompt_shows_the_document_or_whole_lines_around_the_chunk() -> None:
    text = "# Long\n\n" + "\n\n".join(f"## S{n}\n\nwords of {n}" for n in range(200)) + "\n"
    whole, window = Model(), Model()
    for model, width in ((whole, None), (window, 300)):
        contextualizer = Contextualizer(model, window=width, workers=1)
        Chunker(chunk_size=30, contextualizer=contextualizer).chunk(text, path="long.md")
    assert all(text in prompt for prompt in whole.prompts)
    lines = set(text.split("\n"))
    for prompt in window.prompts:
        shown = prompt.partition("<document>\n")[2].partition("\n</document>")[0]
        assert len(shown) <= 300 + 60
        assert set(shown.split("\n")) <= lines
        piece = prompt.partition("<piece>\n")[2].partition("\n</piece>")[0]
        assert piece in shown
    assert sum(len(prompt) for prompt in window.prompts) < 1500 * len(window.prompts)


def test_braces_in_a_document_are_text() -> None:
    model = Model()
    text = "int f() { return {chunk}; } // {0}\n"
    Chunker(contextualizer=Contextualizer(model)).chunk(text, path="f.c")
    assert text in model.prompts[0]


def test_a_cache_that_cannot_be_used_costs_its_answers_and_nothing_else(tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.write_bytes(b"no database at all, however it is read" * 100)
    for cache in (broken, tmp_path / "missing" / "folder" / "answers"):
        chunker = Chunker(contextualizer=Contextualizer(Model(), cache=cache))
        with pytest.warns(UserWarning, match="questions are asked again"):
            chunks = chunker.chunk(GUIDE)
        assert all(SENTENCE in chunk.context for chunk in chunks)
    assert broken.read_bytes().startswith(b"no database")


def test_several_threads_share_a_cache(tmp_path: Path) -> None:
    cache = tmp_path / "answers"
    chunker = Chunker(chunk_size=60, contextualizer=Contextualizer(Model(), cache=cache))
    threads = [
        threading.Thread(target=chunker.chunk, args=(GUIDE,), kwargs={"path": f"{number}.md"})
        for number in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with sqlite3.connect(cache) as store:
        (kept,) = store.execute("SELECT count(*) FROM answers").fetchone()
    store.close()
    assert kept == 6 * len(chunker.chunk(GUIDE, path="0.md"))


def answer(prompt: str) -> str:
    return SENTENCE


def test_a_contextualizer_is_pickled_and_named_in_the_fingerprint(tmp_path: Path) -> None:
    one = Contextualizer(answer, cache=tmp_path / "answers")
    copy = pickle.loads(pickle.dumps(Chunker(contextualizer=one)))  # noqa: S301  # our own bytes
    assert copy.chunk(GUIDE)[0].context == Chunker(contextualizer=one).chunk(GUIDE)[0].context
    fingerprints = {
        Chunker(contextualizer=each).fingerprint
        for each in (
            None,
            about,
            one,
            copy.contextualizer,
            Contextualizer(answer, name="other"),
            Contextualizer(answer, prompt="{chunk}?"),
            Contextualizer(answer, window=None),
            Contextualizer(answer, table_prompt=TABLE_PROMPT),
        )
    }
    assert len(fingerprints) == 7


def test_where_metadata_leaves_no_room_nothing_is_asked() -> None:
    asked = Model()
    chunker = Chunker(chunk_size=50, contextualizer=Contextualizer(asked))
    chunks = chunker.chunk(GUIDE, join=lambda context, text: "word " * 80 + context + text)
    assert asked.prompts == []
    assert all("metadata-over-budget" in codes(chunk) for chunk in chunks)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"contextualizer": 3}, "got 3"),
        ({"contextualizer": str}, "contextualizer must be a function"),
        ({"contextualizer": about, "context": "none"}, "got 'none'"),
    ],
)
def test_wrong_settings_of_the_chunker_raise_at_once(settings: Any, told: str) -> None:
    with pytest.raises(ConfigurationError, match=told):
        Chunker(**settings)


@pytest.mark.parametrize(
    "settings",
    [
        {"model": 3},
        {"prompt": "no field"},
        {"prompt": "{chunk} {chunk.id}"},
        {"prompt": "{chunk} {"},
        {"prompt": 3},
        {"table_prompt": "no field"},
        {"table_prompt": ""},
        {"window": 0},
        {"workers": 0},
        {"retries": -1},
        {"wait": -1},
        {"wait": float("nan")},
        {"cache": 3},
    ],
)
def test_wrong_settings_of_a_contextualizer_raise_at_once(settings: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError):
        Contextualizer(**{"model": answer, **settings})


def test_the_prompt_can_be_read_and_replaced() -> None:
    assert "{document}" in CHUNK_PROMPT
    model = Model()
    contextualizer = Contextualizer(model, prompt="{context}|{path}|{chunk}")
    Chunker(contextualizer=contextualizer).chunk("# A\n\nb\n", path="a.md")
    assert model.prompts == ["A|a.md|# A\n\nb"]


def described(chunk: Chunk, source: Source) -> str | Description:
    return Description(PROSE) if chunk.element_type == "table" else SENTENCE


@pytest.mark.parametrize("context", ["separate", "inline"])
@pytest.mark.parametrize("size", [30, 60, 512])
def test_a_description_is_embedded_in_the_place_of_the_text(context: Any, size: int) -> None:
    chunker = Chunker(chunk_size=size, target_size=20, context=context, contextualizer=described)
    plain = Chunker(chunk_size=size, target_size=20, context=context, contextualizer=saying(""))
    chunks = chunker.chunk(PRICES, path="shop.md")
    check_promises(PRICES, chunks, chunker)
    table = next(chunk for chunk in chunks if chunk.element_type == "table")
    before = next(c for c in plain.chunk(PRICES, path="shop.md") if c.id == table.id)
    assert (table.text, table.context, table.span) == (before.text, before.context, before.span)
    if not table.part:
        assert "| Austria | 9.90 |" in table.text
    assert "| Austria |" not in table.embed_text
    front = f"{table.context}\n\n" if table.context else ""
    assert table.embed_text == (table.indexed if context == "inline" else front + table.indexed)
    said = table.indexed.removeprefix(front)
    assert PROSE.startswith(said)
    assert said == PROSE or size == 30
    assert table.size == chunker.count(table.embed_text) <= size
    others = [chunk for chunk in chunks if chunk.element_type != "table" and not chunk.derived]
    assert all(SENTENCE in c.context or size == 30 for c in others)
    assert not any(chunk.indexed for chunk in others)
    assert stitch(chunk for chunk in chunks if not chunk.derived) == PRICES


def test_an_empty_description_changes_nothing_and_one_of_no_text_is_a_failure() -> None:
    plain, *_ = Chunker(contextualizer=saying("")).chunk(CITIES, path="cities.csv")
    empty, *_ = Chunker(contextualizer=saying(Description(" "))).chunk(CITIES, path="cities.csv")
    assert empty.embed_text == plain.embed_text
    assert not empty.indexed
    number: Any = 3
    wrong, *_ = Chunker(contextualizer=saying(Description(number))).chunk(CITIES, path="c.csv")
    assert wrong.embed_text.endswith(plain.text)
    assert codes(wrong) == {"no-context-sentence"}


@pytest.mark.parametrize("context", ["separate", "inline"])
@pytest.mark.parametrize("times", range(1, 10))
def test_what_is_not_the_table_is_embedded_around_its_description(context: Any, times: int) -> None:
    prose = " ".join([PROSE] * times)  # the longer, the less room there is for what is around it
    contextualizer = Contextualizer(Model(answer=prose), table_prompt=TABLE_PROMPT)
    chunker = Chunker(
        chunk_size=200, target_size=200, context=context, contextualizer=contextualizer
    )
    (chunk,) = chunker.chunk(MIXED, path="shop.md")
    assert chunk.element_type == "table"
    assert chunk.text.endswith(MIXED.strip())
    assert chunk.size == chunker.count(chunk.embed_text) <= 200
    front = f"{chunk.context}\n\n" if context == "inline" else ""
    kept = chunk.indexed.removeprefix(front)
    if times == 1:
        assert kept == MIXED_AROUND
        assert not any(words in chunk.embed_text for words in ("| Austria |", "| Free |"))
    if times < 7:
        assert prose in kept
        lines = [line for line in kept.split("\n") if line not in ("", prose)]
        wanted = [line for line in MIXED_AROUND.split("\n") if line not in ("", PROSE)]
        assert lines == wanted[: len(lines)]
        if len(lines) < len(wanted):  # no further line had room
            glue = "\n\n" if kept.endswith(prose) else "\n"
            more = chunker.count(f"{chunk.embed_text}{glue}{wanted[len(lines)]}")
            assert more > 200
    if times == 9:
        assert prose.startswith(kept)


def test_a_description_replaces_text_or_tables_and_nothing_else() -> None:
    other: Any = "rows"
    chunk, *_ = Chunker(contextualizer=saying(Description(PROSE, other))).chunk(MIXED, path="a.md")
    assert codes(chunk) == {"no-context-sentence"}
    assert not chunk.indexed
    chunk, *_ = Chunker(contextualizer=saying(Description(PROSE))).chunk(MIXED, path="a.md")
    assert chunk.indexed == PROSE
    # Where there is no table, nothing is replaced.
    words, *_ = Chunker(contextualizer=saying(Description(PROSE, "tables"))).chunk("a b", path="t")
    assert words.indexed == f"a b\n\n{PROSE}"


def test_tables_are_described_when_a_prompt_asks_for_it(tmp_path: Path) -> None:
    cache = tmp_path / "answers.sqlite"
    for _ in range(2):  # the second time from what is kept
        model = Model(answer=PROSE)
        contextualizer = Contextualizer(
            model, table_prompt=TABLE_PROMPT, cache=cache, workers=1, name="m"
        )
        chunker = Chunker(chunk_size=100, target_size=20, contextualizer=contextualizer)
        chunks = chunker.chunk(PRICES, path="shop.md")
        table = next(chunk for chunk in chunks if chunk.element_type == "table")
        assert table.indexed == f"## Prices\n\n{PROSE}"
        assert [chunk.indexed for chunk in chunks].count("") == len(chunks) - 1
    assert model.prompts == []
    asked = contextualizer.question(table, Source(PRICES, "shop.md", "markdown", ""))
    assert asked.startswith(TABLE_PROMPT.partition("{")[0])
    assert table.text in asked
    plain = Model()
    Chunker(contextualizer=Contextualizer(plain)).chunk(PRICES, path="shop.md")
    assert all(prompt.startswith(CHUNK_PROMPT[:40]) for prompt in plain.prompts)


def test_parts_of_a_table_get_sentences() -> None:
    rows = "".join(f"Land {number},{number}\n" for number in range(200))
    contextualizer = Contextualizer(Model(), table_prompt=TABLE_PROMPT)
    chunks = Chunker(chunk_size=80, contextualizer=contextualizer).chunk(
        "Country,Price\n" + rows, path="prices.csv"
    )
    parts = [chunk for chunk in chunks if not chunk.derived]
    assert len(parts) > 3
    assert all(SENTENCE in chunk.context and not chunk.indexed for chunk in parts)


def test_a_table_that_a_model_fails_to_describe_is_embedded_as_it_is() -> None:
    contextualizer = Contextualizer(Model(failures=9), table_prompt=TABLE_PROMPT, retries=0)
    chunk, *_ = Chunker(contextualizer=contextualizer).chunk(CITIES, path="cities.csv")
    assert codes(chunk) == {"no-context-sentence"}
    assert chunk.embed_text.endswith(chunk.text)


def test_a_description_goes_before_records() -> None:
    chunker = Chunker(chunk_size=100, target_size=20, table_format="both", contextualizer=described)
    chunks = chunker.chunk(PRICES, path="shop.md")
    check_promises(PRICES, chunks, chunker)
    table = next(chunk for chunk in chunks if chunk.element_type == "table")
    assert table.indexed == PROSE
