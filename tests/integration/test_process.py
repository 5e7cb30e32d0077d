"""A native executable on the command line: trained, kept by content, and refused where a JVM is needed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.support.processes.command import called


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("native")
    shutil.copy("/bin/true", directory / "native")
    done = called(directory, "train", "native", "--runs", "5", "--measure", "process", "--", "./native")
    assert done.returncode == 0, done.stderr
    return directory


def test_the_executable_is_kept(trained: Path) -> None:
    program = json.loads((trained / "oracles" / "native.json").read_text())["program"]
    assert program["files"] == 1
    assert program["bytes"] == (trained / "native").stat().st_size


@pytest.mark.parametrize("command", ["why", "grow", "size"])
def test_what_needs_a_jvm_says_so(trained: Path, command: str) -> None:
    done = called(trained, command, "native")
    assert done.returncode == 2, done.stderr
    assert "without" in done.stderr


def test_a_command_without_a_jvm_is_told_how_it_is_measured(tmp_path: Path) -> None:
    done = called(tmp_path, "record", "native", "--", "true")
    assert done.returncode == 3
    assert "--measure process" in done.stderr
