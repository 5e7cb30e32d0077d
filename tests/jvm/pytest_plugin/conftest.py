"""The sample project as a user has it: copied, compiled, and pytest started in it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support.checkout import ROOT
from tests.support.judging import BY_HEAP, BY_MULTIPLES, Judge, literal
from tests.support.processes.sample_project import compile_sample

SAMPLE = ROOT / "examples" / "pytest"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    directory = tmp_path / "project"
    shutil.copytree(SAMPLE, directory, ignore=shutil.ignore_patterns("classes", "oracles", ".*"))
    compile_sample(directory)
    return directory


@pytest.fixture
def blunt(project: Path) -> Path:
    """The sample project where only multiples count."""
    return _judging(project, BY_MULTIPLES)


@pytest.fixture
def lenient(project: Path) -> Path:
    """The sample project where only many MiB more in the heap count."""
    return _judging(project, BY_HEAP)


def _judging(project: Path, judge: Judge) -> Path:
    tests = project / "test_shop.py"
    usual = tests.read_text()
    changed = usual.replace("buto(main=", f"buto(judge={literal(judge)}, main=", 1)
    assert changed != usual
    tests.write_text(changed)
    return project
