"""A program whose arguments decide what it does, compiled once, and the real command line."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from buto.measure.jvms import find_installations
from tests.support.checkout import compile_java
from tests.support.processes.leftovers import nothing_is_left

__all__ = ["nothing_is_left"]

PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture(scope="session")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The class path of the program ``Does``."""
    return compile_java(tmp_path_factory.mktemp("classes"), PROGRAMS.glob("*.java"))


@pytest.fixture(scope="session")
def two_javas() -> tuple[str, str]:
    """Two JVMs of different versions."""
    of_version = {found.version: os.fspath(found.java) for found in find_installations() if found.version}
    if len(of_version) < 2:
        pytest.skip("this machine has JVMs of one version only")
    first, second = list(of_version.values())[:2]
    return first, second
