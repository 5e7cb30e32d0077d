"""``--runs auto`` on the command line: it ends when more runs sharpen nothing, and takes up what was done."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from buto.actions import collecting
from buto.judging.selfknowledge.strength import AUTO
from buto.oracle import load
from buto.run.model import Run
from buto.run.store import RunStore
from tests.support.processes.command import called
from tests.support.runs.qualities import starved
from tests.support.runs.scripted import Event, Script
from tests.support.runs.stored import leaking_run, store

STARVED = starved()
TRAIN = ("train", "leaker", "--runs", "auto", "--alpha", "0.05", "--", "java", "Leaker")
Launches = Callable[..., Script]


@pytest.fixture
def launches(monkeypatch: pytest.MonkeyPatch) -> Launches:
    """Has buto launch nothing, and find what the test wrote down."""

    def launches(events: Iterable[Event]) -> Script:
        script = Script({"leaker": list(events)})
        monkeypatch.setattr(collecting, "collect", script.collect)
        return script

    return launches


def steady(leak: float = 1.0) -> list[Run]:
    return [leaking_run(number, leak=leak) for number in range(AUTO.most)]


def training_ids(directory: Path) -> tuple[str, ...]:
    return load(directory / "oracles" / "leaker.json").run_ids


def test_it_ends_between_its_least_and_its_most_and_says_why(tmp_path: Path, launches: Launches) -> None:
    script = launches([leaking_run(99, quality=STARVED), *steady()])
    done = called(tmp_path, *TRAIN, exits=0)
    n_runs = len(training_ids(tmp_path))
    assert AUTO.fewest < n_runs < AUTO.most
    assert len(script.launched) == n_runs + 1, "the disturbed run counts for nothing"
    assert done.stdout.startswith(f"TRAINED  leaker: {n_runs} runs, ")
    assert f"leaker: run {n_runs} of at most {AUTO.most}: 30 samples" in done.stderr
    assert f"leaker: {n_runs} runs are enough: the last 3 did not sharpen the oracle" in done.stderr


def test_while_nothing_would_be_noticed_it_goes_on_to_its_most(tmp_path: Path, launches: Launches) -> None:
    """All but one of them are there, for to find out that nothing is noticed takes a while."""
    least = "{jvm.memory.heap.*: 1TiB, jvm.thread.count: 1000000, jvm.class.loaded: 1000000}"
    judge = f"{{alpha: 0.05, minimum-effect: {least}}}"
    config = f"version: 1\ntests: {{leaker: {{command: java Leaker, runs: auto, judge: {judge}}}}}"
    (tmp_path / "buto.yaml").write_text(config)
    first, *_ = store(tmp_path, *steady()[:-1])
    script = launches(steady()[-1:])
    done = called(tmp_path, "train", "--resume", first, exits=0)
    assert (len(script.launched), len(training_ids(tmp_path))) == (1, AUTO.most)
    assert "leaker: run 1 of at most 1: " in done.stderr
    assert f"leaker: {AUTO.most} runs are the most that 'auto' uses" in done.stderr


def test_an_interrupted_training_goes_on_to_the_runs_that_it_would_have_had(
    tmp_path: Path, launches: Launches
) -> None:
    launches(steady())
    whole = tmp_path / "whole"
    whole.mkdir()
    called(whole, *TRAIN, exits=0)
    n_runs = len(training_ids(whole))

    script = launches([*steady()[:5], KeyboardInterrupt(), *steady()[5:]])
    stopped = called(tmp_path, *TRAIN, exits=130)
    typed = shlex.split(stopped.stderr.partition("to go on: buto ")[2])
    first, *_ = RunStore(tmp_path / ".buto").ids("leaker")
    assert typed == [*TRAIN[:6], "--resume", first, *TRAIN[6:]]
    resumed = called(tmp_path, *typed)
    assert resumed.stdout.startswith(f"TRAINED  leaker: {n_runs} runs, ")
    assert f"run 1 of at most {AUTO.most - 5}: " in resumed.stderr
    assert training_ids(tmp_path) == tuple(RunStore(tmp_path / ".buto").ids("leaker"))
    assert len(script.launched) == n_runs + 1

    again = called(tmp_path, *typed)
    assert again.stdout == resumed.stdout
    assert len(script.launched) == n_runs + 1, "there were enough"


def test_accepting_ends_by_itself_too_and_leaves_out_earlier_training_runs(
    tmp_path: Path, launches: Launches
) -> None:
    script = launches(steady())
    called(tmp_path, *TRAIN, exits=0)
    before = training_ids(tmp_path)
    script.events["leaker"] = iter(steady(3.0))
    done = called(tmp_path, "accept", "leaker", "--runs", "auto", exits=0)
    after = training_ids(tmp_path)
    assert AUTO.fewest <= len(after) < AUTO.most
    assert not set(before) & set(after)
    assert f"leaker: {len(after)} runs are enough" in done.stderr
    assert "used heap" in done.stdout
