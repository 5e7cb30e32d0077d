"""The example of the pytest plugin: its compiler, and pytest started in it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.support.checkout import ROOT, java_build


def compile_sample(directory: Path) -> None:
    """Compile the sources of a directory into ``classes`` below it, as its README says."""
    command = [java_build().find_javac(), "-d", "classes", *map(str, directory.glob("*.java"))]
    subprocess.run(command, cwd=directory, check=True, timeout=120)


def run_pytest(directory: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """pytest as a user starts it, but sampling less often, for other tests may run beside this one.

    Of five training runs, three that confirm a change decide by rank at the alpha of the tests.
    """
    slower = ("-o", "buto_interval=200ms", "-o", "buto_runs=5")
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *slower, *arguments],
        cwd=directory,
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "120", "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
