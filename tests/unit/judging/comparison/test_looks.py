"""Two programs in turns: launches end as soon as the outcome is clear, and the level is kept."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from buto.errors import JudgeError
from buto.judging import registry
from buto.judging.comparison import Programs, turns_needed
from buto.judging.configuration import settings_from
from buto.judging.judge_settings import CALIBRATED
from buto.judging.orders import balanced_orders
from buto.judging.procedure import Do, Next, Why
from buto.judging.protocol import Comparison
from buto.judging.verdict import Status, Verdict
from buto.run.model import IN_TURNS, Run, RunSet, run_set
from tests.support.runs.signals import Program, program_run

IN_ORDER = tuple(np.tile([False, True, True, False], 5).tolist())
"""A balanced order of ten and ten."""

WHY = {True: Why.BETS, False: Why.PERMUTATION}
"""By whether there are bets, what finds a clear change."""


def launched(
    labels: tuple[bool, ...], changed: Program, slower: float = 0.0, seed: int = 11, drawn: str = ""
) -> list[Run]:
    """Runs in the order of their labels, on a machine that may grow slower.

    Args:
        drawn: the seed by which the order was drawn; empty if it is not known.
    """
    made = []
    for number, is_new in enumerate(labels):
        program = changed if is_new else Program()
        run = program_run(seed, number, replace(program, work=program.work * (1 + slower * number)))
        metadata = {**run.metadata, IN_TURNS: f"{len(labels) // 2}:{drawn}"}
        made.append(replace(run, test="new" if is_new else "old", metadata=metadata))
    return made


def sides(runs: list[Run]) -> tuple[RunSet, RunSet]:
    old, new = ([run for run in runs if run.test == test] for test in ("old", "new"))
    return run_set(old), run_set(new)


def driven(comparison: Comparison, runs: list[Run]) -> tuple[Verdict, Next, int]:
    """The verdict, the last step and the number of launches, as when each launch asks what follows."""
    for n in range(1, len(runs) + 1):
        first, second = sides(runs[:n]) if n > 1 else (run_set(runs[:1]), run_set([]))
        step = comparison.next_step(first, second)
        if step.do.ends:
            return comparison.compare(*sides(runs[:n]))[0], step, n
        assert step == Next(Do.LAUNCH, Why.OPEN, 1)
    raise AssertionError("turns have no end")


def carried_out(
    seed: int, changed: Program, slower: float = 0.0, alpha: float = 0.01
) -> tuple[Verdict, Next, int]:
    comparison = registry.comparison(settings_from({"alpha": alpha}))
    return driven(comparison, launched(comparison.order(seed), changed, slower, seed, str(seed)))


def test_the_order_is_one_of_the_balanced_ones() -> None:
    comparison = registry.comparison(CALIBRATED)
    assert balanced_orders(10).allows(np.array(comparison.order(3)))
    assert balanced_orders(10).allows(np.array(IN_ORDER))


def test_equal_programs_need_few_launches_and_a_clear_change_some_more() -> None:
    """Of 24 orders the mean was 13.5 launches."""
    equal = [carried_out(seed, Program()) for seed in range(6, 18)]
    assert all(verdict.status is Status.PASS for verdict, _, _ in equal)
    assert {step for _, step, _ in equal} == {Next(Do.PASS, Why.NO_DIFFERENCE)}
    assert np.mean([n_launched for _, _, n_launched in equal]) < 14
    for seed in range(3):
        verdict, step, n_launched = carried_out(seed, Program(threads=30))
        assert (verdict.status, step.do) == (Status.REGRESSION, Do.FAIL)
        assert n_launched <= 20
        assert verdict.steps == (step,)
        assert verdict.p_value is not None
        assert verdict.p_value <= 0.01
        assert verdict.findings[0].subject == "jvm.thread.count"


def test_bets_end_the_launches_of_a_clear_change_and_the_guarantee_says_by_how_much() -> None:
    verdict, step, n_launched = carried_out(1, Program(threads=30, work=3.0))
    assert step == Next(Do.FAIL, Why.BETS)
    assert n_launched < 20
    assert verdict.p_value is not None
    # Of the bets, W is at least 250: 1 / W in .4 of alpha.
    assert verdict.p_value <= 0.01
    assert "at most one check of 250" in verdict.guarantee


def test_bets_that_win_after_few_launches_name_what_they_won_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight launches have too few orders for a rank to be beyond alpha."""
    comparison = registry.comparison(settings_from({"alpha": 0.01}))
    monkeypatch.setattr(Programs, "_judge", lambda self, look, *, in_turns: Next(Do.FAIL, Why.BETS))
    verdict, _ = comparison.compare(*sides(launched(IN_ORDER[:8], Program(threads=400))))
    assert verdict.status is Status.REGRESSION
    assert verdict.findings[0].subject == "jvm.thread.count"


