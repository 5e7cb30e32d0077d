"""How a program of these tests is started under the agent."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.jvm.agents import Launcher, Scene
from tests.support.jvm.plain_collector import PlainCollector


@pytest.fixture
def launcher(tmp_path: Path, classes: Path) -> Iterator[Launcher]:
    launcher = Launcher(tmp_path, classes)
    yield launcher
    for process in launcher.started:
        process.kill()
        process.communicate()


@pytest.fixture
def collector(tmp_path: Path) -> Iterator[PlainCollector]:
    with PlainCollector(tmp_path) as collector:
        yield collector


@pytest.fixture
def scene(launcher: Launcher, collector: PlainCollector) -> Scene:
    return Scene(launcher, collector)
