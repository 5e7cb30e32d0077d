"""Two programs in turns: launches end as soon as the outcome is clear, and the level is kept."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from buto.errors import JudgeError
from buto.judging import registry
from buto.judging.calibrated.settings import CALIBRATED
from buto.judging.comparison import compare, comparing, looks_of
from buto.judging.configuration import settings_from
from buto.judging.verdict import Status, Verdict
from buto.run.model import LOOKS, SESSION, Run, RunSet, run_set
from tests.support.runs.signals import Program, program_run

SETTINGS = comparing(CALIBRATED)


def launched(labels: np.ndarray, changed: Program, slower: float = 0.0) -> list[Run]:
    """Runs in the order of their labels, on a machine that may grow slower."""
    made = []
    for number, is_new in enumerate(labels):
        program = changed if is_new else Program()
        run = program_run(11, number, replace(program, work=program.work * (1 + slower * number)))
        metadata = {**run.metadata, LOOKS: 2, SESSION: "first"}
        made.append(replace(run, test="new" if is_new else "old", metadata=metadata))
    return made


def sides(runs: list[Run]) -> tuple[RunSet, RunSet]:
    old, new = ([run for run in runs if run.test == test] for test in ("old", "new"))
    return run_set(old), run_set(new)


def carried_out(seed: int, changed: Program, slower: float = 0.0, alpha: float = 0.01) -> tuple[Verdict, int]:
    """The verdict and the number of launches, as when launches are stopped as soon as they decide."""
    settings = settings_from({"alpha": alpha})
    comparison = registry.comparison(settings)
    labels = np.random.default_rng(seed).permutation(np.repeat([False, True], comparison.most))
    runs = launched(labels, changed, slower)
    n_launched = next((n for n in range(1, len(runs)) if comparison.is_decided(*sides(runs[:n]))), len(runs))
    return compare(*sides(runs[:n_launched]), comparing(settings)), n_launched


def test_equal_programs_need_few_launches_and_a_clear_change_some_more() -> None:
    equal = [carried_out(seed, Program()) for seed in range(6)]
    assert all(verdict.status is Status.PASS for verdict, _ in equal)
    assert np.mean([n_launched for _, n_launched in equal]) < 14
    verdict, n_launched = carried_out(1, Program(threads=30))
    assert (verdict.status, n_launched) == (Status.REGRESSION, 13)
    assert verdict.p_value is not None
    assert verdict.p_value <= 0.01
    assert ", times 2 because 2 numbers of launches could end it; holds" in verdict.guarantee


@pytest.mark.slow
def test_the_level_holds_on_a_machine_that_grows_slower() -> None:
    """Of 60 at alpha 0.1, 6 are expected to fail at most; 13 or more have a chance of 1 in 200."""
    found = [carried_out(seed, Program(), slower=0.05, alpha=0.1)[0] for seed in range(60)]
    assert sum(verdict.status is Status.REGRESSION for verdict in found) < 13


@pytest.mark.parametrize(("alpha", "at"), [(0.05, [7, 11, 18]), (0.01, [8, 13, 20]), (0.0006, [14])])
def test_two_looks_may_find_a_difference_and_share_alpha(alpha: float, at: list[int]) -> None:
    settings = settings_from({"alpha": alpha})
    looks = looks_of(comparing(settings))
    assert [look.n_runs for look in looks] == at
    assert [look.fails for look in looks] == [n > 8 for n in at]
    assert registry.comparison(settings).looks == sum(look.fails for look in looks)


def test_between_two_looks_nothing_is_decided() -> None:
    comparison = registry.comparison(CALIBRATED)
    labels = np.tile([False, True], 10)
    runs = launched(labels, Program(threads=30))
    decided = [comparison.is_decided(*sides(runs[:n])) for n in range(1, 21)]
    assert decided.index(True) == 12
    cut_short = compare(*sides(runs[:12]), SETTINGS)
    assert (cut_short.status, bool(cut_short.needs_more)) == (Status.INCONCLUSIVE, True)
    with pytest.raises(JudgeError, match="2 and 2 usable runs"):
        compare(*sides(runs[:4]), SETTINGS)


def test_a_given_number_of_runs_is_launched_whole() -> None:
    comparison = registry.comparison(CALIBRATED, runs=7)
    runs = launched(np.tile([False, True], 7), Program(threads=30))
    assert (comparison.most, comparison.looks) == (7, 1)
    assert not any(comparison.is_decided(*sides(runs[:n])) for n in range(1, 15))


def test_sessions_that_each_stopped_by_themselves_pay_for_the_looks_of_all() -> None:
    runs = launched(np.tile([False, True], 10), Program(threads=30))
    later = [replace(run, metadata={**run.metadata, SESSION: "second"}) for run in runs[10:]]
    unnamed = [replace(run, metadata={**run.metadata, SESSION: None}) for run in runs[:4]]
    one = compare(*sides([*unnamed, *runs[4:]]), SETTINGS)
    two = compare(*sides([*runs[:10], *later]), SETTINGS)
    assert ", times 2 because" in one.guarantee
    assert ", times 4 because" in two.guarantee
    assert (one.p_value, two.p_value) == pytest.approx((2 * two.p_value / 4, two.p_value))
