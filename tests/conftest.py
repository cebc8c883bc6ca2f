from __future__ import annotations

import pytest
import tiktoken
from hypothesis import HealthCheck, settings

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


@pytest.fixture
def tokenised(monkeypatch: pytest.MonkeyPatch) -> Counter:
    """The lengths of what the test has tokenised."""
    counter = Counter()
    for name in ("encode_ordinary", "encode_to_numpy"):
        counted = counter.counted(getattr(tiktoken.Encoding, name), 1)
        monkeypatch.setattr(tiktoken.Encoding, name, counted)
    return counter
