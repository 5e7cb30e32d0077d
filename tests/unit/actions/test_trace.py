"""One rule drives and simulates: a check that launches takes the steps that are simulated on its runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from buto.actions import collecting
from buto.judging.detector import FittedCalibrated
from buto.judging.judge_settings import CALIBRATED
from buto.judging.orders import balanced_orders
from buto.judging.procedure import Do, Next, Procedure, Why
from buto.judging.selfknowledge.simulation import Stored, Trace, simulate
from buto.oracle import load, save
from buto.programs.named import Unkept
from buto.run.model import IN_TURNS, PURPOSE, FloatArray, Run
from tests.support.runs.scripted import Event, Script
from tests.support.runs.trained import N_TURNS, Trained, drifted_run

FIRST_OLD = 100


@pytest.fixture
def trained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Trained:
    script = Script({})
    monkeypatch.setattr(collecting, "collect", script.collect)
    monkeypatch.chdir(tmp_path)
    return Trained(tmp_path, script)


def launches(leaks: tuple[float, ...], first: int = 20) -> list[Run]:
    """Runs of these leaks, the last of which all that follow have, too."""
    n_runs = 3 + N_TURNS
    every = [*leaks, *[leaks[-1]] * (n_runs - len(leaks))]
    return [drifted_run(first + number, leak=leak) for number, leak in enumerate(every)]


def simulated(trained: Trained, new: list[Run], old: list[Run], procedure: Procedure, seed: int) -> Trace:
    """What is simulated on the runs that the launches gave, in their order."""
    fitted = load(trained.oracle).fitted
    assert isinstance(fitted, FittedCalibrated)

    def rows(runs: list[Run]) -> FloatArray:
        return np.array([fitted.profile.measure(run) for run in runs])

    is_new = balanced_orders(N_TURNS).draw(seed)
    n_checked = 3
    # A check that passes at once gives its later launches to nobody.
    stored = Stored(
        fitted.profile, fitted.profile.values, rows(new[:n_checked]), rows(old), rows(new[n_checked:]), is_new
    )
    return simulate(procedure, CALIBRATED, stored)


def seed_of(trained: Trained) -> int:
    """The seed of the order that a check drew; 0 if it took no turns."""
    store = trained.project.store
    marks = {run.metadata.get(IN_TURNS) for run in store.load_set("leaker")} - {None}
    return int(str(marks.pop()).partition(":")[2]) if marks else 0


@pytest.mark.parametrize(
    ("leaks", "old_leak", "steps"),
    [
        ((1.0,), 1.0, [Next(Do.LAUNCH, Why.BEGIN, 1), Next(Do.PASS, Why.ORDINARY)]),
        ((9.0, 1.0), 1.0, [Next(Do.LAUNCH, Why.SUSPICIOUS, 2), Next(Do.PASS, Why.ORDINARY)]),
        ((9.0,), 1.0, [Next(Do.TURNS, Why.DIFFERS), Next(Do.FAIL, Why.BETS)]),
        ((9.0, 9.0, 9.0, 1.0), 1.0, [Next(Do.TURNS, Why.DIFFERS), Next(Do.PASS, Why.NO_DIFFERENCE)]),
        ((9.0,), 9.0, [Next(Do.TURNS, Why.DIFFERS), Next(Do.PASS, Why.NO_DIFFERENCE)]),
    ],
    ids=["ordinary", "odd", "changed", "cleared", "machine"],
)
def test_a_driven_check_and_a_simulated_one_take_the_same_steps(
    trained: Trained, leaks: tuple[float, ...], old_leak: float, steps: list[Next]
) -> None:
    new = launches(leaks)
    old = [drifted_run(FIRST_OLD + number, leak=old_leak) for number in range(N_TURNS)]
    result = trained.check(*new, old=list[Event](old))
    assert result.verdict is not None
    procedure = Procedure(CALIBRATED.alpha)
    trace = simulated(trained, new, old, procedure, seed_of(trained))
    assert result.verdict.steps == trace.steps
    assert list(trace.steps[-2:]) == steps
    checked = [run.metadata[PURPOSE] for run in trained.project.store.load_set("leaker")][10:]
    assert checked.count("check") == trace.n_checked
    assert len(checked) + trained.n_old() == trace.n_launches
    if trace.turns is not None:
        assert (trained.n_old(), checked.count("turns")) == (trace.turns.n_old, trace.turns.n_new)
        assert result.verdict.p_value == pytest.approx(procedure.combine_p_values(trace.turns))
    else:
        assert result.verdict.looked == trace.looks[-1]


@pytest.mark.parametrize("leak", [1.0, 9.0])
def test_the_same_holds_where_the_old_program_was_not_kept(trained: Trained, leak: float) -> None:
    save(trained.oracle, replace(load(trained.oracle), program=Unkept("it is a script")))
    new = launches((leak,))
    result = trained.check(*new)
    assert result.verdict is not None
    trace = simulated(trained, new, new[3:], Procedure(CALIBRATED.alpha, has_turns=False), 0)
    assert result.verdict.steps == trace.steps
    assert result.verdict.looked == trace.looks[-1]
    assert trace.steps[-1].why is (Why.ORDINARY if leak == 1.0 else Why.NEEDS_TURNS)
