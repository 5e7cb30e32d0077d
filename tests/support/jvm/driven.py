"""JVMs that run the program of these tests, and small helpers."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from buto.measure.jmx.connection import JmxConnection
from buto.measure.jvms import local_jvm
from buto.measure.progress import OnTick, Progress
from buto.measure.recording import Recording

PATIENCE_S = 120.0
DRIVER = "buto.tests:type=Driver"
QUEUE = "buto.tests:name=first,type=Queue"


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


def address_of(process: subprocess.Popen[bytes]) -> str:
    """The address of a JVM that was started with its JMX agent."""
    jvm = local_jvm(process.pid)
    assert jvm is not None
    assert jvm.local_address is not None
    return jvm.local_address


def remote_address_of(pid: int) -> str:
    """The address of a JVM whose remote JMX agent runs."""
    jvm = local_jvm(pid)
    assert jvm is not None
    assert jvm.remote_address is not None
    return jvm.remote_address


def listens_at(pid: int) -> set[tuple[str, int]]:
    """Where a process accepts connections: address and port."""
    connections = psutil.Process(pid).net_connections()
    places = {tuple(each.laddr) for each in connections if each.status == psutil.CONN_LISTEN}
    return {(host.removeprefix("::ffff:"), port) for host, port in places}


def once_sampled(n_samples: int, act: Callable[[], object]) -> OnTick:
    """Act once, when there are this number of samples."""
    acted = []

    def on_tick(progress: Progress) -> None:
        if progress.n_samples >= n_samples and not acted:
            acted.append(True)
            act()

    return on_tick


def drain_until(
    connection: JmxConnection,
    recording: Recording,
    n_samples: int = 0,
    happened: Callable[[], object] = lambda: True,
) -> None:
    """Drain until there are this number of samples and something has happened, or fail."""
    deadline = time.monotonic() + PATIENCE_S
    while recording.n_samples < n_samples or not happened():
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
