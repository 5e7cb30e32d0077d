"""Services as small shell scripts, and what stands for the program that they serve."""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import pytest

from buto.measure.hooks import MeasuredProgram
from buto.measure.progress import Progress
from buto.measure.workload.services import LogLine, Readiness, Service
from buto.measure.workload.serving import Services, running

UP = LogLine(re.compile("^up$"))
TICK = Progress(0.0, 1.0, 0, "running")
PATIENCE_S = 120.0


def sh(script: str, name: str = "db", readiness: Readiness = UP, **settings: Any) -> Service:
    return Service(name, ("sh", "-c", script), readiness, **settings)


@contextmanager
def ending(tmp_path: Path, last: str) -> Iterator[Services]:
    """Services of which one does its last thing once it was seen to be ready, however busy the machine is."""
    gate = tmp_path / "gate"
    with running([sh(f"echo up; until [ -e {gate} ]; do sleep 0.01; done; {last}")]) as services:
        gate.touch()
        yield services


def web_server(port: int, readiness: Readiness) -> Service:
    command = (sys.executable, "-m", "http.server", str(port), "--bind", "127.0.0.1")
    return Service("web", command, readiness)


def until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.005)


@contextmanager
def reachable(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Keep sessions where every user can enter; pytest's own directories are private."""
    place = Path(tempfile.mkdtemp(dir="/tmp"))
    place.chmod(0o755)
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    try:
        yield
        assert list(place.iterdir()) == []
    finally:
        shutil.rmtree(place)


class Measured:
    """Stands for a program that is measured."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.marks: list[str] = []

    def mark_at(self, time_ns: int, name: str, text: str = "") -> None:
        assert 0 < time_ns <= time.monotonic_ns()
        self.marks = [*self.marks, name]

    def stop(self) -> None:
        self.heard.append("stop")

    def kill(self) -> None:
        self.heard.append("kill")


def with_program(services: Services) -> Measured:
    program = Measured()
    services.program_started(cast(MeasuredProgram, program))
    return program
