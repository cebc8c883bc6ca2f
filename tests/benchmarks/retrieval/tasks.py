"""All tasks by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial

from tests.benchmarks.retrieval.about_code import code_task
from tests.benchmarks.retrieval.about_pages import pages_task
from tests.benchmarks.retrieval.about_prose import docs_task, prose_task
from tests.benchmarks.retrieval.about_records import records_task
from tests.benchmarks.retrieval.about_settings import settings_task
from tests.benchmarks.retrieval.about_tables import tables_task, totals_task
from tests.benchmarks.retrieval.corpus import Document
from tests.benchmarks.retrieval.questions import Task
from tests.benchmarks.retrieval.splitters import CODE

TASKS: Mapping[str, Callable[[Iterable[Document], int], Task]] = {
    **{language: partial(code_task, language) for language in CODE},
    "docs": docs_task,
    "tables": tables_task,
    "totals": totals_task,
    "records": records_task,
    "settings": settings_task,
    "pages": pages_task,
    "prose": prose_task,
}
"""From documents and how many questions to ask at most to the task."""

ABOUT: Mapping[str, str] = {"prose": "docs", "totals": "tables"}
"""Tasks that are about the documents of another one."""
