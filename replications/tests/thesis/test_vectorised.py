"""The bounds of the experiments are those of the product, which come from filterpy."""

import numpy as np
import pytest
from filterpy.monte_carlo import multinomial_resample
from hypothesis import given, settings
from hypothesis import strategies as st

from buto.judging.thesis.bounds import PROCESS_NOISES, PROPAGATIONS, WEIGHTINGS, BoundsSettings
from buto.judging.thesis.filters import ALGORITHMS as PRODUCT
from buto.judging.thesis.time_points import time_points
from buto_replications.thesis.vectorised import ALGORITHMS, sampled_anew

NAN = float("nan")
SIDES = ("lower", "expected", "upper")


def points(values):
    """Time points of values of shape (n_runs, n_points, n_properties)."""
    return time_points(np.arange(values.shape[1]) * 0.1, values)


def both(name, of, chosen):
    """One band by the product, and one by the experiments."""
    return [algorithms[name].make(of, chosen, (20.0,))[0] for algorithms in (PRODUCT, ALGORITHMS)]


MIXED = np.random.default_rng(3).normal(100, [1.0, 1e-6, 30.0, 0.0], (6, 30, 4)).round(7)
MIXED[:, 10:20, 2] = 100  # which varies before and after
MIXED[:, 4, 0] = MIXED[:, 0, 1] = NAN
MIXED[:, :, 3] = np.arange(30.0)


@pytest.mark.parametrize("noise", PROCESS_NOISES)
def test_the_kalman_filter_equals_filterpys_to_rounding(noise):
    one, other = both("kalman", points(MIXED), BoundsSettings(process_noise=noise))
    for side in SIDES:
        np.testing.assert_allclose(getattr(other, side), getattr(one, side), rtol=1e-11)


@settings(max_examples=50, deadline=None)
@given(
    rows=st.lists(st.lists(st.floats(-1e4, 1e4), min_size=5, max_size=5), min_size=1, max_size=5),
    noise=st.sampled_from(PROCESS_NOISES),
    gap=st.integers(0, 5),
)
def test_so_it_does_for_any_values(rows, noise, gap):
    values = np.insert(np.array(rows), gap, NAN, axis=1)[:, :, np.newaxis]
    one, other = both("kalman", points(values), BoundsSettings(process_noise=noise))
    scale = np.nanmax(np.abs(values))
    for side in SIDES:
        np.testing.assert_allclose(getattr(other, side), getattr(one, side), rtol=1e-9, atol=1e-11 * scale)


@pytest.mark.parametrize("propagate", PROPAGATIONS)
@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize("resample", [0.2, 0.6, 1.0])
def test_particles_have_the_bits_of_filterpys(propagate, weighting, resample):
    chosen = BoundsSettings(
        particles=60, iterations=2, propagate=propagate, weighting=weighting, resample=resample, seed=5
    )
    one, other = both("particle", points(MIXED), chosen)
    for side in SIDES:
        assert getattr(other, side).tobytes() == getattr(one, side).tobytes()


def test_resampling_by_hand():
    particles = np.array([[1.0, 2, 3, 4], [5, 6, 7, 8]])
    shares = np.array([[0.5, 0, 0.25, 0.25], [0, 0, 0, 1.0]])
    picks = np.array([0.1, 0.49, 0.5, 0.9])
    assert sampled_anew(particles, shares, picks).tolist() == [[1, 1, 3, 4], [8, 8, 8, 8]]


@given(st.integers(0, 2**32 - 1), st.integers(1, 200))
def test_resampling_equals_filterpys_of_the_same_random_numbers(seed, n_particles):
    random = np.random.default_rng(seed)
    values, shares = np.arange(float(n_particles)), random.dirichlet(np.full(n_particles, 0.3))
    # Its numbers come from numpy's global state alone.
    before = np.random.get_state()
    np.random.seed(seed)
    indexes = multinomial_resample(shares)
    np.random.seed(seed)
    picks = np.sort(np.random.random(n_particles))
    np.random.set_state(before)
    sampled = sampled_anew(values[np.newaxis], shares[np.newaxis], picks)[0]
    assert sampled.tolist() == sorted(values[indexes])
