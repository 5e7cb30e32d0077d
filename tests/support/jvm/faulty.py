"""Programs that make trouble, compiled once, and ways to measure them, as tests/faults.md says."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from buto.errors import EXIT_NOT_JUDGED, EXIT_PASS
from buto.measure.jmx.collector import JmxCollector
from buto.measure.jmx.worker_client import Worker
from buto.measure.opener import open_collector
from buto.measure.progress import OnTick
from buto.measure.target import Target
from buto.run.model import ProblemKind, Run
from buto.run.store import RunStore
from tests.support.checkout import ROOT
from tests.support.faults_page import Row
from tests.support.jvm.javas import JAVAS
from tests.support.processes.command import called

PROGRAMS = ROOT / "tests" / "jvm" / "faults" / "programs"
TIMEOUT_S = 60.0
STARVED = "it was starved"


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a user of the command line has of one launch."""

    code: int
    text: str
    runs: tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class CommandLine:
    """``buto record``, which must do what the page says."""

    directory: Path
    classes: Path
    promised: list[Row]

    def java(self, *words: str, options: tuple[str, ...] = (), wrapped: bool = False) -> tuple[str, ...]:
        """The words of a command that runs one of the programs, perhaps in a shell."""
        java = next(iter(JAVAS.values()))
        command = (java, *options, "-cp", str(self.classes), *words)
        return ("sh", "-c", '"$@"; exit $?', "sh", *command) if wrapped else command

    def record(self, *command: str, options: tuple[str, ...] = ()) -> Recorded:
        """Record once, at an interval of 50 ms; a run that was starved by other load is made again."""
        done = called(self.directory, "record", "troubled", "--interval", "50ms", *options, "--", *command)
        store = RunStore(self.directory / ".buto")
        recorded = Recorded(
            done.returncode,
            done.stderr,
            tuple(store.load("troubled", each) for each in store.ids("troubled")),
        )
        assert "Traceback" not in recorded.text
        assert [row for row in self.promised if row.is_kept(recorded.code, recorded.text)], recorded.text
        return recorded


def problems(run: Run) -> list[str]:
    """What is wrong with a run but for starvation, of which other load may be guilty."""
    return [problem.text for problem in run.quality.problems if problem.kind is not ProblemKind.STARVED]


@dataclass(frozen=True, slots=True)
class Recorder:
    """One launch without a command line: for troubles that would be tried again."""

    classes: Path
    promised: list[Row]
    worker: Worker | None

    def record(
        self,
        *words: str,
        options: tuple[str, ...] = (),
        java: str = "",
        on_tick: OnTick | None = None,
        **settings: Any,
    ) -> Run:
        """Launch a program, by the oldest java if none is named; the page has what is wrong with its run."""
        java = java or next(iter(JAVAS.values()))
        command = (java, *options, "-cp", str(self.classes), *words)
        target = Target(command, **{"timeout_s": TIMEOUT_S, "interval_s": 0.05} | settings)
        with JmxCollector(target, self.worker) if self.worker else open_collector(target) as collector:
            run = collector.record("troubled", on_tick)
        starves = any(STARVED in message for row in self.promised for message in row.messages)
        recorded = [problem.text for problem in run.quality.problems] if starves else problems(run)
        code = EXIT_NOT_JUDGED if recorded else EXIT_PASS
        assert [row for row in self.promised if row.is_kept(code, "; ".join(recorded))], recorded
        return run


def launched() -> list[psutil.Process]:
    """The JVMs among the children of this process that run Faulty; those of a whole session do not."""
    return [child for child in psutil.Process().children() if _runs_faulty(child)]


def _runs_faulty(process: psutil.Process) -> bool:
    # Of a process that has ended and was not waited for as_dict says None, where cmdline raises.
    known = process.as_dict(["name", "cmdline"])
    return known["name"] == "java" and "Faulty" in (known["cmdline"] or ())
