"""Targets of these tests, and one worker that most of them share, as starting one takes a second."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from buto.collect.collector import OnTick
from buto.collect.hsperf import NoPerfData, parse
from buto.collect.jmx_address import local_jvm
from buto.collect.jmx_client import Worker
from buto.collect.jmx_connection import JmxConnection
from buto.collect.jvms import find_installations
from buto.collect.recording import Progress, Recording

PATIENCE_S = 30.0
JVMS = {each.major: each.java for each in find_installations() if each.major is not None}
assert JVMS, "no Java was found, and these tests are about nothing else"
DRIVER = "buto.tests:type=Driver"
QUEUE = "buto.tests:name=first,type=Queue"


@pytest.fixture(params=JVMS.values(), ids=[f"java{major}" for major in JVMS])
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
    """A port of loopback at which nobody listens (any more)."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@pytest.fixture(scope="session")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The class path of the programs beside these tests."""
    out = tmp_path_factory.mktemp("classes")
    javac = next(java.parent / "javac" for java in JVMS.values() if (java.parent / "javac").exists())
    sources = sorted(map(str, Path(__file__).parent.glob("programs/*.java")))
    subprocess.run([javac, "--release", "8", "-Xlint:-options", "-d", out, *sources], check=True, timeout=120)
    return out


@dataclass
class Targets:
    """Starts JVMs that run Driven, and ends them."""

    classes: Path
    started: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start(self, java: str, *options: str, end: Path = Path("never")) -> subprocess.Popen[bytes]:
        """Start one and wait until its MBeans are there."""
        command = [java, "-XX:TieredStopAtLevel=1", *options, "-cp", str(self.classes), "Driven", str(end)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE)
        self.started.append(process)
        assert process.stdout is not None
        assert process.stdout.readline().startswith(b"main ")
        assert process.stdout.readline() == b"ready\n"
        return process

    def close(self) -> None:
        for process in self.started:
            process.kill()
            process.wait()
            assert process.stdout is not None
            process.stdout.close()


@pytest.fixture
def targets(classes: Path) -> Iterator[Targets]:
    targets = Targets(classes)
    yield targets
    targets.close()


@pytest.fixture(scope="session")
def shared_worker() -> Iterator[Worker]:
    with Worker() as worker:
        worker.start()
        yield worker


@pytest.fixture(scope="session")
def shared_target(classes: Path) -> Iterator[subprocess.Popen[bytes]]:
    """One JVM for tests that only look at it."""
    targets = Targets(classes)
    yield targets.start(str(next(iter(JVMS.values()))), "-Dcom.sun.management.jmxremote")
    targets.close()


def address_of(process: subprocess.Popen[bytes]) -> str:
    """The address of a JVM that was started with its JMX agent."""
    jvm = local_jvm(process.pid)
    assert jvm is not None
    assert jvm.address is not None
    return jvm.address


def remote_address_of(process: subprocess.Popen[bytes]) -> str:
    """The address at which a JVM that was started with a JMX port of 0 listens."""
    path = next(Path("/tmp").glob(f"hsperfdata_*/{process.pid}"))
    address = parse(path.read_bytes()).get("sun.management.JMXConnectorServer.0.remoteAddress")
    if not isinstance(address, str):
        raise NoPerfData(f"{path} has no address")
    return address


@pytest.fixture
def connection(shared_worker: Worker, shared_target: subprocess.Popen[bytes]) -> Iterator[JmxConnection]:
    """To the shared target, through the shared worker."""
    with JmxConnection(shared_worker, address_of(shared_target), "the target") as connection:
        yield connection


def once_sampled(n_samples: int, act: Callable[[], object]) -> OnTick:
    """Act once, as soon as there are so many samples."""
    acted = []

    def on_tick(progress: Progress) -> None:
        if progress.n_samples >= n_samples and not acted:
            acted.append(True)
            act()

    return on_tick


def drain_until(connection: JmxConnection, recording: Recording, n_samples: int) -> None:
    """Drain until so many samples are there, or fail."""
    deadline = time.monotonic() + PATIENCE_S
    while recording.n_samples < n_samples:
        assert time.monotonic() < deadline, f"only {recording.n_samples} samples, lost: {connection.lost}"
        assert connection.lost is None
        connection.drain()
        time.sleep(0.01)


def n_threads(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/task"))


def n_descriptors(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/fd"))


def resident_bytes(pid: int) -> int:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
