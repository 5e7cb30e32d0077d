"""Training tries the copy that it has kept; the launches are scripted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from buto.actions import collecting
from buto.actions.ending import Interrupted
from buto.actions.events import Event, GivenUp, Told
from buto.actions.project import Overrides
from buto.actions.train import TrainRequest, train
from buto.actions.trying import COPY
from buto.api.options import PythonFrontEnd
from buto.errors import MeasureError
from buto.oracle import load
from buto.programs.named import INPUTS, Kept, OldProgram, Unlike
from buto.run.model import PURPOSE, Run
from tests.support.projects import project_in
from tests.support.runs.scripted import WRONG_EXIT, Script
from tests.support.runs.scripted import Event as Launch
from tests.support.runs.stored import NAMES, leaking_run

N_CLASSES = "jvm.class.loaded"


def loading(number: int, n_classes: float) -> Run:
    """A run that has loaded so many classes; those of training have 450."""
    run = leaking_run(number)
    values = run.values.copy()
    values[:, 2] = n_classes
    return replace(run, values=values)


class Training:
    """A training whose launches are scripted, and those of the kept copy."""

    def __init__(self, directory: Path, script: Script) -> None:
        self.directory, self.script = directory, script
        self.events: list[Event] = []
        (directory / "app.jar").write_text("as trained")

    def __call__(self, *copies: Launch, **request: Any) -> OldProgram:
        self.script.events["leaker"] = iter([leaking_run(number) for number in range(10)])
        self.script.events["leaker" + COPY] = iter(copies)
        command = Overrides(command=("java", "-jar", "app.jar"))
        outcome = train(self.project, TrainRequest(("leaker",), command, **request), self.events.append)
        assert outcome.exit_code == 0
        return load(self.directory / "oracles/leaker.json").program

    @property
    def project(self) -> Any:
        return project_in(self.directory)

    @property
    def n_tried(self) -> int:
        return self.script.launched.count("leaker" + COPY)

    @property
    def told(self) -> str:
        return " ".join(
            PythonFrontEnd().words(event.text) for event in self.events if isinstance(event, Told)
        )


@pytest.fixture
def training(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Training:
    script = Script({})
    monkeypatch.setattr(collecting, "collect", script.collect)
    monkeypatch.chdir(tmp_path)
    return Training(tmp_path, script)


def test_a_copy_like_the_program_costs_one_launch(training: Training) -> None:
    assert isinstance(training(loading(20, 451)), Kept)
    assert training.n_tried == 1
    (run,) = training.project.store.load_set("leaker" + COPY, training.project.store.ids("leaker" + COPY))
    assert run.metadata[PURPOSE] == "stage"


def test_a_copy_that_does_more_is_confirmed_named_and_takes_no_turns(training: Training) -> None:
    program = training(*(loading(number, 900) for number in (20, 21, 22)))
    assert isinstance(program, Unlike)
    assert (program.properties, program.advice, training.n_tried) == ((N_CLASSES,), INPUTS, 3)
    differs = "loaded classes: 900 classes, and 450 classes where it was"
    assert program.reason == f"its copy is not the program: {differs}"
    assert "the program is not kept: its copy is not" in training.told
    assert "inputs: [" in training.told


@pytest.mark.parametrize("others", [(450, 900), (900, 450), (300, 900)])
def test_what_is_not_confirmed_is_chance(training: Training, others: Sequence[float]) -> None:
    assert isinstance(training(loading(20, 900), *(loading(30, beyond) for beyond in others)), Kept)


def test_a_copy_that_fails_twice_does_not_run(training: Training) -> None:
    program = training(WRONG_EXIT, WRONG_EXIT)
    assert isinstance(program, Unlike)
    assert (program.properties, training.n_tried) == ((), 2)
    assert program.reason.startswith("its copy does not run: the program exited with code 3")
    assert not any(isinstance(event, GivenUp) for event in training.events)


@pytest.mark.parametrize("failure", [WRONG_EXIT, MeasureError("no JVM was started")])
def test_a_copy_that_fails_once_counts_if_it_then_does_what_the_program_does(
    training: Training, failure: Launch
) -> None:
    assert isinstance(training(failure, loading(20, 450), loading(21, 450)), Kept)


def test_a_copy_that_starts_no_jvm_does_not_run(training: Training) -> None:
    copies = (MeasureError("no JVM was started"), MeasureError("no JVM was started"))
    assert isinstance(training(*copies), Unlike)


def test_stored_runs_are_learned_from_without_a_launch(training: Training) -> None:
    for number in range(10):
        training.project.store.add(leaking_run(number))
    training(loading(20, 900), from_runs="all")
    assert training.script.launched == []


def test_a_copy_is_compared_by_what_it_has_at_its_end(training: Training) -> None:
    run = loading(20, 900)
    values = run.values.copy()
    values[-1, NAMES.index(N_CLASSES)] = 450.0
    assert isinstance(training(replace(run, values=values)), Kept)


def test_a_training_that_is_stopped_while_it_tries_the_copy_writes_no_oracle(training: Training) -> None:
    with pytest.raises(Interrupted):
        training(KeyboardInterrupt())
    assert training.n_tried == 1
    assert not (training.directory / "oracles/leaker.json").exists()
    assert len(training.project.store.ids("leaker")) == 10
