"""The JDKs of the machine, the programs of these tests, and how one is started under the agent."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.checkout import compile_java
from tests.support.jvm.agents import JDKS, Launcher
from tests.support.jvm.at_each_push import newest
from tests.support.jvm.plain_collector import PlainCollector


@pytest.fixture(params=newest({f"java{version}": java for version, java in JDKS.items()}))
def java(request: pytest.FixtureRequest) -> Path:
    """The java of each JDK in turn."""
    path = request.param
    assert isinstance(path, Path)
    return path


@pytest.fixture
def one_java() -> Path:
    """The oldest java, for what does not depend on the JDK."""
    return next(iter(JDKS.values()))


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The class path of the programs beside these tests."""
    programs = Path(__file__).parent.glob("programs/*.java")
    return compile_java(tmp_path_factory.mktemp("programs"), programs, "-Xlint:all,-options", "-Werror")


@pytest.fixture
def launcher(tmp_path: Path, programs: Path) -> Iterator[Launcher]:
    launcher = Launcher(tmp_path, programs)
    yield launcher
    for process in launcher.started:
        process.kill()
        process.communicate()


@pytest.fixture
def collector(tmp_path: Path) -> Iterator[PlainCollector]:
    with PlainCollector(tmp_path) as collector:
        yield collector
