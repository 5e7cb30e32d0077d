"""Ways to measure a program that makes trouble, which must do what tests/faults.md says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from buto.measure.jmx.worker_client import Worker
from tests.support.faults_page import Row, rows
from tests.support.jvm.faulty import CommandLine, Recorder


@pytest.fixture
def promised(request: pytest.FixtureRequest) -> list[Row]:
    """The rows of the page that name this test, or this case of it."""
    node = request.node
    found = [row for row in rows() if {node.name, node.originalname} & set(row.tests)]
    assert found, f"tests/faults.md says nothing of {node.name}"
    return found


@pytest.fixture
def command_line(tmp_path: Path, classes: Path, promised: list[Row]) -> CommandLine:
    return CommandLine(tmp_path, classes, promised)


@pytest.fixture
def recorder(classes: Path, promised: list[Row]) -> Recorder:
    return Recorder(classes, promised, None)


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    with Worker() as worker:
        worker.start()
        yield worker


@pytest.fixture
def jmx(classes: Path, promised: list[Row], worker: Worker) -> Recorder:
    return Recorder(classes, promised, worker)
