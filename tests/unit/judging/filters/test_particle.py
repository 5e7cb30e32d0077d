import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.judging.thesis.bounds import PROPAGATIONS, WEIGHTINGS, BoundsSettings
from buto.judging.thesis.filters import (
    draw_particles,
    effective_size,
    particle_bounds,
    process_variance,
    weights,
)
from buto.judging.thesis.time_points import time_points
from tests.support.references import naive


def points(rows):
    values = np.array(rows, dtype=float)
    values = values.reshape(*values.shape[:2], -1)
    return time_points(np.arange(values.shape[1]) * 0.1, values)


def bounds_of(given_points, **chosen):
    return particle_bounds(given_points, BoundsSettings(**chosen), (1.0,))[0]


def test_weights_by_hand():
    distances = np.array([[1.0, 2, 4], [0, 3, 3]])
    assert weights(distances, np.ones((2, 1)), "distance").tolist() == [
        pytest.approx([4 / 7, 2 / 7, 1 / 7]),
        pytest.approx([1, 0, 0]),
    ]
    by_density = weights(distances[1:], np.array([[3.0]]), "density")[0]
    assert by_density[1] / by_density[0] == pytest.approx(np.exp(-0.5))
    assert by_density.sum() == pytest.approx(1)


@pytest.mark.parametrize("far", [50.0, 1e9])
def test_weights_of_a_measurement_far_from_all_particles_do_not_underflow(far):
    assert weights(np.array([[far, far + 1]]), np.ones((1, 1)), "density")[0] == pytest.approx(
        [1, 0], abs=1e-9
    )


def test_weights_are_finite_even_where_squares_overflow():
    assert weights(np.array([[1e200, 1e300]]), np.array([[1e-5]]), "density").tolist() == [[0.5, 0.5]]


def test_the_effective_size_by_hand():
    shares = np.array([[0.25] * 4, [0.5, 0.5, 0, 0], [1.0, 0, 0, 0]])
    assert effective_size(shares).tolist() == [4, 2, 1]


def test_particles_are_sampled_in_proportion_to_their_weights():
    random = np.random.default_rng(0)
    shares = random.dirichlet(np.ones(20_000))[np.newaxis]
    values = random.standard_normal((1, 20_000))
    sampled = draw_particles(values, shares, np.random.PCG64(1))
    assert sampled.mean() == pytest.approx((values * shares).sum(), abs=0.03)


def test_all_properties_are_sampled_by_the_same_numbers():
    values, shares = np.arange(50.0), np.random.default_rng(0).dirichlet(np.ones(50))
    first, other = draw_particles(np.stack([values, values]), np.stack([shares, shares]), np.random.PCG64(1))
    assert first.tolist() == other.tolist() == sorted(first)
    assert len(set(first)) < 50


def test_the_global_random_numbers_are_as_they_were():
    own = np.random.get_bit_generator()
    before = np.random.get_state()
    bounds_of(points([[0, 5, 1], [1, 9, 3]]), particles=20, resample=1.0)
    with pytest.raises(IndexError):
        draw_particles(np.empty((1, 0)), np.empty((1, 0)), np.random.PCG64(1))
    assert np.random.get_bit_generator() is own
    after = np.random.get_state()
    assert (before[1] == after[1]).all() and before[2:] == after[2:]


def test_with_density_and_sampling_at_every_point_it_is_the_kalman_filter_that_meets_its_first_point_twice():
    random = np.random.default_rng(1)
    rows = random.normal(0, [1.0, 2, 1, 3, 1, 0.5], (12, 6)) + np.array([0, 1, 2, 2, 1, 0])
    chosen = BoundsSettings(particles=20_000, iterations=4, resample=1.0, propagate="none")
    given_points = points(rows)
    sampled = particle_bounds(given_points, chosen, (1.0,))[0]
    measured = list(zip(given_points.mean[:, 0], given_points.std[:, 0] ** 2, strict=True))
    noise = process_variance(given_points, "average-variance")[0]
    exact = np.array(naive.kalman_filter([measured[0], *measured], noise)[1:])
    assert sampled.expected[:, 0] == pytest.approx(exact[:, 0], abs=0.03)
    assert sampled.upper[:, 0] - sampled.expected[:, 0] == pytest.approx(exact[:, 1] ** 0.5, rel=0.03)


