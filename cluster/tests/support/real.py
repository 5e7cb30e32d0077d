"""A real scheduler and real workers on this machine, which a test may kill and stop."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import psutil

from tests.support.checkout import ROOT

DEADLINE_S = 300.0

HOST = "BUTO_TEST_HOST"
"""A variable of every worker, and so of the programs that it starts: its name."""

_POLL_S = 0.05


class RealCluster:
    """A scheduler and its workers, each a process.

    Args:
        environment: variables of all of them, as for TLS.

    Attributes:
        address: of the scheduler.
        workers: by name.
    """

    def __init__(self, directory: Path, protocol: str = "tcp", environment: Mapping[str, str] = {}) -> None:
        self.directory = directory
        # The locks of hosts are there, so that two tests may have hosts of the same name.
        own = {"PYTHONPATH": str(ROOT), "TMPDIR": str(directory)}
        self.environment = {**os.environ, **own, **environment}
        self.workers: dict[str, subprocess.Popen[str]] = {}
        words = ["--protocol", protocol, "--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
        self.scheduler = self._start("scheduler", ["-m", "distributed.cli.dask_scheduler", *words])
        self.address = ""

    def wait_for_the_address(self) -> None:
        """Return when the scheduler has said where it is."""
        found = self.until(lambda: re.search(r"Scheduler at:\s+(\S+)", self.said("scheduler")))
        self.address = str(found[1])

    def add(self, name: str, *options: str) -> None:
        """Start a worker, and return when it has joined."""
        words = ["--scheduler", self.address, "--name", name, "--directory", str(self.directory / "inputs")]
        arguments = ["-m", "buto", "worker", *words, "--no-doctor", *options]
        self.workers[name] = self._start(f"worker-{name}", arguments, {HOST: name})
        self.until(lambda: "has joined" in self.said(f"worker-{name}"))

    def kill(self, name: str) -> None:
        """Kill a worker with SIGKILL; the operating system releases its lock."""
        self.workers[name].kill()
        self.workers[name].wait()

    def said(self, of: str) -> str:
        """Return what a process has printed."""
        return (self.directory / f"{of}.log").read_text()

    def until(self, condition: Callable[[], object]) -> object:
        """Return what a condition gives as soon as it is true."""
        deadline_s = time.monotonic() + DEADLINE_S
        while not (found := condition()):
            assert time.monotonic() < deadline_s, {
                path.name: path.read_text() for path in self.directory.glob("*.log")
            }
            time.sleep(_POLL_S)
        return found

    def close(self) -> None:
        """End all processes."""
        processes = [*self.workers.values(), self.scheduler]
        for process in processes:
            process.send_signal(signal.SIGCONT)
            process.terminate()
        for process in processes:
            try:
                process.wait(DEADLINE_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _start(self, of: str, arguments: list[str], more: Mapping[str, str] = {}) -> subprocess.Popen[str]:
        with (self.directory / f"{of}.log").open("w") as log:
            return subprocess.Popen(
                [sys.executable, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                text=True,
                cwd=self.directory,
                env={**self.environment, **more},
            )


@contextmanager
def real_cluster(
    directory: Path, protocol: str = "tcp", environment: Mapping[str, str] = {}
) -> Iterator[RealCluster]:
    """Yield a cluster without workers, and end all its processes."""
    cluster = RealCluster(directory, protocol, environment)
    try:
        cluster.wait_for_the_address()
        yield cluster
    finally:
        cluster.close()


@contextmanager
def in_background(disturb: Callable[[], None]) -> Iterator[None]:
    """Do something beside a block; what it raises is raised at the end."""
    failures: list[BaseException] = []

    def carry_out() -> None:
        try:
            disturb()
        except BaseException as failure:
            failures.append(failure)
            raise

    thread = Thread(target=carry_out)
    thread.start()
    try:
        yield
    finally:
        thread.join(DEADLINE_S)
    assert not thread.is_alive()
    assert not failures, failures


def jvms(marker: str) -> list[psutil.Process]:
    """Return the JVMs whose command line has a marker."""
    return [
        process
        for process in psutil.process_iter(["name", "cmdline"])
        if process.info["name"] == "java" and marker in " ".join(process.info["cmdline"] or ())
    ]
