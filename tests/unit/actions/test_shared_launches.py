"""Tests that only their window tells apart: what one launch gives to both, and what is launched alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from buto.actions import collecting
from buto.actions.check import CheckRequest, check
from buto.actions.events import Event, LaunchesPlanned, LaunchStarted, Told
from buto.actions.project import Files, Project
from buto.actions.report import ReportRequest, report
from buto.actions.train import TrainRequest, train
from buto.oracle import load
from buto.project import config
from buto.run.model import Mark, Run
from buto.run.properties import LIVE_OBJECTS, property_for
from buto.run.window import window_of
from tests.support.runs.scripted import WRONG_EXIT, Script
from tests.support.runs.stored import leaking_run

CONFIGURATION = """
version: 1
tests:
  shop: &shop
    command: [java, -jar, shop.jar]
    window: {from: load.start}
  shop-start:
    <<: *shop
    window: {to: load.start}
"""
N_RUNS = 10


def loaded(n_runs: int, first: int = 0, leak: float = 1.0) -> list[Run]:
    """Runs whose load begins in their middle, and whose live objects were counted at their end."""
    runs = []
    for number in range(first, first + n_runs):
        run = leaking_run(number, leak=leak)
        alive = np.full((len(run.times_s), 1), np.nan)
        alive[-1] = 1000.0
        runs.append(
            replace(
                run,
                marks=(Mark(1.5, "load.start"),),
                properties=(*run.properties, property_for(LIVE_OBJECTS)),
                values=np.hstack([run.values, alive]),
            )
        )
    return runs


def later(run: Run) -> Run:
    """The same, with 40 threads more from its load on."""
    values = run.values.copy()
    values[run.times_s >= 1.5, run.column_of["jvm.thread.count"]] += 40
    return replace(run, values=values)


class Shop:
    """The project whose launches give what is put down."""

    def __init__(self, directory: Path, script: Script, configuration: str = CONFIGURATION) -> None:
        path = directory / "buto.yaml"
        path.write_text(configuration)
        files = Files.locate(path)
        self.project = Project(files, config.load(path, {}))
        (directory / "shop.jar").write_text("as trained")
        self.script, self.events, self.n_before = script, list[Event](), 0

    @property
    def launched(self) -> list[str]:
        """The tests that were launched since runs were put down."""
        return self.script.launched[self.n_before :]

    def put_down(self, *shop: Run, start: Sequence[Run] = (), old: Sequence[Run] = ()) -> None:
        self.script.events = {"shop": iter(shop), "shop-start": iter(start), "shop@trained": iter(old)}
        self.n_before = len(self.script.launched)
        self.events.clear()

    def train(self, *names: str) -> list[str]:
        outcome = train(self.project, TrainRequest(names), self.events.append)
        return [str(result.status) for result in outcome.results]

    def check(self) -> list[str]:
        outcome = check(self.project, CheckRequest(()), self.events.append)
        return [str(result.status) for result in outcome.results]


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Script:
    script = Script({})
    monkeypatch.setattr(collecting, "collect", script.collect)
    return script


@pytest.fixture
def shop(tmp_path: Path, script: Script, monkeypatch: pytest.MonkeyPatch) -> Shop:
    monkeypatch.chdir(tmp_path)
    return Shop(tmp_path, script)


def test_one_launch_trains_both_tests_each_on_its_own_window(shop: Shop) -> None:
    shop.put_down(*loaded(N_RUNS))
    assert shop.train() == ["trained", "trained"]
    assert shop.launched == ["shop"] * N_RUNS
    store = shop.project.store
    ids = {test: store.ids(test) for test in ("shop", "shop-start")}
    assert ids["shop"] == ids["shop-start"] == list(load(shop.project.oracle_path("shop-start")).run_ids)
    spans = {test: window_of(store.load(test, ids[test][0])) for test in ids}
    assert spans["shop"] is not None
    assert spans["shop-start"] == (0.0, 1.5)
    assert spans["shop"][0] == 1.5
    assert spans["shop"][1] > 2.5
    first, *copies = [event.planned for event in shop.events if isinstance(event, LaunchesPlanned)]
    assert (first, copies) == ({"shop": N_RUNS}, [{"shop@kept": 1}, {"shop-start@kept": 1}])
    planned = [event for event in shop.events if isinstance(event, Told) and event.test == "shop-start"]
    assert planned[0].text == "takes its runs from the launches of 'shop'"


def test_one_launch_checks_both_tests(shop: Shop) -> None:
    shop.put_down(*loaded(N_RUNS))
    shop.train()
    shop.put_down(*loaded(1, first=21))
    assert shop.check() == ["pass", "pass"]
    assert shop.launched == ["shop"]


def test_one_turn_serves_both_tests_until_both_are_decided(shop: Shop) -> None:
    shop.put_down(*loaded(N_RUNS))
    shop.train()
    shop.put_down(*loaded(3 + N_RUNS, first=20, leak=9.0), old=loaded(N_RUNS, first=40))
    assert shop.check() == ["regression", "regression"]
    n_launched = len(shop.launched)
    assert set(shop.launched) == {"shop", "shop@trained"}
    store = shop.project.store
    assert store.ids("shop@trained") == store.ids("shop-start@trained")
    assert store.ids("shop") == store.ids("shop-start")
    (again,) = report(shop.project, ReportRequest(("shop-start",))).results
    assert again.status == "regression"
    assert len(shop.launched) == n_launched


def test_turns_of_one_test_leave_the_other_alone(shop: Shop) -> None:
    """Only what is used after the start differs."""
    shop.put_down(*loaded(N_RUNS))
    shop.train()
    late = [later(run) for run in loaded(3 + N_RUNS, first=20)]
    shop.put_down(*late, old=loaded(N_RUNS, first=40))
    assert shop.check() == ["regression", "pass"]
    assert not shop.project.store.ids("shop-start@trained")


def test_a_test_that_is_named_alone_is_launched_alone(shop: Shop) -> None:
    shop.put_down(start=loaded(N_RUNS))
    assert shop.train("shop-start") == ["trained"]
    assert shop.launched == ["shop-start"] * N_RUNS


def test_a_run_without_the_other_window_is_launched_again_for_that_test_alone(shop: Shop) -> None:
    early = replace(loaded(1)[0], marks=(Mark(0.0, "load.start"),))
    shop.put_down(early, *loaded(N_RUNS - 1, first=1), start=loaded(1, first=N_RUNS))
    assert shop.train() == ["trained", "trained"]
    assert shop.launched == ["shop"] * N_RUNS + ["shop-start"]
    started = [event for event in shop.events if isinstance(event, LaunchStarted)]
    assert (started[-1].test, started[-1].planned) == ("shop-start", 1)


def test_a_program_that_fails_ends_both_tests(shop: Shop) -> None:
    shop.put_down(WRONG_EXIT)
    assert shop.train() == ["error", "error"]
    assert shop.launched == ["shop"]


@pytest.mark.parametrize(
    "start",
    [
        "{<<: *shop, window: {to: load.start}, environment: {LANG: C}}",
        "{<<: *shop, window: {to: load.start}, runs: auto}",
        "*shop",
    ],
)
def test_tests_that_differ_elsewhere_or_nowhere_are_launched_on_their_own(tmp_path: Path, start: str) -> None:
    path = tmp_path / "buto.yaml"
    path.write_text(f"{CONFIGURATION.partition('  shop-start')[0]}  shop-start: {start}\n")
    tests = config.load(path, {}).tests
    assert not tests["shop"].shares_launches_with(tests["shop-start"])
