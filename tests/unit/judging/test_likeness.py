"""How alike changes are, in standardised features."""

from __future__ import annotations

import numpy as np
import pytest

from buto.judging.likeness import NEAR, QUIET, distances, nearest, scale

N_FEATURES = 60


def change(**at: float) -> np.ndarray:
    """A change of some features by these deviations, as ``f3=50``; the others do not change."""
    found = np.zeros(N_FEATURES)
    for name, deviations in at.items():
        found[int(name[1:])] = deviations
    return found


def test_the_same_change_is_at_no_distance_and_no_change_at_one() -> None:
    ours = change(f0=50, f7=-20)
    assert distances(ours, np.array([ours, np.zeros(N_FEATURES)])) == pytest.approx([0, 1])


def test_noise_of_many_features_does_not_hide_a_like_change() -> None:
    random = np.random.default_rng(1)
    noise = random.normal(0, 0.9, (2, N_FEATURES)).clip(-QUIET, QUIET)
    ours, same, other = change(f0=50), change(f0=60), change(f1=50)
    found = distances(ours + noise[0], np.array([same + noise[1], other + noise[1]]))
    assert found[0] < NEAR < 1 < found[1]


def test_the_other_direction_is_farther_than_no_change() -> None:
    assert distances(change(f0=50), change(f0=-50)[None])[0] == pytest.approx(2)


def test_a_change_within_the_noise_is_like_nothing() -> None:
    quiet = np.full(N_FEATURES, QUIET)
    assert np.isinf(distances(quiet, quiet[None])).all()
    assert len(nearest(quiet, quiet[None], 3)) == 0


def test_features_that_are_not_known_in_both_are_left_out() -> None:
    ours, other = change(f0=50, f1=40), change(f0=50, f2=40)
    ours[2], other[1] = np.nan, np.nan
    assert distances(ours, other[None]) == pytest.approx([0])
    assert np.isnan(scale(ours)[2])


def test_the_nearest_come_first_and_unlike_ones_not_at_all() -> None:
    ours = change(f0=50)
    others = np.array([change(f0=300), change(f5=50), change(f0=52), change(f0=80), change(f0=1e6)])
    assert nearest(ours, others, 3).tolist() == [2, 3, 0]
    assert nearest(ours, others, 1).tolist() == [2]
    assert nearest(ours, np.empty((0, N_FEATURES)), 3).tolist() == []


def test_a_change_that_is_not_finite_is_far() -> None:
    assert len(nearest(change(f0=50), change(f0=np.inf)[None], 3)) == 0
