"""A trained test whose later launches are scripted, of its program and of the kept one."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from buto.actions import collecting
from buto.actions.check import CheckRequest, check
from buto.actions.events import Event
from buto.actions.project import Overrides, Project
from buto.actions.train import TrainRequest, train
from buto.report.result import Result
from buto.run.model import RUN_QUEUE, Run
from tests.support.projects import project_in
from tests.support.runs.scripted import Event as Launch
from tests.support.runs.scripted import Script
from tests.support.runs.stored import NAMES, leaking_run

N_TRAINING = 10
N_TURNS = 10
"""At most of each program, at the default alpha."""

OLD = "leaker@trained"
COMMAND = ("java", "-jar", "app.jar")


class Trained:
    """A trained test whose launches give what is put down: the present program's runs, and the kept one's.

    Args:
        training: what the launches of the training give; None for ten usual runs.
    """

    def __init__(self, directory: Path, script: Script, training: Sequence[Launch] | None = None) -> None:
        self.directory, self.script = directory, script
        if training is None:
            copy_training(directory, script, COMMAND)
        else:
            _train(directory, script, COMMAND, training)

    @property
    def project(self) -> Project:
        return project_in(self.directory)

    @property
    def oracle(self) -> Path:
        return self.directory / "oracles" / "leaker.json"

    def put_down(self, *new: Launch, old: Sequence[Launch] | None = None) -> None:
        self.script.events["leaker"] = iter(new)
        self.script.events[OLD] = iter(runs(N_TURNS, first=100)) if old is None else iter(old)

    def check(
        self, *new: Launch, old: Sequence[Launch] | None = None, from_runs: str | None = None
    ) -> Result:
        self.put_down(*new, old=old)
        self.events: list[Event] = []
        request = CheckRequest(("leaker",), from_runs=from_runs)
        (result,) = check(self.project, request, self.events.append).results
        return result

    def n_old(self) -> int:
        return len(self.project.store.ids(OLD))


def copy_training(directory: Path, script: Script, command: tuple[str, ...]) -> None:
    """Leave what a training with ten usual runs leaves, and in the script that it launched them."""
    shutil.copytree(_training(command).name, directory, dirs_exist_ok=True)
    script.launched.extend(["leaker"] * N_TRAINING)


@cache
def _training(command: tuple[str, ...]) -> TemporaryDirectory[str]:
    """A training of which all tests of a process have copies: it takes longer than most of them."""
    place, script = TemporaryDirectory(), Script({})
    with pytest.MonkeyPatch.context() as patch, contextlib.chdir(place.name):
        patch.setattr(collecting, "collect", script.collect)
        _train(Path(place.name), script, command, runs(N_TRAINING))
    return place


def _train(directory: Path, script: Script, command: tuple[str, ...], training: Sequence[Launch]) -> None:
    if command == COMMAND:
        (directory / "app.jar").write_text("as trained")
    script.events["leaker"] = iter(training)
    train(project_in(directory), TrainRequest(("leaker",), Overrides(command=command)))


def runs(
    n_runs: int, leak: float = 1.0, first: int = 0, release: str = "17", classes: int = 450
) -> list[Run]:
    elsewhere: dict[str, Any] = {"jvm.spec.version": release}
    return [
        leaking_run(number, leak=leak, classes=classes, **elsewhere)
        for number in range(first, first + n_runs)
    ]


def waited(run: Run, wait_s: float) -> Run:
    """Return a run whose threads waited so long for a core."""
    return replace(run, metadata={**run.metadata, RUN_QUEUE: wait_s})


def starved(n_runs: int, first: int, wait_s: float = 9.0) -> list[Run]:
    """What a program keeps that works for a given time, on a machine that gives it more or less of a core."""
    shares = [0.618 * number % 1.0 for number in range(first, first + n_runs)]
    return [
        waited(leaking_run(first + number, leak=3.0 + 6.0 * share), wait_s)
        for number, share in enumerate(shares)
    ]


def drifted(n_runs: int, first: int) -> list[Run]:
    """What both programs give on a machine that is not as it was in training: more heap in use at each time,
    which a collection may come too late for, and no more of it alive at the end.
    """
    return [drifted_run(number) for number in range(first, first + n_runs)]


def drifted_run(number: int, leak: float = 9.0) -> Run:
    """A run whose used heap alone is that of a leak, which three runs without turns cannot accuse."""
    run, live = leaking_run(number, leak=leak), NAMES.index("jvm.memory.heap.live")
    values = run.values.copy()
    values[:, live] = leaking_run(number).values[:, live]
    return replace(run, values=values)
