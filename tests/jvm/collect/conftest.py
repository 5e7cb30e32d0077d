"""Small Java programs, compiled once, and what every test of a collector checks behind itself."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from buto.measure.jvms import find_installations
from tests.support.checkout import compile_java, java_build
from tests.support.jvm.at_each_push import newest
from tests.support.jvm.recorder import Recorder
from tests.support.processes.leftovers import nothing_is_left

__all__ = ["nothing_is_left"]

PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture(scope="session")
def javac() -> Path:
    return java_build().find_javac()  # type: ignore[no-any-return]


@pytest.fixture(scope="session")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs' class path."""
    return compile_java(tmp_path_factory.mktemp("classes"), PROGRAMS.glob("*.java"))


_JVMS = {
    found.version.split(".")[0]: os.fspath(found.java) for found in find_installations() if found.version
}


@pytest.fixture(params=newest(_JVMS))
def java(request: pytest.FixtureRequest) -> str:
    """Each JVM of this machine, each major version once."""
    return str(request.param)


@pytest.fixture
def record(monkeypatch: pytest.MonkeyPatch, classes: Path) -> Recorder:
    return Recorder(monkeypatch, classes)
