"""The sample project as a user has it: copied, compiled, and pytest started in it."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.integration.stored import ROOT
from tests.patience import until_quiet
from tests.unit.collect.leftovers import nothing_is_left

__all__ = ["nothing_is_left"]

SAMPLE = ROOT / "examples" / "pytest"


@pytest.fixture(scope="session")
def compile_java() -> Callable[[Path], None]:
    """Compiles the sources of a directory into ``classes`` below it, as its README says."""
    spec = importlib.util.spec_from_file_location("buto_java_build", ROOT / "java-probes" / "build.py")
    assert spec is not None
    assert spec.loader is not None
    build = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(build)

    def compile_there(directory: Path) -> None:
        command = [build.find_javac(), "-d", "classes", *map(str, directory.glob("*.java"))]
        subprocess.run(command, cwd=directory, check=True, timeout=120)

    return compile_there


@pytest.fixture
def project(tmp_path: Path, compile_java: Callable[[Path], None]) -> Path:
    directory = tmp_path / "project"
    shutil.copytree(SAMPLE, directory, ignore=shutil.ignore_patterns("classes", "oracles", ".*"))
    compile_java(directory)
    return directory


@pytest.fixture
def blunt(project: Path) -> Path:
    """The sample project judging so that three runs teach it, and nothing that these tests do stands out."""
    return _judging(project, "{'preset': 'sustained', 'deviations': 30}")


@pytest.fixture
def lenient(project: Path) -> Path:
    """The sample project where only what grows to three times as much counts.

    Its runs are shorter than the phases in which a shared processor is slow, so that all training runs may
    be quick ones; how sharp verdicts are is tested elsewhere.
    """
    return _judging(project, "{'minimum-effect': {'*': '200%'}}")


def _judging(project: Path, judge: str) -> Path:
    tests = project / "test_shop.py"
    usual = tests.read_text()
    changed = usual.replace("buto(main=", f"buto(judge={judge}, main=", 1)
    assert changed != usual
    tests.write_text(changed)
    return project


def judged(directory: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """As :func:`run_pytest`, and again as long as the machine is busier than it was when buto learned."""
    return until_quiet(lambda: run_pytest(directory, *arguments), lambda done: done.stdout)


def run_pytest(directory: Path, *arguments: str, runs: int = 8) -> subprocess.CompletedProcess[str]:
    """pytest as a user starts it, but sampling less often, for other tests may run beside this one.

    From seven runs on, three that confirm a change decide by rank.
    """
    slower = ("-o", "buto_interval=200ms", "-o", f"buto_runs={runs}")
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *slower, *arguments],
        cwd=directory,
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "120", "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
