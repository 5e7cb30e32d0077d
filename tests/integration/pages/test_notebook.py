"""The notebook in ``examples/notebook`` runs, and its outputs are those that it is stored with.

``BUTO_WRITE_GOLDEN=1`` stores what it prints today, for somebody to read the difference.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from tests.support.checkout import ROOT

pytestmark = [pytest.mark.all, pytest.mark.slow]

PLACE = ROOT / "examples" / "notebook"
NOTEBOOK = PLACE / "verdict.ipynb"
WRITE = "BUTO_WRITE_GOLDEN"
PICTURE = "image/png"
MAX_BYTES = 250_000


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> Any:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    own = tmp_path_factory.mktemp("ipython")
    environment = {**os.environ, "IPYTHONDIR": str(own), "JUPYTER_RUNTIME_DIR": str(own)}
    client = NotebookClient(
        notebook, timeout=300, resources={"metadata": {"path": str(PLACE)}}, record_timing=False
    )
    client.execute(env=environment)
    if os.environ.get(WRITE):
        nbformat.write(notebook, NOTEBOOK)
    return notebook


@pytest.fixture(scope="module")
def stored(executed: Any) -> Any:
    """The notebook in the repository, after it was written if that was asked for."""
    return nbformat.read(NOTEBOOK, as_version=4)


def outputs(notebook: Any) -> list[dict[str, Any]]:
    """What each cell shows, by media type."""
    return [dict(output.get("data", output)) for cell in notebook.cells for output in cell.get("outputs", ())]


def readable(output: dict[str, Any]) -> str:
    """What a web page shows of an output; of a picture, whose pixels depend on matplotlib, that it is one."""
    return PICTURE if PICTURE in output else str(output.get("text/html", output))


def test_it_shows_what_it_is_stored_with(stored: Any, executed: Any) -> None:
    now, then = (list(map(readable, outputs(notebook))) for notebook in (executed, stored))
    assert now == then, f"if this is meant: {WRITE}=1 pytest, and read the notebook"


def test_it_comes_from_runs_to_a_picture_to_a_verdict(executed: Any) -> None:
    shown = outputs(executed)
    assert any(output.get(PICTURE, "").startswith("iVBOR") for output in shown)
    verdicts = [output["text/html"] for output in shown if "inconclusive" in output.get("text/html", "")]
    assert "jvm.memory.used[PS Old Gen]" in verdicts[0]
    assert "✓ pass" in shown[-1]["text/html"]


def test_it_is_small_and_names_nobody() -> None:
    text = NOTEBOOK.read_text(encoding="utf-8")
    assert len(text) < MAX_BYTES
    assert str(Path.home()) not in text
    assert str(ROOT) not in text
