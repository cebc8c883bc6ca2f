"""Work in threads of this process, in order and no further ahead than it is taken."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice, repeat, zip_longest
from os import PathLike
from typing import TYPE_CHECKING, TypeVar

from structchunk_core.errors import ConfigurationError

if TYPE_CHECKING:
    from concurrent.futures import Future

Item = TypeVar("Item")
Result = TypeVar("Result")


def map_in_order(
    function: Callable[[Item], Result], items: Iterable[Item], workers: int
) -> Iterator[Result]:
    """What the function makes of each item, in the order of the items.

    At most two items for each worker are taken ahead of the result that is asked for. What the
    function raises is raised in its place; items that have not begun by then, or when the
    iterator is closed, never do.

    Args:
        function: called in several threads at a time, if there are several workers.
        items: taken one by one, in the thread that asks for results.
        workers: how many threads; with 1, the one that asks.
    """
    if workers == 1:
        yield from map(function, items)
        return
    from concurrent.futures import ThreadPoolExecutor

    source = iter(items)
    running: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(workers) as pool:
        try:
            running.extend(pool.submit(function, item) for item in islice(source, 2 * workers))
            while running:
                result = running.popleft().result()
                running.extend(pool.submit(function, item) for item in islice(source, 1))
                yield result
        finally:
            for future in running:
                future.cancel()


def in_pairs(
    texts: Iterable[str], paths: Iterable[str | PathLike[str] | None] | None
) -> Iterator[tuple[str, str | PathLike[str] | None]]:
    """Each text with its path, or None where there are no paths.

    Raises:
        ConfigurationError: there are more of the one than of the other; when they run out.
    """
    if paths is None:
        yield from zip(texts, repeat(None))
        return
    missing = object()
    for text, path in zip_longest(texts, paths, fillvalue=missing):
        if text is missing or path is missing:
            raise ConfigurationError("there must be as many paths as texts")
        yield text, path  # type: ignore[misc]  # neither is what is missing