def test_a_size_that_is_a_share_of_the_old_program_is_named_beside_many_new_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of the level of two old and four new runs together, the difference is less than the share."""
    comparison = registry.comparison(settings_from({"minimum-effect": "150%"}))
    monkeypatch.setattr(Programs, "_judge", lambda self, look, *, in_turns: Next(Do.FAIL, Why.BETS))
    labels = (True, False, True, True, False, True)
    old, new = sides(launched(labels, Program(threads=400)))
    verdict, _ = comparison.compare(old, new)
    assert verdict.status is Status.REGRESSION
    assert verdict.findings[0].subject == "jvm.thread.count"


@pytest.mark.all
@pytest.mark.slow
def test_the_level_holds_on_a_machine_that_grows_slower() -> None:
    """Of 40 at alpha 0.1, 3.2 are expected to fail at most; 9 or more have a chance of 1 in 200."""
    found = [carried_out(seed, Program(), slower=0.05, alpha=0.1)[0] for seed in range(40)]
    assert sum(verdict.status is Status.REGRESSION for verdict in found) < 9


def test_between_two_looks_equal_programs_are_not_decided() -> None:
    comparison = registry.comparison(CALIBRATED)
    runs = launched(IN_ORDER, Program())
    steps = [comparison.next_step(*sides(runs[:n])).do for n in range(2, 21)]
    assert steps.index(Do.PASS) + 2 == 8
    assert set(steps[:6]) == {Do.LAUNCH}


def test_launches_that_were_cut_short_are_inconclusive_and_want_more() -> None:
    runs = launched(IN_ORDER, Program(threads=1, work=1.1))
    cut_short = Programs(CALIBRATED).compare(*sides(runs[:6]))[0]
    assert (cut_short.status, bool(cut_short.needs_more)) == (Status.INCONCLUSIVE, True)
    assert cut_short.findings == ()
    with pytest.raises(JudgeError, match="1 and 2 usable runs"):
        Programs(CALIBRATED).compare(*sides(runs[:3]))


def test_a_given_number_of_runs_is_launched_whole() -> None:
    comparison = registry.comparison(CALIBRATED, runs=7)
    runs = launched(comparison.order(1), Program(threads=30))
    assert comparison.most == 7
    verdict, step, n_launched = driven(comparison, runs)
    assert (step, n_launched) == (Next(Do.FAIL, Why.PERMUTATION), 14)
    assert verdict.status is Status.REGRESSION
    assert "of all orders that could have been drawn" in verdict.guarantee
    # Stored runs say how many their order has.
    again = Programs(CALIBRATED).compare(*sides(runs))[0]
    assert (again.status, again.p_value) == (Status.REGRESSION, verdict.p_value)


def test_runs_of_a_given_number_are_judged_again_by_the_limit_of_that_number() -> None:
    """Ten are as many as decide without a number, too: those may end by bets, and have a smaller limit."""
    asked, usual = registry.comparison(CALIBRATED, runs=10), registry.comparison(CALIBRATED)
    for drawn, launching in (("1:exactly", asked), ("1", usual)):
        runs = launched(launching.order(1), Program(threads=30, work=3.0), drawn=drawn)
        own, again = (judge.compare(*sides(runs))[0] for judge in (launching, usual))
        assert again.steps == own.steps == (Next(Do.FAIL, WHY[launching.procedure.bets]),)
        assert again.p_value == own.p_value
        other = asked.compare(*sides(runs))[0]
        assert (other.steps, other.p_value) == (own.steps, own.p_value)


@pytest.mark.parametrize(("alpha", "needed"), [(0.05, 5), (0.01, 6), (0.001, 8)])
def test_fewer_turns_than_can_show_a_difference_are_not_offered(alpha: float, needed: int) -> None:
    settings = registry.comparison(settings_from({"alpha": alpha})).settings
    assert registry.comparison(settings).fewest == turns_needed(settings) == needed
    for n_each in (needed, needed - 1):
        comparison = registry.comparison(settings, runs=n_each)
        if n_each >= 5:
            verdict, _, _ = driven(comparison, launched(comparison.order(2), Program(threads=80, work=9.0)))
            assert (verdict.status is Status.REGRESSION) is (n_each == needed)


def test_an_order_that_cannot_have_been_drawn_decides_nothing() -> None:
    """As of two calls whose runs were named together."""
    runs = launched(tuple([False] * 10 + [True] * 10), Program(threads=30))
    verdict = Programs(CALIBRATED).compare(*sides(runs))[0]
    assert verdict.status is Status.INCONCLUSIVE
    assert verdict.reasons
    assert verdict.findings == ()


def test_the_last_of_the_launches_are_no_turns_of_their_own() -> None:
    """Somebody who has seen them may leave out the first ones, and what is left looks like an order."""
    comparison = Programs(CALIBRATED)
    runs = launched(comparison.order(1), Program(threads=400, work=3.0), drawn="1")
    assert balanced_orders(10).allows(np.array(comparison.order(1)[3:]))
    assert comparison.compare(*sides(runs))[0].status is Status.REGRESSION
    verdict = comparison.compare(*sides(runs[3:]))[0]
    assert (verdict.status, verdict.findings) == (Status.INCONCLUSIVE, ())
    assert verdict.p_value == 1.0


def test_runs_of_two_calls_are_compared_as_runs_that_were_not_in_turns() -> None:
    runs = launched(IN_ORDER, Program(threads=30))
    later = [replace(run, metadata={**run.metadata, IN_TURNS: "10:2"}) for run in runs[10:]]
    verdict = Programs(CALIBRATED).compare(*sides([*runs[:10], *later]))[0]
    assert verdict.status is Status.REGRESSION
    assert "ways of dealing the runs out" in verdict.guarantee
