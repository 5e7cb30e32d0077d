"""docs/architecture.md shows what buto prints, and its model of the format is one.

With the environment variable BUTO_WRITE_GOLDEN the test writes the output again; read it.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from pathlib import Path

import pytest

from buto_predict.config import load_architecture
from tests.support.checkout import ROOT
from tests.support.processes.command import called

PAGE = ROOT / "predict" / "docs" / "architecture.md"
FORMAT = ROOT / "predict" / "docs" / "format.md"
EXAMPLE = ROOT / "examples" / "architecture"
BLOCK = re.compile(r"^(```text made by: buto ([^\n]*)\n)(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.slow
def test_the_page_shows_what_is_printed(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLE, tmp_path, dirs_exist_ok=True)
    text = PAGE.read_text()
    (block,) = BLOCK.finditer(text)
    printed = called(tmp_path, *shlex.split(block[2])).stdout
    if os.environ.get("BUTO_WRITE_GOLDEN"):
        PAGE.write_text(text.replace(block[0], f"{block[1]}{printed}```"))
        return
    assert block[3] == printed, "read it, then: BUTO_WRITE_GOLDEN=1 pytest predict/tests/test_page.py"


def test_the_model_on_the_page_of_the_format_is_one(tmp_path: Path) -> None:
    (model,) = re.findall(r"^```yaml\n(.*?)^```$", FORMAT.read_text(), re.MULTILINE | re.DOTALL)
    path = tmp_path / "architecture.yaml"
    path.write_text(model)
    made = load_architecture(path)
    assert [one.name for one in made.components] == ["Shop.order", "Price.total", "Audit.write"]
    assert called(tmp_path, "architecture", "show").returncode == 0
