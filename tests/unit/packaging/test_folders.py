"""The folders of buto are small."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.checkout import ROOT

PACKAGE = ROOT / "buto"
MOST_FILES = 15


def folders() -> list[Path]:
    """Return the folders that have Python files in them."""
    return sorted({path.parent for path in PACKAGE.rglob("*.py")})


@pytest.mark.parametrize("folder", folders(), ids=lambda folder: folder.relative_to(ROOT).as_posix())
def test_a_folder_has_few_files(folder: Path) -> None:
    files = {path.name for path in folder.glob("*.py")} - {"__init__.py"}
    assert len(files) <= MOST_FILES
