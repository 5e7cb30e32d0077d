"""A program that does what it is told, compiled once, and the real command line beside it."""

from __future__ import annotations

import importlib.util
import os
import subprocess
from pathlib import Path

import pytest

from buto.collect.jvm.installations import find_installations
from tests.integration.stored import ROOT
from tests.unit.collect.leftovers import nothing_is_left

__all__ = ["nothing_is_left"]

PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture(scope="session")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The class path of the program ``Does``."""
    spec = importlib.util.spec_from_file_location("buto_java_build", ROOT / "java-probes" / "build.py")
    assert spec is not None
    assert spec.loader is not None
    build = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(build)
    out = tmp_path_factory.mktemp("classes")
    command = [build.find_javac(), "--release", "8", "-Xlint:-options", "-d", out, *PROGRAMS.glob("*.java")]
    subprocess.run(command, check=True, timeout=120)
    return out


@pytest.fixture(scope="session")
def two_javas() -> tuple[str, str]:
    """Two JVMs of different versions."""
    of_version = {found.version: os.fspath(found.java) for found in find_installations() if found.version}
    if len(of_version) < 2:
        pytest.skip("this machine has JVMs of one version only")
    first, second = list(of_version.values())[:2]
    return first, second
