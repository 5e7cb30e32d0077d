"""Builds of a test without any JVM: commits of a repository, first runs in a store, and checks by script."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path

from buto.actions.check import CheckRequest, check
from buto.actions.events import Event
from buto.actions.monitor import AlarmStore
from buto.actions.project import Overrides, Project
from buto.actions.train import TrainRequest, train
from buto.report.result import Result
from buto.run.model import Run
from buto.run.store import RunStore
from buto.steps import Action
from tests.support.projects import project_in
from tests.support.runs.scripted import Script
from tests.support.runs.stored import leaking_run

OLD = "leaker@trained"
LEAKS = (1.2, 0.8)
"""MiB a second, by turns: equal runs scatter by more than a size that matters."""

MORE = 1.38
"""So much that a single run is ordinary, and four in a row are not."""

N_BEFORE = 6


def git(directory: Path, *words: str) -> str:
    names = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false")
    return subprocess.run(
        ["git", *names, *words], cwd=directory, capture_output=True, text=True, timeout=30, check=True
    ).stdout.strip()


class Builds:
    """A trained test in a repository with builds of earlier commits in its store."""

    def __init__(
        self, directory: Path, script: Script, leaks: Sequence[float] = LEAKS, n_before: int = N_BEFORE
    ) -> None:
        self.directory, self.script, self.numbers = directory, script, count(1000)
        self.leaks = leaks
        self.events: list[Event] = []
        git(directory, "init", "--quiet", "--initial-branch=main")
        (directory / "app.jar").write_text("as trained")
        git(directory, "add", "app.jar")
        of = {"buto.commit": self.commit("The program")}
        trained = [replace(run, metadata={**run.metadata, **of}) for run in self.runs(10)]
        self.script.events["leaker"] = iter(trained)
        train(self.project, TrainRequest(("leaker",), Overrides(command=("java", "-jar", "app.jar"))))
        for number in range(n_before):
            self.build(leaks[number % len(leaks)])

    @property
    def project(self) -> Project:
        return project_in(self.directory)

    def commit(self, subject: str = "Change") -> str:
        git(self.directory, "commit", "--quiet", "--allow-empty", "-m", subject)
        return git(self.directory, "rev-parse", "HEAD")

    def runs(self, n_runs: int, leaks: Sequence[float] = ()) -> list[Run]:
        leaks = leaks or self.leaks
        return [leaking_run(next(self.numbers), leak=leaks[at % len(leaks)]) for at in range(n_runs)]

    def build(
        self, leak: float, commit: str | None = None, purpose: str = "check", at: str = "20260101T000000.010Z"
    ) -> Run:
        """Store the first run of a check of a new commit, or of the one that is given.

        Args:
            at: when it was launched, between training and later checks.
        """
        of = commit or self.commit(f"Build {leak}")
        (run,) = self.runs(1, (leak,))
        run = replace(run, id=f"{at}-{next(self.numbers):04x}")
        metadata = {**run.metadata, "buto.purpose": purpose, "buto.commit": of, "buto.session": run.id}
        run = replace(run, metadata=metadata)
        RunStore(self.directory / ".buto").add(run)
        return run

    def check(
        self,
        leak: float,
        new: Sequence[float] = (),
        commit: str | None = None,
        *,
        old: Sequence[float] = (),
        release: bool = False,
    ) -> Result:
        """Check the present commit: one first run, and in turns what the new and the old program give."""
        of = commit or git(self.directory, "rev-parse", "HEAD")
        first, *later = [*self.runs(1, (leak,)), *self.runs(12, new)]
        marked = [replace(run, metadata={**run.metadata, "buto.commit": of}) for run in (first, *later)]
        self.script.events["leaker"] = iter(marked)
        self.script.events[OLD] = iter(self.runs(12, old))
        self.events = []
        (result,) = check(
            self.project, CheckRequest(("leaker",), release=release), self.events.append
        ).results
        return result

    def alarms(self) -> list[str]:
        known = self.project.load_known("leaker", Action.CHECK).oracle
        return [alarm.status for alarm in AlarmStore(self.directory / ".buto").of(known)]
