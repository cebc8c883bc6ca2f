from __future__ import annotations

import math

import pytest
import tiktoken
from hypothesis import HealthCheck, settings

from structchunk_core import fast_tokens
from structchunk_core.encoding_files import load_encoding
from structchunk_core.sizing import DEFAULT_ENCODING
from structchunk_core.token_ends import token_ends
from tests.counting import Counter, counted_parses

# The same examples in every run, so that a red run is red for everybody; on a loaded machine
# time says nothing. `--hypothesis-profile explore` looks for new examples.
settings.register_profile(
    "fixed",
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "explore",
    max_examples=2000,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("fixed")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-cases",
        action="store_true",
        help="write what comes out into the documents under tests/cases; read the diff",
    )
    parser.addoption(
        "--whole-library",
        action="store_true",
        help="hold every file of Python's library against ast, not only a sample",
    )


@pytest.fixture
def update_cases(request: pytest.FixtureRequest) -> bool:
    """Whether golden cases shall be rewritten instead of compared."""
    return bool(request.config.getoption("--update-cases"))


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> Counter:
    """The lengths of what the test has parsed as source code."""
    return counted_parses(monkeypatch)


@pytest.fixture(params=["tiktoken", "gigatoken"])
def tokenised(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Counter:
    """The lengths of what the test has tokenised, by either of them from the first text on."""
    counter = Counter()
    encoding = load_encoding(DEFAULT_ENCODING)
    fast = token_ends(encoding, DEFAULT_ENCODING)._fast
    assert fast is not None
    encode = None
    if request.param == "gigatoken":
        pytest.importorskip("gigatoken")
        encode = fast_tokens.loaded_or_reason(encoding, DEFAULT_ENCODING)
        assert not isinstance(encode, str)
        encode = counter.counted(encode, 0)
    monkeypatch.setattr(fast, "_encode", encode)
    monkeypatch.setattr(fast, "_lasts_until", math.inf)
    for name in ("encode_ordinary", "encode_to_numpy"):
        counted = counter.counted(getattr(tiktoken.Encoding, name), 1)
        monkeypatch.setattr(tiktoken.Encoding, name, counted)
    return counter
