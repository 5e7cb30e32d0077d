from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.judging.thesis.bounds import PROCESS_NOISES, BoundsSettings
from buto.judging.thesis.filters import compute_noise, kalman_bounds, kalman_listing_bounds, process_variance
from buto.judging.thesis.time_points import time_points
from tests.support.references import naive

NAN = float("nan")
WIDE_FIRST = [[0, 4], [2, 5], [4, 6]]
"""Two points: mean 2, deviation 2; mean 5, deviation 1."""

ROWS = st.lists(st.lists(st.floats(-1e4, 1e4), min_size=5, max_size=5), min_size=1, max_size=5)


def points(rows):
    values = np.array(rows, dtype=float)[:, :, np.newaxis]
    return time_points(np.arange(values.shape[1]) * 0.1, values)


def textbook(rows, noise, deviations=1.0):
    return kalman_bounds(points(rows), BoundsSettings(process_noise=noise), (deviations,))[0]


def listing(rows, noise, *deviations):
    return kalman_listing_bounds(points(rows), BoundsSettings(process_noise=noise), deviations)


@pytest.mark.parametrize(
    ("method", "listed", "variance"),
    [("none", 0, 0), ("average-variance", 1.5, 2.5), ("average-difference", 3, 9)],
)
def test_process_noise_by_hand(method, listed, variance):
    assert compute_noise(points(WIDE_FIRST), method).tolist() == [listed]
    assert process_variance(points(WIDE_FIRST), method).tolist() == [variance]


def test_points_without_value_are_left_out_of_the_process_noise():
    rows = [[NAN, 1, NAN, NAN, 5, 6, NAN]]
    assert compute_noise(points(rows), "average-difference").tolist() == [2.5]
    assert compute_noise(points([[NAN] * 3]), "average-variance").tolist() == [0]
    assert compute_noise(points([[7]]), "average-difference").tolist() == [0]


@pytest.mark.parametrize(
    ("noise", "gain", "variance"),
    [
        ("none", 4 / 5, 4 / 5),
        ("average-variance", 6.5 / 7.5, 6.5 / 7.5),
        ("average-difference", 13 / 14, 13 / 14),
    ],
)
def test_the_textbooks_filter_by_hand(noise, gain, variance):
    bounds = textbook(WIDE_FIRST, noise)
    assert bounds.expected[:, 0] == pytest.approx([2, 2 + gain * 3])
    assert bounds.upper[:, 0] - bounds.expected[:, 0] == pytest.approx([2, variance**0.5])


@pytest.mark.parametrize(
    ("noise", "half"), [("none", 0.32), ("average-variance", 0.92), ("average-difference", 1.52)]
)
def test_the_listing_by_hand(noise, half):
    # P = 2 * 2 = 4, K = 4 / (4 + 1), x = 2 + 0.8 * 3, P = 4 - 0.8 * 4 = 0.8, P = (0.8 + q) * 0.2.
    (bounds,) = listing(WIDE_FIRST, noise, 2.0)
    assert bounds.lower[:, 0] == pytest.approx([-2, 4.4 - half])
    assert bounds.upper[:, 0] == pytest.approx([6, 4.4 + half])


def test_the_listings_process_noise_is_none_unless_asked_for():
    as_printed = kalman_listing_bounds(points(WIDE_FIRST), BoundsSettings(), (2.0,))[0]
    assert as_printed.upper.tolist() == listing(WIDE_FIRST, "none", 2.0)[0].upper.tolist()
    assert (
        textbook(WIDE_FIRST, None).upper.tolist() == textbook(WIDE_FIRST, "average-variance").upper.tolist()
    )


def test_the_listings_second_band_hardly_widens_with_more_deviations():
    rows = np.array([[0, 4, 5], [2, 5, 5], [4, 6, 8]])
    halves = [band.upper[:, 0] - band.expected[:, 0] for band in listing(rows, "none", 10.0, 1000.0)]
    assert halves[1][0] == 100 * halves[0][0]
    assert halves[0][1] == pytest.approx(0.5, rel=0.1)  # tends to 1 squared / 2
    assert halves[1][1] == pytest.approx(0.5, rel=0.001)


