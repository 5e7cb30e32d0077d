"""A project with the program of the pytest example, compiled once."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support.checkout import ROOT
from tests.support.processes.sample_project import compile_sample


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("shop")
    for source in (ROOT / "examples" / "pytest").glob("*.java"):
        shutil.copy(source, place)
    compile_sample(place)
    return place / "classes"


@pytest.fixture
def project(tmp_path: Path, shop: Path) -> Path:
    (tmp_path / "classes").symlink_to(shop)
    return tmp_path
