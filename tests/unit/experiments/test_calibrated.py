"""The figures of the calibrated oracle on runs with a known answer, and on which runs they may be taken."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from buto.errors import JudgeError
from buto.experiments.calibrated.cost import cost
from buto.experiments.calibrated.evaluation import evaluate
from buto.experiments.calibrated.goals import Line, lines
from buto.experiments.calibrated.rules import N_TRIPLES, RULES, Rule, Size
from buto.experiments.design import SUBTLE
from buto.runs import Run, RunSet
from tests.support.runs.variants import a_data_set, variant_run

pytestmark = pytest.mark.slow

LEAKERS = ("leaker-string", "leaker-string-builder", "leaker-thread")


SMALL = Size(divisions=2, judged=4)


def later(run: Run) -> Run:
    return replace(run, id=f"2027{run.id[4:]}")


def recorded(n_runs: int, **options: float) -> dict[str, RunSet]:
    return {
        variant: RunSet(tuple(map(later, runs)))
        for variant, runs in a_data_set(n_runs, LEAKERS, **options).items()
    }


def figure(found: list[Line], what: str, rule: Rule) -> Line:
    return next(one for one in found if one.what.startswith(what) and one.what.endswith(f": {rule}"))


def test_variants_that_are_far_apart_are_distinguished_by_every_rule_that_has_the_runs() -> None:
    judged = evaluate(recorded(14, shift=30.0), seed=1, size=SMALL)
    found = lines(judged)
    rule = Rule(10, 0.01, confirmed=True)
    mcc = figure(found, "MCC", rule)
    assert mcc.value > 0.95 and mcc.reached
    # Six pairs, four changed runs of each and two divisions.
    assert judged.experiments[rule][:, 2:].sum() == 6 * 4 * 2
    assert judged.experiments[rule][:, :2].sum() == 6 * 4 * 2
    assert judged.unchanged[rule].sum() == 3 * 4 * 2


def test_rules_for_which_there_are_too_few_runs_have_no_figure() -> None:
    found = lines(evaluate(recorded(14), seed=1, size=SMALL))
    line = figure(found, "false alarms", Rule(20, 0.05))
    assert np.isnan(line.value) and line.reached is None


def test_variants_that_do_not_differ_are_not_distinguished() -> None:
    judged = evaluate(recorded(16, shift=0.0), seed=1, size=SMALL)
    for rule in (Rule(5, 0.05), Rule(10, 0.05), Rule(10, 0.01, confirmed=True)):
        _, _, found, passed = judged.experiments[rule].sum(axis=0)
        assert found <= 0.15 * passed
    assert figure(lines(judged), "false alarms", Rule(10, 0.01)).value <= 0.1


def test_a_run_that_was_there_when_the_method_was_chosen_is_refused() -> None:
    runs = recorded(14)
    early = variant_run(LEAKERS[0], 1)
    with pytest.raises(ValueError, match=f"1 are older, the first is {early.id}"):
        evaluate({**runs, LEAKERS[0]: RunSet((early, *runs[LEAKERS[0]].runs))}, seed=1, size=SMALL)


def test_too_few_runs_are_an_error_that_says_what_to_type() -> None:
    with pytest.raises(JudgeError, match="no variant has more than 5 usable runs") as caught:
        evaluate(recorded(5), seed=1, size=SMALL)
    assert caught.value.advice is not None and "buto experiments generate" in caught.value.advice


def test_one_seed_gives_the_same_figures_and_another_one_others() -> None:
    runs = recorded(12)
    one, same, other = (evaluate(runs, seed=seed, size=SMALL) for seed in (1, 1, 2))
    assert all(np.array_equal(one.experiments[rule], same.experiments[rule]) for rule in RULES)
    assert any(not np.array_equal(one.experiments[rule], other.experiments[rule]) for rule in RULES)


def test_subtle_variants_are_judged_three_runs_at_a_time() -> None:
    runs = recorded(22, shift=0.0)
    experiment = SUBTLE[1]
    changed = [
        replace(
            later(run),
            test=f"{experiment.negative}@parallel",
            id=f"2028{run.id[4:]}",
            values=run.values + 4e6,
        )
        for run in runs[experiment.training].runs[:6]
    ]
    judged = evaluate({**runs, experiment.negative: RunSet(tuple(changed))}, seed=1, size=SMALL)
    rows = judged.subtle[experiment]
    assert rows.shape == (N_TRIPLES * 2, 4)
    assert (rows[:, -1] == 1).all()
    assert all(len(set(row)) == 3 for row in rows[:, :3].tolist())


def test_the_cost_is_of_the_size_that_it_says() -> None:
    found = cost([variant_run(LEAKERS[0], number, extra=60, n_samples=80) for number in range(9)])
    assert (found.n_training, found.n_properties, found.n_samples) == (8, 60, 60)
    assert found.train_s > 0 and found.check_s > 0
