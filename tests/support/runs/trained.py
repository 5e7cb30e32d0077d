"""A trained test whose later launches are scripted, of its program and of the kept one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from buto.actions.check import CheckRequest, check
from buto.actions.events import Event
from buto.actions.project import Overrides, Project
from buto.actions.train import TrainRequest, train
from buto.report.result import Result
from tests.support.projects import project_in
from tests.support.runs.scripted import Event as Launch
from tests.support.runs.scripted import Script
from tests.support.runs.stored import leaking_run

N_TURNS = 10
"""At most of each program, at the default alpha."""

OLD = "leaker@trained"


class Trained:
    """A trained test whose launches give what is put down: the present program's runs, and the kept one's."""

    def __init__(self, directory: Path, script: Script) -> None:
        self.directory, self.script = directory, script
        (directory / "app.jar").write_text("as trained")
        self.put_down(*runs(10))
        train(self.project, TrainRequest(("leaker",), Overrides(command=("java", "-jar", "app.jar"))))

    @property
    def project(self) -> Project:
        return project_in(self.directory)

    @property
    def oracle(self) -> Path:
        return self.directory / "oracles" / "leaker.json"

    def put_down(self, *new: Launch, old: list[Launch] | None = None) -> None:
        self.script.events["leaker"] = iter(new)
        self.script.events[OLD] = iter(runs(N_TURNS, first=100)) if old is None else iter(old)

    def check(self, *new: Launch, old: list[Launch] | None = None, from_runs: str | None = None) -> Result:
        self.put_down(*new, old=old)
        self.events: list[Event] = []
        request = CheckRequest(("leaker",), from_runs=from_runs)
        (result,) = check(self.project, request, self.events.append).results
        return result

    def n_old(self) -> int:
        return len(self.project.store.ids(OLD))


def runs(n_runs: int, leak: float = 1.0, first: int = 0, release: str = "17") -> list[Launch]:
    elsewhere: dict[str, Any] = {"jvm.spec.version": release}
    return [leaking_run(number, leak=leak, **elsewhere) for number in range(first, first + n_runs)]


def drifted(n_runs: int, first: int) -> list[Launch]:
    """What both programs give on a machine that is not as it was in training."""
    return runs(n_runs, leak=9.0, first=first)
