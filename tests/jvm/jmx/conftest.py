"""Targets of these tests, and one worker that most of them share, as starting one takes a second."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from buto.measure.jmx.connection import JmxConnection
from buto.measure.jmx.worker_client import Worker
from perf.scale import ports
from tests.support.checkout import compile_java
from tests.support.jvm.at_each_push import newest
from tests.support.jvm.driven import JVMS, Targets, address_of


@pytest.fixture(params=newest({f"java{major}": java for major, java in JVMS.items()}))
def java(request: pytest.FixtureRequest) -> str:
    """Each Java of this machine, one of each major version."""
    return str(request.param)


@pytest.fixture
def one_java() -> str:
    """The first Java, for what does not depend on the target's."""
    return str(next(iter(JVMS.values())))


@pytest.fixture(scope="module")
def one_java_home() -> Path:
    """A whole JDK."""
    return next(java.parent.parent for java in JVMS.values() if (java.parent / "keytool").exists())


@pytest.fixture
def free_port() -> int:
    """A port of loopback at which nobody listens."""
    return ports.free_port()


@pytest.fixture(scope="session")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The class path of the programs beside these tests."""
    programs = Path(__file__).parent.glob("programs/*.java")
    return compile_java(tmp_path_factory.mktemp("classes"), programs)


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


@pytest.fixture(scope="session")
def shared_target(classes: Path) -> Iterator[subprocess.Popen[bytes]]:
    """One JVM for tests that only look at it."""
    targets = Targets(classes)
    yield targets.start(str(next(iter(JVMS.values()))), "-Dcom.sun.management.jmxremote")
    targets.close()


@pytest.fixture
def connection(shared_worker: Worker, shared_target: subprocess.Popen[bytes]) -> Iterator[JmxConnection]:
    """To the shared target, through the shared worker."""
    with JmxConnection(shared_worker, address_of(shared_target), "the target") as connection:
        yield connection
