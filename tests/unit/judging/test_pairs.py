"""Paired differences: Student's paired t, every exchange of runs, and a p-value that is exact."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from buto.judging.contrasts import Stable, mirrored
from buto.judging.rank import (
    exchanges,
    factors,
    mean_of_each,
    paired_contrasts,
    paired_differences,
    score,
    significance,
    within_pairs,
)
from buto.run.model import FloatArray

N_PAIRS = 6


def stable(seed: int = 0, n_features: int = 3, floor: float = 0.0) -> Stable:
    values = np.random.default_rng(seed).normal(10.0, 1.0, (2 * N_PAIRS, n_features))
    return Stable(values, np.full(n_features, floor), np.ones(n_features))


def test_every_exchange_occurs_once_and_what_was_comes_first() -> None:
    chosen = exchanges(N_PAIRS, 2000)
    assert chosen.shape == (64, N_PAIRS)
    assert len(np.unique(chosen, axis=0)) == 64
    assert chosen[0].tolist() == list(range(N_PAIRS, 2 * N_PAIRS))
    assert (chosen % N_PAIRS == np.arange(N_PAIRS)).all()
    assert mirrored(chosen, 2 * N_PAIRS)


def test_of_too_many_exchanges_some_are_drawn_and_what_was_comes_first() -> None:
    chosen = exchanges(20, 100)
    assert chosen.shape == (100, 20)
    assert chosen[0].tolist() == list(range(20, 40))
    assert (exchanges(20, 100) == chosen).all()
    assert 0.4 < (chosen[1:] >= 20).mean() < 0.6


def test_the_differences_are_students_paired_t() -> None:
    runs = stable()
    found = paired_differences(runs, exchanges(N_PAIRS, 2000))
    expected = stats.ttest_rel(runs.values[N_PAIRS:], runs.values[:N_PAIRS]).statistic
    assert found.squared_t[0] == pytest.approx(expected**2)
    assert found.squared_t[-1] == pytest.approx(expected**2)
    assert found.freedom == N_PAIRS - 1
    contrast = paired_contrasts(runs, exchanges(N_PAIRS, 2000))
    assert (np.sign(contrast[0]) == np.sign(expected)).all()
    assert contrast[-1] == pytest.approx(-contrast[0])


def test_a_disturbance_that_both_runs_of_a_pair_share_does_not_count() -> None:
    runs = stable()
    shared = np.tile(np.random.default_rng(1).normal(0, 50, (N_PAIRS, 1)), (2, 1))
    disturbed = Stable(runs.values + shared, runs.floor, runs.unit)
    chosen = exchanges(N_PAIRS, 2000)
    assert paired_contrasts(disturbed, chosen) == pytest.approx(paired_contrasts(runs, chosen))


def test_the_smallest_meaningful_deviation_of_both_runs_is_added() -> None:
    """Differences that are all equal have no variance of their own."""
    runs = stable()
    values = np.vstack([runs.values[:N_PAIRS], runs.values[:N_PAIRS] + 1.0])
    found = paired_differences(Stable(values, np.full(3, 0.5), runs.unit), exchanges(N_PAIRS, 2000))
    assert found.variance[0] == pytest.approx(2 * 0.5**2)


@pytest.mark.parametrize("limit", [1.0, 3.0])
def test_a_mean_at_the_end_of_the_range_has_the_contrast_of_the_limit(limit: float) -> None:
    runs = stable(floor=0.1)
    _, upper = within_pairs(runs, limit)
    moved = runs.values.copy()
    moved[N_PAIRS:] += np.arcsinh(upper) - moved[N_PAIRS:].mean(axis=0)
    found = paired_contrasts(Stable(moved, runs.floor, runs.unit), exchanges(N_PAIRS, 2000))
    assert found[0] == pytest.approx(limit)


def p_value(values: FloatArray) -> float:
    """By rank of the judge's score."""
    runs = Stable(values, np.full(values.shape[1], 0.1), np.ones(values.shape[1]))
    factor = factors(paired_differences(runs, exchanges(N_PAIRS, 2000)))
    return significance(score(mean_of_each(factor, np.arange(values.shape[1])))).p_value


def test_no_p_value_is_reached_more_often_than_it_says() -> None:
    """Of equal programs each exchange is equally likely, so all of them together are the distribution."""
    values = stable(4).values
    found = []
    for ours in exchanges(N_PAIRS, 2000):
        theirs = (ours + N_PAIRS) % (2 * N_PAIRS)
        found.append(p_value(np.vstack([values[theirs], values[ours]])))
    p_values = np.array(found)
    for level in np.unique(p_values):
        assert (p_values <= level).mean() <= level + 1e-9
