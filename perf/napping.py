"""Launches of the napping program, measured and not, with the times that it tells."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from buto.collect import Target, open_collector
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


@contextmanager
def compiled() -> Iterator[Path]:
    """A directory with the program's class."""
    with TemporaryDirectory(prefix="buto-perf-") as directory:
        subprocess.run(["javac", "-d", directory, HERE / "programs" / "Nap.java"], check=True)
        yield Path(directory)


def command(classes: Path, millis: int, code: int) -> tuple[str, ...]:
    timed = str(HERE / "timed.py")
    return (sys.executable, timed, "java", "-Xshare:auto", "-cp", str(classes), "Nap", str(millis), str(code))


def measured(classes: Path, millis: int, code: int, collector: str = "agent") -> tuple[Run, Times]:
    target = Target(command(classes, millis, code), timeout_s=60.0, expected_exit=code, collector=collector)
    with open_collector(target) as opened:
        run = opened.record("nap")
    return run, times(run.stdout)


def unmeasured(classes: Path, millis: int, code: int) -> Times:
    return times(subprocess.run(command(classes, millis, code), capture_output=True, check=False).stdout)


def times(output: bytes) -> Times:
    words = dict(line.split() for line in output.decode().splitlines())
    return Times(int(words["begin"]), int(words["end"]), int(words["exited"]))
