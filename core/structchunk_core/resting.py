"""Python's collector of reference cycles at rest while a document is cut.

Cutting makes units and nodes by the thousand, which go when nothing refers to them any more; hardly
anything refers back to what refers to it. After every few hundred new objects the collector would
look through all that are young, a tenth of the time of cutting code, and find nothing. What is
made meanwhile in other threads waits for it until the document is done.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_at_rest() -> Iterator[None]:
    """The collector does nothing inside; behind it does what it did before.

    Of several threads inside at a time, the one that stopped it starts it again: the others go on
    with it. What one of them makes of its document is the same.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
