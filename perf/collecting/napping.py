"""The programs of the benchmarks, and one launch of them, measured or not, with its times."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from buto.measure.collector import Collector
from buto.measure.launch import Ending, Launch
from buto.measure.recording import Recording
from buto.measure.target import Target
from buto.run.model import Run

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Process:
    """A launch, in nanoseconds of the monotonic clock, which the programs print, too."""

    started_ns: int
    ended_ns: int
    cpu_s: float
    stdout: bytes

    def printed(self, word: str) -> int:
        """Return a number that the program printed after a word."""
        words = dict(line.split() for line in self.stdout.decode().splitlines())
        return int(words[word])

    @property
    def exit_ms(self) -> float:
        """From the program's last instruction to the end of its process."""
        return (self.ended_ns - self.printed("end")) * 1e-6


@dataclass(frozen=True)
class RecordedLaunch(Process):
    """A launch that was recorded; ``zero_ns`` is the program's start."""

    run: Run
    zero_ns: int

    def at_ns(self, row: int) -> float:
        """Return when a row was taken."""
        return self.zero_ns + float(self.run.times_s[row]) * 1e9


@contextmanager
def compiled() -> Iterator[Path]:
    """Yield a directory with the programs' classes, and the same in ``programs.jar``."""
    with TemporaryDirectory(prefix="buto-perf-") as directory:
        sources = sorted((HERE / "programs").glob("*.java"))
        subprocess.run(["javac", "--release", "8", "-Xlint:-options", "-d", directory, *sources], check=True)
        subprocess.run(["jar", "cf", "programs.jar", "."], check=True, cwd=directory)
        yield Path(directory)


def java(classes: Path, *words: str, options: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the command of a program in a jar."""
    return ("java", *options, "-cp", str(classes / "programs.jar"), *words)


def unmeasured(command: Sequence[str]) -> Process:
    """Launch a command, with its output in a file as buto has it."""
    with TemporaryDirectory(prefix="buto-perf-") as directory:
        kept = Path(directory, "stdout")
        with kept.open("wb") as stdout:
            started = time.monotonic_ns()
            process = subprocess.Popen(command, stdout=stdout, stdin=subprocess.DEVNULL)
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
            ended = time.monotonic_ns()
            _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        return Process(started, ended, usage.ru_utime + usage.ru_stime, kept.read_bytes())


def measured(collector: Collector) -> RecordedLaunch:
    """Record a launch of the collector's target, and what a run does not keep of it."""
    seen: dict[str, Any] = {}
    finish, poll = Recording.finish, Launch.poll

    def finish_and_note(recording: Recording, *arguments: Any, **named: Any) -> Run:
        seen["zero_ns"] = recording.zero_ns
        return finish(recording, *arguments, **named)

    def poll_and_note(launch: Launch) -> Ending | None:
        seen["started_ns"], seen["ending"] = launch.started_ns, poll(launch)
        ending = seen["ending"]
        assert ending is None or isinstance(ending, Ending)
        return ending

    with ExitStack() as watching:
        watching.enter_context(patch.object(Recording, "finish", finish_and_note))
        watching.enter_context(patch.object(Launch, "poll", poll_and_note))
        run = collector.record("perf")
    ending = seen["ending"]
    return RecordedLaunch(
        seen["started_ns"], ending.time_ns, ending.used.cpu_s, run.stdout, run, seen["zero_ns"]
    )


def target(
    command: Sequence[str], interval_s: float = 0.1, collector: str = "agent", code: int = 0
) -> Target:
    """Return what to record of a program: only the defaults, at an interval."""
    return Target(
        tuple(command), timeout_s=120.0, interval_s=interval_s, collector=collector, expected_exit=code
    )