def test_weights_count_for_nothing_unless_particles_are_resampled():
    rows = [[-1, 9], [0, 10], [1, 11]]
    walking = bounds_of(points(rows), resample=0.0, propagate="none")
    assert walking.expected[:, 0] == pytest.approx([0, 0], abs=0.2)
    assert bounds_of(points(rows), resample=0.5, propagate="none").expected[1, 0] > 3


def test_velocity_follows_a_ramp():
    rows = np.array([[-1.0], [0], [1]]) + 3 * np.arange(30)
    behind = [
        (3 * np.arange(30) - bounds_of(points(rows), propagate=how).expected[:, 0])[5:].mean()
        for how in ("none", "velocity")
    ]
    assert behind[0] > 1
    assert abs(behind[1]) < 0.3


def test_one_seed_gives_the_same_bits_and_another_does_not():
    given_points = points(np.random.default_rng(2).normal(0, 1, (5, 8, 3)))
    first, again, other = (bounds_of(given_points, particles=50, seed=seed).upper for seed in (3, 3, 4))
    assert first.tobytes() == again.tobytes()
    assert (first != other).all()


def test_more_iterations_scatter_less():
    given_points = points([[-1, 5, 2], [0, 6, 2.5], [1, 7, 3]])
    spreads = [
        np.std(
            [
                bounds_of(given_points, particles=30, iterations=iterations, seed=seed).upper[2, 0]
                for seed in range(20)
            ]
        )
        for iterations in (1, 16)
    ]
    assert spreads[1] < spreads[0] / 2


def test_a_point_without_deviation_is_exact():
    given_points = points([[1, 5, 8], [3, 5, 9]])
    for weighting in WEIGHTINGS:
        bounds = bounds_of(given_points, particles=50, weighting=weighting)
        assert (bounds.lower[1, 0], bounds.upper[1, 0]) == (5, 5)
        assert bounds.upper[2, 0] > bounds.lower[2, 0]


def test_a_point_without_value_is_passed_over():
    draws = np.random.default_rng(5).normal(0, 1, (4, 5))
    gap = draws.copy()
    gap[:, 2] = np.nan
    bounds = bounds_of(points(gap), particles=200)
    assert np.isnan(bounds.expected[:, 0]).tolist() == [False, False, True, False, False]
    assert np.isfinite(bounds.upper[3:]).all()


def test_ten_thousand_particles_of_sixty_properties_fit_into_little_memory():
    given_points = points(np.random.default_rng(0).normal(0, 1, (3, 6, 60)))
    tracemalloc.start()
    bounds_of(given_points, particles=10_000, iterations=1)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 12e6


@given(
    rows=st.lists(st.lists(st.integers(-50, 50), min_size=4, max_size=4), min_size=1, max_size=4),
    propagate=st.sampled_from(PROPAGATIONS),
    weighting=st.sampled_from(WEIGHTINGS),
    resample=st.sampled_from([0.2, 0.6, 1.0]),
)
def test_the_filter_equals_the_plain_one(rows, propagate, weighting, resample):
    given_points = points(rows)
    chosen = BoundsSettings(
        particles=30, iterations=2, propagate=propagate, weighting=weighting, resample=resample, seed=9
    )
    bounds = particle_bounds(given_points, chosen, (3.0,))[0]
    measured = list(zip(given_points.mean[:, 0].tolist(), given_points.std[:, 0].tolist(), strict=True))
    noise_std = float(process_variance(given_points, "average-variance")[0] ** 0.5)
    passes = []
    for iteration in range(2):
        random = np.random.default_rng((9, iteration))
        draws = random.standard_normal(30), random.standard_normal((4, 30)), random.random((4, 30))
        listed = [draw.tolist() for draw in draws]
        passes.append(naive.particle_filter(measured, noise_std, listed, resample, propagate, weighting))
    state, std = np.mean(passes, axis=0).T
    assert bounds.expected[:, 0] == pytest.approx(state, rel=1e-7, abs=1e-7)
    assert bounds.upper[:, 0] == pytest.approx(state + 3 * std, rel=1e-7, abs=1e-7)
