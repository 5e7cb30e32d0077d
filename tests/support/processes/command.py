"""The command line of buto, in this process or in one of its own."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from buto.cli.main import main
from tests.support.checkout import ROOT


def called(directory: Path, *arguments: str, exits: int | None = None) -> subprocess.CompletedProcess[str]:
    """Call the command line in this process, which saves a second; ``exits`` is the expected exit code."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(directory), redirect_stdout(out), redirect_stderr(err):
        code = main(list(arguments))
    assert exits in (None, code), f"buto exited with {code}, expected {exits}\n{err.getvalue()}"
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())


def buto(
    directory: Path,
    *arguments: str,
    timeout_s: float = 300.0,
    before: Callable[[], object] | None = None,
    **environment: str,
) -> subprocess.CompletedProcess[str]:
    """Call the command line in a process of its own, which does something before it begins."""
    return subprocess.run(
        [sys.executable, "-m", "buto", *arguments],
        cwd=directory,
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "100", **environment},
        preexec_fn=before,
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )
