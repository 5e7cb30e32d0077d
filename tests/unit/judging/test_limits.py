"""Clopper and Pearson's limits, against the quantiles of the beta distribution and against tables."""

from __future__ import annotations

import pytest
from scipy.stats import beta

from buto.judging.alarms import IMPROBABLE
from buto.judging.limits import ShareLimits, limits_of


@pytest.mark.parametrize(
    ("count", "n", "lower", "upper"),
    [
        # In closed form: 1 - .025 ** (1 / n).
        (0, 10, 0.0, 1 - 0.025**0.1),
        (10, 10, 0.025**0.1, 1.0),
        # Printed in tables of the method.
        (1, 10, 0.0025, 0.4450),
        (5, 10, 0.1871, 0.8129),
        (15, 200, 0.0426, 0.1207),
    ],
)
def test_known_values(count: int, n: int, lower: float, upper: float) -> None:
    found = limits_of(count, n)
    assert (found.lower, found.upper) == pytest.approx((lower, upper), abs=5e-5)


@pytest.mark.parametrize("n", [1, 2, 5, 40, 1000])
def test_they_are_the_quantiles_of_the_beta_distribution(n: int) -> None:
    for count in {0, 1, n // 3, n // 2, n - 1, n}:
        found = limits_of(count, n)
        lower = beta.ppf(IMPROBABLE, count, n - count + 1) if count else 0.0
        upper = beta.ppf(1 - IMPROBABLE, count + 1, n - count) if count < n else 1.0
        assert (found.lower, found.upper) == pytest.approx((lower, upper), rel=1e-9, abs=1e-12)


def test_nothing_seen_leaves_all_possible() -> None:
    assert limits_of(0, 0) == ShareLimits(0.0, 1.0)


@pytest.mark.parametrize(("count", "n"), [(-1, 3), (4, 3)])
def test_a_count_is_one_of_the_trials(count: int, n: int) -> None:
    with pytest.raises(ValueError, match="count"):
        limits_of(count, n)
