"""What a fresh clone says when the machine lacks something."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.support.checkout import ROOT


def make(*arguments: str) -> subprocess.CompletedProcess[str]:
    # What is given to the make that runs the tests must not reach this one.
    environment = {key: value for key, value in os.environ.items() if not key.startswith("MAKE")}
    command = ["make", "-C", str(ROOT), *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=30, check=False)


@pytest.fixture
def venv(tmp_path: Path) -> str:
    return f"VENV={tmp_path / 'venv'}"


def fake_python(tmp_path: Path, *cases: str) -> str:
    script = tmp_path / "python"
    script.write_text("\n".join(["#!/bin/sh", 'case "$*" in', *cases, "esac"]) + "\n")
    script.chmod(0o755)
    return f"PYTHON={script}"


def test_help_lists_every_command() -> None:
    listed = [line.split()[1] for line in make("--no-print-directory", "help").stdout.splitlines()]
    checks = ["test", "test-all", "test-fast", "coverage", "durations", "lint", "type", "layers", "names"]
    drawn = ["rooms", "steps", "trust"]
    project = ["site", "workflows", "changes", "dogfood"]
    assert listed == [
        *(
            "help",
            "demo",
            *checks,
            *drawn,
            "java",
            "runtime",
            "plugins",
            *project,
            "dist",
            "release-dry-run",
            "bed",
            "bench",
            "clean",
        )
    ]


def test_a_missing_python_is_named(venv: str) -> None:
    done = make("java", venv, "PYTHON=no-such-python")
    assert done.returncode != 0
    assert "no-such-python was not found" in done.stdout
    assert "apt-get install python3" in done.stdout


def test_an_old_python_is_named_with_its_version(venv: str, tmp_path: Path) -> None:
    old = fake_python(tmp_path, "*version_info*) exit 1;;", "--version) echo Python 3.9.18;;")
    done = make("demo", venv, old)
    assert done.returncode != 0
    assert "needs Python 3.11 or newer" in done.stdout
    assert "is Python 3.9.18" in done.stdout
    assert "make PYTHON=python3.12 demo" in done.stdout


def test_a_missing_venv_module_is_named_with_its_package(venv: str, tmp_path: Path) -> None:
    bare = fake_python(tmp_path, "*version_info*) exit 0;;", "*ensurepip*) exit 1;;")
    done = make("demo", venv, bare)
    assert done.returncode != 0
    assert "apt-get install python3-venv" in done.stdout
