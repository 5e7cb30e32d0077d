"""Targets of these tests, and one worker that most of them share, as starting one takes a second."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from buto.measure.jmx.connection import JmxConnection
from buto.measure.jmx.worker_client import Worker
from perf.scale import ports
from tests.support.jvm.driven import Targets, address_of
from tests.support.jvm.javas import JAVAS


@pytest.fixture(scope="module")
def one_java_home() -> Path:
    """A whole JDK."""
    return next(java.parents[1] for java in map(Path, JAVAS.values()) if (java.parent / "keytool").exists())


@pytest.fixture
def free_port() -> int:
    """A port of loopback at which nobody listens."""
    return ports.free_port()


@pytest.fixture
def targets(classes: Path) -> Iterator[Targets]:
    targets = Targets(classes)
    yield targets
    targets.close()


@pytest.fixture(scope="session")
def session_worker() -> Iterator[Worker]:
    with Worker() as worker:
        worker.start()
        yield worker


@pytest.fixture
def shared_worker(session_worker: Worker) -> Iterator[Worker]:
    """The worker of the session, or another if a test before has cost it."""
    if session_worker.is_usable:
        yield session_worker
    else:
        with Worker() as worker:
            yield worker


@pytest.fixture(scope="module")
def shared_target(classes: Path, one_java: str) -> Iterator[subprocess.Popen[bytes]]:
    """One JVM for tests that only look at it."""
    targets = Targets(classes)
    yield targets.start(one_java, "-Dcom.sun.management.jmxremote")
    targets.close()


@pytest.fixture
def connection(shared_worker: Worker, shared_target: subprocess.Popen[bytes]) -> Iterator[JmxConnection]:
    """To the shared target, through the shared worker."""
    with JmxConnection(shared_worker, address_of(shared_target), "the target") as connection:
        yield connection
