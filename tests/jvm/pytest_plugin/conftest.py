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
    tests = directory / "test_shop.py"
    usual = tests.read_text()
    # The verdict's sharpness is tested elsewhere, on quieter machines.
    blunt = usual.replace("buto(main=", "buto(judge={'preset': 'sustained', 'deviations': 30}, main=", 1)
    assert blunt != usual
    tests.write_text(blunt)
    compile_java(directory)
    return directory


def run_pytest(directory: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """pytest as a user starts it, but sampling less often, for other tests may run beside this one."""
    slower = ("-o", "buto_interval=200ms", "-o", "buto_runs=3")
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *slower, *arguments],
        cwd=directory,
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "120", "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
