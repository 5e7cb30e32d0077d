"""False alarms of unchanged runs: known truth, and the sums by hand."""

from __future__ import annotations

from dataclasses import replace
from math import comb

import numpy as np
import pytest

from buto.errors import JudgeError
from buto.judging.alarms import Alarms, runs_to_tell
from buto.judging.judge_settings import CALIBRATED
from buto.judging.selfknowledge.selftest import selftest
from tests.support.training.profiles import CPU, HEAP, THREADS, a_profile

FEW = (HEAP, CPU, THREADS)
TEN_PERCENT = replace(CALIBRATED, alpha=0.1)


def test_every_run_is_judged_alike_often_and_seldom_fails() -> None:
    found = selftest(a_profile(24, 3, FEW), TEN_PERCENT, 10)
    assert found.turning.by_run.shape == found.failing.by_run.shape == (24,)
    assert found.n_splits == -(-400 // 24)
    differed = found.turning.by_run * found.n_splits
    assert differed == pytest.approx(np.rint(differed))
    assert found.turning.rate < 0.1
    assert not found.failing.exceeds(0.1)
    assert found.followed >= found.turning.rate >= found.failing.rate


def test_a_drift_shows_in_the_order_of_time_and_hardly_at_random() -> None:
    profile = a_profile(40, 3, FEW)
    drift = np.linspace(1.0, 2.0, 40)[:, None]
    found = selftest(replace(profile, values=profile.values * drift), TEN_PERCENT, 10)
    assert found.in_order is not None
    assert found.in_order.turning.by_run.shape == (28,)
    assert found.in_order.turning.rate > 0.5 > found.turning.rate
    # All that drifts follows the machine, and accuses nobody without turns.
    assert found.in_order.failing.rate == 0.0
    assert (found.in_order.n_sessions, found.in_order.later) == (1, None)


def test_checks_in_a_later_session_are_counted_by_themselves() -> None:
    profile = a_profile(30, 3, FEW)
    starts_s = np.arange(30) * 10.0
    starts_s[20:] += 3600
    found = selftest(profile, TEN_PERCENT, 10, starts_s=starts_s)
    assert found.in_order is not None and found.in_order.later is not None
    assert found.in_order.n_sessions == 2
    assert found.in_order.later.by_run.shape == (8,)


def test_one_run_in_order_of_time_gives_no_rate() -> None:
    assert selftest(a_profile(13, 1, FEW), TEN_PERCENT, 10).in_order is None


def test_runs_of_another_program_among_them_are_alarms_and_are_named() -> None:
    """Each is judged with the two that were recorded next; a single odd run is cleared by these."""
    profile = a_profile(24, 3, FEW)
    values = profile.values.copy()
    values[8:12] *= 3.0
    found = selftest(replace(profile, values=values), TEN_PERCENT, 10)
    often = set(found.often().tolist())
    assert {8, 9} <= often <= {8, 9, 10, 11}
    assert found.turning.rate > selftest(profile, TEN_PERCENT, 10).turning.rate


def test_the_same_seed_gives_the_same_answer() -> None:
    first, again = (selftest(a_profile(14, 1, FEW), TEN_PERCENT, 8, seed=5) for _ in range(2))
    assert np.array_equal(first.turning.by_run, again.turning.by_run)
    assert first.followed == again.followed


def test_where_all_other_runs_train_there_is_one_split_of_each() -> None:
    assert selftest(a_profile(11, 1, FEW), TEN_PERCENT, 8).n_splits == 1


@pytest.mark.parametrize(("n_runs", "n_training"), [(7, 5), (12, 10), (20, 4)])
def test_too_few_runs_are_refused(n_runs: int, n_training: int) -> None:
    with pytest.raises(JudgeError, match="too few"):
        selftest(a_profile(n_runs, 1, FEW), TEN_PERCENT, n_training)


def test_an_alpha_out_of_reach_is_refused() -> None:
    with pytest.raises(JudgeError, match="cannot show"):
        selftest(a_profile(12, 1, FEW), replace(CALIBRATED, alpha=0.0005), 8)


def test_the_error_is_that_of_a_mean_over_runs() -> None:
    alarms = Alarms(np.array([0.0, 0.0, 1.0, 0.5]))
    assert alarms.rate == 0.375
    # By hand: deviations -.375, -.375, .625, .125; sum of squares .6875.
    assert alarms.error == pytest.approx((0.6875 / 3) ** 0.5 / 2)


def test_an_excess_is_what_independent_checks_would_hardly_show() -> None:
    def tail(failed: int, n: int, alpha: float) -> float:
        return sum(comb(n, k) * alpha**k * (1 - alpha) ** (n - k) for k in range(failed, n + 1))

    for failed in range(6):
        alarms = Alarms(np.array([1.0] * failed + [0.0] * (20 - failed)))
        assert alarms.exceeds(0.01) == (failed > 0 and tail(failed, 20, 0.01) < 0.025)
    assert Alarms(np.array([1.0, 1.0] + [0.0] * 18)).exceeds(0.01)
    assert not Alarms(np.array([0.9, 0.9] + [0.0] * 18)).exceeds(0.01)


def test_what_few_runs_leave_possible() -> None:
    # Nothing of n: 1 - .025 ** (1 / n).
    assert Alarms(np.zeros(20)).at_most == pytest.approx(1 - 0.025 ** (1 / 20))
    assert Alarms(np.ones(20)).at_most == 1.0
    assert Alarms(np.array([1.0] + [0.0] * 19)).at_most > Alarms(np.zeros(20)).at_most


def test_a_smaller_alpha_needs_more_runs() -> None:
    assert runs_to_tell(0.05) == 144
    assert runs_to_tell(0.01) == 784