def test_the_listings_band_narrows_for_ever_without_process_noise():
    rows = np.array([[-1.0], [0], [1]]) + np.zeros(50)
    printed, with_noise = (listing(rows, noise, 20.0)[0] for noise in ("none", "average-variance"))
    assert printed.upper[[10, -1], 0] == pytest.approx([20 / (20 + 2 * 10), 20 / (20 + 2 * 49)], rel=0.02)
    assert with_noise.upper[-1, 0] == pytest.approx(0.802 * 20, rel=1e-3)


def test_the_listing_stays_where_it_began_with_certainty():
    rows = [[7, 10, 20], [7, 12, 22]]
    assert listing(rows, "none", 20.0)[0].upper[:, 0].tolist() == [7, 7, 7]
    assert textbook(rows, "none").upper[:, 0].tolist() == [7, 7, 7]
    assert textbook(rows, "average-difference").expected[1, 0] > 10


def test_where_nothing_is_uncertain_the_measurement_is_believed():
    for noise in ("none", "average-difference"):
        for bounds in (textbook([[0.1, 0.7, 0.3]] * 3, noise), *listing([[0.1, 0.7, 0.3]] * 3, noise, 20.0)):
            assert bounds.lower[:, 0].tolist() == bounds.upper[:, 0].tolist() == [0.1, 0.7, 0.3]


def test_a_point_without_value_is_predicted_by_the_textbook_and_passed_over_by_the_listing():
    with_gap = np.insert(np.array(WIDE_FIRST, dtype=float), 1, NAN, axis=1)
    noise = process_variance(points(with_gap), "average-variance")[0]
    variance = 4 + 2 * noise
    bounds = textbook(with_gap, "average-variance")
    assert bounds.expected[2, 0] == pytest.approx(2 + 3 * variance / (variance + 1))
    (listed,) = listing(with_gap, "none", 2.0)
    assert listed.upper[[0, 2], 0].tolist() == listing(WIDE_FIRST, "none", 2.0)[0].upper[:, 0].tolist()


@given(rows=ROWS, noise=st.sampled_from(PROCESS_NOISES), gap=st.integers(0, 5))
def test_the_textbooks_filter_equals_the_plain_one(rows, noise, gap):
    rows = np.insert(np.array(rows), gap, NAN, axis=1)
    given_points = points(rows)
    measured = [
        None if np.isnan(mean) else (Fraction(float(mean)), Fraction(float(std)) ** 2)
        for mean, std in zip(given_points.mean[:, 0], given_points.std[:, 0], strict=True)
    ]
    bounds = textbook(rows, noise)
    plain = naive.kalman_filter(measured, Fraction(float(process_variance(given_points, noise)[0])))
    for row, found in enumerate(plain):
        if found is None:
            assert np.isnan(bounds.expected[row, 0])
        else:
            state, std = float(found[0]), float(found[1]) ** 0.5
            assert bounds.expected[row, 0] == pytest.approx(state, rel=1e-9, abs=1e-9)
            assert bounds.upper[row, 0] == pytest.approx(state + std, rel=1e-9, abs=1e-9)


@given(
    rows=ROWS,
    noise=st.sampled_from(PROCESS_NOISES),
    deviations=st.lists(st.sampled_from([0.5, 2.0, 6.0, 20.0]), min_size=1, max_size=3),
)
def test_the_listing_equals_the_plain_one(rows, noise, deviations):
    given_points = points(rows)
    measured = list(zip(given_points.mean[:, 0].tolist(), given_points.std[:, 0].tolist(), strict=True))
    q = naive.process_noise(measured, noise)
    assert compute_noise(given_points, noise)[0] == pytest.approx(q)
    for number, bounds in zip(deviations, listing(rows, noise, *deviations), strict=True):
        lower, upper = zip(*naive.kalman_listing(measured, number, q), strict=True)
        assert bounds.lower[:, 0] == pytest.approx(lower, rel=1e-9, abs=1e-9)
        assert bounds.upper[:, 0] == pytest.approx(upper, rel=1e-9, abs=1e-9)
