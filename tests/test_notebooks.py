"""The notebooks run from a clean kernel, and what they show on the web is what comes out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

FOLDER = Path(__file__).parent.parent / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
DETERMINISTIC = {"3_tour.ipynb"}  # of others it depends on the versions of what is installed
every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def code_cells(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def printed(cell: Any) -> str:
    """What a reader sees of a cell, as far as it is text or a drawing."""
    shown = []
    for output in cell.outputs:
        if output.output_type == "stream":
            shown.append(output.text if output.name == "stdout" else "")
        else:
            data = output.get("data", {})
            shown.append(data.get("image/svg+xml") or data.get("text/plain", ""))
    return "".join(shown).strip()


def test_there_are_notebooks() -> None:
    assert {path.name for path in NOTEBOOKS} >= {
        "1_replace_code_splitter.ipynb",
        "3_tour.ipynb",
        "4_late_chunking.ipynb",
    }


@every_notebook
def test_a_notebook_is_committed_as_it_ran(path: Path) -> None:
    notebook = nbformat.read(path, 4)  # type: ignore[no-untyped-call]  # it has no types
    nbformat.validate(notebook)
    cells = code_cells(notebook)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert any(printed(cell) for cell in cells)
    for cell in cells:
        for output in cell.outputs:
            assert output.output_type != "error"
            assert output.get("name") != "stderr"


@every_notebook
def test_a_notebook_runs_from_a_clean_kernel(path: Path, tmp_path: Path) -> None:
    notebook = nbformat.read(path, 4)  # type: ignore[no-untyped-call]  # it has no types
    before = [printed(cell) for cell in code_cells(notebook)]
    resources = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(notebook, timeout=600, kernel_name="python3", resources=resources).execute()
    after = [printed(cell) for cell in code_cells(notebook)]
    assert [bool(text) for text in after] == [bool(text) for text in before]
    if path.name in DETERMINISTIC:
        assert after == before
