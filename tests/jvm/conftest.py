"""What all tests with real JVMs share: the JVMs, the programs beside a test, and that nothing is left."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from tests.support.checkout import compile_java
from tests.support.jvm.javas import JAVAS, newest
from tests.support.processes.leftovers import nothing_is_left

__all__ = ["nothing_is_left"]


@pytest.fixture(params=newest({f"java{major}": java for major, java in JAVAS.items()}))
def java(request: pytest.FixtureRequest) -> str:
    """Each JVM of this machine, one of each major version."""
    return str(request.param)


@pytest.fixture(scope="session")
def one_java() -> str:
    """The oldest JVM, for what does not depend on the version."""
    return next(iter(JAVAS.values()))


@pytest.fixture(scope="module")
def classes(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The class path of the programs in the folder ``programs`` beside the test."""
    beside: Path = request.path.parent
    return _compiled(beside / "programs", tmp_path_factory.getbasetemp() / f"classes-{beside.name}")


@cache
def _compiled(programs: Path, out: Path) -> Path:
    return compile_java(out, programs.glob("*.java"), "-nowarn", "-g")
