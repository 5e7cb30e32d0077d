"""Launches of the napping program, measured and not, with the times that it tells."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from buto.collect import Target, agent_collector, open_collector
from buto.collect.recording import Recording
from buto.runs import Run

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Times:
    """What the program and its wrapper printed, nanoseconds of the monotonic clock."""

    begin: int
    end: int
    exited: int

    @property
    def exit_ms(self) -> float:
        """From the program's last instruction to the end of its process."""
        return (self.exited - self.end) * 1e-6


class _RecordingWithClock(Recording):
    """Keeps the program's start by the monotonic clock, which a Run does not have."""

    started_ns = 0

    def finish(self, *arguments: Any, **named: Any) -> Run:
        _RecordingWithClock.started_ns = self.zero_ns or 0
        return super().finish(*arguments, **named)


@contextmanager
def compiled() -> Iterator[Path]:
    """A directory with the classes of all programs."""
    with TemporaryDirectory(prefix="buto-perf-") as directory:
        subprocess.run(["javac", "-d", directory, *sorted((HERE / "programs").glob("*.java"))], check=True)
        yield Path(directory)


def command(classes: Path, millis: int, code: int) -> tuple[str, ...]:
    timed = str(HERE / "timed.py")
    return (sys.executable, timed, "java", "-Xshare:auto", "-cp", str(classes), "Nap", str(millis), str(code))


def measured(classes: Path, millis: int, code: int) -> tuple[Run, int, Times]:
    """The run, the program's start by the monotonic clock, and what the program told."""
    target = Target(command(classes, millis, code), timeout_s=60.0, expected_exit=code)
    vars(agent_collector)["Recording"] = _RecordingWithClock
    with open_collector(target) as opened:
        run = opened.record("nap")
    return run, _RecordingWithClock.started_ns, times(run.stdout)


def unmeasured(classes: Path, millis: int, code: int) -> Times:
    return times(subprocess.run(command(classes, millis, code), capture_output=True, check=False).stdout)


def times(output: bytes) -> Times:
    words = dict(line.split() for line in output.decode().splitlines())
    return Times(int(words["begin"]), int(words["end"]), int(words["exited"]))
